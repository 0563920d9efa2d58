/* SPDX-License-Identifier: MIT */
/* particles: 1,000,000 particles in a table, some of which end and others begin in every frame; a
 * picture of the last frame; and the time of each kernel in each layout.
 *
 *     particles --help
 *
 * The picture is a PPM. The exit code is 1 if the table is damaged, a stale handle resolves, or two
 * layouts do not compute the same bits; 2 if the command line is wrong. */
#define _POSIX_C_SOURCE 200809L

#include "command_line.h"
#include "particles_layouts.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LANES = 8, EMITTERS = 4, WIDTH = 480, HEIGHT = 270, MOST_REPETITIONS = 101 };

struct settings {
    uint32_t count, frames, repetitions;
    const char *picture;
};

struct simulation {
    particles_table table;
    uint64_t random;
    uint32_t begun, ended;
};

static double cpu_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Simulation */

/* From `least` to `most`; by splitmix64. */
static float random_between(struct simulation *s, float least, float most)
{
    uint64_t bits = s->random += 0x9E3779B97F4A7C15U;
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9U;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBU;
    return least + (most - least) * (float)(bits >> 40) / (float)(1 << 24);
}

static particles_row make_particle(struct simulation *s)
{
    static const uint32_t colors[EMITTERS] = {0xFF7A2E, 0x37B4FF, 0xFF3D81, 0x5DE07A};
    uint32_t emitter = s->begun % EMITTERS;
    particles_row row = {.lifetime = random_between(s, 0.2F, 3),
                         .x = 0.8F * (float)emitter - 1.2F + random_between(s, -0.03F, 0.03F),
                         .y = random_between(s, -0.85F, -0.8F),
                         .z = random_between(s, -0.05F, 0.05F),
                         .vx = random_between(s, -0.25F, 0.25F),
                         .vy = random_between(s, 0.3F, 1.2F),
                         .vz = random_between(s, -0.2F, 0.2F),
                         .color = colors[emitter],
                         .size = 1,
                         .mass = 1,
                         .emitter = emitter};
    return row;
}

static bool refill(struct simulation *s, uint32_t count)
{
    while (particles_table_count(&s->table) < count) {
        particles_row row = make_particle(s);
        if (particles_handle_is_null(particles_table_insert(&s->table, &row)))
            return false;
        s->begun++;
    }
    return true;
}

/* From the last row to the first: the row that moves into the hole has been looked at. This is
 * faster than erase_if, which keeps the order of the survivors and so moves most of them. */
static void end_old(struct simulation *s)
{
    for (uint32_t row = particles_table_count(&s->table); row-- > 0;)
        if (*particles_lifetime_cell(&s->table, row) <= 0)
            s->ended += particles_table_erase_at(&s->table, row);
}

static bool run_frame(struct simulation *s, uint32_t count, const particle_step *step)
{
    const particle_kernels *kernels = particle_kernels_best();
    for (int kernel = 0; kernel < PARTICLE_KERNELS; kernel++)
        kernels->groups_8[kernel](&s->table, step);
    end_old(s);
    return refill(s, count);
}

/* Returns NULL, or what went wrong. */
static const char *simulate(struct simulation *s, const struct settings *settings)
{
    hm_table_desc desc = {.lanes = LANES, .capacity = settings->count};
    particle_step step;
    particle_step_init(&step, 1.0F / 60);
    if (particles_table_init_desc(&s->table, &desc) != HM_OK || !refill(s, settings->count))
        return hm_last_error();
    particles_handle first = particles_table_handle_at(&s->table, 0);
    double start = cpu_seconds();
    for (uint32_t frame = 0; frame < settings->frames; frame++) {
        if (progress_is_due())
            fprintf(stderr, "particles: frame %lu of %lu\n", (unsigned long)frame,
                    (unsigned long)settings->frames);
        if (!run_frame(s, settings->count, &step))
            return hm_last_error();
        /* Each of these ends at last, and its place is taken by another. */
        if (!particles_table_contains(&s->table, first))
            first = particles_table_handle_at(&s->table, 0);
        else if (*particles_lifetime_get(&s->table, first) <= 0)
            return "a particle outlived its lifetime";
    }
    printf("%lu particles in groups of %d, %lu frames: %lu began, %lu ended, %.1F ms a frame\n",
           (unsigned long)settings->count, LANES, (unsigned long)settings->frames,
           (unsigned long)s->begun, (unsigned long)s->ended,
           (cpu_seconds() - start) * 1000 / settings->frames);
    return particles_table_validate(&s->table) == HM_OK ? NULL : "the table is damaged";
}

/* Picture */

static void add_particle(const particles_table *table, uint32_t row, float *light)
{
    float x = (*particles_x_cell(table, row) + 1.8F) * (WIDTH / 3.6F);
    float y = (1.0F - *particles_y_cell(table, row)) * (HEIGHT / 2.0F);
    if (!(x >= 0 && x < WIDTH && y >= 0 && y < HEIGHT))
        return;
    float *pixel = light + 3 * ((size_t)y * WIDTH + (size_t)x);
    uint32_t color = *particles_color_cell(table, row);
    for (int i = 0; i < 3; i++)
        pixel[i] += (float)((color >> (16 - 8 * i)) & 0xFF);
}

/* Brightness b is shown as b / (b + exposure), so that no sum of lights is too bright. */
static bool write_pixels(FILE *file, const float *light, uint32_t count)
{
    float exposure = 255.0F * (float)count / (WIDTH * HEIGHT);
    fprintf(file, "P6\n%d %d\n255\n", WIDTH, HEIGHT);
    for (size_t i = 0; i < (size_t)3 * WIDTH * HEIGHT; i++)
        putc((int)(255 * light[i] / (light[i] + exposure)), file);
    return !ferror(file);
}

static const char *draw(const particles_table *table, FILE *file)
{
    float *light = calloc((size_t)3 * WIDTH * HEIGHT, sizeof *light);
    if (light == NULL)
        return "out of memory";
    for (uint32_t row = 0; row < particles_table_count(table); row++)
        add_particle(table, row, light);
    bool is_written = write_pixels(file, light, particles_table_count(table)) && fflush(file) == 0;
    free(light);
    return is_written ? NULL : "the picture cannot be written";
}

/* Comparison */

static int compare_numbers(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Prints medians in ns a particle. The layouts alternate, so that other work on the machine affects
 * all of them. */
static void compare_kernel(particle_layouts *layouts, const particle_kernels *kernels, int kernel,
                           uint32_t repetitions)
{
    static double times[PARTICLE_LAYOUTS][MOST_REPETITIONS];
    particle_step step;
    particle_step_init(&step, 1e-4F);
    for (uint32_t r = 0; r < repetitions; r++) {
        if (progress_is_due())
            fprintf(stderr, "particles: %s, kernel %d of %d, repetition %lu of %lu\n",
                    kernels->name, kernel + 1, PARTICLE_KERNELS, (unsigned long)r + 1,
                    (unsigned long)repetitions);
        for (int layout = 0; layout < PARTICLE_LAYOUTS; layout++) {
            double start = cpu_seconds();
            particle_layouts_run(layouts, layout, kernels, kernel, &step);
            times[layout][r] = (cpu_seconds() - start) * 1e9 / layouts->count;
        }
    }
    printf("%-10s %-9s", particle_kernel_names[kernel], kernels->name);
    for (int layout = 0; layout < PARTICLE_LAYOUTS; layout++) {
        qsort(times[layout], repetitions, sizeof(double), compare_numbers);
        printf("  %7.2F (%4.1F x)", times[layout][repetitions / 2],
               times[PARTICLE_STRUCTS][repetitions / 2] / times[layout][repetitions / 2]);
    }
    printf("\n");
}

static const char *compare(const particles_row *rows, const struct settings *settings)
{
    particle_layouts layouts;
    const char *reason = particle_layouts_init(&layouts, rows, settings->count);
    if (reason == NULL) {
        const particle_kernels *sets[] = {&particle_kernels_baseline, particle_kernels_best()};
        printf("\nns a particle (times as fast as structs)\n%20s", "");
        for (int layout = 0; layout < PARTICLE_LAYOUTS; layout++)
            printf("  %16s", particle_layout_names[layout]);
        printf("\n");
        for (int set = sets[0] == sets[1]; set < 2; set++)
            for (int kernel = 0; kernel < PARTICLE_KERNELS; kernel++)
                compare_kernel(&layouts, sets[set], kernel, settings->repetitions);
        for (int layout = 1; layout < PARTICLE_LAYOUTS; layout++)
            if (particle_layouts_sum(&layouts, layout) != particle_layouts_sum(&layouts, 0))
                reason = "two layouts computed different bits";
    }
    particle_layouts_fini(&layouts);
    return reason;
}

/* A row of a table is spread over its columns; this gathers them again. */
static particles_row read_row(const particles_table *table, uint32_t row)
{
    particles_row copy = {.lifetime = *particles_lifetime_cell(table, row),
                          .x = *particles_x_cell(table, row),
                          .y = *particles_y_cell(table, row),
                          .z = *particles_z_cell(table, row),
                          .vx = *particles_vx_cell(table, row),
                          .vy = *particles_vy_cell(table, row),
                          .vz = *particles_vz_cell(table, row),
                          .color = *particles_color_cell(table, row)};
    return copy;
}

static const char *run_all(struct simulation *s, const struct settings *settings, FILE *picture)
{
    const char *reason = simulate(s, settings);
    if (reason == NULL)
        reason = draw(&s->table, picture);
    if (reason != NULL)
        return reason;
    printf("picture: %s\n", settings->picture);
    particles_row *rows = malloc(settings->count * sizeof *rows);
    if (rows == NULL)
        return "out of memory";
    for (uint32_t row = 0; row < settings->count; row++)
        rows[row] = read_row(&s->table, row);
    particles_table_fini(&s->table);
    reason = compare(rows, settings);
    free(rows);
    return reason;
}

/* The program */

static const char usage[] =
    "usage: particles [OPTION...]\n"
    "Particles in a table, a picture of them, and the time of each kernel in each layout.\n"
    "  --count N        particles (1000000)\n"
    "  --frames N       frames to run (240)\n"
    "  --repetitions N  times that each kernel runs (15); the times are medians\n"
    "  --out FILE       where the picture goes (particles.ppm)\n"
    "  --help           print this text\n";

int main(int argc, char **argv)
{
    struct settings settings = {1000000, 240, 15, "particles.ppm"};
    const struct command_line_option options[] = {
        {"--count", .number = &settings.count, .least = 1, .most = 50000000},
        {"--frames", .number = &settings.frames, .least = 1, .most = 1000000},
        {"--repetitions", .number = &settings.repetitions, .least = 1, .most = MOST_REPETITIONS},
        {"--out", .text = &settings.picture}};
    const struct command_line line = {"particles", usage, options,
                                      sizeof options / sizeof *options};
    int code = command_line_read(&line, argc, argv, NULL);
    if (code != COMMAND_LINE_RUN)
        return code;
    FILE *picture = command_line_open("particles", "--out", settings.picture, "wb");
    if (picture == NULL)
        return COMMAND_LINE_WRONG;
    struct simulation simulation = {.random = 1};
    const char *reason = run_all(&simulation, &settings, picture);
    particles_table_fini(&simulation.table);
    fclose(picture);
    if (reason == NULL)
        return 0;
    fprintf(stderr, "particles: %s\n", reason);
    return 1;
}
