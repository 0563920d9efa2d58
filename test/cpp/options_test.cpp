/* SPDX-License-Identifier: MIT */
/* What the options of a class say reaches the C container. */
#include "counted.hpp"

extern "C" {
#include "support/memory.h"
}

#include <string>

namespace
{

/* Fills in what all options have. */
template <class Options> Options with(const test_memory &memory)
{
    Options options;
    options.capacity = 50;
    options.max_slots = 5000;
    options.type_id = 9;
    options.memory = &memory.table;
    options.name = "given";
    return options;
}

/* `name`: what messages call a container without one. `more` sets options that only this class has.
 */
template <class Container, class Options>
void look_for_options(const char *name, Options (*more)(Options))
{
    test_memory memory;
    test_memory_init_with_holes(&memory, 4096);
    const Options options = more(with<Options>(memory));
    {
        Container container(options);
        CHECK(container && container.capacity() == 50 && container.stats().max_slots == 5000);
        CHECK(memory.calls > 0 && memory.reserved_size > 0);
        char text[160];
        const typename Container::handle_type handle(hm_handle_pack(4999, 1, 9));
        container.describe(handle, text, sizeof text);
        CHECK(std::string(text).find("'given'") != std::string::npos);
        CHECK(std::string(text).find("foreign") == std::string::npos);
        Options unnamed = options;
        unnamed.name = nullptr;
        CHECK(container.init(unnamed) == HM_OK);
        container.describe(handle, text, sizeof text);
        CHECK(std::string(text).find(name) != std::string::npos);

        test_memory_fail(&memory, 1, true);
        CHECK(container.init(options) == HM_ERROR_MEMORY && !container);
        CHECK(!Container(options) && Container(options).stats().capacity == 0);
        test_memory_fail(&memory, 0, false);
    }
    test_memory_check_released(&memory);
}

template <class Options> Options as_they_are(Options options)
{
    return options;
}

} // namespace

TEST(cpp_options, those_of_a_map_reach_it)
{
    look_for_options<hm::map<int>>("'int'", as_they_are<hm::options>);
    look_for_options<hm::map<int, 3>>("'int'", as_they_are<hm::options>);
}

TEST(cpp_options, those_of_a_pool_reach_it)
{
    look_for_options<hm::pool<int>>("'int'", as_they_are<hm::pool_options>);
    look_for_options<hm::pool<int>>(
        "'int'", +[](hm::pool_options options) {
            options.storage = HM_STORAGE_FIXED_BLOCKS;
            options.block_size = 65536;
            return options;
        });
}

TEST(cpp_options, those_of_a_secondary_reach_it)
{
    look_for_options<hm::secondary<int, int>>("'int'", as_they_are<hm::options>);
}

TEST(cpp_options, those_of_a_table_reach_it)
{
    look_for_options<hm::table<int, float>>("'hm::table<int, float>'", as_they_are<hm::options>);
    look_for_options<hm::table<hm::lanes<8>, int, float>>("'hm::table<hm::lanes<8",
                                                          as_they_are<hm::options>);
}

TEST(cpp_options, those_of_a_world_reach_it)
{
    look_for_options<hm::world>("'world'", as_they_are<hm::world_options>);
}

TEST(cpp_options, those_of_lists_reach_them)
{
    const auto few = +[](hm::lists_options options) {
        options.max_items = 100;
        return options;
    };
    look_for_options<hm::lists<int>>("'int'", few);
    hm::lists<int> numbers(few({}));
    const auto list = numbers.create();
    CHECK(numbers.resize(list, 101) == HM_ERROR_FULL && numbers.resize(list, 100) == HM_OK);
}

TEST(cpp_options, those_of_an_index_reach_it)
{
    look_for_options<hm::index<int>>("'", as_they_are<hm::index_options>);
}
