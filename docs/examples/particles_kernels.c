/* SPDX-License-Identifier: MIT */
/* The particles' kernels for each instruction set, and their choice. See particles_kernels.h. */
#include "particles_kernels.h"

#include <handle_map/transpose.h>

#if defined(__GNUC__)
#define KERNEL_PREFETCH(address) __builtin_prefetch(address)
#else
#define KERNEL_PREFETCH(address) ((void)(address))
#endif

#define KERNEL(name) name##_baseline
#define KERNEL_TARGET
#define KERNEL_SET_NAME "baseline"
#define KERNEL_MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#include "particles_kernels_body.h"
#undef KERNEL
#undef KERNEL_TARGET
#undef KERNEL_SET_NAME
#undef KERNEL_MULTIPLY_ADD

#if defined(__GNUC__) && defined(__x86_64__)
#define KERNEL(name) name##_avx2
#define KERNEL_TARGET __attribute__((target("avx2,fma")))
#define KERNEL_SET_NAME "AVX2"
#define KERNEL_MULTIPLY_ADD(a, b, c) __builtin_fmaf(a, b, c)
#include "particles_kernels_body.h"

const particle_kernels *particle_kernels_best(void)
{
    bool runs = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return runs ? &particle_kernels_avx2 : &particle_kernels_baseline;
}
#else
const particle_kernels *particle_kernels_best(void)
{
    return &particle_kernels_baseline;
}
#endif

/* The falloff is seconds * strength * (1 - square / 16)^6, which is 0 at a distance of 4. */
void particle_step_init(particle_step *step, float seconds)
{
    static const float binomial[PARTICLE_FALLOFF + 1] = {1, -6, 15, -20, 15, -6, 1};
    step->seconds = seconds;
    step->well_count = PARTICLE_WELLS;
    for (int i = 0; i < PARTICLE_WELLS; i++) {
        particle_well *well = &step->wells[i];
        int column = i % 4, line = i / 4;
        well->x = 0.7F * (float)column - 1.05F;
        well->y = 0.8F * (float)line - 0.4F + 0.1F * (float)(column % 2);
        well->z = 0.25F * (float)(column - line);
        well->softness = 0.01F;
        float factor = seconds * (i % 3 == 0 ? 0.9F : 0.4F);
        for (int power = 0; power <= PARTICLE_FALLOFF; power++) {
            well->falloff[PARTICLE_FALLOFF - power] = binomial[power] * factor;
            factor /= 16;
        }
    }
}

/* Transposition */

struct transposed {
    void (*kernel)(const particle_columns *columns, uint32_t count, const particle_step *step);
    const particle_step *step;
};

/* Lanes up to the next multiple of 16 may be computed too, which spares the loop for the rest. */
static uint32_t whole_lanes(size_t count)
{
    return (uint32_t)(count + HM_TRANSPOSE_LANES - 1) / HM_TRANSPOSE_LANES * HM_TRANSPOSE_LANES;
}

static void run_lifetime(void *const *columns, size_t count, void *context)
{
    const struct transposed *run = context;
    const particle_columns all = {.lifetime = columns[0]};
    run->kernel(&all, whole_lanes(count), run->step);
}

static void run_motion(void *const *columns, size_t count, void *context)
{
    const struct transposed *run = context;
    const particle_columns all = {.x = columns[0],
                                  .y = columns[1],
                                  .z = columns[2],
                                  .vx = columns[3],
                                  .vy = columns[4],
                                  .vz = columns[5]};
    run->kernel(&all, whole_lanes(count), run->step);
}

#define FIELD(name, written)                                                                       \
    {                                                                                              \
        offsetof(particles_row, name), sizeof(float), written                                      \
    }

hm_status particle_transpose(const particle_kernels *kernels, int kernel, particles_row *rows,
                             uint32_t count, const particle_step *step)
{
    static const hm_field lifetime[] = {FIELD(lifetime, true)};
    static const hm_field position[] = {FIELD(x, true),   FIELD(y, true),   FIELD(z, true),
                                        FIELD(vx, false), FIELD(vy, false), FIELD(vz, false)};
    static const hm_field velocity[] = {FIELD(x, false), FIELD(y, false), FIELD(z, false),
                                        FIELD(vx, true), FIELD(vy, true), FIELD(vz, true)};
    struct transposed run = {kernels->columns[kernel], step};
    if (kernel == PARTICLE_TICK)
        return hm_transpose_run(rows, sizeof *rows, count, lifetime, 1, run_lifetime, &run);
    return hm_transpose_run(rows, sizeof *rows, count,
                            kernel == PARTICLE_INTEGRATE ? position : velocity, 6, run_motion,
                            &run);
}
