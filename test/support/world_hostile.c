/* SPDX-License-Identifier: MIT */
/* Operations of the world's model that change nothing: handles and components of any bits, given to
 * every function that takes one; queries of any terms, which must visit what the model has; and
 * buffers of commands whose effects cancel out. */

#include "layout.h"
#include "world_model.h"

#include <handle_map/commands.h>
#include <handle_map/query.h>

/* A hostile handle beside one of a entity that there is, or could be. */
static hm_handle hostile_handle(const world_model *model, const uint32_t arguments[3])
{
    return test_hostile_handle_of(model->entities, sizeof *model->entities, model->count,
                                  model->desc.type_id, arguments);
}

void world_model_refuse(world_model *model, hm_handle handle)
{
    hm_world *world = &model->world;
    const world_model_entity *entity = world_model_find(model, handle);
    world_model_probe(model, handle, HM_INVALID_INDEX);
    for (uint32_t c = 0; c < model->component_count && entity == NULL; c++) {
        hm_component id = model->components[c].id;
        CHECK(hm_world_changed(world, handle, id) == 0);
        hm_world_touch(world, handle, id);
    }
    if (entity != NULL || model->component_count == 0 || world_model_is_promised(model, handle))
        return;
    CHECK(!hm_world_destroy(world, handle) && hm_world_destroy_n(world, &handle, 1) == 0);
    for (uint32_t c = 0; c < model->component_count; c++) {
        CHECK(hm_world_add(world, handle, model->components[c].id, NULL) == HM_ERROR_STALE);
        CHECK(hm_world_remove(world, handle, model->components[c].id, NULL) == HM_ERROR_STALE);
    }
    hm_component id = model->components[hm_handle_index(handle) % model->component_count].id;
    switch ((model->tick + hm_handle_generation(handle)) % 5) { /* by turns, since each is slow */
    case 0:
        CHECK(hm_world_change(world, handle, &id, 1, NULL, 0) == HM_ERROR_STALE);
        break;
    case 1:
        CHECK(hm_world_add_n(world, &handle, 1, id, NULL) == HM_ERROR_STALE);
        break;
    case 2:
        CHECK(hm_world_remove_n(world, &handle, 1, id, NULL) == HM_ERROR_STALE);
        break;
    case 3:
        CHECK(hm_world_remove_all(world, handle) == HM_ERROR_STALE);
        break;
    default:
        CHECK(hm_handle_is_null(hm_world_copy(world, handle)));
        break;
    }
}

/* One that resolves is not changed, since the model would not know of it. */
void world_model_hostile(void *state, const uint32_t arguments[3])
{
    world_model_refuse(state, hostile_handle(state, arguments));
}

void world_model_refuse_component(world_model *model, hm_component id, uint32_t which)
{
    hm_world *world = &model->world;
    hm_component twice[] = {model->component_count != 0 ? model->components[0].id : id, id};
    hm_handle entity =
        model->count != 0 ? model->entities[which % model->count].handle : HM_NULL_HANDLE;
    CHECK(!hm_world_has(world, entity, id) && hm_world_get(world, entity, id) == NULL);
    CHECK(hm_world_changed(world, entity, id) == 0);
    hm_world_touch(world, entity, id);
    hm_world_touch_all(world, id);
    CHECK(hm_handle_is_null(hm_world_create(world, twice, 2)));
    CHECK(hm_world_create_n(world, &id, 1, 1, NULL, NULL) == HM_ERROR_INVALID);
    hm_query query;
    CHECK(hm_query_init(&query, world, &(hm_query_desc){.all = &id, .all_count = 1}) ==
          HM_ERROR_INVALID);
    if (model->count == 0)
        return;
    CHECK(hm_world_add(world, entity, id, NULL) == HM_ERROR_INVALID);
    CHECK(hm_world_remove(world, entity, id, NULL) == HM_ERROR_INVALID);
    CHECK(hm_world_change(world, entity, twice, 2, NULL, 0) == HM_ERROR_INVALID);
    CHECK(hm_world_change(world, entity, NULL, 0, twice, 2) == HM_ERROR_INVALID);
    CHECK(hm_world_change(world, entity, twice, 1, &id, 1) == HM_ERROR_INVALID);
}

/* A number that is no component of the model; it may be one of the tags that the world has
 * besides. */
void world_model_hostile_component(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    hm_component id = arguments[0] << 16 | arguments[1];
    if (arguments[2] % 2 != 0 && model->component_count != 0)
        id = model->components[model->component_count - 1].id + 1 + arguments[0];
    if (id - model->world.salt >= model->world.component_count)
        world_model_refuse_component(model, id, arguments[2]);
}

/* queries */

static uint32_t list_ids(const world_model *model, uint32_t set, hm_component *ids)
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < model->component_count; c++)
        if ((set >> c & 1) != 0)
            ids[count++] = model->components[c].id;
    return count;
}

/* `any`: two groups, of which an empty one asks for nothing. */
static uint32_t count_matches(const world_model *model, uint32_t all, uint32_t none,
                              const uint32_t any[2])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->count; i++) {
        uint32_t mask = model->entities[i].mask;
        count += (mask & all) == all && (mask & none) == 0 &&
                 (any[0] == 0 || (mask & any[0]) != 0) && (any[1] == 0 || (mask & any[1]) != 0);
    }
    return count;
}

/* Each entity of the view matches, and was not seen before; and each column has its values. */
static uint32_t check_view(world_model *model, const hm_view *view, const hm_component *ids,
                           uint32_t columns, uint32_t all, bool *seen)
{
    for (uint32_t row = 0; row < view->count; row++) {
        const world_model_entity *entity = world_model_find(model, view->entities[row]);
        CHECK(entity != NULL && (entity->mask & all) == all);
        CHECK(!seen[entity - model->entities]);
        seen[entity - model->entities] = true;
        for (uint32_t i = 0; i < columns; i++) {
            const unsigned char *values = view->columns[i];
            const void *value = hm_world_get(&model->world, view->entities[row], ids[i]);
            CHECK((values == NULL) == (value == NULL));
            for (uint32_t c = 0; c < model->component_count && values != NULL; c++)
                if (model->components[c].id == ids[i])
                    CHECK(values + model->components[c].of.size * row == value);
        }
    }
    return view->count;
}

/* Returns how many entities a loop visits. */
static uint32_t visit(hm_query *query)
{
    hm_query_loop loop;
    hm_view view;
    uint32_t count = 0;
    for (hm_query_begin(query, &loop); hm_query_next(&loop, &view);)
        count += view.count;
    return count;
}

/* Divides a loop into parts, of which together they visit `expected` entities. */
static void visit_parts(world_model *model, hm_query *query, uint32_t expected)
{
    static hm_query_loop parts[WORLD_MODEL_ENTITIES + 1];
    hm_view view;
    bool seen[WORLD_MODEL_ENTITIES] = {false};
    uint32_t n = expected + 1, count = 0;
    hm_query_begin_parts(query, parts, n);
    for (uint32_t i = 0; i < n; i++) {
        CHECK(hm_handle_is_null(hm_world_create(&model->world, NULL, 0)));
        while (hm_query_next(&parts[i], &view))
            count += check_view(model, &view, NULL, 0, 0, seen);
    }
    CHECK(count == expected);
}

/* The sets of all, none and any; while it runs, the world refuses to change, and loops over the
 * same query run inside the loop. */
void world_model_query(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    hm_component ids[4][2 * WORLD_MODEL_KINDS];
    uint32_t made_kinds = (UINT32_C(1) << model->component_count) - 1, groups[2];
    uint32_t all = arguments[0] & arguments[0] >> 2 & made_kinds;
    uint32_t any[2] = {arguments[2] & ~all & made_kinds, arguments[2] >> 5 & made_kinds};
    uint32_t none = arguments[1] & ~all & ~any[0] & ~any[1];
    hm_query_desc desc = {.all = ids[0], .none = ids[1], .any = ids[2], .optional = ids[3]};
    desc.all_count = list_ids(model, all, ids[0]);
    desc.none_count = list_ids(model, none, ids[1]);
    groups[0] = list_ids(model, any[0], ids[2]);
    groups[1] = list_ids(model, any[1], ids[2] + groups[0]);
    desc.any_count = groups[0] + groups[1];
    desc.any_groups = groups[0] != 0 ? groups : groups + 1;
    desc.any_group_count = (uint32_t)(groups[0] != 0) + (groups[1] != 0);
    desc.optional_count = 0;
    hm_query made;
    hm_status status = hm_query_init(&made, &model->world, &desc);
    CHECK(status == HM_OK || status == HM_ERROR_MEMORY);
    if (status != HM_OK)
        return;
    hm_query_loop loop;
    hm_view view;
    uint32_t found = 0;
    bool seen[WORLD_MODEL_ENTITIES] = {false};
    hm_query_begin(&made, &loop);
    while (hm_query_next(&loop, &view)) {
        found += check_view(model, &view, ids[0], desc.all_count, all, seen);
        CHECK(hm_handle_is_null(hm_world_create(&model->world, NULL, 0)));
        CHECK(visit(&made) == count_matches(model, all, none, any));
        CHECK(!hm_world_destroy(&model->world, view.entities[0]));
    }
    CHECK(found == count_matches(model, all, none, any));
    visit_parts(model, &made, found);
    hm_query_fini(&made);
}

/* commands */

/* Records commands that cancel out: an entity that is created and destroyed, components that other
 * entities get and lose, and what names no entity. Returns how many must be skipped. */
static uint32_t record(world_model *model, hm_commands *buffer, hm_handle made,
                       const uint32_t arguments[3])
{
    hm_handle dead = hostile_handle(model, arguments);
    bool is_dead = world_model_find(model, dead) == NULL && !world_model_is_promised(model, dead) &&
                   !hm_handle_equal(dead, made);
    uint32_t skipped = 0;
    for (uint32_t c = 0; c < model->component_count; c++) {
        hm_component id = model->components[c].id;
        if (model->components[c].of.has_hook || (arguments[2] >> c & 1) == 0)
            continue;
        for (uint32_t i = arguments[1] % 4; i < model->count; i += 1 + arguments[1] % 8)
            if ((model->entities[i].mask >> c & 1) == 0) {
                CHECK(hm_commands_add(buffer, model->entities[i].handle, id, NULL) == HM_OK);
                CHECK(hm_commands_remove(buffer, model->entities[i].handle, id) == HM_OK);
            }
        if (!hm_handle_is_null(made))
            CHECK(hm_commands_add(buffer, made, id, NULL) == HM_OK);
        if (is_dead)
            CHECK(hm_commands_add(buffer, dead, id, NULL) == HM_OK);
        skipped += is_dead;
    }
    if (!hm_handle_is_null(made))
        CHECK(hm_commands_destroy(buffer, made) == HM_OK);
    return skipped;
}

/* Nothing is refused memory while it records. After an apply that fails, what waits is cleared. */
void world_model_commands(void *state, const uint32_t arguments[3])
{
    world_model *model = state;
    const hm_commands_desc desc = {.size = 1 << 20}; /* the default may be half of an arena */
    hm_commands buffer;
    test_memory_fail(&model->memory, 0, false);
    CHECK(hm_commands_init(&buffer, &model->world, &desc) == HM_OK);
    hm_handle made = hm_commands_create(&buffer, NULL, 0);
    uint32_t skipped = record(model, &buffer, made, arguments);
    if (arguments[0] % 4 == 0) {
        hm_commands_clear(&buffer);
    } else {
        test_memory_fail(&model->memory, arguments[1] / 16 % 4, arguments[1] / 64 % 2 != 0);
        hm_status status = hm_commands_apply(&buffer);
        CHECK(status == HM_OK || status == HM_ERROR_MEMORY || status == HM_ERROR_FULL);
        CHECK(status != HM_OK || hm_commands_count(&buffer) == 0);
        CHECK(status != HM_OK || hm_commands_skipped(&buffer) == skipped);
    }
    test_memory_fail(&model->memory, 0, false);
    hm_commands_fini(&buffer);
    if (model->world.promised == 0)
        world_model_keep_promises(model);
    if (hm_world_explain(&model->world, made) == HM_HANDLE_STALE)
        world_model_note_issued(model, made);
}
