/* SPDX-License-Identifier: MIT */
/* handle, in C++: typed handles, options, and what all classes of handle_map.hpp share.
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
 * Failing, exceptions, type ids, threads: handle_map.hpp. */
#ifndef HANDLE_MAP_HANDLE_HPP
#define HANDLE_MAP_HANDLE_HPP

#include <handle_map/detail/standard.hpp>
#include <handle_map/handle_map.h>

namespace hm
{

using status = hm_status;
using handle_state = hm_handle_state;
using stats = hm_stats;
using frame_budget = hm_frame_budget;
using progress = hm_progress;

/* A limit that nothing uses up. */
inline constexpr std::uint32_t no_limit = HM_NO_LIMIT;

inline frame_budget frame_budget_of(std::uint32_t swaps, std::uint32_t compares) noexcept
{
    return hm_frame_budget_of(swaps, compares);
}

/* What defragment and arrange take: a budget that the calls of a frame share, as a variable; or a
 * constant or temporary one, of which this call spends a copy; or nothing, for no limit. */
class budget_argument
{
    frame_budget own_ = frame_budget_of(no_limit, no_limit);
    frame_budget *shared_ = nullptr;

  public:
    budget_argument() = default;
    budget_argument(frame_budget &shared) noexcept : shared_(&shared)
    {
    }
    budget_argument(const frame_budget &own) noexcept : own_(own)
    {
    }
    operator frame_budget *() noexcept
    {
        return shared_ != nullptr ? shared_ : &own_;
    }
};

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

/* A handle of a container of T in 32 bits, IndexBits of them for the index: id32.h says which
 * handles have one, and what options their container needs. */
template <class T, unsigned IndexBits = HM_ID32_INDEX_BITS> class id32
{
    static_assert(IndexBits >= 1 && IndexBits <= 30, "index bits are from 1 to 30");
    std::uint32_t bits_ = 0;

  public:
    constexpr id32() noexcept = default;
    /* Null if it does not fit. */
    explicit id32(handle<T> from) noexcept : bits_(hm_id32_pack(from.id(), IndexBits).bits)
    {
    }
    /* Any 32 bits are an id; containers refuse handles that they did not issue. */
    static constexpr id32 from_bits(std::uint32_t bits) noexcept
    {
        id32 made;
        made.bits_ = bits;
        return made;
    }
    /* The handle, for the container of this type id. */
    [[nodiscard]] handle<T> unpack(std::uint16_t type_id) const noexcept
    {
        return handle<T>(hm_id32_unpack(hm_id32{bits_}, IndexBits, type_id));
    }
    constexpr std::uint32_t bits() const noexcept
    {
        return bits_;
    }
    constexpr explicit operator bool() const noexcept
    {
        return bits_ != 0;
    }
    friend constexpr bool operator==(id32 a, id32 b) noexcept
    {
        return a.bits_ == b.bits_;
    }
    friend constexpr bool operator!=(id32 a, id32 b) noexcept
    {
        return a.bits_ != b.bits_;
    }
    friend constexpr bool operator<(id32 a, id32 b) noexcept
    {
        return a.bits_ < b.bits_;
    }
    friend constexpr bool operator>(id32 a, id32 b) noexcept
    {
        return b < a;
    }
    friend constexpr bool operator<=(id32 a, id32 b) noexcept
    {
        return !(b < a);
    }
    friend constexpr bool operator>=(id32 a, id32 b) noexcept
    {
        return !(a < b);
    }
};

/* Arrays of handles are passed to the C library as they are. */
static_assert(sizeof(handle<int>) == sizeof(hm_handle) &&
                  std::is_standard_layout<handle<int>>::value &&
                  std::is_trivially_copyable<handle<int>>::value,
              "one member, without padding");

namespace detail
{

template <class T, class = void> struct says_relocatable : std::false_type {
};
template <class T>
struct says_relocatable<T, std::void_t<typename T::relocatable>>
    : std::is_same<typename T::relocatable, T> {
};

} // namespace detail

/* Whether an item of this type may be moved as bytes: the new bytes are the item, and the old ones
 * need no destructor. True of trivially copyable types; of std::unique_ptr, which is a pointer and
 * a deleter in every known library, unless one of them is not; of pairs and tuples of such types;
 * and of the containers here.
 *
 * Other types must say so themselves. That is right if a type holds no pointer into itself and
 * nothing else points to it, as for a struct with a std::unique_ptr. It is wrong for std::string,
 * which may point into itself, and for containers of a library's debug mode, to which their
 * iterators point. Either specialise is_relocatable before the first container of the type is made,
 * or give the type a public member `relocatable` that names the type itself; a derived class has to
 * say so again. Example:
 *
 *     template <> struct hm::is_relocatable<mesh> : std::true_type {};
 *
 *     struct sound {
 *         using relocatable = sound; // also for types that are private to a class
 *         std::unique_ptr<float[]> samples;
 *     };
 */
template <class T>
struct is_relocatable : std::bool_constant<std::is_trivially_copyable<T>::value ||
                                           detail::says_relocatable<T>::value> {
};
template <class T, class Deleter>
struct is_relocatable<std::unique_ptr<T, Deleter>>
    : std::bool_constant<is_relocatable<typename std::unique_ptr<T, Deleter>::pointer>::value &&
                         (std::is_reference<Deleter>::value || is_relocatable<Deleter>::value)> {
};
template <class First, class Second>
struct is_relocatable<std::pair<First, Second>>
    : std::bool_constant<is_relocatable<First>::value && is_relocatable<Second>::value> {
};
template <class... Types>
struct is_relocatable<std::tuple<Types...>>
    : std::bool_constant<(is_relocatable<Types>::value && ...)> {
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
    template <std::size_t Size>
    constexpr span(T (&items)[Size]) noexcept : data_(items), size_(Size)
    {
    }
    /* From a span of items that are not const, or from a container of adjacent items; of derived
     * ones not, since they are larger. */
    template <class Items,
              class Item = std::remove_pointer_t<decltype(std::declval<Items &>().data())>,
              class = std::enable_if_t<std::is_convertible<Item (*)[], T (*)[]>::value>>
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

/* What a loop over (handle, value) sees: made for each step, so `auto`, not `auto &`. The value is
 * that in the container. Example:
 *
 *     for (auto [handle, value] : sprites.entries())
 *         draw(handle, value);
 */
template <class Handle, class T> struct entry {
    Handle handle;
    T &value;
};

/* As the type id of a class or of options: one that no other container of the process gets, so that
 * two containers of one T refuse each other's handles. See HM_TYPE_ID_UNIQUE. Example:
 *
 *     hm::map<sprite, hm::unique> players(100), enemies(100);
 */
inline constexpr std::uint16_t unique = HM_TYPE_ID_UNIQUE;

/* Options of a container; those left out have the defaults of its C descriptor. Example:
 *
 *     hm::map<sprite> sprites({100000, 0, SPRITE_TYPE});    // .capacity = ... under C++20
 */
struct options {
    std::uint32_t capacity = 0;        /* items, at most */
    std::uint32_t max_slots = 0;       /* index space in slots */
    std::uint16_t type_id = 0;         /* at most 0x7FFF, or hm::unique; 0: that of the class */
    const hm_memory *memory = nullptr; /* must outlive the container */
    const char *name = nullptr;        /* in messages, must outlive it; nullptr: that of the type */
    std::uint16_t generation_bits = 0; /* of what issues handles; 2 to 16; 0: 16 */
};

#if defined(__cpp_exceptions)

/* Thrown by value_or_throw. */
struct error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/* Returns the item, or throws if a lookup found none. Example:
 *
 *     sprite &found = hm::value_or_throw(sprites.get(handle));
 *
 * The same holds for calls that return the address of what they make, such as push of lists; if one
 * was refused, hm_last_error says why. */
template <class T> T &value_or_throw(T *item)
{
    if (item == nullptr)
        throw error("nullptr: the handle does not resolve, or the call was refused");
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

} // namespace hm

namespace std
{

template <class T> struct hash<hm::handle<T>> {
    size_t operator()(hm::handle<T> handle) const noexcept
    {
        return hash<uint64_t>()(handle.bits());
    }
};
template <class T, unsigned IndexBits> struct hash<hm::id32<T, IndexBits>> {
    size_t operator()(hm::id32<T, IndexBits> id) const noexcept
    {
        return hash<uint32_t>()(id.bits());
    }
};

} // namespace std

#endif
