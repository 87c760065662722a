/* SPDX-License-Identifier: BSD-2-Clause */
/* cof filter: pictures in, smoother ones out. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"
#include "operation.h"
#include "picture.h"
#include "progress.h"
#include "raw_frames.h"
#include "report.h"
#include "sheets.h"
#include "subcommands.h"

/* The file that is to blame for what libvips complains of. */
static const char *culprit(const Arguments *a, const char *model, const char *input)
{
    const char *text = vips_error_buffer();
    const char *name = input;
    if (a->mask && strstr(text, "nothing to learn"))
        name = a->mask;
    if (a->labels && strstr(text, "label"))
        name = a->labels;
    if (a->matrix && strstr(text, "matrix"))
        name = a->matrix;
    if (model && (strstr(text, ".cof") || strstr(text, model)))
        name = model;
    else if (a->palette_from && (strstr(text, ".cof") || strstr(text, a->palette_from)))
        name = a->palette_from;
    return name;
}

/* Keeps what was learned, to be used as any other model. */
static bool learn_first(const Arguments *a, const Pictures *p, VipsImage *in)
{
    VipsImage *one = p->guide ? p->guide : in;
    VipsArrayImage *images = p->from ? (VipsArrayImage *)vips_area_copy(VIPS_AREA(p->from))
                                     : vips_array_image_new(&one, 1);
    bool ok = operation_learn(a, p, images, a->save_model);
    vips_area_unref(VIPS_AREA(images));
    return ok;
}

static bool save_all(const Arguments *a, VipsImage *in, VipsImage *out, const char *output)
{
    bool ok = picture_save(out, output, a->format, in);
    if (ok && a->detail)
        ok = sheet_save(sheet_detail(in, out), a->detail, in);
    if (ok && a->compare)
        ok = sheet_save(sheet_compare(in, out), a->compare, in);
    return ok;
}

static bool can_save_all(const Arguments *a, const char *output)
{
    return picture_can_save(output, a->format) &&
           (!a->detail || picture_can_save(a->detail, NULL)) &&
           (!a->compare || picture_can_save(a->compare, NULL));
}

bool filter_picture(const Arguments *a, const char *model, const char *input, const char *output)
{
    VipsImage *in = can_save_all(a, output) ? picture_open(input) : NULL, *out = NULL;
    char *report = NULL;
    Pictures pictures = {0};
    if (!in)
        return false;
    progress_watch(in, input);
    bool ok = pictures_open(&pictures, a, in);
    if (ok) {
        ok = !a->save_model || learn_first(a, &pictures, in);
        ok = ok && operation_smooth(a, &pictures, a->save_model ? a->save_model : model, in, &out,
                                    &report);
        progress_end();
        if (!ok)
            complain_vips(culprit(a, model, input), "cannot be filtered");
    }
    if (ok)
        progress_watch(out, output);
    ok = ok && save_all(a, in, out, output) && (!a->report || report_save(a, input, in, report));
    g_free(report);
    progress_end();
    VIPS_UNREF(out);
    pictures_close(&pictures);
    g_object_unref(in);
    return ok;
}

/* Many pictures, to a folder. */
typedef struct Batch {
    const Arguments *arguments;
    GMutex lock;
    int done, failed;
} Batch;

static char *path_in(const char *folder, const char *input)
{
    char *base = g_path_get_basename(input), *path = g_build_filename(folder, base, NULL);
    g_free(base);
    return path;
}

static void filter_in_batch(void *input, void *data)
{
    Batch *batch = data;
    const Arguments *a = batch->arguments;
    char *output = path_in(a->output, input);
    bool skipped = is_given(a, OPT_SKIP_EXISTING) && access(output, F_OK) == 0;
    bool ok = skipped || filter_picture(a, a->model, input, output);
    vips_error_clear();
    g_mutex_lock(&batch->lock);
    batch->done++;
    batch->failed += !ok;
    progress_count(batch->done, a->n_names);
    g_mutex_unlock(&batch->lock);
    g_free(output);
    vips_thread_shutdown();
}

/* Two inputs of the same name would overwrite each other. */
static const char *twice(const Arguments *a)
{
    GHashTable *names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    const char *found = NULL;
    for (int i = 0; i < a->n_names && !found; i++)
        if (!g_hash_table_add(names, g_path_get_basename(a->names[i])))
            found = a->names[i];
    g_hash_table_destroy(names);
    return found;
}

/* Each picture on one thread, as many at a time as there are threads. */
static bool filter_batch(const Arguments *a)
{
    Batch batch = {.arguments = a};
    const char *again = twice(a);
    if (again) {
        complain(again, "another input has the same name");
        return false;
    }
    if (g_mkdir_with_parents(a->output, 0777) != 0) {
        complain(a->output, strerror(errno));
        return false;
    }
    g_mutex_init(&batch.lock);
    progress_count(0, a->n_names);
    GThreadPool *pool =
        g_thread_pool_new(filter_in_batch, &batch, vips_concurrency_get(), TRUE, NULL);
    vips_concurrency_set(1);
    for (int i = 0; i < a->n_names; i++)
        g_thread_pool_push(pool, a->names[i], NULL);
    g_thread_pool_free(pool, FALSE, TRUE);
    g_mutex_clear(&batch.lock);
    progress_end();
    return batch.failed == 0;
}

static bool is_folder(const char *name)
{
    struct stat info;
    return g_str_has_suffix(name, "/") || (stat(name, &info) == 0 && S_ISDIR(info.st_mode));
}

bool command_filter(const Arguments *a)
{
    if (a->raw)
        return raw_frames_filter(a);
    if (!a->output)
        return filter_picture(a, a->model, a->names[0], a->names[1]);
    if (a->n_names == 1 && !is_folder(a->output))
        return filter_picture(a, a->model, a->names[0], a->output);
    return filter_batch(a);
}
