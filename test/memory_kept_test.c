/* SPDX-License-Identifier: MIT */
/* memory: what the system's table keeps of what containers release. */
#if defined(__linux__)
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#endif

#include "../src/memory/poison_private.h"
#include "support/layout.h"
#include "support/memory.h"
#include "support/test.h"

#include <handle_map/history.h>
#include <handle_map/map.h>
#include <handle_map/report.h>

#include <stdio.h>
#include <string.h>

#if defined(__linux__)
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

enum { ITEMS = 300, KIB = 1 << 10, MIB = 1 << 20 };

/* Returns the address of the items of a map that has been filled and has ended. */
static const void *live_and_end(uint32_t capacity, uint32_t items)
{
    hm_map map;
    CHECK(hm_map_init(&map, &(hm_map_desc){.item_size = 16, .capacity = capacity}) == HM_OK);
    for (uint32_t i = 0; i < items; i++) {
        const uint64_t item[2] = {i, ~(uint64_t)i};
        CHECK(!hm_handle_is_null(hm_map_insert(&map, item)));
    }
    CHECK(hm_map_validate(&map) == HM_OK && hm_map_count(&map) == items);
    const void *place = hm_map_items(&map);
    hm_map_fini(&map);
    return place;
}

/* Begins without what other tests have left; false: this system keeps nothing. */
static bool begin(void)
{
    hm_memory_os_keep((size_t)64 * MIB);
    hm_memory_os_trim();
    CHECK(hm_memory_os_kept() == 0);
    (void)live_and_end(0, 1);
    bool keeps = hm_memory_os_kept() != 0;
    hm_memory_os_trim();
    if (!keeps)
        test_leave_out("what is kept: this system keeps nothing");
    return keeps;
}

TEST(memory_kept, the_next_container_gets_what_the_last_one_of_its_kind_had)
{
    if (!begin())
        return;
    const uint32_t capacities[] = {0, 20, ITEMS, 100000};
    for (size_t i = 0; i < sizeof capacities / sizeof *capacities; i++) {
        const void *place = live_and_end(capacities[i], 20);
        size_t kept = hm_memory_os_kept();
        for (int round = 0; round < 10; round++) {
            CHECK(live_and_end(capacities[i], 20) == place);
            CHECK(hm_memory_os_kept() == kept);
        }
    }
    hm_memory_os_trim();
    CHECK(hm_memory_os_kept() == 0);
}

TEST(memory_kept, the_bound_holds_at_any_time_and_the_latest_stays)
{
    if (!begin())
        return;
    const hm_memory *memory = hm_memory_os();
    unsigned char *ranges[8];
    for (size_t i = 0; i < 8; i++) {
        ranges[i] = memory->reserve(memory->context, 64 * KIB * (i + 1));
        CHECK(ranges[i] != NULL && memory->commit(memory->context, ranges[i], 64 * KIB));
    }
    CHECK(hm_memory_os_keep(256 * KIB) == (size_t)64 * MIB);
    for (size_t i = 0; i < 8; i++) {
        memory->release(memory->context, ranges[i], 64 * KIB * (i + 1));
        CHECK(hm_memory_os_kept() == (i < 4 ? i + 1 : 4) * 64 * KIB);
    }
    CHECK(memory->reserve(memory->context, 512 * KIB) == ranges[7]);
    CHECK(hm_memory_os_kept() == 192 * KIB);
    memory->release(memory->context, ranges[7], 512 * KIB);
    CHECK(hm_memory_os_kept() == 256 * KIB); /* It was not committed again, but is in memory. */
    CHECK(hm_memory_os_keep(70 * KIB) == 256 * KIB);
    CHECK(hm_memory_os_kept() <= 70 * KIB);
    hm_memory_os_keep(0);
    CHECK(hm_memory_os_kept() == 0);
    (void)live_and_end(ITEMS, ITEMS);
    CHECK(hm_memory_os_kept() == 0);
    hm_memory_os_keep((size_t)64 * MIB);
}

TEST(memory_kept, what_is_committed_reads_as_zero_whatever_was_there_before)
{
    if (!begin())
        return;
    const hm_memory *memory = hm_memory_os();
    const size_t page = memory->page_size, size = 8 * page;
    unsigned char *first = memory->reserve(memory->context, size);
    CHECK(first != NULL && memory->commit(memory->context, first + page, 3 * page));
    memset(first + page, 0xA5, 3 * page);
    memory->release(memory->context, first, size);
    CHECK(memory->reserve(memory->context, size) == first);
    CHECK(memory->commit(memory->context, first, 2 * page));
    CHECK(test_bytes_are(first, 2 * page, 0));
    CHECK(memory->raw(memory->context, first + 2 * page, page)); /* It may hold anything. */
    CHECK(memory->commit(memory->context, first + 3 * page, 5 * page));
    CHECK(test_bytes_are(first + 3 * page, 5 * page, 0));
    memset(first, 0x5A, size);
    CHECK(memory->decommit(memory->context, first, size));
    CHECK(memory->commit(memory->context, first, size));
    CHECK(test_bytes_are(first, size, 0));
    memory->release(memory->context, first, size);
}

/* What is asked for is a little less than what is kept. */
TEST(memory_kept, a_range_is_divided_and_its_parts_are_kept_again)
{
    if (!begin())
        return;
    const hm_memory *memory = hm_memory_os();
    const size_t page = memory->page_size;
    unsigned char *whole = memory->reserve(memory->context, 8 * page);
    CHECK(whole != NULL && memory->commit(memory->context, whole, 8 * page));
    memset(whole, 0xA5, 8 * page);
    memory->release(memory->context, whole, 8 * page);
    unsigned char *first = memory->reserve(memory->context, 6 * page);
    bool divides = first == whole; /* Windows gives back only whole reservations. */
    CHECK(!divides || hm_memory_os_kept() == 2 * page);
    CHECK(memory->commit(memory->context, first, 6 * page));
    CHECK(test_bytes_are(first, 6 * page, 0));
    if (divides)
        CHECK(memory->reserve(memory->context, 2 * page) == whole + 6 * page);
    CHECK(!divides || hm_memory_os_kept() == 0);
    memory->release(memory->context, first, 6 * page);
    CHECK(!divides || hm_memory_os_kept() == 6 * page);
    if (divides)
        memory->release(memory->context, whole + 6 * page, 2 * page);
    unsigned char *odd = memory->reserve(memory->context, 5 * page - 1); /* of whole pages */
    CHECK(!divides || (odd == whole && hm_memory_os_kept() == 3 * page));
    memory->release(memory->context, odd, 5 * page - 1);
    CHECK(!divides || hm_memory_os_kept() == 8 * page);
    hm_memory_os_trim();
    CHECK(hm_memory_os_kept() == 0);
}

TEST(memory_kept, pages_that_were_remapped_are_kept_where_they_are)
{
    if (!begin() || hm_memory_os()->remap == NULL)
        return;
    const hm_memory *memory = hm_memory_os();
    const size_t page = memory->page_size, size = 4 * page; /* One more page stays in its range. */
    unsigned char *from = memory->reserve(memory->context, size + page);
    unsigned char *to = memory->reserve(memory->context, size);
    CHECK(from != NULL && memory->commit(memory->context, from, size + page));
    CHECK(to != NULL && memory->commit(memory->context, to, size));
    memset(from, 0xA5, size);
    bool moves = memory->remap(memory->context, from, to, size);
    memory->release(memory->context, from, size + page);
    CHECK(hm_memory_os_kept() == (moves ? 0 : size + page));
    memory->release(memory->context, to, size);
    CHECK(hm_memory_os_kept() == (moves ? size : 2 * size + page));
    hm_memory_os_trim();
}

/* The system gives the same addresses to another one, which is not kept later. */
TEST(memory_kept, what_went_back_to_the_system_is_forgotten)
{
    if (!begin())
        return;
    const void *place = live_and_end(0, ITEMS);
    hm_memory_os_keep(0);
    bool is_same = false;
    for (int i = 0; i < 20 && !is_same; i++)
        is_same = live_and_end(0, ITEMS) == place;
    CHECK(hm_memory_os_kept() == 0);
    hm_memory_os_keep((size_t)64 * MIB);
}

/* Only where AddressSanitizer runs. */
TEST(memory_kept, the_use_of_what_an_ended_container_had_is_reported)
{
#ifdef HM_HAS_POISON
    if (!begin() || !hm_memory_poisons())
        return;
    const unsigned char *place = live_and_end(0, ITEMS);
    CHECK(hm_memory_os_kept() != 0);
    CHECK(__asan_address_is_poisoned(place) && __asan_address_is_poisoned(place + 4095));
    hm_map map;
    CHECK(hm_map_init(&map, &(hm_map_desc){.item_size = 16}) == HM_OK);
    CHECK(hm_map_insert_n(&map, NULL, ITEMS, NULL) == HM_OK && hm_map_items(&map) == place);
    CHECK(__asan_region_is_poisoned((void *)(uintptr_t)place, (size_t)16 * ITEMS) == NULL);
    hm_map_fini(&map);
    hm_memory_os_trim();
    CHECK(__asan_region_is_poisoned((void *)(uintptr_t)place, 4096) == NULL);
#endif
}

TEST(memory_kept, a_trim_of_a_container_gives_its_memory_to_the_system)
{
    if (!begin())
        return;
    hm_map map;
    CHECK(hm_map_init(&map, &(hm_map_desc){.item_size = 4096, .capacity = 1000}) == HM_OK);
    for (int i = 0; i < 1000; i++)
        CHECK(!hm_handle_is_null(hm_map_insert(&map, NULL)));
    hm_map_clear(&map);
    CHECK(hm_map_trim(&map) == HM_OK);
    hm_map_fini(&map);
    CHECK(hm_memory_os_kept() < 100 * KIB + 4 * hm_memory_os()->page_size);
    hm_memory_os_trim();
}

TEST(memory_kept, a_history_neither_gives_nor_takes_what_is_kept)
{
    if (!begin())
        return;
    (void)live_and_end(0, ITEMS);
    size_t kept = hm_memory_os_kept();
    hm_history history;
    CHECK(hm_history_init(&history, &(hm_history_desc){.size = MIB}) == HM_OK);
    hm_map map;
    CHECK(hm_map_init(&map, &(hm_map_desc){.item_size = 16, .memory = &history.table}) == HM_OK);
    CHECK(!hm_handle_is_null(hm_map_insert(&map, NULL)));
    hm_map_fini(&map);
    hm_history_fini(&history);
    CHECK(hm_memory_os_kept() == kept);
    hm_memory_os_trim();
}

#if defined(__linux__)

TEST(memory_kept, the_report_says_how_much_it_is)
{
    if (!begin())
        return;
    char text[256] = "", expected[64];
    (void)live_and_end(0, ITEMS);
    FILE *file = tmpfile();
    if (file == NULL) {
        test_leave_out("the report: no file can be made");
        return;
    }
    (void)hm_report(file);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    snprintf(expected, sizeof expected, "\nkept for the next: %u KiB\n",
             (unsigned)(hm_memory_os_kept() / KIB));
    CHECK(strstr(text, expected) != NULL);
    hm_memory_os_trim();
}

/* Containers of mixed sizes, while the bound goes up and down. */
static void *live_in_a_thread(void *seed)
{
    uint64_t random = (uintptr_t)seed;
    for (uint32_t i = 0; i < test_scaled(400); i++) {
        uint32_t items = 1 + test_random_below(&random, ITEMS);
        (void)live_and_end(test_random_below(&random, 2) * 20 * ITEMS, items);
        if (test_random_below(&random, 32) == 0)
            hm_memory_os_keep(test_random_below(&random, MIB));
        if (test_random_below(&random, 32) == 0)
            hm_memory_os_trim();
        CHECK(hm_memory_os_kept() <= (size_t)64 * MIB);
    }
    return NULL;
}

TEST(memory_kept, threads_make_and_end_containers_at_once)
{
    enum { THREADS = 4 };
    if (!begin())
        return;
    uint64_t random = test_seed("kept in threads");
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, live_in_a_thread,
                             (void *)(uintptr_t)(1 + test_random_below(&random, 1 << 30))) == 0);
    for (size_t i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    hm_memory_os_keep((size_t)64 * MIB);
    hm_memory_os_trim();
    CHECK(hm_memory_os_kept() == 0);
}

TEST(memory_kept, a_forked_process_has_its_own)
{
    if (!begin())
        return;
    const void *place = live_and_end(0, ITEMS);
    size_t kept = hm_memory_os_kept();
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        bool is_same = live_and_end(0, ITEMS) == place && hm_memory_os_kept() == kept;
        hm_memory_os_trim();
        _exit(is_same && hm_memory_os_kept() == 0 ? 0 : 1);
    }
    int ended = 0;
    CHECK(waitpid(child, &ended, 0) == child && WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
    CHECK(hm_memory_os_kept() == kept && live_and_end(0, ITEMS) == place);
    hm_memory_os_trim();
}

#endif
