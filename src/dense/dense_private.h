/* SPDX-License-Identifier: MIT */
/* dense: what map, table and secondary share, and what each has for the folders above and for its
 * own sources. */
#ifndef HANDLE_MAP_DENSE_PRIVATE_H
#define HANDLE_MAP_DENSE_PRIVATE_H

#include "../memory/poison_private.h"

#include "../base/base_private.h"
#include "../ids/ids_private.h"
#include "../memory/memory_private.h"
#include "../order/order_private.h"

#include <handle_map/map.h>
#include <handle_map/secondary.h>
#include <handle_map/table.h>

/* What all containers share whose items are packed, and can be put in order. A container says in an
 * hm_dense what moves with an item; the functions below check, keep the guard, and let the order do
 * the rest.
 *
 * The order must hear of each change at a position that it manages, and of no other. The guard's
 * flag HM_GUARD_ORDERED says that there may be such positions: it is set before an order runs, and
 * cleared when the order is forgotten. */

/* Built for one call. */
typedef struct hm_dense {
    hm_guard *guard;
    uint32_t limit;         /* of the guard, while no callback runs */
    uint32_t column;        /* whose cells the order is shown */
    uint32_t column_count;  /* 0: it is not initialised, or has no columns */
    uint32_t *order_column; /* which one it was last; NULL: there are no columns */
    hm_order_state **order;
    /* Ends the item at a position, which the last item fills; only for erase_if. */
    void (*erase_at)(void *owner, uint32_t index);
    hm_sequence sequence; /* its `what` is the name in the names of the functions */
} hm_dense;

/* These are the functions of the container: hm_map_defragment and so on. The container is not NULL.
 */
hm_progress hm_dense_defragment(const hm_dense *dense, const hm_order *order,
                                hm_frame_budget *budget);
hm_progress hm_dense_arrange(const hm_dense *dense, const hm_handle *handles, uint32_t n,
                             hm_frame_budget *budget);
uint32_t hm_dense_bound(const hm_dense *dense, const hm_order *order, const void *probe,
                        bool is_upper);

/* Erases the items for which `is_doomed`, called once for each position in their order, says true;
 * returns how many. The others keep their order. */
uint32_t hm_dense_erase_if(const hm_dense *dense,
                           bool (*is_doomed)(void *owner, uint32_t index, void *context),
                           void *context);

/* As hm_order_disturb, but does not read the state of an order that manages nothing. */
static inline void hm_dense_disturb(const hm_guard *guard, hm_order_state *order, uint32_t index,
                                    uint32_t count)
{
    if ((guard->flags & HM_GUARD_ORDERED) != 0)
        hm_order_disturb(order, index, count);
}

static inline void hm_dense_forget_order(hm_guard *guard, hm_order_state *order)
{
    hm_order_reset(order);
    guard->flags &= ~(uint32_t)HM_GUARD_ORDERED;
}

/* The last step of a trim: what does not depend on the items. */
static inline hm_status hm_dense_trim_ids(hm_id_table *ids, hm_order_state **order, void *owner,
                                          hm_ids_mover move)
{
    hm_status status = hm_id_table_trim_slots(ids);
    if (status == HM_OK)
        status = hm_order_trim(order, ids->count);
    return status == HM_OK ? hm_id_table_narrow(ids, owner, move) : status;
}

/* Whether guard and order agree with each other and with the limit, for validate. */
static inline bool hm_dense_is_valid(const hm_guard *guard, const hm_order_state *order,
                                     uint32_t limit)
{
    return guard->limit == (hm_guard_is_busy(guard) ? 0 : limit) &&
           (hm_order_managed(order) == 0 || (guard->flags & HM_GUARD_ORDERED) != 0);
}

/* The erase_n of a container with an id table: of each part, drops the handles that do not resolve,
 * without a branch on that, before it erases the others. */
HM_INLINE uint32_t hm_dense_erase_parts(const hm_id_table *ids, const hm_handle *handles,
                                        uint32_t n, void *container, hm_batch_prefetch *touch,
                                        bool (*erase)(void *container, hm_handle handle))
{
    uint32_t erased = 0;
    for (uint32_t part; n > 0 && ids->count > 0; handles += part, n -= part) {
        hm_handle kept[HM_BATCH_PART];
        hm_batch batch = hm_id_table_batch(ids);
        part = hm_batch_next_part(n);
        uint32_t found = hm_batch_keep_found(&batch, handles, part, kept, hm_batch_match_position,
                                             container, touch);
        for (uint32_t i = 1; i <= found && i <= ids->count; i++) /* Those fill the holes. */
            HM_PREFETCH(&ids->entries[ids->slots[ids->count - i]]);
        for (uint32_t i = 0; i < found; i++)
            erased += erase(container, kept[i]);
    }
    return erased;
}

#ifndef HM_WITHOUT_ORDER

/* The functions of a container that put it in order and search it. `described`: its hm_dense. What
 * follows are the parameters behind the container, each with a comma: the column, if it has some.
 */
#define HM_DENSE_ORDER(kind, described, ...)                                                       \
    hm_progress hm_##kind##_defragment(hm_##kind *kind, __VA_ARGS__ const hm_order *order,         \
                                       hm_frame_budget *budget)                                    \
    {                                                                                              \
        HM_CONTRACT(kind != NULL, "hm_" #kind "_defragment: " #kind " is NULL");                   \
        const hm_dense dense = described;                                                          \
        return hm_dense_defragment(&dense, order, budget);                                         \
    }                                                                                              \
    uint32_t hm_##kind##_lower_bound(const hm_##kind *kind, __VA_ARGS__ const hm_order *order,     \
                                     const void *probe)                                            \
    {                                                                                              \
        HM_CONTRACT(kind != NULL, "hm_" #kind "_lower_bound: " #kind " is NULL");                  \
        const hm_dense dense = described;                                                          \
        return hm_dense_bound(&dense, order, probe, false);                                        \
    }                                                                                              \
    uint32_t hm_##kind##_upper_bound(const hm_##kind *kind, __VA_ARGS__ const hm_order *order,     \
                                     const void *probe)                                            \
    {                                                                                              \
        HM_CONTRACT(kind != NULL, "hm_" #kind "_upper_bound: " #kind " is NULL");                  \
        const hm_dense dense = described;                                                          \
        return hm_dense_bound(&dense, order, probe, true);                                         \
    }

/* Its functions that arrange, and that tell the order of changes. `described` as above;
 * kind##_find finds the position of a handle, or HM_INVALID_INDEX, which no order manages. */
#define HM_DENSE_ARRANGE(kind, described)                                                          \
    hm_progress hm_##kind##_arrange(hm_##kind *kind, const hm_handle *handles, uint32_t n,         \
                                    hm_frame_budget *budget)                                       \
    {                                                                                              \
        HM_CONTRACT(kind != NULL, "hm_" #kind "_arrange: " #kind " is NULL");                      \
        const hm_dense dense = described;                                                          \
        return hm_dense_arrange(&dense, handles, n, budget);                                       \
    }                                                                                              \
    void hm_##kind##_touch(hm_##kind *kind, hm_handle handle)                                      \
    {                                                                                              \
        HM_CONTRACT_AT_REST(kind, "hm_" #kind "_touch");                                           \
        uint32_t index = kind##_find(kind, handle);                                                \
        hm_dense_disturb(&kind->guard, kind->order, index, hm_##kind##_count(kind));               \
    }                                                                                              \
    void hm_##kind##_touch_all(hm_##kind *kind)                                                    \
    {                                                                                              \
        HM_CONTRACT_AT_REST(kind, "hm_" #kind "_touch_all");                                       \
        hm_dense_forget_order(&kind->guard, kind->order);                                          \
    }                                                                                              \
    void hm_##kind##_forget_order(hm_##kind *kind)                                                 \
    {                                                                                              \
        HM_CONTRACT_AT_REST(kind, "hm_" #kind "_forget_order");                                    \
        hm_dense_forget_order(&kind->guard, kind->order);                                          \
    }

#else
#define HM_DENSE_ORDER(kind, described, ...)
#define HM_DENSE_ARRANGE(kind, described)
#endif

/* map */

/* Returns the number of items for which all columns are committed: the limit of the guard. */
uint32_t hm_map_committed_items(const hm_map *map);

/* An hm_ids_mover. */
hm_status hm_map_move(void *owner, size_t capacity, size_t slots);

/* Passes a status on, and names the map if memory was refused. */
hm_status hm_map_blame(const hm_map *map, hm_status status);

/* table */

/* Returns the number of rows for which everything is committed: the limit of the guard. */
uint32_t hm_table_committed_rows(const hm_table *table);

/* An hm_ids_mover. */
hm_status hm_table_move(void *table, size_t capacity, size_t slots);

/* Passes a status on, and names the table if memory was refused. */
hm_status hm_table_blame(const hm_table *table, hm_status status);

/* layout.c */

/* Commits all columns for `count` rows; `grows` as in hm_array_commit. */
hm_status hm_table_commit_columns(hm_table *table, uint32_t count, bool grows);

/* rows.c */

/* The n rows from `first` on begin to exist: makes their groups accessible, and zeroes new groups.
 */
void hm_table_open_rows(hm_table *table, uint32_t first, uint32_t n);

/* All rows, which were `count`, have ceased to exist: poisons their groups. */
void hm_table_close_all(const hm_table *table, uint32_t count);

/* Copy the cells of a row to bytes without gaps, or from there, in the order of the columns. */
void hm_table_pack_row(const hm_table *table, uint32_t row, unsigned char *bytes);
void hm_table_unpack_row(const hm_table *table, uint32_t row, const unsigned char *bytes);

/* table: what its sources share.
 *
 *     table.c            rows and their handles, and their order
 *       table_rows.c     moves, copies and clears cells
 *       table_layout.c   where columns are: checks, reserves, commits, gives back */

/* layout.c */

/* HM_ERROR_INVALID when the columns or lanes of a descriptor break the rules of table.h. */
hm_status hm_table_check_columns(const hm_table_desc *desc);

/* What columns are laid out in, while they are placed or move. */
typedef struct hm_table_space {
    hm_table *table;
    hm_table_desc desc; /* its memory is not NULL */
    size_t align;       /* the largest of a column */
    size_t group_size;  /* bytes; 0 without lanes */
    size_t groups;      /* that there is space for */
    bool moves_to_grow; /* committed whole: small columns share pages */
    hm_array array;
    const void **values; /* cells, one for each column, that may lie in the table and are followed
                            when it moves; NULL: none */
} hm_table_space;

enum { HM_TABLE_ARRAYS = 2 };

/* Lists two arrays for the range of the table's ids: the records, of all kinds in one array, since
 * they are made once and only `columns` is hot, and the space of all columns, which needs to exist
 * only until they are placed. The descriptor has been checked. */
void hm_table_list_arrays(hm_table *table, const hm_table_desc *desc, hm_table_space *space,
                          hm_array_column *columns);
/* Commits the records and places the columns in the space. */
hm_status hm_table_place_columns(hm_table_space *space);
/* Lists the same arrays for a move of a whole range, and finds out what is committed after it. */
void hm_table_list_moved(hm_table *table, const void **values, hm_table_space *space,
                         hm_array_column *columns);
void hm_table_count_committed(hm_table *table);
/* Finishes both. */
void hm_table_release_columns(hm_table *table);
/* Gives back whole pages behind the last row. */
hm_status hm_table_trim_columns(hm_table *table);
/* Whether the columns are where the arrays say. */
bool hm_table_columns_are_valid(const hm_table *table);

/* rows.c */

/* Copies n cells to column `index`, from row `first` on; `cells` NULL: zeros. */
void hm_table_write_cells(const hm_table *table, uint32_t index, uint32_t first, uint32_t n,
                          const void *cells);
/* Copies a value to each cell of a row; a NULL value, or `values` NULL: zeros. */
void hm_table_write_row(const hm_table *table, uint32_t row, const void *const *values);
/* The last row, whose cells move to the hole, ceases to exist; they may be the same row. Zeroes the
 * lane that it leaves, or poisons its group if it was the only row there. */
void hm_table_fill_hole(const hm_table *table, uint32_t last, uint32_t hole);
/* Exchanges the cells of two rows. */
void hm_table_exchange_rows(void *owner, uint32_t a, uint32_t b);

/* Does what n exchanges of the rows at + i and at + gap + i would; for whole columns. */
void hm_table_shift_rows(void *owner, uint32_t at, uint32_t gap, uint32_t n);

static inline uint32_t hm_table_groups(const hm_table *table, uint32_t rows)
{
    return (uint32_t)(((uint64_t)rows + (UINT32_C(1) << table->lane_shift) - 1) >>
                      table->lane_shift);
}

/* secondary */

/* Fills in what a descriptor leaves to its `owners`, if it names a container. HM_ERROR_INVALID: the
 * container is not initialised, or the descriptor says something else than it. */
hm_status hm_secondary_take_owners(const hm_owners *owners, uint32_t *capacity, uint32_t *max_slots,
                                   uint16_t *type_id);

/* Checks a descriptor whose defaults are filled in, and lists the arrays of a secondary that shares
 * the range of its container; the first is to own the range if there is no other. Of the positions,
 * whose memory has gaps, only the place is kept: `positions` needs to exist until `place`. A
 * capacity of 0 stays: then the range is a whole one, and they have space for a few values. */
enum { HM_SECONDARY_COLUMNS = 4 };
hm_status hm_secondary_list_columns(hm_secondary *secondary, const hm_secondary_desc *full,
                                    hm_array *positions, hm_array_column *columns);
void hm_secondary_place_columns(hm_secondary *secondary, const hm_secondary_desc *full,
                                const hm_array *positions);

/* Lists the same arrays, for a move of a whole range, with space for so many values and slots; and
 * reads their addresses after the move. */
void hm_secondary_list_moved(hm_secondary *secondary, size_t values, size_t slots,
                             hm_array *positions, hm_array_column *columns);
void hm_secondary_place_moved(hm_secondary *secondary, const hm_array *positions);

/* Makes sets for these n owners, whose handles must be ones that owners can have, succeed, of which
 * `added` add a value. HM_ERROR_FULL, HM_ERROR_MEMORY: nothing has changed. */
hm_status hm_secondary_prepare(hm_secondary *secondary, uint32_t added, const hm_handle *owners,
                               uint32_t n);

/* Makes a set for this owner succeed, and returns in *index the position of the value that it would
 * replace, or HM_INVALID_INDEX. Fails as hm_secondary_set does, except that it is never busy. */
hm_status hm_secondary_accept(hm_secondary *secondary, hm_handle owner, uint32_t *index);

/* Returns the number of values for which all columns are committed: the limit of the guard. */
uint32_t hm_secondary_committed_values(const hm_secondary *secondary);

/* Passes a status on, and names the secondary if memory was refused. */
hm_status hm_secondary_blame(const hm_secondary *secondary, hm_status status);

/* For a load, while the secondary is busy and its count is 0: make room for n more values behind
 * those that were made; then, when all owners are written behind the count too, make the n values
 * its own. `slots`: behind the highest slot of an owner, at most max_slots. HM_ERROR_CORRUPT: two
 * owners have one slot; the caller says so. HM_ERROR_MEMORY, HM_ERROR_FULL. */
hm_status hm_secondary_make_room(hm_secondary *secondary, uint32_t made, uint32_t n);
hm_status hm_secondary_publish_owners(hm_secondary *secondary, uint32_t n, uint32_t slots);

/* Sets the value of an owner that has one already, or that was prepared and whose slot has none. */
void hm_secondary_put(hm_secondary *secondary, hm_handle owner, const void *value);

/* As hm_secondary_describe. `value` is the noun that the sentence uses for a value. */
HM_COLD size_t hm_secondary_describe_as(const hm_secondary *secondary, hm_handle owner,
                                        const char *value, char *buffer, size_t size);

static inline bool hm_secondary_has_segment(const hm_secondary *secondary, uint32_t slot)
{
    return slot < secondary->slot_end &&
           secondary->segments[(size_t)slot >> secondary->segment_shift] != 0;
}

/* Returns the position of a slot's value, of any generation, or HM_INVALID_INDEX. */
static inline uint32_t hm_secondary_find_slot(const hm_secondary *secondary, uint32_t slot)
{
    if (!hm_secondary_has_segment(secondary, slot))
        return HM_INVALID_INDEX;
    uint32_t index = secondary->positions[slot];
    if (index >= secondary->count || hm_handle_index(secondary->owners[index]) != slot)
        return HM_INVALID_INDEX;
    return index;
}

/* Returns the value of an owner that has one, whatever its generation. */
static inline void *hm_secondary_value_of(const hm_secondary *secondary, hm_handle owner)
{
    return secondary->values + secondary->value_size * secondary->positions[hm_handle_index(owner)];
}

/* Makes the value at this position that of another owner of the same slot. Only for a secondary
 * without an order. */
static inline void hm_secondary_rename(hm_secondary *secondary, uint32_t index, hm_handle owner)
{
    secondary->owners[index] = owner;
}

/* Tells the order that the value at a position may belong elsewhere; `count` values are left. */
static inline void hm_secondary_disturb(hm_secondary *secondary, uint32_t index, uint32_t count)
{
    hm_dense_disturb(&secondary->guard, secondary->order, index, count);
}

/* Removes the value at this position as hm_secondary_remove does, but without the destroy hook. */
void hm_secondary_discard(hm_secondary *secondary, uint32_t index);

/* secondary: what its sources share.
 *
 *     secondary_owners.c      many owners in one call
 *       secondary.c           values and their owners, and their order
 *         secondary_segments.c  the sparse column, from slots to positions, and its segments */

/* Whether a set for this owner is possible but for memory and the capacity, and why not. Returns in
 * *index the position of the value that it would replace, or HM_INVALID_INDEX. */
hm_status hm_secondary_judge(const hm_secondary *secondary, hm_handle owner, uint32_t *index);

/* Chooses the size of a segment, and returns how many hold max_slots, which is at least 1. */
size_t hm_secondary_count_segments(hm_secondary *secondary, const hm_memory *memory);

/* Whether the secondary has no capacity: then all its arrays are committed, and move to grow. */
static inline bool hm_secondary_moves_to_grow(const hm_secondary *secondary)
{
    return secondary->value_array.moves_to_grow;
}

/* Makes space for the positions of all slots below `slots`, of a secondary with a capacity: moves
 * them to a range of their own, of at least twice the size, if theirs ends before. HM_ERROR_MEMORY:
 * nothing has changed, or they have moved, but the system did not take back what they left. O(slots
 * with a segment). */
hm_status hm_secondary_widen(hm_secondary *secondary, uint32_t slots);

/* Returns the bytes that are still committed where the positions were before. */
size_t hm_secondary_left_size(const hm_secondary *secondary);

/* Releases the range of the positions, if they have one. */
void hm_secondary_release_positions(const hm_secondary *secondary);

/* Makes lookups see a slot below max_slots: commits its segment if that has no memory. */
hm_status hm_secondary_prepare_slot(hm_secondary *secondary, uint32_t slot);

/* Gives back the segments without an owner, up to the first that the system refuses to take. */
hm_status hm_secondary_trim_segments(hm_secondary *secondary);

/* Without a capacity two segments make up the index space, and both always have memory: what has a
 * position in memory ends at slot_end. */
enum { HM_SECONDARY_HALF_SHIFT = 31, HM_SECONDARY_HALVES = 2 };

bool hm_secondary_segments_are_valid(const hm_secondary *secondary);

#endif
