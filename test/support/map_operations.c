/* SPDX-License-Identifier: MIT */
/* The map as the runner and the fuzzer see it: tables of operations with numeric arguments. */
#include "map_model.h"

#include "layout.h"

#include <handle_map/directory.h>

#include <stdlib.h>
#include <string.h>

enum {
    TO_THE_END = 100, /* items; larger maps are not defragmented to the end in one step */
    SMALL = 64        /* bytes */
};

/* Kinds of maps: mostly small ones, some with tiny index spaces, some with thousands of items; but
 * not of large items. */
static hm_map_desc describe(uint32_t shape, uint32_t hooks, size_t item_size)
{
    static const uint32_t capacities[] = {1, 2, 4, 16, 40, 64, 64, 100};
    static const uint32_t spares[] = {0, 1, 3, 20, 600};
    static const size_t metas[] = {0, 0, 0, 1, 3, 8, 24};
    hm_map_desc desc = {.capacity = capacities[shape % 8],
                        .meta_size = metas[shape / 8 % 7],
                        .type_id = (uint16_t)(hooks / 16 & HM_HANDLE_MAX_TYPE_ID)};
    if (shape / 280 % 24 == 23 && item_size <= SMALL)
        desc.capacity = 3000;
    desc.max_slots = desc.capacity + spares[shape / 56 % 5];
    if (hooks / 4 % 4 == 0)
        desc.type_id = 0;
    if (hooks / 4 % 4 == 1)
        desc.type_id = HM_HANDLE_MAX_TYPE_ID;
    return desc;
}

/* Arguments: layout; shape; hooks and type id. */
static void *begin_map(const uint32_t arguments[3])
{
    test_layout layout = test_layout_at(arguments[0] % test_layout_count());
    hm_map_desc desc = describe(arguments[1], arguments[2], layout.item_size);
    map_model *model = malloc(sizeof *model);
    CHECK(model != NULL);
    desc.item_size = layout.item_size;
    desc.item_align = layout.item_align;
    model_init(model, &desc, layout.page_size, arguments[2] & 1, arguments[2] & 2);
    return model;
}

static void check_map(void *state)
{
    model_check(state);
}

static void end_map(void *state)
{
    model_fini(state);
    free(state);
}

/* Way, value. */
static void insert(void *state, const uint32_t arguments[3])
{
    model_insert(state, (model_way)(arguments[0] % MODEL_WAYS), arguments[1]);
}

/* Number, value. */
static void insert_n(void *state, const uint32_t arguments[3])
{
    model_insert_n(state, arguments[0] % (MODEL_BATCH / 4), true, arguments[1]);
}

/* Number, value. */
static void insert_burst(void *state, const uint32_t arguments[3])
{
    model_insert_n(state, arguments[0] % (model_room(state) + 2), false, arguments[1]);
}

/* Number, value. */
static void reserve(void *state, const uint32_t arguments[3])
{
    model_reserve(state, arguments[0] % 40, arguments[1]);
}

/* A handle as model_pick takes it. */
static void erase(void *state, const uint32_t arguments[3])
{
    model_erase(state, model_pick(state, arguments[0], arguments[1], arguments[2]));
}

/* Number, which; a quarter of them are repeated. */
static void erase_n(void *state, const uint32_t arguments[3])
{
    hm_handle handles[MODEL_BATCH];
    uint64_t random = arguments[1];
    uint32_t n = arguments[0] % (MODEL_BATCH + 1);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t kind = test_random_below(&random, 16);
        uint32_t which = (uint32_t)test_random(&random);
        if (i != 0 && test_random_below(&random, 4) == 0)
            handles[i] = handles[which % i];
        else
            handles[i] = model_pick(state, kind, which, (uint32_t)test_random(&random));
    }
    model_erase_n(state, handles, n);
}

/* The number of doomed values of 8. */
static void erase_if(void *state, const uint32_t arguments[3])
{
    model_erase_if(state, arguments[0] % 9);
}

static void clear(void *state, const uint32_t arguments[3])
{
    (void)arguments;
    model_clear(state);
}

static void trim(void *state, const uint32_t arguments[3])
{
    (void)arguments;
    model_trim(state);
}

/* Kind and which of a handle, value. */
static void edit(void *state, const uint32_t arguments[3])
{
    model_edit(state, model_pick(state, arguments[0], arguments[1], arguments[2]), arguments[2]);
}

/* A handle as model_pick takes it. */
static void probe(void *state, const uint32_t arguments[3])
{
    model_probe(state, model_pick(state, arguments[0], arguments[1], arguments[2]));
}

/* Order, swaps, compares. */
static void defragment(void *state, const uint32_t arguments[3])
{
    hm_budget budget = hm_budget_of(arguments[1] % 8, arguments[2] % 16);
    model_defragment(state, arguments[0] % MODEL_ORDERS, budget, false);
}

/* Order, swaps, compares; in calls until it is done. */
static void finish(void *state, const uint32_t arguments[3])
{
    map_model *model = state;
    hm_budget budget = hm_budget_of(arguments[1] % 8, arguments[2] % 16);
    model_defragment(model, arguments[0] % MODEL_ORDERS, budget, model->count <= TO_THE_END);
}

/* How orders lie from here on: kind, noise. */
static void lie(void *state, const uint32_t arguments[3])
{
    map_model *model = state;
    model->lie = (model_lie)(arguments[0] % MODEL_LIES);
    model->noise = arguments[1];
}

/* Number of names, which, swaps; in calls until it is done, if swaps are even. */
static void arrange(void *state, const uint32_t arguments[3])
{
    map_model *model = state;
    hm_budget budget = hm_budget_of(arguments[2] % 8, arguments[2] / 8 % 4);
    bool to_the_end = arguments[1] % 2 == 0 && model->count <= TO_THE_END;
    model_arrange(model, arguments[0] % (MODEL_NAMES + 1), arguments[1], budget, to_the_end);
}

/* Swaps, compares. */
static void arrange_on(void *state, const uint32_t arguments[3])
{
    model_arrange_on(state, hm_budget_of(arguments[0] % 8, arguments[1] % 4));
}

static void touch_all(void *state, const uint32_t arguments[3])
{
    map_model *model = state;
    (void)arguments;
    hm_map_touch_all(&model->map);
}

/* Which, generations left. */
static void age(void *state, const uint32_t arguments[3])
{
    model_age(state, arguments[0], arguments[1] % 256);
}

/* Makes the next operation fail at the k-th memory call: k, whether the later calls fail too. */
static void refuse(void *state, const uint32_t arguments[3])
{
    map_model *model = state;
    model->refuses = true;
    test_memory_fail(&model->memory, 1 + arguments[0] % 3, arguments[1] & 1);
}

static const test_operation map_operations[] = {
    {"insert", 280, insert},
    {"insert_n", 40, insert_n},
    {"insert_burst", 5, insert_burst},
    {"reserve", 5, reserve},
    {"erase", 230, erase},
    {"erase_n", 25, erase_n},
    {"erase_if", 8, erase_if},
    {"clear", 4, clear},
    {"trim", 10, trim},
    {"edit", 60, edit},
    {"probe", 30, probe},
    {"defragment", 60, defragment},
    {"finish", 4, finish},
    {"lie", 8, lie},
    {"age", 3, age},
    {"refuse", 50, refuse},
    {"arrange", 10, arrange},
    {"arrange_on", 20, arrange_on},
    {"touch_all", 4, touch_all},
};

const test_subject map_subject = {
    .name = "map",
    .operations = map_operations,
    .operation_count = sizeof map_operations / sizeof *map_operations,
    .begin = begin_map,
    .check = check_map,
    .end = end_map,
};

/* The operations of a map that concern order, mostly with orders that lie. */
static const test_operation lying_operations[] = {
    {"defragment", 200, defragment},
    {"finish", 20, finish},
    {"lie", 60, lie},
    {"insert", 100, insert},
    {"insert_n", 20, insert_n},
    {"erase", 90, erase},
    {"erase_if", 5, erase_if},
    {"clear", 2, clear},
    {"edit", 60, edit},
    {"trim", 5, trim},
    {"arrange", 10, arrange},
    {"arrange_on", 10, arrange_on},
    {"touch_all", 4, touch_all},
};

const test_subject lying_subject = {
    .name = "lying_orders",
    .operations = lying_operations,
    .operation_count = sizeof lying_operations / sizeof *lying_operations,
    .begin = begin_map,
    .check = check_map,
    .end = end_map,
};

/* Hostile handles: any 64 bits, given to every function that takes a handle. The items have 8
 * bytes, so that the typed functions can be tested as well. */
HM_MAP_DEFINE(word, uint64_t, 0)

typedef struct hostile_model {
    map_model model; /* first, so that the map's operations work on a hostile one too */
    hm_directory directory;
} hostile_model;

static word_map *typed(hostile_model *hostile)
{
    return (word_map *)&hostile->model.map;
}

/* Arguments: nothing; shape; hooks and type id. */
static void *begin_hostile(const uint32_t arguments[3])
{
    hm_map_desc desc = describe(arguments[1], arguments[2], sizeof(uint64_t));
    hostile_model *hostile = malloc(sizeof *hostile);
    CHECK(hostile != NULL);
    desc.item_size = sizeof(uint64_t);
    model_init(&hostile->model, &desc, hm_memory_os()->page_size, arguments[2] & 1,
               arguments[2] & 2);
    CHECK(hm_directory_init(&hostile->directory, NULL) == HM_OK);
    CHECK(hm_directory_add_map(&hostile->directory, &hostile->model.map) == HM_OK);
    return hostile;
}

static void end_hostile(void *state)
{
    hostile_model *hostile = state;
    CHECK(hm_directory_remove_map(&hostile->directory, &hostile->model.map));
    hm_directory_fini(&hostile->directory);
    model_fini(&hostile->model);
    free(hostile);
}

/* Two arguments are 64 bits; the first chooses a handle (none, a live one, a stale one, an entry of
 * the id table), and whether all bits are XORed with it or they choose one bit. */
static hm_handle hostile_handle(const map_model *model, const uint32_t arguments[3])
{
    uint32_t way = arguments[0] % 8, which = arguments[0] / 8;
    const hm_id_table *ids = &model->map.ids;
    uint64_t bits = (uint64_t)arguments[1] << 32 | arguments[2];
    hm_handle base = HM_NULL_HANDLE;
    if (way % 4 == 1)
        base = model_pick(model, 0, which, 0);
    if (way % 4 == 2)
        base = model_pick(model, 8, which, 0);
    if (way % 4 == 3 && ids->slot_count != 0)
        base = ids->entries[which % ids->slot_count];
    if (way >= 4)
        bits = UINT64_C(1) << bits % 64;
    return hm_handle_from_bits(base.bits ^ bits);
}

static void check_handle_parts(hm_handle handle)
{
    hm_handle outer = hm_handle_pack(hm_handle_index(handle), hm_handle_generation(handle),
                                     hm_handle_type_id(handle));
    uint64_t free_bit = hm_handle_is_free(handle) ? HM_HANDLE_FREE_BIT : 0;
    CHECK(hm_handle_equal(hm_handle_from_bits(outer.bits | free_bit), handle));
    CHECK(hm_handle_compare(handle, outer) == (free_bit != 0));
    CHECK(hm_handle_is_null(handle) == hm_handle_equal(handle, HM_NULL_HANDLE));
}

static void ask(void *state, const uint32_t arguments[3])
{
    hostile_model *hostile = state;
    hm_map *map = &hostile->model.map;
    hm_handle handle = hostile_handle(&hostile->model, arguments);
    word_handle word = {handle};
    void *item = hm_map_get(map, handle);
    bool ours = !hm_handle_is_null(handle) && !hm_handle_is_free(handle) &&
                hm_handle_type_id(handle) == hostile->model.desc.type_id;
    model_probe(&hostile->model, handle);
    check_handle_parts(handle);
    CHECK(hm_directory_find_map(&hostile->directory, handle) == (ours ? map : NULL));
    CHECK(hm_directory_get(&hostile->directory, handle) == item);
    CHECK(hm_directory_find_pool(&hostile->directory, handle) == NULL);
    /* The bits as an address: seldom one in an item, and then that item's. */
    const void *address = (const void *)(uintptr_t)handle.bits;
    hm_handle of_address = hm_directory_handle_of(&hostile->directory, address);
    const unsigned char *start = hm_map_get(map, of_address);
    CHECK((start == NULL) == hm_handle_is_null(of_address));
    CHECK(start == NULL || (uintptr_t)address - (uintptr_t)start < hostile->model.desc.item_size);
    CHECK(item == NULL ||
          hm_handle_equal(hm_directory_handle_of(&hostile->directory, item), handle));
    CHECK((void *)word_map_get(typed(hostile), word) == item);
    CHECK(word_map_contains(typed(hostile), word) == (item != NULL));
    CHECK(word_map_index_of(typed(hostile), word) == hm_map_index_of(map, handle));
}

static void erase_hostile(void *state, const uint32_t arguments[3])
{
    hostile_model *hostile = state;
    model_erase(&hostile->model, hostile_handle(&hostile->model, arguments));
}

/* Only handles that do not resolve, since the model would not know of another erase. */
static void erase_typed(void *state, const uint32_t arguments[3])
{
    hostile_model *hostile = state;
    word_handle word = {hostile_handle(&hostile->model, arguments)};
    if (model_find(&hostile->model, word.id) == NULL)
        CHECK(!word_map_erase(typed(hostile), word));
}

/* The handle is among handles that resolve, and there twice. */
static void erase_n_hostile(void *state, const uint32_t arguments[3])
{
    hostile_model *hostile = state;
    hm_handle handle = hostile_handle(&hostile->model, arguments);
    hm_handle live = model_pick(&hostile->model, 0, arguments[0], 0);
    hm_handle handles[] = {handle, live, handle, HM_NULL_HANDLE, live};
    model_erase_n(&hostile->model, handles, sizeof handles / sizeof *handles);
}

/* Changes only where the next defragment begins. */
static void touch(void *state, const uint32_t arguments[3])
{
    hostile_model *hostile = state;
    hm_map_touch(&hostile->model.map, hostile_handle(&hostile->model, arguments));
}

static const test_operation hostile_operations[] = {
    {"ask", 300, ask},
    {"erase", 60, erase_hostile},
    {"erase_typed", 60, erase_typed},
    {"erase_n", 20, erase_n_hostile},
    {"touch", 20, touch},
    {"insert", 150, insert},
    {"insert_n", 20, insert_n},
    {"clear", 5, clear},
    {"trim", 8, trim},
    {"age", 10, age},
    {"defragment", 20, defragment},
};

const test_subject hostile_subject = {
    .name = "hostile_handles",
    .operations = hostile_operations,
    .operation_count = sizeof hostile_operations / sizeof *hostile_operations,
    .begin = begin_hostile,
    .check = check_map,
    .end = end_hostile,
};
