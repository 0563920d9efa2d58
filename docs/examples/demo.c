/* SPDX-License-Identifier: MIT */
/* demo: real models, a scene of 100,000 nodes that changes in every frame, a camera that flies over
 * it, and the cost of keeping both the scene and what is drawn of it in order.
 *
 *     demo --help
 *
 * Two simulations make the same edits, one with and one without defragmentation. They alternate
 * frame by frame, so that other work on the machine affects both. All frames are run several times,
 * and the medians are shown. A scene that is saved and loaded, or run backwards and forwards
 * again, goes on as if nothing had happened: the hash of all handles tells. The exit code is 1 if a
 * model that is named cannot be read, a stale handle resolves, a budget is exceeded, a scene is
 * found to be damaged, or two runs issue different handles; 2 if the command line is wrong, or the
 * results cannot be written. */
#define _POSIX_C_SOURCE 200809L

#include "command_line.h"
#include "demo_history.h"
#include "demo_inspect.h"
#include "demo_models.h"
#include "demo_picture.h"
#include "demo_save.h"
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

/* The moment that F9 goes back to, of both sides. */
struct demo_kept {
    unsigned char *bytes[2];
    size_t sizes[2];
    uint32_t done; /* frames; 0: there is none */
};

/* The first save counts the bytes. */
static const char *keep(struct demo_kept *kept, const struct demo_moment *moment)
{
    for (int i = 0; i < 2; i++) {
        hm_memory_stream stream = {0};
        const char *reason = simulation_save(moment->simulations[i], hm_sink_memory(&stream));
        free(kept->bytes[i]);
        kept->sizes[i] = stream.position;
        kept->bytes[i] = malloc(stream.position);
        if (kept->bytes[i] == NULL)
            return "out of memory";
        stream = (hm_memory_stream){kept->bytes[i], kept->sizes[i], 0};
        if (reason == NULL)
            reason = simulation_save(moment->simulations[i], hm_sink_memory(&stream));
        if (reason != NULL)
            return reason;
    }
    kept->done = moment->done;
    return NULL;
}

static const char *go_back(const struct demo_kept *kept, struct demo_side *sides[2],
                           struct demo_moment *moment)
{
    const char *reason = NULL;
    for (int i = 0; i < 2 && reason == NULL; i++) {
        hm_memory_stream stream = {kept->bytes[i], kept->sizes[i], 0};
        simulation_fini(&sides[i]->simulation);
        reason = simulation_load(&sides[i]->simulation, moment->settings, i == 0,
                                 hm_source_memory(&stream));
    }
    moment->done = kept->done;
    return reason;
}

static const char *begin_side(struct demo_result *result, struct demo_side *side, bool defragments)
{
    simulation_fini(&side->simulation);
    if (result->load == NULL)
        return simulation_init(&side->simulation, result->settings, defragments);
    rewind(result->load);
    return simulation_load(&side->simulation, result->settings, defragments,
                           hm_source_file(result->load));
}

/* Shows a moment, here and in a browser, then does what the user asks for. */
static const char *show(struct demo_side *sides[2], struct demo_moment *moment,
                        struct demo_kept *kept)
{
    view_show(moment);
    demo_inspect_answer();
    if (view_signal() != 0)
        return interrupted;
    enum view_wish wish = view_wish();
    const char *reason = wish == VIEW_KEEP ? keep(kept, moment) : NULL;
    moment->kept = kept->done;
    if (wish == VIEW_GO_BACK && kept->done != 0)
        reason = go_back(kept, sides, moment);
    if (wish == VIEW_TURN)
        moment->is_backwards = !moment->is_backwards;
    return reason;
}

/* A frame on each side. */
static const char *run_frame(struct demo_side *sides[2], size_t first, struct demo_moment *moment,
                             struct demo_kept *kept)
{
    for (int i = 0; i < 2; i++) {
        struct demo_frame *frame = &sides[i]->frames[first + moment->done];
        const char *reason = simulation_step(&sides[i]->simulation, frame);
        if (reason != NULL)
            return reason;
    }
    moment->done++;
    demo_history_mark();
    return show(sides, moment, kept);
}

/* To the frame before, and at the oldest that is kept forwards again. */
static const char *run_back(struct demo_side *sides[2], struct demo_moment *moment,
                            struct demo_kept *kept)
{
    moment->is_backwards = demo_history_back();
    view_wait();
    return show(sides, moment, kept);
}

/* Runs all frames once, on both sides alternately. */
static const char *run_frames(struct demo_result *result, uint32_t run)
{
    struct demo_side *sides[2] = {&result->with, &result->without};
    const struct demo_settings *settings = result->settings;
    size_t first = (size_t)run * settings->frames;
    struct demo_moment moment = {.settings = settings, .run = run, .runs = result->runs};
    moment.address = demo_inspect_address();
    struct demo_kept kept = {0};
    const char *reason = NULL;
    for (int i = 0; i < 2 && reason == NULL; i++) {
        reason = begin_side(result, sides[i], i == 0);
        moment.simulations[i] = &sides[i]->simulation;
        moment.frames[i] = sides[i]->frames + first;
    }
    demo_history_begin_run(&moment.done);
    while (reason == NULL && moment.done < settings->frames)
        reason = moment.is_backwards ? run_back(sides, &moment, &kept)
                                     : run_frame(sides, first, &moment, &kept);
    demo_history_end_run(&moment.done);
    free(kept.bytes[0]);
    free(kept.bytes[1]);
    return reason;
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

/* The files that options name; NULL: none. */
struct demo_files {
    FILE *csv, *load, *save;
};

static const char *report(const struct demo_result *result, const struct demo_options *options,
                          const struct demo_files *files)
{
    report_table(result);
    if (files->csv != NULL && !report_csv(result, files->csv))
        return "the figures cannot be written to the file of --csv";
    if (files->save != NULL) {
        const char *reason = simulation_save(&result->with.simulation, hm_sink_file(files->save));
        if (reason != NULL)
            return reason;
        printf("saved: %s\n", options->save);
    }
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

static const char *run_demo(const struct demo_options *options, const struct demo_files *files)
{
    static struct demo_result result;
    struct demo_settings settings = options->settings;
    result.settings = &settings;
    result.runs = options->runs;
    result.load = files->load;
    announce(options);
    demo_inspect_begin(&result.with.simulation, options->inspect);
    view_open(options->plain);
    if (view_is_live())
        demo_history_begin(&result.with.simulation, &result.without.simulation);
    settings.memory = demo_history_memory();
    const char *reason = run_all(&result);
    view_close();
    if (reason == NULL)
        reason = report(&result, options, files);
    demo_inspect_end();
    free_result(&result);
    demo_history_end();
    return reason;
}

/* Before all runs, since it would be a pity to find only after them that their results cannot be
 * written. */
static bool prepare_files(const struct demo_options *options, struct demo_files *files)
{
    struct {
        const char *option, *path, *mode;
        FILE **file;
    } named[] = {{"--load", options->load, "rb", &files->load},
                 {"--save", options->save, "wb", &files->save},
                 {"--csv", options->csv, "w", &files->csv}};
    if (!picture_prepare(options->out_directory)) {
        fprintf(stderr, "demo: --out: %s: %s\n", options->out_directory, strerror(errno));
        return false;
    }
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        if (named[i].path == NULL)
            continue;
        *named[i].file = command_line_open("demo", named[i].option, named[i].path, named[i].mode);
        if (*named[i].file == NULL)
            return false;
    }
    return true;
}

static const char *close_files(const struct demo_files *files, const char *reason)
{
    if (files->load != NULL)
        fclose(files->load);
    if (files->csv != NULL && fclose(files->csv) != 0 && reason == NULL)
        reason = "the figures cannot be written to the file of --csv";
    if (files->save != NULL && fclose(files->save) != 0 && reason == NULL)
        reason = "the scene cannot be written to the file of --save";
    return reason;
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
    struct demo_files files = {0};
    int code = options_read(&options, argc, argv);
    if (code != COMMAND_LINE_RUN)
        return code;
    if (!prepare_files(&options, &files))
        return COMMAND_LINE_WRONG;
    const char *reason = models_load(&models, &options);
    if (reason == NULL) {
        options.settings.models = models.parts;
        options.settings.model_count = models.count;
        reason = run_demo(&options, &files);
    }
    models_free(&models);
    return finish(close_files(&files, reason));
}
