/* SPDX-License-Identifier: MIT */
/* state: what the sources of changes, save and report share. */
#ifndef HANDLE_MAP_STATE_PRIVATE_H
#define HANDLE_MAP_STATE_PRIVATE_H

#include "../memory/poison_private.h"

#include "../base/base_private.h"
#include "../history/history_private.h"
#include "../ids/ids_private.h"
#include "../lists/lists_private.h"
#include "../memory/memory_private.h"
#include "../world/world_private.h"

#include <handle_map/changes.h>
#include <handle_map/save.h>

/* What is known of a kind of struct says of a container: its name, and its guard. */
static inline const char *hm_state_name(const hm_known_kind *known, const void *container)
{
    return *(const char *const *)(const void *)((const char *)container + known->name_offset);
}

static inline hm_guard *hm_state_guard(const hm_known_kind *known, void *container)
{
    return (hm_guard *)(void *)((char *)container + known->key_offset - offsetof(hm_guard, flags));
}

/* HM_ERROR_BUSY, HM_ERROR_FULL: the container is busy, or not initialised. */
static inline hm_status hm_state_admit(const hm_known_kind *known, const void *container)
{
    if (known->is_busy(container))
        return hm_fail_busy(known->what, hm_state_name(known, container));
    return hm_known_memory(known, container) != NULL ? HM_OK : hm_fail_uninitialised(known->what);
}

/* HM_ERROR_INVALID: whatever the container has, hm_map_apply and its like refuse the change. */
hm_status hm_changes_check_map(const hm_map *map, const hm_change *change);
hm_status hm_changes_check_pool(const hm_pool *pool, const hm_change *change);
hm_status hm_changes_check_table(const hm_table *table, const hm_change *change);
hm_status hm_changes_check_secondary(const hm_secondary *secondary, const hm_change *change);
hm_status hm_changes_check_lists(const hm_lists *lists, const hm_change *change);
hm_status hm_changes_check_index(const hm_index *index, const hm_change *change);
hm_status hm_changes_check_world(const hm_world *world, const hm_change *change);

/* changes: what its sources share.
 *
 *     changes_replay.c      makes changes in another container
 *     changes.c             the calls, and what they compare
 *     changes_packed.c      map, table and secondary
 *     changes_spread.c      pool, lists and index
 *     changes_components.c  world
 *     changes_slots.c       which slots may differ
 *
 * A search works by slot: it marks each slot that may have another handle or value, and then
 * compares what the slot has on both sides, at `from` and at `to`. A side is a copy of the
 * container's struct, whose pointers are addresses of memory as it was: they are only read through
 * the view. */

/* Adds the name of a value to a hash that begins: its handle and part. */
void hm_changes_hash_name(hm_hash *hash, const hm_change *change);

/* A container at a mark, or with a zeroed view as it is now. */
typedef struct hm_changes_side {
    hm_history_view view;
    union {
        hm_map map;
        hm_pool pool;
        hm_table table;
        hm_secondary secondary;
        hm_lists lists;
        hm_index index;
        hm_world world;
    } as;
} hm_changes_side;

/* What a slot has on a side. */
typedef struct hm_changes_item {
    hm_handle handle; /* null: nothing; then the rest has no meaning */
    uint32_t position;
    hm_world_place place; /* of an entity */
    hm_world_archetype archetype;
} hm_changes_item;

typedef struct hm_changes_value {
    bool is_there;
    uint32_t part;       /* as in hm_change */
    const void *address; /* on its side */
    size_t size;         /* bytes */
} hm_changes_value;

typedef struct hm_changes_search hm_changes_search;

/* What is known of a kind of container. */
typedef struct hm_changes_kind {
    const hm_known_kind *known;
    size_t anchor; /* bytes to a pointer in it that leads to its memory, or is NULL */
    size_t slots;  /* bytes to what knows the slots: an id table, owners */
    /* Notes what a side may have, by hm_changes_expect. */
    void (*expect)(hm_changes_search *search, const hm_changes_side *side);
    void (*mark)(hm_changes_search *search); /* marks the slots that may differ */
    void (*find)(const hm_changes_side *side, const void *slots, uint32_t slot,
                 hm_changes_item *item);
    /* Returns a part of the item at a position. */
    hm_changes_value (*value)(const hm_changes_side *side, const hm_changes_item *item,
                              uint32_t part);
} hm_changes_kind;

struct hm_changes_search {
    const hm_changes_kind *kind;
    hm_changes_side from, to;
    uint32_t slots;         /* the sides have at most */
    uint32_t parts;         /* an item has at most */
    size_t largest;         /* bytes of a value, at most */
    hm_status status;       /* of the first mark that failed */
    bool is_second;         /* pass: the first one tells what was erased */
    bool has_others;        /* the slot: something for the second pass */
    hm_array marks;         /* uint64_t: a bit for each slot */
    hm_array before, after; /* where a value is put together that is on several pages */
    hm_change_visit *visit;
    void *context;
};

/* Values of one size; those of a group are side by side, and there may be others between groups. */
typedef struct hm_changes_strip {
    const void *from, *to; /* the first value; two addresses if they have moved */
    size_t stride;         /* bytes from one group to the next */
    uint32_t lanes;        /* values in a group */
    uint32_t count;        /* values */
} hm_changes_strip;

extern const hm_changes_kind hm_changes_of_map, hm_changes_of_pool, hm_changes_of_table,
    hm_changes_of_secondary, hm_changes_of_lists, hm_changes_of_index, hm_changes_of_world;

static inline void hm_changes_read(const hm_changes_side *side, const void *address, void *to,
                                   size_t size)
{
    hm_history_view_read(&side->view, address, to, size);
}

/* Makes room for so many slots, and items of so many parts, with values of `size` bytes. */
static inline void hm_changes_expect(hm_changes_search *search, uint32_t slots, uint32_t parts,
                                     size_t size)
{
    search->slots = slots > search->slots ? slots : search->slots;
    search->parts = parts > search->parts ? parts : search->parts;
    search->largest = size > search->largest ? size : search->largest;
}

/* find_slots.c */

/* Marks a slot. */
void hm_changes_mark(hm_changes_search *search, uint32_t slot);

/* Whether some of these bytes are on a page that differs. */
bool hm_changes_differ(const hm_changes_search *search, const void *address, size_t size);

/* Finds the next values of a strip that are on pages which differ, from `*end` on, which is 0 at
 * first. */
bool hm_changes_next(const hm_changes_search *search, const hm_changes_strip *strip,
                     uint32_t *first, uint32_t *end);

/* Marks the slots whose entries, of `stride` bytes, are on pages that differ, and all that only one
 * side has: clear and trim drop slots without a write to their entries. */
void hm_changes_mark_slots(hm_changes_search *search, const void *from, const void *to,
                           size_t stride, uint32_t from_slots, uint32_t to_slots);

/* packed.c */

/* Marks the slots whose entries may differ, and finds the handle of a slot. */
void hm_changes_mark_ids(hm_changes_search *search, const hm_id_table *from, const hm_id_table *to);
void hm_changes_find_id(const hm_changes_side *side, const void *table, uint32_t slot,
                        hm_changes_item *item);

/* The same for the owners of a secondary. */
void hm_changes_mark_owners(hm_changes_search *search, const hm_secondary *from,
                            const hm_secondary *to);
void hm_changes_find_owner(const hm_changes_side *side, const void *owners, uint32_t slot,
                           hm_changes_item *item);

/* Marks the owners of the values of a strip that are on pages which differ. `owners`: their
 * handles, at `to`. */
void hm_changes_mark_owned(hm_changes_search *search, const hm_changes_strip *strip,
                           const hm_handle *owners);

/* save: what its sources share. docs/format.md has the format.
 *
 * How a container is added. Its kind is in hm_save_kind and in `section_kinds` (section.c). What
 * it has is in a source of its own, after save_map.c, as an hm_saved_kind; save_container.c does
 * the rest. A world has more than one kind of item, and does all of it itself.
 *
 * A save fills in an hm_save_section: hm_save_describe (name, layout, items), the container's own
 * numbers (up to HM_SAVE_DETAILS; hm_save_describe_ids has those of an id table) and payload_size,
 * which must be known before the first byte. Then hm_save_begin writes the header, hm_save_write,
 * hm_save_items and hm_save_ids the payload, and hm_save_end checks that it had the size that was
 * said. After a refusal the functions do nothing, and hm_save_end returns why.
 *
 * Nothing of a load may be seen before its end. It fills the container's arrays behind its counts,
 * which stay 0. It makes room only for what has arrived, or arrives next: a file may lie. Items
 * come before ids, since they are what a large part of a file's bytes is for. While arrays move,
 * the counts of the id table say how much is carried. When hm_load_end has seen the last checksum,
 * the counts are set. If anything failed, what decode made is destroyed, and the container is
 * trimmed: it is empty. */

typedef enum hm_save_kind {
    HM_SAVE_MAP = 1,
    HM_SAVE_POOL,
    HM_SAVE_TABLE,
    HM_SAVE_SECONDARY,
    HM_SAVE_LISTS,
    HM_SAVE_INDEX,
    HM_SAVE_WORLD,
    HM_SAVE_BYTES,       /* of the program's own */
    HM_SAVE_CHANGES = 16 /* added to the kind of a container: what changed in it */
} hm_save_kind;

/* The bits of a section's flags. */
enum {
    HM_SAVE_ENCODED = 1,    /* the items went through encode */
    HM_SAVE_ASCENDING = 2,  /* the slots of live positions ascend, and are not listed */
    HM_SAVE_REUSE_LAST = 4, /* of a pool */
    HM_SAVE_POSITION = 8    /* the last numbers of the header are where it stands */
};

enum {
    HM_SAVE_BLOCK = 1 << 16,              /* bytes of the payload before each checksum */
    HM_SAVE_BUFFER = HM_SAVE_MAX_ENCODED, /* bytes that are converted at a time */
    HM_SAVE_TEXT = 255,                   /* bytes of a name, at most */
    HM_SAVE_DETAILS = 272,                /* numbers in a header, at most */
    HM_SAVE_ENTITY = 8                    /* bytes of an entity, for the header of a world */
};

/* What the header of a section says. */
typedef struct hm_save_section {
    const char *name, *layout;
    uint32_t format; /* its version; of a section that is read */
    uint32_t kind;   /* hm_save_kind; of others there may be any in a file */
    uint32_t flags;
    uint32_t type_id;
    uint32_t item_size;    /* bytes in the container */
    uint32_t encoded_size; /* bytes in the file */
    uint32_t version;      /* of the layout */
    uint32_t count;        /* items */
    uint32_t detail_count;
    uint32_t details[HM_SAVE_DETAILS];
    hm_position position;  /* zero without HM_SAVE_POSITION */
    uint64_t payload_size; /* bytes, without the checksums of the blocks */
} hm_save_section;

/* A section that is being written. */
typedef struct hm_save_out {
    hm_sink sink;
    hm_status status; /* HM_OK, or why it failed */
    hm_hash hash;     /* of the block */
    size_t block;     /* bytes that the block may still get */
    uint64_t left;    /* bytes of the payload that are to come */
    const hm_save_section *section;
    unsigned char buffer[HM_SAVE_BUFFER];
} hm_save_out;

/* A section that is being read. */
typedef struct hm_save_in {
    hm_source source;
    hm_status status;
    hm_hash hash;
    size_t block;
    uint64_t left;    /* bytes of the payload that are to come */
    uint64_t start;   /* where the section is: bytes from where the load began */
    uint64_t payload; /* where its payload is */
    const char *kind; /* "map" and so on */
    hm_save_section section;
    char others[72]; /* the sections before it, for messages */
    char name[HM_SAVE_TEXT + 1], layout[HM_SAVE_TEXT + 1];
    unsigned char buffer[HM_SAVE_BUFFER];
} hm_save_in;

/* Numbers in the order of the format. */
static inline void hm_save_put_16(unsigned char *bytes, uint32_t value)
{
    bytes[0] = (unsigned char)value;
    bytes[1] = (unsigned char)(value >> 8);
}

static inline void hm_save_put_32(unsigned char *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(value >> 8 * i);
}

static inline void hm_save_put_64(unsigned char *bytes, uint64_t value)
{
    hm_save_put_32(bytes, (uint32_t)value);
    hm_save_put_32(bytes + 4, (uint32_t)(value >> 32));
}

static inline uint32_t hm_load_16(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8;
}

static inline uint32_t hm_load_32(const unsigned char *bytes)
{
    return hm_load_16(bytes) | hm_load_16(bytes + 2) << 16;
}

static inline uint64_t hm_load_64(const unsigned char *bytes)
{
    return hm_load_32(bytes) | (uint64_t)hm_load_32(bytes + 4) << 32;
}

/* save_container.c: what the kinds have in common */

typedef struct hm_load hm_load;

/* A kind of container, as saves and loads know it. */
typedef struct hm_saved_kind {
    const hm_known_kind *known;
    uint32_t number;   /* hm_save_kind */
    size_t ids;        /* bytes to its id table, if it has one */
    hm_ids_mover move; /* NULL: it has no id table */
    /* Fills in type id, counts, the size of an item and the container's own numbers. */
    void (*describe)(const void *container, hm_save_section *section);
    /* Returns the bytes of the payload. */
    uint64_t (*measure)(const hm_save_section *section);
    void (*write)(hm_save_out *out, const void *container, const hm_save_desc *desc);
    hm_status (*begin)(hm_load *load); /* HM_ERROR_INVALID: it is not empty; or NULL */
    hm_status (*check)(hm_load *load); /* compares the rest of the header with the container */
    hm_status (*read)(hm_load *load);
    /* Makes what was read its own, or destroys what decode made if that or the load has failed. */
    hm_status (*finish)(hm_load *load, hm_status status);
    /* Leaves the guard; a container that was not loaded is trimmed. */
    hm_status (*leave)(void *container, hm_status status);
} hm_saved_kind;

hm_status hm_save_container(const hm_saved_kind *kind, const void *container,
                            const hm_save_desc *desc, hm_sink sink);
hm_status hm_load_container(const hm_saved_kind *kind, void *container, const hm_save_desc *desc,
                            hm_source source);

/* Defines hm_type_save and hm_type_load. What the kind does is in functions of the same source, and
 * type_rest ends a load. */
#define HM_SAVED(type, number, ids, move, begin)                                                   \
    static hm_status saved_##type##_leave(void *container, hm_status status)                       \
    {                                                                                              \
        saved_##type##_rest(container);                                                            \
        status = hm_##type##_blame(container, status);                                             \
        return status == HM_OK ? HM_OK : hm_load_failed(status, hm_##type##_trim(container));      \
    }                                                                                              \
    static const hm_saved_kind saved_##type = {&hm_known_##type,                                   \
                                               number,                                             \
                                               ids,                                                \
                                               move,                                               \
                                               saved_##type##_describe,                            \
                                               saved_##type##_measure,                             \
                                               saved_##type##_write,                               \
                                               begin,                                              \
                                               saved_##type##_check,                               \
                                               saved_##type##_read,                                \
                                               saved_##type##_finish,                              \
                                               saved_##type##_leave};                              \
    hm_status hm_##type##_save(const hm_##type *type, const hm_save_desc *desc, hm_sink sink)      \
    {                                                                                              \
        HM_CONTRACT(type != NULL, "hm_" #type "_save: " #type " is NULL");                         \
        return hm_save_container(&saved_##type, type, desc, sink);                                 \
    }                                                                                              \
    hm_status hm_##type##_load(hm_##type *type, const hm_save_desc *desc, hm_source source)        \
    {                                                                                              \
        HM_CONTRACT(type != NULL, "hm_" #type "_load: " #type " is NULL");                         \
        return hm_load_container(&saved_##type, type, desc, source);                               \
    }

/* section.c: headers */

/* HM_ERROR_INVALID: the name of the descriptor, or else of the container, or the layout has more
 * than HM_SAVE_TEXT bytes. */
hm_status hm_save_check_names(const hm_save_desc *desc, const char *name);

/* HM_ERROR_INVALID: encode has no size, or one that the buffers have not. `name`: of what it saves.
 */
hm_status hm_save_check_codec(const hm_save_desc *desc, const char *name);

/* Fills in what a descriptor says, or its defaults. `desc` NULL: all of them; `name`: that of the
 * container. HM_ERROR_INVALID: the descriptor is wrong. */
hm_status hm_save_describe(hm_save_section *section, const hm_save_desc *desc, const char *name);

void hm_save_begin(hm_save_out *out, const hm_save_section *section, hm_sink sink);

/* Lets the header say where the container stands; NULL: nothing. HM_ERROR_INVALID: between two
 * marks. */
hm_status hm_save_describe_position(hm_save_section *section, const hm_position *position);

/* Hands out what the header of a section that was loaded says; NULL: to nobody. */
void hm_load_position(hm_position *position, const hm_save_section *section, hm_status status);

/* Returns the name of a hm_save_kind, of its container if it has changes. */
const char *hm_save_kind_name(uint32_t kind);

/* Reads the next header, whatever it is of. */
hm_status hm_load_begin(hm_save_in *in, const char *kind, const char *name, hm_source source);

/* Reads headers until one has this kind and the name of the descriptor, or of the container. */
hm_status hm_load_find(hm_save_in *in, uint32_t kind, const hm_save_desc *desc, const char *name,
                       hm_source source);

/* Returns the bytes of a name, or more than HM_SAVE_TEXT if it is too long. */
size_t hm_save_length(const char *text);

/* Compares a header with its descriptor and with a container of this type id and item size. */
hm_status hm_load_check(hm_save_in *in, const hm_save_desc *desc, uint32_t type_id,
                        size_t item_size);

/* Fails if a number of the header is above `most`, which is the descriptor's, or 0:
 * HM_ERROR_CORRUPT; or above the limit of the container: HM_ERROR_FULL. */
hm_status hm_load_check_limit(hm_save_in *in, const char *what, uint64_t number, uint32_t most,
                              uint32_t limit);

/* HM_ERROR_INVALID: the container has issued something; or has so many items already. */
HM_COLD hm_status hm_load_fail_used(const char *what, const char *name);
hm_status hm_load_check_empty(const char *what, const char *name, const char *items,
                              uint32_t count);

/* HM_ERROR_CORRUPT: the numbers of the header contradict each other; or another number of slots is
 * retired than it says. */
HM_COLD hm_status hm_load_disagree(hm_save_in *in);
hm_status hm_load_check_retired(hm_save_in *in, uint32_t found, uint32_t retired);

/* HM_ERROR_FULL: what is `behind` bytes before the end of what has been read needs a generation
 * above the container's last. */
HM_COLD hm_status hm_load_fail_generation(hm_save_in *in, size_t behind, uint32_t generation,
                                          uint32_t last);

/* stream.c: the payload in blocks */

void hm_save_write(hm_save_out *out, const void *bytes, size_t size);
hm_status hm_save_end(hm_save_out *out);

/* Reads the next bytes of the payload; false: in->status says why not. */
bool hm_load_read(hm_save_in *in, void *bytes, size_t size);

/* Returns in->status, when the whole payload has been read and its last checksum is right. */
hm_status hm_load_end(hm_save_in *in);

/* Skips the payload. */
bool hm_load_skip(hm_save_in *in);

/* Writes n numbers of so many bytes each, which `get` tells. */
HM_INLINE void hm_save_numbers(hm_save_out *out, uint32_t width, uint32_t n,
                               uint64_t (*get)(const void *of, uint32_t i), const void *of)
{
    for (uint32_t i = 0; i < n && out->status == HM_OK;) {
        uint32_t part = n - i < HM_SAVE_BUFFER / width ? n - i : HM_SAVE_BUFFER / width;
        unsigned char *to = out->buffer;
        for (uint32_t end = i + part; i < end; i++, to += width) {
            uint64_t number = get(of, i);
            for (uint32_t byte = 0; byte < width; byte++)
                to[byte] = (unsigned char)(number >> 8 * byte);
        }
        hm_save_write(out, out->buffer, (size_t)width * part);
    }
}

/* Reads the next of n numbers of so many bytes each into the buffer. Returns how many they are; 0:
 * in->status says why not. */
static inline uint32_t hm_load_part(hm_save_in *in, uint32_t width, uint32_t n)
{
    uint32_t part = n < HM_SAVE_BUFFER / width ? n : HM_SAVE_BUFFER / width;
    return hm_load_read(in, in->buffer, (size_t)width * part) ? part : 0;
}

/* Reads bytes that nobody needs. */
bool hm_load_pass(hm_save_in *in, uint64_t size);

/* Reports a mismatch only after the remaining checksums prove that the file is intact, since
 * damaged bytes may look the same: reads the rest, and returns the status if the checksums are
 * right. */
hm_status hm_load_confirm(hm_save_in *in, hm_status status);

/* Fails and sets in->status; the sentence names the section, and the byte that is `back` bytes of
 * the payload before the next one. */
HM_COLD HM_PRINTF(4, 5) hm_status
    hm_load_fail(hm_save_in *in, hm_status status, size_t back, const char *format, ...);

/* items.c */

/* Whether decode makes the items. */
static inline bool hm_load_decodes(const hm_save_desc *desc)
{
    return desc != NULL && desc->decode != NULL;
}

/* Writes n items that lie one behind the other. */
void hm_save_items(hm_save_out *out, const hm_save_desc *desc, const void *items, size_t item_size,
                   uint32_t n);

/* Returns how many of `left` items to read next: the room that a container makes for them is small,
 * or that of one item. */
uint32_t hm_load_next(size_t item_size, uint32_t left);

/* Reads n items. Returns how many it has made, fewer if it fails. */
uint32_t hm_load_items(hm_save_in *in, const hm_save_desc *desc, void *items, size_t item_size,
                       uint32_t n);

/* Runs the hook for the items that decode has made, the last one first. */
void hm_load_destroy(const hm_save_desc *desc, void (*destroy)(void *item, void *context),
                     void *context, void *items, size_t item_size, uint32_t made);

/* ids.c: the part of an id table */

enum { HM_SAVE_FREE, HM_SAVE_SLOTS, HM_SAVE_DROPPED_END, HM_SAVE_IDS_DETAILS };

/* Fills in the numbers of the table: details, count, type id and flags. */
void hm_save_describe_ids(hm_save_section *section, const hm_id_table *ids);

/* Returns the bytes of the table's part. */
uint64_t hm_save_size_of_ids(const hm_save_section *section);

void hm_save_ids(hm_save_out *out, const hm_id_table *ids);

/* HM_ERROR_INVALID: the table has issued something. `what`, `name`: of its container. */
hm_status hm_load_check_unused(const hm_id_table *ids, const char *what, const char *name);

/* An id table that is being loaded. */
typedef struct hm_load_ids {
    hm_id_table *ids;
    void *owner;
    hm_ids_mover move;
    uint32_t count; /* items that are carried */
    uint32_t slots; /* entries that are carried */
} hm_load_ids;

/* Compares the numbers of the header with each other, with the table and the descriptor. */
hm_status hm_load_check_ids(hm_save_in *in, const hm_id_table *ids, const hm_save_desc *desc);

/* Without a capacity, moves to a range with room for `count` items, if this one has none. */
hm_status hm_load_widen(hm_load_ids *load, size_t count);

/* Reads the table's part. All items have been read. */
hm_status hm_load_ids_part(hm_save_in *in, hm_load_ids *load);

/* Makes what was loaded the table's own; or forgets it if the load has failed, so that a trim gives
 * back its memory. */
void hm_load_end_ids(const hm_load_ids *load, const hm_save_in *in, hm_status status);

/* The end of a load that failed, with the status of the trim that followed: returns the load's,
 * whose message is the last. */
hm_status hm_load_failed(hm_status status, hm_status trimmed);

/* save_blocks.c: where the blocks of lists are */

/* Numbers of the header, behind the container's own. Files of 0.3 have none. */
enum {
    HM_SAVE_UNIT_SIZE,   /* bytes */
    HM_SAVE_END,         /* as in hm_lists_blocks */
    HM_SAVE_CURSOR,      /* the same */
    HM_SAVE_SPACE,       /* the same; 0: with a capacity */
    HM_SAVE_IS_JOINED,   /* the same */
    HM_SAVE_FREE_BLOCKS, /* free blocks */
    HM_SAVE_POWERS,      /* blocks of lists with a power of two of units */
    HM_SAVE_BLOCKS_DETAILS
};

/* Adds these numbers, and returns how many blocks lists have. */
uint32_t hm_save_describe_blocks(hm_save_section *section, const hm_lists_blocks *blocks);

/* Returns the bytes of the heads of all blocks: `owned` of them are of lists. `first`: the first of
 * the numbers. */
uint64_t hm_save_size_of_blocks(const hm_save_section *section, uint32_t first, uint32_t id_size,
                                uint32_t owned);

/* Writes the head of a block; `id` is that of its list. */
void hm_save_block(hm_save_out *out, const hm_lists_blocks *blocks, uint32_t unit, uint64_t id,
                   uint32_t id_size);

/* Blocks that are being loaded. */
typedef struct hm_load_blocks {
    hm_lists_blocks *blocks;
    const uint32_t *numbers; /* NULL: the file has none */
    bool is_kept;            /* the blocks lie where they lay; else behind one another */
    bool was_free;           /* the last one */
    bool reaches_cursor;
    uint32_t owned, free, powers; /* that are still to come */
    hm_array units;               /* uint32_t: free blocks of more than one unit */
} hm_load_blocks;

/* The head of a list's block. */
typedef struct hm_load_block {
    bool is_there; /* else all blocks have been read */
    uint64_t id;
    uint32_t count; /* items */
    uint32_t size;  /* units; 0: those that the items need */
    uint32_t head;  /* bytes that it has in the file */
} hm_load_block;

/* Checks the numbers of the header, for so many items of all lists, and decides whether blocks are
 * kept. `is_alike`: an item has the size that it had. HM_ERROR_CORRUPT. */
hm_status hm_load_check_blocks(hm_load *load, uint32_t first, uint32_t owned, uint64_t items,
                               bool is_alike);

/* Makes the free blocks before the next one that is a list's, and reads the head of that. */
hm_status hm_load_next_block(hm_load *load, uint32_t id_size, hm_load_block *block);

/* Makes room for the block at `unit`, the last one, while it has so many items. */
hm_status hm_load_open_block(hm_load *load, const hm_load_block *block, uint32_t unit,
                             uint64_t count);

/* Returns what the head of a block with so many items says of its size. */
static inline uint32_t hm_load_size_of(const hm_load_block *block, uint32_t count)
{
    return block->size != 0 ? block->size : count | HM_LISTS_EXACT;
}

/* Makes the blocks those of the lists, which have so many items in all. */
void hm_load_publish_blocks(hm_load *load, uint64_t items);

/* A container that is being loaded. */
struct hm_load {
    const hm_saved_kind *kind;
    void *container;
    const hm_save_desc *desc;
    hm_load_ids ids;  /* if it has an id table; counts the items of a map, and the rows */
    uint32_t made;    /* values of a secondary; owners of an index that have a key; of a pool, all
                         items below this slot */
    uint32_t retired; /* slots of a pool */
    uint32_t opened;  /* rows of a table that are accessible; where the blocks of lists end */
    uint64_t items;   /* of all lists */
    hm_load_blocks blocks;
    hm_save_in in;
};

/* save_table.c: returns the bytes of all cells of a row. */
uint64_t hm_save_row_size(const hm_table *table);

/* save_secondary.c: owners, of a secondary or an index */

enum { HM_SAVE_OWNER = 6 /* bytes */ };

/* The first number of both: that behind the highest slot of an owner. */
enum { HM_SAVE_OWNER_SLOTS };

/* Returns the number behind the highest slot of n owners. */
uint32_t hm_save_slots_of(const hm_handle *owners, uint32_t n);

void hm_save_owners(hm_save_out *out, const hm_handle *owners, uint32_t n);

/* Compares the numbers of the header with the limits of the owners, which are `what`; `agrees`:
 * with each other and with its size they agree. */
hm_status hm_load_check_owners(hm_save_in *in, const hm_save_desc *desc, const hm_secondary *owners,
                               const char *what, bool agrees);

/* Reads n owners, whose slots are below `slots`. */
hm_status hm_load_owners(hm_save_in *in, hm_handle *owners, uint32_t n, uint32_t slots,
                         uint32_t type_id);

/* Gives so many owners their positions, when all has been checked. */
hm_status hm_load_publish_owners(hm_save_in *in, hm_secondary *secondary, uint32_t count,
                                 uint32_t slots);

/* Reads values until there are `count`; *made counts them. Or runs the hook for those that decode
 * has made, the last one first. */
hm_status hm_load_values(hm_save_in *in, hm_secondary *secondary, const hm_save_desc *desc,
                         uint32_t count, uint32_t *made);
void hm_load_destroy_values(const hm_secondary *secondary, const hm_save_desc *desc, uint32_t made);

/* load_world.c: as hm_world_load. The world has no hooks then but for what decode has made. */
hm_status hm_load_merged_world(hm_world *world, const hm_world_save_desc *desc, hm_source source);

#ifndef HM_FREESTANDING

/* report: what its sources share.
 *
 *     report.c        the list of entries, what is asked of a kind of container, the text
 *     report_json.c   what a container tells as JSON
 */

#include <handle_map/report.h>

/* What the report asks of a container. */
typedef struct hm_report_kind {
    const char *word;
    hm_stats (*get_stats)(const void *container);
    const char *(*get_name)(const void *container);
    uint32_t (*get_type_id)(const void *container); /* of the handles that it is asked about */
    size_t (*describe)(const void *container, hm_handle handle, char *buffer, size_t size);
    hm_status (*dump)(const void *container, const hm_dump_desc *desc, hm_sink sink);
    void (*put_more)(hm_text *json, const void *container); /* fields of its own; or NULL */
} hm_report_kind;

/* NULL becomes null. */
void hm_report_put_string(hm_text *json, const char *string);

void hm_report_put_sizes(hm_text *json, size_t committed, size_t reserved);

/* All fields but those of its own. */
void hm_report_put_container(hm_text *json, const hm_report_entry *entry, const hm_stats *stats);

/* The fields of its own. */
void hm_report_put_map(hm_text *json, const void *container);
void hm_report_put_pool(hm_text *json, const void *container);
void hm_report_put_table(hm_text *json, const void *container);
void hm_report_put_secondary(hm_text *json, const void *container);
void hm_report_put_lists(hm_text *json, const void *container);
void hm_report_put_world(hm_text *json, const void *container);

#endif

#endif
