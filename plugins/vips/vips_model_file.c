/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads .cof files. */
#include "vips_model_file.h"

#include <string.h>

int vips_model_file_open(VipsModelFile *file, const char *filename, VipsBlob *blob,
                         const Argument *argument)
{
    *file = (VipsModelFile){.argument = *argument};
    if (!filename) {
        const void *bytes = vips_blob_get(blob, &file->size);
        file->bytes = g_memdup2(bytes, file->size);
        return 0;
    }
    GError *error = NULL;
    if (g_file_get_contents(filename, &file->bytes, &file->size, &error))
        return 0;
    problem_refuse(argument, COF_ERR_ARGUMENT, error->message);
    g_error_free(error);
    return -1;
}

void vips_model_file_close(VipsModelFile *file)
{
    g_clear_pointer(&file->bytes, g_free);
}

gboolean vips_model_file_is_stats(const VipsModelFile *file)
{
    CofFileKind kind;
    return cof_file_kind(file->bytes, file->size, &kind, NULL) == COF_OK &&
           kind == COF_FILE_KIND_STATS;
}

int vips_model_file_load(const VipsModelFile *file, const CofOptions *options, CofModel **model)
{
    CofProblem problem;
    CofOptions own = *options;
    own.problem = &problem;
    CofStatus status = cof_load(NULL, model, file->bytes, file->size, &own);
    return status == COF_OK ? 0 : problem_fail(&file->argument, &problem);
}

/* A palette and the kind of image it is for. */
typedef struct Palette {
    const float *centres;
    int k, bands;
    CofKind kind;
} Palette;

static CofStatus set_palette(CofStats *stats, const Palette *palette, CofProblem *problem)
{
    if (palette->centres)
        return cof_stats_set_palette(stats, palette->centres, palette->k, palette->bands,
                                     palette->kind, problem);
    *problem = (CofProblem){.status = COF_ERR_MISMATCH, .text = "it has no palette"};
    return problem->status;
}

static CofStatus palette_of_stats(const VipsModelFile *file, CofStats *stats, CofProblem *problem)
{
    CofStats *from;
    Palette palette = {0};
    CofStatus status = cof_stats_load(&from, file->bytes, file->size, problem);
    if (status != COF_OK)
        return status;
    palette.centres = cof_stats_palette(from, &palette.bands);
    palette.k = cof_stats_size(from);
    if (cof_stats_kind(from, &palette.kind) != COF_OK)
        palette.centres = NULL;
    status = set_palette(stats, &palette, problem);
    cof_stats_free(&from);
    return status;
}

static CofStatus palette_of_model(const VipsModelFile *file, CofStats *stats, CofProblem *problem)
{
    CofModel *from;
    Palette palette = {0};
    CofStatus status = cof_model_load(&from, file->bytes, file->size, problem);
    if (status != COF_OK)
        return status;
    palette.centres = cof_model_palette(from, &palette.bands);
    palette.k = cof_model_size(from);
    if (cof_model_kind(from, &palette.kind) != COF_OK)
        palette.centres = NULL;
    status = set_palette(stats, &palette, problem);
    cof_model_free(&from);
    return status;
}

int vips_model_file_palette(const char *filename, const char *operation, CofStats *stats)
{
    Argument argument = {.operation = operation, .name = "palette_from"};
    VipsModelFile file;
    CofProblem problem;
    if (vips_model_file_open(&file, filename, NULL, &argument) != 0)
        return -1;
    CofStatus status = vips_model_file_is_stats(&file) ? palette_of_stats(&file, stats, &problem)
                                                       : palette_of_model(&file, stats, &problem);
    vips_model_file_close(&file);
    return status == COF_OK ? 0 : problem_fail(&argument, &problem);
}
