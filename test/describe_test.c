/* SPDX-License-Identifier: MIT */
/* describe: what each container says of a handle, in each state, and how it is cut off. */
#include "support/id_table.h"
#include "support/test.h"

#include <handle_map/handle_map.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TYPE = 3, TEXT = 256 };

/* The containers whose own items have handles, by one set of functions. */
typedef struct subject {
    void (*init)(uint32_t capacity, uint32_t max_slots, const char *name);
    void (*fini)(void);
    hm_handle (*add)(void);
    bool (*remove)(hm_handle handle);
    hm_handle_state (*explain)(hm_handle handle);
    size_t (*describe)(hm_handle handle, char *buffer, size_t size);
} subject;

#define SUBJECT(kind, insert_call, erase_call, ...)                                                \
    static hm_##kind the_##kind;                                                                   \
    static void init_##kind(uint32_t capacity, uint32_t max_slots, const char *name)               \
    {                                                                                              \
        hm_##kind##_desc desc = {__VA_ARGS__};                                                     \
        desc.capacity = capacity;                                                                  \
        desc.max_slots = max_slots;                                                                \
        desc.type_id = TYPE;                                                                       \
        desc.name = name;                                                                          \
        CHECK(hm_##kind##_init(&the_##kind, &desc) == HM_OK);                                      \
    }                                                                                              \
    static void fini_##kind(void)                                                                  \
    {                                                                                              \
        hm_##kind##_fini(&the_##kind);                                                             \
    }                                                                                              \
    static hm_handle add_to_##kind(void)                                                           \
    {                                                                                              \
        return insert_call;                                                                        \
    }                                                                                              \
    static bool remove_from_##kind(hm_handle handle)                                               \
    {                                                                                              \
        return erase_call;                                                                         \
    }                                                                                              \
    static hm_handle_state explain_by_##kind(hm_handle handle)                                     \
    {                                                                                              \
        return hm_##kind##_explain(&the_##kind, handle);                                           \
    }                                                                                              \
    static size_t describe_by_##kind(hm_handle handle, char *buffer, size_t size)                  \
    {                                                                                              \
        return hm_##kind##_describe(&the_##kind, handle, buffer, size);                            \
    }                                                                                              \
    static const subject kind##_subject = {init_##kind,       fini_##kind,                         \
                                           add_to_##kind,     remove_from_##kind,                  \
                                           explain_by_##kind, describe_by_##kind};

static const hm_column one_column = {.size = 4};

SUBJECT(lists, hm_lists_create(&the_lists), hm_lists_destroy(&the_lists, handle), .item_size = 4)
SUBJECT(map, hm_map_insert(&the_map, NULL), hm_map_erase(&the_map, handle), .item_size = 4)
SUBJECT(pool, hm_pool_insert(&the_pool, NULL), hm_pool_erase(&the_pool, handle), .item_size = 4)
SUBJECT(table, hm_table_insert(&the_table, NULL), hm_table_erase(&the_table, handle),
        .columns = &one_column, .column_count = 1)
SUBJECT(world, hm_world_create(&the_world, NULL, 0), hm_world_destroy(&the_world, handle),
        .max_archetypes = 0)

static const subject *const subjects[] = {&lists_subject, &map_subject, &pool_subject,
                                          &table_subject, &world_subject};

#define EACH_SUBJECT(s)                                                                            \
    for (const subject *const *at = subjects, *s;                                                  \
         at < subjects + sizeof subjects / sizeof subjects[0] && (s = *at, true); at++)

/* Whether a container says this of a handle, whatever the size of the buffer. */
static bool says(size_t (*describe)(hm_handle, char *, size_t), hm_handle handle,
                 const char *sentence)
{
    char text[TEXT];
    size_t length = strlen(sentence);
    CHECK(length + 2 < TEXT && describe(handle, NULL, 0) == length);
    for (size_t size = 0; size <= length + 2; size++) {
        memset(text, '#', sizeof text);
        CHECK(describe(handle, text, size) == length);
        size_t written = size == 0 ? 0 : size <= length ? size - 1 : length;
        bool is_said = memcmp(text, sentence, written) == 0;
        if (!is_said)
            fprintf(stderr, "it says: %.*s\n", (int)written, text);
        CHECK(is_said && (size == 0 || text[written] == '\0'));
        for (size_t i = size == 0 ? 0 : written + 1; i < sizeof text; i++)
            CHECK(text[i] == '#');
    }
    return true;
}

static void use_up_slot_0(const subject *s, hm_handle handle)
{
    while (hm_handle_generation(handle) < 0xFFFF) {
        CHECK(hm_handle_index(handle) == 0 && s->remove(handle));
        handle = s->add();
    }
    CHECK(s->remove(handle));
    CHECK(hm_handle_index(s->add()) == 1);
}

TEST(describe, every_container_has_a_sentence_for_each_state)
{
    EACH_SUBJECT(s)
    {
        s->init(2, 3, "texture");
        hm_handle first = s->add();
        CHECK(says(s->describe, first, "live: slot 0 of 'texture', generation 1"));
        CHECK(says(s->describe, HM_NULL_HANDLE, "null: it names no item"));
        CHECK(says(s->describe, hm_handle_pack(0, 1, 4), "foreign: type id 4, 'texture' has 3"));
        CHECK(says(s->describe, hm_handle_pack(1, 1, TYPE),
                   "out of range: slot 1 of 'texture', which has 1"));
        CHECK(says(s->describe, hm_handle_pack(UINT32_MAX, 1, TYPE),
                   "out of range: slot 4294967295 of 'texture', which has 1"));
        CHECK(says(s->describe, hm_handle_from_bits(first.bits | HM_HANDLE_FREE_BIT),
                   "forged: its free bit is set"));
        CHECK(
            says(s->describe, hm_handle_pack(0, 0, TYPE), "forged: generation 0 is never issued"));
        const char *ahead = "forged: slot 0 of 'texture' has issued no generation above 1, the "
                            "handle has 9";
        CHECK(says(s->describe, hm_handle_pack(0, 9, TYPE), ahead));
        CHECK(s->remove(first));
        CHECK(says(s->describe, hm_handle_pack(0, 9, TYPE), ahead));
        CHECK(says(s->describe, first,
                   "stale: slot 0 of 'texture' is free now, the handle has generation 1"));
        hm_handle second = s->add();
        CHECK(says(s->describe, first,
                   "stale: slot 0 of 'texture' has generation 2 now, the handle 1"));
        use_up_slot_0(s, second);
        CHECK(says(s->describe, second,
                   "retired: slot 0 of 'texture' has used up its generations, the handle has 2"));
        s->fini();
    }
}

static const char *const words[] = {
    [HM_HANDLE_LIVE] = "live",       [HM_HANDLE_NULL] = "null",
    [HM_HANDLE_FOREIGN] = "foreign", [HM_HANDLE_OUT_OF_RANGE] = "out of range",
    [HM_HANDLE_STALE] = "stale",     [HM_HANDLE_RETIRED] = "retired",
    [HM_HANDLE_FORGED] = "forged",   [HM_HANDLE_ABSENT] = "absent"};

static const char *const not_initialised = "not initialised: the container has no items";

TEST(describe, a_container_says_before_init_and_after_fini_that_it_is_not_initialised)
{
    EACH_SUBJECT(s)
    {
        s->fini(); /* It may be zeroed. */
        for (int round = 0; round < 2; round++) {
            CHECK(says(s->describe, hm_handle_pack(0, 1, 0), not_initialised));
            CHECK(says(s->describe, hm_handle_pack(7, 1, 3), not_initialised));
            CHECK(says(s->describe, HM_NULL_HANDLE, not_initialised));
            CHECK(says(s->describe, hm_handle_from_bits(UINT64_MAX), not_initialised));
            s->init(2, 3, "texture");
            CHECK(says(s->describe, hm_handle_pack(0, 1, TYPE),
                       "out of range: slot 0 of 'texture', which has 0"));
            s->fini();
        }
    }
}

TEST(describe, a_name_may_be_long_or_empty)
{
    enum { LONG = 10000 };
    char *name = malloc(LONG + 1), *text = malloc(LONG + TEXT), *expected = malloc(LONG + TEXT);
    CHECK(name != NULL && text != NULL && expected != NULL);
    memset(name, 'n', LONG);
    name[LONG] = '\0';
    EACH_SUBJECT(s)
    {
        s->init(2, 3, name);
        hm_handle handle = s->add();
        snprintf(expected, LONG + TEXT, "live: slot 0 of '%s', generation 1", name);
        CHECK(s->describe(handle, text, LONG + TEXT) == strlen(expected));
        CHECK(strcmp(text, expected) == 0);
        CHECK(s->describe(handle, text, 160) == strlen(expected));
        CHECK(strlen(text) == 159 && strncmp(text, expected, 159) == 0);
        s->fini();
        s->init(2, 3, "");
        CHECK(says(s->describe, s->add(), "live: slot 0 of '', generation 1"));
        s->fini();
    }
    free(name);
    free(text);
    free(expected);
}

/* secondary */

static hm_secondary secondary;

/* The sentence begins with what explain returns, unless the secondary is not initialised. */
static size_t describe_owner(hm_handle owner, char *buffer, size_t size)
{
    char word[TEXT];
    CHECK(hm_secondary_describe(&secondary, owner, word, sizeof word) < sizeof word);
    *strchr(word, ':') = '\0';
    CHECK(hm_secondary_capacity(&secondary) == 0 ||
          strcmp(word, words[hm_secondary_explain(&secondary, owner)]) == 0);
    return hm_secondary_describe(&secondary, owner, buffer, size);
}

TEST(describe, a_secondary_says_what_a_handle_is_as_an_owner)
{
    hm_secondary_desc desc = {.value_size = 4, .capacity = 10, .max_slots = 1000, .name = "glow"};
    desc.type_id = TYPE;
    CHECK(hm_secondary_init(&secondary, &desc) == HM_OK);
    const hm_handle owner = hm_handle_pack(12, 5, TYPE), later = hm_handle_pack(12, 7, TYPE);
    CHECK(says(describe_owner, HM_NULL_HANDLE, "null: it names no item"));
    CHECK(says(describe_owner, hm_handle_pack(12, 5, 4), "foreign: type id 4, 'glow' has 3"));
    CHECK(
        says(describe_owner, hm_handle_pack(12, 0, TYPE), "forged: generation 0 is never issued"));
    CHECK(says(describe_owner, hm_handle_pack(999, 1, TYPE),
               "absent: slot 999 of 'glow' has no value"));
    CHECK(says(describe_owner, hm_handle_pack(1000, 1, TYPE),
               "out of range: slot 1000 of 'glow', which has 1000"));
    CHECK(says(describe_owner, owner, "absent: slot 12 of 'glow' has no value"));
    CHECK(hm_secondary_set(&secondary, owner, NULL) != NULL);
    CHECK(says(describe_owner, owner, "live: slot 12 of 'glow', generation 5"));
    CHECK(says(describe_owner, later,
               "absent: slot 12 of 'glow' still has the value of generation 5, the handle has 7"));
    CHECK(hm_secondary_set(&secondary, later, NULL) != NULL);
    CHECK(
        says(describe_owner, owner, "stale: slot 12 of 'glow' has generation 7 now, the handle 5"));
    CHECK(hm_secondary_remove(&secondary, later));
    CHECK(says(describe_owner, owner, "absent: slot 12 of 'glow' has no value"));
    hm_secondary_fini(&secondary);
    CHECK(says(describe_owner, hm_handle_pack(0, 1, 0), not_initialised));
    CHECK(says(describe_owner, owner, not_initialised));
}

/* index */

static hm_index an_index;

static size_t describe_member(hm_handle owner, char *buffer, size_t size)
{
    return hm_index_describe(&an_index, owner, buffer, size);
}

TEST(describe, an_index_speaks_of_keys_and_says_that_it_is_not_initialised)
{
    const hm_index_desc desc = {.capacity = 10, .type_id = TYPE, .name = "cells"};
    const hm_handle owner = hm_handle_pack(1, 1, TYPE);
    CHECK(says(describe_member, owner, not_initialised));
    CHECK(hm_index_init(&an_index, &desc) == HM_OK);
    CHECK(says(describe_member, owner, "absent: slot 1 of 'cells' has no key"));
    CHECK(hm_index_explain(&an_index, owner) == HM_HANDLE_ABSENT);
    CHECK(hm_index_set(&an_index, owner, 1) == HM_OK);
    CHECK(hm_index_explain(&an_index, owner) == HM_HANDLE_LIVE);
    hm_index_fini(&an_index);
    CHECK(says(describe_member, owner, not_initialised));
}

/* directory */

static hm_directory directory;

static size_t describe_anywhere(hm_handle handle, char *buffer, size_t size)
{
    return hm_directory_describe(&directory, handle, buffer, size);
}

TEST(describe, a_directory_lets_the_owner_speak)
{
    hm_pool_desc bullets = {.item_size = 4, .type_id = 5, .name = "bullet"};
    init_map(2, 3, "texture");
    CHECK(hm_pool_init(&the_pool, &bullets) == HM_OK);
    CHECK(hm_directory_init(&directory, NULL) == HM_OK);
    const char *lost = "foreign: type id 3, no container of the directory has it";
    hm_handle texture = hm_map_insert(&the_map, NULL), bullet = hm_pool_insert(&the_pool, NULL);
    CHECK(says(describe_anywhere, texture, lost));
    CHECK(hm_directory_add_pool(&directory, &the_pool) == HM_OK);
    CHECK(says(describe_anywhere, texture, lost)); /* below the pool's, and free */
    CHECK(hm_directory_add_map(&directory, &the_map) == HM_OK);
    CHECK(says(describe_anywhere, texture, "live: slot 0 of 'texture', generation 1"));
    CHECK(says(describe_anywhere, bullet, "live: slot 0 of 'bullet', generation 1"));
    CHECK(hm_pool_erase(&the_pool, bullet));
    CHECK(says(describe_anywhere, bullet,
               "stale: slot 0 of 'bullet' is free now, the handle has generation 1"));
    CHECK(says(describe_anywhere, hm_handle_pack(0, 1, 0x7FFF),
               "foreign: type id 32767, no container of the directory has it"));
    CHECK(says(describe_anywhere, HM_NULL_HANDLE, "null: it names no item"));
    CHECK(says(describe_anywhere, hm_handle_from_bits(texture.bits | HM_HANDLE_FREE_BIT),
               "forged: its free bit is set"));
    CHECK(says(describe_anywhere, hm_handle_pack(0, 0, TYPE),
               "forged: generation 0 is never issued"));
    CHECK(says(describe_anywhere, hm_handle_pack(0, 0, 4), "forged: generation 0 is never issued"));
    hm_directory_fini(&directory);
    CHECK(says(describe_anywhere, texture, lost)); /* by a zeroed one */
    hm_map_fini(&the_map);
    hm_pool_fini(&the_pool);
}

/* id_table */

TEST(describe, what_a_trim_has_dropped_is_free_and_not_out_of_range)
{
    uint32_t count = 3 * HM_ID_TABLE_UNIT;
    char sentence[TEXT];
    init_map(2 * count, 2 * count, "texture");
    CHECK(hm_map_insert_n(&the_map, NULL, count, NULL) == HM_OK);
    while (hm_map_count(&the_map) > 1)
        hm_map_erase(&the_map, hm_map_handle_at(&the_map, hm_map_count(&the_map) - 1));
    CHECK(hm_map_trim(&the_map) == HM_OK);
    snprintf(sentence, sizeof sentence,
             "stale: slot %" PRIu32 " of 'texture' is free now, the handle has generation 1",
             count - 1);
    CHECK(says(describe_by_map, hm_handle_pack(count - 1, 1, TYPE), sentence));
    snprintf(sentence, sizeof sentence,
             "forged: slot %" PRIu32
             " of 'texture' has issued no generation above 1, the handle has 2",
             count - 1);
    CHECK(says(describe_by_map, hm_handle_pack(count - 1, 2, TYPE), sentence));
    snprintf(sentence, sizeof sentence,
             "out of range: slot %" PRIu32 " of 'texture', which has %" PRIu32, count, count);
    CHECK(says(describe_by_map, hm_handle_pack(count, 1, TYPE), sentence));
    hm_map_fini(&the_map);
}
