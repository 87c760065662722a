/* SPDX-License-Identifier: BSD-2-Clause */
/* Filters the pages of an image one by one, so that no window reaches from page to page. */
#include "vips/smooth_pages.h"

#include <errno.h>
#include <string.h>

#include "io/atomic_file.h"
#include "io/pages.h"
#include "options/arguments_options.h"
#include "vips/page_images.h"
#include "vips_operations.h"

#define REPORT "cof-page-reports"

bool pages_share_model(const Arguments *a, VipsImage *in)
{
    int height = vips_image_get_page_height(in);
    return page_count(in) > 1 && !a->learn_each_page && !a->labels && !a->matrix &&
           arguments_options(a, in->Xsize, height).update != COF_UPDATE_MODEL;
}

VipsBlob *learn_from_pages(const Arguments *a, const OptionImages *images, VipsImage *in)
{
    GPtrArray *pages = g_ptr_array_new_with_free_func(g_object_unref);
    VipsArrayImage *inputs = NULL;
    VipsBlob *learned = NULL;
    if (images->learn_from)
        inputs = (VipsArrayImage *)vips_area_copy(VIPS_AREA(images->learn_from));
    else if (page_images_append(pages, images->guide ? images->guide : in))
        inputs = page_images_array(pages);
    if (inputs) {
        call_learn(a, images, inputs, &learned);
        vips_area_unref(VIPS_AREA(inputs));
    }
    g_ptr_array_free(pages, TRUE);
    return learned;
}

/* The images of options for one page. */
static bool open_page_images(const OptionImages *all, int i, OptionImages *page)
{
    VipsImage *const from[] = {all->mask, all->labels, all->guide};
    VipsImage **to[] = {&page->mask, &page->labels, &page->guide};
    *page = *all;
    for (size_t j = 0; j < G_N_ELEMENTS(from); j++)
        *to[j] = from[j] ? page_image(from[j], i) : NULL;
    for (size_t j = 0; j < G_N_ELEMENTS(from); j++)
        if (from[j] && !*to[j])
            return false;
    return true;
}

static void close_page_images(OptionImages *page)
{
    VIPS_UNREF(page->mask);
    VIPS_UNREF(page->labels);
    VIPS_UNREF(page->guide);
}

/* The results of all pages, which are appended row by row. */
typedef struct Roll {
    char *bytes;
    size_t size, row_size, next;
} Roll;

static bool roll_new(Roll *roll, VipsImage *in)
{
    *roll = (Roll){.size = VIPS_IMAGE_SIZEOF_IMAGE(in), .row_size = VIPS_IMAGE_SIZEOF_LINE(in)};
    roll->bytes = temporary_memory_new(roll->size);
    if (!roll->bytes)
        vips_error_system(errno, "cof", "%s", "no memory for the pages");
    return roll->bytes;
}

static int append_rows(VipsRegion *region, VipsRect *area, void *data)
{
    Roll *roll = data;
    for (int y = area->top; y < VIPS_RECT_BOTTOM(area); y++) {
        memcpy(roll->bytes + roll->next, VIPS_REGION_ADDR(region, 0, y), roll->row_size);
        roll->next += roll->row_size;
    }
    return 0;
}

static void free_roll(void *data)
{
    Roll *roll = data;
    temporary_memory_free(roll->bytes, roll->size);
    g_free(roll);
}

static void *copy_field(VipsImage *image, const char *name, GValue *value, void *to)
{
    (void)image;
    if (vips_image_get_typeof(to, name) == 0)
        vips_image_set(to, name, value);
    return NULL;
}

/* An image of the rows, with the metadata of `in`. It owns the rows. */
static VipsImage *roll_image(const Roll *roll, VipsImage *in)
{
    VipsImage *out = NULL;
    VipsImage *rows = vips_image_new_from_memory(roll->bytes, roll->size, in->Xsize, in->Ysize,
                                                 in->Bands, in->BandFmt);
    if (!rows) {
        temporary_memory_free(roll->bytes, roll->size);
        return NULL;
    }
    g_object_set_data_full(G_OBJECT(rows), "cof", g_memdup2(roll, sizeof *roll), free_roll);
    if (vips_copy(rows, &out, "interpretation", in->Type, "xres", in->Xres, "yres", in->Yres,
                  NULL) == 0)
        vips_image_map(in, copy_field, out);
    g_object_unref(rows);
    return out;
}

/* Filters page i and appends the result and its report. */
static bool append_page(const Arguments *a, const OptionImages *images, VipsBlob *model,
                        VipsImage *in, int i, Roll *roll, GString *report)
{
    OptionImages own;
    VipsImage *page = page_image(in, i), *out = NULL;
    bool ok = page && open_page_images(images, i, &own);
    ok = ok && call_smooth(a, &own, model, page, &out) &&
         VIPS_IMAGE_SIZEOF_LINE(out) == roll->row_size &&
         vips_sink_disc(out, append_rows, roll) == 0;
    if (ok) {
        char *text = vips_cof_report(out);
        g_string_append_printf(report, "%s%s", i == 0 ? "[" : ", ", text);
        g_free(text);
    }
    if (page)
        close_page_images(&own);
    VIPS_UNREF(out);
    VIPS_UNREF(page);
    return ok;
}

bool smooth_pages(const Arguments *a, const OptionImages *images, VipsBlob *model, VipsImage *in,
                  VipsImage **out)
{
    int n = page_count(in);
    if (n == 1)
        return call_smooth(a, images, model, in, out);
    Roll roll;
    GString *report = g_string_new(NULL);
    bool ok = roll_new(&roll, in);
    for (int i = 0; i < n && ok; i++)
        ok = append_page(a, images, model, in, i, &roll, report);
    *out = ok ? roll_image(&roll, in) : NULL;
    if (!ok)
        temporary_memory_free(roll.bytes, roll.size);
    char *text = g_string_free(g_string_append_c(report, ']'), FALSE);
    if (*out)
        g_object_set_data_full(G_OBJECT(*out), REPORT, text, g_free);
    else
        g_free(text);
    return *out;
}

char *smooth_pages_report(VipsImage *out)
{
    const char *reports = g_object_get_data(G_OBJECT(out), REPORT);
    return reports ? g_strdup(reports) : vips_cof_report(out);
}
