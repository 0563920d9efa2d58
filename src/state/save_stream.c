/* SPDX-License-Identifier: MIT */
/* save: the payload of a section, in blocks of 64 KiB, each with its checksum behind it. */
#include "state_private.h"

enum { STREAM_SUM = 8 };

static void stream_write(hm_save_out *out, const void *bytes, size_t size)
{
    if (!out->sink.write(out->sink.context, bytes, size))
        out->status =
            hm_fail(HM_ERROR_IO,
                    "the sink refused section '%.40s' with %" HM_U64 " bytes still to be written",
                    out->section->name, out->left);
}

/* Writes the checksum of the block, and begins another. */
static void stream_close_block(hm_save_out *out)
{
    unsigned char sum[STREAM_SUM];
    hm_save_put_64(sum, hm_hash_end(&out->hash));
    out->block = HM_SAVE_BLOCK;
    hm_hash_begin(&out->hash, 0);
    stream_write(out, sum, sizeof sum);
}

void hm_save_write(hm_save_out *out, const void *bytes, size_t size)
{
    const unsigned char *from = bytes;
    while (size > 0 && out->status == HM_OK) {
        size_t part = size < out->block ? size : out->block;
        hm_hash_add(&out->hash, from, part);
        out->left -= part;
        out->block -= part;
        stream_write(out, from, part);
        from += part;
        size -= part;
        if (out->status == HM_OK && (out->block == 0 || out->left == 0))
            stream_close_block(out);
    }
}

hm_status hm_save_end(hm_save_out *out)
{
    if (out->status == HM_OK && out->left != 0)
        out->status =
            hm_fail(HM_ERROR_BUSY, "'%.40s' was changed while it was saved: save it again",
                    out->section->name);
    return out->status;
}

/* Returns where a byte of the payload is: bytes from where the load began. */
static uint64_t stream_place_of(const hm_save_in *in, uint64_t position)
{
    return in->payload + position + position / HM_SAVE_BLOCK * STREAM_SUM;
}

hm_status hm_load_fail(hm_save_in *in, hm_status status, size_t back, const char *format, ...)
{
    char why[96];
    va_list arguments;
    va_start(arguments, format);
    (void)hm_format_list(why, sizeof why, format, arguments);
    va_end(arguments);
    uint64_t position = in->section.payload_size - in->left - back;
    in->status = hm_fail(status, "section '%.40s', byte %" HM_U64 ": %s", in->name,
                         stream_place_of(in, position), why);
    return in->status;
}

static bool stream_read(hm_save_in *in, void *bytes, size_t size)
{
    if (in->source.read(in->source.context, bytes, size))
        return true;
    (void)hm_load_fail(in, HM_ERROR_CORRUPT, 0, "the source ends in the next %zu bytes", size);
    return false;
}

/* Compares the checksum of the block, and begins another. */
static bool stream_check_block(hm_save_in *in)
{
    unsigned char sum[STREAM_SUM];
    if (!stream_read(in, sum, sizeof sum))
        return false;
    size_t size = HM_SAVE_BLOCK - in->block;
    if (hm_load_64(sum) != hm_hash_end(&in->hash)) {
        (void)hm_load_fail(in, HM_ERROR_CORRUPT, size,
                           "the checksum of the block of %zu bytes is wrong", size);
        return false;
    }
    in->block = HM_SAVE_BLOCK;
    hm_hash_begin(&in->hash, 0);
    return true;
}

bool hm_load_read(hm_save_in *in, void *bytes, size_t size)
{
    unsigned char *to = bytes;
    if (size > in->left) {
        (void)hm_load_fail(in, HM_ERROR_CORRUPT, 0, "the section ends too early");
        return false;
    }
    while (size > 0) {
        size_t part = size < in->block ? size : in->block;
        if (!stream_read(in, to, part))
            return false;
        hm_hash_add(&in->hash, to, part);
        in->left -= part;
        in->block -= part;
        to += part;
        size -= part;
        if ((in->block == 0 || in->left == 0) && !stream_check_block(in))
            return false;
    }
    return true;
}

hm_status hm_load_end(hm_save_in *in)
{
    if (in->status == HM_OK && in->left != 0)
        return hm_load_fail(in, HM_ERROR_CORRUPT, 0, "the section is longer than its parts");
    return in->status;
}

bool hm_load_skip(hm_save_in *in)
{
    uint64_t blocks = (in->left + HM_SAVE_BLOCK - 1) / HM_SAVE_BLOCK;
    in->left += blocks * STREAM_SUM;
    in->start = in->payload + in->left;
    while (in->left > 0) {
        size_t part = in->left < HM_SAVE_BUFFER ? (size_t)in->left : HM_SAVE_BUFFER;
        if (!in->source.read(in->source.context, in->buffer, part)) {
            in->status = hm_fail(HM_ERROR_CORRUPT,
                                 "the source ends in section '%.40s', which is skipped, %" HM_U64
                                 " bytes before its end",
                                 in->name, in->left);
            return false;
        }
        in->left -= part;
    }
    return true;
}

bool hm_load_pass(hm_save_in *in, uint64_t size)
{
    while (size > 0) {
        size_t part = size < HM_SAVE_BUFFER ? (size_t)size : HM_SAVE_BUFFER;
        if (!hm_load_read(in, in->buffer, part))
            return false;
        size -= part;
    }
    return true;
}

hm_status hm_load_confirm(hm_save_in *in, hm_status status)
{
    if (status != HM_ERROR_INVALID && status != HM_ERROR_FULL)
        return status;
    return hm_load_pass(in, in->left) ? status : in->status;
}
