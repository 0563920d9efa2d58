/* SPDX-License-Identifier: MIT */
/* The row of the map. */
#include "saves.h"

enum { SMALL_UNIT = 512 };

static const struct {
    uint32_t capacity, max_slots;
    size_t item_size, meta_size;
} shapes[] = {
    {0, 0, 4, 0},    {0, 700, 40, 0}, {20, 0, 1, 0},        {700, 1300, 24, 8},
    {0, 3000, 8, 3}, {64, 64, 4, 1},  {1000, 4000, 100, 0}, {5, 5000, 12, 0},
};

static void init(saved *made, uint32_t shape, const hm_memory *memory)
{
    hm_map_desc desc = {.item_size = shapes[shape].item_size,
                        .capacity = shapes[shape].capacity,
                        .max_slots = shapes[shape].max_slots,
                        .meta_size = shapes[shape].meta_size,
                        .type_id = 77,
                        .memory = memory,
                        .name = "things"};
    CHECK(hm_map_init(&made->map, &desc) == HM_OK);
}

static hm_handle insert(hm_map *map, uint64_t *random)
{
    unsigned char item[128];
    uint64_t state = *random;
    saved_fill(item, map->item_size, &state);
    hm_handle handle = hm_map_insert(map, item);
    void *meta = hm_map_meta_at(map, hm_map_index_of(map, handle));
    if (meta != NULL)
        saved_fill(meta, map->extras->meta_array.item_size, &state);
    return handle;
}

static void run(saved *made, uint64_t *random)
{
    hm_map *map = &made->map;
    uint32_t count = hm_map_count(map), choice = test_random_below(random, 1000);
    if (choice < 3)
        hm_map_clear(map);
    else if (choice < 10)
        CHECK(hm_map_trim(map) == HM_OK);
    else if (choice < 30)
        saved_age(&map->ids, random);
    else if (choice < 60)
        (void)hm_map_adopt(map, saved_adoptee(map->ids.slot_count, map->ids.type_id, random), NULL);
    else if (choice < 400)
        (void)hm_map_erase_at(map, test_random_below(random, count + 1));
    else if (choice < 420) /* the last ones, so that a trim drops slots */
        for (uint32_t n = test_random_below(random, count + 1); n > 0; n--)
            CHECK(hm_map_erase_at(map, hm_map_count(map) - 1));
    else if (choice < 440)
        for (uint32_t n = test_random_below(random, SMALL_UNIT); n > 0; n--)
            (void)insert(map, random);
    else
        (void)insert(map, random);
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

SAVED_INSERTS(map)
SAVED_KIND(map)
