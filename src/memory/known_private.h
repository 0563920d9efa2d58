/* SPDX-License-Identifier: MIT */
/* known: what init and fini tell the history that a struct's memory may belong to. */
#ifndef HANDLE_MAP_KNOWN_PRIVATE_H
#define HANDLE_MAP_KNOWN_PRIVATE_H

#ifndef HM_WITHOUT_HISTORY /* A part of the library may leave it out. */

#include <handle_map/detail/memory.h>

/* Each is defined beside the init of its container. */
extern const hm_known_kind hm_known_map, hm_known_pool, hm_known_table, hm_known_secondary,
    hm_known_lists, hm_known_index, hm_known_world;

static inline uint32_t hm_known_key(const hm_known_kind *kind, const void *object)
{
    return *(const uint32_t *)(const void *)((const char *)object + kind->key_offset) >>
           HM_KNOWN_SHIFT;
}

/* Returns the memory table of a struct, NULL if that is not initialised. */
static inline const hm_memory *hm_known_memory(const hm_known_kind *kind, const void *object)
{
    return *(const hm_memory *const *)(const void *)((const char *)object + kind->memory_offset);
}

static inline hm_registry *hm_known_registry(const hm_known_kind *kind, const void *object)
{
    const hm_memory *memory = hm_known_memory(kind, object);
    return memory != NULL ? memory->registry : NULL;
}

/* The last step of an init, which has succeeded so far. */
static inline hm_status hm_known_join(const hm_known_kind *kind, void *object)
{
    hm_registry *registry = hm_known_registry(kind, object);
    return registry != NULL ? registry->join(registry, object, kind) : HM_OK;
}

/* After a move by assignment: a struct that no history knows is not asked for more than that. */
static inline hm_status hm_known_follow(const hm_known_kind *kind, void *object)
{
    if (hm_known_key(kind, object) == 0)
        return HM_OK;
    hm_registry *registry = hm_known_registry(kind, object);
    return registry->follow(registry, object, kind);
}

/* The first step of a fini, while the struct still names its memory. */
static inline void hm_known_leave(const hm_known_kind *kind, void *object)
{
    if (hm_known_key(kind, object) == 0)
        return;
    hm_registry *registry = hm_known_registry(kind, object);
    registry->leave(registry, object, kind);
}

/* What a container has of this, whose key is in its guard. `memory`: the member that points to its
 * memory table. */
#define HM_KNOWN_WITH(type, memory, is_busy)                                                       \
    const hm_known_kind hm_known_##type = {#type,                                                  \
                                           0,                                                      \
                                           sizeof(hm_##type),                                      \
                                           offsetof(hm_##type, guard.flags),                       \
                                           offsetof(hm_##type, memory),                            \
                                           offsetof(hm_##type, name),                              \
                                           (is_busy)};                                             \
    void hm_##type##_moved(hm_##type *type)                                                        \
    {                                                                                              \
        (void)hm_known_follow(&hm_known_##type, type);                                             \
    }
#define HM_KNOWN_CONTAINER(type, memory)                                                           \
    static bool type##_is_busy(const void *type)                                                   \
    {                                                                                              \
        return hm_guard_is_busy(&((const hm_##type *)type)->guard);                                \
    }                                                                                              \
    HM_KNOWN_WITH(type, memory, type##_is_busy)

#else
#define hm_known_join(kind, object) HM_OK
#define hm_known_leave(kind, object) ((void)(object))
#define HM_KNOWN_CONTAINER(type, memory)
#endif

#endif
