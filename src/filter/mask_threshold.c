/* SPDX-License-Identifier: BSD-2-Clause */
/* The threshold that turns a soft mask into a mask: the one across which neighbours weigh least. */
#include "filter/mask_threshold.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "image/image.h"

/* Candidates are the edges of bins that divide each power of two into equal parts, taken from the
 * bits of floats. The first bin holds all smaller values. */
#define BINS_PER_OCTAVE_BITS 6
#define MIN_EXPONENT (-40)
#define BINS (1 + ((-MIN_EXPONENT + 1) << BINS_PER_OCTAVE_BITS))
#define BIN_SHIFT (23 - BINS_PER_OCTAVE_BITS)
#define MIN_BITS ((uint32_t)(127 + MIN_EXPONENT) << 23)

static int bin_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (!(value > 0) || bits < MIN_BITS)
        return 0;
    uint32_t bin = 1 + ((bits - MIN_BITS) >> BIN_SHIFT);
    return bin < BINS ? (int)bin : BINS - 1;
}

static float edge_of(int bin)
{
    uint32_t bits = MIN_BITS + ((uint32_t)(bin - 1) << BIN_SHIFT);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Offsets of the neighbours that are compared: adjacent ones, and ones at the scale of textures. */
static const struct {
    int x, y;
} neighbours[] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}, {3, 0}, {0, 3}, {2, 2}, {-2, 2},
                  {5, 0}, {0, 5}, {4, 4}, {-4, 4}, {7, 0}, {0, 7}, {5, 5}, {-5, 5}};

/* M is scaled to integers, whose sums do not depend on their order. */
#define WEIGHT_ONE ((double)(1 << 20))

/* Of each bin: its pixels; and, as differences from the bin before, the number and the weight of
 * the pairs of neighbours that its lower edge separates. */
typedef struct Border {
    int64_t pixels[BINS], pairs[BINS + 1], weights[BINS + 1];
    int64_t matrix[COF_MAX_COLOURS][COF_MAX_COLOURS];
} Border;

static void fill_border_matrix(Border *border, const CofModel *model)
{
    int k = model->palette.k;
    const double *m = model->matrix;
    double largest = 0;
    for (int i = 0; i < k * k; i++)
        largest = m[i] > largest ? m[i] : largest;
    for (int a = 0; a < k; a++)
        for (int b = 0; b < k; b++)
            border->matrix[a][b] = largest > 0 ? (int64_t)(m[a * k + b] / largest * WEIGHT_ONE) : 0;
}

static void add_pair(Border *border, int bin, int other, int64_t weight)
{
    int low = bin < other ? bin : other, high = bin < other ? other : bin;
    border->pairs[low + 1]++;
    border->pairs[high + 1]--;
    border->weights[low + 1] += weight;
    border->weights[high + 1] -= weight;
}

static void measure_border(Border *border, const uint16_t *bins, const uint8_t *labels, int width,
                           int height)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            ptrdiff_t at = (ptrdiff_t)y * width + x;
            border->pixels[bins[at]]++;
            for (size_t i = 0; i < sizeof neighbours / sizeof neighbours[0]; i++) {
                int nx = x + neighbours[i].x, ny = y + neighbours[i].y;
                if (nx < 0 || nx >= width || ny >= height)
                    continue;
                ptrdiff_t there = (ptrdiff_t)ny * width + nx;
                if (bins[there] != bins[at])
                    add_pair(border, bins[at], bins[there],
                             border->matrix[labels[at]][labels[there]]);
            }
        }
}

/* A mask is at least as large as the scribbles, and at most this share of the image. */
#define MAX_SHARE 0.9

/* The range of thresholds if both foreground and background were marked. */
#define MIN_SHARE_OF_BOTH 0.5f
#define MAX_SHARE_OF_BOTH 0.9f

/* The bin across whose lower edge the mean weight of neighbours is smallest; 0 if no edge is
 * allowed. */
static int best_bin(const Border *border, double scribbled, double all, bool both)
{
    int best = 0;
    double least = 0, above = all;
    int64_t pairs = 0, weights = 0;
    for (int bin = 1; bin < BINS; bin++) {
        above -= (double)border->pixels[bin - 1];
        pairs += border->pairs[bin];
        weights += border->weights[bin];
        float edge = edge_of(bin);
        bool sensible = both ? edge >= MIN_SHARE_OF_BOTH && edge <= MAX_SHARE_OF_BOTH
                             : above >= scribbled && above < MAX_SHARE * all;
        double mean = pairs > 0 ? (double)weights / (double)pairs : 0;
        if (pairs > 0 && sensible && (best == 0 || mean < least)) {
            best = bin;
            least = mean;
        }
    }
    return best;
}

/* Used if no edge is allowed. */
#define DEFAULT_THRESHOLD 0.5

static void fill_bins(const CofImage *soft, uint16_t *bins)
{
    for (int y = 0; y < soft->height; y++)
        for (int x = 0; x < soft->width; x++) {
            float value;
            cofi_load_row(soft, 0, x, y, 1, &value);
            bins[(ptrdiff_t)y * soft->width + x] = (uint16_t)bin_of(value);
        }
}

CofStatus cofi_mask_threshold(const CofModel *model, const CofImage *soft, const uint8_t *labels,
                              size_t scribbled, bool both, double *threshold)
{
    assert(soft->kind == COF_KIND_GREY && soft->sample == COF_SAMPLE_F32);
    int width = soft->width, height = soft->height;
    Border *border = cofi_calloc(1, sizeof *border);
    uint16_t *bins = cofi_malloc((size_t)height, (size_t)width * sizeof *bins);
    CofStatus status = border && bins ? COF_OK : COF_ERR_MEMORY;
    if (status == COF_OK) {
        fill_bins(soft, bins);
        fill_border_matrix(border, model);
        measure_border(border, bins, labels, width, height);
        int bin = best_bin(border, (double)scribbled, (double)width * height, both);
        *threshold = bin > 0 ? (double)edge_of(bin) : DEFAULT_THRESHOLD;
    }
    cofi_free(border);
    cofi_free(bins);
    return status;
}
