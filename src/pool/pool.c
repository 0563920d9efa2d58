/* SPDX-License-Identifier: MIT */
/* pool: who lives where. The header explains the structure; pool_storage.c has the items' memory.
 *
 * Every issued slot is one of four:
 *     live      bit in `live`, entry without the free bit
 *     hole      bit in `holes`, entry with the free bit, all of its memory there
 *     cold      no bit, entry with the free bit: a free slot whose memory trim gave back
 *     retired   no bit, entry with the free bit and the last generation
 *
 * A slot is retired when its last life ends, so that whatever is a hole can be issued. What the
 * bits need is committed before a slot is issued for the first time and stays, so that erase cannot
 * fail. */
#include "pool_private.h"

#include "../array_private.h"
#include "../base_private.h"
#include "../id_table_private.h"
#include "../memory/memory_private.h"

#include <inttypes.h>

static bool hm_pool_is_busy(const hm_pool *pool)
{
    return (pool->guard & HM_GUARD_BUSY) != 0;
}

/* The destroy hook runs between enter and leave. Insert finds no room meanwhile, erase a guard. */
static void pool_enter(hm_pool *pool)
{
    pool->guard |= HM_GUARD_BUSY;
    pool->limit = 0;
}

static void pool_leave(hm_pool *pool)
{
    pool->guard &= ~(uint32_t)HM_GUARD_BUSY;
    pool->limit = pool->capacity;
}

/* For the calls that can return nothing to say so. */
static void hm_pool_refuse_when_busy(const hm_pool *pool, const char *function)
{
    if (hm_pool_is_busy(pool))
        hm_panic_busy(__FILE__, __LINE__, function, pool->name);
}

static uint32_t hm_pool_entry_generation(uint32_t entry)
{
    return entry & HM_HANDLE_MAX_GENERATION;
}

static uint32_t hm_pool_word_count(uint64_t slots)
{
    return (uint32_t)((slots + HM_POOL_WORD - 1) / HM_POOL_WORD);
}

/* Free slots that insert can take at once. */
static uint32_t pool_hole_count(const hm_pool *pool)
{
    return pool->slot_count - pool->count - pool->retired_count - pool->cold_count;
}

/* The levels above the words. The lowest word with holes stands in hole_word, all others in the
 * levels: so a program that erases and inserts by turns does not touch them. */

static const uint64_t pool_no_level; /* stands for the highest one where there are none */

static const uint64_t *pool_top_of(const hm_pool *pool)
{
    return pool->level_count != 0 ? pool->levels[pool->level_count - 1] : &pool_no_level;
}

static void pool_list_word(hm_pool *pool, uint32_t word)
{
    for (uint32_t level = 0; level < pool->level_count; level++) {
        uint64_t *bits = &pool->levels[level][word / HM_POOL_WORD];
        uint64_t before = *bits;
        *bits = before | UINT64_C(1) << word % HM_POOL_WORD;
        if (before != 0)
            return;
        word /= HM_POOL_WORD;
    }
}

static void pool_unlist_word(hm_pool *pool, uint32_t word)
{
    for (uint32_t level = 0; level < pool->level_count; level++) {
        uint64_t *bits = &pool->levels[level][word / HM_POOL_WORD];
        *bits &= ~(UINT64_C(1) << word % HM_POOL_WORD);
        if (*bits != 0)
            return;
        word /= HM_POOL_WORD;
    }
}

/* A word has its first hole. */
void hm_pool_open_word(hm_pool *pool, uint32_t word)
{
    uint32_t lowest = pool->hole_word;
    if (lowest == HM_INVALID_INDEX) {
        pool->hole_word = word;
    } else if (lowest < word) {
        pool_list_word(pool, word);
    } else {
        pool->hole_word = word;
        pool_list_word(pool, lowest);
    }
}

/* The lowest word has lost its last hole; there are others. */
void hm_pool_next_hole_word(hm_pool *pool)
{
    uint32_t word = 0;
    for (uint32_t level = pool->level_count; level-- > 0;)
        word = word * HM_POOL_WORD + hm_bits_lowest(pool->levels[level][word]);
    pool->hole_word = word;
    pool_unlist_word(pool, word);
}

/* A word has lost its last hole. */
static void pool_close_word(hm_pool *pool, uint32_t word)
{
    if (word != pool->hole_word)
        pool_unlist_word(pool, word);
    else if (*pool->top != 0)
        hm_pool_next_hole_word(pool);
    else
        pool->hole_word = HM_INVALID_INDEX;
}

/* Ranges of slots, a word at a time */

/* The bits of a word that stand for slots of a range. The word has at least one of them. */
static uint64_t hm_pool_bits_in(hm_pool_range range, uint32_t word)
{
    uint64_t first = (uint64_t)word * HM_POOL_WORD;
    uint64_t bits = ~UINT64_C(0);
    if (range.first > first)
        bits <<= range.first - first;
    if (range.end < first + HM_POOL_WORD)
        bits &= (UINT64_C(1) << (range.end - first)) - 1;
    return bits;
}

bool hm_pool_any_live(const hm_pool *pool, hm_pool_range range)
{
    for (uint32_t word = range.first / HM_POOL_WORD; word < hm_pool_word_count(range.end); word++)
        if (pool->words[word].live & hm_pool_bits_in(range, word))
            return true;
    return false;
}

/* The cold slots among 64. */
static uint64_t hm_pool_cold_bits(const hm_pool *pool, hm_pool_range range, uint32_t word)
{
    uint64_t cold = 0;
    uint64_t bits =
        hm_pool_bits_in(range, word) & ~(pool->words[word].live | pool->words[word].holes);
    for (; bits != 0; bits &= bits - 1) {
        uint32_t slot = word * HM_POOL_WORD + hm_bits_lowest(bits);
        if (hm_pool_entry_generation(pool->entries[slot]) != HM_HANDLE_MAX_GENERATION)
            cold |= bits & (0 - bits);
    }
    return cold;
}

bool hm_pool_any_cold(const hm_pool *pool, hm_pool_range range)
{
    for (uint32_t word = range.first / HM_POOL_WORD; word < hm_pool_word_count(range.end); word++)
        if (hm_pool_cold_bits(pool, range, word) != 0)
            return true;
    return false;
}

/* Bits that were neither live nor holes become holes. */
static void hm_pool_add_holes(hm_pool *pool, uint32_t word, uint64_t bits)
{
    uint64_t before = pool->words[word].holes;
    pool->words[word].holes = before | bits;
    if (before == 0 && bits != 0)
        hm_pool_open_word(pool, word);
}

/* Memory has come: cold slots that have all of it are holes again. */
static void pool_warm(hm_pool *pool, hm_pool_range range)
{
    for (uint32_t word = range.first / HM_POOL_WORD; word < hm_pool_word_count(range.end); word++) {
        uint64_t warm = 0;
        for (uint64_t cold = hm_pool_cold_bits(pool, range, word); cold != 0; cold &= cold - 1) {
            /* At the ends of the range a slot may still miss a page beyond. */
            if (!hm_pool_storage_has(pool, word * HM_POOL_WORD + hm_bits_lowest(cold)))
                continue;
            warm |= cold & (0 - cold);
            pool->cold_count--;
        }
        hm_pool_add_holes(pool, word, warm);
    }
}

/* Memory has gone: holes are cold. No item lives there. */
static void pool_chill(hm_pool *pool, hm_pool_range range)
{
    for (uint32_t word = range.first / HM_POOL_WORD; word < hm_pool_word_count(range.end); word++) {
        uint64_t gone = pool->words[word].holes & hm_pool_bits_in(range, word);
        if (gone == 0)
            continue;
        pool->words[word].holes ^= gone;
        if (pool->words[word].holes == 0)
            pool_close_word(pool, word);
        for (; gone != 0; gone &= gone - 1)
            pool->cold_count++;
    }
}

/* init and fini */

/* The index space that a descriptor leaves open. In one range a slot is an item's place, and costs
 * as many bytes of addresses: so there are fewer. */
static uint32_t pool_default_max_slots(const hm_pool *pool)
{
    if (pool->places.in_one_range)
        return hm_id_table_default_max_slots(pool->capacity, pool->memory, UINT32_C(1) << 16, 4);
    return hm_id_table_default_max_slots(pool->capacity, pool->memory, HM_ID_TABLE_LEAST_SLOTS,
                                         HM_ID_TABLE_SLOTS_AN_ITEM);
}

/* All that can be wrong with a descriptor, before anything is reserved. */
static hm_status pool_check(const hm_pool *pool, const hm_pool_desc *desc)
{
    hm_status status = hm_memory_check(pool->memory);
    if (status == HM_OK)
        status = hm_array_check_layout(desc->item_size, desc->item_align, "item");
    if (status == HM_OK)
        status = hm_id_table_check(pool->capacity, pool->max_slots, desc->type_id);
    if (status != HM_OK)
        return status;
    if ((unsigned)desc->storage > HM_STORAGE_GROWING_BLOCKS)
        return hm_fail(HM_ERROR_INVALID, "storage %u is none of hm_storage",
                       (unsigned)desc->storage);
    /* Twice: so no later product overflows, nor a block of less than twice as many items as there
     * can be, rounded up to pages, nor a piece, which has one block or at most half of them. */
    if (desc->item_size > (SIZE_MAX - pool->memory->page_size) / 2 / pool->max_slots)
        return hm_fail(HM_ERROR_INVALID,
                       "max_slots %" PRIu32 " times item_size %llu does not fit in size_t",
                       pool->max_slots, (unsigned long long)desc->item_size);
    return hm_array_check_size(sizeof(uint32_t), pool->max_slots, "entry", pool->memory);
}

static hm_status hm_pool_columns_init(hm_pool *pool)
{
    hm_array_desc entries = {.item_size = sizeof(uint32_t), .memory = pool->memory};
    hm_array_desc words = {.item_size = sizeof(hm_pool_word), .memory = pool->memory};
    hm_array_desc levels = {.item_size = sizeof(uint64_t), .memory = pool->memory};
    size_t sizes[HM_POOL_LEVELS];
    entries.capacity = pool->max_slots;
    words.capacity = hm_pool_word_count(pool->max_slots);
    levels.capacity = 1; /* 0 would mean the default */
    for (size_t below = words.capacity; below > 1; below = sizes[pool->level_count++]) {
        sizes[pool->level_count] = hm_pool_word_count(below);
        levels.capacity += sizes[pool->level_count];
    }
    hm_status status = hm_array_init(&pool->entry_array, &entries);
    if (status == HM_OK)
        status = hm_array_init(&pool->word_array, &words);
    if (status != HM_OK)
        return status;
    levels.commit_step = pool->memory->page_size;
    status = hm_array_init(&pool->level_array, &levels);
    if (status != HM_OK)
        return status;
    pool->entries = hm_array_data(&pool->entry_array);
    pool->words = hm_array_data(&pool->word_array);
    uint64_t *next = hm_array_data(&pool->level_array);
    for (uint32_t level = pool->level_count; level-- > 0; next += sizes[level])
        pool->levels[level] = next;
    pool->top = pool_top_of(pool);
    return HM_OK;
}

static hm_status pool_init_all(hm_pool *pool, const hm_pool_desc *desc)
{
    pool->memory = desc->memory != NULL ? desc->memory : hm_memory_os();
    pool->capacity = desc->capacity != 0 ? desc->capacity : HM_DEFAULT_CAPACITY;
    pool->places.in_one_range = desc->storage == HM_STORAGE_VIRTUAL;
    pool->places.in_fixed_blocks = desc->storage == HM_STORAGE_FIXED_BLOCKS;
    pool->max_slots = desc->max_slots != 0 ? desc->max_slots : pool_default_max_slots(pool);
    hm_status status = pool_check(pool, desc);
    if (status != HM_OK)
        return status;
    pool->item_size = desc->item_size;
    pool->limit = pool->capacity;
    pool->hole_word = HM_INVALID_INDEX;
    pool->fresh_entry = (uint32_t)(hm_handle_pack(0, 1, desc->type_id).bits >> 32);
    status = hm_pool_columns_init(pool);
    return status == HM_OK ? hm_pool_storage_init(pool, desc) : status;
}

static void pool_release_all(hm_pool *pool)
{
    hm_pool_storage_fini(pool);
    hm_array_fini(&pool->level_array);
    hm_array_fini(&pool->word_array);
    hm_array_fini(&pool->entry_array);
    memset(pool, 0, sizeof *pool);
}

hm_status hm_pool_init(hm_pool *pool, const hm_pool_desc *desc)
{
    if (pool == NULL)
        return hm_refuse_null("hm_pool_init", "pool");
    memset(pool, 0, sizeof *pool);
    if (desc == NULL)
        return hm_refuse_null("hm_pool_init", "desc");
    hm_status status = pool_init_all(pool, desc);
    if (status != HM_OK) {
        pool_release_all(pool);
        return status;
    }
    pool->destroy = desc->destroy;
    pool->context = desc->context;
    pool->name = desc->name != NULL ? desc->name : "pool";
    if (desc->destroy != NULL)
        pool->guard |= HM_GUARD_HOOK;
    return HM_OK;
}

void hm_pool_fini(hm_pool *pool)
{
    HM_CONTRACT(pool != NULL, "hm_pool_fini: pool is NULL");
    hm_pool_refuse_when_busy(pool, "hm_pool_fini");
    if (pool->destroy != NULL)
        hm_pool_clear(pool);
    pool_release_all(pool);
}

/* insert */

/* Commits entries, bits and levels for so many slots. */
static hm_status hm_pool_columns_commit(hm_pool *pool, uint64_t slots, bool grows)
{
    hm_status status = hm_array_commit(&pool->entry_array, (size_t)slots, grows);
    if (status == HM_OK)
        status = hm_array_commit(&pool->word_array, hm_pool_word_count(slots), grows);
    if (status == HM_OK && pool->level_count != 0) {
        /* The lowest level is the last. */
        const uint64_t *start = hm_array_data(&pool->level_array);
        size_t above = (size_t)(pool->levels[0] - start);
        status = hm_array_commit(&pool->level_array,
                                 above + hm_pool_word_count(hm_pool_word_count(slots)), grows);
    }
    return status;
}

/* So many slots find entries, bits and levels committed. */
static uint32_t hm_pool_columns_limit(const hm_pool *pool)
{
    uint64_t slots = pool->entry_array.limit;
    uint64_t in_words = (uint64_t)pool->word_array.limit * HM_POOL_WORD;
    if (slots > in_words)
        slots = in_words;
    if (pool->level_count != 0) {
        const uint64_t *start = hm_array_data(&pool->level_array);
        uint64_t above = (uint64_t)(pool->levels[0] - start);
        uint64_t limit = pool->level_array.limit;
        uint64_t in_levels = limit > above ? (limit - above) * HM_POOL_WORD * HM_POOL_WORD : 0;
        if (slots > in_levels)
            slots = in_levels;
    }
    return (uint32_t)slots;
}

/* While a cold slot waits, none is fresh: the slots become no more than they must. */
static void pool_find_fresh_end(hm_pool *pool)
{
    uint32_t columns = hm_pool_columns_limit(pool);
    uint32_t items = hm_pool_storage_fresh_end(pool);
    pool->fresh_end = columns < items ? columns : items;
    if (pool->cold_count != 0)
        pool->fresh_end = pool->slot_count;
}

/* Readies n places: holes, then cold slots, then fresh ones. There are so many. */
static hm_status pool_make_ready(hm_pool *pool, uint32_t n, bool grows)
{
    hm_status status = HM_OK;
    while (status == HM_OK && pool->cold_count != 0 && n > pool_hole_count(pool)) {
        hm_pool_range back;
        status = hm_pool_storage_revive(pool, &back);
        if (status == HM_OK)
            pool_warm(pool, back);
    }
    if (status == HM_OK && n > pool_hole_count(pool)) {
        uint32_t fresh = n - pool_hole_count(pool);
        status = hm_pool_columns_commit(pool, (uint64_t)pool->slot_count + fresh, grows);
        if (status == HM_OK)
            status = hm_pool_storage_grow(pool, fresh, grows);
    }
    pool_find_fresh_end(pool);
    return status;
}

hm_status hm_pool_prepare(hm_pool *pool, uint32_t n, bool grows)
{
    if (hm_pool_is_busy(pool))
        return hm_fail_busy("pool", pool->name);
    if (n > pool->capacity - pool->count)
        return hm_fail_full("pool", pool->count, pool->capacity, n);
    if (n > pool->max_slots - pool->count - pool->retired_count)
        return hm_fail_spent(pool->max_slots, pool->retired_count);
    if (n <= (uint64_t)pool_hole_count(pool) + pool->fresh_end - pool->slot_count)
        return HM_OK;
    return pool_make_ready(pool, n, grows);
}

hm_status hm_pool_reserve(hm_pool *pool, uint32_t n)
{
    HM_CONTRACT(pool != NULL, "hm_pool_reserve: pool is NULL");
    return hm_pool_prepare(pool, n, false);
}

hm_handle hm_pool_issue_slow(hm_pool *pool, uint32_t *slot)
{
    if (hm_pool_prepare(pool, 1, true) != HM_OK)
        return HM_NULL_HANDLE;
    return hm_pool_issue(pool, slot);
}

/* erase */

/* The item of a live slot is gone. */
static void pool_release_slot(hm_pool *pool, uint32_t slot)
{
    uint32_t word = slot / HM_POOL_WORD;
    uint64_t bit = UINT64_C(1) << slot % HM_POOL_WORD;
    bool is_spent = hm_pool_entry_generation(pool->entries[slot]) == HM_HANDLE_MAX_GENERATION;
    hm_memory_poison(hm_pool_place_as(pool, slot, pool->item_size), pool->item_size);
    pool->entries[slot] |= HM_POOL_FREE_ENTRY;
    pool->words[word].live &= ~bit;
    pool->count--;
    if (is_spent)
        pool->retired_count++;
    else
        hm_pool_add_holes(pool, word, bit);
}

bool hm_pool_erase_slow(hm_pool *pool, uint32_t slot)
{
    if (hm_pool_is_busy(pool))
        return false;
    if (pool->destroy != NULL) {
        pool_enter(pool);
        pool->destroy(hm_pool_place_as(pool, slot, pool->item_size), pool->context);
        pool_leave(pool);
    }
    pool_release_slot(pool, slot);
    return true;
}

uint32_t hm_pool_erase_if(hm_pool *pool, bool (*doomed)(const void *item, void *context),
                          void *context)
{
    HM_CONTRACT(pool != NULL, "hm_pool_erase_if: pool is NULL");
    HM_CONTRACT(doomed != NULL, "hm_pool_erase_if: doomed is NULL");
    if (hm_pool_is_busy(pool))
        return 0;
    uint32_t before = pool->count;
    uint64_t live;
    for (uint32_t word = hm_pool_next_word(pool, 0, &live); word != HM_INVALID_INDEX;
         word = hm_pool_next_word(pool, word + 1, &live)) {
        for (; live != 0; live &= live - 1) {
            uint32_t slot = word * HM_POOL_WORD + hm_bits_lowest(live);
            pool_enter(pool);
            bool is_doomed = doomed(hm_pool_place_as(pool, slot, pool->item_size), context);
            pool_leave(pool);
            if (is_doomed)
                (void)hm_pool_erase_slow(pool, slot);
        }
    }
    return before - pool->count;
}

/* Releases all items of a word. */
static void pool_release_word(hm_pool *pool, uint32_t word)
{
    uint64_t holes = 0;
    for (uint64_t live = pool->words[word].live; live != 0; live &= live - 1) {
        uint32_t slot = word * HM_POOL_WORD + hm_bits_lowest(live);
        if (hm_pool_entry_generation(pool->entries[slot]) == HM_HANDLE_MAX_GENERATION)
            pool->retired_count++;
        else
            holes |= live & (0 - live);
        pool->entries[slot] |= HM_POOL_FREE_ENTRY;
        pool->count--;
    }
    pool->words[word].live = 0;
    hm_pool_add_holes(pool, word, holes);
}

void hm_pool_clear(hm_pool *pool)
{
    HM_CONTRACT(pool != NULL, "hm_pool_clear: pool is NULL");
    hm_pool_refuse_when_busy(pool, "hm_pool_clear");
    uint32_t length;
    for (uint32_t i = hm_pool_next_run(pool, 0, &length); i != HM_INVALID_INDEX;
         i = hm_pool_next_run(pool, i + length, &length)) {
        for (uint32_t k = 0; pool->destroy != NULL && k < length; k++)
            (void)hm_pool_erase_slow(pool, i + k);
        hm_memory_poison(hm_pool_place_as(pool, i, pool->item_size), pool->item_size * length);
    }
    for (uint32_t word = 0; pool->count != 0; word++)
        pool_release_word(pool, word);
}

/* memory and questions */

hm_status hm_pool_trim(hm_pool *pool)
{
    HM_CONTRACT(pool != NULL, "hm_pool_trim: pool is NULL");
    if (hm_pool_is_busy(pool))
        return hm_fail_busy("pool", pool->name);
    if (pool->memory == NULL)
        return HM_OK;
    hm_status status;
    hm_pool_range gone;
    size_t unit = 0;
    do {
        status = hm_pool_storage_drop(pool, &unit, &gone);
        pool_chill(pool, gone);
    } while (status == HM_OK && unit < pool->unit_end);
    hm_pool_storage_settle(pool);
    pool->entry_array.count = pool->slot_count;
    pool->word_array.count = hm_pool_word_count(pool->slot_count);
    if (status == HM_OK)
        status = hm_array_decommit(&pool->entry_array);
    if (status == HM_OK)
        status = hm_array_decommit(&pool->word_array);
    pool_find_fresh_end(pool);
    return status;
}

hm_handle hm_pool_handle_of(const hm_pool *pool, const void *item)
{
    HM_CONTRACT(pool != NULL, "hm_pool_handle_of: pool is NULL");
    if (pool->count == 0)
        return HM_NULL_HANDLE;
    return hm_pool_handle_at(pool, hm_pool_storage_find(pool, item));
}

uint32_t hm_pool_measure_run(const hm_pool *pool, uint32_t first)
{
    uint32_t end = hm_pool_storage_run_end(pool, first);
    uint32_t slot = first;
    while (slot < end) {
        uint64_t holes = ~pool->words[slot / HM_POOL_WORD].live >> slot % HM_POOL_WORD;
        if (holes != 0) {
            slot += hm_bits_lowest(holes);
            break;
        }
        uint32_t rest = HM_POOL_WORD - slot % HM_POOL_WORD;
        slot = rest < end - slot ? slot + rest : end;
    }
    return (slot < end ? slot : end) - first;
}

hm_handle_state hm_pool_explain(const hm_pool *pool, hm_handle handle)
{
    HM_CONTRACT(pool != NULL, "hm_pool_explain: pool is NULL");
    uint32_t slot = hm_handle_index(handle);
    uint32_t generation = hm_handle_generation(handle);
    if (hm_handle_is_null(handle))
        return HM_HANDLE_NULL;
    if (hm_handle_is_free(handle) || generation == 0)
        return HM_HANDLE_FORGED;
    if (hm_handle_type_id(handle) != hm_pool_type_id(pool))
        return HM_HANDLE_FOREIGN;
    if (slot >= pool->slot_count)
        return HM_HANDLE_OUT_OF_RANGE;
    uint32_t last = hm_pool_entry_generation(pool->entries[slot]);
    if (last == HM_HANDLE_MAX_GENERATION && !hm_pool_lives(pool, slot))
        return HM_HANDLE_RETIRED;
    if (generation == last && hm_pool_lives(pool, slot))
        return HM_HANDLE_LIVE;
    return generation <= last ? HM_HANDLE_STALE : HM_HANDLE_FORGED;
}

hm_pool_stats hm_pool_get_stats(const hm_pool *pool)
{
    HM_CONTRACT(pool != NULL, "hm_pool_get_stats: pool is NULL");
    const hm_array *arrays[] = {&pool->entry_array, &pool->word_array, &pool->level_array,
                                &pool->unit_array, &pool->index_array};
    hm_pool_stats stats = {.count = pool->count,
                           .capacity = pool->capacity,
                           .slots = pool->slot_count,
                           .max_slots = pool->max_slots,
                           .free_slots = pool->slot_count - pool->count - pool->retired_count,
                           .retired_slots = pool->retired_count,
                           .committed_size = pool->item_committed_size,
                           .reserved_size = pool->item_reserved_size};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        stats.committed_size += arrays[i]->committed_size;
        stats.reserved_size += arrays[i]->reserved_size;
    }
    return stats;
}

/* validate */

typedef struct pool_census {
    uint32_t live, cold, retired; /* slots; the others are holes */
} pool_census;

/* Counts a slot as one of the four, or says that it is none. */
static bool pool_count_slot(const hm_pool *pool, uint32_t slot, pool_census *count)
{
    uint32_t entry = pool->entries[slot];
    const hm_pool_word *word = &pool->words[slot / HM_POOL_WORD];
    bool live = hm_pool_lives(pool, slot);
    bool hole = (word->holes >> slot % HM_POOL_WORD & 1) != 0;
    bool spent = hm_pool_entry_generation(entry) == HM_HANDLE_MAX_GENERATION;
    bool retired = !live && !hole && spent;
    count->live += live;
    count->retired += retired;
    count->cold += !live && !hole && !spent;
    if (hm_pool_entry_generation(entry) == 0 || live == ((entry & HM_POOL_FREE_ENTRY) != 0) ||
        ((entry ^ pool->fresh_entry) & ~HM_POOL_FREE_ENTRY) >> 16 != 0)
        return false;
    if ((live && hole) || (hole && spent))
        return false;
    /* A retired slot's memory is of no account. */
    return retired || hm_pool_storage_has(pool, slot) == (live || hole);
}

/* Behind the slots all bits are 0, and every level says which words below it are not: of those with
 * holes, all but the lowest, which stands in hole_word. */
static bool hm_pool_levels_are_valid(const hm_pool *pool)
{
    uint32_t below = hm_pool_word_count(pool->slot_count);
    uint32_t lowest = HM_INVALID_INDEX;
    const hm_pool_word *last = &pool->words[below - 1];
    if (pool->slot_count % HM_POOL_WORD != 0 &&
        (last->live | last->holes) >> pool->slot_count % HM_POOL_WORD != 0)
        return false;
    for (uint32_t i = below; i-- > 0;)
        if (pool->words[i].holes != 0)
            lowest = i;
    for (uint32_t level = 0; level < pool->level_count; level++) {
        for (uint32_t i = 0; i < hm_pool_word_count(below) * HM_POOL_WORD; i++) {
            bool is_set = (pool->levels[level][i / HM_POOL_WORD] >> i % HM_POOL_WORD & 1) != 0;
            uint64_t under = 0;
            if (i < below)
                under = level != 0    ? pool->levels[level - 1][i]
                        : i == lowest ? 0
                                      : pool->words[i].holes;
            if (is_set != (under != 0))
                return false;
        }
        below = hm_pool_word_count(below);
    }
    return pool->hole_word == lowest;
}

static bool pool_counts_are_valid(const hm_pool *pool)
{
    return pool->slot_count <= pool->max_slots && pool->count <= pool->capacity &&
           pool->slot_count <= pool->fresh_end && pool->fresh_end <= hm_pool_columns_limit(pool) &&
           pool->fresh_end <= hm_pool_storage_fresh_end(pool) &&
           pool->limit == (hm_pool_is_busy(pool) ? 0 : pool->capacity) &&
           pool->entries == hm_array_data(&pool->entry_array) && pool->top == pool_top_of(pool) &&
           (const void *)pool->words == hm_array_data(&pool->word_array);
}

hm_status hm_pool_validate(const hm_pool *pool)
{
    HM_CONTRACT(pool != NULL, "hm_pool_validate: pool is NULL");
    pool_census count = {0, 0, 0};
    if (pool->memory == NULL)
        return HM_OK;
    if (!pool_counts_are_valid(pool) || !hm_pool_storage_is_valid(pool))
        return hm_fail(HM_ERROR_CORRUPT, "the pool's counts and memory disagree");
    for (uint32_t slot = 0; slot < pool->slot_count; slot++)
        if (!pool_count_slot(pool, slot, &count))
            return hm_fail(HM_ERROR_CORRUPT,
                           "the entry or the bits of slot %" PRIu32 " are damaged", slot);
    if (pool->slot_count != 0 && !hm_pool_levels_are_valid(pool))
        return hm_fail(HM_ERROR_CORRUPT, "the levels above the pool's bits are damaged");
    bool whole = count.live == pool->count && count.cold == pool->cold_count &&
                 count.retired == pool->retired_count;
    if (!whole)
        return hm_fail(HM_ERROR_CORRUPT, "the pool's counts do not tell its slots");
    return HM_OK;
}
