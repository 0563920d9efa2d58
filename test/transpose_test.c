/* SPDX-License-Identifier: MIT */
/* transpose: a kernel sees columns, and of the items only the marked fields change. */
#include "support/last_error.h"
#include "support/layout.h"
#include "support/test.h"

#include <handle_map/map.h>
#include <handle_map/pool.h>
#include <handle_map/transpose.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t whole_lines(size_t size)
{
    return (size + 63) & ~(size_t)63;
}

static bool fits(const hm_field *fields, uint32_t field_count, size_t lanes)
{
    size_t space = 0;
    for (uint32_t f = 0; f < field_count; f++)
        space += whole_lines(lanes * fields[f].size);
    return space <= 16384;
}

/* The highest multiple of 16 items that fits, at least 16; only if that does not, fewer than 16. */
static size_t model_lanes(size_t item_size, const hm_field *fields, uint32_t field_count)
{
    size_t lanes = 16384;
    while (lanes > 16 && (lanes * item_size > 16384 || !fits(fields, field_count, lanes)))
        lanes -= 16;
    while (!fits(fields, field_count, lanes))
        lanes--;
    return lanes;
}

/* An array of items, what it was before, and what the kernel is told. */
typedef struct trial {
    unsigned char *items;        /* with 64 bytes before and after them */
    const unsigned char *before; /* a copy of items */
    size_t item_size, count;
    const hm_field *fields;
    uint32_t field_count;
    size_t lanes, seen, calls;
} trial;

enum { MARGIN = 64 };

/* What the kernel makes of a byte; it maps no byte to itself. */
static unsigned char changed(unsigned char byte, uint32_t field)
{
    return (unsigned char)(byte ^ (0x80 | (field & 0x7F)));
}

/* Checks everything that a kernel may rely on, then writes wherever it may. */
static void strict_kernel(void *const *columns, size_t count, void *context)
{
    trial *self = context;
    size_t left = self->count - self->seen;
    CHECK(count == (left < self->lanes ? left : self->lanes));
    size_t room = (count + 15) / 16 * 16;
    if (room > self->lanes)
        room = self->lanes;
    const unsigned char *end = columns[0];
    for (uint32_t f = 0; f < self->field_count; f++) {
        unsigned char *column = columns[f];
        size_t size = self->fields[f].size;
        CHECK((uintptr_t)column % 64 == 0 && column >= end);
        end = column + self->lanes * size;
        for (size_t i = 0; i < count; i++) {
            const unsigned char *item = self->before + (self->seen + i) * self->item_size;
            CHECK(memcmp(column + i * size, item + self->fields[f].offset, size) == 0);
        }
        CHECK(room == count || test_bytes_are(column + count * size, (room - count) * size, 0));
    }
    CHECK(end <= (const unsigned char *)columns[0] + 16384);
    for (uint32_t f = 0; f < self->field_count; f++) {
        unsigned char *column = columns[f];
        for (size_t i = 0; i < room * self->fields[f].size; i++)
            column[i] = changed(column[i], f);
    }
    self->seen += count;
    self->calls++;
}

/* Compares every byte of the items, and the margins, with the naive model. */
static void check_items(const trial *self)
{
    unsigned char *expected = malloc(self->item_size);
    CHECK(expected != NULL);
    for (size_t i = 0; i < self->count; i++) {
        memcpy(expected, self->before + i * self->item_size, self->item_size);
        for (uint32_t f = 0; f < self->field_count; f++)
            for (size_t b = 0; b < self->fields[f].size && self->fields[f].write_back; b++) {
                unsigned char *byte = expected + self->fields[f].offset + b;
                *byte = changed(*byte, f);
            }
        CHECK(memcmp(self->items + i * self->item_size, expected, self->item_size) == 0);
    }
    free(expected);
    CHECK(test_bytes_are(self->items - MARGIN, MARGIN, 0xA5));
    CHECK(test_bytes_are(self->items + self->count * self->item_size, MARGIN, 0xA5));
}

/* Runs the strict kernel over `count` items of random bytes; returns the number of its calls. */
static size_t run_trial(size_t item_size, size_t count, const hm_field *fields,
                        uint32_t field_count, uint64_t *random)
{
    size_t size = item_size * count;
    unsigned char *block = malloc(size + 2 * MARGIN), *before = malloc(size + 1);
    CHECK(block != NULL && before != NULL);
    memset(block, 0xA5, size + 2 * MARGIN);
    trial self = {block + MARGIN, before, item_size, count, fields, field_count, 0, 0, 0};
    for (size_t i = 0; i < size; i++)
        self.items[i] = (unsigned char)test_random(random);
    memcpy(before, self.items, size);
    self.lanes = model_lanes(item_size, fields, field_count);
    CHECK(hm_transpose_run(self.items, item_size, count, fields, field_count, strict_kernel,
                           &self) == HM_OK);
    CHECK(self.seen == count);
    CHECK(self.calls == (count + self.lanes - 1) / self.lanes);
    check_items(&self);
    free(block);
    free(before);
    return self.calls;
}

/* Divides an item into fields with random gaps, in random order. Returns the item's size. */
static size_t make_fields(hm_field *fields, uint32_t field_count, uint64_t *random)
{
    static const size_t sizes[] = {1, 2, 4, 8, 12, 16, 3, 5, 24, 63, 64, 65};
    size_t end = 0;
    for (uint32_t f = 0; f < field_count; f++) {
        size_t size = sizes[test_random_below(random, sizeof sizes / sizeof *sizes)];
        if (field_count <= 10 && test_random_below(random, 16) == 0)
            size = 1 + test_random_below(random, 1500);
        end += test_random_below(random, 2) * test_random_below(random, 9);
        fields[f] = (hm_field){end, size, test_random_below(random, 2) == 0};
        end += size;
    }
    for (uint32_t f = field_count; f > 1; f--) {
        uint32_t other = test_random_below(random, f);
        hm_field field = fields[f - 1];
        fields[f - 1] = fields[other];
        fields[other] = field;
    }
    return end + test_random_below(random, 9);
}

TEST(transpose, random_layouts_and_counts_agree_with_a_naive_model)
{
    uint64_t random = test_seed("layouts to transpose");
    for (uint32_t round = test_scaled(2000); round > 0; round--) {
        hm_field fields[40];
        uint32_t field_count =
            1 + test_random_below(&random, test_random_below(&random, 8) == 0 ? 40 : 10);
        size_t item_size = make_fields(fields, field_count, &random);
        size_t most = 200000 / item_size;
        size_t count = test_random_below(&random, most < 3000 ? (uint32_t)most + 1 : 3000);
        (void)run_trial(item_size, count, fields, field_count, &random);
    }
}

TEST(transpose, every_special_size_and_every_rest_of_a_batch_is_moved)
{
    static const size_t sizes[] = {1, 2, 3, 4, 8, 12, 16, 20};
    uint64_t random = test_seed("rests of a batch");
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t count = 0; count < 50; count++) {
            const hm_field fields[] = {{1, sizes[s], true}, {1 + sizes[s], sizes[s], false}};
            (void)run_trial(2 * sizes[s] + 3, count, fields, 2, &random);
        }
}

TEST(transpose, a_long_array_is_cut_into_batches_of_16_kib)
{
    const hm_field fields[] = {{0, 4, true}, {4, 4, false}, {8, 8, true}};
    uint64_t random = test_seed("ten batches");
    CHECK(run_trial(40, 10 * 400, fields, 3, &random) == 10);
    CHECK(run_trial(40, 10 * 400 + 1, fields, 3, &random) == 11);
    CHECK(run_trial(40, 10 * 400 - 1, fields, 3, &random) == 10);
    CHECK(run_trial(16, 10 * 1024, fields, 3, &random) == 10);
    CHECK(run_trial(128, 10 * 128, fields, 3, &random) == 10);
    CHECK(run_trial(129, 10 * 112, fields, 3, &random) == 10);
    CHECK(run_trial(1024, 10 * 16, fields, 3, &random) == 10);
    CHECK(run_trial(5000, 10 * 16, fields, 3, &random) == 10);
}

TEST(transpose, values_of_which_16_do_not_fit_come_as_many_as_fit)
{
    uint64_t random = test_seed("large values");
    const hm_field whole = {0, 16384, true}, half = {5, 8129, true}, third = {0, 5000, true};
    CHECK(run_trial(16384, 3, &whole, 1, &random) == 3);
    CHECK(run_trial(9000, 4, &half, 1, &random) == 2);
    CHECK(run_trial(5000, 7, &third, 1, &random) == 3);
    const hm_field sixteen = {0, 1024, true}, fifteen = {0, 1025, true};
    CHECK(run_trial(1024, 33, &sixteen, 1, &random) == 3);
    CHECK(run_trial(1025, 33, &fifteen, 1, &random) == 3);
    /* 16 values of each would fit, but not with columns that start at cache lines. */
    hm_field odd[100];
    for (uint32_t f = 0; f < 100; f++)
        odd[f] = (hm_field){(size_t)9 * f, 9, f % 3 == 0};
    CHECK(!fits(odd, 100, 16) && fits(odd, 100, 14) && 16 * 900 <= 16384);
    (void)run_trial(900, 100, odd, 100, &random);
}

static void count_call(void *const *columns, size_t count, void *context)
{
    (void)columns;
    (void)count;
    ++*(int *)context;
}

/* Must be refused with this sentence, without a call and without a change of the items. */
static void check_refused(const char *sentence, size_t item_size, size_t count,
                          const hm_field *fields, uint32_t field_count)
{
    static unsigned char items[64];
    int calls = 0;
    memset(items, 0x5A, sizeof items);
    CHECK(hm_transpose_run(items, item_size, count, fields, field_count, count_call, &calls) ==
          HM_ERROR_INVALID);
    CHECK(says(sentence));
    CHECK(calls == 0 && test_bytes_are(items, sizeof items, 0x5A));
}

TEST(transpose, an_argument_that_no_call_could_accept_is_refused_with_a_sentence)
{
    const hm_field fields[] = {{0, 4, true}};
    char sentence[160];
    int calls = 0;
    float items[4] = {0};
    CHECK(hm_transpose_run(NULL, 4, 1, fields, 1, count_call, &calls) == HM_ERROR_INVALID);
    CHECK(says("hm_transpose_run: items is NULL"));
    CHECK(hm_transpose_run(items, 4, 4, fields, 1, NULL, &calls) == HM_ERROR_INVALID);
    CHECK(says("hm_transpose_run: kernel is NULL"));
    CHECK(calls == 0);
    check_refused("hm_transpose_run: fields is NULL", 4, 4, NULL, 1);
    check_refused("hm_transpose_run: item_size is 0", 0, 4, fields, 1);
    check_refused("hm_transpose_run: field_count is 0", 4, 4, fields, 0);
    check_refused("hm_transpose_run: field_count 257 is above 256", 4, 4, fields, 257);
    snprintf(sentence, sizeof sentence,
             "hm_transpose_run: %llu times item_size 8 does not fit in size_t",
             (unsigned long long)(SIZE_MAX / 8 + 1));
    check_refused(sentence, 8, SIZE_MAX / 8 + 1, fields, 1);
}

TEST(transpose, fields_that_are_empty_or_outside_of_the_item_are_refused)
{
    char sentence[160];
    check_refused("hm_transpose_run: fields[1]: size is 0", 8, 4,
                  (hm_field[]){{0, 4, true}, {4, 0, true}}, 2);
    check_refused("hm_transpose_run: fields[0]: offset 5 and size 4 exceed item_size 8", 8, 4,
                  (hm_field[]){{5, 4, false}}, 1);
    check_refused("hm_transpose_run: fields[0]: offset 9 and size 1 exceed item_size 8", 8, 4,
                  (hm_field[]){{9, 1, false}}, 1);
    check_refused("hm_transpose_run: fields[0]: offset 8 and size 1 exceed item_size 8", 8, 4,
                  (hm_field[]){{8, 1, false}}, 1);
    snprintf(sentence, sizeof sentence,
             "hm_transpose_run: fields[0]: offset 4 and size %llu exceed item_size 8",
             (unsigned long long)(SIZE_MAX - 1));
    check_refused(sentence, 8, 4, (hm_field[]){{4, SIZE_MAX - 1, true}}, 1);
    snprintf(sentence, sizeof sentence,
             "hm_transpose_run: fields[0]: offset %llu and size 4 exceed item_size 8",
             (unsigned long long)SIZE_MAX);
    check_refused(sentence, 8, 4, (hm_field[]){{SIZE_MAX, 4, true}}, 1);
}

TEST(transpose, fields_that_overlap_are_refused_even_if_none_is_written)
{
    check_refused("hm_transpose_run: fields[0] and fields[1] overlap", 16, 4,
                  (hm_field[]){{0, 4, false}, {3, 4, false}}, 2);
    check_refused("hm_transpose_run: fields[0] and fields[1] overlap", 16, 4,
                  (hm_field[]){{3, 4, true}, {0, 4, true}}, 2);
    check_refused("hm_transpose_run: fields[0] and fields[1] overlap", 16, 4,
                  (hm_field[]){{0, 4, true}, {0, 4, false}}, 2);
    check_refused("hm_transpose_run: fields[1] and fields[3] overlap", 16, 4,
                  (hm_field[]){{12, 4, true}, {4, 4, true}, {0, 4, true}, {7, 1, true}}, 4);
    check_refused("hm_transpose_run: fields[0] and fields[2] overlap", 16, 4,
                  (hm_field[]){{4, 8, true}, {14, 2, true}, {0, 12, true}}, 3);
}

TEST(transpose, fields_of_which_no_single_value_fits_are_refused)
{
    check_refused("hm_transpose_run: fields[0]: size 16385 exceeds the 16384 bytes of 16384 that "
                  "are left for its column",
                  20000, 1, (hm_field[]){{0, 16385, true}}, 1);
    check_refused("hm_transpose_run: fields[1]: size 65 exceeds the 64 bytes of 16384 that are "
                  "left for its column",
                  20000, 1, (hm_field[]){{0, 16300, true}, {16300, 65, true}}, 2);
    check_refused("hm_transpose_run: fields[2]: size 1 exceeds the 0 bytes of 16384 that are left "
                  "for its column",
                  20000, 1, (hm_field[]){{0, 8193, true}, {9000, 8100, true}, {18000, 1, true}}, 3);
    hm_field huge[256];
    for (uint32_t f = 0; f < 256; f++)
        huge[f] = (hm_field){SIZE_MAX / 256 * f, SIZE_MAX / 256, true};
    char sentence[160];
    snprintf(sentence, sizeof sentence,
             "hm_transpose_run: fields[0]: size %llu exceeds the 16384 bytes of 16384 that are "
             "left for its column",
             (unsigned long long)(SIZE_MAX / 256));
    check_refused(sentence, SIZE_MAX, 1, huge, 256);
}

TEST(transpose, no_items_mean_no_call_but_bad_fields_are_refused_all_the_same)
{
    const hm_field good = {0, 4, true}, bad = {0, 5, true};
    int calls = 0;
    CHECK(hm_transpose_run(NULL, 4, 0, &good, 1, count_call, &calls) == HM_OK);
    CHECK(hm_transpose_run(&calls, 4, 0, &good, 1, count_call, &calls) == HM_OK);
    CHECK(calls == 0);
    CHECK(hm_transpose_run(NULL, 4, 0, &bad, 1, count_call, &calls) == HM_ERROR_INVALID);
    CHECK(calls == 0);
}

typedef struct body {
    uint64_t id;
    float position, speed;
    char name[24];
} body;

/* As a SIMD kernel does: whole groups of 16, without a loop for the rest. */
static void integrate(void *const *columns, size_t count, void *context)
{
    float *position = columns[0];
    const float *speed = columns[1], *step = context;
    for (size_t group = 0; group < count; group += 16)
        for (size_t i = group; i < group + 16; i++)
            position[i] += *step * speed[i];
}

static const hm_field body_fields[] = {
    {offsetof(body, position), sizeof(float), true},
    {offsetof(body, speed), sizeof(float), false},
};

static body make_body(uint32_t i)
{
    body result = {.id = i, .position = (float)i, .speed = (float)(2 * i), .name = "body"};
    return result;
}

static bool has_moved(const body *self)
{
    return self->position == 2 * (float)self->id && self->speed == 2 * (float)self->id &&
           strcmp(self->name, "body") == 0;
}

TEST(transpose, a_kernel_runs_over_the_items_of_a_map)
{
    enum { ITEMS = 5001 };
    hm_map map;
    const hm_map_desc desc = {.item_size = sizeof(body), .capacity = ITEMS};
    float step = 0.5f;
    CHECK(hm_map_init(&map, &desc) == HM_OK);
    for (uint32_t i = 0; i < ITEMS; i++) {
        body item = make_body(i);
        CHECK(!hm_handle_is_null(hm_map_insert(&map, &item)));
    }
    CHECK(hm_transpose_run(hm_map_items(&map), sizeof(body), hm_map_count(&map), body_fields, 2,
                           integrate, &step) == HM_OK);
    const body *items = hm_map_items(&map);
    for (uint32_t i = 0; i < ITEMS; i++)
        CHECK(items[i].id == i && has_moved(&items[i]));
    hm_map_fini(&map);
}

TEST(transpose, a_kernel_runs_over_the_runs_of_a_pool_and_leaves_its_holes_alone)
{
    enum { ITEMS = 5001 };
    hm_pool pool;
    const hm_pool_desc desc = {
        .item_size = sizeof(body), .capacity = ITEMS, .storage = HM_STORAGE_FIXED_BLOCKS};
    float step = 0.5f;
    uint32_t length, seen = 0;
    CHECK(hm_pool_init(&pool, &desc) == HM_OK);
    for (uint32_t i = 0; i < ITEMS; i++) {
        body item = make_body(i);
        CHECK(!hm_handle_is_null(hm_pool_insert(&pool, &item)));
    }
    for (uint32_t i = 0; i < ITEMS; i += 1 + i % 97)
        CHECK(hm_pool_erase(&pool, hm_pool_handle_at(&pool, i)));
    for (uint32_t i = hm_pool_next_run(&pool, 0, &length); i != HM_INVALID_INDEX;
         i = hm_pool_next_run(&pool, i + length, &length)) {
        CHECK(hm_transpose_run(hm_pool_item_at(&pool, i), sizeof(body), length, body_fields, 2,
                               integrate, &step) == HM_OK);
        seen += length;
    }
    CHECK(seen == hm_pool_count(&pool) && seen < ITEMS);
    for (uint32_t i = 0; i < ITEMS; i++) {
        const body *item = hm_pool_item_at(&pool, i);
        CHECK(item == NULL || (item->id == i && has_moved(item)));
    }
    CHECK(hm_pool_validate(&pool) == HM_OK);
    hm_pool_fini(&pool);
}
