/* SPDX-License-Identifier: MIT */
/* detail/memory: how a struct that uses memory of a history makes itself known there. A container
 * is its memory and its struct; a history sees the memory, since it is the table, and must be told
 * where the struct is. Init joins, fini leaves, and whoever moves the struct by assignment says so.
 * For inline functions; no program needs it. */
#ifndef HANDLE_MAP_DETAIL_MEMORY_H
#define HANDLE_MAP_DETAIL_MEMORY_H

#include <handle_map/memory.h>

HM_BEGIN_C

/* What is known of a kind of struct: where its parts are, in bytes from its beginning. */
typedef struct hm_known_kind {
    const char *what;       /* "map", "pool" and so on */
    uint32_t begin, end;    /* the bytes that are rewound */
    uint32_t key_offset;    /* a uint32_t, whose bits from HM_KNOWN_SHIFT on are the key */
    uint32_t memory_offset; /* a const hm_memory *, NULL in a struct that is not initialised */
    uint32_t name_offset;   /* a const char *; 0: it has none */
    bool (*is_busy)(const void *object); /* NULL: it never is */
} hm_known_kind;

/* The key of a struct, by which it is found after a move: 0, or one that no other struct has. */
enum { HM_KNOWN_SHIFT = 8 };

/* The functions of a history; the first argument is the registry itself. */
typedef struct hm_registry {
    /* Begins to rewind a struct, and writes its key. HM_ERROR_MEMORY. */
    hm_status (*join)(struct hm_registry *registry, void *object, const hm_known_kind *kind);
    /* Ends that, and forgets all that marks know of these bytes. */
    void (*leave)(struct hm_registry *registry, void *object, const hm_known_kind *kind);
    /* The struct, which has its key, was moved here by assignment. HM_ERROR_MEMORY. */
    hm_status (*track)(struct hm_registry *registry, void *object, const hm_known_kind *kind);
    /* Begins and ends to rewind bytes, as hm_history_watch and hm_history_unwatch do. */
    hm_status (*keep)(struct hm_registry *registry, void *bytes, size_t size);
    void (*forget)(struct hm_registry *registry, const void *bytes);
    const hm_memory *lasting; /* memory that no rewind touches */
} hm_registry;

/* Returns memory for what must outlive a rewind. */
static inline const hm_memory *hm_memory_lasting(const hm_memory *memory)
{
    return memory->registry != NULL ? memory->registry->lasting : memory;
}

HM_END_C

#endif
