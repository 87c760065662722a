/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of the libvips operations of cof, with the options of the command line. */
#include "vips/vips_call.h"

#include "figures/palette_colour.h"
#include "io/cof_file.h"
#include "io/image_file.h"
#include "io/matrix_file.h"
#include "ui/error_line.h"

static bool same_size(VipsImage *input, VipsImage *other, const char *name)
{
    if (other->Xsize == input->Xsize && other->Ysize == input->Ysize)
        return true;
    print_error(name, "differs in size from the input");
    return false;
}

static bool open_same_size(const char *name, VipsImage *input, VipsImage **image)
{
    if (!name)
        return true;
    *image = image_file_open(name);
    return *image && same_size(input, *image, name);
}

/* Opens the images of --from. */
static bool open_learning_images(OptionImages *images, const Arguments *a)
{
    if (a->n_from == 0)
        return true;
    VipsImage **opened = g_new0(VipsImage *, (gsize)a->n_from);
    bool ok = true;
    int n = 0;
    for (; n < a->n_from && ok; n += ok) {
        opened[n] = image_file_open(a->from[n]);
        ok = opened[n] != NULL;
    }
    if (ok)
        images->from = vips_array_image_new(opened, n);
    for (int i = 0; i < n; i++)
        g_object_unref(opened[i]);
    g_free(opened);
    return ok;
}

VipsImage *learning_image(const OptionImages *images, VipsImage *input)
{
    int n;
    return images->from ? vips_array_image_get(images->from, &n)[0] : input;
}

bool option_images_open(OptionImages *images, const Arguments *a, VipsImage *input)
{
    *images = (OptionImages){0};
    if (!open_learning_images(images, a) || !open_same_size(a->labels, input, &images->labels) ||
        !open_same_size(a->guide, input, &images->guide) ||
        !open_same_size(a->mask, learning_image(images, input), &images->mask))
        return false;
    if (images->labels &&
        (images->labels->BandFmt != VIPS_FORMAT_UCHAR || images->labels->Bands != 1)) {
        print_error(a->labels, "labels must have 8 bits and one band");
        return false;
    }
    if (a->matrix)
        images->matrix = matrix_file_open(a->matrix);
    return !a->matrix || images->matrix;
}

void option_images_close(OptionImages *images)
{
    VIPS_UNREF(images->mask);
    VIPS_UNREF(images->labels);
    VIPS_UNREF(images->guide);
    VIPS_UNREF(images->matrix);
    if (images->from)
        vips_area_unref(VIPS_AREA(images->from));
    *images = (OptionImages){0};
}

VipsBlob *read_model_blob(const char *name)
{
    size_t size;
    char *bytes = cof_file_read(name, &size);
    return bytes ? vips_blob_new((VipsCallbackFn)vips_area_free_cb, bytes, size) : NULL;
}

static void set_base_options(VipsOperation *operation, const Arguments *a)
{
    if (option_set(a, OPT_PRESET))
        g_object_set(operation, "preset", (int)a->options.variant, NULL);
    if (option_set(a, OPT_LOOK))
        g_object_set(operation, "look", (int)a->look + 1, NULL); /* 0 stands for no look */
    if (option_set(a, OPT_COARSE))
        g_object_set(operation, "coarse", a->options.downscale, NULL);
}

static void set_learning_options(VipsOperation *operation, const Arguments *a,
                                 const OptionImages *images)
{
    const CofOptions *o = &a->options;
    if (option_set(a, OPT_WINDOW))
        g_object_set(operation, "window", o->window, NULL);
    if (option_set(a, OPT_COLOURS))
        g_object_set(operation, "colours", o->colours, NULL);
    if (option_set(a, OPT_LEVELS))
        g_object_set(operation, "levels", o->levels, NULL);
    if (option_set(a, OPT_RANGE))
        g_object_set(operation, "low", o->low, "high", o->high, NULL);
    if (option_set(a, OPT_SEED))
        g_object_set(operation, "seed", o->seed, NULL);
    if (option_set(a, OPT_SAMPLING))
        g_object_set(operation, "sampling", (int)o->sampling, NULL);
    if (option_set(a, OPT_EXACT_SOFT))
        g_object_set(operation, "exact_soft", TRUE, NULL);
    if (option_set(a, OPT_SIGMA))
        g_object_set(operation, "sigma", o->sigma, NULL);
    if (option_set(a, OPT_SOFTNESS))
        g_object_set(operation, "softness", o->softness, NULL);
    if (option_set(a, OPT_NORMALISE))
        g_object_set(operation, "normalise", (int)o->normalise, NULL);
    if (images->mask)
        g_object_set(operation, "mask", images->mask, NULL);
    if (a->palette_from)
        g_object_set(operation, "palette_from", a->palette_from, NULL);
    if (option_set(a, OPT_REGION)) {
        int numbers[4] = {a->region.x, a->region.y, a->region.width, a->region.height};
        VipsArrayInt *region = vips_array_int_new(numbers, 4);
        g_object_set(operation, "region", region, NULL);
        vips_area_unref(VIPS_AREA(region));
    }
}

static void set_filter_options(VipsOperation *operation, const Arguments *a,
                               const OptionImages *images)
{
    const CofOptions *o = &a->options;
    if (option_set(a, OPT_FILTER_WINDOW))
        g_object_set(operation, "filter_window", o->filter_window, NULL);
    if (option_set(a, OPT_FILTER_SIGMA))
        g_object_set(operation, "filter_sigma", o->filter_sigma, NULL);
    if (option_set(a, OPT_SPACE))
        g_object_set(operation, "space", (int)o->space, NULL);
    if (option_set(a, OPT_ITERATIONS))
        g_object_set(operation, "iterations", o->iterations, NULL);
    if (option_set(a, OPT_RELABEL) || option_set(a, OPT_ROLLING))
        g_object_set(operation, "repeat", (int)o->update, NULL);
    if (option_set(a, OPT_UNTIL))
        g_object_set(operation, "until", o->tolerance, NULL);
    if (option_set(a, OPT_METHOD))
        g_object_set(operation, "method", (int)o->method, NULL);
    if (option_set(a, OPT_ACCURACY))
        g_object_set(operation, "accuracy", o->accuracy, NULL);
    if (option_set(a, OPT_BORDER))
        g_object_set(operation, "border", (int)o->border, NULL);
    if (images->guide)
        g_object_set(operation, "guide", images->guide, NULL);
}

/* Runs an operation; frees it on failure. */
static bool run_operation(VipsOperation **operation)
{
    if (vips_cache_operation_buildp(operation) == 0)
        return true;
    vips_object_unref_outputs(VIPS_OBJECT(*operation));
    g_object_unref(*operation);
    return false;
}

static void free_operation(VipsOperation *operation)
{
    vips_object_unref_outputs(VIPS_OBJECT(operation));
    g_object_unref(operation);
}

bool call_smooth(const Arguments *a, const OptionImages *images, VipsBlob *model, VipsImage *in,
                 VipsImage **out)
{
    VipsOperation *operation = vips_operation_new("cof");
    g_object_set(operation, "in", in, NULL);
    set_base_options(operation, a);
    set_filter_options(operation, a, images);
    if (model) {
        g_object_set(operation, "model_blob", model, NULL);
    } else {
        set_learning_options(operation, a, images);
        if (images->labels)
            g_object_set(operation, "labels", images->labels, NULL);
        if (images->matrix)
            g_object_set(operation, "matrix", images->matrix, NULL);
        if (images->from)
            g_object_set(operation, "from", images->from, NULL);
    }
    if (!run_operation(&operation))
        return false;
    g_object_get(operation, "out", out, NULL);
    free_operation(operation);
    return true;
}

bool call_learn(const Arguments *a, const OptionImages *images, VipsArrayImage *inputs,
                VipsBlob **learned)
{
    VipsOperation *operation = vips_operation_new("cof_learn");
    g_object_set(operation, "in", inputs, "stats", option_set(a, OPT_STATS), NULL);
    set_base_options(operation, a);
    set_learning_options(operation, a, images);
    if (!run_operation(&operation))
        return false;
    g_object_get(operation, "model", learned, NULL);
    free_operation(operation);
    return true;
}

static bool call_label(const CofModel *model, VipsImage *image, VipsImage **labels)
{
    void *bytes;
    size_t size;
    if (cof_model_save(model, &bytes, &size) != COF_OK)
        return false;
    VipsBlob *blob = vips_blob_copy(bytes, size);
    cof_free(bytes);
    VipsOperation *operation = vips_operation_new("cof_label");
    g_object_set(operation, "in", image, "model_blob", blob, NULL);
    vips_area_unref(VIPS_AREA(blob));
    if (!run_operation(&operation))
        return false;
    g_object_get(operation, "out", labels, NULL);
    free_operation(operation);
    return true;
}

bool paint_labels(const CofModel *model, VipsImage *image, VipsImage **painted)
{
    unsigned char colours[256][3] = {{0}};
    VipsImage *labels = NULL;
    if (!call_label(model, image, &labels))
        return false;
    for (int i = 0; i < cof_model_size(model); i++)
        palette_colour(model, i, colours[i]);
    VipsImage *table =
        vips_image_new_from_memory_copy(colours, sizeof colours, 256, 1, 3, VIPS_FORMAT_UCHAR);
    bool ok = table && vips_maplut(labels, painted, table, NULL) == 0;
    VIPS_UNREF(table);
    g_object_unref(labels);
    return ok;
}
