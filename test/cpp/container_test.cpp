/* SPDX-License-Identifier: MIT */
/* What the classes of C++ have in common, for all of them: container.hpp. */
#include "components.hpp"
#include "counted.hpp"

extern "C" {
#include "support/memory.h"
}

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace
{

constexpr std::uint16_t type_id = 9;

/* Makes one more; in a secondary and an index, for an owner of this number. */
hm::handle<int> owner_of(int i)
{
    return hm::handle<int>(hm_handle_pack(static_cast<std::uint32_t>(i + 100), 1, type_id));
}
template <class T, std::uint16_t Id> auto add(hm::map<T, Id> &in, int i)
{
    return in.emplace(i);
}
template <class T, std::uint16_t Id> auto add(hm::pool<T, Id> &in, int i)
{
    return in.emplace(i);
}
template <class... Columns> auto add(hm::table<Columns...> &in, int i)
{
    return in.insert(i, 0.5f);
}
template <std::uint16_t Id> auto add(hm::lists<int, Id> &in, int)
{
    return in.create();
}
auto add(hm::world &in, int i)
{
    return in.create(rare{i});
}
template <class T> auto add(hm::secondary<int, T> &in, int i)
{
    return in.emplace(owner_of(i), i) != nullptr ? owner_of(i) : hm::handle<int>();
}
auto add(hm::index<int> &in, int i)
{
    return in.set(owner_of(i), 7) == HM_OK ? owner_of(i) : hm::handle<int>();
}

/* Ends one, by the verb that the class has. */
template <class C> auto end_one(C &in, typename C::handle_type which) -> decltype(in.erase(which))
{
    return in.erase(which);
}
template <class C>
auto end_one(C &in, typename C::handle_type which) -> decltype(in.get(which), in.remove(which))
{
    return in.remove(which);
}
template <class C> auto end_one(C &in, typename C::handle_type which) -> decltype(in.destroy(which))
{
    return in.destroy(which);
}

/* Brings one back; those of numbers have this one. */
template <class C>
auto adopt_one(C &in, typename C::handle_type which, int i) -> decltype(in.emplace(i), hm::status())
{
    return in.adopt(which, i);
}
template <class... Columns>
auto adopt_one(hm::table<Columns...> &in, typename hm::table<Columns...>::handle_type which, int i)
{
    return in.adopt(which, i, 0.5f);
}
template <class C>
auto adopt_one(C &in, typename C::handle_type which, int)
    -> decltype(in.destroy(which), hm::status())
{
    return in.adopt(which);
}

/* Options as a program fills them in. */
template <class C> typename C::options_type options_of(std::uint32_t capacity)
{
    typename C::options_type with;
    with.capacity = capacity;
    with.max_slots = 5000;
    with.type_id = type_id;
    with.name = "given";
    if constexpr (std::is_same<decltype(with), hm::lists_options>::value)
        with.max_items = 100; /* the default is more than some memory has */
    return with;
}

template <class C> struct of {
    using type = C;
    const char *name;
};

/* Calls f for each class that issues handles, and with `name`, what messages call one without. */
template <class F> void for_issuers(F f)
{
    f(of<hm::map<int>>{"'int'"});
    f(of<hm::map<long, 3>>{"'long"});
    f(of<hm::pool<int>>{"'int'"});
    f(of<hm::table<int, float>>{"'hm::table<int, float>'"});
    f(of<hm::table<hm::lanes<8>, int, float>>{"'hm::table<hm::lanes<8"});
    f(of<hm::lists<int>>{"'int'"});
    f(of<hm::world>{"'world'"});
}
template <class F> void for_all(F f)
{
    for_issuers(f);
    f(of<hm::secondary<int, rare>>{"rare'"});
    f(of<hm::index<int>>{"long"});
}

/* So that a container without a capacity moves often. */
struct large {
    int number;
    unsigned char rest[252];
};

} // namespace

TEST(cpp_container, moving_it_keeps_its_handles_and_leaves_an_empty_one)
{
    for_all([](auto kind) {
        using container = typename decltype(kind)::type;
        container made(options_of<container>(50)), other(options_of<container>(5));
        const auto handle = add(made, 0);
        add(other, 1);
        container moved(std::move(made));
        CHECK(!made && made.size() == 0 && made.capacity() == 0 && !add(made, 1));
        other = std::move(moved);
        CHECK(!moved && other.contains(handle) && other.size() == 1 && other.capacity() == 50);
        container &same = other;
        other = std::move(same);
        CHECK(other.contains(handle) && other.validate() == HM_OK);
        static_assert(!std::is_copy_constructible<container>::value, "");
        static_assert(
            hm::is_relocatable<container>::value == !std::is_same<container, hm::world>::value, "");
    });
}

TEST(cpp_container, one_without_options_takes_items_at_once)
{
    for_all([](auto kind) {
        typename decltype(kind)::type made;
        CHECK(made && made.capacity() >= UINT32_C(1) << 28);
    });
    for_issuers([](auto kind) {
        typename decltype(kind)::type made;
        CHECK(add(made, 0) && made.size() == 1);
    });
    hm::map<int> items;
    hm::secondary<int, rare> values;
    hm::table<int, float> rows;
    hm::table<hm::lanes<8>, int, float> groups;
    for (int i = 0; i < 3000; i++) {
        const hm::handle<int> handle = items.emplace(i);
        CHECK(handle && values.emplace(handle, rare{i}) != nullptr);
        CHECK(add(rows, i) && add(groups, i));
        CHECK(*items.get(handle) == i && values.get(handle)->value == i);
    }
    CHECK(items.capacity() == UINT32_MAX - 1 && values.capacity() == UINT32_MAX - 1);
    CHECK(*rows.cell<0>(2999) == 2999 && *groups.cell<0>(2999) == 2999);
    static_assert(std::is_nothrow_default_constructible<hm::map<int>>::value, "");
}

TEST(cpp_container, one_that_issues_handles_knows_the_next)
{
    for_issuers([](auto kind) {
        using container = typename decltype(kind)::type;
        container made(options_of<container>(50));
        CHECK(made.reserve(2) == HM_OK);
        const auto first = made.upcoming(0), second = made.upcoming(1);
        CHECK(add(made, 0) == first && add(made, 1) == second && made.handle_at(1) == second);
        CHECK(made.type_id() == type_id && first.type_id() == type_id);
        CHECK(made.as_owners().max_slots == 5000);
        char text[160];
        CHECK(end_one(made, first) && made.explain(first) == HM_HANDLE_STALE);
        CHECK(made.describe(first, text, sizeof text) < sizeof text);
        CHECK(std::string(text).rfind("stale", 0) == 0);
        CHECK(adopt_one(made, first, 5) == HM_OK && made.contains(first));
        CHECK(adopt_one(made, first, 5) == HM_ERROR_STALE);
    });
}

TEST(cpp_container, unique_ones_refuse_each_others_handles)
{
    for_issuers([](auto kind) {
        using container = typename decltype(kind)::type;
        auto with = options_of<container>(50);
        with.type_id = hm::unique;
        container one(with), other(with);
        const auto handle = add(one, 0), foreign = add(other, 0);
        CHECK(one.contains(handle) && !one.contains(foreign) && !other.contains(handle));
        CHECK(one.explain(foreign) == HM_HANDLE_FOREIGN && one.type_id() != other.type_id());
        CHECK(one.type_id() >= HM_TYPE_ID_FIRST_UNIQUE && handle.type_id() == one.type_id());
    });
}

namespace
{

/* `one_id`, `id`: those that the classes choose; 0: unique ones. */
template <class One, class Other> void refuse_each_other(std::uint32_t one_id, std::uint32_t id)
{
    One one(options_of<One>(5));
    Other other(options_of<Other>(5));
    CHECK(one.type_id() == type_id && other.type_id() == type_id); /* options come first */
    auto with = options_of<One>(5);
    with.type_id = 0;
    CHECK(one.init(with) == HM_OK && other.init(with) == HM_OK);
    const auto handle = add(one, 0), foreign = add(other, 0);
    CHECK(!one.contains(foreign) && !other.contains(handle) && one.contains(handle));
    CHECK(id == 0 || (one.type_id() == one_id && other.type_id() == id));
}

} // namespace

/* Of maps and pools. */

namespace
{

template <class C> void destroy_each_once()
{
    {
        C values(10);
        const auto first = values.emplace(1);
        values.emplace(2);
        values.insert(counted(3));
        CHECK(counted::alive == 3 && *values.get(first)->value == 1);
        CHECK(values.erase(first) && !values.erase(first) && counted::alive == 2);
        CHECK(values.erase_if([](const counted &each) { return *each.value == 3; }) == 1);
        CHECK(counted::alive == 1 && *values.begin()->value == 2);
        C moved(std::move(values));
        CHECK(!values && moved.size() == 1 && counted::alive == 1);
        moved.clear();
        CHECK(counted::alive == 0);
        const auto last = moved.emplace(4);
        CHECK(values.init({}) == HM_OK && values.emplace(5) && counted::alive == 2);
        values = std::move(moved);
        CHECK(counted::alive == 1 && *values.get(last)->value == 4);
        CHECK(values.init({}) == HM_OK && counted::alive == 0 && values.get(last) == nullptr);
        values.emplace(5);
    }
    CHECK(counted::alive == 0);
}

template <class C> void leave_no_item_that_was_not_made()
{
    C values(1);
    bool is_caught = false;
    try {
        values.emplace(-1);
    } catch (int) {
        is_caught = true;
    }
    CHECK(is_caught && values.empty() && counted::alive == 0 && values.validate() == HM_OK);
    const auto handle = values.emplace(1);
    CHECK(handle && !values.emplace(2) && counted::alive == 1);
    CHECK(values.erase(handle));
    try {
        is_caught = false;
        (void)values.adopt(handle, -1);
    } catch (int) {
        is_caught = true;
    }
    CHECK(is_caught && values.empty() && counted::alive == 0 && values.validate() == HM_OK);
    CHECK(values.adopt(handle, 3) == HM_OK && *values.get(handle)->value == 3);
    CHECK(values.adopt(handle, 4) == HM_ERROR_STALE && counted::alive == 1);
}

template <class C> void bring_promised_items()
{
    C values(2);
    CHECK(values.reserve_promises(2) == HM_OK && !values.emplace(1));
    const auto first = values.promise(), second = values.promise();
    CHECK(first && second && !values.promise() && values.get(first) == nullptr);
    CHECK(values.insert_as(second, 5) == HM_OK && *values.get(second)->value == 5);
    CHECK(values.insert_as(second, 6) == HM_ERROR_STALE && counted::alive == 1);
    bool is_caught = false;
    try {
        (void)values.insert_as(first, -1);
    } catch (int) {
        is_caught = true;
    }
    CHECK(is_caught && values.size() == 1 && counted::alive == 1 && values.validate() == HM_OK);
    values.give_up(first); /* A map has it still, since the item was made before. */
    CHECK(values.insert_as(first, 1) == HM_ERROR_STALE && values.emplace(2));
}

template <class C> void do_in_batches_what_single_calls_do()
{
    C numbers(100);
    const std::vector<int> items{1, 2, 3};
    std::vector<hm::handle<int>> handles(3);
    CHECK(numbers.insert_n(items, handles.data()) == HM_OK && numbers.size() == 3);
    CHECK(numbers.insert_n(items.data(), 3) == HM_OK && numbers.size() == 6);
    CHECK(numbers.erase(handles[1]));
    std::vector<int *> found(3);
    CHECK(numbers.get_n(handles, found.data()) == 2 && found[1] == nullptr && *found[2] == 3);
    CHECK(numbers.get_n(handles.data(), 1, found.data()) == 1 && *found[0] == 1);
    const int *seen[3];
    CHECK(std::as_const(numbers).get_n(handles, seen) == 2 && seen[2] == found[2]);
    CHECK(numbers.handle_of(found[2]) == handles[2] && !numbers.handle_of(&items[0]));
    CHECK(numbers.handle_at(numbers.index_of(handles[2])) == handles[2]);
    CHECK(numbers.erase_at(numbers.index_of(handles[2])) && !numbers.erase_at(99));
    CHECK(numbers.erase_n(handles) == 1 && numbers.erase_n(handles.data(), 3) == 0);
    CHECK(numbers.size() == 3);
}

/* Also of secondaries. */
template <class C> void be_ranges(C &numbers)
{
    for (int i = 0; i < 100; i++) {
        const auto made = add(numbers, i);
        CHECK(i % 2 == 0 || end_one(numbers, made)); /* a pool has holes now */
    }
    const C &fixed = numbers;
    CHECK(*std::find(fixed.begin(), fixed.end(), 8) == 8);
    CHECK(std::count_if(numbers.begin(), numbers.end(), [](int each) { return each < 20; }) == 10);
    const auto entries = numbers.entries();
    const auto found = std::find_if(entries.begin(), entries.end(),
                                    [](const auto &each) { return each.value == 8; });
    CHECK(found != entries.end() && numbers.get(found->handle) == &found->value);
    found->value = 100;
    CHECK(*fixed.get(found->handle) == 100 && entries.size() == 50);
    CHECK(std::distance(entries.begin(), entries.end()) == 50);
    auto at = fixed.entries().begin(); /* outlives the call */
    CHECK(at++ == fixed.entries().begin() && at != fixed.entries().begin());
    using iterator = decltype(at);
    static_assert(std::is_same<decltype(at->value), const int &>::value, "");
    static_assert(std::is_same<typename std::iterator_traits<iterator>::iterator_category,
                               std::input_iterator_tag>::value,
                  "values are made on the way");
    CHECK(iterator() == iterator());
    using category = typename std::iterator_traits<typename C::const_iterator>::iterator_category;
    static_assert(std::is_convertible<category, std::forward_iterator_tag>::value, "");
#if defined(__cpp_lib_ranges)
    static_assert(std::ranges::forward_range<C> && std::ranges::forward_range<const C>);
    using pairs = decltype(numbers.entries());
    static_assert(std::ranges::forward_range<pairs> && std::ranges::view<pairs>);
    static_assert(std::ranges::borrowed_range<decltype(fixed.entries())>);
    CHECK(std::ranges::count_if(fixed, [](int each) { return each < 20; }) == 9);
#endif
}

/* Of maps and secondaries. */
template <class C> void find_ranges(C &numbers)
{
    for (int i = 0; i < 50; i++)
        CHECK(add(numbers, i * 37 % 50 - 25));
    const auto less = [](int a, int b) { return a < b; };
    CHECK(numbers.lower_bound(5, less) == nullptr);
    CHECK(numbers.defragment(less).done && std::is_sorted(numbers.begin(), numbers.end()));
    CHECK(numbers.lower_bound(5, less) == numbers.data() + 30);
    CHECK(numbers.upper_bound(5, less) == numbers.data() + 31);
    CHECK(numbers.lower_bound(100, less) == numbers.end());
    CHECK(numbers.defragment_by([](int each) { return -each; }).done && numbers.data()[0] == 24);
    const auto last = numbers.handle_of(numbers.end() - 1),
               first = numbers.handle_of(numbers.data());
    *numbers.get(last) = 100;
    numbers.touch(last);
    CHECK(numbers.defragment_by([](int each) { return -each; }).done);
    CHECK(numbers.index_of(last) == 0 && numbers.index_of(first) == 1);
    *numbers.get(last) = -100;
    numbers.touch_all();
    numbers.forget_order();
    CHECK(numbers.defragment_by([](int each) { return -each; }).done);
    CHECK(numbers.index_of(last) == 49);
    const std::vector<typename C::handle_type> wanted{last, first};
    CHECK(numbers.arrange(wanted).done && numbers.data()[0] == -100 && numbers.values()[1] == 24);
    CHECK(numbers.arrange(wanted.data() + 1, 1).done && *numbers.begin() == 24);
}

} // namespace

TEST(cpp_container, each_item_is_destroyed_once)
{
    destroy_each_once<hm::map<counted>>();
    destroy_each_once<hm::pool<counted>>();
}

TEST(cpp_container, a_constructor_that_throws_and_a_refusal_leave_no_item)
{
    leave_no_item_that_was_not_made<hm::map<counted>>();
    leave_no_item_that_was_not_made<hm::pool<counted>>();
}

TEST(cpp_container, promised_items_are_brought_or_given_up)
{
    bring_promised_items<hm::map<counted>>();
    bring_promised_items<hm::pool<counted>>();
}

TEST(cpp_container, batches_do_what_single_calls_do)
{
    do_in_batches_what_single_calls_do<hm::map<int>>();
    do_in_batches_what_single_calls_do<hm::pool<int>>();
}

TEST(cpp_container, values_and_entries_are_ranges_for_algorithms)
{
    hm::map<int> map(100);
    hm::pool<int> pool(100);
    hm::secondary<int, int> secondary(options_of<hm::secondary<int, int>>(100));
    be_ranges(map);
    be_ranges(pool);
    be_ranges(secondary);
#if defined(__cpp_lib_ranges)
    static_assert(std::ranges::contiguous_range<hm::map<int>>);
    static_assert(std::ranges::sized_range<hm::secondary<int, int>>);
#endif
}

TEST(cpp_container, an_order_and_ranges_in_it_are_found)
{
    hm::map<int> map(100);
    hm::secondary<int, int> secondary(options_of<hm::secondary<int, int>>(100));
    find_ranges(map);
    find_ranges(secondary);
}
