/* SPDX-License-Identifier: MIT */
/* demo_history: lets the live demo run backwards. A mark after each frame keeps what changed in
 * both simulations; going back a frame puts that back. Pages are compared, since a history that is
 * told of the first write to each would slow the frames down that are measured. */
#ifndef DEMO_HISTORY_H
#define DEMO_HISTORY_H

#include "demo_simulation.h"

#include <handle_map/history.h>

enum { DEMO_HISTORY_FRAMES = 90 }; /* that it can go back */

/* Begins. The simulations get their memory from demo_history_memory(), which is NULL, the system's,
 * if the system has no room for a history. */
void demo_history_begin(struct simulation *with, struct simulation *without);
const hm_memory *demo_history_memory(void);

/* Begins a run, of which so many frames are done; *done goes back with the simulations. */
void demo_history_begin_run(uint32_t *done);
void demo_history_end_run(uint32_t *done);

/* Marks the moment between two frames. */
void demo_history_mark(void);

/* Goes back a frame; false: the run goes back no further. */
bool demo_history_back(void);

/* Ends, after the simulations. */
void demo_history_end(void);

#endif
