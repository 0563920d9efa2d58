/* SPDX-License-Identifier: MIT */
/* The live pool: how it is begun, copied and brought back. */
#include "pool_space.h"
#include "blank.h"

#include <stddef.h>

pool_live now;

/* begin and end */

/* Windows for columns, and for a range or blocks. A reservation gets the first that fits, so small
 * ones come first. */
static void begin_arena(void)
{
    size_t windows[ARENA_RANGES];
    uint32_t count = 0;
    uint32_t small = now.config->storage == HM_STORAGE_VIRTUAL ? 5 : 9;
    if (now.config->settled != 0)
        small = 10;
    while (count < small)
        windows[count++] = POOL_SMALL;
    if (now.config->settled != 0)
        for (uint32_t i = 0; i < 4; i++)
            windows[count++] = i < 2 ? POOL_BLOCK : POOL_LARGE;
    arena_begin(windows, count, now.config->page_size);
}

static void begin_pool(void)
{
    hm_pool_desc desc = {.item_size = now.config->item_size,
                         .capacity = now.config->capacity,
                         .max_slots = now.config->max_slots,
                         .type_id = SPACE_TYPE_ID,
                         .storage = now.config->storage,
                         .block_size = now.config->block_size,
                         .destroy = now.config->hooks ? pool_destroyed : NULL,
                         .context = &now,
                         .memory = &arena.table};
    uint32_t refuse = 1;
    do { /* Each of the reservations is refused once. */
        arena_refuse(refuse++);
        hm_status status = hm_pool_init(&now.pool, &desc);
        CHECK(status == (arena.refused ? HM_ERROR_MEMORY : HM_OK));
        CHECK(!arena.refused || arena_is_empty());
    } while (arena.refused);
    arena_refuse(0);
}

/* Spends the first generations of all slots, then inserts the last items of the settled ones. */
static void spend_lives(void)
{
    for (uint32_t life = 1; life <= SPACE_LIVES; life++) {
        bool is_spent = life <= now.config->spent_lives;
        uint32_t end = is_spent ? now.config->capacity : now.config->settled;
        for (uint32_t slot = 0; slot < end; slot++)
            if (slot < now.config->settled)
                pool_settle(slot);
            else
                pool_insert(POOL_COPIED);
        if (life == SPACE_LIVES)
            break;
        now.destroy_from = 0;
        hm_pool_clear(&now.pool);
        memset(now.destroyed, 0, sizeof now.destroyed);
        memset(now.model.place, 0, sizeof now.model.place);
    }
    now.model.settled_live = now.config->settled != 0;
}

static size_t begin(const space_config *config)
{
    memset(&now, 0, sizeof now);
    now.config = config;
    CHECK(config->max_slots <= config->settled + (uint32_t)POOL_FREE_SLOTS);
    CHECK(config->settled == 0 || !config->hooks); /* The model does not know their items. */
    CHECK(config->max_slots <= POOL_MOST_SLOTS && config->item_size <= POOL_ITEM);
    begin_arena();
    begin_pool();
    spend_lives();
    size_t size = offsetof(pool_state, bytes) + arena_size();
    CHECK(size <= sizeof(pool_state));
    return size;
}

static void end(void)
{
    hm_pool_fini(&now.pool);
    CHECK(arena_is_empty());
}

/* states */

bool pool_holds_items(uint32_t range)
{
    const hm_array *columns[] = {&now.pool.entry_array, &now.pool.word_array, &now.pool.level_array,
                                 &now.pool.unit_array, &now.pool.index_array};
    if (arena.memory.reserved[range] == 0)
        return false;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (columns[i]->data == arena_range(range))
            return false;
    return true;
}

/* Blanks holes, whose bytes have no meaning. */
static void blank_items(void)
{
    unsigned char kept[POOL_MOST_SLOTS][POOL_ITEM];
    for (uint32_t slot = 0; slot < now.config->max_slots; slot++)
        if (pool_place(&now.model, slot) != NULL)
            memcpy(kept[slot], pool_place(&now.model, slot), now.config->item_size);
    for (uint32_t i = 0; i < arena.range_count; i++) {
        size_t end = pool_holds_items(i) ? arena.memory.reserved[i] : 0;
        for (size_t at = 0; at < end; at += arena.table.page_size)
            if (arena_is_committed(i, at))
                memset(arena_range(i) + at, SPACE_BLANK, arena.table.page_size);
    }
    for (uint32_t slot = 0; slot < now.config->max_slots; slot++)
        if (pool_place(&now.model, slot) != NULL)
            memcpy(pool_place(&now.model, slot), kept[slot], now.config->item_size);
}

/* Bytes that must not matter get one fixed value, so that states that behave equally are equal, and
 * so that a library that reads them goes wrong: holes, entries that were not issued yet, the counts
 * of arrays, which the pool sets at a trim, places for recent holes while there are less, and where
 * to look for cold slots while there are none.
 * Bits and blocks behind those in use are not among them: they must be 0. */
static void blank_unused(void)
{
    blank_items();
    blank_behind(&now.pool.entry_array, sizeof(uint32_t) * now.pool.slot_count);
    blank_behind(&now.pool.index_array, sizeof(uint32_t) * now.pool.index_size);
    BLANK(now.pool.entry_array.count);
    BLANK(now.pool.word_array.count);
    for (uint32_t i = 0; i < HM_POOL_RECENT; i++)
        if (now.pool.count + i >= now.pool.recent_end)
            BLANK(now.pool.recent[(now.pool.count + i) % HM_POOL_RECENT]);
    if (now.pool.cold_count == 0)
        BLANK(now.pool.absent_from);
}

void pool_capture(void *into)
{
    pool_state *state = into;
    arena_open();
    blank_unused();
    memcpy(&state->pool, &now.pool, sizeof now.pool);
    memcpy(&state->memory, &arena.memory, sizeof arena.memory);
    memcpy(&state->model, &now.model, sizeof now.model);
    arena_capture(state->bytes);
    arena_close();
}

void pool_restore(const void *from)
{
    const pool_state *state = from;
    arena_open();
    memcpy(&now.pool, &state->pool, sizeof now.pool);
    memcpy(&arena.memory, &state->memory, sizeof arena.memory);
    memcpy(&now.model, &state->model, sizeof now.model);
    arena_restore(state->bytes);
    arena_close();
}

const space_kind pool_space = {
    .container = "pool",
    .verbs = pool_verbs,
    .begin = begin,
    .end = end,
    .capture = pool_capture,
    .restore = pool_restore,
    .check = pool_check,
    .list = pool_list,
    .is_possible = pool_is_possible,
    .take = pool_take,
};
