/* SPDX-License-Identifier: MIT */
/* What is particular to the save and load of secondaries. */
#include "saves.h"

enum { TYPE = 9, HEADER = 48 + 4 + 4 + 8, OWNER = 6 };

static hm_secondary make_empty(uint32_t capacity, uint32_t max_slots)
{
    hm_secondary secondary;
    hm_secondary_desc desc = {.value_size = 4,
                              .capacity = capacity,
                              .max_slots = max_slots,
                              .type_id = TYPE,
                              .name = "tags"};
    CHECK(hm_secondary_init(&secondary, &desc) == HM_OK);
    return secondary;
}

static void set(hm_secondary *secondary, uint32_t slot, uint32_t value)
{
    CHECK(hm_secondary_set(secondary, hm_handle_pack(slot, 3, TYPE), &value) != NULL);
}

static bool says(const char *words)
{
    return strstr(hm_last_error(), words) != NULL;
}

/* Forges the owner of a value in a file with two values. */
static void forge(test_file *file, uint32_t index, uint32_t slot, uint32_t generation)
{
    unsigned char *owner = file->bytes + HEADER + 2 * 4 + OWNER * index;
    for (int i = 0; i < 4; i++)
        owner[i] = (unsigned char)(slot >> 8 * i);
    owner[4] = (unsigned char)generation;
    owner[5] = (unsigned char)(generation >> 8);
    test_file_seal(file);
}

TEST(save_secondary, owners_that_cannot_be_are_refused)
{
    static const struct {
        uint32_t index, slot, generation;
        const char *why;
    } owners[] = {
        {0, 70000, 3, "two owners have one slot"},
        {0, 70000, 4, "two owners have one slot"},
        {0, 5, 0, "slot 5, generation 0 is no owner"},
        {1, 70001, 3, "slot 70001, generation 3 is no owner"},
        {1, 69999, 3, "no owner has the last of 70001 slots"},
    };
    hm_secondary made = make_empty(0, 0);
    test_file file = {0};
    set(&made, 5, 1);
    set(&made, 70000, 2);
    CHECK(hm_secondary_save(&made, NULL, test_sink(&file)) == HM_OK);
    for (int way = 0; way < 3; way++) {
        hm_secondary loaded = make_empty(way == 0 ? 0 : 2, 100000);
        if (way == 2) { /* It has positions for more slots than at first, which it may give back. */
            set(&loaded, 99999, 1);
            hm_secondary_clear(&loaded);
        }
        hm_stats before = hm_secondary_get_stats(&loaded);
        for (size_t i = 0; i < sizeof owners / sizeof *owners; i++) {
            forge(&file, owners[i].index, owners[i].slot, owners[i].generation);
            CHECK(hm_secondary_load(&loaded, NULL, test_source(&file)) == HM_ERROR_CORRUPT);
            CHECK(says(owners[i].why) && says("section 'tags'"));
            hm_stats after = hm_secondary_get_stats(&loaded);
            CHECK(after.count == 0 && after.committed_size <= 2 * before.committed_size);
            CHECK(hm_secondary_validate(&loaded) == HM_OK);
            forge(&file, 0, 5, 3);
            forge(&file, 1, 70000, 3);
        }
        CHECK(hm_secondary_load(&loaded, NULL, test_source(&file)) == HM_OK);
        CHECK(hm_secondary_contains(&loaded, hm_handle_pack(70000, 3, TYPE)));
        hm_secondary_fini(&loaded);
    }
    hm_secondary_fini(&made);
    test_file_end(&file);
}

TEST(save_secondary, a_header_whose_numbers_disagree_is_refused)
{
    static const struct {
        size_t at;
        unsigned char value;
    } numbers[] = {{32, 1}, {48, 1}, {40, 19}}; /* values, slots, bytes */
    hm_secondary made = make_empty(0, 0), loaded = make_empty(0, 0);
    test_file file = {0};
    set(&made, 5, 1);
    set(&made, 70, 2);
    CHECK(hm_secondary_save(&made, NULL, test_sink(&file)) == HM_OK);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        unsigned char *byte = file.bytes + numbers[i].at, before = *byte;
        *byte = numbers[i].value;
        test_file_seal(&file);
        CHECK(hm_secondary_load(&loaded, NULL, test_source(&file)) == HM_ERROR_CORRUPT);
        CHECK(says("its size and its counts disagree") && hm_secondary_count(&loaded) == 0);
        *byte = before;
    }
    hm_secondary_fini(&made);
    hm_secondary_fini(&loaded);
    test_file_end(&file);
}

TEST(save_secondary, a_file_with_more_than_there_can_be_is_refused)
{
    hm_secondary made = make_empty(0, 0), small = make_empty(2, 1000), low = make_empty(3, 900);
    hm_save_desc few = {.max_count = 2}, near = {.max_slots = 900};
    test_file file = {0};
    for (uint32_t i = 0; i < 3; i++)
        set(&made, 997 + i, i);
    CHECK(hm_secondary_save(&made, NULL, test_sink(&file)) == HM_OK);
    CHECK(hm_secondary_load(&small, NULL, test_source(&file)) == HM_ERROR_FULL);
    CHECK(says("3 values do not fit: there may be 2"));
    CHECK(hm_secondary_load(&low, NULL, test_source(&file)) == HM_ERROR_FULL);
    CHECK(says("1000 slots do not fit: there may be 900"));
    CHECK(hm_secondary_load(&small, &few, test_source(&file)) == HM_ERROR_CORRUPT);
    CHECK(hm_secondary_load(&low, &near, test_source(&file)) == HM_ERROR_CORRUPT);
    CHECK(hm_secondary_load(&made, NULL, test_source(&file)) == HM_ERROR_INVALID);
    CHECK(says("'tags' has 3 values: load into a new secondary") && hm_secondary_count(&made) == 3);
    hm_secondary_clear(&made);
    CHECK(hm_secondary_load(&made, NULL, test_source(&file)) == HM_OK);
    CHECK(hm_secondary_count(&made) == 3 && hm_secondary_validate(&made) == HM_OK);
    hm_secondary_fini(&made);
    hm_secondary_fini(&small);
    hm_secondary_fini(&low);
    test_file_end(&file);
}
