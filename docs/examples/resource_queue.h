/* SPDX-License-Identifier: MIT */
/* resource_queue: a bounded queue of jobs for worker threads, and the way back. Of the resource
 * cache, but knows nothing of resources: a job is a pointer.
 *
 *     owner -- push --> waiting --> workers: run(job) --> done -- pop --> owner
 *
 * Both rings have `capacity` places. As long as the owner has at most so many jobs in total, no
 * push has to wait, neither its own nor a worker's.
 *
 * Threads: all functions are for the owner's thread, except resource_queue_lock and _unlock. These
 * may also guard what `run` shares with the owner. Without threads (RESOURCE_THREADS 0: Windows and
 * WebAssembly) there are 0 workers, and resource_queue_run_one does the work. */
#ifndef RESOURCE_QUEUE_H
#define RESOURCE_QUEUE_H

#include <handle_map/array.h>

#if (defined(__unix__) || defined(__APPLE__)) && !defined(__wasm__)
#define RESOURCE_THREADS 1
#include <pthread.h>
#else
#define RESOURCE_THREADS 0
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A ring of pointers. */
struct resource_ring {
    hm_array places; /* void * */
    size_t first, count;
};

struct resource_queue {
    struct resource_ring waiting, done;
    void (*run)(void *job); /* on a worker, or in resource_queue_run_one */
    hm_array threads;       /* pthread_t */
    uint32_t running;       /* jobs that a worker has taken and not finished */
    bool is_stopping;
    bool is_open;
#if RESOURCE_THREADS
    pthread_mutex_t mutex; /* guards all above but `run`, `threads` and `is_open` */
    pthread_cond_t has_waiting, has_done;
#endif
};

/* Starts the workers. HM_ERROR_MEMORY: memory or a thread was refused; then the queue is zeroed.
 * The queue must not be moved. */
hm_status resource_queue_init(struct resource_queue *queue, uint32_t capacity, uint32_t workers,
                              void (*run)(void *job), const hm_memory *memory);

/* Waits for the jobs that run, starts no other, and forgets all. May be called twice. */
void resource_queue_fini(struct resource_queue *queue);

/* Hands a job over to the workers. */
void resource_queue_push(struct resource_queue *queue, void *job);

/* Returns a job that was run, in the order in which they ended, or NULL. */
void *resource_queue_pop(struct resource_queue *queue);

/* Runs the oldest job on this thread; false if there is none. */
bool resource_queue_run_one(struct resource_queue *queue);

/* Whether it has no job: none to do, none that runs, none that is done. */
bool resource_queue_is_idle(struct resource_queue *queue);

/* Waits until a job is done; false at once if there is none to wait for. Without workers it does
 * not wait: true if there is any job. */
bool resource_queue_wait(struct resource_queue *queue);

void resource_queue_lock(struct resource_queue *queue);
void resource_queue_unlock(struct resource_queue *queue);

#ifdef __cplusplus
}
#endif

#endif
