/* SPDX-License-Identifier: MIT */
/* id_table: random operations against a naive model; everything is compared after each one. */
#include "support/id_table.h"
#include "support/memory.h"
#include "support/runner.h"

#include <string.h>

enum { STEPS = 2000 };

typedef struct model {
    hm_id_table table;
    test_memory memory;
    uint32_t capacity, max_slots, count;
    hm_handle *live;       /* position -> handle */
    uint16_t *generations; /* slot -> the last one issued; 0: none */
    bool *is_live;         /* slot */
} model;

/* Counts in this process: trims that dropped slots, slots that were retired. */
static uint32_t dropped, retired;

static void issue_one(model *m)
{
    hm_status status = hm_id_table_reserve(&m->table, 1);
    if (status != HM_OK) {
        CHECK(status == HM_ERROR_FULL);
        if (m->count == m->capacity)
            return;
        CHECK(m->table.slot_count == m->max_slots);
        for (uint32_t slot = 0; slot < m->max_slots; slot++)
            CHECK(m->is_live[slot] || m->generations[slot] == LIVES);
        return;
    }
    hm_handle handle = issue(&m->table);
    uint32_t slot = hm_handle_index(handle), generation = hm_handle_generation(handle);
    CHECK(m->count < m->capacity && slot < m->max_slots && !m->is_live[slot]);
    CHECK(hm_handle_type_id(handle) == TYPE_ID && !hm_handle_is_free(handle));
    CHECK(generation > m->generations[slot]);
    m->generations[slot] = (uint16_t)generation;
    m->is_live[slot] = true;
    m->live[m->count++] = handle;
}

static void release_one(model *m, uint32_t position)
{
    uint32_t slot = hm_handle_index(m->live[position]);
    release_at(&m->table, position);
    m->live[position] = m->live[--m->count];
    m->is_live[slot] = false;
}

/* Number. */
static void issue_some(void *state, const uint32_t arguments[3])
{
    model *m = state;
    uint32_t slots = m->table.slot_count - m->table.used;
    for (uint32_t n = arguments[0] % (m->capacity / 12) + 1; n > 0; n--)
        issue_one(m);
    retired += m->table.slot_count - m->table.used - slots;
}

/* Number: what upcoming says after a reserve is what issues return. */
static void promise_some(void *state, const uint32_t arguments[3])
{
    enum { MOST = 60 };
    model *m = state;
    hm_handle promised[MOST];
    uint32_t n = arguments[0] % MOST + 1;
    if (hm_id_table_reserve(&m->table, n) != HM_OK)
        return;
    for (uint32_t k = 0; k < n; k++)
        promised[k] = hm_id_table_upcoming(&m->table, k);
    for (uint32_t k = 0; k < n; k++) {
        issue_one(m);
        CHECK(hm_handle_equal(m->live[m->count - 1], promised[k]));
    }
}

/* Number, which. */
static void release_some(void *state, const uint32_t arguments[3])
{
    model *m = state;
    uint64_t random = arguments[1];
    for (uint32_t n = arguments[0] % (m->capacity / 12) + 1; n > 0 && m->count > 0; n--)
        release_one(m, test_random_below(&random, m->count));
}

/* Which slot, generations left: gives a free slot a late generation, without as many reuses. */
static void age(void *state, const uint32_t arguments[3])
{
    model *m = state;
    uint32_t free_count = m->table.used - m->count;
    if (free_count == 0)
        return;
    uint32_t slot = m->table.slots[m->count + arguments[0] % free_count];
    uint32_t generation = LIVES - arguments[1] % 3;
    if (m->generations[slot] >= generation)
        return;
    m->table.entries[slot].bits += (uint64_t)(generation - m->generations[slot])
                                   << HM_HANDLE_GENERATION_SHIFT;
    m->generations[slot] = (uint16_t)generation;
}

/* From, to. */
static void swap(void *state, const uint32_t arguments[3])
{
    model *m = state;
    if (m->count == 0)
        return;
    uint32_t from = arguments[0] % m->count, to = arguments[1] % m->count;
    hm_handle moved = m->live[from];
    hm_id_table_swap(&m->table, to, from);
    m->live[from] = m->live[to];
    m->live[to] = moved;
}

static void clear(void *state, const uint32_t arguments[3])
{
    model *m = state;
    (void)arguments;
    hm_id_table_clear(&m->table);
    m->count = 0;
    memset(m->is_live, 0, m->max_slots * sizeof *m->is_live);
}

static void trim(void *state, const uint32_t arguments[3])
{
    model *m = state;
    uint32_t slots = m->table.slot_count;
    (void)arguments;
    CHECK(hm_id_table_trim(&m->table) == HM_OK);
    dropped += slots - m->table.slot_count;
}

/* Whether the slot's newest handle is as the model says, and the handles next to it do not resolve.
 */
static bool slot_is_right(const model *m, uint32_t slot)
{
    uint32_t generation = m->generations[slot];
    hm_handle handle = hm_handle_pack(slot, generation, TYPE_ID);
    hm_handle older = hm_handle_pack(slot, generation - 1, TYPE_ID);
    hm_handle newer = hm_handle_pack(slot, generation + 1, TYPE_ID);
    hm_handle_state state = hm_id_table_explain(&m->table, handle);
    if (hm_id_table_find(&m->table, older) != HM_INVALID_INDEX ||
        hm_id_table_find(&m->table, newer) != HM_INVALID_INDEX)
        return false;
    if (generation == 0)
        return state == HM_HANDLE_FORGED;
    if (m->is_live[slot])
        return state == HM_HANDLE_LIVE;
    return hm_id_table_find(&m->table, handle) == HM_INVALID_INDEX &&
           (state == HM_HANDLE_STALE || (state == HM_HANDLE_RETIRED && generation == LIVES));
}

static bool position_is_right(const model *m, uint32_t position)
{
    return hm_handle_equal(hm_id_table_handle_at(&m->table, position), m->live[position]) &&
           hm_id_table_find(&m->table, m->live[position]) == position;
}

static void check(void *state)
{
    const model *m = state;
    CHECK(hm_id_table_validate(&m->table) == HM_OK);
    CHECK(m->table.count == m->count);
    CHECK(hm_handle_is_null(hm_id_table_handle_at(&m->table, m->count)));
    uint32_t position = 0, slot = 0;
    while (position < m->count && position_is_right(m, position))
        position++;
    CHECK(position == m->count);
    while (slot < m->max_slots && slot_is_right(m, slot))
        slot++;
    CHECK(slot == m->max_slots);
}

/* Page size. */
static void *begin(const uint32_t arguments[3])
{
    size_t page_size = (size_t)4096 << arguments[0] % 3 * 2;
    if (page_size < hm_memory_os()->page_size)
        page_size = hm_memory_os()->page_size;
    const uint32_t page = (uint32_t)(page_size / sizeof(hm_handle));
    model *m = calloc(1, sizeof *m);
    CHECK(m != NULL);
    m->capacity = 3 * page + page / 2;
    m->max_slots = m->capacity + 4; /* so that retired slots soon fill it */
    test_memory_init(&m->memory, page_size);
    make(&m->table, m->capacity, m->max_slots, &m->memory);
    m->live = allocate_handles(m->capacity);
    m->generations = calloc(m->max_slots, sizeof *m->generations);
    m->is_live = calloc(m->max_slots, sizeof *m->is_live);
    CHECK(m->generations != NULL && m->is_live != NULL);
    return m;
}

static void end(void *state)
{
    model *m = state;
    hm_id_table_fini(&m->table);
    test_memory_check_released(&m->memory);
    free(m->live);
    free(m->generations);
    free(m->is_live);
    free(m);
}

/* Old slots keep trim from dropping their pages, so one subject has none. */
static const test_operation operations[] = {
    {"issue", 120, issue_some},
    {"release", 90, release_some},
    {"swap", 40, swap},
    {"clear", 4, clear},
    {"trim", 12, trim},
    {"promise", 40, promise_some},
    {"age", 2, age},
};

enum { OPERATIONS = sizeof operations / sizeof *operations };

static const test_subject subject = {
    "id_table", operations, OPERATIONS - 1, begin, check, end,
};
static const test_subject aging_subject = {
    "aging_id_table", operations, OPERATIONS, begin, check, end,
};

TEST(id_table, random_operations_do_what_a_naive_model_does)
{
    if (test_run_given(&subject) || test_run_given(&aging_subject))
        return;
    uint64_t random = test_seed("the model of id_table");
    uint32_t steps = test_scaled(STEPS / 2);
    for (uint32_t page = 0; page < 3; page++) {
        test_run_random(&subject, (uint32_t[]){page, 0, 0}, steps, &random);
        test_run_random(&aging_subject, (uint32_t[]){page, 0, 0}, steps, &random);
    }
}

static void play(const test_subject *played)
{
    uint64_t random = 1;
    test_script script = test_script_draw(played, (uint32_t[]){0, 0, 0}, STEPS, &random);
    test_script_play(&script);
    free(script.steps);
}

/* The test above, which plays in children, is worth something only if it gets that far. */
TEST(id_table, random_operations_reach_trims_and_retirement)
{
    play(&subject);
    CHECK(dropped > 0);
    play(&aging_subject);
    CHECK(retired > 0);
}
