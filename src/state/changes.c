/* SPDX-License-Identifier: MIT */
/* changes: the calls, and how they search. */
#include "state_private.h"

#include <handle_map/hash.h>

/* values */

/* Whether bytes of two copies are equal. */
static bool changes_are_same(const unsigned char *a, const unsigned char *b, size_t size)
{
    uint64_t x, y;
    size_t i = 0;
    for (; i + sizeof x <= size; i += sizeof x) {
        memcpy(&x, a + i, sizeof x);
        memcpy(&y, b + i, sizeof y);
        if (x != y)
            return false;
    }
    while (i < size && a[i] == b[i])
        i++;
    return i == size;
}

/* Whether two values have the same bytes. What is on a page that does not differ, and has not
 * moved, need not be compared. Both are there, so all of their pages have copies. */
static bool changes_are_equal(const hm_changes_search *search, const hm_changes_value *from,
                              const hm_changes_value *to)
{
    if (from->size != to->size)
        return false;
    const unsigned char *a = from->address, *b = to->address;
    for (size_t left = to->size, part; left > 0; left -= part, a += part, b += part) {
        size_t other;
        const unsigned char *x = hm_history_view_at(&search->from.view, a, &part);
        const unsigned char *y = hm_history_view_at(&search->to.view, b, &other);
        part = part < other ? part : other;
        part = part < left ? part : left;
        if (x != y && !changes_are_same(x, y, part))
            return false;
    }
    return true;
}

/* Returns the bytes of a value, in one range. */
static const void *changes_show(const hm_changes_side *side, const hm_changes_value *value,
                                hm_array *whole)
{
    size_t left;
    if (!value->is_there)
        return NULL;
    const unsigned char *bytes = hm_history_view_at(&side->view, value->address, &left);
    if (bytes != NULL && value->size <= left)
        return bytes;
    hm_changes_read(side, value->address, hm_array_data(whole), value->size);
    return hm_array_data(whole);
}

/* Tells of a value that was erased, or else leaves it to the second pass. */
static void changes_report(hm_changes_search *search, hm_handle handle,
                           const hm_changes_value *from, const hm_changes_value *to)
{
    bool is_edit = from->is_there && to->is_there;
    if ((!from->is_there && !to->is_there) || (is_edit && changes_are_equal(search, from, to)))
        return;
    if (to->is_there && !search->is_second) {
        search->has_others = true;
        return;
    }
    if (!to->is_there && search->is_second)
        return;
    const hm_change change = {.handle = handle,
                              .kind = is_edit          ? HM_CHANGE_EDITED
                                      : from->is_there ? HM_CHANGE_ERASED
                                                       : HM_CHANGE_INSERTED,
                              .part = to->is_there ? to->part : from->part,
                              .before = changes_show(&search->from, from, &search->before),
                              .after = changes_show(&search->to, to, &search->after),
                              .before_size = from->size,
                              .after_size = to->size};
    search->visit(&change, search->context);
}

/* Compares what a slot has on both sides. */
static void changes_compare(hm_changes_search *search, uint32_t slot)
{
    const hm_changes_kind *kind = search->kind;
    const hm_changes_value none = {.is_there = false};
    hm_changes_item from, to;
    kind->find(&search->from, (const char *)&search->from.as + kind->slots, slot, &from);
    kind->find(&search->to, (const char *)&search->to.as + kind->slots, slot, &to);
    if (from.handle.bits != to.handle.bits && !hm_handle_is_null(from.handle))
        for (uint32_t part = search->parts; part-- > 0;) {
            hm_changes_value value = kind->value(&search->from, &from, part);
            changes_report(search, from.handle, &value, &none);
        }
    if (hm_handle_is_null(to.handle))
        return;
    for (uint32_t part = 0; part < search->parts; part++) {
        hm_changes_value value = kind->value(&search->to, &to, part), old = none;
        if (from.handle.bits == to.handle.bits)
            old = kind->value(&search->from, &from, part);
        changes_report(search, to.handle, &old, &value);
    }
}

/* hash */

void hm_changes_hash_name(hm_hash *hash, const hm_change *change)
{
    unsigned char name[12];
    uint64_t bits = change->handle.bits;
    /* The components of each world begin at another multiple of this. */
    uint32_t part = change->part % HM_WORLD_MAX_COMPONENTS;
    for (size_t i = 0; i < sizeof name; i++)
        name[i] = (unsigned char)(i < 8 ? bits >> 8 * i : part >> 8 * (i - 8));
    hm_hash_begin(hash, 0);
    hm_hash_add(hash, name, sizeof name);
}

/* Returns the hash of a value under its name. */
static uint64_t changes_hash(const hm_change *change, const void *value, size_t size)
{
    hm_hash hash;
    hm_changes_hash_name(&hash, change);
    hm_hash_add(&hash, value, size);
    return hm_hash_end(&hash);
}

uint64_t hm_change_hash(const hm_change *change)
{
    HM_CONTRACT(change != NULL, "hm_change_hash: change is NULL");
    uint64_t sum = 0;
    if (change->kind != HM_CHANGE_ERASED)
        sum += changes_hash(change, change->after, change->after_size);
    if (change->kind != HM_CHANGE_INSERTED)
        sum -= changes_hash(change, change->before, change->before_size);
    return sum;
}

/* the calls */

/* Makes the side of a mark. */
static hm_status changes_begin(hm_changes_search *search, hm_changes_side *side,
                               const hm_history *history, const void *container, uint64_t mark,
                               const hm_history_view *other)
{
    const unsigned char *anchor;
    uint32_t page;
    hm_status status = hm_history_view_init(&side->view, history, mark, other);
    if (status != HM_OK)
        return status;
    const hm_known_kind *known = search->kind->known;
    if (!hm_history_view_watched(&side->view, container, &side->as, known->end))
        return hm_fail(HM_ERROR_INVALID,
                       "the history does not know this %s: give its init &history.table, and call "
                       "hm_%s_moved after a move",
                       known->what, known->what);
    memcpy(&anchor, (const unsigned char *)&side->as + search->kind->anchor, sizeof anchor);
    if (anchor != NULL && !hm_history_view_covers(&side->view, anchor, &page))
        return hm_fail(HM_ERROR_INVALID,
                       "this %s has other memory than the history's: give its init &history.table",
                       known->what);
    return HM_OK;
}

static hm_status changes_init_arrays(hm_changes_search *search, const hm_memory *memory)
{
    hm_array *const arrays[] = {&search->marks, &search->before, &search->after};
    hm_status status = HM_OK;
    for (size_t i = 0; i < 3 && status == HM_OK; i++) {
        const hm_array_desc desc = {.item_size = i == 0 ? sizeof(uint64_t) : 1, .memory = memory};
        status = hm_array_init(arrays[i], &desc);
    }
    return status;
}

/* The second pass needs only the slots that have more to tell. */
static void changes_visit(hm_changes_search *search)
{
    uint64_t *words = hm_array_data(&search->marks);
    for (int pass = 0; pass < 2; pass++) {
        search->is_second = pass != 0;
        for (size_t i = 0; i < hm_array_count(&search->marks); i++)
            for (uint64_t word = words[i]; word != 0; word &= word - 1) {
                search->has_others = false;
                changes_compare(search, (uint32_t)(i * 64 + hm_bits_lowest(word)));
                if (!search->is_second && !search->has_others)
                    words[i] &= ~(word & (~word + 1));
            }
    }
}

static hm_status changes_search(const hm_changes_kind *kind, const hm_history *history,
                                const void *container, uint64_t from, uint64_t to,
                                hm_change_visit *visit, void *context)
{
    hm_changes_search search = {.kind = kind, .visit = visit, .context = context};
    search.status = changes_begin(&search, &search.from, history, container, from, NULL);
    if (search.status == HM_OK)
        search.status =
            changes_begin(&search, &search.to, history, container, to, &search.from.view);
    if (search.status == HM_OK)
        search.status = changes_init_arrays(&search, history->parent);
    if (search.status == HM_OK) {
        kind->expect(&search, &search.from);
        kind->expect(&search, &search.to);
        kind->mark(&search);
    }
    if (search.status == HM_OK)
        search.status = hm_array_resize(&search.before, search.largest);
    if (search.status == HM_OK)
        search.status = hm_array_resize(&search.after, search.largest);
    if (search.status == HM_OK)
        changes_visit(&search);
    hm_array *const arrays[] = {&search.marks, &search.before, &search.after,
                                &search.from.view.copies, &search.to.view.copies};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        hm_array_fini(arrays[i]);
    return search.status;
}

/* Visits the values of handles, as if a container without anything were compared with this one. */
static hm_status changes_of_handles(const hm_changes_kind *kind, const void *container,
                                    const hm_handle *handles, uint32_t n, hm_change_visit *visit,
                                    void *context)
{
    hm_changes_search search = {
        .kind = kind, .is_second = true, .visit = visit, .context = context};
    hm_changes_item item;
    if (hm_known_memory(kind->known, container) == NULL)
        return hm_fail_uninitialised(kind->known->what);
    memcpy(&search.to.as, container, kind->known->end);
    kind->expect(&search, &search.to);
    if (n == HM_ALL) {
        for (uint32_t slot = 0; slot < search.slots; slot++)
            changes_compare(&search, slot);
        return HM_OK;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t slot = hm_handle_index(handles[i]);
        kind->find(&search.to, (const char *)&search.to.as + kind->slots, slot, &item);
        if (!hm_handle_is_null(item.handle) && item.handle.bits == handles[i].bits)
            changes_compare(&search, slot);
    }
    return HM_OK;
}

#define CHANGES_OF(type)                                                                           \
    hm_status hm_##type##_watch(hm_##type *type, hm_history *history)                              \
    {                                                                                              \
        HM_CONTRACT(history != NULL, "hm_" #type "_watch: history is NULL");                       \
        return hm_history_watch_struct(history, type, &hm_known_##type);                           \
    }                                                                                              \
    hm_status hm_##type##_changes(const hm_##type *type, const hm_history *history, uint64_t from, \
                                  uint64_t to, hm_change_visit *visit, void *context)              \
    {                                                                                              \
        HM_CONTRACT(history != NULL, "hm_" #type "_changes: history is NULL");                     \
        HM_CONTRACT(type != NULL, "hm_" #type "_changes: " #type " is NULL");                      \
        HM_CONTRACT(visit != NULL, "hm_" #type "_changes: visit is NULL");                         \
        return hm_fail_in(                                                                         \
            #type "_changes", type->name,                                                          \
            changes_search(&hm_changes_of_##type, history, type, from, to, visit, context));       \
    }                                                                                              \
    hm_status hm_##type##_visit(const hm_##type *type, const hm_handle *handles, uint32_t n,       \
                                hm_change_visit *visit, void *context)                             \
    {                                                                                              \
        HM_CONTRACT(type != NULL, "hm_" #type "_visit: " #type " is NULL");                        \
        HM_CONTRACT(handles != NULL || n == 0 || n == HM_ALL,                                      \
                    "hm_" #type "_visit: handles is NULL");                                        \
        HM_CONTRACT(visit != NULL, "hm_" #type "_visit: visit is NULL");                           \
        return hm_fail_in(                                                                         \
            #type "_visit", type->name,                                                            \
            changes_of_handles(&hm_changes_of_##type, type, handles, n, visit, context));          \
    }

CHANGES_OF(map)
CHANGES_OF(pool)
CHANGES_OF(table)
CHANGES_OF(secondary)
CHANGES_OF(lists)
CHANGES_OF(index)
CHANGES_OF(world)
