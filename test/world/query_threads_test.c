/* SPDX-License-Identifier: MIT */
/* Parts of one loop on several threads, which write values and record commands at once. */
#include "support/query.h"

#if defined(__unix__) && !defined(__wasm__)

#include <handle_map/commands.h>

#include <pthread.h>

enum { THREADS = 4, PARTS = 37, ENTITIES = 30000, SPARSE = 2000 };

typedef struct stage {
    scene on;
    hm_query_loop parts[PARTS];
    uint32_t taken; /* parts that a thread has taken; under `lock` */
    pthread_mutex_t lock;
} stage;

typedef struct worker {
    stage *of;
    hm_commands commands;
    uint32_t visited;
} worker;

/* Returns the next part that no thread has taken, or NULL. */
static hm_query_loop *take_part(stage *of)
{
    pthread_mutex_lock(&of->lock);
    hm_query_loop *part = of->taken < PARTS ? &of->parts[of->taken++] : NULL;
    pthread_mutex_unlock(&of->lock);
    return part;
}

/* Adds 1 to each value, and asks for a tag for every third entity. */
static void *work(void *argument)
{
    worker *self = argument;
    hm_query_loop *part;
    hm_view view;
    while ((part = take_part(self->of)) != NULL)
        while (hm_query_next(part, &view))
            for (uint32_t i = 0; i < view.count; i++, self->visited++) {
                int *value = (int *)view.columns[0] + i;
                if (++*value % 3 == 0)
                    CHECK(hm_commands_add(&self->commands, view.entities[i], self->of->on.tag,
                                          NULL) == HM_OK);
            }
    return NULL;
}

static void run_parts(stage *of, hm_query_desc desc, uint32_t expected, uint32_t tagged)
{
    worker workers[THREADS];
    pthread_t threads[THREADS];
    hm_query query = ask(&of->on, desc);
    of->taken = 0;
    CHECK(pthread_mutex_init(&of->lock, NULL) == 0);
    hm_query_begin_parts(&query, of->parts, PARTS);
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i] = (worker){.of = of};
        CHECK(hm_commands_init(&workers[i].commands, &of->on.world, NULL) == HM_OK);
        CHECK(pthread_create(&threads[i], NULL, work, &workers[i]) == 0);
    }
    for (uint32_t i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    uint32_t visited = 0;
    for (uint32_t i = 0; i < THREADS; i++) {
        visited += workers[i].visited;
        CHECK(hm_commands_apply(&workers[i].commands) == HM_OK); /* All parts have ended. */
        hm_commands_fini(&workers[i].commands);
    }
    CHECK(visited == expected);
    hm_query_fini(&query);
    hm_query tags = ask(&of->on, (hm_query_desc){ALL(of->on.tag)});
    CHECK(hm_query_count(&tags) == tagged);
    CHECK(hm_query_change(&tags, NULL, 0, &of->on.tag, 1, NULL) == HM_OK);
    hm_query_fini(&tags);
    pthread_mutex_destroy(&of->lock);
}

/* Half of the entities are in another archetype, and few have the sparse component. */
TEST(query_threads, threads_run_parts_of_a_loop_write_values_and_record_commands)
{
    static stage of;
    static int numbers[ENTITIES];
    static hm_handle entities[ENTITIES];
    const void *columns[] = {numbers, NULL};
    start(&of.on);
    for (int i = 0; i < ENTITIES; i++)
        numbers[i] = i;
    CHECK(hm_world_create_n(&of.on.world, LIST(of.on.a), 1, ENTITIES / 2, columns, entities) ==
          HM_OK);
    columns[0] = numbers + ENTITIES / 2;
    CHECK(hm_world_create_n(&of.on.world, LIST(of.on.a, of.on.b), 2, ENTITIES / 2, columns,
                            entities + ENTITIES / 2) == HM_OK);
    for (uint32_t i = 0; i < SPARSE; i++)
        set_int(&of.on, entities[i * 7 % ENTITIES], of.on.x, 0);
    run_parts(&of, (hm_query_desc){ALL(of.on.a)}, ENTITIES, ENTITIES / 3);
    uint32_t tagged[2] = {0, 0}; /* without and with the sparse component */
    for (uint32_t i = 0; i < ENTITIES; i++) {
        hm_handle entity = entities[i * 7 % ENTITIES];
        tagged[i < SPARSE] +=
            (*(const int *)hm_world_get(&of.on.world, entity, of.on.a) + 1) % 3 == 0;
    }
    run_parts(&of, (hm_query_desc){ALL(of.on.a, of.on.x)}, SPARSE, tagged[1]);
    run_parts(&of, (hm_query_desc){ALL(of.on.a), NONE(of.on.x)}, ENTITIES - SPARSE, tagged[0]);
    for (uint32_t i = 0; i < ENTITIES; i++)
        CHECK(*(const int *)hm_world_get(&of.on.world, entities[i], of.on.a) == (int)i + 2);
    finish(&of.on);
}

#endif
