/* SPDX-License-Identifier: MIT */
/* world: entities that are named by handles and have any set of components. All entities with the
 * same set are an *archetype*, whose rows are packed, so that a query visits arrays.
 *
 *     entity             places (by slot)             archetype {position, velocity}
 *     index 3, gen 7 --> chunk 5, archetype 2, row 1 -->  entities | 9 | 3 | 4 |
 *                                                         position | p | p | p |
 *                                                         velocity | v | v | v |  <- a chunk
 *
 * Owns: the values of all components. Moves: adding or removing a component moves the entity to
 * another archetype; in the archetype that it leaves, the last entity fills the hole
 * (swap-and-pop), as when one is destroyed. defragment moves values into order. Growing moves no
 * value of a component that is not sparse, with or without a capacity: a chunk stays where it is.
 * Without one, sparse values move as those of a secondary. A pointer to a value is valid until the
 * next call that may move it. Limits: 2^31 - 1 entities, 1,024 components, 16,368 bytes of values
 * in an entity's row. Any number may be passed as a component. A world is storage: it has no
 * systems, events or relations. query.h visits the entities that have certain components,
 * commands.h records changes for later. What all containers share: handle_map.h. */
#ifndef HANDLE_MAP_WORLD_H
#define HANDLE_MAP_WORLD_H

#include <handle_map/detail/typed.h>
#include <handle_map/detail/world.h>
#include <handle_map/order.h>

HM_BEGIN_C

/* Names a kind of component. It belongs to the world that made it: other worlds refuse it. */
typedef uint32_t hm_component;

#ifndef HM_EXHAUSTIVE
enum { HM_WORLD_MAX_COMPONENTS = 1024 };
#endif

/* Where the values of a component are. Adding one that is not sparse moves the entity's row to the
 * archetype of the larger set; the way there is cached in the archetype, so it costs no search the
 * second time. A component that comes and goes often is better sparse. */
typedef enum hm_component_storage {
    HM_COMPONENT_ARCHETYPE = 0, /* a column in each archetype whose set has the component */
    HM_COMPONENT_SPARSE         /* an hm_secondary: adding and removing moves no other component;
                                   the component's last value takes the place of a removed one */
} hm_component_storage;

/* A zero field means the default. */
typedef struct hm_component_desc {
    size_t size;      /* bytes of a value; a multiple of align; 0: a *tag*, without values. In its
                         archetype an entity has at most 16,368 bytes of values, including 8 for its
                         handle: larger values must be sparse */
    size_t align;     /* bytes, a power of two up to 4096; 0: the largest one that divides the size,
                         at most 16 */
    const char *name; /* in messages; must outlive the world; NULL: they show its number */
    /* Once for each value (tags have none): when it is removed or replaced, or its entity dies.
     * What the value points to belongs to the program, which may free it here. For a removed value
     * the entity is in its new archetype already; for the values of an entity that is destroyed, it
     * is still alive, with all components. */
    void (*destroy)(void *value, void *context);
    /* For hm_world_copy: makes `value`, which has the bytes of `from` already, a copy of it. NULL:
     * the bytes are enough; but then a value with a destroy hook cannot be copied. */
    void (*copy)(void *value, const void *from, void *context);
    void *context; /* passed to the hooks */
    hm_component_storage storage;
    const void *initial; /* a value, which is copied where a call gives none: wherever world.h,
                            commands.h and query.h say zero, but not in a load. Must outlive the
                            world; NULL, as it must be for a tag: zero */
} hm_component_desc;

/* A zero field means the default. */
typedef struct hm_world_desc {
    uint32_t capacity;        /* entities, at most 2^31 - 1; 0: no limit but that and max_slots */
    uint32_t max_slots;       /* index space in slots, at least the capacity; 0: as for a map */
    uint16_t type_id;         /* of the entities; at most 0x7FFF, or HM_TYPE_ID_UNIQUE; two worlds
                                 of one type id take each other's entities for their own */
    uint16_t generation_bits; /* 2 to 16: a slot is retired after 2^bits - 1 entities; 0: 16 */
    const hm_memory *memory;  /* NULL: hm_memory_os(); must outlive the world */
    const char *name;         /* in messages; must outlive the world; NULL: "world" */
    uint32_t max_archetypes;  /* not counting the one without components; at most 262,143, which 0
                                 means too */
    uint64_t max_size; /* bytes for archetypes and their chunks, beyond the first 72 KiB, from
                          256 KiB to 2^39; 0: as many as can be numbered, 392 GiB */
} hm_world_desc;

/* Statistics of the entities and of all memory but that of queries and commands. */
typedef hm_stats hm_world_stats;

/* Reserves address space; commits some pages for the archetype of entities without components.
 * Fails as every init does (handle_map.h). O(1), one reservation.
 *
 * Memory: 20 bytes for each entity, 8 more in its row, and 8 more if sparse components are used. An
 * archetype takes 1 KiB or more of its own, and chunks: the first ones have 512 bytes, 4 KiB and 32
 * KiB, others 256 KiB. They are in regions that are added, of 8 KiB, of 64 KiB, and then of as much
 * as there is already: with a capacity memory is committed in them as it is needed. */
HM_API hm_status hm_world_init(hm_world *world, const hm_world_desc *desc);

/* Destroys all entities, releases all memory, zeroes the world. No query may be running (a broken
 * contract), and each hm_commands must have been finished. O(archetypes), or O(values) with destroy
 * hooks. */
HM_API void hm_world_fini(hm_world *world);

/* Makes a component and returns it. A second one of the same name is the first one, which keeps its
 * hooks, if size, alignment and storage are equal; components without a name are never the same.
 * Returns HM_INVALID_INDEX for a name that another layout has, a size or alignment against the
 * limits above, a tag with a hook, an initial value or sparse storage, and an unknown storage; when
 * HM_WORLD_MAX_COMPONENTS exist already; when the system refuses memory; and when busy.
 * hm_last_error says which. A component exists until fini. The world keeps no pointer to the
 * descriptor. Allowed while a query runs, unless there is no capacity and an array is full, which
 * would move; but not inside a callback. O(components), with a reservation for a sparse one.
 * Example:
 *
 *     const hm_component_desc desc = {.size = sizeof(struct vector), .name = "force"};
 *     hm_component force = hm_world_component(&world, &desc);
 *     if (force == HM_INVALID_INDEX)
 *         fprintf(stderr, "%s\n", hm_last_error());
 */
HM_API hm_component hm_world_component(hm_world *world, const hm_component_desc *desc);

/* Returns a new entity with these n components, whose values are zero, or null. The components may
 * be given in any order; `set` may be NULL if n is 0. Null: a component is given twice or is not of
 * this world, or the values take more than a chunk; the capacity or index space is used up; the
 * system refuses memory; busy. O(n) but for system calls. Example:
 *
 *     hm_handle mover = hm_world_create(&world, (hm_component[]){position, velocity}, 2);
 *     if (hm_handle_is_null(mover))
 *         fprintf(stderr, "%s\n", hm_last_error());
 */
HM_API hm_handle hm_world_create(hm_world *world, const hm_component *set, uint32_t n);

/* The same with values: values[i] points to that of set[i], which is copied. NULL, as it must be
 * for a tag, means zero; so does `values` NULL. Example:
 *
 *     const void *values[] = {&(struct vector){3, 4}, NULL}; // the velocity is zero
 *     hm_world_create_with(&world, (hm_component[]){position, velocity}, 2, values);
 */
HM_API hm_handle hm_world_create_with(hm_world *world, const hm_component *set, uint32_t n,
                                      const void *const *values);

/* Makes `count` entities with these n components: all of them or none. columns[i] points to `count`
 * values of set[i], one after the other, which are copied. NULL, as it must be for a tag, means
 * zeros; so does `columns` NULL. The new handles go to `entities`, which may be NULL. Fails when
 * create does, with HM_ERROR_INVALID, HM_ERROR_FULL, HM_ERROR_MEMORY or HM_ERROR_BUSY. O(n *
 * count). */
HM_API hm_status hm_world_create_n(hm_world *world, const hm_component *set, uint32_t n,
                                   uint32_t count, const void *const *columns, hm_handle *entities);

/* Returns a new entity with the components and the values of this one, or null. The values are
 * copied as bytes; then the copy hooks run, each once, when the new entity has all of them. Null:
 * the entity is not alive; a component has a destroy hook, but no copy hook; and when create fails.
 * O(its components). */
HM_API hm_handle hm_world_copy(hm_world *world, hm_handle entity);

/* Destroys an entity and its values; the destroy hooks run first. False if it is not alive, and
 * when busy. Invalidates pointers to the values of this entity and of the last one of its
 * archetype, and to the last value of each sparse component that it has. O(its components). */
HM_API bool hm_world_destroy(hm_world *world, hm_handle entity);

/* Destroys those of n entities that are alive, and returns their number. Invalidates what destroy
 * does. O(n x components). */
HM_API uint32_t hm_world_destroy_n(hm_world *world, const hm_handle *entities, uint32_t n);

/* Destroys all entities. Components and archetypes stay. Inside a callback, and while a query runs,
 * it is a broken contract. Invalidates all pointers to values. O(archetypes and chunks), or
 * O(values) with destroy hooks. */
HM_API void hm_world_clear(hm_world *world);

/* Gives an entity a component with this value (NULL: zero). If it has the component already, the
 * value is replaced: the destroy hook of the old one runs first. HM_ERROR_STALE: the entity is not
 * alive; HM_ERROR_INVALID: the component is not of this world, a value is given for a tag, or the
 * values take more than a chunk; HM_ERROR_MEMORY; HM_ERROR_FULL; HM_ERROR_BUSY. Invalidates
 * pointers to the values of this entity and of the last one of its archetype, unless the component
 * is sparse or replaced. O(components of the entity); O(1) if sparse or replaced. */
HM_API hm_status hm_world_add(hm_world *world, hm_handle entity, hm_component component,
                              const void *value);

/* Takes a component away; its destroy hook runs when the entity is in its new archetype. HM_OK too
 * if the entity does not have it: `removed`, which may be NULL, tells whether it had, and is false
 * where the call fails. Fails as add does: the row in the new archetype may need memory.
 * Invalidates pointers to the values of this entity and of the last one of its archetype; for a
 * sparse component only those to its value and to the last value of that component. O(components of
 * the entity); O(1) if sparse. Example:
 *
 *     bool removed;
 *     if (hm_world_remove(&world, mover, frozen, &removed) == HM_OK && removed)
 *         printf("it can move again\n");
 */
HM_API hm_status hm_world_remove(hm_world *world, hm_handle entity, hm_component component,
                                 bool *removed);

/* Adds a component to n entities: to all of them or to none. values[i] of an array of values, which
 * is copied, is for entities[i]; NULL: zeros. Fails when add does for one of them, with the status
 * of the first, and then nothing has changed. An entity may be given several times: then it counts
 * as often for the memory that is prepared, and has the last value. `values` and `entities` must
 * not lie in the world. Invalidates what n calls of add do. O(n), or O(n * components). */
HM_API hm_status hm_world_add_n(hm_world *world, const hm_handle *entities, uint32_t n,
                                hm_component component, const void *values);

/* Takes a component from n entities, of which some may not have it: from all of them or from none.
 * `removed`, which may be NULL, gets the number of those that had it, or 0 where the call fails.
 * Otherwise as add_n. */
HM_API hm_status hm_world_remove_n(hm_world *world, const hm_handle *entities, uint32_t n,
                                   hm_component component, uint32_t *removed);

/* Takes all components away; the entity stays alive. The destroy hook of each sparse value sees all
 * sparse values of the entity. Otherwise fails and invalidates as remove does. O(its components).
 */
HM_API hm_status hm_world_remove_all(hm_world *world, hm_handle entity);

/* Adds and removes several components in one move, without making the archetypes in between. The
 * values that are added are zero; one that the entity had already is replaced by zero. Both sets
 * may be given in any order, and be NULL if their count is 0; removing what is not there does
 * nothing. HM_ERROR_INVALID also if a component is given twice, or in both sets. Otherwise fails as
 * add does, and invalidates what add and remove do. O(components of the entity). */
HM_API hm_status hm_world_change(hm_world *world, hm_handle entity, const hm_component *add,
                                 uint32_t n_add, const hm_component *remove, uint32_t n_remove);

/* Makes n handles ready beyond those of entities that live or are promised to commands:
 * hm_world_upcoming returns them, and creating these entities cannot fail for lack of a handle.
 * Their values may still need memory. HM_ERROR_FULL: n more would exceed the capacity or the index
 * space; HM_ERROR_MEMORY; HM_ERROR_BUSY inside a callback, and while a query runs if an array would
 * have to move: without a capacity, or because many slots are retired. Otherwise allowed while a
 * query runs, but not while other threads record commands. O(n). */
HM_API hm_status hm_world_reserve(hm_world *world, uint32_t n);

/* Returns how many more entities fit, beside those that are promised to commands, as
 * hm_map_available. */
HM_API uint32_t hm_world_available(const hm_world *world);

/* Returns the handle of the entity that the (k + 1)-th create from now will make, for each k below
 * the number of handles that were reserved and are not used yet; beyond, null. Destroy, clear and
 * trim void the answers. O(1). */
HM_API hm_handle hm_world_upcoming(const hm_world *world, uint32_t k);

/* Makes an entity without components under a handle that someone else has issued; all as in
 * hm_map_adopt. HM_ERROR_STALE also if its slot is promised to commands. HM_ERROR_BUSY also while a
 * query runs. Invalidates no pointers. */
HM_API hm_status hm_world_adopt(hm_world *world, hm_handle entity);

/* Gives back what no entity needs: drops the archetypes without entities, and returns whole pages
 * after the last used chunk and after the last live slot. HM_ERROR_MEMORY: the system refuses;
 * some of it may have been given back already, and entities that were promised to commands are
 * alive; no other entity has changed. HM_ERROR_BUSY. If a defragment of a sparse component is
 * unfinished, first places the values that it is moving; otherwise invalidates nothing, but without
 * a capacity pointers to sparse values. O(archetypes * components + slots). Call it when a level
 * ends, not in each frame. */
HM_API hm_status hm_world_trim(hm_world *world);

/* Checks that all parts are consistent: HM_OK or HM_ERROR_CORRUPT. O(entities * components). */
HM_API hm_status hm_world_validate(const hm_world *world);

/* Returns why a handle does not resolve, or HM_HANDLE_LIVE. O(1). */
HM_API hm_handle_state hm_world_explain(const hm_world *world, hm_handle entity);

/* Says the same in a sentence, with the numbers, as hm_map_describe does. O(length). */
HM_API size_t hm_world_describe(const hm_world *world, hm_handle entity, char *buffer, size_t size);

/* As hm_map_as_owners; the owners are entities. O(1). */
HM_API hm_owners hm_world_as_owners(const hm_world *world);

/* Returns the current statistics. O(archetypes). */
HM_API hm_world_stats hm_world_get_stats(const hm_world *world);

/* Changes

   A world has a clock, which counts its changes. Each archetype keeps the time at which rows last
   came, left or moved, and for each column the time at which its values were last written. A system
   that keeps the clock of its last run can skip what is older: see hm_query_changed. The library
   knows of its own writes; a program that writes through a pointer says so by hm_world_touch or
   hm_query_touch. */

/* Returns the clock: the number of changes so far. O(1). */
static inline uint64_t hm_world_clock(const hm_world *world)
{
    HM_CONTRACT(world != NULL, "hm_world_clock: world is NULL");
    return world->clock;
}

/* Returns the time, by the clock, at which the values of this component last changed in the
 * archetype of this entity, or of all entities if it is sparse; 0 if the entity does not have it.
 * O(1). */
HM_API uint64_t hm_world_changed(const hm_world *world, hm_handle entity, hm_component component);

/* Tells the clock, and the order of hm_world_defragment, that the entity's value has changed.
 * Ignored if the entity does not have it. Allowed while a query runs; inside a callback it is a
 * broken contract. O(1). */
HM_API void hm_world_touch(hm_world *world, hm_handle entity, hm_component component);

/* Tells both that all values of a component may have changed. Ignored for a component of another
 * world. O(archetypes). */
HM_API void hm_world_touch_all(hm_world *world, hm_component component);

/* Sorts the rows of each archetype that has the component by its values, within the budget, in
 * steps as hm_map_defragment. It orders one archetype after the other, and a sparse component's
 * values as hm_secondary_defragment does. An archetype that changes after it was ordered is scanned
 * again. A swap is the exchange of two rows. The budget is exact, as for hm_map_defragment;
 * besides, a call with a limit looks at no more than 4,096 archetypes, and each call lists the
 * chunks of those that it begins to order. For a tag and for a component of another world it spends
 * nothing, and is done. Invalidates all pointers to values of entities that have the component. */
HM_API hm_progress hm_world_defragment(hm_world *world, hm_component component,
                                       const hm_order *order, hm_frame_budget *budget);

/* Forgets what the orders of all components know, as hm_map_forget_order: the next calls of
 * hm_world_defragment start over, at the first archetype. The clock stays. Inside a callback it is
 * a broken contract; else it cannot fail. Invalidates nothing. O(components). */
HM_API void hm_world_forget_order(hm_world *world);

/* Returns the number of archetypes that exist, with entities or without: a call that failed may
 * have made some, which hm_world_trim drops. The archetype of the entities without components is
 * not counted. O(1). */
static inline uint32_t hm_world_archetype_count(const hm_world *world)
{
    HM_CONTRACT(world != NULL, "hm_world_archetype_count: world is NULL");
    return world->archetype_count;
}

/* Returns the number of live entities. Those promised to commands are not among them. O(1). */
static inline uint32_t hm_world_count(const hm_world *world)
{
    HM_CONTRACT(world != NULL, "hm_world_count: world is NULL");
    return world->ids.count;
}

/* Returns the most entities that may live at once. O(1). */
static inline uint32_t hm_world_capacity(const hm_world *world)
{
    HM_CONTRACT(world != NULL, "hm_world_capacity: world is NULL");
    return world->ids.capacity;
}

/* Whether the entity is alive. O(1). */
static inline bool hm_world_contains(const hm_world *world, hm_handle entity)
{
    HM_CONTRACT(world != NULL, "hm_world_contains: world is NULL");
    return hm_id_table_contains(&world->ids, entity);
}

/* Sets alive[i] to whether entities[i] is alive, for n entities. Returns how many are. O(n). */
HM_API uint32_t hm_world_contains_n(const hm_world *world, const hm_handle *entities, uint32_t n,
                                    bool *alive);

/* Looks up a component of n entities: values[i] becomes what get returns for entities[i]. Returns
 * how many are not NULL. The pointers are valid as that of get is. O(n). */
HM_API uint32_t hm_world_get_n(const hm_world *world, const hm_handle *entities, uint32_t n,
                               hm_component component, void **values);

/* Writes the components of an entity to `components`, which has room for n: those of its archetype
 * in the order in which they were made, then sparse ones. Returns how many it has; if that is more
 * than n, the others are not written. 0 if it is not alive. O(components of the entity). */
HM_API uint32_t hm_world_components_of(const hm_world *world, hm_handle entity,
                                       hm_component *components, uint32_t n);

/* Returns the entity whose value of this component contains the address, even in its middle; null
 * if none does. Any address may be given; nothing is read there. A hook that is given a removed
 * value, which no entity has any more, gets null. O(1). */
HM_API hm_handle hm_world_handle_of(const hm_world *world, const void *value,
                                    hm_component component);

/* Returns the entity at a position below hm_world_count, or null: a loop over all positions visits
 * each entity once, in no particular order. Walking backward, the loop may destroy. O(1). */
static inline hm_handle hm_world_handle_at(const hm_world *world, uint32_t index)
{
    HM_CONTRACT(world != NULL, "hm_world_handle_at: world is NULL");
    return hm_id_table_handle_at(&world->ids, index);
}

/* Returns the entity's value of a component; NULL if the entity is not alive or lacks it, for a
 * tag, and for a component of another world. The pointer is valid until the next call that may move
 * the value. O(1). Example:
 *
 *     struct vector *value = hm_world_get(&world, mover, velocity);
 *     if (value != NULL)
 *         value->x *= 2;
 */
static inline void *hm_world_get(const hm_world *world, hm_handle entity, hm_component component)
{
    HM_CONTRACT(world != NULL, "hm_world_get: world is NULL");
    if (hm_id_table_find(&world->ids, entity) == HM_INVALID_INDEX)
        return NULL;
    return hm_world_get_at(world, entity, world->places[hm_handle_index(entity)], component);
}

/* The same for n components, with one search for all: values[i] becomes what get returns for
 * set[i]. Returns how many are not NULL. O(n). Example:
 *
 *     void *values[2];
 *     if (hm_world_values_of(&world, mover, (hm_component[]){position, velocity}, 2, values) == 2)
 *         push(values[0], values[1]);
 */
static inline uint32_t hm_world_values_of(const hm_world *world, hm_handle entity,
                                          const hm_component *set, uint32_t n, void **values)
{
    hm_world_place place;
    uint32_t i, found = 0;
    HM_CONTRACT(world != NULL, "hm_world_values_of: world is NULL");
    HM_CONTRACT(set != NULL || n == 0, "hm_world_values_of: set is NULL");
    HM_CONTRACT(values != NULL || n == 0, "hm_world_values_of: values is NULL");
    if (hm_id_table_find(&world->ids, entity) == HM_INVALID_INDEX) {
        for (i = 0; i < n; i++)
            values[i] = NULL;
        return 0;
    }
    place = world->places[hm_handle_index(entity)];
    for (i = 0; i < n; i++) {
        values[i] = hm_world_get_at(world, entity, place, set[i]);
        found += values[i] != NULL;
    }
    return found;
}

/* Whether the entity is alive and has the component. O(1). */
static inline bool hm_world_has(const hm_world *world, hm_handle entity, hm_component component)
{
    const hm_world_archetype *archetype;
    uint32_t number;
    HM_CONTRACT(world != NULL, "hm_world_has: world is NULL");
    if (hm_id_table_find(&world->ids, entity) == HM_INVALID_INDEX)
        return false;
    archetype = &world->archetypes[world->places[hm_handle_index(entity)].row >> HM_WORLD_ROW_BITS];
    number = component - world->salt;
    if (number < archetype->cell_count && archetype->cells[number].is_present)
        return true;
    return hm_world_has_sparse(world, entity, number);
}

HM_END_C

/* HM_COMPONENT_DEFINE(place, struct vector), without a semicolon, defines
 *
 *     place_component                         a struct with one member, hm_component id: passing a
 *                                             component, or a value, of another type does not
 *                                             compile
 *     place_component_init(world)             makes the component in a world
 *     place_component_init_desc(world, desc)  takes a descriptor, whose size and alignment are
 *                                             ignored. Without a name it is called "place"
 *     place_component_is_null(component)      whether it was refused
 *
 * and inline functions that do what hm_world_get, get_n, has, add, add_n, remove, remove_n,
 * handle_of, changed, touch, touch_all and defragment do, with struct vector * for values:
 * place_get(world, entity, component),
 * place_add(world, entity, component, value) and so on. The hook and orders stay untyped. Pass
 * component.id to untyped functions. HM_COMPONENT_DEFINE_TAG(still) defines a tag: still_add(world,
 * entity, component) takes no value, and there is no get, touch or defragment. Example:
 *
 *     HM_COMPONENT_DEFINE(place, struct vector)
 *     HM_COMPONENT_DEFINE_TAG(still)
 *
 *     place_component at = place_component_init(&world);
 *     still_component rest = still_component_init(&world);
 *     hm_handle stone = hm_world_create(&world, (hm_component[]){at.id, rest.id}, 2);
 *     struct vector *found = place_get(&world, stone, at); // or NULL
 *     if (found != NULL)
 *         found->x = 1;
 *     still_remove(&world, stone, rest, NULL);
 */
#define HM_COMPONENT_DEFINE(prefix, type)                                                          \
    HM_TYPED_ASSERT(type)                                                                          \
    HM_COMPONENT_DEFINE_INIT(prefix, sizeof(type), HM_ALIGNOF(type))                               \
    HM_COMPONENT_DEFINE_QUESTIONS(prefix)                                                          \
    HM_COMPONENT_DEFINE_VALUES(prefix, type)

#define HM_COMPONENT_DEFINE_TAG(prefix)                                                            \
    HM_COMPONENT_DEFINE_INIT(prefix, 0, 0)                                                         \
    HM_COMPONENT_DEFINE_QUESTIONS(prefix)                                                          \
    HM_TYPED_FORM(world, hm_status, prefix##_add,                                                  \
                  (hm_world * hm_self, hm_handle hm_entity, prefix##_component hm_kind),           \
                  hm_world_add(hm_self, hm_entity, hm_kind.id, NULL))                              \
    HM_TYPED_FORM_ARRAY(world, hm_status, prefix##_add_n,                                          \
                        (hm_world * hm_self, const hm_handle *hm_entities, uint32_t hm_n,          \
                         prefix##_component hm_kind),                                              \
                        hm_entities, "entities",                                                   \
                        hm_world_add_n(hm_self, hm_entities, hm_n, hm_kind.id, NULL))

#define HM_COMPONENT_DEFINE_INIT(prefix, value_size, value_align)                                  \
    typedef struct prefix##_component {                                                            \
        hm_component id;                                                                           \
    } prefix##_component;                                                                          \
    HM_UNUSED static inline prefix##_component prefix##_component_init_desc(                       \
        hm_world *hm_self, const hm_component_desc *hm_given)                                      \
    {                                                                                              \
        hm_component_desc hm_full;                                                                 \
        prefix##_component hm_made;                                                                \
        HM_CONTRACT(hm_self != NULL, #prefix "_component_init_desc: world is NULL");               \
        memset(&hm_full, 0, sizeof hm_full);                                                       \
        if (hm_given != NULL)                                                                      \
            hm_full = *hm_given;                                                                   \
        hm_full.size = value_size;                                                                 \
        hm_full.align = value_align;                                                               \
        if (hm_full.name == NULL)                                                                  \
            hm_full.name = #prefix;                                                                \
        hm_made.id = hm_world_component(hm_self, &hm_full);                                        \
        return hm_made;                                                                            \
    }                                                                                              \
    HM_UNUSED static inline prefix##_component prefix##_component_init(hm_world *hm_self)          \
    {                                                                                              \
        HM_CONTRACT(hm_self != NULL, #prefix "_component_init: world is NULL");                    \
        return prefix##_component_init_desc(hm_self, NULL);                                        \
    }                                                                                              \
    HM_UNUSED static inline bool prefix##_component_is_null(prefix##_component hm_kind)            \
    {                                                                                              \
        return hm_kind.id == HM_INVALID_INDEX;                                                     \
    }

#define HM_COMPONENT_DEFINE_QUESTIONS(prefix)                                                      \
    HM_TYPED_FORM(world, bool, prefix##_has,                                                       \
                  (const hm_world *hm_self, hm_handle hm_entity, prefix##_component hm_kind),      \
                  hm_world_has(hm_self, hm_entity, hm_kind.id))                                    \
    HM_TYPED_FORM(                                                                                 \
        world, hm_status, prefix##_remove,                                                         \
        (hm_world * hm_self, hm_handle hm_entity, prefix##_component hm_kind, bool *hm_removed),   \
        hm_world_remove(hm_self, hm_entity, hm_kind.id, hm_removed))                               \
    HM_TYPED_FORM_ARRAY(world, hm_status, prefix##_remove_n,                                       \
                        (hm_world * hm_self, const hm_handle *hm_entities, uint32_t hm_n,          \
                         prefix##_component hm_kind, uint32_t *hm_removed),                        \
                        hm_entities, "entities",                                                   \
                        hm_world_remove_n(hm_self, hm_entities, hm_n, hm_kind.id, hm_removed))     \
    HM_TYPED_FORM(world, uint64_t, prefix##_changed,                                               \
                  (const hm_world *hm_self, hm_handle hm_entity, prefix##_component hm_kind),      \
                  hm_world_changed(hm_self, hm_entity, hm_kind.id))

#define HM_COMPONENT_DEFINE_VALUES(prefix, type)                                                   \
    HM_TYPED_FORM(world, type *, prefix##_get,                                                     \
                  (const hm_world *hm_self, hm_handle hm_entity, prefix##_component hm_kind),      \
                  HM_CAST(type *, hm_world_get(hm_self, hm_entity, hm_kind.id)))                   \
    HM_TYPED_FORM(world, hm_status, prefix##_add,                                                  \
                  (hm_world * hm_self, hm_handle hm_entity, prefix##_component hm_kind,            \
                   type const *hm_value),                                                          \
                  hm_world_add(hm_self, hm_entity, hm_kind.id, hm_value))                          \
    HM_TYPED_FORM_ARRAYS(world, uint32_t, prefix##_get_n,                                          \
                         (const hm_world *hm_self, const hm_handle *hm_entities, uint32_t hm_n,    \
                          prefix##_component hm_kind, type **hm_values),                           \
                         hm_entities, "entities", hm_values, "values",                             \
                         hm_world_get_n(hm_self, hm_entities, hm_n, hm_kind.id,                    \
                                        HM_CAST(void **, HM_CAST(void *, hm_values))))             \
    HM_TYPED_FORM_ARRAY(world, hm_status, prefix##_add_n,                                          \
                        (hm_world * hm_self, const hm_handle *hm_entities, uint32_t hm_n,          \
                         prefix##_component hm_kind, type const *hm_values),                       \
                        hm_entities, "entities",                                                   \
                        hm_world_add_n(hm_self, hm_entities, hm_n, hm_kind.id, hm_values))         \
    HM_TYPED_FORM(world, hm_handle, prefix##_handle_of,                                            \
                  (const hm_world *hm_self, type const *hm_value, prefix##_component hm_kind),     \
                  hm_world_handle_of(hm_self, hm_value, hm_kind.id))                               \
    HM_TYPED_FORM_VOID_OF(world, *hm_self, prefix##_touch,                                         \
                          (hm_world * hm_self, hm_handle hm_entity, prefix##_component hm_kind),   \
                          hm_world_touch(hm_self, hm_entity, hm_kind.id))                          \
    HM_TYPED_FORM_VOID_OF(world, *hm_self, prefix##_touch_all,                                     \
                          (hm_world * hm_self, prefix##_component hm_kind),                        \
                          hm_world_touch_all(hm_self, hm_kind.id))                                 \
    HM_TYPED_FORM_ORDER(world, prefix##_defragment,                                                \
                        (hm_world * hm_self, prefix##_component hm_kind, const hm_order *hm_by,    \
                         hm_frame_budget *hm_within),                                              \
                        hm_world_defragment(hm_self, hm_kind.id, hm_by, hm_within))

#endif
