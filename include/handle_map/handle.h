/* SPDX-License-Identifier: MIT */
/* handle: a 64-bit name for an item, the reasons why one may be refused, and the statistics that
 * all containers of handles give.
 *
 *     63   62..........48  47..........32  31....................0
 *    +----+--------------+---------------+------------------------+
 *    |free| type id (15) | generation(16)|       index (32)       |
 *    +----+--------------+---------------+------------------------+
 *
 * A handle is a value: copy it, store it, send it, compare it. It owns nothing. Zero is the null
 * handle; generation 0 is never issued, so that no zeroed memory names an item.
 *
 * The layout is built with shifts and masks, never with bit-fields, whose order is the compiler's
 * choice: the bits mean the same on every machine. Comparing `bits` orders by free bit, type id,
 * generation, index.
 *
 * An *outer* handle is what users hold: its free bit is 0 and its index is a slot of the sparse
 * table. An *inner* id is an entry of that table: its index is the item's dense position, and its
 * free bit is 1 after an erase. This header knows no container; id_table.h gives both their
 * meaning.
 *
 * Threads: pure functions. Cost: O(1) each. Nothing here fails. */
#ifndef HANDLE_MAP_HANDLE_H
#define HANDLE_MAP_HANDLE_H

#include <handle_map/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HM_HANDLE_GENERATION_SHIFT 32
#define HM_HANDLE_TYPE_ID_SHIFT 48
#define HM_HANDLE_MAX_GENERATION UINT32_C(0xFFFF)
#define HM_HANDLE_MAX_TYPE_ID UINT32_C(0x7FFF)
#define HM_HANDLE_FREE_BIT (UINT64_C(1) << 63)

typedef struct hm_handle {
    uint64_t bits; /* the layout above */
} hm_handle;

/* The null handle, as an expression. `{0}` initialises statics. */
#ifdef __cplusplus
#define HM_NULL_HANDLE (hm_handle{0})
#else
#define HM_NULL_HANDLE ((hm_handle){0})
#endif

/* Any 64 bits are a handle; containers refuse those that they did not issue. */
static inline hm_handle hm_handle_from_bits(uint64_t bits)
{
    hm_handle handle = HM_NULL_HANDLE;
    handle.bits = bits;
    return handle;
}

/* Builds an outer handle. Generation and type id are masked to 16 and 15 bits. */
static inline hm_handle hm_handle_pack(uint32_t index, uint32_t generation, uint32_t type_id)
{
    return hm_handle_from_bits(
        HM_CAST(uint64_t, type_id & HM_HANDLE_MAX_TYPE_ID) << HM_HANDLE_TYPE_ID_SHIFT |
        HM_CAST(uint64_t, generation & HM_HANDLE_MAX_GENERATION) << HM_HANDLE_GENERATION_SHIFT |
        index);
}

static inline uint32_t hm_handle_index(hm_handle h)
{
    return HM_CAST(uint32_t, h.bits);
}

static inline uint32_t hm_handle_generation(hm_handle h)
{
    return HM_CAST(uint32_t, h.bits >> HM_HANDLE_GENERATION_SHIFT) & HM_HANDLE_MAX_GENERATION;
}

static inline uint32_t hm_handle_type_id(hm_handle h)
{
    return HM_CAST(uint32_t, h.bits >> HM_HANDLE_TYPE_ID_SHIFT) & HM_HANDLE_MAX_TYPE_ID;
}

static inline bool hm_handle_is_free(hm_handle h)
{
    return (h.bits & HM_HANDLE_FREE_BIT) != 0;
}

static inline bool hm_handle_is_null(hm_handle h)
{
    return h.bits == 0;
}

static inline bool hm_handle_equal(hm_handle a, hm_handle b)
{
    return a.bits == b.bits;
}

/* Negative, zero or positive as a's bits are below, equal to or above b's: as qsort expects. */
static inline int hm_handle_compare(hm_handle a, hm_handle b)
{
    return (a.bits > b.bits) - (a.bits < b.bits);
}

/* What a container says of a handle. Only HM_HANDLE_LIVE resolves. */
typedef enum hm_handle_state {
    HM_HANDLE_LIVE,
    HM_HANDLE_NULL,         /* all bits are zero */
    HM_HANDLE_FOREIGN,      /* another container's type id */
    HM_HANDLE_OUT_OF_RANGE, /* an index that this container never issued */
    HM_HANDLE_STALE,        /* issued once; the item is gone */
    HM_HANDLE_RETIRED,      /* its slot has spent all generations and is never issued again */
    HM_HANDLE_FORGED        /* never issued: free bit, generation 0, or a generation to come */
} hm_handle_state;

/* Returns the constant's name ("HM_HANDLE_STALE"), or "unknown state". Never NULL. */
HM_API const char *hm_handle_state_name(hm_handle_state state);

/* What a container says of its items, slots and memory. */
typedef struct hm_stats {
    uint32_t count;      /* items alive */
    uint32_t capacity;   /* most items */
    uint32_t slots;      /* live + free + retired */
    uint32_t max_slots;  /* index space: insert is full when `slots` reaches it and none is free */
    uint32_t free_slots; /* will be issued again, or retired when their turn comes */
    uint32_t retired_slots; /* spent */
    size_t committed_size;  /* bytes */
    size_t reserved_size;   /* bytes of address space */
} hm_stats;

#ifdef __cplusplus
}
#endif

/* HM_HANDLE_DEFINE(node), without a semicolon, defines
 *
 *     node_handle               a struct with one member, hm_handle id: a type of its own. Another
 *                               type's handle, given where this one is asked for, does not compile
 *     node_handle_null()        returns the null handle
 *     node_handle_is_null(h)    whether h is the null handle
 *     node_handle_equal(a, b)   whether both are the same handle
 *
 * It needs no item type, so that an item can hold handles of its own kind:
 *
 *     HM_HANDLE_DEFINE(node)
 *     struct node { node_handle parent; };
 *     HM_MAP_DEFINE_FOR(node, struct node, 3)
 *
 * The untyped handle of a typed one is its `id`; `node_handle node = {handle};` is the way back. An
 * array of node_handle may be given to untyped functions as &handles->id: the layout is the same.
 */
#define HM_HANDLE_DEFINE(prefix)                                                                   \
    typedef struct prefix##_handle {                                                               \
        hm_handle id;                                                                              \
    } prefix##_handle;                                                                             \
    HM_STATIC_ASSERT(sizeof(prefix##_handle) == sizeof(hm_handle), "one member, without padding"); \
    HM_UNUSED static inline prefix##_handle prefix##_handle_null(void)                             \
    {                                                                                              \
        prefix##_handle hm_named = {{0}};                                                          \
        return hm_named;                                                                           \
    }                                                                                              \
    HM_UNUSED static inline bool prefix##_handle_is_null(prefix##_handle hm_named)                 \
    {                                                                                              \
        return hm_handle_is_null(hm_named.id);                                                     \
    }                                                                                              \
    HM_UNUSED static inline bool prefix##_handle_equal(prefix##_handle hm_a, prefix##_handle hm_b) \
    {                                                                                              \
        return hm_handle_equal(hm_a.id, hm_b.id);                                                  \
    }

#endif
