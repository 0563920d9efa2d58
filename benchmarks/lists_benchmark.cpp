/* SPDX-License-Identifier: MIT */
/* lists_benchmark: hm_lists beside a std::vector of std::vector. Each list has 0 to 30 items of 8
 * bytes, all numbers as often. The options are those of groups.h. */
#include "groups.h"
#include "owned.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace
{

HM_LISTS_DEFINE(number, uint64_t, 5)

enum {
    MOST = 30,     /* items of a list */
    AGING = 20,    /* steps for each list, so that what is measured is their steady state */
    TOGETHER = 64, /* pushes whose time is taken at once */
    CHUNK = 65536  /* steps that are drawn before they are timed */
};

/* What is asked of a list: to erase an item, or to gain one, if it has any or has room. What to
 * do and where is drawn before; the list is named as a program would store it. */
template <class Key> struct step {
    Key list;
    uint32_t draw; /* odd: erase at this share of the list's length */
};

class draws
{
  public:
    uint32_t below(uint32_t limit)
    {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<uint32_t>(((state >> 32) * limit) >> 32);
    }

  private:
    uint64_t state = 1;
};

uint32_t share_of(uint32_t draw, size_t count)
{
    return static_cast<uint32_t>((uint64_t{draw} * count) >> 32);
}

struct our_lists {
    static constexpr const char *name = "hm_lists";
    using key_type = number_handle;
    owned<number_lists, number_lists_fini> lists;
    std::vector<number_handle> keys;

    explicit our_lists(uint32_t count) : keys(count)
    {
        hm_lists_desc desc = {};
        desc.capacity = count;
        desc.max_items = uint64_t{count} * (MOST + 2);
        require(number_lists_init_desc(&lists, &desc) == HM_OK, "no lists");
        for (number_handle &key : keys)
            key = number_lists_create(&lists);
    }
    void push(number_handle list, uint64_t value)
    {
        require(number_lists_push(&lists, list, &value) != nullptr, "no push");
    }
    void run(const step<number_handle> &it)
    {
        uint32_t count;
        number_lists_items(&lists, it.list, &count);
        if ((it.draw & 1) == 0) {
            if (count < MOST)
                push(it.list, it.draw);
        } else if (count > 0) {
            number_lists_erase_at(&lists, it.list, share_of(it.draw, count));
        }
    }
    uint64_t iterate()
    {
        uint64_t sum = 0;
        number_lists_view view = {};
        while (number_lists_next(&lists, &view))
            for (uint32_t i = 0; i < view.count; i++)
                sum += view.items[i];
        return sum;
    }
    uint64_t visit(const std::vector<key_type> &visited)
    {
        uint64_t sum = 0;
        for (key_type key : visited) {
            uint32_t count;
            const uint64_t *items = number_lists_items(&lists, key, &count);
            for (uint32_t i = 0; i < count; i++)
                sum += items[i];
        }
        return sum;
    }
    void tidy()
    {
        require(number_lists_defragment(&lists, nullptr).done, "not tidy");
        require(number_lists_trim(&lists) == HM_OK, "no trim");
    }
    size_t committed()
    {
        return number_lists_get_stats(&lists).committed_size;
    }
};

struct vectors {
    static constexpr const char *name = "std::vector of std::vector";
    using key_type = uint32_t;
    std::vector<std::vector<uint64_t>> lists;
    std::vector<uint32_t> keys;

    explicit vectors(uint32_t count) : lists(count), keys(count)
    {
        for (uint32_t i = 0; i < count; i++)
            keys[i] = i;
    }
    void push(uint32_t list, uint64_t value)
    {
        lists[list].push_back(value);
    }
    void run(const step<uint32_t> &it)
    {
        std::vector<uint64_t> &items = lists[it.list];
        if ((it.draw & 1) == 0) {
            if (items.size() < MOST)
                items.push_back(it.draw);
        } else if (!items.empty()) {
            items[share_of(it.draw, items.size())] = items.back();
            items.pop_back();
        }
    }
    uint64_t iterate()
    {
        uint64_t sum = 0;
        for (const std::vector<uint64_t> &items : lists)
            for (uint64_t it : items)
                sum += it;
        return sum;
    }
    uint64_t visit(const std::vector<key_type> &visited)
    {
        uint64_t sum = 0;
        for (key_type key : visited)
            for (uint64_t it : lists[key])
                sum += it;
        return sum;
    }
    void tidy()
    {
    }
    size_t committed()
    {
        return 0;
    }
};

/* Gives each list 0 to 30 items, in random order, so that lists grow beside each other. */
template <class Lists> void fill(Lists &lists, draws &numbers)
{
    std::vector<typename Lists::key_type> order;
    for (typename Lists::key_type key : lists.keys)
        order.insert(order.end(), numbers.below(MOST + 1), key);
    std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
    for (typename Lists::key_type key : order)
        lists.push(key, 1);
}

/* Takes so many random steps, and returns the seconds of these alone. */
template <class Lists> double take_steps(Lists &lists, draws &numbers, uint64_t steps)
{
    std::vector<step<typename Lists::key_type>> drawn(CHUNK);
    uint32_t count = static_cast<uint32_t>(lists.keys.size());
    double seconds = 0;
    for (uint64_t done = 0; done < steps; done += CHUNK) {
        for (auto &it : drawn)
            it = {lists.keys[numbers.below(count)], numbers.below(UINT32_MAX)};
        double start = cpu_seconds();
        for (const auto &it : drawn)
            lists.run(it);
        seconds += cpu_seconds() - start;
    }
    return seconds;
}

uint64_t round_up(uint64_t steps)
{
    return (steps + CHUNK - 1) / CHUNK * CHUNK;
}

template <class Lists> double run_steps(uint32_t count)
{
    draws numbers;
    Lists lists(count);
    fill(lists, numbers);
    take_steps(lists, numbers, uint64_t{AGING} * count);
    uint64_t steps = round_up(uint64_t{4} * count);
    return take_steps(lists, numbers, steps) / static_cast<double>(steps) * count;
}

template <class Lists> double run_fill(uint32_t count)
{
    Lists lists(count);
    std::vector<typename Lists::key_type> order;
    for (typename Lists::key_type key : lists.keys)
        order.insert(order.end(), MOST / 2, key);
    std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
    double start = cpu_seconds();
    for (typename Lists::key_type key : order)
        lists.push(key, 1);
    return (cpu_seconds() - start) / (MOST / 2);
}

template <class Lists> std::unique_ptr<Lists> make_aged(uint32_t count)
{
    draws numbers;
    auto lists = std::make_unique<Lists>(count);
    fill(*lists, numbers);
    take_steps(*lists, numbers, uint64_t{AGING} * count);
    return lists;
}

template <class Lists> double run_iterate(uint32_t count, bool is_tidy)
{
    auto lists = make_aged<Lists>(count);
    if (is_tidy)
        lists->tidy();
    uint64_t expected = lists->visit(lists->keys);
    return time_of(count, [&] { require(lists->iterate() == expected, "an item was missed"); });
}

template <class Lists> double run_visit(uint32_t count, bool is_tidy)
{
    auto lists = make_aged<Lists>(count);
    if (is_tidy)
        lists->tidy();
    uint64_t expected = lists->iterate();
    auto order = lists->keys;
    std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
    return time_of(count, [&] { require(lists->visit(order) == expected, "an item was missed"); });
}

template <class Lists> double run_defragment(uint32_t count)
{
    auto lists = make_aged<Lists>(count);
    double start = cpu_seconds();
    lists->tidy();
    return cpu_seconds() - start;
}

void measure_all(uint32_t count)
{
    group fills = {with_count("lists: push, fresh", count), count, COST, {}};
    fills.rows = {{vectors::name, 0, [=] { return run_fill<vectors>(count); }},
                  {our_lists::name, 0, [=] { return run_fill<our_lists>(count); }}};
    measure(fills);
    group steps = {with_count("lists: push and erase, random", count), count, COST, {}};
    steps.rows = {{vectors::name, 0, [=] { return run_steps<vectors>(count); }},
                  {our_lists::name, 1.1, [=] { return run_steps<our_lists>(count); }}};
    measure(steps);
    group iterate = {with_count("lists: iterate", count), count, SPEEDUP, {}};
    iterate.rows = {{vectors::name, 0, [=] { return run_iterate<vectors>(count, false); }},
                    {our_lists::name, 0, [=] { return run_iterate<our_lists>(count, false); }},
                    {std::string(our_lists::name) + ", defragmented", 3,
                     [=] { return run_iterate<our_lists>(count, true); }}};
    measure(iterate);
    group visit = {with_count("lists: visit, random", count), count, SPEEDUP, {}};
    visit.rows = {{vectors::name, 0, [=] { return run_visit<vectors>(count, false); }},
                  {our_lists::name, 0, [=] { return run_visit<our_lists>(count, false); }},
                  {std::string(our_lists::name) + ", defragmented", 0,
                   [=] { return run_visit<our_lists>(count, true); }}};
    measure(visit);
    group tidy = {with_count("lists: defragment and trim", count), count, COST, {}};
    tidy.rows = {{our_lists::name, 0, [=] { return run_defragment<our_lists>(count); }}};
    measure(tidy);
}

/* What the heap has taken from the system, so that its unused parts count as ours do. */
size_t heap_size()
{
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
#else
    return 0;
#endif
}

template <class Lists> size_t print_memory(uint32_t count, bool is_tidy, size_t theirs)
{
    size_t before = heap_size();
    auto lists = make_aged<Lists>(count);
    if (is_tidy)
        lists->tidy();
    size_t keys = lists->keys.capacity() * sizeof lists->keys[0];
    size_t bytes = heap_size() - before - keys + lists->committed();
    std::printf("  %-42s %8.1f  %8.2f",
                is_tidy ? "hm_lists, defragmented and trimmed" : Lists::name,
                static_cast<double>(bytes) / count,
                theirs != 0 ? static_cast<double>(bytes) / static_cast<double>(theirs) : 1);
    if (is_tidy)
        std::printf("  asked: at most 0.70, %s",
                    static_cast<double>(bytes) <= 0.7 * static_cast<double>(theirs) ? "met"
                                                                                    : "MISSED");
    std::printf("\n");
    return bytes;
}

void print_memories(uint32_t count)
{
    std::string title = with_count("lists: memory", count);
    if (!is_chosen(title))
        return;
    std::printf("\n%-44s bytes a list, times the first\n", title.c_str());
    size_t theirs = print_memory<vectors>(count, false, 0);
    print_memory<our_lists>(count, false, theirs);
    print_memory<our_lists>(count, true, theirs);
}

/* Returns the longest time of 64 calls together, in seconds: above that of the slowest call. */
template <class Push> double worst_of(uint64_t pushes, Push push)
{
    double worst = 0;
    for (uint64_t i = 0; i < pushes; i += TOGETHER) {
        double start = cpu_seconds();
        for (uint64_t k = i; k < i + TOGETHER; k++)
            push(k);
        worst = std::max(worst, cpu_seconds() - start);
    }
    return worst;
}

void print_growth(uint32_t count)
{
    std::string title = with_count("lists: slowest pushes", count);
    if (!is_chosen(title))
        return;
    std::vector<double> theirs, ours;
    for (int i = 0; i < (smoke ? 1 : repetitions); i++) {
        draws numbers;
        uint64_t pushes = uint64_t{count} * (MOST / 2);
        std::vector<uint64_t> doubling;
        theirs.push_back(worst_of(pushes, [&](uint64_t value) { doubling.push_back(value); }));
        our_lists lists(count);
        ours.push_back(worst_of(pushes, [&](uint64_t value) {
            number_handle key = lists.keys[numbers.below(count)];
            lists.push(key, value);
        }));
    }
    double ratio = median(theirs) / median(ours);
    std::printf("\n%-44s us, %d pushes together\n", title.c_str(), TOGETHER);
    std::printf("  %-42s %8.1f\n", "one std::vector of all items", median(theirs) * 1e6);
    std::printf("  %-42s %8.1f  %8.2f times as fast  asked: at least 50.00, %s\n", our_lists::name,
                median(ours) * 1e6, ratio, ratio >= 50 ? "met" : "MISSED");
}

} // namespace

int main(int argc, char **argv)
{
    begin(argc, argv, 1000000, 3000);
    measure_all(item_count);
    print_memories(item_count);
    print_growth(item_count);
    return 0;
}
