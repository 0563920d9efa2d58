/* SPDX-License-Identifier: MIT */
/* ids: which handles are alive, items under handles that the program names, and what a handle
 * means, in words. Functions for the folders above, not for programs. */
#ifndef HANDLE_MAP_IDS_PRIVATE_H
#define HANDLE_MAP_IDS_PRIVATE_H

#include "../memory/poison_private.h"

#include "../memory/memory_private.h"
#include "batch_private.h"

#include <handle_map/array.h>
#include <handle_map/base.h>
#include <handle_map/detail/guard.h>
#include <handle_map/detail/handle.h>
#include <handle_map/handle.h>
#include <handle_map/id_table.h>

/* handle */

/* Makes a slot and a position refer to each other: invariant 2 of docs/design.md. */
static inline void hm_handle_link(hm_handle *entries, uint32_t *slots, uint32_t slot,
                                  uint32_t position)
{
    slots[position] = slot;
    hm_handle_set_index(&entries[slot], position);
}

/* Exchanges the slots at two positions. */
static inline void hm_handle_exchange(hm_handle *entries, uint32_t *slots, uint32_t a, uint32_t b)
{
    uint32_t slot = slots[a];
    hm_handle_link(entries, slots, slots[b], a);
    hm_handle_link(entries, slots, slot, b);
}

/* Where slots and positions name each other. A container with an id table has `slots` and
 * `entries`. One without has the handles at its positions, whose indices are the slots, and
 * `positions`. */
typedef struct hm_links {
    uint32_t *slots;     /* position -> slot; NULL without an id table */
    hm_handle *entries;  /* slot -> position, in the lower half */
    hm_handle *owners;   /* position -> slot, in the lower half */
    uint32_t *positions; /* slot -> position */
} hm_links;

static inline uint32_t hm_links_slot(const hm_links *links, uint32_t position)
{
    return links->slots != NULL ? links->slots[position] : hm_handle_index(links->owners[position]);
}

static inline uint32_t hm_links_position(const hm_links *links, uint32_t slot)
{
    return links->slots != NULL ? hm_handle_index(links->entries[slot]) : links->positions[slot];
}

/* As hm_handle_link. An owner keeps its upper half. */
static inline void hm_links_connect(const hm_links *links, uint32_t slot, uint32_t position)
{
    if (links->slots != NULL) {
        hm_handle_link(links->entries, links->slots, slot, position);
    } else {
        hm_handle_set_index(&links->owners[position], slot);
        links->positions[slot] = position;
    }
}

static inline void hm_links_exchange(const hm_links *links, uint32_t a, uint32_t b)
{
    uint32_t slot = hm_links_slot(links, a);
    hm_links_connect(links, hm_links_slot(links, b), a);
    hm_links_connect(links, slot, b);
}

static inline void hm_links_prefetch_slot(const hm_links *links, uint32_t position)
{
    if (links->slots != NULL)
        HM_PREFETCH(&links->slots[position]);
    else
        HM_PREFETCH(&links->owners[position]);
}

static inline void hm_links_prefetch_position(const hm_links *links, uint32_t slot)
{
    if (links->slots != NULL)
        HM_PREFETCH(&links->entries[slot]);
    else
        HM_PREFETCH(&links->positions[slot]);
}

/* What the bits alone tell a container with this type id: HM_HANDLE_NULL, _FORGED, _FOREIGN, or
 * HM_HANDLE_LIVE if nothing in them rules that out. */
hm_handle_state hm_handle_judge(hm_handle handle, uint32_t type_id);

/* Returns the last generation of a slot of a container whose descriptor says so many bits. */
static inline uint16_t hm_last_generation(uint32_t generation_bits)
{
    return (uint16_t)(generation_bits == 0 ? HM_HANDLE_MAX_GENERATION
                                           : (UINT32_C(1) << generation_bits) - 1);
}

/* Adds the sizes of an array to those of its container. A range counts with the array that owns it.
 */
void hm_stats_add(hm_stats *stats, const hm_array *array);

/* id_table */

/* Returns the links of the table's slots and positions. */
static inline hm_links hm_id_table_links(const hm_id_table *table)
{
    return (hm_links){.slots = table->slots, .entries = table->entries};
}

/* The default index space. A slot that does not determine its item's address costs nothing until it
 * is issued, so there may be many: 2^20 of them last 13 days at 60,000 inserts a second. */
#define HM_ID_TABLE_LEAST_SLOTS (UINT32_C(1) << 20)
#define HM_ID_TABLE_SLOTS_PER_ITEM UINT32_C(16)

/* Returns the size of the index space, in slots, when a descriptor leaves it open: `times` the
 * capacity, at least `least`. */
uint32_t hm_id_table_default_max_slots(uint32_t capacity, uint32_t least, uint32_t times);

/* Returns for how many slots a container with a capacity reserves its arrays by slot. More are
 * needed only once so many are retired that live ones have no space beside them: then the arrays
 * move to a range twice as large, and nothing else moves. */
uint32_t hm_id_table_first_slots(uint32_t capacity, uint32_t max_slots);

/* For containers that cannot grow without a capacity. */
#define HM_DEFAULT_CAPACITY UINT32_C(1048576)

/* Fills in the defaults of these fields of a descriptor, or of all: without a capacity the second
 * fills in the index space. */
void hm_id_table_fill(const hm_memory **memory, uint32_t capacity, uint32_t *max_slots);
hm_id_table_desc hm_id_table_complete(const hm_id_table_desc *desc);

/* The most arrays that may share the reservation of a table. */
enum { HM_ID_TABLE_MORE = 11 };

/* As hm_id_table_init, but reserves one range for the table and for `count` more arrays of its
 * container, which hm_array_fini must finish before the table. The descriptors are valid, but for
 * their memory and a capacity of 0, which become those of the table, or of its slots (is_by_slot).
 * If the table has no capacity, the range is a whole one with space for few items. */
hm_status hm_id_table_init_with(hm_id_table *table, const hm_id_table_desc *desc,
                                const hm_array_column *more, uint32_t count);

/* Returns for how many items a range that is committed whole has space at first, at most `limit`:
 * 12 bytes for each, and one in each array of `more` whose capacity is 0. */
size_t hm_id_table_first_capacity(const hm_memory *memory, uint32_t limit,
                                  const hm_array_column *more, uint32_t count);

/* Returns how many entries a table has that moves to a range for `capacity` positions. */
static inline size_t hm_id_table_slots_for(const hm_id_table *table, size_t capacity)
{
    size_t slots = capacity + (table->slot_count - table->used);
    /* Entries that moved alone may have had more space. */
    return slots > table->fresh_end ? slots : table->fresh_end;
}

/* Whether n more live slots do not fit in the range, or their entries do not: a container that must
 * not move at times calls this instead. O(n) at most. */
bool hm_id_table_moves(const hm_id_table *table, uint32_t n);

/* How a container without a capacity moves: it calls hm_id_table_move with its arrays, and reads
 * their addresses again. */
typedef hm_status (*hm_ids_mover)(void *owner, size_t capacity, size_t slots);

/* Moves the table and the arrays of its container to a range for `capacity` live slots and `slots`
 * entries, which are no fewer; if they are 0, to the smallest one, unless more than half of this
 * one is in use. `more` lists the same arrays as hm_id_table_init_with, by hm_array_column_of;
 * there a capacity of 0 becomes that of the table. Carries as many items as the counts say.
 * HM_ERROR_MEMORY: nothing has changed. */
hm_status hm_id_table_move(hm_id_table *table, size_t capacity, size_t slots,
                           const hm_array_column *more, uint32_t count);

/* The same for a table that stands alone: an hm_ids_mover. */
hm_status hm_id_table_move_alone(void *table, size_t capacity, size_t slots);

/* Lets the container move to a range for n more live slots, and at least for twice as many as now;
 * or, which is the last step of a trim, to the smallest one. With a capacity they do nothing. */
hm_status hm_id_table_widen(hm_id_table *table, const char *name, uint32_t n, void *owner,
                            hm_ids_mover move);
static inline hm_status hm_id_table_narrow(const hm_id_table *table, void *owner, hm_ids_mover move)
{
    return table->slot_array.moves_to_grow ? move(owner, 0, 0) : HM_OK;
}

/* Returns the generation floor of a slot's unit, 0 without one; makes floors for so many slots, new
 * ones 0. */
uint32_t hm_id_table_floor_of(const hm_id_table *table, uint32_t slot);
hm_status hm_id_table_open_floors(hm_id_table *table, size_t slots);

/* Sets a floor that has been made. */
void hm_id_table_set_floor(hm_id_table *table, uint32_t slot, uint16_t floor);

/* Commits so many entries; `grows` as in hm_array_commit. Where they have no space, they move to a
 * range of their own. */
hm_status hm_id_table_open_entries(hm_id_table *table, size_t slots, bool grows);

/* Commits so many positions, live and free. With a capacity they may be more than that: then they
 * move to a range of their own. A whole range has been resized before. */
hm_status hm_id_table_open_positions(hm_id_table *table, size_t n);

/* promise: an array of handles that are ready to be given out, NULL if there was none. */

/* The array begins with itself, how many of its handles have been given out, which threads write,
 * and how many slots are promised: those of the others, and those whose items are still to come. */
typedef struct hm_promise_head {
    hm_array array;
    uint32_t given;
    uint32_t promised;
} hm_promise_head;

/* Returns how many slots are promised. */
static inline uint32_t hm_promises_count(const hm_array *list)
{
    return list != NULL ? ((const hm_promise_head *)(const void *)list)->promised : 0;
}

/* The array of floors begins with itself, and with what few tables have: the first range of the
 * table, which was that of the positions until they moved alone, and the promises; or NULL. */
typedef struct hm_id_table_head {
    hm_array array;
    unsigned char *first;
    size_t first_size; /* bytes */
    hm_array *promises;
} hm_id_table_head;

static inline hm_array *hm_id_table_promises(const hm_id_table *table)
{
    return table->floors != NULL ? ((hm_id_table_head *)(void *)table->floors)->promises : NULL;
}

/* Returns how many slots are promised; live or promised; how many more may be. */
static inline uint32_t hm_id_table_promised(const hm_id_table *table)
{
    return hm_promises_count(hm_id_table_promises(table));
}
static inline uint32_t hm_id_table_taken(const hm_id_table *table)
{
    return table->count + hm_id_table_promised(table);
}
static inline uint32_t hm_id_table_left(const hm_id_table *table)
{
    return table->capacity - hm_id_table_taken(table);
}

/* Returns how many live positions have memory, beside those of promised slots: at most the
 * capacity. */
static inline uint32_t hm_id_table_ready(const hm_id_table *table)
{
    size_t limit =
        table->slot_array.limit < table->capacity ? table->slot_array.limit : table->capacity;
    return (uint32_t)limit - hm_id_table_promised(table);
}

/* Makes a table in which nothing counts yet, but whose arrays hold what a load began, one that has
 * issued nothing. */
void hm_id_table_forget(hm_id_table *table);

/* As hm_id_table_trim, but moves nothing. */
hm_status hm_id_table_trim_slots(hm_id_table *table);

/* Makes memory for n more live slots; `grows` as in hm_array_commit. `name`: the container's, or
 * NULL. Without a capacity the container moves first if the range has no space for them. */
hm_status hm_id_table_prepare(hm_id_table *table, const char *name, uint32_t n, bool grows,
                              void *owner, hm_ids_mover move);

/* Retires spent slots until the next n issues meet none, or no free slot is left. A reserve ends
 * with it, so that hm_id_table_upcoming knows which slots those issues take. Each slot is retired
 * once, so the search costs O(1) an issue, amortised. */
void hm_id_table_retire_spent(hm_id_table *table, uint32_t n);

/* Whether this is the handle that one of the next n issues will return. They have been reserved.
 * O(1). */
bool hm_id_table_is_upcoming(const hm_id_table *table, hm_handle handle, uint32_t n);

/* HM_ERROR_INVALID when these fields of a descriptor break the rules that all containers share. */
hm_status hm_id_table_check(uint32_t capacity, uint32_t max_slots, uint32_t type_id,
                            uint32_t generation_bits);

/* Replaces HM_TYPE_ID_UNIQUE by a number that no container has had; leaves others as they are. It
 * is the last step of an init that can fail, so that one that fails uses up no number. Fails with
 * HM_ERROR_FULL. */
hm_status hm_id_table_choose_type(uint16_t *type_id);

/* The number that the next HM_TYPE_ID_UNIQUE gets. Exported, so that the dynamic linker makes one
 * of those of all copies of the library in a process, where it can; the name has a version, which
 * rises when the meaning changes. */
extern HM_API uint32_t hm_next_unique_type_1;

/* Issues n handles, which have been prepared, and writes them to `handles`, unless that is NULL. */
void hm_id_table_issue_n(hm_id_table *table, uint32_t n, hm_handle *handles);

/* Fills in the statistics that come from the table, and adds the sizes of its arrays. */
void hm_id_table_add_stats(const hm_id_table *table, hm_stats *stats);

/* Describes the table, for batches. */
static inline hm_batch hm_id_table_batch(const hm_id_table *table)
{
    return (hm_batch){.entries = (const unsigned char *)table->entries,
                      .entry_size = sizeof(hm_handle),
                      .slot_count = table->slot_count,
                      .limit = table->count};
}

/* Stores for each of n handles whether it resolves; returns how many do. */
uint32_t hm_id_table_contains_n(const hm_id_table *table, const hm_handle *handles, uint32_t n,
                                bool *alive);

/* The functions of a container that pass a question on to its id table, `ids`. What the table has
 * are `handles`, or what the container calls them. */
#define HM_ID_TABLE_QUESTIONS(kind, handles)                                                       \
    uint32_t hm_##kind##_contains_n(const hm_##kind *kind, const hm_handle *handles, uint32_t n,   \
                                    bool *alive)                                                   \
    {                                                                                              \
        HM_CONTRACT(kind != NULL, "hm_" #kind "_contains_n: " #kind " is NULL");                   \
        HM_CONTRACT(handles != NULL || n == 0, "hm_" #kind "_contains_n: " #handles " is NULL");   \
        HM_CONTRACT(alive != NULL || n == 0, "hm_" #kind "_contains_n: alive is NULL");            \
        return hm_id_table_contains_n(&kind->ids, handles, n, alive);                              \
    }                                                                                              \
    hm_handle_state hm_##kind##_explain(const hm_##kind *kind, hm_handle handle)                   \
    {                                                                                              \
        HM_CONTRACT(kind != NULL, "hm_" #kind "_explain: " #kind " is NULL");                      \
        return hm_id_table_explain(&kind->ids, handle);                                            \
    }                                                                                              \
    size_t hm_##kind##_describe(const hm_##kind *kind, hm_handle handle, char *buffer,             \
                                size_t size)                                                       \
    {                                                                                              \
        HM_CONTRACT(kind != NULL, "hm_" #kind "_describe: " #kind " is NULL");                     \
        HM_CONTRACT(buffer != NULL || size == 0, "hm_" #kind "_describe: buffer is NULL");         \
        return hm_id_table_describe(&kind->ids, handle, kind->name, buffer, size);                 \
    }                                                                                              \
    hm_owners hm_##kind##_as_owners(const hm_##kind *kind)                                         \
    {                                                                                              \
        HM_CONTRACT(kind != NULL, "hm_" #kind "_as_owners: " #kind " is NULL");                    \
        return hm_id_table_as_owners(&kind->ids);                                                  \
    }

/* The reserve, available and upcoming of a container with an id table and with a static function
 * that prepares n inserts; `grows` of that function as in hm_array_commit. */
#define HM_ID_TABLE_RESERVE(kind)                                                                  \
    hm_status hm_##kind##_reserve(hm_##kind *kind, uint32_t n)                                     \
    {                                                                                              \
        HM_CONTRACT(kind != NULL, "hm_" #kind "_reserve: " #kind " is NULL");                      \
        hm_status status = kind##_prepare(kind, n, false);                                         \
        if (status == HM_OK)                                                                       \
            hm_id_table_retire_spent(&kind->ids, n);                                               \
        return status;                                                                             \
    }                                                                                              \
    uint32_t hm_##kind##_available(const hm_##kind *kind)                                          \
    {                                                                                              \
        HM_CONTRACT(kind != NULL, "hm_" #kind "_available: " #kind " is NULL");                    \
        return hm_id_table_available(&kind->ids);                                                  \
    }                                                                                              \
    hm_handle hm_##kind##_upcoming(const hm_##kind *kind, uint32_t k)                              \
    {                                                                                              \
        HM_CONTRACT(kind != NULL, "hm_" #kind "_upcoming: " #kind " is NULL");                     \
        return hm_id_table_upcoming(&kind->ids, k);                                                \
    }

/* adopt */

/* Of an adopt: HM_ERROR_INVALID if the bits of a handle rule it out, or HM_ERROR_STALE if there is
 * an obstacle; and the obstacles. */
hm_status hm_adopt_judge(const char *what, const char *name, hm_handle handle, uint32_t type_id,
                         uint32_t max_slots, uint32_t last_generation);
hm_status hm_adopt_refuse(const char *what, const char *name, hm_handle handle,
                          const char *obstacle);
#define HM_ADOPT_IS_ALIVE "it is alive"
#define HM_ADOPT_IS_TAKEN "its slot has another item"
#define HM_ADOPT_IS_RETIRED "its slot is retired"
#define HM_ADOPT_IS_PROMISED "its slot is promised"
#define HM_ADOPT_IS_STALE "its slot has issued later ones"

/* An adopt has three steps; only the last, which cannot fail, changes what the table says.
 *
 * 1. Checks that the table can have an item under this handle: HM_ERROR_INVALID, its bits rule that
 *    out; HM_ERROR_STALE, its slot does; HM_ERROR_FULL. The next `promised` issues are taken.
 * 2. Makes memory for the slots up to the handle's, and for their positions. Without a capacity the
 *    container moves first if the range has no space for them.
 * 3. Makes the slot the last live position. Slots that are made on the way are free, and will be
 *    issued after all others, in ascending order. */
hm_status hm_id_table_check_adopt(const hm_id_table *table, const char *what, const char *name,
                                  hm_handle handle, uint32_t promised);
hm_status hm_id_table_prepare_adopt(hm_id_table *table, hm_handle handle, void *owner,
                                    hm_ids_mover move);
void hm_id_table_take(hm_id_table *table, hm_handle handle);

/* promises */

/* Returns how many are ready. */
uint32_t hm_promises_ready(const hm_array *list);

/* Makes memory for n more. HM_ERROR_MEMORY: nothing has changed. */
hm_status hm_promises_open(hm_array **list, const hm_memory *memory, uint32_t n);

/* Adds n, for which there is memory, and returns where the caller writes them. */
hm_handle *hm_promises_append(hm_array *list, uint32_t n);

/* Gives the next one out; null, and why, if there is none. Any number of threads may call it. */
hm_handle hm_promises_give(const hm_array *list, const char *what, const char *name);

/* Whether a handle that was ready has been given out. O(those that are ready). */
bool hm_promises_are_given(const hm_array *list, hm_handle handle);

/* So many slots are promised now. */
void hm_promises_count_more(hm_array *list, uint32_t n);

/* One slot is promised no more. */
void hm_promises_end(hm_array *list);

/* HM_ERROR_STALE: no item waits for this handle. */
hm_status hm_promises_refuse(const char *what, const char *name, hm_handle handle);

/* Whether this is the entry of a promised slot. */
static inline bool hm_id_table_is_promised(hm_handle entry)
{
    return hm_handle_index(entry) == HM_INVALID_INDEX && !hm_handle_is_free(entry);
}

/* Promises the slots of the next n issues, which have been prepared. HM_ERROR_MEMORY: none. */
hm_status hm_id_table_set_aside(hm_id_table *table, uint32_t n);

/* Whether the slot of a handle is promised, and the handle was given out. */
bool hm_id_table_has_promised(const hm_id_table *table, hm_handle handle);

/* Makes a promised slot the last live one. HM_ERROR_BUSY; HM_ERROR_STALE: it is not promised. */
hm_status hm_id_table_keep_promise(hm_id_table *table, const hm_guard *guard, const char *what,
                                   const char *name, hm_handle promised);

/* Makes a promised slot the last free one. Its generation counts as used. */
void hm_id_table_take_back(hm_id_table *table, hm_handle handle);

/* The functions of a container with an id table and with static functions that prepare n inserts,
 * and set the limit of the guard. */
#define HM_ID_TABLE_PROMISES(kind)                                                                 \
    hm_status hm_##kind##_reserve_promises(hm_##kind *kind, uint32_t n)                            \
    {                                                                                              \
        HM_CONTRACT(kind != NULL, "hm_" #kind "_reserve_promises: " #kind " is NULL");             \
        uint32_t ready = hm_promises_ready(hm_id_table_promises(&kind->ids));                      \
        n = n > ready ? n - ready : 0;                                                             \
        hm_status status = kind##_prepare(kind, n, false);                                         \
        if (status != HM_OK || n == 0)                                                             \
            return status;                                                                         \
        status = hm_id_table_set_aside(&kind->ids, n);                                             \
        kind##_set_limit(kind);                                                                    \
        return hm_##kind##_blame(kind, status);                                                    \
    }                                                                                              \
    hm_handle hm_##kind##_promise(hm_##kind *kind)                                                 \
    {                                                                                              \
        HM_CONTRACT(kind != NULL, "hm_" #kind "_promise: " #kind " is NULL");                      \
        return hm_promises_give(hm_id_table_promises(&kind->ids), #kind, kind->name);              \
    }                                                                                              \
    bool hm_##kind##_give_up(hm_##kind *kind, hm_handle promised)                                  \
    {                                                                                              \
        HM_CONTRACT(kind != NULL, "hm_" #kind "_give_up: " #kind " is NULL");                      \
        if (hm_guard_refuses(&kind->guard, #kind, kind->name) ||                                   \
            !hm_id_table_has_promised(&kind->ids, promised))                                       \
            return false;                                                                          \
        hm_id_table_take_back(&kind->ids, promised);                                               \
        kind##_set_limit(kind);                                                                    \
        return true;                                                                               \
    }

/* describe: what a handle means to a container, in words. Each container has a function `describe`,
 * which finds out what there is to say; the sentences are here, one for each state. */

/* What a container knows of a handle. */
typedef struct hm_description {
    const char *name; /* of the container; NULL if it has none */
    hm_handle handle;
    hm_handle_state state;
    uint32_t type_id;    /* of the container's handles */
    uint32_t slots;      /* slots that the container has */
    uint32_t generation; /* no handle of the slot has a higher one */
    bool is_free;        /* whether the handle's slot has no item now */
    bool is_zeroed;      /* the container is not initialised: nothing else is said */
} hm_description;

/* Writes the sentence for the state as hm_format does: returns the length of the whole text. */
HM_COLD size_t hm_describe(const hm_description *what, char *buffer, size_t size);

/* The same for what is no state: a handle whose type id no container has. */
HM_COLD size_t hm_describe_lost(hm_handle handle, char *buffer, size_t size);

/* announce: each init says which memory it is about to overwrite, and the listener, which is the
 * report, can tell whether a live container is there. The init itself cannot: its memory may be
 * uninitialised. */

/* `kind`: "map", "pool" and so on. Any thread may call it. */
typedef void hm_announce_listener(const char *kind, const void *container);

/* Sets the listener; always the same function, and one call at a time. */
void hm_announce_to(hm_announce_listener *listener);

/* What each init of a container begins with: says which memory it is about to overwrite, where it
 * reads nothing, and zeroes it. HM_ERROR_INVALID: the container is NULL. */
hm_status hm_announce_init(const char *kind, void *container, size_t size);

#endif
