/* SPDX-License-Identifier: MIT */
/* The resource cache of docs/examples against a naive model, with 0 workers and one load at a
 * time: the model scans arrays where the cache has lists, counters and an index. */
#include "support/memory.h"
#include "support/test.h"

#include "resource_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 40, OPERATIONS = 4000, STALE = 64 };

enum { FILES = 32 };

/* The payload of each file. */
struct content {
    uint32_t number, version;
    void *self; /* its own address: payloads never move */
};

struct file {
    size_t size;
    uint32_t version;
    bool fails;
};

/* A resource cache whose files are made up. */
struct files {
    struct resource_cache cache;
    struct resource_loader loader;
    test_memory memory;
    struct file of[FILES];
    char names[FILES][8]; /* "f0" and so on */
    uint32_t loads;       /* that were not sent back for room */
    uint32_t made;        /* payloads */
    uint32_t unloads;
};

static bool load(struct resource_load *load)
{
    struct files *files = load->context;
    struct content *content = load->payload;
    uint32_t number = 0;
    while (number < FILES && strcmp(files->names[number], load->name) != 0)
        number++;
    CHECK(content->self == NULL && load->error[0] == '\0'); /* fresh, also the second time */
    CHECK(number < FILES && resource_load_is_wanted(load));
    content->self = content; /* what is left behind is cleared before the next call */
    const struct file *file = &files->of[number];
    if (file->fails) {
        files->loads++;
        snprintf(load->error, sizeof load->error, "%s is missing", load->name);
        return false;
    }
    if (!resource_load_reserve(load, file->size))
        return false;
    files->loads++;
    files->made++;
    *content = (struct content){number, file->version, content};
    return true;
}

static void unload(void *payload, void *context)
{
    struct files *files = context;
    struct content *content = payload;
    CHECK(content->self == payload);
    content->self = NULL;
    files->unloads++;
}

/* Makes a cache of capacity FILES. Each file has 10 bytes. */
static void files_begin(struct files *files, size_t budget, uint32_t queue_size)
{
    memset(files, 0, sizeof *files);
    test_memory_init_with_holes(&files->memory, test_page_size(4096));
    for (uint32_t i = 0; i < FILES; i++) {
        files->of[i].size = 10;
        snprintf(files->names[i], sizeof files->names[i], "f%u", (unsigned)i);
    }
    files->loader = (struct resource_loader){load, NULL, unload, files};
    const struct resource_cache_desc desc = {.payload_size = sizeof(struct content),
                                             .budget = budget,
                                             .capacity = FILES,
                                             .queue_size = queue_size,
                                             .memory = &files->memory.table};
    CHECK(resource_cache_init(&files->cache, &desc) == HM_OK);
}

/* Ends the cache, and checks that all is unloaded and released. */
static void files_end(struct files *files)
{
    resource_cache_fini(&files->cache);
    resource_cache_fini(&files->cache);
    CHECK(files->made == files->unloads);
    test_memory_check_released(&files->memory);
}

static resource_handle files_request(struct files *files, const char *name)
{
    resource_handle handle;
    CHECK(resource_cache_request(&files->cache, &files->loader, name, &handle) == HM_OK);
    return handle;
}

static bool files_says(const struct files *files, resource_handle handle, const char *what)
{
    return strstr(resource_cache_error(&files->cache, handle), what) != NULL;
}

/* A name in the model. */
struct entry {
    resource_handle handle; /* null: not in the cache */
    enum resource_state state;
    hm_status status;
    uint32_t references, pins, version;
    size_t size;           /* of the data; 0: none */
    uint32_t file_version; /* that the data has */
    size_t fresh_size;     /* of what waits for an unpin; 0: none */
    uint32_t fresh_version;
    size_t wanted, kept;      /* when there was no room: what could not be evicted */
    uint64_t used;            /* when */
    uint32_t queued, waiting; /* when; 0: is not */
    bool is_again, is_loading;
};

struct model {
    struct files files;
    struct entry of[FILES];
    size_t budget, peak;
    uint64_t clock, loads, failures, evictions;
    uint32_t places; /* in the queue and among those that wait, so far */
    resource_handle stale[STALE];
    uint32_t stale_count;
    uint64_t random;
};

static uint32_t below(struct model *m, uint32_t n)
{
    return test_random_below(&m->random, n);
}

static bool is_there(const struct entry *e)
{
    return !resource_handle_is_null(e->handle);
}

static void model_forget(struct model *m, struct entry *e)
{
    m->stale[m->stale_count++ % STALE] = e->handle;
    memset(e, 0, sizeof *e);
}

static void model_forget_unused(struct model *m, struct entry *e)
{
    if (e->references == 0 && e->pins == 0 && e->size == 0)
        model_forget(m, e);
}

static bool is_idle(const struct entry *e)
{
    return e->size != 0 && e->pins == 0 && e->queued == 0 && e->fresh_size == 0 && !e->is_loading;
}

static void model_queue(struct model *m, struct entry *e)
{
    e->queued = ++m->places;
    e->is_again = false;
    if (e->size == 0)
        e->state = RESOURCE_QUEUED;
}

static void model_demand(struct model *m, struct entry *e)
{
    if (e->state == RESOURCE_EVICTED)
        model_queue(m, e);
}

static size_t model_used(const struct model *m)
{
    size_t used = 0;
    for (int i = 0; i < FILES; i++)
        used += m->of[i].size + m->of[i].fresh_size;
    return used;
}

static size_t model_idle_size(const struct model *m)
{
    size_t idle = 0;
    for (int i = 0; i < FILES; i++)
        idle += is_idle(&m->of[i]) ? m->of[i].size : 0;
    return idle;
}

static void model_evict_oldest(struct model *m)
{
    struct entry *oldest = NULL;
    for (int i = 0; i < FILES; i++)
        if (is_idle(&m->of[i]) && (oldest == NULL || m->of[i].used < oldest->used))
            oldest = &m->of[i];
    CHECK(oldest != NULL);
    oldest->size = 0;
    oldest->state = RESOURCE_EVICTED;
    m->evictions++;
    model_forget_unused(m, oldest);
}

static void model_settle(struct model *m, struct entry *e)
{
    e->used = ++m->clock;
    if (e->is_again)
        model_queue(m, e);
    model_forget_unused(m, e);
}

static void model_fail(struct model *m, struct entry *e, hm_status status)
{
    e->status = status;
    m->failures++;
    if (e->size == 0)
        e->state = RESOURCE_FAILED;
    model_settle(m, e);
}

static void model_swap(struct model *m, struct entry *e)
{
    e->size = e->fresh_size;
    e->file_version = e->fresh_version;
    e->fresh_size = 0;
    e->waiting = 0;
    e->version++;
    m->loads++;
    e->state = RESOURCE_READY;
    e->status = HM_OK;
    model_settle(m, e);
}

/* What waits and is no longer pinned. */
static struct entry *first_unpinned(struct model *m)
{
    struct entry *first = NULL;
    for (int i = 0; i < FILES; i++)
        if (m->of[i].waiting != 0 && m->of[i].pins == 0 &&
            (first == NULL || m->of[i].waiting < first->waiting))
            first = &m->of[i];
    return first;
}

/* Returns how many were swapped. */
static uint32_t model_swap_unpinned(struct model *m)
{
    uint32_t swapped = 0;
    for (struct entry *e; (e = first_unpinned(m)) != NULL; swapped++)
        model_swap(m, e);
    return swapped;
}

/* Returns how many loads have ended. Before room is made, old data that is no longer needed goes.
 */
static uint32_t model_load(struct model *m, struct entry *e)
{
    const struct file *file = &m->files.of[e - m->of];
    size_t size = file->size;
    uint32_t ended = 0;
    e->queued = 0;
    e->is_loading = true;
    if (!file->fails && model_used(m) + size > m->budget)
        ended = model_swap_unpinned(m);
    size_t kept = model_used(m) - model_idle_size(m);
    bool has_room = kept + size <= m->budget;
    while (!file->fails && has_room && model_used(m) + size > m->budget)
        model_evict_oldest(m);
    e->is_loading = false;
    if (file->fails || !has_room) {
        e->wanted = size;
        e->kept = kept;
        model_fail(m, e, file->fails ? HM_ERROR_INVALID : HM_ERROR_FULL);
        return ended + 1;
    }
    e->fresh_size = size;
    e->fresh_version = file->version;
    m->peak = model_used(m) > m->peak ? model_used(m) : m->peak;
    if (e->size != 0 && e->pins != 0) {
        e->waiting = ++m->places;
        return ended;
    }
    model_swap(m, e);
    return ended + 1;
}

static struct entry *first_queued(struct model *m)
{
    struct entry *first = NULL;
    for (int i = 0; i < FILES; i++)
        if (m->of[i].queued != 0 && (first == NULL || m->of[i].queued < first->queued))
            first = &m->of[i];
    return first;
}

static uint32_t model_pump(struct model *m)
{
    uint32_t ended = 0, swapped;
    do {
        for (struct entry *e; (e = first_queued(m)) != NULL;)
            ended += model_load(m, e);
        swapped = model_swap_unpinned(m);
        ended += swapped;
    } while (swapped != 0);
    return ended;
}

/* Operations, on both */

static void do_request(struct model *m, uint32_t number)
{
    struct entry *e = &m->of[number];
    if (is_there(e) && below(m, 4) == 0) {
        CHECK(resource_cache_acquire(&m->files.cache, e->handle));
        e->references++;
        return;
    }
    char name[sizeof *m->files.names]; /* equal, but elsewhere */
    memcpy(name, m->files.names[number], sizeof name);
    resource_handle handle = files_request(&m->files, name);
    if (!is_there(e)) {
        CHECK(!resource_handle_is_null(handle));
        e->handle = handle;
        e->state = RESOURCE_EVICTED;
    }
    CHECK(resource_handle_equal(handle, e->handle));
    e->references++;
    e->used = ++m->clock;
    model_demand(m, e);
}

static void do_get(struct model *m, struct entry *e)
{
    const struct content *content = resource_cache_get(&m->files.cache, e->handle);
    CHECK((content != NULL) == (e->size != 0));
    if (!is_there(e))
        return;
    if (content != NULL) {
        CHECK(content->number == (uint32_t)(e - m->of) && content->version == e->file_version);
        CHECK(content->self == content);
    }
    e->used = ++m->clock;
    model_demand(m, e);
}

static void do_release(struct model *m, struct entry *e)
{
    CHECK(resource_cache_release(&m->files.cache, e->handle) == (e->references != 0));
    if (e->references == 0)
        return;
    e->references--;
    model_forget_unused(m, e);
}

static void do_pin(struct model *m, struct entry *e)
{
    CHECK(resource_cache_pin(&m->files.cache, e->handle) == is_there(e));
    if (!is_there(e))
        return;
    e->pins++;
    model_demand(m, e);
}

static void do_unpin(struct model *m, struct entry *e)
{
    CHECK(resource_cache_unpin(&m->files.cache, e->handle) == (e->pins != 0));
    if (e->pins == 0)
        return;
    e->pins--;
    if (e->pins == 0)
        e->used = ++m->clock;
    model_forget_unused(m, e);
}

static void do_reload(struct model *m, struct entry *e)
{
    CHECK((resource_cache_reload(&m->files.cache, e->handle) == HM_OK) == is_there(e));
    if (!is_there(e) || e->queued != 0)
        return;
    if (e->fresh_size != 0)
        e->is_again = true;
    else
        model_queue(m, e);
}

static void do_drop(struct model *m, struct entry *e)
{
    hm_status status = resource_cache_drop(&m->files.cache, e->handle);
    if (!is_there(e)) {
        CHECK(status == HM_ERROR_STALE);
    } else if (e->pins != 0) {
        CHECK(status == HM_ERROR_BUSY);
    } else {
        CHECK(status == HM_OK);
        model_forget(m, e);
    }
}

static void do_change(struct model *m, uint32_t number)
{
    struct file *file = &m->files.of[number];
    file->version++;
    file->size = 1 + below(m, below(m, 10) == 0 ? 120 : 30);
    file->fails = below(m, 8) == 0;
}

/* Each function, for a handle that does not resolve: what is gone, null, or any bits. */
static void do_refused(struct model *m)
{
    struct resource_cache *cache = &m->files.cache;
    struct resource_info info;
    uint32_t kept = m->stale_count < STALE ? m->stale_count : STALE, kind = below(m, 4);
    resource_handle handle = resource_handle_null();
    resource_handle other = m->of[below(m, FILES)].handle;
    if (kind == 0)
        handle.id = hm_handle_from_bits(UINT64_MAX);
    else if (kind > 1 && kept != 0)
        handle = m->stale[below(m, kept)];
    CHECK(resource_cache_get(cache, handle) == NULL);
    CHECK(!resource_cache_acquire(cache, handle) && !resource_cache_release(cache, handle));
    CHECK(!resource_cache_pin(cache, handle) && !resource_cache_unpin(cache, handle));
    CHECK(resource_cache_reload(cache, handle) == HM_ERROR_STALE);
    CHECK(resource_cache_drop(cache, handle) == HM_ERROR_STALE);
    CHECK(resource_cache_depend(cache, handle, other) == HM_ERROR_STALE);
    CHECK(resource_cache_depend(cache, other, handle) == HM_ERROR_STALE);
    CHECK(!resource_cache_get_info(cache, handle, &info));
    CHECK(files_says(&m->files, handle, kind > 1 && kept != 0 ? "HM_HANDLE_STALE" : "HM_HANDLE_"));
}

static void check_message(const struct model *m, const struct entry *e)
{
    char text[RESOURCE_ERROR_SIZE] = "";
    if (e->status == HM_ERROR_INVALID)
        snprintf(text, sizeof text, "%s is missing", m->files.names[e - m->of]);
    else if (e->status == HM_ERROR_FULL)
        snprintf(text, sizeof text,
                 "no room for %zu bytes: the budget is %zu, of which %zu cannot be evicted",
                 e->wanted, m->budget, e->kept);
    CHECK(strcmp(resource_cache_error(&m->files.cache, e->handle), text) == 0);
}

static void check_all(struct model *m)
{
    struct resource_stats stats = resource_cache_get_stats(&m->files.cache);
    uint32_t count = 0;
    CHECK(resource_cache_validate(&m->files.cache) == HM_OK);
    CHECK(stats.used == model_used(m) && stats.peak == m->peak);
    CHECK(stats.loads == m->loads && stats.failures == m->failures);
    CHECK(stats.evictions == m->evictions);
    for (int i = 0; i < FILES; i++) {
        const struct entry *e = &m->of[i];
        struct resource_info info;
        resource_handle found = resource_cache_find(&m->files.cache, m->files.names[i]);
        CHECK(resource_handle_equal(found, e->handle));
        CHECK(resource_cache_get_info(&m->files.cache, found, &info) == is_there(e));
        count += is_there(e);
        if (!is_there(e))
            continue;
        CHECK(info.state == e->state || (e->state == RESOURCE_QUEUED && e->size != 0));
        CHECK(info.status == e->status && info.version == e->version);
        check_message(m, e);
        CHECK(info.references == e->references && info.pins == e->pins);
        CHECK(e->size == 0 || info.size == e->size);
    }
    CHECK(stats.resources == count);
}

static void operate(struct model *m)
{
    uint32_t number = below(m, FILES), dice = below(m, 100);
    struct entry *e = &m->of[number];
    if (dice < 25)
        do_request(m, number);
    else if (dice < 40)
        do_get(m, e);
    else if (dice < 58)
        do_release(m, e);
    else if (dice < 63)
        do_pin(m, e);
    else if (dice < 71)
        do_unpin(m, e);
    else if (dice < 77)
        do_reload(m, e);
    else if (dice < 80)
        do_drop(m, e);
    else if (dice < 85)
        do_change(m, number);
    else if (dice < 88)
        do_refused(m);
    else
        CHECK(resource_cache_pump(&m->files.cache, 0) == model_pump(m));
}

TEST(resource_cache_model, random_operations_do_what_a_naive_model_does)
{
    struct model *m = malloc(sizeof *m);
    CHECK(m != NULL);
    uint64_t random = test_seed("resource_cache_model");
    for (uint32_t round = 0; round < test_scaled(ROUNDS); round++) {
        memset(m, 0, sizeof *m);
        m->random = test_random(&random);
        m->budget = 50 + below(m, 300);
        files_begin(&m->files, m->budget, 1);
        for (int i = 0; i < OPERATIONS; i++) {
            operate(m);
            check_all(m);
        }
        files_end(&m->files);
    }
    free(m);
}

/* Beyond what the model knows: dependencies, several loads in flight, fewer ends than there are.
 * What must hold is that all is consistent, and that it comes to rest. */
static void operate_with_dependencies(struct model *m)
{
    struct resource_cache *cache = &m->files.cache;
    uint32_t a = below(m, FILES), b = below(m, FILES), dice = below(m, 100);
    resource_handle handle = resource_cache_find(cache, m->files.names[a]);
    resource_handle on = resource_cache_find(cache, m->files.names[b]);
    if (dice < 30)
        resource_cache_request(cache, &m->files.loader, m->files.names[a], &handle);
    else if (dice < 45)
        resource_cache_depend(cache, handle, on);
    else if (dice < 60)
        resource_cache_release(cache, handle);
    else if (dice < 65)
        resource_cache_pin(cache, handle);
    else if (dice < 72)
        resource_cache_unpin(cache, handle);
    else if (dice < 77)
        resource_cache_reload(cache, handle);
    else if (dice < 82)
        resource_cache_drop(cache, handle);
    else if (dice < 86)
        do_change(m, a);
    else if (dice < 90)
        resource_cache_get(cache, handle);
    else
        CHECK(resource_cache_pump(cache, 3) <= 3);
}

TEST(resource_cache_model, with_dependencies_all_stays_consistent_and_comes_to_rest)
{
    struct model *m = malloc(sizeof *m);
    CHECK(m != NULL);
    uint64_t random = test_seed("resource_cache_dependencies");
    for (uint32_t round = 0; round < test_scaled(ROUNDS); round++) {
        memset(m, 0, sizeof *m);
        m->random = test_random(&random);
        files_begin(&m->files, 50 + below(m, 400), 1 + below(m, 8));
        for (int i = 0; i < OPERATIONS; i++) {
            operate_with_dependencies(m);
            CHECK(resource_cache_validate(&m->files.cache) == HM_OK);
        }
        for (uint32_t pumps = 0; resource_cache_wait(&m->files.cache); pumps++) {
            resource_cache_pump(&m->files.cache, 0);
            CHECK(pumps < 10);
        }
        CHECK(resource_cache_get_stats(&m->files.cache).in_flight == 0);
        CHECK(resource_cache_validate(&m->files.cache) == HM_OK);
        files_end(&m->files);
    }
    free(m);
}
