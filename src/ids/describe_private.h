/* SPDX-License-Identifier: MIT */
/* describe: what a handle means to a container, in words. Each container has a function `describe`,
 * which finds out what there is to say; the sentences are here, one for each state. */
#ifndef HANDLE_MAP_DESCRIBE_PRIVATE_H
#define HANDLE_MAP_DESCRIBE_PRIVATE_H

#include <handle_map/handle.h>

/* What a container knows of a handle. */
typedef struct hm_description {
    const char *name; /* of the container; NULL if it has none */
    hm_handle handle;
    hm_handle_state state;
    uint32_t type_id;    /* of the container's handles */
    uint32_t slots;      /* slots that the container has */
    uint32_t generation; /* no handle of the slot has a higher one */
    bool is_free;        /* whether the handle's slot has no item now */
    bool is_zeroed;      /* the container is not initialised: nothing else is said */
} hm_description;

/* Writes the sentence for the state as hm_format does: returns the length of the whole text. */
HM_COLD size_t hm_describe(const hm_description *what, char *buffer, size_t size);

/* The same for what is no state: a handle whose type id no container has. */
HM_COLD size_t hm_describe_lost(hm_handle handle, char *buffer, size_t size);

#endif
