/* SPDX-License-Identifier: MIT */
/* query: init and fini; begin and end; questions about the view. */
#include "world_private.h"

#include "../base/atomic_private.h"
#include "../dense/dense_private.h"

#define QUERY_IS_GONE "the query was initialised anew, moved or zeroed while this loop ran"

/* Each query has another one, so that a loop finds out that its query is gone. */
static uint32_t query_stamps;

/* init and fini */

static hm_status query_check_list(const hm_query *query, const hm_component *list, uint32_t n,
                                  const char *name)
{
    if (list == NULL && n != 0)
        return hm_fail(HM_ERROR_INVALID, "hm_query_init: %s is NULL, but its number is not 0",
                       name);
    hm_world_set set;
    return hm_world_read_set(query->world, list, n, &set);
}

/* A list that is not divided is one group, also if it is empty. */
static uint32_t query_group(const hm_query_desc *desc, uint32_t group)
{
    return desc->any_group_count != 0 ? desc->any_groups[group] : desc->any_count;
}

static hm_status query_check_any(const hm_query *query, const hm_query_desc *desc)
{
    if (desc->any_group_count == 0)
        return query_check_list(query, desc->any, desc->any_count, "any");
    if (desc->any == NULL || desc->any_groups == NULL)
        return hm_fail(HM_ERROR_INVALID, "hm_query_init: any or its groups are NULL, but their"
                                         " number is not 0");
    uint64_t begin = 0;
    for (uint32_t i = 0; i < desc->any_group_count; i++) {
        uint32_t n = desc->any_groups[i];
        if (n == 0 || n > desc->any_count - begin)
            return hm_fail(HM_ERROR_INVALID,
                           "hm_query_init: group %" HM_U32 " of `any` has %" HM_U32
                           " components, of %" HM_U32 " that are left",
                           i, n, (uint32_t)(desc->any_count - begin));
        hm_status status = query_check_list(query, desc->any + begin, n, "any");
        if (status != HM_OK)
            return status;
        begin += n;
    }
    if (begin == desc->any_count)
        return HM_OK;
    return hm_fail(HM_ERROR_INVALID,
                   "hm_query_init: %" HM_U32 " components of `any` are in no group",
                   (uint32_t)(desc->any_count - begin));
}

static hm_status query_check(const hm_query *query, const hm_query_desc *desc)
{
    uint64_t terms = (uint64_t)desc->all_count + desc->none_count;
    terms += (uint64_t)desc->any_count + desc->optional_count;
    if (terms > HM_QUERY_MAX_TERMS)
        return hm_fail(HM_ERROR_INVALID, "hm_query_init: a query has at most %u components",
                       HM_QUERY_MAX_TERMS);
    hm_status status = query_check_list(query, desc->all, desc->all_count, "all");
    if (status == HM_OK)
        status = query_check_list(query, desc->none, desc->none_count, "none");
    if (status == HM_OK)
        status = query_check_any(query, desc);
    if (status == HM_OK)
        status = query_check_list(query, desc->optional, desc->optional_count, "optional");
    return status;
}

/* Appends terms, and returns how many there are. */
static uint8_t query_add_terms(hm_query *query, const hm_component *list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint8_t term = query->term_end++;
        query->numbers[term] = (uint16_t)(list[i] - query->world->salt);
        if (!hm_world_is_sparse(query->world, query->numbers[term]))
            continue;
        query->sparse_mask |= UINT64_C(1) << term;
        query->sparse_terms[query->sparse_count++] = term;
    }
    return query->term_end;
}

static void query_add_all_terms(hm_query *query, const hm_query_desc *desc)
{
    query->all_end = query_add_terms(query, desc->all, desc->all_count);
    query->column_end = query_add_terms(query, desc->optional, desc->optional_count);
    query->sparse_columns = query->sparse_count;
    query->none_end = query_add_terms(query, desc->none, desc->none_count);
    const hm_component *any = desc->any;
    for (uint32_t i = 0; i < desc->any_group_count || i == 0; i++) {
        uint32_t n = query_group(desc, i);
        if (n == 0) /* The list is empty. */
            break;
        query->group_ends |= UINT64_C(1) << (query_add_terms(query, any, n) - 1);
        any += n;
    }
}

/* A component of `none` may be in no other list. */
static hm_status query_check_none(const hm_query *query)
{
    for (uint32_t none = query->column_end; none < query->none_end; none++)
        for (uint32_t term = 0; term < query->term_end; term++)
            if (term != none && query->numbers[term] == query->numbers[none])
                return hm_world_refuse_component(query->world, query->numbers[none],
                                                 "is in `none` and in another list of the query");
    return HM_OK;
}

static hm_status query_fill(hm_query *query, hm_world *world, const hm_query_desc *desc)
{
    query->world = world;
    query->salt = world->salt;
    query->stamp = hm_atomic_add(&query_stamps, 1) + 1;
    hm_status status = query_check(query, desc);
    if (status != HM_OK)
        return status;
    query_add_all_terms(query, desc);
    for (uint32_t term = 0; term < query->term_end; term++)
        if (query->newest <= query->numbers[term])
            query->newest = query->numbers[term] + 1U;
    if (query->newest != 0)
        query->newest_stamp = hm_world_record(world, query->newest - 1)->stamp;
    return query_check_none(query);
}

hm_status hm_query_init(hm_query *query, hm_world *world, const hm_query_desc *desc)
{
    if (query == NULL)
        return hm_refuse_null("hm_query_init", "query");
    memset(query, 0, sizeof *query);
    if (world == NULL)
        return hm_refuse_null("hm_query_init", "world");
    desc = HM_DESC(hm_query_desc, desc);
    hm_status status = query_fill(query, world, desc);
    if (status != HM_OK)
        memset(query, 0, sizeof *query);
    return status;
}

void hm_query_fini(hm_query *query)
{
    HM_CONTRACT(query != NULL, "hm_query_fini: query is NULL");
    HM_CONTRACT(hm_atomic_load(&query->running) == 0,
                "hm_query_fini: a loop of the query runs: end it first");
    hm_array_close(&query->more);
    memset(query, 0, sizeof *query);
}

/* begin and end */

/* A world is told of each query that runs, not of each loop, since parts end on many threads. */
static void query_run(hm_query *query, hm_query_loop *loops, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        loops[i].count = 0;
        loops[i].stamp = query->stamp;
    }
    if (hm_atomic_add(&query->running, n) == 0)
        (void)hm_atomic_add(&query->world->running, 1);
}

void hm_query_begin(hm_query *query, hm_query_loop *loop)
{
    HM_CONTRACT(query != NULL, "hm_query_begin: query is NULL");
    HM_CONTRACT(loop != NULL, "hm_query_begin: loop is NULL");
    loop->query = NULL;
    loop->count = 0;
    if (!hm_query_refresh(query))
        return;
    loop->query = query;
    hm_query_rewind(loop);
    query_run(query, loop, 1);
}

void hm_query_begin_parts(hm_query *query, hm_query_loop *parts, uint32_t n)
{
    HM_CONTRACT(query != NULL, "hm_query_begin_parts: query is NULL");
    HM_CONTRACT(parts != NULL || n == 0, "hm_query_begin_parts: parts is NULL");
    if (n == 0)
        return;
    if (hm_query_refresh(query)) {
        hm_query_split(query, parts, n);
        query_run(query, parts, n);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        parts[i].query = NULL;
        parts[i].count = 0;
    }
}

void hm_query_end(hm_query_loop *loop)
{
    HM_CONTRACT(loop != NULL, "hm_query_end: loop is NULL");
    hm_query *query = loop->query;
    if (query == NULL)
        return;
    HM_CONTRACT(loop->stamp == query->stamp, "hm_query_end: " QUERY_IS_GONE);
    loop->query = NULL;
    loop->count = 0;
    hm_world *world = query->world;                      /* The query may end with its last loop. */
    if (hm_atomic_add(&query->running, UINT32_MAX) == 1) /* minus 1 */
        (void)hm_atomic_add(&world->running, UINT32_MAX);
}

bool hm_query_next(hm_query_loop *loop, hm_view *view)
{
    HM_CONTRACT(loop != NULL, "hm_query_next: loop is NULL");
    HM_CONTRACT(view != NULL, "hm_query_next: view is NULL");
    HM_CONTRACT(loop->query == NULL || loop->stamp == loop->query->stamp,
                "hm_query_next: " QUERY_IS_GONE);
    if (loop->query == NULL || !hm_query_step(loop)) {
        hm_query_end(loop);
        *view = (hm_view){0, NULL, NULL};
        return false;
    }
    *view = (hm_view){loop->count, loop->entities, loop->columns};
    return true;
}

/* questions */

uint32_t hm_query_count(hm_query *query)
{
    HM_CONTRACT(query != NULL, "hm_query_count: query is NULL");
    uint32_t count = 0;
    if (!hm_query_refresh(query))
        return 0;
    hm_query_loop loop; /* not counted, since it ends here */
    loop.query = query;
    hm_query_rewind(&loop);
    if (query->sparse_count != 0)
        while (hm_query_step(&loop))
            count += loop.count;
    else
        for (uint32_t archetype; (archetype = hm_query_next_archetype(&loop)) != HM_WORLD_NONE;)
            count += query->world->archetypes[archetype].count;
    return count;
}

/* Returns the position of the column's first value in its secondary. The column is sparse. */
static uint32_t query_position(const hm_query_loop *loop, uint32_t column)
{
    uint32_t sparse = 0;
    while (loop->query->sparse_terms[sparse] != column)
        sparse++;
    return loop->positions[sparse];
}

uint64_t hm_query_changed(const hm_query_loop *loop, uint32_t column)
{
    HM_CONTRACT(loop != NULL, "hm_query_changed: loop is NULL");
    const hm_query *query = loop->query;
    if (loop->count == 0 || column >= query->column_end)
        return 0;
    uint32_t number = query->numbers[column];
    if (hm_query_is_sparse(query, column))
        return loop->columns[column] != NULL ? hm_world_record(query->world, number)->changed : 0;
    bool is_present = hm_world_cell_of(loop->archetype, number)->is_present;
    return is_present ? hm_world_changed_in(loop->archetype, number) : 0;
}

static void query_touch_sparse(hm_query_loop *loop, uint32_t column)
{
    hm_secondary *secondary = hm_query_secondary(loop->query, column);
    uint32_t position = query_position(loop, column);
    hm_world_record(loop->query->world, loop->query->numbers[column])->changed =
        ++loop->query->world->clock;
    for (uint32_t i = 0; i < loop->count; i++)
        hm_secondary_disturb(secondary, position + i, secondary->count);
}

static void query_touch_rows(hm_query_loop *loop, uint32_t column)
{
    hm_world *world = loop->query->world;
    uint32_t index = (uint32_t)(loop->archetype - world->archetypes);
    const hm_world_cell *cell = hm_world_cell_of(loop->archetype, loop->query->numbers[column]);
    hm_world_mark_column(world, index, cell->column);
    if (index != world->order_archetype)
        return;
    hm_world_place place = *hm_world_place_of(world, loop->entities[0]);
    for (uint32_t i = 0; i < loop->count; i++, place.row++)
        hm_world_disturb(world, place, loop->archetype->count);
}

void hm_query_touch(hm_query_loop *loop, uint32_t column)
{
    HM_CONTRACT(loop != NULL, "hm_query_touch: loop is NULL");
    if (loop->count == 0 || column >= loop->query->column_end || loop->columns[column] == NULL)
        return;
    HM_CONTRACT_IDLE(loop->query->world->guard.flags, "hm_query_touch", loop->query->world->name);
    if (hm_query_is_sparse(loop->query, column))
        query_touch_sparse(loop, column);
    else
        query_touch_rows(loop, column);
}
