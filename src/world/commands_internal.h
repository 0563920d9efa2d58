/* SPDX-License-Identifier: MIT */
/* world: what commands.c, which records, and apply.c share.
 *
 * The commands of a buffer are one after another in an array, whose address never changes:
 *
 *     | scratch | command, numbers, value | command, numbers | ...
 *     0         HM_COMMANDS_BEGIN
 *
 * The scratch is for a zero value that was added and removed again, while its hook runs. */
#ifndef HANDLE_MAP_COMMANDS_INTERNAL_H
#define HANDLE_MAP_COMMANDS_INTERNAL_H

#include "../memory/poison_private.h"

#include <handle_map/commands.h>

#include "world_private.h"

enum {
    HM_COMMANDS_UNIT = sizeof(uint64_t), /* bytes */
    HM_COMMANDS_BEGIN = (16 << 10) / HM_COMMANDS_UNIT
};

/* The bits of a command's flags. */
enum {
    HM_COMMAND_DONE = 1,    /* run, skipped or cleared */
    HM_COMMAND_LINKED = 2,  /* an earlier command of its entity leads to it */
    HM_COMMAND_CREATE = 4,  /* its entity was promised */
    HM_COMMAND_DESTROY = 8, /* destroys its entity; has no numbers */
    HM_COMMAND_VALUE = 16   /* has one number, to add, and a value for it */
};

typedef struct hm_command {
    hm_handle entity;
    uint32_t size; /* units, numbers and value included */
    uint32_t next; /* unit of the entity's next command, once linked; 0: none */
    uint16_t flags;
    uint16_t add_count, remove_count;
    uint16_t numbers[]; /* of components: first those to add, then those to remove */
} hm_command;

static inline hm_command *hm_commands_at(const hm_commands *commands, size_t unit)
{
    return (hm_command *)(void *)(commands->units.data + unit * HM_COMMANDS_UNIT);
}

static inline size_t hm_commands_align(size_t offset, size_t align)
{
    return (offset + align - 1) & ~(align - 1);
}

/* Returns the value of a command that has one. It is aligned: the array is, to pages. */
static inline void *hm_command_value(const hm_world *world, hm_command *command)
{
    size_t end = (uintptr_t)(command->numbers + 1);
    size_t align = hm_world_record(world, command->numbers[0])->align;
    return (unsigned char *)(command->numbers + 1) + (hm_commands_align(end, align) - end);
}

/* Marks a command as done. */
void hm_command_finish(hm_commands *commands, hm_command *command);

/* Finishes a command that is not run, and destroys its value. */
void hm_command_drop(hm_commands *commands, hm_command *command);

#endif
