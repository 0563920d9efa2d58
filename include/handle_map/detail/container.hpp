/* SPDX-License-Identifier: MIT */
/* detail/container, in C++: what the classes share. No program needs it. */
#ifndef HANDLE_MAP_DETAIL_CONTAINER_HPP
#define HANDLE_MAP_DETAIL_CONTAINER_HPP

#include <handle_map/detail/memory.h>
#include <handle_map/handle.hpp>

namespace hm
{
namespace detail
{

/* functions<hm_map>::trim is hm_map_trim, and so on. One that the library does not have is an error
 * only where it is called, since its name is looked up there. */
template <class C> struct functions;

/* clang-format off */
#define HM_CPP_FUNCTION(kind, verb)                                                                \
    template <class... Args> static auto verb(Args... args) noexcept                               \
    {                                                                                              \
        return hm_##kind##_##verb(args...);                                                        \
    }
#define HM_CPP_FUNCTIONS(kind, f)                                                                  \
    template <> struct functions<hm_##kind> {                                                      \
        f(kind, init) f(kind, fini) f(kind, count) f(kind, capacity) f(kind, contains)             \
        f(kind, contains_n) f(kind, describe) f(kind, explain) f(kind, get_stats)                  \
        f(kind, validate) f(kind, clear) f(kind, trim) f(kind, reserve) f(kind, handle_at)         \
        f(kind, upcoming) f(kind, as_owners) f(kind, get_sized) f(kind, get_n) f(kind, handle_of)  \
        f(kind, insert_sized) f(kind, emplace_sized) f(kind, index_of) f(kind, insert_n)           \
        f(kind, erase_sized) f(kind, destroy) f(kind, destroy_n) f(kind, erase_n)                  \
        f(kind, erase_at) f(kind, erase_if) f(kind, remove_n) f(kind, arrange) f(kind, touch)      \
        f(kind, touch_all) f(kind, defragment) f(kind, lower_bound) f(kind, upper_bound)           \
        f(kind, save) f(kind, load) f(kind, dump) f(kind, adopt) f(kind, merge) f(kind, watch)     \
        f(kind, changes) f(kind, apply) f(kind, save_changes) f(kind, load_changes)                \
        f(kind, visit) f(kind, save_values) f(kind, hash) f(kind, moved) f(kind, forget_order)     \
        f(kind, available) f(kind, reserve_promises) f(kind, promise) f(kind, insert_as)           \
        f(kind, give_up)                                                                           \
    };
HM_CPP_FUNCTIONS(map, HM_CPP_FUNCTION)
HM_CPP_FUNCTIONS(pool, HM_CPP_FUNCTION)
HM_CPP_FUNCTIONS(table, HM_CPP_FUNCTION)
HM_CPP_FUNCTIONS(secondary, HM_CPP_FUNCTION)
HM_CPP_FUNCTIONS(lists, HM_CPP_FUNCTION)
HM_CPP_FUNCTIONS(index, HM_CPP_FUNCTION)
HM_CPP_FUNCTIONS(world, HM_CPP_FUNCTION)
#undef HM_CPP_FUNCTIONS
#undef HM_CPP_FUNCTION
/* clang-format on */

/* Owns a C container: ends it, and is moved but not copied. */
template <class C> struct owned {
    C c{};

    owned() noexcept = default;
    owned(owned &&other) noexcept : c(std::exchange(other.c, C{}))
    {
        follow();
    }
    /* `other` may be in an item of this container, as a node's children are in a tree: so it is
     * taken before the items end. */
    owned &operator=(owned &&other) noexcept
    {
        C taken = std::exchange(other.c, C{});
        functions<C>::fini(&c); /* If it is the other one, that is empty now. */
        c = taken;
        follow();
        return *this;
    }
    ~owned()
    {
        functions<C>::fini(&c);
    }
    template <class Desc> status init(const Desc &desc) noexcept
    {
        functions<C>::fini(&c);
        return functions<C>::init(&c, &desc);
    }
    C *get() noexcept
    {
        return &c;
    }
    const C *get() const noexcept
    {
        return &c;
    }

  private:
    /* A history that the container is in learns where it is now. */
    void follow() noexcept
    {
        if (c.guard.flags >> HM_KNOWN_SHIFT != 0)
            functions<C>::moved(&c);
    }
};

/* How gcc and clang write this function's name ends with that of T. */
template <class T> constexpr const char *signature() noexcept
{
#if defined(__GNUC__)
    return __PRETTY_FUNCTION__; /* "... [with T = position]", "... [T = position]" */
#else
    return "[T = ]"; /* messages show the component's number */
#endif
}

constexpr const char *name_in(const char *signature) noexcept
{
    while (signature[0] != 'T' || signature[1] != ' ' || signature[2] != '=')
        signature++;
    return signature + 4;
}

constexpr std::size_t length_of(const char *name_and_bracket) noexcept
{
    std::size_t length = 0;
    while (name_and_bracket[length + 1] != '\0')
        length++;
    return length;
}

template <std::size_t Length> struct text {
    char characters[Length + 1];
};

template <std::size_t Length> constexpr text<Length> first_of(const char *from) noexcept
{
    text<Length> made{};
    for (std::size_t i = 0; i < Length; i++)
        made.characters[i] = from[i];
    return made;
}

template <class T>
inline constexpr auto
    type_name = first_of<length_of(name_in(signature<T>()))>(name_in(signature<T>()));

/* The name of T for messages; nullptr where the compiler tells none. */
template <class T> constexpr const char *name_of() noexcept
{
    return type_name<T>.characters[0] != '\0' ? type_name<T>.characters : nullptr;
}

template <class T> hm_handle *ids(handle<T> *handles) noexcept
{
    return reinterpret_cast<hm_handle *>(handles);
}

template <class T> const hm_handle *ids(const handle<T> *handles) noexcept
{
    return reinterpret_cast<const hm_handle *>(handles);
}

/* The size of a span for the C library, whose containers have fewer items than that. */
inline std::uint32_t count_of(std::size_t size) noexcept
{
    return size < UINT32_MAX ? static_cast<std::uint32_t>(size) : UINT32_MAX;
}

/* Whether T{args...} compiles; it does not if a number would be narrowed. */
template <class Void, class T, class... Args> constexpr bool takes_braces_or = false;
template <class T, class... Args>
constexpr bool takes_braces_or<std::void_t<decltype(T{std::declval<Args>()...})>, T, Args...> =
    true;
template <class T, class... Args> constexpr bool takes_braces = takes_braces_or<void, T, Args...>;

template <class T, class... Args> constexpr void require_made_from() noexcept
{
    static_assert(std::is_constructible<T, Args...>::value || takes_braces<T, Args...>,
                  "a value cannot be made by T(args...), nor by T{args...}: there is no such "
                  "constructor, or an argument is one too many, of another type, or narrowed");
}

/* Leaving out the last members of an aggregate is fine. */
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#endif

/* Whether `construct` below throws nothing. */
template <class T, class... Args> constexpr bool constructs_without_throwing() noexcept
{
    if constexpr (std::is_constructible<T, Args...>::value || !takes_braces<T, Args...>)
        return std::is_nothrow_constructible<T, Args...>::value;
    else
        return noexcept(T{std::declval<Args>()...});
}

/* T(args...), or T{args...} for an aggregate. */
template <class T, class... Args> T *construct(void *place, Args &&...args)
{
    require_made_from<T, Args...>();
    if constexpr (std::is_constructible<T, Args...>::value)
        return ::new (place) T(std::forward<Args>(args)...);
    else if constexpr (takes_braces<T, Args...>)
        return ::new (place) T{std::forward<Args>(args)...};
    else
        return nullptr;
}

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

/* Whether the move of an item does more than copy its bytes. */
template <class T>
constexpr bool moves_itself =
    std::is_nothrow_move_constructible<T>::value && !std::is_trivially_move_constructible<T>::value;

/* An item in bytes of its own, until a container takes it as bytes. */
template <class T> class maker
{
    alignas(T) unsigned char bytes_[sizeof(T)];
    bool is_taken_ = false;

  public:
    template <class... Args> explicit maker(Args &&...args)
    {
        if constexpr (std::is_empty<T>::value) /* A constructor writes none of its bytes. */
            std::memset(bytes_, 0, sizeof bytes_);
        construct<T>(static_cast<void *>(bytes_), std::forward<Args>(args)...);
    }
    maker(const maker &) = delete;
    maker &operator=(const maker &) = delete;
    ~maker()
    {
        if (!is_taken_)
            item()->~T();
    }
    const void *bytes() const noexcept
    {
        return bytes_;
    }
    /* The container has the bytes now, at `place` if that is known, and will destroy the item. One
     * that can be moved is moved there too, since it may have told a history where it is. */
    void was_taken(void *place = nullptr) noexcept
    {
        if constexpr (moves_itself<T>) {
            if (place != nullptr) {
                ::new (place) T(std::move(*item()));
                return;
            }
        }
        is_taken_ = true;
    }

  private:
    T *item() noexcept
    {
        return std::launder(reinterpret_cast<T *>(bytes_));
    }
};

template <class T> void destroy(void *item, void *) noexcept
{
    static_cast<T *>(item)->~T();
}

/* The destroy hook of a container: none where a destructor does nothing, so that erase keeps its
 * fast path and clear is O(1). */
template <class T> constexpr auto destroy_hook() noexcept -> void (*)(void *, void *)
{
    if constexpr (std::is_trivially_destructible<T>::value)
        return nullptr;
    else
        return &destroy<T>;
}

/* How a C predicate, whose context is a lambda, calls that. An exception in it ends the program. */
template <class Predicate, class... Values>
bool ask(void *context, const Values &...values) noexcept
{
    return std::invoke(*static_cast<Predicate *>(context), values...);
}

/* The C predicate for items of type T. */
template <class T, class Predicate> bool ask_item(const void *item, void *context) noexcept
{
    return ask<Predicate>(context, *static_cast<const T *>(item));
}

/* What a container demands of its items. It is asked when the container is made: T may be
 * incomplete where a class has a container of it as a member. */
template <class T> constexpr void require_item() noexcept
{
    static_assert(alignof(T) <= 4096, "items are aligned to at most 4096 bytes");
}

template <class T> constexpr void require_relocatable() noexcept
{
    static_assert(is_relocatable<T>::value,
                  "this container moves its items as bytes: specialise hm::is_relocatable if the "
                  "type allows that, or use hm::pool, whose items never move");
    require_item<T>();
}

/* Whether items are copied as bytes, and dropped. The copy of a std::pair is trivial, its
 * assignment is not. */
template <class T>
constexpr bool is_plain = std::is_trivially_copyable<T>::value ||
                          (is_relocatable<T>::value &&
                           std::is_trivially_copy_constructible<T>::value &&
                           std::is_trivially_destructible<T>::value);

/* Of a container without destroy hooks. */
template <class T> constexpr void require_plain() noexcept
{
    static_assert(is_plain<T>, "this container copies its items as bytes and runs no destructor: "
                               "they must be trivial to copy and to destroy");
    require_item<T>();
}

/* Of batches. */
template <class T> constexpr void require_copyable() noexcept
{
    static_assert(is_plain<T>,
                  "a batch copies its items as bytes: insert items of this type one by one");
}

/* Whether a container issues handles; a secondary, for example, has those of another. */
template <class Owners, class = void> struct issues_handles : std::false_type {
};
template <class Owners>
struct issues_handles<Owners, std::void_t<decltype(std::declval<const Owners &>().as_owners())>>
    : std::true_type {
};

/* As ask, of owners, by a predicate of (hm::handle<Owner>) or of that and what the owner has. */
template <class Predicate, class Owner, class Value>
bool ask_owner(void *context, handle<Owner> owner, const Value &value) noexcept
{
    if constexpr (std::is_invocable_v<Predicate &, handle<Owner>>)
        return ask<Predicate>(context, owner);
    else
        return ask<Predicate>(context, owner, value);
}

/* What an iterator has besides *, prefix ++ and ==. */
template <class Self, class Category, class Value, class Reference> struct stepping {
    using iterator_category = Category;
    using value_type = Value;
    using difference_type = std::ptrdiff_t;
    using reference = Reference;

    Self operator++(int) noexcept
    {
        Self &self = static_cast<Self &>(*this);
        Self before = self;
        ++self;
        return before;
    }
    friend bool operator!=(const Self &a, const Self &b) noexcept
    {
        return !(a == b);
    }
};

/* The same for one whose values are made on the way. */
template <class Self, class Value>
struct making : stepping<Self, std::input_iterator_tag, Value, Value> {
    struct pointer {
        Value value;

        Value *operator->() noexcept
        {
            return std::addressof(value);
        }
    };

    pointer operator->() const noexcept
    {
        return {*static_cast<const Self &>(*this)};
    }
};

/* What container.hpp asks of every container; a shape adds `complete`, which fills in the rest of a
 * descriptor. Named: the type whose name messages have, or void. */
template <class C, class Desc, class Options, class Handle, class Named, std::uint16_t TypeId = 0>
struct shape_of {
    using c_type = C;
    using desc = Desc;
    using options = Options;
    using handle = Handle;
    using owner = owned<C>;
    using saved_item = Named; /* void: there are no items that a program could encode */

    static constexpr std::uint16_t type_id() noexcept
    {
        static_assert(HM_IS_TYPE_ID(TypeId), "type ids have 15 bits");
        return TypeId;
    }
    static constexpr const char *name() noexcept
    {
        if constexpr (std::is_void<Named>::value)
            return nullptr;
        else
            return name_of<Named>();
    }
};

/* Positions from 0 on. */
template <class C> struct dense {
    static std::uint32_t first(const void *) noexcept
    {
        return 0;
    }
    static std::uint32_t next(const void *, std::uint32_t i) noexcept
    {
        return i + 1;
    }
    static std::uint32_t end(const C *c) noexcept
    {
        return functions<C>::count(c);
    }
};

/* What entries() returns: a view of handles and values. Of says where they are: it has the types
 * `c_type` (of C) and `handle`, and static functions first, next and end, which are positions, and
 * handle_at and at. It is a forward range of std::ranges; for older algorithms it has input
 * iterators, since they return pairs and no references. */
template <class Of, class Value> class pairs
{
    using container = typename Of::c_type;
    const container *c_ = nullptr;

  public:
    class iterator : public making<iterator, entry<typename Of::handle, Value>>
    {
        const container *c_ = nullptr;
        std::uint32_t at_ = 0;

      public:
        using iterator_concept = std::forward_iterator_tag;
        using making<iterator, entry<typename Of::handle, Value>>::operator++;

        iterator() noexcept = default;
        iterator(const container *c, std::uint32_t at) noexcept : c_(c), at_(at)
        {
        }
        entry<typename Of::handle, Value> operator*() const noexcept
        {
            return {typename Of::handle(Of::handle_at(c_, at_)), *Of::at(c_, at_)};
        }
        iterator &operator++() noexcept
        {
            at_ = Of::next(c_, at_);
            return *this;
        }
        friend bool operator==(const iterator &a, const iterator &b) noexcept
        {
            return a.at_ == b.at_;
        }
    };

    pairs() noexcept = default;
    explicit pairs(const container *c) noexcept : c_(c)
    {
    }
    [[nodiscard]] iterator begin() const noexcept
    {
        return {c_, Of::first(c_)};
    }
    [[nodiscard]] iterator end() const noexcept
    {
        return {c_, Of::end(c_)};
    }
    [[nodiscard]] std::uint32_t size() const noexcept
    {
        return functions<container>::count(c_);
    }
};

/* What entries() of lists and of an index returns: a loop over arrays. Of has the types `c_type`
 * (of C), `view`, which is zero at the beginning and at the end, and `value_type`, and static
 * functions next and value. It is a range as pairs is. */
template <class Of> class walked
{
    using container = typename Of::c_type;
    const container *c_ = nullptr;

  public:
    class iterator : public making<iterator, typename Of::value_type>
    {
        const container *c_ = nullptr;
        typename Of::view view_{};

      public:
        using iterator_concept = std::forward_iterator_tag;
        using making<iterator, typename Of::value_type>::operator++;

        iterator() noexcept = default;
        explicit iterator(const container *c) noexcept : c_(c)
        {
            (void)Of::next(c_, &view_);
        }
        typename Of::value_type operator*() const noexcept
        {
            return Of::value(view_);
        }
        iterator &operator++() noexcept
        {
            (void)Of::next(c_, &view_);
            return *this;
        }
        friend bool operator==(const iterator &a, const iterator &b) noexcept
        {
            return a.view_.next == b.view_.next;
        }
    };

    walked() noexcept = default;
    explicit walked(const container *c) noexcept : c_(c)
    {
    }
    [[nodiscard]] iterator begin() const noexcept
    {
        return iterator(c_);
    }
    [[nodiscard]] iterator end() const noexcept
    {
        return {};
    }
};

} // namespace detail

} // namespace hm

#if defined(__cpp_lib_ranges)
template <class Of, class Value>
inline constexpr bool std::ranges::enable_view<hm::detail::pairs<Of, Value>> = true;
template <class Of, class Value>
inline constexpr bool std::ranges::enable_borrowed_range<hm::detail::pairs<Of, Value>> = true;
template <class Of> inline constexpr bool std::ranges::enable_view<hm::detail::walked<Of>> = true;
template <class Of>
inline constexpr bool std::ranges::enable_borrowed_range<hm::detail::walked<Of>> = true;
#endif

#endif
