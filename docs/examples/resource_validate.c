/* SPDX-License-Identifier: MIT */
/* The resource cache: whether all its parts agree. See resource_cache.h. */
#include "resource_internal.h"

/* What the records add up to. */
struct sums {
    size_t used, idle;
    uint32_t ready;
    uint64_t edges, held_edges, dependents, needed;
};

static bool is_record_valid(const struct resource_cache *cache, hm_handle handle,
                            const struct resource *r)
{
    bool is_idle = r->data != NULL && r->pins == 0 && r->job == NULL && r->fresh == NULL &&
                   r->list != LIST_QUEUED;
    bool is_waiting = r->list == LIST_WAITING;
    bool is_queued = r->list == LIST_QUEUED;
    if (!hm_handle_equal(resource_cache_find(cache, r->text->name).id, handle))
        return false;
    if (r->is_idle != is_idle || (r->list == LIST_RECENT) != (is_idle && r->needed == 0) ||
        is_waiting != (r->fresh != NULL) || r->list == LIST_DOOMED)
        return false;
    if (r->data != NULL)
        return r->state == RESOURCE_READY && r->version != 0;
    return r->state != RESOURCE_READY && (r->state == RESOURCE_QUEUED) == is_queued &&
           (r->state == RESOURCE_LOADING) == (r->job != NULL) &&
           (r->state == RESOURCE_LOADED) == is_waiting &&
           (r->references != 0 || r->dependents != 0 || r->pins != 0);
}

static void add_up(const struct resource_cache *cache, const struct resource *r, struct sums *sums)
{
    sums->used += (r->data != NULL ? r->size : 0) + (r->fresh != NULL ? r->fresh_size : 0);
    sums->ready += r->data != NULL;
    sums->idle += r->is_idle ? r->size : 0;
    sums->dependents += r->dependents;
    sums->needed += r->needed;
    for (const struct resource_edge *e = resource_edge_at(cache, r->first_edge); e != NULL;
         e = resource_edge_at(cache, e->next)) {
        bool is_live = resource_at(cache, e->on) != NULL;
        sums->edges += is_live;
        sums->held_edges += is_live && r->holds;
    }
}

static bool is_list_valid(const struct resource_cache *cache, int list)
{
    hm_handle previous = HM_NULL_HANDLE, handle = cache->lists[list].first;
    uint32_t count = 0;
    while (!hm_handle_is_null(handle) && count <= cache->lists[list].count) {
        const struct resource *r = resource_at(cache, handle);
        if (r == NULL || r->list != list || !hm_handle_equal(r->previous, previous))
            return false;
        previous = handle;
        handle = r->next;
        count++;
    }
    return count == cache->lists[list].count && hm_handle_equal(cache->lists[list].last, previous);
}

/* A record says in which list it is, and each list is as long as it says. */
static bool are_lists_valid(const struct resource_cache *cache, const uint32_t *members)
{
    for (int list = LIST_NONE + 1; list < RESOURCE_LISTS; list++)
        if (!is_list_valid(cache, list) || cache->lists[list].count != members[list])
            return false;
    return true;
}

/* Whether what is reserved is `used` by records, and the rest by jobs, within the budget; and each
 * name belongs to a record, or to the job of a dropped one. */
static bool jobs_agree(struct resource_cache *cache, size_t used)
{
    uint32_t names = resource_map_count(&cache->resources);
    resource_queue_lock(&cache->queue);
    HM_POOL_EACH(const struct resource_job, job, i, &cache->jobs) {
        used += job->load.size;
        names += job->is_dropped;
    }
    bool agree =
        used == cache->used && used <= cache->budget && names == hm_pool_count(&cache->texts);
    resource_queue_unlock(&cache->queue);
    return agree;
}

hm_status resource_cache_validate(struct resource_cache *cache)
{
    struct sums sums = {0};
    uint32_t members[RESOURCE_LISTS] = {0};
    for (uint32_t i = 0; i < resource_map_count(&cache->resources); i++) {
        const struct resource *r = &resource_map_items(&cache->resources)[i];
        if (!is_record_valid(cache, resource_map_handle_of(&cache->resources, r).id, r))
            return HM_ERROR_CORRUPT;
        add_up(cache, r, &sums);
        members[r->list]++;
    }
    bool is_valid = are_lists_valid(cache, members) && sums.idle == cache->idle_size &&
                    sums.ready == cache->ready && sums.edges == sums.dependents &&
                    sums.held_edges == sums.needed && jobs_agree(cache, sums.used) &&
                    hm_map_validate(&cache->resources.map) == HM_OK &&
                    hm_pool_validate(&cache->payloads) == HM_OK &&
                    hm_pool_validate(&cache->texts) == HM_OK;
    return is_valid ? HM_OK : HM_ERROR_CORRUPT;
}
