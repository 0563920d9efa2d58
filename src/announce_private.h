/* SPDX-License-Identifier: MIT */
/* announce: each init says which memory it is about to overwrite, and the listener, which is the
 * report, can tell whether a live container is there. The init itself cannot: its memory may be
 * uninitialised. */
#ifndef HANDLE_MAP_ANNOUNCE_PRIVATE_H
#define HANDLE_MAP_ANNOUNCE_PRIVATE_H

#include <handle_map/bits.h>

/* `kind`: "map", "pool" and so on. Any thread may call it. */
typedef void hm_announce_listener(const char *kind, const void *container);

/* Sets the listener; always the same function, and one call at a time. */
void hm_announce_to(hm_announce_listener *listener);

/* An init calls it before it writes to its container. Reads nothing there. */
void hm_announce_init(const char *kind, const void *container);

#endif
