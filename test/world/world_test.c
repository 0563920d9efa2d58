/* SPDX-License-Identifier: MIT */
/* What a world does: entities get and lose components of each kind, values stay with them, and all
 * entities with the same components are arrays. */
#include "support/world.h"

#include <stdlib.h>

/* create */

TEST(world, a_new_entity_has_its_components_and_their_values_are_zero)
{
    hm_world world = make_world((hm_world_desc){0});
    hm_component a = make_int(&world), tag = make_tag(&world), sparse = make_sparse(&world);
    hm_component other = make_int(&world), all[] = {a, tag, sparse};
    for (int i = 0; i < 100; i++) {
        hm_handle entity = hm_world_create(&world, all, 3);
        CHECK(hm_world_contains(&world, entity) && hm_handle_type_id(entity) == ENTITY_TYPE);
        CHECK(value_of(&world, entity, a) == 0 && value_of(&world, entity, sparse) == 0);
        CHECK(hm_world_has(&world, entity, tag) && hm_world_get(&world, entity, tag) == NULL);
        CHECK(!hm_world_has(&world, entity, other));
        CHECK(hm_world_get(&world, entity, other) == NULL);
        give(&world, entity, a, -1); /* The next one may get this memory. */
        give(&world, entity, sparse, -1);
        if (i % 2 == 0)
            CHECK(hm_world_destroy(&world, entity));
    }
    CHECK(hm_world_count(&world) == 50);
    finish_world(&world);
}

TEST(world, the_order_of_a_set_does_not_matter)
{
    hm_world world = make_world((hm_world_desc){0});
    hm_component c[4] = {make_int(&world), make_tag(&world), make_int(&world), make_sparse(&world)};
    for (int i = 0; i < 24; i++) {
        hm_component set[4], left[4] = {c[0], c[1], c[2], c[3]};
        for (int n = 4, rest = i; n > 0; rest /= n, n--) {
            set[4 - n] = left[rest % n];
            left[rest % n] = left[n - 1];
        }
        hm_handle entity = hm_world_create(&world, set, 4);
        for (int k = 0; k < 4; k++)
            CHECK(hm_world_has(&world, entity, c[k]));
        CHECK(hm_world_create_n(&world, set, 4, 2, NULL, NULL) == HM_OK);
        CHECK(hm_world_change(&world, entity, NULL, 0, set, 4) == HM_OK);
        CHECK(hm_world_change(&world, entity, set, 4, NULL, 0) == HM_OK);
    }
    CHECK(hm_world_archetype_count(&world) == 1);
    finish_world(&world);
}

TEST(world, create_n_copies_the_columns_that_are_given)
{
    enum { N = 3000 };
    static int numbers[N];
    static double fractions[N];
    static hm_handle entities[N];
    hm_world world = make_world((hm_world_desc){0});
    hm_component a = make_int(&world), zero = make_int(&world), sparse = make_sparse(&world);
    hm_component tag = make_tag(&world);
    hm_component wide = make_component(&world, (hm_component_desc){.size = sizeof(double)});
    hm_component set[] = {sparse, wide, tag, zero, a};
    const void *columns[] = {numbers, fractions, NULL, NULL, numbers};
    for (int i = 0; i < N; i++) {
        numbers[i] = i;
        fractions[i] = i / 2.0;
    }
    CHECK(hm_world_create_n(&world, set, 5, 1000, columns, entities) == HM_OK);
    CHECK(hm_world_create_n(&world, set, 5, N, columns, entities) == HM_OK);
    for (int i = 0; i < N; i++) {
        CHECK(value_of(&world, entities[i], a) == i && value_of(&world, entities[i], sparse) == i);
        CHECK(*(double *)hm_world_get(&world, entities[i], wide) == i / 2.0);
        CHECK(value_of(&world, entities[i], zero) == 0 && hm_world_has(&world, entities[i], tag));
        give(&world, entities[i], zero, 5);
    }
    CHECK(hm_world_count(&world) == 1000 + N && hm_world_archetype_count(&world) == 1);
    finish_world(&world);
}

TEST(world, create_n_without_columns_or_handles_or_entities_does_what_is_asked)
{
    hm_world world = make_world((hm_world_desc){.capacity = 100});
    hm_component a = make_int(&world);
    hm_handle entities[10];
    CHECK(hm_world_create_n(&world, &a, 1, 10, NULL, entities) == HM_OK);
    for (int i = 0; i < 10; i++)
        CHECK(value_of(&world, entities[i], a) == 0);
    CHECK(hm_world_create_n(&world, &a, 1, 20, NULL, NULL) == HM_OK);
    CHECK(hm_world_create_n(&world, NULL, 0, 30, NULL, NULL) == HM_OK);
    CHECK(hm_world_create_n(&world, &a, 1, 0, NULL, NULL) == HM_OK);
    CHECK(hm_world_create_n(&world, NULL, 0, 0, NULL, NULL) == HM_OK);
    CHECK(hm_world_count(&world) == 60);
    CHECK(hm_world_create_n(&world, &a, 1, 41, NULL, NULL) == HM_ERROR_FULL);
    CHECK(hm_world_count(&world) == 60 && hm_world_validate(&world) == HM_OK);
    CHECK(hm_world_create_n(&world, &a, 1, 40, NULL, NULL) == HM_OK);
    finish_world(&world);
}

/* destroy */

TEST(world, destroy_n_destroys_those_that_are_alive)
{
    hm_world world = make_world((hm_world_desc){0});
    hm_component a = make_int(&world), b = make_int(&world), sparse = make_sparse(&world);
    hm_handle entities[100], doomed[104];
    for (int i = 0; i < 100; i++) {
        entities[i] = make_one(&world, i % 2 ? a : b, i);
        give(&world, entities[i], sparse, i);
    }
    memcpy(doomed, entities + 20, 50 * sizeof *doomed);
    memcpy(doomed + 50, entities + 20, 50 * sizeof *doomed);
    doomed[100] = HM_NULL_HANDLE;
    doomed[101] = hm_handle_from_bits(entities[3].bits + (UINT64_C(1) << 32));
    doomed[102] = hm_handle_from_bits(UINT64_MAX);
    doomed[103] = entities[99];
    CHECK(hm_world_destroy_n(&world, NULL, 0) == 0);
    CHECK(hm_world_destroy_n(&world, doomed, 104) == 51 && hm_world_count(&world) == 49);
    for (int i = 0; i < 100; i++) {
        bool is_alive = (i < 20 || i >= 70) && i != 99;
        CHECK(hm_world_contains(&world, entities[i]) == is_alive);
        CHECK(hm_world_has(&world, entities[i], sparse) == is_alive);
        CHECK(!is_alive || value_of(&world, entities[i], i % 2 ? a : b) == i);
        CHECK(!is_alive || value_of(&world, entities[i], sparse) == i);
    }
    finish_world(&world);
}

TEST(world, clear_destroys_all_and_refuses_their_handles)
{
    hm_world world = make_world((hm_world_desc){.capacity = 100});
    hm_component a = make_int(&world), sparse = make_sparse(&world), both[] = {a, sparse};
    for (int round = 0; round < 50; round++) {
        hm_handle entities[100];
        CHECK(hm_world_create_n(&world, both, 2, 100, NULL, entities) == HM_OK);
        give(&world, entities[50], a, 1);
        give(&world, entities[50], sparse, 1);
        hm_world_clear(&world);
        CHECK(hm_world_count(&world) == 0 && hm_world_archetype_count(&world) == 1);
        for (int i = 0; i < 100; i++)
            CHECK(!hm_world_contains(&world, entities[i]) &&
                  hm_world_get(&world, entities[i], sparse) == NULL);
        CHECK(hm_world_validate(&world) == HM_OK);
    }
    finish_world(&world);
}

TEST(world, a_loop_over_all_positions_visits_each_entity_once_and_may_destroy_backward)
{
    hm_world world = make_world((hm_world_desc){0});
    hm_component a = make_int(&world), b = make_int(&world), both[] = {a, b};
    bool seen[1000] = {false};
    for (int i = 0; i < 1000; i++)
        *(int *)hm_world_get(&world, hm_world_create(&world, both + i % 2, 1), both[i % 2]) = i;
    CHECK(hm_handle_is_null(hm_world_handle_at(&world, 1000)));
    for (uint32_t i = 1000; i-- > 0;) {
        hm_handle entity = hm_world_handle_at(&world, i);
        const int *at = hm_world_get(&world, entity, a);
        int value = at != NULL ? *at : value_of(&world, entity, b);
        CHECK(!seen[value]);
        seen[value] = true;
        if (value % 3 == 0)
            CHECK(hm_world_destroy(&world, entity));
    }
    CHECK(hm_world_count(&world) == 666);
    finish_world(&world);
}

/* add, remove, change */

TEST(world, values_stay_with_their_entities_as_components_come_and_go)
{
    enum { N = 5000 };
    static hm_handle entities[N];
    hm_world world = make_world((hm_world_desc){0});
    hm_component a = make_int(&world), b = make_int(&world), tag = make_tag(&world);
    for (int i = 0; i < N; i++)
        entities[i] = make_one(&world, a, i);
    for (int i = 0; i < N; i += 3)
        give(&world, entities[i], b, -i);
    for (int i = 0; i < N; i += 5)
        CHECK(hm_world_add(&world, entities[i], tag, NULL) == HM_OK);
    for (int i = 0; i < N; i += 7)
        CHECK(hm_world_remove(&world, entities[i], a, NULL) == HM_OK);
    for (int i = 0; i < N; i++) {
        CHECK(hm_world_has(&world, entities[i], a) == (i % 7 != 0));
        CHECK(hm_world_has(&world, entities[i], b) == (i % 3 == 0));
        CHECK(hm_world_has(&world, entities[i], tag) == (i % 5 == 0));
        CHECK(i % 7 == 0 || value_of(&world, entities[i], a) == i);
        CHECK(i % 3 != 0 || value_of(&world, entities[i], b) == -i);
    }
    finish_world(&world);
}

TEST(world, adding_what_is_there_replaces_and_removing_what_is_not_does_nothing)
{
    hm_world world = make_world((hm_world_desc){0});
    hm_component a = make_int(&world), sparse = make_sparse(&world), other = make_int(&world);
    hm_handle entity = make_one(&world, a, 1);
    const int *at = hm_world_get(&world, entity, a);
    give(&world, entity, a, 2);
    CHECK(hm_world_get(&world, entity, a) == at);
    CHECK(hm_world_add(&world, entity, a, NULL) == HM_OK && *at == 0);
    give(&world, entity, sparse, 3);
    give(&world, entity, sparse, 4);
    CHECK(hm_world_add(&world, entity, sparse, NULL) == HM_OK);
    CHECK(value_of(&world, entity, sparse) == 0);
    uint64_t clock = hm_world_clock(&world);
    CHECK(hm_world_remove(&world, entity, other, NULL) == HM_OK);
    CHECK(hm_world_remove(&world, entity, sparse, NULL) == HM_OK);
    CHECK(hm_world_remove(&world, entity, sparse, NULL) == HM_OK);
    CHECK(!hm_world_has(&world, entity, sparse) && hm_world_clock(&world) == clock + 1);
    finish_world(&world);
}

TEST(world, remove_tells_whether_the_entity_had_the_component)
{
    hm_world world = make_world((hm_world_desc){0});
    hm_component kinds[] = {make_int(&world), make_sparse(&world), make_tag(&world)};
    hm_handle with = hm_world_create(&world, kinds, 3), without = hm_world_create(&world, NULL, 0);
    hm_handle dead = hm_world_create(&world, NULL, 0);
    CHECK(hm_world_destroy(&world, dead));
    for (uint32_t i = 0; i < 3; i++) {
        bool removed = false;
        CHECK(hm_world_remove(&world, with, kinds[i], &removed) == HM_OK && removed);
        CHECK(hm_world_remove(&world, with, kinds[i], &removed) == HM_OK && !removed);
        removed = true;
        CHECK(hm_world_remove(&world, dead, kinds[i], &removed) == HM_ERROR_STALE && !removed);
        CHECK(hm_world_add(&world, with, kinds[i], NULL) == HM_OK);
        hm_handle some[] = {with, without, with, dead};
        uint32_t count = 7;
        CHECK(hm_world_remove_n(&world, some, 4, kinds[i], &count) == HM_ERROR_STALE && count == 0);
        CHECK(hm_world_remove_n(&world, some, 3, kinds[i], &count) == HM_OK && count == 1);
        CHECK(hm_world_remove_n(&world, some, 3, kinds[i], &count) == HM_OK && count == 0);
    }
    bool removed = true;
    CHECK(hm_world_remove(&world, with, kinds[2] + 1, &removed) == HM_ERROR_INVALID && !removed);
    finish_world(&world);
}

TEST(world, a_sparse_component_comes_and_goes_without_moving_other_values)
{
    hm_world world = make_world((hm_world_desc){0});
    hm_component a = make_int(&world), sparse = make_sparse(&world);
    hm_handle entities[300];
    const int *places[300];
    for (int i = 0; i < 300; i++) {
        entities[i] = make_one(&world, a, i);
        places[i] = hm_world_get(&world, entities[i], a);
    }
    for (int round = 0; round < 3; round++)
        for (int i = round; i < 300; i += 2) {
            give(&world, entities[i], sparse, i * round);
            CHECK(round != 2 || hm_world_remove(&world, entities[i], sparse, NULL) == HM_OK);
        }
    for (int i = 0; i < 300; i++)
        CHECK(hm_world_get(&world, entities[i], a) == places[i] && *places[i] == i);
    CHECK(hm_world_archetype_count(&world) == 1);
    finish_world(&world);
}

TEST(world, there_may_be_more_than_64_sparse_components)
{
    enum { SPARSE = 150 };
    hm_world world = make_world((hm_world_desc){.capacity = 100, .max_slots = 100});
    hm_component sparse[SPARSE];
    for (int i = 0; i < SPARSE; i++)
        sparse[i] = make_sparse(&world);
    hm_handle all = hm_world_create(&world, sparse, SPARSE);
    hm_handle some = hm_world_create(&world, sparse + 70, 1);
    for (int i = 0; i < SPARSE; i++) {
        give(&world, all, sparse[i], i);
        CHECK(hm_world_has(&world, some, sparse[i]) == (i == 70));
    }
    CHECK(hm_world_remove(&world, all, sparse[5], NULL) == HM_OK);
    CHECK(!hm_world_has(&world, all, sparse[5]) && value_of(&world, all, sparse[69]) == 69);
    CHECK(hm_world_destroy(&world, all) && hm_world_destroy(&world, some));
    CHECK(hm_world_validate(&world) == HM_OK);
    CHECK(!hm_handle_is_null(hm_world_create(&world, NULL, 0)));
    finish_world(&world);
}

TEST(world, change_moves_once_and_makes_no_archetype_in_between)
{
    hm_world world = make_world((hm_world_desc){0});
    hm_component c[6];
    for (int i = 0; i < 6; i++)
        c[i] = i == 5 ? make_sparse(&world) : make_int(&world);
    hm_handle entity = hm_world_create(&world, c, 3);
    for (int i = 0; i < 3; i++)
        give(&world, entity, c[i], i + 1);
    hm_component more[] = {c[4], c[5], c[1], c[3]}, less[] = {c[2], c[0]};
    CHECK(hm_world_change(&world, entity, more, 4, less, 2) == HM_OK);
    CHECK(hm_world_archetype_count(&world) == 2);
    CHECK(!hm_world_has(&world, entity, c[0]) && !hm_world_has(&world, entity, c[2]));
    for (int i = 0; i < 4; i++)
        CHECK(value_of(&world, entity, more[i]) == 0); /* c[1] was replaced. */
    CHECK(hm_world_change(&world, entity, NULL, 0, NULL, 0) == HM_OK);
    CHECK(hm_world_change(&world, entity, NULL, 0, less, 2) == HM_OK);
    CHECK(hm_world_change(&world, entity, &c[5], 1, more, 1) == HM_OK);
    CHECK(!hm_world_has(&world, entity, c[4]) && hm_world_has(&world, entity, c[3]));
    CHECK(hm_world_archetype_count(&world) == 3);
    finish_world(&world);
}

/* The second change takes the way that the first one found, if that is allowed. */
TEST(world, a_change_replaces_the_value_of_each_entity)
{
    hm_world world = make_world((hm_world_desc){0});
    hm_component first = make_int(&world), second = make_int(&world), sparse = make_sparse(&world);
    const hm_component more[] = {first, second, sparse};
    for (uint32_t n = 2; n <= 3; n++)
        for (int i = 0; i < 3; i++) {
            hm_handle entity = make_one(&world, first, 7);
            give(&world, entity, sparse, 8);
            CHECK(hm_world_change(&world, entity, more, n, NULL, 0) == HM_OK);
            CHECK(value_of(&world, entity, first) == 0 && value_of(&world, entity, second) == 0);
            CHECK(value_of(&world, entity, sparse) == (n == 3 ? 0 : 8));
            CHECK(hm_world_change(&world, entity, NULL, 0, more + 1, 2) == HM_OK);
            CHECK(!hm_world_has(&world, entity, second) && !hm_world_has(&world, entity, sparse));
        }
    finish_world(&world);
}

TEST(world, what_is_there_is_replaced_in_a_full_world_too)
{
    hm_world world = make_world((hm_world_desc){.capacity = 1, .max_slots = 1});
    hm_component a = make_int(&world), sparse = make_sparse(&world), both[] = {a, sparse};
    hm_handle entity = hm_world_create(&world, both, 2);
    give(&world, entity, sparse, 4);
    CHECK(hm_world_change(&world, entity, both, 2, NULL, 0) == HM_OK);
    CHECK(value_of(&world, entity, sparse) == 0);
    give(&world, entity, sparse, 5);
    finish_world(&world);
}

/* The hash of both sets is the same number, so only the sets themselves tell them apart. */
TEST(world, two_sets_of_the_same_hash_have_two_archetypes)
{
    enum { TAGS = 28, EACH_SET = 6 };
    static const uint32_t sets[2][EACH_SET] = {{0, 2, 5, 8, 18, 22}, {10, 15, 20, 23, 25, 27}};
    hm_world world = make_world((hm_world_desc){0});
    hm_component tags[TAGS], set[EACH_SET];
    hm_handle entities[2];
    for (uint32_t i = 0; i < TAGS; i++)
        tags[i] = make_tag(&world);
    for (int i = 0; i < 2; i++) {
        for (uint32_t k = 0; k < EACH_SET; k++)
            set[k] = tags[sets[i][k]];
        entities[i] = hm_world_create(&world, set, EACH_SET);
    }
    CHECK(hm_world_archetype_count(&world) == 2 && world.archetypes[2].next == 1);
    for (int i = 0; i < 2; i++)
        for (uint32_t k = 0; k < EACH_SET; k++) {
            CHECK(hm_world_has(&world, entities[i], tags[sets[i][k]]));
            CHECK(!hm_world_has(&world, entities[i], tags[sets[!i][k]]));
        }
    finish_world(&world);
}

/* layouts */

enum { KINDS = 13, EACH = 60 }; /* kind i has alignment 2^i */

/* Creates an entity and fills its values with one byte. Each is at an address of its alignment. */
static void make_filled(hm_world *world, const hm_component *set, uint32_t n, unsigned char byte)
{
    hm_handle entity = hm_world_create(world, set, n);
    for (uint32_t c = 0; c < n; c++) {
        unsigned char *value = hm_world_get(world, entity, set[c]);
        uint32_t kind = set[c] - world->salt;
        size_t size = hm_world_record(world, kind)->size;
        CHECK(value != NULL && (uintptr_t)value % ((size_t)1 << kind) == 0);
        for (size_t i = 0; i < size; i++)
            CHECK(value[i] == 0);
        memset(value, byte, size);
    }
}

/* Returns the byte that fills all values of the entity; 0 if they differ. */
static unsigned char filled_with(const hm_world *world, hm_handle entity)
{
    unsigned char byte = 0;
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        const unsigned char *value = hm_world_get(world, entity, world->salt + kind);
        size_t size = value != NULL ? hm_world_record(world, kind)->size : 0;
        for (size_t i = 0; i < size; i++) {
            if (byte != 0 && value[i] != byte)
                return 0;
            byte = value[i];
        }
    }
    return byte;
}

TEST(world, every_alignment_and_size_has_its_place)
{
    for (size_t odd = 1; odd <= 7; odd += 2) {
        hm_world world = make_world((hm_world_desc){0});
        hm_component set[KINDS];
        for (uint32_t i = 0; i < KINDS; i++) {
            size_t align = (size_t)1 << i, times = align * odd <= 16360 ? odd : 1;
            hm_component_desc desc = {.size = align * times, .align = align};
            set[i] = make_component(&world, desc);
        }
        for (uint32_t i = 0; i < KINDS; i++) /* each with the smaller ones, the largest alone */
            for (int k = 1; k <= EACH; k++)
                make_filled(&world, i < 9 ? set : set + i, i < 9 ? i + 1 : 1, (unsigned char)k);
        uint32_t sums[EACH + 1] = {0};
        for (uint32_t i = 0; i < hm_world_count(&world); i++)
            sums[filled_with(&world, hm_world_handle_at(&world, i))]++;
        for (uint32_t k = 0; k <= EACH; k++)
            CHECK(sums[k] == (k == 0 ? 0 : KINDS));
        finish_world(&world);
    }
}

/* From archetype to archetype, and to the place of an entity that is gone. */
TEST(world, values_of_every_size_move_whole)
{
    for (size_t size = 1; size <= 40; size++) {
        unsigned char value[40];
        hm_world world = make_world((hm_world_desc){0});
        hm_component component = make_component(&world, (hm_component_desc){.size = size});
        hm_component tag = make_tag(&world);
        hm_handle entities[3];
        for (unsigned char i = 0; i < 3; i++) {
            entities[i] = hm_world_create(&world, NULL, 0);
            for (size_t k = 0; k < size; k++)
                value[k] = (unsigned char)(50 * i + k + 1);
            CHECK(hm_world_add(&world, entities[i], component, value) == HM_OK);
            CHECK(hm_world_add(&world, entities[i], tag, NULL) == HM_OK);
        }
        CHECK(hm_world_destroy(&world, entities[0])); /* The last row takes its place. */
        CHECK(memcmp(hm_world_get(&world, entities[2], component), value, size) == 0);
        /* And to the place of a value that is removed. */
        CHECK(hm_world_remove(&world, entities[2], component, NULL) == HM_OK);
        for (size_t k = 0; k < size; k++)
            value[k] = (unsigned char)(50 + k + 1);
        CHECK(memcmp(hm_world_get(&world, entities[1], component), value, size) == 0);
        finish_world(&world);
    }
}

TEST(world, the_default_alignment_is_natural)
{
    static const size_t sizes[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 48, 64, 100};
    hm_world world = make_world((hm_world_desc){0});
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t align = sizes[i] & (~sizes[i] + 1);
        for (int is_sparse = 0; is_sparse < 2; is_sparse++) {
            hm_component_desc desc = {.size = sizes[i]};
            desc.storage = is_sparse ? HM_COMPONENT_SPARSE : HM_COMPONENT_ARCHETYPE;
            hm_component component = make_component(&world, desc);
            if (align > 16)
                align = 16;
            for (int k = 0; k < 40; k++) {
                hm_handle entity = hm_world_create(&world, &component, 1);
                CHECK((uintptr_t)hm_world_get(&world, entity, component) % align == 0);
            }
        }
    }
    finish_world(&world);
}

/* Seven entities and three components: whatever one asks for, each archetype that matches has its
 * entities' values in arrays without holes. */
TEST(world, the_archetypes_that_have_any_subset_of_components_are_arrays)
{
    static const unsigned sets[] = {1, 2, 3, 4, 5, 6, 7}; /* bits: A, B, C */
    enum { PER_SET = 5 };
    hm_world world = make_world((hm_world_desc){0});
    hm_component components[] = {make_int(&world), make_int(&world), make_int(&world)};
    hm_handle entities[7][PER_SET];
    for (int round = 0; round < PER_SET; round++) /* So the seven kinds come in turns. */
        for (int s = 0; s < 7; s++) {
            entities[s][round] = hm_world_create(&world, NULL, 0);
            for (unsigned c = 0; c < 3; c++)
                if ((sets[s] >> c & 1) != 0)
                    give(&world, entities[s][round], components[c], 100 * s + round);
        }
    CHECK(hm_world_archetype_count(&world) == 7);
    for (unsigned asked = 1; asked < 8; asked++)
        for (int s = 0; s < 7; s++)
            for (unsigned c = 0; c < 3; c++) {
                if ((sets[s] & asked) != asked || (asked >> c & 1) == 0)
                    continue;
                const int *first = hm_world_get(&world, entities[s][0], components[c]);
                for (int round = 0; round < PER_SET; round++)
                    CHECK(hm_world_get(&world, entities[s][round], components[c]) ==
                              first + round &&
                          first[round] == 100 * s + round);
            }
    finish_world(&world);
}

/* copies */

static void take_over(void *value, const void *from, void *context)
{
    CHECK(memcmp(value, from, sizeof(int)) == 0);
    ++*(int *)context;
    *(int *)value += 100;
}

static void nothing_to_free(void *value, void *context)
{
    (void)value, (void)context;
}

TEST(world, a_copy_has_all_components_and_values_that_its_hooks_have_made)
{
    hm_world world = make_world((hm_world_desc){0});
    int copies = 0;
    hm_component_desc desc = {.size = sizeof(int), .destroy = nothing_to_free};
    desc.copy = take_over;
    desc.context = &copies;
    hm_component owned = make_component(&world, desc), plain = make_int(&world);
    desc.storage = HM_COMPONENT_SPARSE;
    hm_component sparse = make_component(&world, desc), tag = make_tag(&world);
    hm_handle first = make_one(&world, owned, 1);
    give(&world, first, plain, 2);
    give(&world, first, sparse, 3);
    CHECK(hm_world_add(&world, first, tag, NULL) == HM_OK);
    uint64_t clock = hm_world_clock(&world);
    hm_handle copy = hm_world_copy(&world, first);
    CHECK(hm_world_changed(&world, first, sparse) > clock && copies == 2);
    CHECK(value_of(&world, copy, owned) == 101 && value_of(&world, copy, plain) == 2);
    CHECK(value_of(&world, copy, sparse) == 103 && hm_world_has(&world, copy, tag));
    CHECK(value_of(&world, first, owned) == 1 && value_of(&world, first, sparse) == 3);
    CHECK(hm_world_copy(&world, HM_NULL_HANDLE).bits == 0);
    CHECK(strstr(hm_last_error(), "is not alive") != NULL);
    finish_world(&world);
}

TEST(world, an_entity_whose_value_would_be_destroyed_twice_is_not_copied)
{
    hm_world world = make_world((hm_world_desc){.name = "stage"});
    hm_component_desc desc = {.size = sizeof(int), .destroy = nothing_to_free};
    for (int i = 0; i < 2; i++) {
        desc.name = i == 0 ? "rope" : "sparse rope";
        hm_component rope = make_component(&world, desc);
        hm_handle entity = make_one(&world, rope, 1);
        give(&world, entity, make_int(&world), 2); /* What may be copied does not change that. */
        give(&world, entity, make_sparse(&world), 3);
        CHECK(hm_handle_is_null(hm_world_copy(&world, entity)));
        CHECK(strstr(hm_last_error(), "rope has a destroy hook, but none that copies") != NULL);
        desc.storage = HM_COMPONENT_SPARSE;
    }
    CHECK(hm_world_count(&world) == 2);
    finish_world(&world);
}

/* many entities */

TEST(world, what_is_refused_for_one_of_many_entities_is_refused_for_all)
{
    hm_world world = make_world((hm_world_desc){0});
    hm_component a = make_int(&world), sparse = make_sparse(&world), tag = make_tag(&world);
    hm_component large = make_component(&world, (hm_component_desc){.size = 16000});
    hm_component full = make_component(&world, (hm_component_desc){.size = 1000});
    hm_handle many[] = {make_one(&world, a, 1), make_one(&world, full, 2), HM_NULL_HANDLE};
    int values[] = {4, 5, 6};
    const hm_component each[] = {a, sparse, tag};
    for (int i = 0; i < 3; i++) {
        CHECK(hm_world_add_n(&world, many, 3, each[i], NULL) == HM_ERROR_STALE);
        CHECK(hm_world_remove_n(&world, many, 3, each[i], NULL) == HM_ERROR_STALE);
        CHECK(hm_world_add_n(&world, many, 0, each[i], NULL) == HM_OK);
    }
    CHECK(hm_world_add_n(&world, many, 2, large, NULL) == HM_ERROR_INVALID);
    CHECK(hm_world_add_n(&world, many, 2, tag, values) == HM_ERROR_INVALID);
    CHECK(hm_world_add_n(&world, many, 2, tag + 100, NULL) == HM_ERROR_INVALID);
    CHECK(hm_world_remove_n(&world, many, 2, tag + 100, NULL) == HM_ERROR_INVALID);
    CHECK(hm_world_has(&world, many[0], a) && !hm_world_has(&world, many[0], large));
    CHECK(hm_world_has(&world, many[0], sparse) == hm_world_has(&world, many[1], tag));
    many[2] = many[0];
    CHECK(hm_world_add_n(&world, many, 3, a, values) == HM_OK);
    CHECK(hm_world_add_n(&world, many, 3, sparse, values) == HM_OK);
    CHECK(value_of(&world, many[0], a) == 6 && value_of(&world, many[1], a) == 5);
    CHECK(value_of(&world, many[0], sparse) == 6 && value_of(&world, many[1], sparse) == 5);
    finish_world(&world);
}

/* clocks */

TEST(world, the_clock_tells_which_columns_and_archetypes_have_changed)
{
    hm_world world = make_world((hm_world_desc){0});
    hm_component a = make_int(&world), b = make_int(&world), tag = make_tag(&world);
    hm_component both[] = {a, b};
    hm_handle first = hm_world_create(&world, both, 2), second = make_one(&world, a, 1);
    uint64_t clock = hm_world_clock(&world);
    CHECK(hm_world_changed(&world, first, a) <= clock && hm_world_changed(&world, first, a) > 0);
    CHECK(hm_world_changed(&world, first, tag) == 0 && hm_world_changed(&world, second, b) == 0);
    give(&world, first, a, 5); /* a value */
    CHECK(hm_world_changed(&world, first, a) > clock &&
          hm_world_changed(&world, first, b) <= clock);
    CHECK(hm_world_changed(&world, second, a) <= clock);
    clock = hm_world_clock(&world);
    hm_world_touch(&world, first, b);
    CHECK(hm_world_clock(&world) == clock + 1);
    CHECK(hm_world_changed(&world, first, b) > clock &&
          hm_world_changed(&world, first, a) <= clock);
    hm_world_touch(&world, second, b); /* It has none. */
    hm_world_touch(&world, HM_NULL_HANDLE, b);
    CHECK(hm_world_clock(&world) == clock + 1);
    clock = hm_world_clock(&world);
    hm_world_touch_all(&world, a);
    CHECK(hm_world_changed(&world, first, a) > clock &&
          hm_world_changed(&world, second, a) > clock);
    CHECK(hm_world_changed(&world, first, b) <= clock);
    clock = hm_world_clock(&world);
    make_one(&world, a, 9); /* a row */
    CHECK(hm_world_changed(&world, second, a) > clock &&
          hm_world_changed(&world, first, a) <= clock);
    clock = hm_world_clock(&world);
    CHECK(hm_world_add(&world, second, tag, NULL) == HM_OK);
    CHECK(hm_world_changed(&world, second, tag) > clock);
    finish_world(&world);
}

TEST(world, the_clock_of_a_sparse_component_tells_of_all_its_values)
{
    hm_world world = make_world((hm_world_desc){0});
    hm_component sparse = make_sparse(&world), other = make_sparse(&world);
    hm_handle first = make_one(&world, sparse, 1), second = make_one(&world, other, 2);
    uint64_t clock = hm_world_clock(&world);
    give(&world, second, sparse, 3);
    CHECK(hm_world_changed(&world, first, sparse) > clock);
    CHECK(hm_world_changed(&world, second, other) <= clock);
    clock = hm_world_clock(&world);
    hm_world_touch(&world, second, other);
    CHECK(hm_world_changed(&world, second, other) > clock);
    CHECK(hm_world_changed(&world, second, sparse) <= clock);
    clock = hm_world_clock(&world);
    CHECK(hm_world_remove(&world, second, sparse, NULL) == HM_OK);
    CHECK(hm_world_changed(&world, first, sparse) > clock);
    give(&world, second, sparse, 3);
    clock = hm_world_clock(&world);
    CHECK(hm_world_destroy(&world, second));
    CHECK(hm_world_changed(&world, first, sparse) > clock);
    clock = hm_world_clock(&world);
    hm_world_touch_all(&world, sparse);
    CHECK(hm_world_changed(&world, first, sparse) > clock);
    finish_world(&world);
}

/* move */

TEST(world, a_world_can_be_moved)
{
    hm_world world = make_world((hm_world_desc){0});
    hm_component a = make_int(&world), sparse = make_sparse(&world);
    hm_handle entity = make_one(&world, a, 1);
    give(&world, entity, sparse, 2);
    hm_world *moved = malloc(sizeof *moved);
    CHECK(moved != NULL);
    *moved = world;
    memset(&world, 0x5A, sizeof world);
    CHECK(value_of(moved, entity, a) == 1 && value_of(moved, entity, sparse) == 2);
    for (int i = 0; i < 3000; i++)
        give(moved, make_one(moved, a, 3000 - i), sparse, i);
    const hm_order order = {.key = int_key};
    CHECK(hm_world_defragment(moved, a, &order, NULL).done);
    CHECK(hm_world_trim(moved) == HM_OK && hm_world_destroy(moved, entity));
    finish_world(moved);
    free(moved);
}

TEST(world, two_worlds_of_one_program_do_not_meet)
{
    hm_world first = make_world((hm_world_desc){0}), second = make_world((hm_world_desc){0});
    hm_component a = make_int(&first), b = make_int(&second);
    CHECK(a != b);
    hm_handle entity = make_one(&first, a, 1);
    make_one(&second, b, 2);
    CHECK(!hm_world_has(&first, entity, b) && value_of(&first, entity, a) == 1);
    finish_world(&first);
    CHECK(hm_world_count(&second) == 1);
    finish_world(&second);
}
