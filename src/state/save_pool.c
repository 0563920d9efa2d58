/* SPDX-License-Identifier: MIT */
/* save: pools. Their payload: the generations of all slots, 0 for a retired one; the recent holes,
 * the next one that is filled first; a bit for each slot, whether it is live, unless all holes are
 * recent; the items in the order of their slots. Memory for items is made only where some are, so
 * the states of slots come first. */
#include "../pool/pool_private.h"
#include "state_private.h"

#include "../base/base_private.h"

enum { POOL_HOLES, POOL_SLOTS, POOL_RECENT, POOL_DETAILS };

/* The part of a section that is not items. */
static uint64_t saved_pool_states(const hm_save_section *section)
{
    const uint32_t *details = section->details;
    uint64_t slots = details[POOL_SLOTS], words = (slots + HM_POOL_WORD - 1) / HM_POOL_WORD;
    bool has_bits = details[POOL_RECENT] != details[POOL_HOLES];
    return 2 * slots + 4 * (uint64_t)details[POOL_RECENT] + (has_bits ? 8 * words : 0);
}

static uint64_t saved_pool_size(const hm_save_section *section)
{
    return (uint64_t)section->encoded_size * section->count + saved_pool_states(section);
}

static void pool_save_generations(hm_save_out *out, const hm_pool *pool)
{
    enum { MOST = HM_SAVE_BUFFER / 2 };
    for (uint32_t slot = 0; slot < pool->slot_count && out->status == HM_OK;) {
        uint32_t part = pool->slot_count - slot < MOST ? pool->slot_count - slot : MOST;
        for (uint32_t i = 0; i < part; i++, slot++) {
            uint32_t generation = pool->entries[slot] & HM_HANDLE_MAX_GENERATION;
            if (generation == HM_HANDLE_MAX_GENERATION && !hm_pool_lives(pool, slot))
                generation = 0;
            hm_save_put_16(out->buffer + (size_t)2 * i, generation);
        }
        hm_save_bytes(out, out->buffer, 2 * (size_t)part);
    }
}

static void pool_save_recent(hm_save_out *out, const hm_pool *pool)
{
    unsigned char bytes[4];
    for (uint32_t i = pool->recent_count; i-- > 0 && out->status == HM_OK;) {
        hm_save_put_32(bytes, pool->recent[i]);
        hm_save_bytes(out, bytes, sizeof bytes);
    }
}

static void pool_save_bits(hm_save_out *out, const hm_pool *pool)
{
    enum { MOST = HM_SAVE_BUFFER / 8 };
    uint32_t words = (uint32_t)(((uint64_t)pool->slot_count + HM_POOL_WORD - 1) / HM_POOL_WORD);
    for (uint32_t word = 0; word < words && out->status == HM_OK;) {
        uint32_t part = words - word < MOST ? words - word : MOST;
        for (uint32_t i = 0; i < part; i++, word++)
            hm_save_put_64(out->buffer + (size_t)8 * i, pool->words[word].live);
        hm_save_bytes(out, out->buffer, 8 * (size_t)part);
    }
}

hm_status hm_pool_save(const hm_pool *pool, const hm_save_desc *desc, hm_sink sink)
{
    HM_CONTRACT(pool != NULL, "hm_pool_save: pool is NULL");
    hm_save_section section = {.kind = HM_SAVE_POOL, .item_size = (uint32_t)pool->item_size};
    hm_save_out out;
    if (pool->entries == NULL)
        return hm_fail_uninitialised("pool");
    hm_status status = hm_save_describe(&section, desc, pool->name);
    if (status != HM_OK)
        return status;
    section.type_id = hm_pool_type_id(pool);
    section.count = pool->count;
    section.details[POOL_HOLES] = pool->slot_count - pool->count - pool->retired_count;
    section.details[POOL_SLOTS] = pool->slot_count;
    section.details[POOL_RECENT] = pool->recent_count;
    section.detail_count = POOL_DETAILS;
    section.payload_size = saved_pool_size(&section);
    hm_save_begin(&out, &section, sink);
    pool_save_generations(&out, pool);
    pool_save_recent(&out, pool);
    if (section.details[POOL_RECENT] != section.details[POOL_HOLES])
        pool_save_bits(&out, pool);
    uint32_t length;
    for (uint32_t i = hm_pool_next_run(pool, 0, &length); i != HM_INVALID_INDEX;
         i = hm_pool_next_run(pool, i + length, &length))
        hm_save_items(&out, desc, hm_pool_place_as(pool, i, pool->item_size), pool->item_size,
                      length);
    return hm_save_end(&out);
}

/* A pool that is being loaded. */
typedef struct pool_load {
    hm_pool *pool;
    const hm_save_desc *desc;
    uint32_t retired;
    uint32_t recent; /* of the holes that the section names, those that the pool keeps */
    uint32_t made;   /* all items below this slot have been made */
    hm_save_in in;
} pool_load;

static hm_status pool_load_check(pool_load *load)
{
    hm_save_in *in = &load->in;
    const hm_pool *pool = load->pool;
    const uint32_t *details = in->section.details;
    hm_status status = hm_load_check(in, load->desc, hm_pool_type_id(pool), pool->item_size);
    if (status != HM_OK)
        return status;
    bool reuses_last = (in->section.flags & HM_SAVE_REUSE_LAST) != 0;
    uint32_t recent = details[POOL_RECENT], holes = details[POOL_HOLES];
    if (in->section.detail_count != POOL_DETAILS ||
        (uint64_t)in->section.count + holes > details[POOL_SLOTS] || recent > holes ||
        (reuses_last ? recent != holes : recent > HM_POOL_RECENT) ||
        in->section.payload_size != saved_pool_size(&in->section))
        return hm_load_fail(in, HM_ERROR_CORRUPT, 0, "its size and its counts disagree");
    status = hm_load_check_limit(in, "items", in->section.count,
                                 load->desc != NULL ? load->desc->max_count : 0, pool->capacity);
    if (status != HM_OK)
        return status;
    return hm_load_check_limit(in, "slots", details[POOL_SLOTS],
                               load->desc != NULL ? load->desc->max_slots : 0, pool->max_slots);
}

/* Makes entries without the free bit, but for slots that are retired. */
static hm_status pool_load_generations(pool_load *load)
{
    enum { MOST = HM_SAVE_BUFFER / 2 };
    hm_save_in *in = &load->in;
    hm_pool *pool = load->pool;
    uint32_t slots = in->section.details[POOL_SLOTS];
    uint32_t upper = pool->fresh_entry & ~(uint32_t)HM_HANDLE_MAX_GENERATION;
    for (uint32_t slot = 0; slot < slots;) {
        uint32_t part = slots - slot < MOST ? slots - slot : MOST;
        if (!hm_load_bytes(in, in->buffer, 2 * (size_t)part))
            return in->status;
        hm_status status = hm_pool_fill_columns(pool, slot, slot + part);
        if (status != HM_OK)
            return status;
        for (uint32_t i = 0; i < part; i++, slot++) {
            uint32_t generation = hm_load_16(in->buffer + (size_t)2 * i);
            load->retired += generation == 0;
            if (generation == 0)
                generation = HM_POOL_FREE_ENTRY | HM_HANDLE_MAX_GENERATION;
            pool->entries[slot] = upper | generation;
        }
    }
    if (load->retired == slots - in->section.count - in->section.details[POOL_HOLES])
        return HM_OK;
    return hm_load_fail(in, HM_ERROR_CORRUPT, 0,
                        "%" HM_U32 " slots have generation 0, but that many are not retired",
                        load->retired);
}

/* Makes a slot a hole; false: it cannot be one. */
static bool pool_load_hole(hm_pool *pool, uint32_t slot)
{
    uint32_t entry = pool->entries[slot];
    if ((entry & HM_POOL_ERASE_MASK) >= HM_HANDLE_MAX_GENERATION)
        return false; /* It is free already, or has used up its generations. */
    pool->entries[slot] = entry | HM_POOL_FREE_ENTRY;
    return true;
}

static hm_status pool_load_recent(pool_load *load)
{
    enum { MOST = HM_SAVE_BUFFER / 4 };
    hm_save_in *in = &load->in;
    hm_pool *pool = load->pool;
    const uint32_t *details = in->section.details;
    load->recent = hm_pool_at_most(details[POOL_RECENT], HM_POOL_RECENT);
    for (uint32_t done = 0; done < details[POOL_RECENT];) {
        uint32_t left = details[POOL_RECENT] - done, part = left < MOST ? left : MOST;
        if (!hm_load_bytes(in, in->buffer, 4 * (size_t)part))
            return in->status;
        for (uint32_t i = 0; i < part; i++, done++) {
            uint32_t slot = hm_load_32(in->buffer + (size_t)4 * i);
            if (slot >= details[POOL_SLOTS] || !pool_load_hole(pool, slot))
                return hm_load_fail(in, HM_ERROR_CORRUPT, 4 * (size_t)(part - i),
                                    "slot %" HM_U32 " cannot be a hole, or is named twice", slot);
            if (done < load->recent)
                pool->recent[load->recent - 1 - done] = slot;
        }
    }
    return HM_OK;
}

/* Makes the word of up to 64 slots, of which `live` are live; false: that contradicts what is
 * known. */
static bool pool_load_word(hm_pool *pool, uint32_t first, uint32_t end, uint64_t live)
{
    hm_pool_word made = {live, 0};
    if (end - first < HM_POOL_WORD && live >> (end - first) != 0)
        return false;
    for (uint32_t slot = first; slot < end; slot++) {
        bool is_live = (live >> (slot - first) & 1) != 0;
        bool is_free = (pool->entries[slot] & HM_POOL_FREE_ENTRY) != 0;
        if (is_live == is_free && (is_live || !pool_load_hole(pool, slot)))
            return false;
        if ((pool->entries[slot] & HM_POOL_ERASE_MASK) !=
            (HM_POOL_FREE_ENTRY | HM_HANDLE_MAX_GENERATION))
            made.open |= UINT64_C(1) << (slot - first);
    }
    pool->words[first / HM_POOL_WORD] = made;
    return true;
}

/* Returns which slots of a word are not free. */
static uint64_t pool_find_live(const hm_pool *pool, uint32_t first, uint32_t end)
{
    uint64_t live = 0;
    for (uint32_t slot = first; slot < end; slot++)
        if ((pool->entries[slot] & HM_POOL_FREE_ENTRY) == 0)
            live |= UINT64_C(1) << (slot - first);
    return live;
}

static hm_status pool_load_words(pool_load *load)
{
    hm_save_in *in = &load->in;
    const uint32_t *details = in->section.details;
    uint32_t slots = details[POOL_SLOTS], count = 0;
    bool has_bits = details[POOL_RECENT] != details[POOL_HOLES];
    unsigned char bytes[8];
    for (uint32_t first = 0, end; first < slots; first = end) {
        end = slots - first < HM_POOL_WORD ? slots : first + HM_POOL_WORD;
        if (has_bits && !hm_load_bytes(in, bytes, sizeof bytes))
            return in->status;
        uint64_t live = has_bits ? hm_load_64(bytes) : pool_find_live(load->pool, first, end);
        if (!pool_load_word(load->pool, first, end, live))
            return hm_load_fail(in, HM_ERROR_CORRUPT, sizeof bytes,
                                "a bit of the slots from %" HM_U32 " on is wrong", first);
        for (; live != 0; live &= live - 1)
            count++;
    }
    if (count == in->section.count)
        return HM_OK;
    return hm_load_fail(in, HM_ERROR_CORRUPT, 0, "%" HM_U32 " slots are live, not %" HM_U32, count,
                        in->section.count);
}

/* Reads the items of a run. */
static hm_status pool_load_run(pool_load *load, uint32_t slot, uint32_t length)
{
    hm_pool *pool = load->pool;
    while (length > 0) {
        uint32_t n = hm_load_next(pool->item_size, length);
        hm_status status = hm_pool_fill_places(pool, slot, n);
        if (status != HM_OK)
            return status;
        void *place = hm_pool_place_as(pool, slot, pool->item_size);
        hm_memory_unpoison(place, pool->item_size * n);
        load->made = slot + hm_load_items(&load->in, load->desc, place, pool->item_size, n);
        if (load->in.status != HM_OK)
            return load->in.status;
        slot += n;
        length -= n;
    }
    return HM_OK;
}

static hm_status pool_load_items(pool_load *load)
{
    hm_pool *pool = load->pool;
    uint32_t slots = load->in.section.details[POOL_SLOTS], length;
    for (uint32_t slot = 0; slot < slots; slot += length) {
        uint64_t rest = pool->words[slot / HM_POOL_WORD].live >> slot % HM_POOL_WORD;
        length = rest == 0 ? HM_POOL_WORD - slot % HM_POOL_WORD : hm_bits_lowest(rest);
        if (length > slots - slot)
            break;
        if (length != 0)
            continue;
        length = hm_pool_fill_run(pool, slots, slot);
        hm_status status = pool_load_run(load, slot, length);
        if (status != HM_OK)
            return status;
    }
    return HM_OK;
}

/* Destroys what decode made; what is left is trimmed when the pool is at rest. */
static void pool_load_drop(pool_load *load)
{
    hm_pool *pool = load->pool;
    bool destroys = load->desc != NULL && load->desc->decode != NULL && pool->destroy != NULL;
    for (uint32_t slot = load->made; slot-- > 0;) {
        if (!hm_pool_lives(pool, slot))
            continue;
        void *place = hm_pool_place_as(pool, slot, pool->item_size);
        if (destroys)
            pool->destroy(place, pool->context);
        hm_memory_poison(place, pool->item_size);
    }
    hm_pool_fill_undo(pool);
}

static hm_status pool_load_all(pool_load *load, hm_source source)
{
    hm_status status = hm_load_find(&load->in, HM_SAVE_POOL, load->desc, load->pool->name, source);
    if (status == HM_OK)
        status = pool_load_check(load);
    if (status == HM_OK)
        status = pool_load_generations(load);
    if (status == HM_OK)
        status = pool_load_recent(load);
    if (status == HM_OK)
        status = pool_load_words(load);
    if (status == HM_OK)
        status = pool_load_items(load);
    if (status == HM_OK)
        status = hm_load_end(&load->in);
    return status;
}

hm_status hm_pool_load(hm_pool *pool, const hm_save_desc *desc, hm_source source)
{
    HM_CONTRACT(pool != NULL, "hm_pool_load: pool is NULL");
    if (hm_guard_refuses(&pool->guard, "pool", pool->name))
        return HM_ERROR_BUSY;
    if (pool->entries == NULL)
        return hm_fail_uninitialised("pool");
    if (pool->slot_count != 0)
        return hm_load_fail_used("pool", pool->name);
    pool_load load;
    load.pool = pool;
    load.desc = desc;
    load.retired = load.recent = load.made = 0;
    hm_pool_enter(pool);
    hm_status status = pool_load_all(&load, source);
    const hm_save_section *section = &load.in.section;
    if (status == HM_OK)
        status = hm_pool_fill_end(pool, section->details[POOL_SLOTS], section->count, load.retired,
                                  load.recent);
    if (status != HM_OK)
        pool_load_drop(&load);
    hm_pool_leave(pool);
    status = hm_pool_blame(pool, status);
    return status == HM_OK ? HM_OK : hm_load_failed(status, hm_pool_trim(pool));
}
