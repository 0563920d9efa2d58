/* SPDX-License-Identifier: MIT */
/* history: all memory as it was at a mark. */
#include "history_private.h"

#include "history_internal.h"

/* From the current mark, the logs lead to the one that is asked for: an earlier one has the first
 * states before changes from it on, a later one the last states after changes up to it. */
static void view_go(hm_history_view *view, uint32_t index)
{
    const hm_history *history = view->history;
    unsigned char **copies = hm_array_data(&view->copies);
    bool is_back = index < history->current;
    uint32_t steps = is_back ? history->current - index : index - history->current;
    for (uint32_t k = 0; k < steps; k++) {
        uint32_t log = is_back ? history->current - 1 - k : history->current + k;
        const hm_array *array = &hm_history_log_at(history, log)->changes;
        const hm_history_change *changes = hm_array_data(array);
        for (uint32_t i = 0; i < hm_history_change_count(array); i++) {
            uint32_t unit = changes[i].unit;
            if (unit >= history->page_count)
                unit = unit - history->page_count + history->page_end;
            copies[unit] = is_back ? changes[i].before.copy : changes[i].after.copy;
        }
    }
}

hm_status hm_history_view_init(hm_history_view *view, const hm_history *history, uint64_t mark)
{
    uint32_t index = 0, pieces = (uint32_t)hm_array_count(&history->watches);
    hm_status status = mark != 0 ? hm_history_find_mark(history, mark, &index) : HM_OK;
    if (status != HM_OK)
        return status;
    *view = (hm_history_view){.history = history, .page_shift = hm_bits_lowest(history->page_size)};
    const hm_array_desc desc = {.item_size = sizeof(unsigned char *), .memory = history->parent};
    status = hm_array_init(&view->copies, &desc);
    if (status == HM_OK)
        status = hm_array_resize(&view->copies, (size_t)history->page_end + pieces);
    if (status != HM_OK) {
        hm_array_fini(&view->copies);
        return status;
    }
    if (mark == 0)
        return HM_OK;
    unsigned char **copies = hm_array_data(&view->copies);
    for (uint32_t page = 0; page < history->page_end; page++)
        copies[page] = hm_history_page(history, page)->kept.copy;
    for (uint32_t piece = 0; piece < pieces; piece++)
        copies[history->page_end + piece] = hm_history_piece(history, piece)->kept.copy;
    view_go(view, index);
    return HM_OK;
}

void hm_history_view_fini(hm_history_view *view)
{
    hm_array_fini(&view->copies);
}

/* Returns the piece with an address, or the number of pieces. */
static uint32_t view_find_piece(const hm_history *history, uintptr_t address)
{
    uint32_t count = (uint32_t)hm_array_count(&history->watches), piece = 0;
    for (; piece < count; piece++) {
        const hm_history_unit *unit = hm_history_piece(history, piece);
        if (unit->address != NULL && address - (uintptr_t)unit->address < unit->size)
            break;
    }
    return piece;
}

bool hm_history_view_watched(const hm_history_view *view, const void *address, void *to,
                             size_t size)
{
    const hm_history *history = view->history;
    unsigned char *const *copies = hm_array_data(&view->copies);
    uintptr_t from = (uintptr_t)address;
    unsigned char *next = to;
    for (size_t part; size > 0; from += part, next += part, size -= part) {
        uint32_t piece = view_find_piece(history, from);
        if (piece == hm_array_count(&history->watches))
            return false;
        const hm_history_unit *unit = hm_history_piece(history, piece);
        const unsigned char *copy = copies[history->page_end + piece];
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
        if (bytes != NULL)
            memcpy(next, bytes, part);
        else
            memset(next, 0, part);
    }
}
