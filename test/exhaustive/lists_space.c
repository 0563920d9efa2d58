/* SPDX-License-Identifier: MIT */
/* The state spaces of lists. What the handles of lists that are gone are explained as is searched
 * in the spaces of the map, whose id table is the same. */
#include "blank.h"
#include "subject.h"

#include "support/lists_blocks.h"
#include "support/lists_model.h"

#include "lists_private.h"

#include <stddef.h>
#include <string.h>

enum {
    LISTS_RANGE = 832 /* bytes: entries, slots, records, blocks */
};

static lists_model model;
static const space_config *config;

/* begin and end */

static hm_status init(void)
{
    const size_t size = config->item_size;
    const hm_lists_desc desc = {.item_size = size,
                                .item_align = size % 8 == 0 ? 8 : 0, /* units of 8 bytes */
                                .capacity = config->capacity,
                                .max_slots = config->max_slots,
                                .max_items = config->max_items,
                                .type_id = SPACE_TYPE_ID};
    return lists_model_init(&model, &desc, config->page_size);
}

static void fini(void)
{
    lists_model_fini(&model);
}

static void probe(hm_handle handle)
{
    lists_model_probe(&model, handle);
    if (lists_model_find(&model, handle) == NULL)
        lists_model_check_refused(&model, handle);
}

/* Blanks what is in the blocks behind the heads, and the items or the links. */
void blank_blocks(hm_lists_blocks *lists)
{
    size_t unit_size = (size_t)1 << lists->unit_shift, used;
    for (uint32_t unit = 1, size; unit < lists->end; unit += size) {
        const hm_lists_block *block = hm_lists_block_at(lists, unit);
        size = hm_lists_size_of(lists, block);
        if (hm_lists_is_free(block))
            used = size > 1 ? sizeof(hm_lists_links) : 0;
        else
            used = lists->item_size * hm_lists_record_of(lists, block->slot)->count;
        memset(hm_lists_address(lists, unit + 1) + used, SPACE_BLANK,
               unit_size * (size - 1) - used);
    }
    size_t end = unit_size * (hm_lists_front(lists) + lists->end);
    blank_behind(&lists->unit_array, lists->unit_array.committed_size != 0 ? end : 0);
    BLANK(lists->record_array.count);
    BLANK(lists->unit_array.count);
}

static void blank_lists(hm_lists *lists)
{
    hm_id_table *ids = &lists->ids;
    blank_behind(&lists->blocks.record_array, sizeof(hm_lists_record) * ids->slot_count);
    blank_behind(&ids->entry_array, sizeof(hm_handle) * ids->slot_count);
    blank_behind(&ids->slot_array, sizeof(uint32_t) * ids->used);
    blank_floors(ids);
    BLANK(ids->entry_array.count);
    BLANK(ids->slot_array.count);
    blank_blocks(&lists->blocks);
}

static void blank(void)
{
    blank_lists(&model.lists);
    for (uint32_t i = 0; i < LISTS_MODEL_LISTS; i++) {
        lists_model_list *entry = &model.entries[i];
        if (i >= model.count)
            memset(entry, 0, sizeof *entry);
        memset(entry->values + entry->count, 0,
               (LISTS_MODEL_ITEMS - entry->count) * sizeof *entry->values);
    }
}

static void save(hm_sink sink)
{
    CHECK(hm_lists_save(&model.lists, NULL, sink) == HM_OK);
}

static void load(hm_source source)
{
    arena_empty();
    CHECK(init() == HM_OK);
    limit_space(&model.lists.blocks, config->units);
    CHECK(hm_lists_load(&model.lists, NULL, source) == HM_OK);
}

static size_t begin(const space_config *of)
{
    static const subject_file file = {save, load, model.entries, NULL, NULL};
    static const size_t windows[] = {LISTS_RANGE, SPACE_FLOORS};
    static const uint32_t any[TEST_ARGUMENTS];
    const size_t live = offsetof(lists_model, lists);
    CHECK(of->capacity <= LISTS_MODEL_LISTS && of->max_slots <= LISTS_MODEL_SLOTS);
    CHECK(of->max_items <= LISTS_MODEL_ITEMS);
    config = of;
    memset(&model, 0, sizeof model);
    model.keys = of->keys;
    arena_begin(windows, 2, of->page_size);
    arena_init(init);
    CHECK(config->units <= space_of(&model.lists.blocks));
    limit_space(&model.lists.blocks, config->units);
    size_t size =
        subject_begin(&(subject_space){of, &lists_subject, &model, (unsigned char *)&model + live,
                                       sizeof model - live, NULL, blank, probe, fini, NULL, &file});
    for (uint32_t life = 0; life < of->spent_lives; life++) {
        for (uint32_t i = 0; i < of->capacity; i++)
            subject_run("create", any);
        subject_run("clear", any);
    }
    return size;
}

/* steps */

/* The first argument of an operation on a list: a list that there is, and a number. */
static uint32_t with(uint32_t number)
{
    return 16 * number;
}

static void list_items(space_actions *list, uint32_t row)
{
    uint32_t most = config->max_items, last_key = config->keys == 1 ? 0 : 2 * config->keys - 1u;
    subject_add_quiet(list, "destroy", 0, row, 0);
    subject_add(list, "push", with(1), row, 0); /* zero */
    for (uint32_t key = 0; key < config->keys; key++)
        subject_add(list, "push", 0, row, key);
    for (uint32_t n = 0; n <= most + 1; n++) {
        subject_add(list, "push_n", with(n), row, 0);
        subject_add(list, "insert_at", with(n), row, last_key);
        subject_add(list, "resize", with(n), row, 0);
        subject_add_quiet(list, "erase_at", with(n), row, 0);
        subject_add_quiet(list, "erase_ordered_at", with(n), row, 0);
    }
    for (uint32_t set = 0; set < 1u << most; set++)
        subject_add_quiet(list, "erase_if", with(set), row, 0);
}

static void list_all(space_actions *list)
{
    list->count = 0;
    subject_add(list, "create", 0, 0, 0);
    subject_add_quiet(list, "clear", 0, 0, 0);
    for (uint32_t n = 0; n <= config->capacity / 2 + 1u; n++)
        subject_add(list, "create_n", n, 1, 0);
    subject_add(list, "trim", 0, 0, 0);
    subject_add(list, "reserve", UINT32_MAX, 0, 0);
    for (uint32_t n = 0; n <= config->capacity + 1; n++)
        subject_add(list, "reserve", n, 0, 0);
    for (uint32_t swaps = 0; swaps <= config->capacity; swaps++)
        subject_add_quiet(list, "defragment", 1, swaps, 0);
    subject_add_quiet(list, "defragment", 0, 1, 0); /* to the end */
    if (config->adopts)
        subject_add_adopts(list, config->max_slots);
    for (uint32_t row = 0; row < config->capacity; row++)
        list_items(list, row);
}

/* Lists that there are, indices up to one that is too large, and sets of indices that there are. */
static bool is_possible(const void *state, const space_action *action)
{
    static const char *const of_lists[] = {"create",  "create_n",   "clear", "trim",
                                           "reserve", "defragment", "adopt"};
    uint32_t number = action->a / 16, count;
    (void)state;
    for (uint32_t i = 0; i < sizeof of_lists / sizeof *of_lists; i++)
        if (subject_is(action, of_lists[i]))
            return true;
    if (action->b >= model.count)
        return false;
    count = model.entries[action->b].count;
    if (subject_is(action, "erase_if"))
        return number < 1u << count;
    if (subject_is(action, "insert_at"))
        return number <= count + 1;
    return (!subject_is(action, "erase_at") && !subject_is(action, "erase_ordered_at")) ||
           number <= count;
}

const space_kind lists_space = {&lists_subject, 0,        begin,       fini,
                                subject_check,  list_all, is_possible, subject_take};
