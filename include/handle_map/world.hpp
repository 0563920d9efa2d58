/* SPDX-License-Identifier: MIT */
/* world, in C++: hm::world, an owner of an hm_world, where a C++ type names a component. What
 * world.h says holds here too. query.hpp visits entities, commands.hpp records changes for later.
 *
 * A component's type must be trivially copyable, or say by hm::is_relocatable<T> that it may be
 * moved as bytes; destructors run where the destroy hook of a component does. An empty type is a
 * tag. A type becomes a component when the world first meets it, or before by component<T>().
 * Example:
 *
 *     hm::world world(100000);
 *     hm::entity stone = world.create(position{1, 2}, velocity{0, 1});
 *     world.add<heavy>(stone);
 *     if (position *found = world.get<position>(stone))
 *         found->x += 1;
 *     world.each<position, const velocity>([](position &p, const velocity &v) { p.x += v.x; });
 *
 * Threads: as in C; a type must have become a component before threads ask for it at once. Threads
 * may make and end queries and commands of one world at once, as query.h and commands.h say. */
#ifndef HANDLE_MAP_WORLD_HPP
#define HANDLE_MAP_WORLD_HPP

#include <handle_map/detail/world.hpp>

#include <cstring>

namespace hm
{

class world;

/* Names an entity. hm::world is the owner in hm::secondary<hm::world, T> and hm::index<hm::world,
 * Key>, which have values and keys for entities. */
using entity = handle<world>;

/* As hm_world_desc; what is left out has its defaults. Example:
 *
 *     hm::world world({100000, 0, ENTITY_TYPE});    // .capacity = ... under C++20
 */
struct world_options {
    std::uint32_t capacity = 0;        /* entities, at most */
    std::uint32_t max_slots = 0;       /* index space in slots */
    std::uint16_t type_id = 0;         /* of the entities; at most 0x7FFF, or hm::unique */
    const hm_memory *memory = nullptr; /* must outlive the world, its queries and its commands */
    const char *name = nullptr;        /* in messages; must outlive the world */
    std::uint32_t max_archetypes = 0;
    std::uint64_t max_size = 0;        /* bytes for archetypes and their chunks */
    std::uint16_t generation_bits = 0; /* 2 to 16; 0: 16 */
};

/* How a component is made; what is left out has the defaults of hm_component_desc. */
struct component_options {
    const char *name = nullptr; /* in messages; must outlive the world; nullptr: that of the type */
    hm_component_storage storage = HM_COMPONENT_ARCHETYPE;
};

namespace detail
{

struct world_access;

struct world_shape : shape_of<hm_world, hm_world_desc, world_options, hm::handle<world>, void> {
    using owner = world_owner;

    static void complete(hm_world_desc &desc, const world_options &with) noexcept
    {
        desc.max_archetypes = with.max_archetypes;
        desc.max_size = with.max_size;
        desc.generation_bits = with.generation_bits;
    }
};

} // namespace detail

/* Components that a query leaves out, or that a change takes away. */
template <class... Types> struct without {
};

/* What a world does at once, and commands record for later. */
template <class Derived> class giver
{
  public:
    /* Makes an entity with these values; null when refused. Each type is given once. O(values).
     *
     * Commands promise it: its handle is known at once, and null is returned when none of the
     * handles that world::reserve made ready is left, or when hm_commands_create_with would fail.
     * Then nothing is recorded, and no handle is promised. */
    template <class... Values> entity create(Values &&...values)
    {
        return make(detail::held<std::decay_t<Values>>(std::forward<Values>(values))...);
    }
    /* The same with default values, T(): create<position, frozen>(). */
    template <class First, class... Rest> entity create()
    {
        return make(detail::held<First>(), detail::held<Rest>()...);
    }
    /* Gives an entity a value, or replaces the one it has: add(stone, velocity{1, 0}), or
     * add<velocity>(stone, {1, 0}). Fails as hm_world_add and hm_commands_add do.
     *
     * Commands own the value until apply. Its type must be a component already where several
     * threads record at once, and in a destructor that the world calls. */
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

  protected:
    template <class T> status add_made(entity which, detail::held<T> &made) noexcept
    {
        hm_component added = HM_INVALID_INDEX;
        status returned = self().template require<T>(&added);
        if (returned == HM_OK)
            returned = self().give(which, added, made.value());
        if (returned == HM_OK)
            made.was_taken(self().template place_of<T>(which));
        return returned;
    }

  private:
    template <class... Types> entity make(detail::held<Types> &&...made) noexcept
    {
        static_assert(detail::all_differ<Types...>, "a component is given twice");
        hm_component set[sizeof...(Types) + 1] = {};
        const void *values[] = {made.value()..., nullptr};
        if (self().template require<Types...>(set) != HM_OK)
            return entity();
        const entity created(self().create_of(
            detail::set_of(set), static_cast<std::uint32_t>(sizeof...(Types)), values));
        if (created)
            (made.was_taken(self().template place_of<Types>(created)), ...);
        return created;
    }
    Derived &self() noexcept
    {
        return static_cast<Derived &>(*this);
    }
};

/* A world may be moved, also while a query runs. Its C struct stays where it is, in a page from the
 * world's memory table (a second page leads from types to components). So queries and commands stay
 * valid, and belong to the world that it was moved to. One that was moved from is empty, with
 * capacity 0. When a world ends, or is made anew by init, its queries and commands become empty
 * ones: a query then matches nothing, and commands drop what waits and record nothing. So programs
 * may destroy them in any order.
 *
 * A constructor of a component's type may throw; then nothing has changed.
 *
 * Types are numbered when a world of the program first meets them. There are 16,383 numbers for all
 * its worlds together; a world has up to 1,024 components. What needs one more fails with
 * HM_ERROR_FULL.
 *
 * A library that uses a world of another one needs the same numbers, which the dynamic linker sees
 * to if the program exports its symbols (-rdynamic). If it cannot, as on Windows or with RTLD_LOCAL
 * alone, the other library has numbers of its own, and a call that would make a component fails
 * with HM_ERROR_INVALID. A type that has got its number in a world of that library cannot be told
 * from the one that has this number here: then use only the C functions there. A library that
 * hides its symbols gets further numbers; its types become the components of the same name when it
 * first adds them, or by component<T>(). Types of one name in two unnamed namespaces need a name
 * in the component_options. */
class [[nodiscard]] world : public destroyer<issuer<container<detail::world_shape>>>,
                            public giver<world>
{
    friend struct detail::world_access;
    friend class giver<world>;

  public:
    using destroyer::destroyer;

    /* Returns the component of a type; makes it, with these options, if the world has none. Returns
     * HM_INVALID_INDEX if that fails. Allowed while a query runs, not in a destructor that the
     * world calls. O(1). */
    template <class T> hm_component component(const component_options &with = {}) noexcept
    {
        return own_.core->component<T>(with.name, with.storage);
    }

    /* Makes n entities: all of them or none. Each array has n values, which are copied as bytes;
     * nullptr: what T() is, if that can be copied as bytes and is noexcept, else zeros; also for a
     * tag. `entities` nullptr: not reported. As hm_world_create_n.
     * Example:
     *
     *     world.create_n<position, velocity>(256, positions, nullptr, made);
     */
    template <class... Types>
    status create_n(std::uint32_t n, const Types *...arrays, entity *entities = nullptr) noexcept
    {
        static_assert(detail::all_differ<Types...>, "a component is given twice");
        static_assert((std::is_trivially_copyable<Types>::value && ...),
                      "values are copied as bytes: create entities with this type one by one");
        hm_component set[sizeof...(Types) + 1];
        const void *columns[] = {static_cast<const void *>(arrays)..., nullptr};
        status returned = require<Types...>(set);
        if (returned != HM_OK)
            return returned;
        return hm_world_create_n(c(), detail::set_of(set), sizeof...(Types), n, columns,
                                 detail::ids(entities));
    }
    /* As hm_world_save, with code for these types, which takes the place of the descriptor's
     * formats: save<player, name>(sink). Others that are no plain bytes must be among them. See
     * container.hpp for sinks. */
    template <class... Types, class Sink>
    status save(Sink &&sink, const hm_world_save_desc &with = {}) const noexcept
    {
        return write_with<Types...>(with, [&](const hm_world_save_desc *desc) {
            return hm_world_save(c(), desc, detail::sink_of(sink));
        });
    }
    /* As hm_world_load: makes these components first if need be. A component that the file has must
     * be one of the world's, and so among these unless it was made before. */
    template <class... Types, class Source>
    status load(Source &&source, const hm_world_save_desc &with = {}) noexcept
    {
        return read_with<Types...>(with, [&](const hm_world_save_desc *desc) {
            return hm_world_load(c(), desc, detail::source_of(source));
        });
    }
    /* As hm_world_save_changes and the like, with code for these types as in save and load. */
    template <class... Types, class Sink>
    status save_changes(history_argument history, mark_argument from, mark_argument to, Sink &&sink,
                        const hm_world_save_desc &with = {}) const noexcept
    {
        return write_with<Types...>(with, [&](const hm_world_save_desc *desc) {
            return hm_world_save_changes(c(), history, desc, from, to, detail::sink_of(sink));
        });
    }
    template <class... Types, class Sink>
    status save_values(span<const entity> entities, Sink &&sink,
                       const hm_world_save_desc &with = {}) const noexcept
    {
        return write_with<Types...>(with, [&](const hm_world_save_desc *desc) {
            return hm_world_save_values(c(), desc, detail::ids(entities.data()),
                                        detail::count_of(entities.size()), detail::sink_of(sink));
        });
    }
    template <class... Types, class Source>
    status load_changes(Source &&source, const hm_world_save_desc &with = {}) noexcept
    {
        return read_with<Types...>(with, [&](const hm_world_save_desc *desc) {
            return hm_world_load_changes(c(), desc, detail::source_of(source));
        });
    }
    template <class... Types>
    [[nodiscard]] std::uint64_t hash(const hm_world_save_desc &with = {}) const noexcept
    {
        return write_with<Types...>(with, [&](const hm_world_save_desc *desc) {
            return hm_world_hash(c(), desc, nullptr, HM_ALL);
        });
    }
    template <class... Types>
    [[nodiscard]] std::uint64_t hash(span<const entity> entities,
                                     const hm_world_save_desc &with = {}) const noexcept
    {
        return write_with<Types...>(with, [&](const hm_world_save_desc *desc) {
            return hm_world_hash(c(), desc, detail::ids(entities.data()),
                                 detail::count_of(entities.size()));
        });
    }
    /* As hm_world_merge, with the components of load; `remap`: a secondary<world, entity>. */
    template <class... Types, class Source, class Remap, class = typename Remap::handle_type>
    status merge(Source &&source, Remap &remap, const hm_world_save_desc &with = {}) noexcept
    {
        return merge_into<Types...>(source, detail::remap_of<entity>(remap), with);
    }
    /* The same, where nobody needs the new handles. */
    template <class... Types, class Source>
    status merge(Source &&source, const hm_world_save_desc &with = {}) noexcept
    {
        return merge_into<Types...>(source, nullptr, with);
    }
    /* An entity with the components and values of this one; null when refused. The copies of values
     * are those of the copy constructors, which must be noexcept: as hm_world_copy. */
    entity copy(entity which) noexcept
    {
        return entity(hm_world_copy(c(), which.id()));
    }

    /* As add, with T(args...), or T{args...} for an aggregate; returns the value's address, or
     * nullptr when refused. */
    template <class T, class... Args> T *emplace(entity which, Args &&...args)
    {
        static_assert(!detail::is_tag<T>, "a tag has no value: use add<T>(entity)");
        detail::held<T> made(std::forward<Args>(args)...);
        return add_made(which, made) == HM_OK ? get<T>(which) : nullptr;
    }
    /* As hm_world_remove; HM_OK too if no entity ever had such a value. `removed` tells whether
     * this one had. */
    template <class T> status remove(entity which, bool *removed = nullptr) noexcept
    {
        const hm_component found = own_.core->find<T>();
        if (found != HM_INVALID_INDEX)
            return hm_world_remove(c(), which.id(), found, removed);
        if (removed != nullptr)
            *removed = false;
        return hm_world_change(c(), which.id(), nullptr, 0, nullptr, 0);
    }
    /* Adds values of one type to n entities, as hm_world_add_n: all or none. They are copied as
     * bytes; nullptr: as for create_n. */
    template <class T>
    status add_n(const entity *entities, std::uint32_t n, const T *values = nullptr) noexcept
    {
        static_assert(std::is_trivially_copyable<T>::value,
                      "values are copied as bytes: add this type one by one");
        hm_component added;
        status returned = own_.core->require<T>(&added);
        if (returned != HM_OK)
            return returned;
        return hm_world_add_n(c(), detail::ids(entities), n, added, values);
    }
    template <class T> status add_n(span<const entity> entities, const T *values = nullptr) noexcept
    {
        return add_n<T>(entities.data(), detail::count_of(entities.size()), values);
    }
    /* As hm_world_remove_n. The type becomes a component if the world has not met it. */
    template <class T>
    status remove_n(const entity *entities, std::uint32_t n,
                    std::uint32_t *removed = nullptr) noexcept
    {
        hm_component found;
        if (removed != nullptr)
            *removed = 0;
        status returned = own_.core->require<T>(&found);
        if (returned != HM_OK)
            return returned;
        return hm_world_remove_n(c(), detail::ids(entities), n, found, removed);
    }
    template <class T>
    status remove_n(span<const entity> entities, std::uint32_t *removed = nullptr) noexcept
    {
        return remove_n<T>(entities.data(), detail::count_of(entities.size()), removed);
    }
    /* Takes all components away; the entity stays. */
    status remove_all(entity which) noexcept
    {
        return hm_world_remove_all(c(), which.id());
    }
    /* Adds these values and takes other components away in one move, as hm_world_change. Example:
     *
     *     world.change(stone, hm::without<velocity>(), frozen(), glow{3});
     */
    template <class... Removed, class... Values>
    status change(entity which, without<Removed...>, Values &&...values)
    {
        return change_made<Removed...>(
            which, detail::held<std::decay_t<Values>>(std::forward<Values>(values))...);
    }

    /* The entity's value; nullptr if it is not alive or has none, and for a tag. O(1). */
    template <class T> [[nodiscard]] T *get(entity which) noexcept
    {
        detail::world_core &core = *own_.core;
        return static_cast<T *>(hm_world_get(&core.c, which.id(), core.find<T>()));
    }
    template <class T> [[nodiscard]] const T *get(entity which) const noexcept
    {
        const detail::world_core &core = *own_.core;
        return static_cast<const T *>(hm_world_get(&core.c, which.id(), core.find<T>()));
    }
    /* The entity's values of several components, with one search for all; each is what get returns
     * for it. O(components). Example:
     *
     *     auto [at, by] = world.get<position, const velocity>(stone);
     */
    template <class T, class U, class... More>
    [[nodiscard]] std::tuple<T *, U *, More *...> get(entity which) noexcept
    {
        return own_.core->values_of<T, U, More...>(which.id(),
                                                   std::index_sequence_for<T, U, More...>());
    }
    template <class T, class U, class... More>
    [[nodiscard]] std::tuple<const T *, const U *, const More *...> get(entity which) const noexcept
    {
        return own_.core->values_of<const T, const U, const More...>(
            which.id(), std::index_sequence_for<T, U, More...>());
    }
    /* A copy of the value, or of `otherwise` if there is none. */
    template <class T> [[nodiscard]] T get_or(entity which, T otherwise) const
    {
        const T *found = get<T>(which);
        return found != nullptr ? *found : std::move(otherwise);
    }
    template <class T> [[nodiscard]] bool has(entity which) const noexcept
    {
        const detail::world_core &core = *own_.core;
        return hm_world_has(&core.c, which.id(), core.find<T>());
    }
    /* As hm_world_get_n. */
    template <class T>
    std::uint32_t get_n(const entity *entities, std::uint32_t n, T **values) noexcept
    {
        return hm_world_get_n(c(), detail::ids(entities), n, own_.core->find<T>(),
                              reinterpret_cast<void **>(values));
    }
    template <class T> std::uint32_t get_n(span<const entity> entities, T **values) noexcept
    {
        return get_n<T>(entities.data(), detail::count_of(entities.size()), values);
    }
    template <class T>
    std::uint32_t get_n(span<const entity> entities, const T **values) const noexcept
    {
        return hm_world_get_n(c(), detail::ids(entities.data()), detail::count_of(entities.size()),
                              own_.core->find<T>(),
                              reinterpret_cast<void **>(const_cast<T **>(values)));
    }
    /* The entity whose value contains the address; null if none does. O(1). */
    template <class T> [[nodiscard]] entity handle_of(const T *value) const noexcept
    {
        return entity(hm_world_handle_of(c(), value, own_.core->find<T>()));
    }
    /* Writes the entity's components, as component<T>() returns them, and returns how many it has:
     * as hm_world_components_of. */
    std::uint32_t components_of(entity which, hm_component *components,
                                std::uint32_t n) const noexcept
    {
        return hm_world_components_of(c(), which.id(), components, n);
    }

    /* Calls f(values...) or f(entity, values...) for each entity that has these components, and
     * what the filters say: see query.hpp. Makes a query for this one loop: keep an hm::query for
     * a loop that runs often. Fails as the init of a query does. */
    template <class... Types, class F, class... Filters> status each(F &&f, Filters... filters);
    /* Does not compile, and says what does: a query has a range, and a world none. */
    template <class... Types> auto each() noexcept;

    [[nodiscard]] std::uint32_t archetype_count() const noexcept
    {
        return hm_world_archetype_count(c());
    }
    /* Brings the rows of each archetype nearer to the order of these values, within the budget. See
     * order.hpp. */
    template <class T, class Less>
    progress defragment(Less less, budget_argument within = {}) noexcept
    {
        detail::by_less<T, Less> by(less);
        return hm_world_defragment(c(), own_.core->find<T>(), &by.order, within);
    }
    /* Smaller keys come first. */
    template <class T, class Key>
    progress defragment_by(Key key, budget_argument within = {}) noexcept
    {
        detail::by_key<T, Key> by(key);
        return hm_world_defragment(c(), own_.core->find<T>(), &by.order, within);
    }
    /* Tells the clock and the order that a value was written through a pointer. */
    template <class T> void touch(entity which) noexcept
    {
        hm_world_touch(c(), which.id(), own_.core->find<T>());
    }
    template <class T> void touch_all() noexcept
    {
        hm_world_touch_all(c(), own_.core->find<T>());
    }
    /* Of all components, so that what was saved and what is loaded go on alike. */
    void forget_order() noexcept
    {
        hm_world_forget_order(c());
    }
    [[nodiscard]] std::uint64_t clock() const noexcept
    {
        return hm_world_clock(c());
    }
    /* When the values of this component last changed in the entity's archetype:
     * hm_world_changed. */
    template <class T> [[nodiscard]] std::uint64_t changed(entity which) const noexcept
    {
        return hm_world_changed(c(), which.id(), own_.core->find<T>());
    }

  private:
    template <class... Types> status require(hm_component *set) noexcept
    {
        return own_.core->require_all<Types...>(set);
    }
    template <class... Types, class Source>
    status merge_into(Source &source, hm_secondary *remap, const hm_world_save_desc &with) noexcept
    {
        return read_with<Types...>(with, [&](const hm_world_save_desc *desc) {
            return hm_world_merge(c(), desc, detail::source_of(source), remap);
        });
    }
    /* Calls with a descriptor that has the code for these components, if there are such. */
    template <class... Types, class Call>
    auto write_with(const hm_world_save_desc &with, Call write) const noexcept
    {
        hm_component_format formats[sizeof...(Types) + 1];
        const hm_component set[] = {own_.core->find<Types>()..., HM_INVALID_INDEX};
        const hm_world_save_desc desc = with_formats<Types...>(with, set, formats);
        return write(&desc);
    }
    /* Makes these components, and calls with a descriptor that has the code for them. */
    template <class... Types, class Call>
    status read_with(const hm_world_save_desc &with, Call read) noexcept
    {
        hm_component_format formats[sizeof...(Types) + 1];
        hm_component set[sizeof...(Types) + 1];
        const status returned = require<Types...>(set);
        if (returned != HM_OK)
            return returned;
        const hm_world_save_desc desc = with_formats<Types...>(with, set, formats);
        return read(&desc);
    }
    template <class T>
    static void add_format(hm_world_save_desc &with, hm_component component,
                           hm_component_format *formats) noexcept
    {
        const hm_save_desc format = detail::save_desc_of<T>(hm_save_desc{});
        if (component != HM_INVALID_INDEX && format.encode != nullptr)
            formats[with.format_count++] = {component, format};
    }
    template <class... Types>
    static hm_world_save_desc with_formats(hm_world_save_desc with, const hm_component *set,
                                           hm_component_format *formats) noexcept
    {
        with.formats = formats;
        with.format_count = 0;
        (add_format<Types>(with, *set++, formats), ...);
        (void)set;
        return with;
    }
    hm_handle create_of(const hm_component *set, std::uint32_t n,
                        const void *const *values) noexcept
    {
        return hm_world_create_with(c(), set, n, values);
    }
    status give(entity which, hm_component added, const void *value) noexcept
    {
        return hm_world_add(c(), which.id(), added, value);
    }
    /* Where a value is that the world has just taken; only for one whose move is its own. */
    template <class T> void *place_of(entity which) noexcept
    {
        if constexpr (detail::moves_itself<T> && !detail::is_tag<T>)
            return get<T>(which);
        else
            return nullptr;
    }
    template <class... Removed, class... Types>
    status change_made(entity which, detail::held<Types> &&...made)
    {
        static_assert(detail::all_differ<Types..., std::remove_const_t<Removed>...>,
                      "a component is given twice");
        hm_component set[sizeof...(Types) + 1];
        status returned = require<Types...>(set);
        if (returned != HM_OK)
            return returned;
        const detail::known_set<Removed...> gone(*own_.core);
        returned = hm_world_change(c(), which.id(), detail::set_of(set), sizeof...(Types), gone.set,
                                   gone.count);
        if (returned == HM_OK)
            (place(which, made), ...);
        return returned;
    }
    /* Puts a value where hm_world_change has left zeros. */
    template <class T> void place(entity which, detail::held<T> &made) noexcept
    {
        if constexpr (!detail::is_tag<T>) {
            void *const at = get<T>(which);
            std::memcpy(at, made.bytes(), sizeof(T));
            made.was_taken(at);
        }
    }
};

namespace detail
{

struct world_access {
    static world_core &core_of(world &in) noexcept
    {
        return *in.own_.core;
    }
};

} // namespace detail
} // namespace hm

#endif
