/* SPDX-License-Identifier: MIT */
/* report: which containers are listed, what is said of them, and what is refused. */
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif

#include "support/test.h"

#include <handle_map/handle_map.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if !defined(_WIN32) && !defined(__wasm__)
#include <unistd.h>
#endif

enum { TEXT = 4096 };

#if defined(_WIN32)

/* Calls hm_report and leaves in `text` what it prints. */
static uint32_t report(char *text)
{
    FILE *file = tmpfile();
    CHECK(file != NULL);
    hm_memory_os_keep(0); /* What is kept depends on other tests. */
    uint32_t alive = hm_report(file);
    rewind(file);
    text[fread(text, 1, TEXT - 1, file)] = '\0';
    fclose(file);
    return alive;
}

#else

static uint32_t report(char *text)
{
    char *printed = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&printed, &size);
    CHECK(file != NULL);
    hm_memory_os_keep(0); /* What is kept depends on other tests. */
    uint32_t alive = hm_report(file);
    CHECK(fclose(file) == 0 && size < TEXT);
    memcpy(text, printed, size + 1);
    free(printed);
    return alive;
}

#endif

static const char *const titles =
    "kind           items   capacity slots used retired committed KiB reserved KiB  name\n";
static const char *const nothing = "containers alive: 0; committed 0 KiB, reserved 0 KiB\n";

/* What the line of a container is, from its statistics. */
static void append_line(char *text, const char *kind, hm_stats stats, const char *name)
{
    unsigned per_mille = (unsigned)((uint64_t)stats.slots * 1000 / stats.max_slots);
    snprintf(text + strlen(text), TEXT - strlen(text),
             "%-9s %10u %10u %7u.%u%% %7u %13u %12u  %s\n", kind, (unsigned)stats.count,
             (unsigned)stats.capacity, per_mille / 10, per_mille % 10,
             (unsigned)stats.retired_slots, (unsigned)((stats.committed_size + 1023) / 1024),
             (unsigned)((stats.reserved_size + 1023) / 1024), name);
}

static void append_sums(char *text, unsigned alive, const hm_stats *all)
{
    size_t committed = 0, reserved = 0;
    for (unsigned i = 0; i < alive; i++) {
        committed += all[i].committed_size;
        reserved += all[i].reserved_size;
    }
    snprintf(text + strlen(text), TEXT - strlen(text),
             "containers alive: %u; committed %u KiB, reserved %u KiB\n", alive,
             (unsigned)((committed + 1023) / 1024), (unsigned)((reserved + 1023) / 1024));
}

static hm_map make_map(const char *name)
{
    hm_map map;
    hm_map_desc desc = {.item_size = 4, .capacity = 10, .max_slots = 40, .name = name};
    CHECK(hm_map_init(&map, &desc) == HM_OK);
    return map;
}

TEST(report, without_entries_there_is_nothing_to_tell)
{
    char text[TEXT];
    CHECK(report(text) == 0 && strcmp(text, nothing) == 0);
    CHECK(hm_report(NULL) == 0);
}

TEST(report, each_kind_of_container_has_a_line_in_the_order_of_adding)
{
    char text[TEXT], expected[TEXT];
    const hm_column column = {.size = 4};
    hm_map map = make_map("texture");
    hm_pool pool;
    hm_table table;
    hm_secondary secondary;
    hm_world world;
    hm_lists lists;
    hm_index index;
    hm_report_entry entries[7];
    CHECK(hm_pool_init(&pool, &(hm_pool_desc){.item_size = 4, .name = "bullet"}) == HM_OK);
    CHECK(hm_table_init(&table, &(hm_table_desc){.columns = &column, .column_count = 1}) == HM_OK);
    CHECK(hm_secondary_init(&secondary, &(hm_secondary_desc){.value_size = 4}) == HM_OK);
    CHECK(hm_world_init(&world, &(hm_world_desc){.capacity = 100, .name = "level"}) == HM_OK);
    CHECK(hm_lists_init(&lists, &(hm_lists_desc){.item_size = 4, .name = "contacts"}) == HM_OK);
    CHECK(hm_lists_push(&lists, hm_lists_create(&lists), NULL) != NULL);
    CHECK(hm_index_init(&index, &(hm_index_desc){.capacity = 100, .name = "cells"}) == HM_OK);
    CHECK(hm_index_set(&index, hm_handle_pack(5, 1, 0), 7) == HM_OK);
    CHECK(hm_map_insert_n(&map, NULL, 7, NULL) == HM_OK);
    CHECK(hm_secondary_set(&secondary, hm_handle_pack(5, 1, 0), NULL) != NULL);

    memset(entries, 0xA5, sizeof entries);
    CHECK(hm_report_add_world(&entries[0], &world) == HM_OK);
    CHECK(hm_report_add_secondary(&entries[1], &secondary) == HM_OK);
    CHECK(hm_report_add_table(&entries[2], &table) == HM_OK);
    CHECK(hm_report_add_pool(&entries[3], &pool) == HM_OK);
    CHECK(hm_report_add_map(&entries[4], &map) == HM_OK);
    CHECK(hm_report_add_lists(&entries[5], &lists) == HM_OK);
    CHECK(hm_report_add_index(&entries[6], &index) == HM_OK);
    const hm_stats all[] = {hm_world_get_stats(&world), hm_secondary_get_stats(&secondary),
                            hm_table_get_stats(&table), hm_pool_get_stats(&pool),
                            hm_map_get_stats(&map),     hm_lists_get_stats(&lists),
                            hm_index_get_stats(&index)};
    strcpy(expected, titles);
    append_line(expected, "world", all[0], "level");
    append_line(expected, "secondary", all[1], "secondary");
    append_line(expected, "table", all[2], "table");
    append_line(expected, "pool", all[3], "bullet");
    append_line(expected, "map", all[4], "texture");
    append_line(expected, "lists", all[5], "contacts");
    append_line(expected, "index", all[6], "cells");
    append_sums(expected, 7, all);
    CHECK(report(text) == 7 && strcmp(text, expected) == 0);
    CHECK(hm_report(NULL) == 7);
    CHECK(strstr(text, "\nmap                7         10      17.5%       0 ") != NULL);

    hm_world_fini(&world);
    hm_table_fini(&table);
    hm_map_fini(&map);
    hm_lists_fini(&lists);
    hm_index_fini(&index);
    CHECK(report(text) == 2 && strstr(text, "bullet\n") != NULL);
    CHECK(strstr(text, "texture") == NULL && strstr(text, "level") == NULL);
    hm_pool_fini(&pool);
    hm_secondary_fini(&secondary);
    CHECK(report(text) == 0 && strcmp(text, nothing) == 0);
    for (int i = 0; i < 7; i++)
        CHECK(hm_report_remove(&entries[i]) == HM_OK);
}

TEST(report, wear_is_told_in_retired_slots_and_used_ones)
{
    char text[TEXT];
    hm_pool pool;
    hm_report_entry entry;
    hm_pool_desc desc = {.item_size = 4, .capacity = 1, .max_slots = 8, .name = "worn"};
    CHECK(hm_pool_init(&pool, &desc) == HM_OK);
    CHECK(hm_report_add_pool(&entry, &pool) == HM_OK);
    for (int i = 0; i < 2 * 0xFFFF; i++)
        CHECK(hm_pool_erase(&pool, hm_pool_insert(&pool, NULL)));
    CHECK(report(text) == 1);
    CHECK(strstr(text, "\npool               0          1      25.0%       2 ") != NULL);
    hm_pool_fini(&pool);
    CHECK(hm_report_remove(&entry) == HM_OK);
}

TEST(report, what_is_there_already_is_refused_and_nothing_changes)
{
    hm_map first = make_map("first"), second = make_map("second");
    hm_report_entry a, b;
    CHECK(hm_report_add_map(&a, &first) == HM_OK);
    CHECK(hm_report_add_map(&a, &first) == HM_ERROR_INVALID);
    CHECK(
        strcmp(
            hm_last_error(),
            "hm_report_add_map: the report has this entry or this map already: remove it first") ==
        0);
    CHECK(hm_report_add_map(&a, &second) == HM_ERROR_INVALID);
    memset(&b, 0, sizeof b);
    CHECK(hm_report_add_map(&b, &first) == HM_ERROR_INVALID);
    CHECK(hm_report(NULL) == 1);
    CHECK(hm_report_remove(&b) == HM_ERROR_INVALID);
    CHECK(strcmp(hm_last_error(),
                 "the report does not have this entry: call hm_report_add_map or the like first") ==
          0);
    CHECK(hm_report_add_map(&b, &second) == HM_OK && hm_report(NULL) == 2);
    CHECK(hm_report_add_map(&b, &second) == HM_ERROR_INVALID && hm_report(NULL) == 2);
    CHECK(hm_report_remove(&a) == HM_OK && hm_report_remove(&a) == HM_ERROR_INVALID);
    CHECK(hm_report(NULL) == 1);
    CHECK(hm_report_add_map(&a, &first) == HM_OK && hm_report(NULL) == 2);
    CHECK(hm_report_remove(&b) == HM_OK && hm_report_remove(&a) == HM_OK);
    CHECK(hm_report(NULL) == 0 && hm_report_remove(&a) == HM_ERROR_INVALID);
    CHECK(a.next == NULL && a.kind == NULL && a.container == NULL);
    hm_map_fini(&first);
    hm_map_fini(&second);
}

/* init over a live container */

/* What the report says of a container that was initialised `times` times while alive. */
static void append_leak(char *text, const char *kind, const char *name, unsigned times,
                        hm_stats lost)
{
    snprintf(text + strlen(text), TEXT - strlen(text),
             "leaked: %s %s was initialised again while alive, %u time%s; committed %u KiB, "
             "reserved %u KiB\n",
             kind, name, times, times == 1 ? "" : "s",
             (unsigned)((lost.committed_size * times + 1023) / 1024),
             (unsigned)((lost.reserved_size * times + 1023) / 1024));
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

static const hm_column a_column = {.size = 4};
static const hm_map_desc map_desc = {.item_size = 4, .capacity = 10, .name = "it"};
static const hm_pool_desc pool_desc = {.item_size = 4, .capacity = 10, .name = "it"};
static const hm_table_desc table_desc = {
    .columns = &a_column, .column_count = 1, .capacity = 10, .name = "it"};
static const hm_secondary_desc secondary_desc = {.value_size = 4, .capacity = 10, .name = "it"};
static const hm_lists_desc lists_desc = {.item_size = 4, .capacity = 10, .name = "it"};
static const hm_index_desc index_desc = {.capacity = 10, .name = "it"};
static const hm_world_desc world_desc = {.capacity = 10, .name = "it"};

/* A container that is copied before it is initialised again can be finished after all. */
#define TOLD_OF(kind)                                                                              \
    TEST(report, kind##_that_is_initialised_while_alive_is_told)                                   \
    {                                                                                              \
        char text[TEXT], expected[TEXT] = "";                                                      \
        hm_##kind it, copy;                                                                        \
        hm_report_entry entry;                                                                     \
        memset(&it, 0, sizeof it);                                                                 \
        CHECK(hm_report_add_##kind(&entry, &it) == HM_OK && report(text) == 0);                    \
        CHECK(hm_##kind##_init(&it, &kind##_desc) == HM_OK);                                       \
        for (int i = 0; i < 3; i++) { /* as it should be */                                        \
            CHECK(report(text) == 1 && strstr(text, "leaked") == NULL);                            \
            CHECK(strstr(text, "  it\n") != NULL);                                                 \
            hm_##kind##_fini(&it);                                                                 \
            CHECK(report(text) == 0 && strcmp(text, nothing) == 0);                                \
            CHECK(hm_##kind##_init(&it, &kind##_desc) == HM_OK);                                   \
        }                                                                                          \
        const hm_stats lost = hm_##kind##_get_stats(&it);                                          \
        copy = it;                                                                                 \
        CHECK(hm_##kind##_init(&it, &kind##_desc) == HM_OK);                                       \
        append_leak(expected, #kind, "it", 1, lost);                                               \
        CHECK(report(text) == 2 && ends_with(text, expected));                                     \
        hm_##kind##_fini(&copy);                                                                   \
        hm_##kind##_fini(&it);                                                                     \
        strcpy(expected, nothing);                                                                 \
        append_leak(expected, #kind, "(finished)", 1, lost);                                       \
        CHECK(report(text) == 1 && strcmp(text, expected) == 0 && hm_report(NULL) == 1);           \
        CHECK(hm_report_remove(&entry) == HM_OK && hm_report(NULL) == 0);                          \
    }

TOLD_OF(map)
TOLD_OF(pool)
TOLD_OF(table)
TOLD_OF(secondary)
TOLD_OF(lists)
TOLD_OF(index)
TOLD_OF(world)

TEST(report, another_kind_in_the_memory_of_one_that_ended_is_no_leak_of_it)
{
    union {
        hm_map map;
        hm_pool pool;
    } it;
    hm_pool copy;
    hm_report_entry entry;
    CHECK(hm_map_init(&it.map, &map_desc) == HM_OK);
    CHECK(hm_report_add_map(&entry, &it.map) == HM_OK);
    hm_map_fini(&it.map);
    CHECK(hm_pool_init(&it.pool, &pool_desc) == HM_OK);
    copy = it.pool;
    CHECK(hm_pool_init(&it.pool, &pool_desc) == HM_OK);
    hm_pool_fini(&copy);
    hm_pool_fini(&it.pool);
    memset(&it, 0, sizeof it);
    CHECK(hm_report(NULL) == 0 && hm_report_remove(&entry) == HM_OK);
}

HM_MAP_DEFINE(leaf, int, 3)

TEST(report, each_init_while_alive_counts_also_one_that_fails)
{
    char text[TEXT], expected[TEXT] = "";
    leaf_map leaves = {{0}};
    hm_report_entry entry;
    hm_map copies[4];
    CHECK(hm_report_add_map(&entry, &leaves.map) == HM_OK); /* still zeroed */
    CHECK(leaf_map_init(&leaves, 10) == HM_OK && hm_report(NULL) == 1);
    const hm_stats lost = leaf_map_get_stats(&leaves);
    copies[0] = leaves.map;
    CHECK(leaf_map_init(&leaves, 10) == HM_OK);
    copies[1] = leaves.map;
    CHECK(hm_map_init(&leaves.map, &(hm_map_desc){.item_size = 0}) == HM_ERROR_INVALID);
    CHECK(leaf_map_init(&leaves, 10) == HM_OK); /* It was zeroed. */
    copies[2] = leaves.map;
    CHECK(hm_map_init(&leaves.map, NULL) == HM_ERROR_INVALID);
    CHECK(leaf_map_init(&leaves, 10) == HM_OK);
    copies[3] = leaves.map;
    CHECK(leaf_map_init_desc(&leaves, NULL) == HM_OK);
    leaf_map_fini(&leaves);
    strcpy(expected, nothing);
    append_leak(expected, "map", "(finished)", 4, lost);
    CHECK(report(text) == 4 && strcmp(text, expected) == 0);
    CHECK(hm_report_remove(&entry) == HM_OK);
    CHECK(hm_report_add_map(&entry, &leaves.map) == HM_OK && hm_report(NULL) == 0);
    CHECK(hm_report_remove(&entry) == HM_OK);
    for (int i = 0; i < 4; i++)
        hm_map_fini(&copies[i]);
}

#if defined(__unix__) && !defined(__wasm__)

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>

enum { THREADS = 3 };

/* Makes and ends a map of its own over and over. */
static void *init_over_and_over(void *given)
{
    hm_map *map = given;
    for (uint32_t i = test_scaled(500); i > 0; i--) {
        CHECK(hm_map_init(map, &map_desc) == HM_OK);
        hm_map_fini(map);
    }
    return NULL;
}

TEST(report, threads_may_initialise_containers_while_entries_come_and_go)
{
    pthread_t threads[THREADS];
    hm_map own[THREADS], other = make_map("other");
    hm_report_entry entries[THREADS], entry;
    memset(own, 0, sizeof own);
    for (int i = 0; i < THREADS; i++) {
        if (i > 0) /* The first one is not listed. */
            CHECK(hm_report_add_map(&entries[i], &own[i]) == HM_OK);
        CHECK(pthread_create(&threads[i], NULL, init_over_and_over, &own[i]) == 0);
    }
    for (uint32_t i = test_scaled(500); i > 0; i--)
        CHECK(hm_report_add_map(&entry, &other) == HM_OK && hm_report_remove(&entry) == HM_OK);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(hm_report(NULL) == 0);
    for (int i = 1; i < THREADS; i++)
        CHECK(hm_report_remove(&entries[i]) == HM_OK);
    hm_map_fini(&other);
}

/* A listed map whose entry has its pages for itself, whatever their size. The next write to the
 * entry runs `act`, in the middle of whatever writes. */
static _Alignas(65536) union {
    hm_report_entry entry;
    unsigned char pages[65536];
} trap;
static hm_map trapped;
static void (*act)(void);

static void act_in_the_middle(int number)
{
    CHECK(number == SIGSEGV && signal(SIGSEGV, SIG_DFL) != SIG_ERR);
    act();
    act = NULL;
    CHECK(mprotect(&trap, sizeof trap, PROT_READ | PROT_WRITE) == 0);
}

static void set_trap(void (*what)(void))
{
    trapped = make_map("trapped");
    CHECK(hm_report_add_map(&trap.entry, &trapped) == HM_OK);
    act = what;
    CHECK(signal(SIGSEGV, act_in_the_middle) != SIG_ERR);
    CHECK(mprotect(&trap, sizeof trap, PROT_READ) == 0);
}

/* Returns what the report counts, and ends all. */
static uint32_t end_trap(char *text, hm_report_entry *second, hm_map *map, hm_map *lost)
{
    CHECK(act == NULL);
    uint32_t alive = report(text);
    CHECK(hm_report_remove(second) == HM_OK && hm_report_remove(&trap.entry) == HM_OK);
    hm_map_fini(map);
    hm_map_fini(lost);
    hm_map_fini(&trapped);
    return alive;
}

static void init_trapped(void)
{
    CHECK(hm_map_init(&trapped, &map_desc) == HM_OK);
}

TEST(report, an_init_while_the_list_changes_does_not_read_it)
{
    char text[TEXT];
    hm_report_entry second;
    hm_map other = make_map("other");
    set_trap(init_trapped);
    hm_map lost = trapped;
    CHECK(hm_report_add_map(&second, &other) == HM_OK);
    CHECK(end_trap(text, &second, &other, &lost) == 2 && strstr(text, "leaked") == NULL);
}

static pthread_t adder;
static pthread_mutex_t adder_may_begin = PTHREAD_MUTEX_INITIALIZER;
static bool has_added;

static void *add_when_it_may(void *entry)
{
    static hm_map other;
    CHECK(pthread_mutex_lock(&adder_may_begin) == 0);
    other = make_map("other");
    CHECK(hm_report_add_map(entry, &other) == HM_OK);
    has_added = true;
    return &other;
}

/* The adder has only microseconds of work, so after so much processor time it waits. */
static void let_the_adder_wait(void)
{
    clockid_t clock;
    struct timespec used;
    CHECK(pthread_mutex_unlock(&adder_may_begin) == 0);
    CHECK(pthread_getcpuclockid(adder, &clock) == 0);
    do
        CHECK(sched_yield() == 0 && clock_gettime(clock, &used) == 0);
    while (used.tv_sec == 0 && used.tv_nsec < 50000000);
    CHECK(!has_added);
}

TEST(report, a_change_waits_for_the_inits_that_read_the_list)
{
    char text[TEXT];
    hm_report_entry second;
    void *other;
    CHECK(pthread_mutex_lock(&adder_may_begin) == 0);
    CHECK(pthread_create(&adder, NULL, add_when_it_may, &second) == 0);
    set_trap(let_the_adder_wait);
    hm_map lost = trapped;
    init_trapped();
    CHECK(pthread_join(adder, &other) == 0 && has_added);
    CHECK(end_trap(text, &second, other, &lost) == 3 && strstr(text, "leaked") != NULL);
}

#endif

/* at exit */

#if !defined(_WIN32) && !defined(__wasm__)

/* The report goes to stderr, which is redirected to this file. */
static FILE *standard_error;
static hm_map leaked;
static hm_report_entry leaked_entry;

static size_t redirected_size(char *text)
{
    rewind(standard_error);
    size_t size = fread(text, 1, TEXT - 1, standard_error);
    text[size] = '\0';
    return size;
}

static void redirect(void)
{
    standard_error = tmpfile();
    CHECK(standard_error != NULL);
    CHECK(dup2(fileno(standard_error), STDERR_FILENO) == STDERR_FILENO);
}

/* What the report has to begin with, and to contain; NULL: there must be none. */
static const char *first_told, *told;

static void end_if_told(void)
{
    char text[TEXT];
    bool is_told = redirected_size(text) == 0;
    if (first_told != NULL)
        is_told = strncmp(text, first_told, strlen(first_told)) == 0 && strstr(text, told) != NULL;
    _Exit(is_told ? TEST_PANIC_EXIT_CODE : EXIT_FAILURE);
}

/* Makes a container that the report knows, and expects this report at the exit. */
static void begin_leak(const char *name, const char *first, const char *expected)
{
    redirect();
    leaked = make_map(name);
    first_told = first;
    told = expected;
    CHECK(hm_report_add_map(&leaked_entry, &leaked) == HM_OK);
    CHECK(atexit(end_if_told) == 0 && atexit(hm_report_leaks) == 0);
}

/* Not deaths, but only a test of this kind says with which code it ends. */
DEATH_TEST(report, at_exit_what_was_not_finished_is_told)
{
    begin_leak("forgotten", titles, "forgotten\ncontainers alive: 1;");
    exit(EXIT_SUCCESS);
}

DEATH_TEST(report, at_exit_what_was_initialised_while_alive_is_told_although_finished)
{
    begin_leak("it", nothing, "leaked: map (finished) was initialised again while alive, 1 time;");
    CHECK(hm_map_init(&leaked, &map_desc) == HM_OK);
    hm_map_fini(&leaked);
    exit(EXIT_SUCCESS);
}

DEATH_TEST(report, at_exit_nothing_is_told_if_all_was_finished)
{
    begin_leak("finished", NULL, NULL);
    hm_map_fini(&leaked);
    exit(EXIT_SUCCESS);
}

#elif defined(__wasm__)

TEST(report, at_exit_what_was_not_finished_is_told)
{
    test_leave_out("what is told at exit: there is no file to catch it in");
}

#endif
