/* SPDX-License-Identifier: MIT */
/* dump: writes what is in a container as lines of text, for a diff in a test and for bug reports.
 * The first line tells what the container is, then each item has one, in the order of loops:
 *
 *     map 'sprites': 2 items, 3 slots, type id 7
 *     0x0007000100000000: 00 00 80 3f
 *     0x0007000200000002: 00 00 00 40
 *
 * Items are bytes in hexadecimal, at most 64 of them, or what the program prints. All calls are
 * const. HM_ERROR_IO: the sink refused; what it got is a beginning of the text. HM_ERROR_FULL: the
 * container is not initialised. O(what is in the container). Takes 1 KiB of stack. */
#ifndef HANDLE_MAP_DUMP_H
#define HANDLE_MAP_DUMP_H

#include <handle_map/index.h>
#include <handle_map/lists.h>
#include <handle_map/map.h>
#include <handle_map/pool.h>
#include <handle_map/secondary.h>
#include <handle_map/sink.h>
#include <handle_map/table.h>
#include <handle_map/world.h>

HM_BEGIN_C

/* How items are printed, and which; NULL instead of a descriptor: all, as bytes. Of a descriptor a
 * NULL function means bytes. */
typedef struct hm_dump_desc {
    /* Writes an item as text, and returns its length, which may be above the size, as snprintf
     * does. `which`: of a table the column that the cell is in, of a world the component that the
     * value is of, else 0. At most 255 characters are used. */
    size_t (*print)(const void *item, uint32_t which, char *buffer, size_t size, void *context);
    void *context;         /* passed to print */
    uint32_t first;        /* so many lines are left out, after the line that tells what it is */
    uint32_t most;         /* lines that follow it, at most; 0: no limit */
    const char *component; /* of a world: only the entities that have the component of this name;
                              of one without a name its number, in the order of their making, as
                              "3"; NULL: all */
} hm_dump_desc;

/* Example:
 *
 *     if (hm_map_dump(&map, NULL, hm_sink_file(stderr)) != HM_OK)
 *         fprintf(stderr, "%s\n", hm_last_error());
 */
HM_API hm_status hm_map_dump(const hm_map *map, const hm_dump_desc *desc, hm_sink sink);
HM_API hm_status hm_pool_dump(const hm_pool *pool, const hm_dump_desc *desc, hm_sink sink);
/* A line for each row: its cells, with bars between them. */
HM_API hm_status hm_table_dump(const hm_table *table, const hm_dump_desc *desc, hm_sink sink);
HM_API hm_status hm_secondary_dump(const hm_secondary *secondary, const hm_dump_desc *desc,
                                   hm_sink sink);
/* A line for each list, also an empty one: its items, with bars between them. */
HM_API hm_status hm_lists_dump(const hm_lists *lists, const hm_dump_desc *desc, hm_sink sink);
/* A line for each key: its members. `print` is not called. */
HM_API hm_status hm_index_dump(const hm_index *index, const hm_dump_desc *desc, hm_sink sink);
/* A line for each entity, in the order of their handles' positions: the names of its components,
 * with their values. */
HM_API hm_status hm_world_dump(const hm_world *world, const hm_dump_desc *desc, hm_sink sink);

HM_END_C

#endif
