/* SPDX-License-Identifier: MIT */
/* What must not compile of maps, pools, tables, secondaries, lists and indices, as in
 * refused_world.cpp. */
#include <handle_map/handle_map.hpp>

#include <functional>
#include <memory>
#include <string>

struct sprite {
    float depth;
};
struct alignas(8192) page {
    char bytes[8192];
};

extern hm::map<sprite> sprites;
extern hm::pool<std::string> names;
extern hm::table<float, float> whole;
extern hm::table<hm::lanes<8>, float, float> groups;
extern hm::handle<std::string> name;
extern hm::history history;
extern std::string text;
extern const int limit;

void run();
void run()
{
#ifdef a_map_of_what_is_not_relocatable // this container moves its items as bytes
    hm::map<std::string> map(10);
#endif
#ifdef an_alignment_above_a_page // items are aligned to at most 4096 bytes
    hm::pool<page> pages(10);
#endif
#ifdef a_handle_of_another_type // no matching
    (void)sprites.get(name);
#endif
#ifdef values_that_make_no_item // a value cannot be made by T(args...)
    sprites.emplace("deep");
#endif
#ifdef too_many_values // a value cannot be made by T(args...)
    sprites.emplace(1.5f, 2);
#endif
#ifdef a_value_that_is_narrowed // a value cannot be made by T(args...)
    sprites.emplace(names.size() * 0.5);
#endif
#ifdef a_constructor_that_is_not_there // a value cannot be made by T(args...)
    names.emplace(&sprites, 1);
#endif
#ifdef a_value_of_another_type // a value cannot be made by T(args...)
    hm::lists<sprite> lists(10);
    lists.emplace({}, "deep");
#endif
#ifdef a_column_of_groups // a table of groups has no whole columns
    (void)groups.column<0>();
#endif
#ifdef a_group_of_columns // a table of whole columns has no groups
    (void)whole.group<0>(1);
#endif
#ifdef lanes_that_are_no_power_of_two // lanes are a power of two
    hm::table<hm::lanes<3>, float> odd(10);
#endif
#ifdef lists_of_what_has_a_destructor // runs no destructor
    hm::lists<std::unique_ptr<int>> lists(10);
#endif
#ifdef a_key_that_is_a_float // a key is an integer, an enum
    hm::index<sprite, float> index(10);
#endif
#ifdef owners_with_other_handles // the handles of this container are not those of the owners
    hm::secondary<sprite, int> ranks(names);
#endif
#ifdef an_order_that_allocates // pass a lambda or a function
    sprites.defragment(std::function<bool(const sprite &, const sprite &)>());
#endif
#ifdef a_type_id_above_15_bits // type ids have 15 bits
    hm::map<sprite, 0x8000> map(10);
#endif
#ifdef a_batch_of_strings // a batch copies its items as bytes
    names.insert_n(nullptr, 10);
#endif
#ifdef strings_saved_as_bytes // specialise hm::saved for it
    names.save([](const void *, std::size_t) { return true; });
#endif
#ifdef a_result_that_is_dropped // nodiscard
    sprites.empty();
#endif
#ifdef a_key_that_is_no_number // a key is a number
    sprites.defragment_by([](const sprite &) { return "depth"; });
#endif
#ifdef a_string_that_a_history_watches // a history watches plain bytes
    (void)history.watch(text);
#endif
#ifdef a_container_that_a_history_watches // a history watches plain bytes
    (void)history.watch(sprites);
#endif
#ifdef a_constant_that_a_history_watches // a history watches plain bytes
    (void)history.watch(limit);
#endif
#ifdef a_history_that_moves // deleted
    hm::history moved(std::move(history));
#endif
#ifdef a_number_in_place_of_a_mark // hm::mark
    (void)history.rewind(1);
#endif
#ifdef strings_in_a_history // would not be rewound
    (void)names.watch(history);
#endif
    hm::map<std::unique_ptr<int>, 0x7FFF> owners(10);
    hm::secondary<std::string, std::unique_ptr<int>> values(names);
    (void)groups.group<0>(1);
}
