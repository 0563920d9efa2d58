/* SPDX-License-Identifier: MIT */
/* The live lists: how they are begun, copied and brought back. */
#include "lists_space.h"

#include "blank.h"
#include "lists_internal.h"

#include <stddef.h>
#include <string.h>

lists_live many;

/* begin and end */

static void begin_lists(void)
{
    const size_t size = many.config->item_size;
    const hm_lists_desc desc = {.item_size = size,
                                .item_align = size % 8 == 0 ? 8 : 0, /* units of 8 bytes */
                                .capacity = many.config->capacity,
                                .max_slots = many.config->max_slots,
                                .max_items = many.config->max_items,
                                .type_id = SPACE_TYPE_ID,
                                .memory = &arena.table};
    uint32_t refuse = 1;
    do { /* Each of the reservations is refused once. */
        arena_refuse(refuse++);
        hm_status status = hm_lists_init(&many.lists, &desc);
        CHECK(status == (arena.refused ? HM_ERROR_MEMORY : HM_OK));
        CHECK(!arena.refused || arena_is_empty());
    } while (arena.refused);
    arena_refuse(0);
    CHECK(many.config->units <= many.lists.unit_array.capacity);
    many.lists.unit_array.capacity = many.config->units;
}

static size_t begin(const space_config *config)
{
    static const size_t windows[] = {LISTS_COLUMN, LISTS_IDS, LISTS_RANGE}; /* small ones first */
    memset(&many, 0, sizeof many);
    many.config = config;
    CHECK(config->max_slots <= LISTS_SLOTS && config->max_items <= LISTS_ITEMS);
    CHECK(config->item_size <= LISTS_ITEM);
    arena_begin(windows, sizeof windows / sizeof windows[0], config->page_size);
    begin_lists();
    for (uint32_t life = 0; life < config->spent_lives; life++) {
        for (uint32_t i = 0; i < config->capacity; i++)
            lists_create();
        hm_lists_clear(&many.lists);
        many.model.count = 0;
    }
    return sizeof(lists_state);
}

static void end(void)
{
    hm_lists_fini(&many.lists);
    CHECK(arena_is_empty());
}

/* states */

/* Blanks what is in the blocks behind the heads, and the items or the links, and the unit in front
 * of them. */
static void blank_blocks(hm_lists *lists)
{
    size_t unit_size = (size_t)1 << lists->unit_shift, used;
    for (uint32_t unit = 1, size; unit < lists->end; unit += size) {
        const hm_lists_block *block = hm_lists_block_at(lists, unit);
        size = hm_lists_size_of(lists, block);
        if (hm_lists_is_free(block))
            used = size > 1 ? sizeof(hm_lists_links) : 0;
        else
            used = lists->item_size * lists->records[block->slot].count;
        memset(hm_lists_address(lists, unit + 1) + used, SPACE_BLANK,
               unit_size * (size - 1) - used);
    }
    blank_behind(&lists->unit_array, lists->end > 1 ? unit_size * lists->end : 0);
    if (lists->unit_array.committed_size != 0)
        memset(lists->base, SPACE_BLANK, unit_size);
}

void lists_blank(hm_lists *lists)
{
    hm_id_table *ids = &lists->ids;
    blank_behind(&lists->record_array, sizeof(hm_lists_record) * ids->slot_count);
    blank_behind(&ids->entry_array, sizeof(hm_handle) * ids->slot_count);
    blank_behind(&ids->slot_array, sizeof(uint32_t) * ids->used);
    blank_behind(&ids->floors, sizeof(uint16_t) * ids->floors.count);
    BLANK(ids->entry_array.count);
    BLANK(ids->slot_array.count);
    BLANK(lists->record_array.count);
    BLANK(lists->unit_array.count);
    blank_blocks(lists);
}

void lists_capture(void *into)
{
    lists_state *state = into;
    arena_open();
    lists_blank(&many.lists);
    memcpy(&state->lists, &many.lists, sizeof many.lists);
    memcpy(&state->memory, &arena.memory, sizeof arena.memory);
    for (uint32_t i = 0; i < LISTS_SLOTS; i++) {
        lists_row *row = &many.model.dense[i];
        if (i >= many.model.count)
            memset(row, 0, sizeof *row);
        memset(row->keys + row->count, 0, sizeof row->keys - row->count);
    }
    memcpy(&state->model, &many.model, sizeof many.model);
    arena_capture(state->bytes);
    arena_close();
}

void lists_restore(const void *from)
{
    const lists_state *state = from;
    arena_open();
    memcpy(&many.lists, &state->lists, sizeof many.lists);
    memcpy(&arena.memory, &state->memory, sizeof arena.memory);
    memcpy(&many.model, &state->model, sizeof many.model);
    arena_restore(state->bytes);
    arena_close();
}

const space_kind lists_space = {
    .container = "lists",
    .verbs = lists_verbs,
    .begin = begin,
    .end = end,
    .capture = lists_capture,
    .restore = lists_restore,
    .check = lists_check,
    .list = lists_list,
    .is_possible = lists_is_possible,
    .take = lists_take,
};
