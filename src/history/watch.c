/* SPDX-License-Identifier: MIT */
/* history: which bytes outside of its range are marked and rewound, and of which structs.
 *
 *     records   |----- bytes of the program ------|      |- a map -|
 *                     |- a pool -|
 *     fragments    |--------|--------|--------|------|      |---------|
 *
 * A *record* is what one caller asked for: bytes that the program watches, or a struct that knows
 * itself to use the history's memory. Records may overlap; fragments do not, since each byte has
 * one past. A fragment stays as long as a record has one of its bytes. */
#include "history_private.h"

#include "../memory/memory_private.h"

static hm_history *watch_history_of(hm_registry *registry)
{
    return (hm_history *)(void *)((char *)registry - offsetof(hm_history, registry));
}

static uint32_t watch_fragment_count(const hm_history *history)
{
    return (uint32_t)hm_array_count(&history->watches);
}

static hm_history_record *watch_record(const hm_history *history, uint32_t i)
{
    return (hm_history_record *)hm_array_data(&history->records) + i;
}

static uint32_t watch_record_count(const hm_history *history)
{
    return (uint32_t)hm_array_count(&history->records);
}

static bool watch_overlaps(const unsigned char *a, size_t size, const unsigned char *b,
                           size_t other_size)
{
    return (uintptr_t)a < (uintptr_t)b + other_size && (uintptr_t)b < (uintptr_t)a + size;
}

static bool watch_is_own(const hm_history *history, const unsigned char *address, size_t size)
{
    return watch_overlaps(address, size, history->base, history->range_size) ||
           watch_overlaps(address, size, (const unsigned char *)history, sizeof *history);
}

/* fragments */

/* Returns the next bytes from `from` up to `end` that no fragment has; `*size` 0: there are none.
 */
static unsigned char *watch_gap(const hm_history *history, unsigned char *from,
                                const unsigned char *end, size_t *size)
{
    uintptr_t stop = (uintptr_t)end, start = (uintptr_t)from;
    for (uint32_t i = 0; i < watch_fragment_count(history); i++) {
        const hm_history_unit *fragment = hm_history_fragment(history, i);
        uintptr_t first = (uintptr_t)fragment->address, last = first + fragment->size;
        if (first <= start && start < last) { /* A free fragment has no bytes. */
            start = last;
            stop = (uintptr_t)end;
            i = UINT32_MAX; /* All are asked again: fragments have no order. */
        } else if (start < first && first < stop && fragment->size != 0) {
            stop = first;
        }
    }
    *size = start < stop ? stop - start : 0;
    return from + (start - (uintptr_t)from);
}

/* Returns a free fragment, which may be a new one: there is memory for it. */
static hm_history_unit *watch_free_fragment(hm_history *history, uint32_t *from)
{
    for (; *from < watch_fragment_count(history); ++*from)
        if (hm_history_fragment(history, *from)->address == NULL)
            return hm_history_fragment(history, *from);
    return hm_array_push(&history->watches);
}

/* Makes fragments of all bytes that have none. HM_ERROR_MEMORY, HM_ERROR_FULL: none was made. */
static hm_status watch_cover(hm_history *history, unsigned char *address, size_t size)
{
    const unsigned char *end = address + size;
    size_t need = 0, gap, page_size = history->page_size;
    for (unsigned char *at = address; at = watch_gap(history, at, end, &gap), gap != 0; at += gap)
        need += (gap - 1) / page_size + 1;
    hm_status status = hm_array_reserve(&history->watches, need);
    if (status != HM_OK)
        return status;
    uint32_t from = 0;
    for (unsigned char *at = address; at = watch_gap(history, at, end, &gap), gap != 0; at += gap) {
        gap = gap < page_size ? gap : page_size;
        *watch_free_fragment(history, &from) =
            (hm_history_unit){.address = at, .size = (uint32_t)gap};
    }
    return HM_OK;
}

/* Removes a unit's changes from a log, and takes back the copies that are only there. */
static void watch_erase_changes(hm_history *history, hm_history_log *log, uint32_t unit,
                                bool is_past)
{
    hm_history_change *changes = hm_array_data(&log->changes);
    for (uint32_t i = hm_history_change_count(&log->changes); i-- > 0;)
        if (changes[i].unit == unit) {
            hm_history_give(history, is_past ? changes[i].before.copy : changes[i].after.copy);
            changes[i] = changes[hm_history_change_count(&log->changes) - 1];
            hm_array_pop(&log->changes);
        }
}

static void watch_drop_fragment(hm_history *history, uint32_t fragment)
{
    hm_history_unit *unit = hm_history_fragment(history, fragment);
    for (uint32_t i = 0; i < history->mark_count; i++)
        watch_erase_changes(history, hm_history_log_at(history, i), history->page_count + fragment,
                            i < history->current);
    hm_history_give(history, unit->kept.copy);
    *unit = (hm_history_unit){.address = NULL};
}

static bool watch_is_recorded(const hm_history *history, const hm_history_unit *fragment)
{
    for (uint32_t i = 0; i < watch_record_count(history); i++) {
        const hm_history_record *record = watch_record(history, i);
        if (watch_overlaps(record->address, record->size, fragment->address, fragment->size))
            return true;
    }
    return false;
}

/* Drops the fragments with some of these bytes, but for those that a record still has. */
static void watch_uncover(hm_history *history, const unsigned char *address, size_t size)
{
    for (uint32_t i = 0; i < watch_fragment_count(history); i++) {
        const hm_history_unit *fragment = hm_history_fragment(history, i);
        if (fragment->address != NULL &&
            watch_overlaps(address, size, fragment->address, fragment->size) &&
            !watch_is_recorded(history, fragment))
            watch_drop_fragment(history, i);
    }
}

/* records */

static void watch_remove(hm_history *history, uint32_t i)
{
    hm_history_record removed = *watch_record(history, i);
    *watch_record(history, i) = *watch_record(history, watch_record_count(history) - 1);
    hm_array_pop(&history->records);
    watch_uncover(history, removed.address, removed.size);
}

/* Returns the struct of a record. */
static void *watch_object(const hm_history_record *record)
{
    return record->address - record->kind->begin;
}

/* Whether the program watches these bytes: then it promises that they are there. */
static bool watch_is_kept(const hm_history *history, const unsigned char *address, size_t size)
{
    for (uint32_t i = 0; i < watch_record_count(history); i++) {
        const hm_history_record *record = watch_record(history, i);
        if (record->kind == NULL && (uintptr_t)record->address <= (uintptr_t)address &&
            (uintptr_t)address + size <= (uintptr_t)record->address + record->size)
            return true;
    }
    return false;
}

/* Whether the struct of a record is alive there, and not another one, or none. */
static bool watch_is_alive(const hm_history_record *record)
{
    return hm_known_key(record->kind, watch_object(record)) == record->key;
}

static const char *watch_name(const hm_history_record *record)
{
    const char *name = (const char *)watch_object(record) + record->kind->name_offset;
    return *(const char *const *)(const void *)name;
}

/* What the program watches has changed. A struct that has ended is only remembered where a rewind
 * may bring it back. */
static void watch_update(hm_history *history)
{
    for (uint32_t i = watch_record_count(history); i-- > 0;) {
        hm_history_record *record = watch_record(history, i);
        bool was_kept = record->is_kept;
        if (record->kind == NULL)
            continue;
        record->is_kept = watch_is_kept(history, record->address, record->size);
        if (was_kept && !record->is_kept && !watch_is_alive(record))
            watch_remove(history, i);
    }
}

static hm_status watch_add(hm_history *history, hm_history_record *made)
{
    made->since = history->next_mark;
    made->is_kept = made->kind != NULL && watch_is_kept(history, made->address, made->size);
    hm_status status = hm_array_reserve(&history->records, 1);
    if (status == HM_OK)
        status = watch_cover(history, made->address, made->size);
    if (status == HM_OK)
        *(hm_history_record *)hm_array_push(&history->records) = *made;
    return status;
}

/* Returns the record that the program made of bytes from this address on, or the number of records.
 */
static uint32_t watch_find_bytes(const hm_history *history, const void *address)
{
    uint32_t i = 0;
    while (i < watch_record_count(history) &&
           (watch_record(history, i)->kind != NULL || watch_record(history, i)->address != address))
        i++;
    return i;
}

static uint32_t watch_find_key(const hm_history *history, uint32_t key)
{
    uint32_t i = 0;
    while (i < watch_record_count(history) &&
           (watch_record(history, i)->kind == NULL || watch_record(history, i)->key != key))
        i++;
    return i;
}

/* structs that know themselves */

static void watch_set_key(void *object, const hm_known_kind *kind, uint32_t key)
{
    uint32_t *word = (uint32_t *)(void *)((char *)object + kind->key_offset);
    *word = (*word & ((1U << HM_KNOWN_SHIFT) - 1)) | key << HM_KNOWN_SHIFT;
}

/* What lies in the history's own pages is rewound with them. */
enum { WATCH_INSIDE = UINT32_MAX >> HM_KNOWN_SHIFT };

static uint32_t watch_next_key(hm_history *history)
{
    do {
        history->last_key = history->last_key + 1 < WATCH_INSIDE ? history->last_key + 1 : 1;
    } while (watch_find_key(history, history->last_key) < watch_record_count(history));
    return history->last_key;
}

/* A struct that is made or moved where another one was, which a rewind could bring back, gets its
 * record, if there is one. */
static bool watch_succeed(const hm_history *history, const hm_history_record *made)
{
    for (uint32_t i = 0; i < watch_record_count(history); i++) {
        hm_history_record *record = watch_record(history, i);
        if (record->kind == NULL || !record->is_kept || record->address != made->address ||
            record->size != made->size)
            continue;
        record->kind = made->kind;
        record->key = made->key;
        return true;
    }
    return false;
}

static hm_status watch_join(hm_registry *registry, void *object, const hm_known_kind *kind)
{
    hm_history *history = watch_history_of(registry);
    hm_history_record made = {.address = (unsigned char *)object + kind->begin,
                              .size = kind->end - kind->begin,
                              .kind = kind};
    if (watch_is_own(history, made.address, made.size)) {
        watch_set_key(object, kind, WATCH_INSIDE);
        return HM_OK;
    }
    made.key = watch_next_key(history);
    hm_status status = HM_OK;
    if (!watch_succeed(history, &made))
        status = watch_add(history, &made);
    if (status == HM_OK)
        watch_set_key(object, kind, made.key);
    return status;
}

static void watch_leave(hm_registry *registry, void *object, const hm_known_kind *kind)
{
    hm_history *history = watch_history_of(registry);
    uint32_t i = watch_find_key(history, hm_known_key(kind, object));
    if (i < watch_record_count(history) && !watch_record(history, i)->is_kept)
        watch_remove(history, i);
}

/* Whether the fragments of a record are its alone, and have its bytes only: then they move with it.
 */
static bool watch_owns_fragments(const hm_history *history, uint32_t of)
{
    const hm_history_record *record = watch_record(history, of);
    for (uint32_t i = 0; i < watch_record_count(history); i++)
        if (i != of &&
            watch_overlaps(record->address, record->size, watch_record(history, i)->address,
                           watch_record(history, i)->size))
            return false;
    for (uint32_t i = 0; i < watch_fragment_count(history); i++) {
        const hm_history_unit *fragment = hm_history_fragment(history, i);
        if (watch_overlaps(record->address, record->size, fragment->address, fragment->size) &&
            (fragment->address < record->address ||
             fragment->address + fragment->size > record->address + record->size))
            return false;
    }
    return true;
}

/* Moves a record, with what marks know of its bytes if they are nobody else's. */
static hm_status watch_move(hm_history *history, uint32_t i, unsigned char *to)
{
    hm_history_record *record = watch_record(history, i), moved = *record;
    unsigned char *from = record->address;
    size_t size = record->size, gap;
    moved.address = to;
    if (watch_succeed(history, &moved)) {
        watch_remove(history, i);
        return HM_OK;
    }
    if (watch_owns_fragments(history, i) && watch_gap(history, to, to + size, &gap) == to &&
        gap == size) {
        for (uint32_t k = 0; k < watch_fragment_count(history); k++) {
            hm_history_unit *fragment = hm_history_fragment(history, k);
            if (watch_overlaps(from, size, fragment->address, fragment->size))
                fragment->address = to + (fragment->address - from);
        }
        record->address = to;
        return HM_OK;
    }
    hm_status status = watch_cover(history, to, size);
    if (status != HM_OK)
        return status;
    record->address = to;
    record->since = history->next_mark;
    record->is_kept = watch_is_kept(history, to, size);
    watch_uncover(history, from, size);
    return HM_OK;
}

static hm_status watch_track(hm_registry *registry, void *object, const hm_known_kind *kind)
{
    hm_history *history = watch_history_of(registry);
    unsigned char *to = (unsigned char *)object + kind->begin;
    uint32_t i = watch_find_key(history, hm_known_key(kind, object));
    if (i == watch_record_count(history))
        return watch_join(registry, object, kind);
    if (watch_record(history, i)->address == to)
        return HM_OK;
    if (!watch_is_own(history, to, kind->end - kind->begin))
        return watch_move(history, i, to);
    watch_remove(history, i);
    watch_set_key(object, kind, WATCH_INSIDE);
    return HM_OK;
}

hm_status hm_history_check_idle(const hm_history *history, const char *function)
{
    for (uint32_t i = 0; i < watch_record_count(history); i++) {
        const hm_history_record *record = watch_record(history, i);
        const hm_known_kind *kind = record->kind;
        if (kind == NULL)
            continue;
        const char *object = watch_object(record);
        if (!record->is_kept && !watch_is_alive(record))
            return hm_fail(HM_ERROR_INVALID,
                           "%s: a %s was moved by assignment: call hm_%s_moved where it is now",
                           function, kind->what, kind->what);
        if (hm_known_key(kind, object) == 0 || kind->is_busy == NULL || !kind->is_busy(object))
            continue;
        return hm_fail(HM_ERROR_BUSY, "%s: a callback of the %s '%s' runs, or a query over it",
                       function, kind->what, watch_name(record));
    }
    return HM_OK;
}

/* Whether these bytes have an array whose memory is the system's: a rewind would bring back how
 * many items it has, but not the items. */
static bool watch_has_foreign_array(const unsigned char *bytes, size_t size)
{
#ifdef HM_FREESTANDING
    (void)bytes;
    (void)size;
    return false; /* There is no such memory. */
#else
    const hm_memory *const tables[] = {hm_memory_os(), hm_memory_os_huge(), hm_memory_heap()};
    size_t first = (0 - (uintptr_t)bytes) % _Alignof(hm_array);
    for (size_t at = first; size >= sizeof(hm_array) && at <= size - sizeof(hm_array);
         at += _Alignof(hm_array)) {
        hm_array array;
        memcpy(&array, bytes + at, sizeof array);
        bool is_array = array.data != NULL && array.item_size != 0 && array.capacity != 0 &&
                        array.count <= array.limit && array.limit <= array.capacity;
        for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
            if (is_array && array.memory == tables[i])
                return true;
    }
    return false;
#endif
}

hm_status hm_history_check_bytes(hm_history *history)
{
    for (uint32_t i = 0; i < watch_record_count(history); i++) {
        hm_history_record *record = watch_record(history, i);
        if (record->kind == NULL && !record->is_checked &&
            watch_has_foreign_array(record->address, record->size))
            return hm_fail(HM_ERROR_INVALID,
                           "hm_history_mark: watched bytes have a container with other memory, "
                           "whose items would not come back: give its init &history.table");
        record->is_checked = true;
    }
    return HM_OK;
}

void hm_history_check_left(const hm_history *history)
{
    for (uint32_t i = 0; i < watch_record_count(history); i++) {
        const hm_history_record *record = watch_record(history, i);
        const hm_known_kind *kind = record->kind;
        if (kind == NULL || (record->is_kept && !watch_is_alive(record)))
            continue;
        const char *name = "";
        if (kind->name_offset != 0 && watch_is_alive(record))
            name = watch_name(record);
        (void)hm_fail(HM_ERROR_INVALID,
                      "hm_history_fini: the %s '%s' still uses the history: finish it first",
                      kind->what, name);
        hm_panic(__FILE__, __LINE__, hm_last_error());
    }
}

void hm_history_forget_younger(hm_history *history, uint64_t mark)
{
    for (uint32_t i = watch_record_count(history); i-- > 0;) {
        const hm_history_record *record = watch_record(history, i);
        if (record->kind != NULL && !record->is_kept && record->since > mark)
            watch_remove(history, i);
    }
}

/* the calls */

static hm_status watch_check(const hm_history *history, const unsigned char *address, size_t size)
{
    if (history->base == NULL)
        return hm_fail_uninitialised("history");
    if (address == NULL || size == 0 || size > SIZE_MAX - (uintptr_t)address)
        return hm_fail(HM_ERROR_INVALID, "hm_history_watch: there are no %zu bytes", size);
    if (watch_is_own(history, address, size))
        return hm_fail(HM_ERROR_INVALID, "hm_history_watch: these bytes are the history's own");
    if (size / history->page_size >= UINT32_MAX / 2 - watch_fragment_count(history))
        return hm_fail(HM_ERROR_FULL, "hm_history_watch: %zu bytes are too many", size);
    return HM_OK;
}

hm_status hm_history_watch(hm_history *history, void *address, size_t size)
{
    HM_CONTRACT(history != NULL, "hm_history_watch: history is NULL");
    hm_history_record made = {.address = address, .size = size};
    hm_status status = watch_check(history, address, size);
    if (status != HM_OK)
        return status;
    uint32_t i = watch_find_bytes(history, address);
    if (i == watch_record_count(history))
        status = watch_add(history, &made);
    else if (size > watch_record(history, i)->size)
        status = watch_cover(history, address, size);
    if (status != HM_OK)
        return status;
    if (i < watch_record_count(history) && size > watch_record(history, i)->size) {
        watch_record(history, i)->size = size;
        watch_record(history, i)->is_checked = false;
    }
    watch_update(history);
    return HM_OK;
}

bool hm_history_unwatch(hm_history *history, const void *address)
{
    HM_CONTRACT(history != NULL, "hm_history_unwatch: history is NULL");
    uint32_t i = watch_find_bytes(history, address);
    for (uint32_t k = 0; k < watch_record_count(history) && i == watch_record_count(history); k++)
        if (watch_record(history, k)->address == address)
            i = k;
    if (i == watch_record_count(history))
        return false;
    watch_remove(history, i);
    watch_update(history);
    return true;
}

hm_status hm_history_watch_struct(hm_history *history, void *object, const hm_known_kind *kind)
{
    if (history->base == NULL)
        return hm_fail_uninitialised("history");
    if (object == NULL)
        return hm_fail(HM_ERROR_INVALID, "hm_%s_watch: %s is NULL", kind->what, kind->what);
    if (hm_known_memory(kind, object) == NULL) /* Its init will make it known. */
        return HM_OK;
    if (hm_known_registry(kind, object) != &history->registry)
        return hm_fail(HM_ERROR_INVALID,
                       "hm_%s_watch: this %s has no memory of this history: give its init "
                       "&history.table",
                       kind->what, kind->what);
    return watch_track(&history->registry, object, kind);
}

static hm_status watch_keep(hm_registry *registry, void *bytes, size_t size)
{
    return hm_history_watch(watch_history_of(registry), bytes, size);
}

static void watch_forget(hm_registry *registry, const void *bytes)
{
    (void)hm_history_unwatch(watch_history_of(registry), bytes);
}

hm_registry hm_history_registry(const hm_history *history)
{
    return (hm_registry){watch_join, watch_leave,  watch_track,
                         watch_keep, watch_forget, history->parent};
}
