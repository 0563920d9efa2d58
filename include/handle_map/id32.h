/* SPDX-License-Identifier: MIT */
/* id32: a handle in 32 bits, for libraries whose ids are as small as that, and for data that holds
 * many.
 *
 *     31.........index_bits   index_bits - 1.........0
 *    +-----------------------+------------------------+
 *    |      generation       |         index          |
 *    +-----------------------+------------------------+
 *
 * An id is a value; 0 is null. It has no type id: who unpacks it knows whose it is. The program
 * chooses index_bits, from 1 to 30, the same for all ids of a container. Give the container
 * max_slots of 2^index_bits and generation_bits of 32 - index_bits, but at most 16: then each of
 * its handles has an id, and no id names two items, since a slot is retired before its generations
 * begin again. Insert fails with HM_ERROR_FULL when all slots are alive or retired:
 *
 *     index_bits   generation_bits   items at once   items in all     at 1,000 a second
 *         12             16                  4,096     268,431,360           3.1 days
 *         16             16                 65,536   4,294,901,760          49.7 days
 *         20             12              1,048,576   4,293,918,720          49.7 days
 *         24              8             16,777,216   4,278,190,080          49.5 days
 *
 * Threads: pure functions. Cost: O(1) each. */
#ifndef HANDLE_MAP_ID32_H
#define HANDLE_MAP_ID32_H

#include <handle_map/handle.h>

HM_BEGIN_C

typedef struct hm_id32 {
    uint32_t bits; /* the layout above */
} hm_id32;

#define HM_ID32_INDEX_BITS 16 /* where nothing speaks for another number */

/* Returns the id of a handle: null for the null handle, for one whose index or generation does not
 * fit, and for one with generation 0 or the free bit. */
static inline hm_id32 hm_id32_pack(hm_handle handle, unsigned index_bits)
{
    hm_id32 id = {0};
    uint32_t index = hm_handle_index(handle), generation = hm_handle_generation(handle);
    HM_CONTRACT(index_bits - 1 < 30, "hm_id32_pack: index_bits is not from 1 to 30");
    if (index >> index_bits == 0 && (HM_CAST(uint64_t, generation) << index_bits) >> 32 == 0 &&
        generation != 0 && !hm_handle_is_free(handle))
        id.bits = generation << index_bits | index;
    return id;
}

/* Returns the handle of an id, which the container of this type id refuses unless the item is
 * alive. Any 32 bits may be passed: 0 is the null handle, and those that hm_id32_pack does not
 * return are a handle with the free bit, which no container issues. */
static inline hm_handle hm_id32_unpack(hm_id32 id, unsigned index_bits, uint32_t type_id)
{
    hm_handle handle = HM_NULL_HANDLE;
    uint32_t generation;
    HM_CONTRACT(index_bits - 1 < 30, "hm_id32_unpack: index_bits is not from 1 to 30");
    HM_CONTRACT(type_id <= HM_HANDLE_MAX_TYPE_ID, "hm_id32_unpack: type_id has more than 15 bits");
    if (id.bits == 0)
        return handle;
    generation = id.bits >> index_bits;
    handle = hm_handle_pack(id.bits & ((UINT32_C(1) << index_bits) - 1), generation, type_id);
    if (generation == 0 || generation > HM_HANDLE_MAX_GENERATION)
        handle.bits |= HM_HANDLE_FREE_BIT;
    return handle;
}

HM_END_C

/* HM_ID32_DEFINE(texture, 20, texture_TYPE_ID), without a semicolon, defines texture_id32, which
 * is passed only where a texture's id is wanted, and texture_id32_pack and texture_id32_unpack
 * between it and texture_handle. A handle of another type id has none: a container whose descriptor
 * gives it one uses the functions above. Example:
 *
 *     HM_MAP_DEFINE(texture, struct texture, 3)
 *     HM_ID32_DEFINE(texture, 20, texture_TYPE_ID)
 *
 *     texture_map textures;
 *     hm_map_desc desc = {.max_slots = 1 << 20, .generation_bits = 12};
 *     if (texture_map_init_desc(&textures, &desc) == HM_OK) {
 *         texture_id32 id = texture_id32_pack(texture_map_insert(&textures, NULL));
 *         struct texture *found = texture_map_get(&textures, texture_id32_unpack(id)); // or NULL
 *     }
 */
#define HM_ID32_DEFINE(prefix, index_bits, type_id)                                                \
    HM_STATIC_ASSERT((index_bits) >= 1 && (index_bits) <= 30, "index_bits is from 1 to 30");       \
    HM_STATIC_ASSERT(HM_CAST(uint32_t, type_id) <= HM_HANDLE_MAX_TYPE_ID,                          \
                     "type ids have 15 bits");                                                     \
    typedef struct prefix##_id32 {                                                                 \
        uint32_t bits;                                                                             \
    } prefix##_id32;                                                                               \
    HM_UNUSED static inline prefix##_id32 prefix##_id32_pack(prefix##_handle hm_named)             \
    {                                                                                              \
        prefix##_id32 hm_packed = {0};                                                             \
        if (hm_handle_type_id(hm_named.id) == HM_CAST(uint32_t, type_id))                          \
            hm_packed.bits = hm_id32_pack(hm_named.id, (index_bits)).bits;                         \
        return hm_packed;                                                                          \
    }                                                                                              \
    HM_UNUSED static inline prefix##_handle prefix##_id32_unpack(prefix##_id32 hm_packed)          \
    {                                                                                              \
        hm_id32 hm_plain = {hm_packed.bits};                                                       \
        prefix##_handle hm_named = {                                                               \
            hm_id32_unpack(hm_plain, (index_bits), HM_CAST(uint32_t, type_id))};                   \
        return hm_named;                                                                           \
    }

#endif
