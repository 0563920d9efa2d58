/* SPDX-License-Identifier: MIT */
/* save: maps. Their payload: the items in dense order, the meta, the part of the id table. */
#include "../dense/dense_private.h"
#include "state_private.h"

#include "../base/base_private.h"
#include "../memory/memory_private.h"

enum { MAP_META_SIZE = HM_SAVE_IDS_DETAILS, MAP_DETAILS };

static const hm_array *saved_map_meta(const hm_map *map)
{
    static const hm_array none = {0};
    return map->extras != NULL ? &map->extras->meta_array : &none;
}

static void saved_map_describe(const void *container, hm_save_section *section)
{
    const hm_map *map = container;
    hm_save_describe_ids(section, &map->ids);
    section->item_size = (uint32_t)map->item_size;
    section->details[MAP_META_SIZE] = saved_map_meta(map)->item_size;
    section->detail_count = MAP_DETAILS;
}

static uint64_t saved_map_measure(const hm_save_section *section)
{
    uint64_t item = (uint64_t)section->encoded_size + section->details[MAP_META_SIZE];
    return section->count * item + hm_save_size_of_ids(section);
}

static void saved_map_write(hm_save_out *out, const void *container, const hm_save_desc *desc)
{
    const hm_map *map = container;
    size_t meta_size = out->section->details[MAP_META_SIZE];
    hm_save_items(out, desc, map->items, map->item_size, out->section->count);
    hm_save_write(out, saved_map_meta(map)->data, meta_size * out->section->count);
    hm_save_ids(out, &map->ids);
}

static hm_status saved_map_check(hm_load *load)
{
    hm_save_in *in = &load->in;
    uint32_t meta_size = saved_map_meta(load->container)->item_size;
    if (in->section.detail_count != MAP_DETAILS ||
        in->section.payload_size != saved_map_measure(&in->section))
        return hm_load_disagree(in);
    if (in->section.details[MAP_META_SIZE] != meta_size)
        return hm_load_fail(in, HM_ERROR_INVALID, 0, "its meta has %" HM_U32 " bytes, not %" HM_U32,
                            in->section.details[MAP_META_SIZE], meta_size);
    return HM_OK;
}

static hm_status map_load_items(hm_load *load)
{
    hm_map *map = load->container;
    while (load->ids.count < load->in.section.count) {
        uint32_t done = load->ids.count;
        uint32_t n = hm_load_next(map->item_size, load->in.section.count - done);
        hm_status status = hm_load_widen(&load->ids, (size_t)done + n);
        if (status == HM_OK)
            status = hm_array_prepare(&map->item_array, (size_t)done + n, true);
        if (status != HM_OK)
            return status;
        unsigned char *items = map->items + map->item_size * done;
        hm_memory_unpoison(items, map->item_size * n);
        load->ids.count += hm_load_items(&load->in, load->desc, items, map->item_size, n);
        if (load->in.status != HM_OK)
            return load->in.status;
    }
    return HM_OK;
}

/* A map without a capacity has room for the meta, since it has it for the items. */
static hm_status map_load_meta(hm_load *load)
{
    const hm_map *map = load->container;
    uint32_t done = 0, count = load->in.section.count;
    size_t size = load->in.section.details[MAP_META_SIZE];
    while (size > 0 && done < count) {
        hm_array *meta = &map->extras->meta_array;
        uint32_t n = hm_load_next(size, count - done);
        hm_status status = hm_array_prepare(meta, (size_t)done + n, true);
        if (status != HM_OK)
            return status;
        hm_memory_unpoison(meta->data + size * done, size * n);
        if (!hm_load_read(&load->in, meta->data + size * done, size * n))
            return load->in.status;
        done += n;
    }
    return HM_OK;
}

static hm_status saved_map_read(hm_load *load)
{
    hm_status status = map_load_items(load);
    if (status == HM_OK)
        status = map_load_meta(load);
    return status == HM_OK ? hm_load_ids_part(&load->in, &load->ids) : status;
}

static hm_status saved_map_finish(hm_load *load, hm_status status)
{
    const hm_map *map = load->container;
    if (status == HM_OK)
        return HM_OK;
    if (map->extras != NULL)
        hm_load_destroy(load->desc, map->extras->destroy, map->extras->context, map->items,
                        map->item_size, load->ids.count);
    hm_memory_poison(map->items, map->item_array.committed_size);
    hm_memory_poison(saved_map_meta(map)->data, saved_map_meta(map)->committed_size);
    return status;
}

static void saved_map_rest(hm_map *map)
{
    hm_dense_forget_order(&map->guard, map->order);
    hm_guard_leave(&map->guard, hm_map_committed_items(map));
}

HM_SAVED(map, HM_SAVE_MAP, offsetof(hm_map, ids), hm_map_move, NULL)
