/* SPDX-License-Identifier: MIT */
/* components: types of components, for tests of worlds in C++. */
#ifndef TEST_CPP_COMPONENTS_HPP
#define TEST_CPP_COMPONENTS_HPP

namespace
{

struct position {
    float x, y;
};
struct velocity {
    float x, y;
};
struct frozen {
};
struct rare {
    int value;
};
/* Blocks of one size with other numbers are other components. */
template <int Size, int Number = 0> struct block {
    char bytes[Size];
};

} // namespace

#endif
