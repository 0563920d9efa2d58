/* SPDX-License-Identifier: MIT */
/* detail/query: the structs of a query and of a loop, which programs hold by value; no program
 * needs the fields. */
#ifndef HANDLE_MAP_DETAIL_QUERY_H
#define HANDLE_MAP_DETAIL_QUERY_H

#include <handle_map/detail/world.h>

HM_BEGIN_C

/* The components of a query, in all four lists together. A set of terms fits in 64 bits. */
enum { HM_QUERY_MAX_TERMS = 64 };

/* Archetypes that a query lists without memory of its own. */
#ifndef HM_EXHAUSTIVE
enum { HM_QUERY_FEW = 12 };
enum { HM_QUERY_KNOWN = 8 }; /* archetypes of which a loop keeps whether they match */
#endif

/* What a loop knows of an archetype. */
typedef struct hm_query_known {
    uint64_t any_terms; /* of `any`: which of them it has */
    uint32_t archetype; /* plus 1; 0: none */
    bool matches;
} hm_query_known;

/* How far a loop has come. With sparse terms it tests *candidates*, one by one: rows or owners. */
typedef struct hm_query_cursor {
    const hm_world_archetype *archetype; /* whose rows are walked; NULL: none yet */
    uint32_t listed;                     /* in the list of archetypes: the next one */
    uint32_t unlisted;                   /* archetype: the next one of those after the list */
    uint32_t chunk;                      /* whose rows are walked */
    uint32_t row;                        /* of the chunk: the next one */
    uint32_t rows;                       /* of the chunk: where those of the loop end */
    uint32_t tail;                       /* of the chunk: from this row on, views are short */
    uint32_t tail_view;                  /* rows of such a view */
    uint32_t passed; /* bytes of values in the chunks so far, as far as they matter */
    uint32_t ahead;  /* the next chunk, if there is one, and its archetype */
    const hm_world_archetype *ahead_archetype;
    uint32_t left;        /* rows of the loop that are in later chunks, or owners that are left */
    uint32_t index;       /* of the candidate, where the owners of a secondary are walked */
    hm_world_place place; /* the candidate's */
    hm_handle entity;     /* the candidate */
    bool is_pending;      /* whether the candidate matches, and is in no view yet */
} hm_query_cursor;

/* All fields are private; use the functions. The terms are the components that were asked for:
 * those of `all`, then of `optional`, `none` and `any`. */
typedef struct hm_query {
    hm_world *world;       /* NULL: a query that matches nothing */
    hm_array *more;        /* uint32_t: the list, after the array; NULL: it is in `few` */
    uint64_t sparse_mask;  /* term -> whether it is sparse */
    uint64_t group_ends;   /* term -> whether it is the last one of a group of `any` */
    uint32_t salt;         /* the world's; another one means that the world has ended */
    uint32_t seen;         /* archetypes that the list covers */
    uint32_t version;      /* the world's, if the list covers all of its archetypes */
    uint32_t epoch;        /* the world's, when the list was begun */
    uint32_t last_stamp;   /* of the last archetype that the list covers */
    uint32_t newest;       /* 1 + the number of the component that was made last; 0: none */
    uint32_t newest_stamp; /* its stamp: with it, all have the numbers that they had */
    uint32_t stamp;        /* of this query alone; loops have it */
    uint32_t listed;       /* archetypes of the list: those below `seen` that match */
    uint32_t few[HM_QUERY_FEW];
    uint8_t all_end, column_end, none_end, term_end;
    uint8_t sparse_columns; /* how many sparse terms have a column; they come first */
    uint8_t sparse_count;
    uint8_t sparse_terms[HM_QUERY_MAX_TERMS]; /* the sparse ones, rising */
    uint16_t numbers[HM_QUERY_MAX_TERMS];     /* term -> number of the component */
    uint32_t running; /* loops that have not ended; apart from what the threads of loops read */
} hm_query;

/* All fields are private; use the functions. Of the last arrays a loop uses as many items as the
 * query has terms. */
typedef struct hm_query_loop {
    hm_query *query;                     /* NULL: the loop has ended */
    const hm_world_archetype *archetype; /* the view's */
    const hm_handle *entities;           /* the view's */
    uint32_t count;                      /* the view's; 0: there is none */
    uint32_t stamp;                      /* the query's */
    const uint32_t *list;                /* the query's */
    const void *driver;                  /* hm_secondary whose owners are walked; NULL: rows are */
    uint32_t walked;                     /* sparse term: the driver's, or none */
    hm_query_cursor cursor;
    hm_query_known known[HM_QUERY_KNOWN];   /* archetype a is at a % HM_QUERY_KNOWN */
    void *columns[HM_QUERY_MAX_TERMS];      /* the view's */
    uint32_t positions[HM_QUERY_MAX_TERMS]; /* sparse term -> position of the view's first value */
    uint32_t found[HM_QUERY_MAX_TERMS];     /* sparse term -> position of the candidate's value */
} hm_query_loop;

HM_STATIC_ASSERT(sizeof(void *) != 8 || sizeof(hm_query) <= 320, "programs have many");
HM_STATIC_ASSERT(sizeof(void *) != 8 || sizeof(hm_query_loop) <= 1536, "stacks are small");

HM_END_C

#endif
