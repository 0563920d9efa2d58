/* SPDX-License-Identifier: MIT */
/* Queries against the naive model of query_model.h: while the world changes at random, and in every
 * combination of what can be asked of which kind of component. */
#include "support/query_model.h"

#include "support/layout.h"
#include "support/runner.h"
#include "support/world.h"

#include <stdlib.h>
#include <string.h>

enum {
    OPERATIONS = 60000, /* in all */
    EPISODE = 300,      /* operations on one world */
    QUERIES = 6         /* that are there all the time */
};

typedef struct state {
    query_model model;
    query_model_query queries[QUERIES];
    uint32_t sorting; /* the component that orders */
} state;

static void draw_query(state *on, uint32_t which, uint32_t noise)
{
    unsigned char asks[QUERY_MODEL_COMPONENTS];
    query_model_draw(asks, noise);
    query_model_ask(&on->model, &on->queries[which], asks, noise % 2 != 0);
}

static void *begin(const uint32_t arguments[TEST_ARGUMENTS])
{
    static const size_t page_sizes[] = {4096, 16384, 65536};
    state *on = calloc(1, sizeof *on);
    CHECK(on != NULL);
    query_model_init(&on->model, page_sizes[arguments[0] % 3]);
    for (uint32_t i = 0; i < QUERIES; i++)
        draw_query(on, i, arguments[1] + i * arguments[2]);
    return on;
}

static void check(void *of)
{
    state *on = of;
    CHECK(hm_world_validate(&on->model.world) == HM_OK);
    query_model_follow(&on->model);
    for (uint32_t i = 0; i < QUERIES; i++)
        query_model_check(&on->model, &on->queries[i]);
}

static void end(void *of)
{
    state *on = of;
    for (uint32_t i = 0; i < QUERIES; i++)
        hm_query_fini(&on->queries[i].query);
    query_model_fini(&on->model);
    free(on);
}

/* Returns a mask that often repeats, so that archetypes have more than one entity. */
static uint32_t some_mask(uint32_t noise)
{
    const uint32_t two_sparse = 0x240, all = (UINT32_C(1) << QUERY_MODEL_COMPONENTS) - 1;
    if (noise % 4 == 0)
        return noise >> 8 & all;
    return UINT32_C(1) << noise / 4 % 4 | (noise >> 8 & two_sparse);
}

static void create(void *of, const uint32_t arguments[TEST_ARGUMENTS])
{
    state *on = of;
    for (uint32_t i = 0; i <= arguments[1] % 30; i++)
        query_model_create(&on->model, some_mask(arguments[0]));
}

static void create_n(void *of, const uint32_t arguments[TEST_ARGUMENTS])
{
    state *on = of;
    uint32_t n = arguments[1] % 60, room = QUERY_MODEL_ENTITIES - on->model.count;
    query_model_create_n(&on->model, some_mask(arguments[0]), n < room ? n : room);
}

static void destroy(void *of, const uint32_t arguments[TEST_ARGUMENTS])
{
    state *on = of;
    for (uint32_t i = 0; i <= arguments[1] % 20 && on->model.count != 0; i++)
        query_model_destroy(&on->model, (arguments[0] + i * arguments[2]) % on->model.count);
}

static void destroy_n(void *of, const uint32_t arguments[TEST_ARGUMENTS])
{
    state *on = of;
    uint32_t n = arguments[1] % 40, first = arguments[0] % (on->model.count + 1);
    uint32_t most = on->model.count - first;
    query_model_destroy_n(&on->model, first, n < most ? n : most);
}

static void add(void *of, const uint32_t arguments[TEST_ARGUMENTS])
{
    state *on = of;
    for (uint32_t i = 0; i <= arguments[1] % 20 && on->model.count != 0; i++)
        query_model_add(&on->model, (arguments[0] + i) % on->model.count,
                        arguments[2] % QUERY_MODEL_COMPONENTS);
}

static void take_away(void *of, const uint32_t arguments[TEST_ARGUMENTS])
{
    state *on = of;
    for (uint32_t i = 0; i <= arguments[1] % 20 && on->model.count != 0; i++)
        query_model_remove(&on->model, (arguments[0] + i) % on->model.count,
                           arguments[2] % QUERY_MODEL_COMPONENTS);
}

static void change(void *of, const uint32_t arguments[TEST_ARGUMENTS])
{
    state *on = of;
    uint32_t add_mask = some_mask(arguments[1]), remove_mask = some_mask(arguments[2]) & ~add_mask;
    if (on->model.count != 0)
        query_model_change(&on->model, arguments[0] % on->model.count, add_mask, remove_mask);
}

static void change_all(void *of, const uint32_t arguments[TEST_ARGUMENTS])
{
    state *on = of;
    uint32_t add_mask = some_mask(arguments[1]), remove_mask = some_mask(arguments[2]) & ~add_mask;
    if (arguments[0] % 2 != 0) { /* Nothing sparse is added or removed. */
        add_mask &= (1U << QUERY_MODEL_SPARSE) - 1;
        remove_mask &= (1U << QUERY_MODEL_SPARSE) - 1;
    }
    CHECK(query_model_change_all(&on->model, &on->queries[arguments[0] / 2 % QUERIES], add_mask,
                                 remove_mask));
}

/* Mostly few entities have all that a narrow query asks for. */
static void destroy_all(void *of, const uint32_t arguments[TEST_ARGUMENTS])
{
    state *on = of;
    query_model_query *query = &on->queries[arguments[0] % QUERIES];
    if (hm_query_count(&query->query) <= on->model.count / 4 || arguments[1] % 8 == 0)
        query_model_destroy_all(&on->model, query);
}

static void clear(void *of, const uint32_t arguments[TEST_ARGUMENTS])
{
    state *on = of;
    (void)arguments;
    query_model_clear(&on->model);
}

static void trim(void *of, const uint32_t arguments[TEST_ARGUMENTS])
{
    state *on = of;
    (void)arguments;
    CHECK(hm_world_trim(&on->model.world) == HM_OK);
}

static void ask(void *of, const uint32_t arguments[TEST_ARGUMENTS])
{
    state *on = of;
    uint32_t which = arguments[0] % QUERIES;
    hm_query_fini(&on->queries[which].query);
    draw_query(on, which, arguments[1]);
}

static void write_all(void *of, const uint32_t arguments[TEST_ARGUMENTS])
{
    state *on = of;
    query_model_write(&on->model, &on->queries[arguments[0] % QUERIES]);
}

static uint64_t first_byte(const void *value, void *context)
{
    (void)context;
    return *(const unsigned char *)value;
}

/* A few steps of an order, which is then unfinished for what follows, of the same component as last
 * time or of another. */
static void defragment(void *of, const uint32_t arguments[TEST_ARGUMENTS])
{
    static const hm_order rising = {.key = first_byte};
    state *on = of;
    hm_frame_budget budget = test_budget_of(1 + arguments[1] % 20, 1 + arguments[2] % 100);
    if (arguments[0] % 4 == 0)
        on->sorting = arguments[0] / 4 % QUERY_MODEL_COMPONENTS;
    hm_component component = on->model.components[on->sorting];
    hm_progress progress = hm_world_defragment(&on->model.world, component, &rising, ONCE(budget));
    CHECK(!progress.done || query_model_size(on->sorting) == 0 ||
          world_is_in_order(&on->model.world, component, first_byte, NULL));
}

/* Some queries have loops that never reach the end. */
static void leave(void *of, const uint32_t arguments[TEST_ARGUMENTS])
{
    state *on = of;
    hm_query_loop loop;
    hm_view view;
    hm_query *query = &on->queries[arguments[0] % QUERIES].query;
    hm_query_begin(query, &loop);
    for (uint32_t i = 0; i < arguments[1] % 4; i++)
        (void)hm_query_next(&loop, &view);
    hm_query_end(&loop);
}

/* Loops over all queries inside a loop over one of them, at some of its views. */
static void nest(void *of, const uint32_t arguments[TEST_ARGUMENTS])
{
    state *on = of;
    hm_query_loop loop;
    hm_view view;
    hm_query *query = &on->queries[arguments[0] % QUERIES].query;
    uint32_t visited = 0, views = 0;
    query_model_follow(&on->model);
    for (hm_query_begin(query, &loop); hm_query_next(&loop, &view); visited += view.count) {
        if (views++ % (1 + arguments[1] % 64) != 0)
            continue;
        for (uint32_t i = 0; i < QUERIES; i++)
            query_model_check(&on->model, &on->queries[i]);
        CHECK(hm_world_trim(&on->model.world) == HM_ERROR_BUSY);
    }
    CHECK(visited == hm_query_count(query));
}

/* Loops in parts. */
static void divide(void *of, const uint32_t arguments[TEST_ARGUMENTS])
{
    state *on = of;
    uint32_t n = 1 + arguments[1] % QUERY_MODEL_PARTS;
    query_model_follow(&on->model);
    query_model_check_parts(&on->model, &on->queries[arguments[0] % QUERIES], n,
                            arguments[2] % 2 != 0 ? 1 : n + 1);
    query_model_check_parts(&on->model, &on->queries[arguments[0] % QUERIES], n, 2 * n - 1);
}

static const test_operation operations[] = {
    {"create", 20, create},
    {"create_n", 6, create_n},
    {"destroy", 12, destroy},
    {"destroy_n", 4, destroy_n},
    {"add", 20, add},
    {"remove", 12, take_away},
    {"change", 12, change},
    {"change_all", 8, change_all},
    {"clear", 1, clear},
    {"trim", 3, trim},
    {"destroy_all", 6, destroy_all},
    {"write", 6, write_all},
    {"defragment", 40, defragment},
    {"ask", 10, ask},
    {"leave", 3, leave},
    {"nest", 2, nest},
    {"divide", 8, divide},
};
static TEST_SUBJECT(subject, "query", operations, begin, check, end);

TEST(query_model, queries_agree_with_the_model_while_the_world_changes)
{
    uint32_t wanted = test_scaled(OPERATIONS);
    if (test_run_given(&subject))
        return;
    uint64_t random = test_seed("query_model");
    for (uint32_t done = 0; done < wanted; done += EPISODE) {
        uint32_t start[TEST_ARGUMENTS];
        for (uint32_t i = 0; i < TEST_ARGUMENTS; i++)
            start[i] = (uint32_t)test_random(&random);
        test_run_random(&subject, start, EPISODE, &random);
    }
}

/* Asks everything of two components of archetypes, a tag and two sparse ones, of entities that have
 * them in every combination. */
TEST(query_model, every_combination_of_lists_and_kinds_agrees_with_the_model)
{
    static const uint32_t chosen[] = {1, 3, 4, 6, 8};
    static const unsigned char kinds[] = {
        0,
        QUERY_ASKS_ALL,
        QUERY_ASKS_NONE,
        QUERY_ASKS_ANY,
        QUERY_ASKS_OPTIONAL,
        QUERY_ASKS_ALL | QUERY_ASKS_ANY,
        QUERY_ASKS_ALL | QUERY_ASKS_OPTIONAL,
        QUERY_ASKS_ANY | QUERY_ASKS_OPTIONAL,
        QUERY_ASKS_ALL | QUERY_ASKS_ANY | QUERY_ASKS_OPTIONAL,
    };
    enum { KINDS = sizeof kinds, QUERY_NUMBER = KINDS * KINDS * KINDS * KINDS * KINDS };
    static query_model model; /* too large for the stack */
    query_model_init(&model, 4096);
    uint64_t random = test_seed("query_model combinations");
    for (uint32_t i = 0; i < 32 * 3; i++) {
        uint32_t mask = 0;
        for (uint32_t c = 0; c < 5; c++)
            mask |= (i >> c & 1) << chosen[c];
        query_model_create(&model, mask);
    }
    for (uint32_t round = 0; round < 500; round++) { /* Each secondary gets an order of its own. */
        uint32_t i = test_random_below(&random, model.count);
        uint32_t c = chosen[test_random_below(&random, 5)];
        if ((model.entities[i].mask >> c & 1) == 0)
            continue;
        query_model_remove(&model, i, c);
        query_model_add(&model, i, c);
    }
    uint32_t step = QUERY_NUMBER / test_scaled(QUERY_NUMBER);
    for (uint32_t q = 0; q < QUERY_NUMBER; q += step) {
        unsigned char asks[QUERY_MODEL_COMPONENTS] = {0};
        uint32_t rest = q;
        for (uint32_t c = 0; c < 5; c++, rest /= KINDS)
            asks[chosen[c]] = kinds[rest % KINDS];
        query_model_query query;
        query_model_ask(&model, &query, asks, q % 2 != 0);
        query_model_check(&model, &query);
        query_model_check_parts(&model, &query, 1 + q % 7, 1);
        hm_query_fini(&query.query);
    }
    query_model_fini(&model);
}
