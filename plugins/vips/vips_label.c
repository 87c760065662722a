/* SPDX-License-Identifier: BSD-2-Clause */
/* The operation cof_label: maps each pixel to its palette index. */
#include "vips_model_file.h"
#include "vips_pixels.h"

#define NAME "cof_label"
#define VIPS_COF_STRUCT VipsCofLabel

typedef struct _VipsCofLabel {
    VipsOperation parent_instance;
    VipsImage *in, *out;
    char *model;
    VipsBlob *model_blob;
    int kind; /* BandsKind */
} VipsCofLabel;

typedef struct _VipsCofLabelClass {
    VipsOperationClass parent_class;
} VipsCofLabelClass;

G_DEFINE_TYPE(VipsCofLabel, vips_cof_label, VIPS_TYPE_OPERATION)

static const Argument input = {.operation = NAME, .name = "in"};

static int load_model(const VipsCofLabel *l, CofModel **model)
{
    const Argument argument = {.operation = NAME, .name = "model"};
    VipsModelFile file;
    CofOptions options;
    if (!l->model == !l->model_blob)
        return problem_refuse(&argument, COF_ERR_ARGUMENT,
                              "model or model_blob is required, not both");
    cof_options_init(&options);
    if (vips_model_file_open(&file, l->model, l->model_blob, &argument) != 0)
        return -1;
    int failed = vips_model_file_load(&file, &options, model);
    vips_model_file_close(&file);
    return failed;
}

static int label(const CofModel *model, const CofImage *view, VipsImage *labels)
{
    const Pixels bytes = {.kind = COF_KIND_GREY, .sample = COF_SAMPLE_U8};
    CofImage to = pixels_whole(&bytes, labels);
    CofProblem problem;
    CofOptions options;
    cof_options_init(&options);
    options.threads = vips_concurrency_get();
    options.problem = &problem;
    CofStatus status = cof_model_label(model, view, &to, &options);
    return status == COF_OK ? 0 : problem_fail(&input, &problem);
}

/* Allocates an 8-bit one-band image in memory with the size of another image. */
static VipsImage *labels_for(VipsImage *image)
{
    VipsImage *labels = vips_image_new_memory();
    vips_image_init_fields(labels, image->Xsize, image->Ysize, 1, VIPS_FORMAT_UCHAR,
                           VIPS_CODING_NONE, VIPS_INTERPRETATION_B_W, image->Xres, image->Yres);
    if (vips_image_write_prepare(labels) == 0)
        return labels;
    g_object_unref(labels);
    return NULL;
}

static int vips_cof_label_build(VipsObject *object)
{
    VipsCofLabel *l = (VipsCofLabel *)object;
    CofModel *model = NULL;
    Pixels pixels = {0};
    PixelMemory in = {0};
    VipsImage *labels = NULL;
    vips_cof_problem_clear();
    if (VIPS_OBJECT_CLASS(vips_cof_label_parent_class)->build(object) != 0)
        return -1;
    int failed = load_model(l, &model) || pixels_open(&pixels, l->in, (BandsKind)l->kind, &input);
    if (!failed) {
        failed = pixel_memory_load(&in, &pixels);
        labels = failed ? NULL : labels_for(in.pixels);
        failed = !labels || label(model, &in.view, labels);
    }
    if (!failed) {
        g_object_set(object, "out", vips_image_new(), NULL);
        failed = vips_image_write(labels, l->out);
    }
    pixel_memory_free(&in);
    VIPS_UNREF(labels);
    pixels_close(&pixels);
    cof_model_free(&model);
    return failed ? -1 : 0;
}

static void vips_cof_label_class_init(VipsCofLabelClass *class)
{
    GObjectClass *gobject_class = G_OBJECT_CLASS(class);
    VipsObjectClass *object_class = VIPS_OBJECT_CLASS(class);
    gobject_class->set_property = vips_object_set_property;
    gobject_class->get_property = vips_object_get_property;
    object_class->nickname = NAME;
    object_class->description = "which colour of a model's palette each pixel has";
    object_class->build = vips_cof_label_build;
    VIPS_ARG_IMAGE(object_class, "in", 1, "Input", "input image", VIPS_ARGUMENT_REQUIRED_INPUT,
                   offsetof(VIPS_COF_STRUCT, in));
    VIPS_ARG_IMAGE(object_class, "out", 2, "Output", "labels, in 8 bits",
                   VIPS_ARGUMENT_REQUIRED_OUTPUT, offsetof(VIPS_COF_STRUCT, out));
    VIPS_ARG_STRING(object_class, "model", 10, "Model", "a file of a model or of statistics",
                    VIPS_ARGUMENT_OPTIONAL_INPUT, offsetof(VIPS_COF_STRUCT, model), NULL);
    VIPS_ARG_BOXED(object_class, "model_blob", 11, "Model blob", "the same, as bytes",
                   VIPS_ARGUMENT_OPTIONAL_INPUT, offsetof(VIPS_COF_STRUCT, model_blob),
                   VIPS_TYPE_BLOB);
    pixels_add_kind(object_class, offsetof(VIPS_COF_STRUCT, kind),
                    "what the bands of the input mean (auto: as its interpretation says)");
}

static void vips_cof_label_init(VipsCofLabel *l)
{
    (void)l;
}
