/* SPDX-License-Identifier: MIT */
/* The dense model of a map: what its items and their meta are. */
#include "map_model.h"

#include "layout.h"
#include "reload.h"

#include <handle_map/directory.h>

#include <stdlib.h>
#include <string.h>

enum {
    SMALL = 64,       /* bytes; up to this size all items are compared after each operation */
    STRIDE = 32,      /* above, each item after this many operations */
    MOST_BYTES = 5000 /* of an item */
};

/* items: the pattern of the value; meta: the opposite pattern */

static const void *item_at(const dense_model *model, uint32_t position)
{
    return (unsigned char *)hm_map_items(&model->map) + model->map_desc.item_size * position;
}

static size_t item_size(const dense_model *model)
{
    return model->map_desc.item_size;
}

static uint32_t index_of(const dense_model *model, hm_handle handle)
{
    return hm_map_index_of(&model->map, handle);
}

static hm_handle handle_of(const dense_model *model, const void *item)
{
    return hm_map_handle_of(&model->map, item);
}

static bool has_pattern(const void *bytes, size_t size, bool is_zero, uint64_t value)
{
    return is_zero ? test_bytes_are(bytes, size, 0) : test_item_is(bytes, size, value);
}

static bool holds(const dense_model *model, const dense_slot *record, uint32_t position)
{
    const void *meta = hm_map_meta_at(&model->map, position);
    size_t size = model->map_desc.item_size, meta_size = model->map_desc.meta_size;
    bool is_sampled = size <= SMALL || (position + model->tick) % STRIDE == 0;
    if (is_sampled &&
        !has_pattern(item_at(model, position), size, (record->zeros & 1) != 0, record->value))
        return false;
    return meta_size == 0 ? meta == NULL
                          : has_pattern(meta, meta_size, (record->zeros & DENSE_MODEL_META) != 0,
                                        ~record->value);
}

static void write(dense_model *model, const dense_slot *record, uint32_t position)
{
    size_t meta_size = model->map_desc.meta_size;
    test_item_fill((void *)item_at(model, position), model->map_desc.item_size, record->value);
    if (meta_size != 0)
        test_item_fill(hm_map_meta_at(&model->map, position), meta_size, ~record->value);
}

/* calls */

static void destroyed(void *item, void *context)
{
    dense_model *model = context;
    if (test_reload_counts(item, model->map_desc.item_size))
        return;
    hm_handle handle = hm_map_handle_of(&model->map, item);
    CHECK(hm_map_get(&model->map, handle) == item);
    dense_model_destroyed(model, hm_map_index_of(&model->map, handle));
}

static void relocated(void *item, uint32_t from, uint32_t to, void *context)
{
    dense_model *model = context;
    CHECK(item == item_at(model, to));
    CHECK(hm_map_handle_of(&model->map, item).bits == hm_map_handle_at(&model->map, to).bits);
    dense_model_relocated(model, from, to);
}

static bool is_doomed(const void *item, void *context)
{
    dense_model *model = context;
    CHECK(item == item_at(model, model->asked));
    return dense_model_is_doomed(model, model->asked);
}

static hm_handle insert(dense_model *model, dense_way way, uint32_t zeros, uint64_t value)
{
    unsigned char item[MOST_BYTES];
    void *place = item;
    (void)zeros;
    test_item_fill(item, model->map_desc.item_size, value);
    if (way == DENSE_ADOPT) {
        model->adopted = hm_map_adopt(&model->map, model->adoptee, item);
        return model->adopted == HM_OK ? model->adoptee : HM_NULL_HANDLE;
    }
    if (way != DENSE_EMPLACE)
        return hm_map_insert(&model->map, way == DENSE_COPY ? item : NULL);
    hm_handle handle = hm_map_emplace(&model->map, &place);
    CHECK(hm_handle_is_null(handle) == (place == NULL));
    if (place != NULL)
        memcpy(place, item, model->map_desc.item_size);
    return handle;
}

static hm_status insert_n(dense_model *model, uint32_t n, uint32_t zeros, const uint64_t *values,
                          hm_handle *handles)
{
    static unsigned char items[DENSE_MODEL_BATCH * MOST_BYTES];
    size_t size = model->map_desc.item_size;
    for (uint32_t i = 0; i < n && zeros != UINT32_MAX; i++)
        test_item_fill(items + size * i, size, values[i]);
    return hm_map_insert_n(&model->map, zeros != UINT32_MAX ? items : NULL, n, handles);
}

static uint32_t erase_if(dense_model *model)
{
    return hm_map_erase_if(&model->map, is_doomed, model);
}

static hm_progress defragment(dense_model *model, const hm_order *order, hm_frame_budget *budget)
{
    return hm_map_defragment(&model->map, order, budget);
}

static uint32_t bound(const dense_model *model, bool upper, const hm_order *order)
{
    return upper ? hm_map_upper_bound(&model->map, order, model->probe)
                 : hm_map_lower_bound(&model->map, order, model->probe);
}

static void probe(const dense_model *model, hm_handle handle, uint32_t position)
{
    const void *item = position != HM_INVALID_INDEX ? item_at(model, position) : NULL;
    void *found = &found;
    CHECK(hm_map_get(&model->map, handle) == item);
    CHECK(hm_map_get_n(&model->map, &handle, 1, &found) == (item != NULL) && found == item);
    if (item != NULL)
        CHECK(hm_map_handle_of(&model->map, item).bits == handle.bits);
}

static void check(const dense_model *model, uint32_t random)
{
    (void)random;
    CHECK(hm_map_meta_at(&model->map, model->count) == NULL);
}

static void check_busy(dense_model *model)
{
    void *place = model;
    CHECK(hm_handle_is_null(hm_map_emplace(&model->map, &place)) && place == NULL);
    CHECK(hm_map_erase_if(&model->map, is_doomed, NULL) == 0);
}

static const dense_kind map_kind = {
    .insert = insert,
    .insert_n = insert_n,
    .erase_if = erase_if,
    .defragment = defragment,
    .bound = bound,
    .index_of = index_of,
    .handle_of = handle_of,
    .item_at = item_at,
    .item_size = item_size,
    .holds = holds,
    .write = write,
    .probe = probe,
    .check = check,
    .check_busy = check_busy,
};

hm_status map_model_init(dense_model *model, const hm_map_desc *desc, size_t page_size,
                         bool destroy, bool relocate)
{
    uint32_t most = desc->capacity != 0 ? desc->capacity : desc->max_slots;
    dense_model_init(model, &map_kind, most, desc->max_slots, desc->type_id, page_size);
    model->has_destroy = destroy;
    model->has_relocate = relocate;
    model->map_desc = *desc;
    model->map_desc.destroy = destroy ? destroyed : NULL;
    model->map_desc.relocate = relocate ? relocated : NULL;
    model->map_desc.context = model;
    model->map_desc.memory = &model->memory.table;
    model->map_desc.name = "model";
    return hm_map_init(&model->map, &model->map_desc);
}

/* Kinds of maps: mostly small ones, some with tiny index spaces, some with thousands of items; but
 * not of large items. */
static hm_map_desc describe(uint32_t shape, uint32_t hooks, size_t size)
{
    static const uint32_t capacities[] = {1, 2, 4, 16, 40, 64, 64, 100};
    static const uint32_t spares[] = {0, 1, 3, 20, 600};
    static const size_t metas[] = {0, 0, 0, 1, 3, 8, 24};
    hm_map_desc desc = {.item_size = size,
                        .capacity = capacities[shape % 8],
                        .meta_size = metas[shape / 8 % 7],
                        .type_id = (uint16_t)(hooks / 16 & HM_HANDLE_MAX_TYPE_ID)};
    if (shape / 280 % 24 == 23 && size <= SMALL)
        desc.capacity = DENSE_MODEL_ITEMS;
    desc.max_slots = desc.capacity + spares[shape / 56 % 5];
    if (shape / (280 * 24) % 2 == 1 && desc.max_slots <= DENSE_MODEL_ITEMS)
        desc.capacity = 0; /* It has no limit but its slots, and moves as it grows. */
    if (hooks / 4 % 4 == 0)
        desc.type_id = 0;
    if (hooks / 4 % 4 == 1)
        desc.type_id = HM_HANDLE_MAX_TYPE_ID;
    return desc;
}

/* Arguments: layout; shape; hooks and type id. */
static void *begin(const uint32_t arguments[3])
{
    test_layout layout = test_layout_at(arguments[0] % test_layout_count());
    hm_map_desc desc = describe(arguments[1], arguments[2], layout.item_size);
    dense_model *model = calloc(1, sizeof *model);
    CHECK(model != NULL);
    desc.item_align = layout.item_align;
    CHECK(map_model_init(model, &desc, layout.page_size, arguments[2] & 1, arguments[2] & 2) ==
          HM_OK);
    return model;
}

static const test_operation map_operations[] = {
    DENSE_ROW(insert, 280),  DENSE_ROW(insert_n, 40), DENSE_ROW(insert_burst, 5),
    DENSE_ROW(reserve, 5),   DENSE_ROW(erase, 230),   DENSE_ROW(erase_n, 20),
    DENSE_ROW(erase_if, 8),  DENSE_ROW(clear, 4),     DENSE_ROW(trim, 10),
    DENSE_ROW(edit, 60),     DENSE_ROW(probe, 30),    DENSE_ROW(defragment, 64),
    DENSE_ROW(touch, 10),    DENSE_ROW(lie, 8),       DENSE_ROW(age, 3),
    DENSE_ROW(refuse, 50),   DENSE_ROW(arrange, 30),  DENSE_ROW(erase_set, 5),
    DENSE_ROW(touch_all, 4), DENSE_ROW(adopt, 40),    DENSE_ROW(reload, 10),
};

TEST_SUBJECT(map_subject, "map", map_operations, begin, dense_model_check, dense_model_end);

/* The operations of a map that concern order, mostly with orders that lie. */
static const test_operation lying_operations[] = {
    DENSE_ROW(defragment, 220), DENSE_ROW(insert, 100),  DENSE_ROW(lie, 60),
    DENSE_ROW(insert_n, 20),    DENSE_ROW(erase, 90),    DENSE_ROW(erase_if, 5),
    DENSE_ROW(clear, 2),        DENSE_ROW(edit, 60),     DENSE_ROW(trim, 5),
    DENSE_ROW(arrange, 20),     DENSE_ROW(touch_all, 4),
};

TEST_SUBJECT(lying_subject, "lying_orders", lying_operations, begin, dense_model_check,
             dense_model_end);

/* Hostile handles: any 64 bits, given to every function that takes a handle. The items have 8
 * bytes, so that the typed functions can be tested as well. */
HM_MAP_DEFINE(word, uint64_t, 0)

typedef struct hostile_model {
    dense_model model; /* first, so that the map's operations work on a hostile one too */
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
    hostile_model *hostile = calloc(1, sizeof *hostile);
    CHECK(hostile != NULL);
    CHECK(map_model_init(&hostile->model, &desc, hm_memory_os()->page_size, arguments[2] & 1,
                         arguments[2] & 2) == HM_OK);
    CHECK(hm_directory_init(&hostile->directory, NULL) == HM_OK);
    CHECK(hm_directory_add_map(&hostile->directory, &hostile->model.map) == HM_OK);
    return hostile;
}

static void end_hostile(void *state)
{
    hostile_model *hostile = state;
    CHECK(hm_directory_remove_map(&hostile->directory, &hostile->model.map));
    hm_directory_fini(&hostile->directory);
    dense_model_end(&hostile->model);
}

/* Two arguments are 64 bits; the first chooses a handle (none, a live one, a stale one, an entry of
 * the id table), and whether all bits are XORed with it or they choose one bit. */
static hm_handle hostile_handle(const dense_model *model, const uint32_t arguments[3])
{
    static const uint32_t kinds[] = {10, 0, 8, 14};
    uint32_t way = arguments[0] % 8, which = arguments[0] / 8;
    uint64_t bits = (uint64_t)arguments[1] << 32 | arguments[2];
    if (way >= 4)
        bits = UINT64_C(1) << bits % 64;
    return hm_handle_from_bits(dense_model_pick(model, kinds[way % 4], which, 0).bits ^ bits);
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
                hm_handle_type_id(handle) == hostile->model.type_id;
    dense_model_refuse(&hostile->model, handle);
    check_handle_parts(handle);
    CHECK(hm_directory_find_map(&hostile->directory, handle) == (ours ? map : NULL));
    CHECK(hm_directory_get(&hostile->directory, handle) == item);
    CHECK(hm_directory_find_pool(&hostile->directory, handle) == NULL);
    /* The bits as an address: seldom one in an item, and then that item's. */
    const void *address = (const void *)(uintptr_t)handle.bits;
    hm_handle of_address = hm_directory_handle_of(&hostile->directory, address);
    const unsigned char *start = hm_map_get(map, of_address);
    CHECK((start == NULL) == hm_handle_is_null(of_address));
    CHECK(start == NULL || (uintptr_t)address - (uintptr_t)start < sizeof(uint64_t));
    CHECK(item == NULL ||
          hm_handle_equal(hm_directory_handle_of(&hostile->directory, item), handle));
    CHECK((void *)word_map_get(typed(hostile), word) == item);
    CHECK(word_map_contains(typed(hostile), word) == (item != NULL));
    CHECK(word_map_index_of(typed(hostile), word) == hm_map_index_of(map, handle));
    CHECK(item != NULL || !word_map_erase(typed(hostile), word));
}

static void erase_hostile(void *state, const uint32_t arguments[3])
{
    hm_handle handle = hostile_handle(state, arguments);
    dense_model_erase(state, handle, handle.bits % 2 != 0);
}

/* The handle is among handles that resolve, and there twice. */
static void erase_n_hostile(void *state, const uint32_t arguments[3])
{
    hm_handle handle = hostile_handle(state, arguments);
    hm_handle live = dense_model_pick(state, 0, arguments[0], 0);
    hm_handle handles[] = {handle, live, handle, HM_NULL_HANDLE, live};
    dense_model_erase_n(state, handles, sizeof handles / sizeof *handles);
}

/* Those of a handle change nothing, or erase. */
static const test_operation hostile_operations[] = {
    {"ask", 380, ask},      {"erase", 60, erase_hostile}, {"erase_n", 20, erase_n_hostile},
    DENSE_ROW(insert, 150), DENSE_ROW(insert_n, 20),      DENSE_ROW(clear, 5),
    DENSE_ROW(trim, 8),     DENSE_ROW(age, 10),           DENSE_ROW(defragment, 20),
};

TEST_SUBJECT(hostile_subject, "hostile_handles", hostile_operations, begin_hostile,
             dense_model_check, end_hostile);
