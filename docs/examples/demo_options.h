/* SPDX-License-Identifier: MIT */
/* demo_options: the demo's command line. */
#ifndef DEMO_OPTIONS_H
#define DEMO_OPTIONS_H

#include "demo_simulation.h"

struct demo_options {
    struct demo_settings settings;
    uint32_t runs;             /* of all frames, of which the medians are shown */
    const char *out_directory; /* for the picture */
    const char *csv;           /* a file for the frames, or NULL */
    const char *load, *save;   /* files of simulations: what runs begin with, and end in; or NULL */
    const char *models;        /* a directory with the models to take if none are named */
    uint32_t inspect;          /* a port, or INSPECT_OFF */
    bool plain;                /* no live view, even on a terminal */
    char **paths;              /* of the models that are named; they are in argv */
    int path_count;
};

/* The options at the start. */
struct demo_options options_default(void);

/* Reads the command line into options that were filled with defaults; moves the models' paths to
 * the front of argv. Returns what command_line_read does. */
int options_read(struct demo_options *options, int argc, char **argv);

#endif
