/* SPDX-License-Identifier: MIT */
/* The demo's view. See demo_view.h. */
#define _POSIX_C_SOURCE 200809L

#include "demo_view.h"

#include "demo_panel.h"
#include "demo_terminal.h"

#include <stdio.h>
#include <time.h>

enum { REDRAW_MS = 50 };

static struct {
    bool live;
    double opened_ms, shown_ms;
} view;

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

void view_open(bool plain)
{
    view.live = !plain && terminal_open();
    view.opened_ms = now_ms();
    view.shown_ms = 0;
}

void view_close(void)
{
    terminal_close();
}

bool view_is_live(void)
{
    return view.live;
}

void view_wait(void)
{
    const struct timespec time = {.tv_nsec = (long)REDRAW_MS * 1000000};
    nanosleep(&time, NULL);
}

int view_signal(void)
{
    return terminal_signal();
}

enum view_wish view_wish(void)
{
    switch (terminal_key()) {
    case TERMINAL_F5:
        return VIEW_KEEP;
    case TERMINAL_F9:
        return VIEW_GO_BACK;
    case TERMINAL_B:
        return VIEW_TURN;
    default:
        return VIEW_GO_ON;
    }
}

/* Frames of all runs that are done, as a share. */
static double share_done(const struct demo_moment *moment)
{
    double frames = moment->settings->frames;
    return (moment->run * frames + moment->done) / (moment->runs * frames);
}

/* Prints a line after each quarter of a run. */
static void print_line(const struct demo_moment *moment)
{
    uint32_t frames = moment->settings->frames;
    uint32_t done = moment->done;
    if ((uint64_t)done * 4 / frames == (uint64_t)(done - 1) * 4 / frames)
        return;
    const struct demo_frame with = moment_recent(moment, 0);
    const struct demo_frame without = moment_recent(moment, 1);
    fprintf(stderr,
            "run %u of %u, frame %u of %u: memory order %.1f%% against %.1f%%, "
            "%.2f ms a frame against %.2f\n",
            (unsigned)moment->run + 1, (unsigned)moment->runs, (unsigned)done, (unsigned)frames,
            100 * with.order, 100 * without.order, demo_frame_ms(&with), demo_frame_ms(&without));
}

void view_show(const struct demo_moment *moment)
{
    if (!view.live) {
        print_line(moment);
        return;
    }
    double now = now_ms();
    if (now - view.shown_ms < REDRAW_MS)
        return;
    double share = share_done(moment);
    panel_draw(moment, share, (now - view.opened_ms) * (1 - share) / share / 1000);
    view.shown_ms = now_ms();
}

/* Moments */

struct demo_frame moment_recent(const struct demo_moment *moment, int side)
{
    struct demo_frame mean = moment->frames[side][moment->done - 1];
    uint32_t count = moment->done < MOMENT_RECENT ? moment->done : MOMENT_RECENT;
    mean.update_ms = mean.defragment_ms = mean.sort_ms = 0;
    for (uint32_t i = moment->done - count; i < moment->done; i++) {
        mean.update_ms += moment->frames[side][i].update_ms / count;
        mean.defragment_ms += moment->frames[side][i].defragment_ms / count;
        mean.sort_ms += moment->frames[side][i].sort_ms / count;
    }
    return mean;
}
