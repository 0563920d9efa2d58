/* SPDX-License-Identifier: MIT */
/* index: which handles have which key: the bodies in a cell, the actors of a team, the resources in
 * a state.
 *
 *     key 7 ----> array 2           members of key 7
 *     key 9 ----> array 0 ------.   | owner a | owner d | owner e |
 *                               |
 *     owner c ---> array 0, 1   '-> members of key 9
 *                           |       | owner b | owner c |
 *                           '-----------------------^ position
 *
 * Owns: for each key an array of its members, which are handles of another container; an owner has
 * one key at a time. Moves: a call that sets, moves or removes an owner changes the order of the
 * members of the keys concerned, and may move them. A pointer from hm_index_members or
 * hm_index_next is valid until the next call that may change the index, whether it succeeds or not.
 * Without a capacity set, set_n, reserve and trim may also move all of it to another range
 * (handle_map.h). It begins in one range; what outgrows its part of that has one of its own: the
 * owners, and the members. Limits: 2^28 owners, as many keys. What all
 * containers share: handle_map.h. */
#ifndef HANDLE_MAP_INDEX_H
#define HANDLE_MAP_INDEX_H

#include <handle_map/detail/index.h>
#include <handle_map/detail/typed.h>
#include <handle_map/order.h>

HM_BEGIN_C

/* A zero field means the default. */
typedef struct hm_index_desc {
    hm_owners owners;   /* as in hm_secondary_desc, and so are max_slots and type_id */
    uint32_t capacity;  /* owners, at most 2^28; 0: that of the owners' container; if that has
                           none, or is not given, no other limit, and the index moves as it grows */
    uint32_t max_slots; /* of the owners' container */
    uint16_t type_id;   /* of the owners */
    uint32_t key_limit; /* keys are below it, and each up to the highest one used takes 4 bytes; 0:
                           any 64 bits are a key, and are hashed with a secret seed, so that nobody
                           who chooses keys can make them collide */
    uint64_t seed;      /* of the hash, for the same timing in each run; 0: a random one. No order
                           depends on it */
    const hm_memory *memory; /* NULL: hm_memory_os(); must outlive the index */
    const char *name;        /* in messages; must outlive the index; NULL: "index" */
} hm_index_desc;

/* `count` and `capacity` are owners; slots are counted as in a secondary. A call that fails may
 * raise `slots`. */
typedef hm_stats hm_index_stats;

/* A key and its members, from hm_index_next. */
typedef struct hm_index_view {
    uint64_t key;
    const hm_handle *members;
    uint32_t count; /* members, at least 1 */
    uint32_t next;  /* private; 0 begins a loop */
} hm_index_view;

/* Reserves address space for the capacity, and commits nothing; without a capacity commits a small
 * range. Fails as hm_secondary_init does. O(1),
 * one reservation.
 *
 * Memory: for each owner 24 bytes, and 4 for each slot of their container as in a secondary; for
 * each key that has members 40 bytes, and 4 more if keys are hashed. An array has space for up to
 * twice as many members as it has had; hm_index_defragment leaves each just what it needs. The
 * memory of a key without members is used for other keys; hm_index_trim gives it back. */
HM_API hm_status hm_index_init(hm_index *index, const hm_index_desc *desc);

/* Releases all memory, zeroes the struct. O(1). */
HM_API void hm_index_fini(hm_index *index);

/* Gives an owner a key: adds it as the last member of that key, and takes it away from its former
 * one. An owner that has this key already keeps its place. If an earlier owner of the same slot has
 * a key, that owner is removed; if it has this key, the new owner takes its place.
 *
 * HM_ERROR_INVALID: the handle cannot be an owner's (null, free bit set, generation 0, another type
 * id, or an index of `max_slots` or above), or the key is not below key_limit. HM_ERROR_STALE: a
 * later owner of the slot has a key. HM_ERROR_FULL: the capacity is used up. HM_ERROR_MEMORY,
 * HM_ERROR_BUSY. A handle whose item is dead is not refused for that reason: an index does not know
 * the container of its owners, and treats stale, foreign and forged handles exactly as an
 * hm_secondary does. An owner that was erased stays a member until it is removed, until an owner
 * with the same slot is set, or until hm_index_remove_if.
 *
 * Amortised O(1); for hashed keys on average. If gaps between the arrays have used up the address
 * space, they are closed first, which takes O(owners): hm_index_defragment now and then avoids it.
 */
HM_API hm_status hm_index_set(hm_index *index, hm_handle owner, uint64_t key);

/* The same for owners[i] and keys[i], one after the other, with fewer cache misses: all or none. If
 * one would be refused, nothing has changed but, possibly, the order of hm_index_next, and the
 * status is that of the first. Memory for all is taken before the first owner leaves its former
 * key, so HM_ERROR_FULL and HM_ERROR_MEMORY are possible where single calls would succeed. An owner
 * may occur several times. O(n) on average. */
HM_API hm_status hm_index_set_n(hm_index *index, const hm_handle *owners, const uint64_t *keys,
                                uint32_t n);

/* Takes exactly this owner away from its key. The key's last member fills its place. False if the
 * owner has no key, and when busy. O(1), for hashed keys on average. */
HM_API bool hm_index_remove(hm_index *index, hm_handle owner);

/* The same for n owners, with fewer cache misses. Returns how many had a key. O(n) on average. */
HM_API uint32_t hm_index_remove_n(hm_index *index, const hm_handle *owners, uint32_t n);

/* Takes all members away from a key, and returns their number; 0 when the key has none, and when
 * busy. O(members). */
HM_API uint32_t hm_index_remove_key(hm_index *index, uint64_t key);

/* Returns the members of a key as one array, and their number in *count, unless `count` is NULL.
 * NULL and 0 if there are none. O(1), for hashed keys on average. A loop that changes the index
 * asks again each time. Example:
 *
 *     uint32_t count;
 *     const hm_handle *members = hm_index_members(&cells, cell_of(3, 4), &count);
 *     collide(members, count);
 *     while ((members = hm_index_members(&teams, RED, &count)) != NULL)
 *         if (hm_index_set(&teams, members[count - 1], BLUE) != HM_OK)
 *             break;
 */
HM_API const hm_handle *hm_index_members(const hm_index *index, uint64_t key, uint32_t *count);

/* Whether exactly this owner has a key; if so, writes the key to *key, unless `key` is NULL. O(1).
 */
HM_API bool hm_index_key_of(const hm_index *index, hm_handle owner, uint64_t *key);

/* Looks up n owners: keys[i] becomes the key of owners[i], and stays as it is if that has none.
 * Returns how many have one. O(n). */
HM_API uint32_t hm_index_key_of_n(const hm_index *index, const hm_handle *owners, uint32_t n,
                                  uint64_t *keys);

/* Sets alive[i] to whether owners[i] has a key, for n owners. Returns how many have one. O(n). */
HM_API uint32_t hm_index_contains_n(const hm_index *index, const hm_handle *owners, uint32_t n,
                                    bool *alive);

/* Visits all keys that have members, in the order of their memory: sets the view to the next key
 * and returns true, or zeroes it and returns false after the last. Begin with a zeroed view. The
 * index must not be changed until the loop has ended. O(keys + gaps between arrays) for the whole
 * loop. Example:
 *
 *     hm_index_view view = {0};
 *     while (hm_index_next(&cells, &view))
 *         collide(view.members, view.count);
 */
HM_API bool hm_index_next(const hm_index *index, hm_index_view *view);

/* Removes all owners for which `doomed` returns true, and returns their number. `doomed` is called
 * once for each owner. The owners are removed after the last call of `doomed`. O(owners). */
HM_API uint32_t hm_index_remove_if(hm_index *index,
                                   bool (*doomed)(hm_handle owner, uint64_t key, void *context),
                                   void *context);

/* Commits memory for n more owners, provided that their slots are below the number of owners plus
 * n, and for n more keys. A set can still be refused memory: when the array of its key has to grow,
 * and, with a key_limit, when its key is above all those used before. HM_ERROR_FULL: n more would
 * exceed the capacity; HM_ERROR_MEMORY; HM_ERROR_BUSY. With a capacity moves no members. O(n), at
 * most; without one O(owners + keys), if it moves. */
HM_API hm_status hm_index_reserve(hm_index *index, uint32_t n);

/* Removes all owners. Memory stays committed. Invalidates all pointers to members. O(keys that have
 * had members since the last trim). */
HM_API void hm_index_clear(hm_index *index);

/* Closes the gaps between the arrays of members, as hm_lists_defragment does: a swap is one array
 * that is moved, there are no compares, and a call costs what one of hm_lists_defragment does.
 * Never fails. Invalidates all pointers to members. */
HM_API hm_progress hm_index_defragment(hm_index *index, hm_frame_budget *budget);

/* Gives back whole pages: those after the last owner, the last array and the last key. Gaps
 * between the arrays stay, unless hm_index_defragment closes them first. HM_ERROR_MEMORY: the
 * system refuses; some pages may have been given back already; all owners keep their keys.
 * HM_ERROR_BUSY. With a capacity moves no members; without one moves what is half empty to a
 * smaller range. O(owners + keys). */
HM_API hm_status hm_index_trim(hm_index *index);

/* Checks that all parts of the index are consistent: HM_OK or HM_ERROR_CORRUPT. O(owners + keys),
 * with a key_limit O(owners + key_limit). */
HM_API hm_status hm_index_validate(const hm_index *index);

/* Returns why a handle has no key, or HM_HANDLE_LIVE if it has one, as hm_secondary_explain does.
 * Only its container can say whether the owner is alive. O(1). */
HM_API hm_handle_state hm_index_explain(const hm_index *index, hm_handle owner);

/* Says the same in a sentence, as hm_secondary_describe does. O(length). */
HM_API size_t hm_index_describe(const hm_index *index, hm_handle owner, char *buffer, size_t size);

/* Returns the current statistics. O(1). */
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

HM_END_C

/* HM_INDEX_DEFINE(cell, body) defines cell_index, cell_index_view and a typed form of each
 * function, as handle_map.h says, for the body_handle of HM_MAP_DEFINE, HM_POOL_DEFINE or
 * HM_HANDLE_DEFINE. cell_index_init_for(index, capacity, owners, key_limit) makes it for the items
 * of a container, as body_map_as_owners(&bodies) returns it, or hm_world_as_owners(&world);
 * capacity 0: that of the container. cell_index_init(index, capacity) uses the defaults, for owners
 * of type id 0 and keys without a limit. Example:
 *
 *     HM_HANDLE_DEFINE(body)
 *     HM_INDEX_DEFINE(cell, body)
 *
 *     cell_index grid;
 *     const hm_index_desc desc = {.capacity = 1000, .type_id = 7, .key_limit = ROWS * COLUMNS};
 *     if (cell_index_init_desc(&grid, &desc) == HM_OK) {
 *         body_handle ball = {handle};
 *         cell_index_set(&grid, ball, 12); // HM_OK unless refused
 *         uint32_t count;
 *         const body_handle *found = cell_index_members(&grid, 12, &count);
 *     }
 */
#define HM_INDEX_DEFINE(prefix, owner)                                                             \
    HM_INDEX_DECLARE(prefix)                                                                       \
    HM_INDEX_DEFINE_DECLARED(prefix, owner)

#define HM_INDEX_DEFINE_DECLARED(prefix, owner)                                                    \
    HM_INDEX_DEFINE_INIT(prefix)                                                                   \
    HM_TYPED_DEFINE_LIFETIME(prefix, index)                                                        \
    HM_INDEX_DEFINE_SET(prefix, owner)                                                             \
    HM_INDEX_DEFINE_REMOVE(prefix, owner)                                                          \
    HM_INDEX_DEFINE_REMOVE_IF(prefix, owner)                                                       \
    HM_INDEX_DEFINE_MEMBERS(prefix, owner)                                                         \
    HM_INDEX_DEFINE_LOOKUP(prefix, owner)                                                          \
    HM_TYPED_DEFINE_QUESTIONS(prefix, index)                                                       \
    HM_TYPED_DEFINE_DESCRIBE(prefix, index, owner##_handle)

#define HM_INDEX_DEFINE_INIT(prefix)                                                               \
    HM_TYPED_DEFINE_INIT_OF(prefix, index, 0, 0)                                                   \
    HM_TYPED_FORM_INIT(                                                                            \
        prefix, index, init_for,                                                                   \
        (prefix##_index * hm_self, uint32_t hm_capacity, hm_owners hm_of, uint32_t hm_key_limit),  \
        hm_full.capacity = hm_capacity, hm_full.owners = hm_of, hm_full.key_limit = hm_key_limit)

#define HM_INDEX_DEFINE_SET(prefix, owner)                                                         \
    HM_TYPED_FORM(index, hm_status, prefix##_index_set,                                            \
                  (prefix##_index * hm_self, owner##_handle hm_owner, uint64_t hm_key),            \
                  hm_index_set(&hm_self->index, hm_owner.id, hm_key))                              \
    HM_TYPED_FORM_ARRAYS(index, hm_status, prefix##_index_set_n,                                   \
                         (prefix##_index * hm_self, const owner##_handle *hm_handles,              \
                          const uint64_t *hm_keys, uint32_t hm_n),                                 \
                         hm_handles, "owners", hm_keys, "keys",                                    \
                         hm_index_set_n(&hm_self->index, HM_TYPED_IDS(hm_handles), hm_keys, hm_n))

#define HM_INDEX_DEFINE_REMOVE(prefix, owner)                                                      \
    HM_TYPED_FORM_OF(prefix, index, , bool, remove, owner##_handle)                                \
    HM_TYPED_DEFINE_END_N(prefix, index, remove_n, owner##_handle, "owners")                       \
    HM_TYPED_FORM(index, uint32_t, prefix##_index_remove_key,                                      \
                  (prefix##_index * hm_self, uint64_t hm_key),                                     \
                  hm_index_remove_key(&hm_self->index, hm_key))

#define HM_INDEX_DEFINE_REMOVE_IF(prefix, owner)                                                   \
    HM_TYPED_FORM_IF(index, prefix##_index_remove_if, (owner##_handle, uint64_t, void *),          \
                     (hm_handle hm_id, uint64_t hm_key, void *hm_context),                         \
                     (HM_TYPED_NAMED(owner##_handle, hm_id), hm_key, hm_call->context),            \
                     hm_index_remove_if(&hm_self->index, prefix##_index_remove_if_ask, &hm_call),  \
                     prefix##_index *hm_self)

#define HM_INDEX_DEFINE_MEMBERS(prefix, owner)                                                     \
    typedef struct prefix##_index_view {                                                           \
        uint64_t key;                                                                              \
        const owner##_handle *members;                                                             \
        uint32_t count; /* members, at least 1 */                                                  \
        uint32_t next;  /* private; 0 begins a loop */                                             \
    } prefix##_index_view;                                                                         \
    HM_TYPED_FORM(index, const owner##_handle *, prefix##_index_members,                           \
                  (const prefix##_index *hm_self, uint64_t hm_key, uint32_t *hm_count),            \
                  HM_POINTER_CAST(const owner##_handle *,                                          \
                                  hm_index_members(&hm_self->index, hm_key, hm_count)))            \
    HM_TYPED_DEFINE_NEXT(                                                                          \
        prefix, index, hm_index_next(&hm_self->index, &hm_found), hm_walk->key = hm_found.key,     \
        hm_walk->members = HM_POINTER_CAST(const owner##_handle *, hm_found.members))

#define HM_INDEX_DEFINE_LOOKUP(prefix, owner)                                                      \
    HM_TYPED_DEFINE_CONTAINS(prefix, index, owner##_handle, "owners")                              \
    HM_TYPED_FORM_ARRAYS(                                                                          \
        index, uint32_t, prefix##_index_key_of_n,                                                  \
        (const prefix##_index *hm_self, const owner##_handle *hm_handles, uint32_t hm_n,           \
         uint64_t *hm_keys),                                                                       \
        hm_handles, "owners", hm_keys, "keys",                                                     \
        hm_index_key_of_n(&hm_self->index, HM_TYPED_IDS(hm_handles), hm_n, hm_keys))               \
    HM_TYPED_FORM(index, bool, prefix##_index_key_of,                                              \
                  (const prefix##_index *hm_self, owner##_handle hm_owner, uint64_t *hm_key),      \
                  hm_index_key_of(&hm_self->index, hm_owner.id, hm_key))                           \
    HM_TYPED_FORM_ASK(prefix, index, uint32_t, key_count)                                          \
    HM_TYPED_FORM(index, hm_progress, prefix##_index_defragment,                                   \
                  (prefix##_index * hm_self, hm_frame_budget * hm_within),                         \
                  hm_index_defragment(&hm_self->index, hm_within))

#endif
