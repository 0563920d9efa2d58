/* SPDX-License-Identifier: MIT */
/* query: the loop. Without sparse terms it goes from chunk to chunk. With sparse terms it tests one
 * candidate after the other, and a view is a run of candidates that match, whose rows follow each
 * other in one chunk, and whose sparse values follow each other in each secondary. The candidates
 * are the rows of all archetypes that match or, if there are fewer, the owners of the smallest
 * secondary in `all`. */
#include "world_private.h"

enum {
    QUERY_AHEAD = 12,        /* candidates ahead for which what a test reads is prefetched */
    QUERY_LINE = 64,         /* bytes that one prefetch loads */
    QUERY_TAIL_SIZE = 16384, /* bytes of the last rows of a chunk, in all columns of the query */
    QUERY_CACHED_SIZE = 1 << 20, /* bytes of values in a loop that caches keep from the last one */
    QUERY_TAIL_VIEWS = 8,        /* views of as many rows */
    QUERY_STEP = 16              /* a chunk's views begin at multiples of this many rows */
};

/* views */

static void query_enter_archetype(hm_query_loop *loop, const hm_world_archetype *archetype)
{
    const hm_query *query = loop->query;
    loop->archetype = archetype;
    loop->cursor.size = 0;
    for (uint32_t c = 0; c < query->column_end; c++)
        loop->cursor.size += hm_world_cell_of(archetype, query->numbers[c])->size;
}

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

/* Finds the chunk that comes after this one, if the loop goes on there. */
static void query_look_ahead(hm_query_loop *loop)
{
    hm_query_cursor *cursor = &loop->cursor;
    const hm_world *world = loop->query->world;
    if (cursor->left == 0) {
        cursor->ahead = HM_WORLD_NONE;
        return;
    }
    if (loop->archetype != NULL && cursor->chunk != loop->archetype->last) {
        cursor->ahead = hm_world_link_of(world, cursor->chunk)->next;
    } else if (cursor->next_archetype != HM_WORLD_NONE) {
        cursor->ahead_archetype = &world->archetypes[cursor->next_archetype];
        cursor->ahead = cursor->ahead_archetype->first;
        hm_query_prefetch_archetypes(loop);
    } else {
        cursor->ahead = HM_WORLD_NONE;
        return;
    }
    if (cursor->ahead != cursor->ahead_archetype->last) /* A link may be in a page of its own. */
        HM_PREFETCH(hm_world_link_of(world, cursor->ahead));
}

/* Says how many rows at the end of the chunk are loaded ahead: none where there is nothing to load,
 * and none of the first values of a loop, since shorter loops find theirs in the caches. */
static void query_choose_tail(hm_query_cursor *cursor)
{
    cursor->tail = 0;
    if (cursor->size == 0)
        return;
    if (cursor->passed < QUERY_CACHED_SIZE)
        cursor->passed += cursor->rows * cursor->size; /* A chunk has at most 256 KiB. */
    else
        cursor->tail = cursor->size < QUERY_TAIL_SIZE / QUERY_STEP ? QUERY_TAIL_SIZE / cursor->size
                                                                   : QUERY_STEP;
}

static bool query_next_chunk(hm_query_loop *loop)
{
    hm_query_cursor *cursor = &loop->cursor;
    if (cursor->ahead == HM_WORLD_NONE)
        return false;
    cursor->chunk = cursor->ahead;
    if (loop->archetype != cursor->ahead_archetype) {
        query_enter_archetype(loop, cursor->ahead_archetype);
        cursor->next_archetype = hm_query_next_archetype(loop);
    }
    cursor->row = cursor->skip;
    cursor->skip = 0;
    cursor->rows = hm_world_rows_in(loop->archetype, cursor->chunk);
    if (cursor->rows - cursor->row > cursor->left)
        cursor->rows = cursor->row + cursor->left;
    cursor->left -= cursor->rows - cursor->row;
    query_choose_tail(cursor);
    query_look_ahead(loop);
    return true;
}

/* Returns how many rows the view at the cursor has. A loop that does little with each value is as
 * fast as its data comes, and the processor's own prefetching begins anew with each column of a
 * chunk. So the last rows of a chunk, its tail, are views of their own, and while the loop runs
 * over such a view, the one as far behind the start of the next chunk is loaded. */
static uint32_t query_measure_view(const hm_query_loop *loop)
{
    const hm_query_cursor *cursor = &loop->cursor;
    uint32_t left = cursor->rows - cursor->row, first = 0;
    if (cursor->ahead == HM_WORLD_NONE || cursor->tail == 0)
        return left;
    if (cursor->rows > cursor->tail)
        first = (cursor->rows - cursor->tail) & ~(uint32_t)(QUERY_STEP - 1);
    if (cursor->row < first)
        return first - cursor->row;
    uint32_t size = (cursor->tail / QUERY_TAIL_VIEWS + QUERY_STEP) & ~(uint32_t)(QUERY_STEP - 1);
    uint32_t count = left < size + QUERY_STEP ? left : size, row = cursor->row - first;
    query_prefetch_rows(loop, row, row + count);
    return count;
}

static bool query_next_rows(hm_query_loop *loop)
{
    hm_query_cursor *cursor = &loop->cursor;
    if (cursor->row == cursor->rows && !query_next_chunk(loop))
        return false;
    loop->count = query_measure_view(loop);
    query_point(loop, cursor->chunk, cursor->row);
    cursor->row += loop->count;
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
    if (index >= driver->count)
        return false;
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
    uint32_t index = hm_world_place_archetype(cursor->place);
    if (cursor->row >= cursor->rows) {
        if (cursor->chunk == HM_WORLD_NONE) {
            index = hm_query_next_archetype(loop);
            if (index == HM_WORLD_NONE)
                return false;
            cursor->chunk = world->archetypes[index].first;
        }
        cursor->place.chunk = cursor->chunk;
        cursor->rows = hm_world_rows_in(&world->archetypes[index], cursor->chunk);
        cursor->chunk = hm_world_next_chunk(world, &world->archetypes[index], cursor->chunk);
        cursor->row = 0;
    }
    uint32_t row = cursor->row++;
    const hm_handle *entities =
        hm_world_entities(world, &world->archetypes[index], cursor->place.chunk);
    cursor->place.row = index << HM_WORLD_ROW_BITS | row;
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
    if (loop->cursor.left == 0)
        return false;
    loop->cursor.left--;
    return loop->driver != NULL ? query_next_owner(loop) : query_next_row(loop);
}

/* runs */

/* Whether the next candidate has the row after this one, in the same chunk. */
static bool query_is_followed(const hm_query_loop *loop)
{
    const hm_secondary *driver = loop->driver;
    const hm_query_cursor *cursor = &loop->cursor;
    if (cursor->left == 0)
        return false;
    if (driver == NULL)
        return cursor->row < cursor->rows;
    if (cursor->index + 1 >= driver->count)
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
    loop->driver = NULL;
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

void hm_query_rewind_archetypes(hm_query_loop *loop)
{
    loop->list = hm_query_list(loop->query);
    loop->cursor = (hm_query_cursor){.unlisted = loop->query->seen, .chunk = HM_WORLD_NONE};
    loop->cursor.left = UINT32_MAX;
    loop->cursor.index = UINT32_MAX; /* The first owner is the one after that. */
    memset(loop->known, 0, sizeof loop->known);
}

void hm_query_rewind(hm_query_loop *loop)
{
    loop->archetype = NULL;
    loop->count = 0;
    loop->driver = NULL;
    hm_query_rewind_archetypes(loop);
    if (loop->query->sparse_count == 0) {
        loop->cursor.next_archetype = hm_query_next_archetype(loop);
        query_look_ahead(loop);
        return;
    }
    query_find_driver(loop);
    hm_query_rewind_archetypes(loop);
}

/* parts */

/* Goes from the first row of a chunk to this row of the loop, or to one before it at which a view
 * may begin. *passed: the rows before the chunk. */
static void query_seek(hm_query_loop *loop, uint32_t row, uint32_t *passed)
{
    hm_query_cursor *cursor = &loop->cursor;
    const hm_world *world = loop->query->world;
    uint32_t rows;
    while (row - *passed >= (rows = hm_world_rows_in(cursor->ahead_archetype, cursor->ahead))) {
        *passed += rows;
        cursor->ahead = hm_world_next_chunk(world, cursor->ahead_archetype, cursor->ahead);
        if (cursor->ahead != HM_WORLD_NONE)
            continue;
        cursor->next_archetype = hm_query_next_archetype(loop);
        cursor->ahead_archetype = &world->archetypes[cursor->next_archetype];
        cursor->ahead = cursor->ahead_archetype->first;
    }
    cursor->skip = (row - *passed) & ~(uint32_t)(QUERY_STEP - 1);
}

/* Says how many rows or owners the part has, and goes before its first view. */
static void query_start_part(hm_query_loop *part, uint32_t n)
{
    hm_query_cursor *cursor = &part->cursor;
    const hm_world *world = part->query->world;
    cursor->left = n;
    if (n == 0) {
        cursor->ahead = HM_WORLD_NONE;
        return;
    }
    if (part->query->sparse_count != 0 && part->driver == NULL) {
        cursor->place.chunk = cursor->ahead;
        cursor->place.row = (uint32_t)(cursor->ahead_archetype - world->archetypes)
                            << HM_WORLD_ROW_BITS;
        cursor->rows = hm_world_rows_in(cursor->ahead_archetype, cursor->ahead);
        cursor->row = cursor->skip;
        cursor->chunk = hm_world_next_chunk(world, cursor->ahead_archetype, cursor->ahead);
    }
}

/* Goes before the first row or owner, and returns how many there are. */
static uint32_t query_measure(hm_query_loop *loop)
{
    const hm_world *world = loop->query->world;
    uint32_t total = 0, archetype;
    loop->archetype = NULL;
    hm_query_rewind_archetypes(loop);
    query_find_driver(loop);
    hm_query_rewind_archetypes(loop);
    if (loop->driver != NULL)
        return ((const hm_secondary *)loop->driver)->count;
    while ((archetype = hm_query_next_archetype(loop)) != HM_WORLD_NONE)
        total += world->archetypes[archetype].count;
    hm_query_rewind_archetypes(loop);
    if (total == 0)
        return 0;
    loop->cursor.next_archetype = hm_query_next_archetype(loop);
    loop->cursor.ahead_archetype = &world->archetypes[loop->cursor.next_archetype];
    loop->cursor.ahead = loop->cursor.ahead_archetype->first;
    return total;
}

/* Each part goes on where the last one has begun, and only then that one starts, since it needs to
 * know where it ends. */
void hm_query_split(hm_query *query, hm_query_loop *parts, uint32_t n)
{
    parts[0].query = query;
    uint32_t total = query_measure(&parts[0]), passed = 0, start = 0;
    for (uint32_t i = 0; i < n; i++) {
        hm_query_loop *part = &parts[i];
        uint32_t at = (uint32_t)((uint64_t)total * i / n);
        if (i > 0) {
            part->query = query;
            part->archetype = NULL;
            part->list = parts[0].list;
            part->driver = parts[0].driver;
            part->walked = parts[0].walked;
            part->cursor = parts[i - 1].cursor;
            memset(part->known, 0, sizeof part->known);
        }
        if (part->driver != NULL) {
            part->cursor.index = at - 1; /* The first owner is the one after that. */
        } else if (total != 0) {
            query_seek(part, at, &passed);
            at = passed + part->cursor.skip;
        }
        if (i > 0)
            query_start_part(&parts[i - 1], at - start);
        start = at;
    }
    query_start_part(&parts[n - 1], total - start);
}

/* the step */

bool hm_query_step(hm_query_loop *loop)
{
    return loop->query->sparse_count == 0 ? query_next_rows(loop) : query_next_run(loop);
}
