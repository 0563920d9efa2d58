/* SPDX-License-Identifier: MIT */
/* memory: reserve, commit, decommit, release. The only module that calls the operating system.
 *
 *     reserve                         an address range that nothing else will take; no memory yet
 *     |------------------------------------------------------------|
 *     commit          decommit
 *     |==============|...............................................   may be used | may fault
 *
 * A container takes its memory through an hm_memory, a table of functions: one of those below, one
 * over the program's allocator, an arena, or the program's own. Owns: nothing, but for arenas.
 * Threads: the system's tables and that of the heap may be used by many threads at once, one over
 * an allocator by as many as its functions, an arena's by one at a time. */
#ifndef HANDLE_MAP_MEMORY_H
#define HANDLE_MAP_MEMORY_H

#include <handle_map/base.h>

HM_BEGIN_C

/* In bytes: the largest alignment of an item, and that of a reservation whose size is a multiple of
 * it. */
#ifndef HM_EXHAUSTIVE
#define HM_MEMORY_ALIGNMENT 4096
#endif

/* A memory table must keep this contract, and outlive every container that was initialised with it.
 * Ranges passed to commit, decommit and remap lie inside one reservation, and start and end at
 * multiples of `page_size` counted from the start of the reservation (not from address zero). */
typedef struct hm_memory {
    /* Returns NULL when refused, or an address that is aligned to the largest power of two that
     * divides the size, or to HM_MEMORY_ALIGNMENT bytes if that is less. */
    void *(*reserve)(void *context, size_t size);
    /* Returns false when refused, and then has changed nothing. Memory reads as zero after its
     * first commit, and when it is committed again after a decommit. The library never commits what
     * is committed. */
    bool (*commit)(void *context, void *address, size_t size);
    /* Returns false when refused, and then has changed nothing. Decommitted memory may fault; the
     * library never reads it, and never decommits what is not committed. */
    bool (*decommit)(void *context, void *address, size_t size);
    /* Takes exactly what `reserve` returned: same address, same size. Pages of it may still be
     * committed. It cannot fail. */
    void (*release)(void *context, void *address, size_t size);
    /* Optional; NULL: there is none. Moves pages of one reservation to another one, and returns
     * true: `to` then holds what `from` held, and `from` stays reserved. Returns false when
     * refused: then nothing has moved. The pages of both are committed; those of `from` are only
     * released after. A container that grows without a capacity (handle_map.h) copies its items
     * where this is refused. Whoever copies a table and replaces `reserve` sets it to NULL. */
    bool (*remap)(void *context, void *from, void *to, size_t size);
    size_t
        page_size; /* bytes; a power of two, at least 8: the unit of commit, decommit and remap */
    void *context; /* passed to each function; the library never touches it */
    /* False: a reservation takes nothing but addresses, of which there are plenty. True: they are
     * *scarce*, because a reservation takes memory, or leaves fewer addresses to others. It is true
     * in the tables of allocators, of the heap, of arenas and of WebAssembly, and in copies of
     * them. Set it in a table of your own that allocates in `reserve` or divides a range. With
     * 32-bit pointers, and in a freestanding library, addresses are scarce whatever the table.
     * Where they are, some limits that are left out have smaller defaults, as the headers of the
     * containers say. */
    bool has_scarce_addresses;
    /* NULL, but in the library's tables and their copies: `commit` for what need not be zero. It is
     * called as long as `commit` is not replaced. */
    bool (*raw)(void *context, void *address, size_t size);
    /* NULL, but in tables of a history, of arenas in it, and over these: who must know which
     * structs use the memory (history.h). */
    struct hm_registry *registry;
} hm_memory;

/* A freestanding library (HM_FREESTANDING, handle_map.h) has no table of its own: hm_memory_os,
 * hm_memory_os_huge and hm_memory_heap are not there, and an init without a table is refused with
 * HM_ERROR_INVALID. */
#ifndef HM_FREESTANDING

/* Virtual memory of the operating system, in the system's own pages (4, 16 or 64 KiB). A
 * reservation costs address space only, a committed page costs memory once it is touched. A
 * container that is large already makes up to 64 KiB resident at a time as it grows, where the
 * system can, which is cheaper than page by page; an array of 16 MiB or more goes on in huge pages
 * of 2 MiB, where the system has them, which is cheaper in all, but a pause of about 0.3 ms each.
 * Never NULL. O(1). A table of the program's own may be a copy of this one, with a function that
 * counts or locks, and calls this one's: it always takes the system's own pages. */
HM_API const hm_memory *hm_memory_os(void);

/* hm_memory_os() keeps the memory of ranges that containers release, for the next that asks: what
 * is in memory already costs 7 to 180 times less than a new page. It keeps the latest, 64 MiB in
 * all, in at most 128 ranges of at most 256 MiB of addresses; what more is released goes back to
 * the system, as does what a container's trim gives back. Where the system refuses a reservation,
 * it gets all of it back, and is asked again. Bytes of containers that have ended stay in the
 * process meanwhile (docs/security.md). Each copy of the library keeps its own; a library that is
 * unloaded must trim first. On WebAssembly nothing is kept so. Under AddressSanitizer the use of
 * what is kept is reported.
 *
 * The three functions may be called at any time, by any thread. They cannot fail, invalidate
 * nothing, and wait for no system call of another thread. In a process that was forked while
 * another thread was in the table, nothing is kept, and they do nothing. */

/* Sets how many bytes are kept at most, from now on; 0: none. Gives back what is above it, and
 * returns the former bound; 0 where nothing is kept. O(ranges). */
HM_API size_t hm_memory_os_keep(size_t most);

/* Gives all of it back to the system. O(ranges). */
HM_API void hm_memory_os_trim(void);

/* Returns how many bytes are kept: of pages that were committed, so at least those in memory.
 * O(1). */
HM_API size_t hm_memory_os_kept(void);

/* As hm_memory_os, but asks for huge pages: its `page_size` is 2 MiB. Touching fresh memory is
 * cheaper in all, but its pauses are longer. Where the system has no huge pages, normal pages are
 * used silently; on Windows, where huge pages need a privilege, and on WebAssembly this is
 * hm_memory_os. Never NULL. O(1). */
HM_API const hm_memory *hm_memory_os_huge(void);

/* hm_memory_allocator, below, over malloc and free: for platforms without virtual memory. Never
 * NULL. O(1). */
HM_API const hm_memory *hm_memory_heap(void);

#endif

/* A memory table over functions like malloc's, for engines with an allocator of their own.
 * `reserve` allocates a whole range, and `release` frees it; in between neither is called. So a
 * container with a capacity takes at once what that many items need, and one without a larger range
 * when it is full. What a container never uses is never touched, and `page_size` is 64 bytes.
 * `decommit` keeps the memory for the container.
 * AddressSanitizer reports the use of what a container has given back or not committed. Threads: as
 * many as the functions allow. Example:
 *
 *     static void *engine_allocate(void *context, size_t size, size_t align)
 *     {
 *         return heap_take(context, size, align);
 *     }
 *
 *     static void engine_free(void *context, void *address, size_t size)
 *     {
 *         heap_give(context, address, size);
 *     }
 *
 *     hm_memory_allocator allocator;
 *     hm_memory_allocator_init(&allocator, &(hm_memory_allocator_desc){.allocate = engine_allocate,
 *                                                                      .free = engine_free,
 *                                                                      .context = engine_heap});
 *     hm_map_desc desc = {.item_size = 8, .capacity = 100, .memory = &allocator.table};
 */
typedef struct hm_memory_allocator_desc {
    /* Returns `size` bytes, a multiple of 64, at a multiple of `align`: a power of two from 64 to
     * HM_MEMORY_ALIGNMENT. They need not be zero. NULL: refused, and an init or the insert that
     * needed them says HM_ERROR_MEMORY. If the address is not aligned, `free` gets the block back,
     * and that says HM_ERROR_INVALID. */
    void *(*allocate)(void *context, size_t size, size_t align);
    /* Takes exactly what `allocate` returned, with the same size. It cannot fail. */
    void (*free)(void *context, void *address, size_t size);
    void *context; /* passed to all; the library never touches it */
    /* In place of both, which are NULL then: functions that know of no alignment, and of no size
     * when they free. The library asks for the alignment and a pointer more, and aligns inside. The
     * address may be any; NULL: refused, as above. */
    void *(*allocate_unaligned)(void *context, size_t size);
    void (*free_unaligned)(void *context, void *address);
} hm_memory_allocator_desc;

/* Pass &allocator.table to containers. All other fields are private. It must neither move nor end
 * before the last container that was initialised with it; it owns nothing, so nothing ends it. */
typedef struct hm_memory_allocator {
    hm_memory table;
    hm_memory_allocator_desc use;
} hm_memory_allocator;

/* Calls no function. HM_ERROR_INVALID: the allocator or a function is NULL, or there are two pairs
 * of functions; containers then refuse the table. O(1). */
HM_API hm_status hm_memory_allocator_init(hm_memory_allocator *allocator,
                                          const hm_memory_allocator_desc *desc);

#ifndef HM_WITHOUT_ARENA /* A part of the library may leave it out. */

/* An arena: a memory table over one reservation of another, its *parent*, for programs that have
 * thousands of small containers, or make and drop them all the time. Ranges begin at multiples of
 * 64 bytes, so small containers share pages. All containers together take one mapping, and what one
 * gives back keeps its memory for the next. A container with a capacity takes its whole range of
 * the arena's addresses, though not of memory. AddressSanitizer reports the use of memory that no
 * container has, but not of the 64 bytes after each range.
 *
 * Threads: no locks inside: one container in the arena may be changed, made or finished at a time,
 * and one thread may record commands or run queries of a world there; const calls may run together.
 * Threads that share an arena pass a copy of its table to the containers, with four functions that
 * take a lock and call those of the arena's table. Example:
 *
 *     hm_memory_arena arena;
 *     hm_memory_arena_init(&arena, &(hm_memory_arena_desc){.size = 64 << 20});
 *     hm_map_desc desc = {.item_size = 8, .capacity = 100, .memory = &arena.table};
 *     hm_map_init(&map, &desc);
 */
typedef struct hm_memory_arena_desc {
    size_t size; /* bytes of address space for all ranges together; 0: 1 GiB; where those of the
                    parent are scarce 16 MiB */
    const hm_memory *memory; /* the parent; NULL: hm_memory_os() */
} hm_memory_arena_desc;

/* Pass &arena.table to containers. All other fields are private. The arena must not move from
 * init to fini. */
typedef struct hm_memory_arena {
    hm_memory table;
    const hm_memory *parent;
    unsigned char *base;   /* the first block */
    unsigned char *pages;  /* page of the parent -> what is known of it */
    size_t page_count;     /* pages of the parent in `size` */
    size_t size;           /* bytes of all blocks */
    size_t used_size;      /* bytes of all ranges */
    size_t committed_size; /* bytes that the parent has committed */
    size_t reserved_size;  /* bytes that the parent has reserved */
    uint32_t ranges;       /* reservations that were not released */
    uint32_t page_shift;   /* log2 of the bytes of the parent's page */
    uint32_t known;        /* by which a history that is the parent knows the arena */
    uint64_t lists;        /* bit k: free_blocks[k] is not NULL */
    struct hm_memory_block *free_blocks[64];
} hm_memory_arena;

typedef struct hm_memory_arena_stats {
    uint32_t ranges;       /* reservations of containers; one or more for each */
    size_t used_size;      /* bytes of their addresses */
    size_t committed_size; /* bytes of memory, used or kept for later */
    size_t reserved_size;  /* bytes of address space */
} hm_memory_arena_stats;

/* Reserves one range from the parent: `size` rounded up to whole pages, and a byte for each of
 * these pages, rounded up too. So a static buffer of N pages of 4 KiB, with N up to 4,096, has
 * space for a `size` of N - 1 pages. Commits these bytes and some of the first pages.
 * HM_ERROR_INVALID: a NULL arena, a size above SIZE_MAX / 4, a parent that breaks its contract.
 * HM_ERROR_MEMORY: the parent refuses. After a failure containers refuse the arena's table. The
 * parent must outlive the arena. An arena may be the parent of another. Must not be called on a
 * live arena: that leaks, and its containers lose their memory table. O(1). */
HM_API hm_status hm_memory_arena_init(hm_memory_arena *arena, const hm_memory_arena_desc *desc);

/* Releases everything and zeroes the arena; cannot fail. Finish its containers first: a range that
 * is in use is a broken contract. May be called twice. O(pages). */
HM_API void hm_memory_arena_fini(hm_memory_arena *arena);

/* Gives the pages that no container uses back to the parent. HM_ERROR_MEMORY: the parent refuses;
 * some pages may have gone back already. Invalidates nothing. O(pages). */
HM_API hm_status hm_memory_arena_trim(hm_memory_arena *arena);

/* Returns the current statistics. O(1). */
HM_API hm_memory_arena_stats hm_memory_arena_get_stats(const hm_memory_arena *arena);

#endif

/* For containers: marks bytes that must not be touched until they are unpoisoned, so that
 * AddressSanitizer reports the use of a pointer to an erased item. Both do nothing in a program
 * that does not run under it; the library itself need not be built for it. O(size / 8). */
HM_API void hm_memory_poison(const void *address, size_t size);
HM_API void hm_memory_unpoison(const void *address, size_t size);

/* The same for inline functions; without the sanitizer these macros do nothing. Compile all code
 * that uses a container with the sanitizer, or none: code without it does not mark the items it
 * makes. The library's own sources define them before, and decide at run time. */
#if !defined(HM_POISON)
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HM_ADDRESS_SANITIZER 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define HM_ADDRESS_SANITIZER 1
#endif
#if defined(HM_ADDRESS_SANITIZER)
#define HM_POISON(address, size) hm_memory_poison((address), (size))
#define HM_UNPOISON(address, size) hm_memory_unpoison((address), (size))
#else
#define HM_POISON(address, size) ((void)0)
#define HM_UNPOISON(address, size) ((void)0)
#endif
#endif

HM_END_C

#endif
