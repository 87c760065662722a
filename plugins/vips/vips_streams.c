/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes images that need not fit in memory: learns strip by strip, filters tile by tile.
 * libvips runs the threads; each has its own statistics or scratch memory. */
#include "vips_streams.h"

/* Approximate pixels of a strip, and its minimum height: the margin around a strip is read twice.
 * */
#define STRIP_PIXELS (1 << 20)
#define MIN_STRIP_ROWS 64

/* Minimum side of a tile, in pixels and in margins: the margin around a tile is computed twice. */
#define MIN_TILE_SIDE 512
#define MIN_MARGINS_PER_TILE 6

int stream_fail(const char *operation, CofStatus status, const CofReport *report)
{
    const char *problem = report && report->problem ? report->problem : cof_status_string(status);
    vips_error(operation, "%s", problem);
    return -1;
}

/* Options of a call that runs on one of libvips' threads. */
static CofOptions options_for_thread(const CofOptions *options, CofContext *work, CofReport *report)
{
    CofOptions own = *options;
    *report = (CofReport){.struct_size = sizeof *report};
    own.threads = 1;
    own.context = work;
    own.report = report;
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
    CofStats *stats; /* merged from all threads */
    GMutex lock;
    const CofOptions *options;
    const char *operation;
    bool count;
} Reading;

/* The state of one thread that reads. */
typedef struct Reader {
    VipsRegion *pixels, *mask;
    CofStats *stats;
    CofContext *work;
} Reader;

static void free_reader(Reader *reader)
{
    VIPS_UNREF(reader->pixels);
    VIPS_UNREF(reader->mask);
    cof_stats_free(&reader->stats);
    cof_context_free(&reader->work);
    g_free(reader);
}

static void *start_reader(VipsImage *image, void *a, void *b)
{
    (void)image, (void)b;
    Reading *reading = a;
    const LearningSource *source = reading->source;
    Reader *reader = g_new0(Reader, 1);
    reader->pixels = vips_region_new(source->pixels.image);
    reader->mask = source->mask ? vips_region_new(source->mask) : NULL;
    CofStatus status = cof_context_new(&reader->work, 1);
    if (status == COF_OK)
        status = cof_stats_new_like(&reader->stats, reading->stats);
    if (status == COF_OK)
        return reader;
    stream_fail(reading->operation, status, NULL);
    free_reader(reader);
    return NULL;
}

static CofStatus read_part(const Reading *reading, Reader *reader, const CofImage *image,
                           const CofRoi *where, CofReport *report)
{
    CofOptions options = options_for_thread(reading->options, reader->work, report);
    if (!reading->count)
        return cof_stats_scan(reader->stats, image, where, &options);
    return reading->source->labels ? cof_stats_add_labels(reader->stats, image, where, &options)
                                   : cof_stats_add(reader->stats, image, where, &options);
}

static int read_strip(VipsRegion *strip, void *sequence, void *a, void *b, gboolean *stop)
{
    (void)b, (void)stop;
    const Reading *reading = a;
    Reader *reader = sequence;
    const LearningSource *source = reading->source;
    int margin = reading->count ? reading->options->window / 2 : 0;
    VipsRect rect = around(&strip->valid, margin, source->pixels.image);
    if (vips_region_prepare(reader->pixels, &rect) != 0 ||
        (reader->mask && vips_region_prepare(reader->mask, &rect) != 0))
        return -1;
    Pixels bytes = {.kind = COF_KIND_GREY, .sample = COF_SAMPLE_U8};
    CofImage image = pixels_view(&source->pixels, reader->pixels), mask;
    CofRoi where = {.region = source->region, .part = rect_of(&strip->valid)};
    if (reader->mask) {
        mask = pixels_view(&bytes, reader->mask);
        where.mask = &mask;
    }
    CofReport report;
    CofStatus status = read_part(reading, reader, &image, &where, &report);
    run_report_add(source->run, &report, 0);
    return status == COF_OK ? 0 : stream_fail(reading->operation, status, &report);
}

static int stop_reader(void *sequence, void *a, void *b)
{
    (void)b;
    Reading *reading = a;
    Reader *reader = sequence;
    g_mutex_lock(&reading->lock);
    CofStatus status = cof_stats_merge(reading->stats, reader->stats);
    g_mutex_unlock(&reading->lock);
    free_reader(reader);
    return status == COF_OK ? 0 : stream_fail(reading->operation, status, NULL);
}

/* Iterates over the strips of a black image, so that the real image is computed only once, with
 * margins. The progress signals are those of the real image. */
static int read_all(Reading *reading)
{
    VipsImage *image = reading->source->pixels.image, *strips = NULL;
    if (vips_black(&strips, image->Xsize, image->Ysize, NULL) != 0)
        return -1;
    strips->progress_signal = reading->source->progress_image->progress_signal;
    int rows = STRIP_PIXELS / image->Xsize;
    rows = rows < MIN_STRIP_ROWS ? MIN_STRIP_ROWS : rows;
    g_mutex_init(&reading->lock);
    int failed = vips_sink_tile(strips, image->Xsize, rows < image->Ysize ? rows : image->Ysize,
                                start_reader, read_strip, stop_reader, reading, NULL);
    g_mutex_clear(&reading->lock);
    g_object_unref(strips);
    return failed;
}

int stream_scan(const LearningSource *source, CofStats *stats, const CofOptions *options,
                const char *operation)
{
    Reading reading = {
        .source = source, .stats = stats, .options = options, .operation = operation};
    return read_all(&reading);
}

int stream_count(const LearningSource *source, CofStats *stats, const CofOptions *options,
                 const char *operation)
{
    Reading reading = {.source = source,
                       .stats = stats,
                       .options = options,
                       .operation = operation,
                       .count = true};
    return read_all(&reading);
}

/* Shared by all threads that filter; owned by the output image. */
typedef struct Filtering {
    CofModel *model;
    CofOptions options;
    Pixels in, guide; /* the output image holds the references */
    bool labels;      /* the guide holds labels */
    int margin;
    RunReport *run;
    const char *operation;
} Filtering;

/* The state of one thread that filters. */
typedef struct Tiler {
    VipsRegion *in, *guide;
    CofContext *work;
} Tiler;

static void free_filtering(void *data)
{
    Filtering *filtering = data;
    cof_model_free(&filtering->model);
    run_report_unref(filtering->run);
    g_free(filtering);
}

static int stop_tiler(void *sequence, void *a, void *b)
{
    (void)a, (void)b;
    Tiler *tiler = sequence;
    VIPS_UNREF(tiler->in);
    VIPS_UNREF(tiler->guide);
    cof_context_free(&tiler->work);
    g_free(tiler);
    return 0;
}

static void *start_tiler(VipsImage *out, void *a, void *b)
{
    (void)out, (void)b;
    const Filtering *filtering = a;
    Tiler *tiler = g_new0(Tiler, 1);
    tiler->in = vips_region_new(filtering->in.image);
    tiler->guide = filtering->guide.image ? vips_region_new(filtering->guide.image) : NULL;
    CofStatus status = cof_context_new(&tiler->work, 1);
    if (status == COF_OK)
        return tiler;
    stream_fail(filtering->operation, status, NULL);
    stop_tiler(tiler, a, b);
    return NULL;
}

static int filter_tile(VipsRegion *tile, void *sequence, void *a, void *b, gboolean *stop)
{
    (void)b, (void)stop;
    const Filtering *f = a;
    Tiler *tiler = sequence;
    VipsRect rect = around(&tile->valid, f->margin, f->in.image);
    if (vips_region_prepare(tiler->in, &rect) != 0 ||
        (tiler->guide && vips_region_prepare(tiler->guide, &rect) != 0))
        return -1;
    CofImage in = pixels_view(&f->in, tiler->in), out = pixels_view(&f->in, tile), guide;
    if (tiler->guide)
        guide = pixels_view(&f->guide, tiler->guide);
    CofReport report;
    CofOptions options = options_for_thread(&f->options, tiler->work, &report);
    CofRect part = rect_of(&tile->valid);
    CofStatus status =
        f->labels
            ? cof_filter_labels_part(f->model, &guide, &in, &out, part, &options)
            : cof_filter_part(f->model, tiler->guide ? &guide : NULL, &in, &out, part, &options);
    run_report_add(f->run, &report, (double)part.width * part.height);
    return status == COF_OK ? 0 : stream_fail(f->operation, status, &report);
}

/* Caches large tiles, so that each is computed once. The output is requested in strips as wide as
 * the image, so that threads work on different tiles. The cache holds all tiles that the strips in
 * flight touch. */
static int cache_tiles(VipsImage *in, int margin, VipsImage **out)
{
    int side = MIN_TILE_SIDE, strip_width, strip_height, lines;
    while (side < MIN_MARGINS_PER_TILE * margin)
        side *= 2;
    in->dhint = VIPS_DEMAND_STYLE_FATSTRIP;
    vips_get_tile_size(in, &strip_width, &strip_height, &lines);
    int across = in->Xsize / side + 2, down = (lines + side - 1) / side + 1;
    if (vips_tilecache(in, out, "tile_width", side, "tile_height", side, "max_tiles", across * down,
                       "access", VIPS_ACCESS_RANDOM, "threaded", TRUE, NULL) != 0)
        return -1;
    (*out)->dhint = VIPS_DEMAND_STYLE_FATSTRIP;
    return 0;
}

int stream_filter(CofModel **model, const Pixels *in, const Pixels *guide, bool labels,
                  const CofOptions *options, RunReport *run, const char *operation, VipsImage **out)
{
    int margin = cof_margin(*model, options);
    if (margin < 0)
        return stream_fail(operation, margin, NULL);
    Filtering *filtering = g_new0(Filtering, 1);
    *filtering = (Filtering){.model = *model,
                             .options = *options,
                             .in = *in,
                             .labels = labels,
                             .margin = margin,
                             .run = run_report_ref(run),
                             .operation = operation};
    *model = NULL;
    VipsImage *tiles = vips_image_new();
    g_object_set_data_full(G_OBJECT(tiles), "cof", filtering, free_filtering);
    vips_object_local(tiles, g_object_ref(in->image));
    if (guide) {
        filtering->guide = *guide;
        vips_object_local(tiles, g_object_ref(guide->image));
    }
    int failed =
        vips_image_pipelinev(tiles, VIPS_DEMAND_STYLE_SMALLTILE, in->image,
                             guide ? guide->image : NULL, NULL) ||
        vips_image_generate(tiles, start_tiler, filter_tile, stop_tiler, filtering, NULL) ||
        cache_tiles(tiles, margin, out);
    g_object_unref(tiles);
    return failed ? -1 : 0;
}
