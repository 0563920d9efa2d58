/* SPDX-License-Identifier: MIT */
/* one_by_one: the items of the containers in peers.h, names for what is measured of them, and the
 * loops of those that take one item at a time. */
#ifndef BENCHMARKS_ONE_BY_ONE_H
#define BENCHMARKS_ONE_BY_ONE_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

template <size_t Size> struct item {
    uint64_t words[Size / 8];

    static item numbered(uint64_t number)
    {
        item it;
        for (uint64_t &word : it.words)
            word = 1;
        it.words[0] = number;
        return it;
    }
};

enum {
    FILLS = 1,    /* is created, filled, cleared and filled again */
    ITERATES = 2, /* visits all items */
    LOOKS_UP = 4, /* finds an item by its key */
    ERASES = 8,   /* erases items by their keys */
    REFILLS = 16, /* fills what was erased */
    CHURNS = 32,  /* erases one and inserts one, by turns */
    REFUSES = 64, /* a key of an erased item finds nothing */
    EVERYTHING = 127
};

template <class Item> uint64_t sum(const Item *items, size_t n)
{
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += items[i].words[0];
    return total;
}

inline void require(bool condition, const char *what)
{
    if (condition)
        return;
    std::fprintf(stderr, "benchmark: %s\n", what);
    std::exit(1);
}

/* The loops, for containers that take one item at a time: insert_one, erase_one, find. */
template <class Self, class Key, size_t Size> class one_by_one
{
    Self &self()
    {
        return static_cast<Self &>(*this);
    }

  public:
    using key_type = Key;

    void insert(uint64_t first, uint32_t n, Key *keys)
    {
        for (uint32_t i = 0; i < n; i++)
            keys[i] = self().insert_one(item<Size>::numbered(first + i));
    }
    uint32_t erase(const Key *keys, uint32_t n)
    {
        uint32_t erased = 0;
        for (uint32_t i = 0; i < n; i++)
            erased += self().erase_one(keys[i]);
        return erased;
    }
    uint64_t look_up(const Key *keys, uint32_t n)
    {
        uint64_t total = 0;
        for (uint32_t i = 0; i < n; i++)
            if (const item<Size> *found = self().find(keys[i]))
                total += found->words[0];
        return total;
    }
    uint32_t count_live(const Key *keys, uint32_t n)
    {
        uint32_t live = 0;
        for (uint32_t i = 0; i < n; i++)
            live += self().contains(keys[i]);
        return live;
    }
    uint32_t churn(Key *keys, const uint32_t *picks, uint32_t n, uint64_t first)
    {
        uint32_t erased = 0;
        for (uint32_t i = 0; i < n; i++) {
            Key &key = keys[picks[i]];
            erased += self().erase_one(key);
            key = self().insert_one(item<Size>::numbered(first + i));
        }
        return erased;
    }
};

#endif
