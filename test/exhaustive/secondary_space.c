/* SPDX-License-Identifier: MIT */
/* The live secondary: how it is begun, copied and brought back. */
#include "secondary_space.h"

#include <string.h>

secondary_live side;

/* begin and end */

static hm_status init(void)
{
    hm_secondary_desc desc = {.value_size = side.config->item_size,
                              .capacity = side.config->capacity,
                              .max_slots = side.config->max_slots,
                              .type_id = SPACE_TYPE_ID,
                              .destroy = side.config->hooks ? secondary_destroyed : NULL,
                              .context = &side,
                              .memory = &arena.table};
    return hm_secondary_init(&side.secondary, &desc);
}

/* Sets a value for the first life that is not spent of as many slots as fit, the last slot first.
 */
static void fill(void)
{
    for (uint32_t i = 0; i < side.config->capacity; i++) {
        secondary_value value = {.slot = (uint8_t)(side.config->max_slots - 1 - i),
                                 .generation = (uint8_t)(side.config->spent_lives + 1),
                                 .key = (uint8_t)(i % side.config->keys)};
        void *place = hm_secondary_set(&side.secondary, secondary_owner(value), NULL);
        CHECK(place != NULL);
        secondary_fill(place, value);
        side.model.dense[side.model.count++] = value;
    }
}

static size_t begin(const space_config *config)
{
    size_t windows[SECONDARY_ARRAYS];
    memset(&side, 0, sizeof side);
    side.config = config;
    CHECK(config->capacity <= SECONDARY_VALUES && config->max_slots <= SECONDARY_SLOTS);
    for (uint32_t i = 0; i < SECONDARY_ARRAYS; i++)
        windows[i] = i < SECONDARY_ARRAYS - 1 ? SECONDARY_WINDOW : SPACE_SCRATCH;
    arena_begin(windows, SECONDARY_ARRAYS, config->page_size);
    arena_init(init);
    if (config->full)
        fill();
    return sizeof(secondary_state);
}

static void end(void)
{
    hm_secondary_fini(&side.secondary);
    CHECK(arena_is_empty());
}

/* states */

/* A position whose owner has another slot must not be trusted. It becomes 0, which is a position,
 * as fresh memory has it; but while the order lists slots, it may rely on the mark of a removed
 * one. */
static void blank_positions(void)
{
    const hm_secondary *secondary = &side.secondary;
    if (blank_order_lists(&secondary->order))
        return;
    for (uint32_t slot = 0; slot < secondary->slot_end; slot++)
        if (secondary->pieces[slot >> secondary->piece_shift] != 0 &&
            secondary_in_slot(slot) == HM_INVALID_INDEX)
            secondary->positions[slot] = 0;
}

/* As blank.c does for the order: blanks what is behind the values, which a later set or commit
 * writes before it is read; and the counts of arrays, since the secondary has its own, and sets
 * these at a trim. */
static void blank_unused(void)
{
    hm_secondary *secondary = &side.secondary;
    blank_behind(&secondary->value_array, side.config->item_size * secondary->count);
    blank_behind(&secondary->owner_array, sizeof(hm_handle) * secondary->count);
    blank_behind(&secondary->piece_array, secondary->piece_array.count);
    BLANK(secondary->value_array.count);
    BLANK(secondary->owner_array.count);
    BLANK(secondary->order.mark_array.count);
    blank_positions();
    hm_links links = {.owners = secondary->owners, .positions = secondary->positions};
    blank_order(&secondary->order, links, secondary->slot_end);
}

void secondary_capture(void *into)
{
    secondary_state *state = into;
    arena_open();
    blank_unused();
    memcpy(&state->secondary, &side.secondary, sizeof side.secondary);
    memcpy(&state->memory, &arena.memory, sizeof arena.memory);
    memset(side.model.dense + side.model.count, 0,
           sizeof side.model.dense - sizeof *side.model.dense * side.model.count);
    memcpy(&state->model, &side.model, sizeof side.model);
    arena_capture(state->bytes);
    arena_close();
}

void secondary_restore(const void *from)
{
    const secondary_state *state = from;
    arena_open();
    memcpy(&side.secondary, &state->secondary, sizeof side.secondary);
    memcpy(&arena.memory, &state->memory, sizeof arena.memory);
    memcpy(&side.model, &state->model, sizeof side.model);
    arena_restore(state->bytes);
    arena_close();
}

const space_kind secondary_space = {
    .container = "secondary",
    .verbs = secondary_verbs,
    .begin = begin,
    .end = end,
    .capture = secondary_capture,
    .restore = secondary_restore,
    .check = secondary_check,
    .list = secondary_list,
    .is_possible = secondary_is_possible,
    .take = secondary_take,
};
