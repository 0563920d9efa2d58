/* SPDX-License-Identifier: MIT */
/* Loaders that read files. See resource_loaders.h. */
#include "resource_loaders.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#ifdef HM_WITH_PNG
#include <png.h>
#endif

enum { CHUNK = 65536 }; /* bytes between two looks at whether the load is still wanted */

/* Says why a load has failed, and returns false. */
static bool say(struct resource_load *load, const char *why)
{
    snprintf(load->error, sizeof load->error, "%s: %s", why, load->name);
    return false;
}

/* Makes an array of `size` bytes, of which the budget has room already. */
static void *allocate(struct resource_load *load, hm_array *array, size_t size)
{
    const hm_array_desc desc = {.item_size = 1, .capacity = size, .memory = hm_memory_heap()};
    if (hm_array_init(array, &desc) == HM_OK && hm_array_resize(array, size) == HM_OK)
        return hm_array_data(array);
    hm_array_fini(array);
    say(load, "out of memory");
    return NULL;
}

/* Bytes */

/* A file may change while it is read: it must have as many bytes as it had at first. */
static bool read_all(struct resource_load *load, FILE *file, unsigned char *to, size_t size)
{
    size_t at = 0, got = 1;
    while (at < size && got != 0 && resource_load_is_wanted(load)) {
        got = fread(to + at, 1, size - at < CHUNK ? size - at : CHUNK, file);
        at += got;
    }
    if (ferror(file))
        return say(load, "cannot read");
    if (at < size || fgetc(file) != EOF)
        return say(load, "changed while it was read");
    return true;
}

static bool load_bytes(struct resource_load *load)
{
    struct resource_bytes *payload = load->payload;
    struct stat status;
    if (stat(load->name, &status) != 0)
        return say(load, "not found");
    if (!S_ISREG(status.st_mode))
        return say(load, "not a regular file");
    size_t size = (size_t)status.st_size;
    if (!resource_load_reserve(load, size + 1))
        return false;
    FILE *file = fopen(load->name, "rb");
    if (file == NULL)
        return say(load, "cannot be opened");
    unsigned char *data = allocate(load, &payload->memory, size + 1);
    bool is_read = data != NULL && read_all(load, file, data, size);
    fclose(file);
    if (!is_read) {
        hm_array_fini(&payload->memory);
        return false;
    }
    payload->data = data;
    payload->size = size;
    return true;
}

static void unload_bytes(void *payload, void *context)
{
    struct resource_bytes *bytes = payload;
    (void)context;
    hm_array_fini(&bytes->memory);
}

const struct resource_loader resource_bytes_loader = {.load = load_bytes, .unload = unload_bytes};

/* Images */

#ifdef HM_WITH_PNG

static bool decode(struct resource_load *load, png_image *png)
{
    struct resource_image *payload = load->payload;
    png->format = PNG_FORMAT_RGBA;
    if (png->width > UINT32_MAX / 4 || png->height > SIZE_MAX / 4 / png->width)
        return say(load, "too large");
    size_t size = (size_t)png->width * png->height * 4;
    if (!resource_load_reserve(load, size))
        return false;
    void *pixels = allocate(load, &payload->memory, size);
    if (pixels == NULL)
        return false;
    if (!png_image_finish_read(png, NULL, pixels, 0, NULL)) {
        hm_array_fini(&payload->memory);
        return say(load, png->message);
    }
    payload->pixels = pixels;
    payload->width = png->width;
    payload->height = png->height;
    return true;
}

static bool load_image(struct resource_load *load)
{
    png_image png = {.version = PNG_IMAGE_VERSION};
    bool is_begun = png_image_begin_read_from_file(&png, load->name) != 0;
    bool is_loaded = is_begun ? decode(load, &png) : say(load, png.message);
    png_image_free(&png);
    return is_loaded;
}

#else

static bool load_image(struct resource_load *load)
{
    return say(load, "this program was built without libpng");
}

#endif

static void unload_image(void *payload, void *context)
{
    struct resource_image *image = payload;
    (void)context;
    hm_array_fini(&image->memory);
}

const struct resource_loader resource_image_loader = {.load = load_image, .unload = unload_image};

/* Models */

#if RESOURCE_THREADS
static pthread_mutex_t importing = PTHREAD_MUTEX_INITIALIZER;

static void begin_import(void)
{
    pthread_mutex_lock(&importing);
}

static void end_import(void)
{
    pthread_mutex_unlock(&importing);
}
#else
static void begin_import(void)
{
}

static void end_import(void)
{
}
#endif

static bool load_model(struct resource_load *load)
{
    struct model *payload = load->payload;
    begin_import();
    const char *reason = model_import(payload, load->name);
    if (reason != NULL)
        say(load, reason);
    end_import();
    if (reason != NULL)
        return false;
    if (resource_load_reserve(load, model_count(payload) * sizeof(struct model_node)))
        return true;
    model_free(payload);
    return false;
}

static void unload_model(void *payload, void *context)
{
    (void)context;
    model_free(payload);
}

const struct resource_loader resource_model_loader = {.load = load_model, .unload = unload_model};
