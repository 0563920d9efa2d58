/* SPDX-License-Identifier: MIT */
/* Hostile callbacks, for every row of support/kinds.h: each callback of each operation, at each of
 * its calls, tries every function that would change its container. It is refused, which is told,
 * and the operation ends as if nothing had been tried. What cannot say no panics. What callbacks
 * see, and in which order they run, is in the folders of the containers. */
#include "kinds.h"

enum { ITEMS = 6 };

/* Operations that call back, and the hooks of a container. */
enum operation {
    ERASE,
    ERASE_LAST,
    ERASE_N,
    ERASE_IF,
    BY_COMPARE,
    BY_KEY,
    IN_STEPS,
    ARRANGE,
    REPLACE,
    CHANGE,
    CLEAR,
    FINI,
    OPERATIONS
};
enum { DESTROY = 1, RELOCATE = 2, SPARSE_DESTROY = 2, HOOK_SETS = 4 };

/* What each callback does. */
static struct intruder {
    void (*intrude)(void);
    const char *end; /* the function that panics; NULL: those that are refused are called */
    uint32_t calls;
    hm_map other; /* which may be changed */
} self;

static void called_back(void)
{
    self.calls++;
    self.intrude();
    hm_handle there = hm_map_insert(&self.other, NULL);
    CHECK(!hm_handle_is_null(there) && hm_map_erase(&self.other, there));
}

static void on_destroy(void *item, void *context)
{
    CHECK(item != NULL && context == &self);
    called_back();
}

static void on_destroy_row(const hm_table *table, uint32_t row, void *context)
{
    on_destroy(hm_table_cell(table, row, 0), context);
}

static void on_relocate(void *item, uint32_t from, uint32_t to, void *context)
{
    CHECK(item != NULL && context == &self && from != to);
    called_back();
}

static bool item_is_odd(const void *item, void *context)
{
    CHECK(context == &self);
    called_back();
    return *(const unsigned char *)item % 2 != 0;
}

static bool row_is_odd(const hm_table *table, uint32_t row, void *context)
{
    return item_is_odd(hm_table_cell(table, row, 0), context);
}

static bool list_is_there(hm_handle list, const void *items, uint32_t count, void *context)
{
    CHECK(items != NULL && count == ITEMS && !hm_handle_is_null(list));
    (void)item_is_odd(items, context);
    return true;
}

static bool value_is_odd(hm_handle owner, const void *value, void *context)
{
    (void)owner;
    return item_is_odd(value, context);
}

static bool slot_is_odd(hm_handle owner, uint64_t key, void *context)
{
    const unsigned char slot = (unsigned char)hm_handle_index(owner);
    CHECK(key == 1);
    return item_is_odd(&slot, context);
}

static int compare_bytes(const void *a, const void *b, void *context)
{
    CHECK(context == &self);
    called_back();
    return *(const unsigned char *)a - *(const unsigned char *)b;
}

static uint64_t byte_of(const void *item, void *context)
{
    CHECK(context == &self);
    called_back();
    return *(const unsigned char *)item;
}

static const hm_order by_compare = {.compare = compare_bytes, .context = &self};
static const hm_order by_key = {.key = byte_of, .context = &self};

/* The value of the i-th item: they fall, so that there is something to put in order. */
static unsigned char value_at(uint32_t i)
{
    return (unsigned char)(2 * ITEMS - i);
}

/* Calls one of what is `end`, or tries every change. `Live` is a handle of what is there, if
 * anything is. That a handle does not resolve is an answer here as elsewhere, so that nothing is
 * told. */
#define END(kind, verb, arguments)                                                                 \
    if (self.end != NULL && strcmp(self.end, #verb) == 0)                                          \
        hm_##kind##_##verb arguments;
#define TRY(kind, verb, answer, refusal, arguments)                                                \
    mark();                                                                                        \
    CHECK(refusal(hm_##kind##_##verb arguments));                                                  \
    CHECK(says("the " #kind " 'thing' is busy: called from one of its own callbacks"));
#define INTRUDE(kind, KIND, live, set_component, ends_nothing)                                     \
    static hm_##kind busy_##kind;                                                                  \
    static void intrude_##kind(void)                                                               \
    {                                                                                              \
        ARGUMENTS(kind, &busy_##kind, live);                                                       \
        set_component;                                                                             \
        KIND##_ENDS(END) hm_##kind##_stats before = hm_##kind##_get_stats(c);                      \
        KIND##_CHANGES(TRY) KIND##_CHANGES_AGAIN(TRY) mark();                                      \
        CHECK((ends_nothing) == 0 && is_marked());                                                 \
        hm_##kind##_stats after = hm_##kind##_get_stats(c);                                        \
        CHECK(memcmp(&before, &after, sizeof before) == 0);                                        \
        CHECK(hm_##kind##_contains(c, h) && hm_##kind##_count(c) != 0);                            \
        CHECK(hm_##kind##_validate(c) == HM_OK);                                                   \
    }

/* Runs each operation that the kind has, with each set of hooks. With all of them each must have
 * called back; without hooks only those do that ask. */
#define CALLBACK_TESTS(kind, KIND)                                                                 \
    static void begin_##kind(uint32_t hooks, const char *end)                                      \
    {                                                                                              \
        self = (struct intruder){.intrude = intrude_##kind, .end = end};                           \
        CHECK(hm_map_init(&self.other, &(hm_map_desc){.item_size = 1, .capacity = 1}) == HM_OK);   \
        make_##kind(hooks);                                                                        \
        CHECK(self.calls == 0);                                                                    \
    }                                                                                              \
    TEST(kind##_callback, every_change_from_inside_is_refused)                                     \
    {                                                                                              \
        for (uint32_t hooks = 0; hooks < HOOK_SETS; hooks++)                                       \
            for (int operation = 0; operation < OPERATIONS; operation++) {                         \
                begin_##kind(hooks, NULL);                                                         \
                if (run_##kind((enum operation)operation))                                         \
                    CHECK(self.calls > 0 || hooks != HOOK_SETS - 1);                               \
                CHECK(hm_##kind##_validate(&busy_##kind) == HM_OK);                                \
                CHECK(hm_##kind##_reserve(&busy_##kind, operation != FINI) == HM_OK);              \
                CHECK(hm_##kind##_trim(&busy_##kind) == HM_OK);                                    \
                hm_##kind##_fini(&busy_##kind);                                                    \
                hm_map_fini(&self.other);                                                          \
            }                                                                                      \
    }                                                                                              \
    KIND##_ENDS(KIND##_PANICS)

/* Cases of run_kind, which returns whether the kind has the operation. */
#define CASE(operation, succeeds)                                                                  \
    case operation:                                                                                \
        CHECK(succeeds);                                                                           \
        return true;
#define CASES_OF_END(kind)                                                                         \
    case CLEAR:                                                                                    \
        hm_##kind##_clear(&busy_##kind);                                                           \
        return true;                                                                               \
    case FINI:                                                                                     \
        hm_##kind##_fini(&busy_##kind);                                                            \
        return true;

#define PANICS_FROM(kind, verb, from, hooks, operation)                                            \
    DEATH_TEST(kind##_callback, verb##_from_##from##_panics)                                       \
    {                                                                                              \
        test_expect_panic_of(#kind, "hm_" #kind "_" #verb ": called on 'thing' from one of its");  \
        begin_##kind(hooks, #verb);                                                                \
        run_##kind(operation);                                                                     \
    }

/* map */

INTRUDE(map, MAP, hm_map_handle_at(&busy_map, 0), (void)0,
        hm_map_erase(c, HM_NULL_HANDLE) + hm_map_erase_n(c, &(hm_handle){0}, 1))

static void make_map(uint32_t hooks)
{
    hm_map_desc desc = {.item_size = hooks != 1 ? 1 : 300,
                        .meta_size = hooks,
                        .capacity = 2 * ITEMS,
                        .destroy = hooks & DESTROY ? on_destroy : NULL,
                        .relocate = hooks & RELOCATE ? on_relocate : NULL,
                        .context = &self,
                        .name = "thing"};
    CHECK(hm_map_init(&busy_map, &desc) == HM_OK);
    for (uint32_t i = 0; i < ITEMS; i++)
        *(unsigned char *)hm_map_get(&busy_map, hm_map_insert(&busy_map, NULL)) = value_at(i);
}

static bool run_map(enum operation operation)
{
    const hm_handle first[] = {hm_map_handle_at(&busy_map, 0), hm_map_handle_at(&busy_map, 1)};
    const hm_handle last = hm_map_handle_at(&busy_map, ITEMS - 1);
    switch (operation) {
        CASE(ERASE, hm_map_erase(&busy_map, first[0]))
        CASE(ERASE_LAST, hm_map_erase(&busy_map, last))
        CASE(ERASE_N, hm_map_erase_n(&busy_map, first, 2) == 2)
        CASE(ERASE_IF, hm_map_erase_if(&busy_map, item_is_odd, &self) == ITEMS / 2)
        CASE(BY_COMPARE, hm_map_defragment(&busy_map, &by_compare, NULL).done)
    case BY_KEY:
        CHECK(hm_map_defragment(&busy_map, &by_key, NULL).done);
        CHECK(hm_map_index_of(&busy_map, last) == 0);
        return true;
    case IN_STEPS:
        while (!hm_map_defragment(&busy_map, &by_key, BUDGET(1, 2)).done)
            CHECK(self.calls < 1000);
        return true;
    case ARRANGE:
        CHECK(hm_map_arrange(&busy_map, &last, 1, NULL).done);
        CHECK(hm_map_index_of(&busy_map, last) == 0);
        return true;
        CASES_OF_END(map)
    default:
        return false;
    }
}

#define MAP_PANICS(kind, verb, arguments)                                                          \
    PANICS_FROM(map, verb, destroy, DESTROY, ERASE)                                                \
    PANICS_FROM(map, verb, relocate, RELOCATE, ERASE)                                              \
    PANICS_FROM(map, verb, predicate, 0, ERASE_IF)                                                 \
    PANICS_FROM(map, verb, compare, 0, BY_COMPARE)                                                 \
    PANICS_FROM(map, verb, key, 0, BY_KEY)                                                         \
    PANICS_FROM(map, verb, relocate_in_an_order, RELOCATE, ARRANGE)                                \
    PANICS_FROM(map, verb, the_destroy_of_fini, DESTROY, FINI)
CALLBACK_TESTS(map, MAP)

/* pool */

static hm_handle live_of_pool(void);

INTRUDE(pool, POOL, live_of_pool(), at = hm_handle_index(h),
        hm_pool_erase(c, HM_NULL_HANDLE) + hm_pool_erase_n(c, &(hm_handle){0}, 1))

static hm_handle live_of_pool(void)
{
    uint32_t length;
    return hm_pool_handle_at(&busy_pool, hm_pool_next_run(&busy_pool, 0, &length));
}

static void make_pool(uint32_t hooks)
{
    hm_pool_desc desc = {.item_size = 1,
                         .capacity = 2 * ITEMS,
                         .storage = (hm_storage)(hooks % 3),
                         .destroy = hooks != 0 ? on_destroy : NULL,
                         .context = &self,
                         .name = "thing"};
    CHECK(hm_pool_init(&busy_pool, &desc) == HM_OK);
    for (uint32_t i = 0; i < ITEMS; i++)
        *(unsigned char *)hm_pool_get(&busy_pool, hm_pool_insert(&busy_pool, NULL)) = value_at(i);
}

static bool run_pool(enum operation operation)
{
    const hm_handle first[] = {hm_pool_handle_at(&busy_pool, 0), hm_pool_handle_at(&busy_pool, 1)};
    switch (operation) {
        CASE(ERASE, hm_pool_erase(&busy_pool, first[0]))
        CASE(ERASE_N, hm_pool_erase_n(&busy_pool, first, 2) == 2)
        CASE(ERASE_IF, hm_pool_erase_if(&busy_pool, item_is_odd, &self) == ITEMS / 2)
        CASES_OF_END(pool)
    default:
        return false;
    }
}

#define POOL_PANICS(kind, verb, arguments)                                                         \
    PANICS_FROM(pool, verb, destroy, 1, ERASE)                                                     \
    PANICS_FROM(pool, verb, predicate, 0, ERASE_IF)                                                \
    PANICS_FROM(pool, verb, the_destroy_of_fini, 1, FINI)
CALLBACK_TESTS(pool, POOL)

/* table, whose sets of hooks are layouts, too */

INTRUDE(table, TABLE, hm_table_handle_at(&busy_table, 0), (void)0,
        hm_table_erase(c, HM_NULL_HANDLE) + hm_table_erase_n(c, &(hm_handle){0}, 1))

static void make_table(uint32_t hooks)
{
    static const uint32_t lanes[HOOK_SETS] = {0, 1, 8, 16};
    static const hm_column columns[] = {{.size = 1}, {.size = 40}};
    hm_table_desc desc = {.columns = columns, .column_count = 2, .lanes = lanes[hooks]};
    desc.capacity = 2 * ITEMS;
    desc.destroy = hooks != 0 ? on_destroy_row : NULL;
    desc.context = &self;
    desc.name = "thing";
    CHECK(hm_table_init(&busy_table, &desc) == HM_OK);
    for (uint32_t i = 0; i < ITEMS; i++)
        *(unsigned char *)hm_table_get(&busy_table, hm_table_insert(&busy_table, NULL), 0) =
            value_at(i);
}

static bool run_table(enum operation operation)
{
    const hm_handle first[] = {hm_table_handle_at(&busy_table, 0),
                               hm_table_handle_at(&busy_table, 1)};
    switch (operation) {
        CASE(ERASE, hm_table_erase(&busy_table, first[0]))
        CASE(ERASE_LAST, hm_table_erase_at(&busy_table, ITEMS - 1))
        CASE(ERASE_N, hm_table_erase_n(&busy_table, first, 2) == 2)
        CASE(ERASE_IF, hm_table_erase_if(&busy_table, row_is_odd, &self) == ITEMS / 2)
        CASE(BY_COMPARE, hm_table_defragment(&busy_table, 0, &by_compare, NULL).done)
        CASE(BY_KEY, hm_table_defragment(&busy_table, 0, &by_key, NULL).done)
    case IN_STEPS:
        while (!hm_table_defragment(&busy_table, 0, &by_key, BUDGET(1, 2)).done)
            CHECK(self.calls < 1000);
        return true;
        CASES_OF_END(table)
    default:
        return false;
    }
}

#define TABLE_PANICS(kind, verb, arguments)                                                        \
    PANICS_FROM(table, verb, destroy, 1, ERASE)                                                    \
    PANICS_FROM(table, verb, the_destroy_of_fini, 1, FINI)                                         \
    PANICS_FROM(table, verb, predicate, 0, ERASE_IF)                                               \
    PANICS_FROM(table, verb, compare, 0, BY_COMPARE)                                               \
    PANICS_FROM(table, verb, key, 0, BY_KEY)
CALLBACK_TESTS(table, TABLE)

/* secondary */

INTRUDE(secondary, SECONDARY, hm_secondary_owner_at(&busy_secondary, 0), (void)0,
        hm_secondary_remove(c, HM_NULL_HANDLE))

static void make_secondary(uint32_t hooks)
{
    hm_secondary_desc desc = {.value_size = 1,
                              .capacity = 2 * ITEMS,
                              .destroy = hooks != 0 ? on_destroy : NULL,
                              .context = &self,
                              .name = "thing"};
    CHECK(hm_secondary_init(&busy_secondary, &desc) == HM_OK);
    for (uint32_t i = 0; i < ITEMS; i++) {
        const unsigned char value = value_at(i);
        CHECK(hm_secondary_set(&busy_secondary, hm_handle_pack(i, 1, 0), &value) != NULL);
    }
}

static bool run_secondary(enum operation operation)
{
    const hm_handle owners[] = {hm_handle_pack(1, 1, 0), hm_handle_pack(2, 1, 0)};
    switch (operation) {
        CASE(ERASE, hm_secondary_remove(&busy_secondary, owners[0]))
        CASE(ERASE_N, hm_secondary_remove_n(&busy_secondary, owners, 2) == 2)
        CASE(ERASE_IF, hm_secondary_remove_if(&busy_secondary, value_is_odd, &self) == ITEMS / 2)
        CASE(BY_COMPARE, hm_secondary_defragment(&busy_secondary, &by_compare, NULL).done)
        CASE(BY_KEY, hm_secondary_defragment(&busy_secondary, &by_key, NULL).done)
    case IN_STEPS:
        while (!hm_secondary_defragment(&busy_secondary, &by_key, BUDGET(1, 2)).done)
            CHECK(self.calls < 1000);
        return true;
        CASE(REPLACE, hm_secondary_set(&busy_secondary, hm_handle_pack(1, 2, 0), NULL) != NULL)
        CASES_OF_END(secondary)
    default:
        return false;
    }
}

#define SECONDARY_PANICS(kind, verb, arguments)                                                    \
    PANICS_FROM(secondary, verb, destroy, DESTROY, ERASE)                                          \
    PANICS_FROM(secondary, verb, the_destroy_of_set, DESTROY, REPLACE)                             \
    PANICS_FROM(secondary, verb, predicate, 0, ERASE_IF)                                           \
    PANICS_FROM(secondary, verb, compare, 0, BY_COMPARE)                                           \
    PANICS_FROM(secondary, verb, key, 0, BY_KEY)
CALLBACK_TESTS(secondary, SECONDARY)

/* lists */

INTRUDE(lists, LISTS, hm_lists_handle_at(&busy_lists, 0), (void)0,
        hm_lists_destroy(c, HM_NULL_HANDLE) + hm_lists_erase_at(c, HM_NULL_HANDLE, 0) +
            hm_lists_erase_at(c, h, ITEMS) + hm_lists_erase_ordered_at(c, h, ITEMS))

static void make_lists(uint32_t hooks)
{
    hm_lists_desc desc = {.item_size = 1 + hooks, .capacity = 2 * ITEMS, .name = "thing"};
    desc.destroy = hooks != 0 ? on_destroy : NULL;
    desc.context = &self;
    CHECK(hm_lists_init(&busy_lists, &desc) == HM_OK);
    hm_handle list = hm_lists_create(&busy_lists);
    for (uint32_t i = 0; i < ITEMS; i++)
        *(unsigned char *)hm_lists_push(&busy_lists, list, NULL) = value_at(i);
}

static bool run_lists(enum operation operation)
{
    hm_handle list = hm_lists_handle_at(&busy_lists, 0);
    switch (operation) {
        CASE(ERASE, hm_lists_erase_at(&busy_lists, list, 0))
        CASE(ERASE_LAST, hm_lists_erase_ordered_at(&busy_lists, list, ITEMS - 1))
        CASE(ERASE_N, hm_lists_destroy_n(&busy_lists, &list, 1) == 1)
        CASE(ERASE_IF, hm_lists_erase_if(&busy_lists, list, item_is_odd, &self) == ITEMS / 2)
        CASE(CHANGE, hm_lists_destroy_if(&busy_lists, list_is_there, &self) == 1)
        CASE(REPLACE, hm_lists_resize(&busy_lists, list, 2) == HM_OK)
        CASES_OF_END(lists)
    default:
        return false;
    }
}

#define LISTS_PANICS(kind, verb, arguments)                                                        \
    PANICS_FROM(lists, verb, destroy, 1, ERASE)                                                    \
    PANICS_FROM(lists, verb, the_destroy_of_fini, 1, FINI)                                         \
    PANICS_FROM(lists, verb, predicate, 0, ERASE_IF)                                               \
    PANICS_FROM(lists, verb, the_predicate_of_destroy_if, 0, CHANGE)
CALLBACK_TESTS(lists, LISTS)

/* index */

INTRUDE(index, INDEX, hm_handle_pack(0, 1, 0), (void)0,
        hm_index_remove(c, HM_NULL_HANDLE) + hm_index_remove_key(c, 2))

static void make_index(uint32_t hooks)
{
    hm_index_desc desc = {.capacity = 2 * ITEMS, .key_limit = hooks * 10, .name = "thing"};
    CHECK(hm_index_init(&busy_index, &desc) == HM_OK);
    for (uint32_t i = 0; i < ITEMS; i++)
        CHECK(hm_index_set(&busy_index, hm_handle_pack(i, 1, 0), 1) == HM_OK);
}

static bool run_index(enum operation operation)
{
    if (operation != ERASE_IF)
        return false;
    CHECK(hm_index_remove_if(&busy_index, slot_is_odd, &self) == ITEMS / 2);
    return true;
}

#define INDEX_PANICS(kind, verb, arguments) PANICS_FROM(index, verb, predicate, 0, ERASE_IF)
CALLBACK_TESTS(index, INDEX)

/* world, whose hooks are those of a component in tables and of a sparse one */

static hm_component busy_component[2];

INTRUDE(world, WORLD, hm_world_handle_at(&busy_world, 0), p = busy_component[0],
        hm_world_has(c, HM_NULL_HANDLE, p) + hm_world_contains(c, HM_NULL_HANDLE))

static void make_world(uint32_t hooks)
{
    CHECK(hm_world_init(&busy_world, &(hm_world_desc){.capacity = 100, .name = "thing"}) == HM_OK);
    for (int i = 0; i < 2; i++) {
        hm_component_desc desc = {.size = 1, .context = &self};
        desc.storage = i == 0 ? HM_COMPONENT_ARCHETYPE : HM_COMPONENT_SPARSE;
        desc.destroy = hooks & (i == 0 ? DESTROY : SPARSE_DESTROY) ? on_destroy : NULL;
        busy_component[i] = hm_world_component(&busy_world, &desc);
    }
    for (uint32_t i = 0; i < ITEMS; i++) {
        hm_handle entity = hm_world_create(&busy_world, busy_component, 2);
        for (int k = 0; k < 2; k++)
            *(unsigned char *)hm_world_get(&busy_world, entity, busy_component[k]) = value_at(i);
    }
}

/* Calls back for both components. */
static bool run_world(enum operation operation)
{
    hm_world *world = &busy_world;
    const hm_component *of = busy_component;
    const hm_handle one[] = {hm_world_handle_at(world, 1), hm_world_handle_at(world, 2)};
    switch (operation) {
        CASE(ERASE, hm_world_destroy(world, one[0]))
        CASE(ERASE_N, hm_world_destroy_n(world, one, 2) == 2)
    case ERASE_LAST:
        CHECK(hm_world_remove(world, one[0], of[0], NULL) == HM_OK);
        CHECK(hm_world_remove(world, one[0], of[1], NULL) == HM_OK);
        return true;
    case BY_COMPARE:
        CHECK(hm_world_defragment(world, of[0], &by_compare, NULL).done);
        CHECK(hm_world_defragment(world, of[1], &by_compare, NULL).done);
        return true;
    case BY_KEY:
        CHECK(hm_world_defragment(world, of[0], &by_key, NULL).done);
        CHECK(hm_world_defragment(world, of[1], &by_key, NULL).done);
        return true;
    case REPLACE:
        CHECK(hm_world_add(world, one[0], of[0], NULL) == HM_OK);
        CHECK(hm_world_add(world, one[0], of[1], NULL) == HM_OK);
        return true;
    case CHANGE:
        CHECK(hm_world_change(world, one[0], NULL, 0, of, 1) == HM_OK);
        CHECK(hm_world_change(world, one[0], of, 1, of + 1, 1) == HM_OK);
        return true;
        CASES_OF_END(world)
    default:
        return false;
    }
}

#define WORLD_PANICS(kind, verb, arguments)                                                        \
    PANICS_FROM(world, verb, destroy, DESTROY, ERASE)                                              \
    PANICS_FROM(world, verb, sparse_destroy, SPARSE_DESTROY, ERASE)                                \
    PANICS_FROM(world, verb, compare, 0, BY_COMPARE)                                               \
    PANICS_FROM(world, verb, key, 0, BY_KEY)
CALLBACK_TESTS(world, WORLD)
