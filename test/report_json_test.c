/* SPDX-License-Identifier: MIT */
/* report as JSON: the letters, any names, and a sink that refuses. */
#include "support/test.h"

#include <handle_map/handle_map.h>

#include <stdio.h>
#include <string.h>

enum { TEXT = 4096 };

/* Leaves in `text` what hm_report_json writes, or NULL: only counts. Returns its size. */
static size_t report_as_json(char *text)
{
    hm_memory_stream stream = {(unsigned char *)text, TEXT - 1, 0};
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
        "{\"version\": \"%s\", \"containers\": [\n"
        "{\"kind\": \"map\", \"name\": \"a\", \"type_id\": 9, \"count\": 7, \"capacity\": %u, "
        "\"slots\": 7, \"max_slots\": %u, \"free_slots\": 0, \"retired_slots\": 0, "
        "\"committed_size\": %zu, \"reserved_size\": %zu},\n"
        "{\"kind\": \"pool\", \"name\": \"b\", \"type_id\": 8, \"count\": 0, \"capacity\": %u, "
        "\"slots\": 0, \"max_slots\": %u, \"free_slots\": 0, \"retired_slots\": 0, "
        "\"committed_size\": %zu, \"reserved_size\": %zu, "
        "\"occupancy\": {\"slots\": 64, \"counts\": []}}], \"leaks\": [\n"
        "{\"kind\": \"pool\", \"name\": \"b\", \"times\": 1, \"committed_size\": %zu, "
        "\"reserved_size\": %zu}]}\n",
        hm_version(), (unsigned)a.capacity, (unsigned)a.max_slots, a.committed_size,
        a.reserved_size, (unsigned)b.capacity, (unsigned)b.max_slots, b.committed_size,
        b.reserved_size, entries[1].leaked_committed, entries[1].leaked_reserved);
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

TEST(report_json, lists_tell_how_many_items_they_have)
{
    hm_lists lists;
    hm_report_entry entry;
    CHECK(hm_lists_init(&lists, &(hm_lists_desc){.item_size = 4, .capacity = 9}) == HM_OK);
    CHECK(hm_report_add_lists(&entry, &lists) == HM_OK);
    CHECK(report_ends_with("\"items\": 0"));
    CHECK(hm_lists_push_n(&lists, hm_lists_create(&lists), NULL, 5) == HM_OK);
    CHECK(hm_lists_push_n(&lists, hm_lists_create(&lists), NULL, 2) == HM_OK);
    CHECK(report_ends_with("\"items\": 7"));
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
