/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts test images to the oracle's fields. */
#include "fields.h"

#include <math.h>

int colour_bands(const TestImage *p)
{
    return p->view.channels -
           (p->view.kind == COF_KIND_GREY_ALPHA || p->view.kind == COF_KIND_RGBA);
}

bool is_rgb(const TestImage *p)
{
    return p->view.kind == COF_KIND_RGB || p->view.kind == COF_KIND_RGBA;
}

double sample_max(const TestImage *p)
{
    return p->view.sample == COF_SAMPLE_U8 ? 255 : p->view.sample == COF_SAMPLE_U16 ? 65535 : 1;
}

bool has_data(const TestImage *p, int x, int y)
{
    if (p->valid && p->valid[y * p->view.valid_stride + x] == 0)
        return false;
    for (int c = 0; c < p->view.channels; c++)
        if (!isfinite(test_image_get(p, x, y, c)))
            return false;
    return true;
}

/* Rounded to single precision; volatile, since gcc 12 drops the two conversions in a loop. */
static double as_float(double value)
{
    volatile float rounded = (float)value;
    return (double)rounded;
}

Field field_of(const TestImage *p, bool lab)
{
    int bands = colour_bands(p);
    Field f = field_new(p->view.width, p->view.height, bands);
    for (int y = 0; y < f.height; y++)
        for (int x = 0; x < f.width; x++) {
            double *v = field_at(&f, x, y);
            int i = y * f.width + x;
            f.valid[i] = has_data(p, x, y);
            f.weights[i] = f.valid[i];
            if (bands < p->view.channels && f.valid[i]) {
                double alpha = test_image_get(p, x, y, bands) / sample_max(p);
                f.weights[i] = alpha < 0 ? 0 : alpha > 1 ? 1 : alpha;
            }
            for (int c = 0; c < bands; c++)
                v[c] = test_image_get(p, x, y, c);
            if (lab && f.valid[i]) {
                double rgb[3] = {v[0] / sample_max(p), v[1] / sample_max(p), v[2] / sample_max(p)};
                oracle_lab(rgb, v);
                for (int c = 0; c < 3; c++)
                    v[c] = as_float(v[c]); /* working values are floats */
            }
        }
    return f;
}

double tolerance_of(const TestImage *p)
{
    if (p->view.sample != COF_SAMPLE_F32)
        return 1;
    double low = INFINITY, high = -INFINITY;
    for (int y = 0; y < p->view.height; y++)
        for (int x = 0; x < p->view.width; x++)
            for (int c = 0; c < colour_bands(p) && has_data(p, x, y); c++) {
                low = fmin(low, test_image_get(p, x, y, c));
                high = fmax(high, test_image_get(p, x, y, c));
            }
    double range = p->view.kind == COF_KIND_BANDS ? high - low : 1;
    /* A constant image has no range; use its magnitude. */
    return 1e-4 * (range > 0 ? range : fabs(high));
}

double expected_sample(const TestImage *p, double value)
{
    double max = sample_max(p);
    if (p->view.sample == COF_SAMPLE_F32)
        return value;
    return floor(fmin(fmax(value, 0), max) + 0.5);
}
