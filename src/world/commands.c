/* SPDX-License-Identifier: MIT */
/* world: records changes, and makes them later.
 *
 * The commands are one after another in an array, whose address never changes:
 *
 *     | room for a value | command, numbers, value | command, numbers | ...
 *     0                  COMMANDS_BEGIN
 *
 * Apply first links the commands of each entity, with a column that leads from the entity's position
 * to its last command so far. Then it runs them entity by entity, each in three steps: it *folds*
 * the commands into the set of components that the entity will have; it prepares all memory that
 * this needs, so that nothing can fail from there on, and moves the entity; and it *replays* the
 * commands, writing their values and running the hooks of those that they replace or remove. A value
 * of a component that the entity will not have is never written: its hook sees it in the command. */
#include <handle_map/commands.h>

#include "world_internal.h"

#include "../atomic_private.h"

#include <inttypes.h>

/* Bytes of address space for the commands of a buffer, if there is plenty and if it is scarce. */
#define COMMANDS_SIZE (UINT64_C(8) << 30)
#define COMMANDS_SCARCE_SIZE (UINT64_C(4) << 20)

enum {
    COMMANDS_UNIT = sizeof(uint64_t), /* bytes */
    COMMANDS_BEGIN = (16 << 10) / COMMANDS_UNIT,
    COMMANDS_WORDS = HM_WORLD_MAX_COMPONENTS / 64 /* a bit for each component */
};

/* The bits of a command's flags. */
enum {
    COMMAND_DONE = 1,    /* run, skipped or cleared */
    COMMAND_LINKED = 2,  /* an earlier command of its entity leads to it */
    COMMAND_CREATE = 4,  /* its entity was promised */
    COMMAND_DESTROY = 8, /* destroys its entity; has no numbers */
    COMMAND_VALUE = 16   /* has one number, to add, and a value for it */
};

typedef struct command {
    hm_handle entity;
    uint32_t size;       /* units, all included */
    uint32_t next;       /* unit of the entity's next command, once linked; 0: none */
    uint16_t flags;
    uint16_t add_count, remove_count;
    uint16_t numbers[];  /* of components: first those to add, then those to remove */
} command;

static command *commands_at(const hm_commands *commands, size_t unit)
{
    return (command *)(void *)(commands->units.data + unit * COMMANDS_UNIT);
}

static size_t commands_align(size_t offset, size_t align)
{
    return (offset + align - 1) & ~(align - 1);
}

/* Returns the value of a command that has one. Its address is aligned, since the array's is. */
static void *commands_value(const hm_world *world, command *from)
{
    size_t align = hm_world_record(world, from->numbers[0])->align;
    uintptr_t end = (uintptr_t)(from->numbers + 1);
    return (unsigned char *)(from->numbers + 1) + (commands_align(end, align) - end);
}

static void commands_run_hook(hm_world *world, uint32_t number, void *value)
{
    const hm_world_component_record *record = hm_world_record(world, number);
    hm_world_enter(world);
    record->destroy(value, record->context);
    hm_world_leave(world);
}

/* A command is done with. */
static void commands_finish(hm_commands *commands, command *done)
{
    done->flags |= COMMAND_DONE;
    commands->count--;
}

/* Destroys the value of a command that will not be run. */
static void commands_drop(hm_commands *commands, command *dropped)
{
    hm_world *world = commands->world;
    commands_finish(commands, dropped);
    if ((dropped->flags & COMMAND_VALUE) != 0 &&
        hm_world_record(world, dropped->numbers[0])->destroy != NULL)
        commands_run_hook(world, dropped->numbers[0], commands_value(world, dropped));
}

/* init and fini */

hm_status hm_commands_init(hm_commands *commands, hm_world *world)
{
    if (commands == NULL)
        return hm_refuse_null("hm_commands_init", "commands");
    memset(commands, 0, sizeof *commands);
    if (world == NULL)
        return hm_refuse_null("hm_commands_init", "world");
    const hm_memory *memory = world->memory != NULL ? world->memory : hm_memory_os();
    uint64_t size = hm_memory_is_roomy(memory) ? COMMANDS_SIZE : COMMANDS_SCARCE_SIZE;
    hm_array_desc desc = {.item_size = COMMANDS_UNIT, .memory = memory};
    desc.capacity = (size_t)(size / COMMANDS_UNIT);
    hm_status status = hm_array_init(&commands->units, &desc);
    if (status != HM_OK)
        return status;
    commands->world = world;
    commands->units.count = COMMANDS_BEGIN;
    return HM_OK;
}

void hm_commands_clear(hm_commands *commands)
{
    HM_CONTRACT(commands != NULL, "hm_commands_clear: commands is NULL");
    hm_world *world = commands->world;
    if (commands->count == 0 && commands->units.count <= COMMANDS_BEGIN)
        return;
    HM_CONTRACT_IDLE(world->guard.flags, "hm_commands_clear", world->name);
    HM_CONTRACT(world->running == 0, "hm_commands_clear: a query of the world runs");
    /* A hook may record more. */
    for (size_t unit = COMMANDS_BEGIN; unit < commands->units.count;) {
        command *dropped = commands_at(commands, unit);
        unit += dropped->size;
        if ((dropped->flags & COMMAND_DONE) != 0)
            continue;
        commands_drop(commands, dropped);
        if ((dropped->flags & COMMAND_CREATE) != 0)
            (void)hm_world_destroy(world, dropped->entity); /* It may be dead already. */
    }
    commands->units.count = COMMANDS_BEGIN;
}

void hm_commands_fini(hm_commands *commands)
{
    HM_CONTRACT(commands != NULL, "hm_commands_fini: commands is NULL");
    hm_commands_clear(commands);
    hm_array_fini(&commands->units);
    memset(commands, 0, sizeof *commands);
}

/* record */

/* Appends a command with this many numbers, and with space for a value if there is a record of its
 * component. All but the numbers and the value is filled in. */
static hm_status commands_append(hm_commands *commands, const command *head,
                                 const hm_world_component_record *value, command **made)
{
    hm_array *units = &commands->units;
    size_t numbers = (size_t)head->add_count + head->remove_count;
    size_t end = units->count * COMMANDS_UNIT + offsetof(command, numbers) +
                 numbers * sizeof *head->numbers;
    size_t limit = units->capacity * COMMANDS_UNIT, size = 0;
    if (value != NULL) {
        end = commands_align(end, value->align);
        size = value->size;
    }
    if (end > limit || size > limit - end)
        return hm_fail(HM_ERROR_FULL, "%" PRIu32 " commands take %" PRIu64 " of %" PRIu64 " bytes",
                       commands->count, (uint64_t)(units->count * COMMANDS_UNIT), (uint64_t)limit);
    size_t count = commands_align(end + size, COMMANDS_UNIT) / COMMANDS_UNIT;
    if (count > units->limit) {
        hm_status status = hm_array_commit(units, count, true);
        if (status != HM_OK)
            return status;
    }
    *made = commands_at(commands, units->count);
    memcpy(*made, head, offsetof(command, numbers));
    (*made)->size = (uint32_t)(count - units->count);
    return HM_OK;
}

/* Makes what was appended the last command. */
static void commands_record(hm_commands *commands, const command *made)
{
    commands->units.count += made->size;
    commands->count++;
}

/* HM_ERROR_FULL from each call that would record into a zeroed buffer. */
static hm_status commands_check(const hm_commands *commands)
{
    return commands->world != NULL ? HM_OK : hm_fail_full("buffer of commands", 0, 0, 1);
}

/* Takes the next handle that the world can promise. */
static hm_status commands_promise(hm_world *world, hm_handle *entity)
{
    uint32_t promised = hm_atomic_load(&world->promised);
    do {
        *entity = HM_NULL_HANDLE;
        if ((uint64_t)world->ids.count + promised < world->ready_end)
            *entity = hm_id_table_upcoming(&world->ids, promised);
        if (hm_handle_is_null(*entity))
            return hm_fail(HM_ERROR_FULL,
                           "%" PRIu32 " handles are promised, all that hm_world_reserve made ready",
                           promised);
    } while (!hm_atomic_replace(&world->promised, &promised, promised + 1));
    return HM_OK;
}

/* Records a command with two sets. If it is to create, its entity is promised. */
static hm_status commands_record_sets(hm_commands *commands, command head,
                                      const hm_world_delta *delta, command **made)
{
    head.add_count = (uint16_t)delta->add.count;
    head.remove_count = (uint16_t)delta->remove.count;
    hm_status status = commands_append(commands, &head, NULL, made);
    if (status == HM_OK && (head.flags & COMMAND_CREATE) != 0)
        status = commands_promise(commands->world, &(*made)->entity);
    if (status != HM_OK)
        return status;
    size_t added = delta->add.count, removed = delta->remove.count;
    memcpy((*made)->numbers, delta->add.numbers, added * sizeof(uint16_t));
    memcpy((*made)->numbers + added, delta->remove.numbers, removed * sizeof(uint16_t));
    commands_record(commands, *made);
    return HM_OK;
}

hm_handle hm_commands_create(hm_commands *commands, const hm_component *set, uint32_t n)
{
    HM_CONTRACT(commands != NULL, "hm_commands_create: commands is NULL");
    hm_world *world = commands->world;
    command head = {.flags = COMMAND_CREATE}, *made;
    hm_world_delta delta;
    hm_status status = commands_check(commands);
    if (status == HM_OK && hm_guard_is_busy(&world->guard))
        status = hm_fail_busy("world", world->name);
    if (status == HM_OK)
        status = hm_world_read_delta(world, set, n, NULL, 0, &delta);
    if (status == HM_OK)
        status = commands_record_sets(commands, head, &delta, &made);
    return status == HM_OK ? made->entity : HM_NULL_HANDLE;
}

hm_status hm_commands_destroy(hm_commands *commands, hm_handle entity)
{
    HM_CONTRACT(commands != NULL, "hm_commands_destroy: commands is NULL");
    command head = {.entity = entity, .flags = COMMAND_DESTROY}, *made;
    hm_status status = commands_check(commands);
    if (status == HM_OK)
        status = commands_append(commands, &head, NULL, &made);
    if (status == HM_OK)
        commands_record(commands, made);
    return status;
}

/* Finds a component's number. */
static hm_status commands_read(const hm_commands *commands, hm_component component,
                               uint32_t *number)
{
    hm_status status = commands_check(commands);
    if (status != HM_OK)
        return status;
    *number = component - commands->world->salt;
    if (*number < commands->world->component_count)
        return HM_OK;
    return hm_fail(HM_ERROR_INVALID, "0x%08" PRIx32 " is no component of this world", component);
}

hm_status hm_commands_add(hm_commands *commands, hm_handle entity, hm_component component,
                          const void *value)
{
    HM_CONTRACT(commands != NULL, "hm_commands_add: commands is NULL");
    command head = {.entity = entity, .add_count = 1}, *made;
    uint32_t number;
    hm_status status = commands_read(commands, component, &number);
    if (status != HM_OK)
        return status;
    const hm_world_component_record *record = hm_world_record(commands->world, number);
    if (value != NULL && record->size == 0)
        return hm_fail(HM_ERROR_INVALID, "component %s is a tag: it has no values", record->name);
    if (value != NULL)
        head.flags = COMMAND_VALUE;
    status = commands_append(commands, &head, value != NULL ? record : NULL, &made);
    if (status != HM_OK)
        return status;
    made->numbers[0] = (uint16_t)number;
    if (value != NULL)
        memcpy(commands_value(commands->world, made), value, record->size);
    commands_record(commands, made);
    return HM_OK;
}

hm_status hm_commands_remove(hm_commands *commands, hm_handle entity, hm_component component)
{
    HM_CONTRACT(commands != NULL, "hm_commands_remove: commands is NULL");
    command head = {.entity = entity, .remove_count = 1}, *made;
    uint32_t number;
    hm_status status = commands_read(commands, component, &number);
    if (status == HM_OK)
        status = commands_append(commands, &head, NULL, &made);
    if (status != HM_OK)
        return status;
    made->numbers[0] = (uint16_t)number;
    commands_record(commands, made);
    return HM_OK;
}

hm_status hm_commands_change(hm_commands *commands, hm_handle entity, const hm_component *add,
                             uint32_t n_add, const hm_component *remove, uint32_t n_remove)
{
    HM_CONTRACT(commands != NULL, "hm_commands_change: commands is NULL");
    command head = {.entity = entity}, *made;
    hm_world_delta delta;
    hm_status status = commands_check(commands);
    if (status == HM_OK)
        status =
            hm_world_read_delta(commands->world, add, n_add, remove, n_remove, &delta);
    return status == HM_OK ? commands_record_sets(commands, head, &delta, &made) : status;
}

/* apply: link */

/* Commits a link for each entity that will be alive. */
static hm_status apply_begin(hm_world *world)
{
    hm_array_desc desc = {.item_size = sizeof(uint64_t), .memory = world->memory};
    desc.capacity = hm_world_capacity(world);
    hm_status status = HM_OK;
    if (world->link_array.data == NULL)
        status = hm_array_init(&world->link_array, &desc);
    if (status == HM_OK)
        status = hm_array_commit(&world->link_array, (size_t)world->ids.count + world->promised,
                                 true);
    return status;
}

/* Links the commands from one unit to another, those of each entity in their order. A link is the
 * unit of the last one so far, plus link_end; one that is not above link_end is out of date. So
 * links need no clearing, and the numbers suffice for 2^64 units. */
static void apply_link(hm_commands *commands, size_t begin, size_t end)
{
    hm_world *world = commands->world;
    uint64_t *links = (uint64_t *)(void *)world->link_array.data;
    for (size_t unit = begin; unit < end;) {
        command *linked = commands_at(commands, unit);
        uint32_t position = hm_id_table_find(&world->ids, linked->entity);
        linked->next = 0;
        linked->flags &= (uint16_t)~COMMAND_LINKED;
        if (position != HM_INVALID_INDEX && (linked->flags & COMMAND_DONE) == 0) {
            if (links[position] > world->link_end) {
                commands_at(commands, (size_t)(links[position] - world->link_end))->next =
                    (uint32_t)unit;
                linked->flags |= COMMAND_LINKED;
            }
            links[position] = world->link_end + unit;
        }
        unit += linked->size;
    }
    world->link_end += end;
}

/* apply: fold */

/* How the components that are not sparse change for one entity; a bit for each. */
typedef struct apply_call {
    hm_commands *commands;
    hm_world *world;
    uint32_t words;                   /* of the bits that are in use */
    uint32_t from, to;                /* tables */
    hm_world_place place;             /* the row in `to` */
    hm_world_place left;              /* the row in `from`, behind the last, if they differ */
    uint64_t final_[COMMANDS_WORDS];  /* components in the end */
    uint64_t now[COMMANDS_WORDS];     /* while commands are replayed: components so far */
    uint64_t fresh[COMMANDS_WORDS];   /* of those: their values are in `given`, or the row */
    uint64_t last[COMMANDS_WORDS];    /* components of the last entity that moved, to last_to */
    uint32_t last_to;                 /* HM_WORLD_NONE: none has moved yet */
    void *given[HM_WORLD_MAX_COMPONENTS]; /* number -> fresh value that is not for the row, or NULL
                                             for zero */
} apply_call;
