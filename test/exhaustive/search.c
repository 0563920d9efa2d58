/* SPDX-License-Identifier: MIT */
/* The exhaustive search: every state that a small container can reach, by every operation
 * with every argument, with and without each of its memory calls refused.
 *
 * The library is the real source, narrowed at build time: a generation has 2 bits, so that a slot
 * retires after 3 items, and an array commits a page of 8 or 16 bytes at a time. With both limits,
 * bringing items into order stops after 4 entries of other work, so that it stops in every phase;
 * it lifts everything at the first misfit, or never if it orders by both; it sorts three items by
 * the bits of their keys, and gives back scratch memory above 64 bytes. Marks that are skipped by
 * words, clean items that the scan drops, and merging from both ends need more items than a small
 * space has. A pool has pages and blocks of few items, growing blocks begin with one, all blocks
 * collide in the hash table of their addresses, and in the spaces of words the slots that change
 * are where one word of 64 bits ends and the next begins. The sparse column of a secondary has
 * pieces of one page, 2 or 4 slots, so that the last one is never shorter than the others. A cache
 * line of a table has 8 bytes, so that every second whole column begins behind its page's start.
 * The range of lists has few units, so that it is used up, and defragment looks at few blocks in a
 * call. The search is breadth first, from the empty container until no step leads to a new state.
 * So what holds in every state and at every step holds always, for a container of this size; and
 * the first violation that is found has a shortest script of operations, which is printed.
 *
 * In each state the container is saved as well, and loaded into a new one. From this copy every
 * step must lead to where it leads from the state: to the same bytes of a save, the same answers
 * and as many compares. States that have the same file and go on alike share a copy. Those that
 * know of an order have none, since no file has that; each can forget it, by touch_all. Neither
 * have worlds with more spare chunks than a file tells of, since what was reserved is not promised;
 * nor are calls of a copy refused memory.
 *
 *     exhaustive          the fast spaces, which take seconds
 *     exhaustive all      the slow spaces as well
 *     exhaustive NAME...  those spaces
 *
 * A state is identified by a hash of 64 bits. The probability that two of n states collide, and one
 * of them is not explored, is n^2 / 2^65: for 10,000,000 states 3 in a million. */
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif

#include "subject.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#if !defined(_WIN32)
#include <sys/time.h>
#endif

enum { STATE_SECONDS = 20 /* for all steps from a state; they take less than a millisecond */ };

#define GOAL(name) (1u << SPACE_##name)
#define ARRANGEMENTS (GOAL(LAST_FIRST) | GOAL(SOME_FIRST) | GOAL(FIRST_FIRST))
#define ALL (GOAL(BY_KEY) | GOAL(BY_COMPARE) | GOAL(BY_BOTH) | ARRANGEMENTS)
#define FULL .spent_lives = 2, .full = true

static const space_config map_spaces[] = {
    {"one", 1, 2, 8, 3, 0, .keys = 1, .adopts = true},
    {"pages", 2, 4, 16, 9, 2, .keys = 1},
    {"hooks", 2, 3, 8, 5, 3, .keys = 1, .hooks = true},
    {"order", 2, 2, 16, 4, 0, .keys = 3, .goals = GOAL(BY_BOTH), .spent_lives = 2},
    {"compare", 2, 2, 16, 4, 0, .keys = 2, .goals = GOAL(BY_COMPARE), FULL},
    {"flight", 3, 3, 16, 4, 0, .keys = 1, .goals = GOAL(LAST_FIRST), FULL},
    {"two", 2, 3, 8, 5, 2, .keys = 1, .slow = true, .adopts = true},
    {"three", 3, 3, 8, 4, 0, .keys = 1, .slow = true},
    {"threefour", 3, 4, 16, 5, 1, .keys = 1, .slow = true},
    {"four", 4, 4, 16, 4, 0, .keys = 1, .slow = true},
    {"five", 2, 5, 16, 4, 0, .keys = 1, .slow = true},
    {"goals2", 2, 2, 16, 4, 1, .keys = 2, .goals = ALL, .spent_lives = 2, .hooks = true,
     .slow = true},
    {"key3", 3, 3, 16, 4, 0, .keys = 2, .goals = GOAL(BY_KEY), FULL, .slow = true},
    {"compare3", 3, 3, 16, 4, 0, .keys = 3, .goals = GOAL(BY_COMPARE), FULL, .slow = true},
    {"both3", 3, 3, 16, 4, 0, .keys = 2, .goals = GOAL(BY_BOTH), FULL, .slow = true},
    {"arrange3", 3, 3, 16, 4, 0, .keys = 1, .goals = ARRANGEMENTS, .spent_lives = 2, .slow = true},
    {"arrange4", 4, 4, 16, 4, 0, .keys = 1, .goals = GOAL(SOME_FIRST), FULL, .slow = true},
};

#define RANGE .storage = HM_STORAGE_VIRTUAL
#define BLOCKS(kind) .storage = HM_STORAGE_##kind##_BLOCKS

static const space_config pool_spaces[] = {
    {"range", 3, 4, 8, 5, 0, RANGE, .adopts = true},
    {"wide", 3, 3, 8, 12, 0, RANGE, .hooks = true, .adopts = true},
    {"blocks", 3, 4, 8, 9, 0, BLOCKS(FIXED), .block_size = 8, .adopts = true},
    {"cells", 5, 5, 8, 14, 0, BLOCKS(FIXED), .block_size = 56, .spent_lives = 1},
    {"pieces", 3, 4, 8, 16, 0, BLOCKS(FIXED), .block_size = 8, .spent_lives = 1},
    {"growing", 3, 4, 8, 4, 0, BLOCKS(GROWING), .hooks = true, .adopts = true},
    {"words", 65, 65, 16, 4, 0, RANGE, .settled = 62, .adopts = true},
    {"fixwords", 65, 65, 16, 4, 0, BLOCKS(FIXED), .block_size = 128, .settled = 62, .adopts = true},
    {"growwords", 65, 65, 16, 4, 0, BLOCKS(GROWING), .settled = 62, .adopts = true},
    {"range5", 5, 5, 8, 5, 0, RANGE, .slow = true},
    {"range6", 6, 6, 8, 3, 0, RANGE, .spent_lives = 1, .slow = true},
    {"wide5", 5, 5, 8, 12, 0, RANGE, .hooks = true, .slow = true},
    {"blocks5", 5, 5, 8, 7, 0, BLOCKS(FIXED), .block_size = 8, .slow = true},
    {"blocks6", 6, 6, 8, 9, 0, BLOCKS(FIXED), .block_size = 8, .spent_lives = 1, .hooks = true,
     .slow = true},
    {"pieces5", 4, 5, 8, 16, 0, BLOCKS(FIXED), .block_size = 8, .spent_lives = 1, .slow = true},
    {"growing5", 5, 5, 8, 4, 0, BLOCKS(GROWING), .slow = true},
    {"growing6", 6, 6, 8, 5, 0, BLOCKS(GROWING), .spent_lives = 1, .hooks = true, .slow = true},
    {"words67", 66, 67, 16, 4, 0, RANGE, .settled = 62, .slow = true},
    {"fixwords67", 67, 67, 16, 4, 0, BLOCKS(FIXED), .block_size = 128, .settled = 62, .slow = true},
    {"growwords67", 67, 67, 16, 4, 0, BLOCKS(GROWING), .settled = 62, .slow = true},
};

#define EVERY (GOAL(BY_KEY) | GOAL(BY_COMPARE) | GOAL(LAST_FIRST) | GOAL(SOME_FIRST))

static const space_config secondary_spaces[] = {
    {"owners", 2, 3, 8, 4, 0, .keys = 1},
    {"sparse", 3, 5, 8, 5, 0, .keys = 1, .spent_lives = 1, .hooks = true},
    {"wideparts", 2, 6, 16, 12, 0, .keys = 1, .spent_lives = 1},
    {"bykey", 2, 2, 8, 4, 0, .keys = 2, .goals = GOAL(BY_KEY), .spent_lives = 1},
    {"bycompare", 2, 3, 8, 4, 0, .keys = 2, .goals = GOAL(BY_COMPARE), FULL},
    {"bynames", 2, 3, 8, 4, 0, .keys = 1, .goals = GOAL(LAST_FIRST), .spent_lives = 1},
    {"owners4", 4, 4, 8, 4, 0, .keys = 1, .hooks = true, .slow = true},
    {"sparse3", 3, 6, 8, 9, 0, .keys = 1, .slow = true},
    {"goals", 2, 2, 8, 4, 0, .keys = 2, .goals = EVERY, .spent_lives = 1, .hooks = true,
     .slow = true},
    {"bykey3", 3, 3, 16, 4, 0, .keys = 2, .goals = GOAL(BY_KEY), FULL, .slow = true},
    {"bycompare3", 3, 3, 16, 4, 0, .keys = 2, .goals = GOAL(BY_COMPARE), FULL, .slow = true},
    {"bynames3", 3, 3, 8, 4, 0, .keys = 1, .goals = GOAL(LAST_FIRST), .spent_lives = 1,
     .slow = true},
    {"somenames", 3, 4, 16, 4, 0, .keys = 1, .goals = GOAL(SOME_FIRST), FULL, .slow = true},
};

#define BOTH_COLUMNS (GOAL(BY_KEY) | GOAL(BY_COLUMN))
#define CELLS(lanes_, ...) .lanes = lanes_, .cells = {__VA_ARGS__}

static const space_config table_spaces[] = {
    {"columns", 2, 3, 8, 0, 0, CELLS(0, 4, 2), .keys = 1},
    {"structs", 2, 3, 8, 0, 0, CELLS(1, 1, 4), .keys = 1, .spent_lives = 1},
    {"lanes", 3, 3, 8, 0, 0, CELLS(2, 1, 4), .keys = 1, .spent_lives = 2, .adopts = true},
    {"bycolumn", 2, 2, 8, 0, 0, CELLS(0, 3, 2), .keys = 2, .goals = BOTH_COLUMNS, FULL},
    {"bylanes", 2, 2, 8, 0, 0, CELLS(2, 2, 4), .keys = 2, .goals = GOAL(BY_COMPARE), FULL},
    {"rowsfirst", 3, 3, 16, 0, 0, CELLS(2, 2, 1), .keys = 1, .goals = GOAL(LAST_FIRST), FULL},
    {"columns3", 3, 4, 16, 0, 0, CELLS(0, 4, 4, 2), .keys = 1, .spent_lives = 1, .slow = true},
    {"structs3", 3, 3, 16, 0, 0, CELLS(1, 2, 4, 1), .keys = 1, .slow = true},
    {"lanes3", 3, 3, 8, 0, 0, CELLS(2, 1, 4), .keys = 1, .slow = true},
    {"fourlanes", 5, 5, 16, 0, 0, CELLS(4, 2, 1), .keys = 1, .spent_lives = 2, .slow = true},
    {"structkeys", 2, 2, 16, 0, 0, CELLS(1, 2, 4), .keys = 3, .goals = GOAL(BY_BOTH), FULL,
     .slow = true},
    {"lanekeys", 3, 3, 16, 0, 0, CELLS(2, 2, 1), .keys = 2, .goals = GOAL(BY_KEY), FULL,
     .slow = true},
    {"cellsfirst", 3, 3, 16, 0, 0, CELLS(0, 2, 2), .keys = 1, .goals = GOAL(LAST_FIRST), FULL,
     .slow = true},
    {"somerows", 4, 4, 16, 0, 0, CELLS(2, 2, 1), .keys = 1, .goals = GOAL(SOME_FIRST), FULL,
     .slow = true},
};

#define BUT(name) SPACE_NO_##name
#define MEMORY (BUT(TRIM) | BUT(RESERVE)) /* what changes only memory */
#define STEADY .left_out = MEMORY
#define PARTS(components_, ...) .components = components_, .cells = {__VA_ARGS__}

static const space_config world_spaces[] = {
    {"entities", 2, 2, 64, 0, 0, PARTS("c", 4), .spent_lives = 2},
    {"trio", 3, 3, 64, 0, 0, PARTS("c", 4), .spent_lives = 2, STEADY, .adopts = true},
    {"destroyed", 2, 2, 64, 0, 0, PARTS("CS", 4, 2), .spent_lives = 2, STEADY, .adopts = true},
    {"alone", 1, 1, 64, 0, 0, PARTS("CtS", 4, 0, 2), .spent_lives = 2,
     .left_out = MEMORY | BUT(CHANGE) | BUT(CREATE_N)},
    {"byvalue", 2, 2, 64, 0, 0, PARTS("c", 4), .keys = 2, .goals = 1, FULL,
     .left_out = MEMORY | BUT(CREATE) | BUT(CREATE_N) | BUT(DESTROY_N) | BUT(CHANGE)},
    {"tagged", 1, 1, 64, 0, 0, PARTS("ct", 4, 0), .spent_lives = 2, STEADY, .slow = true},
    {"edges", 1, 1, 64, 0, 0, PARTS("ct", 4, 0), .spent_lives = 2,
     .left_out = BUT(CHANGE) | BUT(CREATE_N) | BUT(RESERVE), .slow = true},
    {"dropped", 2, 2, 64, 0, 0, PARTS("C", 4), .spent_lives = 2, .slow = true},
    {"rowpages", 2, 2, 32, 0, 0, PARTS("c", 4), .spent_lives = 1, .slow = true},
};

#define ITEMS(keys_, max_items_, units_) .keys = keys_, .max_items = max_items_, .units = units_

static const space_config lists_spaces[] = {
    {"lists", 2, 2, 64, 8, 0, ITEMS(1, 3, 10), .spent_lives = 2},
    {"lives", 2, 2, 16, 16, 0, ITEMS(1, 2, 11), .spent_lives = 1, .adopts = true},
    {"values", 2, 2, 64, 5, 0, ITEMS(2, 3, 8), .spent_lives = 2, .adopts = true},
    {"gaps", 2, 2, 16, 12, 0, ITEMS(1, 3, 13), .spent_lives = 2},
    {"large", 2, 2, 64, 40, 0, ITEMS(1, 2, 26), .spent_lives = 2},
    {"lives3", 2, 3, 16, 16, 0, ITEMS(1, 2, 13), .slow = true},
    {"values4", 2, 2, 64, 5, 0, ITEMS(2, 4, 9), .spent_lives = 2, .slow = true},
    {"gaps4", 2, 2, 64, 16, 0, ITEMS(1, 4, 18), .spent_lives = 2, .slow = true},
    {"joins", 3, 3, 64, 16, 0, ITEMS(1, 3, 14), .spent_lives = 2, .slow = true},
    {"joins4", 3, 3, 64, 16, 0, ITEMS(1, 4, 15), .spent_lives = 2, .slow = true},
};

#define WITHOUT_TRIM .left_out = SPACE_NO_TRIM
#define SINGLE .left_out = SPACE_NO_TRIM | SPACE_NO_PAIRS

static const space_config index_spaces[] = {
    {"index", 2, 2, 64, 0, 0, .keys = 1, .units = 16, .spent_lives = 2, WITHOUT_TRIM},
    {"hashed", 1, 2, 16, 0, 0, .keys = 2, .spent_lives = 2, .hashed = true, WITHOUT_TRIM},
    {"trimmed", 1, 2, 16, 0, 0, .keys = 1, .spent_lives = 2},
    {"moves", 2, 2, 64, 0, 0, .keys = 2, .units = 16, .spent_lives = 2, SINGLE, .slow = true},
    {"batches", 2, 2, 64, 0, 0, .keys = 2, .units = 16, .spent_lives = 2, WITHOUT_TRIM,
     .slow = true},
    {"hashed2", 2, 2, 64, 0, 0, .keys = 2, .units = 16, .spent_lives = 2, .hashed = true, SINGLE,
     .slow = true},
    {"indexpages", 2, 2, 16, 0, 0, .keys = 2, .units = 16, .spent_lives = 2, SINGLE, .slow = true},
    {"hashtrim", 1, 2, 16, 0, 0, .keys = 2, .spent_lives = 2, .hashed = true, .slow = true},
};

typedef struct origin {
    uint32_t parent;
    uint16_t action;
    uint16_t refuse; /* the memory call that failed; 0: none */
} origin;

/* The states of one depth: those that are searched, or those that they lead to. */
typedef struct frontier {
    unsigned char *states;
    uint32_t count, capacity;
} frontier;

typedef struct entry {
    uint64_t hash; /* 0: empty */
    uint64_t value;
} entry;

/* By hash: open addressing. */
typedef struct entries {
    entry *all;
    uint64_t capacity, count;
} entries;

static struct {
    const space_kind *kind;
    const space_config *config;
    size_t state_size, hashed_size; /* bytes */
    space_actions list;
    entries known;  /* states; what a loaded copy should have in common with each */
    entries copied; /* that, of states that were compared with a copy; where all steps lead */
    uint64_t
        ends[SPACE_MOST_ACTIONS];  /* where each step leads from the current state; 0: nowhere */
    unsigned char *copy, *reached; /* states */
    origin *origins;               /* by state, in the order of discovery */
    uint32_t origin_capacity;
    uint32_t state_count;
    uint32_t depth;
    uint64_t transitions, refusals, idle;
    origin step;  /* the current one */
    bool is_copy; /* it is one of a loaded copy */
} search;

static void *grow(void *array, size_t item_size, uint32_t *capacity)
{
    *capacity = *capacity == 0 ? 1024 : *capacity * 2;
    array = realloc(array, item_size * *capacity);
    CHECK(array != NULL);
    return array;
}

/* shared by all spaces */

hm_handle space_name(uint32_t slot, uint32_t generation, uint32_t type_id, bool free)
{
    return hm_handle_from_bits((uint64_t)type_id << HM_HANDLE_TYPE_ID_SHIFT |
                               (uint64_t)generation << HM_HANDLE_GENERATION_SHIFT | slot |
                               (free ? HM_HANDLE_FREE_BIT : 0));
}

size_t space_in_pages(const space_config *config, size_t size)
{
    return (size + config->page_size - 1) / config->page_size * config->page_size;
}

uint32_t space_handle_values(const space_config *config)
{
    return (config->max_slots + 2) * SPACE_SLOT_VALUES;
}

hm_handle space_handle_value(uint32_t n)
{
    return space_name(n / SPACE_SLOT_VALUES, n % SPACE_SLOT_VALUES / 4, SPACE_TYPE_ID + n % 2,
                      n / 2 % 2 != 0);
}

/* the script */

static void print_step(const origin *step)
{
    const space_action *action = &search.list.actions[step->action];
    fprintf(stderr, "    %s %lu %lu %lu", search.kind->subject->operations[action->verb].name,
            (unsigned long)action->a, (unsigned long)action->b, (unsigned long)action->c);
    if (step->refuse != 0)
        fprintf(stderr, "; memory call %u is refused", step->refuse);
    fprintf(stderr, "\n");
}

static void print_path(uint32_t state)
{
    if (state == 0)
        return;
    print_path(search.origins[state].parent);
    print_step(&search.origins[state]);
}

void test_fail(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: this does not hold: %s\n", file, line, condition);
    if (search.config != NULL) {
        fprintf(stderr, "state space %s (%s), after %llu transitions; from its first state:\n",
                search.config->name, search.kind->subject->name,
                (unsigned long long)search.transitions);
        if (search.state_count > 0)
            print_path(search.step.parent);
        if (search.is_copy)
            fprintf(stderr, "    (is saved, and loaded into a new one)\n");
        if (search.step.action < search.list.count)
            print_step(&search.step);
    }
    exit(EXIT_FAILURE);
}

static void panicked(const char *file, int line, const char *message)
{
    test_fail(file, line, message);
}

static void crashed(int number)
{
    test_fail(__FILE__, __LINE__, number == SIGSEGV ? "no crash" : "no hang");
}

/* known states */

static uint64_t mix(uint64_t hash, const void *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

/* Combines four independent hashes, which are computed in parallel. */
static uint64_t hash_of(const unsigned char *words)
{
    size_t count = search.hashed_size / sizeof(uint64_t);
    uint64_t a = 0, b = 0, c = 0, d = 0;
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        a = mix(a, words + 8 * i);
        b = mix(b, words + 8 * i + 8);
        c = mix(c, words + 8 * i + 16);
        d = mix(d, words + 8 * i + 24);
    }
    for (; i < count; i++)
        a = mix(a, words + 8 * i);
    uint64_t hash = mix(mix(mix(a, &b), &c), &d);
    return hash != 0 ? hash : 1;
}

/* Returns the entry that has this hash, or the empty one that is to have it. */
static entry *find(const entries *in, uint64_t hash)
{
    uint64_t i = hash & (in->capacity - 1);
    while (in->all[i].hash != 0 && in->all[i].hash != hash)
        i = (i + 1) & (in->capacity - 1);
    return &in->all[i];
}

/* Returns the value of a hash, which is 0 if it is new. */
static uint64_t *remember(entries *in, uint64_t hash)
{
    if (in->count >= in->capacity / 2) {
        entries more = {.capacity = in->capacity == 0 ? 4096 : in->capacity * 4,
                        .count = in->count};
        more.all = calloc(more.capacity, sizeof *more.all);
        CHECK(more.all != NULL);
        for (uint64_t i = 0; i < in->capacity; i++)
            if (in->all[i].hash != 0)
                *find(&more, in->all[i].hash) = in->all[i];
        free(in->all);
        *in = more;
    }
    entry *found = find(in, hash);
    in->count += found->hash == 0;
    found->hash = hash;
    return &found->value;
}

/* the search */

static unsigned char *state_at(const frontier *level, uint32_t i)
{
    return level->states + search.state_size * i;
}

/* The live state has reached a state; if it is new, it is checked and kept. Returns what a loaded
 * copy should have in common with it. */
static uint64_t arrive(frontier *next)
{
    if (next->count == next->capacity)
        next->states = grow(next->states, search.state_size, &next->capacity);
    unsigned char *state = state_at(next, next->count);
    memset(state, 0, search.state_size);
    subject_capture(state);
    uint64_t *hash = remember(&search.known, hash_of(state));
    bool is_new = *hash == 0;
    /* States of one form may have different files. */
    if (is_new || search.hashed_size != search.state_size)
        *hash = subject_hash();
    if (!is_new)
        return *hash;
    search.kind->check();
    next->count++;
    if (search.state_count == search.origin_capacity)
        search.origins = grow(search.origins, sizeof *search.origins, &search.origin_capacity);
    search.origins[search.state_count++] = search.step;
    return *hash;
}

/* Takes the step without a refusal, then with each of its memory calls refused. Returns where the
 * first leads, and what it costs. */
static uint64_t follow(const unsigned char *state, frontier *next)
{
    const space_action *action = &search.list.actions[search.step.action];
    uint32_t memory_calls = 0;
    uint64_t end = 0;
    for (uint32_t refuse = 0; refuse <= memory_calls; refuse++) {
        bool changed;
        search.step.refuse = (uint16_t)refuse;
        search.transitions++;
        search.refusals += refuse != 0;
        uint32_t made = search.kind->take(state, action, refuse, &changed);
        uint64_t cost = subject_cost();
        if (!changed) {
            search.idle++;
            return end;
        }
        uint64_t hash = arrive(next);
        if (refuse == 0) {
            memory_calls = made;
            end = mix(hash, &cost);
        }
        subject_restore(state);
    }
    return end;
}

/* Checks that each step from a loaded copy of the live state leads to where it leads from the state
 * itself. No memory is refused: the copy has less than the state, so that it calls for more. */
static void compare_with_copy(uint64_t hash)
{
    search.is_copy = true;
    search.step = (origin){.parent = search.step.parent, .action = UINT16_MAX};
    subject_reload();
    subject_capture(search.copy);
    CHECK(subject_hash() == hash);
    search.kind->check();
    subject_restore(search.copy);
    for (uint32_t i = 0; i < search.list.count; i++) {
        const space_action *action = &search.list.actions[i];
        uint64_t end = 0;
        bool changed;
        search.step.action = (uint16_t)i;
        if (!search.kind->is_possible(search.copy, action))
            continue;
        search.kind->take(search.copy, action, 0, &changed);
        if (changed) {
            uint64_t cost = subject_cost();
            subject_capture(search.reached);
            end = subject_hash();
            end = mix(end, &cost);
            subject_restore(search.copy);
        }
        CHECK(end == search.ends[i]);
    }
    search.is_copy = false;
}

/* In processor time, which a busy machine does not use up; 0: no limit. Windows has none, and does
 * not detect a hang. */
static void limit_time(int seconds)
{
#if !defined(_WIN32)
    const struct itimerval limit = {.it_value.tv_sec = seconds};
    setitimer(ITIMER_PROF, &limit, NULL);
#else
    (void)seconds;
#endif
}

static void explore(frontier *now, uint32_t first, frontier *next)
{
    for (uint32_t i = 0; i < now->count; i++) {
        const unsigned char *state = state_at(now, i);
        limit_time(STATE_SECONDS);
        subject_restore(state);
        bool has_copy = subject_is_like_loaded();
        uint64_t hash = has_copy ? subject_hash() : 0, ends = hash;
        search.step.parent = first + i;
        for (uint32_t action = 0; action < search.list.count; action++) {
            search.step.action = (uint16_t)action;
            if (!search.kind->is_possible(state, &search.list.actions[action]))
                continue;
            search.ends[action] = follow(state, next);
            ends = mix(ends, &search.ends[action]);
        }
        if (!has_copy)
            continue;
        uint64_t *compared = remember(&search.copied, hash);
        if (*compared != ends)
            compare_with_copy(hash);
        *compared = ends;
    }
}

static uint64_t search_space(const space_kind *kind, const space_config *config)
{
    frontier levels[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
    clock_t start = clock();
    memset(&search, 0, sizeof search);
    search.kind = kind;
    search.state_size = kind->begin(config);
    search.hashed_size = kind->hashed_size != 0 ? kind->hashed_size : search.state_size;
    kind->list(&search.list);
    search.config = config;
    search.copy = calloc(2, search.state_size);
    CHECK(search.copy != NULL);
    search.reached = search.copy + search.state_size;
    arrive(&levels[0]);
    uint32_t first = 0;
    while (levels[search.depth % 2].count > 0) {
        frontier *now = &levels[search.depth % 2];
        frontier *next = &levels[(search.depth + 1) % 2];
        next->count = 0;
        uint32_t reached = search.state_count;
        explore(now, first, next);
        first = reached;
        search.depth++;
    }
    limit_time(0);
    kind->end();
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    printf("| %-10s | %9lu | %12llu | %11llu | %12llu | %6lu | %7.1f | %9.0f |\n", config->name,
           (unsigned long)search.state_count, (unsigned long long)search.transitions,
           (unsigned long long)search.refusals, (unsigned long long)search.idle,
           (unsigned long)search.depth - 1, seconds,
           (double)search.transitions / (seconds > 0 ? seconds : 1));
    fflush(stdout);
    free(levels[0].states);
    free(levels[1].states);
    free(search.known.all);
    free(search.copied.all);
    free(search.copy);
    free(search.origins);
    return search.transitions;
}

static bool is_wanted(const space_config *config, int count, char **names)
{
    for (int i = 1; i < count; i++)
        if (strcmp(names[i], config->name) == 0 || strcmp(names[i], "all") == 0)
            return true;
    return count == 1 && !config->slow;
}

#define KIND(name)                                                                                 \
    {                                                                                              \
        &name##_space, name##_spaces, sizeof name##_spaces / sizeof *name##_spaces                 \
    }

static const struct {
    const space_kind *kind;
    const space_config *spaces;
    uint32_t count;
} kinds[] = {KIND(map),   KIND(pool),      KIND(index), KIND(lists),
             KIND(table), KIND(secondary), KIND(world)};

int main(int argc, char **argv)
{
    uint64_t transitions = 0;
    hm_set_panic_hook(panicked);
    signal(SIGSEGV, crashed);
#if !defined(_WIN32)
    signal(SIGPROF, crashed);
#endif
    printf("| %-10s | %9s | %12s | %11s | %12s | %6s | %7s | %9s |\n", "space", "states",
           "transitions", "refused", "no change", "depth", "s", "1/s");
    puts("|---|---:|---:|---:|---:|---:|---:|---:|");
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
        for (uint32_t i = 0; i < kinds[kind].count; i++)
            if (is_wanted(&kinds[kind].spaces[i], argc, argv))
                transitions += search_space(kinds[kind].kind, &kinds[kind].spaces[i]);
    printf("%llu transitions\n", (unsigned long long)transitions);
    return transitions > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
