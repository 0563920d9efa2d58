/* SPDX-License-Identifier: MIT */
/* Random changes between the calls that put a column in order: items are inserted, erased, edited,
 * cut off or forgotten. Any call that reports `done` leaves the column in order, equal items that
 * were not disturbed keep their order, and without further changes a column gets done. */
#include "support/order.h"

enum { MOST_ITEMS = 300, CALLS = 40 };

/* Any item may have been edited. */
static void forget(column *c)
{
    hm_order_reset(c->state);
    for (uint32_t i = 0; i < c->count; i++)
        c->items[i].is_loose = true;
}

/* Makes one change, as the owner of a column would. */
static void change(column *c, uint64_t *random)
{
    uint32_t what = test_random_below(random, 100);
    uint64_t key = test_random_below(random, 100);
    if (what < 25 && c->count < c->capacity)
        column_insert(c, key, true);
    else if (what < 45 && c->count > 0)
        column_erase(c, test_random_below(random, c->count));
    else if (what < 55 && c->count > 0)
        column_cut(c, c->count - 1 - test_random_below(random, c->count) / 8);
    else if (what < 90 && c->count > 0)
        column_edit(c, test_random_below(random, c->count), key);
    else if (what < 94)
        column_erase_some(c);
    else if (what < 97)
        CHECK(column_trim(c) == HM_OK || c->memory.fail_at != 0);
    else
        forget(c);
}

/* Mostly tight, so that changes come in every phase; sometimes enough for a whole round. */
static hm_frame_budget random_budget(uint64_t *random)
{
    uint32_t swaps = test_random_below(random, 12);
    uint32_t compares = test_random_below(random, 40);
    if (test_random_below(random, 8) == 0)
        return test_budget_of(1, 1);
    if (test_random_below(random, 8) == 0)
        swaps = 1000;
    if (test_random_below(random, 4) == 0)
        compares = 1000;
    return test_budget_of(swaps, compares);
}

/* Makes memory refuse one of the next calls, or all from there on. */
static void refuse(column *c, uint64_t *random)
{
    uint32_t k = test_random_below(random, 6);
    test_memory_fail(&c->memory, k, test_random_below(random, 2) == 0);
}

/* Changes a column at random, and then lets it get done. */
static void live(uint32_t round, bool is_refused, uint64_t *random)
{
    column c;
    column_init(&c, MOST_ITEMS);
    column_fill_shape(&c, round, 1 + test_random_below(random, MOST_ITEMS), random);
    hm_order order = column_order(&c, round / SHAPES);
    uint32_t changes = 1 + round % 4;
    for (uint32_t call = 0; call < CALLS; call++) {
        if (is_refused && test_random_below(random, 3) == 0)
            refuse(&c, random);
        column_run(&c, order, random_budget(random));
        if (test_random_below(random, 4) == 0)
            for (uint32_t i = test_random_below(random, changes + 1); i > 0; i--)
                change(&c, random);
    }
    column_finish(&c, order, random_budget(random));
    hm_progress progress =
        column_run(&c, order, (hm_frame_budget){HM_NO_LIMIT, HM_NO_LIMIT, false});
    CHECK(progress.done && progress.swaps == 0 && progress.compares == 0);
    column_fini(&c);
}

TEST(order_property, what_is_done_is_in_order_whatever_changes_between_calls)
{
    uint64_t random = test_seed("changes of an order");
    for (uint32_t round = test_scaled(8000); round > 0; round--)
        live(round, false, &random);
}

TEST(order_property, what_is_done_is_in_order_though_memory_is_refused_now_and_then)
{
    uint64_t random = test_seed("changes without memory");
    for (uint32_t round = test_scaled(8000); round > 0; round--)
        live(round, true, &random);
}

/* The ways to change a large column between two calls. */
static void change_crowd(column *c, uint32_t kind)
{
    uint32_t count = c->count;
    if (kind == 0)
        for (uint32_t i = 0; i < count; i++) /* all of them, without a change */
            column_edit(c, i, c->items[i].key);
    if (kind == 1)
        column_cut(c, count / 3);
    if (kind == 2)
        for (uint32_t i = 0; i < count / 2; i++)
            column_erase(c, i);
    if (kind == 3) {
        column_cut(c, count - 100);
        for (uint32_t i = 0; i < 200; i++)
            column_insert(c, i, true);
    }
    if (kind == 4)
        column_erase_some(c);
}

enum { CROWDS = 5 };

/* Stops `calls` calls after the phase began, changes many items, and continues in small steps. */
static void change_in_phase(hm_order_phase phase, uint32_t which, uint32_t calls, uint32_t kind)
{
    enum { LARGE = 26000, FRONT = LARGE / 6, SMALL_STEPS = 20 };
    uint64_t random = 1 + calls;
    column c;
    column_init(&c, LARGE + SMALL_STEPS * 10);
    for (uint32_t i = 0; i < LARGE; i++) { /* Shuffled, or only the last items are out of place. */
        uint64_t key = i < LARGE - FRONT ? LARGE + i : test_random_below(&random, LARGE);
        column_insert(&c, calls % 2 ? key : test_random_below(&random, LARGE), false);
    }
    hm_order order = column_order(&c, which);
    for (uint32_t call = 0; call < LARGE && (call == 0 || c.state->phase != phase); call++)
        column_run(&c, order, test_budget_of(1, 50));
    for (; calls > 0; calls--)
        column_run(&c, order, test_budget_of(calls > 1 ? 2000 : 1, 1));
    change_crowd(&c, kind);
    for (uint32_t call = 0; call < SMALL_STEPS; call++)
        column_run(&c, order, test_budget_of(1, 1));
    column_finish(&c, order, test_budget_of(5000, 20000));
    column_fini(&c);
}

TEST(order_property, a_crowd_that_changes_in_any_phase_is_seen)
{
    enum { PHASES = HM_ORDER_PLACE - HM_ORDER_COUNT + 1, CALLS_IN = 4 };
    enum { ALL = ORDERS * PHASES * CROWDS * CALLS_IN, STEP = 7 };
    _Static_assert(ALL % STEP != 0, "steps reach all of them");
    for (uint32_t i = test_scaled(ALL); i > 0; i--) {
        uint32_t which = i * STEP % ALL;
        uint32_t phase = HM_ORDER_COUNT + which / ORDERS % PHASES;
        uint32_t rest = which / ORDERS / PHASES;
        change_in_phase((hm_order_phase)phase, which % ORDERS, rest / CROWDS, rest % CROWDS);
    }
}

/* The last items belong in front of the others, which are queued where those were, and then gone.
 */
TEST(order_property, a_queue_of_items_that_are_gone_is_passed_in_steps)
{
    enum { LARGE = 60000, FRONT = LARGE / 6 };
    column c;
    column_init(&c, LARGE);
    for (uint32_t i = 0; i < LARGE; i++)
        column_insert(&c, i < LARGE - FRONT ? LARGE + i : i, false);
    hm_order order = column_order(&c, 0);
    while (c.state == NULL || c.state->phase != HM_ORDER_PLACE)
        column_run(&c, order, test_budget_of(1, 1000));
    column_run(&c, order, test_budget_of(FRONT, 1));
    uint32_t queued = c.state->place.queue_count;
    CHECK(queued > FRONT / 2);
    column_cut(&c, LARGE - FRONT);
    column_run(&c, order, test_budget_of(1, 1));
    CHECK(c.state->place.queue_count < queued && c.state->place.queue_count > 0);
    column_finish(&c, order, test_budget_of(1, 1000));
    column_fini(&c);
}

/* An item moves half the way down, past many items that stay, and before many that give way. */
TEST(order_property, long_ways_are_gone_in_steps)
{
    enum { N = 300000 };
    column c;
    hm_order order = column_init_in_order(&c, N, 0);
    column_edit(&c, N - 1, N / 2);
    for (uint32_t call = 0; call < 40; call++)
        CHECK(!column_run(&c, order, test_budget_of(1, 1)).done);
    CHECK(column_finish(&c, order, (hm_frame_budget){HM_NO_LIMIT, HM_NO_LIMIT, false}).swaps <=
          N / 2);
    column_fini(&c);
}

/* Two items at the ends of a sorted column were disturbed: a tight budget stops between them, while
 * they are counted or lifted. */
static void change_on_the_way(uint32_t stop, uint32_t kind, bool is_refused)
{
    enum { N = 300000, WORD = 32 };
    column c;
    hm_order order = column_init_in_order(&c, N, 1);
    column_edit(&c, 0, 0);
    column_edit(&c, N - 1, N);
    for (uint32_t call = 0; call < stop; call++)
        column_run(&c, order, test_budget_of(1, 1));
    if (is_refused)
        test_memory_fail(&c.memory, 1, true);
    if (kind == 0)
        column_edit(&c, N - 2, N - 2);
    if (kind == 1)
        column_cut(&c, N - WORD);
    if (kind == 2)
        column_edit(&c, 1, 1);
    if (kind >= 3)
        column_cut(&c, 4 - kind);
    column_finish(&c, order, test_budget_of(3, 100000));
    column_fini(&c);
}

TEST(order_property, a_change_while_what_was_disturbed_is_looked_for_is_seen)
{
    for (uint32_t stop = 1; stop <= test_scaled(7); stop++)
        for (uint32_t kind = 0; kind < 5; kind++) {
            change_on_the_way(stop, kind, false);
            change_on_the_way(stop, kind, true);
        }
}

/* The cost of a disturbance does not depend on the column: a gap 64 places away is found by a
 * gallop. */
TEST(order_property, a_disturbed_item_costs_few_compares_wherever_it_stands)
{
    enum { N = 20000, REACH = 64, DEAREST = 40 };
    uint64_t random = test_seed("single disturbances");
    for (uint32_t which = 0; which < ORDERS; which++) {
        column c;
        column_init(&c, N);
        for (uint32_t i = 0; i < N; i++)
            column_insert(&c, 10 * i, false);
        hm_order order = column_order(&c, which);
        column_finish(&c, order, (hm_frame_budget){HM_NO_LIMIT, HM_NO_LIMIT, false});
        for (uint32_t i = 0; i < 200; i++) {
            uint32_t index = test_random_below(&random, N);
            uint32_t target = test_random_below(&random, N);
            hm_progress progress;
            column_edit(&c, index, 10 * target + 5);
            progress = column_run(&c, order, (hm_frame_budget){HM_NO_LIMIT, HM_NO_LIMIT, false});
            CHECK(progress.done && progress.compares <= 2 * DEAREST);
            index = test_random_below(&random, N - REACH);
            column_edit(&c, index, c.items[index + REACH].key);
            progress = column_run(&c, order, (hm_frame_budget){HM_NO_LIMIT, HM_NO_LIMIT, false});
            CHECK(progress.done && progress.compares <= 2 * DEAREST);
            CHECK(progress.swaps <= REACH);
        }
        column_fini(&c);
    }
}
