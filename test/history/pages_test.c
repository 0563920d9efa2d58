/* SPDX-License-Identifier: MIT */
/* History: its table without a container, whose memory, or the system's, is refused. */
#include "../../src/memory/poison_private.h"

#include "../support/layout.h"
#include "../support/memory.h"

#include <handle_map/history.h>

#include <stdlib.h>
#include <string.h>
#if !defined(_WIN32) && !defined(__wasm__)
#include <sys/resource.h>
#include <unistd.h>
#endif
#if defined(__linux__) && defined(__has_include)
/* Debian's 32-bit compiler comes without asm/, which the others include. */
#if __has_include(<asm/types.h>) && __has_include(<linux/seccomp.h>) && \
    __has_include(<linux/userfaultfd.h>)
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif
#endif

/* A history without a container, whose pages have changed in halves between three marks. */
typedef struct field {
    test_memory memory;
    hm_history history;
    unsigned char *bytes;
    size_t half;
    unsigned char *state; /* STATE_SIZE bytes of the heap, to watch */
    uint64_t marks[3];
} field;

/* So many pages that a list of their changes outgrows its first memory, unlike one of a half. */
enum { MANY = 1900, STATE_SIZE = MANY * 4096 /* bytes */ };

static void begin_field(field *f, bool is_of_system)
{
    test_memory_init_with_holes(&f->memory, test_page_size(4096));
    f->half = MANY / 2 * f->memory.table.page_size;
    const hm_history_desc desc = {.size = 2 * f->half,
                                  .memory = is_of_system ? NULL : &f->memory.table};
    CHECK(hm_history_init(&f->history, &desc) == HM_OK);
    const hm_memory *table = &f->history.table;
    f->bytes = table->reserve(table->context, 2 * f->half);
    f->state = calloc(1, STATE_SIZE);
    CHECK(f->bytes != NULL && f->state != NULL &&
          (f->marks[0] = hm_history_mark(&f->history)) != 0);
    for (int i = 0; i < 2; i++) {
        CHECK(table->commit(table->context, f->bytes + (size_t)i * f->half, f->half));
        memset(f->bytes + (size_t)i * f->half, 1 + i, f->half);
        CHECK((f->marks[1 + i] = hm_history_mark(&f->history)) != 0);
    }
}

/* Rewinds to the last mark, compares all pages, and ends the field. */
static void end_field(field *f)
{
    const hm_memory *table = &f->history.table;
    CHECK(hm_history_validate(&f->history) == HM_OK);
    CHECK(hm_history_rewind(&f->history, f->marks[2]) == HM_OK);
    for (size_t i = 0; i < 2 * f->half; i += table->page_size)
        CHECK(f->bytes[i] == (i < f->half ? 1 : 2));
    CHECK(hm_history_validate(&f->history) == HM_OK);
    table->release(table->context, f->bytes, 2 * f->half);
    hm_history_fini(&f->history);
    free(f->state);
    test_memory_check_released(&f->memory);
}

/* What happens since the last mark; then, whether a mark is taken before the rewind to the first,
 * or, of the pages of the second half, to the last. */
enum { WRITE = 1, COMMIT_AGAIN = 2, DECOMMIT = 4, WATCH = 8, MARK = 16 };
static const uint32_t field_ways[] = {
    0, WRITE, WRITE | MARK, COMMIT_AGAIN | MARK, WATCH | MARK, DECOMMIT};

static void prepare_field(field *f, uint32_t way)
{
    const hm_memory *table = &f->history.table;
    if ((way & WRITE) != 0)
        memset(f->bytes, 3, 2 * f->half);
    if ((way & COMMIT_AGAIN) != 0) {
        CHECK(table->decommit(table->context, f->bytes, 2 * f->half));
        CHECK(table->commit(table->context, f->bytes, 2 * f->half));
    }
    if ((way & DECOMMIT) != 0)
        CHECK(table->decommit(table->context, f->bytes + f->half, 2 * table->page_size));
}

/* Refused, it leaves all as it was. */
static hm_status run_field(field *f, uint32_t way)
{
    unsigned char first = f->bytes[0], last = f->bytes[2 * f->half - 1];
    hm_status status = HM_OK;
    memset(f->state, 1, STATE_SIZE);
    if ((way & WATCH) != 0)
        status = hm_history_watch(&f->history, f->state, STATE_SIZE);
    if (status == HM_OK && (way & MARK) != 0 && hm_history_mark(&f->history) == 0)
        status = HM_ERROR_MEMORY;
    if (status == HM_OK)
        status = hm_history_rewind(&f->history, f->marks[(way & DECOMMIT) != 0 ? 2 : 0]);
    CHECK(status == HM_OK || (f->bytes[0] == first && f->bytes[2 * f->half - 1] == last));
    return status;
}

TEST(history, many_changes_are_refused_without_memory_and_found_later)
{
    for (size_t i = 0; i < sizeof field_ways / sizeof *field_ways; i++) {
        bool was_refused = true;
        /* Beyond the first calls each is for a page of its own, and they are alike. */
        for (uint32_t k = 1; was_refused; k += k < 4 ? 1 : test_scale()) {
            field f;
            begin_field(&f, false);
            prepare_field(&f, field_ways[i]);
            test_memory_fail(&f.memory, k, true);
            hm_status status = run_field(&f, field_ways[i]);
            was_refused = status != HM_OK;
            CHECK(!was_refused || (status == HM_ERROR_MEMORY && test_memory_refused(&f.memory)));
            test_memory_fail(&f.memory, 0, false);
            end_field(&f);
        }
    }
}

/* Refused while it lists what has changed, and while it makes copies. */
TEST(history, a_mark_that_is_refused_leaves_the_marks_ahead)
{
    field f;
    begin_field(&f, false);
    memset(f.state, 0, STATE_SIZE);
    CHECK(hm_history_watch(&f.history, f.state, STATE_SIZE) == HM_OK);
    bool was_refused = true;
    for (uint32_t k = 1; was_refused; k = test_next_call(k)) {
        CHECK(hm_history_rewind(&f.history, f.marks[1]) == HM_OK);
        memset(f.state, 1, STATE_SIZE);
        test_memory_fail(&f.memory, k, true);
        was_refused = hm_history_mark(&f.history) == 0;
        CHECK(!was_refused || test_memory_refused(&f.memory));
        CHECK(was_refused || k > 2);
        test_memory_fail(&f.memory, 0, false);
        memset(f.state, 0, STATE_SIZE);
        hm_status status = hm_history_rewind(&f.history, f.marks[2]);
        CHECK(status == (was_refused ? HM_OK : HM_ERROR_STALE));
    }
    CHECK(hm_history_validate(&f.history) == HM_OK);
    const hm_memory *table = &f.history.table;
    table->release(table->context, f.bytes, 2 * f.half);
    hm_history_fini(&f.history);
    free(f.state);
    test_memory_check_released(&f.memory);
}

TEST(history, many_reservations_are_refused_without_memory_and_found_later)
{
    static void *ranges[MANY];
    test_memory memory;
    hm_history history;
    test_memory_init_with_holes(&memory, test_page_size(4096));
    const size_t page = memory.table.page_size;
    const hm_history_desc desc = {.size = MANY * page, .memory = &memory.table};
    CHECK(hm_history_init(&history, &desc) == HM_OK);
    const hm_memory *table = &history.table;
    for (int round = 0; round < 2; round++) {
        uint64_t before = hm_history_mark(&history);
        CHECK(before != 0);
        for (int i = 0; i < MANY; i++)
            CHECK((ranges[i] = table->reserve(table->context, page)) != NULL);
        for (int i = 0; i < MANY && round == 1; i++) /* Then nothing has changed. */
            table->release(table->context, ranges[i], page);
        bool was_refused = true;
        for (uint32_t k = 1; was_refused; k = test_next_call(k)) {
            test_memory_fail(&memory, k, true);
            was_refused = hm_history_mark(&history) == 0;
            CHECK(!was_refused || test_memory_refused(&memory));
            test_memory_fail(&memory, 0, false);
            CHECK(hm_history_validate(&history) == HM_OK);
        }
        /* Then there are addresses for the next round. */
        CHECK(hm_history_rewind(&history, before) == HM_OK);
        CHECK(hm_history_validate(&history) == HM_OK);
    }
    hm_history_fini(&history);
    test_memory_check_released(&memory);
}

TEST(history, a_reservation_that_the_parent_refuses_changes_nothing)
{
    const uint64_t pages = 33000; /* more than any list of them has room for at first */
    void *range = NULL;
    for (uint32_t k = 1; range == NULL; k++) {
        test_memory memory;
        hm_history history;
        test_memory_init_with_holes(&memory, test_page_size(4096));
        const uint64_t both = 2 * pages * memory.table.page_size; /* may not fit in size_t */
        if (!test_has_addresses(both, "a reservation of many pages"))
            return;
        const hm_history_desc desc = {.size = (size_t)both, .memory = &memory.table};
        CHECK(hm_history_init(&history, &desc) == HM_OK);
        const hm_memory *table = &history.table;
        size_t size = (size_t)both / 2;
        test_memory_fail(&memory, k, false);
        range = table->reserve(table->context, size);
        CHECK((range == NULL) == test_memory_refused(&memory));
        test_memory_fail(&memory, 0, false);
        CHECK(hm_history_validate(&history) == HM_OK);
        void *next = table->reserve(table->context, size);
        CHECK(next != NULL && next != range);
        table->release(table->context, next, size);
        if (range != NULL)
            table->release(table->context, range, size);
        hm_history_fini(&history);
        test_memory_check_released(&memory);
    }
}

/* A rewind gives pages back one by one. */
TEST(history, a_page_that_the_parent_keeps_among_others_is_zero_when_all_are_committed_again)
{
    field f;
    begin_field(&f, false);
    const hm_memory *table = &f.history.table;
    CHECK(hm_history_rewind(&f.history, f.marks[0]) == HM_OK);
    CHECK(hm_history_rewind(&f.history, f.marks[1]) == HM_OK && test_bytes_are(f.bytes, f.half, 1));
    test_memory_fail(&f.memory, 2, false);
    CHECK(hm_history_rewind(&f.history, f.marks[0]) == HM_OK && test_memory_refused(&f.memory));
    test_memory_fail(&f.memory, 0, false);
    CHECK(table->commit(table->context, f.bytes, f.half) && test_bytes_are(f.bytes, f.half, 0));
    CHECK(hm_history_mark(&f.history) != 0);
    CHECK(hm_history_validate(&f.history) == HM_OK);
    table->release(table->context, f.bytes, 2 * f.half);
    hm_history_fini(&f.history);
    free(f.state);
    test_memory_check_released(&f.memory);
}

TEST(history, memory_that_the_parent_keeps_is_zero_when_it_is_committed_again)
{
    test_memory memory;
    hm_history history;
    test_memory_init_with_holes(&memory, test_page_size(4096));
    CHECK(hm_history_init(&history, &(hm_history_desc){.memory = &memory.table}) == HM_OK);
    const hm_memory *table = &history.table;
    size_t size = 4 * table->page_size;
    unsigned char *range = table->reserve(table->context, size);
    CHECK(range != NULL && table->commit(table->context, range, size));
    memset(range, 1, size);
    test_memory_fail(&memory, 1, true);
    CHECK(!table->decommit(table->context, range, size) && range[0] == 1);
    table->release(table->context, range, size);
    CHECK(test_memory_refused(&memory));
    CHECK(table->reserve(table->context, size) == range);
    CHECK(table->commit(table->context, range, size)); /* The parent need not be asked. */
    for (size_t i = 0; i < size; i++)
        CHECK(range[i] == 0);
    table->release(table->context, range, size);
    hm_history_fini(&history);
    test_memory_check_released(&memory);
}

/* The system */

#if !defined(_WIN32) && !defined(__wasm__)

/* Returns the limit as it was, which puts it back. */
static struct rlimit set_limit(int resource, rlim_t limit)
{
    struct rlimit before, least;
    CHECK(getrlimit(resource, &before) == 0);
    least = before;
    least.rlim_cur = limit;
    CHECK(setrlimit(resource, &least) == 0);
    return before;
}

TEST(history, many_changes_are_refused_where_the_system_has_no_memory)
{
    if (TEST_HAS_SANITIZER) {
        test_leave_out("changes under a limit of memory, which a sanitizer needs itself");
        return;
    }
    const hm_memory *memory = hm_memory_os();
    size_t refused = 0, limited = 0, size = 64 * memory->page_size;
    void *probe = memory->reserve(memory->context, size);
    CHECK(probe != NULL);
    for (size_t i = 0; i < sizeof field_ways / sizeof *field_ways; i++) {
        field f;
        begin_field(&f, true);
        prepare_field(&f, field_ways[i]);
        struct rlimit before = set_limit(RLIMIT_DATA, memory->page_size);
        hm_status status = run_field(&f, field_ways[i]);
        limited += !memory->commit(memory->context, probe, size);
        CHECK(setrlimit(RLIMIT_DATA, &before) == 0);
        CHECK(status == HM_OK || status == HM_ERROR_MEMORY);
        refused += status != HM_OK;
        end_field(&f);
    }
    CHECK(limited == 0 || refused > 0); /* Emulators only pretend to set a limit. */
    memory->release(memory->context, probe, size);
}

TEST(history, where_the_system_has_no_files_for_it_it_compares)
{
    hm_history history;
    int next = dup(0);
    CHECK(next >= 0 && close(next) == 0);
    for (int more = 0; more < 2; more++) {
        struct rlimit before = set_limit(RLIMIT_NOFILE, (rlim_t)next + (rlim_t)more);
        hm_status status = hm_history_init(&history, &(hm_history_desc){.marks = 2});
        CHECK(setrlimit(RLIMIT_NOFILE, &before) == 0);
        CHECK(status == HM_OK);
        CHECK(hm_history_get_stats(&history).method == HM_HISTORY_COMPARE);
        hm_history_fini(&history);
        CHECK(dup(0) == next && close(next) == 0); /* None is left open. */
    }
}

#ifdef SECCOMP_MODE_FILTER

/* From now on the system refuses this request of ioctl. False: it cannot be told to. */
static bool forbid(unsigned long request)
{
    const uint16_t one = 1;
    const uint32_t low = *(const unsigned char *)&one == 1 ? 0 : 4; /* of 8 bytes */
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1]) + low),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)request, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_fprog program = {sizeof code / sizeof *code, code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

static void compare_without(unsigned long request)
{
    hm_history history;
    int next = dup(0);
    CHECK(next >= 0 && close(next) == 0);
    if (!forbid(request)) {
        test_leave_out("a system that refuses a request");
        return;
    }
    CHECK(hm_history_init(&history, &(hm_history_desc){.marks = 2}) == HM_OK);
    CHECK(hm_history_get_stats(&history).method == HM_HISTORY_COMPARE);
    hm_history_fini(&history);
    CHECK(dup(0) == next && close(next) == 0); /* None is left open. */
}

TEST(history, where_the_system_has_no_such_way_to_tell_it_compares)
{
    compare_without(UFFDIO_API);
}

TEST(history, where_the_system_does_not_tell_of_a_range_it_compares)
{
    compare_without(UFFDIO_REGISTER);
}

TEST(history, where_the_system_does_not_list_what_is_written_it_compares)
{
    compare_without(_IOWR('f', 16, uint64_t[12]));
}

#endif

#endif

DEATH_TEST(history, an_end_while_its_first_page_is_in_use_panics)
{
    static hm_history history;
    CHECK(hm_history_init(&history, &(hm_history_desc){.marks = 1}) == HM_OK);
    const hm_memory *table = &history.table;
    CHECK(table->reserve(table->context, table->page_size) != NULL);
    test_expect_panic_of("history.c", "hm_history_fini: memory of the history is in use");
    hm_history_fini(&history);
}

#ifdef HM_HAS_POISON
/* A stale pointer of before the rewind is found as it was at the mark. */
TEST(history, a_rewind_marks_the_bytes_that_were_poisoned_at_the_mark_and_no_others)
{
    enum { GRANULE = 8 }; /* bytes that the sanitizer marks together */
    hm_history history;
    CHECK(hm_history_init(&history, &(hm_history_desc){.marks = 2}) == HM_OK);
    const hm_memory *table = &history.table;
    size_t size = table->page_size, half = size / 2;
    unsigned char *page = table->reserve(table->context, size);
    CHECK(page != NULL && table->commit(table->context, page, size));
    memset(page, 1, size);
    HM_POISON(page, GRANULE);
    HM_POISON(page + half, size - half);
    uint64_t marked = hm_history_mark(&history);
    HM_UNPOISON(page, size);
    memset(page, 2, size);
    HM_POISON(page + GRANULE, GRANULE);
    CHECK(hm_history_rewind(&history, marked) == HM_OK);
    for (size_t i = 0; i < size && hm_memory_poisons(); i++)
        CHECK((__asan_address_is_poisoned(page + i) != 0) == (i < GRANULE || i >= half));
    HM_UNPOISON(page, size);
    CHECK(page[0] == 1 && page[GRANULE] == 1 && page[size - 1] == 1);
    table->release(table->context, page, size);
    hm_history_fini(&history);
}
#endif
