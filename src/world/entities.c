/* SPDX-License-Identifier: MIT */
/* world: create, copy and destroy, one entity and many. */
#include "world_private.h"

#include "../base/atomic_private.h"
#include "../dense/dense_private.h"
#include "../ids/ids_private.h"

/* Passes a status on, or makes sure that every entry that has memory has a place with memory. */
static hm_status entities_prepare_places(hm_world *world, hm_status status, bool grows)
{
    if (status == HM_OK)
        status = hm_world_widen(world, &world->place_array, sizeof(hm_world_place),
                                world->ids.entry_array.limit);
    if (status == HM_OK)
        status = hm_array_commit(&world->place_array, world->ids.entry_array.limit, grows);
    if (status == HM_OK)
        world->guard.limit = hm_id_table_ready(&world->ids);
    return hm_world_blame(world, status);
}

hm_status hm_world_prepare_entities(hm_world *world, uint32_t n, bool grows)
{
    uint32_t promised = hm_atomic_load(&world->promised), count = world->ids.count + promised;
    if (n > hm_world_capacity(world) - count)
        return hm_fail_full("world", world->name, count, hm_world_capacity(world), n);
    return entities_prepare_places(world, hm_world_prepare_ids(world, promised + n, grows), grows);
}

/* Returns a new live handle without a place, or null. */
static hm_handle entities_issue(hm_world *world)
{
    hm_handle handle = HM_NULL_HANDLE;
    if (world->ids.count < world->guard.limit)
        handle = hm_id_table_issue(&world->ids);
    if (hm_handle_is_null(handle) && hm_world_prepare_entities(world, 1, true) == HM_OK)
        handle = hm_id_table_issue_slow(&world->ids);
    return handle;
}

/* promises */

hm_status hm_world_reserve(hm_world *world, uint32_t n)
{
    HM_CONTRACT(world != NULL, "hm_world_reserve: world is NULL");
    if (hm_guard_refuses(&world->guard, "world", world->name))
        return HM_ERROR_BUSY;
    uint32_t promised = hm_atomic_load(&world->promised), count = world->ids.count + promised;
    uint32_t before = world->ready_end;
    hm_status status = hm_world_prepare_entities(world, n, false);
    if (status != HM_OK || count + n <= before)
        return status;
    hm_id_table_retire_spent(&world->ids, promised + n);
    world->ready_end = count + n;
    status = hm_world_prepare_rows(world, HM_WORLD_ROOT, 0);
    if (status != HM_OK)
        world->ready_end = before;
    return status;
}

uint32_t hm_world_available(const hm_world *world)
{
    HM_CONTRACT(world != NULL, "hm_world_available: world is NULL");
    return hm_id_table_available(&world->ids) - hm_atomic_load(&world->promised);
}

hm_handle hm_world_upcoming(const hm_world *world, uint32_t k)
{
    HM_CONTRACT(world != NULL, "hm_world_upcoming: world is NULL");
    uint32_t promised = hm_atomic_load(&world->promised);
    if ((uint64_t)world->ids.count + promised + k >= world->ready_end)
        return HM_NULL_HANDLE;
    return hm_id_table_upcoming(&world->ids, promised + k);
}

void hm_world_create_all_promised(hm_world *world)
{
    while (world->promised > 0) {
        world->promised--; /* First: an issue prepares one more than promised. */
        hm_handle entity = entities_issue(world);
        hm_world_place place = hm_world_append_row(world, HM_WORLD_ROOT, entity);
        *hm_world_place_of(world, entity) = place;
    }
}

/* Whether commands were promised this entity, which does not live yet. */
static bool entities_promised(const hm_world *world, hm_handle entity)
{
    return hm_id_table_is_upcoming(&world->ids, entity, world->promised);
}

hm_status hm_world_check_promised(hm_world *world, hm_handle entity)
{
    if (!entities_promised(world, entity))
        return hm_fail(HM_ERROR_STALE, "entity 0x%016" HM_X64 " is not alive in '%.40s': %s",
                       entity.bits, world->name,
                       hm_handle_state_name(hm_id_table_explain(&world->ids, entity)));
    *hm_world_place_of(world, entity) =
        (hm_world_place){HM_WORLD_NONE, HM_WORLD_ROOT << HM_WORLD_ROW_BITS};
    return HM_OK;
}

/* create */

/* Returns the archetype of the set that was created last, if this is the same, or HM_WORLD_NONE. */
static uint32_t entities_recall(const hm_world *world, const hm_component *set, uint32_t n)
{
    if (n == 0)
        return HM_WORLD_ROOT;
    if (n != world->memo_count)
        return HM_WORLD_NONE;
    for (uint32_t i = 0; i < n; i++)
        if (set[i] != world->memo[i])
            return HM_WORLD_NONE;
    return world->memo_archetype;
}

/* Reads the set: the archetype of the components that are not sparse goes to `archetype`, the
 * sparse ones stay in `sparse`. */
static hm_status entities_resolve(hm_world *world, const hm_component *set, uint32_t n,
                                  hm_world_set *sparse, uint32_t *archetype)
{
    sparse->count = 0;
    *archetype = entities_recall(world, set, n);
    if (*archetype != HM_WORLD_NONE)
        return HM_OK;
    hm_world_set all, columns;
    hm_status status = hm_world_read_set(world, set, n, &all);
    if (status != HM_OK)
        return status;
    columns.count = 0;
    for (uint32_t i = 0; i < all.count; i++) {
        hm_world_set *part = hm_world_is_sparse(world, all.numbers[i]) ? sparse : &columns;
        part->numbers[part->count++] = all.numbers[i];
    }
    status = hm_world_archetype_of(world, &columns, archetype);
    if (status == HM_OK && sparse->count == 0 && n <= HM_WORLD_MEMO) {
        memcpy(world->memo, set, n * sizeof *set);
        world->memo_count = n;
        world->memo_archetype = *archetype;
    }
    return status;
}

/* Makes `count` rows fit. In the root archetype those that are ready have theirs: first the
 * promised entities, of which there are never more. */
static inline hm_status entities_prepare_rows(hm_world *world, uint32_t archetype, uint32_t count)
{
    uint32_t ready = 0;
    if (archetype == HM_WORLD_ROOT && world->ready_end > world->ids.count)
        ready = world->ready_end - world->ids.count - world->promised;
    return hm_world_prepare_rows(world, archetype, count - (count < ready ? count : ready));
}

/* Makes `count` entities with these components fit, so that nothing can fail any more. */
static hm_status entities_prepare(hm_world *world, uint32_t archetype, const hm_world_set *sparse,
                                  uint32_t count)
{
    hm_status status = entities_prepare_rows(world, archetype, count);
    if (status == HM_OK)
        status = hm_world_prepare_entities(world, count, true);
    if (status == HM_OK && sparse->count > 0) /* So the upcoming slots are those to come. */
        hm_id_table_retire_spent(&world->ids, world->promised + count);
    for (uint32_t i = 0; i < sparse->count; i++)
        for (uint32_t k = 0; k < count && status == HM_OK; k++) {
            hm_handle entity = hm_id_table_upcoming(&world->ids, world->promised + k);
            status = hm_world_prepare_sparse(world, sparse->numbers[i], count, &entity, 1);
        }
    return status;
}

/* The same for one entity, but without its handle if nothing depends on that: entities_issue makes
 * it fit, or fails, and looks for memory only if the next handle has none. */
static hm_status entities_prepare_one(hm_world *world, uint32_t archetype,
                                      const hm_world_set *sparse)
{
    if (sparse->count == 0 && world->promised == 0)
        return entities_prepare_rows(world, archetype, 1);
    return entities_prepare(world, archetype, sparse, 1);
}

static hm_status entities_check(const hm_world *world, const hm_component *set, uint32_t n)
{
    hm_status status = hm_world_check_idle(world);
    if (status == HM_OK && world->memory == NULL)
        status = hm_fail_uninitialised("world");
    if (status == HM_OK && set == NULL && n > 0)
        status = hm_fail(HM_ERROR_INVALID, "the set is NULL, but its number is not 0");
    return status;
}

/* HM_ERROR_INVALID when there is a column for a tag. */
static hm_status entities_check_values(const hm_world *world, const hm_component *set, uint32_t n,
                                       const void *const *columns)
{
    for (uint32_t i = 0; columns != NULL && i < n; i++) {
        const hm_world_component_record *record = hm_world_record(world, set[i] - world->salt);
        if (columns[i] != NULL && record->size == 0)
            return hm_world_refuse_component(world, set[i] - world->salt, HM_WORLD_IS_TAG);
    }
    return HM_OK;
}

/* Issues handles for a run of new rows, and links both. */
static void entities_fill_run(hm_world *world, hm_world_place place, uint32_t rows,
                              hm_handle *entities)
{
    const hm_world_archetype *archetype = &world->archetypes[hm_world_place_archetype(place)];
    hm_handle *column =
        hm_world_entities(world, archetype, place.chunk) + hm_world_place_row(place);
    for (uint32_t i = 0; i < rows; i++, place.row++) {
        hm_handle entity = entities_issue(world);
        column[i] = entity;
        *hm_world_place_of(world, entity) = place;
        if (entities != NULL)
            entities[i] = entity;
    }
}

/* Sets the sparse values of a run of new rows. */
static void entities_write_sparse(hm_world *world, hm_world_place place, uint32_t rows,
                                  const hm_component *set, uint32_t n, const void *const *columns,
                                  uint32_t first)
{
    const hm_world_archetype *archetype = &world->archetypes[hm_world_place_archetype(place)];
    const hm_handle *entities =
        hm_world_entities(world, archetype, place.chunk) + hm_world_place_row(place);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t number = set[i] - world->salt;
        if (!hm_world_is_sparse(world, number))
            continue;
        size_t size = hm_world_record(world, number)->size;
        const unsigned char *from = columns != NULL ? columns[i] : NULL;
        for (uint32_t row = 0; row < rows; row++)
            hm_world_set_sparse(world, number, entities[row],
                                from != NULL ? from + size * (first + row) : NULL);
    }
}

/* Makes an entity in this archetype, which has been prepared, and leaves its values to the caller.
 * Returns null if the id table has no handle, which may show only now. */
HM_INLINE hm_handle entities_make(hm_world *world, uint32_t archetype, hm_world_place *place)
{
    hm_world_create_promised(world);
    hm_handle entity = entities_issue(world);
    if (hm_handle_is_null(entity))
        return entity;
    *place = hm_world_append_row(world, archetype, entity);
    *hm_world_place_of(world, entity) = *place;
    return entity;
}

/* Inline, so that a create without values does not ask for them. */
HM_INLINE hm_handle entities_create(hm_world *world, const hm_component *set, uint32_t n,
                                    const void *const *values)
{
    hm_world_set sparse;
    hm_world_place place;
    uint32_t archetype;
    if (entities_check(world, set, n) != HM_OK ||
        entities_resolve(world, set, n, &sparse, &archetype) != HM_OK ||
        (values != NULL && entities_check_values(world, set, n, values) != HM_OK) ||
        entities_prepare_one(world, archetype, &sparse) != HM_OK)
        return HM_NULL_HANDLE;
    hm_handle entity = entities_make(world, archetype, &place);
    if (hm_handle_is_null(entity))
        return entity;
    if (values != NULL)
        hm_world_write_run(world, place, 1, set, n, values, 0);
    else
        hm_world_zero_row(world, place);
    for (uint32_t i = 0; values == NULL && i < sparse.count; i++)
        hm_world_set_sparse(world, sparse.numbers[i], entity, NULL);
    if (values != NULL && sparse.count > 0)
        entities_write_sparse(world, place, 1, set, n, values, 0);
    return entity;
}

hm_handle hm_world_create(hm_world *world, const hm_component *set, uint32_t n)
{
    HM_CONTRACT(world != NULL, "hm_world_create: world is NULL");
    return entities_create(world, set, n, NULL);
}

hm_handle hm_world_create_with(hm_world *world, const hm_component *set, uint32_t n,
                               const void *const *values)
{
    HM_CONTRACT(world != NULL, "hm_world_create_with: world is NULL");
    return entities_create(world, set, n, values);
}

hm_status hm_world_create_n(hm_world *world, const hm_component *set, uint32_t n, uint32_t count,
                            const void *const *columns, hm_handle *entities)
{
    HM_CONTRACT(world != NULL, "hm_world_create_n: world is NULL");
    hm_world_set sparse;
    uint32_t archetype;
    hm_status status = entities_check(world, set, n);
    if (status == HM_OK)
        status = entities_resolve(world, set, n, &sparse, &archetype);
    if (status == HM_OK)
        status = entities_check_values(world, set, n, columns);
    if (status == HM_OK && count > 0)
        status = entities_prepare(world, archetype, &sparse, count);
    if (status != HM_OK)
        return status;
    hm_world_create_promised(world);
    for (uint32_t done = 0, rows; done < count; done += rows) {
        hm_world_place place = hm_world_append_run(world, archetype, count - done, &rows);
        entities_fill_run(world, place, rows, entities != NULL ? entities + done : NULL);
        hm_world_write_run(world, place, rows, set, n, columns, done);
        if (sparse.count > 0)
            entities_write_sparse(world, place, rows, set, n, columns, done);
    }
    return HM_OK;
}

hm_status hm_world_adopt(hm_world *world, hm_handle entity)
{
    HM_CONTRACT(world != NULL, "hm_world_adopt: world is NULL");
    hm_status status = hm_world_check_idle(world);
    if (status == HM_OK)
        status = hm_id_table_check_adopt(&world->ids, "world", world->name, entity,
                                         hm_atomic_load(&world->promised));
    if (status == HM_OK)
        status = entities_prepare_rows(world, HM_WORLD_ROOT, 1);
    if (status == HM_OK)
        status = hm_world_prepare_adopt(world, entity);
    status = entities_prepare_places(world, status, true);
    if (status != HM_OK)
        return status;
    hm_world_create_promised(world);
    hm_id_table_take(&world->ids, entity);
    *hm_world_place_of(world, entity) = hm_world_append_row(world, HM_WORLD_ROOT, entity);
    return HM_OK;
}

/* copy */

/* HM_ERROR_INVALID: the bytes of a value are not a copy of it, since what they point to would be
 * destroyed with each. */
static hm_status entities_check_copy(const hm_world *world, uint32_t number)
{
    const hm_world_component_record *record = hm_world_record(world, number);
    if (record->destroy == NULL || record->copy != NULL)
        return HM_OK;
    return hm_world_refuse_component(world, number, "has a destroy hook, but none that copies");
}

/* Makes a value, which has the bytes of another one, a copy of it. */
static void entities_copy_value(hm_world *world, uint32_t number, void *value, const void *from)
{
    const hm_world_component_record *record = hm_world_record(world, number);
    if (record->copy == NULL)
        return;
    hm_world_enter(world);
    record->copy(value, from, record->context);
    hm_world_leave(world);
}

/* Copies the values, as bytes first, so that hooks see an entity that has all of its components. */
static void entities_copy_values(hm_world *world, hm_handle from, hm_handle to,
                                 const hm_world_set *sparse)
{
    hm_world_place source = *hm_world_place_of(world, from);
    hm_world_place place = *hm_world_place_of(world, to);
    const hm_world_archetype *archetype = &world->archetypes[hm_world_place_archetype(place)];
    hm_world_copy_values(world, source, place);
    for (uint32_t i = 0; i < sparse->count; i++)
        hm_world_set_sparse(world, sparse->numbers[i], to,
                            hm_secondary_get(hm_world_sparse(world, sparse->numbers[i]), from));
    for (uint32_t c = 0; c < archetype->column_count; c++) {
        uint32_t number = archetype->columns[c];
        entities_copy_value(world, number, hm_world_value_at(world, place, number),
                            hm_world_value_at(world, source, number));
    }
    for (uint32_t i = 0; i < sparse->count; i++) {
        const hm_secondary *values = hm_world_sparse(world, sparse->numbers[i]);
        entities_copy_value(world, sparse->numbers[i], hm_secondary_get(values, to),
                            hm_secondary_get(values, from));
    }
}

hm_handle hm_world_copy(hm_world *world, hm_handle entity)
{
    HM_CONTRACT(world != NULL, "hm_world_copy: world is NULL");
    hm_world_set sparse;
    hm_world_place place;
    hm_world_place *at;
    hm_status status = hm_world_find_target(world, entity, &at);
    if (status != HM_OK)
        return HM_NULL_HANDLE;
    uint32_t index = hm_world_place_archetype(*at);
    const hm_world_archetype *archetype = &world->archetypes[index];
    hm_world_list_sparse(world, entity, &sparse);
    for (uint32_t c = 0; c < archetype->column_count && status == HM_OK; c++)
        status = entities_check_copy(world, archetype->columns[c]);
    for (uint32_t i = 0; i < sparse.count && status == HM_OK; i++)
        status = entities_check_copy(world, sparse.numbers[i]);
    if (status != HM_OK || entities_prepare_one(world, index, &sparse) != HM_OK)
        return HM_NULL_HANDLE;
    hm_handle copy = entities_make(world, index, &place);
    if (!hm_handle_is_null(copy))
        entities_copy_values(world, entity, copy, &sparse);
    return copy;
}

/* destroy */

void hm_world_end_entity(hm_world *world, hm_handle entity, uint32_t position)
{
    hm_world_place place = *hm_world_place_of(world, entity);
    if (world->archetypes[hm_world_place_archetype(place)].hook_count != 0)
        hm_world_destroy_row(world, place, NULL);
    if (hm_world_may_have_sparse(world, entity))
        hm_world_clear_sparse(world, entity);
    hm_world_remove_row(world, place);
    hm_id_table_release(&world->ids, entity, position);
    if (hm_handle_generation(entity) == world->ids.last_generation)
        world->ready_end = 0; /* Its slot is among the next ones, but will not be issued. */
    else if (world->ready_end != 0)
        world->ready_end--; /* The root archetype has no row for one more. */
}

/* Destroys an entity if it lives, or is promised: then all promised ones come to life first. */
static bool entities_destroy(hm_world *world, hm_handle entity)
{
    if (world->promised != 0 &&
        (hm_id_table_contains(&world->ids, entity) || entities_promised(world, entity)))
        hm_world_create_all_promised(world);
    uint32_t position = hm_id_table_find(&world->ids, entity);
    if (position == HM_INVALID_INDEX)
        return false;
    hm_world_end_entity(world, entity, position);
    return true;
}

bool hm_world_destroy(hm_world *world, hm_handle entity)
{
    HM_CONTRACT(world != NULL, "hm_world_destroy: world is NULL");
    return hm_world_check_idle(world) == HM_OK && entities_destroy(world, entity);
}

uint32_t hm_world_destroy_n(hm_world *world, const hm_handle *entities, uint32_t n)
{
    HM_CONTRACT(world != NULL, "hm_world_destroy_n: world is NULL");
    HM_CONTRACT(entities != NULL || n == 0, "hm_world_destroy_n: entities is NULL");
    uint32_t destroyed = 0;
    if (hm_world_check_idle(world) != HM_OK)
        return 0;
    for (uint32_t i = 0; i < n; i++)
        destroyed += entities_destroy(world, entities[i]);
    return destroyed;
}

/* Whether a clear has to visit each entity. */
static bool entities_have_hooks(const hm_world *world)
{
    for (uint32_t i = 0; i < world->component_count; i++)
        if (hm_world_record(world, i)->destroy != NULL)
            return true;
    return false;
}

void hm_world_clear(hm_world *world)
{
    HM_CONTRACT_AT_REST(world, "hm_world_clear");
    HM_CONTRACT(world->running == 0,
                "hm_world_clear: a query of the world runs: call hm_query_end first");
    hm_world_create_promised(world);
    if (entities_have_hooks(world))
        while (world->ids.count > 0) {
            uint32_t last = world->ids.count - 1;
            hm_world_end_entity(world, hm_id_table_handle_at(&world->ids, last), last);
        }
    hm_id_table_clear(&world->ids);
    for (uint32_t i = 0; i < world->archetype_array.count; i++)
        if (world->archetypes[i].is_alive)
            hm_world_clear_rows(world, i);
    for (uint32_t i = 0; i < world->component_count; i++)
        if (hm_world_is_sparse(world, i)) {
            hm_secondary_clear(hm_world_sparse(world, i));
            hm_world_record(world, i)->changed = ++world->clock;
        }
    world->ready_end = 0;
    hm_world_reset_order(world);
}
