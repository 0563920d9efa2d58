/* SPDX-License-Identifier: MIT */
/* id_table: which bits resolve, what explain and validate say, retirement of slots, and
 * the handles that the next issues return. What random operations show is in model_test.c. */
#include "support/id_table.h"
#include "support/memory.h"
#include "support/test.h"

#include <string.h>

static bool is_zeroed(const hm_id_table *table)
{
    static const hm_id_table zero;
    return memcmp(table, &zero, sizeof zero) == 0;
}

/* ---- init and fini ---- */

static bool is_refused(const hm_id_table_desc *desc, hm_status expected)
{
    hm_id_table table;
    memset(&table, 0xA5, sizeof table);
    return hm_id_table_init(&table, desc) == expected && is_zeroed(&table);
}

TEST(id_table, init_refuses_what_breaks_the_limits)
{
    hm_memory broken = *hm_memory_os();
    broken.commit = NULL;
    CHECK(hm_id_table_init(NULL, &(hm_id_table_desc){0}) == HM_ERROR_INVALID);
    CHECK(is_refused(&(hm_id_table_desc){.capacity = UINT32_MAX}, HM_ERROR_INVALID));
    CHECK(is_refused(&(hm_id_table_desc){.capacity = 10, .max_slots = 9}, HM_ERROR_INVALID));
    CHECK(is_refused(&(hm_id_table_desc){.capacity = 10, .type_id = 0x8000}, HM_ERROR_INVALID));
    CHECK(is_refused(&(hm_id_table_desc){.capacity = 10, .memory = &broken}, HM_ERROR_INVALID));
}

static uint32_t default_slots(uint32_t capacity, const hm_memory *memory)
{
    hm_id_table table;
    hm_id_table_desc desc = {.capacity = capacity, .memory = memory};
    CHECK(hm_id_table_init(&table, &desc) == HM_OK);
    uint32_t max_slots = table.max_slots;
    hm_id_table_fini(&table);
    return max_slots;
}

TEST(id_table, zero_fields_mean_the_defaults)
{
    CHECK(default_slots(0, NULL) == UINT32_MAX && default_slots(0, hm_memory_heap()) == UINT32_MAX);
    CHECK(default_slots(1, NULL) == 1 << 20 && default_slots(1 << 16, NULL) == 1 << 20);
    CHECK(default_slots(5000000, NULL) == 80000000);
    CHECK(default_slots(1000, hm_memory_heap()) == 1 << 20);
    if (sizeof(void *) >= 8 &&
        test_has_addresses(sizeof(hm_handle) * UINT64_C(600000000), "6e8 slots"))
        CHECK(default_slots(300000000, NULL) == UINT32_MAX);
    hm_id_table table;
    CHECK(hm_id_table_init(&table, &(hm_id_table_desc){.max_slots = 70000}) == HM_OK);
    CHECK(hm_id_table_reserve(&table, 70000) == HM_OK);
    CHECK(hm_id_table_reserve(&table, 70001) == HM_ERROR_FULL);
    hm_id_table_fini(&table);
}

TEST(id_table, a_zeroed_table_is_an_empty_one_for_every_function)
{
    hm_id_table table = {0};
    hm_handle handle = hm_handle_pack(0, 1, 0);
    CHECK(hm_id_table_reserve(&table, 0) == HM_OK);
    CHECK(hm_id_table_reserve(&table, 1) == HM_ERROR_FULL);
    CHECK(hm_id_table_reserve(&table, UINT32_MAX) == HM_ERROR_FULL);
    CHECK(!is_live(&table, handle));
    CHECK(hm_handle_is_null(hm_id_table_handle_at(&table, 0)));
    CHECK(hm_id_table_explain(&table, handle) == HM_HANDLE_OUT_OF_RANGE);
    CHECK(hm_id_table_explain(&table, HM_NULL_HANDLE) == HM_HANDLE_NULL);
    CHECK(hm_id_table_validate(&table) == HM_OK);
    CHECK(hm_id_table_trim(&table) == HM_OK);
    hm_id_table_clear(&table);
    CHECK(hm_id_table_count(&table) == 0);
    hm_id_table_fini(&table);
    CHECK(is_zeroed(&table));
}

/* ---- validate ---- */

TEST(id_table, validate_finds_a_broken_entry)
{
    hm_id_table table;
    hm_handle handles[7];
    make(&table, 10, 20, NULL);
    live_through(&table, LIVES);
    issue_n(&table, 7, handles); /* slots 1 to 7; slot 0 is retired */
    release_down_to(&table, 4);
    CHECK(hm_id_table_validate(&table) == HM_OK);
    const uint64_t generation = UINT64_C(0xFFFF) << HM_HANDLE_GENERATION_SHIFT;
    const uint64_t type_id_bit = UINT64_C(1) << HM_HANDLE_TYPE_ID_SHIFT;
    const struct {
        uint32_t slot;
        uint64_t clear, flip;
    } damages[] = {
        {1, 0, 1},                         /* live: another's position */
        {7, 0, 1},                         /* free: another's position */
        {1, 0, 7},                         /* a position that is not used */
        {1, 0, HM_HANDLE_FREE_BIT},        /* live, with the free bit */
        {7, 0, HM_HANDLE_FREE_BIT},        /* free, but not retired: no free bit either */
        {1, generation, 0},                /* live: generation 0 */
        {7, generation, 0},                /* free: generation 0 */
        {1, 0, type_id_bit},               /* live: a foreign type id */
        {7, 0, type_id_bit},               /* free: a foreign type id */
        {0, 0, type_id_bit},               /* retired: a foreign type id */
        {0, 0, HM_HANDLE_FREE_BIT},        /* retired without the free bit */
        {0, generation, type_id_bit >> 1}, /* retired, but not spent */
        {0, UINT32_MAX, 0},                /* retired, but with a position */
        {7, UINT32_MAX, UINT32_MAX},       /* free, but without a position */
        /* in `slots`, but its entry is that of a retired slot */
        {7, generation | UINT32_MAX, generation | UINT32_MAX},
    };
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        hm_handle *entry = &table.entries[damages[i].slot];
        const hm_handle whole = *entry;
        entry->bits = (entry->bits & ~damages[i].clear) ^ damages[i].flip;
        CHECK(hm_id_table_validate(&table) == HM_ERROR_CORRUPT);
        *entry = whole;
        CHECK(hm_id_table_validate(&table) == HM_OK);
    }
    hm_id_table_fini(&table);
}

TEST(id_table, validate_finds_a_slot_that_stands_twice_or_nowhere)
{
    hm_id_table table;
    hm_handle handles[7];
    make_with(&table, 10, 20, 7, handles);
    release_down_to(&table, 4);
    for (uint32_t position = 0; position < 7; position++) {
        const uint32_t whole = table.slots[position];
        const uint32_t damages[] = {table.slots[(position + 1) % 7], 7, UINT32_MAX};
        for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
            table.slots[position] = damages[i];
            CHECK(hm_id_table_validate(&table) == HM_ERROR_CORRUPT);
        }
        table.slots[position] = whole;
        CHECK(hm_id_table_validate(&table) == HM_OK);
    }
    hm_id_table_fini(&table);
}

static void check_counts(uint32_t live)
{
    enum { DAMAGES = 12 };
    hm_id_table table;
    hm_handle handles[7], entries[7];
    uint32_t slots[7];
    make_with(&table, 10, 20, 7, handles);
    release_down_to(&table, live);
    memcpy(entries, table.entries, sizeof entries);
    memcpy(slots, table.slots, sizeof slots);
    hm_id_table damages[DAMAGES];
    for (size_t i = 0; i < DAMAGES; i++)
        damages[i] = table;
    damages[0].count = 8;
    damages[1].used = 8;
    damages[2].used = 6;
    damages[3].slot_count = 8;
    damages[4].slot_count = 6;
    damages[5].max_slots = 6;
    damages[6].slot_array.limit = 6;
    damages[7].entry_array.limit = damages[7].fresh_end = 6;
    damages[8].fresh_end = (uint32_t)table.entry_array.limit + 1;
    damages[9].entries = entries; /* equal contents, but not the table's array */
    damages[10].slots = slots;
    damages[11].type_id = TYPE_ID + 1;
    for (size_t i = 0; i < DAMAGES; i++)
        CHECK(hm_id_table_validate(&damages[i]) == HM_ERROR_CORRUPT);
    CHECK(hm_id_table_validate(&table) == HM_OK);
    hm_id_table_fini(&table);
}

TEST(id_table, validate_finds_counts_and_columns_that_contradict_each_other)
{
    check_counts(7);
    check_counts(4);
}

TEST(id_table, validate_finds_a_position_that_no_slot_has)
{
    hm_id_table table;
    hm_handle handles[7];
    make_with(&table, 10, 20, 7, handles);
    hm_handle *entry = &table.entries[6], saved = *entry;
    /* Retired, but its position is still among those that are used. */
    entry->bits |= UINT32_MAX | (uint64_t)HM_HANDLE_MAX_GENERATION << 32 | UINT64_C(1) << 63;
    CHECK(hm_id_table_validate(&table) == HM_ERROR_CORRUPT);
    *entry = saved;
    CHECK(hm_id_table_validate(&table) == HM_OK);
    hm_id_table_fini(&table);
}

/* ---- retirement ---- */

/* Makes the slot at position `count` one that is met in its last generation. */
static void spend_next(hm_id_table *table)
{
    table->entries[table->slots[table->count]].bits |= (uint64_t)LIVES
                                                       << HM_HANDLE_GENERATION_SHIFT;
}

TEST(id_table, without_a_capacity_a_reserve_of_more_than_the_slots_that_are_left_moves_nothing)
{
    enum { SLOTS = 100000 };
    hm_id_table table;
    make(&table, 0, SLOTS, NULL);
    live_through(&table, 1);
    spend_next(&table);
    const hm_handle *entries = table.entries;
    CHECK(hm_id_table_reserve(&table, SLOTS) == HM_ERROR_FULL && table.entries == entries);
    CHECK(table.slot_count == 1 && table.used == 0 && hm_id_table_validate(&table) == HM_OK);
    CHECK(hm_id_table_reserve(&table, SLOTS - 1) == HM_OK && table.entries != entries);
    CHECK(hm_id_table_validate(&table) == HM_OK);
    hm_id_table_fini(&table);
}

/* ---- what comes next ---- */

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

/* ---- broken contracts ---- */

TEST(id_table, without_a_capacity_it_grows_to_the_slot_of_an_adopted_handle)
{
    hm_handle handle = hm_handle_pack(50000, 3, 0);
    hm_status status = HM_ERROR_MEMORY;
    for (uint32_t k = 1; status != HM_OK; k++) {
        test_memory memory;
        hm_id_table table;
        test_memory_init(&memory, test_page_size(4096));
        CHECK(hm_id_table_init(&table, &(hm_id_table_desc){.memory = &memory.table}) == HM_OK);
        test_memory_fail(&memory, k, false);
        status = hm_id_table_adopt(&table, handle);
        CHECK(status == (test_memory_refused(&memory) ? HM_ERROR_MEMORY : HM_OK));
        CHECK(hm_id_table_validate(&table) == HM_OK);
        CHECK(hm_id_table_slot_count(&table) == (status == HM_OK ? 50001 : 0));
        CHECK(hm_id_table_contains(&table, handle) == (status == HM_OK));
        hm_id_table_fini(&table);
        test_memory_check_released(&memory);
    }
}

DEATH_TEST(id_table, swap_of_null_panics)
{
    hm_id_table_swap(NULL, 0, 0);
}

DEATH_TEST(id_table, swap_with_a_position_that_is_not_live_panics)
{
    hm_id_table table;
    make(&table, 10, 0, NULL);
    issue(&table);
    hm_id_table_swap(&table, 0, 1);
}

DEATH_TEST(id_table, swap_of_a_position_that_is_not_live_panics)
{
    hm_id_table table;
    make(&table, 10, 0, NULL);
    issue(&table);
    hm_id_table_swap(&table, 1, 0);
}
