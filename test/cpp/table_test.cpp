/* SPDX-License-Identifier: MIT */
/* hm::table: what it adds to hm_table. */
#include "counted.hpp"

#include <tuple>
#include <utility>

namespace
{

enum { X, Y, HEALTH };
using bodies = hm::table<float, double, std::uint32_t>;

struct gauge {
    int value;

    bool is_empty() const
    {
        return value == 0;
    }
};

template <class Table> void find_rows_by_handle(Table &table)
{
    hm::handle<Table> handles[20];
    for (std::uint32_t i = 0; i < 20; i++)
        handles[i] = table.insert(static_cast<float>(i), 2.0 * i, i);
    CHECK(table.size() == 20 && *table.template get<Y>(handles[3]) == 6.0);
    CHECK(*table.template cell<HEALTH>(table.row(handles[5])) == 5);
    CHECK(table.template handle_of<Y>(table.template get<Y>(handles[7])) == handles[7]);
    CHECK(table.erase(handles[0]) && table.template get<X>(handles[0]) == nullptr);
    std::uint32_t rows[3];
    CHECK(table.row_n(handles, 3, rows) == 2 && rows[0] == HM_INVALID_INDEX && rows[2] == 2);
    double *cells[3];
    CHECK(table.template get_n<Y>(handles, 3, cells) == 2 && cells[0] == nullptr);
    CHECK(*cells[2] == 4.0 && table.template get_n<Y>({handles, 3}, cells) == 2);
    const double *seen[3];
    CHECK(std::as_const(table).template get_n<Y>({handles, 3}, seen) == 2 && seen[2] == cells[2]);
    CHECK(table.erase_at(table.row(handles[19])) && !table.erase_at(100));
    std::uint32_t limit = 10;
    CHECK(table.erase_if([&](float, double, std::uint32_t health) { return health >= limit; }) ==
          9);
    CHECK(table.erase_n(handles, 20) == 9 && table.empty());
}

} // namespace

TEST(cpp_table, rows_are_found_by_handle_in_every_layout)
{
    bodies columns(1000);
    find_rows_by_handle(columns);
    hm::table<hm::lanes<8>, float, double, std::uint32_t> groups(1000);
    find_rows_by_handle(groups);
    hm::table<hm::lanes<1>, float, double, std::uint32_t> structs(1000);
    find_rows_by_handle(structs);
}

TEST(cpp_table, a_predicate_may_be_a_member_function)
{
    hm::table<gauge> gauges(10);
    gauges.insert(gauge{0});
    const hm::handle<hm::table<gauge>> full = gauges.insert(gauge{1});
    CHECK(gauges.erase_if(&gauge::is_empty) == 1 && gauges.contains(full));
}

TEST(cpp_table, a_table_of_lanes_has_groups)
{
    hm::table<hm::lanes<8>, float, std::uint32_t> table(100);
    CHECK(table.group_count() == 0 && table.group<0>(0).empty());
    for (std::uint32_t i = 0; i < 20; i++)
        table.insert(static_cast<float>(i), i);
    CHECK(table.group_count() == 3 && table.group<1>(2).size() == 8);
    CHECK(table.group<1>(2)[3] == 19 && table.group<1>(2)[4] == 0 && table.group<0>(3).empty());
    for (std::uint32_t n = 0; n < table.group_count(); n++)
        for (float &x : table.group<X>(n))
            x *= 2;
    const auto &fixed = table;
    CHECK(fixed.group<0>(1)[1] == 18 && *fixed.get<0>(fixed.handle_at(19)) == 38);
}

TEST(cpp_table, cells_may_be_pairs_and_tuples)
{
    hm::table<std::pair<int, float>, std::tuple<int, char>> table(10);
    const auto row = table.insert({1, 2.5f}, {3, 'c'});
    CHECK(table.get<0>(row)->second == 2.5f && std::get<1>(*table.get<1>(row)) == 'c');
}

TEST(cpp_table, promised_rows_are_brought_or_given_up)
{
    hm::table<int, float> rows(4);
    CHECK(rows.reserve_promises(2) == HM_OK);
    const auto first = rows.promise(), second = rows.promise();
    CHECK(rows.insert_as(second, 5, 0.5f) == HM_OK && *rows.get<0>(second) == 5);
    CHECK(rows.give_up(first) && rows.insert_as(first, 1, 0) == HM_ERROR_STALE);
    CHECK(rows.size() == 1 && rows.validate() == HM_OK);
}

TEST(cpp_table, bounds_find_ranges_of_rows)
{
    bodies table(100);
    for (std::uint32_t i = 0; i < 50; i++)
        table.insert(static_cast<float>(49 - i), 0, i);
    const auto less = [](float a, float b) { return a < b; };
    CHECK(table.lower_bound<X>(5, less) == HM_INVALID_INDEX);
    CHECK(table.defragment<X>(less).done);
    CHECK(table.lower_bound<X>(5, less) == 5 && table.upper_bound<X>(5, less) == 6);
    CHECK(table.column<HEALTH>()[5] == 44 && table.lower_bound<X>(100, less) == 50);
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
    CHECK(table.arrange(hm::span<const hm::handle<bodies>>(handles, 4)).done);
    std::uint32_t rows[4];
    CHECK(table.row_n(handles, rows) == 4 && rows[3] == 3);
    CHECK(table.arrange(handles, 4).done && table.row(handles[3]) == 3);
    bodies moved(std::move(table));
    const bodies &fixed = moved;
    CHECK(!table && fixed.column<X>()[0] == 3 && *fixed.get<X>(handles[1]) == 1);
    CHECK(*fixed.cell<X>(2) == 4 && bodies().column<X>().empty());
}
