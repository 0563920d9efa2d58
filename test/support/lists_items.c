/* SPDX-License-Identifier: MIT */
/* The operations of the model of lists that concern the items of one list. */
#include "layout.h"
#include "lists_blocks.h"
#include "lists_model.h"

#include <string.h>

enum {
    MODEL_BURST = 50, /* most items in a row */
    MODEL_ITEM = 5000 /* bytes, of the largest item */
};

/* The pattern of an item: items of different lists differ. */
static uint64_t pattern_of(const lists_model *model, hm_handle list, uint32_t argument)
{
    uint32_t key = model->keys != 0 ? argument % model->keys : argument;
    return (list.bits >> 32 ^ (list.bits & UINT32_MAX)) << 32 | key;
}

/* Makes n items of the entry, from `index` on, that are zero or whose arguments follow each other;
 * they are new, and those behind move up. */
static void note_items(lists_model *model, lists_model_list *entry, uint32_t index, uint32_t n,
                       bool is_zero, uint32_t argument)
{
    CHECK(entry->count + n <= LISTS_MODEL_ITEMS);
    memmove(&entry->values[index + n], &entry->values[index],
            (entry->count - index) * sizeof *entry->values);
    for (uint32_t i = 0; i < n; i++)
        entry->values[index + i] =
            is_zero ? LISTS_MODEL_ZERO : pattern_of(model, entry->list, argument + i);
    entry->count += n;
    model->item_count += n;
    lists_model_refresh(model, entry);
    for (uint32_t i = 0; i < n && is_zero && model->keys != 0; i++) {
        unsigned char *item = (unsigned char *)hm_lists_items(&model->lists, entry->list, NULL) +
                              model->desc.item_size * (index + i);
        CHECK(lists_model_holds(model, item, LISTS_MODEL_ZERO));
        entry->values[index + i] = pattern_of(model, entry->list, 0);
        test_item_fill(item, model->desc.item_size, entry->values[index + i]);
    }
}

/* Returns how many units in a row may be had, at most: free ones, and those of empty lists. */
static uint64_t find_run(const hm_lists *lists)
{
    uint64_t run = 0, longest = 0;
    for (uint32_t unit = 1, size; unit < lists->blocks.end; unit += size) {
        size = size_of_block(&lists->blocks, unit);
        run = count_in_block(&lists->blocks, unit) == 0 ? run + size : 0;
        longest = run > longest ? run : longest;
    }
    run += space_of(&lists->blocks) - lists->blocks.end;
    return run > longest ? run : longest;
}

/* Checks that a list without `n` more items was right to refuse them. */
static void check_refusal(const lists_model *model, const lists_model_list *entry, uint32_t n,
                          hm_status status)
{
    const hm_lists *lists = &model->lists;
    uint64_t unit = UINT64_C(1) << lists->blocks.unit_shift, size = 2;
    bool has_space = entry->count + n <= LISTS_MODEL_ITEMS;
    while (size - 1 < (lists->blocks.item_size * (entry->count + n) + unit - 1) / unit)
        size *= 2;
    if (n <= model->desc.max_items - model->item_count) {
        CHECK(has_space);
        has_space = model->is_unbounded || size <= find_run(lists);
        for (uint32_t i = hm_bits_highest(size); i < HM_LISTS_CLASSES; i++)
            CHECK(lists->blocks.end == 1 || heads_of(&lists->blocks)[i] == 0);
    } else {
        has_space = false;
    }
    CHECK(test_memory_explains(&model->memory, status, has_space));
}

/* operations */

/* List, whether zero, value. */
void lists_model_push(void *state, const uint32_t arguments[3])
{
    lists_model *model = state;
    unsigned char item[MODEL_ITEM];
    lists_model_list *entry;
    hm_handle list = lists_model_pick_list(model, arguments, &entry);
    bool is_zero = arguments[0] / 16 % 8 == 1;
    test_item_fill(item, model->desc.item_size, pattern_of(model, list, arguments[2]));
    const void *place = hm_lists_push(&model->lists, list, is_zero ? NULL : item);
    if (place == NULL) {
        if (entry != NULL)
            check_refusal(model, entry, 1,
                          test_memory_refused(&model->memory) ? HM_ERROR_MEMORY : HM_ERROR_FULL);
        return;
    }
    CHECK(entry != NULL);
    test_memory_check_committed(&model->memory, place, model->desc.item_size);
    note_items(model, entry, entry->count, 1, is_zero, arguments[2]);
    CHECK((const unsigned char *)entry->place + model->desc.item_size * (entry->count - 1) ==
          place);
}

/* List, number, value. */
void lists_model_push_n(void *state, const uint32_t arguments[3])
{
    static unsigned char items[MODEL_ITEM * MODEL_BURST];
    lists_model *model = state;
    lists_model_list *entry;
    hm_handle list = lists_model_pick_list(model, arguments, &entry);
    uint32_t n = arguments[0] / 16 % (MODEL_BURST + 1);
    bool is_zero = arguments[2] % 8 == 1;
    for (uint32_t i = 0; i < n; i++)
        test_item_fill(items + model->desc.item_size * i, model->desc.item_size,
                       pattern_of(model, list, arguments[2] + i));
    hm_status status = hm_lists_push_n(&model->lists, list, is_zero ? NULL : items, n);
    if (entry == NULL)
        CHECK(status == HM_ERROR_STALE);
    else if (status == HM_OK)
        note_items(model, entry, entry->count, n, is_zero, arguments[2]);
    else
        check_refusal(model, entry, n, status);
}

/* List, index, value. */
void lists_model_insert_at(void *state, const uint32_t arguments[3])
{
    lists_model *model = state;
    unsigned char item[MODEL_ITEM];
    lists_model_list *entry;
    hm_handle list = lists_model_pick_list(model, arguments, &entry);
    uint32_t count = entry != NULL ? entry->count : 0, index = arguments[0] / 16 % (count + 2);
    bool is_zero = arguments[2] % 8 == 1;
    test_item_fill(item, model->desc.item_size, pattern_of(model, list, arguments[2]));
    const void *place = hm_lists_insert_at(&model->lists, list, index, is_zero ? NULL : item);
    if (place == NULL) {
        if (entry != NULL && index <= count)
            check_refusal(model, entry, 1,
                          test_memory_refused(&model->memory) ? HM_ERROR_MEMORY : HM_ERROR_FULL);
        return;
    }
    CHECK(entry != NULL && index <= count);
    note_items(model, entry, index, 1, is_zero, arguments[2]);
    CHECK((const unsigned char *)entry->place + model->desc.item_size * index == place);
}

/* Drops the items from `count` on. */
static void note_shrunk(lists_model *model, lists_model_list *entry, uint32_t count)
{
    model->item_count -= entry->count - count;
    model->ended += entry->count - count;
    entry->count = count;
    if (count == 0)
        entry->place = NULL;
}

/* List, count. */
void lists_model_resize(void *state, const uint32_t arguments[3])
{
    lists_model *model = state;
    lists_model_list *entry;
    hm_handle list = lists_model_pick_list(model, arguments, &entry);
    uint32_t count = arguments[0] / 16 % 100;
    hm_status status = hm_lists_resize(&model->lists, list, count);
    if (entry == NULL)
        CHECK(status == HM_ERROR_STALE);
    else if (status != HM_OK)
        check_refusal(model, entry, count - entry->count, status);
    else if (count > entry->count)
        note_items(model, entry, entry->count, count - entry->count, true, 0);
    else
        note_shrunk(model, entry, count);
}

/* List, index: the last item fills the hole, or those behind it move down. */
static void erase_item(lists_model *model, const uint32_t arguments[3], bool is_ordered)
{
    lists_model_list *entry;
    hm_handle list = lists_model_pick_list(model, arguments, &entry);
    uint32_t count = entry != NULL ? entry->count : 0, index = arguments[0] / 16 % (count + 1);
    CHECK((is_ordered ? hm_lists_erase_ordered_at(&model->lists, list, index)
                      : hm_lists_erase_at(&model->lists, list, index)) == (index < count));
    if (index >= count)
        return;
    if (is_ordered)
        memmove(&entry->values[index], &entry->values[index + 1],
                (count - 1 - index) * sizeof *entry->values);
    else
        entry->values[index] = entry->values[count - 1];
    note_shrunk(model, entry, count - 1);
}

void lists_model_erase_at(void *state, const uint32_t arguments[3])
{
    erase_item(state, arguments, false);
}

void lists_model_erase_ordered_at(void *state, const uint32_t arguments[3])
{
    erase_item(state, arguments, true);
}

typedef struct chooser {
    lists_model *model;
    const lists_model_list *entry;
    uint32_t asked, doomed; /* set of indices; those above CHOOSER_BITS repeat */
} chooser;

enum { CHOOSER_BITS = 28 };

static bool is_marked(const chooser *from, uint32_t index)
{
    return (from->doomed >> index % CHOOSER_BITS & 1) != 0;
}

/* For a call that must be refused. */
static bool is_not_asked(hm_handle list, const void *items, uint32_t count, void *context)
{
    (void)list;
    (void)items;
    (void)count;
    (void)context;
    CHECK(false);
    return true;
}

static bool is_doomed(const void *item, void *context)
{
    chooser *from = context;
    lists_model *model = from->model;
    CHECK(lists_model_holds(model, item, from->entry->values[from->asked]));
    if ((model->tick + from->asked) % TEST_SAMPLE == 0) {
        hm_handle list = from->entry->list;
        CHECK(hm_lists_validate(&model->lists) == HM_OK);
        CHECK(hm_lists_push(&model->lists, list, NULL) == NULL);
        CHECK(!hm_lists_erase_at(&model->lists, list, 0) && !hm_lists_destroy(&model->lists, list));
        CHECK(hm_lists_destroy_if(&model->lists, is_not_asked, NULL) == 0);
        CHECK(hm_lists_resize(&model->lists, list, 0) == HM_ERROR_BUSY);
        CHECK(hm_handle_is_null(hm_lists_create(&model->lists)));
        CHECK(!hm_lists_defragment(&model->lists, NULL).done);
        CHECK(hm_lists_trim(&model->lists) == HM_ERROR_BUSY);
    }
    return is_marked(from, from->asked++);
}

/* List, set of the items that go. */
void lists_model_erase_if(void *state, const uint32_t arguments[3])
{
    lists_model *model = state;
    lists_model_list *entry;
    hm_handle list = lists_model_pick_list(model, arguments, &entry);
    chooser from = {model, entry, 0, arguments[0] / 16};
    uint32_t erased = hm_lists_erase_if(&model->lists, list, is_doomed, &from), kept = 0;
    CHECK(from.asked == (entry != NULL ? entry->count : 0));
    for (uint32_t i = 0; i < from.asked; i++)
        if (!is_marked(&from, i))
            entry->values[kept++] = entry->values[i];
    CHECK(erased == from.asked - kept);
    if (erased != 0)
        note_shrunk(model, entry, kept);
}

void lists_model_check_refused(lists_model *model, hm_handle handle)
{
    hm_lists *lists = &model->lists;
    CHECK(!hm_lists_destroy(lists, handle) && hm_lists_push(lists, handle, NULL) == NULL);
    CHECK(hm_lists_push_n(lists, handle, NULL, 3) == HM_ERROR_STALE);
    CHECK(hm_lists_insert_at(lists, handle, 0, NULL) == NULL);
    CHECK(hm_lists_resize(lists, handle, 0) == HM_ERROR_STALE);
    CHECK(!hm_lists_erase_at(lists, handle, 0) && !hm_lists_erase_ordered_at(lists, handle, 0));
    CHECK(hm_lists_erase_if(lists, handle, is_doomed, NULL) == 0);
}
