/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions and pixels from the bytes of a fuzz input. */
#ifndef COF_FUZZ_INPUT_H
#define COF_FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* After the last byte, all bytes are 0, so that short inputs mean the simplest case. */
typedef struct Input {
    const uint8_t *at;
    size_t left;
} Input;

uint8_t input_byte(Input *input);
uint32_t input_u32(Input *input);
int input_int(Input *input, int minimum, int maximum); /* both included */
/* True for one byte value in `one_in`, never for 0. */
bool input_rarely(Input *input, int one_in);
double input_double(Input *input); /* any bits */

/* Numbers that look random, from a seed. */
uint32_t noise(uint64_t *state);

#endif
