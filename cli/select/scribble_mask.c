/* SPDX-License-Identifier: BSD-2-Clause */
/* What of a picture a person has chosen. */
#include "select/scribble_mask.h"

#include <math.h>
#include <string.h>

#include "io/image_file.h"
#include "options/strokes.h"
#include "ui/error_line.h"
#include "ui/progress.h"
#include "lesson.h"

/* Scribbles are spread over pictures of about this size; larger ones are reduced, so that a stroke
 * reaches as far in all of them, and the mask is fitted to the large one in the end. */
#define MOST_SPREAD_PIXELS 1e6

/* How far and how often scribbles spread. */
#define SPREAD_WINDOW 31
#define SPREAD_PASSES 20

/* The window in which an enlarged mask is fitted to the picture. */
#define FIT_WINDOW 15

bool complain_cof(const char *name, CofStatus status, const CofReport *report)
{
    complain(name, report && report->problem ? report->problem : cof_status_string(status));
    return false;
}

bool canvas_open(Canvas *c, const char *name)
{
    *c = (Canvas){.picture = picture_open(name)};
    if (!c->picture)
        return false;
    if (pixels_open(&c->pixels, c->picture, "cof") == 0)
        c->memory = vips_image_copy_memory(c->pixels.image);
    if (!c->memory) {
        complain_vips(name, "cannot be read");
        return false;
    }
    c->view = pixels_whole(&c->pixels, c->memory);
    return true;
}

void canvas_close(Canvas *c)
{
    pixels_close(&c->pixels);
    VIPS_UNREF(c->memory);
    VIPS_UNREF(c->picture);
}

VipsImage *canvas_like(const Canvas *c, CofImage *view)
{
    VipsImage *copy = vips_image_new_memory();
    if (vips_image_pipelinev(copy, VIPS_DEMAND_STYLE_ANY, c->memory, NULL) != 0 ||
        vips_image_write_prepare(copy) != 0) {
        g_object_unref(copy);
        complain("memory", "not enough");
        return NULL;
    }
    *view = pixels_whole(&c->pixels, copy);
    return copy;
}

VipsImage *canvas_restore(const Canvas *c, VipsImage *memory, const char *name)
{
    VipsImage *out = NULL;
    if (pixels_restore(&c->pixels, c->picture, memory, &out) == 0)
        return out;
    complain_vips(name, "cannot be converted");
    return NULL;
}

CofImage grey_view_of(VipsImage *image)
{
    return (CofImage){.data = VIPS_IMAGE_ADDR(image, 0, 0),
                      .width = image->Xsize,
                      .height = image->Ysize,
                      .channels = 1,
                      .sample = image->BandFmt == VIPS_FORMAT_FLOAT ? COF_F32 : COF_U8,
                      .stride = (ptrdiff_t)VIPS_IMAGE_SIZEOF_LINE(image)};
}

VipsImage *image_copy_of(VipsImage *image)
{
    VipsImage *copy = vips_image_new_memory();
    if (vips_image_write(image, copy) == 0)
        return copy;
    g_object_unref(copy);
    return NULL;
}

/* One band in memory, all 0. */
static VipsImage *blank(int width, int height, VipsBandFormat format)
{
    VipsImage *black = NULL, *cast = NULL, *memory = NULL;
    if (vips_black(&black, width, height, NULL) == 0 && vips_cast(black, &cast, format, NULL) == 0)
        memory = vips_image_copy_memory(cast);
    VIPS_UNREF(black);
    VIPS_UNREF(cast);
    return memory;
}

/* A picture of the same size, as a mask in memory. */
static VipsImage *read_mask(const char *name, const Canvas *c)
{
    VipsImage *picture = picture_open(name), *bytes = NULL, *memory = NULL;
    if (!picture)
        return NULL;
    if (picture->Xsize != c->memory->Xsize || picture->Ysize != c->memory->Ysize) {
        complain(name, "differs in size from the input");
    } else {
        if (pixels_mask(picture, &bytes) == 0)
            memory = vips_image_copy_memory(bytes);
        if (!memory)
            complain_vips(name, "cannot be read");
    }
    VIPS_UNREF(bytes);
    g_object_unref(picture);
    return memory;
}

static bool is_blank(VipsImage *mask)
{
    double most = 0;
    return vips_max(mask, &most, NULL) == 0 && most <= 0;
}

static bool grow(VipsImage *marks, double radius, const CofOptions *options)
{
    CofImage view = grey_view_of(marks);
    return radius <= 0 || cof_mask_grow(&view, &view, radius, options) == COF_OK;
}

/* A scribble of a file, of strokes, or of both; NULL after a complaint. */
static VipsImage *scribble_of(const Arguments *a, const Canvas *c, const char *file,
                              const char **strokes, int n)
{
    int width = c->memory->Xsize, height = c->memory->Ysize;
    VipsImage *marks = file ? read_mask(file, c) : blank(width, height, VIPS_FORMAT_UCHAR);
    if (!marks && !file)
        complain("memory", "not enough");
    if (!marks)
        return NULL;
    bool ok = true;
    for (int i = 0; i < n && ok; i++)
        if (stroke_draw(strokes[i], (uint8_t *)VIPS_IMAGE_ADDR(marks, 0, 0), width, height) == 0 &&
            i == 0 && !file) {
            complain(strokes[i], "the stroke marks no pixel of the picture");
            ok = false;
        }
    if (ok && file && is_blank(marks)) {
        complain(file, "nothing is scribbled: all of it is black");
        ok = false;
    }
    if (ok && !grow(marks, a->grow, &a->options)) {
        complain("memory", "not enough");
        ok = false;
    }
    if (ok)
        return marks;
    g_object_unref(marks);
    return NULL;
}

/* Pictures, reduced or enlarged, in memory. */
static VipsImage *scaled(VipsImage *image, double scale, VipsKernel kernel)
{
    VipsImage *out = NULL, *memory = NULL;
    if (vips_resize(image, &out, scale, "kernel", kernel, NULL) == 0)
        memory = vips_image_copy_memory(out);
    VIPS_UNREF(out);
    return memory;
}

/* Reduced marks: every pixel that has a part of one is marked. */
static VipsImage *scaled_marks(VipsImage *marks, double scale)
{
    VipsImage *small = scaled(marks, scale, VIPS_KERNEL_LINEAR), *mask = NULL, *memory = NULL;
    if (small && pixels_mask(small, &mask) == 0)
        memory = vips_image_copy_memory(mask);
    VIPS_UNREF(small);
    VIPS_UNREF(mask);
    return memory;
}

static CofOptions spreading(const Arguments *a, CofReport *report)
{
    CofOptions options = a->options;
    options.iterations = is_given(a, OPT_SPREAD_PASSES) ? a->spread_passes : SPREAD_PASSES;
    options.filter_window = is_given(a, OPT_SPREAD_WINDOW) ? a->spread_window : SPREAD_WINDOW;
    options.window =
        options.filter_window < COF_MAX_WINDOW ? options.filter_window : COF_MAX_WINDOW;
    options.filter_sigma = 0;
    *report = (CofReport){.struct_size = sizeof *report};
    options.report = report;
    return options;
}

/* From scribbles to a mask of the same size. */
static VipsImage *spread(const Arguments *a, const CofImage *image, VipsImage *marks,
                         VipsImage *other, const char *name)
{
    CofReport report;
    CofOptions options = spreading(a, &report);
    CofModel *model = NULL;
    VipsImage *soft = blank(image->width, image->height, VIPS_FORMAT_FLOAT);
    VipsImage *mask = blank(image->width, image->height, VIPS_FORMAT_UCHAR);
    CofImage foreground = grey_view_of(marks), background, soft_view, mask_view;
    double threshold = a->threshold;
    CofStatus status = soft && mask ? lesson_model(image, &options, &model) : COF_ERR_MEMORY;
    progress_follow(&options, name);
    if (other)
        background = grey_view_of(other);
    if (status == COF_OK) {
        soft_view = grey_view_of(soft);
        mask_view = grey_view_of(mask);
        status =
            cof_select(model, image, &foreground, other ? &background : NULL, &soft_view, &options);
    }
    if (status == COF_OK)
        status = cof_select_mask(model, image, &foreground, other ? &background : NULL, &soft_view,
                                 &threshold, &mask_view, &options);
    progress_end();
    cof_model_free(&model);
    VIPS_UNREF(soft);
    if (status == COF_OK)
        return mask;
    complain_cof(name, status, &report);
    VIPS_UNREF(mask);
    return NULL;
}

/* One pass of the mask, guided by the picture, and the half of it. */
static bool fit(const Arguments *a, const Canvas *c, VipsImage *mask, const char *name)
{
    CofReport report;
    CofOptions options = spreading(a, &report);
    options.window = options.filter_window = FIT_WINDOW;
    options.iterations = 1;
    CofModel *model = NULL;
    CofImage view = grey_view_of(mask);
    CofStatus status = lesson_model(&c->view, &options, &model);
    if (status == COF_OK)
        status = cof_filter(model, &c->view, &view, &view, &options);
    cof_model_free(&model);
    unsigned char *bytes = (unsigned char *)VIPS_IMAGE_ADDR(mask, 0, 0);
    for (size_t i = 0; i < (size_t)mask->Xsize * (size_t)mask->Ysize; i++)
        bytes[i] = bytes[i] >= 128 ? 255 : 0;
    return status == COF_OK || complain_cof(name, status, &report);
}

/* Enlarged to the size of the picture, to the pixel. */
static VipsImage *enlarge(VipsImage *mask, const Canvas *c)
{
    VipsImage *out = NULL, *memory = NULL;
    double across = (double)c->memory->Xsize / mask->Xsize;
    if (vips_resize(mask, &out, across, "vscale", (double)c->memory->Ysize / mask->Ysize, "kernel",
                    VIPS_KERNEL_LINEAR, NULL) == 0 &&
        out->Xsize == c->memory->Xsize && out->Ysize == c->memory->Ysize)
        memory = vips_image_copy_memory(out);
    VIPS_UNREF(out);
    return memory;
}

static VipsImage *spread_reduced(const Arguments *a, const Canvas *c, double scale,
                                 VipsImage *marks, VipsImage *other, const char *name)
{
    VipsImage *image = scaled(c->memory, scale, VIPS_KERNEL_LANCZOS3), *large = NULL, *mask = NULL;
    VipsImage *small = scaled_marks(marks, scale),
              *small_other = other ? scaled_marks(other, scale) : NULL;
    if (image && small && (small_other || !other)) {
        CofImage view = pixels_whole(&c->pixels, image);
        mask = spread(a, &view, small, small_other, name);
        large = mask ? enlarge(mask, c) : NULL;
        if (mask && !large)
            complain_vips(name, "its mask cannot be enlarged");
        if (large && !fit(a, c, large, name))
            g_clear_object(&large);
    } else {
        complain_vips(name, "cannot be reduced");
    }
    VIPS_UNREF(image);
    VIPS_UNREF(small);
    VIPS_UNREF(small_other);
    VIPS_UNREF(mask);
    return large;
}

static const char *first_of(const char **names, int n)
{
    return n > 0 ? names[0] : NULL;
}

static VipsImage *mask_of_scribbles(const Arguments *a, const Canvas *c, const char *name)
{
    VipsImage *other = NULL, *mask = NULL;
    VipsImage *marks =
        scribble_of(a, c, first_of(a->scribbles, a->n_scribbles), a->strokes, a->n_strokes);
    bool both = a->n_background_scribbles > 0 || a->n_background_strokes > 0;
    if (marks && both)
        other = scribble_of(a, c, first_of(a->background_scribbles, a->n_background_scribbles),
                            a->background_strokes, a->n_background_strokes);
    double pixels = (double)c->memory->Xsize * c->memory->Ysize;
    if (marks && (other || !both))
        mask = pixels > MOST_SPREAD_PIXELS
                   ? spread_reduced(a, c, sqrt(MOST_SPREAD_PIXELS / pixels), marks, other, name)
                   : spread(a, &c->view, marks, other, name);
    VIPS_UNREF(marks);
    VIPS_UNREF(other);
    return mask;
}

void mask_invert(VipsImage *mask)
{
    unsigned char *bytes = (unsigned char *)VIPS_IMAGE_ADDR(mask, 0, 0);
    for (size_t i = 0; i < (size_t)mask->Xsize * (size_t)mask->Ysize; i++)
        bytes[i] = bytes[i] ? 0 : 255;
}

VipsImage *chosen_mask(const Arguments *a, const Canvas *c, const char *name)
{
    VipsImage *mask = a->mask ? read_mask(a->mask, c) : mask_of_scribbles(a, c, name);
    if (mask && is_given(a, OPT_INVERT))
        mask_invert(mask);
    return mask;
}
