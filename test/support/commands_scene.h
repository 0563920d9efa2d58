/* SPDX-License-Identifier: MIT */
/* A world with a buffer of commands, and components whose destroy hooks log what they destroy. For
 * the tests of commands. */
#ifndef HM_TEST_COMMANDS_SCENE_H
#define HM_TEST_COMMANDS_SCENE_H

#include "support/last_error.h"
#include "support/test.h"

#include <handle_map/commands.h>
#include <handle_map/query.h>

#include <stdlib.h>
#include <string.h>

enum { MANY = 1000, LOG = 64, FOREIGN_TYPE = 9, OWN_TYPE = 4 };

struct spot {
    int32_t x, y;
};

/* A value whose destroy hook logs its number. */
struct token {
    uint64_t number;
    char rest[56];
};

struct reference {
    hm_handle entity;
};

typedef struct scene {
    hm_world world;
    hm_commands commands;
    hm_component spot, reference, tag, token, other_token, sparse_token, sparse_spot;
    uint64_t log[LOG]; /* numbers of the tokens that were destroyed, in order */
    uint32_t logged;
    void (*in_hook)(struct scene *self); /* called by each hook, unless NULL */
} scene;

static inline void log_token(void *value, void *context)
{
    scene *self = context;
    struct token *token = value;
    CHECK((uintptr_t)value % 64 == 0);
    CHECK(hm_world_validate(&self->world) == HM_OK);
    CHECK(self->logged < LOG);
    self->log[self->logged++] = token->number;
    memset(token, 0xEE, sizeof *token); /* The world must not use it any more. */
    if (self->in_hook != NULL)
        self->in_hook(self);
}

static inline hm_component make(scene *self, hm_component_desc desc)
{
    hm_component component = hm_world_component(&self->world, &desc);
    CHECK(component != HM_INVALID_INDEX);
    return component;
}

/* `max_archetypes` 0: the default. */
static inline scene *begin_with(uint32_t max_archetypes)
{
    scene *self = calloc(1, sizeof *self);
    CHECK(self != NULL);
    const hm_world_desc desc = {
        .capacity = 10 * MANY, .type_id = OWN_TYPE, .max_archetypes = max_archetypes};
    CHECK(hm_world_init(&self->world, &desc) == HM_OK);
    hm_component_desc token = {.size = sizeof(struct token), .destroy = log_token};
    token.align = 64;
    token.context = self;
    self->spot = make(self, (hm_component_desc){.size = sizeof(struct spot), .name = "spot"});
    self->reference = make(self, (hm_component_desc){.size = sizeof(struct reference)});
    self->tag = make(self, (hm_component_desc){.name = "tag"});
    self->token = make(self, token);
    self->other_token = make(self, token);
    token.storage = HM_COMPONENT_SPARSE;
    self->sparse_token = make(self, token);
    self->sparse_spot = make(
        self, (hm_component_desc){.size = sizeof(struct spot), .storage = HM_COMPONENT_SPARSE});
    CHECK(hm_commands_init(&self->commands, &self->world, NULL) == HM_OK);
    CHECK(hm_world_reserve(&self->world, MANY) == HM_OK);
    return self;
}

static inline scene *begin(void)
{
    return begin_with(0);
}

static inline void apply(scene *self)
{
    CHECK(hm_commands_apply(&self->commands) == HM_OK);
    CHECK(hm_commands_count(&self->commands) == 0);
    CHECK(hm_world_validate(&self->world) == HM_OK);
}

static inline void finish(scene *self)
{
    CHECK(hm_world_validate(&self->world) == HM_OK);
    hm_commands_fini(&self->commands);
    hm_commands_fini(&self->commands);
    self->in_hook = NULL;
    self->logged = 0;
    hm_world_fini(&self->world);
    free(self);
}

static inline bool logged_are(const scene *self, const uint64_t *numbers, uint32_t n)
{
    return self->logged == n && memcmp(self->log, numbers, n * sizeof *numbers) == 0;
}

#define CHECK_LOG(self, ...)                                                                       \
    CHECK(logged_are((self), (const uint64_t[]){__VA_ARGS__},                                      \
                     sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)))

static inline hm_handle create(scene *self, const hm_component *set, uint32_t n)
{
    hm_handle entity = hm_commands_create(&self->commands, set, n);
    CHECK(!hm_handle_is_null(entity) && !hm_world_contains(&self->world, entity));
    return entity;
}

static inline void add_token(scene *self, hm_handle entity, hm_component component, uint64_t number)
{
    struct token value = {.number = number};
    CHECK(hm_commands_add(&self->commands, entity, component, &value) == HM_OK);
}

static inline void give_token(scene *self, hm_handle entity, hm_component component,
                              uint64_t number)
{
    struct token value = {.number = number};
    CHECK(hm_world_add(&self->world, entity, component, &value) == HM_OK);
}

static inline uint64_t token_of(const scene *self, hm_handle entity, hm_component component)
{
    const struct token *value = hm_world_get(&self->world, entity, component);
    CHECK(value != NULL);
    return value->number;
}

static inline bool is_spot(const scene *self, hm_handle entity, hm_component component, int32_t x,
                           int32_t y)
{
    const struct spot *spot = hm_world_get(&self->world, entity, component);
    return spot != NULL && spot->x == x && spot->y == y;
}

#endif
