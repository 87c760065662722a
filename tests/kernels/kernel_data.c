/* SPDX-License-Identifier: BSD-2-Clause */
/* What the checks of the kernels share. */
#include "kernel_data.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/cpu.h"

#define FENCE 64
#define FENCE_BYTE 0xa5

int levels_here(Level levels[MAX_LEVELS])
{
    unsigned flags = cofi_cpu_flags();
    const struct {
        const char *name;
        unsigned flags;
    } known[] = {
        {"c", COFI_CPU_C},
        {"neon", COFI_CPU_NEON},
        {"avx2", COFI_CPU_AVX2},
        {"avx512", COFI_CPU_AVX2 | COFI_CPU_AVX512},
        {"vbmi", COFI_CPU_AVX2 | COFI_CPU_AVX512 | COFI_CPU_VBMI},
        {"wasm", COFI_CPU_WASM},
        {"all", flags},
    };
    int n = 0;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        CofiKernels kernels = cofi_kernels(known[i].flags);
        bool here = (known[i].flags & flags) == known[i].flags;
        bool other = n == 0 || memcmp(&kernels, &levels[n - 1].kernels, sizeof kernels) != 0;
        if (here && other)
            levels[n++] = (Level){known[i].name, kernels};
    }
    return n;
}

static char doing[200];
static int n_failures;

void checking(const char *format, ...)
{
    explain_crashes(doing);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(doing, sizeof doing, format, arguments);
    va_end(arguments);
}

void expect(bool truth, const char *what)
{
    if (truth)
        return;
    fprintf(stderr, "%s: %s\n", doing, what);
    if (++n_failures == 20)
        exit(1);
}

int failures(void)
{
    return n_failures;
}

uint32_t random_below(Random *random, uint32_t n)
{
    random->state++;
    return (uint32_t)((cofi_mix(random->state) >> 32) * n >> 32);
}

float random_between(Random *random, float low, float high)
{
    return low + (high - low) * (float)random_below(random, 1 << 24) * 0x1p-24f;
}

void *fenced(size_t bytes)
{
    size_t odd = bytes % 8 ? 8 - bytes % 8 : 0; /* keeps what begins here aligned */
    unsigned char *memory = guarded(bytes + odd + 2 * FENCE, WALL_AFTER);
    memset(memory, FENCE_BYTE, bytes + odd + 2 * FENCE);
    return memory + FENCE;
}

bool untouched(const void *memory, size_t bytes)
{
    const unsigned char *start = memory;
    for (size_t i = 0; i < FENCE; i++)
        if (start[bytes + i] != FENCE_BYTE || start[(ptrdiff_t)i - FENCE] != FENCE_BYTE)
            return false;
    return true;
}

/* In the form that filter.c gives them: each row of the matrix relative to its largest entry, all
 * weights so small that sums of the largest floats stay finite. */
static void make_weights(Random *random, const SceneOptions *o, Wall wall, CofiTaps *taps)
{
    int stride = cofi_matrix_stride(o->k), side = o->side;
    float *matrix = guarded((size_t)(o->k * stride) * sizeof *matrix, wall);
    for (int i = 0; i < o->k * stride; i++) {
        int row = i / stride, column = i % stride;
        bool none = column >= o->k || (o->empty && (row % 3 == 1 || column % 4 != 2));
        matrix[i] = none ? 0 : random_between(random, o->weakest, 1);
    }
    int plane = cofi_byte_plane(o->k);
    uint8_t *bytes = guarded((size_t)(o->k * 4 * plane), wall);
    for (int i = 0; i < o->k * stride; i++) {
        uint32_t bits;
        memcpy(&bits, &matrix[i], sizeof bits);
        for (int j = 0; j < 4; j++)
            bytes[(i / stride * 4 + j) * plane + i % stride] = (uint8_t)(bits >> 8 * j);
    }
    taps->bytes = bytes;
    size_t margin = COFI_WEIGHT_MARGIN * sizeof(float);
    float *gauss = guarded((size_t)side * sizeof *gauss + margin, wall);
    memset(gauss + side, 0, margin);
    double sigma = sqrt(side) + 0.5;
    for (int i = 0; i < side; i++) {
        double d = i - taps->radius;
        gauss[i] = (float)(exp(-d * d / (2 * sigma * sigma)) * 0x1p-8);
        gauss[i] = gauss[i] < 0x1p-30f ? 0 : gauss[i];
    }
    taps->weight_stride = side + 2 * COFI_WEIGHT_MARGIN;
    float *weights = guarded((size_t)(side * taps->weight_stride) * sizeof *weights, wall);
    memset(weights, 0, (size_t)(side * taps->weight_stride) * sizeof *weights);
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            weights[y * taps->weight_stride + COFI_WEIGHT_MARGIN + x] = gauss[y] * gauss[x];
    taps->matrix = matrix;
    taps->gauss = gauss;
    taps->weights = weights + COFI_WEIGHT_MARGIN;
}

/* Beyond what counts there are the largest numbers, which must have no weight. */
static void make_row(Random *random, const SceneOptions *o, ptrdiff_t stride, uint8_t *labels,
                     float *planes)
{
    int used = o->n + o->side - 1;
    for (int x = 0; x < stride; x++) {
        bool copy = x > 0 && random_below(random, 256) < o->repetition;
        labels[x] = copy ? labels[x - 1] : (uint8_t)random_below(random, (uint32_t)o->k);
        float alpha = o->gaps ? (float)random_below(random, 4) / 3 : 1;
        planes[x] = alpha;
        for (int band = 0; band < o->bands; band++) {
            float share = o->flat ? 1 : random_between(random, o->bytes ? 0 : -1, 1);
            planes[(1 + band) * stride + x] = alpha * (share * o->largest);
        }
        for (int plane = 0; plane <= o->bands; plane++) {
            float *at = planes + plane * stride + x;
            if (x >= used)
                *at = FLT_MAX;
            else if (o->period && x >= o->period)
                *at = at[-o->period];
        }
        if (o->period && x >= o->period)
            labels[x] = labels[x - o->period];
    }
}

Scene make_scene(Random *random, SceneOptions o, Wall wall)
{
    ptrdiff_t stride = o.n + o.side - 1 + COFI_OVERREAD;
    Scene scene = {.n = o.n,
                   .taps = {.k = o.k,
                            .radius = o.side / 2,
                            .n_bands = o.bands,
                            .stride = stride,
                            .plain = o.bytes}};
    make_weights(random, &o, wall, &scene.taps);
    size_t rows = (size_t)o.side, row = (size_t)stride * (size_t)(1 + o.bands);
    uint8_t *labels = guarded(rows * (size_t)stride, wall);
    float *planes = guarded(rows * row * sizeof *planes, wall);
    const uint8_t **label_rows = guarded(rows * sizeof *label_rows, wall);
    const float **alpha_rows = guarded(rows * sizeof *alpha_rows, wall);
    for (size_t y = 0; y < rows; y++) {
        make_row(random, &o, stride, labels + y * (size_t)stride, planes + y * row);
        label_rows[y] = labels + y * (size_t)stride;
        alpha_rows[y] = planes + y * row;
    }
    scene.taps.labels = label_rows;
    scene.taps.alphas = alpha_rows;
    scene.taps.column_stride = cofi_column_stride(o.n, o.side / 2);
    size_t columns = COFI_COLUMN_ROWS * (size_t)scene.taps.column_stride * sizeof(float);
    scene.taps.columns = guarded(columns, wall);
    for (size_t i = 0; i < columns / sizeof(float); i++) /* what it holds must not matter */
        scene.taps.columns[i] = i % 2 ? FLT_MAX : -FLT_MAX;
    return scene;
}
