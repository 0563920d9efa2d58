/* SPDX-License-Identifier: MIT */
/* world: movers, bullets and timers. Ships move and fire, bullets hit and end, and a ship that was
 * hit burns for a while; all of them are entities of one world.
 *
 *     world --help
 *
 * Positions, velocities and timers are columns, since loops visit them in each frame. Burning comes
 * and goes, so it is sparse: it moves no ship from archetype to archetype. Loops record what they
 * want to change, and the changes are made between them. With --inspect a browser may look inside
 * while it runs. The exit code is 1 if the world is
 * damaged, or entities are missing; 2 if the command line is wrong. */
#define _POSIX_C_SOURCE 200809L

#include "command_line.h"
#include "inspect.h"

#include <handle_map/handle_map.h>

#include <stdio.h>
#include <time.h>

struct vector {
    float x, y;
};

struct gun {
    uint32_t reload, wait; /* frames */
};

HM_COMPONENT_DEFINE(position, struct vector)
HM_COMPONENT_DEFINE(velocity, struct vector)
HM_COMPONENT_DEFINE(gun, struct gun)
HM_COMPONENT_DEFINE(timer, uint32_t)   /* frames until the end of a bullet */
HM_COMPONENT_DEFINE(burning, uint32_t) /* frames until the fire is out, or the ship is lost */
HM_COMPONENT_DEFINE(target, hm_handle) /* of a bullet */

struct simulation {
    hm_world world;
    hm_commands commands;
    hm_query moving, firing, ending, fires;
    position_component position;
    velocity_component velocity;
    gun_component gun;
    timer_component timer;
    burning_component burning;
    target_component target;
    uint64_t random;
    uint32_t ships; /* as many in each frame */
    uint32_t begun, ended, hits, misses, refused;
    hm_report_entry entry; /* what can be inspected */
    struct inspect *inspect;
};

static double cpu_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* By splitmix64. */
static uint32_t random_below(struct simulation *s, uint32_t limit)
{
    uint64_t bits = s->random += 0x9E3779B97F4A7C15U;
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9U;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBU;
    return (uint32_t)((bits >> 32) * limit >> 32);
}

static struct vector random_vector(struct simulation *s, float most)
{
    return (struct vector){most * ((float)random_below(s, 2001) / 1000 - 1),
                           most * ((float)random_below(s, 2001) / 1000 - 1)};
}

/* What a frame does */

/* The one loop over two columns that a compiler can vectorise. */
static void move(struct simulation *s)
{
    hm_query_loop loop;
    hm_view view;
    for (hm_query_begin(&s->moving, &loop); hm_query_next(&loop, &view);) {
        struct vector *at = view.columns[0];
        const struct vector *by = view.columns[1];
        for (uint32_t i = 0; i < view.count; i++) {
            at[i].x += by[i].x;
            at[i].y += by[i].y;
        }
    }
}

/* The handle of the bullet is known before the bullet exists. */
static void fire(struct simulation *s, hm_handle ship, const struct vector *from)
{
    const hm_component bullet[] = {s->position.id, s->velocity.id, s->timer.id, s->target.id};
    hm_handle handle = hm_commands_create(&s->commands, bullet, 4);
    if (hm_handle_is_null(handle)) {
        s->refused++; /* More shots than were reserved for. */
        return;
    }
    hm_handle aim = hm_world_handle_at(&s->world, random_below(s, hm_world_count(&s->world)));
    struct vector speed = random_vector(s, 4);
    uint32_t frames = 5 + random_below(s, 20);
    hm_commands_add(&s->commands, handle, s->position.id, from);
    hm_commands_add(&s->commands, handle, s->velocity.id, &speed);
    hm_commands_add(&s->commands, handle, s->timer.id, &frames);
    if (!hm_handle_equal(aim, ship))
        hm_commands_add(&s->commands, handle, s->target.id, &aim);
    s->begun++;
}

static void fire_all(struct simulation *s)
{
    hm_query_loop loop;
    hm_view view;
    for (hm_query_begin(&s->firing, &loop); hm_query_next(&loop, &view);) {
        struct gun *guns = view.columns[0];
        const struct vector *from = view.columns[1];
        for (uint32_t i = 0; i < view.count; i++) {
            if (guns[i].wait-- > 0)
                continue;
            guns[i].wait = guns[i].reload;
            fire(s, view.entities[i], &from[i]);
        }
    }
}

/* A bullet that ends sets its target on fire, if that is still alive: a handle tells. */
static void end_bullets(struct simulation *s)
{
    hm_query_loop loop;
    hm_view view;
    for (hm_query_begin(&s->ending, &loop); hm_query_next(&loop, &view);) {
        uint32_t *timers = view.columns[0];
        const hm_handle *targets = view.columns[1];
        for (uint32_t i = 0; i < view.count; i++) {
            if (timers[i]-- > 0)
                continue;
            hm_commands_destroy(&s->commands, view.entities[i]);
            s->ended++;
            if (gun_has(&s->world, targets[i], s->gun)) {
                const uint32_t frames = 30;
                hm_commands_add(&s->commands, targets[i], s->burning.id, &frames);
                s->hits++;
            } else {
                s->misses++;
            }
        }
    }
}

/* One fire in ten ends a ship. A query over a sparse component visits those that have it. */
static void burn(struct simulation *s)
{
    hm_query_loop loop;
    hm_view view;
    for (hm_query_begin(&s->fires, &loop); hm_query_next(&loop, &view);) {
        uint32_t *frames = view.columns[0];
        for (uint32_t i = 0; i < view.count; i++) {
            if (frames[i]-- > 0)
                continue;
            if (random_below(s, 10) == 0) {
                hm_commands_destroy(&s->commands, view.entities[i]);
                s->ships--;
                s->ended++;
            } else {
                hm_commands_remove(&s->commands, view.entities[i], s->burning.id);
            }
        }
    }
}

static bool launch(struct simulation *s, uint32_t count)
{
    const hm_component ship[] = {s->position.id, s->velocity.id, s->gun.id};
    for (; s->ships < count; s->ships++, s->begun++) {
        hm_handle entity = hm_world_create(&s->world, ship, 3);
        if (hm_handle_is_null(entity))
            return false;
        *position_get(&s->world, entity, s->position) = random_vector(s, 1000);
        *velocity_get(&s->world, entity, s->velocity) = random_vector(s, 1);
        *gun_get(&s->world, entity, s->gun) =
            (struct gun){40 + random_below(s, 80), random_below(s, 120)};
    }
    return true;
}

static bool run_frame(struct simulation *s, uint32_t count)
{
    if (!launch(s, count) || hm_world_reserve(&s->world, count / 20 + 16) != HM_OK)
        return false;
    move(s);
    fire_all(s);
    end_bullets(s);
    burn(s);
    return hm_commands_apply(&s->commands) == HM_OK;
}

/* Set up and report */

static bool make_components(struct simulation *s)
{
    const hm_component_desc sparse = {.storage = HM_COMPONENT_SPARSE};
    s->position = position_component_init(&s->world);
    s->velocity = velocity_component_init(&s->world);
    s->gun = gun_component_init(&s->world);
    s->timer = timer_component_init(&s->world);
    s->target = target_component_init(&s->world);
    s->burning = burning_component_init_desc(&s->world, &sparse);
    return !burning_component_is_null(s->burning);
}

static bool make_queries(struct simulation *s)
{
    const hm_component moving[] = {s->position.id, s->velocity.id};
    const hm_component firing[] = {s->gun.id, s->position.id};
    const hm_component ending[] = {s->timer.id, s->target.id};
    return hm_query_init(&s->moving, &s->world, &(hm_query_desc){.all = moving, .all_count = 2}) ==
               HM_OK &&
           hm_query_init(&s->firing, &s->world, &(hm_query_desc){.all = firing, .all_count = 2}) ==
               HM_OK &&
           hm_query_init(&s->ending, &s->world, &(hm_query_desc){.all = ending, .all_count = 2}) ==
               HM_OK &&
           hm_query_init(&s->fires, &s->world,
                         &(hm_query_desc){.all = &s->burning.id, .all_count = 1}) == HM_OK;
}

/* A value as text, for who looks inside. */
static size_t print_value(const void *value, uint32_t component, char *buffer, size_t size,
                          void *context)
{
    const struct simulation *s = context;
    const struct vector *vector = value;
    const struct gun *gun = value;
    int length;
    if (component == s->position.id || component == s->velocity.id)
        length = snprintf(buffer, size, "%.1f, %.1f", (double)vector->x, (double)vector->y);
    else if (component == s->gun.id)
        length =
            snprintf(buffer, size, "fires in %u of %u", (unsigned)gun->wait, (unsigned)gun->reload);
    else if (component == s->target.id)
        length = snprintf(buffer, size, "0x%016llx",
                          (unsigned long long)((const hm_handle *)value)->bits);
    else
        length = snprintf(buffer, size, "%u frames", (unsigned)*(const uint32_t *)value);
    return (size_t)length;
}

static bool show_inside(struct simulation *s, uint32_t port)
{
    const hm_dump_desc printer = {.print = print_value, .context = s};
    s->inspect = inspect_open("world", port);
    return hm_report_add_world(&s->entry, &s->world) == HM_OK &&
           hm_report_set_print(&s->entry, &printer) == HM_OK;
}

static bool begin(struct simulation *s, uint32_t count)
{
    const hm_world_desc desc = {.capacity = 2 * count + 1000, .type_id = 1, .name = "battle"};
    return hm_world_init(&s->world, &desc) == HM_OK && make_components(s) && make_queries(s) &&
           hm_commands_init(&s->commands, &s->world, NULL) == HM_OK && launch(s, count);
}

static void end(struct simulation *s)
{
    inspect_close(s->inspect);
    hm_report_remove(&s->entry);
    hm_commands_fini(&s->commands);
    hm_query_fini(&s->fires);
    hm_query_fini(&s->ending);
    hm_query_fini(&s->firing);
    hm_query_fini(&s->moving);
    hm_world_fini(&s->world);
}

static void report(struct simulation *s, uint32_t frame, double seconds, uint32_t frames)
{
    printf("%6u %9u %10u %8u %7u %8u %8u %8.2f\n", (unsigned)frame,
           (unsigned)hm_world_count(&s->world), (unsigned)hm_world_archetype_count(&s->world),
           (unsigned)hm_query_count(&s->ending), (unsigned)hm_query_count(&s->fires),
           (unsigned)s->hits, (unsigned)s->misses, seconds * 1000 / frames);
}

static bool simulate(struct simulation *s, uint32_t count, uint32_t frames)
{
    enum { REPORTS = 10 };
    uint32_t step = frames > REPORTS ? frames / REPORTS : 1, last = 0;
    double start = cpu_seconds();
    printf("%6s %9s %10s %8s %7s %8s %8s %8s\n", "frame", "entities", "archetypes", "bullets",
           "fires", "hits", "misses", "ms/frame");
    for (uint32_t frame = 1; frame <= frames; frame++) {
        if (!run_frame(s, count))
            return false;
        inspect_answer(s->inspect);
        if (progress_is_due())
            fprintf(stderr, "world: frame %u of %u\n", (unsigned)frame, (unsigned)frames);
        if (frame % step != 0 && frame != frames)
            continue;
        report(s, frame, cpu_seconds() - start, frame - last);
        last = frame;
        start = cpu_seconds();
    }
    return true;
}

static bool check(struct simulation *s)
{
    if (hm_world_validate(&s->world) != HM_OK)
        return false;
    if (hm_world_count(&s->world) == s->begun - s->ended)
        return true;
    fprintf(stderr, "%u entities, but %u begun and %u ended\n", (unsigned)hm_world_count(&s->world),
            (unsigned)s->begun, (unsigned)s->ended);
    return false;
}

static const char usage[] =
    "usage: world [OPTION...]\n"
    "Ships move, fire and burn; they and their bullets are entities of one world.\n"
    "  --count N       ships (100000)\n"
    "  --frames N      frames to run (300)\n"
    "  --inspect PORT  let a browser on this machine look inside; 0: on any port that is free\n"
    "  --help          print this text\n";

int main(int argc, char **argv)
{
    uint32_t count = 100000, frames = 300, port = INSPECT_OFF;
    const struct command_line_option options[] = {
        {"--count", .number = &count, .least = 1, .most = 10000000},
        {"--frames", .number = &frames, .least = 1, .most = 10000000},
        {"--inspect", .number = &port, .most = 65535}};
    int code =
        command_line_read(&(struct command_line){"world", usage, options, 3}, argc, argv, NULL);
    if (code != COMMAND_LINE_RUN)
        return code;
    static struct simulation s;
    bool is_good =
        begin(&s, count) && show_inside(&s, port) && simulate(&s, count, frames) && check(&s);
    if (!is_good)
        fprintf(stderr, "world: %s\n", hm_last_error());
    if (s.refused != 0)
        printf("%u shots were not fired: more than were reserved for\n", (unsigned)s.refused);
    end(&s);
    return is_good ? 0 : 1;
}
