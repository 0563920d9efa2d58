/* SPDX-License-Identifier: MIT */
/* detail/each: what the loops over items share; and a macro that applies another to each element of
 * a list, for generators whose list is an X-macro of the program. No program needs it.
 *
 *     HM_EACH(f, p, (a, b), (c, d), HM_EACH_END, HM_EACH_END)  -->  f(p, a, b) f(p, c, d)
 *
 * A macro is not expanded inside its own expansion, so the list cannot be walked by recursion. Each
 * step leaves the name of the next one in a form that is a macro call only when it is scanned
 * again, and HM_EACH_SCAN scans its argument 85 times, enough for 64 elements. An element is told
 * from the end by its parentheses. */
#ifndef HANDLE_MAP_DETAIL_EACH_H
#define HANDLE_MAP_DETAIL_EACH_H

#include <handle_map/base.h>

/* Moves *index, which may be above the count, to the one before. False at the start, where it
 * becomes HM_INVALID_INDEX. */
static inline bool hm_each_before(uint32_t *index, uint32_t count)
{
    if (*index > count)
        *index = count;
    return (*index)-- != 0;
}

/* A loop that declares `item` and `index`, and visits what `before`, an expression with &index,
 * returns until that is NULL. The outer loop runs once: it ends when the inner one does, or is
 * left. */
#define HM_EACH_BACKWARD(type, item, index, before)                                                \
    for (uint32_t index = HM_INVALID_INDEX - 1; index != HM_INVALID_INDEX;                         \
         index = HM_INVALID_INDEX)                                                                 \
        for (type * item; (item = HM_CAST(type *, before)) != NULL;)

#define HM_EACH(f, p, ...) HM_EACH_SCAN(HM_EACH_STEP(f, p, __VA_ARGS__))

#define HM_EACH_STEP(f, p, element, ...)                                                           \
    HM_EACH_IF(HM_EACH_IS_ELEMENT(element))                                                        \
    (f, p, element, __VA_ARGS__)
#define HM_EACH_IF(condition) HM_EACH_IF_EXPANDED(condition)
#define HM_EACH_IF_EXPANDED(condition) HM_EACH_IF_##condition
#define HM_EACH_IF_0(f, p, element, ...)
#define HM_EACH_IF_1(f, p, element, ...)                                                           \
    HM_EACH_CALL(f, p, HM_EACH_OPEN element)                                                       \
    HM_EACH_LATER(HM_EACH_NEXT)()(f, p, __VA_ARGS__)
#define HM_EACH_CALL(f, p, ...) f(p, __VA_ARGS__)
#define HM_EACH_OPEN(...) __VA_ARGS__
#define HM_EACH_NEXT() HM_EACH_STEP
#define HM_EACH_NOTHING()
#define HM_EACH_LATER(name) name HM_EACH_NOTHING()

/* An element in parentheses calls HM_EACH_PROBE, which puts a 1 in second place. */
#define HM_EACH_IS_ELEMENT(element) HM_EACH_CHECK(HM_EACH_PROBE element, 0, 0)
#define HM_EACH_PROBE(...) ~, 1
#define HM_EACH_CHECK(...) HM_EACH_SECOND(__VA_ARGS__, 0)
#define HM_EACH_SECOND(first, second, ...) second

#define HM_EACH_SCAN(...)                                                                          \
    HM_EACH_SCAN_2(HM_EACH_SCAN_2(HM_EACH_SCAN_2(HM_EACH_SCAN_2(__VA_ARGS__))))
#define HM_EACH_SCAN_2(...)                                                                        \
    HM_EACH_SCAN_1(HM_EACH_SCAN_1(HM_EACH_SCAN_1(HM_EACH_SCAN_1(__VA_ARGS__))))
#define HM_EACH_SCAN_1(...)                                                                        \
    HM_EACH_SCAN_0(HM_EACH_SCAN_0(HM_EACH_SCAN_0(HM_EACH_SCAN_0(__VA_ARGS__))))
#define HM_EACH_SCAN_0(...) __VA_ARGS__

#endif
