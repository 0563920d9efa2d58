/* SPDX-License-Identifier: MIT */
/* The state spaces of an index. */
#include "blank.h"
#include "subject.h"

#include "support/index_model.h"
#include "support/lists_blocks.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    INDEX_RANGE = 1504 /* bytes: what lists need, buckets, heads, and four arrays for owners */
};

static index_model model;
static const space_config *config;

/* begin and end */

static hm_status init(void)
{
    const hm_index_desc desc = {.capacity = config->capacity,
                                .max_slots = config->max_slots,
                                .type_id = SPACE_TYPE_ID,
                                .key_limit = config->hashed ? 0 : config->keys,
                                .seed = 1};
    return index_model_init(&model, &desc, config->page_size);
}

static void fini(void)
{
    index_model_fini(&model);
}

static void probe(hm_handle handle)
{
    index_model_probe(&model, handle);
    if (index_model_find(&model, handle) == NULL)
        CHECK(!hm_index_remove(&model.index, handle));
}

static int by_slot(const void *a, const void *b)
{
    const index_model_entry *x = a, *y = b;
    uint32_t left = hm_handle_index(x->owner), right = hm_handle_index(y->owner);
    return (left > right) - (left < right);
}

static bool has_owner(uint32_t slot)
{
    for (uint32_t i = 0; i < model.count; i++)
        if (hm_handle_index(model.entries[i].owner) == slot)
            return true;
    return false;
}

/* The model's order of owners does not matter; for the rest see the space of a secondary. */
static void blank(void)
{
    hm_index *index = &model.index;
    hm_secondary *owners = &index->owners;
    qsort(model.entries, model.count, sizeof *model.entries, by_slot);
    memset(model.entries + model.count, 0,
           (INDEX_MODEL_OWNERS - model.count) * sizeof *model.entries);
    blank_behind(&owners->value_array, sizeof(hm_index_place) * owners->count);
    blank_behind(&owners->owner_array, sizeof(hm_handle) * owners->count);
    blank_behind(&owners->segment_array, owners->segment_array.count);
    BLANK(owners->value_array.count);
    BLANK(owners->owner_array.count);
    for (uint32_t slot = 0; slot < owners->slot_end; slot++)
        if (owners->segments[slot >> owners->segment_shift] != 0 && !has_owner(slot))
            owners->positions[slot] = 0;
    blank_blocks(&index->members);
    blank_behind(&index->members.record_array, sizeof(hm_index_bucket) * index->bucket_count);
    BLANK(index->head_array.count);
}

static void save(hm_sink sink)
{
    CHECK(hm_index_save(&model.index, NULL, sink) == HM_OK);
}

static void limit(void)
{
    CHECK(config->units <= space_of(&model.index.members));
    if (config->units != 0)
        limit_space(&model.index.members, config->units);
}

/* A load makes another index, which takes the place of the empty one. */
static void load(hm_source source)
{
    arena_empty();
    arena_lend(false, true);
    CHECK(init() == HM_OK);
    arena_lend(true, true);
    CHECK(hm_index_load(&model.index, NULL, source) == HM_OK);
    limit();
}

static size_t begin(const space_config *of)
{
    static const subject_file file = {save, load, model.entries, NULL, NULL};
    static const size_t windows[] = {INDEX_RANGE, SPACE_FLOORS};
    const size_t live = offsetof(index_model, index);
    CHECK(of->capacity <= INDEX_MODEL_OWNERS);
    config = of;
    memset(&model, 0, sizeof model);
    model.keys = of->keys;
    model.first_life = of->spent_lives + 1u;
    arena_begin(windows, 2, of->page_size);
    arena_init(init);
    limit();
    return subject_begin(&(subject_space){of, &index_subject, &model,
                                          (unsigned char *)&model + live, sizeof model - live,
                                          &model.refusals, blank, probe, fini, NULL, &file});
}

/* steps */

/* Each handle value that is not of a spent life, with each key. */
static void list_sets(space_actions *list)
{
    for (uint32_t n = 0; n < space_handle_values(config); n++) {
        uint32_t life = n % SPACE_SLOT_VALUES / 4;
        hm_handle handle = space_handle_value(n);
        if (life > 0 && life <= config->spent_lives)
            continue;
        for (uint32_t key = 0; key <= config->keys - (uint32_t)config->hashed; key++)
            subject_add(list, "hostile_set", 4 * hm_handle_index(handle),
                        (uint32_t)(handle.bits >> 48), life | (life ^ key) << 16);
    }
}

static void list_all(space_actions *list)
{
    uint32_t slots = config->max_slots, keys = config->keys;
    list->count = 0;
    subject_add(list, "clear", 0, 0, 0);
    if ((config->left_out & SPACE_NO_TRIM) == 0)
        subject_add(list, "trim", 0, 0, 0);
    subject_add(list, "reserve", UINT32_MAX, 0, 0);
    for (uint32_t n = 0; n <= config->capacity + 1; n++)
        subject_add(list, "reserve", n, 0, 0);
    for (uint32_t swaps = 0; swaps < 3; swaps++)
        subject_add(list, "defragment", swaps, 0, 0);
    for (uint32_t set = 0; set < 1u << slots; set++)
        subject_add(list, "remove_if", set, 0, 0);
    list_sets(list);
    for (uint32_t i = 0; i < config->capacity; i++)
        subject_add(list, "remove", 0, i, 0);
    subject_add(list, "remove_key", 0, 0,
                0); /* a key that nothing has, or that follows the others */
    for (uint32_t key = 0; key < keys; key++)
        subject_add(list, "remove_key", 64 * key + 1, 0, 0);
    if ((config->left_out & SPACE_NO_PAIRS) == 0)
        for (uint32_t a = 0; a < (slots + 1) * slots; a++)
            for (uint32_t b = 0; b < keys * keys; b++)
                subject_add(list, "set_two", a / slots + a % slots * 64, b / keys + b % keys * 64,
                            0);
}

static bool is_possible(const void *state, const space_action *action)
{
    (void)state;
    return !subject_is(action, "remove") || action->b < model.count;
}

const space_kind index_space = {&index_subject, 0,        begin,       fini,
                                subject_check,  list_all, is_possible, subject_take};
