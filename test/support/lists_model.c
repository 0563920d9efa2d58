/* SPDX-License-Identifier: MIT */
/* The naive model of lists: each operation on both sides, and the comparison of the two. */
#include "lists_model.h"

#include "lists_blocks.h"

#include "layout.h"
#include "reload.h"

#include <stdlib.h>
#include <string.h>

enum {
    MODEL_SMALL = 64, /* bytes; up to this size all items are compared after each operation */
    MODEL_STRIDE = 32 /* above, each item after this many operations */
};

lists_model_list *lists_model_find(lists_model *model, hm_handle handle)
{
    for (uint32_t i = 0; i < model->count; i++)
        if (model->entries[i].list.bits == handle.bits)
            return &model->entries[i];
    return NULL;
}

bool lists_model_holds(const lists_model *model, const void *item, uint64_t value)
{
    size_t size = model->desc.item_size;
    return value == LISTS_MODEL_ZERO ? test_bytes_are(item, size, 0)
                                     : test_item_is(item, size, value);
}

/* Returns a handle to try: a list (kind 0 to 11), one that was or whose upper half is zero, null,
 * damaged, of another type, or noise. */
static hm_handle pick(const lists_model *model, uint32_t kind, uint32_t which, uint32_t noise)
{
    uint32_t known = model->past_count < LISTS_MODEL_PAST ? model->past_count : LISTS_MODEL_PAST;
    uint64_t bits = (uint64_t)which << 32 | noise;
    hm_handle live = model->count != 0 ? model->entries[which % model->count].list
                                       : hm_handle_pack(which, 1, model->desc.type_id);
    switch (kind % 16) {
    case 12:
        if (noise % 4 == 0)
            return hm_handle_from_bits(which % 64);
        return known != 0 ? model->past[which % known] : HM_NULL_HANDLE;
    case 13:
        return hm_handle_from_bits(live.bits ^ UINT64_C(1) << noise % 64);
    case 14:
        return hm_handle_pack(hm_handle_index(live), hm_handle_generation(live), noise);
    case 15:
        return hm_handle_from_bits(test_random(&bits));
    default:
        return live;
    }
}

hm_handle lists_model_pick_list(lists_model *model, const uint32_t arguments[3],
                                lists_model_list **entry)
{
    hm_handle list = pick(model, arguments[0], arguments[1], arguments[2]);
    *entry = lists_model_find(model, list);
    return list;
}

/* Notes where all items are, if the range has moved. */
static void refresh_all(lists_model *model)
{
    if (model->base == model->lists.blocks.base)
        return;
    CHECK(model->is_unbounded);
    for (uint32_t i = 0; i < model->count; i++)
        model->entries[i].place = hm_lists_items(&model->lists, model->entries[i].list, NULL);
    model->base = model->lists.blocks.base;
}

void lists_model_refresh(lists_model *model, lists_model_list *entry)
{
    entry->place = hm_lists_items(&model->lists, entry->list, NULL);
    refresh_all(model);
}

/* lists */

/* Returns how many lists may be created, memory permitting. */
static uint32_t room(const lists_model *model)
{
    uint32_t lists = model->desc.capacity - model->count;
    uint32_t slots = model->desc.max_slots - model->count - model->spent;
    return lists < slots ? lists : slots;
}

void lists_model_note_created(lists_model *model, hm_handle list)
{
    uint32_t slot = hm_handle_index(list), generation = hm_handle_generation(list);
    CHECK(slot < model->desc.max_slots && lists_model_find(model, list) == NULL);
    CHECK(list.bits == hm_handle_pack(slot, generation, model->desc.type_id).bits);
    CHECK(generation > model->issued[slot]);
    CHECK(model->is_trimmed || generation == model->issued[slot] + 1u);
    model->issued[slot] = (uint16_t)generation;
    lists_model_list *entry = &model->entries[model->count++];
    entry->list = list;
    entry->count = 0;
    entry->place = NULL;
}

/* Returns whether there is one more. */
static bool create_one(lists_model *model)
{
    bool fits = room(model) != 0;
    hm_handle list = hm_lists_create(&model->lists);
    CHECK(hm_handle_is_null(list) == (!fits || test_memory_refused(&model->memory)));
    if (hm_handle_is_null(list))
        return false;
    lists_model_note_created(model, list);
    return true;
}

static void create(void *state, const uint32_t arguments[3])
{
    (void)arguments;
    create_one(state);
}

/* Returns a handle to adopt: of any slot near what it has issued, of a list that was, or any. */
static hm_handle pick_adoptee(const lists_model *model, const uint32_t arguments[3])
{
    uint32_t slots =
        model->desc.max_slots < LISTS_MODEL_SLOTS ? model->desc.max_slots : LISTS_MODEL_SLOTS;
    uint32_t kind = arguments[0] % 8, slot = arguments[1] % (kind == 0 ? slots : slots / 64 + 1);
    if (kind < 3)
        return hm_handle_pack(slot, model->issued[slot] + kind, model->desc.type_id);
    return pick(model, kind < 6 ? 12 : arguments[0] / 8, arguments[1], arguments[2] | 1);
}

/* Kind, which, noise. Slots that are made before this one's have used up a generation: 1, or a
 * floor that a trim has left. */
static void adopt(void *state, const uint32_t arguments[3])
{
    lists_model *model = state;
    const hm_id_table *ids = &model->lists.ids;
    hm_handle list = pick_adoptee(model, arguments);
    uint32_t slot = hm_handle_index(list), generation = hm_handle_generation(list);
    uint32_t made = ids->slot_count;
    hm_handle_state before = hm_lists_explain(&model->lists, list);
    hm_status status = hm_lists_adopt(&model->lists, list);
    bool is_named = list.bits == hm_handle_pack(slot, generation, model->desc.type_id).bits;
    if (!is_named || generation == 0 || slot >= model->desc.max_slots) {
        CHECK(status == HM_ERROR_INVALID);
        return;
    }
    if (status == HM_ERROR_STALE) {
        CHECK(before == HM_HANDLE_LIVE || before == HM_HANDLE_RETIRED || model->is_trimmed ||
              generation < model->issued[slot] ||
              !hm_handle_is_null(hm_id_table_handle_of_slot(ids, slot)));
        return;
    }
    CHECK(before != HM_HANDLE_LIVE && before != HM_HANDLE_RETIRED);
    if (status != HM_OK) {
        CHECK(test_memory_explains(&model->memory, status, model->count < model->desc.capacity));
        return;
    }
    CHECK(generation >= model->issued[slot] && model->count < model->desc.capacity);
    for (; made < slot; made++)
        model->issued[made] = (uint16_t)hm_handle_generation(ids->entries[made]);
    model->spent -= model->issued[slot] == HM_HANDLE_MAX_GENERATION;
    model->issued[slot] = (uint16_t)(generation - 1);
    lists_model_note_created(model, list);
    refresh_all(model);
}

/* Number, whether reported: makes all of them, or none. */
static void create_n(void *state, const uint32_t arguments[3])
{
    lists_model *model = state;
    hm_handle handles[LISTS_MODEL_LISTS + 1] = {{0}};
    uint32_t n = arguments[0] % (model->desc.capacity / 2 + 2), first = model->count;
    bool has_space = n <= room(model);
    hm_status status = hm_lists_create_n(&model->lists, n, arguments[1] % 4 != 0 ? handles : NULL);
    if (status != HM_OK) {
        CHECK(test_memory_explains(&model->memory, status, has_space));
        CHECK(n == 0 || hm_handle_is_null(handles[0]));
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        lists_model_note_created(model, hm_lists_handle_at(&model->lists, first + i));
        CHECK(arguments[1] % 4 == 0 || hm_handle_equal(model->entries[first + i].list, handles[i]));
    }
}

/* Number: after it, creates succeed without memory, and return the upcoming handles. */
static void reserve(void *state, const uint32_t arguments[3])
{
    lists_model *model = state;
    uint32_t n = arguments[0];
    if (n != UINT32_MAX)
        n %= model->desc.capacity + 2;
    bool has_space = n <= room(model);
    hm_status status = hm_lists_reserve(&model->lists, n);
    if (status != HM_OK) {
        CHECK(test_memory_explains(&model->memory, status, has_space));
        return;
    }
    CHECK(has_space);
    test_try();
    test_memory_fail(&model->memory, 1, true);
    hm_handle last = n != 0 ? hm_lists_upcoming(&model->lists, n - 1) : HM_NULL_HANDLE;
    for (uint32_t i = 0; i < n; i++)
        CHECK(create_one(model));
    CHECK(n == 0 || hm_handle_equal(model->entries[model->count - 1].list, last));
    CHECK(!test_memory_refused(&model->memory));
    test_memory_fail(&model->memory, 0, false);
    test_undo();
}

static void note_destroyed(lists_model *model, const lists_model_list *entry)
{
    model->past[model->past_count++ % LISTS_MODEL_PAST] = entry->list;
    model->item_count -= entry->count;
    model->ended += entry->count;
    model->spent += hm_handle_generation(entry->list) == HM_HANDLE_MAX_GENERATION;
}

/* Removes the list from the model as it is destroyed. */
static void drop(lists_model *model, lists_model_list *entry)
{
    note_destroyed(model, entry);
    *entry = model->entries[--model->count];
}

static void destroy(void *state, const uint32_t arguments[3])
{
    lists_model *model = state;
    lists_model_list *entry;
    hm_handle list = lists_model_pick_list(model, arguments, &entry);
    CHECK(hm_lists_destroy(&model->lists, list) == (entry != NULL));
    if (entry != NULL)
        drop(model, entry);
}

typedef struct list_chooser {
    lists_model *model;
    uint32_t asked, every; /* which lists go */
} list_chooser;

static bool is_chosen(hm_handle list, const void *items, uint32_t count, void *context)
{
    list_chooser *from = context;
    lists_model_list *entry = lists_model_find(from->model, list);
    CHECK(entry != NULL && entry->count == count && entry->place == items);
    if ((from->model->tick + from->asked) % TEST_SAMPLE == 0) {
        CHECK(hm_lists_validate(&from->model->lists) == HM_OK);
        CHECK(!hm_lists_destroy(&from->model->lists, list));
        CHECK(hm_lists_push(&from->model->lists, list, NULL) == NULL);
        CHECK(hm_lists_create_n(&from->model->lists, 1, NULL) == HM_ERROR_BUSY);
        CHECK(hm_lists_adopt(&from->model->lists, list) == HM_ERROR_BUSY);
    }
    return (hm_handle_index(list) + from->asked++) % 3 == from->every;
}

/* Number, random: destroys many lists, some of which are there twice or not at all. */
static void destroy_n(void *state, const uint32_t arguments[3])
{
    enum { MOST = 10 };
    lists_model *model = state;
    hm_handle handles[MOST] = {{0}};
    bool alive[MOST];
    uint64_t random = arguments[1];
    uint32_t n = arguments[0] % (MOST + 1), count = model->count, found = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t kind = test_random_below(&random, 16), which = (uint32_t)test_random(&random);
        handles[i] = pick(model, kind, which, (uint32_t)test_random(&random));
    }
    uint32_t there = hm_lists_contains_n(&model->lists, handles, n, alive);
    uint32_t destroyed = hm_lists_destroy_n(&model->lists, handles, n);
    for (uint32_t i = 0; i < n; i++) {
        lists_model_list *entry = lists_model_find(model, handles[i]);
        found += alive[i];
        CHECK(alive[i] || entry == NULL);
        if (entry != NULL)
            drop(model, entry);
    }
    CHECK(destroyed == count - model->count && there == found && there >= destroyed);
}

/* Which lists go. The model is asked as the lists are: the last first. */
static void destroy_if(void *state, const uint32_t arguments[3])
{
    lists_model *model = state;
    list_chooser from = {model, 0, arguments[0] % 4};
    bool is_doomed[LISTS_MODEL_LISTS];
    uint32_t count = model->count;
    for (uint32_t i = 0; i < count; i++)
        is_doomed[i] = (hm_handle_index(model->entries[count - 1 - i].list) + i) % 3 == from.every;
    uint32_t destroyed = hm_lists_destroy_if(&model->lists, is_chosen, &from);
    CHECK(from.asked == count);
    for (uint32_t i = 0; i < count; i++)
        if (is_doomed[i])
            drop(model, &model->entries[count - 1 - i]);
    CHECK(destroyed == count - model->count);
}

static void clear(void *state, const uint32_t arguments[3])
{
    lists_model *model = state;
    (void)arguments;
    hm_lists_clear(&model->lists);
    for (uint32_t i = 0; i < model->count; i++)
        note_destroyed(model, &model->entries[i]);
    model->count = 0;
}

/* Returns the units that lists without a capacity may keep after a trim. */
static size_t most_kept(const hm_lists *lists)
{
    size_t first = (size_t)1024 >> lists->blocks.unit_shift, need = lists->blocks.end;
    if (first < 2)
        first = 2;
    return first > need ? 2 * first : 2 * need;
}

/* No page behind the last block is left, or at most as much as is used. */
static void trim(void *state, const uint32_t arguments[3])
{
    lists_model *model = state;
    (void)arguments;
    const hm_lists *lists = &model->lists;
    hm_status status = hm_lists_trim(&model->lists);
    size_t used = 0;
    if (lists->blocks.end > 1)
        used = (size_t)(lists->blocks.base - lists->blocks.unit_array.data) +
               ((size_t)lists->blocks.end << lists->blocks.unit_shift);
    model->is_trimmed = true;
    CHECK(status == HM_OK || test_memory_explains(&model->memory, status, true));
    if (status == HM_OK && model->is_unbounded)
        CHECK(space_of(&lists->blocks) <= most_kept(lists));
    else if (status == HM_OK)
        CHECK(lists->blocks.unit_array.committed_size < used + model->memory.table.page_size);
}

/* defragment */

/* Writes the handles of the lists with items in the order of memory. */
static uint32_t read_order(const lists_model *model, hm_handle order[LISTS_MODEL_LISTS])
{
    uint32_t n = 0;
    hm_lists_view view = {0};
    while (hm_lists_next(&model->lists, &view)) {
        CHECK(n < model->count);
        order[n++] = view.list;
    }
    return n;
}

static void check_packed(const lists_model *model)
{
    const hm_lists *lists = &model->lists;
    size_t unit = (size_t)1 << lists->blocks.unit_shift;
    const unsigned char *next = lists->blocks.base + 2 * unit;
    hm_lists_view view = {0};
    while (hm_lists_next(lists, &view)) {
        CHECK(view.items == next);
        next += (lists->blocks.item_size * view.count + unit - 1) / unit * unit + unit;
    }
}

/* Returns whether it is done. */
static bool defragment_once(lists_model *model, hm_frame_budget budget)
{
    hm_handle before[LISTS_MODEL_LISTS], after[LISTS_MODEL_LISTS];
    uint32_t moved = 0, n = read_order(model, before);
    bool was_done = model->lists.blocks.cursor == model->lists.blocks.end;
    hm_frame_budget left = budget;
    hm_progress progress = hm_lists_defragment(&model->lists, &left);
    CHECK(read_order(model, after) == n && memcmp(before, after, n * sizeof *after) == 0);
    for (uint32_t i = 0; i < model->count; i++) {
        const void *place = model->entries[i].place;
        lists_model_refresh(model, &model->entries[i]);
        moved += model->entries[i].place != place;
    }
    CHECK(progress.compares == 0 && progress.swaps == moved);
    CHECK(budget_is_lowered(budget, left, progress));
    CHECK(progress.done || moved == budget.swaps_left ||
          (TEST_STOPS && budget.swaps_left != HM_NO_LIMIT));
    CHECK(!was_done || (progress.done && moved == 0));
    CHECK(progress.done == (model->lists.blocks.cursor == model->lists.blocks.end));
    if (progress.done)
        check_packed(model);
    return progress.done;
}

/* Whether to the end, swaps, compares. */
static void defragment(void *state, const uint32_t arguments[3])
{
    lists_model *model = state;
    hm_frame_budget budget = test_budget_of(arguments[1] % 20, arguments[2] % 3);
    uint32_t calls = 1;
    if (arguments[0] % 4 == 0)
        calls =
            TEST_STOPS ? 2 * (uint32_t)model->lists.blocks.unit_array.capacity : model->count + 1;
    for (uint32_t i = 0; i < calls; i++)
        if (defragment_once(model, budget))
            return;
    CHECK(calls == 1);
}

/* comparison */

void lists_model_probe(lists_model *model, hm_handle handle)
{
    const lists_model_list *entry = lists_model_find(model, handle);
    uint32_t count = UINT32_MAX;
    const void *items = hm_lists_items(&model->lists, handle, &count);
    CHECK(hm_lists_contains(&model->lists, handle) == (entry != NULL));
    CHECK((hm_lists_explain(&model->lists, handle) == HM_HANDLE_LIVE) == (entry != NULL));
    CHECK(count == (entry != NULL ? entry->count : 0));
    CHECK(hm_lists_count_of(&model->lists, handle) == count);
    CHECK(items == (entry != NULL ? entry->place : NULL));
}

/* A handle as pick takes it. */
static void probe(void *state, const uint32_t arguments[3])
{
    lists_model *model = state;
    hm_handle handle = pick(model, arguments[0], arguments[1], arguments[2]);
    lists_model_probe(model, handle);
    if (lists_model_find(model, handle) == NULL)
        lists_model_check_refused(model, handle);
}

static void check_stats(const lists_model *model)
{
    hm_lists_stats stats = hm_lists_get_stats(&model->lists);
    CHECK(stats.count == model->count && stats.retired_slots <= model->spent);
    CHECK(stats.capacity == model->desc.capacity && stats.max_slots == model->desc.max_slots);
    CHECK(stats.slots == stats.count + stats.free_slots + stats.retired_slots);
    CHECK(stats.slots <= stats.max_slots);
    CHECK(stats.committed_size == model->memory.committed_size);
    CHECK(stats.reserved_size == model->memory.reserved_size);
}

/* Checks that a loop over memory visits each list with items once. */
static void check_walk(lists_model *model)
{
    hm_handle order[LISTS_MODEL_LISTS];
    uint32_t filled = 0, n = read_order(model, order);
    const void *last = NULL;
    for (uint32_t i = 0; i < model->count; i++)
        filled += model->entries[i].count != 0;
    CHECK(filled == n);
    for (uint32_t i = 0; i < n; i++) {
        const lists_model_list *entry = lists_model_find(model, order[i]);
        CHECK(entry != NULL && (const unsigned char *)entry->place > (const unsigned char *)last);
        last = entry->place;
    }
}

static void check(void *state)
{
    lists_model *model = state;
    uint64_t random = ++model->tick;
    refresh_all(model);
    CHECK(hm_lists_validate(&model->lists) == HM_OK);
    CHECK(hm_lists_count(&model->lists) == model->count);
    CHECK(hm_lists_item_count(&model->lists) == model->item_count);
    CHECK(model->destroyed == (model->desc.destroy != NULL ? model->ended : 0));
    model->destroyed = model->ended = 0;
    check_stats(model);
    check_walk(model);
    for (uint32_t i = 0; i < model->count; i++) {
        const lists_model_list *entry = &model->entries[i];
        const unsigned char *items = entry->place;
        CHECK(hm_handle_equal(hm_lists_handle_at(&model->lists, i), entry->list));
        lists_model_probe(model, entry->list);
        for (uint32_t k = 0; k < entry->count; k++)
            if (model->desc.item_size <= MODEL_SMALL || (k + model->tick) % MODEL_STRIDE == 0)
                CHECK(
                    lists_model_holds(model, items + model->desc.item_size * k, entry->values[k]));
    }
    CHECK(hm_handle_is_null(hm_lists_handle_at(&model->lists, model->count)));
    uint32_t kind = test_random_below(&random, 16), which = (uint32_t)test_random(&random);
    lists_model_probe(model, pick(model, kind, which, (uint32_t)test_random(&random)));
    test_memory_disarm(&model->memory);
}

/* k, whether the later calls fail too. */
static void refuse(void *state, const uint32_t arguments[3])
{
    test_memory_arm(&((lists_model *)state)->memory, arguments);
}

hm_status lists_model_init(lists_model *model, const hm_lists_desc *desc, size_t page_size)
{
    test_memory_init(&model->memory, page_size);
    model->desc = *desc;
    model->desc.memory = &model->memory.table;
    model->given = model->desc;
    hm_status status = hm_lists_init(&model->lists, &model->desc);
    model->is_unbounded = desc->capacity == 0;
    if (model->is_unbounded)
        model->desc.capacity = desc->max_slots;
    model->base = model->lists.blocks.base;
    return status;
}

void lists_model_fini(lists_model *model)
{
    model->destroyed = 0;
    hm_lists_fini(&model->lists);
    CHECK(model->destroyed == (model->desc.destroy != NULL ? model->item_count : 0));
    test_memory_check_released(&model->memory);
    hm_lists_fini(&model->lists);
    CHECK(hm_lists_validate(&model->lists) == HM_OK);
    CHECK(hm_handle_is_null(hm_lists_create(&model->lists)));
}

/* The item is one of a list that has it, and no earlier report was of it. In a predicate's list
 * items may be there twice. */
static void on_destroy(void *item, void *context)
{
    lists_model *model = context;
    hm_lists_view view = {0};
    const unsigned char *place = item;
    size_t size = model->desc.item_size;
    bool is_found = false;
    if (test_reload_counts(item, size))
        return;
    while (!is_found && hm_lists_next(&model->lists, &view)) {
        size_t offset = (size_t)(place - (const unsigned char *)view.items);
        if (place < (const unsigned char *)view.items || offset >= size * view.count)
            continue;
        is_found = true;
        const lists_model_list *entry = lists_model_find(model, view.list);
        CHECK(entry != NULL && offset % size == 0 && hm_lists_contains(&model->lists, view.list));
    }
    CHECK(is_found);
    model->destroyed++;
    if (model->destroyed % 8 != 1)
        return;
    CHECK(hm_lists_validate(&model->lists) == HM_OK);
    CHECK(hm_lists_push(&model->lists, view.list, NULL) == NULL);
    CHECK(!hm_lists_erase_at(&model->lists, view.list, 0));
    CHECK(!hm_lists_destroy(&model->lists, view.list));
    CHECK(hm_lists_resize(&model->lists, view.list, 0) == HM_ERROR_BUSY);
}

/* Layout, most items, capacity and type. */
static void *begin(const uint32_t arguments[3])
{
    lists_model *model = calloc(1, sizeof *model);
    test_layout layout = test_layout_at(arguments[0] % test_layout_count());
    CHECK(model != NULL);
    hm_lists_desc desc = {
        .item_size = layout.item_size,
        .item_align = layout.item_align,
        .capacity = 1 + arguments[2] / 4 % LISTS_MODEL_LISTS,
        .max_items = 1 + arguments[1] % LISTS_MODEL_ITEMS,
        .type_id = (uint16_t)(arguments[2] % 8 == 0 ? 0 : arguments[2] & HM_HANDLE_MAX_TYPE_ID),
        .destroy = arguments[1] / 4096 % 2 != 0 ? on_destroy : NULL,
        .context = model};
    desc.max_slots = desc.capacity + arguments[1] % 3 * 10000;
    if (arguments[2] / (4 * LISTS_MODEL_LISTS) % 2 == 0 && arguments[1] % 3 == 0)
        desc.capacity = 0; /* They have no limit but their slots, and move as they grow. */
    CHECK(lists_model_init(model, &desc, layout.page_size) == HM_OK);
    /* Often a part of the range, so that gaps use it up. */
    if (!model->is_unbounded)
        limit_space(&model->lists.blocks,
                    space_of(&model->lists.blocks) / (1 + arguments[1] / LISTS_MODEL_ITEMS % 5));
    return model;
}

static hm_handle hostile_handle(const lists_model *model, const uint32_t arguments[3])
{
    return test_hostile_handle_of(model->entries, sizeof *model->entries, model->count,
                                  model->desc.type_id, arguments);
}

static void hostile(void *state, const uint32_t arguments[3])
{
    lists_model *model = state;
    hm_handle handle = hostile_handle(model, arguments);
    lists_model_probe(model, handle);
    if (lists_model_find(model, handle) == NULL)
        lists_model_check_refused(model, handle);
}

TEST_RELOAD_AND_END(lists, given)

static const test_operation operations[] = {
    {"create", 60, create},
    {"reserve", 8, reserve},
    {"destroy", 40, destroy},
    {"clear", 2, clear},
    {"trim", 20, trim},
    {"push", 250, lists_model_push},
    {"push_n", 60, lists_model_push_n},
    {"insert_at", 60, lists_model_insert_at},
    {"resize", 30, lists_model_resize},
    {"erase_at", 100, lists_model_erase_at},
    {"erase_ordered_at", 60, lists_model_erase_ordered_at},
    {"erase_if", 20, lists_model_erase_if},
    {"defragment", 60, defragment},
    {"probe", 40, probe},
    {"refuse", 40, refuse},
    {"hostile", 30, hostile},
    {"create_n", 6, create_n},
    {"adopt", 30, adopt},
    {"reload", 10, reload},
    {"destroy_n", 4, destroy_n},
    {"destroy_if", 2, destroy_if},
};

TEST_SUBJECT(lists_subject, "lists", operations, begin, check, end);
