/* SPDX-License-Identifier: MIT */
/* HM_TABLE_DEFINE in C++17: the whole use of a typed table. */
#ifdef HM_TEST_CRITERION
#include <criterion/criterion.h>
#endif

extern "C" {
#include "support/test.h"
}

#include <handle_map/handle_map.h>

namespace
{

struct alignas(16) quad {
    float lanes[4];
};

#define SPARK_COLUMNS(COLUMN) COLUMN(int, age) COLUMN(quad, color) COLUMN(const char *, label)
HM_TABLE_DEFINE(sparks, 12, SPARK_COLUMNS)

bool is_old(const sparks_table *table, uint32_t row, void *limit)
{
    return *sparks_age_cell(table, row) > *static_cast<int *>(limit);
}

uint64_t age_of(const void *cell, void *)
{
    return static_cast<uint64_t>(*static_cast<const int *>(cell));
}

} // namespace

TEST(table_typed_cpp, a_typed_table_works_in_cpp)
{
    sparks_table sparks;
    sparks_handle handles[10];
    CHECK(sparks_table_init(&sparks, 10) == HM_OK);
    CHECK(sparks_table_reserve(&sparks, 10) == HM_OK);
    const sparks_handle last = sparks_table_upcoming(&sparks, 9);
    for (int i = 0; i < 10; i++) {
        const sparks_row row{9 - i, quad{{1, 2, 3, 4}}, "spark"};
        handles[i] = sparks_table_insert(&sparks, &row);
    }
    CHECK(sparks_handle_is_null(sparks_table_insert(&sparks, nullptr)));
    CHECK(sparks_handle_equal(handles[9], last));
    CHECK(hm_handle_type_id(handles[0].id) == 12);
    CHECK(reinterpret_cast<uintptr_t>(sparks_color(&sparks)) % 16 == 0);
    CHECK(*sparks_age_get(&sparks, handles[2]) == 7 && sparks_age(&sparks)[2] == 7);
    CHECK(sparks_table_erase(&sparks, handles[0]) && !sparks_table_contains(&sparks, handles[0]));
    int limit = 5;
    CHECK(sparks_table_erase_if(&sparks, is_old, &limit) == 3);
    const hm_order order = {nullptr, age_of, nullptr, nullptr};
    CHECK(sparks_table_defragment(&sparks, sparks_age_column, &order, hm_budget{0, 0}).done);
    for (uint32_t i = 0; i < 6; i++) {
        CHECK(sparks_age(&sparks)[i] == static_cast<int>(i));
        CHECK(sparks_table_row(&sparks, handles[9 - i]) == i);
        CHECK(sparks_handle_equal(sparks_age_of(&sparks, sparks_age(&sparks) + i), handles[9 - i]));
    }
    const int probe = 4;
    CHECK(sparks_age_lower_bound(&sparks, &order, &probe) == 4);
    CHECK(sparks_age_upper_bound(&sparks, &order, &probe) == 5);
    CHECK(hm_table_validate(&sparks.table) == HM_OK);
    sparks_table_fini(&sparks);
}
