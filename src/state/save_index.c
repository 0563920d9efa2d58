/* SPDX-License-Identifier: MIT */
/* save: indices. Their payload: the owners in the order of their positions; then each key, in the
 * order in which a loop over all keys meets it: the key, how many members it has, their positions.
 *
 * A load fills an index of its own, and exchanges both in the end. */
#include "../index/index_private.h"
#include "state_private.h"

#include "../base/base_private.h"

enum { INDEX_KEYS = HM_SAVE_OWNER_SLOTS + 1, INDEX_DETAILS };

enum { INDEX_HEAD = 12 /* bytes before the members of a key */, INDEX_MEMBER = 4 };

static uint64_t saved_index_size(const hm_save_section *section)
{
    return (uint64_t)section->count * (HM_SAVE_OWNER + INDEX_MEMBER) +
           (uint64_t)section->details[INDEX_KEYS] * INDEX_HEAD;
}

static void index_save_members(hm_save_out *out, const hm_index *index, const hm_handle *members,
                               uint32_t n)
{
    enum { MOST = HM_SAVE_BUFFER / INDEX_MEMBER };
    while (n > 0 && out->status == HM_OK) {
        uint32_t part = n < MOST ? n : MOST;
        for (uint32_t i = 0; i < part; i++)
            hm_save_put_32(out->buffer + (size_t)INDEX_MEMBER * i,
                           hm_secondary_find(&index->owners, members[i]));
        hm_save_bytes(out, out->buffer, (size_t)INDEX_MEMBER * part);
        members += part;
        n -= part;
    }
}

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
    hm_save_section section = {.kind = HM_SAVE_INDEX,
                               .type_id = index->owners.type_id,
                               .item_size = HM_SAVE_OWNER + INDEX_MEMBER,
                               .count = index->owners.count,
                               .detail_count = INDEX_DETAILS};
    hm_save_out out;
    hm_index_view view = {0};
    if (index->owners.values == NULL)
        return hm_fail_uninitialised("index");
    hm_status status = index_check_desc(desc);
    if (status == HM_OK)
        status = hm_save_describe(&section, desc, index->name);
    if (status != HM_OK)
        return status;
    section.details[HM_SAVE_OWNER_SLOTS] = hm_save_slots_of(index->owners.owners, section.count);
    section.details[INDEX_KEYS] = index->key_count;
    section.payload_size = saved_index_size(&section);
    hm_save_begin(&out, &section, sink);
    hm_save_owners(&out, index->owners.owners, section.count);
    while (hm_index_next(index, &view) && out.status == HM_OK) {
        hm_save_put_64(out.buffer, view.key);
        hm_save_put_32(out.buffer + 8, view.count);
        hm_save_bytes(&out, out.buffer, INDEX_HEAD);
        index_save_members(&out, index, view.members, view.count);
    }
    return hm_save_end(&out);
}

/* An index that is being loaded. */
typedef struct index_load {
    const hm_index *index;
    const hm_save_desc *desc;
    hm_index fresh;
    uint32_t left; /* owners that are members of no key yet */
    uint32_t end;  /* of the blocks of members */
    hm_save_in in;
} index_load;

static hm_status index_load_check(index_load *load)
{
    hm_save_in *in = &load->in;
    const hm_save_section *section = &in->section;
    const hm_secondary *owners = &load->index->owners;
    hm_status status =
        hm_load_check(in, load->desc, owners->type_id, (size_t)HM_SAVE_OWNER + INDEX_MEMBER);
    if (status != HM_OK)
        return status;
    return hm_load_check_owners(in, load->desc, owners, "owners",
                                section->detail_count == INDEX_DETAILS &&
                                    section->count >= section->details[INDEX_KEYS] &&
                                    section->payload_size == saved_index_size(section));
}

static hm_status index_load_owners(index_load *load)
{
    hm_save_in *in = &load->in;
    hm_secondary *owners = &load->fresh.owners;
    for (uint32_t made = 0; made < in->section.count;) {
        uint32_t n = hm_load_next(sizeof(hm_index_place), in->section.count - made);
        hm_status status = hm_secondary_make_room(owners, made, n);
        if (status == HM_OK)
            status = hm_load_owners(in, owners->owners + made, n,
                                    in->section.details[HM_SAVE_OWNER_SLOTS], owners->type_id);
        if (status != HM_OK)
            return status;
        hm_index_place *places = hm_index_places(&load->fresh) + made;
        hm_memory_unpoison(places, sizeof *places * n);
        for (uint32_t i = 0; i < n; i++)
            places[i] = (hm_index_place){HM_INDEX_NO_BUCKET, 0};
        made += n;
    }
    load->left = in->section.count;
    return HM_OK;
}

/* Reads positions, and makes their owners the members of a bucket behind those that it has. */
static hm_status index_load_part(index_load *load, uint32_t bucket, uint32_t part)
{
    hm_save_in *in = &load->in;
    hm_index *fresh = &load->fresh;
    hm_lists_record *record = hm_index_record(fresh, bucket);
    hm_index_place *places = hm_index_places(fresh);
    hm_handle *items = hm_index_items(fresh, bucket);
    for (uint32_t i = 0; i < part; i++) {
        uint32_t at = hm_load_32(in->buffer + (size_t)INDEX_MEMBER * i);
        if (at >= in->section.count || places[at].bucket != HM_INDEX_NO_BUCKET)
            return hm_load_fail(in, HM_ERROR_CORRUPT, INDEX_MEMBER * (size_t)(part - i),
                                "position %" HM_U32 " has no owner, or is named twice", at);
        places[at] = (hm_index_place){bucket, record->count};
        items[record->count++] = fresh->owners.owners[at];
    }
    return HM_OK;
}

/* Makes an exact block, as lists that are loaded have. */
static hm_status index_load_members(index_load *load, uint32_t bucket, uint32_t n)
{
    enum { MOST = HM_SAVE_BUFFER / INDEX_MEMBER };
    hm_save_in *in = &load->in;
    hm_lists_blocks *members = &load->fresh.members;
    uint32_t unit = load->end;
    for (uint32_t done = 0; done < n;) {
        uint32_t part = n - done < MOST ? n - done : MOST;
        if (!hm_load_bytes(in, in->buffer, (size_t)INDEX_MEMBER * part))
            return in->status;
        hm_status status = hm_load_widen_block(members, &load->end, unit, (uint64_t)done + part);
        if (status != HM_OK)
            return status;
        hm_lists_block *block = hm_lists_block_at(members, unit);
        hm_memory_unpoison(block, (size_t)(load->end - unit) * sizeof(hm_handle));
        hm_index_record(&load->fresh, bucket)->unit = unit;
        status = index_load_part(load, bucket, part);
        if (status != HM_OK)
            return status;
        done += part;
        *block = (hm_lists_block){bucket, done | HM_LISTS_EXACT};
    }
    load->left -= n;
    return HM_OK;
}

static hm_status index_load_keys(index_load *load)
{
    hm_save_in *in = &load->in;
    hm_index *fresh = &load->fresh;
    for (uint32_t i = 0; i < in->section.details[INDEX_KEYS]; i++) {
        uint32_t bucket;
        if (!hm_load_bytes(in, in->buffer, INDEX_HEAD))
            return in->status;
        uint64_t key = hm_load_64(in->buffer);
        uint32_t count = hm_load_32(in->buffer + 8);
        if (count == 0 || count > load->left || hm_index_find_key(fresh, key) != HM_INVALID_INDEX)
            return hm_load_fail(in, HM_ERROR_CORRUPT, INDEX_HEAD,
                                "key %" HM_U64 " has %" HM_U32 " members, or is there twice", key,
                                count);
        if (fresh->key_limit != 0 && key >= fresh->key_limit)
            return hm_load_fail(in, HM_ERROR_INVALID, INDEX_HEAD,
                                "key %" HM_U64 " is not below key_limit %" HM_U32, key,
                                fresh->key_limit);
        /* Blocks and owners may move with the keys: as many as these say. */
        fresh->members.end = load->end;
        fresh->owners.count = in->section.count;
        hm_status status = hm_index_add_key(fresh, key, &bucket);
        fresh->owners.count = 0;
        if (status == HM_OK)
            status = index_load_members(load, bucket, count);
        if (status != HM_OK)
            return status;
    }
    if (load->left != 0)
        return hm_load_fail(in, HM_ERROR_CORRUPT, 0, "%" HM_U32 " owners have no key", load->left);
    return hm_load_end(in);
}

static hm_status index_load_all(index_load *load, hm_source source)
{
    hm_save_in *in = &load->in;
    hm_secondary *owners = &load->fresh.owners;
    hm_status status = hm_load_find(in, HM_SAVE_INDEX, load->desc, load->index->name, source);
    if (status == HM_OK)
        status = index_load_check(load);
    if (status == HM_OK)
        status = index_load_owners(load);
    if (status == HM_OK)
        status = hm_load_confirm(in, index_load_keys(load));
    if (status == HM_OK)
        status = hm_load_publish_owners(in, owners, in->section.count,
                                        in->section.details[HM_SAVE_OWNER_SLOTS]);
    if (status == HM_OK)
        hm_lists_publish_blocks(&load->fresh.members, load->end, in->section.count);
    return status;
}

hm_status hm_index_load(hm_index *index, const hm_save_desc *desc, hm_source source)
{
    HM_CONTRACT(index != NULL, "hm_index_load: index is NULL");
    index_load load;
    if (hm_guard_refuses(&index->guard, "index", index->name))
        return HM_ERROR_BUSY;
    if (index->owners.values == NULL)
        return hm_fail_uninitialised("index");
    if (hm_index_count(index) != 0)
        return hm_fail(HM_ERROR_INVALID,
                       "hm_index_load: '%.40s' has %" HM_U32 " owners: load into a new index",
                       index->name, hm_index_count(index));
    load.index = index;
    load.desc = desc;
    hm_status status = index_check_desc(desc);
    if (status == HM_OK)
        status = hm_index_init_like(&load.fresh, index);
    if (status != HM_OK)
        return hm_index_blame(index, status);
    hm_secondary *owners = &load.fresh.owners;
    load.end = 1;
    hm_guard_enter(&index->guard);
    hm_guard_enter(&owners->guard);
    status = index_load_all(&load, source);
    hm_guard_leave(&owners->guard, hm_secondary_committed_values(owners));
    if (status == HM_OK)
        hm_index_take(index, &load.fresh);
    else
        hm_index_release(&load.fresh);
    hm_guard_leave(&index->guard, 0);
    return hm_index_blame(index, status);
}
