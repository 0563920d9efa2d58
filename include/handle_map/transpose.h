/* SPDX-License-Identifier: MIT */
/* transpose: an array of structs through a kernel that takes columns, 16 KiB at a time.
 *
 *     items                          columns, in a buffer on the stack
 *     | x y z age | x y z age |      | x x x x x ... |          kernel(columns, count, context)
 *     | x y z age | x y z age | ---> | y y y y y ... | -------> reads and writes columns
 *     | x y z age | ...              | age age   ... | <-------
 *                               <--- only the columns that are marked with write_back
 *
 * Owns: nothing, and keeps nothing between calls. Moves: nothing. It works on the items of a map,
 * on the runs of a pool, and on any other array. Limits: 256 fields; 19 KiB of stack, besides what
 * the kernel needs. Threads: no state. Calls on distinct items may run together; so may calls on
 * the same items while no field is marked with write_back and nobody else writes. */
#ifndef HANDLE_MAP_TRANSPOSE_H
#define HANDLE_MAP_TRANSPOSE_H

#include <handle_map/base.h>

HM_BEGIN_C

#define HM_TRANSPOSE_BYTES 16384 /* the items of a batch, and all of its columns together */
#define HM_TRANSPOSE_ALIGN 64    /* each column starts at a multiple of this many bytes */
#define HM_TRANSPOSE_LANES 16    /* a column has whole groups of this many values */
#define HM_TRANSPOSE_MAX_FIELDS 256

/* A part of an item that becomes a column: a member, several adjacent members, or part of one. */
typedef struct hm_field {
    size_t offset;   /* bytes from the start of the item */
    size_t size;     /* bytes; loops for 1, 2, 4, 8, 12 and 16 are faster than for other sizes */
    bool write_back; /* copy the column back to the items after the kernel */
} hm_field;

/* A kernel over columns can often be vectorised, by the compiler or by hand, when a kernel over
 * structs cannot: the values of one field are side by side. This copies the fields of a batch of
 * items into columns, calls the kernel, copies back the marked columns, and goes on with the next
 * batch. A batch is small enough for the processor's caches, so that each item is read from memory
 * once.
 *
 * It pays for heavy kernels: those that compute much with each value that they read. With light
 * kernels, which add or compare a number or two, a plain loop over the structs is faster: copying a
 * value out and back costs as much as such a kernel itself. A plain loop is also faster if the
 * compiler vectorises it well, as clang does with AVX2 for some: measure both. If every pass is
 * light, or most passes use few of the fields, keep the data in columns instead (table.h).
 *
 * Calls `kernel` for one batch of items after another, from the first to the last. columns[i] has
 * the values of fields[i] for `count` items of the batch, side by side; `context` is passed on. The
 * kernel may write to every column; only those marked with write_back are copied to the items, and
 * no other byte of an item is written.
 *
 * A batch has as many items as fit in 16 KiB, rounded down to a multiple of 16, but at least 16;
 * the last batch has what is left. Behind the `count` values of a column there are values of zero,
 * up to the next multiple of 16, so that a SIMD kernel of up to 16 lanes needs no loop for the
 * rest. It may write there too. Values after that multiple are unspecified. If the columns of that
 * many items do not fit in 16 KiB, because each starts at a multiple of 64 bytes, a batch has the
 * next lower multiple of 16 that fits. If not even 16 values of each field fit, a batch has as many
 * items as do fit, from 15 down to 1, and a column has just that many values: after those of a
 * shorter last batch there are zeros.
 *
 * HM_ERROR_INVALID, before anything is read or written: `items` NULL with a count above 0, `fields`
 * or `kernel` NULL, item_size 0, `count` items that do not fit in size_t, no field or more than
 * 256, a field of size 0 or not within the item, two fields that overlap (even if neither is
 * written), or fields that are so large that one value of each, rounded up to a multiple of 64
 * bytes, does not fit in 16 KiB. With a count of 0 and valid arguments: HM_OK, and the kernel is
 * not called.
 *
 * The kernel must return: no longjmp, no exception. It must not insert into, erase from or reorder
 * the container whose items these are, and must not rely on what it writes to the items directly:
 * a marked field is overwritten from its column. It may call hm_transpose_run on other items.
 * O(count * field_count), and at most O(field_count^2) for the check; no allocation. Example:
 *
 *     static void fall(void *const *columns, size_t count, void *context)
 *     {
 *         float *y = columns[0], *age = columns[1];
 *         const float *step = context;
 *         for (size_t i = 0; i < count; i++) {
 *             age[i] += *step;
 *             y[i] -= 4.9f * age[i] * age[i];
 *         }
 *     }
 *
 *     static const hm_field fields[] = {
 *         {offsetof(struct particle, y), sizeof(float), true},
 *         {offsetof(struct particle, age), sizeof(float), true},
 *     };
 *     struct particle particles[1000] = {{0}};
 *     float step = 1.0f / 60;
 *     if (hm_transpose_run(particles, sizeof particles[0], 1000, fields, 2, fall, &step) != HM_OK)
 *         fprintf(stderr, "%s\n", hm_last_error());
 *
 * The items of a map are one array, from hm_map_items on. Those of a pool go run by run; best with
 * runs of hundreds of items, since each call checks its arguments and the last batch of a run is a
 * short one. Example:
 *
 *     static const hm_field speed = {offsetof(struct bullet, speed), sizeof(float), true};
 *     uint32_t length;
 *     for (uint32_t i = hm_pool_next_run(&pool, 0, &length); i != HM_INVALID_INDEX;
 *          i = hm_pool_next_run(&pool, i + length, &length))
 *         if (hm_transpose_run(hm_pool_item_at(&pool, i), sizeof(struct bullet), length, &speed, 1,
 *                              kernel, NULL) != HM_OK)
 *             fprintf(stderr, "%s\n", hm_last_error());
 */
HM_API hm_status hm_transpose_run(void *items, size_t item_size, size_t count,
                                  const hm_field *fields, uint32_t field_count,
                                  void (*kernel)(void *const *columns, size_t count, void *context),
                                  void *context);

HM_END_C

#endif
