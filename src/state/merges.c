/* SPDX-License-Identifier: MIT */
/* save: a section that becomes part of a container which has items. It is loaded into a container
 * of its own first, with the same sizes, hooks and type id, so that all of it is checked before the
 * first item is seen; then its items are inserted one by one. An item that has been inserted
 * belongs to the other container: its hook must not run for the copy of its bytes that is left. One
 * that has not is nobody's, unless decode has made it: the container of its own has no other hooks.
 */
#include "../dense/dense_private.h"
#include "../pool/pool_private.h"
#include "../world/world_private.h"
#include "state_private.h"

/* What differs between the containers. */
typedef struct hm_merge_kind {
    /* Returns the handle of the first item from *cursor on, and sets that behind it. */
    hm_handle (*next)(const hm_merge *merge, uint32_t *cursor);
    /* Inserts no items, which a busy container refuses. */
    hm_status (*admit)(void *into);
    /* Inserts a copy of an item. */
    hm_status (*take)(hm_merge *merge, hm_handle old, hm_handle *made);
    /* Ends the items that were inserted, without hooks. NULL: all can be reserved before. */
    void (*undo)(hm_merge *merge);
    /* Ends the items from `done` on, and forgets the others. */
    void (*end)(hm_merge *merge);
} hm_merge_kind;

/* map */

static hm_status merge_take_from_map(hm_merge *merge, hm_handle old, hm_handle *made)
{
    hm_map *into = merge->into;
    const hm_map *from = &merge->from.map;
    hm_status status = hm_map_insert_n(into, hm_map_get(from, old), 1, made);
    const void *meta = hm_map_meta_at(from, hm_map_index_of(from, old));
    if (status == HM_OK && meta != NULL)
        memcpy(hm_map_meta_at(into, hm_map_count(into) - 1), meta,
               into->extras->meta_array.item_size);
    return status;
}

static void merge_fini_map(hm_map *from)
{
    if (from->extras != NULL)
        from->extras->destroy = NULL;
    hm_map_fini(from);
}

static hm_status merge_init_map(hm_map *from, const hm_map *into, bool decodes)
{
    const hm_map_extras none = {0}, *extras = into->extras != NULL ? into->extras : &none;
    return hm_map_init(from, &(hm_map_desc){.item_size = into->item_size,
                                            .item_align = hm_memory_align_of(into->item_size),
                                            .type_id = into->ids.type_id,
                                            .meta_size = extras->meta_array.item_size,
                                            .destroy = decodes ? extras->destroy : NULL,
                                            .context = extras->context,
                                            .memory = into->item_array.memory,
                                            .name = into->name});
}

/* pool */

static hm_status merge_take_from_pool(hm_merge *merge, hm_handle old, hm_handle *made)
{
    return hm_pool_insert_n(merge->into, hm_pool_get(&merge->from.pool, old), 1, made);
}

static void merge_fini_pool(hm_pool *from)
{
    from->destroy = NULL;
    hm_pool_fini(from);
}

static hm_status merge_init_pool(hm_pool *from, const hm_pool *into, bool decodes)
{
    return hm_pool_init(from, &(hm_pool_desc){.item_size = into->item_size,
                                              .item_align = hm_memory_align_of(into->item_size),
                                              .type_id = (uint16_t)hm_pool_type_id(into),
                                              .destroy = decodes ? into->destroy : NULL,
                                              .context = into->context,
                                              .memory = into->entry_array.memory,
                                              .name = into->name});
}

/* table */

static hm_status merge_take_from_table(hm_merge *merge, hm_handle old, hm_handle *made)
{
    const void *cells[HM_TABLE_MAX_COLUMNS];
    const hm_table *from = &merge->from.table;
    for (uint32_t c = 0; c < from->column_count; c++)
        cells[c] = hm_table_get(from, old, c);
    return hm_table_insert_n(merge->into, cells, 1, made);
}

static void merge_fini_table(hm_table *from)
{
    from->destroy = NULL;
    hm_table_fini(from);
}

static hm_status merge_init_table(hm_table *from, const hm_table *into, bool decodes)
{
    hm_column columns[HM_TABLE_MAX_COLUMNS];
    for (uint32_t c = 0; c < into->column_count; c++)
        columns[c] = (hm_column){.size = into->columns[c].size,
                                 .align = hm_memory_align_of(into->columns[c].size)};
    return hm_table_init(from, &(hm_table_desc){.columns = columns,
                                                .column_count = into->column_count,
                                                .type_id = into->ids.type_id,
                                                .destroy = decodes ? into->destroy : NULL,
                                                .context = into->context,
                                                .memory = into->record_array.memory,
                                                .name = into->name});
}

/* lists */

/* Ends the last list, without hooks. */
static void merge_drop_list(hm_lists *lists)
{
    void (*destroy)(void *item, void *context) = lists->destroy;
    lists->destroy = NULL;
    (void)hm_lists_destroy(lists, hm_lists_handle_at(lists, hm_lists_count(lists) - 1));
    lists->destroy = destroy;
}

static hm_status merge_take_from_lists(hm_merge *merge, hm_handle old, hm_handle *made)
{
    uint32_t count;
    const void *items = hm_lists_items(&merge->from.lists, old, &count);
    hm_status status = hm_lists_create_n(merge->into, 1, made);
    if (status != HM_OK || count == 0)
        return status;
    status = hm_lists_push_n(merge->into, *made, items, count);
    if (status != HM_OK)
        merge_drop_list(merge->into);
    return status;
}

static void merge_undo_lists(hm_merge *merge)
{
    for (; merge->done > 0; merge->done--)
        merge_drop_list(merge->into);
}

static void merge_fini_lists(hm_lists *from)
{
    from->destroy = NULL;
    hm_lists_fini(from);
}

static hm_status merge_init_lists(hm_lists *from, const hm_lists *into, bool decodes)
{
    size_t align = hm_memory_align_of(into->blocks.item_size);
    size_t unit = (size_t)1 << into->blocks.unit_shift; /* at least the alignment */
    return hm_lists_init(from, &(hm_lists_desc){.item_size = into->blocks.item_size,
                                                .item_align = align < unit ? align : unit,
                                                .type_id = into->ids.type_id,
                                                .destroy = decodes ? into->destroy : NULL,
                                                .context = into->context,
                                                .memory = into->ids.slot_array.memory,
                                                .name = into->name});
}

/* world */

/* The components have the same numbers in both. */
static hm_status merge_take_from_world(hm_merge *merge, hm_handle old, hm_handle *made)
{
    hm_component set[HM_WORLD_MAX_COMPONENTS];
    const void *values[HM_WORLD_MAX_COMPONENTS];
    const hm_world *from = &merge->from.world;
    uint32_t n = hm_world_components_of(from, old, set, HM_WORLD_MAX_COMPONENTS);
    for (uint32_t i = 0; i < n; i++)
        values[i] = hm_world_get(from, old, set[i]);
    return hm_world_create_n(merge->into, set, n, 1, values, made);
}

/* Both have the same values: for these the hooks run where the merge ends. */
static void merge_undo_world(hm_merge *merge)
{
    hm_world *into = merge->into;
    const uint32_t count = into->component_count;
    void (*hooks[HM_WORLD_MAX_COMPONENTS])(void *value, void *context);
    for (uint32_t i = 0; i < count; i++) {
        hooks[i] = hm_world_record(into, i)->destroy;
        hm_world_record(into, i)->destroy = NULL;
    }
    for (; merge->done > 0; merge->done--)
        (void)hm_world_destroy(into, hm_world_handle_at(into, hm_world_count(into) - 1));
    for (uint32_t i = 0; i < count; i++)
        hm_world_record(into, i)->destroy = hooks[i];
}

static void merge_fini_world(hm_world *from)
{
    hm_world_release(from);
}

/* Its hooks are those of what is loaded into it. */
static hm_status merge_init_world(hm_world *from, const hm_world *into, bool decodes)
{
    (void)decodes;
    hm_status status = hm_world_init_like(from, into);
    from->ids.last_generation = HM_HANDLE_MAX_GENERATION; /* What is made in `into` is new. */
    return status;
}

/* all */

/* HM_ERROR_BUSY: the container, or the remap, does not change now. */
static hm_status merge_admit(const hm_merge *merge)
{
    const hm_secondary *remap = merge->remap;
    if (remap != NULL && hm_guard_refuses(&remap->guard, "secondary", remap->name))
        return HM_ERROR_BUSY;
    return merge->kind->admit(merge->into);
}

/* Gives each handle an entry, so that none has to be made later. */
static hm_status merge_fill_remap(hm_merge *merge)
{
    hm_handle olds[64];
    hm_status status = HM_OK;
    uint32_t cursor = 0;
    if (hm_guard_refuses(&merge->remap->guard, "secondary", merge->remap->name))
        return HM_ERROR_BUSY;
    if (merge->remap->value_size != sizeof(hm_handle) || hm_secondary_count(merge->remap) != 0)
        return hm_fail(
            HM_ERROR_INVALID,
            "remap has values, or they are no handles: pass a new secondary of hm_handle");
    for (uint32_t done = 0, n; done < merge->count && status == HM_OK; done += n) {
        for (n = 0; n < sizeof olds / sizeof *olds && done + n < merge->count; n++)
            olds[n] = merge->kind->next(merge, &cursor);
        status = hm_secondary_set_n(merge->remap, olds, NULL, n);
    }
    if (status != HM_OK)
        hm_secondary_clear(merge->remap);
    return status;
}

/* Begins with what has been loaded, unless the status is why nothing has been. */
static hm_status merge_begin(hm_merge *merge, hm_status status, uint32_t count)
{
    merge->count = status == HM_OK ? count : 0;
    if (status == HM_OK && merge->remap != NULL)
        status = merge_fill_remap(merge);
    if (status != HM_OK)
        hm_merge_end(merge);
    return status;
}

/* Defines the functions that begin a merge, and that do all of it. `first`: where the first item
 * from *cursor on is; `admit`: inserts no items; `erase`: ends one of the items that are left;
 * `load` fills a container of its own. */
#define MERGE_FUNCTIONS(container, first, admit, erase, undo, decodes, load)                       \
    static hm_handle merge_next_of_##container(const hm_merge *merge, uint32_t *cursor)            \
    {                                                                                              \
        const hm_##container *from = &merge->from.container;                                       \
        uint32_t at = first;                                                                       \
        *cursor = at + 1;                                                                          \
        return hm_##container##_handle_at(from, at);                                               \
    }                                                                                              \
    static hm_status merge_admit_##container(void *into)                                           \
    {                                                                                              \
        return admit;                                                                              \
    }                                                                                              \
    static void merge_end_##container(hm_merge *merge)                                             \
    {                                                                                              \
        hm_##container *from = &merge->from.container;                                             \
        while (hm_##container##_count(from) > merge->done)                                         \
            (void)erase;                                                                           \
        merge_fini_##container(from);                                                              \
    }                                                                                              \
    static const hm_merge_kind merge_##container = {                                               \
        merge_next_of_##container, merge_admit_##container, merge_take_from_##container, undo,     \
        merge_end_##container};                                                                    \
    hm_status hm_##container##_merge_begin(hm_##container *container, hm_merge *merge,             \
                                           const MERGE_DESC_OF_##container *desc,                  \
                                           hm_source source, hm_secondary *remap)                  \
    {                                                                                              \
        HM_CONTRACT(merge != NULL, "hm_" #container "_merge_begin: merge is NULL");                \
        HM_CONTRACT(container != NULL, "hm_" #container "_merge_begin: " #container " is NULL");   \
        *merge = (hm_merge){.into = container, .remap = remap};                                    \
        if (hm_known_memory(&hm_known_##container, container) == NULL)                             \
            return hm_fail_uninitialised(#container);                                              \
        hm_status status = merge_init_##container(&merge->from.container, container, decodes);     \
        if (status != HM_OK)                                                                       \
            return status;                                                                         \
        merge->kind = &merge_##container;                                                          \
        status = load(&merge->from.container, desc, source);                                       \
        return merge_begin(merge, status, hm_##container##_count(&merge->from.container));         \
    }                                                                                              \
    hm_status hm_##container##_merge(hm_##container *container,                                    \
                                     const MERGE_DESC_OF_##container *desc, hm_source source,      \
                                     hm_secondary *remap)                                          \
    {                                                                                              \
        hm_merge merge;                                                                            \
        HM_CONTRACT(container != NULL, "hm_" #container "_merge: " #container " is NULL");         \
        hm_status status = merge_admit_##container(container);                                     \
        if (status != HM_OK)                                                                       \
            return status;                                                                         \
        status = hm_##container##_merge_begin(container, &merge, desc, source, remap);             \
        if (status == HM_OK)                                                                       \
            status = hm_##container##_reserve(container, merge.count);                             \
        return merge_all(&merge, status);                                                          \
    }

/* Does all of a merge that has begun, or nothing. */
static hm_status merge_all(hm_merge *merge, hm_status status)
{
    if (status == HM_OK)
        status = hm_merge_step(merge, merge->count);
    if (status != HM_OK && merge->kind != NULL) {
        if (merge->kind->undo != NULL)
            merge->kind->undo(merge);
        if (merge->remap != NULL)
            hm_secondary_clear(merge->remap);
    }
    hm_merge_end(merge);
    return status;
}

#define MERGE_DESC_OF_map hm_save_desc
#define MERGE_DESC_OF_pool hm_save_desc
#define MERGE_DESC_OF_table hm_save_desc
#define MERGE_DESC_OF_lists hm_save_desc
#define MERGE_DESC_OF_world hm_world_save_desc

MERGE_FUNCTIONS(map, *cursor, hm_map_insert_n(into, NULL, 0, NULL),
                hm_map_erase_at(from, hm_map_count(from) - 1), NULL, hm_load_decodes(desc),
                hm_map_load)
MERGE_FUNCTIONS(pool, hm_pool_next_run(from, *cursor, NULL), hm_pool_insert_n(into, NULL, 0, NULL),
                hm_pool_erase_at(from, hm_pool_next_run(from, merge->cursor, NULL)), NULL,
                hm_load_decodes(desc), hm_pool_load)
MERGE_FUNCTIONS(table, *cursor, hm_table_insert_n(into, NULL, 0, NULL),
                hm_table_erase_at(from, hm_table_count(from) - 1), NULL, hm_load_decodes(desc),
                hm_table_load)
MERGE_FUNCTIONS(lists, *cursor, hm_lists_create_n(into, 0, NULL),
                hm_lists_destroy(from, hm_lists_handle_at(from, hm_lists_count(from) - 1)),
                merge_undo_lists, hm_load_decodes(desc), hm_lists_load)
MERGE_FUNCTIONS(world, *cursor, hm_world_create_n(into, NULL, 0, 0, NULL, NULL),
                hm_world_destroy(from, hm_world_handle_at(from, hm_world_count(from) - 1)),
                merge_undo_world, false, hm_load_merged_world)

hm_status hm_merge_step(hm_merge *merge, uint32_t n)
{
    HM_CONTRACT(merge != NULL, "hm_merge_step: merge is NULL");
    if (merge->kind == NULL) /* It has ended: nothing is left. */
        return HM_OK;
    hm_status status = merge_admit(merge);
    if (status != HM_OK)
        return status;
    for (; n > 0 && merge->done < merge->count; n--) {
        uint32_t cursor = merge->cursor;
        hm_handle made, old = merge->kind->next(merge, &cursor);
        status = merge->kind->take(merge, old, &made);
        if (status != HM_OK)
            return status;
        merge->cursor = cursor;
        merge->done++;
        if (merge->remap != NULL)
            (void)hm_secondary_set(merge->remap, old, &made);
    }
    return HM_OK;
}

uint32_t hm_merge_left(const hm_merge *merge)
{
    HM_CONTRACT(merge != NULL, "hm_merge_left: merge is NULL");
    return merge->count - merge->done;
}

void hm_merge_end(hm_merge *merge)
{
    HM_CONTRACT(merge != NULL, "hm_merge_end: merge is NULL");
    if (merge->kind != NULL)
        merge->kind->end(merge);
    hm_zero(merge, sizeof *merge);
}
