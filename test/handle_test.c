/* SPDX-License-Identifier: MIT */
/* handle: the 64-bit layout, as the picture in handle.h draws it, and the names of the states. */
#include "support/test.h"

#include <handle_map/handle.h>

#include <stdlib.h>
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

TEST(handle, pack_masks_what_does_not_fit)
{
    CHECK(hm_handle_equal(hm_handle_pack(7, 0x12345, 2), hm_handle_pack(7, 0x2345, 2)));
    CHECK(hm_handle_equal(hm_handle_pack(7, 3, 0x8001), hm_handle_pack(7, 3, 1)));
    CHECK(hm_handle_equal(hm_handle_pack(7, UINT32_MAX, UINT32_MAX),
                          hm_handle_pack(7, 0xFFFF, 0x7FFF)));
    CHECK(!hm_handle_is_free(hm_handle_pack(UINT32_MAX, UINT32_MAX, UINT32_MAX)));
}

TEST(handle, any_bits_are_a_handle)
{
    uint64_t random = test_seed("bits of handles");
    for (int i = 0; i < 100000; i++) {
        uint64_t bits = test_random(&random);
        hm_handle handle = hm_handle_from_bits(bits);
        CHECK(handle.bits == bits);
        CHECK(hm_handle_index(handle) == (bits & 0xFFFFFFFF));
        CHECK(hm_handle_generation(handle) == (bits >> 32 & 0xFFFF));
        CHECK(hm_handle_type_id(handle) == (bits >> 48 & 0x7FFF));
        CHECK(hm_handle_is_free(handle) == (bits >> 63 == 1));
    }
}

TEST(handle, only_zero_is_null)
{
    static const hm_handle initialised = {0};
    CHECK(HM_NULL_HANDLE.bits == 0);
    CHECK(hm_handle_is_null(HM_NULL_HANDLE));
    CHECK(hm_handle_is_null(initialised));
    CHECK(hm_handle_is_null(hm_handle_pack(0, 0, 0)));
    for (int bit = 0; bit < 64; bit++)
        CHECK(!hm_handle_is_null(hm_handle_from_bits(UINT64_C(1) << bit)));
}

TEST(handle, equal_compares_every_bit)
{
    uint64_t random = test_seed("equal handles");
    hm_handle handle = hm_handle_from_bits(test_random(&random));
    CHECK(hm_handle_equal(handle, hm_handle_from_bits(handle.bits)));
    for (int bit = 0; bit < 64; bit++)
        CHECK(!hm_handle_equal(handle, hm_handle_from_bits(handle.bits ^ UINT64_C(1) << bit)));
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

static int compare_for_qsort(const void *a, const void *b)
{
    return hm_handle_compare(*(const hm_handle *)a, *(const hm_handle *)b);
}

TEST(handle, qsort_orders_handles_by_their_bits)
{
    enum { COUNT = 1000 };
    static hm_handle handles[COUNT];
    uint64_t random = test_seed("sorted handles");
    for (int i = 0; i < COUNT; i++)
        handles[i] = hm_handle_from_bits(test_random(&random));
    qsort(handles, COUNT, sizeof *handles, compare_for_qsort);
    for (int i = 1; i < COUNT; i++)
        CHECK(handles[i - 1].bits <= handles[i].bits);
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
