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
    uint32_t slot_count, used, reach; /* those that exist, are not retired, have ever existed */
    hm_handle *live;                  /* position -> handle */
    uint32_t *order;                  /* position -> slot, of live and of free ones */
    uint16_t *generations;            /* slot -> the last one issued; 0: none */
    uint16_t floors[64];              /* unit -> the highest one that a trim has dropped */
    bool *is_live, *is_retired;       /* slot */
} model;

/* Counts in this process: slots that trims dropped, slots that were retired, trims that were
 * refused, handles that were adopted. */
static uint32_t dropped, retired, refusals, adopted;

/* Refuses one of the next calls of the memory table, or it and all later ones, in every fourth
 * step. */
static void refuse(model *m, const uint32_t arguments[3])
{
    uint32_t k = arguments[2] % 4 == 0 ? 1 + arguments[2] / 8 % 3 : 0;
    test_memory_fail(&m->memory, k, arguments[2] / 4 % 2 != 0);
}

/* Whether the slot at this position is free for the last time. */
static bool is_spent(const model *m, uint32_t position)
{
    return m->generations[m->order[position]] == LIVES;
}

/* Retires the spent slots among the next n; the last free one takes the place of each. */
static void retire_spent(model *m, uint32_t n)
{
    for (uint32_t position = m->count; position < m->used && position - m->count < n;)
        if (is_spent(m, position)) {
            m->is_retired[m->order[position]] = true;
            m->order[position] = m->order[--m->used];
        } else {
            position++;
        }
}

/* How many of the next n issues find a free slot. */
static uint32_t usable_of(const model *m, uint32_t n)
{
    uint32_t usable = 0;
    for (uint32_t position = m->count; position < m->used && usable < n; position++)
        usable += !is_spent(m, position);
    return usable;
}

static bool reserve(model *m, uint32_t n)
{
    hm_status status = hm_id_table_reserve(&m->table, n);
    if (n > m->capacity - m->count) {
        CHECK(status == HM_ERROR_FULL);
        return false;
    }
    if (status == HM_ERROR_MEMORY) { /* Nothing is retired either. */
        CHECK(test_memory_refused(&m->memory) &&
              usable_of(m, n) + m->max_slots - m->slot_count >= n);
        return false;
    }
    retire_spent(m, n);
    CHECK(status == (n - usable_of(m, n) <= m->max_slots - m->slot_count ? HM_OK : HM_ERROR_FULL));
    return status == HM_OK;
}

/* The freed slot that is next, in its next generation, or a fresh one above the floor of its unit.
 */
static hm_handle expected_handle(model *m)
{
    if (m->count < m->used) {
        uint32_t slot = m->order[m->count];
        return hm_handle_pack(slot, m->generations[slot] + 1u, TYPE_ID);
    }
    uint32_t slot = m->order[m->used++] = m->slot_count++;
    m->reach = m->slot_count > m->reach ? m->slot_count : m->reach;
    return hm_handle_pack(slot, m->floors[slot / HM_ID_TABLE_UNIT] + 1u, TYPE_ID);
}

static void issue_one(model *m)
{
    if (!reserve(m, 1))
        return;
    hm_handle handle = issue(&m->table), expected = expected_handle(m);
    uint32_t slot = hm_handle_index(handle), generation = hm_handle_generation(handle);
    CHECK(hm_handle_equal(handle, expected));
    CHECK(m->count < m->capacity && slot < m->max_slots && !m->is_live[slot]);
    CHECK(generation > m->generations[slot]);
    m->generations[slot] = (uint16_t)generation;
    m->is_live[slot] = true;
    m->live[m->count++] = handle;
}

static void exchange(model *m, uint32_t a, uint32_t b)
{
    uint32_t slot = m->order[a];
    m->order[a] = m->order[b];
    m->order[b] = slot;
}

static void release_one(model *m, uint32_t position)
{
    uint32_t slot = m->order[position];
    if (position % 2 == 0)
        release_at(&m->table, position);
    else
        CHECK(hm_id_table_release_slot(&m->table, slot));
    CHECK(!hm_id_table_release_slot(&m->table, slot));
    m->is_live[slot] = false;
    m->live[position] = m->live[--m->count];
    exchange(m, position, m->count);
}

/* A slot that an adopt makes is free, and its floor has been used up, or generation 1. */
static void make_slot(model *m, uint32_t slot)
{
    uint16_t floor = m->floors[slot / HM_ID_TABLE_UNIT];
    m->generations[slot] = floor != 0 ? floor : 1;
    m->order[m->used++] = slot;
}

/* Slot, generation beyond the last one: the slot takes the place of the first free one, and that
 * the slot's. */
static void adopt(void *state, const uint32_t arguments[3])
{
    model *m = state;
    uint32_t slot = arguments[0] % (arguments[0] % 5 == 0 ? m->max_slots : m->slot_count / 2 + 3);
    bool is_made = slot < m->slot_count;
    uint32_t last = is_made ? m->generations[slot] : m->floors[slot / HM_ID_TABLE_UNIT];
    /* Behind the last generation it wraps. */
    hm_handle handle = hm_handle_pack(slot, last + arguments[1] % 4 - 1, TYPE_ID);
    uint32_t generation = hm_handle_generation(handle), position = m->count;
    refuse(m, arguments);
    hm_status status = hm_id_table_adopt(&m->table, handle);
    if (hm_handle_generation(handle) == 0 || slot >= m->max_slots) {
        CHECK(status == HM_ERROR_INVALID);
        return;
    }
    if (is_made && (m->is_live[slot] || m->is_retired[slot] || generation < last)) {
        CHECK(status == HM_ERROR_STALE);
        return;
    }
    if (status != HM_OK) { /* A trim that was refused may have raised a floor. */
        CHECK((status == HM_ERROR_STALE && !is_made && (generation < last || refusals != 0)) ||
              (status == HM_ERROR_FULL && m->count == m->capacity) ||
              (status == HM_ERROR_MEMORY && test_memory_refused(&m->memory)));
        return;
    }
    uint32_t first = m->slot_count;
    if (!is_made)
        make_slot(m, slot);
    while (m->order[position] != slot)
        position++;
    exchange(m, m->count, position);
    m->generations[slot] = (uint16_t)generation;
    m->is_live[slot] = true;
    m->live[m->count++] = handle;
    for (; first < slot; first++)
        make_slot(m, first);
    m->slot_count = is_made ? m->slot_count : slot + 1;
    m->reach = m->slot_count > m->reach ? m->slot_count : m->reach;
    adopted++;
}

/* Number. */
static void issue_some(void *state, const uint32_t arguments[3])
{
    model *m = state;
    uint32_t slots = m->table.slot_count - m->table.used;
    refuse(m, arguments);
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
    refuse(m, arguments);
    if (!reserve(m, n))
        return;
    test_memory_fail(&m->memory, 1, true); /* What was reserved needs none. */
    for (uint32_t k = 0; k < n; k++) {
        promised[k] = hm_id_table_upcoming(&m->table, k);
        CHECK(is_known(&m->table, promised[k], k));
    }
    for (uint32_t k = 0; k < n; k++) {
        issue_one(m);
        CHECK(hm_handle_equal(m->live[m->count - 1], promised[k]));
        CHECK(!hm_id_table_is_upcoming(&m->table, promised[k], UINT32_MAX));
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
    exchange(m, from, to);
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

static size_t whole_pages(const model *m, size_t size)
{
    size_t page_size = m->memory.table.page_size;
    return (size + page_size - 1) / page_size * page_size;
}

/* The slots that a trim keeps: all up to the end of the unit of the last one that is live, or in
 * its last generation. */
static uint32_t slots_to_keep(const model *m)
{
    uint32_t end = m->slot_count;
    while (end > 0 && !m->is_live[end - 1] && m->generations[end - 1] != LIVES)
        end--;
    end = (end + HM_ID_TABLE_UNIT - 1) / HM_ID_TABLE_UNIT * HM_ID_TABLE_UNIT;
    return end < m->slot_count ? end : m->slot_count;
}

static void drop(model *m, uint32_t end)
{
    uint32_t used = m->count;
    for (uint32_t slot = end; slot < m->slot_count; slot++) {
        uint16_t *floor = &m->floors[slot / HM_ID_TABLE_UNIT];
        *floor = m->generations[slot] > *floor ? m->generations[slot] : *floor;
    }
    for (uint32_t position = m->count; position < m->used; position++)
        if (m->order[position] < end)
            m->order[used++] = m->order[position];
    dropped += m->slot_count - end;
    m->used = used;
    m->slot_count = end;
}

static hm_handle_state expected_state(const model *m, uint32_t slot, uint32_t generation)
{
    if (slot >= m->reach)
        return HM_HANDLE_OUT_OF_RANGE;
    if (slot >= m->slot_count)
        return generation <= m->floors[slot / HM_ID_TABLE_UNIT] ? HM_HANDLE_STALE
                                                                : HM_HANDLE_FORGED;
    if (m->is_retired[slot])
        return HM_HANDLE_RETIRED;
    if (generation == m->generations[slot] && m->is_live[slot])
        return HM_HANDLE_LIVE;
    return generation <= m->generations[slot] ? HM_HANDLE_STALE : HM_HANDLE_FORGED;
}

/* Whether the slot's newest handle and those next to it are what the model says. */
static bool slot_is_right(const model *m, uint32_t slot)
{
    uint32_t newest = m->generations[slot];
    hm_handle live = m->is_live[slot] ? hm_handle_pack(slot, newest, TYPE_ID) : HM_NULL_HANDLE;
    if (!hm_handle_equal(hm_id_table_handle_of_slot(&m->table, slot), live))
        return false;
    for (uint32_t generation = newest > 1 ? newest - 1 : 1;
         generation <= newest + 1 && generation <= LIVES; generation++) {
        hm_handle handle = hm_handle_pack(slot, generation, TYPE_ID);
        hm_handle_state state = expected_state(m, slot, generation);
        bool is_found = hm_id_table_find(&m->table, handle) != HM_INVALID_INDEX;
        if (hm_id_table_explain(&m->table, handle) != state ||
            is_found != (state == HM_HANDLE_LIVE))
            return false;
    }
    return true;
}

static bool position_is_right(const model *m, uint32_t position)
{
    return hm_handle_equal(hm_id_table_handle_at(&m->table, position), m->live[position]) &&
           hm_id_table_find(&m->table, m->live[position]) == position;
}

/* Of slots that do not exist, a refused trim may have raised the floors. */
static void check_slots(const model *m, uint32_t end)
{
    CHECK(hm_id_table_validate(&m->table) == HM_OK);
    CHECK(m->table.count == m->count && m->table.used == m->used);
    CHECK(hm_id_table_slot_count(&m->table) == m->slot_count);
    CHECK(hm_handle_is_null(hm_id_table_handle_of_slot(&m->table, HM_INVALID_INDEX)));
    CHECK(hm_handle_is_null(hm_id_table_handle_at(&m->table, m->count)));
    uint32_t position = 0, slot = 0;
    while (position < m->count && position_is_right(m, position))
        position++;
    CHECK(position == m->count);
    while (slot < end && slot_is_right(m, slot))
        slot++;
    CHECK(slot == end);
}

static void check(void *state)
{
    const model *m = state;
    check_slots(m, m->max_slots);
}

/* A trim that is refused may be done in part; repeated, it is done. */
static void trim(void *state, const uint32_t arguments[3])
{
    model *m = state;
    uint32_t end = slots_to_keep(m);
    refuse(m, arguments);
    if (m->table.floors == NULL) /* They get memory once. */
        test_memory_fail(&m->memory, 1, false);
    hm_status status = hm_id_table_trim(&m->table);
    if (status != HM_OK) {
        CHECK(status == HM_ERROR_MEMORY && test_memory_refused(&m->memory));
        if (m->table.slot_count == end)
            drop(m, end);
        check_slots(m, m->slot_count);
        test_memory_fail(&m->memory, 0, false);
        CHECK(hm_id_table_trim(&m->table) == HM_OK);
        refusals++;
    }
    CHECK(!test_memory_refused(&m->memory));
    drop(m, end);
    CHECK(hm_array_committed_size(&m->table.entry_array) ==
          whole_pages(m, m->slot_count * sizeof(hm_handle)));
    CHECK(hm_array_committed_size(&m->table.slot_array) ==
          whole_pages(m, m->used * sizeof(uint32_t)));
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
    m->order = calloc(m->max_slots, sizeof *m->order);
    m->is_live = calloc(m->max_slots, sizeof *m->is_live);
    m->is_retired = calloc(m->max_slots, sizeof *m->is_retired);
    CHECK(m->generations != NULL && m->order != NULL);
    CHECK(m->is_live != NULL && m->is_retired != NULL);
    return m;
}

static void end(void *state)
{
    model *m = state;
    hm_id_table_fini(&m->table);
    test_memory_check_released(&m->memory);
    free(m->live);
    free(m->generations);
    free(m->order);
    free(m->is_live);
    free(m->is_retired);
    free(m);
}

/* Old slots keep trim from dropping their units, so one subject has none. */
static const test_operation operations[] = {
    {"issue", 120, issue_some}, {"release", 90, release_some},
    {"swap", 40, swap},         {"clear", 4, clear},
    {"trim", 12, trim},         {"promise", 40, promise_some},
    {"adopt", 60, adopt},       {"age", 2, age},
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
    CHECK(dropped > 0 && refusals > 0 && adopted > 0);
    play(&aging_subject);
    CHECK(retired > 0);
}
