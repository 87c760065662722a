/* SPDX-License-Identifier: BSD-2-Clause */
/* Failures that libvips does not report itself: of images that are decoded while others are
 * computed from them, and warnings of GObject. */
#include "io/watched_image.h"

#include <stdio.h>
#include <string.h>

#include "ui/error_line.h"

/* Copies of an image, and images that are made from several, have the fields of all of them: each
 * watch has a name of its own. */
#define FIELD "cof-watch-"

typedef struct Watch {
    GMutex lock;
    char *failure; /* libvips' errors when a part could not be decoded; NULL: none */
    char *name;
} Watch;

/* Adds lines to libvips' errors again, of which a copy was taken: that empties them. */
static void put_back(const char *errors)
{
    char **lines = g_strsplit(errors, "\n", -1);
    for (char **line = lines; *line; line++) {
        char *cause = strstr(*line, ": ");
        if (cause)
            *cause = '\0';
        if (**line != '\0')
            vips_error(cause ? *line : "cof", "%s", cause ? cause + 2 : *line);
    }
    g_strfreev(lines);
}

/* Stores libvips' errors so far. Later errors are about images computed from the part. */
static void note_failure(Watch *watch)
{
    g_mutex_lock(&watch->lock);
    if (!watch->failure) {
        watch->failure = vips_error_buffer_copy();
        put_back(watch->failure);
    }
    g_mutex_unlock(&watch->lock);
}

static int read_part(VipsRegion *part, void *sequence, void *a, void *b, gboolean *stop)
{
    (void)a, (void)stop;
    VipsRegion *decoded = sequence;
    const VipsRect *r = &part->valid;
    if (vips_region_prepare(decoded, r) != 0) {
        note_failure(b);
        return -1;
    }
    return vips_region_region(part, decoded, r, r->left, r->top);
}

static void clear(void *data)
{
    Watch *watch = data;
    g_mutex_clear(&watch->lock);
    g_free(watch->failure);
    g_free(watch->name);
}

static int release(void *watch, void *area)
{
    (void)area;
    g_atomic_rc_box_release_full(watch, clear);
    return 0;
}

static void attach(VipsImage *image, Watch *watch)
{
    static int count;
    char *field = g_strdup_printf(FIELD "%d", g_atomic_int_add(&count, 1));
    vips_image_set_area(image, field, release, watch);
    g_free(field);
}

VipsImage *watched_image_new(VipsImage *image, const char *name)
{
    Watch *watch = g_atomic_rc_box_new0(Watch);
    g_mutex_init(&watch->lock);
    watch->name = g_strdup(name);
    VipsImage *watched = vips_image_new();
    int failed = vips_image_pipelinev(watched, VIPS_DEMAND_STYLE_ANY, image, NULL);
    attach(watched, watch);
    failed = failed ||
             vips_image_generate(watched, vips_start_one, read_part, vips_stop_one, image, watch);
    vips_object_local(watched, image);
    if (failed)
        g_clear_object(&watched);
    return watched;
}

/* Prints the failure of a field that is a watch, or sets libvips' errors to it again. Returns NULL
 * if there is none. */
static void *report_failure(VipsImage *image, const char *field, GValue *value, void *prints)
{
    (void)image;
    if (!g_str_has_prefix(field, FIELD))
        return NULL;
    Watch *watch = vips_value_get_area(value, NULL);
    g_mutex_lock(&watch->lock);
    bool failed = watch->failure;
    if (failed && *(bool *)prints) {
        print_vips_text(watch->name, watch->failure, "cannot be decoded");
    } else if (failed) {
        vips_error_clear();
        put_back(watch->failure);
    }
    g_mutex_unlock(&watch->lock);
    return failed ? watch : NULL;
}

bool watched_image_restore_failure(VipsImage *image)
{
    bool prints = false;
    return vips_image_map(image, report_failure, &prints) != NULL;
}

bool watched_image_print_failure(VipsImage *image)
{
    bool prints = true;
    return vips_image_map(image, report_failure, &prints) != NULL;
}

static _Thread_local char warning[256];

static void store_warning(const char *domain, GLogLevelFlags level, const char *message, void *user)
{
    (void)domain, (void)level, (void)user;
    snprintf(warning, sizeof warning, "%s", message);
}

void vips_warning_init(void)
{
    /* Values out of range: GLib 2.80 and later call them critical. */
    g_log_set_handler("GLib-GObject", G_LOG_LEVEL_WARNING | G_LOG_LEVEL_CRITICAL, store_warning,
                      NULL);
}

void vips_warning_clear(void)
{
    warning[0] = '\0';
}

bool vips_warning_print(const char *name)
{
    if (warning[0] != '\0' && name)
        print_error(name, warning);
    return warning[0] != '\0';
}
