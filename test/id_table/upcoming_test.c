/* SPDX-License-Identifier: MIT */
/* id_table: the handles that the next issues return, asked before them. */
#include "support/id_table.h"
#include "support/memory.h"
#include "support/test.h"

#include <string.h>

/* Reserves n, and checks that n issues return what upcoming says now. */
static void check_promise(hm_id_table *table, uint32_t n)
{
    hm_handle *promised = allocate_handles(n + 1);
    CHECK(hm_id_table_reserve(table, n) == HM_OK);
    for (uint32_t k = 0; k < n; k++) {
        promised[k] = hm_id_table_upcoming(table, k);
        CHECK(!hm_handle_is_null(promised[k]) && !is_live(table, promised[k]));
        CHECK(is_known(table, promised[k], k));
    }
    for (uint32_t k = 0; k < n; k++) {
        CHECK(hm_handle_equal(hm_id_table_upcoming(table, n - 1 - k), promised[n - 1]));
        CHECK(hm_handle_equal(issue(table), promised[k]));
        CHECK(!hm_id_table_is_upcoming(table, promised[k], UINT32_MAX));
    }
    CHECK(hm_id_table_validate(table) == HM_OK);
    free(promised);
}

/* Makes a table with 12 free slots. Every third is spent, from the first on. */
static void make_spent(hm_id_table *table, const test_memory *memory)
{
    hm_handle handles[12];
    make(table, 20000, 0, memory);
    issue_n(table, 12, handles);
    release_down_to(table, 0);
    for (uint32_t slot = 0; slot < 12; slot += 3)
        table->entries[slot].bits |= (uint64_t)LIVES << HM_HANDLE_GENERATION_SHIFT;
}

TEST(id_table_upcoming, a_reserve_that_is_refused_memory_retires_nothing)
{
    test_memory memory;
    hm_id_table table;
    test_memory_init(&memory, 65536);
    make_spent(&table, &memory);
    const hm_id_table before = table;
    test_memory_fail(&memory, 1, true);
    CHECK(hm_id_table_reserve(&table, 20000) == HM_ERROR_MEMORY);
    CHECK(memcmp(&before, &table, sizeof table) == 0);
    test_memory_fail(&memory, 0, false);
    check_promise(&table, 20000);
    CHECK(table.slot_count - table.used == 4);
    hm_id_table_fini(&table);
    test_memory_check_released(&memory);
}

TEST(id_table_upcoming, what_no_reserve_covers_is_null)
{
    static const hm_id_table zeroed;
    hm_id_table table;
    CHECK(hm_handle_is_null(hm_id_table_upcoming(&zeroed, 0)));
    make(&table, 6, 9, NULL);
    CHECK(hm_handle_is_null(hm_id_table_upcoming(&table, 0)));
    check_promise(&table, 4);
    for (uint32_t k = 2; k < 9; k++) /* above the capacity */
        CHECK(hm_handle_is_null(hm_id_table_upcoming(&table, k)));
    CHECK(hm_handle_is_null(hm_id_table_upcoming(&table, UINT32_MAX)));
    hm_id_table_fini(&table);
}

/* A fresh slot without a committed entry, and a spent one. */
TEST(id_table_upcoming, a_handle_that_cannot_be_issued_is_never_returned)
{
    test_memory memory;
    hm_id_table table;
    test_memory_init(&memory, 65536); /* 8192 entries, 16384 slots */
    make(&table, 20000, 20000, &memory);
    check_promise(&table, 1);
    CHECK(!hm_handle_is_null(hm_id_table_upcoming(&table, 0)));
    CHECK(hm_handle_is_null(hm_id_table_upcoming(&table, 8191)));
    hm_id_table_fini(&table);
    make_spent(&table, NULL);
    CHECK(hm_handle_is_null(hm_id_table_upcoming(&table, 0)));
    CHECK(!hm_handle_is_null(hm_id_table_upcoming(&table, 1)));
    hm_id_table_fini(&table);
}
