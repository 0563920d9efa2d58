/* SPDX-License-Identifier: MIT */
/* clock: the clock of the benchmarks. */
#ifndef BENCHMARKS_CLOCK_H
#define BENCHMARKS_CLOCK_H

#include <algorithm>
#include <ctime>

/* Processor time of this thread: time in which other programs run does not count, though they still
 * evict caches. */
inline double cpu_seconds()
{
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/* The median time between two readings with nothing between them. To be subtracted from what was
 * measured: a reading is a system call, which is not small compared with short work. */
inline double clock_price()
{
    enum { READINGS = 1001 };
    double gaps[READINGS];
    for (double &gap : gaps) {
        double start = cpu_seconds();
        gap = cpu_seconds() - start;
    }
    std::nth_element(gaps, gaps + READINGS / 2, gaps + READINGS);
    return gaps[READINGS / 2];
}

#endif
