/* SPDX-License-Identifier: MIT */
/* The naive model of the secondary: each operation on both sides, and the comparison of the two. */
#include "hostile.h"

#include "layout.h"

#include <stdlib.h>
#include <string.h>

enum {
    MODEL_SMALL = 64,     /* bytes; up to this size all values are compared after each operation */
    MODEL_STRIDE = 32,    /* above, each value after this many operations */
    MODEL_NEAR = 60,      /* indices below it, unless they are scattered */
    MODEL_PLACES = 5,     /* scattered indices begin at as many places */
    MODEL_BURST = 40,     /* most owners in a row */
    MODEL_COMPARES = 200, /* most for a value, as in the map's model */
    MODEL_IDLE = 16       /* calls that have no budget left for other work */
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

/* Returns a handle to try: an owner (kind 0 to 5), the next or an earlier life of its slot, any
 * that may be an owner's, one that was, null, damaged, foreign, too high, or noise. */
static hm_handle pick(const secondary_model *model, uint32_t kind, uint32_t which, uint32_t noise)
{
    uint32_t known =
        model->past_count < SECONDARY_MODEL_PAST ? model->past_count : SECONDARY_MODEL_PAST;
    const uint64_t one = UINT64_C(1) << HM_HANDLE_GENERATION_SHIFT;
    uint64_t bits = (uint64_t)which << 32 | noise;
    hm_handle any = hm_handle_pack(some_index(model, which), 1 + noise % 4, model->desc.type_id);
    hm_handle live = model->count != 0 ? model->entries[which % model->count].owner : any;
    switch (kind % 16) {
    case 6:
        return hm_handle_from_bits(live.bits + one);
    case 7:
        return hm_handle_from_bits(live.bits - one);
    case 8:
    case 9:
        return any;
    case 10:
        return known != 0 ? model->past[which % known] : any;
    case 11:
        return HM_NULL_HANDLE;
    case 12:
        return hm_handle_from_bits(live.bits ^ UINT64_C(1) << noise % 64);
    case 13:
        return hm_handle_pack(hm_handle_index(live), 1, noise);
    case 14:
        return hm_handle_pack(model->desc.max_slots + noise % 3, 1, model->desc.type_id);
    case 15:
        return hm_handle_from_bits(test_random(&bits));
    default:
        return live;
    }
}

static bool may_be_owner(const secondary_model *model, hm_handle handle)
{
    return !hm_handle_is_free(handle) && hm_handle_generation(handle) != 0 &&
           hm_handle_type_id(handle) == model->desc.type_id &&
           hm_handle_index(handle) < model->desc.max_slots;
}

/* callbacks */

/* Returns the entry of a value that a callback gets. */
static secondary_model_entry *entry_of(secondary_model *model, const void *value)
{
    const unsigned char *values = hm_secondary_values(&model->secondary);
    size_t index = (size_t)((const unsigned char *)value - values) / model->desc.value_size;
    hm_handle owner = hm_secondary_owner_at(&model->secondary, (uint32_t)index);
    secondary_model_entry *entry = secondary_model_find(model, owner);
    CHECK(entry != NULL && hm_secondary_get(&model->secondary, owner) == value);
    CHECK(value_holds(model, entry, value));
    return entry;
}

/* What holds in each callback; the costly part now and then. */
static void in_callback(secondary_model *model, uint32_t noise)
{
    if ((model->tick + noise) % 64 != 0)
        return;
    CHECK(hm_secondary_validate(&model->secondary) == HM_OK);
    hm_handle any = pick(model, 8, noise, noise);
    CHECK(hm_secondary_set(&model->secondary, any, NULL) == NULL);
    CHECK(hm_secondary_set_n(&model->secondary, &any, NULL, 1) == HM_ERROR_BUSY);
    any = hm_secondary_owner_at(&model->secondary, 0);
    CHECK(hm_secondary_remove_n(&model->secondary, &any, 1) == 0);
    CHECK(!hm_secondary_remove_at(&model->secondary, 0));
    CHECK(!hm_secondary_remove(&model->secondary, hm_secondary_owner_at(&model->secondary, 0)));
    CHECK(hm_secondary_trim(&model->secondary) == HM_ERROR_BUSY);
}

static void on_destroy(void *value, void *context)
{
    secondary_model *model = context;
    secondary_model_entry *entry = entry_of(model, value);
    CHECK(entry->destroyed == 0);
    CHECK(!model->from_the_back || hm_secondary_index_of(&model->secondary, entry->owner) ==
                                       hm_secondary_count(&model->secondary) - 1);
    entry->destroyed++;
    in_callback(model, hm_handle_index(entry->owner));
}

/* Orders by the leading bytes, at most 2 of them, so that there are equal values. */
static uint64_t leading(const secondary_model *model, const void *value)
{
    const unsigned char *bytes = value;
    return model->desc.value_size == 1 ? bytes[0] : (uint64_t)bytes[0] << 8 | bytes[1];
}

static uint64_t key(const void *value, void *context)
{
    secondary_model *model = context;
    if (!model->is_searching) /* A search leaves the secondary idle. */
        in_callback(model, hm_handle_index(entry_of(model, value)->owner));
    else if (value != model->probe)
        entry_of(model, value);
    model->ordered++;
    return leading(model, value);
}

static int compare(const void *a, const void *b, void *context)
{
    secondary_model *model = context;
    uint64_t left = key(a, context), right = key(b, context);
    model->ordered--;
    return (left > right) - (left < right);
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

void secondary_model_set(secondary_model *model, hm_handle owner, bool is_zero, uint64_t value)
{
    unsigned char bytes[5000];
    secondary_model_entry *before = find_slot(model, hm_handle_index(owner));
    bool may = may_be_owner(model, owner);
    test_item_fill(bytes, model->desc.value_size, value);
    const void *place = hm_secondary_set(&model->secondary, owner, is_zero ? NULL : bytes);
    secondary_model_entry now = {.owner = owner, .value = value, .is_zero = is_zero};
    if (may && before != NULL && owner.bits >= before->owner.bits) {
        CHECK(place == hm_secondary_get(&model->secondary, owner) && place != NULL);
        note_removal(model, before);
        *before = now;
    } else if (may && before == NULL && place != NULL) {
        CHECK(model->count < model->desc.capacity);
        model->entries[model->count++] = now;
        test_memory_check_committed(&model->memory, place, model->desc.value_size);
    } else {
        bool has_space = model->count < model->desc.capacity;
        CHECK(place == NULL);
        CHECK(!may || before != NULL || !has_space || test_memory_refused(&model->memory));
    }
}

/* A handle as pick takes it; its kind also says whether the value is zero. */
static void set(void *state, const uint32_t arguments[3])
{
    secondary_model *model = state;
    hm_handle owner = pick(model, arguments[0], arguments[1], arguments[2]);
    secondary_model_set(model, owner, arguments[0] / 16 % 4 == 1, arguments[2]);
}

/* Number, first, value: owners with indices in a row, of generation 1, or later ones if needed. */
static void set_burst(void *state, const uint32_t arguments[3])
{
    secondary_model *model = state;
    for (uint32_t i = 0; i < 1 + arguments[0] % MODEL_BURST; i++) {
        uint32_t slot = some_index(model, arguments[1] + 8 * i);
        secondary_model_entry *before = find_slot(model, slot);
        uint32_t generation = before != NULL ? hm_handle_generation(before->owner) : 1;
        secondary_model_set(model, hm_handle_pack(slot, generation, model->desc.type_id), false,
                            arguments[2] + i);
    }
}

/* Writes some handles, as pick takes them, and returns their number. */
static uint32_t pick_many(const secondary_model *model, hm_handle *handles, uint32_t number,
                          uint64_t random, uint32_t kinds)
{
    uint32_t n = number % (SECONDARY_MODEL_NAMES + 1);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t kind = test_random_below(&random, kinds), which = (uint32_t)test_random(&random);
        handles[i] = pick(model, kind, which, (uint32_t)test_random(&random));
    }
    return n;
}

/* What set_n must answer, if memory is not refused. */
static hm_status judge_many(secondary_model *model, const hm_handle *owners, uint32_t n)
{
    uint32_t added = 0;
    for (uint32_t i = 0; i < n; i++) {
        const secondary_model_entry *before = find_slot(model, hm_handle_index(owners[i]));
        if (!may_be_owner(model, owners[i]))
            return HM_ERROR_INVALID;
        if (before != NULL && owners[i].bits < before->owner.bits)
            return HM_ERROR_STALE;
        if (before == NULL && model->count + ++added > model->desc.capacity)
            return HM_ERROR_FULL;
    }
    return HM_OK;
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
    uint32_t picked = pick_many(model, owners, arguments[0], arguments[1], kinds);
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
        secondary_model_entry now = {owners[i], arguments[2] + i, 0, is_zero};
        secondary_model_entry *before = find_slot(model, hm_handle_index(now.owner));
        if (before == NULL) {
            model->entries[model->count++] = now;
        } else if (now.owner.bits >= before->owner.bits) {
            note_removal(model, before);
            *before = now;
        }
    }
}

/* A handle: sets its value from its own address. */
static void set_itself(void *state, const uint32_t arguments[3])
{
    secondary_model *model = state;
    hm_handle owner = pick(model, arguments[0] % 6, arguments[1], arguments[2]);
    secondary_model_entry *entry = secondary_model_find(model, owner);
    void *place = hm_secondary_get(&model->secondary, owner);
    if (entry == NULL)
        return;
    CHECK(hm_secondary_set(&model->secondary, owner, place) == place);
    CHECK(entry->destroyed == (model->desc.destroy != NULL ? 1u : 0u));
    entry->destroyed = 0;
}

/* Number: after it, sets for the low indices succeed without memory. */
static void reserve(void *state, const uint32_t arguments[3])
{
    secondary_model *model = state;
    uint32_t n = arguments[0] % (model->desc.capacity + 2), room;
    room = model->desc.capacity - model->count;
    hm_status status = hm_secondary_reserve(&model->secondary, n);
    if (status != HM_OK) {
        CHECK(test_memory_explains(&model->memory, status, n <= room));
        return;
    }
    CHECK(n <= room);
    uint32_t end = model->count + n;
    test_memory_fail(&model->memory, 1, true);
    for (uint32_t slot = 0; slot < end && n > 0; slot++)
        if (find_slot(model, slot) == NULL) {
            uint32_t count = model->count;
            secondary_model_set(model, hm_handle_pack(slot, 1, model->desc.type_id), false, slot);
            CHECK(model->count == count + 1);
            n--;
        }
    CHECK(!test_memory_refused(&model->memory));
    test_memory_fail(&model->memory, 0, false);
}

/* remove */

/* A handle as pick takes it. */
static void remove_one(void *state, const uint32_t arguments[3])
{
    secondary_model *model = state;
    hm_handle owner = pick(model, arguments[0], arguments[1], arguments[2]);
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
    uint32_t n = pick_many(model, owners, arguments[0], arguments[1], 16), count = model->count;
    uint32_t removed = hm_secondary_remove_n(&model->secondary, owners, n);
    for (uint32_t i = 0; i < n; i++)
        if (secondary_model_find(model, owners[i]) != NULL)
            drop(model, secondary_model_find(model, owners[i]));
    CHECK(removed == count - model->count);
}

/* Reads the dense order anew, after it was changed by an order: the owners must be the same. */
static void read_order(secondary_model *model)
{
    static secondary_model_entry entries[SECONDARY_MODEL_VALUES];
    CHECK(hm_secondary_count(&model->secondary) == model->count);
    CHECK(hm_secondary_validate(&model->secondary) == HM_OK); /* So each owner is there once. */
    for (uint32_t i = 0; i < model->count; i++) {
        const secondary_model_entry *entry =
            secondary_model_find(model, hm_secondary_owner_at(&model->secondary, i));
        CHECK(entry != NULL);
        entries[i] = *entry;
    }
    memcpy(model->entries, entries, sizeof *entries * model->count);
}

static bool is_doomed(hm_handle owner, const void *value, void *context)
{
    secondary_model *model = context;
    CHECK(value == hm_secondary_get(&model->secondary, owner));
    CHECK(secondary_model_find(model, owner) != NULL &&
          hm_secondary_contains(&model->secondary, owner));
    if (!model->is_stopped)
        CHECK(hm_handle_equal(owner, model->entries[model->asked].owner));
    model->asked++;
    in_callback(model, hm_handle_index(owner));
    return hm_handle_index(owner) % 3 == model->third;
}

/* Which third. An unfinished order is settled first, so that the order of before is not known. */
static void remove_if(void *state, const uint32_t arguments[3])
{
    secondary_model *model = state;
    uint32_t kept = 0, count = model->count;
    model->third = arguments[0] % 3;
    model->asked = 0;
    uint32_t removed = hm_secondary_remove_if(&model->secondary, is_doomed, model);
    CHECK(model->asked == count);
    for (uint32_t i = 0; i < count; i++) {
        if (hm_handle_index(model->entries[i].owner) % 3 == model->third)
            note_removal(model, &model->entries[i]);
        else
            model->entries[kept++] = model->entries[i];
    }
    model->count = kept;
    CHECK(removed == count - kept);
    if (model->is_stopped)
        read_order(model);
    model->is_stopped = false;
}

static void clear(void *state, const uint32_t arguments[3])
{
    secondary_model *model = state;
    (void)arguments;
    model->from_the_back = true;
    hm_secondary_clear(&model->secondary);
    model->from_the_back = model->is_stopped = false;
    while (model->count > 0)
        drop(model, &model->entries[model->count - 1]);
}

static void trim(void *state, const uint32_t arguments[3])
{
    secondary_model *model = state;
    (void)arguments;
    size_t before = model->memory.committed_size;
    hm_status status = hm_secondary_trim(&model->secondary);
    CHECK(status == HM_OK || (status == HM_ERROR_MEMORY && test_memory_refused(&model->memory)));
    CHECK(model->memory.committed_size <= before);
    CHECK(status != HM_OK || model->count != 0 || model->secondary.positions_size == 0);
    if (model->is_stopped)
        read_order(model);
    model->is_stopped = false;
}

/* order */

/* Kind and which of a handle, value. */
static void edit(void *state, const uint32_t arguments[3])
{
    secondary_model *model = state;
    hm_handle owner = pick(model, arguments[0], arguments[1], arguments[2]);
    secondary_model_entry *entry = secondary_model_find(model, owner);
    if (entry != NULL) {
        entry->is_zero = false;
        entry->value = arguments[2];
        test_item_fill(hm_secondary_get(&model->secondary, owner), model->desc.value_size,
                       entry->value);
    }
    hm_secondary_touch(&model->secondary, owner);
}

static bool is_in_order(const secondary_model *model)
{
    const unsigned char *values = hm_secondary_values(&model->secondary);
    size_t size = model->desc.value_size;
    for (uint32_t i = 1; i < model->count; i++)
        if (leading(model, values + size * (i - 1)) > leading(model, values + size * i))
            return false;
    return true;
}

static void check_progress(secondary_model *model, hm_progress progress, hm_budget budget,
                           hm_budget left)
{
    CHECK(budget_is_lowered(budget, left, progress));
    CHECK(progress.done || progress.status != HM_OK || budget.max_swaps != 0 ||
          budget.max_compares != 0);
    test_memory_follow(&model->memory, progress);
    model->is_stopped = !progress.done;
}

static bool defragment_once(secondary_model *model, const hm_order *order, hm_budget budget)
{
    uint64_t ordered = model->ordered;
    hm_budget left = budget;
    hm_progress progress = hm_secondary_defragment(&model->secondary, order, &left);
    /* A compare calls the key twice, and counts once. */
    CHECK(progress.compares == model->ordered - ordered);
    check_progress(model, progress, budget, left);
    read_order(model);
    return progress.done;
}

/* Searches by key or compare for the leading bytes of a value, or for others. What is answered is
 * right; returns whether it is answered. */
static bool search(secondary_model *model, const hm_order *order, uint32_t random)
{
    const unsigned char *values = hm_secondary_values(&model->secondary);
    size_t size = model->desc.value_size;
    model->probe[0] = (unsigned char)random;
    model->probe[1] = (unsigned char)(random >> 8);
    if (random % 3 != 0 && model->count != 0)
        memcpy(model->probe, values + size * (random % model->count), size == 1 ? 1 : 2);
    model->is_searching = true;
    uint32_t lower = hm_secondary_lower_bound(&model->secondary, order, model->probe);
    uint32_t upper = hm_secondary_upper_bound(&model->secondary, order, model->probe);
    model->is_searching = false;
    CHECK((lower == HM_INVALID_INDEX) == (upper == HM_INVALID_INDEX));
    if (lower == HM_INVALID_INDEX)
        return false;
    uint64_t probe = leading(model, model->probe);
    for (uint32_t i = 0; i < model->count; i++) {
        uint64_t here = leading(model, values + size * i);
        CHECK((here < probe) == (i < lower) && (here > probe) == (i >= upper));
    }
    return true;
}

/* By key or compare and whether to the end, swaps, compares. */
static void defragment(void *state, const uint32_t arguments[3])
{
    secondary_model *model = state;
    hm_order order = {.context = model};
    hm_budget budget = hm_budget_of(arguments[1] % 40, arguments[2] % 200);
    uint64_t calls = 1;
    if (arguments[0] % 2 == 0)
        order.key = key;
    else
        order.compare = compare;
    if (arguments[0] / 2 % 2 == 0) /* Each call has a compare or a swap, but for a few. */
        calls += (MODEL_COMPARES + (uint64_t)model->count) * model->count + MODEL_IDLE;
    bool done = false;
    for (uint64_t n = calls; !done && n > 0; n--)
        done = defragment_once(model, &order, budget);
    CHECK(done || calls == 1);
    CHECK(!done || is_in_order(model));
    CHECK(!done || search(model, &order, arguments[2]));
}

/* Checks that the values whose owners are named come first, in the order of the names. */
static void check_named(const secondary_model *model)
{
    uint32_t named = 0;
    for (uint32_t i = 0; i < model->name_count; i++) {
        uint32_t index = hm_secondary_index_of(&model->secondary, model->names[i]);
        if (index == HM_INVALID_INDEX || index < named)
            continue;
        CHECK(index == named);
        named++;
    }
}

/* Number, random, swaps (or whether to go on with the last names). */
static void arrange(void *state, const uint32_t arguments[3])
{
    secondary_model *model = state;
    hm_budget budget = hm_budget_of(arguments[2] / 2 % 40, 0);
    if (arguments[2] % 2 == 0) {
        hm_secondary_touch_all(&model->secondary); /* The names in the buffer will change. */
        model->name_count = pick_many(model, model->names, arguments[0], arguments[1], 16);
    }
    hm_budget left = budget;
    hm_progress progress =
        hm_secondary_arrange(&model->secondary, model->names, model->name_count, &left);
    CHECK(progress.compares == 0);
    check_progress(model, progress, budget, left);
    read_order(model);
    if (progress.done)
        check_named(model);
}

static void touch_all(void *state, const uint32_t arguments[3])
{
    secondary_model *model = state;
    (void)arguments;
    hm_secondary_touch_all(&model->secondary);
    model->is_stopped = false;
}

/* comparison */

void secondary_model_probe(secondary_model *model, hm_handle handle)
{
    const secondary_model_entry *entry = secondary_model_find(model, handle);
    const unsigned char *values = hm_secondary_values(&model->secondary);
    uint32_t index = entry != NULL ? index_of(model, entry) : HM_INVALID_INDEX;
    CHECK(hm_secondary_index_of(&model->secondary, handle) == index);
    CHECK(hm_secondary_contains(&model->secondary, handle) == (entry != NULL));
    CHECK((hm_secondary_explain(&model->secondary, handle) == HM_HANDLE_LIVE) == (entry != NULL));
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
    uint32_t n = pick_many(model, owners, arguments[0], arguments[1], 16), found = 0;
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
    secondary_model_probe(state, pick(state, arguments[0], arguments[1], arguments[2]));
}

static void check_stats(const secondary_model *model)
{
    hm_secondary_stats stats = hm_secondary_get_stats(&model->secondary);
    CHECK(stats.count == model->count && stats.retired_slots == 0);
    CHECK(stats.capacity == model->desc.capacity && stats.max_slots == model->desc.max_slots);
    CHECK(stats.slots == stats.count + stats.free_slots && stats.slots <= stats.max_slots);
    CHECK(stats.committed_size == model->memory.committed_size);
    CHECK(stats.reserved_size == model->memory.reserved_size);
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
    secondary_model_probe(model, pick(model, kind, which, (uint32_t)test_random(&random)));
    uint32_t sought = (uint32_t)test_random(&random);
    CHECK(search(model, &(hm_order){.key = key, .context = model}, sought) || model->count != 0);
    CHECK(search(model, &(hm_order){.compare = compare, .context = model}, sought) ||
          model->count != 0);
    if (!model->refuses) /* What was armed holds for one operation. */
        test_memory_fail(&model->memory, 0, false);
    model->refuses = false;
}

/* Makes the next operation fail at the k-th memory call: k, whether the later calls fail too. */
static void refuse(void *state, const uint32_t arguments[3])
{
    secondary_model *model = state;
    model->refuses = true;
    test_memory_fail(&model->memory, 1 + arguments[0] % 4, arguments[1] & 1);
}

/* Layout, index space, capacity and hook. */
static void *begin(const uint32_t arguments[3])
{
    static const uint32_t index_spaces[] = {SECONDARY_MODEL_VALUES, 16384, 16385, 100000, 1000000};
    secondary_model *model = calloc(1, sizeof *model);
    test_layout layout = test_layout_at(arguments[0] % test_layout_count());
    CHECK(model != NULL);
    test_memory_init_with_holes(&model->memory, layout.page_size);
    model->desc = (hm_secondary_desc){
        .value_size = layout.item_size,
        .value_align = layout.item_align,
        .capacity = 1 + arguments[2] / 4 % SECONDARY_MODEL_VALUES,
        .max_slots = index_spaces[arguments[1] % (sizeof index_spaces / sizeof *index_spaces)],
        .type_id = (uint16_t)(arguments[2] % 8 == 0 ? 0 : arguments[2] & HM_HANDLE_MAX_TYPE_ID),
        .destroy = arguments[2] % 2 != 0 ? on_destroy : NULL,
        .context = model,
        .memory = &model->memory.table};
    model->is_scattered = arguments[2] / 2 % 2 != 0;
    CHECK(hm_secondary_init(&model->secondary, &model->desc) == HM_OK);
    return model;
}

static void end(void *state)
{
    secondary_model *model = state;
    model->from_the_back = true;
    hm_secondary_fini(&model->secondary);
    for (uint32_t i = 0; i < model->count; i++)
        CHECK(model->entries[i].destroyed == (model->desc.destroy != NULL ? 1u : 0u));
    test_memory_check_released(&model->memory);
    free(model);
}

static const test_operation operations[] = {
    {"set", 250, set},
    {"set_burst", 20, set_burst},
    {"set_itself", 10, set_itself},
    {"reserve", 8, reserve},
    {"remove", 150, remove_one},
    {"remove_if", 12, remove_if},
    {"clear", 4, clear},
    {"trim", 20, trim},
    {"edit", 40, edit},
    {"defragment", 40, defragment},
    {"arrange", 30, arrange},
    {"touch_all", 4, touch_all},
    {"probe", 40, probe},
    {"refuse", 40, refuse},
    {"hostile", 30, secondary_model_hostile},
    {"hostile_set", 20, secondary_model_hostile_set},
    {"set_n", 10, set_n},
    {"remove_at", 10, remove_at},
    {"remove_n", 6, remove_n},
    {"probe_n", 10, probe_n},
};

const test_subject secondary_subject = {
    .name = "secondary",
    .operations = operations,
    .operation_count = sizeof operations / sizeof *operations,
    .begin = begin,
    .check = check,
    .end = end,
};
