/* SPDX-License-Identifier: MIT */
/* world: the rows of an archetype. Its chunks are a list; all but the last one with rows are full,
 * and spare ones, which a reserve or a failed call has left, are behind that. */
#include "world_private.h"

#include "../order/order_private.h"

static inline void rows_copy(void *to, const void *from, size_t size)
{
    HM_FOR_SIZE(size, memcpy, to, from);
}

static inline void rows_zero(void *at, uint32_t size)
{
    HM_FOR_SIZE(size, memset, at, 0);
}

/* NULL: zero. */
static inline void rows_write(void *at, const void *value, uint32_t size)
{
    if (value != NULL)
        rows_copy(at, value, size);
    else
        rows_zero(at, size);
}

/* A row, and what the addresses of its values are computed from. Loaded once, since compilers must
 * assume that copying a value changes the world and its archetypes. */
typedef struct rows_row {
    unsigned char *chunk;
    size_t rows, row; /* of the chunk; among them */
} rows_row;

static inline rows_row rows_in(const hm_world *world, const hm_world_archetype *archetype,
                               uint32_t chunk, uint32_t row)
{
    rows_row at = {.chunk = hm_world_chunk_at(world, chunk), .row = row};
    at.rows = archetype->rows[hm_world_chunk_class(chunk)];
    return at;
}

static inline rows_row rows_at(const hm_world *world, const hm_world_archetype *archetype,
                               hm_world_place place)
{
    return rows_in(world, archetype, place.chunk, hm_world_place_row(place));
}

static inline unsigned char *rows_address(rows_row at, size_t offset, size_t size)
{
    return at.chunk + at.rows * offset + at.row * size;
}

static inline unsigned char *rows_value(rows_row at, const hm_world_cell *cell)
{
    return rows_address(at, cell->offset, cell->size);
}

static inline hm_handle *rows_entity(rows_row at, const hm_world_archetype *archetype)
{
    return (hm_handle *)(void *)(at.chunk + at.rows * archetype->entity_offset) + at.row;
}

/* Marks all bytes of a row by hm_memory_poison or hm_memory_unpoison. Cold, so that its callers
 * keep places in registers: gcc spills half of one, and reads the whole back, for which it has to
 * wait.
 */
static HM_COLD void rows_mark(const hm_world *world, const hm_world_archetype *archetype,
                              hm_world_place place, void (*mark)(const void *address, size_t size))
{
    rows_row at = rows_at(world, archetype, place);
    for (uint32_t c = 0; c < archetype->column_count; c++) {
        const hm_world_cell *cell = &archetype->cells[archetype->columns[c]];
        mark(rows_value(at, cell), cell->size);
    }
    mark(rows_entity(at, archetype), sizeof(hm_handle));
}

/* Gives the values of a row that have an initial one this one, but for those that another archetype
 * has too, if that is not NULL. Cold, since few components have one. */
static HM_COLD void rows_begin(const hm_world *world, const hm_world_archetype *archetype,
                               rows_row at, const hm_world_archetype *has)
{
    for (uint32_t c = 0; c < archetype->column_count; c++) {
        uint32_t number = archetype->columns[c];
        if (has == NULL || !hm_world_cell_of(has, number)->is_present)
            hm_world_fill(world, number, rows_value(at, &archetype->cells[number]), 1);
    }
}

/* chunks */

/* Chooses the class of an archetype's next chunk: each one larger than the last until all are
 * large, and large at once for many rows. */
static uint32_t rows_next_class(const hm_world_archetype *archetype, uint64_t rows)
{
    uint32_t size_class = archetype->first_class + archetype->chunk_count;
    while (size_class < HM_WORLD_CLASSES - 1 && archetype->rows[size_class] < rows)
        size_class++;
    return size_class;
}

hm_status hm_world_add_chunk(hm_world *world, uint32_t index, uint32_t size_class, uint32_t *chunk)
{
    hm_world_archetype *archetype = &world->archetypes[index];
    hm_status status = HM_OK;
    if (size_class < archetype->first_class)
        size_class = archetype->first_class;
    if (archetype->tail != HM_WORLD_NONE && size_class < hm_world_chunk_class(archetype->tail))
        size_class = hm_world_chunk_class(archetype->tail);
    if (size_class >= HM_WORLD_CLASSES || archetype->chunk_count >= HM_WORLD_SMALL_CHUNKS)
        size_class = HM_WORLD_CLASSES - 1;
    if (index == world->order_archetype)
        status = hm_world_list_chunks(world, archetype->chunk_count + 1);
    if (status == HM_OK)
        status = hm_world_store_take(world, size_class, chunk);
    if (status != HM_OK)
        return status;
    hm_world_link *link = hm_world_link_of(world, *chunk);
    hm_memory_unpoison(link, sizeof *link);
    *link = (hm_world_link){archetype->tail, HM_WORLD_NONE, archetype->chunk_count++, index};
    if (index == world->order_archetype)
        hm_world_order_of(world)->chunks[link->ordinal] = *chunk;
    if (archetype->tail != HM_WORLD_NONE)
        hm_world_link_of(world, archetype->tail)->next = *chunk;
    else
        archetype->first = *chunk;
    archetype->tail = *chunk;
    return HM_OK;
}

/* Gives the chunks behind this one back; HM_WORLD_NONE: all. They have no rows. */
static void rows_drop_behind(hm_world *world, uint32_t index, uint32_t end)
{
    hm_world_archetype *archetype = &world->archetypes[index];
    while (archetype->tail != end) {
        uint32_t chunk = archetype->tail;
        archetype->tail = hm_world_link_of(world, chunk)->previous;
        archetype->chunk_count--;
        hm_world_store_give(&world->store, chunk);
    }
    if (archetype->tail != HM_WORLD_NONE)
        hm_world_link_of(world, archetype->tail)->next = HM_WORLD_NONE;
    else
        archetype->first = HM_WORLD_NONE;
}

void hm_world_drop_spares(hm_world *world, uint32_t index)
{
    rows_drop_behind(world, index, world->archetypes[index].last);
}

/* Returns the first spare chunk, or HM_WORLD_NONE. */
static uint32_t rows_first_spare(const hm_world *world, const hm_world_archetype *archetype)
{
    return archetype->last != HM_WORLD_NONE ? hm_world_link_of(world, archetype->last)->next
                                            : archetype->first;
}

hm_status hm_world_prepare_chunks(hm_world *world, uint32_t index, uint32_t count)
{
    const hm_world_archetype *archetype = &world->archetypes[index];
    uint64_t room = 0, n = count;
    if (index == HM_WORLD_ROOT && world->ready_end > world->ids.count)
        n += world->ready_end - world->ids.count;
    if (archetype->last != HM_WORLD_NONE)
        room = archetype->rows[hm_world_chunk_class(archetype->last)] - archetype->last_rows;
    if (room >= n)
        return HM_OK;
    uint32_t spare = rows_first_spare(world, archetype), before = archetype->tail;
    while (room < n) {
        if (spare == HM_WORLD_NONE) {
            hm_status status =
                hm_world_add_chunk(world, index, rows_next_class(archetype, n - room), &spare);
            if (status != HM_OK) {
                rows_drop_behind(world, index, before); /* Others may need them. */
                return hm_world_blame(world, status);
            }
        }
        room += archetype->rows[hm_world_chunk_class(spare)];
        spare = hm_world_link_of(world, spare)->next;
    }
    return HM_OK;
}

/* rows */

/* Goes to the next chunk. */
static HM_COLD void rows_advance(const hm_world *world, hm_world_archetype *archetype)
{
    archetype->last = rows_first_spare(world, archetype);
    archetype->last_rows = 0;
}

/* Makes the last chunk one that has room. */
static inline void rows_open_chunk(const hm_world *world, hm_world_archetype *archetype)
{
    if (archetype->last == HM_WORLD_NONE ||
        archetype->last_rows == archetype->rows[hm_world_chunk_class(archetype->last)])
        rows_advance(world, archetype);
}

hm_world_place hm_world_append_run(hm_world *world, uint32_t index, uint32_t n, uint32_t *rows)
{
    hm_world_archetype *archetype = &world->archetypes[index];
    rows_open_chunk(world, archetype);
    hm_world_place place = {archetype->last, index << HM_WORLD_ROW_BITS | archetype->last_rows};
    uint32_t room = archetype->rows[hm_world_chunk_class(archetype->last)] - archetype->last_rows;
    *rows = n < room ? n : room;
    archetype->last_rows += *rows;
    archetype->count += *rows;
    if (world->poisons)
        for (hm_world_place row = place; row.row - place.row < *rows; row.row++)
            rows_mark(world, archetype, row, hm_memory_unpoison);
    hm_world_mark_rows(world, index);
    return place;
}

/* Returns where the last row of an archetype, which has rows, is. */
static inline hm_world_place rows_last_place(const hm_world_archetype *archetype, uint32_t index)
{
    hm_world_place place = {archetype->last,
                            index << HM_WORLD_ROW_BITS | (archetype->last_rows - 1)};
    return place;
}

/* Counts a row that was prepared, and returns it. */
static inline rows_row rows_append(hm_world *world, uint32_t index)
{
    hm_world_archetype *archetype = &world->archetypes[index];
    rows_open_chunk(world, archetype);
    rows_row row = rows_in(world, archetype, archetype->last, archetype->last_rows++);
    archetype->count++;
    hm_world_mark_rows(world, index);
    if (world->poisons)
        rows_mark(world, archetype, rows_last_place(archetype, index), hm_memory_unpoison);
    return row;
}

hm_world_place hm_world_append_row(hm_world *world, uint32_t index, hm_handle entity)
{
    const hm_world_archetype *archetype = &world->archetypes[index];
    rows_row row = rows_append(world, index);
    *rows_entity(row, archetype) = entity;
    return rows_last_place(archetype, index);
}

void hm_world_zero_row(hm_world *world, hm_world_place place)
{
    const hm_world_archetype *archetype = &world->archetypes[hm_world_place_archetype(place)];
    const hm_world_cell *cells = archetype->cells;
    const uint16_t *columns = archetype->columns;
    rows_row at = rows_at(world, archetype, place);
    for (uint32_t c = 0, n = archetype->column_count; c < n; c++) {
        const hm_world_cell *cell = &cells[columns[c]];
        rows_zero(rows_value(at, cell), cell->size);
    }
    if (archetype->initial_count != 0)
        rows_begin(world, archetype, at, NULL);
}

void hm_world_write_run(hm_world *world, hm_world_place place, uint32_t rows,
                        const hm_component *set, uint32_t n, const void *const *columns,
                        uint32_t first)
{
    const hm_world_archetype *archetype = &world->archetypes[hm_world_place_archetype(place)];
    rows_row at = rows_at(world, archetype, place);
    uint32_t salt = world->salt;
    for (uint32_t i = 0; i < n; i++) {
        const hm_world_cell *cell = hm_world_cell_of(archetype, set[i] - salt);
        const unsigned char *from = columns != NULL ? columns[i] : NULL;
        if (cell->size == 0)
            continue;
        if (from != NULL)
            rows_copy(rows_value(at, cell), from + (size_t)cell->size * first,
                      (size_t)cell->size * rows);
        else
            hm_world_fill(world, set[i] - salt, rows_value(at, cell), rows);
    }
}

hm_world_place hm_world_copy_row(hm_world *world, hm_world_place from, uint32_t to)
{
    const hm_world_archetype *source = &world->archetypes[hm_world_place_archetype(from)];
    const hm_world_archetype *archetype = &world->archetypes[to];
    rows_row old = rows_at(world, source, from);
    hm_world_place place = hm_world_append_row(world, to, *rows_entity(old, source));
    rows_row now = rows_at(world, archetype, place);
    const hm_world_cell *cells = archetype->cells, *old_cells = source->cells;
    const uint16_t *columns = archetype->columns;
    uint32_t cell_count = source->cell_count;
    for (uint32_t c = 0, n = archetype->column_count; c < n; c++) {
        uint32_t column = columns[c];
        const hm_world_cell *cell = &cells[column];
        if (column < cell_count && old_cells[column].is_present)
            rows_copy(rows_value(now, cell), rows_value(old, &old_cells[column]), cell->size);
        else
            rows_zero(rows_value(now, cell), cell->size);
    }
    if (archetype->initial_count != 0)
        rows_begin(world, archetype, now, source);
    return place;
}

/* Goes back to the chunk before the last, which has no rows any more. It stays as a spare one, so
 * that rows that come and go where it begins do not take it and give it back each time. */
static HM_COLD void rows_go_back(hm_world *world, hm_world_archetype *archetype, uint32_t index)
{
    uint32_t left = archetype->last;
    archetype->last = hm_world_link_of(world, left)->previous;
    if (archetype->last != HM_WORLD_NONE)
        archetype->last_rows = archetype->rows[hm_world_chunk_class(archetype->last)];
    if (index != HM_WORLD_ROOT)
        rows_drop_behind(world, index, left);
}

/* Forgets the last row, whose memory stays. */
static inline void rows_retreat(hm_world *world, hm_world_archetype *archetype, uint32_t index)
{
    archetype->count--;
    if (--archetype->last_rows == 0)
        rows_go_back(world, archetype, index);
}

/* Copies all values of a row to another one of the same archetype. */
static inline void rows_copy_values(const hm_world_archetype *archetype, rows_row from, rows_row to)
{
    const hm_world_cell *cells = archetype->cells;
    const uint16_t *columns = archetype->columns;
    for (uint32_t c = 0, n = archetype->column_count; c < n; c++) {
        const hm_world_cell *cell = &cells[columns[c]];
        rows_copy(rows_value(to, cell), rows_value(from, cell), cell->size);
    }
}

void hm_world_copy_values(const hm_world *world, hm_world_place from, hm_world_place to)
{
    const hm_world_archetype *archetype = &world->archetypes[hm_world_place_archetype(to)];
    rows_copy_values(archetype, rows_at(world, archetype, from), rows_at(world, archetype, to));
}

/* Moves the last row of an archetype to a place of the same archetype. */
static inline void rows_fill(hm_world *world, const hm_world_archetype *archetype,
                             hm_world_place place, hm_world_place last)
{
    rows_row to = rows_at(world, archetype, place), from = rows_at(world, archetype, last);
    hm_handle moved = *rows_entity(from, archetype);
    *rows_entity(to, archetype) = moved;
    *hm_world_place_of(world, moved) = place;
    rows_copy_values(archetype, from, to);
}

void hm_world_remove_row(hm_world *world, hm_world_place place)
{
    uint32_t index = hm_world_place_archetype(place);
    hm_world_archetype *archetype = &world->archetypes[index];
    hm_world_place last = rows_last_place(archetype, index);
    if (index == world->order_archetype)
        hm_world_disturb(world, place, archetype->count - 1);
    if (last.chunk != place.chunk || last.row != place.row)
        rows_fill(world, archetype, place, last);
    rows_retreat(world, archetype, index);
    hm_world_forget_row(world, last);
}

/* Copies the value at `at` to `to`, and the value at `last`, which may be the same, over it. */
static inline void rows_pass(unsigned char *to, unsigned char *at, const unsigned char *last,
                             size_t size)
{
    memcpy(to, at, size);
    memmove(at, last, size);
}

void hm_world_move_row(hm_world *world, hm_world_place *at, uint32_t to, uint32_t number,
                       const void *value)
{
    hm_world_place left = *at;
    uint32_t index = hm_world_place_archetype(left);
    hm_world_archetype *source = &world->archetypes[index], *target = &world->archetypes[to];
    rows_row hole = rows_at(world, source, left), now = rows_append(world, to);
    rows_row end = rows_in(world, source, source->last, source->last_rows - 1);
    const hm_world_cell *cells = source->cells, *new_cells = target->cells;
    const uint16_t *columns = source->columns;
    if (source->set_count < target->set_count)
        rows_write(rows_value(now, &new_cells[number]), value, new_cells[number].size);
    if (index == world->order_archetype)
        hm_world_disturb(world, left, source->count - 1);
    for (uint32_t c = 0, n = source->column_count; c < n; c++) {
        uint32_t column = columns[c];
        size_t offset = cells[column].offset, size = cells[column].size;
        unsigned char *old_value = rows_address(hole, offset, size);
        const unsigned char *last_value = rows_address(end, offset, size);
        if (column == number) { /* Lost. */
            HM_FOR_SIZE(size, memmove, old_value, last_value);
            continue;
        }
        unsigned char *new_value = rows_address(now, new_cells[column].offset, size);
        HM_FOR_SIZE(size, rows_pass, new_value, old_value, last_value);
    }
    hm_handle *entity = rows_entity(hole, source);
    *rows_entity(now, target) = *entity;
    *entity = *rows_entity(end, source);
    *hm_world_place_of(world, *entity) = left;
    *at = rows_last_place(target, to);
    if (world->poisons)
        rows_mark(world, source, rows_last_place(source, index), hm_memory_poison);
    rows_retreat(world, source, index);
    hm_world_mark_rows(world, index);
}

void hm_world_copy_rows(hm_world *world, hm_world_place from, uint32_t rows, uint32_t to,
                        const hm_world_set *reset)
{
    const hm_world_archetype *source = &world->archetypes[hm_world_place_archetype(from)];
    const hm_world_archetype *target = &world->archetypes[to];
    const hm_handle *entities = hm_world_entities(world, source, from.chunk);
    uint32_t copied;
    for (; rows > 0; rows -= copied, from.row += copied) {
        hm_world_place place = hm_world_append_run(world, to, rows, &copied);
        rows_row old = rows_at(world, source, from), now = rows_at(world, target, place);
        for (uint32_t c = 0; c < target->column_count; c++) {
            uint32_t number = target->columns[c];
            const hm_world_cell *cell = &target->cells[number];
            const hm_world_cell *old_cell = hm_world_cell_of(source, number);
            size_t size = (size_t)cell->size * copied;
            if (old_cell->is_present && (reset == NULL || !hm_world_set_has(reset, number)))
                memcpy(rows_value(now, cell), rows_value(old, old_cell), size);
            else
                hm_world_fill(world, number, rows_value(now, cell), copied);
        }
        memcpy(rows_entity(now, target), entities + old.row, copied * sizeof *entities);
        for (uint32_t i = 0; i < copied; i++, place.row++)
            *hm_world_place_of(world, entities[old.row + i]) = place;
    }
}

/* Removes n rows, whose entities have other places already. The last rows fill their places, one
 * by one from the first on, until only rows of the run are behind. */
static void rows_close_run(hm_world *world, hm_world_place first, hm_world_place end, uint32_t n)
{
    uint32_t index = hm_world_place_archetype(first);
    hm_world_archetype *archetype = &world->archetypes[index];
    for (bool fills = true; n > 0; n--) {
        hm_world_place last = rows_last_place(archetype, index);
        fills = fills && (last.chunk != end.chunk || last.row != end.row);
        if (fills) {
            rows_fill(world, archetype, first, last);
            first = hm_world_place_after(world, archetype, first);
        }
        if (world->poisons)
            rows_mark(world, archetype, last, hm_memory_poison);
        rows_retreat(world, archetype, index);
    }
    hm_world_mark_rows(world, index);
}

void hm_world_move_rows(hm_world *world, hm_world_place first, uint32_t n, uint32_t to)
{
    uint32_t index = hm_world_place_archetype(first);
    const hm_world_archetype *archetype = &world->archetypes[index];
    hm_world_place from = first, end = first;
    for (uint32_t left = n, rows; left > 0; left -= rows) {
        rows = hm_world_rows_in(archetype, from.chunk) - hm_world_place_row(from);
        if (rows > left)
            rows = left;
        hm_world_copy_rows(world, from, rows, to, NULL);
        from.row += rows - 1;
        end = from;
        from = hm_world_place_after(world, archetype, from);
    }
    if (index == world->order_archetype)
        hm_world_reset_order(world);
    rows_close_run(world, first, end, n);
}

hm_world_place hm_world_retire_row(hm_world *world, hm_world_place place)
{
    uint32_t index = hm_world_place_archetype(place);
    hm_world_archetype *archetype = &world->archetypes[index];
    hm_world_place last = rows_last_place(archetype, index);
    hm_handle retired = *rows_entity(rows_at(world, archetype, place), archetype);
    hm_world_place now = *hm_world_place_of(world, retired);
    if (index == world->order_archetype)
        hm_world_disturb(world, place, archetype->count - 1);
    if (last.chunk != place.chunk || last.row != place.row) {
        hm_world_exchange_rows(world, place, last);
        *hm_world_place_of(world, retired) = now;
    }
    rows_retreat(world, archetype, index);
    return last;
}

void hm_world_forget_row(hm_world *world, hm_world_place place)
{
    uint32_t index = hm_world_place_archetype(place);
    const hm_world_archetype *archetype = &world->archetypes[index];
    if (world->poisons)
        rows_mark(world, archetype, place, hm_memory_poison);
    hm_world_mark_rows(world, index);
}

void hm_world_exchange_rows(hm_world *world, hm_world_place a, hm_world_place b)
{
    const hm_world_archetype *archetype = &world->archetypes[hm_world_place_archetype(a)];
    rows_row row_a = rows_at(world, archetype, a), row_b = rows_at(world, archetype, b);
    for (uint32_t c = 0; c < archetype->column_count; c++) {
        const hm_world_cell *cell = &archetype->cells[archetype->columns[c]];
        hm_order_exchange_bytes(rows_value(row_a, cell), rows_value(row_b, cell), cell->size);
    }
    hm_handle *at_a = rows_entity(row_a, archetype), *at_b = rows_entity(row_b, archetype);
    hm_handle entity = *at_a;
    *at_a = *at_b;
    *at_b = entity;
    *hm_world_place_of(world, *at_a) = a;
    *hm_world_place_of(world, *at_b) = b;
}

void hm_world_clear_rows(hm_world *world, uint32_t index)
{
    hm_world_archetype *archetype = &world->archetypes[index];
    archetype->last = HM_WORLD_NONE;
    archetype->last_rows = archetype->count = 0;
    hm_world_drop_spares(world, index);
    hm_world_mark_rows(world, index);
}
