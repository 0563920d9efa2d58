/* SPDX-License-Identifier: MIT */
/* demo_picture: the demo's picture, drawn by gnuplot. */
#ifndef DEMO_PICTURE_H
#define DEMO_PICTURE_H

#include "demo_report.h"

/* Makes the directory if needed, and checks that the files of the picture can be written there.
 * Changes none of them. Returns false if that is impossible; errno says why. */
bool picture_prepare(const char *directory);

/* Writes the figures of the frames, a gnuplot script and a picture to a directory that was
 * prepared, and prints their paths. Returns NULL, or what went wrong. */
const char *picture_draw(const struct demo_result *result, const char *directory);

#endif
