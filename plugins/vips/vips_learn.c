/* SPDX-License-Identifier: BSD-2-Clause */
/* The operation cof_learn: learns a model from images. */
#include "vips_learning.h"

#define NAME "cof_learn"
#define VIPS_COF_STRUCT VipsCofLearn

typedef struct _VipsCofLearn {
    VipsCofLearning parent_instance;
    VipsArrayImage *in;
    VipsBlob *model;
    char *filename;
    gboolean stats;
} VipsCofLearn;

typedef struct _VipsCofLearnClass {
    VipsCofLearningClass parent_class;
} VipsCofLearnClass;

G_DEFINE_TYPE(VipsCofLearn, vips_cof_learn, vips_cof_learning_get_type())

/* Replaces the file atomically. */
static int save(const char *filename, const void *bytes, size_t size)
{
    GError *error = NULL;
    if (g_file_set_contents(filename, bytes, (gssize)size, &error))
        return 0;
    const Argument argument = {.operation = NAME, .name = "filename"};
    problem_refuse(&argument, COF_ERR_ARGUMENT, error->message);
    g_error_free(error);
    return -1;
}

/* Returns the model, or the statistics if `model` is NULL, as a blob and a file. */
static int set_result(VipsCofLearn *learn, const CofStats *stats, const CofModel *model)
{
    void *bytes = NULL;
    size_t size = 0;
    CofProblem problem;
    CofStatus status = model ? cof_model_save(model, &bytes, &size, &problem)
                             : cof_stats_save(stats, &bytes, &size, &problem);
    Argument input = vips_cof_argument(&learn->parent_instance, "in");
    if (status != COF_OK)
        return problem_fail(&input, &problem);
    int failed = learn->filename ? save(learn->filename, bytes, size) : 0;
    if (!failed) {
        VipsBlob *blob = vips_blob_copy(bytes, size);
        g_object_set(learn, "model", blob, NULL);
        vips_area_unref(VIPS_AREA(blob));
    }
    cof_free(bytes);
    return failed;
}

static int learn(VipsCofLearn *learn, CofStats **stats, CofModel **model)
{
    VipsCofLearning *learning = &learn->parent_instance;
    Argument input = vips_cof_argument(learning, "in");
    LearningImages images = {.argument = input.name, .kind = (BandsKind)learning->kind};
    CofOptions options;
    CofProblem problem;
    images.images = vips_array_image_get(learn->in, &images.n);
    if (images.n == 0)
        return problem_refuse(&input, COF_ERR_EMPTY, "there is no image to learn from");
    if (vips_cof_learning_options(learning, images.images[0], &options) != 0)
        return -1;
    if (learning->exact_soft)
        return vips_cof_learning_soft_model(learning, &images, &options, model);
    if (vips_cof_learning_stats(learning, &images, &options, stats) != 0)
        return -1;
    options.problem = &problem;
    CofStatus status = learn->stats ? COF_OK : cof_model_new(model, *stats, &options);
    return status == COF_OK ? 0 : problem_fail(&input, &problem);
}

static int vips_cof_learn_build(VipsObject *object)
{
    VipsCofLearn *self = (VipsCofLearn *)object;
    CofStats *stats = NULL;
    CofModel *model = NULL;
    if (VIPS_OBJECT_CLASS(vips_cof_learn_parent_class)->build(object) != 0)
        return -1;
    if (self->stats && self->parent_instance.exact_soft)
        return problem_refuse(&(Argument){.operation = NAME, .name = "exact_soft"}, COF_ERR_OPTION,
                              "exact_soft makes a model, not statistics");
    int failed = learn(self, &stats, &model) || set_result(self, stats, model);
    cof_stats_free(&stats);
    cof_model_free(&model);
    return failed ? -1 : 0;
}

static void vips_cof_learn_class_init(VipsCofLearnClass *class)
{
    GObjectClass *gobject_class = G_OBJECT_CLASS(class);
    VipsObjectClass *object_class = VIPS_OBJECT_CLASS(class);
    gobject_class->set_property = vips_object_set_property;
    gobject_class->get_property = vips_object_get_property;
    object_class->nickname = NAME;
    object_class->description = "learn a co-occurrence model from images";
    object_class->build = vips_cof_learn_build;
    VIPS_OPERATION_CLASS(class)->flags = VIPS_OPERATION_NOCACHE; /* it writes */
    VIPS_ARG_BOXED(object_class, "in", 1, "Input", "images to learn from",
                   VIPS_ARGUMENT_REQUIRED_INPUT, offsetof(VIPS_COF_STRUCT, in),
                   VIPS_TYPE_ARRAY_IMAGE);
    VIPS_ARG_BOXED(object_class, "model", 2, "Model", "the model, as the bytes of a file",
                   VIPS_ARGUMENT_REQUIRED_OUTPUT, offsetof(VIPS_COF_STRUCT, model), VIPS_TYPE_BLOB);
    VIPS_ARG_STRING(object_class, "filename", 10, "Filename", "save the model here",
                    VIPS_ARGUMENT_OPTIONAL_INPUT, offsetof(VIPS_COF_STRUCT, filename), NULL);
    VIPS_ARG_BOOL(object_class, "stats", 11, "Statistics",
                  "statistics, which can be merged, instead of a model",
                  VIPS_ARGUMENT_OPTIONAL_INPUT, offsetof(VIPS_COF_STRUCT, stats), FALSE);
}

static void vips_cof_learn_init(VipsCofLearn *learn)
{
    (void)learn;
}
