/* SPDX-License-Identifier: MIT */
/* The source of all kernels. particles_kernels.c includes it once for each instruction set, with
 *
 *     KERNEL(name)               the function's name in this set
 *     KERNEL_TARGET              the function attribute that enables the instruction set
 *     KERNEL_MULTIPLY_ADD(a,b,c) a * b + c
 *
 * How the loops are written so that gcc and clang both vectorise them: the innermost loop runs over
 * lanes, from 0 to a constant, over plain arrays that are restrict. Inside are only arithmetic and
 * no calls. What differs from well to well is loaded once for all lanes. */

/* The arithmetic, for one particle. */

KERNEL_TARGET HM_INLINE void KERNEL(pull_one)(const particle_well *well, float x, float y, float z,
                                              float *vx, float *vy, float *vz)
{
    float dx = well->x - x, dy = well->y - y, dz = well->z - z;
    float square = KERNEL_MULTIPLY_ADD(dx, dx, well->softness);
    square = KERNEL_MULTIPLY_ADD(dy, dy, square);
    square = KERNEL_MULTIPLY_ADD(dz, dz, square);
    float pull = well->falloff[0];
    pull = KERNEL_MULTIPLY_ADD(pull, square, well->falloff[1]);
    pull = KERNEL_MULTIPLY_ADD(pull, square, well->falloff[2]);
    pull = KERNEL_MULTIPLY_ADD(pull, square, well->falloff[3]);
    pull = KERNEL_MULTIPLY_ADD(pull, square, well->falloff[4]);
    pull = KERNEL_MULTIPLY_ADD(pull, square, well->falloff[5]);
    pull = KERNEL_MULTIPLY_ADD(pull, square, well->falloff[6]);
    *vx = KERNEL_MULTIPLY_ADD(pull, dx, *vx);
    *vy = KERNEL_MULTIPLY_ADD(pull, dy, *vy);
    *vz = KERNEL_MULTIPLY_ADD(pull, dz, *vz);
}

/* Structs: as one would write it without a library. */

KERNEL_TARGET static void KERNEL(tick_structs)(particles_row *restrict rows, uint32_t count,
                                               const particle_step *restrict step)
{
    float seconds = step->seconds;
    for (uint32_t i = 0; i < count; i++)
        rows[i].lifetime -= seconds;
}

KERNEL_TARGET static void KERNEL(integrate_structs)(particles_row *restrict rows, uint32_t count,
                                                    const particle_step *restrict step)
{
    float seconds = step->seconds;
    for (uint32_t i = 0; i < count; i++) {
        rows[i].x = KERNEL_MULTIPLY_ADD(rows[i].vx, seconds, rows[i].x);
        rows[i].y = KERNEL_MULTIPLY_ADD(rows[i].vy, seconds, rows[i].y);
        rows[i].z = KERNEL_MULTIPLY_ADD(rows[i].vz, seconds, rows[i].z);
    }
}

KERNEL_TARGET static void KERNEL(pull_structs)(particles_row *restrict rows, uint32_t count,
                                               const particle_step *restrict step)
{
    const particle_well *restrict wells = step->wells;
    uint32_t well_count = step->well_count;
    for (uint32_t i = 0; i < count; i++) {
        float vx = rows[i].vx, vy = rows[i].vy, vz = rows[i].vz;
        for (uint32_t w = 0; w < well_count; w++)
            KERNEL(pull_one)(&wells[w], rows[i].x, rows[i].y, rows[i].z, &vx, &vy, &vz);
        rows[i].vx = vx;
        rows[i].vy = vy;
        rows[i].vz = vz;
    }
}

/* Lanes: `count` particles whose fields lie side by side. */

KERNEL_TARGET HM_INLINE void KERNEL(tick_lanes)(float *restrict lifetime, uint32_t count,
                                                float seconds)
{
    for (uint32_t i = 0; i < count; i++)
        lifetime[i] -= seconds;
}

KERNEL_TARGET HM_INLINE void KERNEL(integrate_lanes)(float *restrict x, const float *restrict vx,
                                                     uint32_t count, float seconds)
{
    for (uint32_t i = 0; i < count; i++)
        x[i] = KERNEL_MULTIPLY_ADD(vx[i], seconds, x[i]);
}

KERNEL_TARGET HM_INLINE void KERNEL(pull_lanes)(const float *restrict x, const float *restrict y,
                                                const float *restrict z, float *restrict vx,
                                                float *restrict vy, float *restrict vz,
                                                uint32_t count, const particle_step *step)
{
    const particle_well *restrict wells = step->wells;
    uint32_t well_count = step->well_count;
    for (uint32_t w = 0; w < well_count; w++)
        for (uint32_t i = 0; i < count; i++)
            KERNEL(pull_one)(&wells[w], x[i], y[i], z[i], &vx[i], &vy[i], &vz[i]);
}

/* Whole columns, and those of a transposition. */

KERNEL_TARGET static void KERNEL(tick_columns)(const particle_columns *columns, uint32_t count,
                                               const particle_step *step)
{
    KERNEL(tick_lanes)(columns->lifetime, count, step->seconds);
}

KERNEL_TARGET static void KERNEL(integrate_columns)(const particle_columns *columns, uint32_t count,
                                                    const particle_step *step)
{
    /* In one loop over all axes a compiler would have to prove that six arrays do not overlap. */
    KERNEL(integrate_lanes)(columns->x, columns->vx, count, step->seconds);
    KERNEL(integrate_lanes)(columns->y, columns->vy, count, step->seconds);
    KERNEL(integrate_lanes)(columns->z, columns->vz, count, step->seconds);
}

KERNEL_TARGET HM_INLINE void KERNEL(pull_from)(const particle_columns *all, uint32_t first,
                                               uint32_t count, const particle_step *step)
{
    KERNEL(pull_lanes)
    (all->x + first, all->y + first, all->z + first, all->vx + first, all->vy + first,
     all->vz + first, count, step);
}

KERNEL_TARGET static void KERNEL(pull_columns)(const particle_columns *columns, uint32_t count,
                                               const particle_step *step)
{
    uint32_t first = 0;
    for (; count - first >= 8; first += 8)
        KERNEL(pull_from)(columns, first, 8, step);
    for (; first < count; first++)
        KERNEL(pull_from)(columns, first, 1, step);
}

/* Groups. All lanes are computed, also those past the last row: they hold zero, and what a kernel
 * leaves there is never seen. A processor that streams through memory by itself may miss groups
 * that are used in part, so the loops ask for what they will need soon; past the last group that is
 * NULL, which a prefetch ignores. */

enum { KERNEL(ahead) = 16 }; /* groups */

KERNEL_TARGET HM_INLINE void KERNEL(tick_groups)(const particles_table *table, uint32_t lanes,
                                                 const particle_step *step)
{
    float seconds = step->seconds;
    uint32_t groups = particles_table_group_count(table);
    for (uint32_t g = 0; g < groups; g++) {
        KERNEL_PREFETCH(particles_lifetime_group(table, g + KERNEL(ahead)));
        KERNEL(tick_lanes)(particles_lifetime_group(table, g), lanes, seconds);
    }
}

KERNEL_TARGET HM_INLINE void KERNEL(prefetch_group)(const particles_table *table, uint32_t group)
{
    KERNEL_PREFETCH(particles_x_group(table, group));
    KERNEL_PREFETCH(particles_y_group(table, group));
    KERNEL_PREFETCH(particles_z_group(table, group));
    KERNEL_PREFETCH(particles_vx_group(table, group));
    KERNEL_PREFETCH(particles_vy_group(table, group));
    KERNEL_PREFETCH(particles_vz_group(table, group));
}

KERNEL_TARGET HM_INLINE void KERNEL(integrate_groups)(const particles_table *table, uint32_t lanes,
                                                      const particle_step *step)
{
    float seconds = step->seconds;
    uint32_t groups = particles_table_group_count(table);
    for (uint32_t g = 0; g < groups; g++) {
        KERNEL(prefetch_group)(table, g + KERNEL(ahead));
        KERNEL(integrate_lanes)
        (particles_x_group(table, g), particles_vx_group(table, g), lanes, seconds);
        KERNEL(integrate_lanes)
        (particles_y_group(table, g), particles_vy_group(table, g), lanes, seconds);
        KERNEL(integrate_lanes)
        (particles_z_group(table, g), particles_vz_group(table, g), lanes, seconds);
    }
}

KERNEL_TARGET HM_INLINE void KERNEL(pull_groups)(const particles_table *table, uint32_t lanes,
                                                 const particle_step *step)
{
    uint32_t groups = particles_table_group_count(table);
    for (uint32_t g = 0; g < groups; g++) {
        particle_columns group = {.x = particles_x_group(table, g),
                                  .y = particles_y_group(table, g),
                                  .z = particles_z_group(table, g),
                                  .vx = particles_vx_group(table, g),
                                  .vy = particles_vy_group(table, g),
                                  .vz = particles_vz_group(table, g)};
        KERNEL(prefetch_group)(table, g + KERNEL(ahead));
        for (uint32_t first = 0; first < lanes; first += 8)
            KERNEL(pull_from)(&group, first, 8, step);
    }
}

/* The number of lanes is a constant in each of these. */

KERNEL_TARGET static void KERNEL(tick_8)(const particles_table *table, const particle_step *step)
{
    KERNEL(tick_groups)(table, 8, step);
}

KERNEL_TARGET static void KERNEL(tick_16)(const particles_table *table, const particle_step *step)
{
    KERNEL(tick_groups)(table, 16, step);
}

KERNEL_TARGET static void KERNEL(integrate_8)(const particles_table *table,
                                              const particle_step *step)
{
    KERNEL(integrate_groups)(table, 8, step);
}

KERNEL_TARGET static void KERNEL(integrate_16)(const particles_table *table,
                                               const particle_step *step)
{
    KERNEL(integrate_groups)(table, 16, step);
}

KERNEL_TARGET static void KERNEL(pull_8)(const particles_table *table, const particle_step *step)
{
    KERNEL(pull_groups)(table, 8, step);
}

KERNEL_TARGET static void KERNEL(pull_16)(const particles_table *table, const particle_step *step)
{
    KERNEL(pull_groups)(table, 16, step);
}

#define KERNEL_ALL(form)                                                                           \
    {                                                                                              \
        KERNEL(tick_##form), KERNEL(integrate_##form), KERNEL(pull_##form)                         \
    }

const particle_kernels KERNEL(particle_kernels) = {
    KERNEL_SET_NAME, KERNEL_ALL(structs), KERNEL_ALL(columns), KERNEL_ALL(8), KERNEL_ALL(16),
};

#undef KERNEL_ALL
