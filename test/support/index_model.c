/* SPDX-License-Identifier: MIT */
/* The naive model of an index: each operation on both sides, and the comparison of the two. */
#include "index_model.h"

#include "layout.h"
#include "reload.h"

#include <stdlib.h>
#include <string.h>

/* Returns the entry whose owner has this slot, or NULL. */
static index_model_entry *find_slot(index_model *model, uint32_t slot)
{
    for (uint32_t i = 0; i < model->count; i++)
        if (hm_handle_index(model->entries[i].owner) == slot)
            return &model->entries[i];
    return NULL;
}

index_model_entry *index_model_find(index_model *model, hm_handle handle)
{
    index_model_entry *entry = find_slot(model, hm_handle_index(handle));
    return entry != NULL && entry->owner.bits == handle.bits ? entry : NULL;
}

/* Hashed keys are all over the 64 bits, the first and the last number among them. */
static uint64_t key_of(const index_model *model, uint32_t number)
{
    if (model->desc.key_limit != 0)
        return number;
    return number == 1 ? UINT64_MAX : number * UINT64_C(0x9E3779B97F4A7C15);
}

static hm_handle pick(const index_model *model, uint32_t kind, uint32_t which, uint32_t noise)
{
    uint32_t known = model->past_count < INDEX_MODEL_PAST ? model->past_count : INDEX_MODEL_PAST;
    test_owners of = {.max_slots = model->desc.max_slots, .type_id = model->desc.type_id};
    of.any = hm_handle_pack(which % of.max_slots, 1 + noise % 3, of.type_id);
    of.live = model->count != 0 ? model->entries[which % model->count].owner : of.any;
    of.past = known != 0 ? model->past[which % known] : of.any;
    return test_pick_owner(&of, kind, which, noise);
}

/* set */

static void forget(index_model *model, index_model_entry *entry)
{
    model->past[model->past_count++ % INDEX_MODEL_PAST] = entry->owner;
    *entry = model->entries[--model->count];
}

/* Sets the model's key, and returns what the index must return if it has memory. */
static hm_status set_entry(index_model *model, hm_handle owner, uint32_t key)
{
    index_model_entry *before = find_slot(model, hm_handle_index(owner));
    if (key == model->keys && model->desc.key_limit != 0)
        return HM_ERROR_INVALID;
    if (!test_may_be_owner(owner, model->desc.max_slots, model->desc.type_id))
        return HM_ERROR_INVALID;
    if (before != NULL && owner.bits < before->owner.bits)
        return HM_ERROR_STALE;
    if (before == NULL && model->count == model->desc.capacity)
        return HM_ERROR_FULL;
    if (before == NULL)
        before = &model->entries[model->count++];
    else if (before->owner.bits != owner.bits)
        model->past[model->past_count++ % INDEX_MODEL_PAST] = before->owner;
    *before = (index_model_entry){owner, key};
    return HM_OK;
}

static bool is_refused_for_memory(const index_model *model, hm_status status, hm_status wanted)
{
    return status == HM_ERROR_MEMORY && wanted != HM_ERROR_INVALID &&
           test_memory_refused(&model->memory);
}

static void take_back(index_model *model, const index_model *before)
{
    memcpy(model->entries, before->entries, sizeof model->entries);
    model->count = before->count;
}

void index_model_set(index_model *model, hm_handle owner, uint32_t key)
{
    static index_model before;
    before = *model;
    hm_status wanted = set_entry(model, owner, key);
    hm_status status = hm_index_set(&model->index, owner, key_of(model, key));
    CHECK(status == wanted || is_refused_for_memory(model, status, wanted));
    model->refusals += wanted != HM_OK;
    if (status != HM_OK)
        take_back(model, &before);
}

static uint32_t some_key(const index_model *model, uint32_t noise)
{
    return noise % 64 == 0 ? model->keys : noise / 64 % model->keys;
}

/* A handle as pick takes it; which also says the key. */
static void set(void *state, const uint32_t arguments[3])
{
    index_model *model = state;
    hm_handle owner = pick(model, arguments[0], arguments[1], arguments[2]);
    index_model_set(model, owner, some_key(model, arguments[0] / 16 + arguments[1] + arguments[2]));
}

/* Sets a batch of keys by number, all or none. */
static void set_many(index_model *model, const hm_handle *owners, const uint32_t *numbers,
                     uint32_t n)
{
    static index_model before;
    uint64_t keys[INDEX_MODEL_BATCH] = {0};
    hm_status wanted = HM_OK;
    before = *model;
    for (uint32_t i = 0; i < n; i++) {
        keys[i] = key_of(model, numbers[i]);
        if (wanted == HM_OK)
            wanted = set_entry(model, owners[i], numbers[i]);
    }
    hm_status status = hm_index_set_n(&model->index, owners, keys, n);
    bool lacks_room = status == HM_ERROR_FULL && n > model->desc.capacity;
    CHECK(status == wanted || is_refused_for_memory(model, status, HM_OK) || lacks_room);
    if (status != HM_OK)
        take_back(model, &before);
}

/* Slots and keys of two owners, of their present life or the first. The first slot is counted from
 * 1; 0: a null handle, which comes second. */
static void set_two(void *state, const uint32_t arguments[3])
{
    enum { PAIR = 64 };
    index_model *model = state;
    uint32_t slots = model->desc.max_slots < PAIR ? model->desc.max_slots : PAIR - 1;
    uint32_t first = arguments[0] % PAIR % (slots + 1), second = arguments[0] / PAIR % slots;
    uint32_t numbers[] = {arguments[1] % PAIR % model->keys, arguments[1] / PAIR % model->keys};
    hm_handle owners[] = {HM_NULL_HANDLE, HM_NULL_HANDLE};
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t slot = i == 0 ? first - 1 : second;
        const index_model_entry *entry = find_slot(model, slot);
        if (i != 0 || first != 0)
            owners[first == 0 ? 0 : i] =
                entry != NULL ? entry->owner
                              : hm_handle_pack(slot, model->first_life, model->desc.type_id);
    }
    set_many(model, owners, numbers, 2);
}

/* Number, random, how many keys. Mostly handles that may be owners'. */
static void set_n(void *state, const uint32_t arguments[3])
{
    index_model *model = state;
    hm_handle owners[INDEX_MODEL_BATCH] = {{0}};
    uint32_t numbers[INDEX_MODEL_BATCH] = {0};
    uint64_t random = arguments[1];
    uint32_t n = arguments[0] % (INDEX_MODEL_BATCH + 1), of = 1 + arguments[2] % model->keys;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t kind = test_random_below(&random, 400), key = test_random_below(&random, of);
        uint32_t which = (uint32_t)test_random(&random), noise = (uint32_t)test_random(&random);
        owners[i] = pick(model, kind < 16 ? kind : kind % 10, which, noise);
        numbers[i] = kind == 17 ? model->keys : key;
    }
    set_many(model, owners, numbers, n);
}

/* remove */

/* A handle as pick takes it. */
static void remove_one(void *state, const uint32_t arguments[3])
{
    index_model *model = state;
    hm_handle owner = pick(model, arguments[0], arguments[1], arguments[2]);
    index_model_entry *entry = index_model_find(model, owner);
    CHECK(hm_index_remove(&model->index, owner) == (entry != NULL));
    if (entry != NULL)
        forget(model, entry);
}

/* Compares what batches answer for these owners. */
static void check_many(index_model *model, const hm_handle *owners, uint32_t n)
{
    uint64_t keys[INDEX_MODEL_BATCH];
    bool alive[INDEX_MODEL_BATCH];
    for (uint32_t i = 0; i < n; i++)
        keys[i] = UINT64_MAX - 77;
    uint32_t found = hm_index_contains_n(&model->index, owners, n, alive);
    CHECK(hm_index_key_of_n(&model->index, owners, n, keys) == found);
    for (uint32_t i = 0; i < n; i++) {
        const index_model_entry *entry = index_model_find(model, owners[i]);
        CHECK(alive[i] == (entry != NULL));
        CHECK(keys[i] == (entry != NULL ? key_of(model, entry->key) : UINT64_MAX - 77));
        found -= alive[i];
    }
    CHECK(found == 0);
}

/* Number, random. */
static void remove_n(void *state, const uint32_t arguments[3])
{
    index_model *model = state;
    hm_handle owners[INDEX_MODEL_BATCH] = {{0}};
    uint64_t random = arguments[1];
    uint32_t n = arguments[0] % (INDEX_MODEL_BATCH + 1), found = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t kind = test_random_below(&random, 16), which = (uint32_t)test_random(&random);
        owners[i] = pick(model, kind, which, (uint32_t)test_random(&random));
    }
    check_many(model, owners, n);
    for (uint32_t i = 0; i < n; i++) {
        index_model_entry *entry = index_model_find(model, owners[i]);
        found += entry != NULL;
        if (entry != NULL)
            forget(model, entry);
    }
    CHECK(hm_index_remove_n(&model->index, owners, n) == found);
}

/* Key. */
static void remove_key(void *state, const uint32_t arguments[3])
{
    index_model *model = state;
    uint32_t key = some_key(model, arguments[0]), found = 0;
    for (uint32_t i = model->count; i-- > 0;)
        if (model->entries[i].key == key) {
            forget(model, &model->entries[i]);
            found++;
        }
    CHECK(hm_index_remove_key(&model->index, key_of(model, key)) == found);
}

static bool is_marked(const index_model *model, hm_handle owner)
{
    enum { BITS = 28 };
    return (model->doomed >> hm_handle_index(owner) % BITS & 1) != 0;
}

static bool is_doomed(hm_handle owner, uint64_t key, void *context)
{
    index_model *model = context;
    const index_model_entry *entry = index_model_find(model, owner);
    CHECK(entry != NULL && key == key_of(model, entry->key));
    CHECK(hm_index_contains(&model->index, owner));
    model->asked++;
    if ((model->tick + model->asked) % TEST_SAMPLE == 0) {
        CHECK(hm_index_validate(&model->index) == HM_OK);
        CHECK(hm_index_set(&model->index, owner, 0) == HM_ERROR_BUSY);
        CHECK(hm_index_set_n(&model->index, &owner, (const uint64_t[]){0}, 1) == HM_ERROR_BUSY);
        CHECK(!hm_index_remove(&model->index, owner));
        CHECK(hm_index_remove_key(&model->index, key) == 0);
        CHECK(hm_index_remove_n(&model->index, &owner, 1) == 0);
        CHECK(hm_index_trim(&model->index) == HM_ERROR_BUSY);
    }
    return is_marked(model, owner);
}

/* Set of slots. */
static void remove_if(void *state, const uint32_t arguments[3])
{
    index_model *model = state;
    uint32_t count = model->count;
    model->doomed = arguments[0];
    model->asked = 0;
    uint32_t removed = hm_index_remove_if(&model->index, is_doomed, model);
    CHECK(model->asked == count);
    for (uint32_t i = count; i-- > 0;)
        if (is_marked(model, model->entries[i].owner))
            forget(model, &model->entries[i]);
    CHECK(removed == count - model->count);
}

static void clear(void *state, const uint32_t arguments[3])
{
    index_model *model = state;
    (void)arguments;
    hm_index_clear(&model->index);
    while (model->count > 0)
        forget(model, &model->entries[0]);
}

/* memory */

static void trim(void *state, const uint32_t arguments[3])
{
    index_model *model = state;
    (void)arguments;
    size_t before = model->memory.committed_size;
    /* Floors, and space for a few owners at least. */
    if (model->index.owners.value_array.moves_to_grow)
        before += 2 * model->memory.table.page_size + 1024;
    hm_status status = hm_index_trim(&model->index);
    CHECK(status == (test_memory_refused(&model->memory) ? HM_ERROR_MEMORY : HM_OK));
    CHECK(status != HM_OK || model->memory.committed_size <= before);
}

/* Number. */
static void reserve(void *state, const uint32_t arguments[3])
{
    index_model *model = state;
    uint32_t n = arguments[0];
    if (n != UINT32_MAX)
        n %= model->desc.capacity + 2;
    hm_status status = hm_index_reserve(&model->index, n);
    if (n > model->desc.capacity - model->count)
        CHECK(status == HM_ERROR_FULL);
    else
        CHECK(status == (test_memory_refused(&model->memory) ? HM_ERROR_MEMORY : HM_OK));
}

/* Swaps. */
static void defragment(void *state, const uint32_t arguments[3])
{
    index_model *model = state;
    hm_frame_budget budget = test_budget_of(arguments[0] % 10, HM_NO_LIMIT);
    hm_frame_budget left = budget;
    hm_progress progress = hm_index_defragment(&model->index, &left);
    CHECK(progress.compares == 0 && budget_is_lowered(budget, left, progress));
    CHECK(progress.done || progress.swaps == budget.swaps_left || TEST_STOPS);
}

/* comparison */

void index_model_probe(index_model *model, hm_handle handle)
{
    const index_model_entry *entry = index_model_find(model, handle);
    uint64_t key = 77;
    CHECK(hm_index_contains(&model->index, handle) == (entry != NULL));
    CHECK(hm_index_key_of(&model->index, handle, &key) == (entry != NULL));
    CHECK(hm_index_key_of(&model->index, handle, NULL) == (entry != NULL));
    CHECK(key == (entry != NULL ? key_of(model, entry->key) : 77));
}

/* A handle as pick takes it. */
static void probe(void *state, const uint32_t arguments[3])
{
    index_model_probe(state, pick(state, arguments[0], arguments[1], arguments[2]));
}

static void check_stats(const index_model *model)
{
    hm_index_stats stats = hm_index_get_stats(&model->index);
    CHECK(stats.count == model->count && stats.retired_slots == 0);
    CHECK(stats.capacity == model->desc.capacity && stats.max_slots == model->desc.max_slots);
    CHECK(stats.slots == stats.count + stats.free_slots && stats.slots <= stats.max_slots);
    CHECK(stats.committed_size == model->memory.committed_size);
    CHECK(stats.reserved_size == model->memory.reserved_size);
}

/* Checks that a walk visits each key with members once, and each member. */
static void check_walk(index_model *model)
{
    uint32_t members = 0, keys = 0;
    hm_index_view view = {0};
    while (hm_index_next(&model->index, &view)) {
        uint32_t count = 0;
        CHECK(hm_index_members(&model->index, view.key, &count) == view.members);
        CHECK(count == view.count && count != 0);
        for (uint32_t i = 0; i < count; i++) {
            const index_model_entry *entry = index_model_find(model, view.members[i]);
            CHECK(entry != NULL && key_of(model, entry->key) == view.key);
        }
        members += count;
        keys++;
    }
    CHECK(members == model->count && keys == hm_index_key_count(&model->index));
    CHECK(view.members == NULL && view.count == 0);
}

/* Checks how many members a key has; check_walk looks at each. */
static void check_key(const index_model *model, uint32_t number)
{
    uint32_t wanted = 0, count = UINT32_MAX;
    for (uint32_t i = 0; i < model->count; i++)
        wanted += model->entries[i].key == number;
    uint64_t key = key_of(model, number);
    CHECK((hm_index_members(&model->index, key, &count) != NULL) == (wanted != 0));
    CHECK(count == wanted);
}

static void check(void *state)
{
    index_model *model = state;
    uint64_t random = ++model->tick;
    CHECK(hm_index_validate(&model->index) == HM_OK);
    CHECK(hm_index_count(&model->index) == model->count);
    check_stats(model);
    check_walk(model);
    for (uint32_t i = 0; i < model->count; i++)
        index_model_probe(model, model->entries[i].owner);
    uint32_t kind = test_random_below(&random, 16), which = (uint32_t)test_random(&random);
    index_model_probe(model, pick(model, kind, which, (uint32_t)test_random(&random)));
    for (uint32_t i = 0; i <= model->keys; i += TEST_SAMPLE)
        check_key(model, (i + (uint32_t)random) % (model->keys + 1));
    test_memory_disarm(&model->memory);
}

/* k, whether the later calls fail too. */
static void refuse(void *state, const uint32_t arguments[3])
{
    test_memory_arm(&((index_model *)state)->memory, arguments);
}

hm_status index_model_init(index_model *model, const hm_index_desc *desc, size_t page_size)
{
    test_memory_init_with_holes(&model->memory, page_size);
    model->desc = *desc;
    model->desc.memory = &model->memory.table;
    model->given = model->desc;
    hm_status status = hm_index_init(&model->index, &model->desc);
    if (desc->capacity == 0)
        model->desc.capacity = desc->max_slots;
    return status;
}

void index_model_fini(index_model *model)
{
    hm_index_fini(&model->index);
    test_memory_check_released(&model->memory);
    hm_index_fini(&model->index);
    CHECK(hm_index_validate(&model->index) == HM_OK);
}

/* Page size and kind of keys, index space, capacity and type. */
static void *begin(const uint32_t arguments[3])
{
    static const uint32_t spaces[] = {INDEX_MODEL_OWNERS, 200, 16385, 100000};
    index_model *model = calloc(1, sizeof *model);
    test_layout layout = test_layout_at(arguments[0] / 2 % test_layout_count());
    CHECK(model != NULL);
    model->keys = INDEX_MODEL_KEYS;
    model->first_life = 1;
    hm_index_desc desc = {
        .capacity = 1 + arguments[2] / 4 % INDEX_MODEL_OWNERS,
        .max_slots = spaces[arguments[1] % (sizeof spaces / sizeof *spaces)],
        .type_id = (uint16_t)(arguments[2] % 8 == 0 ? 0 : arguments[2] & HM_HANDLE_MAX_TYPE_ID),
        .key_limit = arguments[0] % 2 == 0 ? 0 : INDEX_MODEL_KEYS,
        .seed = 1 + arguments[1]};
    if (desc.max_slots == INDEX_MODEL_OWNERS && arguments[2] / (4 * INDEX_MODEL_OWNERS) % 2 == 0)
        desc.capacity = 0; /* It has no limit but the slots, and moves as it grows. */
    CHECK(index_model_init(model, &desc, layout.page_size) == HM_OK);
    return model;
}

/* What resolves is not removed, since the model would not know of it. */
static hm_handle hostile_handle(const index_model *model, const uint32_t arguments[3])
{
    return test_hostile_handle_of(model->entries, sizeof *model->entries, model->count,
                                  model->desc.type_id, arguments);
}

static void hostile(void *state, const uint32_t arguments[3])
{
    index_model *model = state;
    hm_handle handle = hostile_handle(model, arguments);
    uint64_t key = (UINT64_C(1) << 63 | (uint64_t)arguments[1] << 16 | arguments[2]) ^ 1;
    index_model_probe(model, handle);
    CHECK(hm_index_members(&model->index, key, NULL) == NULL);
    CHECK(hm_index_remove_key(&model->index, key) == 0);
    if (index_model_find(model, handle) == NULL)
        CHECK(!hm_index_remove(&model->index, handle));
}

/* The third argument is the generation, or has it below; the key is combined of both halves. */
static void hostile_set(void *state, const uint32_t arguments[3])
{
    index_model *model = state;
    index_model_set(model, hostile_handle(model, arguments),
                    ((arguments[2] ^ arguments[2] >> 16) & 0xFFFF) % (model->keys + 1));
}

TEST_RELOAD_AND_END(index, given)

static const test_operation operations[] = {
    {"set", 250, set},
    {"set_n", 60, set_n},
    {"remove", 100, remove_one},
    {"remove_n", 20, remove_n},
    {"remove_key", 20, remove_key},
    {"remove_if", 8, remove_if},
    {"clear", 4, clear},
    {"trim", 20, trim},
    {"reserve", 8, reserve},
    {"defragment", 30, defragment},
    {"probe", 40, probe},
    {"refuse", 60, refuse},
    {"hostile", 30, hostile},
    {"hostile_set", 20, hostile_set},
    {"set_two", 20, set_two},
    {"reload", 10, reload},
};

TEST_SUBJECT(index_subject, "index", operations, begin, check, end);
