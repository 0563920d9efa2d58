/* SPDX-License-Identifier: MIT */
/* A world with a naive model beside it, an array of entities with a mask of components each, and
 * queries that are checked against it: whom they visit, where, and with which values. */
#ifndef TEST_SUPPORT_QUERY_MODEL_H
#define TEST_SUPPORT_QUERY_MODEL_H

#include "memory.h"
#include "test.h"

#include <handle_map/query.h>

/* Components 0 to 3 are in archetypes, 4 and 5 are tags, 6 to 9 are sparse; some have hooks. */
enum {
    QUERY_MODEL_COMPONENTS = 10,
    QUERY_MODEL_TAGS = 4,
    QUERY_MODEL_SPARSE = 6,
    QUERY_MODEL_ENTITIES = 400, /* the world's capacity */
    QUERY_MODEL_SLOTS = 4096,
    QUERY_MODEL_PARTS = 64,
    QUERY_MODEL_ZERO = 0 /* the pattern of a value of zeros */
};

/* What a query asks of a component; QUERY_ASKS_ANY and _OPTIONAL may be together. */
enum { QUERY_ASKS_ALL = 1, QUERY_ASKS_NONE = 2, QUERY_ASKS_ANY = 4, QUERY_ASKS_OPTIONAL = 8 };

typedef struct query_model_entity {
    hm_handle handle;
    uint32_t mask;                           /* of its components */
    uint32_t values[QUERY_MODEL_COMPONENTS]; /* the pattern of each value */
    uint64_t seen[QUERY_MODEL_COMPONENTS];   /* sums by query_model_follow; 0: it has none */
    uint64_t since[QUERY_MODEL_COMPONENTS];  /* a time before that of the last change */
    uint32_t visits;                         /* of the loop that is checked */
} query_model_entity;

struct query_model;

/* What a hook gets. */
typedef struct query_model_hook {
    struct query_model *model;
    uint32_t component;
} query_model_hook;

typedef struct query_model {
    hm_world world;
    test_memory memory;
    hm_component components[QUERY_MODEL_COMPONENTS];
    query_model_entity entities[QUERY_MODEL_ENTITIES];
    uint32_t count;
    uint32_t places[QUERY_MODEL_SLOTS]; /* slot -> entity, which may not have it any more */
    uint32_t next_value;
    query_model_hook hooks[QUERY_MODEL_COMPONENTS];
    uint64_t lost;      /* the sum of the values that hooks must have got */
    uint64_t destroyed; /* of those that they got */
    uint64_t clock;     /* at the last query_model_follow */
} query_model;

/* A query, and what it asks of each component. */
typedef struct query_model_query {
    hm_query query;
    unsigned char asks[QUERY_MODEL_COMPONENTS];
    hm_component columns[2 * QUERY_MODEL_COMPONENTS]; /* of a view: numbers of components */
    uint32_t column_count;
} query_model_query;

/* Returns the size of a component's values. */
size_t query_model_size(uint32_t component);

void query_model_init(query_model *model, size_t page_size);
void query_model_fini(query_model *model);

/* Each does the same to the world and to the model. A mask is one of components. */
void query_model_create(query_model *model, uint32_t mask);
void query_model_create_n(query_model *model, uint32_t mask, uint32_t n);
void query_model_destroy(query_model *model, uint32_t index);
void query_model_destroy_n(query_model *model, uint32_t first, uint32_t n);
void query_model_clear(query_model *model);
void query_model_add(query_model *model, uint32_t index, uint32_t component);
void query_model_remove(query_model *model, uint32_t index, uint32_t component);
void query_model_change(query_model *model, uint32_t index, uint32_t add, uint32_t remove);

/* Changes all entities that a query visits. False when memory is refused; then nothing changes. */
/* Destroys all entities that match. */
void query_model_destroy_all(query_model *model, query_model_query *query);

bool query_model_change_all(query_model *model, query_model_query *query, uint32_t add,
                            uint32_t remove);

/* Writes new values through the views of a query, and tells it. */
void query_model_write(query_model *model, query_model_query *query);

/* Finds out what has changed since the last call, whoever has changed it: from here on,
 * query_model_check wants that hm_query_changed tells it. */
void query_model_follow(query_model *model);

/* Lists the components of a mask, and returns their number. */
uint32_t query_model_list(const query_model *model, uint32_t mask, hm_component *list);

/* Makes a query that asks this of the components. Backward: lists them from the last to the first.
 */
void query_model_ask(query_model *model, query_model_query *query, const unsigned char *asks,
                     bool is_backward);

/* Draws what a query asks of each component. */
void query_model_draw(unsigned char *asks, uint64_t random);

/* Whether the query should visit this entity. */
bool query_model_matches(const query_model_query *query, const query_model_entity *entity);

/* Fails the test unless the query visits exactly those entities that it should, each once, in runs
 * that lie side by side, with the right values. */
void query_model_check(query_model *model, query_model_query *query);

/* The same of a loop in n parts, which are run in the order 0, step, 2 * step and so on: n and step
 * have no common factor. */
void query_model_check_parts(query_model *model, query_model_query *query, uint32_t n,
                             uint32_t step);

#endif
