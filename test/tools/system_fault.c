/* SPDX-License-Identifier: MIT */
/* A map on the system's own memory while the system refuses calls: system_fault.sh runs it with
 * failing system calls, and it sets limits for itself.
 *
 *     system_fault start     ends where the first call of the library would come
 *     system_fault once      at most one call is refused: whatever fails succeeds when repeated
 *     system_fault on        calls may be refused from some moment on
 *     system_fault limits    runs under RLIMIT_AS, RLIMIT_DATA and with all mappings used up
 *
 * With a second argument the system's table keeps nothing; else what it has kept may serve when the
 * system refuses.
 *
 * What is refused reports so, and changes nothing that is visible. Nothing here allocates, so that
 * all system calls between start and end are the library's. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, RLIMIT_AS */

#include <handle_map/map.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { CAPACITY = 16000, MAX_GONE = 65536, WORDS = 5, TYPE_ID = 77 };

/* Word k of an item holds its handle plus k, and the meta its handle. */
typedef struct item {
    uint64_t words[WORDS];
} item;

static hm_map map;
static hm_handle live[CAPACITY]; /* in dense order */
static hm_handle gone[MAX_GONE];
static uint32_t live_count, gone_count;
static hm_map_stats before; /* the current operation */
static unsigned refusals;
static bool only_once;

static void fail(int line, const char *condition)
{
    fprintf(stderr, "system_fault.c:%d: this does not hold: %s (after %u refusals)\n", line,
            condition, refusals);
    exit(EXIT_FAILURE);
}

#define CHECK(condition) ((condition) ? (void)0 : fail(__LINE__, #condition))

static void check_map(void)
{
    const item *items = hm_map_items(&map);
    CHECK(hm_map_validate(&map) == HM_OK);
    CHECK(hm_map_count(&map) == live_count);
    for (uint32_t i = 0; i < live_count; i++) {
        CHECK(hm_handle_equal(hm_map_handle_at(&map, i), live[i]));
        CHECK(hm_map_get(&map, live[i]) == &items[i]);
        CHECK(*(const uint64_t *)hm_map_meta_at(&map, i) == live[i].bits);
        for (uint32_t k = 0; k < WORDS; k++)
            CHECK(items[i].words[k] == live[i].bits + k);
    }
    for (uint32_t i = 0; i < gone_count; i++) {
        CHECK(hm_map_get(&map, gone[i]) == NULL);
        CHECK(hm_map_explain(&map, gone[i]) == HM_HANDLE_STALE);
    }
}

/* After a refusal of anything except trim, which may have given a part back. */
static void check_unchanged(void)
{
    hm_map_stats after = hm_map_get_stats(&map);
    CHECK(after.committed_size >= before.committed_size);
    after.committed_size = before.committed_size;
    CHECK(memcmp(&before, &after, sizeof before) == 0);
}

static void check_refusal(hm_status status)
{
    CHECK(status == HM_ERROR_MEMORY);
    refusals++;
    CHECK(!only_once || refusals == 1);
    check_map();
}

static void note_insert(hm_handle handle)
{
    uint32_t index = hm_map_index_of(&map, handle);
    CHECK(index == live_count && live_count < CAPACITY);
    live[live_count++] = handle;
    uint64_t *meta = hm_map_meta_at(&map, index);
    CHECK(*meta == 0);
    *meta = handle.bits;
    item *place = hm_map_get(&map, handle);
    for (uint32_t k = 0; k < WORDS; k++)
        place->words[k] = handle.bits + k;
}

static bool insert_many(uint32_t n)
{
    static hm_handle handles[CAPACITY];
    before = hm_map_get_stats(&map);
    memset(handles, 0, sizeof handles);
    hm_status status = hm_map_insert_n(&map, NULL, n, handles);
    if (status != HM_OK) {
        check_unchanged();
        check_refusal(status);
        CHECK(hm_handle_is_null(handles[0]));
        return false;
    }
    for (uint32_t i = 0; i < n; i++)
        note_insert(handles[i]);
    return true;
}

static bool insert_one(uint32_t n)
{
    (void)n;
    void *place = &map;
    before = hm_map_get_stats(&map);
    hm_handle handle = hm_map_emplace(&map, &place);
    if (hm_handle_is_null(handle)) {
        CHECK(place == NULL);
        check_unchanged();
        check_refusal(HM_ERROR_MEMORY);
        return false;
    }
    note_insert(handle);
    return true;
}

/* The inserts that follow cannot fail. */
static bool reserve(uint32_t n)
{
    before = hm_map_get_stats(&map);
    hm_status status = hm_map_reserve(&map, n);
    check_unchanged();
    if (status != HM_OK) {
        check_refusal(status);
        return false;
    }
    for (uint32_t i = 0; i < n; i++)
        CHECK(insert_one(0));
    return true;
}

static bool trim(uint32_t n)
{
    (void)n;
    before = hm_map_get_stats(&map);
    hm_status status = hm_map_trim(&map);
    hm_map_stats after = hm_map_get_stats(&map);
    CHECK(after.slots <= before.slots && after.free_slots <= before.free_slots);
    CHECK(after.slots == after.count + after.free_slots);
    if (status != HM_OK)
        check_refusal(status);
    return status == HM_OK;
}

/* If only one call is refused the second try succeeds. */
static void step(bool (*operation)(uint32_t), uint32_t n)
{
    if (!operation(n))
        CHECK(operation(n) || !only_once);
    check_map();
}

/* Needs no memory, so it succeeds whatever the system says. */
static void erase_down_to(uint32_t count)
{
    while (live_count > count) {
        uint32_t index = live_count * 7 / 11;
        CHECK(gone_count < MAX_GONE && hm_map_erase(&map, live[index]));
        gone[gone_count++] = live[index];
        live[index] = live[--live_count];
    }
    check_map();
}

static uint64_t falling(const void *at, void *context)
{
    (void)context;
    return ~((const item *)at)->words[0];
}

static void defragment(void)
{
    static const hm_order order = {.key = falling};
    hm_progress progress = hm_map_defragment(&map, &order, NULL);
    if (progress.status != HM_OK) {
        check_refusal(progress.status);
        progress = hm_map_defragment(&map, &order, NULL);
        CHECK(progress.done || !only_once);
    }
    if (!progress.done) {
        check_map();
        return;
    }
    for (uint32_t i = 0; i < live_count; i++)
        live[i] = hm_map_handle_at(&map, i);
    for (uint32_t i = 1; i < live_count; i++)
        CHECK(live[i - 1].bits > live[i].bits);
    check_map();
}

static void grow(void)
{
    step(insert_many, 700);
    step(reserve, 1200);
    for (uint32_t i = 0; i < 900; i++)
        if (!insert_one(0))
            step(insert_one, 0);
    step(insert_many, 2500);
}

/* A map whose init was refused is zeroed. */
static void check_zeroed(void)
{
    CHECK(hm_map_validate(&map) == HM_OK);
    CHECK(hm_map_count(&map) == 0 && hm_map_capacity(&map) == 0);
    CHECK(hm_handle_is_null(hm_map_insert(&map, NULL)));
    CHECK(hm_map_reserve(&map, 1) == HM_ERROR_FULL && hm_map_trim(&map) == HM_OK);
}

static void live_on(const hm_memory *memory)
{
    const hm_map_desc desc = {.item_size = sizeof(item),
                              .meta_size = sizeof(uint64_t),
                              .capacity = CAPACITY,
                              .max_slots = 4 * CAPACITY,
                              .type_id = TYPE_ID,
                              .memory = memory};
    live_count = gone_count = 0;
    hm_status status = hm_map_init(&map, &desc);
    for (int tries = 0; status != HM_OK && tries < 2; tries++) {
        check_zeroed();
        check_refusal(status);
        status = hm_map_init(&map, &desc);
    }
    if (status == HM_OK) {
        grow();
        erase_down_to(300);
        defragment();
        step(trim, 0);
        grow();
        erase_down_to(40);
        step(trim, 0);
        grow();
        hm_map_clear(&map);
        memcpy(gone + gone_count, live, sizeof *live * live_count);
        gone_count += live_count;
        live_count = 0;
        step(trim, 0);
        step(insert_many, 3000);
    }
    hm_map_fini(&map);
    live_count = gone_count = 0;
    check_zeroed();
}

/* Returns how many calls were refused. */
static unsigned live_on_all(void)
{
    refusals = 0;
    live_on(hm_memory_os());
    live_on(hm_memory_os_huge());
    return refusals;
}

/* Runs with a limit that rises step by step until nothing is refused. */
static void live_within(const char *what, int resource, rlim_t rise)
{
    struct rlimit free_again;
    unsigned lives = 0, refused = 0, last;
    CHECK(getrlimit(resource, &free_again) == 0);
    do {
        struct rlimit limit = free_again;
        limit.rlim_cur = rise * ++lives;
        CHECK(setrlimit(resource, &limit) == 0);
        last = live_on_all();
        refused += last;
    } while (last != 0);
    CHECK(setrlimit(resource, &free_again) == 0);
    CHECK(lives > 10 && refused > lives);
    printf("%s: %u lives, %u refusals\n", what, lives, refused);
}

/* Every second page of a range gets another protection, until no mapping is left; then the map is
 * used with none, one, two, ... of them given back. */
static void live_without_mappings(void)
{
    enum { MOST_PAGES = 400000 };
    const size_t page = hm_memory_os()->page_size;
    unsigned char *range = mmap(NULL, page * MOST_PAGES, PROT_NONE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(range != MAP_FAILED);
    size_t used = 0;
    while (used < MOST_PAGES && mprotect(range + page * used, page, PROT_READ) == 0)
        used += 2;
    if (used >= MOST_PAGES) {
        printf("left out: lives without mappings: the system allows more than %d\n",
               MOST_PAGES / 2);
    } else {
        unsigned lives = 0, refused = 0, last;
        do {
            last = live_on_all();
            refused += last;
            lives++;
            used -= 2;
            CHECK(mprotect(range + page * used, page, PROT_NONE) == 0);
        } while (last != 0);
        CHECK(lives > 2 && refused > lives);
        printf("mappings: %u lives, %u refusals\n", lives, refused);
    }
    CHECK(munmap(range, page * MOST_PAGES) == 0);
}

int main(int argc, char **argv)
{
    const char *verb = argc > 1 ? argv[1] : "";
    if (argc > 2)
        hm_memory_os_keep(0);
    (void)hm_memory_os(); /* What it makes once does not count. */
    if (strcmp(verb, "start") == 0)
        return EXIT_SUCCESS;
    only_once = strcmp(verb, "once") == 0;
    if (only_once || strcmp(verb, "on") == 0) {
        unsigned refused = live_on_all();
        fprintf(stderr, "%u refusals\n", refused);
        return EXIT_SUCCESS;
    }
    live_within("RLIMIT_AS", RLIMIT_AS, (rlim_t)128 << 10);
    live_within("RLIMIT_DATA", RLIMIT_DATA, (rlim_t)64 << 10);
    live_without_mappings();
    return EXIT_SUCCESS;
}
