/* SPDX-License-Identifier: MIT */
/* streamer: a world of 16 levels, of which only those near the walker are in memory.
 *
 *     streamer --help
 *
 *      0  1  2  3     Each level is a map of props with a type id of its own. A level is saved to
 *      4  5  6  7     its file and finished when the walker leaves its neighbours, and loaded when
 *      8  9 10 11     he comes back: then every handle means what it meant. So a prop may refer to
 *     12 13 14 15     one of another level, in memory or not, and nothing is ever renumbered.
 *
 * While the walker goes around, props near him are destroyed, made and moved, and handles to props
 * everywhere are asked for. At the end all levels are compared with those of the same walk with
 * everything in memory. The exit code is 1 if they differ, a handle resolves that should not or the
 * other way round, or a file cannot be written or read; 2 if the command line is wrong. */
#include "command_line.h"
#include "scene_import.h"

#include <handle_map/map.h>
#include <handle_map/save.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 4, LEVELS = SIDE * SIDE, WATCHED = 512, FIRST_TYPE_ID = 1 };

struct prop {
    float x, y;
    hm_handle friend; /* of any level */
};

/* A handle that the program keeps, and whether its prop is still alive: what an answer is checked
 * against. */
struct watch {
    hm_handle handle;
    bool is_alive;
};

struct levels {
    hm_map maps[LEVELS]; /* of struct prop; zeroed while they are not in memory */
    bool is_here[LEVELS];
    const char *directory; /* of the files; NULL: all levels stay in memory */
    struct watch watched[WATCHED];
    uint64_t random;
    uint64_t loads, saves, here, gone, away; /* how often; and answers for watched handles */
    uint32_t most_here;                      /* levels in memory at a time */
};

static const hm_save_desc prop_format = {.name = "props", .layout = "prop", .version = 1};

static uint32_t below(struct levels *levels, uint32_t n)
{
    return random_below(&levels->random, n);
}

/* Levels come and go */

static bool open_level(struct levels *levels, uint32_t number)
{
    const hm_map_desc desc = {.item_size = sizeof(struct prop),
                              .type_id = (uint16_t)(FIRST_TYPE_ID + number),
                              .name = "level"};
    levels->is_here[number] = hm_map_init(&levels->maps[number], &desc) == HM_OK;
    return levels->is_here[number];
}

static FILE *open_file(const char *directory, uint32_t number, const char *mode)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/level%02u.hm", directory, (unsigned)number);
    return command_line_open("streamer", "--dir", path, mode);
}

static bool load_level(struct levels *levels, uint32_t number)
{
    FILE *file = open_file(levels->directory, number, "rb");
    if (file == NULL || !open_level(levels, number))
        return false;
    hm_status status = hm_map_load(&levels->maps[number], &prop_format, hm_source_file(file));
    fclose(file);
    levels->loads++;
    return status == HM_OK;
}

static bool save_level(struct levels *levels, uint32_t number)
{
    FILE *file = open_file(levels->directory, number, "wb");
    if (file == NULL)
        return false;
    hm_status status = hm_map_save(&levels->maps[number], &prop_format, hm_sink_file(file));
    if (fclose(file) != 0 || status != HM_OK)
        return false;
    hm_map_fini(&levels->maps[number]);
    levels->is_here[number] = false;
    levels->saves++;
    return true;
}

/* Whether the level is the walker's, or one of the eight around it. */
static bool is_near(uint32_t number, uint32_t column, uint32_t row)
{
    int columns = (int)(number % SIDE) - (int)column, rows = (int)(number / SIDE) - (int)row;
    return columns >= -1 && columns <= 1 && rows >= -1 && rows <= 1;
}

static bool follow(struct levels *levels, uint32_t column, uint32_t row)
{
    uint32_t here = 0;
    for (uint32_t i = 0; i < LEVELS; i++) {
        bool is_wanted = levels->directory == NULL || is_near(i, column, row);
        if (is_wanted != levels->is_here[i] &&
            !(is_wanted ? load_level(levels, i) : save_level(levels, i)))
            return false;
        here += levels->is_here[i];
    }
    if (levels->most_here < here)
        levels->most_here = here;
    return true;
}

/* What happens in them */

static hm_handle make_prop(struct levels *levels, uint32_t number)
{
    struct prop made = {(float)below(levels, 1000), (float)below(levels, 1000), HM_NULL_HANDLE};
    made.friend = levels->watched[below(levels, WATCHED)].handle;
    return hm_map_insert(&levels->maps[number], &made);
}

/* Watches a new prop in place of another, so that dead and living ones are watched. */
static void watch(struct levels *levels, hm_handle handle)
{
    levels->watched[below(levels, WATCHED)] = (struct watch){handle, true};
}

static void destroy_prop(struct levels *levels, uint32_t number)
{
    hm_map *map = &levels->maps[number];
    hm_handle handle = hm_map_handle_at(map, below(levels, hm_map_count(map)));
    hm_map_erase(map, handle);
    for (uint32_t i = 0; i < WATCHED; i++)
        if (hm_handle_equal(levels->watched[i].handle, handle))
            levels->watched[i].is_alive = false;
}

static void change_level(struct levels *levels, uint32_t number, uint32_t changes)
{
    hm_map *map = &levels->maps[number];
    for (uint32_t i = 0; i < changes; i++) {
        destroy_prop(levels, number);
        watch(levels, make_prop(levels, number));
        struct prop *props = hm_map_items(map);
        props[below(levels, hm_map_count(map))].x += 1;
    }
}

/* Asks for each handle that is watched, wherever its level is. False if an answer is wrong. */
static bool ask(struct levels *levels)
{
    for (uint32_t i = 0; i < WATCHED; i++) {
        const struct watch *watch = &levels->watched[i];
        uint32_t number = (uint32_t)hm_handle_type_id(watch->handle) - FIRST_TYPE_ID;
        if (!levels->is_here[number]) {
            levels->away++;
            continue;
        }
        bool is_alive = hm_map_get(&levels->maps[number], watch->handle) != NULL;
        if (is_alive != watch->is_alive)
            return false;
        levels->here += is_alive;
        levels->gone += !is_alive;
    }
    return true;
}

/* The walk */

struct settings {
    uint32_t props, frames, changes; /* in a level; changes to each level in a frame */
    const char *directory;
};

/* Where the walker is at a time from 0 to 1: three rounds. */
static void place(double time, uint32_t *column, uint32_t *row)
{
    double angle = time * 3 * 6.283185307179586;
    *column = (uint32_t)(SIDE / 2.0 + cos(angle) * (SIDE / 2.0 - 0.01));
    *row = (uint32_t)(SIDE / 2.0 + sin(angle) * (SIDE / 2.0 - 0.01));
}

static bool build(struct levels *levels, const struct settings *settings, const char *directory)
{
    *levels = (struct levels){.random = 1};
    for (uint32_t i = 0; i < LEVELS; i++) {
        if (!open_level(levels, i))
            return false;
        for (uint32_t n = 0; n < settings->props; n++)
            if (hm_handle_is_null(make_prop(levels, i)))
                return false;
    }
    for (uint32_t i = 0; i < WATCHED; i++) {
        const hm_map *map = &levels->maps[i % LEVELS];
        hm_handle handle = hm_map_handle_at(map, below(levels, hm_map_count(map)));
        levels->watched[i] = (struct watch){handle, true};
    }
    levels->directory = directory;
    return true;
}

static const char *walk(struct levels *levels, const struct settings *settings)
{
    for (uint32_t frame = 0; frame < settings->frames; frame++) {
        uint32_t column, row;
        place((double)frame / settings->frames, &column, &row);
        if (!follow(levels, column, row))
            return hm_last_error();
        for (uint32_t i = 0; i < LEVELS; i++)
            if (is_near(i, column, row))
                change_level(levels, i, settings->changes);
        if (!ask(levels))
            return "a handle has a wrong answer";
        if (progress_is_due())
            fprintf(stderr, "streamer: frame %u of %u, %u levels in memory\n", (unsigned)frame,
                    (unsigned)settings->frames, (unsigned)levels->most_here);
    }
    return NULL;
}

/* FNV-1a (Fowler, Noll and Vo), 64 bits. */
static uint64_t mix(uint64_t hash, uint64_t number)
{
    for (int i = 0; i < 8; i++)
        hash = (hash ^ (number >> 8 * i & 0xFF)) * UINT64_C(0x100000001B3);
    return hash;
}

/* Of all levels: their handles, in order, and what the props hold. Ends them. */
static const char *finish(struct levels *levels, uint64_t *hash)
{
    *hash = UINT64_C(0xCBF29CE484222325);
    for (uint32_t number = 0; number < LEVELS; number++) {
        hm_map *map = &levels->maps[number];
        if (!levels->is_here[number] && !load_level(levels, number))
            return hm_last_error();
        const struct prop *props = hm_map_items(map);
        for (uint32_t i = 0; i < hm_map_count(map); i++) {
            *hash = mix(*hash, hm_map_handle_at(map, i).bits);
            *hash = mix(*hash, (uint64_t)props[i].x << 32 | (uint64_t)props[i].y);
            *hash = mix(*hash, props[i].friend.bits);
        }
        hm_map_fini(map);
    }
    return NULL;
}

static void report(const struct levels *levels, const struct settings *settings)
{
    printf("%u props in %u levels, of which at most %u in memory\n"
           "levels loaded: %llu, saved: %llu\n"
           "answers: %llu props, %llu gone, %llu in levels that are not in memory\n",
           (unsigned)(LEVELS * settings->props), (unsigned)LEVELS, (unsigned)levels->most_here,
           (unsigned long long)levels->loads, (unsigned long long)levels->saves,
           (unsigned long long)levels->here, (unsigned long long)levels->gone,
           (unsigned long long)levels->away);
}

/* Returns NULL, or what went wrong; empty: that was printed. */
static const char *compare_walks(const struct settings *settings)
{
    static struct levels streamed, whole;
    uint64_t hashes[2] = {0, 1};
    const char *reason = "out of memory";
    if (build(&streamed, settings, settings->directory) && build(&whole, settings, NULL))
        reason = walk(&streamed, settings);
    if (reason == NULL)
        reason = walk(&whole, settings);
    if (reason != NULL)
        return reason;
    report(&streamed, settings);
    reason = finish(&streamed, &hashes[0]);
    if (reason == NULL)
        reason = finish(&whole, &hashes[1]);
    if (reason != NULL)
        return reason;
    printf("hash: %016llx; with all levels in memory: %016llx\n", (unsigned long long)hashes[0],
           (unsigned long long)hashes[1]);
    return hashes[0] == hashes[1] ? NULL : "the walks differ";
}

static const char usage[] = "usage: streamer [OPTION...]\n"
                            "Levels are loaded and saved as a walker comes and goes.\n"
                            "  --props N     props in each of the 16 levels (20000)\n"
                            "  --frames N    frames to walk (600)\n"
                            "  --changes N   props replaced in each level near, in a frame (20)\n"
                            "  --dir DIR     where the files go; it must exist (.)\n"
                            "  --help        print this text\n";

int main(int argc, char **argv)
{
    struct settings settings = {20000, 600, 20, "."};
    const struct command_line_option known[] = {
        {"--props", .number = &settings.props, .least = 100, .most = 1000000},
        {"--frames", .number = &settings.frames, .least = 1, .most = 1000000},
        {"--changes", .number = &settings.changes, .least = 1, .most = 100000},
        {"--dir", .text = &settings.directory}};
    const struct command_line line = {"streamer", usage, known, sizeof known / sizeof *known};
    int code = command_line_read(&line, argc, argv, NULL);
    if (code != COMMAND_LINE_RUN)
        return code;
    /* Before all work, since it would be in vain. */
    FILE *file = open_file(settings.directory, 0, "wb");
    if (file == NULL)
        return COMMAND_LINE_WRONG;
    fclose(file);
    const char *reason = compare_walks(&settings);
    if (reason != NULL && *reason != '\0')
        fprintf(stderr, "streamer: %s\n", reason);
    return reason != NULL;
}
