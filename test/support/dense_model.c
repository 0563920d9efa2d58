/* SPDX-License-Identifier: MIT */
/* What a map or a table has issued and what is live: each operation on both sides, and the
 * comparison of the two. */
#include "dense_model.h"

#include "layout.h"
#include "reload.h"

#include <stdlib.h>
#include <string.h>

enum {
    MODEL_KEY_SHIFT = 8, /* where a value has its key, if there are keys */
    MODEL_FEW = 8,       /* items that most batches have at most */
    MODEL_BUSY = 32      /* callbacks that are sampled to one that tries what is refused there */
};

/* items */

static hm_handle named(const dense_model *model, uint32_t slot)
{
    return hm_handle_pack(slot, model->slots[slot].generation, model->type_id);
}

dense_slot *dense_model_find(const dense_model *model, hm_handle handle)
{
    uint32_t slot = hm_handle_index(handle);
    if (slot >= model->max_slots || !model->slots[slot].is_live ||
        handle.bits != named(model, slot).bits)
        return NULL;
    return (dense_slot *)&model->slots[slot];
}

uint32_t dense_model_position(const dense_model *model, hm_handle handle)
{
    uint32_t position = 0;
    if (dense_model_find(model, handle) == NULL)
        return HM_INVALID_INDEX;
    while (model->dense[position].bits != handle.bits)
        position++;
    return position;
}

bool dense_model_holds(const dense_model *model, uint32_t position)
{
    hm_handle handle = DENSE_CALL(model, handle_at, position);
    const dense_slot *record = dense_model_find(model, handle);
    return record != NULL && model->kind->index_of(model, handle) == position &&
           model->kind->holds(model, record, position);
}

static uint32_t room(const dense_model *model)
{
    uint32_t items = model->capacity - model->count;
    uint32_t slots = model->max_slots - model->count - model->spent;
    return items < slots ? items : slots;
}

hm_handle dense_model_pick(const dense_model *model, uint32_t kind, uint32_t which, uint32_t noise)
{
    uint32_t known = model->past_count < DENSE_MODEL_PAST ? model->past_count : DENSE_MODEL_PAST;
    uint64_t bits = (uint64_t)which << 32 | noise;
    const hm_id_table *ids = model->is_table ? &model->table.ids : &model->map.ids;
    hm_handle live = model->count != 0 ? model->dense[which % model->count] : HM_NULL_HANDLE;
    switch (kind % 16) {
    case 8:
    case 9:
        return known != 0 ? model->past[which % known] : live;
    case 10:
        return HM_NULL_HANDLE;
    case 11:
        return hm_handle_from_bits(live.bits ^ UINT64_C(1) << noise % 64);
    case 12: /* any slot, some generation near those issued */
        return hm_handle_pack(which % model->max_slots, noise % 8, model->type_id);
    case 13:
        return hm_handle_pack(hm_handle_index(live), hm_handle_generation(live),
                              model->type_id + 1u);
    case 14: /* an entry, which has the free bit if its slot is retired */
        return ids->slot_count != 0 ? ids->entries[which % ids->slot_count] : live;
    case 15:
        return hm_handle_from_bits(test_random(&bits));
    default:
        return live;
    }
}

static hm_handle pick(const dense_model *model, const uint32_t arguments[3])
{
    return dense_model_pick(model, arguments[0], arguments[1], arguments[2]);
}

/* callbacks */

/* Rarer when many items make validate expensive: a large map's sort has millions of callbacks. */
void dense_model_in_callback(dense_model *model)
{
    uint32_t made = model->memory.calls;
    model->callbacks++;
    if (TEST_SAMPLE != 1 && model->callbacks % (TEST_SAMPLE + model->count) != 0)
        return;
    CHECK(DENSE_ASK(model, validate) == HM_OK);
    if (TEST_SAMPLE == 1 && model->callbacks % MODEL_BUSY != 0)
        return;
    hm_handle handle = DENSE_CALL(model, handle_at, 0), other = {0};
    model->kind->check_busy(model);
    CHECK(DENSE_CALL(model, insert_n, NULL, 1, &other) == HM_ERROR_BUSY);
    CHECK(hm_handle_is_null(DENSE_CALL(model, insert, NULL)) && hm_handle_is_null(other));
    CHECK(!DENSE_CALL(model, erase, handle) && !DENSE_CALL(model, erase_at, 0));
    CHECK(DENSE_CALL(model, erase_n, &handle, 1) == 0);
    CHECK(DENSE_CALL(model, reserve, 1) == HM_ERROR_BUSY);
    CHECK(DENSE_CALL(model, adopt, handle, NULL) == HM_ERROR_BUSY);
    CHECK(DENSE_ASK(model, trim) == HM_ERROR_BUSY);
    CHECK(!DENSE_CALL(model, arrange, &handle, 1, NULL).done);
    CHECK(model->memory.calls == made);
}

/* The item is whole. */
void dense_model_destroyed(dense_model *model, uint32_t position)
{
    CHECK(dense_model_holds(model, position));
    CHECK(!DENSE_CALL(model, contains, model->last_destroyed));
    CHECK(!model->from_the_back || position == DENSE_ASK(model, count) - 1);
    model->last_destroyed = DENSE_CALL(model, handle_at, position);
    dense_slot *record = dense_model_find(model, model->last_destroyed);
    CHECK(record->destroyed++ == 0);
    dense_model_in_callback(model);
}

void dense_model_relocated(dense_model *model, uint32_t from, uint32_t to)
{
    hm_handle handle = DENSE_CALL(model, handle_at, to);
    dense_slot *record = dense_model_find(model, handle);
    CHECK(record != NULL && from != to && record->position == from);
    CHECK(model->kind->index_of(model, handle) == to);
    record->position = to;
    model->relocated++;
    dense_model_in_callback(model);
}

static bool is_marked(const dense_model *model, uint32_t position)
{
    return (model->doomed >> position % DENSE_MODEL_SET & 1) != 0;
}

/* Called in dense order, once for each item. */
bool dense_model_is_doomed(dense_model *model, uint32_t position)
{
    CHECK(position == model->asked);
    if (position == 0 && model->is_stopped)
        dense_model_read_positions(model); /* Moves in progress are ended first. */
    CHECK(position < model->count && dense_model_holds(model, position));
    CHECK(DENSE_CALL(model, handle_at, position).bits == model->dense[position].bits);
    dense_model_in_callback(model);
    return is_marked(model, model->asked++);
}

/* begin and end */

void dense_model_init(dense_model *model, const dense_kind *kind, uint32_t capacity,
                      uint32_t max_slots, uint32_t type_id, size_t page_size)
{
    CHECK(capacity <= DENSE_MODEL_ITEMS && max_slots <= DENSE_MODEL_SLOTS);
    model->kind = kind;
    model->capacity = capacity;
    model->max_slots = max_slots;
    model->type_id = type_id;
    test_memory_init(&model->memory, page_size);
}

/* Marks the item erased; the caller removes it from `dense`. */
static void note_erase(dense_model *model, hm_handle handle)
{
    dense_slot *record = dense_model_find(model, handle);
    CHECK(record != NULL && record->destroyed == (model->has_destroy ? 1u : 0u));
    *record = (dense_slot){.generation = record->generation};
    model->last_destroyed = HM_NULL_HANDLE;
    model->spent += record->generation == HM_HANDLE_MAX_GENERATION;
    model->past[model->past_count++ % DENSE_MODEL_PAST] = handle;
}

static void note_all_erased(dense_model *model)
{
    for (uint32_t i = 0; i < model->count; i++)
        note_erase(model, model->dense[i]);
    model->count = 0;
    model->from_the_back = false;
}

void dense_model_fini(dense_model *model)
{
    model->from_the_back = true;
    DENSE_ASK(model, fini);
    note_all_erased(model);
    test_memory_check_released(&model->memory);
    DENSE_ASK(model, fini);
    CHECK(DENSE_ASK(model, count) == 0 && DENSE_ASK(model, validate) == HM_OK);
}

void dense_model_end(void *state)
{
    dense_model_fini(state);
    free(state);
}

/* insert */

/* Returns the highest generation issued in the slot's unit: its floor is not above it. */
static uint32_t highest_in_unit(const dense_model *model, uint32_t slot)
{
    uint32_t first = slot / HM_ID_TABLE_UNIT * HM_ID_TABLE_UNIT, highest = 0;
    for (uint32_t i = first; i < first + HM_ID_TABLE_UNIT && i < model->max_slots; i++)
        if (model->slots[i].generation > highest)
            highest = model->slots[i].generation;
    return highest;
}

/* Makes what a value is before its item has a handle. */
static uint64_t value_of(const dense_model *model, uint32_t argument)
{
    return model->keys == 0 ? argument : (uint64_t)(argument % model->keys) << MODEL_KEY_SHIFT;
}

/* Gives the item this value, or with keys, its own. */
static void write(dense_model *model, uint32_t position, uint64_t value)
{
    hm_handle handle = model->dense[position];
    dense_slot *record = dense_model_find(model, handle);
    record->zeros = 0;
    record->value = value;
    if (model->keys != 0)
        record->value = (value & 0xFFu << MODEL_KEY_SHIFT) |
                        (8 * hm_handle_index(handle) + hm_handle_generation(handle));
    model->kind->write(model, record, position);
}

/* The handle is new, with a generation one higher or just above a floor, and the item is what was
 * given. */
void dense_model_note_insert(dense_model *model, hm_handle handle, uint32_t zeros, uint64_t value)
{
    uint32_t slot = hm_handle_index(handle), generation = hm_handle_generation(handle);
    CHECK(slot < model->max_slots);
    CHECK(handle.bits == hm_handle_pack(slot, generation, model->type_id).bits);
    dense_slot *record = &model->slots[slot];
    CHECK(!record->is_live && generation > record->generation);
    CHECK(generation == record->generation + 1 ||
          (model->dropped && generation <= highest_in_unit(model, slot) + 1));
    *record = (dense_slot){.value = value,
                           .zeros = zeros,
                           .generation = generation,
                           .position = model->has_relocate ? model->count : 0,
                           .is_live = true};
    model->dense[model->count] = handle;
    CHECK(dense_model_holds(model, model->count));
    if (model->keys != 0)
        write(model, model->count, zeros == UINT32_MAX ? 0 : value);
    model->count++;
}

/* Emplace fills every cell of a row; the meta of an item begins as zero. */
static uint32_t zeros_of(const dense_model *model, dense_way way, uint32_t zeros)
{
    if (way == DENSE_ZERO)
        return UINT32_MAX;
    if (!model->is_table)
        return DENSE_MODEL_META;
    return way == DENSE_EMPLACE ? 0 : zeros;
}

static void insert_one(dense_model *model, dense_way way, uint32_t zeros, uint32_t argument)
{
    uint64_t value = value_of(model, argument);
    bool fits = room(model) != 0;
    hm_handle handle = model->kind->insert(model, way, zeros, value);
    if (hm_handle_is_null(handle)) {
        CHECK(!fits || test_memory_refused(&model->memory));
        return;
    }
    CHECK(fits && (!TEST_STOPS || !test_memory_refused(&model->memory)));
    dense_model_note_insert(model, handle, zeros_of(model, way, zeros), value);
}

static void insert_n(dense_model *model, uint32_t n, uint32_t zeros, uint32_t argument,
                     bool is_reported)
{
    hm_handle handles[DENSE_MODEL_BATCH];
    uint64_t values[DENSE_MODEL_BATCH];
    uint32_t first = model->count;
    dense_way way = zeros == UINT32_MAX ? DENSE_ZERO : DENSE_COPY;
    bool fits = n <= room(model);
    memset(handles, 0xA5, sizeof handles);
    for (uint32_t i = 0; i < n && i < DENSE_MODEL_BATCH; i++)
        values[i] = value_of(model, argument + i);
    hm_status status = model->kind->insert_n(model, n, zeros, values, is_reported ? handles : NULL);
    if (status != HM_OK) {
        CHECK(test_memory_explains(&model->memory, status, fits));
        CHECK(test_bytes_are(handles, sizeof handles, 0xA5));
        return;
    }
    CHECK(fits && (!TEST_STOPS || !test_memory_refused(&model->memory)));
    for (uint32_t i = 0; i < n; i++) {
        hm_handle handle = DENSE_CALL(model, handle_at, first + i);
        CHECK(!is_reported || hm_handle_equal(handle, handles[i]));
        dense_model_note_insert(model, handle, zeros_of(model, way, zeros),
                                way == DENSE_ZERO ? 0 : values[i]);
    }
}

/* Way, parts without a value, value. */
void dense_model_run_insert(void *state, const uint32_t arguments[3])
{
    insert_one(state, (dense_way)(arguments[0] % DENSE_WAYS), arguments[1], arguments[2]);
}

/* Number, value, parts without a value. */
void dense_model_run_insert_n(void *state, const uint32_t arguments[3])
{
    uint32_t n = arguments[0] % (DENSE_MODEL_BATCH + 1);
    if (arguments[0] / 256 % 4 != 0)
        n %= MODEL_FEW;
    uint32_t zeros = arguments[2] % 32 == 31 ? UINT32_MAX : arguments[2];
    insert_n(state, n, zeros, arguments[1], arguments[1] % 4 != 3);
}

/* Number: of zeroed items. */
void dense_model_run_insert_burst(void *state, const uint32_t arguments[3])
{
    insert_n(state, arguments[0] % (room(state) + 2), UINT32_MAX, 0, false);
}

/* Returns a handle to adopt: of an erased item, of any slot near what it has issued, or any. */
static hm_handle pick_adoptee(const dense_model *model, const uint32_t arguments[3])
{
    uint32_t slot = arguments[1] % model->max_slots, kind = arguments[0] % 8;
    if (kind < 3)
        return hm_handle_pack(slot, model->slots[slot].generation + kind, model->type_id);
    return dense_model_pick(model, kind < 6 ? 8 : arguments[0] / 8, arguments[1], arguments[2]);
}

/* Whether an adopt of this handle, in this state, may return the status. The container may know a
 * floor of a slot that a trim has dropped, up to the highest generation issued in its unit. */
static bool adopt_may_return(const dense_model *model, hm_handle handle, hm_handle_state state,
                             hm_status status)
{
    uint32_t slot = hm_handle_index(handle), generation = hm_handle_generation(handle);
    if (handle.bits != hm_handle_pack(slot, generation, model->type_id).bits || generation == 0 ||
        slot >= model->max_slots)
        return status == HM_ERROR_INVALID;
    const dense_slot *record = &model->slots[slot];
    if (record->is_live || generation < record->generation || state == HM_HANDLE_RETIRED)
        return status == HM_ERROR_STALE;
    if (status == HM_ERROR_STALE)
        return model->dropped && generation < highest_in_unit(model, slot);
    if (model->count == model->capacity)
        return status == HM_ERROR_FULL;
    return status == HM_OK || test_memory_explains(&model->memory, status, true);
}

/* A slot that an adopt makes before its own has used up generation 1, or its floor. */
static void note_made(dense_model *model, uint32_t slot, uint32_t generation)
{
    dense_slot *record = &model->slots[slot];
    uint32_t highest = model->dropped ? highest_in_unit(model, slot) : 0;
    CHECK(generation >= 1 && generation >= record->generation);
    CHECK(generation == 1 || generation <= highest);
    record->generation = generation;
}

/* Kind, which, noise: as pick_adoptee takes them; the last number is also the value. */
void dense_model_run_adopt(void *state, const uint32_t arguments[3])
{
    dense_model *model = state;
    const hm_id_table *ids = model->is_table ? &model->table.ids : &model->map.ids;
    uint64_t value = value_of(model, arguments[2]);
    uint32_t made = ids->slot_count, slot;
    model->adoptee = pick_adoptee(model, arguments);
    slot = hm_handle_index(model->adoptee);
    hm_handle_state state_before = DENSE_CALL(model, explain, model->adoptee);
    hm_handle handle = model->kind->insert(model, DENSE_ADOPT, 0, value);
    CHECK(adopt_may_return(model, model->adoptee, state_before, model->adopted));
    if (hm_handle_is_null(handle))
        return;
    for (; made < slot; made++)
        note_made(model, made, hm_handle_generation(ids->entries[made]));
    model->spent -= model->slots[slot].generation == HM_HANDLE_MAX_GENERATION;
    model->slots[slot].generation = hm_handle_generation(handle) - 1;
    dense_model_note_insert(model, handle, zeros_of(model, DENSE_COPY, 0), value);
}

void dense_model_run_reload(void *state, const uint32_t arguments[3])
{
    const dense_model *model = state;
    (void)arguments;
    if (model->is_table)
        test_reload_table(&model->table, &model->table_desc);
    else
        test_reload_map(&model->map, &model->map_desc);
}

/* Number, value: after a reserve, inserts succeed although the system refuses everything, and
 * return the upcoming handles. */
void dense_model_run_reserve(void *state, const uint32_t arguments[3])
{
    dense_model *model = state;
    uint32_t n = arguments[0];
    if (n != UINT32_MAX)
        n %= 40;
    hm_status status = DENSE_CALL(model, reserve, n);
    if (status != HM_OK) {
        CHECK(test_memory_explains(&model->memory, status, n <= room(model)));
        return;
    }
    CHECK(n <= room(model) && (!TEST_STOPS || !test_memory_refused(&model->memory)));
    test_try();
    test_memory_fail(&model->memory, 1, true);
    hm_handle last = n != 0 ? DENSE_CALL(model, upcoming, n - 1) : HM_NULL_HANDLE;
    for (uint32_t i = 0; i < n; i++) {
        hm_handle promised = DENSE_CALL(model, upcoming, 0);
        CHECK(hm_handle_equal(DENSE_CALL(model, upcoming, n - 1 - i), last));
        insert_one(model, DENSE_COPY, 0, arguments[1] + i);
        CHECK(hm_handle_equal(DENSE_CALL(model, handle_at, model->count - 1), promised));
    }
    CHECK(!test_memory_refused(&model->memory));
    test_memory_fail(&model->memory, 0, false);
    test_undo();
}

/* erase */

/* The last item fills the hole. */
static void drop(dense_model *model, hm_handle handle)
{
    uint32_t position = dense_model_position(model, handle);
    dense_model_loosen(model, model->count - 1);
    note_erase(model, handle);
    model->dense[position] = model->dense[--model->count];
}

void dense_model_erase(dense_model *model, hm_handle handle, bool at_its_index)
{
    uint64_t before = model->relocated;
    bool is_erased = at_its_index
                         ? DENSE_CALL(model, erase_at, model->kind->index_of(model, handle))
                         : DENSE_CALL(model, erase, handle);
    uint32_t position = dense_model_position(model, handle);
    CHECK(is_erased == (position != HM_INVALID_INDEX));
    if (!is_erased)
        return;
    drop(model, handle);
    if (model->has_relocate)
        CHECK(model->relocated - before == (position < model->count ? 1u : 0u));
}

void dense_model_erase_n(dense_model *model, const hm_handle *handles, uint32_t n)
{
    uint32_t count = model->count;
    uint32_t erased = DENSE_CALL(model, erase_n, handles, n);
    for (uint32_t i = 0; i < n; i++)
        if (dense_model_find(model, handles[i]) != NULL)
            drop(model, handles[i]);
    CHECK(erased == count - model->count);
}

/* A handle as pick takes it; every other time it is erased by its index. */
void dense_model_run_erase(void *state, const uint32_t arguments[3])
{
    dense_model_erase(state, pick(state, arguments), arguments[2] % 2 != 0);
}

/* Number, which; a quarter of them are repeated. */
void dense_model_run_erase_n(void *state, const uint32_t arguments[3])
{
    hm_handle handles[DENSE_MODEL_BATCH] = {{0}};
    uint64_t random = arguments[1];
    uint32_t n = arguments[0] % (DENSE_MODEL_BATCH + 1);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t kind = test_random_below(&random, 16), which = (uint32_t)test_random(&random);
        handles[i] = dense_model_pick(state, kind, which, (uint32_t)test_random(&random));
        if (i != 0 && test_random_below(&random, 4) == 0)
            handles[i] = handles[which % i];
    }
    dense_model_erase_n(state, handles, n);
}

/* Set of positions, whether the last one comes first. Between their handles are earlier ones, and
 * null. */
void dense_model_run_erase_set(void *state, const uint32_t arguments[3])
{
    dense_model *model = state;
    hm_handle handles[3 * DENSE_MODEL_SET] = {{0}};
    uint32_t n = 0, end = model->count < DENSE_MODEL_SET ? model->count : DENSE_MODEL_SET;
    for (uint32_t i = 0; i < end; i++) {
        uint32_t position = arguments[1] % 2 != 0 ? end - 1 - i : i;
        if ((arguments[0] >> position & 1) == 0)
            continue;
        handles[n] = model->dense[position];
        handles[n + 1] = HM_NULL_HANDLE;
        handles[n + 2] = handles[0];
        n += 3;
    }
    dense_model_erase_n(model, handles, n);
}

/* Set of positions. The survivors keep the order in which the predicate saw them. */
void dense_model_run_erase_if(void *state, const uint32_t arguments[3])
{
    dense_model *model = state;
    uint32_t kept = 0;
    model->doomed = arguments[0];
    model->asked = 0;
    model->from_the_back = !model->is_table;
    uint32_t erased = model->kind->erase_if(model);
    model->from_the_back = false;
    CHECK(model->asked == model->count);
    for (uint32_t i = 0; i < model->count; i++) {
        if (is_marked(model, i))
            note_erase(model, model->dense[i]);
        else
            model->dense[kept++] = model->dense[i];
    }
    CHECK(erased == model->count - kept);
    model->count = kept;
}

void dense_model_run_clear(void *state, const uint32_t arguments[3])
{
    dense_model *model = state;
    (void)arguments;
    model->from_the_back = true;
    DENSE_ASK(model, clear);
    note_all_erased(model);
    dense_model_forget(model);
}

/* Leaves the units up to the last slot that is live or spent. The first trim that drops some
 * commits what the generation floors and their array need. */
void dense_model_run_trim(void *state, const uint32_t arguments[3])
{
    dense_model *model = state;
    hm_stats before = DENSE_ASK(model, get_stats);
    hm_status status = DENSE_ASK(model, trim);
    hm_stats after = DENSE_ASK(model, get_stats);
    bool is_refused = test_memory_refused(&model->memory);
    (void)arguments;
    CHECK(status == HM_OK || (status == HM_ERROR_MEMORY && is_refused));
    bool drops = status == HM_OK && after.slots < before.slots;
    size_t page = model->memory.table.page_size;
    size_t floors = drops && !model->has_floors
                        ? ((sizeof(hm_array) + 2 * sizeof(size_t)) / page + 1) * page
                        : 0;
    CHECK(status != HM_OK || after.committed_size <= before.committed_size + floors);
    CHECK(after.retired_slots == before.retired_slots);
    uint32_t end = before.slots;
    while (end > 0 && !model->slots[end - 1].is_live &&
           model->slots[end - 1].generation != HM_HANDLE_MAX_GENERATION)
        end--;
    uint32_t kept = (end + HM_ID_TABLE_UNIT - 1) / HM_ID_TABLE_UNIT * HM_ID_TABLE_UNIT;
    kept = kept < before.slots ? kept : before.slots;
    CHECK(after.slots == kept || (is_refused && after.slots == before.slots));
    model->dropped |= is_refused || after.slots < before.slots;
    model->has_floors |= drops;
}

/* A handle as pick takes it; the last number is also the value. */
void dense_model_run_edit(void *state, const uint32_t arguments[3])
{
    dense_model *model = state;
    hm_handle handle = pick(model, arguments);
    uint32_t position = dense_model_position(model, handle);
    if (position != HM_INVALID_INDEX) {
        write(model, position, value_of(model, arguments[2]));
        dense_model_loosen(model, position);
    }
    DENSE_CALL(model, touch, handle);
}

/* A handle as pick takes it. */
void dense_model_run_touch(void *state, const uint32_t arguments[3])
{
    dense_model *model = state;
    hm_handle handle = pick(model, arguments);
    DENSE_CALL(model, touch, handle);
    if (dense_model_find(model, handle) != NULL)
        dense_model_loosen(model, dense_model_position(model, handle));
}

/* What is added to the value of each item. */
void dense_model_run_touch_all(void *state, const uint32_t arguments[3])
{
    dense_model *model = state;
    for (uint32_t i = 0; i < model->count && arguments[0] % 4 != 0; i++) {
        uint64_t value = dense_model_find(model, model->dense[i])->value;
        if (model->keys != 0)
            value = value_of(model, (uint32_t)(value >> MODEL_KEY_SHIFT) + arguments[0]);
        write(model, i, model->keys != 0 ? value : value + arguments[0]);
    }
    DENSE_ASK(model, touch_all);
    dense_model_forget(model);
}

/* Which, generations left: gives a free slot a late generation, without as many reuses. */
void dense_model_run_age(void *state, const uint32_t arguments[3])
{
    dense_model *model = state;
    const hm_id_table *ids = model->is_table ? &model->table.ids : &model->map.ids;
    uint32_t generation = HM_HANDLE_MAX_GENERATION - arguments[1] % 256;
    if (ids->count == ids->used)
        return;
    uint32_t slot = ids->slots[ids->count + arguments[0] % (ids->used - ids->count)];
    dense_slot *record = &model->slots[slot];
    if (record->generation >= generation)
        return;
    ids->entries[slot].bits += (uint64_t)(generation - record->generation)
                               << HM_HANDLE_GENERATION_SHIFT;
    record->generation = generation;
    model->spent += generation == HM_HANDLE_MAX_GENERATION;
}

/* k, whether the later calls fail too. */
void dense_model_run_refuse(void *state, const uint32_t arguments[3])
{
    test_memory_arm(&((dense_model *)state)->memory, arguments);
}

/* comparison */

/* Whether explain's answer for a handle that does not resolve is right. The container may choose
 * two things: when a spent slot retires, and the floor of a unit, up to the highest generation that
 * was issued there. */
static bool is_explained(const dense_model *model, hm_handle handle, hm_handle_state state)
{
    uint32_t slot = hm_handle_index(handle), generation = hm_handle_generation(handle);
    if (hm_handle_is_null(handle))
        return state == HM_HANDLE_NULL;
    if (hm_handle_is_free(handle) || generation == 0)
        return state == HM_HANDLE_FORGED;
    if (hm_handle_type_id(handle) != model->type_id)
        return state == HM_HANDLE_FOREIGN;
    if (slot >= model->max_slots || model->slots[slot].generation == 0)
        return state == HM_HANDLE_OUT_OF_RANGE;
    const dense_slot *record = &model->slots[slot];
    if (!record->is_live && record->generation == HM_HANDLE_MAX_GENERATION)
        return state == HM_HANDLE_STALE || state == HM_HANDLE_RETIRED;
    if (generation <= record->generation)
        return state == HM_HANDLE_STALE;
    return state == HM_HANDLE_FORGED || (state == HM_HANDLE_STALE && model->dropped &&
                                         generation <= highest_in_unit(model, slot));
}

void dense_model_probe(const dense_model *model, hm_handle handle)
{
    uint32_t position = dense_model_position(model, handle);
    bool is_live = position != HM_INVALID_INDEX, answer = !is_live;
    hm_handle_state state = DENSE_CALL(model, explain, handle);
    CHECK(model->kind->index_of(model, handle) == position);
    CHECK(DENSE_CALL(model, contains, handle) == is_live);
    CHECK(DENSE_CALL(model, contains_n, &handle, 1, &answer) == is_live && answer == is_live);
    CHECK(is_live ? state == HM_HANDLE_LIVE : is_explained(model, handle, state));
    model->kind->probe(model, handle, position);
}

void dense_model_refuse(dense_model *model, hm_handle handle)
{
    hm_handle twice[] = {handle, HM_NULL_HANDLE, handle};
    dense_model_probe(model, handle);
    if (dense_model_find(model, handle) != NULL)
        return;
    DENSE_CALL(model, touch, handle);
    CHECK(!DENSE_CALL(model, erase, handle));
    CHECK(DENSE_CALL(model, erase_n, twice, sizeof twice / sizeof *twice) == 0);
}

/* A handle as pick takes it. */
void dense_model_run_probe(void *state, const uint32_t arguments[3])
{
    dense_model_refuse(state, pick(state, arguments));
}

static void check_stats(const dense_model *model)
{
    hm_stats stats = DENSE_ASK(model, get_stats);
    CHECK(stats.count == model->count && stats.capacity == model->capacity);
    CHECK(stats.max_slots == model->max_slots && stats.slots <= stats.max_slots);
    CHECK(stats.slots == stats.count + stats.free_slots + stats.retired_slots);
    CHECK(stats.retired_slots <= model->spent);
    CHECK(stats.committed_size == model->memory.committed_size);
    CHECK(stats.reserved_size == model->memory.reserved_size);
}

void dense_model_check(void *state)
{
    dense_model *model = state;
    uint64_t random = ++model->tick;
    CHECK(DENSE_ASK(model, validate) == HM_OK);
    CHECK(DENSE_ASK(model, count) == model->count);
    CHECK(DENSE_ASK(model, capacity) == model->capacity);
    check_stats(model);
    for (uint32_t i = 0; i < model->count; i++) {
        const dense_slot *record = dense_model_find(model, model->dense[i]);
        CHECK(DENSE_CALL(model, handle_at, i).bits == model->dense[i].bits);
        CHECK(dense_model_holds(model, i));
        CHECK(record->destroyed == 0 && (!model->has_relocate || record->position == i));
    }
    CHECK(hm_handle_is_null(DENSE_CALL(model, handle_at, model->count)));
    uint32_t kind = (uint32_t)test_random(&random), which = (uint32_t)test_random(&random);
    dense_model_probe(model, dense_model_pick(model, kind, which, (uint32_t)test_random(&random)));
    model->kind->check(model, which);
    dense_model_check_searches(model, (uint32_t)test_random(&random));
    test_memory_disarm(&model->memory);
}
