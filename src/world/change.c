/* SPDX-License-Identifier: MIT */
/* world: add, remove and change. All memory that a change needs is prepared first, so that nothing
 * can fail once it has begun. Then the entity moves to its new archetype, and only then hooks
 * run. */
#include "world_private.h"

#include "../dense/dense_private.h"

/* add and remove */

/* Finds the archetype with this component more or less. O(1) the second time. */
static inline hm_status change_follow_edge(hm_world *world, uint32_t archetype, uint32_t number,
                                           uint32_t *to)
{
    const hm_world_archetype *from = &world->archetypes[archetype];
    *to = number < from->cell_count ? from->edges[number] : HM_WORLD_NONE;
    return *to != HM_WORLD_NONE ? HM_OK : hm_world_find_edge(world, archetype, number, to);
}

/* The same, and makes a row fit there. */
static inline hm_status change_prepare_edge(hm_world *world, uint32_t archetype, uint32_t number,
                                            uint32_t *to)
{
    hm_status status = change_follow_edge(world, archetype, number, to);
    return status == HM_OK ? hm_world_prepare_rows(world, *to, 1) : status;
}

HM_INLINE hm_status change_add_sparse(hm_world *world, hm_handle entity, uint32_t number,
                                      const void *value)
{
    const hm_secondary *sparse = hm_world_sparse(world, number);
    bool fits =
        hm_handle_index(entity) < world->mask_array.limit && hm_secondary_appends(sparse, entity);
    hm_status status = fits ? HM_OK : hm_world_prepare_sparse_n(world, number, &entity, 1);
    if (status != HM_OK)
        return status;
    hm_world_create_promised(world);
    hm_world_set_sparse(world, number, entity, value);
    return HM_OK;
}

/* Replaces a value at its place. */
static void change_replace(hm_world *world, hm_world_place place, uint32_t number,
                           const void *value)
{
    if (hm_world_record(world, number)->size == 0)
        return;
    hm_world_destroy_value(world, number, hm_world_value_at(world, place, number));
    hm_world_write(world, place, number, value);
}

hm_status hm_world_add_at(hm_world *world, hm_world_place *at, hm_handle entity, uint32_t number,
                          const void *value)
{
    const hm_world_component_record *record = hm_world_record(world, number);
    if (value != NULL && record->size == 0)
        return hm_world_refuse_component(world, number, HM_WORLD_IS_TAG);
    if (value == NULL)
        value = record->initial;
    if (record->sparse != HM_WORLD_NONE)
        return change_add_sparse(world, entity, number, value);
    uint32_t from = hm_world_place_archetype(*at), to;
    if (hm_world_cell_of(&world->archetypes[from], number)->is_present) {
        hm_world_create_promised(world);
        change_replace(world, *at, number, value);
        return HM_OK;
    }
    hm_status status = change_prepare_edge(world, from, number, &to);
    if (status != HM_OK)
        return status;
    hm_world_create_promised(world);
    hm_world_move_row(world, at, to, number, value);
    return HM_OK;
}

hm_status hm_world_add(hm_world *world, hm_handle entity, hm_component component, const void *value)
{
    HM_CONTRACT(world != NULL, "hm_world_add: world is NULL");
    uint32_t number;
    hm_world_place *at;
    hm_status status = hm_world_find_target(world, entity, &at);
    if (status == HM_OK)
        status = hm_world_read_component(world, component, &number);
    return status == HM_OK ? hm_world_add_at(world, at, entity, number, value) : status;
}

/* Moves the entity whose place is at `at`. Inline, since a call for one entity does little else. */
HM_INLINE void change_move(hm_world *world, hm_world_place *at, uint32_t to)
{
    hm_world_place place = *at;
    *at = hm_world_copy_row(world, place, to);
    if (world->archetypes[hm_world_place_archetype(place)].hook_count == 0) {
        hm_world_remove_row(world, place);
        return;
    }
    place = hm_world_retire_row(world, place);
    hm_world_destroy_row(world, place, &world->archetypes[to]);
    hm_world_forget_row(world, place);
}

hm_status hm_world_remove_at(hm_world *world, hm_world_place *at, hm_handle entity, uint32_t number)
{
    if (hm_world_is_sparse(world, number)) {
        hm_world_create_promised(world);
        hm_world_unset_sparse(world, number, entity);
        return HM_OK;
    }
    uint32_t from = hm_world_place_archetype(*at), to;
    if (!hm_world_cell_of(&world->archetypes[from], number)->is_present) {
        hm_world_create_promised(world);
        return HM_OK;
    }
    hm_status status = change_prepare_edge(world, from, number, &to);
    if (status != HM_OK)
        return status;
    hm_world_create_promised(world); /* It has a component, so it lives: its place stays. */
    if (hm_world_record(world, number)->destroy == NULL)
        hm_world_move_row(world, at, to, number, NULL);
    else
        change_move(world, at, to);
    return HM_OK;
}

hm_status hm_world_remove(hm_world *world, hm_handle entity, hm_component component, bool *removed)
{
    HM_CONTRACT(world != NULL, "hm_world_remove: world is NULL");
    uint32_t number;
    hm_world_place *at;
    bool has = removed != NULL && hm_world_has(world, entity, component);
    hm_status status = hm_world_find_target(world, entity, &at);
    if (status == HM_OK)
        status = hm_world_read_component(world, component, &number);
    if (status == HM_OK)
        status = hm_world_remove_at(world, at, entity, number);
    if (removed != NULL)
        *removed = status == HM_OK && has;
    return status;
}

/* change */

hm_status hm_world_read_delta(const hm_world *world, const hm_component *add, uint32_t n_add,
                              const hm_component *remove, uint32_t n_remove, hm_world_delta *delta)
{
    if ((add == NULL && n_add > 0) || (remove == NULL && n_remove > 0))
        return hm_fail(HM_ERROR_INVALID, "a set is NULL, but its number is not 0");
    hm_status status = hm_world_read_set(world, add, n_add, &delta->add);
    if (status == HM_OK)
        status = hm_world_read_set(world, remove, n_remove, &delta->remove);
    for (uint32_t i = 0; status == HM_OK && i < delta->remove.count; i++)
        if (hm_world_set_has(&delta->add, delta->remove.numbers[i]))
            status = hm_world_refuse_component(world, delta->remove.numbers[i],
                                               "is both added and removed");
    return status;
}

/* Finds the archetype that an entity of archetype `from` belongs to after the delta: a merge of its
 * set and what is added, without what is removed. */
hm_status hm_world_archetype_after(hm_world *world, uint32_t from, const hm_world_delta *delta,
                                   uint32_t *to)
{
    const hm_world_archetype *archetype = &world->archetypes[from];
    const hm_world_set *add = &delta->add, *remove = &delta->remove;
    hm_world_set set;
    uint32_t added = 0, removed = 0;
    set.count = 0; /* An initializer would clear the 2 KiB of numbers too. */
    for (uint32_t i = 0; i < archetype->set_count || added < add->count;) {
        bool is_added = i == archetype->set_count ||
                        (added < add->count && add->numbers[added] <= archetype->set[i]);
        uint16_t number = is_added ? add->numbers[added++] : archetype->set[i];
        i += i < archetype->set_count && archetype->set[i] == number;
        while (removed < remove->count && remove->numbers[removed] < number)
            removed++;
        bool is_removed = removed < remove->count && remove->numbers[removed] == number;
        if (!is_removed && !hm_world_is_sparse(world, number))
            set.numbers[set.count++] = number;
    }
    return hm_world_archetype_of(world, &set, to);
}

hm_status hm_world_prepare_delta_n(hm_world *world, const hm_handle *entities, uint32_t n,
                                   const hm_world_delta *delta)
{
    hm_status status = HM_OK;
    uint32_t gaining = HM_WORLD_NONE, last = HM_WORLD_NONE, to = HM_WORLD_NONE;
    for (uint32_t i = 0; i < n && status == HM_OK; i++) {
        uint32_t from = hm_world_place_archetype(*hm_world_place_of(world, entities[i]));
        if (from != last)
            status = hm_world_archetype_after(world, from, delta, &to);
        last = from;
        if (status == HM_OK && to != from)
            hm_world_add_gain(world, &gaining, to, 1);
    }
    status = hm_world_prepare_gains(world, gaining, status);
    for (uint32_t i = 0; i < delta->add.count && status == HM_OK; i++)
        if (hm_world_is_sparse(world, delta->add.numbers[i]))
            status = hm_world_prepare_sparse_n(world, delta->add.numbers[i], entities, n);
    return status;
}

/* Adds the sparse components that the entity does not have, as zero, and lists the components that
 * it has already: their values will be replaced. */
static void change_add_new(hm_world *world, hm_handle entity, uint32_t from,
                           const hm_world_set *add, hm_world_set *replaced)
{
    replaced->count = 0;
    for (uint32_t i = 0; i < add->count; i++) {
        uint16_t number = add->numbers[i];
        bool is_sparse = hm_world_is_sparse(world, number);
        bool has = is_sparse ? hm_secondary_contains(hm_world_sparse(world, number), entity)
                             : hm_world_cell_of(&world->archetypes[from], number)->is_present;
        if (has)
            replaced->numbers[replaced->count++] = number;
        else if (is_sparse)
            hm_world_set_sparse(world, number, entity, NULL);
    }
}

void hm_world_apply_delta(hm_world *world, hm_handle entity, const hm_world_delta *delta)
{
    hm_world_place *at = hm_world_place_of(world, entity);
    uint32_t from = hm_world_place_archetype(*at), to;
    (void)hm_world_archetype_after(world, from, delta, &to);
    /* Hooks see all that is added, so what has none comes first. */
    hm_world_set replaced;
    change_add_new(world, entity, from, &delta->add, &replaced);
    if (to != from)
        change_move(world, at, to);
    for (uint32_t i = 0; i < replaced.count; i++) {
        if (hm_world_is_sparse(world, replaced.numbers[i]))
            hm_world_set_sparse(world, replaced.numbers[i], entity, NULL);
        else
            change_replace(world, *at, replaced.numbers[i], NULL);
    }
    for (uint32_t i = 0; i < delta->remove.count; i++) {
        uint32_t number = delta->remove.numbers[i];
        if (hm_world_is_sparse(world, number))
            hm_world_unset_sparse(world, number, entity);
    }
}

/* Whether the components are those that were given for this transition. */
static bool change_is_transition(const hm_world_transition *transition, const hm_component *add,
                                 uint32_t n_add, const hm_component *remove, uint32_t n_remove)
{
    if (transition->add_count != n_add || transition->remove_count != n_remove ||
        n_add + n_remove == 0)
        return false;
    if ((add == NULL && n_add > 0) || (remove == NULL && n_remove > 0))
        return false;
    for (uint32_t i = 0; i < n_add; i++)
        if (transition->components[i] != add[i])
            return false;
    for (uint32_t i = 0; i < n_remove; i++)
        if (transition->components[n_add + i] != remove[i])
            return false;
    return true;
}

/* Remembers a transition between two archetypes if that is all that the change did. */
static void change_remember(hm_world *world, hm_world_transition *transition,
                            const hm_component *add, uint32_t n_add, const hm_component *remove,
                            uint32_t n_remove)
{
    if (transition->from == transition->to || n_add > HM_WORLD_MEMO ||
        n_remove > HM_WORLD_MEMO - n_add)
        return;
    for (uint32_t i = 0; i < n_add; i++) {
        uint32_t number = add[i] - world->salt;
        if (hm_world_is_sparse(world, number) ||
            hm_world_cell_of(&world->archetypes[transition->from], number)->is_present)
            return;
        transition->components[i] = add[i];
    }
    for (uint32_t i = 0; i < n_remove; i++) {
        if (hm_world_is_sparse(world, remove[i] - world->salt))
            return;
        transition->components[n_add + i] = remove[i];
    }
    transition->add_count = n_add;
    transition->remove_count = n_remove;
    *hm_world_transition_from(world, transition->from) = *transition;
}

/* Makes a change for the first time, or one that was forgotten. */
static hm_status change_anew(hm_world *world, const hm_world_place *at, hm_handle entity,
                             const hm_component *add, uint32_t n_add, const hm_component *remove,
                             uint32_t n_remove)
{
    hm_world_delta delta;
    delta.add.count = delta.remove.count = 0;
    hm_status status = hm_world_read_delta(world, add, n_add, remove, n_remove, &delta);
    if (status != HM_OK)
        return status;
    hm_world_transition transition = {.from = hm_world_place_archetype(*at)};
    status = hm_world_prepare_delta_n(world, &entity, 1, &delta);
    if (status != HM_OK)
        return status;
    hm_world_create_promised(world);
    hm_world_apply_delta(world, entity, &delta);
    transition.to = hm_world_place_archetype(*at);
    change_remember(world, &transition, add, n_add, remove, n_remove);
    return HM_OK;
}

hm_status hm_world_change(hm_world *world, hm_handle entity, const hm_component *add,
                          uint32_t n_add, const hm_component *remove, uint32_t n_remove)
{
    HM_CONTRACT(world != NULL, "hm_world_change: world is NULL");
    hm_world_place *at;
    hm_status status = hm_world_find_target(world, entity, &at);
    if (status != HM_OK)
        return status;
    uint32_t from = hm_world_place_archetype(*at);
    const hm_world_transition *transition = hm_world_transition_from(world, from);
    if (transition->from != from || !change_is_transition(transition, add, n_add, remove, n_remove))
        return change_anew(world, at, entity, add, n_add, remove, n_remove);
    status = hm_world_prepare_rows(world, transition->to, 1);
    if (status != HM_OK)
        return status;
    hm_world_create_promised(world);
    change_move(world, at, transition->to);
    return HM_OK;
}

hm_status hm_world_remove_all(hm_world *world, hm_handle entity)
{
    HM_CONTRACT(world != NULL, "hm_world_remove_all: world is NULL");
    hm_world_place *at;
    hm_status status = hm_world_find_target(world, entity, &at);
    if (status != HM_OK)
        return status;
    bool moves = hm_world_place_archetype(*at) != HM_WORLD_ROOT;
    if (moves)
        status = hm_world_prepare_rows(world, HM_WORLD_ROOT, 1);
    if (status != HM_OK)
        return status;
    hm_world_create_promised(world);
    if (moves)
        change_move(world, at, HM_WORLD_ROOT);
    hm_world_clear_sparse(world, entity);
    return HM_OK;
}

/* many entities */

/* Reads a component that n entities are to gain or lose, which all are alive or promised. */
static hm_status change_begin_n(hm_world *world, const hm_handle *entities, uint32_t n,
                                hm_component component, uint32_t *number)
{
    hm_status status = hm_world_check_idle(world);
    hm_world_place *at;
    for (uint32_t i = 0; i < n && status == HM_OK; i++)
        status = hm_world_find_target(world, entities[i], &at);
    return status == HM_OK ? hm_world_read_component(world, component, number) : status;
}

/* Prepares the rows that entities move to when they gain or lose a component, which is not
 * sparse. */
static hm_status change_prepare_edges(hm_world *world, const hm_handle *entities, uint32_t n,
                                      uint32_t number, bool gains)
{
    hm_status status = HM_OK;
    uint32_t gaining = HM_WORLD_NONE, to;
    for (uint32_t i = 0; i < n && status == HM_OK; i++) {
        uint32_t from = hm_world_place_archetype(*hm_world_place_of(world, entities[i]));
        if (hm_world_cell_of(&world->archetypes[from], number)->is_present == gains)
            continue;
        status = change_follow_edge(world, from, number, &to);
        if (status == HM_OK)
            hm_world_add_gain(world, &gaining, to, 1);
    }
    return hm_world_prepare_gains(world, gaining, status);
}

hm_status hm_world_add_n(hm_world *world, const hm_handle *entities, uint32_t n,
                         hm_component component, const void *values)
{
    HM_CONTRACT(world != NULL, "hm_world_add_n: world is NULL");
    HM_CONTRACT(entities != NULL || n == 0, "hm_world_add_n: entities is NULL");
    const unsigned char *bytes = values;
    uint32_t number;
    hm_status status = change_begin_n(world, entities, n, component, &number);
    if (status != HM_OK)
        return status;
    size_t size = hm_world_record(world, number)->size;
    if (values != NULL && size == 0)
        return hm_world_refuse_component(world, number, HM_WORLD_IS_TAG);
    status = hm_world_is_sparse(world, number)
                 ? hm_world_prepare_sparse_n(world, number, entities, n)
                 : change_prepare_edges(world, entities, n, number, true);
    if (status != HM_OK)
        return status;
    hm_world_create_promised(world);
    for (uint32_t i = 0; i < n; i++)
        (void)hm_world_add_at(world, hm_world_place_of(world, entities[i]), entities[i], number,
                              bytes != NULL ? bytes + size * i : NULL);
    return HM_OK;
}

hm_status hm_world_remove_n(hm_world *world, const hm_handle *entities, uint32_t n,
                            hm_component component, uint32_t *removed)
{
    HM_CONTRACT(world != NULL, "hm_world_remove_n: world is NULL");
    HM_CONTRACT(entities != NULL || n == 0, "hm_world_remove_n: entities is NULL");
    uint32_t number, count = 0;
    hm_status status = change_begin_n(world, entities, n, component, &number);
    if (status == HM_OK && !hm_world_is_sparse(world, number))
        status = change_prepare_edges(world, entities, n, number, false);
    if (status == HM_OK)
        hm_world_create_promised(world);
    for (uint32_t i = 0; i < n && status == HM_OK; i++) {
        count += removed != NULL && hm_world_has(world, entities[i], component);
        (void)hm_world_remove_at(world, hm_world_place_of(world, entities[i]), entities[i], number);
    }
    if (removed != NULL)
        *removed = count;
    return status;
}

/* touch */

void hm_world_touch(hm_world *world, hm_handle entity, hm_component component)
{
    HM_CONTRACT_AT_REST(world, "hm_world_touch");
    uint32_t number = component - world->salt;
    if (!hm_world_has(world, entity, component))
        return;
    if (hm_world_is_sparse(world, number)) {
        hm_secondary_touch(hm_world_sparse(world, number), entity);
        hm_world_record(world, number)->changed = ++world->clock;
        return;
    }
    hm_world_place place = *hm_world_place_of(world, entity);
    uint32_t index = hm_world_place_archetype(place);
    const hm_world_cell *cell = &world->archetypes[index].cells[number];
    if (cell->size == 0)
        return;
    hm_world_mark_column(world, index, cell->column);
    if (index == world->order_archetype)
        hm_world_disturb(world, place, world->archetypes[index].count);
}

void hm_world_touch_all(hm_world *world, hm_component component)
{
    HM_CONTRACT_AT_REST(world, "hm_world_touch_all");
    uint32_t number = component - world->salt;
    if (number >= world->component_count)
        return;
    if (hm_world_is_sparse(world, number)) {
        hm_secondary_touch_all(hm_world_sparse(world, number));
        hm_world_record(world, number)->changed = ++world->clock;
        return;
    }
    for (uint32_t i = 0; i < world->archetype_array.count; i++) {
        const hm_world_cell *cell = hm_world_cell_of(&world->archetypes[i], number);
        if (cell->size != 0)
            hm_world_mark_column(world, i, cell->column);
    }
    hm_world_reset_order(world);
}
