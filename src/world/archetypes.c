/* SPDX-License-Identifier: MIT */
/* world: sets of components and the archetypes that have them. A hash table finds the archetype of
 * a set; edges lead from an archetype to those with one component more or less, so that the hash is
 * needed only the first time. An archetype's cells and edges are indexed by component, its set and
 * columns are lists; all four are in two chunks of the store. */
#include "world_private.h"

#include "../base/atomic_private.h"

/* Keeps the numbers rising; false if it is there already. Sets are small, and most are given in
 * their order, so an insertion from the end is fastest. */
static bool set_insert(hm_world_set *set, uint32_t number)
{
    uint32_t i = set->count;
    while (i > 0 && set->numbers[i - 1] > number)
        i--;
    if (i > 0 && set->numbers[i - 1] == number)
        return false;
    memmove(set->numbers + i + 1, set->numbers + i, (set->count - i) * sizeof *set->numbers);
    set->numbers[i] = (uint16_t)number;
    set->count++;
    return true;
}

hm_status hm_world_read_component(const hm_world *world, hm_component component, uint32_t *number)
{
    *number = component - world->salt;
    if (*number < world->component_count)
        return HM_OK;
    return hm_fail(HM_ERROR_INVALID, "0x%08" HM_X32 " is no component of the world '%.40s'",
                   component, world->name);
}

hm_status hm_world_read_set(const hm_world *world, const hm_component *components, uint32_t n,
                            hm_world_set *set)
{
    set->count = 0;
    hm_status status = HM_OK;
    for (uint32_t i = 0; i < n && status == HM_OK; i++) {
        uint32_t number;
        status = hm_world_read_component(world, components[i], &number);
        if (status == HM_OK && !set_insert(set, number))
            status = hm_world_refuse_component(world, number, "is given twice");
    }
    return status;
}

/* find */

static uint32_t set_hash(const uint16_t *numbers, uint32_t count)
{
    uint64_t hash = count;
    for (uint32_t i = 0; i < count; i++)
        hash = (hash ^ numbers[i]) * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(hash >> 32);
}

static uint32_t *sets_bucket(const hm_world *world, uint32_t hash)
{
    return (uint32_t *)(void *)world->bucket_array.data + HM_WORLD_BUCKETS_BEGIN +
           (hash & world->bucket_mask);
}

/* The same as memcmp, which a freestanding build does not have. */
static bool sets_are_equal(const uint16_t *a, const uint16_t *b, uint32_t count)
{
    uint32_t i = 0;
    while (i < count && a[i] == b[i])
        i++;
    return i == count;
}

static uint32_t sets_find(const hm_world *world, const hm_world_set *set, uint32_t hash)
{
    uint32_t index = *sets_bucket(world, hash);
    while (index != HM_WORLD_NONE) {
        const hm_world_archetype *archetype = &world->archetypes[index];
        if (archetype->set_count == set->count &&
            sets_are_equal(archetype->set, set->numbers, set->count))
            break;
        index = archetype->next;
    }
    return index;
}

/* Puts every live archetype into its bucket. */
static void sets_fill_buckets(hm_world *world)
{
    memset(sets_bucket(world, 0), 0xFF, (world->bucket_mask + (size_t)1) * sizeof(uint32_t));
    for (uint32_t i = 0; i < world->archetype_array.count; i++) {
        hm_world_archetype *archetype = &world->archetypes[i];
        if (!archetype->is_alive)
            continue;
        uint32_t *bucket = sets_bucket(world, set_hash(archetype->set, archetype->set_count));
        archetype->next = *bucket;
        *bucket = i;
    }
}

/* Doubles the buckets when there are as many archetypes, not counting the root. Without memory for
 * that, chains become longer. */
static void sets_grow_buckets(hm_world *world)
{
    size_t count = (world->bucket_mask + (size_t)1) * 2, end = HM_WORLD_BUCKETS_BEGIN + count;
    if (world->archetype_count <= world->bucket_mask)
        return;
    hm_status status = hm_world_widen(world, &world->bucket_array, sizeof(uint32_t), end);
    if (status == HM_OK)
        status = hm_array_commit(&world->bucket_array, end, true);
    if (status != HM_OK) {
        hm_restore_last_error();
        return;
    }
    world->bucket_array.count = end;
    world->bucket_mask = (uint32_t)(count - 1);
    sets_fill_buckets(world);
}

/* make */

/* Bytes of a cell and an edge, and of an entry of columns with its time. */
enum {
    SETS_CELL_SIZE = sizeof(hm_world_cell) + sizeof(uint32_t),
    SETS_COLUMN_SIZE = sizeof(uint16_t) + sizeof(uint64_t)
};

/* Takes a chunk of this size or more from the store. The link at its end says that it has no rows
 * of an archetype. What is put into a chunk ends before the link, since items of 12 bytes do not
 * fill a power of two. */
static hm_status sets_take(hm_world *world, size_t size, uint32_t *chunk)
{
    uint32_t size_class = 0;
    while (hm_world_class_size(size_class) < size)
        size_class++;
    hm_status status = hm_world_store_take(world, size_class, chunk);
    if (status != HM_OK)
        return status;
    hm_memory_unpoison(hm_world_chunk_at(world, *chunk), hm_world_class_size(size_class));
    hm_world_link_of(world, *chunk)->archetype = HM_WORLD_NONE;
    return HM_OK;
}

/* Gives an archetype cells and edges for components up to `number`, as many as the chunk has room
 * for. */
static hm_status sets_widen(hm_world *world, hm_world_archetype *archetype, uint32_t number)
{
    uint32_t chunk;
    hm_status status = sets_take(world, (number + (size_t)1) * SETS_CELL_SIZE, &chunk);
    if (status != HM_OK)
        return status;
    size_t cell_count = hm_world_class_size(hm_world_chunk_class(chunk)) / SETS_CELL_SIZE;
    if (cell_count > HM_WORLD_MAX_COMPONENTS)
        cell_count = HM_WORLD_MAX_COMPONENTS;
    hm_world_cell *cells = (hm_world_cell *)(void *)hm_world_chunk_at(world, chunk);
    uint32_t *edges = (uint32_t *)(void *)(cells + cell_count);
    memset(cells, 0, cell_count * sizeof *cells);
    memset(edges, 0xFF, cell_count * sizeof *edges);
    if (archetype->cell_count != 0) {
        memcpy(cells, archetype->cells, archetype->cell_count * sizeof *cells);
        memcpy(edges, archetype->edges, archetype->cell_count * sizeof *edges);
        hm_world_store_give(&world->store, archetype->cell_chunk);
    }
    archetype->cells = cells;
    archetype->edges = edges;
    archetype->cell_count = (uint32_t)cell_count;
    archetype->cell_chunk = chunk;
    return HM_OK;
}

/* Lists the columns by falling alignment; among equal ones by number. Tags are no columns. */
static void sets_list_columns(const hm_world *world, hm_world_archetype *archetype)
{
    for (uint32_t i = 0; i < archetype->set_count; i++) {
        uint16_t number = archetype->set[i];
        const hm_world_component_record *record = hm_world_record(world, number);
        archetype->cells[number].is_present = true;
        if (record->size == 0)
            continue;
        uint32_t c = archetype->column_count++;
        for (; c > 0 && hm_world_record(world, archetype->columns[c - 1])->align < record->align;
             c--)
            archetype->columns[c] = archetype->columns[c - 1];
        archetype->columns[c] = number;
        if (record->destroy != NULL)
            archetype->hook_count++;
        if (record->initial != NULL)
            archetype->initial_count++;
    }
}

/* Gives each column its offset; the entities, of 8 bytes, come before all smaller alignments. */
static void sets_place_columns(const hm_world *world, hm_world_archetype *archetype)
{
    uint32_t offset = 0;
    bool has_entities = false;
    for (uint32_t c = 0; c < archetype->column_count; c++) {
        const hm_world_component_record *record = hm_world_record(world, archetype->columns[c]);
        if (!has_entities && record->align < sizeof(hm_handle)) {
            archetype->entity_offset = (uint16_t)offset;
            offset += sizeof(hm_handle);
            has_entities = true;
        }
        hm_world_cell *cell = &archetype->cells[archetype->columns[c]];
        cell->offset = (uint16_t)offset;
        cell->size = (uint16_t)record->size;
        cell->column = (uint16_t)c;
        offset += cell->size;
    }
    if (!has_entities)
        archetype->entity_offset = (uint16_t)offset;
}

/* Computes how many rows fit each class of chunks. Multiples of 4 and 8 keep the columns of large
 * chunks aligned for vectors of 16 and 32 bytes. A chunk that a row fits is aligned for its values:
 * none of them is smaller than its alignment. */
static void sets_count_rows(hm_world_archetype *archetype)
{
    archetype->first_class = HM_WORLD_CLASSES;
    for (uint32_t size_class = HM_WORLD_CLASSES; size_class-- > 0;) {
        size_t size = hm_world_class_size(size_class);
        size_t rows = (size - sizeof(hm_world_link)) / archetype->row_size;
        if (rows >= (size_t)1 << HM_WORLD_ROW_BITS)
            rows = ((size_t)1 << HM_WORLD_ROW_BITS) - 1;
        if (rows >= 16)
            rows &= ~(rows >= 64 ? (size_t)7 : (size_t)3);
        if (rows == 0)
            break;
        archetype->rows[size_class] = (uint16_t)rows;
        archetype->first_class = (uint16_t)size_class;
    }
}

hm_status hm_world_measure(const hm_world *world, const hm_world_set *set, uint16_t *row_size)
{
    const size_t limit = HM_WORLD_ROW_LIMIT;
    size_t size = sizeof(hm_handle);
    for (uint32_t i = 0; i < set->count; i++)
        if (!hm_world_is_sparse(world, set->numbers[i]))
            size += hm_world_record(world, set->numbers[i])->size;
    if (size > limit)
        return hm_fail(
            HM_ERROR_INVALID,
            "the values of an entity would take %zu bytes, above %zu: make large components sparse",
            size - sizeof(hm_handle), limit - sizeof(hm_handle));
    *row_size = (uint16_t)size;
    return HM_OK;
}

/* Takes what a new archetype needs, and describes it. Its row has been measured. */
static hm_status sets_describe(hm_world *world, const hm_world_set *set,
                               hm_world_archetype *archetype)
{
    hm_status status =
        sets_widen(world, archetype, set->count > 0 ? set->numbers[set->count - 1] : 0);
    if (status != HM_OK)
        return status;
    status =
        sets_take(world, set->count * (sizeof(uint16_t) + SETS_COLUMN_SIZE), &archetype->set_chunk);
    if (status != HM_OK) {
        hm_world_store_give(&world->store, archetype->cell_chunk);
        return status;
    }
    archetype->column_changed = (uint64_t *)(void *)hm_world_chunk_at(world, archetype->set_chunk);
    archetype->set = (uint16_t *)(archetype->column_changed + set->count);
    archetype->columns = archetype->set + set->count;
    archetype->set_count = set->count;
    memset(archetype->column_changed, 0, set->count * sizeof *archetype->column_changed);
    memcpy(archetype->set, set->numbers, set->count * sizeof *set->numbers);
    sets_list_columns(world, archetype);
    sets_place_columns(world, archetype);
    sets_count_rows(archetype);
    return HM_OK;
}

/* Makes room for one more archetype. The root is not among those that max_archetypes limits. */
static hm_status sets_lengthen(hm_world *world)
{
    hm_array *archetypes = &world->archetype_array;
    if (archetypes->count > world->max_archetypes)
        return hm_fail(HM_ERROR_FULL,
                       "the world '%.40s' has %" HM_U32 " of %" HM_U32
                       " archetypes: trim it, or raise max_archetypes",
                       world->name, world->archetype_count, world->max_archetypes);
    hm_status status =
        hm_world_widen(world, archetypes, sizeof(hm_world_archetype), archetypes->count + 1);
    return status == HM_OK ? hm_array_commit(archetypes, archetypes->count + 1, true) : status;
}

uint32_t hm_world_next_stamp(void)
{
    static uint32_t stamps;
    return hm_atomic_add(&stamps, 1) + 1;
}

static hm_status sets_make(hm_world *world, const hm_world_set *set, uint32_t hash, uint32_t *index)
{
    hm_world_archetype archetype = {.is_alive = true};
    archetype.first = archetype.last = archetype.tail = HM_WORLD_NONE;
    bool is_new = world->dropped == HM_WORLD_NONE;
    uint32_t made = is_new ? (uint32_t)world->archetype_array.count : world->dropped;
    hm_status status = hm_world_measure(world, set, &archetype.row_size);
    if (status == HM_OK && is_new)
        status = sets_lengthen(world);
    if (status == HM_OK)
        status = sets_describe(world, set, &archetype);
    if (status != HM_OK)
        return status;
    archetype.changed = world->clock;
    archetype.stamp = world->version = hm_world_next_stamp();
    if (is_new) {
        world->archetype_array.count++;
    } else {
        world->dropped = world->archetypes[made].next;
        world->epoch = world->version;
    }
    uint32_t *bucket = sets_bucket(world, hash);
    archetype.next = *bucket;
    *bucket = made;
    world->archetypes[made] = archetype;
    world->archetype_count += set->count != 0;
    sets_grow_buckets(world);
    *index = made;
    return HM_OK;
}

hm_status hm_world_archetype_of(hm_world *world, const hm_world_set *set, uint32_t *archetype)
{
    uint32_t hash = set_hash(set->numbers, set->count);
    *archetype = sets_find(world, set, hash);
    return *archetype != HM_WORLD_NONE
               ? HM_OK
               : hm_world_blame(world, sets_make(world, set, hash, archetype));
}

/* edges */

/* Reads the set of an archetype with one component more, or less if it is there. */
static void sets_toggle(const hm_world_archetype *archetype, uint32_t number, hm_world_set *set)
{
    set->count = 0;
    for (uint32_t i = 0; i < archetype->set_count; i++)
        if (archetype->set[i] != number)
            set->numbers[set->count++] = archetype->set[i];
    if (set->count == archetype->set_count)
        set_insert(set, number);
}

/* Caches the edge from one archetype to another. If that needs memory that is refused, the next one
 * searches again. */
static void sets_cache_edge(hm_world *world, uint32_t from, uint32_t number, uint32_t to)
{
    hm_world_archetype *archetype = &world->archetypes[from];
    if (number >= archetype->cell_count && sets_widen(world, archetype, number) != HM_OK) {
        hm_restore_last_error();
        return;
    }
    archetype->edges[number] = to;
}

hm_status hm_world_find_edge(hm_world *world, uint32_t archetype, uint32_t number, uint32_t *other)
{
    hm_world_set set;
    sets_toggle(&world->archetypes[archetype], number, &set);
    hm_status status = hm_world_archetype_of(world, &set, other);
    if (status != HM_OK)
        return status;
    sets_cache_edge(world, archetype, number, *other);
    sets_cache_edge(world, *other, number, archetype);
    return HM_OK;
}

/* gains */

void hm_world_add_gain(hm_world *world, uint32_t *gaining, uint32_t index, uint32_t rows)
{
    hm_world_archetype *archetype = &world->archetypes[index];
    if (archetype->gains == 0) {
        archetype->next_gaining = *gaining;
        *gaining = index;
    }
    archetype->gains += rows;
}

hm_status hm_world_prepare_gains(hm_world *world, uint32_t gaining, hm_status status)
{
    while (gaining != HM_WORLD_NONE) {
        hm_world_archetype *archetype = &world->archetypes[gaining];
        if (status == HM_OK)
            status = hm_world_prepare_rows(world, gaining, archetype->gains);
        gaining = archetype->next_gaining;
        archetype->gains = archetype->next_gaining = 0;
    }
    return status;
}

/* drop */

static void sets_drop(hm_world *world, uint32_t index)
{
    hm_world_archetype *archetype = &world->archetypes[index];
    hm_world_clear_rows(world, index);
    hm_world_store_give(&world->store, archetype->cell_chunk);
    hm_world_store_give(&world->store, archetype->set_chunk);
    memset(archetype, 0, sizeof *archetype);
    archetype->next = world->dropped;
    world->dropped = index;
    world->archetype_count--;
}

static void sets_drop_edges(hm_world *world, hm_world_archetype *archetype)
{
    for (uint32_t i = 0; i < archetype->cell_count; i++)
        if (archetype->edges[i] != HM_WORLD_NONE &&
            !world->archetypes[archetype->edges[i]].is_alive)
            archetype->edges[i] = HM_WORLD_NONE;
}

void hm_world_drop_archetypes(hm_world *world)
{
    uint32_t before = world->archetype_count;
    for (uint32_t i = HM_WORLD_ROOT + 1; i < world->archetype_array.count; i++)
        if (world->archetypes[i].is_alive && world->archetypes[i].count == 0)
            sets_drop(world, i);
    if (world->archetype_count == before)
        return;
    world->epoch = world->version = hm_world_next_stamp();
    world->memo_count = 0;
    memset(hm_world_transition_from(world, 0), 0,
           HM_WORLD_TRANSITIONS * sizeof(hm_world_transition));
    sets_fill_buckets(world);
    for (uint32_t i = 0; i < world->archetype_array.count; i++)
        sets_drop_edges(world, &world->archetypes[i]);
}

/* One that is not in the list yet leads to itself. */
hm_status hm_world_skip_archetype(hm_world *world)
{
    hm_status status = sets_lengthen(world);
    if (status != HM_OK)
        return hm_world_blame(world, status);
    uint32_t index = (uint32_t)world->archetype_array.count++;
    world->archetypes[index] = (hm_world_archetype){.next = index};
    return HM_OK;
}

bool hm_world_list_dropped(hm_world *world, uint32_t index, uint32_t *last)
{
    if (index >= world->archetype_array.count || world->archetypes[index].is_alive ||
        world->archetypes[index].next != index)
        return false;
    if (*last == HM_WORLD_NONE)
        world->dropped = index;
    else
        world->archetypes[*last].next = index;
    world->archetypes[index].next = HM_WORLD_NONE;
    *last = index;
    return true;
}
