/* SPDX-License-Identifier: MIT */
/* changes: what differs in a container between two marks of a history, found from the pages that
 * changed: for replication, indices, uploads and undo lists, without hooks in the program.
 *
 * The memory of the container is the history's, or that of an arena inside. Both marks are kept;
 * either may be the earlier one, since the answer tells how to get from `from` to `to`. At mark 0
 * there is nothing: from there, all that is there at `to` was inserted. What happened since the
 * last mark is told after the next one.
 *
 * A container has *values*, each named by a handle and a part. Those that only `to` has were
 * inserted, those that only `from` has were erased, those that differ were edited. An item that
 * only moved has not changed, and of an item that came and went in between nothing is told.
 *
 * Owns nothing; takes memory of the history's parent while a call runs: 8 bytes for each page, and
 * a bit for each slot. Threads: const calls. */
#ifndef HANDLE_MAP_CHANGES_H
#define HANDLE_MAP_CHANGES_H

#include <handle_map/history.h>
#include <handle_map/index.h>
#include <handle_map/lists.h>
#include <handle_map/map.h>
#include <handle_map/pool.h>
#include <handle_map/secondary.h>
#include <handle_map/table.h>
#include <handle_map/world.h>

HM_BEGIN_C

typedef enum hm_change_kind {
    HM_CHANGE_INSERTED,
    HM_CHANGE_ERASED,
    HM_CHANGE_EDITED
} hm_change_kind;

/* What changed, for one value. The pointers are valid until the visit returns. */
typedef struct hm_change {
    hm_handle handle; /* of the item, the list, the entity or, in secondaries and indices, the owner
                       */
    hm_change_kind kind;
    uint32_t part;      /* map: 1 is the meta. Table: the column. World: the component, or
                           HM_INVALID_INDEX for the entity itself. Otherwise 0 */
    const void *before; /* the value at `from`; NULL: there was none */
    const void *after;  /* the value at `to`; NULL: there is none */
    size_t before_size; /* bytes; of an entity itself and of a tag 0 */
    size_t after_size;  /* bytes; of lists all items of the list, of an index its key, a uint64_t */
} hm_change;

typedef void hm_change_visit(const hm_change *change, void *context);

/* HM_OK if the history rewinds this container, which it does if the memory is its own; the
 * container may have been moved here by assignment. HM_OK too for a zeroed one, whose init will
 * tell. HM_ERROR_INVALID: the container has other memory, or is NULL. HM_ERROR_FULL: the history is
 * not initialised; HM_ERROR_MEMORY. Invalidates nothing. O(containers). */
HM_API hm_status hm_map_watch(hm_map *map, hm_history *history);
HM_API hm_status hm_pool_watch(hm_pool *pool, hm_history *history);
HM_API hm_status hm_table_watch(hm_table *table, hm_history *history);
HM_API hm_status hm_secondary_watch(hm_secondary *secondary, hm_history *history);
HM_API hm_status hm_lists_watch(hm_lists *lists, hm_history *history);
HM_API hm_status hm_index_watch(hm_index *index, hm_history *history);
HM_API hm_status hm_world_watch(hm_world *world, hm_history *history);

/* Calls `visit` for each value that changed: first for all that were erased, so that a container
 * that follows never has more items, lists, owners or entities than this one; then for the others.
 * Both by slot, the smallest first, and then by part, the erased ones backwards: so an entity comes
 * before its components, and goes after them. `visit` must not change the history. HM_ERROR_STALE:
 * a mark is not kept. HM_ERROR_INVALID: the history does not know the container, or it has other
 * memory. HM_ERROR_MEMORY: the parent refuses. HM_ERROR_FULL: the history is not initialised. Then
 * `visit` was not called. O(pages + changes between the marks and the current one), and what lies
 * on the pages that differ; for lists, and pools in blocks, O(slots) too, for worlds O(chunks).
 * Example:
 *
 *     uint64_t newest = hm_history_mark(&history);
 *     hm_map_changes(&map, &history, acknowledged, newest, send_change, socket);
 */
HM_API hm_status hm_map_changes(const hm_map *map, const hm_history *history, uint64_t from,
                                uint64_t to, hm_change_visit *visit, void *context);
HM_API hm_status hm_pool_changes(const hm_pool *pool, const hm_history *history, uint64_t from,
                                 uint64_t to, hm_change_visit *visit, void *context);
HM_API hm_status hm_table_changes(const hm_table *table, const hm_history *history, uint64_t from,
                                  uint64_t to, hm_change_visit *visit, void *context);
HM_API hm_status hm_secondary_changes(const hm_secondary *secondary, const hm_history *history,
                                      uint64_t from, uint64_t to, hm_change_visit *visit,
                                      void *context);
HM_API hm_status hm_lists_changes(const hm_lists *lists, const hm_history *history, uint64_t from,
                                  uint64_t to, hm_change_visit *visit, void *context);
HM_API hm_status hm_index_changes(const hm_index *index, const hm_history *history, uint64_t from,
                                  uint64_t to, hm_change_visit *visit, void *context);
HM_API hm_status hm_world_changes(const hm_world *world, const hm_history *history, uint64_t from,
                                  uint64_t to, hm_change_visit *visit, void *context);

/* Of `n` handles: all that there are. */
#define HM_ALL UINT32_MAX

/* Calls `visit` for each value that n handles have now, as inserted: what comes into view, or with
 * HM_ALL, for which `handles` may be NULL, all of the container by slot. Handles that do not
 * resolve, or whose owner has no value, have none. Needs no history and no memory. A const call.
 * HM_ERROR_FULL: the container is not initialised. O(values), of a world O(entities * components);
 * with HM_ALL O(slots) too. */
HM_API hm_status hm_map_visit(const hm_map *map, const hm_handle *handles, uint32_t n,
                              hm_change_visit *visit, void *context);
HM_API hm_status hm_pool_visit(const hm_pool *pool, const hm_handle *handles, uint32_t n,
                               hm_change_visit *visit, void *context);
HM_API hm_status hm_table_visit(const hm_table *table, const hm_handle *handles, uint32_t n,
                                hm_change_visit *visit, void *context);
HM_API hm_status hm_secondary_visit(const hm_secondary *secondary, const hm_handle *handles,
                                    uint32_t n, hm_change_visit *visit, void *context);
HM_API hm_status hm_lists_visit(const hm_lists *lists, const hm_handle *handles, uint32_t n,
                                hm_change_visit *visit, void *context);
HM_API hm_status hm_index_visit(const hm_index *index, const hm_handle *handles, uint32_t n,
                                hm_change_visit *visit, void *context);
HM_API hm_status hm_world_visit(const hm_world *world, const hm_handle *handles, uint32_t n,
                                hm_change_visit *visit, void *context);

/* Makes a change in another container, such as a client's, that has had all changes up to `from`:
 * erases, adopts (hm_map_adopt) or overwrites what it names; of secondaries, indices and worlds
 * removes or sets it. Hooks run, and memory is needed, as by those calls. In a world a component
 * counts by its number: make all of them in the same order. The part is that of any world of this
 * program, or the number alone, part % HM_WORLD_MAX_COMPONENTS, which is what to send over a
 * network. A change that came over one has its kind, handle, part, `after` and after_size; `before`
 * is not read. An inserted handle may have any index, and all slots below it are made: give a
 * container that takes changes from strangers a `max_slots`.
 *
 * HM_ERROR_STALE: what was erased or edited is not there, or what was inserted is there already, or
 * its handle is older than what its slot has issued: so a change that was lost, or comes twice, is
 * seen; and changes back to an earlier mark are refused where slots were used again, and a rewind
 * is the way there. HM_ERROR_INVALID: the size is not that of the value, or no such container has
 * this part, handle or key. HM_ERROR_FULL, also where an entity has no room for the value in a row;
 * HM_ERROR_MEMORY, HM_ERROR_BUSY. Then nothing has changed, but that a list of which the items were
 * refused may be there, empty. Example:
 *
 *     static void apply_change(const hm_change *change, void *client)
 *     {
 *         if (hm_map_apply(client, change) != HM_OK)
 *             fprintf(stderr, "%s\n", hm_last_error());
 *     }
 */
HM_API hm_status hm_map_apply(hm_map *map, const hm_change *change);
HM_API hm_status hm_pool_apply(hm_pool *pool, const hm_change *change);
HM_API hm_status hm_table_apply(hm_table *table, const hm_change *change);
HM_API hm_status hm_secondary_apply(hm_secondary *secondary, const hm_change *change);
HM_API hm_status hm_lists_apply(hm_lists *lists, const hm_change *change);
HM_API hm_status hm_index_apply(hm_index *index, const hm_change *change);
HM_API hm_status hm_world_apply(hm_world *world, const hm_change *change);

/* Returns what a change adds to a hash of the state, by addition without regard to overflow. So the
 * sum of all changes from mark 0 on is a hash of all handles and values, whatever the order of the
 * items, and the changes from one mark to the next bring it up to date. It is equal on every
 * machine if the bytes of the values are: for values with pointers, or of another byte order, hash
 * what you send of them. O(size). Example:
 *
 *     static void add_hash(const hm_change *change, void *sum)
 *     {
 *         *(uint64_t *)sum += hm_change_hash(change);
 *     }
 */
HM_API uint64_t hm_change_hash(const hm_change *change);

HM_END_C

#endif
