/* SPDX-License-Identifier: BSD-2-Clause */
/* Models of the foreground and the background, learned from scribbled frames of a video. */
#include "video/video_scribbles.h"

#include <string.h>
#include <unistd.h>

#include "select/loaded_image.h"
#include "select/scribble_mask.h"
#include "ui/error_line.h"

/* Loads a decoded frame, whose memory must outlive the image. */
static bool load_frame(LoadedImage *source, const VideoFile *video, void *frame)
{
    bool deep = video->sample == COF_SAMPLE_U16;
    VipsImage *image = NULL, *raw = vips_image_new_from_memory(
                                 frame, video->bytes, video->width, video->height, video->channels,
                                 deep ? VIPS_FORMAT_USHORT : VIPS_FORMAT_UCHAR);
    VipsInterpretation grey = deep ? VIPS_INTERPRETATION_GREY16 : VIPS_INTERPRETATION_B_W;
    VipsInterpretation colour = deep ? VIPS_INTERPRETATION_RGB16 : VIPS_INTERPRETATION_sRGB;
    if (raw)
        vips_copy(raw, &image, "interpretation", video->kind == COF_KIND_GREY ? grey : colour,
                  NULL);
    VIPS_UNREF(raw);
    return loaded_image_from(source, image, BANDS_AUTO, video->name);
}

/* A frame with scribbles, and the masks that follow from them. */
typedef struct ScribbledFrame {
    int64_t number;
    char *scribble, *background; /* files; NULL if there is none */
    bool strokes; /* the strokes and the mask of the command line belong to this frame */
    LoadedImage source;
    void *pixels;
    VipsImage *mask, *background_mask;
} ScribbledFrame;

typedef struct VideoScribbles {
    const Arguments *arguments;
    const VideoFile *video;
    ScribbledFrame *frames;
    int n_frames;
} VideoScribbles;

/* Splits "FILE@FRAME": sets *frame and returns FILE; free with g_free(). */
static char *split_frame_number(const char *name, int64_t *frame)
{
    const char *at = strrchr(name, '@');
    char *end = NULL;
    gint64 number = at ? g_ascii_strtoll(at + 1, &end, 10) : 0;
    if (!at || end == at + 1 || *end != '\0' || number < 1 || access(name, F_OK) == 0)
        return g_strdup(name);
    *frame = number;
    return g_strndup(name, (gsize)(at - name));
}

static ScribbledFrame *frame_numbered(VideoScribbles *scribbles, int64_t number)
{
    for (int i = 0; i < scribbles->n_frames; i++)
        if (scribbles->frames[i].number == number)
            return &scribbles->frames[i];
    scribbles->frames[scribbles->n_frames] = (ScribbledFrame){.number = number};
    return &scribbles->frames[scribbles->n_frames++];
}

/* The argument to name in an error about a frame that has a background scribble only. */
static const char *background_name(const VideoScribbles *scribbles, const ScribbledFrame *frame)
{
    const Arguments *a = scribbles->arguments;
    return frame->background             ? frame->background
           : a->n_background_strokes > 0 ? a->background_strokes[0]
                                         : scribbles->video->name;
}

/* Sorts the scribbles of the command line by frame. */
static bool assign_scribbles(VideoScribbles *scribbles)
{
    const Arguments *a = scribbles->arguments;
    scribbles->frames =
        g_new0(ScribbledFrame, (gsize)(a->n_scribbles + a->n_background_scribbles) + 1);
    if (a->n_strokes > 0 || a->n_background_strokes > 0 || a->mask)
        frame_numbered(scribbles, default_learn_frame(a))->strokes = true;
    for (int i = 0; i < a->n_scribbles + a->n_background_scribbles; i++) {
        bool foreground = i < a->n_scribbles;
        const char *name =
            foreground ? a->scribbles[i] : a->background_scribbles[i - a->n_scribbles];
        int64_t number = default_learn_frame(a);
        char *file = split_frame_number(name, &number);
        ScribbledFrame *frame = frame_numbered(scribbles, number);
        char **place = foreground ? &frame->scribble : &frame->background;
        if (*place) {
            print_error(name, "this frame has another scribble");
            g_free(file);
            return false;
        }
        *place = file;
    }
    for (int i = 0; i < scribbles->n_frames; i++)
        if (!scribbles->frames[i].scribble &&
            !(scribbles->frames[i].strokes && (a->n_strokes > 0 || a->mask))) {
            print_error(background_name(scribbles, &scribbles->frames[i]),
                        "this frame has no scribble of the object");
            return false;
        }
    return true;
}

/* Makes the masks of one frame; a gap around the foreground is in neither. */
static bool make_masks(const VideoScribbles *scribbles, ScribbledFrame *frame)
{
    const VideoFile *video = scribbles->video;
    Arguments frame_arguments = *scribbles->arguments;
    const char *scribble = frame->scribble, *background = frame->background;
    frame_arguments.scribbles = &scribble;
    frame_arguments.n_scribbles = scribble != NULL;
    frame_arguments.background_scribbles = &background;
    frame_arguments.n_background_scribbles = background != NULL;
    if (!frame->strokes) {
        frame_arguments.n_strokes = frame_arguments.n_background_strokes = 0;
        frame_arguments.mask = NULL;
    }
    frame->pixels = g_try_malloc(video->bytes);
    if (!frame->pixels) {
        print_error(video->name, "not enough memory for a frame");
        return false;
    }
    if (!video_file_read_frame(video, frame->number, frame->pixels) ||
        !load_frame(&frame->source, video, frame->pixels))
        return false;
    frame->mask = selection_mask(&frame_arguments, &frame->source, video->name);
    if (!frame->mask)
        return false;
    frame->background_mask = copy_image(frame->mask);
    if (!frame->background_mask) {
        print_vips_error(video->name, "has no mask");
        return false;
    }
    CofImage background_mask = single_band_view(frame->background_mask);
    CofProblem problem;
    CofOptions options = video_options(&frame_arguments, &problem);
    CofStatus status = cof_mask_dilate(&background_mask, options.gap, &background_mask, &options);
    invert_mask(frame->background_mask);
    return status == COF_OK || print_cof_problem(video->name, &problem);
}

/* Both models share a palette, which is fitted to all scribbled frames. */
static CofStatus fit_palette(const VideoScribbles *scribbles, const CofOptions *options,
                             CofStats **stats)
{
    CofOptions single = *options;
    single.palettes = 1; /* mattes compare labels of one palette */
    CofStatus status = cof_stats_new(stats, &single);
    for (int i = 0; i < scribbles->n_frames && status == COF_OK; i++)
        status = cof_stats_scan(*stats, &scribbles->frames[i].source.view, NULL, options);
    return status == COF_OK ? cof_stats_fit_palette(*stats, options) : status;
}

static CofStatus learn_side(const VideoScribbles *scribbles, bool inside, const CofStats *like,
                            const CofOptions *options, CofModel **model)
{
    CofStats *stats = NULL;
    CofStatus status = cof_stats_new_like(&stats, like, options->problem);
    for (int i = 0; i < scribbles->n_frames && status == COF_OK; i++) {
        const ScribbledFrame *frame = &scribbles->frames[i];
        CofImage mask = single_band_view(inside ? frame->mask : frame->background_mask);
        CofRoi where = {.mask = &mask};
        status = cof_stats_add(stats, &frame->source.view, &where, options);
    }
    if (status == COF_OK)
        status = cof_model_new(model, stats, options);
    cof_stats_free(&stats);
    return status;
}

static VideoModel *learn_both(const VideoScribbles *scribbles)
{
    CofProblem problem;
    CofOptions options = video_options(scribbles->arguments, &problem);
    CofStats *palette = NULL;
    CofModel *foreground = NULL, *background = NULL;
    CofStatus status = fit_palette(scribbles, &options, &palette);
    if (status == COF_OK)
        status = learn_side(scribbles, true, palette, &options, &foreground);
    if (status == COF_OK)
        status = learn_side(scribbles, false, palette, &options, &background);
    cof_stats_free(&palette);
    if (status == COF_OK)
        return video_model_new(background, foreground);
    cof_model_free(&foreground);
    print_cof_problem(scribbles->video->name, &problem);
    return NULL;
}

static void free_scribbles(VideoScribbles *scribbles)
{
    for (int i = 0; i < scribbles->n_frames; i++) {
        ScribbledFrame *frame = &scribbles->frames[i];
        VIPS_UNREF(frame->mask);
        VIPS_UNREF(frame->background_mask);
        loaded_image_close(&frame->source);
        g_free(frame->pixels);
        g_free(frame->scribble);
        g_free(frame->background);
    }
    g_free(scribbles->frames);
}

static bool give_mask(const VideoScribbles *scribbles, MaskTracker *tracker,
                      const ScribbledFrame *frame)
{
    const uint8_t *mask = VIPS_IMAGE_ADDR(frame->mask, 0, 0);
    if (mask_tracker_give(tracker, frame->number, mask))
        return true;
    print_error(scribbles->video->name, "not enough memory");
    return false;
}

VideoModel *video_model_from_scribbles(const Arguments *a, const VideoFile *video,
                                       MaskTracker *tracker)
{
    VideoScribbles scribbles = {.arguments = a, .video = video};
    bool ok = assign_scribbles(&scribbles);
    for (int i = 0; i < scribbles.n_frames && ok; i++)
        ok = make_masks(&scribbles, &scribbles.frames[i]) &&
             give_mask(&scribbles, tracker, &scribbles.frames[i]);
    VideoModel *model = ok ? learn_both(&scribbles) : NULL;
    free_scribbles(&scribbles);
    return model;
}
