/* SPDX-License-Identifier: MIT */
/* history: all memory as it was at a mark. */
#include "history_private.h"

/* From one mark, the logs lead to another: to an earlier one by the first states before changes
 * from there on, to a later one by the last states after changes up to there. */
static void view_go(hm_history_view *view, uint32_t from, uint32_t to)
{
    const hm_history *history = view->history;
    unsigned char **copies = hm_array_data(&view->copies);
    bool is_back = to < from;
    uint32_t steps = is_back ? from - to : to - from;
    for (uint32_t k = 0; k < steps; k++) {
        const hm_array *array =
            &hm_history_log_at(history, is_back ? from - 1 - k : from + k)->changes;
        const hm_history_change *changes = hm_array_data(array);
        for (uint32_t i = 0; i < hm_history_change_count(array); i++) {
            uint32_t unit = changes[i].unit;
            if (unit >= history->page_count)
                unit = unit - history->page_count + history->page_end;
            copies[unit] = is_back ? changes[i].before.copy : changes[i].after.copy;
        }
    }
}

static void view_fill(hm_history_view *view, const hm_history_view *other, uint32_t index)
{
    const hm_history *history = view->history;
    unsigned char **copies = hm_array_data(&view->copies);
    size_t count = hm_array_count(&view->copies);
    if (other != NULL && other->mark != 0) {
        memcpy(copies, hm_array_data(&other->copies), count * sizeof *copies);
        view_go(view, other->index, index);
        return;
    }
    for (uint32_t page = 0; page < history->page_end; page++)
        copies[page] = hm_history_page(history, page)->kept.copy;
    for (uint32_t fragment = 0; history->page_end + fragment < count; fragment++)
        copies[history->page_end + fragment] = hm_history_fragment(history, fragment)->kept.copy;
    view_go(view, history->current, index);
}

hm_status hm_history_view_init(hm_history_view *view, const hm_history *history, uint64_t mark,
                               const hm_history_view *other)
{
    uint32_t index = 0;
    if (history->base == NULL)
        return hm_fail_uninitialised("history");
    hm_status status = mark != 0 ? hm_history_find_mark(history, mark, &index) : HM_OK;
    if (status != HM_OK)
        return status;
    *view = (hm_history_view){.history = history,
                              .mark = mark,
                              .index = index,
                              .page_shift = hm_bits_lowest(history->page_size)};
    const hm_array_desc desc = {.item_size = sizeof(unsigned char *), .memory = history->parent};
    status = hm_array_init(&view->copies, &desc);
    if (status == HM_OK)
        status =
            hm_array_resize(&view->copies, history->page_end + hm_array_count(&history->watches));
    if (status != HM_OK)
        hm_array_fini(&view->copies);
    else if (mark != 0)
        view_fill(view, other, index);
    return status;
}

/* Returns the fragment with an address, or the number of fragments. */
static uint32_t view_find_fragment(const hm_history *history, uintptr_t address)
{
    uint32_t count = (uint32_t)hm_array_count(&history->watches), fragment = 0;
    for (; fragment < count; fragment++) {
        const hm_history_unit *unit = hm_history_fragment(history, fragment);
        if (address - (uintptr_t)unit->address < unit->size) /* A free fragment has no bytes. */
            break;
    }
    return fragment;
}

bool hm_history_view_watched(const hm_history_view *view, const void *address, void *to,
                             size_t size)
{
    const hm_history *history = view->history;
    unsigned char *const *copies = hm_array_data(&view->copies);
    uintptr_t from = (uintptr_t)address;
    unsigned char *next = to;
    for (size_t part; size > 0; from += part, next += part, size -= part) {
        uint32_t fragment = view_find_fragment(history, from);
        if (fragment == hm_array_count(&history->watches))
            return false;
        const hm_history_unit *unit = hm_history_fragment(history, fragment);
        const unsigned char *copy = copies[history->page_end + fragment];
        size_t offset = from - (uintptr_t)unit->address;
        part = unit->size - offset < size ? unit->size - offset : size;
        if (copy != NULL)
            memcpy(next, copy + offset, part);
        else
            memset(next, 0, part);
    }
    return true;
}

void hm_history_view_read(const hm_history_view *view, const void *address, void *to, size_t size)
{
    const unsigned char *from = address;
    unsigned char *next = to;
    for (size_t part; size > 0; from += part, next += part, size -= part) {
        const unsigned char *bytes = hm_history_view_at(view, from, &part);
        part = part < size ? part : size;
        /* Coverage: what is read has memory; zeros for what has none keep an error there small. */
        (void)(bytes != NULL ? memcpy(next, bytes, part) : memset(next, 0, part));
    }
}
