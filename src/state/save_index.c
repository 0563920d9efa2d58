/* SPDX-License-Identifier: MIT */
/* save: indices. Their payload: the owners in the order of their positions; then the blocks, in the
 * order in which a loop over all keys meets them, each with the positions of its key's members.
 *
 * A load fills an index of its own, and exchanges both in the end. */
#include "../index/index_private.h"
#include "state_private.h"

#include "../base/base_private.h"

enum { INDEX_KEYS = HM_SAVE_OWNER_SLOTS + 1, INDEX_DETAILS };

enum { INDEX_KEY = 8, INDEX_MEMBER = 4 /* bytes */ };

static void saved_index_describe(const void *container, hm_save_section *section)
{
    const hm_index *index = container;
    section->type_id = index->owners.type_id;
    section->count = index->owners.count;
    section->item_size = HM_SAVE_OWNER + INDEX_MEMBER;
    section->details[HM_SAVE_OWNER_SLOTS] = hm_save_slots_of(index->owners.owners, section->count);
    section->detail_count = INDEX_DETAILS;
    section->details[INDEX_KEYS] = hm_save_describe_blocks(section, &index->members);
}

static uint64_t saved_index_measure(const hm_save_section *section)
{
    return (uint64_t)section->count * (HM_SAVE_OWNER + INDEX_MEMBER) +
           hm_save_size_of_blocks(section, INDEX_DETAILS, INDEX_KEY, section->details[INDEX_KEYS]);
}

/* A key, whose members are positions of owners. */
typedef struct index_members {
    const hm_index *index;
    const hm_handle *members;
} index_members;

static uint64_t index_position(const void *key, uint32_t i)
{
    const index_members *of = key;
    return hm_secondary_find(&of->index->owners, of->members[i]);
}

static void saved_index_write(hm_save_out *out, const void *container, const hm_save_desc *desc)
{
    const hm_index *index = container;
    const hm_lists_blocks *members = &index->members;
    (void)desc; /* It is refused if it encodes. */
    hm_save_owners(out, index->owners.owners, out->section->count);
    for (uint32_t unit = 1; unit < members->end && out->status == HM_OK;
         unit = hm_lists_end_of(members, unit)) {
        uint32_t bucket = hm_lists_block_at(members, unit)->slot;
        bool is_free = bucket == HM_LISTS_FREE;
        hm_save_block(out, members, unit, is_free ? 0 : index->buckets[bucket].key, INDEX_KEY);
        if (is_free)
            continue;
        const index_members of = {index, hm_index_items(index, bucket)};
        hm_save_numbers(out, INDEX_MEMBER, hm_index_member_count(index, bucket), index_position,
                        &of);
    }
}

static hm_status saved_index_begin(hm_load *load)
{
    hm_index *index = load->container;
    load->opened = 1;
    load->blocks = (hm_load_blocks){.blocks = &index->members};
    hm_guard_enter(&index->owners.guard);
    return HM_OK;
}

static hm_status saved_index_check(hm_load *load)
{
    const hm_save_section *section = &load->in.section;
    const hm_index *index = load->container;
    bool agrees = section->detail_count >= INDEX_DETAILS &&
                  section->count >= section->details[INDEX_KEYS] &&
                  section->payload_size == saved_index_measure(section);
    hm_status status =
        hm_load_check_owners(&load->in, load->desc, &index->owners, "owners", agrees);
    return status == HM_OK ? hm_load_check_blocks(load, INDEX_DETAILS, section->details[INDEX_KEYS],
                                                  section->count, true)
                           : status;
}

static hm_status index_load_owners(hm_load *load)
{
    hm_save_in *in = &load->in;
    hm_index *index = load->container;
    hm_secondary *owners = &index->owners;
    for (uint32_t made = 0; made < in->section.count;) {
        uint32_t n = hm_load_next(sizeof(hm_index_place), in->section.count - made);
        hm_status status = hm_secondary_make_room(owners, made, n);
        if (status == HM_OK)
            status = hm_load_owners(in, owners->owners + made, n,
                                    in->section.details[HM_SAVE_OWNER_SLOTS], owners->type_id);
        if (status != HM_OK)
            return status;
        hm_index_place *places = hm_index_places(index) + made;
        hm_memory_unpoison(places, sizeof *places * n);
        for (uint32_t i = 0; i < n; i++)
            places[i] = (hm_index_place){HM_INDEX_NO_BUCKET, 0};
        made += n;
    }
    return HM_OK;
}

/* Reads positions, and makes their owners the members of a bucket behind those that it has. */
static hm_status index_load_part(hm_load *load, uint32_t bucket, uint32_t part)
{
    hm_save_in *in = &load->in;
    hm_index *index = load->container;
    hm_lists_record *record = hm_index_record(index, bucket);
    hm_index_place *places = hm_index_places(index);
    hm_handle *items = hm_index_items(index, bucket);
    for (uint32_t i = 0; i < part; i++) {
        uint32_t at = hm_load_32(in->buffer + (size_t)INDEX_MEMBER * i);
        if (at >= in->section.count || places[at].bucket != HM_INDEX_NO_BUCKET)
            return hm_load_fail(in, HM_ERROR_CORRUPT, INDEX_MEMBER * (size_t)(part - i),
                                "position %" HM_U32 " has no owner, or is named twice", at);
        places[at] = (hm_index_place){bucket, record->count};
        items[record->count++] = index->owners.owners[at];
    }
    return HM_OK;
}

/* Reads the members of a key that has a bucket. */
static hm_status index_load_members(hm_load *load, uint32_t bucket, const hm_load_block *from)
{
    hm_save_in *in = &load->in;
    hm_index *index = load->container;
    hm_lists_blocks *members = &index->members;
    uint32_t unit = load->opened;
    for (uint32_t done = 0; done < from->count;) {
        uint32_t part = hm_load_part(in, INDEX_MEMBER, from->count - done);
        if (part == 0)
            return in->status;
        hm_status status = hm_load_open_block(load, from, unit, (uint64_t)done + part);
        if (status != HM_OK)
            return status;
        hm_lists_block *block = hm_lists_block_at(members, unit);
        hm_memory_unpoison(block, (size_t)(load->opened - unit) << members->unit_shift);
        hm_index_record(index, bucket)->unit = unit;
        status = index_load_part(load, bucket, part);
        if (status != HM_OK)
            return status;
        done += part;
        *block = (hm_lists_block){bucket, hm_load_size_of(from, done)};
    }
    if (from->size != 0)
        hm_index_record(index, bucket)->capacity = hm_lists_capacity_at(members, unit);
    load->made += from->count;
    return HM_OK;
}

/* Makes a bucket for the key of a block, and reads its members. */
static hm_status index_load_key(hm_load *load, const hm_load_block *block)
{
    hm_save_in *in = &load->in;
    hm_index *index = load->container;
    uint32_t bucket;
    if (block->count == 0 || block->count > in->section.count - load->made ||
        hm_index_find_key(index, block->id) != HM_INVALID_INDEX)
        return hm_load_fail(in, HM_ERROR_CORRUPT, block->head,
                            "key %" HM_U64 " has %" HM_U32 " members, or is there twice", block->id,
                            block->count);
    if (index->key_limit != 0 && block->id >= index->key_limit)
        return hm_load_fail(in, HM_ERROR_INVALID, block->head,
                            "key %" HM_U64 " is not below key_limit %" HM_U32, block->id,
                            index->key_limit);
    /* Blocks and owners may move with the keys: as many as these say. */
    index->members.end = load->opened;
    index->owners.count = in->section.count;
    hm_status status = hm_index_add_key(index, block->id, &bucket);
    index->owners.count = 0;
    return status == HM_OK ? index_load_members(load, bucket, block) : status;
}

static hm_status index_load_keys(hm_load *load)
{
    hm_load_block block = {.is_there = true};
    while (block.is_there) {
        hm_status status = hm_load_next_block(load, INDEX_KEY, &block);
        if (status == HM_OK && block.is_there)
            status = index_load_key(load, &block);
        if (status != HM_OK)
            return status;
    }
    uint32_t left = load->in.section.count - load->made;
    if (left != 0)
        return hm_load_fail(&load->in, HM_ERROR_CORRUPT, 0, "%" HM_U32 " owners have no key", left);
    return hm_load_end(&load->in);
}

static hm_status saved_index_read(hm_load *load)
{
    hm_status status = index_load_owners(load);
    return status == HM_OK ? hm_load_confirm(&load->in, index_load_keys(load)) : status;
}

static hm_status saved_index_finish(hm_load *load, hm_status status)
{
    hm_index *index = load->container;
    const hm_save_section *section = &load->in.section;
    if (status == HM_OK)
        status = hm_load_publish_owners(&load->in, &index->owners, section->count,
                                        section->details[HM_SAVE_OWNER_SLOTS]);
    hm_array_fini(&load->blocks.units);
    if (status == HM_OK)
        hm_load_publish_blocks(load, section->count);
    return status;
}

/* One that failed is released. */
static hm_status saved_index_leave(void *container, hm_status status)
{
    hm_index *index = container;
    hm_guard_leave(&index->owners.guard, hm_secondary_committed_values(&index->owners));
    hm_guard_leave(&index->guard, 0);
    return hm_index_blame(index, status);
}

static const hm_saved_kind saved_index = {.known = &hm_known_index,
                                          .number = HM_SAVE_INDEX,
                                          .describe = saved_index_describe,
                                          .measure = saved_index_measure,
                                          .write = saved_index_write,
                                          .begin = saved_index_begin,
                                          .check = saved_index_check,
                                          .read = saved_index_read,
                                          .finish = saved_index_finish,
                                          .leave = saved_index_leave};

/* An owner has nothing that a program could encode. */
static hm_status index_check_desc(const hm_save_desc *desc)
{
    if (desc == NULL || (desc->encode == NULL && desc->decode == NULL))
        return HM_OK;
    return hm_fail(HM_ERROR_INVALID,
                   "hm_index_save, hm_index_load: an index has no items to encode or decode");
}

hm_status hm_index_save(const hm_index *index, const hm_save_desc *desc, hm_sink sink)
{
    HM_CONTRACT(index != NULL, "hm_index_save: index is NULL");
    hm_status status = index->owners.values != NULL ? index_check_desc(desc) : HM_OK;
    return status == HM_OK ? hm_save_container(&saved_index, index, desc, sink) : status;
}

hm_status hm_index_load(hm_index *index, const hm_save_desc *desc, hm_source source)
{
    HM_CONTRACT(index != NULL, "hm_index_load: index is NULL");
    hm_index fresh;
    hm_status status = hm_state_admit(&hm_known_index, index);
    if (status == HM_OK)
        status = hm_load_check_empty("index", index->name, "owners", hm_index_count(index));
    if (status == HM_OK)
        status = index_check_desc(desc);
    if (status == HM_OK)
        status = hm_index_init_like(&fresh, index);
    if (status != HM_OK)
        return hm_index_blame(index, status);
    hm_guard_enter(&index->guard);
    status = hm_load_container(&saved_index, &fresh, desc, source);
    if (status == HM_OK)
        hm_index_take(index, &fresh);
    else
        hm_index_release(&fresh);
    hm_guard_leave(&index->guard, 0);
    return status;
}
