/* SPDX-License-Identifier: MIT */
/* history: a memory table whose containers can all be put back, together, to an earlier moment:
 * for rollback, undo, and debugging backwards. A container, commands or an arena whose init gets
 * &history.table is rewound, from init to fini; nothing need be watched. A query is not rewound: it
 * sees that its world was. After moving a struct by assignment call hm_map_moved(&map) or the like;
 * C++ classes do so. A container in an item is rewound only if the items are in the history too.
 *
 *     mark 1       mark 2       mark 3       now
 *     |------------|------------|~~~~~~~~~~~~|
 *       pages that   pages that   pages written since
 *       changed: as they were at the mark before, and as at the one after
 *
 * Addresses do not change: a pointer at a mark is one again after a rewind to it. A mark costs what
 * has changed, not what there is. Handles, orders in progress, commands that wait, and what was
 * committed or given back since are as they were. Destroy hooks do not run in a rewind; what items
 * own elsewhere stays as it is.
 *
 * Owns: one range, which containers divide; a copy of each page that they had committed at the
 * current mark, and of each page that changed between two marks, as it was before and after. Moves:
 * nothing. Limits: those of hm_history_desc. Threads: marks and rewinds by one thread, while no
 * other uses the history or what it rewinds; otherwise as an arena. */
#ifndef HANDLE_MAP_HISTORY_H
#define HANDLE_MAP_HISTORY_H

#include <handle_map/array.h>
#include <handle_map/detail/memory.h>

HM_BEGIN_C

/* How a history finds the pages that were written. */
typedef enum hm_history_method {
    HM_HISTORY_AUTO = 0, /* the first that can be had */
    HM_HISTORY_TRACK,    /* the system tells, over hm_memory_os(): Linux from 6.7 on, by userfaultfd
                            and PAGEMAP_SCAN; Windows, by GetWriteWatch. The first write to a page
                            costs about 1 us. */
    HM_HISTORY_COMPARE   /* each page is compared with its copy: any system, any table */
} hm_history_method;

/* A zero field means the default. */
typedef struct hm_history_desc {
    uint32_t marks; /* kept at most, up to 65,536; each further one replaces the oldest; 0: 16 */
    hm_history_method method;
    size_t size; /* bytes of address space for all containers together; 0: 1 GiB; where addresses of
                    the parent are scarce 16 MiB */
    const hm_memory *memory; /* the parent; NULL: hm_memory_os() */
    uint64_t epoch; /* goes with each mark to whoever follows the history, such as a replica: give
                       each run of the program another one, at random or from a clock */
} hm_history_desc;

/* Where a copy of a container stands on the way that a history has recorded: at a mark, or between
 * two, if it got the changes in parts. A zeroed one has had nothing, of whatever epoch. */
typedef struct hm_position {
    uint64_t epoch; /* of the history */
    uint64_t mark;  /* all up to it; UINT64_MAX: unknown, since a load of changes failed half way */
    uint64_t next;  /* the mark of which it has had the first changes; 0: none */
    uint64_t done;  /* how many */
} hm_position;

/* Pass &history.table to containers; its pages are those of the parent, at least 4,096 bytes. All
 * other fields are private. A history must not move from init to fini. */
typedef struct hm_history {
    hm_memory table;
    const hm_memory *parent;
    unsigned char *base; /* what containers divide */
    size_t range_size;   /* bytes that the parent has reserved there */
    size_t page_size;    /* bytes */
    uint32_t page_count; /* pages that containers divide */
    uint32_t page_end;   /* pages from there on were never used */
    uint32_t first_free; /* no page before it is free */
    uint32_t marks;      /* kept at most */
    uint32_t mark_count; /* kept now */
    uint32_t oldest;     /* where in `logs` the first of them is */
    uint32_t current;    /* which of them the state has come from */
    uint64_t next_mark;  /* its number */
    uint64_t epoch;
    uint64_t copies;          /* in use */
    size_t copy_size;         /* bytes */
    unsigned char *free_copy; /* the first, or NULL */
    unsigned char *fresh;     /* copies of the last block; those that were never used come first */
    uint32_t free_copies;
    uint32_t fresh_copies; /* never used */
    uint32_t touched;      /* page + 1: the first in the list of touched ones; 0: none */
    hm_array pages;        /* what is known of each page */
    hm_array committed;    /* a bit for each page */
    hm_array watches;      /* fragments of what is rewound beside them */
    hm_array records;      /* of whom these fragments are */
    hm_registry registry;  /* where the structs of containers say that they are there */
    uint32_t last_key;     /* that a struct got */
    hm_array changes;      /* since the current mark */
    hm_array logs;         /* for each mark what changed after it, up to the next */
    hm_array blocks;       /* of copies */
    hm_array scratch;      /* a bit for each byte of a page */
    int64_t process;       /* that the method belongs to */
    int files[2];          /* of the method */
    hm_history_method method;
} hm_history;

typedef struct hm_history_stats {
    uint64_t oldest_mark;     /* 0: there is none */
    uint64_t current_mark;    /* that the state has come from; 0: there is none */
    uint64_t newest_mark;     /* above the current one after a rewind; 0: there is none */
    size_t copied_size;       /* bytes of copies in use */
    size_t committed_size;    /* bytes of memory for copies and what is known of pages */
    hm_history_method method; /* never HM_HISTORY_AUTO */
} hm_history_stats;

/* Reserves the range of the containers, and memory for what is known of it. HM_ERROR_INVALID: a
 * NULL history, more than 65,536 marks, a size above SIZE_MAX / 4 or of more than 2^31 pages, a
 * parent that breaks its contract, a method that this system or parent has not. HM_ERROR_MEMORY:
 * the parent refuses. After a failure containers refuse the table. The parent must outlive the
 * history. O(marks). */
HM_API hm_status hm_history_init(hm_history *history, const hm_history_desc *desc);

/* Releases everything and zeroes the history; cannot fail. Finish its containers first: one that
 * was not is a broken contract. May be called twice. O(pages). */
HM_API void hm_history_fini(hm_history *history);

/* From the next mark on, these bytes are marked and rewound too: plain state of the program, with
 * or without containers in it; an hm_array, hm_id_table or hm_directory that uses the history's
 * memory. The program promises that they are there until hm_history_unwatch. A rewind to a mark
 * from before zeroes them. Each mark reads them all: valgrind reports what was never written. They
 * may overlap what is watched or known, or be the same. Not for objects of hm::world, hm::query and
 * hm::commands, and entries of a report, which are linked with others. HM_ERROR_INVALID: NULL, no
 * bytes, or bytes of the history itself; HM_ERROR_FULL: too many bytes, or a zeroed history.
 * HM_ERROR_MEMORY: the parent refuses. Invalidates nothing. O(fragments of a page that are
 * watched).
 */
HM_API hm_status hm_history_watch(hm_history *history, void *address, size_t size);

/* Forgets the bytes that are watched from this address on, in all marks, or the container there:
 * no rewind writes there any more. A container in them is rewound as before, until its fini. False:
 * nothing that is watched or known begins there. Call it before the memory ends. Invalidates
 * nothing. O(copies). */
HM_API bool hm_history_unwatch(hm_history *history, const void *address);

/* Takes this moment, and returns its number, above those of all marks before; 0: refused, and
 * hm_last_error says why; then the state and all marks are as they were. If the state has come from
 * a rewind, the marks after the current one go. Refused inside a callback of a container in the
 * history and while a query over a world there runs, since no rewind could come back to that; while
 * a container is not where the history knows it; and by the first mark of watched bytes that have a
 * container with the system's memory, whose items would not come back. Invalidates nothing. O(pages
 * that changed + containers), with HM_HISTORY_COMPARE O(bytes committed).
 *
 * Example:
 *
 *     hm_history history;
 *     hm_history_init(&history, &(hm_history_desc){.marks = 8});
 *     hm_map_init(&map, &(hm_map_desc){.item_size = 8, .memory = &history.table});
 *     uint64_t before = hm_history_mark(&history);
 *     hm_map_clear(&map);
 *     hm_history_rewind(&history, before); // All items are there again.
 *     hm_map_fini(&map);
 *     hm_history_fini(&history);
 */
HM_API uint64_t hm_history_mark(hm_history *history);

/* Puts everything back as it was at a mark: an earlier one or, while nothing has changed since a
 * rewind, a later one. HM_ERROR_STALE: it is not kept any more, or never was, or it is later than
 * the current one and something has changed. HM_ERROR_MEMORY: the parent refuses. HM_ERROR_BUSY: a
 * container in the history is inside a callback, or a query over a world there runs.
 * HM_ERROR_INVALID: a container was moved, and hm_map_moved or its like was not called. In all
 * cases nothing has changed. Pointers and handles mean what they meant at the mark. O(pages that
 * changed since, and between the marks), with HM_HISTORY_COMPARE O(bytes committed).
 *
 * Handles that were issued or promised since the mark must be dropped: others may get them.
 * Promises (hm_map_promise) are as they were at the mark, also if their items came since or they
 * were given up. So a loader keeps, beside each promised handle, the mark that was current. After a
 * rewind to that mark or an earlier one it drops the handle; after one to a later mark it brings
 * the item again if hm_map_explain says HM_HANDLE_PROMISED. One that it cannot bring again, it
 * gives up.
 *
 * A rewind to before the init of a container leaves it empty, as a fini does, and forgets it. One
 * that was finished since stays so: its memory comes back, but nobody owns it, and hm_history_fini
 * releases it. Where the program watches the bytes of the struct (hm_history_watch), they come back
 * too, and with them the container: finish it again. */
HM_API hm_status hm_history_rewind(hm_history *history, uint64_t mark);

/* Returns the epoch and the current mark: where what a container in the history saves stands, as
 * long as nothing has changed since the mark. O(1). */
HM_API hm_position hm_history_position(const hm_history *history);

/* Returns the current statistics. O(arrays). */
HM_API hm_history_stats hm_history_get_stats(const hm_history *history);

/* Checks that all parts are consistent: HM_OK or HM_ERROR_CORRUPT. O(pages + copies). */
HM_API hm_status hm_history_validate(const hm_history *history);

HM_END_C

#endif
