/* SPDX-License-Identifier: BSD-2-Clause */
/* cof filter: smooths images. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "commands/commands.h"
#include "commands/posterised.h"
#include "commands/raw_frames.h"
#include "commands/report.h"
#include "figures/comparison.h"
#include "io/atomic_file.h"
#include "io/cof_file.h"
#include "io/folder_walk.h"
#include "io/image_file.h"
#include "io/pages.h"
#include "io/paths.h"
#include "options/arguments_files.h"
#include "options/arguments_options.h"
#include "options/option_notes.h"
#include "raster/raster_input.h"
#include "raster/raster_output.h"
#include "ui/error_line.h"
#include "ui/progress.h"
#include "vips/apply_mask.h"
#include "vips/device_check.h"
#include "vips/input_image.h"
#include "vips/output_image.h"
#include "vips/smooth_pages.h"
#include "vips/vips_fault.h"
#include "vips_operations.h"
#include "vips_pixels.h"

static bool save_blob(VipsBlob *blob, const char *name)
{
    size_t size;
    const void *bytes = vips_blob_get(blob, &size);
    return cof_file_write(name, bytes, size);
}

static bool save_all(const Arguments *a, VipsImage *in, const char *input, VipsImage *out,
                     const char *output)
{
    bool ok = output_image_save(a, out, output, in, input, true);
    if (ok && a->residual)
        ok = comparison_save(residual_image(in, out), a->residual, in);
    if (ok && a->side_by_side)
        ok = comparison_save(side_by_side_image(in, out), a->side_by_side, in);
    return ok;
}

/* Checks all outputs before any work is done. */
static bool can_save_all(const Arguments *a, const char *input, const char *output)
{
    return output_image_check(a, input, output) &&
           (!a->residual || image_file_can_save(a->residual, NULL)) &&
           (!a->side_by_side || image_file_can_save(a->side_by_side, NULL)) &&
           (!a->report || path_is_stream(a->report) || path_can_create(a->report, a->report)) &&
           (!a->save_model || path_can_create(a->save_model, a->save_model));
}

/* Can an image be filtered in parts, although it is downscaled? */
static bool is_downscaled_in_parts(const Arguments *a, VipsImage *in, const CofOptions *options)
{
    bool one_factor =
        options->filter_downscale == 0 || options->filter_downscale == options->downscale;
    return one_factor && !a->guide && !option_set(a, OPT_BANDS) && pixels_take_less_in_parts(in);
}

/* Whether the operation learns and filters before its output is read; otherwise the output is
 * filtered on demand. */
static bool is_filtered_at_once(const Arguments *a, VipsImage *in)
{
    CofOptions options = arguments_options(a, in->Xsize, vips_image_get_page_height(in));
    bool downscaled = options.downscale > 1 || options.filter_downscale > 1;
    return page_count(in) > 1 || !image_file_is_large(in) || options.update == COF_UPDATE_MODEL ||
           options.tolerance > 0 || (downscaled && !is_downscaled_in_parts(a, in, &options));
}

/* Can all outputs hold the pages of the input? */
static bool can_save_pages(const Arguments *a, VipsImage *in, const char *input, const char *output)
{
    const char *names[] = {output, a->residual, a->side_by_side};
    for (size_t i = 0; i < G_N_ELEMENTS(names) && page_count(in) > 1; i++)
        if (names[i] && !image_file_can_save_pages(names[i], i == 0 ? a->format : NULL, in)) {
            char *text = g_strdup_printf("this format holds one page, but %s has %d; choose one "
                                         "with --pages N, or write TIFF, GIF or WebP",
                                         input, page_count(in));
            print_error(names[i], text);
            g_free(text);
            return false;
        }
    return true;
}

/* --strength 0 changes nothing, so that not even the samples are converted. */
static bool changes_nothing(const Arguments *a, VipsImage *in)
{
    return arguments_options(a, in->Xsize, vips_image_get_page_height(in)).strength == 0;
}

/* The filtered image, or with --apply-mask what it says. */
static bool take_result(const OptionImages *images, VipsImage *in, VipsImage *smooth,
                        VipsImage **out)
{
    if (smooth == in)
        *out = g_object_ref(in);
    else if (images->apply_mask)
        return apply_mask(images->apply_mask, in, smooth, out);
    else
        *out = g_object_ref(smooth);
    return true;
}

/* Replaces the result by what --posterise makes of it. */
static bool posterise(const Arguments *a, const char *input, const char *output, VipsImage **out)
{
    if (!a->posterise)
        return true;
    VipsImage *posterised = posterised_image(a, *out, input);
    g_object_unref(*out);
    *out = posterised;
    if (posterised)
        progress_watch_image(posterised, PROGRESS_WRITING, output);
    return posterised;
}

/* An image without a valid pixel, such as a transparent tile of a map, is its own result, unless
 * options say what to learn from. */
static bool has_nothing_to_filter(const Arguments *a, const OptionImages *images)
{
    VipsCofProblem problem;
    if (!vips_cof_problem(&problem) || problem.status != COF_ERR_EMPTY || images->mask ||
        images->learn_from || images->guide || a->save_model || a->report ||
        option_set(a, OPT_REGION))
        return false;
    vips_cof_problem_clear();
    vips_error_clear();
    return true;
}

/* Learns and filters. *smooth is `in` itself if nothing is to be filtered. */
static bool smooth_opened(const Arguments *a, const OptionImages *images, VipsBlob **model,
                          VipsImage *in, VipsImage **smooth)
{
    bool learns = a->save_model || (!*model && pages_share_model(a, in));
    bool nothing = arguments_keep_samples(a);
    if (learns && !nothing)
        *model = learn_from_pages(a, images, in);
    if (!nothing && (*model || !learns) && smooth_pages(a, images, *model, in, smooth))
        return true;
    if (!nothing && !has_nothing_to_filter(a, images))
        return false;
    *smooth = g_object_ref(in);
    return true;
}

static bool filter_opened(const Arguments *a, const OptionImages *images, const char *model_name,
                          VipsImage *in, const char *input, const char *output)
{
    VipsImage *smooth = NULL, *out = NULL;
    VipsBlob *model = model_name ? read_model_blob(model_name) : NULL;
    if (model_name && !model)
        return false;
    bool ok = smooth_opened(a, images, &model, in, &smooth) &&
              take_result(images, in, changes_nothing(a, in) ? in : smooth, &out);
    progress_end();
    if (!ok)
        print_operation_error(
            a,
            &(OperationFiles){
                .input = input, .in = &in, .n_in = 1, .model = model_name, .images = images},
            "cannot be filtered");
    else if (is_filtered_at_once(a, in))
        progress_watch_image(out, PROGRESS_WRITING, output);
    else
        progress_watch_image(out, PROGRESS_FILTERING, input);
    ok = ok && posterise(a, input, output, &out) && save_all(a, in, input, out, output) &&
         (!a->report || report_save(a, images, input, in, smooth)) &&
         (!a->save_model || save_blob(model, a->save_model));
    progress_end();
    if (ok && smooth == in && !changes_nothing(a, in))
        print_note(input, page_count(in) > 1 ? "a page has no valid pixel, so nothing is filtered"
                                             : "has no valid pixel, so nothing is filtered");
    if (model)
        vips_area_unref(VIPS_AREA(model));
    VIPS_UNREF(smooth);
    VIPS_UNREF(out);
    return ok;
}

bool filter_image(const Arguments *a, const char *model, const char *input, const char *output)
{
    bool ready = input_exists(input) && can_save_all(a, input, output);
    VipsImage *in = ready ? input_image_open(a, input) : NULL;
    OptionImages images = {0};
    if (!in)
        return false;
    option_notes_see(a, in);
    progress_watch_image(in, is_filtered_at_once(a, in) ? PROGRESS_FILTERING : PROGRESS_LEARNING,
                         input);
    bool ok = can_save_pages(a, in, input, output) && option_images_open(&images, a, in, input) &&
              filter_opened(a, &images, model, in, input, output);
    option_images_close(&images);
    g_object_unref(in);
    return ok;
}

/* The state of filtering many images to a folder. */
typedef struct Batch {
    const Arguments *arguments;
    GRWLock alone; /* an image that is filtered while no other one is takes it for writing */
    GMutex lock;   /* of `failed` */
    int failed;
} Batch;

static bool is_skipped(const Arguments *a, const char *output)
{
    char *path = image_path_of_output(output);
    bool skipped = option_set(a, OPT_SKIP_EXISTING) && access(path, F_OK) == 0;
    g_free(path);
    return skipped;
}

/* Makes the folder of an output below the output folder. */
static bool make_subfolder(const char *output)
{
    char *folder = g_path_get_dirname(output);
    bool ok = g_mkdir_with_parents(folder, 0777) == 0;
    if (!ok)
        print_error(folder, strerror(errno));
    g_free(folder);
    return ok;
}

static bool filter_one(const Arguments *a, int i)
{
    char *output = arguments_output(a, i);
    bool ok = is_skipped(a, output) ||
              ((folder_walk_subfolder(a->found, i)[0] == '\0' || make_subfolder(output)) &&
               filter_image(a, a->model, a->operands[i], output));
    g_free(output);
    return ok;
}

/* Filters an image while others are filtered. If it fails with an error of libvips, it is filtered
 * again alone, so that the error is that of this image. */
static bool filter_among_others(Batch *batch, int i)
{
    g_rw_lock_reader_lock(&batch->alone);
    error_lines_hold();
    bool ok = filter_one(batch->arguments, i);
    bool again = !ok && error_lines_have_vips_error();
    error_lines_end(!again);
    g_rw_lock_reader_unlock(&batch->alone);
    if (again) {
        g_rw_lock_writer_lock(&batch->alone);
        vips_error_clear();
        ok = filter_one(batch->arguments, i);
        vips_error_clear();
        g_rw_lock_writer_unlock(&batch->alone);
    }
    return ok;
}

/* `operand` points to the name of the input. */
static void filter_in_batch(void *operand, void *data)
{
    Batch *batch = data;
    bool ok = filter_among_others(batch, (int)((char **)operand - batch->arguments->operands));
    g_mutex_lock(&batch->lock);
    batch->failed += !ok;
    g_mutex_unlock(&batch->lock);
    progress_file_done();
    vips_thread_shutdown();
}

/* Each image is filtered by one thread, which sometimes waits for a thread of libvips that reads or
 * writes. A few more images than threads keep all cores busy. */
static int max_in_flight(int threads)
{
    int n = threads == 1 ? 1 : threads + (threads + 3) / 4;
    return n < MAX_ATOMIC_FILES ? n : MAX_ATOMIC_FILES;
}

/* A missing file may be a mistake, such as an output that was named: no file is replaced then. */
static bool check_replaced(const Arguments *a)
{
    bool ok = true;
    for (int i = 0; option_set(a, OPT_IN_PLACE) && i < a->n_operands && ok; i++)
        ok = input_exists(a->operands[i]);
    return ok;
}

static bool filter_batch(const Arguments *a)
{
    Batch batch = {.arguments = a};
    if (!check_replaced(a) || !raster_inputs_check(a))
        return false;
    if (a->output && g_mkdir_with_parents(a->output, 0777) != 0) {
        print_error(a->output, strerror(errno));
        return false;
    }
    g_mutex_init(&batch.lock);
    g_rw_lock_init(&batch.alone);
    progress_begin_files(a->n_operands);
    GThreadPool *pool = g_thread_pool_new(filter_in_batch, &batch,
                                          max_in_flight(vips_concurrency_get()), TRUE, NULL);
    vips_concurrency_set(1);
    vips_cache_set_max(0);                                      /* each image is used once */
    bool has_threads = g_thread_pool_get_num_threads(pool) > 0; /* none if memory is scarce */
    for (int i = 0; i < a->n_operands; i++)
        if (has_threads)
            g_thread_pool_push(pool, &a->operands[i], NULL);
        else
            filter_in_batch(&a->operands[i], &batch);
    g_thread_pool_free(pool, FALSE, TRUE);
    g_mutex_clear(&batch.lock);
    g_rw_lock_clear(&batch.alone);
    progress_end();
    return batch.failed == 0;
}

bool command_filter(const Arguments *a)
{
    if (!device_check(a))
        return false;
    if (a->raw)
        return raw_frames_filter(a);
    return arguments_is_batch(a) ? filter_batch(a) : filter_one(a, 0);
}
