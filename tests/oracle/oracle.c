/* SPDX-License-Identifier: BSD-2-Clause */
/* The definitions of the filter evaluated in double precision, term by term. */
#include "oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

Field field_new(int width, int height, int bands)
{
    size_t n = (size_t)width * (size_t)height;
    return (Field){.width = width,
                   .height = height,
                   .bands = bands,
                   .values = calloc(n * (size_t)bands, sizeof(double)),
                   .weights = calloc(n, sizeof(double)),
                   .valid = calloc(n, 1)};
}

void field_free(Field *field)
{
    free(field->values);
    free(field->weights);
    free(field->valid);
    *field = (Field){0};
}

double *field_at(const Field *field, int x, int y)
{
    return field->values + ((size_t)y * (size_t)field->width + (size_t)x) * (size_t)field->bands;
}

/* The usual seven-digit constants of sRGB under D65. */
static const double xyz_of_rgb[3][3] = {{0.4124564, 0.3575761, 0.1804375},
                                        {0.2126729, 0.7151522, 0.0721750},
                                        {0.0193339, 0.1191920, 0.9503041}};

static double white(int row)
{
    return xyz_of_rgb[row][0] + xyz_of_rgb[row][1] + xyz_of_rgb[row][2];
}

void oracle_lab(const double rgb[3], double lab[3])
{
    double f[3];
    for (int row = 0; row < 3; row++) {
        double sum = 0;
        for (int c = 0; c < 3; c++) {
            double v = rgb[c] <= 0.04045 ? rgb[c] / 12.92 : pow((rgb[c] + 0.055) / 1.055, 2.4);
            sum += xyz_of_rgb[row][c] * v;
        }
        double t = sum / white(row);
        f[row] = t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
    }
    lab[0] = 116 * f[1] - 16;
    lab[1] = 500 * (f[0] - f[1]);
    lab[2] = 200 * (f[1] - f[2]);
}

/* Solves a 3 x 3 system by Cramer's rule. */
static double determinant(const double m[3][3])
{
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

void oracle_rgb(const double lab[3], double rgb[3])
{
    double y = (lab[0] + 16) / 116;
    double f[3] = {y + lab[1] / 500, y, y - lab[2] / 200}, xyz[3];
    for (int row = 0; row < 3; row++) {
        double t = pow(f[row], 3);
        if (!(t > 216.0 / 24389))
            t = (116 * f[row] - 16) * 27 / 24389;
        xyz[row] = t * white(row);
    }
    for (int c = 0; c < 3; c++) {
        double m[3][3];
        memcpy(m, xyz_of_rgb, sizeof m);
        for (int row = 0; row < 3; row++)
            m[row][c] = xyz[row];
        double v = determinant((const double(*)[3])m) / determinant(xyz_of_rgb);
        rgb[c] = v <= 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055;
    }
}

static uint64_t hash_of(uint64_t x, uint64_t y)
{
    uint64_t z = y * 4294967296u + x + 11400714819323198485u;
    z = (z ^ z / 1073741824u) * 13787848793156543929u;
    z = (z ^ z / 134217728u) * 10723151780598845931u;
    return z ^ z / 2147483648u;
}

/* How far n is from the place that a hash chooses among `side`: 0, half of them, or -1. */
static int halves_between(uint64_t n, uint64_t hash, uint64_t side)
{
    uint64_t chosen = hash % side;
    return n % side == chosen ? 0 : side > 1 && n % side == (chosen + side / 2) % side ? 1 : -1;
}

/* Is the pair of pixel (x, y) and the one (dx, dy) beside it counted when one in 2^rate is? */
static bool is_sampled(int x, int y, int dx, int dy, int rate)
{
    if (rate == 0 || (dx == 0 && dy == 0))
        return true;
    uint64_t width = (uint64_t)pow(2, ceil(rate / 2.0)), height = (uint64_t)pow(2, rate / 2);
    uint64_t hash = hash_of((uint64_t)x / width, (uint64_t)y / height);
    int right = halves_between((uint64_t)x, hash, width);
    int below = halves_between((uint64_t)y, hash / 4294967296u, height);
    if (right < 0 || below < 0)
        return false;
    int turns = rate == 1 ? 2 : 4, turn = right + 2 * below;
    return ((dy - turn) % turns + turns) % turns == 0;
}

/* The neighbour of p, -1 outside the image. */
static int neighbour(int p, int dx, int dy, int width, int height)
{
    int x = p % width + dx, y = p / width + dy;
    return x < 0 || x >= width || y < 0 || y >= height ? -1 : y * width + x;
}

void oracle_count(const uint8_t *labels, const unsigned char *learn, int width, int height, int r,
                  int k, int rate, uint64_t *counts, uint64_t *histogram)
{
    int side = 2 * r + 1;
    memset(counts, 0, (size_t)(2 * r * r + 1) * (size_t)(k * k) * sizeof *counts);
    memset(histogram, 0, (size_t)k * sizeof *histogram);
    for (int p = 0; p < width * height; p++) {
        if (!learn[p])
            continue;
        histogram[labels[p]]++;
        for (int at = 0; at < side * side; at++) {
            int dx = at % side - r, dy = at / side - r;
            int q = neighbour(p, dx, dy, width, height);
            if (q < 0 || !learn[q] || !is_sampled(p % width, p / width, dx, dy, rate))
                continue;
            int a = labels[p] < labels[q] ? labels[p] : labels[q];
            int b = labels[p] < labels[q] ? labels[q] : labels[p];
            counts[((size_t)(dx * dx + dy * dy) * (size_t)k + (size_t)a) * (size_t)k + (size_t)b] +=
                (uint64_t)1 << (p == q ? 0 : rate);
        }
    }
}

void oracle_pairs(const uint8_t *labels, const unsigned char *learn, int width, int height, int r,
                  int k, double sigma, int rate, double *pairs, double *histogram)
{
    int side = 2 * r + 1;
    memset(pairs, 0, (size_t)(k * k) * sizeof *pairs);
    memset(histogram, 0, (size_t)k * sizeof *histogram);
    for (int p = 0; p < width * height; p++) {
        if (!learn[p])
            continue;
        histogram[labels[p]]++;
        for (int at = 0; at < side * side; at++) {
            int dx = at % side - r, dy = at / side - r;
            int q = neighbour(p, dx, dy, width, height);
            if (q < 0 || !learn[q] || !is_sampled(p % width, p / width, dx, dy, rate))
                continue;
            double weight = exp(-(dx * dx + dy * dy) / (2 * sigma * sigma));
            weight = ldexp(weight, p == q ? 0 : rate);
            /* A sampled pair counts for both orders. */
            pairs[labels[p] * k + labels[q]] += weight / 2;
            pairs[labels[q] * k + labels[p]] += weight / 2;
        }
    }
}

static double squared_distance(const float *a, const float *b, int bands)
{
    double sum = 0;
    for (int i = 0; i < bands; i++)
        sum += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
    return sum;
}

double oracle_sigma_r(const float *centres, int k, int bands, double softness)
{
    if (!centres || k < 2)
        return 0;
    double sum = 0;
    for (int a = 0; a < k; a++) {
        double nearest = INFINITY;
        for (int b = 0; b < k; b++)
            if (a != b)
                nearest =
                    fmin(nearest,
                         sqrt(squared_distance(centres + a * bands, centres + b * bands, bands)));
        sum += nearest;
    }
    return softness * sum / k;
}

void oracle_soften(const float *centres, int k, int bands, double sigma_r, double *pairs,
                   double *histogram)
{
    if (sigma_r == 0)
        return;
    double *kernel = calloc((size_t)(k * k), sizeof *kernel);
    double *soft = calloc((size_t)(k * k), sizeof *soft);
    double *soft_histogram = calloc((size_t)k, sizeof *soft_histogram);
    for (int j = 0; j < k; j++) {
        double z = 0;
        for (int a = 0; a < k; a++)
            if (histogram[a] > 0)
                z += exp(-squared_distance(centres + a * bands, centres + j * bands, bands) /
                         (2 * sigma_r * sigma_r));
        for (int a = 0; a < k; a++)
            if (histogram[a] > 0 && histogram[j] > 0)
                kernel[a * k + j] =
                    exp(-squared_distance(centres + a * bands, centres + j * bands, bands) /
                        (2 * sigma_r * sigma_r)) /
                    z;
    }
    for (int a = 0; a < k; a++)
        for (int j1 = 0; j1 < k; j1++) {
            soft_histogram[a] += kernel[a * k + j1] * histogram[j1];
            for (int b = 0; b < k && kernel[a * k + j1] > 0; b++)
                for (int j2 = 0; j2 < k; j2++)
                    soft[a * k + b] += kernel[a * k + j1] * kernel[b * k + j2] * pairs[j1 * k + j2];
        }
    memcpy(pairs, soft, (size_t)(k * k) * sizeof *pairs);
    memcpy(histogram, soft_histogram, (size_t)k * sizeof *histogram);
    free(kernel);
    free(soft);
    free(soft_histogram);
}

/* Pr(p in a) for all labels. */
static void shares_of(const Field *field, int p, const float *centres, int k, double sigma_r,
                      double *shares)
{
    double nearest = INFINITY, sum = 0;
    for (int a = 0; a < k; a++) {
        shares[a] = 0;
        for (int band = 0; band < field->bands; band++) {
            double d =
                field->values[p * field->bands + band] - (double)centres[a * field->bands + band];
            shares[a] += d * d;
        }
        nearest = fmin(nearest, shares[a]);
    }
    for (int a = 0; a < k; a++)
        sum += exp((nearest - shares[a]) / (2 * sigma_r * sigma_r));
    for (int a = 0; a < k; a++)
        shares[a] = exp((nearest - shares[a]) / (2 * sigma_r * sigma_r)) / sum;
}

void oracle_exact_soft(const Field *field, const unsigned char *learn, const float *centres, int k,
                       double sigma_r, int r, double sigma, double *pairs, double *histogram)
{
    int width = field->width, n = width * field->height, side = 2 * r + 1;
    double *shares = calloc((size_t)(n * k), sizeof *shares);
    memset(pairs, 0, (size_t)(k * k) * sizeof *pairs);
    memset(histogram, 0, (size_t)k * sizeof *histogram);
    for (int p = 0; p < n; p++)
        if (learn[p])
            shares_of(field, p, centres, k, sigma_r, shares + p * k);
    for (int p = 0; p < n; p++) {
        for (int a = 0; a < k; a++)
            histogram[a] += shares[p * k + a];
        for (int at = 0; at < side * side; at++) {
            int dx = at % side - r, dy = at / side - r;
            int q = neighbour(p, dx, dy, width, field->height);
            if (!learn[p] || q < 0 || !learn[q])
                continue;
            double weight = exp(-(dx * dx + dy * dy) / (2 * sigma * sigma));
            for (int a = 0; a < k; a++)
                for (int b = 0; b < k; b++)
                    pairs[a * k + b] += weight * shares[p * k + a] * shares[q * k + b];
        }
    }
    free(shares);
}

void oracle_matrix(const double *pairs, const double *histogram, int k, CofNormalise normalise,
                   double *matrix, double *pi)
{
    double all = 0, pixels = 0;
    for (int i = 0; i < k * k; i++)
        all += pairs[i];
    for (int a = 0; a < k; a++)
        pixels += histogram[a];
    for (int a = 0; a < k; a++) {
        double row = 0;
        for (int b = 0; b < k; b++)
            row += pairs[a * k + b] / all;
        pi[a] = normalise == COF_NORMALISE_MARGINALS ? row : histogram[a] / pixels;
    }
    for (int a = 0; a < k; a++)
        for (int b = 0; b < k; b++)
            matrix[a * k + b] = pi[a] * pi[b] > 0 ? pairs[a * k + b] / all / (pi[a] * pi[b]) : 0;
}

void oracle_separate(const double *pi, int k, double separation, double *matrix)
{
    if (separation == 0)
        return;
    double *own = malloc((size_t)k * sizeof *own);
    for (int a = 0; a < k; a++)
        own[a] = matrix[a * k + a];
    for (int a = 0; a < k; a++)
        for (int b = 0; b < k; b++) {
            double share = own[a] * own[b] > 0 ? matrix[a * k + b] / sqrt(own[a] * own[b]) : 1;
            if (a != b && share < separation)
                matrix[a * k + b] *= pow(share / separation, 8);
            matrix[a * k + b] *= pow(pi[a] * pi[b], 0.25);
        }
    free(own);
}

/* The pixel index at i under the border rule, -1 for none. */
static int seen_at(int i, int n, CofBorder border)
{
    if (i >= 0 && i < n)
        return i;
    if (border == COF_BORDER_CLIP)
        return -1;
    while (i < 0 || i >= n) {
        if (border == COF_BORDER_MIRROR)
            i = i < 0 ? -1 - i : 2 * n - 1 - i;
        else if (n == 1)
            i = 0;
        else
            i = i < 0 ? -i : 2 * n - 2 - i;
    }
    return i;
}

void oracle_filter(const Field *in, const uint8_t *labels, const double *matrix, int k, int r,
                   double sigma, CofBorder border, Field *out, unsigned char *has_weight)
{
    int width = in->width, height = in->height;
    for (int p = 0; p < width * height; p++) {
        const double *row = matrix + labels[p] * k;
        double weights = 0, largest = 0, sums[COF_MAX_BANDS] = {0};
        for (int b = 0; b < k; b++)
            largest = fmax(largest, row[b]);
        for (int dy = -r; dy <= r && in->valid[p]; dy++)
            for (int dx = -r; dx <= r; dx++) {
                int x = seen_at(p % width + dx, width, border);
                int y = seen_at(p / width + dy, height, border);
                if (x < 0 || y < 0)
                    continue;
                int q = y * width + x;
                double weight = exp(-(dx * dx + dy * dy) / (2 * sigma * sigma)) * row[labels[q]] *
                                in->weights[q];
                weights += weight;
                for (int band = 0; band < in->bands; band++)
                    if (weight > 0)
                        sums[band] += weight * field_at(in, x, y)[band];
            }
        has_weight[p] = weights > 0 ? (weights < 1e-15 * largest ? 2 : 1) : 0;
        for (int band = 0; band < in->bands; band++) {
            size_t i = (size_t)(p * in->bands + band);
            out->values[i] = weights > 0 ? sums[band] / weights : in->values[i];
        }
    }
}

void oracle_correct(const double *in, int rounds, int passes, int further, OraclePasses *run,
                    void *context, Field *now)
{
    size_t n = (size_t)now->width * (size_t)now->height * (size_t)now->bands;
    double *result = malloc(n * sizeof *result);
    for (int round = 0; round < rounds; round++) {
        memcpy(result, now->values, n * sizeof *result);
        run(context, further, now);
        for (size_t i = 0; i < n; i++)
            now->values[i] = in[i] - now->values[i];
        run(context, passes, now);
        for (size_t i = 0; i < n; i++)
            now->values[i] += result[i];
    }
    free(result);
}
