/* SPDX-License-Identifier: MIT */
/* order, in C++: lambdas as orders.
 *
 * The containers' defragment takes a `less` as std::sort does, and defragment_by a key, a function
 * that returns an unsigned number. A call resumes where the one before stopped if both are given
 * the same lambda expression (or the same function): each frame makes a new lambda object, but they
 * have one type. So if what a lambda captures has changed, call touch_all. Example:
 *
 *     hm::budget budget = {1000, 10000};
 *     sprites.defragment([](const sprite &a, const sprite &b) { return a.depth < b.depth; },
 *                        budget);
 *
 * An exception in a less or a key ends the program.
 *
 * Threads: as in C. Several threads may search one container at once. */
#ifndef HANDLE_MAP_ORDER_HPP
#define HANDLE_MAP_ORDER_HPP

#include <handle_map/handle.hpp>

namespace hm
{
namespace detail
{

/* The C order of a function object of type F: its functions and the context are the same for all
 * objects of the type, because the library tells orders apart by them. The object itself is found
 * through `current`, which is set while a call lasts. For a plain function F says too little, so
 * the function's address is the context. */
template <class T, class F> class ordering
{
    static inline thread_local F *current = nullptr;
    static inline char tag = 0;
    F *before_;

    static int compare(const void *a, const void *b, void *) noexcept
    {
        F &less = *current;
        const T &left = *static_cast<const T *>(a), &right = *static_cast<const T *>(b);
        if (less(left, right))
            return -1;
        return less(right, left) ? 1 : 0;
    }
    static std::uint64_t key(const void *item, void *) noexcept
    {
        return static_cast<std::uint64_t>((*current)(*static_cast<const T *>(item)));
    }
    void *context(F &f) const noexcept
    {
        if constexpr (std::is_pointer<F>::value)
            return reinterpret_cast<void *>(f);
        else
            return &tag;
    }

  public:
    hm_order order{};

    ordering(F &f, bool is_key) noexcept : before_(current)
    {
        current = &f;
        order.context = context(f);
        if constexpr (std::is_invocable<F &, const T &, const T &>::value)
            order.compare = is_key ? nullptr : &compare;
        if constexpr (std::is_invocable<F &, const T &>::value)
            order.key = is_key ? &key : nullptr;
    }
    ordering(const ordering &) = delete;
    ordering &operator=(const ordering &) = delete;
    ~ordering()
    {
        current = before_; /* A less may itself put another container in order. */
    }
};

} // namespace detail
} // namespace hm

#endif
