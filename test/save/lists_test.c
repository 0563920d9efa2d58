/* SPDX-License-Identifier: MIT */
/* What is particular to the save and load of lists. */
#include "saves.h"
#include <stdio.h>

enum { TYPE = 9, ITEMS = 4000, HEADER = 48 + 13 * 4 + 5 + 8 /* bytes; the name has 5 */ };

static hm_lists make_empty(void)
{
    hm_lists lists;
    hm_lists_desc desc = {.item_size = 4, .type_id = TYPE, .name = "lists"};
    CHECK(hm_lists_init(&lists, &desc) == HM_OK);
    return lists;
}

static bool says(const char *words)
{
    return strstr(hm_last_error(), words) != NULL;
}

typedef struct counted {
    uint32_t left, refused; /* items that were made; the one that is refused */
    const hm_lists *lists;
} counted;

/* No callback sees anything of what is loaded. */
static void look(const hm_lists *lists)
{
    hm_lists_view view = {0};
    CHECK(hm_lists_count(lists) == 0 && hm_lists_item_count(lists) == 0);
    CHECK(!hm_lists_next(lists, &view) && !hm_lists_contains(lists, hm_handle_pack(0, 1, TYPE)));
}

static bool decode(uint32_t version, const void *bytes, size_t size, void *item, void *context)
{
    counted *counts = context;
    look(counts->lists);
    CHECK(version == 0);
    memcpy(item, bytes, size);
    if (counts->left == counts->refused)
        return false;
    counts->left++;
    return true;
}

static void destroy(void *item, void *context)
{
    counted *counts = context;
    look(counts->lists);
    CHECK(*(uint32_t *)item < ITEMS);
    counts->left--;
}

TEST(save_lists, a_refused_load_destroys_the_items_that_decode_has_made)
{
    static const uint32_t refused[] = {0, 1, 2, 9, 2500, ITEMS - 1, UINT32_MAX};
    hm_lists made = make_empty();
    test_file file = {0};
    hm_handle lists[4];
    CHECK(hm_lists_create_n(&made, 4, lists) == HM_OK);
    for (uint32_t i = 0; i < ITEMS; i++)
        CHECK(hm_lists_push(&made, lists[i % 3 == 0 ? 0 : 2 + i % 2], &i) != NULL);
    CHECK(hm_lists_save(&made, NULL, test_sink(&file)) == HM_OK);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        hm_lists loaded;
        counted counts = {0, refused[i], &loaded};
        hm_lists_desc desc = {.item_size = 4, .type_id = TYPE, .name = "lists"};
        hm_save_desc decodes = {.decode = decode, .context = &counts};
        desc.destroy = destroy;
        desc.context = &counts;
        CHECK(hm_lists_init(&loaded, &desc) == HM_OK);
        hm_stats before = hm_lists_get_stats(&loaded);
        hm_status status = hm_lists_load(&loaded, &decodes, test_source(&file));
        hm_stats after = hm_lists_get_stats(&loaded);
        CHECK(hm_lists_validate(&loaded) == HM_OK);
        if (refused[i] == UINT32_MAX) {
            CHECK(status == HM_OK && counts.left == ITEMS);
            hm_lists_clear(&made); /* So that the hook sees nothing in it, either. */
            counts.lists = &made;
        } else {
            CHECK(status == HM_ERROR_CORRUPT && says("decode refused") && counts.left == 0);
            CHECK(after.slots == 0 && after.committed_size <= 2 * before.committed_size);
        }
        hm_lists_fini(&loaded);
        CHECK(counts.left == 0);
    }
    hm_lists_fini(&made);
    test_file_end(&file);
}

TEST(save_lists, lists_that_cannot_be_are_refused)
{
    static const struct {
        size_t at; /* bytes from the first list on */
        unsigned char value;
        const char *why;
    } forgeries[] = {
        {0, 1, "slot 1 has no list, or is named twice"},
        {0, 3, "slot 3 has no list, or is named twice"},
        {0, 4, "slot 4 has no list, or is named twice"},
        {12, 0, "slot 0 has no list, or is named twice"},
        {4, 0, "its size and its counts disagree"}, /* it has no free block */
        {4, 3, "a list cannot have 3 items"},
    };
    hm_lists made = make_empty();
    test_file file = {0};
    hm_handle lists[4];
    const uint32_t item = 7;
    CHECK(hm_lists_create_n(&made, 4, lists) == HM_OK);
    for (uint32_t i = 0; i < 3; i += 2)
        CHECK(hm_lists_push(&made, lists[i], &item) != NULL);
    CHECK(hm_lists_destroy(&made, lists[1]) && hm_lists_destroy(&made, lists[3]));
    CHECK(hm_lists_defragment(&made, NULL).done);
    CHECK(hm_lists_save(&made, NULL, test_sink(&file)) == HM_OK);
    size_t first = HEADER + 4 * 2 + 2 * 4 + 2 * 4; /* 4 generations, 2 free slots, 2 positions */
    if (made.ids.slots[0] < made.ids.slots[1])
        first -= 2 * 4;
    for (size_t i = 0; i < sizeof forgeries / sizeof *forgeries; i++) {
        hm_lists loaded = make_empty();
        unsigned char *byte = file.bytes + first + forgeries[i].at, before = *byte;
        *byte = forgeries[i].value;
        test_file_seal(&file);
        CHECK(hm_lists_load(&loaded, NULL, test_source(&file)) == HM_ERROR_CORRUPT);
        CHECK(says(forgeries[i].why) && hm_lists_validate(&loaded) == HM_OK);
        *byte = before;
        test_file_seal(&file);
        CHECK(hm_lists_load(&loaded, NULL, test_source(&file)) == HM_OK);
        hm_lists_fini(&loaded);
    }
    hm_lists_fini(&made);
    test_file_end(&file);
}

/* Lists with blocks of each kind: exact ones, one that is free behind them, then blocks of a power
 * of two of units, with items and without, and free ones between them, two of one class. */
static hm_lists make_blocks(void)
{
    enum { LISTS = 8 };
    static const uint32_t counts[LISTS] = {6, 3, 2, 6, 6, 6, 6, 2};
    hm_lists made = make_empty();
    hm_handle lists[LISTS];
    hm_frame_budget budget = test_budget_of(1, HM_NO_LIMIT);
    CHECK(hm_lists_create_n(&made, LISTS, lists) == HM_OK);
    for (uint32_t i = 0; i < LISTS; i++)
        CHECK(hm_lists_push_n(&made, lists[i], NULL, counts[i]) == HM_OK);
    CHECK(hm_lists_resize(&made, lists[1], 1) == HM_OK);
    CHECK(!hm_lists_defragment(&made, &budget).done);
    CHECK(hm_lists_destroy(&made, lists[3]) && hm_lists_destroy(&made, lists[5]));
    CHECK(hm_lists_resize(&made, lists[6], 0) == HM_OK);
    return made;
}

/* Each byte of what the header and the payload say is changed in some ways. What is taken for true
 * is just what the file says: the lists save it so. */
TEST(save_lists, blocks_that_cannot_be_are_refused)
{
    enum {
        NUMBERS = 48 + 7 * 4 /* bytes before those of the blocks, but for the size of a unit */
    };
    static const unsigned char changes[] = {1, 2, 3, 4, 7, 8, 0x40, 0xFF};
    hm_lists made = make_blocks();
    test_file file = {0}, again = {0};
    uint32_t refused = 0;
    CHECK(hm_lists_save(&made, NULL, test_sink(&file)) == HM_OK);
    for (size_t at = NUMBERS; at < file.size - 8; at++)
        for (size_t i = 0; i < sizeof changes; i++) {
            hm_lists loaded = make_empty();
            if (at == HEADER - 8 - 5)
                at = HEADER; /* The name, and the checksum. */
            file.bytes[at] ^= changes[i];
            test_file_seal(&file);
            hm_status status = hm_lists_load(&loaded, NULL, test_source(&file));
            CHECK(hm_lists_validate(&loaded) == HM_OK);
            refused += status != HM_OK;
            again.size = 0;
            CHECK(hm_lists_save(&loaded, NULL, test_sink(&again)) == HM_OK);
            CHECK(status != HM_OK ||
                  (again.size == file.size && memcmp(again.bytes, file.bytes, file.size) == 0));
            file.bytes[at] ^= changes[i];
            hm_lists_fini(&loaded);
        }
    CHECK(refused > 100);
    hm_lists_fini(&made);
    test_file_end(&file);
    test_file_end(&again);
}

TEST(save_lists, a_header_whose_numbers_disagree_is_refused)
{
    static const struct {
        size_t at;
        unsigned char value;
        hm_status status;
        const char *why;
    } numbers[] = {
        {68, 1, HM_ERROR_FULL, "4294967297 items do not fit"},
        {60, 2, HM_ERROR_CORRUPT, "disagree"}, /* lists with items, for which there are bytes */
        {40, 1, HM_ERROR_CORRUPT, "disagree"}, /* bytes; the checksum falls on others */
    };
    hm_lists made = make_empty();
    test_file file = {0};
    const uint32_t item = 7;
    CHECK(hm_lists_push(&made, hm_lists_create(&made), &item) != NULL);
    CHECK(hm_lists_save(&made, NULL, test_sink(&file)) == HM_OK);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        hm_lists loaded = make_empty();
        unsigned char *byte = file.bytes + numbers[i].at, before = *byte;
        *byte = numbers[i].value;
        if (numbers[i].at == 60)
            file.bytes[40] += 8;
        test_file_seal(&file);
        CHECK(hm_lists_load(&loaded, NULL, test_source(&file)) == numbers[i].status);
        CHECK(says(numbers[i].why));
        CHECK(hm_lists_count(&loaded) == 0 && hm_lists_validate(&loaded) == HM_OK);
        *byte = before;
        hm_lists_fini(&loaded);
    }
    hm_lists_fini(&made);
    test_file_end(&file);
}
