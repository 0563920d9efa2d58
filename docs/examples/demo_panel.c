/* SPDX-License-Identifier: MIT */
/* The rows of the demo's live view. See demo_panel.h.
 *
 * The most important rows come first, since a small terminal cuts off the last ones. Charts and a
 * map fill what a large one has left. */
#include "demo_panel.h"

#include "demo_chart.h"
#include "demo_terminal.h"

#include <stdio.h>

enum {
    LABEL = 24,      /* columns */
    NUMBER = 9,      /* columns */
    NARROWEST = 4,   /* columns: a bar with less has nothing to say */
    CHART_LEAST = 4, /* rows */
    CHART_MOST = 14,
    MAP_LEAST = 6
};

static const double full_bar_ms = 1000.0 / 60; /* of the bars of times: 60 frames a second */
static const double mebibyte = 1 << 20;

/* Part of a bar. */
struct segment {
    double share; /* of the bar's length */
    char sign;
    enum terminal_colour colour;
};

static const struct segment update_part = {0, '=', TERMINAL_BLUE};
static const struct segment defragment_part = {0, '#', TERMINAL_ORANGE};
static const struct segment sort_part = {0, '+', TERMINAL_GREEN};

static const struct demo_frame *latest(const struct demo_moment *moment, int side)
{
    return &moment->frames[side][moment->done - 1];
}

/* Bars and rows */

/* Draws the segments in `width` columns, brackets included. */
static void put_bar(int width, const struct segment *segments, int count)
{
    int inside = width - 2;
    int drawn = 0;
    double end = 0;
    if (inside < NARROWEST)
        return;
    terminal_put(TERMINAL_DIM, "[");
    for (int i = 0; i < count; i++) {
        end += segments[i].share;
        int to = end < 1 ? (int)(end * inside + 0.5) : inside;
        terminal_fill(segments[i].colour, segments[i].sign, to - drawn);
        drawn = to;
    }
    terminal_fill(TERMINAL_DIM, '.', inside - drawn);
    terminal_put(TERMINAL_DIM, "]");
}

static int label_width(void)
{
    int width = terminal_columns() / 3;
    return width < LABEL ? width : LABEL;
}

static int half_width(void)
{
    return (terminal_columns() - label_width()) / 2;
}

/* Draws a half of a row: a number, and a bar if there are segments. */
static void put_half(int side, const char *number, const struct segment *segments, int count)
{
    terminal_tab(label_width() + side * half_width());
    terminal_put(TERMINAL_PLAIN, "%*s ", NUMBER, number);
    if (count != 0)
        put_bar(half_width() - NUMBER - 2, segments, count);
}

static void put_label(enum terminal_colour colour, const char *label)
{
    terminal_put(colour, "%.*s", label_width() - 1, label);
}

/* Writes a number in groups of three digits. */
static void group_digits(char text[32], uint64_t number)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    for (int i = 0; i < length; i++) {
        *text++ = digits[i];
        if ((length - i) % 3 == 1 && i + 1 < length)
            *text++ = ',';
    }
    *text = '\0';
}

static void count_row(const char *label, uint64_t with, uint64_t without)
{
    char text[32];
    put_label(TERMINAL_PLAIN, label);
    group_digits(text, with);
    put_half(0, text, NULL, 0);
    group_digits(text, without);
    put_half(1, text, NULL, 0);
    terminal_next_row();
}

static void memory_row(const char *label, size_t with, size_t without)
{
    char text[32];
    put_label(TERMINAL_PLAIN, label);
    snprintf(text, sizeof text, "%.1f", (double)with / mebibyte);
    put_half(0, text, NULL, 0);
    snprintf(text, sizeof text, "%.1f", (double)without / mebibyte);
    put_half(1, text, NULL, 0);
    terminal_next_row();
}

static struct segment scaled(struct segment part, double share)
{
    part.share = share;
    return part;
}

static void time_rows(const struct demo_moment *moment)
{
    const struct demo_frame mean[2] = {moment_recent(moment, 0), moment_recent(moment, 1)};
    char text[32];
    put_label(TERMINAL_PLAIN, "frame, of 16.7 ms");
    for (int side = 0; side < 2; side++) {
        const struct segment parts[] = {
            scaled(update_part, mean[side].update_ms / full_bar_ms),
            scaled(defragment_part, mean[side].defragment_ms / full_bar_ms),
            scaled(sort_part, mean[side].sort_ms / full_bar_ms)};
        snprintf(text, sizeof text, "%.2f", demo_frame_ms(&mean[side]));
        put_half(side, text, parts, 3);
    }
    terminal_next_row();
    const struct {
        const char *label;
        const struct segment *part;
        double ms[2];
    } rows[] = {{"update", &update_part, {mean[0].update_ms, mean[1].update_ms}},
                {"defragment", &defragment_part, {mean[0].defragment_ms, mean[1].defragment_ms}},
                {"sort", &sort_part, {mean[0].sort_ms, mean[1].sort_ms}}};
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "  %c %s", rows[i].part->sign, rows[i].label);
        put_label(rows[i].part->colour, text);
        for (int side = 0; side < 2; side++) {
            snprintf(text, sizeof text, "%.2f", rows[i].ms[side]);
            put_half(side, text, NULL, 0);
        }
        terminal_next_row();
    }
}

static void order_row(const struct demo_moment *moment)
{
    put_label(TERMINAL_PLAIN, "memory order");
    for (int side = 0; side < 2; side++) {
        char text[32];
        double order = latest(moment, side)->order;
        snprintf(text, sizeof text, "%.1f%%", 100 * order);
        const struct segment part = {order, '=', TERMINAL_VIOLET};
        put_half(side, text, &part, 1);
    }
    terminal_next_row();
}

/* Only the simulation that defragments swaps anything. */
static void swaps_row(const char *format, uint32_t swaps, uint32_t allowed,
                      enum terminal_colour colour)
{
    char text[32];
    const struct segment part = {(double)swaps / allowed, '=', colour};
    snprintf(text, sizeof text, format, (unsigned)allowed);
    put_label(TERMINAL_PLAIN, text);
    group_digits(text, swaps);
    put_half(0, text, &part, 1);
    put_half(1, "-", NULL, 0);
    terminal_next_row();
}

static void changes_row(const struct demo_moment *moment)
{
    put_label(TERMINAL_PLAIN, "material changes");
    for (int side = 0; side < 2; side++) {
        char text[32];
        const struct demo_frame *frame = latest(moment, side);
        const struct segment part = {
            frame->drawn != 0 ? (double)frame->material_changes / frame->drawn : 0, '=',
            TERMINAL_GREEN};
        group_digits(text, frame->material_changes);
        put_half(side, text, &part, 1);
    }
    terminal_next_row();
}

/* Parts of the panel */

static void draw_head(const struct demo_moment *moment, double share_done, double left_s)
{
    const struct demo_settings *settings = moment->settings;
    char nodes[32];
    group_digits(nodes, settings->nodes);
    terminal_put(TERMINAL_BOLD, "handle_map");
    terminal_put(TERMINAL_PLAIN, "  %s nodes, 1%% of them replaced %s in each frame; seed %u",
                 nodes, settings->elsewhere ? "elsewhere" : "in place", (unsigned)settings->seed);
    terminal_next_row();
    put_label(TERMINAL_PLAIN, "frames");
    const struct segment done = {share_done, '=', TERMINAL_BOLD};
    terminal_tab(label_width());
    terminal_put(TERMINAL_PLAIN, "%u of %u, run %u of %u, %.0f s left ", (unsigned)moment->done,
                 (unsigned)settings->frames, (unsigned)moment->run + 1, (unsigned)moment->runs,
                 left_s);
    put_bar(terminal_columns_left() - 1, &done, 1);
    terminal_next_row();
    terminal_tab(label_width());
    terminal_put(TERMINAL_DIM, "b runs %s, F5 saves the scenes",
                 moment->is_backwards ? "forwards" : "backwards");
    if (moment->kept != 0)
        terminal_put(TERMINAL_DIM, ", F9 loads those of frame %u", (unsigned)moment->kept);
    terminal_next_row();
    if (moment->address != NULL) {
        terminal_put(TERMINAL_DIM, "open %s to look inside", moment->address);
        terminal_next_row();
    }
    put_label(TERMINAL_BOLD, "defragmentation");
    for (int side = 0; side < 2; side++) {
        terminal_tab(label_width() + side * half_width());
        terminal_put(TERMINAL_BOLD, "%*s", NUMBER, side == 0 ? "with" : "without");
    }
    terminal_next_row();
}

static void draw_rows(const struct demo_moment *moment)
{
    const struct demo_settings *settings = moment->settings;
    const struct simulation *with = moment->simulations[0];
    const struct simulation *without = moment->simulations[1];
    const struct demo_frame *frame = latest(moment, 0);
    time_rows(moment);
    order_row(moment);
    swaps_row("swaps, of %u", frame->swaps, settings->swaps, TERMINAL_ORANGE);
    count_row("stale handles caught", with->refused, without->refused);
    memory_row("memory of scene, MiB", simulation_scene_memory(with),
               simulation_scene_memory(without));
    count_row("nodes in view", frame->drawn, latest(moment, 1)->drawn);
    changes_row(moment);
    swaps_row("sorting swaps, of %u", frame->sort_swaps, settings->sort_swaps, TERMINAL_GREEN);
    memory_row("memory of list, MiB", simulation_draw_memory(with),
               simulation_draw_memory(without));
    count_row("handles issued", with->issued, without->issued);
}

static void draw_charts(const struct demo_moment *moment)
{
    int rows = terminal_rows_left() - 2;
    if (rows > CHART_MOST)
        rows = CHART_MOST;
    if (rows < CHART_LEAST)
        return;
    terminal_next_row();
    char label[64];
    double top = chart_top_ms(moment, half_width() - 2);
    snprintf(label, sizeof label, "frames, up to %.0f ms", top);
    for (int row = rows; row-- > 0;) {
        if (row == rows - 1)
            put_label(TERMINAL_PLAIN, label);
        for (int side = 0; side < 2; side++) {
            terminal_tab(label_width() + side * half_width());
            chart_put_row(moment, side, half_width() - 2, row, rows, top);
        }
        terminal_next_row();
    }
}

static void draw_map(const struct simulation *simulation)
{
    int rows = terminal_rows_left() - 1;
    if (rows < MAP_LEAST)
        return;
    for (int row = 0; row < rows; row++) {
        terminal_next_row();
        if (row == 0)
            put_label(TERMINAL_PLAIN, "the camera's view");
        terminal_tab(label_width());
        map_put_row(simulation, row, rows);
    }
}

void panel_draw(const struct demo_moment *moment, double share_done, double left_s)
{
    terminal_begin();
    draw_head(moment, share_done, left_s);
    draw_rows(moment);
    draw_charts(moment);
    draw_map(moment->simulations[0]);
    terminal_end();
}
