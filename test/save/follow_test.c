/* SPDX-License-Identifier: MIT */
/* Copies that follow a container: which changes they take, in parts and by a filter; values and
 * hashes of some handles. */
#include "follow.h"

enum { MOST = 4000 };

/* Handles that are told, each once. */
typedef struct handles {
    hm_handle list[MOST];
    uint32_t count;
} handles;

static void note_handle(const hm_change *change, void *context)
{
    handles *of = context;
    CHECK(change->kind == HM_CHANGE_INSERTED && change->before == NULL);
    if (of->count > 0 && of->list[of->count - 1].bits == change->handle.bits)
        return;
    CHECK(of->count < MOST);
    of->list[of->count++] = change->handle;
}

/* positions */

TEST(save_follow, changes_are_taken_only_from_where_they_lead)
{
    for (size_t k = 0; k < SAVED_KINDS; k++) {
        scene in;
        begin(&in, saved_kinds[k]);
        uint64_t first = go_on(&in), second = go_on(&in),
                 none = in.kind->hash(&in.copy, NULL, HM_ALL);
        const hm_position wrong[] = {{EPOCH, second, 0, 0},
                                     {EPOCH + 1, first, 0, 0},
                                     {EPOCH, first, second, 1},
                                     {EPOCH, first, second + 1, 0},
                                     {0, 0, second, 1},
                                     {0, UINT64_MAX, 0, 0},
                                     {0, 0, 0, 0}};
        CHECK(save(&in, NULL, first, second) == HM_OK);
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            in.at = wrong[i];
            CHECK(load(&in) == HM_ERROR_STALE);
            bool is_of_another = i == 1 || i == 4 || i == 5; /* epoch */
            CHECK(
                mentions(is_of_another ? "of epoch 5, and the copy of" : "and the copy stands at"));
            CHECK(memcmp(&in.at, &wrong[i], sizeof in.at) == 0);
            CHECK(in.kind->hash(&in.copy, NULL, HM_ALL) == none);
        }
        in.at = (hm_position){0};
        CHECK(save(&in, NULL, 0, first) == HM_OK && load(&in) == HM_OK);
        CHECK(in.at.epoch == EPOCH && in.at.mark == first && in.at.next == 0 && in.at.done == 0);
        CHECK(save(&in, NULL, first, second) == HM_OK && load(&in) == HM_OK);
        CHECK(in.at.mark == second && load(&in) == HM_ERROR_STALE);
        CHECK(in.kind->hash(&in.copy, NULL, HM_ALL) == in.kind->hash(&in.made, NULL, HM_ALL));
        end(&in);
    }
}

TEST(save_follow, a_save_of_changes_begins_where_the_copy_stands_or_not_at_all)
{
    scene in;
    begin(&in, &saved_map);
    uint64_t first = go_on(&in), second = go_on(&in);
    const hm_position wrong[] = {
        {EPOCH, second, 0, 0}, {EPOCH + 1, first, 0, 0}, {EPOCH, first, second + 1, 4}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        hm_position at = wrong[i];
        const hm_save_desc desc = {.position = &at};
        CHECK(save(&in, &desc, first, second) == HM_ERROR_INVALID && in.file.size == 0);
        CHECK(memcmp(&at, &wrong[i], sizeof at) == 0);
    }
    const hm_save_desc small = {.max_size = 100};
    CHECK(save(&in, &small, first, second) == HM_ERROR_INVALID && mentions("needs a position"));
    /* A sink that refuses leaves the position where it was. */
    hm_position at = {EPOCH, first, 0, 0};
    const hm_save_desc desc = {.position = &at};
    in.file.fail_at = 2;
    CHECK(save(&in, &desc, first, second) == HM_ERROR_IO && at.mark == first);
    end(&in);
}

/* Beside its changes a section has the header, with eight numbers and a name, and two checksums. */
TEST(save_follow, a_section_has_as_many_changes_as_fit_and_at_least_one)
{
    const size_t frame = 48 + 8 * 4 + strlen("things") + 2 * 8, sizes[] = {1, 100, 101, 5000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        scene in;
        hm_section section;
        begin(&in, &saved_map);
        uint64_t mark = go_on(&in);
        size_t change = 17 + in.made.map.item_size, most = sizes[i] / change * change;
        hm_position at = {0};
        const hm_save_desc desc = {.position = &at, .max_size = sizes[i]};
        while (at.mark != mark) {
            CHECK(save(&in, &desc, 0, mark) == HM_OK);
            CHECK(hm_section_read(&section, test_source(&in.file)) == HM_OK);
            CHECK(in.file.size - frame == (most > change ? most : change) || at.mark == mark);
            CHECK(section.count * change == in.file.size - frame && load(&in) == HM_OK);
        }
        CHECK(in.kind->hash(&in.copy, NULL, HM_ALL) == in.kind->hash(&in.made, NULL, HM_ALL));
        end(&in);
    }
}

TEST(save_follow, a_section_of_0_3_says_not_from_where_it_leads)
{
    scene in;
    begin(&in, &saved_map);
    CHECK(save(&in, NULL, 0, go_on(&in)) == HM_OK);
    /* Without its eight numbers and the flag of a position. */
    const size_t numbers = 8 * 4;
    memmove(in.file.bytes + 48, in.file.bytes + 48 + numbers, in.file.size - 48 - numbers);
    in.file.size -= numbers;
    in.file.bytes[12] &= (unsigned char)~8u;
    in.file.bytes[38] = 0;
    test_file_seal(&in.file);
    CHECK(load(&in) == HM_ERROR_INVALID && mentions("does not say from which mark"));
    CHECK(in.kind->load_changes(&in.copy, NULL, test_source(&in.file)) == HM_OK);
    CHECK(in.kind->hash(&in.copy, NULL, HM_ALL) == in.kind->hash(&in.made, NULL, HM_ALL));
    end(&in);
}

TEST(save_follow, a_header_with_some_of_the_numbers_is_none)
{
    scene in;
    begin(&in, &saved_map);
    CHECK(save(&in, NULL, 0, go_on(&in)) == HM_OK);
    for (unsigned char numbers = 0; numbers < 8; numbers++) {
        test_file cut = {0};
        CHECK(test_file_write(&cut, in.file.bytes, 48 + (size_t)numbers * 4));
        CHECK(test_file_write(&cut, in.file.bytes + 80, in.file.size - 80));
        cut.bytes[38] = numbers;
        test_file_seal(&cut);
        hm_status status = in.kind->load_changes(&in.copy, NULL, test_source(&cut));
        CHECK(status == (numbers == 4 ? HM_OK : HM_ERROR_CORRUPT)); /* a position alone */
        CHECK(numbers >= 4 || mentions("lacks a position"));
        in.kind->fini(&in.copy);
        in.kind->init(&in.copy, 0, NULL);
        test_file_end(&cut);
    }
    end(&in);
}

TEST(save_follow, a_save_says_where_the_container_stands)
{
    for (size_t k = 0; k < SAVED_KINDS; k++) {
        scene in;
        begin(&in, saved_kinds[k]);
        uint64_t mark = go_on(&in);
        hm_position here = hm_history_position(&in.history), between = {EPOCH, mark, mark + 1, 1};
        const hm_save_desc with = {.position = &here}, in_part = {.position = &between};
        const hm_save_desc desc = {.position = &in.at};
        CHECK(here.epoch == EPOCH && here.mark == mark);
        CHECK(in.kind->save(&in.made, &in_part, test_sink(&in.file)) == HM_ERROR_INVALID);
        CHECK(in.file.size == 0 && mentions("give it the rest first"));
        CHECK(in.kind->save(&in.made, &with, test_sink(&in.file)) == HM_OK);
        in.file.bytes[in.file.size - 1] ^= 1;
        in.at = (hm_position){EPOCH, 9, 0, 0};
        CHECK(in.kind->load(&in.copy, &desc, test_source(&in.file)) == HM_ERROR_CORRUPT);
        CHECK(in.at.epoch == 0 && in.at.mark == 0); /* The copy is empty. */
        in.file.bytes[in.file.size - 1] ^= 1;
        in.kind->fini(&in.copy);
        in.kind->init(&in.copy, 0, NULL);
        CHECK(in.kind->load(&in.copy, &desc, test_source(&in.file)) == HM_OK);
        CHECK(memcmp(&in.at, &here, sizeof here) == 0);
        /* From there it takes changes, and is refused as used by another load, which changes
         * nothing. */
        CHECK(in.kind->load(&in.copy, &desc, test_source(&in.file)) != HM_OK);
        CHECK(in.at.mark == mark);
        CHECK(save(&in, NULL, mark, go_on(&in)) == HM_OK && load(&in) == HM_OK);
        CHECK(in.kind->hash(&in.copy, NULL, HM_ALL) == in.kind->hash(&in.made, NULL, HM_ALL));
        end(&in);
    }
}

TEST(save_follow, a_file_without_a_position_zeroes_that_of_the_copy)
{
    scene in;
    begin(&in, &saved_map);
    const hm_save_desc desc = {.position = &in.at};
    in.at = (hm_position){EPOCH, 9, 0, 0};
    CHECK(in.kind->save(&in.made, NULL, test_sink(&in.file)) == HM_OK);
    CHECK(in.kind->load(&in.copy, &desc, test_source(&in.file)) == HM_OK);
    CHECK(in.at.epoch == 0 && in.at.mark == 0);
    end(&in);
}

TEST(save_follow, a_load_that_fails_half_way_leads_nowhere_until_a_rewind)
{
    scene in;
    hm_history own;
    static saved copy;
    begin(&in, &saved_map);
    uint64_t first = go_on(&in), second;
    hm_position at = {0};
    const hm_save_desc desc = {.position = &at};
    memset(&copy, 0, sizeof copy);
    CHECK(hm_history_init(&own, &(hm_history_desc){.marks = 4}) == HM_OK);
    CHECK(hm_history_watch(&own, &at, sizeof at) == HM_OK);
    in.kind->init(&copy, 0, &own.table);
    CHECK(save(&in, NULL, 0, first) == HM_OK);
    CHECK(in.kind->load_changes(&copy, &desc, test_source(&in.file)) == HM_OK);
    uint64_t base = hm_history_mark(&own), before = in.kind->hash(&copy, NULL, HM_ALL);
    second = go_on(&in);
    CHECK(save(&in, NULL, first, second) == HM_OK);
    /* One of the last that are inserted is there already. */
    handles mine = {.count = 0};
    CHECK(in.kind->visit(&in.made, NULL, HM_ALL, note_handle, &mine) == HM_OK);
    while (hm_map_adopt(&copy.map, mine.list[mine.count - 1], NULL) != HM_OK)
        CHECK(--mine.count > 0);
    CHECK(in.kind->load_changes(&copy, &desc, test_source(&in.file)) == HM_ERROR_STALE);
    CHECK(at.mark == UINT64_MAX);
    CHECK(in.kind->load_changes(&copy, &desc, test_source(&in.file)) == HM_ERROR_STALE);
    CHECK(mentions("it is of epoch 5, and the copy of 0"));
    CHECK(hm_history_rewind(&own, base) == HM_OK && at.mark == first);
    CHECK(in.kind->hash(&copy, NULL, HM_ALL) == before);
    CHECK(in.kind->load_changes(&copy, &desc, test_source(&in.file)) == HM_OK);
    CHECK(at.mark == second);
    CHECK(in.kind->hash(&copy, NULL, HM_ALL) == in.kind->hash(&in.made, NULL, HM_ALL));
    in.kind->fini(&copy);
    hm_history_fini(&own);
    end(&in);
}

/* filters and values */

typedef struct chosen {
    const handles *of;
    uint32_t every; /* so many go together, and the first of them is chosen */
} chosen;

static bool choose(hm_handle handle, uint32_t part, void *context)
{
    const chosen *by = context;
    (void)part;
    for (uint32_t i = 0; i < by->of->count; i += by->every)
        if (by->of->list[i].bits == handle.bits)
            return true;
    return false;
}

TEST(save_follow, a_filter_chooses_and_the_values_of_the_others_come_later)
{
    for (size_t k = 0; k < SAVED_KINDS; k++) {
        scene in;
        handles all = {.count = 0}, rest = {.count = 0}, copied = {.count = 0};
        begin(&in, saved_kinds[k]);
        uint64_t mark = go_on(&in);
        CHECK(in.kind->visit(&in.made, NULL, HM_ALL, note_handle, &all) == HM_OK && all.count > 4);
        chosen by = {&all, 3};
        const hm_save_desc filtered = {.filter = choose, .context = &by};
        CHECK(save(&in, &filtered, 0, mark) == HM_OK && load(&in) == HM_OK);
        CHECK(in.kind->visit(&in.copy, NULL, HM_ALL, note_handle, &copied) == HM_OK);
        CHECK(copied.count == (all.count + 2) / 3);
        for (uint32_t i = 0; i < all.count; i++)
            if (i % 3 != 0)
                rest.list[rest.count++] = all.list[i];
        /* Handles that mean nothing have no values. */
        rest.list[rest.count++] = HM_NULL_HANDLE;
        rest.list[rest.count++] = hm_handle_from_bits(all.list[1].bits + (UINT64_C(1) << 32));
        rest.list[rest.count++] = hm_handle_from_bits(all.list[1].bits | HM_HANDLE_FREE_BIT);
        rest.list[rest.count++] = hm_handle_from_bits(UINT64_MAX);
        uint64_t parts = in.kind->hash(&in.made, rest.list, rest.count) +
                         in.kind->hash(&in.made, copied.list, copied.count);
        CHECK(parts == in.kind->hash(&in.made, NULL, HM_ALL));
        CHECK(in.kind->hash(&in.made, NULL, 0) == 0);
        hm_position at = in.at;
        const hm_save_desc here = {.position = &at, .max_size = 1};
        in.file.size = 0;
        CHECK(in.kind->save_values(&in.made, &here, rest.list, rest.count, test_sink(&in.file)) ==
              HM_OK);
        CHECK(load(&in) == HM_OK && memcmp(&in.at, &at, sizeof at) == 0 && at.mark == mark);
        CHECK(in.kind->hash(&in.copy, NULL, HM_ALL) == in.kind->hash(&in.made, NULL, HM_ALL));
        CHECK(in.kind->validate(&in.copy) == HM_OK);
        CHECK(load(&in) == HM_ERROR_STALE); /* They are there, and nothing has changed. */
        CHECK(memcmp(&in.at, &at, sizeof at) == 0);
        end(&in);
    }
}

TEST(save_follow, values_are_taken_only_where_the_copy_stands)
{
    scene in;
    begin(&in, &saved_map);
    uint64_t mark = go_on(&in);
    hm_position at = {EPOCH, mark, 0, 0}, between = {EPOCH, mark, mark + 1, 1};
    const hm_save_desc here = {.position = &at}, part = {.position = &between};
    CHECK(in.kind->save_values(&in.made, &part, NULL, HM_ALL, test_sink(&in.file)) ==
          HM_ERROR_INVALID);
    CHECK(in.kind->save_values(&in.made, &here, NULL, HM_ALL, test_sink(&in.file)) == HM_OK);
    in.at = (hm_position){EPOCH, mark - 1, 0, 0};
    CHECK(load(&in) == HM_ERROR_STALE && hm_map_count(&in.copy.map) == 0);
    in.at = at;
    CHECK(load(&in) == HM_OK);
    CHECK(in.kind->hash(&in.copy, NULL, HM_ALL) == in.kind->hash(&in.made, NULL, HM_ALL));
    /* Without a position they say not where they belong, and are taken where nobody asks. */
    hm_map_clear(&in.copy.map);
    in.file.size = 0;
    CHECK(in.kind->save_values(&in.made, NULL, NULL, HM_ALL, test_sink(&in.file)) == HM_OK);
    CHECK(load(&in) == HM_ERROR_INVALID && hm_map_count(&in.copy.map) == 0);
    CHECK(in.kind->load_changes(&in.copy, NULL, test_source(&in.file)) == HM_OK);
    CHECK(in.kind->hash(&in.copy, NULL, HM_ALL) == in.kind->hash(&in.made, NULL, HM_ALL));
    end(&in);
}

TEST(save_follow, a_hash_counts_entities_and_tags_and_not_the_order_in_memory)
{
    hm_world worlds[2];
    hm_component place[2], tag[2];
    hm_handle entities[2][3];
    uint64_t with[2];
    for (uint32_t w = 0; w < 2; w++) {
        CHECK(hm_world_init(&worlds[w], &(hm_world_desc){.type_id = TYPE}) == HM_OK);
        place[w] = hm_world_component(&worlds[w], &(hm_component_desc){.size = 4, .name = "p"});
        tag[w] = hm_world_component(&worlds[w], &(hm_component_desc){.size = 0, .name = "t"});
        for (uint32_t i = 0; i < 3; i++)
            entities[w][i] = hm_world_create(&worlds[w], NULL, 0);
        /* Rows are in the order in which their entities came. */
        for (uint32_t i = 0; i < 3; i++) {
            uint32_t which = w == 0 ? i : 2 - i;
            CHECK(hm_world_add(&worlds[w], entities[w][which], place[w], &which) == HM_OK);
        }
        CHECK(hm_world_add(&worlds[w], entities[w][1], tag[w], NULL) == HM_OK);
        with[w] = hm_world_hash(&worlds[w], NULL, NULL, HM_ALL);
    }
    CHECK(with[0] == with[1] && with[0] != 0);
    CHECK(hm_world_remove(&worlds[0], entities[0][1], tag[0], NULL) == HM_OK);
    uint64_t without = hm_world_hash(&worlds[0], NULL, NULL, HM_ALL);
    CHECK(without != with[0]);
    /* A change has the same hash if it comes from elsewhere, without addresses. */
    const hm_change back = {.handle = entities[0][1], .kind = HM_CHANGE_INSERTED, .part = 1};
    CHECK(without + hm_change_hash(&back) == with[0]);
    const hm_change gone = {.handle = entities[0][1], .kind = HM_CHANGE_ERASED, .part = 1};
    CHECK(with[0] + hm_change_hash(&gone) == without);
    (void)hm_world_create(&worlds[0], NULL, 0);
    CHECK(hm_world_hash(&worlds[0], NULL, NULL, HM_ALL) != without);
    hm_world_fini(&worlds[0]);
    hm_world_fini(&worlds[1]);
    const hm_world none = {.name = "none"};
    CHECK(hm_world_hash(&none, NULL, NULL, HM_ALL) == 0 && mentions("initialise it first"));
}
