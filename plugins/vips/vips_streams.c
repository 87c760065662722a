/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes images that need not fit in memory: learns strip by strip, filters tile by tile.
 * libvips runs the threads; each has its own statistics or scratch memory. */
#include "vips_streams.h"

#include "vips_ahead.h"
#include "vips_nodata.h"
#include "vips_regions.h"
#include "vips_tile_cache.h"

/* Approximate pixels of a strip, and its minimum height: the margin around a strip is read twice.
 * */
#define STRIP_PIXELS (1 << 20)
#define MIN_STRIP_ROWS 64

/* Approximate height of a strip of an image in blocks, which need not be as wide as the image. */
#define BLOCK_STRIP_ROWS 256

/* Tiles are squares of a multiple of this side, at least so many margins wide: the margin around a
 * tile is computed twice. Pixels of many bytes have lower tiles, since two rows of tiles are held
 * in memory. */
#define TILE_SIDE 512
#define TILE_SIDE_OF_LARGE_PIXELS 256
#define LARGE_PIXEL 4
#define MARGINS_PER_TILE 6
#define WIDTH_OF_LARGE_TILES 2 /* times their height */

/* Options of a call that runs on one of libvips' threads. */
static CofOptions options_for_thread(const CofOptions *options, CofContext *context,
                                     CofReport *report, CofProblem *problem)
{
    CofOptions own = *options;
    *report = (CofReport){.struct_size = sizeof *report};
    own.threads = 1;
    own.context = context;
    own.report = report;
    own.problem = problem;
    own.progress = NULL;
    return own;
}

static VipsRect around(const VipsRect *part, int margin, const VipsImage *image)
{
    VipsRect rect = *part, all = {0, 0, image->Xsize, image->Ysize};
    vips_rect_marginadjust(&rect, margin);
    vips_rect_intersectrect(&rect, &all, &rect);
    return rect;
}

static CofRect rect_of(const VipsRect *rect)
{
    return (CofRect){rect->left, rect->top, rect->width, rect->height};
}

/* A scan or count pass over an image, shared by all threads. */
typedef struct Reading {
    const LearningSource *source;
    CofStats *stats;    /* merged from all threads */
    bool failed;        /* libvips does not always report that a thread has failed */
    CofProblem problem; /* the first one, if failed */
    GMutex lock;        /* of all three */
    const CofOptions *options;
    bool count;
} Reading;

/* The state of one thread that reads. */
typedef struct Reader {
    PixelRegion pixels;
    VipsRegion *mask;
    CofStats *stats;
    CofContext *context;
} Reader;

static void free_reader(Reader *reader)
{
    pixel_region_free(&reader->pixels);
    VIPS_UNREF(reader->mask);
    cof_stats_free(&reader->stats);
    cof_context_free(&reader->context);
    g_free(reader);
}

/* Keeps the problem for the thread that runs the operation. */
static int reading_failed(Reading *reading, const CofProblem *problem)
{
    g_mutex_lock(&reading->lock);
    if (!reading->failed)
        reading->problem = *problem;
    reading->failed = true;
    g_mutex_unlock(&reading->lock);
    return -1;
}

static void *start_reader(VipsImage *image, void *a, void *b)
{
    (void)image, (void)b;
    Reading *reading = a;
    const LearningSource *source = reading->source;
    Reader *reader = g_new0(Reader, 1);
    reader->pixels = pixel_region_new(&source->pixels);
    reader->mask = source->mask ? vips_region_new(source->mask) : NULL;
    CofProblem problem;
    CofStatus status = cof_context_new(&reader->context, 1, &problem);
    if (status == COF_OK)
        status = cof_stats_new_like(&reader->stats, reading->stats, &problem);
    if (status == COF_OK)
        return reader;
    reading_failed(reading, &problem);
    free_reader(reader);
    return NULL;
}

static CofStatus read_part(const Reading *reading, Reader *reader, const CofImage *image,
                           const CofRoi *roi, CofReport *report, CofProblem *problem)
{
    CofOptions options = options_for_thread(reading->options, reader->context, report, problem);
    if (!reading->count)
        return cof_stats_scan(reader->stats, image, roi, &options);
    return reading->source->labels ? cof_stats_add_labels(reader->stats, image, roi, &options)
                                   : cof_stats_add(reader->stats, image, roi, &options);
}

static int read_strip(VipsRegion *strip, void *sequence, void *a, void *b, gboolean *stop)
{
    (void)b, (void)stop;
    Reading *reading = a;
    Reader *reader = sequence;
    const LearningSource *source = reading->source;
    int margin = reading->count ? reading->options->window / 2 : 0;
    VipsRect rect = around(&strip->valid, margin, source->pixels.image);
    CofImage image, mask;
    if (pixel_region_prepare(&reader->pixels, &rect, &image) != 0 ||
        (reader->mask && vips_region_prepare(reader->mask, &rect) != 0))
        return -1;
    Pixels bytes = {.kind = COF_KIND_GREY, .sample = COF_SAMPLE_U8};
    CofRoi roi = {.region = source->region, .part = rect_of(&strip->valid)};
    if (reader->mask) {
        mask = pixels_view(&bytes, reader->mask);
        roi.mask = &mask;
    }
    CofReport report;
    CofProblem problem;
    CofStatus status = read_part(reading, reader, &image, &roi, &report, &problem);
    run_report_add(source->run, &report, 0);
    return status == COF_OK ? 0 : reading_failed(reading, &problem);
}

static int stop_reader(void *sequence, void *a, void *b)
{
    (void)b;
    Reading *reading = a;
    Reader *reader = sequence;
    CofProblem problem;
    g_mutex_lock(&reading->lock);
    CofStatus status = cof_stats_merge(reading->stats, reader->stats, &problem);
    g_mutex_unlock(&reading->lock);
    free_reader(reader);
    return status == COF_OK ? 0 : reading_failed(reading, &problem);
}

static void strip_size(const VipsImage *image, int *width, int *rows)
{
    int block = 0;
    *width = image->Xsize;
    if (vips_image_get_typeof(image, META_BLOCK_ROWS) == G_TYPE_INT)
        vips_image_get_int(image, META_BLOCK_ROWS, &block);
    if (block > 0) {
        *rows = block < BLOCK_STRIP_ROWS ? BLOCK_STRIP_ROWS / block * block : BLOCK_STRIP_ROWS;
        *width = MIN(*width, STRIP_PIXELS / BLOCK_STRIP_ROWS);
    } else {
        *rows = MAX(STRIP_PIXELS / image->Xsize, MIN_STRIP_ROWS);
    }
    *rows = MIN(*rows, image->Ysize);
}

/* Iterates over the strips of a black image, so that the real image is computed only once, with
 * margins. The progress signals are those of the real image. */
static int read_all(Reading *reading)
{
    VipsImage *image = reading->source->pixels.image, *strips = NULL;
    if (vips_black(&strips, image->Xsize, image->Ysize, NULL) != 0)
        return -1;
    strips->progress_signal = reading->source->progress_image->progress_signal;
    int width, rows;
    strip_size(image, &width, &rows);
    g_mutex_init(&reading->lock);
    int failed =
        vips_sink_tile(strips, width, rows, start_reader, read_strip, stop_reader, reading, NULL);
    g_mutex_clear(&reading->lock);
    g_object_unref(strips);
    if (reading->failed)
        return problem_fail(&reading->source->argument, &reading->problem);
    return failed ? -1 : 0;
}

int stream_scan(const LearningSource *source, CofStats *stats, const CofOptions *options)
{
    Reading reading = {.source = source, .stats = stats, .options = options};
    return read_all(&reading);
}

int stream_count(const LearningSource *source, CofStats *stats, const CofOptions *options)
{
    Reading reading = {.source = source, .stats = stats, .options = options, .count = true};
    return read_all(&reading);
}

/* Shared by all threads that filter; owned by the output image. */
typedef struct Filtering {
    CofModel *model;
    CofCoarse *coarse; /* NULL: not downscaled */
    CofOptions options;
    Pixels in, guide; /* the output image holds the references */
    bool labels;      /* the guide holds labels */
    int margin;
    RunReport *run;
    Argument argument; /* for errors */
    GMutex lock;
    GSList *idle; /* contexts that no tile needs; guarded by the lock */
} Filtering;

static void free_context(void *data)
{
    CofContext *context = data;
    cof_context_free(&context);
}

static void free_filtering(void *data)
{
    Filtering *filtering = data;
    g_slist_free_full(filtering->idle, free_context);
    g_mutex_clear(&filtering->lock);
    cof_coarse_free(&filtering->coarse);
    cof_model_free(&filtering->model);
    run_report_unref(filtering->run);
    g_free(filtering);
}

/* libvips starts many more sequences than threads, so memory belongs to neither: each tile borrows
 * a context, and there are as many as tiles in work. NULL: there is no memory for another one. */
static CofContext *borrow_context(Filtering *f, CofProblem *problem)
{
    CofContext *context = NULL;
    g_mutex_lock(&f->lock);
    if (f->idle) {
        context = f->idle->data;
        f->idle = g_slist_delete_link(f->idle, f->idle);
    }
    g_mutex_unlock(&f->lock);
    if (!context && cof_context_new(&context, 1, problem) != COF_OK)
        return NULL;
    return context;
}

static void return_context(Filtering *f, CofContext *context)
{
    g_mutex_lock(&f->lock);
    f->idle = g_slist_prepend(f->idle, context);
    g_mutex_unlock(&f->lock);
}

static CofStatus filter_view(const Filtering *f, const CofImage *guide, const CofImage *in,
                             const CofImage *out, const CofOptions *options)
{
    if (f->coarse)
        return cof_coarse_filter(f->coarse, in, out, options);
    return f->labels ? cof_filter_labels(f->model, guide, in, out, options)
                     : cof_filter(f->model, guide, in, out, options);
}

/* Filters a tile whose surroundings are in memory. */
static int filter_prepared(Filtering *f, const CofImage *in, const CofImage *guide,
                           VipsRegion *tile)
{
    CofReport report;
    CofProblem problem;
    CofContext *context = borrow_context(f, &problem);
    if (!context)
        return problem_fail(&f->argument, &problem);
    CofImage out = pixels_view(&f->in, tile);
    CofOptions options = options_for_thread(&f->options, context, &report, &problem);
    CofStatus status = filter_view(f, guide, in, &out, &options);
    return_context(f, context);
    run_report_add(f->run, &report, (double)out.width * out.height);
    run_report_add_tile(f->run, nodata_count(in, &tile->valid));
    return status == COF_OK ? 0 : problem_fail(&f->argument, &problem);
}

static int filter_tile(VipsRegion *tile, void *sequence, void *a, void *b, gboolean *stop)
{
    (void)sequence, (void)b, (void)stop;
    Filtering *f = a;
    VipsRect rect = around(&tile->valid, f->margin, f->in.image);
    bool has_guide = f->guide.image != NULL;
    CofImage in, guide;
    PixelRegion in_region = pixel_region_new(&f->in), guide_region = {0};
    if (has_guide)
        guide_region = pixel_region_new(&f->guide);
    int failed = pixel_region_prepare(&in_region, &rect, &in) != 0 ||
                 (has_guide && pixel_region_prepare(&guide_region, &rect, &guide) != 0) ||
                 filter_prepared(f, &in, has_guide ? &guide : NULL, tile) != 0;
    pixel_region_free(&in_region);
    pixel_region_free(&guide_region);
    return failed ? -1 : 0;
}

/* Caches large tiles, so that each is computed once. The output is requested in strips as wide as
 * the image, so that threads work on different tiles. The cache holds all tiles that the strips in
 * flight touch, and those below, which are computed ahead. */
static int cache_tiles(VipsImage *in, int min_side, VipsImage **out)
{
    bool is_large = VIPS_IMAGE_SIZEOF_PEL(in) > LARGE_PIXEL;
    int unit = is_large ? TILE_SIDE_OF_LARGE_PIXELS : TILE_SIDE;
    int side = MAX(1, (min_side + unit - 1) / unit) * unit;
    int strip_width, strip_height, lines;
    in->dhint = VIPS_DEMAND_STYLE_FATSTRIP;
    vips_get_tile_size(in, &strip_width, &strip_height, &lines);
    int width = is_large ? WIDTH_OF_LARGE_TILES * side : side;
    int across = in->Xsize / width + 2, down = (lines + side - 1) / side + 1;
    VipsImage *tiles;
    if (tile_cache(in, width, side, across * down, &tiles) != 0)
        return -1;
    int failed = ahead_of_strips(tiles, width, side, out);
    g_object_unref(tiles);
    return failed;
}

/* Keeps the images of a source as long as another image. */
static void hold(VipsImage *image, const Pixels *source)
{
    vips_object_local(image, g_object_ref(source->image));
    if (source->valid)
        vips_object_local(image, g_object_ref(source->valid));
}

int stream_filter(CofModel **model, CofCoarse **coarse, const Pixels *in, const Pixels *guide,
                  bool labels, const CofOptions *options, RunReport *run, const Argument *argument,
                  VipsImage **out)
{
    int margin = 0;
    CofProblem problem;
    CofOptions own = *options;
    own.problem = &problem;
    if (!*coarse && cof_filter_margin(*model, &margin, &own) != COF_OK)
        return problem_fail(argument, &problem);
    Filtering *filtering = g_new0(Filtering, 1);
    *filtering = (Filtering){.model = *model,
                             .coarse = *coarse,
                             .options = *options,
                             .in = *in,
                             .labels = labels,
                             .margin = margin,
                             .run = run_report_ref(run),
                             .argument = *argument};
    g_mutex_init(&filtering->lock);
    *model = NULL;
    *coarse = NULL;
    VipsImage *tiles = vips_image_new();
    g_object_set_data_full(G_OBJECT(tiles), "cof", filtering, free_filtering);
    hold(tiles, in);
    if (guide) {
        filtering->guide = *guide;
        hold(tiles, guide);
    }
    int failed = vips_image_pipelinev(tiles, VIPS_DEMAND_STYLE_SMALLTILE, in->image,
                                      guide ? guide->image : NULL, NULL) ||
                 vips_image_generate(tiles, NULL, filter_tile, NULL, filtering, NULL) ||
                 cache_tiles(tiles, MARGINS_PER_TILE * margin, out);
    g_object_unref(tiles);
    return failed ? -1 : 0;
}
