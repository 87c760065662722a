/* SPDX-License-Identifier: BSD-2-Clause */
/* Motion by search: the translation with the smallest mean difference at a small size. */
#include "image/motion.h"

#include <math.h>

#include "image/box_downscale.h"
#include "image/image.h"

#define SIDE 160           /* of the images that are compared, at most */
#define MAX_SHARE 0.125    /* of the shorter side: how far the search goes */
#define MAX_POINTS 4000    /* of the object that are compared */
#define MIN_INSIDE 0.7     /* share of the points that must stay inside of the image */
#define DISTANCE_COST 0.01 /* makes a difference this much larger for each pixel of motion */

typedef struct Search {
    int width, height, bands;
    float *from, *to; /* planes of the downscaled images */
    int (*points)[2]; /* pixels of the object */
    size_t n_points;
} Search;

/* The bands of an image, downscaled, one plane after the other. */
static CofStatus load_planes(CofiCall *call, const CofImage *image, int n, Search *s,
                             float **planes)
{
    CofImage small = *image;
    CofStatus status = n > 1 ? cofi_downscale(call, image, n, &small) : COF_OK;
    if (status != COF_OK)
        return status;
    s->width = small.width;
    s->height = small.height;
    s->bands = cofi_bands(&small);
    size_t row = (size_t)small.width * sizeof(float);
    float *at = *planes = cofi_call_take_raw(call, (size_t)s->bands * (size_t)small.height, row);
    if (!at)
        return COF_ERR_MEMORY;
    for (int band = 0; band < s->bands; band++)
        for (int y = 0; y < small.height; y++, at += small.width)
            cofi_load_row(&small, band, 0, y, small.width, at);
    return COF_OK;
}

/* Is the pixel in the middle of a cell of the downscaled image marked? */
static bool is_marked(const CofImage *mask, int n, int x, int y)
{
    int column = x * n + n / 2, row = y * n + n / 2;
    return column < mask->width && row < mask->height && *cofi_pixel(mask, column, row) != 0;
}

/* Lists pixels of the object, evenly spread if there are too many. */
static CofStatus list_points(CofiCall *call, const CofImage *mask, int n, Search *s)
{
    size_t found = 0, number = 0;
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++)
            found += is_marked(mask, n, x, y);
    size_t step = found / MAX_POINTS + 1;
    s->points = cofi_call_take_raw(call, found / step + 1, sizeof *s->points);
    if (!s->points)
        return COF_ERR_MEMORY;
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++)
            if (is_marked(mask, n, x, y) && number++ % step == 0) {
                s->points[s->n_points][0] = x;
                s->points[s->n_points++][1] = y;
            }
    return COF_OK;
}

/* The mean difference of the object's pixels after a translation, which costs more the farther it
 * goes; infinite if too many leave the image. */
static double difference(const Search *s, int dx, int dy)
{
    double sum = 0;
    size_t inside = 0;
    ptrdiff_t plane = (ptrdiff_t)s->width * s->height, offset = (ptrdiff_t)dy * s->width + dx;
    for (size_t i = 0; i < s->n_points; i++) {
        int x = s->points[i][0], y = s->points[i][1];
        if (x + dx < 0 || x + dx >= s->width || y + dy < 0 || y + dy >= s->height)
            continue;
        inside++;
        const float *from = s->from + (ptrdiff_t)y * s->width + x;
        const float *to = s->to + (ptrdiff_t)y * s->width + x + offset;
        for (int band = 0; band < s->bands; band++)
            sum += fabs((double)from[band * plane] - (double)to[band * plane]);
    }
    if (inside == 0 || (double)inside < MIN_INSIDE * (double)s->n_points)
        return INFINITY;
    double distance = sqrt((double)dx * dx + (double)dy * dy);
    return sum / (double)inside * (1 + DISTANCE_COST * distance);
}

/* Of equal differences, that of the shortest translation counts. */
static CofStatus search(CofiCall *call, const Search *s, int *best_x, int *best_y)
{
    int shorter = s->width < s->height ? s->width : s->height;
    int reach = (int)(MAX_SHARE * shorter);
    double best = difference(s, 0, 0);
    CofStatus status = COF_OK;
    *best_x = *best_y = 0;
    for (int dy = -reach; dy <= reach && status == COF_OK; dy++) {
        for (int dx = -reach; dx <= reach; dx++) {
            double found = difference(s, dx, dy);
            bool shorter_way =
                dx * dx + dy * dy < *best_x * *best_x + *best_y * *best_y && found <= best;
            if (found < best || shorter_way) {
                best = found;
                *best_x = dx;
                *best_y = dy;
            }
        }
        status = cofi_call_poll(call);
    }
    return status;
}

CofStatus cofi_find_motion(CofiCall *call, const CofImage *from, const CofImage *to,
                           const CofImage *mask, int *dx, int *dy)
{
    int longer = from->width > from->height ? from->width : from->height;
    int n = (longer + SIDE - 1) / SIDE;
    Search s = {.points = NULL};
    CofiMark mark = cofi_call_mark(call);
    CofStatus status = load_planes(call, from, n, &s, &s.from);
    if (status == COF_OK)
        status = load_planes(call, to, n, &s, &s.to);
    if (status == COF_OK)
        status = list_points(call, mask, n, &s);
    if (status == COF_OK)
        status = search(call, &s, dx, dy);
    *dx *= n;
    *dy *= n;
    cofi_call_release(call, mark);
    return status;
}
