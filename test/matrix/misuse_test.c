/* SPDX-License-Identifier: MIT */
/* Misuse of pointers to what is gone, for each container: AddressSanitizer reports it, since after
 * each operation of a random script exactly what is in use can be used; even if the library itself
 * was built without the sanitizer, as by checks/poison.sh. The scripts are those of the models. */
#include "kinds.h"

#include "support/index_model.h"
#include "support/lists_blocks.h"
#include "support/lists_model.h"
#include "support/map_model.h"
#include "support/misuse.h"
#include "support/pool_model.h"
#include "support/secondary_model.h"
#include "support/table_model.h"
#include "support/world_model.h"

#include "../../src/world/world_private.h"

enum {
    GROUP = 8, /* bytes; what shares them with something in use is not poisoned */
    NEAR = 512,
    STRIDE = 61 * GROUP, /* from one checked address to the next, further away */
    EPISODES = 80,
    EPISODE = 400 /* operations on one container */
};

static void check_used(const void *address, size_t size)
{
    CHECK(__asan_region_is_poisoned((void *)(uintptr_t)address, size) == NULL);
}

/* Nothing from `address` to `end` is in use. */
static void check_unused(const unsigned char *address, const unsigned char *end)
{
    const unsigned char *near = address + NEAR;
    address += (GROUP - (uintptr_t)address % GROUP) % GROUP;
    for (; address < end; address += address < near ? GROUP : STRIDE)
        CHECK(__asan_address_is_poisoned(address));
}

/* Of what is committed, the first bytes are in use. */
static void check_array(const hm_array *array, size_t used)
{
    if (array->committed_size == 0)
        return;
    check_used(array->data, used);
    check_unused(array->data + used, array->data + array->committed_size);
}

/* map, secondary: items and meta, values */

static void look_map(const dense_model *model)
{
    const hm_map *map = &model->map;
    check_array(&map->item_array, map->item_size * model->count);
    const hm_array *meta = map->extras != NULL ? &map->extras->meta_array : NULL;
    if (meta != NULL)
        check_array(meta, (size_t)meta->item_size * model->count);
}

static void look_values(const hm_secondary *secondary)
{
    check_array(&secondary->value_array, secondary->value_size * hm_secondary_count(secondary));
}

static void look_secondary(const secondary_model *model)
{
    look_values(&model->secondary);
}

/* table: whole cells; in groups, all lanes of each */

static void look_table(const dense_model *model)
{
    const hm_table *table = &model->table;
    uint32_t width = table->lanes != 0 ? table->lanes : 1;
    uint32_t groups = table->lanes != 0 ? hm_table_group_count(table) : model->count;
    for (uint32_t c = 0; c < model->table_desc.column_count; c++) {
        const hm_cells *cells = &table->columns[c];
        const hm_array *array = &table->arrays[table->lanes != 0 ? 0 : c];
        const unsigned char *first = cells->base;
        for (uint32_t group = 0; group < groups; group++)
            check_used(first + cells->stride * group, cells->size * width);
        if (array->committed_size != 0)
            check_unused((table->lanes != 0 ? array->data : first) + cells->stride * groups,
                         array->data + array->committed_size);
    }
}

/* pool: items; not holes that have memory, nor a place whose slot has just been spent */

/* Whether a slot's item would be at this place: its block has not been given back meanwhile. */
static bool has_place(const hm_pool *pool, uint32_t slot, const void *place)
{
    return place != NULL && /* else it never had one */
           (pool->places.storage == HM_POOL_ONE_RANGE ||
            hm_pool_block_of(&pool->places, slot) < pool->unit_array.limit) &&
           hm_pool_place_in(&pool->places, slot, pool->item_size) == place;
}

static void look_pool(const pool_model *model)
{
    static bool was_live[POOL_MODEL_SLOTS];
    const hm_pool *pool = &model->pool;
    size_t size = pool->item_size;
    for (uint32_t i = 0; i < model->end; i++) {
        bool is_open = (pool->words[i / HM_POOL_WORD].open >> i % HM_POOL_WORD & 1) != 0;
        bool has_ended = was_live[i] && model->tick != 1;
        const unsigned char *place = model->slots[i].place;
        was_live[i] = model->slots[i].is_live != 0;
        if (was_live[i])
            check_used(place, size);
        else if ((is_open || has_ended) && size % GROUP == 0 && has_place(pool, i, place))
            check_unused(place, place + size);
    }
    for (uint32_t i = model->end; i < POOL_MODEL_SLOTS; i++)
        was_live[i] = false;
}

/* lists, index: of a block, its head and its items */

static void look_blocks(const hm_lists_blocks *lists)
{
    size_t unit_size = (size_t)1 << lists->unit_shift;
    for (uint32_t unit = 1, size; unit < lists->end; unit += size) {
        size = size_of_block(lists, unit);
        const unsigned char *head = hm_lists_address(lists, unit), *items = head + unit_size;
        size_t used = lists->item_size * count_in_block(lists, unit);
        check_used(head, sizeof(hm_lists_block));
        check_used(items, used);
        check_unused(head + sizeof(hm_lists_block), items);
        check_unused(items + used, head + unit_size * size);
    }
    if (lists->unit_array.committed_size != 0)
        check_unused(hm_lists_address(lists, lists->end),
                     lists->unit_array.data + lists->unit_array.committed_size);
}

static void look_lists(const lists_model *model)
{
    look_blocks(&model->lists.blocks);
}

static void look_index(const index_model *model)
{
    look_values(&model->index.owners);
    look_blocks(&model->index.members);
}

/* world: values; not where one was before the last operation, nor behind the last in a chunk */

/* Without a capacity, memory that has been given back may be another container's by now. */
static bool is_in_reach(const hm_world *world, const void *address)
{
    uint32_t chunk;
    return !world->ids.slot_array.moves_to_grow ||
           hm_world_store_find(&world->store, address, &chunk);
}

static void look_world(const world_model *model)
{
    static unsigned char *was_at[WORLD_MODEL_KINDS][WORLD_MODEL_ENTITIES];
    const hm_world *world = &model->world;
    for (uint32_t c = 0; c < model->component_count; c++) {
        const world_model_component *component = &model->components[c];
        size_t size = component->of.size;
        for (uint32_t i = 0; i < WORLD_MODEL_ENTITIES; i++) {
            unsigned char *before = model->tick != 1 ? was_at[c][i] : NULL, *now = NULL;
            if (before != NULL && size % GROUP == 0 && is_in_reach(world, before) &&
                hm_handle_is_null(hm_world_handle_of(world, before, component->id)))
                check_unused(before, before + size);
            if (i < model->count)
                now = hm_world_get(world, model->entities[i].handle, component->id);
            if (now != NULL)
                check_used(now, size);
            was_at[c][i] = now;
        }
        if (component->of.is_sparse)
            look_values(hm_world_sparse(world, component->id - world->salt));
    }
}

#define SCRIPTS(kind)                                                                              \
    static void check_##kind(void *state)                                                          \
    {                                                                                              \
        kind##_subject.check(state);                                                               \
        look_##kind(state);                                                                        \
    }                                                                                              \
    TEST(kind##_misuse, exactly_what_is_in_use_can_be_used)                                        \
    {                                                                                              \
        test_subject subject = kind##_subject;                                                     \
        uint64_t random = test_seed(#kind " poison");                                              \
        subject.check = check_##kind;                                                              \
        if (test_run_given(&subject))                                                              \
            return;                                                                                \
        for (uint32_t i = test_scaled(EPISODES); i > 0; i--) {                                     \
            test_memory_use(i % 4 == 0 ? hm_memory_heap() : NULL);                                 \
            uint32_t begin[] = {(uint32_t)test_random(&random), (uint32_t)test_random(&random),    \
                                (uint32_t)test_random(&random)};                                   \
            test_run_random(&subject, begin, EPISODE, &random);                                    \
        }                                                                                          \
    }

SCRIPTS(map)
SCRIPTS(pool)
SCRIPTS(table)
SCRIPTS(secondary)
SCRIPTS(lists)
SCRIPTS(index)
SCRIPTS(world)

/* Without hooks, values of whole archetypes end at once. */
TEST(world_misuse, values_that_go_together_are_poisoned)
{
    enum { ENTITIES = 100, WAYS = 6 };
    for (int way = 0; way < WAYS; way++) {
        hm_world world;
        hm_handle entities[ENTITIES];
        const unsigned char *places[ENTITIES];
        CHECK(hm_world_init(&world, &(hm_world_desc){.capacity = 2 * ENTITIES}) == HM_OK);
        hm_component value = hm_world_component(&world, &(hm_component_desc){.size = 24});
        hm_component tag = hm_world_component(&world, &(hm_component_desc){.name = "tag"});
        CHECK(hm_world_create_n(&world, &value, 1, ENTITIES, NULL, entities) == HM_OK);
        for (int i = 0; i < ENTITIES; i++)
            places[i] = hm_world_get(&world, entities[i], value);
        check_unused(places[ENTITIES - 1] + 24, places[ENTITIES - 1] + 48);
        for (int i = ENTITIES; i-- > 0 && way < 3;)
            CHECK(way == 0   ? hm_world_destroy(&world, entities[i])
                  : way == 1 ? hm_world_add(&world, entities[i], tag, NULL) == HM_OK
                             : hm_world_remove(&world, entities[i], value, NULL) == HM_OK);
        if (way == 3)
            CHECK(hm_world_destroy_n(&world, entities, ENTITIES) == ENTITIES);
        if (way == 4)
            CHECK(hm_world_add_n(&world, entities, ENTITIES, tag, NULL) == HM_OK);
        if (way == 5)
            hm_world_clear(&world);
        for (int i = 0; i < ENTITIES; i++)
            check_unused(places[i], places[i] + 24);
        CHECK(hm_world_create_n(&world, &value, 1, ENTITIES, NULL, entities) == HM_OK);
        for (int i = 0; i < ENTITIES; i++)
            check_used(hm_world_get(&world, entities[i], value), 24);
        hm_world_fini(&world);
    }
}

/* What a program sees: the report of a read. The typed functions poison for themselves. */

HM_MAP_DEFINE(particle, particle, 4)
HM_POOL_DEFINE_FOR(particle, particle, 5)
HM_SECONDARY_DEFINE(particle, particle, particle)
HM_LISTS_DEFINE_FOR(particle, particle, 6)

/* The place is that of the last of three items; it can be used until the call. */
#define REPORTED(kind, what, make, place, call)                                                    \
    DEATH_TEST(kind##_misuse, what##_is_reported)                                                  \
    {                                                                                              \
        particle_##kind made;                                                                      \
        particle_handle last = {hm_handle_pack(2, 1, 0)};                                          \
        CHECK(particle_##kind##_init(&made, 10) == HM_OK);                                         \
        make;                                                                                      \
        const particle *stale = (place);                                                           \
        CHECK(read_word(stale->words) == 0);                                                       \
        call;                                                                                      \
        expect_report();                                                                           \
        read_word(stale->words);                                                                   \
    }

#define INSERT(kind)                                                                               \
    for (int i = 0; i < 3; i++)                                                                    \
    last = particle_##kind##_insert(&made, NULL)

REPORTED(map, an_item_that_was_erased, INSERT(map), particle_map_get(&made, last),
         particle_map_erase(&made, last))
REPORTED(map, an_item_that_has_moved, INSERT(map), particle_map_get(&made, last),
         particle_map_erase_at(&made, 0))
REPORTED(map, an_item_of_a_cleared_one, INSERT(map), particle_map_get(&made, last),
         particle_map_clear(&made))
REPORTED(map, a_loop_past_the_last_item, INSERT(map), particle_map_get(&made, last), stale++)
REPORTED(pool, an_item_that_was_erased, INSERT(pool), particle_pool_get(&made, last),
         particle_pool_erase(&made, last))
REPORTED(pool, a_loop_past_the_last_item, INSERT(pool), particle_pool_get(&made, last), stale++)

#define SET                                                                                        \
    for (uint32_t i = 0; i < 3; i++)                                                               \
    particle_secondary_set(&made, (particle_handle){hm_handle_pack(i, 1, 0)}, NULL)

REPORTED(secondary, a_value_that_was_removed, SET, particle_secondary_get(&made, last),
         particle_secondary_remove(&made, last))
REPORTED(secondary, a_loop_past_the_last_value, SET, particle_secondary_get(&made, last), stale++)

#define PUSH                                                                                       \
    last = particle_lists_create(&made);                                                           \
    for (int i = 0; i < 3; i++)                                                                    \
    particle_lists_push(&made, last, NULL)

REPORTED(lists, an_item_that_was_erased, PUSH, particle_lists_items(&made, last, NULL) + 2,
         particle_lists_erase_at(&made, last, 0))
REPORTED(lists, an_item_of_a_list_that_was_destroyed, PUSH,
         particle_lists_items(&made, last, NULL) + 2, particle_lists_destroy(&made, last))
REPORTED(lists, a_loop_past_the_last_item, PUSH, particle_lists_items(&made, last, NULL) + 2,
         stale++)

TEST(memory_misuse, of_a_range_of_the_heap_exactly_what_is_committed_can_be_used)
{
    const hm_memory *memory = hm_memory_heap();
    unsigned char *bytes = memory->reserve(memory->context, 256);
    CHECK(bytes != NULL);
    check_unused(bytes, bytes + 256);
    CHECK(memory->commit(memory->context, bytes + 64, 64));
    check_unused(bytes, bytes + 64);
    check_used(bytes + 64, 64);
    check_unused(bytes + 128, bytes + 256);
    CHECK(memory->decommit(memory->context, bytes + 64, 64));
    check_unused(bytes, bytes + 256);
    memory->release(memory->context, bytes, 256);
}

DEATH_TEST(array_misuse, an_item_that_was_popped_is_reported)
{
    hm_array array;
    CHECK(hm_array_init(&array, &(hm_array_desc){.item_size = 8}) == HM_OK);
    hm_array_push(&array);
    const uint64_t *stale = hm_array_push(&array);
    CHECK(read_word(stale) == 0);
    hm_array_pop(&array);
    expect_report();
    read_word(stale);
}

TEST(array_misuse, exactly_the_items_can_be_used)
{
    hm_array array;
    CHECK(hm_array_init(&array, &(hm_array_desc){.item_size = 8}) == HM_OK);
    for (size_t count = 1000; count != 0; count /= 3) {
        CHECK(hm_array_resize(&array, count) == HM_OK);
        check_array(&array, 8 * count);
        CHECK(hm_array_reserve(&array, 5000) == HM_OK && hm_array_push(&array) != NULL);
        check_array(&array, 8 * (count + 1));
        CHECK(hm_array_trim(&array) == HM_OK);
        check_array(&array, 8 * (count + 1));
    }
    hm_array_fini(&array);
}
