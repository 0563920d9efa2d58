/* SPDX-License-Identifier: MIT */
/* handle: a 64-bit name for an item, why one may be refused, and the statistics that all
 * containers report.
 *
 *     63   62..........48  47..........32  31....................0
 *    +----+--------------+---------------+------------------------+
 *    |free| type id (15) | generation(16)|       index (32)       |
 *    +----+--------------+---------------+------------------------+
 *
 * A handle is a value: copy it, store it, send it, compare it. It owns nothing. Zero is the null
 * handle; generation 0 is never issued, so zeroed memory names no item. The bits mean the same on
 * every machine. Comparing them orders by free bit, type id, generation, index.
 *
 * Threads: pure functions. Cost: O(1) each. Nothing here fails. */
#ifndef HANDLE_MAP_HANDLE_H
#define HANDLE_MAP_HANDLE_H

#include <handle_map/base.h>

HM_BEGIN_C

typedef struct hm_handle {
    uint64_t bits; /* the layout above */
} hm_handle;

#define HM_HANDLE_GENERATION_SHIFT 32
#define HM_HANDLE_TYPE_ID_SHIFT 48
#ifndef HM_EXHAUSTIVE /* The library's own test has smaller constants. */
#define HM_HANDLE_MAX_GENERATION UINT32_C(0xFFFF)
#endif
#define HM_HANDLE_MAX_TYPE_ID UINT32_C(0x7FFF)
#define HM_HANDLE_FREE_BIT (UINT64_C(1) << 63)

/* As the type id of a descriptor: one that no other container of this process gets. Where several
 * containers have items of one type, give each a type id of its own, or this (handle_map.h).
 *
 * The numbers are HM_TYPE_ID_FIRST_UNIQUE to HM_HANDLE_MAX_TYPE_ID, in this order, for all threads
 * together, without a lock. Choose your own type ids below them: nothing else keeps the two apart.
 * A number is used up by an init that succeeds, and never given again, not even after fini, so that
 * handles of the container that has ended stay foreign everywhere. When none is left, init fails
 * with HM_ERROR_FULL. Which number a container gets depends on the inits before: a program that
 * saves or sends handles chooses their type ids.
 *
 * Copies of the library in one process share these numbers where the dynamic linker makes one
 * variable of their hm_next_unique_type_1: if the program exports it (-rdynamic), or among plugins
 * that are loaded with RTLD_GLOBAL. Elsewhere, as with RTLD_LOCAL alone, on Windows and in static
 * programs, two copies give equal numbers: link the shared library, or choose type ids. */
#define HM_TYPE_ID_UNIQUE UINT16_C(0xFFFF)
#define HM_TYPE_ID_FIRST_UNIQUE UINT32_C(0x4000)

/* Whether a descriptor may have this type id. */
#define HM_IS_TYPE_ID(number)                                                                      \
    (HM_CAST(uint64_t, number) <= HM_HANDLE_MAX_TYPE_ID ||                                         \
     HM_CAST(uint64_t, number) == HM_TYPE_ID_UNIQUE)

/* The null handle, as an expression. `{0}` initialises statics. */
#ifdef __cplusplus
#define HM_NULL_HANDLE (hm_handle{0})
#else
#define HM_NULL_HANDLE ((hm_handle){0})
#endif

/* Returns the handle with these bits. Any 64 bits are a handle; containers refuse those that they
 * did not issue. */
static inline hm_handle hm_handle_from_bits(uint64_t bits)
{
    hm_handle handle = HM_NULL_HANDLE;
    handle.bits = bits;
    return handle;
}

/* Returns an outer handle made of these parts. Generation and type id are masked to 16 and 15 bits.
 *
 * Programs hold *outer* handles: the free bit is 0, and the index is a slot of the sparse table. An
 * *inner* id is an entry of that table: its index is the item's dense position, and its free bit is
 * 1 once the slot will never be issued again. detail/id_table.h explains how both are used. */
static inline hm_handle hm_handle_pack(uint32_t index, uint32_t generation, uint32_t type_id)
{
    return hm_handle_from_bits(
        HM_CAST(uint64_t, type_id & HM_HANDLE_MAX_TYPE_ID) << HM_HANDLE_TYPE_ID_SHIFT |
        HM_CAST(uint64_t, generation & HM_HANDLE_MAX_GENERATION) << HM_HANDLE_GENERATION_SHIFT |
        index);
}

/* Returns the lower 32 bits: the slot of an outer handle, the position of an inner id. */
static inline uint32_t hm_handle_index(hm_handle h)
{
    return HM_CAST(uint32_t, h.bits);
}

/* Returns the generation, 0 to 65,535. */
static inline uint32_t hm_handle_generation(hm_handle h)
{
    return HM_CAST(uint32_t, h.bits >> HM_HANDLE_GENERATION_SHIFT) & HM_HANDLE_MAX_GENERATION;
}

/* Returns the type id, 0 to 32,767. */
static inline uint32_t hm_handle_type_id(hm_handle h)
{
    return HM_CAST(uint32_t, h.bits >> HM_HANDLE_TYPE_ID_SHIFT) & HM_HANDLE_MAX_TYPE_ID;
}

/* Whether the free bit is set. No handle that a container issues has it. */
static inline bool hm_handle_is_free(hm_handle h)
{
    return (h.bits & HM_HANDLE_FREE_BIT) != 0;
}

/* Whether all bits are zero. */
static inline bool hm_handle_is_null(hm_handle h)
{
    return h.bits == 0;
}

/* Whether all bits are the same. */
static inline bool hm_handle_equal(hm_handle a, hm_handle b)
{
    return a.bits == b.bits;
}

/* Returns a number below, equal to or above 0 if the bits of `a` are below, equal to or above those
 * of `b`, as qsort expects. */
static inline int hm_handle_compare(hm_handle a, hm_handle b)
{
    return (a.bits > b.bits) - (a.bits < b.bits);
}

/* The state of a handle in a container. Only HM_HANDLE_LIVE resolves. */
typedef enum hm_handle_state {
    HM_HANDLE_LIVE,         /* names an item */
    HM_HANDLE_NULL,         /* all bits are zero */
    HM_HANDLE_FOREIGN,      /* another container's type id */
    HM_HANDLE_OUT_OF_RANGE, /* an index that this container never issued */
    HM_HANDLE_STALE,        /* was issued; its item is gone */
    HM_HANDLE_RETIRED,      /* its slot has used up its generations; never issued again */
    HM_HANDLE_FORGED,       /* never issued: free bit, generation 0, or a future generation */
    HM_HANDLE_ABSENT,       /* an owner's that has no value or no key, in a secondary or an index */
    HM_HANDLE_PROMISED      /* its item is still to come (hm_map_promise) */
} hm_handle_state;

/* Returns the constant's name ("HM_HANDLE_STALE"), or "unknown state". Never NULL. */
HM_API const char *hm_handle_state_name(hm_handle_state state);

/* Statistics of a container: items, slots and memory. */
typedef struct hm_stats {
    uint32_t count;      /* live items */
    uint32_t capacity;   /* items, at most */
    uint32_t slots;      /* live + free + retired + promised */
    uint32_t max_slots;  /* index space: insert fails when `slots` reaches it and no slot is free */
    uint32_t free_slots; /* will be issued again, or retired if their generations are used up */
    uint32_t retired_slots;  /* generations used up; never issued again */
    uint32_t promised_slots; /* their items are still to come, or they are ready to be promised */
    uint32_t ready_slots;    /* those of them that are ready to be promised: see hm_map_promise */
    size_t committed_size;   /* bytes of memory */
    size_t reserved_size;    /* bytes of address space */
} hm_stats;

/* A container as the owners of an hm_secondary or an hm_index: what those need to know of it. Comes
 * from hm_map_as_owners and the like, and is for the field `owners` of their descriptors; zeroed,
 * it says nothing. It is a copy, not a reference. All fields are private. */
typedef struct hm_owners {
    uint32_t capacity;  /* of the container; 0: it is not initialised; from UINT32_MAX - 1 on: no
                           limit */
    uint32_t max_slots; /* index space in slots */
    uint16_t type_id;   /* of its handles */
    bool is_given;      /* false: the descriptor names no container */
} hm_owners;

HM_END_C

/* HM_HANDLE_DEFINE(node), without a semicolon, defines
 *
 *     node_handle               a distinct type, a struct with one member, hm_handle id: passing a
 *                               handle of another type does not compile
 *     node_handle_null()        returns the null handle
 *     node_handle_from_bits(b)  returns the handle with these 64 bits
 *     node_handle_is_null(h)    whether h is the null handle
 *     node_handle_equal(a, b)   whether both are the same handle
 *
 * It needs no item type, so that an item can hold handles of its own kind. Example:
 *
 *     HM_HANDLE_DEFINE(node)
 *     struct node { node_handle parent; };
 *     HM_MAP_DEFINE_FOR(node, struct node, 3)
 *
 * The untyped handle is the `id` of the typed one; `node_handle node = {handle};` converts back. An
 * array of node_handle may be passed to untyped functions as &handles->id: the layout is the same.
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
    HM_UNUSED static inline prefix##_handle prefix##_handle_from_bits(uint64_t hm_bits)            \
    {                                                                                              \
        prefix##_handle hm_named = {{0}};                                                          \
        hm_named.id.bits = hm_bits;                                                                \
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
