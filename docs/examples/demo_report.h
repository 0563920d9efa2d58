/* SPDX-License-Identifier: MIT */
/* demo_report: what the demo's runs took, as a table, and as one line of figures for each frame. */
#ifndef DEMO_REPORT_H
#define DEMO_REPORT_H

#include "demo_simulation.h"

#include <stdio.h>

enum {
    REPORT_WINDOW = 15, /* frames in a running median; odd */
    REPORT_MOST_RUNS = 99
};

/* A side of the comparison. */
struct demo_side {
    struct simulation simulation; /* after the last run */
    struct demo_frame *frames;    /* as many as the settings say: medians of the runs */
};

struct demo_result {
    const struct demo_settings *settings;
    uint32_t runs;
    FILE *load;                     /* what each run begins with; NULL: a new scene */
    struct demo_side with, without; /* defragmentation */
};

/* Returns one figure of a frame. */
typedef double (*demo_measure)(const struct demo_frame *frame);

double measure_update_ms(const struct demo_frame *frame);
double measure_both_ms(const struct demo_frame *frame); /* update and defragmentation */

/* The smallest figure that at least `share` of the frames do not exceed. */
double report_quantile(const struct demo_frame *frames, uint32_t count, demo_measure of,
                       double share);

double report_mean(const struct demo_frame *frames, uint32_t count, demo_measure of);

/* Replaces the times in the first `count` frames by the medians of the runs (at most
 * REPORT_MOST_RUNS), whose frames follow each other. All other figures are the same in all runs. */
void report_merge_runs(struct demo_frame *frames, uint32_t count, uint32_t runs);

/* Prints the table on stdout. */
void report_table(const struct demo_result *result);

/* Writes a line of names, and a line for each frame. False if writing failed. */
bool report_csv(const struct demo_result *result, FILE *file);

#endif
