/* SPDX-License-Identifier: MIT */
/* The loaders of docs/examples, with files that are missing, empty, cut off, or change. Images and
 * models are decoded if the test is built with libpng and Assimp; without, they say so. */
#if defined(__unix__) && !defined(__wasm__)
#define _POSIX_C_SOURCE 200809L

#include "support/test.h"

#include "resource_loaders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A cache, and a directory of its own. */
struct folder {
    struct resource_cache cache;
    char name[64];
    char path[128]; /* of the last file */
};

static void begin(struct folder *folder, size_t budget)
{
    const struct resource_cache_desc desc = {
        .payload_size = sizeof(union resource_payload), .budget = budget, .capacity = 16};
    memset(folder, 0, sizeof *folder);
    snprintf(folder->name, sizeof folder->name, "/tmp/resource_loaders_XXXXXX");
    CHECK(mkdtemp(folder->name) != NULL);
    CHECK(resource_cache_init(&folder->cache, &desc) == HM_OK);
}

static const char *path_of(struct folder *folder, const char *file)
{
    snprintf(folder->path, sizeof folder->path, "%s/%s", folder->name, file);
    return folder->path;
}

static void write_file(struct folder *folder, const char *file, const void *bytes, size_t size)
{
    FILE *stream = fopen(path_of(folder, file), "wb");
    CHECK(stream != NULL && fwrite(bytes, 1, size, stream) == size);
    CHECK(fclose(stream) == 0);
}

static void end(struct folder *folder)
{
    resource_cache_fini(&folder->cache);
    CHECK(rmdir(folder->name) == 0);
}

static resource_handle load(struct folder *folder, const struct resource_loader *loader,
                            const char *file)
{
    resource_handle handle;
    CHECK(resource_cache_request(&folder->cache, loader, path_of(folder, file), &handle) == HM_OK);
    while (resource_cache_wait(&folder->cache))
        resource_cache_pump(&folder->cache, 0);
    return handle;
}

static void check_failed(struct folder *folder, resource_handle handle, const char *why)
{
    struct resource_info info;
    CHECK(resource_cache_get_info(&folder->cache, handle, &info));
    CHECK(info.state == RESOURCE_FAILED);
    CHECK(strstr(resource_cache_error(&folder->cache, handle), why) != NULL);
}

TEST(resource_loaders, bytes_are_those_of_the_file_and_end_with_a_zero)
{
    struct folder folder;
    begin(&folder, 0);
    write_file(&folder, "full", "some\0bytes", 10);
    const struct resource_bytes *bytes =
        resource_cache_get(&folder.cache, load(&folder, &resource_bytes_loader, "full"));
    CHECK(bytes != NULL && bytes->size == 10 && memcmp(bytes->data, "some\0bytes", 11) == 0);
    CHECK(remove(folder.path) == 0);
    write_file(&folder, "empty", "", 0);
    bytes = resource_cache_get(&folder.cache, load(&folder, &resource_bytes_loader, "empty"));
    CHECK(bytes != NULL && bytes->size == 0 && bytes->data[0] == 0);
    CHECK(remove(folder.path) == 0);
    end(&folder);
}

TEST(resource_loaders, what_is_no_file_says_so)
{
    struct folder folder;
    begin(&folder, 0);
    check_failed(&folder, load(&folder, &resource_bytes_loader, "missing"), "not found: /tmp");
    CHECK(mkdir(path_of(&folder, "directory"), 0700) == 0);
    check_failed(&folder, load(&folder, &resource_bytes_loader, "directory"), "not a regular file");
    CHECK(rmdir(folder.path) == 0);
    end(&folder);
}

TEST(resource_loaders, a_file_that_vanishes_between_two_loads_says_so_and_the_rest_goes_on)
{
    struct folder folder;
    begin(&folder, 10);
    write_file(&folder, "a", "12345678", 8);
    resource_handle a = load(&folder, &resource_bytes_loader, "a");
    CHECK(resource_cache_get(&folder.cache, a) != NULL);
    CHECK(remove(folder.path) == 0);
    write_file(&folder, "b", "12345678", 8);
    resource_handle b = load(&folder, &resource_bytes_loader, "b");
    CHECK(resource_cache_get(&folder.cache, b) != NULL);
    CHECK(resource_cache_get(&folder.cache, a) == NULL);
    CHECK(resource_handle_equal(load(&folder, &resource_bytes_loader, "a"), a));
    check_failed(&folder, a, "not found");
    CHECK(remove(path_of(&folder, "b")) == 0);
    end(&folder);
}

TEST(resource_loaders, a_reload_reads_the_file_as_it_is_now)
{
    struct folder folder;
    begin(&folder, 0);
    write_file(&folder, "a", "old", 3);
    resource_handle a = load(&folder, &resource_bytes_loader, "a");
    write_file(&folder, "a", "newer", 5);
    CHECK(resource_cache_reload(&folder.cache, a) == HM_OK);
    CHECK(resource_cache_pump(&folder.cache, 0) == 1);
    const struct resource_bytes *bytes = resource_cache_get(&folder.cache, a);
    CHECK(bytes->size == 5 && strcmp((const char *)bytes->data, "newer") == 0);
    CHECK(remove(folder.path) == 0);
    end(&folder);
}

/* One opaque red pixel. */
static const unsigned char red_pixel[] = {
    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48,
    0x44, 0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x02, 0x00, 0x00,
    0x00, 0x90, 0x77, 0x53, 0xDE, 0x00, 0x00, 0x00, 0x0C, 0x49, 0x44, 0x41, 0x54, 0x78,
    0x9C, 0x63, 0xF8, 0xCF, 0xC0, 0x00, 0x00, 0x03, 0x01, 0x01, 0x00, 0xC9, 0xFE, 0x92,
    0xEF, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82};

TEST(resource_loaders, an_image_is_decoded_or_says_why_not)
{
    struct folder folder;
    begin(&folder, 0);
    write_file(&folder, "red.png", red_pixel, sizeof red_pixel);
    resource_handle red = load(&folder, &resource_image_loader, "red.png");
    CHECK(remove(folder.path) == 0);
    write_file(&folder, "cut.png", red_pixel, 45);
    resource_handle cut = load(&folder, &resource_image_loader, "cut.png");
    CHECK(remove(folder.path) == 0);
#ifdef HM_WITH_PNG
    static const unsigned char rgba[4] = {255, 0, 0, 255};
    const struct resource_image *image = resource_cache_get(&folder.cache, red);
    CHECK(image != NULL && image->width == 1 && image->height == 1);
    CHECK(memcmp(image->pixels, rgba, 4) == 0);
    check_failed(&folder, cut, "cut.png");
    check_failed(&folder, load(&folder, &resource_image_loader, "missing.png"), "missing.png");
#else
    check_failed(&folder, red, "built without libpng");
    check_failed(&folder, cut, "built without libpng");
#endif
    end(&folder);
}

/* Two nodes, each below the other's name, without a mesh. */
static const char two_nodes[] =
    "<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">"
    "<asset><up_axis>Y_UP</up_axis></asset><library_visual_scenes><visual_scene id=\"s\">"
    "<node id=\"a\" name=\"a\"><node id=\"b\" name=\"b\"><translate>1 2 3</translate></node>"
    "</node></visual_scene></library_visual_scenes>"
    "<scene><instance_visual_scene url=\"#s\"/></scene></COLLADA>";

TEST(resource_loaders, a_model_has_its_nodes_and_one_that_is_cut_off_says_so)
{
    struct folder folder;
    begin(&folder, 0);
    write_file(&folder, "two.dae", two_nodes, sizeof two_nodes - 1);
    resource_handle two = load(&folder, &resource_model_loader, "two.dae");
    CHECK(remove(folder.path) == 0);
    write_file(&folder, "cut.dae", two_nodes, sizeof two_nodes / 2);
    resource_handle cut = load(&folder, &resource_model_loader, "cut.dae");
    CHECK(remove(folder.path) == 0);
#ifdef HM_WITH_ASSIMP
    const struct model *model = resource_cache_get(&folder.cache, two);
    CHECK(model != NULL && model_count(model) >= 2);
    check_failed(&folder, cut, "cut.dae");
    check_failed(&folder, load(&folder, &resource_model_loader, "missing.dae"), "missing.dae");
#else
    check_failed(&folder, two, "built without Assimp");
    check_failed(&folder, cut, "built without Assimp");
#endif
    end(&folder);
}

#else

typedef int resource_loaders_need_files; /* A file needs a declaration. */

#endif
