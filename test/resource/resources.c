/* SPDX-License-Identifier: MIT */
/* A resource cache whose files are made up. See resources.h. */
#include "resources.h"

#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the number of a file, or FILES for a name that is none. */
static uint32_t number_of(const struct files *files, const char *name)
{
    uint32_t number = 0;
    while (number < FILES && strcmp(files->names[number], name) != 0)
        number++;
    return number;
}

static bool load(struct resource_load *load)
{
    struct files *files = load->context;
    struct content *content = load->payload;
    uint32_t number = number_of(files, load->name);
    CHECK(content->self == NULL && load->error[0] == '\0'); /* fresh, also the second time */
    CHECK(resource_load_is_wanted(load));
    content->self = content; /* what is left behind is cleared before the next call */
    if (number == FILES || files->of[number].fails || files->of[number].is_silent) {
        files->loads++;
        if (number == FILES || files->of[number].fails)
            snprintf(load->error, sizeof load->error, "%s is missing", load->name);
        return false;
    }
    const struct file *file = &files->of[number];
    if (!file->is_empty && !resource_load_reserve(load, file->size))
        return false;
    files->loads++;
    files->made++;
    *content = (struct content){number, file->version, content};
    return true;
}

static const char *finish(struct resource_cache *cache, resource_handle resource, void *payload,
                          void *context)
{
    struct files *files = context;
    const struct content *content = payload;
    struct file *file = &files->of[content->number];
    struct resource_info info;
    CHECK(content->self == payload);
    files->inner_pumps += resource_cache_pump(cache, 0);
    if (file->is_watched && resource_cache_get_info(cache, resource_cache_find(cache, "f1"), &info))
        files->seen_state[content->number] = info.state;
    if (file->requests_in_finish != 0) {
        resource_handle on;
        const char *name = files->names[file->requests_in_finish];
        CHECK(resource_cache_request(cache, &files->loader, name, &on) == HM_OK);
        CHECK(resource_cache_depend(cache, resource, on) == HM_OK);
        CHECK(resource_cache_release(cache, on)); /* the dependency keeps it */
    }
    if (file->reloads_in_finish != 0) {
        file->reloads_in_finish--;
        CHECK(resource_cache_reload(cache, resource) == HM_OK);
    }
    if (file->drops_in_finish)
        CHECK(resource_cache_drop(cache, resource) == HM_OK);
    return file->finish_fails ? "no device" : NULL;
}

static void unload(void *payload, void *context)
{
    struct files *files = context;
    struct content *content = payload;
    CHECK(content->self == payload);
    content->self = NULL;
    files->unloads++;
}

void files_prepare(struct files *files, size_t budget, size_t size, uint32_t queue_size)
{
    memset(files, 0, sizeof *files);
    test_memory_init_with_holes(&files->memory, test_page_size(4096));
    for (uint32_t i = 0; i < FILES; i++) {
        files->of[i].size = size != 0 ? size : 10;
        snprintf(files->names[i], sizeof files->names[i], "f%u", (unsigned)i);
    }
    files->loader = (struct resource_loader){load, finish, unload, files};
    files->desc = (struct resource_cache_desc){.payload_size = sizeof(struct content),
                                               .budget = budget,
                                               .capacity = FILES,
                                               .queue_size = queue_size,
                                               .memory = &files->memory.table};
}

void files_begin(struct files *files, size_t budget, size_t size, uint32_t queue_size)
{
    files_prepare(files, budget, size, queue_size);
    CHECK(resource_cache_init(&files->cache, &files->desc) == HM_OK);
}

void files_end(struct files *files)
{
    resource_cache_fini(&files->cache);
    resource_cache_fini(&files->cache);
    CHECK(files->made == files->unloads);
    test_memory_check_released(&files->memory);
}

resource_handle files_request(struct files *files, const char *name)
{
    resource_handle handle;
    CHECK(resource_cache_request(&files->cache, &files->loader, name, &handle) == HM_OK);
    return handle;
}

enum resource_state files_state_of(const struct files *files, resource_handle handle)
{
    struct resource_info info;
    CHECK(resource_cache_get_info(&files->cache, handle, &info));
    return info.state;
}

hm_status files_status_of(const struct files *files, resource_handle handle)
{
    struct resource_info info;
    CHECK(resource_cache_get_info(&files->cache, handle, &info));
    return info.status;
}

uint32_t files_version_of(const struct files *files, resource_handle handle)
{
    struct resource_info info;
    CHECK(resource_cache_get_info(&files->cache, handle, &info));
    return info.version;
}

bool files_says(const struct files *files, resource_handle handle, const char *what)
{
    return strstr(resource_cache_error(&files->cache, handle), what) != NULL;
}

bool files_has_data(const struct files *files, resource_handle handle)
{
    return files_state_of(files, handle) == RESOURCE_READY;
}

void files_pump_all(struct files *files)
{
    while (resource_cache_wait(&files->cache))
        resource_cache_pump(&files->cache, 0);
    CHECK(resource_cache_validate(&files->cache) == HM_OK);
}
