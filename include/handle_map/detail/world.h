/* SPDX-License-Identifier: MIT */
/* detail/world: the structs of a world, for its inline functions; no program needs the fields. */
#ifndef HANDLE_MAP_DETAIL_WORLD_H
#define HANDLE_MAP_DETAIL_WORLD_H

#include <handle_map/detail/guard.h>
#include <handle_map/id_table.h>
#include <handle_map/order.h>

HM_BEGIN_C

/* Chunks come in four sizes, the *classes*: the first chunks of an archetype are small, so that ten
 * thousand archetypes of ten entities take little memory. They lie in *regions* of addresses, at
 * most 64, where addresses count in *units* of the smallest size. A place has its chunk's first
 * unit in the region, the region and the class in one number. */
enum {
    HM_WORLD_CLASSES = 4,
    HM_WORLD_CLASS_BITS = 2,
    HM_WORLD_ROW_BITS = 14 /* a chunk has fewer than 2^14 rows */
};

#ifndef HM_EXHAUSTIVE
enum {
    HM_WORLD_BASE_BITS = 8,   /* region and class: a byte, so that it is read by one instruction */
    HM_WORLD_CLASS_SHIFT = 3, /* a class is 2^3 times as large as the one before */
    HM_WORLD_UNIT_SIZE = 512, /* bytes */
    HM_WORLD_MEMO = 8,        /* components of the largest set that create or change remembers */
    HM_WORLD_TRANSITIONS = 4  /* changes that are remembered */
};
#endif

/* Returns how far the address of the chunk with this number is from the *base* for its region and
 * class, in bytes. The bits of both count too: the base is that much lower than the region. */
#define HM_WORLD_DISTANCE(chunk)                                                                   \
    (HM_WORLD_UNIT_SIZE >= 1 << HM_WORLD_BASE_BITS                                                 \
         ? HM_CAST(size_t, chunk) * (HM_WORLD_UNIT_SIZE >> HM_WORLD_BASE_BITS)                     \
         : HM_CAST(size_t, chunk) * HM_WORLD_UNIT_SIZE >> HM_WORLD_BASE_BITS)

/* Bytes of a block, and of a chunk of the last class. */
#define HM_WORLD_BLOCK_SIZE (HM_CAST(size_t, HM_WORLD_UNIT_SIZE) << 3 * HM_WORLD_CLASS_SHIFT)

/* Where an entity's row is. */
typedef struct hm_world_place {
    uint32_t chunk; /* first unit << HM_WORLD_BASE_BITS | region << HM_WORLD_CLASS_BITS | class */
    uint32_t row;   /* archetype << HM_WORLD_ROW_BITS | row in the chunk */
} hm_world_place;

/* What a component is in an archetype. In a chunk of n rows the values begin at n * offset. */
typedef struct hm_world_cell {
    uint16_t offset; /* bytes of a row before this component's */
    uint16_t size;   /* bytes of a value; 0: a tag, or not in the archetype */
    uint16_t column; /* index of the component in the archetype's `columns`, if it has a size */
    bool is_present;
} hm_world_cell;

/* An archetype: all entities that have exactly the same components. The fields that lookups read
 * come first. */
typedef struct hm_world_archetype {
    hm_world_cell *cells;            /* number of a component -> its cell */
    uint32_t *edges;                 /* number -> archetype with that component more, or less */
    uint32_t cell_count;             /* components that cells and edges cover */
    uint16_t rows[HM_WORLD_CLASSES]; /* rows in a chunk of each class; 0: too small */
    uint32_t first, last, tail;      /* chunks, as in hm_world_place: first, last with rows, last */
    uint32_t last_rows;              /* rows in the chunk `last` */
    uint32_t count;                  /* rows */
    uint32_t chunk_count;            /* chunks, spare ones included */
    uint32_t gains;                  /* rows that a change of many entities prepares; or 0 */
    uint64_t changed;                /* clock at which rows last came, left or moved */
    uint64_t *column_changed;        /* column -> clock at which its values last changed */
    uint16_t *set;                   /* numbers of the components, rising */
    uint16_t *columns;               /* numbers of those with a size, alignments falling */
    uint32_t set_count, column_count;
    uint32_t stamp;                 /* that no other archetype has or had, in any world */
    uint32_t next;                  /* archetype: in the bucket, or among the dropped ones */
    uint32_t cell_chunk, set_chunk; /* chunks that hold cells and edges, set and columns */
    uint16_t row_size;              /* bytes */
    uint16_t entity_offset;         /* bytes: hm_world_cell.offset of the entities */
    uint16_t first_class;           /* class of the smallest chunk that fits a row */
    uint16_t hook_count;            /* columns with a destroy hook */
    uint16_t initial_count;         /* columns with an initial value */
    bool is_alive;
    bool is_ordered;       /* for the world's order */
    uint32_t next_gaining; /* the next archetype that gains rows; or 0 */
} hm_world_archetype;

/* Memory for chunks: blocks of 256 KiB, each whole or divided, and its eighths likewise. */
typedef struct hm_world_store {
    unsigned char **bases;            /* base_array.data */
    hm_array base_array;              /* region -> the base for each class */
    hm_array record_array;            /* the nodes of each block */
    size_t committed_size;            /* bytes of the last region */
    uint32_t limit;                   /* blocks */
    bool grows_in_steps;              /* else a region is committed whole */
    uint32_t heads[HM_WORLD_CLASSES]; /* class -> node with a free child; the last: free blocks */
} hm_world_store;

/* A change of components, as it was given, that led from one archetype to another. It had no sparse
 * component, and the first archetype has none of those that it adds. */
typedef struct hm_world_transition {
    uint32_t from, to;
    uint32_t add_count, remove_count;   /* both 0: no change */
    uint32_t components[HM_WORLD_MEMO]; /* added, then removed */
} hm_world_transition;

/* All fields are private; use the functions. */
typedef struct hm_world {
    hm_id_table ids;                /* first, so that a lookup's fields are near */
    hm_world_place *places;         /* slot -> place */
    hm_world_archetype *archetypes; /* archetype_array.data */
    hm_world_store store;
    uint32_t salt; /* a component is salt + its number: no two worlds share one */
    uint32_t component_count;
    uint32_t sparse_count;    /* components with sparse storage */
    uint32_t running;         /* queries that are between begin and end */
    hm_guard guard;           /* its limit: entities for which the id table is committed */
    uint32_t promised;        /* handles given out by commands, whose entities do not live yet */
    uint32_t ready_end;       /* entities; creates are promised up to this count */
    uint64_t clock;           /* changes so far */
    bool poisons;             /* the program runs under AddressSanitizer */
    uint32_t archetype_count; /* live ones, not counting that without components */
    uint32_t max_archetypes;  /* their limit */
    uint32_t dropped;         /* head of the list of dropped archetypes */
    uint32_t epoch;           /* the version since which archetypes were only added at the end */
    uint32_t bucket_mask;     /* buckets - 1 */
    uint32_t memo_count;      /* components of the set that was created last; 0: none */
    uint32_t memo_archetype;  /* its archetype */
    uint32_t memo[HM_WORLD_MEMO]; /* its components as they were given */
    hm_array place_array;         /* hm_world_place */
    hm_array mask_array;          /* slot -> uint64_t: which sparse components it may have */
    hm_array archetype_array;     /* hm_world_archetype */
    hm_array bucket_array;        /* the last changes; then hash -> archetype */
    hm_array component_array;     /* number -> record of the component */
    hm_array first_range;         /* holds arrays that have not moved, and the first region */
    uint64_t link_end;            /* links above it are in use */
    uint32_t order_archetype;     /* archetype that is being ordered */
    uint32_t version; /* of the components and archetypes: a stamp for each change, which
                         a rewind brings back, and nothing else */
    /* What only some worlds need lies in ranges of their own, after the array. NULL: not yet. */
    hm_array *sparse; /* hm_secondary */
    hm_array *links;  /* position of an entity -> uint64_t, for commands */
    hm_array *order;  /* hm_world_order, for defragment */
    const hm_memory *memory;
    const char *name;
} hm_world;

HM_STATIC_ASSERT(sizeof(void *) != 8 || sizeof(hm_world) <= 1024, "programs have many");

#ifndef HM_WITHOUT_HISTORY
/* Call it after moving the container by assignment, if it is in a history, which then knows where
 * it is (history.h). Cannot fail. O(containers of the history). */
HM_API HM_COLD void hm_world_moved(hm_world *world);
#endif

/* The parts of get and has that are not inline: the value of the sparse component with this number,
 * or NULL, and whether the entity has one. */
HM_API void *hm_world_get_sparse(const hm_world *world, hm_handle entity, uint32_t number);
HM_API bool hm_world_has_sparse(const hm_world *world, hm_handle entity, uint32_t number);
/* hm_world_component with a status; `made` gets HM_INVALID_INDEX unless that is HM_OK. */
struct hm_component_desc;
HM_API hm_status hm_world_make_component(hm_world *world, const struct hm_component_desc *desc,
                                         uint32_t *made);
/* For world.hpp: says why a C++ type is no component, and returns the status. `type` may be NULL.
 */
HM_API HM_COLD hm_status hm_world_refuse_type(const hm_world *world, const char *type,
                                              hm_status status, const char *why);

static inline unsigned char *hm_world_chunk_at(const hm_world *world, uint32_t chunk)
{
    return world->store.bases[chunk & ((1U << HM_WORLD_BASE_BITS) - 1)] + HM_WORLD_DISTANCE(chunk);
}

/* Returns the address of row `row` of a column. */
static inline unsigned char *hm_world_address(const hm_world *world,
                                              const hm_world_archetype *archetype,
                                              hm_world_place place, uint32_t offset, uint32_t size)
{
    uint32_t rows = archetype->rows[place.chunk & (HM_WORLD_CLASSES - 1)];
    uint32_t row = place.row & ((1U << HM_WORLD_ROW_BITS) - 1);
    return hm_world_chunk_at(world, place.chunk) + HM_CAST(size_t, rows) * offset +
           HM_CAST(size_t, row) * size;
}

/* Returns the value of a component of a live entity, whose place this is, or NULL. */
static inline void *hm_world_get_at(const hm_world *world, hm_handle entity, hm_world_place place,
                                    uint32_t component)
{
    const hm_world_archetype *archetype = &world->archetypes[place.row >> HM_WORLD_ROW_BITS];
    uint32_t number = component - world->salt;
    hm_world_cell cell;
    if (number >= archetype->cell_count)
        return hm_world_get_sparse(world, entity, number);
    cell = archetype->cells[number];
    if (cell.size == 0)
        return hm_world_get_sparse(world, entity, number);
    return hm_world_address(world, archetype, place, cell.offset, cell.size);
}

HM_END_C

#endif
