/* SPDX-License-Identifier: BSD-2-Clause */
/* Linear sRGB to CIE Lab and back to encoded sRGB, in C. */
#include <math.h>

#include "arithmetic.h"
#include "kernels.h"
#include "roots.h"

/* Linear sRGB to XYZ under D65, each row divided by its sum: white is (1, 1, 1). */
static const double to_xyz[3][3] = {
    {0.43394994055572506, 0.37620976990331101, 0.18984028954096394},
    {0.21267287873271212, 0.71515212848478715, 0.072174992782500724},
    {0.017756582753965269, 0.10946796102238184, 0.87277545622365293},
};

static const double from_xyz[3][3] = {
    {3.0799551079932685, -1.5371390038164603, -0.54281610417680803},
    {-0.92125862558511262, 1.8760111164435842, 0.045247509141528502},
    {0.052887401031216946, -0.20402587467028357, 1.1511384736390666},
};

/* CIE's constants: below t = epsilon the cube root is replaced by a line. */
static const double epsilon = 216.0 / 24389, kappa = 24389.0 / 27;
static const double root_of_epsilon = 6.0 / 29;

static double dot(const double row[3], double x, double y, double z)
{
    return row[0] * x + row[1] * y + row[2] * z;
}

static double compress(double t)
{
    return t > epsilon ? cofi_cube_root(t) : (kappa * t + 16) / 116;
}

static double expand(double f)
{
    return f > root_of_epsilon ? f * f * f : (116 * f - 16) / kappa;
}

/* v^(1/2.4) = c * c^(1/4) with c the cube root. */
static double encode(double v)
{
    if (v <= 0.0031308)
        return 12.92 * v;
    double c = cofi_cube_root(v);
    return 1.055 * (c * sqrt(sqrt(c))) - 0.055;
}

void cofi_lab_from_linear_c(const double *red, const double *green, const double *blue, int n,
                            float *lightness, float *a, float *b)
{
    for (int i = 0; i < n; i++) {
        double x = compress(dot(to_xyz[0], red[i], green[i], blue[i]));
        double y = compress(dot(to_xyz[1], red[i], green[i], blue[i]));
        double z = compress(dot(to_xyz[2], red[i], green[i], blue[i]));
        lightness[i] = cofi_to_float(116 * y - 16);
        a[i] = cofi_to_float(500 * (x - y));
        b[i] = cofi_to_float(200 * (y - z));
    }
}

void cofi_rgb_from_lab_c(const float *lightness, const float *a, const float *b, int n, double *red,
                         double *green, double *blue)
{
    for (int i = 0; i < n; i++) {
        double f = ((double)lightness[i] + 16) / 116;
        double x = expand(f + (double)a[i] / 500), y = expand(f),
               z = expand(f - (double)b[i] / 200);
        red[i] = encode(dot(from_xyz[0], x, y, z));
        green[i] = encode(dot(from_xyz[1], x, y, z));
        blue[i] = encode(dot(from_xyz[2], x, y, z));
    }
}
