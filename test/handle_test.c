/* SPDX-License-Identifier: MIT */
/* handle and id32: the layouts, as the pictures in the headers draw them, and the names of the
 * states. */
#include "support/test.h"

#include <handle_map/id32.h>

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
    CHECK(strcmp(hm_handle_state_name(HM_HANDLE_PROMISED), "HM_HANDLE_PROMISED") == 0);
    CHECK(strcmp(hm_handle_state_name((hm_handle_state)(HM_HANDLE_PROMISED + 1)),
                 "unknown state") == 0);
    CHECK(strcmp(hm_handle_state_name((hm_handle_state)-1), "unknown state") == 0);
}

TEST(id32, the_bits_lie_as_the_picture_shows)
{
    CHECK(hm_id32_pack(hm_handle_pack(0x1234, 0x5678, 9), 16).bits == UINT32_C(0x56781234));
    CHECK(hm_id32_pack(hm_handle_pack(0x12345, 0x678, 9), 20).bits == UINT32_C(0x67812345));
    CHECK(hm_id32_pack(hm_handle_pack(1, 0xFFFF, 9), 1).bits == UINT32_C(0x1FFFF));
    CHECK(hm_id32_pack(hm_handle_pack(0x3FFFFFFF, 3, 9), 30).bits == UINT32_MAX);
    CHECK(sizeof(hm_id32) == 4 && HM_ID32_INDEX_BITS == 16);
}

TEST(id32, what_does_not_fit_or_was_never_issued_is_null)
{
    CHECK(hm_id32_pack(HM_NULL_HANDLE, 16).bits == 0);
    CHECK(hm_id32_pack(hm_handle_pack(0x10000, 1, 0), 16).bits == 0);
    CHECK(hm_id32_pack(hm_handle_pack(0, 0x1000, 0), 20).bits == 0);
    CHECK(hm_id32_pack(hm_handle_pack(0, 4, 0), 30).bits == 0);
    CHECK(hm_id32_pack(hm_handle_pack(7, 0, 0), 16).bits == 0);
    CHECK(hm_id32_pack(hm_handle_from_bits(UINT64_MAX), 16).bits == 0);
    CHECK(hm_id32_pack(hm_handle_from_bits(HM_HANDLE_FREE_BIT | UINT64_C(0x100000007)), 16).bits ==
          0);
    CHECK(hm_handle_is_null(hm_id32_unpack((hm_id32){0}, 16, 3)));
    CHECK(hm_handle_is_free(hm_id32_unpack((hm_id32){7}, 16, 3)));
    CHECK(hm_handle_is_free(hm_id32_unpack((hm_id32){UINT32_C(0x20000)}, 1, 0)));
}

/* Any 32 bits are either none that a container issues, or the id of just the handle that they
 * unpack to. */
TEST(id32, what_is_packed_comes_out_again)
{
    uint64_t random = test_seed("ids of 32 bits");
    for (int i = 0; i < 100000; i++) {
        hm_id32 id = {(uint32_t)test_random(&random) >> test_random_below(&random, 32)};
        unsigned index_bits = 1 + test_random_below(&random, 30);
        uint32_t type_id = test_random_below(&random, HM_HANDLE_MAX_TYPE_ID + 1);
        hm_handle handle = hm_id32_unpack(id, index_bits, type_id);
        uint32_t generation = id.bits >> index_bits;
        bool is_issued = generation != 0 && generation <= 0xFFFF;
        CHECK(hm_handle_is_free(handle) == (id.bits != 0 && !is_issued));
        CHECK(hm_id32_pack(handle, index_bits).bits == (is_issued ? id.bits : 0));
        CHECK(id.bits == 0 || hm_handle_type_id(handle) == type_id);
    }
}

TEST(id32, index_bits_are_from_1_to_30_and_type_ids_have_15)
{
    for (unsigned bits = 0; bits < 62; bits += 31) {
        CHECK_PANICS("id32.h", "hm_id32_pack: index_bits is not from 1 to 30",
                     hm_id32_pack(HM_NULL_HANDLE, bits));
        CHECK_PANICS("id32.h", "hm_id32_unpack: index_bits is not from 1 to 30",
                     hm_id32_unpack((hm_id32){0}, bits, 1));
    }
    CHECK_PANICS("id32.h", "hm_id32_unpack: type_id has more than 15 bits",
                 hm_id32_unpack((hm_id32){0}, 16, HM_TYPE_ID_UNIQUE));
}
