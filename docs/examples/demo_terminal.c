/* SPDX-License-Identifier: MIT */
/* The demo's terminal. See demo_terminal.h. */
#define _DEFAULT_SOURCE /* for TIOCGWINSZ */

#include "demo_terminal.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum {
    MOST_COLUMNS = 400,
    MOST_ROWS = 200,
    PICTURE_SIZE = 1 << 18,
    COLOUR_SIZE = 64 /* bytes that set colours and end a row */
};

/* The other screen, and no cursor there. */
#define ENTER "\033[?1049h\033[?25l"
/* Attributes off, cursor on, and a clean screen at whose top the shell goes on if the terminal has
 * no other screen; then the first screen, at the place where it was left. */
#define LEAVE "\033[0m\033[?25h\033[H\033[J\033[?1049l"

/* A process has one terminal. */
static struct {
    bool open, coloured;
    bool has_keys;         /* stdin is the terminal */
    struct termios before; /* how it was set */
    int columns, rows;     /* of the picture */
    int column, row;       /* where the next text goes */
    size_t used;
    char picture[PICTURE_SIZE];
} terminal;

static volatile sig_atomic_t stop_signal;
static volatile sig_atomic_t suspended; /* Ctrl-Z was pressed */

/* Bytes */

/* May be called from a signal handler. */
static void write_all(const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(STDERR_FILENO, bytes, size);
        if (written < 0 && errno != EINTR)
            return;
        if (written > 0) {
            bytes += written;
            size -= (size_t)written;
        }
    }
}

/* What does not fit is left out; terminal_put keeps room for the few bytes that end a row. */
static void append(const char *bytes, size_t size)
{
    if (size <= sizeof terminal.picture - terminal.used) {
        memcpy(terminal.picture + terminal.used, bytes, size);
        terminal.used += size;
    }
}

/* Gives each key to the program, without waiting and without showing it, or all back as it was. May
 * be called from a signal handler. */
static void take_keys(bool are_taken)
{
    struct termios keys = terminal.before;
    if (!terminal.has_keys)
        return;
    if (are_taken) {
        keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        keys.c_cc[VMIN] = keys.c_cc[VTIME] = 0;
    }
    tcsetattr(STDIN_FILENO, TCSADRAIN, &keys);
}

static void append_text(const char *text)
{
    append(text, strlen(text));
}

/* Signals */

static void on_stop(int number)
{
    stop_signal = number;
}

static void on_suspend(int number)
{
    suspended = number;
}

/* The signal's default action follows, since SA_RESETHAND is set. */
static void on_crash(int number)
{
    static const char leave[] = LEAVE;
    write_all(leave, sizeof leave - 1);
    take_keys(false);
    raise(number);
}

static struct {
    int number;
    void (*handler)(int);
    int flags;
    struct sigaction before;
} signals[] = {
    {SIGINT, on_stop, SA_RESTART, {.sa_flags = 0}},
    {SIGTERM, on_stop, SA_RESTART, {.sa_flags = 0}},
    {SIGHUP, on_stop, SA_RESTART, {.sa_flags = 0}},
    {SIGTSTP, on_suspend, SA_RESTART, {.sa_flags = 0}},
    {SIGQUIT, on_crash, (int)SA_RESETHAND, {.sa_flags = 0}},
    {SIGABRT, on_crash, (int)SA_RESETHAND, {.sa_flags = 0}},
    {SIGSEGV, on_crash, (int)SA_RESETHAND, {.sa_flags = 0}},
    {SIGBUS, on_crash, (int)SA_RESETHAND, {.sa_flags = 0}},
};
enum { SIGNALS = sizeof signals / sizeof signals[0] };

/* A signal that is ignored, as nohup ignores SIGHUP, stays so. */
static void catch_signals(void)
{
    for (int i = 0; i < SIGNALS; i++) {
        struct sigaction action = {.sa_flags = signals[i].flags};
        action.sa_handler = signals[i].handler;
        sigemptyset(&action.sa_mask);
        sigaction(signals[i].number, NULL, &signals[i].before);
        if (signals[i].before.sa_handler != SIG_IGN)
            sigaction(signals[i].number, &action, NULL);
    }
}

static void release_signals(void)
{
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i].number, &signals[i].before, NULL);
}

int terminal_signal(void)
{
    return stop_signal;
}

/* Open and close */

bool terminal_open(void)
{
    const char *kind = getenv("TERM");
    if (!isatty(STDOUT_FILENO) || !isatty(STDERR_FILENO) || kind == NULL || *kind == '\0' ||
        strcmp(kind, "dumb") == 0)
        return false;
    const char *no_colour = getenv("NO_COLOR");
    terminal.coloured = no_colour == NULL || *no_colour == '\0';
    terminal.open = true;
    fflush(NULL); /* what was printed so far belongs on the first screen */
    terminal.has_keys = tcgetattr(STDIN_FILENO, &terminal.before) == 0;
    catch_signals();
    take_keys(true);
    write_all(ENTER, strlen(ENTER));
    return true;
}

void terminal_close(void)
{
    if (!terminal.open)
        return;
    terminal.open = false;
    write_all(LEAVE, strlen(LEAVE));
    take_keys(false);
    release_signals();
}

/* Gives the terminal to the shell until the program is continued. */
static void suspend(void)
{
    suspended = 0;
    write_all(LEAVE, strlen(LEAVE));
    take_keys(false);
    raise(SIGSTOP);
    take_keys(true);
    write_all(ENTER, strlen(ENTER));
}

/* Keys */

/* A terminal sends a function key as several bytes, which come together. */
enum terminal_key terminal_key(void)
{
    char bytes[64];
    enum terminal_key key = TERMINAL_NO_KEY;
    if (!terminal.open || !terminal.has_keys)
        return key;
    ssize_t size = read(STDIN_FILENO, bytes, sizeof bytes - 1);
    bytes[size > 0 ? size : 0] = '\0';
    if (strchr(bytes, 'b') != NULL)
        key = TERMINAL_B;
    if (strstr(bytes, "\033[15~") != NULL)
        key = TERMINAL_F5;
    if (strstr(bytes, "\033[20~") != NULL)
        key = TERMINAL_F9;
    return key;
}

/* The picture */

static void start_row(void)
{
    terminal.column = 0;
    append_text("\033[K");
}

/* The size is asked for each picture, so nothing has to be done when it changes. */
void terminal_begin(void)
{
    struct winsize size = {0};
    if (suspended != 0)
        suspend();
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
        size = (struct winsize){.ws_row = 24, .ws_col = 80};
    terminal.columns = size.ws_col < MOST_COLUMNS ? size.ws_col : MOST_COLUMNS;
    terminal.rows = size.ws_row < MOST_ROWS ? size.ws_row : MOST_ROWS;
    terminal.row = 0;
    terminal.used = 0;
    append_text("\033[H");
    start_row();
}

int terminal_columns(void)
{
    return terminal.columns;
}

int terminal_rows(void)
{
    return terminal.rows;
}

int terminal_rows_left(void)
{
    return terminal.rows - terminal.row;
}

int terminal_columns_left(void)
{
    return terminal.columns - terminal.column;
}

void terminal_put(enum terminal_colour colour, const char *format, ...)
{
    static const char *const codes[] = {"", "1", "2", "34", "33", "32", "35"};
    char text[MOST_COLUMNS + 1];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length >= (int)sizeof text)
        length = (int)sizeof text - 1;
    if (length > terminal_columns_left())
        length = terminal_columns_left();
    bool room = sizeof terminal.picture - terminal.used > sizeof text + COLOUR_SIZE;
    if (terminal.row >= terminal.rows || length <= 0 || !room)
        return;
    bool coloured = terminal.coloured && colour != TERMINAL_PLAIN;
    if (coloured) {
        append_text("\033[");
        append_text(codes[colour]);
        append_text("m");
    }
    append(text, (size_t)length);
    if (coloured)
        append_text("\033[0m");
    terminal.column += length;
}

void terminal_fill(enum terminal_colour colour, char sign, int count)
{
    char signs[MOST_COLUMNS + 1];
    if (count > MOST_COLUMNS)
        count = MOST_COLUMNS;
    if (count <= 0)
        return;
    memset(signs, sign, (size_t)count);
    terminal_put(colour, "%.*s", count, signs);
}

void terminal_tab(int column)
{
    terminal_fill(TERMINAL_PLAIN, ' ', column - terminal.column);
}

/* The last row is not ended, which would scroll. */
void terminal_next_row(void)
{
    if (++terminal.row < terminal.rows) {
        append_text("\r\n");
        start_row();
    }
}

void terminal_end(void)
{
    if (terminal.row < terminal.rows)
        append_text("\033[J");
    write_all(terminal.picture, terminal.used);
}
