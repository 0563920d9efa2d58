/* SPDX-License-Identifier: MIT */
/* Recorded commands: handles are promised, apply does what the calls of the world would, entities
 * move once, and every value is destroyed once. */
#include "support/commands_scene.h"

/* apply */

TEST(commands, apply_does_what_was_recorded)
{
    scene *self = begin();
    hm_world *world = &self->world;
    hm_handle old = hm_world_create(world, &self->spot, 1);
    hm_handle doomed = hm_world_create(world, &self->tag, 1);
    hm_handle made = create(self, (hm_component[]){self->tag, self->spot}, 2);
    CHECK(hm_commands_add(&self->commands, old, self->spot, &(struct spot){3, 4}) == HM_OK);
    CHECK(hm_commands_add(&self->commands, old, self->sparse_spot, &(struct spot){5, 6}) == HM_OK);
    CHECK(hm_commands_destroy(&self->commands, doomed) == HM_OK);
    CHECK(hm_commands_remove(&self->commands, made, self->tag) == HM_OK);
    CHECK(hm_commands_change(&self->commands, old, &self->tag, 1, &self->reference, 1) == HM_OK);
    CHECK(hm_commands_count(&self->commands) == 6);
    CHECK(hm_world_count(world) == 2 && is_spot(self, old, self->spot, 0, 0));
    apply(self);
    CHECK(hm_world_count(world) == 2 && hm_commands_skipped(&self->commands) == 0);
    CHECK(is_spot(self, old, self->spot, 3, 4) && is_spot(self, old, self->sparse_spot, 5, 6));
    CHECK(hm_world_has(world, old, self->tag) && !hm_world_contains(world, doomed));
    CHECK(is_spot(self, made, self->spot, 0, 0) && !hm_world_has(world, made, self->tag));
    apply(self);
    finish(self);
}

/* Two archetypes only: the one of `old`, and the final one. */
TEST(commands, an_entity_moves_once_to_the_archetype_of_its_final_components)
{
    scene *self = begin();
    hm_handle a = create(self, &self->spot, 1), b = create(self, NULL, 0);
    for (int i = 0; i < 2; i++) {
        hm_handle entity = i == 0 ? a : b;
        CHECK(hm_commands_add(&self->commands, entity, self->tag, NULL) == HM_OK);
        CHECK(hm_commands_add(&self->commands, i == 0 ? b : a, self->reference, NULL) == HM_OK);
        CHECK(hm_commands_remove(&self->commands, entity, self->spot) == HM_OK);
        add_token(self, entity, self->token, 7);
        CHECK(hm_commands_remove(&self->commands, entity, self->token) == HM_OK);
    }
    apply(self);
    CHECK(hm_world_archetype_count(&self->world) == 1);
    CHECK(hm_world_has(&self->world, a, self->tag) && hm_world_has(&self->world, b, self->tag));
    CHECK_LOG(self, 7, 7);
    finish(self);
}

TEST(commands, an_entity_that_keeps_its_components_does_not_move)
{
    scene *self = begin();
    hm_handle entity = hm_world_create(&self->world, &self->spot, 1);
    const void *place = hm_world_get(&self->world, entity, self->spot);
    CHECK(hm_commands_remove(&self->commands, entity, self->spot) == HM_OK);
    CHECK(hm_commands_add(&self->commands, entity, self->spot, &(struct spot){1, 2}) == HM_OK);
    CHECK(hm_commands_add(&self->commands, entity, self->sparse_spot, NULL) == HM_OK);
    apply(self);
    CHECK(hm_world_get(&self->world, entity, self->spot) == place);
    CHECK(is_spot(self, entity, self->spot, 1, 2) && hm_world_archetype_count(&self->world) == 1);
    finish(self);
}

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

/* A sparse value is replaced although there is no space for one more. */
TEST(commands, sparse_values_are_replaced_in_a_full_world)
{
    hm_world world;
    hm_commands commands;
    const hm_component_desc desc = {.size = sizeof(struct spot), .storage = HM_COMPONENT_SPARSE};
    CHECK(hm_world_init(&world, &(hm_world_desc){.capacity = 1}) == HM_OK);
    hm_component component = hm_world_component(&world, &desc);
    hm_handle entity = hm_world_create(&world, &component, 1);
    CHECK(hm_commands_init(&commands, &world, NULL) == HM_OK);
    CHECK(hm_commands_add(&commands, entity, component, &(struct spot){1, 2}) == HM_OK);
    CHECK(hm_commands_apply(&commands) == HM_OK);
    const struct spot *spot = hm_world_get(&world, entity, component);
    CHECK(spot != NULL && spot->x == 1 && spot->y == 2);
    hm_commands_fini(&commands);
    hm_world_fini(&world);
}

/* promises */

TEST(commands, handles_are_promised_up_to_the_reserve)
{
    scene *self = begin();
    hm_handle entities[MANY], last = hm_world_upcoming(&self->world, MANY - 1);
    for (uint32_t i = 0; i < MANY; i++) {
        hm_handle next = hm_world_upcoming(&self->world, 0);
        entities[i] = create(self, &self->spot, i % 2);
        CHECK(hm_handle_equal(entities[i], next));
    }
    CHECK(hm_handle_equal(entities[MANY - 1], last));
    for (int i = 0; i < 3; i++)
        CHECK(hm_handle_is_null(hm_commands_create(&self->commands, NULL, 0)));
    CHECK(says("the world 'world' has promised all 1000 handles that were ready: call "
               "hm_world_reserve first"));
    CHECK(hm_commands_count(&self->commands) == MANY);
    CHECK(hm_world_reserve(&self->world, 1) == HM_OK);
    last = create(self, NULL, 0);
    CHECK(hm_handle_is_null(hm_commands_create(&self->commands, NULL, 0)));
    apply(self);
    for (uint32_t i = 0; i < MANY; i++)
        CHECK(hm_world_has(&self->world, entities[i], self->spot) == (i % 2 != 0));
    CHECK(hm_world_contains(&self->world, last) && hm_world_count(&self->world) == MANY + 1);
    finish(self);
}

TEST(commands, new_entities_can_refer_to_each_other)
{
    scene *self = begin();
    hm_handle ring[3];
    for (int i = 0; i < 3; i++)
        ring[i] = create(self, NULL, 0);
    for (int i = 0; i < 3; i++) {
        struct reference next = {ring[(i + 1) % 3]};
        CHECK(hm_commands_add(&self->commands, ring[i], self->reference, &next) == HM_OK);
    }
    apply(self);
    hm_handle at = ring[0];
    for (int i = 0; i < 3; i++) {
        const struct reference *next = hm_world_get(&self->world, at, self->reference);
        CHECK(next != NULL && hm_handle_equal(next->entity, ring[(i + 1) % 3]));
        at = next->entity;
    }
    finish(self);
}

TEST(commands, entities_of_all_buffers_are_made_in_the_order_of_their_promises)
{
    scene *self = begin();
    hm_commands other;
    CHECK(hm_commands_init(&other, &self->world, NULL) == HM_OK);
    hm_handle entities[6];
    for (int i = 0; i < 6; i++) {
        entities[i] = hm_world_upcoming(&self->world, 0);
        hm_commands *into = i % 2 == 0 ? &self->commands : &other;
        CHECK(hm_handle_equal(hm_commands_create(into, &self->tag, 1), entities[i]));
    }
    CHECK(hm_commands_apply(&other) == HM_OK);
    for (int i = 0; i < 6; i++) {
        CHECK(hm_handle_equal(hm_world_handle_at(&self->world, (uint32_t)i), entities[i]));
        CHECK(hm_world_has(&self->world, entities[i], self->tag) == (i % 2 != 0));
    }
    apply(self);
    for (int i = 0; i < 6; i++)
        CHECK(hm_world_has(&self->world, entities[i], self->tag));
    hm_commands_fini(&other);
    finish(self);
}

TEST(commands, entities_of_a_buffer_that_is_dropped_do_not_stay)
{
    scene *self = begin();
    hm_handle first = create(self, NULL, 0);
    for (int i = 0; i < 2; i++) {
        hm_commands other;
        CHECK(hm_commands_init(&other, &self->world, NULL) == HM_OK);
        hm_handle dropped = hm_commands_create(&other, &self->tag, 1);
        hm_handle kept = create(self, &self->tag, 1);
        CHECK(hm_commands_add(&other, dropped, self->token, &(struct token){.number = 1}) == HM_OK);
        if (i == 0)
            hm_commands_clear(&other);
        CHECK(hm_commands_count(&other) == (i == 0 ? 0 : 2));
        hm_commands_fini(&other);
        CHECK(!hm_world_contains(&self->world, dropped));
        CHECK(hm_world_contains(&self->world, first) && hm_world_contains(&self->world, kept));
    }
    CHECK_LOG(self, 1, 1);
    CHECK(hm_world_count(&self->world) == 3);
    apply(self);
    CHECK(hm_world_count(&self->world) == 3 && hm_commands_skipped(&self->commands) == 0);
    finish(self);
}

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

TEST(commands, clear_of_the_world_destroys_promised_entities_too)
{
    scene *self = begin();
    hm_handle promised = create(self, &self->spot, 1);
    hm_world_clear(&self->world);
    CHECK(hm_handle_is_null(hm_commands_create(&self->commands, NULL, 0)));
    apply(self);
    CHECK(hm_commands_skipped(&self->commands) == 1 && hm_world_count(&self->world) == 0);
    CHECK(!hm_world_contains(&self->world, promised));
    finish(self);
}

/* A destroy frees a slot in front of those that were reserved, and the last component of an entity
 * takes a row where promised entities will be. Neither lets the world promise too much. */
TEST(commands, promises_hold_whatever_the_world_does_after_the_reserve)
{
    scene *self = begin();
    hm_handle entities[MANY];
    CHECK(hm_world_create_n(&self->world, &self->spot, 1, MANY, NULL, entities) == HM_OK);
    for (uint32_t round = 0; round < 4; round++) {
        CHECK(hm_world_reserve(&self->world, 2 * MANY) == HM_OK);
        for (uint32_t i = round * MANY / 4; i < (round + 1) * MANY / 4; i++)
            if (i % 3 == 0)
                CHECK(hm_world_destroy(&self->world, entities[i]));
            else
                CHECK(hm_world_remove(&self->world, entities[i], self->spot, NULL) == HM_OK);
        uint32_t before = hm_world_count(&self->world), promised = 0;
        for (hm_handle made; promised < 3 * MANY; promised++) {
            made = hm_commands_create(&self->commands, NULL, 0);
            if (hm_handle_is_null(made))
                break;
            CHECK(hm_commands_destroy(&self->commands, made) == HM_OK);
        }
        CHECK(promised == 2 * MANY);
        apply(self);
        CHECK(hm_world_count(&self->world) == before);
    }
    finish(self);
}

/* who is skipped */

TEST(commands, what_names_no_live_entity_is_skipped_and_counted)
{
    scene *self = begin();
    hm_handle stale = hm_world_create(&self->world, NULL, 0);
    CHECK(hm_world_destroy(&self->world, stale));
    hm_handle live = hm_world_create(&self->world, NULL, 0);
    const hm_handle nobody[] = {
        HM_NULL_HANDLE,
        stale,
        hm_handle_pack(hm_handle_index(live), hm_handle_generation(live), FOREIGN_TYPE),
        hm_handle_pack(hm_handle_index(live), hm_handle_generation(live) + 1, OWN_TYPE),
        hm_handle_pack(UINT32_MAX, 1, OWN_TYPE),
        hm_handle_from_bits(live.bits | UINT64_C(1) << 63),
        hm_handle_from_bits(~UINT64_C(0)),
    };
    const uint32_t count = sizeof nobody / sizeof *nobody;
    for (uint32_t i = 0; i < count; i++) {
        add_token(self, nobody[i], self->token, i);
        CHECK(hm_commands_add(&self->commands, nobody[i], self->tag, NULL) == HM_OK);
        CHECK(hm_commands_remove(&self->commands, nobody[i], self->spot) == HM_OK);
        CHECK(hm_commands_change(&self->commands, nobody[i], NULL, 0, NULL, 0) == HM_OK);
        CHECK(hm_commands_destroy(&self->commands, nobody[i]) == HM_OK);
    }
    CHECK(hm_commands_add(&self->commands, live, self->tag, NULL) == HM_OK);
    apply(self);
    CHECK(hm_commands_skipped(&self->commands) == 5 * count);
    CHECK(hm_world_count(&self->world) == 1 && hm_world_has(&self->world, live, self->tag));
    CHECK_LOG(self, 0, 1, 2, 3, 4, 5, 6);
    apply(self);
    CHECK(hm_commands_skipped(&self->commands) == 0);
    finish(self);
}

TEST(commands, what_follows_a_destroy_is_skipped)
{
    scene *self = begin();
    hm_handle entity = hm_world_create(&self->world, NULL, 0);
    add_token(self, entity, self->token, 1);
    CHECK(hm_commands_destroy(&self->commands, entity) == HM_OK);
    add_token(self, entity, self->token, 2);
    CHECK(hm_commands_destroy(&self->commands, entity) == HM_OK);
    apply(self);
    CHECK(hm_commands_skipped(&self->commands) == 2 && hm_world_count(&self->world) == 0);
    CHECK_LOG(self, 1, 2);
    finish(self);
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

TEST(commands, values_that_the_entity_had_are_destroyed_where_it_left_them)
{
    scene *self = begin();
    hm_handle a = hm_world_create(&self->world, NULL, 0);
    hm_handle b = hm_world_create(&self->world, NULL, 0);
    for (int i = 0; i < 2; i++) {
        give_token(self, i == 0 ? a : b, self->token, i == 0 ? 1 : 3);
        give_token(self, i == 0 ? a : b, self->other_token, i == 0 ? 2 : 4);
    }
    CHECK(hm_commands_add(&self->commands, a, self->spot, NULL) == HM_OK);
    CHECK(hm_commands_remove(&self->commands, a, self->other_token) == HM_OK);
    CHECK(hm_commands_add(&self->commands, a, self->token, NULL) == HM_OK);
    CHECK(hm_commands_remove(&self->commands, a, self->token) == HM_OK);
    apply(self);
    CHECK_LOG(self, 2, 1, 0);
    CHECK(token_of(self, b, self->token) == 3 && token_of(self, b, self->other_token) == 4);
    CHECK(hm_world_has(&self->world, a, self->spot) && !hm_world_has(&self->world, a, self->token));
    finish(self);
}

TEST(commands, clear_destroys_recorded_values_and_nothing_else)
{
    scene *self = begin();
    hm_handle entity = hm_world_create(&self->world, &self->spot, 1);
    give_token(self, entity, self->token, 1);
    hm_handle promised = create(self, &self->token, 1);
    add_token(self, entity, self->token, 2);
    add_token(self, promised, self->sparse_token, 3);
    CHECK(hm_commands_add(&self->commands, entity, self->other_token, NULL) == HM_OK);
    CHECK(hm_commands_destroy(&self->commands, entity) == HM_OK);
    hm_commands_clear(&self->commands);
    CHECK_LOG(self, 2, 3);
    CHECK(hm_commands_count(&self->commands) == 0 && hm_world_count(&self->world) == 1);
    CHECK(token_of(self, entity, self->token) == 1);
    apply(self);
    CHECK(self->logged == 2 && hm_world_contains(&self->world, entity));
    finish(self);
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

/* queries */

TEST(commands, a_loop_over_a_query_records_what_it_may_not_do)
{
    scene *self = begin();
    hm_world *world = &self->world;
    hm_query query;
    hm_query_loop loop;
    hm_view view;
    hm_handle made[4];
    CHECK(hm_world_create_n(world, &self->spot, 1, 4, NULL, NULL) == HM_OK);
    CHECK(hm_world_trim(world) == HM_OK); /* Nothing is reserved any more. */
    CHECK(hm_query_init(&query, world, &(hm_query_desc){.all = &self->spot, .all_count = 1}) ==
          HM_OK);
    hm_query_begin(&query, &loop);
    CHECK(hm_query_next(&loop, &view) && view.count == 4);
    CHECK(hm_handle_is_null(hm_commands_create(&self->commands, NULL, 0)));
    CHECK(hm_world_reserve(world, 4) == HM_OK);
    for (int i = 0; i < 4; i++) {
        struct reference other = {view.entities[i]};
        made[i] = create(self, &self->tag, 1);
        CHECK(hm_commands_add(&self->commands, made[i], self->reference, &other) == HM_OK);
        CHECK(hm_commands_remove(&self->commands, view.entities[i], self->spot) == HM_OK);
        CHECK(hm_world_remove(world, view.entities[i], self->spot, NULL) == HM_ERROR_BUSY);
    }
    CHECK(hm_handle_is_null(hm_commands_create(&self->commands, NULL, 0)));
    CHECK(hm_commands_apply(&self->commands) == HM_ERROR_BUSY);
    CHECK(strstr(hm_last_error(), "query") != NULL);
    CHECK(hm_world_count(world) == 4 && hm_commands_count(&self->commands) == 12);
    CHECK(!hm_query_next(&loop, &view));
    apply(self);
    for (int i = 0; i < 4; i++) {
        const struct reference *other = hm_world_get(world, made[i], self->reference);
        CHECK(other != NULL && hm_world_contains(world, other->entity));
        CHECK(!hm_world_has(world, other->entity, self->spot));
    }
    hm_query_fini(&query);
    finish(self);
}
