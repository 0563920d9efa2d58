/* SPDX-License-Identifier: MIT */
/* HM_MAP_DEFINE: every typed function, compared with its untyped form. checks/types.sh shows that a
 * handle of another type does not compile. */
#include "support/test.h"

#include <handle_map/map.h>

#include <string.h>

struct texture {
    double scale;
    int width, height;
    char name[11];
};

struct sprite {
    _Alignas(64) unsigned char pixels[192];
};

HM_MAP_DEFINE(texture, struct texture, 3)
HM_MAP_DEFINE(sprite, struct sprite, 0x7FFF)
HM_MAP_DEFINE(byte, unsigned char, 0)
/* Defined and never used: must not cause a warning. */
HM_MAP_DEFINE(idle, long, 9)

enum { TEXTURES = 20 };

static struct texture texture_of(int width)
{
    struct texture texture = {.scale = 0.5, .width = width, .height = -width};
    memcpy(texture.name, "ten letters", sizeof texture.name);
    return texture;
}

static bool is_texture(const struct texture *texture, int width)
{
    return texture != NULL && texture->width == width && texture->height == -width &&
           memcmp(texture->name, "ten letters", sizeof texture->name) == 0;
}

static void fill(texture_map *map, texture_handle *handles)
{
    CHECK(texture_map_init(map, TEXTURES) == HM_OK);
    for (int i = 0; i < TEXTURES; i++) {
        struct texture texture = texture_of(i);
        handles[i] = texture_map_insert(map, &texture);
    }
}

TEST(map_typed, init_knows_size_alignment_and_type_id)
{
    texture_map map;
    CHECK(texture_map_init(&map, 5) == HM_OK);
    CHECK(hm_map_capacity(&map.map) == 5);
    texture_handle handle = texture_map_insert(&map, NULL);
    CHECK(hm_handle_type_id(handle.id) == 3);
    CHECK(hm_map_get(&map.map, handle.id) == texture_map_get(&map, handle));
    texture_map_fini(&map);
    texture_map_fini(&map);
    CHECK(texture_map_init(&map, UINT32_MAX) == HM_ERROR_INVALID);
    CHECK(texture_map_count(&map) == 0);
    CHECK(texture_map_init(NULL, 5) == HM_ERROR_INVALID);
}

TEST(map_typed, init_names_the_map_for_its_messages)
{
    texture_map map;
    CHECK(texture_map_init(&map, TEXTURES) == HM_OK);
    CHECK(strcmp(map.map.name, "texture") == 0);
    texture_map_fini(&map);
}

TEST(map_typed, init_desc_overrides_size_and_alignment)
{
    sprite_map map;
    hm_map_desc desc = {.item_size = 1, .item_align = 1, .capacity = 7};
    desc.meta_size = 4;
    CHECK(sprite_map_init_desc(&map, &desc) == HM_OK);
    for (uint32_t i = 0; i < 7; i++) {
        sprite_handle handle = sprite_map_insert(&map, NULL);
        struct sprite *sprite = sprite_map_get(&map, handle);
        CHECK((uintptr_t)sprite % 64 == 0);
        CHECK(hm_handle_type_id(handle.id) == 0x7FFF);
        CHECK(sprite == sprite_map_items(&map) + i);
        CHECK(sprite_map_meta_at(&map, i) != NULL);
    }
    CHECK(hm_handle_is_null(sprite_map_insert(&map, NULL).id));
    sprite_map_fini(&map);
    CHECK(sprite_map_init_desc(&map, NULL) == HM_ERROR_INVALID);
    CHECK(sprite_map_count(&map) == 0);
    CHECK(sprite_map_init_desc(NULL, &desc) == HM_ERROR_INVALID);
}

TEST(map_typed, items_are_found_by_handle_and_index)
{
    texture_map map;
    texture_handle handles[TEXTURES];
    fill(&map, handles);
    CHECK(texture_map_count(&map) == TEXTURES);
    for (uint32_t i = 0; i < TEXTURES; i++) {
        CHECK(texture_map_contains(&map, handles[i]));
        CHECK(texture_map_index_of(&map, handles[i]) == i);
        CHECK(hm_handle_equal(texture_map_handle_at(&map, i).id, handles[i].id));
        CHECK(texture_map_get(&map, handles[i]) == texture_map_items(&map) + i);
        CHECK(is_texture(texture_map_get(&map, handles[i]), (int)i));
    }
    CHECK(texture_map_reserve(&map, 1) == HM_ERROR_FULL);
    CHECK(texture_map_reserve(&map, 0) == HM_OK);
    texture_map_fini(&map);
}

TEST(map_typed, emplace_hands_out_the_place)
{
    byte_map map;
    unsigned char *place = NULL;
    CHECK(byte_map_init(&map, 1) == HM_OK);
    byte_handle handle = byte_map_emplace(&map, &place);
    CHECK(place != NULL);
    *place = 200;
    CHECK(*byte_map_get(&map, handle) == 200);
    handle = byte_map_emplace(&map, &place);
    CHECK(place == NULL && hm_handle_is_null(handle.id));
    byte_map_fini(&map);
}

TEST(map_typed, erase_moves_the_last_item_into_the_hole)
{
    texture_map map;
    texture_handle handles[TEXTURES];
    fill(&map, handles);
    CHECK(texture_map_erase(&map, handles[4]));
    CHECK(!texture_map_erase(&map, handles[4]));
    CHECK(texture_map_get(&map, handles[4]) == NULL);
    CHECK(texture_map_index_of(&map, handles[TEXTURES - 1]) == 4);
    CHECK(is_texture(texture_map_items(&map) + 4, TEXTURES - 1));
    CHECK(texture_map_erase(&map, texture_map_handle_at(&map, TEXTURES - 2)));
    CHECK(texture_map_count(&map) == TEXTURES - 2);
    texture_map_clear(&map);
    CHECK(texture_map_count(&map) == 0 && !texture_map_contains(&map, handles[0]));
    CHECK(hm_map_validate(&map.map) == HM_OK);
    texture_map_fini(&map);
}

static uint32_t destroyed;

static void count_destroyed(void *item, void *context)
{
    const struct texture *texture = item;
    CHECK(context == &destroyed && is_texture(texture, texture->width));
    destroyed++;
}

TEST(map_typed, erase_runs_the_hooks)
{
    texture_map map;
    hm_map_desc desc = {.capacity = 9, .destroy = count_destroyed, .context = &destroyed};
    CHECK(texture_map_init_desc(&map, &desc) == HM_OK);
    destroyed = 0;
    for (int i = 0; i < 9; i++) {
        struct texture texture = texture_of(i);
        texture_map_insert(&map, &texture);
    }
    CHECK(texture_map_erase(&map, texture_map_handle_at(&map, 2)) && destroyed == 1);
    texture_map_fini(&map);
    CHECK(destroyed == 9);
}

static bool is_narrow(const struct texture *texture, void *context)
{
    return texture->width < *(int *)context;
}

static int by_falling_width(const void *a, const void *b, void *context)
{
    const struct texture *left = a, *right = b;
    (void)context;
    return (left->width < right->width) - (left->width > right->width);
}

TEST(map_typed, erase_if_and_defragment_go_through)
{
    texture_map map;
    texture_handle handles[TEXTURES];
    int limit = 5;
    const hm_order order = {.compare = by_falling_width};
    fill(&map, handles);
    CHECK(texture_map_erase_if(&map, is_narrow, &limit) == 5);
    CHECK(texture_map_count(&map) == TEXTURES - 5);
    hm_progress progress = texture_map_defragment(&map, &order, (hm_budget){1, 0});
    CHECK(progress.swaps <= 1 && !progress.done);
    CHECK(texture_map_defragment(&map, &order, (hm_budget){0, 0}).done);
    for (uint32_t i = 0; i < TEXTURES - 5; i++) {
        CHECK(is_texture(texture_map_items(&map) + i, TEXTURES - 1 - (int)i));
        CHECK(is_texture(texture_map_get(&map, handles[i + 5]), (int)i + 5));
    }
    texture_map_fini(&map);
}

TEST(map_typed, a_handle_of_another_type_is_foreign)
{
    texture_map textures;
    byte_map bytes;
    CHECK(texture_map_init(&textures, 4) == HM_OK && byte_map_init(&bytes, 4) == HM_OK);
    texture_handle handle = texture_map_insert(&textures, NULL);
    byte_map_insert(&bytes, NULL);
    CHECK(hm_map_explain(&bytes.map, handle.id) == HM_HANDLE_FOREIGN);
    CHECK(!byte_map_contains(&bytes, (byte_handle){handle.id}));
    texture_map_fini(&textures);
    byte_map_fini(&bytes);
}

static texture_map *const no_map;
static struct texture *no_place;

DEATH_TEST(map_typed, insert_without_a_map_panics)
{
    texture_map_insert(no_map, NULL);
}

DEATH_TEST(map_typed, emplace_without_a_map_panics)
{
    texture_map_emplace(no_map, &no_place);
}

DEATH_TEST(map_typed, get_without_a_map_panics)
{
    texture_map_get(no_map, (texture_handle){HM_NULL_HANDLE});
}

DEATH_TEST(map_typed, erase_without_a_map_panics)
{
    texture_map_erase(no_map, (texture_handle){HM_NULL_HANDLE});
}

DEATH_TEST(map_typed, fini_without_a_map_panics)
{
    texture_map_fini(no_map);
}

DEATH_TEST(map_typed, clear_without_a_map_panics)
{
    texture_map_clear(no_map);
}

DEATH_TEST(map_typed, reserve_without_a_map_panics)
{
    texture_map_reserve(no_map, 1);
}

DEATH_TEST(map_typed, contains_without_a_map_panics)
{
    texture_map_contains(no_map, (texture_handle){HM_NULL_HANDLE});
}

DEATH_TEST(map_typed, count_without_a_map_panics)
{
    texture_map_count(no_map);
}

DEATH_TEST(map_typed, items_without_a_map_panics)
{
    texture_map_items(no_map);
}

DEATH_TEST(map_typed, handle_at_without_a_map_panics)
{
    texture_map_handle_at(no_map, 0);
}

DEATH_TEST(map_typed, index_of_without_a_map_panics)
{
    texture_map_index_of(no_map, (texture_handle){HM_NULL_HANDLE});
}

static uint64_t key_of_nothing(const void *item, void *context)
{
    (void)item;
    (void)context;
    return 0;
}

DEATH_TEST(map_typed, defragment_without_a_map_panics)
{
    texture_map_defragment(no_map, &(hm_order){.key = key_of_nothing}, (hm_budget){0, 0});
}

static bool is_doomed(const struct texture *item, void *context)
{
    (void)item;
    (void)context;
    return true;
}

DEATH_TEST(map_typed, erase_if_without_a_map_panics)
{
    texture_map_erase_if(no_map, is_doomed, NULL);
}

DEATH_TEST(map_typed, emplace_without_a_place_panics)
{
    texture_map map = {{0}};
    texture_map_emplace(&map, NULL);
}

DEATH_TEST(map_typed, erase_if_without_a_predicate_panics)
{
    texture_map map = {{0}};
    texture_map_erase_if(&map, NULL, NULL);
}
