/* SPDX-License-Identifier: BSD-2-Clause */
/* What the library asks of the operating system, apart from threads and modules. */
#ifndef COF_SYSTEM_H
#define COF_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>

/* The number of processors that are switched on; less than 1 if the system does not say. */
long cofi_processors(void);

/* Memory whose address is a multiple of the alignment, a power of two, as `bytes` must be a
 * multiple of it. NULL if there is none. */
void *cofi_system_malloc(size_t alignment, size_t bytes);
void cofi_system_free(void *block);

/* strtod() with a decimal point, whatever the locale of the program; false without memory. */
bool cofi_system_strtod(const char *text, const char **end, double *value);

#endif
