/* SPDX-License-Identifier: MIT */
/* save: maps. Their payload: the items in dense order, the meta, the part of the id table. */
#include "../dense/dense_private.h"
#include "state_private.h"

#include "../base/base_private.h"
#include "../memory/memory_private.h"

enum { MAP_META_SIZE = HM_SAVE_IDS_DETAILS, MAP_DETAILS };

static const hm_array *saved_meta(const hm_map *map)
{
    static const hm_array none = {0};
    return map->extras != NULL ? &map->extras->meta_array : &none;
}

static uint64_t saved_map_size(const hm_save_section *section)
{
    uint64_t item = (uint64_t)section->encoded_size + section->details[MAP_META_SIZE];
    return section->count * item + hm_save_size_of_ids(section);
}

hm_status hm_map_save(const hm_map *map, const hm_save_desc *desc, hm_sink sink)
{
    HM_CONTRACT(map != NULL, "hm_map_save: map is NULL");
    hm_save_section section = {.kind = HM_SAVE_MAP, .item_size = (uint32_t)map->item_size};
    hm_save_out out;
    if (map->ids.entries == NULL)
        return hm_fail_uninitialised("map");
    hm_status status = hm_save_describe(&section, desc, map->name);
    if (status != HM_OK)
        return status;
    hm_save_describe_ids(&section, &map->ids);
    section.details[MAP_META_SIZE] = saved_meta(map)->item_size;
    section.detail_count = MAP_DETAILS;
    section.payload_size = saved_map_size(&section);
    hm_save_begin(&out, &section, sink);
    hm_save_items(&out, desc, map->items, map->item_size, section.count);
    hm_save_bytes(&out, saved_meta(map)->data,
                  (size_t)section.details[MAP_META_SIZE] * section.count);
    hm_save_ids(&out, &map->ids);
    return hm_save_end(&out);
}

/* A map that is being loaded. */
typedef struct map_load {
    hm_map *map;
    const hm_save_desc *desc;
    hm_load_ids ids;
    hm_save_in in;
} map_load;

static hm_status map_load_check(map_load *load)
{
    hm_save_in *in = &load->in;
    const hm_map *map = load->map;
    size_t meta_size = saved_meta(map)->item_size;
    hm_status status = hm_load_check(in, load->desc, map->ids.type_id, map->item_size);
    if (status == HM_OK)
        status = hm_load_check_ids(in, &map->ids, load->desc);
    if (status != HM_OK)
        return status;
    if (in->section.detail_count != MAP_DETAILS ||
        in->section.payload_size != saved_map_size(&in->section))
        return hm_load_fail(in, HM_ERROR_CORRUPT, 0, "its size and its counts disagree");
    if (in->section.details[MAP_META_SIZE] != meta_size)
        return hm_load_fail(in, HM_ERROR_INVALID, 0, "its meta has %" HM_U32 " bytes, not %zu",
                            in->section.details[MAP_META_SIZE], meta_size);
    return HM_OK;
}

static hm_status map_load_items(map_load *load)
{
    hm_map *map = load->map;
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
static hm_status map_load_meta(map_load *load)
{
    uint32_t done = 0, count = load->in.section.count;
    size_t size = load->in.section.details[MAP_META_SIZE];
    while (size > 0 && done < count) {
        hm_array *meta = &load->map->extras->meta_array;
        uint32_t n = hm_load_next(size, count - done);
        hm_status status = hm_array_prepare(meta, (size_t)done + n, true);
        if (status != HM_OK)
            return status;
        hm_memory_unpoison(meta->data + size * done, size * n);
        if (!hm_load_bytes(&load->in, meta->data + size * done, size * n))
            return load->in.status;
        done += n;
    }
    return HM_OK;
}

/* Destroys what decode made; what is left is trimmed when the map is at rest. */
static void map_load_drop(map_load *load)
{
    hm_map *map = load->map;
    bool destroys = load->desc != NULL && load->desc->decode != NULL && map->extras != NULL &&
                    map->extras->destroy != NULL;
    for (uint32_t i = load->ids.count; i-- > 0 && destroys;)
        map->extras->destroy(map->items + map->item_size * i, map->extras->context);
    hm_memory_poison(map->items, map->item_array.committed_size);
    hm_memory_poison(saved_meta(map)->data, saved_meta(map)->committed_size);
}

static hm_status map_load_all(map_load *load, hm_source source)
{
    hm_map *map = load->map;
    hm_status status = hm_load_find(&load->in, HM_SAVE_MAP, load->desc, map->name, source);
    if (status == HM_OK)
        status = map_load_check(load);
    if (status == HM_OK)
        status = map_load_items(load);
    if (status == HM_OK)
        status = map_load_meta(load);
    if (status == HM_OK)
        status = hm_load_ids_part(&load->in, &load->ids);
    if (status == HM_OK)
        status = hm_load_end(&load->in);
    return status;
}

hm_status hm_map_load(hm_map *map, const hm_save_desc *desc, hm_source source)
{
    HM_CONTRACT(map != NULL, "hm_map_load: map is NULL");
    hm_status status = hm_load_check_free(&map->guard, &map->ids, "map", map->name);
    if (status != HM_OK)
        return status;
    map_load load;
    load.map = map;
    load.desc = desc;
    load.ids = (hm_load_ids){.ids = &map->ids, .owner = map, .move = hm_map_move};
    hm_guard_enter(&map->guard);
    status = map_load_all(&load, source);
    if (status != HM_OK)
        map_load_drop(&load);
    hm_load_end_ids(&load.ids, &load.in, status);
    hm_dense_forget_order(&map->guard, map->order);
    hm_guard_leave(&map->guard, hm_map_committed_items(map));
    status = hm_map_blame(map, status);
    return status == HM_OK ? HM_OK : hm_load_failed(status, hm_map_trim(map));
}
