/* SPDX-License-Identifier: MIT */
/* The secondary's callbacks: when they run, what they see, and that none of them can change it. */
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

/* Re-entry: a secondary whose callbacks all try everything. */

typedef struct intruder {
    hm_secondary secondary, other;
    uint32_t tries;
} intruder;

static bool refuse_to_be_asked(hm_handle of, const void *value, void *context)
{
    (void)value;
    (void)of;
    (void)context;
    CHECK(false);
    return false;
}

static uint64_t int_key(const void *value, void *context)
{
    (void)context;
    return (uint64_t) * (const int *)value;
}

static void try_everything(intruder *self)
{
    static const hm_order order = {.key = int_key};
    hm_secondary *secondary = &self->secondary;
    hm_secondary_stats before = hm_secondary_get_stats(secondary);
    hm_handle live = hm_secondary_owner_at(secondary, 0);
    self->tries++;
    CHECK(hm_secondary_validate(secondary) == HM_OK);
    CHECK(hm_secondary_set(secondary, owner(77, 1), NULL) == NULL);
    CHECK(hm_secondary_set(secondary, live, NULL) == NULL);
    CHECK(strstr(hm_last_error(), "'intruded'") != NULL);
    CHECK(hm_secondary_reserve(secondary, 1) == HM_ERROR_BUSY);
    CHECK(hm_secondary_trim(secondary) == HM_ERROR_BUSY);
    CHECK(!hm_secondary_remove(secondary, live));
    CHECK(hm_secondary_remove_if(secondary, refuse_to_be_asked, NULL) == 0);
    hm_progress progress = hm_secondary_defragment(secondary, &order, (hm_budget){0, 0});
    CHECK(progress.swaps == 0 && progress.compares == 0 && !progress.done);
    progress = hm_secondary_arrange(secondary, &live, 1, (hm_budget){0, 0});
    CHECK(progress.swaps == 0 && progress.compares == 0 && !progress.done);
    hm_secondary_stats after = hm_secondary_get_stats(secondary);
    CHECK(memcmp(&before, &after, sizeof before) == 0);
    CHECK(hm_secondary_get(secondary, live) == hm_secondary_values(secondary));
    /* Another one may be changed. */
    set(&self->other, owner(1, 1), 1);
    CHECK(hm_secondary_remove(&self->other, owner(1, 1)));
}

static void destroy_and_try(void *value, void *context)
{
    (void)value;
    try_everything(context);
}

static bool ask_and_try(hm_handle of, const void *value, void *context)
{
    (void)value;
    try_everything(context);
    return hm_handle_index(of) % 2 != 0;
}

static int compare_and_try(const void *a, const void *b, void *context)
{
    int left = *(const int *)a, right = *(const int *)b;
    try_everything(context);
    return (left > right) - (left < right);
}

static uint64_t key_and_try(const void *value, void *context)
{
    try_everything(context);
    return int_key(value, NULL);
}

/* Values fall, so that there are some to put in order. */
static void refill(intruder *self)
{
    hm_secondary_clear(&self->secondary);
    for (int i = 0; i < VALUES; i++)
        set(&self->secondary, owner((uint32_t)i, 1), VALUES - i);
}

/* Runs each operation that calls back; each must have called, and left the secondary usable. */
static void run_all_operations(intruder *self)
{
    hm_secondary *secondary = &self->secondary;
    const hm_order by_compare = {.compare = compare_and_try, .context = self};
    const hm_order by_key = {.key = key_and_try, .context = self};
    for (int operation = 0; operation < 6; operation++) {
        if (operation >= 3 && secondary->destroy == NULL)
            continue;
        refill(self);
        uint32_t tries = self->tries;
        if (operation == 0)
            CHECK(hm_secondary_remove_if(secondary, ask_and_try, self) == VALUES / 2);
        if (operation == 1)
            CHECK(hm_secondary_defragment(secondary, &by_compare, (hm_budget){0, 0}).done);
        if (operation == 2)
            CHECK(hm_secondary_defragment(secondary, &by_key, (hm_budget){0, 0}).done);
        if (operation == 3)
            CHECK(hm_secondary_remove(secondary, owner(4, 1)));
        if (operation == 4)
            set(secondary, owner(4, 2), 1);
        if (operation == 5)
            hm_secondary_clear(secondary);
        CHECK(self->tries > tries);
        CHECK(hm_secondary_validate(secondary) == HM_OK);
        CHECK(hm_secondary_reserve(secondary, 1) == HM_OK);
        set(secondary, owner(77, 1), 7);
        CHECK(hm_secondary_remove(secondary, owner(77, 1)));
    }
}

TEST(secondary_callback, every_change_from_inside_is_refused)
{
    for (int hook = 0; hook < 2; hook++) {
        intruder self = {.tries = 0};
        self.other = make((hm_secondary_desc){0});
        self.secondary = make((hm_secondary_desc){
            .destroy = hook != 0 ? destroy_and_try : NULL, .context = &self, .name = "intruded"});
        run_all_operations(&self);
        finish(&self.secondary);
        finish(&self.other);
    }
}

/* Functions that return nothing panic instead: each of them in each callback. */

typedef struct saboteur {
    hm_secondary secondary;
    char act; /* 'c'lear, 'f'ini, 't'ouch or touch 'a'll */
} saboteur;

static void sabotage(saboteur *self)
{
    if (self->act == 'c')
        hm_secondary_clear(&self->secondary);
    else if (self->act == 'f')
        hm_secondary_fini(&self->secondary);
    else if (self->act == 'a')
        hm_secondary_touch_all(&self->secondary);
    else
        hm_secondary_touch(&self->secondary, hm_secondary_owner_at(&self->secondary, 0));
}

static void sabotage_destroy(void *value, void *context)
{
    (void)value;
    sabotage(context);
}

static bool sabotage_predicate(hm_handle of, const void *value, void *context)
{
    (void)value;
    (void)of;
    sabotage(context);
    return true;
}

static int sabotage_compare(const void *a, const void *b, void *context)
{
    (void)a;
    (void)b;
    sabotage(context);
    return 0;
}

static uint64_t sabotage_key(const void *value, void *context)
{
    (void)value;
    sabotage(context);
    return 0;
}

/* Calls `act` from the callback `from`: 'd'estroy, 'p'redicate, 'c'ompare or 'k'ey. */
static void act_from(char act, char from)
{
    static saboteur self;
    self.act = act;
    self.secondary = make((hm_secondary_desc){
        .destroy = from == 'd' ? sabotage_destroy : NULL, .context = &self, .name = "armour"});
    fill(&self.secondary, 3);
    const hm_order order = {.compare = from == 'c' ? sabotage_compare : NULL,
                            .key = from == 'k' ? sabotage_key : NULL,
                            .context = &self};
    if (from == 'd')
        hm_secondary_remove(&self.secondary, owner(0, 1));
    else if (from == 'p')
        hm_secondary_remove_if(&self.secondary, sabotage_predicate, &self);
    else
        hm_secondary_defragment(&self.secondary, &order, (hm_budget){0, 0});
}

#define PANICS_INSIDE(act, from)                                                                   \
    DEATH_TEST(secondary_callback, act##_from_##from##_panics)                                     \
    {                                                                                              \
        act_from(#act[0], #from[0]);                                                               \
    }

PANICS_INSIDE(clear, destroy)
PANICS_INSIDE(clear, predicate)
PANICS_INSIDE(clear, compare)
PANICS_INSIDE(clear, key)
PANICS_INSIDE(fini, destroy)
PANICS_INSIDE(fini, predicate)
PANICS_INSIDE(fini, compare)
PANICS_INSIDE(fini, key)
PANICS_INSIDE(touch, destroy)
PANICS_INSIDE(touch, predicate)
PANICS_INSIDE(touch, compare)
PANICS_INSIDE(touch, key)
PANICS_INSIDE(all_touched, destroy)
PANICS_INSIDE(all_touched, predicate)
PANICS_INSIDE(all_touched, compare)
PANICS_INSIDE(all_touched, key)

DEATH_TEST(secondary_callback, a_refusal_names_the_function_and_the_secondary)
{
    test_expect_panic_of("secondary.c", "hm_secondary_clear: called on 'armour'");
    act_from('c', 'd');
}
