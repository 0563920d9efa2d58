/* SPDX-License-Identifier: MIT */
/* commands: changes to a world that are recorded now and made later, in order. While a query runs,
 * its world refuses to change: a loop records its changes instead, and the program applies them
 * afterwards.
 *
 *     recorded                   applied
 *     A = create {position}      A: {} -> {position, velocity}, one move
 *     add B frozen               B: {position} -> {position, frozen}, one move
 *     add A velocity 3
 *     destroy C                  C: destroyed
 *     add C velocity 1           skipped and counted: C is dead by then
 *
 * Owns: the values that were recorded. Moves: recording invalidates nothing in the world; apply
 * moves what the calls of the world would. Limits: the address space of the descriptor. Threads: a
 * buffer belongs to one thread; several threads may record at once, each into its own buffer
 * (hm_commands_init). Failing and callbacks: as in containers (handle_map.h), except for apply. Any
 * 64 bits may be passed as an entity. */
#ifndef HANDLE_MAP_COMMANDS_H
#define HANDLE_MAP_COMMANDS_H

#include <handle_map/world.h>

HM_BEGIN_C

/* A zero field means the default. */
typedef struct hm_commands_desc {
    size_t size; /* bytes of address space, from 32 KiB to 16 GiB; 0: 1 GiB; where addresses are
                    scarce (memory.h) 4 MiB. The buffer uses 16 KiB of it for itself. A command for
                    one component takes 24 bytes and its value, which is aligned to 8 bytes or more;
                    a command with n components takes 22 + 2 n bytes, rounded up to 8 */
} hm_commands_desc;

/* All fields are private; use the functions. */
typedef struct hm_commands {
    hm_world *world;
    uint64_t size;    /* bytes, as in the descriptor. What follows a history rewinds */
    hm_array units;   /* of 8 bytes: scratch for one value, then the commands */
    uint32_t count;   /* commands that wait */
    uint32_t skipped; /* commands that the last apply skipped */
    uint32_t dropped; /* commands that the last apply dropped */
    uint32_t known;   /* by which a history knows the buffer */
} hm_commands;

/* Reserves address space; commits nothing. `desc` may be NULL: all fields have their defaults.
 * HM_ERROR_INVALID: `commands` or `world` is NULL, or the size is against its limits.
 * HM_ERROR_MEMORY: the system refuses. O(1), one reservation.
 *
 * The buffer keeps the address of its world, which must outlive it. The memory is the world's
 * (hm_world_desc.memory), and is kept for the next frame until fini. The buffer may be moved, but
 * not from inside a callback. An empty one can record nothing.
 *
 * Threads: several may record at once, each into a buffer of its own, while nobody changes the
 * world: only const calls of the world, no apply, and no clear or fini of a buffer that has
 * commands. The buffers then grow through the world's memory table from all of these threads, which
 * an arena allows only behind a lock (memory.h). */
HM_API hm_status hm_commands_init(hm_commands *commands, hm_world *world,
                                  const hm_commands_desc *desc);

#ifndef HM_WITHOUT_HISTORY
/* Call it after moving the buffer by assignment, if its world is in a history, which then knows
 * where the buffer is (history.h). Cannot fail. O(containers of the history). */
HM_API HM_COLD void hm_commands_moved(hm_commands *commands);
#endif

/* Clears the buffer, releases all memory, zeroes the buffer. May be called twice; the first time
 * before the world's fini. If commands wait, it changes the world as hm_commands_clear does.
 * O(commands). */
HM_API void hm_commands_fini(hm_commands *commands);

/* Records the creation of an entity with these n components, whose values are zero, and returns the
 * handle that it will have, or null. The components may be given in any order; `set` may be NULL if
 * n is 0. Returns null when a component is given twice or is not of this world, when the values
 * take more than a chunk, when none of the handles that hm_world_reserve made ready is left, when
 * the buffer is full, when the system refuses memory, and inside a callback, since no handle can be
 * promised while the world changes; hm_last_error says which.
 *
 * The handle is *promised*: it is known at once, so that other commands and values can refer to it.
 * hm_world_reserve decides how many handles can be promised until the next reserve. Handles are
 * promised in the order in which all buffers ask for them. When the world changes next, by the
 * first apply or by any other call that succeeds, all promised entities become alive in that order,
 * those of all buffers at once; such a call may name them. Until then they are not alive, and until
 * their commands are applied they have no components. O(n). Example:
 *
 *     hm_world_reserve(&world, 100); // before the frame
 *     hm_handle child = hm_commands_create(&commands, (hm_component[]){position}, 1);
 *     if (hm_handle_is_null(child))
 *         fprintf(stderr, "%s\n", hm_last_error());
 */
HM_API hm_handle hm_commands_create(hm_commands *commands, const hm_component *set, uint32_t n);

/* As hm_commands_create, with copies of values[i] for set[i], which hm_commands_add tells of. NULL,
 * as it must be for a tag, means zero; so does `values` NULL. If it returns null, nothing is
 * recorded, and no handle is promised. O(n), and the size of the values. */
HM_API hm_handle hm_commands_create_with(hm_commands *commands, const hm_component *set, uint32_t n,
                                         const void *const *values);

/* Records hm_world_destroy. Commands that are recorded for this entity afterwards will be skipped.
 * HM_ERROR_MEMORY: the system refuses; HM_ERROR_FULL: the buffer is full. O(1). */
HM_API hm_status hm_commands_destroy(hm_commands *commands, hm_handle entity);

/* Records hm_world_add with a copy of this value (NULL: zero). HM_ERROR_INVALID: the component is
 * not of this world, or a value is given for a tag; HM_ERROR_MEMORY; HM_ERROR_FULL. The destroy
 * hook of the component runs once for the value, whether the world or the buffer owns it in the
 * end. That includes a value that later commands of the same buffer replace or remove, and one
 * whose command is skipped, dropped or cleared. O(size of the value). */
HM_API hm_status hm_commands_add(hm_commands *commands, hm_handle entity, hm_component component,
                                 const void *value);

/* Records hm_world_remove. HM_ERROR_INVALID: the component is not of this world; HM_ERROR_MEMORY;
 * HM_ERROR_FULL. O(1). */
HM_API hm_status hm_commands_remove(hm_commands *commands, hm_handle entity,
                                    hm_component component);

/* Records hm_world_change: adds and removes several components; what is added is zero.
 * HM_ERROR_INVALID: a component is not of this world, is given twice or in both sets, the values of
 * what is added take more than a chunk, or a set is NULL and its count is not 0; HM_ERROR_MEMORY;
 * HM_ERROR_FULL. O(n_add + n_remove). */
HM_API hm_status hm_commands_change(hm_commands *commands, hm_handle entity,
                                    const hm_component *add, uint32_t n_add,
                                    const hm_component *remove, uint32_t n_remove);

/* Runs all commands and forgets them. First all promised entities become alive, those of other
 * buffers too. Then the commands are run, the entities in the order of their first commands. All
 * commands of an entity are *joined*: they are run together, however many there are and whatever
 * was recorded in between, and the entity moves once, to the archetype of its final components. The
 * result is the same as that of calling hm_world_add, hm_world_remove and so on one after another.
 * Commands whose entity is dead, or never existed, are skipped and counted.
 *
 * Components and values are checked when they are recorded: a command that no entity could take is
 * refused at once. Only apply can tell when the values of one entity, those that it has and
 * those that are recorded, together take more than a chunk. If the values of an entity would take
 * more than a chunk, apply drops the commands of this entity, all of them or those before the first
 * hm_commands_destroy, which is run. An entity that they were to create is destroyed; another stays
 * as it is. Then apply goes on: the status does not tell, but hm_commands_dropped counts these
 * commands, and hm_last_error says why.
 *
 * If there is no memory or space for an entity, apply runs none of its commands and stops there. It
 * keeps all commands that it has not run, and can be called again, also with new ones.
 * HM_ERROR_MEMORY: the system refuses; HM_ERROR_FULL: there is no space for another archetype,
 * chunk or sparse value. HM_ERROR_BUSY while a query runs and inside a callback: nothing has
 * changed.
 *
 * A destroy hook may record commands, but not create. It must not call apply, clear or fini. A hook
 * that apply runs sees its entity in the final archetype; values of the same entity that its later
 * commands add may still be zero there. What a hook records into the buffer that is being applied
 * is applied too, after everything else, and not joined.
 *
 * Invalidates what the calls of the world would. O(commands), and O(components of the entity) for
 * each entity; takes 8 bytes of memory for each entity of the world, once for all its buffers.
 * Example:
 *
 *     if (hm_commands_apply(&commands) != HM_OK)
 *         fprintf(stderr, "%u commands wait: %s\n", (unsigned)hm_commands_count(&commands),
 *                 hm_last_error());
 *     else if (hm_commands_dropped(&commands) != 0)
 *         fprintf(stderr, "%u commands were dropped: %s\n",
 *                 (unsigned)hm_commands_dropped(&commands), hm_last_error());
 */
HM_API hm_status hm_commands_apply(hm_commands *commands);

/* Forgets all commands without running them. If there are any, this changes the world: all promised
 * entities become alive, and those that this buffer was to create are destroyed; the destroy hooks
 * of the recorded values run. So with commands waiting, a call while a query runs is a broken
 * contract; inside a callback any call is. The memory is kept. Invalidates what hm_world_destroy
 * does for those entities. O(commands). */
HM_API void hm_commands_clear(hm_commands *commands);

/* Returns the number of commands that wait for apply. O(1). */
static inline uint32_t hm_commands_count(const hm_commands *commands)
{
    HM_CONTRACT(commands != NULL, "hm_commands_count: commands is NULL");
    return commands->count;
}

/* Returns how many commands the last apply skipped because their entity was not alive. O(1). */
static inline uint32_t hm_commands_skipped(const hm_commands *commands)
{
    HM_CONTRACT(commands != NULL, "hm_commands_skipped: commands is NULL");
    return commands->skipped;
}

/* Returns how many commands the last apply dropped because the values of their entity would have
 * taken more than a chunk. O(1). */
static inline uint32_t hm_commands_dropped(const hm_commands *commands)
{
    HM_CONTRACT(commands != NULL, "hm_commands_dropped: commands is NULL");
    return commands->dropped;
}

HM_END_C

/* HM_COMMANDS_DEFINE(place, struct vector), without a semicolon, defines for the place_component of
 * HM_COMPONENT_DEFINE
 *
 *     place_commands_add(commands, entity, component, value)    as hm_commands_add
 *     place_commands_remove(commands, entity, component)        as hm_commands_remove
 *
 * with const struct vector * for the value. HM_COMMANDS_DEFINE_TAG(still) defines them for a tag;
 * still_commands_add takes no value. Example:
 *
 *     HM_COMPONENT_DEFINE(place, struct vector)
 *     HM_COMMANDS_DEFINE(place, struct vector)
 *
 *     place_component at = place_component_init(&world);
 *     place_commands_add(&commands, mover, at, &(struct vector){1, 0});
 */
#define HM_COMMANDS_DEFINE(prefix, type)                                                           \
    HM_TYPED_FORM(commands, hm_status, prefix##_commands_add,                                      \
                  (hm_commands * hm_self, hm_handle hm_entity, prefix##_component hm_kind,         \
                   type const *hm_value),                                                          \
                  hm_commands_add(hm_self, hm_entity, hm_kind.id, hm_value))                       \
    HM_COMMANDS_DEFINE_REMOVE(prefix)

#define HM_COMMANDS_DEFINE_TAG(prefix)                                                             \
    HM_TYPED_FORM(commands, hm_status, prefix##_commands_add,                                      \
                  (hm_commands * hm_self, hm_handle hm_entity, prefix##_component hm_kind),        \
                  hm_commands_add(hm_self, hm_entity, hm_kind.id, NULL))                           \
    HM_COMMANDS_DEFINE_REMOVE(prefix)

#define HM_COMMANDS_DEFINE_REMOVE(prefix)                                                          \
    HM_TYPED_FORM(commands, hm_status, prefix##_commands_remove,                                   \
                  (hm_commands * hm_self, hm_handle hm_entity, prefix##_component hm_kind),        \
                  hm_commands_remove(hm_self, hm_entity, hm_kind.id))

#endif
