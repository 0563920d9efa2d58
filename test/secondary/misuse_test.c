/* SPDX-License-Identifier: MIT */
/* Misuse of pointers to removed values: AddressSanitizer reports each. */
#include "support/memory.h"
#include "support/misuse.h"
#include "support/secondary.h"

HM_HANDLE_DEFINE(thing)
HM_SECONDARY_DEFINE(particle, thing, particle)

static thing_handle thing(uint32_t index)
{
    return (thing_handle){owner(index, 1)};
}

static particle_secondary make_full(void)
{
    particle_secondary secondary;
    const hm_secondary_desc desc = {.capacity = 1000, .type_id = OWNER_TYPE};
    CHECK(particle_secondary_init_desc(&secondary, &desc) == HM_OK);
    for (uint32_t i = 0; i < 100; i++)
        CHECK(particle_secondary_set(&secondary, thing(i), NULL) != NULL);
    return secondary;
}

DEATH_TEST(secondary_misuse, a_value_is_read_after_its_removal)
{
    particle_secondary secondary = make_full();
    particle *stale = particle_secondary_get(&secondary, thing(99));
    CHECK(particle_secondary_remove(&secondary, thing(99)));
    expect_report();
    read_word(stale->words);
}

DEATH_TEST(secondary_misuse, the_last_value_is_read_at_its_old_place_after_it_has_moved)
{
    particle_secondary secondary = make_full();
    particle *stale = particle_secondary_get(&secondary, thing(99));
    CHECK(particle_secondary_remove(&secondary, thing(3)));
    expect_report();
    read_word(stale->words);
}

DEATH_TEST(secondary_misuse, a_value_is_read_after_clear)
{
    particle_secondary secondary = make_full();
    particle *stale = particle_secondary_get(&secondary, thing(0));
    particle_secondary_clear(&secondary);
    expect_report();
    read_word(stale->words);
}

DEATH_TEST(secondary_misuse, a_loop_runs_past_the_last_value)
{
    particle_secondary secondary = make_full();
    const particle *values = particle_secondary_values(&secondary);
    for (uint32_t i = 0; i <= 100; i++) {
        if (i == 100)
            expect_report();
        read_word(values[i].words);
    }
}

DEATH_TEST(secondary_misuse, a_value_is_written_through_a_reserve)
{
    particle_secondary secondary = make_full();
    CHECK(particle_secondary_reserve(&secondary, 10) == HM_OK);
    volatile particle *values = particle_secondary_values(&secondary);
    expect_report();
    values[100].words[0] = 1;
}

static bool is_third(thing_handle of, const particle *value, void *context)
{
    (void)value;
    (void)context;
    return hm_handle_index(of.id) % 3 == 0;
}

/* Even if the library itself was built without the sanitizer, as by checks/poison.sh. */
TEST(secondary_misuse, remove_remove_if_and_clear_poison_every_place_that_they_empty)
{
    particle_secondary secondary = make_full();
    particle *values = particle_secondary_values(&secondary);
    CHECK(particle_secondary_remove(&secondary, thing(50)));
    CHECK(__asan_address_is_poisoned(&values[99]));
    CHECK(__asan_region_is_poisoned(values, 99 * sizeof *values) == NULL);
    CHECK(particle_secondary_remove_if(&secondary, is_third, NULL) == 34);
    CHECK(__asan_region_is_poisoned(values, 65 * sizeof *values) == NULL);
    for (uint32_t i = 65; i < 100; i++)
        CHECK(__asan_address_is_poisoned(&values[i]));
    particle_secondary_clear(&secondary);
    for (uint32_t i = 0; i < 100; i++)
        CHECK(__asan_address_is_poisoned(&values[i]));
    CHECK(particle_secondary_set(&secondary, thing(7), NULL) == values);
    CHECK(__asan_region_is_poisoned(values, sizeof *values) == NULL);
    CHECK(__asan_address_is_poisoned(&values[1]));
    particle_secondary_fini(&secondary);
}

TEST(secondary_misuse, a_decommit_that_is_refused_leaves_what_is_dead_poisoned)
{
    test_memory memory;
    test_memory_init_with_holes(&memory, hm_memory_os()->page_size);
    hm_secondary secondary = make((hm_secondary_desc){.value_size = 4096, .memory = &memory.table});
    for (uint32_t i = 0; i < 100; i++)
        CHECK(hm_secondary_set(&secondary, owner(i, 1), NULL) != NULL);
    unsigned char *values = hm_secondary_values(&secondary);
    hm_secondary_clear(&secondary);
    test_memory_fail(&memory, 1, true);
    CHECK(hm_secondary_trim(&secondary) == HM_ERROR_MEMORY);
    for (size_t i = 0; i < 100; i++)
        CHECK(__asan_address_is_poisoned(values + 4096 * i));
    hm_secondary_fini(&secondary);
}
