/* SPDX-License-Identifier: MIT */
/* resource_cache: names (paths, for one) become handles, and what they name is loaded by worker
 * threads within a budget of bytes. An example: public headers only.
 *
 *                 a place     a worker    finish    dependencies   budget
 *     request --> queued --> loading --> loaded --> ready --> evicted --> queued, on demand
 *                               |           |
 *                               +-> failed <+
 *
 *     resource_handle wood;
 *     resource_cache_request(&cache, &resource_image_loader, "wood.png", &wood);
 *     ...
 *     resource_cache_pump(&cache, 8); // once a frame
 *     const struct resource_image *image = resource_cache_get(&cache, wood);
 *     if (image != NULL)
 *         draw(image);
 *
 * What lives where:
 * - The records are items of a map, so that a handle from before a drop is refused. They link to
 *   each other by handles, since an erase moves records.
 * - Payloads are items of a pool, of `payload_size` bytes. They never move: a worker fills one
 *   while the owner adds and erases others.
 * - Names and messages are in a pool too, and jobs.
 *
 * Three things keep a resource, and each keeps less than the next:
 *     a handle       keeps nothing; it is refused once the resource is gone
 *     a reference    keeps name and handle; the data may be evicted, and come back on demand
 *     a pin          keeps the data where it is
 *
 * References. Each request takes one, to be given back by resource_cache_release. A resource
 * without references is dropped when it has no data: at once if it was not ready, else when it is
 * evicted. resource_cache_drop drops it in spite of references.
 *
 * Budget. It bounds the bytes that loaders reserve by resource_load_reserve, which includes what is
 * being loaded, and both versions during a reload. To make room, the least recently used data is
 * evicted (request, get, pin and unpin are uses), but never what is pinned, in flight, or needed by
 * another resource that is ready. If there is still no room, the load fails with HM_ERROR_FULL, and
 * says so. A loader that reserves before it allocates keeps memory within the budget; one that
 * reserves after exceeds it by one resource for each worker.
 *
 * Dependencies. They are handles, which a loader declares in `finish`: it requests the other
 * resource, calls resource_cache_depend, and may release the other, which the dependency keeps. A
 * resource becomes ready only once all that it depends on are, and keeps their data until its own
 * is evicted. If one of them fails, it fails too.
 *
 * Reload. The old data stays in place until the new is ready, and if the new fails, for good. Data
 * that is pinned is replaced at the first pump after it is no longer pinned.
 *
 * Threads. One thread owns the cache and makes all calls; only `load` of a loader runs on workers,
 * with the two functions for it, resource_load_reserve and resource_load_is_wanted. Without threads
 * (Windows, WebAssembly), or with 0 workers, `load` runs inside of resource_cache_pump. A loader
 * that hangs keeps its worker; others go on, but resource_cache_fini waits for it.
 *
 * Limits. Names of 1 to `name_size` - 1 bytes; four dependencies for each resource of the capacity.
 * A function that gets a handle that does not resolve returns HM_ERROR_STALE, false or NULL, and
 * changes nothing. Except for init and loads, cost is O(1) if not stated. A cache must not be
 * moved.
 *
 * Sources: resource_cache.c, resource_pump.c, resource_queue.c and resource_validate.c; link with
 * -pthread. A refusal sets no hm_last_error, unless it is one of the containers below. To find
 * references that were not given back, look at resource_cache_get_stats before fini.
 *
 * All caches have one type id: a handle of one cache means nothing in another, but may resolve. */
#ifndef RESOURCE_CACHE_H
#define RESOURCE_CACHE_H

#include "resource_queue.h"

#include <handle_map/map.h>
#include <handle_map/pool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RESOURCE_TYPE_ID 2
#define RESOURCE_ERROR_SIZE 160 /* bytes of a message, with its end */

HM_HANDLE_DEFINE(resource)

enum resource_state {
    RESOURCE_QUEUED,  /* until a place in the bounded queue is free */
    RESOURCE_LOADING, /* given to the workers */
    RESOURCE_LOADED,  /* waits for what it depends on */
    RESOURCE_READY,   /* has data; a reload may be in flight */
    RESOURCE_FAILED,  /* resource_cache_error says why; only a reload tries again */
    RESOURCE_EVICTED  /* has no data; loads again on demand */
};

struct resource_cache;

/* What `load` works on. */
struct resource_load {
    const char *name;
    void *payload; /* `payload_size` bytes, zeroed before each call; here until it is unloaded */
    void *context; /* the loader's */
    size_t size;   /* bytes reserved so far; read only */
    char error[RESOURCE_ERROR_SIZE]; /* why it failed; empty at first */
};

/* How one kind of resource is loaded. It must outlive the cache. */
struct resource_loader {
    /* On a worker: fills the payload. It must call resource_load_reserve, best before it allocates.
     * Returns false if it failed; then it has freed what it had, and says why in `error`. Many
     * calls, for different payloads, run at the same time. */
    bool (*load)(struct resource_load *load);
    /* On the owner's thread, after `load`: uploads to a device, or requests dependencies. Returns
     * NULL, or why it failed, which is copied; then `unload` follows. May call the cache, but not
     * pump or fini.
     * NULL: nothing to do. */
    const char *(*finish)(struct resource_cache *cache, resource_handle resource, void *payload,
                          void *context);
    /* On the owner's thread: frees what the payload holds. It must not call the cache. */
    void (*unload)(void *payload, void *context);
    void *context; /* the functions' */
};

/* Asks for `size` bytes of the budget for the load in total. If it returns false, the loader frees
 * what it has and returns false, without a message: it is called again once there is room. */
bool resource_load_reserve(struct resource_load *load, size_t size);

/* Whether anybody still waits for this load. False after a drop, and when the cache ends: a slow
 * loader may stop early. */
bool resource_load_is_wanted(const struct resource_load *load);

/* A record. Read it through resource_cache_get_info. */
struct resource {
    const struct resource_loader *loader;
    struct resource_text *text; /* name and message */
    struct resource_job *job;   /* NULL: not given to the workers */
    void *data;                 /* NULL: none */
    void *fresh;                /* what will replace it; NULL: none */
    size_t size, fresh_size;    /* bytes of the budget */
    hm_handle first_edge;       /* its dependencies */
    hm_handle previous, next;   /* in its list */
    hm_handle above;            /* on the stack of a search for cycles */
    uint64_t search;            /* the last one that has found it */
    uint64_t hash;              /* of the name */
    uint32_t version, references, pins;
    uint32_t dependents; /* that are not dropped */
    uint32_t needed;     /* dependents that keep its data */
    enum resource_state state;
    hm_status status;
    uint8_t list;
    bool holds;    /* it keeps the data of its dependencies */
    bool is_again; /* a reload was asked for during a load */
    bool is_idle;  /* its data is neither pinned nor in flight */
};

HM_MAP_DEFINE_FOR(resource, struct resource, RESOURCE_TYPE_ID)

struct resource_list {
    hm_handle first, last;
    uint32_t count;
};

enum { RESOURCE_LISTS = 5 };

/* A zero field means the default. Only payload_size has no default. */
struct resource_cache_desc {
    size_t payload_size;     /* bytes of the largest payload of any loader */
    size_t budget;           /* bytes; 0: no limit */
    size_t name_size;        /* bytes of the longest name, with its end; 0: 256 */
    uint32_t capacity;       /* resources, at most; 0: 16,384 */
    uint32_t queue_size;     /* loads in flight, at most; 0: 64 */
    uint32_t workers;        /* threads; 0: none, pump loads */
    const hm_memory *memory; /* NULL: the system's; must outlive the cache */
};

struct resource_stats {
    uint32_t resources, ready, queued;
    uint32_t in_flight;       /* jobs */
    size_t used, peak;        /* bytes of the budget, now and at most */
    size_t budget;            /* bytes */
    uint64_t loads, failures; /* that ended so */
    uint64_t evictions;
};

/* All fields are private. */
struct resource_cache {
    resource_map resources;
    hm_array index; /* name -> handle: open addressing */
    hm_pool texts, payloads, jobs, edges;
    struct resource_queue queue; /* its lock guards `used`, `peak`, `is_short` and jobs' flags */
    struct resource_list lists[RESOURCE_LISTS];
    struct resource_job *first_starved, *last_starved; /* jobs that wait for room */
    size_t budget, used, peak, idle_size, name_size, payload_size;
    uint64_t searches, loads, failures, evictions;
    uint32_t queue_size, ready;
    bool is_short;    /* of room: only jobs that were granted some go on */
    bool has_settled; /* something that others may wait for */
    bool is_pumping;
    bool is_open;
};

/* Reserves memory and starts the workers. HM_ERROR_INVALID: a NULL argument, no payload size, a
 * size that overflows; HM_ERROR_MEMORY: memory or a thread was refused; then the cache is zeroed,
 * and refuses everything. O(capacity). */
hm_status resource_cache_init(struct resource_cache *cache, const struct resource_cache_desc *desc);

/* Waits for the loads that run, unloads all, in any order, and zeroes the cache. May be called
 * twice, but not from a loader. O(resources). */
void resource_cache_fini(struct resource_cache *cache);

/* Returns the resource of this name in `handle`, with a reference, and sees to it that it is
 * loaded, if it has not failed. Equal names have equal handles, and are loaded once.
 * HM_ERROR_INVALID: no name, one that is too long, a loader without load and unload, or not the one
 * that the name was first requested with; HM_ERROR_FULL: as many resources as the capacity;
 * HM_ERROR_MEMORY. After a failure the handle is null, and nothing has changed. O(name). */
hm_status resource_cache_request(struct resource_cache *cache, const struct resource_loader *loader,
                                 const char *name, resource_handle *handle);

/* Returns the resource of this name, without a reference or a use, or a null handle. O(name). */
resource_handle resource_cache_find(const struct resource_cache *cache, const char *name);

/* Takes and gives back a reference. False: the handle does not resolve, or has no reference. */
bool resource_cache_acquire(struct resource_cache *cache, resource_handle handle);
bool resource_cache_release(struct resource_cache *cache, resource_handle handle);

/* Keeps the data, from when it is ready, until as many calls of unpin. A pin loads on demand.
 * False: the handle does not resolve, or is not pinned. */
bool resource_cache_pin(struct resource_cache *cache, resource_handle handle);
bool resource_cache_unpin(struct resource_cache *cache, resource_handle handle);

/* Returns the payload if it is ready, or NULL. Loads on demand, counts as a use. The pointer is
 * valid until the next pump, drop or release; as long as it is pinned, until the unpin. */
const void *resource_cache_get(struct resource_cache *cache, resource_handle handle);

/* Loads it once more, also after a failure. The data that is there stays until the new is ready. A
 * reload during a load is made after it. HM_ERROR_STALE. */
hm_status resource_cache_reload(struct resource_cache *cache, resource_handle handle);

/* Forgets the resource: its handle is refused from now on, and its load ends unseen.
 * HM_ERROR_STALE; HM_ERROR_BUSY: it is pinned, or a loaded resource depends on it. O(dependencies).
 */
hm_status resource_cache_drop(struct resource_cache *cache, resource_handle handle);

/* Declares that a resource depends on another, and keeps the other from being dropped for want of
 * references, until it is dropped itself. A reload does not undo it; but before `finish` runs,
 * dependencies on what was dropped are forgotten, so that it can declare others. HM_ERROR_STALE;
 * HM_ERROR_INVALID: it would be a cycle; HM_ERROR_FULL; HM_ERROR_MEMORY. O(what the other depends
 * on, directly or not). */
hm_status resource_cache_depend(struct resource_cache *cache, resource_handle handle,
                                resource_handle on);

/* Gives queued resources to the workers, evicts what must give way, and finishes what was loaded.
 * Call it once a frame. Returns how many loads ended, well or not: at most `max` (0: all that
 * have). Without workers it loads as many. Returns 0 inside of itself. */
uint32_t resource_cache_pump(struct resource_cache *cache, uint32_t max);

/* Waits until pump has something to do. Returns false if nothing is queued or being loaded. To load
 * all, for example:
 *
 *     while (resource_cache_wait(&cache))
 *         resource_cache_pump(&cache, 0);
 */
bool resource_cache_wait(struct resource_cache *cache);

struct resource_info {
    const char *name; /* valid until the resource is dropped */
    enum resource_state state;
    hm_status status; /* of the last load: HM_OK; HM_ERROR_FULL: no room; HM_ERROR_MEMORY; any other
                         failure: HM_ERROR_INVALID */
    uint32_t version; /* how often data was put in place: after a change, look again */
    uint32_t references, pins;
    size_t size; /* bytes of the budget that the data takes */
};

bool resource_cache_get_info(const struct resource_cache *cache, resource_handle handle,
                             struct resource_info *info);

/* Why the last load failed, a reload too; "" if it did not. For a handle that does not resolve, its
 * state ("HM_HANDLE_STALE"). Valid until the next pump or drop. */
const char *resource_cache_error(const struct resource_cache *cache, resource_handle handle);

/* Returns the name of a state ("queued"), or "unknown". */
const char *resource_state_name(enum resource_state state);

struct resource_stats resource_cache_get_stats(struct resource_cache *cache);

/* Checks that records, lists, index and budget agree: HM_OK or HM_ERROR_CORRUPT. O(resources). */
hm_status resource_cache_validate(struct resource_cache *cache);

#ifdef __cplusplus
}
#endif

#endif
