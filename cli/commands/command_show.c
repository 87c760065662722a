/* SPDX-License-Identifier: BSD-2-Clause */
/* cof show: a model, or what is learned from a picture and done to it, as a figure. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures/heat_map.h"
#include "figures/svg.h"
#include "io/cof_file.h"
#include "io/image_file.h"
#include "ui/error_line.h"
#include "ui/progress.h"
#include "vips/vips_call.h"
#include "subcommands.h"
#include "vips_operations.h"

#define MARGIN 24
#define CAPTION 26

static bool show_model(const Arguments *a)
{
    CofStats *stats = NULL;
    CofModel *model = NULL;
    Drawing d;
    CofOptions options = arguments_options(a, 1, 1); /* no model depends on the size of a picture */
    if (!cof_file_load(a->names[0], &stats, &model))
        return false;
    CofStatus status = stats ? cof_model_new(&model, stats, &options) : COF_OK;
    cof_stats_free(&stats);
    if (status != COF_OK) {
        complain(a->names[0], cof_status_string(status));
        return false;
    }
    drawing_begin(&d, HEAT_MAP_WIDTH + 2 * MARGIN, HEAT_MAP_HEIGHT + CAPTION + 2 * MARGIN);
    drawing_text(&d, MARGIN, MARGIN + 14, 16, ANCHOR_START,
                 "M: how strongly two values mix (1 = as often as chance)");
    bool ok = heat_map_draw(&d, model, MARGIN, MARGIN + CAPTION);
    if (!ok)
        complain_vips(a->names[0], "cannot be drawn");
    ok = drawing_save(&d, a->output) && ok;
    cof_model_free(&model);
    return ok;
}

/* How large a picture is drawn on a sheet. */
typedef struct Size {
    int width, height;
} Size;

static Size size_on_sheet(const VipsImage *image)
{
    double scale =
        fmin((double)HEAT_MAP_WIDTH / image->Xsize, (double)HEAT_MAP_HEIGHT / image->Ysize);
    scale = scale < 1 ? scale : 1;
    return (Size){(int)fmax(1, image->Xsize * scale), (int)fmax(1, image->Ysize * scale)};
}

static bool draw_picture(Drawing *d, VipsImage *image, double x, double y, const char *caption)
{
    VipsImage *small = NULL;
    Size size = size_on_sheet(image);
    if (vips_thumbnail_image(image, &small, size.width, "height", size.height, "size",
                             VIPS_SIZE_FORCE, NULL) != 0)
        return false;
    drawing_text(d, x, y + 14, 16, ANCHOR_START, caption);
    bool ok = drawing_image(d, small, x, y + CAPTION, size.width, size.height);
    g_object_unref(small);
    return ok;
}

/* Input, labels, M and result on one sheet. */
static bool draw_sheet(const CofModel *model, VipsImage *in, VipsImage *out, Drawing *d)
{
    VipsImage *painted = NULL;
    if (!operation_paint(model, in, &painted))
        return false;
    double right = 2 * MARGIN + HEAT_MAP_WIDTH;
    double below = 2 * MARGIN + CAPTION + size_on_sheet(in).height;
    bool ok = draw_picture(d, in, MARGIN, MARGIN, "input") &&
              draw_picture(d, painted, right, MARGIN, "labels") &&
              draw_picture(d, out, right, below, "result");
    drawing_text(d, MARGIN, below + 14, 16, ANCHOR_START, "M (1 = as often as chance)");
    ok = ok && heat_map_draw(d, model, MARGIN, below + CAPTION);
    g_object_unref(painted);
    return ok;
}

static bool learn_model(const Arguments *a, const Pictures *p, VipsImage *in, CofModel **model)
{
    VipsArrayImage *images = vips_array_image_new(&in, 1);
    VipsBlob *learned = NULL;
    bool ok = operation_learn(a, p, images, &learned);
    vips_area_unref(VIPS_AREA(images));
    if (!ok)
        return false;
    size_t size;
    const void *bytes = vips_blob_get(learned, &size);
    ok = cof_model_load(model, bytes, size) == COF_OK;
    vips_area_unref(VIPS_AREA(learned));
    return ok;
}

static bool show_picture(const Arguments *a, const Pictures *p, VipsImage *in)
{
    CofModel *model = NULL;
    VipsImage *out = NULL;
    Drawing d;
    int height = size_on_sheet(in).height;
    int below = height > HEAT_MAP_HEIGHT ? height : HEAT_MAP_HEIGHT;
    drawing_begin(&d, 2 * HEAT_MAP_WIDTH + 3 * MARGIN, height + below + 2 * CAPTION + 3 * MARGIN);
    bool ok = learn_model(a, p, in, &model) && operation_smooth(a, p, NULL, in, &out) &&
              draw_sheet(model, in, out, &d);
    progress_end();
    if (!ok)
        complain_vips(a->names[0], "cannot be drawn");
    if (ok)
        ok = drawing_save(&d, a->output);
    else
        g_string_free(d.text, TRUE);
    VIPS_UNREF(out);
    cof_model_free(&model);
    return ok;
}

/* The changes that a report tells of; returns how many. */
static int read_changes(const char *report, double changes[64])
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

/* Where curves are drawn, and what they span: powers of 10. */
typedef struct Plot {
    double left, top, width, height, most, least;
    int n;
} Plot;

static double x_of(const Plot *plot, int pass)
{
    return plot->left + plot->width * (plot->n > 1 ? (double)pass / (plot->n - 1) : 0.5);
}

static double y_of(const Plot *plot, double change)
{
    double power = log10(fmax(change, 1e-12));
    return plot->top + plot->height * (plot->most - power) / (plot->most - plot->least);
}

static void span(Plot *plot, const double *changes)
{
    plot->most = -12;
    plot->least = 300;
    for (int i = 0; i < plot->n; i++) {
        double power = log10(fmax(changes[i], 1e-12));
        plot->most = fmax(plot->most, ceil(power));
        plot->least = fmin(plot->least, floor(power));
    }
    plot->least = fmin(plot->least, plot->most - 1);
}

static void draw_axes(Drawing *d, const Plot *plot)
{
    char text[32];
    for (double power = plot->least; power <= plot->most; power++) {
        double y = y_of(plot, pow(10, power));
        g_ascii_formatd(text, sizeof text, "%g", pow(10, power));
        drawing_line(d, plot->left, y, plot->left + plot->width, y, "#dddddd", 1);
        drawing_text(d, plot->left - 8, y + 5, 13, ANCHOR_END, text);
    }
    for (int i = 0; i < plot->n; i += (plot->n - 1) / 12 + 1) {
        g_snprintf(text, sizeof text, "%d", i + 1);
        drawing_text(d, x_of(plot, i), plot->top + plot->height + 22, 13, ANCHOR_MIDDLE, text);
    }
    drawing_text(d, plot->left, plot->top - 20, 16, ANCHOR_START,
                 "mean squared change of each pass, in 8-bit units");
    drawing_text(d, plot->left + plot->width / 2, plot->top + plot->height + 46, 14, ANCHOR_MIDDLE,
                 "pass");
}

/* Change against passes, on a logarithmic scale, as figure 7 of the paper has it. */
static void draw_curve(Drawing *d, const double *changes, int n)
{
    static const unsigned char red[3] = {178, 24, 43};
    Plot plot = {.left = 80, .top = 50, .width = d->width - 110, .height = d->height - 120, .n = n};
    span(&plot, changes);
    draw_axes(d, &plot);
    for (int i = 0; i < n; i++) {
        double x = x_of(&plot, i), y = y_of(&plot, changes[i]);
        drawing_rect(d, x - 3, y - 3, 6, 6, red);
        if (i > 0)
            drawing_line(d, x_of(&plot, i - 1), y_of(&plot, changes[i - 1]), x, y, "#b2182b", 2);
    }
}

#define USUAL_PASSES 10

static bool show_convergence(const Arguments *given, const Pictures *p, VipsImage *in)
{
    Arguments a = *given;
    if (!is_given(given, OPT_ITERATIONS) && !is_given(given, OPT_LOOK)) {
        a.options.iterations = USUAL_PASSES;
        a.given[OPT_ITERATIONS - OPT_ACCURACY] = true;
    }
    VipsImage *out = NULL;
    double changes[64], mean;
    /* The mean asks for all pixels, as a large picture is filtered only then. */
    bool ok = operation_smooth(&a, p, NULL, in, &out) && vips_avg(out, &mean, NULL) == 0;
    progress_end();
    char *report = ok ? cof_report_of(out) : NULL;
    int n = read_changes(report, changes);
    if (!ok)
        complain_vips(a.names[0], "cannot be filtered");
    g_free(report);
    VIPS_UNREF(out);
    if (n == 0)
        return false;
    Drawing d;
    drawing_begin(&d, 800, 500);
    draw_curve(&d, changes, n);
    return drawing_save(&d, a.output);
}

bool command_show(const Arguments *a)
{
    if (!g_str_has_suffix(a->output, ".svg") && !picture_can_save(a->output, ".png"))
        return false;
    bool is_model = cof_file_is(a->names[0]);
    if (is_model && is_given(a, OPT_CONVERGENCE)) {
        complain(a->names[0], "is no picture: --convergence has nothing to filter");
        return false;
    }
    if (is_model)
        return show_model(a);
    Pictures pictures = {0};
    VipsImage *in = picture_open(a->names[0]);
    if (in)
        progress_watch(in, a->names[0]);
    bool ok = in && pictures_open(&pictures, a, in) &&
              (is_given(a, OPT_CONVERGENCE) ? show_convergence(a, &pictures, in)
                                            : show_picture(a, &pictures, in));
    pictures_close(&pictures);
    VIPS_UNREF(in);
    return ok;
}
