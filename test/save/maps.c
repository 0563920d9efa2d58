/* SPDX-License-Identifier: MIT */
/* The row of the map. */
#include "saves.h"

enum { TYPE_OF_MAPS = 77, BURST = 512 };

static const hm_map_desc shapes[] = {
    {.item_size = 4},
    {.item_size = 40, .max_slots = 700},
    {.item_size = 1, .capacity = 20},
    {.item_size = 24, .capacity = 700, .max_slots = 1300, .meta_size = 8},
    {.item_size = 8, .max_slots = 3000, .meta_size = 3},
    {.item_size = 4, .capacity = 64, .max_slots = 64, .meta_size = 1},
    {.item_size = 100, .capacity = 1000, .max_slots = 4000},
    {.item_size = 12, .capacity = 5, .max_slots = 5000},
};

static saved_answer add(saved *made, uint64_t *random)
{
    hm_map *map = &made->map;
    unsigned char item[128];
    uint64_t state = *random;
    saved_fill(item, map->item_size, &state);
    hm_handle handle = hm_map_insert(map, item);
    void *meta = hm_map_meta_at(map, hm_map_index_of(map, handle));
    if (meta != NULL)
        saved_fill(meta, map->extras->meta_array.item_size, &state);
    return saved_issued(handle);
}

static uint32_t run(saved *made, uint32_t choice, uint64_t *random)
{
    hm_map *map = &made->map;
    uint32_t count = hm_map_count(map);
    if (choice < 30)
        saved_age(&map->ids, random);
    else if (choice < 60)
        (void)hm_map_adopt(map, saved_adoptee(map->ids.slot_count, map->ids.type_id, random), NULL);
    else if (choice < 400)
        (void)hm_map_erase_at(map, test_random_below(random, count + 1));
    else if (choice < 420) /* the last ones, so that a trim drops slots */
        for (uint32_t n = test_random_below(random, count + 1); n > 0; n--)
            CHECK(hm_map_erase_at(map, hm_map_count(map) - 1));
    else
        return choice < 440 ? test_random_below(random, BURST) : 1;
    return 0;
}

static void compare(const saved *a, const saved *b)
{
    const hm_map *map = &a->map, *other = &b->map;
    uint32_t count = hm_map_count(map);
    saved_compare_ids(&map->ids, &other->ids);
    CHECK(count == 0 ||
          memcmp(hm_map_items(map), hm_map_items(other), map->item_size * count) == 0);
    for (uint32_t i = 0; i < count; i++) {
        CHECK(hm_map_handle_at(map, i).bits == hm_map_handle_at(other, i).bits);
        const void *meta = hm_map_meta_at(map, i), *same = hm_map_meta_at(other, i);
        CHECK((meta == NULL) == (same == NULL));
        CHECK(meta == NULL || memcmp(meta, same, map->extras->meta_array.item_size) == 0);
    }
}

SAVED_DESC(map, TYPE_OF_MAPS)
SAVED_KIND(map)
