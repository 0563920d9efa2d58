/* SPDX-License-Identifier: MIT */
/* Circles and their contacts. See broadphase_circles.h. */
#include "broadphase_circles.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_SPEED = 96, /* units a frame along each axis */
    TIDE = 60,       /* frames in which none begins, and then as many with twice as many */
    MOVERS_AT_ONCE = 64,
    NEIGHBOURS_AT_ONCE = 512, /* or more: all of a circle */
    STALE_OF_100 = 4 /* handles of the index, of 100 circles: when more are stale, they go */
};

/* By splitmix64. */
static uint32_t random_below(struct circles *c, uint32_t limit)
{
    uint64_t bits = c->random += 0x9E3779B97F4A7C15U;
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9U;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBU;
    return (uint32_t)(((bits ^ (bits >> 31)) >> 32) * limit >> 32);
}

static uint32_t cell_at(const struct circles *c, int32_t x, int32_t y)
{
    return ((uint32_t)y >> CELL_SHIFT) * c->side + ((uint32_t)x >> CELL_SHIFT);
}

static int32_t extent_of(const struct circles *c)
{
    return (int32_t)(c->side << CELL_SHIFT);
}

static void note_cell(struct circles *c, circle_handle handle, uint32_t cell)
{
    c->changed_owners[c->changed] = handle;
    c->changed_keys[c->changed++] = cell;
}

/* Circles that begin and end */

static bool begin_circle(struct circles *c)
{
    struct circle *circle;
    uint32_t extent = (uint32_t)extent_of(c);
    contacts_handle contacts = contacts_lists_create(&c->contacts);
    circle_handle handle = circle_map_emplace(&c->map, &circle);
    if (circle == NULL || contacts_handle_is_null(contacts))
        return false;
    *circle =
        (struct circle){.x = (int32_t)random_below(c, extent),
                        .y = (int32_t)random_below(c, extent),
                        .radius = MOST_RADIUS / 3 + (int32_t)random_below(c, MOST_RADIUS * 2 / 3),
                        .moved_at = c->frame,
                        .contacts = contacts};
    if (random_below(c, 100) < c->settings.movers) {
        circle->vx = (int32_t)random_below(c, 2 * MOST_SPEED + 1) - MOST_SPEED;
        circle->vy = (int32_t)random_below(c, 2 * MOST_SPEED + 1) - MOST_SPEED;
    }
    circle->cell = cell_at(c, circle->x, circle->y);
    note_cell(c, handle, circle->cell);
    c->moved_ones[c->moved++] = handle;
    return true;
}

/* Takes `other` from a circle's contacts, where it is once. */
static void forget_contact(struct circles *c, const struct circle *circle, circle_handle other)
{
    uint32_t count;
    const circle_handle *found = contacts_lists_items(&c->contacts, circle->contacts, &count);
    for (uint32_t i = 0; i < count; i++)
        if (circle_handle_equal(found[i], other)) {
            contacts_lists_erase_at(&c->contacts, circle->contacts, i);
            return;
        }
}

/* Its contacts forget it; the index is not told. */
static void end_circle(struct circles *c, circle_handle handle)
{
    uint32_t count;
    const struct circle *circle = circle_map_get(&c->map, handle);
    const circle_handle *found = contacts_lists_items(&c->contacts, circle->contacts, &count);
    for (uint32_t i = 0; i < count; i++)
        forget_contact(c, circle_map_get(&c->map, found[i]), handle);
    contacts_lists_destroy(&c->contacts, circle->contacts);
    circle_map_erase(&c->map, handle);
}

bool circles_populate(struct circles *c)
{
    uint32_t begun = c->frame / TIDE % 2 == 0 ? 0 : 2 * c->settings.changes;
    c->frame++;
    c->changed = c->moved = c->stale = 0;
    for (uint32_t i = 0; i < c->settings.changes && circle_map_count(&c->map) > 1; i++) {
        uint32_t index = random_below(c, circle_map_count(&c->map));
        end_circle(c, circle_map_handle_at(&c->map, index));
    }
    for (; begun > 0 && circle_map_count(&c->map) < c->settings.count; begun--)
        if (!begin_circle(c))
            return false;
    return true;
}

/* Movement */

/* Returns the position after a frame; at a side the speed is reversed. */
static int32_t advance(int32_t position, int32_t *speed, int32_t extent)
{
    int32_t next = position + *speed;
    if (next >= 0 && next < extent)
        return next;
    *speed = -*speed;
    return position;
}

void circles_move(struct circles *c)
{
    struct circle *all = circle_map_items(&c->map);
    int32_t extent = extent_of(c);
    for (uint32_t i = 0; i < circle_map_count(&c->map); i++) {
        struct circle *circle = &all[i];
        if ((circle->vx | circle->vy) == 0 || circle->moved_at == c->frame)
            continue;
        circle_handle handle = circle_map_handle_at(&c->map, i);
        circle->x = advance(circle->x, &circle->vx, extent);
        circle->y = advance(circle->y, &circle->vy, extent);
        circle->moved_at = c->frame;
        c->moved_ones[c->moved++] = handle;
        uint32_t cell = cell_at(c, circle->x, circle->y);
        if (cell == circle->cell)
            continue;
        circle->cell = cell;
        note_cell(c, handle, cell);
        circle_map_touch(&c->map, handle); /* The map is ordered by cells. */
    }
}

/* Cells */

static bool is_gone(circle_handle owner, uint64_t key, void *context)
{
    (void)key;
    return !circle_map_contains(context, owner);
}

bool circles_update_cells(struct circles *c)
{
    c->all_changed += c->changed;
    if (cells_index_set_n(&c->cells, c->changed_owners, c->changed_keys, c->changed) != HM_OK)
        return false;
    uint32_t stale = cells_index_count(&c->cells) - circle_map_count(&c->map);
    if (stale > c->settings.count / 100 * STALE_OF_100)
        c->removed += cells_index_remove_if(&c->cells, is_gone, &c->map);
    return true;
}

/* Contacts */

/* Lists the members of a circle's cell and its neighbours, behind `count` others: two circles that
 * touch are there. Returns how many are listed then. */
static uint32_t list_neighbours(struct circles *c, const struct circle *circle, uint32_t count)
{
    uint32_t column = circle->cell % c->side, row = circle->cell / c->side;
    uint32_t left = column - (column > 0), right = column + (column + 1 < c->side);
    uint32_t bottom = row + (row + 1 < c->side);
    for (row -= row > 0; row <= bottom; row++)
        for (column = left; column <= right; column++) {
            uint32_t n;
            const circle_handle *members =
                cells_index_members(&c->cells, row * c->side + column, &n);
            for (uint32_t i = 0; i < n; i++)
                c->neighbours[count++] = members[i];
        }
    return count;
}

static bool is_listed(const circle_handle *handles, uint32_t count, circle_handle handle)
{
    for (uint32_t i = 0; i < count; i++)
        if (circle_handle_equal(handles[i], handle))
            return true;
    return false;
}

/* Moves the contacts of a circle to the front of its neighbours, those from `begin` to `end`;
 * returns how many they are. */
static uint32_t select_contacts(struct circles *c, const struct circle *circle, uint32_t begin,
                                uint32_t end)
{
    uint32_t kept = begin;
    for (uint32_t i = begin; i < end; i++) {
        struct circle *other = c->found[i];
        if (other == NULL) {
            c->stale++;
        } else if (other != circle && circles_touch(circle, other)) {
            c->neighbours[kept] = c->neighbours[i];
            c->found[kept++] = other;
        }
    }
    return kept - begin;
}

/* Tells the circles that have become contacts, and those that no longer are. Those that moved too
 * find out for themselves. */
static bool tell_contacts(struct circles *c, circle_handle handle, const struct circle *circle,
                          uint32_t begin, uint32_t count)
{
    uint32_t known;
    const circle_handle *before = contacts_lists_items(&c->contacts, circle->contacts, &known);
    for (uint32_t i = begin; i < begin + count; i++)
        if (c->found[i]->moved_at != c->frame && !is_listed(before, known, c->neighbours[i]) &&
            contacts_lists_push(&c->contacts, c->found[i]->contacts, &handle) == NULL)
            return false;
    for (uint32_t i = 0; i < known; i++) {
        if (is_listed(c->neighbours + begin, count, before[i]))
            continue;
        const struct circle *other = circle_map_get(&c->map, before[i]);
        if (other->moved_at != c->frame)
            forget_contact(c, other, handle);
    }
    return true;
}

/* Replaces the contacts of a circle that moved. */
static bool write_contacts(struct circles *c, circle_handle handle, uint32_t begin, uint32_t end)
{
    const struct circle *circle = circle_map_get(&c->map, handle);
    uint32_t count = select_contacts(c, circle, begin, end);
    if (!tell_contacts(c, handle, circle, begin, count) ||
        contacts_lists_resize(&c->contacts, circle->contacts, count) != HM_OK)
        return false;
    if (count != 0)
        memcpy(contacts_lists_items(&c->contacts, circle->contacts, NULL), c->neighbours + begin,
               count * sizeof *c->neighbours);
    return true;
}

/* Takes some of the circles that moved, from *first on, and looks up all of their neighbours at
 * once, which is faster than one by one. */
static bool search_some(struct circles *c, uint32_t *first)
{
    uint32_t ends[MOVERS_AT_ONCE], n = 0, count = 0;
    for (; n < MOVERS_AT_ONCE && *first + n < c->moved && count < NEIGHBOURS_AT_ONCE; n++) {
        const struct circle *circle = circle_map_get(&c->map, c->moved_ones[*first + n]);
        ends[n] = count = list_neighbours(c, circle, count);
    }
    circle_map_get_n(&c->map, c->neighbours, count, c->found);
    for (uint32_t i = 0; i < n; i++)
        if (!write_contacts(c, c->moved_ones[*first + i], i == 0 ? 0 : ends[i - 1], ends[i]))
            return false;
    *first += n;
    return true;
}

bool circles_update_contacts(struct circles *c)
{
    c->all_moved += c->moved;
    for (uint32_t i = 0; i < c->moved;)
        if (!search_some(c, &i))
            return false;
    return true;
}

/* Memory */

static uint64_t cell_of(const void *item, void *context)
{
    (void)context;
    return ((const struct circle *)item)->cell;
}

static const hm_order by_cell = {.key = cell_of};

/* The first order, without a limit, since a small budget would not bring shuffled circles that move
 * into any. What follows, in that order, is in it too. */
static void sort_circles(struct circles *c)
{
    const struct circle *all = circle_map_items(&c->map);
    circle_map_defragment(&c->map, &by_cell, NULL);
    c->changed = 0;
    for (uint32_t i = 0; i < circle_map_count(&c->map); i++) {
        c->moved_ones[i] = circle_map_handle_at(&c->map, i);
        note_cell(c, c->moved_ones[i], all[i].cell);
    }
}

void circles_defragment(struct circles *c)
{
    const uint32_t swaps = c->settings.swaps;
    hm_frame_budget for_circles = hm_frame_budget_of(swaps, 10 * swaps);
    hm_frame_budget for_contacts = hm_frame_budget_of(swaps, HM_NO_LIMIT), for_cells = for_contacts;
    circle_map_defragment(&c->map, &by_cell, &for_circles);
    contacts_lists_defragment(&c->contacts, &for_contacts);
    cells_index_defragment(&c->cells, &for_cells);
}

bool circles_are_valid(const struct circles *c)
{
    return circle_map_validate(&c->map) == HM_OK &&
           contacts_lists_validate(&c->contacts) == HM_OK &&
           cells_index_validate(&c->cells) == HM_OK;
}

/* The whole */

static bool init_containers(struct circles *c, uint32_t count)
{
    if (circle_map_init(&c->map, count) != HM_OK ||
        contacts_lists_init(&c->contacts, count) != HM_OK)
        return false;
    if (cells_index_init_for(&c->cells, 2 * count, /* with those that have ended */
                             circle_map_as_owners(&c->map), c->side * c->side) != HM_OK)
        return false;
    c->changed_owners = malloc(count * sizeof *c->changed_owners);
    c->changed_keys = malloc(count * sizeof *c->changed_keys);
    c->moved_ones = malloc(count * sizeof *c->moved_ones);
    size_t neighbours = NEIGHBOURS_AT_ONCE + cells_index_capacity(&c->cells);
    c->neighbours = malloc(neighbours * sizeof *c->neighbours);
    c->found = malloc(neighbours * sizeof *c->found);
    return c->changed_owners != NULL && c->changed_keys != NULL && c->moved_ones != NULL &&
           c->neighbours != NULL && c->found != NULL;
}

bool circles_init(struct circles *c, const struct circles_settings *settings)
{
    memset(c, 0, sizeof *c);
    c->settings = *settings;
    c->random = settings->seed;
    for (c->side = 1; c->side * c->side < settings->count; c->side++) /* one circle a cell */
        ;
    if (!init_containers(c, settings->count))
        return false;
    while (circle_map_count(&c->map) < settings->count)
        if (!begin_circle(c))
            return false;
    sort_circles(c);
    bool is_good = circles_update_cells(c) && circles_update_contacts(c);
    c->all_changed = c->all_moved = 0; /* What follows are changes. */
    return is_good;
}

void circles_fini(struct circles *c)
{
    free(c->changed_owners);
    free(c->changed_keys);
    free(c->moved_ones);
    free(c->neighbours);
    free(c->found);
    cells_index_fini(&c->cells);
    contacts_lists_fini(&c->contacts);
    circle_map_fini(&c->map);
}
