/* SPDX-License-Identifier: MIT */
/* save: pools. Their payload: the generations of all slots, 0 for a retired one; the recent holes,
 * the next one that is filled first; a bit for each slot, whether it is live, unless all holes are
 * recent; the items in the order of their slots. Memory for items is made only where some are, so
 * the states of slots come first. */
#include "../pool/pool_private.h"
#include "state_private.h"

#include "../base/base_private.h"

enum { POOL_HOLES, POOL_SLOTS, POOL_RECENT, POOL_DETAILS };

static uint32_t pool_words_of(uint64_t slots)
{
    return (uint32_t)((slots + HM_POOL_WORD - 1) / HM_POOL_WORD);
}

static uint64_t saved_pool_measure(const hm_save_section *section)
{
    const uint32_t *details = section->details;
    uint64_t slots = details[POOL_SLOTS];
    uint64_t states = 2 * slots + 4 * (uint64_t)details[POOL_RECENT];
    if (details[POOL_RECENT] != details[POOL_HOLES])
        states += 8 * (uint64_t)pool_words_of(slots);
    return (uint64_t)section->encoded_size * section->count + states;
}

static uint64_t pool_generation(const void *container, uint32_t slot)
{
    const hm_pool *pool = container;
    uint32_t generation = pool->entries[slot] & HM_HANDLE_MAX_GENERATION;
    return generation == pool->places.last_generation && !hm_pool_lives(pool, slot) ? 0
                                                                                    : generation;
}

static uint64_t pool_recent(const void *container, uint32_t i)
{
    const hm_pool *pool = container;
    return pool->recent[pool->recent_count - 1 - i];
}

static uint64_t pool_live(const void *container, uint32_t word)
{
    return ((const hm_pool *)container)->words[word].live;
}

/* Returns how many promised slots are holes in a file, in which no promise counts: those whose last
 * generation was promised are retired. */
static uint32_t pool_count_lost(const hm_pool *pool)
{
    uint32_t lost = 0;
    for (uint32_t slot = 0; hm_pool_promised(pool) != 0 && slot < pool->slot_count; slot++)
        lost += hm_pool_is_promised(pool, slot) && pool_generation(pool, slot) != 0;
    return lost;
}

static void saved_pool_describe(const void *container, hm_save_section *section)
{
    const hm_pool *pool = container;
    section->type_id = hm_pool_type_id(pool);
    section->count = pool->count;
    section->item_size = (uint32_t)pool->item_size;
    section->details[POOL_HOLES] = hm_pool_hole_count(pool) + pool_count_lost(pool);
    section->details[POOL_SLOTS] = pool->slot_count;
    section->details[POOL_RECENT] = pool->recent_count;
    section->detail_count = POOL_DETAILS;
}

static void saved_pool_write(hm_save_out *out, const void *container, const hm_save_desc *desc)
{
    const hm_pool *pool = container;
    const uint32_t *details = out->section->details;
    uint32_t length;
    hm_save_numbers(out, 2, pool->slot_count, pool_generation, pool);
    hm_save_numbers(out, 4, details[POOL_RECENT], pool_recent, pool);
    if (details[POOL_RECENT] != details[POOL_HOLES])
        hm_save_numbers(out, 8, pool_words_of(pool->slot_count), pool_live, pool);
    for (uint32_t i = hm_pool_next_run(pool, 0, &length); i != HM_INVALID_INDEX;
         i = hm_pool_next_run(pool, i + length, &length))
        hm_save_items(out, desc, hm_pool_place_sized(pool, i, pool->item_size), pool->item_size,
                      length);
}

static hm_status saved_pool_begin(hm_load *load)
{
    hm_pool *pool = load->container;
    if (pool->slot_count != 0)
        return hm_load_fail_used("pool", pool->name);
    load->retired = 0;
    hm_pool_enter(pool);
    return HM_OK;
}

static hm_status saved_pool_check(hm_load *load)
{
    hm_save_in *in = &load->in;
    const hm_pool *pool = load->container;
    const uint32_t *details = in->section.details;
    bool reuses_last = (in->section.flags & HM_SAVE_REUSE_LAST) != 0;
    uint32_t recent = details[POOL_RECENT], holes = details[POOL_HOLES];
    if (in->section.detail_count != POOL_DETAILS ||
        (uint64_t)in->section.count + holes > details[POOL_SLOTS] || recent > holes ||
        (reuses_last ? recent != holes : recent > HM_POOL_RECENT) ||
        in->section.payload_size != saved_pool_measure(&in->section))
        return hm_load_disagree(in);
    hm_status status =
        hm_load_check_limit(in, "items", in->section.count,
                            load->desc != NULL ? load->desc->max_count : 0, pool->capacity);
    if (status != HM_OK)
        return status;
    return hm_load_check_limit(in, "slots", details[POOL_SLOTS],
                               load->desc != NULL ? load->desc->max_slots : 0, pool->max_slots);
}

/* Makes entries without the free bit, but for slots that are retired. */
static hm_status pool_load_generations(hm_load *load)
{
    hm_save_in *in = &load->in;
    hm_pool *pool = load->container;
    uint32_t slots = in->section.details[POOL_SLOTS], last = pool->places.last_generation;
    uint32_t upper = pool->fresh_entry & ~(uint32_t)HM_HANDLE_MAX_GENERATION;
    for (uint32_t slot = 0; slot < slots;) {
        uint32_t part = hm_load_part(in, 2, slots - slot);
        hm_status status = part != 0 ? hm_pool_fill_columns(pool, slot, slot + part) : in->status;
        if (status != HM_OK)
            return status;
        for (uint32_t i = 0; i < part; i++, slot++) {
            uint32_t generation = hm_load_16(in->buffer + (size_t)2 * i);
            if (generation > last)
                return hm_load_fail_generation(in, 2 * (size_t)(part - i), generation, last);
            load->retired += generation == 0;
            if (generation == 0)
                generation = HM_POOL_FREE_ENTRY | last;
            pool->entries[slot] = upper | generation;
        }
    }
    return hm_load_check_retired(in, load->retired,
                                 slots - in->section.count - in->section.details[POOL_HOLES]);
}

/* Makes a slot a hole, if it is not free and has a generation left. */
static hm_status pool_load_hole(hm_load *load, uint32_t slot, size_t behind)
{
    hm_pool *pool = load->container;
    uint32_t last = pool->places.last_generation;
    if (slot < load->in.section.details[POOL_SLOTS]) {
        uint32_t entry = pool->entries[slot];
        pool->entries[slot] = entry | HM_POOL_FREE_ENTRY;
        if ((entry & HM_POOL_ERASE_MASK) < last)
            return HM_OK;
        if ((entry & HM_POOL_ERASE_MASK) == last && last != HM_HANDLE_MAX_GENERATION)
            return hm_load_fail_generation(&load->in, behind, last + 1, last);
    }
    return hm_load_fail(&load->in, HM_ERROR_CORRUPT, behind,
                        "slot %" HM_U32 " cannot be a hole, or is named twice", slot);
}

/* Returns how many of the holes that the section names are recent in the pool. */
static uint32_t pool_loaded_recent(const hm_load *load)
{
    return hm_pool_at_most(load->in.section.details[POOL_RECENT], HM_POOL_RECENT);
}

static hm_status pool_load_recent(hm_load *load)
{
    hm_save_in *in = &load->in;
    hm_pool *pool = load->container;
    const uint32_t *details = in->section.details;
    uint32_t kept = pool_loaded_recent(load);
    for (uint32_t done = 0; done < details[POOL_RECENT];) {
        uint32_t part = hm_load_part(in, 4, details[POOL_RECENT] - done);
        if (part == 0)
            return in->status;
        for (uint32_t i = 0; i < part; i++, done++) {
            uint32_t slot = hm_load_32(in->buffer + (size_t)4 * i);
            hm_status status = pool_load_hole(load, slot, 4 * (size_t)(part - i));
            if (status != HM_OK)
                return status;
            if (done < kept)
                pool->recent[kept - 1 - done] = slot;
        }
    }
    return HM_OK;
}

/* Makes the word of up to 64 slots, of which `live` are live. */
static hm_status pool_load_word(hm_load *load, uint32_t first, uint32_t end, uint64_t live)
{
    enum { BYTES = 8 };
    hm_pool *pool = load->container;
    hm_pool_word made = {live, 0};
    bool is_wrong = end - first < HM_POOL_WORD && live >> (end - first) != 0;
    for (uint32_t slot = first; slot < end && !is_wrong; slot++) {
        bool is_live = (live >> (slot - first) & 1) != 0;
        bool is_free = (pool->entries[slot] & HM_POOL_FREE_ENTRY) != 0;
        hm_status status = HM_OK;
        is_wrong = is_live && is_free;
        if (!is_live && !is_free)
            status = pool_load_hole(load, slot, BYTES);
        if (status != HM_OK)
            return status;
        if ((pool->entries[slot] & HM_POOL_ERASE_MASK) !=
            (HM_POOL_FREE_ENTRY | pool->places.last_generation))
            made.open |= UINT64_C(1) << (slot - first);
    }
    pool->words[first / HM_POOL_WORD] = made;
    if (!is_wrong)
        return HM_OK;
    return hm_load_fail(&load->in, HM_ERROR_CORRUPT, BYTES,
                        "a bit of the slots from %" HM_U32 " on is wrong", first);
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

static hm_status pool_load_words(hm_load *load)
{
    hm_save_in *in = &load->in;
    const uint32_t *details = in->section.details;
    uint32_t slots = details[POOL_SLOTS], count = 0;
    bool has_bits = details[POOL_RECENT] != details[POOL_HOLES];
    unsigned char bytes[8];
    for (uint32_t first = 0, end; first < slots; first = end) {
        end = slots - first < HM_POOL_WORD ? slots : first + HM_POOL_WORD;
        if (has_bits && !hm_load_read(in, bytes, sizeof bytes))
            return in->status;
        uint64_t live = has_bits ? hm_load_64(bytes) : pool_find_live(load->container, first, end);
        hm_status status = pool_load_word(load, first, end, live);
        if (status != HM_OK)
            return status;
        for (; live != 0; live &= live - 1)
            count++;
    }
    if (count == in->section.count)
        return HM_OK;
    return hm_load_fail(in, HM_ERROR_CORRUPT, 0, "%" HM_U32 " slots are live, not %" HM_U32, count,
                        in->section.count);
}

/* Reads the items of a run. */
static hm_status pool_load_run(hm_load *load, uint32_t slot, uint32_t length)
{
    hm_pool *pool = load->container;
    while (length > 0) {
        uint32_t n = hm_load_next(pool->item_size, length);
        hm_status status = hm_pool_fill_places(pool, slot, n);
        if (status != HM_OK)
            return status;
        void *place = hm_pool_place_sized(pool, slot, pool->item_size);
        hm_memory_unpoison(place, pool->item_size * n);
        load->made = slot + hm_load_items(&load->in, load->desc, place, pool->item_size, n);
        if (load->in.status != HM_OK)
            return load->in.status;
        slot += n;
        length -= n;
    }
    return HM_OK;
}

static hm_status pool_load_items(hm_load *load)
{
    hm_pool *pool = load->container;
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

static hm_status saved_pool_read(hm_load *load)
{
    hm_status status = pool_load_generations(load);
    if (status == HM_OK)
        status = pool_load_recent(load);
    if (status == HM_OK)
        status = pool_load_words(load);
    return status == HM_OK ? pool_load_items(load) : status;
}

static hm_status saved_pool_finish(hm_load *load, hm_status status)
{
    hm_pool *pool = load->container;
    const hm_save_section *section = &load->in.section;
    if (status == HM_OK)
        status = hm_pool_fill_end(pool, section->details[POOL_SLOTS], section->count, load->retired,
                                  pool_loaded_recent(load));
    if (status == HM_OK)
        return HM_OK;
    for (uint32_t slot = load->made; slot-- > 0;) {
        if (!hm_pool_lives(pool, slot))
            continue;
        void *place = hm_pool_place_sized(pool, slot, pool->item_size);
        hm_load_destroy(load->desc, pool->destroy, pool->context, place, pool->item_size, 1);
        hm_memory_poison(place, pool->item_size);
    }
    hm_pool_fill_undo(pool);
    return status;
}

static void saved_pool_rest(hm_pool *pool)
{
    hm_pool_leave(pool);
}

HM_SAVED(pool, HM_SAVE_POOL, 0, NULL, saved_pool_begin)
