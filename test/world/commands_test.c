/* SPDX-License-Identifier: MIT */
/* Recorded commands: handles are promised, apply does what the calls of the world would, entities
 * move once, and every value is destroyed once. */
#include "support/commands_scene.h"

/* apply */

TEST(commands, what_is_written_counts_as_changed)
{
    scene *self = begin();
    hm_handle entity =
        hm_world_create(&self->world, (hm_component[]){self->spot, self->reference}, 2);
    CHECK(hm_commands_add(&self->commands, entity, self->spot, &(struct spot){1, 2}) == HM_OK);
    uint64_t before = hm_world_clock(&self->world);
    apply(self);
    CHECK(hm_world_changed(&self->world, entity, self->spot) > before);
    CHECK(hm_world_changed(&self->world, entity, self->reference) <= before);
    finish(self);
}

TEST(commands, what_goes_counts_as_a_change_for_what_stays)
{
    scene *self = begin();
    hm_handle entity[2];
    const hm_component set[] = {self->token, self->spot, self->sparse_spot};
    for (int i = 0; i < 2; i++)
        entity[i] = hm_world_create(&self->world, set, 3);
    CHECK(hm_commands_remove(&self->commands, entity[0], self->token) == HM_OK);
    CHECK(hm_commands_remove(&self->commands, entity[0], self->sparse_spot) == HM_OK);
    uint64_t before = hm_world_clock(&self->world);
    apply(self);
    CHECK(hm_world_changed(&self->world, entity[1], self->spot) > before);
    CHECK(hm_world_changed(&self->world, entity[1], self->sparse_spot) > before);
    CHECK_LOG(self, 0);
    finish(self);
}

/* More components than a word has bits, so that sets differ in any of the words of apply. */
enum { COMPONENTS = 130 };

TEST(commands, entities_whose_sets_differ_in_one_component_part)
{
    scene *self = begin();
    hm_component tags[COMPONENTS];
    hm_handle entities[COMPONENTS];
    for (int i = 0; i < COMPONENTS; i++) {
        tags[i] = make(self, (hm_component_desc){0});
        entities[i] = create(self, (hm_component[]){self->spot, tags[i]}, 2);
        CHECK(hm_commands_add(&self->commands, entities[i], self->tag, NULL) == HM_OK);
    }
    apply(self);
    for (int i = 0; i < COMPONENTS; i++)
        for (int k = 0; k < COMPONENTS; k++)
            CHECK(hm_world_has(&self->world, entities[i], tags[k]) == (i == k));
    finish(self);
}

TEST(commands, values_of_components_of_any_number_are_destroyed_once)
{
    scene *self = begin();
    hm_component_desc desc = {.size = sizeof(struct token), .destroy = log_token, .align = 64};
    desc.context = self;
    for (int i = 0; i < COMPONENTS; i++) {
        hm_component token = make(self, desc);
        for (int keeps = 0; keeps < 2; keeps++) {
            hm_handle entity = hm_world_create(&self->world, &self->spot, 1);
            give_token(self, entity, token, 1);
            add_token(self, entity, token, 2);
            add_token(self, entity, token, 3);
            CHECK(hm_commands_remove(&self->commands, entity, token) == HM_OK);
            if (keeps)
                add_token(self, entity, token, 4);
            self->logged = 0;
            apply(self);
            CHECK_LOG(self, 1, 2, 3);
            CHECK(hm_world_has(&self->world, entity, token) == keeps);
            CHECK(!keeps || token_of(self, entity, token) == 4);
            hm_world_destroy(&self->world, entity);
            CHECK(self->logged == 3 + (uint32_t)keeps);
        }
    }
    finish(self);
}

/* promises */

TEST(commands, any_other_change_first_makes_the_promised_entities)
{
    for (int change = 0; change < 9; change++) {
        scene *self = begin();
        hm_world *world = &self->world;
        hm_handle old = hm_world_create(world, &self->spot, 1);
        CHECK(hm_world_reserve(world, 2) == HM_OK);
        hm_handle promised = create(self, &self->spot, 1);
        if (change == 0)
            CHECK(!hm_handle_equal(hm_world_create(world, NULL, 0), promised));
        else if (change == 1)
            CHECK(hm_world_destroy(world, old));
        else if (change == 2)
            CHECK(hm_world_add(world, promised, self->tag, NULL) == HM_OK);
        else if (change == 3)
            CHECK(hm_world_remove(world, old, self->spot, NULL) == HM_OK);
        else if (change == 4)
            CHECK(hm_world_change(world, old, &self->tag, 1, &self->spot, 1) == HM_OK);
        else if (change == 5)
            CHECK(hm_world_destroy_n(world, &old, 1) == 1);
        else if (change == 6)
            CHECK(hm_world_create_n(world, &self->spot, 1, 3, NULL, NULL) == HM_OK);
        else if (change == 7)
            CHECK(hm_world_trim(world) == HM_OK);
        else
            CHECK(hm_world_destroy(world, promised));
        CHECK(hm_world_contains(world, promised) == (change != 8));
        CHECK(!hm_world_has(world, promised, self->spot));
        apply(self);
        CHECK(hm_commands_skipped(&self->commands) == (change == 8));
        CHECK(hm_world_has(world, promised, self->spot) == (change != 8));
        finish(self);
    }
}

/* destroy hooks */

TEST(commands, replaced_and_removed_values_are_destroyed_once_in_order)
{
    for (int is_sparse = 0; is_sparse < 2; is_sparse++) {
        scene *self = begin();
        hm_component token = is_sparse ? self->sparse_token : self->token;
        hm_handle entity = hm_world_create(&self->world, NULL, 0);
        give_token(self, entity, token, 1);
        give_token(self, entity, self->other_token, 2);
        add_token(self, entity, token, 3);
        add_token(self, entity, self->other_token, 4);
        CHECK(hm_commands_remove(&self->commands, entity, token) == HM_OK);
        add_token(self, entity, token, 5);
        CHECK(hm_commands_remove(&self->commands, entity, self->other_token) == HM_OK);
        add_token(self, entity, token, 6);
        CHECK(hm_commands_add(&self->commands, entity, self->other_token, NULL) == HM_OK);
        CHECK(hm_commands_change(&self->commands, entity, NULL, 0, &self->other_token, 1) == HM_OK);
        apply(self);
        CHECK_LOG(self, 1, 2, 3, 4, 5, 0);
        CHECK(token_of(self, entity, token) == 6);
        CHECK(!hm_world_has(&self->world, entity, self->other_token));
        finish(self);
    }
}

/* callbacks */

static void record_in_hook(scene *self)
{
    CHECK(hm_commands_apply(&self->commands) == HM_ERROR_BUSY);
    CHECK(hm_handle_is_null(hm_commands_create(&self->commands, NULL, 0)));
    if (self->logged < 5)
        add_token(self, hm_world_handle_at(&self->world, 0), self->token, self->logged + 10);
}

TEST(commands, what_a_hook_records_is_applied_after_the_rest)
{
    scene *self = begin();
    hm_handle entity = hm_world_create(&self->world, NULL, 0);
    give_token(self, entity, self->token, 1);
    self->in_hook = record_in_hook;
    add_token(self, entity, self->token, 2);
    add_token(self, entity, self->token, 3);
    apply(self);
    CHECK_LOG(self, 1, 2, 3, 11, 12, 13);
    CHECK(token_of(self, entity, self->token) == 14);
    self->in_hook = NULL;
    finish(self);
}

static void record_while_cleared(scene *self)
{
    if (self->logged < 3)
        add_token(self, HM_NULL_HANDLE, self->token, self->logged + 10);
}

TEST(commands, what_a_hook_records_while_its_buffer_is_cleared_is_cleared_too)
{
    scene *self = begin();
    self->in_hook = record_while_cleared;
    add_token(self, HM_NULL_HANDLE, self->token, 1);
    hm_commands_clear(&self->commands);
    CHECK_LOG(self, 1, 11, 12);
    CHECK(hm_commands_count(&self->commands) == 0);
    finish(self);
}

static void look_at_zero(scene *self)
{
    hm_handle entity = hm_world_handle_at(&self->world, 0);
    const struct token *token = hm_world_get(&self->world, entity, self->token);
    CHECK(token != NULL);
    if (self->logged == 2)
        CHECK(token->number == 0 && token->rest[0] == 0);
}

TEST(commands, hooks_do_not_see_destroyed_values)
{
    scene *self = begin();
    hm_handle entity = hm_world_create(&self->world, NULL, 0);
    give_token(self, entity, self->token, 1);
    give_token(self, entity, self->other_token, 2);
    self->in_hook = look_at_zero;
    CHECK(hm_commands_remove(&self->commands, entity, self->token) == HM_OK);
    CHECK(hm_commands_remove(&self->commands, entity, self->other_token) == HM_OK);
    add_token(self, entity, self->token, 3);
    apply(self);
    CHECK_LOG(self, 1, 2);
    CHECK(token_of(self, entity, self->token) == 3);
    finish(self);
}

static void look_in_hook(scene *self)
{
    hm_handle entity = hm_world_handle_at(&self->world, 0);
    CHECK(hm_world_has(&self->world, entity, self->tag));
    CHECK(!hm_world_has(&self->world, entity, self->other_token));
}

TEST(commands, hooks_see_the_entity_in_its_final_archetype)
{
    scene *self = begin();
    hm_handle entity = hm_world_create(&self->world, NULL, 0);
    give_token(self, entity, self->other_token, 1);
    self->in_hook = look_in_hook;
    CHECK(hm_commands_remove(&self->commands, entity, self->other_token) == HM_OK);
    CHECK(hm_commands_add(&self->commands, entity, self->tag, NULL) == HM_OK);
    apply(self);
    CHECK_LOG(self, 1);
    finish(self);
}
