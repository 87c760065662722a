/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks: options that go together, for a picture of some size. */
#include "cof/cof.h"

#include <math.h>
#include <stddef.h>

/* Windows are in pixels of a picture of this side, if it were square: about those that they were
 * found on (docs/quality.md). */
#define USUAL_SIDE 400.0

#define LEAST_WINDOW 5
#define USUAL_ACCURACY 45

/* Up to 32 colours, so that the fast method does the last pass over a large picture. */
typedef struct Look {
    int window, colours, iterations;
    double softness;
    CofRepeat repeat;
} Look;

static const Look looks[] = {
    [COF_LOOK_SUBTLE] = {.window = 9, .colours = 32, .iterations = 2, .softness = 0.5},
    [COF_LOOK_TEXTURE] = {.window = 21, .colours = 32, .iterations = 8, .softness = 0.5},
    [COF_LOOK_CARTOON] = {.window = 9,
                          .colours = 16,
                          .iterations = 8,
                          .repeat = COF_REPEAT_RELABEL},
};

static int nearest_odd(double value)
{
    return 2 * (int)floor(value / 2) + 1;
}

static int limited(int value, int least, int most)
{
    return value < least ? least : value > most ? most : value;
}

void cof_options_look(CofOptions *options, CofLook look, int width, int height)
{
    if (!options || (unsigned)look >= sizeof looks / sizeof looks[0] || width < 1 || height < 1)
        return;
    if (options->struct_size < offsetof(CofOptions, coarse) + sizeof options->coarse)
        return;
    double larger = sqrt((double)width * height) / USUAL_SIDE;
    int coarse = larger < COF_MAX_COARSE ? limited((int)larger, 1, COF_MAX_COARSE) : COF_MAX_COARSE;
    double window = looks[look].window * larger / coarse;
    cof_options_preset(options, COF_PRESET_PAPER);
    options->colours = options->levels = looks[look].colours;
    options->window = window < COF_MAX_WINDOW
                          ? limited(nearest_odd(window), LEAST_WINDOW, COF_MAX_WINDOW)
                          : COF_MAX_WINDOW;
    options->filter_window = 0;
    options->softness = looks[look].softness;
    options->iterations = looks[look].iterations;
    options->repeat = looks[look].repeat;
    options->until = 0;
    options->method = COF_METHOD_FAST;
    options->accuracy = USUAL_ACCURACY;
    options->coarse = coarse;
}
