/* SPDX-License-Identifier: MIT */
/* detail/index: the struct of an index, and a batch with keys of any type. No program needs it.
 *
 * The hash is SipHash-1-3, of the family in Aumasson and Bernstein, "SipHash: a fast short-input
 * PRF" (2012). Its table grows by one entry with each key, as in Litwin, "Linear hashing: a new
 * tool for file and table addressing" (1980), so that no call has to rehash all keys. */
#ifndef HANDLE_MAP_DETAIL_INDEX_H
#define HANDLE_MAP_DETAIL_INDEX_H

#include <handle_map/detail/lists.h>
#include <handle_map/secondary.h>

HM_BEGIN_C

/* The value that the secondary keeps for each owner: where the owner is. */
typedef struct hm_index_place {
    uint32_t bucket;   /* of its key */
    uint32_t position; /* among the key's members */
} hm_index_place;

/* What belongs to a key: the list of its members, which is empty if the bucket has no key. A link
 * is the number of a bucket plus 1; 0 ends a chain. */
typedef struct hm_index_bucket {
    hm_lists_record record; /* first; without a tag */
    uint64_t key;
    uint32_t next;    /* link; in the chain of the key's head, or of the free buckets */
    uint32_t pending; /* members that a batch is about to add */
} hm_index_bucket;

/* All fields are private; use the functions. */
typedef struct hm_index {
    hm_secondary owners;      /* of hm_index_place */
    hm_lists_blocks members;  /* of hm_handle; its records are the buckets */
    hm_index_bucket *buckets; /* members.records */
    uint64_t seed[2];         /* of the hash */
    uint32_t key_limit;       /* 0: keys are hashed */
    uint32_t key_count;       /* keys that have members; hashed keys have a head more than that */
    uint32_t bucket_count;    /* of them `key_count` are in use */
    uint32_t free;            /* link; the first bucket without a key */
    hm_guard guard;           /* only its flags are used */
    hm_array head_array;      /* uint32_t: links, by key or by hash */
    const char *name;
} hm_index;

HM_STATIC_ASSERT(sizeof(void *) != 8 || sizeof(hm_index) <= 640, "programs have many");

#ifndef HM_WITHOUT_HISTORY
/* Call it after moving the container by assignment, if it is in a history, which then knows where
 * it is (history.h). Cannot fail. O(containers of the history). */
HM_API HM_COLD void hm_index_moved(hm_index *index);
#endif

/* Returns the links by key, or by hash. */
static inline uint32_t *hm_index_heads(const hm_index *index)
{
    return HM_CAST(uint32_t *, HM_CAST(void *, index->head_array.data));
}

/* Writes n of a batch's keys, from the first on, as numbers. Must not change the index. */
typedef void hm_index_read_keys(const void *keys, uint32_t first, uint32_t n, uint64_t *numbers);

/* As hm_index_set_n, with keys of another type: each call of `read` is for at most 64 of them, and
 * it may be asked for a key several times. */
HM_API hm_status hm_index_set_n_by(hm_index *index, const hm_handle *owners,
                                   hm_index_read_keys *read, const void *keys, uint32_t n);

HM_END_C

#endif
