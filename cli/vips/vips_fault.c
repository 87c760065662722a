/* SPDX-License-Identifier: BSD-2-Clause */
/* Failures of the libvips operations of cof: which file is at fault, and why. */
#include "vips/vips_fault.h"

#include <string.h>

#include "io/watched_image.h"
#include "ui/error_line.h"
#include "vips_operations.h"

/* The files of the command line that are arguments of operations. */
static const char *file_of(const Arguments *a, const OperationFiles *files,
                           const VipsCofProblem *problem)
{
    const char **learned = files->images->learn_from_names;
    const struct {
        const char *argument, *file;
    } names[] = {
        {"in", files->inputs ? files->inputs[problem->index] : files->input},
        {"model", files->model},
        {"guide", a->guide},
        {"labels", a->labels},
        {"mask", a->mask},
        {"matrix", a->matrix},
        {"palette_from", a->palette_from},
        {"device", "--device"},
        {"learn_from", learned ? learned[problem->index] : NULL},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(names) && problem->argument; i++)
        if (strcmp(names[i].argument, problem->argument) == 0)
            return names[i].file;
    return NULL;
}

/* An image that differs in kind from those to learn from: names the file that the user chose for
 * learning. */
static bool print_kind_error(const Arguments *a, const OperationFiles *files,
                             const VipsCofProblem *problem, const char *file)
{
    if (problem->status != COF_ERR_MISMATCH || !problem->argument ||
        strcmp(problem->argument, "in") != 0)
        return false;
    if (files->inputs)
        print_error(file, "differs in kind from the other images");
    else if (a->n_learn_from > 0 && !a->guide)
        print_error(a->learn_from[0], "differs in kind from the input");
    else if (a->palette_from)
        print_error(a->palette_from, "its palette is not for images of this kind");
    else
        return false;
    return true;
}

/* An image that cannot be decoded. Returns false if there is none. */
static bool print_decoding_error(const OperationFiles *files)
{
    for (int i = 0; i < files->n_in; i++)
        if (watched_image_print_failure(files->in[i]))
            return true;
    return option_images_print_failure(files->images);
}

void print_operation_error(const Arguments *a, const OperationFiles *files, const char *fallback)
{
    VipsCofProblem problem;
    if (!vips_cof_problem(&problem)) {
        if (!print_decoding_error(files))
            print_vips_error(files->input, fallback);
        return;
    }
    CofProblem reason = {.status = problem.status,
                         .option = problem.option,
                         .argument = problem.argument,
                         .text = problem.text};
    const char *file = file_of(a, files, &problem);
    if (problem.status == COF_ERR_EMPTY && a->mask)
        file = a->mask;
    if (!print_kind_error(a, files, &problem, file))
        print_cof_problem(file ? file : files->input, &reason);
    vips_cof_problem_clear();
}
