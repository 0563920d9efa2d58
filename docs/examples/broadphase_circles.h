/* SPDX-License-Identifier: MIT */
/* broadphase_circles: moving circles and which of them touch, kept up to date from frame to frame.
 *
 *     circles    hm_map     the circles, packed; some end and others begin in each frame
 *     cells      hm_index   cell of a square grid -> the circles whose centre is in it
 *     contacts   hm_lists   circle -> the circles that it touches
 *
 * A frame costs what has changed: a circle that moved looks for its contacts in nine cells, one
 * that rests costs nothing. Circles that end are not taken out of the index. Their handles resolve
 * to nothing, so that who reads a cell passes them over, until they have become many.
 *
 * Positions are whole numbers, so that whatever finds contacts finds the same ones.
 *
 * Owns: all of it. Threads: none. */
#ifndef BROADPHASE_CIRCLES_H
#define BROADPHASE_CIRCLES_H

#include <handle_map/handle_map.h>

enum {
    CELL_SHIFT = 10, /* a cell is 1024 units wide: as wide as the largest circle */
    MOST_RADIUS = 1 << (CELL_SHIFT - 1),
    CIRCLE_TYPE = 1,
    CONTACTS_TYPE
};

HM_HANDLE_DEFINE(circle)
HM_LISTS_DEFINE(contacts, circle_handle, CONTACTS_TYPE)
HM_INDEX_DEFINE(cells, circle)

struct circle {
    int32_t x, y, radius; /* units; 0 to the side of the square */
    int32_t vx, vy;       /* units a frame; both 0: it rests */
    uint32_t cell;
    uint32_t moved_at; /* the last frame in which it moved or began */
    contacts_handle contacts;
};

HM_MAP_DEFINE_FOR(circle, struct circle, CIRCLE_TYPE)

struct circles_settings {
    uint32_t count;   /* circles at the start */
    uint32_t movers;  /* of 100 circles, how many move */
    uint32_t changes; /* circles that end in each frame, and on average as many begin */
    uint32_t swaps;   /* that each defragment of a frame may make */
    uint32_t seed;
};

struct circles {
    struct circles_settings settings;
    circle_map map;
    contacts_lists contacts;
    cells_index cells;
    uint32_t side; /* of the square, in cells */
    uint32_t frame;
    uint32_t stale;                  /* read from cells in this frame, and passed over */
    uint32_t removed;                /* in all frames */
    uint64_t all_changed, all_moved; /* the two counts below, in all frames */
    uint32_t changed;                /* circles whose cell is new in this frame: */
    circle_handle *changed_owners;
    uint64_t *changed_keys;
    uint32_t moved; /* circles that moved or began in this frame: */
    circle_handle *moved_ones;
    circle_handle *neighbours; /* of some that moved, while their contacts are sought */
    struct circle **found;     /* what the neighbours resolve to */
    uint64_t random;
};

/* Each returns false when memory is refused: hm_last_error says why. */

/* The circles begin at random places; all of their contacts are found. */
bool circles_init(struct circles *c, const struct circles_settings *settings);
void circles_fini(struct circles *c);

/* The steps of a frame, in this order. */

/* Some circles end, others begin. In frames in which more end than begin, the index collects
 * handles that are stale. */
bool circles_populate(struct circles *c);
/* Moves the circles that do not rest; they turn back at the sides of the square. */
void circles_move(struct circles *c);
/* Tells the index which circles are in other cells. */
bool circles_update_cells(struct circles *c);
/* Finds the contacts of the circles that moved, and so all that have changed. */
bool circles_update_contacts(struct circles *c);
/* Brings circles of the same cell together in memory, and closes gaps between lists: a share. */
void circles_defragment(struct circles *c);

bool circles_are_valid(const struct circles *c);

static inline bool circles_touch(const struct circle *a, const struct circle *b)
{
    int64_t dx = (int64_t)a->x - b->x, dy = (int64_t)a->y - b->y;
    int64_t reach = (int64_t)a->radius + b->radius;
    return dx * dx + dy * dy < reach * reach;
}

#endif
