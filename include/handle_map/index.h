/* SPDX-License-Identifier: MIT */
/* index: which handles have which key: the bodies in a cell, the actors of a team, the resources in
 * a state.
 *
 *     key 7 ----> bucket 2          members of key 7
 *     key 9 ----> bucket 0 -----.   | owner a | owner d | owner e |
 *                               |
 *     owner c ---> bucket 0, 1  '-> members of key 9
 *                           |       | owner b | owner c |
 *                           '-----------------------^ position
 *
 * An owner is any handle of another container; it has one key at a time. The members of a key are
 * one array of handles, ready for hm_map_get_n and the like. To give an owner a key, to move it
 * from key to key, and to remove it take the time of a few lookups, however many members there are.
 *
 * An index does not know the container of its owners. It treats stale, foreign and forged handles
 * exactly as an hm_secondary does: an owner that was erased stays a member until it is removed,
 * until an owner with the same slot is set, or until hm_index_purge.
 *
 * Keys are numbers below the descriptor's `key_limit`, each of which takes 4 bytes, up to the
 * highest that was used; or, if that is 0, any 64 bits. Those are hashed with a secret seed, so
 * that nobody who chooses keys can make them collide.
 *
 * Moves: a call that sets, moves or removes an owner changes the order of the members of the keys
 * concerned, and may move them. A pointer from hm_index_members or hm_index_next is valid until the
 * next call that changes the index, also if that is refused.
 *
 * Limits:
 *     owners               up to 2^30, the descriptor's `capacity`; their indices below `max_slots`
 *     keys                 as many as owners, up to `key_limit` if that is not 0
 *
 * Memory: for each owner 24 to 28 bytes, 4 for each slot of their container as in a secondary, and
 * up to half of a key's array unused; for each key that has members 52 bytes and the array's head
 * of
 * 16. Keys that had members take memory until hm_index_trim, but it is used for other keys.
 *
 * An index may be moved: assign the struct, and use only the copy from then on. Not from inside a
 * callback.
 *
 * A call that fails changes nothing that can be observed, except that the committed size may have
 * grown. A zeroed index, and one whose init failed, is a valid empty index of capacity 0. A NULL
 * index is a broken contract. hm_last_error says why a call failed with a status.
 *
 * Any 64 bits may be passed as a handle to any function, and as a key.
 *
 * The predicate of purge sees a consistent index. A call that would change the index from inside it
 * is refused with HM_ERROR_BUSY, false or 0; clear and fini call the panic hook.
 *
 * Threads: no locks inside. Const calls may run together while no thread writes.
 *
 * The hash is SipHash-1-3, of the family in Aumasson and Bernstein, "SipHash: a fast short-input
 * PRF" (2012). Its table grows by one entry with each key, as in Litwin, "Linear hashing: a new
 * tool for file and table addressing" (1980), so that no call has to rehash all keys. */
#ifndef HANDLE_MAP_INDEX_H
#define HANDLE_MAP_INDEX_H

#include <handle_map/detail/index.h>
#include <handle_map/detail/typed.h>
#include <handle_map/order.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A zero field means the default. */
typedef struct hm_index_desc {
    uint32_t capacity;       /* owners, at most; 0: 1,048,576 */
    uint32_t max_slots;      /* of the owners' container, at least the capacity here; 0: as for a
                                secondary */
    uint16_t type_id;        /* of the owners; at most 0x7FFF */
    uint32_t key_limit;      /* keys are below it; 0: any 64-bit key, hashed */
    uint64_t seed;           /* of the hash, to have the same order in each run; 0: a random one */
    const hm_memory *memory; /* NULL: hm_memory_os(); must outlive the index */
    const char *name;        /* for messages; must outlive the index; NULL: "index" */
} hm_index_desc;

/* hm_index is a struct that programs hold by value; all of its fields are private, and stand in
 * detail/index.h. */

/* `count` and `capacity` are owners; slots are counted as in a secondary. */
typedef hm_stats hm_index_stats;

/* A key and its members, from hm_index_next. */
typedef struct hm_index_view {
    uint64_t key;
    const hm_handle *members;
    uint32_t count; /* members, at least 1 */
    uint32_t next;  /* private; 0 begins a loop */
} hm_index_view;

/* Reserves address space for the capacity; commits nothing. HM_ERROR_INVALID: a NULL argument, a
 * capacity above 2^30, max_slots below the capacity, a type id above 0x7FFF, sizes that overflow,
 * or a memory table that breaks its contract. HM_ERROR_MEMORY: a reservation was refused. After a
 * failure the index is zeroed. It keeps no pointer to the descriptor. O(1). Example:
 *
 *     hm_index cells;
 *     const hm_index_desc desc = {.capacity = 100000,
 *                                 .max_slots = hm_map_get_stats(&bodies).max_slots,
 *                                 .type_id = BODY_TYPE,
 *                                 .key_limit = ROWS * COLUMNS,
 *                                 .name = "cells"};
 *     if (hm_index_init(&cells, &desc) != HM_OK)
 *         fprintf(stderr, "%s\n", hm_last_error());
 */
HM_API hm_status hm_index_init(hm_index *index, const hm_index_desc *desc);

/* Releases all memory, zeroes the struct. May be called twice. O(1). */
HM_API void hm_index_fini(hm_index *index);

/* Gives an owner a key: adds it as the last member of that key, and takes it away from its former
 * one, if that is another. If an earlier owner of the same slot has a key, that one is removed.
 *
 * HM_ERROR_INVALID: the handle cannot be an owner's (null, free bit set, generation 0, another type
 * id, or an index of `max_slots` or above), or the key is not below key_limit. HM_ERROR_STALE: a
 * later owner of the slot has a key. HM_ERROR_FULL: the capacity is used up. HM_ERROR_MEMORY,
 * HM_ERROR_BUSY. Then nothing has changed. A handle whose item is dead is not refused for that.
 *
 * Amortised O(1); for hashed keys on average. If gaps between the arrays have used up the address
 * space, they are closed first, which takes O(owners): hm_index_defragment now and then avoids it.
 * Example:
 *
 *     if (hm_index_set(&cells, body, cell_of(x, y)) != HM_OK)
 *         fprintf(stderr, "%s\n", hm_last_error());
 */
HM_API hm_status hm_index_set(hm_index *index, hm_handle owner, uint64_t key);

/* The same for owners[i] and keys[i], one after the other, with fewer cache misses: all or none.
 * If one would be refused, nothing has changed, and the status is that of the first. Memory for all
 * is taken before the first owner leaves its former key, so HM_ERROR_FULL and HM_ERROR_MEMORY are
 * possible where single calls would succeed. An owner may occur several times. O(n) on average. */
HM_API hm_status hm_index_set_n(hm_index *index, const hm_handle *owners, const uint64_t *keys,
                                uint32_t n);

/* Takes exactly this owner away from its key. The key's last member fills its place. False if it
 * has no key, or when busy. O(1), for hashed keys on average. */
HM_API bool hm_index_remove(hm_index *index, hm_handle owner);

/* The same for n owners, with fewer cache misses. Returns how many had a key; 0 when busy. */
HM_API uint32_t hm_index_remove_n(hm_index *index, const hm_handle *owners, uint32_t n);

/* Takes all members away from a key, and returns their number; 0 when busy. O(members). */
HM_API uint32_t hm_index_remove_key(hm_index *index, uint64_t key);

/* Returns the members of a key as one array, and their number in *count, which may be NULL. NULL
 * and 0 if there are none. O(1), for hashed keys on average. Example:
 *
 *     uint32_t count;
 *     const hm_handle *members = hm_index_members(&cells, cell_of(x, y), &count);
 *     hm_map_get_n(&bodies, members, count, found);
 *
 * A loop that changes the index asks again each time, or takes the members from the last on:
 *
 *     while ((members = hm_index_members(&teams, RED, &count)) != NULL)
 *         if (hm_index_set(&teams, members[count - 1], BLUE) != HM_OK)
 *             break;
 */
HM_API const hm_handle *hm_index_members(const hm_index *index, uint64_t key, uint32_t *count);

/* Whether exactly this owner has a key, and which, in *key, which may be NULL and is written only
 * then. O(1). */
HM_API bool hm_index_key_of(const hm_index *index, hm_handle owner, uint64_t *key);

/* Visits all keys that have members, in the order of their memory. Begin with a zeroed view; false:
 * there are no more. The index must not be changed until the loop has ended. O(1) a key, and one
 * for each gap between arrays. Example:
 *
 *     hm_index_view view = {0};
 *     while (hm_index_next(&cells, &view))
 *         collide(view.members, view.count);
 */
HM_API bool hm_index_next(const hm_index *index, hm_index_view *view);

/* Removes all owners for which `is_alive` returns false, and returns their number; it is called
 * once for each. 0 when busy. O(owners). Example:
 *
 *     static bool is_in(hm_handle owner, void *context)
 *     {
 *         return hm_map_contains(context, owner);
 *     }
 *
 *     hm_index_purge(&cells, is_in, &bodies);
 */
HM_API uint32_t hm_index_purge(hm_index *index, bool (*is_alive)(hm_handle owner, void *context),
                               void *context);

/* Commits memory for n owners more than there are, with indices below the number of owners plus n,
 * and for as many keys. A set can still be refused memory, when the array of its key has to grow.
 * HM_ERROR_FULL: the capacity has no room for n more; HM_ERROR_MEMORY; HM_ERROR_BUSY. Then nothing
 * has changed. O(n), at most. */
HM_API hm_status hm_index_reserve(hm_index *index, uint32_t n);

/* Removes all owners. Memory stays committed. O(keys that have had members since the last trim). */
HM_API void hm_index_clear(hm_index *index);

/* Closes the gaps between the arrays of members, as hm_lists_defragment does: a swap is one array
 * that is moved. When busy: not done. Never fails. */
HM_API hm_progress hm_index_defragment(hm_index *index, hm_budget budget);

/* Gives memory back to the system: what is behind the last owner, array and key; gaps between the
 * arrays stay, unless they are closed first. HM_ERROR_BUSY, or HM_ERROR_MEMORY if the system
 * refuses; all owners keep their keys. O(owners + keys). */
HM_API hm_status hm_index_trim(hm_index *index);

/* HM_OK, or HM_ERROR_CORRUPT if the index is damaged, with what in hm_last_error. May be called
 * from the predicate of purge. O(owners + keys), with array keys O(key_limit). */
HM_API hm_status hm_index_validate(const hm_index *index);

/* Says in a sentence what a handle is to this index, as hm_secondary_describe does; an "absent" one
 * has no key. O(length). */
HM_API size_t hm_index_describe(const hm_index *index, hm_handle owner, char *buffer, size_t size);

/* Returns counts and sizes. O(1). */
HM_API hm_index_stats hm_index_get_stats(const hm_index *index);

/* Whether exactly this owner has a key. O(1). */
static inline bool hm_index_contains(const hm_index *index, hm_handle owner)
{
    HM_CONTRACT(index != NULL, "hm_index_contains: index is NULL");
    return hm_secondary_contains(&index->owners, owner);
}

/* Returns the number of owners that have a key. O(1). */
static inline uint32_t hm_index_count(const hm_index *index)
{
    HM_CONTRACT(index != NULL, "hm_index_count: index is NULL");
    return hm_secondary_count(&index->owners);
}

/* Returns how many owners there may be. O(1). */
static inline uint32_t hm_index_capacity(const hm_index *index)
{
    HM_CONTRACT(index != NULL, "hm_index_capacity: index is NULL");
    return hm_secondary_capacity(&index->owners);
}

/* Returns the number of keys that have members. O(1). */
static inline uint32_t hm_index_key_count(const hm_index *index)
{
    HM_CONTRACT(index != NULL, "hm_index_key_count: index is NULL");
    return index->key_count;
}

#ifdef __cplusplus
}
#endif

#endif
