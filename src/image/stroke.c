/* SPDX-License-Identifier: BSD-2-Clause */
/* Strokes: lines through points. */
#include "image/stroke.h"

#include <math.h>
#include <stdbool.h>

#include "image/image.h"

/* A line from a to b. */
typedef struct Line {
    double ax, ay, dx, dy; /* its beginning and its vector */
    double length;         /* squared */
} Line;

static Line line_between(const double *a, const double *b)
{
    Line line = {a[0], a[1], b[0] - a[0], b[1] - a[1], 0};
    line.length = line.dx * line.dx + line.dy * line.dy;
    return line;
}

static bool is_near(const Line *line, int x, int y, double radius)
{
    double px = x - line->ax, py = y - line->ay;
    double along = line->length > 0 ? (px * line->dx + py * line->dy) / line->length : 0;
    along = along > 0 ? fmin(along, 1) : 0;
    double ex = px - along * line->dx, ey = py - along * line->dy;
    return ex * ex + ey * ey <= radius * radius;
}

static int clamp_to(double value, int maximum)
{
    return value > 0 ? value < maximum ? (int)value : maximum : 0;
}

/* The columns of a row in which pixels may be near the line; false if there are none. */
static bool find_columns(const Line *line, int y, double radius, int width, int *left, int *right)
{
    double from = 0, to = 1; /* where the line is within the radius of the row */
    if (line->dy > 0 || line->dy < 0) {
        double a = (y - radius - line->ay) / line->dy, b = (y + radius - line->ay) / line->dy;
        from = fmax(fmin(a, b), 0);
        to = fmin(fmax(a, b), 1);
    }
    double a = line->ax + from * line->dx, b = line->ax + to * line->dx;
    *left = clamp_to(fmin(a, b) - radius, width);
    *right = clamp_to(fmax(a, b) + radius + 2, width); /* and one for rounding */
    return from <= to;
}

static size_t draw_line(const CofImage *mask, const double *a, const double *b, double radius,
                        uint8_t value)
{
    size_t n = 0;
    Line line = line_between(a, b);
    int top = clamp_to(fmin(a[1], b[1]) - radius, mask->height);
    int bottom = clamp_to(fmax(a[1], b[1]) + radius + 1, mask->height);
    for (int y = top; y < bottom; y++) {
        int left, right;
        if (!find_columns(&line, y, radius, mask->width, &left, &right))
            continue;
        for (int x = left; x < right; x++)
            if (is_near(&line, x, y, radius)) {
                *cofi_pixel(mask, x, y) = value;
                n++;
            }
    }
    return n;
}

size_t cofi_stroke_draw(const CofImage *mask, const double *points, size_t n, double radius,
                        uint8_t value)
{
    size_t marked = 0;
    for (size_t i = 0; i < n; i++)
        marked += draw_line(mask, points + 2 * (i > 0 ? i - 1 : 0), points + 2 * i, radius, value);
    return marked;
}
