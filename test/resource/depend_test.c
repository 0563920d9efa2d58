/* SPDX-License-Identifier: MIT */
/* Dependencies among the resources of the cache of docs/examples, with 0 workers. */
#include "resources.h"
#include "support/test.h"

TEST(resource_depend, what_is_pinned_or_depended_on_is_not_dropped)
{
    struct files files;
    files_begin(&files, 0, 10, 0);
    resource_handle top = files_request(&files, "f1"), below = files_request(&files, "f2");
    CHECK(resource_cache_depend(&files.cache, top, below) == HM_OK);
    CHECK(resource_cache_pin(&files.cache, top));
    files_pump_all(&files);
    CHECK(resource_cache_drop(&files.cache, top) == HM_ERROR_BUSY);
    CHECK(resource_cache_drop(&files.cache, below) == HM_ERROR_BUSY);
    CHECK(resource_cache_unpin(&files.cache, top));
    CHECK(resource_cache_drop(&files.cache, top) == HM_OK);
    CHECK(resource_cache_drop(&files.cache, below) == HM_OK);
    CHECK(files.unloads == 2);
    files_end(&files);
}

TEST(resource_depend, a_resource_is_ready_after_all_that_it_depends_on)
{
    struct files files;
    files_begin(&files, 0, 10, 1);
    files.of[1].requests_in_finish = 2; /* f2, which requests f3 */
    files.of[2].requests_in_finish = 3;
    resource_handle top = files_request(&files, "f1");
    CHECK(resource_cache_pump(&files.cache, 1) == 1);
    CHECK(files_state_of(&files, top) == RESOURCE_LOADED && files.loads == 3);
    CHECK(files_has_data(&files, resource_cache_find(&files.cache, "f3")));
    CHECK(resource_cache_pump(&files.cache, 1) == 1);
    CHECK(files_has_data(&files, resource_cache_find(&files.cache, "f2")));
    CHECK(files_state_of(&files, top) == RESOURCE_LOADED);
    CHECK(resource_cache_pump(&files.cache, 1) == 1 && files_has_data(&files, top));
    CHECK(resource_cache_validate(&files.cache) == HM_OK);
    files_end(&files);
}

TEST(resource_depend, a_cycle_of_dependencies_is_refused)
{
    struct files files;
    files_begin(&files, 0, 10, 0);
    resource_handle a = files_request(&files, "f1"), b = files_request(&files, "f2"),
                    c = files_request(&files, "f3");
    CHECK(resource_cache_depend(&files.cache, a, a) == HM_ERROR_INVALID);
    CHECK(resource_cache_depend(&files.cache, a, b) == HM_OK);
    CHECK(resource_cache_depend(&files.cache, b, c) == HM_OK);
    CHECK(resource_cache_depend(&files.cache, c, a) == HM_ERROR_INVALID);
    CHECK(resource_cache_depend(&files.cache, a, b) == HM_OK); /* is so already */
    CHECK(resource_cache_depend(&files.cache, a, c) == HM_OK); /* two paths are no cycle */
    files_pump_all(&files);
    CHECK(files_has_data(&files, a) && files_has_data(&files, b) && files_has_data(&files, c));
    CHECK(resource_cache_depend(&files.cache, c, b) == HM_ERROR_INVALID);
    files_end(&files);
}

TEST(resource_depend, a_failed_dependency_is_the_failure_of_what_depends_on_it)
{
    struct files files;
    files_begin(&files, 0, 10, 0);
    files.of[3].fails = true;
    resource_handle a = files_request(&files, "f1"), b = files_request(&files, "f2"),
                    c = files_request(&files, "f3");
    CHECK(resource_cache_depend(&files.cache, a, b) == HM_OK);
    CHECK(resource_cache_depend(&files.cache, b, c) == HM_OK);
    files_pump_all(&files);
    CHECK(files_state_of(&files, a) == RESOURCE_FAILED && files_says(&files, a, "f2"));
    CHECK(files_state_of(&files, b) == RESOURCE_FAILED && files_says(&files, b, "f3"));
    files.of[3].fails = false;
    CHECK(resource_cache_reload(&files.cache, c) == HM_OK);
    CHECK(resource_cache_reload(&files.cache, b) == HM_OK);
    CHECK(resource_cache_reload(&files.cache, a) == HM_OK);
    files_pump_all(&files);
    CHECK(files_has_data(&files, a) && files_has_data(&files, b) && files_has_data(&files, c));
    files_end(&files);
}

TEST(resource_depend, what_a_ready_resource_depends_on_is_evicted_after_it)
{
    struct files files;
    files_begin(&files, 30, 10, 0);
    resource_handle top = files_request(&files, "f1"), below = files_request(&files, "f2");
    CHECK(resource_cache_depend(&files.cache, top, below) == HM_OK);
    files_pump_all(&files);
    CHECK(resource_cache_get(&files.cache, top) != NULL);
    files_request(&files, "f3");
    files_request(&files, "f4");
    files_pump_all(&files);
    CHECK(files_state_of(&files, top) == RESOURCE_EVICTED && files_has_data(&files, below));
    files_request(&files, "f5");
    files_pump_all(&files);
    CHECK(files_state_of(&files, below) != RESOURCE_EVICTED);
    files_request(&files, "f6");
    files_pump_all(&files);
    CHECK(files_state_of(&files, below) == RESOURCE_EVICTED);
    CHECK(resource_cache_get(&files.cache, top) == NULL);
    files_pump_all(&files);
    CHECK(files_has_data(&files, top) && files_has_data(&files, below));
    files_end(&files);
}

TEST(resource_depend, a_dependency_that_was_dropped_is_a_failure)
{
    struct files files;
    files_begin(&files, 20, 10, 0);
    files.loader.finish = NULL; /* which could declare others */
    resource_handle top = files_request(&files, "f1"), below = files_request(&files, "f2");
    CHECK(resource_cache_depend(&files.cache, top, below) == HM_OK);
    CHECK(resource_cache_drop(&files.cache, below) == HM_OK); /* nothing needs it yet */
    files_pump_all(&files);
    CHECK(files_state_of(&files, top) == RESOURCE_FAILED && files_says(&files, top, "dropped"));
    files_end(&files);
}

TEST(resource_depend, finish_can_replace_a_dependency_that_was_dropped)
{
    struct files files;
    files_begin(&files, 20, 10, 0);
    files.of[1].requests_in_finish = 2;
    resource_handle top = files_request(&files, "f1");
    files_pump_all(&files);
    resource_handle below = resource_cache_find(&files.cache, "f2");
    files_request(&files, "f3");
    files_pump_all(&files);
    CHECK(files_state_of(&files, top) == RESOURCE_EVICTED);
    CHECK(resource_cache_drop(&files.cache, below) == HM_OK);
    CHECK(resource_cache_get(&files.cache, top) == NULL);
    files_pump_all(&files);
    CHECK(files_has_data(&files, top));
    CHECK(files_has_data(&files, resource_cache_find(&files.cache, "f2")));
    files_end(&files);
}

TEST(resource_depend, a_long_chain_of_dependencies_is_dropped_without_recursion)
{
    enum { LENGTH = 10000 };
    struct resource_cache cache;
    struct files files;
    resource_handle handle, top = {HM_NULL_HANDLE}, above = {HM_NULL_HANDLE};
    files_begin(&files, 0, 0, 0);
    struct resource_cache_desc desc = {.payload_size = sizeof(struct content)};
    CHECK(resource_cache_init(&cache, &desc) == HM_OK);
    for (int i = 0; i < LENGTH; i++) {
        char name[16] = {'n', (char)('a' + i % 26), (char)('a' + i / 26 % 26),
                         (char)('a' + i / 676)};
        CHECK(resource_cache_request(&cache, &files.loader, name, &handle) == HM_OK);
        if (i == 0)
            top = handle;
        else
            CHECK(resource_cache_depend(&cache, above, handle) == HM_OK);
        CHECK(i == 0 || resource_cache_release(&cache, handle));
        above = handle;
    }
    CHECK(resource_cache_depend(&cache, above, top) == HM_ERROR_INVALID);
    CHECK(resource_cache_validate(&cache) == HM_OK);
    CHECK(resource_cache_release(&cache, top));
    CHECK(resource_cache_get_stats(&cache).resources == 0);
    resource_cache_fini(&cache);
    files_end(&files);
}
