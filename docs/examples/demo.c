/* SPDX-License-Identifier: MIT */
/* demo: real models, a scene of 100,000 nodes that changes in every frame, and the cost of keeping
 * it in order.
 *
 *     demo [--frames N] [--nodes N] [--swaps N] [--seed N] [--elsewhere] [--out DIR] [MODEL...]
 *
 * Two simulations make the same edits, one with and one without defragmentation. They alternate
 * frame by frame, so that other work on the machine affects both. The exit code is 1 if a stale
 * handle resolves, a budget is exceeded, or a scene is found to be damaged. */
#define _POSIX_C_SOURCE 200809L

#include "demo_report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_MODELS = 64, MADE_UP_MODELS = 4 };

struct options {
    struct demo_settings settings;
    const char *directory;
    char **paths;
    int path_count;
};

static const char usage[] =
    "usage: demo [OPTION...] [MODEL...]\n"
    "  --frames N    frames to run (600)\n"
    "  --nodes N     nodes in the scene (100000)\n"
    "  --swaps N     the budget of a frame's defragmentation (20000)\n"
    "  --seed N      seed of all choices (1)\n"
    "  --elsewhere   do not replace groups in their place: destroy some, build others elsewhere\n"
    "  --out DIR     where the picture goes (demo)\n";

/* Options */

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

/* Parses one option and, if it takes one, its value. Returns the number of arguments used; 0:
 * wrong.
 */
static int parse_option(struct options *options, const char *name, const char *value)
{
    struct demo_settings *settings = &options->settings;
    const struct {
        const char *name;
        uint32_t least, most;
        uint32_t *number;
    } numbers[] = {{"--frames", 1, 1000000, &settings->frames},
                   {"--nodes", 100, 1000000, &settings->nodes},
                   {"--swaps", 1, UINT32_MAX, &settings->swaps},
                   {"--seed", 0, UINT32_MAX, &settings->seed}};
    if (strcmp(name, "--elsewhere") == 0) {
        settings->elsewhere = true;
        return 1;
    }
    if (value == NULL)
        return 0;
    if (strcmp(name, "--out") == 0) {
        options->directory = value;
        return 2;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (strcmp(name, numbers[i].name) == 0)
            return parse_number(value, numbers[i].least, numbers[i].most, numbers[i].number) ? 2
                                                                                             : 0;
    return 0;
}

static bool parse_options(struct options *options, int argc, char **argv)
{
    int at = 1;
    while (at < argc && strncmp(argv[at], "--", 2) == 0) {
        int taken = parse_option(options, argv[at], argv[at + 1]);
        if (taken == 0)
            return false;
        at += taken;
    }
    options->paths = argv + at;
    options->path_count = argc - at;
    return true;
}

/* Models */

/* Reads the models that can be read, and prints which cannot. Returns the number read. */
static uint32_t import_models(const struct options *options, struct model *models)
{
    uint32_t count = 0;
    for (int i = 0; i < options->path_count; i++) {
        const char *path = options->paths[i];
        const char *reason = "there are too many models";
        if (count < MOST_MODELS)
            reason = model_import(&models[count], path);
        if (reason != NULL) {
            fprintf(stderr, "demo: %s: left out: %s\n", path, reason);
            continue;
        }
        printf("model: %s, %u nodes\n", models[count].name, (unsigned)model_count(&models[count]));
        count++;
    }
    return count;
}

static uint32_t make_up_models(const struct options *options, struct model *models)
{
    static const uint32_t sizes[MADE_UP_MODELS] = {22, 38, 83, 129};
    uint32_t count = 0;
    printf("model: none was read; the scene is made of %d trees that are made up here\n",
           MADE_UP_MODELS);
    while (count < MADE_UP_MODELS &&
           model_generate(&models[count], sizes[count], options->settings.seed + count) == NULL)
        count++;
    return count;
}

/* Frames */

/* A bar that is redrawn in place on a terminal; elsewhere a line for each quarter. */
static void show_progress(uint32_t done, uint32_t frames)
{
    enum { WIDTH = 50 };
    static const char bar[WIDTH + 1] = "##################################################";
    static const char gap[WIDTH + 1] = "..................................................";
    uint32_t filled = (uint32_t)((uint64_t)done * WIDTH / frames);
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r[%.*s%.*s] %u of %u frames%s", (int)filled, bar, (int)(WIDTH - filled),
                gap, (unsigned)done, (unsigned)frames, done == frames ? "\n" : "");
    else if ((uint64_t)done * 4 / frames != (uint64_t)(done - 1) * 4 / frames)
        fprintf(stderr, "%u of %u frames\n", (unsigned)done, (unsigned)frames);
}

static const char *run_frames(struct demo_run runs[2], const struct demo_settings *settings)
{
    for (int i = 0; i < 2; i++) {
        runs[i].frames = calloc(settings->frames, sizeof *runs[i].frames);
        if (runs[i].frames == NULL)
            return "out of memory";
        const char *reason = simulation_init(&runs[i].simulation, settings, i == 0);
        if (reason != NULL)
            return reason;
    }
    for (uint32_t frame = 0; frame < settings->frames; frame++) {
        for (int i = 0; i < 2; i++) {
            const char *reason = simulation_step(&runs[i].simulation, &runs[i].frames[frame]);
            if (reason != NULL)
                return reason;
        }
        show_progress(frame + 1, settings->frames);
    }
    return NULL;
}

/* Returns NULL, or what is wrong with the runs. */
static const char *check(const struct demo_run runs[2], const struct demo_settings *settings)
{
    for (uint32_t frame = 0; frame < settings->frames; frame++)
        if (runs[0].frames[frame].swaps > settings->swaps)
            return "a frame exceeded its budget of swaps";
    for (int i = 0; i < 2; i++) {
        if (runs[i].simulation.resolved != 0)
            return "a stale handle resolved";
        if (scene_validate(&runs[i].simulation.scene) != HM_OK)
            return "a scene is damaged";
    }
    if (runs[0].simulation.random != runs[1].simulation.random ||
        runs[0].simulation.issued != runs[1].simulation.issued)
        return "the two runs did not make the same edits";
    return NULL;
}

static const char *run_demo(struct demo_run runs[2], const struct options *options)
{
    const struct demo_settings *settings = &options->settings;
    const char *reason = run_frames(runs, settings);
    if (reason != NULL)
        return reason;
    report_table(&runs[0], &runs[1]);
    reason = check(runs, settings);
    if (reason != NULL)
        return reason;
    return report_picture(&runs[0], &runs[1], options->directory);
}

/* Flushes stdout, because the progress goes to stderr. */
static void announce(const struct demo_settings *settings)
{
    printf("%u frames, seed %u: each destroys about 1%% of the nodes as subtrees and builds as "
           "many %s\n",
           (unsigned)settings->frames, (unsigned)settings->seed,
           settings->elsewhere ? "elsewhere" : "in their place");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static struct model models[MOST_MODELS];
    static struct demo_run runs[2];
    struct options options = {.directory = "demo"};
    options.settings = (struct demo_settings){
        .nodes = 100000, .frames = 600, .swaps = 20000, .seed = 1, .models = models};
    if (!parse_options(&options, argc, argv)) {
        fputs(usage, stderr);
        return 2;
    }
    uint32_t count = import_models(&options, models);
    if (count == 0)
        count = make_up_models(&options, models);
    options.settings.model_count = count;
    announce(&options.settings);
    const char *reason = count != 0 ? run_demo(runs, &options) : "out of memory";
    for (int i = 0; i < 2; i++) {
        simulation_fini(&runs[i].simulation);
        free(runs[i].frames);
    }
    for (uint32_t i = 0; i < count; i++)
        model_free(&models[i]);
    if (reason == NULL)
        return 0;
    fprintf(stderr, "demo: %s\n", reason);
    return 1;
}
