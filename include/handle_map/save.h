/* SPDX-License-Identifier: MIT */
/* save: writes a container to a file, a socket or memory, and reads it back with every handle, or
 * merges it into another one.
 *
 * After a load every handle from before the save means what it meant: it resolves to the same item,
 * or is refused as stale or retired, and the container goes on as the saved one does: the table
 * below says how far.
 *
 * A container is one *section* of a file; several may follow one another. A load reads forward from
 * where the source is to the section of its kind and name, and ends just after it. The format is
 * in docs/format.md, and is the same on every machine. Owns nothing.
 *
 * Stack, as measured with gcc -O3 on x86-64: a save takes up to 12 KB, one of changes 14, a hash
 * 13.4; the load of a map 15.4, of a table 17.4, of a world 24.3, of changes 18.9; a merge 1.3
 * more. */
#ifndef HANDLE_MAP_SAVE_H
#define HANDLE_MAP_SAVE_H

#include <handle_map/changes.h>
#include <handle_map/sink.h>

HM_BEGIN_C

/* How a container is saved and loaded. A zero field means the default; NULL instead of a descriptor
 * means that all are. By default an item is saved as its bytes: then the file fits programs whose
 * item has the same bytes, and the item must have no pointers. */
typedef struct hm_save_desc {
    const char *name;   /* of the section, up to 255 bytes; NULL: the container's name */
    const char *layout; /* the name of what an item is, up to 255 bytes; NULL: "". A load refuses
                           another one */
    uint32_t version;   /* of the layout. Without `decode` a load refuses another one */
    /* Writes an item as `encoded_size` bytes, which are zero before: with the bytes in a fixed
     * order, or without pointers. */
    size_t encoded_size; /* bytes, up to 8,192; for `encode` */
    void (*encode)(const void *item, void *bytes, void *context);
    /* Makes an item, whose bytes are zero before, of what a save wrote: `size` and `version` are
     * those of the file. False refuses the file: HM_ERROR_CORRUPT. The bytes may come from a
     * stranger, and may be damaged, since a checksum comes after them. */
    bool (*decode)(uint32_t version, const void *bytes, size_t size, void *item, void *context);
    void *context;                 /* passed to all functions here */
    uint32_t max_count, max_slots; /* a file with more is refused: HM_ERROR_CORRUPT; 0: no limit but
                                      the container's own */
    /* Where the container stands (history.h). A save writes it to the file, and a load sets it,
     * zeroed if the file has none; for changes see hm_map_save_changes. NULL: nobody asks. */
    hm_position *position;
    /* Which changes go into a section of them; the part is as in hm_change. Must answer the same
     * when it is asked again. NULL: all. */
    bool (*filter)(hm_handle handle, uint32_t part, void *context);
    size_t max_size; /* bytes of such a section, but for its header and checksums; 0: no limit */
} hm_save_desc;

/* The largest encoded_size. */
enum { HM_SAVE_MAX_ENCODED = 8192 };

/* A loaded container that has the same descriptor, components and kind of memory as the saved one
 * goes on as that one does: the same calls have the same handles, orders, statuses and costs, and
 * write the same bytes when it is saved again.
 *
 *     what                                  is as it was after a load
 *     ------------------------------------  ---------------------------------------------------
 *     handles, also those to come; items    always
 *     their order                           always
 *     what is known of an order             never: the next call starts over. Let the saved one
 *                                           forget it too: hm_map_forget_order and its like
 *     the blocks of lists and indices:      if items, capacity and max_items are those of the
 *     the order of hm_lists_next, the       saved one, and not all but a 64th of a range above
 *     steps of a defragment                 8 MiB is free
 *     the archetypes of a world, and how    if the world has all components of the file
 *     queries visit them, view by view
 *     the clock of a world, and the times   if the world has had no change; else its own clock
 *     of changes                            is added to all of them
 *     what hm_world_reserve has reserved    up to 65,536 entities, or as many as there are
 *     what else was reserved, or promised   never: reserve again, and apply commands before a
 *                                           save; promised handles are refused
 *     what is refused for want of memory    not promised; nor when max_size of a world is full */

/* Who destroys what was loaded. What `decode` made is destroyed once, by the container's destroy
 * hook: by the load if that fails later, last first, while handles do not resolve; by a merge that
 * fails, or ends before the item is inserted; or later by the container that has it. Items that
 * were read as bytes, and values that a load made zero, are the container's once the load has
 * succeeded or the merge has inserted them; before, no hook is called for them. */

/* How saves and loads fail. A load takes a container that has issued no handle since its init. One
 * that fails leaves the container empty, as after a clear and a trim: reserve again what was
 * reserved. Where the source is then is unspecified.
 *
 * HM_ERROR_CORRUPT: the bytes are no section, are damaged or end too early; there is no section of
 * this kind and name; or it has more than max_count or max_slots.
 *
 * HM_ERROR_INVALID: the section fits no such container, since it has another type id, item size or
 * layout; the container has issued handles; or the descriptor is wrong, with a name of 256 bytes
 * too.
 *
 * HM_ERROR_FULL: the section has more items or slots than the container can have, or generations
 * beyond its generation_bits, which a file does not tell: give it those of the saved one; or the
 * container is not initialised.
 *
 * HM_ERROR_IO: the sink refused; what it has got so far is no whole section. HM_ERROR_MEMORY and
 * HM_ERROR_BUSY as everywhere.
 *
 * Whoever made a file, each length, generation, slot and position in it is checked, and a checksum
 * (XXH64) for each 64 KiB; a load takes memory only as bytes arrive. But a checksum is no
 * signature: a stranger may have written items that no program of yours would write.
 *
 * Sink, source, encode and decode may make const calls. While a load runs, its container is busy,
 * and looks empty to them. A save does not mark its container, since threads may read it, or save
 * it, at the same time: a callback must not change it. */

/* Writes a section with the items and the meta. A map whose items are in the order of their slots
 * takes about its items and 2 bytes for each slot; any other 4 bytes more for each item, and each
 * free slot 6. The meta is saved as bytes. A const call. HM_ERROR_IO, HM_ERROR_INVALID;
 * HM_ERROR_FULL: the map is not initialised. O(slots + bytes). Example:
 *
 *     FILE *file = fopen("level.hm", "wb");
 *     if (file != NULL && hm_map_save(&map, NULL, hm_sink_file(file)) != HM_OK)
 *         fprintf(stderr, "%s\n", hm_last_error());
 */
HM_API hm_status hm_map_save(const hm_map *map, const hm_save_desc *desc, hm_sink sink);

/* Reads what hm_map_save wrote into a map that has issued nothing since its init. Type id and sizes
 * must be those of the file, unless `decode` takes items of another size; capacity, index space and
 * memory table may be others. Calls no hook but the destroy hook, as hm_save_desc says. Invalidates
 * all pointers to items. O(slots + bytes). */
HM_API hm_status hm_map_load(hm_map *map, const hm_save_desc *desc, hm_source source);

/* The same for a pool: takes about its items and 2 bytes for each slot. The storage may be another
 * one. Of a file of 0.3 whose pool had HM_REUSE_LAST, all handles come back, and the 256 latest
 * holes are recent ones (pool.h). */
HM_API hm_status hm_pool_save(const hm_pool *pool, const hm_save_desc *desc, hm_sink sink);
HM_API hm_status hm_pool_load(hm_pool *pool, const hm_save_desc *desc, hm_source source);

/* The same for a table, whose items are its rows: the cells in the order of the columns, without
 * gaps. `lanes` may be others, the sizes of the columns must be the same, unless `decode` takes the
 * rows. For encode and decode an item is an array with a pointer to each cell: a const void *const
 * * and a void *const *. While a failed load destroys rows, hm_table_handle_at returns null. */
HM_API hm_status hm_table_save(const hm_table *table, const hm_save_desc *desc, hm_sink sink);
HM_API hm_status hm_table_load(hm_table *table, const hm_save_desc *desc, hm_source source);

/* The same for a secondary, whose items are its values, with the handles of their owners: takes 6
 * bytes beside each value. The load takes a secondary without values, whose type id is that of the
 * owners. It needs positions for all slots up to the highest owner's, 4 bytes each: `max_slots`
 * bounds them for a file from a stranger. If these are refused, it gives back all that the
 * secondary had reserved for them. */
HM_API hm_status hm_secondary_save(const hm_secondary *secondary, const hm_save_desc *desc,
                                   hm_sink sink);
HM_API hm_status hm_secondary_load(hm_secondary *secondary, const hm_save_desc *desc,
                                   hm_source source);

/* The same for lists: all handles, the items of each list in order, and where its block is. Takes 8
 * or 9 bytes beside the items of each list, and 12 for each free block. max_count counts lists. A
 * failed load destroys what decode made list by list, the last items of each first. */
HM_API hm_status hm_lists_save(const hm_lists *lists, const hm_save_desc *desc, hm_sink sink);
HM_API hm_status hm_lists_load(hm_lists *lists, const hm_save_desc *desc, hm_source source);

/* The same for an index: the owners with their keys, the order of the members of each key, and
 * where its block is. Takes 10 bytes for each owner, 12 or 13 for each key, and 16 for each free
 * block. max_count counts owners, max_slots bounds their slots as above. There is nothing to
 * encode: with encode or decode both return HM_ERROR_INVALID. The load takes an index without
 * owners, whose keys may be hashed or not, whatever those of the file were; it fills another one
 * and exchanges them, so that for a while both have memory, and what was reserved is given back. */
HM_API hm_status hm_index_save(const hm_index *index, const hm_save_desc *desc, hm_sink sink);
HM_API hm_status hm_index_load(hm_index *index, const hm_save_desc *desc, hm_source source);

/* How the values of a component are saved and loaded; those without one are saved as their bytes.
 * Of the format, `name` is that of the component in files (NULL: its own), max_count and max_slots
 * mean nothing. */
typedef struct hm_component_format {
    hm_component component;
    hm_save_desc format;
} hm_component_format;

/* A component that is another one in the file, or only there, or only in the world. */
typedef struct hm_component_difference {
    const char *name;                /* valid during the call */
    bool is_saved, is_here;          /* whether the file has it, and the world */
    uint32_t saved_size, size;       /* bytes of a value; 0: a tag */
    uint32_t saved_version, version; /* of the layout */
} hm_component_difference;

/* What a load does about a difference. */
typedef enum hm_load_action {
    HM_LOAD_REFUSE = 0, /* fails: HM_ERROR_INVALID */
    HM_LOAD_DROP,       /* no entity has the component */
    HM_LOAD_ZERO        /* the entities have it, but its values are zero; needs the component in
                           both, with the same storage */
} hm_load_action;

/* A zero field means the default; NULL instead of a descriptor means that all are. */
typedef struct hm_world_save_desc {
    const char *name;                   /* as in hm_save_desc */
    const hm_component_format *formats; /* at most one for each component */
    uint32_t format_count;
    uint32_t max_count, max_slots; /* as in hm_save_desc; max_count counts entities */
    /* Asked once for each difference. NULL: a component that the file has not is no matter, any
     * other difference is refused. */
    hm_load_action (*resolve)(const hm_component_difference *difference, void *context);
    void *context;         /* passed to resolve and filter */
    hm_position *position; /* these three as in hm_save_desc */
    bool (*filter)(hm_handle handle, uint32_t part, void *context);
    size_t max_size; /* bytes */
} hm_world_save_desc;

/* The same for a world: all entities, with the values of their components and the order in which
 * queries visit them. Components are matched by their names, so each must have one of its own, or
 * both return HM_ERROR_INVALID. A handle that commands have promised is saved as one that is still
 * to come. Takes 6 to 10 bytes beside the values of an entity, and 21 for each archetype with 10
 * for each of its components.
 *
 * The load takes a world that has issued nothing, in which the components have been made; queries
 * of it stay valid. It fills another world and exchanges them, so that for a while both have
 * memory, and what was reserved is given back. An archetype takes 1 KiB or more, with a spare chunk
 * 4 KiB more, and max_archetypes of the world bounds how many a file from a stranger may make. */
HM_API hm_status hm_world_save(const hm_world *world, const hm_world_save_desc *desc, hm_sink sink);
HM_API hm_status hm_world_load(hm_world *world, const hm_world_save_desc *desc, hm_source source);

/* Merges: the items of a section become items of a container that may have others, under new
 * handles, in the order of the section. `remap` is a secondary without values, for handles of this
 * type id, whose values are hm_handle: it becomes a table from each handle of the section to the
 * new one, by which the program mends references. NULL: nobody needs it.
 *
 * These functions insert all items, or none. They fail as a load does, and as an insert:
 * HM_ERROR_FULL, HM_ERROR_MEMORY, HM_ERROR_BUSY; HM_ERROR_INVALID also for a remap that has values,
 * or other ones. Then `remap` is empty; lists and entities that had been made have used up their
 * handles. The section is loaded into a container of its own first, so that for a while the items
 * are in memory twice. Of a world, max_archetypes bounds the archetypes of both. Invalidates what
 * the container's insert_n or create_n does. O(slots + bytes). Example:
 *
 *     static void add_level(hm_map *sprites, hm_secondary *remap, hm_source level)
 *     {
 *         uint32_t first = hm_map_count(sprites);
 *         if (hm_map_merge(sprites, NULL, level, remap) != HM_OK)
 *             fprintf(stderr, "%s\n", hm_last_error());
 *         for (uint32_t i = first; i < hm_map_count(sprites); i++) {
 *             struct sprite *sprite = (struct sprite *)hm_map_items(sprites) + i;
 *             const hm_handle *parent = hm_secondary_get(remap, sprite->parent);
 *             sprite->parent = parent != NULL ? *parent : HM_NULL_HANDLE;
 *         }
 *     }
 */
HM_API hm_status hm_map_merge(hm_map *map, const hm_save_desc *desc, hm_source source,
                              hm_secondary *remap);
HM_API hm_status hm_pool_merge(hm_pool *pool, const hm_save_desc *desc, hm_source source,
                               hm_secondary *remap);
HM_API hm_status hm_table_merge(hm_table *table, const hm_save_desc *desc, hm_source source,
                                hm_secondary *remap);
HM_API hm_status hm_lists_merge(hm_lists *lists, const hm_save_desc *desc, hm_source source,
                                hm_secondary *remap);
HM_API hm_status hm_world_merge(hm_world *world, const hm_world_save_desc *desc, hm_source source,
                                hm_secondary *remap);

/* A merge over many frames. All fields are private. Owns the items that are not inserted yet. Stays
 * where it is from begin to end, which container and remap outlive. */
typedef struct hm_merge {
    const struct hm_merge_kind *kind; /* NULL: it has not begun, or has ended */
    void *into;                       /* the container */
    hm_secondary *remap;              /* or NULL */
    uint32_t done, count;             /* items */
    uint32_t cursor;                  /* where the next one is */
    union {
        hm_map map;
        hm_pool pool;
        hm_table table;
        hm_lists lists;
        hm_world world;
    } from; /* what was loaded */
} hm_merge;

/* Reads and checks the section, and gives each of its handles an entry in `remap`, which is null
 * until its item is inserted. Fails as a load does, or with HM_ERROR_INVALID as above;
 * then there is nothing to end. Whether the container takes the items shows in the steps. */
HM_API hm_status hm_map_merge_begin(hm_map *map, hm_merge *merge, const hm_save_desc *desc,
                                    hm_source source, hm_secondary *remap);
HM_API hm_status hm_pool_merge_begin(hm_pool *pool, hm_merge *merge, const hm_save_desc *desc,
                                     hm_source source, hm_secondary *remap);
HM_API hm_status hm_table_merge_begin(hm_table *table, hm_merge *merge, const hm_save_desc *desc,
                                      hm_source source, hm_secondary *remap);
HM_API hm_status hm_lists_merge_begin(hm_lists *lists, hm_merge *merge, const hm_save_desc *desc,
                                      hm_source source, hm_secondary *remap);
HM_API hm_status hm_world_merge_begin(hm_world *world, hm_merge *merge,
                                      const hm_world_save_desc *desc, hm_source source,
                                      hm_secondary *remap);

/* Inserts the next n items, or as many as are left. If one is refused, those before it stay, and
 * the next step begins with it. Other calls may come between the steps. Fails, and invalidates, as
 * the container's insert_n or create_n of one. O(n). */
HM_API hm_status hm_merge_step(hm_merge *merge, uint32_t n);

/* Returns how many items are not inserted yet. O(1). */
HM_API uint32_t hm_merge_left(const hm_merge *merge);

/* Ends a merge, whether or not all items are inserted: the destroy hook is called for each of the
 * others that decode made, last first, in a pool lowest first. Zeroes it. May be called twice.
 * O(items left). */
HM_API void hm_merge_end(hm_merge *merge);

/* A section with what changed between two marks of a history (changes.h), for a copy elsewhere that
 * has had all changes up to `from`: 17 bytes for each value that was inserted, erased or edited,
 * and the value. From mark 0 on it is all of the container. It names the epoch of the history and
 * both marks, so that a copy takes it only where it fits. Fails as hm_map_changes and hm_map_save
 * do. A const call.
 *
 * The descriptor's `position` says where the copy stands, at `from` or between the marks, and is
 * set to where the section leads. With max_size a section has as many changes as fit, at least one,
 * and the next call writes the next: all are written when position->mark is `to`. HM_ERROR_INVALID:
 * the position is elsewhere, or max_size has none. Example:
 *
 *     hm_position client = {0}; // what it has had, as far as the server knows
 *     uint64_t newest = hm_history_mark(&history);
 *     while (client.mark != newest) {
 *         const hm_save_desc desc = {.position = &client, .max_size = 1100};
 *         if (hm_map_save_changes(&map, &history, &desc, client.mark, newest, packet) != HM_OK)
 *             break;
 *     }
 */
HM_API hm_status hm_map_save_changes(const hm_map *map, const hm_history *history,
                                     const hm_save_desc *desc, uint64_t from, uint64_t to,
                                     hm_sink sink);
HM_API hm_status hm_pool_save_changes(const hm_pool *pool, const hm_history *history,
                                      const hm_save_desc *desc, uint64_t from, uint64_t to,
                                      hm_sink sink);
HM_API hm_status hm_table_save_changes(const hm_table *table, const hm_history *history,
                                       const hm_save_desc *desc, uint64_t from, uint64_t to,
                                       hm_sink sink);
HM_API hm_status hm_secondary_save_changes(const hm_secondary *secondary, const hm_history *history,
                                           const hm_save_desc *desc, uint64_t from, uint64_t to,
                                           hm_sink sink);
HM_API hm_status hm_lists_save_changes(const hm_lists *lists, const hm_history *history,
                                       const hm_save_desc *desc, uint64_t from, uint64_t to,
                                       hm_sink sink);
HM_API hm_status hm_index_save_changes(const hm_index *index, const hm_history *history,
                                       const hm_save_desc *desc, uint64_t from, uint64_t to,
                                       hm_sink sink);
HM_API hm_status hm_world_save_changes(const hm_world *world, const hm_history *history,
                                       const hm_world_save_desc *desc, uint64_t from, uint64_t to,
                                       hm_sink sink);

/* Writes the values that n handles have now (hm_map_visit) as a section of changes that inserts
 * them: for what a copy begins to see. A copy takes it at `position`, and stays there; NULL: at
 * any. max_size means nothing. Fails as hm_map_save does. A const call. */
HM_API hm_status hm_map_save_values(const hm_map *map, const hm_save_desc *desc,
                                    const hm_handle *handles, uint32_t n, hm_sink sink);
HM_API hm_status hm_pool_save_values(const hm_pool *pool, const hm_save_desc *desc,
                                     const hm_handle *handles, uint32_t n, hm_sink sink);
HM_API hm_status hm_table_save_values(const hm_table *table, const hm_save_desc *desc,
                                      const hm_handle *handles, uint32_t n, hm_sink sink);
HM_API hm_status hm_secondary_save_values(const hm_secondary *secondary, const hm_save_desc *desc,
                                          const hm_handle *handles, uint32_t n, hm_sink sink);
HM_API hm_status hm_lists_save_values(const hm_lists *lists, const hm_save_desc *desc,
                                      const hm_handle *handles, uint32_t n, hm_sink sink);
HM_API hm_status hm_index_save_values(const hm_index *index, const hm_save_desc *desc,
                                      const hm_handle *handles, uint32_t n, hm_sink sink);
HM_API hm_status hm_world_save_values(const hm_world *world, const hm_world_save_desc *desc,
                                      const hm_handle *handles, uint32_t n, hm_sink sink);

/* Reads a section of changes, and makes them in a container, one by one, by hm_map_apply and its
 * like. The section is read before the first, and all that hm_map_apply demands of a handle, part,
 * size and key is checked: HM_ERROR_CORRUPT and HM_ERROR_INVALID, as a load, HM_ERROR_BUSY, and
 * HM_ERROR_MEMORY for its bytes change nothing. HM_ERROR_STALE, HM_ERROR_FULL, HM_ERROR_MEMORY: a
 * change was refused, and those before it have been made; the way on is a rewind, or a container
 * that takes all changes from mark 0 on. max_count bounds the changes. Invalidates what these calls
 * do.
 *
 * With `position` the section must lead from there: else HM_ERROR_STALE, with both numbers in the
 * sentence, and nothing has changed; HM_ERROR_INVALID: the section does not say from where.
 * Afterwards the position is where it leads. If a change was refused after others had been made,
 * the position is at mark UINT64_MAX, from which no section leads. If a history of the copy watches
 * the position (hm_history_watch), a rewind puts both back.
 *
 * Values go through encode and decode, but for the meta of a map; tables and indices refuse these
 * two: HM_ERROR_INVALID. What `decode` made is copied as bytes to its place, and an edit destroys
 * the value that was there, by the hook. For a component decode gets the version of its format
 * here, since the section has none. */
HM_API hm_status hm_map_load_changes(hm_map *map, const hm_save_desc *desc, hm_source source);
HM_API hm_status hm_pool_load_changes(hm_pool *pool, const hm_save_desc *desc, hm_source source);
HM_API hm_status hm_table_load_changes(hm_table *table, const hm_save_desc *desc, hm_source source);
HM_API hm_status hm_secondary_load_changes(hm_secondary *secondary, const hm_save_desc *desc,
                                           hm_source source);
HM_API hm_status hm_lists_load_changes(hm_lists *lists, const hm_save_desc *desc, hm_source source);
HM_API hm_status hm_index_load_changes(hm_index *index, const hm_save_desc *desc, hm_source source);
HM_API hm_status hm_world_load_changes(hm_world *world, const hm_world_save_desc *desc,
                                       hm_source source);

/* Returns a hash of the values of n handles, or with HM_ALL of all, as they are in a file. It does
 * not depend on the order of the items in memory, nor on what was there before: so a server and its
 * clients have the same, on every machine if the encoded values are the same. It is the sum of
 * hm_change_hash over hm_map_visit, and so over all changes from mark 0 on; the hash of two groups
 * of handles is the sum of their hashes. 0: there are no values, or hm_last_error says why it
 * failed. Costs what hm_map_visit does, and O(bytes). */
HM_API uint64_t hm_map_hash(const hm_map *map, const hm_save_desc *desc, const hm_handle *handles,
                            uint32_t n);
HM_API uint64_t hm_pool_hash(const hm_pool *pool, const hm_save_desc *desc,
                             const hm_handle *handles, uint32_t n);
HM_API uint64_t hm_table_hash(const hm_table *table, const hm_save_desc *desc,
                              const hm_handle *handles, uint32_t n);
HM_API uint64_t hm_secondary_hash(const hm_secondary *secondary, const hm_save_desc *desc,
                                  const hm_handle *handles, uint32_t n);
HM_API uint64_t hm_lists_hash(const hm_lists *lists, const hm_save_desc *desc,
                              const hm_handle *handles, uint32_t n);
HM_API uint64_t hm_index_hash(const hm_index *index, const hm_save_desc *desc,
                              const hm_handle *handles, uint32_t n);
HM_API uint64_t hm_world_hash(const hm_world *world, const hm_world_save_desc *desc,
                              const hm_handle *handles, uint32_t n);

/* A section with bytes of the program's own, before, between or after containers; `name` has up to
 * 255 bytes, NULL is "". The load reads forward to the section of this name, sets `version` to what
 * was saved (NULL: nobody asks), and *size, which is the capacity of `bytes`, to the number of
 * bytes. HM_ERROR_FULL: there are more, and *size is their number; or a save has 4 GiB and more.
 * HM_ERROR_CORRUPT, HM_ERROR_INVALID and HM_ERROR_IO as of others. After a load that failed the
 * bytes are zero. O(size). Example:
 *
 *     struct settings settings = {.volume = 7};
 *     hm_save_bytes("settings", 1, &settings, sizeof settings, sink);
 *     size_t size = sizeof settings;
 *     hm_load_bytes("settings", NULL, &settings, &size, source);
 */
HM_API hm_status hm_save_bytes(const char *name, uint32_t version, const void *bytes, size_t size,
                               hm_sink sink);
HM_API hm_status hm_load_bytes(const char *name, uint32_t *version, void *bytes, size_t *size,
                               hm_source source);

/* Bytes of the program's own beside containers that are saved or loaded with one call. */
typedef struct hm_saved_bytes {
    const char *name;
    uint32_t version; /* a load sets it, and size */
    void *bytes;
    size_t size;     /* how many they are; after HM_ERROR_FULL how many they would be */
    size_t capacity; /* how many a load may write */
} hm_saved_bytes;

/* A container with a descriptor, or NULL, or bytes: what hm_save_all and hm_load_all take. All
 * fields are private. The functions keep the addresses: what is there must outlive it. */
typedef struct hm_savable {
    const struct hm_savable_kind *kind;
    void *container;
    const void *desc;
} hm_savable;

HM_API hm_savable hm_map_as_savable(hm_map *map, const hm_save_desc *desc);
HM_API hm_savable hm_pool_as_savable(hm_pool *pool, const hm_save_desc *desc);
HM_API hm_savable hm_table_as_savable(hm_table *table, const hm_save_desc *desc);
HM_API hm_savable hm_secondary_as_savable(hm_secondary *secondary, const hm_save_desc *desc);
HM_API hm_savable hm_lists_as_savable(hm_lists *lists, const hm_save_desc *desc);
HM_API hm_savable hm_index_as_savable(hm_index *index, const hm_save_desc *desc);
HM_API hm_savable hm_world_as_savable(hm_world *world, const hm_world_save_desc *desc);
HM_API hm_savable hm_bytes_as_savable(hm_saved_bytes *bytes);

/* hm_save_all writes n sections in this order, and ends at the first save that fails: delete the
 * file then. hm_load_all reads them in this order, whole or not at all: if a load fails, those
 * before it are emptied, as if they had failed too, and can be loaded again. Destroy hooks run only
 * for what decode made then, and bytes become zero. Both fail, and invalidate, as their saves and
 * loads.
 * O(bytes). Example:
 *
 *     const hm_savable level[] = {hm_map_as_savable(&sprites, NULL),
 *                                 hm_world_as_savable(&world, NULL)};
 *     if (hm_load_all(level, 2, hm_source_file(file)) != HM_OK)
 *         fprintf(stderr, "%s\n", hm_last_error());
 */
HM_API hm_status hm_save_all(const hm_savable *what, uint32_t n, hm_sink sink);
HM_API hm_status hm_load_all(const hm_savable *what, uint32_t n, hm_source source);

/* What the header of a section says. */
typedef struct hm_section {
    char name[256], layout[256];
    const char *kind; /* "map", "pool" and so on, "bytes"; "section" if it is not known here */
    bool has_changes; /* of such a container, not the container */
    uint32_t type_id, version;
    uint32_t count;       /* items, changes or bytes */
    uint64_t size;        /* bytes from its first to its last one in the file */
    hm_position position; /* where it leads; zero: it does not say */
    hm_position from;     /* of changes: where it leads from */
} hm_section;

/* Reads the header of the next section, so that a program may choose what to do with it: a packet
 * of changes names the mark to go back to. Only its header is read: go back to where the source was
 * to load it, or forward by its size. HM_ERROR_CORRUPT: there is none, or it is damaged. O(1). */
HM_API hm_status hm_section_read(hm_section *section, hm_source source);

HM_END_C

#endif
