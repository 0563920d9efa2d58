/* SPDX-License-Identifier: MIT */
/* What a world does: entities get and lose components of each kind, values stay with them, and all
 * entities with the same components are arrays. */
#include "support/world.h"

#include <stdlib.h>

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

/* add, remove, change */

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
