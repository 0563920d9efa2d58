/* SPDX-License-Identifier: MIT */
/* Which structs a history knows without being told: containers, commands and arenas that use its
 * memory, from init to fini, wherever they are; and queries, which it need not know. */
#include "../support/any.h"
#include "../support/last_error.h"
#include "../support/memory.h"

#include <string.h>

static void begin(hm_history *history, const hm_memory *parent)
{
    const hm_history_desc desc = {
        .marks = 8, .method = HM_HISTORY_COMPARE, .size = (size_t)1 << 24, .memory = parent};
    CHECK(hm_history_init(history, &desc) == HM_OK);
}

static void rewind_to(hm_history *history, uint64_t mark)
{
    CHECK(mark != 0 && hm_history_rewind(history, mark) == HM_OK);
    CHECK(hm_history_validate(history) == HM_OK);
}

static uint32_t add_to(test_any *container, test_kind kind, uint32_t n)
{
    static const uint32_t number = 5;
    switch (kind) {
    case TEST_MAP:
        CHECK(hm_map_insert_n(&container->map, NULL, n, NULL) == HM_OK);
        return hm_map_count(&container->map);
    case TEST_POOL:
        CHECK(hm_pool_insert_n(&container->pool, NULL, n, NULL) == HM_OK);
        return hm_pool_count(&container->pool);
    case TEST_TABLE:
        CHECK(hm_table_insert_n(&container->table, NULL, n, NULL) == HM_OK);
        return hm_table_count(&container->table);
    case TEST_SECONDARY:
        for (uint32_t i = 0; i < n; i++)
            CHECK(hm_secondary_set(&container->secondary, hm_handle_pack(i, 1, 1), &number));
        return hm_secondary_count(&container->secondary);
    case TEST_LISTS:
        CHECK(hm_lists_create_n(&container->lists, n, NULL) == HM_OK);
        return hm_lists_count(&container->lists);
    case TEST_INDEX:
        for (uint32_t i = 0; i < n; i++)
            CHECK(hm_index_set(&container->index, hm_handle_pack(i, 1, 1), i % 3) == HM_OK);
        return hm_index_count(&container->index);
    default:
        CHECK(hm_world_create_n(&container->world, NULL, 0, n, NULL, NULL) == HM_OK);
        return hm_world_count(&container->world);
    }
}

#define EACH(verb, ...)                                                                            \
    switch (kind) {                                                                                \
    case TEST_MAP:                                                                                 \
        return hm_map_##verb(&container->map __VA_ARGS__);                                         \
    case TEST_POOL:                                                                                \
        return hm_pool_##verb(&container->pool __VA_ARGS__);                                       \
    case TEST_TABLE:                                                                               \
        return hm_table_##verb(&container->table __VA_ARGS__);                                     \
    case TEST_SECONDARY:                                                                           \
        return hm_secondary_##verb(&container->secondary __VA_ARGS__);                             \
    case TEST_LISTS:                                                                               \
        return hm_lists_##verb(&container->lists __VA_ARGS__);                                     \
    case TEST_INDEX:                                                                               \
        return hm_index_##verb(&container->index __VA_ARGS__);                                     \
    default:                                                                                       \
        return hm_world_##verb(&container->world __VA_ARGS__);                                     \
    }

static uint32_t count_of(const test_any *container, test_kind kind)
{
    EACH(count, )
}

static hm_status validate(const test_any *container, test_kind kind)
{
    EACH(validate, )
}

static hm_status watch(hm_history *history, test_any *container, test_kind kind)
{
    EACH(watch, , history)
}

static bool has(const test_any *container, test_kind kind, uint32_t n)
{
    return validate(container, kind) == HM_OK && count_of(container, kind) == n;
}

enum { BEFORE = 7, AFTER = 900 };

/* The memory comes back, and nobody owns it: the history releases it in the end. */
TEST(history, what_was_finished_after_the_mark_stays_so)
{
    static test_any container;
    test_memory memory;
    for (test_kind kind = 0; kind < TEST_KINDS; kind++) {
        hm_history history;
        test_memory_init_with_holes(&memory, test_page_size(4096));
        begin(&history, &memory.table);
        CHECK(test_any_init(&container, kind, 1, 0, &history.table) == HM_OK);
        CHECK(add_to(&container, kind, AFTER) == AFTER);
        uint64_t mark = hm_history_mark(&history);
        test_any_fini(&container, kind);
        memset(&container, 0xA5, sizeof container);
        rewind_to(&history, mark);
        for (size_t i = 0; i < sizeof container; i++)
            CHECK(((unsigned char *)&container)[i] == 0xA5);
        CHECK(hm_history_mark(&history) != 0);
        hm_history_fini(&history);
        test_memory_check_released(&memory);
    }
}

/* The past of a container moves with it: nobody else has had its bytes. */
TEST(history, a_container_that_is_moved_is_known_again_by_a_watch)
{
    static test_any places[2];
    for (test_kind kind = 0; kind < TEST_KINDS; kind++) {
        hm_history history;
        begin(&history, NULL);
        CHECK(test_any_init(&places[0], kind, 1, 0, &history.table) == HM_OK);
        CHECK(add_to(&places[0], kind, BEFORE) == BEFORE);
        uint64_t mark = hm_history_mark(&history);
        CHECK(add_to(&places[0], kind, AFTER) >= AFTER);
        places[1] = places[0];
        memset(&places[0], 0xA5, sizeof places[0]);
        CHECK(hm_history_mark(&history) == 0 &&
              hm_history_rewind(&history, mark) == HM_ERROR_INVALID);
        CHECK(mentions(" was moved by assignment: call hm_") && mentions("_moved where it is now"));
        CHECK(watch(&history, &places[1], kind) == HM_OK);
        CHECK(watch(&history, &places[1], kind) == HM_OK);
        CHECK(hm_history_mark(&history) != 0);
        rewind_to(&history, mark);
        CHECK(has(&places[1], kind, BEFORE));
        for (size_t i = 0; i < sizeof places[0]; i++)
            CHECK(((unsigned char *)&places[0])[i] == 0xA5);
        test_any_fini(&places[1], kind);
        hm_history_fini(&history);
    }
}

TEST(history, a_container_with_other_memory_is_refused)
{
    static test_any container, zeroed;
    for (test_kind kind = 0; kind < TEST_KINDS; kind++) {
        hm_history history;
        begin(&history, NULL);
        CHECK(watch(&history, &zeroed, kind) == HM_OK);
        CHECK(test_any_init(&container, kind, 1, 0, NULL) == HM_OK);
        CHECK(watch(&history, &container, kind) == HM_ERROR_INVALID);
        CHECK(mentions("_watch: this ") && mentions("give its init &history.table"));
        CHECK(hm_history_watch(&history, &container, sizeof container) == HM_OK);
        CHECK(hm_history_mark(&history) == 0);
        CHECK(mentions("hm_history_mark: watched bytes have a container with other memory"));
        CHECK(add_to(&container, kind, BEFORE) == BEFORE && hm_history_mark(&history) == 0);
        test_any_fini(&container, kind);
        CHECK(hm_history_mark(&history) != 0);
        hm_history_fini(&history);
    }
}

/* A program that keeps all in one struct, and watches that. */
typedef struct game {
    uint64_t frame;
    hm_map map;
    hm_world world;
    hm_query query;
    hm_commands commands;
    hm_component sparse, dense;
} game;

static void mark_in_hook(void *item, void *context)
{
    (void)item;
    CHECK(hm_history_mark(context) == 0);
    CHECK(says("hm_history_mark: a callback of the map 'map' runs, or a query over it"));
}

static void begin_game(game *g, hm_history *history)
{
    begin(history, NULL);
    CHECK(hm_map_init(&g->map, &(hm_map_desc){.item_size = 8,
                                              .destroy = mark_in_hook,
                                              .context = history,
                                              .memory = &history->table}) == HM_OK);
    CHECK(hm_world_init(&g->world, &(hm_world_desc){.memory = &history->table}) == HM_OK);
    g->sparse = hm_world_component(
        &g->world, &(hm_component_desc){.size = 8, .storage = HM_COMPONENT_SPARSE, .name = "s"});
    g->dense = hm_world_component(&g->world, &(hm_component_desc){.size = 8, .name = "d"});
}

static void end_game(game *g, hm_history *history)
{
    hm_commands_fini(&g->commands);
    hm_query_fini(&g->query);
    hm_world_fini(&g->world);
    hm_map_fini(&g->map);
    hm_history_fini(history);
}

TEST(history, a_mark_is_refused_while_a_container_in_watched_bytes_is_busy)
{
    static game g;
    hm_history history;
    hm_query_loop loop;
    begin_game(&g, &history);
    CHECK(hm_history_watch(&history, &g, sizeof g) == HM_OK);
    CHECK(hm_query_init(&g.query, &g.world, &(hm_query_desc){.all_count = 0}) == HM_OK);
    CHECK(hm_map_erase(&g.map, hm_map_insert(&g.map, NULL)));
    uint64_t mark = hm_history_mark(&history);
    hm_query_begin(&g.query, &loop);
    CHECK(hm_history_mark(&history) == 0 && hm_history_rewind(&history, mark) == HM_ERROR_BUSY);
    CHECK(says("hm_history_rewind: a callback of the world 'world' runs, or a query over it"));
    hm_query_end(&loop);
    CHECK(hm_history_mark(&history) != 0);
    end_game(&g, &history);
}

TEST(history, a_map_that_is_forgotten_is_not_written_any_more)
{
    static game g;
    hm_history history;
    begin_game(&g, &history);
    uint64_t mark = hm_history_mark(&history);
    CHECK(hm_history_unwatch(&history, &g.map) && !hm_history_unwatch(&history, &g.map));
    g.map.name = "forgotten";
    rewind_to(&history, mark);
    CHECK(strcmp(g.map.name, "forgotten") == 0);
    CHECK(hm_map_watch(&g.map, &history) == HM_OK);
    mark = hm_history_mark(&history);
    (void)hm_map_insert(&g.map, NULL);
    rewind_to(&history, mark);
    CHECK(hm_map_count(&g.map) == 0);
    end_game(&g, &history);
}

/* queries, which no history knows */

/* Two components that a rewind takes away, and others with their numbers and other storages. */
TEST(history, a_query_for_what_a_rewind_took_away_matches_nothing)
{
    static game g;
    static const hm_component_storage storages[] = {HM_COMPONENT_ARCHETYPE, HM_COMPONENT_SPARSE};
    for (size_t i = 0; i < 2; i++) {
        hm_history history;
        hm_query_loop loop;
        hm_view view;
        begin_game(&g, &history);
        uint64_t mark = hm_history_mark(&history);
        hm_component_desc desc = {.size = 8, .storage = storages[i], .name = "before"};
        hm_component before = hm_world_component(&g.world, &desc);
        const hm_query_desc query = {.all = &before, .all_count = 1};
        CHECK(hm_query_init(&g.query, &g.world, &query) == HM_OK);
        (void)hm_world_create(&g.world, &before, 1);
        CHECK(hm_query_count(&g.query) == 1);
        rewind_to(&history, mark);
        CHECK(hm_query_count(&g.query) == 0 && hm_query_destroy(&g.query) == 0);
        desc = (hm_component_desc){.size = 4, .storage = storages[1 - i], .name = "after"};
        hm_component after = hm_world_component(&g.world, &desc);
        (void)hm_world_create(&g.world, &after, 1);
        hm_query_begin(&g.query, &loop);
        CHECK(!hm_query_next(&loop, &view) && hm_query_count(&g.query) == 0);
        end_game(&g, &history);
    }
}

/* More than are listed in the query itself. */
enum { MANY = 20 };

static void make_tags(game *g, hm_component tags[MANY])
{
    for (uint32_t i = 0; i < MANY; i++)
        tags[i] = hm_world_component(&g->world, &(hm_component_desc){.size = 0});
}

/* Makes an entity in each of so many archetypes. */
static void make_tagged(game *g, const hm_component tags[MANY])
{
    for (uint32_t i = 0; i < MANY; i++)
        CHECK(
            !hm_handle_is_null(hm_world_create(&g->world, (hm_component[]){g->dense, tags[i]}, 2)));
}

/* Its list was whole at the mark, and was begun anew since, but not ended. */
TEST(history, a_query_whose_list_was_whole_at_the_mark_and_is_not_now_is_right)
{
    static game g;
    hm_history history;
    hm_component tags[MANY];
    begin_game(&g, &history);
    make_tags(&g, tags);
    const hm_query_desc desc = {.all = &g.dense, .all_count = 1};
    CHECK(hm_query_init(&g.query, &g.world, &desc) == HM_OK);
    hm_handle other = hm_world_create(&g.world, tags, 1);
    (void)hm_world_create(&g.world, &g.dense, 1);
    CHECK(hm_query_count(&g.query) == 1);
    uint64_t mark = hm_history_mark(&history);
    CHECK(hm_world_destroy(&g.world, other) && hm_world_trim(&g.world) == HM_OK);
    make_tagged(&g, tags); /* One of these archetypes is where that of the other was. */
    CHECK(hm_query_count(&g.query) == 1 + MANY);
    rewind_to(&history, mark);
    CHECK(hm_query_count(&g.query) == 1);
    end_game(&g, &history);
}

/* commands */

TEST(history, commands_come_back_with_their_world_or_are_empty)
{
    static game g;
    hm_history history;
    for (int is_watched = 0; is_watched < 2; is_watched++) {
        begin_game(&g, &history);
        if (is_watched != 0)
            CHECK(hm_history_watch(&history, &g.commands, sizeof g.commands) == HM_OK);
        CHECK(hm_commands_init(&g.commands, &g.world, NULL) == HM_OK);
        hm_commands later;
        uint64_t value = 9;
        CHECK(hm_world_reserve(&g.world, 10) == HM_OK);
        hm_handle made = hm_commands_create(&g.commands, &g.dense, 1);
        CHECK(!hm_handle_is_null(made));
        uint64_t mark = hm_history_mark(&history);
        CHECK(hm_commands_init(&later, &g.world, NULL) == HM_OK);
        CHECK(hm_commands_add(&later, made, g.dense, &value) == HM_OK);
        CHECK(hm_commands_apply(&g.commands) == HM_OK && hm_world_count(&g.world) == 1);
        rewind_to(&history, mark);
        CHECK(hm_commands_count(&g.commands) == 1 && hm_commands_count(&later) == 0);
        CHECK(hm_commands_apply(&later) == HM_OK && hm_world_count(&g.world) == 1);
        CHECK(hm_commands_apply(&g.commands) == HM_OK && hm_world_has(&g.world, made, g.dense));
        CHECK(hm_commands_add(&later, made, g.dense, &value) == HM_OK); /* It goes on. */
        CHECK(hm_commands_apply(&later) == HM_OK);
        CHECK(*(uint64_t *)hm_world_get(&g.world, made, g.dense) == 9);
        CHECK(hm_world_validate(&g.world) == HM_OK);
        hm_commands_fini(&later);
        end_game(&g, &history);
    }
}

TEST(history, commands_of_a_world_that_was_made_later_record_nothing)
{
    static game g;
    hm_history history;
    begin(&history, NULL);
    uint64_t mark = hm_history_mark(&history);
    CHECK(hm_world_init(&g.world, &(hm_world_desc){.memory = &history.table}) == HM_OK);
    CHECK(hm_commands_init(&g.commands, &g.world, NULL) == HM_OK);
    hm_handle made = hm_world_create(&g.world, NULL, 0);
    CHECK(hm_commands_destroy(&g.commands, made) == HM_OK);
    rewind_to(&history, mark);
    CHECK(hm_commands_destroy(&g.commands, made) == HM_ERROR_FULL);
    CHECK(hm_commands_count(&g.commands) == 0);
    end_game(&g, &history);
}

/* arenas, and refused memory */

TEST(history, an_arena_in_it_comes_back_without_a_watch)
{
    hm_history history;
    static hm_memory_arena arena;
    static hm_map map;
    begin(&history, NULL);
    const hm_memory_arena_desc desc = {.size = (size_t)1 << 20, .memory = &history.table};
    CHECK(hm_memory_arena_init(&arena, &desc) == HM_OK);
    CHECK(hm_map_init(&map, &(hm_map_desc){.item_size = 8, .memory = &arena.table}) == HM_OK);
    uint64_t mark = hm_history_mark(&history);
    CHECK(hm_map_insert_n(&map, NULL, AFTER, NULL) == HM_OK);
    uint64_t full = hm_history_mark(&history);
    rewind_to(&history, mark);
    CHECK(hm_map_count(&map) == 0 && hm_map_validate(&map) == HM_OK);
    rewind_to(&history, full);
    CHECK(hm_map_count(&map) == AFTER && hm_map_validate(&map) == HM_OK);
    hm_map_fini(&map);
    hm_memory_arena_fini(&arena);
    hm_history_fini(&history);
}

TEST(history, an_init_is_refused_where_there_is_no_memory_to_know_its_container)
{
    enum { MAPS = 200 };
    static hm_map maps[MAPS];
    test_memory memory;
    hm_history history;
    test_memory_init_with_holes(&memory, test_page_size(4096));
    begin(&history, &memory.table);
    const hm_map_desc desc = {.item_size = 8, .memory = &history.table};
    uint32_t refusals = 0;
    for (uint32_t i = 0; i < MAPS; i++) {
        test_memory_fail(&memory, 1, false); /* The first call that the init makes. */
        hm_status status = hm_map_init(&maps[i], &desc);
        CHECK(status == HM_OK || status == HM_ERROR_MEMORY);
        refusals += status != HM_OK;
        test_memory_fail(&memory, 0, false);
        CHECK(status == HM_OK || hm_map_init(&maps[i], &desc) == HM_OK);
        CHECK(hm_history_validate(&history) == HM_OK);
    }
    CHECK(refusals > 0 && hm_history_mark(&history) != 0);
    for (uint32_t i = 0; i < MAPS; i++)
        hm_map_fini(&maps[i]);
    hm_history_fini(&history);
    test_memory_check_released(&memory);
}
