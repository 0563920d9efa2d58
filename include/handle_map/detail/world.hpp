/* SPDX-License-Identifier: MIT */
/* detail/world, in C++: what hm::world, hm::query and hm::commands share; no program needs it. */
#ifndef HANDLE_MAP_DETAIL_WORLD_HPP
#define HANDLE_MAP_DETAIL_WORLD_HPP

#include <handle_map/container.hpp>

#include <atomic>
#include <tuple>
#include <utility>

namespace hm::detail
{

template <class T> constexpr bool is_tag = std::is_empty<T>::value;

/* Whether each type is given once. */
template <class... Types> constexpr bool all_differ = true;
template <class First, class... Rest>
constexpr bool all_differ<First, Rest...> =
    !(std::is_same<First, Rest>::value || ...) && all_differ<Rest...>;

/* The type that was given explicitly, or that of the value. */
template <class T, class Value>
using type_or = std::conditional_t<std::is_void<T>::value, std::decay_t<Value>, T>;

/* A value of a component until a world takes it as bytes. */
template <class T> class held : public maker<T>
{
  public:
    using maker<T>::maker;
    /* For the C functions: a tag has no value. */
    const void *value() const noexcept
    {
        return is_tag<T> ? nullptr : this->bytes();
    }
    void was_taken(void *place = nullptr) noexcept
    {
        if constexpr (!is_tag<T>)
            maker<T>::was_taken(place);
    }
};

/* An array with room for one component more than a call names, for the C functions; nullptr if it
 * names none, since gcc warns of an array without values. */
template <std::size_t Size>
constexpr const hm_component *set_of(const hm_component (&components)[Size]) noexcept
{
    return Size > 1 ? components : nullptr;
}

/* The types that any world of the program has met have numbers from 1. One that none has met has 0,
 * which is no component in any world.
 *
 * How many there are. It is visible even where a program hides its symbols, so that the dynamic
 * linker makes one of those of all shared libraries, where it can; the name has a version, which
 * rises when the meaning changes. */
#if defined(__GNUC__) && !defined(_WIN32)
__attribute__((visibility("default")))
#endif
inline std::atomic<std::uint32_t>
    type_numbers_1{0};

inline std::uint32_t next_type_number() noexcept
{
    return type_numbers_1.fetch_add(1, std::memory_order_relaxed) + 1;
}

template <class T> struct type_number {
    static inline std::atomic<std::uint32_t> value{0};

    static std::uint32_t give() noexcept
    {
        static const std::uint32_t number = next_type_number();
        value.store(number, std::memory_order_relaxed);
        return number;
    }
};

/* The copy hook of a component, whose copy constructor does not throw. */
template <class T> void copy_value(void *value, const void *from, void *) noexcept
{
    (void)::new (value) T(*static_cast<const T *>(from));
}

struct world_core;

/* What a world knows of a query or of commands, which keep its address. */
struct follower {
    world_core *core = nullptr; /* nullptr: it follows none */
    follower **head = nullptr;  /* of the list that it is in */
    follower *before = nullptr, *after = nullptr;
    void (*end)(follower *) noexcept = nullptr;
};

/* The part of a world that stays where it is when the world is moved. In a history it lies in
 * memory that outlasts rewinds, since its owner, queries and commands do. */
struct world_core {
    /* Types that a program may use as components, in all its worlds together: see world.hpp. */
    static constexpr std::uint32_t max_types = 16383;

    /* Up to `home` a history rewinds it. */
    hm_world c{};
    const hm_component *by_type = nullptr; /* type number -> component, or HM_INVALID_INDEX */
    std::uint32_t type_count = 0;
    hm_array types{}; /* by_type */
    hm_array home{};  /* has one item: this struct */
    const hm_memory *memory = nullptr;
    const void *counter = &type_numbers_1; /* of the copy of this header that made the world */
    follower *queries = nullptr, *commands = nullptr;
    std::atomic_flag lock = ATOMIC_FLAG_INIT; /* of the lists: threads may make queries at once */

    /* Returns nullptr if it fails. */
    static world_core *make(const hm_world_desc &with, status *returned) noexcept
    {
        hm_array home{};
        hm_array_desc desc{};
        desc.item_size = sizeof(world_core);
        desc.item_align = alignof(world_core);
        desc.capacity = 1;
        desc.memory = with.memory != nullptr ? hm_memory_lasting(with.memory) : nullptr;
        *returned = hm_array_init(&home, &desc);
        void *place = *returned == HM_OK ? hm_array_push(&home) : nullptr;
        if (place == nullptr) {
            if (*returned == HM_OK)
                *returned = HM_ERROR_MEMORY;
            hm_array_fini(&home);
            return nullptr;
        }
        world_core *made = ::new (place) world_core;
        made->home = home;
        *returned = made->init(with);
        if (*returned == HM_OK)
            return made;
        made->drop();
        return nullptr;
    }
    bool is_live() const noexcept
    {
        return hm_array_data(&types) != nullptr;
    }
    /* A call of an empty world fails with this, and its reason. */
    status refuse() noexcept
    {
        const hm_component_desc tag{};
        (void)hm_world_component(&c, &tag);
        return HM_ERROR_FULL;
    }
    void end() noexcept
    {
        end_all(&commands); /* What waits is destroyed by hooks of the world. */
        hm_world_fini(&c);
        end_all(&queries);
        drop();
    }

    template <class T> hm_component find() const noexcept
    {
        std::uint32_t number =
            type_number<std::remove_const_t<T>>::value.load(std::memory_order_relaxed);
        return number < type_count ? by_type[number] : HM_INVALID_INDEX;
    }
    template <class... Types, std::size_t... Is>
    std::tuple<Types *...> values_of(hm_handle which, std::index_sequence<Is...>) const noexcept
    {
        const hm_component set[] = {find<Types>()...};
        void *values[sizeof...(Types)];
        (void)hm_world_values_of(&c, which, set, sizeof...(Types), values);
        return std::tuple<Types *...>(static_cast<Types *>(values[Is])...);
    }
    template <class T>
    hm_component component(const char *name = nullptr,
                           hm_component_storage storage = HM_COMPONENT_ARCHETYPE) noexcept
    {
        hm_component found;
        (void)require<T>(&found, name, storage);
        return found;
    }
    /* The same with a status. */
    template <class T>
    status require(hm_component *found, const char *name = nullptr,
                   hm_component_storage storage = HM_COMPONENT_ARCHETYPE) noexcept
    {
        static_assert(std::is_same<T, std::decay_t<T>>::value,
                      "a component's type is not const and no reference");
        require_item<std::decay_t<T>>();
        static_assert(is_relocatable<std::decay_t<T>>::value,
                      "a world moves values as bytes. What may not be moved so, as a std::string, "
                      "is kept in an hm::pool, and the component has its handle; or the component "
                      "has a std::unique_ptr to it. If this type may, specialise "
                      "hm::is_relocatable");
        static_assert(!is_tag<T> || std::is_trivially_destructible<T>::value,
                      "an empty type is a tag, which has no value that a destructor could run for: "
                      "give the type a member");
        *found = find<T>();
        return *found != HM_INVALID_INDEX ? HM_OK
                                          : make_component<std::decay_t<T>>(found, name, storage);
    }

    /* The same for several types. `set` is long enough for them. */
    template <class... Types> status require_all(hm_component *set) noexcept
    {
        status returned = HM_OK;
        (void)((returned = require<Types>(set++), returned == HM_OK) && ...);
        return returned;
    }

    void add(follower *added, follower **head) noexcept
    {
        const locked hold(lock);
        added->core = this;
        added->head = head;
        added->before = nullptr;
        added->after = *head;
        if (*head != nullptr)
            (*head)->before = added;
        *head = added;
    }
    void remove(follower *removed) noexcept
    {
        const locked hold(lock);
        (removed->before != nullptr ? removed->before->after : *removed->head) = removed->after;
        if (removed->after != nullptr)
            removed->after->before = removed->before;
        removed->core = nullptr;
    }

  private:
    class locked
    {
        std::atomic_flag &flag_;

      public:
        explicit locked(std::atomic_flag &flag) noexcept : flag_(flag)
        {
            while (flag_.test_and_set(std::memory_order_acquire)) {
            }
        }
        locked(const locked &) = delete;
        locked &operator=(const locked &) = delete;
        ~locked()
        {
            flag_.clear(std::memory_order_release);
        }
    };

    hm_registry *registry() const noexcept
    {
        return memory != nullptr ? memory->registry : nullptr;
    }
    status init(const hm_world_desc &with) noexcept
    {
        memory = with.memory;
        if (registry() != nullptr) {
            const status kept = registry()->keep(registry(), this, offsetof(world_core, home));
            if (kept != HM_OK)
                return kept;
        }
        hm_array_desc numbers{};
        numbers.item_size = sizeof(hm_component);
        numbers.capacity = max_types + 1; /* 0 is none */
        numbers.memory = with.memory;
        status returned = hm_array_init(&types, &numbers);
        if (returned != HM_OK)
            return returned;
        by_type = static_cast<const hm_component *>(hm_array_data(&types));
        return hm_world_init(&c, &with);
    }
    /* Without the world, which has ended or was not made. */
    void drop() noexcept
    {
        hm_array_fini(&types);
        if (registry() != nullptr)
            registry()->forget(registry(), this);
        hm_array place = home;
        this->~world_core();
        hm_array_fini(&place);
    }
    void end_all(follower **head) noexcept
    {
        while (*head != nullptr) {
            follower *ended = *head;
            remove(ended);
            ended->end(ended);
        }
    }

    /* Whether the name of T may be that of a type of another source, too. */
    template <class T> static bool has_local_name() noexcept
    {
        const char *name = name_of<T>();
        return name != nullptr && (std::strstr(name, "anonymous") != nullptr ||
                                   std::strstr(name, "<unnamed") != nullptr ||
                                   std::strstr(name, "<lambda") != nullptr);
    }
    /* Gives T its number, and makes room for that. */
    template <class T> status number_type(std::uint32_t *number) noexcept
    {
        if (counter != &type_numbers_1)
            return hm_world_refuse_type(&c, name_of<T>(), HM_ERROR_INVALID,
                                        "another copy of the library made the world (world.hpp)");
        *number = type_number<T>::give();
        if (*number > max_types)
            return hm_world_refuse_type(&c, name_of<T>(), HM_ERROR_FULL,
                                        "this program has 16383 types of components already");
        return is_live() ? make_room(*number) : HM_OK;
    }
    status make_room(std::uint32_t number) noexcept
    {
        if (number < type_count)
            return HM_OK;
        status returned = hm_array_resize(&types, std::size_t{number} + 1);
        if (returned != HM_OK)
            return returned;
        auto *all = static_cast<hm_component *>(hm_array_data(&types));
        for (; type_count <= number; type_count++)
            all[type_count] = HM_INVALID_INDEX;
        return HM_OK;
    }
    /* What T() is, for values that are given by nobody; nullptr: all zeros, or T cannot be copied
     * as bytes or made without what may throw. */
    template <class T> static const void *initial_of() noexcept
    {
        if constexpr (!is_tag<T> && std::is_trivially_copyable<T>::value &&
                      std::is_nothrow_default_constructible<T>::value &&
                      !std::is_trivially_default_constructible<T>::value) {
            static const T initial{};
            unsigned char bytes[sizeof(T)];
            std::memcpy(bytes, &initial, sizeof(T));
            for (unsigned char byte : bytes)
                if (byte != 0)
                    return &initial;
        }
        return nullptr;
    }
    template <class T>
    status make_component(hm_component *made, const char *name,
                          hm_component_storage storage) noexcept
    {
        hm_component_desc desc{};
        desc.size = is_tag<T> ? 0 : sizeof(T);
        desc.align = is_tag<T> ? 0 : alignof(T);
        desc.name = name != nullptr ? name : name_of<T>();
        desc.storage = storage;
        desc.initial = initial_of<T>();
        if constexpr (!is_tag<T>)
            desc.destroy = destroy_hook<T>();
        /* hm_world_copy refuses values that have a destroy hook and no copy hook: so does a type
         * without a copy constructor that cannot throw get one, even if it does nothing. */
        if constexpr (!is_tag<T> && !std::is_trivially_copyable<T>::value) {
            if constexpr (std::is_nothrow_copy_constructible<T>::value)
                desc.copy = &copy_value<T>;
            else
                desc.destroy = &destroy<T>;
        }
        std::uint32_t number = 0;
        status returned = number_type<T>(&number);
        if (returned != HM_OK)
            return returned;
        const std::uint32_t before = c.component_count;
        returned = hm_world_make_component(&c, &desc, made);
        if (returned == HM_OK && c.component_count == before && name == nullptr &&
            has_local_name<T>()) {
            *made = HM_INVALID_INDEX;
            returned = hm_world_refuse_type(&c, desc.name, HM_ERROR_INVALID,
                                            "another type has this name: choose one");
        }
        if (returned != HM_OK)
            return returned;
        static_cast<hm_component *>(hm_array_data(&types))[number] = *made;
        return HM_OK;
    }
};

/* Owns the core of a world, whose address queries and commands keep. */
struct world_owner {
    world_core none; /* of an empty world: zeroed, so that all functions take it */
    world_core *core = &none;

    world_owner() noexcept = default;
    world_owner(world_owner &&other) noexcept : core(other.release(&none))
    {
    }
    world_owner &operator=(world_owner &&other) noexcept
    {
        world_core *taken = other.release(&none);
        end(); /* If it is the other one, that is empty now. */
        core = taken;
        return *this;
    }
    ~world_owner()
    {
        end();
    }
    status init(const hm_world_desc &desc) noexcept
    {
        end();
        status returned;
        world_core *made = world_core::make(desc, &returned);
        if (made != nullptr)
            core = made;
        return returned;
    }
    hm_world *get() noexcept
    {
        return &core->c;
    }
    const hm_world *get() const noexcept
    {
        return &core->c;
    }

  private:
    void end() noexcept
    {
        if (core != &none)
            core->end();
        core = &none;
    }
    /* Gives the core away, if there is one, or else `instead`. */
    world_core *release(world_core *instead) noexcept
    {
        world_core *released = std::exchange(core, &none);
        return released != &none ? released : instead;
    }
};

/* The base of hm::query and hm::commands, which owns the C struct. */
template <class C, void (*Fini)(C *), void (*Moved)(C *) = nullptr> class following
{
    struct node : follower {
        C c{};
    } node_;

  public:
    following() noexcept
    {
        node_.end = &end_node;
    }
    following(following &&other) noexcept : following()
    {
        take(other);
    }
    following &operator=(following &&other) noexcept
    {
        if (this != &other) {
            end();
            take(other);
        }
        return *this;
    }
    ~following()
    {
        end();
    }
    /* Whether init has succeeded, and the world has not ended. */
    explicit operator bool() const noexcept
    {
        return node_.core != nullptr;
    }
    /* For the functions of the C library. */
    [[nodiscard]] C *c() noexcept
    {
        return &node_.c;
    }
    [[nodiscard]] const C *c() const noexcept
    {
        return &node_.c;
    }

  protected:
    world_core *core() const noexcept
    {
        return node_.core;
    }
    void follow(world_core &core, follower *&head) noexcept
    {
        core.add(&node_, &head);
    }
    void end() noexcept
    {
        Fini(&node_.c);
        if (node_.core != nullptr)
            node_.core->remove(&node_);
    }

  private:
    static void end_node(follower *ended) noexcept
    {
        Fini(&static_cast<node *>(ended)->c);
    }
    void take(following &other) noexcept
    {
        node_.c = std::exchange(other.node_.c, C{});
        if constexpr (Moved != nullptr)
            Moved(&node_.c);
        world_core *core = other.node_.core;
        if (core != nullptr) {
            core->remove(&other.node_);
            core->add(&node_, other.node_.head);
        }
    }
};

/* Those of these components that the world has. */
template <class... Types> struct known_set {
    hm_component set[sizeof...(Types) + 1];
    std::uint32_t count = 0;

    explicit known_set(const world_core &core) noexcept
    {
        (add(core.find<Types>()), ...);
    }
    void add(hm_component found) noexcept
    {
        if (found != HM_INVALID_INDEX)
            set[count++] = found;
    }
};

} // namespace hm::detail

#endif
