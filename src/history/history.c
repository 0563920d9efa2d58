/* SPDX-License-Identifier: MIT */
/* history: init, marks, rewinds. */
#include "history_private.h"

#include "../ids/ids_private.h"
#include "../memory/memory_private.h"

enum { HISTORY_MARKS = 16, HISTORY_MAX_MARKS = 65536, HISTORY_PAGE = 4096 };

/* A rewind that writes to more than one of so many pages lets all be written first. */
enum { HISTORY_LIFT = 8 };

/* Bytes. The default sizes. */
#define HISTORY_SIZE ((size_t)1 << 30)
#define HISTORY_SCARCE_SIZE ((size_t)1 << 24)

/* init and fini */

static hm_status history_check(hm_history_desc *full)
{
    if (full->memory == NULL || full->memory == hm_memory_os())
        full->memory = hm_memory_system(); /* Each page belongs to the history for good. */
    hm_status status = hm_memory_check(full->memory);
    if (status != HM_OK)
        return status;
    if (full->size == 0)
        full->size = hm_memory_is_ample(full->memory) ? HISTORY_SIZE : HISTORY_SCARCE_SIZE;
    if (full->marks == 0)
        full->marks = HISTORY_MARKS;
    if (full->marks > HISTORY_MAX_MARKS)
        return hm_fail(HM_ERROR_INVALID, "hm_history_init: marks %u is above %u", full->marks,
                       (unsigned)HISTORY_MAX_MARKS);
    if (full->size > SIZE_MAX / 4 || full->size / HISTORY_PAGE > UINT32_MAX / 2 ||
        full->memory->page_size > SIZE_MAX / 8)
        return hm_fail(HM_ERROR_INVALID, "hm_history_init: size %zu is too large", full->size);
    if ((uint32_t)full->method > HM_HISTORY_COMPARE)
        return hm_fail(HM_ERROR_INVALID, "hm_history_init: there is no method %u",
                       (unsigned)full->method);
    return HM_OK;
}

/* Chooses the method, once the range is there. */
static hm_status history_choose(hm_history *history, hm_history_method method)
{
    bool tracks = method != HM_HISTORY_COMPARE && history->parent == hm_memory_system() &&
                  hm_memory_track(history->files, &history->base, history->range_size);
    if (method == HM_HISTORY_TRACK && !tracks)
        return hm_fail(
            HM_ERROR_INVALID,
            "hm_history_init: the system does not tell what is written: use HM_HISTORY_AUTO");
    history->method = tracks ? HM_HISTORY_TRACK : HM_HISTORY_COMPARE;
    history->process = hm_memory_process();
    return HM_OK;
}

static hm_status history_init_arrays(hm_history *history)
{
    struct {
        hm_array *array;
        size_t item_size, count;
    } const arrays[] = {{&history->pages, sizeof(hm_history_unit), 0},
                        {&history->committed, sizeof(uint64_t), 0},
                        {&history->watches, sizeof(hm_history_unit), 0},
                        {&history->records, sizeof(hm_history_record), 0},
                        {&history->changes, sizeof(hm_history_change), 0},
                        {&history->logs, sizeof(hm_history_log), history->marks},
                        {&history->blocks, sizeof(unsigned char *), 0},
                        {&history->scratch, 1, (history->page_size + 7) / 8}};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        const hm_array_desc desc = {.item_size = arrays[i].item_size, .memory = history->parent};
        hm_status status = hm_array_init(arrays[i].array, &desc);
        if (status == HM_OK)
            status = hm_array_resize(arrays[i].array, arrays[i].count);
        if (status != HM_OK)
            return status;
    }
    return HM_OK;
}

static hm_status history_init_parts(hm_history *history, const hm_history_desc *full)
{
    history->parent = full->memory;
    history->page_size =
        full->memory->page_size > HISTORY_PAGE ? full->memory->page_size : HISTORY_PAGE;
    history->range_size = hm_memory_round_up(full->size, history->page_size);
    history->page_count = (uint32_t)(history->range_size / history->page_size);
    history->copy_size = history->page_size + (hm_memory_poisons() ? history->page_size / 8 : 0);
    history->marks = full->marks;
    history->next_mark = 1;
    history->epoch = full->epoch;
    hm_status status = history_init_arrays(history);
    if (status == HM_OK)
        status = hm_memory_reserve(full->memory, history->range_size, &history->base);
    if (status == HM_OK)
        status = history_choose(history, full->method);
    if (status == HM_OK) {
        history->table = hm_history_table(history);
        history->registry = hm_history_registry(history);
        history->table.registry = &history->registry;
    }
    return status;
}

static void history_release(hm_history *history)
{
    const hm_memory *parent = history->parent;
    for (uint32_t i = 0; i < hm_array_count(&history->logs); i++) {
        hm_history_log *log = hm_array_at(&history->logs, i);
        hm_array_fini(&log->changes);
    }
    if (hm_array_data(&history->blocks) != NULL)
        hm_history_give_all(history);
    hm_array *arrays[] = {&history->pages,   &history->committed, &history->watches,
                          &history->records, &history->changes,   &history->logs,
                          &history->scratch};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        hm_array_fini(arrays[i]);
    if (history->method == HM_HISTORY_TRACK)
        hm_memory_untrack(history->files);
    if (history->base != NULL)
        parent->release(parent->context, history->base, history->range_size);
    memset(history, 0, sizeof *history);
}

hm_status hm_history_init(hm_history *history, const hm_history_desc *desc)
{
    hm_status status = hm_announce_init("history", history, sizeof *history);
    if (status != HM_OK)
        return status;
    desc = HM_DESC(hm_history_desc, desc);
    hm_history_desc full = *desc;
    status = history_check(&full);
    if (status != HM_OK)
        return status;
    status = history_init_parts(history, &full);
    if (status != HM_OK)
        history_release(history);
    return status;
}

void hm_history_fini(hm_history *history)
{
    HM_CONTRACT(history != NULL, "hm_history_fini: history is NULL");
    hm_history_check_left(history);
    /* Containers poison what they give back too. */
    hm_memory_unpoison(history->base, history->page_end * history->page_size);
    for (uint32_t page = 0; page < history->page_end; page++) {
        const hm_history_unit *unit = hm_history_page(history, page);
        HM_CONTRACT(unit->range == 0 || (unit->bits & HM_HISTORY_REVIVED) != 0,
                    "hm_history_fini: memory of the history is in use: finish what uses it first");
    }
    history_release(history);
}

/* marks */

/* Forgets what a log says, and takes back the copies that are only there. */
static void history_empty_log(hm_history *history, hm_history_log *log, bool is_past)
{
    const hm_history_change *changes = hm_array_data(&log->changes);
    for (uint32_t i = 0; i < hm_history_change_count(&log->changes); i++)
        hm_history_give(history, is_past ? changes[i].before.copy : changes[i].after.copy);
    (void)hm_array_resize(&log->changes, 0);
}

/* Lets the log of the current mark have n changes more. */
static bool history_prepare_log(hm_history *history, uint32_t n)
{
    if (history->mark_count == 0)
        return true;
    hm_array *changes = &hm_history_log_at(history, history->current)->changes;
    const hm_array_desc desc = {.item_size = sizeof(hm_history_change), .memory = history->parent};
    if (hm_array_data(changes) == NULL && hm_array_init(changes, &desc) != HM_OK)
        return false;
    return hm_array_reserve(changes, n) == HM_OK;
}

static bool history_has_bytes(const hm_history *history, const hm_history_change *change)
{
    return change->unit >= history->page_count || hm_history_is_committed(history, change->unit);
}

/* Makes what has changed the current state of each unit, and writes it to a log, if there is one.
 */
static void history_keep(hm_history *history, hm_history_log *log)
{
    hm_history_change *changes = hm_array_data(&history->changes);
    for (uint32_t i = 0; i < hm_history_change_count(&history->changes); i++) {
        hm_history_change *change = &changes[i];
        hm_history_unit *unit = hm_history_unit_of(history, change->unit);
        bool is_page = change->unit < history->page_count;
        unsigned char *address =
            is_page ? hm_history_address(history, change->unit) : unit->address;
        change->after = (hm_history_state){.range = unit->range};
        if (history_has_bytes(history, change))
            change->after.copy =
                hm_history_take(history, address, is_page ? history->page_size : unit->size);
        unit->kept = change->after;
        if (log != NULL)
            *(hm_history_change *)hm_array_push(&log->changes) = *change;
    }
}

/* Makes the next mark the current one. The logs from the current one on tell of what is no future
 * any more. */
static void history_add_mark(hm_history *history)
{
    hm_history_log *log = NULL;
    if (history->mark_count > 0) {
        for (uint32_t i = history->current; i < history->mark_count; i++)
            history_empty_log(history, hm_history_log_at(history, i), false);
        history->mark_count = history->current + 1;
        log = hm_history_log_at(history, history->current);
    }
    history_keep(history, log);
    if (history->mark_count == history->marks) {
        history_empty_log(history, hm_history_log_at(history, 0), true);
        history->oldest = (history->oldest + 1) % history->marks;
        history->mark_count--;
    }
    history->current = history->mark_count++;
    hm_history_log_at(history, history->current)->mark = history->next_mark++;
}

uint64_t hm_history_mark(hm_history *history)
{
    HM_CONTRACT(history != NULL, "hm_history_mark: history is NULL");
    if (history->base == NULL) {
        (void)hm_fail_uninitialised("history");
        return 0;
    }
    if (hm_history_check_idle(history, "hm_history_mark") != HM_OK ||
        hm_history_check_bytes(history) != HM_OK || !hm_history_find(history))
        return 0;
    const hm_history_change *changes = hm_array_data(&history->changes);
    uint32_t count = hm_history_change_count(&history->changes), copies = 0;
    for (uint32_t i = 0; i < count; i++)
        copies += history_has_bytes(history, &changes[i]);
    bool is_ready = hm_history_prepare(history, copies) && history_prepare_log(history, count);
    if (is_ready) {
        history_add_mark(history);
        hm_history_watch_anew(history);
    }
    hm_history_forget(history);
    return is_ready ? history->next_mark - 1 : 0;
}

/* rewind */

/* Adds what changed between the current mark and another one, of which the first state before it,
 * or the last one after it, is the one that comes back. */
static bool history_find_between(hm_history *history, uint32_t index)
{
    bool is_back = index < history->current;
    uint32_t from = is_back ? index : history->current;
    uint32_t to = is_back ? history->current : index;
    for (uint32_t k = 0; k < to - from; k++) {
        const hm_array *log = &hm_history_log_at(history, is_back ? to - 1 - k : from + k)->changes;
        const hm_history_change *changes = hm_array_data(log);
        for (uint32_t i = 0; i < hm_history_change_count(log); i++) {
            hm_history_change *change = hm_history_change_of(history, changes[i].unit);
            if (change == NULL)
                return false;
            change->after = is_back ? changes[i].before : changes[i].after;
        }
    }
    return true;
}

/* Makes sure that each page which comes back has memory. */
static bool history_hold(hm_history *history)
{
    const hm_history_change *changes = hm_array_data(&history->changes);
    for (uint32_t i = 0; i < hm_history_change_count(&history->changes); i++)
        if (changes[i].unit < history->page_count && changes[i].after.copy != NULL &&
            !hm_history_hold(history, changes[i].unit, 1)) {
            (void)hm_fail_memory(HM_COMMIT, history->page_size);
            return false;
        }
    return true;
}

static void history_put_page(hm_history *history, uint32_t page, hm_history_state state)
{
    hm_history_unit *unit = hm_history_page(history, page);
    if (unit->range != state.range)
        unit->bits |= HM_HISTORY_REVIVED;
    unit->range = state.range;
    if (state.copy != NULL) {
        hm_history_put(history, hm_history_address(history, page), history->page_size, state.copy);
        unit->bits &= ~(uint32_t)HM_HISTORY_ZERO;
        hm_history_set_committed(history, page, true);
    } else if ((unit->bits & HM_HISTORY_HELD) != 0) {
        hm_history_drop(history, page);
    }
}

static void history_put_changes(hm_history *history)
{
    const hm_history_change *changes = hm_array_data(&history->changes);
    uint32_t count = hm_history_change_count(&history->changes);
    if (history->method == HM_HISTORY_TRACK && count > history->page_end / HISTORY_LIFT)
        hm_history_lift(history);
    for (uint32_t i = 0; i < count; i++) {
        hm_history_unit *unit = hm_history_unit_of(history, changes[i].unit);
        unit->kept = changes[i].after;
        if (changes[i].unit < history->page_count)
            history_put_page(history, changes[i].unit, unit->kept);
        else
            hm_history_put(history, unit->address, unit->size, unit->kept.copy);
    }
    history->first_free = 0;
    hm_history_watch_anew(history);
}

hm_status hm_history_find_mark(const hm_history *history, uint64_t mark, uint32_t *index)
{
    uint32_t i = 0;
    while (i < history->mark_count && hm_history_log_at(history, i)->mark != mark)
        i++;
    *index = i;
    if (i < history->mark_count)
        return HM_OK;
    return hm_fail(HM_ERROR_STALE,
                   "mark %" HM_U64 " is not among the %u that the history keeps: raise marks", mark,
                   (unsigned)history->mark_count);
}

/* Lists in `changes` what a rewind to a mark has to write. */
static hm_status history_find_rewind(hm_history *history, uint32_t index, uint64_t mark)
{
    if (!hm_history_find(history))
        return HM_ERROR_MEMORY;
    if (index > history->current && hm_array_count(&history->changes) != 0)
        return hm_fail(HM_ERROR_STALE,
                       "hm_history_rewind: mark %" HM_U64
                       " is ahead, and something has changed: rewind to an earlier mark",
                       mark);
    if (!history_find_between(history, index) || !history_hold(history))
        return HM_ERROR_MEMORY;
    return HM_OK;
}

hm_status hm_history_rewind(hm_history *history, uint64_t mark)
{
    HM_CONTRACT(history != NULL, "hm_history_rewind: history is NULL");
    uint32_t index;
    hm_status status = hm_history_check_idle(history, "hm_history_rewind");
    if (status == HM_OK)
        status = hm_fail_in("history_rewind", NULL, hm_history_find_mark(history, mark, &index));
    if (status == HM_OK)
        status = history_find_rewind(history, index, mark);
    if (status == HM_OK) {
        history_put_changes(history);
        history->current = index;
        hm_history_forget_younger(history, mark);
    }
    hm_history_forget(history);
    return status;
}

/* questions */

static uint64_t history_mark_at(const hm_history *history, uint32_t index)
{
    return index < history->mark_count ? hm_history_log_at(history, index)->mark : 0;
}

hm_history_stats hm_history_get_stats(const hm_history *history)
{
    HM_CONTRACT(history != NULL, "hm_history_get_stats: history is NULL");
    hm_stats sizes = {0};
    const hm_array *arrays[] = {&history->pages,   &history->committed, &history->watches,
                                &history->records, &history->changes,   &history->logs,
                                &history->blocks,  &history->scratch};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        hm_stats_add(&sizes, arrays[i]);
    for (uint32_t i = 0; i < hm_array_count(&history->logs); i++)
        hm_stats_add(&sizes, &hm_history_log_at(history, i)->changes);
    return (hm_history_stats){.oldest_mark = history_mark_at(history, 0),
                              .current_mark = history_mark_at(history, history->current),
                              .newest_mark = history_mark_at(history, history->mark_count - 1),
                              .copied_size = (size_t)history->copies * history->copy_size,
                              .committed_size =
                                  sizes.committed_size + hm_history_blocks_size(history),
                              .method = history->method};
}

hm_position hm_history_position(const hm_history *history)
{
    HM_CONTRACT(history != NULL, "hm_history_position: history is NULL");
    return (hm_position){.epoch = history->epoch,
                         .mark = history_mark_at(history, history->current)};
}

/* Returns how many copies a log has to itself. */
static uint64_t history_count_copies(const hm_history *history, uint32_t index)
{
    const hm_array *log = &hm_history_log_at(history, index)->changes;
    const hm_history_change *changes = hm_array_data(log);
    uint64_t count = 0;
    for (uint32_t i = 0; i < hm_history_change_count(log); i++) {
        const hm_history_state *state =
            index < history->current ? &changes[i].before : &changes[i].after;
        count += state->copy != NULL;
    }
    return count;
}

hm_status hm_history_validate(const hm_history *history)
{
    HM_CONTRACT(history != NULL, "hm_history_validate: history is NULL");
    uint64_t copies = 0, last = 0;
    uint32_t end = 0; /* of the range that the page is in */
    for (uint32_t page = 0; page < history->page_end; page++) {
        const hm_history_unit *unit = hm_history_page(history, page);
        bool is_committed = hm_history_is_committed(history, page);
        if (unit->range != 0 && page < end)
            return hm_fail(HM_ERROR_CORRUPT, "hm_history_validate: page %u is in two ranges",
                           (unsigned)page);
        if (unit->range != 0)
            end = page + unit->range;
        if (is_committed && (page >= end || (unit->bits & HM_HISTORY_HELD) == 0))
            return hm_fail(HM_ERROR_CORRUPT, "hm_history_validate: page %u has no memory",
                           (unsigned)page);
        copies += unit->kept.copy != NULL;
    }
    for (uint32_t fragment = 0; fragment < hm_array_count(&history->watches); fragment++)
        copies += hm_history_fragment(history, fragment)->kept.copy != NULL;
    for (uint32_t i = 0; i < history->mark_count; i++) {
        copies += history_count_copies(history, i);
        if (hm_history_log_at(history, i)->mark <= last)
            return hm_fail(HM_ERROR_CORRUPT,
                           "hm_history_validate: mark %u is not above the one before", (unsigned)i);
        last = hm_history_log_at(history, i)->mark;
    }
    if (copies != history->copies || end > history->page_end)
        return hm_fail(HM_ERROR_CORRUPT,
                       "hm_history_validate: %" HM_U64 " copies are kept of %" HM_U64, copies,
                       history->copies);
    return HM_OK;
}
