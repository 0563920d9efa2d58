/* SPDX-License-Identifier: MIT */
/* demo_inspect: lets a browser look into the simulation that defragments: its nodes, their
 * materials and the draw list. */
#ifndef DEMO_INSPECT_H
#define DEMO_INSPECT_H

#include "demo_simulation.h"

/* Begins, on a port as of inspect_open. The simulation may begin and end meanwhile. */
void demo_inspect_begin(const struct simulation *simulation, uint32_t port);

/* Answers what has been asked, between two frames. */
void demo_inspect_answer(void);

/* What to open in a browser; NULL: nothing listens. */
const char *demo_inspect_address(void);

void demo_inspect_end(void);

#endif
