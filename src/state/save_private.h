/* SPDX-License-Identifier: MIT */
/* state: what the saves and loads of worlds share, and those of changes. A load of a world has
 * these sources:
 *
 *     load_world.c            components, entities, sparse values
 *       load_archetypes.c     archetypes and their rows
 *       save_world.c          the names and formats of components */
#ifndef HANDLE_MAP_SAVE_PRIVATE_H
#define HANDLE_MAP_SAVE_PRIVATE_H

#include "state_private.h"

/* In the payload, of a component: bytes before its names, and the bits of its flags. */
enum { HM_SAVE_COMPONENT = 16, HM_SAVE_COMPONENT_ENCODED = 1, HM_SAVE_COMPONENT_SPARSE = 2 };

/* Rows whose columns are saved one behind the other: a load makes room for so many at a time. */
enum { HM_SAVE_ROWS = 64 };

/* Rows that follow each other in a chunk. */
typedef struct hm_save_run {
    hm_world_place place;
    uint32_t rows;
} hm_save_run;

/* The numbers of a world behind those of its id table. */
enum {
    HM_SAVE_WORLD_COMPONENTS = HM_SAVE_IDS_DETAILS,
    HM_SAVE_WORLD_ARCHETYPES,
    HM_SAVE_WORLD_OLD_DETAILS,                         /* in files of 0.3 */
    HM_SAVE_WORLD_DROPPED = HM_SAVE_WORLD_OLD_DETAILS, /* archetypes whose numbers are free */
    HM_SAVE_WORLD_CLOCK,
    HM_SAVE_WORLD_CLOCK_HIGH,
    HM_SAVE_WORLD_READY, /* entities that hm_world_reserve has made room for */
    HM_SAVE_WORLD_DETAILS
};

/* Bytes before the components of an archetype, and a time of the clock. */
enum { HM_SAVE_ARCHETYPE = 21, HM_SAVE_OLD_ARCHETYPE = 8, HM_SAVE_TIME = 8 };

/* A byte tells of the chunks of an archetype: from the lowest bit on the class of each small one,
 * and how many spare ones are behind the `used` ones with rows: one at most, or in the root
 * archetype, which has those of a reserve, as many as are small. The classes of all others are
 * known. */
enum {
    HM_SAVE_CLASS_BITS = 2,
    HM_SAVE_CLASS_MASK = (1 << HM_SAVE_CLASS_BITS) - 1,
    HM_SAVE_SPARE_SHIFT = HM_WORLD_SMALL_CHUNKS * HM_SAVE_CLASS_BITS
};
HM_STATIC_ASSERT(HM_WORLD_CLASSES - 1 == HM_SAVE_CLASS_MASK, "a class has 2 bits");

static inline uint32_t hm_save_most_spares(const hm_world_archetype *archetype, uint32_t used)
{
    bool is_root = archetype->set_count == 0;
    return is_root && used < HM_WORLD_SMALL_CHUNKS ? HM_WORLD_SMALL_CHUNKS - used : 1;
}

/* save_world.c */

/* HM_ERROR_INVALID: a format is for no component, or a component has two. */
hm_status hm_save_check_formats(const hm_world *world, const hm_world_save_desc *desc);

/* Returns the format of a component, or NULL. */
const hm_save_desc *hm_save_format_of(const hm_world_save_desc *desc, hm_component component);

/* Returns the name of a component in files, or NULL. */
const char *hm_save_name_of(const hm_world *world, const hm_world_save_desc *desc, uint32_t number);

/* HM_ERROR_INVALID: a component has two formats, no name, a too long one, or that of another; or a
 * format is for no component of the world. */
hm_status hm_save_check_components(const hm_world *world, const hm_world_save_desc *desc);

/* load_world.c */

/* A component of the file. */
typedef struct hm_load_component {
    const hm_save_desc *format; /* NULL: as bytes */
    uint32_t match;             /* with the same name here, or HM_WORLD_NONE */
    uint32_t number;            /* the same; HM_WORLD_NONE: it is dropped */
    uint32_t encoded_size;      /* bytes */
    uint32_t version;           /* of the layout */
    bool is_sparse;
    bool is_zero; /* its values are zero, whatever they were */
} hm_load_component;

/* A world that is being loaded. */
typedef struct hm_load_world {
    const hm_world *world;
    hm_world fresh;
    const hm_world_save_desc *desc;
    bool is_merge; /* the world is that of a merge */
    hm_load_ids ids;
    hm_array part_array; /* hm_load_component */
    uint64_t clock;      /* of the file; with the world's own before the load */
    bool is_kept;        /* archetypes have the numbers that they had */
    uint32_t left;       /* entities that have no row yet */
    uint32_t archetype;  /* that is being read */
    uint32_t classes;    /* of its small chunks, if archetypes are kept */
    uint32_t made;       /* values of the column, or of the sparse component, that is being read */
    hm_save_in in;
} hm_load_world;

static inline hm_load_component *hm_load_component_at(const hm_load_world *load, uint32_t i)
{
    return (hm_load_component *)(void *)load->part_array.data + i;
}

/* load_archetypes.c */

/* Reads the archetypes with all rows, and the free numbers. */
hm_status hm_load_archetypes(hm_load_world *load);

/* Reads a time of the clock, `back` bytes before which the next byte of the payload is; *time
 * becomes the later one. */
hm_status hm_load_time(hm_load_world *load, const unsigned char *bytes, size_t back,
                       uint64_t *time);

/* Whether values of a component have to be destroyed if the load fails. */
bool hm_load_destroys(const hm_load_world *load, const hm_load_component *part);

/* Destroys the values of a component in all rows. */
void hm_load_destroy_rows(hm_load_world *load, const hm_load_component *part);

/* changes: what save_changes.c and load_changes.c share */

/* Bytes before the value of a change: its handle, its part, the bytes of its value, its kind. */
enum { HM_DELTA_HEAD = 17 };

/* The numbers of the header. Sections of 0.3 have none. */
enum {
    HM_DELTA_FROM,     /* the mark from which it leads to the position of the header: two numbers */
    HM_DELTA_DONE = 2, /* changes on this way that were in sections before */
    HM_DELTA_IS_PART,  /* 1: there are more, for another section */
    HM_DELTA_DETAILS
};

/* A container, and how its values are saved. */
typedef struct hm_delta {
    hm_save_kind kind;
    const hm_known_kind *known;
    const void *container;
    uint32_t type_id;
    size_t item_size;                /* bytes; of a world those of an entity */
    hm_save_desc desc;               /* of a world the part that is like others' */
    const hm_world_save_desc *world; /* or NULL */
} hm_delta;

hm_delta hm_delta_of_map(const hm_map *map, const hm_save_desc *desc);
hm_delta hm_delta_of_pool(const hm_pool *pool, const hm_save_desc *desc);
hm_delta hm_delta_of_table(const hm_table *table, const hm_save_desc *desc);
hm_delta hm_delta_of_secondary(const hm_secondary *secondary, const hm_save_desc *desc);
hm_delta hm_delta_of_lists(const hm_lists *lists, const hm_save_desc *desc);
hm_delta hm_delta_of_index(const hm_index *index, const hm_save_desc *desc);
hm_delta hm_delta_of_world(const hm_world *world, const hm_world_save_desc *desc);

/* Returns the format of a value. Without encode, or decode, that is saved as its bytes. */
const hm_save_desc *hm_delta_format(const hm_delta *of, const hm_change *change);

/* Returns the bytes of an item of a value; a tag and an entity have none. */
size_t hm_delta_item_size(const hm_delta *of, const hm_change *change);

/* Tells where the changes of a section lead from, and to; false: it does not say. */
bool hm_delta_way(const hm_save_section *section, hm_position *from, hm_position *to);

/* Fills in what the descriptor and the container say. HM_ERROR_INVALID, HM_ERROR_FULL: it is not
 * initialised. */
hm_status hm_delta_describe(hm_save_section *section, const hm_delta *of);

#endif
