/* SPDX-License-Identifier: MIT */
/* hm::table: what it adds to hm_table. */
#include "counted.hpp"

namespace
{

enum { X, Y, HEALTH };
using bodies = hm::table<float, double, std::uint32_t>;

} // namespace

TEST(cpp_table, rows_are_found_by_handle_in_every_layout)
{
    for (const std::uint32_t lanes : {0u, 1u, 8u}) {
        bodies table(1000, lanes);
        hm::handle<bodies> handles[20];
        for (std::uint32_t i = 0; i < 20; i++)
            handles[i] = table.insert(static_cast<float>(i), 2.0 * i, i);
        CHECK(table.size() == 20 && *table.get<Y>(handles[3]) == 6.0);
        CHECK(*table.cell<HEALTH>(table.row(handles[5])) == 5);
        CHECK(table.erase(handles[0]) && table.get<X>(handles[0]) == nullptr);
        CHECK(!table.contains(handles[0]) && table.explain(handles[0]) == HM_HANDLE_STALE);
        CHECK(table.column<X>().size() == (lanes == 0 ? 19 : 0));
        std::uint32_t limit = 10;
        CHECK(table.erase_if(
                  [&](float, double, std::uint32_t health) { return health >= limit; }) == 10);
        CHECK(table.erase_n(handles, 20) == 9 && table.empty());
        CHECK(table.trim() == HM_OK && table.validate() == HM_OK);
    }
}

TEST(cpp_table, rows_come_in_the_order_of_a_column)
{
    bodies table(100);
    const float xs[4] = {3, 1, 4, 2};
    const std::uint32_t healths[4] = {30, 10, 40, 20};
    hm::handle<bodies> handles[4];
    CHECK(table.insert_n(4, xs, nullptr, healths, handles) == HM_OK);
    CHECK(*table.get<Y>(handles[0]) == 0);
    CHECK(table.defragment<X>([](float a, float b) { return a < b; }).done);
    for (std::uint32_t row = 0; row < 4; row++)
        CHECK(table.column<HEALTH>()[row] == 10 * (row + 1));
    CHECK(table.defragment_by<HEALTH>([](std::uint32_t health) { return 100 - health; }).done);
    CHECK(table.handle_at(0) == handles[2]);
    table.touch(handles[0]);
    table.touch_all();
    CHECK(table.arrange(handles, 4).done && table.row(handles[3]) == 3);
    bodies moved(std::move(table));
    const bodies &fixed = moved;
    CHECK(!table && fixed.column<X>()[0] == 3 && *fixed.get<X>(handles[1]) == 1);
    CHECK(*fixed.cell<X>(2) == 4 && fixed.stats().count == 4 && fixed.capacity() == 100);
    char text[160];
    CHECK(fixed.describe(handles[0], text, sizeof text) > 0);
    moved.clear();
    CHECK(moved.empty() && moved.reserve(10) == HM_OK);
}

TEST(cpp_table, a_table_that_cannot_be_made_is_empty)
{
    bodies table(10, 3);
    CHECK(!table && !table.insert(1, 2, 3) && table.column<X>().empty());
    CHECK(table.init({}) == HM_OK && table);
}
