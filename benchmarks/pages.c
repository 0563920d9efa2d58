/* SPDX-License-Identifier: MIT */
/* pages [--small]: what this machine's memory costs, which decides what the other benchmarks show.
 * Prints the median of several rounds for each, with the quartiles.
 *
 * fault      the first write to a page that the system has given
 * populated  the same for a page that the system was asked to make resident before, both together
 * huge       4 KiB of a huge page, touched first
 * clear      clearing a page that is in memory
 * life       one mmap, the first write to a page, one munmap
 * protect    making a page that is in memory accessible again */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, madvise and clock_gettime, which -std=c11 hides */
#endif

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { ROUNDS = 31, PAGE = 4096, HUGE_PAGE = 2 << 20 /* bytes */ };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static unsigned char *map(size_t size)
{
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) {
        perror("pages: mmap");
        exit(1);
    }
    return pages;
}

static void touch(unsigned char *pages, size_t size)
{
    for (size_t i = 0; i < size; i += PAGE)
        *(volatile unsigned char *)(pages + i) = 1;
}

/* Each returns the seconds for `size` bytes, a multiple of a huge page. */
static double measure_fault(size_t size)
{
    unsigned char *pages = map(size);
    double begin = seconds();
    touch(pages, size);
    double took = seconds() - begin;
    munmap(pages, size);
    return took;
}

static double measure_populated(size_t size)
{
    unsigned char *pages = map(size);
    double begin = seconds();
#ifdef MADV_POPULATE_WRITE
    (void)madvise(pages, size, MADV_POPULATE_WRITE);
#endif
    touch(pages, size);
    double took = seconds() - begin;
    munmap(pages, size);
    return took;
}

static double measure_huge(size_t size)
{
    unsigned char *pages = map(size + HUGE_PAGE);
    unsigned char *start = pages + (HUGE_PAGE - (uintptr_t)pages % HUGE_PAGE) % HUGE_PAGE;
#ifdef MADV_HUGEPAGE
    (void)madvise(start, size, MADV_HUGEPAGE);
#endif
    double begin = seconds();
    touch(start, size);
    double took = seconds() - begin;
    munmap(pages, size + HUGE_PAGE);
    return took;
}

static double measure_clear(size_t size)
{
    unsigned char *pages = map(size);
    touch(pages, size);
    double begin = seconds();
    memset(pages, 0, size);
    double took = seconds() - begin;
    touch(pages, size); /* or the compiler drops the clearing */
    munmap(pages, size);
    return took;
}

static double measure_life(size_t size)
{
    double begin = seconds();
    for (size_t i = 0; i < size; i += PAGE) {
        unsigned char *page = map(PAGE);
        touch(page, PAGE);
        munmap(page, PAGE);
    }
    return seconds() - begin;
}

static double measure_protect(size_t size)
{
    unsigned char *pages = map(size);
    touch(pages, size);
    (void)mprotect(pages, size, PROT_NONE);
    double begin = seconds();
    for (size_t i = 0; i < size; i += PAGE) {
        (void)mprotect(pages + i, PAGE, PROT_READ | PROT_WRITE);
        touch(pages + i, PAGE);
    }
    double took = seconds() - begin;
    munmap(pages, size);
    return took;
}

static const struct {
    const char *name;
    double (*measure)(size_t size);
} rows[] = {{"fault", measure_fault}, {"populated", measure_populated},
            {"huge", measure_huge},   {"clear", measure_clear},
            {"life", measure_life},   {"protect", measure_protect}};
enum { ROWS = sizeof rows / sizeof *rows };

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    static double took[ROWS][ROUNDS];
    size_t size = argc > 1 && strcmp(argv[1], "--small") == 0 ? HUGE_PAGE : 8 * HUGE_PAGE;
    const size_t pages = size / PAGE;
    for (size_t round = 0; round < ROUNDS; round++)
        for (size_t row = 0; row < ROWS; row++)
            took[row][round] = rows[row].measure(size) / (double)pages * 1e9;
    puts("ns for a page of 4 KiB\n\n| | median | quartiles |\n|---|---:|---:|");
    for (size_t row = 0; row < ROWS; row++) {
        qsort(took[row], ROUNDS, sizeof **took, compare);
        printf("| %s | %.0f | %.0f to %.0f |\n", rows[row].name, took[row][ROUNDS / 2],
               took[row][ROUNDS / 4], took[row][ROUNDS * 3 / 4]);
    }
    return 0;
}
