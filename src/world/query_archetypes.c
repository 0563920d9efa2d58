/* SPDX-License-Identifier: MIT */
/* query: which archetypes match, and the list of those that are known to. */
#include "world_private.h"

#include "../base/atomic_private.h"

/* Archetypes of the list that are prefetched before they are looked at. */
enum { QUERY_ARCHETYPES_AHEAD = 2 };

/* Before a list that is not in the query is its array. */
enum { QUERY_LIST_BEGIN = (sizeof(hm_array) + sizeof(uint32_t) - 1) / sizeof(uint32_t) };

static bool query_is_in(const hm_query *query, const hm_world_archetype *archetype, uint32_t term)
{
    return hm_world_cell_of(archetype, query->numbers[term])->is_present;
}

bool hm_query_matches(const hm_query *query, const hm_world_archetype *archetype,
                      uint64_t *any_terms)
{
    *any_terms = 0;
    if (!archetype->is_alive)
        return false;
    for (uint32_t term = 0; term < query->all_end; term++)
        if (!hm_query_is_sparse(query, term) && !query_is_in(query, archetype, term))
            return false;
    for (uint32_t term = query->column_end; term < query->none_end; term++)
        if (!hm_query_is_sparse(query, term) && query_is_in(query, archetype, term))
            return false;
    uint64_t sparse_terms = 0; /* which its entities may have */
    for (uint32_t term = query->none_end; term < query->term_end; term++) {
        *any_terms |= (uint64_t)query_is_in(query, archetype, term) << term;
        sparse_terms |= (uint64_t)hm_query_is_sparse(query, term) << term;
    }
    return hm_query_has_any(query, *any_terms | sparse_terms);
}

/* Adds to the list; false: there is no memory for it. In a history there is none: a rewind would
 * take it away from a query that is not rewound. */
static bool query_append(hm_query *query, uint32_t archetype)
{
    bool is_new = query->more == NULL;
    if (is_new && query->listed < HM_QUERY_FEW) {
        query->few[query->listed++] = archetype;
        return true;
    }
    if (query->world->memory->registry != NULL)
        return false;
    size_t need = QUERY_LIST_BEGIN + (size_t)query->listed + 1;
    if (hm_world_open(query->world, &query->more, sizeof(uint32_t), need, 0) != HM_OK) {
        hm_restore_last_error();
        return false;
    }
    uint32_t *list = (uint32_t *)(void *)query->more + QUERY_LIST_BEGIN;
    if (is_new)
        memcpy(list, query->few, sizeof query->few);
    list[query->listed++] = archetype;
    return true;
}

/* Whether the components are those that were asked for: a rewind may have taken them away, and
 * others may have their numbers. */
static bool query_has_components(const hm_query *query)
{
    const hm_world *world = query->world;
    return query->newest == 0 ||
           (query->newest <= world->component_count &&
            hm_world_record(world, query->newest - 1)->stamp == query->newest_stamp);
}

/* Whether the archetypes that the list covers are still the first ones of the world. */
static bool query_list_holds(const hm_query *query)
{
    const hm_world *world = query->world;
    return query->epoch == world->epoch &&
           (query->seen == 0 || (query->seen <= world->archetype_array.count &&
                                 world->archetypes[query->seen - 1].stamp == query->last_stamp));
}

/* Looks at the archetypes that were made since, or at all of them; without memory for the list, it
 * ends there. Cold, so that begin saves few registers. */
static HM_COLD bool query_renew(hm_query *query)
{
    const hm_world *world = query->world;
    if (!query_has_components(query))
        return false;
    if (!query_list_holds(query))
        query->listed = query->seen = 0;
    query->version = 0; /* A rewind may bring back the one of a list that was whole. */
    query->epoch = world->epoch;
    for (; query->seen < world->archetype_array.count; query->seen++) {
        const hm_world_archetype *archetype = &world->archetypes[query->seen];
        uint64_t any_terms;
        if (hm_query_matches(query, archetype, &any_terms) && !query_append(query, query->seen))
            return true;
        query->last_stamp = archetype->stamp;
    }
    query->version = world->version;
    return true;
}

bool hm_query_refresh(hm_query *query)
{
    const hm_world *world = query->world;
    if (world == NULL || world->salt != query->salt)
        return false;
    if (hm_atomic_load(&query->running) != 0) /* Its loops are in the list, which must not move. */
        return true;
    return query->version == world->version || query_renew(query);
}

static const uint32_t *query_list_of(const hm_query *query)
{
    return query->more != NULL ? (const uint32_t *)(const void *)query->more + QUERY_LIST_BEGIN
                               : query->few;
}

void hm_query_rewind_archetypes(hm_query_loop *loop)
{
    loop->list = query_list_of(loop->query);
    loop->cursor = (hm_query_cursor){.unlisted = loop->query->seen, .left = UINT32_MAX};
    loop->cursor.index = UINT32_MAX; /* The first owner is the one after that. */
    memset(loop->known, 0, sizeof loop->known);
}

void hm_query_prefetch_archetypes(const hm_query_loop *loop)
{
    const hm_query *query = loop->query;
    const hm_world *world = query->world;
    const uint32_t *list = loop->list;
    uint32_t next = loop->cursor.listed, count = query->listed;
    if (QUERY_ARCHETYPES_AHEAD >= count - next)
        return;
    const char *record = (const char *)&world->archetypes[list[next + QUERY_ARCHETYPES_AHEAD]];
    HM_PREFETCH(record);
    HM_PREFETCH(record + offsetof(hm_world_archetype, count));
    for (uint32_t c = 0; c < query->column_end; c++)
        HM_PREFETCH(hm_world_cell_of(&world->archetypes[list[next]], query->numbers[c]));
}

uint32_t hm_query_next_archetype(hm_query_loop *loop)
{
    const hm_query *query = loop->query;
    const hm_world *world = query->world;
    hm_query_cursor *cursor = &loop->cursor;
    const uint32_t *list = loop->list;
    while (cursor->listed < query->listed) {
        uint32_t archetype = list[cursor->listed++];
        if (world->archetypes[archetype].count != 0)
            return archetype;
    }
    while (cursor->unlisted < world->archetype_array.count) {
        uint32_t archetype = cursor->unlisted++;
        uint64_t any_terms;
        if (world->archetypes[archetype].count != 0 &&
            hm_query_matches(query, &world->archetypes[archetype], &any_terms))
            return archetype;
    }
    return HM_WORLD_NONE;
}
