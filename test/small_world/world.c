/* SPDX-License-Identifier: MIT */
/* The live world: how it is begun, copied and brought back. */
#include "world.h"

world live;

/* begin and end */

/* Inserts as many items as fit. */
static void fill(void)
{
    for (uint32_t i = 0; i < live.config->capacity; i++) {
        unsigned char item[WORLD_WINDOW];
        ghost_item who = {.key = (uint8_t)(i % live.config->keys)};
        ghost_make_item(item, who);
        ghost_note_insert(hm_map_insert(&live.map, item), who.key);
        calls.destroyed = 0;
    }
}

size_t world_begin(const world_config *small)
{
    size_t windows[WORLD_ARRAYS];
    live.config = small;
    CHECK(live.config->capacity <= WORLD_ITEMS && live.config->max_slots <= WORLD_SLOTS);
    for (uint32_t i = 0; i < WORLD_ARRAYS; i++)
        windows[i] = i < WORLD_ARRAYS - 1 ? WORLD_WINDOW : WORLD_SCRATCH;
    arena_begin(windows, WORLD_ARRAYS, live.config->page_size);
    hm_map_desc desc = {.item_size = live.config->item_size,
                        .capacity = live.config->capacity,
                        .max_slots = live.config->max_slots,
                        .type_id = WORLD_TYPE_ID,
                        .meta_size = live.config->meta_size,
                        .destroy = live.config->hooks ? step_destroyed : NULL,
                        .relocate = live.config->hooks ? step_relocated : NULL,
                        .memory = &arena.table};
    memset(&live.model, 0, sizeof live.model);
    uint32_t refuse = 1;
    do { /* Each of the reservations is refused once. */
        arena_refuse(refuse++);
        hm_status status = hm_map_init(&live.map, &desc);
        CHECK(status == (arena.refused ? HM_ERROR_MEMORY : HM_OK));
        CHECK(!arena.refused || arena_is_empty());
    } while (arena.refused);
    arena_refuse(0);
    for (uint32_t life = 0; life < live.config->spent_lives; life++) {
        fill();
        hm_map_clear(&live.map);
        live.model.count = 0;
    }
    if (live.config->full)
        fill();
    memset(&calls, 0, sizeof calls);
    return sizeof(world_state);
}

void world_end(void)
{
    hm_map_fini(&live.map);
    CHECK(arena_is_empty());
}

/* states */

/* As blank.c does for the order: blanks what is behind the live items, which a later insert or
 * commit writes before it is read; and the counts of arrays, since the map and the id table have
 * their own, and set these at a trim. */
static void blank_unused(void)
{
    hm_id_table *ids = &live.map.ids;
    hm_array *counted_by_owners[] = {&live.map.item_array, &live.map.meta_array, &ids->entry_array,
                                     &ids->slot_array, &live.map.order.mark_array};
    blank_behind(&live.map.item_array, live.config->item_size * ids->count);
    blank_behind(&live.map.meta_array, live.config->meta_size * ids->count);
    blank_behind(&ids->entry_array, sizeof(hm_handle) * ids->slot_count);
    blank_behind(&ids->slot_array, sizeof(uint32_t) * ids->used);
    blank_behind(&ids->floors, sizeof(uint16_t) * ids->floors.count);
    for (size_t i = 0; i < sizeof counted_by_owners / sizeof *counted_by_owners; i++)
        BLANK(counted_by_owners[i]->count);
    hm_links links = {.slots = ids->slots, .entries = ids->entries};
    blank_order(&live.map.order, links, ids->slot_count);
}

void world_capture(void *into)
{
    world_state *state = into;
    arena_open();
    blank_unused();
    memcpy(&state->map, &live.map, sizeof live.map);
    memcpy(&state->memory, &arena.memory, sizeof arena.memory);
    arena_capture(state->bytes);
    memset(live.model.dense + live.model.count, 0,
           sizeof live.model.dense - sizeof *live.model.dense * live.model.count);
    memcpy(&state->model, &live.model, sizeof live.model);
    arena_close();
}

void world_restore(const void *from)
{
    const world_state *state = from;
    arena_open();
    memcpy(&live.map, &state->map, sizeof live.map);
    memcpy(&arena.memory, &state->memory, sizeof arena.memory);
    arena_restore(state->bytes);
    memcpy(&live.model, &state->model, sizeof live.model);
    arena_close();
}

bool world_is_untouched(const world_state *before)
{
    arena_open();
    bool same = memcmp(&live.map, &before->map, sizeof live.map) == 0 && arena_is(before->bytes);
    arena_close();
    return same;
}

const world_kind map_world = {
    .container = "map",
    .verbs = step_verbs,
    .begin = world_begin,
    .end = world_end,
    .capture = world_capture,
    .restore = world_restore,
    .check = ghost_check,
    .list = step_list,
    .is_possible = step_is_possible,
    .take = step_take,
};
