/* SPDX-License-Identifier: MIT */
/* pool: items that never move, named by handles; an erased item leaves a hole.
 *
 *     hm_handle            entries           words         items
 *     index 2, gen 7 -->  0 | gen 1       |  live  1    | item |
 *                         1 | gen 4, free |  hole  1    | .... |
 *                         2 | gen 7       |  live  1 -> | item |  stays here until it is erased
 *                         3 | gen 2, free |  hole  1    | .... |
 *                         ^ slot = the handle's index = the place, for ever
 *
 * Owns: the items. Moves: nothing; in blocks and without a capacity its entries and words move as
 * slots are added, to which no program has pointers. A pointer to an item is valid from its insert
 * to its erase, whatever happens to others. Limits: UINT32_MAX - 1 items of any size, alignments up
 * to 4096. A pool takes 4.25 bytes for each slot besides the item.
 * Handles, failing, callbacks, threads and all else that containers share: handle_map.h.
 * hm_pool_next_run and next_word visit all items. */
#ifndef HANDLE_MAP_POOL_H
#define HANDLE_MAP_POOL_H

#include <handle_map/detail/pool.h>
#include <handle_map/detail/typed.h>

HM_BEGIN_C

/* Where the memory of the items comes from; the storages behave alike otherwise. */
typedef enum hm_storage {
    /* The default: one contiguous range of addresses, committed as it fills. A pool without a
     * capacity has growing blocks instead. */
    HM_STORAGE_VIRTUAL = HM_POOL_ONE_RANGE,
    /* Blocks of `block_size` bytes, committed one by one, later up to 128 KiB at once, and given
     * back one by one. Addresses are reserved when needed, first for one block and later for 64, at
     * most 2 MiB of them: for memory that cannot reserve much. Memory that cannot be decommitted,
     * like the heap's, is freed together with the last of the blocks that were reserved with it. */
    HM_STORAGE_FIXED_BLOCKS = HM_POOL_FIXED_BLOCKS,
    /* Blocks of n, n, 2n, 4n, ... items: a small pool is small, and a large one has few blocks. n
     * is the largest power of two that fits in 1 KiB and in the capacity, but at least 2. Each
     * block is committed whole, in one call, because its pages cost memory only once they are
     * touched: up to half of what is committed may not be used yet. */
    HM_STORAGE_GROWING_BLOCKS = HM_POOL_GROWING_BLOCKS
} hm_storage;

/* A zero field means the default. Only item_size has no default. */
typedef struct hm_pool_desc {
    size_t item_size;   /* bytes, at least 1; a multiple of item_align; in one range an item may
                           straddle pages */
    size_t item_align;  /* bytes, a power of two up to 4096; 0: the largest one that divides the
                           size, at most 16 */
    uint32_t capacity;  /* items, at most UINT32_MAX - 1; 0: no limit, in fixed blocks 1,048,576 */
    uint32_t max_slots; /* index space in slots, at least the capacity. Without a capacity it is
                           only a limit; 0: all 2^32, as far as item_size allows. In one range each
                           costs item_size bytes of address space; 0: the larger of 2^16 and 4 x
                           capacity: 2^16 slots last 20 hours at 60,000 inserts a second; where
                           addresses are scarce (memory.h) 2 x capacity. In blocks it is only a
                           limit too; 0: the larger of 2^20 and 16 x capacity, as far as item_size
                           allows */
    uint16_t type_id;   /* at most 0x7FFF, or HM_TYPE_ID_UNIQUE */
    uint16_t generation_bits; /* 2 to 16: a slot is retired after 2^bits - 1 items; 0: 16 */
    hm_storage storage;       /* where the items' memory comes from */
    size_t block_size; /* bytes in a fixed block, at least; 0: 16 KiB. A block holds a power of
                          two of items and is a multiple of the page size */
    /* On erase, clear and fini, once for each item, while its handle still resolves: then
     * hm_pool_handle_of returns it. Never for a hole. What the item points to belongs to the
     * program, which may free it here. */
    void (*destroy)(void *item, void *context);
    void *context;           /* passed to destroy */
    const hm_memory *memory; /* NULL: hm_memory_os(); must outlive the pool */
    const char *name;        /* in messages; must outlive the pool; NULL: "pool" */
} hm_pool_desc;

typedef hm_stats hm_pool_stats;

/* Reserves address space; commits nothing, without a capacity about a page. Fails as every init
 * does (handle_map.h); HM_ERROR_INVALID also for an unknown storage, and for a size of max_slots
 * items or of a block that overflows size_t. O(1), one reservation. */
HM_API hm_status hm_pool_init(hm_pool *pool, const hm_pool_desc *desc);

/* Destroys all items, releases all memory, zeroes the pool. O(blocks); with a destroy hook also the
 * cost of hm_pool_clear. */
HM_API void hm_pool_fini(hm_pool *pool);

/* Copies in `n` items and reports their handles: all of them, or none. `items` NULL: zeroed items.
 * Holes are filled first, so the new items need not be contiguous. HM_ERROR_FULL, HM_ERROR_MEMORY,
 * HM_ERROR_BUSY or HM_ERROR_INVALID, as hm_pool_reserve. O(n). */
HM_API hm_status hm_pool_insert_n(hm_pool *pool, const void *items, uint32_t n, hm_handle *handles);

/* Looks up n handles: items[i] becomes the item of handles[i], or NULL if that does not resolve.
 * Returns how many resolve. Each pointer is valid until its item is erased. For the speed see
 * hm_map_get_n. Best in batches of about 256. O(n). */
HM_API uint32_t hm_pool_get_n(const hm_pool *pool, const hm_handle *handles, uint32_t n,
                              void **items);

/* Sets alive[i] to whether handles[i] resolves, for n handles. Returns how many do. Reads no item.
 * O(n). */
HM_API uint32_t hm_pool_contains_n(const hm_pool *pool, const hm_handle *handles, uint32_t n,
                                   bool *alive);

/* Erases all items for which `doomed` returns true, and returns their number. `doomed` is called
 * once for each item, in the order of their places; an item is erased before the next call.
 * Invalidates pointers to the erased items. O(items + slots / 64). */
HM_API uint32_t hm_pool_erase_if(hm_pool *pool, bool (*doomed)(const void *item, void *context),
                                 void *context);

/* Erases the items of n handles; returns the number of erased items. In batches of a hundred or
 * more this is faster than single calls in a pool of a million items or more, and in any pool if
 * stale handles are mixed with others. Invalidates pointers to the erased items. O(n). */
HM_API uint32_t hm_pool_erase_n(hm_pool *pool, const hm_handle *handles, uint32_t n);

/* Makes the next n inserts succeed while nothing is erased in between. Holes count first; those
 * whose memory trim has given back get it again. New places take one commit, or in fixed blocks one
 * for each 2 MiB. Committed memory costs nothing until items use it. HM_ERROR_FULL: n more
 * would exceed the capacity or the index space; HM_ERROR_MEMORY; HM_ERROR_BUSY; HM_ERROR_INVALID:
 * the memory table has reserved an unaligned address for blocks. O(n). */
HM_API hm_status hm_pool_reserve(hm_pool *pool, uint32_t n);

/* As hm_map_adopt. The recent holes are forgotten, as by a trim. Slots that are made in between get
 * memory only when they are issued. Invalidates nothing. O(1 + slots that are made). */
HM_API hm_status hm_pool_adopt(hm_pool *pool, hm_handle handle, const void *item);

/* Returns how many more items fit, as hm_map_available. O(1). */
HM_API uint32_t hm_pool_available(const hm_pool *pool);

/* After hm_pool_reserve(pool, n), returns for each k below n the handle that the (k + 1)-th item
 * from now will get; the conditions are those of hm_map_upcoming. O(1) for one of the recent holes
 * and for a slot that was never used; for any other hole, of which there are few where most slots
 * are live, O(slots / 64). */
HM_API hm_handle hm_pool_upcoming(const hm_pool *pool, uint32_t k);

/* Promises, as those of hm_map_reserve_promises and the functions after it. A trim may give back
 * the memory of their places. Then hm_pool_insert_as needs it again: HM_ERROR_MEMORY if that is
 * refused, and the item is still promised. */
HM_API hm_status hm_pool_reserve_promises(hm_pool *pool, uint32_t n);
HM_API hm_handle hm_pool_promise(hm_pool *pool);
HM_API hm_status hm_pool_insert_as(hm_pool *pool, hm_handle promised, const void *item);
HM_API bool hm_pool_give_up(hm_pool *pool, hm_handle promised);

/* Erases all items, the lowest first. All handles are refused from then on. Invalidates all
 * pointers to items. Every item's entry is written, but no item is touched unless there is a
 * destroy hook: O(items + slots / 64). Memory stays committed; see hm_pool_trim. */
HM_API void hm_pool_clear(hm_pool *pool);

/* Gives back the memory of places that hold no item: whole pages of the one range, or whole blocks,
 * wherever they are. The 4.25 bytes for each slot stay, so earlier handles stay refused, and no
 * slot loses uses. A hole without memory is filled in its turn: the insert commits the memory
 * again, or fails. HM_ERROR_MEMORY: the system refuses; some memory may have been given back
 * already; nothing else has changed. HM_ERROR_BUSY. O(slots / 64 + pages + holes). */
HM_API hm_status hm_pool_trim(hm_pool *pool);

/* Checks that entries, bits, counts, levels and memory are consistent: HM_OK or HM_ERROR_CORRUPT.
 * O(slots). */
HM_API hm_status hm_pool_validate(const hm_pool *pool);

/* Returns why a handle does not resolve, or HM_HANDLE_LIVE. O(1), or O(promises that are ready). */
HM_API hm_handle_state hm_pool_explain(const hm_pool *pool, hm_handle handle);

/* Says the same in a sentence, with the numbers, as hm_map_describe does. O(length). */
HM_API size_t hm_pool_describe(const hm_pool *pool, hm_handle handle, char *buffer, size_t size);

/* As hm_map_as_owners. O(1). */
HM_API hm_owners hm_pool_as_owners(const hm_pool *pool);

/* Returns the current statistics. O(1). */
HM_API hm_pool_stats hm_pool_get_stats(const hm_pool *pool);

/* Returns the handle of the item that contains the address, even in its middle; null when no live
 * item of this pool does. Any address may be given; nothing is read there. O(1), in blocks
 * O(log n). Since items never move, a pointer to one can be stored, and its handle found later. */
HM_API hm_handle hm_pool_handle_of(const hm_pool *pool, const void *item);

/* Adds an item whose bytes the caller writes at once: returns its handle and sets *item to its
 * address. The bytes are not cleared: assign a whole item, or `(struct bullet){0}` first. Returns
 * null and sets *item = NULL when the pool is full, busy or refused memory: hm_last_error says
 * which, and so does hm_pool_reserve(pool, 1). O(1) but for system calls. */
static inline hm_handle hm_pool_emplace(hm_pool *pool, void **item)
{
    return hm_pool_emplace_sized(pool, item, pool != NULL ? pool->item_size : 0);
}

/* As hm_pool_emplace, but the item is zeroed. */
static inline hm_handle hm_pool_emplace_zeroed(hm_pool *pool, void **item)
{
    return hm_pool_emplace_zeroed_sized(pool, item, pool != NULL ? pool->item_size : 0);
}

/* Copies in an item (NULL: a zeroed one) and returns its handle, or null as hm_pool_emplace does.
 * Invalidates nothing. O(1) but for system calls, and O(log64 n), at most 5 levels of a bitmap, to
 * find the lowest hole.
 *
 * An insert fills the hole that was made last, which is probably still in the caches, of the
 * *recent* ones, which are at most 256; when none is left, the lowest hole. So scattered holes are
 * filled in the order of their addresses. A hole is recent if fewer than 256 others were when it
 * was made. A trim, a clear and an adopt forget which are: the lowest are filled then, but for
 * those that are made later, so that high places become empty and a trim can give back their
 * memory. */
static inline hm_handle hm_pool_insert(hm_pool *pool, const void *item)
{
    return hm_pool_insert_sized(pool, item, pool != NULL ? pool->item_size : 0);
}

/* Returns the item, or NULL when the handle does not resolve (hm_pool_explain says why). The
 * pointer is valid until the item is erased. O(1): one entry is read. */
static inline void *hm_pool_get(const hm_pool *pool, hm_handle handle)
{
    return hm_pool_get_sized(pool, handle, pool != NULL ? pool->item_size : 0);
}

/* Erases the item: destroy runs, then its place is a hole. False when the handle does not resolve,
 * or when busy. Writes to no item. A hole must not be read, although its memory may still be there:
 * the next insert fills it, and a trim gives it back. Who keeps a pointer keeps the handle with it,
 * and asks hm_pool_contains first. Under AddressSanitizer, which tracks groups of 8 bytes, the part
 * of a hole that shares a group with a live item is not poisoned. Invalidates pointers to this item
 * only. O(1). */
static inline bool hm_pool_erase(hm_pool *pool, hm_handle handle)
{
    return hm_pool_erase_sized(pool, handle, pool != NULL ? pool->item_size : 0);
}

/* Whether the handle resolves. O(1). */
static inline bool hm_pool_contains(const hm_pool *pool, hm_handle handle)
{
    uint32_t slot = hm_handle_index(handle);
    bool is_equal;
    HM_CONTRACT(pool != NULL, "hm_pool_contains: pool is NULL");
    if (slot >= pool->slot_count)
        return false;
    /* Without a branch on the answer: see hm_id_table_contains. */
    is_equal = pool->entries[slot] == handle.bits >> 32;
    return is_equal & !hm_handle_is_free(handle);
}

/* Returns the item at an index, which is the index of its handle; NULL for a hole and past the end.
 * At the start of a run it is an array of the run's length (hm_pool_next_run). O(1). Since an item
 * keeps its index, the program's own arrays can be indexed by it. Example:
 *
 *     for (uint32_t i = hm_pool_next_run(&pool, 0, NULL); i != HM_INVALID_INDEX;
 *          i = hm_pool_next_run(&pool, i + 1, NULL)) {
 *         struct bullet *bullet = hm_pool_item_at(&pool, i);
 *         bullet->speed = speeds[i];
 *     }
 */
static inline void *hm_pool_item_at(const hm_pool *pool, uint32_t index)
{
    return hm_pool_item_at_sized(pool, index, pool != NULL ? pool->item_size : 0);
}

/* As hm_pool_item_at, but does not check: the index must be that of a live item. For indices that
 * the program knows to be live, as those of next_run and next_word. O(1): reads no bits. */
static inline void *hm_pool_live_at(const hm_pool *pool, uint32_t index)
{
    return hm_pool_live_at_sized(pool, index, pool != NULL ? pool->item_size : 0);
}

/* Returns the handle of the item at an index; null for a hole and past the end. O(1). */
static inline hm_handle hm_pool_handle_at(const hm_pool *pool, uint32_t index)
{
    HM_CONTRACT(pool != NULL, "hm_pool_handle_at: pool is NULL");
    if (index >= pool->slot_count || !hm_pool_lives(pool, index))
        return HM_NULL_HANDLE;
    return hm_handle_from_bits(HM_CAST(uint64_t, pool->entries[index]) << 32 | index);
}

/* Returns the index of a handle's item, which hm_pool_item_at takes, or HM_INVALID_INDEX when the
 * handle does not resolve. O(1). */
static inline uint32_t hm_pool_index_of(const hm_pool *pool, hm_handle handle)
{
    HM_CONTRACT(pool != NULL, "hm_pool_index_of: pool is NULL");
    return hm_pool_find(pool, handle);
}

/* Erases the item at an index, as hm_pool_erase does. False for a hole, past the end, and when
 * busy. O(1). */
static inline bool hm_pool_erase_at(hm_pool *pool, uint32_t index)
{
    HM_CONTRACT(pool != NULL, "hm_pool_erase_at: pool is NULL");
    return hm_pool_erase(pool, hm_pool_handle_at(pool, index));
}

/* Returns the number of items. O(1). */
static inline uint32_t hm_pool_count(const hm_pool *pool)
{
    HM_CONTRACT(pool != NULL, "hm_pool_count: pool is NULL");
    return pool->count;
}

/* Returns how many items the pool can hold at most; 0 for a zeroed one. O(1). */
static inline uint32_t hm_pool_capacity(const hm_pool *pool)
{
    HM_CONTRACT(pool != NULL, "hm_pool_capacity: pool is NULL");
    return pool->capacity;
}

/* Indices come in words of 64. Returns the number of the first word, at or after `word`, that has a
 * live item, or HM_INVALID_INDEX when there is none. Bit k of *live says whether index 64 x word +
 * k has a live item (all 0 when there is none). The bits are a copy and do not follow later
 * changes: hm_pool_item_at returns NULL for an item that was erased since. Where holes are
 * scattered, and most runs have an item or two, this is faster than hm_pool_next_run, since no
 * processor can predict the lengths of runs. Cannot fail; invalidates nothing. O(1 + holes / 64).
 * Example:
 *
 *     uint64_t live;
 *     for (uint32_t w = hm_pool_next_word(&pool, 0, &live); w != HM_INVALID_INDEX;
 *          w = hm_pool_next_word(&pool, w + 1, &live))
 *         for (; live != 0; live &= live - 1)
 *             move(hm_pool_item_at(&pool, 64 * w + hm_bits_lowest(live)));
 */
static inline uint32_t hm_pool_next_word(const hm_pool *pool, uint32_t word, uint64_t *live)
{
    const hm_pool_word *words;
    uint32_t end;
    HM_CONTRACT(pool != NULL, "hm_pool_next_word: pool is NULL");
    HM_CONTRACT(live != NULL, "hm_pool_next_word: live is NULL");
    words = pool->words;
    end = pool->slot_count / HM_POOL_WORD + (pool->slot_count % HM_POOL_WORD != 0);
    for (; word < end; word++) {
        *live = words[word].live;
        if (*live != 0)
            return word;
        /* Where most words have no item, finding those that have one takes most of the time. */
        while (end - word > 4 && (words[word + 1].live | words[word + 2].live |
                                  words[word + 3].live | words[word + 4].live) == 0)
            word += 4;
    }
    *live = 0;
    return HM_INVALID_INDEX;
}

/* Returns the index of the first item at or after `from`, or HM_INVALID_INDEX when there is none.
 * Sets *length to the number of items that are contiguous in memory from there: up to the next
 * hole, or to the end of a block that no other adjoins (0 without an item). `length` NULL: not
 * measured. Cannot fail; invalidates nothing. O(1 + holes / 64 + length / 64).
 *
 * To visit all items, go from run to run; each run is an array. They come in the order of their
 * places, which is not the order of insertion: an insert fills a hole if there is one. Example:
 *
 *     uint32_t length;
 *     for (uint32_t i = hm_pool_next_run(&pool, 0, &length); i != HM_INVALID_INDEX;
 *          i = hm_pool_next_run(&pool, i + length, &length)) {
 *         struct bullet *bullets = hm_pool_item_at(&pool, i);
 *         for (uint32_t k = 0; k < length; k++)
 *             move(&bullets[k]);
 *     }
 *
 * Items may be inserted and erased meanwhile. An inserted item may be visited. An erased item is
 * not visited again, but a run that was returned does not shrink: a loop that erases items still to
 * be visited goes from item to item, without a length. Example:
 *
 *     for (uint32_t i = hm_pool_next_run(&pool, 0, NULL); i != HM_INVALID_INDEX;
 *          i = hm_pool_next_run(&pool, i + 1, NULL))
 *         hm_pool_erase_at(&pool, i);
 */
static inline uint32_t hm_pool_next_run(const hm_pool *pool, uint32_t from, uint32_t *length)
{
    uint32_t word = from / HM_POOL_WORD, place, first;
    uint64_t live, rest;
    HM_CONTRACT(pool != NULL, "hm_pool_next_run: pool is NULL");
    if (length != NULL)
        *length = 0;
    if (from >= pool->slot_count)
        return HM_INVALID_INDEX;
    live = pool->words[word].live & ~UINT64_C(0) << from % HM_POOL_WORD;
    if (live == 0)
        word = hm_pool_next_word(pool, word + 1, &live);
    if (live == 0)
        return HM_INVALID_INDEX;
    place = hm_bits_lowest(live);
    first = word * HM_POOL_WORD + place;
    if (length == NULL)
        return first;
    rest = ~live >> place; /* its lowest bit is the next hole, if that is in this word */
    if (rest == 0 || pool->blocks_end_in_words)
        *length = hm_pool_measure_run(pool, first);
    else
        *length = hm_bits_lowest(rest);
    return first;
}

/* Sets *index to the start of the next run after `end`, and returns its end; the same twice if
 * there is none, and if *index is not `end`, since then the program has left the loop. */
static inline uint32_t hm_pool_run_sized(const hm_pool *pool, uint32_t *index, uint32_t end,
                                         size_t item_size)
{
    uint32_t length;
    HM_CONTRACT(pool != NULL, "HM_POOL_EACH: pool is NULL");
    HM_CONTRACT(pool->item_size == item_size || pool->slot_count == 0,
                "HM_POOL_EACH: the items are not of this type");
    if (*index != end)
        return *index;
    *index = hm_pool_next_run(pool, end, &length);
    return *index + length;
}

HM_END_C

/* A loop over all items, as fast as one over the arrays of hm_pool_next_run: declares `item`, a
 * pointer to `type`, and its `index`. A statement follows; break and continue do what they do in
 * any loop. `pool`, a const hm_pool *, is evaluated several times; a typed one is &bullets.pool.
 * From the lowest slot on: items may be inserted, which may be visited, and the visited one erased;
 * another one that is erased may still be visited. Items of another size than that of the type are
 * a broken contract. Example:
 *
 *     HM_POOL_EACH(struct bullet, bullet, i, &pool)
 *         if (bullet->y < 0)
 *             hm_pool_erase_at(&pool, i);
 */
#define HM_POOL_EACH(type, item, index, pool)                                                      \
    for (uint32_t index = 0, index##_end = hm_pool_run_sized(pool, &index, 0, sizeof(type));       \
         index != index##_end;                                                                     \
         index##_end = hm_pool_run_sized(pool, &index, index##_end, sizeof(type)))                 \
        for (type *item = HM_CAST(type *, hm_pool_live_at_sized(pool, index, sizeof(type)));       \
             index != index##_end; index++, item++)

#define HM_POOL_DEFINE_DECLARED(prefix, type, number)                                              \
    HM_TYPED_DEFINE(prefix, pool, type, number)                                                    \
    HM_POOL_DEFINE_WALK(prefix, type)

/* HM_POOL_DEFINE(particle, struct particle, 3) defines particle_handle, particle_pool and a typed
 * form of each function, HM_POOL_DEFINE_FOR all but the handle: handle_map.h says how, and that two
 * pools of one type id take each other's handles for their own. */
#define HM_POOL_DEFINE(prefix, type, number)                                                       \
    HM_TYPED_DEFINE_HANDLE(prefix, number)                                                         \
    HM_POOL_DEFINE_FOR(prefix, type, number)

#define HM_POOL_DEFINE_FOR(prefix, type, number)                                                   \
    HM_POOL_DECLARE(prefix)                                                                        \
    HM_POOL_DEFINE_DECLARED(prefix, type, number)

#define HM_POOL_DEFINE_WALK(prefix, type)                                                          \
    HM_TYPED_FORM(pool, type *, prefix##_pool_item_at,                                             \
                  (const prefix##_pool *hm_self, uint32_t hm_at),                                  \
                  HM_CAST(type *, hm_pool_item_at_sized(&hm_self->pool, hm_at, sizeof(type))))     \
    HM_TYPED_FORM(pool, type *, prefix##_pool_live_at,                                             \
                  (const prefix##_pool *hm_self, uint32_t hm_at),                                  \
                  HM_CAST(type *, hm_pool_live_at_sized(&hm_self->pool, hm_at, sizeof(type))))     \
    HM_TYPED_FORM(pool, uint32_t, prefix##_pool_next_run,                                          \
                  (const prefix##_pool *hm_self, uint32_t hm_from, uint32_t *hm_length),           \
                  hm_pool_next_run(&hm_self->pool, hm_from, hm_length))                            \
    HM_TYPED_FORM_WITH(pool, uint32_t, prefix##_pool_next_word,                                    \
                       (const prefix##_pool *hm_self, uint32_t hm_word, uint64_t *hm_live),        \
                       HM_CONTRACT(hm_live != NULL, #prefix "_pool_next_word: live is NULL"),      \
                       hm_pool_next_word(&hm_self->pool, hm_word, hm_live))

#endif
