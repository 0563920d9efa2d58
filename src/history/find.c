/* SPDX-License-Identifier: MIT */
/* history: which units have changed since the current mark. */
#include "history_private.h"

#include <handle_map/bits.h>

enum { FIND_SPANS = 128 };

hm_history_change *hm_history_change_of(hm_history *history, uint32_t unit)
{
    hm_history_unit *of = hm_history_unit_of(history, unit);
    if (of->change != 0)
        return hm_array_at(&history->changes, of->change - 1);
    hm_history_change *change = hm_array_push(&history->changes);
    if (change == NULL)
        return NULL;
    *change = (hm_history_change){.before = of->kept, .after = of->kept, .unit = unit};
    of->change = hm_history_change_count(&history->changes);
    return change;
}

void hm_history_forget(hm_history *history)
{
    const hm_history_change *changes = hm_array_data(&history->changes);
    for (uint32_t i = 0; i < hm_history_change_count(&history->changes); i++)
        hm_history_unit_of(history, changes[i].unit)->change = 0;
    (void)hm_array_resize(&history->changes, 0);
}

/* Pages that were committed, given back, or begin a range or did. */
static bool find_touched(hm_history *history)
{
    for (uint32_t next = history->touched; next != 0;) {
        uint32_t page = next - 1;
        const hm_history_unit *unit = hm_history_page(history, page);
        bool is_there = hm_history_is_committed(history, page) || unit->kept.copy != NULL;
        if ((is_there || unit->range != unit->kept.range) &&
            hm_history_change_of(history, page) == NULL)
            return false;
        next = unit->next;
    }
    return true;
}

/* Returns the first page from this one on that is committed, or that is not; or page_end. */
static uint32_t find_page(const hm_history *history, uint32_t page, bool is_committed)
{
    const uint64_t *words = hm_array_data(&history->committed);
    uint64_t others = is_committed ? 0 : UINT64_MAX;
    while (page < history->page_end) {
        uint64_t word = (words[page / 64] ^ others) >> page % 64;
        if (word != 0) {
            page += hm_bits_lowest(word);
            break;
        }
        page = (page / 64 + 1) * 64;
    }
    return page < history->page_end ? page : history->page_end;
}

/* Finds the next run of committed pages, from a page on. */
static bool find_run(const hm_history *history, uint32_t *page, uint32_t *end)
{
    *page = find_page(history, *page, true);
    *end = find_page(history, *page, false);
    return *page < history->page_end;
}

/* Of a run of pages, those that the system saw written. */
static bool find_written(hm_history *history, uint32_t page, uint32_t run_end)
{
    /* MemorySanitizer does not see what the system writes. */
    hm_memory_span spans[FIND_SPANS] = {{0}};
    unsigned char *from = hm_history_address(history, page);
    unsigned char *to = hm_history_address(history, run_end);
    while (from < to) {
        int count = hm_memory_written(history->files, &from, to, spans, FIND_SPANS);
        if (count < 0) {
            (void)hm_fail(HM_ERROR_MEMORY, "history: the system does not tell what was written");
            return false;
        }
        for (int i = 0; i < count; i++) {
            uint64_t first = (spans[i].start - (uintptr_t)history->base) / history->page_size;
            uint64_t end = (spans[i].end - (uintptr_t)history->base) / history->page_size;
            for (uint32_t written = (uint32_t)first; written < end; written++)
                if (hm_history_change_of(history, written) == NULL)
                    return false;
        }
    }
    return true;
}

/* Of a run of pages, those that differ from their copies. Those without one were touched. */
static bool find_different(hm_history *history, uint32_t page, uint32_t end)
{
    for (; page < end; page++) {
        const hm_history_unit *unit = hm_history_page(history, page);
        if (unit->kept.copy != NULL && unit->change == 0 &&
            hm_history_differs(history, hm_history_address(history, page), history->page_size,
                               unit->kept.copy) &&
            hm_history_change_of(history, page) == NULL)
            return false;
    }
    return true;
}

static bool find_fragments(hm_history *history)
{
    for (uint32_t fragment = 0; fragment < hm_array_count(&history->watches); fragment++) {
        const hm_history_unit *unit = hm_history_fragment(history, fragment);
        if (unit->address != NULL &&
            hm_history_differs(history, unit->address, unit->size, unit->kept.copy) &&
            hm_history_change_of(history, history->page_count + fragment) == NULL)
            return false;
    }
    return true;
}

/* After a fork the files watch the parent's memory, so the child compares. Under AddressSanitizer
 * what is poisoned may change where nothing is written. */
static bool find_compares(hm_history *history)
{
    if (history->method == HM_HISTORY_TRACK && history->process != hm_memory_process()) {
        hm_memory_untrack(history->files);
        history->method = HM_HISTORY_COMPARE;
    }
    if (hm_memory_poisons())
        return true;
    return history->method == HM_HISTORY_COMPARE;
}

bool hm_history_find(hm_history *history)
{
    bool compares = find_compares(history), is_done = find_touched(history);
    for (uint32_t page = 0, end; is_done && find_run(history, &page, &end); page = end)
        is_done = compares ? find_different(history, page, end) : find_written(history, page, end);
    is_done = is_done && find_fragments(history);
    if (!is_done)
        hm_history_forget(history);
    return is_done;
}

void hm_history_lift(hm_history *history)
{
    for (uint32_t page = 0, end; find_run(history, &page, &end); page = end)
        hm_memory_unprotect(history->files, hm_history_address(history, page),
                            hm_history_address(history, end));
}

void hm_history_watch_anew(hm_history *history)
{
    for (uint32_t next = history->touched; next != 0;) {
        hm_history_unit *unit = hm_history_page(history, next - 1);
        unit->bits &= ~(uint32_t)HM_HISTORY_TOUCHED;
        next = unit->next;
    }
    history->touched = 0;
    if (history->method != HM_HISTORY_TRACK)
        return;
    for (uint32_t page = 0, end; find_run(history, &page, &end); page = end)
        hm_memory_protect(history->files, hm_history_address(history, page),
                          hm_history_address(history, end));
}
