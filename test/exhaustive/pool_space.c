/* SPDX-License-Identifier: MIT */
/* The state spaces of a pool. In a space with settled slots these come first, and are in their last
 * generation, so that only a clear erases them. */
#include "blank.h"
#include "subject.h"

#include "support/pool_model.h"

#include <stddef.h>
#include <string.h>

enum {
    POOL_ITEM = 16,     /* bytes, at most */
    POOL_COLUMNS = 336, /* windows of the arena, bytes */
    POOL_SMALL = 64,
    POOL_BLOCK = 144,
    POOL_LARGE = 288,
    POOL_LARGEST = POOL_COLUMNS + POOL_LARGE
};

static pool_model model;
static const space_config *config;

/* begin and end */

/* A window for the columns, and the items of one range, and windows for blocks, small ones first. A
 * reservation gets the first that fits. */
static void begin_arena(void)
{
    size_t windows[ARENA_RANGES];
    uint32_t count = 0;
    windows[count++] = config->settled != 0 ? POOL_LARGEST : POOL_COLUMNS;
    if (config->storage != HM_STORAGE_VIRTUAL)
        while (count < 6)
            windows[count++] = POOL_SMALL;
    if (config->settled != 0)
        for (uint32_t i = 0; i < 4; i++)
            windows[count++] = i < 2 ? POOL_BLOCK : POOL_LARGE;
    arena_begin(windows, count, config->page_size);
}

static hm_status init(void)
{
    const hm_pool_desc desc = {.item_size = config->item_size,
                               .capacity = config->capacity,
                               .max_slots = config->max_slots,
                               .type_id = SPACE_TYPE_ID,
                               .storage = config->storage,
                               .block_size = config->block_size};
    return pool_model_init(&model, &desc, config->hooks, config->page_size);
}

/* Spends the first generations of all slots, then inserts the last items of the settled ones. */
static void spend_lives(void)
{
    static const uint32_t any[TEST_ARGUMENTS];
    for (uint32_t life = 1; life <= SPACE_LIVES; life++) {
        bool is_spent = life <= config->spent_lives;
        uint32_t end = is_spent ? config->capacity : config->settled;
        while (model.count < end)
            subject_run("insert", any);
        if (life != SPACE_LIVES)
            subject_run("clear", any);
    }
}

static void fini(void)
{
    pool_model_fini(&model);
}

static void probe(hm_handle handle)
{
    pool_model_probe(&model, handle);
}

/* states */

/* Whether a byte may be an item's: those of one range are behind the columns, in the first range.
 */
static bool holds_items(uint32_t range, size_t at)
{
    if (at >= arena.memory[range].reserved)
        return false;
    return config->storage == HM_STORAGE_VIRTUAL
               ? arena_range(range) + at >= model.pool.places.items
               : range != 0;
}

/* Blanks holes, whose bytes have no meaning. */
static void blank_items(void)
{
    unsigned char kept[POOL_MODEL_SLOTS][POOL_ITEM];
    for (uint32_t slot = 0; slot < model.end; slot++)
        if (model.slots[slot].is_live)
            memcpy(kept[slot], model.slots[slot].place, config->item_size);
        else
            model.slots[slot] = (pool_model_slot){.generation = model.slots[slot].generation};
    for (uint32_t i = 0; i < arena.range_count; i++) {
        for (size_t at = 0; at < arena.windows[i]; at += arena.table.page_size)
            if (holds_items(i, at) && arena_is_committed(i, at))
                memset(arena_range(i) + at, SPACE_BLANK, arena.table.page_size);
    }
    for (uint32_t slot = 0; slot < model.end; slot++)
        if (model.slots[slot].is_live)
            memcpy(model.slots[slot].place, kept[slot], config->item_size);
}

/* Bytes that must not matter get one fixed value, so that states that behave equally are equal, and
 * so that a library that reads them goes wrong: holes, entries that were not issued yet, the counts
 * of arrays, which the pool sets at a trim, and places for recent holes while there are less.
 * Bits and blocks behind those in use are not among them: they must be 0. */
static void blank(void)
{
    hm_pool *pool = &model.pool;
    blank_items();
    blank_behind(&pool->entry_array, sizeof(uint32_t) * pool->slot_count);
    blank_behind(&pool->extent_array, sizeof(uint32_t) * pool->extent_count);
    BLANK(pool->entry_array.count);
    BLANK(pool->word_array.count);
    BLANK(pool->hole_array.count);
    for (uint32_t i = pool->recent_count; i < HM_POOL_RECENT && pool->hole_array.limit != 0; i++)
        BLANK(pool->recent[i]);
    for (uint32_t i = model.recent_count; i < POOL_MODEL_SLOTS; i++)
        model.recent[i] = 0;
}

/* Whether these bytes have a part of an item. */
static bool holds_live(const unsigned char *bytes, size_t size)
{
    for (uint32_t slot = 0; slot < model.end; slot++) {
        const unsigned char *place = model.slots[slot].place;
        if (model.slots[slot].is_live && place < bytes + size && bytes < place + config->item_size)
            return true;
    }
    return false;
}

/* After a trim, each page or block that is left has a live item. */
static void check_trimmed(void)
{
    for (uint32_t i = 0; i < arena.range_count; i++) {
        size_t unit = config->page_size;
        if (config->storage == HM_STORAGE_GROWING_BLOCKS)
            unit = arena.memory[i].reserved;
        if (config->storage == HM_STORAGE_FIXED_BLOCKS)
            unit *= ((config->item_size << model.pool.places.first_block) - 1) / unit + 1;
        for (size_t at = 0; at < arena.memory[i].reserved; at += unit)
            CHECK(!holds_items(i, at) || !arena_is_committed(i, at) ||
                  holds_live(arena_range(i) + at, unit));
    }
}

static void save(hm_sink sink)
{
    CHECK(hm_pool_save(&model.pool, NULL, sink) == HM_OK);
}

/* Blocks may be at other addresses. */
static void load(hm_source source)
{
    arena_empty();
    CHECK(init() == HM_OK);
    CHECK(hm_pool_load(&model.pool, NULL, source) == HM_OK);
    for (uint32_t slot = 0; slot < model.end; slot++)
        if (model.slots[slot].is_live)
            model.slots[slot].place = hm_pool_get(
                &model.pool, space_name(slot, model.slots[slot].generation, SPACE_TYPE_ID, false));
}

static size_t begin(const space_config *of)
{
    static const subject_file file = {save, load, &model.count, NULL, NULL};
    const size_t live = offsetof(pool_model, pool);
    CHECK(of->max_slots <= POOL_MODEL_SLOTS && of->item_size <= POOL_ITEM);
    config = of;
    memset(&model, 0, sizeof model);
    model.is_plain = true;
    begin_arena();
    arena_init(init);
    size_t size = subject_begin(
        &(subject_space){of, &pool_subject, &model, (unsigned char *)&model + live,
                         sizeof model - live, NULL, blank, probe, fini, check_trimmed, &file});
    spend_lives();
    return size;
}

/* what a state shows */

/* Checks each address of the arena, and one behind each range; no two items share one. */
static void check_addresses(void)
{
    static uint8_t owners[ARENA_RANGES][POOL_LARGEST + 1]; /* slot of each byte, plus 1; 0: none */
    const size_t size = config->item_size;
    memset(owners, 0, sizeof owners);
    for (uint32_t slot = 0; slot < model.end; slot++)
        for (size_t i = 0; i < size && model.slots[slot].is_live; i++) {
            CHECK((uintptr_t)model.slots[slot].place % (size & (0 - size)) == 0);
            size_t offset = (size_t)(model.slots[slot].place + i - arena_range(0));
            uint8_t *owner = &owners[offset / ARENA_STEP][offset % ARENA_STEP];
            CHECK(holds_items((uint32_t)(offset / ARENA_STEP), offset % ARENA_STEP));
            CHECK(*owner == 0);
            *owner = (uint8_t)(slot + 1);
        }
    CHECK(hm_handle_is_null(hm_pool_handle_of(&model.pool, NULL)));
    CHECK(hm_handle_is_null(hm_pool_handle_of(&model.pool, &model.pool)));
    for (uint32_t i = 0; i < arena.range_count; i++)
        for (size_t at = 0; at <= arena.windows[i]; at++) {
            hm_handle handle = hm_pool_handle_of(&model.pool, arena_range(i) + at), owner = {0};
            uint32_t slot = owners[i][at] - 1u;
            if (owners[i][at] != 0)
                owner = space_name(slot, model.slots[slot].generation, SPACE_TYPE_ID, false);
            CHECK(handle.bits == owner.bits);
        }
}

/* A run ends at a hole, or where the next item is not adjacent. */
static void check_run(uint32_t from)
{
    const pool_model_slot *slots = model.slots;
    uint32_t first = from, length = 0, said = UINT32_MAX;
    while (first < model.end && !slots[first].is_live)
        first++;
    if (first >= model.end)
        first = HM_INVALID_INDEX;
    else
        do
            length++;
        while (first + length < model.end && slots[first + length].is_live &&
               slots[first + length].place == slots[first].place + config->item_size * length);
    CHECK(hm_pool_next_run(&model.pool, from, &said) == first && said == length);
    CHECK(hm_pool_next_run(&model.pool, from, NULL) == first);
}

static void check(void)
{
    check_addresses();
    check_run(0);
    for (uint32_t from = config->settled; from <= config->max_slots + 1; from++)
        check_run(from);
    check_run(UINT32_MAX);
    for (uint32_t slot = 0; slot < config->settled; slot++)
        probe(space_name(slot, model.slots[slot].generation, SPACE_TYPE_ID, false));
    subject_check();
}

/* steps */

static void list_all(space_actions *list)
{
    uint32_t settled = config->settled, slots = config->max_slots - settled;
    list->count = 0;
    for (uint32_t way = 0; way < 3; way++) /* copied, zeroed, in place */
        subject_add(list, "insert", way, 0, 0);
    subject_add_quiet(list, "clear", 0, 0, 0);
    subject_add(list, "trim", 0, 0, 0);
    subject_add(list, "reserve", UINT32_MAX, 0, 1);
    for (uint32_t n = 0; n <= slots + 1; n++) {
        subject_add(list, "reserve", n, 0, 1);
        subject_add(list, "insert_n", n, 0, n % 2);
    }
    for (uint32_t set = 0; set < 1u << slots; set++) {
        subject_add_quiet(list, "erase_set", set, settled, 0);
        subject_add_quiet(list, "erase_if", set, settled, 0);
    }
    for (uint32_t slot = settled; slot < config->max_slots; slot++)
        subject_add_quiet(list, "erase", 0, slot, 0);
    if (config->adopts)
        subject_add_adopts(list, config->max_slots);
}

static bool is_possible(const void *state, const space_action *action)
{
    (void)state;
    return !subject_is(action, "erase") ||
           (action->b < model.end && model.slots[action->b].is_live);
}

const space_kind pool_space = {&pool_subject, 0,        begin,       fini,
                               check,         list_all, is_possible, subject_take};
