/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of an image to the values that are compared and averaged, and back. */
#include "colour.h"

#include "cpu.h"
#include "image.h"
#include "roots.h"

/* Pixels converted at once, in buffers on the stack. */
#define BLOCK 256

/* sRGB decoding. v^2.4 = v^2 (v^(1/5))^2. */
static double decode(double v)
{
    if (v <= 0.04045)
        return v / 12.92;
    double t = (v + 0.055) / 1.055, root = cofi_fifth_root(t);
    return t * t * (root * root);
}

CofStatus cofi_colour_init(CofiColour *colour, CofiRun *run, const CofImage *image, double pixels)
{
    *colour = (CofiColour){.kernels = cofi_kernels(cofi_cpu_flags()),
                           .max = cofi_sample_max(image->sample)};
    int entries = image->sample == COF_U8 ? 256 : image->sample == COF_U16 ? 65536 : 0;
    if (cofi_family(image->kind) != COF_RGB || entries == 0 || 3 * pixels < entries)
        return COF_OK;
    double *table = cofi_run_take(run, (size_t)entries, sizeof *table);
    if (!table)
        return COF_ERR_MEMORY;
    for (int i = 0; i < entries; i++)
        table[i] = decode(i / colour->max);
    colour->linear = table;
    return COF_OK;
}

/* Linear light of n samples of one channel. */
static void linear_row(const CofiColour *colour, const CofImage *image, int channel, int x, int y,
                       int n, double *linear)
{
    const double *table = colour->linear;
    if (table && image->sample == COF_U8) {
        const unsigned char *p = cofi_pixel(image, x, y) + channel * image->plane;
        for (int i = 0; i < n; i++)
            linear[i] = table[p[i * image->step]];
        return;
    }
    float values[BLOCK];
    cofi_load_row(image, channel, x, y, n, values);
    for (int i = 0; i < n; i++)
        linear[i] = table ? table[(int)values[i]] : decode((double)values[i] / colour->max);
}

void cofi_lab_row(const CofiColour *colour, const CofImage *image, int x, int y, int n,
                  float *const *lab)
{
    double linear[3][BLOCK];
    for (int first = 0; first < n; first += BLOCK) {
        int count = n - first < BLOCK ? n - first : BLOCK;
        for (int channel = 0; channel < 3; channel++)
            linear_row(colour, image, channel, x + first, y, count, linear[channel]);
        colour->kernels.lab_from_linear(linear[0], linear[1], linear[2], count, lab[0] + first,
                                        lab[1] + first, lab[2] + first);
    }
}

void cofi_lab_of_values(const CofiColour *colour, const float *const *rgb, int n, float *const *lab)
{
    double linear[3][BLOCK];
    for (int first = 0; first < n; first += BLOCK) {
        int count = n - first < BLOCK ? n - first : BLOCK;
        for (int channel = 0; channel < 3; channel++)
            for (int i = 0; i < count; i++)
                linear[channel][i] = decode((double)rgb[channel][first + i] / colour->max);
        colour->kernels.lab_from_linear(linear[0], linear[1], linear[2], count, lab[0] + first,
                                        lab[1] + first, lab[2] + first);
    }
}

void cofi_store_lab_row(const CofiColour *colour, const CofImage *image, int x, int y, int n,
                        const float *const *lab)
{
    float rgb[3][BLOCK], max = (float)colour->max;
    for (int first = 0; first < n; first += BLOCK) {
        int count = n - first < BLOCK ? n - first : BLOCK;
        colour->kernels.rgb_from_lab(lab[0] + first, lab[1] + first, lab[2] + first, count, rgb[0],
                                     rgb[1], rgb[2]);
        for (int channel = 0; channel < 3; channel++) {
            for (int i = 0; i < count; i++)
                rgb[channel][i] *= max;
            cofi_store_row(image, channel, x + first, y, count, rgb[channel]);
        }
    }
}
