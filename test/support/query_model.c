/* SPDX-License-Identifier: MIT */
#include "query_model.h"

#include "layout.h"

#include <string.h>

enum { LARGEST = 16 };

static const size_t sizes[QUERY_MODEL_COMPONENTS] = {4, 8, 12, 1, 0, 0, 8, 4, LARGEST, 2};
static const uint32_t hooked = 0x146; /* a mask: 1, 2, 6 and 8 */

size_t query_model_size(uint32_t component)
{
    return sizes[component];
}

/* hooks */

static uint64_t sum_of_value(uint32_t component, const void *value)
{
    const unsigned char *bytes = value;
    uint64_t sum = component;
    for (size_t i = 0; i < sizes[component]; i++)
        sum = sum * 257 + bytes[i];
    return test_random(&sum);
}

static void on_destroy(void *value, void *context)
{
    const query_model_hook *hook = context;
    query_model *model = hook->model;
    model->destroyed += sum_of_value(hook->component, value);
    if (model->destroyed % 16 == 0)
        CHECK(hm_world_validate(&model->world) == HM_OK);
}

/* The entity loses its values of a mask of components. */
static void lose(query_model *model, const query_model_entity *entity, uint32_t mask)
{
    unsigned char value[LARGEST];
    for (uint32_t c = 0; c < QUERY_MODEL_COMPONENTS; c++) {
        if (((mask & entity->mask & hooked) >> c & 1) == 0)
            continue;
        memset(value, 0, sizeof value);
        if (entity->values[c] != QUERY_MODEL_ZERO)
            test_item_fill(value, sizes[c], entity->values[c]);
        model->lost += sum_of_value(c, value);
    }
}

void query_model_init(query_model *model, size_t page_size)
{
    memset(model, 0, sizeof *model);
    test_memory_init_with_holes(&model->memory, test_page_size(page_size));
    const hm_world_desc desc = {.capacity = QUERY_MODEL_ENTITIES,
                                .max_slots = QUERY_MODEL_SLOTS,
                                .type_id = 3,
                                .memory = &model->memory.table,
                                .max_archetypes = 2000,
                                .max_size = 1 << 26};
    CHECK(hm_world_init(&model->world, &desc) == HM_OK);
    for (uint32_t c = 0; c < QUERY_MODEL_COMPONENTS; c++) {
        model->hooks[c] = (query_model_hook){model, c};
        hm_component_desc component = {.size = sizes[c], .context = &model->hooks[c]};
        if ((hooked >> c & 1) != 0)
            component.destroy = on_destroy;
        component.storage = c < QUERY_MODEL_SPARSE ? HM_COMPONENT_ARCHETYPE : HM_COMPONENT_SPARSE;
        model->components[c] = hm_world_component(&model->world, &component);
        CHECK(model->components[c] != HM_INVALID_INDEX);
    }
}

void query_model_fini(query_model *model)
{
    for (uint32_t i = 0; i < model->count; i++)
        lose(model, &model->entities[i], UINT32_MAX);
    hm_world_fini(&model->world);
    CHECK(model->destroyed == model->lost);
    test_memory_check_released(&model->memory);
}

uint32_t query_model_list(const query_model *model, uint32_t mask, hm_component *list)
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < QUERY_MODEL_COMPONENTS; c++)
        if ((mask >> c & 1) != 0)
            list[count++] = model->components[c];
    return count;
}

/* Changes */

static void append(query_model *model, hm_handle handle, uint32_t mask)
{
    model->places[hm_handle_index(handle)] = model->count;
    model->entities[model->count++] = (query_model_entity){.handle = handle, .mask = mask};
}

/* Forgets an entity that is destroyed. */
static void drop(query_model *model, uint32_t index)
{
    lose(model, &model->entities[index], UINT32_MAX);
    model->entities[index] = model->entities[--model->count];
    model->places[hm_handle_index(model->entities[index].handle)] = index;
}

void query_model_create(query_model *model, uint32_t mask)
{
    hm_component set[QUERY_MODEL_COMPONENTS];
    uint32_t n = query_model_list(model, mask, set);
    hm_handle handle = hm_world_create(&model->world, set, n);
    CHECK(hm_handle_is_null(handle) == (model->count == QUERY_MODEL_ENTITIES));
    if (!hm_handle_is_null(handle))
        append(model, handle, mask);
}

void query_model_create_n(query_model *model, uint32_t mask, uint32_t n)
{
    hm_component set[QUERY_MODEL_COMPONENTS];
    hm_handle handles[QUERY_MODEL_ENTITIES];
    CHECK(n <= QUERY_MODEL_ENTITIES - model->count);
    uint32_t count = query_model_list(model, mask, set);
    CHECK(hm_world_create_n(&model->world, set, count, n, NULL, handles) == HM_OK);
    for (uint32_t i = 0; i < n; i++)
        append(model, handles[i], mask);
}

void query_model_destroy(query_model *model, uint32_t index)
{
    CHECK(hm_world_destroy(&model->world, model->entities[index].handle));
    drop(model, index);
}

void query_model_destroy_n(query_model *model, uint32_t first, uint32_t n)
{
    hm_handle handles[QUERY_MODEL_ENTITIES];
    CHECK(first <= model->count && n <= model->count - first);
    for (uint32_t i = 0; i < n; i++)
        handles[i] = model->entities[first + i].handle;
    CHECK(hm_world_destroy_n(&model->world, handles, n) == n);
    while (n > 0)
        drop(model, first + --n);
}

void query_model_clear(query_model *model)
{
    hm_world_clear(&model->world);
    while (model->count > 0)
        drop(model, model->count - 1);
}

void query_model_add(query_model *model, uint32_t index, uint32_t component)
{
    query_model_entity *entity = &model->entities[index];
    unsigned char value[16];
    uint32_t pattern = ++model->next_value;
    test_item_fill(value, sizes[component], pattern);
    CHECK(hm_world_add(&model->world, entity->handle, model->components[component],
                       sizes[component] != 0 ? value : NULL) == HM_OK);
    lose(model, entity, UINT32_C(1) << component);
    entity->mask |= UINT32_C(1) << component;
    entity->values[component] = sizes[component] != 0 ? pattern : QUERY_MODEL_ZERO;
}

void query_model_remove(query_model *model, uint32_t index, uint32_t component)
{
    query_model_entity *entity = &model->entities[index];
    CHECK(hm_world_remove(&model->world, entity->handle, model->components[component], NULL) ==
          HM_OK);
    lose(model, entity, UINT32_C(1) << component);
    entity->mask &= ~(UINT32_C(1) << component);
}

static void follow_change(query_model *model, query_model_entity *entity, uint32_t add,
                          uint32_t remove)
{
    lose(model, entity, add | remove);
    entity->mask = (entity->mask | add) & ~remove;
    for (uint32_t c = 0; c < QUERY_MODEL_COMPONENTS; c++)
        if ((add >> c & 1) != 0)
            entity->values[c] = QUERY_MODEL_ZERO;
}

void query_model_change(query_model *model, uint32_t index, uint32_t add, uint32_t remove)
{
    query_model_entity *entity = &model->entities[index];
    hm_component added[QUERY_MODEL_COMPONENTS], removed[QUERY_MODEL_COMPONENTS];
    uint32_t n_add = query_model_list(model, add, added);
    uint32_t n_remove = query_model_list(model, remove, removed);
    CHECK(hm_world_change(&model->world, entity->handle, added, n_add, removed, n_remove) == HM_OK);
    follow_change(model, entity, add, remove);
}

void query_model_write(query_model *model, query_model_query *query)
{
    hm_query_loop loop;
    hm_view view;
    hm_query_begin(&query->query, &loop);
    while (hm_query_next(&loop, &view))
        for (uint32_t i = 0; i < query->column_count; i++) {
            uint32_t c = query->columns[i];
            unsigned char *values = view.columns[i];
            for (uint32_t row = 0; row < view.count && values != NULL; row++) {
                uint32_t index = model->places[hm_handle_index(view.entities[row])];
                model->entities[index].values[c] = ++model->next_value;
                test_item_fill(values + sizes[c] * row, sizes[c], model->next_value);
            }
            hm_query_touch(&loop, i);
        }
}

/* The clock */

/* Returns which entities a change to this component of the entity is a change for, by the
 * documentation: those of its archetype, or, if it is sparse, all that have it. */
static uint32_t company_of(const query_model_entity *entity, uint32_t component)
{
    const uint32_t in_archetypes = (UINT32_C(1) << QUERY_MODEL_SPARSE) - 1;
    return component >= QUERY_MODEL_SPARSE ? in_archetypes + 1 : entity->mask & in_archetypes;
}

/* The sum of an entity's value and place is that of all of its company, too. */
void query_model_follow(query_model *model)
{
    uint64_t sums[(1 << QUERY_MODEL_SPARSE) + 1][QUERY_MODEL_COMPONENTS] = {{0}};
    for (uint32_t i = 0; i < model->count; i++) {
        query_model_entity *entity = &model->entities[i];
        for (uint32_t c = 0; c < QUERY_MODEL_COMPONENTS; c++) {
            if ((entity->mask >> c & 1) == 0)
                continue;
            const void *place = hm_world_get(&model->world, entity->handle, model->components[c]);
            uint64_t sum = entity->handle.bits * 31 + (uintptr_t)place;
            sum = test_random(&sum) + entity->values[c];
            sums[company_of(entity, c)][c] += test_random(&sum);
        }
    }
    for (uint32_t i = 0; i < model->count; i++) {
        query_model_entity *entity = &model->entities[i];
        for (uint32_t c = 0; c < QUERY_MODEL_COMPONENTS; c++) {
            bool has = (entity->mask >> c & 1) != 0;
            uint64_t sum = has ? sums[company_of(entity, c)][c] | 1 : 0;
            if (has && entity->seen[c] != sum)
                entity->since[c] = model->clock;
            entity->seen[c] = sum;
        }
    }
    model->clock = hm_world_clock(&model->world);
}

/* Queries */

void query_model_draw(unsigned char *asks, uint64_t random)
{
    static const unsigned char kinds[] = {QUERY_ASKS_ALL, QUERY_ASKS_NONE, QUERY_ASKS_ANY,
                                          QUERY_ASKS_OPTIONAL,
                                          QUERY_ASKS_ANY | QUERY_ASKS_OPTIONAL};
    uint32_t rest = 1 + test_random_below(&random, 12); /* the more, the fewer are asked for */
    for (uint32_t c = 0; c < QUERY_MODEL_COMPONENTS; c++) {
        uint32_t kind = test_random_below(&random, 5 + rest);
        asks[c] = kind < sizeof kinds ? kinds[kind] : 0;
    }
}

/* Lists the components of which this is asked, and returns their number. */
static uint32_t list_asked(const query_model *model, const unsigned char *asks, unsigned what,
                           bool is_backward, hm_component *list, uint32_t *numbers)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < QUERY_MODEL_COMPONENTS; i++) {
        uint32_t c = is_backward ? QUERY_MODEL_COMPONENTS - 1 - i : i;
        if ((asks[c] & what) == 0)
            continue;
        numbers[count] = c;
        list[count++] = model->components[c];
    }
    return count;
}

void query_model_ask(query_model *model, query_model_query *query, const unsigned char *asks,
                     bool is_backward)
{
    hm_component all[QUERY_MODEL_COMPONENTS], none[QUERY_MODEL_COMPONENTS];
    hm_component any[QUERY_MODEL_COMPONENTS], optional[QUERY_MODEL_COMPONENTS];
    uint32_t numbers[QUERY_MODEL_COMPONENTS];
    hm_query_desc desc = {.all = all, .none = none, .any = any, .optional = optional};
    desc.none_count = list_asked(model, asks, QUERY_ASKS_NONE, is_backward, none, numbers);
    desc.any_count = list_asked(model, asks, QUERY_ASKS_ANY, is_backward, any, numbers);
    desc.all_count = list_asked(model, asks, QUERY_ASKS_ALL, is_backward, all, query->columns);
    desc.optional_count = list_asked(model, asks, QUERY_ASKS_OPTIONAL, is_backward, optional,
                                     query->columns + desc.all_count);
    query->column_count = desc.all_count + desc.optional_count;
    memcpy(query->asks, asks, sizeof query->asks);
    CHECK(hm_query_init(&query->query, &model->world, &desc) == HM_OK);
}

bool query_model_matches(const query_model_query *query, const query_model_entity *entity)
{
    bool asks_any = false, has_any = false;
    for (uint32_t c = 0; c < QUERY_MODEL_COMPONENTS; c++) {
        bool has = (entity->mask >> c & 1) != 0;
        if ((query->asks[c] & QUERY_ASKS_ALL) != 0 && !has)
            return false;
        if ((query->asks[c] & QUERY_ASKS_NONE) != 0 && has)
            return false;
        if ((query->asks[c] & QUERY_ASKS_ANY) != 0) {
            asks_any = true;
            has_any = has_any || has;
        }
    }
    return has_any || !asks_any;
}

static bool value_holds(const query_model_entity *entity, uint32_t component, const void *value)
{
    size_t size = sizes[component];
    uint32_t pattern = entity->values[component];
    return pattern == QUERY_MODEL_ZERO ? test_bytes_are(value, size, 0)
                                       : test_item_is(value, size, pattern);
}

static void check_visit(query_model *model, const query_model_query *query,
                        const hm_query_loop *loop, const hm_view *view, uint32_t row)
{
    hm_handle handle = view->entities[row];
    CHECK(hm_handle_index(handle) < QUERY_MODEL_SLOTS);
    uint32_t index = model->places[hm_handle_index(handle)];
    CHECK(index < model->count);
    query_model_entity *entity = &model->entities[index];
    CHECK(hm_handle_equal(entity->handle, handle) && entity->visits++ == 0);
    CHECK(query_model_matches(query, entity));
    for (uint32_t i = 0; i < query->column_count; i++) {
        uint32_t c = query->columns[i];
        bool has = (entity->mask >> c & 1) != 0;
        CHECK(!has || hm_query_changed(loop, i) > entity->since[c]);
        if (!has || sizes[c] == 0) {
            CHECK(view->columns[i] == NULL);
            continue;
        }
        const unsigned char *value = (const unsigned char *)view->columns[i] + sizes[c] * row;
        CHECK(hm_world_get(&model->world, handle, model->components[c]) == value);
        CHECK(value_holds(entity, c, value));
    }
}

/* Returns how many entities it visits. */
static uint32_t check_loop(query_model *model, const query_model_query *query, hm_query_loop *loop)
{
    hm_view view;
    uint32_t visited = 0;
    while (hm_query_next(loop, &view)) {
        CHECK(view.count != 0);
        for (uint32_t row = 0; row < view.count; row++)
            check_visit(model, query, loop, &view, row);
        visited += view.count;
    }
    CHECK(view.count == 0 && view.entities == NULL && view.columns == NULL);
    return visited;
}

/* Returns how many entities match, none of which is visited so far. */
static uint32_t expect_visits(query_model *model, const query_model_query *query)
{
    uint32_t expected = 0;
    for (uint32_t i = 0; i < model->count; i++) {
        model->entities[i].visits = 0;
        expected += query_model_matches(query, &model->entities[i]);
    }
    return expected;
}

void query_model_check_parts(query_model *model, query_model_query *query, uint32_t n,
                             uint32_t step)
{
    static hm_query_loop parts[QUERY_MODEL_PARTS]; /* too large for the stack */
    uint32_t expected = expect_visits(model, query), visited = 0;
    uint32_t least = UINT32_MAX, most = 0;
    bool rows_are_tested = false;
    for (uint32_t c = QUERY_MODEL_SPARSE; c < QUERY_MODEL_COMPONENTS; c++)
        rows_are_tested = rows_are_tested || query->asks[c] != 0;
    CHECK(n > 0 && n <= QUERY_MODEL_PARTS);
    hm_query_begin_parts(&query->query, parts, n);
    for (uint32_t i = 0; i < n; i++) { /* in some order */
        uint32_t count = check_loop(model, query, &parts[(uint64_t)i * step % n]);
        least = count < least ? count : least;
        most = count > most ? count : most;
        visited += count;
        if (i + 1 < n)
            CHECK(hm_world_trim(&model->world) == HM_ERROR_BUSY);
    }
    CHECK(visited == expected && hm_query_count(&query->query) == expected);
    CHECK(rows_are_tested || most - least <= 32);
}

void query_model_check(query_model *model, query_model_query *query)
{
    uint32_t expected = expect_visits(model, query), visited;
    hm_query_loop loop;
    hm_query_begin(&query->query, &loop);
    visited = check_loop(model, query, &loop);
    CHECK(visited == expected && hm_query_count(&query->query) == expected);
    CHECK(model->destroyed == model->lost);
}

void query_model_destroy_all(query_model *model, query_model_query *query)
{
    uint32_t expected = 0;
    uint32_t destroyed = hm_query_destroy(&query->query);
    for (uint32_t i = model->count; i-- > 0;)
        if (query_model_matches(query, &model->entities[i])) {
            drop(model, i);
            expected++;
        }
    CHECK(destroyed == expected);
}

bool query_model_change_all(query_model *model, query_model_query *query, uint32_t add,
                            uint32_t remove)
{
    hm_component added[QUERY_MODEL_COMPONENTS], removed[QUERY_MODEL_COMPONENTS];
    uint32_t n_add = query_model_list(model, add, added);
    uint32_t n_remove = query_model_list(model, remove, removed);
    uint32_t changed = 12345, expected = 0;
    hm_status status = hm_query_change(&query->query, added, n_add, removed, n_remove, &changed);
    CHECK(status == HM_OK || (status == HM_ERROR_MEMORY && changed == 0));
    for (uint32_t i = 0; i < model->count && status == HM_OK; i++)
        if (query_model_matches(query, &model->entities[i])) {
            follow_change(model, &model->entities[i], add, remove);
            expected++;
        }
    CHECK(changed == expected);
    return status == HM_OK;
}
