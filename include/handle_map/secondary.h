/* SPDX-License-Identifier: MIT */
/* secondary: values for the items of another container, found by the items' handles.
 *
 *     owner's handle        positions (sparse)     owners (dense)         values (dense)
 *     index 3, gen 7 -----> | 0 |              0   | index 1, gen 2 |     | value |
 *                           | 0 |   .------->  1   | index 3, gen 7 | ==> | value |
 *                           |   |   |                                     .  ...  .
 *                           | 1 | --'                                     <- count = 2
 *                             ^ slot               ^ position, the dense index
 *
 * Owns: the values, and a handle beside each. A value belongs to exactly the handle that it was set
 * for; an erased item's value stays until it is replaced or removed. Moves: remove moves the last
 * value into the hole (swap-and-pop), remove_if moves the survivors down, defragment moves
 * values into order. With a capacity growing moves nothing: `values` never changes from init to
 * fini. Without one set, set_n, reserve and trim may move all values to another range
 * (handle_map.h): pointers hold until the next of them. A pointer to a value is valid until the
 * next call that may move values. Limits: UINT32_MAX - 1 values of any size, alignments up to 4096.
 * What all containers share: handle_map.h. */
#ifndef HANDLE_MAP_SECONDARY_H
#define HANDLE_MAP_SECONDARY_H

#include <handle_map/detail/secondary.h>
#include <handle_map/detail/typed.h>
#ifndef HM_WITHOUT_ORDER
#include <handle_map/order.h>
#endif

HM_BEGIN_C

/* A zero field means the default. Only value_size has no default. */
typedef struct hm_secondary_desc {
    size_t value_size;  /* bytes, at least 1; a multiple of value_align; a value may straddle
                           pages */
    size_t value_align; /* bytes, a power of two up to 4096; 0: the largest one that divides the
                           size, at most 16 */
    hm_owners owners;   /* the owners' container, as hm_map_as_owners returns it, or
                           hm_pool_as_owners and so on: it says max_slots and type_id, which may
                           be left 0, and the capacity, if that is 0 and the container has one */
    uint32_t capacity;  /* values, at most UINT32_MAX - 1; 0: that of the owners' container; if it
                           has none either: no limit, the values move as they grow */
    uint32_t max_slots; /* of the owners' container, at least the capacity here; 0: what `owners`
                           says, or without them as for a map of this capacity. Positions
                           are reserved for twice the capacity at first, and move to a range of
                           their own when an owner has a higher slot */
    uint16_t type_id;   /* of the owners; at most 0x7FFF */
    /* Once for each value: when it is removed or replaced, and on clear, remove_if and fini. It
     * runs while the owner's handle still finds the value. What the value points to belongs to the
     * program, which may free it here. */
    void (*destroy)(void *value, void *context);
    void *context;           /* passed to the hook */
    const hm_memory *memory; /* NULL: hm_memory_os(); must outlive the secondary */
    const char *name;        /* in messages; must outlive the secondary; NULL: "secondary" */
} hm_secondary_desc;

/* `slots` counts the slots up to the last part of the sparse column that was ever used, and
 * `free_slots` those of them without a value; no slot is retired. Trim lowers `slots`, and a call
 * that fails may raise it. */
typedef hm_stats hm_secondary_stats;

/* Reserves address space for the capacity, and commits nothing; without a capacity commits a small
 * range. Fails as every init does (handle_map.h); HM_ERROR_INVALID also for `owners` of a container
 * that is not initialised, and for max_slots or a type id that is neither 0 nor that of `owners`.
 * O(1), one reservation.
 *
 * Memory: 8 bytes and the value for each value. The sparse column takes 4 bytes a slot. With a
 * capacity it is committed only where owners are, in segments of 64 KiB (one page, if pages are
 * larger), or 16,384 slots: an owner with the index 1,000,000 costs one segment, not 62. Without
 * one it has the slots up to the highest that was used, and up to as many more. Example:
 *
 *     hm_secondary glows;
 *     const hm_secondary_desc desc = {.value_size = sizeof(struct glow),
 *                                     .owners = hm_map_as_owners(&map),
 *                                     .name = "glows"};
 *     if (hm_secondary_init(&glows, &desc) != HM_OK)
 *         fprintf(stderr, "%s\n", hm_last_error());
 */
HM_API hm_status hm_secondary_init(hm_secondary *secondary, const hm_secondary_desc *desc);

/* Destroys all values, releases all memory, zeroes it. O(1), or O(n) with a destroy hook. */
HM_API void hm_secondary_fini(hm_secondary *secondary);

/* Sets the value of each of n owners, as n calls of hm_secondary_set one after the other do: all or
 * none. `values` is an array of n values; NULL: zeroed ones. An owner may occur several times: its
 * last value stays. Of two owners of one slot the later one stays, whatever their order.
 *
 * HM_ERROR_INVALID: a handle cannot be an owner's; HM_ERROR_STALE: its slot has the value of a
 * later owner; HM_ERROR_FULL, where an owner without a value counts each time that it occurs;
 * HM_ERROR_MEMORY; HM_ERROR_BUSY. Invalidates pointers to the values that are replaced; without a
 * capacity, if it adds values, all pointers to values. `values` may lie in the secondary itself.
 * O(n). */
HM_API hm_status hm_secondary_set_n(hm_secondary *secondary, const hm_handle *owners,
                                    const void *values, uint32_t n);

/* Looks up n handles: values[i] becomes the value that was set for exactly owners[i], or NULL.
 * Returns how many have one. The pointers are valid as long as those of hm_secondary_get. O(n). */
HM_API uint32_t hm_secondary_get_n(const hm_secondary *secondary, const hm_handle *owners,
                                   uint32_t n, void **values);

/* Sets alive[i] to whether owners[i] has a value, for n handles. Returns how many do. O(n). */
HM_API uint32_t hm_secondary_contains_n(const hm_secondary *secondary, const hm_handle *owners,
                                        uint32_t n, bool *alive);

/* Removes the values of n owners, except those that have none; returns how many it removed.
 * Invalidates what hm_secondary_remove does. O(n). */
HM_API uint32_t hm_secondary_remove_n(hm_secondary *secondary, const hm_handle *owners, uint32_t n);

/* Removes the values of all owners for which `doomed` returns true, and returns their number. A
 * secondary does not know the container of its owners, which may be a map, a pool or any other that
 * issues handles, and cannot tell whether an owner is still alive. So either call this now and
 * then, or hm_secondary_remove when an item is erased. The handle of a later item in the same slot
 * never yields a value that was left behind.
 *
 * `doomed` is called once for each owner, in dense order. The survivors keep their order; an
 * unfinished defragment first places the values that it is moving. The values are removed after the
 * last call of `doomed`. Invalidates all pointers to values and all dense indices. O(n). Example:
 *
 *     static bool is_gone(hm_handle owner, const void *value, void *context)
 *     {
 *         (void)value;
 *         return !hm_map_contains(context, owner);
 *     }
 *
 *     hm_secondary_remove_if(&glows, is_gone, &map);
 */
HM_API uint32_t hm_secondary_remove_if(hm_secondary *secondary,
                                       bool (*doomed)(hm_handle owner, const void *value,
                                                      void *context),
                                       void *context);

/* Makes the next n sets succeed, while nothing is removed or trimmed in between, for owners whose
 * index is below the number of values plus n, and for owners whose slot has had a value since the
 * last trim. A set for any other owner may still need a segment of the sparse column.
 * HM_ERROR_FULL: n more would exceed the capacity; HM_ERROR_MEMORY; HM_ERROR_BUSY. Without a
 * capacity invalidates all pointers to values. O(1) but for the commits: at most three, and one for
 * each 16,384 slots; or for a move to a larger range. */
HM_API hm_status hm_secondary_reserve(hm_secondary *secondary, uint32_t n);

/* Removes all values, last first. Invalidates all pointers to values. O(1) without a destroy hook,
 * whatever the number of values; O(n) with one. Memory stays committed; see hm_secondary_trim. */
HM_API void hm_secondary_clear(hm_secondary *secondary);

/* Gives back whole pages after the last value, and the segments of the sparse column in which no
 * owner has a value; without a capacity moves to a smaller range if half of the values' space or of
 * the slots' is not in use, which invalidates all pointers to values. HM_ERROR_MEMORY: the system
 * refuses; some of it may have been given back already; no value has changed. HM_ERROR_BUSY. An
 * unfinished defragment first places the values that it is moving: then it invalidates all pointers
 * to values and all dense indices; otherwise nothing. O(values + slots / 16,384). */
HM_API hm_status hm_secondary_trim(hm_secondary *secondary);

/* Checks that all parts are consistent: HM_OK or HM_ERROR_CORRUPT. O(values + slots / 16,384). */
HM_API hm_status hm_secondary_validate(const hm_secondary *secondary);

/* Returns the owner of the value that contains the address, even in its middle; null when no value
 * here does. Any address may be given; nothing is read there. O(1). */
HM_API hm_handle hm_secondary_handle_of(const hm_secondary *secondary, const void *value);

/* Returns why hm_secondary_get finds no value for a handle, or HM_HANDLE_LIVE if it finds one:
 * HM_HANDLE_STALE if a later owner of its slot has a value, HM_HANDLE_ABSENT if none or an earlier
 * one has, HM_HANDLE_OUT_OF_RANGE for an index of max_slots or above, HM_HANDLE_NULL,
 * HM_HANDLE_FOREIGN or HM_HANDLE_FORGED. Only the owner's own container can say whether the owner
 * is alive. O(1). */
HM_API hm_handle_state hm_secondary_explain(const hm_secondary *secondary, hm_handle owner);

/* Says the same in a sentence, as hm_map_describe does:
 *
 *     live: slot 12 of 'glow', generation 7
 *     stale: slot 12 of 'glow' has generation 7 now, the handle 5
 *     absent: slot 12 of 'glow' has no value
 *     absent: slot 12 of 'glow' still has the value of generation 5, the handle has 7
 *     out of range: slot 4000 of 'glow', which has 1000
 *
 * "null", "foreign", "forged" and "not initialised" are as in a map. O(length). */
HM_API size_t hm_secondary_describe(const hm_secondary *secondary, hm_handle owner, char *buffer,
                                    size_t size);

/* Returns the current statistics. O(1). */
HM_API hm_secondary_stats hm_secondary_get_stats(const hm_secondary *secondary);

#ifndef HM_WITHOUT_ORDER

/* Sorts the values as hm_map_defragment sorts items, as far as the budget allows. `compare` and
 * `key` see values. A set that replaces a value reports the change to the order; an edit in place
 * needs hm_secondary_touch. Invalidates all pointers to values and all dense indices. */
HM_API hm_progress hm_secondary_defragment(hm_secondary *secondary, const hm_order *order,
                                           hm_frame_budget *budget);

/* As hm_map_arrange: the values of the named owners come first, in the order of their handles.
 * Handles that have no value here are skipped. So the list may have all handles of the owners'
 * container; a loop over values and owners together then goes forward in both. A value that is set
 * for one of the owners while an arrangement is unfinished may be left where it is: arrange once
 * more after `done`. In all it takes fewer swaps than there are values, and may take nearly as many
 * for a single handle. Invalidates what hm_secondary_defragment does. */
HM_API hm_progress hm_secondary_arrange(hm_secondary *secondary, const hm_handle *handles,
                                        uint32_t n, hm_frame_budget *budget);

/* Tell the order that the position of this owner's value in it may have changed (a handle that has
 * no value is ignored), or that any value may have: then the next call starts over. So it does
 * after hm_secondary_forget_order, as hm_map_forget_order, which says how all fail. O(1). */
HM_API void hm_secondary_touch(hm_secondary *secondary, hm_handle owner);
HM_API void hm_secondary_touch_all(hm_secondary *secondary);
HM_API void hm_secondary_forget_order(hm_secondary *secondary);

/* As hm_map_lower_bound and hm_map_upper_bound: return the dense index of the first value that does
 * not come before the probe, or that comes after it, in a secondary that hm_secondary_defragment
 * has put in this order. HM_INVALID_INDEX, and hm_last_error says why, when it is not in this order
 * and when busy. The probe is a value. Setting, replacing and removing a value are changes that end
 * the order until defragment is done again. Compare and key must not make them: as in
 * hm_map_lower_bound, a change is not refused, but ends the search with HM_INVALID_INDEX, or makes
 * its index meaningless. O(log n). */
HM_API uint32_t hm_secondary_lower_bound(const hm_secondary *secondary, const hm_order *order,
                                         const void *probe);
HM_API uint32_t hm_secondary_upper_bound(const hm_secondary *secondary, const hm_order *order,
                                         const void *probe);

#endif

/* Copies in the value of an owner (NULL: zeroes it) and returns its address. If the owner's slot
 * has a value already, of this owner or of an earlier one, that one is replaced at its place: its
 * destroy hook runs first. NULL when refused; hm_last_error says why: the handle cannot be an
 * owner's (null, free bit set, generation 0, another type id, or an index of `max_slots` or above);
 * its slot has the value of a later owner; the capacity is used up; the system refuses memory;
 * busy. A handle whose item is dead is not refused for that reason: a secondary does not know its
 * owners.
 *
 * Adding a value invalidates nothing; without a capacity all pointers to values. Replacing one
 * invalidates pointers to it. `value` may lie in the secondary itself. O(1) but for system calls,
 * and amortised where values move. */
static inline void *hm_secondary_set(hm_secondary *secondary, hm_handle owner, const void *value)
{
    return hm_secondary_set_sized(secondary, owner, value,
                                  secondary != NULL ? secondary->value_size : 0);
}

/* Returns the value that was set for exactly this handle, or NULL: a stale handle is refused even
 * if its slot is in use again. The pointer is valid until the next call that may move values. O(1):
 * reads a position and the owner there. */
static inline void *hm_secondary_get(const hm_secondary *secondary, hm_handle owner)
{
    return hm_secondary_get_sized(secondary, owner, secondary != NULL ? secondary->value_size : 0);
}

/* Removes the value that was set for exactly this handle: destroy runs, then the last value moves
 * into the hole. False when there is none, or when busy. Invalidates pointers to the removed and to
 * the last value. O(1). A loop that removes goes backward, to visit each value once. In the destroy
 * hook of the owners' map, for example:
 *
 *     static void drop_glow(void *item, void *context)
 *     {
 *         hm_secondary_remove(context, hm_map_handle_of(&map, item));
 *     }
 *
 *     const hm_map_desc desc = {
 *         .item_size = sizeof(struct sprite), .destroy = drop_glow, .context = &glows};
 */
static inline bool hm_secondary_remove(hm_secondary *secondary, hm_handle owner)
{
    return hm_secondary_remove_sized(secondary, owner,
                                     secondary != NULL ? secondary->value_size : 0);
}

/* Whether hm_secondary_get finds a value. O(1). */
static inline bool hm_secondary_contains(const hm_secondary *secondary, hm_handle owner)
{
    HM_CONTRACT(secondary != NULL, "hm_secondary_contains: secondary is NULL");
    return hm_secondary_find(secondary, owner) != HM_INVALID_INDEX;
}

/* Returns the packed values, hm_secondary_count of them. With a capacity the address never changes.
 * The owner at a position is that of the value there (hm_secondary_owner_at). NULL in a zeroed
 * secondary. O(1). */
static inline void *hm_secondary_values(const hm_secondary *secondary)
{
    HM_CONTRACT(secondary != NULL, "hm_secondary_values: secondary is NULL");
    return secondary->values;
}

/* Returns the number of values. O(1). */
static inline uint32_t hm_secondary_count(const hm_secondary *secondary)
{
    HM_CONTRACT(secondary != NULL, "hm_secondary_count: secondary is NULL");
    return secondary->count;
}

/* Returns how many values the secondary can hold at most; 0 for a zeroed one. O(1). */
static inline uint32_t hm_secondary_capacity(const hm_secondary *secondary)
{
    HM_CONTRACT(secondary != NULL, "hm_secondary_capacity: secondary is NULL");
    return secondary->capacity;
}

/* Returns the handle of the owner of the value at a dense index; null out of range. O(1). */
static inline hm_handle hm_secondary_owner_at(const hm_secondary *secondary, uint32_t dense_index)
{
    HM_CONTRACT(secondary != NULL, "hm_secondary_owner_at: secondary is NULL");
    return dense_index < secondary->count ? secondary->owners[dense_index] : HM_NULL_HANDLE;
}

/* Removes the value at a dense index, as hm_secondary_remove does. False out of range, and when
 * busy. O(1). */
static inline bool hm_secondary_remove_at(hm_secondary *secondary, uint32_t dense_index)
{
    HM_CONTRACT(secondary != NULL, "hm_secondary_remove_at: secondary is NULL");
    return hm_secondary_remove(secondary, hm_secondary_owner_at(secondary, dense_index));
}

/* Returns the dense index of the value that was set for exactly this handle, or HM_INVALID_INDEX.
 * Valid until values move. O(1). */
static inline uint32_t hm_secondary_index_of(const hm_secondary *secondary, hm_handle owner)
{
    HM_CONTRACT(secondary != NULL, "hm_secondary_index_of: secondary is NULL");
    return hm_secondary_find(secondary, owner);
}

HM_END_C

/* A loop over all values from the last to the first, as HM_MAP_EACH: hm_secondary_owner_at tells
 * whose they are. Example:
 *
 *     HM_SECONDARY_EACH(struct glow, glow, i, &glows)
 *         if (--glow->radius == 0)
 *             hm_secondary_remove_at(&glows, i);
 */
#define HM_SECONDARY_EACH(type, value, index, secondary)                                           \
    HM_EACH_BACKWARD(type, value, index, hm_secondary_before_sized(secondary, &index, sizeof(type)))

/* HM_SECONDARY_DEFINE(glow, sprite, struct glow) defines glow_secondary and a typed form of each
 * function, as handle_map.h says, for the sprite_handle of HM_MAP_DEFINE, HM_POOL_DEFINE or
 * HM_HANDLE_DEFINE. glow_secondary_init_for(secondary, capacity, owners) makes it for the items of
 * a container, as sprite_map_as_owners(&sprites) returns it, or hm_world_as_owners(&world);
 * capacity 0: that of the container. glow_secondary_init(secondary, capacity) uses the defaults,
 * for owners of type id 0. Example:
 *
 *     HM_MAP_DEFINE(sprite, struct sprite, 7)
 *     HM_SECONDARY_DEFINE(glow, sprite, struct glow)
 *
 *     sprite_map sprites;
 *     glow_secondary lights;
 *     sprite_map_init(&sprites, 1000);
 *     if (glow_secondary_init_for(&lights, 0, sprite_map_as_owners(&sprites)) == HM_OK) {
 *         sprite_handle lamp = sprite_map_insert(&sprites, NULL);
 *         glow_secondary_set(&lights, lamp, &(struct glow){.radius = 5});
 *         struct glow *found = glow_secondary_get(&lights, lamp); // or NULL
 *     }
 */
#define HM_SECONDARY_DEFINE(prefix, owner, type)                                                   \
    HM_SECONDARY_DECLARE(prefix)                                                                   \
    HM_SECONDARY_DEFINE_DECLARED(prefix, owner, type)

#define HM_SECONDARY_DEFINE_DECLARED(prefix, owner, type)                                          \
    HM_TYPED_ASSERT(type)                                                                          \
    HM_SECONDARY_DEFINE_INIT(prefix, type)                                                         \
    HM_TYPED_DEFINE_LIFETIME(prefix, secondary)                                                    \
    HM_SECONDARY_DEFINE_CHANGE(prefix, owner, type)                                                \
    HM_SECONDARY_DEFINE_REMOVE_IF(prefix, owner, type)                                             \
    HM_SECONDARY_DEFINE_LOOKUP(prefix, owner, type)                                                \
    HM_TYPED_DEFINE_QUESTIONS(prefix, secondary)                                                   \
    HM_TYPED_DEFINE_DESCRIBE(prefix, secondary, owner##_handle)                                    \
    HM_SECONDARY_DEFINE_BATCHES(prefix, owner, type)                                               \
    HM_SECONDARY_DEFINE_PLACES(prefix, owner, type)                                                \
    HM_TYPED_DEFINE_ORDER(prefix, secondary, owner##_handle)                                       \
    HM_TYPED_DEFINE_BOUNDS(prefix, secondary, type)

#define HM_SECONDARY_DEFINE_INIT(prefix, type)                                                     \
    HM_TYPED_DEFINE_INIT_OF(prefix, secondary, 0, hm_full.value_size = sizeof(type),               \
                            hm_full.value_align = HM_ALIGNOF(type))                                \
    HM_TYPED_FORM_INIT(prefix, secondary, init_for,                                                \
                       (prefix##_secondary * hm_self, uint32_t hm_capacity, hm_owners hm_of),      \
                       hm_full.capacity = hm_capacity, hm_full.owners = hm_of)

#define HM_SECONDARY_DEFINE_CHANGE(prefix, owner, type)                                            \
    HM_TYPED_FORM(secondary, type *, prefix##_secondary_set,                                       \
                  (prefix##_secondary * hm_self, owner##_handle hm_owner, type const *hm_value),   \
                  HM_CAST(type *, hm_secondary_set_sized(&hm_self->secondary, hm_owner.id,         \
                                                         hm_value, sizeof(type))))                 \
    HM_TYPED_FORM(secondary, bool, prefix##_secondary_remove,                                      \
                  (prefix##_secondary * hm_self, owner##_handle hm_owner),                         \
                  hm_secondary_remove_sized(&hm_self->secondary, hm_owner.id, sizeof(type)))

#define HM_SECONDARY_DEFINE_REMOVE_IF(prefix, owner, type)                                         \
    HM_TYPED_FORM_IF(                                                                              \
        secondary, prefix##_secondary_remove_if, (owner##_handle, type const *, void *),           \
        (hm_handle hm_id, const void *hm_value, void *hm_context),                                 \
        (HM_TYPED_NAMED(owner##_handle, hm_id), HM_CAST(type const *, hm_value),                   \
         hm_call->context),                                                                        \
        hm_secondary_remove_if(&hm_self->secondary, prefix##_secondary_remove_if_ask, &hm_call),   \
        prefix##_secondary *hm_self)

#define HM_SECONDARY_DEFINE_LOOKUP(prefix, owner, type)                                            \
    HM_TYPED_DEFINE_LOOKUP(prefix, secondary, type, owner##_handle, "owners", "values")            \
    HM_TYPED_FORM(secondary, type *, prefix##_secondary_values,                                    \
                  (const prefix##_secondary *hm_self),                                             \
                  HM_CAST(type *, hm_secondary_values(&hm_self->secondary)))

#define HM_SECONDARY_DEFINE_BATCHES(prefix, owner, type)                                           \
    HM_TYPED_FORM_ARRAY(                                                                           \
        secondary, hm_status, prefix##_secondary_set_n,                                            \
        (prefix##_secondary * hm_self, const owner##_handle *hm_handles, type const *hm_values,    \
         uint32_t hm_n),                                                                           \
        hm_handles, "owners",                                                                      \
        hm_secondary_set_n(&hm_self->secondary, HM_TYPED_IDS(hm_handles), hm_values, hm_n))        \
    HM_TYPED_DEFINE_CONTAINS(prefix, secondary, owner##_handle, "owners")                          \
    HM_TYPED_DEFINE_END_N(prefix, secondary, remove_n, owner##_handle, "owners")

#define HM_SECONDARY_DEFINE_PLACES(prefix, owner, type)                                            \
    HM_TYPED_FORM_HANDLE(secondary, owner##_handle, prefix##_secondary_owner_at,                   \
                         (const prefix##_secondary *hm_self, uint32_t hm_at),                      \
                         hm_secondary_owner_at(&hm_self->secondary, hm_at))                        \
    HM_TYPED_DEFINE_PLACES(prefix, secondary, index_of, remove_at, owner##_handle)

#endif
