/* SPDX-License-Identifier: MIT */
/* peers: the containers that are measured, behind one interface: the library's own and those that
 * they are compared with. All do the same work with the same items; a key is what a program keeps
 * to find an item again.
 *
 *     Container(capacity)     empty; only the plain array and the library's own need the capacity
 *     insert(first, n, keys)  n items numbered from `first`; reports their keys
 *     erase(keys, n)          returns how many were alive
 *     look_up(keys, n)        returns the sum of the items' first words, of live keys only
 *     count_live(keys, n)     returns how many of the keys are alive
 *     iterate()               returns that sum over all items
 *     clear()                 erases all
 *     churn(keys, picks, n, first)
 *                             for each pick in turn, erases the item of keys[pick] and inserts
 *                             one with the next number, whose key it stores there; returns how
 *                             many were alive
 *
 * `name` is the name in reports, `can` says what is measured; what would not be comparable is left
 * out. Constructing items is part of the work, and the same for all. */
#ifndef BENCHMARKS_PEERS_H
#define BENCHMARKS_PEERS_H

#include "peers_library.h"
#include "peers_other.h"

template <class T> struct type {
    using is = T;
};

/* Calls visit(type<Container>()) for each container that was found on this machine. */
template <size_t Size, class Visit> void for_each_container(Visit visit)
{
    visit(type<handle_map<Size, true>>());
    visit(type<handle_map<Size, false>>());
    visit(type<batched_map<Size>>());
    visit(type<huge_map<Size>>());
    visit(type<arena_map<Size>>());
    visit(type<pool<Size, HM_STORAGE_VIRTUAL>>());
    visit(type<pool<Size, HM_STORAGE_FIXED_BLOCKS>>());
    visit(type<pool<Size, HM_STORAGE_GROWING_BLOCKS>>());
    visit(type<batched_pool<Size>>());
    visit(type<plain_array<Size>>());
    visit(type<vector<Size>>());
    visit(type<pointers<Size>>());
    visit(type<vector_backed<Size>>());
    visit(type<free_stack<Size>>());
    visit(type<unordered_map<Size>>());
#ifdef WITH_ABSEIL
    visit(type<flat_hash_map<Size>>());
#endif
#ifdef WITH_SLOTMAP
    visit(type<slotmap<Size, DENSE_SLOT_MAP>>());
    visit(type<slotmap<Size, SLOT_MAP>>());
    visit(type<slotmap<Size, HOP_SLOT_MAP>>());
#endif
#ifdef WITH_COLONY
    visit(type<colony<Size>>());
#endif
}

/* The same for containers of items of `size` bytes: 8, 40, 256 or 264. The last is there to be
 * compared with 256, which is a power of two: its items begin in a quarter of a cache's sets. */
template <class Visit> void for_each_container(size_t size, Visit visit)
{
    require(size == 8 || size == 40 || size == 256 || size == 264,
            "items have 8, 40, 256 or 264 bytes");
    if (size == 8)
        for_each_container<8>(visit);
    else if (size == 40)
        for_each_container<40>(visit);
    else if (size == 256)
        for_each_container<256>(visit);
    else
        for_each_container<264>(visit);
}

/* The names of those that were not found, each followed by a comma. */
inline const char *missing_peers()
{
    return ""
#ifndef WITH_ABSEIL
           "absl::flat_hash_map,"
#endif
#ifndef WITH_SLOTMAP
           "Rust's slot maps,"
#endif
#ifndef WITH_COLONY
           "plf::colony,"
#endif
        ;
}

#endif
