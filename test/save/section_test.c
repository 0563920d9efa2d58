/* SPDX-License-Identifier: MIT */
/* Sections of a file: those that are skipped, and the byte that a refusal names. */
#include "saves.h"

enum {
    BLOCK = 65536,
    SUM = 8,                    /* bytes of a checksum */
    HEAD = 48 + 4 * 4 + 1 + SUM /* bytes of the header of a map whose name is one letter */
};

/* Appends a section of n items of this size, whose name is one letter. */
static void append_map(test_file *file, const char *name, uint32_t n, size_t item_size)
{
    hm_map map;
    CHECK(hm_map_init(&map, &(hm_map_desc){.item_size = item_size, .type_id = 1, .name = name}) ==
          HM_OK);
    CHECK(hm_map_insert_n(&map, NULL, n, NULL) == HM_OK);
    CHECK(hm_map_save(&map, NULL, test_sink(file)) == HM_OK);
    hm_map_fini(&map);
}

static hm_status load_map(test_file *file, const char *name, size_t item_size,
                          const hm_save_desc *desc, uint32_t *count)
{
    hm_map map;
    CHECK(hm_map_init(&map, &(hm_map_desc){.item_size = item_size, .type_id = 1, .name = name}) ==
          HM_OK);
    hm_status status = hm_map_load(&map, desc, test_source(file));
    *count = hm_map_count(&map);
    CHECK(hm_map_validate(&map) == HM_OK);
    hm_map_fini(&map);
    return status;
}

/* Beside each item there are 2 bytes for its slot. */
TEST(save_section, one_of_whole_blocks_or_nearly_is_skipped_to_its_end)
{
    static const struct {
        uint32_t n, item_size;
    } shapes[] = {{1024, 62}, {2048, 62}, {1, BLOCK - 3}, {1, BLOCK - 1}, {0, 8}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        test_file file = {0};
        uint32_t count;
        append_map(&file, "a", shapes[i].n, shapes[i].item_size);
        size_t payload = shapes[i].n * ((size_t)shapes[i].item_size + 2);
        CHECK(file.size == HEAD + payload + (payload + BLOCK - 1) / BLOCK * SUM);
        append_map(&file, "b", 3, 8);
        CHECK(load_map(&file, "b", 8, NULL, &count) == HM_OK && count == 3);
        CHECK(file.position == file.size);
        test_file_end(&file);
    }
}

/* Computes the checksum of the first header anew. */
static void seal_header(test_file *file)
{
    uint64_t sum = hm_hash_of(file->bytes, HEAD - SUM);
    for (int i = 0; i < SUM; i++)
        file->bytes[HEAD - SUM + i] = (unsigned char)(sum >> 8 * i);
}

/* The size with the checksums of its blocks is above 2^64 by what there is. */
TEST(save_section, one_whose_size_wraps_is_not_skipped)
{
    test_file file = {0};
    uint32_t count;
    append_map(&file, "a", 8, 8);
    uint64_t there = file.size - HEAD, size, blocks = UINT64_MAX / (BLOCK + SUM) + 2;
    append_map(&file, "b", 3, 8);
    do {
        size = there - --blocks * SUM;
    } while ((size + BLOCK - 1) / BLOCK != blocks);
    for (int i = 0; i < 8; i++)
        file.bytes[40 + i] = (unsigned char)(size >> 8 * i);
    seal_header(&file);
    CHECK(load_map(&file, "b", 8, NULL, &count) == HM_ERROR_CORRUPT && count == 0);
    CHECK(strstr(hm_last_error(), "claims too much") != NULL);
    test_file_end(&file);
}

static bool refuse_300(uint32_t version, const void *bytes, size_t size, void *item, void *context)
{
    uint32_t *calls = context;
    (void)version, (void)bytes, (void)size, (void)item;
    return (*calls)++ != 300;
}

/* In front of the section is another one, and in front of the byte are blocks with checksums. */
TEST(save_section, the_byte_that_a_refusal_names_is_that_of_the_file)
{
    enum { ITEMS = 400, SIZE = 1000, OTHER = 10 };
    test_file file = {0};
    uint32_t calls = 0, count;
    char place[120];
    append_map(&file, "a", OTHER, 8);
    size_t payload = file.size + HEAD;
    append_map(&file, "b", ITEMS, SIZE);
    const hm_save_desc desc = {.decode = refuse_300, .context = &calls};
    CHECK(load_map(&file, "b", SIZE, &desc, &count) == HM_ERROR_CORRUPT && count == 0);
    size_t at = payload + (size_t)300 * SIZE + (size_t)300 * SIZE / BLOCK * SUM;
    snprintf(place, sizeof place, "section 'b', byte %zu: decode refused the item", at);
    CHECK(strcmp(hm_last_error(), place) == 0);

    size_t end = file.size;
    file.size = payload + 3 * (BLOCK + SUM) + 5; /* in the fourth block */
    CHECK(load_map(&file, "b", SIZE, NULL, &count) == HM_ERROR_CORRUPT);
    snprintf(place, sizeof place, "section 'b', byte %zu: the source ends in the next ",
             payload + 3 * (size_t)(BLOCK + SUM));
    CHECK(strncmp(hm_last_error(), place, strlen(place)) == 0);
    file.size = end;

    file.bytes[payload + 2 * (BLOCK + SUM) + 7] ^= 1; /* in the third */
    CHECK(load_map(&file, "b", SIZE, NULL, &count) == HM_ERROR_CORRUPT);
    snprintf(place, sizeof place,
             "section 'b', byte %zu: the checksum of the block of 65536 bytes is wrong",
             payload + 2 * (size_t)(BLOCK + SUM));
    CHECK(strcmp(hm_last_error(), place) == 0);
    test_file_end(&file);
}

/* Returns whether the k-th call for memory was refused. */
static bool refuse_owners(test_file *file, uint32_t k, uint32_t *told)
{
    hm_secondary secondary;
    test_memory memory;
    test_memory_init_with_holes(&memory, test_page_size(4096));
    CHECK(hm_secondary_init(&secondary, &(hm_secondary_desc){.value_size = 8,
                                                             .capacity = 9,
                                                             .max_slots = 1000000,
                                                             .type_id = 1,
                                                             .memory = &memory.table,
                                                             .name = "a"}) == HM_OK);
    test_memory_fail(&memory, k, false);
    hm_status status = hm_secondary_load(&secondary, NULL, test_source(file));
    bool is_refused = test_memory_refused(&memory);
    test_memory_fail(&memory, 0, false);
    CHECK(status == HM_ERROR_CORRUPT || (status == HM_ERROR_MEMORY && is_refused));
    bool is_told = strstr(hm_last_error(), "two owners have one slot") != NULL;
    CHECK(is_told == (status == HM_ERROR_CORRUPT));
    *told += is_told && is_refused;
    CHECK(hm_secondary_validate(&secondary) == HM_OK && hm_secondary_count(&secondary) == 0);
    hm_secondary_fini(&secondary);
    test_memory_check_released(&memory);
    return is_refused;
}

/* Only then have owners got positions, which are given back. */
TEST(save_section, two_owners_of_one_slot_are_told_though_memory_cannot_be_given_back)
{
    enum { HIGH = 500000 };
    hm_secondary secondary;
    test_file file = {0};
    uint32_t told = 0;
    const hm_secondary_desc desc = {.value_size = 8, .type_id = 1, .name = "a"};
    CHECK(hm_secondary_init(&secondary, &desc) == HM_OK);
    CHECK(hm_secondary_set(&secondary, hm_handle_pack(HIGH, 1, 1), NULL) != NULL);
    CHECK(hm_secondary_set(&secondary, hm_handle_pack(3, 1, 1), NULL) != NULL);
    CHECK(hm_secondary_save(&secondary, NULL, test_sink(&file)) == HM_OK);
    hm_secondary_fini(&secondary);
    unsigned char *slot = file.bytes + file.size - SUM - 6; /* of the last owner */
    CHECK(slot[0] == 3);
    for (int i = 0; i < 4; i++)
        slot[i] = (unsigned char)(HIGH >> 8 * i);
    test_file_seal(&file);
    for (uint32_t k = 1; refuse_owners(&file, k, &told); k++)
        CHECK(k < 1000);
    CHECK(told > 0);
    test_file_end(&file);
}
