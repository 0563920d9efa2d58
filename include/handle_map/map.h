/* SPDX-License-Identifier: MIT */
/* map: packed items named by handles, the *handle map*.
 *
 *     hm_handle          id table               items              meta
 *     index 3, gen 7 --> entries[3] --> 0 --> | item | live      | user bytes |
 *                                             | item |           | user bytes |
 *                                             | item | <- count  | user bytes |
 *                                             .  committed  .
 *
 * Owns: the items, and the `meta_size` bytes of user meta beside each of them. Moves: erase moves
 * the last item into the hole (swap-and-pop), erase_if moves the survivors down, defragment moves
 * items into order; the meta moves along. With a capacity growing moves nothing: `items` never
 * changes from init to fini, and insert invalidates nothing. Without one insert, reserve and trim
 * may move all items to another range (handle_map.h): pointers hold until the next of them. A
 * pointer to an item is valid until the next call that may move the item. Limits: UINT32_MAX - 1
 * items of any size, alignments up to 4096. Handles, failing, callbacks, threads and all else that
 * containers share: handle_map.h. */
#ifndef HANDLE_MAP_MAP_H
#define HANDLE_MAP_MAP_H

#include <handle_map/detail/map.h>
#include <handle_map/detail/typed.h>
#include <handle_map/id_table.h>
#ifndef HM_WITHOUT_ORDER
#include <handle_map/order.h>
#endif

HM_BEGIN_C

/* A zero field means the default. Only item_size has no default. */
typedef struct hm_map_desc {
    size_t item_size;  /* bytes, at least 1; a multiple of item_align; an item may straddle pages */
    size_t item_align; /* bytes, a power of two up to 4096; 0: the largest one that divides the
                          size, at most 16 */
    uint32_t capacity; /* items, at most UINT32_MAX - 1; 0: no limit, the items move as they grow */
    uint32_t max_slots; /* index space in slots, at least the capacity; 0: without a capacity all
                           2^32 - 1; else the larger of 2^20 and 16 x capacity */
    uint16_t type_id;   /* at most 0x7FFF, or HM_TYPE_ID_UNIQUE */
    uint16_t generation_bits; /* 2 to 16: a slot is retired after 2^bits - 1 items; 0: 16 */
    size_t meta_size;  /* bytes of user meta beside each item, moved with it; zero after insert */
    size_t meta_align; /* bytes; as item_align, for meta_size */
    /* On erase, clear and fini, once for each item, while its handle still resolves. What the item
     * points to belongs to the program, which may free it here. */
    void (*destroy)(void *item, void *context);
    /* After an item has moved; `item` is its new address, `from` and `to` are dense indices. The
     * moves of a step are reported after its destroy hooks. */
    void (*relocate)(void *item, uint32_t from, uint32_t to, void *context);
    void *context;           /* passed to both hooks */
    const hm_memory *memory; /* NULL: hm_memory_os(); must outlive the map */
    const char *name;        /* in messages; must outlive the map; NULL: "map" */
} hm_map_desc;

typedef hm_stats hm_map_stats;

/* Reserves address space for the capacity, and commits nothing; without a capacity commits a small
 * range. Fails as every init does (handle_map.h). O(1), one reservation. Example:
 *
 *     hm_map sprites;
 *     const hm_map_desc desc = {.item_size = sizeof(struct sprite),
 *                               .capacity = 100000,
 *                               .type_id = SPRITE_TYPE,
 *                               .name = "sprites"};
 *     if (hm_map_init(&sprites, &desc) != HM_OK)
 *         fprintf(stderr, "%s\n", hm_last_error());
 */
HM_API hm_status hm_map_init(hm_map *map, const hm_map_desc *desc);

/* Destroys all items, releases all memory, zeroes the map. O(1), or O(n) with a destroy hook. */
HM_API void hm_map_fini(hm_map *map);

/* Copies in `n` items and reports their handles: all of them, or none. `items` NULL: zeroed items.
 * HM_ERROR_FULL, HM_ERROR_MEMORY or HM_ERROR_BUSY. Invalidates what hm_map_emplace does. O(n). */
HM_API hm_status hm_map_insert_n(hm_map *map, const void *items, uint32_t n, hm_handle *handles);

/* Puts an item under a handle that the program chooses, or a server has; or takes an erase back, as
 * long as no insert has used the slot since. `item` NULL: zeroed. The slot must be free, and the
 * generation not below the last one that the slot has issued; if it is the same, the erased item's
 * handle resolves again. Later inserts issue higher generations. Slots that are made between the
 * last one and the handle's are free, with generation 1 as the last one issued. The other free
 * slots keep their order, but for the first, which may become the last: this voids what
 * hm_map_upcoming has returned.
 *
 * HM_ERROR_STALE: the slot has an item, is retired or promised, or has issued a later generation.
 * HM_ERROR_INVALID: the handle is null or forged, has another type id, or its index is not below
 * max_slots. HM_ERROR_FULL, HM_ERROR_MEMORY, HM_ERROR_BUSY. Then nothing has changed. A handle from
 * a stranger may take memory for all slots up to max_slots: choose it. Invalidates what
 * hm_map_emplace does. O(1 + slots that are made). Example:
 *
 *     static void put_back(hm_map *map, hm_handle handle, const struct sprite *erased)
 *     {
 *         if (hm_map_adopt(map, handle, erased) != HM_OK)
 *             fprintf(stderr, "%s\n", hm_last_error());
 *     }
 */
HM_API hm_status hm_map_adopt(hm_map *map, hm_handle handle, const void *item);

/* Looks up n handles: items[i] becomes the item of handles[i], or NULL if that does not resolve.
 * Returns how many resolve. The pointers are valid until the next call that may move items.
 *
 * Meant for items that are read next: in a map of more than 8 MiB it prefetches their first bytes,
 * so that cache misses overlap. If the items are not read there, single lookups are faster. In a
 * smaller map a batch is faster where stale handles are mixed with others, since no branch is
 * mispredicted. Best in batches of about 256. O(n). Example:
 *
 *     void *items[256];
 *     hm_map_get_n(&map, handles, 256, items);
 *     for (int i = 0; i < 256; i++)
 *         if (items[i] != NULL)
 *             draw(items[i]);
 */
HM_API uint32_t hm_map_get_n(const hm_map *map, const hm_handle *handles, uint32_t n, void **items);

/* Sets alive[i] to whether handles[i] resolves, for n handles. Returns how many do. Reads no item.
 * Faster than single calls in a map whose entries are larger than the caches. O(n). */
HM_API uint32_t hm_map_contains_n(const hm_map *map, const hm_handle *handles, uint32_t n,
                                  bool *alive);

/* Erases the items of n handles; returns the number of erased items. Faster than single calls in a
 * map that is larger than the caches, and where stale handles are mixed with others. Invalidates
 * what hm_map_erase does. O(n). */
HM_API uint32_t hm_map_erase_n(hm_map *map, const hm_handle *handles, uint32_t n);

/* Erases all items for which `doomed` returns true, and returns their number. `doomed` is called
 * once for each item, in dense order. The survivors keep their order; an unfinished defragment
 * first places the items that it is moving. The items are erased after the last call of `doomed`.
 * Invalidates all pointers to items and all dense indices. O(n). Example:
 *
 *     static bool is_behind(const void *item, void *context)
 *     {
 *         const struct sprite *sprite = item;
 *         const float *limit = context;
 *         return sprite->depth > *limit;
 *     }
 *
 *     float limit = 100;
 *     hm_map_erase_if(&map, is_behind, &limit);
 */
HM_API uint32_t hm_map_erase_if(hm_map *map, bool (*doomed)(const void *item, void *context),
                                void *context);

/* Makes the next n inserts succeed while nothing is erased, given up or made ready to be promised
 * in between. HM_ERROR_FULL: n more would exceed the capacity or the index space; HM_ERROR_MEMORY;
 * HM_ERROR_BUSY. Then nothing has changed, except that free slots with no uses left count as
 * retired if they caused HM_ERROR_FULL. On success, those that the next n inserts would meet count
 * as retired. Invalidates what hm_map_emplace does. O(n). */
HM_API hm_status hm_map_reserve(hm_map *map, uint32_t n);

/* Returns how many more items fit: the largest n for which hm_map_reserve does not say
 * HM_ERROR_FULL. It may say HM_ERROR_MEMORY before. O(free slots), or O(1) as long as the slots
 * that were never used are enough. */
HM_API uint32_t hm_map_available(const hm_map *map);

/* After hm_map_reserve(map, n), returns for each k below n the handle that the (k + 1)-th item from
 * now will get. That holds while only inserts follow: an erase, a clear, a trim, and each function
 * of promises but hm_map_promise voids the answers until the next reserve. Beyond n the answer is
 * unspecified. A const call: threads may take numbers from one atomic counter, and build references
 * among new items before any of them exists. Until its item is inserted, the handle resolves to
 * nothing. O(1). Example:
 *
 *     if (hm_map_reserve(&map, 2) == HM_OK) {
 *         struct sprite child = {.parent = hm_map_upcoming(&map, 1)};
 *         hm_map_insert(&map, &child);
 *         hm_map_insert(&map, NULL); // the parent: the child has its handle already
 *     }
 */
HM_API hm_handle hm_map_upcoming(const hm_map *map, uint32_t k);

/* Makes sure that n promises are ready: the next n calls of hm_map_promise succeed. An item that is
 * promised, or ready to be, counts against the capacity, and has its memory: other inserts do not
 * use it up. A clear and a trim keep promises, a fini drops them, history.h says what a rewind
 * does. They are not saved: what has loaded the file refuses their handles. Fails as hm_map_reserve
 * does. Invalidates what hm_map_emplace does. O(n). */
HM_API hm_status hm_map_reserve_promises(hm_map *map, uint32_t n);

/* Promises an item, so that others can name it before it is there, as what a loader will bring:
 * returns its handle. It resolves to nothing until hm_map_insert_as, and never if hm_map_give_up is
 * called instead. Returns null when no promise is ready. Any thread may call this while another one
 * uses the map, inserts and erases; but not during init, fini, reserve_promises, a trim and a load,
 * nor during a mark and a rewind of its history. It may be called from a callback. Invalidates
 * nothing. O(1). Example:
 *
 *     hm_map_reserve_promises(&map, 100);               // for the frame
 *     hm_handle coming = hm_map_promise(&map);          // on any thread
 *     struct sprite child = {.parent = coming};
 *     hm_map_insert(&map, &child);
 *     hm_map_insert_as(&map, coming, NULL);             // when it is there
 */
HM_API hm_handle hm_map_promise(hm_map *map);

/* Inserts a promised item, as hm_map_insert does. HM_ERROR_STALE: the handle is not promised, or
 * its item came already, or it was given up; HM_ERROR_BUSY. Otherwise it cannot fail. Invalidates
 * nothing. O(promises that are ready). */
HM_API hm_status hm_map_insert_as(hm_map *map, hm_handle promised, const void *item);

/* Gives up a promised item: its handle is refused for ever, and its slot is free. False if it is
 * not promised, or when busy. An erase of it returns false, and it stays promised. Invalidates
 * nothing. O(promises that are ready). */
HM_API bool hm_map_give_up(hm_map *map, hm_handle promised);

/* Erases all items, last first. All handles are refused from then on. Invalidates all pointers to
 * items. O(1) without a destroy hook, whatever the number of items; O(n) with one. Memory stays
 * committed; see hm_map_trim. */
HM_API void hm_map_clear(hm_map *map);

/* Gives back whole pages: those after the last item, and those of the sparse table after the last
 * live slot. Earlier handles stay refused. Free slots there are dropped, by units of 512 on every
 * machine, so that the handles that follow do not depend on the size of a page; those of a unit
 * that are issued again have only as many uses left as the most used of them had. HM_ERROR_MEMORY:
 * the system refuses; some pages may have been given back already, and the free slots on them
 * dropped; nothing else has changed. HM_ERROR_BUSY. O(slots). The first trim that drops slots
 * commits a page for what it has to remember of them.
 *
 * Call it when the map will stay smaller for long, not in each frame: later inserts commit the
 * pages again. */
HM_API hm_status hm_map_trim(hm_map *map);

/* Checks that all parts of the map are consistent: HM_OK or HM_ERROR_CORRUPT. O(slots). */
HM_API hm_status hm_map_validate(const hm_map *map);

/* Returns the handle of the item that contains the address, even in its middle; null when no live
 * item of this map does. Any address may be given; nothing is read there. So it finds the item that
 * a callback is given; but a typed order may be shown copies (order.h). O(1). In a destroy hook,
 * for example:
 *
 *     static void log_erase(void *item, void *context)
 *     {
 *         const hm_map *sprites = context;
 *         hm_handle erased = hm_map_handle_of(sprites, item);
 *         printf("sprite %u is erased\n", hm_handle_index(erased));
 *     }
 */
HM_API hm_handle hm_map_handle_of(const hm_map *map, const void *item);

/* Returns why a handle does not resolve, or HM_HANDLE_LIVE. O(1), or O(promises that are ready). */
HM_API hm_handle_state hm_map_explain(const hm_map *map, hm_handle handle);

/* Says in a sentence, with the numbers, what hm_map_explain says by a state. It begins with the
 * state, except in a map that is not initialised, or finished:
 *
 *     live: slot 12 of 'texture', generation 7
 *     null: it names no item
 *     foreign: type id 4, 'texture' has 3
 *     out of range: slot 4000 of 'texture', which has 13
 *     stale: slot 12 of 'texture' has generation 7 now, the handle 5
 *     stale: slot 12 of 'texture' is free now, the handle has generation 5
 *     retired: slot 12 of 'texture' has used up its generations, the handle has 5
 *     forged: slot 12 of 'texture' has issued no generation above 7, the handle has 9
 *     promised: slot 12 of 'texture' has no item yet, generation 7
 *     not initialised: the container has no items
 *
 * Writes as snprintf does: at most `size` bytes, the terminator included; `buffer` may be NULL if
 * `size` is 0. Returns the length of the whole sentence; if that is not below `size`, the text was
 * cut off. 160 bytes are enough for a name of up to 80. For messages, not for programs to parse:
 * the words may change. O(length). Example:
 *
 *     char text[160];
 *     hm_map_describe(&map, handle, text, sizeof text);
 *     fprintf(stderr, "no sprite: %s\n", text);
 */
HM_API size_t hm_map_describe(const hm_map *map, hm_handle handle, char *buffer, size_t size);

/* Returns what a secondary or an index needs to know of this map if its items are to be the owners:
 * the capacity, the index space and the type id, for the field `owners` of hm_secondary_desc and
 * hm_index_desc. An init with the owners of a map that is not initialised fails. O(1). */
HM_API hm_owners hm_map_as_owners(const hm_map *map);

/* Returns the current statistics. O(1). To see in advance that the index space runs out, for
 * example:
 *
 *     hm_map_stats stats = hm_map_get_stats(&map);
 *     if (stats.retired_slots > stats.max_slots / 2)
 *         printf("sprites: half of the index space is used up\n");
 */
HM_API hm_map_stats hm_map_get_stats(const hm_map *map);

#ifndef HM_WITHOUT_ORDER

/* Sorts the items, as far as the budget allows, and returns what that took. Call it once a frame:
 * it resumes where it stopped, and the program may change anything between calls.
 *
 * `done` means that all items are in order, provided that the order is a strict weak order and that
 * hm_map_touch follows every edit of a key in place, even one that leaves the item where it is:
 * keys are remembered from call to call. If nothing has changed since `done`, a call costs nothing.
 * After k changes it costs the compares of those k items, and the swaps of all items that have to
 * give way to them, which may be up to n. A different order (compare, key or context; the struct's
 * address does not matter) starts over.
 *
 * The work is done in rounds: a round finds the items that are out of place, sorts them, and moves
 * them to their places. It may take many calls, and an item that changes meanwhile drops out of it.
 * So the budget must finish a round before most items have changed again: the first round takes
 * about n log2 n compares, or about n if there is only a key, and at most n swaps. If all items are
 * touched in each frame, a smaller budget never places any: make the first call without a limit.
 *
 * Equal items keep their order unless they were touched, inserted or moved by an erase meanwhile.
 * A round takes at most n swaps, however disordered the items are, and O(n log n) compares: about n
 * if all are in order, and at most 3 n if 1% of them are out of place.
 *
 * Uses memory for each item that is out of order: 16 bytes, 24 with a key, up to 72 with a typed
 * order by compare. Once those items have been placed, gives back all but 64 KiB. From the first
 * call on, also uses 2 bits for each item. If memory is refused, `status` says so, and the next
 * call tries again.
 *
 * When busy: spends nothing, not done. Invalidates all pointers to items and all dense indices. */
HM_API hm_progress hm_map_defragment(hm_map *map, const hm_order *order, hm_frame_budget *budget);

/* As hm_map_defragment, for an order given as handles, such as a walk over a tree: the named items
 * come first, in the order of their handles. Handles that do not resolve and handles that occurred
 * before are skipped; items that are not named keep their order, after the named ones. Compares
 * nothing. In all it takes fewer swaps than the map has items, and may take nearly as many for a
 * single handle: if its item is the last, all others move back by one.
 *
 * The handles are read only during the calls. Once a call was done, you may change them. Until then
 * each call continues with those of the call before: to change them, pass another pointer or n, or
 * call hm_map_touch_all.
 *
 * After a call that was done the next one checks all handles again, since it cannot know whether
 * they are the same: with a small budget that takes many calls, which return `done` = false until
 * the last. So skip the call if neither the map nor the handles have changed since `done`. Uses 16
 * bytes of memory for each handle from the first that is out of place on, and 2 bits for each item.
 * O(n + items) in all. If memory is refused, `status` says so, and the next call tries again.
 * Invalidates what hm_map_defragment does. Example:
 *
 *     if (tree_has_changed) {
 *         n = list_tree(handles, 256); // parents before children
 *         hm_map_touch_all(&map);
 *     }
 *     hm_map_arrange(&map, handles, n, &budget);
 */
HM_API hm_progress hm_map_arrange(hm_map *map, const hm_handle *handles, uint32_t n,
                                  hm_frame_budget *budget);

/* Tells the order that this item's position in it may have changed. A handle that does not resolve
 * is ignored. O(1). Example:
 *
 *     struct sprite *sprite = hm_map_get(&map, handle);
 *     if (sprite != NULL) {
 *         sprite->depth += 1;
 *         hm_map_touch(&map, handle);
 *     }
 */
HM_API void hm_map_touch(hm_map *map, hm_handle handle);

/* Both let the next call start over: touch_all since any item may have changed, forget_order so
 * that a saved map goes on as its loaded copy, which knows of no order (save.h). Inside a callback
 * they are a broken contract; else they cannot fail. They invalidate nothing. O(1). */
HM_API void hm_map_touch_all(hm_map *map);
HM_API void hm_map_forget_order(hm_map *map);

/* Search a map that hm_map_defragment has put in this order. hm_map_lower_bound returns the dense
 * index of the first item that does not come before the probe, hm_map_upper_bound that of the first
 * item that comes after it; both the count if there is none. So the items of a range are one array,
 * and two searches find its ends. The probe is an item that need not be in the map: only what
 * compare and key read must be set. Where both are given, key decides first and compare breaks
 * ties.
 *
 * Both return HM_INVALID_INDEX, and hm_last_error says why, when busy and when the map is not in
 * this order. It is in this order if the last call of defragment or arrange was a defragment by the
 * same compare, key and context and returned `done`, and nothing has changed since. An insert, an
 * erase and a touch are changes, though erasing the last item may be none. An empty map is in every
 * order. If a key was edited in place and no touch followed, the index is meaningless, but not
 * above the count.
 *
 * Compare and key may make const calls to the map, even these two, but must not change it. Unlike
 * in other callbacks a change is not refused: threads may search together, so a search does not
 * mark the map as busy. A change ends the search with HM_INVALID_INDEX, or makes its index
 * meaningless; no item that was erased is read.
 *
 * O(log n): 20 steps for a million items, each of one key or compare; with both, one of each where
 * keys are equal. Example:
 *
 *     hm_map_defragment(&map, &order, NULL); // no limit: it is done
 *     const struct sprite near = {.depth = 10}, far = {.depth = 20};
 *     uint32_t begin = hm_map_lower_bound(&map, &order, &near);
 *     uint32_t end = hm_map_upper_bound(&map, &order, &far);
 *     const struct sprite *sprites = hm_map_items(&map);
 *     for (uint32_t i = begin; i < end; i++)
 *         draw(&sprites[i]); // its depth is from 10 to 20
 */
HM_API uint32_t hm_map_lower_bound(const hm_map *map, const hm_order *order, const void *probe);
HM_API uint32_t hm_map_upper_bound(const hm_map *map, const hm_order *order, const void *probe);

#endif

/* Adds an item whose bytes the caller writes at once: returns its handle and sets *item to its
 * address. The bytes are not cleared: assign a whole item, or `(struct sprite){0}` first. Returns
 * null and sets *item = NULL when the map is full, busy or refused memory: hm_last_error says
 * which, and so does hm_map_reserve(map, 1). Invalidates nothing; without a capacity all pointers
 * to items. O(1) but for system calls, and moves of all items to larger ranges. Example:
 *
 *     void *place;
 *     hm_handle created = hm_map_emplace(&map, &place);
 *     if (place != NULL)
 *         *(struct sprite *)place = (struct sprite){.depth = 3, .parent = handle};
 */
static inline hm_handle hm_map_emplace(hm_map *map, void **item)
{
    return hm_map_emplace_sized(map, item, map != NULL ? map->item_size : 0);
}

/* As hm_map_emplace, but the item is zeroed. */
static inline hm_handle hm_map_emplace_zeroed(hm_map *map, void **item)
{
    return hm_map_emplace_zeroed_sized(map, item, map != NULL ? map->item_size : 0);
}

/* Copies in an item (NULL: a zeroed one) and returns its handle, or null as hm_map_emplace does.
 * Invalidates what that does, and costs as much. */
static inline hm_handle hm_map_insert(hm_map *map, const void *item)
{
    return hm_map_insert_sized(map, item, map != NULL ? map->item_size : 0);
}

/* Returns the item, or NULL when the handle does not resolve (hm_map_explain says why). The pointer
 * is valid until the next call that may move items. O(1): one entry is read. */
static inline void *hm_map_get(const hm_map *map, hm_handle handle)
{
    return hm_map_get_sized(map, handle, map != NULL ? map->item_size : 0);
}

/* Erases the item: destroy runs, then the last item moves into the hole. False when the handle does
 * not resolve, or when busy. Invalidates pointers to the erased and to the last item. O(1). A loop
 * that erases goes backward, to visit each item once. Example:
 *
 *     const struct sprite *sprites = hm_map_items(&map);
 *     for (uint32_t i = hm_map_count(&map); i-- > 0;)
 *         if (sprites[i].depth > 100)
 *             hm_map_erase_at(&map, i);
 */
static inline bool hm_map_erase(hm_map *map, hm_handle handle)
{
    return hm_map_erase_sized(map, handle, map != NULL ? map->item_size : 0);
}

/* Whether the handle resolves. O(1). */
static inline bool hm_map_contains(const hm_map *map, hm_handle handle)
{
    HM_CONTRACT(map != NULL, "hm_map_contains: map is NULL");
    return hm_id_table_contains(&map->ids, handle);
}

/* Returns the packed items, hm_map_count of them. With a capacity the address never changes. NULL
 * in a zeroed map. O(1). */
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

/* Returns how many items the map can hold at most; 0 for a zeroed one. O(1). */
static inline uint32_t hm_map_capacity(const hm_map *map)
{
    HM_CONTRACT(map != NULL, "hm_map_capacity: map is NULL");
    return map->ids.capacity;
}

/* Returns the handle of the item at a dense index; null out of range. O(1). */
static inline hm_handle hm_map_handle_at(const hm_map *map, uint32_t dense_index)
{
    HM_CONTRACT(map != NULL, "hm_map_handle_at: map is NULL");
    return hm_id_table_handle_at(&map->ids, dense_index);
}

/* Returns the dense index of a handle's item, or HM_INVALID_INDEX. Valid until items move. O(1). */
static inline uint32_t hm_map_index_of(const hm_map *map, hm_handle handle)
{
    HM_CONTRACT(map != NULL, "hm_map_index_of: map is NULL");
    return hm_id_table_find(&map->ids, handle);
}

/* Erases the item at a dense index, as hm_map_erase does. False out of range, and when busy. O(1).
 */
static inline bool hm_map_erase_at(hm_map *map, uint32_t dense_index)
{
    HM_CONTRACT(map != NULL, "hm_map_erase_at: map is NULL");
    return hm_map_erase(map, hm_map_handle_at(map, dense_index));
}

/* Returns the user meta of the item at a dense index; NULL out of range or without meta. O(1).
 * Example:
 *
 *     uint32_t *frames = hm_map_meta_at(&map, hm_map_index_of(&map, handle));
 *     if (frames != NULL)
 *         ++*frames;
 */
static inline void *hm_map_meta_at(const hm_map *map, uint32_t dense_index)
{
    HM_CONTRACT(map != NULL, "hm_map_meta_at: map is NULL");
    if (dense_index >= map->ids.count || (map->guard.flags & HM_GUARD_META) == 0)
        return NULL;
    return map->extras->meta_array.data +
           HM_CAST(size_t, map->extras->meta_array.item_size) * dense_index;
}

HM_END_C

/* A loop over all items from the last to the first: declares `item`, a pointer to `type`, and its
 * `index`. A statement follows; break and continue do what they do in any loop. `map`, a const
 * hm_map *, is evaluated several times. The visited item may be erased, and items inserted, which
 * are not visited; if another one is erased, one item may be visited twice. A loop that does
 * neither is faster over hm_map_items. Example:
 *
 *     HM_MAP_EACH(struct sprite, sprite, i, &map)
 *         if (sprite->depth > 100)
 *             hm_map_erase_at(&map, i);
 */
#define HM_MAP_EACH(type, item, index, map)                                                        \
    HM_EACH_BACKWARD(type, item, index, hm_map_before_sized(map, &index, sizeof(type)))

#define HM_MAP_DEFINE_DECLARED(prefix, type, number)                                               \
    HM_TYPED_DEFINE(prefix, map, type, number)                                                     \
    HM_MAP_DEFINE_WALK(prefix, type)                                                               \
    HM_TYPED_DEFINE_ORDER(prefix, map, prefix##_handle)                                            \
    HM_TYPED_DEFINE_BOUNDS(prefix, map, type)

/* HM_MAP_DEFINE(texture, struct texture, 3) defines texture_handle, texture_map and a typed form of
 * each function, HM_MAP_DEFINE_FOR all but the handle: handle_map.h says how. Two texture_maps take
 * each other's handles for their own, unless a descriptor gives one another type id than 3, or the
 * number is HM_TYPE_ID_UNIQUE. Example:
 *
 *     HM_MAP_DEFINE(texture, struct texture, 3)
 *
 *     texture_map textures;
 *     if (texture_map_init(&textures, 1000) == HM_OK) {
 *         struct texture made = {.width = 64, .height = 64};
 *         texture_handle wood = texture_map_insert(&textures, &made);
 *         struct texture *found = texture_map_get(&textures, wood); // or NULL
 *     }
 */
#define HM_MAP_DEFINE(prefix, type, number)                                                        \
    HM_TYPED_DEFINE_HANDLE(prefix, number)                                                         \
    HM_MAP_DEFINE_FOR(prefix, type, number)

#define HM_MAP_DEFINE_FOR(prefix, type, number)                                                    \
    HM_MAP_DECLARE(prefix)                                                                         \
    HM_MAP_DEFINE_DECLARED(prefix, type, number)

#define HM_MAP_DEFINE_WALK(prefix, type)                                                           \
    HM_TYPED_FORM(map, type *, prefix##_map_items, (const prefix##_map *hm_self),                  \
                  HM_CAST(type *, hm_map_items(&hm_self->map)))                                    \
    HM_TYPED_FORM(map, void *, prefix##_map_meta_at,                                               \
                  (const prefix##_map *hm_self, uint32_t hm_at),                                   \
                  hm_map_meta_at(&hm_self->map, hm_at))

#endif
