/* SPDX-License-Identifier: MIT */
/* save: the sinks and sources that are ready. */
#include "save_internal.h"

static bool sinks_write_memory(void *context, const void *bytes, size_t size)
{
    hm_memory_stream *stream = context;
    if (stream->bytes != NULL) {
        if (stream->position > stream->size || size > stream->size - stream->position)
            return false;
        memcpy(stream->bytes + stream->position, bytes, size);
    }
    stream->position += size;
    return true;
}

static bool sinks_read_memory(void *context, void *bytes, size_t size)
{
    hm_memory_stream *stream = context;
    if (stream->bytes == NULL || stream->position > stream->size ||
        size > stream->size - stream->position)
        return false;
    memcpy(bytes, stream->bytes + stream->position, size);
    stream->position += size;
    return true;
}

hm_sink hm_sink_memory(hm_memory_stream *stream)
{
    HM_CONTRACT(stream != NULL, "hm_sink_memory: stream is NULL");
    return (hm_sink){sinks_write_memory, stream};
}

hm_source hm_source_memory(hm_memory_stream *stream)
{
    HM_CONTRACT(stream != NULL, "hm_source_memory: stream is NULL");
    return (hm_source){sinks_read_memory, stream};
}

#ifndef HM_FREESTANDING

static bool sinks_write_file(void *context, const void *bytes, size_t size)
{
    return fwrite(bytes, 1, size, context) == size;
}

static bool sinks_read_file(void *context, void *bytes, size_t size)
{
    return fread(bytes, 1, size, context) == size;
}

hm_sink hm_sink_file(FILE *file)
{
    HM_CONTRACT(file != NULL, "hm_sink_file: file is NULL");
    return (hm_sink){sinks_write_file, file};
}

hm_source hm_source_file(FILE *file)
{
    HM_CONTRACT(file != NULL, "hm_source_file: file is NULL");
    return (hm_source){sinks_read_file, file};
}

#endif
