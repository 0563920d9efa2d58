/* SPDX-License-Identifier: MIT */
/* Batches of handles: get_n, contains_n and erase_n do what the single calls would, in maps that
 * fit the caches and in maps that do not. */
#include "support/test.h"

#include <handle_map/map.h>

#include <stdlib.h>
#include <string.h>

enum {
    FEW = 300,
    MANY = 300000, /* their entries alone, 2.4 MB, exceed the limit for cached maps */
    BATCH = 500
};

/* A map of `n` ints 0, 1, 2, ..., also in the meta if there is one. About a third of them, chosen
 * by `random`, are erased. */
typedef struct crowd {
    hm_map map;
    hm_handle *handles; /* all that were issued, stale ones too; the caller frees them */
    uint32_t n;
    uint64_t random;
} crowd;

static crowd make_crowd(uint32_t n, uint64_t seed, const hm_map_desc *hooks)
{
    hm_map_desc desc = *hooks;
    desc.item_size = sizeof(int);
    desc.capacity = n;
    desc.type_id = 3;
    crowd self = {.handles = malloc(n * sizeof *self.handles), .n = n, .random = seed};
    CHECK(self.handles != NULL && hm_map_init(&self.map, &desc) == HM_OK);
    for (uint32_t i = 0; i < n; i++) {
        int value = (int)i;
        self.handles[i] = hm_map_insert(&self.map, &value);
        if (desc.meta_size != 0)
            memcpy(hm_map_meta_at(&self.map, i), &value, sizeof value);
    }
    for (uint32_t i = 0; i < n; i++)
        if (test_random_below(&self.random, 3) == 0)
            CHECK(hm_map_erase(&self.map, self.handles[i]));
    return self;
}

static void drop_crowd(crowd *self)
{
    CHECK(hm_map_validate(&self->map) == HM_OK);
    hm_map_fini(&self->map);
    free(self->handles);
}

/* Live or stale, null, damaged in one bit, never issued, or noise. */
static hm_handle some_handle(crowd *self)
{
    hm_handle handle = self->handles[test_random_below(&self->random, self->n)];
    switch (test_random_below(&self->random, 12)) {
    case 0:
        return HM_NULL_HANDLE;
    case 1:
        return hm_handle_from_bits(handle.bits ^ UINT64_C(1)
                                                     << test_random_below(&self->random, 64));
    case 2:
        return hm_handle_pack(self->n + test_random_below(&self->random, 9), 1, 3);
    case 3:
        return hm_handle_from_bits(test_random(&self->random));
    default:
        return handle;
    }
}

static void check_questions(crowd *self, uint32_t n)
{
    hm_handle handles[BATCH];
    void *items[BATCH + 1], *const untouched = self;
    bool is_live[BATCH + 1];
    for (uint32_t i = 0; i < n; i++)
        handles[i] = some_handle(self);
    for (uint32_t i = 0; i <= n; i++)
        items[i] = untouched;
    memset(is_live, true, sizeof is_live);
    uint32_t found = hm_map_get_n(&self->map, handles, n, items);
    CHECK(hm_map_contains_n(&self->map, handles, n, is_live) == found);
    for (uint32_t i = 0; i < n; i++) {
        CHECK(items[i] == hm_map_get(&self->map, handles[i]));
        CHECK(is_live[i] == (items[i] != NULL));
        found -= is_live[i];
    }
    CHECK(found == 0 && items[n] == untouched && is_live[n]);
}

TEST(map_batch, get_n_and_contains_n_say_what_single_questions_say)
{
    const hm_map_desc plain = {0};
    const uint32_t sizes[] = {FEW, MANY};
    uint64_t seed = test_seed("map_batch");
    for (int i = 0; i < 2; i++) {
        crowd self = make_crowd(sizes[i], seed, &plain);
        for (uint32_t n = 0; n <= 130; n++)
            check_questions(&self, n);
        for (uint32_t round = 0; round < test_scaled(200); round++)
            check_questions(&self, BATCH);
        drop_crowd(&self);
    }
}

static void check_equal(const crowd *a, const crowd *b)
{
    CHECK(hm_map_count(&a->map) == hm_map_count(&b->map));
    for (uint32_t i = 0; i < hm_map_count(&a->map); i++)
        CHECK(hm_handle_equal(hm_map_handle_at(&a->map, i), hm_map_handle_at(&b->map, i)));
    size_t size = hm_map_count(&a->map) * sizeof(int);
    CHECK(memcmp(hm_map_items(&a->map), hm_map_items(&b->map), size) == 0);
    if (size != 0 && hm_map_meta_at(&b->map, 0) != NULL)
        CHECK(memcmp(hm_map_meta_at(&b->map, 0), hm_map_items(&b->map), size) == 0);
}

/* What the hooks have seen, and the map that they query in the middle of a batch. */
typedef struct witness {
    const hm_map *map;
    uint32_t destroyed, moved;
} witness;

static void look_around(void *item, void *context)
{
    witness *self = context;
    (void)item;
    if (self->map == NULL || self->destroyed++ % 1000 != 0)
        return;
    hm_handle handles[BATCH];
    void *items[BATCH];
    bool is_live[BATCH];
    uint32_t n = hm_map_count(self->map) < BATCH ? hm_map_count(self->map) : BATCH;
    for (uint32_t i = 0; i < n; i++)
        handles[i] = hm_map_handle_at(self->map, i);
    CHECK(hm_map_get_n(self->map, handles, n, items) == n);
    CHECK(hm_map_contains_n(self->map, handles, n, is_live) == n);
}

static void count_move(void *item, uint32_t from, uint32_t to, void *context)
{
    witness *self = context;
    (void)item;
    CHECK(to < from);
    self->moved++;
}

/* Erases until nothing is left, with stale handles among the live ones and live ones repeated. */
static void check_erase(uint32_t n, bool hooked, uint64_t seed)
{
    witness witnesses[2] = {{0}};
    hm_map_desc desc = {0};
    if (hooked)
        desc = (hm_map_desc){
            .destroy = look_around, .relocate = count_move, .meta_size = 4, .meta_align = 4};
    desc.context = &witnesses[0];
    crowd one_by_one = make_crowd(n, seed, &desc);
    desc.context = &witnesses[1];
    crowd batched = make_crowd(n, seed, &desc);
    witnesses[1].map = &batched.map;
    uint32_t most = hm_map_count(&batched.map), all = 0;
    for (uint32_t size = 1; hm_map_count(&batched.map) > 0; size = size * 2 + 1) {
        size = size < 4 * n ? size : 4 * n;
        hm_handle *handles = malloc(size * sizeof *handles);
        CHECK(handles != NULL);
        uint32_t expected = 0;
        for (uint32_t i = 0; i < size; i++) {
            handles[i] = some_handle(&batched);
            expected += hm_map_erase(&one_by_one.map, handles[i]);
        }
        CHECK(hm_map_erase_n(&batched.map, handles, size) == expected);
        CHECK(hm_map_erase_n(&batched.map, handles, size) == 0);
        CHECK(hm_map_erase_n(&batched.map, NULL, 0) == 0);
        check_equal(&one_by_one, &batched);
        all += expected;
        free(handles);
    }
    CHECK(all == most && witnesses[1].destroyed == (hooked ? most : 0));
    CHECK(witnesses[0].moved == witnesses[1].moved);
    drop_crowd(&one_by_one);
    drop_crowd(&batched);
}

TEST(map_batch, erase_n_leaves_what_single_erases_leave)
{
    uint64_t seed = test_seed("map_batch");
    check_erase(FEW, false, seed);
    check_erase(FEW, true, seed);
    check_erase(MANY, false, seed);
    if (test_scale() < 50)
        check_erase(MANY, true, seed);
    else
        test_leave_out("batches of erases from a large map with hooks");
}

static void check_items(const hm_map *map, const hm_handle *handles, uint32_t n, uint32_t expected)
{
    void **items = malloc(n * sizeof *items);
    CHECK(items != NULL && hm_map_get_n(map, handles, n, items) == expected);
    for (uint32_t i = 0; i < n; i++)
        CHECK(items[i] == hm_map_get(map, handles[i]));
    free(items);
}

/* All alive, none, and alternately, which are answered by other loops; few bytes and many. */
TEST(map_batch, answers_do_not_depend_on_what_others_in_the_batch_are)
{
    enum { COUNT = 2600, ERASED = 300 };
    const size_t sizes[] = {4, 4096 /* 10.6 MB, and 9.4 MB after the first batch */};
    hm_handle handles[COUNT];
    for (int i = 0; i < 2; i++) {
        hm_map map;
        const hm_map_desc desc = {.item_size = sizes[i], .capacity = COUNT};
        CHECK(hm_map_init(&map, &desc) == HM_OK);
        CHECK(hm_map_insert_n(&map, NULL, COUNT, handles) == HM_OK);
        check_items(&map, handles, COUNT, COUNT);
        CHECK(hm_map_erase_n(&map, handles, ERASED) == ERASED);
        check_items(&map, handles, ERASED, 0);
        CHECK(hm_map_erase_n(&map, handles, ERASED) == 0);
        for (uint32_t k = ERASED; k < COUNT; k += 2)
            CHECK(hm_map_erase(&map, handles[k]));
        check_items(&map, handles, COUNT, (COUNT - ERASED) / 2);
        CHECK(hm_map_erase_n(&map, handles + ERASED, COUNT - ERASED) == (COUNT - ERASED) / 2);
        CHECK(hm_map_count(&map) == 0 && hm_map_validate(&map) == HM_OK);
        hm_map_fini(&map);
    }
}

/* A batch of a small map is answered in long parts. Where a part begins, answers change. */
TEST(map_batch, a_long_batch_of_a_small_map_is_answered_to_its_end)
{
    enum { COUNT = 100, NAMED = 3 * 4096 + 5, FIRST_STALE = 8190 };
    hm_map map;
    hm_handle handles[COUNT], stale, *named = malloc(NAMED * sizeof *named);
    bool *alive = malloc(NAMED + 1);
    const hm_map_desc desc = {.item_size = 8, .capacity = COUNT};
    CHECK(named != NULL && alive != NULL && hm_map_init(&map, &desc) == HM_OK);
    CHECK(hm_map_insert_n(&map, NULL, COUNT, handles) == HM_OK);
    stale = handles[0];
    CHECK(hm_map_erase(&map, stale));
    for (uint32_t i = 0; i < NAMED; i++)
        named[i] = i < FIRST_STALE ? handles[1 + i % (COUNT - 1)] : stale;
    check_items(&map, named, NAMED, FIRST_STALE);
    alive[NAMED] = true;
    CHECK(hm_map_contains_n(&map, named, NAMED, alive) == FIRST_STALE);
    for (uint32_t i = 0; i < NAMED; i++)
        CHECK(alive[i] == (i < FIRST_STALE));
    CHECK(alive[NAMED]);
    hm_map_fini(&map);
    free(named);
    free(alive);
}

/* Issue looks ahead at the free slots after the next one. 16,384 of them fill the first commit to
 * its end, so looking further is a fault. */
TEST(map_batch, issue_looks_no_further_than_the_slots_go)
{
    enum { COUNT = 16384 };
    hm_map map;
    const hm_map_desc desc = {.item_size = 1, .capacity = COUNT, .max_slots = 2 * COUNT};
    CHECK(hm_map_init(&map, &desc) == HM_OK);
    for (int round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < COUNT; i++)
            CHECK(!hm_handle_is_null(hm_map_insert(&map, NULL)));
        CHECK(hm_handle_is_null(hm_map_insert(&map, NULL)));
        CHECK(hm_map_validate(&map) == HM_OK);
        hm_map_clear(&map);
    }
    hm_map_fini(&map);
}
