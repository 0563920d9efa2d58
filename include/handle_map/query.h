/* SPDX-License-Identifier: MIT */
/* query: visits all entities of a world that have certain components, as arrays.
 *
 *     archetypes of the world       a query for all = {position, velocity}
 *     {position}                    not visited
 *     {position, velocity}          view: 340 entities, their positions, their velocities
 *                                   view: 680 entities, ...
 *     {position, velocity, frozen}  view:  12 entities, ...
 *
 * A loop over a query is an object of its own (hm_query_loop), so that loops over one query may run
 * inside each other. The query *runs* while it has a loop that has begun and not ended.
 *
 * Owns: a list of the archetypes that match. Moves: nothing; while a query runs, its world refuses
 * to change (hm_query_begin). A view and its arrays of pointers are valid until the next call of
 * begin, next or end for its loop; what they point to stays until the world changes.
 * Limits: HM_QUERY_MAX_TERMS components in all four lists together. Keep a query for as long as the
 * program runs its loop; do not make a new one each time. Threads: one at a time (hm_query_init),
 * and parts of a loop at once (hm_query_begin_parts). */
#ifndef HANDLE_MAP_QUERY_H
#define HANDLE_MAP_QUERY_H

#include <handle_map/detail/query.h>
#include <handle_map/world.h>

HM_BEGIN_C

/* Which entities a query visits: those that have every component of `all`, no component of `none`,
 * and, if `any` is not empty, at least one of `any`; if that is divided into groups, at least one
 * of each group. With `all` and `any` empty, these are all entities without a component of `none`.
 * Each list may have sparse components and tags, too. A list may be NULL if its count is 0. */
typedef struct hm_query_desc {
    const hm_component *all, *none, *any;
    const hm_component *optional; /* has no effect on which are visited, but gives a column */
    uint32_t all_count, none_count, any_count, optional_count; /* components in each list */
    const uint32_t *any_groups; /* components in each group of `any`, one group after the other */
    uint32_t any_group_count;   /* 0: all of `any` is one group */
} hm_query_desc;

/* A run of entities and their values: columns[i] points to the `count` values of the i-th component
 * of `all`; those of `optional` follow. A column is NULL for a tag, and for an optional component
 * that these entities do not have: all entities of a view have the same.
 *
 * The values lie side by side in every column, so that a loop over a view is a loop over plain
 * arrays. Without sparse components a view is a chunk of an archetype, or after the first 1 MiB of
 * a loop's values a part of one, if another chunk comes next: then the last 16 KiB of the columns
 * are up to eight views, each of at least 16 entities if the chunk has as many. While the program
 * works on one of them, as much of the next chunk is prefetched. With sparse components a view is a
 * run of rows whose sparse values are side by side too, in the same order; where the orders differ,
 * a view has one entity. */
typedef struct hm_view {
    uint32_t count; /* entities, at least 1 */
    const hm_handle *entities;
    void *const *columns; /* in the order of `all`, then of `optional` */
} hm_view;

/* hm_query and hm_query_loop are structs that programs hold by value; all of their fields, in
 * detail/query.h, are private. A loop has about 1.3 KiB, of which it uses what its query has terms
 * for. It needs no init; a zeroed loop is one that has ended. A loop may be moved by assignment,
 * which invalidates its view; then only the new object may be used. */

/* Makes a query. HM_ERROR_INVALID: a NULL query or world, a NULL list whose count is not 0, more
 * than HM_QUERY_MAX_TERMS components, a component that is not of this world, one that is given
 * twice in a list or a group, or one in `none` that is in another list too; an empty group, or
 * groups that have not as many components together as `any`. May be called from callbacks, and
 * while queries run. A live query that is made anew while it runs leaves its world busy, and its
 * loops panic. O(components).
 *
 * The query keeps a list of the archetypes that match, and looks only at archetypes that were made
 * since it last ran. The first 12 are listed in the struct; only a longer list has a reservation,
 * and moves to one of twice the size when it is full. In a history (history.h) there is no longer
 * list, and each loop looks at the other archetypes anew. A query for a sparse component walks the
 * smaller side: the values of the smallest sparse component of `all`, or the rows of the archetypes
 * that match.
 *
 * The world must not be moved, and must outlive the query. The query may be moved while it does not
 * run. An empty query, and one after the fini of its world, matches nothing; so does
 * one for a component that a rewind has taken away.
 *
 * Threads: no locks inside. Several threads may make, run and end queries of their own at once,
 * while none changes the world or calls touch; the lists of archetypes then grow through the
 * world's memory table from all of these threads, which an arena allows only behind a lock
 * (memory.h). Example:
 *
 *     hm_query movers;
 *     const hm_query_desc desc = {.all = (hm_component[]){position, velocity},
 *                                 .all_count = 2,
 *                                 .none = &frozen,
 *                                 .none_count = 1};
 *     if (hm_query_init(&movers, &world, &desc) != HM_OK)
 *         fprintf(stderr, "%s\n", hm_last_error());
 */
HM_API hm_status hm_query_init(hm_query *query, hm_world *world, const hm_query_desc *desc);

/* Releases the query's memory and zeroes it. No loop of it may be running (a broken contract). May
 * be called twice, and after the world's fini. O(1). */
HM_API void hm_query_fini(hm_query *query);

/* Begins a loop, whatever `loop` held before: a loop that still runs must be ended first, or its
 * world stays busy. The query then *runs* until hm_query_next returns false or hm_query_end is
 * called. Meanwhile entities and components stay where they are: a call that would create, destroy,
 * add, remove or move is refused with HM_ERROR_BUSY, as from inside a callback. Values may be read
 * and written. Record other changes in hm_commands, and apply them afterwards. A loop that is left
 * before its end needs hm_query_end. A loop that begins in a callback of the world must end there.
 *
 * Any number of loops may run at once, over one query or several, also inside each other; each has
 * an hm_query_loop of its own. The query must stay where it is until its loops have ended.
 *
 * First adds the archetypes that were made since the last time to the list, or makes the list anew
 * if hm_world_trim has dropped archetypes; not while the query runs. If memory for the list is
 * refused, each loop looks at the archetypes that are missing there. Cannot fail; a loop over an
 * empty query has ended at once. O(new archetypes); with sparse components in `all`, O(archetypes
 * of the list). Example:
 *
 *     hm_query_loop loop;
 *     hm_view view;
 *     hm_query_begin(&movers, &loop);
 *     while (hm_query_next(&loop, &view)) {
 *         struct vector *at = view.columns[0];
 *         const struct vector *by = view.columns[1];
 *         for (uint32_t i = 0; i < view.count; i++)
 *             at[i].x += by[i].x;
 *     }
 */
HM_API void hm_query_begin(hm_query *query, hm_query_loop *loop);

/* Begins n loops that together visit what one loop would, each entity in exactly one of them: the
 * parts of a loop for several threads. Their numbers of rows differ by at most 32, whatever the
 * archetypes; where the values of a sparse component are walked, their numbers differ by at most 1,
 * and where rows are tested for sparse components, those are rows before the test. If there are
 * fewer rows than parts, some are empty. `parts` has n loops, and may be NULL if n is 0.
 *
 * Begin the parts before the threads start; then each part is run by hm_query_next as any loop, by
 * whatever thread. The world stays busy until the last part has ended, also one that no thread ever
 * ran: end those by hm_query_end. Meanwhile threads may read and write the values of their views,
 * use const functions of the world, and record commands, each into its own hm_commands; they may
 * not begin loops of this query, or call hm_query_touch: do that afterwards. Rows of two parts are
 * 16 apart at least where a chunk is divided, so that threads seldom write to one line of the
 * caches. What else holds, hm_query_begin says. O(n), O(archetypes of the list) and O(chunks): a
 * part of 1,000 rows is worth it. Example:
 *
 *     hm_query_loop parts[8];
 *     hm_query_begin_parts(&movers, parts, 8);
 *     for (uint32_t i = 0; i < 8; i++) { // or each on a thread of its own
 *         hm_view view;
 *         while (hm_query_next(&parts[i], &view)) {
 *             struct vector *at = view.columns[0];
 *             for (uint32_t row = 0; row < view.count; row++)
 *                 at[row].x = 0;
 *         }
 *     }
 */
HM_API void hm_query_begin_parts(hm_query *query, hm_query_loop *parts, uint32_t n);

/* Sets *view to the next view and returns true. Returns false if there is none, which ends the
 * loop, and when the loop has ended: then the view is empty and its pointers are NULL. Each entity
 * that matches is in exactly one view of a loop, in no particular order; entities that are promised
 * to commands are not alive yet, and in none. If the query was made anew, zeroed or moved
 * meanwhile, that is a broken contract. Invalidates the previous view. O(columns) for each view;
 * with sparse components, O(sparse components) for each entity of the side that is walked. */
HM_API bool hm_query_next(hm_query_loop *loop, hm_view *view);

/* Ends a loop before next has returned false. Does nothing if the loop has ended. Invalidates its
 * view. O(1). */
HM_API void hm_query_end(hm_query_loop *loop);

/* Returns the number of entities that a loop would visit. The query may be running; its loops are
 * not disturbed. Invalidates nothing. O(archetypes), or with sparse components the cost of a loop.
 */
HM_API uint32_t hm_query_count(hm_query *query);

/* Returns the time, by the clock of the world, of the last change to the values of a column of the
 * loop's view: when one of them was written, or when an entity came into the view's archetype, left
 * it or moved in it. For a sparse component, when any of its values changed. 0 without a view, for
 * a column that these entities lack, and out of range. O(1). Example:
 *
 *     uint64_t last_run = 0; // then hm_world_clock() after each loop
 *     hm_query_loop loop;
 *     hm_query_begin(&movers, &loop);
 *     hm_view view;
 *     while (hm_query_next(&loop, &view))
 *         if (hm_query_changed(&loop, 0) > last_run)
 *             upload(view.columns[0], view.count);
 *     last_run = hm_world_clock(&world);
 */
HM_API uint64_t hm_query_changed(const hm_query_loop *loop, uint32_t column);

/* Tells the clock, and the order of hm_world_defragment, that values of this column of the
 * loop's view have changed: call it after writing to them if the program uses the clock or orders
 * by them. Ignored without a view, for a column that is NULL, and out of range. Inside a callback
 * of the world it is a broken contract. Invalidates nothing. O(1), or O(entities of the view) for a
 * sparse component, and for an archetype that is being ordered. */
HM_API void hm_query_touch(hm_query_loop *loop, uint32_t column);

/* Adds and removes components as hm_world_change does, for all entities that match or for none, and
 * writes their number to *changed, unless `changed` is NULL. If neither the query nor the change
 * has sparse components, whole archetypes move at once, column by column; the destroy hooks of an
 * archetype run when all of its entities are in their new one. HM_ERROR_INVALID: a component is not
 * of this world, is given twice or in both sets, the values take more than a chunk, or a set is
 * NULL and its count is not 0; HM_ERROR_BUSY: a query is running, this one or another, or a
 * callback; HM_ERROR_MEMORY; HM_ERROR_FULL. Then nothing has changed, and *changed is 0.
 * Invalidates all pointers to values. O(entities * components), and memory of 8 bytes for
 * each entity meanwhile if something is sparse. */
HM_API hm_status hm_query_change(hm_query *query, const hm_component *add, uint32_t n_add,
                                 const hm_component *remove, uint32_t n_remove, uint32_t *changed);

/* Destroys all entities that match, as hm_world_destroy does, and returns their number. 0 when
 * busy: a query is running, this one or another, or a callback. Needs no memory. Invalidates all
 * pointers to values. O(rows of the archetypes that match * components), or O(values) of the
 * smallest sparse component of `all` if these are fewer. */
HM_API uint32_t hm_query_destroy(hm_query *query);

HM_END_C

#endif
