/* SPDX-License-Identifier: MIT */
/* demo_chart: a chart of the latest frames, and a map of what the camera sees, row by row, for the
 * demo's live view. */
#ifndef DEMO_CHART_H
#define DEMO_CHART_H

#include "demo_view.h"

/* The time at the top of both sides' charts, in whole milliseconds, when each has `width` columns:
 * one for each frame. */
double chart_top_ms(const struct demo_moment *moment, int width);

/* Draws one of the chart's rows, of which row 0 is the lowest. */
void chart_put_row(const struct demo_moment *moment, int side, int width, int row, int rows,
                   double top_ms);

/* Draws one of the map's rows, of which row 0 is the highest. */
void map_put_row(const struct simulation *simulation, int row, int rows);

#endif
