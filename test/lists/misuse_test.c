/* SPDX-License-Identifier: MIT */
/* Misuse of pointers into lists: AddressSanitizer reports each. */
#include "support/lists.h"
#include "support/lists_blocks.h"
#include "support/memory.h"
#include "support/misuse.h"

static hm_lists make_particles(void)
{
    return make((hm_lists_desc){.item_size = sizeof(particle)});
}

static hm_handle make_full(hm_lists *lists, uint32_t n)
{
    hm_handle list = hm_lists_create(lists);
    CHECK(hm_lists_push_n(lists, list, NULL, n) == HM_OK);
    return list;
}

static particle *particles_of(const hm_lists *lists, hm_handle list)
{
    return hm_lists_items(lists, list, NULL);
}

DEATH_TEST(lists_misuse, an_item_is_read_at_its_old_place_after_its_list_has_grown)
{
    hm_lists lists = make_particles();
    hm_handle list = make_full(&lists, 4);
    make_full(&lists, 4);
    const particle *stale = particles_of(&lists, list);
    CHECK(hm_lists_push_n(&lists, list, NULL, 100) == HM_OK);
    CHECK(particles_of(&lists, list) != stale);
    expect_report();
    read_word(stale[3].words);
}

DEATH_TEST(lists_misuse, an_item_is_read_at_its_old_place_after_defragment)
{
    hm_lists lists = make_particles();
    hm_handle first = make_full(&lists, 4), second = make_full(&lists, 4);
    const particle *stale = particles_of(&lists, second);
    CHECK(hm_lists_destroy(&lists, first));
    CHECK(hm_lists_defragment(&lists, NULL).done);
    expect_report();
    read_word(stale[3].words);
}

DEATH_TEST(lists_misuse, an_item_is_read_after_its_list_is_destroyed)
{
    hm_lists lists = make_particles();
    hm_handle list = make_full(&lists, 4);
    make_full(&lists, 4);
    const particle *stale = particles_of(&lists, list);
    CHECK(hm_lists_destroy(&lists, list));
    expect_report();
    read_word(stale[1].words);
}

DEATH_TEST(lists_misuse, an_item_is_read_after_clear)
{
    hm_lists lists = make_particles();
    const particle *stale = particles_of(&lists, make_full(&lists, 4));
    hm_lists_clear(&lists);
    expect_report();
    read_word(stale->words);
}

DEATH_TEST(lists_misuse, the_last_item_is_read_after_erase_at)
{
    hm_lists lists = make_particles();
    hm_handle list = make_full(&lists, 4);
    const particle *items = particles_of(&lists, list);
    CHECK(hm_lists_erase_at(&lists, list, 1));
    expect_report();
    read_word(items[3].words);
}

DEATH_TEST(lists_misuse, a_loop_runs_past_the_last_item)
{
    hm_lists lists = make_particles();
    const particle *items = particles_of(&lists, make_full(&lists, 5));
    for (uint32_t i = 0; i <= 5; i++) {
        if (i == 5)
            expect_report();
        read_word(items[i].words);
    }
}

/* Checks that exactly the items and the heads can be used. */
static void check_poison(const hm_lists *lists)
{
    size_t unit_size = (size_t)1 << lists->unit_shift;
    for (uint32_t unit = 1, size; unit < lists->end; unit += size) {
        size = size_of_block(lists, unit);
        const hm_lists_block *block = hm_lists_block_at(lists, unit);
        unsigned char *bytes = hm_lists_address(lists, unit);
        size_t used = lists->item_size * count_in_block(lists, unit);
        CHECK(__asan_region_is_poisoned(bytes, sizeof *block) == NULL);
        CHECK(__asan_region_is_poisoned(bytes + unit_size, used) == NULL);
        for (size_t i = sizeof *block; i < unit_size; i += 8)
            CHECK(__asan_address_is_poisoned(bytes + i));
        for (size_t i = unit_size + (used + 7) / 8 * 8; i < unit_size * size; i += 8)
            CHECK(__asan_address_is_poisoned(bytes + i));
    }
    const unsigned char *end = hm_lists_address(lists, lists->end);
    const unsigned char *limit = lists->unit_array.data + lists->unit_array.committed_size;
    for (; end < limit; end += 8)
        CHECK(__asan_address_is_poisoned(end));
}

static bool is_any(const void *item, void *context)
{
    (void)item;
    (void)context;
    return true;
}

/* Also if the library itself was built without the sanitizer, as by checks/poison.sh. */
static void change_and_check(size_t item_size, size_t item_align)
{
    hm_handle list[8];
    hm_lists lists = make((hm_lists_desc){.item_size = item_size, .item_align = item_align});
    for (uint32_t i = 0; i < 8; i++)
        list[i] = make_full(&lists, 3 + i);
    check_poison(&lists);
    CHECK(hm_lists_push(&lists, list[0], NULL) != NULL);
    CHECK(hm_lists_push_n(&lists, list[1], NULL, 30) == HM_OK);
    CHECK(hm_lists_insert_at(&lists, list[2], 1, NULL) != NULL);
    CHECK(hm_lists_erase_at(&lists, list[0], 0) && hm_lists_erase_ordered_at(&lists, list[2], 0));
    CHECK(hm_lists_destroy(&lists, list[4]));
    CHECK(hm_lists_erase_if(&lists, list[5], is_any, NULL) == 8);
    check_poison(&lists);
    CHECK(!hm_lists_defragment(&lists, BUDGET(2, 0)).done);
    check_poison(&lists);
    CHECK(hm_lists_defragment(&lists, NULL).done);
    check_poison(&lists);
    CHECK(hm_lists_erase_at(&lists, list[3], 0));
    CHECK(hm_lists_resize(&lists, list[6], 2) == HM_OK);
    CHECK(hm_lists_erase_if(&lists, list[7], is_any, NULL) == 10);
    check_poison(&lists);
    make_full(&lists, 3);
    check_poison(&lists);
    CHECK(hm_lists_trim(&lists) == HM_OK);
    check_poison(&lists);
    hm_lists_clear(&lists);
    check_poison(&lists);
    finish(&lists);
}

TEST(lists_misuse, whatever_belongs_to_no_item_is_poisoned)
{
    change_and_check(8, 8);
    change_and_check(24, 8);
    change_and_check(40, 8);
    change_and_check(64, 64);
    change_and_check(256, 128);
    change_and_check(3, 1);
}

TEST(lists_misuse, a_decommit_that_is_refused_leaves_what_is_free_poisoned)
{
    test_memory memory;
    test_memory_init(&memory, hm_memory_os()->page_size);
    hm_lists lists = make((hm_lists_desc){.item_size = 4096, .memory = &memory.table});
    const unsigned char *items = hm_lists_items(&lists, make_full(&lists, 100), NULL);
    hm_lists_clear(&lists);
    test_memory_fail(&memory, 1, true);
    CHECK(hm_lists_trim(&lists) == HM_ERROR_MEMORY);
    for (size_t i = 0; i < 100; i++)
        CHECK(__asan_address_is_poisoned(items + 4096 * i));
    hm_lists_fini(&lists);
}
