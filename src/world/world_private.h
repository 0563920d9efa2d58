/* SPDX-License-Identifier: MIT */
/* world: what its sources share.
 *
 * An entity's slot leads to its *place*, a chunk and a row there, and the entities' column of the
 * chunk leads back: for each row, the place of its entity's slot is that row. Whatever moves a row
 * keeps this, and no callback runs before it holds again.
 *
 * A chunk, for n rows, n being as many as fit its class:
 *
 *     | n values of the first column | n of the next | ... | n entities | .. | link |
 *     0                              n * offset                              size - sizeof(link)
 *
 * The columns are laid out by falling alignment, so that n * offset is aligned for any n: each size
 * is a multiple of its alignment, which is a multiple of all that follow. */
#ifndef HANDLE_MAP_WORLD_PRIVATE_H
#define HANDLE_MAP_WORLD_PRIVATE_H

#include "../memory/poison_private.h"

#include "../base/base_private.h"
#include "../ids/ids_private.h"
#include "../memory/memory_private.h"

#include <handle_map/commands.h>
#include <handle_map/query.h>
#include <handle_map/secondary.h>
#include <handle_map/world.h>

#define HM_WORLD_NONE UINT32_MAX           /* no chunk, archetype or block */
#define HM_WORLD_ROW_LIMIT ((size_t)16368) /* bytes of a row, its entity included */
#define HM_WORLD_ROOT UINT32_C(0)          /* the archetype of entities without components */

/* At the end of each chunk. */
typedef struct hm_world_link {
    uint32_t previous, next; /* chunks of the archetype */
    uint32_t ordinal;        /* how many chunks of the archetype come before */
    uint32_t archetype;
} hm_world_link;

/* A component that was made. */
typedef struct hm_world_component_record {
    size_t size;    /* bytes; 0: a tag */
    uint32_t align; /* bytes */
    uint32_t stamp; /* that no other component has or had, in any world */
    void (*destroy)(void *value, void *context);
    void (*copy)(void *value, const void *from, void *context);
    void *context;
    const void *initial; /* the value where none is given; NULL: zero */
    const char *name;
    uint32_t sparse;  /* index of its secondary; HM_WORLD_NONE: it is in archetypes */
    uint32_t owner;   /* in the record of number i: the component whose secondary has index i */
    uint64_t changed; /* sparse: clock at which its values last changed */
} hm_world_component_record;

/* Returns a number that is used once in the program, so that a query finds out by one comparison
 * that what it remembers is of another state, also after a rewind. */
uint32_t hm_world_next_stamp(void);

/* Numbers of components, rising, none twice. */
typedef struct hm_world_set {
    uint32_t count;
    uint16_t numbers[HM_WORLD_MAX_COMPONENTS];
} hm_world_set;

static inline bool hm_world_set_has(const hm_world_set *set, uint32_t number)
{
    uint32_t i = 0;
    while (i < set->count && set->numbers[i] < number)
        i++;
    return i < set->count && set->numbers[i] == number;
}

static inline hm_world_component_record *hm_world_record(const hm_world *world, uint32_t number)
{
    return (hm_world_component_record *)(void *)world->component_array.data + number;
}

/* Returns the secondary with this index. Before the first of them is the array itself. */
static inline hm_secondary *hm_world_secondary(const hm_world *world, uint32_t index)
{
    return (hm_secondary *)(void *)world->sparse + 1 + index;
}

static inline hm_secondary *hm_world_sparse(const hm_world *world, uint32_t number)
{
    return hm_world_secondary(world, hm_world_record(world, number)->sparse);
}

static inline bool hm_world_is_sparse(const hm_world *world, uint32_t number)
{
    return hm_world_record(world, number)->sparse != HM_WORLD_NONE;
}

/* store.c: chunks are named by their first unit and class, as in hm_world_place. */

/* Lists the arrays of a store, and its first region. */
enum { HM_WORLD_STORE_COLUMNS = 3 };
void hm_world_store_list(hm_world_store *store, bool is_bounded, hm_array *region,
                         hm_array_column *columns);

/* Finishes the init of a store whose arrays are there, with its first region: of so many bytes
 * beyond the first 72 KiB; 0: as many as chunks can be numbered in. */
void hm_world_store_begin(hm_world_store *store, unsigned char *region, bool is_bounded,
                          uint64_t size);
void hm_world_store_fini(hm_world_store *store);
void hm_world_store_add_sizes(const hm_world_store *store, hm_stats *stats);

/* Takes a chunk of this class, whose bytes are not cleared. HM_ERROR_FULL, HM_ERROR_MEMORY,
 * HM_ERROR_BUSY as hm_world_widen. O(1). */
hm_status hm_world_store_take(hm_world *world, uint32_t size_class, uint32_t *chunk);
void hm_world_store_give(hm_world_store *store, uint32_t chunk);
hm_status hm_world_store_trim(hm_world_store *store);

/* Finds the chunk that contains this address, which may be any. False if none that was taken does.
 */
bool hm_world_store_find(const hm_world_store *store, const void *address, uint32_t *chunk);
hm_status hm_world_store_validate(const hm_world_store *store);

static inline size_t hm_world_class_size(uint32_t size_class)
{
    return (size_t)HM_WORLD_UNIT_SIZE << HM_WORLD_CLASS_SHIFT * size_class;
}

static inline uint32_t hm_world_chunk_class(uint32_t chunk)
{
    return chunk & (HM_WORLD_CLASSES - 1);
}

static inline hm_world_link *hm_world_link_of(const hm_world *world, uint32_t chunk)
{
    size_t end = hm_world_class_size(hm_world_chunk_class(chunk));
    return (hm_world_link *)(void *)(hm_world_chunk_at(world, chunk) + end) - 1;
}

/* arrays.c */

/* Reads the addresses of the arrays again. */
void hm_world_place_arrays(hm_world *world);

/* As hm_id_table_prepare and hm_id_table_prepare_adopt. HM_ERROR_BUSY: the ids have to move, and a
 * query runs. */
hm_status hm_world_prepare_ids(hm_world *world, uint32_t n, bool grows);
hm_status hm_world_prepare_adopt(hm_world *world, hm_handle entity);

/* Moves the ids and the arrays beside them to a range for `capacity` entities and `slots` entries.
 * Carries the places of the first `carried` slots. */
hm_status hm_world_move_to(hm_world *world, size_t capacity, size_t slots, uint32_t carried);

/* Moves to smaller ranges what uses at most half of its own. */
hm_status hm_world_shrink(hm_world *world);

/* Commits `need` items of `size` bytes, those that the array itself takes included, in a range that
 * only some worlds and queries need (hm_array_open). It has space for `least` items or more, and
 * moves when it is full. HM_ERROR_MEMORY: nothing has changed. */
hm_status hm_world_open(const hm_world *world, hm_array **place, size_t size, size_t need,
                        size_t least);

/* The part of hm_world_widen that is not inline. */
hm_status hm_world_widen_array(hm_world *world, hm_array *array, size_t size, size_t need);

/* Before each commit of an array that is not a column of the ids: moves it to a larger range if it
 * has no space for `need` items of `size` bytes; the first time, makes it. HM_ERROR_BUSY while a
 * query runs, since other threads may read it; HM_ERROR_MEMORY. Then nothing has changed.
 * Invalidates pointers into the array. */
static inline hm_status hm_world_widen(hm_world *world, hm_array *array, size_t size, size_t need)
{
    return need <= array->capacity ? HM_OK : hm_world_widen_array(world, array, size, need);
}

/* world.c */

/* Gives back all memory, without hooks for the values that are there. */
void hm_world_release(hm_world *world);

/* For a load. Makes a world like this one, without entities, whose values will all have changed
 * since this one's clock; and gives this one all that the other has, so that queries list the
 * archetypes anew. */
hm_status hm_world_init_like(hm_world *fresh, const hm_world *world);
void hm_world_take(hm_world *world, const hm_world *fresh);

/* refuse.c */

/* HM_ERROR_BUSY, with the reason. */
hm_status hm_world_refuse_busy(const hm_world *world);

/* HM_ERROR_INVALID: the component with this number `is` something that it must not be. The sentence
 * has its name or, if it has none, what programs know it by. */
hm_status hm_world_refuse_component(const hm_world *world, uint32_t number, const char *is);

/* Names the world to which memory was refused: HM_ERROR_MEMORY. */
HM_COLD hm_status hm_world_blame_memory(const hm_world *world);

/* Passes a status on, and names the world if memory was refused. */
static inline hm_status hm_world_blame(const hm_world *world, hm_status status)
{
    return status == HM_ERROR_MEMORY ? hm_world_blame_memory(world) : status;
}

#define HM_WORLD_IS_TAG "is a tag: it has no values"

/* HM_ERROR_BUSY inside a callback, and while a query runs. */
static inline hm_status hm_world_check_idle(const hm_world *world)
{
    bool is_idle = !hm_guard_is_busy(&world->guard) && world->running == 0;
    return is_idle ? HM_OK : hm_world_refuse_busy(world);
}

/* Whether components of a world of this program have begun, or begin, at this multiple of
 * HM_WORLD_MAX_COMPONENTS. */
bool hm_world_has_given(uint32_t salt);

/* Every callback runs between enter and leave. */
void hm_world_enter(hm_world *world);
void hm_world_leave(hm_world *world);

/* Returns where the place of an entity's slot is, until hm_world_prepare_entities. */
static inline hm_world_place *hm_world_place_of(const hm_world *world, hm_handle entity)
{
    return &world->places[hm_handle_index(entity)];
}

static inline uint32_t hm_world_place_archetype(hm_world_place place)
{
    return place.row >> HM_WORLD_ROW_BITS;
}

static inline uint32_t hm_world_place_row(hm_world_place place)
{
    return place.row & ((1U << HM_WORLD_ROW_BITS) - 1);
}

static inline hm_handle *hm_world_entities(const hm_world *world,
                                           const hm_world_archetype *archetype, uint32_t chunk)
{
    size_t rows = archetype->rows[hm_world_chunk_class(chunk)];
    return (hm_handle *)(void *)(hm_world_chunk_at(world, chunk) + rows * archetype->entity_offset);
}

static inline const hm_world_cell *hm_world_cell_of(const hm_world_archetype *archetype,
                                                    uint32_t number)
{
    static const hm_world_cell absent = {0};
    return number < archetype->cell_count ? &archetype->cells[number] : &absent;
}

/* Returns when the values of a component that the archetype has last changed there. */
static inline uint64_t hm_world_changed_in(const hm_world_archetype *archetype, uint32_t number)
{
    const hm_world_cell *cell = &archetype->cells[number];
    uint64_t values = cell->size != 0 ? archetype->column_changed[cell->column] : 0;
    return values > archetype->changed ? values : archetype->changed;
}

/* Marks a column, or all rows of an archetype, as changed now. */
static inline void hm_world_mark_column(hm_world *world, uint32_t archetype, uint32_t column)
{
    world->archetypes[archetype].column_changed[column] = ++world->clock;
    world->archetypes[archetype].is_ordered = false;
}

static inline void hm_world_mark_rows(hm_world *world, uint32_t archetype)
{
    world->archetypes[archetype].changed = ++world->clock;
    world->archetypes[archetype].is_ordered = false;
}

/* disturb.c */

/* The first chunks of an archetype may be small; from the fourth on, all are of the largest class.
 */
enum { HM_WORLD_SMALL_CHUNKS = HM_WORLD_CLASSES - 1 };

/* What defragment needs, once it was called. */
typedef struct hm_world_order {
    hm_array array;  /* this struct, and the chunks behind it */
    hm_order order;  /* what defragment was last called with */
    uint32_t number; /* its component */
    uint32_t next;   /* archetype that was looked at last */
    uint32_t looked; /* archetypes up to there, in a row, that are in order */
    uint64_t clock;  /* the clock when they were */
    struct hm_order_state *state;
    uint32_t chunks[]; /* of the archetype that is being ordered */
} hm_world_order;

/* Returns it, or NULL. */
static inline hm_world_order *hm_world_order_of(const hm_world *world)
{
    return (hm_world_order *)(void *)world->order;
}

/* Makes room for the list of so many chunks, and makes the struct the first time. HM_ERROR_MEMORY:
 * nothing has changed. */
hm_status hm_world_list_chunks(hm_world *world, uint32_t count);

/* Returns the number of a row of that archetype. */
uint32_t hm_world_row_of(const hm_world *world, hm_world_place place);

/* A row of the archetype that is being ordered has changed, or is about to go; `count` rows are
 * left. */
void hm_world_disturb(hm_world *world, hm_world_place place, uint32_t count);

/* Rows were renumbered, or their values may all have changed. */
void hm_world_reset_order(hm_world *world);

/* values.c */

/* Returns the value of a component that is not sparse, and not a tag, in a row that has it. */
static inline void *hm_world_value_at(const hm_world *world, hm_world_place place, uint32_t number)
{
    const hm_world_archetype *archetype = &world->archetypes[hm_world_place_archetype(place)];
    const hm_world_cell *cell = &archetype->cells[number];
    return hm_world_address(world, archetype, place, cell->offset, cell->size);
}

/* Runs the destroy hook of a component, which has one, for this value. */
void hm_world_run_hook(hm_world *world, uint32_t number, void *value);

/* The same, if there is a hook. */
static inline void hm_world_destroy_value(hm_world *world, uint32_t number, void *value)
{
    if (hm_world_record(world, number)->destroy != NULL)
        hm_world_run_hook(world, number, value);
}

/* Runs the destroy hooks of the values of a row, but for those that another archetype has too, if
 * that is not NULL. */
void hm_world_destroy_row(hm_world *world, hm_world_place place, const hm_world_archetype *kept);

/* Gives n values of a component, one after the other, what they are where none is given. */
void hm_world_fill(const hm_world *world, uint32_t number, void *values, uint32_t n);

/* Writes a value into a row; NULL: none is given. */
void hm_world_write(hm_world *world, hm_world_place place, uint32_t number, const void *value);

/* Makes room for the masks of all slots that have places. */
hm_status hm_world_prepare_masks(hm_world *world);

/* Makes sets of this sparse component for n entities, whose places have memory, succeed, of which
 * `added` add a value. */
hm_status hm_world_prepare_sparse(hm_world *world, uint32_t number, uint32_t added,
                                  const hm_handle *entities, uint32_t n);

/* The same; counts the entities that have no value. */
hm_status hm_world_prepare_sparse_n(hm_world *world, uint32_t number, const hm_handle *entities,
                                    uint32_t n);

/* Sets a sparse value that is there already, or was prepared. */
void hm_world_set_sparse(hm_world *world, uint32_t number, hm_handle entity, const void *value);

/* Removes a sparse value, if there is one. */
void hm_world_unset_sparse(hm_world *world, uint32_t number, hm_handle entity);

/* Returns the bits of the sparse components that an entity may have. */
static inline uint64_t *hm_world_mask(const hm_world *world, hm_handle entity)
{
    return (uint64_t *)(void *)world->mask_array.data + hm_handle_index(entity);
}

/* Whether an entity may have sparse values. */
static inline bool hm_world_may_have_sparse(const hm_world *world, hm_handle entity)
{
    return hm_handle_index(entity) < world->mask_array.limit && *hm_world_mask(world, entity) != 0;
}

/* Reads which sparse components an entity has, in no particular order. */
void hm_world_list_sparse(const hm_world *world, hm_handle entity, hm_world_set *set);

/* Removes all sparse values of an entity: all hooks run first, so that each sees all values. */
void hm_world_clear_sparse(hm_world *world, hm_handle entity);

/* chunks.c */

/* Returns how many rows of a chunk are in use. */
static inline uint32_t hm_world_rows_in(const hm_world_archetype *archetype, uint32_t chunk)
{
    return chunk == archetype->last ? archetype->last_rows
                                    : archetype->rows[hm_world_chunk_class(chunk)];
}

/* Makes `count` more rows fit, by spare chunks behind the last; in the root archetype in addition
 * to the rows that hm_world_reserve has reserved. HM_ERROR_MEMORY or HM_ERROR_FULL: nothing has
 * changed. */
hm_status hm_world_prepare_chunks(hm_world *world, uint32_t index, uint32_t count);

/* Adds one spare chunk, of this class if one behind the others may have it. Fails as the store. */
hm_status hm_world_add_chunk(hm_world *world, uint32_t index, uint32_t size_class, uint32_t *chunk);

/* The same; inline where the last chunk has room for one row. */
static inline hm_status hm_world_prepare_rows(hm_world *world, uint32_t index, uint32_t n)
{
    const hm_world_archetype *archetype = &world->archetypes[index];
    if (n == 1 && index != HM_WORLD_ROOT && archetype->last != HM_WORLD_NONE &&
        archetype->last_rows < archetype->rows[hm_world_chunk_class(archetype->last)])
        return HM_OK;
    return hm_world_prepare_chunks(world, index, n);
}

/* Adds a row for this entity, which hm_world_prepare_rows made fit. Its values are not cleared. */
hm_world_place hm_world_append_row(hm_world *world, uint32_t index, hm_handle entity);

/* Makes all values of a row what they are where none is given. */
void hm_world_zero_row(hm_world *world, hm_world_place place);

/* Writes the values of a run of rows in a chunk, for each component of the set that has some: those
 * of columns[i] from the value `first` on; NULL, also for `columns`: none is given. */
void hm_world_write_run(hm_world *world, hm_world_place place, uint32_t rows,
                        const hm_component *set, uint32_t n, const void *const *columns,
                        uint32_t first);

/* Removes a row: the last one of the archetype takes its place. Its values are not destroyed. */
void hm_world_remove_row(hm_world *world, hm_world_place place);

/* Moves a row whose entity has another place already, or dies, behind the last row of its
 * archetype, and returns where it is: its values can be destroyed there while the world is
 * consistent. Then it is forgotten. */
hm_world_place hm_world_retire_row(hm_world *world, hm_world_place place);
void hm_world_forget_row(hm_world *world, hm_world_place place);

/* Gives the chunks behind the last row back. The root archetype keeps them until a trim: they are
 * what a reserve promised. */
void hm_world_drop_spares(hm_world *world, uint32_t index);

/* Returns the chunk behind this one if it has rows, or HM_WORLD_NONE. */
static inline uint32_t hm_world_next_chunk(const hm_world *world,
                                           const hm_world_archetype *archetype, uint32_t chunk)
{
    return chunk == archetype->last ? HM_WORLD_NONE : hm_world_link_of(world, chunk)->next;
}

/* Returns the place of the next row, behind the last row of a chunk in the next one, if any. */
static inline hm_world_place hm_world_place_after(const hm_world *world,
                                                  const hm_world_archetype *archetype,
                                                  hm_world_place place)
{
    place.row++;
    if (hm_world_place_row(place) < archetype->rows[hm_world_chunk_class(place.chunk)])
        return place;
    place.row -= hm_world_place_row(place);
    place.chunk = hm_world_link_of(world, place.chunk)->next;
    return place;
}

/* Exchanges two rows of one archetype. */
void hm_world_exchange_rows(hm_world *world, hm_world_place a, hm_world_place b);

/* Removes all rows of an archetype, and gives its chunks back. */
void hm_world_clear_rows(hm_world *world, uint32_t index);

/* Appends a row to archetype `to` for the entity at `from`, copies the values that both archetypes
 * have; none is given for the others. The entity's slot still leads to `from`. */
hm_world_place hm_world_copy_row(hm_world *world, hm_world_place from, uint32_t to);

/* Moves the entity whose place is at `at` to archetype `to`, which has the component `number` more
 * or less, and nothing else. A new value becomes that at `value`, or zero if it is NULL; one that
 * is lost is not destroyed. Then the last row takes the place of the old one. */
void hm_world_move_row(hm_world *world, hm_world_place *at, uint32_t to, uint32_t number,
                       const void *value);

/* Appends `rows` rows to archetype `to` for the entities of a run of rows in a chunk, whose places
 * are there from then on, and copies the values that both archetypes have. None is given for the
 * others, and for those of `reset`, if that is not NULL. The old rows stay as they are. */
void hm_world_copy_rows(hm_world *world, hm_world_place from, uint32_t rows, uint32_t to,
                        const hm_world_set *reset);

/* Moves n entities, whose rows follow each other from `first` on, to archetype `to`, as moves of
 * one by one would: no value is given for what is added, what is lost is not destroyed, and the
 * last rows fill the holes. */
void hm_world_move_rows(hm_world *world, hm_world_place first, uint32_t n, uint32_t to);

/* Copies the values of a row to another row of the same archetype. */
void hm_world_copy_values(const hm_world *world, hm_world_place from, hm_world_place to);

/* As append_row, for as many of n rows as the chunk has room for, at least one. Their entities are
 * not written either. */
hm_world_place hm_world_append_run(hm_world *world, uint32_t index, uint32_t n, uint32_t *rows);

/* archetypes.c */

/* The last changes, by first archetype, lie before the buckets. */
enum {
    HM_WORLD_BUCKETS_BEGIN = HM_WORLD_TRANSITIONS * sizeof(hm_world_transition) / sizeof(uint32_t)
};

static inline hm_world_transition *hm_world_transition_from(const hm_world *world,
                                                            uint32_t archetype)
{
    return (hm_world_transition *)(void *)world->bucket_array.data +
           archetype % HM_WORLD_TRANSITIONS;
}

/* Finds a component's number. HM_ERROR_INVALID: it is not of this world. */
hm_status hm_world_read_component(const hm_world *world, hm_component component, uint32_t *number);

/* Reads components in any order. HM_ERROR_INVALID: one is not of this world, or is given twice. */
hm_status hm_world_read_set(const hm_world *world, const hm_component *components, uint32_t n,
                            hm_world_set *set);

/* Computes the bytes of a row with these components, without the sparse ones. HM_ERROR_INVALID when
 * that is more than a chunk. */
hm_status hm_world_measure(const hm_world *world, const hm_world_set *set, uint16_t *row_size);

/* Finds or makes the archetype of exactly this set, which has no sparse component.
 * HM_ERROR_INVALID: a row takes more than a chunk. HM_ERROR_FULL, HM_ERROR_MEMORY. */
hm_status hm_world_archetype_of(hm_world *world, const hm_world_set *set, uint32_t *archetype);

/* Finds or makes the archetype with one component, which is not sparse, more or less, and caches
 * the edge to it. */
hm_status hm_world_find_edge(hm_world *world, uint32_t archetype, uint32_t number, uint32_t *other);

/* A change of many entities adds up the rows that archetypes will gain, and then prepares them. The
 * archetypes that gain any are a list, which begins at `gaining`: HM_WORLD_NONE at first. */
void hm_world_add_gain(hm_world *world, uint32_t *gaining, uint32_t index, uint32_t rows);

/* Prepares the rows if nothing has failed so far, and forgets the list. */
hm_status hm_world_prepare_gains(hm_world *world, uint32_t gaining, hm_status status);

/* Drops the archetypes without rows, except the root, and the edges to them. */
void hm_world_drop_archetypes(hm_world *world);

/* For a load. Leaves the next number of an archetype free. HM_ERROR_FULL, HM_ERROR_MEMORY. Then
 * lists free numbers, each once, so that the first one listed is the next archetype's. False: it is
 * not free, or was listed. */
hm_status hm_world_skip_archetype(hm_world *world);
bool hm_world_list_dropped(hm_world *world, uint32_t index, uint32_t *last);

/* entities.c */

/* Makes n entities, in addition to the promised ones, fit in the id table and the columns beside
 * it. `grows` as in hm_array_commit. The world is not busy. */
hm_status hm_world_prepare_entities(hm_world *world, uint32_t n, bool grows);

/* HM_ERROR_STALE for an entity that is neither alive nor promised. The place of a promised one then
 * leads to the root archetype, though to no row before it lives. */
HM_COLD hm_status hm_world_check_promised(hm_world *world, hm_handle entity);

/* Returns HM_OK if the world may be changed and the entity is alive or promised. `*at` is then
 * where its place is: what follows takes that, and need not look the entity up again. */
static inline hm_status hm_world_find_target(hm_world *world, hm_handle entity, hm_world_place **at)
{
    hm_status status = hm_world_check_idle(world);
    if (status == HM_OK && !hm_id_table_contains(&world->ids, entity))
        status = hm_world_check_promised(world, entity);
    *at = status == HM_OK ? hm_world_place_of(world, entity) : NULL;
    return status;
}

/* Destroys an entity that lives; `position` is its place in the id table. The world is idle. */
void hm_world_end_entity(hm_world *world, hm_handle entity, uint32_t position);

void hm_world_create_all_promised(hm_world *world);

/* Brings the entities to life that commands have promised, all in the root archetype. Cannot fail:
 * all that it needs was reserved. Every change from outside commands does this first, but only when
 * nothing can fail any more, since a call that fails changes nothing: until then it takes promised
 * entities for alive, and prepares what it needs in addition to them. */
static inline void hm_world_create_promised(hm_world *world)
{
    if (world->promised != 0)
        hm_world_create_all_promised(world);
}

/* change.c */

/* What an entity gains and loses in one step. A component is in at most one of both. */
typedef struct hm_world_delta {
    hm_world_set add, remove;
} hm_world_delta;

hm_status hm_world_read_delta(const hm_world *world, const hm_component *add, uint32_t n_add,
                              const hm_component *remove, uint32_t n_remove, hm_world_delta *delta);

/* Finds or makes the archetype for an entity of archetype `from` after the delta. */
hm_status hm_world_archetype_after(hm_world *world, uint32_t from, const hm_world_delta *delta,
                                   uint32_t *to);

/* Makes hm_world_apply_delta succeed for all of these entities, which are alive or promised. Their
 * places are right. */
hm_status hm_world_prepare_delta_n(hm_world *world, const hm_handle *entities, uint32_t n,
                                   const hm_world_delta *delta);

/* Changes an entity that lives, as was prepared. */
void hm_world_apply_delta(hm_world *world, hm_handle entity, const hm_world_delta *delta);

/* As hm_world_add and hm_world_remove for an entity that was found: `at` is where its place is. */
hm_status hm_world_add_at(hm_world *world, hm_world_place *at, hm_handle entity, uint32_t number,
                          const void *value);
hm_status hm_world_remove_at(hm_world *world, hm_world_place *at, hm_handle entity,
                             uint32_t number);

/* query */

/* Whether a term's components are in a secondary. */
static inline bool hm_query_is_sparse(const hm_query *query, uint32_t term)
{
    return (query->sparse_mask >> term & 1) != 0;
}

static inline hm_secondary *hm_query_secondary(const hm_query *query, uint32_t term)
{
    return hm_world_sparse(query->world, query->numbers[term]);
}

/* query_archetypes.c */

/* Whether an archetype may have entities that match. With sparse terms, each of them has to be
 * tested. `any_terms`: which terms of `any` the archetype itself has. */
bool hm_query_matches(const hm_query *query, const hm_world_archetype *archetype,
                      uint64_t *any_terms);

/* Whether these terms have one of each group of `any`. */
static inline bool hm_query_has_any(const hm_query *query, uint64_t terms)
{
    uint64_t ends = query->group_ends;
    if (ends == 0)
        return true;
    uint64_t begin = UINT64_C(1) << query->none_end;
    for (; ends != 0; ends &= ends - 1) {
        uint64_t behind = (ends & (0 - ends)) << 1; /* 0 behind the highest bit, and wraps */
        if ((terms & (behind - begin)) == 0)
            return false;
        begin = behind;
    }
    return true;
}

/* Goes before the first archetype: hm_query_next_archetype returns it. */
void hm_query_rewind_archetypes(hm_query_loop *loop);

/* Starts loading what the next archetypes of the list are, and where their columns begin. */
void hm_query_prefetch_archetypes(const hm_query_loop *loop);

/* Returns the next archetype of the loop that matches and has rows, or HM_WORLD_NONE. */
uint32_t hm_query_next_archetype(hm_query_loop *loop);

/* Returns whether the world is still there, and brings the list of archetypes up to date. */
bool hm_query_refresh(hm_query *query);

/* query_run.c */

/* Goes before the first view of loop->query. */
void hm_query_rewind(hm_query_loop *loop);

/* Whether this live entity matches. Uses the cursor's candidate. */
bool hm_query_accepts(hm_query_loop *loop, hm_handle entity);

/* Goes before the first view of each of n parts, at least 1, whose rows or owners are about as
 * many. */
void hm_query_split(hm_query *query, hm_query_loop *parts, uint32_t n);

/* Goes to the next view, or returns false. */
bool hm_query_step(hm_query_loop *loop);

/* world: what commands.c, which records, and apply.c share.
 *
 * The commands of a buffer are one after another in an array, whose address never changes:
 *
 *     | scratch | command, numbers, value | command, numbers | ...
 *     0         HM_COMMANDS_BEGIN
 *
 * The scratch is for a zero value that was added and removed again, while its hook runs. */

enum {
    HM_COMMANDS_UNIT = sizeof(uint64_t), /* bytes */
    HM_COMMANDS_BEGIN = (16 << 10) / HM_COMMANDS_UNIT
};

/* The bits of a command's flags. */
enum {
    HM_COMMAND_DONE = 1,    /* run, skipped or cleared */
    HM_COMMAND_LINKED = 2,  /* an earlier command of its entity leads to it */
    HM_COMMAND_CREATE = 4,  /* its entity was promised */
    HM_COMMAND_DESTROY = 8, /* destroys its entity; has no numbers */
    HM_COMMAND_VALUE = 16   /* has one number, to add, and a value for it */
};

typedef struct hm_command {
    hm_handle entity;
    uint32_t size; /* units, numbers and value included */
    uint32_t next; /* unit of the entity's next command, once linked; 0: none */
    uint16_t flags;
    uint16_t add_count, remove_count;
    uint16_t numbers[]; /* of components: first those to add, then those to remove */
} hm_command;

static inline hm_command *hm_commands_at(const hm_commands *commands, size_t unit)
{
    return (hm_command *)(void *)(commands->units.data + unit * HM_COMMANDS_UNIT);
}

static inline size_t hm_commands_align(size_t offset, size_t align)
{
    return (offset + align - 1) & ~(align - 1);
}

/* Returns the value of a command that has one. It is aligned: the array is, to pages. */
static inline void *hm_command_value(const hm_world *world, hm_command *command)
{
    size_t end = (uintptr_t)(command->numbers + 1);
    size_t align = hm_world_record(world, command->numbers[0])->align;
    return (unsigned char *)(command->numbers + 1) + (hm_commands_align(end, align) - end);
}

/* Marks a command as done. */
void hm_command_finish(hm_commands *commands, hm_command *command);

/* Finishes a command that is not run, and destroys its value. */
void hm_command_drop(hm_commands *commands, hm_command *command);

#endif
