/* SPDX-License-Identifier: MIT */
/* The naive model of the secondary: each operation on both sides, and the comparison of the two. */
#include "secondary_model.h"

#include "../../src/order/order_private.h"
#include "layout.h"
#include "reload.h"

#include <stdlib.h>
#include <string.h>

enum {
    MODEL_SMALL = 64,  /* bytes; up to this size all values are compared after each operation */
    MODEL_STRIDE = 32, /* above, each value after this many operations */
    MODEL_NEAR = 60,   /* indices below it, unless they are scattered */
    MODEL_PLACES = 5,  /* scattered indices begin at as many places */
    MODEL_BURST = 40,  /* most owners in a row */
    MODEL_BITS = 28,   /* in a set of positions; those above repeat */
    MODEL_SAMPLE = 4 * TEST_SAMPLE - 3
};

/* Returns the entry whose owner has this slot, or NULL. */
static secondary_model_entry *find_slot(secondary_model *model, uint32_t slot)
{
    for (uint32_t i = 0; i < model->count; i++)
        if (hm_handle_index(model->entries[i].owner) == slot)
            return &model->entries[i];
    return NULL;
}

secondary_model_entry *secondary_model_find(secondary_model *model, hm_handle handle)
{
    secondary_model_entry *entry = find_slot(model, hm_handle_index(handle));
    return entry != NULL && entry->owner.bits == handle.bits ? entry : NULL;
}

static uint32_t index_of(const secondary_model *model, const secondary_model_entry *entry)
{
    return (uint32_t)(entry - model->entries);
}

static bool value_holds(const secondary_model *model, const secondary_model_entry *entry,
                        const void *value)
{
    size_t size = model->desc.value_size;
    return entry->is_zero ? test_bytes_are(value, size, 0)
                          : test_item_is(value, size, entry->value);
}

static uint32_t some_index(const secondary_model *model, uint32_t noise)
{
    uint32_t max_slots = model->desc.max_slots;
    if (!model->is_scattered)
        return noise % (max_slots < MODEL_NEAR ? max_slots : MODEL_NEAR);
    return max_slots - 1 - (noise % MODEL_PLACES * (max_slots / MODEL_PLACES) + noise / 8 % 12);
}

hm_handle secondary_model_pick(const secondary_model *model, uint32_t kind, uint32_t which,
                               uint32_t noise)
{
    uint32_t known =
        model->past_count < SECONDARY_MODEL_PAST ? model->past_count : SECONDARY_MODEL_PAST;
    test_owners of = {.max_slots = model->desc.max_slots, .type_id = model->desc.type_id};
    of.any = hm_handle_pack(some_index(model, which), 1 + noise % 4, of.type_id);
    of.live = model->count != 0 ? model->entries[which % model->count].owner : of.any;
    of.past = known != 0 ? model->past[which % known] : of.any;
    return test_pick_owner(&of, kind, which, noise);
}

/* callbacks */

secondary_model_entry *secondary_model_entry_of(secondary_model *model, const void *value)
{
    const unsigned char *values = hm_secondary_values(&model->secondary);
    size_t index = (size_t)((const unsigned char *)value - values) / model->desc.value_size;
    hm_handle owner = hm_secondary_owner_at(&model->secondary, (uint32_t)index);
    secondary_model_entry *entry = secondary_model_find(model, owner);
    CHECK(entry != NULL && hm_secondary_get(&model->secondary, owner) == value);
    CHECK(value_holds(model, entry, value));
    return entry;
}

/* For a remove_if that must be refused. */
static bool is_not_asked(hm_handle owner, const void *value, void *context)
{
    (void)owner;
    (void)value;
    (void)context;
    CHECK(false);
    return true;
}

/* The costly part is checked now and then. */
void secondary_model_in_callback(secondary_model *model, uint32_t noise)
{
    if ((model->tick + noise) % MODEL_SAMPLE != 0)
        return;
    CHECK(hm_secondary_validate(&model->secondary) == HM_OK);
    hm_handle any = secondary_model_pick(model, 8, noise, noise);
    CHECK(hm_secondary_set(&model->secondary, any, NULL) == NULL);
    CHECK(hm_secondary_set_n(&model->secondary, &any, NULL, 1) == HM_ERROR_BUSY);
    any = hm_secondary_owner_at(&model->secondary, 0);
    CHECK(hm_secondary_remove_n(&model->secondary, &any, 1) == 0);
    CHECK(!hm_secondary_remove_at(&model->secondary, 0));
    CHECK(!hm_secondary_remove(&model->secondary, hm_secondary_owner_at(&model->secondary, 0)));
    CHECK(hm_secondary_remove_if(&model->secondary, is_not_asked, NULL) == 0);
    CHECK(hm_secondary_reserve(&model->secondary, 1) == HM_ERROR_BUSY);
    CHECK(hm_secondary_trim(&model->secondary) == HM_ERROR_BUSY);
    CHECK(!hm_secondary_arrange(&model->secondary, &any, 1, NULL).done);
}

static void on_destroy(void *value, void *context)
{
    secondary_model *model = context;
    if (test_reload_counts(value, model->desc.value_size))
        return;
    secondary_model_entry *entry = secondary_model_entry_of(model, value);
    CHECK(entry->destroyed == 0);
    CHECK(!model->from_the_back || hm_secondary_index_of(&model->secondary, entry->owner) ==
                                       hm_secondary_count(&model->secondary) - 1);
    entry->destroyed++;
    secondary_model_in_callback(model, hm_handle_index(entry->owner));
}

/* set */

static void note_removal(secondary_model *model, const secondary_model_entry *entry)
{
    CHECK(entry->destroyed == (model->desc.destroy != NULL ? 1u : 0u));
    model->past[model->past_count++ % SECONDARY_MODEL_PAST] = entry->owner;
}

/* Removes as swap-and-pop does. */
static void drop(secondary_model *model, secondary_model_entry *entry)
{
    note_removal(model, entry);
    *entry = model->entries[--model->count];
}

/* What a set of all or none must answer, if memory is not refused. */
static hm_status judge_many(secondary_model *model, const hm_handle *owners, uint32_t n)
{
    uint32_t added = 0;
    for (uint32_t i = 0; i < n; i++) {
        const secondary_model_entry *before = find_slot(model, hm_handle_index(owners[i]));
        if (!test_may_be_owner(owners[i], model->desc.max_slots, model->desc.type_id))
            return HM_ERROR_INVALID;
        if (before != NULL && owners[i].bits < before->owner.bits)
            return HM_ERROR_STALE;
        if (before == NULL && model->count + ++added > model->desc.capacity)
            return HM_ERROR_FULL;
    }
    return HM_OK;
}

uint64_t secondary_model_value(const secondary_model *model, hm_handle owner, uint64_t value)
{
    if (model->keys == 0)
        return value;
    return (value & 0xFF) % model->keys | (uint64_t)hm_handle_index(owner) << 16 |
           (uint64_t)hm_handle_generation(owner) << 24;
}

void secondary_model_write(secondary_model *model, secondary_model_entry *entry, uint64_t value)
{
    entry->is_zero = false;
    entry->value = secondary_model_value(model, entry->owner, value);
    test_item_fill(hm_secondary_get(&model->secondary, entry->owner), model->desc.value_size,
                   entry->value);
}

void secondary_model_set(secondary_model *model, hm_handle owner, secondary_model_how how,
                         uint64_t value)
{
    unsigned char bytes[5000];
    const void *given = how == SECONDARY_MODEL_ZERO ? NULL : bytes;
    hm_status wanted = judge_many(model, &owner, 1);
    secondary_model_entry *entry = find_slot(model, hm_handle_index(owner));
    secondary_model_entry now = {.owner = owner,
                                 .value = secondary_model_value(model, owner, value),
                                 .is_zero = how == SECONDARY_MODEL_ZERO,
                                 .is_late = model->arranging != 0};
    test_item_fill(bytes, model->desc.value_size, now.value);
    if (how == SECONDARY_MODEL_ITSELF && entry != NULL) {
        given = hm_secondary_get(&model->secondary, entry->owner);
        now.value = entry->value;
        now.is_zero = entry->is_zero;
    }
    void *place = hm_secondary_set(&model->secondary, owner, given);
    model->refusals += wanted != HM_OK;
    if (place == NULL) {
        bool is_refused = entry == NULL && test_memory_refused(&model->memory);
        CHECK(wanted != HM_OK || is_refused);
        return;
    }
    CHECK(wanted == HM_OK && place == hm_secondary_get(&model->secondary, owner));
    CHECK(value_holds(model, &now, place));
    if (entry != NULL) {
        note_removal(model, entry);
    } else {
        CHECK(!TEST_STOPS || !test_memory_refused(&model->memory));
        test_memory_check_committed(&model->memory, place, model->desc.value_size);
        entry = &model->entries[model->count++];
    }
    *entry = now;
    if (model->keys != 0)
        secondary_model_write(model, entry, now.is_zero ? 0 : now.value);
}

/* A handle as pick takes it; its kind also says whether the value is zero. */
static void set(void *state, const uint32_t arguments[3])
{
    secondary_model *model = state;
    hm_handle owner = secondary_model_pick(model, arguments[0], arguments[1], arguments[2]);
    secondary_model_set(model, owner,
                        arguments[0] / 16 % 4 == 1 ? SECONDARY_MODEL_ZERO : SECONDARY_MODEL_GIVEN,
                        arguments[2]);
}

/* Number, first, value: owners with indices in a row, of generation 1, or later ones if needed. */
static void set_burst(void *state, const uint32_t arguments[3])
{
    secondary_model *model = state;
    for (uint32_t i = 0; i < 1 + arguments[0] % MODEL_BURST; i++) {
        uint32_t slot = some_index(model, arguments[1] + 8 * i);
        secondary_model_entry *before = find_slot(model, slot);
        uint32_t generation = before != NULL ? hm_handle_generation(before->owner) : 1;
        secondary_model_set(model, hm_handle_pack(slot, generation, model->desc.type_id),
                            SECONDARY_MODEL_GIVEN, arguments[2] + i);
    }
}

uint32_t secondary_model_pick_many(const secondary_model *model, hm_handle *handles,
                                   uint32_t number, uint64_t random, uint32_t kinds)
{
    uint32_t n = number % (SECONDARY_MODEL_NAMES + 1);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t kind = test_random_below(&random, kinds), which = (uint32_t)test_random(&random);
        handles[i] = secondary_model_pick(model, kind, which, (uint32_t)test_random(&random));
    }
    return n;
}

/* Number, random, value or whether zero: sets many owners at once, all or none. A destroy hook
 * checks the value by the model, so that then each slot occurs only once. */
static void set_n(void *state, const uint32_t arguments[3])
{
    static unsigned char values[SECONDARY_MODEL_NAMES * 5000];
    secondary_model *model = state;
    size_t size = model->desc.value_size;
    bool is_zero = arguments[2] % 4 == 1;
    hm_handle owners[SECONDARY_MODEL_NAMES];
    uint32_t kinds = arguments[1] % 4 == 0 ? 16 : 10, n = 0;
    uint32_t picked = secondary_model_pick_many(model, owners, arguments[0], arguments[1], kinds);
    for (uint32_t i = 0; i < picked; i++) {
        bool is_new = true;
        for (uint32_t j = 0; j < n && model->desc.destroy != NULL; j++)
            is_new &= hm_handle_index(owners[i]) != hm_handle_index(owners[j]);
        if (is_new)
            owners[n++] = owners[i];
    }
    for (uint32_t i = 0; i < n; i++)
        test_item_fill(values + size * i, size, arguments[2] + i);
    hm_status wanted = judge_many(model, owners, n);
    hm_status status = hm_secondary_set_n(&model->secondary, owners, is_zero ? NULL : values, n);
    CHECK(status == wanted || test_memory_explains(&model->memory, status, true));
    for (uint32_t i = 0; status == HM_OK && i < n; i++) {
        secondary_model_entry now = {.owner = owners[i],
                                     .value = arguments[2] + i,
                                     .is_zero = is_zero,
                                     .is_late = model->arranging != 0};
        secondary_model_entry *before = find_slot(model, hm_handle_index(now.owner));
        if (before == NULL) {
            model->entries[model->count++] = now;
        } else if (now.owner.bits >= before->owner.bits) {
            note_removal(model, before);
            *before = now;
        }
    }
}

/* A handle: sets the value of its slot from its own address. */
static void set_itself(void *state, const uint32_t arguments[3])
{
    secondary_model *model = state;
    hm_handle owner = secondary_model_pick(model, arguments[0] % 8, arguments[1], arguments[2]);
    secondary_model_set(model, owner, SECONDARY_MODEL_ITSELF, arguments[2]);
}

/* Whether refused memory need not show: what is not remapped is copied. */
static bool survives(const secondary_model *model)
{
    return model->secondary.value_array.moves_to_grow;
}

/* Number: after it, sets for the highest of the slots that it promises succeed without memory. */
static void reserve(void *state, const uint32_t arguments[3])
{
    secondary_model *model = state;
    uint32_t n = arguments[0], room = model->desc.capacity - model->count;
    if (n != UINT32_MAX)
        n %= model->desc.capacity + 2;
    bool fits = n <= room;
    hm_status status = hm_secondary_reserve(&model->secondary, n);
    if (status != HM_OK) {
        CHECK(test_memory_explains(&model->memory, status, fits));
        return;
    }
    CHECK(fits && (survives(model) || !test_memory_refused(&model->memory)));
    test_try();
    test_memory_fail(&model->memory, 1, true);
    for (uint32_t slot = model->count + n; n > 0;)
        if (find_slot(model, --slot) == NULL) {
            uint32_t count = model->count;
            secondary_model_set(model, hm_handle_pack(slot, 1, model->desc.type_id),
                                SECONDARY_MODEL_GIVEN, slot);
            CHECK(model->count == count + 1);
            n--;
        }
    CHECK(!test_memory_refused(&model->memory));
    test_memory_fail(&model->memory, 0, false);
    test_undo();
}

/* remove */

/* A handle as pick takes it. */
static void remove_one(void *state, const uint32_t arguments[3])
{
    secondary_model *model = state;
    hm_handle owner = secondary_model_pick(model, arguments[0], arguments[1], arguments[2]);
    secondary_model_entry *entry = secondary_model_find(model, owner);
    CHECK(hm_secondary_remove(&model->secondary, owner) == (entry != NULL));
    if (entry != NULL)
        drop(model, entry);
}

/* A position, which may be out of range. */
static void remove_at(void *state, const uint32_t arguments[3])
{
    secondary_model *model = state;
    uint32_t index = arguments[0] % (model->count + 1);
    CHECK(hm_secondary_remove_at(&model->secondary, index) == (index < model->count));
    if (index < model->count)
        drop(model, &model->entries[index]);
}

/* Number, random: removes the values of many owners, some of whom have none or occur twice. */
static void remove_n(void *state, const uint32_t arguments[3])
{
    secondary_model *model = state;
    hm_handle owners[SECONDARY_MODEL_NAMES];
    uint32_t n = secondary_model_pick_many(model, owners, arguments[0], arguments[1], 16),
             count = model->count;
    uint32_t removed = hm_secondary_remove_n(&model->secondary, owners, n);
    for (uint32_t i = 0; i < n; i++)
        if (secondary_model_find(model, owners[i]) != NULL)
            drop(model, secondary_model_find(model, owners[i]));
    CHECK(removed == count - model->count);
}

/* Whether moves are in progress, which a remove_if or a trim ends: then either changes the order.
 */
static bool is_moving(const secondary_model *model)
{
    const hm_order_state *order = model->secondary.order;
    return order != NULL && order->phase == HM_ORDER_PLACE;
}

static bool is_marked(const secondary_model *model, uint32_t position)
{
    return (model->doomed >> position % MODEL_BITS & 1) != 0;
}

static bool is_doomed(hm_handle owner, const void *value, void *context)
{
    secondary_model *model = context;
    if (model->asked == 0 && model->was_moving)
        secondary_model_read_order(model);
    CHECK(secondary_model_find(model, owner) == &model->entries[model->asked]);
    CHECK(secondary_model_entry_of(model, value) == &model->entries[model->asked]);
    CHECK(hm_secondary_index_of(&model->secondary, owner) == model->asked);
    secondary_model_in_callback(model, hm_handle_index(owner));
    return is_marked(model, model->asked++);
}

/* Set of positions. */
static void remove_if(void *state, const uint32_t arguments[3])
{
    secondary_model *model = state;
    uint32_t kept = 0, count = model->count;
    model->doomed = arguments[0];
    model->asked = 0;
    model->was_moving = is_moving(model);
    uint32_t removed = hm_secondary_remove_if(&model->secondary, is_doomed, model);
    CHECK(model->asked == count);
    for (uint32_t i = 0; i < count; i++) {
        if (is_marked(model, i))
            note_removal(model, &model->entries[i]);
        else
            model->entries[kept++] = model->entries[i];
    }
    model->count = kept;
    CHECK(removed == count - kept);
    secondary_model_begin_goal(model, model->arranging);
}

static void clear(void *state, const uint32_t arguments[3])
{
    secondary_model *model = state;
    (void)arguments;
    model->from_the_back = true;
    hm_secondary_clear(&model->secondary);
    model->from_the_back = false;
    while (model->count > 0)
        drop(model, &model->entries[model->count - 1]);
    secondary_model_begin_goal(model, 0);
}

/* Memory that an order gives back when its moves end may be refused, too; then the trim goes on. */
static void trim(void *state, const uint32_t arguments[3])
{
    secondary_model *model = state;
    (void)arguments;
    size_t before = model->memory.committed_size;
    const hm_order_state *order = model->secondary.order;
    hm_order_phase phase = order != NULL ? order->phase : HM_ORDER_SCAN;
    bool was_listing =
        phase != HM_ORDER_SCAN && phase != HM_ORDER_COUNT && phase != HM_ORDER_VERIFY;
    model->was_moving = is_moving(model);
    hm_status status = hm_secondary_trim(&model->secondary);
    CHECK(status == (test_memory_refused(&model->memory) ? HM_ERROR_MEMORY : HM_OK) ||
          (status == HM_OK && (was_listing || survives(model))));
    CHECK(model->memory.committed_size <= before);
    CHECK(status != HM_OK || model->count != 0 || model->secondary.positions_size == 0);
    if (model->was_moving)
        secondary_model_read_order(model);
    secondary_model_begin_goal(model, model->arranging);
}

/* comparison */

void secondary_model_probe(secondary_model *model, hm_handle handle)
{
    const secondary_model_entry *entry = secondary_model_find(model, handle);
    const unsigned char *values = hm_secondary_values(&model->secondary);
    uint32_t index = entry != NULL ? index_of(model, entry) : HM_INVALID_INDEX;
    CHECK(hm_secondary_index_of(&model->secondary, handle) == index);
    CHECK(hm_secondary_contains(&model->secondary, handle) == (entry != NULL));
    /* The bits of a generation that the exhaustive search leaves unused are not looked at. */
    if ((handle.bits >> HM_HANDLE_GENERATION_SHIFT & UINT16_MAX) == hm_handle_generation(handle))
        CHECK((hm_secondary_explain(&model->secondary, handle) == HM_HANDLE_LIVE) ==
              (entry != NULL));
    const unsigned char *value = hm_secondary_get(&model->secondary, handle);
    CHECK(value == (entry != NULL ? values + model->desc.value_size * index : NULL));
    if (entry != NULL)
        CHECK(hm_handle_equal(hm_secondary_handle_of(&model->secondary, value), handle) &&
              hm_handle_equal(
                  hm_secondary_handle_of(&model->secondary, value + model->desc.value_size - 1),
                  handle));
}

/* Number, random: compares what is answered for many handles with single calls. */
static void probe_n(void *state, const uint32_t arguments[3])
{
    secondary_model *model = state;
    void *values[SECONDARY_MODEL_NAMES];
    bool alive[SECONDARY_MODEL_NAMES];
    hm_handle owners[SECONDARY_MODEL_NAMES];
    uint32_t n = secondary_model_pick_many(model, owners, arguments[0], arguments[1], 16),
             found = 0;
    uint32_t gotten = hm_secondary_get_n(&model->secondary, owners, n, values);
    CHECK(hm_secondary_contains_n(&model->secondary, owners, n, alive) == gotten);
    for (uint32_t i = 0; i < n; i++) {
        CHECK(values[i] == hm_secondary_get(&model->secondary, owners[i]));
        CHECK(alive[i] == (values[i] != NULL));
        found += alive[i];
    }
    CHECK(found == gotten);
}

/* A handle as pick takes it. */
static void probe(void *state, const uint32_t arguments[3])
{
    secondary_model_probe(state,
                          secondary_model_pick(state, arguments[0], arguments[1], arguments[2]));
}

static void check_stats(const secondary_model *model)
{
    hm_secondary_stats stats = hm_secondary_get_stats(&model->secondary);
    CHECK(stats.count == model->count && stats.retired_slots == 0);
    CHECK(stats.capacity == model->desc.capacity && stats.max_slots == model->desc.max_slots);
    CHECK(stats.slots == stats.count + stats.free_slots && stats.slots <= stats.max_slots);
    CHECK(stats.committed_size == model->memory.committed_size);
    CHECK(stats.reserved_size == model->memory.reserved_size);
    for (uint32_t i = 0; i < model->count; i++)
        CHECK(hm_handle_index(model->entries[i].owner) < stats.slots);
}

static void check(void *state)
{
    secondary_model *model = state;
    uint64_t random = ++model->tick;
    const unsigned char *values = hm_secondary_values(&model->secondary);
    CHECK(hm_secondary_validate(&model->secondary) == HM_OK);
    CHECK(hm_secondary_count(&model->secondary) == model->count);
    check_stats(model);
    for (uint32_t i = 0; i < model->count; i++) {
        const secondary_model_entry *entry = &model->entries[i];
        CHECK(hm_handle_equal(hm_secondary_owner_at(&model->secondary, i), entry->owner));
        CHECK(entry->destroyed == 0);
        if (model->desc.value_size <= MODEL_SMALL || (i + model->tick) % MODEL_STRIDE == 0)
            CHECK(value_holds(model, entry, values + model->desc.value_size * i));
    }
    CHECK(hm_handle_is_null(hm_secondary_owner_at(&model->secondary, model->count)));
    CHECK(hm_handle_is_null(
        hm_secondary_handle_of(&model->secondary, values + model->desc.value_size * model->count)));
    CHECK(hm_handle_is_null(hm_secondary_handle_of(&model->secondary, values - 1)));
    uint32_t kind = test_random_below(&random, 16), which = (uint32_t)test_random(&random);
    secondary_model_probe(model,
                          secondary_model_pick(model, kind, which, (uint32_t)test_random(&random)));
    uint32_t sought = (uint32_t)test_random(&random);
    for (uint32_t order = 0; order < 2; order++)
        CHECK(secondary_model_search(model, order, sought) || model->count != 0);
    test_memory_disarm(&model->memory);
}

/* k, whether the later calls fail too. */
static void refuse(void *state, const uint32_t arguments[3])
{
    test_memory_arm(&((secondary_model *)state)->memory, arguments);
}

/* What resolves is not removed, since the model would not know of it. */
static hm_handle hostile_handle(const secondary_model *model, const uint32_t arguments[3])
{
    return test_hostile_handle_of(model->entries, sizeof *model->entries, model->count,
                                  model->desc.type_id, arguments);
}

void secondary_model_refuse(secondary_model *model, hm_handle handle)
{
    secondary_model_probe(model, handle);
    if (secondary_model_find(model, handle) != NULL)
        return;
    hm_secondary_touch(&model->secondary, handle);
    CHECK(!hm_secondary_remove(&model->secondary, handle));
}

static void hostile(void *state, const uint32_t arguments[3])
{
    secondary_model *model = state;
    hm_handle handle = hostile_handle(model, arguments);
    secondary_model_refuse(model, handle);
    hm_secondary_touch(&model->secondary, handle);
}

/* The upper half of the second argument says how. The third is the generation, or has it below; the
 * value is combined of both halves. */
static void hostile_set(void *state, const uint32_t arguments[3])
{
    enum { HOWS = 4 };
    static const secondary_model_how hows[HOWS] = {SECONDARY_MODEL_GIVEN, SECONDARY_MODEL_ZERO,
                                                   SECONDARY_MODEL_ITSELF, SECONDARY_MODEL_GIVEN};
    secondary_model *model = state;
    secondary_model_set(model, hostile_handle(model, arguments), hows[(arguments[1] >> 16) % HOWS],
                        (arguments[2] ^ arguments[2] >> 16) & 0xFFFF);
}

hm_status secondary_model_init(secondary_model *model, const hm_secondary_desc *desc, bool has_hook,
                               size_t page_size)
{
    test_memory_init_with_holes(&model->memory, page_size);
    model->desc = *desc;
    model->desc.destroy = has_hook ? on_destroy : NULL;
    model->desc.context = model;
    model->desc.memory = &model->memory.table;
    hm_status status = hm_secondary_init(&model->secondary, &model->desc);
    if (desc->capacity == 0)
        model->desc.capacity = desc->max_slots;
    return status;
}

void secondary_model_fini(secondary_model *model)
{
    hm_handle owner = hm_handle_pack(0, 1, model->desc.type_id);
    model->from_the_back = true;
    hm_secondary_fini(&model->secondary);
    model->from_the_back = false;
    for (uint32_t i = 0; i < model->count; i++)
        CHECK(model->entries[i].destroyed == (model->desc.destroy != NULL ? 1u : 0u));
    test_memory_check_released(&model->memory);
    hm_secondary_fini(&model->secondary);
    CHECK(hm_secondary_validate(&model->secondary) == HM_OK);
    CHECK(hm_secondary_set(&model->secondary, owner, NULL) == NULL);
}

/* Layout, index space, capacity and hook. */
static void *begin(const uint32_t arguments[3])
{
    static const uint32_t index_spaces[] = {SECONDARY_MODEL_VALUES, 16384, 16385, 100000, 1000000};
    secondary_model *model = calloc(1, sizeof *model);
    test_layout layout = test_layout_at(arguments[0] % test_layout_count());
    CHECK(model != NULL);
    hm_secondary_desc desc = {
        .value_size = layout.item_size,
        .value_align = layout.item_align,
        .capacity = 1 + arguments[2] / 4 % SECONDARY_MODEL_VALUES,
        .max_slots = index_spaces[arguments[1] % (sizeof index_spaces / sizeof *index_spaces)],
        .type_id = (uint16_t)(arguments[2] % 8 == 0 ? 0 : arguments[2] & HM_HANDLE_MAX_TYPE_ID)};
    model->is_scattered = arguments[2] / 2 % 2 != 0;
    if (desc.max_slots <= SECONDARY_MODEL_VALUES && arguments[1] / 8 % 4 != 0)
        desc.capacity = 0; /* It has no limit but its slots, and moves as it grows. */
    CHECK(secondary_model_init(model, &desc, arguments[2] % 2 != 0, layout.page_size) == HM_OK);
    return model;
}

TEST_RELOAD_AND_END(secondary, desc)

static const test_operation operations[] = {
    {"set", 250, set},
    {"set_burst", 20, set_burst},
    {"set_itself", 10, set_itself},
    {"reserve", 8, reserve},
    {"remove", 150, remove_one},
    {"remove_if", 12, remove_if},
    {"clear", 4, clear},
    {"trim", 20, trim},
    {"edit", 40, secondary_model_edit},
    {"defragment", 40, secondary_model_defragment},
    {"arrange", 30, secondary_model_arrange},
    {"touch_all", 4, secondary_model_touch_all},
    {"probe", 40, probe},
    {"refuse", 40, refuse},
    {"hostile", 30, hostile},
    {"hostile_set", 20, hostile_set},
    {"set_n", 10, set_n},
    {"remove_at", 10, remove_at},
    {"remove_n", 6, remove_n},
    {"probe_n", 10, probe_n},
    {"reload", 10, reload},
};

TEST_SUBJECT(secondary_subject, "secondary", operations, begin, check, end);
