/* SPDX-License-Identifier: MIT */
/* sink: text on its way to a sink, a piece at a time. */
#ifndef HANDLE_MAP_SINK_PRIVATE_H
#define HANDLE_MAP_SINK_PRIVATE_H

#include "base_private.h"

#include <handle_map/sink.h>

enum { HM_TEXT_PART = 256 }; /* characters and a zero, at most, of what is put at a time */

/* Only the sink is set at the start. */
typedef struct hm_text {
    hm_sink sink;
    hm_status status; /* HM_OK, or why nothing more is written */
    size_t length;
    char piece[2 * HM_TEXT_PART];
} hm_text;

/* Cuts off what is longer than HM_TEXT_PART allows. */
HM_PRINTF(2, 3) void hm_text_put(hm_text *text, const char *format, ...);

/* Writes the rest, which is not empty, and returns the status: HM_ERROR_IO, the sink refused. */
hm_status hm_text_end(hm_text *text);

#endif
