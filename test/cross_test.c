/* SPDX-License-Identifier: MIT */
/* All kinds of container in one history, at random, each with its naive model: what the scripts of
 * the models do, and between that marks and rewinds, saves that are loaded into a container which
 * takes the old one's place, merges, trims, a query that is left running, commands that wait,
 * defragments that are not done, refused memory. After each step every container is valid and is
 * what its model says; a rewind puts back the models that were copied at its mark. */
#include "support/any.h"
#include "support/exchange.h"
#include "support/file.h"
#include "support/reload.h"
#include "support/runner.h"
#include "support/world_model.h"

#include <stdlib.h>
#include <string.h>

enum {
    SCRIPTS = 60,
    STEPS = 400,
    MANY = 40, /* operations of one container in a step */
    MARKS = 4,
    QUERIES = 2,
    RECORDED = 40, /* commands that wait, at most */
    SMALL = 64     /* bytes of the values that commands add */
};

/* Where addresses are scarce, worlds have no capacity, and so no range of their own size. */
#define IS_AMPLE (sizeof(void *) > 4)
#define HISTORY_SIZE ((size_t)1 << (IS_AMPLE ? 30 : 28))

static const exchange_kind *const kinds[] = {
    &exchange_map,       &exchange_table, &exchange_pool,  &exchange_pool,  &exchange_pool,
    &exchange_secondary, &exchange_lists, &exchange_index, &exchange_world,
};
enum { PARTS = sizeof kinds / sizeof *kinds, WORLD = PARTS - 1 };

/* What a query asks for: masks of the world's components. */
typedef struct asked {
    uint32_t all, none;
} asked;

/* A command that waits: a create with these components, or a destroy. */
typedef struct recorded {
    hm_handle entity;
    uint32_t mask;
    bool is_create;
} recorded;

/* What is known beside the models. */
typedef struct known {
    asked asked[QUERIES];
    recorded commands[RECORDED];
    uint32_t count; /* of commands */
} known;

typedef struct mark {
    uint64_t number;
    void *models[PARTS];
    known known;
} mark;

typedef struct cross {
    test_memory memory; /* of the history, if it compares */
    hm_history history;
    void *models[PARTS];
    struct {
        hm_query queries[QUERIES];
        hm_commands commands;
    } watched;
    hm_query unwatched;
    asked asked; /* by that one */
    known known;
    uint32_t components; /* that there are at every mark */
    hm_query_loop loop;
    uint32_t running; /* the query that runs, from 1; 0: none */
    uint32_t visited; /* entities of the loop so far */
    mark marks[MARKS + 1];
    uint32_t count, current;    /* of marks */
    bool compares, has_changed; /* since the last mark or rewind */
} cross;

static world_model *world_of(const cross *in)
{
    return in->models[WORLD];
}

static void *container_of(const cross *in, uint32_t part)
{
    return exchange_at(in->models[part], kinds[part]->container);
}

/* queries */

static uint32_t list_components(const cross *in, uint32_t mask, hm_component *list)
{
    uint32_t n = 0;
    for (uint32_t c = 0; c < world_of(in)->component_count; c++)
        if ((mask >> c & 1) != 0)
            list[n++] = world_of(in)->components[c].id;
    return n;
}

static void begin_query(cross *in, hm_query *query, asked of)
{
    hm_component all[WORLD_MODEL_KINDS], none[WORLD_MODEL_KINDS];
    const hm_query_desc desc = {.all = all,
                                .none = none,
                                .all_count = list_components(in, of.all, all),
                                .none_count = list_components(in, of.none, none)};
    CHECK(hm_query_init(query, &world_of(in)->world, &desc) == HM_OK);
}

/* Each bit of noise decides about a component; few are asked for. */
static asked draw_asked(const cross *in, uint64_t noise)
{
    uint32_t made = (UINT32_C(1) << in->components) - 1;
    uint32_t all = (uint32_t)(noise & noise >> 14 & noise >> 28) & made;
    return (asked){all, (uint32_t)(noise >> 7 & noise >> 21 & noise >> 42) & made & ~all};
}

static void begin_queries(cross *in)
{
    for (uint32_t i = 0; i < QUERIES; i++)
        begin_query(in, &in->watched.queries[i], in->known.asked[i]);
    begin_query(in, &in->unwatched, in->asked);
    CHECK(hm_commands_init(&in->watched.commands, &world_of(in)->world,
                           &(hm_commands_desc){.size = 1 << 16}) == HM_OK);
}

static void end_queries(cross *in)
{
    for (uint32_t i = 0; i < QUERIES; i++)
        hm_query_fini(&in->watched.queries[i]);
    hm_query_fini(&in->unwatched);
    hm_commands_fini(&in->watched.commands);
}

static bool matches(const world_model_entity *entity, asked of)
{
    return (entity->mask & of.all) == of.all && (entity->mask & of.none) == 0;
}

static uint32_t count_matches(const cross *in, asked of)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < world_of(in)->count; i++)
        count += matches(&world_of(in)->entities[i], of);
    return count;
}

/* Returns whether there is another view; its entities match. */
static bool visit_next(cross *in, asked of)
{
    hm_view view;
    if (!hm_query_next(&in->loop, &view))
        return false;
    for (uint32_t row = 0; row < view.count; row++) {
        const world_model_entity *entity = world_model_find(world_of(in), view.entities[row]);
        CHECK(entity != NULL && matches(entity, of));
    }
    in->visited += view.count;
    return true;
}

/* Which, views: begins a loop that is left running, or goes on with it to its end or ends it. */
static void query(void *state, const uint32_t arguments[3])
{
    cross *in = state;
    uint32_t which = in->running != 0 ? in->running - 1 : arguments[0] % QUERIES;
    asked of = in->known.asked[which];
    bool has_more = true, was_running = in->running != 0;
    if (!was_running) {
        hm_query_begin(&in->watched.queries[which], &in->loop);
        in->visited = 0;
    }
    for (uint32_t n = was_running ? UINT32_MAX : arguments[1] % 3; n > 0 && has_more; n--) {
        if (was_running && arguments[1] % 4 == 3)
            break;
        has_more = visit_next(in, of);
    }
    CHECK(has_more || in->visited == count_matches(in, of));
    if (was_running)
        hm_query_end(&in->loop);
    in->running = was_running || !has_more ? 0 : which + 1;
}

/* Which, twice noise: makes a query anew, that asks for something else. */
static void ask_anew(void *state, const uint32_t arguments[3])
{
    cross *in = state;
    uint32_t which = arguments[0] % (QUERIES + 1);
    asked of = draw_asked(in, (uint64_t)arguments[1] << 32 | arguments[2]);
    if (in->running != 0)
        return;
    hm_query *made = which < QUERIES ? &in->watched.queries[which] : &in->unwatched;
    *(which < QUERIES ? &in->known.asked[which] : &in->asked) = of;
    hm_query_fini(made);
    begin_query(in, made, of);
    in->has_changed = true;
}

/* While a query runs, nothing changes the world, and nothing is marked or put back. */
static void check_refused(cross *in, uint32_t noise)
{
    world_model *model = world_of(in);
    hm_world *world = &model->world;
    hm_handle entity = hm_world_handle_at(world, 0);
    test_file file = {0};
    test_memory_fail(&model->memory, 0, false);
    hm_component any = model->components[noise % model->component_count].id;
    CHECK(hm_handle_is_null(hm_world_create(world, &any, 1)) && !hm_world_destroy(world, entity));
    CHECK(hm_world_add(world, entity, any, NULL) == HM_ERROR_BUSY);
    CHECK(hm_world_remove(world, entity, any, NULL) == HM_ERROR_BUSY);
    CHECK(hm_world_trim(world) == HM_ERROR_BUSY);
    CHECK(hm_commands_apply(&in->watched.commands) == HM_ERROR_BUSY);
    CHECK(hm_query_destroy(&in->watched.queries[0]) == 0);
    CHECK(hm_world_save(world, NULL, test_sink(&file)) == HM_OK);
    CHECK(hm_world_load(world, NULL, test_source(&file)) != HM_OK);
    test_reload_open();
    hm_status status = hm_world_merge(world, NULL, test_source(&file), NULL);
    CHECK(status == HM_ERROR_BUSY || world_model_explains(model, status, model->count));
    CHECK(test_reload_close().destroyed.count == 0);
    test_file_end(&file);
    CHECK(hm_history_mark(&in->history) == 0);
    if (in->count != 0)
        CHECK(hm_history_rewind(&in->history, in->marks[0].number) == HM_ERROR_BUSY);
}

/* commands */

/* The components that commands add: small ones without a hook. */
static uint32_t draw_mask(const cross *in, uint32_t noise)
{
    const world_model *model = world_of(in);
    uint32_t mask = 0;
    for (uint32_t c = 0; c < model->component_count; c++)
        if (!model->components[c].of.has_hook && model->components[c].of.size <= SMALL)
            mask |= UINT32_C(1) << c;
    return mask & noise;
}

static bool is_recorded(const cross *in, hm_handle entity)
{
    for (uint32_t i = 0; i < in->known.count; i++)
        if (in->known.commands[i].entity.bits == entity.bits)
            return true;
    return false;
}

static void record_create(cross *in, uint32_t mask)
{
    world_model *model = world_of(in);
    hm_component set[WORLD_MODEL_KINDS];
    if (hm_handle_is_null(hm_world_upcoming(&model->world, 0)))
        (void)hm_world_reserve(&model->world, 1 + mask % 8);
    hm_handle upcoming = hm_world_upcoming(&model->world, 0);
    hm_handle entity =
        hm_commands_create(&in->watched.commands, set, list_components(in, mask, set));
    CHECK(hm_handle_equal(entity, upcoming));
    if (hm_handle_is_null(entity))
        return;
    model->promised[model->promised_count++] = entity;
    in->known.commands[in->known.count++] = (recorded){entity, mask, true};
}

/* What, noise: records the create of an entity, or the destroy of one that no command names. */
static void record(void *state, const uint32_t arguments[3])
{
    cross *in = state;
    in->has_changed = true;
    if (in->known.count == RECORDED)
        return;
    if (arguments[0] % 4 != 0) {
        record_create(in, draw_mask(in, arguments[1]));
        return;
    }
    hm_handle entity = world_model_pick(world_of(in), 0, arguments[1], arguments[2]);
    bool lives = world_model_find(world_of(in), entity) != NULL ||
                 world_model_is_promised(world_of(in), entity);
    if (!lives || is_recorded(in, entity))
        return;
    CHECK(hm_commands_destroy(&in->watched.commands, entity) == HM_OK);
    in->known.commands[in->known.count++] = (recorded){.entity = entity};
}

/* Whether the entity has all that its create gives it, each value as it is at first. */
static bool is_created(const cross *in, const world_model_entity *entity, uint32_t mask)
{
    const world_model *model = world_of(in);
    world_model_entity made = *entity;
    made.zero |= mask;
    for (uint32_t c = 0; c < model->component_count; c++) {
        hm_component id = model->components[c].id;
        if ((mask >> c & 1) == 0)
            continue;
        if (!hm_world_has(&model->world, entity->handle, id))
            return false;
        const void *value = hm_world_get(&model->world, entity->handle, id);
        if (value != NULL && !world_model_holds(model, &made, c, value))
            return false;
    }
    return true;
}

/* Follows what has become of the commands; `all`: each was run, or its entity was dead. */
static void follow_commands(cross *in, bool all)
{
    world_model *model = world_of(in);
    for (uint32_t i = 0; i < in->known.count; i++) {
        const recorded *of = &in->known.commands[i];
        world_model_entity *entity = world_model_find(model, of->entity);
        bool lives = hm_world_contains(&model->world, of->entity);
        CHECK(!lives || entity != NULL);
        CHECK(!all || of->is_create || !lives);
        if (entity != NULL && !lives) {
            CHECK(!all || !of->is_create || !world_model_fits(model, entity->mask | of->mask));
            world_model_drop(model, entity);
        } else if (lives && of->is_create) {
            bool is_made = is_created(in, entity, of->mask);
            CHECK(is_made || !all);
            entity->mask |= is_made ? of->mask : 0;
            entity->zero |= is_made ? of->mask : 0;
        }
    }
}

/* Whether the commands are dropped instead. */
static void apply(void *state, const uint32_t arguments[3])
{
    cross *in = state;
    world_model *model = world_of(in);
    hm_commands *commands = &in->watched.commands;
    uint32_t dead = 0;
    if (in->running != 0)
        return;
    if (in->known.count != 0)
        world_model_keep_promises(model);
    for (uint32_t i = 0; i < in->known.count; i++)
        dead += world_model_find(model, in->known.commands[i].entity) == NULL;
    CHECK(hm_commands_count(commands) == in->known.count);
    if (arguments[0] % 4 != 0) {
        hm_status status = hm_commands_apply(commands);
        CHECK(status == HM_OK || world_model_explains(model, status, 0));
        CHECK(status != HM_OK || hm_commands_skipped(commands) == dead);
        follow_commands(in, status == HM_OK);
        in->known.count = status == HM_OK ? 0 : in->known.count;
    }
    hm_commands_clear(commands);
    follow_commands(in, false);
    in->known.count = 0;
    if (model->world.promised == 0)
        world_model_keep_promises(model);
    in->has_changed = true;
}

/* what the models do */

static void run_operation(cross *in, uint32_t part, const test_operation *operation,
                          uint64_t random)
{
    uint32_t drawn[TEST_ARGUMENTS];
    for (uint32_t i = 0; i < TEST_ARGUMENTS; i++)
        drawn[i] = (uint32_t)test_random(&random);
    in->has_changed = true;
    if (part == WORLD && in->running != 0)
        check_refused(in, drawn[0]);
    else
        operation->run(in->models[part], drawn);
}

static const test_operation *draw_operation(const test_subject *subject, uint32_t number)
{
    uint32_t total = 0;
    const test_operation *operation = subject->operations;
    for (uint32_t i = 0; i < subject->operation_count; i++)
        total += subject->operations[i].weight;
    number = (uint32_t)((uint64_t)number * total >> 32);
    for (; number >= operation->weight; operation++)
        number -= operation->weight;
    return operation;
}

/* Part, operation, its arguments. */
static void work(void *state, const uint32_t arguments[3])
{
    cross *in = state;
    uint32_t part = arguments[0] % PARTS;
    run_operation(in, part, draw_operation(kinds[part]->subject, arguments[1]), arguments[2]);
}

/* Part, number, seed: many operations of it, so that it fills. */
static void work_on(void *state, const uint32_t arguments[3])
{
    cross *in = state;
    uint32_t part = arguments[0] % PARTS;
    uint64_t random = arguments[2];
    for (uint32_t n = arguments[1] % MANY; n > 0; n--) {
        uint32_t operation = (uint32_t)test_random(&random);
        const uint32_t drawn[] = {part, operation, (uint32_t)test_random(&random)};
        work(in, drawn);
        kinds[part]->subject->check(in->models[part]);
    }
}

/* The same, but one call for memory is refused, or all from then on. */
static void work_refused(void *state, const uint32_t arguments[3])
{
    cross *in = state;
    uint32_t part = arguments[0] % PARTS;
    const uint32_t when[] = {arguments[0] / PARTS, arguments[0] / PARTS / 8};
    test_memory *memory = exchange_at(in->models[part], kinds[part]->memory);
    test_memory_arm(memory, when);
    memory->is_armed = false; /* for this operation, not for the next one */
    work(in, arguments);
}

/* Of the part that an argument chooses, the operation of this name. */
static void run_named(cross *in, uint32_t part, const char *name, uint64_t random)
{
    const test_subject *subject = kinds[part]->subject;
    for (uint32_t i = 0; i < subject->operation_count; i++)
        if (strcmp(subject->operations[i].name, name) == 0)
            run_operation(in, part, &subject->operations[i], random);
}

static void trim(void *state, const uint32_t arguments[3])
{
    run_named(state, arguments[0] % PARTS, "trim", arguments[1]);
}

static void clear(void *state, const uint32_t arguments[3])
{
    run_named(state, arguments[0] % PARTS, "clear", arguments[1]);
}

static void defragment(void *state, const uint32_t arguments[3])
{
    run_named(state, arguments[0] % PARTS, "defragment", arguments[1]);
}

static void replace(void *state, const uint32_t arguments[3])
{
    cross *in = state;
    uint32_t part = arguments[0] % PARTS;
    if (part == WORLD && in->running != 0)
        return;
    if (part == WORLD) {
        const uint32_t none[TEST_ARGUMENTS] = {0};
        apply(in, none);
        end_queries(in);
    }
    kinds[part]->replace(in->models[part], arguments + 1);
    if (part == WORLD)
        begin_queries(in);
    in->has_changed = true;
}

static void merge(void *state, const uint32_t arguments[3])
{
    cross *in = state;
    uint32_t part = arguments[0] % PARTS;
    if (kinds[part]->merge != NULL && (part != WORLD || in->running == 0))
        kinds[part]->merge(in->models[part], arguments + 1);
    in->has_changed = true;
}

/* marks */

static void forget_mark(mark *at)
{
    for (uint32_t i = 0; i < PARTS; i++) {
        if (at->models[i] != NULL)
            test_memory_forget(exchange_at(at->models[i], kinds[i]->memory));
        free(at->models[i]);
        at->models[i] = NULL;
    }
}

static mark copy_models(const cross *in, uint64_t number)
{
    mark made = {.number = number, .known = in->known};
    for (uint32_t i = 0; i < PARTS; i++) {
        made.models[i] = malloc(kinds[i]->model_size);
        CHECK(made.models[i] != NULL);
        memcpy(made.models[i], in->models[i], kinds[i]->model_size);
        test_memory_own(exchange_at(made.models[i], kinds[i]->memory));
    }
    return made;
}

/* All but the containers, which the history has put back. */
static void restore_models(cross *in, const mark *at)
{
    static test_any container;
    for (uint32_t i = 0; i < PARTS; i++) {
        test_memory *memory = exchange_at(in->models[i], kinds[i]->memory);
        memcpy(&container, container_of(in, i), kinds[i]->container_size);
        test_memory_forget(memory);
        memcpy(in->models[i], at->models[i], kinds[i]->model_size);
        test_memory_own(memory);
        memcpy(container_of(in, i), &container, kinds[i]->container_size);
    }
    in->known = at->known;
}

/* Takes a mark, unless memory is refused: the first argument says at which call. */
static void take_mark(void *state, const uint32_t arguments[3])
{
    cross *in = state;
    test_memory_fail(&in->memory, arguments[0] % 8, false);
    uint64_t number = hm_history_mark(&in->history);
    bool was_refused = test_memory_refused(&in->memory);
    test_memory_fail(&in->memory, 0, false);
    if (in->running != 0)
        CHECK(number == 0);
    else
        CHECK(number != 0 || was_refused);
    if (number == 0)
        return;
    uint32_t kept = in->count > 0 ? in->current + 1 : 0;
    while (in->count > kept)
        forget_mark(&in->marks[--in->count]);
    in->marks[in->count++] = copy_models(in, number);
    if (in->count > MARKS) {
        forget_mark(&in->marks[0]);
        memmove(in->marks, in->marks + 1, sizeof *in->marks * MARKS);
        in->count = MARKS;
    }
    in->current = in->count - 1;
    in->has_changed = false;
}

/* Which, the call for memory that is refused. */
static void rewind_to(void *state, const uint32_t arguments[3])
{
    cross *in = state;
    if (in->count == 0)
        return;
    uint32_t i = arguments[0] % in->count;
    test_memory_fail(&in->memory, arguments[1] % 16, false);
    hm_status status = hm_history_rewind(&in->history, in->marks[i].number);
    bool was_refused = test_memory_refused(&in->memory);
    test_memory_fail(&in->memory, 0, false);
    if (in->running != 0)
        CHECK(status == HM_ERROR_BUSY || (status == HM_ERROR_STALE && i > in->current));
    else
        CHECK(status == HM_OK || (status == HM_ERROR_MEMORY && was_refused) ||
              (status == HM_ERROR_STALE && i > in->current && in->has_changed));
    if (status == HM_OK) {
        restore_models(in, &in->marks[i]);
        in->current = i;
        in->has_changed = false;
    }
}

/* scripts */

/* Arguments of a model's begin that make no large container; of a world, one whose memory counts
 * and whose components can be saved. */
static void draw_begin(uint32_t part, uint64_t *random, uint32_t arguments[3])
{
    for (uint32_t i = 0; i < TEST_ARGUMENTS; i++)
        arguments[i] = (uint32_t)test_random(random);
    if (kinds[part] == &exchange_map)
        arguments[1] -= arguments[1] / 280 % 24 == 23 ? 280 : 0;
    if (kinds[part] == &exchange_table || kinds[part] == &exchange_pool)
        arguments[1] -= arguments[1] / 40 % 16 == 15 ? 40 : 0;
    if (kinds[part] == &exchange_pool) /* Each storage. */
        arguments[2] -= (arguments[2] + part) % 3;
    if (part != WORLD)
        return;
    arguments[0] |= 4096;
    arguments[1] |= 32;
    arguments[1] &= IS_AMPLE ? UINT32_MAX : ~UINT32_C(256);
    arguments[2] &= ~UINT32_C(0x30);
}

/* The method; a seed for the shapes. */
static void *begin(const uint32_t arguments[3])
{
    cross *in = calloc(1, sizeof *in);
    uint64_t random = arguments[1];
    CHECK(in != NULL);
    in->compares = arguments[0] % 2 == 0;
    test_memory_init_with_holes(&in->memory, test_page_size(4096));
    const hm_history_desc desc = {.marks = MARKS,
                                  .method = in->compares ? HM_HISTORY_COMPARE : HM_HISTORY_AUTO,
                                  .size = HISTORY_SIZE,
                                  .memory = in->compares ? &in->memory.table : NULL};
    CHECK(hm_history_init(&in->history, &desc) == HM_OK);
    test_memory_use(&in->history.table);
    for (uint32_t i = 0; i < PARTS; i++) {
        uint32_t drawn[TEST_ARGUMENTS];
        draw_begin(i, &random, drawn);
        in->models[i] = kinds[i]->subject->begin(drawn);
        CHECK(hm_history_watch(&in->history, container_of(in, i), kinds[i]->container_size) ==
              HM_OK);
    }
    test_memory_use(NULL);
    CHECK(hm_history_watch(&in->history, &in->watched, sizeof in->watched) == HM_OK);
    world_of(in)->is_shared = true;
    in->components = world_of(in)->component_count;
    for (uint32_t i = 0; i < QUERIES; i++)
        in->known.asked[i] = draw_asked(in, test_random(&random));
    in->asked = draw_asked(in, test_random(&random));
    begin_queries(in);
    return in;
}

static void check(void *state)
{
    cross *in = state;
    for (uint32_t i = 0; i < PARTS; i++) {
        kinds[i]->subject->check(in->models[i]);
        /* What refuse has armed is not for the next step, which may be none of this part. */
        test_memory_fail(exchange_at(in->models[i], kinds[i]->memory), 0, false);
    }
    CHECK(hm_history_validate(&in->history) == HM_OK);
    for (uint32_t i = 0; i < QUERIES; i++)
        CHECK(hm_query_count(&in->watched.queries[i]) == count_matches(in, in->known.asked[i]));
    CHECK(hm_query_count(&in->unwatched) == count_matches(in, in->asked));
    CHECK(hm_commands_count(&in->watched.commands) == in->known.count);
}

static void end(void *state)
{
    cross *in = state;
    hm_query_end(&in->loop);
    end_queries(in);
    for (uint32_t i = 0; i < in->count; i++)
        forget_mark(&in->marks[i]);
    for (uint32_t i = 0; i < PARTS; i++) {
        CHECK(hm_history_unwatch(&in->history, container_of(in, i)));
        kinds[i]->subject->end(in->models[i]);
    }
    CHECK(hm_history_validate(&in->history) == HM_OK);
    hm_history_fini(&in->history);
    test_memory_check_released(&in->memory);
    free(in);
}

static const test_operation operations[] = {
    {"work", 60, work},
    {"work_on", 16, work_on},
    {"work_refused", 12, work_refused},
    {"trim", 5, trim},
    {"clear", 1, clear},
    {"mark", 8, take_mark},
    {"rewind", 8, rewind_to},
    {"replace", 10, replace},
    {"merge", 10, merge},
    {"query", 6, query},
    {"ask_anew", 2, ask_anew},
    {"record", 8, record},
    {"apply", 4, apply},
    {"defragment", 12, defragment},
};

static TEST_SUBJECT(cross_subject, "cross", operations, begin, check, end);

TEST(cross, all_kinds_of_container_in_one_history_are_what_their_models_say)
{
    uint64_t random = test_seed("cross");
    if (test_run_given(&cross_subject))
        return;
    for (uint32_t i = 0; i < test_scaled(SCRIPTS); i++) {
        const uint32_t begin_with[] = {i, (uint32_t)test_random(&random), 0};
        test_run_random(&cross_subject, begin_with, STEPS, &random);
    }
}
