/* SPDX-License-Identifier: MIT */
/* The state spaces of a map. */
#include "dense_space.h"

#include "support/map_model.h"

static uint32_t list_windows(size_t *windows)
{
    windows[0] = 7 * DENSE_WINDOW; /* entries, slots, items, meta, and extras, which are longer */
    return 1;
}

static hm_status init(void)
{
    const hm_map_desc desc = {.item_size = dense_config->item_size,
                              .capacity = dense_config->capacity,
                              .max_slots = dense_config->max_slots,
                              .type_id = SPACE_TYPE_ID,
                              .meta_size = dense_config->meta_size};
    return map_model_init(&dense, &desc, dense_config->page_size, dense_config->hooks,
                          dense_config->hooks);
}

static size_t needed_size(void)
{
    return space_in_pages(dense_config, dense_config->item_size * dense.count) +
           space_in_pages(dense_config, dense_config->meta_size * dense.count) +
           (dense.map.extras != NULL ? space_in_pages(dense_config, sizeof(hm_map_extras)) : 0);
}

static void blank_items(void)
{
    hm_map *map = &dense.map;
    blank_behind(&map->item_array, dense_config->item_size * map->ids.count);
    BLANK(map->item_array.count);
    if (map->extras == NULL)
        return;
    blank_behind(&map->extras->meta_array, dense_config->meta_size * map->ids.count);
    BLANK(map->extras->meta_array.count);
}

static hm_status save(hm_sink sink)
{
    return hm_map_save(&dense.map, NULL, sink);
}

static hm_status load(hm_source source)
{
    return hm_map_load(&dense.map, NULL, source);
}

static size_t begin(const space_config *config)
{
    static const dense_space of = {&map_subject, list_windows, init, needed_size,
                                   blank_items,  save,         load};
    return dense_space_begin(config, &of);
}

const space_kind map_space = {&map_subject,
                              0,
                              begin,
                              dense_space_end,
                              subject_check,
                              dense_space_list,
                              dense_space_is_possible,
                              dense_space_take};
