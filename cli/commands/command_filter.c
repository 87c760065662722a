/* SPDX-License-Identifier: BSD-2-Clause */
/* cof filter: pictures in, smoother ones out. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "commands/raw_frames.h"
#include "commands/report.h"
#include "figures/comparison.h"
#include "io/atomic_file.h"
#include "io/cof_file.h"
#include "io/image_file.h"
#include "io/paths.h"
#include "ui/error_line.h"
#include "ui/progress.h"
#include "vips/vips_call.h"
#include "subcommands.h"

/* The file that is to blame for what libvips complains of. */
static const char *culprit(const Arguments *a, const char *model, const char *input)
{
    const char *text = vips_error_buffer();
    const char *name = a->n_from > 0 && strstr(text, "belong together") ? a->from[0] : input;
    if (a->mask && strstr(text, "nothing to learn"))
        name = a->mask;
    if (a->labels && strstr(text, "label"))
        name = a->labels;
    if (a->matrix && strstr(text, "matrix"))
        name = a->matrix;
    if (model && strstr(text, ".cof"))
        name = model;
    else if (a->palette_from && (strstr(text, ".cof") || strstr(text, a->palette_from) ||
                                 strstr(text, "belong together")))
        name = a->palette_from;
    return name;
}

/* What was learned, to be used as any other model, and kept. */
static VipsBlob *learn_first(const Arguments *a, const Pictures *p, VipsImage *in)
{
    VipsImage *one = p->guide ? p->guide : in;
    VipsArrayImage *images = p->from ? (VipsArrayImage *)vips_area_copy(VIPS_AREA(p->from))
                                     : vips_array_image_new(&one, 1);
    VipsBlob *learned = NULL;
    operation_learn(a, p, images, &learned);
    vips_area_unref(VIPS_AREA(images));
    return learned;
}

static bool save_blob(VipsBlob *blob, const char *name)
{
    size_t size;
    const void *bytes = vips_blob_get(blob, &size);
    return cof_file_write(name, bytes, size);
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

/* Everything is asked for beforehand, so that there are no results by halves. */
static bool can_save_all(const Arguments *a, const char *output)
{
    return picture_can_save(output, a->format) &&
           (!a->detail || picture_can_save(a->detail, NULL)) &&
           (!a->compare || picture_can_save(a->compare, NULL)) &&
           (!a->report || path_is_stream(a->report) || path_can_appear(a->report, a->report)) &&
           (!a->save_model || path_can_appear(a->save_model, a->save_model));
}

static bool filter_opened(const Arguments *a, const Pictures *p, const char *model_name,
                          VipsImage *in, const char *input, const char *output)
{
    VipsImage *out = NULL;
    VipsBlob *model = model_name ? operation_read_model(model_name) : NULL;
    if (model_name && !model)
        return false;
    if (a->save_model)
        model = learn_first(a, p, in);
    bool ok = (model || !a->save_model) && operation_smooth(a, p, model, in, &out);
    progress_end();
    if (!ok)
        complain_vips(culprit(a, model_name, input), "cannot be filtered");
    else
        progress_watch(out, output);
    ok = ok && save_all(a, in, out, output) && (!a->report || report_save(a, p, input, in, out)) &&
         (!a->save_model || save_blob(model, a->save_model));
    progress_end();
    if (model)
        vips_area_unref(VIPS_AREA(model));
    VIPS_UNREF(out);
    return ok;
}

bool filter_picture(const Arguments *a, const char *model, const char *input, const char *output)
{
    bool can = picture_exists(input) && can_save_all(a, output);
    VipsImage *in = can ? picture_open(input) : NULL;
    Pictures pictures = {0};
    if (!in)
        return false;
    progress_watch(in, input);
    bool ok =
        pictures_open(&pictures, a, in) && filter_opened(a, &pictures, model, in, input, output);
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

/* With its ending, unless nothing can be written that way. */
static char *path_in(const char *folder, const char *input)
{
    char *base = g_path_get_basename(input), *path = g_build_filename(folder, base, NULL);
    char *png = vips_foreign_find_save(path) ? NULL : g_strconcat(path, ".png", NULL);
    g_free(base);
    if (!png)
        return path;
    g_free(path);
    return png;
}

static bool is_skipped(const Arguments *a, const char *output)
{
    return is_given(a, OPT_SKIP_EXISTING) && access(output, F_OK) == 0;
}

static void filter_in_batch(void *input, void *data)
{
    Batch *batch = data;
    const Arguments *a = batch->arguments;
    char *output = path_in(a->output, input);
    bool ok = is_skipped(a, output) || filter_picture(a, a->model, input, output);
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

/* Each picture has one thread, which now and then waits for one of libvips that reads or writes: a
 * few more at a time than there are threads keep all cores busy. */
static int at_a_time(int threads)
{
    int pictures = threads == 1 ? 1 : threads + (threads + 3) / 4;
    return pictures < MOST_UNFINISHED ? pictures : MOST_UNFINISHED;
}

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
        g_thread_pool_new(filter_in_batch, &batch, at_a_time(vips_concurrency_get()), TRUE, NULL);
    vips_concurrency_set(1);
    vips_cache_set_max(0); /* no picture comes again */
    for (int i = 0; i < a->n_names; i++)
        g_thread_pool_push(pool, a->names[i], NULL);
    g_thread_pool_free(pool, FALSE, TRUE);
    g_mutex_clear(&batch.lock);
    progress_end();
    return batch.failed == 0;
}

static bool filter_one(const Arguments *a, const char *input, const char *output)
{
    char *path = path_is_folder(output) ? path_in(output, input) : g_strdup(output);
    bool ok = is_skipped(a, path) || filter_picture(a, a->model, input, path);
    g_free(path);
    return ok;
}

bool command_filter(const Arguments *a)
{
    if (a->raw)
        return raw_frames_filter(a);
    if (!a->output)
        return filter_one(a, a->names[0], a->names[1]);
    if (a->n_names == 1 && !path_is_folder(a->output))
        return filter_one(a, a->names[0], a->output);
    return filter_batch(a);
}
