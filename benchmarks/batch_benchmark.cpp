/* SPDX-License-Identifier: MIT */
/* batch_benchmark: get_n, contains_n, row_n and erase_n of maps, pools and tables beside a loop of
 * typed single calls that stores the same answers. Containers are full, of 1,000 items and more;
 * none, half or all of the handles are stale, since their items were replaced. All programs pass
 * handles in random order, 256 at a time. The options are those of groups.h. */
#include "groups.h"
#include "owned.h"

#include <numeric>

namespace
{

enum { PART = 256, LOOKUPS = 1 << 16 };

struct body {
    uint64_t words[5];
};

HM_MAP_DEFINE(body, body, 7)
HM_HANDLE_DEFINE(seat)
HM_POOL_DEFINE_FOR(seat, body, 8)
HM_HANDLE_DEFINE(cell)
#define CELL_COLUMNS(COLUMN) COLUMN(uint64_t, number) COLUMN(body, content)
HM_TABLE_DEFINE_FOR(cell, 9, CELL_COLUMNS)

/* What is measured of a container with this prefix. */
#define MEASURED(PREFIX, KEY, ANSWER, GET)                                                         \
    using key = KEY;                                                                               \
    using answer = ANSWER;                                                                         \
    static constexpr const char *get_name = #GET;                                                  \
    owned<PREFIX, PREFIX##_fini> items;                                                            \
    answer get(key handle) const                                                                   \
    {                                                                                              \
        return PREFIX##_##GET(&items, handle);                                                     \
    }                                                                                              \
    void get_n(const key *handles, uint32_t n, answer *answers) const                              \
    {                                                                                              \
        PREFIX##_##GET##_n(&items, handles, n, answers);                                           \
    }                                                                                              \
    bool contains(key handle) const                                                                \
    {                                                                                              \
        return PREFIX##_contains(&items, handle);                                                  \
    }                                                                                              \
    void contains_n(const key *handles, uint32_t n, bool *alive) const                             \
    {                                                                                              \
        PREFIX##_contains_n(&items, handles, n, alive);                                            \
    }                                                                                              \
    uint32_t erase(key handle)                                                                     \
    {                                                                                              \
        return PREFIX##_erase(&items, handle);                                                     \
    }                                                                                              \
    uint32_t erase_n(const key *handles, uint32_t n)                                               \
    {                                                                                              \
        return PREFIX##_erase_n(&items, handles, n);                                               \
    }

struct our_map {
    MEASURED(body_map, body_handle, body *, get)
    static constexpr const char *name = "map";
    static constexpr bool reads = true;

    explicit our_map(uint32_t n)
    {
        require(body_map_init(&items, n) == HM_OK, "no map");
    }
    key insert()
    {
        return body_map_insert(&items, nullptr);
    }
};

template <hm_storage Storage> struct our_pool {
    MEASURED(seat_pool, seat_handle, body *, get)
    static constexpr const char *name = Storage == HM_STORAGE_VIRTUAL        ? "pool"
                                        : Storage == HM_STORAGE_FIXED_BLOCKS ? "pool fixed"
                                                                             : "pool growing";
    static constexpr bool reads = true;

    explicit our_pool(uint32_t n)
    {
        hm_pool_desc desc = {};
        desc.capacity = n;
        desc.storage = Storage;
        require(seat_pool_init_desc(&items, &desc) == HM_OK, "no pool");
    }
    key insert()
    {
        return seat_pool_insert(&items, nullptr);
    }
};

struct our_table {
    MEASURED(cell_table, cell_handle, uint32_t, row)
    static constexpr const char *name = "table";
    static constexpr bool reads = false; /* of which column? */

    explicit our_table(uint32_t n)
    {
        require(cell_table_init(&items, n) == HM_OK, "no table");
    }
    key insert()
    {
        uint32_t row;
        return cell_table_emplace(&items, &row);
    }
};

uint64_t read_answer(const body *found)
{
    return found != nullptr ? found->words[0] : 0;
}

uint64_t read_answer(uint32_t row)
{
    return row;
}

std::mt19937_64 random_bits(1);

/* A full container, and handles of which some are stale, in random order. Neither that nor a few
 * items asked for again and again let a processor learn which handles are stale. */
template <class Container> struct asked {
    Container container;
    std::vector<typename Container::key> handles;

    asked(uint32_t n, uint32_t stale_percent) : container(n), handles(n)
    {
        for (typename Container::key &handle : handles)
            handle = container.insert();
        std::shuffle(handles.begin(), handles.end(), random_bits);
        uint32_t stale = static_cast<uint32_t>(uint64_t{n} * stale_percent / 100);
        for (uint32_t i = 0; i < stale; i++)
            container.erase(handles[i]);
        for (uint32_t i = 0; i < stale; i++)
            container.insert();
        std::shuffle(handles.begin(), handles.end(), random_bits);
    }
    void repeat()
    {
        for (size_t n = handles.size(); handles.size() < LOOKUPS;)
            handles.push_back(handles[random_bits() % n]);
    }
    /* Calls work(handles, n) for each part. */
    template <class Work> void in_parts(Work work)
    {
        uint32_t left = static_cast<uint32_t>(handles.size());
        const typename Container::key *next = handles.data();
        for (uint32_t n; left > 0; next += n, left -= n) {
            n = std::min<uint32_t>(left, PART);
            work(next, n);
        }
    }
};

template <class T> void keep(T *answers)
{
    benchmark::DoNotOptimize(answers);
    benchmark::ClobberMemory();
}

template <class Container, class Answer, class Work>
double time_lookups(uint32_t n, uint32_t stale_percent, Work work)
{
    asked<Container> a(n, stale_percent);
    a.repeat();
    uint32_t lookups = static_cast<uint32_t>(a.handles.size());
    Answer answers[PART];
    double seconds = time_of(lookups, [&] {
        a.in_parts([&](const typename Container::key *handles, uint32_t count) {
            work(a.container, handles, count, answers);
            keep(answers);
        });
    });
    return seconds * n / lookups;
}

/* Each pass erases from containers of its own, with 100,000 handles or more in all. */
template <class Container, class Work>
double time_erases(uint32_t n, uint32_t stale_percent, Work work)
{
    uint32_t passes = smoke ? 1 : 1 + 100000 / n;
    double price = clock_price(), seconds = 0;
    for (uint32_t i = 0; i < passes; i++) {
        asked<Container> a(n, stale_percent);
        cpu_seconds(); /* brings the clock's own code into the caches, for short work */
        double start = cpu_seconds();
        a.in_parts([&](const typename Container::key *handles, uint32_t count) {
            work(a.container, handles, count);
        });
        seconds += cpu_seconds() - start - price;
    }
    return seconds / passes;
}

template <class C> void read_all(const typename C::answer *answers, uint32_t n)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += read_answer(answers[i]);
    benchmark::DoNotOptimize(sum);
}

/* `reads`: and reads what was found, as programs do. */
template <class C>
void measure_gets(const std::string &what, uint32_t n, uint32_t stale_percent, bool reads)
{
    using answer = typename C::answer;
    using key = typename C::key;
    auto singles = [reads](C &c, const key *handles, uint32_t count, answer *answers) {
        for (uint32_t i = 0; i < count; i++)
            answers[i] = c.get(handles[i]);
        if (reads)
            read_all<C>(answers, count);
    };
    auto batch = [reads](C &c, const key *handles, uint32_t count, answer *answers) {
        c.get_n(handles, count, answers);
        if (reads)
            read_all<C>(answers, count);
    };
    measure({what,
             n,
             COST,
             {{"single calls that store", 0,
               [=] { return time_lookups<C, answer>(n, stale_percent, singles); }},
              {std::string(C::get_name) + "_n", 1.05,
               [=] { return time_lookups<C, answer>(n, stale_percent, batch); }}}});
}

template <class C> void measure_contains(const std::string &what, uint32_t n, uint32_t percent)
{
    using key = typename C::key;
    auto singles = [](C &c, const key *handles, uint32_t count, bool *alive) {
        for (uint32_t i = 0; i < count; i++)
            alive[i] = c.contains(handles[i]);
    };
    auto batch = [](C &c, const key *handles, uint32_t count, bool *alive) {
        c.contains_n(handles, count, alive);
    };
    measure({what,
             n,
             COST,
             {{"single calls that store", 0,
               [=] { return time_lookups<C, bool>(n, percent, singles); }},
              {"contains_n", 1.05, [=] { return time_lookups<C, bool>(n, percent, batch); }}}});
}

template <class C> void measure_erase(const std::string &what, uint32_t n, uint32_t percent)
{
    using key = typename C::key;
    auto singles = [](C &c, const key *handles, uint32_t count) {
        uint32_t erased = 0;
        for (uint32_t i = 0; i < count; i++)
            erased += c.erase(handles[i]);
        benchmark::DoNotOptimize(erased);
    };
    auto batch = [](C &c, const key *handles, uint32_t count) {
        uint32_t erased = c.erase_n(handles, count);
        benchmark::DoNotOptimize(erased);
    };
    measure({what,
             n,
             COST,
             {{"single calls", 0, [=] { return time_erases<C>(n, percent, singles); }},
              {"erase_n", 1.05, [=] { return time_erases<C>(n, percent, batch); }}}});
}

template <class C> void measure_container(uint32_t n)
{
    for (uint32_t percent : {0U, 50U, 100U}) {
        std::string what = std::string(C::name) + " of " + std::to_string(n) + ", " +
                           std::to_string(percent) + "% stale, ";
        measure_gets<C>(what + C::get_name, n, percent, false);
        if (C::reads)
            measure_gets<C>(what + C::get_name + " and read", n, percent, true);
        measure_contains<C>(what + "contains", n, percent);
        measure_erase<C>(what + "erase", n, percent);
    }
}

} // namespace

int main(int argc, char **argv)
{
    begin(argc, argv, 1000000, 1000);
    for (uint64_t n = 1000; n <= item_count; n *= 10) {
        measure_container<our_map>(static_cast<uint32_t>(n));
        measure_container<our_pool<HM_STORAGE_VIRTUAL>>(static_cast<uint32_t>(n));
        measure_container<our_table>(static_cast<uint32_t>(n));
    }
    return 0;
}
