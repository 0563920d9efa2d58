/* SPDX-License-Identifier: MIT */
/* The secondary's callbacks: when they run, and what they see. matrix/callback_test.c shows that
 * none of them can change it. */
#include "support/secondary.h"

#include <string.h>

enum { VALUES = 12, LOG_SIZE = 100 };

/* destroy: which values, and how many there were */

typedef struct witness {
    hm_secondary secondary;
    int log[LOG_SIZE];
    uint32_t counts[LOG_SIZE];
    uint32_t events;
} witness;

static void on_destroy(void *value, void *context)
{
    witness *seen = context;
    int number = *(int *)value;
    CHECK(seen->events < LOG_SIZE);
    CHECK(hm_secondary_validate(&seen->secondary) == HM_OK);
    const int *values = hm_secondary_values(&seen->secondary);
    uint32_t index = (uint32_t)((const int *)value - values);
    hm_handle of = hm_secondary_owner_at(&seen->secondary, index);
    CHECK(hm_secondary_get(&seen->secondary, of) == value);
    CHECK(hm_handle_index(of) == (uint32_t)number % 100);
    seen->counts[seen->events] = hm_secondary_count(&seen->secondary);
    seen->log[seen->events++] = number;
}

static void start(witness *seen)
{
    memset(seen, 0, sizeof *seen);
    seen->secondary = make((hm_secondary_desc){.destroy = on_destroy, .context = seen});
    fill(&seen->secondary, VALUES);
    CHECK(seen->events == 0);
}

TEST(secondary_callback, remove_destroys_before_anything_moves)
{
    witness seen;
    start(&seen);
    CHECK(hm_secondary_remove(&seen.secondary, owner(3, 1)));
    CHECK(seen.events == 1 && seen.log[0] == 3 && seen.counts[0] == VALUES);
    CHECK(!hm_secondary_remove(&seen.secondary, owner(3, 1)) && seen.events == 1);
    CHECK(hm_secondary_index_of(&seen.secondary, owner(VALUES - 1, 1)) == 3);
    finish(&seen.secondary);
    CHECK(seen.events == VALUES);
}

TEST(secondary_callback, set_destroys_the_value_that_it_replaces_once)
{
    witness seen;
    start(&seen);
    set(&seen.secondary, owner(3, 1), 103);
    CHECK(seen.events == 1 && seen.log[0] == 3 && seen.counts[0] == VALUES);
    set(&seen.secondary, owner(3, 7), 203);
    CHECK(seen.events == 2 && seen.log[1] == 103 && seen.counts[1] == VALUES);
    CHECK(hm_secondary_set(&seen.secondary, owner(3, 6), NULL) == NULL);
    CHECK(hm_secondary_set(&seen.secondary, owner(3, 0), NULL) == NULL);
    CHECK(seen.events == 2);
    set(&seen.secondary, owner(50, 1), 50); /* replaces nothing */
    CHECK(seen.events == 2);
    finish(&seen.secondary);
    CHECK(seen.events == 2 + VALUES + 1);
}

static void wipe(void *value, void *context)
{
    (void)context;
    *(int *)value = -1;
}

TEST(secondary_callback, set_with_the_address_of_the_destroyed_value_keeps_what_the_hook_left)
{
    hm_secondary secondary = make((hm_secondary_desc){.destroy = wipe});
    set(&secondary, owner(1, 1), 5);
    int *place = hm_secondary_get(&secondary, owner(1, 1));
    CHECK(hm_secondary_set(&secondary, owner(1, 2), place) == place && *place == -1);
    finish(&secondary);
}

TEST(secondary_callback, clear_and_fini_destroy_the_last_first)
{
    for (int way = 0; way < 2; way++) {
        witness seen;
        start(&seen);
        if (way == 0)
            hm_secondary_clear(&seen.secondary);
        else
            hm_secondary_fini(&seen.secondary);
        CHECK(seen.events == VALUES);
        for (uint32_t i = 0; i < VALUES; i++)
            CHECK(seen.log[i] == VALUES - 1 - (int)i && seen.counts[i] == VALUES - i);
        hm_secondary_fini(&seen.secondary);
        CHECK(seen.events == VALUES);
    }
}

typedef struct question {
    witness *seen;
    uint32_t asked;
} question;

static bool is_odd(hm_handle of, const void *value, void *context)
{
    question *call = context;
    CHECK(*(const int *)value == (int)hm_handle_index(of));
    CHECK(hm_secondary_validate(&call->seen->secondary) == HM_OK);
    CHECK(call->seen->events == 0); /* All are asked before the first is removed. */
    CHECK(hm_secondary_count(&call->seen->secondary) == VALUES);
    CHECK(hm_handle_index(of) == call->asked++);
    CHECK(value_of(&call->seen->secondary, of) == (int)hm_handle_index(of));
    return hm_handle_index(of) % 2 != 0;
}

TEST(secondary_callback, remove_if_asks_for_all_in_order_and_then_destroys)
{
    witness seen;
    start(&seen);
    question call = {&seen, 0};
    CHECK(hm_secondary_remove_if(&seen.secondary, is_odd, &call) == VALUES / 2);
    CHECK(call.asked == VALUES && seen.events == VALUES / 2);
    for (uint32_t i = 0; i < seen.events; i++)
        CHECK(seen.log[i] % 2 == 1 && seen.counts[i] == VALUES - i);
    finish(&seen.secondary);
    CHECK(seen.events == VALUES);
}
