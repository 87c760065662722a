/* SPDX-License-Identifier: BSD-2-Clause */
/* The mask of what the user selected. */
#include "select/scribble_mask.h"

#include <math.h>
#include <string.h>

#include "io/image_file.h"
#include "options/strokes.h"
#include "ui/error_line.h"
#include "ui/progress.h"
#include "learn_image.h"

/* Scribbles are spread on an image of at most this size, so that a stroke reaches equally far in
 * every image. The mask is then upscaled and refined on the full image. */
#define MAX_SPREAD_PIXELS 1e6

#define DEFAULT_SPREAD_WINDOW 31
#define DEFAULT_SPREAD_PASSES 20

/* The window with which an upscaled mask is refined. */
#define REFINE_WINDOW 15

/* One band of zeros in memory. */
static VipsImage *blank_image(int width, int height, VipsBandFormat format)
{
    VipsImage *black = NULL, *cast = NULL, *memory = NULL;
    if (vips_black(&black, width, height, NULL) == 0 && vips_cast(black, &cast, format, NULL) == 0)
        memory = vips_image_copy_memory(cast);
    VIPS_UNREF(black);
    VIPS_UNREF(cast);
    return memory;
}

/* Reads an image of the size of `source` as a mask. */
static VipsImage *read_mask(const char *name, const LoadedImage *source)
{
    VipsImage *image = image_file_open(name), *bytes = NULL, *memory = NULL;
    if (!image)
        return NULL;
    if (image->Xsize != source->memory->Xsize || image->Ysize != source->memory->Ysize) {
        print_error(name, "differs in size from the input");
    } else {
        if (pixels_mask(image, &bytes) == 0)
            memory = vips_image_copy_memory(bytes);
        if (!memory)
            print_vips_error(name, "cannot be read");
    }
    VIPS_UNREF(bytes);
    g_object_unref(image);
    return memory;
}

static bool is_black(VipsImage *mask)
{
    double maximum = 0;
    return vips_max(mask, &maximum, NULL) == 0 && maximum <= 0;
}

static bool dilate(VipsImage *scribble, double radius, const CofOptions *options)
{
    CofImage view = single_band_view(scribble);
    return radius <= 0 || cof_mask_dilate(&view, &view, radius, options) == COF_OK;
}

/* The scribble in a file (or NULL) and in strokes, joined. */
static VipsImage *open_scribble(const Arguments *a, const LoadedImage *source, const char *file,
                                const char **strokes, int n)
{
    int width = source->memory->Xsize, height = source->memory->Ysize;
    VipsImage *scribble =
        file ? read_mask(file, source) : blank_image(width, height, VIPS_FORMAT_UCHAR);
    if (!scribble && !file)
        print_error("memory", "not enough");
    if (!scribble)
        return NULL;
    bool ok = true;
    for (int i = 0; i < n && ok; i++)
        if (stroke_draw(strokes[i], (uint8_t *)VIPS_IMAGE_ADDR(scribble, 0, 0), width, height) ==
                0 &&
            i == 0 && !file) {
            print_error(strokes[i], "the stroke marks no pixel of the picture");
            ok = false;
        }
    if (ok && file && is_black(scribble)) {
        print_error(file, "nothing is scribbled: all of it is black");
        ok = false;
    }
    if (ok && !dilate(scribble, a->grow, &a->options)) {
        print_error("memory", "not enough");
        ok = false;
    }
    if (ok)
        return scribble;
    g_object_unref(scribble);
    return NULL;
}

static VipsImage *resize_image(VipsImage *image, double scale, VipsKernel kernel)
{
    VipsImage *out = NULL, *memory = NULL;
    if (vips_resize(image, &out, scale, "kernel", kernel, NULL) == 0)
        memory = vips_image_copy_memory(out);
    VIPS_UNREF(out);
    return memory;
}

/* A pixel of the small scribble is marked if a part of it is. */
static VipsImage *downscale_scribble(VipsImage *scribble, double scale)
{
    VipsImage *small = resize_image(scribble, scale, VIPS_KERNEL_LINEAR), *mask = NULL,
              *memory = NULL;
    if (small && pixels_mask(small, &mask) == 0)
        memory = vips_image_copy_memory(mask);
    VIPS_UNREF(small);
    VIPS_UNREF(mask);
    return memory;
}

static CofOptions spread_options(const Arguments *a, CofReport *report)
{
    CofOptions options = a->options;
    options.iterations =
        option_set(a, OPT_SPREAD_PASSES) ? a->spread_passes : DEFAULT_SPREAD_PASSES;
    options.filter_window =
        option_set(a, OPT_SPREAD_WINDOW) ? a->spread_window : DEFAULT_SPREAD_WINDOW;
    options.window =
        options.filter_window < COF_MAX_WINDOW ? options.filter_window : COF_MAX_WINDOW;
    options.filter_sigma = 0;
    *report = (CofReport){.struct_size = sizeof *report};
    options.report = report;
    return options;
}

/* Spreads scribbles over an image of the same size and thresholds the result. */
static VipsImage *spread_scribbles(const Arguments *a, const CofImage *image, VipsImage *scribble,
                                   VipsImage *background, const char *name)
{
    CofReport report;
    CofOptions options = spread_options(a, &report);
    CofModel *model = NULL;
    VipsImage *soft = blank_image(image->width, image->height, VIPS_FORMAT_FLOAT);
    VipsImage *mask = blank_image(image->width, image->height, VIPS_FORMAT_UCHAR);
    CofImage scribble_view = single_band_view(scribble), background_view, soft_view, mask_view;
    double threshold = a->threshold;
    CofStatus status = soft && mask ? learn_image_model(image, &options, &model) : COF_ERR_MEMORY;
    progress_watch_call(&options, name);
    if (background)
        background_view = single_band_view(background);
    if (status == COF_OK) {
        soft_view = single_band_view(soft);
        mask_view = single_band_view(mask);
        status = cof_select_spread(model, image, &scribble_view,
                                   background ? &background_view : NULL, &soft_view, &options);
    }
    if (status == COF_OK)
        status =
            cof_select_threshold(model, image, &scribble_view, background ? &background_view : NULL,
                                 &soft_view, &threshold, &mask_view, &options);
    progress_end();
    cof_model_free(&model);
    VIPS_UNREF(soft);
    if (status == COF_OK)
        return mask;
    print_cof_error(name, status, &report);
    VIPS_UNREF(mask);
    return NULL;
}

/* Filters the mask once, guided by the image, and thresholds it at one half. */
static bool refine_mask(const Arguments *a, const LoadedImage *source, VipsImage *mask,
                        const char *name)
{
    CofReport report;
    CofOptions options = spread_options(a, &report);
    options.window = options.filter_window = REFINE_WINDOW;
    options.iterations = 1;
    CofModel *model = NULL;
    CofImage view = single_band_view(mask);
    CofStatus status = learn_image_model(&source->view, &options, &model);
    if (status == COF_OK)
        status = cof_filter(model, &source->view, &view, &view, &options);
    cof_model_free(&model);
    unsigned char *bytes = (unsigned char *)VIPS_IMAGE_ADDR(mask, 0, 0);
    for (size_t i = 0; i < (size_t)mask->Xsize * (size_t)mask->Ysize; i++)
        bytes[i] = bytes[i] >= 128 ? 255 : 0;
    return status == COF_OK || print_cof_error(name, status, &report);
}

/* Upscales a mask to exactly the size of the image. */
static VipsImage *upscale_mask(VipsImage *mask, const LoadedImage *source)
{
    VipsImage *out = NULL, *memory = NULL;
    double across = (double)source->memory->Xsize / mask->Xsize;
    if (vips_resize(mask, &out, across, "vscale", (double)source->memory->Ysize / mask->Ysize,
                    "kernel", VIPS_KERNEL_LINEAR, NULL) == 0 &&
        out->Xsize == source->memory->Xsize && out->Ysize == source->memory->Ysize)
        memory = vips_image_copy_memory(out);
    VIPS_UNREF(out);
    return memory;
}

static VipsImage *spread_downscaled(const Arguments *a, const LoadedImage *source, double scale,
                                    VipsImage *scribble, VipsImage *background, const char *name)
{
    VipsImage *image = resize_image(source->memory, scale, VIPS_KERNEL_LANCZOS3), *large = NULL,
              *mask = NULL;
    VipsImage *small = downscale_scribble(scribble, scale),
              *small_background = background ? downscale_scribble(background, scale) : NULL;
    if (image && small && (small_background || !background)) {
        CofImage view = pixels_whole(&source->pixels, image);
        mask = spread_scribbles(a, &view, small, small_background, name);
        large = mask ? upscale_mask(mask, source) : NULL;
        if (mask && !large)
            print_vips_error(name, "its mask cannot be enlarged");
        if (large && !refine_mask(a, source, large, name))
            g_clear_object(&large);
    } else {
        print_vips_error(name, "cannot be reduced");
    }
    VIPS_UNREF(image);
    VIPS_UNREF(small);
    VIPS_UNREF(small_background);
    VIPS_UNREF(mask);
    return large;
}

static const char *first_or_null(const char **names, int n)
{
    return n > 0 ? names[0] : NULL;
}

static VipsImage *mask_from_scribbles(const Arguments *a, const LoadedImage *source,
                                      const char *name)
{
    VipsImage *background = NULL, *mask = NULL;
    VipsImage *scribble = open_scribble(a, source, first_or_null(a->scribbles, a->n_scribbles),
                                        a->strokes, a->n_strokes);
    bool has_background = a->n_background_scribbles > 0 || a->n_background_strokes > 0;
    if (scribble && has_background)
        background = open_scribble(
            a, source, first_or_null(a->background_scribbles, a->n_background_scribbles),
            a->background_strokes, a->n_background_strokes);
    double pixels = (double)source->memory->Xsize * source->memory->Ysize;
    if (scribble && (background || !has_background))
        mask = pixels > MAX_SPREAD_PIXELS
                   ? spread_downscaled(a, source, sqrt(MAX_SPREAD_PIXELS / pixels), scribble,
                                       background, name)
                   : spread_scribbles(a, &source->view, scribble, background, name);
    VIPS_UNREF(scribble);
    VIPS_UNREF(background);
    return mask;
}

void invert_mask(VipsImage *mask)
{
    unsigned char *bytes = (unsigned char *)VIPS_IMAGE_ADDR(mask, 0, 0);
    for (size_t i = 0; i < (size_t)mask->Xsize * (size_t)mask->Ysize; i++)
        bytes[i] = bytes[i] ? 0 : 255;
}

VipsImage *selection_mask(const Arguments *a, const LoadedImage *source, const char *name)
{
    VipsImage *mask = a->mask ? read_mask(a->mask, source) : mask_from_scribbles(a, source, name);
    if (mask && option_set(a, OPT_INVERT))
        invert_mask(mask);
    return mask;
}
