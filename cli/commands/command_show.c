/* SPDX-License-Identifier: BSD-2-Clause */
/* cof show: draws a model, or what is learned from an image and how filtering changes it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "figures/display_image.h"
#include "figures/heat_map.h"
#include "figures/svg.h"
#include "io/cof_file.h"
#include "io/image_file.h"
#include "options/arguments_options.h"
#include "options/option_notes.h"
#include "ui/error_line.h"
#include "ui/progress.h"
#include "vips/input_image.h"
#include "vips/vips_call.h"
#include "vips/vips_fault.h"
#include "vips_operations.h"

#define MARGIN 24
#define CAPTION 26

static bool show_model(const Arguments *a)
{
    CofModel *model = NULL;
    Svg svg;
    CofOptions options = arguments_options(a, 1, 1);
    if (arguments_value(a, "preset") && !arguments_value(a, "sigma"))
        options.sigma = 0; /* a preset's depends on the size of an image, which is not known */
    if (!cof_file_load_model(a->operands[0], &options, &model, NULL))
        return false;
    svg_begin(&svg, HEAT_MAP_WIDTH + 2 * MARGIN, HEAT_MAP_HEIGHT + CAPTION + 2 * MARGIN);
    svg_text(&svg, MARGIN, MARGIN + 14, 16, ANCHOR_START,
             "M: how strongly two values are averaged (1 = as often as chance)");
    bool ok = heat_map_draw(&svg, model, MARGIN, MARGIN + CAPTION);
    if (!ok)
        print_vips_error(a->operands[0], "cannot be drawn");
    ok = svg_save(&svg, a->output) && ok;
    cof_model_free(&model);
    return ok;
}

/* The size at which an image is drawn. */
typedef struct Size {
    int width, height;
} Size;

static Size displayed_size(const VipsImage *image)
{
    double scale =
        fmin((double)HEAT_MAP_WIDTH / image->Xsize, (double)HEAT_MAP_HEIGHT / image->Ysize);
    scale = scale < 1 ? scale : 1;
    return (Size){(int)fmax(1, image->Xsize * scale), (int)fmax(1, image->Ysize * scale)};
}

static bool draw_image(Svg *svg, VipsImage *image, double x, double y, const char *caption)
{
    VipsImage *small = NULL;
    Size size = displayed_size(image);
    if (vips_thumbnail_image(image, &small, size.width, "height", size.height, "size",
                             VIPS_SIZE_FORCE, NULL) != 0)
        return false;
    svg_text(svg, x, y + 14, 16, ANCHOR_START, caption);
    bool ok = svg_image(svg, small, x, y + CAPTION, size.width, size.height);
    g_object_unref(small);
    return ok;
}

static bool draw_display(Svg *svg, const DisplayRange *range, VipsImage *image, double x, double y,
                         const char *caption)
{
    VipsImage *display = display_image(range, image);
    bool ok = display && draw_image(svg, display, x, y, caption);
    VIPS_UNREF(display);
    return ok;
}

/* Draws the input, its labels, M and the result. */
static bool draw_comparison(const CofModel *model, VipsImage *in, VipsImage *out, Svg *svg)
{
    VipsImage *painted = NULL;
    if (!paint_labels(model, in, &painted))
        return false;
    double right = 2 * MARGIN + HEAT_MAP_WIDTH;
    double below = 2 * MARGIN + CAPTION + displayed_size(in).height;
    DisplayRange range;
    bool ok = display_range_find(&range, in) &&
              draw_display(svg, &range, in, MARGIN, MARGIN, "input") &&
              draw_image(svg, painted, right, MARGIN, "labels") &&
              draw_display(svg, &range, out, right, below, "result");
    svg_text(svg, MARGIN, below + 14, 16, ANCHOR_START, "M (1 = as often as chance)");
    ok = ok && heat_map_draw(svg, model, MARGIN, below + CAPTION);
    g_object_unref(painted);
    return ok;
}

static bool learn_model(const Arguments *a, const OptionImages *images, VipsImage *in,
                        CofModel **model)
{
    VipsArrayImage *inputs = vips_array_image_new(&in, 1);
    VipsBlob *learned = NULL;
    bool ok = call_learn(a, images, inputs, &learned);
    vips_area_unref(VIPS_AREA(inputs));
    if (!ok)
        return false;
    size_t size;
    const void *bytes = vips_blob_get(learned, &size);
    ok = cof_model_load(model, bytes, size, NULL) == COF_OK;
    vips_area_unref(VIPS_AREA(learned));
    return ok;
}

static void print_show_error(const Arguments *a, const OptionImages *images, VipsImage *in,
                             const char *fallback)
{
    print_operation_error(
        a, &(OperationFiles){.input = a->operands[0], .in = &in, .n_in = 1, .images = images},
        fallback);
}

static bool show_image(const Arguments *a, const OptionImages *images, VipsImage *in)
{
    CofModel *model = NULL;
    VipsImage *out = NULL;
    Svg svg;
    int height = displayed_size(in).height;
    int below = height > HEAT_MAP_HEIGHT ? height : HEAT_MAP_HEIGHT;
    svg_begin(&svg, 2 * HEAT_MAP_WIDTH + 3 * MARGIN, height + below + 2 * CAPTION + 3 * MARGIN);
    bool ok = learn_model(a, images, in, &model) && call_smooth(a, images, NULL, in, &out) &&
              draw_comparison(model, in, out, &svg);
    progress_end();
    if (!ok)
        print_show_error(a, images, in, "cannot be drawn");
    if (ok)
        ok = svg_save(&svg, a->output);
    else
        g_string_free(svg.text, TRUE);
    VIPS_UNREF(out);
    cof_model_free(&model);
    return ok;
}

/* Parses the change of each pass from a report; returns the number of passes. */
static int parse_changes(const char *report, double changes[64])
{
    const char *at = report ? strstr(report, "\"change\": [") : NULL;
    int n = 0;
    for (at = at ? strchr(at, '[') + 1 : NULL; at && *at != ']' && n < 64; n++) {
        char *end;
        changes[n] = g_ascii_strtod(at, &end);
        at = *end == ',' ? end + 1 : end;
    }
    return n;
}

/* The area of a curve, and the powers of 10 that it spans. */
typedef struct Plot {
    double left, top, width, height, max_power, min_power;
    int n;
} Plot;

static double x_of(const Plot *plot, int pass)
{
    return plot->left + plot->width * (plot->n > 1 ? (double)pass / (plot->n - 1) : 0.5);
}

static double y_of(const Plot *plot, double change)
{
    double power = log10(fmax(change, 1e-12));
    return plot->top +
           plot->height * (plot->max_power - power) / (plot->max_power - plot->min_power);
}

static void fit_axis(Plot *plot, const double *changes)
{
    plot->max_power = -12;
    plot->min_power = 300;
    for (int i = 0; i < plot->n; i++) {
        double power = log10(fmax(changes[i], 1e-12));
        plot->max_power = fmax(plot->max_power, ceil(power));
        plot->min_power = fmin(plot->min_power, floor(power));
    }
    plot->min_power = fmin(plot->min_power, plot->max_power - 1);
}

static void draw_axes(Svg *svg, const Plot *plot)
{
    char text[32];
    for (double power = plot->min_power; power <= plot->max_power; power++) {
        double y = y_of(plot, pow(10, power));
        g_ascii_formatd(text, sizeof text, "%g", pow(10, power));
        svg_line(svg, plot->left, y, plot->left + plot->width, y, "#dddddd", 1);
        svg_text(svg, plot->left - 8, y + 5, 13, ANCHOR_END, text);
    }
    for (int i = 0; i < plot->n; i += (plot->n - 1) / 12 + 1) {
        g_snprintf(text, sizeof text, "%d", i + 1);
        svg_text(svg, x_of(plot, i), plot->top + plot->height + 22, 13, ANCHOR_MIDDLE, text);
    }
    svg_text(svg, plot->left, plot->top - 20, 16, ANCHOR_START,
             "mean squared change of each pass, in 8-bit units");
    svg_text(svg, plot->left + plot->width / 2, plot->top + plot->height + 46, 14, ANCHOR_MIDDLE,
             "pass");
}

/* Draws the change of each pass on a logarithmic scale, as in figure 7 of the paper. */
static void draw_curve(Svg *svg, const double *changes, int n)
{
    static const unsigned char red[3] = {178, 24, 43};
    Plot plot = {
        .left = 80, .top = 50, .width = svg->width - 110, .height = svg->height - 120, .n = n};
    fit_axis(&plot, changes);
    draw_axes(svg, &plot);
    for (int i = 0; i < n; i++) {
        double x = x_of(&plot, i), y = y_of(&plot, changes[i]);
        svg_rect(svg, x - 3, y - 3, 6, 6, red);
        if (i > 0)
            svg_line(svg, x_of(&plot, i - 1), y_of(&plot, changes[i - 1]), x, y, "#b2182b", 2);
    }
}

/* Passes of --convergence. */
#define DEFAULT_ITERATIONS "10"

static bool show_convergence(const Arguments *arguments, const OptionImages *images, VipsImage *in)
{
    Arguments a = *arguments;
    if (!arguments_value(arguments, "iterations") && !arguments_value(arguments, "preset"))
        arguments_set(&a, "iterations", DEFAULT_ITERATIONS);
    VipsImage *out = NULL;
    double changes[64], mean;
    /* Large images are filtered on demand, and the mean needs all pixels. */
    bool ok = call_smooth(&a, images, NULL, in, &out) && vips_avg(out, &mean, NULL) == 0;
    progress_end();
    char *report = ok ? vips_cof_report(out) : NULL;
    int n = parse_changes(report, changes);
    if (!ok)
        print_show_error(&a, images, in, "cannot be filtered");
    g_free(report);
    VIPS_UNREF(out);
    if (n == 0)
        return false;
    Svg svg;
    svg_begin(&svg, 800, 500);
    draw_curve(&svg, changes, n);
    return svg_save(&svg, a.output);
}

bool command_show(const Arguments *a)
{
    if (!g_str_has_suffix(a->output, ".svg") && !image_file_can_save(a->output, ".png"))
        return false;
    bool is_model = cof_file_is(a->operands[0]);
    if (is_model && option_set(a, OPT_CONVERGENCE)) {
        print_error(a->operands[0], "is not an image; --convergence needs one");
        return false;
    }
    if (is_model)
        return show_model(a);
    OptionImages images = {0};
    VipsImage *in = input_image_open_single(a, a->operands[0]);
    if (in)
        option_notes_see(a, in);
    if (in)
        progress_watch_image(in, PROGRESS_FILTERING, a->operands[0]);
    bool ok = in && option_images_open(&images, a, in, a->operands[0]) &&
              (option_set(a, OPT_CONVERGENCE) ? show_convergence(a, &images, in)
                                              : show_image(a, &images, in));
    option_images_close(&images);
    VIPS_UNREF(in);
    return ok;
}
