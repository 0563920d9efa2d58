/* SPDX-License-Identifier: MIT */
/* batch: many handles looked up in one call.
 *
 * Items looked up at random are anywhere in memory, and each costs two cache misses: one for its
 * entry, then one for the item. One lookup at a time, only those misses overlap that fit into the
 * processor's window of instructions: those of four to eight items. So what a part of a batch will
 * touch is prefetched: first all its entries, then all its items.
 *
 * A branch on whether a handle resolves costs nothing where the answer is mostly the same, and a
 * misprediction, the time of ten lookups, where it is not. So handles are answered with branches
 * until the answers are seen to be mixed, and then without.
 *
 * A container describes itself in an hm_batch and passes functions. Both are known where the
 * functions below are inlined, so that no call is left in their loops. The description is a copy,
 * because answers may be stored as bytes, which might be the container's own for all that a
 * compiler knows: it would load the container's fields again after each. */
#ifndef HANDLE_MAP_BATCH_PRIVATE_H
#define HANDLE_MAP_BATCH_PRIVATE_H

#include <handle_map/detail/handle.h>

/* What is prefetched for a part fits the first-level cache. Fewer bytes than HM_BATCH_CACHED stay
 * in the caches without prefetching. Up to HM_BATCH_NEAR, a processor that reads items after the
 * batch, or erases them one by one, overlaps the waiting well enough on its own. */
enum { HM_BATCH_PART = 64, HM_BATCH_CACHED = 1 << 20, HM_BATCH_NEAR = 8 << 20 };

/* With branches, a run of handles that resolve and the run behind it of handles that do not cost
 * two mispredictions. If both have fewer handles than this in all, they take less time without. */
enum { HM_BATCH_SHORT_PAIR = 32 };

static inline uint32_t hm_batch_next_part(uint32_t n)
{
    return n < HM_BATCH_PART ? n : HM_BATCH_PART;
}

/* Whether a branch on whether a handle resolves would often be mispredicted, if `found` of a part
 * resolve. */
static inline bool hm_batch_is_mixed(uint32_t found, uint32_t part)
{
    uint32_t few = part / HM_BATCH_SHORT_PAIR;
    return found > few && part - found > few;
}

typedef struct hm_batch {
    const unsigned char *entries; /* slot -> what a lookup reads first */
    size_t entry_size;            /* bytes */
    uint32_t slot_count;          /* slots that have an entry */
    uint64_t limit;               /* a handle resolves if its match is below */
    bool is_near;                 /* entries and items take less than HM_BATCH_NEAR in all */
    const void *places;           /* what `answer` needs; a copy, too */
} hm_batch;

/* Compares a handle, whose slot has an entry, with that entry. Returns the position or slot, which
 * is below the limit, if the handle resolves, and otherwise at least the limit. There may be two
 * such functions: `find` for answers that are alike, with branches, and `match` without. */
typedef uint64_t hm_batch_match(const hm_batch *batch, hm_handle handle);

/* Stores the answer for a match: `found` has all bits set if the handle resolves, otherwise none;
 * then the match means nothing. */
typedef void hm_batch_answer(const hm_batch *batch, void *answers, uint32_t i, uint64_t match,
                             uint64_t found);

/* Whether the entries stay in the caches without prefetching. */
static inline bool hm_batch_is_cached(const hm_batch *batch)
{
    return batch->entry_size * batch->slot_count < HM_BATCH_CACHED;
}

/* The end of each loop over a part is mispredicted, so parts are long where nothing is prefetched:
 * but not so long that answers leave the nearest cache before they are counted. */
static inline uint32_t hm_batch_lookup_part(const hm_batch *batch, uint32_t n)
{
    enum { LONG_PART = 4096 };
    if (!hm_batch_is_cached(batch))
        return hm_batch_next_part(n);
    return n < LONG_PART ? n : LONG_PART;
}

HM_INLINE void hm_batch_prefetch_entries(const hm_batch *batch, const hm_handle *handles,
                                         uint32_t n)
{
    if (hm_batch_is_cached(batch))
        return;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t slot = hm_handle_index(handles[i]);
        if (slot < batch->slot_count)
            HM_PREFETCH(batch->entries + batch->entry_size * slot);
    }
}

/* Only an index that was never issued takes a branch. */
HM_INLINE uint64_t hm_batch_ask(const hm_batch *batch, hm_handle handle, hm_batch_match *match)
{
    return hm_handle_index(handle) < batch->slot_count ? match(batch, handle) : UINT64_MAX;
}

/* The match of a container with an id table. */
HM_INLINE uint64_t hm_batch_match_position(const hm_batch *batch, hm_handle handle)
{
    const hm_handle *entries = (const hm_handle *)(const void *)batch->entries;
    return hm_handle_match(entries[hm_handle_index(handle)], handle);
}

/* The end of an `answer` that stores a pointer: to `place`, or NULL. Stored as bytes, since a typed
 * program passes an array of its own pointer type. */
HM_INLINE void hm_batch_store_place(const hm_batch *batch, void *answers, uint32_t i,
                                    uintptr_t place, uint64_t found)
{
    if (!batch->is_near)
        HM_PREFETCH((const void *)place);
    place &= (uintptr_t)found;
    memcpy((unsigned char *)answers + sizeof place * i, &place, sizeof place);
}

/* Answers runs of handles that resolve, each with the run behind it of handles that do not, until
 * such pairs are too short on average: the ends of both are mispredicted. Returns how many handles
 * it has answered, and adds those that resolve to `found`. */
HM_INLINE uint32_t hm_batch_answer_runs(const hm_batch *batch, const hm_handle *handles, uint32_t n,
                                        void *answers, hm_batch_match *find,
                                        hm_batch_answer *answer, uint32_t *found)
{
    uint32_t i = 0;
    for (uint32_t pairs = 0; i < n; pairs++) {
        if (HM_BATCH_SHORT_PAIR * pairs > i + HM_BATCH_SHORT_PAIR)
            break;
        uint32_t begin = i;
        for (; i < n; i++) {
            uint64_t matched = hm_batch_ask(batch, handles[i], find);
            if (matched >= batch->limit)
                break;
            answer(batch, answers, i, matched, UINT64_MAX);
        }
        *found += i - begin;
        for (; i < n && hm_batch_ask(batch, handles[i], find) >= batch->limit; i++)
            answer(batch, answers, i, 0, 0);
    }
    return i;
}

/* Answers all, without a branch on whether a handle resolves; returns how many do. */
HM_INLINE uint32_t hm_batch_answer_mixed(const hm_batch *batch, const hm_handle *handles,
                                         uint32_t n, void *answers, hm_batch_match *match,
                                         hm_batch_answer *answer)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t matched = hm_batch_ask(batch, handles[i], match);
        uint64_t mask = 0 - (uint64_t)(matched < batch->limit);
        answer(batch, answers, i, matched, mask);
        found -= (uint32_t)mask;
    }
    return found;
}

/* Answers n handles, each in answer_size bytes; returns how many resolve. */
HM_INLINE uint32_t hm_batch_answer_n(const hm_batch *batch, const hm_handle *handles, uint32_t n,
                                     void *answers, size_t answer_size, hm_batch_match *find,
                                     hm_batch_match *match, hm_batch_answer *answer)
{
    unsigned char *next = answers;
    uint32_t found = 0;
    bool is_mixed = false;
    for (uint32_t part; n > 0; handles += part, next += answer_size * part, n -= part) {
        uint32_t done = 0, some = 0;
        part = hm_batch_lookup_part(batch, n);
        hm_batch_prefetch_entries(batch, handles, part);
        if (!is_mixed)
            done = hm_batch_answer_runs(batch, handles, part, next, find, answer, &some);
        if (done < part)
            some += hm_batch_answer_mixed(batch, handles + done, part - done,
                                          next + answer_size * done, match, answer);
        is_mixed = hm_batch_is_mixed(some, part);
        found += some;
    }
    return found;
}

/* Counts what is true. The sum of a few fits a byte, so that compilers add 16 bytes at a time. */
HM_INLINE uint32_t hm_batch_count(const bool *alive, uint32_t n)
{
    enum { FEW = 128 };
    uint32_t found = 0;
    for (uint32_t i = 0; i < n;) {
        uint32_t end = n - i < FEW ? n : i + FEW;
        uint8_t some = 0;
        for (; i < end; i++)
            some = (uint8_t)(some + alive[i]);
        found += some;
    }
    return found;
}

/* An answer takes so few instructions that counting it beside them shows, so many answers are
 * counted in a pass of their own. A few would still wait in the queue of stores by then. */
HM_INLINE uint32_t hm_batch_contains_part(const hm_batch *batch, const hm_handle *handles,
                                          uint32_t n, bool *alive, hm_batch_match *match)
{
    uint32_t found = 0;
    if (n > HM_BATCH_PART) {
        for (uint32_t i = 0; i < n; i++)
            alive[i] = hm_batch_ask(batch, handles[i], match) < batch->limit;
        return hm_batch_count(alive, n);
    }
    for (uint32_t i = 0; i < n; i++) {
        bool is_alive = hm_batch_ask(batch, handles[i], match) < batch->limit;
        alive[i] = is_alive;
        found += is_alive;
    }
    return found;
}

/* The contains_n of a container. */
HM_INLINE uint32_t hm_batch_contains_n(const hm_batch *batch, const hm_handle *handles, uint32_t n,
                                       bool *alive, hm_batch_match *match)
{
    uint32_t found = 0;
    for (uint32_t part; n > 0; handles += part, alive += part, n -= part) {
        part = hm_batch_lookup_part(batch, n);
        hm_batch_prefetch_entries(batch, handles, part);
        found += hm_batch_contains_part(batch, handles, part, alive, match);
    }
    return found;
}

/* Whether the first few of many handles, taken as a sample, are alike: all of them resolve, or
 * none. Few handles are taken to be alike. */
HM_INLINE bool hm_batch_is_alike(const hm_batch *batch, const hm_handle *handles, uint32_t n,
                                 hm_batch_match *match)
{
    enum { SAMPLE = 8 };
    uint32_t found = 0;
    if (n < HM_BATCH_PART)
        return true;
    for (uint32_t i = 0; i < SAMPLE; i++)
        found += hm_batch_ask(batch, handles[i], match) < batch->limit;
    return found == 0 || found == SAMPLE;
}

/* Prefetches what erasing the item of a match will write. */
typedef void hm_batch_prefetch(const void *container, uint32_t match);

/* Keeps those of at most HM_BATCH_PART handles that resolve, in their order, without a branch on
 * that: what is prefetched for the others is that of match 0. Returns how many resolve. */
HM_INLINE uint32_t hm_batch_keep_found(const hm_batch *batch, const hm_handle *handles, uint32_t n,
                                       hm_handle *kept, hm_batch_match *match,
                                       const void *container, hm_batch_prefetch *prefetch)
{
    uint32_t found = 0;
    hm_batch_prefetch_entries(batch, handles, n);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t matched = hm_batch_ask(batch, handles[i], match);
        uint32_t is_found = matched < batch->limit;
        kept[found] = handles[i];
        found += is_found;
        prefetch(container, (uint32_t)matched & (0 - is_found));
    }
    return found;
}

#endif
