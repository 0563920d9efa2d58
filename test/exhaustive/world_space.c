/* SPDX-License-Identifier: MIT */
/* The state spaces of a world: entities with up to three components. */
#include "blank.h"
#include "subject.h"

#include "support/layout.h"
#include "support/world_model.h"

#include "world_private.h"

#include <stddef.h>
#include <string.h>

enum {
    WORLD_MEDIUM = 192, /* bytes of scratch memory */
    WORLD_SPARSE = 256, /* bytes of a secondary */
    WORLD_RANGE = 4032, /* bytes of all else */
    WORLD_STORE = 1024, /* bytes of all chunks but the first */
    WORLD_LISTED = 640, /* bytes of the list of secondaries */
    WORLD_FORM = 3072   /* bytes of what tells states apart */
};

static world_model model;
static const space_config *config;

static hm_world *const world = &model.world;

static bool is_sparse(uint32_t kind)
{
    return model.components[kind].of.is_sparse;
}

static uint32_t all_kinds(void)
{
    return (1u << model.component_count) - 1;
}

static const world_model_entity *in_slot(uint32_t slot)
{
    for (uint32_t i = 0; i < model.count; i++)
        if (hm_handle_index(model.entities[i].handle) == slot)
            return &model.entities[i];
    return NULL;
}

/* states */

/* Copies what a chunk has in its rows to a blank one. */
static void blank_chunk(const hm_world_archetype *archetype, uint32_t chunk)
{
    unsigned char kept[WORLD_STORE], *at = hm_world_chunk_at(world, chunk);
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

/* Blanks a chunk from an address in it on. */
static void blank_tail(uint32_t chunk, const void *from)
{
    unsigned char *at = hm_world_chunk_at(world, chunk);
    size_t used = (size_t)((const unsigned char *)from - at);
    memset(at + used, SPACE_BLANK, hm_world_class_size(hm_world_chunk_class(chunk)) - used);
}

/* Times become 0. Only the order under way can know that an archetype is in order. */
static void blank_archetype(hm_world_archetype *archetype)
{
    size_t padding = offsetof(hm_world_archetype, is_ordered) + sizeof archetype->is_ordered;
    memset((unsigned char *)archetype + padding, 0, sizeof *archetype - padding);
    archetype->changed = archetype->stamp = 0;
    if (!archetype->is_alive)
        return;
    memset(archetype->column_changed, 0, sizeof *archetype->column_changed * archetype->set_count);
    blank_tail(archetype->cell_chunk, archetype->edges + archetype->cell_count);
    blank_tail(archetype->set_chunk, archetype->columns + archetype->column_count);
    if (world->order == NULL || hm_world_order_of(world)->order.key == NULL)
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

/* As store.c has it, with the constants of the search. */
enum { STORE_TOP = HM_WORLD_CLASSES - 1, STORE_HALVES = 2 };

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

/* Returns the region that a block is in, and the number of its first block. */
static uint32_t region_of(uint32_t block, uint32_t *first)
{
    uint32_t region = block != 0 ? 1 + hm_bits_highest(block) : 0;
    *first = region != 0 ? 1u << (region - 1) : 0;
    return region;
}

static void blank_node(uint32_t level, uint32_t index)
{
    uint32_t first, region = region_of(index >> (STORE_TOP - level), &first);
    uint32_t unit = (index << level) - (first << STORE_TOP);
    uint32_t chunk = unit << HM_WORLD_BASE_BITS | region << HM_WORLD_CLASS_BITS | level;
    memset(hm_world_chunk_at(world, chunk), SPACE_BLANK, hm_world_class_size(level));
}

/* What is committed in the last region behind the blocks. */
static void blank_behind_blocks(void)
{
    uint32_t count = (uint32_t)world->store.record_array.count, first;
    uint32_t region = region_of(count - 1, &first);
    size_t used = (count - first) * HM_WORLD_BLOCK_SIZE;
    if (region > 1 && used < world->store.committed_size)
        memset(hm_world_chunk_at(world, region << HM_WORLD_CLASS_BITS) + used, SPACE_BLANK,
               world->store.committed_size - used);
}

/* Free children, and the links of nodes that are in no list. */
static void blank_store(void)
{
    uint32_t nodes = (uint32_t)world->store.record_array.count;
    for (uint32_t level = STORE_TOP; level > 0; level--, nodes *= STORE_HALVES)
        for (uint32_t i = 0; i < nodes; i++) {
            store_node *node = node_at(level, i);
            if (node->is_free)
                blank_node(level, i);
            for (uint32_t child = 0; child < STORE_HALVES; child++)
                if ((node->free >> child & 1) != 0)
                    blank_node(level - 1, i * STORE_HALVES + child);
            if (node->free == 0 && !node->is_free)
                BLANK(node->previous), BLANK(node->next);
        }
    blank_behind_blocks();
    blank_behind(&world->store.record_array, sizeof(store_block) * world->store.record_array.count);
}

/* Places of slots without an entity. A mask may name sparse components that the entity has not;
 * here it never does. */
static void blank_slots(void)
{
    uint64_t *masks = (uint64_t *)(void *)world->mask_array.data;
    uint32_t slots = (uint32_t)(world->place_array.committed_size / sizeof(hm_world_place));
    for (uint32_t slot = 0; slot < slots; slot++) {
        const world_model_entity *entity = in_slot(slot);
        if (entity == NULL)
            BLANK(world->places[slot]);
        for (uint32_t i = 0; i < model.component_count; i++)
            if (slot < world->mask_array.limit && is_sparse(i) &&
                (entity == NULL || (entity->mask >> i & 1) == 0))
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
    blank_behind(&secondary->segment_array, secondary->segment_array.count);
    BLANK(secondary->value_array.count);
    BLANK(secondary->owner_array.count);
    if (secondary->order != NULL)
        BLANK(secondary->order->range.count);
    for (uint32_t slot = 0; slot < secondary->slot_end; slot++) {
        const world_model_entity *entity = in_slot(slot);
        if (secondary->segments[slot >> secondary->segment_shift] != 0 &&
            (entity == NULL || (entity->mask >> kind & 1) == 0))
            secondary->positions[slot] = 0;
    }
}

/* The order numbers the rows of one archetype. */
static void blank_rows_order(void)
{
    uint32_t positions[WORLD_MODEL_SLOTS], row = 0;
    hm_handle owners[WORLD_MODEL_ENTITIES];
    for (uint32_t slot = 0; slot < WORLD_MODEL_SLOTS; slot++)
        positions[slot] = HM_INVALID_INDEX;
    uint32_t chunks = 0;
    if (world->order == NULL)
        return;
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
    hm_world_order *order = hm_world_order_of(world);
    blank_behind(&order->array, sizeof *order + sizeof *order->chunks * chunks);
    BLANK(order->array.count);
    hm_links links = {.owners = owners, .positions = positions};
    blank_order(order->state, links, WORLD_MODEL_SLOTS);
}

/* Gives each value its own pattern, of slot, generation and component, and its key, which an edit
 * has given it in the lowest byte. */
static void give_values(void)
{
    for (uint32_t i = 0; i < model.count; i++) {
        world_model_entity *entity = &model.entities[i];
        uint32_t own = 4 * hm_handle_index(entity->handle) + hm_handle_generation(entity->handle);
        for (uint32_t c = 0; c < model.component_count; c++) {
            bool has = (entity->mask >> c & 1) != 0;
            bool has_key = has && config->keys != 0 && (entity->zero >> c & 1) == 0;
            uint64_t pattern =
                (16 * c + own) << 8 | (has_key ? entity->patterns[c] % 256 % config->keys : 0);
            unsigned char *value = hm_world_get(world, entity->handle, model.components[c].id);
            CHECK(value == NULL || world_model_holds(&model, entity, c, value));
            if (value != NULL)
                test_item_fill(value, config->cells[c], pattern);
            entity->patterns[c] = has ? pattern : 0;
        }
        CHECK(entity->destroyed == 0);
        entity->zero = 0;
    }
    memset(model.entities + model.count, 0,
           sizeof *model.entities * (WORLD_MODEL_ENTITIES - model.count));
}

/* As blank.c does for the order: blanks what is behind the live items, which a later call writes
 * before it is read. Clocks count changes, and nothing depends on them but what the program asks
 * for; the epoch matters to queries, and none lasts from step to step. */
static void blank(void)
{
    hm_id_table *ids = &world->ids;
    give_values();
    blank_behind(&ids->entry_array, sizeof(hm_handle) * ids->slot_count);
    blank_behind(&ids->slot_array, sizeof(uint32_t) * ids->used);
    blank_floors(ids);
    BLANK(ids->entry_array.count);
    BLANK(ids->slot_array.count);
    blank_slots();
    for (uint32_t i = 0; i < world->archetype_array.count; i++)
        blank_archetype(&world->archetypes[i]);
    blank_behind(&world->archetype_array,
                 sizeof(hm_world_archetype) * world->archetype_array.count);
    blank_behind(&world->bucket_array, sizeof(uint32_t) * world->bucket_array.count);
    blank_store();
    for (uint32_t i = 0; i < model.component_count; i++) {
        hm_world_record(world, i)->changed = hm_world_record(world, i)->stamp = 0;
        if (is_sparse(i))
            blank_secondary(hm_world_sparse(world, i), i);
    }
    blank_rows_order();
    if (world->order != NULL) {
        hm_world_order *order = hm_world_order_of(world);
        order->clock = order->clock == world->clock ? 0 : UINT64_MAX;
    }
    world->clock = world->epoch = 0;
    world->version = 1; /* No query is of it: those are new in each step. */
    for (uint32_t i = 0; i < HM_WORLD_TRANSITIONS; i++) {
        hm_world_transition *way = hm_world_transition_from(world, i);
        if (way->add_count + way->remove_count == 0)
            BLANK(way->from), BLANK(way->to), BLANK(way->components);
    }
    if (world->memo_count == 0) {
        BLANK(world->memo);
        BLANK(world->memo_archetype);
    }
}

/* The form of a state: all of it but the names of chunks and archetypes. Archetypes come in the
 * order of their sets; of the store counts how many nodes of each class are free. */

static struct {
    unsigned char *bytes;
    size_t size;
} form;

static void put(const void *bytes, size_t size)
{
    CHECK(form.size + size <= WORLD_FORM);
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
        return 1u << model.component_count;
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
    for (uint32_t i = 0; i < archetype->cell_count; i++)
        if (archetype->edges[i] != HM_WORLD_NONE)
            edges |= 1u << i;
    put_byte(archetype->cell_count);
    put_byte(edges);
    put_byte(archetype->is_ordered);
    put_byte(hm_world_chunk_class(archetype->cell_chunk));
    put_rows(archetype);
}

static void put_archetypes(void)
{
    for (uint32_t set = 0; set <= all_kinds(); set++) {
        for (uint32_t i = 0; i < world->archetype_array.count; i++)
            if (set_of(i) == set)
                put_archetype(&world->archetypes[i]);
        put_byte(0xFF);
    }
}

static void put_store(void)
{
    uint32_t free[HM_WORLD_CLASSES] = {0}, nodes = (uint32_t)world->store.record_array.count;
    put_byte(nodes);
    for (uint32_t level = STORE_TOP; level > 0; level--, nodes *= STORE_HALVES)
        for (uint32_t i = 0; i < nodes; i++) {
            free[STORE_TOP] += node_at(level, i)->is_free;
            for (uint32_t left = node_at(level, i)->free; left != 0; left &= left - 1)
                free[level - 1]++;
        }
    put(free, sizeof free);
}

static void put_order(void)
{
    const hm_world_order *order = hm_world_order_of(world);
    put_byte(order != NULL);
    if (order == NULL)
        return;
    put(&order->order, sizeof order->order);
    put_byte(order->number);
    put_byte(set_of(world->order_archetype));
    put_byte(set_of(order->next));
    put_byte(order->looked);
    put_byte(order->clock == world->clock);
    put_byte(order->state != NULL);
    if (order->state == NULL)
        return;
    put_array(&order->state->range);
    put_array(&order->state->batch.scratch);
}

static void put_form(unsigned char *bytes)
{
    form.bytes = bytes;
    form.size = 0;
    put(model.entities, sizeof model.entities);
    put(&model.count, sizeof model.count);
    put(&model.dropped, sizeof model.dropped);
    put(model.issued, sizeof model.issued);
    put(arena.memory, sizeof *arena.memory * arena.range_count);
    put(&world->ids, sizeof world->ids);
    put_array(&world->ids.entry_array);
    put_array(&world->ids.slot_array);
    if (world->ids.floors != NULL)
        put_array(world->ids.floors);
    put(&world->guard, sizeof world->guard);
    put(&world->ready_end, sizeof world->ready_end);
    put_byte(world->bucket_mask);
    put_byte(world->memo_count != 0 ? set_of(world->memo_archetype) : UINT8_MAX);
    for (uint32_t i = 0; i < HM_WORLD_TRANSITIONS; i++) {
        put_byte(set_of(hm_world_transition_from(world, i)->from));
        put_byte(set_of(hm_world_transition_from(world, i)->to));
    }
    put_archetypes();
    put_store();
    put_order();
    if (world->sparse_count == 0)
        return;
    const hm_secondary *sparse = hm_world_secondary(world, 0);
    put_array(&sparse->owner_array);
    if (sparse->order != NULL)
        put(sparse->order, sizeof *sparse->order);
}

/* begin and end */

/* Small ranges come first, so that each reservation gets one of its size. */
static void begin_arena(void)
{
    const size_t pages = config->page_size - 1, order = (SPACE_ORDER + pages) & ~pages;
    const size_t windows[] = {WORLD_MEDIUM, WORLD_MEDIUM,    WORLD_MEDIUM, WORLD_MEDIUM,
                              WORLD_MEDIUM, WORLD_SPARSE,    WORLD_SPARSE, order,
                              order,        WORLD_STORE / 2, WORLD_LISTED, WORLD_STORE,
                              WORLD_RANGE};
    arena_begin(windows, sizeof windows / sizeof windows[0], config->page_size);
}

/* There may be as many archetypes as sets of the components in them, without the empty one. */
static hm_status init(void)
{
    uint32_t archetypes = 1;
    for (const char *letter = config->components; *letter != 0; letter++)
        archetypes *= *letter == 's' || *letter == 'S' ? 1 : 2;
    const hm_world_desc desc = {.capacity = config->capacity,
                                .max_slots = config->max_slots,
                                .type_id = SPACE_TYPE_ID,
                                .max_archetypes = archetypes - 1,
                                .max_size = WORLD_STORE};
    return world_model_init(&model, &desc, config->page_size);
}

/* The components are letters of the configuration. A refused one leaves the world as it was. */
static void make_component(uint32_t c)
{
    char letter = config->components[c];
    const world_model_kind kind = {.size = config->cells[c],
                                   .is_sparse = letter == 's' || letter == 'S',
                                   .has_hook = letter == 'C' || letter == 'S'};
    for (uint32_t refuse = 1; model.component_count == c; refuse++) {
        arena_refuse(refuse);
        world_model_make(&model, &kind);
        CHECK((model.component_count == c) == arena.refused);
        CHECK(hm_world_validate(world) == HM_OK);
    }
    arena_refuse(0);
}

/* A set of components as operations draw it: of two bits each; and orders in which it is valid, has
 * one component twice or a foreign one. */
enum { VALID = 2, TWICE = 37, FOREIGN = 38, WITH_VALUE = 256 /* of an add */ };

static uint32_t drawn(uint32_t set)
{
    return set | set << 15;
}

/* Creates as many entities as fit, with all components. */
static void fill(void)
{
    for (uint32_t i = 0; i < config->capacity; i++) {
        subject_run("create", (uint32_t[]){drawn(all_kinds()), VALID, 0});
        CHECK(model.count == i + 1);
    }
}

/* The creates that upcoming answers for make these entities, though all memory is refused. */
static void check_upcoming(void)
{
    hm_handle names[WORLD_MODEL_ENTITIES + 1];
    uint32_t n = 0;
    while (n <= WORLD_MODEL_ENTITIES && !hm_handle_is_null(names[n] = hm_world_upcoming(world, n)))
        n++;
    CHECK(n <= config->capacity - model.count);
    test_memory_fail(&model.memory, 1, true);
    for (uint32_t k = 0; k < n; k++) {
        subject_run("create", (uint32_t[]){0, VALID, 0});
        CHECK(model.entities[model.count - 1].handle.bits == names[k].bits);
    }
    CHECK(!arena.refused && hm_world_validate(world) == HM_OK);
    test_memory_fail(&model.memory, 0, false);
}

static void fini(void)
{
    check_upcoming();
    world_model_fini(&model);
}

/* Components that are none, come twice, or have no values. */
static void refuse_components(void)
{
    hm_component first = model.components[0].id;
    for (uint32_t i = 0; i <= model.count; i++) {
        world_model_refuse_component(&model, first - 1, i);
        world_model_refuse_component(&model, first + model.component_count, i);
        world_model_refuse_component(&model, HM_INVALID_INDEX, i);
    }
    for (uint32_t order = TWICE; order <= FOREIGN; order++) {
        subject_run("create", (uint32_t[]){drawn(all_kinds()), order, 0});
        subject_run("create_n", (uint32_t[]){drawn(all_kinds()), order, 1});
    }
    for (uint32_t i = 0; i < model.count; i++)
        for (uint32_t c = 0; c < model.component_count; c++)
            if (config->cells[c] == 0)
                subject_run("add", (uint32_t[]){WITH_VALUE, i, c});
}

/* With the first handle, components are refused as well. */
static void probe(hm_handle handle)
{
    world_model_refuse(&model, handle);
    if (handle.bits == space_handle_value(0).bits)
        refuse_components();
}

static void save(hm_sink sink)
{
    CHECK(hm_world_save(world, NULL, sink) == HM_OK);
}

/* A load makes another world, which takes the place of the empty one. That one is made like the
 * saved one, so that its components have the same ids. */
static void load(hm_source source)
{
    hm_world fresh;
    arena_lend(false, true);
    CHECK(hm_world_init_like(&fresh, world) == HM_OK);
    arena_empty();
    arena_lend(true, true);
    CHECK(hm_world_load(&fresh, NULL, source) == HM_OK);
    *world = fresh;
}

/* Whether an archetype has more spare chunks than a file tells of, which a reserve or a failed call
 * has left: rows go there, where a loaded copy has to choose the sizes of new ones. */
static bool has_spares(const hm_world_archetype *archetype)
{
    uint32_t used = 0;
    if (archetype->last != HM_WORLD_NONE)
        used = hm_world_link_of(world, archetype->last)->ordinal + 1;
    return archetype->chunk_count - used >
           (archetype->set_count == 0 ? HM_WORLD_SMALL_CHUNKS - used : 1);
}

/* An order that has ended is known, too, until it is forgotten. */
static bool has_more(void)
{
    const hm_world_order *order = world->order != NULL ? hm_world_order_of(world) : NULL;
    for (uint32_t i = 0; i < world->archetype_array.count; i++)
        if (world->archetypes[i].is_alive && has_spares(&world->archetypes[i]))
            return true;
    return order != NULL &&
           (order->order.compare != NULL || order->order.key != NULL || order->next != 0);
}

static size_t begin(const space_config *of)
{
    static const subject_file file = {save, load, model.entities, has_more, &model.ordered};
    const size_t live = offsetof(world_model, world);
    CHECK(of->capacity <= WORLD_MODEL_ENTITIES && of->max_slots <= WORLD_MODEL_SLOTS);
    config = of;
    memset(&model, 0, sizeof model);
    model.has_keys = true;
    begin_arena();
    arena_init(init);
    model.desc.max_archetypes = 0; /* They are enough. */
    for (uint32_t c = 0; c < strlen(config->components); c++)
        make_component(c);
    size_t size = subject_begin_with_form(
        &(subject_space){of, &world_subject, &model, (unsigned char *)&model + live,
                         sizeof model - live, NULL, blank, probe, fini, NULL, &file},
        WORLD_FORM, put_form);
    subject_spend_lives(fill);
    return size;
}

/* steps */

static bool has(uint32_t left_out)
{
    return (config->left_out & left_out) == 0;
}

static void list_creates(space_actions *list, uint32_t set)
{
    enum { PATTERN = 300 /* so that the next number is that of entities, and some have values */ };
    if (has(SPACE_NO_CREATE))
        subject_add(list, "create", drawn(set), VALID, 0);
    for (uint32_t n = 0; has(SPACE_NO_CREATE_N) && n <= config->capacity; n += 2)
        subject_add(list, "create_n", drawn(set), VALID, PATTERN + n);
}

/* Of the entity with this number. */
static void list_changes(space_actions *list, uint32_t i)
{
    enum { ORDER = 4 };
    for (uint32_t c = 0; c < model.component_count; c++) {
        subject_add(list, "add", 0, i, c);
        if (config->cells[c] != 0)
            subject_add(list, "add", WITH_VALUE, i, c);
        subject_add(list, "remove", 0, i, c);
    }
    for (uint32_t more = 0; has(SPACE_NO_CHANGE) && more <= all_kinds(); more++)
        for (uint32_t less = 0; less <= all_kinds(); less++)
            if ((more & less) == 0)
                subject_add(list, "change", i << 4 | ORDER << 12, drawn(more), drawn(less));
}

/* An edit has the key in the lowest byte, and says the component by the remainder. */
static void list_orders(space_actions *list, uint32_t c)
{
    enum { ONCE = 2, FORGET = 7 };
    static const uint32_t budgets[][2] = {{1, 0}, {0, 1}, {0, 0}, {1, 1}};
    for (uint32_t i = 0; i < config->capacity; i++)
        for (uint32_t key = 0; key < config->keys; key++) {
            uint32_t value = key;
            while (value % model.component_count != c)
                value += 256;
            subject_add(list, "edit", 0, i, value);
        }
    subject_add_quiet(list, "touch_all", 0, FORGET, 0);
    for (uint32_t i = 0; i < sizeof budgets / sizeof *budgets; i++)
        subject_add(list, "defragment", ONCE | c << 2, budgets[i][0], budgets[i][1]);
    subject_add(list, "defragment", c << 2, 1, 1);
}

static void list_all(space_actions *list)
{
    list->count = 0;
    subject_add(list, "clear", 0, 0, 0);
    if (has(SPACE_NO_TRIM))
        subject_add(list, "trim", 0, 0, 0);
    if (has(SPACE_NO_RESERVE))
        subject_add(list, "reserve", UINT32_MAX, 0, 0);
    for (uint32_t n = 0; has(SPACE_NO_RESERVE) && n <= config->capacity + 1; n++)
        subject_add(list, "reserve", n, 0, 0);
    for (uint32_t set = 0; set <= all_kinds(); set++)
        list_creates(list, set);
    for (uint32_t set = 0; has(SPACE_NO_DESTROY_N) && set < 1u << config->capacity; set++)
        for (uint32_t last_first = 0; last_first < 2 && (set & (set - 1)) != 0; last_first++)
            subject_add(list, "destroy_set", set, last_first, 0);
    if (config->adopts)
        subject_add_adopts(list, config->max_slots);
    for (uint32_t i = 0; i < config->capacity; i++) {
        subject_add(list, "destroy", 0, i, 0);
        list_changes(list, i);
    }
    for (uint32_t c = 0; c < model.component_count; c++)
        if ((config->goals >> c & 1) != 0)
            list_orders(list, c);
}

static bool is_possible(const void *state, const space_action *action)
{
    (void)state;
    if (subject_is(action, "destroy_set"))
        return action->a < 1u << model.count;
    if (subject_is(action, "change"))
        return (action->a >> 4 & 0xFF) < model.count;
    if (subject_is(action, "edit") && action->b < model.count)
        return (model.entities[action->b].mask >> action->c % model.component_count & 1) != 0;
    return (!subject_is(action, "destroy") && !subject_is(action, "add") &&
            !subject_is(action, "remove") && !subject_is(action, "edit")) ||
           action->b < model.count;
}

/* what a state shows */

/* The sets of a query are drawn of bits whose second next is set, too. */
static void check(void)
{
    for (uint32_t all = 0; all <= all_kinds(); all++)
        for (uint32_t none = 0; none <= all_kinds(); none++)
            if ((all & none) == 0)
                subject_run("query", (uint32_t[]){all | all << 2, none, 0});
    subject_check();
}

const space_kind world_space = {&world_subject, WORLD_FORM, begin,       fini,
                                check,          list_all,   is_possible, subject_take};
