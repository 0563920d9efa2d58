/* SPDX-License-Identifier: MIT */
/* What each container dumps, to the letter. */
#include "support/any.h"
#include "support/test.h"

#include <handle_map/handle_map.h>

#include <stdio.h>
#include <string.h>

static char text[8192];
static hm_memory_stream stream;

/* What is written goes to `text`. */
static hm_sink begin(void)
{
    memset(text, 0, sizeof text);
    stream = (hm_memory_stream){(unsigned char *)text, sizeof text - 1, 0};
    return hm_sink_memory(&stream);
}

static void check_text(hm_status status, const char *expected)
{
    if (status != HM_OK || strcmp(text, expected) != 0)
        fprintf(stderr, "dumped:\n%s", text);
    CHECK(status == HM_OK && strcmp(text, expected) == 0);
}

static size_t print_number(const void *item, uint32_t which, char *buffer, size_t size,
                           void *context)
{
    (*(uint32_t *)context)++;
    return (size_t)snprintf(buffer, size, "%u of %u", *(const unsigned char *)item,
                            (unsigned)(which & 3));
}

TEST(dump, maps_and_pools_have_a_line_for_each_item)
{
    const hm_map_desc desc = {.item_size = 2, .type_id = 7, .name = "sprites"};
    const hm_pool_desc pool_desc = {.item_size = 1, .type_id = 6, .name = "names"};
    uint32_t printed = 0;
    const hm_dump_desc numbers = {.print = print_number, .context = &printed};
    hm_map map;
    hm_pool pool;
    CHECK(hm_map_init(&map, &desc) == HM_OK && hm_pool_init(&pool, &pool_desc) == HM_OK);
    hm_handle first = hm_map_insert(&map, "\1\2");
    hm_map_insert(&map, "\3\4");
    hm_map_erase(&map, first);
    hm_map_insert(&map, "\5\6");
    check_text(hm_map_dump(&map, NULL, begin()), "map 'sprites': 2 items, 2 slots, type id 7\n"
                                                 "0x0007000100000001: 03 04\n"
                                                 "0x0007000200000000: 05 06\n");
    check_text(hm_map_dump(&map, &numbers, begin()), "map 'sprites': 2 items, 2 slots, type id 7\n"
                                                     "0x0007000100000001: 3 of 0\n"
                                                     "0x0007000200000000: 5 of 0\n");
    CHECK(printed == 2);
    first = hm_pool_insert(&pool, "\1");
    hm_pool_insert(&pool, "\2");
    hm_pool_insert(&pool, "\3");
    hm_pool_erase(&pool, hm_pool_handle_at(&pool, 1));
    check_text(hm_pool_dump(&pool, NULL, begin()), "pool 'names': 2 items, 3 slots, type id 6\n"
                                                   "0x0006000100000000: 01\n"
                                                   "0x0006000100000002: 03\n");
    hm_pool_fini(&pool);
    hm_map_fini(&map);
}

TEST(dump, tables_lists_secondaries_and_indices_have_a_line_for_each_row_list_value_and_key)
{
    const hm_column columns[] = {{.size = 1}, {.size = 2}};
    const hm_table_desc table_desc = {
        .columns = columns, .column_count = 2, .type_id = 5, .name = "grains"};
    const hm_lists_desc lists_desc = {.item_size = 1, .type_id = 4, .name = "contacts"};
    const hm_secondary_desc secondary_desc = {.value_size = 1, .type_id = 4, .name = "weights"};
    const hm_index_desc index_desc = {.type_id = 4, .key_limit = 9, .name = "cells"};
    const void *cells[] = {"\1", "\2\3"};
    uint32_t printed = 0;
    const hm_dump_desc numbers = {.print = print_number, .context = &printed};
    hm_table table;
    hm_lists lists;
    hm_secondary secondary;
    hm_index index;
    CHECK(hm_table_init(&table, &table_desc) == HM_OK);
    CHECK(hm_lists_init(&lists, &lists_desc) == HM_OK);
    CHECK(hm_secondary_init(&secondary, &secondary_desc) == HM_OK);
    CHECK(hm_index_init(&index, &index_desc) == HM_OK);
    hm_table_insert(&table, cells);
    check_text(hm_table_dump(&table, NULL, begin()), "table 'grains': 1 rows, 1 slots, type id 5\n"
                                                     "0x0005000100000000: 01 | 02 03\n");
    check_text(hm_table_dump(&table, &numbers, begin()),
               "table 'grains': 1 rows, 1 slots, type id 5\n"
               "0x0005000100000000: 1 of 0 | 2 of 1\n");
    hm_handle one = hm_lists_create(&lists), two = hm_lists_create(&lists);
    hm_lists_push(&lists, two, "\1");
    hm_lists_push(&lists, two, "\2");
    check_text(hm_lists_dump(&lists, NULL, begin()),
               "lists 'contacts': 2 lists, 2 slots, type id 4\n"
               "0x0004000100000000: \n"
               "0x0004000100000001: 01 | 02\n");
    hm_secondary_set(&secondary, one, "\7");
    check_text(hm_secondary_dump(&secondary, NULL, begin()),
               "secondary 'weights': 1 values, type id 4\n"
               "0x0004000100000000: 07\n");
    CHECK(hm_index_set(&index, one, 8) == HM_OK && hm_index_set(&index, two, 8) == HM_OK);
    check_text(hm_index_dump(&index, NULL, begin()), "index 'cells': 2 owners, type id 4\n"
                                                     "8: 0x0004000100000000 0x0004000100000001\n");
    hm_index_fini(&index);
    hm_secondary_fini(&secondary);
    hm_lists_fini(&lists);
    hm_table_fini(&table);
}

TEST(dump, worlds_have_a_line_for_each_entity_with_the_names_of_its_components)
{
    const hm_world_desc desc = {.type_id = 3, .name = "level"};
    const hm_component_desc place = {.size = 2, .name = "place"}, enemy = {.name = "enemy"};
    const hm_component_desc nameless = {.size = 1, .storage = HM_COMPONENT_SPARSE};
    hm_world world;
    CHECK(hm_world_init(&world, &desc) == HM_OK);
    hm_component all[] = {hm_world_component(&world, &place), hm_world_component(&world, &enemy),
                          hm_world_component(&world, &nameless)};
    const void *values[] = {"\1\2", NULL, "\3"};
    hm_world_create_with(&world, all, 3, values);
    hm_world_create(&world, NULL, 0);
    check_text(hm_world_dump(&world, NULL, begin()),
               "world 'level': 2 entities, 2 slots, type id 3\n"
               "0x0003000100000000: place 01 02 | enemy | component 2 03\n"
               "0x0003000100000001: \n");
    hm_world_fini(&world);
}

/* What a container dumps from line `first` on, which must be the last one or two lines of all. */
#define CHECK_PART(kind, container, lines)                                                         \
    for (uint32_t first = 0; first <= (lines) + 1; first++) {                                      \
        static char all[sizeof text];                                                              \
        CHECK(hm_##kind##_dump(container, NULL, begin()) == HM_OK);                                \
        memcpy(all, text, sizeof all);                                                             \
        const hm_dump_desc rest = {.first = first};                                                \
        check_text(hm_##kind##_dump(container, &rest, begin()), without_lines(all, first, 1000));  \
        const hm_dump_desc two = {.first = first, .most = 2};                                      \
        CHECK(hm_##kind##_dump(container, NULL, begin()) == HM_OK);                                \
        memcpy(all, text, sizeof all);                                                             \
        check_text(hm_##kind##_dump(container, &two, begin()), without_lines(all, first, 2));      \
    }

/* Leaves of a dump its first line, and behind it `most` lines from `first` on. */
static const char *without_lines(char *dumped, uint32_t first, uint32_t most)
{
    char *begin_kept = strchr(dumped, '\n') + 1, *from = begin_kept;
    for (; first > 0 && *from != '\0'; first--)
        from = strchr(from, '\n') + 1;
    char *end = from;
    for (; most > 0 && *end != '\0'; most--)
        end = strchr(end, '\n') + 1;
    memmove(begin_kept, from, (size_t)(end - from));
    begin_kept[end - from] = '\0';
    return dumped;
}

TEST(dump, a_part_has_the_lines_that_are_asked_for)
{
    enum { N = 5 };
    hm_handle made[N];
    test_any of[TEST_KINDS];
    for (int i = 0; i < TEST_KINDS; i++)
        CHECK(test_any_init(&of[i], (test_kind)i, 0, 0, NULL) == HM_OK);
    hm_pool *pool = &of[TEST_POOL].pool;
    CHECK(hm_pool_insert_n(pool, NULL, N + 2, NULL) == HM_OK);
    CHECK(hm_pool_erase(pool, hm_pool_handle_at(pool, 1)));
    CHECK(hm_pool_erase(pool, hm_pool_handle_at(pool, 3)));
    CHECK(hm_map_insert_n(&of[TEST_MAP].map, NULL, N, made) == HM_OK);
    CHECK(hm_table_insert_n(&of[TEST_TABLE].table, NULL, N, NULL) == HM_OK);
    for (uint32_t i = 0; i < N; i++) {
        CHECK(hm_secondary_set(&of[TEST_SECONDARY].secondary, made[i], NULL) != NULL);
        CHECK(hm_index_set(&of[TEST_INDEX].index, made[i], i) == HM_OK);
        CHECK(!hm_handle_is_null(hm_lists_create(&of[TEST_LISTS].lists)));
    }
    CHECK_PART(map, &of[TEST_MAP].map, N);
    CHECK_PART(pool, pool, N);
    CHECK_PART(table, &of[TEST_TABLE].table, N);
    CHECK_PART(secondary, &of[TEST_SECONDARY].secondary, N);
    CHECK_PART(lists, &of[TEST_LISTS].lists, N);
    CHECK_PART(index, &of[TEST_INDEX].index, N);
    for (int i = 0; i < TEST_KINDS; i++)
        test_any_fini(&of[i], (test_kind)i);
}

TEST(dump, of_a_world_the_entities_with_a_component_may_be_asked_for)
{
    const hm_component_desc enemy = {.name = "enemy"}, nameless = {.size = 0};
    const hm_component_desc lit = {.size = 1, .name = "lit", .storage = HM_COMPONENT_SPARSE};
    hm_world world;
    CHECK(hm_world_init(&world, &(hm_world_desc){.type_id = 3, .name = "level"}) == HM_OK);
    hm_component made[] = {hm_world_component(&world, &enemy),
                           hm_world_component(&world, &nameless), hm_world_component(&world, &lit)};
    for (uint32_t set = 0; set < 8; set++) {
        hm_handle entity = hm_world_create(&world, NULL, 0);
        for (uint32_t i = 0; i < 3; i++)
            if ((set >> i & 1) != 0)
                CHECK(hm_world_add(&world, entity, made[i], NULL) == HM_OK);
    }
    CHECK_PART(world, &world, 8);
    static const struct {
        const char *component;
        uint32_t lines;
    } asked[] = {{"enemy", 4}, {"1", 4}, {"lit", 4}, {"0", 0}, {"2", 0}, {"no such", 0}, {"", 0}};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        const hm_dump_desc all = {.component = asked[i].component};
        const hm_dump_desc part = {.component = asked[i].component, .first = 1, .most = 2};
        CHECK(hm_world_dump(&world, &all, begin()) == HM_OK);
        uint32_t lines = 0;
        for (const char *at = text; (at = strstr(at, "\n0x")) != NULL; at++)
            lines++;
        CHECK(lines == asked[i].lines);
        static char expected[sizeof text];
        memcpy(expected, text, sizeof expected);
        check_text(hm_world_dump(&world, &part, begin()), without_lines(expected, 1, 2));
    }
    hm_world_fini(&world);
}

static size_t print_too_much(const void *item, uint32_t which, char *buffer, size_t size,
                             void *context)
{
    (void)item;
    (void)which;
    (void)context;
    memset(buffer, '#', size);
    return 10000;
}

TEST(dump, long_items_are_cut_off_and_a_sink_may_refuse)
{
    const hm_map_desc desc = {.item_size = 100};
    const hm_dump_desc long_items = {.print = print_too_much};
    hm_map map = {0};
    CHECK(hm_map_dump(&map, NULL, begin()) == HM_ERROR_FULL);
    CHECK(hm_map_init(&map, &desc) == HM_OK);
    for (int i = 0; i < 20; i++)
        hm_map_insert(&map, NULL);
    CHECK(hm_map_dump(&map, NULL, begin()) == HM_OK);
    CHECK(strstr(text, "00 ... (100 bytes)\n") != NULL);
    CHECK(hm_map_dump(&map, &long_items, begin()) == HM_OK);
    const char *cut = strchr(text, '#');
    CHECK(cut != NULL && strspn(cut, "#") == 255);
    for (size_t size = 0; size < 4000; size += 97) {
        stream = (hm_memory_stream){(unsigned char *)text, size, 0};
        CHECK(hm_map_dump(&map, NULL, hm_sink_memory(&stream)) == HM_ERROR_IO);
    }
    hm_map_fini(&map);
}

/* As many lines as do not fit in the buffer that is written at once. */
TEST(dump, a_sink_that_refuses_ends_each_dump)
{
    enum { MANY = 1000 };
    const hm_column column = {.size = 1};
    hm_table table;
    hm_secondary secondary;
    hm_lists lists;
    hm_index index;
    CHECK(hm_table_init(&table, &(hm_table_desc){.columns = &column, .column_count = 1}) == HM_OK);
    CHECK(hm_secondary_init(&secondary, &(hm_secondary_desc){.value_size = 1}) == HM_OK);
    CHECK(hm_lists_init(&lists, &(hm_lists_desc){.item_size = 1}) == HM_OK);
    CHECK(hm_index_init(&index, &(hm_index_desc){.capacity = MANY}) == HM_OK);
    for (uint32_t i = 0; i < MANY; i++) {
        hm_handle row = hm_table_insert(&table, NULL);
        CHECK(hm_secondary_set_n(&secondary, &row, "a", 1) == HM_OK);
        CHECK(hm_index_set(&index, row, i) == HM_OK);
        CHECK(!hm_handle_is_null(hm_lists_create(&lists)));
    }
    hm_sink sink = begin();
    stream.size = 0;
    CHECK(hm_table_dump(&table, NULL, sink) == HM_ERROR_IO);
    CHECK(hm_secondary_dump(&secondary, NULL, sink) == HM_ERROR_IO);
    CHECK(hm_lists_dump(&lists, NULL, sink) == HM_ERROR_IO);
    CHECK(hm_index_dump(&index, NULL, sink) == HM_ERROR_IO && stream.position == 0);
    hm_table_fini(&table);
    hm_secondary_fini(&secondary);
    hm_lists_fini(&lists);
    hm_index_fini(&index);
}
