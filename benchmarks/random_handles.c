/* SPDX-License-Identifier: MIT */
/* random_handles [COUNT]: looks up COUNT random 64-bit patterns in a map (default 10,000,000,000),
 * and a tenth as many that are near its handles: its type id, an index in range, a low generation,
 * and half of them with one bit flipped. A pattern must resolve exactly if it is in the program's
 * own list of live handles. Exit code 1 if the map and the list disagree. */
#include <handle_map/handle_map.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { SLOTS = 1 << 20, TYPE_ID = 21 };

typedef struct tally {
    uint64_t asked, resolved, wrong;
} tally;

/* splitmix64 (Steele, Lea and Flood, 2014). */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* A map with SLOTS issued slots of many generations, half of them alive; live[slot] is the handle
 * that resolves, or 0. */
static void fill(hm_map *map, uint64_t *live, uint64_t *random)
{
    for (uint32_t i = 0; i < SLOTS; i++) {
        hm_handle handle = hm_map_insert(map, NULL);
        live[hm_handle_index(handle)] = handle.bits;
    }
    for (uint32_t i = 0; i < 8 * SLOTS; i++) {
        uint32_t slot = (uint32_t)(next_random(random) % SLOTS);
        if (hm_map_erase(map, hm_handle_from_bits(live[slot]))) {
            live[slot] = 0;
        } else {
            hm_handle handle = hm_map_insert(map, NULL);
            live[hm_handle_index(handle)] = handle.bits;
        }
    }
}

static void ask(const hm_map *map, const uint64_t *live, uint64_t bits, tally *t)
{
    uint32_t slot = (uint32_t)bits;
    bool expected = slot < SLOTS && bits != 0 && live[slot] == bits;
    bool resolved = hm_map_get(map, hm_handle_from_bits(bits)) != NULL;
    t->asked++;
    t->resolved += resolved;
    t->wrong += resolved != expected;
}

static uint64_t near_pattern(uint64_t random)
{
    uint32_t index = (uint32_t)random % SLOTS;
    uint64_t bits = hm_handle_pack(index, (uint32_t)(random >> 32) % 32, TYPE_ID).bits;
    return random >> 63 ? bits ^ UINT64_C(1) << (random >> 40) % 64 : bits;
}

static tally sweep(const hm_map *map, const uint64_t *live, uint64_t count, bool near,
                   uint64_t random)
{
    const char *what = near ? "near patterns" : "random patterns";
    tally t = {0, 0, 0};
    for (uint64_t done = 0; done < count;) {
        uint64_t end = done + (count + 19) / 20;
        for (; done < end && done < count; done++) {
            uint64_t bits = next_random(&random);
            ask(map, live, near ? near_pattern(bits) : bits, &t);
        }
        fprintf(stderr, "\r%s: %3.0f%%", what, 100.0 * (double)done / (double)count);
    }
    fprintf(stderr, "\r");
    printf("%-15s  asked %" PRIu64 "  resolved %" PRIu64 "  wrong %" PRIu64 "\n", what, t.asked,
           t.resolved, t.wrong);
    return t;
}

int main(int argc, char **argv)
{
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : UINT64_C(10000000000);
    uint64_t random = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    hm_map map;
    hm_map_desc desc = {.item_size = 8, .capacity = SLOTS, .max_slots = SLOTS, .type_id = TYPE_ID};
    uint64_t *live = calloc(SLOTS, sizeof *live);
    if (live == NULL || hm_map_init(&map, &desc) != HM_OK) {
        fprintf(stderr, "random_handles: out of memory\n");
        free(live);
        return 1;
    }
    printf("seed %" PRIu64 "\n", random);
    fill(&map, live, &random);
    tally uniform = sweep(&map, live, count, false, random);
    tally near = sweep(&map, live, count / 10, true, random + 1);
    hm_map_fini(&map);
    free(live);
    return uniform.wrong + near.wrong == 0 ? 0 : 1;
}
