/* SPDX-License-Identifier: MIT */
/* format: the conversions that the library's sentences use. */
#include "base_private.h"

#include <handle_map/base.h>

#include <stdbool.h>

typedef struct format_text {
    char *buffer;
    size_t size;   /* bytes of the buffer */
    size_t length; /* of the whole text */
} format_text;

/* What is between the % and the letter. */
typedef struct format_spec {
    size_t width;     /* digits at least, with zeros before them */
    size_t precision; /* characters of a string at most */
    char length;      /* 'l', 'L' for ll, 'z', or 0 */
} format_spec;

static void format_put(format_text *text, char character)
{
    if (text->length + 1 < text->size)
        text->buffer[text->length] = character;
    text->length++;
}

static void format_string(format_text *text, const char *string, size_t precision)
{
    if (string == NULL)
        string = "(null)";
    for (size_t i = 0; i < precision && string[i] != '\0'; i++)
        format_put(text, string[i]);
}

static void format_number(format_text *text, uint64_t number, unsigned base, size_t width)
{
    char digits[20]; /* of UINT64_MAX in base 10 */
    size_t count = 0;
    do {
        digits[count++] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number != 0);
    for (size_t i = count; i < width; i++)
        format_put(text, '0');
    while (count != 0)
        format_put(text, digits[--count]);
}

static size_t format_read_digits(const char **at)
{
    size_t number = 0;
    for (; (unsigned)(**at - '0') < 10; ++*at)
        number = number * 10 + (size_t)(**at - '0');
    return number;
}

/* Moves `at` to the letter of the conversion. */
static format_spec format_read_spec(const char **at)
{
    format_spec spec = {.precision = SIZE_MAX};
    if (**at == '0')
        spec.width = format_read_digits(at);
    if (**at == '.') {
        ++*at;
        spec.precision = format_read_digits(at);
    }
    if (**at == 'l' || **at == 'z')
        spec.length = *(*at)++;
    if (spec.length == 'l' && **at == 'l') {
        spec.length = 'L';
        ++*at;
    }
    return spec;
}

/* va_list may be an array type, of which a function gets a pointer: so the list is in a struct. */
typedef struct format_arguments {
    va_list list;
} format_arguments;

static uint64_t format_take_unsigned(format_arguments *arguments, char length)
{
    switch (length) {
    case 'l':
        return va_arg(arguments->list, unsigned long);
    case 'L':
        return va_arg(arguments->list, unsigned long long);
    case 'z':
        return va_arg(arguments->list, size_t);
    default:
        return va_arg(arguments->list, unsigned);
    }
}

static void format_convert(format_text *text, char letter, const format_spec *spec,
                           format_arguments *arguments)
{
    switch (letter) {
    case 's':
        format_string(text, va_arg(arguments->list, const char *), spec->precision);
        return;
    case 'u':
    case 'x':
        format_number(text, format_take_unsigned(arguments, spec->length), letter == 'u' ? 10 : 16,
                      spec->width);
        return;
    default:
        hm_panic(__FILE__, __LINE__, "format: a conversion that is not known");
    }
}

size_t hm_format_list(char *buffer, size_t size, const char *format, va_list arguments)
{
    format_text text = {buffer, size, 0};
    format_arguments rest;
    va_copy(rest.list, arguments);
    for (const char *at = format; *at != '\0'; at++) {
        if (*at != '%') {
            format_put(&text, *at);
            continue;
        }
        at++;
        format_spec spec = format_read_spec(&at);
        format_convert(&text, *at, &spec, &rest);
    }
    va_end(rest.list);
    if (size != 0)
        buffer[text.length < size ? text.length : size - 1] = '\0';
    return text.length;
}

size_t hm_format(char *buffer, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t length = hm_format_list(buffer, size, format, arguments);
    va_end(arguments);
    return length;
}
