/* SPDX-License-Identifier: MIT */
/* What all containers promise beside what their models' scripts compare: that they may be moved,
 * what clear keeps, what reserve counts from, what trim gives back, and that the heap and an
 * allocator of the program will do. */
#include "kinds.h"

#include "support/any.h"
#include "support/arena.h"
#include "support/index_model.h"
#include "support/lists_model.h"
#include "support/map_model.h"
#include "support/pool_model.h"
#include "support/secondary_model.h"
#include "support/table_model.h"
#include "support/world_model.h"

enum {
    FEW = 10,
    SOME = 300,
    MANY = 20000,
    EPISODES = 8,
    EPISODE = 400 /* operations */,
    SEGMENT = 65536 /* bytes, of a secondary */
};

typedef test_any container;

/* Each item has a number, and each handle a number of its own. */
typedef struct verbs {
    hm_status (*init)(container *c, uint32_t way, uint32_t capacity, const hm_memory *memory);
    hm_handle (*add)(container *c, uint32_t number); /* null: refused */
    bool (*end)(container *c, hm_handle handle);
    bool (*holds)(const container *c, hm_handle handle, uint32_t number);
    void (*clear)(container *c);
    void (*fini)(container *c);
    hm_status (*trim)(container *c);
    hm_status (*reserve)(container *c, uint32_t n);
    hm_status (*validate)(const container *c);
    bool (*contains)(const container *c, hm_handle handle);
    hm_handle_state (*explain)(const container *c, hm_handle handle);
    size_t (*committed_size)(const container *c);
    size_t (*reserved_size)(const container *c);
    uint32_t (*count)(const container *c);
    const test_subject *subject;
    uint32_t kept_pages; /* of FEW items at most after a trim, and bytes beside them */
    size_t kept_size;
    bool is_issuer;   /* of the handles, which are then refused for ever */
    bool makes_ready; /* After a reserve nothing takes memory. */
} verbs;

#define VERBS(kind)                                                                                \
    TEST_DOES(clear, kind, (container * c), clear(&c->kind))                                       \
    TEST_DOES(fini, kind, (container * c), fini(&c->kind))                                         \
    TEST_ASKS(hm_status, trim, kind, (container * c), trim(&c->kind))                              \
    TEST_ASKS(hm_status, reserve, kind, (container * c, uint32_t n), reserve(&c->kind, n))         \
    TEST_ASKS(hm_status, validate, kind, (const container *c), validate(&c->kind))                 \
    TEST_ASKS(bool, contains, kind, (const container *c, hm_handle handle),                        \
              contains(&c->kind, handle))                                                          \
    TEST_ASKS(hm_handle_state, explain, kind, (const container *c, hm_handle handle),              \
              explain(&c->kind, handle))                                                           \
    TEST_ASKS(size_t, committed_size, kind, (const container *c),                                  \
              get_stats(&c->kind).committed_size)                                                  \
    TEST_ASKS(size_t, reserved_size, kind, (const container *c),                                   \
              get_stats(&c->kind).reserved_size)                                                   \
    TEST_ASKS(uint32_t, count, kind, (const container *c), count(&c->kind))                        \
    static const verbs kind##_verbs = {                                                            \
        init_##kind,          add_##kind,      end_##kind,      holds_##kind,                      \
        clear_##kind,         fini_##kind,     trim_##kind,     reserve_##kind,                    \
        validate_##kind,      contains_##kind, explain_##kind,  committed_size_##kind,             \
        reserved_size_##kind, count_##kind,    &kind##_subject, KEPT_##kind}

static bool is_number(const void *item, uint32_t number)
{
    return item != NULL && memcmp(item, &number, sizeof number) == 0;
}

/* Of a map and a pool. */
#define ITEM_VERBS(kind)                                                                           \
    TEST_ASKS(hm_handle, add, kind, (container * c, uint32_t number), insert(&c->kind, &number))   \
    TEST_ASKS(bool, end, kind, (container * c, hm_handle handle), erase(&c->kind, handle))         \
    static bool holds_##kind(const container *c, hm_handle handle, uint32_t number)                \
    {                                                                                              \
        return is_number(hm_##kind##_get(&c->kind, handle), number);                               \
    }

/* Index spaces are small, since reserved address space costs time in emulators.
 *
 * The rows: with meta or without it; a storage; lanes; hashed keys or not. */

#define KEPT_map 8, 0, true, true
static hm_status init_map(container *c, uint32_t way, uint32_t capacity, const hm_memory *memory)
{
    const hm_map_desc desc = {.item_size = 4,
                              .meta_size = way,
                              .capacity = capacity,
                              .max_slots = 4 * capacity,
                              .memory = memory};
    return hm_map_init(&c->map, &desc);
}

ITEM_VERBS(map)
VERBS(map);

#define KEPT_pool 8, 5 * MANY, true, true
static hm_status init_pool(container *c, uint32_t way, uint32_t capacity, const hm_memory *memory)
{
    const hm_pool_desc desc = {.item_size = 4,
                               .storage = (hm_storage)way,
                               .block_size = 4096,
                               .capacity = capacity,
                               .max_slots = 4 * capacity,
                               .memory = memory};
    return hm_pool_init(&c->pool, &desc);
}

ITEM_VERBS(pool)
VERBS(pool);

#define KEPT_table 8, 0, true, true
static hm_status init_table(container *c, uint32_t way, uint32_t capacity, const hm_memory *memory)
{
    const hm_column columns[] = {{.size = 4}, {.size = 1}, {.size = 40}};
    const hm_table_desc desc = {.columns = columns,
                                .column_count = 3,
                                .lanes = way,
                                .capacity = capacity,
                                .max_slots = 4 * capacity,
                                .memory = memory};
    return hm_table_init(&c->table, &desc);
}

static hm_handle add_table(container *c, uint32_t number)
{
    const unsigned char low = (unsigned char)number;
    const void *values[] = {&number, &low, NULL};
    return hm_table_insert(&c->table, values);
}

static bool end_table(container *c, hm_handle handle)
{
    return hm_table_erase(&c->table, handle);
}

static bool holds_table(const container *c, hm_handle handle, uint32_t number)
{
    return is_number(hm_table_get(&c->table, handle, 0), number) &&
           *(unsigned char *)hm_table_get(&c->table, handle, 1) == (unsigned char)number;
}

VERBS(table);

/* Of a secondary and an index, the handle of a number is that of the owner with this slot. */
#define KEPT_secondary 8, SEGMENT, false, true
static hm_status init_secondary(container *c, uint32_t way, uint32_t capacity,
                                const hm_memory *memory)
{
    const hm_secondary_desc desc = {
        .value_size = 4 + way, .capacity = capacity, .max_slots = 2 * capacity, .memory = memory};
    return hm_secondary_init(&c->secondary, &desc);
}

static hm_handle add_secondary(container *c, uint32_t number)
{
    hm_handle owner = hm_handle_pack(number, 1, 0);
    return hm_secondary_set(&c->secondary, owner, &number) != NULL ? owner : HM_NULL_HANDLE;
}

static bool end_secondary(container *c, hm_handle handle)
{
    return hm_secondary_remove(&c->secondary, handle);
}

static bool holds_secondary(const container *c, hm_handle handle, uint32_t number)
{
    return is_number(hm_secondary_get(&c->secondary, handle), number);
}

VERBS(secondary);

#define KEPT_lists 8, 0, true, true
static hm_status init_lists(container *c, uint32_t way, uint32_t capacity, const hm_memory *memory)
{
    const hm_lists_desc desc = {
        .item_size = 4 + way, .capacity = capacity, .max_slots = 4 * capacity, .memory = memory};
    return hm_lists_init(&c->lists, &desc);
}

static hm_handle add_lists(container *c, uint32_t number)
{
    hm_handle list = hm_lists_create(&c->lists);
    if (number >= SOME || hm_lists_push(&c->lists, list, &number) != NULL)
        return list; /* From SOME on they are empty. */
    (void)hm_lists_destroy(&c->lists, list);
    return HM_NULL_HANDLE;
}

static bool end_lists(container *c, hm_handle handle)
{
    return hm_lists_destroy(&c->lists, handle);
}

static bool holds_lists(const container *c, hm_handle handle, uint32_t number)
{
    return number >= SOME ? hm_lists_contains(&c->lists, handle)
                          : is_number(hm_lists_items(&c->lists, handle, NULL), number);
}

VERBS(lists);

#define KEPT_index 16, 20 * MANY, false, false
static hm_status init_index(container *c, uint32_t way, uint32_t capacity, const hm_memory *memory)
{
    const hm_index_desc desc = {.capacity = capacity,
                                .max_slots = 2 * capacity,
                                .key_limit = way * 2 * capacity,
                                .memory = memory};
    return hm_index_init(&c->index, &desc);
}

static hm_handle add_index(container *c, uint32_t number)
{
    hm_handle owner = hm_handle_pack(number, 1, 0);
    return hm_index_set(&c->index, owner, number) == HM_OK ? owner : HM_NULL_HANDLE;
}

static bool end_index(container *c, hm_handle handle)
{
    return hm_index_remove(&c->index, handle);
}

static bool holds_index(const container *c, hm_handle handle, uint32_t number)
{
    uint64_t key = UINT64_MAX;
    return hm_index_key_of(&c->index, handle, &key) && key == number;
}

VERBS(index);

#define KEPT_world 16, 24 * MANY + 2 * SEGMENT, true, false
static hm_component number_component;
static hm_status init_world(container *c, uint32_t way, uint32_t capacity, const hm_memory *memory)
{
    hm_status status = hm_world_init(&c->world, &(hm_world_desc){.capacity = capacity,
                                                                 .max_slots = 4 * capacity,
                                                                 .max_size = 1 << 24,
                                                                 .memory = memory});
    hm_component_desc desc = {.size = 4, .storage = (hm_component_storage)way};
    number_component = hm_world_component(&c->world, &desc);
    return status;
}

static hm_handle add_world(container *c, uint32_t number)
{
    const void *value = &number;
    return hm_world_create_with(&c->world, &number_component, 1, &value);
}

static bool end_world(container *c, hm_handle handle)
{
    return hm_world_destroy(&c->world, handle);
}

static bool holds_world(const container *c, hm_handle handle, uint32_t number)
{
    return is_number(hm_world_get(&c->world, handle, number_component), number);
}

VERBS(world);

/* the promises */

static container made;
static test_memory memory;
static hm_handle handles[MANY];

static container *begin(const verbs *of, uint32_t way, uint32_t capacity, uint32_t n)
{
    test_memory_init_with_holes(&memory, hm_memory_os()->page_size);
    CHECK(of->init(&made, way, capacity, &memory.table) == HM_OK);
    for (uint32_t i = 0; i < n; i++) {
        handles[i] = of->add(&made, i);
        CHECK(!hm_handle_is_null(handles[i]));
    }
    return &made;
}

static void end(const verbs *of, container *c)
{
    CHECK(of->validate(c) == HM_OK);
    of->fini(c);
    test_memory_check_released(&memory);
}

static void may_be_moved(const verbs *of, uint32_t way)
{
    static container moved;
    container *c = begin(of, way, MANY, SOME);
    moved = *c;
    memset(c, 0x5A, sizeof *c);
    for (uint32_t i = 0; i < SOME; i++)
        CHECK(of->holds(&moved, handles[i], i));
    CHECK(of->end(&moved, handles[3]) && !of->contains(&moved, handles[3]));
    for (uint32_t i = SOME; i < 10 * SOME; i++)
        CHECK(of->holds(&moved, of->add(&moved, i), i));
    CHECK(of->trim(&moved) == HM_OK);
    end(of, &moved);
}

static void clear_keeps_the_memory(const verbs *of, uint32_t way)
{
    container *c = begin(of, way, MANY, SOME);
    for (uint32_t i = 0; i < SOME; i += 3)
        CHECK(of->end(c, handles[i]));
    size_t committed = of->committed_size(c);
    for (uint32_t round = 0; round < 2; round++) {
        of->clear(c);
        CHECK(of->count(c) == 0 && of->validate(c) == HM_OK);
        CHECK(of->committed_size(c) == committed);
        for (uint32_t i = 0; i < SOME; i++)
            CHECK(!of->contains(c, handles[i]) &&
                  of->explain(c, handles[i]) ==
                      (of->is_issuer ? HM_HANDLE_STALE : HM_HANDLE_ABSENT));
    }
    for (uint32_t i = SOME / 2; i < SOME; i++)
        CHECK(of->holds(c, of->add(c, i), i));
    for (uint32_t i = 0; i < SOME; i++)
        CHECK(of->contains(c, handles[i]) == (!of->is_issuer && i >= SOME / 2));
    end(of, c);
}

static void reserve_counts_from_what_is_there(const verbs *of, uint32_t way)
{
    container *c = begin(of, way, MANY, 1);
    CHECK(of->reserve(c, MANY) == HM_ERROR_FULL && of->reserve(c, UINT32_MAX) == HM_ERROR_FULL);
    CHECK(of->reserve(c, MANY - 1) == HM_OK && of->count(c) == 1);
    test_memory_fail(&memory, of->makes_ready, true);
    for (uint32_t i = 1; i < MANY; i++)
        CHECK(!hm_handle_is_null(of->add(c, i + SOME)));
    CHECK(!test_memory_refused(&memory));
    CHECK(of->reserve(c, 0) == HM_OK && of->reserve(c, 1) == HM_ERROR_FULL);
    CHECK(of->holds(c, handles[0], 0) && hm_handle_is_null(of->add(c, MANY + SOME)));
    test_memory_fail(&memory, 0, false);
    end(of, c);
}

static void trim_gives_back_what_no_item_needs(const verbs *of, uint32_t way)
{
    container *c = begin(of, way, MANY, MANY);
    size_t full = of->committed_size(c);
    for (uint32_t i = FEW; i < MANY; i++)
        CHECK(of->end(c, handles[i]));
    CHECK(of->trim(c) == HM_OK && of->committed_size(c) == memory.committed_size);
    CHECK(memory.committed_size < full);
    CHECK(memory.committed_size <= of->kept_pages * memory.table.page_size + of->kept_size);
    for (uint32_t i = 0; i < FEW; i++)
        CHECK(of->holds(c, handles[i], i));
    for (uint32_t i = FEW; i < MANY; i++)
        CHECK(!of->contains(c, handles[i]));
    for (uint32_t i = FEW; i < MANY; i++)
        CHECK(of->holds(c, of->add(c, i), i));
    CHECK(of->reserve(c, 1) == HM_ERROR_FULL);
    for (uint32_t i = FEW; i < MANY && of->is_issuer; i++)
        CHECK(!of->contains(c, handles[i]));
    of->clear(c);
    CHECK(of->trim(c) == HM_OK && of->trim(c) == HM_OK && !hm_handle_is_null(of->add(c, 0)));
    end(of, c);
}

static void the_heap_will_do(const verbs *of, uint32_t way)
{
    uint64_t random = test_seed("heap") + way;
    test_memory_use(hm_memory_heap());
    for (uint32_t i = test_scaled(EPISODES); i > 0 && !test_run_given(of->subject); i--) {
        uint32_t first[] = {(uint32_t)test_random(&random), (uint32_t)test_random(&random),
                            (uint32_t)test_random(&random)};
        test_run_random(of->subject, first, EPISODE, &random);
    }
    test_memory_use(NULL);
}

/* A life from init to fini. Returns whether nothing was refused. */
static bool lives(const verbs *of, uint32_t way, uint32_t capacity, test_allocator *from)
{
    container *c = &made;
    hm_status status = of->init(c, way, capacity, &from->allocator.table);
    CHECK(status == HM_OK || status == (from->misaligns ? HM_ERROR_INVALID : HM_ERROR_MEMORY));
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = round == 0 ? 0 : FEW; i < SOME && status == HM_OK; i++) {
            handles[i] = of->add(c, i);
            if (hm_handle_is_null(handles[i]))
                status = HM_ERROR_MEMORY;
        }
        CHECK(of->validate(c) == HM_OK && from->used_size == of->reserved_size(c));
        for (uint32_t i = 0; i < SOME && status == HM_OK; i++)
            CHECK(of->holds(c, handles[i], i) && (i < FEW || of->end(c, handles[i])));
        if (status == HM_OK)
            status = of->trim(c);
        CHECK(of->validate(c) == HM_OK && from->used_size == of->reserved_size(c));
    }
    of->fini(c);
    CHECK(from->used_size == 0);
    return status == HM_OK;
}

/* The k-th call fails, for each k: with NULL, and with what is not aligned. */
static void live_on_an_allocator(const verbs *of, uint32_t way, uint32_t capacity)
{
    test_allocator from;
    uint32_t fail_at = 0;
    do {
        for (int misaligns = 0; misaligns < 2; misaligns++) {
            test_allocator_init(&from);
            from.fail_at = fail_at;
            from.misaligns = misaligns != 0;
            CHECK(lives(of, way, capacity, &from) || from.calls >= fail_at);
        }
    } while (from.calls >= fail_at++);
    CHECK(fail_at > (capacity != 0 ? 2 : 4));
}

static void an_allocator_will_do(const verbs *of, uint32_t way)
{
    live_on_an_allocator(of, way, SOME);
}

static void an_allocator_will_do_without_a_capacity(const verbs *of, uint32_t way)
{
    live_on_an_allocator(of, way, 0);
}

/* Ends an item in such a way that its slot is retired. */
typedef void spending(container *c, hm_handle handle);

#define SPENDS(kind)                                                                               \
    static void spend_##kind(container *c, hm_handle handle)                                       \
    {                                                                                              \
        CHECK(end_##kind(c, handle));                                                              \
        c->kind.ids.entries[hm_handle_index(handle)].bits |= (uint64_t)HM_HANDLE_MAX_GENERATION    \
                                                             << HM_HANDLE_GENERATION_SHIFT;        \
    }
SPENDS(map)
SPENDS(table)
SPENDS(lists)
SPENDS(world)

static void spend_pool(container *c, hm_handle handle)
{
    c->pool.entries[hm_handle_index(handle)] |= HM_HANDLE_MAX_GENERATION;
    CHECK(hm_pool_erase_at(&c->pool, hm_handle_index(handle)));
}

/* Adds an item in whose place one has ended; the refused_at-th call is refused first, unless that
 * is 0. Then a reserve comes before. Returns 1 if the refused call was needed. */
static uint32_t add_again(const verbs *of, container *c, uint32_t number, uint32_t refused_at)
{
    uint32_t at = number % SOME, refusals = 0;
    if (refused_at == 0)
        CHECK(of->reserve(c, 1) == HM_OK);
    if (refused_at != 0 || of->makes_ready)
        test_memory_fail(&memory, refused_at != 0 ? refused_at : 1, true);
    handles[at] = of->add(c, number);
    if (hm_handle_is_null(handles[at])) {
        CHECK(refused_at != 0 && test_memory_refused(&memory) && of->validate(c) == HM_OK);
        for (uint32_t i = 0; i < SOME; i++)
            CHECK(i == at ||
                  of->holds(c, handles[i], i > at ? number - SOME + i - at : number + i - at));
        test_memory_fail(&memory, 0, false);
        handles[at] = of->add(c, number);
        refusals++;
    }
    test_memory_fail(&memory, 0, false);
    CHECK(of->holds(c, handles[at], number));
    return refusals;
}

/* Retires slots until all 4 * SOME are used up, though only SOME items are alive. */
static uint32_t wear_out(const verbs *of, uint32_t way, spending *spend, const hm_memory *table,
                         uint32_t refused_at)
{
    container *c = &made;
    uint32_t refusals = 0;
    test_memory_init_with_holes(&memory, hm_memory_os()->page_size);
    CHECK(of->init(c, way, SOME, table) == HM_OK);
    for (uint32_t i = 0; i < SOME; i++)
        handles[i] = of->add(c, i);
    size_t reserved = of->reserved_size(c);
    for (uint32_t i = SOME; i < 4 * SOME; i++) {
        spend(c, handles[i % SOME]);
        refusals += add_again(of, c, i, refused_at);
    }
    for (uint32_t i = 0; i < SOME; i++)
        CHECK(of->holds(c, handles[i], 3 * SOME + i));
    if (table->page_size <= 4096) /* A larger page has space for all slots from the start. */
        CHECK(of->reserved_size(c) > reserved);
    spend(c, handles[0]);
    CHECK(of->reserve(c, 1) == HM_ERROR_FULL && hm_handle_is_null(of->add(c, 0)));
    CHECK(of->trim(c) == HM_OK);
    for (uint32_t i = 1; i < SOME; i++)
        CHECK(of->holds(c, handles[i], 3 * SOME + i));
    end(of, c);
    return refusals;
}

static void retired_slots_cost_no_space(const verbs *of, uint32_t way, spending *spend)
{
    hm_memory_arena arena;
    make_arena(&arena, 1 << 26, NULL);
    wear_out(of, way, spend, hm_memory_heap(), 0);
    wear_out(of, way, spend, &arena.table, 0);
    hm_memory_arena_fini(&arena);
    CHECK(wear_out(of, way, spend, &memory.table, 1) > 0);
    for (uint32_t k = 0; k < 6; k++)
        wear_out(of, way, spend, &memory.table, k);
}

#define WEARS(suite, kind, way)                                                                    \
    TEST(suite##_shared, retired_slots_cost_no_space_that_live_ones_need)                          \
    {                                                                                              \
        retired_slots_cost_no_space(&kind##_verbs, way, spend_##kind);                             \
    }

#define PROMISE(suite, kind, way, promise)                                                         \
    TEST(suite##_shared, promise)                                                                  \
    {                                                                                              \
        promise(&kind##_verbs, way);                                                               \
    }
#define SHARED(suite, kind, way)                                                                   \
    PROMISE(suite, kind, way, may_be_moved)                                                        \
    PROMISE(suite, kind, way, clear_keeps_the_memory)                                              \
    PROMISE(suite, kind, way, reserve_counts_from_what_is_there)                                   \
    PROMISE(suite, kind, way, trim_gives_back_what_no_item_needs)                                  \
    PROMISE(suite, kind, way, an_allocator_will_do)

SHARED(map, map, 0)
SHARED(map_with_meta, map, 4)
SHARED(pool, pool, HM_STORAGE_VIRTUAL)
SHARED(pool_of_fixed_blocks, pool, HM_STORAGE_FIXED_BLOCKS)
SHARED(pool_of_growing_blocks, pool, HM_STORAGE_GROWING_BLOCKS)
SHARED(table, table, 0)
SHARED(table_of_structs, table, 1)
SHARED(table_of_groups, table, 16)
SHARED(secondary, secondary, 0)
SHARED(lists, lists, 0)
SHARED(index, index, 0)
SHARED(index_of_few_keys, index, 1)
SHARED(world, world, HM_COMPONENT_ARCHETYPE)
SHARED(world_of_sparse_values, world, HM_COMPONENT_SPARSE)
PROMISE(map, map, 0, an_allocator_will_do_without_a_capacity)
PROMISE(map_with_meta, map, 4, an_allocator_will_do_without_a_capacity)
PROMISE(secondary, secondary, 0, an_allocator_will_do_without_a_capacity)
PROMISE(lists, lists, 0, an_allocator_will_do_without_a_capacity)
PROMISE(table, table, 0, an_allocator_will_do_without_a_capacity)
PROMISE(index, index, 0, an_allocator_will_do_without_a_capacity)
PROMISE(map, map, 0, the_heap_will_do)
PROMISE(pool, pool, 0, the_heap_will_do)
PROMISE(table, table, 0, the_heap_will_do)
PROMISE(secondary, secondary, 0, the_heap_will_do)
PROMISE(lists, lists, 0, the_heap_will_do)
PROMISE(index, index, 0, the_heap_will_do)
PROMISE(world, world, 0, the_heap_will_do)
WEARS(map, map, 0)
WEARS(pool_of_fixed_blocks, pool, HM_STORAGE_FIXED_BLOCKS)
WEARS(pool_of_growing_blocks, pool, HM_STORAGE_GROWING_BLOCKS)
WEARS(table, table, 0)
WEARS(lists, lists, 0)
WEARS(world, world, HM_COMPONENT_ARCHETYPE)
WEARS(world_of_sparse_values, world, HM_COMPONENT_SPARSE)
