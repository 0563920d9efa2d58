/* SPDX-License-Identifier: MIT */
/* History: what is watched, what comes back, refusals, and the children of a process. Random
 * operations over every container are in rewind_test.c; pages without a container in
 * pages_test.c. */
#include "../../src/history/history_private.h"
#include "../../src/memory/poison_private.h"

#include "../support/last_error.h"
#include "../support/layout.h"
#include "../support/memory.h"

#include <handle_map/handle_map.h>

#include <stdlib.h>
#include <string.h>
#if !defined(_WIN32) && !defined(__wasm__)
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

enum { ITEMS = 3000 };

/* A history with a map in it, both watched and changed by all tests. */
typedef struct scene {
    hm_history history;
    hm_map map;
    hm_handle handles[ITEMS];
} scene;

static hm_status begin_scene(scene *s, const hm_memory *parent, hm_history_method method)
{
    const hm_history_desc desc = {
        .marks = 3, .method = method, .size = (size_t)1 << 24, .memory = parent};
    memset(&s->map, 0, sizeof s->map);
    hm_status status = hm_history_init(&s->history, &desc);
    if (status == HM_OK)
        status = hm_history_watch(&s->history, &s->map, sizeof s->map);
    if (status == HM_OK)
        status = hm_map_init(&s->map, &(hm_map_desc){.item_size = 40, .memory = &s->history.table});
    return status;
}

static void begin(scene *s)
{
    CHECK(begin_scene(s, NULL, HM_HISTORY_AUTO) == HM_OK);
}

static void end(scene *s)
{
    CHECK(hm_history_validate(&s->history) == HM_OK);
    hm_map_fini(&s->map);
    hm_history_fini(&s->history);
    hm_history_fini(&s->history);
    CHECK(hm_history_get_stats(&s->history).committed_size == 0);
}

static hm_status insert(scene *s, uint32_t n)
{
    hm_status status = hm_map_insert_n(&s->map, NULL, n, s->handles);
    for (uint32_t i = 0; status == HM_OK && i < n; i++)
        memset(hm_map_get(&s->map, s->handles[i]), (int)i, 40);
    return status;
}

/* Whether the map has the items of a map that `insert` has filled, and is whole. */
static bool has(const scene *s, uint32_t n)
{
    bool is_same = hm_map_validate(&s->map) == HM_OK && hm_map_count(&s->map) == n;
    for (uint32_t i = 0; is_same && i < n; i++) {
        const unsigned char *item = hm_map_get(&s->map, s->handles[i]);
        is_same = item != NULL && item[0] == (unsigned char)i && item[39] == (unsigned char)i;
    }
    return is_same;
}

static uint64_t take_mark(scene *s)
{
    uint64_t number = hm_history_mark(&s->history);
    CHECK(number != 0 && hm_history_get_stats(&s->history).current_mark == number);
    return number;
}

static void rewind_to(scene *s, uint64_t number)
{
    CHECK(hm_history_rewind(&s->history, number) == HM_OK);
    CHECK(hm_history_get_stats(&s->history).current_mark == number);
    CHECK(hm_history_validate(&s->history) == HM_OK);
}

/* Refusals */

TEST(history, an_init_with_a_bad_descriptor_is_refused)
{
    test_memory memory;
    hm_history history;
    static const struct {
        hm_history_desc desc;
        const char *sentence;
    } bad[] = {
        {{.marks = 65537}, "hm_history_init: marks 65537 is above 65536"},
        {{.method = (hm_history_method)3}, "hm_history_init: there is no method 3"},
        {{.size = SIZE_MAX}, NULL},
        {{.size = sizeof(size_t) > 4 ? SIZE_MAX / 4 : SIZE_MAX}, NULL},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(hm_history_init(&history, &bad[i].desc) == HM_ERROR_INVALID);
        CHECK(bad[i].sentence == NULL || says(bad[i].sentence));
    }
    CHECK(hm_history_init(NULL, &bad[0].desc) == HM_ERROR_INVALID);
    CHECK(hm_history_init(&history, NULL) == HM_OK);
    hm_history_fini(&history);
    for (int flaw = 0; flaw < TEST_MEMORY_FLAWS; flaw++) {
        test_memory_init(&memory, test_page_size(4096));
        const char *sentence = test_memory_break(&memory, flaw);
        const hm_history_desc desc = {.memory = &memory.table};
        CHECK(hm_history_init(&history, &desc) == HM_ERROR_INVALID && says(sentence));
    }
    test_memory_init(&memory, test_page_size(4096));
    const hm_history_desc other = {.method = HM_HISTORY_TRACK, .memory = &memory.table};
    CHECK(hm_history_init(&history, &other) == HM_ERROR_INVALID);
    CHECK(says("hm_history_init: the system does not tell what is written: use HM_HISTORY_AUTO"));
    memory.table.page_size = SIZE_MAX / 2 + 1;
    CHECK(hm_history_init(&history, &(hm_history_desc){.memory = &memory.table}) ==
          HM_ERROR_INVALID);
    test_memory_check_released(&memory);
}

TEST(history, a_method_that_is_asked_for_is_used_or_init_refuses)
{
    static const char *const sentence =
        "hm_history_init: the system does not tell what is written: use HM_HISTORY_AUTO";
    hm_history history;
    CHECK(hm_history_init(&history, &(hm_history_desc){.marks = 2}) == HM_OK);
    hm_history_method best = hm_history_get_stats(&history).method;
    hm_history_fini(&history);
    hm_status status = hm_history_init(&history, &(hm_history_desc){.method = HM_HISTORY_TRACK});
    CHECK(status == (best == HM_HISTORY_TRACK ? HM_OK : HM_ERROR_INVALID));
    CHECK(status == HM_OK ? hm_history_get_stats(&history).method == best : says(sentence));
    if (status == HM_OK)
        hm_history_fini(&history);
}

TEST(history, over_a_table_with_few_addresses_it_takes_16_mib)
{
    hm_history history;
    CHECK(hm_history_init(&history, &(hm_history_desc){.memory = hm_memory_heap()}) == HM_OK);
    const hm_memory *table = &history.table;
    CHECK(table->reserve(table->context, ((size_t)1 << 24) + 1) == NULL);
    void *all = table->reserve(table->context, (size_t)1 << 24);
    CHECK(all != NULL);
    table->release(table->context, all, (size_t)1 << 24);
    hm_history_fini(&history);
}

TEST(history, a_zeroed_one_refuses_everything)
{
    hm_history zeroed = {.marks = 0};
    hm_map map;
    CHECK(hm_history_mark(&zeroed) == 0 && hm_history_rewind(&zeroed, 1) == HM_ERROR_STALE);
    CHECK(hm_history_watch(&zeroed, &map, sizeof map) == HM_ERROR_FULL);
    CHECK(!hm_history_unwatch(&zeroed, &map) && hm_history_validate(&zeroed) == HM_OK);
    CHECK(hm_history_get_stats(&zeroed).newest_mark == 0);
    const hm_map_desc desc = {.item_size = 8, .memory = &zeroed.table};
    CHECK(hm_map_init(&map, &desc) == HM_ERROR_INVALID);
    hm_history_fini(&zeroed);
}

TEST(history, bytes_of_its_own_and_none_are_refused_and_those_that_overlap_are_not)
{
    scene s;
    begin(&s);
    CHECK(insert(&s, 1) == HM_OK);
    unsigned char *end_of_map = (unsigned char *)&s.map + sizeof s.map;
    struct {
        void *address;
        size_t size;
    } bad[] = {{NULL, 1},
               {&s.handles, 0},
               {&s.handles, SIZE_MAX},
               {hm_map_items(&s.map), 8},
               {(unsigned char *)&s.history + 8, 8}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(hm_history_watch(&s.history, bad[i].address, bad[i].size) == HM_ERROR_INVALID);
    CHECK(hm_history_watch(&s.history, end_of_map - 1, 2) == HM_OK);
    CHECK(hm_history_watch(&s.history, &s.map, sizeof s.map) == HM_OK);
    CHECK(hm_history_watch(&s.history, &s.map, 2) == HM_OK);
    end(&s);
}

TEST(history, more_bytes_than_can_be_numbered_are_refused)
{
    scene s;
    begin(&s);
    uintptr_t far = UINTPTR_MAX / 4 * 2; /* where no system has memory */
    if (sizeof far > 4) {                /* With fewer bits all can be numbered. */
        CHECK(hm_history_watch(&s.history, (void *)far, UINTPTR_MAX / 4) == HM_ERROR_FULL);
        CHECK(mentions("hm_history_watch: ") && mentions(" bytes are too many"));
    }
    end(&s);
}

TEST(history, bytes_that_are_watched_again_with_more_are_forgotten_together)
{
    static unsigned char state[3000];
    scene s;
    begin(&s);
    CHECK(hm_history_watch(&s.history, state, 1000) == HM_OK);
    CHECK(hm_history_watch(&s.history, state, sizeof state) == HM_OK);
    uint64_t zeros = take_mark(&s);
    CHECK(hm_history_watch(&s.history, state + 2000, 1) == HM_OK);
    CHECK(hm_history_unwatch(&s.history, state + 2000));
    memset(state, 2, sizeof state);
    rewind_to(&s, zeros);
    CHECK(state[0] == 0 && state[2000] == 0 && state[2999] == 0);
    CHECK(hm_history_unwatch(&s.history, state));
    memset(state, 3, sizeof state);
    rewind_to(&s, zeros);
    CHECK(state[0] == 3 && state[2000] == 3 && state[2999] == 3);
    end(&s);
}

/* Three arrays, each of which has another value at each moment. */
enum { WATCHED = 3, WATCHED_SIZE = 5000 };
static unsigned char watched[WATCHED][WATCHED_SIZE];

static unsigned char watched_at(int moment, int i)
{
    return (unsigned char)(1 + moment * WATCHED + i);
}

static uint64_t mark_watched(scene *s, int moment)
{
    for (int i = 0; i < WATCHED; i++)
        memset(watched[i], watched_at(moment, i), WATCHED_SIZE);
    return take_mark(s);
}

/* The second one is forgotten after a rewind, and later watched again. */
static void forget_second(int back)
{
    scene s;
    uint64_t marks[3];
    begin(&s);
    for (int i = 0; i < WATCHED; i++)
        CHECK(hm_history_watch(&s.history, watched[i], WATCHED_SIZE) == HM_OK);
    for (int m = 0; m < 3; m++) {
        CHECK(m != 1 || insert(&s, ITEMS) == HM_OK);
        marks[m] = mark_watched(&s, m);
    }
    rewind_to(&s, marks[back]);
    CHECK(hm_history_unwatch(&s.history, watched[1]));
    CHECK(hm_history_validate(&s.history) == HM_OK);
    for (int m = 3; m-- > 0;) {
        rewind_to(&s, marks[m]);
        for (int i = 0; i < WATCHED; i++)
            CHECK(test_bytes_are(watched[i], WATCHED_SIZE, watched_at(i == 1 ? back : m, i)));
        CHECK(has(&s, m == 0 ? 0 : ITEMS));
    }
    CHECK(hm_history_watch(&s.history, watched[1], WATCHED_SIZE) == HM_OK);
    for (int m = 1; m < 3; m++) { /* More copies than were taken back, which are used again. */
        CHECK(insert(&s, ITEMS) == HM_OK && insert(&s, ITEMS) == HM_OK);
        marks[m] = mark_watched(&s, m + 2);
    }
    for (int m = 0; m < 3; m++) {
        rewind_to(&s, marks[m]);
        for (int i = 0; i < WATCHED; i++)
            CHECK(test_bytes_are(watched[i], WATCHED_SIZE,
                                 m != 0 ? watched_at(m + 2, i)
                                        : (unsigned char)(i == 1 ? 0 : watched_at(0, i))));
        CHECK(hm_map_count(&s.map) == 2U * ITEMS * (unsigned)m);
        CHECK(hm_map_validate(&s.map) == HM_OK);
    }
    end(&s);
}

TEST(history, what_is_forgotten_while_marks_are_ahead_leaves_the_others_as_they_were)
{
    for (int back = 0; back < 3; back++)
        forget_second(back);
}

/* Checks what validate says of a history in which `field` is `value`, and puts it back. */
#define SAYS_CORRUPT(field, value, sentence)                                                       \
    do {                                                                                           \
        const uint64_t kept = (field);                                                             \
        (field) = (value);                                                                         \
        CHECK(hm_history_validate(&s.history) == HM_ERROR_CORRUPT && mentions(sentence));          \
        (field) = (uint32_t)kept;                                                                  \
        CHECK(hm_history_validate(&s.history) == HM_OK);                                           \
    } while (0)

TEST(history, validate_sees_each_broken_invariant)
{
    scene s;
    begin(&s);
    CHECK(insert(&s, ITEMS) == HM_OK);
    (void)take_mark(&s);
    hm_map_clear(&s.map);
    (void)take_mark(&s);
    hm_history_unit *page = hm_history_page(&s.history, 0);
    while (page->range < 2)
        page++;
    SAYS_CORRUPT(page[1].range, 1, " is in two ranges");
    SAYS_CORRUPT(page[0].range, 0, " has no memory");
    SAYS_CORRUPT(page[0].bits, 0, " has no memory");
    SAYS_CORRUPT(page[0].range, s.history.page_end, "copies are kept of");
    SAYS_CORRUPT(s.history.copies, 0, "copies are kept of 0");
    SAYS_CORRUPT(hm_history_log_at(&s.history, 1)->mark, 1,
                 "hm_history_validate: mark 1 is not above");
    end(&s);
}

DEATH_TEST(history, an_end_before_that_of_its_containers_panics)
{
    static scene s;
    test_expect_panic_of("watch.c",
                         "hm_history_fini: the map 'map' still uses the history: finish it first");
    begin(&s);
    hm_history_fini(&s.history);
}

DEATH_TEST(history, a_release_of_another_size_panics)
{
    static scene s;
    begin(&s);
    void *range = s.history.table.reserve(&s.history, 2 * s.history.table.page_size);
    test_expect_panic_of("space.c", "hm_history: a release of another size");
    s.history.table.release(&s.history, range, s.history.table.page_size);
}

/* Memory */

TEST(history, works_over_every_table)
{
    const hm_memory *const parents[] = {hm_memory_os(), hm_memory_heap(), hm_memory_os_huge()};
    hm_memory small = *hm_memory_heap();
    small.page_size = 8;
    for (size_t i = 0; i < 4; i++) {
        scene s;
        CHECK(begin_scene(&s, i < 3 ? parents[i] : &small, HM_HISTORY_COMPARE) == HM_OK);
        uint64_t before = take_mark(&s);
        CHECK(insert(&s, ITEMS) == HM_OK);
        uint64_t after = take_mark(&s);
        rewind_to(&s, before);
        rewind_to(&s, after);
        CHECK(has(&s, ITEMS));
        end(&s);
    }
}

/* Returns the status of the first call that is refused; then all is as it was before that call.
 * `was_refused`: whether a call for memory was, if only one that the map does without. */
static hm_status run_scene(scene *s, test_memory *memory, bool *was_refused)
{
    *was_refused = true;
    CHECK(insert(s, 10) == HM_OK);
    uint64_t first = hm_history_mark(&s->history);
    if (first == 0)
        return has(s, 10) ? HM_ERROR_MEMORY : HM_ERROR_CORRUPT;
    hm_handle kept[10];
    memcpy(kept, s->handles, sizeof kept);
    hm_status status = insert(s, ITEMS);
    if (status == HM_OK && hm_history_mark(&s->history) == 0)
        status = HM_ERROR_MEMORY;
    uint32_t count = hm_map_count(&s->map);
    if (status == HM_OK) {
        hm_map_clear(&s->map);
        (void)hm_map_trim(&s->map); /* Refused, it only keeps its memory. */
        status = hm_history_rewind(&s->history, first);
        CHECK(status == HM_OK || hm_map_count(&s->map) == 0);
        count = hm_map_count(&s->map);
    }
    CHECK(hm_map_validate(&s->map) == HM_OK && hm_history_validate(&s->history) == HM_OK);
    CHECK(hm_map_count(&s->map) == count);
    *was_refused = test_memory_refused(memory);
    test_memory_fail(memory, 0, false);
    memcpy(s->handles, kept, sizeof kept);
    rewind_to(s, first); /* The mark is as it was, whatever was refused. */
    CHECK(has(s, 10));
    return status;
}

TEST(history, memory_that_is_refused_leaves_the_state_and_all_marks)
{
    static scene s;
    bool was_refused = true;
    for (uint32_t k = 1; was_refused; k = test_next_call(k)) {
        test_memory memory;
        test_memory_init_with_holes(&memory, test_page_size(4096));
        test_memory_fail(&memory, k, k % 2 == 0);
        if (begin_scene(&s, &memory.table, HM_HISTORY_AUTO) == HM_OK &&
            hm_map_reserve(&s.map, 10) == HM_OK) {
            hm_status status = run_scene(&s, &memory, &was_refused);
            CHECK(status == HM_OK || (status == HM_ERROR_MEMORY && was_refused));
        }
        test_memory_fail(&memory, 0, false);
        hm_map_fini(&s.map);
        hm_history_fini(&s.history);
        test_memory_check_released(&memory);
    }
}

static bool (*decommit_whole)(void *context, void *address, size_t size);
static size_t decommit_most; /* bytes */

static bool decommit_at_most(void *context, void *address, size_t size)
{
    return size <= decommit_most && decommit_whole(context, address, size);
}

TEST(history, items_come_back_where_the_parent_gives_back_single_pages_only)
{
    test_memory memory;
    scene s;
    test_memory_init_with_holes(&memory, test_page_size(4096));
    decommit_whole = memory.table.decommit;
    memory.table.decommit = decommit_at_most;
    decommit_most = memory.table.page_size;
    CHECK(begin_scene(&s, &memory.table, HM_HISTORY_AUTO) == HM_OK);
    CHECK(insert(&s, ITEMS) == HM_OK);
    uint64_t full = take_mark(&s);
    hm_map_fini(&s.map);
    uint64_t empty = take_mark(&s);
    rewind_to(&s, full);
    CHECK(has(&s, ITEMS));
    hm_map_fini(&s.map);
    rewind_to(&s, full);
    CHECK(has(&s, ITEMS));
    rewind_to(&s, empty);
    CHECK(hm_map_count(&s.map) == 0);
    rewind_to(&s, full);
    CHECK(has(&s, ITEMS));
    end(&s);
    test_memory_check_released(&memory);
}

TEST(history, more_than_the_range_has_is_refused)
{
    scene s;
    begin(&s);
    const hm_memory *table = &s.history.table;
    CHECK(table->reserve(table->context, ((size_t)1 << 24) + 1) == NULL);
    CHECK(table->reserve(table->context, (size_t)1 << 24) == NULL);
    void *most = table->reserve(table->context, (size_t)1 << 23);
    CHECK(most != NULL && table->reserve(table->context, (size_t)1 << 23) == NULL);
    table->release(table->context, most, (size_t)1 << 23);
    CHECK(table->reserve(table->context, (size_t)1 << 23) == most);
    table->release(table->context, most, (size_t)1 << 23);
    end(&s);
}

/* The system */

#if !defined(_WIN32) && !defined(__wasm__)

/* The child's marks must not change what the parent's system watches. */
TEST(history, a_child_process_has_a_history_of_its_own)
{
    static scene s;
    begin(&s);
    CHECK(insert(&s, ITEMS) == HM_OK);
    uint64_t full = take_mark(&s);
    hm_map_clear(&s.map);
    pid_t child = fork();
    if (child == 0) {
        bool is_right = !hm_handle_is_null(hm_map_insert(&s.map, NULL)) &&
                        hm_history_mark(&s.history) == full + 1 &&
                        hm_history_rewind(&s.history, full) == HM_OK && has(&s, ITEMS) &&
                        hm_history_get_stats(&s.history).method == HM_HISTORY_COMPARE;
        _Exit(is_right ? 0 : 1);
    }
    int status = 0;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    CHECK(hm_map_count(&s.map) == 0);
    rewind_to(&s, full);
    CHECK(has(&s, ITEMS));
    end(&s);
}

TEST(history, what_the_system_reads_into_a_container_is_found)
{
    static scene s;
    begin(&s);
    CHECK(insert(&s, ITEMS) == HM_OK);
    uint64_t full = take_mark(&s);
    int file = open("/dev/zero", O_RDONLY);
    CHECK(file >= 0 && read(file, hm_map_get(&s.map, s.handles[5]), 40) == 40);
    (void)close(file);
    CHECK(!has(&s, ITEMS));
    rewind_to(&s, full);
    CHECK(has(&s, ITEMS));
    end(&s);
}

TEST(history, a_mark_is_refused_when_the_system_does_not_tell_what_was_written)
{
    static scene s;
    begin(&s);
    CHECK(insert(&s, ITEMS) == HM_OK);
    uint64_t full = take_mark(&s);
    /* Under AddressSanitizer pages are compared all the same. */
    if (hm_history_get_stats(&s.history).method == HM_HISTORY_TRACK && !hm_memory_poisons()) {
        int kept = dup(s.history.files[1]);
        CHECK(kept >= 0 && close(s.history.files[1]) == 0);
        memset(hm_map_get(&s.map, s.handles[7]), 99, 40);
        CHECK(hm_history_mark(&s.history) == 0);
        CHECK(says("history: the system does not tell what was written"));
        CHECK(hm_history_rewind(&s.history, full) == HM_ERROR_MEMORY);
        CHECK(dup2(kept, s.history.files[1]) >= 0 && close(kept) == 0);
    }
    rewind_to(&s, full);
    CHECK(has(&s, ITEMS));
    end(&s);
}

#endif
