/* SPDX-License-Identifier: MIT */
/* resources: a resource cache under load, with real files.
 *
 *     resources --help
 *
 * Takes files of the directories, at most N at random, and reads each once to know what is in it.
 * Then it makes random requests, reads, pins, releases, reloads and drops for the seconds, with a
 * budget of so many percent of all bytes. Each read is compared with what the file held: a byte
 * that differs, data for the handle of a dropped resource, pinned data that has moved, or more
 * memory than the budget and one resource, and the exit code is 1. It is 2 if the command line is
 * wrong, or names a directory that cannot be read.
 *
 * PNG files are decoded, if the program was built with libpng; all others are read as bytes. */
#define _XOPEN_SOURCE 700

#include "command_line.h"
#include "resource_loaders.h"

#include <errno.h>
#include <ftw.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    MOST_FILES = 4000000, /* others are left out */
    MOST_BYTES = 1 << 30, /* of a file; larger ones are left out */
    MOST_PATH = 1024,     /* bytes of a path, with its end */
    STALE = 1024,         /* handles of dropped resources that are tried */
    MOST_PINS = 64,       /* at the same time */
    STEPS = 100,          /* between two calls of pump */
    VALIDATE_EVERY = 500  /* calls of pump */
};

struct options {
    uint32_t workers, seconds, budget_share, files, seed;
};

/* A file, and what this program has of it. */
struct tracked {
    const char *path;
    const struct resource_loader *loader;
    size_t size;  /* bytes of the budget; 0: cannot be loaded */
    uint64_t sum; /* of what is loaded */
    resource_handle handle;
    uint32_t references;
};

struct pinned {
    resource_handle handle;
    const void *data; /* NULL: was not ready when it was pinned */
    uint32_t file;
};

/* What was done, and what was found. */
struct counts {
    uint64_t requests, reads, read_bytes, pins, releases, reloads, drops, stale_handles;
    uint64_t wrong_reads, stale_reads, moved, wrong_handles, unexpected, changed;
    double worst_pump; /* seconds */
    size_t worst_alive;
};

struct soak {
    struct resource_cache cache;
    struct options options;
    hm_array paths;   /* characters */
    hm_array tracked; /* struct tracked */
    size_t total, largest, budget;
    struct pinned pins[MOST_PINS];
    uint32_t pin_count;
    resource_handle stale[STALE];
    uint64_t stale_count;
    struct counts counts;
    uint64_t random;
};

static double seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* A checksum: eight bytes at a time. */
static uint64_t sum_of(const unsigned char *bytes, size_t size)
{
    uint64_t sum = size;
    for (size_t at = 0; at < size; at += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes + at, size - at < 8 ? size - at : 8);
        sum = (sum ^ word) * UINT64_C(0x9E3779B97F4A7C15);
        sum ^= sum >> 29;
    }
    return sum;
}

/* Loaders that count what is alive, independently of the cache */

static atomic_size_t alive, most_alive;

static void count_alive(size_t size)
{
    size_t now = atomic_fetch_add(&alive, size) + size;
    size_t most = atomic_load(&most_alive);
    while (now > most && !atomic_compare_exchange_weak(&most_alive, &most, now))
        continue;
}

static size_t size_of_bytes(const void *payload)
{
    return hm_array_count(&((const struct resource_bytes *)payload)->memory);
}

static size_t size_of_image(const void *payload)
{
    return hm_array_count(&((const struct resource_image *)payload)->memory);
}

static bool load_bytes(struct resource_load *load)
{
    bool is_loaded = resource_bytes_loader.load(load);
    if (is_loaded)
        count_alive(size_of_bytes(load->payload));
    return is_loaded;
}

static void unload_bytes(void *payload, void *context)
{
    atomic_fetch_sub(&alive, size_of_bytes(payload));
    resource_bytes_loader.unload(payload, context);
}

static bool load_image(struct resource_load *load)
{
    bool is_loaded = resource_image_loader.load(load);
    if (is_loaded)
        count_alive(size_of_image(load->payload));
    return is_loaded;
}

static void unload_image(void *payload, void *context)
{
    atomic_fetch_sub(&alive, size_of_image(payload));
    resource_image_loader.unload(payload, context);
}

static const struct resource_loader bytes_loader = {.load = load_bytes, .unload = unload_bytes};
static const struct resource_loader image_loader = {.load = load_image, .unload = unload_image};

static uint64_t sum_of_payload(const struct tracked *file, const void *payload)
{
    const struct resource_bytes *bytes = payload;
    const struct resource_image *image = payload;
    return file->loader == &image_loader
               ? sum_of(image->pixels, (size_t)image->width * image->height * 4)
               : sum_of(bytes->data, bytes->size);
}

/* Files */

static struct soak *walking; /* nftw passes no context */

static int add_file(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    size_t length = strlen(path);
    size_t used = hm_array_count(&walking->paths);
    (void)where;
    if (kind != FTW_F || !S_ISREG(status->st_mode) || length >= MOST_PATH ||
        status->st_size > MOST_BYTES / 2 || hm_array_count(&walking->tracked) == MOST_FILES)
        return 0;
    if (hm_array_resize(&walking->paths, used + length + 1) != HM_OK)
        return 1;
    struct tracked *file = hm_array_push(&walking->tracked);
    if (file == NULL)
        return 1;
    char *copy = (char *)hm_array_data(&walking->paths) + used;
    memcpy(copy, path, length + 1);
    *file = (struct tracked){.path = copy, .loader = &bytes_loader};
#ifdef HM_WITH_PNG
    if (length > 4 && strcmp(path + length - 4, ".png") == 0)
        file->loader = &image_loader;
#endif
    return 0;
}

static struct tracked *file_at(const struct soak *soak, size_t i)
{
    return (struct tracked *)hm_array_data(&soak->tracked) + i;
}

static uint32_t file_count(const struct soak *soak)
{
    return (uint32_t)hm_array_count(&soak->tracked);
}

static uint32_t below(struct soak *soak, uint32_t n)
{
    return random_below(&soak->random, n);
}

/* Takes `files` of them at random. */
static bool choose_files(struct soak *soak)
{
    uint32_t count = file_count(soak);
    uint32_t chosen = count < soak->options.files ? count : soak->options.files;
    for (uint32_t i = 0; i < chosen; i++) {
        struct tracked *a = file_at(soak, i), *b = file_at(soak, i + below(soak, count - i));
        struct tracked swapped = *a;
        *a = *b;
        *b = swapped;
    }
    return hm_array_resize(&soak->tracked, chosen) == HM_OK;
}

/* Reads a file with stdio. Returns whether that worked. */
static bool measure_bytes(struct tracked *file, hm_array *buffer)
{
    size_t size = 0, got = 1;
    FILE *stream = fopen(file->path, "rb");
    if (stream == NULL)
        return false;
    while (got != 0 && hm_array_resize(buffer, size + 65536) == HM_OK) {
        got = fread((char *)hm_array_data(buffer) + size, 1, 65536, stream);
        size += got;
    }
    bool is_read = got == 0 && !ferror(stream);
    fclose(stream);
    file->size = is_read ? size + 1 : 0;
    file->sum = is_read ? sum_of(hm_array_data(buffer), size) : 0;
    return is_read;
}

/* Decodes an image through a cache of its own, without workers. */
static bool measure_image(struct tracked *file)
{
    struct resource_cache cache;
    struct resource_info info;
    resource_handle handle;
    const struct resource_cache_desc desc = {
        .payload_size = sizeof(union resource_payload), .name_size = MOST_PATH, .capacity = 1};
    file->size = 0;
    if (resource_cache_init(&cache, &desc) != HM_OK)
        return false;
    resource_cache_request(&cache, file->loader, file->path, &handle);
    resource_cache_pump(&cache, 0);
    const void *payload = resource_cache_get(&cache, handle);
    if (payload != NULL && resource_cache_get_info(&cache, handle, &info)) {
        file->size = info.size;
        file->sum = sum_of_payload(file, payload);
    }
    resource_cache_fini(&cache);
    return true;
}

/* A file that cannot be read stays among them: its requests must fail. */
static bool measure(struct tracked *file)
{
    if (file->loader == &image_loader)
        return measure_image(file);
    hm_array buffer;
    const hm_array_desc desc = {.item_size = 1, .capacity = MOST_BYTES};
    if (hm_array_init(&buffer, &desc) != HM_OK)
        return false;
    measure_bytes(file, &buffer);
    hm_array_fini(&buffer);
    return true;
}

static bool measure_all(struct soak *soak)
{
    for (uint32_t i = 0; i < file_count(soak); i++) {
        struct tracked *file = file_at(soak, i);
        if (progress_is_due())
            fprintf(stderr, "resources: read %u of %u files\n", (unsigned)i,
                    (unsigned)file_count(soak));
        if (!measure(file))
            return false;
        soak->total += file->size;
        if (file->size > soak->largest)
            soak->largest = file->size;
    }
    return true;
}

/* What is done at random */

/* Whether a file is still what it was at first. If not, that is remembered. */
static bool is_unchanged(struct soak *soak, struct tracked *file)
{
    const struct tracked before = *file;
    measure(file);
    if (file->size == before.size && file->sum == before.sum)
        return true;
    soak->counts.changed++;
    return false;
}

static void check_read(struct soak *soak, struct tracked *file, const void *payload)
{
    struct resource_info info;
    soak->counts.reads++;
    soak->counts.read_bytes += file->size;
    if (!resource_cache_get_info(&soak->cache, file->handle, &info) ||
        strcmp(info.name, file->path) != 0)
        soak->counts.wrong_handles++;
    else if (sum_of_payload(file, payload) != file->sum && is_unchanged(soak, file))
        soak->counts.wrong_reads++;
}

/* A failure is expected if the file cannot be loaded or does not fit. */
static void check_failure(struct soak *soak, struct tracked *file)
{
    struct resource_info info;
    if (!resource_cache_get_info(&soak->cache, file->handle, &info) || info.status == HM_OK)
        return;
    if (file->size != 0 && info.status != HM_ERROR_FULL && is_unchanged(soak, file)) {
        soak->counts.unexpected++;
        fprintf(stderr, "%s: %s\n", file->path, resource_cache_error(&soak->cache, file->handle));
    }
    resource_cache_reload(&soak->cache, file->handle);
}

static void do_request(struct soak *soak, struct tracked *file)
{
    resource_handle handle;
    soak->counts.requests++;
    if (resource_cache_request(&soak->cache, file->loader, file->path, &handle) != HM_OK)
        soak->counts.unexpected++;
    if (file->references != 0 && !resource_handle_equal(handle, file->handle))
        soak->counts.wrong_handles++;
    file->handle = handle;
    file->references++;
}

static void do_read(struct soak *soak, struct tracked *file)
{
    const void *payload = resource_cache_get(&soak->cache, file->handle);
    if (payload != NULL)
        check_read(soak, file, payload);
    check_failure(soak, file);
}

static void do_release(struct soak *soak, struct tracked *file)
{
    if (file->references == 0)
        return;
    if (!resource_cache_release(&soak->cache, file->handle))
        soak->counts.wrong_handles++;
    file->references--;
    soak->counts.releases++;
}

static void do_pin(struct soak *soak, uint32_t number)
{
    struct tracked *file = file_at(soak, number);
    if (soak->pin_count == MOST_PINS || !resource_cache_pin(&soak->cache, file->handle))
        return;
    const void *data = resource_cache_get(&soak->cache, file->handle);
    soak->pins[soak->pin_count++] = (struct pinned){file->handle, data, number};
    soak->counts.pins++;
}

/* Pinned data is where it was, and what it was. */
static void do_unpin(struct soak *soak)
{
    if (soak->pin_count == 0)
        return;
    struct pinned *pinned = &soak->pins[below(soak, soak->pin_count)];
    struct tracked *file = file_at(soak, pinned->file);
    const void *data = resource_cache_get(&soak->cache, pinned->handle);
    if (pinned->data != NULL && data != pinned->data)
        soak->counts.moved++;
    else if (data != NULL && sum_of_payload(file, data) != file->sum && is_unchanged(soak, file))
        soak->counts.wrong_reads++;
    if (!resource_cache_unpin(&soak->cache, pinned->handle))
        soak->counts.wrong_handles++;
    *pinned = soak->pins[--soak->pin_count];
}

static void do_drop(struct soak *soak, struct tracked *file)
{
    if (resource_cache_drop(&soak->cache, file->handle) != HM_OK)
        return;
    soak->stale[soak->stale_count++ % STALE] = file->handle;
    file->references = 0;
    soak->counts.drops++;
}

static void try_stale(struct soak *soak)
{
    if (soak->stale_count == 0)
        return;
    uint32_t kept = soak->stale_count < STALE ? (uint32_t)soak->stale_count : STALE;
    if (resource_cache_get(&soak->cache, soak->stale[below(soak, kept)]) != NULL)
        soak->counts.stale_reads++;
    soak->counts.stale_handles++;
}

/* Half of all steps use one file in ten, as programs do. */
static void step(struct soak *soak)
{
    uint32_t count = file_count(soak);
    uint32_t number = below(soak, below(soak, 2) == 0 ? count : count / 10 + 1);
    uint32_t dice = below(soak, 100);
    struct tracked *file = file_at(soak, number);
    if (dice < 35)
        do_request(soak, file);
    else if (dice < 60)
        do_read(soak, file);
    else if (dice < 80)
        do_release(soak, file);
    else if (dice < 84)
        do_pin(soak, number);
    else if (dice < 88)
        do_unpin(soak);
    else if (dice < 92)
        resource_cache_reload(&soak->cache, file->handle), soak->counts.reloads++;
    else if (dice < 95)
        do_drop(soak, file);
    else
        try_stale(soak);
}

static bool run(struct soak *soak)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    uint32_t seconds = soak->options.seconds;
    double begin = seconds_now(), passed = 0;
    uint64_t frame = 0;
    while (passed < seconds) {
        if (progress_is_due())
            fprintf(stderr, "resources: second %u of %u\n", (unsigned)passed, (unsigned)seconds);
        for (int i = 0; i < STEPS; i++)
            step(soak);
        double start = seconds_now();
        uint32_t ended = resource_cache_pump(&soak->cache, 0);
        double took = seconds_now() - start;
        if (took > soak->counts.worst_pump)
            soak->counts.worst_pump = took;
        if (ended == 0)
            nanosleep(&pause, NULL);
        if (frame++ % VALIDATE_EVERY == 0 && resource_cache_validate(&soak->cache) != HM_OK)
            return false;
        passed = seconds_now() - begin;
    }
    return resource_cache_validate(&soak->cache) == HM_OK;
}

/* Set up and report */

static bool init_arrays(struct soak *soak)
{
    const hm_array_desc paths = {.item_size = 1, .capacity = (size_t)1 << 30};
    const hm_array_desc tracked = {.item_size = sizeof(struct tracked), .capacity = MOST_FILES};
    return hm_array_init(&soak->paths, &paths) == HM_OK &&
           hm_array_init(&soak->tracked, &tracked) == HM_OK;
}

/* Finds the files of the directories. Returns whether all of them could be read; says which not. */
static bool walk(struct soak *soak, char *const *directories)
{
    bool is_whole = true;
    walking = soak;
    for (; *directories != NULL; directories++) {
        errno = 0;
        if (nftw(*directories, add_file, 32, FTW_PHYS) == 0)
            continue;
        fprintf(stderr, "resources: %s: %s\n", *directories,
                errno != 0 ? strerror(errno) : hm_last_error());
        is_whole = false;
    }
    return is_whole;
}

static bool begin(struct soak *soak)
{
    if (!choose_files(soak) || !measure_all(soak))
        return false;
    atomic_store(&most_alive, 0);
    soak->budget = soak->total / 100 * soak->options.budget_share + 1;
    const struct resource_cache_desc desc = {.payload_size = sizeof(union resource_payload),
                                             .budget = soak->budget,
                                             .name_size = MOST_PATH,
                                             .capacity = file_count(soak) + 1,
                                             .workers = soak->options.workers};
    return resource_cache_init(&soak->cache, &desc) == HM_OK;
}

static void print_count(const char *what, uint64_t count)
{
    printf("%-34s %14llu\n", what, (unsigned long long)count);
}

static bool report(struct soak *soak)
{
    const struct counts *c = &soak->counts;
    struct resource_stats stats = resource_cache_get_stats(&soak->cache);
    size_t worst = atomic_load(&most_alive);
    size_t overrun = worst > soak->budget ? worst - soak->budget : 0;
    print_count("files", file_count(soak));
    print_count("bytes", soak->total);
    print_count("largest resource", soak->largest);
    print_count("budget", soak->budget);
    print_count("requests", c->requests);
    print_count("reads compared", c->reads);
    print_count("bytes compared", c->read_bytes);
    print_count("pins", c->pins);
    print_count("releases", c->releases);
    print_count("reloads asked for", c->reloads);
    print_count("drops", c->drops);
    print_count("loads", stats.loads);
    print_count("failures", stats.failures);
    print_count("evictions", stats.evictions);
    print_count("files that changed meanwhile", c->changed);
    print_count("stale handles tried", c->stale_handles);
    printf("%-34s %14.3f\n", "longest pump, ms", c->worst_pump * 1000);
    print_count("most bytes reserved", stats.peak);
    print_count("most bytes alive", worst);
    print_count("over the budget, at worst", overrun);
    print_count("stale reads", c->stale_reads);
    print_count("wrong reads", c->wrong_reads);
    print_count("wrong handles", c->wrong_handles);
    print_count("pinned data that moved", c->moved);
    print_count("unexpected failures", c->unexpected);
    return c->reads != 0 && overrun <= soak->largest && c->stale_reads == 0 &&
           c->wrong_reads == 0 && c->wrong_handles == 0 && c->moved == 0 && c->unexpected == 0;
}

/* Returns the exit code. */
static int run_soak(struct soak *soak)
{
    bool is_good = begin(soak) && file_count(soak) != 0;
    if (!is_good)
        fprintf(stderr, "resources: no files, or no memory: %s\n", hm_last_error());
    else if (!run(soak))
        is_good = fprintf(stderr, "resources: the cache is damaged\n") < 0;
    if (is_good)
        is_good = report(soak);
    resource_cache_fini(&soak->cache);
    if (is_good && atomic_load(&alive) != 0)
        is_good = fprintf(stderr, "resources: not all is unloaded\n") < 0;
    return is_good ? 0 : 1;
}

static const char usage[] =
    "usage: resources [OPTION...] [DIR...]\n"
    "A resource cache under load, with the files of the directories, or of some below /usr.\n"
    "  --workers N             threads that load (4)\n"
    "  --seconds N             how long (10)\n"
    "  --budget-share PERCENT  the cache's budget, of the bytes of all files (10)\n"
    "  --files N               files to take, at random (10000)\n"
    "  --seed N                seed of all choices (1)\n"
    "  --help                  print this text\n";

static int read_command_line(struct options *options, int argc, char **argv, int *directories)
{
    const struct command_line_option known[] = {
        {"--workers", .number = &options->workers, .most = 1000},
        {"--seconds", .number = &options->seconds, .most = 1000000},
        {"--budget-share", .number = &options->budget_share, .most = 1000},
        {"--files", .number = &options->files, .least = 1, .most = 1000000},
        {"--seed", .number = &options->seed, .most = UINT32_MAX}};
    const struct command_line line = {"resources", usage, known, sizeof known / sizeof *known};
    return command_line_read(&line, argc, argv, directories);
}

int main(int argc, char **argv)
{
    static char *const defaults[] = {"/usr/share/doc", "/usr/share/icons", "/usr/include", NULL};
    static struct soak soak = {.options = {4, 10, 10, 10000, 1}};
    int named;
    int code = read_command_line(&soak.options, argc, argv, &named);
    if (code != COMMAND_LINE_RUN)
        return code;
    soak.random = soak.options.seed;
    if (!init_arrays(&soak)) {
        fprintf(stderr, "resources: %s\n", hm_last_error());
        code = 1;
    } else if (!walk(&soak, named != 0 ? argv : defaults) && named != 0) {
        code = COMMAND_LINE_WRONG; /* but not all of the defaults are on every system */
    } else {
        code = run_soak(&soak);
    }
    hm_array_fini(&soak.tracked);
    hm_array_fini(&soak.paths);
    return code;
}
