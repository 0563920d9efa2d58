/* SPDX-License-Identifier: MIT */
/* What typed containers know of their items and owners, in the common language of C and C++, as in
 * typed_test.c: sizes, alignments, type ids and hooks. */
#include "typed/body.h"

#ifdef __cplusplus
#define ALIGNED alignas
#else
#define ALIGNED _Alignas
#endif

typedef struct sprite {
    ALIGNED(64) unsigned char pixels[192];
} sprite;

HM_MAP_DEFINE(sprite, sprite, 0x7FFF)
HM_POOL_DEFINE(flame, sprite, 4)
HM_SECONDARY_DEFINE(halo, sprite, sprite)
HM_SECONDARY_DEFINE(heat, flame, float)
#define SPARK_COLUMNS(COLUMN) COLUMN(char, age) COLUMN(sprite, color) COLUMN(const char *, label)
HM_TABLE_DEFINE(sparks, 12, SPARK_COLUMNS)
HM_MAP_DEFINE(byte, unsigned char, 0)
HM_POOL_DEFINE(grain, unsigned char, 1)
/* Defined and never used: must not cause a warning, even if items are pointers. */
HM_MAP_DEFINE(idle, const char *, 9)
HM_POOL_DEFINE(idle_pool, const char *, 9)
HM_SECONDARY_DEFINE(idle, idle, const char *)
HM_LISTS_DEFINE(idle_lists, const char *, 9)
#define IDLE_COLUMNS(COLUMN) COLUMN(long, first) COLUMN(const void *, second)
HM_TABLE_DEFINE(idle_table, 9, IDLE_COLUMNS)

static bool is_aligned(const void *place)
{
    return place != NULL && HM_POINTER_CAST(uintptr_t, place) % 64 == 0;
}

/* The size and the alignment of the descriptor do not count. */
TEST(typed, items_have_the_size_and_the_alignment_of_their_type)
{
    hm_map_desc desc;
    sprite_map map;
    sprite drawn;
    halo_secondary halos;
    sparks_table sparks;
    uint32_t i;
    memset(&desc, 0, sizeof desc);
    memset(&drawn, 7, sizeof drawn);
    desc.item_size = desc.item_align = 1;
    desc.capacity = 7;
    desc.meta_size = 4;
    CHECK(sprite_map_init_desc(&map, &desc) == HM_OK);
    CHECK(halo_secondary_init_for(&halos, 0, sprite_map_as_owners(&map)) == HM_OK);
    CHECK(sparks_table_init(&sparks, 7) == HM_OK);
    for (i = 0; i < 7; i++) {
        sprite_handle handle = sprite_map_insert(&map, i % 2 == 0 ? &drawn : NULL);
        sprite *made = sprite_map_get(&map, handle);
        CHECK(is_aligned(made) && made == sprite_map_items(&map) + i);
        CHECK(made->pixels[0] == (i % 2 == 0 ? 7 : 0) && made->pixels[191] == made->pixels[0]);
        CHECK(hm_handle_type_id(handle.id) == 0x7FFF && sprite_map_meta_at(&map, i) != NULL);
        made = halo_secondary_set(&halos, handle, NULL);
        CHECK(is_aligned(made) && made == halo_secondary_values(&halos) + i);
        CHECK(is_aligned(sparks_color_get(&sparks, sparks_table_insert(&sparks, NULL))));
    }
    CHECK(sprite_handle_is_null(sprite_map_insert(&map, NULL)));
    sparks_table_fini(&sparks);
    halo_secondary_fini(&halos);
    sprite_map_fini(&map);
}

TEST(typed, items_of_a_pool_have_the_alignment_of_their_type_in_every_storage)
{
    int storage;
    for (storage = 0; storage < 3; storage++) {
        hm_pool_desc desc;
        flame_pool pool;
        uint32_t i;
        memset(&desc, 0, sizeof desc);
        desc.item_size = desc.item_align = 1;
        desc.capacity = 70;
        desc.storage = HM_CAST(hm_storage, storage);
        CHECK(flame_pool_init_desc(&pool, &desc) == HM_OK);
        for (i = 0; i < 70; i++) {
            flame_handle handle = flame_pool_insert(&pool, NULL);
            sprite *made = flame_pool_get(&pool, handle);
            CHECK(is_aligned(made) && made == flame_pool_item_at(&pool, i));
            CHECK(flame_handle_equal(flame_pool_handle_of(&pool, made), handle));
        }
        CHECK(flame_handle_is_null(flame_pool_insert(&pool, NULL)));
        CHECK(flame_pool_erase(&pool, flame_pool_handle_at(&pool, 3)));
        CHECK(flame_pool_item_at(&pool, 3) == NULL);
        CHECK(hm_handle_index(flame_pool_insert(&pool, NULL).id) == 3);
        flame_pool_fini(&pool);
    }
}

TEST(typed, an_item_of_one_byte_is_made_in_its_place)
{
    byte_map map;
    grain_pool pool;
    byte_handle byte;
    grain_handle grain;
    unsigned char *place = NULL;
    CHECK(byte_map_init(&map, 1) == HM_OK && grain_pool_init(&pool, 1) == HM_OK);
    byte = byte_map_emplace(&map, &place);
    CHECK(place != NULL);
    *place = 200;
    CHECK(*byte_map_get(&map, byte) == 200);
    CHECK(byte_handle_is_null(byte_map_emplace(&map, &place)) && place == NULL);
    grain = grain_pool_emplace(&pool, &place);
    CHECK(place != NULL);
    *place = 100;
    CHECK(*grain_pool_get(&pool, grain) == 100);
    CHECK(grain_handle_is_null(grain_pool_emplace(&pool, &place)) && place == NULL);
    byte.id = grain.id;
    CHECK(byte_map_explain(&map, byte) == HM_HANDLE_FOREIGN && !byte_map_contains(&map, byte));
    byte_map_fini(&map);
    grain_pool_fini(&pool);
}

static void count_destroyed(void *item, void *context)
{
    *HM_CAST(uint32_t *, context) += HM_CAST(const body *, item)->value;
}

TEST(typed, the_hooks_of_a_descriptor_run)
{
    hm_map_desc desc;
    hm_pool_desc pool_desc;
    body_map map;
    body_pool pool;
    body made = make_body(10);
    uint32_t destroyed = 0;
    memset(&desc, 0, sizeof desc);
    memset(&pool_desc, 0, sizeof pool_desc);
    desc.destroy = pool_desc.destroy = count_destroyed;
    desc.context = pool_desc.context = &destroyed;
    CHECK(body_map_init_desc(&map, &desc) == HM_OK);
    CHECK(body_pool_init_desc(&pool, &pool_desc) == HM_OK);
    CHECK(body_map_erase(&map, body_map_insert(&map, &made)) && destroyed == 10);
    CHECK(body_pool_erase(&pool, body_pool_insert(&pool, &made)) && destroyed == 20);
    body_map_insert(&map, &made);
    body_pool_insert(&pool, &made);
    body_map_fini(&map);
    CHECK(destroyed == 30);
    body_pool_fini(&pool);
    CHECK(destroyed == 40);
}

TEST(typed, a_secondary_takes_the_rest_from_its_owners)
{
    hm_map_desc desc;
    hm_world_desc world_desc;
    sprite_map sprites;
    flame_pool flames;
    hm_world world;
    halo_secondary halos;
    heat_secondary heats;
    body_secondary bodies;
    sprite_handle late;
    body_handle entity;
    memset(&desc, 0, sizeof desc);
    memset(&world_desc, 0, sizeof world_desc);
    desc.capacity = world_desc.capacity = 20;
    desc.max_slots = 4000000;
    world_desc.type_id = 9;
    CHECK(sprite_map_init_desc(&sprites, &desc) == HM_OK && flame_pool_init(&flames, 30) == HM_OK);
    CHECK(hm_world_init(&world, &world_desc) == HM_OK);
    CHECK(halo_secondary_init_for(&halos, 5, sprite_map_as_owners(&sprites)) == HM_OK);
    CHECK(heat_secondary_init_for(&heats, 0, flame_pool_as_owners(&flames)) == HM_OK);
    CHECK(body_secondary_init_for(&bodies, 0, hm_world_as_owners(&world)) == HM_OK);
    CHECK(halo_secondary_capacity(&halos) == 5 && heat_secondary_capacity(&heats) == 30);
    CHECK(body_secondary_capacity(&bodies) == 20 && strcmp(halos.secondary.name, "halo") == 0);
    late.id = hm_handle_pack(3999999, 1, 0x7FFF);
    entity.id = hm_world_create(&world, NULL, 0);
    CHECK(halo_secondary_set(&halos, late, NULL) != NULL);
    CHECK(heat_secondary_set(&heats, flame_pool_insert(&flames, NULL), NULL) != NULL);
    CHECK(body_secondary_set(&bodies, entity, NULL) != NULL);
    body_secondary_fini(&bodies);
    halo_secondary_fini(&halos);
    heat_secondary_fini(&heats);
    hm_world_fini(&world);
    flame_pool_fini(&flames);
    sprite_map_fini(&sprites);
    CHECK(halo_secondary_init_for(&halos, 5, sprite_map_as_owners(&sprites)) == HM_ERROR_INVALID);
    CHECK(halo_secondary_capacity(&halos) == 0);
    CHECK(halo_secondary_init_for(NULL, 5, sprite_map_as_owners(&sprites)) == HM_ERROR_INVALID);
    CHECK(strcmp(hm_last_error(), "halo_secondary_init_for: secondary is NULL") == 0);
}
