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

class [[nodiscard]] commands
{
    detail::following<hm_commands, hm_commands_fini> own_;

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
        own_.end();
        detail::world_core &core = detail::world_access::core_of(in);
        if (!core.is_live())
            return core.refuse();
        /* The world may be ending, and has then ended its commands already. */
        if ((core.c.guard.flags & HM_GUARD_BUSY) != 0)
            return hm_world_create_n(&core.c, nullptr, 0, 0, nullptr, nullptr);
        hm_commands_desc desc{};
        desc.size = with.size;
        status returned = hm_commands_init(own_.c(), &core.c, &desc);
        if (returned == HM_OK)
            own_.follow(core, core.commands);
        return returned;
    }
    /* Whether init has succeeded, and the world has not ended. */
    explicit operator bool() const noexcept
    {
        return own_.core() != nullptr;
    }
    /* For the functions of the C library. */
    [[nodiscard]] hm_commands *c() noexcept
    {
        return own_.c();
    }

    /* Promises an entity with these values, whose handle is known at once. Returns null when none
     * of the handles that world::reserve made ready is left, and when hm_commands_create or
     * hm_commands_add would fail: then nothing is recorded, and no handle is promised. */
    template <class... Values> entity create(Values &&...values)
    {
        return make(detail::held<std::decay_t<Values>>(std::forward<Values>(values))...);
    }
    /* The same with default values, T(): create<position, frozen>(). */
    template <class First, class... Rest> entity create()
    {
        return make(detail::held<First>(), detail::held<Rest>()...);
    }
    status destroy(entity which) noexcept
    {
        return hm_commands_destroy(own_.c(), which.id());
    }
    /* Records world::add, and owns the value until apply. The type must be a component already
     * where several threads record at once, and in a destructor that the world calls. */
    template <class T = void, class Value = T> status add(entity which, Value &&value)
    {
        detail::held<detail::type_or<T, Value>> made(std::forward<Value>(value));
        return add_made(which, made);
    }
    /* The same with a default value, T(): add<frozen>(stone). */
    template <class T> status add(entity which)
    {
        detail::held<T> made;
        return add_made(which, made);
    }
    /* The same with T(args...), or T{args...} for an aggregate. */
    template <class T, class... Args> status emplace(entity which, Args &&...args)
    {
        static_assert(!detail::is_tag<T>, "a tag has no value: use add<T>(entity)");
        detail::held<T> made(std::forward<Args>(args)...);
        return add_made(which, made);
    }
    /* Records world::remove. */
    template <class T> status remove(entity which) noexcept
    {
        hm_component removed;
        status returned = require<std::remove_const_t<T>>(&removed);
        return returned == HM_OK ? hm_commands_remove(own_.c(), which.id(), removed) : returned;
    }
    status apply() noexcept
    {
        return hm_commands_apply(own_.c());
    }
    void clear() noexcept
    {
        hm_commands_clear(own_.c());
    }
    /* The number of commands that wait for apply. */
    [[nodiscard]] std::uint32_t size() const noexcept
    {
        return hm_commands_count(own_.c());
    }
    [[nodiscard]] bool empty() const noexcept
    {
        return size() == 0;
    }
    /* How many the last apply has skipped, because their entity was dead. */
    [[nodiscard]] std::uint32_t skipped() const noexcept
    {
        return hm_commands_skipped(own_.c());
    }
    /* How many the last apply has dropped, because the values of their entity would have taken more
     * than a chunk. */
    [[nodiscard]] std::uint32_t dropped() const noexcept
    {
        return hm_commands_dropped(own_.c());
    }

  private:
    /* Empty commands leave the answer to the C function. */
    template <class T> status require(hm_component *found) noexcept
    {
        *found = HM_INVALID_INDEX;
        detail::world_core *core = own_.core();
        return core != nullptr ? core->require<T>(found) : HM_OK;
    }
    template <class T> status add_made(entity which, detail::held<T> &made) noexcept
    {
        hm_component added;
        status returned = require<T>(&added);
        if (returned == HM_OK)
            returned = hm_commands_add(own_.c(), which.id(), added, made.value());
        if (returned == HM_OK)
            made.was_taken();
        return returned;
    }
    template <class... Types> entity make(detail::held<Types> &&...made) noexcept
    {
        static_assert(detail::all_differ<Types...>, "a component is given twice");
        hm_component set[sizeof...(Types) + 1], *next = set;
        const void *values[] = {made.value()..., nullptr};
        status returned = HM_OK;
        (void)((returned = require<Types>(next++), returned == HM_OK) && ...);
        if (returned != HM_OK)
            return entity();
        const entity created(
            hm_commands_create_with(own_.c(), detail::set_of(set), sizeof...(Types), values));
        if (created)
            (made.was_taken(), ...);
        return created;
    }
};

} // namespace hm

#endif
