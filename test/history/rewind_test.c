/* SPDX-License-Identifier: MIT */
/* Rewinding a program of random operations over every container (program.h), together with what it
 * knows itself: whatever is done again, its number stays the same. */
#include "../support/memory.h"
#include "../support/program.h"

#include <string.h>

enum { MARKS = 4, REWINDS = 400, STEPS_OF_A_MARK = 60 };

/* What is known of the marks, without looking at the history. */
typedef struct marks {
    struct {
        uint64_t mark, hash;
        uint32_t step;
    } kept[MARKS + 1]; /* in the order of their numbers */
    uint32_t count, current;
    uint64_t last;
} marks;

static void take_mark(marks *known, hm_history *history, const program *p)
{
    if (known->count > 0)
        known->count = known->current + 1;
    known->last++;
    known->kept[known->count].mark = known->last;
    known->kept[known->count].hash = p->hash;
    known->kept[known->count].step = p->step;
    known->count++;
    if (known->count > MARKS) {
        memmove(known->kept, known->kept + 1, sizeof *known->kept * MARKS);
        known->count--;
    }
    known->current = known->count - 1;
    CHECK(hm_history_mark(history) == known->last);
    CHECK(hm_history_get_stats(history).oldest_mark == known->kept[0].mark);
    CHECK(hm_history_get_stats(history).current_mark == known->last);
}

/* To any mark that there ever was, or the next one. `is_clean`: nothing has changed. */
static bool rewind_to(marks *known, hm_history *history, const program *p, uint64_t mark,
                      bool is_clean)
{
    uint32_t i = 0;
    while (i < known->count && known->kept[i].mark != mark)
        i++;
    bool is_kept = i < known->count && (is_clean || i <= known->current);
    CHECK(hm_history_rewind(history, mark) == (is_kept ? HM_OK : HM_ERROR_STALE));
    CHECK(hm_history_validate(history) == HM_OK);
    if (!is_kept)
        return false;
    known->current = i;
    CHECK(p->hash == known->kept[i].hash && p->step == known->kept[i].step);
    return true;
}

static uint64_t any_mark(const marks *known, uint64_t *random)
{
    uint64_t back = test_random_below(random, 2 * MARKS);
    return back <= known->last ? known->last + 1 - back : 0;
}

static void check_rewinds(const hm_memory *parent, hm_history_method method, uint32_t capacity,
                          const char *what)
{
    static program p;
    hm_history history;
    marks known = {.count = 0};
    uint64_t random = test_seed(what);
    uint32_t rewinds = test_scaled(REWINDS);
    uint32_t steps_of_a_mark = STEPS_OF_A_MARK * (1 + test_scale() / 10);
    const hm_history_desc desc = {
        .marks = MARKS, .method = method, .size = (size_t)1 << 28, .memory = parent};
    CHECK(hm_history_init(&history, &desc) == HM_OK);
    CHECK(hm_history_watch(&history, &p, sizeof p) == HM_OK);
    program_begin(&p, &history.table, capacity);
    while (program_step(&p)) {
        if (test_random_below(&random, steps_of_a_mark) == 0)
            take_mark(&known, &history, &p);
        if (rewinds == 0 || test_random_below(&random, steps_of_a_mark) != 0)
            continue;
        rewinds--;
        if (rewind_to(&known, &history, &p, any_mark(&known, &random), false))
            (void)rewind_to(&known, &history, &p, any_mark(&known, &random), true);
    }
    program_end(&p);
    CHECK(hm_history_unwatch(&history, &p));
    CHECK(hm_history_validate(&history) == HM_OK);
    hm_history_fini(&history);
}

TEST(history, a_program_that_is_rewound_gives_the_same_number)
{
    check_rewinds(hm_memory_os(), HM_HISTORY_AUTO, 0, "history");
}

TEST(history, a_program_that_is_rewound_by_comparing_gives_the_same_number)
{
    test_memory memory;
    test_memory_init_with_holes(&memory, test_page_size(4096));
    check_rewinds(&memory.table, HM_HISTORY_COMPARE, 0, "history, comparing");
    test_memory_check_released(&memory);
}
