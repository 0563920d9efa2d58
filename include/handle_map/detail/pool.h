/* SPDX-License-Identifier: MIT */
/* detail/pool: the struct of a pool, and the parts of pool.h's inline functions. No program needs
 * it: pool.h explains the structure, and has all functions that may be called. */
#ifndef HANDLE_MAP_DETAIL_POOL_H
#define HANDLE_MAP_DETAIL_POOL_H

#include <handle_map/array.h>
#include <handle_map/detail/guard.h>
#include <handle_map/handle.h>

HM_BEGIN_C

/* The values of hm_storage, which pool.h documents. */
enum { HM_POOL_ONE_RANGE, HM_POOL_FIXED_BLOCKS, HM_POOL_GROWING_BLOCKS };

enum {
    HM_POOL_WORD = 64 /* slots in a word, and words for a word of the level above */
};

#ifndef HM_EXHAUSTIVE
enum {
    HM_POOL_RECENT = 256 /* holes at most that are recent */
};
#endif

/* The state of 64 slots, a bit in each field for each slot. An open slot that is not live is a
 * hole. A slot that was issued and is not open is retired or promised. */
typedef struct hm_pool_word {
    uint64_t live;
    uint64_t open;
} hm_pool_word;

/* How to get from a slot to its item. */
typedef struct hm_pool_places {
    unsigned char *items; /* one range: the first place */
    uintptr_t *bases;     /* blocks: the address that place 0 would have if the block extended back
                             to it; so an item of any block is at base + item_size x place */
    uint32_t first_block; /* fixed blocks have 2^first_block items; the first growing one has
                             first_block + 1, a power of two above 1 */
    uint16_t storage;     /* HM_POOL_ONE_RANGE, ... */
    uint16_t last_generation; /* of any slot; it is here since there are 16 bits */
} hm_pool_places;

#define HM_POOL_FREE_ENTRY UINT32_C(0x80000000) /* the handle's free bit, in an entry */
/* The entry of a promised slot has the free bit, and these bits, the type id, reversed: no handle
 * equals it that lookups take, and no other slot's has it. */
#define HM_POOL_PROMISED_MASK UINT32_C(0x7FFF0000)
/* What an inline erase must know of an entry: whether the slot is free, and its generation. */
#define HM_POOL_ERASE_MASK (HM_POOL_FREE_ENTRY | HM_HANDLE_MAX_GENERATION)

/* Visible so that programs can allocate it; all fields are private. With 64-bit pointers the first
 * 64 bytes are what lookup reads, and nearly all that insert and erase touch. They touch the next
 * 64 bytes too, and one position of `recent`. */
typedef struct hm_pool {
    uint32_t *entries;     /* slot -> upper half of its last handle, with the free bit */
    hm_pool_word *words;   /* slot / 64 -> which slots are live, which are holes */
    hm_pool_places places; /* slot -> where its item is */
    size_t item_size;      /* bytes */
    uint32_t slot_count;   /* slots issued so far; lookups are bounded by it */
    uint32_t count;        /* live items */
    hm_guard guard;        /* its limit: the items that fit beside promised ones */

    /* The recent holes are a stack of slots. An erase puts its slot on top, unless the stack is
     * full: then the hole is not recent. An insert takes the slot on top; no recent hole is filled
     * otherwise, and all have their memory. */
    uint32_t *recent;
    uint32_t recent_count;
    uint32_t hole_word;   /* the lowest listed word; HM_INVALID_INDEX if there is none, or one of
                             its holes is cold, and then no slot is below fresh_end */
    uint32_t fresh_end;   /* slots below it have all the memory that a first issue needs */
    uint32_t fresh_entry; /* type id and generation of a slot's first issue */
    uint32_t erase_limit; /* erase takes its slow path from this on: the last generation, and 0
                             while busy and with a hook */
    uint32_t capacity;

    /* Level 0: bit w says that word w is listed, because it has a hole that is not recent; bit w of
     * level 1: word w of level 0 is not 0; and so on, up to a single word. */
    uint64_t *listed;
    uint32_t max_slots;
    uint32_t retired_count;
    uint32_t extent_count;    /* extents of blocks that are reserved */
    uint8_t level_count;      /* at most 5 */
    uint8_t extent_shift;     /* at most 2^shift blocks are reserved together */
    bool blocks_end_in_words; /* a block may end within a word, not only between two */
    bool has_cold;            /* a listed hole may be cold: lack memory, which a trim gave back */
    hm_array entry_array;     /* uint32_t; its memory table is that of all */
    hm_array word_array;      /* hm_pool_word */
    hm_array hole_array;      /* uint64_t: the recent holes, then the levels */
    /* The items' memory, in units: pages of the one range, or blocks. */
    hm_array unit_array;   /* one range: a bit for each committed page; otherwise the bases */
    hm_array extent_array; /* uint32_t: the first block of each extent, sorted by address */
    size_t unit_end;       /* all units with memory are below */
    size_t item_committed_size, item_reserved_size; /* bytes; reserved are those of blocks */
    void (*destroy)(void *item, void *context);
    void *context;
    const char *name;
    hm_array *promises; /* hm_handle: itself, then those that are ready; NULL: none was */
} hm_pool;

HM_STATIC_ASSERT(sizeof(void *) != 8 || sizeof(hm_pool) <= 496, "programs have many");

#ifndef HM_WITHOUT_HISTORY
/* Call it after moving the container by assignment, if it is in a history, which then knows where
 * it is (history.h). Cannot fail. O(containers of the history). */
HM_API HM_COLD void hm_pool_moved(hm_pool *pool);
#endif

/* The parts of insert, erase and next_run that are not inline. */
HM_API HM_COLD hm_handle hm_pool_issue_slow(hm_pool *pool);
HM_API bool hm_pool_erase_slow(hm_pool *pool, hm_handle handle);
HM_API bool hm_pool_erases_singly(const hm_pool *pool, const hm_handle *handles, uint32_t n);
HM_API uint32_t hm_pool_erase_parts(hm_pool *pool, const hm_handle *handles, uint32_t n);
HM_API void hm_pool_list_word(hm_pool *pool, uint32_t word);
HM_API void hm_pool_unlist_hole_word(hm_pool *pool);
HM_API void hm_pool_prefetch(const hm_pool *pool, uint32_t slot);
HM_API uint32_t hm_pool_measure_run(const hm_pool *pool, uint32_t first);

/* Returns the slot of a live item, or HM_INVALID_INDEX. Type id and generation are compared at
 * once. The entry of a free slot has the free bit, so only a handle with that bit could equal it,
 * and those are refused; no entry has generation 0. The fields are read first, as in
 * hm_id_table_find. */
static inline uint32_t hm_pool_find(const hm_pool *pool, hm_handle handle)
{
    const uint32_t *entries = pool->entries;
    uint32_t slot_count = pool->slot_count;
    uint32_t slot = hm_handle_index(handle);
    if (slot >= slot_count || entries[slot] != handle.bits >> 32 || hm_handle_is_free(handle))
        return HM_INVALID_INDEX;
    return slot;
}

/* Whether a slot below slot_count has a live item. */
static inline bool hm_pool_lives(const hm_pool *pool, uint32_t slot)
{
    return (pool->words[slot / HM_POOL_WORD].live >> slot % HM_POOL_WORD & 1) != 0;
}

/* Returns the block of a slot. Blocks stay equal, or growing block b has the slots from 2^b to
 * 2^(b+1), but for the first one, which also has those below; no slot is in a block before it. */
HM_INLINE uint32_t hm_pool_block_of(const hm_pool_places *places, uint32_t slot)
{
    if (places->storage == HM_POOL_FIXED_BLOCKS)
        return slot >> places->first_block;
    return hm_bits_highest(slot | places->first_block);
}

/* Returns the address of the place of a slot that has memory. */
HM_INLINE void *hm_pool_place_in(const hm_pool_places *places, uint32_t slot, size_t item_size)
{
    if (places->storage == HM_POOL_ONE_RANGE)
        return places->items + item_size * slot;
    return HM_POINTER_CAST(void *,
                           places->bases[hm_pool_block_of(places, slot)] + item_size * slot);
}

/* These are functions of pool.h that also take the item size. The typed functions of HM_POOL_DEFINE
 * pass a constant, which turns the multiplications and copies into plain moves. */

HM_INLINE void *hm_pool_place_sized(const hm_pool *pool, uint32_t slot, size_t item_size)
{
    return hm_pool_place_in(&pool->places, slot, item_size);
}

/* Issues the latest recent hole, or the lowest hole, or a fresh slot; null if that needs
 * hm_pool_issue_slow. */
HM_INLINE hm_handle hm_pool_issue(hm_pool *pool)
{
    uint32_t count = pool->count, recent = pool->recent_count, slot, entry;
    hm_pool_word *word;
    if (count >= pool->guard.limit)
        return HM_NULL_HANDLE;
    if (recent != 0) {
        pool->recent_count = --recent;
        slot = pool->recent[recent];
        pool->words[slot / HM_POOL_WORD].live ^= UINT64_C(1) << slot % HM_POOL_WORD;
        entry = pool->entries[slot] + (HM_POOL_FREE_ENTRY + 1); /* which clears the bit */
    } else if (pool->hole_word != HM_INVALID_INDEX) {
        uint64_t holes, rest;
        word = &pool->words[pool->hole_word];
        holes = word->live ^ word->open;
        rest = holes & (holes - 1);
        slot = pool->hole_word * HM_POOL_WORD + hm_bits_lowest(holes);
        word->live = word->open ^ rest;
        if (rest == 0)
            hm_pool_unlist_hole_word(pool);
        entry = pool->entries[slot] + (HM_POOL_FREE_ENTRY + 1);
    } else {
        slot = pool->slot_count;
        if (slot >= pool->fresh_end)
            return HM_NULL_HANDLE;
        word = &pool->words[slot / HM_POOL_WORD];
        word->live |= UINT64_C(1) << slot % HM_POOL_WORD;
        word->open |= UINT64_C(1) << slot % HM_POOL_WORD;
        pool->slot_count = slot + 1;
        entry = pool->fresh_entry;
    }
    HM_ASSUME(entry != 0);
    pool->entries[slot] = entry;
    pool->count = count + 1;
    return hm_handle_from_bits(HM_CAST(uint64_t, entry) << 32 | slot);
}

static inline bool hm_pool_is_listed(const hm_pool *pool, size_t word)
{
    return (pool->listed[word / HM_POOL_WORD] >> word % HM_POOL_WORD & 1) != 0;
}

/* Makes a live slot a hole, a recent one unless there are too many of them: then its word is
 * listed. The place of a recent hole is prefetched: a program that erases some items and then
 * inserts as many finds them in the cache. If there is only one, it is probably filled by the next
 * call, before the prefetch could help. */
HM_INLINE void hm_pool_open_slot(hm_pool *pool, size_t slot, uint32_t entry)
{
    uint32_t recent = pool->recent_count;
    pool->entries[slot] = entry | HM_POOL_FREE_ENTRY;
    pool->words[slot / HM_POOL_WORD].live ^= UINT64_C(1) << slot % HM_POOL_WORD;
    pool->count--;
    if (recent == HM_POOL_RECENT) {
        if (!hm_pool_is_listed(pool, slot / HM_POOL_WORD))
            hm_pool_list_word(pool, HM_CAST(uint32_t, slot / HM_POOL_WORD));
        return;
    }
    pool->recent[recent] = HM_CAST(uint32_t, slot);
    pool->recent_count = recent + 1;
    if (recent != 0)
        hm_pool_prefetch(pool, HM_CAST(uint32_t, slot));
}

HM_INLINE hm_handle hm_pool_emplace_sized(hm_pool *pool, void **item, size_t item_size)
{
    hm_handle handle;
    HM_CONTRACT(pool != NULL, "hm_pool_emplace: pool is NULL");
    HM_CONTRACT(item != NULL, "hm_pool_emplace: item is NULL");
    handle = hm_pool_issue(pool);
    if (hm_handle_is_null(handle)) {
        handle = hm_pool_issue_slow(pool);
        if (hm_handle_is_null(handle)) {
            *item = NULL;
            return handle;
        }
    }
    *item = hm_pool_place_sized(pool, hm_handle_index(handle), item_size);
    HM_ASSUME(*item != NULL);
    HM_UNPOISON(*item, item_size);
    return handle;
}

HM_INLINE hm_handle hm_pool_emplace_zeroed_sized(hm_pool *pool, void **item, size_t item_size)
{
    hm_handle handle;
    HM_CONTRACT(pool != NULL, "hm_pool_emplace_zeroed: pool is NULL");
    HM_CONTRACT(item != NULL, "hm_pool_emplace_zeroed: item is NULL");
    handle = hm_pool_emplace_sized(pool, item, item_size);
    if (*item != NULL)
        memset(*item, 0, item_size);
    return handle;
}

HM_INLINE hm_handle hm_pool_insert_sized(hm_pool *pool, const void *item, size_t item_size)
{
    void *place;
    hm_handle handle;
    HM_CONTRACT(pool != NULL, "hm_pool_insert: pool is NULL");
    handle = hm_pool_emplace_sized(pool, &place, item_size);
    if (place == NULL)
        return handle;
    if (item != NULL)
        hm_bits_copy(place, item, item_size);
    else
        memset(place, 0, item_size);
    return handle;
}

HM_INLINE void *hm_pool_get_sized(const hm_pool *pool, hm_handle handle, size_t item_size)
{
    hm_pool_places places;
    uint32_t slot;
    void *item;
    HM_CONTRACT(pool != NULL, "hm_pool_get: pool is NULL");
    places = pool->places;
    slot = hm_pool_find(pool, handle);
    if (slot == HM_INVALID_INDEX)
        return NULL;
    item = hm_pool_place_in(&places, slot, item_size);
    HM_ASSUME(item != NULL);
    return item;
}

HM_INLINE bool hm_pool_erase_sized(hm_pool *pool, hm_handle handle, size_t item_size)
{
    size_t slot = hm_handle_index(handle);
    uint32_t entry = HM_CAST(uint32_t, handle.bits >> 32);
    (void)item_size;
    HM_CONTRACT(pool != NULL, "hm_pool_erase: pool is NULL");
    if (slot >= pool->slot_count || pool->entries[slot] != entry)
        return false;
    if ((entry & HM_POOL_ERASE_MASK) >= pool->erase_limit)
        return hm_pool_erase_slow(pool, handle);
    HM_POISON(hm_pool_place_sized(pool, HM_CAST(uint32_t, slot), item_size), item_size);
    hm_pool_open_slot(pool, slot, entry);
    return true;
}

/* Where a loop of single calls erases fastest, it is inline. */
HM_INLINE uint32_t hm_pool_erase_n_sized(hm_pool *pool, const hm_handle *handles, uint32_t n,
                                         size_t item_size)
{
    uint32_t erased = 0, i;
    if (!hm_pool_erases_singly(pool, handles, n))
        return hm_pool_erase_parts(pool, handles, n);
    for (i = 0; i < n; i++)
        erased += hm_pool_erase_sized(pool, handles[i], item_size);
    return erased;
}

HM_INLINE void *hm_pool_live_at_sized(const hm_pool *pool, uint32_t index, size_t item_size)
{
    HM_CONTRACT(pool != NULL, "hm_pool_live_at: pool is NULL");
    return hm_pool_place_sized(pool, index, item_size);
}

HM_INLINE void *hm_pool_item_at_sized(const hm_pool *pool, uint32_t index, size_t item_size)
{
    HM_CONTRACT(pool != NULL, "hm_pool_item_at: pool is NULL");
    if (index >= pool->slot_count || !hm_pool_lives(pool, index))
        return NULL;
    return hm_pool_place_sized(pool, index, item_size);
}

HM_END_C

#endif
