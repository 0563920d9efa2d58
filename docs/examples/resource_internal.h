/* SPDX-License-Identifier: MIT */
/* resource_internal: what the sources of the resource cache share. Not for programs. */
#ifndef RESOURCE_INTERNAL_H
#define RESOURCE_INTERNAL_H

#include "resource_cache.h"

/* A resource is in one list at most. */
enum {
    LIST_NONE,
    LIST_QUEUED,  /* for a place among the jobs; a reload too */
    LIST_WAITING, /* loaded, but not ready: for dependencies, or for an unpin */
    LIST_RECENT,  /* can be evicted: the least recently used one first */
    LIST_DOOMED   /* will be dropped before the call returns */
};

struct resource_text {
    char error[RESOURCE_ERROR_SIZE];
    char name[]; /* never changes: a worker reads it */
};

/* A load in flight. */
struct resource_job {
    struct resource_load load; /* first: loaders get its address */
    struct resource_cache *cache;
    const struct resource_loader *loader;
    struct resource_text *text;
    hm_handle resource;        /* refused if that was dropped meanwhile */
    size_t wanted;             /* bytes that were refused; 0: none */
    struct resource_job *next; /* among those that wait for room */
    bool is_loaded;
    bool is_dropped; /* guarded by the queue's lock */
};

/* A dependency of a resource. */
struct resource_edge {
    hm_handle on;
    hm_handle next; /* null: the last one */
};

enum resource_verdict { DEPENDENCIES_READY, DEPENDENCIES_PENDING, DEPENDENCIES_FAILED };

/* NULL: the handle does not resolve. */
struct resource *resource_at(const struct resource_cache *cache, hm_handle handle);

void resource_leave(struct resource_cache *cache, struct resource *r);
void resource_enter(struct resource_cache *cache, hm_handle handle, struct resource *r, int to);
void resource_update(struct resource_cache *cache, hm_handle handle, struct resource *r);
void resource_demand(struct resource_cache *cache, hm_handle handle, struct resource *r);

/* NULL: the handle is null. */
struct resource_edge *resource_edge_at(const struct resource_cache *cache, hm_handle handle);

/* Removes the dependencies on what was dropped. */
void resource_forget_dropped(struct resource_cache *cache, struct resource *r);

void resource_hold(struct resource_cache *cache, struct resource *r, bool holds);

/* Whether the dependencies are ready; demands those that were evicted. For a failure, sets the name
 * of what has failed. */
enum resource_verdict resource_judge(struct resource_cache *cache, const struct resource *r,
                                     const char **culprit);

void resource_unload(struct resource_cache *cache, const struct resource_loader *loader,
                     void *payload, size_t size);
void resource_forget_unused(struct resource_cache *cache, hm_handle handle, struct resource *r);
void resource_bury(struct resource_cache *cache);

/* Evicts until `size` more bytes fit into the budget. False if that is not possible. */
bool resource_make_room(struct resource_cache *cache, size_t size);

/* In resource_pump.c: */
size_t resource_used(struct resource_cache *cache);
size_t resource_peak(struct resource_cache *cache);
void resource_use_budget(struct resource_cache *cache, size_t size);
void resource_reload(struct resource_cache *cache, hm_handle handle, struct resource *r);
void resource_job_run(void *job);
void resource_job_cancel(struct resource_cache *cache, struct resource_job *job);
void resource_jobs_end(struct resource_cache *cache);

#endif
