/* The machinery of order.h on a plain array of numbers: what it spends, where it stops, what it
 * promises about mutations, stability and lies. */
#include "support/test.h"

#include <handle_map/order.h>

#include <stdlib.h>
#include <string.h>

enum { MOST = 512 };

typedef struct item {
    uint32_t key, id;
} item;

/* A sequence that counts its moves, and a comparator that counts its calls. */
typedef struct bench {
    item items[MOST];
    uint32_t count;
    hm_order_state state;
    uint64_t moved, asked;
    uint64_t lies; /* state of a random comparator */
} bench;

static const void *item_at(const void *owner, uint32_t index)
{
    const bench *b = owner;
    CHECK(index < b->count);
    return &b->items[index];
}

static void move_item(void *owner, uint32_t from, uint32_t to)
{
    bench *b = owner;
    CHECK(to < from && from < b->count);
    item moving = b->items[from];
    memmove(&b->items[to + 1], &b->items[to], (from - to) * sizeof(item));
    b->items[to] = moving;
    b->moved += from - to;
}

static int compare_keys(const void *a, const void *b, void *context)
{
    const item *x = a, *y = b;
    ((bench *)context)->asked++;
    return (x->key > y->key) - (x->key < y->key);
}

static uint64_t key_of(const void *a, void *context)
{
    ((bench *)context)->asked++;
    return ((const item *)a)->key;
}

static uint64_t coarse_key_of(const void *a, void *context)
{
    return key_of(a, context) / 8;
}

static int compare_at_random(const void *a, const void *b, void *context)
{
    (void)a;
    (void)b;
    return (int)(test_random(&((bench *)context)->lies) % 3) - 1;
}

static int compare_always_before(const void *a, const void *b, void *context)
{
    (void)a;
    (void)b;
    (void)context;
    return -1;
}

static hm_progress run(bench *b, hm_order order, uint32_t max_swaps, uint32_t max_compares)
{
    hm_sequence sequence = {item_at, move_item, b, b->count};
    hm_budget budget = {max_swaps, max_compares};
    b->moved = b->asked = 0;
    hm_progress progress = hm_order_run(&b->state, &order, &sequence, budget);
    CHECK(progress.swaps == b->moved);
    CHECK(max_swaps == 0 || progress.swaps <= max_swaps);
    CHECK(max_compares == 0 || progress.compares <= max_compares);
    return progress;
}

static hm_progress run_to_the_end(bench *b, hm_order order, uint32_t max_swaps,
                                  uint32_t max_compares)
{
    hm_progress total = {0, 0, false};
    for (uint32_t calls = 0; !total.done; calls++) {
        CHECK(calls < 4000000);
        hm_progress progress = run(b, order, max_swaps, max_compares);
        total.swaps += progress.swaps;
        total.compares += progress.compares;
        total.done = progress.done;
    }
    return total;
}

static bool is_in_stable_order(const bench *b)
{
    for (uint32_t i = 1; i < b->count; i++) {
        const item *x = &b->items[i - 1], *y = &b->items[i];
        if (x->key > y->key || (x->key == y->key && x->id > y->id))
            return false;
    }
    return true;
}

static void fill(bench *b, const uint32_t *keys, uint32_t count)
{
    memset(b, 0, sizeof *b);
    b->count = count;
    for (uint32_t i = 0; i < count; i++)
        b->items[i] = (item){keys[i], i};
}

/* random, sorted, reversed, organ-pipe, few-distinct, all-equal, one item far out */
enum { SHAPES = 7 };

static void fill_shape(bench *b, uint32_t shape, uint32_t count, uint64_t *random)
{
    uint32_t keys[MOST];
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t shapes[SHAPES] = {
            test_random_below(random, 1000), i, count - i,         i < count / 2 ? i : count - i,
            test_random_below(random, 4),    7, i == 0 ? count : i};
        keys[i] = shapes[shape];
    }
    fill(b, keys, count);
}

TEST(order, nothing_and_a_single_item_are_in_order_at_no_cost)
{
    bench b;
    fill(&b, NULL, 0);
    hm_progress progress = run(&b, (hm_order){compare_keys, NULL, &b}, 1, 1);
    CHECK(progress.done && progress.swaps == 0 && progress.compares == 0);
    fill(&b, (const uint32_t[]){5}, 1);
    progress = run(&b, (hm_order){compare_keys, NULL, &b}, 1, 1);
    CHECK(progress.done && progress.swaps == 0 && progress.compares == 0);
}

DEATH_TEST(order, an_order_without_compare_and_key_is_a_broken_contract)
{
    bench b;
    fill(&b, (const uint32_t[]){2, 1}, 2);
    run(&b, (hm_order){NULL, NULL, NULL}, 0, 0);
}

DEATH_TEST(order, no_order_is_a_broken_contract)
{
    bench b;
    fill(&b, (const uint32_t[]){2, 1}, 2);
    hm_sequence sequence = {item_at, move_item, &b, b.count};
    hm_order_run(&b.state, NULL, &sequence, (hm_budget){0, 0});
}

DEATH_TEST(order, no_sequence_is_a_broken_contract)
{
    bench b;
    fill(&b, (const uint32_t[]){2, 1}, 2);
    hm_order order = {compare_keys, NULL, &b};
    hm_order_run(&b.state, &order, NULL, (hm_budget){0, 0});
}

DEATH_TEST(order, no_state_is_a_broken_contract)
{
    bench b;
    fill(&b, (const uint32_t[]){2, 1}, 2);
    hm_order order = {compare_keys, NULL, &b};
    hm_sequence sequence = {item_at, move_item, &b, b.count};
    hm_order_run(NULL, &order, &sequence, (hm_budget){0, 0});
}

DEATH_TEST(order, rewinding_no_state_is_a_broken_contract)
{
    hm_order_rewind(NULL, 0);
}

TEST(order, three_swaps_and_a_budget_of_one_take_three_calls)
{
    bench b;
    fill(&b, (const uint32_t[]){1, 2, 3, 0}, 4);
    hm_order order = {compare_keys, NULL, &b};
    for (uint32_t call = 1; call <= 3; call++) {
        hm_progress progress = run(&b, order, 1, 0);
        CHECK(progress.swaps == 1);
        CHECK(progress.done == is_in_stable_order(&b));
        CHECK(progress.done == (call == 3));
    }
}

TEST(order, every_shape_ends_in_stable_order_under_every_small_budget)
{
    uint64_t random = test_seed("order shapes");
    static const hm_budget budgets[] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 3}, {7, 0}, {0, 5}};
    for (uint32_t shape = 0; shape < SHAPES; shape++)
        for (uint32_t count = 2; count <= 66; count = count * 2 - 1)
            for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
                bench b;
                fill_shape(&b, shape, count, &random);
                const hm_order orders[] = {{compare_keys, NULL, &b},
                                           {NULL, key_of, &b},
                                           {compare_keys, coarse_key_of, &b}};
                hm_order order = orders[(shape + count + i) % 3];
                run_to_the_end(&b, order, budgets[i].max_swaps, budgets[i].max_compares);
                CHECK(is_in_stable_order(&b));
            }
}

TEST(order, an_interrupted_run_spends_what_an_uninterrupted_one_does)
{
    uint64_t random = test_seed("order interruptions");
    bench whole, parts;
    fill_shape(&whole, 0, 200, &random);
    memcpy(&parts, &whole, sizeof whole);
    hm_progress once = run_to_the_end(&whole, (hm_order){NULL, key_of, &whole}, 0, 0);
    hm_progress often = run_to_the_end(&parts, (hm_order){NULL, key_of, &parts}, 3, 1);
    CHECK(once.swaps == often.swaps);
    CHECK(once.compares == often.compares);
}

TEST(order, done_is_free_until_something_changes)
{
    bench b;
    fill(&b, (const uint32_t[]){3, 1, 2}, 3);
    hm_order order = {compare_keys, NULL, &b};
    run_to_the_end(&b, order, 0, 0);
    hm_progress progress = run(&b, order, 0, 0);
    CHECK(progress.done && progress.swaps == 0 && progress.compares == 0);
    progress = run(&b, (hm_order){NULL, key_of, &b}, 0, 0);
    CHECK(progress.done && progress.compares > 0);
}

TEST(order, what_stands_behind_a_disturbance_costs_one_compare_each)
{
    uint64_t random = 1;
    bench b;
    fill_shape(&b, 1, MOST, &random);
    hm_order order = {compare_keys, NULL, &b};
    run_to_the_end(&b, order, 0, 0);
    for (uint32_t index = 1; index < MOST; index += 50) {
        hm_order_disturb(&b.state, index);
        hm_progress progress = run(&b, order, 0, 0);
        CHECK(progress.done && progress.compares == MOST - index);
    }
}

TEST(order, each_part_of_an_order_makes_it_another)
{
    bench b, other;
    memset(&other, 0, sizeof other);
    const hm_order orders[] = {{compare_keys, coarse_key_of, &b},
                               {compare_always_before, coarse_key_of, &b},
                               {compare_keys, key_of, &b},
                               {compare_keys, coarse_key_of, &other}};
    fill(&b, (const uint32_t[]){1, 2, 3}, 3);
    run_to_the_end(&b, orders[0], 0, 0);
    for (size_t i = 1; i < sizeof orders / sizeof *orders; i++) {
        uint64_t elsewhere = other.asked;
        CHECK(hm_order_run(&b.state, &orders[0], &(hm_sequence){item_at, move_item, &b, b.count},
                           (hm_budget){0, 0})
                  .done);
        hm_progress progress =
            hm_order_run(&b.state, &orders[i], &(hm_sequence){item_at, move_item, &b, b.count},
                         (hm_budget){0, 1});
        CHECK(!progress.done && progress.compares == 1);
        CHECK((other.asked != elsewhere) == (orders[i].context == &other));
        run_to_the_end(&b, orders[0], 0, 0);
    }
}

static const void *the_same_item(const void *owner, uint32_t index)
{
    (void)index;
    return owner;
}

static void note_move(void *owner, uint32_t from, uint32_t to)
{
    ((bench *)owner)->moved += from - to;
}

/* A gallop doubles its steps: 1 + 31 steps lead to 2^31 before the last item, and one more past the
 * first. No memory holds so many items, so the state is made as if they had been ordered. */
TEST(order, a_gallop_over_four_billion_items_ends)
{
    enum { GALLOP = 33 };
    const uint32_t last = UINT32_MAX - 1;
    bench b;
    fill(&b, NULL, 0);
    hm_order order = {compare_always_before, NULL, &b};
    hm_sequence sequence = {the_same_item, note_move, &b, last + 1};
    hm_order_state state = {
        .order = order, .cursor = last, .at = last, .high = last, .last = last - 1};
    hm_progress progress = hm_order_run(&state, &order, &sequence, (hm_budget){0, 0});
    CHECK(progress.done && progress.compares == GALLOP);
    CHECK(progress.swaps == last && b.moved == last);
}

TEST(order, sorted_items_cost_one_compare_each)
{
    uint64_t random = 1;
    bench b;
    fill_shape(&b, 1, MOST, &random);
    hm_progress progress = run(&b, (hm_order){compare_keys, NULL, &b}, 0, 0);
    CHECK(progress.done && progress.compares == MOST - 1);
    fill_shape(&b, 1, MOST, &random);
    progress = run(&b, (hm_order){NULL, key_of, &b}, 0, 0);
    CHECK(progress.done && progress.compares == MOST);
}

TEST(order, a_disturbed_position_is_looked_at_again)
{
    uint64_t random = test_seed("order disturbances");
    for (uint32_t round = 0; round < 2000; round++) {
        bench b;
        fill_shape(&b, round % SHAPES, 2 + test_random_below(&random, 40), &random);
        hm_order order = {compare_keys, NULL, &b};
        for (uint32_t call = 0; call < 20; call++) {
            hm_progress progress =
                run(&b, order, test_random_below(&random, 6), 1 + test_random_below(&random, 9));
            bool sorted = true;
            for (uint32_t i = 1; i < b.count; i++)
                sorted = sorted && b.items[i - 1].key <= b.items[i].key;
            CHECK(!progress.done || sorted);
            uint32_t index = test_random_below(&random, b.count);
            b.items[index].key = test_random_below(&random, 100);
            hm_order_disturb(&b.state, index);
        }
        run_to_the_end(&b, order, 0, 0);
        for (uint32_t i = 1; i < b.count; i++)
            CHECK(b.items[i - 1].key <= b.items[i].key);
    }
}

TEST(order, a_comparator_that_lies_ends_and_leaves_a_permutation)
{
    uint64_t random = test_seed("order lies");
    for (uint32_t liar = 0; liar < 2; liar++) {
        bench b;
        fill_shape(&b, 0, 100, &random);
        b.lies = random;
        hm_order order = {liar ? compare_at_random : compare_always_before, NULL, &b};
        run_to_the_end(&b, order, 5, 5);
        bool seen[100] = {false};
        for (uint32_t i = 0; i < b.count; i++) {
            CHECK(!seen[b.items[i].id]);
            seen[b.items[i].id] = true;
        }
    }
}
