/* SPDX-License-Identifier: MIT */
/* The queue of the resource cache. See resource_queue.h. */
#include "resource_queue.h"

#include <string.h>

/* Rings */

static hm_status init_ring(struct resource_ring *ring, uint32_t capacity, const hm_memory *memory)
{
    const hm_array_desc desc = {
        .item_size = sizeof(void *), .capacity = capacity, .memory = memory};
    hm_status status = hm_array_init(&ring->places, &desc);
    return status == HM_OK ? hm_array_resize(&ring->places, capacity) : status;
}

static void push(struct resource_ring *ring, void *job)
{
    size_t capacity = hm_array_count(&ring->places);
    void **place = hm_array_at(&ring->places, (ring->first + ring->count) % capacity);
    HM_CONTRACT(ring->count < capacity, "resource_queue: more jobs than places");
    *place = job;
    ring->count++;
}

static void *pop(struct resource_ring *ring)
{
    if (ring->count == 0)
        return NULL;
    void **place = hm_array_at(&ring->places, ring->first);
    ring->first = (ring->first + 1) % hm_array_count(&ring->places);
    ring->count--;
    return *place;
}

/* Threads */

#if RESOURCE_THREADS

static void *work(void *argument)
{
    struct resource_queue *queue = argument;
    pthread_mutex_lock(&queue->mutex);
    while (!queue->is_stopping) {
        void *job = pop(&queue->waiting);
        if (job == NULL) {
            pthread_cond_wait(&queue->has_waiting, &queue->mutex);
            continue;
        }
        queue->running++;
        pthread_mutex_unlock(&queue->mutex);
        queue->run(job);
        pthread_mutex_lock(&queue->mutex);
        queue->running--;
        push(&queue->done, job);
        pthread_cond_signal(&queue->has_done);
    }
    pthread_mutex_unlock(&queue->mutex);
    return NULL;
}

static hm_status start(struct resource_queue *queue, uint32_t workers, const hm_memory *memory)
{
    const hm_array_desc desc = {
        .item_size = sizeof(pthread_t), .capacity = workers, .memory = memory};
    hm_status status = workers != 0 ? hm_array_init(&queue->threads, &desc) : HM_OK;
    if (status == HM_OK)
        status = workers != 0 ? hm_array_reserve(&queue->threads, workers) : HM_OK;
    if (status != HM_OK)
        return status;
    for (uint32_t i = 0; i < workers; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, work, queue) != 0)
            return HM_ERROR_MEMORY;
        *(pthread_t *)hm_array_push(&queue->threads) = thread;
    }
    return HM_OK;
}

static void open_lock(struct resource_queue *queue)
{
    pthread_mutex_init(&queue->mutex, NULL);
    pthread_cond_init(&queue->has_waiting, NULL);
    pthread_cond_init(&queue->has_done, NULL);
}

static void stop(struct resource_queue *queue)
{
    const pthread_t *threads = hm_array_data(&queue->threads);
    resource_queue_lock(queue);
    queue->is_stopping = true;
    pthread_cond_broadcast(&queue->has_waiting);
    resource_queue_unlock(queue);
    for (size_t i = 0; i < hm_array_count(&queue->threads); i++)
        pthread_join(threads[i], NULL);
    pthread_cond_destroy(&queue->has_done);
    pthread_cond_destroy(&queue->has_waiting);
    pthread_mutex_destroy(&queue->mutex);
}

static void wake_worker(struct resource_queue *queue)
{
    pthread_cond_signal(&queue->has_waiting);
}

static void wait_for_done(struct resource_queue *queue)
{
    pthread_cond_wait(&queue->has_done, &queue->mutex);
}

void resource_queue_lock(struct resource_queue *queue)
{
    pthread_mutex_lock(&queue->mutex);
}

void resource_queue_unlock(struct resource_queue *queue)
{
    pthread_mutex_unlock(&queue->mutex);
}

#else

static hm_status start(struct resource_queue *queue, uint32_t workers, const hm_memory *memory)
{
    (void)queue;
    (void)workers;
    (void)memory;
    return HM_OK;
}

static void open_lock(struct resource_queue *queue)
{
    (void)queue;
}

static void stop(struct resource_queue *queue)
{
    (void)queue;
}

static void wake_worker(struct resource_queue *queue)
{
    (void)queue;
}

static void wait_for_done(struct resource_queue *queue)
{
    (void)queue;
}

void resource_queue_lock(struct resource_queue *queue)
{
    (void)queue;
}

void resource_queue_unlock(struct resource_queue *queue)
{
    (void)queue;
}

#endif

/* What the owner calls */

static bool has_workers(const struct resource_queue *queue)
{
    return hm_array_count(&queue->threads) != 0;
}

hm_status resource_queue_init(struct resource_queue *queue, uint32_t capacity, uint32_t workers,
                              void (*run)(void *job), const hm_memory *memory)
{
    memset(queue, 0, sizeof *queue);
    queue->run = run;
    queue->is_open = true;
    open_lock(queue);
    hm_status status = init_ring(&queue->waiting, capacity, memory);
    if (status == HM_OK)
        status = init_ring(&queue->done, capacity, memory);
    if (status == HM_OK)
        status = start(queue, workers, memory);
    if (status != HM_OK)
        resource_queue_fini(queue);
    return status;
}

void resource_queue_fini(struct resource_queue *queue)
{
    if (queue->is_open)
        stop(queue);
    hm_array_fini(&queue->waiting.places);
    hm_array_fini(&queue->done.places);
    hm_array_fini(&queue->threads);
    memset(queue, 0, sizeof *queue);
}

void resource_queue_push(struct resource_queue *queue, void *job)
{
    resource_queue_lock(queue);
    push(&queue->waiting, job);
    wake_worker(queue);
    resource_queue_unlock(queue);
}

void *resource_queue_pop(struct resource_queue *queue)
{
    resource_queue_lock(queue);
    void *job = pop(&queue->done);
    resource_queue_unlock(queue);
    return job;
}

bool resource_queue_run_one(struct resource_queue *queue)
{
    resource_queue_lock(queue);
    void *job = pop(&queue->waiting);
    resource_queue_unlock(queue);
    if (job == NULL)
        return false;
    queue->run(job);
    resource_queue_lock(queue);
    push(&queue->done, job);
    resource_queue_unlock(queue);
    return true;
}

bool resource_queue_is_idle(struct resource_queue *queue)
{
    resource_queue_lock(queue);
    bool is_idle = queue->waiting.count == 0 && queue->running == 0 && queue->done.count == 0;
    resource_queue_unlock(queue);
    return is_idle;
}

bool resource_queue_wait(struct resource_queue *queue)
{
    resource_queue_lock(queue);
    while (has_workers(queue) && queue->done.count == 0 &&
           queue->waiting.count + queue->running != 0)
        wait_for_done(queue);
    bool has_any = queue->done.count != 0 || queue->waiting.count != 0;
    resource_queue_unlock(queue);
    return has_any;
}
