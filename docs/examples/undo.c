/* SPDX-License-Identifier: MIT */
/* undo: a drawing whose changes can be undone and redone, with every handle.
 *
 *     undo --help
 *
 *     changes   | insert a | edit b | erase c | edit a | ...        one record each: a handle, and
 *                                             ^ now                 the shape before and after
 *
 * A shape refers to another one by its handle, and so do the records. When an erase is undone, the
 * shape must come back under the handle that all of them hold: shape_map_adopt does that. It would
 * refuse if an insert had taken the slot meanwhile, and free slots are what inserts take first. So
 * the program chooses the handles: each new shape gets a slot that none had, and is adopted, too.
 * Such a slot costs 12 bytes; a program that forgets old records may let inserts use theirs.
 *
 * The program changes the drawing at random, undoes some of it, goes on from there, undoes all and
 * redoes all, and compares the drawing with what it was. The exit code is 1 if it differs, or if
 * memory is refused; 2 if the command line is wrong. */
#include "command_line.h"
#include "scene_import.h"

#include <handle_map/map.h>

#include <stdlib.h>

struct shape {
    float x, y;
    hm_handle tied_to; /* another shape, which may be gone */
};

enum { SHAPE_TYPE = 1 };

HM_MAP_DEFINE(shape, struct shape, SHAPE_TYPE)

/* What was done to one shape. It was not there before an insert, and is not after an erase. */
struct change {
    shape_handle shape;
    bool was_there, is_there;
    struct shape before, after;
};

struct drawing {
    shape_map shapes;
    struct change *changes;
    uint32_t done, count; /* changes that are done, and those that can be redone behind them */
    uint32_t slots;       /* that a shape has had */
    uint64_t random;
};

static struct shape draw_shape(struct drawing *drawing)
{
    uint32_t count = shape_map_count(&drawing->shapes);
    shape_handle other = {HM_NULL_HANDLE};
    if (count > 0)
        other = shape_map_handle_at(&drawing->shapes, random_below(&drawing->random, count));
    return (struct shape){(float)random_below(&drawing->random, 1000),
                          (float)random_below(&drawing->random, 1000), other.id};
}

/* Makes one shape what a record says it was, or is. */
static bool put(shape_map *shapes, shape_handle handle, bool is_there, const struct shape *shape)
{
    struct shape *found = shape_map_get(shapes, handle);
    if (!is_there)
        return shape_map_erase(shapes, handle);
    if (found == NULL)
        return shape_map_adopt(shapes, handle, shape) == HM_OK;
    *found = *shape;
    return true;
}

static bool undo(struct drawing *drawing)
{
    const struct change *last = &drawing->changes[drawing->done - 1];
    drawing->done--;
    return put(&drawing->shapes, last->shape, last->was_there, &last->before);
}

static bool redo(struct drawing *drawing)
{
    const struct change *next = &drawing->changes[drawing->done++];
    return put(&drawing->shapes, next->shape, next->is_there, &next->after);
}

/* Changes a shape, or draws or erases one, and records it. What was undone cannot be redone. */
static bool change(struct drawing *drawing)
{
    shape_map *shapes = &drawing->shapes;
    struct change made = {.is_there = true, .after = draw_shape(drawing)};
    uint32_t choice = random_below(&drawing->random, 4), count = shape_map_count(shapes);
    if (count == 0 || choice < 2) {
        made.shape.id = hm_handle_pack(drawing->slots++, 1, SHAPE_TYPE);
    } else {
        made.shape = shape_map_handle_at(shapes, random_below(&drawing->random, count));
        made.was_there = true;
        made.is_there = choice == 2;
        made.before = *shape_map_get(shapes, made.shape);
    }
    drawing->changes[drawing->done++] = made;
    drawing->count = drawing->done;
    return put(shapes, made.shape, made.is_there, &made.after);
}

static uint64_t mix(uint64_t hash, uint64_t number)
{
    hash = (hash ^ number) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 32;
}

/* Of all shapes, whatever their order, with their handles and whether that of the other resolves.
 */
static uint64_t hash_of(const struct drawing *drawing)
{
    const struct shape *shapes = shape_map_items(&drawing->shapes);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < shape_map_count(&drawing->shapes); i++) {
        shape_handle tied_to = {shapes[i].tied_to};
        uint64_t hash = mix(1, shape_map_handle_at(&drawing->shapes, i).id.bits);
        hash = mix(hash, (uint64_t)shapes[i].x << 32 | (uint64_t)shapes[i].y);
        hash = mix(hash, tied_to.id.bits);
        sum += mix(hash, shape_map_contains(&drawing->shapes, tied_to));
    }
    return sum;
}

/* Returns whether all n steps succeed. */
static bool repeat(struct drawing *drawing, bool (*step)(struct drawing *drawing), uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (!step(drawing))
            return false;
        if (progress_is_due())
            fprintf(stderr, "undo: %u of %u changes\n", (unsigned)i + 1, (unsigned)n);
    }
    return true;
}

/* Returns NULL, or what went wrong. */
static const char *run(struct drawing *drawing, uint32_t shapes, uint32_t changes)
{
    if (!repeat(drawing, change, shapes))
        return hm_last_error();
    drawing->done = drawing->count = 0; /* This is where undo ends. */
    uint64_t first = hash_of(drawing);
    if (!repeat(drawing, change, changes) || !repeat(drawing, undo, changes / 2) ||
        !repeat(drawing, change, changes / 2))
        return hm_last_error();
    uint64_t last = hash_of(drawing);
    printf("%u shapes after %u changes, of which %u replace some that were undone\n",
           (unsigned)shape_map_count(&drawing->shapes), (unsigned)changes, (unsigned)changes / 2);
    if (!repeat(drawing, undo, changes))
        return hm_last_error();
    uint64_t undone = hash_of(drawing);
    if (!repeat(drawing, redo, changes))
        return hm_last_error();
    uint64_t redone = hash_of(drawing);
    printf("all undone: %016llx, before: %016llx\nall redone: %016llx, before: %016llx\n",
           (unsigned long long)undone, (unsigned long long)first, (unsigned long long)redone,
           (unsigned long long)last);
    return undone == first && redone == last ? NULL : "the drawing is not what it was";
}

static const char usage[] = "usage: undo [OPTION...]\n"
                            "A drawing is changed, and the changes are undone and redone.\n"
                            "  --shapes N    changes that draw it, before those to undo (20000)\n"
                            "  --changes N   changes to undo (100000)\n"
                            "  --help        print this text\n";

int main(int argc, char **argv)
{
    uint32_t shapes = 20000, changes = 100000;
    const struct command_line_option known[] = {
        {"--shapes", .number = &shapes, .least = 1, .most = 10000000},
        {"--changes", .number = &changes, .least = 2, .most = 10000000}};
    const struct command_line line = {"undo", usage, known, sizeof known / sizeof *known};
    int code = command_line_read(&line, argc, argv, NULL);
    if (code != COMMAND_LINE_RUN)
        return code;
    struct drawing drawing = {.random = 1};
    const char *reason = "out of memory";
    drawing.changes = calloc(shapes > changes ? shapes : changes, sizeof *drawing.changes);
    if (drawing.changes != NULL && shape_map_init(&drawing.shapes, 0) == HM_OK)
        reason = run(&drawing, shapes, changes);
    shape_map_fini(&drawing.shapes);
    free(drawing.changes);
    if (reason != NULL)
        fprintf(stderr, "undo: %s\n", reason);
    return reason != NULL;
}
