/* SPDX-License-Identifier: MIT */
/* The kernels of the particles example: three loops over all particles, each for every layout.
 *
 *     tick         1 field: the lifetime that is left
 *     integrate    6 fields: moves each position by its velocity
 *     pull         6 fields: wells pull at the velocity, each by a falloff that depends on the
 *                  distance; with 8 wells 96 multiply-adds for each particle
 *
 * All layouts share one source for each kernel and compute the same bits. It is compiled for AVX2
 * with fused multiply-adds, and for what every machine has: SSE2 on x86-64. */
#ifndef PARTICLES_KERNELS_H
#define PARTICLES_KERNELS_H

#include <handle_map/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 64 bytes, of which the kernels use 28. */
#define PARTICLE_COLUMNS(COLUMN)                                                                   \
    COLUMN(float, lifetime)                                                                        \
    COLUMN(float, x)                                                                               \
    COLUMN(float, y)                                                                               \
    COLUMN(float, z)                                                                               \
    COLUMN(float, vx)                                                                              \
    COLUMN(float, vy)                                                                              \
    COLUMN(float, vz)                                                                              \
    COLUMN(uint32_t, color)                                                                        \
    COLUMN(float, size)                                                                            \
    COLUMN(float, growth)                                                                          \
    COLUMN(float, rotation)                                                                        \
    COLUMN(float, spin)                                                                            \
    COLUMN(float, mass)                                                                            \
    COLUMN(float, drag)                                                                            \
    COLUMN(uint32_t, texture)                                                                      \
    COLUMN(uint32_t, emitter)

/* particles_table, and particles_row, the struct of all columns. */
HM_TABLE_DEFINE(particles, 7, PARTICLE_COLUMNS)

/* The columns that kernels use. */
typedef struct particle_columns {
    float *lifetime;
    float *x, *y, *z;
    float *vx, *vy, *vz;
} particle_columns;

enum { PARTICLE_WELLS = 8, PARTICLE_FALLOFF = 6 };

typedef struct particle_well {
    float x, y, z;
    float softness;                      /* added to the square of the distance */
    float falloff[PARTICLE_FALLOFF + 1]; /* a polynomial, times the seconds; highest power first */
} particle_well;

/* What a kernel is given besides the particles. */
typedef struct particle_step {
    float seconds;
    uint32_t well_count;
    particle_well wells[PARTICLE_WELLS];
} particle_step;

/* A step of so many seconds, with all wells. */
void particle_step_init(particle_step *step, float seconds);

enum { PARTICLE_TICK, PARTICLE_INTEGRATE, PARTICLE_PULL, PARTICLE_KERNELS };

/* One set for each instruction set; the index is one of the above. */
typedef struct particle_kernels {
    const char *name;
    void (*structs[PARTICLE_KERNELS])(particles_row *rows, uint32_t count,
                                      const particle_step *step);
    void (*columns[PARTICLE_KERNELS])(const particle_columns *columns, uint32_t count,
                                      const particle_step *step);
    void (*groups_8[PARTICLE_KERNELS])(const particles_table *table, const particle_step *step);
    void (*groups_16[PARTICLE_KERNELS])(const particles_table *table, const particle_step *step);
} particle_kernels;

extern const particle_kernels particle_kernels_baseline;

/* Returns the fastest set that this machine runs; particle_kernels_baseline if there is no other.
 */
const particle_kernels *particle_kernels_best(void);

/* Runs a kernel for columns over an array of structs, through hm_transpose_run. */
hm_status particle_transpose(const particle_kernels *kernels, int kernel, particles_row *rows,
                             uint32_t count, const particle_step *step);

#ifdef __cplusplus
}
#endif

#endif
