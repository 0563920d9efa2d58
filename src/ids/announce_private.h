/* SPDX-License-Identifier: MIT */
/* announce: each init says which memory it is about to overwrite, and the listener, which is the
 * report, can tell whether a live container is there. The init itself cannot: its memory may be
 * uninitialised. */
#ifndef HANDLE_MAP_ANNOUNCE_PRIVATE_H
#define HANDLE_MAP_ANNOUNCE_PRIVATE_H

#include <handle_map/base.h>

/* `kind`: "map", "pool" and so on. Any thread may call it. */
typedef void hm_announce_listener(const char *kind, const void *container);

/* Sets the listener; always the same function, and one call at a time. */
void hm_announce_to(hm_announce_listener *listener);

/* What each init of a container begins with: says which memory it is about to overwrite, where it
 * reads nothing, and zeroes it. HM_ERROR_INVALID: the container or the descriptor is NULL. */
hm_status hm_announce_init(const char *kind, void *container, size_t size, const void *desc);

#endif
