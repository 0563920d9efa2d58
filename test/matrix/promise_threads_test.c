/* SPDX-License-Identifier: MIT */
/* Threads that are promised items while the owner inserts and erases: no two get one handle. */
#if defined(__unix__) && !defined(__wasm__)

#include "support/test.h"

#include <handle_map/handle_map.h>

#include <pthread.h>

enum { THREADS = 4, EACH = 100000 };

#define THREADS_TEST(kind)                                                                         \
    typedef struct kind##_taker {                                                                  \
        hm_##kind *from;                                                                           \
        uint32_t n;                                                                                \
        hm_handle handles[EACH];                                                                   \
    } kind##_taker;                                                                                \
    static void *take_of_##kind(void *context)                                                     \
    {                                                                                              \
        kind##_taker *self = context;                                                              \
        for (uint32_t i = 0; i < self->n; i++)                                                     \
            self->handles[i] = hm_##kind##_promise(self->from);                                    \
        return NULL;                                                                               \
    }                                                                                              \
    TEST(promise_threads, of_a_##kind##_are_each_given_to_one)                                     \
    {                                                                                              \
        static kind##_taker takers[THREADS];                                                       \
        pthread_t threads[THREADS];                                                                \
        const uint32_t n = test_scaled(EACH);                                                      \
        hm_##kind made;                                                                            \
        CHECK(hm_##kind##_init(&made, &(hm_##kind##_desc){.item_size = 4}) == HM_OK);              \
        CHECK(hm_##kind##_reserve_promises(&made, THREADS *n) == HM_OK);                           \
        for (int i = 0; i < THREADS; i++) {                                                        \
            takers[i].from = &made;                                                                \
            takers[i].n = n;                                                                       \
            CHECK(pthread_create(&threads[i], NULL, take_of_##kind, &takers[i]) == 0);             \
        }                                                                                          \
        for (uint32_t i = 0; i < n; i++) {                                                         \
            hm_handle handle = hm_##kind##_insert(&made, &i);                                      \
            CHECK(*(uint32_t *)hm_##kind##_get(&made, handle) == i);                               \
            CHECK(i % 2 == 0 || hm_##kind##_erase(&made, handle));                                 \
        }                                                                                          \
        for (int i = 0; i < THREADS; i++)                                                          \
            CHECK(pthread_join(threads[i], NULL) == 0);                                            \
        CHECK(hm_handle_is_null(hm_##kind##_promise(&made)));                                      \
        for (int i = 0; i < THREADS; i++)                                                          \
            for (uint32_t k = 0; k < n; k++) /* It was given to one only. */                       \
                CHECK(hm_##kind##_insert_as(&made, takers[i].handles[k], &k) == HM_OK);            \
        CHECK(hm_##kind##_validate(&made) == HM_OK);                                               \
        CHECK(hm_##kind##_count(&made) == n - n / 2 + THREADS * n);                                \
        hm_##kind##_fini(&made);                                                                   \
    }

THREADS_TEST(map)
THREADS_TEST(pool)

#else

typedef int promise_threads_need_threads; /* A file needs a declaration. */

#endif
