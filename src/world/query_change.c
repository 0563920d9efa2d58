/* SPDX-License-Identifier: MIT */
/* query: changes all entities that match. Where nothing is sparse, whole archetypes move. The delta
 * is idempotent, so no target is a source: entities never leave an archetype that others move to.
 * All memory is prepared first, so that nothing can fail once the first entity has moved. Promised
 * entities that will match come to life then; until then they are counted in addition to the
 * others. */
#include "world_private.h"

enum { QUERY_FEW_ENTITIES = 128 };

/* A change while it runs. */
typedef struct query_change {
    hm_query_loop loop; /* not counted, so that the world is not busy */
    hm_world *world;
    hm_world_delta delta;
    uint32_t promised; /* entities that are promised, if they match */
    /* The entities that are changed one by one. A short list takes no memory. */
    uint32_t count;
    hm_handle *entities; /* `few`, or the array's */
    hm_array entity_array;
    hm_handle few[QUERY_FEW_ENTITIES];
} query_change;

/* whole archetypes */

static uint32_t query_first_archetype(query_change *change)
{
    hm_query_rewind(&change->loop);
    return hm_query_next_archetype(&change->loop);
}

/* Plans to move n rows of an archetype. */
static hm_status query_plan_rows(query_change *change, uint32_t from, uint32_t n, uint32_t *gaining)
{
    uint32_t to;
    hm_status status = hm_world_archetype_after(change->world, from, &change->delta, &to);
    if (status == HM_OK && to != from)
        hm_world_add_gain(change->world, gaining, to, n);
    return status;
}

static hm_status query_prepare_archetypes(query_change *change)
{
    hm_world *world = change->world;
    hm_status status = HM_OK;
    uint32_t gaining = HM_WORLD_NONE, i = query_first_archetype(change);
    for (; i != HM_WORLD_NONE && status == HM_OK; i = hm_query_next_archetype(&change->loop))
        status = query_plan_rows(change, i, world->archetypes[i].count, &gaining);
    if (status == HM_OK && change->promised != 0)
        status = query_plan_rows(change, HM_WORLD_ROOT, change->promised, &gaining);
    return hm_world_prepare_gains(world, gaining, status);
}

/* Runs the hook of a component for the values of a chunk, and replaces them if they stay. */
static void query_destroy_values(hm_world *world, hm_world_place from, uint32_t rows,
                                 uint32_t number, bool stays)
{
    const hm_world_component_record *record = hm_world_record(world, number);
    if (stays && record->destroy == NULL)
        hm_world_fill(world, number, hm_world_value_at(world, from, number), rows);
    for (uint32_t i = 0; i < rows && record->destroy != NULL; i++, from.row++) {
        void *value = hm_world_value_at(world, from, number);
        hm_world_run_hook(world, number, value);
        if (stays)
            hm_world_fill(world, number, value, 1);
    }
}

/* Runs the hooks of what the entities of a chunk have lost: its rows are spare by now. */
static void query_destroy_lost(const query_change *change, hm_world_place from, uint32_t rows)
{
    const hm_world_archetype *source = &change->world->archetypes[hm_world_place_archetype(from)];
    for (uint32_t c = 0; c < source->column_count; c++) {
        uint32_t number = source->columns[c];
        if (hm_world_set_has(&change->delta.add, number) ||
            hm_world_set_has(&change->delta.remove, number))
            query_destroy_values(change->world, from, rows, number, false);
    }
}

/* Moves all rows of an archetype. */
static void query_move_archetype(const query_change *change, uint32_t index, uint32_t to)
{
    hm_world *world = change->world;
    hm_world_archetype *source = &world->archetypes[index], before = *source;
    hm_world_place from = {before.first, index << HM_WORLD_ROW_BITS};
    for (; from.chunk != HM_WORLD_NONE;
         from.chunk = hm_world_next_chunk(world, &before, from.chunk))
        hm_world_copy_rows(world, from, hm_world_rows_in(&before, from.chunk), to,
                           &change->delta.add);
    if (index == world->order_archetype)
        hm_world_reset_order(world);
    source->last = HM_WORLD_NONE;
    source->last_rows = source->count = 0;
    from.chunk = source->hook_count != 0 ? before.first : HM_WORLD_NONE;
    for (; from.chunk != HM_WORLD_NONE;
         from.chunk = hm_world_next_chunk(world, &before, from.chunk))
        query_destroy_lost(change, from, hm_world_rows_in(&before, from.chunk));
    if (index != HM_WORLD_ROOT)
        hm_world_drop_spares(world, index);
    hm_world_mark_rows(world, index);
}

/* Replaces what is added by zero in an archetype that has it all already. */
static void query_reset_archetype(const query_change *change, uint32_t index)
{
    hm_world *world = change->world;
    const hm_world_archetype *archetype = &world->archetypes[index];
    if (index == world->order_archetype && change->delta.add.count != 0)
        hm_world_reset_order(world);
    for (uint32_t i = 0; i < change->delta.add.count; i++) {
        uint32_t number = change->delta.add.numbers[i];
        if (archetype->cells[number].size == 0)
            continue;
        hm_world_place place = {archetype->first, index << HM_WORLD_ROW_BITS};
        for (; place.chunk != HM_WORLD_NONE;
             place.chunk = hm_world_next_chunk(world, archetype, place.chunk))
            query_destroy_values(world, place, hm_world_rows_in(archetype, place.chunk), number,
                                 true);
        hm_world_mark_column(world, index, archetype->cells[number].column);
    }
}

static uint32_t query_change_archetypes(query_change *change)
{
    hm_world *world = change->world;
    uint32_t count = 0, i = query_first_archetype(change), to;
    for (; i != HM_WORLD_NONE; i = hm_query_next_archetype(&change->loop)) {
        count += world->archetypes[i].count;
        (void)hm_world_archetype_after(world, i, &change->delta, &to);
        if (to == i)
            query_reset_archetype(change, i);
    }
    for (i = query_first_archetype(change); i != HM_WORLD_NONE;
         i = hm_query_next_archetype(&change->loop)) {
        (void)hm_world_archetype_after(world, i, &change->delta, &to);
        if (to != i)
            query_move_archetype(change, i, to);
    }
    return count;
}

/* one by one */

/* Adds n entities to the list, which moves to an array when it is no longer short. */
static hm_status query_list(query_change *change, const hm_handle *entities, uint32_t n)
{
    hm_array *array = &change->entity_array;
    bool is_short = array->data == NULL;
    hm_status status = HM_OK;
    if (is_short && n > QUERY_FEW_ENTITIES - change->count) {
        hm_array_desc desc = {.item_size = sizeof(hm_handle), .memory = change->world->memory};
        desc.capacity = (size_t)change->world->ids.count + change->promised;
        status = hm_array_init(array, &desc);
    }
    if (array->data != NULL)
        status = hm_array_commit(array, (size_t)change->count + n, true);
    if (status != HM_OK)
        return status;
    if (is_short && array->data != NULL) {
        change->entities = (hm_handle *)(void *)array->data;
        memcpy(change->entities, change->few, change->count * sizeof(hm_handle));
    }
    memcpy(change->entities + change->count, entities, n * sizeof(hm_handle));
    change->count += n;
    return HM_OK;
}

/* Lists the entities that match: those that live, then those that are promised. */
static hm_status query_collect(query_change *change)
{
    hm_query_loop *loop = &change->loop;
    hm_status status = HM_OK;
    hm_query_rewind(loop);
    while (status == HM_OK && hm_query_step(loop))
        status = query_list(change, loop->entities, loop->count);
    for (uint32_t k = 0; k < change->promised && status == HM_OK; k++) {
        hm_handle entity = hm_id_table_upcoming(&change->world->ids, k);
        (void)hm_world_check_promised(change->world, entity); /* It is, and gets a place. */
        status = query_list(change, &entity, 1);
    }
    return status;
}

static hm_status query_prepare_each(query_change *change)
{
    hm_status status = query_collect(change);
    if (status != HM_OK)
        return status;
    return hm_world_prepare_delta_n(change->world, change->entities, change->count, &change->delta);
}

static uint32_t query_change_each(query_change *change)
{
    for (uint32_t i = 0; i < change->count; i++)
        hm_world_apply_delta(change->world, change->entities[i], &change->delta);
    return change->count;
}

/* the calls */

static bool query_set_is_sparse(const hm_world *world, const hm_world_set *set)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (hm_world_is_sparse(world, set->numbers[i]))
            return true;
    return false;
}

static hm_status query_run_change(query_change *change, uint32_t *count)
{
    bool one_by_one = change->loop.query->sparse_count != 0 ||
                      query_set_is_sparse(change->world, &change->delta.add) ||
                      query_set_is_sparse(change->world, &change->delta.remove);
    hm_status status = one_by_one ? query_prepare_each(change) : query_prepare_archetypes(change);
    if (status == HM_OK) {
        hm_world_create_promised(change->world);
        *count = one_by_one ? query_change_each(change) : query_change_archetypes(change);
    }
    hm_array_fini(&change->entity_array);
    return hm_world_blame(change->world, status);
}

hm_status hm_query_change(hm_query *query, const hm_component *add, uint32_t n_add,
                          const hm_component *remove, uint32_t n_remove, uint32_t *changed)
{
    HM_CONTRACT(query != NULL, "hm_query_change: query is NULL");
    uint32_t count = 0;
    if (changed == NULL)
        changed = &count;
    *changed = 0;
    if (!hm_query_refresh(query))
        return HM_OK;
    query_change change; /* An initializer would clear its lists too. */
    change.world = query->world;
    change.promised = change.count = 0;
    change.entities = change.few;
    memset(&change.entity_array, 0, sizeof change.entity_array);
    hm_status status = hm_world_check_idle(change.world);
    if (status != HM_OK)
        return status;
    status = hm_world_read_delta(change.world, add, n_add, remove, n_remove, &change.delta);
    if (status != HM_OK)
        return status;
    uint32_t promised = change.world->promised;
    if (change.world->ids.count + promised == 0)
        return HM_OK;
    /* Promised entities have no components. */
    if (query->all_end == 0 && query->none_end == query->term_end)
        change.promised = promised;
    change.loop.query = query;
    return query_run_change(&change, changed);
}

/* Destroys those rows of an archetype that match, from the last one on: the row that fills a hole
 * has been looked at. */
static uint32_t query_destroy_rows(hm_query_loop *loop, uint32_t index)
{
    hm_world *world = loop->query->world;
    const hm_world_archetype *archetype = &world->archetypes[index];
    uint32_t before = world->ids.count, previous;
    for (uint32_t chunk = archetype->last; chunk != HM_WORLD_NONE; chunk = previous) {
        previous = hm_world_link_of(world, chunk)->previous; /* It may be given back. */
        for (uint32_t row = hm_world_rows_in(archetype, chunk); row-- > 0;) {
            hm_handle entity = hm_world_entities(world, archetype, chunk)[row];
            if (hm_query_accepts(loop, entity))
                hm_world_end_entity(world, entity, hm_id_table_find(&world->ids, entity));
        }
    }
    return before - world->ids.count;
}

uint32_t hm_query_destroy(hm_query *query)
{
    HM_CONTRACT(query != NULL, "hm_query_destroy: query is NULL");
    if (!hm_query_refresh(query) || hm_world_check_idle(query->world) != HM_OK)
        return 0;
    hm_query_loop loop; /* not counted, so that the world is not busy */
    hm_world *world = query->world;
    uint32_t destroyed = 0;
    hm_world_create_promised(world);
    loop.query = query;
    hm_query_rewind(&loop);
    const hm_secondary *driver = loop.driver;
    for (uint32_t i = driver != NULL ? driver->count : 0; i-- > 0;) {
        hm_handle entity = driver->owners[i];
        if (!hm_query_accepts(&loop, entity))
            continue;
        hm_world_end_entity(world, entity, hm_id_table_find(&world->ids, entity));
        destroyed++;
    }
    if (driver != NULL)
        return destroyed;
    hm_query_rewind_archetypes(&loop);
    for (uint32_t i = hm_query_next_archetype(&loop); i != HM_WORLD_NONE;
         i = hm_query_next_archetype(&loop))
        destroyed += query_destroy_rows(&loop, i);
    return destroyed;
}
