/* The live world: its memory, and how it is begun, copied and brought back. */
#include "world.h"

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif
#ifdef WITH_ASAN
#include <sanitizer/asan_interface.h>

static void reported(void)
{
    world_violated(__FILE__, __LINE__, "AddressSanitizer is content");
}
#else
#define __sanitizer_set_death_callback(callback) ((void)0)
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

enum { ARENA_STEP = 4096 /* between reservations: what the contract aligns them to */ };

world live;

static _Alignas(ARENA_STEP) unsigned char arena[WORLD_ARRAYS][ARENA_STEP];
static size_t reserved[WORLD_ARRAYS]; /* bytes; 0: not reserved */

/* memory */

/* Under AddressSanitizer the library may touch what is committed, and nothing else; the harness
 * opens all, and closes it again before the library runs. */
static void open_arena(void)
{
    ASAN_UNPOISON_MEMORY_REGION(arena, sizeof arena);
}

static void close_arena(void)
{
    for (uint32_t i = 0; i < WORLD_ARRAYS; i++)
        for (size_t page = 0; page * live.config->page_size < WORLD_WINDOW; page++)
            if ((live.committed[i] >> page & 1) == 0)
                ASAN_POISON_MEMORY_REGION(arena[i] + page * live.config->page_size,
                                          live.config->page_size);
}

static bool is_refused(void)
{
    live.memory_calls++;
    if (live.memory_calls < live.refuse_from || live.memory_calls > live.refuse_to)
        return false;
    live.refused = true;
    return true;
}

static void *reserve(void *context, size_t size)
{
    (void)context;
    CHECK(size > 0 && size <= WORLD_WINDOW && size % live.config->page_size == 0);
    if (is_refused())
        return NULL;
    uint32_t i = 0;
    while (reserved[i] != 0)
        i++;
    CHECK(i < WORLD_ARRAYS);
    reserved[i] = size;
    return arena[i];
}

/* The pages of a range as bits; *index says whose. */
static uint32_t pages_of(const void *address, size_t size, uint32_t *index)
{
    size_t offset = (size_t)((const unsigned char *)address - arena[0]);
    *index = (uint32_t)(offset / ARENA_STEP);
    offset %= ARENA_STEP;
    CHECK(*index < WORLD_ARRAYS && size > 0 && offset + size <= reserved[*index]);
    CHECK(offset % live.config->page_size == 0 && size % live.config->page_size == 0);
    return ((1u << size / live.config->page_size) - 1) << offset / live.config->page_size;
}

static bool commit(void *context, void *address, size_t size)
{
    (void)context;
    uint32_t index;
    uint32_t pages = pages_of(address, size, &index);
    CHECK((live.committed[index] & pages) == 0);
    if (is_refused())
        return false;
    ASAN_UNPOISON_MEMORY_REGION(address, size);
    memset(address, 0, size);
    live.committed[index] |= pages;
    return true;
}

static bool decommit(void *context, void *address, size_t size)
{
    (void)context;
    uint32_t index;
    uint32_t pages = pages_of(address, size, &index);
    CHECK((live.committed[index] & pages) == pages);
    if (is_refused())
        return false;
    ASAN_UNPOISON_MEMORY_REGION(address, size);
    memset(address, WORLD_BLANK, size);
    ASAN_POISON_MEMORY_REGION(address, size);
    live.committed[index] &= ~pages;
    return true;
}

static void release(void *context, void *address, size_t size)
{
    (void)context;
    uint32_t index;
    pages_of(address, size, &index);
    CHECK(address == arena[index] && size == reserved[index]);
    ASAN_UNPOISON_MEMORY_REGION(address, size);
    memset(address, WORLD_BLANK, size);
    live.committed[index] = 0;
    reserved[index] = 0;
}

/* begin and end */

void world_begin(const world_config *small)
{
    static hm_memory memory = {reserve, commit, decommit, release, 0, NULL};
    live.config = small;
    CHECK(live.config->capacity <= WORLD_ITEMS && live.config->max_slots <= WORLD_SLOTS);
    memory.page_size = live.config->page_size;
    hm_map_desc desc = {.item_size = live.config->item_size,
                        .capacity = live.config->capacity,
                        .max_slots = live.config->max_slots,
                        .type_id = WORLD_TYPE_ID,
                        .meta_size = live.config->meta_size,
                        .destroy = live.config->hooks ? step_destroyed : NULL,
                        .relocate = live.config->hooks ? step_relocated : NULL,
                        .memory = &memory};
    __sanitizer_set_death_callback(reported);
    open_arena();
    memset(arena, WORLD_BLANK, sizeof arena);
    close_arena();
    memset(&live.model, 0, sizeof live.model);
    live.refuse_from = 0;
    do { /* Each of the reservations is refused once. */
        live.refuse_to = ++live.refuse_from;
        live.memory_calls = 0;
        live.refused = false;
        hm_status status = hm_map_init(&live.map, &desc);
        CHECK(status == (live.refused ? HM_ERROR_MEMORY : HM_OK));
        for (uint32_t i = 0; live.refused && i < WORLD_ARRAYS; i++)
            CHECK(reserved[i] == 0);
    } while (live.refused);
    live.refuse_from = live.refuse_to = 0;
    for (uint32_t life = 1; life <= live.config->spent_lives; life++) {
        CHECK(hm_map_insert_n(&live.map, NULL, live.config->max_slots, NULL) == HM_OK);
        hm_map_clear(&live.map);
        memset(live.model.highest, (int)life, live.config->max_slots);
    }
}

void world_end(void)
{
    hm_map_fini(&live.map);
    for (uint32_t i = 0; i < WORLD_ARRAYS; i++)
        CHECK(reserved[i] == 0);
}

/* states */

static void blank_behind(hm_array *array, size_t live_size)
{
    CHECK(live_size <= array->committed_size);
    if (array->data != NULL)
        memset(array->data + live_size, WORLD_BLANK, array->committed_size - live_size);
}

/* What must not matter is given one look, so that states that behave equally are equal, and so that
 * a library that cares all the same goes wrong: memory behind what lives, the counts that a trim
 * tells its arrays, the keys of an order that has none. */
static void blank_the_dead(void)
{
    hm_id_table *ids = &live.map.ids;
    open_arena();
    blank_behind(&live.map.item_array, live.config->item_size * ids->count);
    blank_behind(&live.map.meta_array, live.config->meta_size * ids->count);
    blank_behind(&ids->entry_array, sizeof(hm_handle) * ids->slot_count);
    blank_behind(&ids->slot_array, sizeof(uint32_t) * ids->used);
    blank_behind(&ids->floors, sizeof(uint16_t) * ids->floors.count);
    hm_array *counted_by_map[] = {&live.map.item_array, &live.map.meta_array, &ids->entry_array,
                                  &ids->slot_array};
    for (size_t i = 0; i < sizeof counted_by_map / sizeof *counted_by_map; i++)
        memset(&counted_by_map[i]->count, WORLD_BLANK, sizeof counted_by_map[i]->count);
    if (!live.map.order.has_item_key)
        memset(&live.map.order.item_key, WORLD_BLANK, sizeof live.map.order.item_key);
    if (!live.map.order.has_probe_key)
        memset(&live.map.order.probe_key, WORLD_BLANK, sizeof live.map.order.probe_key);
}

void world_capture(world_state *state)
{
    blank_the_dead();
    memcpy(&state->map, &live.map, sizeof live.map);
    memcpy(state->committed, live.committed, sizeof live.committed);
    for (uint32_t i = 0; i < WORLD_ARRAYS; i++)
        memcpy(state->bytes[i], arena[i], WORLD_WINDOW);
    memset(live.model.dense + live.model.count, 0,
           sizeof live.model.dense - sizeof *live.model.dense * live.model.count);
    memcpy(&state->model, &live.model, sizeof live.model);
    close_arena();
}

void world_restore(const world_state *state)
{
    open_arena();
    memcpy(&live.map, &state->map, sizeof live.map);
    memcpy(live.committed, state->committed, sizeof live.committed);
    for (uint32_t i = 0; i < WORLD_ARRAYS; i++)
        memcpy(arena[i], state->bytes[i], WORLD_WINDOW);
    memcpy(&live.model, &state->model, sizeof live.model);
    close_arena();
}

bool world_is_untouched(const world_state *before)
{
    open_arena();
    bool same = memcmp(&live.map, &before->map, sizeof live.map) == 0;
    for (uint32_t i = 0; i < WORLD_ARRAYS; i++)
        same = same && memcmp(arena[i], before->bytes[i], WORLD_WINDOW) == 0;
    close_arena();
    return same;
}

unsigned char *world_window(uint32_t array, uint32_t *committed_pages)
{
    open_arena();
    *committed_pages = live.committed[array];
    return arena[array];
}
