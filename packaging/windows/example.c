/* SPDX-License-Identifier: BSD-2-Clause */
/* Smooths a noisy image in memory and says how much it has changed. */
#include <stdio.h>
#include <stdlib.h>

#include "cof/cof.h"

enum { SIDE = 256, SAMPLES = SIDE * SIDE * 3 };

int main(void)
{
    static unsigned char pixels[SAMPLES], smooth[SAMPLES];
    static CofImage in, out;
    unsigned noise = 1;
    double change = 0;
    int i;
    for (i = 0; i < SAMPLES; i++) {
        noise = noise * 1664525u + 1013904223u;
        pixels[i] = (unsigned char)((i / 3 % SIDE < SIDE / 2 ? 60 : 180) + (noise >> 27));
    }
    in.data = pixels;
    in.width = in.height = SIDE;
    in.channels = 3;
    in.kind = COF_KIND_RGB;
    out = in;
    out.data = smooth;
    if (cof_smooth(&in, &out, NULL) != COF_OK)
        return 1;
    for (i = 0; i < SAMPLES; i++)
        change += abs(smooth[i] - pixels[i]);
    printf("libcof %u.%u.%u: mean change %.2f\n", (unsigned)(cof_version() >> 16),
           (unsigned)(cof_version() >> 8 & 255), (unsigned)(cof_version() & 255), change / SAMPLES);
    return 0;
}
