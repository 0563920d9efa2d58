/* SPDX-License-Identifier: MIT */
/* sink: the sinks and sources that are ready. */
#include "base_private.h"

#include <handle_map/sink.h>

static bool sink_write_memory(void *context, const void *bytes, size_t size)
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

static bool sink_read_memory(void *context, void *bytes, size_t size)
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
    return (hm_sink){sink_write_memory, stream};
}

hm_source hm_source_memory(hm_memory_stream *stream)
{
    HM_CONTRACT(stream != NULL, "hm_source_memory: stream is NULL");
    return (hm_source){sink_read_memory, stream};
}

#ifndef HM_FREESTANDING

static bool sink_write_file(void *context, const void *bytes, size_t size)
{
    return fwrite(bytes, 1, size, context) == size;
}

static bool sink_read_file(void *context, void *bytes, size_t size)
{
    return fread(bytes, 1, size, context) == size;
}

hm_sink hm_sink_file(FILE *file)
{
    HM_CONTRACT(file != NULL, "hm_sink_file: file is NULL");
    return (hm_sink){sink_write_file, file};
}

hm_source hm_source_file(FILE *file)
{
    HM_CONTRACT(file != NULL, "hm_source_file: file is NULL");
    return (hm_source){sink_read_file, file};
}

#endif
