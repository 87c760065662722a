/* SPDX-License-Identifier: BSD-2-Clause */
/* What a correction can change. Who corrects a mask draws a stroke as large as what is wrong. If it
 * acted everywhere, the water of a dab at the border of the object could take all of the other
 * side, where no stroke holds it back. */
#include "filter/selection_correct.h"

#include <math.h>
#include <stdbool.h>

#include "image/image.h"

/* How far a place acts in addition to its length times `reach`, where the length is the diagonal of
 * the rectangle around it: this share of the diagonal of the image. */
#define REACH_SHARE 0.01

typedef struct Changes {
    const uint8_t *marks, *last_marks;
    int width, height;
    double reach; /* in lengths */
    uint8_t *seen;
    uint32_t *pixels; /* of one place, in the order in which they were found */
    uint32_t n;
} Changes;

/* Does the pixel have this mark now, and had another one? */
static bool has_new_mark(const Changes *c, uint32_t pixel, uint8_t mark)
{
    return c->marks[pixel] == mark && c->last_marks[pixel] != mark;
}

static void find(Changes *c, uint32_t pixel, uint8_t mark)
{
    if (c->seen[pixel] || !has_new_mark(c, pixel, mark))
        return;
    c->seen[pixel] = 1;
    c->pixels[c->n++] = pixel;
}

/* Finds the eight neighbours that have the same new mark. */
static void find_neighbours(Changes *c, int x, int y, uint8_t mark)
{
    int right = x + 1 < c->width ? x + 1 : x, bottom = y + 1 < c->height ? y + 1 : y;
    for (int row = y > 0 ? y - 1 : y; row <= bottom; row++)
        for (int column = x > 0 ? x - 1 : x; column <= right; column++)
            find(c, (uint32_t)row * (uint32_t)c->width + (uint32_t)column, mark);
}

/* The rectangle around the connected pixels with the same new mark. */
static CofRect find_place(Changes *c, uint32_t pixel)
{
    int left = c->width, right = 0, top = c->height, bottom = 0;
    uint32_t width = (uint32_t)c->width;
    c->n = 0;
    find(c, pixel, c->marks[pixel]);
    for (uint32_t i = 0; i < c->n; i++) {
        int x = (int)(c->pixels[i] % width), y = (int)(c->pixels[i] / width);
        left = x < left ? x : left;
        right = x > right ? x : right;
        top = y < top ? y : top;
        bottom = y > bottom ? y : bottom;
        find_neighbours(c, x, y, c->marks[pixel]);
    }
    return (CofRect){left, top, right - left + 1, bottom - top + 1};
}

static double diagonal(double width, double height)
{
    return sqrt(width * width + height * height);
}

/* Adds the rectangle around a place to `steps`, which have a row and a column more than the labels:
 * their sum over all pixels above and to the left of a pixel, and itself, is the number of
 * rectangles around it. */
static void add_around(const Changes *c, CofRect place, int32_t *steps)
{
    int reach = (int)(c->reach * diagonal(place.width, place.height) +
                      REACH_SHARE * diagonal(c->width, c->height));
    CofRect all = {0, 0, c->width, c->height};
    CofRect around = {place.x - reach, place.y - reach, place.width + 2 * reach,
                      place.height + 2 * reach};
    around = cofi_rect_intersect(around, all);
    int32_t *top = steps + (ptrdiff_t)around.y * (c->width + 1) + around.x;
    int32_t *bottom = top + (ptrdiff_t)around.height * (c->width + 1);
    top[0]++;
    top[around.width]--;
    bottom[0]--;
    bottom[around.width]++;
}

/* Clears the labels inside of all rectangles at once: there can be as many as pixels, and each can
 * be as large as the image. */
static void clear_rectangles(const Changes *c, int32_t *steps, uint8_t *labels)
{
    int stride = c->width + 1;
    for (int y = 0; y < c->height; y++, steps += stride) {
        int32_t rectangles = 0;
        for (int x = 0; x < c->width; x++, labels++) {
            steps[x] += y > 0 ? steps[x - stride] : 0;
            rectangles += steps[x];
            *labels = rectangles > 0 ? 0 : *labels;
        }
    }
}

CofStatus cofi_clear_near_changes(CofiCall *call, const uint8_t *marks, const uint8_t *last_marks,
                                  int width, int height, double reach, uint8_t *labels)
{
    size_t pixels = (size_t)width * (size_t)height;
    CofiMark memory = cofi_call_mark(call);
    Changes c = {
        .marks = marks, .last_marks = last_marks, .width = width, .height = height, .reach = reach};
    if (pixels > INT32_MAX)
        return COF_ERR_MEMORY;
    c.seen = cofi_call_take(call, pixels, 1);
    c.pixels = cofi_call_take_raw(call, pixels, sizeof *c.pixels);
    int32_t *steps = cofi_call_take(call, (size_t)height + 1, ((size_t)width + 1) * sizeof *steps);
    if (!c.seen || !c.pixels || !steps)
        return COF_ERR_MEMORY;
    for (uint32_t i = 0; i < (uint32_t)pixels; i++)
        if (marks[i] != last_marks[i] && !c.seen[i])
            add_around(&c, find_place(&c, i), steps);
    clear_rectangles(&c, steps, labels);
    cofi_call_release(call, memory);
    return COF_OK;
}
