/* SPDX-License-Identifier: MIT */
/* The state space of a map: what its items and meta are, and its hooks. */
#include "space.h"

#include <string.h>

static hm_map *const map = &live.box.map;

SPACE_CALLS(map)

/* items: slot, generation, key, and a pattern; meta: a pattern of slot and generation */

static void make_item(unsigned char *item, ghost_item who)
{
    for (size_t i = 0; i < live.config->item_size; i++)
        item[i] = (unsigned char)(0x50 + i);
    item[0] = who.slot;
    item[1] = who.generation;
    item[2] = who.key;
}

static void make_meta(unsigned char *meta, ghost_item who)
{
    for (size_t i = 0; i < live.config->meta_size; i++)
        meta[i] = (unsigned char)(0xA0 + who.slot * 8u + who.generation + i);
}

static unsigned char *item_at(uint32_t position)
{
    return (unsigned char *)hm_map_items(map) + live.config->item_size * position;
}

static ghost_item read_item(const void *item)
{
    const unsigned char *bytes = item;
    return (ghost_item){bytes[0], bytes[1], bytes[2], 0};
}

static ghost_item identify(const void *item)
{
    ghost_item who = read_item(item);
    CHECK(hm_map_get(map, ghost_handle(who)) == item);
    return who;
}

/* hooks */

static void destroyed(void *item, void *context)
{
    (void)context;
    ghost_item who = identify(item);
    CHECK((calls.destroyed >> who.slot & 1) == 0);
    CHECK(hm_map_validate(map) == HM_OK);
    calls.destroyed |= 1u << who.slot;
}

static void relocated(void *item, uint32_t from, uint32_t to, void *context)
{
    (void)context;
    ghost_item who = read_item(item);
    CHECK(hm_map_index_of(map, ghost_handle(who)) == to && item == item_at(to) && from != to);
    CHECK(calls.position[who.slot] == from);
    CHECK(hm_map_validate(map) == HM_OK);
    calls.position[who.slot] = to;
    calls.moved++;
}

/* The predicate is called in dense order, once for each item. */
static bool doomed(const void *item, void *context)
{
    (void)context;
    CHECK(item == item_at(calls.asked));
    return step_is_doomed(calls.asked);
}

/* begin */

static uint32_t list_windows(size_t *windows)
{
    windows[0] = 5 * SPACE_WINDOW; /* entries, slots, floors, items, meta */
    return 1;
}

static hm_status init(void)
{
    hm_map_desc desc = {.item_size = live.config->item_size,
                        .capacity = live.config->capacity,
                        .max_slots = live.config->max_slots,
                        .type_id = SPACE_TYPE_ID,
                        .meta_size = live.config->meta_size,
                        .destroy = live.config->hooks ? destroyed : NULL,
                        .relocate = live.config->hooks ? relocated : NULL,
                        .memory = &arena.table};
    return hm_map_init(map, &desc);
}

/* calls */

static hm_handle insert(uint32_t key)
{
    unsigned char item[SPACE_WINDOW];
    make_item(item, (ghost_item){.key = (uint8_t)key});
    return hm_map_insert(map, key == SPACE_ZEROED ? NULL : item);
}

static hm_status insert_n(uint32_t n, uint32_t first_key, hm_handle *handles)
{
    unsigned char items[SPACE_WINDOW];
    for (uint32_t i = 0; i < n; i++) {
        ghost_item who = {.key = (uint8_t)((first_key + i) % live.config->keys)};
        make_item(items + live.config->item_size * i, who);
    }
    return hm_map_insert_n(map, first_key == SPACE_ZEROED ? NULL : items, n, handles);
}

static uint32_t erase_if(void)
{
    return hm_map_erase_if(map, doomed, NULL);
}

static hm_progress defragment(const hm_order *order, bool second_column, hm_budget *budget)
{
    CHECK(!second_column);
    return hm_map_defragment(map, order, budget);
}

/* checks */

static void check_item(uint32_t position, ghost_item who)
{
    unsigned char expected[SPACE_WINDOW];
    make_item(expected, who);
    CHECK(memcmp(item_at(position), expected, live.config->item_size) == 0);
    if (live.config->meta_size == 0)
        return;
    make_meta(expected, who);
    CHECK(memcmp(hm_map_meta_at(map, position), expected, live.config->meta_size) == 0);
}

static void check_new(uint32_t position, uint32_t key)
{
    unsigned char expected[SPACE_WINDOW] = {0};
    if (key != SPACE_ZEROED)
        make_item(expected, (ghost_item){.key = (uint8_t)key});
    CHECK(memcmp(item_at(position), expected, live.config->item_size) == 0);
    const unsigned char *meta = hm_map_meta_at(map, position);
    for (size_t i = 0; i < live.config->meta_size; i++)
        CHECK(meta[i] == 0);
}

static void write_item(uint32_t position, ghost_item who)
{
    make_item(item_at(position), who);
    if (live.config->meta_size != 0)
        make_meta(hm_map_meta_at(map, position), who);
}

static void check_handle(hm_handle handle, uint32_t position)
{
    bool lives = position != HM_INVALID_INDEX;
    CHECK(hm_map_contains(map, handle) == lives);
    CHECK(hm_map_index_of(map, handle) == position);
    CHECK(hm_map_get(map, handle) == (lives ? item_at(position) : NULL));
}

static void check_layout(void)
{
    CHECK(hm_map_count(map) == live.model.count);
    CHECK(hm_map_capacity(map) == live.config->capacity);
}

/* memory */

static size_t needed_size(void)
{
    return space_in_pages(live.config->item_size * live.model.count) +
           space_in_pages(live.config->meta_size * live.model.count);
}

static void blank_items(void)
{
    blank_behind(&map->item_array, live.config->item_size * map->ids.count);
    blank_behind(&map->meta_array, live.config->meta_size * map->ids.count);
    BLANK(map->item_array.count);
    BLANK(map->meta_array.count);
}

static const space_container container = {
    SPACE_CALL_MEMBERS(map),
    .list_windows = list_windows,
    .init = init,
    .insert = insert,
    .insert_n = insert_n,
    .erase_if = erase_if,
    .needed_size = needed_size,
    .defragment = defragment,
    .identify = identify,
    .write_item = write_item,
    .check_item = check_item,
    .check_new = check_new,
    .check_handle = check_handle,
    .check_layout = check_layout,
    .blank_items = blank_items,
};

static size_t begin(const space_config *config)
{
    return space_begin(config, &container);
}

const space_kind map_space = {
    .container = "map",
    .verbs = step_verbs,
    .begin = begin,
    .end = space_end,
    .capture = space_capture,
    .restore = space_restore,
    .check = ghost_check,
    .list = step_list,
    .is_possible = step_is_possible,
    .take = step_take,
};
