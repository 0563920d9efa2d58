/* SPDX-License-Identifier: MIT */
/* page: a map in a history, which goes back to earlier moments. The handles that the program holds
 * do not go back with it. */
#include "page.h"

enum { REWIND_MARKS = 8, REWIND_CAPACITY = 12, REWIND_SIZE = 1 << 20 };

static hm_history history;
hm_map notes;
static uint64_t notes_seed;
static char notes_text[200];

void PAGE_EXPORT(rewind_begin)(void)
{
    const hm_history_desc desc = {.marks = REWIND_MARKS, .size = REWIND_SIZE};
    const hm_map_desc map_desc = {.item_size = sizeof(uint32_t),
                                  .capacity = REWIND_CAPACITY,
                                  .type_id = 8,
                                  .memory = &history.table,
                                  .name = "note"};
    notes_seed = 31;
    hm_map_fini(&notes);
    hm_history_fini(&history);
    (void)hm_history_init(&history, &desc);
    (void)hm_map_init(&notes, &map_desc);
    (void)hm_map_watch(&notes, &history);
}

/* Returns the handle; null: refused. */
uint64_t PAGE_EXPORT(rewind_insert)(void)
{
    uint32_t number = 10 + page_random(&notes_seed, 90);
    return hm_map_insert(&notes, &number).bits;
}

bool PAGE_EXPORT(rewind_erase)(uint64_t bits)
{
    hm_handle handle = {bits};
    return hm_map_erase(&notes, handle);
}

/* The edited item gets another number. False: the handle was refused. */
bool PAGE_EXPORT(rewind_edit)(uint64_t bits)
{
    hm_handle handle = {bits};
    uint32_t *number = hm_map_get(&notes, handle);
    if (number != NULL)
        *number = 10 + page_random(&notes_seed, 90);
    return number != NULL;
}

/* Returns the number of the mark; 0: refused. */
uint32_t PAGE_EXPORT(rewind_mark)(void)
{
    return (uint32_t)hm_history_mark(&history);
}

bool PAGE_EXPORT(rewind_to)(uint32_t mark)
{
    return hm_history_rewind(&history, mark) == HM_OK;
}

/* Returns the oldest mark, or the one that the state has come from. */
uint32_t PAGE_EXPORT(rewind_end)(bool is_current)
{
    hm_history_stats stats = hm_history_get_stats(&history);
    return (uint32_t)(is_current ? stats.current_mark : stats.oldest_mark);
}

static void count_change(const hm_change *change, void *context)
{
    uint32_t *counts = context;
    counts[change->kind]++;
}

/* Returns how many items were inserted (HM_CHANGE_INSERTED), and so on, from mark to mark. */
uint32_t PAGE_EXPORT(rewind_changes)(uint32_t from, uint32_t to, uint32_t kind)
{
    uint32_t counts[HM_CHANGE_EDITED + 1] = {0};
    (void)hm_map_changes(&notes, &history, from, to, count_change, counts);
    return counts[kind];
}

uint32_t PAGE_EXPORT(rewind_count)(void)
{
    return hm_map_count(&notes);
}

uint32_t PAGE_EXPORT(rewind_number)(uint32_t index)
{
    return ((const uint32_t *)hm_map_items(&notes))[index];
}

uint64_t PAGE_EXPORT(rewind_handle)(uint32_t index)
{
    return hm_map_handle_at(&notes, index).bits;
}

const char *PAGE_EXPORT(rewind_describe)(uint64_t bits)
{
    (void)hm_map_describe(&notes, (hm_handle){bits}, notes_text, sizeof notes_text);
    return notes_text;
}

uint32_t PAGE_EXPORT(rewind_copied)(void)
{
    return (uint32_t)hm_history_get_stats(&history).copied_size;
}

bool PAGE_EXPORT(rewind_is_valid)(void)
{
    return hm_map_validate(&notes) == HM_OK && hm_history_validate(&history) == HM_OK;
}
