/* SPDX-License-Identifier: MIT */
/* transpose: the geometry of a batch, and the loops that move values between items and columns. */
#include <handle_map/transpose.h>

#include "../base/base_private.h"
#include "../memory/memory_private.h"

/* Of items up to this size the next batch is prefetched whole; of larger ones, the fields may be a
 * small part. */
#define TRANSPOSE_PREFETCH_MAX 128

/* A column begins at a cache line, and so does the value after its last one. */
static size_t transpose_whole_lines(size_t size)
{
    return (size + HM_TRANSPOSE_ALIGN - 1) / HM_TRANSPOSE_ALIGN * HM_TRANSPOSE_ALIGN;
}

/* Returns the index of an earlier field that shares a byte with field `i`, or `i` if none does. */
static uint32_t transpose_find_overlap(const hm_field *fields, uint32_t i)
{
    uint32_t k = 0;
    while (k < i && (fields[k].offset >= fields[i].offset + fields[i].size ||
                     fields[i].offset >= fields[k].offset + fields[k].size))
        k++;
    return k;
}

static hm_status transpose_check_fields(const hm_field *fields, uint32_t field_count,
                                        size_t item_size)
{
    size_t end = 0; /* of all fields so far, so that ascending fields need no search */
    size_t space = HM_TRANSPOSE_BYTES;
    for (uint32_t i = 0; i < field_count; i++) {
        size_t offset = fields[i].offset, size = fields[i].size;
        if (size == 0)
            return hm_fail(HM_ERROR_INVALID, "fields[%" HM_U32 "]: size is 0", i);
        if (offset > item_size || size > item_size - offset)
            return hm_fail(HM_ERROR_INVALID,
                           "fields[%" HM_U32 "]: offset %zu and size %zu exceed item_size %zu", i,
                           offset, size, item_size);
        if (offset < end) {
            uint32_t other = transpose_find_overlap(fields, i);
            if (other != i)
                return hm_fail(HM_ERROR_INVALID,
                               "fields[%" HM_U32 "] and fields[%" HM_U32 "] overlap", other, i);
        } else {
            end = offset + size;
        }
        if (size > space)
            return hm_fail(HM_ERROR_INVALID,
                           "fields[%" HM_U32 "]: size %zu exceeds the %zu bytes of %u that are "
                           "left for its column",
                           i, size, space, HM_TRANSPOSE_BYTES);
        space -= transpose_whole_lines(size);
    }
    return HM_OK;
}

static hm_status transpose_check(const void *items, size_t item_size, size_t count,
                                 const hm_field *fields, uint32_t field_count)
{
    if (items == NULL && count > 0)
        return hm_fail(HM_ERROR_INVALID, "items is NULL");
    if (fields == NULL)
        return hm_fail(HM_ERROR_INVALID, "fields is NULL");
    if (item_size == 0)
        return hm_fail(HM_ERROR_INVALID, "item_size is 0");
    if (count > SIZE_MAX / item_size)
        return hm_fail(HM_ERROR_INVALID, "%zu times item_size %zu does not fit in size_t", count,
                       item_size);
    if (field_count == 0)
        return hm_fail(HM_ERROR_INVALID, "field_count is 0");
    if (field_count > HM_TRANSPOSE_MAX_FIELDS)
        return hm_fail(HM_ERROR_INVALID, "field_count %" HM_U32 " is above %u", field_count,
                       HM_TRANSPOSE_MAX_FIELDS);
    return transpose_check_fields(fields, field_count, item_size);
}

/* Returns how many items a full batch has. One fits, as the check has shown. */
static size_t transpose_lanes(size_t item_size, const hm_field *fields, uint32_t field_count)
{
    size_t lanes = HM_TRANSPOSE_BYTES / item_size / HM_TRANSPOSE_LANES * HM_TRANSPOSE_LANES;
    if (lanes == 0)
        lanes = HM_TRANSPOSE_LANES;
    for (;;) {
        size_t needed = 0;
        for (uint32_t i = 0; i < field_count; i++)
            needed += transpose_whole_lines(lanes * fields[i].size);
        if (needed <= HM_TRANSPOSE_BYTES)
            return lanes;
        lanes -= lanes > HM_TRANSPOSE_LANES ? HM_TRANSPOSE_LANES : 1;
    }
}

/* Four values, written out: gcc does not unroll a loop at -O2. */
HM_INLINE void transpose_move_4(unsigned char *restrict to, size_t to_step,
                                const unsigned char *restrict from, size_t from_step, size_t size)
{
    memcpy(to, from, size);
    memcpy(to + to_step, from + from_step, size);
    memcpy(to + 2 * to_step, from + 2 * from_step, size);
    memcpy(to + 3 * to_step, from + 3 * from_step, size);
}

/* With a constant size, each memcpy is a move or two. Two groups of four, each with an address of
 * its own, because a single address that grows by a step for each value is a chain of additions,
 * which takes longer than the moves. */
HM_INLINE void transpose_move_n(unsigned char *restrict to, size_t to_step,
                                const unsigned char *restrict from, size_t from_step, size_t n,
                                size_t size)
{
    size_t i = 0;
    for (; n - i >= 8; i += 8) {
        transpose_move_4(to + i * to_step, to_step, from + i * from_step, from_step, size);
        transpose_move_4(to + (i + 4) * to_step, to_step, from + (i + 4) * from_step, from_step,
                         size);
    }
    for (; i < n; i++)
        memcpy(to + i * to_step, from + i * from_step, size);
}

/* Moves n values of `size` bytes: into a column, from_step is the item size and to_step the size,
 * and the other way round. */
static void transpose_move(unsigned char *to, size_t to_step, const unsigned char *from,
                           size_t from_step, size_t size, size_t n)
{
    switch (size) {
        HM_SIZE_CASE(1, transpose_move_n, to, to_step, from, from_step, n);
        HM_SIZE_CASE(2, transpose_move_n, to, to_step, from, from_step, n);
        HM_SIZE_CASES(transpose_move_n, to, to_step, from, from_step, n);
    default:
        transpose_move_n(to, to_step, from, from_step, n, size);
        break;
    }
}

/* Fills one column from n items, and the lanes after them with zero, up to a whole group. */
static void transpose_gather(unsigned char *column, const unsigned char *items, size_t item_size,
                             const hm_field *field, size_t n, size_t lanes)
{
    size_t size = field->size;
    size_t end = (n + HM_TRANSPOSE_LANES - 1) / HM_TRANSPOSE_LANES * HM_TRANSPOSE_LANES;
    transpose_move(column, size, items + field->offset, item_size, size, n);
    if (end > lanes)
        end = lanes;
    memset(column + n * size, 0, (end - n) * size);
}

/* Starts loading part i of `parts` of the next batch. It comes in parts between the passes of this
 * batch, since a CPU has few loads under way at a time. */
static void transpose_prefetch(const unsigned char *next, size_t size, uint32_t i, uint32_t parts)
{
    for (size_t place = size * i / parts; place < size * (i + 1) / parts; place += 64)
        HM_PREFETCH(next + place);
}

/* One pass for each field: a batch of items stays in the first-level cache meanwhile. */
hm_status hm_transpose_run(void *items, size_t item_size, size_t count, const hm_field *fields,
                           uint32_t field_count,
                           void (*kernel)(void *const *columns, size_t count, void *context),
                           void *context)
{
    if (kernel == NULL)
        return hm_refuse_null("hm_transpose_run", "kernel");
    hm_status status = transpose_check(items, item_size, count, fields, field_count);
    if (status != HM_OK)
        return hm_fail_in("transpose_run", NULL, status);
    _Alignas(HM_TRANSPOSE_ALIGN) unsigned char buffer[HM_TRANSPOSE_BYTES];
    void *columns[HM_TRANSPOSE_MAX_FIELDS];
    size_t lanes = transpose_lanes(item_size, fields, field_count), place = 0, n;
    for (uint32_t i = 0; i < field_count; i++) {
        columns[i] = buffer + place;
        place += transpose_whole_lines(lanes * fields[i].size);
    }
    for (unsigned char *batch = items; count > 0; batch += n * item_size) {
        n = count < lanes ? count : lanes;
        count -= n;
        size_t next = item_size <= TRANSPOSE_PREFETCH_MAX ? (count < lanes ? count : lanes) : 0;
        for (uint32_t i = 0; i < field_count; i++) {
            transpose_prefetch(batch + n * item_size, next * item_size, i, field_count);
            transpose_gather(columns[i], batch, item_size, &fields[i], n, lanes);
        }
        kernel(columns, n, context);
        for (uint32_t i = 0; i < field_count; i++)
            if (fields[i].write_back)
                transpose_move(batch + fields[i].offset, item_size, columns[i], fields[i].size,
                               fields[i].size, n);
    }
    return HM_OK;
}
