/* SPDX-License-Identifier: MIT */
/* Command lines of the examples. See command_line.h. */
#define _POSIX_C_SOURCE 200809L

#include "command_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool parse_number(const char *text, const struct command_line_option *option)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || value < option->least ||
        value > option->most)
        return false;
    *option->number = (uint32_t)value;
    return true;
}

static const struct command_line_option *find_option(const struct command_line *line,
                                                     const char *name)
{
    for (size_t i = 0; i < line->count; i++)
        if (strcmp(name, line->options[i].name) == 0)
            return &line->options[i];
    return NULL;
}

/* Reads an option whose value, if there is one, is the next argument. Returns the number of
 * arguments used; 0: something is wrong, and was printed. */
static int read_option(const struct command_line *line, const char *name, const char *value)
{
    const struct command_line_option *option = find_option(line, name);
    if (option == NULL)
        fprintf(stderr, "%s: there is no option '%s'; --help lists all\n", line->program, name);
    else if (option->on != NULL) {
        *option->on = true;
        return 1;
    } else if (value == NULL)
        fprintf(stderr, "%s: %s needs a value\n", line->program, name);
    else if (option->text != NULL) {
        *option->text = value;
        return 2;
    } else if (parse_number(value, option))
        return 2;
    else
        fprintf(stderr, "%s: %s takes a number from %lu to %lu, not '%s'\n", line->program, name,
                (unsigned long)option->least, (unsigned long)option->most, value);
    return 0;
}

int command_line_read(const struct command_line *line, int argc, char **argv, int *operands)
{
    int count = 0, taken = 1;
    bool literally = false; /* since "--" */
    for (int at = 1; at < argc; at += taken) {
        char *argument = argv[at];
        taken = 1;
        if (!literally && strcmp(argument, "--help") == 0) {
            fputs(line->usage, stdout);
            return COMMAND_LINE_HELP;
        }
        if (!literally && strcmp(argument, "--") == 0)
            literally = true;
        else if (!literally && argument[0] == '-') {
            taken = read_option(line, argument, argv[at + 1]);
            if (taken == 0)
                return COMMAND_LINE_WRONG;
        } else if (operands != NULL)
            argv[count++] = argument;
        else {
            fprintf(stderr, "%s: '%s' is not an option; --help lists all\n", line->program,
                    argument);
            return COMMAND_LINE_WRONG;
        }
    }
    if (operands != NULL) {
        argv[count] = NULL;
        *operands = count;
    }
    return COMMAND_LINE_RUN;
}

FILE *command_line_open(const char *program, const char *option, const char *path, const char *mode)
{
    FILE *file = fopen(path, mode);
    if (file == NULL)
        fprintf(stderr, "%s: %s: %s: %s\n", program, option, path, strerror(errno));
    return file;
}

bool progress_is_due(void)
{
    static bool has_begun = false;
    static struct timespec last;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!has_begun) {
        has_begun = true;
        last = now;
    }
    double seconds =
        (double)(now.tv_sec - last.tv_sec) + (double)(now.tv_nsec - last.tv_nsec) * 1e-9;
    if (seconds < 1)
        return false;
    last = now;
    return true;
}
