/* SPDX-License-Identifier: MIT */
/* C++ objects in a history: worlds with their queries and commands, and moves, which the classes
 * tell. */
#include "counted.hpp"

extern "C" {
#include "support/memory.h"
}

#include <memory>
#include <utility>

namespace
{

template <int N> struct tag {
};

struct scene {
    test_memory memory;
    hm_history history;

    scene()
    {
        test_memory_init_with_holes(&memory, test_page_size(4096));
        hm_history_desc desc{};
        desc.size = std::size_t{1} << 24;
        desc.method = HM_HISTORY_COMPARE;
        desc.memory = &memory.table;
        CHECK(hm_history_init(&history, &desc) == HM_OK);
    }
    scene(const scene &) = delete;
    scene &operator=(const scene &) = delete;
    ~scene()
    {
        CHECK(hm_history_validate(&history) == HM_OK);
        hm_history_fini(&history);
        test_memory_check_released(&memory);
    }
    hm::world_options options()
    {
        hm::world_options with;
        with.memory = &history.table;
        return with;
    }
    std::uint64_t mark()
    {
        const std::uint64_t taken = hm_history_mark(&history);
        CHECK(taken != 0);
        return taken;
    }
    void rewind(std::uint64_t to)
    {
        CHECK(hm_history_rewind(&history, to) == HM_OK);
        CHECK(hm_history_validate(&history) == HM_OK);
    }
};

} // namespace

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
    hm::options with;
    with.memory = &s.history.table;
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
        const hm::status made = world.init(s.options());
        is_made = made == HM_OK;
        CHECK(is_made || made == HM_ERROR_MEMORY);
        test_memory_fail(&s.memory, 0, false);
        CHECK(hm_history_validate(&s.history) == HM_OK);
    }
    CHECK(k > 2);
}
