/* SPDX-License-Identifier: MIT */
/* Changes: single ones, and what is refused. Those of random programs are in changes_test.c. */
#include "../support/file.h"
#include "../support/last_error.h"
#include "../support/memory.h"

#include <handle_map/handle_map.h>

#include <string.h>

enum { PAGES_ITEMS = 300 };

static void count_change(const hm_change *change, void *context)
{
    (void)change;
    ++*(uint32_t *)context;
}

typedef struct scene {
    hm_history history;
    hm_world world;
    hm_component component;
} scene;

static hm_status begin_scene(scene *s, const hm_memory *parent)
{
    const hm_history_desc desc = {.size = (size_t)1 << 24, .memory = parent};
    memset(&s->world, 0, sizeof s->world);
    hm_status status = hm_history_init(&s->history, &desc);
    if (status == HM_OK)
        status = hm_world_watch(&s->world, &s->history);
    if (status == HM_OK)
        status = hm_world_init(&s->world, &(hm_world_desc){.memory = &s->history.table});
    if (status == HM_OK)
        s->component = hm_world_component(&s->world, &(hm_component_desc){.size = 8});
    return status;
}

static void end_scene(scene *s)
{
    hm_world_fini(&s->world);
    hm_history_fini(&s->history);
}

TEST(changes, of_what_is_not_watched_or_has_memory_elsewhere_are_refused)
{
    scene s;
    hm_map map;
    uint32_t told = 0;
    CHECK(begin_scene(&s, NULL) == HM_OK);
    CHECK(hm_map_init(&map, &(hm_map_desc){.item_size = 8, .name = "elsewhere"}) == HM_OK);
    uint64_t before = hm_history_mark(&s.history);
    CHECK(hm_map_changes(&map, &s.history, before, before, count_change, &told) ==
          HM_ERROR_INVALID);
    CHECK(says("hm_map_changes: 'elsewhere': the history does not know this map: give its init "
               "&history.table, "
               "and call hm_map_moved after a move"));
    hm_map_fini(&map);
    CHECK(hm_history_watch(&s.history, &map, sizeof map) == HM_OK);
    CHECK(hm_history_mark(&s.history) != 0); /* Only the first one looks for other memory. */
    CHECK(hm_map_init(&map, &(hm_map_desc){.item_size = 8, .name = "elsewhere"}) == HM_OK);
    CHECK(hm_map_changes(&map, &s.history, before, before, count_change, &told) == HM_OK);
    uint64_t next = hm_history_mark(&s.history);
    CHECK(hm_map_changes(&map, &s.history, before, next, count_change, &told) == HM_ERROR_INVALID);
    CHECK(says(
        "hm_map_changes: 'elsewhere': this map has other memory than the history's: give its init "
        "&history.table"));
    CHECK(hm_world_changes(&s.world, &s.history, before, next + 1, count_change, &told) ==
          HM_ERROR_STALE);
    hm_history none = {.marks = 0};
    CHECK(hm_map_changes(&map, &none, 0, 0, count_change, &told) == HM_ERROR_FULL);
    CHECK(told == 0);
    hm_map_fini(&map);
    end_scene(&s);
}

/* Two containers whose values lie on several pages. Comparing, a page that was written with the
 * same bytes has not changed. */
typedef struct pages {
    hm_history history;
    hm_map map;
    hm_lists lists;
    hm_handle list, handles[PAGES_ITEMS];
} pages;

static void begin_pages(pages *s)
{
    const hm_history_desc desc = {.marks = 2, .method = HM_HISTORY_COMPARE};
    CHECK(hm_history_init(&s->history, &desc) == HM_OK);
    const hm_memory *memory = &s->history.table;
    CHECK(hm_map_init(&s->map, &(hm_map_desc){.item_size = 40, .memory = memory}) == HM_OK);
    CHECK(hm_lists_init(&s->lists, &(hm_lists_desc){.item_size = 40, .memory = memory}) == HM_OK);
    CHECK(hm_history_watch(&s->history, &s->map, sizeof s->map) == HM_OK);
    CHECK(hm_history_watch(&s->history, &s->lists, sizeof s->lists) == HM_OK);
    CHECK(hm_map_insert_n(&s->map, NULL, PAGES_ITEMS, s->handles) == HM_OK);
    s->list = hm_lists_create(&s->lists);
    CHECK(hm_lists_push_n(&s->lists, s->list, NULL, PAGES_ITEMS) == HM_OK);
}

static void end_pages(pages *s)
{
    hm_map_fini(&s->map);
    hm_lists_fini(&s->lists);
    hm_history_fini(&s->history);
}

TEST(changes, are_told_whichever_byte_of_a_value_was_edited)
{
    pages s;
    begin_pages(&s);
    uint64_t last = hm_history_mark(&s.history);
    for (uint32_t i = 0; i < 2 * PAGES_ITEMS; i++) {
        uint32_t of_map = 0, of_lists = 0, count;
        ((unsigned char *)hm_map_get(&s.map, s.handles[i / 2]))[i % 2 != 0 ? 39 : 0]++;
        ((unsigned char *)hm_lists_items(&s.lists, s.list, &count))[(size_t)i * 20]++;
        uint64_t next = hm_history_mark(&s.history);
        CHECK(hm_map_changes(&s.map, &s.history, last, next, count_change, &of_map) == HM_OK);
        CHECK(hm_lists_changes(&s.lists, &s.history, last, next, count_change, &of_lists) == HM_OK);
        CHECK(of_map == 1 && of_lists == 1);
        last = next;
    }
    end_pages(&s);
}

static void rewind_in_hook(void *item, void *context)
{
    hm_history *history = context;
    (void)item;
    CHECK(hm_history_rewind(history, 1) == HM_ERROR_BUSY && hm_history_mark(history) == 0);
    CHECK(says("hm_history_mark: a callback of the map 'map' runs, or a query over it"));
}

TEST(changes, marks_and_rewinds_inside_callbacks_and_queries_are_refused)
{
    scene s;
    hm_map map;
    hm_query query;
    hm_query_loop loop;
    CHECK(begin_scene(&s, NULL) == HM_OK);
    CHECK(hm_map_init(&map, &(hm_map_desc){.item_size = 8,
                                           .destroy = rewind_in_hook,
                                           .context = &s.history,
                                           .memory = &s.history.table}) == HM_OK);
    CHECK(hm_query_init(&query, &s.world, &(hm_query_desc){.all_count = 0}) == HM_OK);
    CHECK(hm_history_mark(&s.history) == 1);
    CHECK(hm_map_erase(&map, hm_map_insert(&map, NULL)));
    hm_query_begin(&query, &loop);
    CHECK(hm_history_rewind(&s.history, 1) == HM_ERROR_BUSY && hm_history_mark(&s.history) == 0);
    hm_query_end(&loop);
    CHECK(hm_history_mark(&s.history) == 2 && hm_history_rewind(&s.history, 1) == HM_OK);
    hm_query_fini(&query);
    hm_map_fini(&map);
    end_scene(&s);
}

/* A change as it comes over a network, and what it is answered. */
typedef struct received {
    hm_change change;
    hm_status status;
} received;

static const uint64_t number = 7;

#define CHANGE(kind, handle, part, size, status)                                                   \
    {                                                                                              \
        {(handle), (kind), (part), NULL, &number, 0, (size)}, (status)                             \
    }
#define INSERT(...) CHANGE(HM_CHANGE_INSERTED, __VA_ARGS__)
#define EDIT(...) CHANGE(HM_CHANGE_EDITED, __VA_ARGS__)
#define ERASE(...) CHANGE(HM_CHANGE_ERASED, __VA_ARGS__)
#define APPLY_ALL(kind, container, changes)                                                        \
    for (size_t i = 0; i < sizeof(changes) / sizeof *(changes); i++) {                             \
        hm_status status = hm_##kind##_apply(container, &(changes)[i].change);                     \
        CHECK(status == (changes)[i].status && hm_##kind##_validate(container) == HM_OK);          \
    }

/* Whatever fits no value or handle is refused, and nothing changes. */
TEST(changes, of_a_map_that_fit_nothing_are_refused)
{
    hm_map map;
    CHECK(hm_map_init(&map, &(hm_map_desc){.item_size = 8, .type_id = 1}) == HM_OK);
    hm_handle handle = hm_map_insert(&map, &number), none = {handle.bits + 1};
    const received changes[] = {
        EDIT(handle, 0, 7, HM_ERROR_INVALID),
        {{handle, HM_CHANGE_EDITED, 0, NULL, NULL, 0, 8}, HM_ERROR_INVALID},
        EDIT(handle, 1, 8, HM_ERROR_INVALID),
        CHANGE((hm_change_kind)3, handle, 0, 8, HM_ERROR_INVALID),
        INSERT(handle, 0, 8, HM_ERROR_STALE),
        EDIT(none, 0, 8, HM_ERROR_STALE),
        ERASE(none, 0, 0, HM_ERROR_STALE),
        INSERT(((hm_handle){1}), 0, 8, HM_ERROR_INVALID),
    };
    APPLY_ALL(map, &map, changes)
    CHECK(hm_map_count(&map) == 1 && *(uint64_t *)hm_map_get(&map, handle) == 7);
    hm_map_fini(&map);
}

TEST(changes, of_a_pool_that_fit_nothing_are_refused)
{
    hm_pool pool;
    CHECK(hm_pool_init(&pool, &(hm_pool_desc){.item_size = 8}) == HM_OK);
    hm_handle handle = hm_pool_insert(&pool, &number), none = {handle.bits + 1};
    const received changes[] = {
        EDIT(handle, 0, 9, HM_ERROR_INVALID), EDIT(handle, 1, 8, HM_ERROR_INVALID),
        INSERT(handle, 0, 8, HM_ERROR_STALE), EDIT(none, 0, 8, HM_ERROR_STALE),
        ERASE(none, 0, 0, HM_ERROR_STALE),    ERASE(handle, 0, 0, HM_OK),
        INSERT(handle, 0, 8, HM_OK),          EDIT(handle, 0, 8, HM_OK),
    };
    APPLY_ALL(pool, &pool, changes)
    CHECK(hm_pool_count(&pool) == 1 && *(uint64_t *)hm_pool_get(&pool, handle) == 7);
    hm_pool_fini(&pool);
}

TEST(changes, of_a_table_that_fit_nothing_are_refused)
{
    hm_table table;
    const hm_column columns[] = {{.size = 8}, {.size = 2}};
    const hm_table_desc desc = {.columns = columns, .column_count = 2};
    CHECK(hm_table_init(&table, &desc) == HM_OK);
    hm_handle handle = hm_table_insert(&table, NULL), none = {handle.bits + 1};
    const received changes[] = {
        EDIT(handle, 1, 8, HM_ERROR_INVALID), EDIT(handle, 2, 0, HM_ERROR_INVALID),
        INSERT(handle, 0, 8, HM_ERROR_STALE), EDIT(none, 1, 2, HM_ERROR_STALE),
        ERASE(none, 0, 0, HM_ERROR_STALE),    ERASE(none, 1, 0, HM_ERROR_STALE),
        ERASE(handle, 1, 0, HM_OK),           EDIT(handle, 0, 8, HM_OK),
    };
    APPLY_ALL(table, &table, changes)
    CHECK(hm_table_count(&table) == 1 && *(uint64_t *)hm_table_get(&table, handle, 0) == 7);
    hm_table_fini(&table);
}

TEST(changes, of_owners_that_fit_nothing_are_refused)
{
    hm_secondary secondary;
    hm_index index;
    CHECK(hm_secondary_init(&secondary, &(hm_secondary_desc){.value_size = 8}) == HM_OK);
    CHECK(hm_index_init(&index, &(hm_index_desc){.key_limit = 8}) == HM_OK);
    const hm_handle owner = hm_handle_pack(3, 1, 0), other = hm_handle_pack(4, 1, 0);
    const hm_handle later = hm_handle_pack(3, 2, 0);
    const received changes[] = {
        INSERT(owner, 0, 4, HM_ERROR_INVALID), INSERT(owner, 1, 8, HM_ERROR_INVALID),
        EDIT(owner, 0, 8, HM_ERROR_STALE),     INSERT(owner, 0, 8, HM_OK),
        INSERT(owner, 0, 8, HM_ERROR_STALE),   INSERT(later, 0, 8, HM_ERROR_STALE),
        EDIT(later, 0, 8, HM_ERROR_STALE),     EDIT(owner, 0, 8, HM_OK),
        ERASE(other, 0, 0, HM_ERROR_STALE),    EDIT(HM_NULL_HANDLE, 0, 8, HM_ERROR_INVALID),
    };
    APPLY_ALL(secondary, &secondary, changes)
    APPLY_ALL(index, &index, changes)
    CHECK(hm_secondary_count(&secondary) == 1 && hm_index_count(&index) == 1);
    hm_secondary_fini(&secondary);
    hm_index_fini(&index);
}

TEST(changes, of_lists_that_fit_nothing_are_refused)
{
    hm_lists lists, zeroed = {.name = "zeroed"};
    CHECK(hm_lists_init(&lists, &(hm_lists_desc){.item_size = 4}) == HM_OK);
    hm_handle list = hm_lists_create(&lists), none = {list.bits + 1};
    const size_t many = (size_t)((uint64_t)UINT32_MAX * 4 + 4);
    const received changes[] = {
        EDIT(list, 0, 7, HM_ERROR_INVALID),
        EDIT(list, 0, many, many == 0 ? HM_OK : HM_ERROR_INVALID),
        EDIT(list, 1, 8, HM_ERROR_INVALID),
        INSERT(list, 0, 8, HM_ERROR_STALE),
        EDIT(none, 0, 8, HM_ERROR_STALE),
        ERASE(none, 0, 0, HM_ERROR_STALE),
        EDIT(list, 0, 8, HM_OK),
        EDIT(list, 0, 0, HM_OK),
    };
    APPLY_ALL(lists, &lists, changes)
    uint32_t count;
    CHECK(hm_lists_count(&lists) == 1);
    CHECK(hm_lists_items(&lists, list, &count) == NULL && count == 0);
    const received in_zeroed = INSERT(list, 0, 0, HM_ERROR_FULL);
    CHECK(hm_lists_apply(&zeroed, &in_zeroed.change) == in_zeroed.status);
    hm_lists_fini(&lists);
}

TEST(changes, of_a_world_that_fit_nothing_are_refused)
{
    hm_world world;
    CHECK(hm_world_init(&world, &(hm_world_desc){.capacity = 10}) == HM_OK);
    hm_component component = hm_world_component(&world, &(hm_component_desc){.size = 8});
    hm_handle entity = hm_world_create(&world, NULL, 0), none = {entity.bits + 1};
    const received changes[] = {
        EDIT(entity, HM_INVALID_INDEX, 0, HM_ERROR_INVALID),
        INSERT(entity, HM_INVALID_INDEX, 0, HM_ERROR_STALE),
        ERASE(none, HM_INVALID_INDEX, 0, HM_ERROR_STALE),
        {{entity, HM_CHANGE_INSERTED, HM_INVALID_INDEX, NULL, NULL, 0, 0}, HM_ERROR_STALE},
        INSERT(entity, component, 4, HM_ERROR_INVALID),
        INSERT(entity, component + 1, 8, HM_ERROR_INVALID),
        INSERT(entity, component + 1, 0, HM_ERROR_INVALID),
        ERASE(entity, component + 1, 0, HM_ERROR_INVALID),
        ERASE(entity, component, 0, HM_ERROR_STALE),
        INSERT(none, component, 8, HM_ERROR_STALE),
        INSERT(entity, component, 8, HM_OK),
    };
    APPLY_ALL(world, &world, changes)
    CHECK(hm_world_count(&world) == 1);
    CHECK(*(uint64_t *)hm_world_get(&world, entity, component) == 7);
    hm_world_fini(&world);
}

/* A map with an item that goes, one that stays, and one that is edited; and the file of that. */
static void begin_file(scene *s, hm_map *map, hm_map *copy, test_file *file)
{
    const uint64_t items[] = {1, 2, 3};
    hm_handle handles[3];
    CHECK(begin_scene(s, NULL) == HM_OK);
    CHECK(hm_map_init(map, &(hm_map_desc){.item_size = 8, .memory = &s->history.table}) == HM_OK);
    CHECK(hm_map_insert_n(map, items, 3, handles) == HM_OK);
    uint64_t before = hm_history_mark(&s->history);
    CHECK(hm_map_init(copy, &(hm_map_desc){.item_size = 8}) == HM_OK);
    CHECK(hm_map_insert_n(copy, items, 3, handles) == HM_OK);
    CHECK(hm_map_erase(map, handles[0]));
    *(uint64_t *)hm_map_get(map, handles[2]) = 4;
    *file = (test_file){.bytes = NULL};
    CHECK(hm_map_save_changes(map, &s->history, NULL, before, hm_history_mark(&s->history),
                              test_sink(file)) == HM_OK);
}

static void end_file(scene *s, hm_map *map, hm_map *copy, test_file *file)
{
    hm_map_fini(copy);
    hm_map_fini(map);
    end_scene(s);
    test_file_end(file);
}

TEST(changes, of_a_file_that_is_damaged_or_cut_off_are_not_made)
{
    scene s;
    hm_map map, copy;
    test_file file;
    begin_file(&s, &map, &copy, &file);
    for (size_t i = 0; i < file.size; i++) {
        test_file cut = file;
        cut.size = i;
        CHECK(hm_map_load_changes(&copy, NULL, test_source(&cut)) == HM_ERROR_CORRUPT);
        file.bytes[i] ^= 0x10;
        CHECK(hm_map_load_changes(&copy, NULL, test_source(&file)) == HM_ERROR_CORRUPT);
        file.bytes[i] ^= 0x10;
        CHECK(hm_map_count(&copy) == 3);
    }
    const hm_save_desc one = {.max_count = 1};
    CHECK(hm_map_load_changes(&copy, &one, test_source(&file)) == HM_ERROR_CORRUPT);
    CHECK(hm_map_load_changes(&copy, NULL, test_source(&file)) == HM_OK);
    CHECK(hm_map_count(&copy) == 2 && hm_map_validate(&copy) == HM_OK);
    CHECK(hm_map_load_changes(&copy, NULL, test_source(&file)) == HM_ERROR_STALE);
    end_file(&s, &map, &copy, &file);
}

TEST(changes, are_saved_only_of_containers_that_are_there_and_to_a_sink_that_takes_them)
{
    scene s;
    hm_map map, copy, none = {.name = "none"};
    test_file file;
    begin_file(&s, &map, &copy, &file);
    CHECK(hm_map_load_changes(&none, NULL, test_source(&file)) == HM_ERROR_FULL);
    CHECK(hm_map_save_changes(&map, &s.history, NULL, 1, 7, test_sink(&file)) == HM_ERROR_STALE);
    file.size = file.calls = 0;
    file.fail_at = 2;
    CHECK(hm_map_save_changes(&map, &s.history, NULL, 1, 2, test_sink(&file)) == HM_ERROR_IO);
    end_file(&s, &map, &copy, &file);
}

TEST(changes, are_not_told_in_part_when_memory_is_refused)
{
    test_memory memory;
    scene s;
    uint32_t told = 0;
    test_memory_init_with_holes(&memory, test_page_size(4096));
    CHECK(begin_scene(&s, &memory.table) == HM_OK);
    uint64_t first = hm_history_mark(&s.history);
    CHECK(!hm_handle_is_null(hm_world_create(&s.world, NULL, 0)));
    uint64_t second = hm_history_mark(&s.history);
    hm_status status = HM_ERROR_MEMORY;
    uint32_t k = 0;
    while (status != HM_OK) {
        CHECK(status == HM_ERROR_MEMORY && told == 0);
        test_memory_fail(&memory, ++k, false);
        status = hm_world_changes(&s.world, &s.history, first, second, count_change, &told);
    }
    CHECK(k > 5 && told == 1 && !test_memory_refused(&memory));
    test_memory_fail(&memory, 0, false);
    end_scene(&s);
    test_memory_check_released(&memory);
}

TEST(changes, are_saved_or_loaded_whole_or_not_when_memory_is_refused)
{
    test_memory memory, of_copy;
    scene s;
    test_file file = {.bytes = NULL};
    test_memory_init_with_holes(&memory, test_page_size(4096));
    CHECK(begin_scene(&s, &memory.table) == HM_OK);
    hm_handle entity = hm_world_create(&s.world, &s.component, 1);
    CHECK(hm_world_create_n(&s.world, &s.component, 1, 300, NULL, NULL) == HM_OK);
    uint64_t last = hm_history_mark(&s.history);
    hm_status status = HM_ERROR_MEMORY;
    for (uint32_t k = 1; status != HM_OK; k = test_next_call(k)) {
        file.size = 0;
        test_memory_fail(&memory, k, false);
        status = hm_world_save_changes(&s.world, &s.history, NULL, 0, last, test_sink(&file));
        CHECK(status == (test_memory_refused(&memory) ? HM_ERROR_MEMORY : HM_OK));
    }
    test_memory_fail(&memory, 0, false);
    status = HM_ERROR_MEMORY;
    for (uint32_t k = 1; status != HM_OK; k = test_next_call(k)) {
        hm_world copy;
        test_memory_init_with_holes(&of_copy, test_page_size(4096));
        CHECK(hm_world_init(&copy, &(hm_world_desc){.name = "world", .memory = &of_copy.table}) ==
              HM_OK);
        hm_component component = hm_world_component(&copy, &(hm_component_desc){.size = 8});
        test_memory_fail(&of_copy, k, false);
        status = hm_world_load_changes(&copy, NULL, test_source(&file));
        CHECK(status == HM_OK || test_memory_refused(&of_copy));
        test_memory_fail(&of_copy, 0, false);
        CHECK(hm_world_validate(&copy) == HM_OK);
        CHECK(hm_world_has(&copy, entity, component) || status != HM_OK);
        hm_world_fini(&copy);
        test_memory_check_released(&of_copy);
    }
    end_scene(&s);
    test_file_end(&file);
    test_memory_check_released(&memory);
}

TEST(changes, of_many_slots_are_not_told_in_part_either)
{
    enum { MANY = 40000 }; /* more than the first memory of a list of slots has bits for */
    test_memory memory;
    hm_history history;
    static hm_map map;
    uint32_t told = 0, k = 0;
    test_memory_init_with_holes(&memory, test_page_size(4096));
    CHECK(hm_history_init(&history, &(hm_history_desc){.memory = &memory.table}) == HM_OK);
    CHECK(hm_map_watch(&map, &history) == HM_OK);
    CHECK(hm_map_init(&map, &(hm_map_desc){.item_size = 1, .memory = &history.table}) == HM_OK);
    CHECK(hm_map_insert_n(&map, NULL, MANY, NULL) == HM_OK);
    uint64_t last = hm_history_mark(&history);
    hm_status status = HM_ERROR_MEMORY;
    while (status != HM_OK) {
        CHECK(status == HM_ERROR_MEMORY && told == 0);
        test_memory_fail(&memory, ++k, false);
        status = hm_map_changes(&map, &history, 0, last, count_change, &told);
    }
    CHECK(told == MANY && !test_memory_refused(&memory));
    test_memory_fail(&memory, 0, false);
    hm_map_fini(&map);
    hm_history_fini(&history);
    test_memory_check_released(&memory);
}

/* What came later is erased on the way back. */
TEST(changes, back_to_before_a_component_or_a_table_was_made_are_told)
{
    scene s;
    hm_table table = {.name = "later"};
    const hm_column columns[] = {{.size = 4}, {.size = 2}};
    uint32_t told = 0;
    CHECK(begin_scene(&s, NULL) == HM_OK && hm_table_watch(&table, &s.history) == HM_OK);
    hm_handle entity = hm_world_create(&s.world, NULL, 0);
    uint64_t before = hm_history_mark(&s.history);
    hm_component later = hm_world_component(&s.world, &(hm_component_desc){.size = 4});
    CHECK(hm_world_add(&s.world, entity, later, NULL) == HM_OK);
    for (int i = 0; i < 200; i++) /* more than the entity's archetype has met */
        CHECK(hm_world_component(&s.world, &(hm_component_desc){0}) != HM_INVALID_INDEX);
    CHECK(hm_table_init(&table, &(hm_table_desc){.columns = columns,
                                                 .column_count = 2,
                                                 .memory = &s.history.table}) == HM_OK);
    CHECK(!hm_handle_is_null(hm_table_insert(&table, NULL)));
    uint64_t after = hm_history_mark(&s.history);
    CHECK(hm_world_changes(&s.world, &s.history, after, before, count_change, &told) == HM_OK);
    CHECK(told == 1);
    CHECK(hm_world_changes(&s.world, &s.history, after, 0, count_change, &told) == HM_OK);
    CHECK(told == 3);
    CHECK(hm_table_changes(&table, &s.history, after, before, count_change, &told) == HM_OK);
    CHECK(told == 5);
    CHECK(hm_table_changes(&table, &s.history, before, after, count_change, &told) == HM_OK);
    CHECK(told == 7);
    hm_table_fini(&table);
    end_scene(&s);
}

TEST(changes, of_a_pool_whose_blocks_were_given_back_are_told)
{
    enum { ITEMS = 3000 };
    for (int storage = HM_STORAGE_VIRTUAL; storage <= HM_STORAGE_GROWING_BLOCKS; storage++) {
        hm_history history;
        hm_pool pool = {.name = "pool"};
        uint32_t told = 0;
        CHECK(hm_history_init(&history, &(hm_history_desc){.marks = 4}) == HM_OK);
        CHECK(hm_pool_init(&pool, &(hm_pool_desc){.item_size = 16,
                                                  .capacity = ITEMS,
                                                  .storage = (hm_storage)storage,
                                                  .memory = &history.table}) == HM_OK);
        CHECK(hm_pool_insert_n(&pool, NULL, ITEMS, NULL) == HM_OK);
        uint64_t full = hm_history_mark(&history);
        for (uint32_t slot = 0; slot < ITEMS - 1; slot++)
            CHECK(hm_pool_erase(&pool, hm_pool_handle_at(&pool, slot)));
        CHECK(hm_pool_trim(&pool) == HM_OK);
        uint64_t last = hm_history_mark(&history);
        CHECK(hm_pool_changes(&pool, &history, full, last, count_change, &told) == HM_OK);
        CHECK(told == ITEMS - 1);
        CHECK(hm_pool_changes(&pool, &history, last, full, count_change, &told) == HM_OK);
        CHECK(told == 2 * (ITEMS - 1));
        hm_pool_fini(&pool);
        hm_history_fini(&history);
    }
}

static void mark_in_hook(void *value, void *context)
{
    (void)value;
    CHECK(hm_history_mark(context) == 0);
    CHECK(says("hm_history_mark: a callback of the world 'world' runs, or a query over it"));
}

TEST(changes, a_mark_inside_a_hook_of_a_world_is_refused)
{
    scene s;
    CHECK(begin_scene(&s, NULL) == HM_OK);
    hm_component hooked = hm_world_component(
        &s.world, &(hm_component_desc){.size = 4, .destroy = mark_in_hook, .context = &s.history});
    CHECK(hm_world_destroy(&s.world, hm_world_create(&s.world, &hooked, 1)));
    CHECK(hm_history_mark(&s.history) == 1);
    end_scene(&s);
}
