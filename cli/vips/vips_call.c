/* SPDX-License-Identifier: BSD-2-Clause */
/* The operations of libvips, with the options of the command line. */
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
    complain(name, "differs in size from the input");
    return false;
}

static bool open_one(const char *name, VipsImage *input, VipsImage **picture)
{
    if (!name)
        return true;
    *picture = picture_open(name);
    return *picture && same_size(input, *picture, name);
}

/* The pictures to learn from instead of the input. */
static bool open_from(Pictures *p, const Arguments *a)
{
    if (a->n_from == 0)
        return true;
    VipsImage **images = g_new0(VipsImage *, (gsize)a->n_from);
    bool ok = true;
    int n = 0;
    for (; n < a->n_from && ok; n += ok) {
        images[n] = picture_open(a->from[n]);
        ok = images[n] != NULL;
    }
    if (ok)
        p->from = vips_array_image_new(images, n);
    for (int i = 0; i < n; i++)
        g_object_unref(images[i]);
    g_free(images);
    return ok;
}

VipsImage *pictures_lesson(const Pictures *p, VipsImage *input)
{
    int n;
    return p->from ? vips_array_image_get(p->from, &n)[0] : input;
}

bool pictures_open(Pictures *p, const Arguments *a, VipsImage *input)
{
    *p = (Pictures){0};
    if (!open_from(p, a) || !open_one(a->labels, input, &p->labels) ||
        !open_one(a->guide, input, &p->guide) ||
        !open_one(a->mask, pictures_lesson(p, input), &p->mask))
        return false;
    if (p->labels && (p->labels->BandFmt != VIPS_FORMAT_UCHAR || p->labels->Bands != 1)) {
        complain(a->labels, "labels must have 8 bits and one band");
        return false;
    }
    if (a->matrix)
        p->matrix = matrix_file_open(a->matrix);
    return !a->matrix || p->matrix;
}

void pictures_close(Pictures *p)
{
    VIPS_UNREF(p->mask);
    VIPS_UNREF(p->labels);
    VIPS_UNREF(p->guide);
    VIPS_UNREF(p->matrix);
    if (p->from)
        vips_area_unref(VIPS_AREA(p->from));
    *p = (Pictures){0};
}

VipsBlob *operation_read_model(const char *name)
{
    size_t size;
    char *bytes = cof_file_read(name, &size);
    return bytes ? vips_blob_new((VipsCallbackFn)vips_area_free_cb, bytes, size) : NULL;
}

static void set_look(VipsOperation *operation, const Arguments *a)
{
    if (is_given(a, OPT_PRESET))
        g_object_set(operation, "preset", (int)a->options.preset, NULL);
    if (is_given(a, OPT_LOOK))
        g_object_set(operation, "look", (int)a->look + 1, NULL); /* 0 is none */
    if (is_given(a, OPT_COARSE))
        g_object_set(operation, "coarse", a->options.coarse, NULL);
}

static void set_learning(VipsOperation *operation, const Arguments *a, const Pictures *p)
{
    const CofOptions *o = &a->options;
    if (is_given(a, OPT_WINDOW))
        g_object_set(operation, "window", o->window, NULL);
    if (is_given(a, OPT_COLOURS))
        g_object_set(operation, "colours", o->colours, NULL);
    if (is_given(a, OPT_LEVELS))
        g_object_set(operation, "levels", o->levels, NULL);
    if (is_given(a, OPT_RANGE))
        g_object_set(operation, "low", o->low, "high", o->high, NULL);
    if (is_given(a, OPT_SEED))
        g_object_set(operation, "seed", o->seed, NULL);
    if (is_given(a, OPT_SAMPLING))
        g_object_set(operation, "sampling", (int)o->sampling, NULL);
    if (is_given(a, OPT_EXACT_SOFT))
        g_object_set(operation, "exact_soft", TRUE, NULL);
    if (is_given(a, OPT_SIGMA))
        g_object_set(operation, "sigma", o->sigma, NULL);
    if (is_given(a, OPT_SOFTNESS))
        g_object_set(operation, "softness", o->softness, NULL);
    if (is_given(a, OPT_NORMALISE))
        g_object_set(operation, "normalise", (int)o->normalise, NULL);
    if (p->mask)
        g_object_set(operation, "mask", p->mask, NULL);
    if (a->palette_from)
        g_object_set(operation, "palette_from", a->palette_from, NULL);
    if (is_given(a, OPT_REGION)) {
        int numbers[4] = {a->region.x, a->region.y, a->region.width, a->region.height};
        VipsArrayInt *region = vips_array_int_new(numbers, 4);
        g_object_set(operation, "region", region, NULL);
        vips_area_unref(VIPS_AREA(region));
    }
}

static void set_filtering(VipsOperation *operation, const Arguments *a, const Pictures *p)
{
    const CofOptions *o = &a->options;
    if (is_given(a, OPT_FILTER_WINDOW))
        g_object_set(operation, "filter_window", o->filter_window, NULL);
    if (is_given(a, OPT_FILTER_SIGMA))
        g_object_set(operation, "filter_sigma", o->filter_sigma, NULL);
    if (is_given(a, OPT_SPACE))
        g_object_set(operation, "space", (int)o->space, NULL);
    if (is_given(a, OPT_ITERATIONS))
        g_object_set(operation, "iterations", o->iterations, NULL);
    if (is_given(a, OPT_RELABEL) || is_given(a, OPT_ROLLING))
        g_object_set(operation, "repeat", (int)o->repeat, NULL);
    if (is_given(a, OPT_UNTIL))
        g_object_set(operation, "until", o->until, NULL);
    if (is_given(a, OPT_METHOD))
        g_object_set(operation, "method", (int)o->method, NULL);
    if (is_given(a, OPT_ACCURACY))
        g_object_set(operation, "accuracy", o->accuracy, NULL);
    if (is_given(a, OPT_BORDER))
        g_object_set(operation, "border", (int)o->border, NULL);
    if (p->guide)
        g_object_set(operation, "guide", p->guide, NULL);
}

/* Runs it; false: it failed, and is gone. */
static bool build(VipsOperation **operation)
{
    if (vips_cache_operation_buildp(operation) == 0)
        return true;
    vips_object_unref_outputs(VIPS_OBJECT(*operation));
    g_object_unref(*operation);
    return false;
}

static void finish(VipsOperation *operation)
{
    vips_object_unref_outputs(VIPS_OBJECT(operation));
    g_object_unref(operation);
}

bool operation_smooth(const Arguments *a, const Pictures *p, VipsBlob *model, VipsImage *in,
                      VipsImage **out)
{
    VipsOperation *operation = vips_operation_new("cof");
    g_object_set(operation, "in", in, NULL);
    set_look(operation, a);
    set_filtering(operation, a, p);
    if (model) {
        g_object_set(operation, "model_blob", model, NULL);
    } else {
        set_learning(operation, a, p);
        if (p->labels)
            g_object_set(operation, "labels", p->labels, NULL);
        if (p->matrix)
            g_object_set(operation, "matrix", p->matrix, NULL);
        if (p->from)
            g_object_set(operation, "from", p->from, NULL);
    }
    if (!build(&operation))
        return false;
    g_object_get(operation, "out", out, NULL);
    finish(operation);
    return true;
}

bool operation_learn(const Arguments *a, const Pictures *p, VipsArrayImage *images,
                     VipsBlob **learned)
{
    VipsOperation *operation = vips_operation_new("cof_learn");
    g_object_set(operation, "in", images, "stats", is_given(a, OPT_STATS), NULL);
    set_look(operation, a);
    set_learning(operation, a, p);
    if (!build(&operation))
        return false;
    g_object_get(operation, "model", learned, NULL);
    finish(operation);
    return true;
}

static bool label(const CofModel *model, VipsImage *image, VipsImage **labels)
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
    if (!build(&operation))
        return false;
    g_object_get(operation, "out", labels, NULL);
    finish(operation);
    return true;
}

bool operation_paint(const CofModel *model, VipsImage *image, VipsImage **painted)
{
    unsigned char colours[256][3] = {{0}};
    VipsImage *labels = NULL;
    if (!label(model, image, &labels))
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
