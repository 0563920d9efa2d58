/* SPDX-License-Identifier: MIT */
/* A program of random operations over every container. All that it learns (handles, orders, items
 * and statuses) goes into one number, which is the same on every machine, whatever the size of a
 * page, the memory table, the size of a pointer and the order of bytes, with a capacity and
 * without. It is the same too if each container is replaced now and then by a loaded copy of
 * itself: at these steps all of them forget what their orders know.
 *
 * The number stands in program.c. A change of the library that changes it changes what programs see
 * that depend on handles or orders: say so in the changelog. */
#ifndef TEST_SUPPORT_PROGRAM_H
#define TEST_SUPPORT_PROGRAM_H

#include <handle_map/handle_map.h>

enum {
    CAPACITY = 6000,
    SLOTS = 20000,
    FEW = 400,   /* owners of one index, so that it becomes full; so do the lists */
    KNOWN = 512, /* handles of each container that the program remembers */
    KEYS = 1000,
    BATCH = 24,
    POOLS = 4,
    TABLES = 2,
    INDICES = 2,
    COMPONENTS = 5,
    QUERIES = 3
};

typedef struct program {
    uint64_t random, hash;
    uint32_t step, target; /* of the counts */
    bool loads;            /* set after program_begin: replaces containers by their copies */
    const hm_memory *memory;
    uint32_t capacity; /* items, or 0 */
    hm_map map;
    hm_pool pools[POOLS];
    hm_table tables[TABLES];
    hm_secondary secondary; /* owned by items of the map, and so are the indices */
    hm_index indices[INDICES];
    hm_lists lists;
    hm_world world;
    hm_component components[COMPONENTS]; /* two in archetypes, two sparse, and a tag */
    hm_query queries[QUERIES];
    hm_commands commands;
    hm_handle named[BATCH]; /* at one address: by that an arrangement knows that it goes on */
    hm_handle of_map[KNOWN], of_pools[POOLS][KNOWN], of_tables[TABLES][KNOWN], of_lists[KNOWN],
        of_world[KNOWN];
} program;

/* Begins the program, whose containers take their memory from a table. It must not move then. */
void program_begin(program *p, const hm_memory *memory, uint32_t capacity);

/* Makes the next step; false: there is none. */
bool program_step(program *p);

/* Ends the containers, and checks the number. */
void program_end(program *p);

/* Ends the containers. */
void program_release(program *p);

#endif
