/* SPDX-License-Identifier: MIT */
/* fresh [--size BYTES] [--items N] [--processes P] [--containers REGEX] [--out FILE] [--smoke]
 *
 * Fills an empty container, in a process of its own for each measurement, so that none gets memory
 * that another has used. A process measures one thing, since reading the clock takes longer than an
 * insert:
 *
 *     fill    reads the clock before and after: the time of an insert, and the resident memory
 *     single  reads the clock after each insert: the time of single inserts
 *
 * Kinds and containers alternate, with P processes each. FILE gets the figures as JSON. Linux only,
 * because of /proc.
 *
 * fresh fill|single CONTAINER BYTES N is such a process. */
#include "clock.h"
#include "peers.h"

#include <cstring>
#include <map>
#include <regex>
#include <string>

namespace
{

/* Returns the value of a name in /proc/self/status, in bytes. */
double memory_status(const char *name)
{
    std::FILE *file = std::fopen("/proc/self/status", "r");
    char line[256];
    double size = 0;
    while (file != nullptr && std::fgets(line, sizeof line, file) != nullptr)
        if (std::strncmp(line, name, std::strlen(name)) == 0)
            size = std::strtod(line + std::strlen(name) + 1, nullptr) * 1024;
    if (file != nullptr)
        std::fclose(file);
    return size;
}

enum { CHUNK = 256 }; /* keys kept at a time: all of them would count as the container's memory */

/* Memory is what the process has beyond its start: at the end, and at the peak, which is higher if
 * an array moves to grow. */
template <class Container> void fill(uint32_t n)
{
    typename Container::key_type keys[CHUNK];
    double before = memory_status("VmRSS:");
    double start = cpu_seconds();
    Container items(n);
    for (uint32_t i = 0; i < n; i += CHUNK)
        items.insert(i, std::min<uint32_t>(n - i, CHUNK), keys);
    double seconds = cpu_seconds() - start;
    double after = memory_status("VmRSS:"), most = memory_status("VmHWM:");
    require(items.iterate() == uint64_t{n} * (n - 1) / 2, "an insert was lost");
    std::printf("{\"ns\": %.4f, \"bytes\": %.2f, \"most bytes\": %.2f}\n", seconds / n * 1e9,
                (after - before) / n, (most - before) / n);
}

/* Two clocks: the wall clock is read after each insert, since it is cheap enough to distinguish a
 * common insert from a rare one. But a slow insert may be an interruption by another program, so
 * the worst one is measured by the processor time of 64 inserts together, which is an upper bound.
 */
struct single_inserts {
    enum { TOGETHER = 64 };
    std::vector<uint32_t> ns; /* of each */
    double worst = 0;         /* seconds, of TOGETHER inserts */

    /* Touches the memory for the figures before the measurement. */
    explicit single_inserts(uint32_t n) : ns(n, 1)
    {
    }
    static uint64_t wall_ns()
    {
        timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return static_cast<uint64_t>(now.tv_sec) * 1000000000 + static_cast<uint64_t>(now.tv_nsec);
    }
    template <class Work> void measure(Work work)
    {
        double chunk_start = cpu_seconds();
        uint64_t last = wall_ns();
        for (uint32_t i = 0; i < ns.size(); i++) {
            work(i);
            uint64_t now = wall_ns();
            ns[i] = static_cast<uint32_t>(std::min<uint64_t>(now - last, UINT32_MAX));
            last = now;
            if (i % TOGETHER != TOGETHER - 1 && i + 1 != ns.size())
                continue;
            double chunk_end = cpu_seconds();
            worst = std::max(worst, chunk_end - chunk_start);
            chunk_start = cpu_seconds();
            last = wall_ns();
        }
    }
    /* The time that a share of the inserts does not exceed. */
    double quantile(double share)
    {
        size_t place = static_cast<size_t>(share * static_cast<double>(ns.size() - 1));
        auto at = ns.begin() + static_cast<std::ptrdiff_t>(place);
        std::nth_element(ns.begin(), at, ns.end());
        return *at;
    }
};

template <class Container> void insert_singly(uint32_t n)
{
    single_inserts nothing(100000), inserts(n);
    nothing.measure([](uint32_t) {});
    double price = nothing.quantile(0.5);
    typename Container::key_type key;
    Container items(n);
    inserts.measure([&](uint32_t i) { items.insert(i, 1, &key); });
    std::printf("{\"p50\": %.0f, \"p99.99\": %.0f, \"worst\": %.0f}\n",
                std::max(inserts.quantile(0.5) - price, 0.0),
                std::max(inserts.quantile(0.9999) - price, 0.0), inserts.worst * 1e9);
}

/* Returns whether the measurement exists. */
bool measure(const std::string &kind, const std::string &name, size_t size, uint32_t n)
{
    bool found = false;
    for_each_container(size, [&](auto container) {
        using container_type = typename decltype(container)::is;
        if (name != container_type::name || (kind != "fill" && kind != "single"))
            return;
        found = true;
        kind == "fill" ? fill<container_type>(n) : insert_singly<container_type>(n);
    });
    return found;
}

struct settings {
    size_t size = 40;
    uint32_t items = 1000000;
    int processes = 5;
    std::string containers = "", out = "/dev/null";
};

/* Returns the line that the process prints. */
std::string measure_in_process(const char *program, const std::string &kind,
                               const std::string &name, const settings &set)
{
    std::string command = "'" + std::string(program) + "' " + kind + " '" + name + "' " +
                          std::to_string(set.size) + " " + std::to_string(set.items);
    std::FILE *pipe = popen(command.c_str(), "r");
    char line[256] = "";
    bool read = pipe != nullptr && std::fgets(line, sizeof line, pipe) != nullptr;
    require(read && pclose(pipe) == 0, ("failed: " + command).c_str());
    line[std::strcspn(line, "\n")] = '\0';
    return line;
}

void measure_all(const char *program, const settings &set)
{
    std::vector<std::string> names;
    for_each_container(set.size, [&](auto container) {
        using container_type = typename decltype(container)::is;
        std::string name = container_type::name;
        if ((container_type::can & FILLS) != 0 &&
            std::regex_search(name, std::regex(set.containers)))
            names.push_back(name);
    });
    std::map<std::string, std::string> lines; /* kind and container -> output of its processes */
    for (int i = 0; i < set.processes; i++)
        for (const std::string &name : names)
            for (const char *kind : {"fill", "single"}) {
                std::string entry = "{\"kind\": \"" + std::string(kind) + "\", \"container\": \"" +
                                    name + "\", \"processes\": [";
                std::string &line = lines[entry];
                line += (line.empty() ? "" : ", ") + measure_in_process(program, kind, name, set);
                std::fputc('.', stderr);
            }
    std::fputc('\n', stderr);
    std::FILE *out = std::fopen(set.out.c_str(), "w");
    require(out != nullptr, "cannot write");
    std::fprintf(out, "{\"context\": {\"item_size\": \"%zu\", \"items\": \"%u\"},\n \"fresh\": [",
                 set.size, set.items);
    const char *separator = "\n  ";
    for (const auto &[entry, line] : lines) {
        std::fprintf(out, "%s%s%s]}", separator, entry.c_str(), line.c_str());
        separator = ",\n  ";
    }
    std::fprintf(out, "\n]}\n");
    require(std::fclose(out) == 0, "cannot write");
}

/* Returns false if the arguments are wrong. */
bool read_arguments(int argc, char **argv, settings &set)
{
    for (int i = 1; i < argc; i++) {
        std::string word = argv[i];
        if (word == "--smoke") {
            set.items = 3000;
            set.processes = 1;
            continue;
        }
        if (++i == argc)
            return false;
        if (word == "--size")
            set.size = std::strtoul(argv[i], nullptr, 10);
        else if (word == "--items")
            set.items = static_cast<uint32_t>(std::strtoul(argv[i], nullptr, 10));
        else if (word == "--processes")
            set.processes = std::atoi(argv[i]);
        else if (word == "--containers")
            set.containers = argv[i];
        else if (word == "--out")
            set.out = argv[i];
        else
            return false;
    }
    return set.items > 0 && set.processes > 0;
}

} // namespace

int main(int argc, char **argv)
{
    bool one = argc == 5 && argv[1][0] != '-'; /* measurement, in this process */
    if (one && measure(argv[1], argv[2], std::strtoul(argv[3], nullptr, 10),
                       static_cast<uint32_t>(std::strtoul(argv[4], nullptr, 10))))
        return 0;
    settings set;
    if (one || !read_arguments(argc, argv, set)) {
        std::fprintf(stderr,
                     "usage: %s [--size BYTES] [--items N] [--processes P] [--containers REGEX]\n"
                     "       [--out FILE] [--smoke]\n       %s fill|single CONTAINER BYTES N\n",
                     argv[0], argv[0]);
        return 2;
    }
    measure_all(argv[0], set);
    return 0;
}
