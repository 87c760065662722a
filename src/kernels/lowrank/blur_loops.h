/* SPDX-License-Identifier: BSD-2-Clause */
/* Blurs rows of cells, along x or y. Included by lowrank_loops.h. */
/* Rows at the same distance have the same tap, and are added before they are multiplied. */
INLINE void blur_part(const CofiBlur *b, int radius, ptrdiff_t from, ptrdiff_t to)
{
    for (ptrdiff_t x = from; x < to; x += LANES)
        for (int i = 0; i < COFI_BLURS; i++) {
            Vector sum = load(b->rows[i + radius] + x);
            for (int d = 1; d <= radius; d++)
                sum = fma_add(set1(b->taps[d]),
                              load(b->rows[i + radius - d] + x) + load(b->rows[i + radius + d] + x),
                              sum);
            store(b->blurred[i] + x, sum);
        }
}

/* For a usual radius, all rows are loaded once, into registers. */
INLINE void blur_in_registers(const CofiBlur *b, int radius)
{
    enum { MAX_RADIUS = 4 };
    const float *rows[2 * MAX_RADIUS + COFI_BLURS];
    float *blurred[COFI_BLURS];
    Vector taps[MAX_RADIUS + 1];
    for (int row = 0; row < 2 * radius + COFI_BLURS; row++)
        rows[row] = b->rows[row];
    for (int i = 0; i < COFI_BLURS; i++)
        blurred[i] = b->blurred[i];
    for (int d = 1; d <= radius; d++)
        taps[d] = set1(b->taps[d]);
    for (int part = 0; part < b->parts; part++) {
        ptrdiff_t from = part * b->part_stride, to = from + b->n;
        for (ptrdiff_t x = from; x < to; x += LANES) {
            OPAQUE(x);
            Vector values[2 * MAX_RADIUS + COFI_BLURS];
            UNROLL
            for (int row = 0; row < 2 * radius + COFI_BLURS; row++)
                values[row] = load(rows[row] + x);
            UNROLL
            for (int i = 0; i < COFI_BLURS; i++) {
                Vector sum = values[i + radius];
                UNROLL
                for (int d = 1; d <= radius; d++)
                    sum = fma_add(taps[d], values[i + radius - d] + values[i + radius + d], sum);
                store(blurred[i] + x, sum);
            }
        }
    }
}

void LEVEL(cofi_blur_rows)(const CofiBlur *b)
{
    assert(b->radius >= 0 && b->n % LANES == 0);
    if (b->radius == 3)
        blur_in_registers(b, 3);
    else if (b->radius == 4)
        blur_in_registers(b, 4);
    else if (b->radius == 2)
        blur_in_registers(b, 2);
    else
        for (int part = 0; part < b->parts; part++)
            blur_part(b, b->radius, part * b->part_stride, part * b->part_stride + b->n);
}
