/* SPDX-License-Identifier: MIT */
/* memory: what the system gives, what init and fini tell a history, and arrays in one address
 * range. Functions for the folders above, not for programs. */
#ifndef HANDLE_MAP_MEMORY_PRIVATE_H
#define HANDLE_MAP_MEMORY_PRIVATE_H

#include "poison_private.h"

#include <handle_map/array.h>
#include <handle_map/memory.h>

#include <stddef.h>

/* memory */

#ifdef HM_FREESTANDING
/* Not public there, since a program must give a table: this one is refused in its place. */
const hm_memory *hm_memory_os(void);
const hm_memory *hm_memory_os_huge(void);
#endif

/* The system's calls, without what is kept (kept.c): for memory whose pages the system tells of,
 * and below that. */
const hm_memory *hm_memory_system(void);

#if !defined(__wasm__) && !defined(HM_FREESTANDING)
#define HM_MEMORY_KEEPS 1

/* False: the system refuses. */
bool hm_memory_system_release(void *address, size_t size);

/* Gives back the memory of accessible pages. False: the system refuses. */
bool hm_memory_system_discard(void *address, size_t size);

/* Sets bit 0 of a byte for each page that is in memory. False: the system does not tell. */
bool hm_memory_system_resident(void *address, size_t size, unsigned char *resident);

/* Whether a part of a reservation can be released. */
#ifdef _WIN32
#define HM_MEMORY_SPLITS false
#else
#define HM_MEMORY_SPLITS true
#endif

/* `commit` of hm_memory_os(); and what it adds to `raw`: clears the pages that were kept. */
bool hm_memory_commit_kept(void *context, void *address, size_t size);
void hm_memory_clear_kept(unsigned char *address, size_t size);

/* Whether the page of this byte was kept, and so is in memory. */
bool hm_memory_is_kept(const unsigned char *address);
#else
#define hm_memory_is_kept(address) ((void)(address), false)
#endif

/* HM_ERROR_INVALID when a table lacks a function, or its page size is not valid. */
hm_status hm_memory_check(const hm_memory *memory);

/* Returns the alignment that the contract of memory.h requires for a reservation of this size. */
static inline size_t hm_memory_align_of(size_t size)
{
    size_t bits = size | HM_MEMORY_ALIGNMENT;
    return bits & (~bits + 1);
}

/* Call the table's functions, and record failures for hm_last_error. A reservation that is not
 * aligned as memory.h says is released: HM_ERROR_INVALID. `is_raw`: the memory may hold anything,
 * since it is written before it is read. */
hm_status hm_memory_reserve(const hm_memory *memory, size_t size, unsigned char **address);
hm_status hm_memory_commit(const hm_memory *memory, unsigned char *address, size_t size,
                           bool is_raw);

/* The `commit` of tables with a `raw`, which are where their context points: calls it, and clears.
 */
bool hm_memory_commit_clear(void *context, void *address, size_t size);

static inline bool hm_memory_is_keeping(const hm_memory *memory)
{
#ifdef HM_MEMORY_KEEPS
    return memory->commit == hm_memory_commit_kept;
#else
    (void)memory;
    return false;
#endif
}

static inline bool hm_memory_has_raw(const hm_memory *memory)
{
    return memory->commit == hm_memory_commit_clear || hm_memory_is_keeping(memory);
}

/* Clears bytes that a raw commit has made accessible, and nobody has written. */
void hm_memory_clear(const hm_memory *memory, unsigned char *address, size_t size);

/* Gives pages back; records a failure in the same way. */
hm_status hm_memory_decommit(const hm_memory *memory, unsigned char *address, size_t size);

/* In a switch on a size of bytes: calls with a constant size as the last argument, which compilers
 * turn into moves. The second has the sizes that most values have, the third the switch too. */
#define HM_SIZE_CASE(size, CALL, ...)                                                              \
    case (size):                                                                                   \
        CALL(__VA_ARGS__, (size));                                                                 \
        break
#define HM_SIZE_CASES(CALL, ...)                                                                   \
    HM_SIZE_CASE(4, CALL, __VA_ARGS__);                                                            \
    HM_SIZE_CASE(8, CALL, __VA_ARGS__);                                                            \
    HM_SIZE_CASE(12, CALL, __VA_ARGS__);                                                           \
    HM_SIZE_CASE(16, CALL, __VA_ARGS__)
#define HM_FOR_SIZE(size, CALL, ...)                                                               \
    do {                                                                                           \
        switch (size) {                                                                            \
        default:                                                                                   \
            CALL(__VA_ARGS__, size);                                                               \
            break;                                                                                 \
            HM_SIZE_CASES(CALL, __VA_ARGS__);                                                      \
            HM_SIZE_CASE(32, CALL, __VA_ARGS__);                                                   \
        }                                                                                          \
    } while (0)

/* Whether addresses are not scarce (memory.h): much more may be reserved than items need. */
bool hm_memory_is_ample(const hm_memory *memory);

/* Returns `size`, rounded up to whole pages. The caller makes sure that it does not overflow. */
static inline size_t hm_memory_round_up(size_t size, size_t page_size)
{
    return (size + page_size - 1) & ~(page_size - 1);
}

/* Returns by how many bytes an array grows that has committed `committed_size` and grows item by
 * item: a quarter, from 64 KiB, or 16 pages if they are smaller, to 128 KiB. A commit costs about
 * 0.3 us whatever its length, a fresh page 1.4 us when it is touched: with 16 pages at a time the
 * commit is 2% of that. Once it is large (hm_memory_is_huge), from `end` up to the end of a huge
 * page; NULL: never. */
size_t hm_memory_growth(const hm_memory *memory, size_t committed_size, const unsigned char *end);

/* A container that grows by itself makes its steps resident part by part, when items reach them,
 * if the memory is the system's and steps are so large that more will follow; what a program
 * reserved never. The pages will all be touched soon, and together they cost a tenth to a quarter
 * less than one by one; a part, because the pause is shorter, and the step is still one commit.
 * Returns the size in bytes of the part that follows `ready_size`, or 0 if nothing is to be made
 * resident. */
size_t hm_memory_resident_size(const hm_memory *memory, size_t ready_size, size_t committed_size);

/* The platform's part of it, and of huge pages below: asks the system to make committed pages
 * resident, or huge where whole huge ones fit. Windows has no call for it, or only with a
 * privilege; on WebAssembly pages are resident once the memory has grown. */
#if defined(_WIN32) || defined(__wasm__) || defined(HM_FREESTANDING)
#define hm_memory_populate(address, size) ((void)(address), (void)(size))
#define hm_memory_advise_huge(address, size) ((void)(address), (void)(size))
#else
void hm_memory_populate(unsigned char *address, size_t size);
void hm_memory_advise_huge(unsigned char *address, size_t size);
#endif

/* Bytes, with pages of 4 KiB; elsewhere it is just a size. What grows by itself goes on in huge
 * pages once so much is committed: then the last one, which may have no item but one, is at most an
 * eighth more. */
#define HM_MEMORY_HUGE_PAGE ((size_t)2 << 20)
#define HM_MEMORY_HUGE_FROM (8 * HM_MEMORY_HUGE_PAGE)

/* Whether a container that has committed so many bytes goes on in huge pages: not in a copy of the
 * system's table. */
bool hm_memory_is_huge(const hm_memory *memory, size_t committed_size);

/* Asks for huge pages in a range if a container with so many bytes goes on in them: where nothing
 * has been written yet it gets them at once, and elsewhere when the system finds time. */
void hm_memory_advise_large(const hm_memory *memory, size_t committed_size, unsigned char *address,
                            size_t size);

/* Returns bits that a stranger cannot guess. If the system has none, or a sandbox refuses them,
 * they come from addresses and vary only with how the system places the program. */
uint64_t hm_memory_random(void);

/* The platform's part of it; false: refused. */
bool hm_memory_fill_random(void *bytes, size_t size);

/* Which pages are written, where the system can tell (track.c). */

/* As the system writes it: addresses of whole pages. */
typedef struct hm_memory_span {
    uint64_t start, end, kind;
} hm_memory_span;

/* Returns a number for this process; it differs after a fork, where the files are useless. */
int64_t hm_memory_process(void);

/* Begins to note which pages of a reservation of the system's are written, all of it at first, and
 * opens `files` for this. The reservation may move: it has no memory yet. False: the system cannot
 * tell. */
bool hm_memory_track(int files[2], unsigned char **address, size_t size);

/* Closes the files. */
void hm_memory_untrack(int files[2]);

/* Writes up to max_spans spans of pages between two addresses that are not protected, sets `from`
 * to the first address that it has not looked at, and returns how many spans there are; below 0:
 * the system refuses. */
int hm_memory_written(const int files[2], unsigned char **from, const unsigned char *to,
                      hm_memory_span *spans, uint32_t max_spans);

/* Protects the written pages between two addresses, so that they are found when they are written
 * again. */
void hm_memory_protect(const int files[2], const unsigned char *from, const unsigned char *to);

/* Lets all pages between two addresses be written, which costs less than letting the system do so
 * at the first write to each. */
void hm_memory_unprotect(const int files[2], const unsigned char *from, const unsigned char *to);

/* known: what init and fini tell the history that a struct's memory may belong to. */

#ifndef HM_WITHOUT_HISTORY /* A part of the library may leave it out. */

#include <handle_map/detail/memory.h>

/* Each is defined beside the init of its container. */
extern const hm_known_kind hm_known_map, hm_known_pool, hm_known_table, hm_known_secondary,
    hm_known_lists, hm_known_index, hm_known_world;

static inline uint32_t hm_known_key(const hm_known_kind *of, const void *object)
{
    return *(const uint32_t *)(const void *)((const char *)object + of->key_offset) >>
           HM_KNOWN_SHIFT;
}

/* Returns the memory table of a struct, NULL if that is not initialised. */
static inline const hm_memory *hm_known_memory(const hm_known_kind *of, const void *object)
{
    return *(const hm_memory *const *)(const void *)((const char *)object + of->memory_offset);
}

static inline hm_registry *hm_known_registry(const hm_known_kind *of, const void *object)
{
    const hm_memory *memory = hm_known_memory(of, object);
    return memory != NULL ? memory->registry : NULL;
}

/* The last step of an init, which has succeeded so far. */
static inline hm_status hm_known_join(const hm_known_kind *of, void *object)
{
    hm_registry *registry = hm_known_registry(of, object);
    return registry != NULL ? registry->join(registry, object, of) : HM_OK;
}

/* After a move by assignment: a struct that no history knows is not asked for more than that. */
static inline hm_status hm_known_track(const hm_known_kind *of, void *object)
{
    if (hm_known_key(of, object) == 0)
        return HM_OK;
    hm_registry *registry = hm_known_registry(of, object);
    return registry->track(registry, object, of);
}

/* The first step of a fini, while the struct still names its memory. */
static inline void hm_known_leave(const hm_known_kind *of, void *object)
{
    if (hm_known_key(of, object) == 0)
        return;
    hm_registry *registry = hm_known_registry(of, object);
    registry->leave(registry, object, of);
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
        (void)hm_known_track(&hm_known_##type, type);                                              \
    }
#define HM_KNOWN_CONTAINER(type, memory)                                                           \
    static bool type##_is_busy(const void *type)                                                   \
    {                                                                                              \
        return hm_guard_is_busy(&((const hm_##type *)type)->guard);                                \
    }                                                                                              \
    HM_KNOWN_WITH(type, memory, type##_is_busy)

#else
#define hm_known_join(of, object) HM_OK
#define hm_known_leave(of, object) ((void)(object))
#define HM_KNOWN_CONTAINER(type, memory)
#endif

/* array */

/* As hm_array_reserve, but does not poison what it commits: for columns that the program never
 * sees, whose owner does not track which items are alive. `grows`: items follow at once, so that it
 * pays to make the pages of a step resident. A program that reserves ahead may never use the space,
 * so nothing becomes resident for it. */
hm_status hm_array_commit(hm_array *array, size_t count, bool grows);

/* As hm_array_commit, for columns that the program sees: poisons what it commits. */
hm_status hm_array_prepare(hm_array *array, size_t count, bool grows);

/* As hm_array_trim, but does not unpoison: for columns that are not poisoned. */
hm_status hm_array_decommit(hm_array *array);

/* Returns the natural alignment of a size: the largest power of two that divides it, at most 16,
 * which is that of max_align_t where it is largest; 0 for size 0. It is the same on every machine,
 * since the sizes of lists' blocks depend on it, and so the order of an index. */
static inline size_t hm_array_natural_align(size_t size)
{
    size_t align = size & (~size + 1), most = 16;
    return align < most ? align : most;
}

/* HM_ERROR_INVALID when this size and alignment (0: natural) are not valid for the items of any
 * container. `what` comes before "size" and "align" in the message: "item_" for item_size. */
hm_status hm_array_check_layout(size_t size, size_t align, const char *what);

/* Checks all that makes hm_array_init return HM_ERROR_INVALID. The descriptor is not NULL; `what`
 * as above. */
hm_status hm_array_check(const hm_array_desc *desc, const char *what);

/* HM_ERROR_INVALID when `count` items, in whole pages, overflow size_t, or one has 4 GiB. The size
 * is not 0. */
hm_status hm_array_check_size(size_t size, size_t count, const char *what, const hm_memory *memory);

/* For one array that holds several columns. Its memory may hold anything at first. */
typedef struct hm_array_parts {
    size_t (*size_of)(void *owner, size_t capacity); /* items it has for such a capacity */
    void (*transfer)(void *owner); /* moves the columns: it and the arrays listed before it are at
                                   their new addresses, and the old memory is unchanged */
} hm_array_parts;

/* One of the arrays of a container. */
typedef struct hm_array_column {
    hm_array *array;    /* zeroed, or to be moved */
    hm_array_desc desc; /* valid (hm_array_check); all with the same memory, which is not NULL */
    size_t used;     /* items that move; those behind may be lost. In a new array: items that need
                        not be zero */
    bool is_visible; /* the program sees the items: those behind the used ones are poisoned, and
                      * may hold anything; else they read as zero */
    bool is_by_slot; /* of the arrays beside an id table: an item for each slot, dead ones too */
    const hm_array_parts *parts; /* NULL: it is not divided */
    void *owner;                 /* of its parts */
} hm_array_column;

/* Initialises arrays that lie one behind the other in one reservation. It belongs to the first, so
 * hm_array_fini of the others comes before that of the first. `moves_to_grow`: they are committed
 * whole; once one is full, all can only move. HM_ERROR_MEMORY: it was refused, or does not fit in
 * size_t; HM_ERROR_INVALID: it is not aligned. Then the arrays stay zeroed. */
hm_status hm_array_init_columns(const hm_array_column *columns, uint32_t count, bool moves_to_grow);

/* Returns the bytes that such arrays take together if they are committed whole, and few and small
 * enough for size_t; and places them in that much committed memory. They own no range. */
size_t hm_array_whole_size(const hm_array_column *columns, uint32_t count);
void hm_array_place_columns(const hm_array_column *columns, uint32_t count, unsigned char *data);

enum {
    HM_ARRAY_LINE = 64,           /* bytes: small arrays of a whole range begin at multiples */
    HM_ARRAY_MAX_COLUMNS = 16,    /* arrays in one range, at most */
    HM_ARRAY_FIRST_SIZE = 1024,   /* bytes of a whole range at first, or a page if that is larger */
    HM_ARRAY_REMAP_SIZE = 1 << 13 /* bytes from which remapping pages is cheaper than a copy */
};

/* Returns the items that an array with space for `space` gets space for, so that it has it for
 * `need`, which is at most the limit: twice as many at least, unless that is above the limit. */
static inline size_t hm_array_wider(size_t space, size_t need, size_t limit)
{
    if (need <= space)
        return space;
    size_t twice = space <= limit / 2 ? 2 * space : limit;
    return need > twice ? need : twice;
}

/* Returns by how many times a whole range of so many bytes grows: it doubles. But the first page
 * grows to 16 where addresses are ample, since memory that is not touched costs nothing there. */
size_t hm_array_factor(const hm_memory *memory, size_t size);

/* Describes an array for hm_array_move_columns, with the capacity that it has. */
hm_array_column hm_array_column_of(hm_array *array, size_t used, bool is_visible);

/* Moves arrays to a new range for the capacities of their descriptors, which belongs to the first,
 * and releases the ranges that were theirs. It is committed whole if theirs were; else as far as
 * they are used, and the program sees none of them. Arrays that shared the range of the first move
 * with it, or are lost. Invalidates all pointers into them. HM_ERROR_MEMORY: the system refuses;
 * nothing has changed. O(bytes in use); pages of large arrays are not copied where the memory table
 * can remap them. */
hm_status hm_array_move_columns(const hm_array_column *columns, uint32_t count);

/* Moves an array that has no space for `need` items to a range of its own, of at least twice the
 * size. The program does not see it. Gives back its part of a range of several. As
 * hm_array_move_columns otherwise. */
hm_status hm_array_widen(hm_array *array, size_t need, size_t used);

/* A rarely used array in its own memory: the container keeps one pointer, NULL until there is one,
 * and the first items are the array itself. Commits `count` items, those included.
 * Makes the array if there is none, and moves it, with the first `used` items, if its range is too
 * small: then the capacity of the descriptor counts. HM_ERROR_MEMORY: nothing has changed. */
hm_status hm_array_open(hm_array **place, const hm_array_desc *desc, size_t count, size_t used);

/* Releases it; does nothing if there is none. */
void hm_array_close(hm_array **place);

/* Returns where an item is now: one of the `size` bytes that were at `before`, and are at `after`,
 * or any other, which has not moved. NULL stays NULL. */
static inline const void *hm_array_translate(const void *item, const unsigned char *before,
                                             size_t size, const unsigned char *after)
{
    size_t offset = (uintptr_t)item - (uintptr_t)before;
    return offset < size ? after + offset : item;
}

/* Makes an array of a part of another one's range, from `data` on; or of one that is whole. */
void hm_array_place(const hm_array_column *column, unsigned char *data);
void hm_array_place_whole(const hm_array_column *column, unsigned char *data);

/* Whether an array of so many bytes in a whole range begins at a page and shares no page, so that
 * its pages can be remapped. */
static inline bool hm_array_has_pages(size_t size, const hm_memory *memory)
{
    return size >= HM_ARRAY_REMAP_SIZE && size >= memory->page_size;
}

/* Copies the first `size` bytes of an array, or remaps their pages. */
void hm_array_transfer(const hm_array *from, const hm_array *to, size_t size);

#endif
