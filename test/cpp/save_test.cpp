/* SPDX-License-Identifier: MIT */
/* save and load of the classes: lambdas, and types that are no plain bytes. */
#include "counted.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace
{

struct player {
    using relocatable = player;
    std::unique_ptr<std::string> name;
    int score;
};

struct position {
    float x, y;
};

struct frozen {
};

/* A file in memory. */
struct file {
    std::vector<unsigned char> bytes;
    std::size_t at = 0;

    auto sink()
    {
        bytes.clear();
        at = 0;
        return [this](const void *from, std::size_t size) {
            const unsigned char *begin = static_cast<const unsigned char *>(from);
            bytes.insert(bytes.end(), begin, begin + size);
            return true;
        };
    }
    auto source()
    {
        at = 0;
        return [this](void *to, std::size_t size) {
            if (size > bytes.size() - at)
                return false;
            std::memcpy(to, bytes.data() + at, size);
            at += size;
            return true;
        };
    }
};

player make_player(const char *name, int score)
{
    return player{std::make_unique<std::string>(name), score};
}

bool is_player(const player *found, const char *name, int score)
{
    return found != nullptr && *found->name == name && found->score == score;
}

} // namespace

/* Up to 12 bytes of the name, and the score. */
template <> struct hm::saved<player> {
    static constexpr std::size_t size = 16;
    static constexpr std::uint32_t version = 2;

    static void encode(const player &from, unsigned char *bytes)
    {
        std::memcpy(bytes, from.name->data(), std::min<std::size_t>(from.name->size(), 12));
        bytes[12] = static_cast<unsigned char>(from.score);
    }
    static std::optional<player> decode(std::uint32_t of, const unsigned char *bytes,
                                        std::size_t length)
    {
        if (of != version || length != size || bytes[0] == '!')
            return std::nullopt;
        const char *name = reinterpret_cast<const char *>(bytes);
        return player{std::make_unique<std::string>(name, strnlen(name, 12)), bytes[12]};
    }
};

/* Merges a container twice into another one; the second time nobody asks for the handles. */
template <class C, class Remap> void merge_twice(const C &from, C &into, Remap &remap)
{
    file saved;
    const std::uint32_t count = into.size();
    CHECK(from.save(saved.sink()) == HM_OK && into.merge(saved.source(), remap) == HM_OK);
    CHECK(into.merge(saved.source()) == HM_OK && into.size() == count + 2 * from.size());
    CHECK(into.merge(saved.source(), remap) == HM_ERROR_INVALID && into.validate() == HM_OK);
    CHECK(remap.size() == from.size());
}

TEST(cpp_save, items_are_merged_under_new_handles)
{
    hm::map<player> players, others;
    hm::pool<player> bench, other_bench;
    hm::lists<int> lists, other_lists;
    hm::table<float, int> table, other_table;
    hm::world world, other_world;
    others.insert(make_player("Ann", 3));
    const auto bob = players.insert(make_player("Bob", 5));
    const auto cat = bench.insert(make_player("Cat", 7));
    const auto list = lists.create();
    const auto row = table.insert(0.5F, 6);
    lists.push(list, 11);
    hm::secondary<player, hm::handle<player>> remap(others), bench_remap(other_bench);
    hm::secondary<hm::list<int>, hm::handle<hm::list<int>>> list_remap(other_lists);
    hm::secondary<hm::table<float, int>, hm::handle<hm::table<float, int>>> row_remap(other_table);
    hm::secondary<hm::world, hm::entity> entity_remap(other_world);
    merge_twice(players, others, remap);
    merge_twice(bench, other_bench, bench_remap);
    merge_twice(lists, other_lists, list_remap);
    merge_twice(table, other_table, row_remap);
    CHECK(is_player(others.get(*remap.get(bob)), "Bob", 5));
    CHECK(is_player(other_bench.get(*bench_remap.get(cat)), "Cat", 7));
    CHECK(other_lists.items(*list_remap.get(list))[0] == 11);
    CHECK(*other_table.get<1>(*row_remap.get(row)) == 6);
    file saved;
    const auto one = world.create(position{1, 2}, make_player("Ann", 3));
    CHECK(world.save<player>(saved.sink()) == HM_OK);
    CHECK((other_world.merge<position, player>(saved.source(), entity_remap) == HM_OK));
    CHECK((other_world.merge<position, player>(saved.source()) == HM_OK));
    CHECK(is_player(other_world.get<player>(*entity_remap.get(one)), "Ann", 3));
    CHECK(other_world.size() == 2 && other_world.validate() == HM_OK);
}

TEST(cpp_save, an_item_that_its_code_refuses_ends_the_load_and_leaks_nothing)
{
    hm::map<player> players, again;
    file saved;
    players.insert(make_player("Ann", 3));
    players.insert(make_player("!", 3));
    CHECK(players.save(saved.sink()) == HM_OK);
    CHECK(again.load(saved.source()) == HM_ERROR_CORRUPT && again.empty());
    CHECK(again.validate() == HM_OK);
}

TEST(cpp_save, a_world_comes_back_with_components_that_are_no_plain_bytes)
{
    hm::world world, again, other;
    file saved;
    auto one = world.create(position{1, 2}, make_player("Ann", 3));
    auto two = world.create<position, frozen>();
    CHECK(world.save<player>(saved.sink()) == HM_OK);
    CHECK((again.load<position, player, frozen>(saved.source()) == HM_OK));
    CHECK(again.get<position>(one)->y == 2 && is_player(again.get<player>(one), "Ann", 3));
    CHECK(again.has<frozen>(two) && again.validate() == HM_OK);

    hm_world_save_desc with{};
    with.resolve = [](const hm_component_difference *, void *) { return HM_LOAD_DROP; };
    CHECK((other.load<position>(saved.source()) == HM_ERROR_INVALID));
    CHECK((other.load<position>(saved.source(), with) == HM_OK));
    CHECK(other.size() == 2 && !other.has<frozen>(two));
}

TEST(cpp_save, every_class_is_dumped_with_a_printer_of_its_items)
{
    hm::map<int> numbers;
    std::string text;
    numbers.insert(7);
    hm_dump_desc with{};
    with.print = [](const void *item, std::uint32_t, char *buffer, std::size_t size, void *) {
        return static_cast<std::size_t>(
            std::snprintf(buffer, size, "number %d", *static_cast<const int *>(item)));
    };
    auto sink = [&](const void *bytes, std::size_t size) {
        text.append(static_cast<const char *>(bytes), size);
        return true;
    };
    CHECK(numbers.dump(sink, with) == HM_OK && numbers.dump(sink) == HM_OK);
    CHECK(text.find("map 'int': 1 items, 1 slots, type id 0\n") == 0);
    CHECK(text.find("0x0000000100000000: number 7\n") != std::string::npos);
}

TEST(cpp_save, classes_are_watched_and_tell_what_has_changed)
{
    hm_history history;
    hm_history_desc desc{};
    CHECK(hm_history_init(&history, &desc) == HM_OK);
    {
        hm::map<int>::options_type with;
        with.memory = &history.table;
        hm::map<int> numbers(with);
        CHECK(numbers.watch(history) == HM_OK && numbers.watch(history) == HM_OK);
        auto kept = numbers.insert(7);
        std::uint64_t before = hm_history_mark(&history);
        *numbers.get(kept) = 8;
        std::uint64_t after = hm_history_mark(&history);
        int told = 0;
        auto tell = [&](const hm_change &change) {
            told++;
            CHECK(change.kind == HM_CHANGE_EDITED && change.handle.bits == kept.id().bits);
            CHECK(*static_cast<const int *>(change.before) == 7);
            CHECK(*static_cast<const int *>(change.after) == 8);
        };
        CHECK(numbers.changes(history, before, after, tell) == HM_OK && told == 1);
        hm::map<int> copy;
        std::vector<char> file;
        std::size_t at = 0;
        auto write = [&](const void *bytes, std::size_t size) {
            auto *from = static_cast<const char *>(bytes);
            file.insert(file.end(), from, from + size);
            return true;
        };
        auto read = [&](void *bytes, std::size_t size) {
            if (size > file.size() - at)
                return false;
            std::memcpy(bytes, file.data() + at, size);
            at += size;
            return true;
        };
        CHECK(numbers.save_changes(history, 0, after, write) == HM_OK);
        CHECK(copy.load_changes(read) == HM_OK && *copy.get(kept) == 8);
        CHECK(copy.apply(hm_change{kept.id(), HM_CHANGE_ERASED, 0, nullptr, nullptr, 0, 0}) ==
              HM_OK);
        CHECK(hm_history_rewind(&history, before) == HM_OK && *numbers.get(kept) == 7);
    }
    hm_history_fini(&history);
}

TEST(cpp_save, values_of_handles_go_through_saved_and_have_equal_hashes)
{
    hm::map<player> players, copy;
    hm::world world, other;
    file sent;
    const hm::handle<player> both[] = {players.insert(make_player("Ann", 3)),
                                       players.insert(make_player("Bob", 5))};
    const hm::entity one[] = {world.create(position{1, 2}, make_player("Cat", 7), frozen())};
    int told = 0;
    auto count = [&](const hm_change &change) { told += change.part == 0 ? 1 : 100; };
    CHECK(players.visit(count) == HM_OK && told == 2);
    CHECK(players.visit({both, 1}, count) == HM_OK && told == 3);
    CHECK(players.save_values({both + 1, 1}, sent.sink()) == HM_OK);
    CHECK(copy.load_changes(sent.source()) == HM_OK && copy.size() == 1);
    CHECK(is_player(copy.get(both[1]), "Bob", 5));
    CHECK(copy.hash() == players.hash({both + 1, 1}) && copy.hash() != players.hash());
    CHECK(players.hash() == players.hash({both, 1}) + copy.hash());
    CHECK(world.save_values<player>(one, sent.sink()) == HM_OK);
    CHECK((other.load_changes<position, player, frozen>(sent.source()) == HM_OK));
    CHECK(is_player(other.get<player>(one[0]), "Cat", 7) && other.has<frozen>(one[0]));
    CHECK(other.hash<player>() == world.hash<player>(one));
    other.remove<frozen>(one[0]);
    CHECK(other.hash<player>() != world.hash<player>());
}

TEST(cpp_save, changes_name_the_marks_between_which_they_lead)
{
    hm::history history({4, HM_HISTORY_AUTO, 0, nullptr, 9});
    hm::map<int> numbers({0, 0, 0, history.memory()}), copy;
    file sent;
    hm_position at{};
    hm_save_desc desc{};
    desc.position = &at;
    const auto kept = numbers.insert(7);
    const hm::mark first = history.mark();
    *numbers.get(kept) = 8;
    const hm::mark second = history.mark();
    CHECK(history.position().epoch == 9 && history.position().mark == second.number());
    CHECK(numbers.save_changes(history, first, second, sent.sink()) == HM_OK);
    CHECK(copy.load_changes(sent.source(), desc) == HM_ERROR_STALE && at.mark == 0);
    CHECK(numbers.save_changes(history, hm::mark(), second, sent.sink()) == HM_OK);
    CHECK(copy.load_changes(sent.source(), desc) == HM_OK && *copy.get(kept) == 8);
    CHECK(at.epoch == 9 && at.mark == second.number());
}

TEST(cpp_save, loads_say_where_a_container_stands)
{
    hm::map<int> numbers, copy;
    hm::world world, other, another;
    file sent;
    hm_position here{3, 5, 0, 0}, at{}, of_world{}, of_values{};
    hm_save_desc to{}, from{};
    hm_world_save_desc to_world{}, from_world{}, from_values{};
    to.position = to_world.position = &here;
    from.position = &at;
    from_world.position = &of_world;
    from_values.position = &of_values;
    CHECK(numbers.save(sent.sink(), to) == HM_OK && copy.load(sent.source(), from) == HM_OK);
    CHECK(at.epoch == 3 && at.mark == 5);
    const hm::entity one[] = {world.create(position{1, 2})};
    CHECK(world.save(sent.sink(), to_world) == HM_OK);
    CHECK(other.load<position>(sent.source(), from_world) == HM_OK && of_world.mark == 5);
    of_values.mark = here.mark = 6;
    CHECK(world.save_values(one, sent.sink(), to_world) == HM_OK);
    CHECK(another.load_changes<position>(sent.source(), from_values) == HM_ERROR_STALE);
    of_values.epoch = 3;
    CHECK(another.load_changes<position>(sent.source(), from_values) == HM_OK);
    CHECK(of_values.epoch == 3 && of_values.mark == 6 && another.contains(one[0]));
}

TEST(cpp_save, sinks_and_sources_of_c_are_taken_too)
{
    unsigned char bytes[4096];
    hm_memory_stream stream{bytes, sizeof bytes, 0};
    hm::map<position> places, again;
    auto here = places.insert({1, 2});
    CHECK(places.save(hm_sink_memory(&stream)) == HM_OK);
    stream.position = 0;
    CHECK(again.load(hm_source_memory(&stream)) == HM_OK && again.contains(here));
    CHECK(places.save([](const void *, std::size_t) { return false; }) == HM_ERROR_IO);
}
