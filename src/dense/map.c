/* SPDX-License-Identifier: MIT */
/* map: the items and the meta, kept in step with the positions of the id table.
 *
 * Whatever moves an item moves three columns: the item's bytes, its meta's bytes and its position.
 * No callback runs before all three have moved, so that every callback sees a consistent map. */
#include "../memory/poison_private.h"

#include <handle_map/map.h>

#include "../base/base_private.h"
#include "../ids/ids_private.h"
#include "../memory/memory_private.h"
#include "dense_private.h"

/* Returns the array of the meta, which is zeroed without meta. */
static const hm_array *map_meta(const hm_map *map)
{
    static const hm_array none = {0};
    return map->extras != NULL ? &map->extras->meta_array : &none;
}

static unsigned char *map_meta_at(const hm_map *map, uint32_t index)
{
    const hm_array *meta = map_meta(map);
    return meta->data + (size_t)meta->item_size * index;
}

/* Returns the array whose only item the extras are. Its other fields follow from those of the
 * items. */
static hm_array map_extras_array(const hm_map *map)
{
    size_t size = sizeof *map->extras, page_size = map->item_array.memory->page_size;
    bool moves_to_grow = map->item_array.moves_to_grow;
    return (hm_array){.data = (unsigned char *)map->extras,
                      .capacity = 1,
                      .limit = 1,
                      .committed_size = moves_to_grow ? size : hm_memory_round_up(size, page_size),
                      .memory = map->item_array.memory,
                      .item_size = (uint32_t)size,
                      .align_shift = 3, /* of a pointer */
                      .moves_to_grow = moves_to_grow};
}

uint32_t hm_map_committed_items(const hm_map *map)
{
    size_t limit = map->item_array.limit, ready = hm_id_table_ready(&map->ids);
    const hm_array *meta = map_meta(map);
    if (meta->data != NULL && limit > meta->limit)
        limit = meta->limit;
    limit -= hm_id_table_promised(&map->ids);
    return (uint32_t)(limit < ready ? limit : ready);
}

static void *map_item_at(const hm_map *map, uint32_t index)
{
    return map->items + map->item_size * index;
}

/* init and fini */

enum { MAP_COLUMNS = 3 /* most: items, meta, extras */ };

HM_KNOWN_CONTAINER(map, item_array.memory)

static hm_status map_place_extras(hm_map *map, const hm_map_desc *desc, hm_array *extras,
                                  const hm_array *meta)
{
    if (extras->data == NULL)
        return HM_OK;
    hm_status status = hm_array_commit(extras, 1, false);
    if (status != HM_OK)
        return status;
    map->extras = (hm_map_extras *)(void *)extras->data;
    *map->extras = (hm_map_extras){desc->destroy, desc->relocate, desc->context, *meta};
    return HM_OK;
}

/* A descriptor is checked before anything is reserved: an invalid one is HM_ERROR_INVALID even
 * where memory would be refused. */
static hm_status map_init_columns(hm_map *map, const hm_map_desc *desc)
{
    hm_id_table_desc ids = {desc->capacity, desc->max_slots, desc->type_id, desc->generation_bits,
                            desc->memory};
    hm_array_desc items = {desc->item_size, desc->item_align, desc->capacity, 0, desc->memory};
    hm_array_desc meta = {desc->meta_size, desc->meta_align, desc->capacity, 0, desc->memory};
    hm_array meta_array = {0}, extras = {0};
    hm_array_column columns[MAP_COLUMNS] = {
        {.array = &map->item_array, .desc = items, .is_visible = true}};
    uint32_t count = 1;
    if (desc->meta_size != 0)
        columns[count++] =
            (hm_array_column){.array = &meta_array, .desc = meta, .is_visible = true};
    if (desc->meta_size != 0 || desc->destroy != NULL || desc->relocate != NULL)
        columns[count++] = (hm_array_column){
            .array = &extras, .desc = {sizeof(hm_map_extras), 0, 1, 0, desc->memory}};
    hm_status status = hm_array_check(&items, "item_");
    if (status == HM_OK && desc->meta_size != 0)
        status = hm_array_check(&meta, "meta_");
    if (status != HM_OK)
        return status;
    status = hm_id_table_init_with(&map->ids, &ids, columns, count);
    if (status == HM_OK)
        status = map_place_extras(map, desc, &extras, &meta_array);
    if (status == HM_OK)
        status = hm_id_table_choose_type(&map->ids.type_id);
    ids = hm_id_table_complete(&ids);
    return hm_blame(status, &(hm_limits){"map", map->name, ids.capacity, ids.max_slots, 0, NULL});
}

static void map_release_all(hm_map *map)
{
    hm_order_fini(&map->order);
    if (map->extras != NULL)
        hm_array_fini(&map->extras->meta_array);
    hm_array_fini(&map->item_array);
    hm_id_table_fini(&map->ids);
    hm_zero(map, sizeof *map);
}

hm_status hm_map_init(hm_map *map, const hm_map_desc *desc)
{
    hm_status status = hm_announce_init("map", map, sizeof *map);
    if (status != HM_OK)
        return status;
    desc = HM_DESC(hm_map_desc, desc);
    map->name = desc->name != NULL ? desc->name : "map";
    status = map_init_columns(map, desc);
    if (status == HM_OK)
        status = hm_known_join(&hm_known_map, map);
    if (status != HM_OK) {
        map_release_all(map);
        return hm_fail_in("map_init", desc->name, status);
    }
    map->items = hm_array_data(&map->item_array);
    map->guard.limit = hm_map_committed_items(map);
    map->item_size = desc->item_size;
    if (desc->destroy != NULL || desc->relocate != NULL)
        map->guard.flags |= HM_GUARD_HOOK;
    if (desc->meta_size != 0)
        map->guard.flags |= HM_GUARD_META;
    return HM_OK;
}

void hm_map_fini(hm_map *map)
{
    HM_CONTRACT_AT_REST(map, "hm_map_fini");
    hm_map_clear(map);
    hm_known_leave(&hm_known_map, map);
    map_release_all(map);
}

/* batches */

/* Returns the bytes of the entries and of the items. */
static size_t map_size(const hm_map *map)
{
    return sizeof(hm_handle) * map->ids.slot_count + map->item_size * map->ids.count;
}

typedef struct map_places {
    const unsigned char *items;
    size_t item_size;
} map_places;

HM_INLINE void map_answer_item(const hm_batch *batch, void *answers, uint32_t i, uint64_t match,
                               uint64_t found)
{
    const map_places *places = batch->places;
    uintptr_t place = (uintptr_t)places->items + places->item_size * (size_t)(match & found);
    hm_batch_store_place(batch, answers, i, place, found);
}

uint32_t hm_map_get_n(const hm_map *map, const hm_handle *handles, uint32_t n, void **items)
{
    HM_CONTRACT(map != NULL, "hm_map_get_n: map is NULL");
    HM_CONTRACT(handles != NULL || n == 0, "hm_map_get_n: handles is NULL");
    HM_CONTRACT(items != NULL || n == 0, "hm_map_get_n: items is NULL");
    hm_batch batch = hm_id_table_batch(&map->ids);
    map_places places = {map->items, map->item_size};
    batch.places = &places;
    batch.is_near = map_size(map) < HM_BATCH_NEAR;
    return hm_batch_answer_n(&batch, handles, n, items, sizeof *items, hm_batch_match_position,
                             hm_batch_match_position, map_answer_item);
}

/* insert */

hm_status hm_map_blame(const hm_map *map, hm_status status)
{
    const hm_limits limits = {"map", map->name, hm_map_capacity(map), map->ids.max_slots, 0, NULL};
    return hm_blame(status, &limits);
}

/* Lists the arrays of a map that move with its id table, and returns their number. The extras come
 * last, so that they move with what is new in the array of the meta. */
static uint32_t map_list_columns(hm_map *map, hm_array *extras, hm_array_column *columns)
{
    uint32_t count = 1;
    columns[0] = hm_array_column_of(&map->item_array, map->ids.count, true);
    columns[0].desc.capacity = 0;
    if (map->extras == NULL)
        return count;
    if (map->extras->meta_array.data != NULL) {
        columns[count] = hm_array_column_of(&map->extras->meta_array, map->ids.count, true);
        columns[count++].desc.capacity = 0;
    }
    *extras = map_extras_array(map);
    columns[count++] = hm_array_column_of(extras, 1, false);
    return count;
}

hm_status hm_map_move(void *owner, size_t capacity, size_t slots)
{
    hm_map *map = owner;
    hm_array extras = {0};
    hm_array_column columns[MAP_COLUMNS];
    uint32_t count = map_list_columns(map, &extras, columns);
    hm_status status = hm_id_table_move(&map->ids, capacity, slots, columns, count);
    map->items = hm_array_data(&map->item_array);
    map->extras = (hm_map_extras *)(void *)extras.data;
    return status;
}

static void map_set_limit(hm_map *map)
{
    map->guard.limit = hm_map_committed_items(map);
}

/* Passes a status on, or makes memory for n more items, beside those that are promised; `grows` as
 * in hm_array_commit. */
static hm_status map_prepare_items(hm_map *map, hm_status status, uint32_t n, bool grows)
{
    size_t count = (size_t)hm_id_table_taken(&map->ids) + n;
    if (status == HM_OK)
        status = hm_array_prepare(&map->item_array, count, grows);
    if (status == HM_OK && map_meta(map)->data != NULL)
        status = hm_array_prepare(&map->extras->meta_array, count, grows);
    map_set_limit(map);
    return hm_map_blame(map, status);
}

static hm_status map_prepare(hm_map *map, uint32_t n, bool grows)
{
    if (hm_guard_refuses(&map->guard, "map", map->name))
        return HM_ERROR_BUSY;
    if (n > hm_id_table_left(&map->ids))
        return hm_fail_full("map", map->name, hm_id_table_taken(&map->ids), hm_map_capacity(map),
                            n);
    hm_status status = hm_id_table_prepare(&map->ids, map->name, n, grows, map, hm_map_move);
    return map_prepare_items(map, status, n, grows);
}

HM_ID_TABLE_RESERVE(map)
HM_ID_TABLE_PROMISES(map)

hm_handle hm_map_issue_slow(hm_map *map)
{
    if (map_prepare(map, 1, true) != HM_OK)
        return HM_NULL_HANDLE;
    return hm_id_table_issue_slow(&map->ids);
}

void hm_map_clear_meta(hm_map *map, uint32_t index, uint32_t n)
{
    size_t meta_size = map_meta(map)->item_size;
    hm_memory_unpoison(map_meta_at(map, index), meta_size * n);
    memset(map_meta_at(map, index), 0, meta_size * n);
}

/* Writes the item of a position that has become live. */
static void map_write(hm_map *map, uint32_t index, const void *item)
{
    void *place = hm_map_open_sized(map, index, map->item_size);
    if (item != NULL)
        memcpy(place, item, map->item_size);
    else
        memset(place, 0, map->item_size);
}

/* The map may move, and the item with it. */
hm_handle hm_map_insert_slow(hm_map *map, const void *item)
{
    const unsigned char *before = map->items;
    uint32_t index = map->ids.count;
    hm_handle handle = hm_map_issue_slow(map);
    if (hm_handle_is_null(handle))
        return handle;
    map_write(map, index, hm_array_translate(item, before, map->item_size * index, map->items));
    return handle;
}

hm_status hm_map_adopt(hm_map *map, hm_handle handle, const void *item)
{
    HM_CONTRACT(map != NULL, "hm_map_adopt: map is NULL");
    uint32_t index = map->ids.count;
    const unsigned char *before = map->items;
    if (hm_guard_refuses(&map->guard, "map", map->name))
        return HM_ERROR_BUSY;
    hm_status status = hm_id_table_check_adopt(&map->ids, "map", map->name, handle, 0);
    if (status == HM_OK)
        status = hm_id_table_prepare_adopt(&map->ids, handle, map, hm_map_move);
    status = map_prepare_items(map, status, 1, true);
    if (status != HM_OK)
        return status;
    hm_id_table_take(&map->ids, handle);
    map_write(map, index, hm_array_translate(item, before, map->item_size * index, map->items));
    return HM_OK;
}

/* The memory of the item was made with the promise. */
hm_status hm_map_insert_as(hm_map *map, hm_handle promised, const void *item)
{
    HM_CONTRACT(map != NULL, "hm_map_insert_as: map is NULL");
    hm_status status = hm_id_table_keep_promise(&map->ids, &map->guard, "map", map->name, promised);
    if (status != HM_OK)
        return status;
    map_set_limit(map);
    map_write(map, map->ids.count - 1, item);
    return HM_OK;
}

/* Poisons the n places from `count` on, which no longer hold items. */
static void map_poison_dead(hm_map *map, uint32_t n)
{
    uint32_t count = map->ids.count;
    hm_memory_poison(map_item_at(map, count), map->item_size * n);
    if (map_meta(map)->data != NULL)
        hm_memory_poison(map_meta_at(map, count), (size_t)map_meta(map)->item_size * n);
}

hm_status hm_map_insert_n(hm_map *map, const void *items, uint32_t n, hm_handle *handles)
{
    HM_CONTRACT(map != NULL, "hm_map_insert_n: map is NULL");
    uint32_t first = map->ids.count;
    const unsigned char *before = map->items;
    hm_status status = map_prepare(map, n, true);
    if (status != HM_OK || n == 0)
        return status;
    items = hm_array_translate(items, before, map->item_size * first, map->items);
    hm_memory_unpoison(map_item_at(map, first), map->item_size * n);
    if (items != NULL)
        memcpy(map_item_at(map, first), items, map->item_size * n);
    else
        memset(map_item_at(map, first), 0, map->item_size * n);
    if (map_meta(map)->data != NULL)
        hm_map_clear_meta(map, first, n);
    hm_id_table_issue_n(&map->ids, n, handles);
    return HM_OK;
}

/* moving */

/* Runs inside enter and leave. Only a map with extras moves items where this is called. */
static void map_report_move(hm_map *map, uint32_t from, uint32_t to)
{
    const hm_map_extras *extras = map->extras;
    if (extras->relocate != NULL)
        extras->relocate(map_item_at(map, to), from, to, extras->context);
}

/* erase */

static bool map_destroys(const hm_map *map)
{
    return map->extras != NULL && map->extras->destroy != NULL;
}

static void map_erase_at(void *owner, uint32_t index)
{
    hm_map *map = owner;
    uint32_t last = map->ids.count - 1;
    hm_guard_enter(&map->guard);
    if (map_destroys(map))
        map->extras->destroy(map_item_at(map, index), map->extras->context);
    if (index != last) {
        memcpy(map_item_at(map, index), map_item_at(map, last), map->item_size);
        size_t meta_size = map_meta(map)->item_size;
        if (meta_size != 0)
            memcpy(map_meta_at(map, index), map_meta_at(map, last), meta_size);
    }
    hm_id_table_release(&map->ids, hm_id_table_handle_at(&map->ids, index), index);
    map_poison_dead(map, 1);
    hm_dense_disturb(&map->guard, map->order, index, last);
    if (index != last)
        map_report_move(map, last, index);
    hm_guard_leave(&map->guard, hm_map_committed_items(map));
}

/* The order may hear of an erase before it happens, since it looks at no item then. */
hm_map_step hm_map_erase_guarded(hm_map *map, uint32_t index)
{
    if ((map->guard.flags & (HM_GUARD_ERASE & ~HM_GUARD_ORDERED)) == 0) {
        hm_order_disturb(map->order, index, map->ids.count - 1);
        return HM_MAP_ORDER_TOLD;
    }
    if (hm_guard_refuses(&map->guard, "map", map->name))
        return HM_MAP_REFUSED;
    map_erase_at(map, index);
    return HM_MAP_ERASED;
}

static void map_prefetch_erase(const void *container, uint32_t position)
{
    const hm_map *map = container;
    const unsigned char *item = map_item_at(map, position);
    HM_PREFETCH(item);
    HM_PREFETCH(item + map->item_size - 1);
    HM_PREFETCH(&map->ids.slots[position]);
}

bool hm_map_erases_singly(const hm_map *map, const hm_handle *handles, uint32_t n)
{
    hm_batch batch = hm_id_table_batch(&map->ids);
    return map_size(map) < HM_BATCH_NEAR &&
           hm_batch_is_alike(&batch, handles, n, hm_batch_match_position);
}

static bool map_erase(void *container, hm_handle handle)
{
    return hm_map_erase(container, handle);
}

uint32_t hm_map_erase_parts(hm_map *map, const hm_handle *handles, uint32_t n)
{
    return hm_dense_erase_parts(&map->ids, handles, n, map, map_prefetch_erase, map_erase);
}

uint32_t hm_map_erase_n(hm_map *map, const hm_handle *handles, uint32_t n)
{
    HM_CONTRACT(map != NULL, "hm_map_erase_n: map is NULL");
    HM_CONTRACT(handles != NULL || n == 0, "hm_map_erase_n: handles is NULL");
    if (hm_memory_poisons()) /* Asked once, so that the loop below need not ask. */
        return hm_map_erase_parts(map, handles, n);
    return hm_map_erase_n_sized(map, handles, n, map->item_size);
}

/* order */

/* The items have been exchanged; their meta must follow before the program is told. */
static void map_swapped(void *owner, uint32_t a, uint32_t b)
{
    hm_map *map = owner;
    size_t meta_size = map_meta(map)->item_size;
    if (meta_size != 0)
        hm_order_exchange_bytes(map_meta_at(map, a), map_meta_at(map, b), meta_size);
    map_report_move(map, a, b);
    map_report_move(map, b, a);
}

static uint32_t map_find(const void *owner, hm_handle handle)
{
    const hm_map *map = owner;
    return hm_id_table_find(&map->ids, handle);
}

/* A search writes nothing, so that the map may be a constant then. */
static hm_dense map_dense(const hm_map *constant)
{
    hm_map *map = (hm_map *)constant;
    const hm_map_extras *extras = map->extras;
    bool moves_more =
        extras != NULL && (extras->meta_array.data != NULL || extras->relocate != NULL);
    return (hm_dense){.guard = &map->guard,
                      .limit = hm_map_committed_items(map),
                      .order = &map->order,
                      .erase_at = map_erase_at,
                      .sequence = {.items = map->items,
                                   .stride = map->item_size,
                                   .moved_size = map->item_size,
                                   .links = hm_id_table_links(&map->ids),
                                   .slot_count = map->ids.slot_count,
                                   .count = map->ids.count,
                                   .capacity = (uint32_t)map->item_array.capacity,
                                   .swapped = moves_more ? map_swapped : NULL,
                                   .find = map_find,
                                   .owner = map,
                                   .memory = map->item_array.memory,
                                   .what = "map",
                                   .name = map->name}};
}

HM_DENSE_ORDER(map, map_dense(map), )

HM_DENSE_ARRANGE(map, map_dense(map))

typedef struct map_doomed {
    bool (*doomed)(const void *item, void *context);
    void *context;
} map_doomed;

static bool map_is_doomed(void *owner, uint32_t index, void *context)
{
    const map_doomed *call = context;
    return call->doomed(map_item_at(owner, index), call->context);
}

uint32_t hm_map_erase_if(hm_map *map, bool (*doomed)(const void *item, void *context),
                         void *context)
{
    HM_CONTRACT(map != NULL, "hm_map_erase_if: map is NULL");
    HM_CONTRACT(doomed != NULL, "hm_map_erase_if: doomed is NULL");
    map_doomed call = {doomed, context};
    const hm_dense dense = map_dense(map);
    return hm_dense_erase_if(&dense, map_is_doomed, &call);
}

void hm_map_clear(hm_map *map)
{
    HM_CONTRACT_AT_REST(map, "hm_map_clear");
    if (map_destroys(map))
        while (map->ids.count > 0)
            map_erase_at(map, map->ids.count - 1);
    uint32_t count = map->ids.count;
    hm_id_table_clear(&map->ids);
    if (count > 0)
        map_poison_dead(map, count);
    hm_dense_forget_order(&map->guard, map->order);
}

/* memory and questions */

hm_status hm_map_trim(hm_map *map)
{
    HM_CONTRACT(map != NULL, "hm_map_trim: map is NULL");
    if (hm_guard_refuses(&map->guard, "map", map->name))
        return HM_ERROR_BUSY;
    map->item_array.count = hm_id_table_taken(&map->ids);
    hm_status status = hm_array_trim(&map->item_array);
    if (status == HM_OK && map->extras != NULL) {
        map->extras->meta_array.count = map->item_array.count;
        status = hm_array_trim(&map->extras->meta_array);
    }
    if (status == HM_OK)
        status = hm_dense_trim_ids(&map->ids, &map->order, map, hm_map_move);
    map_set_limit(map);
    return hm_map_blame(map, status);
}

static hm_status map_validate(const hm_map *map)
{
    hm_status status = hm_id_table_validate(&map->ids);
    if (status != HM_OK ||
        (hm_dense_is_valid(&map->guard, map->order, hm_map_committed_items(map)) &&
         map->items == hm_array_data(&map->item_array) &&
         map->item_size == map->item_array.item_size &&
         map->ids.count <= hm_map_committed_items(map)))
        return status;
    return hm_fail(HM_ERROR_CORRUPT, "the map's items, count and committed memory disagree");
}

HM_VALIDATE(map, map_validate)

/* Addresses are compared as numbers: this one may be of any object. One below the items wraps
 * around to an index that is too large. */
hm_handle hm_map_handle_of(const hm_map *map, const void *item)
{
    HM_CONTRACT(map != NULL, "hm_map_handle_of: map is NULL");
    if (map->ids.count == 0)
        return HM_NULL_HANDLE;
    size_t index = ((uintptr_t)item - (uintptr_t)map->items) / map->item_size;
    return index < map->ids.count ? hm_map_handle_at(map, (uint32_t)index) : HM_NULL_HANDLE;
}

HM_ID_TABLE_QUESTIONS(map, handles)

hm_map_stats hm_map_get_stats(const hm_map *map)
{
    HM_CONTRACT(map != NULL, "hm_map_get_stats: map is NULL");
    hm_map_stats stats = {0};
    hm_id_table_add_stats(&map->ids, &stats);
    hm_stats_add(&stats, &map->item_array);
    if (map->extras != NULL) {
        const hm_array extras = map_extras_array(map);
        hm_stats_add(&stats, &extras);
        hm_stats_add(&stats, &map->extras->meta_array);
    }
    hm_order_add_sizes(map->order, &stats);
    return stats;
}
