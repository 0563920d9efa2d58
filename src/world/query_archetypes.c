/* SPDX-License-Identifier: MIT */
/* query: which archetypes match, and the list of those that are known to. */
#include "query_internal.h"

/* Archetypes of the list that are prefetched before they are looked at. */
enum { QUERY_ARCHETYPES_AHEAD = 2 };

static bool query_is_in(const hm_query *query, const hm_world_archetype *archetype, uint32_t term)
{
    return hm_world_cell_of(archetype, query->numbers[term])->is_present;
}

bool hm_query_matches(const hm_query *query, const hm_world_archetype *archetype, bool *has_any)
{
    *has_any = query->none_end == query->term_end;
    if (!archetype->is_alive)
        return false;
    for (uint32_t term = 0; term < query->all_end; term++)
        if (!hm_query_is_sparse(query, term) && !query_is_in(query, archetype, term))
            return false;
    for (uint32_t term = query->column_end; term < query->none_end; term++)
        if (!hm_query_is_sparse(query, term) && query_is_in(query, archetype, term))
            return false;
    bool may_have_any = *has_any;
    for (uint32_t term = query->none_end; term < query->term_end; term++) {
        *has_any = *has_any || query_is_in(query, archetype, term);
        may_have_any = may_have_any || *has_any || hm_query_is_sparse(query, term);
    }
    return may_have_any;
}

static const uint32_t *query_list(const hm_query *query)
{
    return (const uint32_t *)(const void *)query->archetype_array.data;
}

bool hm_query_refresh(hm_query *query)
{
    const hm_world *world = query->world;
    if (world == NULL || world->salt != query->salt)
        return false;
    if (query->is_running) /* No archetype has been made or dropped, and the loop is in the list. */
        return true;
    if (query->epoch != world->epoch) {
        query->epoch = world->epoch;
        query->archetype_array.count = 0;
        query->seen = 0;
    }
    for (; query->seen < world->archetype_array.count; query->seen++) {
        bool has_any;
        if (!hm_query_matches(query, &world->archetypes[query->seen], &has_any))
            continue;
        uint32_t *place = hm_array_push(&query->archetype_array);
        if (place == NULL) {
            hm_restore_last_error();
            break;
        }
        *place = query->seen;
    }
    return true;
}

void hm_query_prefetch_archetypes(const hm_query *query)
{
    const hm_world *world = query->world;
    const uint32_t *list = query_list(query);
    uint32_t next = query->cursor.listed, count = (uint32_t)query->archetype_array.count;
    if (QUERY_ARCHETYPES_AHEAD >= count - next)
        return;
    const char *record = (const char *)&world->archetypes[list[next + QUERY_ARCHETYPES_AHEAD]];
    HM_PREFETCH(record);
    HM_PREFETCH(record + offsetof(hm_world_archetype, count));
    for (uint32_t c = 0; c < query->column_end; c++)
        HM_PREFETCH(hm_world_cell_of(&world->archetypes[list[next]], query->numbers[c]));
}

uint32_t hm_query_next_archetype(hm_query *query)
{
    const hm_world *world = query->world;
    hm_query_cursor *cursor = &query->cursor;
    const uint32_t *list = query_list(query);
    while (cursor->listed < query->archetype_array.count) {
        uint32_t archetype = list[cursor->listed++];
        if (world->archetypes[archetype].count != 0)
            return archetype;
    }
    while (cursor->unlisted < world->archetype_array.count) {
        uint32_t archetype = cursor->unlisted++;
        bool has_any;
        if (world->archetypes[archetype].count != 0 &&
            hm_query_matches(query, &world->archetypes[archetype], &has_any))
            return archetype;
    }
    return HM_WORLD_NONE;
}
