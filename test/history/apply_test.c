/* SPDX-License-Identifier: MIT */
/* Changes that come from elsewhere: a section of them is made whole, or not at all if a record of
 * it could fit no such container. Single ones are in changes_single_test.c. */
#include "../save/saves.h"
#include "../support/last_error.h"

enum { TYPE = 3, HEAD = 17, MOST_KEYS = 50 };

/* What follows the handle in a record of a section; the value is zero. */
typedef struct record {
    uint64_t handle;
    uint32_t part, size, kind;
} record;

static hm_status init_any(test_any *made, test_kind kind, const hm_memory *memory)
{
    hm_status status = kind != TEST_INDEX ? test_any_init(made, kind, TYPE, 0, memory)
                                          : hm_index_init(&made->index, &(hm_index_desc){
                                                                            .type_id = TYPE,
                                                                            .key_limit = MOST_KEYS,
                                                                            .name = "things",
                                                                            .memory = memory,
                                                                        });
    if (kind == TEST_WORLD)
        made->components[0] =
            hm_world_component(&made->world, &(hm_component_desc){.size = 4, .name = "c"});
    return status;
}

/* Those whose descriptors are like a map's; then all. */
#define EACH_ITEM_CALL(call)                                                                       \
    switch (kind) {                                                                                \
    case TEST_MAP:                                                                                 \
        call(map) break;                                                                           \
    case TEST_POOL:                                                                                \
        call(pool) break;                                                                          \
    case TEST_TABLE:                                                                               \
        call(table) break;                                                                         \
    case TEST_SECONDARY:                                                                           \
        call(secondary) break;                                                                     \
    case TEST_LISTS:                                                                               \
        call(lists) break;                                                                         \
    default:                                                                                       \
        call(index) break;                                                                         \
    }
/* clang-format off */
#define EACH_CALL(call)                                                                            \
    if (kind == TEST_WORLD)                                                                        \
        call(world)                                                                                \
    else                                                                                           \
        EACH_ITEM_CALL(call)
/* clang-format on */

static uint32_t count_any(const test_any *made, test_kind kind)
{
    uint32_t count = 0;
#define COUNT(of) count = hm_##of##_count(&made->of);
    EACH_CALL(COUNT)
    return count;
}

static hm_status load_changes(test_any *made, test_kind kind, const hm_save_desc *desc,
                              test_file *file)
{
    hm_status status = HM_OK;
    const hm_world_save_desc plain = {.max_count = desc != NULL ? desc->max_count : 0};
    if (kind == TEST_WORLD)
        return hm_world_load_changes(&made->world, &plain, test_source(file));
#define LOAD(of) status = hm_##of##_load_changes(&made->of, desc, test_source(file));
    EACH_ITEM_CALL(LOAD)
    return status;
}

/* Writes a section without changes, whose header others may get. */
static void save_nothing(test_kind kind, test_file *file)
{
    hm_history history;
    test_any made;
    hm_status status = HM_OK;
    memset(&made, 0, sizeof made); /* A mark reads all that is watched. */
    CHECK(hm_history_init(&history, &(hm_history_desc){.marks = 2}) == HM_OK);
    CHECK(hm_history_watch(&history, &made, sizeof made) == HM_OK);
    CHECK(init_any(&made, kind, &history.table) == HM_OK);
    uint64_t mark = hm_history_mark(&history);
#define SAVE(of)                                                                                   \
    status = hm_##of##_save_changes(&made.of, &history, NULL, mark, mark, test_sink(file));
    EACH_CALL(SAVE)
    CHECK(status == HM_OK);
    test_any_fini(&made, kind);
    hm_history_fini(&history);
}

static void put(test_file *file, uint64_t number, size_t size)
{
    for (size_t i = 0; i < size; i++)
        CHECK(test_file_write(file, &(unsigned char){(unsigned char)(number >> 8 * i)}, 1));
}

/* Makes a stranger's section of n records, which ends `cut` bytes too early: all of its checksums
 * are right. */
static void forge(test_file *file, test_kind kind, const record *records, uint32_t n, uint32_t cut)
{
    file->size = 0;
    save_nothing(kind, file);
    size_t head = file->size, payload = 0;
    for (uint32_t i = 0; i < n; i++, payload += HEAD) {
        put(file, records[i].handle, 8);
        put(file, records[i].part, 4);
        put(file, records[i].size, 4);
        put(file, records[i].kind, 1);
        for (uint32_t k = 0; k < records[i].size; k++, payload++)
            put(file, 0, 1);
    }
    file->size -= cut;
    put(file, 0, 8); /* the checksum of the payload */
    size_t end = file->size;
    file->size = 32;
    put(file, n, 4);
    file->size = 40;
    put(file, payload - cut, 8);
    file->size = end;
    test_file_seal(file);
    CHECK(head + payload - cut + 8 == end);
}

/* The first change of a section, which any empty container takes. */
static record good_record(test_kind kind, uint32_t slot)
{
    return (record){hm_handle_pack(slot, 1, TYPE).bits, kind == TEST_WORLD ? HM_INVALID_INDEX : 0,
                    kind == TEST_WORLD   ? 0
                    : kind == TEST_INDEX ? 8
                                         : 4,
                    HM_CHANGE_INSERTED};
}

/* Makes a record one that fits no container of this kind; false: there are no more ways. */
static bool spoil(record *of, test_kind kind, uint32_t way)
{
    const uint64_t handles[] = {0, of->handle | HM_HANDLE_FREE_BIT,
                                hm_handle_pack(1, 1, TYPE + 1).bits};
    if (way < 3)
        of->handle = handles[way];
    else if (way == 3)
        of->part = 7;
    else if (way == 4)
        of->size += 1;
    else if (way == 5)
        *of = (record){handles[2], of->part, 0, HM_CHANGE_ERASED};
    else if (way == 6 && kind == TEST_WORLD)
        of->kind = HM_CHANGE_EDITED;
    else
        return false;
    return true;
}

TEST(changes, of_a_section_with_a_record_that_fits_nothing_are_not_made)
{
    for (test_kind kind = TEST_MAP; kind < TEST_KINDS; kind++) {
        test_any made;
        test_file file = {0};
        CHECK(init_any(&made, kind, NULL) == HM_OK);
        for (uint32_t way = 0;; way++) {
            record records[] = {good_record(kind, 0), good_record(kind, 1)};
            if (!spoil(&records[1], kind, way))
                break;
            forge(&file, kind, records, 2, 0);
            CHECK(load_changes(&made, kind, NULL, &file) == HM_ERROR_INVALID);
            CHECK(count_any(&made, kind) == 0);
        }
        const record records[] = {good_record(kind, 0), good_record(kind, 1)};
        forge(&file, kind, records, 2, 0);
        CHECK(load_changes(&made, kind, NULL, &file) == HM_OK && count_any(&made, kind) == 2);
        test_any_fini(&made, kind);
        test_file_end(&file);
    }
}

TEST(changes, are_bounded_by_max_count_whatever_the_header_says)
{
    const hm_save_desc one = {.max_count = 1};
    for (test_kind kind = TEST_MAP; kind < TEST_KINDS; kind++) {
        test_any made;
        test_file file = {0};
        const record records[] = {good_record(kind, 0), good_record(kind, 1)};
        CHECK(init_any(&made, kind, NULL) == HM_OK);
        forge(&file, kind, records, 2, 0);
        CHECK(load_changes(&made, kind, &one, &file) == HM_ERROR_CORRUPT);
        CHECK(strstr(hm_last_error(), "2 changes are above the limit 1") != NULL);
        file.bytes[32] = 1;
        test_file_seal(&file);
        CHECK(load_changes(&made, kind, &one, &file) == HM_ERROR_CORRUPT);
        CHECK(strstr(hm_last_error(), "change 2 of 1 is none") != NULL);
        CHECK(count_any(&made, kind) == 0);
        test_any_fini(&made, kind);
        test_file_end(&file);
    }
}

/* busy containers */

static struct {
    test_any made;
    test_file file;
    uint32_t asked;
} inside;

static void load_no_changes(test_kind kind)
{
    const hm_change change = {.kind = HM_CHANGE_ERASED, .part = HM_INVALID_INDEX};
    hm_status status = HM_OK;
    inside.asked++;
#define APPLY(of) status = hm_##of##_apply(&inside.made.of, &change);
    EACH_CALL(APPLY)
    CHECK(status == HM_ERROR_BUSY);
    CHECK(load_changes(&inside.made, kind, NULL, &inside.file) == HM_ERROR_BUSY);
    CHECK(inside.file.position == 0); /* The section is not read. */
}

#define HOOK(of, KIND)                                                                             \
    static void destroy_of_##of(void *item, void *context)                                         \
    {                                                                                              \
        (void)item, (void)context;                                                                 \
        load_no_changes(TEST_##KIND);                                                              \
    }
HOOK(map, MAP)
HOOK(pool, POOL)
HOOK(secondary, SECONDARY)
HOOK(lists, LISTS)
HOOK(world, WORLD)

static void destroy_of_table(const hm_table *table, uint32_t row, void *context)
{
    (void)table, (void)row, (void)context;
    load_no_changes(TEST_TABLE);
}

#define ASK_INSIDE(of, KIND, make, ...)                                                            \
    inside.file.size = 0;                                                                          \
    save_nothing(TEST_##KIND, &inside.file);                                                       \
    CHECK(hm_##of##_init(&inside.made.of, &(hm_##of##_desc){.type_id = TYPE,                       \
                                                            .destroy = destroy_of_##of,            \
                                                            __VA_ARGS__}) == HM_OK);               \
    make;                                                                                          \
    hm_##of##_fini(&inside.made.of)

TEST(changes, of_nothing_are_refused_too_inside_a_hook)
{
    inside.asked = 0;
    ASK_INSIDE(map, MAP, hm_map_insert(&inside.made.map, NULL), .item_size = 4);
    ASK_INSIDE(pool, POOL, hm_pool_insert(&inside.made.pool, NULL), .item_size = 4);
    ASK_INSIDE(table, TABLE, hm_table_insert(&inside.made.table, NULL),
               .columns = &(hm_column){.size = 4}, .column_count = 1);
    ASK_INSIDE(secondary, SECONDARY,
               hm_secondary_set(&inside.made.secondary, hm_handle_pack(0, 1, TYPE), NULL),
               .value_size = 4);
    ASK_INSIDE(lists, LISTS,
               hm_lists_push(&inside.made.lists, hm_lists_create(&inside.made.lists), NULL),
               .item_size = 4);
    CHECK(inside.asked == 5);
    test_file_end(&inside.file);
}

static bool read_and_change(void *context, void *bytes, size_t size)
{
    load_no_changes(TEST_INDEX);
    return test_file_read(context, bytes, size);
}

/* An index has no hooks. */
TEST(changes, of_an_index_are_refused_while_it_is_loaded)
{
    test_any from;
    test_file file = {0};
    inside.asked = 0;
    save_nothing(TEST_INDEX, &inside.file);
    CHECK(init_any(&from, TEST_INDEX, NULL) == HM_OK);
    CHECK(init_any(&inside.made, TEST_INDEX, NULL) == HM_OK);
    CHECK(hm_index_set(&from.index, hm_handle_pack(0, 1, TYPE), 1) == HM_OK);
    CHECK(hm_index_save(&from.index, NULL, test_sink(&file)) == HM_OK);
    hm_source source = {read_and_change, test_source(&file).context};
    CHECK(hm_index_load(&inside.made.index, NULL, source) == HM_OK && inside.asked > 0);
    CHECK(hm_index_count(&inside.made.index) == 1);
    test_any_fini(&from, TEST_INDEX);
    test_any_fini(&inside.made, TEST_INDEX);
    test_file_end(&inside.file);
    test_file_end(&file);
}

TEST(changes, of_what_is_not_initialised_are_refused)
{
    static test_any zeroed;
    const hm_change change = {.kind = HM_CHANGE_ERASED, .part = HM_INVALID_INDEX};
    for (test_kind kind = TEST_MAP; kind < TEST_KINDS; kind++) {
        hm_status status = HM_OK;
#define APPLY_ZEROED(of) status = hm_##of##_apply(&zeroed.of, &change);
        EACH_CALL(APPLY_ZEROED)
        CHECK(status == HM_ERROR_FULL && mentions("initialise it first"));
    }
}

TEST(changes, of_a_world_are_refused_while_a_query_runs)
{
    hm_query query;
    hm_query_loop loop;
    inside.asked = 0;
    save_nothing(TEST_WORLD, &inside.file);
    CHECK(hm_world_init(&inside.made.world, &(hm_world_desc){.type_id = TYPE}) == HM_OK);
    hm_component hooked = hm_world_component(
        &inside.made.world, &(hm_component_desc){.size = 4, .destroy = destroy_of_world});
    hm_handle entity = hm_world_create(&inside.made.world, &hooked, 1);
    const hm_change changes[] = {
        {.handle = entity, .kind = HM_CHANGE_ERASED, .part = HM_INVALID_INDEX},
        {.handle = entity, .kind = HM_CHANGE_ERASED, .part = hooked},
        {.handle = HM_NULL_HANDLE, .kind = HM_CHANGE_ERASED, .part = 77}};
    CHECK(hm_query_init(&query, &inside.made.world, &(hm_query_desc){.all_count = 0}) == HM_OK);
    hm_query_begin(&query, &loop);
    load_no_changes(TEST_WORLD);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        CHECK(hm_world_apply(&inside.made.world, &changes[i]) == HM_ERROR_BUSY);
    hm_query_end(&loop);
    CHECK(hm_world_apply(&inside.made.world, &changes[0]) == HM_OK && inside.asked == 2);
    hm_query_fini(&query);
    hm_world_fini(&inside.made.world);
    test_file_end(&inside.file);
}

/* worlds */

TEST(changes, of_a_component_fit_those_of_the_worlds_that_there_are)
{
    hm_world world, other;
    hm_component component[2];
    uint32_t value = 5;
    CHECK(hm_world_init(&world, &(hm_world_desc){.type_id = TYPE}) == HM_OK);
    CHECK(hm_world_init(&other, &(hm_world_desc){.type_id = TYPE}) == HM_OK);
    component[0] = hm_world_component(&world, &(hm_component_desc){.size = 4});
    component[1] = hm_world_component(&other, &(hm_component_desc){.size = 4});
    hm_handle entity = hm_world_create(&world, NULL, 0);
    const struct {
        uint32_t part;
        hm_change_kind kind;
        hm_status status;
    } rows[] = {
        {component[0] + 1024 * 3000, HM_CHANGE_INSERTED, HM_ERROR_INVALID},
        {component[1] + 1, HM_CHANGE_INSERTED, HM_ERROR_INVALID},
        {1, HM_CHANGE_INSERTED, HM_ERROR_INVALID},
        {component[0], HM_CHANGE_EDITED, HM_ERROR_STALE},
        {component[1], HM_CHANGE_INSERTED, HM_OK}, /* It counts by its number. */
        {component[0], HM_CHANGE_INSERTED, HM_ERROR_STALE},
        {0, HM_CHANGE_EDITED, HM_OK}, /* as in a file */
        {0, HM_CHANGE_ERASED, HM_OK},
        {component[0], HM_CHANGE_ERASED, HM_ERROR_STALE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool had = hm_world_has(&world, entity, component[0]);
        hm_change change = {.handle = entity,
                            .kind = rows[i].kind,
                            .part = rows[i].part,
                            .after = &value,
                            .after_size = 4};
        CHECK(hm_world_apply(&world, &change) == rows[i].status);
        CHECK(rows[i].status == HM_OK || hm_world_has(&world, entity, component[0]) == had);
    }
    hm_world_fini(&world);
    hm_world_fini(&other);
}

/* The section is right, but the container is another one: what comes before it is made. */
TEST(changes, of_an_entity_without_room_in_a_row_are_refused_as_full)
{
    static const unsigned char value[9000];
    hm_world world;
    CHECK(hm_world_init(&world, &(hm_world_desc){.type_id = TYPE}) == HM_OK);
    hm_handle entity = hm_world_create(&world, NULL, 0);
    for (int i = 0; i < 2; i++) {
        hm_change change = {.handle = entity, .after = value, .after_size = sizeof value};
        change.part = hm_world_component(&world, &(hm_component_desc){.size = sizeof value});
        CHECK(hm_world_apply(&world, &change) == (i == 0 ? HM_OK : HM_ERROR_FULL));
    }
    CHECK(hm_world_validate(&world) == HM_OK);
    hm_world_fini(&world);
}

/* an order that hears of edits */

static uint64_t key_of(const void *item, void *context)
{
    uint32_t key;
    (void)context;
    memcpy(&key, item, sizeof key);
    return key;
}

/* Makes the change by which the item in the middle comes last. */
static hm_change edit_of(hm_handle handle)
{
    static const uint32_t highest = 1000;
    return (hm_change){.handle = handle,
                       .kind = HM_CHANGE_EDITED,
                       .after = &highest,
                       .after_size = sizeof highest};
}

#define CHECK_ORDER_OF(of, defragment, handle_at, ...)                                             \
    hm_##of made_##of;                                                                             \
    CHECK(hm_##of##_init(&made_##of, &(hm_##of##_desc){__VA_ARGS__}) == HM_OK);                    \
    for (uint32_t i = 0; i < ITEMS; i++)                                                           \
        add_##of(&made_##of, i);                                                                   \
    CHECK(defragment.done);                                                                        \
    change = edit_of(hm_##of##_##handle_at(&made_##of, ITEMS / 2));                                \
    CHECK(hm_##of##_apply(&made_##of, &change) == HM_OK);                                          \
    CHECK(defragment.done);                                                                        \
    CHECK(hm_##of##_##handle_at(&made_##of, ITEMS - 1).bits == change.handle.bits);                \
    hm_##of##_fini(&made_##of)

static void add_map(hm_map *map, uint32_t value)
{
    CHECK(!hm_handle_is_null(hm_map_insert(map, &value)));
}

static void add_table(hm_table *table, uint32_t value)
{
    CHECK(!hm_handle_is_null(hm_table_insert(table, (const void *[]){&value})));
}

static void add_secondary(hm_secondary *secondary, uint32_t value)
{
    CHECK(hm_secondary_set(secondary, hm_handle_pack(value, 1, 0), &value) != NULL);
}

TEST(changes, that_edit_what_is_in_order_are_seen_by_the_next_defragment)
{
    enum { ITEMS = 20 };
    const hm_order order = {.key = key_of};
    hm_change change;
    CHECK_ORDER_OF(map, hm_map_defragment(&made_map, &order, NULL), handle_at, .item_size = 4);
    CHECK_ORDER_OF(table, hm_table_defragment(&made_table, 0, &order, NULL), handle_at,
                   .columns = &(hm_column){.size = 4}, .column_count = 1);
    CHECK_ORDER_OF(secondary, hm_secondary_defragment(&made_secondary, &order, NULL), owner_at,
                   .value_size = 4);
}
