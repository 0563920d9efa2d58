/* SPDX-License-Identifier: MIT */
/* save: items, as their bytes or through encode and decode. */
#include "state_private.h"

void hm_save_items(hm_save_out *out, const hm_save_desc *desc, const void *items, size_t item_size,
                   uint32_t n)
{
    const unsigned char *item = items;
    if (desc == NULL || desc->encode == NULL) {
        hm_save_write(out, item, item_size * n);
        return;
    }
    size_t size = desc->encoded_size;
    uint32_t most = (uint32_t)(HM_SAVE_BUFFER / size);
    while (n > 0 && out->status == HM_OK) {
        uint32_t part = n < most ? n : most;
        memset(out->buffer, 0, size * part);
        for (uint32_t i = 0; i < part; i++, item += item_size)
            desc->encode(item, out->buffer + size * i, desc->context);
        hm_save_write(out, out->buffer, size * part);
        n -= part;
    }
}

uint32_t hm_load_next(size_t item_size, uint32_t left)
{
    size_t most = item_size < HM_SAVE_BLOCK ? HM_SAVE_BLOCK / item_size : 1;
    return left < most ? left : (uint32_t)most;
}

/* Reads n items, all of which fit in the buffer. */
static uint32_t items_decode(hm_save_in *in, const hm_save_desc *desc, unsigned char *item,
                             size_t item_size, uint32_t n)
{
    size_t size = in->section.encoded_size;
    if (!hm_load_read(in, in->buffer, size * n))
        return 0;
    for (uint32_t i = 0; i < n; i++, item += item_size) {
        memset(item, 0, item_size);
        if (!desc->decode(in->section.version, in->buffer + size * i, size, item, desc->context)) {
            (void)hm_load_fail(in, HM_ERROR_CORRUPT, size * (n - i), "decode refused the item");
            return i;
        }
    }
    return n;
}

uint32_t hm_load_items(hm_save_in *in, const hm_save_desc *desc, void *items, size_t item_size,
                       uint32_t n)
{
    if (!hm_load_decodes(desc))
        return hm_load_read(in, items, item_size * n) ? n : 0;
    uint32_t most = HM_SAVE_BUFFER / in->section.encoded_size, done = 0;
    while (done < n && in->status == HM_OK) {
        uint32_t part = n - done < most ? n - done : most;
        done += items_decode(in, desc, (unsigned char *)items + item_size * done, item_size, part);
    }
    return done;
}

void hm_load_destroy(const hm_save_desc *desc, void (*destroy)(void *item, void *context),
                     void *context, void *items, size_t item_size, uint32_t made)
{
    bool destroys = hm_load_decodes(desc) && destroy != NULL;
    for (uint32_t i = made; i-- > 0 && destroys;)
        destroy((unsigned char *)items + item_size * i, context);
}
