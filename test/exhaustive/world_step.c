/* SPDX-License-Identifier: MIT */
/* The steps of the state space of a world, and what each must fulfil. */
#include "../support/budget.h"
#include "world_space.h"

#include <handle_map/secondary.h>

#include "world_internal.h"

#include <string.h>

const space_verb_name entity_verbs[] = {
    [ENTITY_CREATE] = {"create", "set", NULL, false},
    [ENTITY_CREATE_N] = {"create n", "set", "number", false},
    [ENTITY_DESTROY] = {"destroy", "slot", NULL, false},
    [ENTITY_DESTROY_N] = {"destroy n", "set of slots", NULL, false},
    [ENTITY_ADD] = {"add", "slot", "component", false},
    [ENTITY_REMOVE] = {"remove", "slot", "component", false},
    [ENTITY_CHANGE] = {"change", "slot", "sets", false},
    [ENTITY_CLEAR] = {"clear", NULL, NULL, false},
    [ENTITY_TRIM] = {"trim", NULL, NULL, false},
    [ENTITY_RESERVE] = {"reserve", "number", NULL, false},
    [ENTITY_EDIT] = {"edit and touch", "slot", "component and key", false},
    [ENTITY_GO] = {"go", "component", "budget", false},
    [ENTITY_FINISH] = {"finish", "component", NULL, false},
    [ENTITY_HOSTILE] = {"hostile", NULL, NULL, false},
};

static hm_world *const world = &scene.world;

static const hm_budget budgets[] = {{1, 0, false}, {0, 1, false}, {0, 0, false}, {1, 1, false}};

/* list */

static void list_changes(space_actions *list, uint32_t slot)
{
    for (uint32_t i = 0; i < scene.kinds; i++) {
        space_add(list, ENTITY_ADD, slot, i);
        space_add(list, ENTITY_ADD, slot, ENTITY_KINDS + i);
        space_add(list, ENTITY_REMOVE, slot, i);
    }
    for (uint32_t add = 0; add <= entity_all(); add++)
        for (uint32_t remove = 0; remove <= entity_all(); remove++)
            if ((add & remove) == 0)
                space_add(list, ENTITY_CHANGE, slot, add | remove << ENTITY_KINDS);
}

static void list_orders(space_actions *list)
{
    for (uint32_t kind = 0; kind < scene.kinds; kind++) {
        if ((scene.config->goals >> kind & 1) == 0)
            continue;
        for (uint32_t slot = 0; slot < scene.config->max_slots; slot++)
            for (uint32_t key = 0; key < scene.config->keys; key++)
                space_add(list, ENTITY_EDIT, slot, kind | key << 4);
        for (uint32_t i = 0; i < sizeof budgets / sizeof *budgets; i++)
            space_add(list, ENTITY_GO, kind, i);
        space_add(list, ENTITY_FINISH, kind, 0);
    }
}

void entity_actions(space_actions *list)
{
    list->count = 0;
    space_add(list, ENTITY_HOSTILE, 0, 0);
    space_add(list, ENTITY_CLEAR, 0, 0);
    space_add(list, ENTITY_TRIM, 0, 0);
    space_add(list, ENTITY_RESERVE, UINT32_MAX, 0);
    for (uint32_t n = 0; n <= scene.config->capacity + 1; n++)
        space_add(list, ENTITY_RESERVE, n, 0);
    for (uint32_t set = 0; set <= entity_all(); set++) {
        space_add(list, ENTITY_CREATE, set, 0);
        for (uint32_t n = 0; n <= scene.config->capacity; n += 2)
            space_add(list, ENTITY_CREATE_N, set, n);
    }
    for (uint32_t slots = 0; slots < 1u << scene.config->max_slots; slots++)
        if ((slots & (slots - 1)) != 0)
            space_add(list, ENTITY_DESTROY_N, slots, 0);
    for (uint32_t slot = 0; slot < scene.config->max_slots; slot++) {
        space_add(list, ENTITY_DESTROY, slot, 0);
        list_changes(list, slot);
    }
    list_orders(list);
}

bool entity_is_possible(const void *of, const space_action *action)
{
    const entity_state *state = of;
    uint32_t slots = 0;
    if ((scene.config->left_out >> action->verb & 1) != 0)
        return false;
    for (uint32_t i = 0; i < state->model.count; i++)
        slots |= 1u << state->model.dense[i].slot;
    switch (action->verb) {
    case ENTITY_DESTROY_N:
        return (action->a & ~slots) == 0;
    case ENTITY_EDIT:
        return (slots >> action->a & 1) != 0 &&
               (entity_in_slot(action->a)->set >> (action->b & 15) & 1) != 0;
    case ENTITY_DESTROY:
    case ENTITY_ADD:
    case ENTITY_REMOVE:
    case ENTITY_CHANGE:
        return (slots >> action->a & 1) != 0;
    default:
        return true;
    }
}

/* callbacks */

/* In each callback the world is consistent, and cannot be changed. */
static void check_busy(hm_handle entity)
{
    uint32_t made = arena.calls;
    hm_component_desc desc = {.size = 1};
    CHECK(hm_world_validate(world) == HM_OK);
    CHECK(hm_world_component(world, &desc) == HM_INVALID_INDEX);
    CHECK(hm_handle_is_null(hm_world_create(world, NULL, 0)));
    CHECK(hm_world_create_n(world, NULL, 0, 1, NULL, NULL) == HM_ERROR_BUSY);
    CHECK(!hm_world_destroy(world, entity) && hm_world_destroy_n(world, &entity, 1) == 0);
    CHECK(hm_world_add(world, entity, scene.ids[0], NULL) == HM_ERROR_BUSY);
    CHECK(hm_world_remove(world, entity, scene.ids[0]) == HM_ERROR_BUSY);
    CHECK(hm_world_change(world, entity, scene.ids, 1, NULL, 0) == HM_ERROR_BUSY);
    CHECK(hm_world_reserve(world, 1) == HM_ERROR_BUSY && hm_world_trim(world) == HM_ERROR_BUSY);
    CHECK(arena.calls == made);
}

/* The destroy hook: what its entity keeps is there. */
void entity_destroyed(void *value, void *context)
{
    uint32_t kind = (uint32_t)((hm_component *)context - scene.ids);
    uint32_t slot = *(unsigned char *)value >> 2 & 3;
    const entity_item *item = entity_in_slot(slot);
    CHECK(item != NULL && (item->set >> kind & 1) != 0 && entity_is_intact(item, kind, value));
    CHECK((scene.destroyed & entity_value(item, kind)) == 0);
    scene.destroyed |= entity_value(item, kind);
    hm_handle entity = entity_handle(item);
    CHECK(hm_world_contains(world, entity));
    for (uint32_t i = 0; i < scene.kinds; i++)
        if ((scene.kept & item->set) >> i & 1) {
            CHECK(hm_world_has(world, entity, scene.ids[i]));
            CHECK(entity_is_tag(i) ||
                  entity_is_intact(item, i, hm_world_get(world, entity, scene.ids[i])));
        }
    check_busy(entity);
}

/* steps */

/* FULL if there is no space; else a call fails only when memory is refused, and not if it can do
 * without. */
static bool is_right(hm_status status, bool fits)
{
    if (!fits)
        return status == HM_ERROR_FULL || (arena.refused && status == HM_ERROR_MEMORY);
    return status == HM_OK || (arena.refused && status == HM_ERROR_MEMORY);
}

static void create(uint32_t set)
{
    hm_component list[ENTITY_KINDS];
    bool fits = entity_room() > 0;
    hm_handle handle = hm_world_create(world, list, entity_list(set, list));
    CHECK(!hm_handle_is_null(handle) ? fits : !fits || arena.refused);
    if (hm_handle_is_null(handle))
        return;
    entity_item *item = entity_note(handle, set);
    entity_expect_zero(item, set);
    entity_write(item, set);
}

/* Every second component has values. */
static void create_n(uint32_t set, uint32_t n)
{
    unsigned char values[ENTITY_KINDS][ENTITY_WINDOW];
    const void *columns[ENTITY_KINDS];
    hm_component list[ENTITY_KINDS];
    hm_handle handles[ENTITY_COUNT];
    uint32_t count = entity_list(set, list), given = 0;
    for (uint32_t c = 0; c < count; c++) {
        uint32_t kind = list[c] - scene.ids[0];
        memset(values[c], (int)(0x80 + kind), sizeof values[c]);
        columns[c] = entity_is_tag(kind) || c % 2 != 0 ? NULL : values[c];
        given |= columns[c] != NULL ? 1u << kind : 0;
    }
    hm_status status = hm_world_create_n(world, list, count, n, columns, handles);
    CHECK(is_right(status, n <= entity_room()));
    for (uint32_t i = 0; i < n && status == HM_OK; i++) {
        entity_item *item = entity_note(handles[i], set);
        entity_expect_zero(item, set & ~given);
        for (uint32_t c = 0; c < count; c++)
            if (columns[c] != NULL)
                CHECK(memcmp(hm_world_get(world, handles[i], list[c]), values[c],
                             scene.config->cells[list[c] - scene.ids[0]]) == 0);
        entity_write(item, set);
    }
}

/* The last entity fills the hole. */
static void note_destroy(uint32_t slot)
{
    entity_item *item = entity_in_slot(slot);
    scene.expected |= entity_hooked(item, entity_all());
    *item = scene.model.dense[--scene.model.count];
}

static void destroy(uint32_t slot)
{
    hm_handle entity = entity_handle(entity_in_slot(slot));
    CHECK(hm_world_destroy(world, entity));
    note_destroy(slot);
}

/* Between the handles are others, whose entities are dead by then. */
static void destroy_n(uint32_t slots)
{
    hm_handle handles[2 * ENTITY_SLOTS];
    uint32_t n = 0;
    for (uint32_t slot = 0; slot < scene.config->max_slots; slot++)
        if ((slots >> slot & 1) != 0) {
            handles[n++] = entity_handle(entity_in_slot(slot));
            handles[n++] = handles[0];
        }
    CHECK(hm_world_destroy_n(world, handles, n) == n / 2);
    for (uint32_t slot = 0; slot < scene.config->max_slots; slot++)
        if ((slots >> slot & 1) != 0)
            note_destroy(slot);
}

/* The entity has the set that a step has left it with; `fresh` are its components with new values,
 * of which all but `given` are zero. */
static void note_change(entity_item *item, uint32_t set, uint32_t fresh, uint32_t given)
{
    entity_expect_zero(item, fresh & ~given);
    item->set = (uint8_t)set;
    for (uint32_t i = 0; i < ENTITY_KINDS; i++)
        if ((fresh >> i & 1) != 0 || (set >> i & 1) == 0)
            item->keys[i] = 0;
    entity_write(item, fresh);
}

static void add(uint32_t slot, uint32_t kind, bool zero)
{
    entity_item *item = entity_in_slot(slot), to = *item;
    unsigned char value[ENTITY_WINDOW];
    uint32_t one = 1u << kind;
    bool is_given = !zero && !entity_is_tag(kind);
    to.keys[kind] = 0;
    entity_fill(value, &to, kind);
    scene.kept = ~one;
    hm_status status =
        hm_world_add(world, entity_handle(item), scene.ids[kind], is_given ? value : NULL);
    CHECK(is_right(status, true));
    if (status != HM_OK)
        return;
    scene.expected = entity_hooked(item, one);
    if (is_given)
        CHECK(
            entity_is_intact(&to, kind, hm_world_get(world, entity_handle(item), scene.ids[kind])));
    note_change(item, item->set | one, one, is_given ? one : 0);
}

static void remove_one(uint32_t slot, uint32_t kind)
{
    entity_item *item = entity_in_slot(slot);
    scene.kept = ~(1u << kind);
    hm_status status = hm_world_remove(world, entity_handle(item), scene.ids[kind]);
    CHECK(is_right(status, true));
    if (status != HM_OK)
        return;
    scene.expected = entity_hooked(item, 1u << kind);
    note_change(item, item->set & ~(1u << kind), 0, 0);
}

static void change(uint32_t slot, uint32_t added, uint32_t removed)
{
    entity_item *item = entity_in_slot(slot);
    hm_component more[ENTITY_KINDS], less[ENTITY_KINDS];
    uint32_t n_more = entity_list(added, more), n_less = entity_list(removed, less);
    scene.kept = ~(added | removed);
    hm_status status = hm_world_change(world, entity_handle(item), more, n_more, less, n_less);
    CHECK(is_right(status, true));
    if (status != HM_OK)
        return;
    scene.expected = entity_hooked(item, added | removed);
    note_change(item, (item->set | added) & ~removed, added, 0);
}

static void clear(void)
{
    hm_world_clear(world);
    while (scene.model.count > 0)
        note_destroy(scene.model.dense[0].slot);
}

/* Only archetypes with entities stay. */
static void trim(void)
{
    uint32_t slots = hm_world_get_stats(world).slots, sets = 0, archetypes = 0;
    hm_status status = hm_world_trim(world);
    CHECK(status == (arena.refused ? HM_ERROR_MEMORY : HM_OK));
    scene.model.dropped |= arena.refused || hm_world_get_stats(world).slots < slots;
    for (uint32_t i = 0; i < scene.model.count; i++) {
        uint32_t set = 0;
        for (uint32_t kind = 0; kind < scene.kinds; kind++)
            if (!entity_is_sparse(kind))
                set |= scene.model.dense[i].set & 1u << kind;
        archetypes += set != 0 && (sets >> set & 1) == 0;
        sets |= 1u << set;
    }
    CHECK(hm_world_archetype_count(world) == archetypes);
}

/* The state is checked later: what upcoming answers is what creates return. */
static void reserve(uint32_t n)
{
    hm_status status = hm_world_reserve(world, n);
    CHECK(is_right(status, n <= entity_room()));
    for (uint32_t k = 0; k < n && status == HM_OK; k++)
        CHECK(!hm_handle_is_null(hm_world_upcoming(world, k)));
}

static void edit(uint32_t slot, uint32_t kind, uint32_t key)
{
    entity_item *item = entity_in_slot(slot);
    item->keys[kind] = (uint8_t)key;
    entity_write(item, 1u << kind);
    hm_world_touch(world, entity_handle(item), scene.ids[kind]);
}

/* order */

static uint64_t key_of(const void *value, void *context)
{
    const unsigned char *bytes = value;
    const entity_item *item = entity_in_slot(bytes[0] >> 2 & 3);
    uint32_t kind = bytes[0] >> 4;
    (void)context;
    CHECK(item != NULL && entity_is_intact(item, kind, value));
    CHECK(hm_world_get(world, entity_handle(item), scene.ids[kind]) == value);
    scene.asked++;
    check_busy(entity_handle(item));
    return bytes[1];
}

static void check_sorted(const unsigned char *values, uint32_t kind, uint32_t count, uint32_t *last)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t key = values[scene.config->cells[kind] * i + 1];
        CHECK(*last <= key);
        *last = key;
    }
}

/* The rows of each archetype, or the values of a sparse component, have rising keys. */
static void check_order(uint32_t kind)
{
    uint32_t last = 0;
    if (entity_is_sparse(kind)) {
        const hm_secondary *sparse = hm_world_sparse(world, kind);
        check_sorted(hm_secondary_values(sparse), kind, hm_secondary_count(sparse), &last);
        return;
    }
    for (uint32_t i = 0; i < world->archetype_array.count; i++, last = 0) {
        const hm_world_archetype *archetype = &world->archetypes[i];
        uint32_t left = archetype->count;
        const hm_world_cell *cell = archetype->is_alive ? hm_world_cell_of(archetype, kind) : NULL;
        for (uint32_t chunk = archetype->first; cell != NULL && cell->is_present && left > 0;
             chunk = hm_world_link_of(world, chunk)->next) {
            uint32_t rows = hm_world_rows_in(archetype, chunk);
            hm_world_place place = {chunk, i << HM_WORLD_ROW_BITS};
            check_sorted(hm_world_address(world, archetype, place, cell->offset, cell->size), kind,
                         rows, &last);
            left -= rows;
        }
    }
}

static bool go(uint32_t kind, hm_budget budget)
{
    const hm_order order = {.key = key_of};
    scene.asked = 0;
    hm_budget left = budget;
    hm_progress progress = hm_world_defragment(world, scene.ids[kind], &order, &left);
    CHECK(progress.compares == scene.asked);
    CHECK(budget_is_lowered(budget, left, progress));
    CHECK(progress.status == HM_OK || (arena.refused && !progress.done));
    if (progress.done)
        check_order(kind);
    return progress.done;
}

static void finish(uint32_t kind)
{
    bool done = false;
    for (uint32_t n = 0; n < 200 && !done; n++)
        done = go(kind, hm_budget_of(1, 1));
    CHECK(done);
}

/* what must be refused */

static void refuse_handle(hm_handle handle)
{
    CHECK(!hm_world_destroy(world, handle) && hm_world_destroy_n(world, &handle, 1) == 0);
    for (uint32_t i = 0; i < scene.kinds; i++) {
        CHECK(hm_world_add(world, handle, scene.ids[i], NULL) == HM_ERROR_STALE);
        CHECK(hm_world_remove(world, handle, scene.ids[i]) == HM_ERROR_STALE);
        hm_world_touch(world, handle, scene.ids[i]);
    }
    CHECK(hm_world_change(world, handle, scene.ids, scene.kinds, NULL, 0) == HM_ERROR_STALE);
}

static void refuse_component(hm_component component)
{
    hm_component twice[] = {scene.ids[0], component};
    CHECK(hm_handle_is_null(hm_world_create(world, twice, 2)));
    CHECK(hm_world_create_n(world, twice, 2, 1, NULL, NULL) == HM_ERROR_INVALID);
    for (uint32_t i = 0; i < scene.model.count; i++) {
        hm_handle entity = entity_handle(&scene.model.dense[i]);
        CHECK(component == scene.ids[0] ||
              hm_world_add(world, entity, component, NULL) == HM_ERROR_INVALID);
        CHECK(component == scene.ids[0] ||
              hm_world_remove(world, entity, component) == HM_ERROR_INVALID);
        CHECK(hm_world_change(world, entity, twice, 2, NULL, 0) == HM_ERROR_INVALID);
        CHECK(hm_world_change(world, entity, NULL, 0, twice, 2) == HM_ERROR_INVALID);
        CHECK(hm_world_change(world, entity, twice, 1, &component, 1) == HM_ERROR_INVALID);
    }
}

static void refuse_values(void)
{
    for (uint32_t i = 0; i < scene.model.count; i++)
        for (uint32_t kind = 0; kind < scene.kinds; kind++)
            if (entity_is_tag(kind))
                CHECK(hm_world_add(world, entity_handle(&scene.model.dense[i]), scene.ids[kind],
                                   "value") == HM_ERROR_INVALID);
}

static void check_hostile(const entity_state *before)
{
    for (uint32_t n = 0; n < space_handle_values(scene.config); n++)
        if (entity_find(space_handle_value(n)) == NULL)
            refuse_handle(space_handle_value(n));
    refuse_component(scene.ids[0]);
    refuse_component(scene.ids[0] - 1);
    refuse_component(scene.ids[0] + scene.kinds);
    refuse_component(HM_INVALID_INDEX);
    refuse_values();
    arena_open();
    CHECK(memcmp(world, &before->world, sizeof *world) == 0);
    CHECK(arena_is(before->bytes) && arena.calls == 0);
    arena_close();
}

static void perform(const space_action *action)
{
    uint32_t a = action->a, b = action->b;
    switch (action->verb) {
    case ENTITY_CREATE:
        create(a);
        break;
    case ENTITY_CREATE_N:
        create_n(a, b);
        break;
    case ENTITY_DESTROY:
        destroy(a);
        break;
    case ENTITY_DESTROY_N:
        destroy_n(a);
        break;
    case ENTITY_ADD:
        add(a, b % ENTITY_KINDS, b >= ENTITY_KINDS);
        break;
    case ENTITY_REMOVE:
        remove_one(a, b);
        break;
    case ENTITY_CHANGE:
        change(a, b & entity_all(), b >> ENTITY_KINDS);
        break;
    case ENTITY_CLEAR:
        clear();
        break;
    case ENTITY_TRIM:
        trim();
        break;
    case ENTITY_RESERVE:
        reserve(a);
        break;
    case ENTITY_EDIT:
        edit(a, b & 15, b >> 4);
        break;
    case ENTITY_GO:
        go(a, budgets[b]);
        break;
    case ENTITY_FINISH:
        finish(a);
        break;
    }
}

uint32_t entity_take(const void *state, const space_action *action, uint32_t refuse, bool *changed)
{
    arena_refuse(refuse);
    *changed = action->verb != ENTITY_HOSTILE;
    scene.kept = entity_all();
    if (!*changed) {
        check_hostile(state);
        return 0;
    }
    perform(action);
    uint32_t made = arena.calls;
    arena_refuse(0);
    CHECK(scene.destroyed == scene.expected);
    scene.destroyed = scene.expected = 0;
    return made;
}
