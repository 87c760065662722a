/* SPDX-License-Identifier: BSD-2-Clause */
/* Edges for given strokes: those between what is like the object and what is like the background
 * are higher than those inside of either. */
#include "filter/selection_levels.h"

#include <string.h>

#include "filter/selection_guess.h"
#include "image/flood.h"
#include "image/image.h"

/* Added to both likelihoods: colours that neither side has say nothing. */
#define DOUBT 0.1

/* By how much a gradient grows, for each unit of the gradient of the share of the foreground. */
#define GAIN 4.0

/* Certain foreground, as a byte. */
#define CERTAIN 255

/* How likely each label is foreground rather than background. */
static void find_shares(const CofiSelectionMap *map, const uint8_t *marks,
                        uint8_t shares[COFI_SELECTION_COLOURS])
{
    double foreground[COFI_SELECTION_COLOURS], background[COFI_SELECTION_COLOURS];
    cofi_label_likelihood(map, marks, COF_STROKE_FOREGROUND, true, foreground);
    cofi_label_likelihood(map, marks, COF_STROKE_BACKGROUND, true, background);
    for (int a = 0; a < COFI_SELECTION_COLOURS; a++) {
        double share = (foreground[a] + DOUBT) / (foreground[a] + background[a] + 2 * DOUBT);
        shares[a] = (uint8_t)(CERTAIN * share + 0.5);
    }
}

/* Raises each level by the gradient of the shares; the highest becomes the highest there is. */
static void raise_levels(const CofiSelectionMap *map, float *gradient, uint16_t *levels)
{
    size_t pixels = (size_t)map->width * (size_t)map->height;
    float strongest = 0, gain = (float)(GAIN / CERTAIN);
    for (size_t i = 0; i < pixels; i++) {
        float level = map->levels[i];
        gradient[i] = level * level * (1 + gain * gradient[i]);
        strongest = gradient[i] > strongest ? gradient[i] : strongest;
    }
    double top = COFI_FLOOD_LEVELS - 1;
    double scale = strongest > 0 ? top * top / (double)strongest : 0;
    for (size_t i = 0; i < pixels; i++)
        levels[i] = cofi_selection_level((double)gradient[i], scale);
}

CofStatus cofi_selection_levels(CofiCall *call, const CofiSelectionMap *map, const uint8_t *marks,
                                const uint16_t **levels)
{
    size_t pixels = (size_t)map->width * (size_t)map->height;
    uint8_t shares[COFI_SELECTION_COLOURS];
    *levels = map->levels;
    if (!memchr(marks, COF_STROKE_FOREGROUND, pixels) ||
        !memchr(marks, COF_STROKE_BACKGROUND, pixels))
        return COF_OK;
    uint16_t *raised = cofi_call_take_raw(call, pixels, sizeof *raised);
    CofiMark mark = cofi_call_mark(call);
    uint8_t *sides = cofi_call_take_raw(call, pixels, 1);
    float *gradient = cofi_call_take_raw(call, pixels, sizeof *gradient);
    if (!raised || !sides || !gradient)
        return COF_ERR_MEMORY;
    find_shares(map, marks, shares);
    for (size_t i = 0; i < pixels; i++)
        sides[i] = shares[map->labels[i]];
    CofImage view = cofi_packed_bytes(sides, map->width, map->height);
    CofStatus status = cofi_selection_gradient(call, &view, gradient);
    if (status == COF_OK)
        raise_levels(map, gradient, raised);
    *levels = raised;
    cofi_call_release(call, mark);
    return status;
}
