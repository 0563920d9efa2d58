/* SPDX-License-Identifier: MIT */
/* The live index: how it is begun, copied, brought back and compared with its model. */
#include "index_space.h"

#include "blank.h"

#include <string.h>

index_live keyed;

/* model */

uint64_t index_key(uint32_t number)
{
    return keyed.config->hashed ? number * UINT64_C(0x9E3779B97F4A7C15) : number;
}

uint32_t index_count(const index_ghost *model)
{
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < INDEX_SLOTS; slot++)
        count += model->generation[slot] != 0;
    return count;
}

bool index_has(hm_handle handle)
{
    uint32_t slot = hm_handle_index(handle);
    return slot < INDEX_SLOTS && keyed.model.generation[slot] != 0 &&
           handle.bits == space_name(slot, keyed.model.generation[slot], SPACE_TYPE_ID, false).bits;
}

/* begin and end */

static size_t begin(const space_config *config)
{
    size_t windows[INDEX_COLUMNS + 2];
    memset(&keyed, 0, sizeof keyed);
    keyed.config = config;
    CHECK(config->max_slots <= INDEX_SLOTS && config->keys <= INDEX_KEYS);
    for (uint32_t i = 0; i < INDEX_COLUMNS; i++)
        windows[i] = INDEX_COLUMN;
    windows[INDEX_COLUMNS] = INDEX_IDS;
    windows[INDEX_COLUMNS + 1] = INDEX_RANGE;
    arena_begin(windows, INDEX_COLUMNS + 2, config->page_size);
    const hm_index_desc desc = {.capacity = config->capacity,
                                .max_slots = config->max_slots,
                                .type_id = SPACE_TYPE_ID,
                                .key_limit = config->hashed ? 0 : config->keys,
                                .seed = 1,
                                .memory = &arena.table};
    uint32_t refuse = 1;
    do { /* Each of the reservations is refused once. */
        arena_refuse(refuse++);
        hm_status status = hm_index_init(&keyed.index, &desc);
        CHECK(status == (arena.refused ? HM_ERROR_MEMORY : HM_OK));
        CHECK(!arena.refused || arena_is_empty());
    } while (arena.refused);
    arena_refuse(0);
    hm_array *range = &keyed.index.members.unit_array;
    CHECK(config->units <= range->capacity);
    if (config->units != 0)
        range->capacity = config->units;
    return sizeof(index_state);
}

static void end(void)
{
    hm_index_fini(&keyed.index);
    CHECK(arena_is_empty());
}

/* states */

/* As in the space of a secondary. */
static void blank_owners(void)
{
    hm_secondary *owners = &keyed.index.owners;
    blank_behind(&owners->value_array, sizeof(hm_index_place) * owners->count);
    blank_behind(&owners->owner_array, sizeof(hm_handle) * owners->count);
    blank_behind(&owners->piece_array, owners->piece_array.count);
    BLANK(owners->value_array.count);
    BLANK(owners->owner_array.count);
    for (uint32_t slot = 0; slot < owners->slot_end; slot++)
        if (owners->pieces[slot >> owners->piece_shift] != 0 &&
            (slot >= INDEX_SLOTS || keyed.model.generation[slot] == 0))
            owners->positions[slot] = 0;
}

void index_capture(void *into)
{
    index_state *state = into;
    arena_open();
    blank_owners();
    blank_lists(&keyed.index.members);
    blank_behind(&keyed.index.bucket_array, sizeof(hm_index_bucket) * keyed.index.bucket_count);
    BLANK(keyed.index.bucket_array.count);
    BLANK(keyed.index.head_array.count);
    memcpy(&state->index, &keyed.index, sizeof keyed.index);
    memcpy(&state->memory, &arena.memory, sizeof arena.memory);
    memcpy(&state->model, &keyed.model, sizeof keyed.model);
    arena_capture(state->bytes);
    arena_close();
}

void index_restore(const void *from)
{
    const index_state *state = from;
    arena_open();
    memcpy(&keyed.index, &state->index, sizeof keyed.index);
    memcpy(&arena.memory, &state->memory, sizeof arena.memory);
    memcpy(&keyed.model, &state->model, sizeof keyed.model);
    arena_restore(state->bytes);
    arena_close();
}

/* what a state shows */

static void check_handle(hm_handle handle)
{
    uint64_t key = UINT64_MAX;
    bool is_owner = index_has(handle);
    CHECK(hm_index_contains(&keyed.index, handle) == is_owner);
    CHECK(hm_index_key_of(&keyed.index, handle, &key) == is_owner);
    CHECK(key == (is_owner ? index_key(keyed.model.key[hm_handle_index(handle)]) : UINT64_MAX));
}

/* The members are the owners that have the key, each once; validate compares the places. */
static void check_keys(void)
{
    uint32_t keys = 0, visited = 0;
    for (uint32_t number = 0; number <= keyed.config->keys; number++) {
        uint32_t count = UINT32_MAX, wanted = 0;
        const hm_handle *members = hm_index_members(&keyed.index, index_key(number), &count);
        for (uint32_t slot = 0; slot < INDEX_SLOTS; slot++)
            wanted += keyed.model.generation[slot] != 0 && keyed.model.key[slot] == number;
        CHECK(count == wanted && (members == NULL) == (count == 0));
        for (uint32_t i = 0; i < count; i++)
            CHECK(index_has(members[i]) && keyed.model.key[hm_handle_index(members[i])] == number);
        keys += count != 0;
    }
    CHECK(hm_index_key_count(&keyed.index) == keys);
    hm_index_view view = {0};
    while (hm_index_next(&keyed.index, &view)) {
        CHECK(view.members == hm_index_members(&keyed.index, view.key, NULL));
        visited++;
    }
    CHECK(visited == keys);
}

static void check_statistics(void)
{
    hm_index_stats stats = hm_index_get_stats(&keyed.index);
    size_t reserved_size = 0;
    for (uint32_t i = 0; i < arena.range_count; i++)
        reserved_size += arena.memory.reserved[i];
    CHECK(stats.count == index_count(&keyed.model) && hm_index_count(&keyed.index) == stats.count);
    CHECK(stats.capacity == keyed.config->capacity && stats.max_slots == keyed.config->max_slots);
    CHECK(stats.reserved_size == reserved_size && stats.committed_size == arena_check());
}

/* From every state, fini gives all memory back. */
static void check_end(void)
{
    arena_close();
    hm_index_fini(&keyed.index);
    CHECK(arena_is_empty());
    hm_index_fini(&keyed.index);
    CHECK(hm_index_validate(&keyed.index) == HM_OK);
}

static void check(void)
{
    CHECK(hm_index_validate(&keyed.index) == HM_OK);
    for (uint32_t n = 0; n < space_handle_values(keyed.config); n++)
        check_handle(space_handle_value(n));
    check_keys();
    check_statistics();
    check_end();
}

const space_kind index_space = {
    .container = "index",
    .verbs = index_verbs,
    .begin = begin,
    .end = end,
    .capture = index_capture,
    .restore = index_restore,
    .check = check,
    .list = index_list,
    .is_possible = index_is_possible,
    .take = index_take,
};
