/* SPDX-License-Identifier: MIT */
/* The resource cache of docs/examples, with 0 workers: every verb, and every bad input. */
#include "resources.h"
#include "support/memory.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

TEST(resource_cache, equal_names_have_equal_handles_and_are_loaded_once)
{
    struct files files;
    files_begin(&files, 0, 0, 0);
    resource_handle wood = files_request(&files, "f1");
    resource_handle stone = files_request(&files, "f2");
    char same[] = "f1";
    CHECK(resource_handle_equal(files_request(&files, same), wood));
    CHECK(!resource_handle_equal(wood, stone));
    CHECK(resource_handle_equal(resource_cache_find(&files.cache, "f2"), stone));
    CHECK(resource_handle_is_null(resource_cache_find(&files.cache, "f3")));
    CHECK(resource_cache_pump(&files.cache, 0) == 2);
    CHECK(files.loads == 2);
    const struct content *content = resource_cache_get(&files.cache, wood);
    CHECK(content != NULL && content->number == 1);
    CHECK(resource_handle_equal(files_request(&files, "f1"), wood));
    CHECK(resource_cache_pump(&files.cache, 0) == 0 && files.loads == 2);
    files_end(&files);
}

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

TEST(resource_cache, a_load_that_fails_says_why_and_the_rest_goes_on)
{
    struct files files;
    files_begin(&files, 0, 0, 0);
    files.of[1].fails = true;
    resource_handle bad = files_request(&files, "f1");
    resource_handle good = files_request(&files, "f2");
    CHECK(resource_cache_pump(&files.cache, 0) == 2);
    CHECK(files_state_of(&files, bad) == RESOURCE_FAILED &&
          files_says(&files, bad, "f1 is missing"));
    CHECK(files_status_of(&files, bad) == HM_ERROR_INVALID);
    CHECK(resource_cache_get(&files.cache, bad) == NULL);
    CHECK(files_has_data(&files, good) && files_says(&files, good, "") &&
          files_status_of(&files, good) == HM_OK);
    files_pump_all(&files);
    CHECK(files.loads == 2); /* a failure is not tried again by itself */
    files.of[1].fails = false;
    CHECK(resource_cache_reload(&files.cache, bad) == HM_OK);
    files_pump_all(&files);
    CHECK(files_has_data(&files, bad) && *resource_cache_error(&files.cache, bad) == '\0');
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

TEST(resource_cache, what_is_larger_than_the_budget_has_no_room_and_the_rest_stays)
{
    struct files files;
    files_begin(&files, 100, 0, 0);
    files.of[1].size = 101;
    files.of[2].size = 100;
    resource_handle small = files_request(&files, "f2");
    files_pump_all(&files);
    resource_handle large = files_request(&files, "f1");
    files_pump_all(&files);
    CHECK(files_status_of(&files, large) == HM_ERROR_FULL);
    CHECK(files_says(&files, large, "no room for 101 bytes: the budget is 100, of which 0"));
    CHECK(files_has_data(&files, small));
    CHECK(resource_cache_get_stats(&files.cache).peak == 100);
    files_end(&files);
}

TEST(resource_cache, the_least_recently_used_gives_way_and_comes_back_on_demand)
{
    struct files files;
    files_begin(&files, 30, 10, 0);
    resource_handle a = files_request(&files, "f1"), b = files_request(&files, "f2"),
                    c = files_request(&files, "f3");
    files_pump_all(&files);
    CHECK(resource_cache_get(&files.cache, a) != NULL);
    files_request(&files, "f4");
    files_pump_all(&files);
    CHECK(files_has_data(&files, a) && files_has_data(&files, c));
    CHECK(files_state_of(&files, b) == RESOURCE_EVICTED);
    CHECK(resource_handle_equal(resource_cache_find(&files.cache, "f2"), b));
    CHECK(resource_cache_get(&files.cache, b) == NULL);
    CHECK(files_state_of(&files, b) == RESOURCE_QUEUED);
    files_pump_all(&files);
    const struct content *content = resource_cache_get(&files.cache, b);
    CHECK(content != NULL && content->number == 2 && files_version_of(&files, b) == 2);
    CHECK(files_state_of(&files, c) == RESOURCE_EVICTED);
    CHECK(resource_handle_equal(files_request(&files, "f3"), c));
    files_pump_all(&files);
    CHECK(files_has_data(&files, c) && resource_cache_get_stats(&files.cache).evictions == 3);
    files_end(&files);
}

TEST(resource_cache, what_is_pinned_stays_and_too_much_of_it_leaves_no_room)
{
    struct files files;
    files_begin(&files, 30, 10, 0);
    resource_handle a = files_request(&files, "f1"), b = files_request(&files, "f2"),
                    c = files_request(&files, "f3");
    CHECK(resource_cache_pin(&files.cache, a) && resource_cache_pin(&files.cache, a));
    CHECK(resource_cache_pin(&files.cache, b) && resource_cache_pin(&files.cache, c));
    files_pump_all(&files);
    const void *address = resource_cache_get(&files.cache, a);
    resource_handle d = files_request(&files, "f4");
    files_pump_all(&files);
    CHECK(files_status_of(&files, d) == HM_ERROR_FULL &&
          files_says(&files, d, "30 cannot be evicted"));
    CHECK(resource_cache_unpin(&files.cache, a) && resource_cache_unpin(&files.cache, b));
    CHECK(resource_cache_reload(&files.cache, d) == HM_OK);
    files_pump_all(&files);
    CHECK(files_has_data(&files, d) && files_state_of(&files, b) == RESOURCE_EVICTED);
    CHECK(resource_cache_get(&files.cache, a) == address);
    CHECK(resource_cache_unpin(&files.cache, a) && !resource_cache_unpin(&files.cache, a));
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

TEST(resource_cache, a_pin_loads_what_was_evicted)
{
    struct files files;
    files_begin(&files, 10, 10, 0);
    resource_handle a = files_request(&files, "f1");
    files_pump_all(&files);
    files_request(&files, "f2");
    files_pump_all(&files);
    CHECK(files_state_of(&files, a) == RESOURCE_EVICTED);
    CHECK(resource_cache_pin(&files.cache, a));
    files_pump_all(&files);
    CHECK(files_has_data(&files, a));
    files_end(&files);
}

TEST(resource_cache, a_reload_replaces_the_data_once_the_new_is_ready)
{
    struct files files;
    files_begin(&files, 0, 10, 0);
    resource_handle a = files_request(&files, "f1");
    files_pump_all(&files);
    const struct content *old = resource_cache_get(&files.cache, a);
    files.of[1].version = 7;
    CHECK(resource_cache_reload(&files.cache, a) == HM_OK);
    CHECK(resource_cache_get(&files.cache, a) == old && files_version_of(&files, a) == 1);
    files_pump_all(&files);
    const struct content *fresh = resource_cache_get(&files.cache, a);
    CHECK(fresh != old && fresh->version == 7 && files_version_of(&files, a) == 2);
    CHECK(resource_cache_get_stats(&files.cache).used == 10);
    files_end(&files);
}

TEST(resource_cache, a_reload_that_fails_keeps_the_old_data_and_says_why)
{
    struct files files;
    files_begin(&files, 0, 10, 0);
    resource_handle a = files_request(&files, "f1");
    files_pump_all(&files);
    const struct content *old = resource_cache_get(&files.cache, a);
    files.of[1].fails = true;
    CHECK(resource_cache_reload(&files.cache, a) == HM_OK);
    files_pump_all(&files);
    CHECK(resource_cache_get(&files.cache, a) == old && files_version_of(&files, a) == 1);
    CHECK(files_has_data(&files, a) && files_says(&files, a, "f1 is missing"));
    CHECK(files_status_of(&files, a) == HM_ERROR_INVALID);
    files_end(&files);
}

TEST(resource_cache, pinned_data_is_replaced_after_the_last_unpin)
{
    struct files files;
    files_begin(&files, 0, 10, 0);
    resource_handle a = files_request(&files, "f1");
    CHECK(resource_cache_pin(&files.cache, a));
    files_pump_all(&files);
    const struct content *old = resource_cache_get(&files.cache, a);
    files.of[1].version = 7;
    CHECK(resource_cache_reload(&files.cache, a) == HM_OK);
    files_pump_all(&files);
    CHECK(resource_cache_get(&files.cache, a) == old && old->version == 0);
    CHECK(resource_cache_unpin(&files.cache, a));
    CHECK(resource_cache_wait(&files.cache) && resource_cache_pump(&files.cache, 0) == 1);
    const struct content *fresh = resource_cache_get(&files.cache, a);
    CHECK(fresh->version == 7 && files_version_of(&files, a) == 2);
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

TEST(resource_cache, a_file_that_vanishes_between_two_loads_is_a_failure_by_name)
{
    struct files files;
    files_begin(&files, 10, 10, 0);
    resource_handle a = files_request(&files, "f1");
    files_pump_all(&files);
    resource_handle b = files_request(&files, "f2");
    files.of[1].fails = true;
    files_pump_all(&files);
    CHECK(resource_cache_get(&files.cache, a) == NULL);
    files_pump_all(&files);
    CHECK(files_state_of(&files, a) == RESOURCE_FAILED && files_says(&files, a, "f1 is missing"));
    CHECK(files_has_data(&files, b));
    files_end(&files);
}

TEST(resource_cache, without_references_a_resource_goes_with_its_data)
{
    struct files files;
    files_begin(&files, 20, 10, 0);
    resource_handle a = files_request(&files, "f1");
    CHECK(resource_cache_acquire(&files.cache, a));
    files_pump_all(&files);
    CHECK(resource_cache_release(&files.cache, a) && resource_cache_release(&files.cache, a));
    CHECK(!resource_cache_release(&files.cache, a));
    CHECK(files_has_data(&files, a));
    files_request(&files, "f2");
    files_request(&files, "f3");
    files_pump_all(&files);
    CHECK(resource_cache_get(&files.cache, a) == NULL);
    CHECK(files_says(&files, a, "HM_HANDLE_STALE"));
    CHECK(resource_handle_is_null(resource_cache_find(&files.cache, "f1")));
    resource_handle queued = files_request(&files, "f4");
    CHECK(resource_cache_release(&files.cache, queued));
    CHECK(files_says(&files, queued, "HM_HANDLE_STALE"));
    files_end(&files);
}

TEST(resource_cache, a_pin_keeps_a_resource_without_references)
{
    struct files files;
    files_begin(&files, 0, 10, 0);
    resource_handle a = files_request(&files, "f1");
    CHECK(resource_cache_pin(&files.cache, a) && resource_cache_release(&files.cache, a));
    files_pump_all(&files);
    CHECK(files_has_data(&files, a));
    files.of[2].fails = true;
    resource_handle b = files_request(&files, "f2");
    CHECK(resource_cache_pin(&files.cache, b) && resource_cache_release(&files.cache, b));
    files_pump_all(&files);
    CHECK(files_state_of(&files, b) == RESOURCE_FAILED);
    CHECK(resource_cache_unpin(&files.cache, b));
    CHECK(files_says(&files, b, "HM_HANDLE_STALE"));
    files_end(&files);
}

/* Each function, for a handle that does not resolve. */
static void check_refused(struct files *files, resource_handle handle)
{
    struct resource_cache *cache = &files->cache;
    struct resource_info info;
    resource_handle live = files_request(files, "f9");
    CHECK(resource_cache_get(cache, handle) == NULL);
    CHECK(!resource_cache_acquire(cache, handle) && !resource_cache_release(cache, handle));
    CHECK(!resource_cache_pin(cache, handle) && !resource_cache_unpin(cache, handle));
    CHECK(resource_cache_reload(cache, handle) == HM_ERROR_STALE);
    CHECK(resource_cache_drop(cache, handle) == HM_ERROR_STALE);
    CHECK(resource_cache_depend(cache, handle, live) == HM_ERROR_STALE);
    CHECK(resource_cache_depend(cache, live, handle) == HM_ERROR_STALE);
    CHECK(!resource_cache_get_info(cache, handle, &info));
    CHECK(files_says(files, handle, "HM_HANDLE_"));
    CHECK(resource_cache_drop(cache, live) == HM_OK);
}

TEST(resource_cache, a_handle_from_before_a_drop_is_refused)
{
    struct files files;
    files_begin(&files, 0, 10, 0);
    resource_handle old = files_request(&files, "f1");
    files_pump_all(&files);
    CHECK(resource_cache_drop(&files.cache, old) == HM_OK);
    check_refused(&files, old);
    resource_handle fresh = files_request(&files, "f1");
    CHECK(!resource_handle_equal(old, fresh));
    check_refused(&files, old);
    check_refused(&files, resource_handle_null());
    check_refused(&files, (resource_handle){hm_handle_from_bits(UINT64_MAX)});
    files_pump_all(&files);
    CHECK(files_has_data(&files, fresh) && files.unloads == 1);
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
