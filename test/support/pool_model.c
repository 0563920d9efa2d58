/* SPDX-License-Identifier: MIT */
/* The naive model of the pool: each operation on both sides, and the comparison of the two. */
#include "pool_model.h"

#include "layout.h"
#include "reload.h"

#include <stdlib.h>
#include <string.h>

enum {
    MODEL_SMALL = 64,  /* bytes; up to this size all items are compared after each operation */
    MODEL_STRIDE = 32, /* above, each item after this many operations */
    MODEL_BATCH = 32,  /* handles for erase_n */
    MODEL_MOST = 9000, /* the largest capacity */
    POOL_SET = 28      /* slots that an argument chooses of */
};

static hm_handle handle_at(const pool_model *model, uint32_t slot)
{
    return hm_handle_pack(slot, model->slots[slot].generation, model->desc.type_id);
}

static pool_model_slot *find(pool_model *model, hm_handle handle)
{
    uint32_t slot = hm_handle_index(handle);
    if (hm_handle_is_free(handle) || hm_handle_type_id(handle) != model->desc.type_id ||
        slot >= model->end)
        return NULL;
    pool_model_slot *record = &model->slots[slot];
    bool is_same = handle.bits == handle_at(model, slot).bits;
    return record->is_live && is_same ? record : NULL;
}

/* Returns the first live slot from `which` on, wrapping around. There is one. */
static uint32_t live_slot(const pool_model *model, uint32_t which)
{
    uint32_t slot = which % model->end;
    while (!model->slots[slot].is_live)
        slot = (slot + 1) % model->end;
    return slot;
}

static bool item_holds(const pool_model *model, const pool_model_slot *record)
{
    if (record->is_zero)
        return test_bytes_are(record->place, model->desc.item_size, 0);
    return test_item_is(record->place, model->desc.item_size, record->value);
}

static uint32_t room(const pool_model *model)
{
    uint32_t items = model->desc.capacity - model->count;
    uint32_t slots = model->desc.max_slots - model->count - model->retired;
    return items < slots ? items : slots;
}

/* Returns a handle to try: live (kind 0 to 7), erased, null, damaged, guessed, foreign or noise. */
static hm_handle pick(const pool_model *model, uint32_t kind, uint32_t which, uint32_t noise)
{
    uint32_t known = model->past_count < POOL_MODEL_PAST ? model->past_count : POOL_MODEL_PAST;
    uint64_t bits = (uint64_t)which << 32 | noise;
    hm_handle live = HM_NULL_HANDLE;
    if (model->count != 0)
        live = handle_at(model, live_slot(model, which));
    switch (kind % 16) {
    case 8:
    case 9:
    case 10:
        return known != 0 ? model->past[which % known] : live;
    case 11:
        return HM_NULL_HANDLE;
    case 12:
        return hm_handle_from_bits(live.bits ^ UINT64_C(1) << noise % 64);
    case 13:
        return hm_handle_pack(which % (model->end + 2), noise % 8, model->desc.type_id);
    case 14: /* an entry, which for a hole has the free bit */
        if (model->end == 0)
            return live;
        return hm_handle_from_bits((uint64_t)model->pool.entries[which % model->end] << 32 |
                                   which % model->end);
    case 15:
        return hm_handle_from_bits(test_random(&bits));
    default:
        return live;
    }
}

static void on_destroy(void *item, void *context)
{
    pool_model *model = context;
    if (test_reload_counts(item, model->desc.item_size))
        return;
    hm_handle handle = hm_pool_handle_of(&model->pool, item);
    pool_model_slot *record = find(model, handle);
    CHECK(record != NULL && record->place == item && record->destroyed == 0);
    CHECK(hm_pool_get(&model->pool, handle) == item);
    CHECK(item_holds(model, record));
    CHECK(!model->clearing || hm_handle_index(handle) >= model->last_slot);
    model->last_slot = hm_handle_index(handle) + 1;
    record->destroyed++;
    if ((model->tick + hm_handle_index(handle)) % TEST_SAMPLE == 0) {
        void *place = item;
        CHECK(hm_pool_validate(&model->pool) == HM_OK);
        CHECK(hm_handle_is_null(hm_pool_insert(&model->pool, NULL)));
        CHECK(hm_handle_is_null(hm_pool_emplace(&model->pool, &place)) && place == NULL);
        CHECK(!hm_pool_erase(&model->pool, handle));
        CHECK(hm_pool_erase_n(&model->pool, &handle, 1) == 0);
        CHECK(hm_pool_reserve(&model->pool, 1) == HM_ERROR_BUSY);
        CHECK(hm_pool_adopt(&model->pool, handle, NULL) == HM_ERROR_BUSY);
        CHECK(hm_pool_trim(&model->pool) == HM_ERROR_BUSY);
    }
}

/* The slot has an item now, which is what was given. */
static void note_live(pool_model *model, uint32_t slot, uint32_t generation, bool is_zero,
                      uint64_t value)
{
    pool_model_slot *record = &model->slots[slot];
    hm_handle handle = hm_handle_pack(slot, generation, model->desc.type_id);
    *record = (pool_model_slot){.place = hm_pool_get(&model->pool, handle),
                                .value = value,
                                .generation = generation,
                                .is_live = true,
                                .is_zero = is_zero};
    CHECK(record->place != NULL);
    size_t align = model->desc.item_align;
    CHECK((uintptr_t)record->place % (align != 0 ? align : 1) == 0);
    test_memory_check_committed(&model->memory, record->place, model->desc.item_size);
    model->count++;
    if (model->is_plain) {
        CHECK(item_holds(model, record));
        record->is_zero = false;
        record->value = (uint64_t)slot << 8 | record->generation;
        test_item_fill(record->place, model->desc.item_size, record->value);
    }
}

void pool_model_note_insert(pool_model *model, hm_handle handle, bool is_zero, uint64_t value)
{
    uint32_t slot = hm_handle_index(handle), lowest = 0, recent = pool_model_take_recent(model);
    CHECK(!hm_handle_is_free(handle));
    CHECK(hm_handle_type_id(handle) == model->desc.type_id);
    CHECK(slot <= model->end && slot < model->desc.max_slots);
    if (recent != HM_INVALID_INDEX) {
        CHECK(slot == recent);
    } else if (slot == model->end) {
        CHECK(model->count + model->retired == model->end); /* no hole was left */
        model->end++;
    } else {
        while (model->slots[lowest].is_live ||
               model->slots[lowest].generation == HM_HANDLE_MAX_GENERATION)
            lowest++;
        CHECK(slot == lowest);
    }
    pool_model_slot *record = &model->slots[slot];
    CHECK(!record->is_live && hm_handle_generation(handle) == record->generation + 1);
    note_live(model, slot, hm_handle_generation(handle), is_zero, value);
}

static void note_erase(pool_model *model, pool_model_slot *record)
{
    pool_model_note_hole(model, (uint32_t)(record - model->slots));
    model->past[model->past_count++ % POOL_MODEL_PAST] =
        handle_at(model, (uint32_t)(record - model->slots));
    CHECK(record->destroyed == (model->desc.destroy != NULL ? 1u : 0u));
    record->is_live = false;
    model->count--;
    model->retired += record->generation == HM_HANDLE_MAX_GENERATION;
}

static void insert_one(pool_model *model, uint32_t way, uint64_t value)
{
    unsigned char item[5000];
    void *place = item;
    hm_handle handle;
    bool fits = room(model) != 0;
    test_item_fill(item, model->desc.item_size, value);
    if (way % 3 == 0)
        handle = hm_pool_insert(&model->pool, item);
    else if (way % 3 == 1)
        handle = hm_pool_insert(&model->pool, NULL);
    else
        handle = hm_pool_emplace(&model->pool, &place);
    CHECK(way % 3 != 2 || place == hm_pool_get(&model->pool, handle));
    if (hm_handle_is_null(handle)) {
        CHECK(!fits || test_memory_refused(&model->memory));
        return;
    }
    CHECK(fits);
    if (way % 3 == 2)
        test_item_fill(place, model->desc.item_size, value);
    pool_model_note_insert(model, handle, way % 3 == 1, value);
}

void pool_model_probe(pool_model *model, hm_handle handle)
{
    const pool_model_slot *record = find(model, handle);
    hm_handle_state state = hm_pool_explain(&model->pool, handle), expected = HM_HANDLE_LIVE;
    CHECK(hm_pool_get(&model->pool, handle) == (record != NULL ? record->place : NULL));
    CHECK(hm_pool_contains(&model->pool, handle) == (record != NULL));
    CHECK(hm_pool_index_of(&model->pool, handle) ==
          (record != NULL ? hm_handle_index(handle) : HM_INVALID_INDEX));
    void *item = NULL;
    bool is_live = record == NULL;
    CHECK(hm_pool_get_n(&model->pool, &handle, 1, &item) == (record != NULL ? 1u : 0u));
    CHECK(item == (record != NULL ? record->place : NULL));
    CHECK(hm_pool_contains_n(&model->pool, &handle, 1, &is_live) == (record != NULL ? 1u : 0u));
    CHECK(is_live == (record != NULL));
    uint32_t slot = hm_handle_index(handle), generation = hm_handle_generation(handle);
    if (hm_handle_is_null(handle))
        expected = HM_HANDLE_NULL;
    else if (hm_handle_is_free(handle) || generation == 0)
        expected = HM_HANDLE_FORGED;
    else if (hm_handle_type_id(handle) != model->desc.type_id)
        expected = HM_HANDLE_FOREIGN;
    else if (slot >= model->end)
        expected = HM_HANDLE_OUT_OF_RANGE;
    else if (!model->slots[slot].is_live &&
             model->slots[slot].generation == HM_HANDLE_MAX_GENERATION)
        expected = HM_HANDLE_RETIRED;
    else if (record == NULL)
        expected = generation <= model->slots[slot].generation ? HM_HANDLE_STALE : HM_HANDLE_FORGED;
    CHECK(state == expected);
    if (record != NULL)
        return;
    hm_handle twice[] = {handle, HM_NULL_HANDLE, handle};
    CHECK(!hm_pool_erase(&model->pool, handle));
    CHECK(hm_pool_erase_n(&model->pool, twice, sizeof twice / sizeof *twice) == 0);
}

/* Probes a pointer into a live item, or to where one was. */
static void probe_pointer(pool_model *model, uint32_t which, uint32_t noise)
{
    if (model->end == 0)
        return;
    const pool_model_slot *record = &model->slots[which % model->end];
    if (record->place == NULL)
        return;
    hm_handle handle =
        hm_pool_handle_of(&model->pool, record->place + noise % model->desc.item_size);
    if (record->is_live)
        CHECK(hm_handle_equal(handle, handle_at(model, which % model->end)));
    else /* An item of another block may be there by now. */
        CHECK(hm_handle_is_null(handle) || find(model, handle) != NULL);
}

/* Checks the live slots that next_run returns. */
static void check_walk(const pool_model *model)
{
    uint32_t seen = 0, length, behind = 0;
    for (uint32_t i = hm_pool_next_run(&model->pool, 0, &length); i != HM_INVALID_INDEX;
         i = hm_pool_next_run(&model->pool, i + length, &length)) {
        CHECK(length != 0 && i >= behind && i + length <= model->end);
        for (uint32_t k = 0; k < length; k++) {
            const pool_model_slot *record = &model->slots[i + k];
            CHECK(record->is_live &&
                  record->place == (unsigned char *)hm_pool_item_at(&model->pool, i) +
                                       model->desc.item_size * k);
        }
        behind = i + length;
        seen += length;
    }
    CHECK(seen == model->count);
}

static void check_stats(const pool_model *model)
{
    hm_pool_stats stats = hm_pool_get_stats(&model->pool);
    CHECK(stats.count == model->count && stats.slots == model->end);
    CHECK(stats.capacity == model->desc.capacity && stats.max_slots == model->desc.max_slots);
    CHECK(stats.retired_slots == model->retired);
    CHECK(stats.free_slots == model->end - model->count - model->retired);
    CHECK(stats.committed_size == model->memory.committed_size);
    CHECK(stats.reserved_size == model->memory.reserved_size);
}

static void check_pool(void *state)
{
    pool_model *model = state;
    uint64_t random = ++model->tick;
    CHECK(hm_pool_validate(&model->pool) == HM_OK);
    CHECK(hm_pool_count(&model->pool) == model->count);
    check_stats(model);
    for (uint32_t slot = 0; slot < model->end; slot++) {
        const pool_model_slot *record = &model->slots[slot];
        CHECK(hm_pool_item_at(&model->pool, slot) == (record->is_live ? record->place : NULL));
        CHECK(hm_handle_equal(hm_pool_handle_at(&model->pool, slot),
                              record->is_live ? handle_at(model, slot) : HM_NULL_HANDLE));
        if (!record->is_live)
            continue;
        CHECK(record->destroyed == 0);
        if (model->desc.item_size <= MODEL_SMALL || (slot + model->tick) % MODEL_STRIDE == 0)
            CHECK(item_holds(model, record));
    }
    CHECK(hm_pool_item_at(&model->pool, model->end) == NULL);
    CHECK(hm_handle_is_null(hm_pool_handle_at(&model->pool, model->end)));
    check_walk(model);
    uint32_t kind = (uint32_t)test_random(&random), which = (uint32_t)test_random(&random);
    if (TEST_SAMPLE > 1) { /* The search probes all handles, of the generations that it has. */
        pool_model_probe(model, pick(model, kind, which, (uint32_t)test_random(&random)));
        probe_pointer(model, which, kind);
    }
    test_memory_disarm(&model->memory);
}

/* The operations. */

hm_status pool_model_init(pool_model *model, const hm_pool_desc *desc, bool has_hook,
                          size_t page_size)
{
    test_memory_init_with_holes(&model->memory, page_size);
    model->desc = *desc;
    model->desc.destroy = has_hook ? on_destroy : NULL;
    model->desc.context = model;
    model->desc.memory = &model->memory.table;
    CHECK(desc->max_slots <= POOL_MODEL_SLOTS);
    hm_status status = hm_pool_init(&model->pool, &model->desc);
    if (desc->capacity == 0)
        model->desc.capacity = desc->max_slots;
    return status;
}

/* Arguments: layout; shape; storage, hook and type id. */
static void *begin(const uint32_t arguments[3])
{
    static const uint32_t capacities[] = {1, 2, 15, 40, 64, 100, 130, 300};
    static const uint32_t spares[] = {0, 1, 3, 20, 600};
    test_layout layout = test_layout_at(arguments[0] % test_layout_count());
    pool_model *model = calloc(1, sizeof *model);
    CHECK(model != NULL);
    hm_pool_desc filled = {0}, *desc = &filled;
    desc->item_size = layout.item_size;
    desc->item_align = layout.item_align;
    desc->capacity = capacities[arguments[1] % 8];
    if (arguments[1] / 40 % 16 == 15 && layout.item_size <= MODEL_SMALL)
        desc->capacity = MODEL_MOST;
    desc->max_slots = desc->capacity + spares[arguments[1] / 8 % 5];
    desc->storage = (hm_storage)(arguments[2] % 3);
    if (arguments[1] / 640 % 3 == 0 && desc->storage != HM_STORAGE_FIXED_BLOCKS) {
        desc->max_slots = desc->capacity;
        desc->capacity = 0; /* none: so the columns move as they grow */
    }
    desc->block_size = arguments[2] / 3 % 2 == 0 ? 4096 : 0;
    desc->type_id = (uint16_t)(arguments[2] / 12 & HM_HANDLE_MAX_TYPE_ID);
    CHECK(pool_model_init(model, desc, arguments[2] / 6 % 2 != 0, layout.page_size) == HM_OK);
    return model;
}

static void note_all_erased(pool_model *model)
{
    model->clearing = false;
    for (uint32_t slot = 0; slot < model->end; slot++)
        if (model->slots[slot].is_live)
            note_erase(model, &model->slots[slot]);
    pool_model_forget_recent(model);
}

static void start_clearing(pool_model *model)
{
    model->clearing = true;
    model->last_slot = 0;
}

void pool_model_fini(pool_model *model)
{
    start_clearing(model);
    hm_pool_fini(&model->pool);
    note_all_erased(model);
    test_memory_check_released(&model->memory);
    hm_pool_fini(&model->pool);
    CHECK(hm_pool_validate(&model->pool) == HM_OK);
    CHECK(hm_handle_is_null(hm_pool_insert(&model->pool, NULL)));
}

/* Way, value. */
static void insert(void *state, const uint32_t arguments[3])
{
    insert_one(state, arguments[0], arguments[1]);
}

/* Kind, which, value: a handle of an erased item, of a slot near what it has issued, or any. */
static void adopt(void *state, const uint32_t arguments[3])
{
    pool_model *model = state;
    unsigned char item[5000];
    uint32_t near = arguments[1] % model->desc.max_slots;
    hm_handle handle =
        arguments[0] % 8 < 3
            ? hm_handle_pack(near, model->slots[near].generation + arguments[0] % 8,
                             model->desc.type_id)
            : pick(model, arguments[0] % 8 < 6 ? 8 : arguments[0] / 8, arguments[1], arguments[2]);
    uint32_t slot = hm_handle_index(handle), generation = hm_handle_generation(handle);
    test_item_fill(item, model->desc.item_size, arguments[2]);
    hm_status status = hm_pool_adopt(&model->pool, handle, item);
    if (handle.bits != hm_handle_pack(slot, generation, model->desc.type_id).bits ||
        generation == 0 || slot >= model->desc.max_slots) {
        CHECK(status == HM_ERROR_INVALID);
        return;
    }
    const pool_model_slot *record = &model->slots[slot];
    if (record->is_live || generation < record->generation ||
        record->generation == HM_HANDLE_MAX_GENERATION) {
        CHECK(status == HM_ERROR_STALE);
        return;
    }
    if (status != HM_OK) {
        CHECK(test_memory_explains(&model->memory, status, model->count < model->desc.capacity));
        return;
    }
    CHECK(model->count < model->desc.capacity);
    for (; model->end <= slot; model->end++)
        model->slots[model->end].generation = 1;
    pool_model_forget_recent(model);
    note_live(model, slot, generation, false, arguments[2]);
}

/* Number, value. */
static void insert_burst(void *state, const uint32_t arguments[3])
{
    for (uint32_t n = arguments[0] % (room(state) + 2); n > 0; n--)
        insert_one(state, n, arguments[1] + n);
}

/* Number, value: after a reserve, inserts succeed although the system refuses everything, and
 * return the upcoming handles. */
static void reserve(void *state, const uint32_t arguments[3])
{
    static hm_handle promised[MODEL_MOST];
    pool_model *model = state;
    uint32_t n = arguments[0];
    if (n != UINT32_MAX)
        n %= arguments[2] % 8 == 0 ? room(model) + 2 : 40;
    hm_status status = hm_pool_reserve(&model->pool, n);
    if (status != HM_OK) {
        CHECK(test_memory_explains(&model->memory, status, n <= room(model)));
        return;
    }
    CHECK(n <= room(model) && !test_memory_refused(&model->memory));
    test_try();
    test_memory_fail(&model->memory, 1, true);
    for (uint32_t k = 0; k < n; k++)
        promised[k] = hm_pool_upcoming(&model->pool, k);
    for (uint32_t i = 0; i < n; i++) {
        CHECK(!hm_pool_contains(&model->pool, promised[i]));
        CHECK(hm_handle_equal(hm_pool_upcoming(&model->pool, 0), promised[i]));
        insert_one(model, i, arguments[1] + i);
        CHECK(hm_pool_contains(&model->pool, promised[i]));
    }
    CHECK(!test_memory_refused(&model->memory));
    test_undo();
}

/* Number, value, whether zeroed and reported: inserts all of them, or none. */
static void insert_n(void *state, const uint32_t arguments[3])
{
    pool_model *model = state;
    static unsigned char items[MODEL_BATCH * 5000];
    hm_handle handles[MODEL_BATCH];
    bool is_zero = arguments[2] % 2 != 0;
    uint32_t n = arguments[0] % (MODEL_BATCH + 1), count = model->count;
    for (uint32_t i = 0; i < n; i++)
        test_item_fill(items + model->desc.item_size * i, model->desc.item_size, arguments[1] + i);
    memset(handles, 0xA5, sizeof handles);
    hm_status status = hm_pool_insert_n(&model->pool, is_zero ? NULL : items, n, handles);
    if (status != HM_OK) {
        CHECK(test_memory_explains(&model->memory, status, n <= room(model)));
        CHECK(hm_pool_count(&model->pool) == count);
        CHECK(test_bytes_are(handles, sizeof handles, 0xA5));
        return;
    }
    CHECK(n <= room(model));
    for (uint32_t i = 0; i < n; i++)
        pool_model_note_insert(model, handles[i], is_zero, arguments[1] + i);
}

/* A handle as pick takes it; every other time it is erased by its index. */
static void erase(void *state, const uint32_t arguments[3])
{
    pool_model *model = state;
    hm_handle handle = pick(model, arguments[0], arguments[1], arguments[2]);
    pool_model_slot *record = find(model, handle);
    bool is_erased = arguments[2] % 2 == 0
                         ? hm_pool_erase(&model->pool, handle)
                         : hm_pool_erase_at(&model->pool, hm_pool_index_of(&model->pool, handle));
    CHECK(is_erased == (record != NULL));
    if (record != NULL)
        note_erase(model, record);
}

/* They may name nothing, or an item twice. */
static void erase_all(pool_model *model, const hm_handle *handles, uint32_t n)
{
    uint32_t count = model->count, erased = hm_pool_erase_n(&model->pool, handles, n);
    for (uint32_t i = 0; i < n; i++)
        if (find(model, handles[i]) != NULL)
            note_erase(model, find(model, handles[i]));
    CHECK(erased == count - model->count);
}

/* Number, which; a quarter of them are repeated. */
static void erase_n(void *state, const uint32_t arguments[3])
{
    pool_model *model = state;
    hm_handle handles[MODEL_BATCH] = {{0}};
    uint64_t random = arguments[1];
    uint32_t n = arguments[0] % (MODEL_BATCH + 1);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t kind = test_random_below(&random, 16), which = (uint32_t)test_random(&random);
        handles[i] = pick(model, kind, which, (uint32_t)test_random(&random));
        if (i != 0 && test_random_below(&random, 4) == 0)
            handles[i] = handles[which % i];
    }
    erase_all(model, handles, n);
}

/* Set of slots, from the second argument on: each is named twice, whether it has an item or not. */
static void erase_set(void *state, const uint32_t arguments[3])
{
    pool_model *model = state;
    hm_handle handles[3 * POOL_SET] = {{0}};
    uint32_t n = 0, first = arguments[1] % (model->end + 1);
    for (uint32_t i = 0; i < POOL_SET && first + i < model->end; i++) {
        if ((arguments[0] >> i & 1) == 0)
            continue;
        handles[n++] = handle_at(model, first + i);
        handles[n++] = HM_NULL_HANDLE;
        handles[n++] = handle_at(model, first + i);
    }
    erase_all(model, handles, n);
}

static bool is_marked(const pool_model *model, uint32_t slot)
{
    return slot >= model->first && (model->doomed >> (slot - model->first) % POOL_SET & 1) != 0;
}

/* Called for the live slots, each once, in their order; doomed ones before are erased already. */
static bool is_doomed(const void *item, void *context)
{
    pool_model *model = context;
    hm_handle handle = hm_pool_handle_of(&model->pool, item);
    pool_model_slot *record = find(model, handle);
    CHECK(record != NULL && record->place == item && item_holds(model, record));
    CHECK(hm_handle_index(handle) >= model->last_slot);
    for (uint32_t slot = model->last_slot; slot < hm_handle_index(handle); slot++)
        CHECK(!model->slots[slot].is_live);
    model->last_slot = hm_handle_index(handle) + 1;
    if (hm_handle_index(handle) % TEST_SAMPLE == 0)
        CHECK(hm_pool_validate(&model->pool) == HM_OK);
    CHECK(hm_handle_is_null(hm_pool_insert(&model->pool, NULL)));
    CHECK(!hm_pool_erase(&model->pool, handle));
    CHECK(hm_pool_erase_if(&model->pool, is_doomed, model) == 0);
    return is_marked(model, hm_handle_index(handle));
}

/* Set of slots, from the second argument on. */
static void erase_if(void *state, const uint32_t arguments[3])
{
    pool_model *model = state;
    uint32_t count = model->count;
    model->doomed = arguments[0];
    model->first = arguments[1] % (model->end + 1);
    model->last_slot = 0;
    uint32_t erased = hm_pool_erase_if(&model->pool, is_doomed, model);
    for (uint32_t slot = 0; slot < model->end; slot++)
        if (model->slots[slot].is_live && is_marked(model, slot))
            note_erase(model, &model->slots[slot]);
    CHECK(erased == count - model->count);
}

/* First, number: a range of slots, so that whole pages and blocks become empty. */
static void erase_stretch(void *state, const uint32_t arguments[3])
{
    pool_model *model = state;
    uint32_t first = model->end != 0 ? arguments[0] % model->end : 0;
    for (uint32_t i = 0; i <= arguments[1] % (model->end + 1) && first + i < model->end; i++) {
        pool_model_slot *record = &model->slots[first + i];
        CHECK(hm_pool_erase(&model->pool, handle_at(model, first + i)) == record->is_live);
        if (record->is_live)
            note_erase(model, record);
    }
}

/* One of how many, how far ahead: erases items during a walk from item to item. */
static void erase_walking(void *state, const uint32_t arguments[3])
{
    pool_model *model = state;
    uint32_t every = 1 + arguments[0] % 9, ahead = arguments[1] % 4, expected = 0;
    for (uint32_t i = hm_pool_next_run(&model->pool, 0, NULL); i != HM_INVALID_INDEX;
         i = hm_pool_next_run(&model->pool, i + 1, NULL)) {
        while (!model->slots[expected].is_live)
            expected++;
        CHECK(i == expected++);
        uint32_t target = i + ahead;
        if (i % every != 0 || target >= model->end || !model->slots[target].is_live)
            continue;
        CHECK(hm_pool_erase(&model->pool, handle_at(model, target)));
        note_erase(model, &model->slots[target]);
    }
    for (; expected < model->end; expected++)
        CHECK(!model->slots[expected].is_live);
}

static void clear(void *state, const uint32_t arguments[3])
{
    pool_model *model = state;
    (void)arguments;
    start_clearing(model);
    hm_pool_clear(&model->pool);
    note_all_erased(model);
}

static void trim(void *state, const uint32_t arguments[3])
{
    pool_model *model = state;
    (void)arguments;
    size_t before = model->memory.committed_size;
    hm_status status = hm_pool_trim(&model->pool);
    CHECK(status == HM_OK || (status == HM_ERROR_MEMORY && test_memory_refused(&model->memory)));
    CHECK(model->memory.committed_size <= before);
    CHECK(status != HM_OK || model->count != 0 || model->pool.item_committed_size == 0);
    pool_model_forget_recent(model);
}

/* Kind and which of a handle, value. */
static void edit(void *state, const uint32_t arguments[3])
{
    pool_model *model = state;
    pool_model_slot *record = find(model, pick(model, arguments[0], arguments[1], arguments[2]));
    if (record == NULL)
        return;
    record->is_zero = false;
    record->value = arguments[2];
    test_item_fill(record->place, model->desc.item_size, record->value);
}

/* A handle as pick takes it. */
static void probe(void *state, const uint32_t arguments[3])
{
    pool_model_probe(state, pick(state, arguments[0], arguments[1], arguments[2]));
    probe_pointer(state, arguments[1], arguments[2]);
}

/* Which, generations left: gives a free slot a late generation, without as many reuses. */
static void age(void *state, const uint32_t arguments[3])
{
    pool_model *model = state;
    uint32_t generation = HM_HANDLE_MAX_GENERATION - 1 - arguments[1] % 3;
    uint32_t slot = model->end != 0 ? arguments[0] % model->end : 0;
    pool_model_slot *record = &model->slots[slot];
    if (model->end == 0 || record->is_live || record->generation >= generation)
        return;
    model->pool.entries[slot] += generation - record->generation;
    record->generation = generation;
}

/* k, whether the later calls fail too. */
static void refuse(void *state, const uint32_t arguments[3])
{
    test_memory_arm(&((pool_model *)state)->memory, arguments);
}

/* A slot's entry, which for a hole has the free bit, beside any bits. What resolves is not erased.
 */
static void hostile(void *state, const uint32_t arguments[3])
{
    pool_model *model = state;
    uint32_t slot = model->end != 0 ? arguments[0] / 4 % model->end : 0;
    uint64_t entry = model->end != 0 ? model->pool.entries[slot] : 0;
    hm_handle handle = test_hostile_handle(hm_handle_from_bits(entry << 32 | slot), arguments);
    pool_model_probe(model, handle);
}

hm_handle pool_model_owner_of(const pool_model *model, uintptr_t address)
{
    for (uint32_t slot = 0; slot < model->end; slot++)
        if (model->slots[slot].is_live &&
            address - (uintptr_t)model->slots[slot].place < model->desc.item_size)
            return handle_at(model, slot);
    return HM_NULL_HANDLE;
}

/* An address near an item or where one was, or any 48 bits. */
static void hostile_address(void *state, const uint32_t arguments[3])
{
    const pool_model *model = state;
    const void *near = model->end != 0 ? model->slots[arguments[1] % model->end].place : NULL;
    uintptr_t address = test_hostile_address(near, model->desc.item_size, arguments);
    CHECK(hm_handle_equal(hm_pool_handle_of(&model->pool, (const void *)address),
                          pool_model_owner_of(model, address)));
}

TEST_RELOAD_AND_END(pool, desc)

static const test_operation operations[] = {
    {"insert", 250, insert},
    {"insert_burst", 10, insert_burst},
    {"reserve", 10, reserve},
    {"erase", 150, erase},
    {"erase_n", 20, erase_n},
    {"erase_stretch", 12, erase_stretch},
    {"erase_walking", 6, erase_walking},
    {"clear", 3, clear},
    {"trim", 16, trim},
    {"edit", 40, edit},
    {"probe", 40, probe},
    {"age", 10, age},
    {"refuse", 40, refuse},
    {"hostile", 30, hostile},
    {"hostile_address", 30, hostile_address},
    {"insert_n", 20, insert_n},
    {"erase_if", 6, erase_if},
    {"erase_set", 6, erase_set},
    {"adopt", 40, adopt},
    {"reload", 10, reload},
};

TEST_SUBJECT(pool_subject, "pool", operations, begin, check_pool, end);
