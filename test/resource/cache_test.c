/* SPDX-License-Identifier: MIT */
/* The resource cache of docs/examples, with 0 workers: bad inputs, and what the naive model in
 * model_test.c does not know. */
#include "resources.h"
#include "support/memory.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

TEST(resource_cache, the_states_of_a_resource_follow_each_other)
{
    struct files files;
    files_begin(&files, 0, 0, 1);
    resource_handle top = files_request(&files, "f1");
    resource_handle below = files_request(&files, "f2");
    CHECK(resource_cache_depend(&files.cache, top, below) == HM_OK);
    CHECK(files_state_of(&files, top) == RESOURCE_QUEUED);
    files.of[1].is_watched = files.of[2].is_watched = true;
    files_pump_all(&files);
    CHECK(files.seen_state[1] == RESOURCE_LOADING); /* by its own loader */
    CHECK(files.seen_state[2] == RESOURCE_LOADED);  /* top, by the loader of what it waits for */
    CHECK(files_state_of(&files, top) == RESOURCE_READY &&
          files_state_of(&files, below) == RESOURCE_READY);
    CHECK(strcmp(resource_state_name(RESOURCE_LOADED), "loaded") == 0);
    CHECK(strcmp(resource_state_name((enum resource_state)99), "unknown") == 0);
    files_end(&files);
}

TEST(resource_cache, a_name_that_is_none_or_too_long_is_refused)
{
    struct files files;
    resource_handle handle;
    char name[10001];
    memset(name, 'x', sizeof name);
    name[10000] = '\0';
    files_begin(&files, 0, 0, 0);
    struct resource_cache *cache = &files.cache;
    CHECK(resource_cache_request(cache, &files.loader, NULL, &handle) == HM_ERROR_INVALID);
    CHECK(resource_handle_is_null(handle));
    CHECK(resource_cache_request(cache, &files.loader, "", &handle) == HM_ERROR_INVALID);
    CHECK(resource_cache_request(cache, &files.loader, name, &handle) == HM_ERROR_INVALID);
    CHECK(resource_handle_is_null(resource_cache_find(cache, name)));
    CHECK(resource_handle_is_null(resource_cache_find(cache, NULL)));
    name[256] = '\0';
    CHECK(resource_cache_request(cache, &files.loader, name, &handle) == HM_ERROR_INVALID);
    name[255] = '\0';
    CHECK(resource_cache_request(cache, &files.loader, name, &handle) == HM_OK);
    files_pump_all(&files);
    CHECK(files_state_of(&files, handle) == RESOURCE_FAILED); /* no such file */
    files_end(&files);
}

TEST(resource_cache, a_loader_that_is_incomplete_or_another_one_is_refused)
{
    struct files files;
    resource_handle handle;
    files_begin(&files, 0, 0, 0);
    struct resource_loader broken = files.loader;
    broken.load = NULL;
    CHECK(resource_cache_request(&files.cache, &broken, "f1", &handle) == HM_ERROR_INVALID);
    broken = files.loader;
    broken.unload = NULL;
    CHECK(resource_cache_request(&files.cache, &broken, "f1", &handle) == HM_ERROR_INVALID);
    CHECK(resource_cache_request(&files.cache, NULL, "f1", &handle) == HM_ERROR_INVALID);
    files_request(&files, "f1");
    const struct resource_loader other = files.loader;
    CHECK(resource_cache_request(&files.cache, &other, "f1", &handle) == HM_ERROR_INVALID);
    CHECK(resource_handle_is_null(handle));
    files_end(&files);
}

TEST(resource_cache, a_descriptor_that_makes_no_sense_is_refused)
{
    struct resource_cache cache;
    CHECK(resource_cache_init(NULL, NULL) == HM_ERROR_INVALID);
    CHECK(resource_cache_init(&cache, NULL) == HM_ERROR_INVALID);
    const struct resource_cache_desc flawed[] = {
        {.payload_size = 0},
        {.payload_size = SIZE_MAX},
        {.payload_size = 8, .capacity = UINT32_MAX},
        {.payload_size = 8, .queue_size = UINT32_MAX},
        {.payload_size = 8, .name_size = SIZE_MAX},
    };
    for (size_t i = 0; i < sizeof flawed / sizeof *flawed; i++) {
        CHECK(resource_cache_init(&cache, &flawed[i]) != HM_OK);
        CHECK(resource_cache_pump(&cache, 0) == 0);
        resource_cache_fini(&cache);
    }
}

TEST(resource_cache, a_zeroed_cache_refuses_everything)
{
    struct resource_cache cache;
    struct files files;
    struct resource_info info;
    memset(&cache, 0, sizeof cache);
    files_begin(&files, 0, 0, 0);
    resource_handle handle = files_request(&files, "f1"), made;
    CHECK(resource_cache_request(&cache, &files.loader, "f1", &made) == HM_ERROR_INVALID);
    CHECK(resource_handle_is_null(resource_cache_find(&cache, "f1")));
    CHECK(resource_cache_get(&cache, handle) == NULL);
    CHECK(!resource_cache_acquire(&cache, handle) && !resource_cache_pin(&cache, handle));
    CHECK(!resource_cache_get_info(&cache, handle, &info));
    CHECK(resource_cache_pump(&cache, 0) == 0 && !resource_cache_wait(&cache));
    resource_cache_fini(&cache);
    files_end(&files);
}

TEST(resource_cache, a_loader_that_returns_nothing_has_failed)
{
    struct files files;
    files_begin(&files, 0, 0, 0);
    files.of[1].is_empty = true;
    files.of[2].is_silent = true;
    resource_handle empty = files_request(&files, "f1");
    resource_handle silent = files_request(&files, "f2");
    files_pump_all(&files);
    CHECK(files_says(&files, empty, "the loader returned nothing"));
    CHECK(files_state_of(&files, silent) == RESOURCE_FAILED &&
          files_says(&files, silent, "failed"));
    files_end(&files);
}

TEST(resource_cache, a_failure_to_finish_is_the_failure_of_the_load)
{
    struct files files;
    files_begin(&files, 0, 0, 0);
    files.of[1].finish_fails = true;
    resource_handle bad = files_request(&files, "f1");
    files_pump_all(&files);
    CHECK(files_state_of(&files, bad) == RESOURCE_FAILED && files_says(&files, bad, "no device"));
    CHECK(files.loads == 1 && files.unloads == 1);
    files_end(&files);
}

TEST(resource_cache, what_waits_for_room_is_not_overtaken)
{
    struct files files;
    files_begin(&files, 30, 10, 8);
    files.of[2].size = 30;
    files_request(&files, "f1");
    files_pump_all(&files);
    resource_handle large = files_request(&files, "f2");
    resource_handle small = files_request(&files, "f3"), other = files_request(&files, "f4");
    files_pump_all(&files);
    CHECK(files_version_of(&files, large) == 1 &&
          files_state_of(&files, large) == RESOURCE_EVICTED);
    CHECK(files_has_data(&files, small) && files_has_data(&files, other));
    files_end(&files);
}

TEST(resource_cache, a_reload_during_a_load_is_made_after_it)
{
    struct files files;
    files_begin(&files, 0, 10, 0);
    files.of[1].reloads_in_finish = 1;
    resource_handle a = files_request(&files, "f1");
    files_pump_all(&files);
    CHECK(files.loads == 2 && files_version_of(&files, a) == 2);
    files_end(&files);
}

TEST(resource_cache, a_drop_while_loading_lets_the_load_end_unseen)
{
    struct files files;
    files_begin(&files, 0, 10, 0);
    files.of[1].drops_in_finish = true;
    resource_handle dropped = files_request(&files, "f1");
    resource_handle other = files_request(&files, "f2");
    CHECK(resource_cache_pump(&files.cache, 0) == 1);
    CHECK(files_says(&files, dropped, "HM_HANDLE_STALE") && files_has_data(&files, other));
    CHECK(files.loads == 2 && files.unloads == 1);
    CHECK(resource_cache_validate(&files.cache) == HM_OK);
    CHECK(resource_cache_get_stats(&files.cache).used == 10);
    files_end(&files);
}

TEST(resource_cache, pump_ends_at_most_so_many_loads)
{
    struct files files;
    files_begin(&files, 0, 10, 2);
    for (int i = 0; i < 7; i++)
        files_request(&files, files.names[i]);
    CHECK(resource_cache_get_stats(&files.cache).queued == 7);
    CHECK(resource_cache_pump(&files.cache, 3) == 3);
    CHECK(resource_cache_pump(&files.cache, 3) == 3);
    CHECK(resource_cache_pump(&files.cache, 3) == 1);
    CHECK(files.inner_pumps == 0);
    files_end(&files);
}

TEST(resource_cache, pump_counts_swaps_and_failures_for_want_of_room_too)
{
    struct files files;
    files_begin(&files, 100, 10, 0);
    for (int i = 0; i < 3; i++)
        CHECK(resource_cache_pin(&files.cache, files_request(&files, files.names[i])));
    files_pump_all(&files);
    for (int i = 0; i < 3; i++)
        resource_cache_reload(&files.cache, resource_cache_find(&files.cache, files.names[i]));
    CHECK(resource_cache_pump(&files.cache, 0) == 0);
    for (int i = 0; i < 3; i++)
        resource_cache_unpin(&files.cache, resource_cache_find(&files.cache, files.names[i]));
    CHECK(resource_cache_pump(&files.cache, 2) == 2 && resource_cache_wait(&files.cache));
    CHECK(resource_cache_pump(&files.cache, 2) == 1 && !resource_cache_wait(&files.cache));
    for (int i = 3; i < 6; i++) {
        files.of[i].size = 1000;
        files_request(&files, files.names[i]);
    }
    CHECK(resource_cache_pump(&files.cache, 2) == 2 && resource_cache_wait(&files.cache));
    CHECK(resource_cache_pump(&files.cache, 2) == 1 && !resource_cache_wait(&files.cache));
    files_end(&files);
}

TEST(resource_cache, a_full_cache_refuses_a_new_name)
{
    struct files files;
    resource_handle handle;
    files_begin(&files, 0, 10, 0);
    for (int i = 0; i < FILES; i++)
        files_request(&files, files.names[i]);
    CHECK(resource_cache_request(&files.cache, &files.loader, "one more", &handle) ==
          HM_ERROR_FULL);
    CHECK(resource_handle_is_null(handle));
    files_pump_all(&files);
    CHECK(resource_cache_drop(&files.cache, resource_cache_find(&files.cache, "f0")) == HM_OK);
    CHECK(resource_cache_request(&files.cache, &files.loader, "one more", &handle) == HM_OK);
    files_end(&files);
}

TEST(resource_cache, fini_unloads_whatever_state_a_resource_is_in)
{
    struct files files;
    files_begin(&files, 40, 10, 2);
    files.of[2].fails = true;
    files.of[4].size = 100;
    files.of[5].requests_in_finish = 6;
    for (int i = 0; i < 20; i++)
        files_request(&files, files.names[i]);
    CHECK(resource_cache_pin(&files.cache, resource_cache_find(&files.cache, "f1")));
    resource_cache_pump(&files.cache, 6);
    CHECK(resource_cache_reload(&files.cache, resource_cache_find(&files.cache, "f1")) == HM_OK);
    resource_cache_pump(&files.cache, 8);
    files_end(&files); /* which compares loads and unloads */
}

/* Goes on in spite of refusals, and afterwards everything can be loaded. Returns whether there were
 * any. */
static bool load_under_refusal(struct files *files)
{
    for (int i = 0; i < FILES; i++) {
        resource_handle handle;
        resource_cache_request(&files->cache, &files->loader, files->names[i], &handle);
        if (i > 0)
            resource_cache_depend(&files->cache, resource_cache_find(&files->cache, "f0"), handle);
    }
    resource_cache_pump(&files->cache, 0);
    CHECK(resource_cache_validate(&files->cache) == HM_OK);
    bool is_refused = test_memory_refused(&files->memory);
    test_memory_fail(&files->memory, 0, false);
    for (int i = FILES - 1; i >= 0; i--) {
        resource_handle handle = files_request(files, files->names[i]);
        CHECK(resource_cache_reload(&files->cache, handle) == HM_OK);
    }
    files_pump_all(files);
    for (int i = 0; i < FILES; i++)
        CHECK(files_has_data(files, resource_cache_find(&files->cache, files->names[i])));
    return is_refused;
}

TEST(resource_cache, a_refusal_of_memory_at_any_call_is_reported_and_survived)
{
    static struct files files;
    bool is_refused = true;
    for (uint32_t k = 1; is_refused; k++) {
        for (int later = 0; later < 2; later++) {
            files_prepare(&files, 0, 10, 0);
            test_memory_fail(&files.memory, k, later != 0);
            hm_status status = resource_cache_init(&files.cache, &files.desc);
            is_refused = test_memory_refused(&files.memory);
            CHECK(status == HM_OK || (status == HM_ERROR_MEMORY && is_refused));
            if (status == HM_OK)
                is_refused = load_under_refusal(&files);
            files_end(&files);
        }
    }
}
