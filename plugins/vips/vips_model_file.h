/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads .cof files. */
#ifndef COF_VIPS_MODEL_FILE_H
#define COF_VIPS_MODEL_FILE_H

#include "vips_problem.h"

/* A .cof file in memory: that of the argument "model", or a copy of "model_blob". */
typedef struct VipsModelFile {
    char *bytes;
    gsize size;
    Argument argument;
} VipsModelFile;

/* Reads a file, or copies a blob if `filename` is NULL. */
int vips_model_file_open(VipsModelFile *file, const char *filename, VipsBlob *blob,
                         const Argument *argument);
void vips_model_file_close(VipsModelFile *file);

/* Does it hold statistics? */
gboolean vips_model_file_is_stats(const VipsModelFile *file);

/* Loads the model, or makes one of statistics with these options. */
int vips_model_file_load(const VipsModelFile *file, const CofOptions *options, CofModel **model);

/* Gives statistics the palette of a file of statistics or of a model: "palette_from". */
int vips_model_file_palette(const char *filename, const char *operation, CofStats *stats);

#endif
