/* SPDX-License-Identifier: MIT */
/* order, in C++: lambdas as orders.
 *
 * The containers' defragment takes a `less` as std::sort does, and defragment_by a key, a function
 * that returns a number. A call resumes where the one before stopped if both are given the same
 * lambda expression (each frame makes a new lambda object, but they have one type) or the same
 * function. So if what a lambda captures has changed, call touch_all. Example:
 *
 *     hm::frame_budget budget = hm::frame_budget_of(1000, 10000); // for the calls of this frame
 *     sprites.defragment([](const sprite &a, const sprite &b) { return a.depth < b.depth; },
 *                        budget);
 *
 * Items of up to 32 bytes are shown to a less as copies: it must not use their addresses, nor look
 * for their handles. A key is always computed from the item in its container. Less and key are
 * inlined into the loops of the library. Threads may search one container at once. */
#ifndef HANDLE_MAP_ORDER_HPP
#define HANDLE_MAP_ORDER_HPP

#include <handle_map/detail/container.hpp>

#include <cstring>

namespace hm
{
namespace detail
{

template <class F> struct is_std_function : std::false_type {
};
template <class Signature> struct is_std_function<std::function<Signature>> : std::true_type {
};

template <class Key>
constexpr bool is_number = std::disjunction<std::is_arithmetic<Key>, std::is_enum<Key>>::value;

/* Numbers in the order of their values, those below 0 first. A key may be an unsigned or signed
 * integer, an enum or a floating-point number. */
template <class Key> std::uint64_t number_of(Key key) noexcept
{
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    if constexpr (std::is_enum<Key>::value) {
        return number_of(static_cast<std::underlying_type_t<Key>>(key));
    } else if constexpr (std::is_floating_point<Key>::value) {
        const double value = static_cast<double>(key) + 0.0; /* -0 and 0 are one key */
        std::uint64_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        return (bits & sign) != 0 ? ~bits : bits | sign;
    } else if constexpr (std::is_signed<Key>::value) {
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(key)) ^ sign;
    } else if constexpr (std::is_unsigned<Key>::value) {
        return static_cast<std::uint64_t>(key);
    } else {
        return 0; /* not reached: see is_number */
    }
}

/* The typed C order of a function object of type F: its functions and the context are the same for
 * all objects of the type, because the library tells orders apart by them. The object itself is
 * found through `current`, which is set while a call lasts. For a plain function F says too little,
 * so the function's address is the context.
 *
 * So a program must not pass a std::function, which does not compile, nor lambdas that one function
 * returns for several orders: these have one type, and would be taken for one order. */
template <class T, class F, bool is_key> class ordering
{
    static_assert(!is_std_function<F>::value && !std::is_member_pointer<F>::value,
                  "two of them may have one type and be two orders: pass a lambda or a function");
    static inline thread_local F *current = nullptr;
    static inline char tag = 0;
    F *before_;

    static int less(const T *a, const T *b, void *) noexcept
    {
        return (*current)(*a, *b) ? -1 : 0;
    }
    static std::uint64_t number(const T *item, void *) noexcept
    {
        return number_of((*current)(*item));
    }
    HM_ORDER_LOOPS(less, T, less)
    HM_ORDER_KEY_LOOPS(number, T, number)
    static void *context(F &f) noexcept
    {
        if constexpr (std::is_pointer<F>::value)
            return reinterpret_cast<void *>(f);
        else
            return &tag;
    }

    static const hm_order_loops *loops() noexcept
    {
        if constexpr (is_key) {
            static constexpr hm_order_loops table = HM_ORDER_KEY_TABLE(number);
            return &table;
        } else {
            static constexpr hm_order_loops table = HM_ORDER_TABLE(less, T);
            return &table;
        }
    }

  public:
    hm_order order{};

    explicit ordering(F &f) noexcept : before_(current)
    {
        if constexpr (is_key)
            static_assert(is_number<std::decay_t<std::invoke_result_t<F &, const T &>>>,
                          "a key is a number: return an integer, an enum, a float or a double");
        current = &f;
        order.context = context(f);
        order.loops = loops();
        order.compare = order.loops->compare;
        order.key = order.loops->key;
    }
    ordering(const ordering &) = delete;
    ordering &operator=(const ordering &) = delete;
    ~ordering()
    {
        current = before_; /* A less may itself put another container in order. */
    }
};

template <class T, class Less> using by_less = ordering<T, Less, false>;
template <class T, class Key> using by_key = ordering<T, Key, true>;

} // namespace detail
} // namespace hm

#endif
