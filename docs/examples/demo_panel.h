/* SPDX-License-Identifier: MIT */
/* demo_panel: the rows of the demo's live view. A row has a label and two halves: with
 * defragmentation, and without. */
#ifndef DEMO_PANEL_H
#define DEMO_PANEL_H

#include "demo_view.h"

/* Draws a moment on the terminal. `share_done` is that of all runs; the rest may take `left_s`
 * seconds. */
void panel_draw(const struct demo_moment *moment, double share_done, double left_s);

#endif
