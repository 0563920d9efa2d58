/* SPDX-License-Identifier: MIT */
/* resource_loaders: loaders for the resource cache that read files. A name is a path.
 *
 * Each reserves its bytes of the budget before it takes memory, except for models: Assimp tells
 * their size only once it has read them. Memory is from hm_memory_heap(). Loaders may be shared by
 * caches. */
#ifndef RESOURCE_LOADERS_H
#define RESOURCE_LOADERS_H

#include "resource_cache.h"
#include "scene_import.h"

/* The bytes of a file, and a 0 behind them, which counts as one more byte of the budget. */
struct resource_bytes {
    const unsigned char *data;
    size_t size;
    hm_array memory;
};

/* An image: rows from top to bottom, four bytes to a pixel: red, green, blue, alpha. */
struct resource_image {
    const unsigned char *pixels;
    uint32_t width, height;
    hm_array memory;
};

/* As large as any payload: the cache's payload_size. */
union resource_payload {
    struct resource_bytes bytes;
    struct resource_image image;
    struct model model;
};

/* Any regular file. */
extern const struct resource_loader resource_bytes_loader;

/* A PNG file, if compiled with HM_WITH_PNG. */
extern const struct resource_loader resource_image_loader;

/* The nodes of a scene file, if compiled with HM_WITH_ASSIMP. Since Assimp's messages are shared by
 * all threads, one model is read at a time. */
extern const struct resource_loader resource_model_loader;

#endif
