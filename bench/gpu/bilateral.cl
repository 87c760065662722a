/* SPDX-License-Identifier: BSD-2-Clause */
/* A bilateral filter with the tiling of the exact filter (opencl/kernels/pass.cl): work-groups of
 * 32 x 4 items filter 32 x 32 pixels from local memory, each item eight of a column. */
#define RADIUS 7
#define SIDE (2 * RADIUS + 1)
#define PIXELS 8
#define TILE 32
#define CELLS (TILE + SIDE - 1)

__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void bilateral(__global const float4 *values, __constant const float *gauss, int width, int height,
               float exponent, __global float4 *filtered)
{
    __local float4 cells[CELLS * CELLS];
    int item = (int)get_local_id(0), x = item % TILE, y = item / TILE * PIXELS;
    int left = (int)get_group_id(0) * TILE, top = (int)get_group_id(1) * TILE;
    for (int i = item; i < CELLS * CELLS; i += 128) {
        int at_x = clamp(left + i % CELLS - RADIUS, 0, width - 1);
        int at_y = clamp(top + i / CELLS - RADIUS, 0, height - 1);
        cells[i] = values[(size_t)at_y * width + at_x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float4 centre[PIXELS], total[PIXELS];
#pragma unroll
    for (int i = 0; i < PIXELS; i++) {
        centre[i] = cells[(y + i + RADIUS) * CELLS + x + RADIUS];
        total[i] = (float4)(0.0f);
    }
    for (int row = 0; row < SIDE + PIXELS - 1; row++) {
#pragma unroll 3
        for (int column = 0; column < SIDE; column++) {
            float4 tap = cells[(y + row) * CELLS + x + column];
#pragma unroll
            for (int i = 0; i < PIXELS; i++)
                if (row >= i && row - i < SIDE) {
                    float3 d = tap.xyz - centre[i].xyz;
                    float weight = native_exp2(exponent * dot(d, d)) * gauss[column] * gauss[row - i];
                    total[i].xyz += weight * tap.xyz;
                    total[i].w += weight;
                }
        }
    }
#pragma unroll
    for (int i = 0; i < PIXELS; i++)
        if (left + x < width && top + y + i < height)
            filtered[(size_t)(top + y + i) * width + left + x] = total[i] / total[i].w;
}
