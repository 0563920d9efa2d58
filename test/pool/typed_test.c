/* SPDX-License-Identifier: MIT */
/* HM_POOL_DEFINE: every typed function, compared with its untyped form. checks/types.sh shows that
 * a handle of another type does not compile. */
#include "support/test.h"

#include <handle_map/pool.h>

#include <string.h>

struct particle {
    double x, y;
    int age;
    char name[11];
};

struct sprite {
    _Alignas(64) unsigned char pixels[192];
};

HM_POOL_DEFINE(particle, struct particle, 3)
HM_POOL_DEFINE(sprite, struct sprite, 0x7FFF)
HM_POOL_DEFINE(byte, unsigned char, 0)
/* Defined and never used: must not cause a warning. */
HM_POOL_DEFINE(idle, long, 9)

enum { PARTICLES = 100, STORAGES = 3 };

static struct particle particle_of(int age)
{
    struct particle particle = {.x = age, .y = -age, .age = age};
    memcpy(particle.name, "ten letters", sizeof particle.name);
    return particle;
}

static bool is_particle(const struct particle *particle, int age)
{
    return particle != NULL && particle->age == age && particle->x == age && particle->y == -age &&
           memcmp(particle->name, "ten letters", sizeof particle->name) == 0;
}

static void fill(particle_pool *pool, particle_handle *handles, hm_storage storage)
{
    const hm_pool_desc desc = {.capacity = PARTICLES, .storage = storage};
    CHECK(particle_pool_init_desc(pool, &desc) == HM_OK);
    for (int i = 0; i < PARTICLES; i++) {
        struct particle particle = particle_of(i);
        handles[i] = particle_pool_insert(pool, &particle);
    }
}

TEST(pool_typed, init_knows_size_alignment_and_type_id)
{
    particle_pool pool;
    CHECK(particle_pool_init(&pool, 5) == HM_OK);
    CHECK(hm_pool_capacity(&pool.pool) == 5 && strcmp(pool.pool.name, "particle") == 0);
    particle_handle handle = particle_pool_insert(&pool, NULL);
    CHECK(hm_handle_type_id(handle.id) == 3);
    CHECK(hm_pool_get(&pool.pool, handle.id) == particle_pool_get(&pool, handle));
    particle_pool_fini(&pool);
    particle_pool_fini(&pool);
    CHECK(particle_pool_init(&pool, UINT32_MAX) == HM_ERROR_INVALID);
    CHECK(particle_pool_count(&pool) == 0);
    CHECK(particle_pool_init(NULL, 5) == HM_ERROR_INVALID);
}

TEST(pool_typed, init_desc_overrides_size_and_alignment)
{
    for (int storage = 0; storage < STORAGES; storage++) {
        sprite_pool pool;
        hm_pool_desc desc = {.item_size = 1, .item_align = 1, .capacity = 70};
        desc.storage = (hm_storage)storage;
        CHECK(sprite_pool_init_desc(&pool, &desc) == HM_OK);
        for (uint32_t i = 0; i < 70; i++) {
            sprite_handle handle = sprite_pool_insert(&pool, NULL);
            struct sprite *sprite = sprite_pool_get(&pool, handle);
            CHECK((uintptr_t)sprite % 64 == 0 && sprite == sprite_pool_item(&pool, i));
            CHECK(hm_handle_type_id(handle.id) == 0x7FFF && hm_handle_index(handle.id) == i);
        }
        CHECK(hm_handle_is_null(sprite_pool_insert(&pool, NULL).id));
        sprite_pool_fini(&pool);
        CHECK(sprite_pool_init_desc(&pool, NULL) == HM_ERROR_INVALID);
        CHECK(sprite_pool_init_desc(NULL, &desc) == HM_ERROR_INVALID);
    }
}

TEST(pool_typed, items_are_found_by_handle_pointer_and_run)
{
    for (int storage = 0; storage < STORAGES; storage++) {
        particle_pool pool;
        particle_handle handles[PARTICLES];
        uint32_t length, seen = 0;
        fill(&pool, handles, (hm_storage)storage);
        CHECK(particle_pool_count(&pool) == PARTICLES);
        for (uint32_t i = particle_pool_next_run(&pool, 0, &length); i != HM_INVALID_INDEX;
             i = particle_pool_next_run(&pool, i + length, &length)) {
            struct particle *run = particle_pool_item(&pool, i);
            for (uint32_t k = 0; k < length; k++) {
                particle_handle handle = particle_pool_handle_of(&pool, &run[k]);
                CHECK(hm_handle_equal(handle.id, handles[seen].id));
                CHECK(particle_pool_get(&pool, handle) == &run[k]);
                CHECK(particle_pool_contains(&pool, handle) && is_particle(&run[k], (int)seen));
                seen++;
            }
        }
        CHECK(seen == PARTICLES);
        uint64_t live;
        for (uint32_t word = particle_pool_next_word(&pool, 0, &live); word != HM_INVALID_INDEX;
             word = particle_pool_next_word(&pool, word + 1, &live))
            for (; live != 0; live &= live - 1)
                seen -= is_particle(particle_pool_item(&pool, 64 * word + hm_bits_lowest(live)),
                                    (int)(64 * word + hm_bits_lowest(live)));
        CHECK(seen == 0);
        CHECK(particle_pool_reserve(&pool, 1) == HM_ERROR_FULL);
        CHECK(particle_pool_reserve(&pool, 0) == HM_OK);
        particle_pool_fini(&pool);
    }
}

TEST(pool_typed, emplace_hands_out_the_place)
{
    byte_pool pool;
    unsigned char *place = NULL;
    CHECK(byte_pool_init(&pool, 1) == HM_OK);
    byte_handle handle = byte_pool_emplace(&pool, &place);
    CHECK(place != NULL);
    *place = 200;
    CHECK(*byte_pool_get(&pool, handle) == 200);
    handle = byte_pool_emplace(&pool, &place);
    CHECK(place == NULL && hm_handle_is_null(handle.id));
    byte_pool_fini(&pool);
}

TEST(pool_typed, erase_leaves_the_others_where_they_are)
{
    for (int storage = 0; storage < STORAGES; storage++) {
        particle_pool pool;
        particle_handle handles[PARTICLES];
        fill(&pool, handles, (hm_storage)storage);
        struct particle *last = particle_pool_get(&pool, handles[PARTICLES - 1]);
        CHECK(particle_pool_erase(&pool, handles[4]) && !particle_pool_erase(&pool, handles[4]));
        CHECK(particle_pool_get(&pool, handles[4]) == NULL && particle_pool_item(&pool, 4) == NULL);
        CHECK(particle_pool_get(&pool, handles[PARTICLES - 1]) == last);
        CHECK(is_particle(last, PARTICLES - 1));
        struct particle particle = particle_of(7);
        particle_handle again = particle_pool_insert(&pool, &particle);
        CHECK(hm_handle_index(again.id) == 4 && is_particle(particle_pool_item(&pool, 4), 7));
        particle_pool_clear(&pool);
        CHECK(particle_pool_count(&pool) == 0 && !particle_pool_contains(&pool, again));
        CHECK(hm_pool_validate(&pool.pool) == HM_OK);
        particle_pool_fini(&pool);
    }
}

static uint32_t destroyed;

static void count_destroyed(void *item, void *context)
{
    const struct particle *particle = item;
    CHECK(context == &destroyed && is_particle(particle, particle->age));
    destroyed++;
}

TEST(pool_typed, erase_runs_the_hook)
{
    particle_pool pool;
    particle_handle handle = {HM_NULL_HANDLE};
    hm_pool_desc desc = {.capacity = 9, .destroy = count_destroyed, .context = &destroyed};
    CHECK(particle_pool_init_desc(&pool, &desc) == HM_OK);
    destroyed = 0;
    for (int i = 0; i < 9; i++) {
        struct particle particle = particle_of(i);
        handle = particle_pool_insert(&pool, &particle);
    }
    CHECK(particle_pool_erase(&pool, handle) && destroyed == 1);
    particle_pool_fini(&pool);
    CHECK(destroyed == 9);
}

TEST(pool_typed, a_handle_of_another_type_is_foreign)
{
    particle_pool particles;
    byte_pool bytes;
    CHECK(particle_pool_init(&particles, 4) == HM_OK && byte_pool_init(&bytes, 4) == HM_OK);
    particle_handle handle = particle_pool_insert(&particles, NULL);
    byte_pool_insert(&bytes, NULL);
    CHECK(hm_pool_explain(&bytes.pool, handle.id) == HM_HANDLE_FOREIGN);
    CHECK(!byte_pool_contains(&bytes, (byte_handle){handle.id}));
    particle_pool_fini(&particles);
    byte_pool_fini(&bytes);
}

#define PANICS_WITHOUT_A_POOL(name, call)                                                          \
    DEATH_TEST(pool_typed, name##_without_a_pool_panics)                                           \
    {                                                                                              \
        (void)(call);                                                                              \
    }

static particle_pool *const no_pool;
static const particle_handle no_handle;
static struct particle *no_place;

PANICS_WITHOUT_A_POOL(insert, particle_pool_insert(no_pool, NULL))
PANICS_WITHOUT_A_POOL(emplace, particle_pool_emplace(no_pool, &no_place))
PANICS_WITHOUT_A_POOL(get, particle_pool_get(no_pool, no_handle))
PANICS_WITHOUT_A_POOL(contains, particle_pool_contains(no_pool, no_handle))
PANICS_WITHOUT_A_POOL(erase, particle_pool_erase(no_pool, no_handle))
PANICS_WITHOUT_A_POOL(fini, (particle_pool_fini(no_pool), 0))
PANICS_WITHOUT_A_POOL(clear, (particle_pool_clear(no_pool), 0))
PANICS_WITHOUT_A_POOL(reserve, particle_pool_reserve(no_pool, 1))
PANICS_WITHOUT_A_POOL(count, particle_pool_count(no_pool))
PANICS_WITHOUT_A_POOL(item, particle_pool_item(no_pool, 0))
PANICS_WITHOUT_A_POOL(next_run, particle_pool_next_run(no_pool, 0, NULL))
PANICS_WITHOUT_A_POOL(next_word, particle_pool_next_word(no_pool, 0, &(uint64_t){0}))
PANICS_WITHOUT_A_POOL(handle_of, particle_pool_handle_of(no_pool, NULL))

DEATH_TEST(pool_typed, emplace_without_a_place_panics)
{
    particle_pool pool = {{0}};
    particle_pool_emplace(&pool, NULL);
}
