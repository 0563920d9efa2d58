/* SPDX-License-Identifier: MIT */
/* The demo's command line. See demo_options.h. */
#include "demo_options.h"

#include "command_line.h"
#include "demo_report.h"
#include "inspect.h"

static const char usage[] =
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
    "  --save FILE       write the scene to FILE at the end\n"
    "  --load FILE       begin each run with the scene of FILE\n"
    "  --csv FILE        write the figures of each frame to FILE\n"
    "  --out DIR         where the picture goes (demo)\n"
    "  --models DIR      where to look for models if none is named (/usr/share/assimp/models)\n"
    "  --inspect PORT    let a browser on this machine look inside; 0: on any port that is free\n"
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
                                 .inspect = INSPECT_OFF,
                                 .out_directory = "demo",
                                 .models = "/usr/share/assimp/models"};
}

int options_read(struct demo_options *options, int argc, char **argv)
{
    struct demo_settings *settings = &options->settings;
    const struct command_line_option known[] = {
        {"--frames", .number = &settings->frames, .least = 1, .most = 1000000},
        {"--nodes", .number = &settings->nodes, .least = 100, .most = 1000000},
        {"--budget", .number = &settings->swaps, .least = 1, .most = UINT32_MAX},
        {"--swaps", .number = &settings->swaps, .least = 1, .most = UINT32_MAX},
        {"--budget-us", .number = &settings->budget_us, .least = 1, .most = 1000000},
        {"--sort-budget", .number = &settings->sort_swaps, .least = 1, .most = UINT32_MAX},
        {"--seed", .number = &settings->seed, .most = UINT32_MAX},
        {"--runs", .number = &options->runs, .least = 1, .most = REPORT_MOST_RUNS},
        {"--inspect", .number = &options->inspect, .most = 65535},
        {"--elsewhere", .on = &settings->elsewhere},
        {"--plain", .on = &options->plain},
        {"--save", .text = &options->save},
        {"--load", .text = &options->load},
        {"--csv", .text = &options->csv},
        {"--out", .text = &options->out_directory},
        {"--models", .text = &options->models}};
    const struct command_line line = {"demo", usage, known, sizeof known / sizeof *known};
    options->paths = argv;
    return command_line_read(&line, argc, argv, &options->path_count);
}
