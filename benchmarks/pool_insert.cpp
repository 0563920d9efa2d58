/* pool_insert VARIANT COUNT: inserts COUNT items of 40 bytes into a container that starts empty,
 * and prints what that takes. A process measures one variant, so that none finds memory that
 * another has left warm: `vector` is std::vector without reserve, `pool`, `fixed` and `growing` are
 * the pool's storages.
 *
 * pool_insert COUNT [PROCESSES]: runs each variant in so many processes (5), one after the other
 * and over again, and prints the medians beside those of the vector, and what is asked.
 *
 * Times are processor time, so that other programs' turns do not count as slow inserts. The clock
 * is read once in 64 inserts, which costs some nanoseconds for each; so the worst insert takes at
 * most what is given for it, the worst 64. Linux only, because of /proc. */
#include <handle_map/handle_map.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

namespace
{

struct item {
    uint64_t words[5]; /* 40 bytes */
};

HM_POOL_DEFINE(pooled, item, 8)

enum { CHUNK = 64 };                      /* inserts from one reading of the clock to the next */
const double bytes_beside = 4.25;         /* what the pool has beside each item */
const double commit_step = 4.0 * 1048576; /* bytes, the largest */

double now()
{
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/* Returns what /proc/self/status says under a name, in bytes. */
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

struct figures {
    double seconds, worst; /* seconds; of all, and of one insert */
    double memory;         /* bytes that were resident at most */
};

/* Calls insert(item) `count` times. */
template <class Insert> figures fill(uint32_t count, double start, Insert insert)
{
    figures f = {0, 0, 0};
    double last = start;
    for (uint32_t i = 0; i < count;) {
        uint32_t end = count - i < CHUNK ? count : i + CHUNK;
        for (; i < end; i++)
            insert(item{{i, 1, 2, 3, 4}});
        double time = now();
        f.worst = std::max(f.worst, time - last);
        last = time;
    }
    f.seconds = last - start;
    return f;
}

figures fill_vector(uint32_t count)
{
    double start = now();
    std::vector<item> items;
    return fill(count, start, [&](const item &it) { items.push_back(it); });
}

figures fill_pool(uint32_t count, hm_storage storage)
{
    double start = now();
    pooled_pool items;
    hm_pool_desc desc = {};
    desc.capacity = count;
    desc.storage = storage;
    if (pooled_pool_init_desc(&items, &desc) != HM_OK)
        std::abort();
    figures f = fill(count, start, [&](const item &it) { pooled_pool_insert(&items, &it); });
    if (pooled_pool_count(&items) != count)
        std::abort();
    pooled_pool_fini(&items);
    return f;
}

const char *const variants[] = {"vector", "pool", "fixed", "growing"};
enum { VARIANTS = 4 };

/* Returns the number of the variant, or VARIANTS. */
int find_variant(const char *name)
{
    int i = 0;
    while (i < VARIANTS && std::strcmp(variants[i], name) != 0)
        i++;
    return i;
}

/* Memory is counted beyond what the process has before it begins. */
figures measure(int variant, uint32_t count)
{
    const hm_storage storages[] = {HM_STORAGE_VIRTUAL, HM_STORAGE_FIXED_BLOCKS,
                                   HM_STORAGE_GROWING_BLOCKS};
    double before = memory_status("VmRSS:");
    figures f = variant == 0 ? fill_vector(count) : fill_pool(count, storages[variant - 1]);
    f.memory = memory_status("VmHWM:") - before;
    return f;
}

figures measure_in_process(const char *program, const char *variant, uint32_t count)
{
    std::string command = "'" + std::string(program) + "' " + variant + " " + std::to_string(count);
    std::FILE *pipe = popen(command.c_str(), "r");
    figures f = {0, 0, 0};
    if (pipe == nullptr ||
        std::fscanf(pipe, "%lf s %lf s %lf bytes", &f.seconds, &f.worst, &f.memory) != 3 ||
        pclose(pipe) != 0) {
        std::fprintf(stderr, "pool_insert: failed: %s\n", command.c_str());
        std::exit(1);
    }
    return f;
}

double median(const std::vector<figures> &all, double figures::*member)
{
    std::vector<double> values;
    for (const figures &f : all)
        values.push_back(f.*member);
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

void print_table(const std::vector<figures> *results, uint32_t count)
{
    double seconds = median(results[0], &figures::seconds);
    double worst = median(results[0], &figures::worst);
    std::printf("%u items of %zu bytes, a process each, medians of %zu\n\n", count, sizeof(item),
                results[0].size());
    std::printf("%-10s %10s %8s %14s %10s %10s %12s %12s\n", "", "ms", "faster", "worst insert",
                "less by", "resident", "of an item", "beyond");
    std::printf("%-10s %10s %8.2f %14s %10.0f %10s %12s %9.2f MB\n", "asked", "", 2.0, "", 50.0, "",
                "", commit_step / 1e6);
    for (int i = 0; i < VARIANTS; i++) {
        const std::vector<figures> &all = results[i];
        double memory = median(all, &figures::memory);
        double data = count * (sizeof(item) + (i == 0 ? 0 : bytes_beside));
        std::printf("%-10s %10.1f %8.2f %11.1f us %10.0f %7.1f MB %10.2f B %9.2f MB\n", variants[i],
                    median(all, &figures::seconds) * 1e3, seconds / median(all, &figures::seconds),
                    median(all, &figures::worst) * 1e6, worst / median(all, &figures::worst),
                    memory / 1e6, memory / count, (memory - data) / 1e6);
    }
}

int usage(const char *program)
{
    std::fprintf(stderr, "usage: %s vector|pool|fixed|growing COUNT\n       %s COUNT [PROCESSES]\n",
                 program, program);
    return 2;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 2 && argc != 3)
        return usage(argv[0]);
    int variant = find_variant(argv[1]);
    if (variant != VARIANTS) {
        if (argc != 3)
            return usage(argv[0]);
        figures f = measure(variant, static_cast<uint32_t>(std::strtoul(argv[2], nullptr, 10)));
        std::printf("%.6f s %.9f s %.0f bytes\n", f.seconds, f.worst, f.memory);
        return 0;
    }
    uint32_t count = static_cast<uint32_t>(std::strtoul(argv[1], nullptr, 10));
    unsigned long processes = argc == 3 ? std::strtoul(argv[2], nullptr, 10) : 5;
    if (count == 0 || processes == 0)
        return usage(argv[0]);
    std::vector<figures> results[VARIANTS];
    for (unsigned long k = 0; k < processes; k++)
        for (int i = 0; i < VARIANTS; i++)
            results[i].push_back(measure_in_process(argv[0], variants[i], count));
    print_table(results, count);
    return 0;
}
