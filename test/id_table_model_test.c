/* id_table: random operations against a naive model, everything compared after each. */
#include "support/id_table.h"
#include "support/memory.h"
#include "support/test.h"

#include <string.h>

/* In the first half of a phase the table grows, in the second it shrinks. */
enum { STEPS = 2000, PHASE = 160 };

typedef struct model {
    hm_id_table table;
    test_memory memory;
    uint64_t random;
    uint32_t capacity, max_slots, count;
    hm_handle *live;       /* position -> handle */
    uint16_t *generations; /* slot -> the one issued last; 0: none */
    bool *is_alive;        /* slot */
    uint32_t releases;
    bool ages;        /* releasing makes some slots old */
    uint32_t trimmed; /* slots that trims have dropped */
} model;

static void model_issue(model *m)
{
    hm_status status = hm_id_table_reserve(&m->table, 1);
    if (status != HM_OK) {
        CHECK(status == HM_ERROR_FULL);
        if (m->count == m->capacity)
            return;
        CHECK(m->table.slot_count == m->max_slots);
        for (uint32_t slot = 0; slot < m->max_slots; slot++)
            CHECK(m->is_alive[slot] || m->generations[slot] == LIVES);
        return;
    }
    hm_handle handle = issue(&m->table);
    uint32_t slot = hm_handle_index(handle), generation = hm_handle_generation(handle);
    CHECK(m->count < m->capacity && slot < m->max_slots && !m->is_alive[slot]);
    CHECK(hm_handle_type_id(handle) == TYPE_ID && !hm_handle_is_free(handle));
    CHECK(generation > m->generations[slot]);
    m->generations[slot] = (uint16_t)generation;
    m->is_alive[slot] = true;
    m->live[m->count++] = handle;
}

/* Once in 1,024 times the freed slot is made as old as tens of thousands of lives would make it. */
static void model_release(model *m)
{
    if (m->count == 0)
        return;
    uint32_t position = test_random_below(&m->random, m->count);
    uint32_t slot = hm_handle_index(m->live[position]);
    release_at(&m->table, position);
    m->live[position] = m->live[--m->count];
    m->is_alive[slot] = false;
    uint32_t age = LIVES - test_random_below(&m->random, 3);
    if (m->ages && ++m->releases % 1024 == 0 && m->generations[slot] < age) {
        hm_handle *entry = &m->table.entries[slot];
        entry->bits += (uint64_t)(age - m->generations[slot]) << HM_HANDLE_GENERATION_SHIFT;
        m->generations[slot] = (uint16_t)age;
    }
}

static void model_move(model *m)
{
    if (m->count == 0)
        return;
    uint32_t from = test_random_below(&m->random, m->count);
    uint32_t to = test_random_below(&m->random, from + 1);
    hm_handle moved = m->live[from];
    if (test_random_below(&m->random, 2) == 0) {
        hm_id_table_swap(&m->table, to, from);
        m->live[from] = m->live[to];
    } else {
        hm_id_table_rotate(&m->table, from, to);
        memmove(m->live + to + 1, m->live + to, (from - to) * sizeof *m->live);
    }
    m->live[to] = moved;
}

static void model_clear(model *m)
{
    hm_id_table_clear(&m->table);
    m->count = 0;
    memset(m->is_alive, 0, m->max_slots * sizeof *m->is_alive);
}

static void model_trim(model *m)
{
    uint32_t slots = m->table.slot_count;
    CHECK(hm_id_table_trim(&m->table) == HM_OK);
    m->trimmed += slots - m->table.slot_count;
}

/* The newest handle of the slot is as the model says, and those next to it do not resolve. */
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
    if (m->is_alive[slot])
        return state == HM_HANDLE_LIVE;
    return hm_id_table_find(&m->table, handle) == HM_INVALID_INDEX &&
           (state == HM_HANDLE_STALE || (state == HM_HANDLE_RETIRED && generation == LIVES));
}

static bool position_is_right(const model *m, uint32_t position)
{
    return hm_handle_equal(hm_id_table_handle_at(&m->table, position), m->live[position]) &&
           hm_id_table_find(&m->table, m->live[position]) == position;
}

static void model_check(const model *m)
{
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

static void model_step(model *m, bool growing)
{
    uint32_t choice = test_random_below(&m->random, 200);
    uint32_t times = 1 + test_random_below(&m->random, m->capacity / 12);
    if (choice < 2)
        model_clear(m);
    else if (choice < 12)
        model_trim(m);
    else if (choice < 50)
        model_move(m);
    else
        for (; times > 0; times--)
            choice < (growing ? 150 : 100) ? model_issue(m) : model_release(m);
}

static void run_model(size_t page_size, uint64_t seed)
{
    const uint32_t page = (uint32_t)(page_size / sizeof(hm_handle));
    model m = {.random = seed, .capacity = 3 * page + page / 2};
    m.max_slots = m.capacity + 4; /* so that retired slots soon make it full */
    test_memory_init(&m.memory, page_size);
    make(&m.table, m.capacity, m.max_slots, &m.memory);
    m.live = allocate_handles(m.capacity);
    m.generations = calloc(m.max_slots, sizeof *m.generations);
    m.is_alive = calloc(m.max_slots, sizeof *m.is_alive);
    CHECK(m.generations != NULL && m.is_alive != NULL);
    /* Old slots hold their pages fast, so the first half runs without them. */
    for (uint32_t step = 0; step < STEPS; step++) {
        m.ages = step > STEPS / 2;
        model_step(&m, step % PHASE < PHASE / 2);
        if (step % PHASE == PHASE - 1) { /* A few live slots can pin all pages, so let them go. */
            model_clear(&m);
            model_trim(&m);
        }
        model_check(&m);
    }
    CHECK(m.trimmed > 0);
    CHECK(m.table.slot_count > m.table.used); /* some slots were retired */
    hm_id_table_fini(&m.table);
    test_memory_check_released(&m.memory);
    free(m.live);
    free(m.generations);
    free(m.is_alive);
}

TEST(id_table, random_operations_do_what_a_naive_model_does)
{
    uint64_t seed = test_seed("the model of id_table");
    for (size_t page_size = 4096; page_size <= 65536; page_size *= 4)
        if (page_size >= hm_memory_os()->page_size)
            run_model(page_size, seed);
}
