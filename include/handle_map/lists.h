/* SPDX-License-Identifier: MIT */
/* lists: many small arrays, each named by a handle: the children of a node, the contacts of a body.
 *
 *     handle ----> records (sparse)                          range
 *                  | tag | unit 1 | 3 items, capacity 6 | -> | head: slot, size | a | b | c |   |
 *                  | tag | empty                        |    | free             |
 *                  | tag | unit 9 | 2 items, full       | -> | head: slot, size | d | e |
 *                    ^ slot                                  <- end
 *
 * Owns: the items, copied as bytes. What they point to belongs to the program, which may free it in
 * `destroy`. Moves: push, push_n, insert_at and resize may move the items of their list, if its
 * block is full, and with a capacity no others; defragment moves lists. A pointer to an item, or
 * one that hm_lists_items returned, is valid until the next call that changes its list, and until
 * defragment, clear or fini. Without a capacity these calls, create, reserve and trim may move all
 * items to another range (handle_map.h): pointers hold until the next of them. Lists begin in one
 * range; blocks that outgrow their part of it have a range of their own. Any number may be passed
 * as an index. Limits: UINT32_MAX - 1 lists, 2^31 - 1 items in each, less than 32 GiB for all
 * together. What all containers share: handle_map.h. */
#ifndef HANDLE_MAP_LISTS_H
#define HANDLE_MAP_LISTS_H

#include <handle_map/detail/lists.h>
#include <handle_map/detail/typed.h>
#include <handle_map/order.h>

HM_BEGIN_C

/* A zero field means the default. Only item_size has no default. */
typedef struct hm_lists_desc {
    size_t item_size;  /* bytes, at least 1; a multiple of item_align */
    size_t item_align; /* bytes, a power of two up to 4096; 0: the largest one that divides the
                          size, at most 16 */
    uint32_t capacity; /* lists, at most UINT32_MAX - 1; 0: no limit, the items move as they grow */
    uint32_t max_slots; /* index space in slots, at least the capacity; 0: as for a map */
    uint64_t max_items; /* in all lists together; they must take less than 32 GiB; 0: 16 x capacity;
                           where addresses are scarce 4 x capacity, since four times as much is
                           reserved: no push may move another list's items. Without a capacity it is
                           a limit for which nothing is reserved; 0: as many as take 8 GiB (2^30
                           times the alignment, if that is above 8) */
    uint16_t type_id;   /* at most 0x7FFF, or HM_TYPE_ID_UNIQUE */
    uint16_t generation_bits; /* 2 to 16: a slot is retired after 2^bits - 1 lists; 0: 16 */
    /* Once for each item that ends: it is erased, resize drops it, or its list is destroyed. The
     * list still has the item, and its handle still resolves. What the item points to belongs to
     * the program, which may free it here. */
    void (*destroy)(void *item, void *context);
    void *context;           /* passed to destroy */
    const hm_memory *memory; /* NULL: hm_memory_os(); must outlive the lists */
    const char *name;        /* in messages; must outlive the lists; NULL: "lists" */
} hm_lists_desc;

/* hm_lists and hm_lists_view are structs that programs hold by value, in detail/lists.h. All fields
 * of hm_lists are private. A view has `list`, the handle, `items`, and `count`, the number of
 * items. */

typedef hm_stats hm_lists_stats;

/* Reserves address space: four times the size of max_items, since blocks have unused parts and gaps
 * between them. Commits nothing; without a capacity a small range, and all of it. Fails as every
 * init does (handle_map.h); HM_ERROR_INVALID also for max_items that take 32 GiB or more (2^31
 * times the alignment, if that is above 16). O(1), one reservation.
 *
 * Memory: 16 bytes for each slot beside the ID table's 8, and 4 for each list. A block has a head
 * of 8 bytes, or of the items' alignment if that is larger, and blocks are multiples of that; where
 * max_items take 8 GiB or more, heads and multiples are up to 4 times as large. Blocks that have
 * grown are powers of two, so up to half of one may be unused until defragment gives each list
 * exactly what it needs. Freed blocks are used again for lists of the same size. */
HM_API hm_status hm_lists_init(hm_lists *lists, const hm_lists_desc *desc);

/* Destroys all lists, releases all memory, zeroes the struct. O(1); with a destroy hook also the
 * cost of hm_lists_clear. */
HM_API void hm_lists_fini(hm_lists *lists);

/* Makes an empty list and returns its handle, or null when full, busy or refused memory:
 * hm_last_error says which, and so does hm_lists_reserve(lists, 1). O(1), amortised. */
HM_API hm_handle hm_lists_create(hm_lists *lists);

/* Makes n empty lists and reports their handles: all of them, or none. Fails as hm_lists_reserve
 * does. O(n). */
HM_API hm_status hm_lists_create_n(hm_lists *lists, uint32_t n, hm_handle *handles);

/* Destroys a list and its items, the last first. False if the handle does not resolve, and when
 * busy. Invalidates pointers to its items. O(1), or O(items) with a destroy hook. */
HM_API bool hm_lists_destroy(hm_lists *lists, hm_handle list);

/* Destroys the lists of n handles; returns how many it destroyed. `handles` must not be among the
 * items. Invalidates pointers to the items of these lists. O(n). */
HM_API uint32_t hm_lists_destroy_n(hm_lists *lists, const hm_handle *handles, uint32_t n);

/* Destroys all lists for which `doomed` returns true, and returns their number. `doomed` is called
 * once for each list, the last one of hm_lists_handle_at first, with what hm_lists_items returns; a
 * list is destroyed before the next call. Invalidates pointers to the items of the lists that are
 * destroyed. O(lists). */
HM_API uint32_t hm_lists_destroy_if(hm_lists *lists,
                                    bool (*doomed)(hm_handle list, const void *items,
                                                   uint32_t count, void *context),
                                    void *context);

/* Makes an empty list under a handle that someone else has issued; all as in hm_map_adopt. With a
 * capacity invalidates nothing, without one all pointers to items. */
HM_API hm_status hm_lists_adopt(hm_lists *lists, hm_handle list);

/* Makes the next n creates succeed while nothing is destroyed in between. HM_ERROR_FULL: n more
 * would exceed the capacity or the index space; HM_ERROR_MEMORY; HM_ERROR_BUSY. O(n), at most. */
HM_API hm_status hm_lists_reserve(hm_lists *lists, uint32_t n);

/* Returns how many more lists there may be, as hm_map_available; for their items nothing is said.
 */
HM_API uint32_t hm_lists_available(const hm_lists *lists);

/* After a reserve of n, returns for each k below n the handle that the (k + 1)-th create from now
 * will return, as hm_map_upcoming does. O(1). */
HM_API hm_handle hm_lists_upcoming(const hm_lists *lists, uint32_t k);

/* Destroys all lists, the last of hm_lists_handle_at first. Every handle is refused from then on.
 * Invalidates all pointers. O(slots): it zeroes their records; with a destroy hook also O(items).
 */
HM_API void hm_lists_clear(hm_lists *lists);

/* Adds an item at the end, and returns its address; `item` NULL: a zeroed one. It may be
 * an item of these lists. Returns NULL when the handle does not resolve, when max_items or the
 * range is used up, when the system refuses memory, and when busy; hm_last_error says which. May
 * move the items of this list. O(1), amortised; O(blocks) where the range is used up.
 *
 * All lists share one range. A list has no block of it until it gets items. If its block is full,
 * the list moves to one of twice the size, and its old block serves others. Without a capacity the
 * range grows when it is full. Else it is several
 * times as large as max_items need, but gaps between blocks can use it up. A call that needs a
 * block then joins free blocks next to each other, those of empty lists among them. If that does
 * not help it fails with HM_ERROR_FULL: defragment, which closes all gaps, and try again. Then
 * max_items fit; but with more than 2^29 lists, a single list of more than half of max_items may
 * still not fit. Until a block is freed or a list becomes empty, further calls fail in O(1). */
HM_INLINE void *hm_lists_push(hm_lists *lists, hm_handle list, const void *item)
{
    return hm_lists_push_sized(lists, list, item, lists != NULL ? lists->blocks.item_size : 0);
}

/* Adds n items at the end, all or none; `items` NULL: zeroed ones. They may be
 * items of one of these lists: so one is appended to another. HM_ERROR_STALE: the handle does not
 * resolve; HM_ERROR_FULL: max_items or the range is used up; HM_ERROR_MEMORY; HM_ERROR_BUSY. May
 * move the items of this list. O(n), amortised. */
HM_API hm_status hm_lists_push_n(hm_lists *lists, hm_handle list, const void *items, uint32_t n);

/* Inserts an item before the one at `index`, or after the last if `index` is the count, and
 * returns its address; `item` NULL: a zeroed one; it may be an item of these lists. Returns NULL
 * when push does, and for an index above the count. May move the items of this list. O(items after
 * it), amortised. */
HM_API void *hm_lists_insert_at(hm_lists *lists, hm_handle list, uint32_t index, const void *item);

/* Sets the number of items: drops the last ones, or adds zeroed ones. With count 0 the list stays,
 * empty and without a block. Fails as push_n does; dropping items only with HM_ERROR_STALE or
 * HM_ERROR_BUSY. May move the items of this list if it grows. O(items added), amortised. Example:
 *
 *     // Replaces all items; if that fails, nothing has changed.
 *     if (hm_lists_resize(&contacts, handle, n) == HM_OK && n != 0)
 *         memcpy(hm_lists_items(&contacts, handle, NULL), pairs, n * sizeof *pairs);
 */
HM_API hm_status hm_lists_resize(hm_lists *lists, hm_handle list, uint32_t count);

/* Erases the item at `index`; the last one moves into the hole. A list that becomes empty
 * keeps its block, so that the next push need not look for one. The block is given back by a resize
 * to 0, by destroy, by defragment, and by a push that finds the range used up. False if the handle
 * does not resolve, if there is no such item, and when busy. O(1). */
HM_INLINE bool hm_lists_erase_at(hm_lists *lists, hm_handle list, uint32_t index)
{
    return hm_lists_erase_at_sized(lists, list, index, lists != NULL ? lists->blocks.item_size : 0);
}

/* The same, but the items after it move down by one, so that their order stays. O(items after
 * it). */
HM_API bool hm_lists_erase_ordered_at(hm_lists *lists, hm_handle list, uint32_t index);

/* Erases the items of a list for which the predicate returns true, and returns their number: 0 also
 * if the handle does not resolve, and when busy. `doomed` is called once for each item, in order.
 * The items are erased after the last call of `doomed`. The others keep their order. O(items of the
 * list). */
HM_API uint32_t hm_lists_erase_if(hm_lists *lists, hm_handle list,
                                  bool (*doomed)(const void *item, void *context), void *context);

/* Returns the items of a list as one array, and their number in *count, unless `count` is NULL.
 * NULL and 0 for an empty list, and if the handle does not resolve. O(1). Example:
 *
 *     uint32_t count;
 *     struct contact *found = hm_lists_items(&contacts, handle, &count);
 *     for (uint32_t i = 0; i < count; i++)
 *         resolve(&found[i]);
 */
static inline void *hm_lists_items(const hm_lists *lists, hm_handle list, uint32_t *count)
{
    const hm_lists_record *record;
    HM_CONTRACT(lists != NULL, "hm_lists_items: lists is NULL");
    record = hm_lists_find(lists, list);
    if (record == NULL || record->count == 0) {
        if (count != NULL)
            *count = 0;
        return NULL;
    }
    if (count != NULL)
        *count = record->count;
    return hm_lists_address(&lists->blocks, record->unit + 1);
}

/* Returns the number of items of a list; 0 also if the handle does not resolve. Reads no item and
 * no block. O(1). */
static inline uint32_t hm_lists_count_of(const hm_lists *lists, hm_handle list)
{
    const hm_lists_record *record;
    HM_CONTRACT(lists != NULL, "hm_lists_count_of: lists is NULL");
    record = hm_lists_find(lists, list);
    return record != NULL ? record->count : 0;
}

/* Visits all lists that have items, in the order of their memory: sets the view to the next list
 * and returns true, or zeroes it and returns false after the last. Begin with a zeroed view. Items
 * may be written; no list may be changed until the loop has ended. O(lists + gaps) for the whole
 * loop. Example:
 *
 *     hm_lists_view view = {0};
 *     while (hm_lists_next(&contacts, &view))
 *         resolve_all(view.items, view.count);
 */
HM_INLINE bool hm_lists_next(const hm_lists *lists, hm_lists_view *view)
{
    HM_CONTRACT(lists != NULL, "hm_lists_next: lists is NULL");
    HM_CONTRACT(view != NULL, "hm_lists_next: view is NULL");
    return hm_lists_next_sized(&lists->blocks, view, lists->blocks.item_size);
}

/* Whether the handle names a list. O(1). */
static inline bool hm_lists_contains(const hm_lists *lists, hm_handle list)
{
    HM_CONTRACT(lists != NULL, "hm_lists_contains: lists is NULL");
    return hm_id_table_contains(&lists->ids, list);
}

/* Sets alive[i] to whether handles[i] names a list, for n handles. Returns how many do. O(n). */
HM_API uint32_t hm_lists_contains_n(const hm_lists *lists, const hm_handle *handles, uint32_t n,
                                    bool *alive);

/* Returns the number of lists, empty ones included. O(1). */
static inline uint32_t hm_lists_count(const hm_lists *lists)
{
    HM_CONTRACT(lists != NULL, "hm_lists_count: lists is NULL");
    return lists->ids.count;
}

/* Returns how many lists there may be. O(1). */
static inline uint32_t hm_lists_capacity(const hm_lists *lists)
{
    HM_CONTRACT(lists != NULL, "hm_lists_capacity: lists is NULL");
    return lists->ids.capacity;
}

/* Returns the number of items in all lists. O(1). */
static inline uint64_t hm_lists_item_count(const hm_lists *lists)
{
    HM_CONTRACT(lists != NULL, "hm_lists_item_count: lists is NULL");
    return lists->blocks.item_count;
}

/* Returns the handle of the list at a position below the count; null out of range. The positions
 * name each list once, empty ones too, and change when a list is destroyed. O(1). */
static inline hm_handle hm_lists_handle_at(const hm_lists *lists, uint32_t index)
{
    HM_CONTRACT(lists != NULL, "hm_lists_handle_at: lists is NULL");
    return hm_id_table_handle_at(&lists->ids, index);
}

/* Closes the gaps between blocks: moves lists toward the beginning of the range, and gives each
 * just the memory that its items take. The next push to it therefore moves it. An empty list takes
 * no memory. Call it once a frame, or when little happens: it resumes where it stopped. The lists
 * keep their order in memory. A swap is one list that is moved, whatever its size; there are no
 * compares. A call looks at no more than 4,096 blocks, and 4 more for each swap that it may make.
 * Done: there are no gaps; then a call costs nothing until something changes, and memory that an
 * erase leaves unused is free at once. Never fails. Invalidates all pointers to items. */
HM_API hm_progress hm_lists_defragment(hm_lists *lists, hm_frame_budget *budget);

/* Gives back whole pages: those after the last block, and those of the ID table after the last
 * live slot, as hm_map_trim does; without a capacity moves what is half empty to a smaller range.
 * HM_ERROR_MEMORY: the system refuses; some pages may have been given back already; all lists stay.
 * HM_ERROR_BUSY. O(slots). */
HM_API hm_status hm_lists_trim(hm_lists *lists);

/* Returns why a handle does not resolve, or HM_HANDLE_LIVE. O(1). */
HM_API hm_handle_state hm_lists_explain(const hm_lists *lists, hm_handle list);

/* Says the same in a sentence, with the numbers, as hm_map_describe does. O(length). */
HM_API size_t hm_lists_describe(const hm_lists *lists, hm_handle list, char *buffer, size_t size);

/* As hm_map_as_owners; the owners are lists. O(1). */
HM_API hm_owners hm_lists_as_owners(const hm_lists *lists);

/* Returns the current statistics; `count` and `capacity` are lists. O(1). */
HM_API hm_lists_stats hm_lists_get_stats(const hm_lists *lists);

/* Checks that all parts are consistent: HM_OK or HM_ERROR_CORRUPT. O(slots + blocks). */
HM_API hm_status hm_lists_validate(const hm_lists *lists);

/* For HM_LISTS_EACH: returns the item before *index, which becomes its index; NULL at the start. */
static inline void *hm_lists_before_sized(const hm_lists *lists, hm_handle list, uint32_t *index,
                                          size_t item_size)
{
    uint32_t count;
    unsigned char *items = HM_CAST(unsigned char *, hm_lists_items(lists, list, &count));
    HM_CONTRACT(lists->blocks.item_size == item_size || count == 0,
                "HM_LISTS_EACH: the items are not of this type");
    return hm_each_before(index, count) ? items + item_size * *index : NULL;
}

HM_END_C

/* A loop over the items of a list from the last to the first, as HM_MAP_EACH; it ends if the list
 * is destroyed. Example:
 *
 *     HM_LISTS_EACH(struct contact, contact, i, &contacts, handle)
 *         if (contact->depth < 0)
 *             hm_lists_erase_at(&contacts, handle, i);
 */
#define HM_LISTS_EACH(type, item, index, lists, list)                                              \
    HM_EACH_BACKWARD(type, item, index, hm_lists_before_sized(lists, list, &index, sizeof(type)))

#define HM_LISTS_DEFINE_DECLARED(prefix, type, number)                                             \
    HM_TYPED_ASSERT(type)                                                                          \
    HM_TYPED_DEFINE_NUMBER(prefix##_lists, number)                                                 \
    HM_TYPED_DEFINE_INIT(prefix, lists, type, number)                                              \
    HM_TYPED_DEFINE_LIFETIME(prefix, lists)                                                        \
    HM_TYPED_DEFINE_UPCOMING(prefix, lists)                                                        \
    HM_TYPED_DEFINE_ALIVE(prefix, lists)                                                           \
    HM_TYPED_DEFINE_END_N(prefix, lists, destroy_n, prefix##_handle, "handles")                    \
    HM_TYPED_DEFINE_QUESTIONS(prefix, lists)                                                       \
    HM_TYPED_DEFINE_EXPLAIN(prefix, lists)                                                         \
    HM_LISTS_DEFINE_LISTS(prefix)                                                                  \
    HM_LISTS_DEFINE_DESTROY_IF(prefix, type)                                                       \
    HM_LISTS_DEFINE_ADD(prefix, type)                                                              \
    HM_LISTS_DEFINE_ERASE(prefix, type)                                                            \
    HM_LISTS_DEFINE_WALK(prefix, type)

/* HM_LISTS_DEFINE(contact, struct contact, 9) defines contact_handle, which names a list,
 * contact_lists, contact_lists_view and a typed form of each function, HM_LISTS_DEFINE_FOR all but
 * the handle: handle_map.h says how, and that lists of one type id take each other's handles for
 * their own. Example:
 *
 *     HM_LISTS_DEFINE(contact, struct contact, 9)
 *
 *     contact_lists contacts;
 *     if (contact_lists_init(&contacts, 1000) == HM_OK) {
 *         struct contact made = {.depth = 1};
 *         contact_handle of_wall = contact_lists_create(&contacts);
 *         contact_lists_push(&contacts, of_wall, &made); // NULL: refused
 *         uint32_t count;
 *         struct contact *found = contact_lists_items(&contacts, of_wall, &count);
 *     }
 */
#define HM_LISTS_DEFINE(prefix, type, number)                                                      \
    HM_TYPED_DEFINE_HANDLE(prefix, number)                                                         \
    HM_LISTS_DEFINE_FOR(prefix, type, number)

#define HM_LISTS_DEFINE_FOR(prefix, type, number)                                                  \
    HM_LISTS_DECLARE(prefix)                                                                       \
    HM_LISTS_DEFINE_DECLARED(prefix, type, number)

#define HM_LISTS_DEFINE_LISTS(prefix)                                                              \
    HM_TYPED_FORM_HANDLE(lists, prefix##_handle, prefix##_lists_create,                            \
                         (prefix##_lists * hm_self), hm_lists_create(&hm_self->lists))             \
    HM_TYPED_FORM(lists, hm_status, prefix##_lists_create_n,                                       \
                  (prefix##_lists * hm_self, uint32_t hm_n, prefix##_handle * hm_handles),         \
                  hm_lists_create_n(&hm_self->lists, hm_n, HM_TYPED_IDS(hm_handles)))              \
    HM_TYPED_FORM_OF(prefix, lists, , hm_status, adopt, prefix##_handle)                           \
    HM_TYPED_FORM_OF(prefix, lists, , bool, destroy, prefix##_handle)                              \
    HM_TYPED_FORM(lists, hm_progress, prefix##_lists_defragment,                                   \
                  (prefix##_lists * hm_self, hm_frame_budget * hm_within),                         \
                  hm_lists_defragment(&hm_self->lists, hm_within))

#define HM_LISTS_DEFINE_DESTROY_IF(prefix, type)                                                   \
    HM_TYPED_FORM_IF(                                                                              \
        lists, prefix##_lists_destroy_if, (prefix##_handle, type const *, uint32_t, void *),       \
        (hm_handle hm_id, const void *hm_items, uint32_t hm_count, void *hm_context),              \
        (HM_TYPED_NAMED(prefix##_handle, hm_id), HM_CAST(type const *, hm_items), hm_count,        \
         hm_call->context),                                                                        \
        hm_lists_destroy_if(&hm_self->lists, prefix##_lists_destroy_if_ask, &hm_call),             \
        prefix##_lists *hm_self)

#define HM_LISTS_DEFINE_ADD(prefix, type)                                                          \
    HM_TYPED_FORM(                                                                                 \
        lists, type *, prefix##_lists_push,                                                        \
        (prefix##_lists * hm_self, prefix##_handle hm_list, type const *hm_item),                  \
        HM_CAST(type *, hm_lists_push_sized(&hm_self->lists, hm_list.id, hm_item, sizeof(type))))  \
    HM_TYPED_FORM(                                                                                 \
        lists, hm_status, prefix##_lists_push_n,                                                   \
        (prefix##_lists * hm_self, prefix##_handle hm_list, type const *hm_items, uint32_t hm_n),  \
        hm_lists_push_n(&hm_self->lists, hm_list.id, hm_items, hm_n))                              \
    HM_TYPED_FORM(                                                                                 \
        lists, type *, prefix##_lists_insert_at,                                                   \
        (prefix##_lists * hm_self, prefix##_handle hm_list, uint32_t hm_at, type const *hm_item),  \
        HM_CAST(type *, hm_lists_insert_at(&hm_self->lists, hm_list.id, hm_at, hm_item)))          \
    HM_TYPED_FORM(lists, hm_status, prefix##_lists_resize,                                         \
                  (prefix##_lists * hm_self, prefix##_handle hm_list, uint32_t hm_count),          \
                  hm_lists_resize(&hm_self->lists, hm_list.id, hm_count))

#define HM_LISTS_DEFINE_ERASE(prefix, type)                                                        \
    HM_TYPED_FORM(lists, bool, prefix##_lists_erase_at,                                            \
                  (prefix##_lists * hm_self, prefix##_handle hm_list, uint32_t hm_at),             \
                  hm_lists_erase_at_sized(&hm_self->lists, hm_list.id, hm_at, sizeof(type)))       \
    HM_TYPED_FORM(lists, bool, prefix##_lists_erase_ordered_at,                                    \
                  (prefix##_lists * hm_self, prefix##_handle hm_list, uint32_t hm_at),             \
                  hm_lists_erase_ordered_at(&hm_self->lists, hm_list.id, hm_at))                   \
    HM_TYPED_FORM_IF(                                                                              \
        lists, prefix##_lists_erase_if, (type const *hm_item, void *hm_context),                   \
        (const void *hm_item, void *hm_context),                                                   \
        (HM_CAST(type const *, hm_item), hm_call->context),                                        \
        hm_lists_erase_if(&hm_self->lists, hm_list.id, prefix##_lists_erase_if_ask, &hm_call),     \
        prefix##_lists *hm_self, prefix##_handle hm_list)

#define HM_LISTS_DEFINE_WALK(prefix, type)                                                         \
    typedef struct prefix##_lists_view {                                                           \
        prefix##_handle list;                                                                      \
        type *items;                                                                               \
        uint32_t count; /* items, at least 1 */                                                    \
        uint32_t next;  /* private; 0 begins a loop */                                             \
    } prefix##_lists_view;                                                                         \
    HM_TYPED_FORM(lists, type *, prefix##_lists_items,                                             \
                  (const prefix##_lists *hm_self, prefix##_handle hm_list, uint32_t *hm_count),    \
                  HM_CAST(type *, hm_lists_items(&hm_self->lists, hm_list.id, hm_count)))          \
    HM_TYPED_FORM_OF(prefix, lists, const, uint32_t, count_of, prefix##_handle)                    \
    HM_TYPED_DEFINE_NEXT(                                                                          \
        prefix, lists, hm_lists_next_sized(&hm_self->lists.blocks, &hm_found, sizeof(type)),       \
        hm_walk->list.id = hm_found.list, hm_walk->items = HM_CAST(type *, hm_found.items))        \
    HM_TYPED_FORM_ASK(prefix, lists, uint64_t, item_count)

#endif
