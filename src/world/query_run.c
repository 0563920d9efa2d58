/* SPDX-License-Identifier: MIT */
/* query: the loop. Without sparse terms it goes from chunk to chunk. With sparse terms it tests one
 * candidate after the other, and a view is a run of candidates that match, whose rows follow each
 * other in one chunk, and whose sparse values follow each other in each secondary. The candidates
 * are the rows of all tables that match or, if there are fewer, the owners of the smallest
 * secondary in `all`. */
#include "query_internal.h"

enum {
    QUERY_AHEAD = 12,          /* candidates ahead for which what a test reads is prefetched */
    QUERY_LINE = 64,           /* bytes that one prefetch loads */
    QUERY_PREFETCH_SIZE = 4096 /* bytes of each column of the next chunk */
};

/* views */

static void query_enter_table(hm_query *query, uint32_t index)
{
    const hm_world_table *table = &query->world->tables[index];
    query->table = table;
    for (uint32_t c = 0; c < query->column_end; c++) {
        const hm_world_cell *cell = hm_world_cell_of(table, query->numbers[c]);
        query->places[c] = (hm_query_column){cell->offset, cell->size};
    }
}

/* Points the view's columns to a row of its table. */
static void query_point(hm_query *query, uint32_t chunk, uint32_t row)
{
    unsigned char *start = hm_world_chunk_at(query->world, chunk);
    size_t rows = query->table->rows[hm_world_chunk_class(chunk)];
    query->entities = hm_world_entities(query->world, query->table, chunk) + row;
    for (uint32_t c = 0; c < query->column_end; c++) {
        hm_query_column place = query->places[c];
        size_t offset = rows * place.offset + (size_t)row * place.size;
        query->columns[c] = place.size != 0 ? start + offset : NULL;
    }
}

/* from chunk to chunk */

/* Starts loading what a view of this chunk has. A loop that does little with each value is as fast
 * as its data comes, and the processor's own prefetching begins anew with each column of a chunk.
 */
static void query_prefetch_chunk(const hm_query *query, const hm_world_table *table, uint32_t chunk)
{
    const unsigned char *start = hm_world_chunk_at(query->world, chunk);
    size_t rows = table->rows[hm_world_chunk_class(chunk)];
    HM_PREFETCH(hm_world_link_of(query->world, chunk));
    for (uint32_t c = 0; c < query->column_end; c++) {
        const hm_world_cell *cell = hm_world_cell_of(table, query->numbers[c]);
        size_t size = (size_t)hm_world_rows_in(table, chunk) * cell->size;
        if (size > QUERY_PREFETCH_SIZE)
            size = QUERY_PREFETCH_SIZE;
        for (size_t i = 0; i < size; i += QUERY_LINE)
            HM_PREFETCH(start + rows * cell->offset + i);
    }
}

/* Enters the next table, and finds the one after that, so that it can be prefetched. */
static bool query_next_filled_table(hm_query *query)
{
    hm_query_cursor *cursor = &query->cursor;
    if (cursor->next_table == HM_WORLD_NONE)
        return false;
    query_enter_table(query, cursor->next_table);
    cursor->chunk = query->table->first;
    cursor->next_table = hm_query_next_table(query);
    if (cursor->next_table == HM_WORLD_NONE)
        return true;
    const hm_world_table *next = &query->world->tables[cursor->next_table];
    for (uint32_t c = 0; c < query->column_end; c++)
        HM_PREFETCH(hm_world_cell_of(next, query->numbers[c]));
    return true;
}

static bool query_next_chunk(hm_query *query)
{
    hm_query_cursor *cursor = &query->cursor;
    if (cursor->chunk == HM_WORLD_NONE && !query_next_filled_table(query))
        return false;
    uint32_t chunk = cursor->chunk;
    query->count = hm_world_rows_in(query->table, chunk);
    query_point(query, chunk, 0);
    if (chunk != query->table->last) {
        cursor->chunk = hm_world_link_of(query->world, chunk)->next;
        query_prefetch_chunk(query, query->table, cursor->chunk);
        return true;
    }
    cursor->chunk = HM_WORLD_NONE;
    if (cursor->next_table != HM_WORLD_NONE) {
        const hm_world_table *next = &query->world->tables[cursor->next_table];
        query_prefetch_chunk(query, next, next->first);
    }
    return true;
}

/* candidates */

static void query_prefetch_terms(const hm_query *query, hm_handle entity)
{
    for (uint32_t s = 0; s < query->sparse_count; s++) {
        const hm_secondary *secondary = hm_query_secondary(query, query->sparse_terms[s]);
        if (secondary != query->driver && hm_handle_index(entity) < secondary->slot_end)
            HM_PREFETCH(&secondary->positions[hm_handle_index(entity)]);
    }
}

/* Goes to the next owner of the driver. */
static bool query_next_owner(hm_query *query)
{
    const hm_secondary *driver = query->driver;
    const hm_world *world = query->world;
    hm_query_cursor *cursor = &query->cursor;
    uint32_t index = ++cursor->index;
    if (index >= driver->count)
        return false;
    cursor->entity = driver->owners[index];
    cursor->place = world->places[hm_handle_index(cursor->entity)];
    if (QUERY_AHEAD < driver->count - index) {
        hm_handle ahead = driver->owners[index + QUERY_AHEAD];
        HM_PREFETCH(&world->places[hm_handle_index(ahead)]);
        query_prefetch_terms(query, ahead);
    }
    return true;
}

/* Goes to the next row. */
static bool query_next_row(hm_query *query)
{
    const hm_world *world = query->world;
    hm_query_cursor *cursor = &query->cursor;
    uint32_t row = hm_world_place_row(cursor->place) + 1, index = cursor->table;
    if (row >= cursor->rows) {
        if (cursor->chunk == HM_WORLD_NONE) {
            index = hm_query_next_table(query);
            if (index == HM_WORLD_NONE)
                return false;
            cursor->chunk = world->tables[index].first;
        }
        cursor->place.chunk = cursor->chunk;
        cursor->rows = hm_world_rows_in(&world->tables[index], cursor->chunk);
        bool is_last = cursor->chunk == world->tables[index].last;
        cursor->chunk = is_last ? HM_WORLD_NONE : hm_world_link_of(world, cursor->chunk)->next;
        row = 0;
    }
    const hm_handle *entities =
        hm_world_entities(world, &world->tables[index], cursor->place.chunk);
    cursor->place.row = index << HM_WORLD_ROW_BITS | row;
    cursor->entity = entities[row];
    if (QUERY_AHEAD < cursor->rows - row)
        query_prefetch_terms(query, entities[row + QUERY_AHEAD]);
    return true;
}

static bool query_test_table(hm_query *query)
{
    hm_query_cursor *cursor = &query->cursor;
    uint32_t index = hm_world_place_table(cursor->place);
    if (cursor->table != index) {
        const hm_world_table *table = &query->world->tables[index];
        cursor->table = index;
        cursor->table_matches = hm_query_matches(query, table, &cursor->has_any);
    }
    return cursor->table_matches;
}

/* Whether the candidate matches; then all its positions are in `found`. */
static bool query_test(hm_query *query)
{
    if (!query_test_table(query))
        return false;
    bool has_any = query->cursor.has_any;
    for (uint32_t s = 0; s < query->sparse_count; s++) {
        uint32_t term = query->sparse_terms[s];
        uint32_t position =
            hm_secondary_find(hm_query_secondary(query, term), query->cursor.entity);
        bool is_there = position != HM_INVALID_INDEX;
        if (term < query->all_end && !is_there)
            return false;
        if (term >= query->column_end && term < query->none_end && is_there)
            return false;
        has_any = has_any || (term >= query->none_end && is_there);
        query->found[s] = position;
    }
    return has_any;
}

static void query_next_candidate(hm_query *query)
{
    hm_query_cursor *cursor = &query->cursor;
    cursor->exists = query->driver != NULL ? query_next_owner(query) : query_next_row(query);
    cursor->matches = cursor->exists && query_test(query);
}

/* runs */

/* Whether the candidate is the next one of a run that begins at `first` and has `count` entities.
 */
static bool query_continues(const hm_query *query, hm_world_place first, uint32_t count)
{
    const hm_query_cursor *cursor = &query->cursor;
    if (!cursor->matches || cursor->place.chunk != first.chunk ||
        cursor->place.row != first.row + count)
        return false;
    for (uint32_t s = 0; s < query->sparse_columns; s++) {
        uint32_t position = query->positions[s];
        if (position != HM_INVALID_INDEX)
            position += count;
        if (query->found[s] != position)
            return false;
    }
    return true;
}

static void query_point_sparse(hm_query *query)
{
    for (uint32_t s = 0; s < query->sparse_columns; s++) {
        uint32_t term = query->sparse_terms[s], position = query->positions[s];
        const hm_secondary *secondary = hm_query_secondary(query, term);
        if (position != HM_INVALID_INDEX)
            query->columns[term] = secondary->values + secondary->value_size * position;
    }
}

static bool query_next_run(hm_query *query)
{
    hm_query_cursor *cursor = &query->cursor;
    while (cursor->exists && !cursor->matches)
        query_next_candidate(query);
    if (!cursor->exists)
        return false;
    hm_world_place first = cursor->place;
    uint32_t index = hm_world_place_table(first), count = 0;
    memcpy(query->positions, query->found, query->sparse_columns * sizeof *query->found);
    do {
        count++;
        query_next_candidate(query);
    } while (query_continues(query, first, count));
    if (query->table != &query->world->tables[index])
        query_enter_table(query, index);
    query_point(query, first.chunk, hm_world_place_row(first));
    query_point_sparse(query);
    query->count = count;
    return true;
}

/* the loop */

/* Returns the smallest secondary of `all` if it has fewer values than the tables that match have
 * rows, or NULL. */
static const hm_secondary *query_find_driver(hm_query *query)
{
    const hm_secondary *smallest = NULL;
    for (uint32_t s = 0; s < query->sparse_count && query->sparse_terms[s] < query->all_end; s++) {
        const hm_secondary *secondary = hm_query_secondary(query, query->sparse_terms[s]);
        if (smallest == NULL || secondary->count < smallest->count)
            smallest = secondary;
    }
    uint32_t rows = 0;
    while (smallest != NULL && rows <= smallest->count) {
        uint32_t table = hm_query_next_table(query);
        if (table == HM_WORLD_NONE)
            return NULL;
        rows += query->world->tables[table].count;
    }
    return smallest;
}

static void query_rewind_cursor(hm_query *query)
{
    query->cursor = (hm_query_cursor){.unlisted = query->seen, .chunk = HM_WORLD_NONE};
    query->cursor.table = HM_WORLD_NONE;
    query->cursor.index = UINT32_MAX; /* The first owner is the one after that. */
}

void hm_query_rewind(hm_query *query)
{
    query->table = NULL;
    query->count = 0;
    query_rewind_cursor(query);
    if (query->sparse_count == 0) {
        query->cursor.next_table = hm_query_next_table(query);
        return;
    }
    query->driver = query_find_driver(query);
    query_rewind_cursor(query);
    query_next_candidate(query);
}

bool hm_query_step(hm_query *query)
{
    return query->sparse_count == 0 ? query_next_chunk(query) : query_next_run(query);
}
