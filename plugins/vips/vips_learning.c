/* SPDX-License-Identifier: BSD-2-Clause */
/* The base class of operations that learn: options. */
#include "vips_learning.h"

#include "vips_device.h"

#define VIPS_COF_STRUCT VipsCofLearning

G_DEFINE_ABSTRACT_TYPE(VipsCofLearning, vips_cof_learning, VIPS_TYPE_OPERATION)

Argument vips_cof_argument(VipsCofLearning *learning, const char *name)
{
    return (Argument){.operation = VIPS_OBJECT_GET_CLASS(learning)->nickname,
                      .name = name,
                      .mask = learning->mask != NULL,
                      .region = learning->region != NULL};
}

CofRect vips_cof_learning_region(const VipsCofLearning *learning)
{
    int n = 0;
    const int *numbers = learning->region ? vips_array_int_get(learning->region, &n) : NULL;
    return n == 4 ? (CofRect){numbers[0], numbers[1], numbers[2], numbers[3]} : (CofRect){0};
}

int vips_cof_learning_options(VipsCofLearning *l, const VipsImage *image, CofOptions *options)
{
    int n = 4;
    Argument region = vips_cof_argument(l, "region");
    if (l->region)
        vips_array_int_get(l->region, &n);
    if (n != 4)
        return problem_refuse(&region, COF_ERR_ARGUMENT,
                              "region must be four numbers: left top width height");
    if (vips_cof_options(VIPS_OBJECT(l), &l->values, image, options) != 0)
        return -1;
    if (l->exact_soft && options->downscale > 1)
        return problem_refuse_option(region.operation, "downscale",
                                     "exact_soft learns from all pixels: downscale must be 1");
    return 0;
}

static int vips_cof_learning_build(VipsObject *object)
{
    vips_cof_problem_clear();
    device_note_clear();
    return VIPS_OBJECT_CLASS(vips_cof_learning_parent_class)->build(object);
}

static void vips_cof_learning_finalize(GObject *object)
{
    small_image_clear(&((VipsCofLearning *)object)->small);
    run_report_unref(((VipsCofLearning *)object)->run);
    G_OBJECT_CLASS(vips_cof_learning_parent_class)->finalize(object);
}

static void vips_cof_learning_class_init(VipsCofLearningClass *class)
{
    GObjectClass *gobject_class = G_OBJECT_CLASS(class);
    VipsObjectClass *object_class = VIPS_OBJECT_CLASS(class);
    gobject_class->set_property = vips_object_set_property;
    gobject_class->get_property = vips_object_get_property;
    gobject_class->finalize = vips_cof_learning_finalize;
    object_class->nickname = "cof_learning";
    object_class->description = "learn what occurs together";
    object_class->build = vips_cof_learning_build;
    /* Threads are those of libvips: no COF_OPTION_GROUP_RUN. */
    size_t values = offsetof(VIPS_COF_STRUCT, values);
    vips_cof_install_options(object_class, COF_OPTION_GROUP_GENERAL, values);
    vips_cof_install_options(object_class, COF_OPTION_GROUP_LEARN, values);
    vips_cof_install_options(object_class, COF_OPTION_GROUP_MODEL, values);
    pixels_add_kind(object_class, offsetof(VIPS_COF_STRUCT, kind),
                    "what the bands of the input mean (auto: as its interpretation says)");
    VIPS_ARG_BOOL(object_class, "exact_soft", 21, "Exact soft assignment",
                  "assign each pixel softly by its own distance to the palette; slow, in memory",
                  VIPS_ARGUMENT_OPTIONAL_INPUT, offsetof(VIPS_COF_STRUCT, exact_soft), FALSE);
    VIPS_ARG_IMAGE(object_class, "mask", 22, "Mask", "learn only where this image is not black",
                   VIPS_ARGUMENT_OPTIONAL_INPUT, offsetof(VIPS_COF_STRUCT, mask));
    VIPS_ARG_BOXED(object_class, "region", 23, "Region", "learn only inside: left top width height",
                   VIPS_ARGUMENT_OPTIONAL_INPUT, offsetof(VIPS_COF_STRUCT, region),
                   VIPS_TYPE_ARRAY_INT);
    VIPS_ARG_STRING(object_class, "palette_from", 24, "Palette from",
                    "a file of statistics or a model, whose palette is used",
                    VIPS_ARGUMENT_OPTIONAL_INPUT, offsetof(VIPS_COF_STRUCT, palette_from), NULL);
    VIPS_ARG_STRING(object_class, "device", 25, "Device",
                    "compute in memory on a device of OpenCL: gpu, cpu or opencl:NAME",
                    VIPS_ARGUMENT_OPTIONAL_INPUT, offsetof(VIPS_COF_STRUCT, device), NULL);
}

static void vips_cof_learning_init(VipsCofLearning *l)
{
    option_values_init(&l->values);
    l->run = run_report_new();
}
