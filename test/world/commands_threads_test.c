/* SPDX-License-Identifier: MIT */
/* Threads that record at once, each into its own buffer: every handle is what was promised. */
#if defined(__unix__) && !defined(__wasm__)
#define _DEFAULT_SOURCE /* mprotect, sigaction */

#include "support/test.h"

#include <handle_map/commands.h>
#include <handle_map/query.h>

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNDER_THREAD_SANITIZER 1
#endif
#endif

enum {
    THREADS = 4,
    COMMANDS = 1000000,
    LOCKED_ROUNDS = 20000,
    ROUND_SIZE = 128, /* bytes of the commands of a round, at most */
    OLD = 1000,
    TYPE = 3
};

/* What is recorded for one new entity: create, and three of these. */
struct label {
    uint32_t thread, number;
};

struct link {
    hm_handle before; /* the thread's previous entity */
};

typedef struct scene {
    hm_world world;
    hm_component label, link, tag;
    hm_handle old[OLD]; /* live entities, which all threads read */
} scene;

typedef struct recorder {
    scene *scene;
    uint32_t thread;
    uint32_t rounds; /* of four commands each */
    hm_commands commands;
    hm_handle *made; /* `rounds` promised handles */
} recorder;

/* Every eighth entity is destroyed in the same breath. */
static bool is_destroyed(uint32_t round)
{
    return round % 8 == 7;
}

static void record_round(recorder *self, uint32_t round)
{
    const scene *on = self->scene;
    hm_commands *commands = &self->commands;
    hm_handle made = hm_commands_create(commands, &on->tag, round % 2);
    struct label label = {self->thread, round};
    struct link link = {round > 0 ? self->made[round - 1] : HM_NULL_HANDLE};
    CHECK(!hm_handle_is_null(made));
    self->made[round] = made;
    CHECK(hm_commands_add(commands, made, on->label, &label) == HM_OK);
    CHECK(hm_commands_add(commands, made, on->link, &link) == HM_OK);
    if (is_destroyed(round))
        CHECK(hm_commands_destroy(commands, made) == HM_OK);
    else
        CHECK(hm_commands_add(commands, on->old[round % OLD], on->label, &label) == HM_OK);
    if (round % OLD == 0) /* Const calls may run at the same time. */
        CHECK(hm_world_get(&on->world, on->old[round / OLD % OLD], on->label) != NULL);
}

/* A query of the thread's own, whose list of archetypes takes memory. */
static void look_at_old(scene *on)
{
    hm_query query;
    CHECK(hm_query_init(&query, &on->world, &(hm_query_desc){.all = &on->label, .all_count = 1}) ==
          HM_OK);
    CHECK(hm_query_count(&query) == OLD);
    hm_query_fini(&query);
}

static void *run_recorder(void *argument)
{
    recorder *self = argument;
    const hm_commands_desc desc = {.size = (64 << 10) + (size_t)self->rounds * ROUND_SIZE};
    CHECK(hm_commands_init(&self->commands, &self->scene->world, &desc) == HM_OK);
    for (uint32_t round = 0; round < self->rounds; round++)
        record_round(self, round);
    look_at_old(self->scene);
    CHECK(hm_commands_count(&self->commands) == 4 * self->rounds);
    return NULL;
}

static hm_component make(scene *self, size_t size)
{
    const hm_component_desc desc = {.size = size};
    hm_component component = hm_world_component(&self->world, &desc);
    CHECK(component != HM_INVALID_INDEX);
    return component;
}

static void begin(scene *self, uint32_t entities, const hm_memory *memory)
{
    const hm_world_desc desc = {.capacity = OLD + entities, .type_id = TYPE, .memory = memory};
    CHECK(hm_world_init(&self->world, &desc) == HM_OK);
    self->label = make(self, sizeof(struct label));
    self->link = make(self, sizeof(struct link));
    self->tag = make(self, 0);
    CHECK(hm_world_create_n(&self->world, &self->label, 1, OLD, NULL, self->old) == HM_OK);
    CHECK(hm_world_reserve(&self->world, entities) == HM_OK);
}

/* Each handle was promised to one thread only, and has what that thread gave it. */
static void check_made(const recorder *self)
{
    const scene *on = self->scene;
    for (uint32_t round = 0; round < self->rounds; round++) {
        hm_handle made = self->made[round];
        const struct label *label = hm_world_get(&on->world, made, on->label);
        const struct link *link = hm_world_get(&on->world, made, on->link);
        CHECK(hm_world_contains(&on->world, made) == !is_destroyed(round));
        if (is_destroyed(round))
            continue;
        CHECK(label != NULL && label->thread == self->thread && label->number == round);
        CHECK(link != NULL);
        CHECK(round == 0 || hm_handle_equal(link->before, self->made[round - 1]));
        CHECK(hm_world_has(&on->world, made, on->tag) == (round % 2 != 0));
    }
}

/* The handles are those that would have been issued next, each one once. */
static void check_promises(const recorder *recorders, uint32_t rounds, const hm_handle *upcoming)
{
    const uint32_t entities = THREADS * rounds;
    bool *is_taken = calloc(entities, sizeof *is_taken);
    CHECK(is_taken != NULL);
    for (uint32_t thread = 0; thread < THREADS; thread++)
        for (uint32_t round = 0; round < rounds; round++) {
            hm_handle made = recorders[thread].made[round];
            uint32_t k = hm_handle_index(made) - OLD; /* fresh slots */
            CHECK(k < entities && hm_handle_equal(upcoming[k], made) && !is_taken[k]);
            is_taken[k] = true;
        }
    free(is_taken);
}

static uint32_t rounds_to_run(void)
{
#ifdef UNDER_THREAD_SANITIZER
    uint32_t commands = COMMANDS;
#else
    uint32_t commands = test_scaled(COMMANDS);
#endif
    return (commands + 3) / 4;
}

/* All threads record at once, then all is applied. */
static void record_and_apply(uint32_t rounds, const hm_memory *memory)
{
    uint32_t entities = THREADS * rounds;
    scene *on = calloc(1, sizeof *on);
    recorder *recorders = calloc(THREADS, sizeof *recorders);
    hm_handle *upcoming = malloc(entities * sizeof *upcoming);
    pthread_t threads[THREADS];
    CHECK(on != NULL && recorders != NULL && upcoming != NULL);
    begin(on, entities, memory);
    for (uint32_t k = 0; k < entities; k++)
        upcoming[k] = hm_world_upcoming(&on->world, k);
    for (uint32_t i = 0; i < THREADS; i++) {
        recorders[i] = (recorder){.scene = on, .thread = i, .rounds = rounds};
        recorders[i].made = malloc(rounds * sizeof(hm_handle));
        CHECK(recorders[i].made != NULL);
        CHECK(pthread_create(&threads[i], NULL, run_recorder, &recorders[i]) == 0);
    }
    for (uint32_t i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(hm_handle_is_null(hm_commands_create(&recorders[0].commands, NULL, 0)));
    check_promises(recorders, rounds, upcoming);
    for (uint32_t i = THREADS; i-- > 0;) {
        CHECK(hm_commands_apply(&recorders[i].commands) == HM_OK);
        CHECK(hm_commands_skipped(&recorders[i].commands) == 0);
    }
    CHECK(hm_world_validate(&on->world) == HM_OK);
    for (uint32_t i = 0; i < THREADS; i++) {
        check_made(&recorders[i]);
        hm_commands_fini(&recorders[i].commands);
        free(recorders[i].made);
    }
    CHECK(hm_world_count(&on->world) == OLD + entities - THREADS * (rounds / 8));
    hm_world_fini(&on->world);
    free(upcoming);
    free(recorders);
    free(on);
}

TEST(commands_threads, every_handle_is_what_was_promised)
{
    record_and_apply(rounds_to_run(), NULL);
}

/* What another thread does while one reads which handle is next, without another thread: that read
 * fails, and the handler of the signal records. */
static hm_commands own, rival;
static hm_handle taken;

static void take_the_next(int signal)
{
    size_t page_size = hm_memory_os()->page_size;
    (void)signal;
    CHECK(mprotect(own.world->ids.slots, page_size, PROT_READ | PROT_WRITE) == 0);
    taken = hm_commands_create(&rival, NULL, 0);
}

TEST(commands_threads, a_handle_that_is_taken_while_it_is_read_is_not_given_twice)
{
    hm_world world;
    hm_handle free_slots[2];
    struct sigaction action = {.sa_handler = take_the_next}, before[2];
    CHECK(hm_world_init(&world, &(hm_world_desc){.capacity = 10, .type_id = TYPE}) == HM_OK);
    CHECK(hm_world_create_n(&world, NULL, 0, 2, NULL, free_slots) == HM_OK);
    CHECK(hm_world_destroy_n(&world, free_slots, 2) == 2 && hm_world_reserve(&world, 2) == HM_OK);
    CHECK(hm_commands_init(&own, &world, NULL) == HM_OK);
    CHECK(hm_commands_init(&rival, &world, NULL) == HM_OK);
    hm_handle first = hm_world_upcoming(&world, 0), second = hm_world_upcoming(&world, 1);
    CHECK(sigaction(SIGSEGV, &action, &before[0]) == 0);
    CHECK(sigaction(SIGBUS, &action, &before[1]) == 0); /* on some systems */
    CHECK(mprotect(world.ids.slots, hm_memory_os()->page_size, PROT_NONE) == 0);
    hm_handle given = hm_commands_create(&own, NULL, 0);
    CHECK(sigaction(SIGSEGV, &before[0], NULL) == 0 && sigaction(SIGBUS, &before[1], NULL) == 0);
    CHECK(hm_handle_equal(taken, first) && hm_handle_equal(given, second));
    CHECK(hm_commands_apply(&own) == HM_OK && hm_commands_apply(&rival) == HM_OK);
    CHECK(hm_world_contains(&world, first) && hm_world_contains(&world, second));
    hm_commands_fini(&own);
    hm_commands_fini(&rival);
    CHECK(hm_world_validate(&world) == HM_OK);
    hm_world_fini(&world);
}

/* An arena is for one thread at a time; a copy of its table with a lock is for all. */
static const hm_memory *locked;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *reserve_locked(void *context, size_t size)
{
    CHECK(pthread_mutex_lock(&lock) == 0);
    void *address = locked->reserve(context, size);
    CHECK(pthread_mutex_unlock(&lock) == 0);
    return address;
}

static bool commit_locked(void *context, void *address, size_t size)
{
    CHECK(pthread_mutex_lock(&lock) == 0);
    bool is_done = locked->commit(context, address, size);
    CHECK(pthread_mutex_unlock(&lock) == 0);
    return is_done;
}

static bool decommit_locked(void *context, void *address, size_t size)
{
    CHECK(pthread_mutex_lock(&lock) == 0);
    bool is_done = locked->decommit(context, address, size);
    CHECK(pthread_mutex_unlock(&lock) == 0);
    return is_done;
}

static void release_locked(void *context, void *address, size_t size)
{
    CHECK(pthread_mutex_lock(&lock) == 0);
    locked->release(context, address, size);
    CHECK(pthread_mutex_unlock(&lock) == 0);
}

TEST(commands_threads, an_arena_behind_a_lock_serves_all_threads)
{
    hm_memory_arena arena;
    CHECK(hm_memory_arena_init(&arena, &(hm_memory_arena_desc){.size = (size_t)128 << 20}) ==
          HM_OK);
    hm_memory table = arena.table;
    locked = &arena.table;
    table.reserve = reserve_locked;
    table.commit = commit_locked;
    table.decommit = decommit_locked;
    table.release = release_locked;
    record_and_apply(test_scaled(LOCKED_ROUNDS), &table);
    CHECK(hm_memory_arena_get_stats(&arena).ranges == 0);
    hm_memory_arena_fini(&arena);
}

#else

typedef int commands_threads_need_threads; /* A file needs a declaration. */

#endif
