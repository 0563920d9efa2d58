/* SPDX-License-Identifier: MIT */
/* sink: the sinks and sources that are ready, and text. */
#include "base_private.h"

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

static bool sink_write_hash(void *context, const void *bytes, size_t size)
{
    hm_hash_add(context, bytes, size);
    return true;
}

hm_sink hm_sink_hash(hm_hash *hash)
{
    HM_CONTRACT(hash != NULL, "hm_sink_hash: hash is NULL");
    return (hm_sink){sink_write_hash, hash};
}

/* text */

static void text_flush(hm_text *text)
{
    if (text->status == HM_OK && !text->sink.write(text->sink.context, text->buffer, text->length))
        text->status = hm_fail(HM_ERROR_IO, "the sink refused %zu bytes of text", text->length);
    text->length = 0;
}

void hm_text_put(hm_text *text, const char *format, ...)
{
    va_list arguments;
    if (text->length > sizeof text->buffer - HM_TEXT_PART)
        text_flush(text);
    va_start(arguments, format);
    size_t length = hm_format_list(text->buffer + text->length, HM_TEXT_PART, format, arguments);
    va_end(arguments);
    /* Coverage: all texts fit, and cutting off keeps an error there small. */
    text->length += length < HM_TEXT_PART ? length : HM_TEXT_PART - 1;
}

hm_status hm_text_end(hm_text *text)
{
    text_flush(text);
    return text->status;
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
