/* SPDX-License-Identifier: MIT */
/* counted: an item that counts how many of it live, and one whose constructor may throw. For tests
 * of the C++ classes. */
#ifndef TEST_CPP_COUNTED_HPP
#define TEST_CPP_COUNTED_HPP

#ifdef HM_TEST_CRITERION
#include <criterion/criterion.h>
#endif

extern "C" {
#include "support/test.h"
}

#include <handle_map/handle_map.hpp>

#include <memory>

namespace
{

/* Holds memory, so that a lost or doubled destructor shows under AddressSanitizer too. */
struct counted {
    static inline int alive = 0;
    std::unique_ptr<int> value;

    explicit counted(int v) : value(new int(v))
    {
        if (v < 0)
            throw v;
        alive++;
    }
    counted(counted &&other) noexcept : value(std::move(other.value))
    {
        alive++;
    }
    counted(const counted &) = delete;
    counted &operator=(const counted &) = delete;
    ~counted()
    {
        alive--;
    }
};

} // namespace

template <> struct hm::is_relocatable<counted> : std::true_type {
};

#endif
