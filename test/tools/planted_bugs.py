# SPDX-License-Identifier: MIT
"""The planted bugs: where they go, and how one is put into a copy of the library.

A bug replaces text that its file has exactly once, so a change of the sources may leave it without
a place; `planted.py check` tells.
"""
import os
import shutil
from typing import NamedTuple

TABLE = "include/handle_map/id_table.h"
TARGETS = ["map", "file", "history", "hostile", "lying", "index", "lists", "pool", "secondary",
           "table", "world"]  # of the fuzzer


class Bug(NamedTuple):
    what: str
    file: str
    old: str  # text that the file has exactly once
    new: str  # the text with the bug
    target: str  # the fuzz target that should find it
    is_canary: bool = False  # must be found before that target is fuzzed


BUGS = [
    Bug("a free slot answers a guessed handle", TABLE,
        "return match < count ? ", "return match < UINT32_MAX ? ", "hostile", is_canary=True),
    Bug("generations wrap", TABLE,
        "if ((upper & HM_HANDLE_MAX_GENERATION) == 0)", "if (false)", "map"),
    Bug("clear loses the free slots", TABLE,
        "    table->count = 0;", "    table->count = table->used = 0;", "map"),
    Bug("type ids above 0x7FFF are taken", "src/ids/id_table.c",
        "if (!HM_IS_TYPE_ID(type_id))", "if (false)", "map"),
    Bug("an erase breaks the link of the slot that it frees", TABLE,
        "hm_handle_set_index(&entries[freed], HM_CAST(uint32_t, last));",
        "hm_handle_set_index(&entries[freed], 0);", "map"),
    Bug("an erase leaves the last item's meta behind", "src/dense/map.c",
        "        if (meta_size != 0)\n            memcpy(map_meta_at(map, index)",
        "        if (false)\n            memcpy(map_meta_at(map, index)",
        "map", is_canary=True),
    Bug("an item is moved onto itself", "src/dense/map.c",
        "    if (index != last)\n        map_report_move", "    map_report_move", "map"),
    Bug("a budget of swaps is not kept", "src/order/order_internal.h",
        "if (call->budget.max_swaps != 0 && call->spent.swaps >= call->budget.max_swaps)",
        "if (false)", "lying"),
    Bug("a budget of compares is exceeded by one", "src/order/order_internal.h",
        "call->spent.compares >= call->budget.max_compares)",
        "call->spent.compares > call->budget.max_compares)", "lying", is_canary=True),
    Bug("done is said while unsorted", "src/order/round.c",
        "return is_scanned && state->cursor",
        "return (is_scanned || true) && state->cursor", "map"),
    Bug("a key edited in place is not seen", "src/dense/dense_private.h",
        "        hm_dense_disturb(&kind->guard, kind->order, index, hm_##kind##_count(kind));",
        "        (void)index;", "map"),
    Bug("the order does not hear of an erase", "src/dense/map.c",
        "        hm_order_disturb(map->order, index, map->ids.count - 1);\n        return",
        "        return", "map"),
    Bug("items are ordered without their meta", "src/dense/map.c",
        "        hm_order_exchange_bytes(map_meta_at(map, a), map_meta_at(map, b), meta_size);",
        "        (void)map;", "map"),
    Bug("equal items are mixed up", "src/order/locate.c",
        "    bool is_first = probe < lifted;", "    bool is_first = true;", "lying"),
    Bug("an item that was erased while it was lifted is taken for one", "src/order/place.c",
        "if (hm_order_is_lifted(state, *from))", "if (*from < state->cursor)", "map"),
    Bug("an arrangement does not see what changes meanwhile", "src/order/round.c",
        "    if (state->phase == HM_ORDER_VERIFY) {", "    if (false) {", "map"),
    Bug("a search answers while a changed key waits for its place", "src/order/round.c",
        "state->cursor == count && state->pending_end == 0;", "state->cursor == count;", "map"),
    Bug("an upper bound is before equal keys", "src/order/bound.c",
        "            return bound->is_upper;", "            return false;", "map"),
    Bug("a search takes another order for its own", "src/order/bound.c",
        "bound->state != NULL && hm_order_is_for(bound->state, &bound->order);",
        "bound->state != NULL;", "map"),
    Bug("a table answers for another column than it is ordered by", "src/dense/dense.c",
        "*dense->order_column != dense->column;", "false;", "table"),
    Bug("pages are taken for 4 KiB", "src/memory/array.c",
        "left;\n    size = hm_memory_round_up(size, array->memory->page_size);",
        "left;\n    size = hm_memory_round_up(size, 4096);", "map"),
    Bug("the system's refusal is not heard", "src/memory/array.c",
        "start, size, array->is_raw);\n    if (status != HM_OK)",
        "start, size, array->is_raw);\n    if (false)", "map"),
    Bug("what a container reads first is not cleared", "src/memory/array.c",
        "    hm_memory_clear(array->memory, data + used, size - used);\n", "", "map"),
    Bug("memory that was kept is not cleared for the next", "src/memory/kept.c",
        "            memset(address, 0, part);\n", "            (void)part;\n", "map"),
    Bug("what the system gave back is still taken for a container's", "src/memory/kept.c",
        "        kept_mark(address, size, KEPT_UNKNOWN);", "", "map"),
    Bug("the rest of a range that was divided is counted twice", "src/memory/kept.c",
        "    kept_size -= warm;\n    *range =", "    kept_size -= range->warm;\n    *range =",
        "map"),
    Bug("a decommitted page is taken for an accessible one", "src/memory/kept.c",
        "        kept_mark(address, size, KEPT_RESERVED);\n    return true;",
        "        kept_mark(address, size, KEPT_FRESH);\n    return true;", "map"),
    Bug("a range whose pages moved away is kept", "src/memory/kept.c",
        "        kept_mark(from, size, KEPT_MOVED);", "        (void)from;", "map"),
    Bug("trim takes a page in which an item lives", "src/pool/levels.c",
        "word < hm_pool_word_count(range.end); word++)\n        if (pool->words[word].live",
        "word < range.end / HM_POOL_WORD; word++)\n        if (pool->words[word].live", "pool",
        is_canary=True),
    Bug("a hole is filled before all of its pages are back", "src/pool/storage.c",
        "size_t last = hm_pool_last_unit(pool, slot), stop;",
        "size_t last = hm_pool_first_unit(pool, slot), stop;", "pool"),
    Bug("a hole of the lowest word is filled without its memory", "src/pool/levels.c",
        "    if (!pool->has_cold || word == HM_INVALID_INDEX)", "    if (true)", "pool"),
    Bug("an erase finds the recent holes too many and forgets its own",
        "include/handle_map/detail/pool.h",
        "        if (!hm_pool_is_listed(pool, slot / HM_POOL_WORD))", "        if (false)", "pool"),
    Bug("a run of items goes past the end of its block", "src/pool/levels.c",
        "hm_pool_run_end(pool, first);", "pool->slot_count;", "pool"),
    Bug("offsets have 32 bits", "include/handle_map/detail/map.h",
        "items += item_size * index;",
        "items += (uint32_t)(item_size * index);", "map"),
    Bug("a stale handle finds the value of a later owner", "include/handle_map/detail/secondary.h",
        "position >= count || owners[position].bits != owner.bits)",
        "position >= count || hm_handle_index(owners[position]) != slot)", "secondary"),
    Bug("generations stay behind when owners are exchanged", "src/dense/secondary.c",
        "    owners[b].bits ^= difference;\n", "", "secondary"),
    Bug("the order does not hear of a value that is replaced", "src/dense/secondary.c",
        "    hm_secondary_disturb(secondary, index, secondary->count);\n    return secondary_write",
        "    return secondary_write", "secondary"),
    Bug("trim takes the segment of the last owner", "src/dense/secondary_segments.c",
        "    for (uint32_t i = 0; i < secondary->count; i++) {\n        uint32_t slot",
        "    for (uint32_t i = 0; i + 1 < secondary->count; i++) {\n        uint32_t slot",
        "secondary", is_canary=True),
    Bug("the member that fills a hole keeps its old position", "src/index/index_private.h",
        "        place->position = position;", "        (void)place;", "index", is_canary=True),
    Bug("heads of hashed keys are not joined when keys go", "src/index/keys.c",
        "        keys_join(index);\n", "", "index"),
    Bug("a key's members keep the handle of an earlier owner", "src/index/index.c",
        "        hm_index_items(index, bucket)[before_position] = owner;\n", "", "index"),
    Bug("a batch that is refused keeps its new owners", "src/index/many.c",
        "    while (hm_index_count(index) > count)\n", "    while (false)\n", "index"),
    Bug("a key that is emptied loses the capacity that a batch took", "src/index/keys.c",
        "    if (index->buckets[bucket].pending != 0) {", "    if (false) {", "index"),
    Bug("clear leaves its heads to keys by array", "src/index/keys.c",
        "        hm_index_heads(index)[view.key] = 0;", "        (void)view;", "index"),
    Bug("a trim takes the head of the last key", "src/index/keys.c",
        "            count = (size_t)view.key + 1;", "            count = (size_t)view.key;", "index"),
    Bug("a free block is taken for one of the next size", "src/lists/blocks.c",
        "return hm_bits_highest(size);", "return hm_bits_highest(2 * size - 1);", "lists"),
    Bug("a list that moves keeps its old block", "src/lists/records.c",
        "        hm_lists_give(blocks, record->unit);\n    }\n    *record = moved;",
        "    }\n    *record = moved;", "lists"),
    Bug("a list that fits exactly is pushed over the end of its block", "src/lists/records.c",
        "need <= hm_lists_end_of(blocks, record->unit) - record->unit)",
        "need <= hm_lists_end_of(blocks, record->unit) - record->unit +\n"
        "                                     (record->capacity == 0))", "lists"),
    Bug("an item is pushed over the end of a block", "src/lists/blocks.c",
        "size_t capacity = size / blocks->item_size;",
        "size_t capacity = (size + blocks->item_size - 1) / blocks->item_size;", "lists"),
    Bug("free blocks are joined once, and not when more are freed", "src/lists/blocks.c",
        "    blocks->is_joined = false;\n    hm_lists_make_gap(", "    hm_lists_make_gap(", "lists"),
    Bug("joining does not hear of a list that becomes empty", "src/lists/records.c",
        "    } else if (count == 0) {\n        blocks->is_joined = false;\n    }", "    }", "lists"),
    Bug("the record of a list does not hear that defragment moves it", "src/lists/gaps.c",
        "    record->unit = to;\n", "", "lists", is_canary=True),
    Bug("a lane keeps its cells when the last row leaves it", "src/dense/table_rows.c",
        "    if (last == hole && stays)\n        table_clear_row(table, last);\n", "", "table"),
    Bug("the last column does not move along in an exchange", "src/dense/table_rows.c",
        "uint32_t a, uint32_t b)\n"
        "{\n"
        "    const hm_table *table = owner;\n"
        "    for (uint32_t c = 0; c < table->column_count; c++) {",
        "uint32_t a, uint32_t b)\n"
        "{\n"
        "    const hm_table *table = owner;\n"
        "    for (uint32_t c = 0; c == 0 || c + 1 < table->column_count; c++) {", "table",
        is_canary=True),
    Bug("one row more than is committed may be inserted", "src/dense/table_layout.c",
        "(size - skew) / column->stride : 0;", "(size - skew) / column->stride + 1 : 0;", "table"),
    Bug("the gap behind the lanes of a column belongs to a row", "src/dense/table.c",
        "if (lane >> table->lane_shift != 0)", "if (false)", "table"),
    Bug("a file may name a slot that there is not", "src/state/save_ids.c",
        "if (slot >= load->slots || !ids_is_open(ids->entries[slot]))",
        "if (!ids_is_open(ids->entries[slot]))", "file", is_canary=True),
    Bug("a file may give a list more items than all have", "src/state/save_lists.c",
        "if (status == HM_OK && block.count > saved_lists_item_count(&in->section) - load->items)",
        "if (status == HM_OK && block.count == UINT32_MAX)", "file"),
    Bug("a file may say that all units of a range are blocks of one list", "src/state/save_blocks.c",
        "hm_lists_units_of(of->blocks, block->count) > UINT32_C(1) << log)", "false)", "file"),
    Bug("a file may lead to what is no free block", "src/lists/blocks.c",
        "if (!blocks_has_unit(units, n, next) || blocks_links(blocks, next).previous != 0 ||",
        "if (blocks_links(blocks, next).previous != 0 ||", "file"),
    Bug("free blocks of a file may be a circle", "src/lists/blocks.c",
        "    return reached == n;\n", "    return reached <= n;\n", "file"),
    Bug("after a load a range is full when its memory is", "src/state/save_blocks.c",
        "        of->blocks->space = of->numbers[HM_SAVE_SPACE];", "        (void)0;", "lists"),
    Bug("after a load gaps count as joined", "src/state/save_blocks.c",
        "    of->blocks->is_joined = of->numbers[HM_SAVE_IS_JOINED] != 0;\n", "", "lists"),
    Bug("a file has no cursor of a defragment", "src/state/save_blocks.c",
        "    numbers[HM_SAVE_CURSOR] = blocks->cursor;", "    numbers[HM_SAVE_CURSOR] = 1;", "lists"),
    Bug("a file has no recent holes of a pool", "src/state/save_pool.c",
        "    section->details[POOL_RECENT] = pool->recent_count;",
        "    section->details[POOL_RECENT] = 0;", "file"),
    Bug("after a load columns have the times of their archetype", "src/state/load_archetypes.c",
        "            time = &archetype->column_changed[cell->column];", "            (void)0;",
        "world"),
    Bug("a load loses the order of the free numbers of archetypes", "src/world/archetypes.c",
        "        world->archetypes[*last].next = index;\n    world->archetypes[index].next = "
        "HM_WORLD_NONE;", "        world->archetypes[index].next = world->dropped, "
        "world->dropped = index;\n    else\n        (void)0;\n    if (*last == HM_WORLD_NONE)\n"
        "        world->archetypes[index].next = HM_WORLD_NONE;", "world"),
    Bug("a load makes the small chunks that an empty archetype would get",
        "src/state/load_archetypes.c",
        "    while (load->is_kept && status == HM_OK && room < n &&",
        "    while (status == HM_OK && room < n && false &&", "world"),
    Bug("a load forgets what was reserved", "src/state/load_world.c",
        "ready != 0 ? hm_world_reserve", "ready == 1 ? hm_world_reserve", "world"),
    Bug("a file may name a member of an index twice", "src/state/save_index.c",
        "if (at >= in->section.count || places[at].bucket != HM_INDEX_NO_BUCKET)",
        "if (at >= in->section.count)", "file"),
    Bug("a file may give a sparse value to what is no entity", "src/state/load_world.c",
        "if (!hm_id_table_contains(&fresh->ids, sparse->owners[i]))", "if (false)", "file"),
    Bug("the entity that fills a hole keeps its old place", "src/world/chunks.c",
        "    *rows_entity(to, archetype) = moved;\n"
        "    *hm_world_place_of(world, moved) = place;\n",
        "    *rows_entity(to, archetype) = moved;\n", "world", is_canary=True),
    Bug("the entity that follows a moved one keeps its old place", "src/world/chunks.c",
        "    *hm_world_place_of(world, *entity) = left;\n", "", "world"),
    Bug("a moved row leaves out what follows a lost component", "src/world/chunks.c",
        "            HM_FOR_SIZE(size, memmove, old_value, last_value);\n            continue;",
        "            HM_FOR_SIZE(size, memmove, old_value, last_value);\n            break;", "world"),
    Bug("the order does not hear of a row that moves away", "src/world/chunks.c",
        "    if (index == world->order_archetype)\n"
        "        hm_world_disturb(world, left, source->count - 1);\n", "", "world"),
    Bug("one place is not updated when two rows are exchanged", "src/world/chunks.c",
        "    *hm_world_place_of(world, *at_b) = b;\n", "", "world"),
    Bug("edges to dropped archetypes stay", "src/world/archetypes.c",
        "        sets_drop_edges(world, &world->archetypes[i]);", "        (void)i;", "world"),
    Bug("the set that was created last is remembered when its archetype is dropped",
        "src/world/archetypes.c",
        "    world->memo_count = 0;\n", "", "world"),
    Bug("the second column of an archetype begins where the first does", "src/world/archetypes.c",
        "        offset += cell->size;", "        offset += c == 0 ? 0 : cell->size;", "world"),
    Bug("a promised handle is not what the next create returns", "src/world/entities.c",
        "    return hm_id_table_upcoming(&world->ids, promised + k);",
        "    return hm_id_table_upcoming(&world->ids, promised + (k ^ 1));", "world"),
    Bug("the last command of an entity counts before the others", "src/world/apply.c",
        "        for (uint32_t i = 0; i < command->remove_count; i++)\n"
        "            apply_put(call->set, command->numbers[command->add_count + i], false);",
        "        for (uint32_t i = 0; i < command->remove_count; i++)\n"
        "            apply_put(call->set, command->numbers[command->add_count + i],\n"
        "                      command->next != 0);", "world"),
    Bug("rows of a run that has moved fill its own holes", "src/world/chunks.c",
        "fills = fills && (last.chunk != end.chunk || last.row != end.row);",
        "fills = fills && (last.chunk != first.chunk || last.row != first.row);", "world"),
    Bug("commands for different components are run together", "src/world/apply.c",
        "    while (i < count && command->numbers[i] == first->numbers[i])",
        "    while (i < count)", "world"),
    Bug("a query does not hear of the newest archetype", "src/world/query_archetypes.c",
        "        uint64_t any_terms;\n        if (hm_query_matches(query, archetype, &any_terms) &&",
        "        uint64_t any_terms;\n        if (query->seen + 1 != world->archetype_array.count &&\n"
        "            hm_query_matches(query, archetype, &any_terms) &&", "world"),
    Bug("a group of `any` is met by the one before it", "src/world/world_private.h",
        "        begin = behind;\n", "", "world"),
    Bug("a world changes when one of two loops has ended", "src/world/query.c",
        "    if (hm_atomic_add(&query->running, UINT32_MAX) == 1)", "    query->running--;", "world"),
    Bug("a query takes the ninth archetype for the first", "src/world/query_run.c",
        "    if (known->archetype != index + 1) {", "    if (known->archetype == 0) {", "world"),
    Bug("a part of a query has a row of the next one too", "src/world/query_run.c",
        "            query_bound(&parts[i - 1].cursor, at - start);",
        "            query_bound(&parts[i - 1].cursor, at - start + 1);", "world"),
    Bug("all parts of a query begin with the first row of a chunk", "src/world/query_run.c",
        "    cursor->row = (at - *passed) &", "    cursor->row = (at - *passed) * 0 &", "world"),
    Bug("the hook of a sparse value runs twice when its entity is destroyed",
        "src/world/values.c",
        "        hm_world_destroy_value(world, number,\n",
        "        for (int twice = 0; twice < 2; twice++)\n"
        "            hm_world_destroy_value(world, number,\n", "world"),
    Bug("the order does not hear of a row that waits for its hooks", "src/world/chunks.c",
        "    if (index == world->order_archetype)\n"
        "        hm_world_disturb(world, place, archetype->count - 1);\n"
        "    if (last.chunk != place.chunk || last.row != place.row) {",
        "    if (last.chunk != place.chunk || last.row != place.row) {", "world"),
    Bug("the order does not hear that its archetype grows", "src/world/chunks.c",
        "        hm_world_order_of(world)->chunks[link->ordinal] = *chunk;\n",
        "        (void)index;\n", "world"),
    Bug("sets are told apart by their first 64 components", "src/world/apply.c",
        "apply_are_equal(call->set, call->known, call->words))",
        "apply_are_equal(call->set, call->known, 1))", "world"),
    Bug("the value of a component from 64 on is taken for that of another", "src/world/apply.c",
        "    if (apply_has(call->set, number)) {\n        value =",
        "    if (apply_has(call->set, number % 64)) {\n        value =", "world"),
    Bug("a transition between archetypes is remembered although it replaces a value", "src/world/change.c",
        "        if (hm_world_is_sparse(world, number) ||\n"
        "            hm_world_cell_of(&world->archetypes[transition->from], number)->is_present)\n",
        "        if (hm_world_is_sparse(world, number))\n", "world"),
    Bug("the clock does not hear of a sparse value that a change removes", "src/world/values.c",
        "    if (removed)\n        hm_world_record(world, number)->changed = ++world->clock;",
        "    (void)removed;", "world"),
    Bug("the clock does not hear of values that a query replaces", "src/world/query_change.c",
        "        hm_world_mark_column(world, index, archetype->cells[number].column);\n", "",
        "world"),
    Bug("the clock does not hear of sparse values that a trim moves", "src/world/upkeep.c",
        "            hm_world_record(world, i)->changed = ++world->clock;\n",
        "            (void)i;\n", "world"),
    Bug("a view that is touched tells the order of one value", "src/world/query.c",
        "    for (uint32_t i = 0; i < loop->count; i++)\n        hm_secondary_disturb(",
        "    for (uint32_t i = 0; i < 1; i++)\n        hm_secondary_disturb(", "world"),
    Bug("an arena keeps what a live container gives back", "src/memory/arena.c",
        "arena_page_of(arena, to - 1), from, to);\n    return true;",
        "arena_page_of(arena, to - 1), to, to);\n    return true;", "map"),
    Bug("a reserve ends before its last slot", "src/dense/secondary.c",
        "    uint32_t end = secondary->count + n; /*",
        "    uint32_t end = secondary->count + n - (n != 0); /*", "secondary"),
    Bug("a map that has moved keeps the address of its old items", "src/dense/map.c",
        "    map->items = hm_array_data(&map->item_array);\n    map->extras = (hm_map_extras *)",
        "    map->extras = (hm_map_extras *)", "map"),
    Bug("an item of the map itself is read where it was before the map moved", "src/dense/map.c",
        "    map_write(map, index, hm_array_translate(item, before, map->item_size * index, "
        "map->items));\n    return handle;", "    map_write(map, index, item);\n    return handle;",
        "map"),
    Bug("an adopt takes a generation that its slot has passed", "src/ids/adopt.c",
        "    if (hm_handle_generation(handle) < last)", "    if (false)", "map"),
    Bug("a slot that an adopt makes after a trim forgets its floor", "src/ids/adopt.c",
        "floor != 0 ? floor : 1", "floor > UINT32_MAX - 1 ? floor : 1", "map"),
    Bug("values that a merge has moved are destroyed with their copies", "src/state/merges.c",
        "    from->destroy = NULL;\n    hm_lists_fini(from);", "    hm_lists_fini(from);", "file"),
    Bug("a trim loses the entities that were promised", "src/world/upkeep.c",
        "    hm_world_create_promised(world);\n    world->ready_end = 0;", "    world->ready_end = 0;", "world"),
    Bug("a trim of a pool leaves the latest holes listed", "src/pool/slots.c",
        "    hm_pool_forget_recent(pool);\n    hm_status status", "    hm_status status", "pool"),
    Bug("a load forgets the floors of slots that were dropped", "src/state/save_ids.c",
        "    return status == HM_OK ? ids_load_floors(in, load) : status;", "    return status;",
        "file"),
    Bug("a failed load leaves the values that decode has made", "src/state/save_items.c",
        "    for (uint32_t i = made; i-- > 0 && destroys;)",
        "    for (uint32_t i = made; i-- > 0 && made == 0;)", "file"),
    Bug("an adopt leaves the word of the last hole listed", "src/pool/slots.c",
        "    if (hm_pool_holes(pool, word) == 0)\n", "    if (false)\n", "pool"),
    Bug("a trim to a smaller range has no space for the free slots", "src/ids/id_table.c",
        "        if (capacity < table->used)\n            capacity = table->used;\n",
        "        if (capacity < table->count)\n            capacity = table->count;\n", "map"),
    Bug("pages that the system refuses to remap are lost", "src/memory/array.c",
        "                      hm_memory_round_up(size, memory->page_size)))\n        return;",
        "                      hm_memory_round_up(size, memory->page_size)) + 1)\n        return;",
        "map"),
    Bug("a block that an allocator has not aligned is taken", "src/memory/memory.c",
        "    if ((uintptr_t)reserved % align != 0) {", "    if (false) {", "map"),
    Bug("a rewind misses a page that was written", "src/history/find.c",
        "written = (uint32_t)first; written < end; written++)",
        "written = (uint32_t)first + (end - first > 3); written < end; written++)", "history"),
    Bug("a history forgets that a page was given back", "src/history/space.c",
        "    hm_history_set_committed(history, page, false);\n    hm_history_touch(history, page);",
        "    hm_history_set_committed(history, page, false);", "history"),
    Bug("a rewind leaves what is watched as it is", "src/history/history.c",
        "            hm_history_put(history, unit->address, unit->size, unit->kept.copy);",
        "            (void)unit;", "history", is_canary=True),
    Bug("a rewind takes the last state of a page instead of the first", "src/history/history.c",
        "is_back ? to - 1 - k : from + k", "from + k", "history"),
    Bug("a range that comes back is given to another container", "src/history/history.c",
        "    history->first_free = 0;\n", "", "history"),
    Bug("memory that is committed again is not zero", "src/history/space.c",
        "if ((unit->bits & HM_HISTORY_ZERO) == 0)", "if (false)", "history"),
    Bug("the memory of an earlier mark has what came after it", "src/history/view.c",
        "is_back ? changes[i].before.copy", "is_back ? changes[i].after.copy", "history"),
    Bug("what changed misses an item whose slot looks as before", "src/state/changes_packed.c",
        "    packed_mark_positions(search, &search->to, to, from->count);\n", "", "history"),
    Bug("what changed misses a value on the second of two pages", "src/state/changes_slots.c",
        "    while (page < history->page_end && from[page] == to[page])\n        page++;\n",
        "    if (from[page] == to[page])\n        return end;\n", "history"),
    Bug("what changed misses the owner that took another's place", "src/state/changes_packed.c",
        "        packed_mark_owner(search, &search->to, to->owners, first, end);\n", "", "history"),
    Bug("what changed misses a bucket that has another key", "src/state/changes_spread.c",
        "    spread_mark_members(search);\n", "", "history"),
    Bug("what changed misses an entity that went to another archetype", "src/state/changes_components.c",
        "    hm_changes_mark_slots(search, from->places, to->places, sizeof(hm_world_place),\n"
        "                          from->ids.slot_count, to->ids.slot_count);\n", "", "history"),
    Bug("what changed misses items whose slots were dropped", "src/state/changes_slots.c",
        "slot < from_slots || slot < to_slots;", "slot < both;", "history"),
    Bug("a world's sparse values are destroyed where its memory is given back", "src/world/world.c",
        "        hm_world_secondary(world, i)->destroy = NULL;\n",
        "", "file"),
    Bug("a merge destroys values that decode has not made", "src/state/load_world.c",
        "        if (!keeps[i])\n",
        "        if (keeps[i] && false)\n", "file"),
    Bug("a merge that fails destroys raw items", "src/state/merges.c",
        ".destroy = decodes ? extras->destroy : NULL,",
        ".destroy = extras->destroy,", "file"),
    Bug("a merge that is undone destroys what the section destroys again", "src/state/merges.c",
        "        hm_world_record(into, i)->destroy = NULL;\n",
        "", "file"),
    Bug("values that a load makes zero are destroyed where it fails", "src/state/load_archetypes.c",
        "return part->number != HM_WORLD_NONE && !part->is_zero && part->format != NULL &&",
        "return part->number != HM_WORLD_NONE && part->format != NULL &&", "file"),
    Bug("sparse values that a load makes zero are destroyed if it fails", "src/state/load_world.c",
        "    if (status != HM_OK && !part->is_zero)\n"
        "        hm_load_destroy_values",
        "    if (status != HM_OK)\n"
        "        hm_load_destroy_values", "file"),
    Bug("a load loses one of the items that it destroys", "src/state/save_items.c",
        "for (uint32_t i = made; i-- > 0 && destroys;)",
        "for (uint32_t i = made; i-- > 1 && destroys;)", "file"),
    Bug("a component that is dropped is taken for one that the file lacks", "src/state/load_world.c",
        "is_saved = is_saved || hm_load_component_at(load, k)->match == i;",
        "is_saved = is_saved || hm_load_component_at(load, k)->number == i;", "file"),
    Bug("a load reads sections though its name is too long", "src/state/save_section.c",
        "    hm_status status = hm_save_check_names(desc, name);\n"
        "    if (status != HM_OK)\n"
        "        return status;\n"
        "    if (desc != NULL && desc->name != NULL)\n"
        "        name = desc->name;\n"
        "    status =",
        "    hm_status status;\n"
        "    if (desc != NULL && desc->name != NULL)\n"
        "        name = desc->name;\n"
        "    status =", "file"),
    Bug("a merge of nothing into a busy container is no failure", "src/state/merges.c",
        "    return merge->kind->admit(merge->into);",
        "    return HM_OK;", "file"),
    Bug("a merge steps while its remap is busy", "src/state/merges.c",
        "    if (remap != NULL && hm_guard_refuses(&remap->guard, \"secondary\", remap->name))",
        "    if (false)", "file"),
    Bug("changes are made before all of a section are checked", "src/state/load_changes.c",
        "        status = load->calls->check(load->container, &next.change);\n",
        "", "file"),
    Bug("a section has more changes than its header says", "src/state/load_changes.c",
        " || count != load->in.section.count",
        "", "file"),
    Bug("the value of the last change is cut", "src/state/load_changes.c",
        "> left - HM_DELTA_HEAD ||",
        "> left ||", "file"),
    Bug("changes are taken from another epoch", "src/state/load_changes.c",
        "!is_new && position->epoch != from.epoch",
        "false", "file"),
    Bug("a part of the changes is taken twice", "src/state/load_changes.c",
        " && position->done == from.done",
        "", "file"),
    Bug("a refused change leaves the copy at the mark before", "src/state/load_changes.c",
        " || load.done > 0",
        "", "file"),
    Bug("an edit leaves the items that decode replaces", "src/state/load_changes.c",
        "next.change.kind == HM_CHANGE_EDITED",
        "false", "file"),
    Bug("what decode made is lost when a later change is refused", "src/state/load_changes.c",
        "        incoming_destroy(load, &next, items, made < next.count ? made : next.count);\n",
        "        (void)made;\n", "file"),
    Bug("a section has one change more than fits", "src/state/save_changes.c",
        "search->payload + HM_DELTA_HEAD + size > most",
        "search->payload > most", "history"),
    Bug("the values of a stale handle are those of its slot", "src/state/changes.c",
        " && item.handle.bits == handles[i].bits",
        "", "history"),
    Bug("a tag from elsewhere has no hash", "src/state/changes.c",
        "if (change->kind != HM_CHANGE_ERASED)",
        "if (change->after != NULL)", "history"),
    Bug("bytes that do not fit are read", "src/state/save_bytes.c",
        "in.section.count > room",
        "false", "file"),
    Bug("changes of a busy container are read", "src/state/load_changes.c",
        "        if (refuses) ",
        "        if (false && (refuses)) ", "file"),
    Bug("a change is made twice", "src/state/changes_replay.c",
        "    return is_there ? replay_refuse(change, \"has such a value already\") : HM_OK;",
        "    return HM_OK;", "file"),
    Bug("a change is made though an earlier one was lost", "src/state/changes_replay.c",
        "        return is_there ? HM_OK : replay_refuse(change, \"has no such value\");",
        "        return HM_OK;", "file"),
    Bug("a part of no world is taken for a component", "src/state/changes_replay.c",
        "bool is_given = part == number || hm_world_has_given(part - number);",
        "bool is_given = true;", "file"),
    Bug("the order does not hear of a change that edits a map", "src/state/changes_replay.c",
        "    hm_map_touch(map, change->handle);\n",
        "", "history"),
    Bug("the order does not hear of a change that edits a table", "src/state/changes_replay.c",
        "    hm_table_touch(table, change->handle);\n",
        "", "history"),
    Bug("what changed has no room for meta larger than an item", "src/state/changes_packed.c",
        "        hm_changes_expect(search, 0, 2, meta.item_size);",
        "        hm_changes_expect(search, 0, 2, 0);", "history"),
    Bug("what changed has no room for sparse values larger than a row", "src/state/changes_components.c",
        "components_sparse(side, number).value_size);",
        "0);", "history"),
    Bug("a section of whole blocks is skipped by a checksum too many", "src/state/save_stream.c",
        "uint64_t blocks = (in->left + HM_SAVE_BLOCK - 1) / HM_SAVE_BLOCK;",
        "uint64_t blocks = in->left / HM_SAVE_BLOCK + (in->left != 0);", "file"),
    Bug("a section whose size wraps is skipped", "src/state/save_section.c",
        " || in->section.payload_size > UINT64_MAX / 4",
        "", "file"),
    Bug("a refusal names a byte as if blocks had no checksums", "src/state/save_stream.c",
        " + position / HM_SAVE_BLOCK * STREAM_SUM",
        "", "file"),
    Bug("a refusal names the byte behind what it refuses", "src/state/save_items.c",
        "size * (n - i), \"decode refused the item\"",
        "0, \"decode refused the item\"", "file"),
    Bug("a load tells of a trim that is refused instead of the damage", "src/state/save_ids.c",
        "        hm_restore_last_error();\n    return status;",
        "        (void)0;\n    return status;", "file"),

    Bug("commands that are run together forget the hooks of what they remove",
        "src/world/apply.c",
        "record->sparse != HM_WORLD_NONE || (!is_added && record->destroy != NULL))",
        "record->sparse != HM_WORLD_NONE)", "world"),
    Bug("commands are run together over an entity that was destroyed",
        "src/world/apply.c",
        "if (!apply_is_same(command, first) || !hm_world_contains(world, command->entity))",
        "if (!apply_is_same(command, first))", "world"),
    Bug("commands are run together with one that was run before", "src/world/apply.c",
        "if (command->next != 0 || (command->flags & (HM_COMMAND_DONE | HM_COMMAND_LINKED)) "
        "!= 0 ||",
        "if (command->next != 0 || (command->flags & HM_COMMAND_LINKED) != 0 ||", "world"),
    Bug("commands are run together with one of an entity that has more",
        "src/world/apply.c",
        "if (command->next != 0 || (command->flags & (HM_COMMAND_DONE",
        "if ((command->flags & (HM_COMMAND_DONE", "world"),
    Bug("commands that remove are run together with those that add",
        "src/world/apply.c",
        "        command->add_count != first->add_count || command->remove_count != "
        "first->remove_count)",
        "        command->add_count + command->remove_count != first->add_count + "
        "first->remove_count)", "world"),
    Bug("commands are run together over the rows of two chunks", "src/world/apply.c",
        "if (at.chunk != place.chunk || at.row != place.row)",
        "if (at.row != place.row)", "world"),
    Bug("commands for sparse values are run together", "src/world/apply.c",
        "record->sparse != HM_WORLD_NONE || (!is_added && record->destroy != NULL))",
        "(!is_added && record->destroy != NULL))", "world"),
    Bug("entities whose values do not fit get the components of the one before",
        "src/world/apply.c",
        "    hm_status status = hm_world_archetype_of(call->world, &set, &call->to);\n",
        "    hm_status status = hm_world_archetype_of(call->world, &set, &call->to);\n"
        "    memcpy(call->known, call->set, size);\n", "world"),
    Bug("an adopt takes the last place, which is promised", "src/ids/adopt.c",
        "uint64_t count = (uint64_t)table->count + promised;",
        "uint64_t count = table->count;", "world"),
    Bug("an adopt takes a new slot that is promised", "src/ids/adopt.c",
        "    return position - table->count < n;",
        "    return slot < table->slot_count && position - table->count < n;", "world"),
    Bug("an adopt that is refused brings promised entities to life",
        "src/world/entities.c",
        "        status = entities_prepare_rows(world, HM_WORLD_ROOT, 1);\n"
        "    if (status == HM_OK)\n"
        "        status = hm_world_prepare_adopt(world, entity);",
        "        hm_world_create_promised(world);\n"
        "    if (status == HM_OK)\n"
        "        status = entities_prepare_rows(world, HM_WORLD_ROOT, 1);\n"
        "    if (status == HM_OK)\n"
        "        status = hm_world_prepare_adopt(world, entity);",
        "world"),
    Bug("an adopt takes an earlier life of a slot that a trim has dropped",
        "src/ids/adopt.c",
        "is_made ? hm_handle_generation(table->entries[slot]) : hm_id_table_floor_of(table, "
        "slot);",
        "is_made ? hm_handle_generation(table->entries[slot]) : 0;", "map"),
    Bug("an adopt reads an item of the map itself where it was before the map moved",
        "src/dense/map.c",
        "    hm_id_table_take(&map->ids, handle);\n"
        "    map_write(map, index, hm_array_translate(item, before, map->item_size * index, "
        "map->items));",
        "    hm_id_table_take(&map->ids, handle);\n"
        "    map_write(map, index, item);", "map"),
    Bug("an adopt reads cells of the table itself where they were before it moved",
        "src/dense/table.c",
        "    table_move move = {table, moved};\n"
        "    if (status == HM_OK)\n"
        "        status = hm_id_table_prepare_adopt",
        "    table_move move = {table, NULL};\n"
        "    if (status == HM_OK)\n"
        "        status = hm_id_table_prepare_adopt", "table"),
    Bug("an item that a pool adopts without a value has the one before",
        "src/pool/slots.c",
        "    else\n"
        "        memset(place, 0, pool->item_size);\n"
        "    return HM_OK;",
        "    return HM_OK;", "pool"),
    Bug("an adopt leaves its hole among the recent ones", "src/pool/slots.c",
        "        hm_pool_forget_recent(pool);\n        pool_take_hole", "        pool_take_hole", "pool"),
    Bug("a spent budget with another column forgets the order", "src/dense/dense.c",
        "        if (hm_budget_is_spent(budget))\n"
        "            return (hm_progress){.done = dense->sequence.count == 0};\n",
        "", "table"),
    Bug("a spent budget with another column does not know that there are no rows",
        "src/dense/dense.c",
        "            return (hm_progress){.done = dense->sequence.count == 0};",
        "            return (hm_progress){0};", "table"),
    Bug("the first rows of many parts are computed in 32 bits", "src/world/query_run.c",
        "(uint32_t)((uint64_t)total * i / n)",
        "(uint32_t)(total * i / n)", "world"),
    Bug("parts of a query know of archetypes what they knew for another one",
        "src/world/query_run.c",
        "            memset(part->known, 0, sizeof part->known);\n",
        "", "world"),
    Bug("a container is not known to the history that it is in", "src/dense/map.c",
        "        status = hm_known_join(&hm_known_map, map);\n", "        status = HM_OK;\n",
        "history"),
    Bug("a history writes to containers that were finished", "src/dense/secondary.c",
        "    hm_known_leave(&hm_known_secondary, secondary);\n", "", "history"),
    Bug("a history writes to containers that a rewind has emptied", "src/history/history.c",
        "        hm_history_forget_younger(history, mark);\n", "", "history"),
    Bug("a mark is taken of a container that has moved", "src/history/watch.c",
        "        if (!record->is_kept && !watch_is_alive(record))\n",
        "        if (false && !record->is_kept && !watch_is_alive(record))\n", "history"),
    Bug("a container that moves leaves its past behind", "src/history/watch.c",
        "    if (watch_owns_fragments(history, i) &&", "    if (false && watch_owns_fragments(history, i) &&",
        "history"),
    Bug("watched bytes drop the container in them when it is finished", "src/history/watch.c",
        "    if (i < watch_record_count(history) && !watch_record(history, i)->is_kept)\n",
        "    if (i < watch_record_count(history))\n", "history"),
    Bug("a query takes an archetype for one that a rewind took away",
        "src/world/query_archetypes.c",
        "world->archetypes[query->seen - 1].stamp == query->last_stamp", "true", "history"),
    Bug("a query takes a component for one that a rewind took away",
        "src/world/query_archetypes.c",
        "            hm_world_record(world, query->newest - 1)->stamp == query->newest_stamp);",
        "            true);", "history"),
    Bug("a query keeps its list in memory that is rewound", "src/world/query_archetypes.c",
        "    if (query->world->memory->registry != NULL)\n        return false;\n", "", "history"),
    Bug("a list of a query that is not whole passes for one that was", "src/world/query_archetypes.c",
        "    query->version = 0; /* A rewind may bring back the one of a list that was whole. */\n",
        "", "history"),
    Bug("commands that a rewind has emptied record nothing any more", "src/world/commands.c",
        "    return commands_reserve(commands, commands->world);\n",
        "    return hm_fail_uninitialised(\"buffer of commands\");\n", "history"),
    Bug("a history takes a copy back twice when bytes are forgotten after a rewind",
        "src/history/watch.c",
        "history->page_count + fragment,\n"
        "                            i < history->current);",
        "history->page_count + fragment,\n"
        "                            true);", "history"),
    Bug("a mark that is refused leaves changes listed", "src/history/find.c",
        "    if (!is_done)\n"
        "        hm_history_forget(history);\n",
        "", "history"),
    Bug("a mark without memory for its copies leaves changes listed",
        "src/history/history.c",
        "    hm_history_forget(history);\n"
        "    return is_ready ?",
        "    if (is_ready)\n"
        "        hm_history_forget(history);\n"
        "    return is_ready ?", "history"),
    Bug("bytes that are watched again have states ahead of earlier ones",
        "src/history/watch.c",
        "    for (uint32_t i = 0; i < history->mark_count; i++)\n"
        "        watch_erase_changes",
        "    for (uint32_t i = 0; i < history->current; i++)\n"
        "        watch_erase_changes", "history"),
    Bug("bytes that are watched again have states of earlier ones",
        "src/history/watch.c",
        "    for (uint32_t i = 0; i < history->mark_count; i++)\n"
        "        watch_erase_changes",
        "    for (uint32_t i = history->current; i < history->mark_count; i++)\n"
        "        watch_erase_changes", "history"),
    Bug("pages that a parent gives back one by one do not come back",
        "src/history/space.c",
        "                hm_history_drop(history, i);\n"
        "                hm_history_touch(history, i);",
        "                hm_history_drop(history, i);", "history"),
    Bug("a trim that is refused forgets that pages have memory", "src/memory/arena.c",
        "        if (status != HM_OK) {\n"
        "            hm_memory_poison(address, size);\n"
        "            return status;\n"
        "        }\n"
        "        memset(arena->pages + page, 0, stop - page);\n",
        "        memset(arena->pages + page, 0, stop - page);\n"
        "        if (status != HM_OK) {\n"
        "            hm_memory_poison(address, size);\n"
        "            return status;\n"
        "        }\n", "map"),
    Bug("a trim that is refused counts what it has not given back",
        "src/memory/arena.c",
        "            hm_memory_poison(address, size);\n"
        "            return status;",
        "            hm_memory_poison(address, size);\n"
        "            arena->committed_size -= size;\n"
        "            return status;", "map"),
    Bug("an arena writes a header in a page without memory", "src/memory/arena.c",
        "    if (!arena_hold(arena, range - ARENA_UNIT, ARENA_UNIT) ||\n"
        "        (left != 0",
        "    if ((left != 0", "map"),
]


def canary_of(target):
    return next(bug for bug in BUGS if bug.target == target and bug.is_canary)


def text_of(root, bug):
    with open(os.path.join(root, bug.file), encoding="utf-8") as file:
        return file.read()


def problems(root):
    """Yields messages about the entries that do not fit the sources under `root`."""
    for bug in BUGS:
        count = text_of(root, bug).count(bug.old)
        if count != 1:
            yield f"'{bug.what}': what it changes is in {bug.file} {count} times instead of once"
    for target in TARGETS:
        count = sum(bug.is_canary for bug in BUGS if bug.target == target)
        if count != 1:
            yield f"the fuzz target '{target}' has {count} canaries instead of one"
    for bug in BUGS:
        if bug.target not in TARGETS:
            yield f"'{bug.what}': there is no fuzz target '{bug.target}'"


def copy(root, place):
    for part in ("src", "include"):
        shutil.copytree(os.path.join(root, part), os.path.join(place, part))


def plant(root, place, bug):
    """Copies the library from `root` to `place`, with the bug in it."""
    text = text_of(root, bug)
    if text.count(bug.old) != 1:
        raise RuntimeError(f"'{bug.what}' no longer fits {bug.file}")
    copy(root, place)
    with open(os.path.join(place, bug.file), "w", encoding="utf-8") as file:
        file.write(text.replace(bug.old, bug.new))
