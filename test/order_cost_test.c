/* What known data costs, to the last compare. That such costs are low enough is shown elsewhere;
 * here they are pinned, so that a change of what the machinery chooses is a decision and no
 * accident. A row that does not hold is printed as it would have to read. */
#include "support/order.h"

#include <stdio.h>

enum { ITEMS = 2000, BUDGETS = 2 };

static const hm_budget budgets[BUDGETS] = {{0, 0}, {10, 100}};

typedef struct order_cost {
    uint32_t swaps, compares, calls;
} order_cost;

typedef struct known_data {
    const char *name;
    uint64_t (*key)(uint32_t i, uint64_t *random);
    order_cost costs[ORDERS][BUDGETS]; /* by compare, by key, by both; without limit and with */
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

/* Runs have 3, 6, 9, ... items. Returns which one `i` lies in. */
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
      {{1993, 7303, 1}, {1993, 7303, 274}}}},
    {"reversed", reversed_key,
     {{{1000, 18808, 1}, {1000, 18846, 288}},
      {{1000, 2065, 1}, {1000, 2065, 122}},
      {{1000, 7863, 1}, {1000, 7863, 179}}}},
    {"few keys", one_of_few,
     {{{1993, 19627, 1}, {1993, 19632, 396}},
      {{1993, 2152, 1}, {1993, 2152, 222}},
      {{1993, 21306, 1}, {1993, 21306, 413}}}},
    {"organ pipe", organ_pipe_key,
     {{{1977, 13159, 1}, {1977, 13176, 329}},
      {{1977, 3419, 1}, {1977, 3419, 233}},
      {{1977, 8928, 1}, {1977, 8928, 289}}}},
    {"rotated", rotated_key,
     {{{1998, 7909, 1}, {1998, 7914, 279}},
      {{1998, 3862, 1}, {1998, 3862, 240}},
      {{1998, 6787, 1}, {1998, 6787, 271}}}},
    {"misfits", one_in_50_misfits,
     {{{1819, 2404, 1}, {1819, 2404, 206}},
      {{1819, 2325, 1}, {1819, 2325, 205}},
      {{1819, 4162, 1}, {1819, 4162, 223}}}},
    {"nearly", one_in_10_nearby,
     {{{1025, 4098, 1}, {1025, 4098, 143}},
      {{1025, 3594, 1}, {1025, 3594, 138}},
      {{1025, 5956, 1}, {1025, 5956, 162}}}},
    {"appended", last_tenth_appended,
     {{{1996, 4620, 1}, {1996, 4623, 246}},
      {{1996, 3377, 1}, {1996, 3377, 233}},
      {{1996, 5675, 1}, {1996, 5675, 256}}}},
    {"low runs", every_second_run_is_low,
     {{{1980, 14153, 1}, {1980, 14145, 339}},
      {{1980, 2194, 1}, {1980, 2194, 221}},
      {{1980, 3973, 1}, {1980, 3973, 240}}}},
    {"high runs", every_fifth_run_is_high,
     {{{1998, 10238, 1}, {1998, 10244, 302}},
      {{1998, 2383, 1}, {1998, 2383, 225}},
      {{1998, 4290, 1}, {1998, 4290, 245}}}},
};
/* clang-format on */

static order_cost measure(const known_data *data, uint32_t which, hm_budget budget)
{
    uint64_t random = 1;
    column c;
    column_init(&c, ITEMS);
    for (uint32_t i = 0; i < ITEMS; i++)
        column_insert(&c, data->key(i, &random), false);
    order_cost cost = {0, 0, 0};
    for (bool done = false; !done; cost.calls++) {
        hm_progress progress = column_run(&c, column_order(&c, which), budget);
        cost.swaps += (uint32_t)progress.swaps;
        cost.compares += (uint32_t)progress.compares;
        done = progress.done;
    }
    column_fini(&c);
    return cost;
}

static void print(const known_data *data, const order_cost *costs)
{
    fprintf(stderr, "\"%s\": {", data->name);
    for (uint32_t i = 0; i < ORDERS * BUDGETS; i++)
        fprintf(stderr, "%s{%u, %u, %u}%s", i % BUDGETS == 0 ? "{" : ", ", costs[i].swaps,
                costs[i].compares, costs[i].calls,
                i % BUDGETS == 0           ? ""
                : i + 1 < ORDERS * BUDGETS ? "}, "
                                           : "}}\n");
}

TEST(order_cost, known_data_costs_what_it_did)
{
    bool all_hold = true;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        order_cost costs[ORDERS * BUDGETS];
        bool holds = true;
        for (uint32_t k = 0; k < ORDERS * BUDGETS; k++) {
            const order_cost *expected = &known[i].costs[k / BUDGETS][k % BUDGETS];
            costs[k] = measure(&known[i], k / BUDGETS, budgets[k % BUDGETS]);
            holds = holds && costs[k].swaps == expected->swaps &&
                    costs[k].compares == expected->compares && costs[k].calls == expected->calls;
        }
        if (!holds)
            print(&known[i], costs);
        all_hold = all_hold && holds;
    }
    CHECK(all_hold);
}

/* arranging */

typedef struct known_names {
    const char *name;
    uint32_t (*slot)(uint32_t i, uint32_t count);
    order_cost costs[BUDGETS + 1]; /* without limit, with, and without scratch memory */
} known_names;

static uint32_t from_the_back(uint32_t i, uint32_t count)
{
    return count - 1 - i;
}

/* All even ones, then all even ones again. */
static uint32_t every_second_one(uint32_t i, uint32_t count)
{
    return 2 * i % count;
}

static uint32_t ends_exchanged(uint32_t i, uint32_t count)
{
    return i == 0 ? count - 1 : i == count - 1 ? 0 : i;
}

/* Every third name means nobody. */
static uint32_t moved_up_by_strangers(uint32_t i, uint32_t count)
{
    return i % 3 == 0 ? count + i : i - 1;
}

/* clang-format off */
static const known_names lists[] = {
    {"back to front", from_the_back, {{4000, 0, 1}, {4000, 0, 402}, {124750, 0, 12475}}},
    {"every second", every_second_one, {{7990, 0, 1}, {7990, 0, 801}, {31125, 0, 3113}}},
    {"ends exchanged", ends_exchanged, {{1, 0, 1}, {1, 0, 4}, {997, 0, 100}}},
    {"strangers", moved_up_by_strangers, {{7986, 0, 1}, {7986, 0, 801}, {27556, 0, 2756}}},
};
/* clang-format on */

static order_cost arrange(const known_names *list, uint32_t count, hm_budget budget, bool is_poor)
{
    static hm_handle names[4 * ITEMS];
    uint64_t random = 1;
    column c;
    column_init(&c, count);
    column_fill_shape(&c, 1, count, &random);
    test_memory_fail(&c.memory, is_poor ? 1 : 0, true);
    for (uint32_t i = 0; i < count; i++)
        names[i] = hm_handle_pack(list->slot(i, count), 1, 0);
    hm_sequence sequence = column_sequence(&c);
    order_cost cost = {0, 0, 0};
    for (bool done = false; !done; cost.calls++) {
        hm_progress progress = hm_order_arrange(&c.state, names, count, &sequence, budget);
        CHECK(budget.max_swaps == 0 || progress.swaps <= budget.max_swaps);
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
        const order_cost costs[] = {arrange(&lists[i], 4 * ITEMS, budgets[0], false),
                                    arrange(&lists[i], 4 * ITEMS, budgets[1], false),
                                    arrange(&lists[i], ITEMS / 4, budgets[1], true)};
        if (memcmp(costs, lists[i].costs, sizeof costs) == 0)
            continue;
        all_hold = false;
        fprintf(stderr, "\"%s\": {", lists[i].name);
        for (uint32_t k = 0; k <= BUDGETS; k++)
            fprintf(stderr, "{%u, %u, %u}%s", costs[k].swaps, costs[k].compares, costs[k].calls,
                    k < BUDGETS ? ", " : "}\n");
    }
    CHECK(all_hold);
}

/* The list has room for the items that there are, however often they are named. */
TEST(order_cost, names_without_items_take_no_scratch_memory)
{
    enum { NAMES = 100000, FEW = 10 };
    hm_handle *names = calloc(NAMES, sizeof *names);
    uint64_t random = 1;
    column c;
    CHECK(names != NULL);
    column_init(&c, FEW);
    column_fill_shape(&c, 1, FEW, &random);
    for (uint32_t i = 0; i < NAMES; i++)
        names[i] = hm_handle_pack((i + 1) % FEW, 1, 0);
    hm_sequence sequence = column_sequence(&c);
    hm_progress progress = hm_order_arrange(&c.state, names, NAMES, &sequence, (hm_budget){1, 0});
    CHECK(progress.swaps == 1 && !progress.done);
    CHECK(c.memory.reserved_size <= c.memory.table.page_size + (64 << 10));
    column_fini(&c);
    free(names);
}
