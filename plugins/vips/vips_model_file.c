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

static CofStatus palette_of_stats(const VipsModelFile *file, CofStats *stats, CofProblem *problem)
{
    CofStats *from;
    CofStatus status = cof_stats_load(&from, file->bytes, file->size, problem);
    if (status != COF_OK)
        return status;
    status = cof_stats_set_palette_from_stats(stats, from, problem);
    cof_stats_free(&from);
    return status;
}

/* The models of a foreground and a background have one palette. */
static CofStatus palette_of_model(const VipsModelFile *file, CofStats *stats, CofProblem *problem)
{
    CofModel *foreground, *model;
    CofOptions options;
    cof_options_init(&options);
    options.problem = problem;
    CofStatus status = cof_load(&foreground, &model, file->bytes, file->size, &options);
    if (status != COF_OK)
        return status;
    status = cof_stats_set_palette_from_model(stats, model, problem);
    cof_model_free(&foreground);
    cof_model_free(&model);
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
    if (status == COF_ERR_OPTION)
        return problem_refuse(&argument, COF_ERR_ARGUMENT,
                              "has another number of palettes than is asked for (palettes)");
    return status == COF_OK ? 0 : problem_fail(&argument, &problem);
}
