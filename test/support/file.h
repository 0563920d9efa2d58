/* SPDX-License-Identifier: MIT */
/* A file in memory, for what is saved. */
#ifndef TEST_SUPPORT_FILE_H
#define TEST_SUPPORT_FILE_H

#include "test.h"

#include <handle_map/sink.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* It refuses a call on demand. */
typedef struct test_file {
    unsigned char *bytes;
    size_t size, space, position;
    uint32_t calls, fail_at; /* the call with this number is refused; 0: none */
} test_file;

static inline bool test_file_write(void *context, const void *bytes, size_t size)
{
    test_file *file = context;
    CHECK(size >= 1 && size <= 65536);
    if (++file->calls == file->fail_at)
        return false;
    if (file->size + size > file->space) {
        file->space = 2 * (file->size + size);
        file->bytes = realloc(file->bytes, file->space);
        CHECK(file->bytes != NULL);
    }
    memcpy(file->bytes + file->size, bytes, size);
    file->size += size;
    return true;
}

static inline bool test_file_read(void *context, void *bytes, size_t size)
{
    test_file *file = context;
    CHECK(size >= 1 && size <= 65536);
    if (++file->calls == file->fail_at || size > file->size - file->position)
        return false;
    memcpy(bytes, file->bytes + file->position, size);
    file->position += size;
    return true;
}

static inline hm_sink test_sink(test_file *file)
{
    return (hm_sink){test_file_write, file};
}

/* From the start. */
static inline hm_source test_source(test_file *file)
{
    file->position = 0;
    file->calls = 0;
    return (hm_source){test_file_read, file};
}

static inline void test_file_end(test_file *file)
{
    free(file->bytes);
    *file = (test_file){0};
}

#endif
