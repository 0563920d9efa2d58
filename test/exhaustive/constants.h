/* SPDX-License-Identifier: MIT */
/* The constants of the library while it is searched: included before each of its sources, instead
 * of what is there between `#ifndef HM_EXHAUSTIVE` and `#endif`. Each has a threshold that few
 * items reach. Nothing of it is installed. */
#ifndef TEST_EXHAUSTIVE_CONSTANTS_H
#define TEST_EXHAUSTIVE_CONSTANTS_H

#define HM_EXHAUSTIVE

#define HM_HANDLE_MAX_GENERATION UINT32_C(3) /* so that a slot retires after 3 items */
#define HM_ID_TABLE_UNIT 2u
#define HM_MEMORY_ALIGNMENT 16
#define MEMORY_MIN_GROWTH 8 /* so that each commit is of one page */

#define HM_POOL_RECENT 2
#define POOL_FIRST_SLOTS 1
#define POOL_FIRST_SIZE 1 /* growing blocks of 1, 1, 2, 4, ... items */
#define POOL_MAX_EXTENT_BLOCKS 2

/* All is lifted at the first misfit, or, by an order with key and compare, never. */
#define ORDER_FEW_MISFITS (state->order.key != NULL && state->order.compare != NULL)
#define ORDER_FIRST_RUN_LIMIT 2
#define ORDER_FREE_WORK (UINT64_MAX - 3) /* 4 entries less than the limits alone would allow */
#define ORDER_KEPT_CELLS 8
#define ORDER_DIGIT_BITS 1
#define ORDER_FEW_ITEMS 3

#define SECONDARY_SEGMENT_SIZE ((size_t)8)
#define TABLE_LINE 8

#define RECORDS_SPREAD 2
#define RECORDS_MIN_UNITS 1
#define GAPS_BLOCKS 2
#define GAPS_BLOCKS_PER_SWAP 1

#define HM_WORLD_MAX_COMPONENTS 3
#define HM_WORLD_BASE_BITS 5 /* 8 regions */
#define HM_WORLD_CLASS_SHIFT 1
#define HM_WORLD_UNIT_SIZE 32
#define HM_WORLD_MEMO 1
#define HM_WORLD_TRANSITIONS 1
#define WORLD_MIN_BUCKETS 1
#define WORLD_MAX_SPARSE 1
#define WORLD_FIRST_ARCHETYPES 8
#define WORLD_FIRST_BUCKETS 8
#define STORE_FIRST 6
#define STORE_CHILDREN 1
#define HM_QUERY_FEW 3
#define HM_QUERY_KNOWN 2
#define DEFRAGMENT_ARCHETYPES 2

/* Of the models, so that a state is small; and so that every callback tries all. */
#define DENSE_MODEL_ITEMS 5
#define DENSE_MODEL_SLOTS 5
#define DENSE_MODEL_NAMES 15
#define LISTS_MODEL_LISTS 3
#define LISTS_MODEL_SLOTS 4
#define LISTS_MODEL_ITEMS 7
#define INDEX_MODEL_OWNERS 3
#define POOL_MODEL_SLOTS 67
#define SECONDARY_MODEL_VALUES 4
#define WORLD_MODEL_ENTITIES 4
#define WORLD_MODEL_SLOTS 4
#define WORLD_MODEL_KINDS 3
#define TEST_STOPS 1
#define TEST_SAMPLE 1

#endif
