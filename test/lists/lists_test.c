/* SPDX-License-Identifier: MIT */
/* What lists promise beside what their model compares and what all containers share: the destroy
 * hook, what moves, how blocks are used again, and sizes. */
#include "support/lists.h"

#include "support/layout.h"
#include "support/memory.h"

#include <string.h>

/* lists */

typedef struct log {
    int items[32];
    uint32_t count;
} log;

static void note(void *item, void *context)
{
    log *to = context;
    memcpy(&to->items[to->count++], item, sizeof(int));
}

/* Whether these items were destroyed since the last time, in this order. */
static bool were_destroyed(log *from, const int *items, uint32_t count)
{
    bool equal = from->count == count && memcmp(from->items, items, count * sizeof *items) == 0;
    from->count = 0;
    return equal;
}

static bool is_even(const void *item, void *context)
{
    int value;
    (void)context;
    memcpy(&value, item, sizeof value);
    return value % 2 == 0;
}

TEST(lists, destroy_is_told_of_each_item_that_ends_and_of_the_last_first)
{
    log ended = {.count = 0};
    const hm_lists_desc desc = {.item_size = sizeof(int), .destroy = note, .context = &ended};
    hm_lists lists;
    CHECK(hm_lists_init(&lists, &desc) == HM_OK);
    hm_handle list = hm_lists_create(&lists), other = hm_lists_create(&lists);
    const int items[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    CHECK(hm_lists_push_n(&lists, list, items, 10) == HM_OK);
    CHECK(hm_lists_push_n(&lists, other, items, 2) == HM_OK);
    CHECK(hm_lists_erase_at(&lists, list, 2) && were_destroyed(&ended, (int[]){2}, 1));
    CHECK(hm_lists_erase_ordered_at(&lists, list, 0) && were_destroyed(&ended, (int[]){0}, 1));
    CHECK(hm_lists_erase_if(&lists, list, is_even, NULL) == 3); /* of 1 9 3 4 5 6 7 8 */
    CHECK(were_destroyed(&ended, (int[]){8, 4, 6}, 3));
    CHECK(hm_lists_defragment(&lists, NULL).done); /* The blocks are exact. */
    CHECK(hm_lists_resize(&lists, list, 3) == HM_OK && were_destroyed(&ended, (int[]){7, 5}, 2));
    CHECK(!hm_lists_erase_at(&lists, list, 3) && hm_lists_resize(&lists, list, 3) == HM_OK);
    CHECK(ended.count == 0 && hm_lists_validate(&lists) == HM_OK);
    CHECK(hm_lists_destroy(&lists, list) && were_destroyed(&ended, (int[]){3, 9, 1}, 3));
    list = hm_lists_create(&lists);
    CHECK(hm_lists_push_n(&lists, list, items + 5, 2) == HM_OK);
    hm_lists_clear(&lists);
    CHECK(were_destroyed(&ended, (int[]){6, 5, 1, 0}, 4));
    list = hm_lists_create(&lists);
    CHECK(hm_lists_push_n(&lists, list, items, 3) == HM_OK);
    CHECK(hm_lists_resize(&lists, list, 0) == HM_OK && were_destroyed(&ended, (int[]){2, 1, 0}, 3));
    CHECK(hm_lists_push_n(&lists, list, items, 1) == HM_OK);
    hm_lists_fini(&lists);
    CHECK(were_destroyed(&ended, items, 1));
}

/* memory */

/* The range is remapped or copied; it is less than four times as large as the items, whose blocks
 * are twice as large at most. Where units lie depends on no page. */
TEST(lists, without_a_capacity_they_move_when_their_range_is_full)
{
    enum { SIZE = 40, LISTS = 4000 };
    uintptr_t last[2];
    for (int copies = 0; copies < 2; copies++) {
        test_memory memory;
        test_memory_init(&memory, copies ? 65536 : hm_memory_os()->page_size);
        if (copies)
            memory.table.remap = NULL;
        uint32_t moves = 0, most = LISTS / (test_scale() < 50 ? test_scale() : 50);
        hm_lists lists;
        const hm_lists_desc desc = {.item_size = SIZE, .memory = &memory.table};
        CHECK(hm_lists_init(&lists, &desc) == HM_OK && memory.calls == 2);
        CHECK(hm_lists_capacity(&lists) == UINT32_MAX - 1 && memory.reserved_size <= 65536);
        for (uint32_t i = 0; i < 20 * most; i++) {
            const unsigned char *base = lists.blocks.base;
            hm_handle list = i < most ? hm_lists_create(&lists) : hm_handle_pack(i % most, 1, 0);
            unsigned char *item = hm_lists_push(&lists, list, NULL);
            CHECK(item != NULL && test_bytes_are(item, SIZE, 0));
            memset(item, (int)(i % 251), SIZE);
            moves += lists.blocks.base != base;
        }
        for (uint32_t i = 0; i < 20 * most; i++) {
            unsigned char *items = hm_lists_items(&lists, hm_handle_pack(i % most, 1, 0), NULL);
            CHECK(test_bytes_are(items + SIZE * (i / most), SIZE, (unsigned char)(i % 251)));
        }
        CHECK(moves >= 5 && moves <= 30 && hm_lists_validate(&lists) == HM_OK);
        CHECK(memory.reserved_size <= 80 * most * SIZE + 56 * most + (512 << 10));
        CHECK(hm_lists_reserve(&lists, 10 * most) == HM_OK);
        last[copies] = lists.blocks.end;
        while (hm_lists_count(&lists) > 1)
            CHECK(hm_lists_destroy(&lists, hm_lists_handle_at(&lists, 1)));
        CHECK(hm_lists_defragment(&lists, NULL).done && hm_lists_trim(&lists) == HM_OK);
        CHECK(memory.reserved_size <= 3 * 65536 && count_of(&lists, hm_handle_pack(0, 1, 0)) == 20);
        hm_lists_fini(&lists);
        test_memory_check_released(&memory);
    }
    CHECK(last[0] == last[1]);
}

/* Two blocks take all of the range. The first becomes free, and is divided as long as the second is
 * hardly used. */
TEST(lists, without_a_capacity_a_large_range_grows_only_if_it_is_used)
{
    enum { UNITS = 1 << 16, SIZE = 16 };
    hm_lists lists;
    CHECK(hm_lists_init(&lists, &(hm_lists_desc){.item_size = SIZE}) == HM_OK);
    uint32_t many = (UNITS - 1) * ((1U << lists.blocks.unit_shift) / SIZE);
    hm_handle first = hm_lists_create(&lists), second = hm_lists_create(&lists);
    CHECK(hm_lists_resize(&lists, first, many) == HM_OK);
    CHECK(hm_lists_resize(&lists, second, many) == HM_OK);
    const void *range = lists.blocks.base;
    uint32_t end = lists.blocks.end;
    CHECK(end == 1 + 2 * UNITS && hm_lists_destroy(&lists, first));
    CHECK(hm_lists_resize(&lists, second, 1) == HM_OK);
    CHECK(hm_lists_push(&lists, hm_lists_create(&lists), NULL) != NULL);
    CHECK(lists.blocks.base == range && lists.blocks.end == end);
    CHECK(hm_lists_resize(&lists, second, many) == HM_OK && lists.blocks.base == range);
    CHECK(hm_lists_push_n(&lists, hm_lists_create(&lists), NULL, 100) == HM_OK);
    CHECK(lists.blocks.base != range && lists.blocks.end > end);
    finish(&lists);
}

/* Spent slots stay, and take more entries than there may be lists. */
TEST(lists, without_a_capacity_records_follow_where_retired_slots_need_space)
{
    hm_lists lists;
    test_memory memory;
    test_memory_init(&memory, hm_memory_os()->page_size);
    CHECK(hm_lists_init(&lists, &(hm_lists_desc){.item_size = 4, .memory = &memory.table}) ==
          HM_OK);
    uint32_t n = (uint32_t)lists.ids.slot_array.capacity;
    const uint32_t times = test_scale() < 50 ? 5 : 2;
    for (uint32_t i = 0; i < times * n; i++) {
        hm_handle list = HM_NULL_HANDLE;
        for (uint32_t k = 1; hm_handle_is_null(list); k++) {
            CHECK(hm_lists_validate(&lists) == HM_OK);
            test_memory_fail(&memory, k, true);
            list = hm_lists_create(&lists);
        }
        test_memory_fail(&memory, 0, false);
        uint32_t slot = hm_handle_index(list);
        hm_handle spent = hm_handle_pack(slot, HM_HANDLE_MAX_GENERATION, 0);
        lists.ids.entries[slot].bits |= spent.bits & ~(uint64_t)UINT32_MAX;
        lists.blocks.records[slot].tag = (uint32_t)(spent.bits >> 32);
        CHECK(slot == i && hm_lists_push(&lists, spent, NULL) != NULL);
        CHECK(hm_lists_destroy(&lists, spent) && hm_lists_validate(&lists) == HM_OK);
    }
    CHECK(lists.blocks.record_array.capacity >= times * n && lists.ids.slot_array.capacity == n);
    CHECK(hm_lists_reserve(&lists, 2 * n) == HM_OK && hm_lists_validate(&lists) == HM_OK);
    finish(&lists);
    test_memory_check_released(&memory);
}

/* Whether in small items, which a push copies first; with a capacity lists move alone. */
TEST(lists, items_of_the_lists_themselves_may_be_pushed_while_they_move)
{
    enum { WORDS = 25, MOST = 600 };
    for (int i = 0; i < 12; i++) {
        size_t size = i % 2 == 0 ? sizeof(uint32_t) : WORDS * sizeof(uint32_t);
        hm_lists lists;
        CHECK(hm_lists_init(&lists, &(hm_lists_desc){.item_size = size,
                                                     .capacity = i / 2 % 2 == 0 ? 0 : 2,
                                                     .max_items = 2 * MOST}) == HM_OK);
        hm_handle list[2] = {hm_lists_create(&lists), hm_lists_create(&lists)};
        for (uint32_t n = 0; n < 2 * MOST; n++) {
            uint32_t count, item[WORDS] = {0};
            const unsigned char *from = hm_lists_items(&lists, list[n / 2 % 2], &count);
            const void *last = n < 4 ? (const void *)item : from + size * (count - 1);
            memcpy(item, last, size);
            const void *place = NULL;
            if (i / 4 == 0)
                place = hm_lists_push(&lists, list[n % 2], last);
            else if (i / 4 == 1)
                place = hm_lists_insert_at(&lists, list[n % 2], count_of(&lists, list[n % 2]) / 2,
                                           last);
            else if (hm_lists_push_n(&lists, list[n % 2], last, 1) == HM_OK)
                place =
                    (unsigned char *)hm_lists_items(&lists, list[n % 2], &count) + size * (n / 2);
            CHECK(place != NULL && memcmp(place, item, size) == 0);
            memcpy((void *)(uintptr_t)place, &n, sizeof n);
        }
        finish(&lists);
    }
}

TEST(lists, items_of_every_size_and_alignment_are_kept)
{
    static const size_t sizes[] = {1, 3, 8, 16, 17, 24, 64, 200, 4096, 8192};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t align = 1; align <= 4096 && sizes[s] % align == 0; align *= 2) {
            unsigned char item[8192];
            hm_lists lists = make((hm_lists_desc){
                .item_size = sizes[s], .item_align = align, .capacity = 4, .max_items = 100});
            hm_handle list[2] = {hm_lists_create(&lists), hm_lists_create(&lists)};
            for (int i = 0; i < 40; i++) {
                memset(item, i, sizes[s]);
                const unsigned char *place = hm_lists_push(&lists, list[i % 2], item);
                CHECK(place != NULL && (uintptr_t)place % align == 0);
            }
            for (int i = 0; i < 40; i++) {
                const unsigned char *items = hm_lists_items(&lists, list[i % 2], NULL);
                memset(item, i, sizes[s]);
                CHECK(memcmp(items + sizes[s] * (size_t)(i / 2), item, sizes[s]) == 0);
            }
            finish(&lists);
        }
}
