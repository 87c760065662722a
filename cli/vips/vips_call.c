/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of the libvips operations of cof, with the options of the command line. */
#include "vips/vips_call.h"

#include "figures/palette_colour.h"
#include "io/cof_file.h"
#include "io/pages.h"
#include "io/watched_image.h"
#include "raster/raster_input.h"
#include "ui/device_note.h"
#include "ui/error_line.h"
#include "vips/input_image.h"
#include "vips/page_images.h"
#include "vips_operations.h"

/* An image of several pages has as many as the input. */
static bool same_size(VipsImage *input, VipsImage *other, const char *name)
{
    bool same = other->Xsize == input->Xsize &&
                vips_image_get_page_height(other) == vips_image_get_page_height(input);
    if (same && (page_count(other) == 1 || page_count(other) == page_count(input)))
        return true;
    print_error(name, same ? "differs from the input in its number of pages"
                           : "differs in size from the input");
    return false;
}

static bool open_same_size(const Arguments *a, const char *name, VipsImage *input,
                           VipsImage **image)
{
    if (!name)
        return true;
    *image = input_image_open_companion(a, name);
    return *image && same_size(input, *image, name);
}

/* Opens pages to learn from, and appends them and the name of their file. */
static bool append_learning_image(GPtrArray *pages, GPtrArray *names, VipsImage *image,
                                  const char *name)
{
    if (!image)
        return false;
    bool ok = page_images_append(pages, image);
    if (!ok)
        print_vips_error(name, "cannot be read");
    while (names->len < pages->len)
        g_ptr_array_add(names, (void *)name);
    g_object_unref(image);
    return ok;
}

/* Opens the images of --learn-from, or the pages of --learn-pages. With a guide, it is learned from
 * its pages. */
static bool open_learning_images(OptionImages *images, const Arguments *a, const char *input)
{
    bool has_pages = a->learn_pages.first > 0;
    if (a->n_learn_from == 0 && !has_pages)
        return true;
    GPtrArray *pages = g_ptr_array_new_with_free_func(g_object_unref), *names = g_ptr_array_new();
    bool ok = true;
    if (has_pages) {
        Arguments own = *a;
        const char *name = a->guide ? a->guide : input;
        own.pages = a->learn_pages;
        ok = append_learning_image(pages, names, input_image_open(&own, name), name);
    }
    for (int i = 0; i < a->n_learn_from && ok; i++)
        ok = append_learning_image(pages, names, input_image_open_all(a, a->learn_from[i]),
                                   a->learn_from[i]);
    if (ok)
        images->learn_from = page_images_array(pages);
    g_ptr_array_free(pages, TRUE);
    images->learn_from_names = (const char **)g_ptr_array_free(names, FALSE);
    return ok;
}

/* With --bands, other bands of the input may be its guide. */
static bool open_bands_guide(const Arguments *a, VipsImage *input, const char *name,
                             VipsImage **guide)
{
    bool failed = false;
    if (!a->guide && a->subcommand & (CMD_FILTER | CMD_APPLY))
        *guide = raster_input_guide(input, name, &failed);
    if (failed)
        print_vips_error(name, "cannot be read");
    return !failed;
}

VipsImage *learning_image(const OptionImages *images, VipsImage *input)
{
    int n;
    return images->learn_from ? vips_array_image_get(images->learn_from, &n)[0] : input;
}

bool option_images_open(OptionImages *images, const Arguments *a, VipsImage *input,
                        const char *name)
{
    *images = (OptionImages){0};
    if (!open_learning_images(images, a, name) ||
        !open_same_size(a, a->labels, input, &images->labels) ||
        !open_same_size(a, a->guide, input, &images->guide) ||
        !open_bands_guide(a, input, name, &images->guide) ||
        !open_same_size(a, a->apply_mask, input, &images->apply_mask) ||
        !open_same_size(a, a->mask, learning_image(images, input), &images->mask))
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
    VIPS_UNREF(images->apply_mask);
    if (images->learn_from)
        vips_area_unref(VIPS_AREA(images->learn_from));
    g_free(images->learn_from_names);
    *images = (OptionImages){0};
}

bool option_images_print_failure(const OptionImages *images)
{
    VipsImage *const single[] = {images->mask, images->labels, images->guide, images->apply_mask};
    int n = 0;
    VipsImage **learned = images->learn_from ? vips_array_image_get(images->learn_from, &n) : NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(single); i++)
        if (single[i] && watched_image_print_failure(single[i]))
            return true;
    for (int i = 0; i < n; i++)
        if (watched_image_print_failure(learned[i]))
            return true;
    return false;
}

VipsBlob *read_model_blob(const char *name)
{
    size_t size;
    char *bytes = cof_file_read(name, &size);
    return bytes ? vips_blob_new((VipsCallbackFn)vips_area_free_cb, bytes, size) : NULL;
}

/* Sets the property of an option of the library; their names and types are the same. */
static void set_option(VipsOperation *operation, const CofOptionInfo *info, const Arguments *a)
{
    const char *field = (const char *)&a->options + info->offset;
    if (info->flags & COF_OPTION_FLAG_NO_FIELD)
        g_object_set(operation, info->name, (int)a->preset, NULL);
    else if (info->type == COF_OPTION_TYPE_DOUBLE)
        g_object_set(operation, info->name, *(const double *)(const void *)field, NULL);
    else if (info->type == COF_OPTION_TYPE_UINT64)
        g_object_set(operation, info->name, *(const uint64_t *)(const void *)field, NULL);
    else
        g_object_set(operation, info->name, *(const int *)(const void *)field, NULL);
}

#define GROUP(NAME) (1u << COF_OPTION_GROUP_##NAME)

/* Sets the options of some groups that were given on the command line. */
static void set_options(VipsOperation *operation, const Arguments *a, unsigned groups)
{
    for (int i = 0; i < cof_option_count(); i++) {
        const CofOptionInfo *info = cof_option_info(i);
        if (a->library[i] && groups & 1u << info->group)
            set_option(operation, info, a);
    }
    if (option_set(a, OPT_KIND))
        g_object_set(operation, "kind", a->kind, NULL);
    if (a->device)
        g_object_set(operation, "device", a->device, NULL);
}

static void set_learning_options(VipsOperation *operation, const Arguments *a,
                                 const OptionImages *images)
{
    set_options(operation, a, GROUP(GENERAL) | GROUP(LEARN) | GROUP(MODEL));
    if (option_set(a, OPT_RANGE))
        g_object_set(operation, "low", a->low, "high", a->high, NULL);
    if (option_set(a, OPT_EXACT_SOFT))
        g_object_set(operation, "exact_soft", TRUE, NULL);
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

/* libvips may lose the error of a part that could not be decoded: whether one of the images has
 * one, which is libvips' error then. */
static bool has_lost_failure(const OptionImages *images, VipsImage *const *in, int n_in)
{
    VipsImage *const single[] = {images->mask, images->labels, images->guide};
    int n = 0;
    VipsImage **learned = images->learn_from ? vips_array_image_get(images->learn_from, &n) : NULL;
    bool failed = false;
    for (size_t i = 0; i < G_N_ELEMENTS(single) && !failed; i++)
        failed = single[i] && watched_image_restore_failure(single[i]);
    for (int i = 0; i < n && !failed; i++)
        failed = watched_image_restore_failure(learned[i]);
    for (int i = 0; i < n_in && !failed; i++)
        failed = watched_image_restore_failure(in[i]);
    return failed;
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
    set_options(operation, a, GROUP(GENERAL) | GROUP(FILTER));
    if (images->guide)
        g_object_set(operation, "guide", images->guide, NULL);
    if (model) {
        g_object_set(operation, "model_blob", model, NULL);
    } else {
        set_learning_options(operation, a, images);
        if (images->labels)
            g_object_set(operation, "labels", images->labels, NULL);
        if (images->matrix)
            g_object_set(operation, "matrix", images->matrix, NULL);
        if (images->learn_from)
            g_object_set(operation, "learn_from", images->learn_from, NULL);
    }
    if (!run_operation(&operation))
        return false;
    device_note_see(vips_cof_device_note(), true);
    g_object_get(operation, "out", out, NULL);
    free_operation(operation);
    if (has_lost_failure(images, &in, 1))
        g_clear_object(out);
    return *out;
}

bool call_learn(const Arguments *a, const OptionImages *images, VipsArrayImage *inputs,
                VipsBlob **learned)
{
    VipsOperation *operation = vips_operation_new("cof_learn");
    g_object_set(operation, "in", inputs, "stats", option_set(a, OPT_STATS), NULL);
    set_learning_options(operation, a, images);
    if (!run_operation(&operation))
        return false;
    device_note_see(vips_cof_device_note(), false);
    int n;
    VipsImage **in = vips_array_image_get(inputs, &n);
    bool failed = has_lost_failure(images, in, n);
    if (!failed)
        g_object_get(operation, "model", learned, NULL);
    free_operation(operation);
    return !failed;
}

static bool call_label(const CofModel *model, VipsImage *image, VipsImage **labels)
{
    void *bytes;
    size_t size;
    CofProblem problem;
    if (cof_model_save(model, &bytes, &size, &problem) != COF_OK) {
        vips_error("cof", "%s", problem.text);
        return false;
    }
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
