/* SPDX-License-Identifier: MIT */
/* demo_save: a simulation as a file, and back. What follows a load is what would have followed the
 * save, up to the handles that are issued, but for what an unfinished order had found out.
 *
 *     section "scene"       the nodes; scene_graph.h
 *     section "materials"   what can be drawn
 *     section "draw list"   what is drawn
 *     section "numbers"     all else: groups, plots, stale handles and the random generator */
#ifndef DEMO_SAVE_H
#define DEMO_SAVE_H

#include "demo_simulation.h"

/* Returns NULL, or what went wrong. */
const char *simulation_save(const struct simulation *simulation, hm_sink sink);

/* Makes a simulation of what was saved with the same nodes, models and `elsewhere` in its settings;
 * takes the place of simulation_init. Returns NULL, or what went wrong. */
const char *simulation_load(struct simulation *simulation, const struct demo_settings *settings,
                            bool defragments, hm_source source);

#endif
