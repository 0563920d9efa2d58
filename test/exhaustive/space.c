/* SPDX-License-Identifier: MIT */
/* The live state: how it is begun, copied and brought back. */
#include "space.h"

#include <stddef.h>
#include <string.h>

space live;

/* begin and end */

/* Inserts as many items as fit. */
static void fill(void)
{
    for (uint32_t i = 0; i < live.config->capacity; i++) {
        uint32_t key = i % live.config->keys;
        ghost_note_insert(live.container->insert(key), key);
        calls.destroyed = 0;
    }
}

/* Begins an arena for what init reserves, and the marks and the scratch memory of an order. */
static void begin_arena(void)
{
    size_t windows[ARENA_RANGES];
    uint32_t count = live.container->list_windows(windows);
    CHECK(count + 2 <= ARENA_RANGES);
    windows[count++] = SPACE_WINDOW;
    windows[count++] = SPACE_SCRATCH;
    arena_begin(windows, count, live.config->page_size);
    CHECK(arena_size() <= SPACE_BYTES);
}

size_t space_begin(const space_config *small, const space_container *container)
{
    memset(&live, 0, sizeof live);
    live.config = small;
    live.container = container;
    CHECK(live.config->capacity <= SPACE_ITEMS && live.config->max_slots <= SPACE_SLOTS);
    begin_arena();
    arena_init(container->init);
    for (uint32_t life = 0; life < live.config->spent_lives; life++) {
        fill();
        container->clear();
        live.model.count = 0;
    }
    if (live.config->full)
        fill();
    memset(&calls, 0, sizeof calls);
    return offsetof(space_state, bytes) + arena_size();
}

void space_end(void)
{
    live.container->fini();
    CHECK(arena_is_empty());
}

size_t space_in_pages(size_t size)
{
    return (size + live.config->page_size - 1) / live.config->page_size * live.config->page_size;
}

/* states */

/* As blank.c does for the order: blanks what is behind the live items, which a later insert or
 * commit writes before it is read; and the counts of arrays, since the id table and its owner have
 * their own, and set these at a trim. */
static void blank_unused(void)
{
    hm_id_table *ids = live.container->ids;
    live.container->blank_items();
    blank_behind(&ids->entry_array, sizeof(hm_handle) * ids->slot_count);
    blank_behind(&ids->slot_array, sizeof(uint32_t) * ids->used);
    blank_behind(&ids->floors, sizeof(uint16_t) * ids->floors.count);
    BLANK(ids->entry_array.count);
    BLANK(ids->slot_array.count);
    BLANK(live.container->order->mark_array.count);
    hm_links links = {.slots = ids->slots, .entries = ids->entries};
    blank_order(live.container->order, links, ids->slot_count);
}

void space_capture(void *into)
{
    space_state *state = into;
    arena_open();
    blank_unused();
    memcpy(&state->box, &live.box, sizeof live.box);
    memcpy(&state->memory, &arena.memory, sizeof arena.memory);
    arena_capture(state->bytes);
    memset(live.model.dense + live.model.count, 0,
           sizeof live.model.dense - sizeof *live.model.dense * live.model.count);
    memcpy(&state->model, &live.model, sizeof live.model);
    arena_close();
}

void space_restore(const void *from)
{
    const space_state *state = from;
    arena_open();
    memcpy(&live.box, &state->box, sizeof live.box);
    memcpy(&arena.memory, &state->memory, sizeof arena.memory);
    arena_restore(state->bytes);
    memcpy(&live.model, &state->model, sizeof live.model);
    arena_close();
}

bool space_is_untouched(const space_state *before)
{
    arena_open();
    bool same = memcmp(&live.box, &before->box, sizeof live.box) == 0 && arena_is(before->bytes);
    arena_close();
    return same;
}
