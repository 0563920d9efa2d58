/* SPDX-License-Identifier: MIT */
/* Merges into each kind of container: what random scripts have made, over one call or many; and
 * that each value is destroyed once, whatever is refused. */
#include "saves.h"

#include "support/memory.h"

enum { SCRIPTS = 60, STEPS = 700, FEW = 2000, TRIES = 40 };

typedef struct merged {
    const saved_kind *kind;
    hm_status (*merge)(saved *into, hm_source source, hm_secondary *remap);
    hm_status (*begin)(hm_merge *merge, saved *into, hm_source source, hm_secondary *remap);
    hm_handle (*next)(const saved *made, uint32_t *cursor); /* null: there is none */
    bool (*equal)(const saved *a, hm_handle x, const saved *b, hm_handle y);
    hm_owners (*owners)(const saved *made);
} merged;

static bool equal_bytes(const void *a, const void *b, size_t size)
{
    return (a == NULL) == (b == NULL) && (a == NULL || memcmp(a, b, size) == 0);
}

#define MERGED(of)                                                                                 \
    TEST_ASKS(hm_status, merge, of, (saved * into, hm_source source, hm_secondary * remap),        \
              merge(&into->of, NULL, source, remap))                                               \
    static hm_status begin_##of(hm_merge *merge, saved *into, hm_source source,                    \
                                hm_secondary *remap)                                               \
    {                                                                                              \
        return hm_##of##_merge_begin(&into->of, merge, NULL, source, remap);                       \
    }                                                                                              \
    TEST_ASKS(hm_owners, owners, of, (const saved *made), as_owners(&made->of))                    \
    static const merged merged_##of = {&saved_##of, merge_##of, begin_##of,                        \
                                       next_##of,   equal_##of, owners_##of}

#define NEXT_BY_POSITION(of)                                                                       \
    static hm_handle next_##of(const saved *made, uint32_t *cursor)                                \
    {                                                                                              \
        return hm_##of##_handle_at(&made->of, (*cursor)++);                                        \
    }

static bool equal_map(const saved *a, hm_handle x, const saved *b, hm_handle y)
{
    const hm_map *from = &a->map, *into = &b->map;
    size_t meta_size = from->extras != NULL ? from->extras->meta_array.item_size : 0;
    return equal_bytes(hm_map_get(from, x), hm_map_get(into, y), from->item_size) &&
           equal_bytes(hm_map_meta_at(from, hm_map_index_of(from, x)),
                       hm_map_meta_at(into, hm_map_index_of(into, y)), meta_size);
}

NEXT_BY_POSITION(map)
MERGED(map);

static hm_handle next_pool(const saved *made, uint32_t *cursor)
{
    uint32_t slot = hm_pool_next_run(&made->pool, *cursor, NULL);
    *cursor = slot + 1;
    return hm_pool_handle_at(&made->pool, slot);
}

static bool equal_pool(const saved *a, hm_handle x, const saved *b, hm_handle y)
{
    return equal_bytes(hm_pool_get(&a->pool, x), hm_pool_get(&b->pool, y), a->pool.item_size);
}

MERGED(pool);

static bool equal_table(const saved *a, hm_handle x, const saved *b, hm_handle y)
{
    for (uint32_t c = 0; c < a->table.column_count; c++)
        if (!equal_bytes(hm_table_get(&a->table, x, c), hm_table_get(&b->table, y, c),
                         a->table.columns[c].size))
            return false;
    return true;
}

NEXT_BY_POSITION(table)
MERGED(table);

static bool equal_lists(const saved *a, hm_handle x, const saved *b, hm_handle y)
{
    uint32_t count, other;
    const void *items = hm_lists_items(&a->lists, x, &count);
    const void *others = hm_lists_items(&b->lists, y, &other);
    return count == other && hm_lists_contains(&b->lists, y) &&
           (count == 0 || equal_bytes(items, others, count * a->lists.blocks.item_size));
}

NEXT_BY_POSITION(lists)
MERGED(lists);

static bool equal_world(const saved *a, hm_handle x, const saved *b, hm_handle y)
{
    static const size_t sizes[TEST_COMPONENTS] = {8, 3, 0, 12, 64, 0, 1}; /* of worlds.c */
    for (uint32_t i = 0; i < TEST_COMPONENTS; i++) {
        const void *value = hm_world_get(&a->world, x, a->components[i]);
        if (hm_world_has(&a->world, x, a->components[i]) !=
                hm_world_has(&b->world, y, b->components[i]) ||
            !equal_bytes(value, hm_world_get(&b->world, y, b->components[i]), sizes[i]))
            return false;
    }
    return true;
}

NEXT_BY_POSITION(world)
MERGED(world);

static const merged *const all[] = {&merged_map, &merged_pool, &merged_table, &merged_lists,
                                    &merged_world};

#define EACH_MERGED(of)                                                                            \
    for (size_t of##_i = 0; of##_i < sizeof all / sizeof *all; of##_i++)                           \
        for (const merged *of = all[of##_i]; of != NULL; of = NULL)

static void make(const merged *of, saved *made, uint32_t shape, uint32_t steps, uint64_t *random)
{
    of->kind->init(made, shape, NULL);
    for (uint32_t i = 0; i < steps; i++)
        of->kind->run(made, random);
}

static void begin_remap(const merged *of, hm_secondary *remap, const saved *made)
{
    hm_owners owners = of->owners(made);
    owners.capacity = owners.max_slots = UINT32_MAX;
    CHECK(hm_secondary_init(remap, &(hm_secondary_desc){.value_size = sizeof(hm_handle),
                                                        .owners = owners}) == HM_OK);
}

/* Each item is in both, under the handle that remap says. */
static void check_merged(const merged *of, const saved *from, const saved *into,
                         const hm_secondary *remap)
{
    uint32_t cursor = 0, seen = 0;
    for (hm_handle old; !hm_handle_is_null(old = of->next(from, &cursor)); seen++) {
        const hm_handle *made = hm_secondary_get(remap, old);
        CHECK(made != NULL && of->equal(from, old, into, *made));
    }
    CHECK(seen == hm_secondary_count(remap) && seen == of->kind->get_stats(from).count);
}

static uint32_t count_of(const merged *of, const saved *made)
{
    return of->kind->get_stats(made).count;
}

TEST(save_merge, all_items_come_under_new_handles_or_none_does)
{
    uint64_t random = test_seed("save_merge scripts");
    uint32_t merges = 0;
    EACH_MERGED(of)
    for (uint32_t i = 0; i < test_scaled(SCRIPTS); i++) {
        saved from, into;
        hm_secondary remap;
        test_file file = {0};
        uint32_t shape = i % of->kind->shapes;
        make(of, &from, shape, test_random_below(&random, STEPS), &random);
        make(of, &into, shape, test_random_below(&random, STEPS), &random);
        CHECK(of->kind->save(&from, NULL, test_sink(&file)) == HM_OK);
        begin_remap(of, &remap, &from);
        uint32_t count = count_of(of, &into), added = count_of(of, &from);
        hm_status status = of->merge(&into, test_source(&file), i % 5 != 0 ? &remap : NULL);
        CHECK(status == HM_OK || status == HM_ERROR_FULL);
        CHECK(count_of(of, &into) == count + (status == HM_OK ? added : 0));
        if (status == HM_OK && i % 5 != 0)
            check_merged(of, &from, &into, &remap);
        else
            CHECK(hm_secondary_count(&remap) == 0);
        CHECK(of->kind->validate(&into) == HM_OK);
        merges += status == HM_OK && added > 0;
        hm_secondary_fini(&remap);
        of->kind->fini(&from);
        of->kind->fini(&into);
        test_file_end(&file);
    }
    CHECK(merges > test_scaled(SCRIPTS));
}

/* Other changes come between the steps. */
TEST(save_merge, a_merge_in_pieces_does_what_one_call_does)
{
    uint64_t random = test_seed("save_merge pieces");
    EACH_MERGED(of)
    for (uint32_t i = 0; i < test_scaled(SCRIPTS) / 2; i++) {
        saved from, into;
        hm_secondary remap;
        hm_merge merge;
        test_file file = {0};
        uint32_t shape = of == &merged_pool ? 2 : 0; /* one without a capacity */
        make(of, &from, shape, test_random_below(&random, STEPS), &random);
        make(of, &into, shape, test_random_below(&random, STEPS), &random);
        CHECK(of->kind->save(&from, NULL, test_sink(&file)) == HM_OK);
        begin_remap(of, &remap, &from);
        uint32_t left = count_of(of, &from);
        CHECK(of->begin(&merge, &into, test_source(&file), &remap) == HM_OK);
        while (hm_merge_left(&merge) > 0) {
            uint32_t n = test_random_below(&random, 40), count = count_of(of, &into);
            CHECK(hm_merge_left(&merge) == left);
            CHECK(hm_merge_step(&merge, n) == HM_OK);
            n = n < left ? n : left;
            left -= n;
            CHECK(count_of(of, &into) == count + n);
        }
        check_merged(of, &from, &into, &remap);
        CHECK(hm_merge_step(&merge, 1) == HM_OK);
        hm_merge_end(&merge);
        hm_merge_end(&merge);
        CHECK(hm_merge_left(&merge) == 0 && of->kind->validate(&into) == HM_OK);
        hm_secondary_fini(&remap);
        of->kind->fini(&from);
        of->kind->fini(&into);
        test_file_end(&file);
    }
}

/* Does the next step, which changes no item that is there, whether or not it is refused. */
static void try_step(const merged *of, hm_merge *merge, uint32_t shape, saved *into)
{
    saved before;
    test_file file = {0};
    uint32_t left = hm_merge_left(merge), count = count_of(of, into), cursor = 0;
    CHECK(of->kind->save(into, NULL, test_sink(&file)) == HM_OK);
    hm_status status = hm_merge_step(merge, 1);
    uint32_t done = status == HM_OK;
    CHECK(done || status == HM_ERROR_FULL);
    CHECK(hm_merge_left(merge) == left - done && count_of(of, into) == count + done);
    of->kind->init(&before, shape, NULL);
    CHECK(of->kind->load(&before, NULL, test_source(&file)) == HM_OK);
    for (hm_handle it; !hm_handle_is_null(it = of->next(&before, &cursor));)
        CHECK(of->equal(&before, it, into, it));
    of->kind->fini(&before);
    test_file_end(&file);
}

/* Steps until the container is full; then as soon as it is not. Returns whether it was full. */
static bool merge_into_full(const merged *of, uint32_t shape, uint64_t *random)
{
    saved from, into;
    hm_merge merge;
    test_file file = {0};
    make(of, &from, shape, STEPS, random);
    make(of, &into, shape, STEPS, random);
    CHECK(of->kind->save(&from, NULL, test_sink(&file)) == HM_OK);
    CHECK(of->begin(&merge, &into, test_source(&file), NULL) == HM_OK);
    bool was_full = hm_merge_step(&merge, UINT32_MAX) == HM_ERROR_FULL;
    CHECK(was_full == (hm_merge_left(&merge) > 0));
    for (uint32_t i = 0; i < TRIES && hm_merge_left(&merge) > 0; i++) {
        of->kind->run(&into, random);
        try_step(of, &merge, shape, &into);
    }
    hm_merge_end(&merge);
    CHECK(of->kind->validate(&into) == HM_OK);
    of->kind->fini(&from);
    of->kind->fini(&into);
    test_file_end(&file);
    return was_full;
}

TEST(save_merge, a_step_that_is_refused_comes_again_when_there_is_room)
{
    uint64_t random = test_seed("save_merge full");
    EACH_MERGED(of)
    {
        uint32_t full = 0;
        for (uint32_t i = 0; full < 10; i++) {
            CHECK(i < 1000);
            full += merge_into_full(of, i % of->kind->shapes, &random);
        }
    }
}

TEST(save_merge, what_is_no_such_section_or_no_remap_is_refused)
{
    uint64_t random = 1;
    EACH_MERGED(of)
    {
        saved from, into, none;
        hm_secondary remap, wrong;
        test_file file = {0};
        make(of, &from, 0, STEPS, &random);
        make(of, &into, 0, STEPS, &random);
        memset(&none, 0, sizeof none);
        CHECK(of->kind->save(&from, NULL, test_sink(&file)) == HM_OK);
        begin_remap(of, &remap, &from);
        uint32_t count = count_of(of, &into), cursor = 0;
        hm_handle first = of->next(&from, &cursor);
        CHECK(of->merge(&none, test_source(&file), &remap) == HM_ERROR_FULL);
        file.bytes[file.size / 2] ^= 1;
        CHECK(of->merge(&into, test_source(&file), &remap) == HM_ERROR_CORRUPT);
        file.bytes[file.size / 2] ^= 1;
        CHECK(hm_secondary_init(&wrong, &(hm_secondary_desc){.value_size = 4}) == HM_OK);
        CHECK(of->merge(&into, test_source(&file), &wrong) == HM_ERROR_INVALID);
        CHECK(hm_secondary_set(&remap, first, NULL) != NULL);
        CHECK(of->merge(&into, test_source(&file), &remap) == HM_ERROR_INVALID);
        CHECK(hm_secondary_count(&remap) == 1 && count_of(of, &into) == count);
        CHECK(of->kind->validate(&into) == HM_OK);
        hm_secondary_fini(&wrong);
        hm_secondary_fini(&remap);
        of->kind->fini(&from);
        of->kind->fini(&into);
        test_file_end(&file);
    }
}

/* values that are destroyed */

static int alive; /* values that were made and not destroyed */
static void (*in_destroy)(void);

static void encode(const void *item, void *bytes, void *context)
{
    (void)context;
    memcpy(bytes, item, 4);
}

static bool decode(uint32_t version, const void *bytes, size_t size, void *item, void *context)
{
    (void)version, (void)size, (void)context;
    memcpy(item, bytes, 4);
    alive++;
    return true;
}

static void destroy(void *item, void *context)
{
    (void)item, (void)context;
    alive--;
    if (in_destroy != NULL)
        in_destroy();
}

static void encode_row(const void *item, void *bytes, void *context)
{
    encode(((const void *const *)item)[0], bytes, context);
}

static bool decode_row(uint32_t version, const void *bytes, size_t size, void *item, void *context)
{
    return decode(version, bytes, size, ((void *const *)item)[0], context);
}

static void destroy_row(const hm_table *table, uint32_t row, void *context)
{
    destroy(hm_table_cell(table, row, 0), context);
}

static const hm_save_desc by_code = {
    .name = "owned", .encoded_size = 4, .encode = encode, .decode = decode};
static const hm_save_desc rows_by_code = {
    .name = "owned", .encoded_size = 4, .encode = encode_row, .decode = decode_row};
static hm_component_format component_by_code = {
    .format = {.encoded_size = 4, .encode = encode, .decode = decode}};
static const hm_world_save_desc world_by_code = {
    .name = "owned", .formats = &component_by_code, .format_count = 1};

typedef struct owned {
    void (*init)(saved *made, const hm_memory *memory);
    void (*add)(saved *made);
    hm_status (*save)(const saved *made, hm_sink sink);
    hm_status (*merge)(saved *made, hm_source source, hm_secondary *remap);
    hm_status (*begin)(hm_merge *merge, saved *made, hm_source source, hm_secondary *remap);
    uint32_t (*count)(const saved *made);
    hm_status (*validate)(const saved *made);
    void (*fini)(saved *made);
} owned;

#define OWNED(of, format)                                                                          \
    TEST_ASKS(hm_status, save, of, (const saved *made, hm_sink sink),                              \
              save(&made->of, &format, sink))                                                      \
    TEST_ASKS(hm_status, merge_owned, of, (saved * made, hm_source source, hm_secondary * remap),  \
              merge(&made->of, &format, source, remap))                                            \
    static hm_status begin_owned_##of(hm_merge *merge, saved *made, hm_source source,              \
                                      hm_secondary *remap)                                         \
    {                                                                                              \
        return hm_##of##_merge_begin(&made->of, merge, &format, source, remap);                    \
    }                                                                                              \
    TEST_ASKS(uint32_t, count, of, (const saved *made), count(&made->of))                          \
    TEST_ASKS(hm_status, validate, of, (const saved *made), validate(&made->of))                   \
    TEST_DOES(fini, of, (saved * made), fini(&made->of))                                           \
    static const owned owned_##of = {                                                              \
        init_##of,        add_##of,   save_##of,     merge_owned_##of,                             \
        begin_owned_##of, count_##of, validate_##of, fini_##of}

static const uint32_t number = 7;

static void init_map(saved *made, const hm_memory *memory)
{
    CHECK(hm_map_init(&made->map,
                      &(hm_map_desc){
                          .item_size = 4, .meta_size = 2, .destroy = destroy, .memory = memory}) ==
          HM_OK);
}

static void add_map(saved *made)
{
    CHECK(!hm_handle_is_null(hm_map_insert(&made->map, &number)));
}

OWNED(map, by_code);

static void init_pool(saved *made, const hm_memory *memory)
{
    CHECK(hm_pool_init(&made->pool,
                       &(hm_pool_desc){.item_size = 4, .destroy = destroy, .memory = memory}) ==
          HM_OK);
}

static void add_pool(saved *made)
{
    CHECK(!hm_handle_is_null(hm_pool_insert(&made->pool, &number)));
}

OWNED(pool, by_code);

static void init_table(saved *made, const hm_memory *memory)
{
    const hm_column column = {.size = 4};
    CHECK(hm_table_init(&made->table, &(hm_table_desc){.columns = &column,
                                                       .column_count = 1,
                                                       .lanes = 4,
                                                       .destroy = destroy_row,
                                                       .memory = memory}) == HM_OK);
}

static void add_table(saved *made)
{
    CHECK(!hm_handle_is_null(hm_table_insert(&made->table, (const void *[]){&number})));
}

OWNED(table, rows_by_code);

static void init_lists(saved *made, const hm_memory *memory)
{
    CHECK(hm_lists_init(&made->lists,
                        &(hm_lists_desc){.item_size = 4, .destroy = destroy, .memory = memory}) ==
          HM_OK);
}

/* One item each, so that there are as many values as lists. */
static void add_lists(saved *made)
{
    CHECK(hm_lists_push(&made->lists, hm_lists_create(&made->lists), &number) != NULL);
}

OWNED(lists, by_code);

static void init_world(saved *made, const hm_memory *memory)
{
    CHECK(hm_world_init(&made->world, &(hm_world_desc){.memory = memory}) == HM_OK);
    for (uint32_t i = 0; i < 2; i++)
        made->components[i] = hm_world_component(
            &made->world,
            &(hm_component_desc){.size = 4, .name = i == 0 ? "a" : "b", .destroy = destroy});
    component_by_code.component = made->components[0];
}

static void add_world(saved *made)
{
    CHECK(!hm_handle_is_null(
        hm_world_create_with(&made->world, made->components, 1, (const void *[]){&number})));
}

OWNED(world, world_by_code);

static const owned *const owners[] = {&owned_map, &owned_pool, &owned_table, &owned_lists,
                                      &owned_world};

static void add_some(const owned *of, saved *made)
{
    for (uint32_t i = 0; i < FEW; i++, alive++)
        of->add(made);
}

/* A container with values, and a file with as many. */
static void begin_owned(const owned *of, saved *into, const hm_memory *memory, test_file *file)
{
    saved from;
    of->init(&from, NULL);
    add_some(of, &from);
    *file = (test_file){0};
    CHECK(of->save(&from, test_sink(file)) == HM_OK);
    of->fini(&from);
    CHECK(alive == 0);
    of->init(into, memory);
    add_some(of, into);
}

TEST(save_merge, each_value_is_destroyed_once)
{
    for (size_t i = 0; i < sizeof owners / sizeof *owners; i++)
        for (uint32_t steps = 0; steps <= FEW; steps += FEW / 4) {
            saved into;
            hm_merge merge;
            test_file file;
            begin_owned(owners[i], &into, NULL, &file);
            CHECK(owners[i]->begin(&merge, &into, test_source(&file), NULL) == HM_OK);
            CHECK(alive == 2 * FEW && hm_merge_step(&merge, steps) == HM_OK);
            CHECK(alive == 2 * FEW);
            hm_merge_end(&merge);
            CHECK(alive == (int)(FEW + steps) && (uint32_t)alive == owners[i]->count(&into));
            owners[i]->fini(&into);
            CHECK(alive == 0);
            test_file_end(&file);
        }
}

/* Each k-th call for memory is refused, those of the load too. */
static bool merge_with_fault(const owned *of, uint32_t k)
{
    test_memory memory;
    hm_secondary remap;
    saved into;
    test_file file;
    test_memory_init_with_holes(&memory, hm_memory_os()->page_size);
    begin_owned(of, &into, &memory.table, &file);
    CHECK(hm_secondary_init(&remap, &(hm_secondary_desc){.value_size = sizeof(hm_handle),
                                                         .memory = &memory.table}) == HM_OK);
    test_memory_fail(&memory, k, k % 2 == 0);
    hm_status status = of->merge(&into, test_source(&file), &remap);
    bool is_refused = test_memory_refused(&memory);
    test_memory_fail(&memory, 0, false);
    CHECK(status == HM_OK || (is_refused && status == HM_ERROR_MEMORY));
    CHECK(of->validate(&into) == HM_OK && (int)of->count(&into) == alive);
    CHECK(alive == (status == HM_OK ? 2 * FEW : FEW));
    CHECK(hm_secondary_count(&remap) == (status == HM_OK ? FEW : 0));
    of->fini(&into);
    hm_secondary_fini(&remap);
    test_file_end(&file);
    CHECK(alive == 0);
    test_memory_check_released(&memory);
    return is_refused;
}

TEST(save_merge, nothing_is_merged_where_memory_is_refused)
{
    for (size_t i = 0; i < sizeof owners / sizeof *owners; i++)
        for (uint32_t k = 1; merge_with_fault(owners[i], k); k = test_next_call(k))
            CHECK(k < 500);
}

/* A merge that is called, and stepped, inside a hook of its container or of its remap. */
static struct {
    const owned *of;
    saved *into;
    test_file *file;
    hm_secondary *remap;
    hm_merge *merge;
    uint32_t asked;
} inside;

/* In some of the hooks, since a merge reads the whole section before it is refused. */
static void merge_inside(void)
{
    if (inside.asked++ % (FEW / 20) != 0)
        return;
    CHECK(inside.of->merge(inside.into, test_source(inside.file), inside.remap) == HM_ERROR_BUSY);
    for (uint32_t n = 0; n < 2; n++)
        CHECK(hm_merge_step(inside.merge, n) == HM_ERROR_BUSY);
}

static void merge_inside_remap(void *value, void *context)
{
    (void)value, (void)context;
    merge_inside();
}

/* First the remap ends its values, which it has since the merge began; then the container. */
TEST(save_merge, a_merge_into_what_is_busy_is_refused_even_of_nothing)
{
    const hm_secondary_desc desc = {.value_size = sizeof(hm_handle), .destroy = merge_inside_remap};
    for (size_t i = 0; i < sizeof owners / sizeof *owners; i++) {
        const owned *of = owners[i];
        saved into;
        test_file file;
        hm_merge merge;
        hm_secondary remap;
        begin_owned(of, &into, NULL, &file);
        inside.of = of;
        inside.into = &into;
        inside.file = &file;
        inside.merge = &merge;
        inside.remap = &remap;
        inside.asked = 0;
        CHECK(hm_secondary_init(&remap, &desc) == HM_OK);
        CHECK(of->begin(&merge, &into, test_source(&file), &remap) == HM_OK);
        hm_secondary_clear(&remap);
        CHECK(inside.asked == FEW && hm_merge_left(&merge) == FEW && of->count(&into) == FEW);
        inside.remap = NULL;
        in_destroy = merge_inside;
        of->fini(&into);
        in_destroy = NULL;
        CHECK(inside.asked == 2 * FEW && hm_merge_left(&merge) == FEW);
        hm_merge_end(&merge);
        CHECK(alive == 0);
        hm_secondary_fini(&remap);
        test_file_end(&file);
    }
}

TEST(save_merge, a_merge_into_a_world_is_refused_while_a_query_runs_even_of_nothing)
{
    saved from, into;
    test_file file = {0};
    hm_merge merge;
    hm_query query;
    hm_query_loop loop;
    init_world(&from, NULL);
    CHECK(save_world(&from, test_sink(&file)) == HM_OK);
    owned_world.fini(&from);
    init_world(&into, NULL);
    CHECK(begin_owned_world(&merge, &into, test_source(&file), NULL) == HM_OK);
    CHECK(hm_query_init(&query, &into.world, &(hm_query_desc){.all_count = 0}) == HM_OK);
    hm_query_begin(&query, &loop);
    CHECK(merge_owned_world(&into, test_source(&file), NULL) == HM_ERROR_BUSY);
    CHECK(file.position == 0 && hm_merge_step(&merge, 1) == HM_ERROR_BUSY);
    hm_query_end(&loop);
    CHECK(hm_merge_step(&merge, 1) == HM_OK);
    CHECK(merge_owned_world(&into, test_source(&file), NULL) == HM_OK);
    hm_merge_end(&merge);
    CHECK(hm_merge_step(&merge, 1) == HM_OK && hm_merge_left(&merge) == 0);
    hm_query_fini(&query);
    owned_world.fini(&into);
    test_file_end(&file);
}
