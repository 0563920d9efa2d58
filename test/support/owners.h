/* SPDX-License-Identifier: MIT */
/* The containers whose items have handles, as rows of a table: for what holds for each of them. */
#ifndef TEST_SUPPORT_OWNERS_H
#define TEST_SUPPORT_OWNERS_H

#include <handle_map/handle_map.h>

typedef union owner {
    hm_map map;
    hm_pool pool;
    hm_table table;
    hm_lists lists;
    hm_world world;
    hm_id_table id_table;
} owner;

typedef struct owner_kind {
    const char *name;
    hm_status (*init)(owner *made, uint16_t type_id, const hm_memory *memory);
    hm_handle (*issue)(owner *made);
    bool (*contains)(const owner *made, hm_handle handle);
    bool (*end_item)(owner *made, hm_handle handle);
    void (*fini)(owner *made);
} owner_kind;

enum { OWNER_ITEMS = 100 };

/* Defines the functions of a kind; `issued` is the handle of a new item, `verb` what ends one. */
#define OWNER_KIND(kind, verb, issued, ...)                                                        \
    static inline hm_status kind##_begin(owner *made, uint16_t type_id, const hm_memory *memory)   \
    {                                                                                              \
        const hm_##kind##_desc desc = {.capacity = OWNER_ITEMS,                                    \
                                       .max_slots = 2 * OWNER_ITEMS,                               \
                                       .type_id = type_id,                                         \
                                       .memory = memory,                                           \
                                       __VA_ARGS__};                                               \
        return hm_##kind##_init(&made->kind, &desc);                                               \
    }                                                                                              \
    static inline hm_handle kind##_issue(owner *made)                                              \
    {                                                                                              \
        return issued;                                                                             \
    }                                                                                              \
    static inline bool kind##_has(const owner *made, hm_handle handle)                             \
    {                                                                                              \
        return hm_##kind##_contains(&made->kind, handle);                                          \
    }                                                                                              \
    static inline bool kind##_end_item(owner *made, hm_handle handle)                              \
    {                                                                                              \
        return hm_##kind##_##verb(&made->kind, handle);                                            \
    }                                                                                              \
    static inline void kind##_end(owner *made)                                                     \
    {                                                                                              \
        hm_##kind##_fini(&made->kind);                                                             \
    }

static const hm_column owner_columns[] = {{.size = 4}, {.size = 8}};

OWNER_KIND(map, erase, hm_map_insert(&made->map, NULL), .item_size = 4)
OWNER_KIND(pool, erase, hm_pool_insert(&made->pool, NULL), .item_size = 24)
OWNER_KIND(table, erase, hm_table_insert(&made->table, NULL), .columns = owner_columns,
           .column_count = 2)
OWNER_KIND(lists, destroy, hm_lists_create(&made->lists), .item_size = 4, .max_items = OWNER_ITEMS)
OWNER_KIND(world, destroy, hm_world_create(&made->world, NULL, 0), )

/* clang-format off */
#define OWNER_ROW(kind) {#kind, kind##_begin, kind##_issue, kind##_has, kind##_end_item, kind##_end}
#define OWNER_ROWS                                                                                 \
    OWNER_ROW(map), OWNER_ROW(pool), OWNER_ROW(table), OWNER_ROW(lists), OWNER_ROW(world)
/* clang-format on */
enum { OWNER_KINDS = 5 };

#endif
