/* SPDX-License-Identifier: MIT */
/* adopt: an item under a handle that is given, in each container that issues handles; and how many
 * generations its slots have. The models' scripts compare the rest. */
#include "support/any.h"
#include "support/memory.h"
#include "support/test.h"

#include <handle_map/handle_map.h>

#include <string.h>

enum { FEW = 5, SLOTS = 20000, TYPE = 21 };

typedef test_any container;

typedef struct verbs {
    hm_status (*init)(container *c, uint32_t way, uint32_t capacity, const hm_memory *memory);
    hm_status (*adopt)(container *c, hm_handle handle);
    hm_handle (*add)(container *c);
    bool (*end)(container *c, hm_handle handle);
    hm_status (*reserve)(container *c, uint32_t n);
    uint32_t (*available)(const container *c);
    hm_handle (*upcoming)(const container *c, uint32_t k);
    hm_handle_state (*explain)(const container *c, hm_handle handle);
    hm_stats (*stats)(const container *c);
    hm_status (*validate)(const container *c);
    hm_status (*save)(const container *c, hm_sink sink);
    hm_status (*load)(container *c, hm_source source);
    hm_status (*merge)(container *c, hm_source source);
    hm_status (*trim)(container *c);
    void (*fini)(container *c);
} verbs;

#define VERBS(kind, adopted, added, ended)                                                         \
    static hm_status adopt_##kind(container *c, hm_handle handle)                                  \
    {                                                                                              \
        return adopted;                                                                            \
    }                                                                                              \
    static hm_handle add_##kind(container *c)                                                      \
    {                                                                                              \
        return added;                                                                              \
    }                                                                                              \
    static bool end_##kind(container *c, hm_handle handle)                                         \
    {                                                                                              \
        return ended;                                                                              \
    }                                                                                              \
    TEST_ASKS(hm_status, reserve, kind, (container * c, uint32_t n), reserve(&c->kind, n))         \
    TEST_ASKS(uint32_t, available, kind, (const container *c), available(&c->kind))                \
    TEST_ASKS(hm_handle, upcoming, kind, (const container *c, uint32_t k), upcoming(&c->kind, k))  \
    TEST_ASKS(hm_handle_state, explain, kind, (const container *c, hm_handle handle),              \
              explain(&c->kind, handle))                                                           \
    TEST_ASKS(hm_stats, stats, kind, (const container *c), get_stats(&c->kind))                    \
    TEST_ASKS(hm_status, validate, kind, (const container *c), validate(&c->kind))                 \
    TEST_ASKS(hm_status, save, kind, (const container *c, hm_sink sink),                           \
              save(&c->kind, NULL, sink))                                                          \
    TEST_ASKS(hm_status, load, kind, (container * c, hm_source source),                            \
              load(&c->kind, NULL, source))                                                        \
    TEST_ASKS(hm_status, merge, kind, (container * c, hm_source source),                           \
              merge(&c->kind, NULL, source, NULL))                                                 \
    TEST_ASKS(hm_status, trim, kind, (container * c), trim(&c->kind))                              \
    TEST_DOES(fini, kind, (container * c), fini(&c->kind))                                         \
    static const verbs kind##_verbs = {                                                            \
        init_##kind,      adopt_##kind,    add_##kind,     end_##kind,   reserve_##kind,           \
        available_##kind, upcoming_##kind, explain_##kind, stats_##kind, validate_##kind,          \
        save_##kind,      load_##kind,     merge_##kind,   trim_##kind,  fini_##kind}

static uint32_t max_slots = SLOTS;
static uint16_t generation_bits;
static const hm_column number = {.size = 4};

static hm_status init_map(container *c, uint32_t way, uint32_t capacity, const hm_memory *memory)
{
    return hm_map_init(&c->map, &(hm_map_desc){.item_size = 4,
                                               .capacity = capacity,
                                               .max_slots = max_slots,
                                               .generation_bits = generation_bits,
                                               .meta_size = way,
                                               .type_id = TYPE,
                                               .memory = memory});
}

/* Fixed blocks have a limit always. */
static hm_status init_pool(container *c, uint32_t way, uint32_t capacity, const hm_memory *memory)
{
    if (capacity == 0 && way == HM_STORAGE_FIXED_BLOCKS)
        capacity = max_slots;
    return hm_pool_init(&c->pool, &(hm_pool_desc){.item_size = 4,
                                                  .capacity = capacity,
                                                  .max_slots = max_slots,
                                                  .generation_bits = generation_bits,
                                                  .storage = (hm_storage)way,
                                                  .type_id = TYPE,
                                                  .memory = memory});
}

static hm_status init_table(container *c, uint32_t way, uint32_t capacity, const hm_memory *memory)
{
    return hm_table_init(&c->table, &(hm_table_desc){.columns = &number,
                                                     .column_count = 1,
                                                     .lanes = 8 * way,
                                                     .capacity = capacity,
                                                     .max_slots = max_slots,
                                                     .generation_bits = generation_bits,
                                                     .type_id = TYPE,
                                                     .memory = memory});
}

static hm_status init_lists(container *c, uint32_t way, uint32_t capacity, const hm_memory *memory)
{
    return hm_lists_init(&c->lists, &(hm_lists_desc){.item_size = 4 + 4 * way,
                                                     .capacity = capacity,
                                                     .max_slots = max_slots,
                                                     .generation_bits = generation_bits,
                                                     .type_id = TYPE,
                                                     .memory = memory});
}

static hm_status init_world(container *c, uint32_t way, uint32_t capacity, const hm_memory *memory)
{
    (void)way;
    return hm_world_init(&c->world, &(hm_world_desc){.capacity = capacity,
                                                     .max_slots = max_slots,
                                                     .generation_bits = generation_bits,
                                                     .max_size = 1 << 24,
                                                     .type_id = TYPE,
                                                     .memory = memory});
}

VERBS(map, hm_map_adopt(&c->map, handle, NULL), hm_map_insert(&c->map, NULL),
      hm_map_erase(&c->map, handle));
VERBS(pool, hm_pool_adopt(&c->pool, handle, NULL), hm_pool_insert(&c->pool, NULL),
      hm_pool_erase(&c->pool, handle));
VERBS(table, hm_table_adopt(&c->table, handle, NULL), hm_table_insert(&c->table, NULL),
      hm_table_erase(&c->table, handle));
VERBS(lists, hm_lists_adopt(&c->lists, handle), hm_lists_create(&c->lists),
      hm_lists_destroy(&c->lists, handle));
VERBS(world, hm_world_adopt(&c->world, handle), hm_world_create(&c->world, NULL, 0),
      hm_world_destroy(&c->world, handle));

static hm_handle name_of(uint32_t slot, uint32_t generation)
{
    return hm_handle_pack(slot, generation, TYPE);
}

static bool tells(const char *words)
{
    return strstr(hm_last_error(), words) != NULL;
}

static container made;
static test_memory memory;

static void begin(const verbs *of, uint32_t way, uint32_t capacity)
{
    test_memory_init_with_holes(&memory, hm_memory_os()->page_size);
    CHECK(of->init(&made, way, capacity, &memory.table) == HM_OK);
}

static void end(const verbs *of)
{
    CHECK(of->validate(&made) == HM_OK);
    of->fini(&made);
    test_memory_check_released(&memory);
}

/* What an undo does: the erased item comes back under its handle, and is erased again. */
static void check_undo(const verbs *of, uint32_t way, uint32_t capacity)
{
    begin(of, way, capacity);
    hm_handle first = of->add(&made), second = of->add(&made);
    CHECK(of->end(&made, first) && of->explain(&made, first) == HM_HANDLE_STALE);
    CHECK(of->adopt(&made, first) == HM_OK && of->explain(&made, first) == HM_HANDLE_LIVE);
    CHECK(of->explain(&made, second) == HM_HANDLE_LIVE && of->stats(&made).count == 2);
    CHECK(of->end(&made, first) && of->explain(&made, first) == HM_HANDLE_STALE);
    hm_handle next = of->add(&made);
    CHECK(next.bits == name_of(hm_handle_index(first), 2).bits);
    CHECK(of->adopt(&made, first) == HM_ERROR_STALE && tells("its slot has another item"));
    CHECK(of->adopt(&made, next) == HM_ERROR_STALE && tells("it is alive"));
    CHECK(of->end(&made, next) && of->adopt(&made, first) == HM_ERROR_STALE);
    CHECK(tells("its slot has issued later ones"));
    end(of);
}

static void check_refusals(const verbs *of, uint32_t way, uint32_t capacity)
{
    begin(of, way, capacity);
    const hm_handle forged = {name_of(1, 1).bits | HM_HANDLE_FREE_BIT};
    CHECK(of->adopt(&made, HM_NULL_HANDLE) == HM_ERROR_INVALID && tells("HM_HANDLE_NULL"));
    CHECK(of->adopt(&made, forged) == HM_ERROR_INVALID && tells("HM_HANDLE_FORGED"));
    CHECK(of->adopt(&made, name_of(1, 0)) == HM_ERROR_INVALID);
    CHECK(of->adopt(&made, hm_handle_pack(1, 1, TYPE + 1)) == HM_ERROR_INVALID);
    CHECK(tells("HM_HANDLE_FOREIGN"));
    CHECK(of->adopt(&made, name_of(SLOTS, 1)) == HM_ERROR_INVALID);
    CHECK(tells("HM_HANDLE_OUT_OF_RANGE") && of->stats(&made).slots == 0);
    const hm_handle last = name_of(3, HM_HANDLE_MAX_GENERATION);
    CHECK(of->adopt(&made, last) == HM_OK && of->end(&made, last));
    while (of->explain(&made, last) != HM_HANDLE_RETIRED)
        CHECK(of->reserve(&made, 4) == HM_OK);
    CHECK(of->adopt(&made, last) == HM_ERROR_STALE && tells("its slot is retired"));
    for (uint32_t i = of->stats(&made).count; i < FEW; i++)
        CHECK(of->adopt(&made, name_of(10 + i, 1)) == HM_OK);
    CHECK(capacity == 0 || of->adopt(&made, name_of(9, 1)) == HM_ERROR_FULL);
    end(of);
}

/* A slot that a trim has dropped is new, but for its generations. */
static void check_dropped(const verbs *of, uint32_t way, uint32_t capacity)
{
    const hm_handle far = name_of(SLOTS / 2, 5);
    begin(of, way, capacity);
    hm_handle first = of->add(&made);
    CHECK(of->adopt(&made, far) == HM_OK && of->end(&made, far) && of->trim(&made) == HM_OK);
    CHECK(of->adopt(&made, name_of(SLOTS / 2, 4)) == HM_ERROR_STALE);
    CHECK(tells("its slot has issued later ones") && of->stats(&made).count == 1);
    CHECK(of->adopt(&made, far) == HM_OK && of->explain(&made, far) == HM_HANDLE_LIVE);
    CHECK(of->explain(&made, first) == HM_HANDLE_LIVE);
    end(of);
}

/* In memory that had another container of the same type the slots in between name nothing. */
static void check_used_memory(const verbs *of, uint32_t way, uint32_t capacity)
{
    hm_memory_arena arena;
    const hm_memory_arena_desc desc = {.size = 1 << 24, .memory = hm_memory_heap()};
    CHECK(hm_memory_arena_init(&arena, &desc) == HM_OK);
    for (int round = 0; round < 2; round++) {
        CHECK(of->init(&made, way, capacity, &arena.table) == HM_OK);
        CHECK(round == 0 || of->adopt(&made, name_of(10 * FEW, 1)) == HM_OK);
        for (uint32_t i = 0; i < FEW; i++)
            CHECK(round == 0 ? !hm_handle_is_null(of->add(&made))
                             : of->explain(&made, name_of(i, 1)) == HM_HANDLE_STALE &&
                                   !of->end(&made, name_of(i, 1)));
        CHECK(of->validate(&made) == HM_OK);
        of->fini(&made);
    }
    hm_memory_arena_fini(&arena);
}

static unsigned char file[1 << 18];
static size_t file_size, file_position;

static bool write_file(void *context, const void *bytes, size_t size)
{
    (void)context;
    CHECK(size <= sizeof file - file_size);
    memcpy(file + file_size, bytes, size);
    file_size += size;
    return true;
}

static bool read_file(void *context, void *bytes, size_t size)
{
    (void)context;
    CHECK(size <= file_size - file_position);
    memcpy(bytes, file + file_position, size);
    file_position += size;
    return true;
}

/* Adds items as long as the capacity or the slots allow. */
static void fill(const verbs *of, uint32_t capacity)
{
    for (uint32_t i = of->stats(&made).count; i < (capacity != 0 ? capacity : SLOTS); i++)
        CHECK(!hm_handle_is_null(of->add(&made)));
    CHECK(hm_handle_is_null(of->add(&made)));
}

/* Slots far beyond the capacity: those in between are issued later, with higher generations, also
 * after a save and a load. */
static void check_distance(const verbs *of, uint32_t way, uint32_t capacity)
{
    begin(of, way, capacity);
    CHECK(of->adopt(&made, name_of(SLOTS - 1, 7)) == HM_OK);
    CHECK(of->stats(&made).slots == SLOTS && of->stats(&made).free_slots == SLOTS - 1);
    CHECK(of->explain(&made, name_of(6, 1)) == HM_HANDLE_STALE);
    CHECK(of->adopt(&made, name_of(6, 1)) == HM_OK && of->validate(&made) == HM_OK);
    CHECK(of->reserve(&made, 1) == HM_OK);
    hm_handle next = of->upcoming(&made, 0);
    CHECK(hm_handle_generation(next) == 2 && hm_handle_index(next) < SLOTS - 1);
    file_size = file_position = 0;
    CHECK(of->save(&made, (hm_sink){write_file, NULL}) == HM_OK);
    CHECK(hm_handle_equal(of->add(&made), next));
    fill(of, capacity);
    end(of);
    begin(of, way, capacity);
    CHECK(of->load(&made, (hm_source){read_file, NULL}) == HM_OK);
    CHECK(of->stats(&made).count == 2 && of->stats(&made).slots == SLOTS);
    CHECK(hm_handle_equal(of->add(&made), next) && of->validate(&made) == HM_OK);
    CHECK(of->trim(&made) == HM_OK);
    fill(of, capacity);
    end(of);
}

/* Each k-th call for memory refused: nothing has changed, and the next try succeeds. */
static void check_faults(const verbs *of, uint32_t way, uint32_t capacity)
{
    for (uint32_t k = 1;; k++) {
        begin(of, way, capacity);
        hm_handle first = of->add(&made);
        test_memory_fail(&memory, k, false);
        hm_status status = of->adopt(&made, name_of(SLOTS / 2, 3));
        bool is_refused = test_memory_refused(&memory);
        test_memory_fail(&memory, 0, false);
        CHECK(status == (is_refused ? HM_ERROR_MEMORY : HM_OK));
        CHECK(of->stats(&made).slots == (is_refused ? 1 : SLOTS / 2 + 1));
        CHECK(of->validate(&made) == HM_OK);
        CHECK(of->adopt(&made, name_of(SLOTS / 2, 3)) == (is_refused ? HM_OK : HM_ERROR_STALE));
        CHECK(of->explain(&made, first) == HM_HANDLE_LIVE);
        end(of);
        if (!is_refused)
            return;
    }
}

/* With few bits for generations, each slot has few lives. */
static void begin_short(const verbs *of, uint32_t way, uint32_t capacity, uint16_t bits)
{
    max_slots = FEW + 1;
    generation_bits = bits;
    begin(of, way, capacity);
    max_slots = SLOTS;
    generation_bits = 0;
}

enum { SHORT_BITS = 3, SHORT_LIVES = (1 << SHORT_BITS) - 1 };

/* Adds and ends items until no slot is left; returns how many there were. No two have had one id.
 */
static uint32_t use_up(const verbs *of, bool *is_used)
{
    for (uint32_t lives = 0;; lives++) {
        uint32_t available = of->available(&made);
        CHECK(available <= FEW + 1 && of->reserve(&made, available) == HM_OK);
        CHECK(of->reserve(&made, available + 1) == HM_ERROR_FULL);
        bool is_ready = of->reserve(&made, 1 + lives % 2) == HM_OK;
        hm_handle next = is_ready ? of->upcoming(&made, 0) : HM_NULL_HANDLE;
        hm_handle handle = of->add(&made);
        CHECK(!is_ready || hm_handle_equal(handle, next));
        if (hm_handle_is_null(handle))
            return lives;
        uint32_t id = hm_id32_pack(handle, 32 - SHORT_BITS).bits;
        CHECK(hm_handle_equal(hm_id32_unpack((hm_id32){id}, 32 - SHORT_BITS, TYPE), handle));
        uint32_t slot = hm_handle_index(handle), generation = id >> (32 - SHORT_BITS);
        CHECK(slot <= FEW && !is_used[slot * SHORT_LIVES + generation - 1]);
        is_used[slot * SHORT_LIVES + generation - 1] = true;
        CHECK(of->end(&made, handle) && of->validate(&made) == HM_OK);
    }
}

static void check_short(const verbs *of, uint32_t way, uint32_t capacity)
{
    bool is_used[(FEW + 1) * SHORT_LIVES] = {false};
    begin_short(of, way, capacity, SHORT_BITS);
    CHECK(use_up(of, is_used) == (FEW + 1) * SHORT_LIVES && tells("slots are retired"));
    CHECK(of->stats(&made).retired_slots == FEW + 1);
    for (uint32_t i = 0; i < (FEW + 1) * SHORT_LIVES; i++)
        CHECK(of->explain(&made, name_of(i / SHORT_LIVES, i % SHORT_LIVES + 1)) ==
              HM_HANDLE_RETIRED);
    end(of);
    for (uint32_t i = 0; i < 4; i++) {
        static const uint16_t wrong[] = {1, 17, 40, UINT16_MAX};
        generation_bits = wrong[i];
        CHECK(of->init(&made, way, capacity, &memory.table) == HM_ERROR_INVALID);
        CHECK(tells("generation_bits") && tells("is not from 2 to 16"));
    }
    generation_bits = 0;
    of->fini(&made);
}

/* Ids are not used twice after a trim either, nor after a load, and a generation that the container
 * does not have is neither adopted nor loaded. */
static void check_short_moved(const verbs *of, uint32_t way, uint32_t capacity)
{
    const hm_handle last = name_of(1, SHORT_LIVES);
    bool is_used[(FEW + 1) * SHORT_LIVES] = {false};
    begin_short(of, way, capacity, SHORT_BITS);
    CHECK(of->adopt(&made, name_of(1, SHORT_LIVES + 1)) == HM_ERROR_INVALID);
    CHECK(tells("HM_HANDLE_FORGED"));
    CHECK(of->adopt(&made, last) == HM_OK && of->explain(&made, last) == HM_HANDLE_LIVE);
    file_size = file_position = 0;
    CHECK(of->save(&made, (hm_sink){write_file, NULL}) == HM_OK);
    end(of);
    begin_short(of, way, capacity, SHORT_BITS - 1);
    CHECK(of->load(&made, (hm_source){read_file, NULL}) == HM_ERROR_FULL);
    CHECK(tells("generation 7 does not fit into generation_bits: the last is 3"));
    file_position = 0;
    CHECK(of->merge(&made, (hm_source){read_file, NULL}) == HM_OK);
    CHECK(of->stats(&made).count == 1 && of->explain(&made, last) != HM_HANDLE_LIVE);
    end(of);
    file_position = 0;
    begin_short(of, way, capacity, SHORT_BITS);
    CHECK(of->load(&made, (hm_source){read_file, NULL}) == HM_OK);
    CHECK(of->explain(&made, last) == HM_HANDLE_LIVE && of->end(&made, last));
    is_used[1 * SHORT_LIVES + SHORT_LIVES - 1] = true;
    CHECK(of->trim(&made) == HM_OK);
    uint32_t lives = use_up(of, is_used);
    CHECK(lives >= FEW && lives <= FEW * SHORT_LIVES);
    end(of);
}

/* A generation that a replica does not have: none of the changes is made. */
TEST(adopt, changes_with_a_generation_too_many_change_nothing)
{
    hm_handle sent[2];
    hm_map replica;
    begin(&map_verbs, 0, 0);
    for (uint32_t i = 0; i < 2; i++) {
        sent[i] = name_of(i, 1 + 5 * i);
        CHECK(adopt_map(&made, sent[i]) == HM_OK);
    }
    file_size = file_position = 0;
    CHECK(hm_map_save_values(&made.map, NULL, sent, 2, (hm_sink){write_file, NULL}) == HM_OK);
    const hm_map_desc desc = {.item_size = 4, .type_id = TYPE, .generation_bits = 2};
    CHECK(hm_map_init(&replica, &desc) == HM_OK);
    CHECK(hm_map_load_changes(&replica, NULL, (hm_source){read_file, NULL}) == HM_ERROR_INVALID);
    CHECK(tells("HM_HANDLE_FORGED") && hm_map_count(&replica) == 0);
    hm_map_fini(&replica);
    end(&map_verbs);
}

/* A hole of a pool has a generation left, which is one too many here. */
TEST(adopt, a_hole_that_has_used_up_the_generations_of_a_pool_does_not_fit)
{
    for (uint32_t fill = 0; fill < 2; fill++) {
        begin(&pool_verbs, HM_STORAGE_VIRTUAL, 0);
        for (uint32_t i = 0; i < 400 * fill; i++) /* more holes than are listed one by one */
            CHECK(!hm_handle_is_null(add_pool(&made)));
        for (uint32_t i = 0; i < 400 * fill; i++)
            CHECK(end_pool(&made, name_of(i, 1)));
        const hm_handle third = name_of(0, 3);
        CHECK(adopt_pool(&made, third) == HM_OK && end_pool(&made, third));
        file_size = file_position = 0;
        CHECK(save_pool(&made, (hm_sink){write_file, NULL}) == HM_OK);
        end(&pool_verbs);
        generation_bits = 2;
        begin(&pool_verbs, HM_STORAGE_VIRTUAL, 0);
        generation_bits = 0;
        CHECK(load_pool(&made, (hm_source){read_file, NULL}) == HM_ERROR_FULL);
        CHECK(tells("generation 4 does not fit into generation_bits: the last is 3"));
        end(&pool_verbs);
    }
}

#define TEST_EACH(kind, ways, name, check)                                                         \
    TEST(adopt, a_##kind##_##name)                                                                 \
    {                                                                                              \
        for (uint32_t way = 0; way < 2 * (ways); way++)                                            \
            check(&kind##_verbs, way / 2, way % 2 * FEW);                                          \
    }
#define TESTS(kind, ways)                                                                          \
    TEST_EACH(kind, ways, brings_an_erased_item_back_under_its_handle, check_undo)                 \
    TEST_EACH(kind, ways, refuses_what_it_could_not_have_issued, check_refusals)                   \
    TEST_EACH(kind, ways, refuses_an_earlier_life_of_a_slot_that_a_trim_has_dropped,               \
              check_dropped)                                                                       \
    TEST_EACH(kind, ways, has_nothing_in_the_slots_that_an_adopt_makes, check_used_memory)         \
    TEST_EACH(kind, ways, takes_slots_beyond_its_capacity, check_distance)                         \
    TEST_EACH(kind, ways, is_as_it_was_where_memory_is_refused, check_faults)                      \
    TEST_EACH(kind, ways, with_fewer_generations_retires_its_slots_earlier, check_short)           \
    TEST_EACH(kind, ways, keeps_to_its_generations_after_a_trim_and_a_load, check_short_moved)

TESTS(map, 2)
TESTS(pool, 3)
TESTS(table, 2)
TESTS(lists, 1)
TESTS(world, 1)

/* Its latest holes are more than it keeps in order, and stay so while new slots fill it. */
TEST(adopt, a_pool_that_adopted_up_to_its_capacity_is_full)
{
    enum { MANY = 400 };
    begin(&pool_verbs, HM_STORAGE_VIRTUAL, MANY);
    for (uint32_t i = 0; i < MANY; i++)
        CHECK(!hm_handle_is_null(add_pool(&made)));
    for (uint32_t i = 0; i < MANY; i++)
        CHECK(end_pool(&made, name_of(i, 1)));
    for (uint32_t i = 0; i < MANY; i++)
        CHECK(adopt_pool(&made, name_of(MANY + i, 1)) == HM_OK);
    CHECK(hm_handle_is_null(add_pool(&made)) && tells("raise its capacity"));
    CHECK(adopt_pool(&made, name_of(0, 1)) == HM_ERROR_FULL);
    end(&pool_verbs);
}

/* More were erased than a pool keeps in their order, and all that it keeps come back. */
static void adopt_latest(uint32_t way, bool is_backward)
{
    enum { MANY = 400, LATEST = HM_POOL_RECENT };
    begin(&pool_verbs, way, MANY);
    for (uint32_t i = 0; i < MANY; i++)
        CHECK(!hm_handle_is_null(add_pool(&made)));
    for (uint32_t i = 0; i < MANY; i++)
        CHECK(end_pool(&made, name_of(i, 1)));
    for (uint32_t i = 0; i < LATEST; i++) {
        uint32_t slot = is_backward ? MANY - 1 - i : MANY - LATEST + i;
        CHECK(adopt_pool(&made, name_of(slot, 1)) == HM_OK && validate_pool(&made) == HM_OK);
    }
    CHECK(end_pool(&made, name_of(MANY - 7, 1)) && validate_pool(&made) == HM_OK);
    CHECK(hm_handle_equal(add_pool(&made), name_of(MANY - 7, 2)));
    for (uint32_t i = LATEST; i < MANY; i++)
        CHECK(hm_handle_index(add_pool(&made)) < MANY - LATEST);
    CHECK(hm_handle_is_null(add_pool(&made)) && stats_pool(&made).slots == MANY);
    end(&pool_verbs);
}

TEST(adopt, a_pool_that_adopted_all_of_its_latest_holes_goes_on_with_the_others)
{
    for (uint32_t way = 0; way < 6; way++)
        adopt_latest(way / 2, way % 2 != 0);
}

/* Retired slots have entries, but no position: so entries may have space for all slots before
 * positions have it. Without a capacity a trim leaves space for what is there, which doubles. */
TEST(adopt, a_world_has_all_its_slots_when_some_were_retired)
{
    enum { MANY = 900, RETIRED = 30 };
    for (uint32_t count = 250; count < MANY / 2; count += 50) {
        hm_world world;
        const hm_world_desc desc = {.max_slots = MANY, .type_id = TYPE};
        CHECK(hm_world_init(&world, &desc) == HM_OK);
        CHECK(hm_world_create_n(&world, NULL, 0, count, NULL, NULL) == HM_OK);
        CHECK(hm_world_trim(&world) == HM_OK);
        for (uint32_t i = 0; i < RETIRED; i++) {
            const hm_handle last = name_of(count + 2 * i, HM_HANDLE_MAX_GENERATION);
            CHECK(hm_world_adopt(&world, last) == HM_OK && hm_world_destroy(&world, last));
            CHECK(!hm_handle_is_null(hm_world_create(&world, NULL, 0)));
        }
        CHECK(hm_world_adopt(&world, name_of(2 * count + RETIRED / 2, 1)) == HM_OK);
        while (hm_world_count(&world) < MANY - RETIRED)
            CHECK(!hm_handle_is_null(hm_world_create(&world, NULL, 0)));
        CHECK(hm_handle_is_null(hm_world_create(&world, NULL, 0)));
        hm_world_fini(&world);
    }
}

/* The values of what is adopted, in each container that takes one. */

enum { WIDE = 40 };

static const hm_column wide = {.size = WIDE};
static const unsigned char zeros[WIDE];

static hm_status adopt_value(container *c, int kind, hm_handle handle, const void *value)
{
    if (kind == 0)
        return hm_map_adopt(&c->map, handle, value);
    return kind == 1 ? hm_pool_adopt(&c->pool, handle, value)
                     : hm_table_adopt(&c->table, handle, value != NULL ? &value : NULL);
}

static void *value_of(container *c, int kind, hm_handle handle)
{
    if (kind == 0)
        return hm_map_get(&c->map, handle);
    return kind == 1 ? hm_pool_get(&c->pool, handle) : hm_table_get(&c->table, handle, 0);
}

static void begin_values(int kind)
{
    hm_status status;
    if (kind == 0)
        status = hm_map_init(&made.map, &(hm_map_desc){.item_size = WIDE, .type_id = TYPE});
    else if (kind == 1)
        status = hm_pool_init(&made.pool, &(hm_pool_desc){.item_size = WIDE, .type_id = TYPE});
    else
        status = hm_table_init(
            &made.table, &(hm_table_desc){.columns = &wide, .column_count = 1, .type_id = TYPE});
    CHECK(status == HM_OK);
}

static const verbs *const with_values[] = {&map_verbs, &pool_verbs, &table_verbs};

/* Without a capacity, a slot far behind moves the container. */
TEST(adopt, a_value_may_lie_in_the_container_that_adopts_it)
{
    for (int kind = 0; kind < 3; kind++) {
        unsigned char value[WIDE];
        begin_values(kind);
        memset(value, 7, sizeof value);
        CHECK(adopt_value(&made, kind, name_of(0, 1), value) == HM_OK);
        for (uint32_t slot = 10; slot < 1000000; slot *= 10) {
            const void *own = value_of(&made, kind, name_of(0, 1));
            CHECK(adopt_value(&made, kind, name_of(slot, 1), own) == HM_OK);
            CHECK(memcmp(value_of(&made, kind, name_of(slot, 1)), value, WIDE) == 0);
            CHECK(memcmp(value_of(&made, kind, name_of(0, 1)), value, WIDE) == 0);
        }
        CHECK(with_values[kind]->validate(&made) == HM_OK);
        with_values[kind]->fini(&made);
    }
}

TEST(adopt, what_is_adopted_without_a_value_is_zero)
{
    for (int kind = 0; kind < 3; kind++) {
        begin_values(kind);
        hm_handle handle = with_values[kind]->add(&made);
        memset(value_of(&made, kind, handle), 7, WIDE);
        CHECK(with_values[kind]->end(&made, handle));
        CHECK(adopt_value(&made, kind, handle, NULL) == HM_OK);
        CHECK(memcmp(value_of(&made, kind, handle), zeros, WIDE) == 0);
        CHECK(with_values[kind]->validate(&made) == HM_OK);
        with_values[kind]->fini(&made);
    }
}
