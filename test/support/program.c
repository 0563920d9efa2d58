/* SPDX-License-Identifier: MIT */
/* The program of program.h. Values go into its number as numbers, so that the order of their bytes
 * does not matter. No expression draws two numbers, since compilers choose which comes first. */
#include "program.h"
#include "file.h"
#include "test.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    STEPS = 1000000,
    SHORT_STEPS = 50000, /* where long loops are shortened */
    PHASE = 20000,       /* steps until all containers are to become fuller, or emptier */
    APART = 1999         /* steps from one load to the next */
};

/* The numbers of STEPS and of SHORT_STEPS. */
static const uint64_t expected = UINT64_C(0xaaa684555c18e6d1),
                      expected_short = UINT64_C(0xa5637fd41697c9c5);

/* The items of all containers but tables; larger ones are followed by other bytes. */
typedef struct item {
    uint32_t key, stamp;
} item;

/* ---- numbers ---- */

static uint32_t below(program *p, uint32_t n)
{
    return test_random_below(&p->random, n);
}

static void note(program *p, uint64_t value)
{
    p->hash = (p->hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    p->hash ^= p->hash >> 29;
}

static void note_status(program *p, hm_status status)
{
    CHECK(status != HM_ERROR_MEMORY);
    note(p, (uint64_t)status);
}

static void note_item(program *p, const void *at)
{
    const item *found = at;
    note(p, found != NULL ? (uint64_t)found->key << 32 | found->stamp : 1);
}

static void note_progress(program *p, hm_progress progress)
{
    CHECK(progress.status == HM_OK);
    note(p, progress.swaps);
    note(p, progress.compares);
    note(p, progress.done);
}

static item draw_item(program *p)
{
    return (item){below(p, 1000), p->step};
}

static hm_frame_budget draw_budget(program *p)
{
    uint32_t swaps = 1 + below(p, 400), compares = 1 + below(p, 4000);
    return test_budget_of(swaps, compares < 1000 ? 0 : compares);
}

static void remember(program *p, hm_handle *known, hm_handle handle)
{
    note(p, handle.bits);
    if (handle.bits != 0)
        known[below(p, KNOWN)] = handle;
}

/* One of those, many of which are stale. */
static hm_handle draw(program *p, const hm_handle *known)
{
    return known[below(p, KNOWN)];
}

static uint32_t draw_n(program *p, const hm_handle *known, hm_handle handles[BATCH])
{
    uint32_t n = 1 + below(p, BATCH);
    for (uint32_t i = 0; i < n; i++)
        handles[i] = draw(p, known);
    return n;
}

/* ---- orders and predicates ---- */

static uint64_t key_of(const void *at, void *context)
{
    (void)context;
    return ((const item *)at)->key;
}

static int by_stamp(const void *a, const void *b, void *context)
{
    const item *left = a, *right = b;
    (void)context;
    return (left->stamp > right->stamp) - (left->stamp < right->stamp);
}

static int by_key(const item *a, const item *b, void *context)
{
    (void)context;
    return (a->key > b->key) - (a->key < b->key);
}

HM_ORDER_DEFINE(typed_order, item, by_key)

static const hm_order *draw_order(program *p)
{
    static const hm_order orders[] = {
        {.key = key_of}, {.compare = by_stamp}, {.key = key_of, .compare = by_stamp}};
    uint32_t which = below(p, 40); /* mostly the first, so that it is reached */
    return which < 3 ? &orders[which] : which < 8 ? &typed_order : &orders[0];
}

static bool is_old(const void *at, void *context)
{
    return ((const item *)at)->stamp % 16 == ((program *)context)->step % 16;
}

static bool is_old_row(const hm_table *table, uint32_t row, void *context)
{
    return is_old(hm_table_cell(table, row, 0), context);
}

static bool is_old_value(hm_handle owner, const void *value, void *context)
{
    (void)owner;
    return is_old(value, context);
}

static bool is_old_key(hm_handle owner, uint64_t key, void *context)
{
    (void)owner;
    return key % 16 == ((program *)context)->step % 16;
}

/* ---- maps, pools and tables: what they have in common ---- */

/* An item, followed by bytes that stay 0. */
typedef union place {
    item of;
    uint64_t bytes[16];
} place;

static const place *draw_place(program *p)
{
    static place drawn;
    drawn.of = draw_item(p);
    return &drawn;
}

/* A table has the item in its first column, and its stamp in the second. */
static hm_handle insert_into_map(program *p, hm_map *map)
{
    return hm_map_insert(map, draw_place(p));
}

static hm_handle insert_into_pool(program *p, hm_pool *pool)
{
    return hm_pool_insert(pool, draw_place(p));
}

static hm_handle insert_into_table(program *p, hm_table *table)
{
    const place *drawn = draw_place(p);
    return hm_table_insert(table, (const void *[]){drawn, &drawn->of.stamp, NULL});
}

/* Whether the container is to become fuller. */
static bool grows(program *p, uint32_t count)
{
    return (count < p->target) != (below(p, 4) == 0);
}

/* Changes the container by what maps, pools and tables have in common. */
#define CHANGES(kind, is_doomed)                                                                   \
    static void change_##kind(program *p, hm_##kind *c, hm_handle known[KNOWN])                    \
    {                                                                                              \
        hm_handle handles[BATCH] = {{0}};                                                          \
        uint32_t n = 1 + below(p, BATCH), choice = below(p, 64);                                   \
        if (choice == 0) {                                                                         \
            note_status(p, hm_##kind##_trim(c));                                                   \
        } else if (choice == 1 && below(p, 32) == 0) {                                             \
            hm_##kind##_clear(c);                                                                  \
        } else if (choice == 2) {                                                                  \
            note(p, hm_##kind##_erase_if(c, is_doomed, p));                                        \
        } else if (choice < 5) {                                                                   \
            hm_status status = hm_##kind##_reserve(c, n);                                          \
            note_status(p, status);                                                                \
            for (uint32_t k = 0; status == HM_OK && k < n; k++)                                    \
                note(p, hm_##kind##_upcoming(c, k).bits);                                          \
        } else if (choice < 8) {                                                                   \
            note_status(p, hm_##kind##_insert_n(c, NULL, n, handles));                             \
            for (uint32_t i = 0; i < n; i++)                                                       \
                remember(p, known, handles[i]);                                                    \
        } else if (choice < 10) {                                                                  \
            n = draw_n(p, known, handles);                                                         \
            note(p, hm_##kind##_erase_n(c, handles, n));                                           \
        } else if (choice < 16) {                                                                  \
            note(p, hm_##kind##_erase(c, draw(p, known)));                                         \
        } else if (grows(p, hm_##kind##_count(c))) {                                               \
            for (; n > 0; n--)                                                                     \
                remember(p, known, insert_into_##kind(p, c));                                      \
        } else {                                                                                   \
            uint32_t end = hm_##kind##_get_stats(c).slots;                                         \
            for (; n > 0 && end > 0; n--)                                                          \
                note(p, hm_##kind##_erase_at(c, below(p, end)));                                   \
        }                                                                                          \
    }

CHANGES(map, is_old)
CHANGES(pool, is_old)
CHANGES(table, is_old_row)

static void step_map(program *p)
{
    hm_frame_budget budget = draw_budget(p);
    hm_handle *handles = p->named, handle = draw(p, p->of_map);
    item *found = hm_map_get(&p->map, handle);
    uint32_t choice = below(p, 8), n = draw_n(p, p->of_map, handles);
    note_item(p, found);
    if (choice == 0) {
        note_progress(p, hm_map_defragment(&p->map, draw_order(p), &budget));
    } else if (choice == 1 && below(p, 8) == 0) {
        note_progress(p, hm_map_arrange(&p->map, handles, n, &budget));
    } else if (choice == 2 && found != NULL) {
        found->key = below(p, 1000);
        hm_map_touch(&p->map, handle);
    } else {
        change_map(p, &p->map, p->of_map);
    }
}

static void step_pool(program *p)
{
    uint32_t which = below(p, POOLS);
    note_item(p, hm_pool_get(&p->pools[which], draw(p, p->of_pools[which])));
    change_pool(p, &p->pools[which], p->of_pools[which]);
}

static void step_table(program *p)
{
    uint32_t which = below(p, TABLES), choice = below(p, 8);
    hm_table *table = &p->tables[which];
    hm_frame_budget budget = draw_budget(p);
    hm_handle *handles = p->named, handle = draw(p, p->of_tables[which]);
    uint32_t n = draw_n(p, p->of_tables[which], handles);
    item *found = hm_table_get(table, handle, 0);
    note_item(p, found);
    if (choice == 0) {
        note_progress(p, hm_table_defragment(table, 0, draw_order(p), &budget));
    } else if (choice == 1 && below(p, 8) == 0) {
        note_progress(p, hm_table_arrange(table, handles, n, &budget));
    } else if (choice == 2 && found != NULL) {
        found->key = below(p, 1000);
        hm_table_touch(table, handle);
    } else {
        change_table(p, table, p->of_tables[which]);
    }
}

/* ---- what items of the map own ---- */

static void step_secondary(program *p)
{
    hm_secondary *secondary = &p->secondary;
    hm_frame_budget budget = draw_budget(p);
    hm_handle *handles = p->named, owner = draw(p, p->of_map);
    uint32_t choice = below(p, 64), n = draw_n(p, p->of_map, handles);
    note_item(p, hm_secondary_get(secondary, owner));
    if (choice == 0)
        note_status(p, hm_secondary_trim(secondary));
    else if (choice == 1 && below(p, 32) == 0)
        hm_secondary_clear(secondary);
    else if (choice == 2)
        note(p, hm_secondary_remove_if(secondary, is_old_value, p));
    else if (choice == 3)
        note_progress(p, hm_secondary_arrange(secondary, handles, n, &budget));
    else if (choice < 10)
        note_progress(p, hm_secondary_defragment(secondary, draw_order(p), &budget));
    else if (choice < 14)
        note_status(p, hm_secondary_set_n(secondary, handles, NULL, n));
    else if (choice < 16)
        note(p, hm_secondary_remove_n(secondary, handles, n));
    else if (grows(p, hm_secondary_count(secondary)))
        note_item(p, hm_secondary_set(secondary, owner, draw_place(p)));
    else
        note(p, hm_secondary_remove(secondary, owner));
}

static void step_index(program *p)
{
    uint32_t which = below(p, INDICES), keys_end = which == 0 ? UINT32_MAX : KEYS;
    hm_index *index = &p->indices[which];
    hm_frame_budget budget = test_budget_of(1 + below(p, 8), HM_NO_LIMIT);
    hm_handle handles[BATCH], owner = draw(p, p->of_map);
    uint64_t keys[BATCH], key = below(p, keys_end);
    uint32_t choice = below(p, 64), n = draw_n(p, p->of_map, handles);
    for (uint32_t i = 0; i < n; i++)
        keys[i] = below(p, keys_end);
    if (choice == 0)
        note_status(p, hm_index_trim(index));
    else if (choice == 1 && below(p, 32) == 0)
        hm_index_clear(index);
    else if (choice == 2)
        note(p, hm_index_remove_if(index, is_old_key, p));
    else if (choice < 5)
        note_progress(p, hm_index_defragment(index, &budget));
    else if (choice < 8)
        note(p, hm_index_remove_key(index, key));
    else if (choice < 16)
        note_status(p, hm_index_set_n(index, handles, keys, n));
    else if (grows(p, hm_index_count(index)))
        note_status(p, hm_index_set(index, owner, key));
    else
        note(p, hm_index_remove(index, owner));
    note(p, hm_index_key_of(index, draw(p, p->of_map), &key) ? key : 1);
}

static bool is_even(const void *at, void *context)
{
    (void)context;
    return ((const item *)at)->key % 2 == 0;
}

static void step_lists(program *p)
{
    hm_lists *lists = &p->lists;
    hm_handle list = draw(p, p->of_lists);
    hm_frame_budget budget = test_budget_of(1 + below(p, 8), HM_NO_LIMIT);
    uint32_t choice = below(p, 64), count = hm_lists_count_of(lists, list);
    uint32_t at = below(p, count + 1);
    if (choice == 0)
        note_status(p, hm_lists_trim(lists));
    else if (choice == 1 && below(p, 32) == 0)
        hm_lists_clear(lists);
    else if (choice < 4)
        note_progress(p, hm_lists_defragment(lists, &budget));
    else if (choice < 6)
        note_status(p, hm_lists_resize(lists, list, below(p, 400)));
    else if (choice < 8)
        note(p, hm_lists_erase_if(lists, list, is_even, p));
    else if (choice < 12)
        note(p, hm_lists_erase_at(lists, list, at));
    else if (choice < 16)
        note(p, hm_lists_erase_ordered_at(lists, list, at));
    else if (choice < 20)
        note_status(p, hm_lists_push_n(lists, list, NULL, below(p, 20)));
    else if (choice < 24)
        note_item(p, hm_lists_insert_at(lists, list, at, draw_place(p)));
    else if (choice < 44)
        note_item(p, hm_lists_push(lists, list, draw_place(p)));
    else if (grows(p, hm_lists_count(lists)))
        remember(p, p->of_lists, hm_lists_create(lists));
    else
        note(p, hm_lists_destroy(lists, list));
}

/* ---- worlds ---- */

/* Draws some of the components; returns their number. */
static uint32_t draw_set(program *p, hm_component set[COMPONENTS])
{
    uint32_t mask = below(p, 1 << COMPONENTS), n = 0;
    for (uint32_t i = 0; i < COMPONENTS; i++)
        if ((mask >> i & 1) != 0)
            set[n++] = p->components[i];
    return n;
}

/* The value of a component, or NULL for a tag. */
static const place *draw_value(program *p, uint32_t component)
{
    const place *value = draw_place(p);
    return component != COMPONENTS - 1 ? value : NULL;
}

static void walk_query(program *p, hm_query *query)
{
    hm_query_loop loop;
    hm_view view;
    hm_query_begin(query, &loop);
    while (hm_query_next(&loop, &view)) {
        note(p, view.count);
        note(p, hm_query_changed(&loop, 0));
        for (uint32_t i = 0; i < view.count; i++)
            note(p, view.entities[i].bits);
    }
    note(p, hm_world_clock(&p->world));
}

static void record_commands(program *p)
{
    hm_commands *commands = &p->commands;
    hm_component set[COMPONENTS];
    note_status(p, hm_world_reserve(&p->world, below(p, 4)));
    for (uint32_t n = below(p, BATCH); n > 0; n--) {
        hm_handle entity = draw(p, p->of_world);
        uint32_t choice = below(p, 8), which = below(p, COMPONENTS);
        if (choice == 0)
            note_status(p, hm_commands_destroy(commands, entity));
        else if (choice == 1)
            remember(p, p->of_world, hm_commands_create(commands, set, draw_set(p, set)));
        else if (choice < 5)
            note_status(
                p, hm_commands_add(commands, entity, p->components[which], draw_value(p, which)));
        else
            note_status(p, hm_commands_remove(commands, entity, p->components[which]));
    }
    note_status(p, hm_commands_apply(commands));
    note(p, hm_commands_skipped(commands));
}

/* Of many entities at a time. */
static void change_world(program *p, hm_query *query)
{
    hm_component set[COMPONENTS];
    hm_handle handles[BATCH] = {{0}};
    uint32_t choice = below(p, 8), n = draw_set(p, set), count = 1 + below(p, BATCH), changed = 0;
    if (choice == 0) {
        note(p, below(p, 8) == 0 ? hm_query_destroy(query) : 0);
    } else if (choice == 1 && below(p, 4) == 0) {
        note_status(p, hm_query_change(query, set, n, NULL, 0, &changed));
        note(p, changed);
    } else if (choice < 6) {
        note_status(p, hm_world_create_n(&p->world, set, n, count, NULL, handles));
        for (uint32_t i = 0; i < count; i++)
            remember(p, p->of_world, handles[i]);
    } else {
        count = draw_n(p, p->of_world, handles);
        note(p, hm_world_destroy_n(&p->world, handles, count));
    }
}

static void step_world(program *p)
{
    hm_world *world = &p->world;
    hm_query *query = &p->queries[below(p, QUERIES)];
    hm_component set[COMPONENTS];
    hm_handle entity = draw(p, p->of_world);
    hm_frame_budget budget = draw_budget(p);
    uint32_t choice = below(p, 64), which = below(p, COMPONENTS), n = draw_set(p, set);
    hm_component one = p->components[which];
    note_item(p, hm_world_get(world, entity, one));
    if (choice == 0)
        note_status(p, hm_world_trim(world));
    else if (choice == 1 && below(p, 32) == 0)
        hm_world_clear(world);
    else if (choice == 2 && below(p, 8) == 0)
        walk_query(p, query);
    else if (choice < 6)
        change_world(p, query);
    else if (choice < 9 && which != COMPONENTS - 1)
        note_progress(p, hm_world_defragment(world, one, draw_order(p), &budget));
    else if (choice < 12)
        record_commands(p);
    else if (choice < 14)
        note_status(p, hm_world_change(world, entity, set, n, NULL, 0));
    else if (choice < 24)
        note_status(p, hm_world_add(world, entity, one, draw_value(p, which)));
    else if (choice < 34)
        note_status(p, hm_world_remove(world, entity, one, NULL));
    else if (choice < 36)
        remember(p, p->of_world, hm_world_copy(world, entity));
    else if (grows(p, hm_world_count(world)))
        remember(p, p->of_world, hm_world_create(world, set, n));
    else
        note(p, hm_world_destroy(world, entity));
}

/* ---- all that is there, in its order ---- */

static void note_dense(program *p)
{
    for (uint32_t i = 0; i < hm_map_count(&p->map); i++) {
        hm_handle handle = hm_map_handle_at(&p->map, i);
        note(p, handle.bits);
        note_item(p, hm_map_get(&p->map, handle));
    }
    for (uint32_t which = 0; which < TABLES; which++)
        for (uint32_t row = 0; row < hm_table_count(&p->tables[which]); row++) {
            note(p, hm_table_handle_at(&p->tables[which], row).bits);
            note_item(p, hm_table_cell(&p->tables[which], row, 0));
        }
    const hm_secondary *secondary = &p->secondary;
    for (uint32_t i = 0; i < hm_secondary_count(secondary); i++) {
        note(p, hm_secondary_owner_at(secondary, i).bits);
        note_item(p, hm_secondary_get(secondary, hm_secondary_owner_at(secondary, i)));
    }
}

static void note_others(program *p)
{
    for (uint32_t which = 0; which < POOLS; which++)
        for (uint32_t slot = hm_pool_next_run(&p->pools[which], 0, NULL); slot != HM_INVALID_INDEX;
             slot = hm_pool_next_run(&p->pools[which], slot + 1, NULL)) {
            note(p, hm_pool_handle_at(&p->pools[which], slot).bits);
            note_item(p, hm_pool_item_at(&p->pools[which], slot));
        }
    hm_lists_view list = {0};
    while (hm_lists_next(&p->lists, &list)) {
        note(p, list.list.bits);
        for (uint32_t i = 0; i < list.count; i++)
            note_item(p, (const item *)list.items + i);
    }
    for (uint32_t which = 0; which < INDICES; which++) {
        hm_index_view key = {0};
        while (hm_index_next(&p->indices[which], &key)) {
            note(p, key.key);
            for (uint32_t i = 0; i < key.count; i++)
                note(p, key.members[i].bits);
        }
    }
    for (uint32_t which = 0; which < QUERIES; which++)
        walk_query(p, &p->queries[which]);
}

/* ---- containers ---- */

/* Each makes a container, which of its kind is said by a number. */
static void begin_map(program *p, uint32_t which)
{
    const hm_map_desc desc = {
        .item_size = 24, .capacity = p->capacity, .type_id = 1, .memory = p->memory};
    (void)which;
    CHECK(hm_map_init(&p->map, &desc) == HM_OK);
}

static void begin_pool(program *p, uint32_t which)
{
    static const uint32_t sizes[POOLS] = {120, 72, 40, 120};
    const hm_pool_desc desc = {.item_size = sizes[which],
                               .capacity =
                                   which == HM_STORAGE_FIXED_BLOCKS ? CAPACITY : p->capacity,
                               .max_slots = which % 3 == HM_STORAGE_VIRTUAL ? SLOTS : 0,
                               .type_id = 2,
                               .storage = (hm_storage)(which % 3),
                               .memory = p->memory};
    CHECK(hm_pool_init(&p->pools[which], &desc) == HM_OK);
}

static void begin_table(program *p, uint32_t which)
{
    static const hm_column columns[] = {{.size = 8}, {.size = 4}, {.size = 48}};
    const hm_table_desc desc = {.columns = columns,
                                .column_count = 3,
                                .lanes = 8 * which,
                                .capacity = p->capacity,
                                .type_id = 3,
                                .memory = p->memory};
    CHECK(hm_table_init(&p->tables[which], &desc) == HM_OK);
}

static void begin_secondary(program *p, uint32_t which)
{
    const hm_secondary_desc desc = {
        .value_size = 40, .capacity = p->capacity, .type_id = 1, .memory = p->memory};
    (void)which;
    CHECK(hm_secondary_init(&p->secondary, &desc) == HM_OK);
}

static void begin_index(program *p, uint32_t which)
{
    const hm_index_desc desc = {.capacity = which == 0 ? FEW : p->capacity,
                                .type_id = 1,
                                .key_limit = KEYS * which,
                                .memory = p->memory};
    CHECK(hm_index_init(&p->indices[which], &desc) == HM_OK);
}

static void begin_lists(program *p, uint32_t which)
{
    const hm_lists_desc desc = {.item_size = 16,
                                .capacity = p->capacity,
                                .max_items = 8 * FEW,
                                .type_id = 4,
                                .memory = p->memory};
    (void)which;
    CHECK(hm_lists_init(&p->lists, &desc) == HM_OK);
}

/* With what belongs to the world. */
static void begin_world(program *p, uint32_t which)
{
    const hm_world_desc desc = {.capacity = p->capacity,
                                .type_id = 5,
                                .max_archetypes = 64,
                                .max_size = p->capacity != 0 ? 8 << 20 : 0,
                                .memory = p->memory};
    static const hm_component_desc components[COMPONENTS] = {
        {.size = 8, .name = "a"},
        {.size = 48, .name = "b"},
        {.size = 16, .name = "c", .storage = HM_COMPONENT_SPARSE},
        {.size = 72, .name = "d", .storage = HM_COMPONENT_SPARSE},
        {.size = 0, .name = "e"},
    };
    (void)which;
    CHECK(hm_world_init(&p->world, &desc) == HM_OK);
    for (uint32_t i = 0; i < COMPONENTS; i++) {
        p->components[i] = hm_world_component(&p->world, &components[i]);
        CHECK(p->components[i] != HM_INVALID_INDEX);
    }
    const hm_query_desc queries[QUERIES] = {
        {.all = p->components, .all_count = 1},
        {.all = p->components + 1, .all_count = 2},
        {.none = p->components + 4, .none_count = 1},
    };
    for (uint32_t i = 0; i < QUERIES; i++)
        CHECK(hm_query_init(&p->queries[i], &p->world, &queries[i]) == HM_OK);
    CHECK(hm_commands_init(&p->commands, &p->world, &(hm_commands_desc){.size = 1 << 20}) == HM_OK);
}

static void end_world(program *p)
{
    hm_commands_fini(&p->commands);
    for (uint32_t i = 0; i < QUERIES; i++)
        hm_query_fini(&p->queries[i]);
    hm_world_fini(&p->world);
}

/* ---- copies that are loaded ---- */

static test_file file; /* It keeps its memory. */

#define RELOAD(p, kind, container, which, end)                                                     \
    do {                                                                                           \
        file.size = 0;                                                                             \
        CHECK(hm_##kind##_save(container, NULL, test_sink(&file)) == HM_OK);                       \
        end;                                                                                       \
        begin_##kind(p, which);                                                                    \
        CHECK(hm_##kind##_load(container, NULL, test_source(&file)) == HM_OK);                     \
        CHECK(hm_##kind##_validate(container) == HM_OK && file.position == file.size);             \
    } while (0)

static void reload_all(program *p)
{
    RELOAD(p, map, &p->map, 0, hm_map_fini(&p->map));
    for (uint32_t i = 0; i < POOLS; i++)
        RELOAD(p, pool, &p->pools[i], i, hm_pool_fini(&p->pools[i]));
    for (uint32_t i = 0; i < TABLES; i++)
        RELOAD(p, table, &p->tables[i], i, hm_table_fini(&p->tables[i]));
    RELOAD(p, secondary, &p->secondary, 0, hm_secondary_fini(&p->secondary));
    for (uint32_t i = 0; i < INDICES; i++)
        RELOAD(p, index, &p->indices[i], i, hm_index_fini(&p->indices[i]));
    RELOAD(p, lists, &p->lists, 0, hm_lists_fini(&p->lists));
    RELOAD(p, world, &p->world, 0, end_world(p));
}

static void forget_orders(program *p)
{
    hm_map_forget_order(&p->map);
    for (uint32_t i = 0; i < TABLES; i++)
        hm_table_forget_order(&p->tables[i]);
    hm_secondary_forget_order(&p->secondary);
    hm_world_forget_order(&p->world);
}

/* ---- from outside ---- */

void program_release(program *p)
{
    end_world(p);
    hm_lists_fini(&p->lists);
    for (uint32_t i = 0; i < INDICES; i++)
        hm_index_fini(&p->indices[i]);
    hm_secondary_fini(&p->secondary);
    for (uint32_t i = 0; i < TABLES; i++)
        hm_table_fini(&p->tables[i]);
    for (uint32_t i = 0; i < POOLS; i++)
        hm_pool_fini(&p->pools[i]);
    hm_map_fini(&p->map);
}

void program_begin(program *p, const hm_memory *memory, uint32_t capacity)
{
    memset(p, 0, sizeof *p);
    p->random = 2026;
    p->memory = memory;
    p->capacity = capacity;
    begin_map(p, 0);
    for (uint32_t i = 0; i < POOLS; i++)
        begin_pool(p, i);
    for (uint32_t i = 0; i < TABLES; i++)
        begin_table(p, i);
    begin_secondary(p, 0);
    for (uint32_t i = 0; i < INDICES; i++)
        begin_index(p, i);
    begin_lists(p, 0);
    begin_world(p, 0);
}

bool program_step(program *p)
{
    static void (*const steps[])(program * p) = {step_map,   step_pool,  step_table, step_secondary,
                                                 step_index, step_lists, step_world};
    if (p->step == (test_scale() > 1 ? SHORT_STEPS : STEPS))
        return false;
    if (p->step % APART == APART - 1) {
        forget_orders(p);
        if (p->loads)
            reload_all(p);
    }
    if (p->step % PHASE == 0)
        p->target = below(p, CAPACITY - CAPACITY / 6);
    if (p->step % 1024 == 0)
        note_dense(p);
    if (p->step % 1024 == 512)
        note_others(p);
    steps[below(p, sizeof steps / sizeof *steps)](p);
    p->step++;
    return true;
}

void program_end(program *p)
{
    note_dense(p);
    note_others(p);
    program_release(p);
    printf("%016" PRIx64 "\n", p->hash);
    CHECK(p->hash == (test_scale() > 1 ? expected_short : expected));
}
