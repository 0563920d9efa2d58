/* SPDX-License-Identifier: MIT */
/* hm::history and hm::mark, and C++ objects in a history: containers, worlds with their queries and
 * commands, and moves, which the classes tell. */
#include "components.hpp"
#include "counted.hpp"

extern "C" {
#include "support/memory.h"
}

#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace
{

/* Memory that must all have come back when this ends. */
struct checked_memory : test_memory {
    checked_memory()
    {
        test_memory_init_with_holes(this, test_page_size(4096));
    }
    checked_memory(const checked_memory &) = delete;
    checked_memory &operator=(const checked_memory &) = delete;
    ~checked_memory()
    {
        test_memory_check_released(this);
    }
    hm::history_options options(std::uint32_t marks) const
    {
        hm::history_options with;
        with.marks = marks;
        with.method = HM_HISTORY_COMPARE;
        with.size = std::size_t{1} << 24;
        with.memory = &table;
        return with;
    }
};

struct scene {
    checked_memory memory;
    hm::history history;

    explicit scene(std::uint32_t marks = 0) : history(memory.options(marks))
    {
        CHECK(history);
    }
    scene(const scene &) = delete;
    scene &operator=(const scene &) = delete;
    ~scene()
    {
        CHECK(history.validate() == HM_OK);
    }
    /* Of a container in this history. */
    template <class Container = hm::map<int>> typename Container::options_type options()
    {
        typename Container::options_type with;
        with.memory = history.memory();
        return with;
    }
    hm::mark mark()
    {
        const hm::mark taken = history.mark();
        CHECK(taken);
        return taken;
    }
    void rewind(hm::mark to)
    {
        CHECK(history.rewind(to) == HM_OK);
        CHECK(history.validate() == HM_OK);
    }
};

/* Whether the last call that failed said so. */
bool was_said(const char *words)
{
    return std::strstr(hm_last_error(), words) != nullptr;
}

} // namespace

static_assert(!std::is_copy_constructible<hm::history>::value &&
                  !std::is_move_constructible<hm::history>::value &&
                  !std::is_copy_assignable<hm::history>::value &&
                  !std::is_move_assignable<hm::history>::value,
              "containers keep its address");
static_assert(!hm::mark() && hm::mark(7) && hm::mark(7).number() == 7 && hm::mark().number() == 0);
static_assert(hm::mark(7) == hm::mark(7) && hm::mark(7) != hm::mark(8) && hm::mark() < hm::mark(7));
static_assert(hm::mark(8) > hm::mark(7) && hm::mark(7) <= hm::mark(7) &&
              hm::mark(8) >= hm::mark(8));
static_assert(!std::is_convertible<std::uint64_t, hm::mark>::value &&
                  !std::is_convertible<hm::mark, std::uint64_t>::value,
              "a mark is no number by accident");

/* Writes over what calls have left on the stack, where an item was made before it was moved. */
static void overwrite_stack()
{
    volatile unsigned char bytes[8192];
    for (std::size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = 0xa5;
    CHECK(bytes[sizeof bytes - 1] == 0xa5);
}

/* A container in an item of another one is rewound with that, and known when it leaves it. */
TEST(cpp_history, a_container_inside_an_item_is_rewound_with_it)
{
    scene s;
    const hm::options with = s.options();
    hm::map<hm::map<int>> outer(with);
    const auto inner = outer.emplace(with);
    overwrite_stack();
    outer.get(inner)->insert(1);
    const auto mark = s.mark();
    outer.get(inner)->insert(2);
    s.rewind(mark);
    CHECK(outer.get(inner)->size() == 1);
    hm::map<int> out(std::move(*outer.get(inner)));
    const auto again = s.mark();
    out.insert(2);
    s.rewind(again);
    CHECK(out.size() == 1);
}

/* Where memory is refused, a world is made whole or not at all. */
TEST(cpp_history, a_world_whose_memory_is_refused_leaves_nothing_behind)
{
    scene s;
    std::uint32_t k = 1;
    for (bool is_made = false; !is_made; k++) {
        test_memory_fail(&s.memory, k, false);
        hm::world world;
        const hm::status made = world.init(s.options<hm::world>());
        is_made = made == HM_OK;
        CHECK(is_made || made == HM_ERROR_MEMORY);
        test_memory_fail(&s.memory, 0, false);
        CHECK(s.history.validate() == HM_OK);
    }
    CHECK(k > 2);
}

TEST(cpp_history, a_rewind_brings_back_a_map_and_a_world_and_plain_state)
{
    scene s;
    int frame = 1;
    hm::map<int> numbers(s.options());
    hm::world world(s.options<hm::world>());
    hm::query<position> query(world);
    CHECK(s.history.watch(frame) == HM_OK);
    const auto seven = numbers.insert(7);
    const hm::entity stone = world.create(position{1, 2}, rare{3});
    const hm::mark before = s.mark();
    frame = 2;
    numbers.erase(seven);
    const auto eight = numbers.insert(8);
    world.destroy(stone);
    const hm::entity tree = world.create(position{4, 5}, velocity{6, 7});
    CHECK(query.count() == 1);
    const hm::mark after = s.mark();
    CHECK(before < after);

    s.rewind(before);
    CHECK(frame == 1 && numbers.size() == 1 && *numbers.get(seven) == 7);
    CHECK(!numbers.contains(eight) && !world.contains(tree) && world.size() == 1);
    CHECK(world.get<position>(stone)->y == 2 && world.get<rare>(stone)->value == 3);
    query.each([&](hm::entity each, position &) { CHECK(each == stone); });
    CHECK(query.count() == 1);

    s.rewind(after); /* forward again, since nothing has changed */
    CHECK(frame == 2 && !numbers.contains(seven) && *numbers.get(eight) == 8);
    CHECK(!world.contains(stone) && world.get<velocity>(tree)->x == 6);
    CHECK(world.validate() == HM_OK && numbers.validate() == HM_OK);
}

/* A history in a class, with the containers that it rewinds: the order of members is that of their
 * lives. */
TEST(cpp_history, a_class_may_have_a_history_and_its_containers_as_members)
{
    struct game {
        hm::history history;
        hm::map<int> coins{{0, 0, 0, history.memory()}};
        hm::mark start{};
    };
    auto played = std::make_unique<game>();
    CHECK(played->history && played->coins);
    const auto coin = played->coins.insert(5);
    CHECK(played->history.watch(played->start) == HM_OK);
    played->start = played->history.mark();
    *played->coins.get(coin) = 6;
    CHECK(played->history.rewind(played->start) == HM_OK);
    CHECK(*played->coins.get(coin) == 5 && !played->start); /* It was none at the mark. */
}

TEST(cpp_history, containers_that_were_moved_are_rewound_where_they_are)
{
    scene s;
    hm::map<int> first(s.options());
    hm::world born(s.options<hm::world>());
    hm::pool<int> pool(s.options<hm::pool<int>>()), other;
    const auto seven = first.insert(7);
    const hm::entity stone = born.create(rare{3});
    const auto nine = pool.insert(9);
    const hm::mark before = s.mark();

    hm::map<int> second(std::move(first));
    const hm::world grown(std::move(born));
    other = std::move(pool);
    second.clear();
    *other.get(nine) = 10;
    hm::map<int> third(std::move(second));
    third.insert(8);
    s.rewind(before);
    CHECK(third.size() == 1 && *third.get(seven) == 7 && third.validate() == HM_OK);
    CHECK(*other.get(nine) == 9 && other.validate() == HM_OK);
    CHECK(grown.get<rare>(stone)->value == 3);
    CHECK(!first && !second && !pool && !born); /* No rewind fills what was moved from. */
    *third.get(seven) = 8;
    CHECK(s.mark() > before);
}

TEST(cpp_history, a_mark_that_is_not_kept_is_stale_and_nothing_has_changed)
{
    scene s(2);
    hm::map<int> numbers(s.options());
    const hm::mark oldest = s.mark();
    numbers.insert(1);
    const hm::mark first = s.mark();
    numbers.insert(2);
    const hm::mark second = s.mark();
    numbers.insert(3);
    CHECK(s.history.rewind(oldest) == HM_ERROR_STALE && was_said("raise marks"));
    CHECK(s.history.rewind(hm::mark()) == HM_ERROR_STALE);
    CHECK(s.history.rewind(hm::mark(second.number() + 1)) == HM_ERROR_STALE);
    auto never = [](const hm_change &) { CHECK(false); };
    CHECK(numbers.changes(s.history, oldest, second, never) == HM_ERROR_STALE);
    CHECK(numbers.size() == 3);
    const hm::history_stats stats = s.history.stats();
    CHECK(hm::mark(stats.oldest_mark) == first && hm::mark(stats.newest_mark) == second);
    s.rewind(first);
    CHECK(hm::mark(s.history.stats().current_mark) == first && numbers.size() == 1);
    numbers.clear();
    CHECK(s.history.rewind(second) == HM_ERROR_STALE && was_said("ahead") && numbers.empty());
}

/* What a program sees of a history that could not be made. */
static void check_refused(hm::history &refused)
{
    CHECK(!refused && refused.validate() == HM_OK);
    CHECK(!refused.mark() && was_said("initialise it first"));
    CHECK(refused.rewind(hm::mark(1)) == HM_ERROR_STALE);
    int frame = 0;
    CHECK(refused.watch(frame) == HM_ERROR_FULL && !refused.unwatch(frame));
    hm::options with;
    with.memory = refused.memory();
    hm::map<int> none;
    CHECK(none.init(with) == HM_ERROR_INVALID && !none);
    hm::map<int> numbers;
    auto never = [](const hm_change &) { CHECK(false); };
    CHECK(numbers.changes(refused, hm::mark(), hm::mark(1), never) == HM_ERROR_FULL);
}

TEST(cpp_history, a_history_that_is_refused_is_false_and_says_why)
{
    checked_memory memory;
    hm::history history(memory.options(65537));
    CHECK(!history && was_said("marks 65537 is above 65536"));
    check_refused(history);
    hm::history_options with = memory.options(8);
    with.method = HM_HISTORY_TRACK; /* which this memory does not have */
    CHECK(history.init(with) == HM_ERROR_INVALID && was_said("use HM_HISTORY_AUTO"));
    with = memory.options(8);
    with.size = SIZE_MAX;
    CHECK(history.init(with) == HM_ERROR_INVALID && was_said("is too large"));
    std::string said;
    try {
        hm::value_or_throw(history.mark());
    } catch (const hm::error &error) {
        said = error.what();
    }
    CHECK(said.find("initialise it first") != std::string::npos);

    hm::status made = HM_ERROR_MEMORY;
    for (std::uint32_t k = 1; made != HM_OK; k++) {
        test_memory_fail(&memory, k, false);
        made = history.init(memory.options(8));
        CHECK(made == HM_OK || (made == HM_ERROR_MEMORY && test_memory_refused(&memory)));
        test_memory_fail(&memory, 0, false);
        if (made != HM_OK)
            check_refused(history);
    }
    CHECK(history && hm::value_or_throw(history.mark()) == hm::mark(1));
}

TEST(cpp_history, a_history_is_made_anew_without_marks)
{
    scene s;
    const hm::mark taken = s.mark();
    CHECK(s.history.stats().current_mark == taken.number());
    CHECK(s.history.init(s.memory.options(2)) == HM_OK);
    CHECK(s.history.stats().current_mark == 0 && s.history.rewind(taken) == HM_ERROR_STALE);
    hm::history with_defaults;
    CHECK(with_defaults && with_defaults.mark());
    CHECK(with_defaults.stats().method != HM_HISTORY_AUTO);
}

TEST(cpp_history, plain_state_is_rewound_until_it_is_not_watched)
{
    scene s;
    struct state {
        int score;
        hm::entity hero;
        float weights[3];
    } played{1, hm::entity(), {1, 2, 3}};
    int scores[2] = {1, 2};
    CHECK(s.history.watch(played) == HM_OK && s.history.watch(scores) == HM_OK);
    const hm::mark before = s.mark();
    played = {2, hm::entity(hm_handle{5}), {4, 5, 6}};
    scores[1] = 3;
    s.rewind(before);
    CHECK(played.score == 1 && !played.hero && played.weights[2] == 3 && scores[1] == 2);
    CHECK(s.history.unwatch(played) && !s.history.unwatch(played));
    played.score = 4;
    scores[1] = 5;
    s.rewind(before);
    CHECK(played.score == 4 && scores[1] == 2);
    CHECK(s.history.unwatch(scores));
    CHECK(s.history.watch(*s.history.c()) == HM_ERROR_INVALID);
}

TEST(cpp_history, containers_tell_what_has_changed_between_marks)
{
    scene s;
    hm::map<int> numbers(s.options()), elsewhere;
    hm::world world(s.options<hm::world>());
    CHECK(numbers.watch(s.history) == HM_OK && world.watch(s.history) == HM_OK);
    CHECK(elsewhere.watch(s.history) == HM_ERROR_INVALID);
    const auto seven = numbers.insert(7);
    const hm::entity stone = world.create(rare{3});
    const hm::mark before = s.mark();
    *numbers.get(seven) = 8;
    world.add(stone, position{1, 2});
    const hm::mark after = s.mark();

    int told = 0;
    auto edited = [&](const hm_change &change) {
        told++;
        CHECK(change.kind == HM_CHANGE_EDITED && change.handle.bits == seven.bits());
        CHECK(*static_cast<const int *>(change.before) == 7);
        CHECK(*static_cast<const int *>(change.after) == 8);
    };
    CHECK(numbers.changes(s.history, before, after, edited) == HM_OK && told == 1);
    /* A history of C, and numbers, are the same. */
    CHECK(numbers.changes(*s.history.c(), before.number(), after.number(), edited) == HM_OK);
    CHECK(told == 2);
    auto inserted = [&](const hm_change &change) {
        told++;
        CHECK(change.kind == HM_CHANGE_INSERTED && change.before == nullptr);
    };
    CHECK(numbers.changes(s.history, {}, after, inserted) == HM_OK && told == 3);
    CHECK(world.changes(s.history, before, after, inserted) == HM_OK && told == 4);
    CHECK(world.changes(s.history, after, after, inserted) == HM_OK && told == 4);
}

TEST(cpp_history, changes_are_written_from_mark_to_mark)
{
    scene s;
    hm::map<int> numbers(s.options()), copy;
    std::vector<char> line;
    auto write = [&](const void *bytes, std::size_t size) {
        auto *from = static_cast<const char *>(bytes);
        line.insert(line.end(), from, from + size);
        return true;
    };
    auto read = [&](void *bytes, std::size_t size) {
        if (size > line.size())
            return false;
        std::memcpy(bytes, line.data(), size);
        line.erase(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(size));
        return true;
    };
    const auto seven = numbers.insert(7);
    hm::mark sent;
    for (int i = 0; i < 3; i++) {
        *numbers.get(seven) += i;
        const hm::mark now = s.mark();
        CHECK(numbers.save_changes(s.history, sent, now, write) == HM_OK && !line.empty());
        CHECK(copy.load_changes(read) == HM_OK && line.empty());
        CHECK(copy.size() == 1 && *copy.get(seven) == *numbers.get(seven));
        sent = now;
    }
    CHECK(*copy.get(seven) == 10);
}

DEATH_TEST(cpp_history, a_history_that_ends_before_its_containers_panics)
{
    hm::map<int> numbers;
    {
        hm::history history;
        hm::options with;
        with.memory = history.memory();
        (void)numbers.init(with);
        numbers.insert(1);
    }
}
