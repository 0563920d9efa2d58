/* SPDX-License-Identifier: MIT */
/* parallel: a small pool of threads runs the parts of a loop over a query.
 *
 *     parallel --help
 *
 * Particles fall, and those that reach the ground end. The owner of the world begins the parts, all
 * threads take one after the other until there are none left, and then the owner applies what each
 * thread has recorded. The exit code is 1 if the world is damaged, or a particle was missed; 2 if
 * the command line is wrong. */
#define _POSIX_C_SOURCE 200809L

#include "command_line.h"

#include <handle_map/handle_map.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MAX_THREADS = 64, ROWS_IN_PART = 1000, MAX_PARTS = 4096 };

struct vector {
    float x, y;
};

HM_COMPONENT_DEFINE(position, struct vector)
HM_COMPONENT_DEFINE(velocity, struct vector)

struct simulation;

/* What only one thread uses. */
struct worker {
    struct simulation *of;
    pthread_t thread;
    hm_commands commands;
    uint64_t visited;
    bool was_refused;
};

struct simulation {
    hm_world world;
    hm_query falling;
    position_component position;
    velocity_component velocity;
    hm_query_loop parts[MAX_PARTS];
    struct worker workers[MAX_THREADS]; /* the first is the owner */
    uint32_t threads;                   /* that were started, and the owner */

    /* The pool: a frame begins when its number rises, and ends when `busy` is 0. */
    pthread_mutex_t lock;
    pthread_cond_t begun, ended;
    uint32_t frame, busy, n_parts, next_part;
    double seconds; /* in the loops, by the clock on the wall */
    bool is_over;
};

/* One part of the loop: an ordinary loop over views. */
static void run_part(struct worker *self, hm_query_loop *part)
{
    hm_view view;
    while (hm_query_next(part, &view)) {
        struct vector *at = view.columns[0], *by = view.columns[1];
        for (uint32_t i = 0; i < view.count; i++) {
            by[i].y -= 0.01F;
            at[i].x += by[i].x;
            at[i].y += by[i].y;
            if (at[i].y < 0 && hm_commands_destroy(&self->commands, view.entities[i]) != HM_OK)
                self->was_refused = true;
        }
        self->visited += view.count;
    }
}

/* Takes parts until there are none left. */
static void run_parts(struct worker *self)
{
    struct simulation *s = self->of;
    for (;;) {
        pthread_mutex_lock(&s->lock);
        uint32_t part = s->next_part < s->n_parts ? s->next_part++ : MAX_PARTS;
        pthread_mutex_unlock(&s->lock);
        if (part == MAX_PARTS)
            return;
        run_part(self, &s->parts[part]);
    }
}

static void *run_worker(void *argument)
{
    struct worker *self = argument;
    struct simulation *s = self->of;
    pthread_mutex_lock(&s->lock);
    for (uint32_t done = 0; !s->is_over; done = s->frame) {
        while (s->frame == done && !s->is_over)
            pthread_cond_wait(&s->begun, &s->lock);
        if (s->is_over)
            break;
        pthread_mutex_unlock(&s->lock);
        run_parts(self);
        pthread_mutex_lock(&s->lock);
        if (--s->busy == 0)
            pthread_cond_signal(&s->ended);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

static double seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* The owner begins the parts, works too, and waits for the others. */
static bool run_frame(struct simulation *s)
{
    double start = seconds();
    uint32_t parts = hm_query_count(&s->falling) / ROWS_IN_PART + 1;
    if (parts > MAX_PARTS)
        parts = MAX_PARTS;
    hm_query_begin_parts(&s->falling, s->parts, parts);
    pthread_mutex_lock(&s->lock);
    s->n_parts = parts;
    s->next_part = 0;
    s->busy = s->threads - 1;
    s->frame++;
    pthread_cond_broadcast(&s->begun);
    pthread_mutex_unlock(&s->lock);
    run_parts(&s->workers[0]);
    pthread_mutex_lock(&s->lock);
    while (s->busy != 0)
        pthread_cond_wait(&s->ended, &s->lock);
    pthread_mutex_unlock(&s->lock);
    s->seconds += seconds() - start;
    for (uint32_t i = 0; i < s->threads; i++) /* in an order that does not depend on the threads */
        if (hm_commands_apply(&s->workers[i].commands) != HM_OK || s->workers[i].was_refused)
            return false;
    return true;
}

static bool begin_world(struct simulation *s, uint32_t count)
{
    const hm_world_desc desc = {.capacity = count, .type_id = 1, .name = "rain"};
    if (hm_world_init(&s->world, &desc) != HM_OK)
        return false;
    s->position = position_component_init(&s->world);
    s->velocity = velocity_component_init(&s->world);
    const hm_component both[] = {s->position.id, s->velocity.id};
    for (uint32_t i = 0; i < count; i++) {
        hm_handle made = hm_world_create(&s->world, both, 2);
        if (hm_handle_is_null(made))
            return false;
        *position_get(&s->world, made, s->position) =
            (struct vector){(float)(i % 1000), (float)(i * 7 % 101)};
    }
    return hm_query_init(&s->falling, &s->world, &(hm_query_desc){.all = both, .all_count = 2}) ==
           HM_OK;
}

static bool begin_pool(struct simulation *s, uint32_t threads)
{
    if (pthread_mutex_init(&s->lock, NULL) != 0 || pthread_cond_init(&s->begun, NULL) != 0 ||
        pthread_cond_init(&s->ended, NULL) != 0)
        return false;
    for (uint32_t i = 0; i < threads; i++) {
        struct worker *worker = &s->workers[i];
        worker->of = s;
        if (hm_commands_init(&worker->commands, &s->world, NULL) != HM_OK ||
            (i != 0 && pthread_create(&worker->thread, NULL, run_worker, worker) != 0))
            return false;
        s->threads++;
    }
    return true;
}

static void end(struct simulation *s)
{
    pthread_mutex_lock(&s->lock);
    s->is_over = true;
    pthread_cond_broadcast(&s->begun);
    pthread_mutex_unlock(&s->lock);
    for (uint32_t i = 0; i < s->threads; i++) {
        if (i != 0)
            pthread_join(s->workers[i].thread, NULL);
        hm_commands_fini(&s->workers[i].commands);
    }
    hm_query_fini(&s->falling);
    hm_world_fini(&s->world);
}

/* Runs the frames, of which each must visit each particle once. */
static bool simulate(struct simulation *s, uint32_t frames)
{
    uint64_t expected = 0, visited = 0;
    for (uint32_t frame = 0; frame < frames; frame++) {
        expected += hm_world_count(&s->world);
        if (!run_frame(s))
            return false;
        if (progress_is_due())
            fprintf(stderr, "parallel: frame %u of %u\n", (unsigned)frame, (unsigned)frames);
    }
    for (uint32_t i = 0; i < s->threads; i++)
        visited += s->workers[i].visited;
    printf("%u threads, %u frames, %u particles left, %.2f ms a loop\n", (unsigned)s->threads,
           (unsigned)frames, (unsigned)hm_world_count(&s->world), s->seconds * 1000 / frames);
    if (visited != expected)
        fprintf(stderr, "parallel: some particles were missed, or visited twice\n");
    return visited == expected && hm_world_validate(&s->world) == HM_OK;
}

static const char usage[] = "usage: parallel [OPTION...]\n"
                            "Threads run the parts of a loop over the entities of a world.\n"
                            "  --count N    particles (1000000)\n"
                            "  --frames N   frames to run (100)\n"
                            "  --threads N  threads, 1 to 64 (2)\n"
                            "  --help       print this text\n";

int main(int argc, char **argv)
{
    uint32_t count = 1000000, frames = 100, threads = 2;
    const struct command_line_option options[] = {
        {"--count", .number = &count, .least = 1, .most = 10000000},
        {"--frames", .number = &frames, .least = 1, .most = 10000000},
        {"--threads", .number = &threads, .least = 1, .most = MAX_THREADS}};
    int code =
        command_line_read(&(struct command_line){"parallel", usage, options, 3}, argc, argv, NULL);
    if (code != COMMAND_LINE_RUN)
        return code;
    struct simulation *s = calloc(1, sizeof *s);
    bool is_good = s != NULL && begin_world(s, count) && begin_pool(s, threads);
    is_good = is_good && simulate(s, frames);
    if (!is_good)
        fprintf(stderr, "parallel: %s\n", hm_last_error());
    if (s != NULL)
        end(s);
    free(s);
    return is_good ? 0 : 1;
}
