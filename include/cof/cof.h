/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cof.h: the Co-occurrence Filter (CoF).
 *
 *              learn                              apply
 *     image -> labels -> CofStats -> CofModel -> filter -> image
 *
 * A CofStats holds a palette and counts how often its values occur near each other; statistics can
 * be extended, merged and saved. A CofModel holds the palette and a matrix M that says how strongly
 * two values are averaged by the filter. A CofContext keeps threads and memory between calls, and
 * can hold a device, such as a GPU.
 *
 * The short way:
 *
 *     CofImage image = {
 *         .data = pixels, .width = w, .height = h, .channels = 3, .kind = COF_KIND_RGB};
 *     CofStatus status = cof_smooth(&image, &image, NULL);
 *
 * Conventions:
 *   - A function that can fail returns a CofStatus. If it fails, its outputs are unchanged: the
 *     pixels of an output image, the object behind an output pointer, a CofStats being extended.
 *     The reason is written to a CofProblem: options->problem, or the argument `problem`.
 *   - The caller owns what a _new, _learn or _load function returns and frees it with the matching
 *     _free function, which sets the pointer to NULL. Bytes from a _save function are freed with
 *     cof_free().
 *   - `options` may be NULL, which means the defaults of cof_options_init().
 *   - An output image is passed as `const CofImage *` too: the view is not changed, its pixels are.
 *   - Results depend on the pixels and the options, never on the number of threads or on how an
 *     image is split into tiles.
 *   - A CofModel never changes. Any number of threads may use it at the same time, and may read a
 *     CofStats at the same time (every function that takes a `const CofStats *`). A function that
 *     changes a CofStats, and a CofContext, may be used by one thread at a time.
 *   - "Whole images" means that views are not tiles: x, y, full_width and full_height are 0.
 *   - The library has no global state, never prints and never exits. It needs POSIX threads; on
 *     Windows, it contains them.
 *   - A call needs less than 64 kB of stack, its progress callback what it needs itself, and the
 *     driver of a device what it needs.
 *
 * Growth of the interface: CofOptions and CofReport begin with struct_size and may grow at their
 * end. CofImage and CofRoi have reserved fields that must be zero. All other structs are final.
 * Values of enumerations are never renumbered; some are stored in files. docs/api-stability.md says
 * what else version 1 keeps.
 */
#ifndef COF_COF_H
#define COF_COF_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) && defined(COF_BUILD)
#define COF_API __declspec(dllexport)
#define COF_NODISCARD __declspec(dllexport)
#elif defined(__GNUC__)
#define COF_API __attribute__((visibility("default")))
#define COF_NODISCARD __attribute__((visibility("default"), warn_unused_result))
#else
#define COF_API
#define COF_NODISCARD
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define COF_VERSION_MAJOR 1
#define COF_VERSION_MINOR 0
#define COF_VERSION_PATCH 0

/* Limits of images and options. */
#define COF_MAX_BANDS 64
#define COF_MAX_SIDE (1 << 30) /* width or height of a full image */
#define COF_MAX_COLOURS 256
#define COF_MAX_WINDOW 63         /* for learning */
#define COF_MAX_FILTER_WINDOW 255 /* for filtering */
#define COF_MAX_ITERATIONS 1000
#define COF_MAX_DOWNSCALE 64
#define COF_MAX_REFINE 16 /* radius of refinement */
#define COF_MAX_FIDELITY 3
#define COF_MAX_PALETTES 8
#define COF_MAX_THREADS 1024

/* COF_ERR_ARGUMENT means that one argument is to blame: a NULL pointer, an image without pixels, a
 * tile where a whole image is needed, a mask that is not grey U8, a grey image to be tinted,
 * statistics that have no palette yet, or counts that would exceed 64 bits. COF_ERR_MISMATCH means
 * that each could be right with others: images that differ in size, place or kind, an image, labels
 * or statistics of another kind than the model, a view that is too small for the output, a region
 * outside the image, or a .cof file of another kind than the function loads. */
typedef enum CofStatus {
    COF_OK = 0,
    COF_ERR_ARGUMENT = -1,    /* an argument that is wrong whatever the others are (see above) */
    COF_ERR_OPTION = -2,      /* an option out of range, or options that exclude each other */
    COF_ERR_MEMORY = -3,      /* not enough memory */
    COF_ERR_FORMAT = -4,      /* not a .cof file, or a damaged one */
    COF_ERR_VERSION = -5,     /* a .cof file written by a newer version */
    COF_ERR_MISMATCH = -6,    /* arguments that do not fit together (see above) */
    COF_ERR_EMPTY = -7,       /* nothing to learn from: no valid pixel inside region and mask */
    COF_ERR_UNSUPPORTED = -8, /* not available in this build or on this machine */
    COF_ERR_CANCELLED = -9,   /* the progress callback asked to stop */
    COF_ERR_BUSY = -10        /* the CofContext is in use by another call */
} CofStatus;

/* Why a call failed. Texts belong to the library and are never freed. */
typedef struct CofProblem {
    CofStatus status;
    const char *option;   /* name of the option at fault, as in cof_option_info(), or NULL */
    const char *argument; /* name of the argument at fault, such as "guide", or NULL */
    const char *text;     /* an English sentence without a full stop, such as "window must be an
                           * odd number from 1 to 63" */
    int index;            /* which image of an array is at fault; 0 otherwise */
    uint64_t reserved[2]; /* zero */
} CofProblem;

typedef enum CofSample {
    COF_SAMPLE_U8 = 0,
    COF_SAMPLE_U16 = 1, /* native byte order, any alignment */
    COF_SAMPLE_F32 = 2  /* any alignment */
} CofSample;

/* What the channels mean. Colour is sRGB-encoded. Alpha is not filtered: it weights each pixel, so
 * that the colours of transparent pixels do not bleed. */
typedef enum CofKind {
    COF_KIND_GREY = 0,       /* 1 channel */
    COF_KIND_GREY_ALPHA = 1, /* 2 channels */
    COF_KIND_RGB = 2,        /* 3 channels */
    COF_KIND_RGBA = 3,       /* 4 channels */
    COF_KIND_BANDS = 4       /* 1..64 channels of any meaning, compared and averaged as stored */
} CofKind;

/* Where the pixels of an image are. */
typedef enum CofMemory {
    COF_MEMORY_HOST = 0,
    COF_MEMORY_OPENCL = 1 /* in a buffer (cl_mem) of the context that cof_context_new_opencl() was
                           * given; for cof_smooth(), cof_smooth_roi() and cof_filter() */
} CofMemory;

/* A view of pixels that the caller owns. Fields left zero have their usual meaning. U8 and U16
 * samples span their whole range; F32 grey, colour and alpha have the range 0..1 (values outside
 * are kept), F32 bands have no range. A pixel with a NaN or infinity in any channel is invalid. */
typedef struct CofImage {
    void *data;        /* channel 0 of the first pixel of the first row; or a cl_mem, which begins
                        * with it */
    int width, height; /* in pixels, 1..2^30 */
    int channels;      /* must match the kind */
    CofKind kind;
    CofSample sample;
    ptrdiff_t row_stride;     /* bytes from row to row, may be negative; 0 = packed rows */
    ptrdiff_t pixel_stride;   /* bytes from pixel to pixel, may be negative; 0 = packed pixels */
    ptrdiff_t channel_stride; /* bytes from channel to channel, may be negative; 0 = interleaved */
    int x, y;                 /* position of this view in the full image, for tiles */
    int full_width, full_height; /* size of the full image; 0 = this view is the full image */
    const uint8_t *valid;        /* one byte per pixel: 0 = no data (not counted, not averaged, left
                                  * unchanged); NULL = all pixels are valid */
    ptrdiff_t valid_stride;      /* bytes from row to row of `valid`; 0 = width */
    CofMemory memory;            /* of `data`; `valid` is always in the memory of the host */
    uint64_t reserved[1];        /* must be zero */
} CofImage;

typedef struct CofRect {
    int x, y, width, height;
} CofRect;

/* Region of interest for learning. Fields left zero, and a NULL CofRoi, mean the whole image. Both
 * pixels of a pair must lie inside region and mask. Coordinates are those of the full image. */
typedef struct CofRoi {
    CofRect region;       /* all zero = the whole image */
    const CofImage *mask; /* grey U8, as large as the view; nonzero pixels count */
    CofRect part;         /* splits the work on one image: only pairs whose reference pixel lies in
                           * this rectangle are counted; the neighbour may lie outside. All zero =
                           * no split. */
    int downscaled;       /* 1, for statistics only: image and mask have been downscaled already, by
                           * the factor of the statistics; coordinates are of the small image */
    uint64_t reserved[1]; /* must be zero */
} CofRoi;

/* Which description of the filter is reproduced, where the paper, its authors' code and their app
 * differ. w is the window. */
typedef enum CofVariant {
    /* The paper: both sigmas sqrt(2 sqrt(w) + 1), normalise counts, softness 0.75, border clip. */
    COF_VARIANT_PAPER = 0,
    /* The authors' code: learning sigma sqrt(w), filter sigma 2 sqrt(w) + 1, normalise marginals,
     * softness 0, border mirror. */
    COF_VARIANT_AUTHORS = 1,
    /* Their app: both sigmas 2 sqrt(w) + 1, normalise marginals, softness 0, border reflect101. */
    COF_VARIANT_APP = 2
} CofVariant;

/* A set of options for a purpose, scaled to the size of the image. */
typedef enum CofPreset {
    COF_PRESET_SUBTLE = 0,  /* removes grain and the finest texture */
    COF_PRESET_TEXTURE = 1, /* removes texture and keeps boundaries */
    COF_PRESET_CARTOON = 2, /* paints flat patches of a few colours with clear edges */
    COF_PRESET_FLAT = 3,    /* leaves flat shapes, for vectorising and segmentation */
    COF_PRESET_VIDEO = 4,   /* removes noise and fine texture, with little flicker between frames */
    /* Since 1.1. */
    COF_PRESET_PORTRAIT = 5, /* calms skin and keeps eyes, lips and hair */
    COF_PRESET_DRAWING = 6   /* removes paper and cloth from drawings and scans, keeps lines */
} CofPreset;

/* How the filter extends the image beyond its border. */
typedef enum CofBorder {
    COF_BORDER_CLIP = 0,      /* not at all: only pixels inside the image are averaged */
    COF_BORDER_MIRROR = 1,    /* mirrored, the edge pixel repeated: cba|abc */
    COF_BORDER_REFLECT101 = 2 /* mirrored, the edge pixel not repeated: cb|abc */
} CofBorder;

/* What co-occurrences are divided by. */
typedef enum CofNormalise {
    COF_NORMALISE_COUNTS = 0,   /* the frequency of each value (the paper) */
    COF_NORMALISE_MARGINALS = 1 /* the row sums of the co-occurrences (the authors' code) */
} CofNormalise;

/* The space in which RGB is averaged. Palettes of RGB images are always Lab. */
typedef enum CofSpace {
    COF_SPACE_LAB = 0,
    COF_SPACE_NATIVE = 1 /* the channels as stored */
} CofSpace;

/* What is updated between iterations. */
typedef enum CofUpdate {
    COF_UPDATE_NONE = 0,   /* labels and M of the input are kept (I-CoF) */
    COF_UPDATE_LABELS = 1, /* each pass labels the current image; not with a guide or labels */
    COF_UPDATE_MODEL = 2   /* each pass labels the current image and learns M from it (R-CoF);
                            * cof_smooth() only */
} CofUpdate;

/* How many pairs are counted. */
typedef enum CofSampling {
    COF_SAMPLING_AUTO = 0, /* at most the pairs of 2^14 windows (2^15 for more than 32 labels, 2^16
                            * for more than 128; fewer for windows above 15), chosen by a hash of
                            * their position. Counts are unbiased. */
    COF_SAMPLING_ALL = 1   /* every pair */
} CofSampling;

/* How the filter is computed. */
typedef enum CofMethod {
    COF_METHOD_EXACT = 0, /* every tap of the window */
    COF_METHOD_FAST = 1,  /* a low-rank approximation of M, blurred on a coarser grid, within
                           * `accuracy` of the exact result; the time does not depend on the
                           * window. Computed exactly where that is cheaper: for windows below
                           * about 11, and for more than 128 labels. */
    COF_METHOD_AUTO = 2   /* fast where it takes less than half the time, otherwise exact */
} CofMethod;

/* How scribbles become a mask. */
typedef enum CofSelectMethod {
    COF_SELECT_WATERSHED = 0, /* The image is smoothed by the presets texture and flat, which leaves
                               * the borders between textures. The mask ends on the strongest edges
                               * that separate the two sides, above all those between colours like
                               * the foreground's and colours like the background's; a few strokes
                               * are enough. Colours that hardly occur with those of the foreground
                               * are background where they reach the border of the image. */
    COF_SELECT_SPREAD = 1     /* as in the paper: the scribbles are filtered with the image as
                               * guide, and a threshold is applied. Needs many strokes, since a
                               * scribble does not spread far. */
} CofSelectMethod;

/* What a stroke marks. */
typedef enum CofStroke {
    COF_STROKE_ERASE = 0, /* nothing: removes marks */
    COF_STROKE_FOREGROUND = 1,
    COF_STROKE_BACKGROUND = 2
} CofStroke;

/* What makes a pixel foreground or background, given its neighbours. */
typedef enum CofLikelihood {
    COF_LIKELIHOOD_JOINT = 0, /* the joint probability of the two values, M x pi x pi, where pi is
                               * the frequency of each. A value that
                               * is common in the foreground and rare in the background is
                               * foreground. */
    COF_LIKELIHOOD_LIFT = 1   /* M itself, the lift, as the paper prints it. Values that are rare
                               * but clustered have the largest lift. */
} CofLikelihood;

typedef enum CofStage {
    COF_STAGE_COLOUR = 0, /* samples to working values */
    COF_STAGE_PALETTE = 1,
    COF_STAGE_LABELS = 2,
    COF_STAGE_COUNT = 3,
    COF_STAGE_MODEL = 4,
    COF_STAGE_FILTER = 5,
    COF_STAGE_STORE = 6 /* working values to samples */
} CofStage;

typedef struct CofStats CofStats;
typedef struct CofModel CofModel;
typedef struct CofContext CofContext;

#define COF_REPORT_PASSES 64
#define COF_REPORT_STAGES 16

/* What a call did, written if options->report points here. Set struct_size to sizeof(CofReport).
 * Measuring the change of each pass takes time; a report is not needed to learn why a call
 * failed. */
typedef struct CofReport {
    uint32_t struct_size;
    int passes;                        /* iterations run; of several palettes, the most */
    double change[COF_REPORT_PASSES];  /* of the first passes: mean squared change of the valid
                                        * working values in 8-bit units (Lab: 2.55 L, a, b;
                                        * U16 / 257; F32 grey and RGB x 255; F32 bands as stored);
                                        * of several palettes, their mean, in which one that has
                                        * reached the tolerance counts as 0 */
    double seconds[COF_REPORT_STAGES]; /* time spent in each CofStage */
    int fast_terms;                    /* of the fast method in the last pass; 0 = exact */
    int fast_cell;                     /* side of a cell of its grid in pixels; 0 = exact */
    char device[64];                   /* name of the context's device; empty = it has none */
    unsigned device_stages;            /* bit CofStage is 1 if the stage, or a part of it, ran on
                                        * the device */
    const char *device_note;           /* why a stage that the device could have run was left to
                                        * the CPU; NULL = none was. Never freed. */
} CofReport;

/* Options of all functions. Initialise with cof_options_init(), then change fields, or set them by
 * name with cof_options_set(). The fields from `variant` to `threads` are described by
 * cof_option_info(). */
typedef struct CofOptions {
    uint32_t struct_size; /* set by cof_options_init() */
    CofVariant variant;   /* rule for sigmas that are 0; set with cof_options_set_variant(), which
                           * sets all options of a variant. default COF_VARIANT_PAPER */

    /* Learning: stored in a CofStats when it is created, ignored later. */
    int colours;          /* clusters of RGB and bands, 1..256; default 32 */
    int levels;           /* bins of grey, 2..256; default 256, which is exact for U8 */
    int palettes;         /* 1..8; default 1. Above 1, the results of as many palettes are averaged,
                           * which smooths the steps that a single one leaves in gradients. The
                           * first has `colours` entries (of grey, `levels`), the last a quarter of
                           * them, those between equal ratios. */
    double low, high;     /* range of the bins in units of the samples; both 0 = the smallest and
                           * largest value of the images; default 0 */
    int window;           /* side of the learning window in pixels, odd, 1..63; default 15 */
    CofSampling sampling; /* default COF_SAMPLING_AUTO */
    uint64_t seed;        /* of the k-means++ initialisation; default 0 */
    int downscale;        /* learn from the image downscaled by this factor, 1..64; default 1.
                           * Windows and sigmas are in pixels of the downscaled image. Statistics
                           * and models store the factor. For whole images; not with
                           * COF_UPDATE_MODEL or labels. */

    /* Model. */
    double sigma;           /* standard deviation of the learning Gaussian in pixels,
                             * 0.001..1000000; 0 = from the window by the rule of the variant;
                             * default 0 */
    double softness;        /* standard deviation of the soft assignment to neighbouring palette
                             * entries, in units of the mean distance of an entry to its nearest,
                             * 0..16; 0 = hard assignment; default 0.75. Exact U8 grey is never
                             * softened. */
    CofNormalise normalise; /* default COF_NORMALISE_COUNTS */
    double separation;      /* keeps values apart that rarely occur together: M(a, b) is multiplied
                             * by (r / separation)^8 where r = M(a, b) / sqrt(M(a, a) M(b, b)) is
                             * smaller than this, and by the fourth roots of the frequencies of a
                             * and b, 0..1; 0 = M as it is; default 0 */

    /* Filter. */
    int filter_window;    /* side in pixels, odd, 1..255; 0 = the model's window; default 0 */
    double filter_sigma;  /* standard deviation in pixels, 0.001..1000000; 0 = by the rule of the
                           * variant, which for the paper is the model's sigma unless filter_window
                           * is set; default 0 */
    int filter_downscale; /* 1..64; 0 = the model's factor; default 0. Above 1, the downscaled image
                           * is filtered, and refinement makes the result as sharp as the image. For
                           * whole images; not with COF_UPDATE_MODEL, labels or a foreground. */
    CofBorder border;     /* default COF_BORDER_CLIP */
    CofSpace space;       /* default COF_SPACE_LAB */
    int iterations;       /* 1..1000; 0 = 5 for cof_focus_mask(), 1 for all others; default 0 */
    CofUpdate update;     /* default COF_UPDATE_NONE */
    double tolerance;     /* stop after a pass that changes less than this (see CofReport),
                           * 0..1e12; 0 = never; default 0. For whole images. */
    CofMethod method;     /* default COF_METHOD_EXACT */
    double accuracy;      /* of the fast method: PSNR to the exact result in dB, 30..70;
                           * default 45 */
    int fidelity;         /* rounds of residual correction, 0..3; default 0. In each round, what the
                           * passes have removed is filtered like the image, with the labels and
                           * the model of the last pass, and added to the result. This returns a
                           * part of the colours that many passes have moved, but not texture. */
    double strength;      /* share of the smoothing, 0..1; 0 = nothing changes; default 1 */
    double detail;        /* share of the removed detail that is added back, -1..4; above 1, detail
                           * is enhanced; default 0. The result is
                           * in + strength (1 - detail) (smooth - in), before it is rounded; the
                           * error of the fast method is multiplied likewise. */

    /* Selection: cof_select(), cof_focus() and their relatives. */
    CofSelectMethod select_method; /* default COF_SELECT_WATERSHED */
    double min_area;          /* holes and islands of a mask that are smaller than this share of the
                               * image are removed, unless strokes lie in them, 0..1; default 0 */
    int spread_window;        /* of COF_SELECT_SPREAD, as the next two: side of the window that
                               * spreads scribbles, odd, 1..255; default 31. cof_select() learns
                               * with it too (at most 63). */
    int spread_iterations;    /* passes that spread scribbles, 1..1000; default 20 */
    double threshold;         /* of the spread scribbles, 0.000001..1; 0 = found automatically;
                               * default 0 */
    double gap;               /* pixels around the foreground mask from which neither model learns,
                               * 0..10000; default 3 */
    CofLikelihood likelihood; /* default COF_LIKELIHOOD_JOINT */

    /* Execution. */
    int threads;         /* 1..1024; 0 = one per core; 1 = the calling thread only; default 0. At
                          * most those of the context. */
    CofContext *context; /* threads and memory kept between calls; NULL = created for this call */
    CofProblem *problem; /* receives the reason of a failure; may be NULL */
    CofReport *report;   /* may be NULL */
    int (*progress)(void *user, double done); /* may be NULL. Called by the calling thread with
                                               * 0..1, a few hundred times or about every 0.05 s;
                                               * a result other than 0 cancels the call. */
    void *user;                               /* passed to progress */

    /* Since 1.1. */
    int refine;  /* of the filter: radius in pixels of the image that is filtered, which may be
                  * downscaled, 0..16; 0 = off, but 2 with a downscale factor above 1; default 0. In
                  * the window around each pixel, the result of the passes is fitted as a linear
                  * function of the image (of the guide, if there is one), and this function of the
                  * image is the result: edges get back their anti-aliasing, texture stays away. Not
                  * with a foreground. */
    double size; /* of what presets smooth, 0.25..4; 0.5 is fine, 2 coarse; default 1. Used by
                  * cof_options_set_preset() only, so it must be set before. */
} CofOptions;

/* Options. */

typedef enum CofOptionType {
    COF_OPTION_TYPE_INT = 0,    /* int */
    COF_OPTION_TYPE_UINT64 = 1, /* uint64_t */
    COF_OPTION_TYPE_DOUBLE = 2, /* double */
    COF_OPTION_TYPE_CHOICE = 3  /* an enumeration; `choices` are its values from 0 */
} CofOptionType;

typedef enum CofOptionGroup {
    COF_OPTION_GROUP_GENERAL = 0, /* preset and variant, which set other options */
    COF_OPTION_GROUP_LEARN = 1,   /* of no use with a CofStats or a model */
    COF_OPTION_GROUP_MODEL = 2,   /* of no use with a model */
    COF_OPTION_GROUP_FILTER = 3,
    COF_OPTION_GROUP_SELECT = 4,
    COF_OPTION_GROUP_RUN = 5
} CofOptionGroup;

#define COF_OPTION_FLAG_ODD 1u     /* even values are not allowed */
#define COF_OPTION_FLAG_AUTO 2u    /* 0 is allowed below the minimum and means `automatic` */
#define COF_OPTION_FLAG_PRESET 4u  /* set by presets */
#define COF_OPTION_FLAG_VARIANT 8u /* set by variants */
#define COF_OPTION_FLAG_NO_FIELD \
    16u /* not a field of CofOptions: preset, which needs an image size */

/* Describes an option, so that hosts can build parsers, dialogs and help without a list of their
 * own. The library may be newer than this header: skip options whose type or group is unknown, or
 * whose field does not lie within sizeof(CofOptions). May grow at its end. */
typedef struct CofOptionInfo {
    const char *name; /* as the field of CofOptions, such as "filter_window" */
    CofOptionType type;
    CofOptionGroup group;
    unsigned flags;
    size_t offset; /* of the field in CofOptions */
    double minimum, maximum, default_value;
    const char *const *choices; /* words of a choice, ends with NULL; NULL for other types */
    const char *automatic;      /* what 0 means, with COF_OPTION_FLAG_AUTO; otherwise NULL */
    const char *label;          /* a few words for a dialog, such as "Filter window" */
    const char *help;           /* one line, such as "side of the filter window in pixels" */
} CofOptionInfo;

/* Initialises with the defaults; struct_size is the caller's sizeof(CofOptions), so that programs
 * built with an older header keep working. Call it through cof_options_init(). */
COF_API void cof_options_init_sized(CofOptions *options, uint32_t struct_size);

/* Sets variant, sigma, filter_sigma, softness, normalise and border. The sigmas become 0, so that
 * they follow the window. */
COF_NODISCARD CofStatus cof_options_set_variant(CofOptions *options, CofVariant variant,
                                                CofProblem *problem);

/* Sets every option with the flag COF_OPTION_FLAG_PRESET for an image of this size. A large image
 * then looks like a small one, in little more time. options->size scales the windows and sigmas. */
COF_NODISCARD CofStatus cof_options_set_preset(CofOptions *options, CofPreset preset, int width,
                                               int height, CofProblem *problem);

/* Sets one option from text: "window", "21". "variant" sets all options of the variant; "preset" is
 * refused, since it needs a size. Checks the value's range. */
COF_NODISCARD CofStatus cof_options_set(CofOptions *options, const char *name, const char *value,
                                        CofProblem *problem);

/* Checks the range of every option. `problem` may be NULL. */
COF_NODISCARD CofStatus cof_options_check(const CofOptions *options, CofProblem *problem);

/* Reads or writes the field of an option as a number; a choice is the index of its word. Writing
 * checks the range, and sets nothing else (see cof_options_set_variant() for variants). Seeds above
 * 2^53 are rounded: use the field. COF_ERR_OPTION if the options are too short for it. */
COF_NODISCARD CofStatus cof_option_get(const CofOptions *options, const CofOptionInfo *info,
                                       double *value);
COF_NODISCARD CofStatus cof_option_put(CofOptions *options, const CofOptionInfo *info, double value,
                                       CofProblem *problem);

/* The options in the order of the help; NULL for an index or a name that does not exist. */
COF_API int cof_option_count(void);
COF_API const CofOptionInfo *cof_option_info(int index);
COF_API const CofOptionInfo *cof_option_find(const char *name);

/* The short way. */

/* Learns from `in`, filters `in` and writes `out`, which has the size, kind and sample type of `in`
 * and may be the same pixels. Whole images. */
COF_NODISCARD CofStatus cof_smooth(const CofImage *in, const CofImage *out,
                                   const CofOptions *options);

/* The same, but learns only inside `roi` (its part is ignored). The palette still comes from the
 * whole image; values that do not occur in the region of interest remain unchanged. */
COF_NODISCARD CofStatus cof_smooth_roi(const CofImage *in, const CofRoi *roi, const CofImage *out,
                                       const CofOptions *options);

/* Context. */

/* Threads and scratch memory that outlive a call; threads as in CofOptions. One call at a time may
 * use a context; a second one fails with COF_ERR_BUSY. A child of fork() has no threads: there, a
 * context can be freed, and calls that use it run on the calling thread alone. If another thread
 * was in a call at that time, they fail with COF_ERR_BUSY. A context must not be freed while a call
 * uses it, whether in another thread or in the progress callback of that call: that is undefined
 * behaviour. */
COF_NODISCARD CofStatus cof_context_new(CofContext **out, int threads, CofProblem *problem);
COF_API void cof_context_free(CofContext **context);

/* Devices: GPUs and other processors that OpenCL drivers offer. A device is used only by calls that
 * are given a context with one. It computes colours, labels and counts, which are the same bytes as
 * on the CPU, and filters 8-bit grey and RGB images, alpha and masks included. Their samples differ
 * from those of the CPU by at most 1, and hardly any does. All else runs on the CPU; CofReport says
 * what ran where. */

typedef enum CofDeviceType {
    COF_DEVICE_TYPE_CPU = 0,
    COF_DEVICE_TYPE_GPU = 1,
    COF_DEVICE_TYPE_OTHER = 2
} CofDeviceType;

typedef struct CofDeviceInfo {
    char name[64];     /* such as "NVIDIA H200" */
    char platform[64]; /* the OpenCL platform that it belongs to */
    CofDeviceType type;
    int has_double;  /* 0: no double precision; labels of RGB are found by the CPU */
    uint64_t memory; /* in bytes */
    uint64_t reserved[4];
} CofDeviceInfo;

/* Loads the OpenCL library, if there is one, and counts its devices. */
COF_API int cof_device_count(void);
/* COF_ERR_UNSUPPORTED if there are no devices at all, with the reason. */
COF_NODISCARD CofStatus cof_device_info(int index, CofDeviceInfo *info, CofProblem *problem);

/* A context with a device: "gpu", the first GPU; "cpu", the first CPU that a driver offers;
 * "opencl:NAME", the first device whose name contains NAME, upper and lower case alike; NULL, the
 * first GPU or, if there is none, the first device. COF_ERR_UNSUPPORTED if there is no such device,
 * or if it cannot be used. The first time, its program is compiled, which may take seconds; it is
 * kept in the folder cof of $XDG_CACHE_HOME (~/.cache). If the device fails during a call, the call
 * fails with COF_ERR_UNSUPPORTED. In a child of fork(), calls run on the CPU. */
COF_NODISCARD CofStatus cof_context_new_device(CofContext **out, const char *device, int threads,
                                               CofProblem *problem);

/* A context with a device of the caller, a cl_device_id, in a cl_context of the caller, which is
 * retained: calls can then be given images in buffers of that cl_context, and a pipeline stays on
 * the device. Calls use a queue of their own: commands of the caller that write such a buffer must
 * have ended (clFinish()), and those of a call have ended when it returns. Pixels of these images
 * are interleaved, and rows do not overlap; rows and pixels have no negative strides. */
COF_NODISCARD CofStatus cof_context_new_opencl(CofContext **out, void *opencl_context,
                                               void *opencl_device, int threads,
                                               CofProblem *problem);

/* Statistics. */

/* Learning in steps: new, scan..., fit_palette, add..., cof_model_new(). `scan` samples the values
 * of an image, `fit_palette` fixes the palette and the sampling rate, `add` counts pairs. scan and
 * add can be given one image or several, whole or in parts, on one machine or on many (save, load,
 * merge): the result is the same, byte for byte. The functions after cof_stats_new() use only the
 * execution options (threads to user). cof_model_learn() does all of it in one call. */
COF_NODISCARD CofStatus cof_stats_new(CofStats **out, const CofOptions *options);

/* Empty statistics with the learning options of `other` and, if `other` has them, its palette and
 * sampling rate: for counting on several threads or machines and merging. */
COF_NODISCARD CofStatus cof_stats_new_like(CofStats **out, const CofStats *other,
                                           CofProblem *problem);

/* Samples the values of an image. All images must have the same kind (alpha aside), number of bands
 * and, unless RGB, sample type. The palette sees all pixels; those of `roi` are counted for the
 * sampling rate. */
COF_NODISCARD CofStatus cof_stats_scan(CofStats *stats, const CofImage *image, const CofRoi *roi,
                                       const CofOptions *options);

/* Fits the palettes to the scanned values and fixes the sampling rate. COF_ERR_EMPTY if no valid
 * pixel was scanned. */
COF_NODISCARD CofStatus cof_stats_fit_palette(CofStats *stats, const CofOptions *options);

/* Sets a palette instead of fitting one: k rows of `bands` values. COF_KIND_RGB: Lab (L 0..100),
 * bands = 3. COF_KIND_GREY: bands = 1; COF_KIND_BANDS: bands = the channels; both in units of the
 * samples. Images scanned before must be of that kind, and determine the sampling rate; without
 * any, every pair is counted. Only for statistics with options.palettes = 1. */
COF_NODISCARD CofStatus cof_stats_set_palette(CofStats *stats, const float *centres, int k,
                                              int bands, CofKind kind, CofProblem *problem);

/* Copies a palette as it is, so that its labels keep their meaning and counts can be merged: exact
 * U8 grey remains exact and bins remain bins, which cof_stats_set_palette() cannot express. The
 * learning options of `stats` may differ from those the palette was fitted with, but for the number
 * of palettes. Images scanned
 * before must be of the palette's kind, and determine the sampling rate. */
COF_NODISCARD CofStatus cof_stats_set_palette_from_stats(CofStats *stats, const CofStats *from,
                                                         CofProblem *problem);
COF_NODISCARD CofStatus cof_stats_set_palette_from_model(CofStats *stats, const CofModel *model,
                                                         CofProblem *problem);

/* Uses no palette but k labels that the caller assigns: only labels can be added. Only for
 * statistics with options.palettes = 1, like cof_stats_add_labels(). */
COF_NODISCARD CofStatus cof_stats_set_labels(CofStats *stats, int k, CofProblem *problem);

/* Counts the pairs of an image. The view must extend (window - 1) / 2 pixels beyond roi->part,
 * where the full image does. */
COF_NODISCARD CofStatus cof_stats_add(CofStats *stats, const CofImage *image, const CofRoi *roi,
                                      const CofOptions *options);

/* Counts the pairs of an image of labels: grey U8, each below the size of the palette. */
COF_NODISCARD CofStatus cof_stats_add_labels(CofStats *stats, const CofImage *labels,
                                             const CofRoi *roi, const CofOptions *options);

/* A part of an image, or a whole one, for steps on workers that share no memory: each counts the
 * pairs of its part and, after the statistics have been merged, filters it. The labels and colours
 * that both steps need are computed once, and kept.
 *
 *     cof_part_new(), cof_stats_add_part(), merge, cof_model_new(), cof_filter_part()
 *
 * The results are those of cof_stats_add() and cof_filter(). A part belongs to one thread at a
 * time. */
typedef struct CofPart CofPart;

/* The pixels must stay in place and unchanged until cof_part_free(). The view extends as far beyond
 * the part as both steps need. */
COF_NODISCARD CofStatus cof_part_new(CofPart **out, const CofImage *image, CofProblem *problem);
COF_API void cof_part_free(CofPart **part);

/* Counts the pairs of a part, as cof_stats_add() does. With a downscale factor above 1, it must be
 * one of the downscaled image (CofRoi.downscaled). */
COF_NODISCARD CofStatus cof_stats_add_part(CofStats *stats, CofPart *part, const CofRoi *roi,
                                           const CofOptions *options);

/* Adds `from` to `into`. Both must have the same learning options, and either both no palette yet
 * or the same palette. */
COF_NODISCARD CofStatus cof_stats_merge(CofStats *into, const CofStats *from, CofProblem *problem);

/* Multiplies all counts by numerator / denominator, rounded down: exponential decay for statistics
 * that follow a video. */
COF_NODISCARD CofStatus cof_stats_decay(CofStats *stats, uint32_t numerator, uint32_t denominator,
                                        CofProblem *problem);

COF_NODISCARD CofStatus cof_stats_save(const CofStats *stats, void **bytes, size_t *size,
                                       CofProblem *problem);
COF_NODISCARD CofStatus cof_stats_load(CofStats **out, const void *bytes, size_t size,
                                       CofProblem *problem);
COF_API void cof_stats_free(CofStats **stats);

/* Contents. Pointers are valid until the stats change; without a palette they are NULL and sizes
 * are 0. Of several palettes, these functions tell of the first; a member tells of another one. */
COF_API int cof_stats_palettes(const CofStats *stats); /* 0 without one */
COF_API const CofStats *cof_stats_member(const CofStats *stats,
                                         int index); /* NULL: no such member */
COF_API int cof_stats_size(const CofStats *stats);   /* k */
COF_API const float *cof_stats_palette(const CofStats *stats, int *bands); /* k rows of bands */
/* Copies the learning options into initialised options. */
COF_API void cof_stats_options(const CofStats *stats, CofOptions *options);
/* The kind of image: COF_KIND_RGB, GREY or BANDS. COF_ERR_EMPTY if it is not known yet, or if there
 * are only labels. */
COF_NODISCARD CofStatus cof_stats_kind(const CofStats *stats, CofKind *kind);
COF_API const uint64_t *cof_stats_histogram(const CofStats *stats); /* pixels of each label */
/* Ordered pairs counted so far: for each of the `distances` squared distances, ascending, a
 * triangle of k (k + 1) / 2 counts, where {a, b} with a <= b is at b (b + 1) / 2 + a and counts
 * both orders. Each sampled pair counts 2^shift. NULL if nothing was counted. */
COF_API const uint64_t *cof_stats_counts(const CofStats *stats, const int **squared_distances,
                                         int *distances);
COF_API int cof_stats_sampling_shift(const CofStats *stats); /* one pair in 2^shift is counted */

/* Models. */

/* Learns a model from n images in one call: scan, fit_palette, add and cof_model_new(). `rois` has
 * n entries or is NULL; parts are ignored. Whole images. */
COF_NODISCARD CofStatus cof_model_learn(CofModel **out, const CofImage *images, const CofRoi *rois,
                                        int n, const CofOptions *options);

/* M from counts, with sigma, softness, normalise and separation. COF_ERR_EMPTY if nothing was
 * counted. */
COF_NODISCARD CofStatus cof_model_new(CofModel **out, const CofStats *stats,
                                      const CofOptions *options);

/* M from n images whose pixels are softly assigned by their own distance to the palette: the
 * paper's definition without its approximation, slower (pixels x k^2). `stats` has a palette and
 * needs no counts; `rois` has n entries or is NULL; parts are ignored. */
COF_NODISCARD CofStatus cof_model_new_soft(CofModel **out, const CofStats *stats,
                                           const CofImage *images, const CofRoi *rois, int n,
                                           const CofOptions *options);

/* M as given: k x k, finite, not negative, symmetric. All ones make a Gaussian filter, a band
 * around the diagonal a bilateral filter. `stats` has one palette and needs no counts. */
COF_NODISCARD CofStatus cof_model_new_matrix(CofModel **out, const CofStats *stats,
                                             const double *matrix, const CofOptions *options);

/* Two models with one palette, whatever options.palettes says: of the pairs inside the mask, and of
 * those outside. The options->gap pixels around the mask belong to neither. */
COF_NODISCARD CofStatus cof_model_learn_pair(CofModel **foreground, CofModel **background,
                                             const CofImage *image, const CofImage *mask,
                                             const CofOptions *options);

/* Writes the label of each pixel to `labels`, grey U8, of the same size; 0 for invalid pixels.
 * Of several palettes, the first one is used. */
COF_NODISCARD CofStatus cof_model_label(const CofModel *model, const CofImage *image,
                                        const CofImage *labels, const CofOptions *options);

COF_NODISCARD CofStatus cof_model_save(const CofModel *model, void **bytes, size_t *size,
                                       CofProblem *problem);
COF_NODISCARD CofStatus cof_model_load(CofModel **out, const void *bytes, size_t size,
                                       CofProblem *problem);
COF_NODISCARD CofStatus cof_model_save_pair(const CofModel *foreground, const CofModel *background,
                                            void **bytes, size_t *size, CofProblem *problem);
COF_NODISCARD CofStatus cof_model_load_pair(CofModel **foreground, CofModel **background,
                                            const void *bytes, size_t size, CofProblem *problem);
COF_API void cof_model_free(CofModel **model);

typedef enum CofFileKind {
    COF_FILE_KIND_STATS = 1,
    COF_FILE_KIND_MODEL = 2,
    COF_FILE_KIND_PAIR = 3 /* models of a foreground and a background */
} CofFileKind;

/* What a .cof file holds. Reads the header; a damaged file may still be refused later. */
COF_NODISCARD CofStatus cof_file_kind(const void *bytes, size_t size, CofFileKind *kind,
                                      CofProblem *problem);

/* Loads a model from any .cof file: a model, statistics (from which a model is made with these
 * options) or a pair, whose background becomes *model. *foreground becomes that of a pair,
 * otherwise NULL. A NULL `foreground` refuses pairs. */
COF_NODISCARD CofStatus cof_load(CofModel **foreground, CofModel **model, const void *bytes,
                                 size_t size, const CofOptions *options);

/* Contents. Pointers are valid as long as the model. Of several palettes, these functions tell of
 * the first; a member tells of another one. */
COF_API int cof_model_palettes(const CofModel *model);
COF_API const CofModel *cof_model_member(const CofModel *model,
                                         int index); /* NULL: no such member */
COF_API int cof_model_size(const CofModel *model);   /* k */
COF_API const float *cof_model_palette(const CofModel *model, int *bands); /* NULL: labels only */
COF_NODISCARD CofStatus cof_model_kind(const CofModel *model,
                                       CofKind *kind);              /* as cof_stats_kind() */
COF_API const double *cof_model_matrix(const CofModel *model);      /* k x k */
COF_API const double *cof_model_frequencies(const CofModel *model); /* k values, sum 1 */
/* Copies window, palettes, downscale, sigma, softness, normalise and separation into initialised
 * options. */
COF_API void cof_model_options(const CofModel *model, CofOptions *options);

/* Filtering. */

/* Filters `in` into `out`. Labels come from `guide` (NULL: `in`), an image like those the model was
 * learned from, as large as `in`. `out` has the kind and sample type of `in`. Its rectangle in the
 * full image is what is computed: `in` and `guide` must extend cof_filter_margin() pixels beyond
 * it, where the full image does. Tile by tile gives the bytes of the whole, but for rounding with
 * the fast method on a device. `out` may be the pixels of `in` if it is as large, but must not
 * overlap them otherwise, nor overwrite what other tiles still need. */
COF_NODISCARD CofStatus cof_filter(const CofModel *model, const CofImage *guide, const CofImage *in,
                                   const CofImage *out, const CofOptions *options);

/* The same with labels from the caller: grey U8, as large as `in`, each below the size of the
 * model, which has one palette. */
COF_NODISCARD CofStatus cof_filter_labels(const CofModel *model, const CofImage *labels,
                                          const CofImage *in, const CofImage *out,
                                          const CofOptions *options);

/* The same for a part whose pairs have been counted. With a model of other palettes than those of
 * its labels, new labels are found. */
COF_NODISCARD CofStatus cof_filter_part(const CofModel *model, const CofPart *part,
                                        const CofImage *out, const CofOptions *options);

/* How many pixels beyond its output the filter reads. COF_ERR_OPTION with a downscale factor above
 * 1, which needs whole images or a CofCoarse. */
COF_NODISCARD CofStatus cof_filter_margin(const CofModel *model, int *margin,
                                          const CofOptions *options);

/* Filtering with a downscale factor above 1, as presets do, of images that do not fit in memory:
 *
 *     parts of the image -> cof_downscale() -> small image -> learn -> cof_coarse_new()
 *     parts of the image -> cof_coarse_filter() -> parts of the result
 *
 * The small image is learned from with CofRoi.downscaled = 1. The result is what cof_filter()
 * computes from the whole image, to the byte. */

/* Averages factor x factor pixels of `in` to each pixel of `out`, weighted by alpha. The full size
 * of `out` is that of `in` divided by the factor, rounded up. Its rectangle is what is computed; it
 * must not overlap `in`. valid[y * out->width + x] becomes 0 where no pixel has data, otherwise 1.
 * `valid` may be NULL. Pixels without data become 0; NaN in F32 images if `valid` is NULL. */
COF_NODISCARD CofStatus cof_downscale(const CofImage *in, int factor, const CofImage *out,
                                      uint8_t *valid, const CofOptions *options);

/* The small image before and after all passes. */
typedef struct CofCoarse CofCoarse;

/* Runs the passes on the whole small image, which is copied. The model must outlive the object.
 * Its downscale factor, above 1, is that of the image, and filter_downscale must be 0 or the same.
 * A tolerance and COF_UPDATE_MODEL are refused. */
COF_NODISCARD CofStatus cof_coarse_new(CofCoarse **coarse, const CofModel *model,
                                       const CofImage *small, const CofOptions *options);

/* The same without these passes, for those who run them in parts or on several machines: `filtered`
 * is what cof_filter() makes of `small` with the same options, but filter_downscale 1, refine 0,
 * strength 1 and detail 0. Both have the same size and kind. */
COF_NODISCARD CofStatus cof_coarse_new_filtered(CofCoarse **coarse, const CofModel *model,
                                                const CofImage *small, const CofImage *filtered,
                                                const CofOptions *options);
COF_API void cof_coarse_free(CofCoarse **coarse);

/* Refines a part of the image by that; parts as in cof_filter(). Of the options, only threads,
 * context, problem, report, progress and user are read: the others are those of cof_coarse_new().
 * Any number of threads can filter with one object. */
COF_NODISCARD CofStatus cof_coarse_filter(const CofCoarse *coarse, const CofImage *in,
                                          const CofImage *out, const CofOptions *options);

/* How many pixels beyond its output cof_coarse_filter() reads: since 1.1 none, so 0. */
COF_API int cof_coarse_margin(const CofCoarse *coarse);

/* Selecting what is smoothed.
 *
 *     scribbles -> soft mask -> mask -> two models -> matte -> result
 *
 * Scribbles are pixels that a person marks; a mask marks all pixels of an object. Both are grey U8
 * images as large as the image; nonzero pixels are marked. The filter is exact here, whatever
 * `method` is, and filter_sigma 0 means a box window. cof_select() and cof_focus_mask() are the
 * short way; the other functions are their steps. */

/* Makes a mask of what the scribbles belong to, as options->select_method says. Of the options
 * of learning and filtering, the watershed uses seed, sampling, low, high and space; the others
 * matter to COF_SELECT_SPREAD. Large images are downscaled (to 0.3 megapixels; to spread, to 1),
 * and the mask is fitted to the image at full size. `background` may be NULL; no pixel may be
 * marked in both. Whole images; mask is 0 or 255. */
COF_NODISCARD CofStatus cof_select(const CofImage *image, const CofImage *foreground,
                                   const CofImage *background, const CofImage *mask,
                                   const CofOptions *options);

/* Selecting while somebody draws: cof_selection_new() does what takes long, so that a mask after
 * each stroke takes a fraction of that. The same marks give the same mask as cof_select(), by
 * COF_SELECT_WATERSHED, unless it is corrected. A selection belongs to one thread at a time. */
typedef struct CofSelection CofSelection;

/* Prepares a whole image, whose pixels must stay in place and unchanged until
 * cof_selection_free(). */
COF_NODISCARD CofStatus cof_selection_new(CofSelection **selection, const CofImage *image,
                                          const CofOptions *options);

/* Marks the pixels within `radius` (0..10000) of the lines through n points, which are pairs of x
 * and y within +-1e9; the middle of the first pixel is (0, 0). New marks replace others.
 * COF_ERR_EMPTY if all of the stroke lies outside of the image. */
COF_NODISCARD CofStatus cof_selection_add_stroke(CofSelection *selection, CofStroke mark,
                                                 const double *points, size_t n, double radius,
                                                 const CofOptions *options);

/* Marks the pixels that are not 0: grey U8, as large as the image. */
COF_NODISCARD CofStatus cof_selection_add_pixels(CofSelection *selection, CofStroke mark,
                                                 const CofImage *pixels, const CofOptions *options);

/* Carries a mask from one frame of a video to the next: the selection is of the new frame; `last`
 * is the frame before, of the same size and layout, and `mask` its mask. Replaces all marks: the
 * mask moves as far as the object has moved (with NULL for `last`, not at all), and what lies well
 * inside is marked as foreground, what lies well outside as background. Nothing of the foreground
 * is marked if the mask has become empty. */
COF_NODISCARD CofStatus cof_selection_follow(CofSelection *selection, const CofImage *last,
                                             const CofImage *mask, const CofOptions *options);

/* Makes the mask of all marks: grey U8, as large as the image, 0 or 255. Of the options, min_area
 * and those of the execution matter. COF_ERR_EMPTY if no pixel of the foreground is marked. If
 * `mask` is NULL, here and in cof_selection_correct(), only the downscaled mask is made that later
 * corrections start from, which is faster. */
COF_NODISCARD CofStatus cof_selection_update(CofSelection *selection, const CofImage *mask,
                                             const CofOptions *options);

/* Corrects the last mask: as cof_selection_update(), but only what lies near the marks that were
 * added or erased since then can change, within about three times the length of each stroke.
 * Without a mask to correct, after cof_selection_follow(), and if no background is marked (unless a
 * mask was given), it does the same as cof_selection_update(). */
COF_NODISCARD CofStatus cof_selection_correct(CofSelection *selection, const CofImage *mask,
                                              const CofOptions *options);

/* Gives a mask that cof_selection_correct() is to correct, such as one saved by an earlier run:
 * grey U8, as large as the image; nonzero pixels are selected. Only marks that contradict the mask
 * correct it, whether they were made before or after this call; others hold what is right. If none
 * does, the middle of each part of the mask does. Where nothing is corrected, all pixels of the
 * mask stay as they are. cof_selection_update() forgets the mask. */
COF_NODISCARD CofStatus cof_selection_set_mask(CofSelection *selection, const CofImage *mask,
                                               const CofOptions *options);

COF_API void cof_selection_free(CofSelection **selection);

/* Draws a stroke, as cof_selection_add_stroke() does, with a value of 0..255 into a grey U8 image.
 */
COF_NODISCARD CofStatus cof_mask_stroke(const CofImage *mask, const double *points, size_t n,
                                        double radius, int value, const CofOptions *options);

/* Spreads scribbles: `soft`, grey F32, becomes the scribbles filtered with the image as guide; with
 * background scribbles, the foreground's share of both, or 0 where neither arrives. The rectangle
 * of `soft` is what is computed: the image must extend spread_window / 2 pixels beyond it for each
 * of the spread_iterations. `background` may be NULL. */
COF_NODISCARD CofStatus cof_select_spread(const CofModel *model, const CofImage *image,
                                          const CofImage *foreground, const CofImage *background,
                                          const CofImage *soft, const CofOptions *options);

/* Makes a mask of the soft mask: 255 where it reaches options->threshold and on the foreground
 * scribbles, otherwise 0. An automatic threshold is the one across whose contour values co-occur
 * least (with background scribbles, one of 0.5 to 0.9). `threshold` receives the one used and may
 * be NULL. Whole images or, unless the threshold is automatic, views of the same place. */
COF_NODISCARD CofStatus cof_select_threshold(const CofModel *model, const CofImage *image,
                                             const CofImage *foreground, const CofImage *background,
                                             const CofImage *soft, const CofImage *mask,
                                             double *threshold, const CofOptions *options);

/* Dilates a mask by `radius` pixels in all directions; a negative radius erodes. Whole images,
 * which may be the same pixels. */
COF_NODISCARD CofStatus cof_mask_dilate(const CofImage *mask, double radius, const CofImage *out,
                                        const CofOptions *options);

/* The prior of cof_matte() and cof_focus() for a mask: grey F32, the mask blurred by a Gaussian of
 * 2 pixels. At the border of the mask it is limited to 0.03..0.97, so that what was learned can
 * correct the mask; farther away, up to 1/32 of the shorter side and at least 16 pixels, the limits
 * grow to 0 and 1. Whole images. */
COF_NODISCARD CofStatus cof_mask_prior(const CofImage *mask, const CofImage *prior,
                                       const CofOptions *options);

/* The foreground's share of each pixel: alpha / (alpha + beta), the sums over the window of the
 * likelihoods of both models. `prior`, grey, at the same place, weights alpha, and 1 - prior
 * weights beta; where both are 0, the matte is the prior. NULL: equal weights, and 1 where both are
 * 0. `matte` is grey; prior and matte can have any sample type. The models have one palette; the
 * window is the background's. Tiles as in cof_filter(). */
COF_NODISCARD CofStatus cof_matte(const CofModel *foreground, const CofModel *background,
                                  const CofImage *prior, const CofImage *image,
                                  const CofImage *matte, const CofOptions *options);

/* Keeps the foreground and smooths the background: filters as cof_filter() does with the
 * background's model, but keeps as much of each pixel as the matte says. */
COF_NODISCARD CofStatus cof_focus(const CofModel *foreground, const CofModel *background,
                                  const CofImage *prior, const CofImage *guide, const CofImage *in,
                                  const CofImage *out, const CofOptions *options);

/* Keeps what the mask marks and smooths the rest: cof_model_learn_pair(), cof_mask_prior() and
 * cof_focus() in one call, with 5 iterations unless the options set them. Whole images. */
COF_NODISCARD CofStatus cof_focus_mask(const CofImage *in, const CofImage *mask,
                                       const CofImage *out, const CofOptions *options);

/* matte x in + (1 - matte) x other, in Lab or as options->space says. All views have the same size
 * and place and, except for the grey matte, the same kind and sample type; alpha is that of `in`.
 * `out` may be the pixels of `in` or `other`. */
COF_NODISCARD CofStatus cof_blend(const CofImage *matte, const CofImage *in, const CofImage *other,
                                  const CofImage *out, const CofOptions *options);

/* Gives an RGB image the hue and chroma of a colour (sRGB, 0..1) and keeps its lightness; a grey
 * colour makes it grey. With a reference chroma other than 0, a pixel of that chroma gets the
 * chroma of the colour and others get it in proportion, so that texture and highlights remain: see
 * cof_mean_chroma(). */
COF_NODISCARD CofStatus cof_tint(const CofImage *in, const double colour[3],
                                 double reference_chroma, const CofImage *out,
                                 const CofOptions *options);

/* The mean chroma (in Lab) of an RGB image inside a mask (NULL: of the whole image). */
COF_NODISCARD CofStatus cof_mean_chroma(const CofImage *image, const CofImage *mask, double *chroma,
                                        const CofOptions *options);

/* Gives what the mask marks another colour (sRGB, 0..1) and keeps its lightness, texture and
 * highlights: softens the border of the mask with the image as guide, tints the image by its mean
 * chroma inside the mask, and blends both, as the steps above do. Learning and filtering follow the
 * options, but window is 7 and iterations 2, which suits the border of a mask. `matte`, grey F32,
 * receives the softened mask and may be NULL. RGB, whole images; `out` may be the pixels of `in`.
 */
COF_NODISCARD CofStatus cof_recolour(const CofImage *in, const CofImage *mask,
                                     const double colour[3], const CofImage *out,
                                     const CofImage *matte, const CofOptions *options);

/* Paints an image, such as the result of a filter, in at most so many colours (2..256), for
 * tracing: each pixel gets the nearest colour of a palette, pixels that are mixtures of two
 * regions, such as the anti-aliasing of their border, get the colour of one of them, and connected
 * regions that are smaller than options->min_area (a share of the image; 0 keeps all) the colour
 * with the longest border to them. A colour is the mean of its pixels, in Lab if the image is RGB.
 * Grey floats may have any range; it is at least 0..1, and values are told apart by shares of it.
 * Of the options, only min_area, seed and those of the execution matter.
 *
 * `out`, which may be the pixels of `in`, receives the painted image; alpha, and the colours of
 * pixels without data or of alpha 0, stay as they are. `labels`, grey U8, receives which colour
 * each pixel has (0 for those that stay), and `palette`, with room for `colours` rows of 1 or 3
 * values, the colours in units of the samples; *n is their number. Each of these may be NULL. Grey
 * or RGB, whole images. */
COF_NODISCARD CofStatus cof_posterise(const CofImage *in, int colours, const CofImage *out,
                                      const CofImage *labels, float *palette, int *n,
                                      const CofOptions *options);

/* Miscellaneous. */

COF_API void cof_free(void *bytes); /* frees what a _save function returned */

/* Version of the library at run time: major << 16 | minor << 8 | patch. */
COF_API uint32_t cof_version(void);

/* The instruction set that calls use on this processor: "c", "neon", "avx2", "avx512", "vbmi" or
 * "wasm"; for reports of problems. The environment variable COF_CPU can name a lower one. */
COF_API const char *cof_cpu_level(void);

/* A few English words for a status; never NULL, never freed. */
COF_API const char *cof_status_string(CofStatus status);

/* A word for a stage, such as "palette"; NULL beyond the last stage. */
COF_API const char *cof_stage_name(CofStage stage);

/* A word for a kind of image: "grey", "grey-alpha", "rgb", "rgba" or "bands"; NULL beyond the last
 * kind. */
COF_API const char *cof_kind_name(CofKind kind);

static inline void cof_options_init(CofOptions *options)
{
    cof_options_init_sized(options, (uint32_t)sizeof *options);
}

#ifdef __cplusplus
}
#endif

#endif
