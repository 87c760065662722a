/* SPDX-License-Identifier: BSD-2-Clause */
/* Strokes as text. */
#include "options/strokes.h"

#include <ctype.h>
#include <glib.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "ui/error_line.h"

#define DEFAULT_RADIUS 4.0
#define MAX_RADIUS 10000.0

typedef struct Point {
    double x, y;
} Point;

/* Parses a point and the white space after it, and advances *text. */
static bool parse_point(const char **text, Point *point)
{
    char *end;
    point->x = g_ascii_strtod(*text, &end);
    if (end == *text || *end != ',')
        return false;
    const char *second = end + 1;
    point->y = g_ascii_strtod(second, &end);
    if (end == second || !(isfinite(point->x) && isfinite(point->y)))
        return false;
    *text = end;
    while (isspace((unsigned char)**text))
        (*text)++;
    return true;
}

/* Parses the radius, which may be absent. */
static bool parse_radius(const char *text, double *radius)
{
    char *end;
    *radius = DEFAULT_RADIUS;
    if (*text == '\0')
        return true;
    if (*text != ':')
        return false;
    *radius = g_ascii_strtod(text + 1, &end);
    return end != text + 1 && *end == '\0' && *radius >= 0 && *radius <= MAX_RADIUS;
}

bool stroke_check(const char *name, const char *text)
{
    const char *at = text;
    Point point;
    double radius;
    bool ok = parse_point(&at, &point);
    while (ok && *at != ':' && *at != '\0')
        ok = parse_point(&at, &point);
    ok = ok && parse_radius(at, &radius);
    if (!ok)
        print_usage_error("--%s must be points and a radius, such as \"10,20 40,25:3\", not '%s'",
                          name, text);
    return ok;
}

static double distance_to_line(Point p, Point a, Point b)
{
    double dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
    double along = length > 0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / length : 0;
    along = fmin(fmax(along, 0), 1);
    return hypot(p.x - a.x - along * dx, p.y - a.y - along * dy);
}

static int clamp_to(double value, int maximum)
{
    return value < 0 ? 0 : value > maximum ? maximum : (int)value;
}

static int draw_line(Point a, Point b, double radius, uint8_t *marks, int width, int height)
{
    int marked = 0;
    int left = clamp_to(fmin(a.x, b.x) - radius, width),
        top = clamp_to(fmin(a.y, b.y) - radius, height);
    int right = clamp_to(fmax(a.x, b.x) + radius + 1, width);
    int bottom = clamp_to(fmax(a.y, b.y) + radius + 1, height);
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++) {
            uint8_t *mark = marks + (ptrdiff_t)y * width + x;
            if (*mark == 0 && distance_to_line((Point){x, y}, a, b) <= radius) {
                *mark = 255;
                marked++;
            }
        }
    return marked;
}

int stroke_draw(const char *text, uint8_t *marks, int width, int height)
{
    const char *at = text;
    Point from, to;
    double radius;
    while (*at != ':' && *at != '\0' && parse_point(&at, &to))
        continue;
    if (!parse_radius(at, &radius))
        return 0;
    at = text;
    if (!parse_point(&at, &from))
        return 0;
    int marked = draw_line(from, from, radius, marks, width, height);
    for (; *at != ':' && *at != '\0' && parse_point(&at, &to); from = to)
        marked += draw_line(from, to, radius, marks, width, height);
    return marked;
}
