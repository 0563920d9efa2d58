/* SPDX-License-Identifier: MIT */
/* Bit scans: every position of the lowest and of the highest bit, whatever the other bits are. */
#include "support/test.h"

#include <handle_map/bits.h>

TEST(bits, the_lowest_bit_is_found_whatever_stands_above)
{
    uint64_t random = test_seed("bits");
    for (uint32_t place = 0; place < 64; place++) {
        uint64_t bit = UINT64_C(1) << place;
        CHECK(hm_bits_lowest(bit) == place);
        CHECK(hm_bits_lowest(UINT64_MAX << place) == place);
        for (int i = 0; i < 100; i++)
            CHECK(hm_bits_lowest((test_random(&random) << place) | bit) == place);
    }
}

TEST(bits, the_highest_bit_is_found_whatever_stands_below)
{
    uint64_t random = test_seed("bits");
    for (uint32_t place = 0; place < 64; place++) {
        uint64_t bit = UINT64_C(1) << place;
        CHECK(hm_bits_highest(bit) == place);
        CHECK(hm_bits_highest(bit | (bit - 1)) == place);
        for (int i = 0; i < 100; i++)
            CHECK(hm_bits_highest((test_random(&random) & (bit - 1)) | bit) == place);
    }
}
