/* SPDX-License-Identifier: MIT */
/* What holds for every function of every container, a test for each row of support/kinds.h: without
 * its container or another argument it panics with its name; and of a container that has no
 * capacity, because it is zeroed, its init failed or it has ended, it gives an answer. */
#include "kinds.h"

#include "support/memory.h"

/* broken contracts */

/* The panic names the function and, without the container, a file of its module: what else is
 * missing may be seen by what the module calls. */
#define NO_CONTAINER(kind, verb, arguments)                                                        \
    DEATH_TEST(kind##_contract, verb##_of_null_panics)                                             \
    {                                                                                              \
        ARGUMENTS(kind, NULL, HM_NULL_HANDLE);                                                     \
        test_expect_panic_of(#kind, "hm_" #kind "_" #verb ": " #kind " is NULL");                  \
        (void)(hm_##kind##_##verb arguments);                                                      \
    }
#define LOOK_OF_NULL(kind, verb, answer, arguments) NO_CONTAINER(kind, verb, arguments)
#define CHANGE_OF_NULL(kind, verb, answer, refusal, arguments) NO_CONTAINER(kind, verb, arguments)
#define NO_ARGUMENT(kind, verb, what, message, arguments)                                          \
    DEATH_TEST(kind##_contract, verb##_without_##what##_panics)                                    \
    {                                                                                              \
        hm_##kind zeroed = {0};                                                                    \
        ARGUMENTS(kind, &zeroed, HM_NULL_HANDLE);                                                  \
        test_expect_panic_of("", "hm_" #kind "_" #verb ": " message);                              \
        (void)(hm_##kind##_##verb arguments);                                                      \
    }
#define BROKEN_CONTRACTS(KIND)                                                                     \
    KIND##_LOOKS(LOOK_OF_NULL) KIND##_CHANGES(CHANGE_OF_NULL) KIND##_ENDS(NO_CONTAINER)            \
        KIND##_NEEDS(NO_ARGUMENT)

BROKEN_CONTRACTS(MAP)
BROKEN_CONTRACTS(POOL)
BROKEN_CONTRACTS(TABLE)
COLUMN_LOOKS(LOOK_OF_NULL)
COLUMN_NEEDS(NO_ARGUMENT)
BROKEN_CONTRACTS(SECONDARY)
BROKEN_CONTRACTS(LISTS)
BROKEN_CONTRACTS(INDEX)
BROKEN_CONTRACTS(WORLD)

/* What is no container. */
#define OF_NULL(module, verb, what, call)                                                          \
    DEATH_TEST(module##_contract, verb##_of_null_panics)                                           \
    {                                                                                              \
        test_expect_panic_of("", "hm_" #module "_" #verb ": " what " is NULL");                    \
        (void)(call);                                                                              \
    }

OF_NULL(array, fini, "array", (hm_array_fini(NULL), 0))
OF_NULL(array, reserve, "array", hm_array_reserve(NULL, 1))
OF_NULL(array, resize, "array", hm_array_resize(NULL, 1))
OF_NULL(array, trim, "array", hm_array_trim(NULL))
OF_NULL(array, push, "array", hm_array_push(NULL))
OF_NULL(array, pop, "array", hm_array_pop(NULL))
OF_NULL(array, at, "array", hm_array_at(NULL, 0))
OF_NULL(array, data, "array", hm_array_data(NULL))
OF_NULL(array, count, "array", hm_array_count(NULL))
OF_NULL(array, committed_size, "array", hm_array_committed_size(NULL))
OF_NULL(id_table, fini, "table", (hm_id_table_fini(NULL), 0))
OF_NULL(id_table, count, "table", hm_id_table_count(NULL))
OF_NULL(id_table, reserve, "table", hm_id_table_reserve(NULL, 1))
OF_NULL(id_table, trim, "table", hm_id_table_trim(NULL))
OF_NULL(id_table, explain, "table", hm_id_table_explain(NULL, HM_NULL_HANDLE))
OF_NULL(id_table, validate, "table", hm_id_table_validate(NULL))
OF_NULL(id_table, upcoming, "table", hm_id_table_upcoming(NULL, 0))
OF_NULL(id_table, as_owners, "table", hm_id_table_as_owners(NULL))
OF_NULL(query, fini, "query", (hm_query_fini(NULL), 0))
OF_NULL(query, begin, "query", (hm_query_begin(NULL), 0))
OF_NULL(query, end, "query", (hm_query_end(NULL), 0))
OF_NULL(query, next, "query", hm_query_next(NULL, &(hm_view){0}))
OF_NULL(query, count, "query", hm_query_count(NULL))
OF_NULL(query, changed, "query", hm_query_changed(NULL, 0))
OF_NULL(query, touch, "query", (hm_query_touch(NULL, 0), 0))
OF_NULL(query, destroy, "query", hm_query_destroy(NULL))
OF_NULL(query, change, "query", hm_query_change(NULL, NULL, 0, NULL, 0, NULL))
OF_NULL(commands, fini, "commands", (hm_commands_fini(NULL), 0))
OF_NULL(commands, create, "commands", hm_commands_create(NULL, NULL, 0))
OF_NULL(commands, create_with, "commands", hm_commands_create_with(NULL, NULL, 0, NULL))
OF_NULL(commands, destroy, "commands", hm_commands_destroy(NULL, HM_NULL_HANDLE))
OF_NULL(commands, add, "commands", hm_commands_add(NULL, HM_NULL_HANDLE, 0, NULL))
OF_NULL(commands, remove, "commands", hm_commands_remove(NULL, HM_NULL_HANDLE, 0))
OF_NULL(commands, change, "commands", hm_commands_change(NULL, HM_NULL_HANDLE, NULL, 0, NULL, 0))
OF_NULL(commands, apply, "commands", hm_commands_apply(NULL))
OF_NULL(commands, clear, "commands", (hm_commands_clear(NULL), 0))
OF_NULL(commands, count, "commands", hm_commands_count(NULL))
OF_NULL(commands, skipped, "commands", hm_commands_skipped(NULL))
OF_NULL(commands, dropped, "commands", hm_commands_dropped(NULL))

OF_NULL(lists, destroy_if, "lists", hm_lists_destroy_if(NULL, NULL, NULL))

/* no capacity */

#define LOOK_OF_EMPTY(kind, verb, answer, arguments) CHECK(answer(hm_##kind##_##verb arguments));
#define CHANGE_OF_EMPTY(kind, verb, answer, refusal, arguments)                                    \
    LOOK_OF_EMPTY(kind, verb, answer, arguments)
#define END_OF_EMPTY(kind, verb, arguments) hm_##kind##_##verb arguments;
#define NO_ROWS(R)

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
    return (hm_map_desc){.item_size = 4, .capacity = 10, .max_slots = 20, .meta_size = 8 * way};
}

static hm_pool_desc good_pool(uint32_t way)
{
    return (hm_pool_desc){
        .item_size = 4, .capacity = 10, .max_slots = 20, .storage = (hm_storage)way};
}

static hm_table_desc good_table(uint32_t way)
{
    static const hm_column columns[] = {{.size = 4}, {.size = 40}};
    return (hm_table_desc){
        .columns = columns, .column_count = 2, .lanes = 8 * way, .capacity = 10, .max_slots = 20};
}

static hm_secondary_desc good_secondary(uint32_t way)
{
    return (hm_secondary_desc){.value_size = 4 + way, .capacity = 10, .max_slots = 20};
}

static hm_lists_desc good_lists(uint32_t way)
{
    return (hm_lists_desc){.item_size = 4 + way, .capacity = 10, .max_slots = 20};
}

static hm_index_desc good_index(uint32_t way)
{
    return (hm_index_desc){.capacity = 10, .max_slots = 20, .key_limit = 100 * way};
}

static hm_world_desc good_world(uint32_t way)
{
    return (hm_world_desc){.capacity = 10 + way, .max_slots = 20};
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
    return hm_lists_push(lists, hm_lists_create(lists), NULL) != NULL;
}

static bool fill_index(hm_index *index)
{
    return hm_index_set(index, hm_handle_pack(0, 1, 0), 1) == HM_OK;
}

static bool fill_world(hm_world *world)
{
    hm_component number = hm_world_component(world, &(hm_component_desc){.size = 4});
    return hm_world_create_n(world, &number, 1, 10, NULL, NULL) == HM_OK;
}

/* Every function answers for a container that can never have an item. */
#define EMPTY_TESTS(kind, KIND, MORE_LOOKS)                                                        \
    static void check_empty_##kind(hm_##kind *empty)                                               \
    {                                                                                              \
        ARGUMENTS(kind, empty, hm_handle_pack(0, 1, 0));                                           \
        for (int twice = 0; twice < 2; twice++) {                                                  \
            KIND##_LOOKS(LOOK_OF_EMPTY) MORE_LOOKS(LOOK_OF_EMPTY)                                  \
                KIND##_LOOKS_AGAIN(LOOK_OF_EMPTY) KIND##_CHANGES(CHANGE_OF_EMPTY)                  \
                    KIND##_CHANGES_AGAIN(CHANGE_OF_EMPTY) KIND##_ENDS(END_OF_EMPTY)                \
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
               (sentence == NULL || says(sentence)) && memcmp(&refused, &zero, sizeof zero) == 0;  \
    }                                                                                              \
    TEST(kind##_contract, what_is_null_at_init_is_told)                                            \
    {                                                                                              \
        hm_##kind refused;                                                                         \
        memset(&refused, 0x5A, sizeof refused);                                                    \
        CHECK(hm_##kind##_init(&refused, NULL) == HM_ERROR_INVALID);                               \
        CHECK(says("hm_" #kind "_init: desc is NULL"));                                            \
        check_empty_##kind(&refused);                                                              \
        hm_##kind##_desc desc = good_##kind(0);                                                    \
        CHECK(hm_##kind##_init(NULL, &desc) == HM_ERROR_INVALID);                                  \
        CHECK(says("hm_" #kind "_init: " #kind " is NULL"));                                       \
    }                                                                                              \
    TEST(kind##_contract, init_refuses_a_memory_table_that_breaks_its_contract)                    \
    {                                                                                              \
        for (int flaw = 0; flaw < TEST_MEMORY_FLAWS; flaw++)                                       \
            for (uint32_t way = 0; way < KIND##_WAYS; way++) {                                     \
                test_memory memory;                                                                \
                hm_##kind##_desc desc = good_##kind(way);                                          \
                test_memory_init_with_holes(&memory, 65536);                                       \
                test_memory_break(&memory, flaw);                                                  \
                desc.memory = &memory.table;                                                       \
                CHECK(refuses_##kind(desc, NULL));                                                 \
                test_memory_check_released(&memory);                                               \
            }                                                                                      \
    }                                                                                              \
    /* Refuses the k-th call. Returns whether it was reached. */                                   \
    static bool refuse_init_##kind(hm_##kind##_desc desc, size_t page_size, uint32_t k)            \
    {                                                                                              \
        test_memory memory;                                                                        \
        hm_##kind made, zero;                                                                      \
        memset(&zero, 0, sizeof zero);                                                             \
        memset(&made, 0x5A, sizeof made);                                                          \
        test_memory_init_with_holes(&memory, test_page_size(page_size));                           \
        test_memory_fail(&memory, k, k % 2 == 0);                                                  \
        desc.memory = &memory.table;                                                               \
        hm_status status = hm_##kind##_init(&made, &desc);                                         \
        CHECK(status == (memory.calls < k ? HM_OK : HM_ERROR_MEMORY));                             \
        CHECK(status == HM_OK || memcmp(&made, &zero, sizeof zero) == 0);                          \
        if (status == HM_OK)                                                                       \
            hm_##kind##_fini(&made);                                                               \
        check_empty_##kind(&made);                                                                 \
        test_memory_check_released(&memory);                                                       \
        return status != HM_OK;                                                                    \
    }                                                                                              \
    TEST(kind##_contract, init_that_is_refused_memory_leaves_an_empty_one)                         \
    {                                                                                              \
        for (uint32_t way = 0; way < KIND##_WAYS; way++)                                           \
            for (size_t page_size = 4096; page_size <= 65536; page_size *= 4) {                    \
                uint32_t k = 1;                                                                    \
                while (refuse_init_##kind(good_##kind(way), page_size, k))                         \
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

/* descriptors */

TEST(map_contract, init_refuses_what_no_map_can_be)
{
    CHECK(refuses_map((hm_map_desc){0}, "item_size is 0"));
    CHECK(refuses_map((hm_map_desc){.item_size = 9, .item_align = 3},
                      "item_align 3 is not a power of two"));
    CHECK(refuses_map((hm_map_desc){.item_size = 8192, .item_align = 8192},
                      "item_align 8192 is above 4096"));
    CHECK(refuses_map((hm_map_desc){.item_size = 12, .item_align = 8},
                      "item_size 12 is not a multiple of item_align 8"));
    CHECK(refuses_map((hm_map_desc){.item_size = 8, .meta_size = 8, .meta_align = 5},
                      "meta_align 5 is not a power of two"));
    CHECK(refuses_map((hm_map_desc){.item_size = 8, .meta_size = 8192, .meta_align = 8192},
                      "meta_align 8192 is above 4096"));
    CHECK(refuses_map((hm_map_desc){.item_size = 8, .meta_size = 6, .meta_align = 4},
                      "meta_size 6 is not a multiple of meta_align 4"));
    CHECK(refuses_map((hm_map_desc){.item_size = 8, .capacity = UINT32_MAX},
                      sizeof(void *) >= 8 ? "capacity 4294967295 is above 4294967294"
                                          : "4294967295 times item_size 8 does not fit in size_t"));
    CHECK(refuses_map((hm_map_desc){.item_size = 4, .capacity = 10, .max_slots = 9},
                      "max_slots 9 is below capacity 10"));
    CHECK(refuses_map((hm_map_desc){.item_size = 4, .max_slots = HM_DEFAULT_CAPACITY - 1},
                      "max_slots 1048575 is below capacity 1048576"));
    CHECK(refuses_map((hm_map_desc){.item_size = 4, .type_id = 0x8000},
                      "type_id 32768 is above 32767"));
    CHECK(refuses_map((hm_map_desc){.item_size = SIZE_MAX / 2 + 1, .capacity = 2}, NULL));
    CHECK(refuses_map((hm_map_desc){.item_size = SIZE_MAX, .capacity = 1}, NULL));
    CHECK(
        refuses_map((hm_map_desc){.item_size = 4, .meta_size = SIZE_MAX / 2, .capacity = 4}, NULL));
}

TEST(pool_contract, init_refuses_what_no_pool_can_be)
{
    CHECK(refuses_pool((hm_pool_desc){.item_size = 8, .storage = (hm_storage)3},
                       "storage 3 is none of hm_storage"));
    for (uint32_t way = 0; way < POOL_WAYS; way++) {
        hm_storage storage = (hm_storage)way;
        CHECK(refuses_pool((hm_pool_desc){.storage = storage}, "item_size is 0"));
        CHECK(refuses_pool((hm_pool_desc){.item_size = 9, .item_align = 3, .storage = storage},
                           "item_align 3 is not a power of two"));
        CHECK(
            refuses_pool((hm_pool_desc){.item_size = 4, .capacity = UINT32_MAX, .storage = storage},
                         "capacity 4294967295 is above 4294967294"));
        CHECK(refuses_pool(
            (hm_pool_desc){.item_size = 4, .capacity = 10, .max_slots = 9, .storage = storage},
            "max_slots 9 is below capacity 10"));
        CHECK(refuses_pool((hm_pool_desc){.item_size = 4,
                                          .max_slots = HM_DEFAULT_CAPACITY - 1,
                                          .storage = storage},
                           "max_slots 1048575 is below capacity 1048576"));
        CHECK(refuses_pool((hm_pool_desc){.item_size = 4, .type_id = 0x8000, .storage = storage},
                           "type_id 32768 is above 32767"));
        hm_pool_desc huge = {.item_size = SIZE_MAX / 2 + 1, .capacity = 2, .storage = storage};
        CHECK(refuses_pool(huge, NULL));
        huge.capacity = huge.max_slots = 1;
        huge.item_size = SIZE_MAX;
        CHECK(refuses_pool(huge, NULL));
        huge.item_size = SIZE_MAX / 2;
        CHECK(refuses_pool(huge, NULL));
    }
}

TEST(secondary_contract, init_refuses_what_no_secondary_can_be)
{
    CHECK(refuses_secondary((hm_secondary_desc){0}, "value_size is 0"));
    CHECK(refuses_secondary((hm_secondary_desc){.value_size = 12, .value_align = 3},
                            "value_align 3 is not a power of two"));
    CHECK(refuses_secondary((hm_secondary_desc){.value_size = 12, .value_align = 8},
                            "value_size 12 is not a multiple of value_align 8"));
    CHECK(refuses_secondary((hm_secondary_desc){.value_size = 8192, .value_align = 8192},
                            "value_align 8192 is above 4096"));
    CHECK(refuses_secondary((hm_secondary_desc){.value_size = 4, .capacity = UINT32_MAX}, NULL));
    CHECK(refuses_secondary((hm_secondary_desc){.value_size = 4, .capacity = 10, .max_slots = 9},
                            "max_slots 9 is below capacity 10"));
    CHECK(refuses_secondary(
        (hm_secondary_desc){.value_size = 4, .max_slots = HM_DEFAULT_CAPACITY - 1},
        "max_slots 1048575 is below capacity 1048576"));
    CHECK(refuses_secondary((hm_secondary_desc){.value_size = 4, .type_id = 0x8000},
                            "type_id 32768 is above 32767"));
    CHECK(refuses_secondary((hm_secondary_desc){.value_size = SIZE_MAX / 2 + 1, .capacity = 2},
                            NULL));
    CHECK(refuses_secondary((hm_secondary_desc){.value_size = SIZE_MAX, .capacity = 1}, NULL));
}

TEST(lists_contract, init_refuses_what_no_lists_can_be)
{
    const uint64_t units = (UINT64_C(1) << 30) - 1; /* of 32 bytes */
    CHECK(refuses_lists((hm_lists_desc){0}, "item_size is 0"));
    CHECK(refuses_lists((hm_lists_desc){.item_size = 12, .item_align = 3},
                        "item_align 3 is not a power of two"));
    CHECK(refuses_lists((hm_lists_desc){.item_size = 12, .item_align = 8},
                        "item_size 12 is not a multiple of item_align 8"));
    CHECK(refuses_lists((hm_lists_desc){.item_size = 8192, .item_align = 8192},
                        "item_align 8192 is above 4096"));
    CHECK(refuses_lists((hm_lists_desc){.item_size = 4, .capacity = UINT32_MAX}, NULL));
    CHECK(refuses_lists((hm_lists_desc){.item_size = 4, .capacity = 10, .max_slots = 9},
                        "max_slots 9 is below capacity 10"));
    CHECK(refuses_lists((hm_lists_desc){.item_size = 4, .type_id = 0x8000},
                        "type_id 32768 is above 32767"));
    CHECK(refuses_lists((hm_lists_desc){.item_size = SIZE_MAX, .capacity = 1}, NULL));
    CHECK(refuses_lists((hm_lists_desc){.item_size = SIZE_MAX / 2 + 1, .capacity = 1}, NULL));
    CHECK(refuses_lists((hm_lists_desc){.item_size = 16, .max_items = 2 * units + 1},
                        "max_items 2147483647 of 16 bytes is above 2147483646"));
    CHECK(refuses_lists((hm_lists_desc){.item_size = 1, .max_items = 32 * units + 1}, NULL));
    CHECK(refuses_lists((hm_lists_desc){.item_size = 1, .max_items = UINT64_MAX}, NULL));
    CHECK(refuses_lists((hm_lists_desc){.item_size = 4096, .item_align = 64, .max_items = units},
                        NULL));
    CHECK(refuses_lists(
        (hm_lists_desc){.item_size = 64, .item_align = 64, .max_items = 2 * units + 1}, NULL));
    if (sizeof(size_t) > 4) /* The default of max_items, of which no item fits. */
        CHECK(refuses_lists((hm_lists_desc){.item_size = SIZE_MAX / 4096, .capacity = 1}, NULL));
}

TEST(index_contract, init_refuses_what_no_index_can_be)
{
    CHECK(refuses_index((hm_index_desc){.capacity = (UINT32_C(1) << 28) + 1},
                        "capacity 268435457 is above 268435456"));
    CHECK(refuses_index((hm_index_desc){.capacity = UINT32_MAX}, NULL));
    CHECK(refuses_index((hm_index_desc){.capacity = 10, .max_slots = 9},
                        "max_slots 9 is below capacity 10"));
    CHECK(refuses_index((hm_index_desc){.capacity = 10, .type_id = 0x8000},
                        "type_id 32768 is above 32767"));
}

TEST(world_contract, init_refuses_what_no_world_can_be)
{
    CHECK(refuses_world((hm_world_desc){.capacity = UINT32_C(1) << 31},
                        "capacity 2147483648 is above 2147483647"));
    CHECK(refuses_world((hm_world_desc){.capacity = UINT32_MAX}, NULL));
    CHECK(refuses_world((hm_world_desc){.capacity = 10, .max_slots = 9},
                        "max_slots 9 is below capacity 10"));
    CHECK(refuses_world((hm_world_desc){.max_slots = HM_DEFAULT_CAPACITY - 1}, NULL));
    CHECK(refuses_world((hm_world_desc){.capacity = 10, .type_id = 0x8000},
                        "type_id 32768 is above 32767"));
    CHECK(refuses_world((hm_world_desc){.capacity = 10, .max_archetypes = 262144},
                        "max_archetypes 262144 is above 262143"));
    CHECK(refuses_world((hm_world_desc){.capacity = 10, .max_size = (UINT64_C(1) << 39) + 1},
                        "max_size 549755813889 is not from 262144 to 549755813888"));
    CHECK(refuses_world((hm_world_desc){.capacity = 10, .max_size = 262143},
                        "max_size 262143 is not from 262144 to 549755813888"));
}

/* Each of these returns whether init takes the layout, and checks where it puts what it holds. */

static bool map_takes(size_t size, size_t align)
{
    hm_map map;
    hm_map_desc desc = {.item_size = size, .item_align = align, .capacity = 10, .max_slots = 20};
    if (refuses_map(desc, NULL))
        return false;
    CHECK(hm_map_init(&map, &desc) == HM_OK && (uintptr_t)hm_map_items(&map) % align == 0);
    hm_map_fini(&map);
    return true;
}

static bool pool_takes(size_t size, size_t align)
{
    hm_pool_desc desc = {.item_size = size, .item_align = align, .capacity = 10, .max_slots = 20};
    for (uint32_t way = 0; way < POOL_WAYS; way++) {
        hm_pool pool;
        desc.storage = (hm_storage)way;
        if (refuses_pool(desc, NULL))
            return false;
        CHECK(hm_pool_init(&pool, &desc) == HM_OK && fill_pool(&pool));
        for (uint32_t i = 0; i < 10; i++)
            CHECK((uintptr_t)hm_pool_item(&pool, i) % align == 0);
        hm_pool_fini(&pool);
    }
    return true;
}

static bool secondary_takes(size_t size, size_t align)
{
    hm_secondary secondary;
    hm_secondary_desc desc = {
        .value_size = size, .value_align = align, .capacity = 10, .max_slots = 20};
    if (refuses_secondary(desc, NULL))
        return false;
    CHECK(hm_secondary_init(&secondary, &desc) == HM_OK && fill_secondary(&secondary));
    CHECK((uintptr_t)hm_secondary_values(&secondary) % align == 0);
    hm_secondary_fini(&secondary);
    return true;
}

static bool lists_take(size_t size, size_t align)
{
    hm_lists lists;
    hm_lists_desc desc = {.item_size = size, .item_align = align, .capacity = 10, .max_slots = 20};
    if (refuses_lists(desc, NULL))
        return false;
    CHECK(hm_lists_init(&lists, &desc) == HM_OK && fill_lists(&lists));
    CHECK((uintptr_t)hm_lists_items(&lists, hm_lists_handle_at(&lists, 0), NULL) % align == 0);
    hm_lists_fini(&lists);
    return true;
}

TEST(contract, init_takes_the_alignments_that_divide_the_size_and_no_other)
{
    static bool (*const takes[])(size_t, size_t) = {map_takes, pool_takes, secondary_takes,
                                                    lists_take};
    static const size_t sizes[] = {1, 7, 8, 40, 4096, 5000};
    for (uint32_t kind = 0; kind < sizeof takes / sizeof *takes; kind++)
        for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (size_t align = 1; align <= 4 * (size_t)HM_MEMORY_ALIGNMENT; align *= 2)
                for (size_t odd = 1; odd <= 5; odd += 2) {
                    bool fits = odd == 1 && align <= HM_MEMORY_ALIGNMENT && sizes[i] % align == 0;
                    CHECK(takes[kind](sizes[i], align * odd) == fits);
                }
}
