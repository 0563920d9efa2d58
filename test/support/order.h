/* SPDX-License-Identifier: MIT */
/* What the tests of order share: a column of items with slots and entries, kept as a map keeps
 * them. Every exchange and compare is counted, and each call is checked against its budget. */
#ifndef TEST_SUPPORT_ORDER_H
#define TEST_SUPPORT_ORDER_H

#include "memory.h"
#include "test.h"

#include "../../src/order/order_private.h"

#include <stdlib.h>
#include <string.h>

/* A loose item was touched, inserted or moved by an erase: it may be anywhere among its equals. */
typedef struct ordered_item {
    uint64_t key;
    uint32_t id; /* rises from the first item to the last */
    bool is_loose;
} ordered_item;

typedef struct column {
    ordered_item *items;
    uint32_t *slots;
    hm_handle *entries;
    uint32_t slot_count, count, capacity;
    uint32_t next_id;
    uint64_t swapped, asked; /* in this call */
    bool *is_gone;           /* by id, which wrap around: whether it was erased */
    uint64_t lies;           /* state of the comparators that lie; 0: all are honest */
    hm_order_state *state;
    test_memory memory;
} column;

enum {
    IDS = 65536,
    WHOLE_CHECK = 1000, /* items; larger columns are not checked after each call */
    PATIENCE = 4000000  /* calls */
};

static inline void column_init(column *c, uint32_t capacity)
{
    memset(c, 0, sizeof *c);
    test_memory_init(&c->memory, hm_memory_os()->page_size);
    c->capacity = capacity;
    c->items = calloc(capacity + 1, sizeof *c->items);
    c->slots = calloc(capacity + 1, sizeof *c->slots);
    c->entries = calloc(capacity + 1, sizeof *c->entries);
    c->is_gone = calloc(IDS, sizeof *c->is_gone);
    CHECK(c->items != NULL && c->slots != NULL && c->entries != NULL && c->is_gone != NULL);
}

static inline void column_fini(column *c)
{
    hm_order_fini(&c->state);
    test_memory_check_released(&c->memory);
    free(c->items);
    free(c->slots);
    free(c->entries);
    free(c->is_gone);
}

static inline void column_set_position(column *c, uint32_t position, uint32_t slot)
{
    uint32_t generation = hm_handle_generation(c->entries[slot]);
    c->slots[position] = slot;
    c->entries[slot] = hm_handle_pack(position, generation, 0);
}

/* Adds an item behind the last one, as the id table does. */
static inline void column_insert(column *c, uint64_t key, bool is_loose)
{
    uint32_t position = c->count++;
    CHECK(position < c->capacity);
    if (position == c->slot_count)
        column_set_position(c, position, c->slot_count++);
    c->is_gone[c->next_id % IDS] = false;
    c->items[position] = (ordered_item){key, c->next_id++, is_loose};
}

static inline void column_erase(column *c, uint32_t index)
{
    uint32_t last = --c->count;
    uint32_t slot = c->slots[index];
    column_set_position(c, index, c->slots[last]);
    column_set_position(c, last, slot);
    c->is_gone[c->items[index].id % IDS] = true;
    if (index != last)
        c->items[last].is_loose = true;
    c->items[index] = c->items[last];
    hm_order_disturb(c->state, index, last);
}

static inline void column_edit(column *c, uint32_t index, uint64_t key)
{
    c->items[index].key = key;
    c->items[index].is_loose = true;
    hm_order_disturb(c->state, index, c->count);
}

/* Called when the library has exchanged two items, with their slots and entries. */
static inline void column_swapped(void *owner, uint32_t a, uint32_t b)
{
    column *c = owner;
    CHECK(a != b && a < c->count && b < c->count);
    CHECK(hm_handle_index(c->entries[c->slots[a]]) == a);
    CHECK(hm_handle_index(c->entries[c->slots[b]]) == b);
    c->swapped++;
}

static inline uint32_t column_find(const void *owner, hm_handle name)
{
    const column *c = owner;
    uint32_t slot = hm_handle_index(name);
    uint32_t position = HM_INVALID_INDEX;
    if (slot < c->slot_count)
        position = hm_handle_index(c->entries[slot]);
    return position < c->count ? position : HM_INVALID_INDEX;
}

static inline hm_sequence column_sequence(column *c)
{
    return (hm_sequence){.items = (unsigned char *)c->items,
                         .stride = sizeof *c->items,
                         .moved_size = sizeof *c->items,
                         .links = {.slots = c->slots, .entries = c->entries},
                         .slot_count = c->slot_count,
                         .count = c->count,
                         .capacity = c->capacity,
                         .swapped = column_swapped,
                         .find = column_find,
                         .owner = c,
                         .memory = &c->memory.table,
                         .what = "column",
                         .name = "tested"};
}

static inline void column_cut(column *c, uint32_t count)
{
    while (c->count > count)
        column_erase(c, c->count - 1);
}

/* Drops free slots behind the last live one, and trims the marks, as hm_map_trim does. */
static inline hm_status column_trim(column *c)
{
    uint32_t kept = 0, slot_count = 0;
    for (uint32_t i = 0; i < c->count; i++)
        if (c->slots[i] >= slot_count)
            slot_count = c->slots[i] + 1;
    for (uint32_t i = c->count; i < c->slot_count; i++)
        if (c->slots[i] < slot_count)
            column_set_position(c, c->count + kept++, c->slots[i]);
    c->slot_count = slot_count;
    return hm_order_trim(&c->state, c->count);
}

static inline bool column_is_doomed(void *owner, uint32_t index, void *context)
{
    const column *c = owner;
    CHECK(context == owner && index < c->count);
    return c->items[index].key / 2 % 2 == 0;
}

/* Erases the items whose key leaves 0 or 1 when divided by 4, as hm_map_erase_if does. */
static inline void column_erase_some(column *c)
{
    hm_sequence sequence = column_sequence(c);
    uint32_t others = hm_order_gather(c->state, &sequence, column_is_doomed, c);
    column_cut(c, others);
}

/* Checks that an item that is passed to the order is in the column. */
static inline const ordered_item *column_shown(column *c, const void *item)
{
    size_t offset = (size_t)((const unsigned char *)item - (const unsigned char *)c->items);
    CHECK(offset % sizeof *c->items == 0 && offset / sizeof *c->items < c->count);
    return item;
}

static inline int compare_keys(const void *a, const void *b, void *context)
{
    column *c = context;
    const ordered_item *x = column_shown(c, a), *y = column_shown(c, b);
    c->asked++;
    if (c->lies != 0)
        return (int)test_random_below(&c->lies, 3) - 1;
    return (x->key > y->key) - (x->key < y->key);
}

static inline uint64_t key_of(const void *item, void *context)
{
    column *c = context;
    const ordered_item *shown = column_shown(c, item);
    c->asked++;
    return c->lies != 0 ? test_random(&c->lies) : shown->key;
}

/* Makes ties, for compare to break. */
static inline uint64_t coarse_key_of(const void *item, void *context)
{
    return key_of(item, context) / 8;
}

/* A typed order may show copies, but of none that is gone. */
static inline int compare_typed(const ordered_item *a, const ordered_item *b, void *context)
{
    column *c = context;
    CHECK(a->id < c->next_id && !c->is_gone[a->id % IDS]);
    CHECK(b->id < c->next_id && !c->is_gone[b->id % IDS]);
    c->asked++;
    if (c->lies != 0)
        return (int)test_random_below(&c->lies, 3) - 1;
    return a->key < b->key ? -1 : 0;
}

HM_ORDER_DEFINE(by_typed_compare, ordered_item, compare_typed)
HM_ORDER_DEFINE_KEY(by_typed_key, ordered_item, key_of)

enum { ORDERS = 5 };

/* By compare, by key, by key and compare, by typed compare, by typed key. */
static inline hm_order column_order(column *c, uint32_t which)
{
    const hm_order orders[ORDERS] = {{.compare = compare_keys, .context = c},
                                     {.key = key_of, .context = c},
                                     {.compare = compare_keys, .key = coarse_key_of, .context = c},
                                     by_typed_compare,
                                     by_typed_key};
    hm_order order = orders[which % ORDERS];
    order.context = c;
    return order;
}

/* In order, with equal items as they were before, except loose ones. */
static inline bool column_is_in_order(const column *c)
{
    const ordered_item *before = NULL; /* the last one that is not loose */
    for (uint32_t i = 0; i < c->count; i++) {
        const ordered_item *here = &c->items[i];
        if (i > 0 && here[-1].key > here->key)
            return false;
        if (here->is_loose)
            continue;
        if (before != NULL && before->key == here->key && before->id > here->id)
            return false;
        before = here;
    }
    return true;
}

static inline void column_check_whole(const column *c)
{
    for (uint32_t i = 0; i < c->slot_count; i++)
        CHECK(hm_handle_index(c->entries[c->slots[i]]) == i);
}

/* Makes one call. */
static inline hm_progress column_run(column *c, hm_order order, hm_frame_budget budget)
{
    hm_sequence sequence = column_sequence(c);
    c->swapped = c->asked = 0;
    hm_frame_budget left = budget;
    hm_progress progress = hm_order_run(&c->state, &order, &sequence, &left);
    CHECK(progress.swaps == c->swapped && progress.compares == c->asked);
    CHECK(budget_is_lowered(budget, left, progress));
    if (c->count <= WHOLE_CHECK)
        column_check_whole(c);
    bool is_limited = budget.swaps_left != HM_NO_LIMIT || budget.compares_left != HM_NO_LIMIT;
    CHECK(is_limited || progress.done == (progress.status == HM_OK));
    CHECK(!progress.done || c->lies != 0 || column_is_in_order(c));
    return progress;
}

/* Makes calls until it is done; returns their total cost. Once memory is refused to a call, there
 * is memory again. */
static inline hm_progress column_finish(column *c, hm_order order, hm_frame_budget budget)
{
    hm_progress total = {0};
    for (uint32_t calls = 0; !total.done; calls++) {
        CHECK(calls < PATIENCE);
        hm_progress progress = column_run(c, order, budget);
        test_memory_follow(&c->memory, progress);
        total.swaps += progress.swaps;
        total.compares += progress.compares;
        total.done = progress.done;
    }
    return total;
}

/* random, sorted, reversed, organ-pipe, few-distinct, all-equal, one far out, rotated, nearly */
enum { SHAPES = 9 };

static inline void column_fill_shape(column *c, uint32_t shape, uint32_t count, uint64_t *random)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t shapes[SHAPES] = {
            test_random_below(random, 1000),
            i,
            count - i,
            i < count / 2 ? i : count - i,
            test_random_below(random, 4),
            7,
            i == 0 ? count : i,
            (i + count / 3) % count,
            test_random_below(random, 20) != 0 ? i : test_random_below(random, count)};
        column_insert(c, shapes[shape % SHAPES], false);
    }
}

/* A column of n items in order; what orders it. */
static inline hm_order column_init_in_order(column *c, uint32_t n, uint32_t kind)
{
    uint64_t random = 1;
    column_init(c, n);
    column_fill_shape(c, 1, n, &random);
    hm_order order = column_order(c, kind);
    CHECK(column_finish(c, order, (hm_frame_budget){HM_NO_LIMIT, HM_NO_LIMIT, false}).done);
    return order;
}

#endif
