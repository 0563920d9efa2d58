/* SPDX-License-Identifier: MIT */
/* demo_camera: a camera that flies in a figure of eight over a square of ground.
 *
 *        \  far  /        It sees the sector in front of it, of 70 degrees, up to a distance that
 *         \_____/         grows with the ground. Distances come in steps, since the order of what
 *          \   /          is drawn needs no more, and since every change of step costs a move.
 *           \ /
 *          camera */
#ifndef DEMO_CAMERA_H
#define DEMO_CAMERA_H

#include <stdbool.h>
#include <stdint.h>

enum { CAMERA_STEPS = 8 }; /* of distance */

struct demo_camera {
    float x, z;             /* position over the ground, which reaches from 0 to its extent */
    float ahead_x, ahead_z; /* the direction of flight and of view, of length 1 */
    float far;              /* nothing is seen beyond this distance */
};

/* Where the camera is in a frame. */
struct demo_camera camera_at(uint32_t frame, float extent);

/* Whether the camera sees a point; then *step is its distance, below CAMERA_STEPS. */
bool camera_sees(const struct demo_camera *camera, float x, float z, uint32_t *step);

#endif
