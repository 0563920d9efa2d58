/* SPDX-License-Identifier: MIT */
/* The live state of a world: how it is begun, copied and brought back. */
#include "world_space.h"

#include "world_internal.h"

#include <stddef.h>
#include <string.h>

entity_scene scene;

static hm_world *const world = &scene.world;

/* begin and end */

/* Small ranges come first, so that each reservation gets one of its size. */
static void begin_arena(void)
{
    size_t windows[ARENA_RANGES];
    uint32_t count = 0;
    while (count < ENTITY_SMALL)
        windows[count++] = ENTITY_WINDOW;
    while (count < ENTITY_SMALL + 4)
        windows[count++] = ENTITY_MEDIUM;
    windows[count++] = ENTITY_RECORDS;
    windows[count++] = ENTITY_ARCHETYPES;
    windows[count++] = ENTITY_SPARSE;
    windows[count++] = ENTITY_STORE;
    arena_begin(windows, count, scene.config->page_size);
    CHECK(arena_size() == ENTITY_BYTES);
}

/* Returns how many sets the components in archetypes have, without the empty one. */
static uint32_t count_archetypes(void)
{
    uint32_t archetypes = 1;
    for (uint32_t i = 0; i < scene.kinds; i++)
        archetypes *= entity_is_sparse(i) ? 1 : 2;
    return archetypes - 1;
}

static hm_status init(void)
{
    hm_world_desc desc = {.capacity = scene.config->capacity,
                          .max_slots = scene.config->max_slots,
                          .type_id = SPACE_TYPE_ID,
                          .memory = &arena.table,
                          .max_archetypes = count_archetypes(),
                          .max_size = ENTITY_STORE};
    return hm_world_init(world, &desc);
}

/* A refused component leaves the world as it was. */
static void make_component(uint32_t kind)
{
    hm_component_desc desc = {.size = scene.config->cells[kind],
                              .destroy = entity_has_hook(kind) ? entity_destroyed : NULL,
                              .context = &scene.ids[kind],
                              .storage = entity_is_sparse(kind) ? HM_COMPONENT_SPARSE
                                                                : HM_COMPONENT_ARCHETYPE};
    uint32_t refuse = 1;
    do {
        arena_refuse(refuse++);
        scene.ids[kind] = hm_world_component(world, &desc);
        CHECK((scene.ids[kind] == HM_INVALID_INDEX) == arena.refused);
        CHECK(hm_world_validate(world) == HM_OK);
    } while (arena.refused);
    arena_refuse(0);
}

/* Creates as many entities as fit, with all components. */
static void fill(void)
{
    for (uint32_t i = 0; i < scene.config->capacity; i++) {
        hm_handle handle = hm_world_create(world, scene.ids, scene.kinds);
        entity_write(entity_note(handle, entity_all()), entity_all());
    }
}

static size_t begin(const space_config *config)
{
    memset(&scene, 0, sizeof scene);
    scene.config = config;
    scene.kinds = (uint32_t)strlen(config->components);
    CHECK(config->capacity <= ENTITY_COUNT && config->max_slots <= ENTITY_SLOTS);
    begin_arena();
    arena_init(init);
    for (uint32_t i = 0; i < scene.kinds; i++)
        make_component(i);
    for (uint32_t life = 0; life < config->spent_lives; life++) {
        fill();
        hm_world_clear(world);
        scene.model.count = 0;
        scene.destroyed = 0;
    }
    if (config->full)
        fill();
    return sizeof(entity_state);
}

static void end(void)
{
    hm_world_fini(world);
    CHECK(arena_is_empty());
}

/* states */

/* Copies what a chunk has in its rows to a blank one. */
static void blank_chunk(const hm_world_archetype *archetype, uint32_t chunk)
{
    unsigned char kept[ENTITY_STORE], *at = hm_world_chunk_at(world, chunk);
    size_t size = hm_world_class_size(hm_world_chunk_class(chunk));
    uint32_t rows = hm_world_rows_in(archetype, chunk),
             room = archetype->rows[hm_world_chunk_class(chunk)];
    memset(kept, SPACE_BLANK, size);
    memcpy(kept + size - sizeof(hm_world_link), at + size - sizeof(hm_world_link),
           sizeof(hm_world_link));
    for (uint32_t c = 0; c < archetype->column_count; c++) {
        const hm_world_cell *cell = &archetype->cells[archetype->columns[c]];
        size_t offset = (size_t)cell->offset * room;
        memcpy(kept + offset, at + offset, (size_t)cell->size * rows);
    }
    size_t offset = (size_t)archetype->entity_offset * room;
    memcpy(kept + offset, at + offset, sizeof(hm_handle) * rows);
    memcpy(at, kept, size);
}

static void blank_spare_chunk(uint32_t chunk)
{
    size_t size = hm_world_class_size(hm_world_chunk_class(chunk)) - sizeof(hm_world_link);
    memset(hm_world_chunk_at(world, chunk), SPACE_BLANK, size);
}

/* Blanks a piece from an address in it on. */
static void blank_piece(uint32_t piece, const void *from)
{
    unsigned char *at = hm_world_chunk_at(world, piece);
    size_t used = (size_t)((const unsigned char *)from - at);
    memset(at + used, SPACE_BLANK, hm_world_class_size(hm_world_chunk_class(piece)) - used);
}

/* Times become 0. Only the order under way can know that an archetype is in order. */
static void blank_archetype(hm_world_archetype *archetype)
{
    size_t padding = offsetof(hm_world_archetype, is_ordered) + sizeof archetype->is_ordered;
    memset((unsigned char *)archetype + padding, 0, sizeof *archetype - padding);
    archetype->changed = 0;
    if (!archetype->is_alive)
        return;
    memset(archetype->column_changed, 0, sizeof *archetype->column_changed * archetype->set_count);
    blank_piece(archetype->cell_piece, archetype->edges + archetype->span);
    blank_piece(archetype->set_piece, archetype->columns + archetype->column_count);
    if (world->order.key == NULL)
        archetype->is_ordered = false;
    bool is_spare = archetype->last == HM_WORLD_NONE;
    for (uint32_t chunk = archetype->first; chunk != HM_WORLD_NONE;
         chunk = hm_world_link_of(world, chunk)->next) {
        if (is_spare)
            blank_spare_chunk(chunk);
        else
            blank_chunk(archetype, chunk);
        is_spare = is_spare || chunk == archetype->last;
    }
}

/* As narrowed store.c has it. */
enum { STORE_TOP = HM_WORLD_CLASSES - 1, STORE_PIECES = 2 };

typedef struct store_node {
    uint32_t previous, next;
    uint8_t free;
    bool is_split, is_free;
} store_node;

typedef struct store_block {
    store_node whole, halves[2], quarters[4];
} store_block;

static store_node *node_at(uint32_t level, uint32_t index)
{
    store_block *blocks = (store_block *)(void *)world->store.record_array.data;
    if (level == STORE_TOP)
        return &blocks[index].whole;
    return level == STORE_TOP - 1 ? &blocks[index / 2].halves[index % 2]
                                  : &blocks[index / 4].quarters[index % 4];
}

static void blank_node(uint32_t level, uint32_t index)
{
    size_t size = hm_world_class_size(level);
    memset(world->store.base + size * index, SPACE_BLANK, size);
}

/* Free pieces, and the links of nodes that are in no list. */
static void blank_store(void)
{
    uint32_t nodes = (uint32_t)world->store.block_array.count;
    for (uint32_t level = STORE_TOP; level > 0; level--, nodes *= STORE_PIECES)
        for (uint32_t i = 0; i < nodes; i++) {
            store_node *node = node_at(level, i);
            if (node->is_free)
                blank_node(level, i);
            for (uint32_t piece = 0; piece < STORE_PIECES; piece++)
                if ((node->free >> piece & 1) != 0)
                    blank_node(level - 1, i * STORE_PIECES + piece);
            if (node->free == 0 && !node->is_free)
                BLANK(node->previous), BLANK(node->next);
        }
    blank_behind(&world->store.block_array, HM_WORLD_BLOCK_SIZE * world->store.block_array.count);
    blank_behind(&world->store.record_array, sizeof(store_block) * world->store.record_array.count);
}

/* Places of slots without an entity. A mask may name sparse components that the entity has not;
 * here it never does. */
static void blank_slots(void)
{
    uint64_t *masks = (uint64_t *)(void *)world->mask_array.data;
    uint32_t slots = (uint32_t)(world->place_array.committed_size / sizeof(hm_world_place));
    for (uint32_t slot = 0; slot < slots; slot++) {
        const entity_item *item = slot < ENTITY_SLOTS ? entity_in_slot(slot) : NULL;
        if (item == NULL)
            BLANK(world->places[slot]);
        for (uint32_t i = 0; i < scene.kinds; i++)
            if (slot < world->mask_array.limit && entity_is_sparse(i) &&
                (item == NULL || (item->set >> i & 1) == 0))
                masks[slot] &= ~(UINT64_C(1) << hm_world_record(world, i)->sparse);
    }
    BLANK(world->place_array.count);
    BLANK(world->mask_array.count);
}

/* As secondary_space.c. */
static void blank_secondary(hm_secondary *secondary, uint32_t kind)
{
    blank_behind(&secondary->value_array, (size_t)secondary->value_size * secondary->count);
    blank_behind(&secondary->owner_array, sizeof(hm_handle) * secondary->count);
    blank_behind(&secondary->piece_array, secondary->piece_array.count);
    BLANK(secondary->value_array.count);
    BLANK(secondary->owner_array.count);
    BLANK(secondary->order.mark_array.count);
    for (uint32_t slot = 0; slot < secondary->slot_end; slot++) {
        const entity_item *item = entity_in_slot(slot);
        if (secondary->pieces[slot >> secondary->piece_shift] != 0 &&
            (item == NULL || (item->set >> kind & 1) == 0))
            secondary->positions[slot] = 0;
    }
}

/* The order numbers the rows of one archetype. */
static void blank_rows_order(void)
{
    uint32_t positions[ENTITY_SLOTS], row = 0;
    hm_handle owners[ENTITY_COUNT];
    for (uint32_t slot = 0; slot < ENTITY_SLOTS; slot++)
        positions[slot] = HM_INVALID_INDEX;
    uint32_t chunks = 0;
    if (world->order_archetype != HM_WORLD_NONE &&
        world->archetypes[world->order_archetype].is_alive) {
        const hm_world_archetype *archetype = &world->archetypes[world->order_archetype];
        chunks = archetype->chunk_count;
        for (uint32_t chunk = archetype->first; row < archetype->count;
             chunk = hm_world_link_of(world, chunk)->next) {
            const hm_handle *entities = hm_world_entities(world, archetype, chunk);
            for (uint32_t i = 0; i < hm_world_rows_in(archetype, chunk); i++) {
                owners[row] = entities[i];
                positions[hm_handle_index(entities[i])] = row++;
            }
        }
    }
    blank_behind(&world->order_chunks, sizeof(uint32_t) * chunks);
    BLANK(world->order_chunks.count);
    BLANK(world->order_state.mark_array.count);
    hm_links links = {.owners = owners, .positions = positions};
    blank_order(&world->order_state, links, ENTITY_SLOTS);
}

/* As blank.c does for the order: blanks what is behind the live items, which a later call writes
 * before it is read. Clocks count changes, and nothing depends on them but what the program asks
 * for; the epoch matters to queries, and none lasts from step to step. */
static void blank_unused(void)
{
    hm_id_table *ids = &world->ids;
    blank_behind(&ids->entry_array, sizeof(hm_handle) * ids->slot_count);
    blank_behind(&ids->slot_array, sizeof(uint32_t) * ids->used);
    blank_behind(&ids->floors, sizeof(uint16_t) * ids->floors.count);
    BLANK(ids->entry_array.count);
    BLANK(ids->slot_array.count);
    blank_slots();
    for (uint32_t i = 0; i < world->archetype_array.count; i++)
        blank_archetype(&world->archetypes[i]);
    blank_behind(&world->archetype_array,
                 sizeof(hm_world_archetype) * world->archetype_array.count);
    blank_behind(&world->bucket_array, sizeof(uint32_t) * world->bucket_array.count);
    blank_store();
    for (uint32_t i = 0; i < scene.kinds; i++) {
        hm_world_record(world, i)->changed = 0;
        if (entity_is_sparse(i))
            blank_secondary(hm_world_sparse(world, i), i);
    }
    blank_rows_order();
    world->order_clock = world->order_clock == world->clock ? 0 : UINT64_MAX;
    world->clock = world->epoch = 0;
    for (uint32_t i = 0; i < HM_WORLD_WAYS; i++)
        if (world->ways[i].add_count + world->ways[i].remove_count == 0)
            BLANK(world->ways[i].from), BLANK(world->ways[i].to), BLANK(world->ways[i].components);
    if (world->memo_count == 0) {
        BLANK(world->memo);
        BLANK(world->memo_archetype);
    }
}

/* The form of a state: all of it but the names of chunks and archetypes. Archetypes come in the
 * order of their sets; of the store counts how many pieces of each class are free. */

static struct {
    unsigned char *bytes;
    size_t size;
} form;

static void put(const void *bytes, size_t size)
{
    CHECK(form.size + size <= ENTITY_FORM);
    if (size == 0)
        return; /* An empty array may be NULL, which memcpy must not get. */
    memcpy(form.bytes + form.size, bytes, size);
    form.size += size;
}

static void put_byte(uint32_t byte)
{
    put(&(unsigned char){(unsigned char)byte}, 1);
}

static void put_array(const hm_array *array)
{
    put(array->data, array->committed_size);
}

/* Returns the set of an archetype's components, or the number of sets if there is no such
 * archetype. */
static uint32_t set_of(uint32_t index)
{
    uint32_t set = 0;
    if (index >= world->archetype_array.count || !world->archetypes[index].is_alive)
        return 1u << scene.kinds;
    for (uint32_t i = 0; i < world->archetypes[index].set_count; i++)
        set |= 1u << world->archetypes[index].set[i];
    return set;
}

/* The classes of its chunks, and its entities. */
static void put_rows(const hm_world_archetype *archetype)
{
    bool is_spare = archetype->last == HM_WORLD_NONE;
    for (uint32_t chunk = archetype->first; chunk != HM_WORLD_NONE;
         chunk = hm_world_link_of(world, chunk)->next) {
        put_byte(0x80 | hm_world_chunk_class(chunk));
        uint32_t rows = is_spare ? 0 : hm_world_rows_in(archetype, chunk);
        for (uint32_t i = 0; i < rows; i++)
            put_byte(hm_handle_index(hm_world_entities(world, archetype, chunk)[i]));
        is_spare = is_spare || chunk == archetype->last;
    }
}

static void put_archetype(const hm_world_archetype *archetype)
{
    uint32_t edges = 0;
    for (uint32_t i = 0; i < archetype->span; i++)
        if (archetype->edges[i] != HM_WORLD_NONE)
            edges |= 1u << i;
    put_byte(archetype->span);
    put_byte(edges);
    put_byte(archetype->is_ordered);
    put_byte(hm_world_chunk_class(archetype->cell_piece));
    put_rows(archetype);
}

static void put_archetypes(void)
{
    for (uint32_t set = 0; set <= entity_all(); set++) {
        for (uint32_t i = 0; i < world->archetype_array.count; i++)
            if (set_of(i) == set)
                put_archetype(&world->archetypes[i]);
        put_byte(0xFF);
    }
}

static void put_store(void)
{
    uint32_t free[HM_WORLD_CLASSES] = {0}, nodes = (uint32_t)world->store.block_array.count;
    put_byte(nodes);
    for (uint32_t level = STORE_TOP; level > 0; level--, nodes *= STORE_PIECES)
        for (uint32_t i = 0; i < nodes; i++) {
            free[STORE_TOP] += node_at(level, i)->is_free;
            for (uint32_t pieces = node_at(level, i)->free; pieces != 0; pieces &= pieces - 1)
                free[level - 1]++;
        }
    put(free, sizeof free);
}

static void put_order(void)
{
    put(&world->order, sizeof world->order);
    put_byte(world->order_number);
    put_byte(set_of(world->order_archetype));
    put_byte(set_of(world->order_next));
    put_byte(world->order_looked);
    put_byte(world->order_clock == world->clock);
    put(&world->order_state, sizeof world->order_state);
    put_array(&world->order_state.mark_array);
    put_array(&world->order_state.batch.scratch);
}

static void put_form(void)
{
    put(&scene.model, sizeof scene.model);
    put(&arena.memory, sizeof arena.memory);
    put(&world->ids, sizeof world->ids);
    put_array(&world->ids.entry_array);
    put_array(&world->ids.slot_array);
    put_array(&world->ids.floors);
    put(&world->guard, sizeof world->guard);
    put(&world->ready_end, sizeof world->ready_end);
    put_byte(world->bucket_mask);
    put_byte(world->memo_count != 0 ? set_of(world->memo_archetype) : UINT8_MAX);
    for (uint32_t i = 0; i < HM_WORLD_WAYS; i++) {
        put_byte(set_of(world->ways[i].from));
        put_byte(set_of(world->ways[i].to));
    }
    put_archetypes();
    put_store();
    put_order();
    if (world->sparse_count == 0)
        return;
    const hm_secondary *sparse = (hm_secondary *)(void *)world->sparse_array.data;
    put_array(&sparse->owner_array);
    put(&sparse->order, sizeof sparse->order);
}

void entity_capture(void *into)
{
    entity_state *state = into;
    arena_open();
    blank_unused();
    form.bytes = state->form;
    form.size = 0;
    memset(state->form, 0, sizeof state->form);
    put_form();
    memset(scene.model.dense + scene.model.count, 0,
           sizeof scene.model.dense - sizeof *scene.model.dense * scene.model.count);
    memcpy(&state->world, world, sizeof *world);
    memcpy(&state->memory, &arena.memory, sizeof arena.memory);
    memcpy(&state->model, &scene.model, sizeof scene.model);
    arena_capture(state->bytes);
    arena_close();
}

void entity_restore(const void *from)
{
    const entity_state *state = from;
    arena_open();
    memcpy(world, &state->world, sizeof *world);
    memcpy(&arena.memory, &state->memory, sizeof arena.memory);
    memcpy(&scene.model, &state->model, sizeof scene.model);
    arena_restore(state->bytes);
    arena_close();
}

const space_kind world_space = {
    .container = "world",
    .verbs = entity_verbs,
    .hashed_size = ENTITY_FORM,
    .begin = begin,
    .end = end,
    .capture = entity_capture,
    .restore = entity_restore,
    .check = entity_check,
    .list = entity_actions,
    .is_possible = entity_is_possible,
    .take = entity_take,
};
