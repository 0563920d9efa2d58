/* SPDX-License-Identifier: MIT */
/* map: packed items named by handles, the *handle map*.
 *
 *     hm_handle          id table               items              meta
 *     index 3, gen 7 --> entries[3] --> 0 --> | item | live      | user bytes |
 *                                             | item |           | user bytes |
 *                                             | item | <- count  | user bytes |
 *                                             .  committed  .
 *
 * Owns: the items, and beside each one the descriptor's `meta_size` user bytes. What the items
 * point to is the user's; the destroy hook is told when an item goes.
 *
 * Moves: erase moves the last item into the hole (swap-and-pop); erase_if moves the survivors down;
 * defragment moves items into order. Each moves the meta along, and reports to the relocate hook.
 * Growing moves nothing: `items` never changes from init to fini, and insert invalidates nothing.
 * A pointer to an item is good until the next call that may move it; a handle is good for ever: it
 * resolves while its item lives and is refused afterwards. Any 64 bits may be passed as a handle to
 * any function.
 *
 * Under AddressSanitizer the bytes behind the last item and its meta are poisoned: using a pointer
 * to an item that was the last one when it was erased, or to one that was cleared away, is
 * reported, until another item is inserted there.
 *
 * Limits:
 *     items alive            up to UINT32_MAX - 1, the descriptor's `capacity`
 *     item size              1 byte and more; an item may straddle pages
 *     alignment              1 to 4096, dividing the size
 *     lives of a slot        65,535, less those that hm_map_trim costs; then it is retired, never
 *                            wrapped
 *     index space            `max_slots`, up to UINT32_MAX: slots alive, free or retired together.
 *                            Each costs 8 bytes of addresses, and of memory once it was used. At
 *                            60,000 inserts a second the default's 2^20 last 13 days. Programs
 *                            that run longer give more: 2^24 last 212 days, the largest 148 years.
 *                            Programs whose memory table is small give less: `max_slots` equal to
 *                            the capacity lasts 65,535 lives of each. When it is spent, insert is
 *                            full; the statistics show it coming.
 *     types                  32,768. Maps that share a type id cannot tell their handles apart:
 *                            each begins with index 0, generation 1. Give each its own.
 *
 * Handles never alias from init to fini. After fini and another init the slots begin anew, and
 * handles from before may name new items: to restart a level, clear it.
 *
 * A map may be moved: assign the struct, and use only the copy from then on. Not from inside one of
 * its callbacks, nor while it stands in a directory or its own `context` points to it.
 *
 * Failure changes nothing that can be observed; only the committed size may have grown, and slots
 * with no lives left count as retired if they made a call fail with HM_ERROR_FULL. A zeroed map,
 * and one whose init failed, is a valid empty map of capacity 0. A NULL map is a broken contract.
 * hm_last_error says why a call has failed with a status or with null.
 *
 * Callbacks see a consistent map: hm_map_validate holds in each, and no item is in a temporary.
 * hm_map_handle_of gives the handle of the item that a callback gets. destroy runs while that
 * handle still resolves; the relocations of a step are reported after it. A call that would change
 * the map from inside one of its own callbacks is refused: with HM_ERROR_BUSY, null, false or 0,
 * and from clear, fini and touch, which return nothing, with the panic hook. A callback must
 * return: no longjmp, no exception.
 *
 * Threads: no locks inside. Const calls may run together where nobody writes. */
#ifndef HANDLE_MAP_MAP_H
#define HANDLE_MAP_MAP_H

#include <handle_map/detail/map.h>
#include <handle_map/detail/typed.h>
#include <handle_map/id_table.h>
#include <handle_map/order.h>

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A zero field means the default. Only item_size has none. */
typedef struct hm_map_desc {
    size_t item_size;   /* bytes; a multiple of item_align */
    size_t item_align;  /* bytes; 0: the largest power of two that divides the size, at most that of
                           max_align_t */
    uint32_t capacity;  /* most items; 0: 1,048,576 */
    uint32_t max_slots; /* index space in slots, at least the capacity; 0: the larger of 2^20 and
                           16 x capacity; with 32-bit pointers or hm_memory_heap() 2 x capacity */
    uint16_t type_id;   /* at most 0x7FFF */
    size_t meta_size;   /* user bytes kept beside each item, moved with it; zero after insert */
    size_t meta_align;  /* bytes; as item_align */
    void (*destroy)(void *item, void *context); /* on erase, clear and fini, once for each item */
    /* Reports a move, after it; `item` is its new place. */
    void (*relocate)(void *item, uint32_t from, uint32_t to, void *context);
    void *context;           /* handed to both hooks */
    const hm_memory *memory; /* NULL: hm_memory_os(); must outlive the map */
    const char *name;        /* for errors when it is busy; must outlive the map; NULL: "map" */
} hm_map_desc;

typedef hm_stats hm_map_stats;

/* Reserves address space for the capacity; commits nothing. HM_ERROR_INVALID: a NULL argument, an
 * item or meta size or alignment against the rules above, a capacity above UINT32_MAX - 1,
 * max_slots below the capacity, a type id above 0x7FFF, sizes that overflow, or a memory table that
 * breaks its contract. HM_ERROR_MEMORY: a reservation was refused. After a failure the map is
 * zeroed. The map keeps no pointer to the descriptor. O(1), at most five reservations. */
HM_API hm_status hm_map_init(hm_map *map, const hm_map_desc *desc);

/* Destroys all items, releases everything, zeroes the map. Twice is fine. Invalidates everything.
 * O(1), or O(n) with a destroy hook. */
HM_API void hm_map_fini(hm_map *map);

/* Copies `n` items in and reports their handles: all of them, or none. `items` NULL: zeroed items;
 * `handles` NULL: not reported. HM_ERROR_FULL, HM_ERROR_MEMORY or HM_ERROR_BUSY; then nothing has
 * changed and `handles` is not written. Invalidates nothing. O(n). */
HM_API hm_status hm_map_insert_n(hm_map *map, const void *items, uint32_t n, hm_handle *handles);

/* Looks n handles up: items[i] becomes the item of handles[i], or NULL where that does not resolve.
 * Returns how many do; cannot fail. `items` must not overlap `handles`. The pointers are good until
 * the next call that may move items.
 *
 * Where most handles resolve and the map outgrows the caches this is two to three times as fast as
 * single lookups, since their cache misses overlap; the items' first bytes are prefetched too, for
 * the reads that follow. Best in batches of about 256. Elsewhere it gains nothing. Invalidates
 * nothing. O(n). */
HM_API uint32_t hm_map_get_n(const hm_map *map, const hm_handle *handles, uint32_t n, void **items);

/* Says of n handles whether they resolve: alive[i] for handles[i]. Returns how many do; cannot
 * fail. `alive` must not overlap `handles`. Touches no item. In a map whose entries outgrow the
 * caches this is two to three times as fast as single calls. Invalidates nothing. O(n). */
HM_API uint32_t hm_map_contains_n(const hm_map *map, const hm_handle *handles, uint32_t n,
                                  bool *alive);

/* Erases those of the n handles that resolve; returns how many did. A handle that stands twice
 * counts once. 0 when busy. In a map that outgrows the caches this is two to three times as fast as
 * one erase after the other. Invalidates what hm_map_erase does. O(n). */
HM_API uint32_t hm_map_erase_n(hm_map *map, const hm_handle *handles, uint32_t n);

/* Erases all items for which `doomed` returns true, and returns their number. It is called once for
 * each item, in dense order. The survivors keep their order; items that a stopped defragment has
 * taken from their places are put in order first. Doomed items die after the last call. 0 when
 * busy. Invalidates all pointers to items and all dense indices. O(n). */
HM_API uint32_t hm_map_erase_if(hm_map *map, bool (*doomed)(const void *item, void *context),
                                void *context);

/* Makes the next n inserts succeed, while nothing is erased in between: n is *additional* to what
 * is there. HM_ERROR_FULL: the capacity or the index space has no room for n more; HM_ERROR_MEMORY;
 * HM_ERROR_BUSY. Then nothing has changed, except that free slots with no lives left count as
 * retired if they caused HM_ERROR_FULL. Invalidates nothing. O(n). */
HM_API hm_status hm_map_reserve(hm_map *map, uint32_t n);

/* Erases all items, last first. All handles are refused from then on. Invalidates all pointers to
 * items. O(1) without a destroy hook, whatever the number of items; O(n) with one. Memory stays
 * committed; see hm_map_trim. */
HM_API void hm_map_clear(hm_map *map);

/* Gives whole pages back: those behind the last item, and those of the sparse table behind the last
 * live slot. Earlier handles stay refused. Slots that are reissued on a dropped page have only the
 * lives left that its most used slot had. HM_ERROR_MEMORY when the system refuses: some pages may
 * have gone already, and free slots with them; nothing else has changed. HM_ERROR_BUSY. Invalidates
 * nothing. O(slots). */
HM_API hm_status hm_map_trim(hm_map *map);

/* Checks that all parts of the map agree with each other: HM_OK or HM_ERROR_CORRUPT. May be called
 * from callbacks. O(slots). */
HM_API hm_status hm_map_validate(const hm_map *map);

/* Returns the handle of the item that the address lies in, even in its middle; null when it is in
 * no live item of this map. Any address may be given; nothing is read there. O(1). */
HM_API hm_handle hm_map_handle_of(const hm_map *map, const void *item);

/* Returns why a handle does not resolve, or HM_HANDLE_LIVE. O(1). */
HM_API hm_handle_state hm_map_explain(const hm_map *map, hm_handle handle);

/* Returns the current figures. O(1). */
HM_API hm_map_stats hm_map_get_stats(const hm_map *map);

/* Brings the items nearer to the order within the budget, and says what that took. Call it once a
 * frame: it resumes where it stopped, and any change is allowed between calls.
 *
 * `done` means that all items are in order, given a strict weak order and a hm_map_touch after
 * every edit of a key in place, also one that leaves the item where it is: keys are remembered from
 * call to call. When nothing has changed since, a call costs nothing; after k changes it costs the
 * compares of those k items, and the swaps of all items that have to give way to them. A different
 * order (compare, key or context; the struct's address does not matter) starts over.
 *
 * Equal items keep their order unless they were touched, inserted or moved by an erase meanwhile.
 * All calls together take at most n swaps, however badly the data is disordered, and O(n log n)
 * compares; items that are all in order cost one compare each. Data that is nearly ordered costs at
 * most 3 compares an item.
 *
 * Uses up to 32 bytes of memory for each item that is out of order, and gives all but 64 KiB back
 * when those have been placed; besides, 2 bits for each item from the first call on. Where memory
 * is refused it does the same by insertion sort: in O(n^2) swaps if the data is badly disordered.
 *
 * When busy: nothing spent, not done. Invalidates all pointers to items and all dense indices. */
HM_API hm_progress hm_map_defragment(hm_map *map, const hm_order *order, hm_budget budget);

/* The same, for an order that is given as handles, as a walk over a tree finds them: the items
 * named first stand first, in that order. Handles that do not resolve and handles named before are
 * skipped; items that are not named keep their order, behind the named ones. At most n swaps.
 *
 * After a call that was done, you may pass other handles. Until then, each call goes on with those
 * that it knows: to change them, pass another pointer or n, or call hm_map_touch_all. Otherwise as
 * hm_map_defragment; compares nothing.
 *
 * After a call that was done the next one looks at all handles again, since it cannot know whether
 * they are the same: under a small budget that takes many calls, which return `done` = false until
 * the last. A program that has changed neither the map nor the handles since `done` skips the call.
 */
HM_API hm_progress hm_map_arrange(hm_map *map, const hm_handle *order, uint32_t n,
                                  hm_budget budget);

/* Says that this item's place in the order may have changed. A handle that does not resolve is
 * ignored. O(1). */
HM_API void hm_map_touch(hm_map *map, hm_handle handle);

/* Says that the place of any item may have changed: the next call starts anew. O(1). */
HM_API void hm_map_touch_all(hm_map *map);

/* The functions below have a second form, `_as`, that takes the item size. The typed functions of
 * HM_MAP_DEFINE pass a constant, which turns the multiplications and copies into plain moves. */

HM_INLINE hm_handle hm_map_emplace_as(hm_map *map, void **item, size_t item_size)
{
    hm_handle handle = HM_NULL_HANDLE;
    uint32_t index;
    HM_CONTRACT(map != NULL, "hm_map_emplace: map is NULL");
    HM_CONTRACT(item != NULL, "hm_map_emplace: item is NULL");
    index = map->ids.count;
    if (index < map->guard.limit)
        handle = hm_id_table_issue(&map->ids);
    if (hm_handle_is_null(handle)) {
        handle = hm_map_issue_slow(map);
        if (hm_handle_is_null(handle)) {
            *item = NULL;
            return handle;
        }
    }
    HM_UNPOISON(map->items + item_size * index, item_size);
    if (map->guard.flags & HM_GUARD_META)
        hm_map_clear_meta(map, index, 1);
    *item = map->items + item_size * index;
    return handle;
}

HM_INLINE hm_handle hm_map_insert_as(hm_map *map, const void *item, size_t item_size)
{
    void *place;
    hm_handle handle;
    HM_CONTRACT(map != NULL, "hm_map_insert: map is NULL");
    handle = hm_map_emplace_as(map, &place, item_size);
    if (place == NULL)
        return handle;
    if (item != NULL)
        memcpy(place, item, item_size);
    else
        memset(place, 0, item_size);
    return handle;
}

HM_INLINE void *hm_map_get_as(const hm_map *map, hm_handle handle, size_t item_size)
{
    unsigned char *items;
    uint32_t index;
    HM_CONTRACT(map != NULL, "hm_map_get: map is NULL");
    items = map->items; /* See hm_id_table_find. */
    index = hm_id_table_find(&map->ids, handle);
    if (index == HM_INVALID_INDEX)
        return NULL;
    items += item_size * index;
    HM_ASSUME(items != NULL);
    return items;
}

HM_INLINE bool hm_map_erase_as(hm_map *map, hm_handle handle, size_t item_size)
{
    unsigned char *items;
    uint32_t index, last;
    HM_CONTRACT(map != NULL, "hm_map_erase: map is NULL");
    index = hm_id_table_find(&map->ids, handle);
    if (index == HM_INVALID_INDEX)
        return false;
    if (map->guard.flags != 0)
        return hm_map_erase_guarded(map, index);
    items = map->items;
    last = map->ids.count - 1;
    hm_id_table_release(&map->ids, handle, index);
    if (index != last)
        memcpy(items + item_size * index, items + item_size * last, item_size);
    HM_POISON(items + item_size * last, item_size);
    hm_map_disturb(map, index, last);
    return true;
}

/* Adds an item whose bytes the caller fills in at once: returns its handle and sets *item to the
 * place, not cleared; to begin from zero, assign a whole item: `*item = (struct node){0}`. Returns
 * null and sets *item = NULL when the map is full, busy or refused memory: hm_last_error says
 * which, and so does hm_map_reserve(map, 1). Invalidates nothing. O(1) but for system calls. */
static inline hm_handle hm_map_emplace(hm_map *map, void **item)
{
    return hm_map_emplace_as(map, item, map != NULL ? map->item_size : 0);
}

/* Copies an item in (NULL: a zeroed one) and returns its handle, or null as hm_map_emplace does.
 * Invalidates nothing. O(1) but for system calls. */
static inline hm_handle hm_map_insert(hm_map *map, const void *item)
{
    return hm_map_insert_as(map, item, map != NULL ? map->item_size : 0);
}

/* Returns the item, or NULL when the handle does not resolve (hm_map_explain says why). The pointer
 * is good until the next call that may move items. O(1): one entry is read. */
static inline void *hm_map_get(const hm_map *map, hm_handle handle)
{
    return hm_map_get_as(map, handle, map != NULL ? map->item_size : 0);
}

/* Erases the item: destroy runs, then the last item moves into the hole. False when the handle does
 * not resolve, or when busy. Invalidates pointers to the erased and to the last item. O(1). Walking
 * backward and erasing hm_map_handle_at(map, i) visits each item once. */
static inline bool hm_map_erase(hm_map *map, hm_handle handle)
{
    return hm_map_erase_as(map, handle, map != NULL ? map->item_size : 0);
}

/* Whether the handle resolves. O(1). */
static inline bool hm_map_contains(const hm_map *map, hm_handle handle)
{
    HM_CONTRACT(map != NULL, "hm_map_contains: map is NULL");
    return hm_id_table_contains(&map->ids, handle);
}

/* Returns the packed items, hm_map_count of them; the address never changes. NULL in a zeroed map.
 * O(1). */
static inline void *hm_map_items(const hm_map *map)
{
    HM_CONTRACT(map != NULL, "hm_map_items: map is NULL");
    return map->items;
}

/* Returns the number of items. O(1). */
static inline uint32_t hm_map_count(const hm_map *map)
{
    HM_CONTRACT(map != NULL, "hm_map_count: map is NULL");
    return map->ids.count;
}

/* Returns the most items that the map can hold; 0 for a zeroed one. O(1). */
static inline uint32_t hm_map_capacity(const hm_map *map)
{
    HM_CONTRACT(map != NULL, "hm_map_capacity: map is NULL");
    return HM_CAST(uint32_t, map->item_array.capacity);
}

/* Returns the handle of the item at a dense index; null out of range. O(1). */
static inline hm_handle hm_map_handle_at(const hm_map *map, uint32_t dense_index)
{
    HM_CONTRACT(map != NULL, "hm_map_handle_at: map is NULL");
    return hm_id_table_handle_at(&map->ids, dense_index);
}

/* Returns the dense index of a handle's item, or HM_INVALID_INDEX. Good until items move. O(1). */
static inline uint32_t hm_map_index_of(const hm_map *map, hm_handle handle)
{
    HM_CONTRACT(map != NULL, "hm_map_index_of: map is NULL");
    return hm_id_table_find(&map->ids, handle);
}

/* Returns the user meta of the item at a dense index; NULL out of range or without meta. O(1). */
static inline void *hm_map_meta_at(const hm_map *map, uint32_t dense_index)
{
    HM_CONTRACT(map != NULL, "hm_map_meta_at: map is NULL");
    if (dense_index >= map->ids.count || map->meta_array.data == NULL)
        return NULL;
    return map->meta_array.data + map->meta_array.item_size * dense_index;
}

#ifdef __cplusplus
}
#endif

/* HM_MAP_DEFINE(texture, struct texture, 3), without a semicolon, defines
 *
 *     texture_handle   a struct with one member, hm_handle id: a type of its own, so that a mesh's
 *                      handle given to a texture map does not compile (handle.h)
 *     texture_map      a struct with one member, hm_map map
 *
 * and for each function hm_map_X an inline function texture_map_X that does the same, knows the
 * item size, and takes and returns texture_handle and struct texture * where that takes handles and
 * items, also in arrays; hooks and orders stay untyped. texture_map_init(map, capacity) takes the
 * defaults; texture_map_init_desc takes a descriptor, whose size and alignment are overridden, and
 * whose type id wins over the number here unless it is 0: two maps of one type tell their handles
 * apart by it. A map without a name is called "texture". Untyped functions take &textures.map.
 *
 * HM_MAP_DEFINE_FOR(texture, struct texture, 3) is the same for a texture_handle that
 * HM_HANDLE_DEFINE has made already, so that an item can hold handles of its own kind. A map and a
 * pool may share one handle type and stand in one file: give them two type ids. */
#define HM_MAP_DEFINE(prefix, type, number)                                                        \
    HM_HANDLE_DEFINE(prefix)                                                                       \
    HM_MAP_DEFINE_FOR(prefix, type, number)

#define HM_MAP_DEFINE_FOR(prefix, type, number)                                                    \
    HM_TYPED_DEFINE(prefix, map, type, number)                                                     \
    HM_MAP_DEFINE_WALK(prefix, type)                                                               \
    HM_MAP_DEFINE_ORDER(prefix)

#define HM_MAP_DEFINE_WALK(prefix, type)                                                           \
    HM_UNUSED static inline type *prefix##_map_items(const prefix##_map *hm_self)                  \
    {                                                                                              \
        HM_CONTRACT(hm_self != NULL, #prefix "_map_items: map is NULL");                           \
        return HM_CAST(type *, hm_map_items(&hm_self->map));                                       \
    }                                                                                              \
    HM_UNUSED static inline uint32_t prefix##_map_index_of(const prefix##_map *hm_self,            \
                                                           prefix##_handle hm_named)               \
    {                                                                                              \
        HM_CONTRACT(hm_self != NULL, #prefix "_map_index_of: map is NULL");                        \
        return hm_map_index_of(&hm_self->map, hm_named.id);                                        \
    }                                                                                              \
    HM_UNUSED static inline void *prefix##_map_meta_at(const prefix##_map *hm_self,                \
                                                       uint32_t hm_index)                          \
    {                                                                                              \
        HM_CONTRACT(hm_self != NULL, #prefix "_map_meta_at: map is NULL");                         \
        return hm_map_meta_at(&hm_self->map, hm_index);                                            \
    }

#define HM_MAP_DEFINE_ORDER(prefix)                                                                \
    HM_UNUSED static inline hm_progress prefix##_map_defragment(                                   \
        prefix##_map *hm_self, const hm_order *hm_by, hm_budget hm_within)                         \
    {                                                                                              \
        HM_CONTRACT(hm_self != NULL, #prefix "_map_defragment: map is NULL");                      \
        HM_CONTRACT(hm_by != NULL && (hm_by->compare != NULL || hm_by->key != NULL),               \
                    #prefix "_map_defragment: the order has neither compare nor key");             \
        return hm_map_defragment(&hm_self->map, hm_by, hm_within);                                 \
    }                                                                                              \
    HM_UNUSED static inline hm_progress prefix##_map_arrange(                                      \
        prefix##_map *hm_self, const prefix##_handle *hm_by, uint32_t hm_n, hm_budget hm_within)   \
    {                                                                                              \
        HM_CONTRACT(hm_self != NULL, #prefix "_map_arrange: map is NULL");                         \
        HM_CONTRACT(hm_by != NULL || hm_n == 0, #prefix "_map_arrange: order is NULL");            \
        return hm_map_arrange(&hm_self->map, HM_TYPED_IDS(hm_by), hm_n, hm_within);                \
    }                                                                                              \
    HM_UNUSED static inline void prefix##_map_touch(prefix##_map *hm_self,                         \
                                                    prefix##_handle hm_named)                      \
    {                                                                                              \
        HM_CONTRACT(hm_self != NULL, #prefix "_map_touch: map is NULL");                           \
        HM_TYPED_CONTRACT_IDLE(prefix, map, "touch");                                              \
        hm_map_touch(&hm_self->map, hm_named.id);                                                  \
    }                                                                                              \
    HM_UNUSED static inline void prefix##_map_touch_all(prefix##_map *hm_self)                     \
    {                                                                                              \
        HM_CONTRACT(hm_self != NULL, #prefix "_map_touch_all: map is NULL");                       \
        HM_TYPED_CONTRACT_IDLE(prefix, map, "touch_all");                                          \
        hm_map_touch_all(&hm_self->map);                                                           \
    }

#endif
