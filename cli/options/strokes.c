/* SPDX-License-Identifier: BSD-2-Clause */
/* Strokes as text. */
#include "options/strokes.h"

#include <ctype.h>
#include <glib.h>
#include <math.h>

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

CofStatus stroke_draw(const char *text, const CofImage *mask, const CofOptions *options)
{
    const char *at = text;
    Point point;
    double radius;
    size_t n = 0;
    while (*at != ':' && *at != '\0' && parse_point(&at, &point))
        n++;
    double *points = g_new(double, 2 * n);
    if (!parse_radius(at, &radius))
        n = 0;
    at = text;
    for (size_t i = 0; i < n && parse_point(&at, &point); i++) {
        points[2 * i] = point.x;
        points[2 * i + 1] = point.y;
    }
    CofStatus status =
        n > 0 ? cof_mask_stroke(mask, points, n, radius, 255, options) : COF_ERR_EMPTY;
    g_free(points);
    return status;
}
