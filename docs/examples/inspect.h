/* SPDX-License-Identifier: MIT */
/* inspect: a window into a running program. A browser on the same machine shows the containers of
 * the report (handle_map/report.h) while the program goes on: how full they are, over time, what a
 * handle means, and the items that are asked for.
 *
 *     struct inspect *inspect = inspect_open("game", 0);
 *     while (running) {
 *         run_frame();
 *         inspect_answer(inspect);
 *     }
 *     inspect_close(inspect);
 *
 * The server is libmicrohttpd, and has no thread of its own: it runs while inspect_answer does, so
 * nothing changes while it reads. It listens on the loopback address only, and answers only to an
 * address with a random token, which inspect_open prints. It only reads. A call makes the report
 * once, however many ask, and answers one other question; the rest are told to ask again. So a
 * frame waits for a bounded time, whatever is asked, how often, and however slowly answers are
 * taken.
 *
 * Without libmicrohttpd (HM_WITH_MICROHTTPD is not defined) inspect_open returns NULL. Calls with
 * NULL do nothing. Threads: call it in the thread that changes the containers. */
#ifndef INSPECT_H
#define INSPECT_H

#include <stdint.h>

struct inspect;

#define INSPECT_OFF UINT32_MAX /* instead of a port: nothing listens */

/* Listens on this port; 0: on any that is free. Returns NULL if that is off. Prints the address to
 * stderr, or why there is none, and returns NULL then. `program`: a name to show; it must outlive
 * the window. */
struct inspect *inspect_open(const char *program, uint32_t port);

/* What to open in a browser; NULL of NULL. */
const char *inspect_address(const struct inspect *inspect);

/* Answers what has been asked since the last call; waits for nothing. */
void inspect_answer(struct inspect *inspect);

/* Prints to stderr how long frames waited, and stops listening. */
void inspect_close(struct inspect *inspect);

#endif
