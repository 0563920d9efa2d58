/* SPDX-License-Identifier: MIT */
/* id_table: retirement of slots, trim, and refused memory. A "page" is the slots that share a
 * generation floor: those whose entries fill one page of memory. */
#include "support/id_table.h"
#include "support/memory.h"
#include "support/test.h"

#include <string.h>

/* ---- retirement ---- */

TEST(id_table, a_slot_is_retired_after_65535_lives_and_never_aliases)
{
    enum { SLOTS = 3 };
    hm_id_table table;
    make(&table, 1, SLOTS, NULL);
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        for (uint32_t generation = 1; generation <= LIVES; generation++) {
            hm_handle handle = issue(&table);
            CHECK(hm_handle_equal(handle, hm_handle_pack(slot, generation, TYPE_ID)));
            CHECK(is_live(&table, handle));
            CHECK(table.slot_count - table.used == slot); /* retired */
            release_at(&table, 0);
            CHECK(!is_live(&table, handle));
        }
        CHECK(hm_id_table_validate(&table) == HM_OK);
    }
    CHECK(hm_id_table_reserve(&table, 1) == HM_ERROR_FULL);
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        for (uint32_t generation = 0; generation <= LIVES; generation++)
            CHECK(!is_live(&table, hm_handle_pack(slot, generation, TYPE_ID)));
    hm_id_table_fini(&table);
}

TEST(id_table, a_cleared_slot_that_is_spent_is_retired_too)
{
    hm_id_table table;
    hm_handle handles[3];
    make(&table, 3, 4, NULL);
    live_through(&table, LIVES - 1);
    issue_n(&table, 3, handles);
    CHECK(hm_handle_generation(handles[0]) == LIVES);
    hm_id_table_clear(&table);
    for (uint32_t i = 0; i < 3; i++)
        CHECK(hm_handle_index(issue(&table)) != 0);
    CHECK(hm_id_table_explain(&table, handles[0]) == HM_HANDLE_RETIRED);
    CHECK(table.slot_count - table.used == 1);
    CHECK(hm_id_table_validate(&table) == HM_OK);
    hm_id_table_fini(&table);
}

/* A spent slot is retired even if the reserve that meets it fails; nothing else changes. */
TEST(id_table, a_spent_index_space_is_full_and_the_failure_changes_nothing_that_lives)
{
    hm_id_table table;
    hm_handle handles[2];
    make(&table, 3, 3, NULL);
    issue_n(&table, 2, handles);
    live_through(&table, LIVES);
    const hm_handle spent = hm_handle_pack(2, LIVES, TYPE_ID);
    CHECK(hm_id_table_explain(&table, spent) == HM_HANDLE_STALE);
    CHECK(hm_id_table_reserve(&table, 1) == HM_ERROR_FULL);
    CHECK(hm_id_table_explain(&table, spent) == HM_HANDLE_RETIRED);
    CHECK(table.count == 2 && table.slot_count == 3 && hm_id_table_validate(&table) == HM_OK);
    CHECK(is_live(&table, handles[0]) && is_live(&table, handles[1]) && !is_live(&table, spent));
    const hm_id_table before = table;
    CHECK(hm_id_table_reserve(&table, 1) == HM_ERROR_FULL);
    CHECK(hm_handle_is_null(issue(&table)));
    CHECK(memcmp(&before, &table, sizeof table) == 0);

    /* One slot is usable again: one issue succeeds, a second fails. */
    release_at(&table, 0);
    CHECK(hm_id_table_reserve(&table, 2) == HM_ERROR_FULL);
    CHECK(hm_handle_equal(issue(&table), hm_handle_pack(0, 2, TYPE_ID)));
    CHECK(hm_id_table_reserve(&table, 1) == HM_ERROR_FULL);
    CHECK(is_live(&table, handles[1]) && !is_live(&table, handles[0]));
    CHECK(hm_id_table_validate(&table) == HM_OK);
    hm_id_table_fini(&table);
}

/* ---- trim ---- */

/* Returns the slots in a page, with the system's page size. */
static uint32_t slots_to_a_page(void)
{
    return (uint32_t)(hm_memory_os()->page_size / sizeof(hm_handle));
}

TEST(id_table, trim_gives_pages_back_and_handles_from_before_stay_refused)
{
    const uint32_t page = slots_to_a_page(), count = 3 * page + 10;
    hm_handle *old = allocate_handles(count), *next = allocate_handles(count);
    hm_id_table table;
    make(&table, count, 2 * count, NULL);
    issue_n(&table, count, old);
    release_down_to(&table, 10);
    CHECK(hm_id_table_trim(&table) == HM_OK);
    CHECK(hm_id_table_validate(&table) == HM_OK);
    CHECK(hm_array_committed_size(&table.entry_array) == hm_memory_os()->page_size);
    CHECK(hm_array_committed_size(&table.slot_array) == hm_memory_os()->page_size);
    for (uint32_t i = 0; i < count; i++) {
        CHECK(is_live(&table, old[i]) == (i < 10));
        CHECK(i < 10 || hm_id_table_explain(&table, old[i]) == HM_HANDLE_STALE);
    }
    CHECK(hm_id_table_explain(&table, hm_handle_pack(2 * page, 2, TYPE_ID)) == HM_HANDLE_FORGED);
    CHECK(hm_id_table_explain(&table, hm_handle_pack(count, 1, TYPE_ID)) == HM_HANDLE_OUT_OF_RANGE);

    issue_n(&table, count - 10, next);
    CHECK(hm_id_table_validate(&table) == HM_OK);
    for (uint32_t i = 0; i < count - 10; i++) {
        CHECK(is_live(&table, next[i]) && hm_handle_generation(next[i]) == 2);
        CHECK(hm_id_table_explain(&table, old[i + 10]) == HM_HANDLE_STALE);
    }
    for (uint32_t i = 0; i < 10; i++)
        CHECK(is_live(&table, old[i]));
    hm_id_table_fini(&table);
    free(old);
    free(next);
}

TEST(id_table, a_floor_is_the_highest_generation_of_its_own_page)
{
    const uint32_t page = slots_to_a_page(), count = 4 * page;
    hm_handle *handles = allocate_handles(count);
    hm_id_table table;
    make(&table, count, count, NULL);
    issue_n(&table, 2 * page + 7, handles);
    live_through(&table, 6); /* slot 2 page + 7 */
    issue_n(&table, 2 * page - 7, handles);
    hm_id_table_clear(&table);
    CHECK(hm_id_table_trim(&table) == HM_OK);
    CHECK(table.slot_count == 0 && hm_array_committed_size(&table.entry_array) == 0);
    for (uint32_t slot = 0; slot < count; slot++) {
        uint32_t floor = slot / page == 2 ? 7 : 1;
        hm_handle below = hm_handle_pack(slot, floor, TYPE_ID);
        hm_handle above = hm_handle_pack(slot, floor + 1, TYPE_ID);
        CHECK(hm_id_table_explain(&table, below) == HM_HANDLE_STALE);
        CHECK(hm_id_table_explain(&table, above) == HM_HANDLE_FORGED);
        CHECK(!is_live(&table, below) && !is_live(&table, above));
    }
    issue_n(&table, count, handles);
    for (uint32_t slot = 0; slot < count; slot++)
        CHECK(hm_handle_equal(handles[slot],
                              hm_handle_pack(slot, slot / page == 2 ? 8 : 2, TYPE_ID)));
    CHECK(hm_id_table_validate(&table) == HM_OK);
    hm_id_table_fini(&table);
    free(handles);
}

TEST(id_table, floors_rise_with_every_trim)
{
    const uint32_t page = slots_to_a_page(), count = 2 * page;
    hm_handle *handles = allocate_handles(count);
    hm_id_table table;
    make(&table, count, count, NULL);
    for (uint32_t round = 1; round <= 5; round++) {
        issue_n(&table, count, handles);
        for (uint32_t i = 0; i < count; i++)
            CHECK(hm_handle_equal(handles[i], hm_handle_pack(i, round, TYPE_ID)));
        release_down_to(&table, 0);
        CHECK(hm_id_table_trim(&table) == HM_OK);
        CHECK(hm_id_table_validate(&table) == HM_OK);
        CHECK(hm_id_table_explain(&table, handles[page]) == HM_HANDLE_STALE);
    }
    hm_id_table_fini(&table);
    free(handles);
}

TEST(id_table, a_live_slot_keeps_its_page_and_all_before)
{
    const uint32_t page = slots_to_a_page(), count = 4 * page;
    hm_handle *handles = allocate_handles(count);
    hm_id_table table;
    make(&table, count, count, NULL);
    issue_n(&table, count, handles);
    hm_id_table_swap(&table, 0, 2 * page + 1);
    release_down_to(&table, 1);
    CHECK(hm_id_table_trim(&table) == HM_OK);
    CHECK(table.slot_count == 3 * page && table.used == 3 * page);
    CHECK(is_live(&table, handles[2 * page + 1]));
    CHECK(hm_array_committed_size(&table.entry_array) == 3 * hm_memory_os()->page_size);
    CHECK(hm_id_table_trim(&table) == HM_OK);
    CHECK(table.slot_count == 3 * page && hm_id_table_validate(&table) == HM_OK);
    hm_id_table_fini(&table);
    free(handles);
}

/* A generation floor at the last generation would retire the whole page. */
static void check_spent_slot_costs_no_neighbour(bool retired)
{
    const uint32_t page = slots_to_a_page(), count = 4 * page;
    hm_handle *handles = allocate_handles(count);
    hm_id_table table;
    make(&table, count, count, NULL);
    issue_n(&table, page + 3, handles);
    live_through(&table, LIVES);
    issue_n(&table, retired ? 2 * page : 0, handles);
    release_down_to(&table, 0);
    CHECK(table.slot_count - table.used == (retired ? 1 : 0));
    CHECK(hm_id_table_trim(&table) == HM_OK);
    CHECK(hm_id_table_validate(&table) == HM_OK);
    CHECK(table.slot_count == (retired ? 2 * page : page + 4));
    hm_handle spent = hm_handle_pack(page + 3, LIVES, TYPE_ID);
    CHECK(hm_id_table_explain(&table, spent) == (retired ? HM_HANDLE_RETIRED : HM_HANDLE_STALE));
    issue_n(&table, count - 1, handles);
    CHECK(hm_handle_is_null(issue(&table)));
    for (uint32_t i = 0; i < count - 1; i++)
        CHECK(hm_handle_index(handles[i]) != page + 3);
    CHECK(!is_live(&table, spent) && hm_id_table_validate(&table) == HM_OK);
    hm_id_table_fini(&table);
    free(handles);
}

TEST(id_table, a_page_with_a_retired_slot_stays)
{
    check_spent_slot_costs_no_neighbour(true);
}

TEST(id_table, a_page_with_a_spent_slot_that_waits_for_retirement_stays)
{
    check_spent_slot_costs_no_neighbour(false);
}

/* ---- refused memory ---- */

typedef struct snapshot {
    uint32_t count, used, slot_count;
    const hm_handle *handles;
    hm_handle_state *states;
    uint32_t handle_count;
} snapshot;

static void take(snapshot *before, const hm_id_table *table)
{
    before->count = table->count;
    before->used = table->used;
    before->slot_count = table->slot_count;
    for (uint32_t i = 0; i < before->handle_count; i++)
        before->states[i] = hm_id_table_explain(table, before->handles[i]);
}

static bool has_changed(const snapshot *before, const hm_id_table *table)
{
    for (uint32_t i = 0; i < before->handle_count; i++)
        if (before->states[i] != hm_id_table_explain(table, before->handles[i]))
            return true;
    return hm_id_table_validate(table) != HM_OK || before->count != table->count;
}

/* Returns the status due after the first `calls` calls: the step must report it if it made the
 * k-th. */
static hm_status expected_status(const test_memory *memory, uint32_t calls, uint32_t k)
{
    return calls < k && k <= memory->calls ? HM_ERROR_MEMORY : HM_OK;
}

/* Reserves, issues and trims with the k-th call refused, and repeats each refused step once.
 * Returns whether there was a k-th call. */
static bool survives_refusal(uint32_t k, hm_handle *handles, hm_handle_state *states)
{
    test_memory memory;
    hm_id_table table;
    snapshot before = {.handles = handles, .states = states};
    test_memory_init(&memory, 65536);
    make(&table, 20000, 40000, &memory); /* a page: 8192 slots */
    test_memory_fail(&memory, k, false);
    for (uint32_t i = 0; i < 20000; i++) {
        hm_handle handle = issue(&table);
        if (hm_handle_is_null(handle)) {
            CHECK(memory.calls == k && table.count == i && table.slot_count == i);
            before.handle_count = i;
            take(&before, &table);
            CHECK(hm_id_table_reserve(&table, 20000 - i) == HM_OK);
            CHECK(!has_changed(&before, &table));
            handle = issue(&table);
        }
        handles[i] = handle;
        CHECK(is_live(&table, handle));
    }
    before.handle_count = 20000;
    for (uint32_t keep = 9000; keep > 0; keep = keep / 9 * 2 % 2001) {
        release_down_to(&table, keep);
        take(&before, &table);
        uint32_t calls = memory.calls;
        hm_status status = hm_id_table_trim(&table);
        CHECK(status == expected_status(&memory, calls, k));
        CHECK(!has_changed(&before, &table));
        CHECK(hm_id_table_trim(&table) == HM_OK && !has_changed(&before, &table));
    }
    take(&before, &table);
    uint32_t calls = memory.calls;
    hm_status status = hm_id_table_reserve(&table, 19000);
    CHECK(status == expected_status(&memory, calls, k));
    CHECK(!has_changed(&before, &table));
    CHECK(before.used == table.used && before.slot_count == table.slot_count);
    CHECK(hm_id_table_reserve(&table, 19000) == HM_OK);
    calls = memory.calls;
    for (uint32_t i = 0; i < 19000; i++)
        CHECK(!hm_handle_is_null(issue(&table)));
    CHECK(memory.calls == calls && hm_id_table_validate(&table) == HM_OK);
    hm_id_table_fini(&table);
    test_memory_check_released(&memory);
    return memory.calls >= k;
}

TEST(id_table, every_refused_call_leaves_the_table_as_it_was)
{
    hm_handle *handles = allocate_handles(20000);
    hm_handle_state *states = malloc(20000 * sizeof *states);
    CHECK(states != NULL);
    uint32_t k = 1;
    while (survives_refusal(k, handles, states))
        k++;
    CHECK(k >
          8); /* entries and slots grow, generation floors and both are trimmed, both grow again */
    free(handles);
    free(states);
}
