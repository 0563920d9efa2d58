/* SPDX-License-Identifier: MIT */
/* handle, in C++: typed handles, and what all containers of handle_map.hpp share.
 *
 * hm::handle<T> is an hm_handle that only a container of T takes: passing a handle of another type
 * does not compile. It is a value of 64 bits; T may be incomplete, so that an item can hold handles
 * of its own kind. Example:
 *
 *     struct node {
 *         hm::handle<node> parent;
 *         float x = 0;
 *     };
 *
 * No exception is thrown: a call that fails returns what the C function returns, and hm_last_error
 * says why. value_or_throw is for programs that prefer an exception. All headers compile with
 * -fno-exceptions -fno-rtti; then value_or_throw does not exist.
 *
 * Threads: values; as in C elsewhere. */
#ifndef HANDLE_MAP_HANDLE_HPP
#define HANDLE_MAP_HANDLE_HPP

#if !(__cplusplus >= 201703L || (defined(_MSVC_LANG) && _MSVC_LANG >= 201703L))
#error "handle_map.hpp needs C++17: compile with -std=c++17 or later"
#endif

#include <handle_map/handle_map.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#if defined(__has_include)
#if __has_include(<version>)
#include <version>
#endif
#endif
#if defined(__cpp_lib_span)
#include <span>
#endif
#if defined(__cpp_exceptions)
#include <stdexcept>
#endif

namespace hm
{

using status = hm_status;
using handle_state = hm_handle_state;
using stats = hm_stats;
using budget = hm_budget;
using progress = hm_progress;

/* The bits of an hm_handle, with a type. */
template <class T> class handle
{
    hm_handle id_;

  public:
    constexpr handle() noexcept : id_{0}
    {
    }
    constexpr explicit handle(hm_handle id) noexcept : id_(id)
    {
    }
    /* Any 64 bits are a handle; containers refuse those that they did not issue. */
    static constexpr handle from_bits(std::uint64_t bits) noexcept
    {
        return handle(hm_handle{bits});
    }
    /* For the functions of the C library. */
    constexpr hm_handle id() const noexcept
    {
        return id_;
    }
    constexpr std::uint64_t bits() const noexcept
    {
        return id_.bits;
    }
    std::uint32_t index() const noexcept
    {
        return hm_handle_index(id_);
    }
    std::uint32_t generation() const noexcept
    {
        return hm_handle_generation(id_);
    }
    std::uint32_t type_id() const noexcept
    {
        return hm_handle_type_id(id_);
    }
    /* False for the null handle only: whether the item lives, its container says. */
    constexpr explicit operator bool() const noexcept
    {
        return id_.bits != 0;
    }
    friend constexpr bool operator==(handle a, handle b) noexcept
    {
        return a.id_.bits == b.id_.bits;
    }
    friend constexpr bool operator!=(handle a, handle b) noexcept
    {
        return a.id_.bits != b.id_.bits;
    }
    friend constexpr bool operator<(handle a, handle b) noexcept
    {
        return a.id_.bits < b.id_.bits;
    }
    friend constexpr bool operator>(handle a, handle b) noexcept
    {
        return a.id_.bits > b.id_.bits;
    }
    friend constexpr bool operator<=(handle a, handle b) noexcept
    {
        return a.id_.bits <= b.id_.bits;
    }
    friend constexpr bool operator>=(handle a, handle b) noexcept
    {
        return a.id_.bits >= b.id_.bits;
    }
};

/* Arrays of handles are passed to the C library as they are. */
static_assert(sizeof(handle<int>) == sizeof(hm_handle) &&
                  std::is_standard_layout<handle<int>>::value &&
                  std::is_trivially_copyable<handle<int>>::value,
              "one member, without padding");

/* Whether an item of this type may be moved as bytes: the new bytes are the item, and the old ones
 * need no destructor. True of trivially copyable types. Specialise it for others that hold no
 * pointer into themselves and that nothing else points to, as a struct with a std::unique_ptr. A
 * std::string may point into itself, and containers of a library's debug mode are pointed to by
 * their iterators. Example:
 *
 *     template <> struct hm::is_relocatable<mesh> : std::true_type {};
 */
template <class T> struct is_relocatable : std::is_trivially_copyable<T> {
};

/* Adjacent items. Under C++20 it is std::span. */
#if defined(__cpp_lib_span)
template <class T> using span = std::span<T>;
#else
template <class T> class span
{
    T *data_ = nullptr;
    std::size_t size_ = 0;

  public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;
    using iterator = T *;

    constexpr span() noexcept = default;
    constexpr span(T *data, std::size_t size) noexcept : data_(data), size_(size)
    {
    }
    /* From a span of items that are not const, or from a container of adjacent items. */
    template <class Items, class = std::enable_if_t<std::is_convertible<
                               decltype(std::declval<Items &>().data()), T *>::value>>
    constexpr span(Items &&items) noexcept : data_(items.data()), size_(items.size())
    {
    }
    constexpr T *data() const noexcept
    {
        return data_;
    }
    constexpr std::size_t size() const noexcept
    {
        return size_;
    }
    constexpr bool empty() const noexcept
    {
        return size_ == 0;
    }
    constexpr T *begin() const noexcept
    {
        return data_;
    }
    constexpr T *end() const noexcept
    {
        return data_ + size_;
    }
    constexpr T &operator[](std::size_t i) const noexcept
    {
        return data_[i];
    }
    constexpr T &front() const noexcept
    {
        return data_[0];
    }
    constexpr T &back() const noexcept
    {
        return data_[size_ - 1];
    }
    constexpr span first(std::size_t count) const noexcept
    {
        return {data_, count};
    }
    constexpr span subspan(std::size_t offset) const noexcept
    {
        return {data_ + offset, size_ - offset};
    }
};
#endif

/* What a loop over (handle, value) sees. Example:
 *
 *     for (auto [handle, value] : sprites.entries())
 *         draw(handle, value);
 */
template <class Handle, class T> struct entry {
    Handle handle;
    T &value;
};

/* Options of a container; those left out have the defaults of its C descriptor. Example:
 *
 *     hm::map<sprite> sprites({100000, 0, SPRITE_TYPE});    // .capacity = ... under C++20
 */
struct options {
    std::uint32_t capacity = 0;        /* items, at most */
    std::uint32_t max_slots = 0;       /* index space in slots */
    std::uint16_t type_id = 0;         /* at most 0x7FFF */
    const hm_memory *memory = nullptr; /* must outlive the container */
    const char *name = nullptr;        /* in messages; must outlive the container */
};

#if defined(__cpp_exceptions)

/* Thrown by value_or_throw. */
struct error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/* Returns the item, or throws if a lookup found none. Example:
 *
 *     sprite &found = hm::value_or_throw(sprites.get(handle));
 */
template <class T> T &value_or_throw(T *item)
{
    if (item == nullptr)
        throw error("the handle does not resolve");
    return *item;
}

/* Returns the handle, or throws what hm_last_error says if an insert has failed. */
template <class T> handle<T> value_or_throw(handle<T> inserted)
{
    if (!inserted)
        throw error(hm_last_error());
    return inserted;
}

/* Throws what hm_last_error says, unless a call has succeeded. */
inline void value_or_throw(status returned)
{
    if (returned != HM_OK)
        throw error(hm_last_error());
}

#endif

/* What follows is for the containers, not for programs. */
namespace detail
{

/* Owns a C container: ends it, and is moved but not copied. One that was moved from is empty, with
 * capacity 0. */
template <class C, void (*Fini)(C *)> struct owned {
    C c{};

    owned() noexcept = default;
    owned(owned &&other) noexcept : c(std::exchange(other.c, C{}))
    {
    }
    owned &operator=(owned &&other) noexcept
    {
        if (this != &other) {
            Fini(&c);
            c = std::exchange(other.c, C{});
        }
        return *this;
    }
    ~owned()
    {
        Fini(&c);
    }
};

template <class T> hm_handle *ids(handle<T> *handles) noexcept
{
    return reinterpret_cast<hm_handle *>(handles);
}

template <class T> const hm_handle *ids(const handle<T> *handles) noexcept
{
    return reinterpret_cast<const hm_handle *>(handles);
}

/* Whether `construct` below throws nothing. */
template <class T, class... Args> constexpr bool constructs_without_throwing() noexcept
{
    if constexpr (std::is_constructible<T, Args...>::value)
        return std::is_nothrow_constructible<T, Args...>::value;
    else
        return noexcept(T{std::declval<Args>()...});
}

/* T(args...), or T{args...} for an aggregate. */
template <class T, class... Args> T *construct(void *place, Args &&...args)
{
    if constexpr (std::is_constructible<T, Args...>::value)
        return ::new (place) T(std::forward<Args>(args)...);
    else
        return ::new (place) T{std::forward<Args>(args)...};
}

/* An item in bytes of its own, until a container takes it as bytes. */
template <class T> class maker
{
    alignas(T) unsigned char bytes_[sizeof(T)];
    bool is_taken_ = false;

  public:
    template <class... Args> explicit maker(Args &&...args)
    {
        construct<T>(static_cast<void *>(bytes_), std::forward<Args>(args)...);
    }
    maker(const maker &) = delete;
    maker &operator=(const maker &) = delete;
    ~maker()
    {
        if (!is_taken_)
            std::launder(reinterpret_cast<T *>(bytes_))->~T();
    }
    const void *bytes() const noexcept
    {
        return bytes_;
    }
    /* The container has the bytes now, and will destroy the item. */
    void was_taken() noexcept
    {
        is_taken_ = true;
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

/* A C predicate that calls a lambda. An exception in it ends the program. */
template <class T, class Predicate> bool ask(const void *item, void *context) noexcept
{
    return std::invoke(*static_cast<Predicate *>(context), *static_cast<const T *>(item));
}

/* An iterator over positions: dereferencing asks the range, which is a pointer to a container. */
template <class Range> class counter
{
    Range range_;
    std::uint32_t at_ = 0;

  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = decltype(std::declval<const Range &>().at(0));
    using difference_type = std::ptrdiff_t;
    using reference = value_type;
    using pointer = void;

    counter() = default;
    counter(Range range, std::uint32_t at) : range_(range), at_(at)
    {
    }
    reference operator*() const
    {
        return range_.at(at_);
    }
    counter &operator++()
    {
        at_ = range_.next(at_);
        return *this;
    }
    counter operator++(int)
    {
        counter before = *this;
        ++*this;
        return before;
    }
    friend bool operator==(const counter &a, const counter &b)
    {
        return a.at_ == b.at_;
    }
    friend bool operator!=(const counter &a, const counter &b)
    {
        return a.at_ != b.at_;
    }
};

} // namespace detail

} // namespace hm

namespace std
{

template <class T> struct hash<hm::handle<T>> {
    size_t operator()(hm::handle<T> handle) const noexcept
    {
        return hash<uint64_t>()(handle.bits());
    }
};

} // namespace std

#endif
