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

} // namespace

#endif
