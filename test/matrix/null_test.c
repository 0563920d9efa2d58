/* SPDX-License-Identifier: MIT */
/* Broken contracts: each function of support/kinds.h, and of what is no container, panics with its
 * name without its container or another argument. */
#include "kinds.h"

/* The panic names the function and, without the container, a file of its module: what else is
 * missing may be seen by what the module calls. */
#define NO_CONTAINER(kind, verb, arguments)                                                        \
    {                                                                                              \
        ARGUMENTS(kind, NULL, HM_NULL_HANDLE);                                                     \
        CHECK_PANICS(#kind, "hm_" #kind "_" #verb ": " #kind " is NULL",                           \
                     hm_##kind##_##verb arguments);                                                \
    }
#define LOOK_OF_NULL(kind, verb, answer, arguments) NO_CONTAINER(kind, verb, arguments)
#define CHANGE_OF_NULL(kind, verb, answer, refusal, arguments) NO_CONTAINER(kind, verb, arguments)
#define NO_ARGUMENT(kind, verb, what, message, arguments)                                          \
    {                                                                                              \
        hm_##kind zeroed = {0};                                                                    \
        ARGUMENTS(kind, &zeroed, HM_NULL_HANDLE);                                                  \
        CHECK_PANICS("", "hm_" #kind "_" #verb ": " message, hm_##kind##_##verb arguments);        \
    }
#define NULL_TESTS(KIND, kind)                                                                     \
    TEST(kind##_contract, every_function_panics_without_its_container){                            \
        KIND##_LOOKS(LOOK_OF_NULL) KIND##_CHANGES(CHANGE_OF_NULL) KIND##_ENDS(                     \
            NO_CONTAINER)} TEST(kind##_contract, every_function_panics_without_another_argument)   \
    {                                                                                              \
        KIND##_NEEDS(NO_ARGUMENT)                                                                  \
    }

NULL_TESTS(MAP, map)
NULL_TESTS(POOL, pool)
NULL_TESTS(TABLE, table)
NULL_TESTS(SECONDARY, secondary)
NULL_TESTS(LISTS, lists)
NULL_TESTS(INDEX, index)
NULL_TESTS(WORLD, world)

TEST(table_contract, every_function_of_a_column_panics_without_what_it_needs){
    COLUMN_LOOKS(LOOK_OF_NULL) COLUMN_NEEDS(NO_ARGUMENT)}

TEST(world_contract, values_of_none_need_no_arrays)
{
    hm_world zeroed = {0};
    const hm_component any = 0;
    void *value = &zeroed;
    CHECK(hm_world_values_of(&zeroed, HM_NULL_HANDLE, NULL, 0, NULL) == 0);
    CHECK(hm_world_values_of(&zeroed, HM_NULL_HANDLE, &any, 1, &value) == 0 && value == NULL);
}

/* What is no container, or another argument of it. */
#define NULL_OF(module, verb, what, call)                                                          \
    CHECK_PANICS("", "hm_" #module "_" #verb ": " #what " is NULL", call)
#define NO_SINK(words, call) CHECK_PANICS("", words, call)

static char no_text[1];
static const hm_handle no_handle;
static hm_directory no_directory;
static hm_id_table no_ids;
static hm_query no_query;
static hm_query_loop no_loop;
static hm_report_entry no_entry;
static hm_history no_history;
static hm_merge no_merge;
static const hm_change no_change;
static const hm_sink no_sink;
static const hm_source no_source;

static void no_visit(const hm_change *change, void *context)
{
    (void)change;
    (void)context;
}

/* What containers are added to. */
#define NULL_OF_REPORT(kind)                                                                       \
    NULL_OF(report, add_##kind, kind, (hm_report_add_##kind(&no_entry, NULL), 0));                 \
    NULL_OF(report, add_##kind, entry, (hm_report_add_##kind(NULL, &(hm_##kind){0}), 0))
#define NULL_OF_DIRECTORY(kind)                                                                    \
    NULL_OF(directory, add_##kind, kind, hm_directory_add_##kind(&no_directory, NULL));            \
    NULL_OF(directory, add_##kind, directory, hm_directory_add_##kind(NULL, &(hm_##kind){0}));     \
    NULL_OF(directory, remove_##kind, kind, hm_directory_remove_##kind(&no_directory, NULL));      \
    NULL_OF(directory, remove_##kind, directory,                                                   \
            hm_directory_remove_##kind(NULL, &(hm_##kind){0}));                                    \
    NULL_OF(directory, find_##kind, directory, hm_directory_find_##kind(NULL, no_handle))
/* What is saved, merged, and tracked by a history. */
#define NULL_OF_FILES(kind)                                                                        \
    NULL_OF(kind, dump, kind, hm_##kind##_dump(NULL, NULL, no_sink));                              \
    NULL_OF(kind, save, kind, hm_##kind##_save(NULL, NULL, no_sink));                              \
    NULL_OF(kind, load, kind, hm_##kind##_load(NULL, NULL, no_source));                            \
    NULL_OF(kind, watch, history, hm_##kind##_watch(&(hm_##kind){0}, NULL));                       \
    NULL_OF(kind, changes, history,                                                                \
            hm_##kind##_changes(&(hm_##kind){0}, NULL, 0, 0, no_visit, NULL));                     \
    NULL_OF(kind, changes, kind, hm_##kind##_changes(NULL, &no_history, 0, 0, no_visit, NULL));    \
    NULL_OF(kind, changes, visit,                                                                  \
            hm_##kind##_changes(&(hm_##kind){0}, &no_history, 0, 0, NULL, NULL));                  \
    NULL_OF(kind, apply, kind, hm_##kind##_apply(NULL, &no_change));                               \
    NULL_OF(kind, apply, change, hm_##kind##_apply(&(hm_##kind){0}, NULL));                        \
    NULL_OF(kind, save_changes, history,                                                           \
            hm_##kind##_save_changes(&(hm_##kind){0}, NULL, NULL, 0, 0, no_sink));                 \
    NULL_OF(kind, save_changes, kind,                                                              \
            hm_##kind##_save_changes(NULL, &no_history, NULL, 0, 0, no_sink));                     \
    NULL_OF(kind, load_changes, kind, hm_##kind##_load_changes(NULL, NULL, no_source));            \
    NULL_OF(kind, visit, kind, hm_##kind##_visit(NULL, NULL, 0, no_visit, NULL));                  \
    NULL_OF(kind, visit, handles, hm_##kind##_visit(&(hm_##kind){0}, NULL, 1, no_visit, NULL));    \
    NULL_OF(kind, visit, visit, hm_##kind##_visit(&(hm_##kind){0}, NULL, 0, NULL, NULL));          \
    NULL_OF(kind, save_values, kind, hm_##kind##_save_values(NULL, NULL, NULL, 0, no_sink));       \
    NULL_OF(kind, save_values, handles,                                                            \
            hm_##kind##_save_values(&(hm_##kind){0}, NULL, NULL, 1, no_sink));                     \
    NULL_OF(kind, hash, kind, hm_##kind##_hash(NULL, NULL, NULL, 0));                              \
    NULL_OF(kind, hash, handles, hm_##kind##_hash(&(hm_##kind){0}, NULL, NULL, 1));                \
    NULL_OF(kind, as_savable, kind, (hm_##kind##_as_savable(NULL, NULL), 0))
#define NULL_OF_MERGE(kind)                                                                        \
    NULL_OF(kind, merge_begin, merge,                                                              \
            hm_##kind##_merge_begin(&(hm_##kind){0}, NULL, NULL, no_source, NULL));                \
    NULL_OF(kind, merge_begin, kind,                                                               \
            hm_##kind##_merge_begin(NULL, &no_merge, NULL, no_source, NULL));                      \
    NULL_OF(kind, merge, kind, hm_##kind##_merge(NULL, NULL, no_source, NULL))

TEST(contract, every_function_of_an_array_and_an_arena_panics_without_what_it_needs)
{
    NULL_OF(array, fini, array, (hm_array_fini(NULL), 0));
    NULL_OF(array, reserve, array, hm_array_reserve(NULL, 1));
    NULL_OF(array, resize, array, hm_array_resize(NULL, 1));
    NULL_OF(array, trim, array, hm_array_trim(NULL));
    NULL_OF(array, push, array, hm_array_push(NULL));
    NULL_OF(array, pop, array, hm_array_pop(NULL));
    NULL_OF(array, at, array, hm_array_at(NULL, 0));
    NULL_OF(array, data, array, hm_array_data(NULL));
    NULL_OF(array, count, array, hm_array_count(NULL));
    NULL_OF(array, committed_size, array, hm_array_committed_size(NULL));
    NULL_OF(pool, live_at, pool, hm_pool_live_at(NULL, 0));
    NULL_OF(lists, destroy_if, lists, hm_lists_destroy_if(NULL, NULL, NULL));
    NULL_OF(memory_arena, fini, arena, (hm_memory_arena_fini(NULL), 0));
    NULL_OF(memory_arena, trim, arena, hm_memory_arena_trim(NULL));
    NULL_OF(memory_arena, get_stats, arena, hm_memory_arena_get_stats(NULL));
}

TEST(contract, every_function_of_an_id_table_panics_without_what_it_needs)
{
    NULL_OF(id_table, fini, table, (hm_id_table_fini(NULL), 0));
    NULL_OF(id_table, count, table, hm_id_table_count(NULL));
    NULL_OF(id_table, slot_count, table, hm_id_table_slot_count(NULL));
    NULL_OF(id_table, handle_of_slot, table, hm_id_table_handle_of_slot(NULL, 0));
    NULL_OF(id_table, release_slot, table, hm_id_table_release_slot(NULL, 0));
    NULL_OF(id_table, reserve, table, hm_id_table_reserve(NULL, 1));
    NULL_OF(id_table, trim, table, hm_id_table_trim(NULL));
    NULL_OF(id_table, explain, table, hm_id_table_explain(NULL, HM_NULL_HANDLE));
    NULL_OF(id_table, validate, table, hm_id_table_validate(NULL));
    NULL_OF(id_table, available, table, hm_id_table_available(NULL));
    NULL_OF(id_table, upcoming, table, hm_id_table_upcoming(NULL, 0));
    NULL_OF(id_table, adopt, table, hm_id_table_adopt(NULL, HM_NULL_HANDLE));
    NULL_OF(id_table, as_owners, table, hm_id_table_as_owners(NULL));
    NULL_OF(id_table, describe, table, hm_id_table_describe(NULL, no_handle, "", no_text, 1));
    NULL_OF(id_table, describe, buffer, hm_id_table_describe(&no_ids, no_handle, "", NULL, 1));
}

TEST(contract, every_function_of_a_hash_a_sink_and_a_source_panics_without_what_it_needs)
{
    NULL_OF(sink, hash, hash, (hm_sink_hash(NULL), 0));
    NULL_OF(hash, add, hash, (hm_hash_add(NULL, "", 1), 0));
    NULL_OF(hash, add, bytes, (hm_hash_add(&(hm_hash){0}, NULL, 1), 0));
    NULL_OF(hash, end, hash, hm_hash_end(NULL));
    NULL_OF(sink, memory, stream, (hm_sink_memory(NULL), 0));
    NULL_OF(source, memory, stream, (hm_source_memory(NULL), 0));
    NULL_OF(sink, file, file, (hm_sink_file(NULL), 0));
    NULL_OF(source, file, file, (hm_source_file(NULL), 0));
}

TEST(contract, every_function_of_a_query_panics_without_what_it_needs)
{
    NULL_OF(query, fini, query, (hm_query_fini(NULL), 0));
    NULL_OF(query, begin, query, (hm_query_begin(NULL, &no_loop), 0));
    NULL_OF(query, begin, loop, (hm_query_begin(&no_query, NULL), 0));
    NULL_OF(query, begin_parts, query, (hm_query_begin_parts(NULL, &no_loop, 1), 0));
    NULL_OF(query, begin_parts, parts, (hm_query_begin_parts(&no_query, NULL, 1), 0));
    NULL_OF(query, end, loop, (hm_query_end(NULL), 0));
    NULL_OF(query, next, loop, hm_query_next(NULL, &(hm_view){0}));
    NULL_OF(query, count, query, hm_query_count(NULL));
    NULL_OF(query, changed, loop, hm_query_changed(NULL, 0));
    NULL_OF(query, touch, loop, (hm_query_touch(NULL, 0), 0));
    NULL_OF(query, destroy, query, hm_query_destroy(NULL));
    NULL_OF(query, change, query, hm_query_change(NULL, NULL, 0, NULL, 0, NULL));
    NULL_OF(query, next, view, hm_query_next(&no_loop, NULL));
}

TEST(contract, every_function_of_commands_panics_without_what_it_needs)
{
    NULL_OF(commands, fini, commands, (hm_commands_fini(NULL), 0));
    NULL_OF(commands, create, commands, hm_commands_create(NULL, NULL, 0));
    NULL_OF(commands, create_with, commands, hm_commands_create_with(NULL, NULL, 0, NULL));
    NULL_OF(commands, destroy, commands, hm_commands_destroy(NULL, HM_NULL_HANDLE));
    NULL_OF(commands, add, commands, hm_commands_add(NULL, HM_NULL_HANDLE, 0, NULL));
    NULL_OF(commands, remove, commands, hm_commands_remove(NULL, HM_NULL_HANDLE, 0));
    NULL_OF(commands, change, commands, hm_commands_change(NULL, HM_NULL_HANDLE, NULL, 0, NULL, 0));
    NULL_OF(commands, apply, commands, hm_commands_apply(NULL));
    NULL_OF(commands, clear, commands, (hm_commands_clear(NULL), 0));
    NULL_OF(commands, count, commands, hm_commands_count(NULL));
    NULL_OF(commands, skipped, commands, hm_commands_skipped(NULL));
    NULL_OF(commands, dropped, commands, hm_commands_dropped(NULL));
}

TEST(contract, every_function_of_a_directory_panics_without_what_it_needs)
{
    NULL_OF(directory, fini, directory, (hm_directory_fini(NULL), 0));
    NULL_OF(directory, contains, directory, hm_directory_contains(NULL, no_handle));
    NULL_OF(directory, explain, directory, hm_directory_explain(NULL, no_handle));
    NULL_OF(directory, describe, directory, hm_directory_describe(NULL, no_handle, no_text, 1));
    NULL_OF(directory, describe, buffer, hm_directory_describe(&no_directory, no_handle, NULL, 1));
    NULL_OF(directory, get, directory, hm_directory_get(NULL, no_handle));
    NULL_OF(directory, handle_of, directory, hm_directory_handle_of(NULL, NULL));
    NULL_OF_DIRECTORY(map);
    NULL_OF_DIRECTORY(pool);
    NULL_OF_DIRECTORY(table);
    NULL_OF_DIRECTORY(lists);
    NULL_OF_DIRECTORY(world);
}

TEST(contract, every_function_of_a_report_panics_without_what_it_needs)
{
    NULL_OF(report, remove, entry, (hm_report_remove(NULL), 0));
    NULL_OF(report, set_print, entry, (hm_report_set_print(NULL, NULL), 0));
    NULL_OF_REPORT(map);
    NULL_OF_REPORT(pool);
    NULL_OF_REPORT(table);
    NULL_OF_REPORT(secondary);
    NULL_OF_REPORT(lists);
    NULL_OF_REPORT(index);
    NULL_OF_REPORT(world);
    NO_SINK("hm_report_json: sink.write is NULL", hm_report_json(no_sink));
    NO_SINK("hm_report_items: sink.write is NULL", hm_report_items(0, NULL, no_sink));
    NO_SINK("hm_report_describe: sink.write is NULL", hm_report_describe(no_handle, no_sink));
    NO_SINK("hm_dump: sink.write is NULL", hm_map_dump(&(hm_map){0}, NULL, no_sink));
}

TEST(contract, every_function_of_a_history_panics_without_what_it_needs)
{
    NULL_OF_FILES(map);
    NULL_OF_FILES(pool);
    NULL_OF_FILES(table);
    NULL_OF_FILES(secondary);
    NULL_OF_FILES(lists);
    NULL_OF_FILES(index);
    NULL_OF_FILES(world);
    NULL_OF(history, fini, history, (hm_history_fini(NULL), 0));
    NULL_OF(history, position, history, (hm_history_position(NULL), 0));
    NULL_OF(history, watch, history, hm_history_watch(NULL, no_text, 1));
    NULL_OF(history, unwatch, history, hm_history_unwatch(NULL, no_text));
    NULL_OF(history, mark, history, hm_history_mark(NULL));
    NULL_OF(history, rewind, history, hm_history_rewind(NULL, 1));
    NULL_OF(history, get_stats, history, (hm_history_get_stats(NULL), 0));
    NULL_OF(history, validate, history, hm_history_validate(NULL));
    NULL_OF(change, hash, change, hm_change_hash(NULL));
    NULL_OF(save, bytes, bytes, hm_save_bytes(NULL, 0, NULL, 1, no_sink));
    NULL_OF(load, bytes, size, hm_load_bytes(NULL, NULL, NULL, NULL, no_source));
    NULL_OF(load, bytes, bytes, hm_load_bytes(NULL, NULL, NULL, &(size_t){1}, no_source));
    NULL_OF(section, read, section, hm_section_read(NULL, no_source));
    NULL_OF(bytes, as_savable, bytes, (hm_bytes_as_savable(NULL), 0));
    NULL_OF(save, all, what, hm_save_all(NULL, 1, no_sink));
    NULL_OF(load, all, what, hm_load_all(NULL, 1, no_source));
    CHECK_PANICS("", "hm_section_read: source.read is NULL",
                 hm_section_read(&(hm_section){.kind = NULL}, no_source));
}

TEST(contract, every_function_of_a_merge_panics_without_what_it_needs)
{
    NULL_OF_MERGE(map);
    NULL_OF_MERGE(pool);
    NULL_OF_MERGE(table);
    NULL_OF_MERGE(lists);
    NULL_OF_MERGE(world);
    NULL_OF(merge, step, merge, hm_merge_step(NULL, 1));
    NULL_OF(merge, left, merge, hm_merge_left(NULL));
    NULL_OF(merge, end, merge, (hm_merge_end(NULL), 0));
}

/* They notice it late: the map stays busy, and is left behind. */
TEST(contract, a_file_needs_a_sink_or_a_source)
{
    hm_map map;
    CHECK(hm_map_init(&map, &(hm_map_desc){.item_size = 1}) == HM_OK);
    CHECK_PANICS("", "hm_save: sink.write is NULL", hm_map_save(&map, NULL, no_sink));
    CHECK(hm_map_init(&map, &(hm_map_desc){.item_size = 1}) == HM_OK);
    CHECK_PANICS("", "hm_load: source.read is NULL", hm_map_load(&map, NULL, no_source));
}
