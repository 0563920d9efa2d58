/* SPDX-License-Identifier: MIT */
/* lower_bound and upper_bound of each container that has an order: who is refused, and what
 * callbacks may do. What they find is in the models' scripts; order/bound_test.c tests the search
 * itself. */
#include "kinds.h"

enum { ITEMS = 300, SLOTS = 2 * ITEMS };

static uint64_t key_of(const void *item, void *context)
{
    (void)context;
    return *(const uint32_t *)item;
}

static uint64_t same_key_of(const void *item, void *context)
{
    return key_of(item, context);
}

static const hm_order by_key = {.key = key_of};
static const hm_order by_other = {.key = same_key_of};

static bool is_nine(const void *item, void *context)
{
    (void)context;
    return *(const uint32_t *)item == 9;
}

/* What differs: how one is made, and gets an item; and that a table's verbs name a column. */

static hm_status init_map(hm_map *map)
{
    return hm_map_init(map, &(hm_map_desc){.item_size = 4, .capacity = SLOTS, .name = "one"});
}

static hm_handle add_map(hm_map *map, uint32_t number)
{
    return hm_map_insert(map, &number);
}

static bool drop_map(hm_map *map, hm_handle handle)
{
    return hm_map_erase(map, handle);
}

static uint32_t drop_nines_map(hm_map *map)
{
    return hm_map_erase_if(map, is_nine, NULL);
}

static hm_status init_table(hm_table *table)
{
    const hm_column columns[] = {{.size = 4}, {.size = 4}};
    return hm_table_init(
        table,
        &(hm_table_desc){
            .columns = columns, .column_count = 2, .lanes = 8, .capacity = SLOTS, .name = "one"});
}

static hm_handle add_table(hm_table *table, uint32_t number)
{
    const void *values[] = {&number, &number};
    return hm_table_insert(table, values);
}

static bool drop_table(hm_table *table, hm_handle handle)
{
    return hm_table_erase(table, handle);
}

static bool row_is_nine(const hm_table *table, uint32_t row, void *context)
{
    return is_nine(hm_table_cell(table, row, 0), context);
}

static uint32_t drop_nines_table(hm_table *table)
{
    return hm_table_erase_if(table, row_is_nine, NULL);
}

static hm_status init_secondary(hm_secondary *secondary)
{
    const hm_secondary_desc desc = {
        .value_size = 4, .capacity = SLOTS, .max_slots = SLOTS, .name = "one"};
    return hm_secondary_init(secondary, &desc);
}

static hm_handle add_secondary(hm_secondary *secondary, uint32_t number)
{
    uint32_t slot = 0;
    while (hm_secondary_contains(secondary, hm_handle_pack(slot, 1, 0)))
        slot++;
    hm_handle owner = hm_handle_pack(slot, 1, 0);
    return hm_secondary_set(secondary, owner, &number) != NULL ? owner : HM_NULL_HANDLE;
}

static bool drop_secondary(hm_secondary *secondary, hm_handle owner)
{
    return hm_secondary_remove(secondary, owner);
}

static bool value_is_nine(hm_handle owner, const void *value, void *context)
{
    (void)owner;
    return is_nine(value, context);
}

static uint32_t drop_nines_secondary(hm_secondary *secondary)
{
    return hm_secondary_remove_if(secondary, value_is_nine, NULL);
}

#define MAP_BY(order) order
#define TABLE_BY(order) 0, order
#define SECONDARY_BY(order) order
#define MAP_HANDLE_AT hm_map_handle_at
#define TABLE_HANDLE_AT hm_table_handle_at
#define SECONDARY_HANDLE_AT hm_secondary_owner_at

#define NOT_DONE(kind)                                                                             \
    "the " #kind " 'one' is not in this order: its defragment is not done: call it until it is"
#define ANOTHER(kind) "the " #kind " 'one' is not in this order: call defragment with it first"

#define BOUND_TESTS(kind, KIND)                                                                    \
    /* Each multiple of 3 three times, nine among them. */                                         \
    static void make_##kind(hm_##kind *one)                                                        \
    {                                                                                              \
        CHECK(init_##kind(one) == HM_OK);                                                          \
        for (uint32_t i = 0; i < ITEMS; i++)                                                       \
            CHECK(!hm_handle_is_null(add_##kind(one, i * 77 % ITEMS / 3 * 3)));                    \
    }                                                                                              \
    static bool order_##kind(hm_##kind *one, const hm_order *order, hm_frame_budget *budget)       \
    {                                                                                              \
        return hm_##kind##_defragment(one, KIND##_BY(order), budget).done;                         \
    }                                                                                              \
    static uint32_t lower_##kind(const hm_##kind *one, const hm_order *order)                      \
    {                                                                                              \
        return hm_##kind##_lower_bound(one, KIND##_BY(order), &(uint32_t){8});                     \
    }                                                                                              \
    static uint32_t upper_##kind(const hm_##kind *one, const hm_order *order)                      \
    {                                                                                              \
        return hm_##kind##_upper_bound(one, KIND##_BY(order), &(uint32_t){8});                     \
    }                                                                                              \
    static bool answers_##kind(const hm_##kind *one, const hm_order *order)                        \
    {                                                                                              \
        return lower_##kind(one, order) <= hm_##kind##_count(one) &&                               \
               upper_##kind(one, order) == lower_##kind(one, order);                               \
    }                                                                                              \
    static bool refuses_##kind(const hm_##kind *one, const hm_order *order, const char *why)       \
    {                                                                                              \
        return lower_##kind(one, order) == HM_INVALID_INDEX && says(why) &&                        \
               upper_##kind(one, order) == HM_INVALID_INDEX && says(why);                          \
    }                                                                                              \
    /* Afterwards it is in order again. */                                                         \
    static bool has_to_hear_##kind(hm_##kind *one)                                                 \
    {                                                                                              \
        return refuses_##kind(one, &by_key, NOT_DONE(kind)) && order_##kind(one, &by_key, NULL) && \
               answers_##kind(one, &by_key);                                                       \
    }                                                                                              \
    TEST(kind##_bound, one_that_is_not_in_order_is_refused)                                        \
    {                                                                                              \
        hm_##kind one;                                                                             \
        make_##kind(&one);                                                                         \
        hm_handle first = KIND##_HANDLE_AT(&one, 0);                                               \
        CHECK(refuses_##kind(&one, &by_key, ANOTHER(kind)));                                       \
        CHECK(!order_##kind(&one, &by_key, &(hm_frame_budget){3, HM_NO_LIMIT, false}));            \
        CHECK(has_to_hear_##kind(&one));                                                           \
        CHECK(refuses_##kind(&one, &by_other, ANOTHER(kind)));                                     \
        hm_##kind##_touch(&one, first);                                                            \
        CHECK(has_to_hear_##kind(&one));                                                           \
        CHECK(drop_##kind(&one, first) && has_to_hear_##kind(&one));                               \
        hm_##kind##_touch(&one, first); /* It names nothing. */                                    \
        CHECK(answers_##kind(&one, &by_key) && hm_##kind##_trim(&one) == HM_OK);                   \
        CHECK(answers_##kind(&one, &by_key));                                                      \
        CHECK(!hm_handle_is_null(add_##kind(&one, 7)) && has_to_hear_##kind(&one));                \
        uint32_t count = hm_##kind##_count(&one);                                                  \
        CHECK(drop_nines_##kind(&one) == count - hm_##kind##_count(&one));                         \
        CHECK(hm_##kind##_count(&one) < count && answers_##kind(&one, &by_key));                   \
        hm_##kind##_touch_all(&one);                                                               \
        CHECK(refuses_##kind(&one, &by_key, NOT_DONE(kind)));                                      \
        CHECK(hm_##kind##_arrange(&one, NULL, 0, NULL).done);                                      \
        CHECK(refuses_##kind(&one, &by_key, ANOTHER(kind)));                                       \
        hm_##kind##_clear(&one);                                                                   \
        CHECK(lower_##kind(&one, &by_other) == 0 && upper_##kind(&one, &by_key) == 0);             \
        hm_##kind##_fini(&one);                                                                    \
    }                                                                                              \
    TEST(kind##_bound, a_search_writes_nothing)                                                    \
    {                                                                                              \
        static hm_##kind one, before;                                                              \
        make_##kind(&one);                                                                         \
        CHECK(order_##kind(&one, &by_other, NULL));                                                \
        memcpy(&before, &one, sizeof one);                                                         \
        CHECK(answers_##kind(&one, &by_other));                                                    \
        CHECK(refuses_##kind(&one, &by_key, ANOTHER(kind)));                                       \
        CHECK(memcmp(&before, &one, sizeof one) == 0);                                             \
        hm_##kind##_fini(&one);                                                                    \
    }                                                                                              \
    static struct {                                                                                \
        hm_##kind one;                                                                             \
        uint32_t looks_at, drops_at; /* calls until then; 0: never */                              \
    } the_##kind;                                                                                  \
    static uint64_t meddle_##kind(const void *item, void *context)                                 \
    {                                                                                              \
        hm_##kind *one = &the_##kind.one;                                                          \
        const hm_order again = {.key = meddle_##kind, .context = context};                         \
        if (the_##kind.looks_at != 0 && --the_##kind.looks_at == 0)                                \
            CHECK(hm_##kind##_validate(one) == HM_OK && answers_##kind(one, &again));              \
        uint64_t key = key_of(item, NULL);                                                         \
        if (the_##kind.drops_at != 0 && --the_##kind.drops_at == 0)                                \
            CHECK(drop_##kind(one, KIND##_HANDLE_AT(one, hm_##kind##_count(one) / 4)));            \
        return key;                                                                                \
    }                                                                                              \
    /* A change breaks the rules of an order. AddressSanitizer watches. */                         \
    TEST(kind##_bound, callbacks_may_look_and_a_change_ends_the_search)                            \
    {                                                                                              \
        hm_##kind *one = &the_##kind.one;                                                          \
        const hm_order order = {.key = meddle_##kind};                                             \
        make_##kind(one);                                                                          \
        for (uint32_t at = 1; at <= 8; at++) {                                                     \
            uint32_t count = hm_##kind##_count(one);                                               \
            CHECK(order_##kind(one, &order, NULL));                                                \
            the_##kind.looks_at = at;                                                              \
            CHECK(answers_##kind(one, &order) && the_##kind.looks_at == 0);                        \
            the_##kind.drops_at = at;                                                              \
            CHECK(upper_##kind(one, &order) == HM_INVALID_INDEX && says(NOT_DONE(kind)));          \
            CHECK(hm_##kind##_count(one) == count - 1);                                            \
        }                                                                                          \
        hm_##kind##_fini(one);                                                                     \
    }

BOUND_TESTS(map, MAP)
BOUND_TESTS(table, TABLE)
BOUND_TESTS(secondary, SECONDARY)

/* table alone: the column is part of the order */

TEST(table_bound, another_column_is_another_order)
{
    hm_table one;
    make_table(&one);
    CHECK(order_table(&one, &by_key, NULL) && answers_table(&one, &by_key));
    CHECK(hm_table_lower_bound(&one, 1, &by_key, &(uint32_t){8}) == HM_INVALID_INDEX);
    CHECK(says(ANOTHER(table)));
    hm_table_clear(&one);
    CHECK(hm_table_upper_bound(&one, 1, &by_key, &(uint32_t){8}) == 0);
    hm_table_fini(&one);
}

#define OUT_OF_RANGE(verb)                                                                         \
    DEATH_TEST(table_bound, verb##_of_a_column_out_of_range_panics)                                \
    {                                                                                              \
        hm_table one;                                                                              \
        make_table(&one);                                                                          \
        hm_table_##verb(&one, 2, &by_key, "");                                                     \
    }

OUT_OF_RANGE(lower_bound)
OUT_OF_RANGE(upper_bound)
