/* SPDX-License-Identifier: MIT */
/* The resource cache of docs/examples with worker threads: loads that run at the same time, that
 * hang, and that are dropped or ended meanwhile. */
#if defined(__unix__) && !defined(__wasm__)

#include "support/test.h"

#include "resource_cache.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 1000, WORKERS = 4, SIZE = 100 };

/* A loader that stops at a gate for names that begin with "slow", until that opens. */
struct site {
    struct resource_cache cache;
    struct resource_loader loader;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool is_open;
    uint32_t at_gate;  /* loads that wait there */
    uint32_t unwanted; /* loads that were told so */
    uint32_t made, unloads;
};

struct block {
    char name[16];
    unsigned char *bytes; /* SIZE of them, from malloc: a sanitizer sees a leak */
};

static void wait_at_gate(struct site *site, const struct resource_load *load)
{
    site->at_gate++;
    pthread_cond_broadcast(&site->changed);
    while (!site->is_open && strstr(load->name, "slow") == load->name)
        pthread_cond_wait(&site->changed, &site->mutex);
    site->at_gate--;
    site->unwanted += !resource_load_is_wanted(load);
}

static bool load(struct resource_load *load)
{
    struct site *site = load->context;
    struct block *block = load->payload;
    if (strstr(load->name, "bad") == load->name) {
        snprintf(load->error, sizeof load->error, "%s is bad", load->name);
        return false;
    }
    if (!resource_load_reserve(load, SIZE))
        return false;
    block->bytes = malloc(SIZE);
    CHECK(block->bytes != NULL);
    memset(block->bytes, load->name[strlen(load->name) - 1], SIZE);
    snprintf(block->name, sizeof block->name, "%s", load->name);
    pthread_mutex_lock(&site->mutex);
    wait_at_gate(site, load);
    site->made++;
    pthread_mutex_unlock(&site->mutex);
    return true;
}

static void unload(void *payload, void *context)
{
    struct site *site = context;
    struct block *block = payload;
    free(block->bytes);
    site->unloads++;
}

static void begin(struct site *site, uint32_t workers, size_t budget)
{
    memset(site, 0, sizeof *site);
    pthread_mutex_init(&site->mutex, NULL);
    pthread_cond_init(&site->changed, NULL);
    site->loader = (struct resource_loader){.load = load, .unload = unload, .context = site};
    const struct resource_cache_desc desc = {.payload_size = sizeof(struct block),
                                             .budget = budget,
                                             .workers = workers,
                                             .queue_size = 16};
    CHECK(resource_cache_init(&site->cache, &desc) == HM_OK);
}

static void open_gate(struct site *site)
{
    pthread_mutex_lock(&site->mutex);
    site->is_open = true;
    pthread_cond_broadcast(&site->changed);
    pthread_mutex_unlock(&site->mutex);
}

static void wait_until_at_gate(struct site *site, uint32_t loads)
{
    pthread_mutex_lock(&site->mutex);
    while (site->at_gate < loads)
        pthread_cond_wait(&site->changed, &site->mutex);
    pthread_mutex_unlock(&site->mutex);
}

static void end(struct site *site)
{
    resource_cache_fini(&site->cache);
    CHECK(site->made == site->unloads);
    pthread_cond_destroy(&site->changed);
    pthread_mutex_destroy(&site->mutex);
}

static resource_handle request(struct site *site, const char *name)
{
    resource_handle handle;
    CHECK(resource_cache_request(&site->cache, &site->loader, name, &handle) == HM_OK);
    return handle;
}

static void pump_all(struct site *site)
{
    while (resource_cache_wait(&site->cache))
        resource_cache_pump(&site->cache, 0);
    CHECK(resource_cache_validate(&site->cache) == HM_OK);
}

static void check_content(struct site *site, resource_handle handle, const char *name)
{
    const struct block *block = resource_cache_get(&site->cache, handle);
    CHECK(block != NULL && strcmp(block->name, name) == 0);
    for (int i = 0; i < SIZE; i++)
        CHECK(block->bytes[i] == (unsigned char)name[strlen(name) - 1]);
}

static enum resource_state state_of(struct site *site, resource_handle handle)
{
    struct resource_info info;
    CHECK(resource_cache_get_info(&site->cache, handle, &info));
    return info.state;
}

TEST(resource_cache_threads, many_names_are_loaded_by_several_workers)
{
    static resource_handle handles[NAMES];
    char name[16];
    struct site site;
    begin(&site, WORKERS, 0);
    for (int i = 0; i < NAMES; i++) {
        snprintf(name, sizeof name, "n%d", i);
        handles[i] = request(&site, name);
        CHECK(resource_handle_equal(handles[i], request(&site, name)));
    }
    pump_all(&site);
    for (int i = 0; i < NAMES; i++) {
        snprintf(name, sizeof name, "n%d", i);
        check_content(&site, handles[i], name);
    }
    CHECK(site.made == NAMES);
    end(&site);
}

TEST(resource_cache_threads, a_budget_is_never_exceeded_by_what_is_in_flight)
{
    char name[16];
    struct site site;
    begin(&site, WORKERS, 10 * SIZE);
    for (int i = 0; i < NAMES; i++) {
        snprintf(name, sizeof name, "n%d", i);
        request(&site, name);
    }
    pump_all(&site);
    struct resource_stats stats = resource_cache_get_stats(&site.cache);
    CHECK(stats.peak <= 10 * SIZE && stats.ready == 10 && stats.failures == 0);
    CHECK(stats.loads == NAMES && stats.evictions == NAMES - 10);
    end(&site);
}

TEST(resource_cache_threads, a_load_that_hangs_does_not_keep_others)
{
    struct site site;
    begin(&site, 2, 0);
    resource_handle slow = request(&site, "slow");
    CHECK(resource_cache_pump(&site.cache, 0) == 0);
    wait_until_at_gate(&site, 1);
    resource_handle other = request(&site, "other"), bad = request(&site, "bad");
    while (state_of(&site, other) != RESOURCE_READY || state_of(&site, bad) != RESOURCE_FAILED)
        resource_cache_pump(&site.cache, 0);
    CHECK(state_of(&site, slow) == RESOURCE_LOADING);
    CHECK(strcmp(resource_cache_error(&site.cache, bad), "bad is bad") == 0);
    open_gate(&site);
    pump_all(&site);
    check_content(&site, slow, "slow");
    end(&site);
}

TEST(resource_cache_threads, a_load_that_is_dropped_ends_unseen_and_is_told)
{
    struct site site;
    begin(&site, 1, 0);
    resource_handle dropped = request(&site, "slow");
    CHECK(resource_cache_pump(&site.cache, 0) == 0);
    wait_until_at_gate(&site, 1);
    CHECK(resource_cache_drop(&site.cache, dropped) == HM_OK);
    resource_handle fresh = request(&site, "slow");
    CHECK(!resource_handle_equal(dropped, fresh));
    CHECK(resource_cache_get(&site.cache, dropped) == NULL);
    open_gate(&site);
    pump_all(&site);
    CHECK(site.unwanted == 1 && site.made == 2 && site.unloads == 1);
    CHECK(resource_cache_get(&site.cache, dropped) == NULL);
    check_content(&site, fresh, "slow");
    end(&site);
}

TEST(resource_cache_threads, a_reload_during_a_load_is_made_after_it)
{
    struct site site;
    struct resource_info info;
    begin(&site, 1, 0);
    resource_handle slow = request(&site, "slow");
    CHECK(resource_cache_pump(&site.cache, 0) == 0);
    wait_until_at_gate(&site, 1);
    CHECK(resource_cache_reload(&site.cache, slow) == HM_OK);
    open_gate(&site);
    pump_all(&site);
    CHECK(resource_cache_get_info(&site.cache, slow, &info) && info.version == 2);
    CHECK(site.made == 2);
    end(&site);
}

static void *open_late(void *argument)
{
    struct site *site = argument;
    wait_until_at_gate(site, WORKERS);
    open_gate(site);
    return NULL;
}

TEST(resource_cache_threads, fini_waits_for_loads_that_run_and_starts_no_others)
{
    struct site site;
    char name[16];
    pthread_t opener;
    begin(&site, WORKERS, 0);
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "slow%d", i);
        request(&site, name);
    }
    resource_cache_pump(&site.cache, 0);
    wait_until_at_gate(&site, WORKERS);
    CHECK(pthread_create(&opener, NULL, open_late, &site) == 0);
    resource_cache_fini(&site.cache);
    CHECK(pthread_join(opener, NULL) == 0);
    CHECK(site.made >= WORKERS && site.made <= 16);
    end(&site);
}

#else

typedef int resource_cache_threads_need_threads; /* A file needs a declaration. */

#endif
