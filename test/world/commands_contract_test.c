/* SPDX-License-Identifier: MIT */
/* What commands refuse, and contracts. */
#include "support/commands_scene.h"

/* bad input */

TEST(commands, components_that_are_not_of_this_world_are_refused_when_recorded)
{
    scene *self = begin(), *other = begin();
    hm_handle entity = hm_world_create(&self->world, NULL, 0);
    const hm_component strangers[] = {other->spot,           HM_INVALID_INDEX, 0,
                                      self->sparse_spot + 1, self->spot - 1,   UINT32_MAX / 2};
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++) {
        const hm_component stranger = strangers[i];
        if (stranger >= self->spot && stranger <= self->sparse_spot)
            continue; /* Zero may be a component. */
        CHECK(hm_commands_add(&self->commands, entity, stranger, NULL) == HM_ERROR_INVALID);
        CHECK(strstr(hm_last_error(), "is no component of this world") != NULL);
        CHECK(hm_commands_remove(&self->commands, entity, stranger) == HM_ERROR_INVALID);
        CHECK(hm_commands_change(&self->commands, entity, &stranger, 1, NULL, 0) ==
              HM_ERROR_INVALID);
        CHECK(hm_commands_change(&self->commands, entity, NULL, 0, &stranger, 1) ==
              HM_ERROR_INVALID);
        CHECK(hm_handle_is_null(hm_commands_create(&self->commands, &stranger, 1)));
        CHECK(strstr(hm_last_error(), "is no component of this world") != NULL);
    }
    CHECK(hm_commands_count(&self->commands) == 0);
    finish(other);
    finish(self);
}

TEST(commands, sets_that_cannot_be_are_refused_when_recorded)
{
    scene *self = begin();
    hm_handle next = hm_world_upcoming(&self->world, 0);
    const hm_component twice[] = {self->spot, self->tag, self->spot};
    CHECK(hm_handle_is_null(hm_commands_create(&self->commands, twice, 3)));
    CHECK(says("component spot is given twice"));
    CHECK(hm_handle_is_null(hm_commands_create(&self->commands, NULL, 1)));
    CHECK(says("a set is NULL"));
    CHECK(hm_commands_change(&self->commands, next, twice, 2, &twice[1], 1) == HM_ERROR_INVALID);
    CHECK(says("component tag is both added and removed"));
    CHECK(hm_commands_change(&self->commands, next, NULL, 1, NULL, 0) == HM_ERROR_INVALID);
    CHECK(hm_commands_change(&self->commands, next, NULL, 0, NULL, 1) == HM_ERROR_INVALID);
    CHECK(hm_commands_add(&self->commands, next, self->tag, "value") == HM_ERROR_INVALID);
    CHECK(says("component tag is a tag: it has no values"));
    CHECK(hm_commands_count(&self->commands) == 0);
    CHECK(hm_handle_equal(create(self, NULL, 0), next));
    finish(self);
}

TEST(commands, values_that_take_more_than_a_chunk_are_refused)
{
    scene *self = begin();
    hm_component large[2], sparse;
    for (int i = 0; i < 2; i++)
        large[i] = make(self, (hm_component_desc){.size = 10000});
    sparse = make(self, (hm_component_desc){.size = 30000, .storage = HM_COMPONENT_SPARSE});
    CHECK(hm_handle_is_null(hm_commands_create(&self->commands, large, 2)));
    CHECK(says("the values of an entity take 20000 bytes, above 16360: make large ones sparse"));
    hm_handle made = create(self, (hm_component[]){large[0], sparse}, 2);
    hm_handle later = create(self, NULL, 0);
    CHECK(hm_commands_add(&self->commands, made, large[1], NULL) == HM_OK);
    for (int i = 0; i < 2; i++) {
        CHECK(hm_commands_apply(&self->commands) == HM_ERROR_INVALID);
        CHECK(hm_commands_count(&self->commands) == 3 && hm_world_count(&self->world) == 2);
        CHECK(!hm_world_has(&self->world, made, large[0]));
    }
    CHECK(hm_commands_remove(&self->commands, made, large[0]) == HM_OK);
    apply(self);
    CHECK(hm_world_has(&self->world, made, large[1]) && hm_world_has(&self->world, made, sparse));
    CHECK(hm_world_contains(&self->world, later));
    finish(self);
}

/* Between a failed apply and the next, the world changes and more is recorded. */
TEST(commands, a_failed_apply_goes_on_with_what_is_there_by_then)
{
    scene *self = begin();
    hm_component large[2];
    hm_handle entities[4];
    for (int i = 0; i < 2; i++)
        large[i] = make(self, (hm_component_desc){.size = 10000});
    for (int i = 0; i < 4; i++)
        entities[i] = hm_world_create(&self->world, NULL, 0);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < 4; i++) {
            CHECK(hm_commands_add(&self->commands, entities[i], self->spot, NULL) == HM_OK);
            add_token(self, entities[i], self->token, UINT64_C(10) * (unsigned)pass + (unsigned)i);
            if (i == 1)
                CHECK(hm_commands_add(&self->commands, entities[i], large[pass], NULL) == HM_OK);
        }
    CHECK(hm_commands_apply(&self->commands) == HM_ERROR_INVALID);
    CHECK(hm_commands_count(&self->commands) == 14);
    CHECK_LOG(self, 0);
    CHECK(hm_world_destroy(&self->world, entities[2]));
    add_token(self, entities[0], self->token, 20);
    CHECK(hm_commands_remove(&self->commands, entities[1], large[0]) == HM_OK);
    CHECK(hm_commands_add(&self->commands, entities[3], self->tag, NULL) == HM_OK);
    apply(self);
    CHECK(hm_commands_skipped(&self->commands) == 4);
    CHECK_LOG(self, 0, 1, 2, 3, 12, 10);
    CHECK(token_of(self, entities[0], self->token) == 20);
    CHECK(token_of(self, entities[1], self->token) == 11);
    CHECK(token_of(self, entities[3], self->token) == 13);
    CHECK(hm_world_has(&self->world, entities[3], self->tag));
    finish(self);
}

TEST(commands, a_zeroed_buffer_is_empty_and_records_nothing)
{
    hm_commands zeroed = {0}, failed;
    CHECK(hm_commands_init(NULL, NULL) == HM_ERROR_INVALID);
    CHECK(says("hm_commands_init: commands is NULL"));
    memset(&failed, 0x5A, sizeof failed);
    CHECK(hm_commands_init(&failed, NULL) == HM_ERROR_INVALID);
    CHECK(says("hm_commands_init: world is NULL"));
    CHECK(memcmp(&failed, &zeroed, sizeof zeroed) == 0);
    hm_component component = 0;
    CHECK(hm_handle_is_null(hm_commands_create(&zeroed, NULL, 0)));
    CHECK(says("the buffer of commands has no capacity: was it initialised?"));
    CHECK(hm_commands_destroy(&zeroed, HM_NULL_HANDLE) == HM_ERROR_FULL);
    CHECK(hm_commands_add(&zeroed, HM_NULL_HANDLE, component, NULL) == HM_ERROR_FULL);
    CHECK(hm_commands_remove(&zeroed, HM_NULL_HANDLE, component) == HM_ERROR_FULL);
    CHECK(hm_commands_change(&zeroed, HM_NULL_HANDLE, NULL, 0, NULL, 0) == HM_ERROR_FULL);
    CHECK(hm_commands_apply(&zeroed) == HM_OK);
    CHECK(hm_commands_count(&zeroed) == 0 && hm_commands_skipped(&zeroed) == 0);
    hm_commands_clear(&zeroed);
    hm_commands_fini(&zeroed);
}

TEST(commands, a_zeroed_world_promises_nothing)
{
    hm_world world = {0};
    hm_commands commands;
    CHECK(hm_commands_init(&commands, &world) == HM_OK);
    CHECK(hm_handle_is_null(hm_commands_create(&commands, NULL, 0)));
    CHECK(hm_commands_destroy(&commands, hm_handle_pack(0, 1, 0)) == HM_OK);
    CHECK(hm_commands_apply(&commands) == HM_OK && hm_commands_skipped(&commands) == 1);
    hm_commands_fini(&commands);
    hm_world_fini(&world);
}

TEST(commands, a_buffer_may_be_moved)
{
    scene *self = begin();
    hm_handle entity = create(self, &self->spot, 1);
    hm_commands moved = self->commands;
    memset(&self->commands, 0, sizeof self->commands);
    CHECK(hm_commands_add(&moved, entity, self->spot, &(struct spot){1, 2}) == HM_OK);
    CHECK(hm_commands_apply(&moved) == HM_OK && is_spot(self, entity, self->spot, 1, 2));
    hm_commands_fini(&moved);
    finish(self);
}

/* contracts */

DEATH_TEST(commands_contract, create_of_null)
{
    hm_commands_create(NULL, NULL, 0);
}

DEATH_TEST(commands_contract, create_with_values_of_null)
{
    hm_commands_create_with(NULL, NULL, 0, NULL);
}

DEATH_TEST(commands_contract, destroy_of_null)
{
    hm_commands_destroy(NULL, HM_NULL_HANDLE);
}

DEATH_TEST(commands_contract, add_of_null)
{
    hm_commands_add(NULL, HM_NULL_HANDLE, 0, NULL);
}

DEATH_TEST(commands_contract, remove_of_null)
{
    hm_commands_remove(NULL, HM_NULL_HANDLE, 0);
}

DEATH_TEST(commands_contract, change_of_null)
{
    hm_commands_change(NULL, HM_NULL_HANDLE, NULL, 0, NULL, 0);
}

DEATH_TEST(commands_contract, apply_of_null)
{
    hm_commands_apply(NULL);
}

DEATH_TEST(commands_contract, clear_of_null)
{
    hm_commands_clear(NULL);
}

DEATH_TEST(commands_contract, fini_of_null)
{
    hm_commands_fini(NULL);
}

DEATH_TEST(commands_contract, count_of_null)
{
    hm_commands_count(NULL);
}

DEATH_TEST(commands_contract, skipped_of_null)
{
    hm_commands_skipped(NULL);
}

static void clear_in_hook(scene *self)
{
    hm_commands_clear(&self->commands);
}

DEATH_TEST(commands_contract, clear_inside_a_hook)
{
    scene *self = begin();
    hm_handle entity = hm_world_create(&self->world, &self->token, 1);
    CHECK(hm_commands_destroy(&self->commands, entity) == HM_OK);
    self->in_hook = clear_in_hook;
    hm_commands_apply(&self->commands);
}

static void fini_in_hook(scene *self)
{
    hm_commands_fini(&self->commands);
}

/* The last command no longer waits when its hook runs. */
DEATH_TEST(commands_contract, fini_inside_a_hook)
{
    scene *self = begin();
    add_token(self, HM_NULL_HANDLE, self->token, 1);
    self->in_hook = fini_in_hook;
    hm_commands_apply(&self->commands);
}

DEATH_TEST(commands_contract, fini_of_waiting_commands_while_a_query_runs)
{
    scene *self = begin();
    hm_query query;
    create(self, NULL, 0);
    CHECK(hm_query_init(&query, &self->world, &(hm_query_desc){0}) == HM_OK);
    hm_query_begin(&query);
    hm_commands_fini(&self->commands);
}
