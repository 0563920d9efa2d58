/* SPDX-License-Identifier: MIT */
/* changes: which slots may differ, found from the pages that do. */
#include "changes_internal.h"

void hm_changes_mark(hm_changes_search *search, uint32_t slot)
{
    if (search->status == HM_OK && slot / 64 >= hm_array_count(&search->marks))
        search->status = hm_array_resize(&search->marks, (size_t)slot / 64 + 1);
    if (search->status == HM_OK)
        ((uint64_t *)hm_array_data(&search->marks))[slot / 64] |= UINT64_C(1) << slot % 64;
}

/* Looks at the pages of some bytes up to the first that differs, and returns where the last one
 * that it looked at ends. The bytes may be anywhere, since a block without memory has no address;
 * what is outside the history does not differ. */
static uintptr_t find_look(const hm_changes_search *search, uintptr_t address, size_t size,
                           bool *differs)
{
    size_t page_size = search->to.view.history->page_size;
    uintptr_t next = address & ~(uintptr_t)(page_size - 1), behind = address + size;
    do {
        uint32_t page;
        *differs = hm_history_view_covers(&search->to.view, (const void *)next, &page) &&
                   hm_history_view_page(&search->from.view, page) !=
                       hm_history_view_page(&search->to.view, page);
        next += page_size;
    } while (!*differs && next < behind);
    return next;
}

bool hm_changes_differ(const hm_changes_search *search, const void *address, size_t size)
{
    bool differs;
    (void)find_look(search, (uintptr_t)address, size, &differs);
    return differs;
}

bool hm_changes_next(const hm_changes_search *search, const hm_changes_strip *strip,
                     uint32_t *first, uint32_t *end)
{
    uintptr_t base = (uintptr_t)strip->to;
    uint64_t group = *end / strip->lanes;
    *first = *end;
    if (strip->from != strip->to) {
        *end = strip->count;
        return *first < *end;
    }
    while (*first < strip->count) {
        bool differs;
        uint64_t seen =
            find_look(search, base + strip->stride * (size_t)group, strip->size, &differs) - base;
        if (differs) {
            uint64_t last = ((seen - 1) / strip->stride + 1) * strip->lanes;
            *end = last < strip->count ? (uint32_t)last : strip->count;
            return true;
        }
        /* The next group to look at is the first one that ends behind the page. */
        group = seen / strip->stride > group ? seen / strip->stride : group + 1;
        *first =
            group * strip->lanes < strip->count ? (uint32_t)group * strip->lanes : strip->count;
    }
    return false;
}

void hm_changes_mark_strip(hm_changes_search *search, const hm_changes_strip *strip)
{
    for (uint32_t first, end = 0; hm_changes_next(search, strip, &first, &end);)
        for (uint32_t slot = first; slot < end; slot++)
            hm_changes_mark(search, slot);
}
