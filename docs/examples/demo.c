/* SPDX-License-Identifier: MIT */
/* demo: real models, a scene of 100,000 nodes that changes in every frame, a camera that flies over
 * it, and the cost of keeping both the scene and what is drawn of it in order.
 *
 *     demo --help
 *
 * Two simulations make the same edits, one with and one without defragmentation. They alternate
 * frame by frame, so that other work on the machine affects both. All frames are run several times,
 * and the medians are shown. The exit code is 1 if a model that is named cannot be read, a stale
 * handle resolves, a budget is exceeded, a scene is found to be damaged, or two runs issue
 * different handles; 2 if the command line is wrong, or the results cannot be written. */
#define _POSIX_C_SOURCE 200809L

#include "command_line.h"
#include "demo_models.h"
#include "demo_picture.h"
#include "demo_view.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const char interrupted[] = "interrupted";

/* Runs */

/* Returns NULL, or what is wrong with a side after a run. */
static const char *check_side(const struct demo_side *side, const struct demo_frame *frames)
{
    const struct simulation *simulation = &side->simulation;
    for (uint32_t i = 0; i < simulation->settings->frames; i++)
        if (frames[i].swaps > simulation->settings->swaps ||
            frames[i].sort_swaps > simulation->settings->sort_swaps)
            return "a frame exceeded its budget of swaps";
    if (simulation->resolved != 0)
        return "a stale handle resolved";
    if (scene_validate(&simulation->scene) != HM_OK ||
        hm_secondary_validate(&simulation->draw_list.items.secondary) != HM_OK)
        return "a scene is damaged";
    return NULL;
}

static const char *check_run(const struct demo_result *result, uint32_t run, uint64_t *hash)
{
    const struct demo_side *with = &result->with;
    const struct demo_side *without = &result->without;
    size_t first = (size_t)run * result->settings->frames;
    const char *reason = check_side(with, with->frames + first);
    if (reason == NULL)
        reason = check_side(without, without->frames + first);
    if (reason != NULL)
        return reason;
    if (run == 0)
        *hash = with->simulation.issued_hash;
    if (with->simulation.issued_hash != *hash || without->simulation.issued_hash != *hash ||
        with->simulation.random != without->simulation.random)
        return "two simulations did not issue the same handles";
    return NULL;
}

/* Runs all frames once, on both sides alternately. */
static const char *run_frames(struct demo_result *result, uint32_t run)
{
    struct demo_side *sides[2] = {&result->with, &result->without};
    const struct demo_settings *settings = result->settings;
    size_t first = (size_t)run * settings->frames;
    struct demo_moment moment = {.settings = settings, .run = run, .runs = result->runs};
    for (int i = 0; i < 2; i++) {
        simulation_fini(&sides[i]->simulation);
        const char *reason = simulation_init(&sides[i]->simulation, settings, i == 0);
        if (reason != NULL)
            return reason;
        moment.simulations[i] = &sides[i]->simulation;
        moment.frames[i] = sides[i]->frames + first;
    }
    while (moment.done < settings->frames) {
        for (int i = 0; i < 2; i++) {
            struct demo_frame *frame = &sides[i]->frames[first + moment.done];
            const char *reason = simulation_step(&sides[i]->simulation, frame);
            if (reason != NULL)
                return reason;
        }
        moment.done++;
        view_show(&moment);
        if (view_signal() != 0)
            return interrupted;
    }
    return NULL;
}

static const char *run_all(struct demo_result *result)
{
    uint32_t count = result->settings->frames;
    uint64_t hash = 0;
    const char *reason = NULL;
    result->with.frames = calloc((size_t)count * result->runs, sizeof *result->with.frames);
    result->without.frames = calloc((size_t)count * result->runs, sizeof *result->without.frames);
    if (result->with.frames == NULL || result->without.frames == NULL)
        return "out of memory";
    for (uint32_t run = 0; reason == NULL && run < result->runs; run++) {
        reason = run_frames(result, run);
        if (reason == NULL)
            reason = check_run(result, run, &hash);
    }
    if (reason != NULL)
        return reason;
    report_merge_runs(result->with.frames, count, result->runs);
    report_merge_runs(result->without.frames, count, result->runs);
    return NULL;
}

static void free_result(struct demo_result *result)
{
    simulation_fini(&result->with.simulation);
    simulation_fini(&result->without.simulation);
    free(result->with.frames);
    free(result->without.frames);
}

/* The program */

static const char *report(const struct demo_result *result, const struct demo_options *options,
                          FILE *csv)
{
    report_table(result);
    if (csv != NULL && !report_csv(result, csv))
        return "the figures cannot be written to the file of --csv";
    return picture_draw(result, options->out_directory);
}

/* Flushes stdout, because the progress goes to stderr. */
static void announce(const struct demo_options *options)
{
    const struct demo_settings *settings = &options->settings;
    printf("%u run%s of %u frames, seed %u: each frame destroys about 1%% of the nodes as subtrees "
           "and builds as many %s\n",
           (unsigned)options->runs, options->runs == 1 ? "" : "s", (unsigned)settings->frames,
           (unsigned)settings->seed, settings->elsewhere ? "elsewhere" : "in their place");
    fflush(stdout);
}

static const char *run_demo(const struct demo_options *options, FILE *csv)
{
    static struct demo_result result;
    result.settings = &options->settings;
    result.runs = options->runs;
    announce(options);
    view_open(options->plain);
    const char *reason = run_all(&result);
    view_close();
    if (reason == NULL)
        reason = report(&result, options, csv);
    free_result(&result);
    return reason;
}

/* Before all runs, since it would be a pity to find only after them that their results cannot be
 * written. */
static bool prepare_results(const struct demo_options *options, FILE **csv)
{
    if (!picture_prepare(options->out_directory)) {
        fprintf(stderr, "demo: --out: %s: %s\n", options->out_directory, strerror(errno));
        return false;
    }
    if (options->csv != NULL)
        *csv = command_line_open("demo", "--csv", options->csv, "w");
    return options->csv == NULL || *csv != NULL;
}

static int finish(const char *reason)
{
    if (reason == NULL)
        return 0;
    fprintf(stderr, "demo: %s\n", reason);
    if (reason == interrupted)
        raise(view_signal());
    return 1;
}

int main(int argc, char **argv)
{
    static struct demo_models models;
    struct demo_options options = options_default();
    FILE *csv = NULL;
    int code = options_read(&options, argc, argv);
    if (code != COMMAND_LINE_RUN)
        return code;
    if (!prepare_results(&options, &csv))
        return COMMAND_LINE_WRONG;
    const char *reason = models_load(&models, &options);
    if (reason == NULL) {
        options.settings.models = models.parts;
        options.settings.model_count = models.count;
        reason = run_demo(&options, csv);
    }
    models_free(&models);
    if (csv != NULL && fclose(csv) != 0 && reason == NULL)
        reason = "the figures cannot be written to the file of --csv";
    return finish(reason);
}
