/* SPDX-License-Identifier: MIT */
/* query: which tables match, and the list of those that are known to. */
#include "query_internal.h"

/* Tables of the list that are prefetched before they are looked at. */
enum { QUERY_TABLES_AHEAD = 2 };

static bool query_is_in(const hm_query *query, const hm_world_table *table, uint32_t term)
{
    return hm_world_cell_of(table, query->numbers[term])->is_present;
}

bool hm_query_matches(const hm_query *query, const hm_world_table *table, bool *has_any)
{
    *has_any = query->none_end == query->term_end;
    if (!table->is_alive)
        return false;
    for (uint32_t term = 0; term < query->all_end; term++)
        if (!hm_query_is_sparse(query, term) && !query_is_in(query, table, term))
            return false;
    for (uint32_t term = query->column_end; term < query->none_end; term++)
        if (!hm_query_is_sparse(query, term) && query_is_in(query, table, term))
            return false;
    bool may_have_any = *has_any;
    for (uint32_t term = query->none_end; term < query->term_end; term++) {
        *has_any = *has_any || query_is_in(query, table, term);
        may_have_any = may_have_any || *has_any || hm_query_is_sparse(query, term);
    }
    return may_have_any;
}

static const uint32_t *query_list(const hm_query *query)
{
    return (const uint32_t *)(const void *)query->table_array.data;
}

bool hm_query_refresh(hm_query *query)
{
    const hm_world *world = query->world;
    if (world == NULL || world->salt != query->salt)
        return false;
    if (query->is_running) /* No table has been made or dropped, and the loop is in the list. */
        return true;
    if (query->epoch != world->epoch) {
        query->epoch = world->epoch;
        query->table_array.count = 0;
        query->seen = 0;
    }
    for (; query->seen < world->table_array.count; query->seen++) {
        bool has_any;
        if (!hm_query_matches(query, &world->tables[query->seen], &has_any))
            continue;
        if (hm_array_commit(&query->table_array, query->table_array.count + 1, true) != HM_OK) {
            hm_restore_last_error();
            break;
        }
        ((uint32_t *)(void *)query->table_array.data)[query->table_array.count++] = query->seen;
    }
    return true;
}

void hm_query_prefetch_tables(const hm_query *query)
{
    const hm_world *world = query->world;
    const uint32_t *list = query_list(query);
    uint32_t next = query->cursor.listed, count = (uint32_t)query->table_array.count;
    if (QUERY_TABLES_AHEAD >= count - next)
        return;
    const char *record = (const char *)&world->tables[list[next + QUERY_TABLES_AHEAD]];
    HM_PREFETCH(record);
    HM_PREFETCH(record + offsetof(hm_world_table, count));
    for (uint32_t c = 0; c < query->column_end; c++)
        HM_PREFETCH(hm_world_cell_of(&world->tables[list[next]], query->numbers[c]));
}

uint32_t hm_query_next_table(hm_query *query)
{
    const hm_world *world = query->world;
    hm_query_cursor *cursor = &query->cursor;
    const uint32_t *list = query_list(query);
    while (cursor->listed < query->table_array.count) {
        uint32_t table = list[cursor->listed++];
        if (world->tables[table].count != 0)
            return table;
    }
    while (cursor->unlisted < world->table_array.count) {
        uint32_t table = cursor->unlisted++;
        bool has_any;
        if (world->tables[table].count != 0 &&
            hm_query_matches(query, &world->tables[table], &has_any))
            return table;
    }
    return HM_WORLD_NONE;
}
