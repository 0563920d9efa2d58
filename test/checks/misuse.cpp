/* SPDX-License-Identifier: MIT */
/* Wrong uses of the classes, for misuse.sh: each fails to compile with one error, which has the
 * words of its comment. CASE 0 is right. */
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

void misuse();
void misuse()
{
#if CASE == 1 /* this container moves its items as bytes */
    hm::map<std::string> map(10);
#elif CASE == 2  /* items are aligned to at most 4096 bytes */
    hm::pool<page> pages(10);
#elif CASE == 3  /* no matching */
    (void)sprites.get(name);
#elif CASE == 4  /* a table of groups has no whole columns */
    (void)groups.column<0>();
#elif CASE == 5  /* a table of whole columns has no groups */
    (void)whole.group<0>(1);
#elif CASE == 6  /* lanes are a power of two */
    hm::table<hm::lanes<3>, float> odd(10);
#elif CASE == 7  /* runs no destructor */
    hm::lists<std::unique_ptr<int>> lists(10);
#elif CASE == 8  /* a key is an integer, an enum */
    hm::index<sprite, float> index(10);
#elif CASE == 9  /* the handles of this container are not those of the owners */
    hm::secondary<sprite, int> ranks(names);
#elif CASE == 10 /* pass a lambda or a function */
    sprites.defragment(std::function<bool(const sprite &, const sprite &)>());
#elif CASE == 11 /* type ids have 15 bits */
    hm::map<sprite, 0x8000> map(10);
#elif CASE == 12 /* a batch copies its items as bytes */
    names.insert_n(nullptr, 10);
#elif CASE == 13 /* nodiscard */
    sprites.empty();
#elif CASE == 14 /* a key is a number */
    sprites.defragment_by([](const sprite &) { return "depth"; });
#elif CASE == 15 /* set keys of this type one by one */
    hm::index<sprite, int>(sprites).set_n(nullptr, nullptr, 0);
#else
    hm::map<std::unique_ptr<int>, 0x7FFF> map(10);
    hm::secondary<std::string, std::unique_ptr<int>> values(names);
    (void)groups.group<0>(1);
#endif
}
