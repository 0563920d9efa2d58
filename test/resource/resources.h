/* SPDX-License-Identifier: MIT */
/* A resource cache whose files are made up: each can fail, vanish, change, and do things in its
 * `finish`. For 0 workers. */
#ifndef TEST_SUPPORT_RESOURCES_H
#define TEST_SUPPORT_RESOURCES_H

#include "support/memory.h"

#include "resource_cache.h"

enum { FILES = 32 };

/* The payload of each file. */
struct content {
    uint32_t number, version;
    void *self; /* its own address: payloads never move */
};

struct file {
    size_t size;
    uint32_t version;
    uint32_t reloads_in_finish;  /* so often */
    uint32_t requests_in_finish; /* another file, to depend on; 0: none */
    bool fails, is_silent;       /* with a message or without */
    bool is_empty;               /* succeeds without a byte */
    bool finish_fails, drops_in_finish;
    bool is_watched; /* finish notes the state of "f1" */
};

struct files {
    struct resource_cache cache;
    struct resource_cache_desc desc;
    struct resource_loader loader;
    test_memory memory;
    struct file of[FILES];
    char names[FILES][8]; /* "f0" and so on */
    enum resource_state seen_state[FILES];
    uint32_t loads; /* that were not sent back for room */
    uint32_t made;  /* payloads */
    uint32_t unloads;
    uint32_t inner_pumps; /* loads that ended in a pump inside of pump */
};

/* A cache of capacity FILES is described but not made. Each file has `size` bytes (0: 10). */
void files_prepare(struct files *files, size_t budget, size_t size, uint32_t queue_size);

/* The same, and makes the cache. */
void files_begin(struct files *files, size_t budget, size_t size, uint32_t queue_size);

/* Ends the cache, and checks that all is unloaded and released. */
void files_end(struct files *files);

/* What tests ask for. A failure to answer fails the test. */

resource_handle files_request(struct files *files, const char *name);
enum resource_state files_state_of(const struct files *files, resource_handle handle);
hm_status files_status_of(const struct files *files, resource_handle handle);
uint32_t files_version_of(const struct files *files, resource_handle handle);

/* Whether the message of a resource contains `what`. */
bool files_says(const struct files *files, resource_handle handle, const char *what);

/* Whether the data is there, without a use. */
bool files_has_data(const struct files *files, resource_handle handle);

/* Loads all that can be loaded, and validates the cache. */
void files_pump_all(struct files *files);

#endif
