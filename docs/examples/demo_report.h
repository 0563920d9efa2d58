/* SPDX-License-Identifier: MIT */
/* demo_report: the demo's table, and its picture. */
#ifndef DEMO_REPORT_H
#define DEMO_REPORT_H

#include "demo_simulation.h"

/* A simulation and what its frames took. */
struct demo_run {
    struct simulation simulation;
    struct demo_frame *frames; /* as many as the settings say */
};

/* Prints the table on stdout. */
void report_table(const struct demo_run *with, const struct demo_run *without);

/* Writes a data file of the frames, a gnuplot script and a picture to the directory, which it makes
 * if needed, and prints their paths. Returns NULL, or what went wrong. */
const char *report_picture(const struct demo_run *with, const struct demo_run *without,
                           const char *directory);

#endif
