/* SPDX-License-Identifier: MIT */
/* What a secondary refuses, what it takes, and that validate sees each kind of damage. */
#include "support/secondary.h"

#include "support/damage.h"
#include "support/memory.h"

/* init */

static uint64_t int_key(const void *value, void *context)
{
    (void)context;
    return (uint64_t) * (const int *)value;
}

static const hm_order by_key = {.key = int_key};

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
