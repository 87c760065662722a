/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of models, statistics and matrices, and whole files as bytes. */
#ifndef COF_COF_FILE_H
#define COF_COF_FILE_H

#include <stdbool.h>
#include <vips/vips.h>

#include "cof/cof.h"

/* Reads a file and appends a zero byte; free with g_free(). `size` may be NULL. Prints an error and
 * returns NULL on failure. */
char *cof_file_read(const char *name, size_t *size);

/* Whether a file begins with the magic bytes of libcof. */
bool cof_file_is(const char *name);

/* The contents of a .cof file; what it does not hold is NULL. */
typedef struct CofFile {
    CofFileKind kind;
    CofStats *stats;
    CofModel *model; /* of a pair: of the background */
    CofModel *foreground;
} CofFile;

/* Each of these prints an error on failure. */

bool cof_file_load(const char *name, CofFile *file);
void cof_file_free(CofFile *file);

/* Loads a model from any .cof file; see cof_load(). */
bool cof_file_load_model(const char *name, const CofOptions *options, CofModel **model,
                         CofModel **foreground);

/* These write a file atomically. `foreground` may be NULL. */
bool cof_file_write(const char *name, const void *bytes, size_t size);
bool cof_file_save_stats(const CofStats *stats, const char *name);
bool cof_file_save_model(const CofModel *model, const CofModel *foreground, const char *name);

/* Reads a square matrix whose numbers are separated by commas, semicolons, tabs or spaces. Prints
 * an error and returns NULL on failure. */
VipsImage *matrix_file_open(const char *name);

#endif
