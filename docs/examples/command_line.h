/* SPDX-License-Identifier: MIT */
/* command_line: what the examples have in common on a command line: options, --help, and progress
 * during long work. Messages go to stderr and begin with the name of the program. */
#ifndef COMMAND_LINE_H
#define COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* One of `number`, `text` and `on` is not NULL; it says what the option takes, and where it goes.
 */
struct command_line_option {
    const char *name;     /* with its dashes */
    uint32_t *number;     /* a number from `least` to `most` */
    uint32_t least, most; /* of the number */
    const char **text;    /* any text; it stays in argv */
    bool *on;             /* nothing: becomes true */
};

struct command_line {
    const char *program;
    const char *usage; /* what --help prints */
    const struct command_line_option *options;
    size_t count;
};

/* What a program does when its command line has been read: it runs, or it ends with this exit
 * code, since there was nothing but help to give, or something is wrong. */
enum { COMMAND_LINE_RUN = -1, COMMAND_LINE_HELP = 0, COMMAND_LINE_WRONG = 2 };

/* Reads the options, in any order; what they do not name keeps its value. "--" ends them. Other
 * arguments are moved to the front of argv, with NULL behind them, and their number goes to
 * *operands; if `operands` is NULL, none are allowed. Prints the help, or the argument that is
 * wrong and why. */
int command_line_read(const struct command_line *line, int argc, char **argv, int *operands);

/* Opens the file that an option names, as fopen does. Returns NULL and prints why if that is
 * impossible. To be called before long work whose result goes there. */
FILE *command_line_open(const char *program, const char *option, const char *path,
                        const char *mode);

/* Whether a second has passed since the first call, or since this was last true: then it is time to
 * print how far the work is. */
bool progress_is_due(void);

#endif
