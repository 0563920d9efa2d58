/* SPDX-License-Identifier: MIT */
/* Hostile callbacks: every callback of every operation, at each of its calls, tries one function
 * that would change the map. It is refused, the map is consistent, and the operation ends as if
 * nothing had been tried.
 *
 *     operations: erase, ..., arrange        attempts: insert, ..., arrange | clear, ..., touch_all
 *     hooks: none, destroy, relocate, both   at the 1st, 2nd, ..., last call of any callback */
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L /* fork */
#endif

#include "support/test.h"

#include <handle_map/directory.h>

#include <stdlib.h>
#include <string.h>

#if !defined(_WIN32) && !defined(__wasm__)
#define CAN_FORK
#include <sys/wait.h>
#include <unistd.h>
#endif

enum { ITEMS = 6, HOOK_DESTROY = 1, HOOK_RELOCATE = 2, HOOK_SETS = 4 };

/* Which callbacks an operation has called. */
enum { DESTROY = 1, RELOCATE = 2, PREDICATE = 4, COMPARE = 8, KEY = 16 };

/* Larger than what the map moves in one piece. Ordered by `rank`. */
typedef struct thing {
    unsigned char value, rank, rest[298];
} thing;

HM_MAP_DEFINE(thing, thing, 0x155)

typedef struct intruder {
    thing_map things;
    hm_map other;
    hm_directory directory;      /* holds `things` */
    thing_handle handles[ITEMS]; /* item i holds the value i */
    void (*attempt)(struct intruder *self);
    uint32_t at;    /* number of the call that makes the attempt; 0: none */
    uint32_t calls; /* of all callbacks in this operation */
    unsigned kinds; /* of callbacks that were called */
    bool watching;  /* an operation runs */
} intruder;

/* The values in dense order, and all other counts. */
typedef struct picture {
    hm_map_stats stats;
    unsigned char values[ITEMS];
} picture;

static picture look(const intruder *self)
{
    picture seen;
    memset(&seen, 0, sizeof seen);
    seen.stats = hm_map_get_stats(&self->things.map);
    for (uint32_t i = 0; i < seen.stats.count; i++)
        seen.values[i] = thing_map_items(&self->things)[i].value;
    return seen;
}

static bool is_whole(const thing *it)
{
    for (size_t i = 0; i < sizeof it->rest; i++)
        if (it->rest[i] != it->value + 1)
            return false;
    return it->rank == ITEMS - it->value;
}

/* Checks that all const functions return the truth. */
static void check_truth(const intruder *self)
{
    const hm_map *map = &self->things.map;
    uint32_t count = hm_map_count(map);
    bool present[ITEMS] = {false};
    CHECK(hm_map_validate(map) == HM_OK);
    CHECK(count <= ITEMS && thing_map_count(&self->things) == count);
    CHECK(hm_map_capacity(map) == 2 * ITEMS && hm_map_get_stats(map).count == count);
    for (uint32_t i = 0; i < count; i++) {
        const thing *it = thing_map_items(&self->things) + i;
        CHECK(it->value < ITEMS && !present[it->value] && is_whole(it));
        present[it->value] = true;
        hm_handle handle = self->handles[it->value].id;
        CHECK(hm_handle_equal(hm_map_handle_at(map, i), handle));
        CHECK(hm_map_index_of(map, handle) == i && hm_map_get(map, handle) == it);
        CHECK(thing_map_get(&self->things, self->handles[it->value]) == it);
        CHECK(hm_directory_get(&self->directory, handle) == it);
        CHECK(*(unsigned char *)hm_map_meta_at(map, i) == it->value);
    }
    for (uint32_t value = 0; value < ITEMS; value++) {
        hm_handle handle = self->handles[value].id;
        CHECK(hm_map_contains(map, handle) == present[value]);
        CHECK(hm_map_explain(map, handle) == (present[value] ? HM_HANDLE_LIVE : HM_HANDLE_STALE));
        CHECK(hm_directory_find(&self->directory, handle) == map);
    }
    CHECK(hm_handle_is_null(hm_map_handle_at(map, count)) && hm_map_meta_at(map, count) == NULL);
}

static void called_back(intruder *self, unsigned kind)
{
    if (!self->watching)
        return;
    self->kinds |= kind;
    self->calls++;
    if (self->at != 0 && self->calls != self->at)
        return;
    check_truth(self);
    if (self->attempt == NULL)
        return;
    picture before = look(self);
    self->attempt(self);
    picture after = look(self);
    CHECK(memcmp(&before, &after, sizeof before) == 0);
    check_truth(self);
}

static void on_destroy(void *item, void *context)
{
    intruder *self = context;
    if (self->watching)
        CHECK(thing_map_get(&self->things, self->handles[((thing *)item)->value]) == item);
    called_back(self, DESTROY);
}

static void on_relocate(void *item, uint32_t from, uint32_t to, void *context)
{
    intruder *self = context;
    CHECK(item == thing_map_items(&self->things) + to && from != to);
    called_back(self, RELOCATE);
}

static bool is_odd(const void *item, void *context)
{
    called_back(context, PREDICATE);
    return ((const thing *)item)->value % 2 != 0;
}

static bool is_odd_thing(const thing *it, void *context)
{
    return is_odd(it, context);
}

static int by_rank(const void *a, const void *b, void *context)
{
    called_back(context, COMPARE);
    return ((const thing *)a)->rank - ((const thing *)b)->rank;
}

static uint64_t rank_of(const void *item, void *context)
{
    called_back(context, KEY);
    return ((const thing *)item)->rank;
}

/* Makes all items tie, so that compare decides. */
static uint64_t same_for_all(const void *item, void *context)
{
    (void)item;
    called_back(context, KEY);
    return 0;
}

/* The attempts: each either panics or is refused. */

static bool refuse_to_be_asked(const void *item, void *context)
{
    (void)item;
    (void)context;
    CHECK(false);
    return true;
}

static bool thing_refuse_to_be_asked(const thing *it, void *context)
{
    return refuse_to_be_asked(it, context);
}

static uint64_t refuse_to_be_ordered(const void *item, void *context)
{
    return refuse_to_be_asked(item, context);
}

static const hm_order unused_order = {.key = refuse_to_be_ordered};

static void try_insert(intruder *self)
{
    const thing fresh = {.value = 9};
    CHECK(hm_handle_is_null(hm_map_insert(&self->things.map, &fresh)));
    CHECK(hm_handle_is_null(hm_map_insert(&self->things.map, NULL)));
    CHECK(hm_handle_is_null(thing_map_insert(&self->things, &fresh).id));
}

static void try_emplace(intruder *self)
{
    void *place = self;
    thing *typed_place = (thing *)&self->other;
    CHECK(hm_handle_is_null(hm_map_emplace(&self->things.map, &place)) && place == NULL);
    CHECK(hm_handle_is_null(thing_map_emplace(&self->things, &typed_place).id));
    CHECK(typed_place == NULL);
}

static void try_insert_n(intruder *self)
{
    hm_handle report = {7};
    CHECK(hm_map_insert_n(&self->things.map, NULL, 1, &report) == HM_ERROR_BUSY);
    CHECK(hm_map_insert_n(&self->things.map, NULL, 0, &report) == HM_ERROR_BUSY);
    CHECK(report.bits == 7);
}

static void try_erase(intruder *self)
{
    for (uint32_t i = 0; i < ITEMS; i++) {
        CHECK(!hm_map_erase(&self->things.map, self->handles[i].id));
        CHECK(!thing_map_erase(&self->things, self->handles[i]));
    }
}

static void try_erase_n(intruder *self)
{
    hm_handle all[ITEMS];
    for (uint32_t i = 0; i < ITEMS; i++)
        all[i] = self->handles[i].id;
    CHECK(hm_map_erase_n(&self->things.map, all, ITEMS) == 0);
}

static void try_erase_if(intruder *self)
{
    CHECK(hm_map_erase_if(&self->things.map, refuse_to_be_asked, NULL) == 0);
    CHECK(thing_map_erase_if(&self->things, thing_refuse_to_be_asked, NULL) == 0);
}

static void try_reserve(intruder *self)
{
    CHECK(hm_map_reserve(&self->things.map, 0) == HM_ERROR_BUSY);
    CHECK(hm_map_reserve(&self->things.map, UINT32_MAX) == HM_ERROR_BUSY);
    CHECK(thing_map_reserve(&self->things, 1) == HM_ERROR_BUSY);
}

static void try_trim(intruder *self)
{
    CHECK(hm_map_trim(&self->things.map) == HM_ERROR_BUSY);
}

static void try_defragment(intruder *self)
{
    hm_progress plain = hm_map_defragment(&self->things.map, &unused_order, (hm_budget){0, 0});
    hm_progress typed = thing_map_defragment(&self->things, &unused_order, (hm_budget){1, 1});
    CHECK(plain.swaps == 0 && plain.compares == 0 && !plain.done);
    CHECK(typed.swaps == 0 && typed.compares == 0 && !typed.done);
}

static void try_arrange(intruder *self)
{
    hm_handle all[ITEMS];
    for (uint32_t i = 0; i < ITEMS; i++)
        all[i] = self->handles[ITEMS - 1 - i].id;
    hm_progress named = hm_map_arrange(&self->things.map, all, ITEMS, (hm_budget){0, 0});
    hm_progress nobody = hm_map_arrange(&self->things.map, NULL, 0, (hm_budget){1, 1});
    CHECK(named.swaps == 0 && named.compares == 0 && !named.done);
    CHECK(nobody.swaps == 0 && nobody.compares == 0 && !nobody.done);
}

/* The directory, which only points to the busy map, and another map may be used. */
static void try_what_is_allowed(intruder *self)
{
    hm_map *map = &self->things.map;
    CHECK(hm_directory_add(&self->directory, map) == HM_ERROR_INVALID);
    CHECK(hm_directory_remove(&self->directory, map));
    CHECK(hm_directory_find(&self->directory, self->handles[0].id) == NULL);
    CHECK(hm_directory_add(&self->directory, map) == HM_OK);
    hm_handle there = hm_map_insert(&self->other, NULL);
    CHECK(hm_map_erase(&self->other, there) && hm_map_trim(&self->other) == HM_OK);
}

static void (*const attempts[])(intruder *) = {
    try_insert,  try_emplace, try_insert_n,   try_erase,   try_erase_n,         try_erase_if,
    try_reserve, try_trim,    try_defragment, try_arrange, try_what_is_allowed,
};

#if defined(CAN_FORK)

static void try_clear(intruder *self)
{
    hm_map_clear(&self->things.map);
}

static void try_fini(intruder *self)
{
    hm_map_fini(&self->things.map);
}

static void try_typed_fini(intruder *self)
{
    thing_map_fini(&self->things);
}

static void try_typed_clear(intruder *self)
{
    thing_map_clear(&self->things);
}

static void try_typed_touch(intruder *self)
{
    thing_map_touch(&self->things, self->handles[0]);
}

static void try_typed_touch_all(intruder *self)
{
    thing_map_touch_all(&self->things);
}

static void try_touch(intruder *self)
{
    hm_map_touch(&self->things.map, hm_map_handle_at(&self->things.map, 0));
}

static void try_touch_nothing(intruder *self)
{
    hm_map_touch(&self->things.map, HM_NULL_HANDLE);
}

static void try_touch_all(intruder *self)
{
    hm_map_touch_all(&self->things.map);
}

static const struct panic {
    void (*attempt)(intruder *self);
    const char *function; /* named in the message */
} panics[] = {
    {try_clear, "hm_map_clear:"},
    {try_fini, "hm_map_fini:"},
    {try_touch, "hm_map_touch:"},
    {try_touch_nothing, "hm_map_touch:"},
    {try_touch_all, "hm_map_touch_all:"},
    {try_typed_clear, "thing_map_clear:"},
    {try_typed_fini, "thing_map_fini:"},
    {try_typed_touch, "thing_map_touch:"},
    {try_typed_touch_all, "thing_map_touch_all:"},
};

enum { PANICS = sizeof panics / sizeof *panics };

#endif

/* The operations with callbacks. */

static void erase_first(intruder *self)
{
    CHECK(hm_map_erase(&self->things.map, self->handles[0].id));
}

static void erase_typed(intruder *self)
{
    CHECK(thing_map_erase(&self->things, self->handles[2]));
}

static void erase_last(intruder *self)
{
    CHECK(hm_map_erase(&self->things.map, self->handles[ITEMS - 1].id));
}

static void erase_all(intruder *self)
{
    hm_handle all[ITEMS];
    for (uint32_t i = 0; i < ITEMS; i++)
        all[i] = self->handles[i].id;
    CHECK(hm_map_erase_n(&self->things.map, all, ITEMS) == ITEMS);
}

static void erase_odd(intruder *self)
{
    CHECK(hm_map_erase_if(&self->things.map, is_odd, self) == ITEMS / 2);
}

static void erase_odd_typed(intruder *self)
{
    CHECK(thing_map_erase_if(&self->things, is_odd_thing, self) == ITEMS / 2);
}

static void clear(intruder *self)
{
    hm_map_clear(&self->things.map);
}

static void end(intruder *self)
{
    thing_map_fini(&self->things);
}

static void defragment_by_compare(intruder *self)
{
    const hm_order order = {.compare = by_rank, .context = self};
    CHECK(hm_map_defragment(&self->things.map, &order, (hm_budget){0, 0}).done);
}

static void defragment_by_key(intruder *self)
{
    const hm_order order = {.key = rank_of, .context = self};
    CHECK(thing_map_defragment(&self->things, &order, (hm_budget){0, 0}).done);
}

static void defragment_by_both(intruder *self)
{
    const hm_order order = {.key = same_for_all, .compare = by_rank, .context = self};
    CHECK(hm_map_defragment(&self->things.map, &order, (hm_budget){0, 0}).done);
}

static void defragment_in_steps(intruder *self)
{
    const hm_order order = {.key = rank_of, .context = self};
    uint32_t steps = 1;
    while (!hm_map_defragment(&self->things.map, &order, (hm_budget){1, 2}).done)
        CHECK(++steps < 1000);
}

/* Puts the items in reverse order, which is that of their ranks. */
static void arrange(intruder *self)
{
    hm_handle all[ITEMS];
    for (uint32_t i = 0; i < ITEMS; i++)
        all[i] = self->handles[ITEMS - 1 - i].id;
    CHECK(hm_map_arrange(&self->things.map, all, ITEMS, (hm_budget){0, 0}).done);
}

static const struct operation {
    void (*run)(intruder *self);
    unsigned kinds; /* of callbacks that it calls, with both hooks set */
    uint32_t left;  /* items afterwards */
} operations[] = {
    {erase_first, DESTROY | RELOCATE, ITEMS - 1},
    {erase_typed, DESTROY | RELOCATE, ITEMS - 1},
    {erase_last, DESTROY, ITEMS - 1},
    {erase_all, DESTROY | RELOCATE, 0},
    {erase_odd, PREDICATE | DESTROY | RELOCATE, ITEMS / 2},
    {erase_odd_typed, PREDICATE | DESTROY | RELOCATE, ITEMS / 2},
    {clear, DESTROY, 0},
    {end, DESTROY, 0},
    {defragment_by_compare, COMPARE | RELOCATE, ITEMS},
    {defragment_by_key, KEY | RELOCATE, ITEMS},
    {defragment_by_both, KEY | COMPARE | RELOCATE, ITEMS},
    {defragment_in_steps, KEY | RELOCATE, ITEMS},
    {arrange, RELOCATE, ITEMS},
};

enum {
    OPERATIONS = sizeof operations / sizeof *operations,
    ATTEMPTS = sizeof attempts / sizeof *attempts
};

static void start(intruder *self, unsigned hooks)
{
    memset(self, 0, sizeof *self);
    hm_map_desc desc = {.meta_size = 1, .capacity = 2 * ITEMS, .memory = hm_memory_heap()};
    desc.item_size = 8;
    CHECK(hm_map_init(&self->other, &desc) == HM_OK);
    desc.destroy = hooks & HOOK_DESTROY ? on_destroy : NULL;
    desc.relocate = hooks & HOOK_RELOCATE ? on_relocate : NULL;
    desc.context = self;
    CHECK(thing_map_init_desc(&self->things, &desc) == HM_OK);
    CHECK(hm_directory_init(&self->directory, hm_memory_heap()) == HM_OK);
    CHECK(hm_directory_add(&self->directory, &self->things.map) == HM_OK);
    for (uint32_t i = 0; i < ITEMS; i++) {
        thing fresh = {.value = (unsigned char)i, .rank = (unsigned char)(ITEMS - i)};
        memset(fresh.rest, (int)i + 1, sizeof fresh.rest);
        self->handles[i] = thing_map_insert(&self->things, &fresh);
        *(unsigned char *)hm_map_meta_at(&self->things.map, i) = fresh.value;
    }
}

/* Checks that the map can be used as before. */
static void check_usable(intruder *self)
{
    const hm_order order = {.key = rank_of, .context = self};
    hm_map *map = &self->things.map;
    uint32_t count = hm_map_count(map);
    CHECK(hm_map_reserve(map, 3) == HM_OK);
    hm_handle handle = hm_map_insert(map, NULL);
    CHECK(hm_map_contains(map, handle) && hm_map_erase(map, handle));
    hm_map_touch(map, hm_map_handle_at(map, 0));
    CHECK(hm_map_defragment(map, &order, (hm_budget){0, 0}).done);
    CHECK(hm_map_trim(map) == HM_OK && hm_map_count(map) == count);
    CHECK(hm_map_validate(map) == HM_OK);
    hm_map_clear(map);
    CHECK(hm_map_insert_n(map, NULL, 2 * ITEMS, NULL) == HM_OK && hm_map_validate(map) == HM_OK);
}

static void finish(intruder *self)
{
    hm_directory_fini(&self->directory);
    thing_map_fini(&self->things);
    hm_map_fini(&self->other);
}

/* Runs the operation with the attempt at one call, and returns the result. */
static picture run(intruder *self, const struct operation *operation, unsigned hooks,
                   void (*attempt)(intruder *), uint32_t at)
{
    start(self, hooks);
    self->attempt = attempt;
    self->at = at;
    self->watching = true;
    operation->run(self);
    self->watching = false;
    picture after = look(self);
    CHECK(after.stats.count == operation->left);
    if (hm_map_capacity(&self->things.map) != 0) {
        check_truth(self);
        check_usable(self);
    }
    finish(self);
    return after;
}

/* Runs the operation without attempts, and checks all const functions at each call. */
static picture run_in_peace(intruder *self, const struct operation *operation, unsigned hooks)
{
    unsigned unhooked =
        (hooks & HOOK_DESTROY ? 0u : DESTROY) | (hooks & HOOK_RELOCATE ? 0u : RELOCATE);
    picture after = run(self, operation, hooks, NULL, 0);
    CHECK(self->kinds == (operation->kinds & ~unhooked));
    return after;
}

/* Under emulators only every tenth call tries, from a different start for each attempt. */
static uint32_t stride(void)
{
    return 10 / test_scaled(10);
}

TEST(map_reentry, whatever_a_callback_tries_is_refused_and_changes_nothing)
{
    intruder self;
    for (unsigned hooks = 0; hooks < HOOK_SETS; hooks++)
        for (uint32_t i = 0; i < OPERATIONS; i++) {
            picture in_peace = run_in_peace(&self, &operations[i], hooks);
            uint32_t calls = self.calls;
            for (uint32_t k = 0; k < ATTEMPTS; k++)
                for (uint32_t at = 1 + k % stride(); at <= calls; at += stride()) {
                    picture after = run(&self, &operations[i], hooks, attempts[k], at);
                    CHECK(self.calls == calls);
                    CHECK(memcmp(&in_peace, &after, sizeof after) == 0);
                }
        }
}

#if defined(CAN_FORK)

/* Static, for the panic hook. */
static intruder victim;
static const char *expected_function;

/* Even at the panic the map is consistent, and the panic is the expected one. */
static void expect_refusal(const char *file, int line, const char *message)
{
    (void)file;
    (void)line;
    check_truth(&victim);
    bool expected = strstr(message, expected_function) == message &&
                    strstr(message, "from one of its own callbacks") != NULL;
    _Exit(expected ? TEST_PANIC_EXIT_CODE : EXIT_FAILURE);
}

static void end_child(const char *file, int line, const char *condition)
{
    (void)file;
    (void)line;
    (void)condition;
    _Exit(EXIT_FAILURE);
}

static bool does_panic(const struct operation *operation, const struct panic *panic, uint32_t at)
{
    int status = 0;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        test_fail_hook = end_child;
        hm_set_panic_hook(expect_refusal);
        expected_function = panic->function;
        run(&victim, operation, HOOK_DESTROY | HOOK_RELOCATE, panic->attempt, at);
        _Exit(EXIT_FAILURE);
    }
    CHECK(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) && WEXITSTATUS(status) == TEST_PANIC_EXIT_CODE;
}

TEST(map_reentry, what_cannot_say_no_panics_at_every_call_of_every_callback)
{
    for (uint32_t i = 0; i < OPERATIONS; i++) {
        run_in_peace(&victim, &operations[i], HOOK_DESTROY | HOOK_RELOCATE);
        uint32_t calls = victim.calls;
        for (uint32_t k = 0; k < PANICS; k++)
            for (uint32_t at = 1 + k % stride(); at <= calls; at += stride())
                CHECK(does_panic(&operations[i], &panics[k], at));
    }
}

#else

/* callback_test.c has a death test for each of these functions, which needs no fork. */
TEST(map_reentry, what_cannot_say_no_panics_at_every_call_of_every_callback)
{
    test_leave_out("panics at every call of a callback: they need fork");
}

#endif
