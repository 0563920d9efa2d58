/* SPDX-License-Identifier: MIT */
/* What holds for every function of every container: of one that has no capacity, because it is
 * zeroed, its init failed or it has ended, each row of support/kinds.h gives an answer. And what
 * init refuses. */
#include "kinds.h"

#include "support/memory.h"

/* no capacity */

#define LOOK_OF_EMPTY(kind, verb, answer, arguments) CHECK(answer(hm_##kind##_##verb arguments));
#define CHANGE_OF_EMPTY(kind, verb, answer, refusal, arguments)                                    \
    LOOK_OF_EMPTY(kind, verb, answer, arguments)
#define END_OF_EMPTY(kind, verb, arguments) hm_##kind##_##verb arguments;
#define NO_ROWS(R)

#define NAME "things"

/* What init takes, in all the ways that differ in memory. */
enum {
    MAP_WAYS = 2,
    POOL_WAYS = 3,
    TABLE_WAYS = 2,
    SECONDARY_WAYS = 1,
    LISTS_WAYS = 1,
    INDEX_WAYS = 2,
    WORLD_WAYS = 1
};

static hm_map_desc good_map(uint32_t way)
{
    return (hm_map_desc){
        .item_size = 4, .capacity = 10, .max_slots = 20, .meta_size = 8 * way, .name = NAME};
}

static hm_pool_desc good_pool(uint32_t way)
{
    return (hm_pool_desc){
        .item_size = 4, .capacity = 10, .max_slots = 20, .storage = (hm_storage)way, .name = NAME};
}

static hm_table_desc good_table(uint32_t way)
{
    static const hm_column columns[] = {{.size = 4}, {.size = 40}};
    return (hm_table_desc){.columns = columns,
                           .column_count = 2,
                           .lanes = 8 * way,
                           .capacity = 10,
                           .max_slots = 20,
                           .name = NAME};
}

static hm_secondary_desc good_secondary(uint32_t way)
{
    return (hm_secondary_desc){
        .value_size = 4 + way, .capacity = 10, .max_slots = 20, .name = NAME};
}

static hm_lists_desc good_lists(uint32_t way)
{
    return (hm_lists_desc){
        .item_size = 4 + way, .capacity = 10, .max_slots = 20, .max_items = 300, .name = NAME};
}

static hm_index_desc good_index(uint32_t way)
{
    return (hm_index_desc){.capacity = 10, .max_slots = 20, .key_limit = 100 * way, .name = NAME};
}

static hm_world_desc good_world(uint32_t way)
{
    return (hm_world_desc){
        .capacity = 10 + way, .max_slots = 20, .max_size = 1 << 20, .name = NAME};
}

static bool fill_map(hm_map *map)
{
    return hm_map_insert_n(map, NULL, 10, NULL) == HM_OK;
}

static bool fill_pool(hm_pool *pool)
{
    return hm_pool_insert_n(pool, NULL, 10, NULL) == HM_OK;
}

static bool fill_table(hm_table *table)
{
    return hm_table_insert_n(table, NULL, 10, NULL) == HM_OK;
}

static bool fill_secondary(hm_secondary *secondary)
{
    return hm_secondary_set(secondary, hm_handle_pack(0, 1, 0), NULL) != NULL;
}

static bool fill_lists(hm_lists *lists)
{
    hm_handle list = hm_lists_create(lists);
    return !hm_handle_is_null(list) && hm_lists_push(lists, list, NULL) != NULL;
}

static bool fill_index(hm_index *index)
{
    const hm_handle owner = hm_handle_pack(0, 1, 0);
    const uint64_t key = 1;
    return (index->key_limit == 0 ? hm_index_set(index, owner, key)
                                  : hm_index_set_n(index, &owner, &key, 1)) == HM_OK;
}

static hm_component made_components[2]; /* of the world that was filled last */

static bool fill_world(hm_world *world)
{
    hm_component_desc number = {.size = 4};
    hm_component *set = made_components;
    set[0] = hm_world_component(world, &number);
    number.storage = HM_COMPONENT_SPARSE;
    if (set[0] == HM_INVALID_INDEX ||
        (set[1] = hm_world_component(world, &number)) == HM_INVALID_INDEX)
        return false;
    return hm_world_create_n(world, set, 2, 10, NULL, NULL) == HM_OK;
}

/* Whether the last error says that memory was refused to this container, and what to do. */
static bool blames(const char *kind, const char *other_limit)
{
    char end[160];
    bool is_address = tells_reservation();
    const char *between = is_address ? " or " : ", ";
    snprintf(end, sizeof end, "%scapacity 10%smax_slots 20%s%s of the %s '" NAME "'",
             is_address ? "lower " : "free memory; ", between, *other_limit != '\0' ? between : "",
             other_limit, kind);
    return tells_refusal(end);
}

/* The limits of a container beside its capacity and max_slots. */
static const char *limit_of_map(uint32_t way)
{
    (void)way;
    return "";
}

static const char *limit_of_lists(uint32_t way)
{
    (void)way;
    return "max_items 300";
}

static const char *limit_of_index(uint32_t way)
{
    return way == 0 ? "" : "key_limit 100";
}

/* They are names of functions. NOLINTBEGIN(readability-identifier-naming) */
#define limit_of_pool limit_of_map
#define limit_of_table limit_of_map
#define limit_of_secondary limit_of_map
#define limit_of_world limit_of_map
/* NOLINTEND(readability-identifier-naming) */

/* Every function answers for a container that can never have an item. */
#define EMPTY_TESTS(kind, KIND, MORE_LOOKS)                                                        \
    static void check_empty_##kind(hm_##kind *empty)                                               \
    {                                                                                              \
        ARGUMENTS(kind, empty, hm_handle_pack(0, 1, 0));                                           \
        for (int twice = 0; twice < 2; twice++) {                                                  \
            mark();                                                                                \
            KIND##_LOOKS(LOOK_OF_EMPTY) MORE_LOOKS(LOOK_OF_EMPTY)                                  \
                KIND##_LOOKS_AGAIN(LOOK_OF_EMPTY)                                                  \
                    CHECK(is_marked()); /* Who asks gets an answer: nothing has failed. */         \
            KIND##_CHANGES(CHANGE_OF_EMPTY) KIND##_CHANGES_AGAIN(CHANGE_OF_EMPTY)                  \
                KIND##_ENDS(END_OF_EMPTY)                                                          \
        }                                                                                          \
        hm_##kind##_stats stats = hm_##kind##_get_stats(empty), zero;                              \
        memset(&zero, 0, sizeof zero);                                                             \
        CHECK(memcmp(&stats, &zero, sizeof zero) == 0);                                            \
    }                                                                                              \
    TEST(kind##_contract, what_is_zeroed_is_valid_and_empty_for_every_function)                    \
    {                                                                                              \
        hm_##kind zeroed;                                                                          \
        memset(&zeroed, 0, sizeof zeroed);                                                         \
        check_empty_##kind(&zeroed);                                                               \
    }                                                                                              \
    TEST(kind##_contract, what_has_ended_is_valid_and_empty_for_every_function)                    \
    {                                                                                              \
        hm_##kind ended;                                                                           \
        hm_##kind##_desc desc = good_##kind(0);                                                    \
        CHECK(hm_##kind##_init(&ended, &desc) == HM_OK && fill_##kind(&ended));                    \
        hm_##kind##_fini(&ended);                                                                  \
        check_empty_##kind(&ended);                                                                \
    }                                                                                              \
    /* Whether init refuses with this sentence, or with any, and leaves a zeroed container. */     \
    static bool refuses_##kind(hm_##kind##_desc desc, const char *sentence)                        \
    {                                                                                              \
        hm_##kind refused, zero;                                                                   \
        memset(&zero, 0, sizeof zero);                                                             \
        memset(&refused, 0x5A, sizeof refused);                                                    \
        return hm_##kind##_init(&refused, &desc) == HM_ERROR_INVALID &&                            \
               (sentence == NULL || says_of_init(#kind, desc.name, sentence)) &&                   \
               memcmp(&refused, &zero, sizeof zero) == 0;                                          \
    }                                                                                              \
    TEST(kind##_contract, init_takes_no_descriptor_for_one_of_zeros_but_needs_a_container)         \
    {                                                                                              \
        hm_##kind made, same;                                                                      \
        const hm_##kind##_desc zeros = {0};                                                        \
        memset(&made, 0x5A, sizeof made);                                                          \
        hm_status status = hm_##kind##_init(&made, NULL);                                          \
        char sentence[160];                                                                        \
        snprintf(sentence, sizeof sentence, "%s", hm_last_error());                                \
        CHECK(hm_##kind##_init(&same, &zeros) == status);                                          \
        CHECK(status == HM_OK || says(sentence));                                                  \
        CHECK(hm_##kind##_validate(&made) == HM_OK);                                               \
        hm_##kind##_fini(&made);                                                                   \
        hm_##kind##_fini(&same);                                                                   \
        CHECK(hm_##kind##_init(NULL, &zeros) == HM_ERROR_INVALID);                                 \
        CHECK(says("hm_" #kind "_init: " #kind " is NULL"));                                       \
    }                                                                                              \
    TEST(kind##_contract, init_refuses_a_memory_table_that_breaks_its_contract)                    \
    {                                                                                              \
        for (int flaw = 0; flaw < TEST_MEMORY_FLAWS; flaw++)                                       \
            for (uint32_t way = 0; way < KIND##_WAYS; way++) {                                     \
                test_memory memory;                                                                \
                hm_##kind##_desc desc = good_##kind(way);                                          \
                test_memory_init_with_holes(&memory, 65536);                                       \
                const char *sentence = test_memory_break(&memory, flaw);                           \
                desc.memory = &memory.table;                                                       \
                CHECK(refuses_##kind(desc, sentence));                                             \
                test_memory_check_released(&memory);                                               \
            }                                                                                      \
    }                                                                                              \
    TEST(kind##_contract, a_full_one_says_how_full_it_is)                                          \
    {                                                                                              \
        hm_##kind full;                                                                            \
        hm_##kind##_desc desc = good_##kind(0);                                                    \
        CHECK(hm_##kind##_init(&full, &desc) == HM_OK);                                            \
        CHECK(hm_##kind##_reserve(&full, 11) == HM_ERROR_FULL);                                    \
        CHECK(mentions("hm_" #kind) && mentions("'things': 0 of 10 items are there, and no room "  \
                                                "for 11 more: raise its capacity"));               \
        CHECK(fill_##kind(&full));                                                                 \
        bool is_full = hm_##kind##_count(&full) == 10;                                             \
        for (int twice = 0; is_full && twice < 2; twice++) {                                       \
            CHECK(twice != 0 ? !fill_##kind(&full)                                                 \
                             : hm_##kind##_reserve(&full, 1) == HM_ERROR_FULL);                    \
            CHECK(mentions("hm_" #kind) && mentions(" more: raise its capacity"));                 \
            CHECK(mentions(twice != 0                                                              \
                               ? "'things': 10 of 10 items are there, and no room for "            \
                               : "'things': 10 of 10 items are there, and no room for 1 more"));   \
        }                                                                                          \
        hm_##kind##_fini(&full);                                                                   \
        CHECK(hm_##kind##_reserve(&full, 1) == HM_ERROR_FULL);                                     \
        CHECK(strstr(hm_last_error(), " has no capacity: initialise it first") != NULL);           \
    }                                                                                              \
    TEST(kind##_contract, init_refuses_limits_that_contradict_each_other)                          \
    {                                                                                              \
        for (uint32_t way = 0; way < KIND##_WAYS; way++) {                                         \
            hm_##kind##_desc desc = good_##kind(way);                                              \
            desc.max_slots = 9;                                                                    \
            CHECK(refuses_##kind(desc, "max_slots 9 is below capacity 10"));                       \
            desc.capacity = UINT32_MAX;                                                            \
            desc.max_slots = 0;                                                                    \
            CHECK(refuses_##kind(desc, NULL));                                                     \
            desc = good_##kind(way);                                                               \
            desc.type_id = 0x8000;                                                                 \
            CHECK(refuses_##kind(desc, "type_id 32768 is above 32767"));                           \
        }                                                                                          \
    }                                                                                              \
    /* Refuses the k-th call of init, or of what fills it. Returns whether it was reached. */      \
    static bool refuse_##kind(hm_##kind##_desc desc, const char *limit, size_t page_size,          \
                              uint32_t k)                                                          \
    {                                                                                              \
        test_memory memory;                                                                        \
        hm_##kind made, zero;                                                                      \
        memset(&zero, 0, sizeof zero);                                                             \
        memset(&made, 0x5A, sizeof made);                                                          \
        test_memory_init_with_holes(&memory, test_page_size(page_size));                           \
        test_memory_fail(&memory, k, k % 2 == 0);                                                  \
        desc.memory = &memory.table;                                                               \
        mark();                                                                                    \
        hm_status status = hm_##kind##_init(&made, &desc);                                         \
        CHECK(status == (memory.calls < k ? HM_OK : HM_ERROR_MEMORY));                             \
        CHECK(status == HM_OK || memcmp(&made, &zero, sizeof zero) == 0);                          \
        bool is_filled = status == HM_OK && fill_##kind(&made);                                    \
        CHECK(is_filled ? is_marked() : test_memory_refused(&memory) && blames(#kind, limit));     \
        CHECK(status == HM_OK || is_of_init(#kind));                                               \
        if (status == HM_OK)                                                                       \
            hm_##kind##_fini(&made);                                                               \
        check_empty_##kind(&made);                                                                 \
        test_memory_check_released(&memory);                                                       \
        return test_memory_refused(&memory);                                                       \
    }                                                                                              \
    TEST(kind##_contract, refused_memory_is_told_and_leaves_an_empty_one_at_init)                  \
    {                                                                                              \
        for (uint32_t way = 0; way < KIND##_WAYS; way++)                                           \
            for (size_t page_size = 4096; page_size <= 65536; page_size *= 4) {                    \
                uint32_t k = 1;                                                                    \
                while (refuse_##kind(good_##kind(way), limit_of_##kind(way), page_size, k))        \
                    k++;                                                                           \
                CHECK(k > 1);                                                                      \
            }                                                                                      \
    }

EMPTY_TESTS(map, MAP, NO_ROWS)
EMPTY_TESTS(pool, POOL, NO_ROWS)
EMPTY_TESTS(table, TABLE, COLUMN_LOOKS)
EMPTY_TESTS(secondary, SECONDARY, NO_ROWS)
EMPTY_TESTS(lists, LISTS, NO_ROWS)
EMPTY_TESTS(index, INDEX, NO_ROWS)
EMPTY_TESTS(world, WORLD, NO_ROWS)

TEST(index_contract, refused_memory_is_told_by_an_index_of_a_map)
{
    hm_map map;
    hm_map_desc desc = good_map(0);
    CHECK(hm_map_init(&map, &desc) == HM_OK);
    const hm_index_desc index = {.owners = hm_map_as_owners(&map), .name = NAME};
    uint32_t k = 1;
    while (refuse_index(index, "", 4096, k))
        k++;
    CHECK(k > 1);
    hm_map_fini(&map);
}

/* handles that name nothing */

enum { KNOWN = 20 };

/* Whether to end what is not there is all that a handle is for: then nothing has failed. */
enum {
    MAP_CHANGES_ARE_SILENT = true,
    POOL_CHANGES_ARE_SILENT = true,
    TABLE_CHANGES_ARE_SILENT = true,
    SECONDARY_CHANGES_ARE_SILENT = true,
    LISTS_CHANGES_ARE_SILENT = false,
    INDEX_CHANGES_ARE_SILENT = true,
    WORLD_CHANGES_ARE_SILENT = false
};

/* One of the first two handles of each of the first ten slots. */
static hm_handle known(uint32_t i)
{
    return hm_handle_pack(i % KNOWN / 2, 1 + i % 2, 0);
}

/* A handle near to a known one, or any. */
static hm_handle any_handle(uint32_t i, uint64_t *random)
{
    uint64_t bits = test_random(random), near = known(i).bits;
    if (i < 65 * KNOWN) /* with a bit flipped, or none */
        return hm_handle_from_bits(near ^ (i < 64 * KNOWN ? UINT64_C(1) << i / KNOWN : 0));
    if (i % 4 == 0)
        return hm_handle_from_bits(near ^ (UINT64_C(1) << bits % 64) ^
                                   (UINT64_C(1) << bits / 64 % 64));
    if (i % 4 == 1) /* The upper half of no handle is zero. */
        return hm_handle_from_bits(i % 8 == 1 ? bits >> 32 : bits % KNOWN);
    return hm_handle_from_bits(bits);
}

#define STRANGER_TESTS(kind, KIND)                                                                 \
    static void check_stranger_##kind(hm_##kind *to, hm_handle handle)                             \
    {                                                                                              \
        ARGUMENTS(kind, to, handle);                                                               \
        p = made_components[handle.bits % 2];                                                      \
        mark();                                                                                    \
        CHECK(hm_##kind##_explain(to, handle) != HM_HANDLE_LIVE);                                  \
        KIND##_HANDLE_LOOKS(LOOK_OF_EMPTY) KIND##_HANDLE_ENDS(END_OF_EMPTY) CHECK(is_marked());    \
        KIND##_HANDLE_CHANGES(CHANGE_OF_EMPTY) CHECK(!KIND##_CHANGES_ARE_SILENT || is_marked());   \
    }                                                                                              \
    static void check_strangers_##kind(hm_##kind *to, uint32_t count)                              \
    {                                                                                              \
        bool is_live[KNOWN];                                                                       \
        uint32_t live = 0;                                                                         \
        for (uint32_t i = 0; i < KNOWN; i++)                                                       \
            live += is_live[i] = hm_##kind##_contains(to, known(i));                               \
        CHECK(live == count);                                                                      \
        hm_##kind before = *to;                                                                    \
        uint64_t random = test_seed("strangers to the " #kind);                                    \
        for (uint32_t i = 0; i < 65 * KNOWN + test_scaled(20000); i++) {                           \
            bool is_stranger = true;                                                               \
            hm_handle handle = any_handle(i, &random);                                             \
            for (uint32_t k = 0; k < KNOWN; k++)                                                   \
                is_stranger &= !is_live[k] || !hm_handle_equal(handle, known(k));                  \
            if (is_stranger)                                                                       \
                check_stranger_##kind(to, handle);                                                 \
        }                                                                                          \
        CHECK(memcmp(&before, to, sizeof before) == 0 && hm_##kind##_validate(to) == HM_OK);       \
        for (uint32_t i = 0; i < KNOWN; i++)                                                       \
            CHECK(hm_##kind##_contains(to, known(i)) == is_live[i]);                               \
    }                                                                                              \
    TEST(kind##_contract, a_handle_that_names_nothing_gets_an_answer_and_changes_nothing)          \
    {                                                                                              \
        hm_##kind to;                                                                              \
        hm_##kind##_desc desc = good_##kind(0);                                                    \
        CHECK(hm_##kind##_init(&to, &desc) == HM_OK && fill_##kind(&to));                          \
        uint32_t count = hm_##kind##_count(&to);                                                   \
        check_strangers_##kind(&to, count);                                                        \
        hm_##kind##_clear(&to);                                                                    \
        check_strangers_##kind(&to, 0);                                                            \
        CHECK(fill_##kind(&to));                                                                   \
        check_strangers_##kind(&to, count);                                                        \
        hm_##kind##_fini(&to);                                                                     \
    }

STRANGER_TESTS(map, MAP)
STRANGER_TESTS(pool, POOL)
STRANGER_TESTS(table, TABLE)
STRANGER_TESTS(secondary, SECONDARY)
STRANGER_TESTS(lists, LISTS)
STRANGER_TESTS(index, INDEX)
STRANGER_TESTS(world, WORLD)

/* descriptors */

TEST(map_contract, init_refuses_what_no_map_can_be)
{
    CHECK(refuses_map((hm_map_desc){.item_size = 8, .capacity = UINT32_MAX},
                      sizeof(void *) >= 8 ? "capacity 4294967295 is above 4294967294"
                                          : "4294967295 times item_size 8 does not fit in size_t"));
    CHECK(
        refuses_map((hm_map_desc){.item_size = 4, .meta_size = SIZE_MAX / 2, .capacity = 4}, NULL));
}

TEST(pool_contract, init_refuses_what_no_pool_can_be)
{
    CHECK(refuses_pool((hm_pool_desc){.item_size = 8, .storage = (hm_storage)3},
                       "storage 3 is none of hm_storage"));
    /* With 32-bit sizes this is size 0. */
    CHECK(refuses_pool(
        (hm_pool_desc){.item_size = (size_t)((uint64_t)1 << 32), .capacity = 1, .max_slots = 1},
        NULL));
    for (uint32_t way = 0; way < POOL_WAYS; way++) {
        hm_pool_desc desc = good_pool(way);
        desc.capacity = UINT32_MAX;
        desc.max_slots = 0;
        CHECK(refuses_pool(desc, "capacity 4294967295 is above 4294967294"));
        desc.capacity = desc.max_slots = 1;
        desc.item_size = SIZE_MAX / 2;
        CHECK(refuses_pool(desc, NULL));
    }
}

TEST(table_contract, init_refuses_what_no_table_can_be)
{
    for (uint32_t way = 0; sizeof(size_t) > 4 && way < TABLE_WAYS; way++) {
        hm_table_desc desc = good_table(way);
        desc.capacity = UINT32_MAX;
        desc.max_slots = 0;
        CHECK(refuses_table(desc, "capacity 4294967295 is above 4294967294"));
    }
}

TEST(lists_contract, init_refuses_what_no_lists_can_be)
{
    const uint64_t units = (UINT64_C(1) << 30) - 1; /* of 32 bytes */
    const hm_lists_desc too_many[] = {
        {.item_size = 1, .max_items = 32 * units + 1},
        {.item_size = 1, .max_items = UINT64_MAX},
        {.item_size = 4096, .item_align = 64, .max_items = units},
        {.item_size = 64, .item_align = 64, .max_items = 2 * units + 1},
        /* The default of max_items, of which no item fits. */
        {.item_size = sizeof(size_t) > 4 ? SIZE_MAX / 4096 : SIZE_MAX, .capacity = 1},
        {.item_size = SIZE_MAX / 2 + 1, .capacity = 1}};
    for (size_t i = 0; i < sizeof too_many / sizeof *too_many; i++)
        CHECK(refuses_lists(too_many[i], NULL));
    CHECK(refuses_lists((hm_lists_desc){.item_size = 16, .max_items = 2 * units + 1},
                        "max_items 2147483647 of 16 bytes is above 2147483646"));
}

TEST(index_contract, init_refuses_what_no_index_can_be)
{
    CHECK(refuses_index((hm_index_desc){.capacity = (UINT32_C(1) << 28) + 1},
                        "capacity 268435457 is above 268435456"));
    hm_map map = {0};
    hm_owners owners = hm_map_as_owners(&map);
    owners.capacity = owners.max_slots = (UINT32_C(1) << 28) + 1;
    CHECK(
        refuses_index((hm_index_desc){.owners = owners}, "capacity 268435457 is above 268435456"));
}

TEST(world_contract, init_refuses_what_no_world_can_be)
{
    CHECK(refuses_world((hm_world_desc){.capacity = UINT32_C(1) << 31},
                        "capacity 2147483648 is above 2147483647"));
    CHECK(refuses_world((hm_world_desc){.capacity = 10, .max_archetypes = 262144},
                        "max_archetypes 262144 is above 262143"));
    CHECK(refuses_world((hm_world_desc){.capacity = 10, .max_size = (UINT64_C(1) << 39) + 1},
                        "max_size 549755813889 is not from 262144 to 549755813888"));
    CHECK(refuses_world((hm_world_desc){.capacity = 10, .max_size = 262143},
                        "max_size 262143 is not from 262144 to 549755813888"));
}

/* What is set for owners. */

static bool sets_secondary(hm_secondary *secondary, hm_handle owner)
{
    return hm_secondary_set(secondary, owner, NULL) != NULL;
}

static bool sets_index(hm_index *index, hm_handle owner)
{
    return hm_index_set(index, owner, 1) == HM_OK;
}

/* The owners' container has 10 of 3,000,000 slots, and type id 7. */
static const struct {
    uint32_t capacity, max_slots; /* of the descriptor */
    uint16_t type_id;
    const char *sentence; /* NULL: it is taken */
} claims[] = {{0, 0, 0, NULL},
              {5, 3000000, 7, NULL},
              {3000000, 0, 0, NULL},
              {0, 2999999, 0, "max_slots 2999999 is not that of the owners' container, 3000000"},
              {0, 3000001, 0, "max_slots 3000001 is not that of the owners' container, 3000000"},
              {0, 0, 8, "type_id 8 is not that of the owners' container, 7"},
              {3000001, 3000000, 7, "max_slots 3000000 is below capacity 3000001"}};

static const struct {
    hm_handle handle;
    const char *sentence;
} strangers[] = {{{0},
                  "0x0000000000000000 is no owner's handle in '" NAME
                  "': HM_HANDLE_NULL; owners have type id 7"},
                 {{UINT64_C(0x0007000000000001)},
                  "0x0007000000000001 is no owner's handle in '" NAME
                  "': HM_HANDLE_FORGED; owners have type id 7"},
                 {{UINT64_C(0x8007000100000001)},
                  "0x8007000100000001 is no owner's handle in '" NAME
                  "': HM_HANDLE_FORGED; owners have type id 7"},
                 {{UINT64_C(0x0006000100000001)},
                  "0x0006000100000001 is no owner's handle in '" NAME
                  "': HM_HANDLE_FOREIGN; owners have type id 7"},
                 {{UINT64_C(0x00070001002DC6C0)},
                  "the owner's index 3000000 is not below max_slots 3000000 of '" NAME
                  "': name its container in the descriptor, as `owners`"}};

/* What is said of the secondary in an index begins with the function. */
#define BEFORE_secondary ""
#define BEFORE_index "hm_index_set: "

static bool says_after(const char *before, const char *sentence)
{
    size_t length = strlen(before);
    return strncmp(hm_last_error(), before, length) == 0 &&
           strcmp(hm_last_error() + length, sentence) == 0;
}

#define OWNED_TESTS(kind)                                                                          \
    static void check_owned_##kind(hm_##kind##_desc desc, uint32_t capacity)                       \
    {                                                                                              \
        hm_##kind made;                                                                            \
        CHECK(hm_##kind##_init(&made, &desc) == HM_OK);                                            \
        CHECK(hm_##kind##_capacity(&made) == capacity);                                            \
        CHECK(sets_##kind(&made, hm_handle_pack(2999999, 1, 7)));                                  \
        for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++) {                        \
            CHECK(!sets_##kind(&made, strangers[i].handle) &&                                      \
                  says_after(BEFORE_##kind, strangers[i].sentence));                               \
            CHECK(hm_##kind##_count(&made) == 1);                                                  \
        }                                                                                          \
        hm_##kind##_fini(&made);                                                                   \
    }                                                                                              \
    TEST(kind##_contract, it_takes_index_space_type_id_and_capacity_from_its_owners)               \
    {                                                                                              \
        hm_pool pool = {0};                                                                        \
        hm_pool_desc shape = {.item_size = 4, .capacity = 10, .max_slots = 3000000, .type_id = 7}; \
        hm_##kind##_desc desc = good_##kind(0);                                                    \
        desc.owners = hm_pool_as_owners(&pool);                                                    \
        CHECK(refuses_##kind(desc,                                                                 \
                             "the owners' container is not initialised: initialise it first"));    \
        CHECK(hm_pool_init(&pool, &shape) == HM_OK);                                               \
        desc.owners = hm_pool_as_owners(&pool);                                                    \
        for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {                              \
            desc.capacity = claims[i].capacity;                                                    \
            desc.max_slots = claims[i].max_slots;                                                  \
            desc.type_id = claims[i].type_id;                                                      \
            if (claims[i].sentence != NULL)                                                        \
                CHECK(refuses_##kind(desc, claims[i].sentence));                                   \
            else                                                                                   \
                check_owned_##kind(desc, desc.capacity != 0 ? desc.capacity : 10);                 \
        }                                                                                          \
        hm_pool_fini(&pool);                                                                       \
    }

OWNED_TESTS(secondary)
OWNED_TESTS(index)

/* Each of these returns whether init takes the layout, and checks where it puts what it holds.
 * A refusal says the sentence, if there is one. */
typedef bool taking(size_t size, size_t align, uint32_t capacity, const char *sentence);

static bool map_takes(size_t size, size_t align, uint32_t capacity, const char *sentence)
{
    hm_map map;
    hm_map_desc desc = {.item_size = size, .item_align = align, .capacity = capacity};
    desc.max_slots = 2 * capacity;
    if (refuses_map(desc, sentence))
        return false;
    CHECK(hm_map_init(&map, &desc) == HM_OK && (uintptr_t)hm_map_items(&map) % align == 0);
    hm_map_fini(&map);
    return true;
}

static bool meta_takes(size_t size, size_t align, uint32_t capacity, const char *sentence)
{
    hm_map map;
    hm_map_desc desc = {.item_size = 1, .meta_size = size, .meta_align = align};
    desc.capacity = desc.max_slots = capacity;
    if (refuses_map(desc, sentence))
        return false;
    CHECK(hm_map_init(&map, &desc) == HM_OK && fill_map(&map));
    CHECK((uintptr_t)hm_map_meta_at(&map, 0) % align == 0);
    hm_map_fini(&map);
    return true;
}

static bool pool_takes(size_t size, size_t align, uint32_t capacity, const char *sentence)
{
    hm_pool_desc desc = {.item_size = size, .item_align = align, .capacity = capacity};
    desc.max_slots = 2 * capacity;
    for (uint32_t way = 0; way < POOL_WAYS; way++) {
        hm_pool pool;
        desc.storage = (hm_storage)way;
        if (refuses_pool(desc, sentence))
            return false;
        CHECK(hm_pool_init(&pool, &desc) == HM_OK && fill_pool(&pool));
        for (uint32_t i = 0; i < 10; i++)
            CHECK((uintptr_t)hm_pool_item_at(&pool, i) % align == 0);
        hm_pool_fini(&pool);
    }
    return true;
}

static bool secondary_takes(size_t size, size_t align, uint32_t capacity, const char *sentence)
{
    hm_secondary secondary;
    hm_secondary_desc desc = {.value_size = size, .value_align = align, .capacity = capacity};
    desc.max_slots = 2 * capacity;
    if (refuses_secondary(desc, sentence))
        return false;
    CHECK(hm_secondary_init(&secondary, &desc) == HM_OK && fill_secondary(&secondary));
    CHECK((uintptr_t)hm_secondary_values(&secondary) % align == 0);
    hm_secondary_fini(&secondary);
    return true;
}

static bool lists_take(size_t size, size_t align, uint32_t capacity, const char *sentence)
{
    hm_lists lists;
    hm_lists_desc desc = {.item_size = size, .item_align = align, .capacity = capacity};
    desc.max_slots = 2 * capacity;
    if (refuses_lists(desc, sentence))
        return false;
    CHECK(hm_lists_init(&lists, &desc) == HM_OK && fill_lists(&lists));
    CHECK((uintptr_t)hm_lists_items(&lists, hm_lists_handle_at(&lists, 0), NULL) % align == 0);
    hm_lists_fini(&lists);
    return true;
}

static const struct {
    taking *takes;
    const char *what;
} takers[] = {{map_takes, "item"},
              {meta_takes, "meta"},
              {pool_takes, "item"},
              {secondary_takes, "value"},
              {lists_take, "item"}};

enum { TAKERS = sizeof takers / sizeof *takers };

TEST(contract, init_takes_the_alignments_that_divide_the_size_and_no_other)
{
    static const size_t sizes[] = {1, 7, 8, 40, 4096, 5000};
    for (uint32_t kind = 0; kind < TAKERS; kind++)
        for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (size_t align = 1; align <= 4 * (size_t)HM_MEMORY_ALIGNMENT; align *= 2)
                for (size_t odd = 1; odd <= 5; odd += 2) {
                    bool fits = odd == 1 && align <= HM_MEMORY_ALIGNMENT && sizes[i] % align == 0;
                    CHECK(takers[kind].takes(sizes[i], align * odd, 10, NULL) == fits);
                }
}

TEST(contract, init_says_which_layout_it_refuses)
{
    static const struct {
        size_t size, align;
        uint32_t capacity;
        const char *size_is, *align_is; /* what is said of either, or of both, or anything */
    } cases[] = {{0, 0, 0, "_size is 0", ""},
                 {9, 3, 0, "", "_align 3 is not a power of two"},
                 {8192, 8192, 0, "", "_align 8192 is above 4096"},
                 {12, 8, 0, "_size 12 is not a multiple of ", "_align 8"},
                 {SIZE_MAX / 2 + 1, 0, 2, "", ""},
                 {SIZE_MAX, 0, 1, "", ""}};
    for (uint32_t kind = 0; kind < TAKERS; kind++)
        for (uint32_t i = takers[kind].takes == meta_takes; i < sizeof cases / sizeof *cases; i++) {
            const char *what = takers[kind].what, *size = cases[i].size_is;
            const char *align = cases[i].align_is;
            char sentence[100];
            snprintf(sentence, sizeof sentence, "%s%s%s%s", *size != '\0' ? what : "", size,
                     *align != '\0' ? what : "", align);
            CHECK(!takers[kind].takes(cases[i].size, cases[i].align, cases[i].capacity,
                                      *sentence != '\0' ? sentence : NULL));
        }
}
