/* SPDX-License-Identifier: MIT */
/* hm_world_validate sees each kind of damage. */
#include "support/world.h"

#include <string.h>

typedef struct scene {
    hm_world world;
    hm_component a, b, sparse;
    hm_handle entities[500]; /* with a and b, in several chunks */
    hm_world_archetype *root, *archetype;
} scene;

static void start(scene *on)
{
    on->world = make_world((hm_world_desc){.capacity = 1000});
    on->a = make_int(&on->world);
    on->b = make_int(&on->world);
    on->sparse = make_sparse(&on->world);
    hm_component both[] = {on->a, on->b};
    for (int i = 0; i < 500; i++) /* One by one, so that chunks grow. */
        on->entities[i] = hm_world_create(&on->world, both, 2);
    hm_handle mover = hm_world_create(&on->world, NULL, 0);
    give(&on->world, mover, on->a, 1);
    give(&on->world, mover, on->b, 1);
    CHECK(hm_world_remove(&on->world, mover, on->a, NULL) == HM_OK);
    give(&on->world, on->entities[7], on->sparse, 7);
    on->root = &on->world.archetypes[HM_WORLD_ROOT];
    on->archetype = &on->world.archetypes[1];
    CHECK(on->archetype->set_count == 2 && on->archetype->chunk_count == 3);
    CHECK(hm_world_validate(&on->world) == HM_OK);
}

/* Changes a number, which validate must see, and changes it back. */
static void change(const scene *on, uint32_t *number, uint32_t now)
{
    uint32_t before = *number;
    CHECK(now != before);
    *number = now;
    CHECK(hm_world_validate(&on->world) == HM_ERROR_CORRUPT && *hm_last_error() != '\0');
    *number = before;
    CHECK(hm_world_validate(&on->world) == HM_OK);
}

TEST(world_damage, validate_sees_rows_and_places_that_disagree)
{
    scene on;
    start(&on);
    hm_world_place *place = &on.world.places[hm_handle_index(on.entities[3])];
    change(&on, &place->row, place->row + 1);
    change(&on, &place->chunk, place->chunk + 4);
    hm_handle *rows = hm_world_entities(&on.world, on.archetype, on.archetype->first);
    hm_handle before = rows[2];
    rows[2] = rows[1];
    CHECK(hm_world_validate(&on.world) == HM_ERROR_CORRUPT);
    rows[2] = hm_handle_from_bits(before.bits + (UINT64_C(1) << 32));
    CHECK(hm_world_validate(&on.world) == HM_ERROR_CORRUPT);
    rows[2] = before;
    size_t limit = on.world.place_array.limit;
    on.world.place_array.limit = 400;
    CHECK(hm_world_validate(&on.world) == HM_ERROR_CORRUPT);
    CHECK(on.world.ids.fresh_end > on.world.ids.slot_count);
    on.world.place_array.limit = on.world.ids.slot_count; /* too few for the next slots */
    CHECK(hm_world_validate(&on.world) == HM_ERROR_CORRUPT);
    CHECK(strcmp(hm_last_error(), "hm_world_validate: 'world': some slots have no places") == 0);
    on.world.place_array.limit = limit;
    change(&on, &on.world.ids.count, on.world.ids.count - 1);
    finish_world(&on.world);
}

TEST(world_damage, validate_sees_an_entity_without_a_row)
{
    scene on;
    start(&on);
    on.archetype->count--;
    on.archetype->last_rows--;
    CHECK(hm_world_validate(&on.world) == HM_ERROR_CORRUPT);
    CHECK(strcmp(hm_last_error(),
                 "hm_world_validate: 'world': 500 rows in 3 archetypes, but 501 entities in 3") ==
          0);
    on.archetype->count++;
    on.archetype->last_rows++;
    finish_world(&on.world);
}

TEST(world_damage, validate_sees_a_damaged_list_of_chunks)
{
    scene on;
    start(&on);
    hm_world_link *link = hm_world_link_of(&on.world, on.archetype->first);
    hm_world_link *next = hm_world_link_of(&on.world, link->next);
    change(&on, &link->previous, on.archetype->first);
    change(&on, &link->next, next->next);
    change(&on, &link->next, on.archetype->first);
    change(&on, &next->ordinal, 0);
    change(&on, &next->archetype, 0);
    change(&on, &on.archetype->chunk_count, on.archetype->chunk_count + 1);
    change(&on, &on.archetype->chunk_count, 1);
    change(&on, &on.archetype->tail, on.archetype->first);
    change(&on, &on.archetype->last, on.archetype->first);
    change(&on, &on.archetype->last_rows, on.archetype->last_rows - 1);
    change(&on, &on.archetype->last_rows, 3000);
    change(&on, &on.archetype->count, on.archetype->count - 1);
    change(&on, &on.world.archetype_count, on.world.archetype_count + 1);
    finish_world(&on.world);
}

/* The only chunk is full, as one is that others follow. */
TEST(world_damage, validate_sees_a_last_chunk_that_is_not_in_the_list)
{
    scene on;
    start(&on);
    hm_component component = make_int(&on.world);
    hm_handle entity = make_one(&on.world, component, 0);
    hm_world_archetype *archetype =
        &on.world.archetypes[hm_world_place_archetype(on.world.places[hm_handle_index(entity)])];
    while (archetype->last_rows < archetype->rows[hm_world_chunk_class(archetype->last)])
        make_one(&on.world, component, 0);
    CHECK(archetype->first == archetype->last && archetype->last == archetype->tail);
    change(&on, &archetype->last, on.archetype->first);
    finish_world(&on.world);
}

TEST(world_damage, validate_sees_sets_and_edges_that_disagree)
{
    scene on;
    start(&on);
    change(&on, &on.root->edges[0], 100);
    change(&on, &on.root->edges[0], 1); /* It differs by two. */
    change(&on, &on.root->edges[1], on.root->edges[0]);
    change(&on, &on.root->edges[2], 0);
    on.archetype->cells[0].is_present = false;
    CHECK(hm_world_validate(&on.world) == HM_ERROR_CORRUPT);
    on.archetype->cells[0].is_present = true;
    on.archetype->cells[5].is_present = true;
    CHECK(hm_world_validate(&on.world) == HM_ERROR_CORRUPT);
    on.archetype->cells[5].is_present = false;
    uint16_t number = on.archetype->set[1];
    on.archetype->set[1] = on.archetype->set[0];
    CHECK(hm_world_validate(&on.world) == HM_ERROR_CORRUPT);
    on.archetype->set[1] = 9;
    CHECK(hm_world_validate(&on.world) == HM_ERROR_CORRUPT);
    on.archetype->set[1] = number;
    on.archetype->is_alive = false;
    CHECK(hm_world_validate(&on.world) == HM_ERROR_CORRUPT);
    on.archetype->is_alive = true;
    finish_world(&on.world);
}

/* What the store keeps for each part of a block; the parts of 4 KiB come after the 9 larger ones.
 */
typedef struct node {
    uint32_t previous, next;
    uint8_t free;
    bool is_split, is_free;
} node;

enum { LARGER_PARTS = 9, SMALL_PARTS = 64 };

static void check_is_damaged(const scene *on)
{
    CHECK(hm_world_validate(&on->world) == HM_ERROR_CORRUPT);
}

TEST(world_damage, validate_sees_a_damaged_store)
{
    scene on;
    start(&on);
    node(*blocks)[LARGER_PARTS + SMALL_PARTS] = (void *)on.world.store.record_array.data;
    uint32_t small = on.world.store.heads[0], other = small ^ 1;
    CHECK(small != HM_WORLD_NONE);
    change(&on, &on.world.store.heads[0], HM_WORLD_NONE);
    change(&on, &on.world.store.heads[0], other);
    change(&on, &on.world.store.heads[0], 100000);
    node *part = &blocks[small / SMALL_PARTS][LARGER_PARTS + small % SMALL_PARTS], before = *part;
    change(&on, &part->previous, other);
    change(&on, &part->next, small);
    part->free = 0;
    check_is_damaged(&on);
    part->free = UINT8_MAX;
    check_is_damaged(&on);
    *part = before;
    part->is_split = false;
    check_is_damaged(&on);
    *part = before;
    part->is_free = true;
    check_is_damaged(&on);
    *part = before;
    node *whole = &blocks[small / SMALL_PARTS][0];
    whole->is_free = !whole->is_free;
    check_is_damaged(&on);
    whole->is_free = !whole->is_free;
    whole->is_split = !whole->is_split;
    check_is_damaged(&on);
    whole->is_split = !whole->is_split;
    node *parent = whole + 1 + small % SMALL_PARTS / 8;
    before = *parent;
    parent->free |= (uint8_t)(1U << small % 8); /* as if nothing had split it */
    CHECK(part->is_split && parent->free != before.free);
    check_is_damaged(&on);
    *parent = before;
    finish_world(&on.world);
}

TEST(world_damage, validate_sees_sparse_values_without_an_entity)
{
    scene on;
    start(&on);
    hm_secondary *sparse = hm_world_sparse(&on.world, on.sparse - on.world.salt);
    uint64_t *masks = (uint64_t *)(void *)on.world.mask_array.data;
    uint32_t slot = hm_handle_index(on.entities[7]);
    uint64_t mask = masks[slot];
    masks[slot] = 0;
    CHECK(hm_world_validate(&on.world) == HM_ERROR_CORRUPT);
    masks[slot] = mask;
    hm_handle stranger = hm_handle_pack(600, 1, ENTITY_TYPE);
    CHECK(hm_secondary_set(sparse, stranger, NULL) != NULL);
    CHECK(hm_world_validate(&on.world) == HM_ERROR_CORRUPT);
    CHECK(
        strcmp(
            hm_last_error(),
            "hm_world_validate: 'world': sparse component component has a value without entity") ==
        0);
    CHECK(hm_secondary_remove(sparse, stranger));
    change(&on, &sparse->positions[slot], 5);
    finish_world(&on.world);
}
