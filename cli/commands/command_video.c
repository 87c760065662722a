/* SPDX-License-Identifier: BSD-2-Clause */
/* cof video: smooths a video. */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "commands/commands.h"
#include "io/atomic_file.h"
#include "io/cof_file.h"
#include "io/image_file.h"
#include "io/paths.h"
#include "options/arguments_options.h"
#include "options/background_effect.h"
#include "ui/device_note.h"
#include "ui/error_line.h"
#include "ui/progress.h"
#include "video/adaptive_model.h"
#include "video/ffmpeg_log.h"
#include "video/frame_pipeline.h"
#include "video/mask_tracker.h"
#include "video/steady.h"
#include "video/video_check.h"
#include "video/video_model.h"
#include "video/video_output.h"
#include "video/video_scribbles.h"
#include "video/video_worker.h"
#include "vips/device_check.h"

typedef struct VideoJob {
    const Arguments *arguments;
    VideoFile video;
    VideoOutput output;
    Subprocess decoder, encoder;
    VideoModel *model; /* NULL if `adaptive` provides the models */
    AdaptiveModel *adaptive;
    Steady *steady;       /* NULL: frames are not averaged */
    MaskTracker *tracker; /* NULL: frames have no masks */
    BackgroundEffect effect;
    VideoWorker *workers;
    int64_t frames_read;
    gint error_printed; /* several threads may fail, but only one prints why */
} VideoJob;

/* True for the first thread that fails. */
static bool claim_error(VideoJob *job)
{
    return g_atomic_int_compare_and_exchange(&job->error_printed, 0, 1);
}

static void report_error(void *context, const char *cause)
{
    VideoJob *job = context;
    if (claim_error(job))
        print_error(job->video.name, cause);
}

/* Prints what the decoder said. A damaged video that is kept ends here, after a note: *end. */
static bool stop_decoding(VideoJob *job, bool *end)
{
    char *log = subprocess_log(&job->decoder), *cause = ffmpeg_log_first(log);
    *end = job->video.keep_damaged && job->frames_read > 0;
    if (*end || (!ffmpeg_log_is_no_damage(log) && !job->video.keep_damaged && claim_error(job))) {
        video_file_report_damage(&job->video, cause ? cause : "it cannot be decoded");
    } else {
        char *text =
            g_strdup_printf("ffmpeg cannot decode it%s%s", cause ? ": " : "", cause ? cause : "");
        report_error(job, text);
        g_free(text);
    }
    g_free(cause);
    g_free(log);
    return *end;
}

static bool read_frame(void *context, int64_t number, void *frame, void **model, bool *end)
{
    VideoJob *job = context;
    size_t got = subprocess_read(&job->decoder, frame, job->video.bytes);
    job->frames_read = number;
    *end = got == 0;
    if (got > 0 && got < job->video.bytes)
        return stop_decoding(job, end);
    if (got > 0 && job->video.times && number == job->video.frames) {
        report_error(job, "has more frames than times");
        return false;
    }
    if (got > 0 && job->steady) {
        CofImage view = video_file_view(&job->video, frame);
        steady_apply(job->steady, &view);
    }
    if (got > 0)
        *model =
            job->adaptive ? adaptive_model_next(job->adaptive, frame) : video_model_ref(job->model);
    if (got > 0 && !*model)
        g_atomic_int_set(&job->error_printed, 1);
    return got == 0 || *model;
}

static bool process_frame(void *context, int worker, int64_t number, const void *data, void *frame,
                          void *filtered)
{
    VideoJob *job = context;
    const VideoModel *model = data;
    CofProblem problem;
    CofReport report = {.struct_size = sizeof report};
    CofOptions options = job->arguments->options;
    options.threads = 1;
    options.context = job->workers[worker].context;
    options.problem = &problem;
    options.report = &report;
    CofImage in = video_file_view(&job->video, frame), out = video_file_view(&job->video, filtered);
    CofStatus status;
    if (!model->foreground)
        status = cof_filter(model->model, NULL, &in, &out, &options);
    else
        status = video_worker_focus(&job->workers[worker], number + 1, model, &in, &out, &options);
    if (status != COF_OK && claim_error(job))
        print_cof_problem(job->video.name, &problem);
    device_note_see(report.device_note, true);
    return status == COF_OK;
}

static bool write_frame(void *context, int64_t number, const void *out)
{
    VideoJob *job = context;
    progress_frames(number + 1, job->video.frames);
    return video_output_write(&job->output, &job->encoder, number, out);
}

static bool allocate_workers(VideoJob *job, int n)
{
    CofStatus status = COF_OK;
    CofProblem problem;
    job->workers = g_new0(VideoWorker, (gsize)n);
    for (int i = 0; i < n && status == COF_OK; i++)
        status = video_worker_init(&job->workers[i], &job->video, job->effect, job->tracker,
                                   job->arguments->device, &problem);
    if (status == COF_ERR_UNSUPPORTED && job->arguments->device)
        print_error("--device", problem.text);
    else if (status != COF_OK)
        print_error(job->video.name, "not enough memory");
    return status == COF_OK;
}

static void free_workers(VideoJob *job, int n)
{
    for (int i = 0; job->workers && i < n; i++)
        video_worker_clear(&job->workers[i]);
    g_free(job->workers);
}

/* Waits for the decoder and prints what was wrong with the video. */
static bool finish_decoder(VideoJob *job)
{
    bool kept;
    if (!subprocess_wait(&job->decoder))
        return stop_decoding(job, &kept);
    char *log = subprocess_log(&job->decoder);
    char *damage =
        job->video.keep_damaged ? ffmpeg_log_first(log) : video_decoding_damage(&job->video, log);
    bool ok = !damage || video_file_report_damage(&job->video, damage);
    if (!ok)
        claim_error(job);
    g_free(damage);
    g_free(log);
    return ok;
}

/* Waits for the encoder and prints what was wrong. It may succeed before the end of the video: with
 * "-frames:v 10" it stops reading after 10 frames. */
static bool finish_encoder(VideoJob *job, int64_t frames)
{
    bool ok = subprocess_wait(&job->encoder);
    char *log = subprocess_log(&job->encoder);
    char *fault = ok && frames > 0 ? video_output_fault(job->output.path, frames, log) : NULL;
    if (!ok && !(fault = ffmpeg_log_first(log)))
        fault = g_strdup("cannot be encoded");
    if (fault && claim_error(job))
        video_output_print_fault(&job->output, fault);
    ok = ok && !fault;
    g_free(fault);
    g_free(log);
    return ok;
}

/* Waits for both programs and prints the error of one that failed. The decoder may be stopped by an
 * encoder that has ended. */
static bool finish_subprocesses(VideoJob *job, bool ok, int64_t frames)
{
    if (!ok)
        subprocess_kill(&job->decoder);
    ok = ok && finish_decoder(job);
    if (ok || g_atomic_int_get(&job->error_printed) == 0)
        (void)finish_encoder(job, frames);
    else
        subprocess_kill(&job->encoder);
    progress_end();
    if (frames == 0)
        report_error(job, "has no frames");
    return g_atomic_int_get(&job->error_printed) == 0;
}

/* More queues than this do not make a device faster, and each takes time to open and memory. */
#define MAX_DEVICE_WORKERS 4

static int count_workers(const VideoJob *job)
{
    int threads = vips_concurrency_get();
    bool few = job->arguments->device && threads > MAX_DEVICE_WORKERS;
    return few ? MAX_DEVICE_WORKERS : threads;
}

static bool filter_frames(VideoJob *job)
{
    int workers = count_workers(job);
    FrameStages stages = {.context = job,
                          .frame_bytes = job->video.bytes,
                          .read = read_frame,
                          .process = process_frame,
                          .write = write_frame,
                          .release_model = video_model_unref,
                          .report = report_error};
    bool ok = allocate_workers(job, workers) && video_file_decode(&job->video, &job->decoder) &&
              video_output_start(&job->output, &job->encoder);
    int64_t frames = 0;
    if (ok) {
        ok = frame_pipeline_run(&stages, workers, &frames);
        ok = finish_subprocesses(job, ok, frames);
    }
    free_workers(job, workers);
    return ok;
}

/* Frames that do not change are not converted either. */
static bool changes_frames(const VideoJob *job)
{
    return job->arguments->options.strength > 0 || job->steady ||
           job->effect.kind != BACKGROUND_SMOOTH;
}

/* Lets ffmpeg encode the frames as they are, after a check that all can be decoded, so that an
 * error after it is one of the output. */
static bool copy_frames(VideoJob *job)
{
    if (!video_file_check(&job->video, &job->decoder))
        return false;
    return finish_decoder(job) && video_output_start(&job->output, &job->encoder) &&
           finish_encoder(job, MAX(job->video.frames, 1));
}

static bool run(VideoJob *job, const char *path)
{
    job->decoder.stderr_file = job->encoder.stderr_file = job->decoder.pipe = job->encoder.pipe =
        -1;
    job->output = (VideoOutput){.video = &job->video,
                                .path = path,
                                .name = job->arguments->operands[1],
                                .options = job->arguments->encode,
                                .untouched = !changes_frames(job)};
    bool ok = video_output_plan(&job->output) &&
              (job->output.untouched ? copy_frames(job) : filter_frames(job));
    subprocess_free(&job->decoder);
    subprocess_free(&job->encoder);
    return ok;
}

/* Loads the model of the video, or learns it from scribbled frames or from one frame. */
static VideoModel *initial_model(VideoJob *job)
{
    const Arguments *a = job->arguments;
    if (a->model)
        return video_model_load(a);
    if (a->n_scribbles == 0 && a->n_strokes == 0 && !a->mask)
        return video_model_from_frame(a, &job->video);
    job->tracker = mask_tracker_new(&job->video);
    if (job->tracker)
        return video_model_from_scribbles(a, &job->video, job->tracker);
    print_error(job->video.name, "not enough memory");
    return NULL;
}

static bool prepare_models(VideoJob *job)
{
    const Arguments *a = job->arguments;
    job->effect = background_effect_parse(a->background);
    if (a->adapt > 0)
        job->adaptive = adaptive_model_new(a, &job->video);
    else
        job->model = initial_model(job);
    if (!job->adaptive && !job->model)
        return false;
    if (a->steady > 0) {
        CofImage frame = video_file_view(&job->video, NULL);
        job->steady = steady_new(&frame, a->steady);
        if (!job->steady) {
            print_error(job->video.name, "not enough memory");
            return false;
        }
    }
    if (job->model && job->model->foreground && arguments_may_downscale(a)) {
        char *cause = g_strdup_printf("a pair of models cannot be combined with --%s",
                                      arguments_downscale_option(a));
        print_error(a->model, cause);
        g_free(cause);
        return false;
    }
    if (a->background && job->model && !job->model->foreground) {
        print_error(a->background, "a background needs scribbles, a mask or a pair of models");
        return false;
    }
    if (job->effect.kind != BACKGROUND_SMOOTH && job->video.kind == COF_KIND_GREY) {
        print_error(job->video.name, "a video without colours cannot be greyed or tinted");
        return false;
    }
    return true;
}

/* Each frame is decoded as a whole, and several are in memory at a time. */
static bool within_limit(const VideoFile *video, int64_t max_pixels)
{
    if (max_pixels == 0 || (int64_t)video->width * video->height <= max_pixels)
        return true;
    char *cause = g_strdup_printf("has %d x %d pixels, more than the limit of %" G_GINT64_FORMAT
                                  "; see --max-pixels",
                                  video->width, video->height, (gint64)max_pixels);
    print_error(video->name, cause);
    g_free(cause);
    return false;
}

/* Opens the video, whose frame size the preset depends on. */
static bool open_video(VideoJob *job, Arguments *resolved)
{
    bool keep_damaged = option_set(resolved, OPT_KEEP_DAMAGED);
    if (!video_file_probe(&job->video, resolved->operands[0], keep_damaged) ||
        !within_limit(&job->video, resolved->max_pixels) ||
        !video_output_is_one_file(&job->video, resolved->operands[1], resolved->encode))
        return false;
    if (!pixel_limit_check_frame(job->video.width, job->video.height)) {
        print_vips_error(resolved->operands[0], "is too large");
        return false;
    }
    CofContext *context = resolved->options.context;
    resolved->options = arguments_options(resolved, job->video.width, job->video.height);
    resolved->options.context = context;
    return true;
}

/* An input is read several times, and an output is replaced. */
static bool is_no_device(const char *name)
{
    bool is_device = path_is_special(name);
    if (is_device)
        print_error(name, "is not a file");
    return !is_device;
}

bool command_video(const Arguments *a)
{
    Arguments resolved = *a;
    VideoJob job = {.arguments = &resolved};
    const char *output = a->operands[1];
    char *path = path_target(output), *temporary = NULL;
    signal(SIGPIPE, SIG_IGN); /* writing to a program that has ended then returns an error */
    bool ok = is_no_device(a->operands[0]) && is_no_device(output) && device_open(&resolved) &&
              image_file_exists(a->operands[0]) && path_can_create(output, output) &&
              (!a->save_model || path_can_create(a->save_model, a->save_model)) &&
              open_video(&job, &resolved) && prepare_models(&job);
    if (ok) {
        temporary = atomic_file_begin(path, output);
        ok = temporary && run(&job, temporary);
    }
    if (temporary)
        ok = atomic_file_end(temporary, ok ? path : NULL, output);
    if (ok && job.model && a->save_model)
        ok = cof_file_save_model(job.model->model, job.model->foreground, a->save_model);
    if (job.model)
        video_model_unref(job.model);
    adaptive_model_free(job.adaptive);
    steady_free(job.steady);
    video_file_clear(&job.video);
    mask_tracker_free(job.tracker);
    cof_context_free(&resolved.options.context);
    g_free(path);
    return ok;
}
