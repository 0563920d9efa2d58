/* SPDX-License-Identifier: MIT */
/* query: what its sources share.
 *
 *     query_archetypes.c  which archetypes match
 *     query_run.c     the loop: from chunk to chunk, or from run to run
 *     query.c         init and fini; begin and end; questions
 *     query_change.c  changes all entities that match
 */
#ifndef HANDLE_MAP_QUERY_INTERNAL_H
#define HANDLE_MAP_QUERY_INTERNAL_H

#include "../memory/poison_private.h"

#include <handle_map/query.h>

#include "world_private.h"

/* Whether a term's components are in a secondary. */
static inline bool hm_query_is_sparse(const hm_query *query, uint32_t term)
{
    return (query->sparse_mask >> term & 1) != 0;
}

static inline hm_secondary *hm_query_secondary(const hm_query *query, uint32_t term)
{
    return hm_world_sparse(query->world, query->numbers[term]);
}

/* query_archetypes.c */

/* Before a list that is not in the query is its array. */
enum { HM_QUERY_LIST_BEGIN = (sizeof(hm_array) + sizeof(uint32_t) - 1) / sizeof(uint32_t) };

static inline const uint32_t *hm_query_list(const hm_query *query)
{
    return query->more != NULL ? (const uint32_t *)(const void *)query->more + HM_QUERY_LIST_BEGIN
                               : query->few;
}

/* Whether an archetype may have entities that match. With sparse terms, each of them has to be
 * tested. `any_terms`: which terms of `any` the archetype itself has. */
bool hm_query_matches(const hm_query *query, const hm_world_archetype *archetype,
                      uint64_t *any_terms);

/* Whether these terms have one of each group of `any`. */
static inline bool hm_query_has_any(const hm_query *query, uint64_t terms)
{
    uint64_t ends = query->group_ends;
    if (ends == 0)
        return true;
    uint64_t begin = UINT64_C(1) << query->none_end;
    for (; ends != 0; ends &= ends - 1) {
        uint64_t behind = (ends & (0 - ends)) << 1; /* 0 behind the highest bit, and wraps */
        if ((terms & (behind - begin)) == 0)
            return false;
        begin = behind;
    }
    return true;
}

/* Starts loading what the next archetypes of the list are, and where their columns begin. */
void hm_query_prefetch_archetypes(const hm_query_loop *loop);

/* Returns the next archetype of the loop that matches and has rows, or HM_WORLD_NONE. */
uint32_t hm_query_next_archetype(hm_query_loop *loop);

/* Returns whether the world is still there, and brings the list of archetypes up to date. */
bool hm_query_refresh(hm_query *query);

/* query_run.c */

/* Goes before the first view of loop->query. */
void hm_query_rewind(hm_query_loop *loop);

/* Goes before the first archetype: hm_query_next_archetype returns it. */
void hm_query_rewind_archetypes(hm_query_loop *loop);

/* Whether this live entity matches. Uses the cursor's candidate. */
bool hm_query_accepts(hm_query_loop *loop, hm_handle entity);

/* Goes before the first view of each of n parts, at least 1, whose rows or owners are about as
 * many. */
void hm_query_split(hm_query *query, hm_query_loop *parts, uint32_t n);

/* Goes to the next view, or returns false. */
bool hm_query_step(hm_query_loop *loop);

#endif
