/* SPDX-License-Identifier: BSD-2-Clause */
/* What must be background, to judge by its colours. */
#include "filter/selection_guess.h"

#include <math.h>
#include <string.h>

#include "image/mask_parts.h"

/* What is above this share of the likelihood of the marked labels may be foreground. */
#define LIKELY 0.3

/* How far it stays away from an edge, in pixels of the map. */
#define SHRINK 2

void cofi_label_likelihood(const CofiSelectionMap *map, const uint8_t *marks, uint8_t side,
                           bool sharp, double likelihood[COFI_SELECTION_COLOURS])
{
    size_t pixels = (size_t)map->width * (size_t)map->height;
    double under[COFI_SELECTION_COLOURS] = {0};
    for (size_t i = 0; i < pixels; i++)
        under[map->labels[i]] += marks[i] == side;
    double sum = 0;
    for (int a = 0; a < COFI_SELECTION_COLOURS; a++)
        sum += under[a];
    for (int a = 0; a < COFI_SELECTION_COLOURS; a++) {
        likelihood[a] = 0;
        for (int b = 0; b < COFI_SELECTION_COLOURS && sum > 0; b++) {
            double affinity = (double)map->affinity[a][b];
            likelihood[a] += (sharp ? affinity * sqrt(affinity) : affinity) * under[b] / sum;
        }
    }
}

/* The mean likelihood of the labels under the marks of the foreground. */
static double mean_likelihood(const CofiSelectionMap *map, const uint8_t *marks,
                              const double *foreground)
{
    size_t pixels = (size_t)map->width * (size_t)map->height, n = 0;
    double sum = 0;
    for (size_t i = 0; i < pixels; i++)
        if (marks[i] == COF_STROKE_FOREGROUND) {
            sum += foreground[map->labels[i]];
            n++;
        }
    return n > 0 ? sum / (double)n : 0;
}

/* Marks the labels that are least likely in the foreground, until they fill a share of the image. A
 * share above COFI_UNLIKE is not filled with labels whose likelihood is above the limit. */
static void find_unlike(const CofiSelectionMap *map, double share, double limit,
                        const double *foreground, bool unlike[COFI_SELECTION_COLOURS])
{
    double pixels = (double)map->width * map->height, filled = 0;
    memset(unlike, 0, COFI_SELECTION_COLOURS * sizeof *unlike);
    while (filled < share * pixels) {
        int least = -1;
        for (int a = 0; a < COFI_SELECTION_COLOURS; a++)
            if (!unlike[a] && map->counts[a] > 0 &&
                (least < 0 || foreground[a] < foreground[least]))
                least = a;
        if (least < 0 || (filled >= COFI_UNLIKE * pixels && foreground[least] > limit))
            return;
        unlike[least] = true;
        filled += (double)map->counts[least];
    }
}

CofStatus cofi_guess_background(CofiCall *call, const CofiSelectionMap *map, const uint8_t *marks,
                                double share, uint8_t *seeds)
{
    size_t pixels = (size_t)map->width * (size_t)map->height;
    double foreground[COFI_SELECTION_COLOURS], background[COFI_SELECTION_COLOURS];
    bool unlike[COFI_SELECTION_COLOURS];
    bool has_background = memchr(marks, COF_STROKE_BACKGROUND, pixels) != NULL;
    uint8_t *all = cofi_call_take_raw(call, pixels, 1);
    uint8_t *guess = cofi_call_take_raw(call, pixels, 1);
    if (!all || !guess)
        return COF_ERR_MEMORY;
    cofi_label_likelihood(map, marks, COF_STROKE_FOREGROUND, false, foreground);
    cofi_label_likelihood(map, marks, COF_STROKE_BACKGROUND, false, background);
    double limit = LIKELY * mean_likelihood(map, marks, foreground);
    find_unlike(map, share, limit, foreground, unlike);
    for (int a = 0; a < COFI_SELECTION_COLOURS && has_background; a++)
        unlike[a] = unlike[a] && foreground[a] < background[a];
    for (size_t i = 0; i < pixels; i++)
        guess[i] = unlike[map->labels[i]] && marks[i] != COF_STROKE_FOREGROUND;
    cofi_shrink(guess, map->width, map->height, SHRINK, all);
    if (memchr(all, 1, pixels))
        memcpy(guess, all, pixels);
    else
        memcpy(all, guess, pixels); /* speckles */
    CofStatus status = cofi_keep_at_border(call, guess, map->width, map->height);
    if (status != COF_OK)
        return status;
    bool found = memchr(guess, 1, pixels) != NULL;
    const uint8_t *used = found || has_background ? guess : all;
    for (size_t i = 0; i < pixels; i++)
        if (used[i])
            seeds[i] = COF_STROKE_BACKGROUND;
    return COF_OK;
}
