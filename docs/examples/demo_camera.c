/* SPDX-License-Identifier: MIT */
/* The demo's camera. See demo_camera.h. */
#include "demo_camera.h"

#include <math.h>

enum { FRAMES_A_ROUND = 600 };

static const float full_turn = 6.2831853F;
static const float half_width = 0.70F; /* tangent of half the angle of view */
static const float margin = 6;         /* so that what is near the camera is not cut off */

struct demo_camera camera_at(uint32_t frame, float extent)
{
    float angle = full_turn * (float)(frame % FRAMES_A_ROUND) / FRAMES_A_ROUND;
    /* The derivatives of the position by the angle, but for a factor. */
    float ahead_x = cosf(angle);
    float ahead_z = 2 * cosf(2 * angle);
    float length = sqrtf(ahead_x * ahead_x + ahead_z * ahead_z);
    return (struct demo_camera){.x = extent * (0.5F + 0.4F * sinf(angle)),
                                .z = extent * (0.5F + 0.4F * sinf(2 * angle)),
                                .ahead_x = ahead_x / length,
                                .ahead_z = ahead_z / length,
                                .far = 0.6F * extent};
}

bool camera_sees(const struct demo_camera *camera, float x, float z, uint32_t *step)
{
    float to_x = x - camera->x;
    float to_z = z - camera->z;
    float ahead = to_x * camera->ahead_x + to_z * camera->ahead_z;
    float aside = fabsf(to_x * camera->ahead_z - to_z * camera->ahead_x);
    if (!(ahead >= 0 && ahead < camera->far && aside <= margin + half_width * ahead))
        return false;
    *step = (uint32_t)(ahead / camera->far * CAMERA_STEPS);
    return *step < CAMERA_STEPS;
}
