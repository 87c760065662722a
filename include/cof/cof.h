/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cof.h: the Co-occurrence Filter.
 *
 *     image -> labels -> CofStats -> CofModel -> image
 *
 * A CofStats knows a palette and counts which of its values stand near which in images; it can be
 * added to, merged with others and saved. A CofModel is what the filter needs of it: the palette
 * and a matrix M that says how strongly two values mix. Models never change once made and may be
 * used by several threads at once; a CofStats or a CofWork may be used by one at a time. A CofWork
 * keeps threads and scratch memory between calls.
 *
 * In a hurry:
 *
 *     CofImage image = {.data = pixels, .width = w, .height = h, .channels = 3, .kind = COF_RGB};
 *     CofStatus status = cof_smooth(&image, &image, NULL);
 *
 * Everywhere below:
 *   - A function that can fail returns a CofStatus. On failure its outputs are untouched: the
 *     pixels of an output image, the object behind a pointer, a CofStats that was being added to.
 *   - The caller owns what a _new or _load returns and gives it back with the matching _free,
 *     which sets the pointer to NULL. The bytes of a _save go back with cof_free().
 *   - `options` may be NULL, which means the defaults of cof_options_init().
 *   - Results depend on the pixels and the options alone, never on the number of threads or on how
 *     an image is cut into parts.
 *   - The library keeps no global state, never prints and never exits.
 */
#ifndef COF_COF_H
#define COF_COF_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) && defined(COF_BUILD)
#define COF_API __declspec(dllexport)
#elif defined(__GNUC__)
#define COF_API __attribute__((visibility("default")))
#else
#define COF_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define COF_VERSION_MAJOR 0
#define COF_VERSION_MINOR 1
#define COF_VERSION_PATCH 0

/* The largest values that the options and images may take. */
#define COF_MAX_BANDS 64
#define COF_MAX_SIDE (1 << 30) /* width or height of a full image */
#define COF_MAX_COLOURS 256
#define COF_MAX_WINDOW 63         /* for learning */
#define COF_MAX_FILTER_WINDOW 255 /* for filtering */
#define COF_MAX_ITERATIONS 1000
#define COF_MAX_COARSE 64

/* What came of a call. The numbers are pinned for ever. */
typedef enum CofStatus {
    COF_OK = 0,
    COF_ERR_ARGUMENT = -1,    /* NULL where not allowed, or an image that makes no sense */
    COF_ERR_OPTION = -2,      /* an option outside its range; cof_options_check() tells which */
    COF_ERR_MEMORY = -3,      /* not enough memory */
    COF_ERR_FORMAT = -4,      /* bytes that are no .cof file, or a damaged one */
    COF_ERR_VERSION = -5,     /* a .cof file newer than this library */
    COF_ERR_MISMATCH = -6,    /* images, labels, statistics or models that do not belong together */
    COF_ERR_EMPTY = -7,       /* nothing to learn from: no valid pixel inside mask and region */
    COF_ERR_UNSUPPORTED = -8, /* not in this build, or not on this machine */
    COF_ERR_CANCELLED = -9,   /* the progress callback asked to stop */
    COF_ERR_BUSY = -10        /* the CofWork is in use by another call */
} CofStatus;

typedef enum CofSample {
    COF_U8,
    COF_U16, /* in the machine's byte order; need not be aligned */
    COF_F32  /* need not be aligned */
} CofSample;

/* How channels are read. Colour is sRGB-encoded. Alpha is never filtered: it weighs a pixel's vote,
 * so that the colours of transparent pixels do not bleed. */
typedef enum CofKind {
    COF_GREY,       /* 1 channel */
    COF_GREY_ALPHA, /* 2 */
    COF_RGB,        /* 3 */
    COF_RGBA,       /* 4 */
    COF_BANDS       /* 1..64 channels of any meaning, compared and averaged as they are */
} CofKind;

/* A view of pixels that the caller owns; fields left zero mean the usual case. U8 and U16 span
 * their range; F32 colour, grey and alpha are 0..1 (values beyond are kept), F32 bands anything.
 * A pixel with a NaN or an infinity in any channel counts as invalid (see `valid`). */
typedef struct CofImage {
    void *data;        /* channel 0 of the first pixel of the first row */
    int width, height; /* in pixels, 1..2^30 */
    int channels;      /* as the kind says */
    CofKind kind;
    CofSample sample;
    ptrdiff_t stride; /* bytes from row to row, may be negative; 0 = packed rows */
    ptrdiff_t step;   /* bytes from pixel to pixel, may be negative; 0 = packed pixels */
    ptrdiff_t plane;  /* bytes from channel to channel, may be negative; 0 = interleaved */
    int x, y;         /* place of this view's first pixel in the full image, for tiles */
    int full_width, full_height; /* size of the full image; 0 = this view is the whole of it */
    const uint8_t *valid;   /* one byte a pixel: 0 = no data (not counted, no vote, copied through);
                             * NULL = all pixels are valid */
    ptrdiff_t valid_stride; /* bytes from row to row of `valid`; 0 = width */
    uint64_t reserved[2];   /* leave zero */
} CofImage;

typedef struct CofRect {
    int x, y, width, height;
} CofRect;

/* Where to learn in an image; fields left zero mean everywhere, and so does a NULL CofWhere. Both
 * pixels of a pair must lie inside region and mask. */
typedef struct CofWhere {
    CofRect region;       /* in coordinates of the full image; all zero = the whole image */
    const CofImage *mask; /* grey U8, as large as the view; a pixel counts where it is not 0 */
    CofRect part;         /* to split the work on one image: only pairs whose first pixel lies here
                           * are counted, while the second may lie beyond; all zero = no split. In
                           * coordinates of the full image. Every pixel belongs to one part. */
    uint64_t reserved[2]; /* leave zero */
} CofWhere;

/* A preset is a set of choices on which the paper, its authors' code and their app differ. */
typedef enum CofPreset {
    COF_PRESET_PAPER,   /* both sigmas sqrt(2 sqrt(w) + 1), counts, softness 0.75, clip */
    COF_PRESET_AUTHORS, /* learning sqrt(w), filtering 2 sqrt(w) + 1, marginals, hard, mirror */
    COF_PRESET_APP      /* both 2 sqrt(w) + 1, marginals, hard, reflect101 */
} CofPreset;

/* A look is a set of options for a purpose; their windows follow from the size of the picture. */
typedef enum CofLook {
    COF_LOOK_SUBTLE,  /* takes away grain and the finest texture, and leaves the rest */
    COF_LOOK_TEXTURE, /* takes away texture and keeps boundaries: best at that, as measured */
    COF_LOOK_CARTOON  /* paints in a few colours, in patches with clear edges */
} CofLook;

/* What the filter sees beyond the image. */
typedef enum CofBorder {
    COF_BORDER_CLIP,      /* nothing: only pixels that exist take part */
    COF_BORDER_MIRROR,    /* the image mirrored, the edge pixel repeated: cba|abc */
    COF_BORDER_REFLECT101 /* the image mirrored, the edge pixel not repeated: cb|abc */
} CofBorder;

/* What the co-occurrences are divided by. */
typedef enum CofNormalise {
    COF_NORMALISE_COUNTS,   /* how often each value occurs (the paper) */
    COF_NORMALISE_MARGINALS /* the row sums of the co-occurrences (the authors' code) */
} CofNormalise;

/* Where RGB is averaged. Palettes of RGB images are always Lab. */
typedef enum CofSpace { COF_SPACE_LAB, COF_SPACE_AS_IS } CofSpace;

/* What several iterations learn from. */
typedef enum CofRepeat {
    COF_REPEAT_FROZEN,  /* labels and M of the first image stay (I-CoF) */
    COF_REPEAT_RELABEL, /* M stays, each pass labels the current image; no guide, no labels */
    COF_REPEAT_ROLLING  /* each pass labels and learns anew (R-CoF); cof_smooth() only */
} CofRepeat;

/* How many pairs are counted. */
typedef enum CofSampling {
    COF_SAMPLING_AUTO, /* at most those of 2^14 windows, or 2^16 for more than 32 labels (fewer for
                        * windows above 15, which have more pairs each), chosen by hashes of their
                        * places; counts stay unbiased */
    COF_SAMPLING_ALL   /* every pair */
} CofSampling;

/* How the filter is computed. */
typedef enum CofMethod {
    COF_METHOD_EXACT, /* every tap of the window */
    COF_METHOD_FAST, /* a few blurs on a coarser grid, within `accuracy` of exact; the cost does not
                      * grow with the window. Exact where that is cheaper: for windows below about
                      * 11, more than 32 labels, or an M that is no short sum of products while the
                      * window is small. */
    COF_METHOD_AUTO  /* fast where it takes less than half of the time, else exact */
} CofMethod;

/* What speaks for a pixel being foreground, or background, given its neighbours. */
typedef enum CofEvidence {
    COF_EVIDENCE_PAIRS, /* how often the two values are met in either: M x pi x pi. A value that is
                         * common in the foreground and rare in the background is foreground. */
    COF_EVIDENCE_CHANCE /* M itself, as the paper prints it: how much more often than by chance. A
                         * rare value that keeps to one place has the largest M of all. */
} CofEvidence;

typedef enum CofStage {
    COF_STAGE_COLOUR, /* samples to working values */
    COF_STAGE_PALETTE,
    COF_STAGE_LABELS,
    COF_STAGE_COUNT,
    COF_STAGE_MODEL,
    COF_STAGE_FILTER,
    COF_STAGE_BACK, /* working values to samples */
    COF_STAGE_TOTAL /* how many stages there are */
} CofStage;

typedef struct CofStats CofStats;
typedef struct CofModel CofModel;
typedef struct CofWork CofWork;

/* What a call did, filled if options.report points here. Set struct_size to sizeof(CofReport). */
typedef struct CofReport {
    uint32_t struct_size;
    int passes;          /* iterations run */
    double change[64];   /* of each of the first 64 passes: mean squared change of the valid working
                          * values in 8-bit units (Lab: 2.55 L, a, b; U16 / 257; F32 grey and RGB
                          * x 255; F32 bands as they are) */
    double seconds[16];  /* spent in each CofStage */
    const char *problem; /* why the call failed, in a few English words; NULL if it did not. The
                          * text is part of the library and is never freed. */
    int ranks;           /* terms that the fast method summed in the last pass; 0 = it was exact */
    int step;            /* pixels of a cell of its grid, along each axis; 0 = it was exact */
} CofReport;

/* Fill with cof_options_init(), then change what you like. */
typedef struct CofOptions {
    uint32_t struct_size; /* set by cof_options_init() */
    CofPreset preset;     /* which rule gives the sigmas that are 0; set it, with all else that
                           * belongs to a preset, by cof_options_preset() */

    /* Learning: fixed when a CofStats is made. */
    int colours;          /* clusters for RGB and bands, 1..256; default 32 */
    int levels;           /* bins for grey, 2..256; default 256, which is exact for U8 */
    double low, high;     /* range of the bins in units of the samples; both 0 = the smallest and
                           * largest value of the images; default 0 */
    int window;           /* odd side of the learning window in pixels, 1..63; default 15 */
    CofSampling sampling; /* default COF_SAMPLING_AUTO */
    uint64_t seed;        /* of the k-means++ seeding; default 0 */

    /* Model. */
    double sigma;           /* std of the learning Gaussian in pixels, 0.001..1e6; 0 = from the
                             * window by the preset's rule; default 0 */
    double softness;        /* how far a value counts for its neighbours in the palette, in mean
                             * distances of a centre to its nearest, 0..16; 0 = hard; default 0.75.
                             * Exact U8 grey is never softened. */
    CofNormalise normalise; /* default COF_NORMALISE_COUNTS */

    /* Filter. */
    int filter_window;   /* odd side in pixels, 1..255; 0 = the model's; default 0 */
    double filter_sigma; /* std in pixels, 0.001..1e6; 0 = the preset's rule, which for the paper is
                          * the model's sigma unless filter_window is given; default 0 */
    CofBorder border;    /* default COF_BORDER_CLIP */
    CofSpace space;      /* default COF_SPACE_LAB */
    int iterations;      /* 1..1000; default 1 */
    CofRepeat repeat;    /* default COF_REPEAT_FROZEN */
    double until;        /* stop after a pass that changes less than this (see CofReport), 0..1e12;
                          * 0 = never; default 0. Not for parts of an image. */

    /* Running. */
    int threads;       /* 0..1024; 0 = one per core, 1 = the calling thread alone; default 0 */
    CofWork *work;     /* threads and memory kept between calls; NULL = made for this call */
    CofReport *report; /* may be NULL */
    int (*progress)(void *user, double done); /* may be NULL. Called by the calling thread with
                                               * 0..1, some hundred times in a pass; a result other
                                               * than 0 cancels the call. */
    void *user;                               /* handed to progress */

    /* Filter, since 0.2. */
    CofMethod method; /* default COF_METHOD_EXACT */
    double accuracy;  /* of the fast method: PSNR to the exact result that it aims at, in dB,
                       * 30..70; default 45 */

    /* Foreground and background, since 0.2. */
    CofEvidence evidence; /* default COF_EVIDENCE_PAIRS */

    /* Large pictures, since 0.2. */
    int coarse; /* learn from the image reduced by this factor, and make all passes but the last on
                 * that; 1..64; default 1. Windows and sigmas are in its pixels. The last pass has
                 * windows so many times as large, up to 255, and the labels of the whole image, so
                 * that boundaries are as fine as its pixels; with COF_REPEAT_RELABEL the labels
                 * of what the others have made. For whole images; not for rolling. */
} CofOptions;

/* Learns from `in`, filters `in` and writes `out`, which has the size, kind and sample type of `in`
 * and may be the same pixels. The view must be a whole image. */
COF_API CofStatus cof_smooth(const CofImage *in, const CofImage *out, const CofOptions *options);

/* The same, learning only where `where` says (its part is ignored). The palette still comes from
 * the whole image; values that were not seen while learning stay as they are. */
COF_API CofStatus cof_smooth_where(const CofImage *in, const CofImage *out, const CofWhere *where,
                                   const CofOptions *options);

/* Fills in the defaults; struct_size is the caller's sizeof(CofOptions), so that a program built
 * against an older header goes on working. Call it as cof_options_init(). */
COF_API void cof_options_init_sized(CofOptions *options, uint32_t struct_size);

/* Sets preset, sigma, filter_sigma, softness, normalise and border as the preset has them. The
 * sigmas become 0, so that they follow the window, whenever that is set. */
COF_API void cof_options_preset(CofOptions *options, CofPreset preset);

/* Sets all options of learning and filtering but seed, sampling, range and space, as a look has
 * them for a picture of that size: a large one shows what a small one does, and takes little
 * longer. */
COF_API void cof_options_look(CofOptions *options, CofLook look, int width, int height);

/* COF_OK, or COF_ERR_OPTION with *problem (if not NULL) set to a sentence about the first option
 * that is out of range. The text is never freed. */
COF_API CofStatus cof_options_check(const CofOptions *options, const char **problem);

/* Threads and scratch memory that outlive a call; threads as in CofOptions. One call at a time may
 * use a CofWork; a second one at the same time fails with COF_ERR_BUSY. */
COF_API CofStatus cof_work_new(CofWork **out, int threads);
COF_API void cof_work_free(CofWork **work);

/* new, scan..., settle, add... In short: `scan` looks at values, `settle` fixes the palette and
 * the sampling rate, `add` counts pairs. Each of scan and add may see one image or several, whole
 * or in parts, here or on another machine (save, load, merge): the result is the same, byte for
 * byte. After cof_stats_new() only the running options (threads, work, report, progress) of the
 * calls below matter. */
COF_API CofStatus cof_stats_new(CofStats **out, const CofOptions *options);

/* An empty one with the options and, if `other` is settled, the palette and rate of `other`: to
 * count on several threads or machines and merge. */
COF_API CofStatus cof_stats_new_like(CofStats **out, const CofStats *other);

/* Takes note of the values of an image. All images must be alike in kind (alpha aside), bands and,
 * unless RGB, sample type. Sees all pixels for the palette, and counts those of `where`. */
COF_API CofStatus cof_stats_scan(CofStats *stats, const CofImage *image, const CofWhere *where,
                                 const CofOptions *options);

/* Ends the scanning: palette, range and sampling rate are fixed now. COF_ERR_EMPTY if no valid
 * pixel was scanned. */
COF_API CofStatus cof_stats_settle(CofStats *stats, const CofOptions *options);

/* Instead of scan and settle: a palette from outside, k rows of `bands` values. Kind COF_RGB: Lab
 * (L 0..100), bands = 3. COF_GREY: bands = 1, COF_BANDS: bands = the channels; both in units of the
 * samples. Scans made before only set the sampling rate; without any, every pixel is counted. */
COF_API CofStatus cof_stats_settle_palette(CofStats *stats, const float *centres, int k, int bands,
                                           CofKind kind);

/* Instead of scan and settle: no palette, k labels that the caller assigns. Images cannot be added
 * then, only labels. */
COF_API CofStatus cof_stats_settle_labels(CofStats *stats, int k);

/* Counts the pairs of an image. The view must reach (window - 1) / 2 pixels beyond where->part,
 * where the full image does. */
COF_API CofStatus cof_stats_add(CofStats *stats, const CofImage *image, const CofWhere *where,
                                const CofOptions *options);

/* The same for an image of labels: grey U8, each below the size of the palette. */
COF_API CofStatus cof_stats_add_labels(CofStats *stats, const CofImage *labels,
                                       const CofWhere *where, const CofOptions *options);

/* Adds `from` to `into`. Both must have been made with the same learning options and be both
 * unsettled, or both settled with the same palette. */
COF_API CofStatus cof_stats_merge(CofStats *into, const CofStats *from);

/* Lets what was counted fade: all counts times part / whole, rounded down. For statistics that
 * follow a film, frame after frame. */
COF_API CofStatus cof_stats_fade(CofStats *stats, uint32_t part, uint32_t whole);

COF_API CofStatus cof_stats_save(const CofStats *stats, void **bytes, size_t *size);
COF_API CofStatus cof_stats_load(CofStats **out, const void *bytes, size_t size);
COF_API void cof_stats_free(CofStats **stats);

/* What is inside. Pointers live as long as the stats; before it is settled they are NULL and sizes
 * are 0. */
COF_API int cof_stats_size(const CofStats *stats);                         /* k */
COF_API const float *cof_stats_palette(const CofStats *stats, int *bands); /* k rows of bands */
/* Sets the learning options to those that it was made with, in options that are initialised. */
COF_API void cof_stats_options(const CofStats *stats, CofOptions *options);
COF_API CofKind cof_stats_kind(const CofStats *stats); /* of its images: COF_RGB, GREY, BANDS */
COF_API const uint64_t *cof_stats_histogram(const CofStats *stats); /* pixels of each label */
/* Ordered pairs counted so far at this squared distance whose labels are {a, b}, in either order;
 * each sampled pair counts 2^rate. 0 for a distance beyond the window. */
COF_API uint64_t cof_stats_count(const CofStats *stats, int squared_distance, int a, int b);
COF_API int cof_stats_rate(const CofStats *stats); /* one pair in 2^rate is counted */

/* M from the counts, by sigma, softness, normalise. COF_ERR_EMPTY if nothing was counted. */
COF_API CofStatus cof_model_new(CofModel **out, const CofStats *stats, const CofOptions *options);

/* M from n images with every pixel softly assigned by its own distance to the centres: the paper's
 * definition without its approximation, at a price (pixels x k^2). `palette` is settled and need
 * not have counts; `where` has n entries or is NULL, its parts are ignored. */
COF_API CofStatus cof_model_new_soft(CofModel **out, const CofStats *palette,
                                     const CofImage *images, const CofWhere *where, int n,
                                     const CofOptions *options);

/* A matrix from outside: k x k, finite, not negative, symmetric. All ones make the Gaussian filter,
 * a band a bilateral one. `palette` is settled and need not have counts. */
COF_API CofStatus cof_model_new_matrix(CofModel **out, const CofStats *palette,
                                       const double *matrix, const CofOptions *options);

/* Writes the label of each pixel to `labels`, grey U8, of the same size; 0 for invalid pixels. */
COF_API CofStatus cof_model_label(const CofModel *model, const CofImage *image,
                                  const CofImage *labels, const CofOptions *options);

COF_API CofStatus cof_model_save(const CofModel *model, void **bytes, size_t *size);
COF_API CofStatus cof_model_load(CofModel **out, const void *bytes, size_t size);
COF_API void cof_model_free(CofModel **model);

/* What is inside. Pointers live as long as the model. */
COF_API int cof_model_size(const CofModel *model);                         /* k */
COF_API const float *cof_model_palette(const CofModel *model, int *bands); /* NULL: labels only */
COF_API CofKind cof_model_kind(const CofModel *model);                     /* as cof_stats_kind() */
COF_API const double *cof_model_matrix(const CofModel *model);             /* k x k */
COF_API const double *cof_model_frequencies(const CofModel *model);        /* k values, sum 1 */
/* Sets window, sigma, softness and normalise to those that it was made with. */
COF_API void cof_model_options(const CofModel *model, CofOptions *options);
COF_API int cof_model_window(const CofModel *model);
COF_API double cof_model_sigma(const CofModel *model);

/* Filters `in` into `out`. The labels come from `guide` (NULL: `in`), an image like those the model
 * was learned from, as large as `in`. `out` has the size, kind and sample type of `in` and may be
 * the same pixels, but not overlap them otherwise. The views must be whole images. */
COF_API CofStatus cof_filter(const CofModel *model, const CofImage *guide, const CofImage *in,
                             const CofImage *out, const CofOptions *options);

/* The same with labels from the caller: grey U8, each below the size of the model. */
COF_API CofStatus cof_filter_labels(const CofModel *model, const CofImage *labels,
                                    const CofImage *in, const CofImage *out,
                                    const CofOptions *options);

/* The same for a part of a larger image, in its coordinates. `in` (with guide or labels) must reach
 * cof_margin() pixels beyond the part, where the full image does; only the part is written, and
 * `out` need only hold that. Tile by tile gives the bytes of the whole, if `out` does not write
 * over pixels of `in` that other tiles still need. */
COF_API CofStatus cof_filter_part(const CofModel *model, const CofImage *guide, const CofImage *in,
                                  const CofImage *out, CofRect part, const CofOptions *options);
COF_API CofStatus cof_filter_labels_part(const CofModel *model, const CofImage *labels,
                                         const CofImage *in, const CofImage *out, CofRect part,
                                         const CofOptions *options);

/* How many pixels around a part the filter looks at, or a negative CofStatus. */
COF_API int cof_margin(const CofModel *model, const CofOptions *options);

/* Choosing what is smoothed.
 *
 *     scribbles -> soft mask -> mask -> two models -> matte, and what is made with it
 *
 * A scribble is a few pixels that a person marks; a mask says of every pixel if it belongs. Both
 * are grey U8 images, as large as the picture: not 0 means yes. In all that follows, filter_sigma 0
 * means a window without a Gaussian; `method` is not heeded, the filter is exact. */

/* Spreads scribbles over what occurs together with them: `soft`, grey F32, becomes CoF of the
 * scribbled pixels, guided by the image; with scribbles of the background too, the foreground's
 * share of both, or 0 where neither comes. Useful: a window of 31 and 20 iterations. `background`
 * may be NULL. */
COF_API CofStatus cof_select(const CofModel *model, const CofImage *image,
                             const CofImage *foreground, const CofImage *background,
                             const CofImage *soft, const CofOptions *options);

/* The same for a part, as cof_filter_part(). */
COF_API CofStatus cof_select_part(const CofModel *model, const CofImage *image,
                                  const CofImage *foreground, const CofImage *background,
                                  const CofImage *soft, CofRect part, const CofOptions *options);

/* Makes a mask of it: 255 where `soft` reaches the threshold, and at the scribbles, else 0. If
 * *threshold is 0, it becomes the one across whose border values mix least; with a background, one
 * of 0.5 to 0.9. All are whole images, or, if a threshold is given, views of one
 * place. */
COF_API CofStatus cof_select_mask(const CofModel *model, const CofImage *image,
                                  const CofImage *foreground, const CofImage *background,
                                  const CofImage *soft, double *threshold, const CofImage *mask,
                                  const CofOptions *options);

/* A mask that has grown by `radius` pixels in all directions; less than 0: shrunk. Whole images,
 * that may be the same pixels. */
COF_API CofStatus cof_mask_grow(const CofImage *mask, const CofImage *grown, double radius,
                                const CofOptions *options);

/* Two models with one palette: of the pairs inside the mask, and of those outside; `gap` pixels
 * around the mask belong to neither. Of tiles and several images: make a CofStats, settle it, and
 * cof_stats_new_like() it for both. */
COF_API CofStatus cof_model_new_pair(CofModel **foreground, CofModel **background,
                                     const CofImage *image, const CofImage *mask, double gap,
                                     const CofOptions *options);

/* How much of each pixel is foreground: alpha / (alpha + beta), the sums over the window of what
 * speaks for either; 1 where nothing does. `prior`, grey and at the place of the image, is what was
 * thought before, between 0 and 1 (of its samples): it weighs alpha, and the rest of 1 beta. NULL:
 * a half everywhere. `matte` is grey; both may be of any sample type. The models have one palette;
 * window and sigma come from that of the background. */
COF_API CofStatus cof_matte(const CofModel *foreground, const CofModel *background,
                            const CofImage *prior, const CofImage *image, const CofImage *matte,
                            const CofOptions *options);
COF_API CofStatus cof_matte_part(const CofModel *foreground, const CofModel *background,
                                 const CofImage *prior, const CofImage *image,
                                 const CofImage *matte, CofRect part, const CofOptions *options);

/* Keeps the foreground and smooths the background: as cof_filter() with the background's model, but
 * each pass leaves as much of a pixel as the matte says. */
COF_API CofStatus cof_focus(const CofModel *foreground, const CofModel *background,
                            const CofImage *prior, const CofImage *guide, const CofImage *in,
                            const CofImage *out, const CofOptions *options);
COF_API CofStatus cof_focus_part(const CofModel *foreground, const CofModel *background,
                                 const CofImage *prior, const CofImage *guide, const CofImage *in,
                                 const CofImage *out, CofRect part, const CofOptions *options);

/* matte x in + (1 - matte) x other, in Lab or as options->space says. All views have one size and
 * place, and are alike but for the matte, which is grey; alpha is that of `in`. `out` may be the
 * pixels of `in` or `other`. */
COF_API CofStatus cof_blend(const CofImage *matte, const CofImage *in, const CofImage *other,
                            const CofImage *out, const CofOptions *options);

/* Gives an RGB image the hue and chroma of a colour (sRGB, 0..1) and leaves its lightness; grey
 * makes it grey. With a chroma other than 0, that of the colour goes to pixels that have so much,
 * and in proportion to others, so that texture and highlights stay: see cof_mean_chroma(). */
COF_API CofStatus cof_tint(const CofImage *in, const CofImage *out, const double colour[3],
                           double chroma, const CofOptions *options);

/* The mean chroma (in Lab) of an RGB image inside a mask (NULL: of all). */
COF_API CofStatus cof_mean_chroma(const CofImage *image, const CofImage *mask, double *chroma,
                                  const CofOptions *options);

COF_API void cof_free(void *bytes); /* what a _save returned */

/* Of the library at run time: major << 16 | minor << 8 | patch. */
COF_API uint32_t cof_version(void);

/* A few English words for a status; never NULL, never freed. */
COF_API const char *cof_status_string(CofStatus status);

static inline void cof_options_init(CofOptions *options)
{
    cof_options_init_sized(options, (uint32_t)sizeof *options);
}

#ifdef __cplusplus
}
#endif

#endif
