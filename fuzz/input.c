/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions and pixels from the bytes of a fuzz input. */
#include "input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

/* Targets replace stderr, but not the descriptor. */
void fuzz_fail(const char *file, int line, const char *what)
{
    char text[512];
    snprintf(text, sizeof text, "%s:%d: %s does not hold\n", file, line, what);
    FILE *console = fdopen(2, "w");
    if (console) {
        fputs(text, console);
        fflush(console);
    }
    abort();
}

uint8_t input_byte(Input *input)
{
    if (input->left == 0)
        return 0;
    input->left--;
    return *input->at++;
}

uint32_t input_u32(Input *input)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++)
        value |= (uint32_t)input_byte(input) << 8 * i;
    return value;
}

int input_int(Input *input, int minimum, int maximum)
{
    uint32_t span = (uint32_t)(maximum - minimum) + 1;
    uint32_t value = span <= 256 ? input_byte(input) : input_u32(input);
    return minimum + (int)(value % span);
}

bool input_rarely(Input *input, int one_in)
{
    return input_byte(input) % one_in == one_in - 1;
}

double input_double(Input *input)
{
    uint64_t bits = input_u32(input);
    double value;
    bits |= (uint64_t)input_u32(input) << 32;
    memcpy(&value, &bits, sizeof value);
    return value;
}

uint32_t noise(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)(x >> 32);
}
