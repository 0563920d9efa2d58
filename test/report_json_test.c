/* SPDX-License-Identifier: MIT */
/* report for tools: the letters of the JSON, any names, a sink that refuses, and items and handles
 * that are asked for. */
#include "support/any.h"
#include "support/test.h"

#include <handle_map/handle_map.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 4096 };

/* Leaves in `text` what hm_report_json writes, or NULL: only counts. Returns its size. */
static size_t report_as_json(char *text)
{
    hm_memory_stream stream = {(unsigned char *)text, TEXT - 1, 0};
    hm_memory_os_keep(0); /* What is kept depends on other tests. */
    CHECK(hm_report_json(hm_sink_memory(&stream)) == HM_OK);
    if (text != NULL)
        text[stream.position] = '\0';
    return stream.position;
}

static hm_map make_map(const char *name)
{
    hm_map map;
    CHECK(hm_map_init(&map, &(hm_map_desc){.item_size = 4, .capacity = 10, .name = name}) == HM_OK);
    return map;
}

TEST(report_json, each_container_has_its_kind_name_type_id_and_numbers)
{
    char text[TEXT], expected[TEXT];
    hm_map map;
    hm_pool pool;
    hm_report_entry entries[2];
    CHECK(report_as_json(text) != 0);
    CHECK(strstr(text, "\"containers\": [], \"leaks\": []}\n") != NULL);
    CHECK(hm_map_init(&map, &(hm_map_desc){.item_size = 4, .type_id = 9, .name = "a"}) == HM_OK);
    CHECK(hm_pool_init(&pool, &(hm_pool_desc){.item_size = 4, .type_id = 8, .name = "b"}) == HM_OK);
    CHECK(hm_map_insert_n(&map, NULL, 7, NULL) == HM_OK);
    CHECK(hm_report_add_map(&entries[0], &map) == HM_OK);
    CHECK(hm_report_add_pool(&entries[1], &pool) == HM_OK);
    CHECK(hm_pool_init(&pool, &(hm_pool_desc){.item_size = 4, .type_id = 8, .name = "b"}) == HM_OK);
    hm_stats a = hm_map_get_stats(&map), b = hm_pool_get_stats(&pool);
    snprintf(
        expected, TEXT,
        "{\"version\": \"%s\", \"kept_size\": 0, \"containers\": [\n"
        "{\"id\": %u, \"kind\": \"map\", \"name\": \"a\", \"type_id\": 9, \"count\": 7, "
        "\"capacity\": %u, "
        "\"slots\": 7, \"max_slots\": %u, \"free_slots\": 0, \"retired_slots\": 0, "
        "\"promised_slots\": 0, "
        "\"committed_size\": %zu, \"reserved_size\": %zu, "
        "\"wear\": {\"slots\": 7, \"counts\": [7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]}},\n"
        "{\"id\": %u, \"kind\": \"pool\", \"name\": \"b\", \"type_id\": 8, \"count\": 0, "
        "\"capacity\": %u, "
        "\"slots\": 0, \"max_slots\": %u, \"free_slots\": 0, \"retired_slots\": 0, "
        "\"promised_slots\": 0, "
        "\"committed_size\": %zu, \"reserved_size\": %zu, "
        "\"wear\": {\"slots\": 0, \"counts\": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]}, "
        "\"occupancy\": {\"slots\": 64, \"counts\": []}}], \"leaks\": [\n"
        "{\"kind\": \"pool\", \"name\": \"b\", \"times\": 1, \"committed_size\": %zu, "
        "\"reserved_size\": %zu}]}\n",
        hm_version(), (unsigned)entries[0].id, (unsigned)a.capacity, (unsigned)a.max_slots,
        a.committed_size, a.reserved_size, (unsigned)entries[0].id + 1, (unsigned)b.capacity,
        (unsigned)b.max_slots, b.committed_size, b.reserved_size, entries[1].leaked_committed,
        entries[1].leaked_reserved);
    CHECK(report_as_json(text) == strlen(expected) && strcmp(text, expected) == 0);
    hm_map_fini(&map);
    hm_pool_fini(&pool);
    report_as_json(text);
    CHECK(strstr(text, "\"containers\": [], \"leaks\": [\n{\"kind\": \"pool\", \"name\": null") !=
          NULL);
    CHECK(hm_report_remove(&entries[0]) == HM_OK && hm_report_remove(&entries[1]) == HM_OK);
}

/* Whether the report ends with these lines of a container, without leaks. */
static bool report_ends_with(const char *expected)
{
    char text[TEXT], end[TEXT];
    size_t size = report_as_json(text);
    int length = snprintf(end, sizeof end, "%s}], \"leaks\": []}\n", expected);
    return size > (size_t)length && strcmp(text + size - (size_t)length, end) == 0;
}

TEST(report_json, a_pool_tells_how_many_items_each_part_of_its_slots_has)
{
    enum { SLOTS = 64 * 65 + 1 }; /* one part would be too many: each has two words of 64 */
    char expected[TEXT] = "\"occupancy\": {\"slots\": 128, \"counts\": [0";
    hm_handle made[SLOTS];
    hm_pool pool;
    hm_report_entry entry;
    CHECK(hm_pool_init(&pool, &(hm_pool_desc){.item_size = 4, .capacity = SLOTS}) == HM_OK);
    CHECK(hm_report_add_pool(&entry, &pool) == HM_OK);
    CHECK(hm_pool_insert_n(&pool, NULL, 63, made) == HM_OK);
    CHECK(report_ends_with("\"occupancy\": {\"slots\": 64, \"counts\": [63]}"));
    CHECK(hm_pool_insert_n(&pool, NULL, 2, &made[63]) == HM_OK);
    CHECK(report_ends_with("\"occupancy\": {\"slots\": 64, \"counts\": [64, 1]}"));
    CHECK(hm_pool_insert_n(&pool, NULL, SLOTS - 65, &made[65]) == HM_OK);
    /* None in the first part, a third of all in the others, and one in the last. */
    uint32_t counts[33] = {0};
    for (uint32_t i = 0; i < SLOTS; i++)
        if (i < 128 || (i % 3 != 0 && i != SLOTS - 1))
            CHECK(hm_pool_erase(&pool, made[i]));
        else
            counts[i / 128]++;
    for (uint32_t part = 1; part < 33; part++)
        snprintf(expected + strlen(expected), sizeof expected - strlen(expected), ", %u",
                 (unsigned)counts[part]);
    strcat(expected, "]}");
    CHECK(report_ends_with(expected));
    CHECK(hm_report_remove(&entry) == HM_OK);
    hm_pool_fini(&pool);
}

static int compare_bytes(const void *a, const void *b, void *context)
{
    (void)context;
    return *(const unsigned char *)a - *(const unsigned char *)b;
}

TEST(report_json, tables_and_secondaries_tell_their_order_and_an_index_nothing_more)
{
    const hm_order order = {.compare = compare_bytes};
    const hm_column column = {.size = 1};
    hm_table table;
    hm_secondary secondary;
    hm_index index;
    hm_report_entry entry;
    CHECK(hm_table_init(&table, &(hm_table_desc){.columns = &column, .column_count = 1}) == HM_OK);
    CHECK(hm_secondary_init(&secondary, &(hm_secondary_desc){.value_size = 1}) == HM_OK);
    CHECK(hm_index_init(&index, &(hm_index_desc){.capacity = 5}) == HM_OK);
    hm_handle row = hm_table_insert(&table, NULL);
    CHECK(hm_secondary_set_n(&secondary, &row, "a", 1) == HM_OK);
    CHECK(hm_report_add_table(&entry, &table) == HM_OK);
    CHECK(report_ends_with("\"wear\": {\"slots\": 1, \"counts\": [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
                           "0, 0, 0, 0, 0]}"));
    CHECK(hm_table_defragment(&table, 0, &order, NULL).done);
    CHECK(report_ends_with(", \"in_order\": 1") && hm_report_remove(&entry) == HM_OK);
    CHECK(hm_report_add_secondary(&entry, &secondary) == HM_OK);
    CHECK(hm_secondary_defragment(&secondary, &order, NULL).done);
    CHECK(report_ends_with(", \"in_order\": 1") && hm_report_remove(&entry) == HM_OK);
    CHECK(hm_report_add_index(&entry, &index) == HM_OK);
    char text[TEXT], end[100];
    snprintf(end, sizeof end, "\"reserved_size\": %zu}], \"leaks\": []}\n",
             hm_index_get_stats(&index).reserved_size);
    CHECK(report_as_json(text) > 0 && strstr(text, end) != NULL);
    CHECK(hm_report_remove(&entry) == HM_OK);
    hm_table_fini(&table);
    hm_secondary_fini(&secondary);
    hm_index_fini(&index);
}

TEST(report_json, lists_tell_how_many_items_they_have)
{
    hm_lists lists;
    hm_report_entry entry;
    CHECK(hm_lists_init(&lists, &(hm_lists_desc){.item_size = 4, .capacity = 9}) == HM_OK);
    CHECK(hm_report_add_lists(&entry, &lists) == HM_OK);
    CHECK(report_ends_with("\"items\": 0, \"item_size\": 4, \"blocks_size\": 8"));
    CHECK(hm_lists_push_n(&lists, hm_lists_create(&lists), NULL, 5) == HM_OK);
    CHECK(hm_lists_push_n(&lists, hm_lists_create(&lists), NULL, 2) == HM_OK);
    CHECK(report_ends_with("\"items\": 7, \"item_size\": 4, \"blocks_size\": 56"));
    CHECK(hm_report_remove(&entry) == HM_OK);
    hm_lists_fini(&lists);
}

TEST(report_json, a_world_tells_its_archetypes_and_sparse_components)
{
    hm_world world;
    hm_report_entry entry;
    CHECK(hm_world_init(&world, &(hm_world_desc){.capacity = 100}) == HM_OK);
    CHECK(hm_report_add_world(&entry, &world) == HM_OK);
    CHECK(report_ends_with("\"archetypes\": [\n"
                           " {\"components\": [], \"count\": 0, \"chunks\": 0}], \"sparse\": []"));
    hm_component a = hm_world_component(&world, &(hm_component_desc){.size = 4, .name = "a\"b"});
    hm_component tag = hm_world_component(&world, &(hm_component_desc){.size = 0});
    hm_component sparse = hm_world_component(
        &world, &(hm_component_desc){.size = 4, .name = "lit", .storage = HM_COMPONENT_SPARSE});
    hm_handle both = hm_world_create(&world, (hm_component[]){tag, a}, 2);
    CHECK(hm_world_create_n(&world, &a, 1, 5, NULL, NULL) == HM_OK);
    CHECK(hm_world_add(&world, both, sparse, NULL) == HM_OK);
    CHECK(!hm_handle_is_null(hm_world_create(&world, NULL, 0)));
    CHECK(report_ends_with(
        "\"archetypes\": [\n"
        " {\"components\": [], \"count\": 1, \"chunks\": 1},\n"
        " {\"components\": [\"a\\u0022b\", 1], \"count\": 1, \"chunks\": 1},\n"
        " {\"components\": [\"a\\u0022b\"], \"count\": 5, \"chunks\": 1}], \"sparse\": [\n"
        " {\"component\": \"lit\", \"count\": 1}]"));
    CHECK(hm_world_destroy(&world, both) && hm_world_trim(&world) == HM_OK);
    CHECK(report_ends_with(
        "\"archetypes\": [\n"
        " {\"components\": [], \"count\": 1, \"chunks\": 1},\n"
        " {\"components\": [\"a\\u0022b\"], \"count\": 5, \"chunks\": 1}], \"sparse\": [\n"
        " {\"component\": \"lit\", \"count\": 0}]"));
    CHECK(hm_report_remove(&entry) == HM_OK);
    hm_world_fini(&world);
}

TEST(report_json, any_name_is_a_string_in_utf8)
{
    static const struct {
        const char *name, *json;
    } names[] = {
        {"\"a\\\n\x1f\x7f/", "\"\\u0022a\\u005c\\u000a\\u001f\x7f/\""},
        {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\""},
        {"\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf",
         "\"\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf\""},
        {"\x80|\xff|\xc1", "\"\\ufffd|\\ufffd|\\ufffd\""},
        {"\xc3", "\"\\ufffd\""},
        {"\xe0\x9f\x80", "\"\\ufffd\\ufffd\\ufffd\""},
        {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},
        {"\xf0\x8f\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
        {"\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
        {"\xf0\x9f\x98", "\"\\ufffd\\ufffd\\ufffd\""},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[TEXT], expected[128];
        hm_report_entry entry;
        hm_map map = make_map(names[i].name);
        CHECK(hm_report_add_map(&entry, &map) == HM_OK);
        report_as_json(text);
        snprintf(expected, sizeof expected, "\"name\": %s, \"type_id\"", names[i].json);
        CHECK(strstr(text, expected) != NULL);
        CHECK(hm_report_remove(&entry) == HM_OK);
        hm_map_fini(&map);
    }
}

/* A sink that refuses the k-th call. */
typedef struct refusing_sink {
    uint32_t calls, refused;
} refusing_sink;

static bool refuse_write(void *context, const void *bytes, size_t size)
{
    refusing_sink *sink = context;
    CHECK(bytes != NULL && size != 0 && size <= 65536);
    return ++sink->calls != sink->refused;
}

TEST(report_json, a_sink_that_refuses_is_called_no_more)
{
    enum { MAPS = 9 };
    char name[1200];
    hm_map maps[MAPS];
    hm_report_entry entries[MAPS];
    memset(name, '\n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    for (int i = 0; i < MAPS; i++) {
        maps[i] = make_map(name);
        CHECK(hm_report_add_map(&entries[i], &maps[i]) == HM_OK);
    }
    refusing_sink all = {0, 0};
    CHECK(hm_report_json((hm_sink){refuse_write, &all}) == HM_OK && all.calls > MAPS);
    CHECK(report_as_json(NULL) > MAPS * 6 * (sizeof name - 1));
    for (uint32_t k = 1; k <= all.calls; k++) {
        refusing_sink sink = {0, k};
        CHECK(hm_report_json((hm_sink){refuse_write, &sink}) == HM_ERROR_IO && sink.calls == k);
        CHECK(strstr(hm_last_error(), "the sink refused") != NULL);
    }
    for (int i = 0; i < MAPS; i++) {
        CHECK(hm_report_remove(&entries[i]) == HM_OK);
        hm_map_fini(&maps[i]);
    }
}

/* The numbers behind `field` and "[" in the report; returns how many there are, at most 16. */
static uint32_t read_counts(const char *field, uint32_t counts[16])
{
    char text[TEXT];
    report_as_json(text);
    char *at = strchr(strstr(text, field), '[');
    uint32_t n = 0;
    while (n < 16 && *at != ']')
        counts[n++] = (uint32_t)strtoul(at + 1, &at, 10);
    return n;
}

TEST(report_json, wear_tells_how_often_slots_were_issued)
{
    enum { SLOTS = 10000 };
    uint32_t counts[16];
    hm_map map;
    hm_report_entry entry;
    CHECK(hm_map_init(&map, &(hm_map_desc){.item_size = 1}) == HM_OK);
    CHECK(hm_report_add_map(&entry, &map) == HM_OK);
    for (int i = 0; i < 70000; i++) /* slot 0, until it retires, and some of slot 1 */
        CHECK(hm_map_erase(&map, hm_map_insert(&map, NULL)));
    CHECK(hm_map_insert_n(&map, NULL, 3, NULL) == HM_OK);
    CHECK(read_counts("\"wear\": {\"slots\": 4, ", counts) == 16);
    CHECK(counts[15] == 1 && counts[12] == 1 && counts[0] == 2);
    CHECK(hm_map_insert_n(&map, NULL, SLOTS - 4, NULL) == HM_OK);
    CHECK(read_counts("\"wear\": {\"slots\": 3334, ", counts) == 16); /* each third */
    CHECK(counts[15] == 1 && counts[0] == 3333);
    CHECK(hm_report_remove(&entry) == HM_OK);
    hm_map_fini(&map);
}

TEST(report_json, a_container_that_was_put_in_order_tells_how_much_of_it_still_is)
{
    enum { N = 100 };
    const hm_order order = {.compare = compare_bytes};
    hm_map map;
    hm_report_entry entry;
    char text[TEXT];
    CHECK(hm_map_init(&map, &(hm_map_desc){.item_size = 1}) == HM_OK);
    CHECK(hm_report_add_map(&entry, &map) == HM_OK);
    for (int i = 0; i < N; i++) {
        const unsigned char item = (unsigned char)i;
        CHECK(!hm_handle_is_null(hm_map_insert(&map, &item)));
    }
    report_as_json(text);
    CHECK(strstr(text, "in_order") == NULL);
    CHECK(hm_map_defragment(&map, &order, NULL).done);
    CHECK(report_ends_with(", \"in_order\": 100"));
    hm_map_touch(&map, hm_map_handle_at(&map, 40));
    hm_map_touch(&map, hm_map_handle_at(&map, 41));
    CHECK(report_ends_with(", \"in_order\": 98"));
    CHECK(!hm_handle_is_null(hm_map_insert(&map, "x")));
    CHECK(report_ends_with(", \"in_order\": 98"));
    CHECK(hm_map_defragment(&map, &order, NULL).done);
    CHECK(report_ends_with(", \"in_order\": 101"));
    CHECK(hm_report_remove(&entry) == HM_OK);
    hm_map_fini(&map);
}

/* What is asked of the report by other calls than hm_report_json. */
static char answer[65536];
static hm_memory_stream answer_stream;

static hm_sink ask(void)
{
    memset(answer, 0, sizeof answer);
    answer_stream = (hm_memory_stream){(unsigned char *)answer, sizeof answer - 1, 0};
    return hm_sink_memory(&answer_stream);
}

static uint32_t count_lines(void)
{
    uint32_t lines = 0;
    for (const char *at = answer; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    return lines;
}

static size_t print_letter(const void *item, uint32_t which, char *buffer, size_t size,
                           void *context)
{
    (void)which;
    return (size_t)snprintf(buffer, size, "%s%c", (const char *)context, *(const char *)item);
}

TEST(report_items, are_those_of_the_listed_container_with_the_id)
{
    char mine[] = "my ", yours[] = "your ";
    const hm_dump_desc named = {.print = print_letter, .context = mine, .first = 1, .most = 1};
    const hm_dump_desc asked = {.print = print_letter, .context = yours, .first = 1, .most = 1};
    const hm_dump_desc second = {.first = 1};
    hm_map map;
    hm_report_entry entry = {0};
    CHECK(hm_map_init(&map, &(hm_map_desc){.item_size = 1, .type_id = 9, .name = "m"}) == HM_OK);
    CHECK(hm_report_set_print(&entry, &named) == HM_ERROR_INVALID);
    CHECK(hm_report_add_map(&entry, &map) == HM_OK);
    CHECK(!hm_handle_is_null(hm_map_insert(&map, "a")));
    CHECK(!hm_handle_is_null(hm_map_insert(&map, "b")));
    CHECK(hm_report_items(entry.id, NULL, ask()) == HM_OK);
    CHECK(strcmp(answer, "map 'm': 2 items, 2 slots, type id 9\n"
                         "0x0009000100000000: 61\n0x0009000100000001: 62\n") == 0);
    CHECK(hm_report_set_print(&entry, &named) == HM_OK);
    CHECK(hm_report_items(entry.id, NULL, ask()) == HM_OK && count_lines() == 3);
    CHECK(strstr(answer, "0: my a\n") != NULL && strstr(answer, "1: my b\n") != NULL);
    CHECK(hm_report_items(entry.id, &second, ask()) == HM_OK && count_lines() == 2);
    CHECK(strstr(answer, "1: my b\n") != NULL);
    CHECK(hm_report_items(entry.id, &asked, ask()) == HM_OK && count_lines() == 2);
    CHECK(strstr(answer, "1: your b\n") != NULL);
    CHECK(hm_report_set_print(&entry, NULL) == HM_OK);
    CHECK(hm_report_items(entry.id, &second, ask()) == HM_OK);
    CHECK(strstr(answer, "1: 62\n") != NULL);
    CHECK(hm_report_items(entry.id + 1, NULL, ask()) == HM_ERROR_INVALID && answer[0] == '\0');
    uint32_t id = entry.id;
    hm_map_fini(&map);
    CHECK(hm_report_items(id, NULL, ask()) == HM_ERROR_INVALID);
    CHECK(hm_report_remove(&entry) == HM_OK);
    map = make_map("again");
    CHECK(hm_report_add_map(&entry, &map) == HM_OK && entry.id > id);
    CHECK(hm_report_items(id, NULL, ask()) == HM_ERROR_INVALID);
    CHECK(strstr(hm_last_error(), "no live container with the id") != NULL);
    CHECK(hm_report_remove(&entry) == HM_OK);
    hm_map_fini(&map);
}

TEST(report_items, are_at_most_a_thousand_and_a_sink_may_refuse)
{
    const hm_dump_desc more = {.most = 1001}, less = {.most = 999};
    hm_pool pool;
    hm_report_entry entry;
    CHECK(hm_pool_init(&pool, &(hm_pool_desc){.item_size = 4}) == HM_OK);
    CHECK(hm_report_add_pool(&entry, &pool) == HM_OK);
    CHECK(hm_pool_insert_n(&pool, NULL, 1500, NULL) == HM_OK);
    CHECK(hm_report_items(entry.id, NULL, ask()) == HM_OK && count_lines() == 1001);
    CHECK(hm_report_items(entry.id, &more, ask()) == HM_OK && count_lines() == 1001);
    CHECK(hm_report_items(entry.id, &less, ask()) == HM_OK && count_lines() == 1000);
    refusing_sink sink = {0, 2};
    CHECK(hm_report_items(entry.id, NULL, (hm_sink){refuse_write, &sink}) == HM_ERROR_IO);
    CHECK(sink.calls == 2);
    CHECK(hm_report_remove(&entry) == HM_OK);
    hm_pool_fini(&pool);
}

TEST(report_items, each_kind_of_container_has_them_and_is_asked_about_handles)
{
    test_any made[TEST_KINDS];
    hm_report_entry entries[TEST_KINDS];
    for (int i = 0; i < TEST_KINDS; i++)
        CHECK(test_any_init(&made[i], (test_kind)i, i == TEST_WORLD ? 8 : 9, 0, NULL) == HM_OK);
    CHECK(hm_report_add_map(&entries[TEST_MAP], &made[TEST_MAP].map) == HM_OK);
    CHECK(hm_report_add_pool(&entries[TEST_POOL], &made[TEST_POOL].pool) == HM_OK);
    CHECK(hm_report_add_table(&entries[TEST_TABLE], &made[TEST_TABLE].table) == HM_OK);
    CHECK(hm_report_add_secondary(&entries[TEST_SECONDARY], &made[TEST_SECONDARY].secondary) ==
          HM_OK);
    CHECK(hm_report_add_lists(&entries[TEST_LISTS], &made[TEST_LISTS].lists) == HM_OK);
    CHECK(hm_report_add_index(&entries[TEST_INDEX], &made[TEST_INDEX].index) == HM_OK);
    CHECK(hm_report_add_world(&entries[TEST_WORLD], &made[TEST_WORLD].world) == HM_OK);
    static const char *const kinds[] = {"map '",   "pool '",  "table '", "secondary '",
                                        "lists '", "index '", "world '"};
    for (int i = 0; i < TEST_KINDS; i++) {
        CHECK(hm_report_items(entries[i].id, NULL, ask()) == HM_OK);
        CHECK(strncmp(answer, kinds[i], strlen(kinds[i])) == 0 && count_lines() == 1);
    }
    hm_handle handle = hm_map_insert(&made[TEST_MAP].map, NULL);
    CHECK(hm_report_describe(handle, ask()) == HM_OK && count_lines() == 6);
    CHECK(strstr(answer, "map, live: slot 0 of 'map', generation 1\npool, ") == answer);
    CHECK(strstr(answer, "\nindex, ") != NULL && strstr(answer, "world") == NULL);
    CHECK(hm_report_describe((hm_handle){UINT64_C(0x0007000100000000)}, ask()) == HM_OK);
    CHECK(strcmp(answer, "no live container of the report has handles with the type id 7\n") == 0);
    refusing_sink sink = {0, 1};
    CHECK(hm_report_describe(handle, (hm_sink){refuse_write, &sink}) == HM_ERROR_IO);
    test_any_fini(&made[TEST_MAP], TEST_MAP);
    CHECK(hm_report_describe(handle, ask()) == HM_OK && count_lines() == 5);
    CHECK(strncmp(answer, "pool, ", 6) == 0);
    CHECK(hm_report_describe((hm_handle){UINT64_C(0x0000000100000000)}, ask()) == HM_OK);
    CHECK(strcmp(answer, "no live container of the report has handles with the type id 0\n") == 0);
    for (int i = 0; i < TEST_KINDS; i++)
        CHECK(hm_report_remove(&entries[i]) == HM_OK);
    for (int i = TEST_MAP + 1; i < TEST_KINDS; i++)
        test_any_fini(&made[i], (test_kind)i);
}
