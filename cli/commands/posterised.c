/* SPDX-License-Identifier: BSD-2-Clause */
/* The result of the filter in a few colours, for tracing: --posterise. */
#include "commands/posterised.h"

#include "io/indexed_png.h"
#include "io/pages.h"
#include "select/loaded_image.h"
#include "ui/error_line.h"
#include "ui/progress.h"

/* The share of the image below which islands are merged: 12 pixels of an image on a screen. */
#define DEFAULT_MIN_AREA 0.00005

/* Paints the pixels. COF_ERR_EMPTY, without a message, if none is valid. */
static CofStatus paint(const Arguments *a, const LoadedImage *loaded, const CofImage *out,
                       const char *name)
{
    CofProblem problem;
    CofOptions options;
    cof_options_init(&options);
    options.problem = &problem;
    options.seed = a->options.seed;
    options.threads = vips_concurrency_get();
    options.min_area = option_set(a, OPT_MIN_AREA) ? a->min_area : DEFAULT_MIN_AREA;
    progress_watch_call(&options, PROGRESS_FILTERING, name);
    CofStatus status = cof_posterise(&loaded->view, a->posterise, out, NULL, NULL, NULL, &options);
    progress_end();
    if (status != COF_OK && status != COF_ERR_EMPTY)
        print_cof_problem(name, &problem);
    return status;
}

VipsImage *posterised_image(const Arguments *a, VipsImage *image, const char *name)
{
    LoadedImage loaded;
    VipsImage *out = NULL;
    if (page_count(image) > 1) {
        print_error(name, "has several pages, of which --posterise paints one; choose it with "
                          "--pages N");
        return NULL;
    }
    if (loaded_image_from(&loaded, g_object_ref(image), (BandsKind)a->kind, name)) {
        CofImage view;
        VipsImage *memory = loaded_image_new_like(&loaded, &view, name);
        CofStatus status = memory ? paint(a, &loaded, &view, name) : COF_ERR_MEMORY;
        if (status == COF_OK)
            out = loaded_image_restore(&loaded, memory, name);
        else if (status == COF_ERR_EMPTY) /* and nothing is painted */
            out = g_object_ref(image);
        VIPS_UNREF(memory);
    }
    loaded_image_close(&loaded);
    if (out)
        indexed_png_want(out);
    return out;
}
