/* SPDX-License-Identifier: MIT */
/* An order whose items are found by functions: rows in chunks of uneven sizes. A plain column gets
 * the same items and changes. Each call must spend the same on both, and leave the same order. */
#include "support/order.h"

enum { MOST = 300, CHUNK_SIZES = 5, CALLS = 60 };

typedef struct chunk_row {
    ordered_item item;
    uint32_t slot;
} chunk_row;

typedef struct chunked {
    chunk_row *chunks[MOST];
    chunk_row *rows[MOST];    /* where each position is */
    uint32_t positions[MOST]; /* slot -> position; it may be wrong for a slot that has left */
    uint32_t count, swapped;
    column plain; /* says which slot an insert takes */
    hm_order_state *state;
    test_memory memory;
} chunked;

static void *chunked_item_at(const void *owner, uint32_t index)
{
    const chunked *c = owner;
    CHECK(index < c->count);
    return &c->rows[index]->item;
}

static uint32_t chunked_slot_at(const void *owner, uint32_t index)
{
    const chunked *c = owner;
    CHECK(index < c->count);
    return c->rows[index]->slot;
}

static uint32_t chunked_position_of(const void *owner, uint32_t slot)
{
    const chunked *c = owner;
    CHECK(slot < c->plain.slot_count);
    return c->positions[slot];
}

static void chunked_swapped(void *owner, uint32_t a, uint32_t b)
{
    chunked *c = owner;
    CHECK(a != b && a < c->count && b < c->count);
    chunk_row row = *c->rows[a];
    *c->rows[a] = *c->rows[b];
    *c->rows[b] = row;
    c->positions[c->rows[a]->slot] = a;
    c->positions[row.slot] = b;
    c->swapped++;
}

static uint32_t chunked_find(const void *owner, hm_handle name)
{
    const chunked *c = owner;
    uint32_t slot = hm_handle_index(name);
    uint32_t position = slot < c->plain.slot_count ? c->positions[slot] : HM_INVALID_INDEX;
    return position < c->count && c->rows[position]->slot == slot ? position : HM_INVALID_INDEX;
}

static hm_sequence chunked_sequence(chunked *c)
{
    static const hm_accessors accessors = {chunked_item_at, chunked_slot_at, chunked_position_of};
    return (hm_sequence){.lane_size = sizeof c->rows[0]->item,
                         .lane_shift = HM_LANES_BY_ACCESSORS,
                         .accessors = &accessors,
                         .slot_count = c->plain.slot_count,
                         .count = c->count,
                         .capacity = MOST,
                         .swapped = chunked_swapped,
                         .find = chunked_find,
                         .owner = c,
                         .memory = &c->memory.table};
}

static void chunked_init(chunked *c)
{
    static const uint32_t sizes[CHUNK_SIZES] = {7, 1, 64, 3, 18};
    memset(c, 0, sizeof *c);
    column_init(&c->plain, MOST);
    test_memory_init(&c->memory, hm_memory_os()->page_size);
    for (uint32_t i = 0, chunk = 0; i < MOST; chunk++) {
        uint32_t size = sizes[chunk % CHUNK_SIZES];
        c->chunks[chunk] = calloc(size, sizeof(chunk_row));
        CHECK(c->chunks[chunk] != NULL);
        for (uint32_t k = 0; k < size && i < MOST; k++)
            c->rows[i++] = &c->chunks[chunk][k];
    }
}

static void chunked_fini(chunked *c)
{
    hm_order_fini(&c->state);
    test_memory_check_released(&c->memory);
    for (uint32_t chunk = 0; chunk < MOST; chunk++)
        free(c->chunks[chunk]);
    column_fini(&c->plain);
}

/* Checks that both have the same items at the same positions. */
static void chunked_check(const chunked *c)
{
    CHECK(c->count == c->plain.count);
    for (uint32_t i = 0; i < c->count; i++) {
        CHECK(c->rows[i]->item.id == c->plain.items[i].id);
        CHECK(c->rows[i]->item.key == c->plain.items[i].key);
        CHECK(c->rows[i]->slot == c->plain.slots[i]);
        CHECK(c->positions[c->rows[i]->slot] == i);
    }
}

static void chunked_insert(chunked *c, uint64_t key, bool is_loose)
{
    uint32_t position = c->count++;
    column_insert(&c->plain, key, is_loose);
    c->rows[position]->item = c->plain.items[position];
    c->rows[position]->slot = c->plain.slots[position];
    c->positions[c->plain.slots[position]] = position;
}

/* The last row moves to the hole. An odd slot gets a position that means nothing here, as that of a
 * row in another sequence. */
static void chunked_drop(chunked *c, uint32_t index)
{
    uint32_t last = --c->count, slot = c->rows[index]->slot;
    *c->rows[index] = *c->rows[last];
    c->positions[c->rows[index]->slot] = index;
    c->positions[slot] = slot % 2 == 0 ? HM_INVALID_INDEX : (last + slot) * 7 % MOST;
    hm_order_disturb(c->state, index, last);
}

static void chunked_erase(chunked *c, uint32_t index)
{
    column_erase(&c->plain, index);
    chunked_drop(c, index);
}

static void chunked_edit(chunked *c, uint32_t index, uint64_t key)
{
    column_edit(&c->plain, index, key);
    c->rows[index]->item.key = key;
    hm_order_disturb(c->state, index, c->count);
}

static bool chunked_is_doomed(void *owner, uint32_t index, void *context)
{
    const chunked *c = owner;
    CHECK(context == owner);
    return c->rows[index]->item.key / 2 % 2 == 0;
}

static void chunked_erase_some(chunked *c)
{
    hm_sequence sequence = chunked_sequence(c);
    uint32_t others = hm_order_gather(c->state, &sequence, chunked_is_doomed, c);
    column_erase_some(&c->plain);
    CHECK(others == c->plain.count);
    while (c->count > others)
        chunked_drop(c, c->count - 1);
    chunked_check(c);
}

static int compare_items(const void *a, const void *b, void *context)
{
    const ordered_item *x = a, *y = b;
    ++*(uint64_t *)context;
    return (x->key > y->key) - (x->key < y->key);
}

static uint64_t item_key(const void *item, void *context)
{
    ++*(uint64_t *)context;
    return ((const ordered_item *)item)->key;
}

/* Makes one call on both. */
static bool chunked_run(chunked *c, uint32_t which, hm_budget budget)
{
    static uint64_t asked;
    asked = c->swapped = 0;
    const hm_order orders[] = {{.compare = compare_items, .context = &asked},
                               {.key = item_key, .context = &asked}};
    hm_sequence sequence = chunked_sequence(c);
    hm_progress wanted = column_run(&c->plain, column_order(&c->plain, which), budget);
    hm_progress progress = hm_order_run(&c->state, &orders[which], &sequence, ONCE(budget));
    CHECK(progress.swaps == c->swapped && progress.compares == asked);
    CHECK(progress.swaps == wanted.swaps && progress.compares == wanted.compares);
    CHECK(progress.done == wanted.done && progress.status == wanted.status);
    test_memory_follow(&c->memory, progress);
    test_memory_follow(&c->plain.memory, wanted);
    chunked_check(c);
    return progress.done;
}

static void chunked_change(chunked *c, uint64_t *random)
{
    uint32_t what = test_random_below(random, 10);
    uint64_t key = test_random_below(random, 100);
    if (what < 3 && c->count < MOST)
        chunked_insert(c, key, true);
    else if (what < 6 && c->count > 0)
        chunked_erase(c, test_random_below(random, c->count));
    else if (what < 9 && c->count > 0)
        chunked_edit(c, test_random_below(random, c->count), key);
    else if (test_random_below(random, 8) == 0)
        chunked_erase_some(c);
}

static void chunked_fill(chunked *c, uint32_t shape, uint32_t count, uint64_t *random)
{
    column shaped;
    column_init(&shaped, count);
    column_fill_shape(&shaped, shape, count, random);
    for (uint32_t i = 0; i < count; i++)
        chunked_insert(c, shaped.items[i].key, false);
    column_fini(&shaped);
}

static void refuse_both(chunked *c, bool is_refused)
{
    test_memory_fail(&c->memory, is_refused, is_refused);
    test_memory_fail(&c->plain.memory, is_refused, is_refused);
}

static const uint32_t limits[] = {1, 7, 1000};

/* Changes rows between calls, and then lets them get done. */
static void live(uint32_t round, bool is_refused, uint64_t *random)
{
    hm_budget budget = hm_budget_of(limits[round % 3], limits[round / 3 % 3]);
    uint32_t which = round / 9 % 2, calls = 0;
    chunked c;
    chunked_init(&c);
    refuse_both(&c, is_refused);
    chunked_fill(&c, test_random_below(random, SHAPES), 1 + test_random_below(random, MOST),
                 random);
    for (; calls < CALLS; calls++) {
        chunked_run(&c, which, budget);
        if (test_random_below(random, 3) == 0)
            chunked_change(&c, random);
    }
    while (!chunked_run(&c, which, budget))
        CHECK(calls++ < PATIENCE);
    chunked_fini(&c);
}

TEST(order_accessors, rows_in_chunks_are_put_in_order_as_those_in_a_column_are)
{
    uint64_t random = test_seed("rows in chunks");
    for (uint32_t round = 0; round < test_scaled(600); round++)
        live(round, false, &random);
}

TEST(order_accessors, rows_in_chunks_are_put_in_order_once_there_is_memory)
{
    uint64_t random = test_seed("rows in chunks without memory");
    for (uint32_t round = 0; round < test_scaled(200); round++)
        live(round, true, &random);
}

/* Lists the slots in the order that names ask for: each at its first name, then all others. */
static uint32_t expect_slots(const chunked *c, const hm_handle *names, uint32_t n, uint32_t *slots)
{
    static bool is_listed[MOST];
    uint32_t listed = 0;
    memset(is_listed, 0, sizeof is_listed);
    for (uint32_t i = 0; i < n + c->count; i++) {
        uint32_t position = i < n ? chunked_find(c, names[i]) : i - n;
        if (position >= c->count || is_listed[c->rows[position]->slot])
            continue;
        slots[listed] = c->rows[position]->slot;
        is_listed[slots[listed++]] = true;
    }
    return listed;
}

static void arrange(uint32_t round, bool is_refused, uint64_t *random)
{
    hm_handle names[MOST];
    uint32_t slots[MOST], n = test_random_below(random, MOST), calls = 0;
    hm_budget budget = hm_budget_of(limits[round % 3], limits[round / 3 % 3]);
    hm_progress progress = {0};
    chunked c;
    chunked_init(&c);
    refuse_both(&c, is_refused);
    chunked_fill(&c, round, MOST, random);
    for (uint32_t i = 0; i < n; i++)
        names[i] = hm_handle_pack(test_random_below(random, MOST), 1, 0);
    for (uint32_t i = 0; i < MOST / 4; i++)
        chunked_erase(&c, test_random_below(random, c.count));
    hm_sequence sequence = chunked_sequence(&c);
    CHECK(expect_slots(&c, names, n, slots) == c.count);
    while (!progress.done) {
        c.swapped = 0;
        progress = hm_order_arrange(&c.state, names, n, &sequence, ONCE(budget));
        CHECK(progress.swaps == c.swapped && c.swapped <= budget.max_swaps);
        test_memory_follow(&c.memory, progress);
        CHECK(calls++ < PATIENCE);
    }
    for (uint32_t i = 0; i < c.count; i++)
        CHECK(c.rows[i]->slot == slots[i] && c.positions[slots[i]] == i);
    chunked_fini(&c);
}

TEST(order_accessors, rows_in_chunks_are_arranged_as_named)
{
    uint64_t random = test_seed("names of rows in chunks");
    for (uint32_t round = 0; round < test_scaled(90); round++)
        arrange(round, round / 9 % 2 != 0, &random);
}
