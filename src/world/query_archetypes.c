/* SPDX-License-Identifier: MIT */
/* query: which archetypes match, and the list of those that are known to. */
#include "query_internal.h"

#include "../atomic_private.h"

/* Archetypes of the list that are prefetched before they are looked at. */
enum { QUERY_ARCHETYPES_AHEAD = 2 };

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

/* Adds to the list. HM_ERROR_MEMORY: nothing has changed. */
static hm_status query_append(hm_query *query, uint32_t archetype)
{
    bool is_new = query->more == NULL;
    if (is_new && query->listed < HM_QUERY_FEW) {
        query->few[query->listed++] = archetype;
        return HM_OK;
    }
    size_t need = HM_QUERY_LIST_BEGIN + (size_t)query->listed + 1;
    hm_status status = hm_world_open(query->world, &query->more, sizeof(uint32_t), need, 0);
    if (status != HM_OK)
        return status;
    uint32_t *list = (uint32_t *)(void *)query->more + HM_QUERY_LIST_BEGIN;
    if (is_new)
        memcpy(list, query->few, sizeof query->few);
    list[query->listed++] = archetype;
    return HM_OK;
}

/* Looks at the archetypes that were made since; without memory for the list, it ends there. Cold,
 * so that begin saves few registers. */
static HM_COLD void query_extend(hm_query *query)
{
    const hm_world *world = query->world;
    for (; query->seen < world->archetype_array.count; query->seen++) {
        uint64_t any_terms;
        if (!hm_query_matches(query, &world->archetypes[query->seen], &any_terms))
            continue;
        if (query_append(query, query->seen) != HM_OK) {
            hm_restore_last_error();
            break;
        }
    }
}

bool hm_query_refresh(hm_query *query)
{
    const hm_world *world = query->world;
    if (world == NULL || world->salt != query->salt)
        return false;
    if (hm_atomic_load(&query->running) != 0) /* Its loops are in the list, which must not move. */
        return true;
    if (query->epoch != world->epoch) {
        query->epoch = world->epoch;
        query->listed = 0;
        query->seen = 0;
    }
    if (query->seen < world->archetype_array.count)
        query_extend(query);
    return true;
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
