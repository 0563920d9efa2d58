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

/* memory */

/* Bytes of a reservation that can be committed. */
static size_t window(uint32_t array)
{
    return array < WORLD_ARRAYS - 1 ? WORLD_WINDOW : WORLD_SCRATCH;
}

/* Under AddressSanitizer the library may touch what is committed, and nothing else; the harness
 * opens all, and closes it again before the library runs. */
static void open_arena(void)
{
    ASAN_UNPOISON_MEMORY_REGION(arena, sizeof arena);
}

static void close_arena(void)
{
    for (uint32_t i = 0; i < WORLD_ARRAYS; i++)
        for (size_t page = 0; page * live.config->page_size < window(i); page++)
            if ((live.memory.committed[i] >> page & 1) == 0)
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
    CHECK(size > 0 && size <= WORLD_SCRATCH && size % live.config->page_size == 0);
    if (is_refused())
        return NULL;
    uint32_t i = size > WORLD_WINDOW ? WORLD_ARRAYS - 1 : 0;
    while (live.memory.reserved[i] != 0)
        i++;
    CHECK(i < WORLD_ARRAYS && size <= window(i));
    live.memory.reserved[i] = (uint32_t)size;
    return arena[i];
}

/* The pages of a range as bits; *index says whose. */
static uint32_t pages_of(const void *address, size_t size, uint32_t *index)
{
    size_t offset = (size_t)((const unsigned char *)address - arena[0]);
    *index = (uint32_t)(offset / ARENA_STEP);
    offset %= ARENA_STEP;
    CHECK(*index < WORLD_ARRAYS && size > 0 && offset + size <= live.memory.reserved[*index]);
    CHECK(offset % live.config->page_size == 0 && size % live.config->page_size == 0);
    return ((1u << size / live.config->page_size) - 1) << offset / live.config->page_size;
}

static bool commit(void *context, void *address, size_t size)
{
    (void)context;
    uint32_t index;
    uint32_t pages = pages_of(address, size, &index);
    CHECK((live.memory.committed[index] & pages) == 0);
    if (is_refused())
        return false;
    ASAN_UNPOISON_MEMORY_REGION(address, size);
    memset(address, 0, size);
    live.memory.committed[index] |= pages;
    return true;
}

static bool decommit(void *context, void *address, size_t size)
{
    (void)context;
    uint32_t index;
    uint32_t pages = pages_of(address, size, &index);
    CHECK((live.memory.committed[index] & pages) == pages);
    if (is_refused())
        return false;
    ASAN_UNPOISON_MEMORY_REGION(address, size);
    memset(address, WORLD_BLANK, size);
    ASAN_POISON_MEMORY_REGION(address, size);
    live.memory.committed[index] &= ~pages;
    return true;
}

static void release(void *context, void *address, size_t size)
{
    (void)context;
    uint32_t index;
    pages_of(address, size, &index);
    CHECK(address == arena[index] && size == live.memory.reserved[index]);
    ASAN_UNPOISON_MEMORY_REGION(address, size);
    memset(address, WORLD_BLANK, size);
    live.memory.committed[index] = 0;
    live.memory.reserved[index] = 0;
}

/* begin and end */

/* Inserts as many items as fit. */
static void fill(void)
{
    for (uint32_t i = 0; i < live.config->capacity; i++) {
        unsigned char item[WORLD_WINDOW];
        ghost_item who = {.key = (uint8_t)(i % live.config->keys)};
        ghost_make_item(item, who);
        ghost_born(hm_map_insert(&live.map, item), who.key);
        calls.destroyed = 0;
    }
}

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
    memset(&live.memory, 0, sizeof live.memory);
    live.refuse_from = 0;
    do { /* Each of the reservations is refused once. */
        live.refuse_to = ++live.refuse_from;
        live.memory_calls = 0;
        live.refused = false;
        hm_status status = hm_map_init(&live.map, &desc);
        CHECK(status == (live.refused ? HM_ERROR_MEMORY : HM_OK));
        for (uint32_t i = 0; live.refused && i < WORLD_ARRAYS; i++)
            CHECK(live.memory.reserved[i] == 0);
    } while (live.refused);
    live.refuse_from = live.refuse_to = 0;
    for (uint32_t life = 0; life < live.config->spent_lives; life++) {
        fill();
        hm_map_clear(&live.map);
        live.model.count = 0;
    }
    if (live.config->full)
        fill();
    memset(&calls, 0, sizeof calls);
}

void world_end(void)
{
    hm_map_fini(&live.map);
    for (uint32_t i = 0; i < WORLD_ARRAYS; i++)
        CHECK(live.memory.reserved[i] == 0);
}

/* states */

void world_capture(world_state *state)
{
    open_arena();
    blank_the_dead();
    memcpy(&state->map, &live.map, sizeof live.map);
    memcpy(&state->memory, &live.memory, sizeof live.memory);
    for (uint32_t i = 0; i < WORLD_ARRAYS - 1; i++)
        memcpy(state->bytes[i], arena[i], WORLD_WINDOW);
    memcpy(state->scratch, arena[WORLD_ARRAYS - 1], WORLD_SCRATCH);
    memset(live.model.dense + live.model.count, 0,
           sizeof live.model.dense - sizeof *live.model.dense * live.model.count);
    memcpy(&state->model, &live.model, sizeof live.model);
    close_arena();
}

void world_restore(const world_state *state)
{
    open_arena();
    memcpy(&live.map, &state->map, sizeof live.map);
    memcpy(&live.memory, &state->memory, sizeof live.memory);
    for (uint32_t i = 0; i < WORLD_ARRAYS - 1; i++)
        memcpy(arena[i], state->bytes[i], WORLD_WINDOW);
    memcpy(arena[WORLD_ARRAYS - 1], state->scratch, WORLD_SCRATCH);
    memcpy(&live.model, &state->model, sizeof live.model);
    close_arena();
}

bool world_is_untouched(const world_state *before)
{
    open_arena();
    bool same = memcmp(&live.map, &before->map, sizeof live.map) == 0;
    for (uint32_t i = 0; i < WORLD_ARRAYS - 1; i++)
        same = same && memcmp(arena[i], before->bytes[i], WORLD_WINDOW) == 0;
    same = same && memcmp(arena[WORLD_ARRAYS - 1], before->scratch, WORLD_SCRATCH) == 0;
    close_arena();
    return same;
}

unsigned char *world_window(uint32_t array, uint32_t *size)
{
    open_arena();
    *size = (uint32_t)window(array);
    return arena[array];
}
