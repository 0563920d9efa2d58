/* SPDX-License-Identifier: MIT */
/* The naive model of the map: each operation on both sides, and the comparison of the two. */
#include "map_model.h"

#include "layout.h"

#include <stdlib.h>
#include <string.h>

enum {
    MODEL_SMALL = 64,  /* bytes; up to this size all items are compared after each operation */
    MODEL_STRIDE = 32, /* above, each item after this many operations */
    MODEL_SAMPLE = 16  /* callbacks to a validate from inside one, and one more for each item */
};

model_slot *model_find(const map_model *model, hm_handle handle)
{
    uint32_t slot = hm_handle_index(handle);
    if (hm_handle_is_free(handle) || hm_handle_type_id(handle) != model->desc.type_id ||
        slot >= model->desc.max_slots)
        return NULL;
    model_slot *record = &model->slots[slot];
    bool live = record->live && record->generation == hm_handle_generation(handle);
    return live ? record : NULL;
}

static bool model_item_holds(const map_model *model, const model_slot *record, const void *item)
{
    if (record->item_zero)
        return test_bytes_are(item, model->desc.item_size, 0);
    return test_item_is(item, model->desc.item_size, record->value);
}

static bool model_meta_holds(const map_model *model, const model_slot *record, uint32_t i)
{
    const void *meta = hm_map_meta_at(&model->map, i);
    if (model->desc.meta_size == 0)
        return meta == NULL;
    if (record->meta_zero)
        return test_bytes_are(meta, model->desc.meta_size, 0);
    return test_item_is(meta, model->desc.meta_size, record->meta);
}

uint32_t model_room(const map_model *model)
{
    uint32_t items = model->desc.capacity - model->count;
    uint32_t slots = model->desc.max_slots - model->count - model->spent;
    return items < slots ? items : slots;
}

hm_handle model_handle_of(const map_model *model, const void *item)
{
    const unsigned char *items = hm_map_items(&model->map);
    size_t offset = (size_t)((const unsigned char *)item - items);
    CHECK((const unsigned char *)item >= items);
    CHECK(offset % model->desc.item_size == 0);
    hm_handle handle = hm_map_handle_at(&model->map, (uint32_t)(offset / model->desc.item_size));
    CHECK(!hm_handle_is_null(handle));
    CHECK(hm_handle_equal(hm_map_handle_of(&model->map, item), handle));
    return handle;
}

void model_in_callback(map_model *model)
{
    /* Rarer when many items make validate expensive: a large map's sort has millions of callbacks.
     */
    if (++model->callbacks % (MODEL_SAMPLE + model->count) != 0)
        return;
    CHECK(hm_map_validate(&model->map) == HM_OK);
    CHECK(hm_handle_is_null(hm_map_insert(&model->map, NULL)));
    CHECK(hm_map_reserve(&model->map, 1) == HM_ERROR_BUSY);
    CHECK(!hm_map_erase(&model->map, hm_map_handle_at(&model->map, 0)));
}

static void model_destroy(void *item, void *context)
{
    map_model *model = context;
    hm_handle handle = model_handle_of(model, item);
    model_slot *record = model_find(model, handle);
    CHECK(record != NULL);
    CHECK(record->destroyed == 0);
    CHECK(hm_map_get(&model->map, handle) == item);
    CHECK(model_item_holds(model, record, item));
    CHECK(model_meta_holds(model, record, hm_map_index_of(&model->map, handle)));
    CHECK(!hm_map_contains(&model->map, model->last_destroyed));
    if (model->from_the_back)
        CHECK(hm_map_index_of(&model->map, handle) == hm_map_count(&model->map) - 1);
    record->destroyed++;
    model->last_destroyed = handle;
    model_in_callback(model);
}

static void model_relocate(void *item, uint32_t from, uint32_t to, void *context)
{
    map_model *model = context;
    CHECK(from != to);
    hm_handle handle = hm_map_handle_at(&model->map, to);
    model_slot *record = model_find(model, handle);
    CHECK(record != NULL);
    CHECK(record->position == from);
    CHECK(hm_map_get(&model->map, handle) == item);
    record->position = to;
    model->relocated++;
    model_in_callback(model);
}

static bool model_value_doomed(const map_model *model, const model_slot *record)
{
    return (record->item_zero ? 0 : record->value % 8) < model->doomed_of_8;
}

static bool model_doomed(const void *item, void *context)
{
    map_model *model = context;
    hm_handle handle = model_handle_of(model, item);
    const model_slot *record = model_find(model, handle);
    CHECK(record != NULL);
    CHECK(model->asked < model->count);
    if (model->asked == 0 && model->is_stopped)
        model_read_positions(model); /* Moves in progress are ended first. */
    CHECK(hm_handle_equal(handle, model->dense[model->asked]));
    CHECK(model_item_holds(model, record, item));
    model->asked++;
    model_in_callback(model);
    return model_value_doomed(model, record);
}

void model_init(map_model *model, const hm_map_desc *desc, size_t page_size, bool destroy,
                bool relocate)
{
    memset(model, 0, sizeof *model);
    test_memory_init(&model->memory, page_size);
    model->desc = *desc;
    model->desc.destroy = destroy ? model_destroy : NULL;
    model->desc.relocate = relocate ? model_relocate : NULL;
    model->desc.context = model;
    model->desc.memory = &model->memory.table;
    model->desc.name = "model";
    model_set_orders(model);
    model->slots = calloc(desc->max_slots, sizeof *model->slots);
    model->dense = calloc(desc->capacity, sizeof *model->dense);
    model->buffer = malloc(desc->item_size * MODEL_BATCH);
    CHECK(model->slots != NULL && model->dense != NULL && model->buffer != NULL);
    CHECK(hm_map_init(&model->map, &model->desc) == HM_OK);
}

static void model_note_insert(map_model *model, hm_handle handle, bool zero, uint64_t value)
{
    uint32_t slot = hm_handle_index(handle);
    uint32_t generation = hm_handle_generation(handle);
    CHECK(!hm_handle_is_free(handle));
    CHECK(hm_handle_type_id(handle) == model->desc.type_id);
    CHECK(slot < model->desc.max_slots);
    model_slot *record = &model->slots[slot];
    CHECK(!record->live);
    CHECK(generation > record->generation);
    CHECK(model->trimmed || generation == record->generation + 1);
    *record = (model_slot){.value = value,
                           .generation = generation,
                           .position = model->count,
                           .live = true,
                           .item_zero = zero,
                           .meta_zero = true};
    model->dense[model->count++] = handle;
}

/* Marks the item erased; the caller removes it from `dense`. */
static void model_note_erase(map_model *model, hm_handle handle)
{
    model_slot *record = model_find(model, handle);
    CHECK(record != NULL);
    CHECK(record->destroyed == (model->desc.destroy != NULL ? 1u : 0u));
    record->live = false;
    if (record->generation == HM_HANDLE_MAX_GENERATION)
        model->spent++;
    model->past[model->past_count++ % MODEL_PAST] = handle;
}

void model_age(map_model *model, uint32_t which, uint32_t left)
{
    const hm_id_table *ids = &model->map.ids;
    if (ids->count == ids->used)
        return;
    uint32_t slot = ids->slots[ids->count + which % (ids->used - ids->count)];
    uint32_t generation = HM_HANDLE_MAX_GENERATION - left;
    model_slot *record = &model->slots[slot];
    if (record->generation >= generation)
        return;
    ids->entries[slot].bits += (uint64_t)(generation - record->generation)
                               << HM_HANDLE_GENERATION_SHIFT;
    record->generation = generation;
    if (generation == HM_HANDLE_MAX_GENERATION)
        model->spent++;
}

void model_insert(map_model *model, model_way way, uint64_t value)
{
    bool room = model_room(model) != 0;
    void *place = model->buffer;
    hm_handle handle;
    if (way == MODEL_EMPLACE) {
        handle = hm_map_emplace(&model->map, &place);
        CHECK(hm_handle_is_null(handle) == (place == NULL));
        if (place != NULL)
            test_item_fill(place, model->desc.item_size, value);
    } else {
        test_item_fill(model->buffer, model->desc.item_size, value);
        handle = hm_map_insert(&model->map, way == MODEL_COPY ? model->buffer : NULL);
    }
    if (hm_handle_is_null(handle)) {
        CHECK(!room || test_memory_refused(&model->memory));
        return;
    }
    CHECK(room);
    model_note_insert(model, handle, way == MODEL_NULL, value);
}

void model_insert_n(map_model *model, uint32_t n, bool copy, uint64_t value)
{
    hm_handle handles[MODEL_BATCH];
    uint32_t first = model->count;
    bool room = n <= model_room(model);
    bool report = n <= MODEL_BATCH && value % 2 == 0;
    memset(handles, 0x5A, sizeof handles);
    for (uint32_t i = 0; copy && i < n; i++)
        test_item_fill(model->buffer + model->desc.item_size * i, model->desc.item_size, value + i);
    hm_status status =
        hm_map_insert_n(&model->map, copy ? model->buffer : NULL, n, report ? handles : NULL);
    if (status != HM_OK) {
        CHECK(test_memory_explains(&model->memory, status, room));
        for (uint32_t i = 0; i < MODEL_BATCH; i++)
            CHECK(handles[i].bits == UINT64_C(0x5A5A5A5A5A5A5A5A));
        return;
    }
    CHECK(room);
    for (uint32_t i = 0; i < n; i++) {
        hm_handle handle = hm_map_handle_at(&model->map, first + i);
        CHECK(!report || hm_handle_equal(handle, handles[i]));
        model_note_insert(model, handle, !copy, value + i);
    }
}

void model_erase(map_model *model, hm_handle handle)
{
    bool live = model_find(model, handle) != NULL;
    uint64_t before = model->relocated;
    bool is_erased = handle.bits % 2 == 0
                         ? hm_map_erase(&model->map, handle)
                         : hm_map_erase_at(&model->map, hm_map_index_of(&model->map, handle));
    CHECK(is_erased == live);
    if (!live)
        return;
    model_note_erase(model, handle);
    uint32_t hole = 0;
    while (!hm_handle_equal(model->dense[hole], handle))
        hole++;
    model->count--;
    model->dense[hole] = model->dense[model->count];
    if (model->desc.relocate != NULL)
        CHECK(model->relocated - before == (hole < model->count ? 1u : 0u));
}

void model_erase_n(map_model *model, const hm_handle *handles, uint32_t n)
{
    hm_handle gone[MODEL_BATCH];
    uint32_t count = 0;
    CHECK(n <= MODEL_BATCH);
    for (uint32_t i = 0; i < n; i++) {
        bool fresh = model_find(model, handles[i]) != NULL;
        for (uint32_t k = 0; k < count; k++)
            fresh = fresh && !hm_handle_equal(gone[k], handles[i]);
        if (fresh)
            gone[count++] = handles[i];
    }
    CHECK(hm_map_erase_n(&model->map, handles, n) == count);
    for (uint32_t i = 0; i < count; i++)
        model_note_erase(model, gone[i]);
    /* The map may fill the holes in any order. */
    model->count -= count;
    for (uint32_t i = 0; i < model->count; i++)
        model->dense[i] = hm_map_handle_at(&model->map, i);
}

void model_erase_if(map_model *model, uint32_t doomed_of_8)
{
    uint32_t count = 0;
    model->doomed_of_8 = doomed_of_8;
    model->asked = 0;
    model->from_the_back = true;
    uint32_t erased = hm_map_erase_if(&model->map, model_doomed, model);
    model->from_the_back = false;
    CHECK(model->asked == model->count);
    for (uint32_t i = 0; i < model->count; i++) {
        hm_handle handle = model->dense[i];
        if (model_value_doomed(model, &model->slots[hm_handle_index(handle)]))
            model_note_erase(model, handle);
        else
            model->dense[count++] = handle;
    }
    CHECK(erased == model->count - count);
    model->count = count;
}

/* Records that clear or fini has erased all items. */
static void model_note_all_erased(map_model *model)
{
    for (uint32_t i = 0; i < model->count; i++)
        model_note_erase(model, model->dense[i]);
    model->count = 0;
}

void model_clear(map_model *model)
{
    model->from_the_back = true;
    hm_map_clear(&model->map);
    model->from_the_back = false;
    model_note_all_erased(model);
}

void model_reserve(map_model *model, uint32_t n, uint64_t value)
{
    bool room = n <= model_room(model);
    hm_status status = hm_map_reserve(&model->map, n);
    if (status != HM_OK) {
        CHECK(test_memory_explains(&model->memory, status, room));
        return;
    }
    CHECK(room);
    test_memory_fail(&model->memory, 1, true);
    hm_handle last = n != 0 ? hm_map_upcoming(&model->map, n - 1) : HM_NULL_HANDLE;
    for (uint32_t i = 0; i < n; i++) {
        hm_handle promised = hm_map_upcoming(&model->map, 0);
        CHECK(hm_handle_equal(hm_map_upcoming(&model->map, n - 1 - i), last));
        model_insert(model, MODEL_COPY, value + i);
        CHECK(hm_handle_equal(hm_map_handle_at(&model->map, model->count - 1), promised));
    }
    CHECK(!test_memory_refused(&model->memory));
}

void model_trim(map_model *model)
{
    hm_map_stats before = hm_map_get_stats(&model->map);
    hm_status status = hm_map_trim(&model->map);
    hm_map_stats after = hm_map_get_stats(&model->map);
    CHECK(status == HM_OK || (status == HM_ERROR_MEMORY && test_memory_refused(&model->memory)));
    CHECK(status != HM_OK || after.committed_size <= before.committed_size);
    CHECK(after.slots <= before.slots);
    CHECK(after.retired_slots == before.retired_slots);
    model->trimmed = true;
}

void model_edit(map_model *model, hm_handle handle, uint64_t value)
{
    model_slot *record = model_find(model, handle);
    void *item = hm_map_get(&model->map, handle);
    CHECK((item != NULL) == (record != NULL));
    hm_map_touch(&model->map, handle);
    if (record == NULL)
        return;
    record->item_zero = false;
    record->value = value;
    test_item_fill(item, model->desc.item_size, value);
    if (model->desc.meta_size == 0)
        return;
    record->meta_zero = false;
    record->meta = ~value;
    test_item_fill(hm_map_meta_at(&model->map, hm_map_index_of(&model->map, handle)),
                   model->desc.meta_size, ~value);
}

/* Whether explain's answer for a handle that does not resolve is right. The map may choose two
 * things: when a spent slot retires, and how coarse the generation floors of a trim are. */
static bool model_explains(const map_model *model, hm_handle handle, hm_handle_state state)
{
    uint32_t generation = hm_handle_generation(handle);
    if (hm_handle_is_null(handle))
        return state == HM_HANDLE_NULL;
    if (hm_handle_is_free(handle) || generation == 0)
        return state == HM_HANDLE_FORGED;
    if (hm_handle_type_id(handle) != model->desc.type_id)
        return state == HM_HANDLE_FOREIGN;
    uint32_t slot = hm_handle_index(handle);
    if (slot >= model->desc.max_slots || model->slots[slot].generation == 0)
        return state == HM_HANDLE_OUT_OF_RANGE;
    const model_slot *record = &model->slots[slot];
    if (!record->live && record->generation == HM_HANDLE_MAX_GENERATION)
        return state == HM_HANDLE_STALE || state == HM_HANDLE_RETIRED;
    if (generation <= record->generation)
        return state == HM_HANDLE_STALE;
    return state == HM_HANDLE_FORGED || (model->trimmed && state == HM_HANDLE_STALE);
}

void model_probe(const map_model *model, hm_handle handle)
{
    const model_slot *record = model_find(model, handle);
    hm_handle_state state = hm_map_explain(&model->map, handle);
    const void *item = hm_map_get(&model->map, handle);
    uint32_t position = hm_map_index_of(&model->map, handle);
    void *found = model->buffer;
    bool is_live = record == NULL;
    CHECK(hm_map_contains(&model->map, handle) == (record != NULL));
    CHECK(hm_map_get_n(&model->map, &handle, 1, &found) == (record != NULL) && found == item);
    CHECK(hm_map_contains_n(&model->map, &handle, 1, &is_live) == (record != NULL));
    CHECK(is_live == (record != NULL));
    CHECK((state == HM_HANDLE_LIVE) == (record != NULL));
    if (record == NULL) {
        CHECK(item == NULL);
        CHECK(position == HM_INVALID_INDEX);
        CHECK(model_explains(model, handle, state));
        return;
    }
    CHECK(position < model->count);
    CHECK(hm_handle_equal(model->dense[position], handle));
    CHECK(item == (unsigned char *)hm_map_items(&model->map) + model->desc.item_size * position);
}

hm_handle model_pick(const map_model *model, uint32_t kind, uint32_t which, uint32_t noise)
{
    uint32_t known = model->past_count < MODEL_PAST ? model->past_count : MODEL_PAST;
    uint64_t bits = (uint64_t)which << 32 | noise;
    hm_handle live = HM_NULL_HANDLE;
    if (model->count != 0)
        live = model->dense[which % model->count];
    switch (kind % 16) {
    case 8:
    case 9:
    case 10:
        return known != 0 ? model->past[which % known] : live;
    case 11:
        return HM_NULL_HANDLE;
    case 12:
        return hm_handle_from_bits(live.bits ^ UINT64_C(1) << noise % 64);
    case 13: /* any slot, some generation near those issued */
        return hm_handle_pack(which % model->desc.max_slots, noise % 8, model->desc.type_id);
    case 14:
        return hm_handle_pack(hm_handle_index(live), hm_handle_generation(live),
                              model->desc.type_id + 1u);
    case 15:
        return hm_handle_from_bits(test_random(&bits));
    default:
        return live;
    }
}

static void model_check_stats(const map_model *model)
{
    hm_map_stats stats = hm_map_get_stats(&model->map);
    CHECK(stats.count == model->count);
    CHECK(stats.capacity == model->desc.capacity);
    CHECK(stats.max_slots == model->desc.max_slots);
    CHECK(stats.slots <= stats.max_slots);
    CHECK(stats.slots == stats.count + stats.free_slots + stats.retired_slots);
    CHECK(stats.retired_slots <= model->spent);
    CHECK(stats.committed_size == model->memory.committed_size);
    CHECK(stats.reserved_size == model->memory.reserved_size);
}

void model_check(map_model *model)
{
    const unsigned char *items = hm_map_items(&model->map);
    uint64_t random = ++model->tick;
    CHECK(hm_map_validate(&model->map) == HM_OK);
    CHECK(hm_map_count(&model->map) == model->count);
    CHECK(hm_map_capacity(&model->map) == model->desc.capacity);
    model_check_stats(model);
    for (uint32_t i = 0; i < model->count; i++) {
        hm_handle handle = hm_map_handle_at(&model->map, i);
        const model_slot *record = model_find(model, handle);
        CHECK(record != NULL);
        CHECK(hm_handle_equal(handle, model->dense[i]));
        CHECK(hm_map_index_of(&model->map, handle) == i);
        CHECK(record->destroyed == 0);
        CHECK(model->desc.relocate == NULL || record->position == i);
        CHECK(model_meta_holds(model, record, i));
        if (model->desc.item_size <= MODEL_SMALL || (i + model->tick) % MODEL_STRIDE == 0)
            CHECK(model_item_holds(model, record, items + model->desc.item_size * i));
    }
    CHECK(hm_handle_is_null(hm_map_handle_at(&model->map, model->count)));
    CHECK(hm_map_meta_at(&model->map, model->count) == NULL);
    uint32_t kind = (uint32_t)test_random(&random);
    uint32_t which = (uint32_t)test_random(&random);
    model_probe(model, model_pick(model, kind, which, (uint32_t)test_random(&random)));
    model_check_searches(model, (uint32_t)test_random(&random));
    if (!model->refuses)
        test_memory_fail(&model->memory, 0, false);
    model->refuses = false;
}

void model_fini(map_model *model)
{
    model->from_the_back = true;
    hm_map_fini(&model->map);
    model->from_the_back = false;
    model_note_all_erased(model);
    test_memory_check_released(&model->memory);
    hm_map_fini(&model->map);
    CHECK(hm_map_count(&model->map) == 0);
    CHECK(hm_map_validate(&model->map) == HM_OK);
    free(model->slots);
    free(model->dense);
    free(model->buffer);
}
