/* SPDX-License-Identifier: MIT */
/* demo_picture: the demo's picture, drawn by gnuplot. */
#ifndef DEMO_PICTURE_H
#define DEMO_PICTURE_H

#include "demo_report.h"

/* Writes the figures of the frames, a gnuplot script and a picture to the directory, which it makes
 * if needed, and prints their paths. Returns NULL, or what went wrong. */
const char *picture_draw(const struct demo_result *result, const char *directory);

#endif
