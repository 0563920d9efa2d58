/* SPDX-License-Identifier: MIT */
/* The demo's files. See demo_save.h. */
#include "demo_save.h"

static const hm_save_desc materials = {.name = "materials"};
static const hm_save_desc drawn = {.name = "draw list"};
static const hm_save_desc numbers_format = {.name = "numbers"};

/* Numbers that go into a map of them, or come from there: so one list of the fields is enough for
 * both ways, and the file has a checksum of them too. */
struct numbers {
    hm_map map; /* of uint64_t */
    bool is_load;
    bool has_failed;
    uint32_t next; /* position in the map, of a load */
};

static void pass(struct numbers *numbers, uint64_t *number)
{
    if (!numbers->is_load) {
        numbers->has_failed |= hm_handle_is_null(hm_map_insert(&numbers->map, number));
        return;
    }
    numbers->has_failed |= numbers->next >= hm_map_count(&numbers->map);
    *number = 0;
    if (!numbers->has_failed)
        *number = ((const uint64_t *)hm_map_items(&numbers->map))[numbers->next++];
}

static void pass_32(struct numbers *numbers, uint32_t *number)
{
    uint64_t wide = *number;
    pass(numbers, &wide);
    numbers->has_failed |= wide > UINT32_MAX;
    *number = (uint32_t)wide;
}

/* Returns the number of items, for which there is space then. */
static uint32_t pass_count(struct numbers *numbers, hm_array *array)
{
    uint32_t count = (uint32_t)hm_array_count(array);
    pass_32(numbers, &count);
    numbers->has_failed |= count > hm_map_count(&numbers->map);
    if (numbers->is_load && !numbers->has_failed)
        numbers->has_failed = hm_array_resize(array, count) != HM_OK;
    return numbers->has_failed ? 0 : count;
}

static void pass_group(struct numbers *numbers, struct demo_group *group)
{
    uint32_t in_view = group->in_view;
    pass(numbers, &group->plot.id.bits);
    pass(numbers, &group->top.id.bits);
    pass(numbers, &group->last_built.id.bits);
    pass_32(numbers, &group->count);
    pass_32(numbers, &in_view);
    pass_32(numbers, &group->distance);
    group->in_view = in_view != 0;
}

static void pass_simulation(struct numbers *numbers, struct simulation *s)
{
    uint64_t *const wide[] = {&s->random,  &s->stale_count, &s->issued,
                              &s->refused, &s->resolved,    &s->issued_hash};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        pass(numbers, wide[i]);
    pass_32(numbers, &s->turn);
    pass_32(numbers, &s->steps);
    pass_32(numbers, &s->plot_side);
    for (int i = 0; i < DEMO_STALE_KEPT; i++)
        pass(numbers, &s->stale[i].id.bits);
    uint32_t count = pass_count(numbers, &s->plots);
    for (uint32_t i = 0; i < count; i++)
        pass(numbers, &((scene_node_handle *)hm_array_at(&s->plots, i))->id.bits);
    count = pass_count(numbers, &s->groups);
    for (uint32_t i = 0; i < count; i++)
        pass_group(numbers, hm_array_at(&s->groups, i));
}

/* Whether the file is of such a simulation. */
static bool pass_settings(struct numbers *numbers, const struct demo_settings *settings)
{
    const uint32_t wanted[] = {settings->nodes, settings->model_count, settings->elsewhere};
    bool is_same = true;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        uint32_t number = wanted[i];
        pass_32(numbers, &number);
        is_same &= number == wanted[i];
    }
    return is_same;
}

static bool begin_numbers(struct numbers *numbers, bool is_load)
{
    const hm_map_desc desc = {.item_size = sizeof(uint64_t)};
    *numbers = (struct numbers){.is_load = is_load};
    return hm_map_init(&numbers->map, &desc) == HM_OK;
}

const char *simulation_save(const struct simulation *simulation, hm_sink sink)
{
    struct simulation s = *simulation; /* which a pass only reads */
    struct numbers numbers;
    bool is_saved = begin_numbers(&numbers, false);
    (void)pass_settings(&numbers, s.settings);
    pass_simulation(&numbers, &s);
    is_saved =
        is_saved && !numbers.has_failed && scene_save(&simulation->scene, sink) == HM_OK &&
        hm_secondary_save(&simulation->draw_list.materials.secondary, &materials, sink) == HM_OK &&
        hm_secondary_save(&simulation->draw_list.items.secondary, &drawn, sink) == HM_OK &&
        hm_map_save(&numbers.map, &numbers_format, sink) == HM_OK;
    hm_map_fini(&numbers.map);
    return is_saved ? NULL : hm_last_error();
}

/* A group is moved and destroyed through its nodes, so these must be there. */
static bool has_its_nodes(const struct simulation *s)
{
    for (size_t i = 0; i < hm_array_count(&s->groups); i++) {
        const struct demo_group *group = hm_array_at(&s->groups, i);
        if (scene_get(&s->scene, group->plot) == NULL || scene_get(&s->scene, group->top) == NULL)
            return false;
    }
    return hm_array_count(&s->groups) > 0 && hm_array_count(&s->plots) > 0 && s->plot_side > 0;
}

const char *simulation_load(struct simulation *s, const struct demo_settings *settings,
                            bool defragments, hm_source source)
{
    struct numbers numbers;
    const char *reason = NULL;
    if (!begin_numbers(&numbers, true) || !simulation_begin(s, settings, defragments) ||
        scene_load(&s->scene, 0, settings->memory, source) != HM_OK ||
        draw_list_init(&s->draw_list, &s->scene, settings->memory) != HM_OK ||
        hm_secondary_load(&s->draw_list.materials.secondary, &materials, source) != HM_OK ||
        hm_secondary_load(&s->draw_list.items.secondary, &drawn, source) != HM_OK ||
        hm_map_load(&numbers.map, &numbers_format, source) != HM_OK)
        reason = *hm_last_error() != '\0' ? hm_last_error() : "the nodes are no tree";
    else if (!pass_settings(&numbers, settings))
        reason = "the file is of other --nodes, other models, or another choice of --elsewhere";
    if (reason == NULL) {
        pass_simulation(&numbers, s);
        if (numbers.has_failed || !has_its_nodes(s))
            reason = "the numbers of the file are of no scene";
    }
    hm_map_fini(&numbers.map);
    return reason;
}
