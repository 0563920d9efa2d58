/* SPDX-License-Identifier: MIT */
/* detail/typed: the generator of typed functions that HM_MAP_DEFINE, HM_POOL_DEFINE,
 * HM_TABLE_DEFINE, HM_SECONDARY_DEFINE, HM_LISTS_DEFINE and HM_INDEX_DEFINE share.
 *
 * For each hm_map_X there is a texture_map_X, and for each hm_pool_X a bullet_pool_X. It takes the
 * program's own structs, handles and items, in arrays too, passes a constant item size if the
 * untyped function has a form that takes one, and gives its own name when a contract is broken.
 *
 * The generated functions' parameters and variables begin with hm_, so that a program may call its
 * types item, map or order. Callbacks go through a function of their own: calling through a cast
 * function pointer is undefined. No declaration follows a statement, and in C++ no cast is of the
 * old style, for programs that compile with warnings about those. */
#ifndef HANDLE_MAP_DETAIL_TYPED_H
#define HANDLE_MAP_DETAIL_TYPED_H

#include <handle_map/detail/guard.h>
#include <handle_map/handle.h>

#ifdef __cplusplus
#include <type_traits>
#endif

/* In C++ an item is moved with memcpy, so its type has to allow that. */
#ifdef __cplusplus
#define HM_TYPED_ASSERT(type)                                                                      \
    static_assert(std::is_trivially_copyable<type>::value, "items are copied as bytes");
#else
#define HM_TYPED_ASSERT(type)
#endif

/* prefix: texture; kind: map or pool; number: the type id of a descriptor that says 0. */
#define HM_TYPED_DEFINE(prefix, kind, type, number)                                                \
    HM_TYPED_ASSERT(type)                                                                          \
    HM_STATIC_ASSERT(HM_IS_TYPE_ID(number), "type ids have 15 bits");                              \
    typedef struct prefix##_##kind {                                                               \
        hm_##kind kind;                                                                            \
    } prefix##_##kind;                                                                             \
    HM_TYPED_DEFINE_INIT(prefix, kind, type, number)                                               \
    HM_TYPED_DEFINE_LIFETIME(prefix, kind)                                                         \
    HM_TYPED_DEFINE_INSERT(prefix, kind, type)                                                     \
    HM_TYPED_DEFINE_LOOKUP(prefix, kind, type)                                                     \
    HM_TYPED_DEFINE_ALIVE(prefix, kind)                                                            \
    HM_TYPED_DEFINE_ERASE(prefix, kind, type)                                                      \
    HM_TYPED_DEFINE_PLACES(prefix, kind, index_of, erase_at, prefix##_handle)                      \
    HM_TYPED_DEFINE_UPCOMING(prefix, kind)                                                         \
    HM_TYPED_DEFINE_QUESTIONS(prefix, kind)                                                        \
    HM_TYPED_DEFINE_EXPLAIN(prefix, kind)

/* What the typed form of `name` requires: its container; an array, unless that is empty; and, if
 * the call returns nothing and so cannot report it, that no callback is running. */
#define HM_TYPED_CONTRACT(prefix, kind, name)                                                      \
    HM_CONTRACT(hm_self != NULL, #prefix "_" #kind "_" name ": " #kind " is NULL")

#define HM_TYPED_CONTRACT_ARRAY(prefix, kind, name, array, what)                                   \
    HM_CONTRACT((array) != NULL || hm_n == 0, #prefix "_" #kind "_" name ": " what " is NULL")

#define HM_TYPED_CONTRACT_IDLE(prefix, kind, verb)                                                 \
    HM_CONTRACT_IDLE(hm_self->kind.guard.flags, #prefix "_" #kind "_" verb, hm_self->kind.name)

/* The address of an array of typed handles is that of the first one's only member. */
#define HM_TYPED_IDS(handles) ((handles) != NULL ? &(handles)->id : NULL)

#define HM_TYPED_DEFINE_INIT(prefix, kind, type, number)                                           \
    HM_UNUSED static inline hm_status prefix##_##kind##_init_desc(                                 \
        prefix##_##kind *hm_self, const hm_##kind##_desc *hm_given)                                \
    {                                                                                              \
        hm_##kind##_desc hm_full;                                                                  \
        if (hm_self == NULL)                                                                       \
            return hm_refuse_null(#prefix "_" #kind "_init_desc", #kind);                          \
        if (hm_given == NULL) {                                                                    \
            (void)hm_##kind##_init(&hm_self->kind, NULL); /* zeroes it */                          \
            return hm_refuse_null(#prefix "_" #kind "_init_desc", "desc");                         \
        }                                                                                          \
        hm_full = *hm_given;                                                                       \
        hm_full.item_size = sizeof(type);                                                          \
        hm_full.item_align = HM_ALIGNOF(type);                                                     \
        if (hm_full.name == NULL)                                                                  \
            hm_full.name = #prefix;                                                                \
        if (hm_full.type_id == 0)                                                                  \
            hm_full.type_id = HM_CAST(uint16_t, number);                                           \
        return hm_##kind##_init(&hm_self->kind, &hm_full);                                         \
    }                                                                                              \
    HM_TYPED_DEFINE_INIT_CAPACITY(prefix, kind)

#define HM_TYPED_DEFINE_INIT_CAPACITY(prefix, kind)                                                \
    HM_UNUSED static inline hm_status prefix##_##kind##_init(prefix##_##kind *hm_self,             \
                                                             uint32_t hm_capacity)                 \
    {                                                                                              \
        hm_##kind##_desc hm_full;                                                                  \
        if (hm_self == NULL)                                                                       \
            return hm_refuse_null(#prefix "_" #kind "_init", #kind);                               \
        memset(&hm_full, 0, sizeof hm_full);                                                       \
        hm_full.capacity = hm_capacity;                                                            \
        return prefix##_##kind##_init_desc(hm_self, &hm_full);                                     \
    }

#define HM_TYPED_DEFINE_LIFETIME(prefix, kind)                                                     \
    HM_UNUSED static inline void prefix##_##kind##_fini(prefix##_##kind *hm_self)                  \
    {                                                                                              \
        HM_TYPED_CONTRACT(prefix, kind, "fini");                                                   \
        HM_TYPED_CONTRACT_IDLE(prefix, kind, "fini");                                              \
        hm_##kind##_fini(&hm_self->kind);                                                          \
    }                                                                                              \
    HM_UNUSED static inline void prefix##_##kind##_clear(prefix##_##kind *hm_self)                 \
    {                                                                                              \
        HM_TYPED_CONTRACT(prefix, kind, "clear");                                                  \
        HM_TYPED_CONTRACT_IDLE(prefix, kind, "clear");                                             \
        hm_##kind##_clear(&hm_self->kind);                                                         \
    }                                                                                              \
    HM_UNUSED static inline hm_status prefix##_##kind##_reserve(prefix##_##kind *hm_self,          \
                                                                uint32_t hm_n)                     \
    {                                                                                              \
        HM_TYPED_CONTRACT(prefix, kind, "reserve");                                                \
        return hm_##kind##_reserve(&hm_self->kind, hm_n);                                          \
    }                                                                                              \
    HM_UNUSED static inline hm_status prefix##_##kind##_trim(prefix##_##kind *hm_self)             \
    {                                                                                              \
        HM_TYPED_CONTRACT(prefix, kind, "trim");                                                   \
        return hm_##kind##_trim(&hm_self->kind);                                                   \
    }

#define HM_TYPED_DEFINE_INSERT(prefix, kind, type)                                                 \
    HM_UNUSED static inline prefix##_handle prefix##_##kind##_insert(prefix##_##kind *hm_self,     \
                                                                     type const *hm_item)          \
    {                                                                                              \
        prefix##_handle hm_named;                                                                  \
        HM_TYPED_CONTRACT(prefix, kind, "insert");                                                 \
        hm_named.id = hm_##kind##_insert_as(&hm_self->kind, hm_item, sizeof(type));                \
        return hm_named;                                                                           \
    }                                                                                              \
    HM_UNUSED static inline prefix##_handle prefix##_##kind##_emplace(prefix##_##kind *hm_self,    \
                                                                      type **hm_item)              \
    {                                                                                              \
        prefix##_handle hm_named;                                                                  \
        void *hm_place = NULL;                                                                     \
        HM_TYPED_CONTRACT(prefix, kind, "emplace");                                                \
        HM_CONTRACT(hm_item != NULL, #prefix "_" #kind "_emplace: item is NULL");                  \
        hm_named.id = hm_##kind##_emplace_as(&hm_self->kind, &hm_place, sizeof(type));             \
        *hm_item = HM_CAST(type *, hm_place);                                                      \
        return hm_named;                                                                           \
    }                                                                                              \
    HM_UNUSED static inline hm_status prefix##_##kind##_insert_n(                                  \
        prefix##_##kind *hm_self, type const *hm_items, uint32_t hm_n,                             \
        prefix##_handle *hm_handles)                                                               \
    {                                                                                              \
        HM_TYPED_CONTRACT(prefix, kind, "insert_n");                                               \
        return hm_##kind##_insert_n(&hm_self->kind, hm_items, hm_n, HM_TYPED_IDS(hm_handles));     \
    }

#define HM_TYPED_DEFINE_LOOKUP(prefix, kind, type)                                                 \
    HM_UNUSED static inline type *prefix##_##kind##_get(const prefix##_##kind *hm_self,            \
                                                        prefix##_handle hm_named)                  \
    {                                                                                              \
        HM_TYPED_CONTRACT(prefix, kind, "get");                                                    \
        return HM_CAST(type *, hm_##kind##_get_as(&hm_self->kind, hm_named.id, sizeof(type)));     \
    }                                                                                              \
    HM_UNUSED static inline uint32_t prefix##_##kind##_get_n(const prefix##_##kind *hm_self,       \
                                                             const prefix##_handle *hm_handles,    \
                                                             uint32_t hm_n, type **hm_items)       \
    {                                                                                              \
        HM_TYPED_CONTRACT(prefix, kind, "get_n");                                                  \
        HM_TYPED_CONTRACT_ARRAY(prefix, kind, "get_n", hm_handles, "handles");                     \
        HM_TYPED_CONTRACT_ARRAY(prefix, kind, "get_n", hm_items, "items");                         \
        return hm_##kind##_get_n(&hm_self->kind, HM_TYPED_IDS(hm_handles), hm_n,                   \
                                 HM_POINTER_CAST(void **, hm_items));                              \
    }                                                                                              \
    HM_UNUSED static inline prefix##_handle prefix##_##kind##_handle_of(                           \
        const prefix##_##kind *hm_self, const void *hm_item)                                       \
    {                                                                                              \
        prefix##_handle hm_named;                                                                  \
        HM_TYPED_CONTRACT(prefix, kind, "handle_of");                                              \
        hm_named.id = hm_##kind##_handle_of(&hm_self->kind, hm_item);                              \
        return hm_named;                                                                           \
    }

#define HM_TYPED_DEFINE_ALIVE(prefix, kind)                                                        \
    HM_TYPED_DEFINE_CONTAINS(prefix, kind, prefix##_handle, "handles")                             \
    HM_UNUSED static inline prefix##_handle prefix##_##kind##_handle_at(                           \
        const prefix##_##kind *hm_self, uint32_t hm_at)                                            \
    {                                                                                              \
        prefix##_handle hm_named;                                                                  \
        HM_TYPED_CONTRACT(prefix, kind, "handle_at");                                              \
        hm_named.id = hm_##kind##_handle_at(&hm_self->kind, hm_at);                                \
        return hm_named;                                                                           \
    }

/* handle: the type of its typed handles; what: what an array of them is called. */
#define HM_TYPED_DEFINE_CONTAINS(prefix, kind, handle, what)                                       \
    HM_UNUSED static inline bool prefix##_##kind##_contains(const prefix##_##kind *hm_self,        \
                                                            handle hm_named)                       \
    {                                                                                              \
        HM_TYPED_CONTRACT(prefix, kind, "contains");                                               \
        return hm_##kind##_contains(&hm_self->kind, hm_named.id);                                  \
    }                                                                                              \
    HM_UNUSED static inline uint32_t prefix##_##kind##_contains_n(                                 \
        const prefix##_##kind *hm_self, const handle *hm_handles, uint32_t hm_n, bool *hm_alive)   \
    {                                                                                              \
        HM_TYPED_CONTRACT(prefix, kind, "contains_n");                                             \
        HM_TYPED_CONTRACT_ARRAY(prefix, kind, "contains_n", hm_handles, what);                     \
        HM_TYPED_CONTRACT_ARRAY(prefix, kind, "contains_n", hm_alive, "alive");                    \
        return hm_##kind##_contains_n(&hm_self->kind, HM_TYPED_IDS(hm_handles), hm_n, hm_alive);   \
    }

/* verb: what ends n handles, such as remove_n. */
#define HM_TYPED_DEFINE_END_N(prefix, kind, verb, handle, what)                                    \
    HM_UNUSED static inline uint32_t prefix##_##kind##_##verb(                                     \
        prefix##_##kind *hm_self, const handle *hm_handles, uint32_t hm_n)                         \
    {                                                                                              \
        HM_TYPED_CONTRACT(prefix, kind, #verb);                                                    \
        HM_TYPED_CONTRACT_ARRAY(prefix, kind, #verb, hm_handles, what);                            \
        return hm_##kind##_##verb(&hm_self->kind, HM_TYPED_IDS(hm_handles), hm_n);                 \
    }

/* verb: what ends an item by its position, erase_at or remove_at; find: index_of or row. */
#define HM_TYPED_DEFINE_PLACES(prefix, kind, find, verb, handle)                                   \
    HM_UNUSED static inline uint32_t prefix##_##kind##_##find(const prefix##_##kind *hm_self,      \
                                                              handle hm_named)                     \
    {                                                                                              \
        HM_TYPED_CONTRACT(prefix, kind, #find);                                                    \
        return hm_##kind##_##find(&hm_self->kind, hm_named.id);                                    \
    }                                                                                              \
    HM_UNUSED static inline bool prefix##_##kind##_##verb(prefix##_##kind *hm_self,                \
                                                          uint32_t hm_at)                          \
    {                                                                                              \
        HM_TYPED_CONTRACT(prefix, kind, #verb);                                                    \
        return hm_##kind##_##verb(&hm_self->kind, hm_at);                                          \
    }

#define HM_TYPED_DEFINE_ERASE(prefix, kind, type)                                                  \
    HM_UNUSED static inline bool prefix##_##kind##_erase(prefix##_##kind *hm_self,                 \
                                                         prefix##_handle hm_named)                 \
    {                                                                                              \
        HM_TYPED_CONTRACT(prefix, kind, "erase");                                                  \
        return hm_##kind##_erase_as(&hm_self->kind, hm_named.id, sizeof(type));                    \
    }                                                                                              \
    HM_UNUSED static inline uint32_t prefix##_##kind##_erase_n(                                    \
        prefix##_##kind *hm_self, const prefix##_handle *hm_handles, uint32_t hm_n)                \
    {                                                                                              \
        HM_TYPED_CONTRACT(prefix, kind, "erase_n");                                                \
        HM_TYPED_CONTRACT_ARRAY(prefix, kind, "erase_n", hm_handles, "handles");                   \
        return hm_##kind##_erase_n_as(&hm_self->kind, HM_TYPED_IDS(hm_handles), hm_n,              \
                                      sizeof(type));                                               \
    }                                                                                              \
    typedef struct prefix##_##kind##_doomed {                                                      \
        bool (*doomed)(type const *, void *);                                                      \
        void *context;                                                                             \
    } prefix##_##kind##_doomed;                                                                    \
    HM_UNUSED static inline bool prefix##_##kind##_ask_doomed(const void *hm_item,                 \
                                                              void *hm_context)                    \
    {                                                                                              \
        const prefix##_##kind##_doomed *hm_call =                                                  \
            HM_CAST(const prefix##_##kind##_doomed *, hm_context);                                 \
        return hm_call->doomed(HM_CAST(type const *, hm_item), hm_call->context);                  \
    }                                                                                              \
    HM_UNUSED static inline uint32_t prefix##_##kind##_erase_if(                                   \
        prefix##_##kind *hm_self, bool (*hm_doomed)(type const *hm_item, void *hm_context),        \
        void *hm_context)                                                                          \
    {                                                                                              \
        prefix##_##kind##_doomed hm_call;                                                          \
        HM_TYPED_CONTRACT(prefix, kind, "erase_if");                                               \
        HM_CONTRACT(hm_doomed != NULL, #prefix "_" #kind "_erase_if: doomed is NULL");             \
        hm_call.doomed = hm_doomed;                                                                \
        hm_call.context = hm_context;                                                              \
        return hm_##kind##_erase_if(&hm_self->kind, prefix##_##kind##_ask_doomed, &hm_call);       \
    }

#define HM_TYPED_DEFINE_QUESTIONS(prefix, kind)                                                    \
    HM_UNUSED static inline uint32_t prefix##_##kind##_count(const prefix##_##kind *hm_self)       \
    {                                                                                              \
        HM_TYPED_CONTRACT(prefix, kind, "count");                                                  \
        return hm_##kind##_count(&hm_self->kind);                                                  \
    }                                                                                              \
    HM_UNUSED static inline uint32_t prefix##_##kind##_capacity(const prefix##_##kind *hm_self)    \
    {                                                                                              \
        HM_TYPED_CONTRACT(prefix, kind, "capacity");                                               \
        return hm_##kind##_capacity(&hm_self->kind);                                               \
    }                                                                                              \
    HM_UNUSED static inline hm_status prefix##_##kind##_validate(const prefix##_##kind *hm_self)   \
    {                                                                                              \
        HM_TYPED_CONTRACT(prefix, kind, "validate");                                               \
        return hm_##kind##_validate(&hm_self->kind);                                               \
    }                                                                                              \
    HM_UNUSED static inline hm_##kind##_stats prefix##_##kind##_get_stats(                         \
        const prefix##_##kind *hm_self)                                                            \
    {                                                                                              \
        HM_TYPED_CONTRACT(prefix, kind, "get_stats");                                              \
        return hm_##kind##_get_stats(&hm_self->kind);                                              \
    }

/* For containers that issue handles. */
#define HM_TYPED_DEFINE_EXPLAIN(prefix, kind)                                                      \
    HM_UNUSED static inline hm_owners prefix##_##kind##_as_owners(const prefix##_##kind *hm_self)  \
    {                                                                                              \
        HM_TYPED_CONTRACT(prefix, kind, "as_owners");                                              \
        return hm_##kind##_as_owners(&hm_self->kind);                                              \
    }                                                                                              \
    HM_TYPED_DEFINE_DESCRIBE(prefix, kind, prefix##_handle)

/* handle: the type of its typed handles. */
#define HM_TYPED_DEFINE_DESCRIBE(prefix, kind, handle)                                             \
    HM_UNUSED static inline hm_handle_state prefix##_##kind##_explain(                             \
        const prefix##_##kind *hm_self, handle hm_named)                                           \
    {                                                                                              \
        HM_TYPED_CONTRACT(prefix, kind, "explain");                                                \
        return hm_##kind##_explain(&hm_self->kind, hm_named.id);                                   \
    }                                                                                              \
    HM_UNUSED static inline size_t prefix##_##kind##_describe(                                     \
        const prefix##_##kind *hm_self, handle hm_named, char *hm_buffer, size_t hm_size)          \
    {                                                                                              \
        HM_TYPED_CONTRACT(prefix, kind, "describe");                                               \
        HM_CONTRACT(hm_buffer != NULL || hm_size == 0,                                             \
                    #prefix "_" #kind "_describe: buffer is NULL");                                \
        return hm_##kind##_describe(&hm_self->kind, hm_named.id, hm_buffer, hm_size);              \
    }

/* For containers whose next handles are known. */
#define HM_TYPED_DEFINE_UPCOMING(prefix, kind)                                                     \
    HM_UNUSED static inline prefix##_handle prefix##_##kind##_upcoming(                            \
        const prefix##_##kind *hm_self, uint32_t hm_k)                                             \
    {                                                                                              \
        prefix##_handle hm_named;                                                                  \
        HM_TYPED_CONTRACT(prefix, kind, "upcoming");                                               \
        hm_named.id = hm_##kind##_upcoming(&hm_self->kind, hm_k);                                  \
        return hm_named;                                                                           \
    }

/* For containers with an order; handle: the type of its typed handles. */
#define HM_TYPED_DEFINE_ORDER(prefix, kind, handle)                                                \
    HM_UNUSED static inline hm_progress prefix##_##kind##_defragment(                              \
        prefix##_##kind *hm_self, const hm_order *hm_by, hm_budget *hm_within)                     \
    {                                                                                              \
        HM_TYPED_CONTRACT(prefix, kind, "defragment");                                             \
        HM_CONTRACT(hm_by != NULL && (hm_by->compare != NULL || hm_by->key != NULL),               \
                    #prefix "_" #kind "_defragment: the order has neither compare nor key");       \
        return hm_##kind##_defragment(&hm_self->kind, hm_by, hm_within);                           \
    }                                                                                              \
    HM_TYPED_DEFINE_ARRANGE(prefix, kind, handle)

/* For containers of items that are searched by their order. */
#define HM_TYPED_DEFINE_BOUNDS(prefix, kind, type)                                                 \
    HM_UNUSED static inline uint32_t prefix##_##kind##_lower_bound(                                \
        const prefix##_##kind *hm_self, const hm_order *hm_by, type const *hm_probe)               \
    {                                                                                              \
        HM_TYPED_CONTRACT(prefix, kind, "lower_bound");                                            \
        HM_CONTRACT(hm_by != NULL && (hm_by->compare != NULL || hm_by->key != NULL),               \
                    #prefix "_" #kind "_lower_bound: the order has neither compare nor key");      \
        HM_CONTRACT(hm_probe != NULL, #prefix "_" #kind "_lower_bound: probe is NULL");            \
        return hm_##kind##_lower_bound(&hm_self->kind, hm_by, hm_probe);                           \
    }                                                                                              \
    HM_UNUSED static inline uint32_t prefix##_##kind##_upper_bound(                                \
        const prefix##_##kind *hm_self, const hm_order *hm_by, type const *hm_probe)               \
    {                                                                                              \
        HM_TYPED_CONTRACT(prefix, kind, "upper_bound");                                            \
        HM_CONTRACT(hm_by != NULL && (hm_by->compare != NULL || hm_by->key != NULL),               \
                    #prefix "_" #kind "_upper_bound: the order has neither compare nor key");      \
        HM_CONTRACT(hm_probe != NULL, #prefix "_" #kind "_upper_bound: probe is NULL");            \
        return hm_##kind##_upper_bound(&hm_self->kind, hm_by, hm_probe);                           \
    }

#define HM_TYPED_DEFINE_ARRANGE(prefix, kind, handle)                                              \
    HM_UNUSED static inline hm_progress prefix##_##kind##_arrange(                                 \
        prefix##_##kind *hm_self, const handle *hm_by, uint32_t hm_n, hm_budget *hm_within)        \
    {                                                                                              \
        HM_TYPED_CONTRACT(prefix, kind, "arrange");                                                \
        HM_TYPED_CONTRACT_ARRAY(prefix, kind, "arrange", hm_by, "handles");                        \
        return hm_##kind##_arrange(&hm_self->kind, HM_TYPED_IDS(hm_by), hm_n, hm_within);          \
    }                                                                                              \
    HM_UNUSED static inline void prefix##_##kind##_touch(prefix##_##kind *hm_self,                 \
                                                         handle hm_named)                          \
    {                                                                                              \
        HM_TYPED_CONTRACT(prefix, kind, "touch");                                                  \
        HM_TYPED_CONTRACT_IDLE(prefix, kind, "touch");                                             \
        hm_##kind##_touch(&hm_self->kind, hm_named.id);                                            \
    }                                                                                              \
    HM_UNUSED static inline void prefix##_##kind##_touch_all(prefix##_##kind *hm_self)             \
    {                                                                                              \
        HM_TYPED_CONTRACT(prefix, kind, "touch_all");                                              \
        HM_TYPED_CONTRACT_IDLE(prefix, kind, "touch_all");                                         \
        hm_##kind##_touch_all(&hm_self->kind);                                                     \
    }

#endif
