/* SPDX-License-Identifier: MIT */
/* The same particles in every layout, so that the kernels' times can be compared. */
#ifndef PARTICLES_LAYOUTS_H
#define PARTICLES_LAYOUTS_H

#include "particles_kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PARTICLE_STRUCTS,    /* an array of particles_row */
    PARTICLE_TRANSPOSED, /* the same, through hm_transpose_run */
    PARTICLE_WHOLE_COLUMNS,
    PARTICLE_GROUPS_8,
    PARTICLE_GROUPS_16,
    PARTICLE_LAYOUTS
};

extern const char *const particle_layout_names[PARTICLE_LAYOUTS];
extern const char *const particle_kernel_names[PARTICLE_KERNELS];

typedef struct particle_layouts {
    uint32_t count;
    particles_row *structs, *transposed;
    particles_table columns, groups_8, groups_16;
} particle_layouts;

/* Copies `count` rows, at least one, into each layout. Returns NULL, or what went wrong; fini is
 * needed in both cases. */
const char *particle_layouts_init(particle_layouts *layouts, const particles_row *rows,
                                  uint32_t count);
void particle_layouts_fini(particle_layouts *layouts);

/* Runs a kernel once over all particles of one layout. */
void particle_layouts_run(particle_layouts *layouts, int layout, const particle_kernels *kernels,
                          int kernel, const particle_step *step);

/* A number that depends on each bit of what the kernels write. */
uint64_t particle_layouts_sum(const particle_layouts *layouts, int layout);

#ifdef __cplusplus
}
#endif

#endif
