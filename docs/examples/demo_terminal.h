/* SPDX-License-Identifier: MIT */
/* demo_terminal: a picture of text that is redrawn in place on the terminal behind stderr, and a
 * terminal that is as before when the program ends, however it ends.
 *
 * While it is open, the picture has the terminal's other screen, so that what was on the terminal
 * is untouched and a change of size is no more than a redraw. Keys are read at once, and not shown.
 * Ctrl-C, SIGTERM and SIGHUP only ask the program to stop, through terminal_signal; Ctrl-Z gives
 * the terminal back until the program is continued; a crash gives it back at once. */
#ifndef DEMO_TERMINAL_H
#define DEMO_TERMINAL_H

#include <stdbool.h>

enum terminal_colour {
    TERMINAL_PLAIN,
    TERMINAL_BOLD,
    TERMINAL_DIM,
    TERMINAL_BLUE,
    TERMINAL_ORANGE,
    TERMINAL_GREEN,
    TERMINAL_VIOLET
};

/* Opens the terminal. False if stdout or stderr is none, or if TERM says that it can do nothing. */
bool terminal_open(void);

/* Gives the terminal back. May be called twice. */
void terminal_close(void);

/* The signal that asks the program to stop: close the terminal, and raise it. 0: none. */
int terminal_signal(void);

enum terminal_key { TERMINAL_NO_KEY, TERMINAL_F5, TERMINAL_F9, TERMINAL_B };

/* The last of these keys that was pressed since the last call. */
enum terminal_key terminal_key(void);

/* Begins a picture of the size that the terminal has now. */
void terminal_begin(void);

int terminal_columns(void);
int terminal_rows(void);

/* Rows that are left, the one that is being written included. */
int terminal_rows_left(void);

/* Columns that are left in the row. */
int terminal_columns_left(void);

#ifdef __GNUC__
#define TERMINAL_PRINTF __attribute__((format(printf, 2, 3)))
#else
#define TERMINAL_PRINTF
#endif

/* Writes ASCII text, of which what does not fit into the row is left out. */
void terminal_put(enum terminal_colour colour, const char *format, ...) TERMINAL_PRINTF;

/* Writes a sign `count` times. */
void terminal_fill(enum terminal_colour colour, char sign, int count);

/* Goes on at a column of this row, if that is ahead. */
void terminal_tab(int column);

void terminal_next_row(void);

/* Shows the picture. */
void terminal_end(void);

#endif
