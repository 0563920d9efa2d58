/* SPDX-License-Identifier: MIT */
/* id_table: retirement of slots, and refused memory. What a trim drops is in model_test.c. */
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
