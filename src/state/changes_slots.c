/* SPDX-License-Identifier: MIT */
/* changes: which slots may differ, found from the pages that do. */
#include "state_private.h"

void hm_changes_mark(hm_changes_search *search, uint32_t slot)
{
    if (search->status == HM_OK && slot / 64 >= hm_array_count(&search->marks))
        search->status = hm_array_resize(&search->marks, (size_t)slot / 64 + 1);
    if (search->status == HM_OK)
        ((uint64_t *)hm_array_data(&search->marks))[slot / 64] |= UINT64_C(1) << slot % 64;
}

/* Finds the first page that differs of those with bytes from one address to another, and returns
 * where it begins; `end` if there is none. The bytes may be anywhere, since a block without memory
 * has no address; what is outside the history does not differ. */
static uintptr_t slots_find_page(const hm_changes_search *search, uintptr_t address, uintptr_t end)
{
    const hm_history *history = search->to.view.history;
    unsigned char *const *from = hm_array_data(&search->from.view.copies);
    unsigned char *const *to = hm_array_data(&search->to.view.copies);
    uint32_t page;
    if (!hm_history_view_covers(&search->to.view, (const void *)address, &page))
        return end;
    while (page < history->page_end && from[page] == to[page])
        page++;
    uintptr_t found = (uintptr_t)history->base + (uintptr_t)page * history->page_size;
    return page < history->page_end && found < end ? found : end;
}

bool hm_changes_differ(const hm_changes_search *search, const void *address, size_t size)
{
    uintptr_t begin = (uintptr_t)address;
    return slots_find_page(search, begin, begin + size) != begin + size;
}

bool hm_changes_next(const hm_changes_search *search, const hm_changes_strip *strip,
                     uint32_t *first, uint32_t *end)
{
    *first = *end;
    if (*first >= strip->count)
        return false;
    *end = strip->count;
    if (strip->from != strip->to)
        return true;
    size_t groups = (strip->count - 1) / strip->lanes + (size_t)1, group = *first / strip->lanes;
    uintptr_t base = (uintptr_t)strip->to, behind = base + strip->stride * groups;
    uintptr_t begin = base + strip->stride * group, page = slots_find_page(search, begin, behind);
    if (page == behind)
        return false;
    /* The groups that begin or go on there. */
    size_t page_size = search->to.view.history->page_size;
    size_t last = (page + page_size - 1 - base) / strip->stride;
    if (page > begin)
        *first = (uint32_t)((page - base) / strip->stride) * strip->lanes;
    if (last < groups - 1)
        *end = (uint32_t)(last + 1) * strip->lanes;
    return true;
}

void hm_changes_mark_slots(hm_changes_search *search, const void *from, const void *to,
                           size_t stride, uint32_t from_slots, uint32_t to_slots)
{
    uint32_t both = from_slots < to_slots ? from_slots : to_slots;
    const hm_changes_strip strip = {from, to, stride, 1, both};
    for (uint32_t first, end = 0; hm_changes_next(search, &strip, &first, &end);)
        for (uint32_t slot = first; slot < end; slot++)
            hm_changes_mark(search, slot);
    for (uint32_t slot = both; slot < from_slots || slot < to_slots; slot++)
        hm_changes_mark(search, slot);
}
