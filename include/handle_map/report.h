/* SPDX-License-Identifier: MIT */
/* report: which containers are alive, how many items and slots they use, and what memory they take;
 * at exit, which were not finished. Only a container that the program adds is listed. Owns:
 * nothing; the entries belong to the program. Threads: one list for the whole program. Add, remove
 * and report from one thread at a time, and report while no thread changes a container that is
 * listed. */
#ifndef HANDLE_MAP_REPORT_H
#define HANDLE_MAP_REPORT_H

#ifdef HM_FREESTANDING
#error "report.h prints: a freestanding library does not have it"
#endif

#include <handle_map/dump.h>
#include <handle_map/index.h>
#include <handle_map/lists.h>
#include <handle_map/map.h>
#include <handle_map/pool.h>
#include <handle_map/secondary.h>
#include <handle_map/sink.h>
#include <handle_map/table.h>
#include <handle_map/world.h>

#include <stdio.h>

HM_BEGIN_C

/* All fields are private. */
typedef struct hm_report_entry {
    struct hm_report_entry *next;
    const struct hm_report_kind *kind;
    const void *container;
    uint32_t id;
    size_t (*print)(const void *item, uint32_t which, char *buffer, size_t size, void *context);
    void *context;
    uint32_t leaks;          /* times that it was initialised again while alive */
    size_t leaked_committed; /* bytes that it had then */
    size_t leaked_reserved;
} hm_report_entry;

/* Adds a container to the report, after those already listed. Of a typed container pass its untyped
 * member: hm_report_add_map(&entry, &textures.map). HM_ERROR_INVALID: the entry has been added
 * already, or the container has, by another entry; then nothing has changed. A NULL argument is a
 * broken contract. Does not look into the container. O(entries).
 *
 * Add a container when it is initialised, or still zeroed: it is listed while it is alive, that is
 * from init to fini, and again after the next init. A container knows nothing of the report, so
 * listing it changes the cost of one function only, which is init: while containers are listed,
 * each init of any container takes O(entries). Other threads may initialise containers meanwhile;
 * add and remove wait for an init that reads the list.
 *
 * There is one entry for each container, best beside it. It is linked into the list, and needs no
 * initialisation. Entry and container must stay where they are until the entry is removed: remove
 * it before the memory of either is freed or reused, even if the container is finished, and before
 * a container is moved. Example:
 *
 *     static hm_map textures;
 *     static hm_report_entry textures_entry;
 *     const hm_map_desc desc = {.item_size = sizeof(struct texture), .name = "texture"};
 *
 *     if (hm_map_init(&textures, &desc) == HM_OK)
 *         hm_report_add_map(&textures_entry, &textures);
 *     hm_report(stdout);
 */
HM_API hm_status hm_report_add_map(hm_report_entry *entry, const hm_map *map);
HM_API hm_status hm_report_add_pool(hm_report_entry *entry, const hm_pool *pool);
HM_API hm_status hm_report_add_table(hm_report_entry *entry, const hm_table *table);
HM_API hm_status hm_report_add_lists(hm_report_entry *entry, const hm_lists *lists);
HM_API hm_status hm_report_add_index(hm_report_entry *entry, const hm_index *index);
HM_API hm_status hm_report_add_secondary(hm_report_entry *entry, const hm_secondary *secondary);
HM_API hm_status hm_report_add_world(hm_report_entry *entry, const hm_world *world);

/* How hm_report_items prints the items of a listed container: `print` and its context are kept, and
 * the rest of the descriptor is not used. NULL, as at the start: as bytes. HM_ERROR_INVALID: the
 * entry has not been added; then nothing has changed. O(entries). */
HM_API hm_status hm_report_set_print(hm_report_entry *entry, const hm_dump_desc *desc);

/* Removes an entry, whether or not its container is alive, and zeroes it. HM_ERROR_INVALID: it has
 * not been added, or was removed; then nothing has changed. O(entries). */
HM_API hm_status hm_report_remove(hm_report_entry *entry);

/* Prints a line for each container that is alive, in the order in which they were added, the sums,
 * and a line for each that was initialised again while alive, which is called "(finished)" if it
 * has been finished since. Returns how many are alive, plus how often that happened. `file` NULL:
 * prints nothing. Does not check whether the file could be written to; ask ferror. O(entries), and
 * for each world O(archetypes).
 *
 *     kind           items   capacity slots used retired committed KiB reserved KiB  name
 *     map               12       1000       0.0%       1           116         8248  texture
 *     pool            3000     100000       4.5%       0          1336        26672  bullet
 *     containers alive: 2; committed 1452 KiB, reserved 34920 KiB
 *     kept for the next: 24 KiB
 *     leaked: map texture was initialised again while alive, 1 time; committed 72 KiB, reserved ...
 *
 * "Items" of lists are the lists, those of an index the owners. "Slots used" is the share of the
 * index space that has been used: at 100% an insert fails when no slot is free. "Retired" slots
 * have used up their generations. The used slots of a secondary, and of an index, are those that
 * its sparse column covers. The numbers are those of get_stats; KiB are rounded up.
 *
 * "Kept" is what hm_memory_os_kept says (memory.h).
 *
 * "Leaked" is what a listed container had when it was initialised again without a fini: that can
 * never be finished, and its handles may name items of the new one. If another thread adds or
 * removes an entry during such an init, the report may miss it. Example:
 *
 *     if (hm_report(NULL) != 0)
 *         printf("a level leaves containers behind\n");
 */
HM_API uint32_t hm_report(FILE *file);

/* Prints the report to stderr if any container is alive or was leaked, else nothing. Pass it to
 * atexit: what is still alive then was never finished. The listed containers and their entries must
 * be static or allocated, since the variables of main are gone when main has returned. Costs what
 * hm_report does. */
HM_API void hm_report_leaks(void);

/* Writes the report as JSON, for tools: one object, in UTF-8. The numbers are those of hm_stats,
 * and sizes are in bytes. What a name has that is not UTF-8 becomes U+FFFD. Names stay strings
 * whatever they contain, but a page that shows them must still treat them as text of strangers.
 * Pools, lists and worlds have fields of their own, after the others.
 *
 *     {"version": "0.3.0", "kept_size": 24576, "containers": [
 *       {"id": 1, "kind": "map", "name": "texture", "type_id": 3, "count": 12, "capacity": 1000,
 *        "slots": 12, "max_slots": 1048576, "free_slots": 0, "retired_slots": 0,
 *        "promised_slots": 0, "committed_size": 118784, "reserved_size": 8445952,
 *        "wear": {"slots": 12, "counts": [7, 5, 0, ...]}, "in_order": 12}], "leaks": [
 *       {"kind": "map", "name": null, "times": 1,
 *        "committed_size": 73728, "reserved_size": 81920}]}
 *
 *     of a pool   "occupancy": {"slots": 128, "counts": [128, 90, 3]}
 *     of lists    "items": 5210, "item_size": 8, "blocks_size": 61440
 *     of a world  "archetypes": [
 *                   {"components": ["position", "velocity"], "count": 340, "chunks": 4}],
 *                 "sparse": [{"component": "burning", "count": 12}]
 *
 * The id is that of the entry, and is never used again. Wear, of all that issue handles: of so many
 * slots, evenly spread, at most 4,096, counts[i] have been issued at least 2^i times, and less than
 * twice as often; a slot retires at 65,535. In_order, if a map, a table or a secondary has been put
 * in order: how many items are known to be in order still. Occupancy: how many items each part of
 * the pool's slots has; a part has `slots` slots, the last one what is left, and there are at most
 * 64 parts. Items: those of all lists together; what blocks_size has more is heads, unused ends and
 * gaps. Archetypes: the sets of components that have entities, or had some since the last trim, and
 * the empty set. A component without a name is its number, counted in the order in which they were
 * made. Sparse components are in no archetype.
 *
 * The type id of a secondary, and of an index, is that of the owners. "Leaks" are what hm_report
 * calls so; the name of a container that has been finished since is null. HM_ERROR_IO: the sink
 * refused, and has been called no more; what it has got so far is no whole JSON. O(entries + bytes
 * of the names), for each world O(components of all archetypes), for each pool O(slots / 64), and
 * for each order O(items / 32).
 * Example:
 *
 *     FILE *file = fopen("report.json", "wb");
 *     if (file != NULL && hm_report_json(hm_sink_file(file)) != HM_OK)
 *         fprintf(stderr, "%s\n", hm_last_error());
 */
HM_API hm_status hm_report_json(hm_sink sink);

enum { HM_REPORT_MOST_ITEMS = 1000 };

/* Writes what is in a listed container, as its dump does (dump.h), but at most HM_REPORT_MOST_ITEMS
 * lines after the first: for a tool that shows a part at a time. `id`: of the container, in
 * hm_report_json. `part`: which lines, and how items are printed; NULL: the first ones; without a
 * `print`, as hm_report_set_print said. HM_ERROR_INVALID: no live container has this id.
 * HM_ERROR_IO: the sink refused. O(what is in the container) in the worst case: lines that are left
 * out are counted. */
HM_API hm_status hm_report_items(uint32_t id, const hm_dump_desc *part, hm_sink sink);

/* Writes what a handle means, as a line of text for each listed container that has handles of its
 * type id: what the container is, and the sentence of its describe. Any number may be passed as a
 * handle. HM_ERROR_IO: the sink refused. O(entries).
 *
 *     map, stale: slot 3 of 'texture' has generation 9 now, the handle 8
 */
HM_API hm_status hm_report_describe(hm_handle handle, hm_sink sink);

HM_END_C

#endif
