/* SPDX-License-Identifier: MIT */
/* The resource cache: names, lists, references, budget, dependencies. How a load begins and ends
 * is in resource_pump.c. See resource_cache.h. */
#include "resource_internal.h"

#include <stdalign.h>
#include <string.h>

enum { DEFAULT_NAME = 256, DEFAULT_CAPACITY = 16384, DEFAULT_QUEUE = 64, EDGES_EACH = 4 };

/* A place of the index: empty if the handle is null. */
struct entry {
    uint64_t hash;
    hm_handle resource;
    const char *name; /* the resource's */
};

struct resource *resource_at(const struct resource_cache *cache, hm_handle handle)
{
    return resource_map_get(&cache->resources, (resource_handle){handle});
}

/* Lists */

void resource_leave(struct resource_cache *cache, struct resource *r)
{
    struct resource_list *list = &cache->lists[r->list];
    if (r->list == LIST_NONE)
        return;
    if (hm_handle_is_null(r->previous))
        list->first = r->next;
    else
        resource_at(cache, r->previous)->next = r->next;
    if (hm_handle_is_null(r->next))
        list->last = r->previous;
    else
        resource_at(cache, r->next)->previous = r->previous;
    list->count--;
    r->list = LIST_NONE;
}

void resource_enter(struct resource_cache *cache, hm_handle handle, struct resource *r, int to)
{
    struct resource_list *list = &cache->lists[to];
    resource_leave(cache, r);
    r->list = (uint8_t)to;
    r->previous = list->last;
    r->next = HM_NULL_HANDLE;
    if (hm_handle_is_null(list->last))
        list->first = handle;
    else
        resource_at(cache, list->last)->next = handle;
    list->last = handle;
    list->count++;
}

/* Puts a resource into the list of what can be evicted, or takes it out, after any change that may
 * decide this. It enters as the most recently used one. */
void resource_update(struct resource_cache *cache, hm_handle handle, struct resource *r)
{
    bool is_idle = r->data != NULL && r->pins == 0 && r->job == NULL && r->fresh == NULL &&
                   r->list != LIST_QUEUED;
    if (is_idle != r->is_idle) {
        cache->idle_size += is_idle ? r->size : 0 - r->size;
        r->is_idle = is_idle;
    }
    if (!is_idle || r->needed != 0) {
        if (r->list == LIST_RECENT)
            resource_leave(cache, r);
    } else if (r->list != LIST_RECENT) {
        resource_enter(cache, handle, r, LIST_RECENT);
    }
}

static void use(struct resource_cache *cache, hm_handle handle, struct resource *r)
{
    if (r->list == LIST_RECENT && !hm_handle_is_null(r->next))
        resource_enter(cache, handle, r, LIST_RECENT);
}

/* Loads an evicted resource. */
void resource_demand(struct resource_cache *cache, hm_handle handle, struct resource *r)
{
    if (r->state != RESOURCE_EVICTED || r->list != LIST_NONE)
        return;
    r->state = RESOURCE_QUEUED;
    resource_enter(cache, handle, r, LIST_QUEUED);
}

/* Index: linear probing, at most half full. */

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

/* Eight bytes at a time. The order of the bytes in a word does not matter. */
static uint64_t hash_of(const char *name, size_t length)
{
    uint64_t hash = length, word = 0;
    for (; length >= 8; length -= 8, name += 8) {
        memcpy(&word, name, 8);
        hash = mix(hash, word);
    }
    for (word = 0; length > 0; length--, name++)
        word = word << 8 | (unsigned char)*name;
    return mix(hash, word);
}

static size_t index_mask(const struct resource_cache *cache)
{
    return hm_array_count(&cache->index) - 1;
}

static struct entry *entry_at(const struct resource_cache *cache, size_t place)
{
    return (struct entry *)hm_array_data(&cache->index) + place;
}

/* Returns the place of a name, or the empty one where it would go. */
static size_t place_of(const struct resource_cache *cache, uint64_t hash, const char *name)
{
    size_t mask = index_mask(cache), place = (size_t)hash & mask;
    for (;; place = (place + 1) & mask) {
        const struct entry *entry = entry_at(cache, place);
        if (hm_handle_is_null(entry->resource) ||
            (entry->hash == hash && strcmp(entry->name, name) == 0))
            return place;
    }
}

/* Empties a place, and moves later entries back that could not be found across it. */
static void unindex(struct resource_cache *cache, const struct resource *r)
{
    size_t mask = index_mask(cache), hole = place_of(cache, r->hash, r->text->name);
    for (size_t place = (hole + 1) & mask;; place = (place + 1) & mask) {
        const struct entry *entry = entry_at(cache, place);
        if (hm_handle_is_null(entry->resource))
            break;
        if (((place - entry->hash) & mask) >= ((place - hole) & mask)) {
            *entry_at(cache, hole) = *entry;
            hole = place;
        }
    }
    entry_at(cache, hole)->resource = HM_NULL_HANDLE;
}

/* Returns the length of a name, or 0 if it is none. */
static size_t length_of(const struct resource_cache *cache, const char *name)
{
    const char *end = name != NULL ? memchr(name, '\0', cache->name_size) : NULL;
    return end != NULL ? (size_t)(end - name) : 0;
}

resource_handle resource_cache_find(const struct resource_cache *cache, const char *name)
{
    size_t length = length_of(cache, name);
    resource_handle found = {HM_NULL_HANDLE};
    if (length != 0)
        found.id = entry_at(cache, place_of(cache, hash_of(name, length), name))->resource;
    return found;
}

/* Dependencies */

struct resource_edge *resource_edge_at(const struct resource_cache *cache, hm_handle handle)
{
    return hm_pool_get(&cache->edges, handle);
}

/* Keeps the data of all that a resource depends on, or keeps it no longer. What was dropped is
 * skipped, both times: nothing can be dropped meanwhile. */
void resource_hold(struct resource_cache *cache, struct resource *r, bool holds)
{
    if (r->holds == holds)
        return;
    r->holds = holds;
    for (struct resource_edge *e = resource_edge_at(cache, r->first_edge); e != NULL;
         e = resource_edge_at(cache, e->next)) {
        struct resource *dependency = resource_at(cache, e->on);
        if (dependency == NULL)
            continue;
        dependency->needed += holds ? 1 : UINT32_MAX;
        resource_update(cache, e->on, dependency);
    }
}

void resource_forget_dropped(struct resource_cache *cache, struct resource *r)
{
    struct resource_edge *e;
    for (hm_handle *link = &r->first_edge; (e = resource_edge_at(cache, *link)) != NULL;) {
        hm_handle edge = *link;
        if (resource_at(cache, e->on) != NULL) {
            link = &e->next;
            continue;
        }
        *link = e->next;
        hm_pool_erase(&cache->edges, edge);
    }
}

/* Whether a path of dependencies leads from one resource to another. The stack of the search is
 * linked through the records: it needs no memory that could be refused. */
static bool reaches(struct resource_cache *cache, hm_handle from, hm_handle to)
{
    hm_handle top = from;
    resource_at(cache, from)->above = HM_NULL_HANDLE;
    resource_at(cache, from)->search = ++cache->searches;
    while (!hm_handle_is_null(top) && !hm_handle_equal(top, to)) {
        const struct resource *r = resource_at(cache, top);
        top = r->above;
        for (const struct resource_edge *e = resource_edge_at(cache, r->first_edge); e != NULL;
             e = resource_edge_at(cache, e->next)) {
            struct resource *next = resource_at(cache, e->on);
            if (next == NULL || next->search == cache->searches)
                continue;
            next->search = cache->searches;
            next->above = top;
            top = e->on;
        }
    }
    return !hm_handle_is_null(top);
}

static bool has_edge(const struct resource_cache *cache, const struct resource *r, hm_handle on)
{
    const struct resource_edge *e = resource_edge_at(cache, r->first_edge);
    while (e != NULL && !hm_handle_equal(e->on, on))
        e = resource_edge_at(cache, e->next);
    return e != NULL;
}

hm_status resource_cache_depend(struct resource_cache *cache, resource_handle handle,
                                resource_handle on)
{
    struct resource *r = resource_at(cache, handle.id);
    struct resource *dependency = resource_at(cache, on.id);
    if (r == NULL || dependency == NULL)
        return HM_ERROR_STALE;
    if (has_edge(cache, r, on.id))
        return HM_OK;
    if (reaches(cache, on.id, handle.id))
        return HM_ERROR_INVALID;
    hm_status status = hm_pool_reserve(&cache->edges, 1);
    if (status != HM_OK)
        return status;
    const struct resource_edge made = {on.id, r->first_edge};
    r->first_edge = hm_pool_insert(&cache->edges, &made);
    dependency->dependents++;
    if (r->holds) {
        dependency->needed++;
        resource_update(cache, on.id, dependency);
        resource_demand(cache, on.id, dependency);
    }
    return HM_OK;
}

enum resource_verdict resource_judge(struct resource_cache *cache, const struct resource *r,
                                     const char **culprit)
{
    enum resource_verdict verdict = DEPENDENCIES_READY;
    for (const struct resource_edge *e = resource_edge_at(cache, r->first_edge); e != NULL;
         e = resource_edge_at(cache, e->next)) {
        struct resource *dependency = resource_at(cache, e->on);
        *culprit = dependency != NULL ? dependency->text->name : "what was dropped";
        if (dependency == NULL || dependency->state == RESOURCE_FAILED)
            return DEPENDENCIES_FAILED;
        resource_demand(cache, e->on, dependency);
        if (dependency->data == NULL)
            verdict = DEPENDENCIES_PENDING;
    }
    return verdict;
}

/* Lifetime of a resource */

void resource_unload(struct resource_cache *cache, const struct resource_loader *loader,
                     void *payload, size_t size)
{
    loader->unload(payload, loader->context);
    hm_pool_erase(&cache->payloads, hm_pool_handle_of(&cache->payloads, payload));
    resource_use_budget(cache, 0 - size);
}

/* A resource that nobody refers to, and that has no data, is dropped, but not at once: records move
 * when one is erased. */
void resource_forget_unused(struct resource_cache *cache, hm_handle handle, struct resource *r)
{
    if (r->references == 0 && r->dependents == 0 && r->pins == 0 && r->data == NULL)
        resource_enter(cache, handle, r, LIST_DOOMED);
}

static void drop_edges(struct resource_cache *cache, struct resource *r)
{
    hm_handle next = r->first_edge;
    while (!hm_handle_is_null(next)) {
        hm_handle edge = next;
        const struct resource_edge *e = resource_edge_at(cache, edge);
        struct resource *dependency = resource_at(cache, e->on);
        if (dependency != NULL) {
            dependency->dependents--;
            resource_forget_unused(cache, e->on, dependency);
        }
        next = e->next;
        hm_pool_erase(&cache->edges, edge);
    }
}

/* A job that is in flight keeps the name, and frees it when it ends. */
static void drop(struct resource_cache *cache, hm_handle handle, struct resource *r)
{
    resource_leave(cache, r);
    if (r->is_idle)
        cache->idle_size -= r->size;
    if (r->data != NULL) {
        resource_unload(cache, r->loader, r->data, r->size);
        cache->ready--;
    }
    if (r->fresh != NULL)
        resource_unload(cache, r->loader, r->fresh, r->fresh_size);
    resource_hold(cache, r, false);
    drop_edges(cache, r);
    unindex(cache, r);
    if (r->job != NULL)
        resource_job_cancel(cache, r->job);
    else
        hm_pool_erase(&cache->texts, hm_pool_handle_of(&cache->texts, r->text));
    resource_map_erase(&cache->resources, (resource_handle){handle});
}

/* A drop may doom others. They are dropped here, one by one, since a chain of them may be long. */
void resource_bury(struct resource_cache *cache)
{
    const struct resource_list *doomed = &cache->lists[LIST_DOOMED];
    while (doomed->count != 0)
        drop(cache, doomed->first, resource_at(cache, doomed->first));
}

static void evict(struct resource_cache *cache, hm_handle handle, struct resource *r)
{
    resource_unload(cache, r->loader, r->data, r->size);
    r->data = NULL;
    r->state = RESOURCE_EVICTED;
    resource_update(cache, handle, r);
    r->size = 0;
    resource_hold(cache, r, false);
    resource_forget_unused(cache, handle, r);
    cache->ready--;
    cache->evictions++;
}

bool resource_make_room(struct resource_cache *cache, size_t size)
{
    const struct resource_list *recent = &cache->lists[LIST_RECENT];
    size_t kept = resource_used(cache) - cache->idle_size;
    if (size > cache->budget || kept > cache->budget - size)
        return false;
    while (resource_used(cache) > cache->budget - size && recent->count != 0)
        evict(cache, recent->first, resource_at(cache, recent->first));
    return resource_used(cache) <= cache->budget - size;
}

/* What the owner calls */

static hm_status init_pool(hm_pool *pool, size_t size, uint32_t capacity, const hm_memory *memory)
{
    const size_t align = alignof(max_align_t);
    if (size > SIZE_MAX - align)
        return HM_ERROR_INVALID;
    const hm_pool_desc desc = {.item_size = (size + align - 1) / align * align,
                               .capacity = capacity,
                               .memory = memory,
                               .name = "resource_cache"};
    return hm_pool_init(pool, &desc);
}

static hm_status init_index(struct resource_cache *cache, uint32_t capacity,
                            const hm_memory *memory)
{
    size_t places = 4;
    while (places < 2 * (size_t)capacity)
        places *= 2;
    const hm_array_desc desc = {
        .item_size = sizeof(struct entry), .capacity = places, .memory = memory};
    hm_status status = hm_array_init(&cache->index, &desc);
    return status == HM_OK ? hm_array_resize(&cache->index, places) : status;
}

static hm_status init_all(struct resource_cache *cache, uint32_t capacity,
                          const struct resource_cache_desc *desc)
{
    const hm_memory *memory = desc->memory;
    const hm_map_desc resources = {
        .capacity = capacity, .memory = memory, .name = "resource_cache"};
    uint32_t in_flight = cache->queue_size;
    hm_status status = resource_map_init_desc(&cache->resources, &resources);
    if (status == HM_OK)
        status = init_index(cache, capacity, memory);
    if (status == HM_OK)
        status = init_pool(&cache->texts, sizeof(struct resource_text) + cache->name_size,
                           capacity + in_flight, memory);
    if (status == HM_OK)
        status = init_pool(&cache->payloads, cache->payload_size, 2 * capacity + in_flight, memory);
    if (status == HM_OK)
        status =
            hm_pool_init(&cache->jobs, &(hm_pool_desc){.item_size = sizeof(struct resource_job),
                                                       .capacity = in_flight,
                                                       .memory = memory,
                                                       .name = "resource_cache"});
    if (status == HM_OK)
        status =
            init_pool(&cache->edges, sizeof(struct resource_edge), EDGES_EACH * capacity, memory);
    if (status == HM_OK)
        status =
            resource_queue_init(&cache->queue, in_flight, desc->workers, resource_job_run, memory);
    return status;
}

hm_status resource_cache_init(struct resource_cache *cache, const struct resource_cache_desc *desc)
{
    if (cache == NULL)
        return HM_ERROR_INVALID;
    memset(cache, 0, sizeof *cache);
    if (desc == NULL || desc->payload_size == 0)
        return HM_ERROR_INVALID;
    uint32_t capacity = desc->capacity != 0 ? desc->capacity : DEFAULT_CAPACITY;
    cache->budget = desc->budget != 0 ? desc->budget : SIZE_MAX;
    cache->name_size = desc->name_size != 0 ? desc->name_size : DEFAULT_NAME;
    cache->payload_size = desc->payload_size;
    cache->queue_size = desc->queue_size != 0 ? desc->queue_size : DEFAULT_QUEUE;
    hm_status status = HM_ERROR_INVALID;
    if (capacity <= UINT32_MAX / 8 && cache->queue_size <= UINT32_MAX / 8 &&
        cache->name_size <= SIZE_MAX / 2)
        status = init_all(cache, capacity, desc);
    cache->is_open = status == HM_OK;
    if (status != HM_OK)
        resource_cache_fini(cache);
    return status;
}

void resource_cache_fini(struct resource_cache *cache)
{
    HM_CONTRACT(!cache->is_pumping, "resource_cache_fini: called by a loader");
    resource_jobs_end(cache);
    for (uint32_t i = 0; i < resource_map_count(&cache->resources); i++) {
        const struct resource *r = &resource_map_items(&cache->resources)[i];
        if (r->data != NULL)
            r->loader->unload(r->data, r->loader->context);
        if (r->fresh != NULL)
            r->loader->unload(r->fresh, r->loader->context);
    }
    hm_pool_fini(&cache->edges);
    hm_pool_fini(&cache->jobs);
    hm_pool_fini(&cache->payloads);
    hm_pool_fini(&cache->texts);
    hm_array_fini(&cache->index);
    resource_map_fini(&cache->resources);
    memset(cache, 0, sizeof *cache);
}

/* Adds a record, with one reference, at an empty place of the index. */
static hm_status add(struct resource_cache *cache, const struct resource_loader *loader,
                     const char *name, size_t length, struct entry *entry)
{
    void *text;
    struct resource *r;
    hm_status status = resource_map_reserve(&cache->resources, 1);
    if (status == HM_OK)
        status = hm_pool_reserve(&cache->texts, 1);
    if (status != HM_OK)
        return status;
    hm_pool_emplace(&cache->texts, &text);
    hm_handle handle = resource_map_emplace(&cache->resources, &r).id;
    *r = (struct resource){.loader = loader,
                           .text = text,
                           .hash = entry->hash,
                           .references = 1,
                           .state = RESOURCE_EVICTED};
    r->text->error[0] = '\0';
    memcpy(r->text->name, name, length + 1);
    entry->resource = handle;
    entry->name = r->text->name;
    resource_demand(cache, handle, r);
    return HM_OK;
}

hm_status resource_cache_request(struct resource_cache *cache, const struct resource_loader *loader,
                                 const char *name, resource_handle *handle)
{
    handle->id = HM_NULL_HANDLE;
    size_t length = length_of(cache, name);
    if (length == 0 || loader == NULL || loader->load == NULL || loader->unload == NULL)
        return HM_ERROR_INVALID;
    uint64_t hash = hash_of(name, length);
    struct entry *entry = entry_at(cache, place_of(cache, hash, name));
    struct resource *r = resource_at(cache, entry->resource);
    if (r == NULL) {
        entry->hash = hash;
        hm_status status = add(cache, loader, name, length, entry);
        handle->id = entry->resource;
        return status;
    }
    if (r->loader != loader)
        return HM_ERROR_INVALID;
    r->references++;
    use(cache, entry->resource, r);
    resource_demand(cache, entry->resource, r);
    handle->id = entry->resource;
    return HM_OK;
}

bool resource_cache_acquire(struct resource_cache *cache, resource_handle handle)
{
    struct resource *r = resource_at(cache, handle.id);
    if (r != NULL)
        r->references++;
    return r != NULL;
}

bool resource_cache_release(struct resource_cache *cache, resource_handle handle)
{
    struct resource *r = resource_at(cache, handle.id);
    if (r == NULL || r->references == 0)
        return false;
    r->references--;
    resource_forget_unused(cache, handle.id, r);
    resource_bury(cache);
    return true;
}

bool resource_cache_pin(struct resource_cache *cache, resource_handle handle)
{
    struct resource *r = resource_at(cache, handle.id);
    if (r == NULL)
        return false;
    r->pins++;
    resource_update(cache, handle.id, r);
    resource_demand(cache, handle.id, r);
    return true;
}

bool resource_cache_unpin(struct resource_cache *cache, resource_handle handle)
{
    struct resource *r = resource_at(cache, handle.id);
    if (r == NULL || r->pins == 0)
        return false;
    r->pins--;
    cache->has_settled = cache->has_settled || r->fresh != NULL;
    resource_update(cache, handle.id, r);
    resource_forget_unused(cache, handle.id, r);
    resource_bury(cache);
    return true;
}

const void *resource_cache_get(struct resource_cache *cache, resource_handle handle)
{
    struct resource *r = resource_at(cache, handle.id);
    if (r == NULL)
        return NULL;
    if (r->data != NULL)
        use(cache, handle.id, r);
    else
        resource_demand(cache, handle.id, r);
    return r->data;
}

hm_status resource_cache_reload(struct resource_cache *cache, resource_handle handle)
{
    struct resource *r = resource_at(cache, handle.id);
    if (r == NULL)
        return HM_ERROR_STALE;
    resource_reload(cache, handle.id, r);
    return HM_OK;
}

hm_status resource_cache_drop(struct resource_cache *cache, resource_handle handle)
{
    struct resource *r = resource_at(cache, handle.id);
    if (r == NULL)
        return HM_ERROR_STALE;
    if (r->pins != 0 || r->needed != 0)
        return HM_ERROR_BUSY;
    drop(cache, handle.id, r);
    resource_bury(cache);
    return HM_OK;
}

bool resource_cache_get_info(const struct resource_cache *cache, resource_handle handle,
                             struct resource_info *info)
{
    const struct resource *r = resource_at(cache, handle.id);
    if (r == NULL)
        return false;
    *info = (struct resource_info){.name = r->text->name,
                                   .state = r->state,
                                   .status = r->status,
                                   .version = r->version,
                                   .references = r->references,
                                   .pins = r->pins,
                                   .size = r->size};
    return true;
}

const char *resource_cache_error(const struct resource_cache *cache, resource_handle handle)
{
    const struct resource *r = resource_at(cache, handle.id);
    if (r == NULL)
        return hm_handle_state_name(resource_map_explain(&cache->resources, handle));
    return r->text->error;
}

const char *resource_state_name(enum resource_state state)
{
    static const char *const names[] = {"queued", "loading", "loaded",
                                        "ready",  "failed",  "evicted"};
    return (size_t)state < sizeof names / sizeof *names ? names[state] : "unknown";
}

struct resource_stats resource_cache_get_stats(struct resource_cache *cache)
{
    struct resource_stats stats = {.resources = resource_map_count(&cache->resources),
                                   .ready = cache->ready,
                                   .queued = cache->lists[LIST_QUEUED].count,
                                   .in_flight = hm_pool_count(&cache->jobs),
                                   .used = resource_used(cache),
                                   .peak = resource_peak(cache),
                                   .budget = cache->budget,
                                   .loads = cache->loads,
                                   .failures = cache->failures,
                                   .evictions = cache->evictions};
    return stats;
}
