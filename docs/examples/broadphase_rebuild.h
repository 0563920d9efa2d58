/* SPDX-License-Identifier: MIT */
/* broadphase_rebuild: what programs do without an index. In each frame the circles are sorted into
 * their cells from scratch, by counting, and all contacts are found anew: two arrays, and nothing
 * that has to be kept up to date.
 *
 * Owns: its arrays. Threads: none. */
#ifndef BROADPHASE_REBUILD_H
#define BROADPHASE_REBUILD_H

#include "broadphase_circles.h"

struct rebuild_circle {
    int32_t x, y, radius;
    uint32_t index; /* in the map */
};

struct rebuild {
    uint32_t side;                 /* of the square, in cells */
    uint32_t *starts;              /* of each cell in `sorted`, and the end */
    struct rebuild_circle *sorted; /* by cells */
    uint32_t count;
    uint32_t *first_contacts; /* of each circle of `sorted` in `contacts`, and the end */
    uint32_t *contacts;       /* indices in the map */
    size_t contact_count, contact_capacity;
};

/* Each returns false when there is no memory. */

bool rebuild_init(struct rebuild *r, const struct circles *c);
void rebuild_fini(struct rebuild *r);

/* Sorts the circles into their cells. */
void rebuild_grid(struct rebuild *r, const struct circles *c);
/* Finds the contacts of all circles, for each of the two. */
bool rebuild_contacts(struct rebuild *r);

#endif
