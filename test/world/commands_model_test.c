/* SPDX-License-Identifier: MIT */
/* Random commands, applied to one world and called one after another on another: both end up with
 * the same entities and values, and have destroyed the same values. */
#include "support/test.h"

#include <handle_map/commands.h>

#include <stdlib.h>
#include <string.h>

enum {
    ENTITIES =
        24, /* that commands name at first, dead ones included: few, so that many are joined */
    COMPONENTS = 140, /* more than 128: a set of them takes three words */
    FREQUENT = 4,     /* of the components of each word are drawn most */
    BUFFERS = 3,
    LENGTH = 120, /* commands of a round */
    ROUNDS = 600,
    VALUES = LENGTH + 1
};

/* One of the two worlds. */
typedef struct side {
    hm_world world;
    hm_component components[COMPONENTS];
    hm_handle entities[ENTITIES + LENGTH]; /* first the old ones, then those of this round */
    uint32_t destroyed[VALUES];            /* number of a value -> how often its hook has run */
    uint64_t seen[ENTITIES + LENGTH][COMPONENTS]; /* sums of values and places; 0: it has none */
    uint64_t clock;                               /* when they were */
} side;

typedef enum kind { CREATE, DESTROY, ADD, REMOVE, CHANGE } kind;

/* A command, in terms of both sides. */
typedef struct step {
    kind kind;
    uint32_t buffer, entity;
    uint32_t number; /* of the value; 0: zero */
    uint32_t set[6]; /* components: first those to add, then those to remove */
    uint32_t added, count;
} step;

typedef struct twins {
    side recorded, called;
    hm_commands buffers[BUFFERS];
    step steps[LENGTH];
    uint32_t step_count;
    uint32_t entity_count;
    uint32_t skipped; /* calls that named a dead entity */
    uint64_t random;
} twins;

/* Sizes 4, 8, 48 and 0; every component is sparse, has a hook, or is aligned, in some mixture. */
static size_t size_of(uint32_t component)
{
    static const size_t sizes[] = {4, 8, 48, 0};
    return sizes[component % 4];
}

static bool is_sparse(uint32_t component)
{
    return component % 5 == 2 && size_of(component) != 0;
}

static bool has_hook(uint32_t component)
{
    return component % 3 != 0 && size_of(component) != 0;
}

static void count_destroyed(void *value, void *context)
{
    side *self = context;
    uint32_t number;
    memcpy(&number, value, sizeof number);
    CHECK(number < VALUES);
    self->destroyed[number]++;
    if (number % 16 == 0)
        CHECK(hm_world_validate(&self->world) == HM_OK);
    memset(value, 0xEE, sizeof number);
}

static void begin_side(side *self)
{
    const hm_world_desc desc = {.capacity = 5000, .max_slots = 1 << 20};
    CHECK(hm_world_init(&self->world, &desc) == HM_OK);
    for (uint32_t i = 0; i < COMPONENTS; i++) {
        hm_component_desc component = {.size = size_of(i), .context = self};
        if (size_of(i) == 48)
            component.align = 16;
        if (has_hook(i))
            component.destroy = count_destroyed;
        if (is_sparse(i))
            component.storage = HM_COMPONENT_SPARSE;
        self->components[i] = hm_world_component(&self->world, &component);
        CHECK(self->components[i] != HM_INVALID_INDEX);
    }
    for (uint32_t i = 0; i < ENTITIES; i++)
        self->entities[i] = hm_world_create(&self->world, NULL, 0);
}

/* draw */

/* Few of all components, so that commands meet; the others now and then. The few are the same bits
 * of different words, so that one is not taken for another unseen. */
static uint32_t draw_component(twins *self)
{
    if (test_random_below(&self->random, 8) == 0)
        return test_random_below(&self->random, COMPONENTS);
    return test_random_below(&self->random, 3) * 64 + test_random_below(&self->random, FREQUENT);
}

/* Draws a set in which no component is twice. */
static void draw_set(twins *self, step *at, uint32_t limit)
{
    for (uint32_t n = test_random_below(&self->random, limit + 1); n > 0; n--) {
        uint32_t component = draw_component(self), i = 0;
        while (i < at->count && at->set[i] != component)
            i++;
        if (i == at->count)
            at->set[at->count++] = component;
    }
}

static kind draw_kind(twins *self)
{
    static const kind kinds[] = {CREATE, ADD, ADD, ADD, ADD, ADD, REMOVE, REMOVE, CHANGE, CHANGE};
    if (test_random_below(&self->random, 30) == 0)
        return DESTROY;
    return kinds[test_random_below(&self->random, sizeof kinds / sizeof *kinds)];
}

static step draw_step(twins *self)
{
    step at = {.kind = draw_kind(self)};
    at.buffer = test_random_below(&self->random, BUFFERS);
    at.entity = test_random_below(&self->random, self->entity_count);
    if (at.kind == CREATE)
        at.entity = self->entity_count;
    if (at.kind == CREATE || at.kind == CHANGE)
        draw_set(self, &at, 6);
    if (at.kind == ADD || at.kind == REMOVE)
        at.set[at.count++] = draw_component(self);
    at.added = at.kind == REMOVE ? 0 : at.count;
    if (at.kind == CHANGE)
        at.added = test_random_below(&self->random, at.count + 1);
    if (at.kind == ADD && size_of(at.set[0]) != 0 && test_random_below(&self->random, 4) != 0)
        at.number = self->step_count + 1;
    return at;
}

/* record and call */

static const void *value_of(const step *at, unsigned char value[48])
{
    memset(value, (int)at->number, 48);
    memcpy(value, &at->number, sizeof at->number);
    return at->number != 0 ? value : NULL;
}

static void components_of(const side *self, const step *at, hm_component set[6])
{
    for (uint32_t i = 0; i < at->count; i++)
        set[i] = self->components[at->set[i]];
}

static void record(twins *self)
{
    step at = draw_step(self);
    hm_component set[6];
    unsigned char value[48];
    side *on = &self->recorded;
    hm_commands *buffer = &self->buffers[at.buffer];
    hm_handle entity = on->entities[at.entity];
    uint32_t removed = at.count - at.added;
    components_of(on, &at, set);
    if (at.kind == CREATE)
        on->entities[self->entity_count++] = hm_commands_create(buffer, set, at.count);
    else if (at.kind == DESTROY)
        CHECK(hm_commands_destroy(buffer, entity) == HM_OK);
    else if (at.kind == ADD)
        CHECK(hm_commands_add(buffer, entity, set[0], value_of(&at, value)) == HM_OK);
    else if (at.kind == REMOVE)
        CHECK(hm_commands_remove(buffer, entity, set[0]) == HM_OK);
    else
        CHECK(hm_commands_change(buffer, entity, set, at.added, set + at.added, removed) == HM_OK);
    CHECK(!hm_handle_is_null(on->entities[self->entity_count - 1]));
    self->steps[self->step_count++] = at;
}

/* The value of a command that is not run is destroyed. */
static void lose(side *self, const step *at)
{
    if (at->number != 0 && has_hook(at->set[0]))
        self->destroyed[at->number]++;
}

static void call(twins *self, const step *at)
{
    hm_component set[6];
    unsigned char value[48];
    side *on = &self->called;
    hm_world *world = &on->world;
    hm_handle entity = on->entities[at->entity];
    uint32_t removed = at->count - at->added;
    hm_status status = HM_OK;
    components_of(on, at, set);
    if (at->kind == DESTROY)
        status = hm_world_destroy(world, entity) ? HM_OK : HM_ERROR_STALE;
    else if (at->kind == ADD)
        status = hm_world_add(world, entity, set[0], value_of(at, value));
    else if (at->kind == REMOVE)
        status = hm_world_remove(world, entity, set[0], NULL);
    else
        status = hm_world_change(world, entity, set, at->added, set + at->added, removed);
    CHECK(status == HM_OK || status == HM_ERROR_STALE);
    if (status == HM_ERROR_STALE) {
        self->skipped++;
        lose(on, at);
    }
}

/* As hm_commands_apply, or hm_commands_clear, of a buffer. */
static void call_buffer(twins *self, uint32_t buffer, bool is_cleared)
{
    self->skipped = 0;
    for (uint32_t i = 0; i < self->step_count; i++) {
        const step *at = &self->steps[i];
        if (at->buffer != buffer)
            continue;
        if (!is_cleared) {
            call(self, at);
            continue;
        }
        lose(&self->called, at);
        if (at->kind == CREATE)
            (void)hm_world_destroy(&self->called.world, self->called.entities[at->entity]);
    }
}

/* compare */

static void compare_entity(const twins *self, uint32_t entity)
{
    const side *a = &self->recorded, *b = &self->called;
    hm_handle at_a = a->entities[entity], at_b = b->entities[entity];
    CHECK(hm_world_contains(&a->world, at_a) == hm_world_contains(&b->world, at_b));
    for (uint32_t i = 0; i < COMPONENTS; i++) {
        CHECK(hm_world_has(&a->world, at_a, a->components[i]) ==
              hm_world_has(&b->world, at_b, b->components[i]));
        const void *value = hm_world_get(&a->world, at_a, a->components[i]);
        const void *other = hm_world_get(&b->world, at_b, b->components[i]);
        CHECK((value != NULL) == (other != NULL));
        CHECK(value == NULL || memcmp(value, other, size_of(i)) == 0);
    }
}

static void compare(const twins *self)
{
    const side *a = &self->recorded, *b = &self->called;
    CHECK(hm_world_validate(&a->world) == HM_OK && hm_world_validate(&b->world) == HM_OK);
    CHECK(hm_world_count(&a->world) == hm_world_count(&b->world));
    CHECK(memcmp(a->destroyed, b->destroyed, sizeof a->destroyed) == 0);
    for (uint32_t i = 0; i < self->entity_count; i++)
        compare_entity(self, i);
}

/* the clock */

static uint64_t sum_of(const side *self, hm_handle entity, uint32_t i)
{
    if (!hm_world_has(&self->world, entity, self->components[i]))
        return 0;
    const unsigned char *value = hm_world_get(&self->world, entity, self->components[i]);
    uint64_t sum = (uintptr_t)value;
    for (size_t k = 0; k < size_of(i); k++)
        sum = sum * 257 + value[k];
    return sum | 1;
}

static void look(side *self, uint32_t count)
{
    for (uint32_t entity = 0; entity < count; entity++)
        for (uint32_t i = 0; i < COMPONENTS; i++)
            self->seen[entity][i] = sum_of(self, self->entities[entity], i);
    self->clock = hm_world_clock(&self->world);
}

/* What has changed since the look, in value or place, has a later time. */
static void check_told(const side *self, uint32_t count)
{
    for (uint32_t entity = 0; entity < count; entity++)
        for (uint32_t i = 0; i < COMPONENTS; i++) {
            hm_handle handle = self->entities[entity];
            uint64_t sum = sum_of(self, handle, i);
            CHECK(sum == 0 || sum == self->seen[entity][i] ||
                  hm_world_changed(&self->world, handle, self->components[i]) > self->clock);
        }
}

/* rounds */

/* Something else changes the worlds, while entities may be promised. */
static void disturb(twins *self)
{
    for (uint32_t entity = 0; entity < ENTITIES; entity++) {
        uint32_t what = test_random_below(&self->random, 40), component = draw_component(self);
        for (int i = 0; i < 2; i++) {
            side *on = i == 0 ? &self->recorded : &self->called;
            hm_handle handle = on->entities[entity];
            if (what == 0)
                (void)hm_world_destroy(&on->world, handle);
            else if (what < 4)
                (void)hm_world_add(&on->world, handle, on->components[component], NULL);
        }
    }
}

static uint64_t first_byte(const void *value, void *context)
{
    (void)context;
    return *(const unsigned char *)value;
}

/* An order of a component that is drawn often is left unfinished. */
static void begin_order(twins *self)
{
    const hm_order rising = {.key = first_byte};
    uint32_t component = test_random_below(&self->random, 3) * 64;
    hm_frame_budget budget = test_budget_of(1 + test_random_below(&self->random, 4),
                                            1 + test_random_below(&self->random, 20));
    hm_world_defragment(&self->recorded.world, self->recorded.components[component], &rising,
                        ONCE(budget));
}

static void apply_buffer(twins *self, uint32_t buffer)
{
    hm_commands *commands = &self->buffers[buffer];
    bool is_cleared = test_random_below(&self->random, 6) == 0;
    if (hm_commands_count(commands) == 0)
        is_cleared = false; /* It would not make the promised entities. */
    look(&self->recorded, self->entity_count);
    if (is_cleared)
        hm_commands_clear(commands);
    else
        CHECK(hm_commands_apply(commands) == HM_OK);
    check_told(&self->recorded, self->entity_count);
    call_buffer(self, buffer, is_cleared);
    CHECK(hm_commands_count(commands) == 0);
    CHECK(is_cleared || hm_commands_skipped(commands) == self->skipped);
    compare(self);
}

/* Keeps some of the entities for the next round. */
static void keep(side *self, uint32_t count, uint64_t random)
{
    for (uint32_t i = ENTITIES; i < count; i++) {
        uint32_t place = test_random_below(&random, ENTITIES);
        (void)hm_world_destroy(&self->world, self->entities[place]);
        if (test_random_below(&random, 3) != 0) /* Otherwise the handle is stale. */
            self->entities[place] = self->entities[i];
    }
}

static void run_round(twins *self)
{
    uint32_t length = 1 + test_random_below(&self->random, LENGTH);
    self->step_count = 0;
    self->entity_count = ENTITIES;
    memset(self->recorded.destroyed, 0, sizeof self->recorded.destroyed);
    memset(self->called.destroyed, 0, sizeof self->called.destroyed);
    CHECK(hm_world_reserve(&self->recorded.world, length) == HM_OK);
    while (self->step_count < length)
        record(self);
    for (uint32_t i = ENTITIES; i < self->entity_count; i++)
        self->called.entities[i] = hm_world_create(&self->called.world, NULL, 0);
    if (test_random_below(&self->random, 4) == 0)
        disturb(self);
    for (uint32_t buffer = 0; buffer < BUFFERS; buffer++) {
        begin_order(self);
        apply_buffer(self, buffer);
    }
    uint64_t random = test_random(&self->random);
    keep(&self->recorded, self->entity_count, random);
    keep(&self->called, self->entity_count, random);
}

TEST(commands_model, the_result_is_that_of_the_same_calls)
{
    twins *self = calloc(1, sizeof *self);
    CHECK(self != NULL);
    self->random = test_seed("commands_model");
    begin_side(&self->recorded);
    begin_side(&self->called);
    for (uint32_t i = 0; i < BUFFERS; i++)
        CHECK(hm_commands_init(&self->buffers[i], &self->recorded.world, NULL) == HM_OK);
    for (uint32_t round = 0; round < test_scaled(ROUNDS); round++) {
        run_round(self);
        if (round % 10 == 0)
            CHECK(hm_world_trim(&self->recorded.world) == HM_OK);
        if (round % 14 == 0)
            CHECK(hm_world_trim(&self->called.world) == HM_OK);
    }
    for (uint32_t i = 0; i < BUFFERS; i++)
        hm_commands_fini(&self->buffers[i]);
    hm_world_fini(&self->recorded.world);
    hm_world_fini(&self->called.world);
    free(self);
}
