/* SPDX-License-Identifier: MIT */
/* The row of the secondary. */
#include "saves.h"

enum { TYPE_OF_OWNERS = 80, BURST = 300, FAR = 40 /* one in so many owners has a high slot */ };

static const hm_secondary_desc shapes[] = {
    {.value_size = 4},
    {.value_size = 24, .max_slots = 900},
    {.value_size = 8, .capacity = 600, .max_slots = 100000},
    {.value_size = 1, .capacity = 40, .max_slots = 40},
    {.value_size = 3, .capacity = 700, .max_slots = 2000},
    {.value_size = 100, .max_slots = 50000},
    {.value_size = 16, .capacity = 9, .max_slots = 1000000},
};

/* Returns a slot that owners may have: without a max_slots in the descriptor there are few. */
static uint32_t pick_slot(const hm_secondary *secondary, uint64_t *random)
{
    uint32_t most = secondary->max_slots < 3000 ? secondary->max_slots : 3000;
    if (secondary->max_slots <= 1000000 && test_random_below(random, FAR) == 0)
        most = secondary->max_slots;
    return test_random_below(random, most);
}

/* Sets a value, or replaces one. */
static saved_answer add(saved *made, uint64_t *random)
{
    hm_secondary *secondary = &made->secondary;
    unsigned char value[128];
    uint32_t slot = pick_slot(secondary, random), generation = 1 + test_random_below(random, 3);
    if (test_random_below(random, 50) == 0)
        generation = HM_HANDLE_MAX_GENERATION;
    saved_fill(value, secondary->value_size, random);
    hm_handle owner = hm_handle_pack(slot, generation, TYPE_OF_OWNERS);
    bool is_set = hm_secondary_set(secondary, owner, value) != NULL;
    return (saved_answer){is_set ? HM_OK : HM_ERROR_FULL, HM_NULL_HANDLE};
}

static uint32_t run(saved *made, uint32_t choice, uint64_t *random)
{
    hm_secondary *secondary = &made->secondary;
    uint32_t count = hm_secondary_count(secondary);
    if (choice < 400 && count > 0)
        CHECK(hm_secondary_remove(
            secondary, hm_secondary_owner_at(secondary, test_random_below(random, count))));
    else
        return choice < 440 ? test_random_below(random, BURST) : 1;
    return 0;
}

static void compare(const saved *a, const saved *b)
{
    const hm_secondary *secondary = &a->secondary, *other = &b->secondary;
    uint32_t count = hm_secondary_count(secondary);
    CHECK(count == hm_secondary_count(other));
    for (uint32_t i = 0; i < count; i++) {
        hm_handle owner = hm_secondary_owner_at(secondary, i);
        const unsigned char *value = hm_secondary_get(secondary, owner),
                            *same = hm_secondary_get(other, owner);
        CHECK(hm_secondary_owner_at(other, i).bits == owner.bits && value != NULL && same != NULL);
        CHECK(memcmp(value, same, secondary->value_size) == 0);
    }
    for (uint32_t slot = 0; slot < 3100; slot++)
        for (uint32_t generation = 1; generation < 5; generation++) {
            hm_handle owner = hm_handle_pack(slot, generation, TYPE_OF_OWNERS);
            CHECK(hm_secondary_explain(secondary, owner) == hm_secondary_explain(other, owner));
        }
}

SAVED_DESC(secondary, TYPE_OF_OWNERS)
SAVED_KIND(secondary)
