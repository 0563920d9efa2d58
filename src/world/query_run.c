/* SPDX-License-Identifier: MIT */
/* query: the loop. Without sparse terms it goes from chunk to chunk. With sparse terms it tests one
 * candidate after the other, and a view is a run of candidates that match, whose rows follow each
 * other in one chunk, and whose sparse values follow each other in each secondary. The candidates
 * are the rows of all archetypes that match or, if there are fewer, the owners of the smallest
 * secondary in `all`. */
#include "world_private.h"

enum {
    QUERY_AHEAD = 12,            /* candidates ahead for which what a test reads is prefetched */
    QUERY_LINE = 64,             /* bytes that one prefetch loads */
    QUERY_STEP = 16,             /* views and parts begin at multiples of this many rows */
    QUERY_TAIL_SIZE = 16384,     /* bytes of the last rows of a chunk, in all columns */
    QUERY_TAIL_VIEWS = 8,        /* views of as many rows */
    QUERY_CACHED_SIZE = 1 << 20, /* bytes of values in a loop that caches keep from the last one */
};

/* rows */

/* Points the view's columns to a row of its archetype. Those of sparse terms are left alone. */
static inline void query_point(hm_query_loop *loop, uint32_t chunk, uint32_t row)
{
    const hm_query *query = loop->query;
    unsigned char *start = hm_world_chunk_at(query->world, chunk);
    size_t rows = loop->archetype->rows[hm_world_chunk_class(chunk)];
    loop->entities = hm_world_entities(query->world, loop->archetype, chunk) + row;
    for (uint32_t c = 0; c < query->column_end; c++) {
        if (hm_query_is_sparse(query, c))
            continue;
        const hm_world_cell *cell = hm_world_cell_of(loop->archetype, query->numbers[c]);
        size_t offset = rows * cell->offset + (size_t)row * cell->size;
        loop->columns[c] = cell->size != 0 ? start + offset : NULL;
    }
}

/* Ends the rows of the cursor's chunk where those of a loop with n more rows end. */
static void query_bound(hm_query_cursor *cursor, uint32_t n)
{
    if (n < cursor->rows - cursor->row)
        cursor->rows = cursor->row + n;
    if (cursor->tail > cursor->rows)
        cursor->tail = cursor->rows;
    cursor->left = n - (cursor->rows - cursor->row);
}

/* Finds the chunk after the cursor's; HM_WORLD_NONE if it is the last one of the world. */
static void query_look_ahead(hm_query_loop *loop)
{
    hm_query_cursor *cursor = &loop->cursor;
    const hm_world *world = loop->query->world;
    if (cursor->archetype != NULL && cursor->chunk != cursor->archetype->last) {
        cursor->ahead = hm_world_link_of(world, cursor->chunk)->next;
    } else {
        uint32_t index = hm_query_next_archetype(loop);
        cursor->ahead = HM_WORLD_NONE;
        if (index == HM_WORLD_NONE)
            return;
        cursor->ahead_archetype = &world->archetypes[index];
        cursor->ahead = cursor->ahead_archetype->first;
        hm_query_prefetch_archetypes(loop);
    }
    if (cursor->ahead != cursor->ahead_archetype->last) /* A link may be in a page of its own. */
        HM_PREFETCH(hm_world_link_of(world, cursor->ahead));
}

/* Chooses the rows of a new chunk that are views of their own. A loop that does little with each
 * value is as fast as its data comes, and the processor's own prefetching begins anew with each
 * column of a chunk. So the last rows of a chunk, its tail, are several views, and while the loop
 * runs over such a view, the rows as far behind the start of the next chunk are loaded. There is no
 * tail where there is nothing to load, and none in the first values of a loop, since shorter loops
 * find theirs in the caches. */
static void query_choose_tail(hm_query_loop *loop)
{
    const hm_query *query = loop->query;
    hm_query_cursor *cursor = &loop->cursor;
    uint32_t size = 0, tail = QUERY_STEP;
    for (uint32_t c = 0; c < query->column_end; c++)
        size += hm_world_cell_of(cursor->archetype, query->numbers[c])->size;
    cursor->tail = cursor->rows;
    if (cursor->passed < QUERY_CACHED_SIZE) {
        cursor->passed += cursor->rows * size; /* A chunk has at most 256 KiB. */
        return;
    }
    if (size == 0 || cursor->left == 0 || cursor->ahead == HM_WORLD_NONE)
        return;
    if (size < QUERY_TAIL_SIZE / QUERY_STEP)
        tail = QUERY_TAIL_SIZE / size;
    cursor->tail_view = (tail / QUERY_TAIL_VIEWS + QUERY_STEP) & ~(uint32_t)(QUERY_STEP - 1);
    cursor->tail = cursor->rows > tail ? cursor->rows - tail : 0;
    cursor->tail &= ~(uint32_t)(QUERY_STEP - 1);
}

/* Goes to the first row of the next chunk, or returns false. */
static bool query_next_chunk(hm_query_loop *loop)
{
    hm_query_cursor *cursor = &loop->cursor;
    if (cursor->archetype == NULL)
        query_look_ahead(loop);
    if (cursor->left == 0 || cursor->ahead == HM_WORLD_NONE)
        return false;
    cursor->archetype = cursor->ahead_archetype;
    cursor->chunk = cursor->ahead;
    cursor->row = 0;
    cursor->rows = hm_world_rows_in(cursor->archetype, cursor->chunk);
    query_bound(cursor, cursor->left);
    query_look_ahead(loop);
    query_choose_tail(loop);
    return true;
}

/* from chunk to chunk */

/* Starts loading the values of these rows of the next chunk, as far as they exist. */
static void query_prefetch_rows(const hm_query_loop *loop, uint32_t row, uint32_t end)
{
    const hm_query *query = loop->query;
    const hm_world_archetype *archetype = loop->cursor.ahead_archetype;
    uint32_t chunk = loop->cursor.ahead, rows = hm_world_rows_in(archetype, chunk);
    const unsigned char *start = hm_world_chunk_at(query->world, chunk);
    size_t capacity = archetype->rows[hm_world_chunk_class(chunk)];
    if (end > rows)
        end = rows;
    for (uint32_t c = 0; c < query->column_end; c++) {
        const hm_world_cell *cell = hm_world_cell_of(archetype, query->numbers[c]);
        const unsigned char *values = start + capacity * cell->offset;
        for (size_t i = (size_t)row * cell->size; i < (size_t)end * cell->size; i += QUERY_LINE)
            HM_PREFETCH(values + i);
    }
}

static bool query_next_rows(hm_query_loop *loop)
{
    hm_query_cursor *cursor = &loop->cursor;
    if (cursor->row == cursor->rows && !query_next_chunk(loop))
        return false;
    uint32_t row = cursor->row, count = cursor->rows - row;
    if (row < cursor->tail) {
        count = cursor->tail - row;
    } else {
        if (count >= cursor->tail_view + QUERY_STEP)
            count = cursor->tail_view;
        query_prefetch_rows(loop, row - cursor->tail, row - cursor->tail + count);
    }
    loop->archetype = cursor->archetype;
    loop->count = count;
    query_point(loop, cursor->chunk, row);
    cursor->row += count;
    return true;
}

/* candidates */

static void query_prefetch_terms(const hm_query_loop *loop, hm_handle entity)
{
    const hm_query *query = loop->query;
    for (uint32_t s = 0; s < query->sparse_count; s++) {
        if (s == loop->walked)
            continue;
        const hm_secondary *secondary = hm_query_secondary(query, query->sparse_terms[s]);
        if (hm_handle_index(entity) < secondary->slot_end)
            HM_PREFETCH(&secondary->positions[hm_handle_index(entity)]);
    }
}

/* Goes to the next owner of the driver. */
static bool query_next_owner(hm_query_loop *loop)
{
    const hm_secondary *driver = loop->driver;
    const hm_world *world = loop->query->world;
    hm_query_cursor *cursor = &loop->cursor;
    uint32_t index = ++cursor->index;
    if (index >= driver->count || cursor->left == 0)
        return false;
    cursor->left--;
    cursor->entity = driver->owners[index];
    cursor->place = *hm_world_place_of(world, cursor->entity);
    if (QUERY_AHEAD < driver->count - index) {
        hm_handle ahead = driver->owners[index + QUERY_AHEAD];
        HM_PREFETCH(hm_world_place_of(world, ahead));
        if (loop->query->sparse_count > 1)
            query_prefetch_terms(loop, ahead);
    }
    return true;
}

/* Goes to the next row. */
static bool query_next_row(hm_query_loop *loop)
{
    const hm_world *world = loop->query->world;
    hm_query_cursor *cursor = &loop->cursor;
    if (cursor->row == cursor->rows && !query_next_chunk(loop))
        return false;
    uint32_t row = cursor->row++, index = (uint32_t)(cursor->archetype - world->archetypes);
    const hm_handle *entities = hm_world_entities(world, cursor->archetype, cursor->chunk);
    cursor->place = (hm_world_place){cursor->chunk, index << HM_WORLD_ROW_BITS | row};
    cursor->entity = entities[row];
    if (QUERY_AHEAD < cursor->rows - row)
        query_prefetch_terms(loop, entities[row + QUERY_AHEAD]);
    return true;
}

/* Returns what is known of the candidate's archetype. Neighbouring owners are often of different
 * archetypes, so several are kept. */
static const hm_query_known *query_test_archetype(hm_query_loop *loop)
{
    const hm_query *query = loop->query;
    uint32_t index = hm_world_place_archetype(loop->cursor.place);
    hm_query_known *known = &loop->known[index % HM_QUERY_KNOWN];
    if (known->archetype != index + 1) {
        known->archetype = index + 1;
        known->matches =
            hm_query_matches(query, &query->world->archetypes[index], &known->any_terms);
    }
    return known;
}

/* Whether the candidate matches; then all its positions are in `found`. `walked`: the sparse term
 * whose owner at the cursor's index it is, or HM_WORLD_NONE. */
static inline bool query_test(hm_query_loop *loop, uint32_t walked)
{
    const hm_query *query = loop->query;
    const hm_query_known *known = query_test_archetype(loop);
    if (!known->matches)
        return false;
    uint64_t any_terms = known->any_terms;
    for (uint32_t s = 0; s < query->sparse_count; s++) {
        if (s == walked) { /* It has the value that all entities must have. */
            loop->found[s] = loop->cursor.index;
            continue;
        }
        uint32_t term = query->sparse_terms[s];
        uint32_t position = hm_secondary_find(hm_query_secondary(query, term), loop->cursor.entity);
        bool is_there = position != HM_INVALID_INDEX;
        if (term < query->all_end && !is_there)
            return false;
        if (term >= query->column_end && term < query->none_end && is_there)
            return false;
        if (term >= query->none_end)
            any_terms |= (uint64_t)is_there << term;
        loop->found[s] = position;
    }
    return hm_query_has_any(query, any_terms);
}

bool hm_query_accepts(hm_query_loop *loop, hm_handle entity)
{
    loop->cursor.entity = entity;
    loop->cursor.place = *hm_world_place_of(loop->query->world, entity);
    return query_test(loop, HM_WORLD_NONE);
}

static bool query_next_candidate(hm_query_loop *loop)
{
    return loop->driver != NULL ? query_next_owner(loop) : query_next_row(loop);
}

/* runs */

/* Whether the next candidate has the row after this one, in the same chunk. */
static bool query_is_followed(const hm_query_loop *loop)
{
    const hm_secondary *driver = loop->driver;
    const hm_query_cursor *cursor = &loop->cursor;
    if (driver == NULL)
        return cursor->row < cursor->rows;
    if (cursor->index + 1 >= driver->count || cursor->left == 0)
        return false;
    hm_world_place next = *hm_world_place_of(loop->query->world, driver->owners[cursor->index + 1]);
    return next.chunk == cursor->place.chunk && next.row == cursor->place.row + 1;
}

/* Whether the sparse values of the candidate follow those of a run of `count` entities. */
static bool query_continues(const hm_query_loop *loop, uint32_t count)
{
    for (uint32_t s = 0; s < loop->query->sparse_columns; s++) {
        uint32_t position = loop->positions[s];
        if (position != HM_INVALID_INDEX)
            position += count;
        if (loop->found[s] != position)
            return false;
    }
    return true;
}

/* Begins a view at the candidate, which matches. */
static inline void query_begin_run(hm_query_loop *loop)
{
    const hm_query *query = loop->query;
    hm_world_place place = loop->cursor.place;
    loop->archetype = &query->world->archetypes[hm_world_place_archetype(place)];
    query_point(loop, place.chunk, hm_world_place_row(place));
    for (uint32_t s = 0; s < query->sparse_columns; s++) {
        uint32_t term = query->sparse_terms[s], position = loop->found[s];
        loop->positions[s] = position;
        loop->columns[term] = NULL;
        if (position == HM_INVALID_INDEX)
            continue;
        const hm_secondary *secondary =
            s == loop->walked ? loop->driver : hm_query_secondary(query, term);
        loop->columns[term] = secondary->values + secondary->value_size * position;
    }
}

/* A candidate that matches, but whose values lie elsewhere, begins the next run. */
static bool query_next_run(hm_query_loop *loop)
{
    hm_query_cursor *cursor = &loop->cursor;
    uint32_t count = 0;
    while (count == 0 || query_is_followed(loop)) {
        if (!cursor->is_pending && !query_next_candidate(loop))
            break;
        bool matches = cursor->is_pending || query_test(loop, loop->walked);
        cursor->is_pending = matches && count > 0 && !query_continues(loop, count);
        if (count > 0 && (!matches || cursor->is_pending))
            break;
        if (matches && count++ == 0)
            query_begin_run(loop);
    }
    loop->count = count;
    return count > 0;
}

/* the loop */

/* The driver is the smallest secondary of `all` if it has fewer values than the archetypes that
 * match have rows, or NULL. */
static void query_find_driver(hm_query_loop *loop)
{
    const hm_query *query = loop->query;
    const hm_secondary *smallest = NULL;
    loop->walked = HM_WORLD_NONE;
    uint32_t rows = 0, walked = 0;
    for (uint32_t s = 0; s < query->sparse_count && query->sparse_terms[s] < query->all_end; s++) {
        const hm_secondary *secondary = hm_query_secondary(query, query->sparse_terms[s]);
        if (smallest != NULL && secondary->count >= smallest->count)
            continue;
        smallest = secondary;
        walked = s;
    }
    while (smallest != NULL && rows <= smallest->count) {
        uint32_t archetype = hm_query_next_archetype(loop);
        if (archetype == HM_WORLD_NONE)
            return;
        rows += query->world->archetypes[archetype].count;
    }
    if (smallest == NULL)
        return;
    loop->driver = smallest;
    loop->walked = walked;
}

void hm_query_rewind(hm_query_loop *loop)
{
    loop->count = 0;
    loop->driver = NULL;
    hm_query_rewind_archetypes(loop);
    if (loop->query->sparse_count == 0)
        return;
    query_find_driver(loop);
    hm_query_rewind_archetypes(loop);
}

/* parts */

/* Goes before the first row or owner, and returns how many there are. */
static uint32_t query_measure(hm_query_loop *loop)
{
    uint32_t total = 0, archetype;
    hm_query_rewind(loop);
    if (loop->driver != NULL)
        return ((const hm_secondary *)loop->driver)->count;
    while ((archetype = hm_query_next_archetype(loop)) != HM_WORLD_NONE)
        total += loop->query->world->archetypes[archetype].count;
    hm_query_rewind_archetypes(loop);
    return total;
}

/* Goes to this row or owner of the loop, or to a row before it at which a part may begin, and
 * returns its number. *passed: the rows before the chunk. */
static uint32_t query_seek(hm_query_loop *loop, uint32_t at, uint32_t *passed)
{
    hm_query_cursor *cursor = &loop->cursor;
    if (loop->driver != NULL) {
        cursor->index = at - 1; /* The first owner is the one after that. */
        return at;
    }
    while (at - *passed >= cursor->rows) {
        *passed += cursor->rows;
        if (!query_next_chunk(loop))
            return at;
    }
    cursor->row = (at - *passed) & ~(uint32_t)(QUERY_STEP - 1);
    return *passed + cursor->row;
}

/* Each part goes on where the last one has begun, and only then that one gets its end. */
void hm_query_split(hm_query *query, hm_query_loop *parts, uint32_t n)
{
    parts[0].query = query;
    uint32_t total = query_measure(&parts[0]), passed = 0, start = 0;
    for (uint32_t i = 0; i < n; i++) {
        hm_query_loop *part = &parts[i];
        if (i > 0) {
            part->query = query;
            part->list = parts[0].list;
            part->driver = parts[0].driver;
            part->walked = parts[0].walked;
            part->cursor = parts[i - 1].cursor;
            memset(part->known, 0, sizeof part->known);
        }
        uint32_t at = query_seek(part, (uint32_t)((uint64_t)total * i / n), &passed);
        if (i > 0)
            query_bound(&parts[i - 1].cursor, at - start);
        start = at;
    }
    query_bound(&parts[n - 1].cursor, total - start);
}

/* the step */

bool hm_query_step(hm_query_loop *loop)
{
    return loop->query->sparse_count == 0 ? query_next_rows(loop) : query_next_run(loop);
}
