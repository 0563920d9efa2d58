/* SPDX-License-Identifier: MIT */
/* world: makes the changes that were recorded.
 *
 * First the commands of each entity are linked, by a column that leads from the entity's position
 * to its last command so far. Then they are run, entity by entity, each in three steps. They are
 * *folded* into the set of components that the entity will have. All memory for that is prepared,
 * so that nothing can fail from there on, and the entity moves. Then they are *replayed*: their
 * values are written, and the hooks run of those that they replace or remove. The value of a
 * component that the entity will not have is never written: its hook sees it in the buffer, or, if
 * the entity had it before, in the row that was left. */
#include "world_private.h"

enum { APPLY_WORDS = (HM_WORLD_MAX_COMPONENTS + 63) / 64 }; /* a bit for each component */

/* What happens to one entity. Each component that is not sparse has a bit. */
typedef struct apply_call {
    hm_commands *commands;
    hm_world *world;
    hm_handle entity;
    uint32_t from, to;           /* archetypes */
    hm_world_place place;        /* the row in `to` */
    hm_world_place left;         /* the row in `from`, if it was left and there may be hooks */
    uint32_t words;              /* of bits that are in use */
    uint64_t set[APPLY_WORDS];   /* what the entity has in the end */
    uint64_t now[APPLY_WORDS];   /* what it has after the commands that were replayed */
    uint64_t added[APPLY_WORDS]; /* those of `now` that a replayed command has added */
    uint64_t known[APPLY_WORDS]; /* the set of the archetype known_to */
    uint32_t known_to;           /* HM_WORLD_NONE: none yet */
    bool is_short;               /* of memory: nothing is run together any more */
    void *values[HM_WORLD_MAX_COMPONENTS]; /* added, but not in `set`: the value; NULL: zero */
} apply_call;

static bool apply_has(const uint64_t *bits, uint32_t number)
{
    return (bits[number / 64] >> number % 64 & 1) != 0;
}

static void apply_put(uint64_t *bits, uint32_t number, bool is_in)
{
    uint64_t bit = UINT64_C(1) << number % 64;
    bits[number / 64] = is_in ? bits[number / 64] | bit : bits[number / 64] & ~bit;
}

/* Whether a command adds or removes components; if not, or if it is NULL, they are done. */
static bool apply_is_change(const hm_command *command)
{
    return command != NULL && (command->flags & HM_COMMAND_DESTROY) == 0;
}

/* Returns the entity's next command, or NULL. */
static hm_command *apply_next(const hm_commands *commands, const hm_command *command)
{
    return command->next != 0 ? hm_commands_at(commands, command->next) : NULL;
}

/* link */

/* Before the links is their array. */
enum { APPLY_LINKS_BEGIN = (sizeof(hm_array) + sizeof(uint64_t) - 1) / sizeof(uint64_t) };

/* Commits a link for each entity that will be alive. */
static hm_status apply_commit_links(hm_world *world)
{
    size_t count = (size_t)world->ids.count + world->promised;
    if (count == 0)
        return HM_OK;
    return hm_world_blame(
        world, hm_world_open(world, &world->links, sizeof(uint64_t), APPLY_LINKS_BEGIN + count, 0));
}

/* Links the commands of each entity in their order. A link is link_end plus the unit of the last
 * command so far; one that is not above link_end is from another time. So links are never cleared,
 * and there are numbers for 2^64 units. */
static void apply_link(const hm_commands *commands)
{
    hm_world *world = commands->world;
    uint64_t *links = (uint64_t *)(void *)world->links;
    size_t end = commands->units.count, size;
    for (size_t unit = HM_COMMANDS_BEGIN; unit < end; unit += size) {
        hm_command *command = hm_commands_at(commands, unit);
        size = command->size;
        command->next = 0;
        command->flags &= (uint16_t)~HM_COMMAND_LINKED;
        if ((command->flags & HM_COMMAND_DONE) != 0)
            continue;
        uint32_t position = hm_id_table_find(&world->ids, command->entity);
        if (position == HM_INVALID_INDEX)
            continue;
        uint64_t *link = &links[APPLY_LINKS_BEGIN + position];
        if (*link > world->link_end) {
            size_t last = (size_t)(*link - world->link_end);
            hm_commands_at(commands, last)->next = (uint32_t)unit;
            command->flags |= HM_COMMAND_LINKED;
        }
        *link = world->link_end + unit;
    }
    world->link_end += end;
}

/* fold */

/* Computes what the entity will have, from what it has now. */
static void apply_fold(apply_call *call, const hm_command *first)
{
    hm_world *world = call->world;
    const hm_world_archetype *archetype = &world->archetypes[call->from];
    size_t size = call->words * sizeof *call->now;
    memset(call->now, 0, size);
    memset(call->added, 0, size);
    for (uint32_t i = 0; i < archetype->set_count; i++)
        apply_put(call->now, archetype->set[i], true);
    memcpy(call->set, call->now, size);
    for (const hm_command *command = first; apply_is_change(command);
         command = apply_next(call->commands, command)) {
        for (uint32_t i = 0; i < command->add_count; i++)
            if (!hm_world_is_sparse(world, command->numbers[i]))
                apply_put(call->set, command->numbers[i], true);
        for (uint32_t i = 0; i < command->remove_count; i++)
            apply_put(call->set, command->numbers[command->add_count + i], false);
    }
}

/* The same as memcmp, which a freestanding build does not have. */
static bool apply_are_equal(const uint64_t *a, const uint64_t *b, uint32_t words)
{
    uint32_t i = 0;
    while (i < words && a[i] == b[i])
        i++;
    return i == words;
}

/* Finds the archetype of the set. Often it is the one that was found for another entity just
 * before. */
static hm_status apply_find_archetype(apply_call *call)
{
    size_t size = call->words * sizeof *call->set;
    call->to = call->known_to;
    if (call->to != HM_WORLD_NONE && apply_are_equal(call->set, call->known, call->words))
        return HM_OK;
    hm_world_set set;
    set.count = 0;
    for (uint32_t word = 0; word < call->words; word++)
        for (uint64_t bits = call->set[word]; bits != 0; bits &= bits - 1)
            set.numbers[set.count++] = (uint16_t)(word * 64 + hm_bits_lowest(bits));
    hm_status status = hm_world_archetype_of(call->world, &set, &call->to);
    if (status != HM_OK)
        return status;
    memcpy(call->known, call->set, size);
    call->known_to = call->to;
    return HM_OK;
}

/* Prepares all memory that the entity's commands need. */
static hm_status apply_prepare(apply_call *call, const hm_command *first)
{
    hm_world *world = call->world;
    hm_status status = HM_OK;
    call->to = call->from;
    if (!apply_are_equal(call->now, call->set, call->words)) {
        status = apply_find_archetype(call);
        if (status == HM_OK)
            status = hm_world_prepare_rows(world, call->to, 1);
    }
    for (const hm_command *command = first; apply_is_change(command);
         command = apply_next(call->commands, command))
        for (uint32_t i = 0; i < command->add_count && status == HM_OK; i++)
            if (hm_world_is_sparse(world, command->numbers[i]))
                status = hm_world_prepare_sparse_n(world, command->numbers[i], &call->entity, 1);
    return status;
}

/* Moves the entity to its archetype. Values that hooks will see stay in the row that it leaves. */
static void apply_move(apply_call *call)
{
    hm_world *world = call->world;
    hm_world_place *place = hm_world_place_of(world, call->entity), from = *place;
    if (call->to != call->from) {
        *place = hm_world_copy_row(world, from, call->to);
        if (world->archetypes[call->from].hook_count == 0)
            hm_world_remove_row(world, from);
        else
            call->left = hm_world_retire_row(world, from);
    }
    call->place = *place;
}

/* replay */

/* Runs the hook of the value that the entity has by now. */
static void apply_destroy(apply_call *call, uint32_t number)
{
    hm_world *world = call->world;
    const hm_world_component_record *record = hm_world_record(world, number);
    void *value;
    if (record->destroy == NULL)
        return;
    if (apply_has(call->set, number)) {
        value = hm_world_value_at(world, call->place, number);
    } else if (!apply_has(call->added, number)) {
        value = hm_world_value_at(world, call->left, number);
    } else if (call->values[number] != NULL) {
        value = call->values[number];
    } else {
        value = call->commands->units.data;
        hm_world_fill(world, number, value, 1);
    }
    hm_world_destroy_value(world, number, value);
}

static void apply_add(apply_call *call, uint32_t number, void *value)
{
    hm_world *world = call->world;
    if (hm_world_is_sparse(world, number)) {
        hm_world_set_sparse(world, number, call->entity, value);
        return;
    }
    if (hm_world_record(world, number)->size == 0)
        return;
    if (apply_has(call->now, number))
        apply_destroy(call, number);
    apply_put(call->now, number, true);
    apply_put(call->added, number, true);
    if (apply_has(call->set, number))
        hm_world_write(world, call->place, number, value);
    else
        call->values[number] = value;
}

static void apply_remove(apply_call *call, uint32_t number)
{
    hm_world *world = call->world;
    if (hm_world_is_sparse(world, number)) {
        hm_world_unset_sparse(world, number, call->entity);
        return;
    }
    if (hm_world_record(world, number)->size == 0 || !apply_has(call->now, number))
        return;
    apply_destroy(call, number);
    apply_put(call->now, number, false);
    if (apply_has(call->set, number)) /* A later command adds it again. */
        hm_world_write(world, call->place, number, NULL);
}

static void apply_replay(apply_call *call, hm_command *command)
{
    void *value = NULL;
    if ((command->flags & HM_COMMAND_VALUE) != 0)
        value = hm_command_value(call->world, command);
    for (uint32_t i = 0; i < command->add_count; i++)
        apply_add(call, command->numbers[i], value);
    for (uint32_t i = 0; i < command->remove_count; i++)
        apply_remove(call, command->numbers[command->add_count + i]);
    hm_command_finish(call->commands, command);
}

/* run */

/* Whether a change is all there is for its entity, and is of one component. */
static bool apply_is_single(const hm_command *command)
{
    return command->next == 0 && command->add_count + command->remove_count == 1;
}

/* Runs a single change, as a call of the world: there is nothing to join. */
static hm_status apply_single(const hm_commands *commands, hm_command *command)
{
    hm_world *world = commands->world;
    hm_world_place *at = hm_world_place_of(world, command->entity);
    uint32_t number = command->numbers[0];
    void *value = NULL;
    if (command->remove_count != 0)
        return hm_world_remove_at(world, at, command->entity, number);
    if ((command->flags & HM_COMMAND_VALUE) != 0)
        value = hm_command_value(world, command);
    return hm_world_add_at(world, at, command->entity, number, value);
}

/* Whether a command changes the archetype of an entity of archetype `from` by what it says, and
 * nothing else: no value is replaced, or destroyed by a hook. */
static bool apply_is_plain(const hm_world *world, uint32_t from, const hm_command *command)
{
    uint32_t count = (uint32_t)command->add_count + command->remove_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = command->numbers[i];
        const hm_world_component_record *record = hm_world_record(world, number);
        bool is_added = i < command->add_count;
        if (hm_world_cell_of(&world->archetypes[from], number)->is_present == is_added ||
            record->sparse != HM_WORLD_NONE || (!is_added && record->destroy != NULL))
            return false;
    }
    return count > 0;
}

/* Whether a command has not been run and is all there is for its entity, and does the same as this
 * one. */
static bool apply_is_same(const hm_command *command, const hm_command *first)
{
    uint32_t i = 0, count = (uint32_t)first->add_count + first->remove_count;
    if (command->next != 0 || (command->flags & (HM_COMMAND_DONE | HM_COMMAND_LINKED)) != 0 ||
        command->add_count != first->add_count || command->remove_count != first->remove_count)
        return false;
    while (i < count && command->numbers[i] == first->numbers[i])
        i++;
    return i == count;
}

/* Counts the commands from this one on that do the same, and whose entities have rows that follow
 * each other. Moves *unit, where the first begins, behind the last. */
static uint32_t apply_count_run(const apply_call *call, const hm_command *first, size_t *unit)
{
    const hm_commands *commands = call->commands;
    hm_world *world = call->world;
    hm_world_place place = *hm_world_place_of(world, first->entity);
    const hm_world_archetype *archetype = &world->archetypes[hm_world_place_archetype(place)];
    uint32_t n = 0, last = archetype->last, last_row = place.row - hm_world_place_row(place);
    last_row += archetype->last_rows - 1;
    while (*unit < commands->units.count) {
        const hm_command *command = hm_commands_at(commands, *unit);
        if (!apply_is_same(command, first) || !hm_world_contains(world, command->entity))
            break;
        hm_world_place at = *hm_world_place_of(world, command->entity);
        if (at.chunk != place.chunk || at.row != place.row)
            break;
        n++;
        *unit += command->size;
        if (place.chunk == last && place.row == last_row)
            break;
        place = hm_world_place_after(world, archetype, place);
    }
    return n;
}

/* Finds the archetype to which a run of n commands that do the same as `first` leads, and makes its
 * rows fit. False: it is the same, or something was refused. */
static bool apply_prepare_run(apply_call *call, const hm_command *first, uint32_t n, uint32_t *to)
{
    hm_world *world = call->world;
    hm_world_delta delta;
    uint32_t from = hm_world_place_archetype(*hm_world_place_of(world, first->entity));
    delta.add.count = first->add_count;
    delta.remove.count = first->remove_count;
    memcpy(delta.add.numbers, first->numbers, first->add_count * sizeof(uint16_t));
    memcpy(delta.remove.numbers, first->numbers + first->add_count,
           first->remove_count * sizeof(uint16_t));
    hm_status status = hm_world_archetype_after(world, from, &delta, to);
    if (status == HM_OK)
        status = hm_world_prepare_rows(world, *to, n);
    if (status != HM_OK)
        hm_restore_last_error();
    return status == HM_OK;
}

/* Runs the first change of an entity, and those that follow it and do the same, in one move of
 * their rows, if that is worth it. Returns false if none was run: without memory for all, as many
 * as possible are run one by one. Else *unit is moved behind the last. */
static bool apply_together(apply_call *call, hm_command *first, size_t *unit)
{
    enum { LEAST = 4 }; /* Fewer are not faster than one by one. */
    hm_world *world = call->world;
    size_t begin = *unit, end = begin;
    if (!apply_is_change(first) || first->next != 0 || !hm_world_contains(world, first->entity))
        return false;
    hm_world_place place = *hm_world_place_of(world, first->entity);
    uint32_t to;
    if (!apply_is_plain(world, hm_world_place_archetype(place), first))
        return false;
    uint32_t n = apply_count_run(call, first, &end);
    if (n < LEAST || call->is_short || !apply_prepare_run(call, first, n, &to)) {
        call->is_short = call->is_short || n >= LEAST;
        return false;
    }
    hm_world_move_rows(world, place, n, to);
    for (size_t at = begin; at < end;) {
        hm_command *command = hm_commands_at(call->commands, at);
        at += command->size;
        if ((command->flags & HM_COMMAND_VALUE) != 0)
            hm_world_write(world, *hm_world_place_of(world, command->entity), command->numbers[0],
                           hm_command_value(world, command));
        hm_command_finish(call->commands, command);
    }
    *unit = end;
    return true;
}

/* Runs the commands of a live entity up to one that destroys it. That one, or NULL, goes to `end`.
 * If it fails, it has run none: HM_ERROR_INVALID if the entity's values would not fit in a row. */
static hm_status apply_change(apply_call *call, hm_command *first, hm_command **end)
{
    hm_world *world = call->world;
    hm_command *command = first;
    *end = NULL;
    if (apply_is_single(first)) {
        hm_status status = apply_single(call->commands, first);
        if (status == HM_OK)
            hm_command_finish(call->commands, first);
        return status;
    }
    call->entity = first->entity;
    call->from = hm_world_place_archetype(*hm_world_place_of(world, first->entity));
    apply_fold(call, first);
    hm_status status = apply_prepare(call, first);
    if (status != HM_OK)
        return status;
    apply_move(call);
    for (; apply_is_change(command); command = apply_next(call->commands, command))
        apply_replay(call, command);
    if (call->to != call->from && world->archetypes[call->from].hook_count != 0)
        hm_world_forget_row(world, call->left);
    *end = command;
    return HM_OK;
}

/* Drops the changes of an entity whose values would not fit in a row, up to a command that destroys
 * it, and returns that one, or NULL. Without one, an entity that was to be created is destroyed. */
static hm_command *apply_drop(const apply_call *call, hm_command *first)
{
    hm_commands *commands = call->commands;
    hm_command *command = first;
    bool is_new = false;
    for (; apply_is_change(command); command = apply_next(commands, command)) {
        is_new = is_new || (command->flags & HM_COMMAND_CREATE) != 0;
        hm_command_drop(commands, command);
        commands->dropped++;
    }
    if (is_new && command == NULL)
        (void)hm_world_destroy(call->world, first->entity);
    return command;
}

/* Runs all commands of an entity. */
static hm_status apply_run(apply_call *call, hm_command *first)
{
    hm_commands *commands = call->commands;
    hm_command *command = first;
    if (apply_is_change(first) && hm_world_contains(call->world, first->entity)) {
        hm_status status = apply_change(call, first, &command);
        if (status == HM_ERROR_INVALID)
            command = apply_drop(call, first);
        else if (status != HM_OK)
            return status;
    }
    if (command != NULL && !apply_is_change(command) &&
        hm_world_destroy(call->world, command->entity)) {
        hm_command_finish(commands, command);
        command = apply_next(commands, command);
    }
    for (; command != NULL; command = apply_next(commands, command)) {
        hm_command_drop(commands, command);
        commands->skipped++;
    }
    return HM_OK;
}

hm_status hm_commands_apply(hm_commands *commands)
{
    HM_CONTRACT(commands != NULL, "hm_commands_apply: commands is NULL");
    hm_world *world = commands->world;
    if (world == NULL)
        return HM_OK;
    hm_status status = hm_world_check_idle(world);
    if (status == HM_OK)
        status = apply_commit_links(world);
    if (status != HM_OK)
        return status;
    hm_world_create_promised(world);
    apply_call call;
    call.commands = commands;
    call.world = world;
    call.words = (world->component_count + 63) / 64;
    call.known_to = HM_WORLD_NONE;
    call.is_short = false;
    commands->skipped = commands->dropped = 0;
    apply_link(commands);
    /* Hooks may record more, which are not joined. */
    for (size_t unit = HM_COMMANDS_BEGIN; unit < commands->units.count && status == HM_OK;) {
        hm_command *command = hm_commands_at(commands, unit);
        bool is_first = (command->flags & (HM_COMMAND_DONE | HM_COMMAND_LINKED)) == 0;
        if (is_first && apply_together(&call, command, &unit))
            continue;
        if (is_first)
            status = apply_run(&call, command);
        unit += command->size;
    }
    if (status == HM_OK)
        commands->units.count = HM_COMMANDS_BEGIN;
    return status;
}
