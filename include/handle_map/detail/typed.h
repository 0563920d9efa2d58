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

/* The struct of a typed container, which needs no item. prefix: texture; kind: map. The macros are
 * for programs: handle_map.h says how. */
#define HM_TYPED_DECLARE(prefix, kind)                                                             \
    typedef struct prefix##_##kind {                                                               \
        hm_##kind kind;                                                                            \
    } prefix##_##kind;

#define HM_MAP_DECLARE(prefix) HM_TYPED_DECLARE(prefix, map)
#define HM_POOL_DECLARE(prefix) HM_TYPED_DECLARE(prefix, pool)
#define HM_TABLE_DECLARE(prefix) HM_TYPED_DECLARE(prefix, table)
#define HM_SECONDARY_DECLARE(prefix) HM_TYPED_DECLARE(prefix, secondary)
#define HM_LISTS_DECLARE(prefix) HM_TYPED_DECLARE(prefix, lists)
#define HM_INDEX_DECLARE(prefix) HM_TYPED_DECLARE(prefix, index)

/* number: the type id of a descriptor that says 0; name: texture_map, or texture. */
#define HM_TYPED_DEFINE_NUMBER(name, number)                                                       \
    HM_STATIC_ASSERT(HM_IS_TYPE_ID(number), "type ids have 15 bits");                              \
    enum { name##_TYPE_ID = HM_CAST(uint16_t, number) };

#define HM_TYPED_DEFINE_HANDLE(prefix, number)                                                     \
    HM_HANDLE_DEFINE(prefix)                                                                       \
    HM_TYPED_DEFINE_NUMBER(prefix, number)

/* kind: map or pool; number: as above. */
#define HM_TYPED_DEFINE(prefix, kind, type, number)                                                \
    HM_TYPED_ASSERT(type)                                                                          \
    HM_TYPED_DEFINE_NUMBER(prefix##_##kind, number)                                                \
    HM_TYPED_DEFINE_INIT(prefix, kind, type, number)                                               \
    HM_TYPED_DEFINE_LIFETIME(prefix, kind)                                                         \
    HM_TYPED_DEFINE_INSERT(prefix, kind, type)                                                     \
    HM_TYPED_DEFINE_LOOKUP(prefix, kind, type, prefix##_handle, "handles", "items")                \
    HM_TYPED_DEFINE_ALIVE(prefix, kind)                                                            \
    HM_TYPED_DEFINE_ERASE(prefix, kind, type)                                                      \
    HM_TYPED_DEFINE_PLACES(prefix, kind, index_of, erase_at, prefix##_handle)                      \
    HM_TYPED_DEFINE_UPCOMING(prefix, kind)                                                         \
    HM_TYPED_DEFINE_PROMISES(prefix, kind)                                                         \
    HM_TYPED_DEFINE_QUESTIONS(prefix, kind)                                                        \
    HM_TYPED_DEFINE_EXPLAIN(prefix, kind)

/* The rows of which the typed forms are made. `function` is the whole name, so that the message of
 * a contract can begin with it; `parameters` is the list in parentheses, with hm_self, the
 * container, first; `value` is what the untyped function returns. All give their own name when the
 * container is NULL, as the others do for what else they require. */
#define HM_TYPED_CONTRACT(kind, function)                                                          \
    HM_CONTRACT(hm_self != NULL, #function ": " #kind " is NULL")

#define HM_TYPED_CONTRACT_ARRAY(function, array, what)                                             \
    HM_CONTRACT((array) != NULL || hm_n == 0, #function ": " what " is NULL")

#define HM_TYPED_FORM(kind, result, function, parameters, value)                                   \
    HM_TYPED_FORM_WITH(kind, result, function, parameters, (void)0, value)

/* With contracts of its own. */
#define HM_TYPED_FORM_WITH(kind, result, function, parameters, contracts, value)                   \
    HM_UNUSED static inline result function parameters                                             \
    {                                                                                              \
        HM_TYPED_CONTRACT(kind, function);                                                         \
        contracts;                                                                                 \
        return value;                                                                              \
    }

/* Has the container as its only parameter. */
#define HM_TYPED_FORM_ASK(prefix, kind, result, verb)                                              \
    HM_TYPED_FORM(kind, result, prefix##_##kind##_##verb, (const prefix##_##kind *hm_self),        \
                  hm_##kind##_##verb(&hm_self->kind))

/* Has a handle as its other parameter. access: `const`, or nothing if the function changes the
 * container. */
#define HM_TYPED_FORM_OF(prefix, kind, access, result, verb, handle)                               \
    HM_TYPED_FORM(kind, result, prefix##_##kind##_##verb,                                          \
                  (access prefix##_##kind * hm_self, handle hm_named),                             \
                  hm_##kind##_##verb(&hm_self->kind, hm_named.id))

/* Returns a typed handle, made of the untyped one. */
#define HM_TYPED_FORM_HANDLE(kind, handle, function, parameters, value)                            \
    HM_TYPED_FORM(kind, handle, function, parameters, HM_TYPED_NAMED(handle, value))

/* Returns nothing and so cannot report it when a callback is running. */
#define HM_TYPED_FORM_VOID(kind, function, parameters, call)                                       \
    HM_TYPED_FORM_VOID_OF(kind, hm_self->kind, function, parameters, call)

/* untyped: the container in hm_self. */
#define HM_TYPED_FORM_VOID_OF(kind, untyped, function, parameters, call)                           \
    HM_UNUSED static inline void function parameters                                               \
    {                                                                                              \
        HM_TYPED_CONTRACT(kind, function);                                                         \
        HM_CONTRACT_IDLE((untyped).guard.flags, #function, (untyped).name);                        \
        call;                                                                                      \
    }

/* Takes an array of hm_n elements, `what` in the message, which is NULL only if it is empty. */
#define HM_TYPED_FORM_ARRAY(kind, result, function, parameters, array, what, value)                \
    HM_TYPED_FORM_WITH(kind, result, function, parameters,                                         \
                       HM_TYPED_CONTRACT_ARRAY(function, array, what), value)

#define HM_TYPED_FORM_ARRAYS(kind, result, function, parameters, array, what, array_2, what_2,     \
                             value)                                                                \
    HM_TYPED_FORM_WITH(kind, result, function, parameters,                                         \
                       (HM_TYPED_CONTRACT_ARRAY(function, array, what),                            \
                        HM_TYPED_CONTRACT_ARRAY(function, array_2, what_2)),                       \
                       value)

/* Takes a predicate with the parameters `given`, before which the others come, and its context.
 * The untyped function is called with function##_ask and &hm_call, and calls the predicate with
 * the arguments `passed`, made of its own parameters `asked`. */
#define HM_TYPED_FORM_IF(kind, function, given, asked, passed, value, ...)                         \
    typedef struct function##_call {                                                               \
        bool(*doomed) given;                                                                       \
        void *context;                                                                             \
    } function##_call;                                                                             \
    HM_UNUSED static inline bool function##_ask asked                                              \
    {                                                                                              \
        const function##_call *hm_call = HM_CAST(const function##_call *, hm_context);             \
        return hm_call->doomed passed;                                                             \
    }                                                                                              \
    HM_UNUSED static inline uint32_t function(__VA_ARGS__, bool(*hm_doomed) given,                 \
                                              void *hm_context)                                    \
    {                                                                                              \
        function##_call hm_call;                                                                   \
        HM_TYPED_CONTRACT(kind, function);                                                         \
        HM_CONTRACT(hm_doomed != NULL, #function ": doomed is NULL");                              \
        hm_call.doomed = hm_doomed;                                                                \
        hm_call.context = hm_context;                                                              \
        return value;                                                                              \
    }

/* A typed handle in an expression. */
#ifdef __cplusplus
#define HM_TYPED_NAMED(handle, untyped) (handle{untyped})
#else
#define HM_TYPED_NAMED(handle, untyped) ((handle){untyped})
#endif

/* The address of an array of typed handles is that of the first one's only member. */
#define HM_TYPED_IDS(handles) ((handles) != NULL ? &(handles)->id : NULL)

#define HM_TYPED_DEFINE_INIT(prefix, kind, type, number)                                           \
    HM_TYPED_DEFINE_INIT_OF(prefix, kind, number, hm_full.item_size = sizeof(type),                \
                            hm_full.item_align = HM_ALIGNOF(type))

/* The last arguments complete hm_full, the descriptor, but for its name and type id. */
#define HM_TYPED_DEFINE_INIT_OF(prefix, kind, number, ...)                                         \
    HM_UNUSED static inline hm_status prefix##_##kind##_init_desc(                                 \
        prefix##_##kind *hm_self, const hm_##kind##_desc *hm_given)                                \
    {                                                                                              \
        hm_##kind##_desc hm_full;                                                                  \
        if (hm_self == NULL)                                                                       \
            return hm_refuse_null(#prefix "_" #kind "_init_desc", #kind);                          \
        memset(&hm_full, 0, sizeof hm_full);                                                       \
        if (hm_given != NULL)                                                                      \
            hm_full = *hm_given;                                                                   \
        (void)(__VA_ARGS__);                                                                       \
        if (hm_full.name == NULL)                                                                  \
            hm_full.name = #prefix;                                                                \
        if (hm_full.type_id == 0)                                                                  \
            hm_full.type_id = HM_CAST(uint16_t, number);                                           \
        return hm_##kind##_init(&hm_self->kind, &hm_full);                                         \
    }                                                                                              \
    HM_TYPED_FORM_INIT(prefix, kind, init, (prefix##_##kind * hm_self, uint32_t hm_capacity),      \
                       hm_full.capacity = hm_capacity)

/* The last arguments fill the zeroed descriptor hm_full. */
#define HM_TYPED_FORM_INIT(prefix, kind, name, parameters, ...)                                    \
    HM_UNUSED static inline hm_status prefix##_##kind##_##name parameters                          \
    {                                                                                              \
        hm_##kind##_desc hm_full;                                                                  \
        if (hm_self == NULL)                                                                       \
            return hm_refuse_null(#prefix "_" #kind "_" #name, #kind);                             \
        memset(&hm_full, 0, sizeof hm_full);                                                       \
        (void)(__VA_ARGS__);                                                                       \
        return prefix##_##kind##_init_desc(hm_self, &hm_full);                                     \
    }

#define HM_TYPED_DEFINE_LIFETIME(prefix, kind)                                                     \
    HM_TYPED_FORM_VOID(kind, prefix##_##kind##_fini, (prefix##_##kind * hm_self),                  \
                       hm_##kind##_fini(&hm_self->kind))                                           \
    HM_TYPED_FORM_VOID(kind, prefix##_##kind##_clear, (prefix##_##kind * hm_self),                 \
                       hm_##kind##_clear(&hm_self->kind))                                          \
    HM_TYPED_FORM(kind, hm_status, prefix##_##kind##_reserve,                                      \
                  (prefix##_##kind * hm_self, uint32_t hm_n),                                      \
                  hm_##kind##_reserve(&hm_self->kind, hm_n))                                       \
    HM_TYPED_FORM(kind, hm_status, prefix##_##kind##_trim, (prefix##_##kind * hm_self),            \
                  hm_##kind##_trim(&hm_self->kind))

/* The loop over a container of arrays. The last arguments copy what is in the view hm_found to
 * *hm_walk, but for the members `count` and `next`. */
#define HM_TYPED_DEFINE_NEXT(prefix, kind, found_next, ...)                                        \
    HM_UNUSED static inline bool prefix##_##kind##_next(const prefix##_##kind *hm_self,            \
                                                        prefix##_##kind##_view *hm_walk)           \
    {                                                                                              \
        hm_##kind##_view hm_found;                                                                 \
        bool hm_is_any;                                                                            \
        HM_TYPED_CONTRACT(kind, prefix##_##kind##_next);                                           \
        HM_CONTRACT(hm_walk != NULL, #prefix "_" #kind "_next: view is NULL");                     \
        memset(&hm_found, 0, sizeof hm_found);                                                     \
        hm_found.next = hm_walk->next;                                                             \
        hm_is_any = found_next;                                                                    \
        (void)(__VA_ARGS__);                                                                       \
        hm_walk->count = hm_found.count;                                                           \
        hm_walk->next = hm_found.next;                                                             \
        return hm_is_any;                                                                          \
    }

/* A function that makes an item, whose bytes the caller writes. */
#define HM_TYPED_FORM_PLACE(prefix, kind, type, name)                                              \
    HM_UNUSED static inline prefix##_handle prefix##_##kind##_##name(prefix##_##kind *hm_self,     \
                                                                     type **hm_item)               \
    {                                                                                              \
        prefix##_handle hm_named;                                                                  \
        void *hm_place = NULL;                                                                     \
        HM_TYPED_CONTRACT(kind, prefix##_##kind##_##name);                                         \
        HM_CONTRACT(hm_item != NULL, #prefix "_" #kind "_" #name ": item is NULL");                \
        hm_named.id = hm_##kind##_##name##_sized(&hm_self->kind, &hm_place, sizeof(type));         \
        *hm_item = HM_CAST(type *, hm_place);                                                      \
        return hm_named;                                                                           \
    }

#define HM_TYPED_DEFINE_INSERT(prefix, kind, type)                                                 \
    HM_TYPED_FORM_HANDLE(kind, prefix##_handle, prefix##_##kind##_insert,                          \
                         (prefix##_##kind * hm_self, type const *hm_item),                         \
                         hm_##kind##_insert_sized(&hm_self->kind, hm_item, sizeof(type)))          \
    HM_TYPED_FORM_PLACE(prefix, kind, type, emplace)                                               \
    HM_TYPED_FORM_PLACE(prefix, kind, type, emplace_zeroed)                                        \
    HM_TYPED_FORM(kind, hm_status, prefix##_##kind##_insert_n,                                     \
                  (prefix##_##kind * hm_self, type const *hm_items, uint32_t hm_n,                 \
                   prefix##_handle *hm_handles),                                                   \
                  hm_##kind##_insert_n(&hm_self->kind, hm_items, hm_n, HM_TYPED_IDS(hm_handles)))  \
    HM_TYPED_FORM(kind, hm_status, prefix##_##kind##_adopt,                                        \
                  (prefix##_##kind * hm_self, prefix##_handle hm_named, type const *hm_item),      \
                  hm_##kind##_adopt(&hm_self->kind, hm_named.id, hm_item))                         \
    HM_TYPED_FORM(kind, hm_status, prefix##_##kind##_insert_as,                                    \
                  (prefix##_##kind * hm_self, prefix##_handle hm_named, type const *hm_item),      \
                  hm_##kind##_insert_as(&hm_self->kind, hm_named.id, hm_item))

/* handle: the type of its typed handles; what and items: what arrays of these and of the addresses
 * of items are called. */
#define HM_TYPED_DEFINE_LOOKUP(prefix, kind, type, handle, what, items)                            \
    HM_TYPED_FORM(                                                                                 \
        kind, type *, prefix##_##kind##_get, (const prefix##_##kind *hm_self, handle hm_named),    \
        HM_CAST(type *, hm_##kind##_get_sized(&hm_self->kind, hm_named.id, sizeof(type))))         \
    HM_TYPED_FORM_ARRAYS(kind, uint32_t, prefix##_##kind##_get_n,                                  \
                         (const prefix##_##kind *hm_self, const handle *hm_handles, uint32_t hm_n, \
                          type **hm_items),                                                        \
                         hm_handles, what, hm_items, items,                                        \
                         hm_##kind##_get_n(&hm_self->kind, HM_TYPED_IDS(hm_handles), hm_n,         \
                                           HM_POINTER_CAST(void **, hm_items)))                    \
    HM_TYPED_FORM_HANDLE(kind, handle, prefix##_##kind##_handle_of,                                \
                         (const prefix##_##kind *hm_self, const void *hm_item),                    \
                         hm_##kind##_handle_of(&hm_self->kind, hm_item))

#define HM_TYPED_DEFINE_ALIVE(prefix, kind)                                                        \
    HM_TYPED_DEFINE_CONTAINS(prefix, kind, prefix##_handle, "handles")                             \
    HM_TYPED_FORM_HANDLE(kind, prefix##_handle, prefix##_##kind##_handle_at,                       \
                         (const prefix##_##kind *hm_self, uint32_t hm_at),                         \
                         hm_##kind##_handle_at(&hm_self->kind, hm_at))

/* handle: the type of its typed handles; what: what an array of them is called. */
#define HM_TYPED_DEFINE_CONTAINS(prefix, kind, handle, what)                                       \
    HM_TYPED_FORM_OF(prefix, kind, const, bool, contains, handle)                                  \
    HM_TYPED_FORM_ARRAYS(                                                                          \
        kind, uint32_t, prefix##_##kind##_contains_n,                                              \
        (const prefix##_##kind *hm_self, const handle *hm_handles, uint32_t hm_n, bool *hm_alive), \
        hm_handles, what, hm_alive, "alive",                                                       \
        hm_##kind##_contains_n(&hm_self->kind, HM_TYPED_IDS(hm_handles), hm_n, hm_alive))

/* verb: what ends n handles, such as remove_n. */
#define HM_TYPED_DEFINE_END_N(prefix, kind, verb, handle, what)                                    \
    HM_TYPED_FORM_ARRAY(kind, uint32_t, prefix##_##kind##_##verb,                                  \
                        (prefix##_##kind * hm_self, const handle *hm_handles, uint32_t hm_n),      \
                        hm_handles, what,                                                          \
                        hm_##kind##_##verb(&hm_self->kind, HM_TYPED_IDS(hm_handles), hm_n))

/* verb: what ends an item by its position, erase_at or remove_at; find: index_of or row. */
#define HM_TYPED_DEFINE_PLACES(prefix, kind, find, verb, handle)                                   \
    HM_TYPED_FORM_OF(prefix, kind, const, uint32_t, find, handle)                                  \
    HM_TYPED_FORM(kind, bool, prefix##_##kind##_##verb,                                            \
                  (prefix##_##kind * hm_self, uint32_t hm_at),                                     \
                  hm_##kind##_##verb(&hm_self->kind, hm_at))

#define HM_TYPED_DEFINE_ERASE(prefix, kind, type)                                                  \
    HM_TYPED_FORM(kind, bool, prefix##_##kind##_erase,                                             \
                  (prefix##_##kind * hm_self, prefix##_handle hm_named),                           \
                  hm_##kind##_erase_sized(&hm_self->kind, hm_named.id, sizeof(type)))              \
    HM_TYPED_FORM_ARRAY(                                                                           \
        kind, uint32_t, prefix##_##kind##_erase_n,                                                 \
        (prefix##_##kind * hm_self, const prefix##_handle *hm_handles, uint32_t hm_n), hm_handles, \
        "handles",                                                                                 \
        hm_##kind##_erase_n_sized(&hm_self->kind, HM_TYPED_IDS(hm_handles), hm_n, sizeof(type)))   \
    HM_TYPED_FORM_IF(                                                                              \
        kind, prefix##_##kind##_erase_if, (type const *hm_item, void *hm_context),                 \
        (const void *hm_item, void *hm_context),                                                   \
        (HM_CAST(type const *, hm_item), hm_call->context),                                        \
        hm_##kind##_erase_if(&hm_self->kind, prefix##_##kind##_erase_if_ask, &hm_call),            \
        prefix##_##kind *hm_self)

#define HM_TYPED_DEFINE_QUESTIONS(prefix, kind)                                                    \
    HM_TYPED_FORM_ASK(prefix, kind, uint32_t, count)                                               \
    HM_TYPED_FORM_ASK(prefix, kind, uint32_t, capacity)                                            \
    HM_TYPED_FORM_ASK(prefix, kind, hm_status, validate)                                           \
    HM_TYPED_FORM_ASK(prefix, kind, hm_##kind##_stats, get_stats)

/* For containers that issue handles. */
#define HM_TYPED_DEFINE_EXPLAIN(prefix, kind)                                                      \
    HM_TYPED_FORM_ASK(prefix, kind, hm_owners, as_owners)                                          \
    HM_TYPED_DEFINE_DESCRIBE(prefix, kind, prefix##_handle)

/* handle: the type of its typed handles. */
#define HM_TYPED_DEFINE_DESCRIBE(prefix, kind, handle)                                             \
    HM_TYPED_FORM_OF(prefix, kind, const, hm_handle_state, explain, handle)                        \
    HM_TYPED_FORM_WITH(                                                                            \
        kind, size_t, prefix##_##kind##_describe,                                                  \
        (const prefix##_##kind *hm_self, handle hm_named, char *hm_buffer, size_t hm_size),        \
        HM_CONTRACT(hm_buffer != NULL || hm_size == 0,                                             \
                    #prefix "_" #kind "_describe: buffer is NULL"),                                \
        hm_##kind##_describe(&hm_self->kind, hm_named.id, hm_buffer, hm_size))

/* For containers whose next handles are known. */
#define HM_TYPED_DEFINE_UPCOMING(prefix, kind)                                                     \
    HM_TYPED_FORM_ASK(prefix, kind, uint32_t, available)                                           \
    HM_TYPED_FORM_HANDLE(kind, prefix##_handle, prefix##_##kind##_upcoming,                        \
                         (const prefix##_##kind *hm_self, uint32_t hm_k),                          \
                         hm_##kind##_upcoming(&hm_self->kind, hm_k))

#define HM_TYPED_DEFINE_PROMISES(prefix, kind)                                                     \
    HM_TYPED_FORM(kind, hm_status, prefix##_##kind##_reserve_promises,                             \
                  (prefix##_##kind * hm_self, uint32_t hm_n),                                      \
                  hm_##kind##_reserve_promises(&hm_self->kind, hm_n))                              \
    HM_TYPED_FORM_HANDLE(kind, prefix##_handle, prefix##_##kind##_promise,                         \
                         (prefix##_##kind * hm_self), hm_##kind##_promise(&hm_self->kind))         \
    HM_TYPED_FORM(kind, bool, prefix##_##kind##_give_up,                                           \
                  (prefix##_##kind * hm_self, prefix##_handle hm_named),                           \
                  hm_##kind##_give_up(&hm_self->kind, hm_named.id))

/* What a part of the library without orders has not: tools/amalgamate.py. */
#ifndef HM_WITHOUT_ORDER

#define HM_TYPED_CONTRACT_ORDER(function)                                                          \
    HM_CONTRACT(hm_by != NULL && (hm_by->compare != NULL || hm_by->key != NULL),                   \
                #function ": the order has neither compare nor key")

/* Takes an order, hm_by. */
#define HM_TYPED_FORM_ORDER(kind, function, parameters, value)                                     \
    HM_TYPED_FORM_WITH(kind, hm_progress, function, parameters, HM_TYPED_CONTRACT_ORDER(function), \
                       value)

/* Searches by an order, hm_by, for hm_probe. */
#define HM_TYPED_FORM_BOUND(kind, function, parameters, value)                                     \
    HM_TYPED_FORM_WITH(kind, uint32_t, function, parameters,                                       \
                       (HM_TYPED_CONTRACT_ORDER(function),                                         \
                        HM_CONTRACT(hm_probe != NULL, #function ": probe is NULL")),               \
                       value)

/* For containers with an order; handle: the type of its typed handles. */
#define HM_TYPED_DEFINE_ORDER(prefix, kind, handle)                                                \
    HM_TYPED_FORM_ORDER(                                                                           \
        kind, prefix##_##kind##_defragment,                                                        \
        (prefix##_##kind * hm_self, const hm_order *hm_by, hm_frame_budget *hm_within),            \
        hm_##kind##_defragment(&hm_self->kind, hm_by, hm_within))                                  \
    HM_TYPED_DEFINE_ARRANGE(prefix, kind, handle)

/* For containers of items that are searched by their order. */
#define HM_TYPED_DEFINE_BOUNDS(prefix, kind, type)                                                 \
    HM_TYPED_FORM_BOUND(                                                                           \
        kind, prefix##_##kind##_lower_bound,                                                       \
        (const prefix##_##kind *hm_self, const hm_order *hm_by, type const *hm_probe),             \
        hm_##kind##_lower_bound(&hm_self->kind, hm_by, hm_probe))                                  \
    HM_TYPED_FORM_BOUND(                                                                           \
        kind, prefix##_##kind##_upper_bound,                                                       \
        (const prefix##_##kind *hm_self, const hm_order *hm_by, type const *hm_probe),             \
        hm_##kind##_upper_bound(&hm_self->kind, hm_by, hm_probe))

#define HM_TYPED_DEFINE_ARRANGE(prefix, kind, handle)                                              \
    HM_TYPED_FORM_ARRAY(kind, hm_progress, prefix##_##kind##_arrange,                              \
                        (prefix##_##kind * hm_self, const handle *hm_by, uint32_t hm_n,            \
                         hm_frame_budget *hm_within),                                              \
                        hm_by, "handles",                                                          \
                        hm_##kind##_arrange(&hm_self->kind, HM_TYPED_IDS(hm_by), hm_n, hm_within)) \
    HM_TYPED_FORM_VOID(kind, prefix##_##kind##_touch,                                              \
                       (prefix##_##kind * hm_self, handle hm_named),                               \
                       hm_##kind##_touch(&hm_self->kind, hm_named.id))                             \
    HM_TYPED_FORM_VOID(kind, prefix##_##kind##_touch_all, (prefix##_##kind * hm_self),             \
                       hm_##kind##_touch_all(&hm_self->kind))                                      \
    HM_TYPED_FORM_VOID(kind, prefix##_##kind##_forget_order, (prefix##_##kind * hm_self),          \
                       hm_##kind##_forget_order(&hm_self->kind))

#else
#define HM_TYPED_FORM_BOUND(...)
#define HM_TYPED_DEFINE_ORDER(prefix, kind, handle)
#define HM_TYPED_DEFINE_BOUNDS(prefix, kind, type)
#endif

#endif
