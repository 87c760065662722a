/* SPDX-License-Identifier: BSD-2-Clause */
/* A program without a C library, which a linker of Visual Studio's kind makes with cof.lib. Returns
 * 0 if an image can be smoothed. */
#include "cof/cof.h"

int _fltused = 1; /* what such objects with floating-point numbers ask for */

int start(void);

int start(void)
{
    static unsigned char pixels[32 * 32];
    static CofImage image;
    for (int i = 0; i < 32 * 32; i++)
        pixels[i] = (unsigned char)(i * 7);
    image.data = pixels;
    image.width = image.height = 32;
    image.channels = 1;
    return cof_smooth(&image, &image, NULL) == COF_OK ? 0 : 1;
}
