/* SPDX-License-Identifier: MIT */
/* hm_secondary_lower_bound and hm_secondary_upper_bound: ranges of values in order, and who is
 * refused. order/bound_test.c tests the search itself. */
#include "support/secondary.h"

#include <string.h>

enum { VALUES = 300 };

static int compare_ints(const void *a, const void *b, void *context)
{
    int left = *(const int *)a, right = *(const int *)b;
    (void)context;
    return (left > right) - (left < right);
}

static uint64_t int_key(const void *value, void *context)
{
    (void)context;
    return (uint64_t) * (const int *)value;
}

static const hm_order by_compare = {.compare = compare_ints};
static const hm_order by_key = {.key = int_key};

/* Each multiple of 3 three times. */
static hm_secondary make_filled(void)
{
    hm_secondary secondary = make((hm_secondary_desc){.name = "ints"});
    for (uint32_t i = 0; i < VALUES; i++)
        set(&secondary, owner(i, 1), (int)(i * 77 % VALUES / 3 * 3));
    return secondary;
}

TEST(secondary_bound, two_searches_find_the_values_of_a_range)
{
    const hm_order *const orders[] = {&by_compare, &by_key};
    hm_secondary secondary = make_filled();
    for (uint32_t which = 0; which < 2; which++) {
        CHECK(hm_secondary_defragment(&secondary, orders[which], NULL).done);
        for (int value = 0; value < VALUES + 5; value++) {
            uint32_t next =
                ((uint32_t)value + 2) / 3 * 3 < VALUES ? ((uint32_t)value + 2) / 3 * 3 : VALUES;
            uint32_t same = value % 3 == 0 && value < VALUES ? 3 : 0;
            CHECK(hm_secondary_lower_bound(&secondary, orders[which], &value) == next);
            CHECK(hm_secondary_upper_bound(&secondary, orders[which], &value) == next + same);
        }
    }
    finish(&secondary);
}

static bool is_refused(const hm_secondary *secondary, const hm_order *order, const char *why)
{
    const int probe = 9;
    bool lower = hm_secondary_lower_bound(secondary, order, &probe) == HM_INVALID_INDEX;
    lower = lower && strstr(hm_last_error(), why) != NULL;
    bool upper = hm_secondary_upper_bound(secondary, order, &probe) == HM_INVALID_INDEX;
    return lower && upper && strstr(hm_last_error(), why) != NULL;
}

static bool is_answered(const hm_secondary *secondary)
{
    const int probe = 9;
    return hm_secondary_lower_bound(secondary, &by_key, &probe) <= hm_secondary_count(secondary);
}

static const char another[] =
    "the secondary 'ints' is not in order: defragment was not called for it, or not last";
static const char not_done[] = "the secondary 'ints' is not in order: defragment is not done";

TEST(secondary_bound, a_secondary_that_is_not_in_order_is_refused)
{
    hm_secondary secondary = make_filled();
    CHECK(is_refused(&secondary, &by_key, another));
    CHECK(!hm_secondary_defragment(&secondary, &by_key, &(hm_budget){.max_swaps = 2}).done);
    CHECK(is_refused(&secondary, &by_key, not_done));
    CHECK(hm_secondary_defragment(&secondary, &by_key, NULL).done);
    CHECK(is_answered(&secondary) && is_refused(&secondary, &by_compare, another));
    set(&secondary, owner(7, 1), 12); /* replaces a value */
    CHECK(is_refused(&secondary, &by_key, not_done));
    CHECK(hm_secondary_defragment(&secondary, &by_key, NULL).done && is_answered(&secondary));
    set(&secondary, owner(VALUES, 1), 12);
    CHECK(is_refused(&secondary, &by_key, not_done));
    CHECK(hm_secondary_defragment(&secondary, &by_key, NULL).done && is_answered(&secondary));
    CHECK(hm_secondary_remove(&secondary, hm_secondary_owner_at(&secondary, 0)));
    CHECK(is_refused(&secondary, &by_key, not_done));
    CHECK(hm_secondary_defragment(&secondary, &by_key, NULL).done && is_answered(&secondary));
    CHECK(hm_secondary_trim(&secondary) == HM_OK && is_answered(&secondary));
    hm_secondary_touch_all(&secondary);
    CHECK(is_refused(&secondary, &by_key, not_done));
    hm_secondary_clear(&secondary);
    CHECK(hm_secondary_upper_bound(&secondary, &by_compare, &(int){3}) == 0);
    finish(&secondary);
}

typedef struct searched {
    hm_secondary *secondary;
    bool removes;
} searched;

static uint64_t key_and_remove(const void *value, void *context)
{
    searched *s = context;
    uint64_t key = int_key(value, NULL);
    if (s->removes)
        CHECK(hm_secondary_remove(s->secondary, hm_secondary_owner_at(s->secondary, 0)));
    s->removes = false;
    return key;
}

/* It breaks the rules of an order. AddressSanitizer watches. */
TEST(secondary_bound, a_change_from_a_search_is_not_refused_but_ends_it)
{
    hm_secondary secondary = make_filled();
    searched s = {&secondary, false};
    const hm_order order = {.key = key_and_remove, .context = &s};
    const int probe = 40;
    CHECK(hm_secondary_defragment(&secondary, &order, NULL).done);
    s.removes = true;
    CHECK(hm_secondary_lower_bound(&secondary, &order, &probe) == HM_INVALID_INDEX);
    CHECK(hm_secondary_count(&secondary) == VALUES - 1);
    finish(&secondary);
}
