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
        CHECK(strstr(hm_last_error(), "is no component of the world 'world'") != NULL);
        CHECK(hm_commands_remove(&self->commands, entity, stranger) == HM_ERROR_INVALID);
        CHECK(hm_commands_change(&self->commands, entity, &stranger, 1, NULL, 0) ==
              HM_ERROR_INVALID);
        CHECK(hm_commands_change(&self->commands, entity, NULL, 0, &stranger, 1) ==
              HM_ERROR_INVALID);
        CHECK(hm_handle_is_null(hm_commands_create(&self->commands, &stranger, 1)));
        CHECK(strstr(hm_last_error(), "is no component of the world 'world'") != NULL);
    }
    CHECK(hm_commands_count(&self->commands) == 0);
    finish(other);
    finish(self);
}

TEST(commands, a_create_with_a_value_for_a_tag_is_refused_and_promises_nothing)
{
    scene *self = begin();
    const hm_component set[] = {self->spot, self->tag};
    const struct spot spot = {1, 2};
    const void *const values[] = {&spot, "value"};
    hm_handle next = hm_world_upcoming(&self->world, 0);
    CHECK(hm_handle_is_null(hm_commands_create_with(&self->commands, set, 2, values)));
    CHECK(says("component tag is a tag: it has no values"));
    CHECK(hm_commands_count(&self->commands) == 0);
    hm_handle zero = hm_commands_create_with(&self->commands, set, 2, NULL);
    CHECK(hm_handle_equal(zero, next));
    hm_handle made =
        hm_commands_create_with(&self->commands, set, 2, (const void *[]){&spot, NULL});
    apply(self);
    CHECK(is_spot(self, zero, self->spot, 0, 0) && is_spot(self, made, self->spot, 1, 2));
    CHECK(hm_world_has(&self->world, zero, self->tag) &&
          hm_world_has(&self->world, made, self->tag));
    finish(self);
}

/* values that take more than a chunk */

static void make_large(scene *self, hm_component large[2])
{
    for (int i = 0; i < 2; i++)
        large[i] = make(self, (hm_component_desc){.size = 10000});
}

static bool says_too_large(void)
{
    return says("the values of an entity would take 20000 bytes, above 16360: make large "
                "components sparse");
}

TEST(commands, sets_that_take_more_than_a_chunk_are_refused_when_recorded)
{
    scene *self = begin();
    hm_component large[2];
    make_large(self, large);
    hm_handle entity = hm_world_create(&self->world, NULL, 0);
    hm_handle next = hm_world_upcoming(&self->world, 0);
    CHECK(hm_handle_is_null(hm_commands_create(&self->commands, large, 2)));
    CHECK(says_too_large());
    CHECK(hm_handle_is_null(hm_commands_create_with(&self->commands, large, 2, NULL)));
    CHECK(says_too_large());
    CHECK(hm_commands_change(&self->commands, entity, large, 2, NULL, 0) == HM_ERROR_INVALID);
    CHECK(says_too_large());
    CHECK(hm_commands_count(&self->commands) == 0);
    CHECK(hm_commands_change(&self->commands, entity, large, 1, &large[1], 1) == HM_OK);
    CHECK(hm_handle_equal(create(self, NULL, 0), next));
    apply(self);
    CHECK(hm_commands_dropped(&self->commands) == 0);
    finish(self);
}

/* Of five entities, the values of the second and the fourth would be too large. */
TEST(commands, an_entity_whose_values_would_take_more_than_a_chunk_is_dropped_and_counted)
{
    scene *self = begin();
    hm_component large[2];
    hm_handle entities[5];
    make_large(self, large);
    for (int i = 0; i < 5; i++) {
        entities[i] = hm_world_create(&self->world, large, i % 2 != 0);
        give_token(self, entities[i], self->token, (uint64_t)i);
    }
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < 5; i++) {
            add_token(self, entities[i], self->token,
                      UINT64_C(10) * (unsigned)pass + 10 + (unsigned)i);
            if (pass == 0)
                CHECK(hm_commands_add(&self->commands, entities[i], large[1], NULL) == HM_OK);
        }
    CHECK(hm_commands_destroy(&self->commands, HM_NULL_HANDLE) == HM_OK);
    apply(self);
    CHECK(hm_commands_dropped(&self->commands) == 6 && hm_commands_skipped(&self->commands) == 1);
    CHECK(strstr(hm_last_error(), " 20064 bytes, above 16360: make large components sparse") !=
          NULL);
    CHECK_LOG(self, 0, 10, 11, 21, 2, 12, 13, 23, 4, 14);
    for (uint32_t i = 0; i < 5; i++) {
        bool is_dropped = i % 2 != 0;
        CHECK(token_of(self, entities[i], self->token) == (is_dropped ? i : 20 + i));
        CHECK(hm_world_has(&self->world, entities[i], large[0]) == is_dropped);
        CHECK(hm_world_has(&self->world, entities[i], large[1]) == !is_dropped);
    }
    apply(self);
    CHECK(hm_commands_dropped(&self->commands) == 0);
    finish(self);
}

TEST(commands, an_entity_that_was_to_be_created_is_destroyed_when_it_is_dropped)
{
    scene *self = begin();
    hm_component large[2];
    make_large(self, large);
    hm_handle made = create(self, large, 1), later = create(self, &self->tag, 1);
    add_token(self, made, self->sparse_token, 1);
    CHECK(hm_commands_add(&self->commands, made, large[1], NULL) == HM_OK);
    CHECK(hm_world_add(&self->world, later, self->spot, NULL) == HM_OK); /* They come to life. */
    give_token(self, made, self->other_token, 2);
    apply(self);
    CHECK(hm_commands_dropped(&self->commands) == 3);
    CHECK_LOG(self, 1, 2);
    CHECK(!hm_world_contains(&self->world, made) && hm_world_count(&self->world) == 1);
    CHECK(hm_world_has(&self->world, later, self->tag));
    finish(self);
}

TEST(commands, a_destroy_behind_dropped_commands_is_run)
{
    for (int is_new = 0; is_new < 2; is_new++) {
        scene *self = begin();
        hm_component large[2];
        make_large(self, large);
        hm_handle entity =
            is_new ? create(self, large, 1) : hm_world_create(&self->world, large, 1);
        CHECK(hm_commands_add(&self->commands, entity, large[1], NULL) == HM_OK);
        add_token(self, entity, self->token, 1);
        CHECK(hm_commands_destroy(&self->commands, entity) == HM_OK);
        add_token(self, entity, self->token, 2);
        apply(self);
        CHECK(hm_commands_dropped(&self->commands) == 2 + (uint32_t)is_new);
        CHECK(hm_commands_skipped(&self->commands) == 1);
        CHECK_LOG(self, 1, 2);
        CHECK(!hm_world_contains(&self->world, entity));
        finish(self);
    }
}

TEST(commands, a_zeroed_buffer_is_empty_and_records_nothing)
{
    hm_commands zeroed = {0}, failed;
    CHECK(hm_commands_init(NULL, NULL, NULL) == HM_ERROR_INVALID);
    CHECK(says("hm_commands_init: commands is NULL"));
    memset(&failed, 0x5A, sizeof failed);
    CHECK(hm_commands_init(&failed, NULL, NULL) == HM_ERROR_INVALID);
    CHECK(says("hm_commands_init: world is NULL"));
    CHECK(memcmp(&failed, &zeroed, sizeof zeroed) == 0);
    hm_component component = 0;
    CHECK(hm_handle_is_null(hm_commands_create(&zeroed, NULL, 0)));
    CHECK(says("the buffer of commands has no capacity: initialise it first"));
    CHECK(hm_commands_destroy(&zeroed, HM_NULL_HANDLE) == HM_ERROR_FULL);
    CHECK(hm_commands_add(&zeroed, HM_NULL_HANDLE, component, NULL) == HM_ERROR_FULL);
    CHECK(hm_commands_remove(&zeroed, HM_NULL_HANDLE, component) == HM_ERROR_FULL);
    CHECK(hm_commands_change(&zeroed, HM_NULL_HANDLE, NULL, 0, NULL, 0) == HM_ERROR_FULL);
    CHECK(hm_commands_apply(&zeroed) == HM_OK);
    CHECK(hm_commands_count(&zeroed) == 0 && hm_commands_skipped(&zeroed) == 0);
    CHECK(hm_commands_dropped(&zeroed) == 0);
    hm_commands_clear(&zeroed);
    hm_commands_fini(&zeroed);
}

TEST(commands, a_zeroed_world_promises_nothing)
{
    hm_world world = {0};
    hm_commands commands;
    CHECK(hm_commands_init(&commands, &world, NULL) == HM_OK);
    CHECK(hm_handle_is_null(hm_commands_create(&commands, NULL, 0)));
    CHECK(hm_commands_destroy(&commands, hm_handle_pack(0, 1, 0)) == HM_OK);
    CHECK(hm_commands_apply(&commands) == HM_OK && hm_commands_skipped(&commands) == 1);
    hm_commands_fini(&commands);
    hm_world_fini(&world);
}

/* contracts */

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
    hm_query_loop loop;
    create(self, NULL, 0);
    CHECK(hm_query_init(&query, &self->world, &(hm_query_desc){0}) == HM_OK);
    hm_query_begin(&query, &loop);
    hm_commands_fini(&self->commands);
}
