/* SPDX-License-Identifier: MIT */
/* The functions of order.h on a plain column: their costs, where they stop, and how they react to
 * broken contracts and orders that lie. */
#include "support/order.h"

#include <math.h>
#include <time.h>

enum { FEW = 200, MANY = 20000 };

static const hm_frame_budget no_limit = {HM_NO_LIMIT, HM_NO_LIMIT, false};

/* The header's bound for one round; undisturbed, one round is enough. */
static uint64_t most_compares(uint64_t n)
{
    return 10 * n + (uint64_t)(3 * (double)n * log2((double)n)) + 1;
}

TEST(order, every_shape_ends_in_stable_order_under_every_small_budget)
{
    static const hm_frame_budget budgets[] = {{HM_NO_LIMIT, HM_NO_LIMIT, false},
                                              {1, HM_NO_LIMIT, false},
                                              {HM_NO_LIMIT, 1, false},
                                              {1, 1, false},
                                              {2, 3, false},
                                              {7, HM_NO_LIMIT, false},
                                              {HM_NO_LIMIT, 5, false}};
    static const uint32_t counts[] = {2, 3, 5, 9, 31, 32, 33, 64, 65, 150, 400};
    uint64_t random = test_seed("order shapes");
    for (uint32_t shape = 0; shape < SHAPES; shape++)
        for (uint32_t which = 0; which < ORDERS; which++)
            for (size_t n = 0; n < sizeof counts / sizeof *counts; n++) {
                column c;
                column_init(&c, counts[n]);
                column_fill_shape(&c, shape, counts[n], &random);
                hm_frame_budget budget = budgets[(shape + which + n) % 7];
                hm_progress total = column_finish(&c, column_order(&c, which), budget);
                CHECK(total.swaps <= counts[n]);
                CHECK(total.compares <= most_compares(counts[n]));
                column_fini(&c);
            }
}

TEST(order, large_columns_of_every_shape_take_n_swaps_and_n_log_n_compares_at_most)
{
    uint64_t random = test_seed("large shapes");
    for (uint32_t shape = 0; shape < SHAPES; shape++)
        for (uint32_t which = 0; which < ORDERS; which++) {
            column c;
            column_init(&c, MANY);
            column_fill_shape(&c, shape, MANY, &random);
            hm_progress total =
                column_finish(&c, column_order(&c, which), test_budget_of(1000, 3000));
            CHECK(total.swaps <= MANY);
            CHECK(total.compares <= (uint64_t)((double)MANY * (log2((double)MANY) + 4)));
            column_fini(&c);
        }
}

TEST(order, sorted_items_cost_one_compare_each)
{
    uint64_t random = 1;
    for (uint32_t shape = 1; shape < SHAPES; shape += 4) { /* sorted; all-equal */
        column c;
        column_init(&c, FEW);
        column_fill_shape(&c, shape, FEW, &random);
        hm_progress progress = column_run(&c, column_order(&c, 0), no_limit);
        CHECK(progress.done && progress.swaps == 0 && progress.compares == FEW - 1);
        progress = column_run(&c, column_order(&c, 1), no_limit);
        CHECK(progress.done && progress.swaps == 0 && progress.compares == FEW);
        column_fini(&c);
    }
}

/* Moves one percent of the keys, at most `reach` away. */
static void displace(column *c, uint32_t reach, uint64_t *random)
{
    for (uint32_t i = 0; i < c->count / 200; i++) {
        uint32_t a = test_random_below(random, c->count - reach);
        uint32_t b = a + test_random_below(random, reach + 1);
        uint64_t key = c->items[a].key;
        c->items[a].key = c->items[b].key;
        c->items[b].key = key;
    }
}

TEST(order, one_percent_that_do_not_fit_cost_three_compares_an_item_at_most)
{
    static const uint32_t reaches[] = {1, 64, MANY - 1};
    uint64_t random = test_seed("one percent");
    for (uint32_t which = 0; which < ORDERS; which++)
        for (size_t i = 0; i <= sizeof reaches / sizeof *reaches; i++) {
            column c;
            column_init(&c, MANY);
            column_fill_shape(&c, 1, MANY, &random);
            if (i < sizeof reaches / sizeof *reaches)
                displace(&c, reaches[i], &random);
            for (uint32_t k = MANY - MANY / 100; i == 3 && k < MANY; k++) /* appended ones */
                c.items[k].key = test_random_below(&random, MANY);
            hm_progress total =
                column_finish(&c, column_order(&c, which), test_budget_of(100, HM_NO_LIMIT));
            CHECK(total.compares <= 3 * MANY);
            column_fini(&c);
        }
}

TEST(order, an_interrupted_run_ends_as_an_uninterrupted_one_does)
{
    uint64_t random = test_seed("order interruptions");
    for (uint32_t shape = 0; shape < SHAPES; shape++)
        for (uint32_t which = 0; which < ORDERS; which++) {
            column whole, parts;
            column_init(&whole, FEW);
            column_init(&parts, FEW);
            column_fill_shape(&whole, shape, FEW, &random);
            for (uint32_t i = 0; i < FEW; i++)
                column_insert(&parts, whole.items[i].key, false);
            hm_progress once = column_run(&whole, column_order(&whole, which), no_limit);
            hm_progress often =
                column_finish(&parts, column_order(&parts, which), test_budget_of(3, 1));
            CHECK(once.done && once.swaps == often.swaps);
            for (uint32_t i = 0; i < FEW; i++)
                CHECK(whole.items[i].id == parts.items[i].id);
            column_fini(&whole);
            column_fini(&parts);
        }
}

TEST(order, an_order_that_lies_ends_within_the_bound_and_leaves_a_permutation)
{
    uint64_t random = test_seed("order lies");
    for (uint32_t round = 0; round < 300; round++) {
        uint32_t count = 1 + test_random_below(&random, 300);
        bool seen[300] = {false};
        column c;
        column_init(&c, count);
        column_fill_shape(&c, round, count, &random);
        c.lies = test_random(&random) | 1;
        hm_frame_budget budget = test_budget_of(round % 4 * 5, round / 4 % 4 * 5);
        hm_progress total = column_finish(&c, column_order(&c, round), budget);
        CHECK(total.swaps <= count && total.compares <= most_compares(count));
        for (uint32_t i = 0; i < count; i++) {
            CHECK(!seen[c.items[i].id]);
            seen[c.items[i].id] = true;
        }
        column_fini(&c);
    }
}

/* other work */

/* Makes calls up to the first swap. Returns how many of them did only other work. */
static uint32_t idle_calls(column *c, hm_order order, hm_frame_budget budget)
{
    uint32_t idle = 0;
    for (hm_progress progress = {0}; progress.swaps == 0;) {
        progress = column_run(c, order, budget);
        idle += progress.swaps == 0 && progress.compares == 0;
    }
    return idle;
}

/* Six digits of eleven bits, each sorted in two passes. */
TEST(order, sorting_by_digits_is_cut_too)
{
    uint64_t random = test_seed("digits");
    column c;
    column_init(&c, MANY);
    for (uint32_t i = 0; i < MANY; i++)
        column_insert(&c, test_random(&random), false);
    hm_order order = column_order(&c, 1);
    hm_frame_budget budget = test_budget_of(1, 100);
    uint32_t idle = idle_calls(&c, order, budget);
    CHECK(idle >= 6 * 2 * MANY / (4 * 101 + 4096) - 1);
    CHECK(column_finish(&c, order, no_limit).done);
    column_fini(&c);
}

/* 24 bits are three digits, though there are 40 bits below them. */
TEST(order, bits_in_which_no_keys_differ_are_not_dealt_out)
{
    uint64_t random = test_seed("high digits");
    column c;
    column_init(&c, MANY);
    for (uint32_t i = 0; i < MANY; i++)
        column_insert(&c, test_random(&random) >> 40 << 40, false);
    hm_order order = column_order(&c, 1);
    uint32_t idle = idle_calls(&c, order, test_budget_of(1, 100));
    uint32_t walks = 3 * 2 + 2; /* to lift and to locate, too */
    CHECK(idle <= walks * MANY / (4 * 101 + 4096) + walks);
    CHECK(column_finish(&c, order, no_limit).done);
    column_fini(&c);
}

/* Lower and lower items at the end: the scan looks back over more and more, and drops thousands at
 * once when one fits again. The marks it seeks over count as work, too. */
TEST(order, looking_back_over_long_runs_is_cut_too)
{
    enum { HIGH = 80000, LOW = 1 << 14 };
    for (uint32_t compares = 1; compares < 80; compares += 13) {
        column c;
        column_init(&c, HIGH + LOW + 200);
        for (uint32_t i = 0; i < HIGH; i++)
            column_insert(&c, LOW + i, false);
        column_insert(&c, LOW + HIGH - 8000, false);
        for (uint32_t i = 2; i < LOW; i++)
            column_insert(&c, LOW - i, false);
        for (uint32_t i = 0; i < 200; i++)
            column_insert(&c, i % 3 != 1 ? LOW + HIGH - 100 + i : 0, false);
        hm_order order = column_order(&c, 0);
        uint32_t idle = idle_calls(&c, order, test_budget_of(1, compares));
        CHECK(idle >= (LOW / 2 + LOW / 2) / (4 * 81 + 4096));
        CHECK(column_finish(&c, order, no_limit).done);
        column_fini(&c);
    }
}

/* keys */

/* 64 items or more are sorted by the digits of the keys, fewer by merging. */
TEST(order, keys_of_64_bits_count_in_every_byte)
{
    uint64_t random = test_seed("64 bits");
    for (uint32_t count = 60; count <= 300; count += count < 70 ? 1 : 115)
        for (uint32_t which = 0; which < ORDERS; which++)
            for (uint64_t mask = UINT64_MAX; mask != 0; mask = test_random(&random) & (mask >> 9)) {
                column c;
                column_init(&c, count);
                for (uint32_t i = 0; i < count; i++)
                    column_insert(&c, (test_random(&random) & mask) | (mask ^ UINT64_MAX), false);
                for (uint32_t i = 0; i < count / 4; i++) /* equal keys */
                    c.items[test_random_below(&random, count)].key = c.items[i].key;
                column_finish(&c, column_order(&c, which),
                              test_budget_of(HM_NO_LIMIT, count % 2 * 7));
                column_fini(&c);
            }
}

TEST(order, compare_breaks_the_ties_of_keys_and_then_the_places_do)
{
    uint64_t random = test_seed("ties");
    for (uint32_t count = 2; count <= 500; count *= 3) {
        column c;
        column_init(&c, count);
        for (uint32_t i = 0; i < count; i++)
            column_insert(&c, test_random_below(&random, 32), false);
        column_finish(&c, column_order(&c, 2), test_budget_of(1 + count / 9, 1 + count / 5));
        column_fini(&c);
    }
}

/* broken contracts */

static column broken; /* zeroed: a column without items */

static hm_progress run_without(bool state, bool order, bool sequence)
{
    hm_order by_key = column_order(&broken, 1);
    hm_sequence nothing = column_sequence(&broken);
    return hm_order_run(state ? NULL : &broken.state, order ? NULL : &by_key,
                        sequence ? NULL : &nothing, NULL);
}

static hm_progress arrange_without(bool state, bool sequence)
{
    hm_sequence nothing = column_sequence(&broken);
    return hm_order_arrange(state ? NULL : &broken.state, NULL, 0, sequence ? NULL : &nothing,
                            NULL);
}

static uint32_t gather_without(bool sequence, bool question)
{
    hm_sequence nothing = column_sequence(&broken);
    return hm_order_gather(broken.state, sequence ? NULL : &nothing,
                           question ? NULL : column_is_doomed, &broken);
}

#define PANICS(name, call)                                                                         \
    DEATH_TEST(order, name##_panics)                                                               \
    {                                                                                              \
        (void)(call);                                                                              \
    }

TEST(order, nothing_at_all_breaks_no_contract)
{
    CHECK(run_without(false, false, false).done);
    CHECK(arrange_without(false, false).done);
    CHECK(gather_without(false, false) == 0);
    hm_order_reset(broken.state);
    hm_order_disturb(broken.state, 0, 0);
    hm_order_end_moves(broken.state, &(hm_sequence){0});
    CHECK(hm_order_trim(&broken.state, 0) == HM_OK && broken.state == NULL);
}

PANICS(a_run_without_a_place, run_without(true, false, false))
PANICS(a_run_without_an_order, run_without(false, true, false))
PANICS(a_run_without_a_sequence, run_without(false, false, true))
PANICS(arranging_without_a_place, arrange_without(true, false))
PANICS(arranging_without_a_sequence, arrange_without(false, true))
PANICS(ending_no_place, (hm_order_fini(NULL), 0))
PANICS(settling_without_a_sequence, (hm_order_end_moves(broken.state, NULL), 0))
PANICS(gathering_without_a_sequence, gather_without(true, false))
PANICS(gathering_without_a_question, gather_without(false, true))
PANICS(trimming_no_place, hm_order_trim(NULL, 0))

DEATH_TEST(order, a_run_by_an_order_of_nothing_panics)
{
    hm_sequence nothing = column_sequence(&broken);
    hm_order_run(&broken.state, &(hm_order){.context = &broken}, &nothing, NULL);
}

DEATH_TEST(order, arranging_without_handles_panics)
{
    hm_sequence nothing = column_sequence(&broken);
    hm_order_arrange(&broken.state, NULL, 1, &nothing, NULL);
}
