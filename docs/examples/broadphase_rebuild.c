/* SPDX-License-Identifier: MIT */
/* A grid from scratch in each frame. See broadphase_rebuild.h. */
#include "broadphase_rebuild.h"

#include <stdlib.h>
#include <string.h>

bool rebuild_init(struct rebuild *r, const struct circles *c)
{
    memset(r, 0, sizeof *r);
    r->side = c->side;
    r->starts = malloc(((size_t)c->side * c->side + 1) * sizeof *r->starts);
    r->sorted = malloc(c->settings.count * sizeof *r->sorted);
    r->first_contacts = malloc(((size_t)c->settings.count + 1) * sizeof *r->first_contacts);
    return r->starts != NULL && r->sorted != NULL && r->first_contacts != NULL;
}

void rebuild_fini(struct rebuild *r)
{
    free(r->starts);
    free(r->sorted);
    free(r->first_contacts);
    free(r->contacts);
}

void rebuild_grid(struct rebuild *r, const struct circles *c)
{
    const struct circle *all = circle_map_items(&c->map);
    uint32_t cells = r->side * r->side;
    r->count = circle_map_count(&c->map);
    memset(r->starts, 0, ((size_t)cells + 1) * sizeof *r->starts);
    for (uint32_t i = 0; i < r->count; i++)
        r->starts[all[i].cell]++;
    for (uint32_t cell = 1; cell <= cells; cell++)
        r->starts[cell] += r->starts[cell - 1];
    /* Each start is the end of its cell now, and goes down to its beginning. */
    for (uint32_t i = r->count; i-- > 0;)
        r->sorted[--r->starts[all[i].cell]] =
            (struct rebuild_circle){all[i].x, all[i].y, all[i].radius, i};
}

static bool touch(const struct rebuild_circle *a, const struct rebuild_circle *b)
{
    int64_t dx = (int64_t)a->x - b->x, dy = (int64_t)a->y - b->y;
    int64_t reach = (int64_t)a->radius + b->radius;
    return dx * dx + dy * dy < reach * reach;
}

/* Makes space for `more` contacts. */
static bool reserve_contacts(struct rebuild *r, size_t more)
{
    if (r->contact_count + more <= r->contact_capacity)
        return true;
    size_t capacity = 2 * r->contact_capacity + more + 1024;
    uint32_t *contacts = realloc(r->contacts, capacity * sizeof *contacts);
    if (contacts == NULL)
        return false;
    r->contacts = contacts;
    r->contact_capacity = capacity;
    return true;
}

/* Three neighbours in a row of cells are one run of circles. */
static bool search_run(struct rebuild *r, uint32_t at, uint32_t first_cell, uint32_t last_cell)
{
    uint32_t begin = r->starts[first_cell], end = r->starts[last_cell + 1];
    if (!reserve_contacts(r, end - begin))
        return false;
    for (uint32_t i = begin; i < end; i++)
        if (i != at && touch(&r->sorted[at], &r->sorted[i]))
            r->contacts[r->contact_count++] = r->sorted[i].index;
    return true;
}

bool rebuild_contacts(struct rebuild *r)
{
    r->contact_count = 0;
    for (uint32_t at = 0; at < r->count; at++) {
        uint32_t column = (uint32_t)r->sorted[at].x >> CELL_SHIFT;
        uint32_t row = (uint32_t)r->sorted[at].y >> CELL_SHIFT;
        uint32_t left = column - (column > 0), right = column + (column + 1 < r->side);
        uint32_t bottom = row + (row + 1 < r->side);
        r->first_contacts[at] = (uint32_t)r->contact_count;
        for (row -= row > 0; row <= bottom; row++)
            if (!search_run(r, at, row * r->side + left, row * r->side + right))
                return false;
    }
    r->first_contacts[r->count] = (uint32_t)r->contact_count;
    return true;
}
