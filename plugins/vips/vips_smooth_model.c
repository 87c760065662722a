/* SPDX-License-Identifier: BSD-2-Clause */
/* The operation cof: the model, which is loaded, learned or made of a matrix. */
#include "vips_model_file.h"
#include "vips_smooth.h"

static int load_model(VipsCofSmooth *s, const CofOptions *options, CofModel **model)
{
    const Argument argument = {.operation = SMOOTH_NAME, .name = "model"};
    VipsModelFile file;
    if (vips_model_file_open(&file, s->model, s->model_blob, &argument) != 0)
        return -1;
    const char *option = vips_cof_option_set(s, COF_OPTION_GROUP_MODEL);
    int failed = option && !vips_model_file_is_stats(&file)
                     ? problem_refuse_option(SMOOTH_NAME, option,
                                             "a model is learned already: learning options "
                                             "have no effect with it")
                     : vips_model_file_load(&file, options, model);
    vips_model_file_close(&file);
    return failed;
}

/* The number of labels, unless the caller says how many there are. */
static int count_labels(VipsCofSmooth *s, const CofOptions *options, int *k)
{
    double max;
    if (vips_max(s->labels, &max, NULL) != 0)
        return -1;
    *k = vips_cof_is_set(s, "colours") ? options->colours : (int)max + 1;
    return 0;
}

/* A square image of one band in memory, as doubles. */
static VipsImage *load_matrix(VipsImage *matrix)
{
    VipsImage *doubles = NULL;
    const char *text = NULL;
    if (matrix->Bands != 1 || matrix->Xsize != matrix->Ysize || matrix->Xsize > COF_MAX_COLOURS)
        text = "the matrix must have as many rows as columns, " G_STRINGIFY(
            COF_MAX_COLOURS) " at most";
    else if (matrix->Xsize < 2)
        text = "the matrix must have at least two rows";
    if (text) {
        smooth_refuse("matrix", COF_ERR_MISMATCH, text);
        return NULL;
    }
    if (vips_cast(matrix, &doubles, VIPS_FORMAT_DOUBLE, NULL) != 0)
        return NULL;
    VipsImage *memory = vips_image_copy_memory(doubles);
    g_object_unref(doubles);
    return memory;
}

/* Builds a model from a k x k matrix image, with a palette fitted to the images. */
static int model_of_matrix(VipsCofSmooth *s, const LearningImages *images,
                           const CofOptions *options, CofModel **model)
{
    CofStats *palette = NULL;
    CofProblem problem;
    CofOptions own = *options;
    VipsImage *matrix = load_matrix(s->matrix);
    if (!matrix)
        return -1;
    own.colours = own.levels = matrix->Xsize;
    own.palettes = 1;
    own.problem = &problem;
    int failed = vips_cof_learning_palette(&s->parent_instance, images, &own, &palette);
    if (!failed && cof_stats_size(palette) != matrix->Xsize)
        failed = smooth_refuse("matrix", COF_ERR_MISMATCH,
                               "the image has fewer colours than the matrix has rows");
    if (!failed) {
        const double *values = (const double *)VIPS_IMAGE_ADDR(matrix, 0, 0);
        Argument argument = vips_cof_argument(&s->parent_instance, "matrix");
        if (cof_model_new_matrix(model, palette, values, &own) != COF_OK)
            failed = problem_fail(&argument, &problem);
    }
    cof_stats_free(&palette);
    g_object_unref(matrix);
    return failed;
}

static int learn_model(VipsCofSmooth *s, const LearningImages *images, const CofOptions *options,
                       CofModel **model)
{
    VipsCofLearning *learning = &s->parent_instance;
    CofStats *stats = NULL;
    if (learning->exact_soft)
        return vips_cof_learning_soft_model(learning, images, options, model);
    if (vips_cof_learning_stats(learning, images, options, &stats) != 0)
        return -1;
    CofReport report = {.struct_size = sizeof report};
    CofProblem problem;
    CofOptions own = *options;
    own.report = &report;
    own.problem = &problem;
    CofStatus status = cof_model_new(model, stats, &own);
    run_report_add(learning->run, &report, 0);
    cof_stats_free(&stats);
    Argument argument = vips_cof_argument(learning, images->argument);
    return status == COF_OK ? 0 : problem_fail(&argument, &problem);
}

/* The images to learn from; *one holds the image if there is a single one. Only the kind of the
 * input is given; with a guide, that is what others are like. */
static LearningImages learning_images(const VipsCofSmooth *s, VipsImage **one)
{
    BandsKind kind = s->guide || s->labels ? BANDS_AUTO : (BandsKind)s->parent_instance.kind;
    *one = s->labels ? s->labels : s->guide ? s->guide : s->in;
    LearningImages images = {.images = one, .n = 1, .kind = kind};
    images.argument = s->labels ? "labels" : s->guide ? "guide" : "in";
    if (s->learn_from) {
        images.argument = "learn_from";
        images.images = vips_array_image_get(s->learn_from, &images.n);
    }
    return images;
}

int smooth_make_model(VipsCofSmooth *s, const CofOptions *options, CofModel **model)
{
    VipsImage *one;
    CofOptions own;
    if (smooth_has_model(s))
        return load_model(s, options, model);
    LearningImages images = learning_images(s, &one);
    if (images.n == 0)
        return smooth_refuse("learn_from", COF_ERR_EMPTY, "there is no image to learn from");
    if (vips_cof_learning_options(&s->parent_instance, images.images[0], &own) != 0 ||
        (s->labels && count_labels(s, &own, &images.k) != 0))
        return -1;
    return s->matrix ? model_of_matrix(s, &images, &own, model)
                     : learn_model(s, &images, &own, model);
}
