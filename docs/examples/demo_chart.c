/* SPDX-License-Identifier: MIT */
/* The demo's charts and map. See demo_chart.h. */
#include "demo_chart.h"

#include "demo_terminal.h"

#include <math.h>

enum { MOST_WIDTH = 400 };

/* The first of the latest frames that fit into the width. */
static uint32_t first_frame(const struct demo_moment *moment, int width)
{
    return moment->done > (uint32_t)width ? moment->done - (uint32_t)width : 0;
}

double chart_top_ms(const struct demo_moment *moment, int width)
{
    double highest = 0;
    for (int side = 0; side < 2; side++)
        for (uint32_t i = first_frame(moment, width > 0 ? width : 0); i < moment->done; i++)
            highest = fmax(highest, demo_frame_ms(&moment->frames[side][i]));
    return fmax(ceil(highest), 1);
}

/* The sign of a column that fills this share of its row. */
static char sign_of(double share)
{
    if (share >= 0.75)
        return '|';
    if (share >= 0.4)
        return ':';
    return share >= 0.1 ? '.' : ' ';
}

void chart_put_row(const struct demo_moment *moment, int side, int width, int row, int rows,
                   double top_ms)
{
    char signs[MOST_WIDTH];
    int count = 0;
    if (width > MOST_WIDTH)
        width = MOST_WIDTH;
    if (width <= 0)
        return;
    for (uint32_t i = first_frame(moment, width); i < moment->done; i++)
        signs[count++] = sign_of(demo_frame_ms(&moment->frames[side][i]) / top_ms * rows - row);
    terminal_put(side == 0 ? TERMINAL_BLUE : TERMINAL_ORANGE, "%.*s", count, signs);
}

/* A column is half as wide as a row is high, so a square has twice as many columns as rows. */
void map_put_row(const struct simulation *simulation, int row, int rows)
{
    float extent = simulation_extent(simulation);
    float cell = extent / (float)rows;
    const struct demo_camera *camera = &simulation->camera;
    for (int column = 0; column < 2 * rows; column++) {
        float x = ((float)column + 0.5F) * cell / 2;
        float z = ((float)(rows - row) - 0.5F) * cell;
        uint32_t distance;
        bool here =
            (int)(camera->x / cell * 2) == column && (int)(camera->z / cell) == rows - row - 1;
        if (here)
            terminal_put(TERMINAL_BOLD, "@");
        else if (camera_sees(camera, x, z, &distance))
            terminal_put(TERMINAL_GREEN, "#");
        else
            terminal_put(TERMINAL_DIM, ".");
    }
}
