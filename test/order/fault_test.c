/* SPDX-License-Identifier: MIT */
/* Putting a column in order when memory is refused: the call ends and says so, the next one tries
 * again at no other cost, and once there is memory it goes on. Also when scratch memory is given
 * back. */
#include "support/order.h"

enum { FEW = 100, MANY = 30000 };

static const hm_frame_budget no_limit = {HM_NO_LIMIT, HM_NO_LIMIT, false};

/* Calls to which memory is refused, one after the other: the column stays as it is. */
static void check_waits(column *c, hm_order order)
{
    for (uint32_t call = 0; call < 3; call++) {
        hm_progress progress = column_run(c, order, no_limit);
        CHECK(progress.status == HM_ERROR_MEMORY && !progress.done);
        CHECK(progress.swaps == 0 && progress.compares == 0);
        const char *last = hm_last_error();
        CHECK(strstr(last, "was refused: free memory for the column 'tested'") != NULL);
    }
}

/* Refuses the k-th memory call; returns whether it was reached. */
static bool refuse(uint32_t shape, uint32_t which, uint32_t k, bool and_later)
{
    uint64_t random = shape + 1;
    column c;
    column_init(&c, FEW);
    column_fill_shape(&c, shape, FEW, &random);
    hm_order order = column_order(&c, which);
    test_memory_fail(&c.memory, k, and_later);
    bool is_waiting = !column_run(&c, order, no_limit).done;
    bool reached = test_memory_refused(&c.memory);
    CHECK(reached || !is_waiting);
    if (is_waiting && and_later)
        check_waits(&c, order);
    hm_progress progress = column_finish(&c, order, test_budget_of(k * 3, shape * 5));
    CHECK(progress.swaps <= FEW);
    progress = column_run(&c, order, no_limit);
    CHECK(progress.done && progress.swaps == 0 && progress.compares == 0);
    column_fini(&c);
    return reached;
}

/* The marks and the scratch memory: a reserve and a commit each. */
TEST(order_fault, whichever_call_to_memory_is_refused_the_next_one_goes_on)
{
    for (uint32_t shape = 0; shape < SHAPES; shape++)
        for (uint32_t which = 0; which < ORDERS; which++) {
            uint32_t k = 1;
            for (; refuse(shape, which, k, false); k = test_next_call(k))
                refuse(shape, which, k, true);
            bool is_sorted = shape == 1 || shape == 5;
            CHECK(k - 1 == (is_sorted ? 2 : 4));
        }
}

/* A column that was put in order gets no memory for the items that follow. */
TEST(order_fault, marks_that_cannot_grow_leave_everything_as_it_is)
{
    enum { N = 300000 }; /* more than the first commit of marks covers */
    static const uint32_t counts[] = {1, 32, 600, MANY / 2};
    uint64_t random = test_seed("marks");
    for (uint32_t which = 0; which < ORDERS; which++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            column c;
            column_init(&c, N);
            column_fill_shape(&c, 1, FEW, &random);
            hm_order order = column_order(&c, which);
            CHECK(column_run(&c, order, no_limit).done);
            while (c.count < N - counts[i])
                column_insert(&c, c.count, false);
            c.items[N / 2].key = N / 2 + 3 * (i % 2); /* in place, or two positions off */
            test_memory_fail(&c.memory, 1, true);
            check_waits(&c, order);
            CHECK(c.state->cursor == FEW);
            CHECK(column_finish(&c, order, no_limit).swaps == 2 * (i % 2));
            for (uint32_t k = 0; k < counts[i]; k++)
                column_insert(&c, c.count, true);
            column_edit(&c, c.count - 1, c.count - 3);
            column_finish(&c, order, test_budget_of(1, HM_NO_LIMIT));
            column_fini(&c);
        }
}

TEST(order_fault, a_change_while_memory_is_refused_is_seen)
{
    uint64_t random = test_seed("disturbances without memory");
    for (uint32_t stop = 0; stop < test_scaled(1500); stop++) {
        column c;
        column_init(&c, FEW);
        column_fill_shape(&c, stop % SHAPES, FEW / 2, &random);
        hm_order order = column_order(&c, stop / SHAPES);
        test_memory_fail(&c.memory, 1 + test_random_below(&random, 4), true);
        for (uint32_t spent = test_random_below(&random, 400); spent > 0; spent--)
            column_run(&c, order, test_budget_of(2, 1));
        switch (stop % 5) {
        case 0:
            column_edit(&c, test_random_below(&random, c.count), 20);
            break;
        case 1:
            column_erase(&c, test_random_below(&random, c.count));
            break;
        case 2:
            column_erase_some(&c);
            break;
        case 3:
            column_cut(&c, test_random_below(&random, c.count));
            break;
        default:
            column_insert(&c, 0, true);
            break;
        }
        column_finish(&c, order, test_budget_of(3, 2));
        column_fini(&c);
    }
}

/* The scratch memory of a large round is given back once the items are placed. */
TEST(order_fault, at_most_64_kib_of_scratch_memory_are_kept)
{
    enum { KEPT = 64 << 10 };
    uint64_t random = test_seed("scratch");
    for (uint32_t which = 0; which < ORDERS; which++)
        for (uint32_t count = 10; count <= MANY; count *= 5) {
            size_t marks = (count / 32 + 1) * sizeof(uint64_t), most = 0;
            column c;
            column_init(&c, count);
            marks = (marks + c.memory.table.page_size - 1) & ~(c.memory.table.page_size - 1);
            column_fill_shape(&c, 0, count, &random);
            for (hm_progress progress = {0}; !progress.done;) {
                progress = column_run(&c, column_order(&c, which),
                                      test_budget_of(1 + count / 3, HM_NO_LIMIT));
                if (c.memory.committed_size > most)
                    most = c.memory.committed_size;
            }
            CHECK(c.memory.reserved_size <= marks + KEPT);
            CHECK(c.memory.committed_size <= marks + KEPT);
            CHECK(most <= marks + KEPT + (size_t)count * (which == 0 ? 16 : 32));
            CHECK(count < MANY || most > marks + KEPT);
            column_fini(&c);
        }
}

/* In cells of 8 bytes: two lists of 4 bytes an item, and two of 4, or of a key or a copy; with keys
 * also a tally. */
TEST(order_fault, scratch_memory_is_as_large_as_the_list_needs)
{
    uint64_t random = test_seed("scratch sizes");
    for (uint32_t which = 0; which < ORDERS; which++)
        for (uint32_t count = MANY; count < MANY + 2; count++) {
            column c;
            column_init(&c, count);
            column_fill_shape(&c, 0, count, &random);
            CHECK(!column_run(&c, column_order(&c, which), test_budget_of(1, HM_NO_LIMIT)).done);
            const hm_order_batch *batch = &c.state->batch;
            size_t scratch = batch->scratch.capacity * sizeof(uint64_t);
            size_t page = c.memory.table.page_size;
            size_t half = (count + 1) / 2, beside = which == 0   ? half
                                                    : which == 3 ? 2 * count
                                                                 : count;
            size_t tally = which == 0 || which == 3 ? 0 : 2048 * sizeof(uint32_t);
            CHECK(scratch == 16 * half + 16 * beside + tally);
            CHECK(c.memory.committed_size >= scratch);
            CHECK(c.memory.committed_size <= scratch + page + count / 4 + page);
            CHECK((unsigned char *)(batch->origins + count) <= batch->scratch.data + scratch);
            hm_order_reset(c.state);
            for (uint32_t i = 0; i < count; i++)
                c.items[i].is_loose = true;
            column_finish(&c, column_order(&c, which), no_limit);
            column_fini(&c);
        }
}

/* 16 bytes an item: half of 2 MiB for 65,536. */
TEST(order_fault, scratch_memory_from_the_system_is_huge_pages_where_it_fills_half_of_one)
{
    for (uint32_t count = 65534; count <= 65536; count += 2) {
        uint64_t random = 1;
        column c;
        column_init(&c, count);
        column_fill_shape(&c, 2, count, &random);
        hm_order order = column_order(&c, 0);
        hm_sequence sequence = column_sequence(&c);
        sequence.memory = hm_memory_os();
        CHECK(hm_order_run(&c.state, &order, &sequence, BUDGET(1, HM_NO_LIMIT)).swaps == 1);
        bool is_huge = c.state->batch.scratch.memory == hm_memory_os_huge();
        bool is_normal = c.state->batch.scratch.memory == hm_memory_os();
        CHECK(count == 65536 ? is_huge : is_normal);
        CHECK(c.state->range.memory == hm_memory_os());
        CHECK(hm_order_run(&c.state, &order, &sequence, NULL).done && column_is_in_order(&c));
        column_fini(&c);
    }
}

/* Where memory is refused once, for the copies, a typed order sorts like one that is not. */
TEST(order_fault, without_memory_for_copies_items_are_compared_where_they_are)
{
    hm_progress plain = {0};
    uint32_t alike = 0;
    for (uint32_t refused = 0; refused < 8; refused++) {
        uint64_t random = 1;
        column c;
        column_init(&c, MANY);
        column_fill_shape(&c, 0, MANY, &random);
        test_memory_fail(&c.memory, refused, false);
        hm_order order = column_order(&c, refused == 0 ? 0 : 3);
        hm_progress progress = column_finish(&c, order, no_limit);
        if (refused == 0)
            plain = progress;
        else if (progress.compares == plain.compares && progress.swaps == plain.swaps)
            alike++;
        column_fini(&c);
    }
    CHECK(alike == 2); /* the scratch memory's reserve, or its commit */
}
