/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums the reports of all libcof calls of an operation. A large image is computed on demand, so its
 * report is attached to the image and is complete once all pixels were computed. */
#include "vips_report.h"

#include <string.h>

#include "vips_operations.h"

#define FIELD "cof-report"

struct RunReport {
    GMutex lock;
    CofReport sum;  /* change[] is weighted by pixels */
    double pixels;  /* that passes ran over */
    gint64 tiles;   /* number of filtered tiles */
    gint64 invalid; /* pixels of these that hold no data */
};

RunReport *run_report_new(void)
{
    RunReport *report = g_atomic_rc_box_new0(RunReport);
    g_mutex_init(&report->lock);
    return report;
}

RunReport *run_report_ref(RunReport *report)
{
    return g_atomic_rc_box_acquire(report);
}

static void clear(void *report)
{
    g_mutex_clear(&((RunReport *)report)->lock);
}

void run_report_unref(RunReport *report)
{
    g_atomic_rc_box_release_full(report, clear);
}

void run_report_add(RunReport *report, const CofReport *call, double pixels)
{
    CofReport *sum = &report->sum;
    g_mutex_lock(&report->lock);
    for (int i = 0; i < COF_REPORT_STAGES; i++)
        sum->seconds[i] += call->seconds[i];
    for (gsize i = 0; i < G_N_ELEMENTS(sum->change); i++)
        sum->change[i] += pixels * call->change[i];
    sum->passes = MAX(sum->passes, call->passes);
    sum->fast_terms = MAX(sum->fast_terms, call->fast_terms);
    sum->fast_cell = MAX(sum->fast_cell, call->fast_cell);
    sum->device_stages |= call->device_stages;
    if (call->device[0])
        memcpy(sum->device, call->device, sizeof sum->device);
    if (!sum->device_note)
        sum->device_note = call->device_note;
    report->pixels += call->passes > 0 ? pixels : 0;
    g_mutex_unlock(&report->lock);
}

void run_report_add_tile(RunReport *report, gint64 invalid)
{
    g_mutex_lock(&report->lock);
    report->tiles++;
    report->invalid += invalid;
    g_mutex_unlock(&report->lock);
}

static void append_number(GString *text, double number)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    g_string_append(text, g_ascii_formatd(digits, sizeof digits, "%.9g", number));
}

/* What ran on the device, if there was one. */
static void append_device(GString *text, const CofReport *sum)
{
    char *name = g_strescape(sum->device, NULL);
    if (!sum->device[0]) {
        g_free(name);
        return;
    }
    g_string_append_printf(text, ", \"device\": \"%s\", \"device_stages\": [", name);
    const char *comma = "";
    for (int i = 0; cof_stage_name((CofStage)i); i++)
        if (sum->device_stages >> i & 1) {
            g_string_append_printf(text, "%s\"%s\"", comma, cof_stage_name((CofStage)i));
            comma = ", ";
        }
    g_string_append_c(text, ']');
    if (sum->device_note)
        g_string_append_printf(text, ", \"device_note\": \"%s\"", sum->device_note);
    g_free(name);
}

char *run_report_text(RunReport *report)
{
    GString *text = g_string_new("{\"seconds\": {");
    g_mutex_lock(&report->lock);
    const CofReport *sum = &report->sum;
    for (int i = 0; i < COF_REPORT_STAGES && cof_stage_name((CofStage)i); i++) {
        g_string_append_printf(text, "%s\"%s\": ", i == 0 ? "" : ", ", cof_stage_name((CofStage)i));
        append_number(text, sum->seconds[i]);
    }
    g_string_append_printf(
        text,
        "}, \"tiles\": %" G_GINT64_FORMAT ", \"invalid_pixels\": %" G_GINT64_FORMAT
        ", \"fast_terms\": %d, \"fast_cell\": %d, \"passes\": %d, \"change\": [",
        report->tiles, report->invalid, sum->fast_terms, sum->fast_cell, sum->passes);
    int known = (int)G_N_ELEMENTS(sum->change);
    for (int i = 0; i < sum->passes && i < known; i++) {
        g_string_append(text, i == 0 ? "" : ", ");
        append_number(text, sum->change[i] / report->pixels);
    }
    g_string_append_c(text, ']');
    append_device(text, sum);
    g_mutex_unlock(&report->lock);
    g_string_append_c(text, '}');
    return g_string_free(text, FALSE);
}

static int detach(void *report, void *area)
{
    (void)area;
    run_report_unref(report);
    return 0;
}

void run_report_attach(VipsImage *image, RunReport *report)
{
    vips_image_set_area(image, FIELD, detach, run_report_ref(report));
}

char *vips_cof_report(VipsImage *image)
{
    const void *report;
    if (vips_image_get_typeof(image, FIELD) == 0 || vips_image_get_area(image, FIELD, &report) != 0)
        return NULL;
    return run_report_text((RunReport *)report);
}
