/* SPDX-License-Identifier: MIT */
/* id_table: the handles that the next issues return, asked before them. */
#include "support/id_table.h"
#include "support/memory.h"
#include "support/test.h"

#include "../../src/id_table_private.h"

#include <string.h>

/* Whether is_upcoming knows the k-th of the next issues, as one of k + 1 or more, and no other life
 * of its slot. */
static bool is_known(const hm_id_table *table, hm_handle handle, uint32_t k)
{
    const uint64_t one = UINT64_C(1) << HM_HANDLE_GENERATION_SHIFT;
    return hm_id_table_is_upcoming(table, handle, k + 1) &&
           !hm_id_table_is_upcoming(table, handle, k) &&
           !hm_id_table_is_upcoming(table, hm_handle_from_bits(handle.bits + one), UINT32_MAX) &&
           !hm_id_table_is_upcoming(table, hm_handle_from_bits(handle.bits - one), UINT32_MAX);
}

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

TEST(id_table_upcoming, fresh_slots_count_up)
{
    hm_id_table table;
    make(&table, 5000, 0, NULL);
    CHECK(hm_id_table_reserve(&table, 3) == HM_OK);
    for (uint32_t k = 0; k < 3; k++)
        CHECK(hm_handle_equal(hm_id_table_upcoming(&table, k), hm_handle_pack(k, 1, TYPE_ID)));
    check_promise(&table, 5000);
    hm_id_table_fini(&table);
}

TEST(id_table_upcoming, free_slots_come_first_in_their_next_generation)
{
    hm_id_table table;
    hm_handle handles[7];
    make(&table, 10, 20, NULL);
    issue_n(&table, 7, handles);
    release_at(&table, 2);
    release_at(&table, 4);
    CHECK(hm_id_table_reserve(&table, 4) == HM_OK);
    static const uint32_t slots[] = {4, 2, 7, 8}, generations[] = {2, 2, 1, 1};
    for (uint32_t k = 0; k < 4; k++)
        CHECK(hm_handle_equal(hm_id_table_upcoming(&table, k),
                              hm_handle_pack(slots[k], generations[k], TYPE_ID)));
    check_promise(&table, 5);
    hm_id_table_clear(&table);
    check_promise(&table, 10);
    hm_id_table_fini(&table);
}

/* Pages with floors of their own, and pages that had no slots before. */
TEST(id_table_upcoming, slots_of_a_dropped_page_begin_above_its_floor)
{
    uint32_t page = (uint32_t)(hm_memory_os()->page_size / sizeof(hm_handle));
    hm_handle *handles = allocate_handles(3 * page);
    hm_id_table table;
    make(&table, 5 * page, 0, NULL);
    issue_n(&table, page + 7, handles);
    live_through(&table, 6); /* slot page + 7 */
    issue_n(&table, 2 * page - 7, handles);
    release_down_to(&table, 2);
    CHECK(hm_id_table_trim(&table) == HM_OK);
    CHECK(table.slot_count == page);
    CHECK(hm_id_table_reserve(&table, 5 * page - 2) == HM_OK);
    static const uint32_t generations[] = {2, 8, 2, 1, 1}; /* of each page */
    for (uint32_t k = 0; k < 5 * page - 2; k++) {
        hm_handle handle = hm_id_table_upcoming(&table, k);
        CHECK(hm_handle_equal(handle, hm_handle_pack(k + 2, generations[(k + 2) / page], TYPE_ID)));
    }
    check_promise(&table, 5 * page - 2);
    hm_id_table_fini(&table);
    free(handles);
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

TEST(id_table_upcoming, a_reserve_retires_the_spent_slots_among_the_next)
{
    hm_id_table table;
    make_spent(&table, NULL);
    CHECK(hm_id_table_reserve(&table, 2) == HM_OK);
    CHECK(table.slot_count - table.used == 1);
    check_promise(&table, 2);
    check_promise(&table, 15);
    CHECK(table.slot_count - table.used == 4);
    hm_id_table_fini(&table);
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
