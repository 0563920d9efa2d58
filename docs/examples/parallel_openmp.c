/* SPDX-License-Identifier: MIT */
/* parallel_openmp: the parts of a loop over a query in a parallel loop of OpenMP.
 *
 * Particles fall for some frames, and those that reach the ground end: each thread records that in
 * commands of its own. The exit code is 1 if that fails, or a particle was missed. */
#include <handle_map/handle_map.h>

#include <omp.h>
#include <stdio.h>

enum { MAX_THREADS = 64, PARTS = 64, PARTICLES = 200000, FRAMES = 20 };

struct vector {
    float x, y;
};

HM_COMPONENT_DEFINE(position, struct vector)
HM_COMPONENT_DEFINE(velocity, struct vector)

static hm_world world;
static hm_query falling;
static hm_query_loop parts[PARTS];
static hm_commands commands[MAX_THREADS];

static bool begin(int threads)
{
    if (hm_world_init(&world, &(hm_world_desc){.capacity = PARTICLES, .type_id = 1}) != HM_OK)
        return false;
    position_component position = position_component_init(&world);
    velocity_component velocity = velocity_component_init(&world);
    const hm_component both[] = {position.id, velocity.id};
    for (uint32_t i = 0; i < PARTICLES; i++) {
        hm_handle made = hm_world_create(&world, both, 2);
        if (hm_handle_is_null(made))
            return false;
        position_get(&world, made, position)->y = (float)(i * 7 % 101);
    }
    for (int i = 0; i < threads; i++)
        if (hm_commands_init(&commands[i], &world, NULL) != HM_OK)
            return false;
    return hm_query_init(&falling, &world, &(hm_query_desc){.all = both, .all_count = 2}) == HM_OK;
}

/* Runs a part, and returns how many particles it has, or a number that none has if it fails. */
static uint64_t run_part(hm_query_loop *part, hm_commands *record)
{
    hm_view view;
    uint64_t visited = 0;
    bool was_refused = false;
    while (hm_query_next(part, &view)) {
        struct vector *at = view.columns[0], *by = view.columns[1];
        for (uint32_t i = 0; i < view.count; i++) {
            by[i].y -= 0.1F;
            at[i].y += by[i].y;
            if (at[i].y < 0 && hm_commands_destroy(record, view.entities[i]) != HM_OK)
                was_refused = true;
        }
        visited += view.count;
    }
    return was_refused ? UINT32_MAX : visited;
}

static bool run_frame(int threads)
{
    uint64_t visited = 0, expected = hm_world_count(&world);
    hm_query_begin_parts(&falling, parts, PARTS);
#pragma omp parallel for schedule(dynamic) num_threads(threads) reduction(+ : visited)
    for (int i = 0; i < PARTS; i++)
        visited += run_part(&parts[i], &commands[omp_get_thread_num()]);
    for (int i = 0; i < threads; i++)
        if (hm_commands_apply(&commands[i]) != HM_OK)
            return false;
    return visited == expected;
}

int main(void)
{
    int threads = omp_get_max_threads() < MAX_THREADS ? omp_get_max_threads() : MAX_THREADS;
    bool is_good = begin(threads);
    for (int frame = 0; frame < FRAMES && is_good; frame++)
        is_good = run_frame(threads);
    if (is_good)
        printf("%d threads, %u particles left\n", threads, (unsigned)hm_world_count(&world));
    else
        fprintf(stderr, "parallel_openmp: %s\n", hm_last_error());
    for (int i = 0; i < threads; i++)
        hm_commands_fini(&commands[i]);
    hm_query_fini(&falling);
    hm_world_fini(&world);
    return is_good ? 0 : 1;
}
