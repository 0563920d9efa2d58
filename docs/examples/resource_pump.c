/* SPDX-License-Identifier: MIT */
/* The resource cache: how loads begin, get room in the budget, and end. See resource_cache.h. */
#include "resource_internal.h"

#include <stdio.h>
#include <string.h>

/* Budget */

size_t resource_used(struct resource_cache *cache)
{
    resource_queue_lock(&cache->queue);
    size_t used = cache->used;
    resource_queue_unlock(&cache->queue);
    return used;
}

size_t resource_peak(struct resource_cache *cache)
{
    resource_queue_lock(&cache->queue);
    size_t peak = cache->peak;
    resource_queue_unlock(&cache->queue);
    return peak;
}

static void use_locked(struct resource_cache *cache, size_t size)
{
    cache->used += size;
    if (cache->used > cache->peak)
        cache->peak = cache->used;
}

void resource_use_budget(struct resource_cache *cache, size_t size)
{
    resource_queue_lock(&cache->queue);
    use_locked(cache, size);
    resource_queue_unlock(&cache->queue);
}

/* What a loader calls */

/* A worker takes room that is free. What is not free, only the owner can make: it evicts. While a
 * job waits for that, no other one gets room, or a large resource might wait for ever. */
bool resource_load_reserve(struct resource_load *load, size_t size)
{
    struct resource_job *job = (struct resource_job *)load;
    struct resource_cache *cache = job->cache;
    resource_queue_lock(&cache->queue);
    size_t used_by_others = cache->used - load->size;
    bool fits = size <= load->size || (!cache->is_short && size <= cache->budget - used_by_others);
    if (cache->queue.is_stopping)
        fits = false;
    if (fits) {
        use_locked(cache, size - load->size);
        load->size = size;
    }
    job->wanted = fits ? 0 : size;
    resource_queue_unlock(&cache->queue);
    return fits;
}

bool resource_load_is_wanted(const struct resource_load *load)
{
    const struct resource_job *job = (const struct resource_job *)load;
    struct resource_queue *queue = &job->cache->queue;
    resource_queue_lock(queue);
    bool is_wanted = !job->is_dropped && !queue->is_stopping;
    resource_queue_unlock(queue);
    return is_wanted;
}

/* Jobs */

void resource_job_run(void *job)
{
    struct resource_job *self = job;
    self->is_loaded = resource_load_is_wanted(&self->load) && self->loader->load(&self->load);
}

void resource_job_cancel(struct resource_cache *cache, struct resource_job *job)
{
    resource_queue_lock(&cache->queue);
    job->is_dropped = true;
    resource_queue_unlock(&cache->queue);
}

/* Frees a job, but not what it has loaded. */
static void erase_job(struct resource_cache *cache, struct resource_job *job)
{
    hm_pool_erase(&cache->jobs, hm_pool_handle_of(&cache->jobs, job));
}

/* Frees a job and what it has. */
static void abandon(struct resource_cache *cache, struct resource_job *job)
{
    if (job->is_loaded)
        job->loader->unload(job->load.payload, job->load.context);
    hm_pool_erase(&cache->payloads, hm_pool_handle_of(&cache->payloads, job->load.payload));
    resource_use_budget(cache, 0 - job->load.size);
    if (job->is_dropped)
        hm_pool_erase(&cache->texts, hm_pool_handle_of(&cache->texts, job->text));
    erase_job(cache, job);
}

void resource_jobs_end(struct resource_cache *cache)
{
    resource_queue_fini(&cache->queue);
    HM_POOL_EACH(struct resource_job, job, i, &cache->jobs) {
        if (job->is_loaded)
            job->loader->unload(job->load.payload, job->load.context);
    }
}

/* Ends of loads */

static void queue_again(struct resource_cache *cache, hm_handle handle, struct resource *r)
{
    r->is_again = false;
    if (r->data == NULL)
        r->state = RESOURCE_QUEUED;
    resource_enter(cache, handle, r, LIST_QUEUED);
    resource_update(cache, handle, r);
}

void resource_reload(struct resource_cache *cache, hm_handle handle, struct resource *r)
{
    if (r->job != NULL || r->fresh != NULL)
        r->is_again = true;
    else if (r->list != LIST_QUEUED)
        queue_again(cache, handle, r);
}

static void settle(struct resource_cache *cache, hm_handle handle, struct resource *r)
{
    cache->has_settled = true;
    resource_leave(cache, r);
    if (r->is_again)
        queue_again(cache, handle, r);
    else
        resource_update(cache, handle, r);
    resource_forget_unused(cache, handle, r);
}

static void fail(struct resource_cache *cache, hm_handle handle, hm_status status,
                 const char *message)
{
    struct resource *r = resource_at(cache, handle);
    snprintf(r->text->error, RESOURCE_ERROR_SIZE, "%s", message);
    r->status = status;
    if (r->data == NULL) {
        r->state = RESOURCE_FAILED;
        resource_hold(cache, r, false);
    }
    cache->failures++;
    settle(cache, handle, r);
}

static void succeed(struct resource_cache *cache, hm_handle handle, struct resource *r)
{
    void *old = r->data;
    size_t old_size = r->size;
    r->data = r->fresh;
    r->size = r->fresh_size;
    r->fresh = NULL;
    r->version++;
    r->state = RESOURCE_READY;
    r->status = HM_OK;
    r->text->error[0] = '\0';
    if (old != NULL)
        resource_unload(cache, r->loader, old, old_size);
    cache->ready += old == NULL;
    cache->loads++;
    settle(cache, handle, r);
}

/* Puts fresh data in place if nothing is in the way. Returns whether the load has ended. */
static bool promote(struct resource_cache *cache, hm_handle handle)
{
    char message[RESOURCE_ERROR_SIZE];
    const char *culprit = "";
    struct resource *r = resource_at(cache, handle);
    enum resource_verdict verdict = resource_judge(cache, r, &culprit);
    if (verdict == DEPENDENCIES_PENDING ||
        (verdict == DEPENDENCIES_READY && r->pins != 0 && r->data != NULL))
        return false;
    if (verdict == DEPENDENCIES_READY) {
        succeed(cache, handle, r);
        return true;
    }
    snprintf(message, sizeof message, "it depends on a failure: %s", culprit);
    resource_unload(cache, r->loader, r->fresh, r->fresh_size);
    r->fresh = NULL;
    fail(cache, handle, HM_ERROR_INVALID, message);
    return true;
}

/* Tries once more what is loaded, but not ready, until so many loads have ended. Returns how many
 * have. */
static uint32_t promote_waiting(struct resource_cache *cache, uint32_t limit)
{
    struct resource_list *waiting = &cache->lists[LIST_WAITING];
    uint32_t ended = 0;
    cache->has_settled = false;
    for (uint32_t left = waiting->count; left > 0 && waiting->count > 0; left--) {
        hm_handle handle = waiting->first;
        if (ended == limit) {
            cache->has_settled = true;
            break;
        }
        if (promote(cache, handle))
            ended++;
        else
            resource_enter(cache, handle, resource_at(cache, handle), LIST_WAITING);
        resource_bury(cache);
    }
    return ended;
}

/* A job that has failed. */
static void end_in_failure(struct resource_cache *cache, struct resource_job *job, hm_status status,
                           const char *message)
{
    hm_handle handle = job->resource;
    resource_at(cache, handle)->job = NULL;
    fail(cache, handle, status, message);
    abandon(cache, job);
}

static void starve(struct resource_cache *cache, struct resource_job *job)
{
    job->next = NULL;
    if (cache->first_starved == NULL)
        cache->first_starved = job;
    else
        cache->last_starved->next = job;
    cache->last_starved = job;
    resource_queue_lock(&cache->queue);
    cache->is_short = true;
    resource_queue_unlock(&cache->queue);
}

/* A job that was loaded. Returns whether the load has ended. */
static bool finish(struct resource_cache *cache, struct resource_job *job)
{
    const struct resource_load *load = &job->load;
    hm_handle handle = job->resource;
    const char *error = load->size == 0 ? "the loader returned nothing" : NULL;
    struct resource *r = resource_at(cache, handle);
    if (error == NULL && job->loader->finish != NULL) {
        resource_forget_dropped(cache, r);
        error = job->loader->finish(cache, (resource_handle){handle}, load->payload, load->context);
        r = resource_at(cache, handle);
    }
    if (r == NULL) {
        abandon(cache, job);
        return false;
    }
    if (error != NULL) {
        end_in_failure(cache, job, HM_ERROR_INVALID, error);
        return true;
    }
    r->fresh = load->payload;
    r->fresh_size = load->size;
    r->job = NULL;
    if (r->data == NULL)
        r->state = RESOURCE_LOADED;
    erase_job(cache, job);
    resource_hold(cache, r, true);
    resource_enter(cache, handle, r, LIST_WAITING);
    return promote(cache, handle);
}

/* A job that was run. Returns whether the load has ended. */
static bool end(struct resource_cache *cache, struct resource_job *job)
{
    if (resource_at(cache, job->resource) == NULL) {
        abandon(cache, job);
        return false;
    }
    if (job->is_loaded)
        return finish(cache, job);
    if (job->wanted != 0) {
        starve(cache, job);
        return false;
    }
    end_in_failure(cache, job, HM_ERROR_INVALID,
                   job->load.error[0] != '\0' ? job->load.error : "the loader failed");
    return true;
}

/* Room for those that wait for it */

static void fail_without_room(struct resource_cache *cache, struct resource_job *job)
{
    char message[RESOURCE_ERROR_SIZE];
    snprintf(message, sizeof message,
             "no room for %zu bytes: the budget is %zu, of which %zu cannot be evicted",
             job->wanted, cache->budget, resource_used(cache) - cache->idle_size - job->load.size);
    end_in_failure(cache, job, HM_ERROR_FULL, message);
}

/* Decides about the job that has waited longest. False: not yet. */
static bool relieve(struct resource_cache *cache, struct resource_job *job, uint32_t *ended)
{
    bool is_idle = resource_queue_is_idle(&cache->queue);
    if (resource_at(cache, job->resource) == NULL) {
        abandon(cache, job);
    } else if (resource_make_room(cache, job->wanted - job->load.size)) {
        resource_use_budget(cache, job->wanted - job->load.size);
        job->load.size = job->wanted;
        job->wanted = 0;
        job->load.error[0] = '\0';
        memset(job->load.payload, 0, cache->payload_size);
        resource_queue_push(&cache->queue, job);
    } else if (is_idle || job->wanted > cache->budget) {
        fail_without_room(cache, job);
        ++*ended;
    } else {
        return false; /* What is in flight can be evicted later. */
    }
    return true;
}

/* Returns whether any job goes on, or ends. Stops when `limit` have ended. */
static bool relieve_starved(struct resource_cache *cache, uint32_t *ended, uint32_t limit)
{
    bool is_changed = false;
    while (cache->first_starved != NULL && *ended < limit) {
        struct resource_job *job = cache->first_starved;
        struct resource_job *next = job->next;
        if (!relieve(cache, job, ended))
            break;
        cache->first_starved = next;
        is_changed = true;
        resource_bury(cache);
    }
    resource_queue_lock(&cache->queue);
    cache->is_short = cache->first_starved != NULL;
    resource_queue_unlock(&cache->queue);
    return is_changed;
}

/* The pump */

/* Makes a job of a queued resource. Without memory for that it fails; a reload can try again. */
static void start(struct resource_cache *cache, hm_handle handle, struct resource *r)
{
    void *payload, *place;
    resource_leave(cache, r);
    if (hm_pool_reserve(&cache->payloads, 1) != HM_OK ||
        hm_pool_reserve(&cache->jobs, 1) != HM_OK) {
        fail(cache, handle, HM_ERROR_MEMORY, "out of memory");
        return;
    }
    hm_pool_emplace(&cache->payloads, &payload);
    hm_pool_emplace(&cache->jobs, &place);
    memset(payload, 0, cache->payload_size);
    struct resource_job *job = place;
    *job = (struct resource_job){
        .load = {.name = r->text->name, .payload = payload, .context = r->loader->context},
        .cache = cache,
        .loader = r->loader,
        .text = r->text,
        .resource = handle};
    r->job = job;
    if (r->data == NULL)
        r->state = RESOURCE_LOADING;
    resource_queue_push(&cache->queue, job);
}

static void feed(struct resource_cache *cache)
{
    const struct resource_list *queued = &cache->lists[LIST_QUEUED];
    while (queued->count != 0 && hm_pool_count(&cache->jobs) < cache->queue_size)
        start(cache, queued->first, resource_at(cache, queued->first));
    resource_bury(cache);
}

uint32_t resource_cache_pump(struct resource_cache *cache, uint32_t max)
{
    uint32_t ended = 0, limit = max != 0 ? max : UINT32_MAX;
    if (cache->is_pumping || !cache->is_open)
        return 0;
    cache->is_pumping = true;
    feed(cache);
    while (ended < limit) {
        if (hm_array_count(&cache->queue.threads) == 0)
            resource_queue_run_one(&cache->queue);
        struct resource_job *job = resource_queue_pop(&cache->queue);
        if (job != NULL)
            ended += end(cache, job);
        else if (cache->has_settled)
            ended += promote_waiting(cache, limit - ended);
        else if (!relieve_starved(cache, &ended, limit))
            break;
        resource_bury(cache);
        feed(cache);
    }
    cache->is_pumping = false;
    return ended;
}

bool resource_cache_wait(struct resource_cache *cache)
{
    bool has_place = hm_pool_count(&cache->jobs) < cache->queue_size;
    if (!cache->is_open)
        return false;
    if (cache->has_settled && cache->lists[LIST_WAITING].count != 0)
        return true;
    if (cache->lists[LIST_QUEUED].count != 0 && has_place)
        return true;
    return resource_queue_wait(&cache->queue) || cache->first_starved != NULL;
}
