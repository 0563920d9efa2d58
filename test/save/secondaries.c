/* SPDX-License-Identifier: MIT */
/* The row of the secondary. */
#include "saves.h"

enum { TYPE_OF_OWNERS = 80, BURST = 300, FAR = 40 /* one in so many owners has a high slot */ };

static const struct {
    uint32_t capacity, max_slots;
    size_t value_size;
} shapes[] = {
    {0, 0, 4},      {0, 900, 24},    {600, 100000, 8}, {40, 40, 1},
    {700, 2000, 3}, {0, 50000, 100}, {9, 1000000, 16},
};

static void init(saved *made, uint32_t shape, const hm_memory *memory)
{
    hm_secondary_desc desc = {.value_size = shapes[shape].value_size,
                              .capacity = shapes[shape].capacity,
                              .max_slots = shapes[shape].max_slots,
                              .type_id = TYPE_OF_OWNERS,
                              .memory = memory,
                              .name = "things"};
    CHECK(hm_secondary_init(&made->secondary, &desc) == HM_OK);
}

/* Returns a slot that owners may have: without a max_slots in the descriptor there are few. */
static uint32_t pick_slot(const hm_secondary *secondary, uint64_t *random)
{
    uint32_t most = secondary->max_slots < 3000 ? secondary->max_slots : 3000;
    if (secondary->max_slots <= 1000000 && test_random_below(random, FAR) == 0)
        most = secondary->max_slots;
    return test_random_below(random, most);
}

/* Sets a value, or replaces one. */
static const void *set(hm_secondary *secondary, uint64_t *random)
{
    unsigned char value[128];
    uint32_t slot = pick_slot(secondary, random), generation = 1 + test_random_below(random, 3);
    if (test_random_below(random, 50) == 0)
        generation = HM_HANDLE_MAX_GENERATION;
    saved_fill(value, secondary->value_size, random);
    return hm_secondary_set(secondary, hm_handle_pack(slot, generation, TYPE_OF_OWNERS), value);
}

static void run(saved *made, uint64_t *random)
{
    hm_secondary *secondary = &made->secondary;
    uint32_t count = hm_secondary_count(secondary), choice = test_random_below(random, 1000);
    if (choice < 3)
        hm_secondary_clear(secondary);
    else if (choice < 10)
        CHECK(hm_secondary_trim(secondary) == HM_OK);
    else if (choice < 400 && count > 0)
        CHECK(hm_secondary_remove(
            secondary, hm_secondary_owner_at(secondary, test_random_below(random, count))));
    else if (choice < 440)
        for (uint32_t n = test_random_below(random, BURST); n > 0; n--)
            (void)set(secondary, random);
    else
        (void)set(secondary, random);
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

static bool go_on(saved *a, saved *b, uint64_t *random)
{
    uint64_t state = *random;
    bool is_set = set(&a->secondary, random) != NULL;
    CHECK((set(&b->secondary, &state) != NULL) == is_set && state == *random);
    return is_set;
}

SAVED_KIND(secondary)
