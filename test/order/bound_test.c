/* SPDX-License-Identifier: MIT */
/* The search in a sequence that is in order, against a linear scan; what refuses it; what it does
 * if compare breaks its rules. */
#include "support/order.h"

#include <handle_map/base.h>

enum { MOST_KEYS = 1100 };

/* What compare and key know. They count their calls, and may change the column at one of them. */
typedef struct searched {
    column column;
    hm_sequence sequence; /* of the last search */
    ordered_item probe;
    uint64_t calls, change_at; /* change_at 0: never */
    void (*change)(struct searched *s);
    uint64_t lies; /* state of the comparators that lie; 0: all are honest */
} searched;

static void check_shown(const searched *s, const ordered_item *item)
{
    const column *c = &s->column;
    CHECK(item == &s->probe || (size_t)(item - c->items) < c->count);
}

static void note_call(searched *s)
{
    s->calls++;
    if (s->calls == s->change_at)
        s->change(s);
}

static int compare_searched(const void *a, const void *b, void *context)
{
    searched *s = context;
    const ordered_item *x = a, *y = b;
    check_shown(s, x);
    check_shown(s, y);
    int answer = (x->key > y->key) - (x->key < y->key);
    note_call(s);
    return s->lies != 0 ? (int)test_random_below(&s->lies, 3) - 1 : answer;
}

static uint64_t key_of_searched(const void *item, void *context)
{
    searched *s = context;
    const ordered_item *shown = item;
    check_shown(s, shown);
    uint64_t key = shown->key;
    note_call(s);
    return s->lies != 0 ? test_random(&s->lies) : key;
}

static uint64_t coarse_key_of_searched(const void *item, void *context)
{
    return key_of_searched(item, context) / 8;
}

/* What defragment shows may be a copy. */
static int compare_typed_searched(const ordered_item *a, const ordered_item *b, void *context)
{
    searched *s = context;
    note_call(s);
    if (s->lies != 0)
        return (int)test_random_below(&s->lies, 3) - 1;
    return (a->key > b->key) - (a->key < b->key);
}

HM_ORDER_DEFINE(by_searched, ordered_item, compare_typed_searched)
HM_ORDER_DEFINE_KEY(by_searched_key, ordered_item, key_of_searched)

/* By compare, by key, by key and compare, and typed. */
static hm_order order_of(searched *s, uint32_t which)
{
    const hm_order orders[ORDERS] = {
        {.compare = compare_searched, .context = s},
        {.key = key_of_searched, .context = s},
        {.compare = compare_searched, .key = coarse_key_of_searched, .context = s},
        by_searched,
        by_searched_key};
    hm_order order = orders[which % ORDERS];
    order.context = s;
    return order;
}

static hm_bound bound_of(searched *s, hm_order order, bool is_upper)
{
    s->sequence = column_sequence(&s->column);
    s->sequence.what = "column";
    s->sequence.name = "tested";
    return (hm_bound){.state = s->column.state,
                      .order = order,
                      .sequence = &s->sequence,
                      .probe = &s->probe,
                      .is_upper = is_upper};
}

static uint32_t search(searched *s, hm_order order, bool is_upper, uint64_t key)
{
    const hm_bound bound = bound_of(s, order, is_upper);
    s->probe.key = key;
    s->calls = 0;
    return hm_order_bound(&bound);
}

static hm_progress run(searched *s, hm_order order, hm_frame_budget budget)
{
    hm_sequence sequence = column_sequence(&s->column);
    return hm_order_run(&s->column.state, &order, &sequence, ONCE(budget));
}

static void begin_search(searched *s, uint32_t shape, uint32_t count)
{
    uint64_t random = 7;
    memset(s, 0, sizeof *s);
    column_init(&s->column, count + 10);
    column_fill_shape(&s->column, shape, count, &random);
}

static void check_answers(searched *s, hm_order order, uint64_t key)
{
    const column *c = &s->column;
    uint32_t lower = 0, upper = 0, steps = 1;
    while (lower < c->count && c->items[lower].key < key)
        lower++;
    while (upper < c->count && c->items[upper].key <= key)
        upper++;
    while (c->count >> steps != 0)
        steps++;
    uint64_t most = (uint64_t)steps * (order.key != NULL && order.compare != NULL ? 2 : 1);
    CHECK(search(s, order, false, key) == lower && s->calls <= most + 1);
    CHECK(search(s, order, true, key) == upper && s->calls <= most + 1);
}

static const uint32_t counts[] = {1, 2, 3, 4, 31, 32, 33, 100, 1000};
enum { COUNTS = sizeof counts / sizeof *counts };

TEST(order_bound, finds_what_a_linear_scan_finds)
{
    static searched s;
    for (uint32_t shape = 0; shape < SHAPES; shape++)
        for (uint32_t i = 0; i < COUNTS; i++)
            for (uint32_t which = 0; which < ORDERS; which++) {
                begin_search(&s, shape, counts[i]);
                hm_order order = order_of(&s, which);
                CHECK(run(&s, order, (hm_frame_budget){HM_NO_LIMIT, HM_NO_LIMIT, false}).done);
                for (uint64_t key = 0; key < MOST_KEYS; key += counts[i] < 1000 ? 1 : 7)
                    check_answers(&s, order, key);
                check_answers(&s, order, UINT64_MAX);
                column_fini(&s.column);
            }
}

static bool is_answered(searched *s, hm_order order)
{
    return search(s, order, true, 3) != HM_INVALID_INDEX;
}

/* What is reported after done, in a sequence of 40: each makes the next run look at items, but for
 * the last item's leaving. */
TEST(order_bound, is_refused_after_a_change_until_it_is_done_again)
{
    static searched s;
    begin_search(&s, 0, 40);
    column *c = &s.column;
    for (uint32_t which = 0; which < ORDERS; which++) {
        hm_order order = order_of(&s, which);
        CHECK(run(&s, order, (hm_frame_budget){HM_NO_LIMIT, HM_NO_LIMIT, false}).done &&
              is_answered(&s, order));
        column_edit(c, 20, 7);
        CHECK(!is_answered(&s, order));
        CHECK(run(&s, order, (hm_frame_budget){HM_NO_LIMIT, HM_NO_LIMIT, false}).done &&
              is_answered(&s, order));
        column_edit(c, c->count - 1, 7);
        CHECK(!is_answered(&s, order));
        CHECK(run(&s, order, (hm_frame_budget){HM_NO_LIMIT, HM_NO_LIMIT, false}).done &&
              is_answered(&s, order));
        column_insert(c, 7, true);
        CHECK(!is_answered(&s, order));
        CHECK(run(&s, order, (hm_frame_budget){HM_NO_LIMIT, HM_NO_LIMIT, false}).done &&
              is_answered(&s, order));
        column_erase(c, 3);
        CHECK(!is_answered(&s, order));
        CHECK(run(&s, order, (hm_frame_budget){HM_NO_LIMIT, HM_NO_LIMIT, false}).done &&
              is_answered(&s, order));
        column_erase(c, c->count - 1);
        CHECK(is_answered(&s, order));
        hm_order_reset(c->state);
        CHECK(!is_answered(&s, order));
    }
    column_fini(c);
}

TEST(order_bound, is_refused_for_another_order_and_after_an_arrangement)
{
    static searched s, other;
    begin_search(&s, 0, 40);
    hm_order order = order_of(&s, 2), compared = order, keyed = order, elsewhere = order;
    compared.key = NULL;
    keyed.compare = NULL;
    elsewhere.context = &other;
    CHECK(run(&s, order, (hm_frame_budget){HM_NO_LIMIT, HM_NO_LIMIT, false}).done);
    CHECK(is_answered(&s, order));
    CHECK(!is_answered(&s, compared) && !is_answered(&s, keyed) && !is_answered(&s, elsewhere));
    hm_bound none = bound_of(&s, order, false), busy = bound_of(&s, order, false);
    none.state = NULL;
    CHECK(hm_order_bound(&none) == HM_INVALID_INDEX);
    busy.is_busy = true;
    CHECK(hm_order_bound(&busy) == HM_INVALID_INDEX);
    CHECK(strstr(hm_last_error(), "the column 'tested' is busy") != NULL);
    hm_sequence sequence = column_sequence(&s.column);
    CHECK(hm_order_arrange(&s.column.state, NULL, 0, &sequence, NULL).done);
    CHECK(!is_answered(&s, order));
    column_fini(&s.column);
}

static void erase_half(searched *s)
{
    column_cut(&s->column, s->column.count / 2);
}

static void erase_last(searched *s)
{
    column_erase(&s->column, s->column.count - 1);
}

static void edit_first(searched *s)
{
    column_edit(&s->column, 0, 5);
}

static void forget(searched *s)
{
    hm_order_reset(s->column.state);
}

/* check_shown sees to it that no item is read that is gone. */
TEST(order_bound, ends_if_a_callback_changes_the_sequence)
{
    static searched s;
    void (*const changes[])(searched *) = {erase_half, erase_last, edit_first, forget};
    for (uint32_t which = 0; which < ORDERS; which++)
        for (uint32_t i = 0; i < sizeof changes / sizeof *changes; i++)
            for (uint32_t at = 1; at <= 20; at++) {
                begin_search(&s, 1, 1000);
                hm_order order = order_of(&s, which);
                CHECK(run(&s, order, (hm_frame_budget){HM_NO_LIMIT, HM_NO_LIMIT, false}).done);
                s.change = changes[i];
                s.change_at = at;
                bool is_refused = search(&s, order, at % 2 != 0, 990) == HM_INVALID_INDEX;
                CHECK(is_refused == (s.calls == at) && s.calls <= at);
                column_fini(&s.column);
            }
}

TEST(order_bound, ends_within_the_sequence_if_the_order_lies)
{
    static searched s;
    uint64_t random = test_seed("order_bound lies");
    for (uint32_t i = 0; i < 300; i++) {
        begin_search(&s, i, 100);
        hm_order order = order_of(&s, i);
        CHECK(run(&s, order, (hm_frame_budget){HM_NO_LIMIT, HM_NO_LIMIT, false}).done);
        s.lies = test_random(&random) | 1;
        CHECK(search(&s, order, i % 2 != 0, 50) <= 100 && s.calls <= 15);
        column_fini(&s.column);
    }
}

DEATH_TEST(order_bound, null_panics)
{
    hm_order_bound(NULL);
}
