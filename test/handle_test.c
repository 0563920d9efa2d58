/* SPDX-License-Identifier: MIT */
/* handle: the 64-bit layout, as the picture in handle.h draws it, and the names of the states. */
#include "support/test.h"

#include <handle_map/handle.h>

#include <string.h>

TEST(handle, the_bits_lie_as_the_picture_shows)
{
    CHECK(hm_handle_pack(UINT32_C(0x89ABCDEF), 0x4567, 0x0123).bits ==
          UINT64_C(0x0123456789ABCDEF));
    CHECK(hm_handle_pack(UINT32_MAX, 0, 0).bits == UINT64_C(0x00000000FFFFFFFF));
    CHECK(hm_handle_pack(0, 0xFFFF, 0).bits == UINT64_C(0x0000FFFF00000000));
    CHECK(hm_handle_pack(0, 0, 0x7FFF).bits == UINT64_C(0x7FFF000000000000));
    CHECK(HM_HANDLE_FREE_BIT == UINT64_C(0x8000000000000000));
    CHECK(sizeof(hm_handle) == 8);
}

TEST(handle, what_is_packed_comes_out_again)
{
    uint64_t random = test_seed("packed handles");
    for (int i = 0; i < 100000; i++) {
        uint32_t index = (uint32_t)test_random(&random);
        uint32_t generation = test_random_below(&random, HM_HANDLE_MAX_GENERATION + 1);
        uint32_t type_id = test_random_below(&random, HM_HANDLE_MAX_TYPE_ID + 1);
        hm_handle handle = hm_handle_pack(index, generation, type_id);
        CHECK(hm_handle_index(handle) == index);
        CHECK(hm_handle_generation(handle) == generation);
        CHECK(hm_handle_type_id(handle) == type_id);
        CHECK(!hm_handle_is_free(handle));
    }
}

TEST(handle, order_is_free_then_type_then_generation_then_index)
{
    const hm_handle ascending[] = {
        HM_NULL_HANDLE,
        hm_handle_pack(UINT32_MAX, 0, 0),
        hm_handle_pack(0, 1, 0),
        hm_handle_pack(1, 1, 0),
        hm_handle_pack(UINT32_MAX, 1, 0),
        hm_handle_pack(0, 0xFFFF, 0),
        hm_handle_pack(UINT32_MAX, 0xFFFF, 0),
        hm_handle_pack(0, 0, 1),
        hm_handle_pack(UINT32_MAX, 0xFFFF, 0x7FFF),
        hm_handle_from_bits(HM_HANDLE_FREE_BIT),
        hm_handle_from_bits(UINT64_MAX),
    };
    const size_t count = sizeof ascending / sizeof *ascending;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            int order = hm_handle_compare(ascending[i], ascending[k]);
            CHECK((order < 0) == (i < k));
            CHECK((order > 0) == (i > k));
        }
    }
}

TEST(handle, every_state_has_its_name)
{
    CHECK(strcmp(hm_handle_state_name(HM_HANDLE_LIVE), "HM_HANDLE_LIVE") == 0);
    CHECK(strcmp(hm_handle_state_name(HM_HANDLE_NULL), "HM_HANDLE_NULL") == 0);
    CHECK(strcmp(hm_handle_state_name(HM_HANDLE_FOREIGN), "HM_HANDLE_FOREIGN") == 0);
    CHECK(strcmp(hm_handle_state_name(HM_HANDLE_OUT_OF_RANGE), "HM_HANDLE_OUT_OF_RANGE") == 0);
    CHECK(strcmp(hm_handle_state_name(HM_HANDLE_STALE), "HM_HANDLE_STALE") == 0);
    CHECK(strcmp(hm_handle_state_name(HM_HANDLE_RETIRED), "HM_HANDLE_RETIRED") == 0);
    CHECK(strcmp(hm_handle_state_name(HM_HANDLE_FORGED), "HM_HANDLE_FORGED") == 0);
    CHECK(strcmp(hm_handle_state_name(HM_HANDLE_ABSENT), "HM_HANDLE_ABSENT") == 0);
    CHECK(strcmp(hm_handle_state_name((hm_handle_state)(HM_HANDLE_ABSENT + 1)), "unknown state") ==
          0);
    CHECK(strcmp(hm_handle_state_name((hm_handle_state)-1), "unknown state") == 0);
}
