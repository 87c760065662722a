/* SPDX-License-Identifier: BSD-2-Clause */
/* What every fuzz target has: its entry, and checks that stop the program. */
#ifndef COF_FUZZ_H
#define COF_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Runs one input. libFuzzer, AFL++ and corpus_runner.c call it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Prints what does not hold and aborts, which all of them report with the input. */
_Noreturn void fuzz_fail(const char *file, int line, const char *what);

#define CHECK(condition) ((condition) ? (void)0 : fuzz_fail(__FILE__, __LINE__, #condition))

#endif
