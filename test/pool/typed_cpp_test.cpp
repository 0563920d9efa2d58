/* SPDX-License-Identifier: MIT */
/* HM_POOL_DEFINE in C++17: the whole use of a typed pool. */
#ifdef HM_TEST_CRITERION
#include <criterion/criterion.h>
#endif

extern "C" {
#include "support/test.h"
}

#include <handle_map/handle_map.h>

namespace
{

struct alignas(32) spark {
    double x, y;
    int age;
};

HM_POOL_DEFINE(spark, spark, 12)

} // namespace

TEST(pool_typed_cpp, a_typed_pool_works_in_cpp)
{
    spark_pool pool;
    spark_handle handles[10];
    CHECK(spark_pool_init(&pool, 10) == HM_OK);
    for (int i = 0; i < 10; i++) {
        spark *place = nullptr;
        handles[i] = spark_pool_emplace(&pool, &place);
        CHECK(place != nullptr && reinterpret_cast<uintptr_t>(place) % 32 == 0);
        *place = spark{1.5, -1.5, 9 - i};
    }
    CHECK(hm_handle_is_null(spark_pool_insert(&pool, nullptr).id));
    CHECK(hm_handle_type_id(handles[0].id) == 12 && spark_pool_count(&pool) == 10);
    spark *second = spark_pool_get(&pool, handles[2]);
    CHECK(second->age == 7);
    CHECK(spark_pool_erase(&pool, handles[0]) && !spark_pool_contains(&pool, handles[0]));
    uint32_t length = 0;
    CHECK(spark_pool_next_run(&pool, 0, &length) == 1 && length == 9);
    uint64_t live = 0;
    CHECK(spark_pool_next_word(&pool, 0, &live) == 0 && live == 0x3FE);
    for (uint32_t i = 0; i < length; i++) {
        const spark *here = spark_pool_item(&pool, 1) + i;
        CHECK(here->age == 8 - static_cast<int>(i));
        CHECK(hm_handle_equal(spark_pool_handle_of(&pool, here).id, handles[i + 1].id));
    }
    CHECK(spark_pool_get(&pool, handles[2]) == second);
    CHECK(spark_pool_reserve(&pool, 1) == HM_OK);
    CHECK(hm_pool_explain(&pool.pool, HM_NULL_HANDLE) == HM_HANDLE_NULL);
    CHECK(hm_pool_validate(&pool.pool) == HM_OK);
    spark_pool_clear(&pool);
    spark_pool_fini(&pool);
}
