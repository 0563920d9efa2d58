/* SPDX-License-Identifier: MIT */
/* Each value that decode has made is destroyed once: by a load or a merge that fails, or later by
 * the container. Nothing else is destroyed by them. So for each kind of container, storage and way
 * to read values, whatever read, write, decode or call for memory is refused. */
#include "saves.h"

#include "support/memory.h"

enum {
    ITEMS = 40,
    SIZE = 2048, /* bytes of a value, whose first 8 are its number: some fit in a read */
    OWN = 10,    /* values that the container has before a merge */
    CAPACITY = 100,
    SLOTS = 2000,
    MOVED_SLOTS = 900, /* for which a container with the capacity moves its entries */
    FIRST_B = 50,      /* numbers: those of a second component */
    FIRST_OWN = 100,
    FIRST_MADE = 200, /* by decode */
    NUMBERS = 400
};

/* How the values are read: by decode, as bytes, or as zero (of a world) whatever they were. */
typedef enum codec { BY_CODE, AS_BYTES, AS_ZERO, CODECS } codec;

/* What has happened to the values of each number. */
static struct {
    uint8_t made[NUMBERS], destroyed[NUMBERS];
    uint32_t next, zeros, decodes;
    uint32_t fail_at;  /* the decode with this number is refused; 0: none */
    bool only_decoded; /* while a call runs that must destroy nothing else */
} seen;

static void see_anew(uint32_t fail_at)
{
    memset(&seen, 0, sizeof seen);
    seen.next = FIRST_MADE;
    seen.fail_at = fail_at;
}

static uint64_t number_of(const void *value)
{
    uint64_t number;
    memcpy(&number, value, sizeof number);
    return number;
}

static void encode(const void *item, void *bytes, void *context)
{
    (void)context;
    memcpy(bytes, item, SIZE);
}

static bool decode(uint32_t version, const void *bytes, size_t size, void *item, void *context)
{
    uint64_t number = seen.next;
    (void)version, (void)context;
    CHECK(size == SIZE && number_of(bytes) >= 1 && number_of(bytes) <= ITEMS);
    if (++seen.decodes == seen.fail_at)
        return false;
    seen.made[seen.next++]++;
    memcpy(item, &number, sizeof number);
    return true;
}

static void destroy(void *value, void *context)
{
    uint64_t number = number_of(value);
    (void)context;
    CHECK(number < NUMBERS && (!seen.only_decoded || number >= FIRST_MADE));
    if (number == 0) {
        seen.zeros++;
        return;
    }
    CHECK(seen.destroyed[number]++ == 0);
    CHECK(number < FIRST_MADE || seen.made[number] == 1);
}

static uint32_t count_destroyed(uint32_t from, uint32_t end)
{
    uint32_t count = 0;
    for (uint32_t i = from; i < end; i++)
        count += seen.destroyed[i];
    return count;
}

/* The rows of a table have two cells, of which the first has the number. */
static void encode_row(const void *item, void *bytes, void *context)
{
    (void)context;
    memcpy(bytes, ((const void *const *)item)[0], sizeof(uint64_t));
}

static bool decode_row(uint32_t version, const void *bytes, size_t size, void *item, void *context)
{
    return decode(version, bytes, size, ((void *const *)item)[0], context);
}

static void destroy_row(const hm_table *table, uint32_t row, void *context)
{
    destroy(hm_table_cell(table, row, 0), context);
}

/* A kind of container. Shapes are numbered from 0. */
typedef struct kind {
    uint32_t shapes;
    uint32_t values; /* of an item that have hooks */
    bool may_be_zero;
    void (*init)(saved *made, uint32_t shape, codec by, const hm_memory *memory);
    void (*add)(saved *made, uint64_t number);
    hm_status (*save)(const saved *made, codec by, hm_sink sink);
    hm_status (*load)(saved *made, codec by, hm_source source);
    hm_status (*merge)(saved *made, codec by, hm_source source, hm_secondary *remap);
    hm_status (*begin)(hm_merge *merge, saved *made, codec by, hm_source source);
    uint32_t (*count)(const saved *made);
    hm_status (*validate)(const saved *made);
    hm_status (*save_changes)(const hm_history *history, const saved *made, codec by, uint64_t from,
                              uint64_t to, hm_sink sink);
    hm_status (*load_changes)(saved *made, codec by, hm_source source);
    void (*fini)(saved *made);
} kind;

static const hm_save_desc formats[CODECS] = {
    [BY_CODE] = {.name = "s", .encoded_size = SIZE, .encode = encode, .decode = decode},
    [AS_BYTES] = {.name = "s"}};
static const hm_save_desc row_formats[CODECS] = {
    [BY_CODE] = {.name = "s", .encoded_size = SIZE, .encode = encode_row, .decode = decode_row},
    [AS_BYTES] = {.name = "s"}};

#define HOOKED_CALLS(of, format)                                                                   \
    TEST_ASKS(hm_status, save, of, (const saved *made, codec by, hm_sink sink),                    \
              save(&made->of, format, sink))                                                       \
    TEST_ASKS(hm_status, load, of, (saved * made, codec by, hm_source source),                     \
              load(&made->of, format, source))                                                     \
    TEST_ASKS(hm_status, validate, of, (const saved *made), validate(&made->of))                   \
    TEST_ASKS(hm_status, save_changes, of,                                                         \
              (const hm_history *history, const saved *made, codec by, uint64_t from, uint64_t to, \
               hm_sink sink),                                                                      \
              save_changes(&made->of, history, format, from, to, sink))                            \
    TEST_ASKS(hm_status, load_changes, of, (saved * made, codec by, hm_source source),             \
              load_changes(&made->of, format, source))                                             \
    TEST_DOES(fini, of, (saved * made), fini(&made->of))
#define HOOKED_MERGES(of, format)                                                                  \
    TEST_ASKS(hm_status, merge, of,                                                                \
              (saved * made, codec by, hm_source source, hm_secondary * remap),                    \
              merge(&made->of, format, source, remap))                                             \
    static hm_status begin_##of(hm_merge *merge, saved *made, codec by, hm_source source)          \
    {                                                                                              \
        return hm_##of##_merge_begin(&made->of, merge, format, source, NULL);                      \
    }

#define HOOKED_ROW(of, shape_count, value_count)                                                   \
    .shapes = (shape_count), .values = (value_count), .init = init_##of, .add = add_##of,          \
    .save = save_##of, .load = load_##of, .count = count_##of, .validate = validate_##of,          \
    .save_changes = save_changes_##of, .load_changes = load_changes_##of, .fini = fini_##of

/* map: with a capacity and without, with meta or not */

static void init_map(saved *made, uint32_t shape, codec by, const hm_memory *memory)
{
    (void)by;
    CHECK(hm_map_init(&made->map, &(hm_map_desc){.item_size = SIZE,
                                                 .type_id = 1,
                                                 .capacity = shape % 2 * CAPACITY,
                                                 .max_slots = SLOTS,
                                                 .meta_size = shape / 2 * 64,
                                                 .destroy = destroy,
                                                 .memory = memory}) == HM_OK);
}

static void add_map(saved *made, uint64_t number)
{
    uint64_t value[SIZE / 8] = {number};
    CHECK(!hm_handle_is_null(hm_map_insert(&made->map, value)));
}

static uint32_t count_map(const saved *made)
{
    return hm_map_count(&made->map);
}

HOOKED_CALLS(map, &formats[by])
HOOKED_MERGES(map, &formats[by])
static const kind of_map = {HOOKED_ROW(map, 4, 1), .merge = merge_map, .begin = begin_map};

/* pool: each storage */

static void init_pool(saved *made, uint32_t shape, codec by, const hm_memory *memory)
{
    (void)by;
    CHECK(hm_pool_init(&made->pool,
                       &(hm_pool_desc){.item_size = SIZE,
                                       .type_id = 1,
                                       .capacity = CAPACITY,
                                       .max_slots = SLOTS,
                                       .storage = (hm_storage)(HM_STORAGE_VIRTUAL + shape),
                                       .destroy = destroy,
                                       .memory = memory}) == HM_OK);
}

static void add_pool(saved *made, uint64_t number)
{
    uint64_t value[SIZE / 8] = {number};
    CHECK(!hm_handle_is_null(hm_pool_insert(&made->pool, value)));
}

static uint32_t count_pool(const saved *made)
{
    return hm_pool_count(&made->pool);
}

HOOKED_CALLS(pool, &formats[by])
HOOKED_MERGES(pool, &formats[by])
static const kind of_pool = {HOOKED_ROW(pool, 3, 1), .merge = merge_pool, .begin = begin_pool};

/* table: whole columns, and groups of lanes; with a capacity and without */

static void init_table(saved *made, uint32_t shape, codec by, const hm_memory *memory)
{
    const hm_column columns[] = {{.size = 8}, {.size = SIZE - 8}};
    (void)by;
    CHECK(hm_table_init(&made->table, &(hm_table_desc){.columns = columns,
                                                       .column_count = 2,
                                                       .type_id = 1,
                                                       .capacity = shape % 2 * CAPACITY,
                                                       .max_slots = SLOTS,
                                                       .lanes = shape / 2 * 4,
                                                       .destroy = destroy_row,
                                                       .memory = memory}) == HM_OK);
}

static void add_table(saved *made, uint64_t number)
{
    CHECK(!hm_handle_is_null(hm_table_insert(&made->table, (const void *[]){&number, NULL})));
}

static uint32_t count_table(const saved *made)
{
    return hm_table_count(&made->table);
}

HOOKED_CALLS(table, &row_formats[by])
HOOKED_MERGES(table, &row_formats[by])
static const kind of_table = {HOOKED_ROW(table, 4, 1), .merge = merge_table, .begin = begin_table};

/* secondary */

static void init_secondary(saved *made, uint32_t shape, codec by, const hm_memory *memory)
{
    (void)by;
    CHECK(hm_secondary_init(&made->secondary, &(hm_secondary_desc){.value_size = SIZE,
                                                                   .type_id = 1,
                                                                   .capacity = shape * CAPACITY,
                                                                   .max_slots = SLOTS,
                                                                   .destroy = destroy,
                                                                   .memory = memory}) == HM_OK);
}

static void add_secondary(saved *made, uint64_t number)
{
    uint64_t value[SIZE / 8] = {number};
    hm_handle owner = hm_handle_pack((uint32_t)number, 1, 1);
    CHECK(hm_secondary_set(&made->secondary, owner, value) != NULL);
}

static uint32_t count_secondary(const saved *made)
{
    return hm_secondary_count(&made->secondary);
}

HOOKED_CALLS(secondary, &formats[by])
static const kind of_secondary = {HOOKED_ROW(secondary, 2, 1)};

/* lists: of up to eight items */

static void init_lists(saved *made, uint32_t shape, codec by, const hm_memory *memory)
{
    (void)by;
    CHECK(hm_lists_init(&made->lists, &(hm_lists_desc){.item_size = SIZE,
                                                       .type_id = 1,
                                                       .capacity = shape * CAPACITY,
                                                       .max_slots = SLOTS,
                                                       .max_items = shape * 1000,
                                                       .destroy = destroy,
                                                       .memory = memory}) == HM_OK);
}

static void add_lists(saved *made, uint64_t number)
{
    uint64_t value[SIZE / 8] = {number};
    hm_handle list = hm_lists_handle_at(&made->lists, hm_lists_count(&made->lists) - 1);
    if (number % 8 == 1 || hm_handle_is_null(list))
        list = hm_lists_create(&made->lists);
    CHECK(hm_lists_push(&made->lists, list, value) != NULL);
}

static uint32_t count_lists(const saved *made)
{
    return (uint32_t)made->lists.blocks.item_count;
}

HOOKED_CALLS(lists, &formats[by])
HOOKED_MERGES(lists, &formats[by])
static const kind of_lists = {HOOKED_ROW(lists, 2, 1), .merge = merge_lists, .begin = begin_lists};

/* world: of two components with hooks each may be sparse; only the first has a format. Beside them
 * is a component whose values are read after both. */

static void init_world(saved *made, uint32_t shape, codec by, const hm_memory *memory)
{
    static const char *const names[] = {"a", "b", "last"};
    const uint32_t are_sparse[] = {shape % 2, shape / 2 % 2, 1};
    (void)by;
    CHECK(hm_world_init(&made->world, &(hm_world_desc){.type_id = 1,
                                                       .capacity = shape / 4 * CAPACITY,
                                                       .max_slots = SLOTS,
                                                       .memory = memory}) == HM_OK);
    for (uint32_t i = 0; i < 3; i++) {
        const hm_component_desc desc = {.size = i == 0 ? SIZE : 8,
                                        .name = names[i],
                                        .destroy = i < 2 ? destroy : NULL,
                                        .storage = are_sparse[i] != 0 ? HM_COMPONENT_SPARSE
                                                                      : HM_COMPONENT_ARCHETYPE};
        made->components[i] = hm_world_component(&made->world, &desc);
        CHECK(made->components[i] != HM_INVALID_INDEX);
    }
}

static void add_world(saved *made, uint64_t number)
{
    uint64_t a[SIZE / 8] = {number}, b = number + FIRST_B;
    const void *const values[] = {a, &b, NULL};
    CHECK(!hm_handle_is_null(hm_world_create_with(&made->world, made->components, 3, values)));
}

static hm_load_action make_zero(const hm_component_difference *difference, void *context)
{
    (void)context;
    CHECK(strcmp(difference->name, "b") == 0 && difference->saved_size == 8);
    return HM_LOAD_ZERO;
}

/* Where the second component is made zero, its decode, for values of another layout, is not called,
 * and the first is read by decode. */
static const hm_world_save_desc *world_format(const saved *made, codec by)
{
    static hm_component_format two[2];
    static hm_world_save_desc desc;
    for (int i = 0; i < 2; i++)
        two[i] = (hm_component_format){made->components[i], formats[BY_CODE]};
    two[0].format.name = two[1].format.name = NULL;
    two[1].format.layout = "other";
    desc = (hm_world_save_desc){.name = "s",
                                .formats = two,
                                .format_count = by == AS_BYTES ? 0 : 1 + (by == AS_ZERO),
                                .resolve = by == AS_ZERO ? make_zero : NULL};
    return &desc;
}

static uint32_t count_world(const saved *made)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < hm_world_count(&made->world); i++) {
        hm_handle entity = hm_world_handle_at(&made->world, i);
        count += hm_world_has(&made->world, entity, made->components[0]);
        count += hm_world_has(&made->world, entity, made->components[1]);
    }
    return count;
}

HOOKED_CALLS(world, world_format(made, by))
HOOKED_MERGES(world, world_format(made, by))
static const kind of_world = {HOOKED_ROW(world, 8, 2), .merge = merge_world, .begin = begin_world,
                              .may_be_zero = true};

static const kind *const kinds[] = {&of_map,       &of_pool,  &of_table,
                                    &of_secondary, &of_lists, &of_world};

#define EACH_ROW(of, shape, by)                                                                    \
    for (size_t of##_i = 0; of##_i < sizeof kinds / sizeof *kinds; of##_i++)                       \
        for (const kind *of = kinds[of##_i]; of != NULL; of = NULL)                                \
            for (uint32_t shape = 0; (shape) < (of)->shapes; (shape)++)                            \
                for (codec by = BY_CODE; (by) <= ((of)->may_be_zero ? AS_ZERO : AS_BYTES); (by)++)

/* What is refused: the k-th call of these. */
typedef enum fault { NOTHING, READ, DECODE, MEMORY, MEMORY_FROM_THEN, FAULTS } fault;

typedef struct run {
    const kind *of;
    codec by;
    test_memory memory;
    test_file file;
    saved into;
} run;

static void save_some(run *in, uint32_t shape)
{
    saved from;
    in->file = (test_file){0};
    codec by = in->by == AS_ZERO ? BY_CODE : in->by; /* of another layout than what is made zero */
    in->of->init(&from, shape, by, NULL);
    for (uint32_t i = 1; i <= ITEMS; i++)
        in->of->add(&from, i);
    seen.only_decoded = true; /* A save destroys nothing. */
    for (in->file.fail_at = 1;; in->file.fail_at++) {
        in->file.size = in->file.calls = 0;
        if (in->of->save(&from, by, test_sink(&in->file)) == HM_OK)
            break;
    }
    in->file.fail_at = 0;
    seen.only_decoded = false;
    in->of->fini(&from);
    CHECK(count_destroyed(1, NUMBERS) == ITEMS * in->of->values);
}

/* Makes a container with some values of its own; the k-th call is refused from then on. */
static void begin_run(run *in, uint32_t shape, uint32_t own, fault refused, uint32_t k)
{
    test_memory_use(hm_memory_heap()); /* Of which a call takes least. */
    test_memory_init_with_holes(&in->memory, test_page_size(4096));
    see_anew(refused == DECODE ? k : 0);
    in->of->init(&in->into, shape, in->by, &in->memory.table);
    for (uint32_t i = 0; i < own; i++)
        in->of->add(&in->into, FIRST_OWN + 1 + i);
    in->file.fail_at = refused == READ ? k : 0;
    test_memory_fail(&in->memory, refused >= MEMORY ? k : 0, refused == MEMORY_FROM_THEN);
    seen.only_decoded = true;
}

static bool end_call(run *in, fault refused)
{
    seen.only_decoded = false;
    bool was_refused = (refused == READ && in->file.calls >= in->file.fail_at) ||
                       (refused == DECODE && seen.decodes >= seen.fail_at) ||
                       (refused >= MEMORY && test_memory_refused(&in->memory));
    test_memory_fail(&in->memory, 0, false);
    CHECK(in->of->validate(&in->into) == HM_OK);
    return was_refused;
}

/* What decode made is destroyed, or is the container's, which destroys all that it has once. */
static void end_run(run *in)
{
    uint32_t made = seen.next - FIRST_MADE, before = count_destroyed(1, NUMBERS);
    uint32_t zeros = in->by == AS_ZERO ? in->of->count(&in->into) / 2 : 0;
    uint32_t count = in->of->count(&in->into);
    in->of->fini(&in->into);
    CHECK(count_destroyed(1, NUMBERS) + seen.zeros - before == count && seen.zeros <= zeros);
    CHECK(count_destroyed(FIRST_MADE, NUMBERS) == made);
    test_memory_check_released(&in->memory);
}

static void check_answer(const run *in, uint32_t own, hm_status status, bool was_refused)
{
    uint32_t count = in->of->count(&in->into), values = in->of->values;
    CHECK(was_refused || status == HM_OK);
    CHECK(count == (own + (status == HM_OK ? ITEMS : 0)) * values);
    if (status != HM_OK)
        CHECK(count_destroyed(FIRST_MADE, NUMBERS) == seen.next - FIRST_MADE);
    else
        CHECK(count_destroyed(1, NUMBERS) == 0 && seen.zeros == 0);
    CHECK(count_destroyed(1, FIRST_MADE) == 0);
}

/* Returns whether the k-th call was refused. */
static bool run_load(run *in, uint32_t shape, fault refused, uint32_t k)
{
    begin_run(in, shape, 0, refused, k);
    hm_status status = in->of->load(&in->into, in->by, test_source(&in->file));
    bool was_refused = end_call(in, refused);
    check_answer(in, 0, status, was_refused);
    end_run(in);
    return was_refused;
}

static bool run_merge(run *in, uint32_t shape, fault refused, uint32_t k)
{
    hm_secondary remap;
    CHECK(hm_secondary_init(&remap, &(hm_secondary_desc){.value_size = sizeof(hm_handle),
                                                         .type_id = 1}) == HM_OK);
    begin_run(in, shape, OWN, refused, k);
    hm_status status = in->of->merge(&in->into, in->by, test_source(&in->file), &remap);
    bool was_refused = end_call(in, refused);
    check_answer(in, OWN, status, was_refused);
    end_run(in);
    hm_secondary_fini(&remap);
    return was_refused;
}

/* Ends the merge after so many items; the steps go on after a refusal. */
static void run_steps(run *in, uint32_t shape, uint32_t steps)
{
    hm_merge merge;
    begin_run(in, shape, OWN, NOTHING, 0);
    CHECK(in->of->begin(&merge, &in->into, in->by, test_source(&in->file)) == HM_OK);
    test_memory_fail(&in->memory, 1 + steps % 3, false);
    hm_status status = hm_merge_step(&merge, steps);
    CHECK(status == HM_OK || test_memory_refused(&in->memory));
    test_memory_fail(&in->memory, 0, false);
    CHECK(status == HM_OK || hm_merge_step(&merge, steps / 2) == HM_OK);
    hm_merge_end(&merge);
    (void)end_call(in, NOTHING);
    end_run(in);
}

typedef bool call(run *in, uint32_t shape, fault refused, uint32_t k);

static void refuse_each(run *in, uint32_t shape, call *calls)
{
    for (int refused = NOTHING; refused < FAULTS; refused++)
        for (uint32_t k = 1; calls(in, shape, (fault)refused, k); k = test_next_call(k))
            CHECK(k < 1000);
}

TEST(save_hooks, what_decode_made_is_destroyed_once_whatever_a_load_is_refused)
{
    EACH_ROW(of, shape, by)
    {
        run in = {.of = of, .by = by};
        see_anew(0);
        save_some(&in, shape);
        refuse_each(&in, shape, run_load);
        test_file_end(&in.file);
    }
}

TEST(save_hooks, what_decode_made_is_destroyed_once_whatever_a_load_of_many_slots_is_refused)
{
    run in = {.of = &of_table, .by = BY_CODE};
    saved from;
    see_anew(0);
    init_table(&from, 0, BY_CODE, NULL);
    for (uint32_t i = 0; i < MOVED_SLOTS; i++)
        add_table(&from, 0);
    hm_table_clear(&from.table);
    for (uint32_t i = 1; i <= ITEMS; i++)
        add_table(&from, i);
    CHECK(save_table(&from, BY_CODE, test_sink(&in.file)) == HM_OK);
    fini_table(&from);
    refuse_each(&in, 1, run_load);
    test_file_end(&in.file);
}

TEST(save_hooks, what_decode_made_is_destroyed_once_whatever_a_merge_is_refused)
{
    EACH_ROW(of, shape, by)
    {
        run in = {.of = of, .by = by};
        if (of->merge == NULL)
            continue;
        see_anew(0);
        save_some(&in, shape);
        refuse_each(&in, shape, run_merge);
        for (uint32_t steps = 0; steps <= ITEMS; steps += 5)
            run_steps(&in, shape, steps);
        test_file_end(&in.file);
    }
}

TEST(save_hooks, a_rewind_destroys_nothing_and_what_it_brings_back_is_destroyed_once)
{
    EACH_ROW(of, shape, by)
    {
        run in = {.of = of, .by = by};
        hm_history history;
        see_anew(0);
        save_some(&in, shape);
        see_anew(0);
        CHECK(hm_history_init(&history, &(hm_history_desc){.marks = 4}) == HM_OK);
        CHECK(hm_history_watch(&history, &in.into, sizeof in.into) == HM_OK);
        of->init(&in.into, shape, by, &history.table);
        uint64_t before = hm_history_mark(&history);
        seen.only_decoded = true;
        CHECK(of->load(&in.into, by, test_source(&in.file)) == HM_OK);
        uint64_t after = hm_history_mark(&history);
        CHECK(hm_history_rewind(&history, before) == HM_OK && of->count(&in.into) == 0);
        CHECK(hm_history_rewind(&history, after + 1) == HM_ERROR_STALE);
        CHECK(hm_history_rewind(&history, after) == HM_OK);
        CHECK(of->count(&in.into) == ITEMS * of->values);
        CHECK(count_destroyed(1, NUMBERS) == 0 && seen.zeros == 0);
        seen.only_decoded = false;
        of->fini(&in.into);
        CHECK(count_destroyed(1, NUMBERS) + seen.zeros == ITEMS * of->values);
        hm_history_fini(&history);
        test_file_end(&in.file);
    }
}

/* Writes the changes that insert all that is there, and those that erase it again. */
static void save_both_ways(const kind *of, uint32_t shape, codec by, test_file *in, test_file *out)
{
    hm_history history;
    saved from;
    memset(&from, 0, sizeof from); /* A mark reads all that is watched. */
    CHECK(hm_history_init(&history, &(hm_history_desc){.marks = 4}) == HM_OK);
    CHECK(hm_history_watch(&history, &from, sizeof from) == HM_OK);
    of->init(&from, shape, by, &history.table);
    for (uint32_t i = 1; i <= ITEMS; i++)
        of->add(&from, i);
    uint64_t mark = hm_history_mark(&history);
    CHECK(of->save_changes(&history, &from, by, 0, mark, test_sink(in)) == HM_OK);
    CHECK(of->save_changes(&history, &from, by, mark, 0, test_sink(out)) == HM_OK);
    of->fini(&from);
    hm_history_fini(&history);
}

/* Inserting destroys nothing but what decode made and nobody got; erasing what is gone. Returns
 * whether the k-th call was refused. */
static bool run_changes(run *in, uint32_t shape, test_file *file, fault refused, uint32_t k)
{
    test_file all = in->file;
    in->file = *file;
    begin_run(in, shape, 0, NOTHING, 0);
    seen.only_decoded = false;
    if (file->bytes != all.bytes)
        CHECK(in->of->load_changes(&in->into, in->by, test_source(&all)) == HM_OK);
    uint32_t before = in->of->count(&in->into);
    seen.fail_at = refused == DECODE ? seen.decodes + k : 0;
    in->file.fail_at = refused == READ ? k : 0;
    test_memory_fail(&in->memory, refused >= MEMORY ? k : 0, refused == MEMORY_FROM_THEN);
    hm_status status = in->of->load_changes(&in->into, in->by, test_source(&in->file));
    bool was_refused = end_call(in, refused);
    uint32_t after = in->of->count(&in->into), destroyed = count_destroyed(1, NUMBERS);
    CHECK(was_refused || (status == HM_OK && after == (before == 0 ? ITEMS * in->of->values : 0)));
    uint32_t made = seen.next - FIRST_MADE;
    if (before > 0 || made == 0)
        CHECK(destroyed == (after < before ? before - after : 0));
    else /* A world has values that came as bytes, too. */
        CHECK(in->of->values > 1 ? made - destroyed <= after : made - destroyed == after);
    CHECK(status == HM_OK || refused >= MEMORY || after == before);
    end_run(in);
    in->file = all;
    return was_refused;
}

static void refuse_changes(const kind *of, uint32_t shape, codec by)
{
    static const fault faults[] = {READ, DECODE, MEMORY, MEMORY_FROM_THEN};
    run in = {.of = of, .by = by};
    test_file out = {0};
    see_anew(0);
    save_both_ways(of, shape, by, &in.file, &out);
    for (size_t f = 0; f < sizeof faults / sizeof *faults; f++) {
        for (uint32_t k = 1; run_changes(&in, shape, &in.file, faults[f], k); k = test_next_call(k))
            CHECK(k < 1000);
        for (uint32_t k = 1; run_changes(&in, shape, &out, faults[f], k); k = test_next_call(k))
            CHECK(k < 1000);
    }
    test_file_end(&in.file);
    test_file_end(&out);
}

/* Changes of rows are bytes. */
TEST(save_hooks, changes_destroy_what_they_erase_once_whatever_is_refused)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (uint32_t shape = 0; shape < kinds[i]->shapes; shape++) {
            refuse_changes(kinds[i], shape, AS_BYTES);
            if (kinds[i] != &of_table)
                refuse_changes(kinds[i], shape, BY_CODE);
        }
}
