/* SPDX-License-Identifier: MIT */
/* As many items as a container may have, whose last word of marks ends at 2^32. Only those at the
 * end exist and are moved; the others are made up when they are compared. */
#include "support/order.h"

enum { LAST = 128, MISPLACED = 40, CALLS = 100000 };
static const uint32_t count = UINT32_MAX - 1, begin = UINT32_MAX - 1 - LAST;

/* In words: the state, and with it 2 bits for each position. */
enum { MARKS = (sizeof(hm_order_state) + 7) / 8, RANGE = MARKS + (UINT32_MAX - 1) / 32 + 1 };

typedef struct crowd {
    uint64_t keys[LAST]; /* by position, from `begin` on */
    uint32_t slots[LAST];
    uint32_t positions[LAST]; /* slot -> position, from `begin` on */
    uint64_t made_up[4];      /* the keys of others that were asked for last */
    uint32_t asked_for;
    hm_order_state *state;
} crowd;

static void *crowd_item_at(const void *owner, uint32_t index)
{
    crowd *c = (crowd *)(uintptr_t)owner;
    if (index >= begin)
        return &c->keys[index - begin];
    uint64_t *made_up = &c->made_up[c->asked_for++ % 4];
    *made_up = 2 * (uint64_t)index;
    return made_up;
}

static uint32_t crowd_slot_at(const void *owner, uint32_t index)
{
    return index < begin ? index : ((const crowd *)owner)->slots[index - begin];
}

static uint32_t crowd_position_of(const void *owner, uint32_t slot)
{
    return slot < begin ? slot : ((const crowd *)owner)->positions[slot - begin];
}

static void crowd_swapped(void *owner, uint32_t a, uint32_t b)
{
    crowd *c = owner;
    CHECK(a != b && a >= begin && b >= begin && a < count && b < count);
    uint64_t key = c->keys[a - begin];
    uint32_t slot = c->slots[a - begin];
    c->keys[a - begin] = c->keys[b - begin];
    c->slots[a - begin] = c->slots[b - begin];
    c->keys[b - begin] = key;
    c->slots[b - begin] = slot;
    c->positions[c->slots[a - begin] - begin] = a;
    c->positions[slot - begin] = b;
}

static int by_number(const void *a, const void *b, void *context)
{
    uint64_t x, y;
    (void)context;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* Three items are out of order. All but the last `unseen` have been scanned; of those that have,
 * the three are touched. */
static void put_in_order(void *range, uint32_t unseen)
{
    const hm_frame_budget budget =
        test_budget_of(1000, 1000); /* so that a loop without an end takes calls */
    static const uint32_t misplaced[] = {LAST - MISPLACED, LAST - 2, LAST - 1};
    static const hm_accessors accessors = {crowd_item_at, crowd_slot_at, crowd_position_of};
    crowd c = {.state = range};
    *c.state = (hm_order_state){.cursor = count - unseen, .marks = (uint64_t *)range + MARKS};
    c.state->range.capacity = c.state->range.limit = RANGE;
    c.state->order.compare = by_number;
    for (uint32_t i = 0; i < LAST; i++) {
        c.keys[i] = 2 * (uint64_t)(begin + i);
        c.slots[i] = c.positions[i] = begin + i;
    }
    c.keys[LAST - MISPLACED] = c.keys[LAST - 10] + 1;
    c.keys[LAST - 2] = c.keys[LAST - 31] + 1;
    c.keys[LAST - 1] = c.keys[LAST - 30] + 1;
    for (uint32_t i = 0; i < 3; i++)
        if (begin + misplaced[i] < c.state->cursor)
            hm_order_disturb(c.state, begin + misplaced[i], count);
    hm_sequence sequence = {.lane_size = sizeof *c.keys,
                            .lane_shift = HM_LANES_BY_ACCESSORS,
                            .accessors = &accessors,
                            .slot_count = count,
                            .count = count,
                            .capacity = count,
                            .swapped = crowd_swapped,
                            .owner = &c,
                            .memory = hm_memory_os()};
    bool is_done = false;
    for (uint32_t calls = 0; !is_done; calls++) {
        CHECK(calls < CALLS);
        is_done = hm_order_run(&c.state, &c.state->order, &sequence, ONCE(budget)).done;
    }
    for (uint32_t i = 1; i < LAST; i++)
        CHECK(c.keys[i - 1] <= c.keys[i]);
    hm_order_fini(&c.state);
}

TEST(order_limit, the_most_items_that_a_container_may_have_come_into_order)
{
    static const char what[] = "marks of 2^32 positions";
    const hm_memory *os = hm_memory_os();
    size_t size = sizeof(uint64_t) * RANGE + os->page_size - 1; /* few bytes are written to */
    size &= ~(os->page_size - 1);
    if (sizeof(void *) < 8 || test_scale() > 1) {
        test_leave_out(what);
        return;
    }
    if (!test_has_addresses(size, what))
        return;
    unsigned char *range = os->reserve(os->context, size);
    CHECK(range != NULL);
    if (os->commit(os->context, range, size)) {
        put_in_order(range, 0);
        put_in_order(range, 29);
    } else {
        test_leave_out(what);
    }
    os->release(os->context, range, size);
}
