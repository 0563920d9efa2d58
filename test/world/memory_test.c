/* SPDX-License-Identifier: MIT */
/* The memory of a world: growing moves nothing, what is promised needs no memory, trim gives back,
 * limits refuse, and many small archetypes take little. */
#include "support/memory.h"
#include "support/world.h"

#include <handle_map/query.h>

#include <inttypes.h>
#include <stdio.h>

/* growth */

TEST(world_memory, what_would_move_an_array_is_busy_while_a_query_runs)
{
    hm_world world;
    CHECK(hm_world_init(&world, &(hm_world_desc){.type_id = 1}) == HM_OK);
    hm_component a = make_int(&world);
    make_one(&world, a, 1);
    CHECK(hm_world_get_stats(&world).reserved_size <= (12 << 10) + 2 * hm_memory_os()->page_size);
    hm_query query;
    CHECK(hm_query_init(&query, &world, &(hm_query_desc){.all = &a, .all_count = 1}) == HM_OK);
    hm_query_loop loop;
    hm_query_begin(&query, &loop);
    const void *places = world.places;
    CHECK(hm_world_reserve(&world, 1) == HM_OK);
    CHECK(hm_world_reserve(&world, 100000) == HM_ERROR_BUSY);
    uint32_t components = 1;
    while (hm_world_component(&world, &(hm_component_desc){.size = 0}) != HM_INVALID_INDEX)
        components++;
    CHECK(components >= 8 && strstr(hm_last_error(), "while a query runs") != NULL);
    CHECK(world.places == places && hm_world_validate(&world) == HM_OK);
    hm_query_end(&loop);
    CHECK(hm_world_reserve(&world, 100000) == HM_OK && world.places != places);
    CHECK(make_tag(&world) != HM_INVALID_INDEX);
    hm_query_fini(&query);
    finish_world(&world);
}

/* trim */

TEST(world_memory, trim_drops_empty_archetypes_and_gives_memory_back)
{
    enum { ENTITIES = 10000 };
    static hm_handle entities[ENTITIES];
    test_memory memory;
    test_memory_init(&memory, hm_memory_os()->page_size);
    hm_world world = make_world((hm_world_desc){.memory = &memory.table});
    hm_component a = make_int(&world), b = make_int(&world), sparse = make_sparse(&world);
    hm_component all[] = {a, b, sparse};
    CHECK(hm_world_trim(&world) == HM_OK);
    size_t before = memory.committed_size;
    hm_handle stay = make_one(&world, a, 5);
    CHECK(hm_world_create_n(&world, all, 3, ENTITIES, NULL, entities) == HM_OK);
    CHECK(hm_world_reserve(&world, 1000) == HM_OK);
    size_t full = memory.committed_size;
    CHECK(hm_world_destroy_n(&world, entities, ENTITIES) == ENTITIES);
    CHECK(hm_world_archetype_count(&world) == 2 && memory.committed_size == full);
    CHECK(hm_world_trim(&world) == HM_OK && hm_world_validate(&world) == HM_OK);
    CHECK(hm_world_archetype_count(&world) == 1 && value_of(&world, stay, a) == 5);
    CHECK(hm_handle_is_null(hm_world_upcoming(&world, 0)));
    size_t pages = 8 * memory.table.page_size; /* One may stay of each array. */
    size_t most = pages > 4 * 65536 ? pages : 4 * 65536;
    CHECK(memory.committed_size <= before + most);
    CHECK(memory.committed_size - before < (full - before) / 2);
    CHECK(hm_world_get_stats(&world).committed_size == memory.committed_size);
    for (int i = 0; i < ENTITIES; i++)
        CHECK(!hm_world_contains(&world, entities[i]));
    CHECK(hm_world_create_n(&world, all, 3, ENTITIES, NULL, NULL) == HM_OK);
    for (int i = 0; i < ENTITIES; i++)
        CHECK(!hm_world_contains(&world, entities[i]));
    finish_world(&world);
    test_memory_check_released(&memory);
}

TEST(world_memory, a_set_that_was_created_last_is_found_anew_after_a_trim)
{
    hm_world world = make_world((hm_world_desc){.capacity = 10});
    hm_component a = make_int(&world), b = make_int(&world);
    hm_world_destroy(&world, make_one(&world, b, 1));
    hm_world_destroy(&world, make_one(&world, a, 1));
    CHECK(hm_world_trim(&world) == HM_OK && hm_world_archetype_count(&world) == 0);
    hm_handle entity = hm_world_create(&world, &a, 1);
    CHECK(hm_world_has(&world, entity, a) && hm_world_archetype_count(&world) == 1);
    finish_world(&world);
}

/* limits */

TEST(world_memory, max_archetypes_refuses_and_trim_makes_them_available_again)
{
    hm_world world = make_world((hm_world_desc){.max_archetypes = 2});
    hm_component a = make_int(&world), b = make_int(&world), c = make_int(&world);
    hm_handle first = make_one(&world, a, 1), second = make_one(&world, b, 2);
    CHECK(hm_handle_is_null(hm_world_create(&world, &c, 1)));
    CHECK(strstr(hm_last_error(), " has 2 of 2 archetypes: trim it, or raise max_archetypes") !=
          NULL);
    CHECK(hm_world_add(&world, first, b, NULL) == HM_ERROR_FULL);
    CHECK(hm_world_archetype_count(&world) == 2);
    hm_component large = make_component(&world, (hm_component_desc){.size = 12000});
    hm_component too_large = make_component(&world, (hm_component_desc){.size = 12001, .align = 1});
    hm_component both[] = {large, too_large};
    CHECK(hm_handle_is_null(hm_world_create(&world, both, 2)));
    CHECK(strstr(hm_last_error(), "make large components sparse") != NULL);
    CHECK(hm_world_change(&world, first, &c, 1, &a, 1) == HM_ERROR_FULL);
    CHECK(value_of(&world, first, a) == 1 && !hm_world_has(&world, first, b));
    CHECK(hm_world_remove(&world, first, a, NULL) == HM_OK && hm_world_trim(&world) == HM_OK);
    CHECK(hm_world_add(&world, second, c, NULL) == HM_OK && value_of(&world, second, b) == 2);
    finish_world(&world);
}

/* What a failed call took is there for others. */
static void check_max_size(const hm_world_desc *desc)
{
    hm_world world;
    test_memory memory = {0};
    test_memory_init(&memory, test_page_size(4096));
    hm_world_desc full = *desc;
    full.memory = &memory.table;
    hm_status status = HM_ERROR_MEMORY;
    for (uint32_t k = 1; status == HM_ERROR_MEMORY; k++) {
        test_memory_fail(&memory, k, false);
        status = hm_world_init(&world, &full);
    }
    CHECK(status == HM_OK);
    test_memory_fail(&memory, 0, false);
    hm_component large = make_component(&world, (hm_component_desc){.size = 4096});
    hm_component other = make_component(&world, (hm_component_desc){.size = 4000});
    CHECK(hm_world_create_n(&world, &large, 1, 100, NULL, NULL) == HM_OK);
    CHECK(hm_world_create_n(&world, &large, 1, 10000, NULL, NULL) == HM_ERROR_FULL);
    CHECK(strstr(hm_last_error(), "max_size is used up") != NULL);
    CHECK(hm_world_count(&world) == 100 && hm_world_validate(&world) == HM_OK);
    CHECK(hm_world_create_n(&world, &other, 1, 50, NULL, NULL) == HM_OK);
    CHECK(hm_world_create_n(&world, &other, 1, 10000, NULL, NULL) == HM_ERROR_FULL);
    CHECK(hm_world_create_n(&world, &large, 1, 50, NULL, NULL) == HM_OK);
    finish_world(&world);
    test_memory_check_released(&memory);
}

TEST(world_memory, max_size_refuses_and_what_fits_still_fits)
{
    check_max_size(&(hm_world_desc){.capacity = 100000, .max_size = 1 << 21});
    check_max_size(&(hm_world_desc){.max_size = 1 << 21});
}

/* The chunks of an archetype of 3,000 rows are of all four classes. */
TEST(world_memory, an_archetype_that_shrinks_keeps_one_chunk_more_than_it_needs)
{
    enum { ENTITIES = 3000 };
    static hm_handle entities[ENTITIES];
    hm_world world = make_world((hm_world_desc){0});
    hm_component large = make_component(&world, (hm_component_desc){.size = 100});
    for (int i = 0; i < ENTITIES; i++)
        entities[i] = hm_world_create(&world, &large, 1);
    const hm_world_archetype *archetype = &world.archetypes[1];
    uint32_t first = archetype->first, most = archetype->chunk_count;
    CHECK(most >= HM_WORLD_CLASSES);
    for (int i = ENTITIES; i-- > 0;) {
        CHECK(hm_world_destroy(&world, entities[i]));
        uint32_t used = archetype->last != HM_WORLD_NONE
                            ? hm_world_link_of(&world, archetype->last)->ordinal + 1
                            : 0;
        CHECK(archetype->chunk_count == (used < most ? used + 1 : used));
    }
    CHECK(archetype->first == first && archetype->tail == first);
    CHECK(hm_world_trim(&world) == HM_OK && hm_world_archetype_count(&world) == 0);
    finish_world(&world);
}

/* Five blocks, of which three are in the last region; two of these become free. */
TEST(world_memory, trim_gives_back_the_blocks_at_the_end_of_a_region)
{
    enum { ENTITIES = 300, KEPT = 140 };
    test_memory memory;
    test_memory_init_with_holes(&memory, test_page_size(4096));
    hm_world world = make_world((hm_world_desc){.capacity = 1000, .memory = &memory.table});
    hm_component large = make_component(&world, (hm_component_desc){.size = 4096});
    hm_handle entities[ENTITIES];
    for (uint32_t i = 0; i < ENTITIES; i++)
        entities[i] = hm_world_create(&world, &large, 1);
    uint32_t regions = (uint32_t)world.store.base_array.count;
    CHECK(hm_world_destroy_n(&world, entities + KEPT, ENTITIES - KEPT) == ENTITIES - KEPT);
    size_t before = memory.committed_size;
    test_memory_fail(&memory, 1, false);
    CHECK(hm_world_trim(&world) == HM_ERROR_MEMORY && hm_world_validate(&world) == HM_OK);
    CHECK(memory.committed_size == before);
    test_memory_fail(&memory, 0, false);
    CHECK(hm_world_trim(&world) == HM_OK && hm_world_validate(&world) == HM_OK);
    CHECK(world.store.base_array.count == regions);
    CHECK(memory.committed_size <= before - 2 * HM_WORLD_BLOCK_SIZE);
    CHECK(hm_world_get_stats(&world).committed_size == memory.committed_size);
    CHECK(hm_world_create_n(&world, &large, 1, ENTITIES - KEPT, NULL, NULL) == HM_OK);
    CHECK(hm_world_validate(&world) == HM_OK);
    hm_world_fini(&world);
    test_memory_check_released(&memory);
}

/* What archetypes give back is there for others without a trim, in chunks or whole. */
TEST(world_memory, chunks_that_are_empty_serve_other_archetypes)
{
    enum { LARGE = 200 };
    hm_world world = make_world((hm_world_desc){.capacity = 100000, .max_size = 1 << 20});
    hm_component large = make_component(&world, (hm_component_desc){.size = 4096});
    hm_component other = make_component(&world, (hm_component_desc){.size = 4000});
    hm_component small = make_int(&world), tags[9];
    static hm_handle entities[10000];
    for (uint32_t i = 0; i < 9; i++)
        tags[i] = make_tag(&world);
    for (int round = 0; round < 4; round++) {
        const hm_component *set = round % 2 == 0 ? &large : &other;
        for (int i = 0; i < 150; i++) {
            entities[i] = hm_world_create(&world, set, 1);
            CHECK(!hm_handle_is_null(entities[i]));
        }
        CHECK(hm_world_destroy_n(&world, entities, 150) == 150);
        for (uint32_t i = 0; i < 500; i++) {
            hm_component list[10] = {small};
            uint32_t n = 1;
            for (uint32_t t = 0; t < 9; t++)
                if ((i >> t & 1) != 0)
                    list[n++] = tags[t];
            entities[i] = hm_world_create(&world, list, n);
            CHECK(!hm_handle_is_null(entities[i]));
        }
        CHECK(hm_world_destroy_n(&world, entities, 500) == 500);
        CHECK(hm_world_trim(&world) == HM_OK && hm_world_validate(&world) == HM_OK);
        CHECK(hm_world_create_n(&world, set, 1, LARGE - 20, NULL, entities) == HM_OK);
        CHECK(hm_world_destroy_n(&world, entities, LARGE - 20) == LARGE - 20);
    }
    finish_world(&world);
}

/* many archetypes */

enum { MANY_ARCHETYPES = 10000, MANY_EACH = 10, MANY_COMPONENTS = 14 };

/* Creates entities of as many different sets, each with the first component. */
static void make_many(hm_world *world, const hm_component *components)
{
    for (uint32_t set = 0; set < MANY_ARCHETYPES; set++) {
        hm_component list[MANY_COMPONENTS + 1] = {components[0]};
        hm_handle entities[MANY_EACH];
        uint32_t n = 1;
        for (uint32_t c = 1; c <= MANY_COMPONENTS; c++)
            if ((set >> (c - 1) & 1) != 0)
                list[n++] = components[c];
        CHECK(hm_world_create_n(world, list, n, MANY_EACH, NULL, entities) == HM_OK);
        for (int i = 0; i < MANY_EACH; i++)
            *(int *)hm_world_get(world, entities[i], components[0]) = 7 * i % MANY_EACH;
    }
}

/* The number of mappings of this process; 0 where the system does not say. */
static uint32_t count_mappings(void)
{
    uint32_t count = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    if (maps == NULL)
        return 0;
    for (int c = fgetc(maps); c != EOF; c = fgetc(maps))
        count += c == '\n';
    fclose(maps);
    return count;
}

TEST(world_memory, ten_thousand_archetypes_take_little_memory_and_few_mappings)
{
    hm_world world = make_world((hm_world_desc){.capacity = MANY_ARCHETYPES * MANY_EACH,
                                                .max_archetypes = 2 * MANY_ARCHETYPES,
                                                .max_size = 64 << 20});
    hm_component components[MANY_COMPONENTS + 1];
    const hm_order order = {.key = int_key};
    for (uint32_t c = 0; c <= MANY_COMPONENTS; c++)
        components[c] = make_int(&world);
    make_many(&world, components);
    CHECK(hm_world_archetype_count(&world) == MANY_ARCHETYPES);
    size_t created = hm_world_get_stats(&world).committed_size;
    uint32_t mappings = count_mappings(), calls = 1;
    while (!hm_world_defragment(&world, components[0], &order, NULL).done)
        CHECK(++calls < 100);
    size_t ordered = hm_world_get_stats(&world).committed_size;
    fprintf(stderr,
            "%d archetypes of %d entities: %zu KiB, %" PRIu32 " mappings; defragmented: %zu KiB, "
            "%" PRIu32 " mappings\n",
            MANY_ARCHETYPES, MANY_EACH, created >> 10, mappings, ordered >> 10, count_mappings());
    CHECK(mappings < 2000 && count_mappings() < 2000);
    CHECK(created < (size_t)MANY_ARCHETYPES * 4096);
    CHECK(ordered <= created + 16 * hm_memory_os()->page_size);
    CHECK(world_is_in_order(&world, components[0], int_key, NULL));
    hm_progress again = hm_world_defragment(&world, components[0], &order, NULL);
    CHECK(again.done && again.swaps == 0 && again.compares == 0);
    hm_handle entity = hm_world_handle_at(&world, 0);
    *(int *)hm_world_get(&world, entity, components[0]) = 1000;
    hm_world_touch(&world, entity, components[0]);
    for (calls = 0; !hm_world_defragment(&world, components[0], &order, NULL).done;)
        CHECK(++calls < 100);
    CHECK(world_is_in_order(&world, components[0], int_key, NULL));
    finish_world(&world);
}

/* Adds and removes each component in each order: all edges among the sets of four. */
static void walk_edges(hm_world *world, hm_handle entity, const hm_component *components)
{
    for (uint32_t set = 0; set < 16; set++)
        for (uint32_t c = 0; c < 4; c++) {
            for (uint32_t i = 0; i < 4; i++)
                CHECK((set >> i & 1
                           ? hm_world_add(world, entity, components[i], NULL)
                           : hm_world_remove(world, entity, components[i], NULL)) == HM_OK);
            CHECK(hm_world_add(world, entity, components[c], NULL) == HM_OK);
            CHECK(hm_world_remove(world, entity, components[c], NULL) == HM_OK);
        }
}

TEST(world_memory, the_second_walk_over_every_edge_asks_the_system_for_nothing)
{
    test_memory memory;
    test_memory_init(&memory, hm_memory_os()->page_size);
    hm_world world = make_world((hm_world_desc){.memory = &memory.table});
    hm_component components[4];
    for (uint32_t c = 0; c < 4; c++) {
        for (uint32_t i = 0; i < c * 100; i++)
            make_tag(&world); /* So that archetypes need more cells for some edges. */
        components[c] = make_int(&world);
    }
    hm_handle entity = hm_world_create(&world, NULL, 0);
    walk_edges(&world, entity, components);
    size_t committed = memory.committed_size;
    CHECK(hm_world_get_stats(&world).committed_size == committed);
    test_memory_fail(&memory, 1, true);
    walk_edges(&world, entity, components);
    CHECK(memory.calls == 0 && memory.committed_size == committed);
    CHECK(hm_world_archetype_count(&world) == 15);
    finish_world(&world);
    test_memory_check_released(&memory);
}

/* Returns where a region of the world begins, and its bytes. */
static const char *region_at(const hm_world *world, uint32_t region, size_t *size)
{
    *size = region < 2 ? 2 * hm_world_class_size(region + 1) : HM_WORLD_BLOCK_SIZE << (region - 1);
    return (const char *)hm_world_chunk_at(world, region << HM_WORLD_CLASS_BITS);
}

static bool is_in_region(const hm_world *world, const char *address)
{
    bool is_in = false;
    for (uint32_t region = 0; region < world->store.base_array.count; region++) {
        size_t size;
        const char *at = region_at(world, region, &size);
        is_in = is_in || (uintptr_t)address - (uintptr_t)at < size;
    }
    return is_in;
}

/* Rows, cells and columns, spare chunks, what was given back, and what is not the world's. */
TEST(world_memory, any_address_may_be_asked_for_its_entity)
{
    hm_world world = make_world((hm_world_desc){.capacity = 3000, .max_size = 1 << 20});
    hm_component a = make_int(&world), b = make_int(&world), tag = make_tag(&world);
    hm_component large = make_component(&world, (hm_component_desc){.size = 8000});
    hm_handle many[2000];
    CHECK(hm_world_create_n(&world, &large, 1, 60, NULL, many) == HM_OK);
    const void *gone = hm_world_get(&world, many[59], large);
    CHECK(hm_handle_equal(hm_world_handle_of(&world, gone, large), many[59]));
    CHECK(hm_world_destroy_n(&world, many, 60) == 60); /* That leaves free blocks. */
    CHECK(hm_handle_is_null(hm_world_handle_of(&world, gone, large)));
    CHECK(hm_world_create_n(&world, &a, 1, 2000, NULL, many) == HM_OK);
    const char *last = hm_world_get(&world, many[1999], a);
    CHECK(hm_world_destroy_n(&world, many + 1000, 1000) == 1000);
    const hm_component sets[] = {a, b};
    for (uint32_t n = 1; n <= 2; n++) /* What is refused leaves spare chunks. */
        CHECK(hm_world_create_n(&world, sets, n, 5000, NULL, NULL) == HM_ERROR_FULL);
    CHECK(hm_handle_is_null(hm_world_handle_of(&world, last, a)));
    uint32_t found = 0;
    for (uint32_t region = 0; region < world.store.base_array.count; region++) {
        size_t size;
        const char *base = region_at(&world, region, &size);
        for (size_t i = 0; i < size; i++) {
            hm_handle entity = hm_world_handle_of(&world, base + i, a);
            if (hm_handle_is_null(entity))
                continue;
            size_t within = (size_t)(base + i - (const char *)hm_world_get(&world, entity, a));
            CHECK(within < sizeof(int));
            found++;
        }
        CHECK(is_in_region(&world, base - 1) ||
              hm_handle_is_null(hm_world_handle_of(&world, base - 1, a)));
        CHECK(is_in_region(&world, base + size) ||
              hm_handle_is_null(hm_world_handle_of(&world, base + size, a)));
    }
    CHECK(found == 1000 * sizeof(int) && world.store.base_array.count > 2);
    const void *first = hm_world_get(&world, many[0], a);
    CHECK(hm_handle_is_null(hm_world_handle_of(&world, first, b)));
    CHECK(hm_handle_is_null(hm_world_handle_of(&world, first, tag)));
    CHECK(hm_handle_is_null(hm_world_handle_of(&world, first, tag + 1)));
    hm_component sparse = make_sparse(&world);
    give(&world, many[0], sparse, 1);
    const int *value = hm_world_get(&world, many[0], sparse);
    CHECK(hm_handle_equal(hm_world_handle_of(&world, value, sparse), many[0]));
    CHECK(hm_handle_is_null(hm_world_handle_of(&world, value + 1, sparse)));
    CHECK(hm_handle_is_null(hm_world_handle_of(&world, value - 1, sparse)));
    finish_world(&world);
}
