/* SPDX-License-Identifier: MIT */
/* The exact costs of putting known data in order. Other tests show that the costs are low enough;
 * these pin them, so that the library does not change its choices by accident. A row that fails is
 * printed with the right numbers. */
#include "support/order.h"

#include <stdio.h>

enum { ITEMS = 2000, BUDGETS = 2 };

static const hm_frame_budget budgets[BUDGETS] = {{HM_NO_LIMIT, HM_NO_LIMIT, false},
                                                 {10, 100, false}};

typedef struct order_cost {
    uint32_t swaps, compares, calls;
} order_cost;

typedef struct known_data {
    const char *name;
    uint64_t (*key)(uint32_t i, uint64_t *random);
    /* as column_order has them; without limit, and with one */
    order_cost costs[ORDERS][BUDGETS];
} known_data;

static uint64_t any_key(uint32_t i, uint64_t *random)
{
    (void)i;
    return test_random_below(random, ITEMS);
}

static uint64_t reversed_key(uint32_t i, uint64_t *random)
{
    (void)random;
    return ITEMS - i;
}

static uint64_t one_of_few(uint32_t i, uint64_t *random)
{
    (void)i;
    return test_random_below(random, 4);
}

static uint64_t organ_pipe_key(uint32_t i, uint64_t *random)
{
    (void)random;
    return i < ITEMS / 2 ? i : ITEMS - i;
}

static uint64_t rotated_key(uint32_t i, uint64_t *random)
{
    (void)random;
    return (i + ITEMS / 3) % ITEMS;
}

static uint64_t one_in_50_misfits(uint32_t i, uint64_t *random)
{
    return test_random_below(random, 50) != 0 ? i : test_random_below(random, ITEMS);
}

static uint64_t one_in_10_nearby(uint32_t i, uint64_t *random)
{
    return test_random_below(random, 10) != 0 ? i + 16 : i + test_random_below(random, 33);
}

static uint64_t last_tenth_appended(uint32_t i, uint64_t *random)
{
    return i < ITEMS * 9 / 10 ? i : test_random_below(random, ITEMS);
}

/* Runs have 3, 6, 9, ... items. Returns the run that `i` is in. */
static uint32_t run_of(uint32_t i)
{
    uint32_t length = 3;
    for (; i >= length; length += 3)
        i -= length;
    return length / 3;
}

static uint64_t every_second_run_is_low(uint32_t i, uint64_t *random)
{
    (void)random;
    return run_of(i) % 2 == 0 ? i : ITEMS + i;
}

static uint64_t every_fifth_run_is_high(uint32_t i, uint64_t *random)
{
    (void)random;
    return run_of(i) % 5 == 1 ? ITEMS + i : i;
}

/* clang-format off */
static const known_data known[] = {
    {"random", any_key,
     {{{1993, 20196, 1}, {1993, 20191, 401}},
      {{1993, 2160, 1}, {1993, 2160, 223}},
      {{1993, 7303, 1}, {1993, 7303, 274}},
      {{1993, 20958, 1}, {1993, 20902, 409}},
      {{1993, 2160, 1}, {1993, 2160, 223}}}},
    {"reversed", reversed_key,
     {{{1000, 18808, 1}, {1000, 18846, 288}},
      {{1000, 2065, 1}, {1000, 2065, 122}},
      {{1000, 7863, 1}, {1000, 7863, 179}},
      {{1000, 20548, 1}, {1000, 19847, 298}},
      {{1000, 2065, 1}, {1000, 2065, 122}}}},
    {"few keys", one_of_few,
     {{{1993, 19627, 1}, {1993, 19632, 396}},
      {{1993, 2152, 1}, {1993, 2152, 222}},
      {{1993, 21306, 1}, {1993, 21306, 413}},
      {{1993, 20598, 1}, {1993, 20081, 400}},
      {{1993, 2152, 1}, {1993, 2152, 222}}}},
    {"organ pipe", organ_pipe_key,
     {{{1977, 13159, 1}, {1977, 13176, 329}},
      {{1977, 3419, 1}, {1977, 3419, 233}},
      {{1977, 8928, 1}, {1977, 8928, 289}},
      {{1977, 14022, 1}, {1977, 13176, 329}},
      {{1977, 3419, 1}, {1977, 3419, 233}}}},
    {"rotated", rotated_key,
     {{{1998, 7909, 1}, {1998, 7914, 279}},
      {{1998, 3862, 1}, {1998, 3862, 240}},
      {{1998, 6787, 1}, {1998, 6787, 271}},
      {{1998, 7944, 1}, {1998, 6916, 269}},
      {{1998, 3862, 1}, {1998, 3862, 240}}}},
    {"misfits", one_in_50_misfits,
     {{{1819, 2404, 1}, {1819, 2404, 206}},
      {{1819, 2325, 1}, {1819, 2325, 205}},
      {{1819, 4162, 1}, {1819, 4162, 223}},
      {{1819, 2440, 1}, {1819, 2439, 206}},
      {{1819, 2372, 1}, {1819, 2352, 205}}}},
    {"nearly", one_in_10_nearby,
     {{{1025, 4098, 1}, {1025, 4098, 143}},
      {{1025, 3594, 1}, {1025, 3594, 138}},
      {{1025, 5956, 1}, {1025, 5956, 162}},
      {{1025, 4408, 1}, {1025, 4230, 145}},
      {{1025, 3818, 1}, {1025, 3753, 140}}}},
    {"appended", last_tenth_appended,
     {{{1996, 4620, 1}, {1996, 4623, 246}},
      {{1996, 3377, 1}, {1996, 3377, 233}},
      {{1996, 5675, 1}, {1996, 5675, 256}},
      {{1996, 4672, 1}, {1996, 4650, 246}},
      {{1996, 3373, 1}, {1996, 3372, 233}}}},
    {"low runs", every_second_run_is_low,
     {{{1980, 14153, 1}, {1980, 14145, 339}},
      {{1980, 2194, 1}, {1980, 2194, 221}},
      {{1980, 3973, 1}, {1980, 3973, 240}},
      {{1980, 14530, 1}, {1980, 13195, 329}},
      {{1980, 2194, 1}, {1980, 2194, 221}}}},
    {"high runs", every_fifth_run_is_high,
     {{{1998, 10238, 1}, {1998, 10244, 302}},
      {{1998, 2383, 1}, {1998, 2383, 225}},
      {{1998, 4290, 1}, {1998, 4290, 245}},
      {{1998, 10350, 1}, {1998, 9264, 292}},
      {{1998, 2383, 1}, {1998, 2383, 225}}}},
};
/* clang-format on */

static order_cost measure(const known_data *data, uint32_t which, uint32_t k)
{
    uint64_t random = 1;
    column c;
    column_init(&c, ITEMS);
    for (uint32_t i = 0; i < ITEMS; i++)
        column_insert(&c, data->key(i, &random), false);
    order_cost cost = {0, 0, 0};
    for (bool done = false; !done; cost.calls++) {
        hm_progress progress = column_run(&c, column_order(&c, which), budgets[k]);
        cost.swaps += (uint32_t)progress.swaps;
        cost.compares += (uint32_t)progress.compares;
        done = progress.done;
    }
    column_fini(&c);
    return cost;
}

/* Prints a row with the right numbers. */
static void print(const char *name, const order_cost *costs, uint32_t count)
{
    fprintf(stderr, "\"%s\": {", name);
    for (uint32_t i = 0; i < count; i++)
        fprintf(stderr, "%s{%u, %u, %u}", i > 0 ? ", " : "", costs[i].swaps, costs[i].compares,
                costs[i].calls);
    fprintf(stderr, "}\n");
}

TEST(order_cost, known_data_costs_what_it_did)
{
    bool all_hold = true;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (uint32_t which = 0; which < ORDERS; which++) {
            order_cost costs[BUDGETS];
            for (uint32_t k = 0; k < BUDGETS; k++)
                costs[k] = measure(&known[i], which, k);
            if (memcmp(costs, known[i].costs[which], sizeof costs) == 0)
                continue;
            print(known[i].name, costs, BUDGETS);
            all_hold = false;
        }
    CHECK(all_hold);
}

/* An item that was disturbed and is gone leaves a pending range without pending items. */
TEST(order_cost, looking_for_what_is_gone_takes_no_call_of_its_own)
{
    uint64_t random = 1;
    column c;
    column_init(&c, ITEMS);
    column_fill_shape(&c, 1, ITEMS, &random);
    column_finish(&c, column_order(&c, 0), budgets[0]);
    column_edit(&c, ITEMS - 1, 0);
    column_erase(&c, ITEMS - 1);
    hm_progress progress = column_run(&c, column_order(&c, 0), budgets[1]);
    CHECK(progress.done && progress.swaps == 0 && progress.compares == 0);
    column_fini(&c);
}

/* arranging */

typedef struct known_names {
    const char *name;
    uint32_t (*slot)(uint32_t i, uint32_t count);
    uint32_t times;            /* names for each item */
    order_cost costs[BUDGETS]; /* without limit, with one, and FEW items without scratch memory */
} known_names;

static uint32_t from_the_back(uint32_t i, uint32_t count)
{
    return count - 1 - i;
}

/* Names all even items, then all even items again. */
static uint32_t every_second_one(uint32_t i, uint32_t count)
{
    return 2 * i % count;
}

static uint32_t each_twice(uint32_t i, uint32_t count)
{
    return (i / 2 + count / 3) % count;
}

static uint32_t ends_exchanged(uint32_t i, uint32_t count)
{
    return i == 0 ? count - 1 : i == count - 1 ? 0 : i;
}

/* Every third name resolves to nothing. */
static uint32_t moved_up_by_strangers(uint32_t i, uint32_t count)
{
    return i % 3 == 0 ? count + i : i - 1;
}

/* clang-format off */
static const known_names lists[] = {
    {"back to front", from_the_back, 1, {{4000, 0, 1}, {4000, 0, 403}}},
    {"every second", every_second_one, 1, {{7990, 0, 1}, {7990, 0, 801}}},
    {"each twice", each_twice, 2, {{7998, 0, 1}, {7998, 0, 806}}},
    {"ends exchanged", ends_exchanged, 1, {{1, 0, 1}, {1, 0, 6}}},
    {"strangers", moved_up_by_strangers, 1, {{7986, 0, 1}, {7986, 0, 801}}},
};
/* clang-format on */

static order_cost arrange(const known_names *list, uint32_t k)
{
    static hm_handle names[8 * ITEMS];
    uint64_t random = 1;
    uint32_t count = 4 * ITEMS, name_count = list->times * count;
    hm_frame_budget budget = budgets[k];
    column c;
    column_init(&c, count);
    column_fill_shape(&c, 1, count, &random);
    for (uint32_t i = 0; i < name_count; i++)
        names[i] = hm_handle_pack(list->slot(i, count), 1, 0);
    hm_sequence sequence = column_sequence(&c);
    order_cost cost = {0, 0, 0};
    for (bool done = false; !done; cost.calls++) {
        hm_progress progress =
            hm_order_arrange(&c.state, names, name_count, &sequence, ONCE(budget));
        CHECK(budget.swaps_left == HM_NO_LIMIT || progress.swaps <= budget.swaps_left);
        cost.swaps += (uint32_t)progress.swaps;
        done = progress.done;
    }
    column_fini(&c);
    return cost;
}

TEST(order_cost, known_names_cost_what_they_did)
{
    bool all_hold = true;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        order_cost costs[BUDGETS];
        for (uint32_t k = 0; k < BUDGETS; k++)
            costs[k] = arrange(&lists[i], k);
        if (memcmp(costs, lists[i].costs, sizeof costs) == 0)
            continue;
        print(lists[i].name, costs, BUDGETS);
        all_hold = false;
    }
    CHECK(all_hold);
}

/* The list has space for the items that exist, however often they are named. */
TEST(order_cost, names_without_items_take_no_scratch_memory)
{
    enum { NAMES = 100000, ITEMS_NAMED = 10 };
    hm_handle *names = calloc(NAMES, sizeof *names);
    uint64_t random = 1;
    column c;
    CHECK(names != NULL);
    column_init(&c, ITEMS_NAMED);
    column_fill_shape(&c, 1, ITEMS_NAMED, &random);
    for (uint32_t i = 0; i < NAMES; i++)
        names[i] = hm_handle_pack((i + 1) % ITEMS_NAMED, 1, 0);
    hm_sequence sequence = column_sequence(&c);
    hm_progress progress =
        hm_order_arrange(&c.state, names, NAMES, &sequence, BUDGET(1, HM_NO_LIMIT));
    CHECK(progress.swaps == 1 && !progress.done);
    CHECK(c.memory.reserved_size <= c.memory.table.page_size + (64 << 10));
    column_fini(&c);
    free(names);
}

/* Every fifth item fits nowhere, though the column's own keys are in order: too few to end the
 * scan, but more than a new scan may begin with. */
static int compare_with_misfits(const void *a, const void *b, void *context)
{
    (void)context;
    uint64_t x = ((const ordered_item *)a)->key, y = ((const ordered_item *)b)->key;
    x = x % 5 == 0 ? 0 : x;
    y = y % 5 == 0 ? 0 : y;
    return (x > y) - (x < y);
}

/* A new order forgets all that the last one found, even the number of misfits; else a column that
 * is in order would be taken for a disordered one and sorted. */
TEST(order_cost, a_new_order_forgets_the_misfits_of_the_one_before)
{
    enum { MANY = 20000, STOP = 5000 };
    const hm_order with_misfits = {.compare = compare_with_misfits};
    column c;
    column_init(&c, MANY);
    for (uint32_t i = 0; i < MANY; i++)
        column_insert(&c, i, false);
    hm_sequence sequence = column_sequence(&c);
    CHECK(!hm_order_run(&c.state, &with_misfits, &sequence, BUDGET(HM_NO_LIMIT, STOP)).done);
    CHECK(c.state->scan.misfits > MANY / 64 + 16);
    hm_progress progress =
        column_run(&c, column_order(&c, 0), (hm_frame_budget){HM_NO_LIMIT, HM_NO_LIMIT, false});
    CHECK(progress.done && progress.swaps == 0 && progress.compares == MANY - 1);
    column_fini(&c);
}
