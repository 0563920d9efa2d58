/* SPDX-License-Identifier: MIT */
/* What a secondary refuses, what it takes, and that validate sees each kind of damage. */
#include "support/secondary.h"

#include "support/damage.h"
#include "support/memory.h"

#include <string.h>

/* init */

TEST(secondary_contract, the_index_space_may_have_all_indices)
{
    if (!test_has_addresses(UINT64_C(1) << 35, "a secondary of 2^32 - 1 slots"))
        return;
    hm_secondary secondary = make((hm_secondary_desc){.capacity = 10, .max_slots = UINT32_MAX});
    set(&secondary, owner(UINT32_MAX - 1, 1), 1);
    CHECK(hm_secondary_set(&secondary, owner(UINT32_MAX, 1), NULL) == NULL);
    hm_secondary_stats stats = hm_secondary_get_stats(&secondary);
    CHECK(stats.slots == UINT32_MAX);
    /* A byte for each segment, the positions of one, and a page of values and of owners. */
    size_t segments = (size_t)((UINT64_C(1) << 32) / SEGMENT_SLOTS);
    CHECK(stats.committed_size == segments + SEGMENT_SIZE + 2 * hm_memory_os()->page_size);
    CHECK(hm_secondary_remove(&secondary, owner(UINT32_MAX - 1, 1)));
    CHECK(hm_secondary_trim(&secondary) == HM_OK);
    CHECK(hm_secondary_get_stats(&secondary).committed_size == 0);
    finish(&secondary);
}

static uint64_t int_key(const void *value, void *context)
{
    (void)context;
    return (uint64_t) * (const int *)value;
}

static const hm_order by_key = {.key = int_key};

TEST(secondary_contract, a_refused_set_says_why)
{
    hm_secondary secondary = make((hm_secondary_desc){.capacity = 2, .max_slots = 4});
    set(&secondary, owner(1, 9), 1);
    CHECK(hm_secondary_set(&secondary, owner(1, 8), NULL) == NULL);
    CHECK(strcmp(hm_last_error(), "generation 8 of slot 1 is followed by generation 9") == 0);
    set(&secondary, owner(2, 1), 1);
    CHECK(hm_secondary_set(&secondary, owner(3, 1), NULL) == NULL);
    CHECK(strcmp(hm_last_error(), "hm_secondary: 'secondary': 2 of 2 items are there, and no room "
                                  "for 1 more: raise its capacity") == 0);
    finish(&secondary);
}

/* validate */

/* Breaks one thing in a secondary that has been put in order, with 3 values. */
static int damage(hm_secondary *secondary, int how)
{
    int number = 0;
    const char *owner = "the owner at position 1 is damaged";
    const char *sparse = "the secondary's sparse column is damaged";
    const char *counts = "the secondary's values, count and committed memory disagree";
    DAMAGE(owner, secondary->owners[1].bits &= ~((uint64_t)0xFFFF << HM_HANDLE_GENERATION_SHIFT));
    DAMAGE(owner, secondary->owners[1].bits ^= UINT64_C(1) << HM_HANDLE_TYPE_ID_SHIFT);
    DAMAGE(owner, secondary->owners[1].bits |= HM_HANDLE_FREE_BIT);
    DAMAGE(owner, secondary->owners[1] = secondary->owners[0]);
    DAMAGE(owner, secondary->positions[1] = 2);
    DAMAGE(sparse, secondary->segments[0] = 0);
    DAMAGE(sparse, secondary->segments[0] = 3); /* the marks of a trim are gone after it */
    DAMAGE(sparse, secondary->positions_size += SEGMENT_SIZE);
    DAMAGE(sparse, secondary->slot_end = secondary->max_slots);
    DAMAGE(counts, secondary->segment_array.count = 0);
    DAMAGE(counts, secondary->max_slots = secondary->slot_end - 1);
    DAMAGE(counts, secondary->value_array.limit = 1);
    DAMAGE(counts, secondary->owner_array.limit = 1);
    DAMAGE(counts, secondary->values++);
    DAMAGE(counts, secondary->owners++);
    DAMAGE(counts, secondary->segments++);
    DAMAGE(counts, secondary->value_size++);
    DAMAGE(counts, secondary->guard.limit++);
    DAMAGE(counts, secondary->guard.flags |= HM_GUARD_BUSY); /* then it is 0 */
    DAMAGE(counts,
           secondary->guard.flags &= ~(uint32_t)HM_GUARD_ORDERED); /* remove tells the order */
    return number;
}

TEST(secondary_contract, validate_sees_each_broken_invariant)
{
    for (int how = 0, damages = 1; how < damages; how++) {
        hm_secondary secondary = make((hm_secondary_desc){0});
        fill(&secondary, 3);
        CHECK(hm_secondary_defragment(&secondary, &by_key, NULL).done);
        CHECK(hm_secondary_validate(&secondary) == HM_OK);
        hm_secondary damaged = secondary;
        damages = damage(&damaged, how);
        CHECK(is_told(hm_secondary_validate(&damaged)));
        secondary.segments[0] = 1;
        for (uint32_t i = 0; i < 3; i++) {
            secondary.owners[i] = owner(i, 1);
            secondary.positions[i] = i;
        }
        finish(&secondary);
    }
}

/* Both segments have memory always. */
TEST(secondary_contract, validate_sees_a_missing_segment_of_one_without_a_capacity)
{
    for (uint32_t segment = 0; segment < 2; segment++) {
        hm_secondary secondary;
        CHECK(hm_secondary_init(&secondary, &(hm_secondary_desc){.value_size = 4}) == HM_OK);
        CHECK(hm_secondary_validate(&secondary) == HM_OK);
        secondary.segments[segment] = 0;
        CHECK(hm_secondary_validate(&secondary) == HM_ERROR_CORRUPT);
        hm_secondary_fini(&secondary);
    }
}

/* What an order that is not finished lists is found through the positions of slots: one that has no
 * value must not lead to another slot's value. */
TEST(secondary_contract, the_slot_of_a_removed_value_has_no_position)
{
    hm_secondary secondary = make((hm_secondary_desc){0});
    fill(&secondary, 3);
    CHECK(hm_secondary_remove(&secondary, owner(0, 1)));
    CHECK(secondary.positions[0] == HM_INVALID_INDEX && secondary.positions[2] == 0);
    CHECK(hm_secondary_remove(&secondary, owner(1, 1)));
    CHECK(secondary.positions[1] == HM_INVALID_INDEX && secondary.positions[2] == 0);
    finish(&secondary);
}

/* A secondary that is never ordered has no state. */
TEST(secondary_contract, without_an_order_its_state_is_neither_read_nor_written)
{
    hm_secondary secondary = make((hm_secondary_desc){0});
    CHECK(secondary.order == NULL);
    memset(&secondary.order, 0xDD, sizeof secondary.order);
    fill(&secondary, 100);
    for (uint32_t i = 0; i < 100; i++) {
        set(&secondary, owner(i, 2), (int)i);
        hm_secondary_touch(&secondary, owner(i, 2));
    }
    for (uint32_t i = 0; i < 100; i++)
        CHECK(hm_secondary_remove(&secondary, owner(i % 2 == 0 ? i : 100 - i, 2)));
    secondary.order = NULL;
    finish(&secondary);
}
