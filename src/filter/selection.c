/* SPDX-License-Identifier: BSD-2-Clause */
/* From strokes to a mask: water rises from the strokes, and the mask ends where it meets. */
#include "filter/selection.h"

#include <string.h>

#include "base/memory.h"
#include "image/box_downscale.h"
#include "image/flood.h"
#include "image/image.h"
#include "image/mask_parts.h"

/* The share of the image, of those colours that occur least with those of the object, that is
 * background where it reaches the border of the image. */
#define UNLIKE 0.125

CofStatus cofi_selection_new(CofiCall *call, const CofImage *image, CofSelection **selection)
{
    CofSelection *s = cofi_calloc(1, sizeof *s);
    if (!s)
        return COF_ERR_MEMORY;
    s->image = *image;
    s->marks = cofi_calloc((size_t)image->height, (size_t)image->width);
    CofStatus status = s->marks ? cofi_selection_map_make(call, image, &s->map) : COF_ERR_MEMORY;
    if (status == COF_OK)
        *selection = s;
    else
        cofi_selection_free(&s);
    return status;
}

void cofi_selection_free(CofSelection **selection)
{
    if (!*selection)
        return;
    cofi_selection_map_clear(&(*selection)->map);
    cofi_fine_edges_clear(&(*selection)->fine);
    cofi_free((*selection)->marks);
    cofi_free(*selection);
    *selection = NULL;
}

CofImage cofi_selection_marks(const CofSelection *s)
{
    int width = s->image.width, height = s->image.height;
    return (CofImage){.data = s->marks,
                      .width = width,
                      .height = height,
                      .channels = 1,
                      .kind = COF_KIND_GREY,
                      .sample = COF_SAMPLE_U8,
                      .row_stride = width,
                      .pixel_stride = 1,
                      .channel_stride = 1,
                      .full_width = width,
                      .full_height = height};
}

void cofi_selection_add(CofSelection *s, const CofImage *pixels, uint8_t mark)
{
    uint8_t *marks = s->marks;
    for (int y = 0; y < pixels->height; y++)
        for (int x = 0; x < pixels->width; x++, marks++)
            if (*cofi_pixel(pixels, x, y) != 0)
                *marks = mark;
}

/* The marks at the size of the map: in each cell, that of most marked pixels. */
static void downscale_marks(const CofSelection *s, uint8_t *small)
{
    int n = s->map.n, width = s->image.width, height = s->image.height;
    for (int y = 0; y < s->map.height; y++)
        for (int x = 0; x < s->map.width; x++) {
            int found[COFI_BACKGROUND + 1] = {0};
            for (int row = y * n; row < (y + 1) * n && row < height; row++)
                for (int column = x * n; column < (x + 1) * n && column < width; column++)
                    found[s->marks[(ptrdiff_t)row * width + column]]++;
            uint8_t most = found[COFI_FOREGROUND] >= found[COFI_BACKGROUND] ? COFI_FOREGROUND
                                                                            : COFI_BACKGROUND;
            *small++ = found[most] > 0 ? most : 0;
        }
}

/* How usual each label is near those under the marks of one side. */
static void find_likelihood(const CofSelection *s, const uint8_t *marks, uint8_t side,
                            double likelihood[COFI_SELECTION_COLOURS])
{
    size_t pixels = (size_t)s->map.width * (size_t)s->map.height;
    double under[COFI_SELECTION_COLOURS] = {0};
    for (size_t i = 0; i < pixels; i++)
        under[s->map.labels[i]] += marks[i] == side;
    double sum = 0;
    for (int a = 0; a < COFI_SELECTION_COLOURS; a++)
        sum += under[a];
    for (int a = 0; a < COFI_SELECTION_COLOURS; a++) {
        likelihood[a] = 0;
        for (int b = 0; b < COFI_SELECTION_COLOURS; b++)
            likelihood[a] += sum > 0 ? (double)s->map.affinity[a][b] * under[b] / sum : 0;
    }
}

/* Marks the labels that are least likely in the foreground, until they fill a share of the image.
 */
static void find_unlike(const CofSelection *s, const double *foreground,
                        bool unlike[COFI_SELECTION_COLOURS])
{
    double pixels = (double)s->map.width * s->map.height, filled = 0;
    memset(unlike, 0, COFI_SELECTION_COLOURS * sizeof *unlike);
    while (filled < UNLIKE * pixels) {
        int least = -1;
        for (int a = 0; a < COFI_SELECTION_COLOURS; a++)
            if (!unlike[a] && s->map.counts[a] > 0 &&
                (least < 0 || foreground[a] < foreground[least]))
                least = a;
        if (least < 0)
            return;
        unlike[least] = true;
        filled += (double)s->map.counts[least];
    }
}

/* Takes for background what is unlike the foreground, is more usual near the background's marks,
 * and reaches the border of the image. Without marks on the background, enclosed parts will do if
 * there are no others. */
static CofStatus guess_background(CofiCall *call, const CofSelection *s, uint8_t *marks)
{
    size_t pixels = (size_t)s->map.width * (size_t)s->map.height;
    double foreground[COFI_SELECTION_COLOURS], background[COFI_SELECTION_COLOURS];
    bool unlike[COFI_SELECTION_COLOURS];
    bool has_background = memchr(marks, COFI_BACKGROUND, pixels) != NULL;
    uint8_t *guess = cofi_call_take(call, pixels, 1);
    if (!guess)
        return COF_ERR_MEMORY;
    find_likelihood(s, marks, COFI_FOREGROUND, foreground);
    find_likelihood(s, marks, COFI_BACKGROUND, background);
    find_unlike(s, foreground, unlike);
    for (int a = 0; a < COFI_SELECTION_COLOURS && has_background; a++)
        unlike[a] = unlike[a] && foreground[a] < background[a];
    for (size_t i = 0; i < pixels; i++)
        guess[i] = unlike[s->map.labels[i]] && !marks[i];
    CofStatus status = cofi_keep_at_border(call, guess, s->map.width, s->map.height);
    bool found = memchr(guess, 1, pixels) != NULL;
    for (size_t i = 0; i < pixels && status == COF_OK; i++) {
        bool is_unlike = found ? guess[i] : !has_background && unlike[s->map.labels[i]];
        if (is_unlike && !marks[i])
            marks[i] = COFI_BACKGROUND;
    }
    return status;
}

/* Labels at the size of the map. */
static CofStatus select_small(CofiCall *call, const CofSelection *s, uint8_t *labels)
{
    size_t pixels = (size_t)s->map.width * (size_t)s->map.height;
    uint8_t *marks = cofi_call_take_raw(call, pixels, 1);
    if (!marks)
        return COF_ERR_MEMORY;
    downscale_marks(s, marks);
    memcpy(labels, marks, pixels);
    CofStatus status = guess_background(call, s, labels);
    if (status == COF_OK)
        status = cofi_flood(call, s->map.levels, s->map.width, s->map.height, labels);
    size_t smallest = (size_t)(call->options.min_area * (double)pixels);
    if (status == COF_OK)
        status =
            cofi_remove_small_parts(call, labels, marks, s->map.width, s->map.height, smallest);
    return status;
}

typedef struct Storing {
    const CofImage *mask;
    const uint8_t *labels;
} Storing;

static void store_rows(void *context, int first, int last, int worker)
{
    (void)worker;
    const Storing *s = context;
    for (int y = first; y < last; y++) {
        const uint8_t *labels = s->labels + (ptrdiff_t)y * s->mask->width;
        for (int x = 0; x < s->mask->width; x++)
            *cofi_pixel(s->mask, x, y) = labels[x] == COFI_FOREGROUND ? 255 : 0;
    }
}

CofStatus cofi_selection_update(CofiCall *call, CofSelection *s, const CofImage *mask)
{
    size_t width = (size_t)s->image.width, height = (size_t)s->image.height;
    if (!memchr(s->marks, COFI_FOREGROUND, width * height))
        return cofi_call_fail(call, COF_ERR_EMPTY, "no pixel of the object is marked");
    CofiMark mark = cofi_call_mark(call);
    uint8_t *labels = cofi_call_take_raw(call, (size_t)s->map.height, (size_t)s->map.width);
    CofStatus status = labels ? select_small(call, s, labels) : COF_ERR_MEMORY;
    if (status == COF_OK && s->map.n > 1)
        status =
            cofi_selection_refine(call, &s->image, &s->map, labels, s->marks, &s->fine, &labels);
    Storing storing = {mask, labels};
    if (status == COF_OK)
        cofi_call_output_rows(call, mask->height, COFI_SELECTION_UPDATE_UNITS, store_rows,
                              &storing);
    cofi_call_release(call, mark);
    return status;
}
