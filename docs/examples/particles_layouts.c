/* SPDX-License-Identifier: MIT */
/* The same particles in every layout. See particles_layouts.h. */
#include "particles_layouts.h"

#include <stdlib.h>
#include <string.h>

const char *const particle_layout_names[PARTICLE_LAYOUTS] = {
    "structs", "structs, transposed", "whole columns", "groups of 8", "groups of 16"};
const char *const particle_kernel_names[PARTICLE_KERNELS] = {"tick", "integrate", "pull"};

static hm_status fill_table(particles_table *table, uint32_t lanes, const particles_row *rows,
                            uint32_t count)
{
    hm_table_desc desc = {.lanes = lanes, .capacity = count};
    hm_status status = particles_table_init_desc(table, &desc);
    if (status == HM_OK)
        status = particles_table_reserve(table, count);
    for (uint32_t i = 0; i < count && status == HM_OK; i++)
        particles_table_insert(table, &rows[i]);
    return status;
}

static particles_row *copy_rows(const particles_row *rows, uint32_t count)
{
    particles_row *copy = malloc(count * sizeof *copy);
    if (copy != NULL)
        memcpy(copy, rows, count * sizeof *copy);
    return copy;
}

const char *particle_layouts_init(particle_layouts *layouts, const particles_row *rows,
                                  uint32_t count)
{
    memset(layouts, 0, sizeof *layouts);
    layouts->count = count;
    layouts->structs = copy_rows(rows, count);
    layouts->transposed = copy_rows(rows, count);
    if (layouts->structs == NULL || layouts->transposed == NULL)
        return "out of memory";
    hm_status status = fill_table(&layouts->columns, 0, rows, count);
    if (status == HM_OK)
        status = fill_table(&layouts->groups_8, 8, rows, count);
    if (status == HM_OK)
        status = fill_table(&layouts->groups_16, 16, rows, count);
    return status == HM_OK ? NULL : hm_last_error();
}

void particle_layouts_fini(particle_layouts *layouts)
{
    particles_table_fini(&layouts->groups_16);
    particles_table_fini(&layouts->groups_8);
    particles_table_fini(&layouts->columns);
    free(layouts->transposed);
    free(layouts->structs);
    memset(layouts, 0, sizeof *layouts);
}

static particle_columns columns_of(const particles_table *table)
{
    return (particle_columns){.lifetime = particles_lifetime(table),
                              .x = particles_x(table),
                              .y = particles_y(table),
                              .z = particles_z(table),
                              .vx = particles_vx(table),
                              .vy = particles_vy(table),
                              .vz = particles_vz(table)};
}

void particle_layouts_run(particle_layouts *layouts, int layout, const particle_kernels *kernels,
                          int kernel, const particle_step *step)
{
    particle_columns columns = columns_of(&layouts->columns);
    switch (layout) {
    case PARTICLE_STRUCTS:
        kernels->structs[kernel](layouts->structs, layouts->count, step);
        break;
    case PARTICLE_TRANSPOSED:
        if (particle_transpose(kernels, kernel, layouts->transposed, layouts->count, step) != HM_OK)
            abort(); /* The fields are constants. */
        break;
    case PARTICLE_WHOLE_COLUMNS:
        kernels->columns[kernel](&columns, layouts->count, step);
        break;
    case PARTICLE_GROUPS_8:
        kernels->groups_8[kernel](&layouts->groups_8, step);
        break;
    default:
        kernels->groups_16[kernel](&layouts->groups_16, step);
        break;
    }
}

static uint64_t add_bits(uint64_t sum, const float *fields, int count)
{
    uint32_t bits;
    for (int i = 0; i < count; i++) {
        memcpy(&bits, &fields[i], sizeof bits);
        sum = sum * 0x9E3779B97F4A7C15U + bits;
    }
    return sum;
}

static uint64_t sum_structs(const particles_row *rows, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        const float fields[] = {rows[i].lifetime, rows[i].x,  rows[i].y, rows[i].z,
                                rows[i].vx,       rows[i].vy, rows[i].vz};
        sum = add_bits(sum, fields, 7);
    }
    return sum;
}

static uint64_t sum_table(const particles_table *table)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < particles_table_count(table); i++) {
        const float fields[] = {*particles_lifetime_cell(table, i), *particles_x_cell(table, i),
                                *particles_y_cell(table, i),        *particles_z_cell(table, i),
                                *particles_vx_cell(table, i),       *particles_vy_cell(table, i),
                                *particles_vz_cell(table, i)};
        sum = add_bits(sum, fields, 7);
    }
    return sum;
}

uint64_t particle_layouts_sum(const particle_layouts *layouts, int layout)
{
    switch (layout) {
    case PARTICLE_STRUCTS:
        return sum_structs(layouts->structs, layouts->count);
    case PARTICLE_TRANSPOSED:
        return sum_structs(layouts->transposed, layouts->count);
    case PARTICLE_WHOLE_COLUMNS:
        return sum_table(&layouts->columns);
    case PARTICLE_GROUPS_8:
        return sum_table(&layouts->groups_8);
    default:
        return sum_table(&layouts->groups_16);
    }
}
