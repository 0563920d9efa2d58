/* SPDX-License-Identifier: MIT */
/* world: records changes for later. */
#include "world_private.h"

#include "../base/atomic_private.h"
#include "../memory/memory_private.h"

/* Bytes of address space of a buffer: the default, if there is plenty and if it is scarce, and the
 * limits. The number of a unit has 32 bits. */
#define COMMANDS_SIZE (UINT64_C(1) << 30)
#define COMMANDS_SCARCE_SIZE (UINT64_C(4) << 20)
#define COMMANDS_MIN_SIZE (UINT64_C(32) << 10)
#define COMMANDS_MAX_SIZE (UINT64_C(16) << 30)

void hm_command_finish(hm_commands *commands, hm_command *command)
{
    command->flags |= HM_COMMAND_DONE;
    commands->count--;
}

void hm_command_drop(hm_commands *commands, hm_command *command)
{
    hm_world *world = commands->world;
    hm_command_finish(commands, command);
    if ((command->flags & HM_COMMAND_VALUE) != 0)
        hm_world_destroy_value(world, command->numbers[0], hm_command_value(world, command));
}

/* init and fini */

/* Passes a status on, and names the world of these commands if memory was refused. */
static hm_status commands_blame(const hm_world *world, uint64_t size, hm_status status)
{
    const hm_limits limits = {
        .what = "commands of the world", .name = world->name, .most = size, .other = "size"};
    return hm_blame(status, &limits);
}

#ifndef HM_WITHOUT_HISTORY
static const hm_known_kind commands_known = {.what = "commands",
                                             .begin = offsetof(hm_commands, units),
                                             .end = sizeof(hm_commands),
                                             .key_offset = offsetof(hm_commands, known),
                                             .memory_offset = offsetof(hm_commands, units.memory)};
#endif

/* Reserves the units. */
static hm_status commands_reserve(hm_commands *commands, const hm_world *world)
{
    const hm_memory *memory = world->memory != NULL ? world->memory : hm_memory_os();
    uint64_t size = commands->size;
    if (size == 0)
        size = hm_memory_is_ample(memory) ? COMMANDS_SIZE : COMMANDS_SCARCE_SIZE;
    if (size < COMMANDS_MIN_SIZE || size > COMMANDS_MAX_SIZE)
        return hm_fail(HM_ERROR_INVALID,
                       "hm_commands_init: size %" HM_U64 " is not from %" HM_U64 " to %" HM_U64,
                       size, COMMANDS_MIN_SIZE, COMMANDS_MAX_SIZE);
    hm_array_desc units = {.item_size = HM_COMMANDS_UNIT, .memory = memory};
    units.capacity = (size_t)(size / HM_COMMANDS_UNIT);
    hm_status status = hm_array_init(&commands->units, &units);
    if (status == HM_OK)
        status = hm_known_join(&commands_known, commands);
    if (status != HM_OK) {
        hm_array_fini(&commands->units);
        return commands_blame(world, size, status);
    }
    commands->units.count = HM_COMMANDS_BEGIN;
    return HM_OK;
}

hm_status hm_commands_init(hm_commands *commands, hm_world *world, const hm_commands_desc *desc)
{
    if (commands == NULL)
        return hm_refuse_null("hm_commands_init", "commands");
    memset(commands, 0, sizeof *commands);
    if (world == NULL)
        return hm_refuse_null("hm_commands_init", "world");
    commands->size = HM_DESC(hm_commands_desc, desc)->size;
    hm_status status = commands_reserve(commands, world);
    if (status == HM_OK)
        commands->world = world;
    else
        memset(commands, 0, sizeof *commands);
    return status;
}

#ifndef HM_WITHOUT_HISTORY
void hm_commands_moved(hm_commands *commands)
{
    (void)hm_known_track(&commands_known, commands);
}
#endif

void hm_commands_clear(hm_commands *commands)
{
    HM_CONTRACT(commands != NULL, "hm_commands_clear: commands is NULL");
    hm_world *world = commands->world;
    if (world == NULL)
        return;
    HM_CONTRACT_IDLE(world->guard.flags, "hm_commands_clear", world->name);
    if (commands->count == 0)
        return;
    HM_CONTRACT(world->running == 0,
                "hm_commands_clear: a query of the world runs: call hm_query_end first");
    hm_world_create_promised(world);
    /* A hook may record more. */
    for (size_t unit = HM_COMMANDS_BEGIN; unit < commands->units.count;) {
        hm_command *dropped = hm_commands_at(commands, unit);
        unit += dropped->size;
        if ((dropped->flags & HM_COMMAND_DONE) != 0)
            continue;
        hm_command_drop(commands, dropped);
        if ((dropped->flags & HM_COMMAND_CREATE) != 0)
            (void)hm_world_destroy(world, dropped->entity); /* It may be dead already. */
    }
    commands->units.count = HM_COMMANDS_BEGIN;
}

void hm_commands_fini(hm_commands *commands)
{
    HM_CONTRACT(commands != NULL, "hm_commands_fini: commands is NULL");
    hm_commands_clear(commands);
    hm_known_leave(&commands_known, commands);
    hm_array_fini(&commands->units);
    memset(commands, 0, sizeof *commands);
}

/* record */

/* Moves *unit, where a command begins, to its end: it has so many numbers, and a value if there is
 * a record of its component. */
static hm_status commands_measure(const hm_commands *commands, size_t numbers,
                                  const hm_world_component_record *value, size_t *unit)
{
    const hm_array *units = &commands->units;
    size_t end = *unit * HM_COMMANDS_UNIT + offsetof(hm_command, numbers);
    size_t limit = units->capacity * HM_COMMANDS_UNIT, size = 0;
    end += numbers * sizeof(uint16_t);
    if (value != NULL) {
        end = hm_commands_align(end, value->align);
        size = value->size;
    }
    if (end > limit || size > limit - end)
        return hm_fail(HM_ERROR_FULL,
                       "the commands of '%.40s': %" HM_U32 " take %" HM_U64 " of %" HM_U64
                       " bytes: apply them, or raise size",
                       commands->world->name, commands->count,
                       (uint64_t)(units->count * HM_COMMANDS_UNIT), (uint64_t)limit);
    *unit = hm_commands_align(end + size, HM_COMMANDS_UNIT) / HM_COMMANDS_UNIT;
    return HM_OK;
}

static hm_status commands_commit(hm_commands *commands, size_t end)
{
    hm_array *units = &commands->units;
    if (end <= units->limit)
        return HM_OK;
    return commands_blame(commands->world, (uint64_t)units->capacity * units->item_size,
                          hm_array_commit(units, end, true));
}

/* HM_ERROR_FULL: it is zeroed. One that a rewind has emptied, since it was made later, gets its
 * units again. */
static HM_COLD hm_status commands_check_empty(hm_commands *commands)
{
    if (commands->world == NULL || commands->world->memory == NULL)
        return hm_fail_uninitialised("buffer of commands");
    return commands_reserve(commands, commands->world);
}

/* Each call that records asks first. */
static hm_status commands_check(hm_commands *commands)
{
    return commands->units.data != NULL ? HM_OK : commands_check_empty(commands);
}

/* Takes the next handle that the world can promise. */
static hm_status commands_promise(hm_world *world, hm_handle *entity)
{
    uint32_t promised;
    do {
        promised = hm_atomic_load(&world->promised);
        *entity = HM_NULL_HANDLE;
        if ((uint64_t)world->ids.count + promised < world->ready_end)
            *entity = hm_id_table_upcoming(&world->ids, promised);
        if (hm_handle_is_null(*entity))
            return hm_fail(HM_ERROR_FULL,
                           "the world '%.40s' has promised all %" HM_U32
                           " handles that were ready: call hm_world_reserve first",
                           world->name, promised);
    } while (!hm_atomic_exchange_if(&world->promised, promised, promised + 1));
    return HM_OK;
}

/* Records a command with these numbers of components, and, if it is not NULL, the value of the only
 * one. If it is to create, its entity is promised, and goes to `head`. Inline, since most calls
 * record one number. */
HM_INLINE hm_status commands_record(hm_commands *commands, hm_command *head, const uint16_t *add,
                                    const uint16_t *remove, const void *value)
{
    const hm_world *world = commands->world;
    hm_array *units = &commands->units;
    size_t added = head->add_count, removed = head->remove_count, end = units->count;
    const hm_world_component_record *record = value != NULL ? hm_world_record(world, *add) : NULL;
    hm_status status = commands_measure(commands, added + removed, record, &end);
    if (status == HM_OK)
        status = commands_commit(commands, end);
    if (status == HM_OK && (head->flags & HM_COMMAND_CREATE) != 0)
        status = commands_promise(commands->world, &head->entity);
    if (status != HM_OK)
        return status;
    hm_command *made = hm_commands_at(commands, units->count);
    memcpy(made, head, offsetof(hm_command, numbers));
    made->size = (uint32_t)(end - units->count); /* not in `head`: the copy would wait for it */
    for (size_t i = 0; i < added; i++)
        made->numbers[i] = add[i];
    for (size_t i = 0; i < removed; i++)
        made->numbers[added + i] = remove[i];
    if (value != NULL) {
        made->flags = HM_COMMAND_VALUE;
        memcpy(hm_command_value(world, made), value, record->size);
    }
    units->count = end;
    commands->count++;
    return HM_OK;
}

/* Records a command with two sets. */
static hm_status commands_record_sets(hm_commands *commands, hm_command *head,
                                      const hm_world_delta *delta)
{
    head->add_count = (uint16_t)delta->add.count;
    head->remove_count = (uint16_t)delta->remove.count;
    return commands_record(commands, head, delta->add.numbers, delta->remove.numbers, NULL);
}

/* Reads two sets. What is added must fit in a row. */
static hm_status commands_read_sets(hm_commands *commands, const hm_component *add, uint32_t n_add,
                                    const hm_component *remove, uint32_t n_remove,
                                    hm_world_delta *delta)
{
    uint16_t row_size;
    hm_status status = commands_check(commands);
    if (status == HM_OK)
        status = hm_world_read_delta(commands->world, add, n_add, remove, n_remove, delta);
    if (status == HM_OK)
        status = hm_world_measure(commands->world, &delta->add, &row_size);
    return status;
}

/* Reads the components of an entity to be created. */
static hm_status commands_read_new(hm_commands *commands, const hm_component *set, uint32_t n,
                                   hm_world_delta *delta)
{
    const hm_world *world = commands->world;
    if (world != NULL && hm_guard_refuses(&world->guard, "world", world->name))
        return HM_ERROR_BUSY;
    return commands_read_sets(commands, set, n, NULL, 0, delta);
}

hm_handle hm_commands_create(hm_commands *commands, const hm_component *set, uint32_t n)
{
    HM_CONTRACT(commands != NULL, "hm_commands_create: commands is NULL");
    hm_command head = {.flags = HM_COMMAND_CREATE};
    hm_world_delta delta;
    hm_status status = commands_read_new(commands, set, n, &delta);
    if (status == HM_OK)
        status = commands_record_sets(commands, &head, &delta);
    return status == HM_OK ? head.entity : HM_NULL_HANDLE;
}

/* A tag has no values; NULL is zero. */
static hm_status commands_check_value(const hm_world *world, uint32_t number, const void *value)
{
    if (value == NULL || hm_world_record(world, number)->size != 0)
        return HM_OK;
    return hm_world_refuse_component(world, number, HM_WORLD_IS_TAG);
}

/* Commits memory for the creation of an entity without components, followed by a command for each
 * of these components, with its value if it is not NULL. */
static hm_status commands_prepare(hm_commands *commands, const hm_component *set, uint32_t n,
                                  const void *const *values)
{
    const hm_world *world = commands->world;
    size_t end = commands->units.count;
    hm_status status = commands_measure(commands, 0, NULL, &end);
    for (uint32_t i = 0; i < n && status == HM_OK; i++) {
        const void *value = values != NULL ? values[i] : NULL;
        uint32_t number = set[i] - world->salt;
        status = commands_check_value(world, number, value);
        if (status == HM_OK)
            status = commands_measure(commands, 1,
                                      value != NULL ? hm_world_record(world, number) : NULL, &end);
    }
    return status == HM_OK ? commands_commit(commands, end) : status;
}

hm_handle hm_commands_create_with(hm_commands *commands, const hm_component *set, uint32_t n,
                                  const void *const *values)
{
    HM_CONTRACT(commands != NULL, "hm_commands_create_with: commands is NULL");
    hm_handle created = HM_NULL_HANDLE;
    hm_world_delta delta;
    hm_status status = commands_read_new(commands, set, n, &delta);
    if (status == HM_OK)
        status = commands_prepare(commands, set, n, values);
    if (status == HM_OK)
        created = hm_commands_create(commands, NULL, 0);
    if (!hm_handle_is_null(created))
        for (uint32_t i = 0; i < n; i++) /* It has memory, and cannot fail. */
            (void)hm_commands_add(commands, created, set[i], values != NULL ? values[i] : NULL);
    return created;
}

hm_status hm_commands_destroy(hm_commands *commands, hm_handle entity)
{
    HM_CONTRACT(commands != NULL, "hm_commands_destroy: commands is NULL");
    hm_command head = {.entity = entity, .flags = HM_COMMAND_DESTROY};
    hm_status status = commands_check(commands);
    return status == HM_OK ? commands_record(commands, &head, NULL, NULL, NULL) : status;
}

/* Finds a component's number. */
static hm_status commands_read(hm_commands *commands, hm_component component, uint32_t *number)
{
    hm_status status = commands_check(commands);
    return status == HM_OK ? hm_world_read_component(commands->world, component, number) : status;
}

hm_status hm_commands_add(hm_commands *commands, hm_handle entity, hm_component component,
                          const void *value)
{
    HM_CONTRACT(commands != NULL, "hm_commands_add: commands is NULL");
    hm_command head = {.entity = entity, .add_count = 1};
    uint32_t number;
    hm_status status = commands_read(commands, component, &number);
    if (status == HM_OK)
        status = commands_check_value(commands->world, number, value);
    if (status != HM_OK)
        return status;
    uint16_t added = (uint16_t)number;
    return commands_record(commands, &head, &added, NULL, value);
}

hm_status hm_commands_remove(hm_commands *commands, hm_handle entity, hm_component component)
{
    HM_CONTRACT(commands != NULL, "hm_commands_remove: commands is NULL");
    hm_command head = {.entity = entity, .remove_count = 1};
    uint32_t number;
    hm_status status = commands_read(commands, component, &number);
    if (status != HM_OK)
        return status;
    uint16_t removed = (uint16_t)number;
    return commands_record(commands, &head, NULL, &removed, NULL);
}

hm_status hm_commands_change(hm_commands *commands, hm_handle entity, const hm_component *add,
                             uint32_t n_add, const hm_component *remove, uint32_t n_remove)
{
    HM_CONTRACT(commands != NULL, "hm_commands_change: commands is NULL");
    hm_command head = {.entity = entity};
    hm_world_delta delta;
    hm_status status = commands_read_sets(commands, add, n_add, remove, n_remove, &delta);
    return status == HM_OK ? commands_record_sets(commands, &head, &delta) : status;
}
