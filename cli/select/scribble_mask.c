/* SPDX-License-Identifier: BSD-2-Clause */
/* The mask of what the user selected. */
#include "select/scribble_mask.h"

#include "io/image_file.h"
#include "options/option_notes.h"
#include "options/strokes.h"
#include "ui/device_note.h"
#include "ui/error_line.h"
#include "ui/progress.h"

/* The share of the image above which a scribble must be a mistake. */
#define MOST_MARKED 0.95

/* One band of zeros in memory. */
static VipsImage *blank_image(int width, int height)
{
    VipsImage *black = NULL, *memory = NULL;
    if (vips_black(&black, width, height, NULL) == 0)
        memory = copy_image(black);
    VIPS_UNREF(black);
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

/* Checks that a scribble marks something, but not nearly everything. */
static bool check_marks(VipsImage *scribble, const char *file)
{
    double mean = 0; /* of marks, which are 255 */
    if (vips_avg(scribble, &mean, NULL) != 0) {
        print_vips_error(file, "cannot be read");
        return false;
    }
    if (mean <= 0) {
        print_error(file, "has no scribble: all pixels are black");
        return false;
    }
    if (mean > 255 * MOST_MARKED) {
        print_error(file, "marks nearly the whole image: paint scribbles on a black layer");
        return false;
    }
    return true;
}

static bool draw_stroke(const Arguments *a, const char *stroke, VipsImage *scribble)
{
    CofImage view = single_band_view(scribble);
    CofProblem problem;
    CofOptions options = a->options;
    options.problem = &problem;
    return stroke_draw(stroke, &view, &options) == COF_OK || print_cof_problem(stroke, &problem);
}

static bool dilate(VipsImage *scribble, double radius, const CofOptions *options)
{
    CofImage view = single_band_view(scribble);
    return radius <= 0 || cof_mask_dilate(&view, radius, &view, options) == COF_OK;
}

/* The scribble in a file (or NULL) and in strokes, joined. */
static VipsImage *open_scribble(const Arguments *a, const LoadedImage *source, const char *file,
                                const char **strokes, int n, const char *name)
{
    int width = source->memory->Xsize, height = source->memory->Ysize;
    VipsImage *scribble = file ? read_mask(file, source) : blank_image(width, height);
    if (!scribble && !file)
        print_error(name, "not enough memory");
    if (!scribble)
        return NULL;
    bool ok = !file || check_marks(scribble, file);
    for (int i = 0; i < n && ok; i++)
        ok = draw_stroke(a, strokes[i], scribble);
    if (ok && !dilate(scribble, a->dilate, &a->options)) {
        print_error(name, "not enough memory");
        ok = false;
    }
    if (ok)
        return scribble;
    g_object_unref(scribble);
    return NULL;
}

/* Prints an error if a pixel is marked as object and as background. */
static bool check_overlap(VipsImage *scribble, VipsImage *background, const char *name)
{
    for (int y = 0; y < scribble->Ysize; y++) {
        const VipsPel *object = VIPS_IMAGE_ADDR(scribble, 0, y),
                      *other = VIPS_IMAGE_ADDR(background, 0, y);
        for (int x = 0; x < scribble->Xsize; x++)
            if (object[x] && other[x]) {
                char *text = g_strdup_printf(
                    "strokes of the object and of the background overlap at %d,%d", x, y);
                print_error(name, text);
                g_free(text);
                return false;
            }
    }
    return true;
}

/* Corrects the mask near scribbles that contradict it. The background may be NULL. */
static CofStatus correct_mask(const CofImage *image, const CofImage *scribble,
                              const CofImage *background, const CofImage *mask, CofOptions *options)
{
    CofSelection *selection = NULL;
    CofStatus status = cof_selection_new(&selection, image, options);
    /* The others take little time, and do not use a device. */
    options->report = NULL;
    options->progress = NULL;
    if (status == COF_OK)
        status = cof_selection_set_mask(selection, mask, options);
    if (status == COF_OK)
        status = cof_selection_add_pixels(selection, COF_STROKE_FOREGROUND, scribble, options);
    if (status == COF_OK && background)
        status = cof_selection_add_pixels(selection, COF_STROKE_BACKGROUND, background, options);
    if (status == COF_OK)
        status = cof_selection_correct(selection, mask, options);
    cof_selection_free(&selection);
    return status;
}

/* Makes a mask of the scribbles, or corrects the one that there is. */
static VipsImage *select_object(const Arguments *a, const LoadedImage *source, VipsImage *scribble,
                                VipsImage *background, const char *name)
{
    CofProblem problem;
    CofReport report = {.struct_size = sizeof report};
    CofOptions options = a->options;
    VipsImage *mask = a->correct ? read_mask(a->correct, source)
                                 : blank_image(source->view.width, source->view.height);
    if (!mask) {
        if (!a->correct)
            print_error(name, "not enough memory");
        return NULL;
    }
    CofImage scribble_view = single_band_view(scribble), mask_view = single_band_view(mask);
    CofImage background_view = background ? single_band_view(background) : (CofImage){0};
    options.problem = &problem;
    options.report = &report;
    options.filter_sigma = 0; /* that of focus and video is not for spreading */
    progress_watch_call(&options, PROGRESS_SELECTING, name);
    const CofImage *other = background ? &background_view : NULL;
    CofStatus status =
        a->correct ? correct_mask(&source->view, &scribble_view, other, &mask_view, &options)
                   : cof_select(&source->view, &scribble_view, other, &mask_view, &options);
    progress_end();
    device_note_see(report.device_note, false);
    if (status == COF_OK)
        return mask;
    print_cof_problem(name, &problem);
    g_object_unref(mask);
    return NULL;
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
                                        a->strokes, a->n_strokes, name);
    bool has_background = a->n_background_scribbles > 0 || a->n_background_strokes > 0;
    if (scribble && has_background)
        background = open_scribble(
            a, source, first_or_null(a->background_scribbles, a->n_background_scribbles),
            a->background_strokes, a->n_background_strokes, name);
    bool ok = background ? check_overlap(scribble, background, name) : !has_background;
    if (scribble && ok)
        mask = select_object(a, source, scribble, background, name);
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
    option_notes_see(a, source->original);
    VipsImage *mask = a->mask ? read_mask(a->mask, source) : mask_from_scribbles(a, source, name);
    if (mask && option_set(a, OPT_INVERT))
        invert_mask(mask);
    return mask;
}
