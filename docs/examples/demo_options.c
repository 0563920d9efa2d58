/* SPDX-License-Identifier: MIT */
/* The demo's command line. See demo_options.h. */
#include "demo_options.h"

#include "demo_report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

const char options_usage[] =
    "usage: demo [OPTION...] [MODEL...]\n"
    "A scene made of the models changes in every frame, and is kept in order by defragmentation.\n"
    "  --frames N        frames to run (600)\n"
    "  --nodes N         nodes in the scene (100000)\n"
    "  --budget N        swaps of nodes allowed in a frame (20000); --swaps is the same\n"
    "  --budget-us N     a time for it, which lowers that budget by what frames have taken\n"
    "  --sort-budget N   swaps in the draw list allowed in a frame (10000)\n"
    "  --seed N          seed of all choices (1); the same seed gives the same handles\n"
    "  --runs N          runs of all frames (3); tables and pictures show medians of them\n"
    "  --elsewhere       do not replace groups in their place: destroy some, build others "
    "elsewhere\n"
    "  --csv FILE        write the figures of each frame to FILE\n"
    "  --out DIR         where the picture goes (demo)\n"
    "  --models DIR      where to look for models if none is named (/usr/share/assimp/models)\n"
    "  --plain           print lines instead of the live view\n"
    "  --help            print this text\n"
    "A MODEL is any scene file that Assimp reads. Without models, trees are made up.\n";

struct demo_options options_default(void)
{
    return (struct demo_options){.settings = {.nodes = 100000,
                                              .frames = 600,
                                              .swaps = 20000,
                                              .sort_swaps = 10000,
                                              .seed = 1},
                                 .runs = 3,
                                 .out_directory = "demo",
                                 .models = "/usr/share/assimp/models"};
}

static bool parse_number(const char *text, uint32_t least, uint32_t most, uint32_t *number)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || value < least || value > most)
        return false;
    *number = (uint32_t)value;
    return true;
}

/* Sets what `name` turns on; false if it is no such option. */
static bool parse_switch(struct demo_options *options, const char *name)
{
    const struct {
        const char *name;
        bool *on;
    } switches[] = {{"--elsewhere", &options->settings.elsewhere},
                    {"--plain", &options->plain},
                    {"--help", &options->help}};
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++)
        if (strcmp(name, switches[i].name) == 0)
            return *switches[i].on = true;
    return false;
}

/* Where the value of an option goes: one of the two places is NULL. */
struct target {
    uint32_t *number;
    uint32_t least, most;
    const char **text;
};

/* Returns the target of an option that takes a value; both places are NULL if there is no such
 * option. */
static struct target find_target(struct demo_options *options, const char *name)
{
    struct demo_settings *settings = &options->settings;
    const struct {
        const char *name;
        struct target target;
    } targets[] = {{"--frames", {&settings->frames, 1, 1000000, NULL}},
                   {"--nodes", {&settings->nodes, 100, 1000000, NULL}},
                   {"--budget", {&settings->swaps, 1, UINT32_MAX, NULL}},
                   {"--swaps", {&settings->swaps, 1, UINT32_MAX, NULL}},
                   {"--budget-us", {&settings->budget_us, 1, 1000000, NULL}},
                   {"--sort-budget", {&settings->sort_swaps, 1, UINT32_MAX, NULL}},
                   {"--seed", {&settings->seed, 0, UINT32_MAX, NULL}},
                   {"--runs", {&options->runs, 1, REPORT_MOST_RUNS, NULL}},
                   {"--csv", {NULL, 0, 0, &options->csv}},
                   {"--out", {NULL, 0, 0, &options->out_directory}},
                   {"--models", {NULL, 0, 0, &options->models}}};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++)
        if (strcmp(name, targets[i].name) == 0)
            return targets[i].target;
    return (struct target){0};
}

/* Parses an option whose value, if there is one, is the next argument. Returns the number of
 * arguments used; 0: something is wrong, and was printed. */
static int parse_option(struct demo_options *options, const char *name, const char *value)
{
    if (parse_switch(options, name))
        return 1;
    struct target target = find_target(options, name);
    if (target.number == NULL && target.text == NULL)
        fprintf(stderr, "demo: there is no option '%s'; --help lists all\n", name);
    else if (value == NULL)
        fprintf(stderr, "demo: %s needs a value\n", name);
    else if (target.text != NULL) {
        *target.text = value;
        return 2;
    } else if (parse_number(value, target.least, target.most, target.number))
        return 2;
    else
        fprintf(stderr, "demo: %s takes a number from %u to %u, not '%s'\n", name,
                (unsigned)target.least, (unsigned)target.most, value);
    return 0;
}

bool options_parse(struct demo_options *options, int argc, char **argv)
{
    options->paths = argv;
    bool literally = false; /* since "--" */
    for (int at = 1; at < argc;) {
        char *argument = argv[at];
        if (literally || argument[0] != '-') {
            options->paths[options->path_count++] = argument;
            at++;
        } else if (strcmp(argument, "--") == 0) {
            literally = true;
            at++;
        } else {
            int taken = parse_option(options, argument, argv[at + 1]);
            if (taken == 0)
                return false;
            at += taken;
        }
    }
    return true;
}
