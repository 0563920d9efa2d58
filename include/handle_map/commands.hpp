/* SPDX-License-Identifier: MIT */
/* commands, in C++: hm::commands, an owner of an hm_commands: changes to a world that are recorded
 * now and made later, in order. What commands.h says holds here too. Example:
 *
 *     hm::commands commands(world);
 *     world.reserve(100); // before the frame: handles for create
 *     movers.each([&](hm::entity which, const position &p) {
 *         if (p.x > 100) {
 *             commands.remove<velocity>(which);
 *             commands.create(p, smoke{5});
 *         }
 *     });
 *     commands.apply();
 *
 * All commands of an entity are joined, so there is no `change`: adding and removing is one move.
 *
 * Values wait as bytes, so add a container of a history to a world directly, not by commands.
 * Commands are movable. They stay valid when their world is moved; when that ends, they drop what
 * waits, and become empty ones, which can record nothing. */
#ifndef HANDLE_MAP_COMMANDS_HPP
#define HANDLE_MAP_COMMANDS_HPP

#include <handle_map/commands.h>
#include <handle_map/world.hpp>

namespace hm
{

/* As hm_commands_desc; what is left out has its defaults. */
struct commands_options {
    std::size_t size = 0; /* bytes of address space */
};

/* As a world, they have create and add, which record. */
class [[nodiscard]] commands
    : public detail::following<hm_commands, hm_commands_fini, hm_commands_moved>,
      public giver<commands>
{
    friend class giver<commands>;

  public:
    /* Empty commands, which can record nothing. */
    commands() noexcept = default;
    /* As init; if that fails, all recording fails, and hm_last_error says why. */
    explicit commands(world &in, const commands_options &with = {}) noexcept
    {
        (void)init(in, with);
    }
    /* Ends the commands as they are, and makes them anew; fails as hm_commands_init does, and with
     * HM_ERROR_BUSY in a destructor that the world calls. */
    status init(world &in, const commands_options &with = {}) noexcept
    {
        end();
        detail::world_core &of = detail::world_access::core_of(in);
        if (!of.is_live())
            return of.refuse();
        /* The world may be ending, and has then ended its commands already. */
        if ((of.c.guard.flags & HM_GUARD_BUSY) != 0)
            return hm_world_create_n(&of.c, nullptr, 0, 0, nullptr, nullptr);
        hm_commands_desc desc{};
        desc.size = with.size;
        status returned = hm_commands_init(c(), &of.c, &desc);
        if (returned == HM_OK)
            follow(of, of.commands);
        return returned;
    }

    status destroy(entity which) noexcept
    {
        return hm_commands_destroy(c(), which.id());
    }
    /* As add, with T(args...), or T{args...} for an aggregate. */
    template <class T, class... Args> status emplace(entity which, Args &&...args)
    {
        static_assert(!detail::is_tag<T>, "a tag has no value: use add<T>(entity)");
        detail::held<T> made(std::forward<Args>(args)...);
        return add_made(which, made);
    }
    /* Records world::remove. */
    template <class T> status remove(entity which) noexcept
    {
        hm_component removed = HM_INVALID_INDEX;
        status returned = require<std::remove_const_t<T>>(&removed);
        return returned == HM_OK ? hm_commands_remove(c(), which.id(), removed) : returned;
    }
    status apply() noexcept
    {
        return hm_commands_apply(c());
    }
    void clear() noexcept
    {
        hm_commands_clear(c());
    }
    /* The number of commands that wait for apply. */
    [[nodiscard]] std::uint32_t size() const noexcept
    {
        return hm_commands_count(c());
    }
    [[nodiscard]] bool empty() const noexcept
    {
        return size() == 0;
    }
    /* How many the last apply has skipped, because their entity was dead. */
    [[nodiscard]] std::uint32_t skipped() const noexcept
    {
        return hm_commands_skipped(c());
    }
    /* How many the last apply has dropped, because the values of their entity would have taken more
     * than a chunk. */
    [[nodiscard]] std::uint32_t dropped() const noexcept
    {
        return hm_commands_dropped(c());
    }

  private:
    /* Empty commands leave the answer to the C function. */
    template <class... Types> status require(hm_component *set) noexcept
    {
        return core() != nullptr ? core()->require_all<Types...>(set) : HM_OK;
    }
    hm_handle create_of(const hm_component *set, std::uint32_t n,
                        const void *const *values) noexcept
    {
        return hm_commands_create_with(c(), set, n, values);
    }
    status give(entity which, hm_component added, const void *value) noexcept
    {
        return hm_commands_add(c(), which.id(), added, value);
    }
    template <class T> void *place_of(entity) noexcept
    {
        return nullptr; /* Apply moves the bytes later. */
    }
};

} // namespace hm

#endif
