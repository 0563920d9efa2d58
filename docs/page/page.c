/* SPDX-License-Identifier: MIT */
/* page: what the page calls. The library itself, compiled to WebAssembly, with four containers: a
 * small map that is drawn with all its parts, a map of many items that is kept in order, a pool,
 * and a world; a table and a history are in other sources. */
#include "page.h"

/* Memory in pages of 64 bytes, so that the small map has pages to give back. Each range is reserved
 * once, when the page begins. */
enum { PAGE_SIZE = 64, PAGE_RANGES = 16, PAGE_RANGE_SIZE = 16384 };

static _Alignas(HM_MEMORY_ALIGNMENT) unsigned char page_bytes[PAGE_RANGES][PAGE_RANGE_SIZE];
static bool page_is_taken[PAGE_RANGES];

static void *page_reserve(void *context, size_t size)
{
    (void)context;
    for (int i = 0; i < PAGE_RANGES && size <= PAGE_RANGE_SIZE; i++)
        if (!page_is_taken[i]) {
            page_is_taken[i] = true;
            return page_bytes[i];
        }
    return NULL;
}

static void page_release(void *context, void *address, size_t size)
{
    (void)context;
    (void)size;
    for (int i = 0; i < PAGE_RANGES; i++)
        if (address == page_bytes[i])
            page_is_taken[i] = false;
}

static bool page_commit(void *context, void *address, size_t size)
{
    (void)context;
    memset(address, 0, size);
    return true;
}

static bool page_decommit(void *context, void *address, size_t size)
{
    (void)context;
    (void)address;
    (void)size;
    return true;
}

static const hm_memory page_memory = {.reserve = page_reserve,
                                      .commit = page_commit,
                                      .decommit = page_decommit,
                                      .release = page_release,
                                      .page_size = PAGE_SIZE,
                                      .has_scarce_addresses = true};

static uint64_t small_seed, swarm_seed, grid_seed, world_seed;

const char *PAGE_EXPORT(last_error)(void)
{
    return hm_last_error();
}

/* The small map. Its items are numbers, their meta counts how often each was looked up. The program
 * remembers every handle that it ever got. */

enum { SMALL_CAPACITY = 24, SMALL_HELD = 4096 };

static hm_map small;
static hm_handle small_held[SMALL_HELD];
static uint32_t small_held_count;
static char small_text[200];

static uint64_t small_key(const void *item, void *context)
{
    (void)context;
    const uint32_t *number = item;
    return *number;
}

static const hm_order small_order = {.key = small_key};

void PAGE_EXPORT(small_begin)(void)
{
    const hm_map_desc desc = {.item_size = sizeof(uint32_t),
                              .capacity = SMALL_CAPACITY,
                              .max_slots = 4 * SMALL_CAPACITY,
                              .type_id = 3,
                              .meta_size = sizeof(uint32_t),
                              .memory = &page_memory,
                              .name = "number"};
    small_seed = 7;
    hm_map_fini(&small);
    small_held_count = 0;
    (void)hm_map_init(&small, &desc);
}

/* Returns the number of the handle among those held, or -1. */
int32_t PAGE_EXPORT(small_insert)(void)
{
    uint32_t number = 10 + page_random(&small_seed, 90);
    hm_handle made = hm_map_insert(&small, &number);
    if (hm_handle_is_null(made) || small_held_count == SMALL_HELD)
        return -1;
    small_held[small_held_count] = made;
    return (int32_t)small_held_count++;
}

bool PAGE_EXPORT(small_erase)(uint32_t held)
{
    return hm_map_erase(&small, small_held[held]);
}

/* Returns the dense index, or -1. */
int32_t PAGE_EXPORT(small_look_up)(uint32_t held)
{
    uint32_t index = hm_map_index_of(&small, small_held[held]);
    uint32_t *looked_up = hm_map_meta_at(&small, index);
    if (looked_up == NULL)
        return -1;
    ++*looked_up;
    return (int32_t)index;
}

void PAGE_EXPORT(small_clear)(void)
{
    hm_map_clear(&small);
}

bool PAGE_EXPORT(small_trim)(void)
{
    return hm_map_trim(&small) == HM_OK;
}

/* One swap nearer to the order: 0 when nothing is left to do, 1 after a swap, 2 when done by it. */
uint32_t PAGE_EXPORT(small_step)(void)
{
    hm_progress progress = {0};
    while (progress.swaps == 0 && !progress.done && progress.status == HM_OK)
        progress =
            hm_map_defragment(&small, &small_order, &(hm_frame_budget){1, HM_NO_LIMIT, false});
    return progress.swaps == 0 ? 0 : progress.done ? 2 : 1;
}

uint32_t PAGE_EXPORT(small_count)(void)
{
    return hm_map_count(&small);
}

uint32_t PAGE_EXPORT(small_slots)(void)
{
    return hm_map_get_stats(&small).slots;
}

/* The sparse table as it is in memory. */
uint64_t PAGE_EXPORT(small_entry)(uint32_t slot)
{
    return small.ids.entries[slot].bits;
}

uint32_t PAGE_EXPORT(small_number_at)(uint32_t index)
{
    const uint32_t *numbers = hm_map_items(&small);
    return numbers[index];
}

uint32_t PAGE_EXPORT(small_meta_at)(uint32_t index)
{
    const uint32_t *looked_up = hm_map_meta_at(&small, index);
    return looked_up == NULL ? 0 : *looked_up;
}

uint32_t PAGE_EXPORT(small_committed)(void)
{
    return (uint32_t)hm_map_get_stats(&small).committed_size;
}

uint32_t PAGE_EXPORT(small_held_end)(void)
{
    return small_held_count;
}

uint64_t PAGE_EXPORT(small_handle)(uint32_t held)
{
    return small_held[held].bits;
}

bool PAGE_EXPORT(small_lives)(uint32_t held)
{
    return hm_map_contains(&small, small_held[held]);
}

const char *PAGE_EXPORT(small_describe)(uint32_t held)
{
    (void)hm_map_describe(&small, small_held[held], small_text, sizeof small_text);
    return small_text;
}

bool PAGE_EXPORT(small_is_valid)(void)
{
    return hm_map_validate(&small) == HM_OK;
}

/* The swarm: many items that are replaced all the time, and brought into the order of their keys a
 * little in each frame. A pixel for each item, in dense order, coloured by its key. */

struct swarm_item {
    uint32_t key; /* below 65,536 */
    uint32_t padding[3];
};

enum { SWARM_WIDTH = 400, SWARM_HEIGHT = 250, SWARM_COUNT = SWARM_WIDTH * SWARM_HEIGHT };

static hm_map swarm;
static hm_progress swarm_progress;
static uint32_t swarm_picture[SWARM_COUNT], swarm_colours[256];

static int swarm_compare(const void *a, const void *b, void *context)
{
    (void)context;
    const struct swarm_item *left = a, *right = b;
    return (left->key > right->key) - (left->key < right->key);
}

static uint64_t swarm_key(const void *item, void *context)
{
    (void)context;
    return ((const struct swarm_item *)item)->key;
}

/* From dark blue over green to yellow. */
static void swarm_make_colours(void)
{
    static const unsigned char stops[5][3] = {
        {48, 18, 90}, {38, 84, 148}, {22, 148, 138}, {112, 200, 78}, {252, 228, 60}};
    for (unsigned i = 0; i < 256; i++) {
        unsigned stop = i / 64, part = i % 64;
        uint32_t colour = UINT32_C(0xFF) << 24;
        for (unsigned c = 0; c < 3; c++)
            colour |= (stops[stop][c] * (64 - part) + stops[stop + 1][c] * part) / 64 << 8 * c;
        swarm_colours[i] = colour;
    }
}

static void swarm_insert(void)
{
    struct swarm_item item = {.key = page_random(&swarm_seed, 65536)};
    hm_map_insert(&swarm, &item);
}

bool PAGE_EXPORT(swarm_begin)(void)
{
    const hm_map_desc desc = {.item_size = sizeof(struct swarm_item),
                              .capacity = SWARM_COUNT,
                              .type_id = 4,
                              .name = "swarm"};
    swarm_seed = 11;
    hm_map_fini(&swarm);
    swarm_make_colours();
    if (hm_map_init(&swarm, &desc) != HM_OK)
        return false;
    for (uint32_t i = 0; i < SWARM_COUNT; i++)
        swarm_insert();
    return hm_map_count(&swarm) == SWARM_COUNT;
}

/* Replaces `churn` items, and spends a budget of so many swaps and compares. */
void PAGE_EXPORT(swarm_frame)(uint32_t churn, uint32_t swaps, uint32_t compares, bool by_key)
{
    const hm_order order = {.compare = by_key ? NULL : swarm_compare,
                            .key = by_key ? swarm_key : NULL};
    for (uint32_t i = 0; i < churn; i++)
        hm_map_erase_at(&swarm, page_random(&swarm_seed, hm_map_count(&swarm)));
    for (uint32_t i = 0; i < churn; i++)
        swarm_insert();
    hm_frame_budget budget = hm_frame_budget_of(swaps, compares);
    swarm_progress = hm_map_defragment(&swarm, &order, &budget);
}

uint32_t PAGE_EXPORT(swarm_swaps)(void)
{
    return (uint32_t)swarm_progress.swaps;
}

uint32_t PAGE_EXPORT(swarm_compares)(void)
{
    return (uint32_t)swarm_progress.compares;
}

bool PAGE_EXPORT(swarm_is_done)(void)
{
    return swarm_progress.done;
}

uint32_t PAGE_EXPORT(swarm_width)(void)
{
    return SWARM_WIDTH;
}

uint32_t PAGE_EXPORT(swarm_height)(void)
{
    return SWARM_HEIGHT;
}

uint32_t PAGE_EXPORT(swarm_key_at)(uint32_t index)
{
    const struct swarm_item *items = hm_map_items(&swarm);
    return items[index].key;
}

/* How many adjacent items are in order, in 1/1000. */
uint32_t PAGE_EXPORT(swarm_order)(void)
{
    const struct swarm_item *items = hm_map_items(&swarm);
    uint32_t in_order = 0;
    for (uint32_t i = 1; i < SWARM_COUNT; i++)
        in_order += items[i - 1].key <= items[i].key;
    return (uint32_t)((uint64_t)in_order * 1000 / (SWARM_COUNT - 1));
}

/* Returns the picture, 4 bytes a pixel: red, green, blue, opaque. */
const uint32_t *PAGE_EXPORT(swarm_draw)(void)
{
    const struct swarm_item *items = hm_map_items(&swarm);
    for (uint32_t i = 0; i < SWARM_COUNT; i++)
        swarm_picture[i] = swarm_colours[items[i].key >> 8];
    return swarm_picture;
}

bool PAGE_EXPORT(swarm_is_valid)(void)
{
    return hm_map_validate(&swarm) == HM_OK;
}

/* The pool: places that are live, holes, or never used. */

enum { GRID_CAPACITY = 512 };

static hm_pool grid;

void PAGE_EXPORT(grid_begin)(void)
{
    const hm_pool_desc desc = {.item_size = sizeof(uint64_t),
                               .capacity = GRID_CAPACITY,
                               .max_slots = GRID_CAPACITY,
                               .type_id = 5,
                               .memory = NULL,
                               .name = "grid"};
    grid_seed = 13;
    hm_pool_fini(&grid);
    (void)hm_pool_init(&grid, &desc);
}

/* Returns the index of the new item, or -1. */
int32_t PAGE_EXPORT(grid_insert)(void)
{
    hm_handle made = hm_pool_insert(&grid, NULL);
    return hm_handle_is_null(made) ? -1 : (int32_t)hm_handle_index(made);
}

bool PAGE_EXPORT(grid_erase)(uint32_t index)
{
    return hm_pool_erase_at(&grid, index);
}

static bool grid_is_unlucky(const void *item, void *context)
{
    (void)item;
    (void)context;
    return page_random(&grid_seed, 2) == 0;
}

uint32_t PAGE_EXPORT(grid_erase_half)(void)
{
    return hm_pool_erase_if(&grid, grid_is_unlucky, NULL);
}

void PAGE_EXPORT(grid_clear)(void)
{
    hm_pool_clear(&grid);
}

uint32_t PAGE_EXPORT(grid_count)(void)
{
    return hm_pool_count(&grid);
}

uint32_t PAGE_EXPORT(grid_capacity)(void)
{
    return GRID_CAPACITY;
}

/* 0: never used; 1: a hole; 2: live. */
uint32_t PAGE_EXPORT(grid_state)(uint32_t index)
{
    if (hm_pool_item_at(&grid, index) != NULL)
        return 2;
    return index < hm_pool_get_stats(&grid).slots;
}

uint32_t PAGE_EXPORT(grid_generation)(uint32_t index)
{
    return hm_handle_generation(hm_pool_handle_at(&grid, index));
}

/* Runs that a loop over the pool visits. */
uint32_t PAGE_EXPORT(grid_runs)(void)
{
    uint32_t runs = 0, length;
    for (uint32_t i = hm_pool_next_run(&grid, 0, &length); i != HM_INVALID_INDEX;
         i = hm_pool_next_run(&grid, i + length, &length))
        runs++;
    return runs;
}

bool PAGE_EXPORT(grid_is_valid)(void)
{
    return hm_pool_validate(&grid) == HM_OK;
}

/* The world: entities with any of three components. Its rows are listed as a query visits them,
 * archetype after archetype. */

enum { WORLD_COMPONENTS = 3, WORLD_CAPACITY = 12 };

static const char *const world_names[WORLD_COMPONENTS] = {"position", "velocity", "health"};
static hm_world world;
static hm_query world_query; /* visits all entities */
static hm_component world_components[WORLD_COMPONENTS];
static hm_handle world_rows[WORLD_CAPACITY];
static uint32_t world_row_count;
static char world_text[200];

static void world_list_rows(void)
{
    hm_query_loop loop;
    hm_view view;
    world_row_count = 0;
    hm_query_begin(&world_query, &loop);
    while (hm_query_next(&loop, &view))
        for (uint32_t i = 0; i < view.count; i++)
            world_rows[world_row_count++] = view.entities[i];
}

void PAGE_EXPORT(world_begin)(void)
{
    const hm_world_desc desc = {.capacity = WORLD_CAPACITY, .type_id = 6, .name = "world"};
    world_seed = 17;
    hm_query_fini(&world_query);
    hm_world_fini(&world);
    (void)hm_world_init(&world, &desc);
    for (uint32_t i = 0; i < WORLD_COMPONENTS; i++) {
        const hm_component_desc component = {.size = sizeof(uint32_t), .name = world_names[i]};
        world_components[i] = hm_world_component(&world, &component);
    }
    (void)hm_query_init(&world_query, &world, &(hm_query_desc){0});
    world_list_rows();
}

/* Bit i of `bits`: whether the entity gets component i. Returns its slot, or -1. */
int32_t PAGE_EXPORT(world_create)(uint32_t bits)
{
    hm_component set[WORLD_COMPONENTS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < WORLD_COMPONENTS; i++)
        if ((bits >> i & 1) != 0)
            set[n++] = world_components[i];
    hm_handle entity = hm_world_create(&world, set, n);
    for (uint32_t i = 0; i < n && !hm_handle_is_null(entity); i++)
        *(uint32_t *)hm_world_get(&world, entity, set[i]) = 10 + page_random(&world_seed, 90);
    world_list_rows();
    return hm_handle_is_null(entity) ? -1 : (int32_t)hm_handle_index(entity);
}

bool PAGE_EXPORT(world_destroy)(uint32_t row)
{
    hm_handle entity = world_rows[row];
    bool was_alive = hm_world_destroy(&world, entity);
    world_list_rows();
    return was_alive;
}

/* Adds a component, or takes it away if the entity has it. */
bool PAGE_EXPORT(world_change)(uint32_t row, uint32_t number)
{
    hm_handle entity = world_rows[row];
    hm_component component = world_components[number];
    uint32_t value = 10 + page_random(&world_seed, 90);
    hm_status status = hm_world_has(&world, entity, component)
                           ? hm_world_remove(&world, entity, component, NULL)
                           : hm_world_add(&world, entity, component, &value);
    world_list_rows();
    return status == HM_OK;
}

uint32_t PAGE_EXPORT(world_count)(void)
{
    return world_row_count;
}

uint64_t PAGE_EXPORT(world_handle)(uint32_t row)
{
    return world_rows[row].bits;
}

/* Returns the value of a component, or -1 if the entity does not have it. */
int32_t PAGE_EXPORT(world_value)(uint32_t row, uint32_t number)
{
    const uint32_t *value = hm_world_get(&world, world_rows[row], world_components[number]);
    return value == NULL ? -1 : (int32_t)*value;
}

const char *PAGE_EXPORT(world_name)(uint32_t number)
{
    return world_names[number];
}

const char *PAGE_EXPORT(world_describe)(uint32_t row)
{
    (void)hm_world_describe(&world, world_rows[row], world_text, sizeof world_text);
    return world_text;
}

bool PAGE_EXPORT(world_is_valid)(void)
{
    return hm_world_validate(&world) == HM_OK && world_row_count == hm_world_count(&world);
}

/* The report of the page's containers. */

enum { REPORT_SIZE = 65536 };

static hm_report_entry report_entries[6];
static unsigned char report_bytes[REPORT_SIZE];

void PAGE_EXPORT(report_begin)(void)
{
    (void)hm_report_add_map(&report_entries[0], &small);
    (void)hm_report_add_map(&report_entries[1], &swarm);
    (void)hm_report_add_pool(&report_entries[2], &grid);
    (void)hm_report_add_world(&report_entries[3], &world);
    (void)hm_report_add_table(&report_entries[4], &points);
    (void)hm_report_add_map(&report_entries[5], &notes);
}

const char *PAGE_EXPORT(report_text)(void)
{
    hm_memory_stream stream = {report_bytes, REPORT_SIZE - 1, 0};
    hm_sink sink = hm_sink_memory(&stream);
    (void)hm_report_json(sink);
    report_bytes[stream.position] = '\0';
    return (const char *)report_bytes;
}
