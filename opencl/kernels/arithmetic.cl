/* SPDX-License-Identifier: BSD-2-Clause */
/* Arithmetic that several kernels need. */

/* The greatest finite float. */
#define MAX_FLOAT 0x1.fffffep127f

HELPER int is_finite(float value)
{
    return value >= -MAX_FLOAT && value <= MAX_FLOAT;
}

/* Infinities become the largest floats. */
HELPER float to_finite(float value)
{
    return value > MAX_FLOAT ? MAX_FLOAT : value < -MAX_FLOAT ? -MAX_FLOAT : value;
}

HELPER float4 all_finite(float4 value)
{
    return LANES(to_finite(LANE(value, 0)), to_finite(LANE(value, 1)), to_finite(LANE(value, 2)),
                 0.0f);
}
