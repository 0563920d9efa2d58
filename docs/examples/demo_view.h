/* SPDX-License-Identifier: MIT */
/* demo_view: shows how far the demo is, and how the two simulations fare: live on a terminal, else
 * in a line now and then. */
#ifndef DEMO_VIEW_H
#define DEMO_VIEW_H

#include "demo_simulation.h"

/* A moment between two frames. The simulations are one with defragmentation, and one without. */
struct demo_moment {
    const struct demo_settings *settings;
    const struct simulation *simulations[2];
    const struct demo_frame *frames[2]; /* `done` frames of this run */
    uint32_t done;                      /* at least 1 */
    uint32_t run, runs;                 /* run counts from 0 */
    uint32_t kept;                      /* the frame that F9 goes back to; 0: none */
    const char *address;                /* where a browser may look inside; NULL: nowhere */
    bool is_backwards;
};

enum { MOMENT_RECENT = 15 }; /* frames */

/* The latest frame of a side (0: with defragmentation), but with times that are the means of some
 * frames, since single frames flicker. */
struct demo_frame moment_recent(const struct demo_moment *moment, int side);

/* Begins; `plain`: in lines, even on a terminal. */
void view_open(bool plain);

/* Whether it shows pictures, and there may be wishes. */
bool view_is_live(void);

/* Waits as long as a picture is shown. */
void view_wait(void);

/* Shows a moment. Call it after each frame: it does nothing when it was called just before. */
void view_show(const struct demo_moment *moment);

/* What the user asks for by a key: F5 keeps this moment, F9 goes back to the one that was kept, b
 * turns round, backwards frame by frame or forwards again. */
enum view_wish { VIEW_GO_ON, VIEW_KEEP, VIEW_GO_BACK, VIEW_TURN };
enum view_wish view_wish(void);

/* Ends, and leaves the terminal as it was. */
void view_close(void);

/* The signal that asks the program to stop: close the view, and raise it. 0: none. */
int view_signal(void);

#endif
