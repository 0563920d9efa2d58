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

static void fill(void *bytes, size_t size, uint64_t *random)
{
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)bytes)[i] = (unsigned char)test_random(random);
}

static hm_handle insert(hm_map *map, uint64_t *random)
{
    unsigned char item[128];
    uint64_t state = *random;
    fill(item, map->item_size, &state);
    hm_handle handle = hm_map_insert(map, item);
    void *meta = hm_map_meta_at(map, hm_map_index_of(map, handle));
    if (meta != NULL)
        fill(meta, map->extras->meta_array.item_size, &state);
    return handle;
}

/* Gives a free slot a generation near the last, as if it had been used so often. */
static void age(hm_map *map, uint64_t *random)
{
    hm_id_table *ids = &map->ids;
    if (ids->used == ids->count)
        return;
    uint32_t slot = ids->slots[ids->count + test_random_below(random, ids->used - ids->count)];
    uint32_t lives = HM_HANDLE_MAX_GENERATION - hm_handle_generation(ids->entries[slot]);
    uint32_t most = test_random_below(random, 3);
    if (lives > most)
        ids->entries[slot].bits += (uint64_t)(lives - most) << HM_HANDLE_GENERATION_SHIFT;
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
        age(map, random);
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

static hm_status save(const saved *made, const hm_save_desc *desc, hm_sink sink)
{
    return hm_map_save(&made->map, desc, sink);
}

static hm_status load(saved *made, const hm_save_desc *desc, hm_source source)
{
    return hm_map_load(&made->map, desc, source);
}

static hm_status validate(const saved *made)
{
    return hm_map_validate(&made->map);
}

static hm_stats get_stats(const saved *made)
{
    return hm_map_get_stats(&made->map);
}

static void compare(const saved *a, const saved *b)
{
    const hm_map *map = &a->map, *other = &b->map;
    uint32_t count = hm_map_count(map), slots = map->ids.dropped_end + map->ids.slot_count + 2;
    hm_stats stats = hm_map_get_stats(map), others = hm_map_get_stats(other);
    CHECK(count == hm_map_count(other) && stats.slots == others.slots);
    CHECK(stats.free_slots == others.free_slots && stats.retired_slots == others.retired_slots);
    CHECK(count == 0 ||
          memcmp(hm_map_items(map), hm_map_items(other), map->item_size * count) == 0);
    for (uint32_t i = 0; i < count; i++) {
        CHECK(hm_map_handle_at(map, i).bits == hm_map_handle_at(other, i).bits);
        const void *meta = hm_map_meta_at(map, i), *same = hm_map_meta_at(other, i);
        CHECK((meta == NULL) == (same == NULL));
        CHECK(meta == NULL || memcmp(meta, same, map->extras->meta_array.item_size) == 0);
    }
    for (uint32_t slot = 0; slot < slots; slot++)
        for (uint32_t generation = 1; generation < 12; generation++) {
            hm_handle early = hm_handle_pack(slot, generation, 77);
            hm_handle late = hm_handle_pack(slot, HM_HANDLE_MAX_GENERATION + 1 - generation, 77);
            CHECK(hm_map_explain(map, early) == hm_map_explain(other, early));
            CHECK(hm_map_explain(map, late) == hm_map_explain(other, late));
        }
}

static bool go_on(saved *a, saved *b, uint64_t *random)
{
    hm_handle handle = insert(&a->map, random), other = insert(&b->map, random);
    CHECK(handle.bits == other.bits);
    return !hm_handle_is_null(handle);
}

static void fini(saved *made)
{
    hm_map_fini(&made->map);
}

const saved_kind saved_map = {
    .name = "map",
    .shapes = sizeof shapes / sizeof *shapes,
    .init = init,
    .run = run,
    .save = save,
    .load = load,
    .validate = validate,
    .get_stats = get_stats,
    .compare = compare,
    .go_on = go_on,
    .fini = fini,
};
