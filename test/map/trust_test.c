/* SPDX-License-Identifier: MIT */
/* No 64 bits resolve except those of an issued handle whose item is live. */
#include "support/test.h"

#include <handle_map/map.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLOTS = 20000,
    ROUNDS = 4, /* of filling up and erasing about half */
    ISSUED = SLOTS * ROUNDS,
    PATTERNS = 100000000, /* of 64 random bits */
    NEAR_PATTERNS = 10000000,
    TYPE_ID = 0x2A51,
    LIVES = 1000000
};

typedef struct crowd {
    hm_map map;
    uint32_t generations[SLOTS]; /* of the live item in this slot; 0: none */
    hm_handle issued[ISSUED];
    uint32_t issued_count;
} crowd;

static crowd people; /* too large for the stack */

/* Issues many handles, about half of them stale, in several generations. */
static void gather(crowd *of, uint64_t *random)
{
    hm_map_desc desc = {.item_size = 4, .capacity = SLOTS, .max_slots = SLOTS, .type_id = TYPE_ID};
    memset(of, 0, sizeof *of);
    CHECK(hm_map_init(&of->map, &desc) == HM_OK);
    for (int round = 0; round < ROUNDS; round++) {
        while (hm_map_count(&of->map) < SLOTS) {
            hm_handle handle = hm_map_insert(&of->map, NULL);
            CHECK(hm_handle_index(handle) < SLOTS && of->issued_count < ISSUED);
            of->generations[hm_handle_index(handle)] = hm_handle_generation(handle);
            of->issued[of->issued_count++] = handle;
        }
        for (uint32_t i = SLOTS; i-- > 0;) {
            hm_handle handle = hm_map_handle_at(&of->map, i);
            if (test_random_below(random, 2) == 0)
                continue;
            of->generations[hm_handle_index(handle)] = 0;
            CHECK(hm_map_erase(&of->map, handle));
        }
    }
}

/* What the map must answer, judged by the handle's fields alone. */
static bool is_live(const crowd *of, hm_handle handle)
{
    uint32_t generation = hm_handle_generation(handle);
    uint32_t slot = hm_handle_index(handle);
    return slot < SLOTS && generation != 0 && of->generations[slot] == generation &&
           hm_handle_type_id(handle) == TYPE_ID && !hm_handle_is_free(handle);
}

static void check_one(const crowd *of, hm_handle handle)
{
    bool live = is_live(of, handle);
    CHECK(hm_map_contains(&of->map, handle) == live);
    CHECK((hm_map_get(&of->map, handle) != NULL) == live);
    CHECK((hm_map_index_of(&of->map, handle) != HM_INVALID_INDEX) == live);
    CHECK((hm_map_explain(&of->map, handle) == HM_HANDLE_LIVE) == live);
}

TEST(map_trust, of_100_million_random_patterns_only_live_handles_resolve)
{
    uint64_t random = test_seed("map_trust patterns");
    uint32_t wrong = 0;
    gather(&people, &random);
    for (uint32_t i = test_scaled(PATTERNS); i-- > 0;) {
        hm_handle handle = hm_handle_from_bits(test_random(&random));
        wrong += hm_map_contains(&people.map, handle) != is_live(&people, handle);
    }
    CHECK(wrong == 0);
    hm_map_fini(&people.map);
}

/* Random bits seldom resemble a handle. These always name a slot, and mostly the right type. */
TEST(map_trust, of_random_patterns_near_handles_only_live_ones_resolve)
{
    uint64_t random = test_seed("map_trust near patterns");
    uint32_t patterns = test_scaled(NEAR_PATTERNS), resolved = 0;
    gather(&people, &random);
    for (uint32_t i = 0; i < patterns; i++) {
        uint64_t bits = test_random(&random);
        uint32_t type_id = bits % 8 != 0 ? TYPE_ID : (uint32_t)(bits >> 3);
        hm_handle handle = hm_handle_pack(test_random_below(&random, SLOTS + 10),
                                          (uint32_t)(bits >> 40) % 8, type_id);
        if (bits >> 60 == 0)
            handle.bits |= HM_HANDLE_FREE_BIT;
        check_one(&people, handle);
        resolved += is_live(&people, handle);
    }
    CHECK(resolved > patterns / 100);
    hm_map_fini(&people.map);
}

TEST(map_trust, of_all_neighbours_of_issued_handles_only_live_ones_resolve)
{
    uint64_t random = test_seed("map_trust neighbours");
    gather(&people, &random);
    uint32_t stride = people.issued_count / test_scaled(people.issued_count);
    for (uint32_t i = 0; i < people.issued_count; i += stride) {
        hm_handle handle = people.issued[i];
        uint64_t bits = handle.bits;
        check_one(&people, handle);
        for (uint32_t bit = 0; bit < 64; bit++) {
            check_one(&people, hm_handle_from_bits(bits ^ UINT64_C(1) << bit));
            check_one(&people, hm_handle_from_bits(bits + (UINT64_C(1) << bit)));
            check_one(&people, hm_handle_from_bits(bits - (UINT64_C(1) << bit)));
        }
        check_one(&people, hm_handle_from_bits(~bits));
        check_one(&people, hm_handle_from_bits(bits << 32 | bits >> 32));
    }
    hm_map_fini(&people.map);
}

/* Returns the resident bytes, or 0 if they are not known. */
static size_t resident_size(void)
{
    size_t size = 0; /* KiB: pages may be the emulator's, or those of the system below it */
#if defined(__linux__)
    char line[128];
    FILE *file = fopen("/proc/self/status", "r");
    if (file == NULL)
        return 0;
    while (size == 0 && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "VmRSS: %zu", &size) != 1)
            size = 0;
    fclose(file);
#endif
    return size << 10;
}

/* Probes the previous handle, the one that a wrapped generation would repeat, and a random one. */
static void probe_some(const hm_map *map, const hm_handle *past, uint32_t count, uint64_t *random)
{
    static const uint32_t ages[] = {1, 2, 65534, 65535, 65536, 65537, 131070, 131072};
    for (size_t i = 0; i < sizeof ages / sizeof *ages; i++)
        if (count >= ages[i])
            CHECK(!hm_map_contains(map, past[count - ages[i]]));
    if (count != 0)
        CHECK(!hm_map_contains(map, past[test_random_below(random, count)]));
}

static void check_all_refused(const hm_map *map, const hm_handle *past, uint32_t lives)
{
    uint32_t stale = 0, retired = 0;
    for (uint32_t i = 0; i < lives; i++) {
        hm_handle_state state = hm_map_explain(map, past[i]);
        CHECK(hm_map_get(map, past[i]) == NULL);
        stale += state == HM_HANDLE_STALE;
        retired += state == HM_HANDLE_RETIRED;
    }
    CHECK(stale + retired == lives);
    CHECK(retired == lives / HM_HANDLE_MAX_GENERATION * HM_HANDLE_MAX_GENERATION);
}

TEST(map_trust, a_million_lives_of_one_item_never_meet)
{
    uint64_t random = test_seed("map_trust lives");
    uint32_t lives = test_scaled(LIVES);
    hm_handle *past = malloc(lives * sizeof *past);
    hm_map map;
    hm_map_desc desc = {.item_size = 64};
    CHECK(past != NULL && hm_map_init(&map, &desc) == HM_OK);
    memset(past, 0xFF, lives * sizeof *past); /* resident before the measurement */
    hm_handle handle = hm_map_insert(&map, NULL);
    size_t committed = hm_map_get_stats(&map).committed_size;
    size_t resident = resident_size();
    for (uint32_t i = 0; i < lives; i++) {
        CHECK(hm_map_erase(&map, handle));
        past[i] = handle;
        handle = hm_map_insert(&map, NULL);
        CHECK(hm_map_contains(&map, handle));
        probe_some(&map, past, i + 1, &random);
    }
    CHECK(hm_map_get_stats(&map).committed_size == committed);
    if (!TEST_HAS_SANITIZER && resident != 0)
        CHECK(resident_size() < resident + ((size_t)16 << 20));
    check_all_refused(&map, past, lives);
    CHECK(hm_map_contains(&map, handle) && hm_map_count(&map) == 1);
    CHECK(hm_map_validate(&map) == HM_OK);
    hm_map_fini(&map);
    free(past);
}
