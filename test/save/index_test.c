/* SPDX-License-Identifier: MIT */
/* What is particular to the save and load of indices. */
#include "saves.h"

enum { TYPE = 9, HEADER = 48 + 9 * 4 + 5 + 8 /* bytes; the name has 5 */, OWNER = 6 };

static hm_index make_empty(uint32_t key_limit)
{
    hm_index index;
    const hm_index_desc desc = {.key_limit = key_limit, .type_id = TYPE, .name = "index"};
    CHECK(hm_index_init(&index, &desc) == HM_OK);
    return index;
}

static bool says(const char *words)
{
    return strstr(hm_last_error(), words) != NULL;
}

static void set(hm_index *index, uint32_t slot, uint64_t key)
{
    CHECK(hm_index_set(index, hm_handle_pack(slot, 1, TYPE), key) == HM_OK);
}

/* The positions of so many members are written and read in pieces. */
TEST(save_index, a_key_with_more_members_than_fit_in_a_piece_comes_back)
{
    enum { MANY = 10000 };
    hm_index made = make_empty(0), loaded = make_empty(0);
    test_file file = {0};
    uint32_t count, other;
    for (uint32_t i = 0; i < MANY; i++)
        set(&made, i, 7);
    CHECK(hm_index_save(&made, NULL, test_sink(&file)) == HM_OK);
    CHECK(hm_index_load(&loaded, NULL, test_source(&file)) == HM_OK);
    CHECK(hm_index_validate(&loaded) == HM_OK);
    const hm_handle *members = hm_index_members(&made, 7, &count);
    const hm_handle *others = hm_index_members(&loaded, 7, &other);
    CHECK(count == MANY && other == MANY);
    CHECK(memcmp(members, others, sizeof *members * MANY) == 0);
    hm_index_fini(&made);
    hm_index_fini(&loaded);
    test_file_end(&file);
}

TEST(save_index, an_index_that_cannot_be_is_refused)
{
    /* One owner with key 4 in slot 6; then, behind a free block, two with key 3. */
    enum { FIRST = HEADER + 3 * OWNER, HEAD = 13, GAP = 16, SECOND = FIRST + HEAD + 4 + GAP };
    static const struct {
        size_t at;
        unsigned char value;
        const char *why;
    } forgeries[] = {
        {32, 4, "its size and its counts disagree"}, /* owners */
        {48, 2, "its size and its counts disagree"}, /* slots */
        {48, 72, "no owner has the last of 72 slots"},
        {HEADER, 71, "slot 71, generation 1 is no owner"},
        {HEADER, 5, "two owners have one slot"},
        {FIRST + 8, 0, "key 4 has 0 members, or is there twice"},
        {FIRST + 8, 4, "4 items cannot have a block of 2^1 units"},
        {SECOND, 4, "key 4 has 2 members, or is there twice"},
        {SECOND + 8, 1, "1 owners have no key"},
        {FIRST + HEAD, 3, "position 3 has no owner, or is named twice"},
        {SECOND + HEAD, 0, "position 0 has no owner, or is named twice"},
        {52, 4, "its size and its counts disagree"}, /* keys, for which there are bytes */
        {40, 1, "its size and its counts disagree"}, /* bytes; the checksum falls on others */
    };
    hm_index made = make_empty(0), loaded = make_empty(0);
    test_file file = {0};
    set(&made, 6, 4);
    set(&made, 5, 3);
    set(&made, 70, 3);
    CHECK(hm_index_save(&made, NULL, test_sink(&file)) == HM_OK);
    CHECK(file.bytes[FIRST] == 4 && file.bytes[SECOND] == 3);
    for (size_t i = 0; i < sizeof forgeries / sizeof *forgeries; i++) {
        unsigned char *byte = file.bytes + forgeries[i].at, before = *byte;
        *byte = forgeries[i].value;
        if (forgeries[i].at == 52)
            file.bytes[40] = (unsigned char)(file.bytes[40] + 2 * 12);
        test_file_seal(&file);
        CHECK(hm_index_load(&loaded, NULL, test_source(&file)) == HM_ERROR_CORRUPT);
        CHECK(says(forgeries[i].why) && hm_index_count(&loaded) == 0);
        CHECK(hm_index_validate(&loaded) == HM_OK);
        *byte = before;
    }
    hm_index_fini(&made);
    hm_index_fini(&loaded);
    test_file_end(&file);
}

/* What cannot be is a damage; only what is whole can be too much for the index. */
TEST(save_index, a_key_that_is_not_below_the_limit_is_refused_if_nothing_is_damaged)
{
    hm_index made = make_empty(0), loaded = make_empty(7);
    test_file file = {0};
    set(&made, 5, 7);
    CHECK(hm_index_save(&made, NULL, test_sink(&file)) == HM_OK);
    CHECK(hm_index_load(&loaded, NULL, test_source(&file)) == HM_ERROR_INVALID);
    CHECK(says("key 7 is not below key_limit 7") && hm_index_count(&loaded) == 0);
    file.bytes[file.size - 1] ^= 1;
    CHECK(hm_index_load(&loaded, NULL, test_source(&file)) == HM_ERROR_CORRUPT);
    hm_index_fini(&made);
    hm_index_fini(&loaded);
    test_file_end(&file);
}

static bool decode(uint32_t version, const void *bytes, size_t size, void *item, void *context)
{
    (void)version, (void)bytes, (void)size, (void)item, (void)context;
    return true;
}

static void encode(const void *item, void *bytes, void *context)
{
    (void)item, (void)bytes, (void)context;
}

TEST(save_index, neither_a_save_nor_a_load_takes_encode_or_decode)
{
    const hm_save_desc descs[] = {{.encoded_size = 4, .encode = encode}, {.decode = decode}};
    hm_index made = make_empty(0), loaded = make_empty(0);
    test_file file = {0};
    set(&made, 5, 3);
    CHECK(hm_index_save(&made, NULL, test_sink(&file)) == HM_OK);
    size_t size = file.size;
    for (size_t i = 0; i < sizeof descs / sizeof *descs; i++) {
        CHECK(hm_index_save(&made, &descs[i], test_sink(&file)) == HM_ERROR_INVALID);
        CHECK(says("no items to encode") && file.size == size);
        CHECK(hm_index_load(&loaded, &descs[i], test_source(&file)) == HM_ERROR_INVALID);
        CHECK(says("no items to encode") && hm_index_count(&loaded) == 0);
    }
    hm_index_fini(&made);
    hm_index_fini(&loaded);
    test_file_end(&file);
}
