/* SPDX-License-Identifier: BSD-2-Clause */
/* What libcof asks of a device module: a shared library, such as libcof-opencl, that is loaded on
 * demand. Only plain data crosses this border. */
#ifndef COF_DEVICE_MODULE_H
#define COF_DEVICE_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cof/cof.h"

/* Raised whenever this file changes: module and library are built together. */
#define COFI_DEVICE_VERSION 9

/* An open device, and an image in its memory. */
typedef struct CofiDevice CofiDevice;
typedef struct CofiDeviceImage CofiDeviceImage;

/* The largest image of a device: its pixels are numbered with 32 bits. */
#define COFI_DEVICE_PIXELS ((int64_t)1 << 28)

/* A view of pixels, and the tables for its colours. */
typedef struct CofiDeviceView {
    int width, height;
    int x, y, full_width, full_height; /* as in CofImage */
    CofSample sample;
    int channels;             /* samples of a pixel */
    int bands;                /* the first channels: 1 of grey, 3 of RGB */
    bool lab;                 /* working values are Lab; otherwise the samples */
    bool filtered;            /* passes will follow; otherwise only labels are needed */
    int members;              /* palettes: there are labels of each */
    bool keeps;               /* of passes: keep() may follow */
    bool refined;             /* of passes: refine() may follow */
    int alpha_bytes;          /* of passes: as in PassShape of opencl/kernels/shapes.h */
    const float *linear;      /* linear light of each integer; NULL unless RGB */
    const uint32_t *encoding; /* as in CofiBytesFromLab; NULL unless they are stored */
} CofiDeviceView;

/* The fast filter: the grid of CofiGrid, and the factors of CofiLowRank. */
typedef struct CofiDeviceFast {
    int step, radius;
    const float *taps; /* radius + 1 */
    int terms;
    bool each;
    const float *in;    /* 32 for each term; not used if `each` */
    const float *out;   /* 128 for each term */
    const float *trust; /* 128 */
} CofiDeviceFast;

/* One pass of the filter. Rectangles are in coordinates of the view. */
typedef struct CofiDevicePass {
    const float *matrix; /* k rows of `stride` weights */
    int k, stride;
    const float *gauss; /* 2 radius + 1 weights */
    int radius;
    CofBorder border;
    CofRect rect;  /* what is computed */
    bool measured; /* the change is measured, in `part`, with these units of the bands */
    CofRect part;
    float units[3];
    const CofiDeviceFast *fast; /* NULL: the exact filter */
    bool awaited;               /* until its rows are done, so that their time is known */
} CofiDevicePass;

/* Refinement: see filter/refine.h. Values become (value - middle) / range. */
typedef struct CofiDeviceRefine {
    CofRect rect; /* what is refined, in coordinates of the view */
    int radius;
    bool some_stay;            /* pixels that are not marked stay as they are */
    float middle[3], range[3]; /* of the bands */
    double detail;             /* as in store() */
} CofiDeviceRefine;

/* A rectangle in a buffer (cl_mem) of the caller. */
typedef struct CofiDeviceBuffer {
    void *memory;
    size_t offset, stride; /* bytes of the first row, and from row to row */
    size_t row_bytes;      /* of the rectangle */
    int rows;
} CofiDeviceBuffer;

/* Pairs to be counted; the members are those of Counting in learn/count.c. */
typedef struct CofiDeviceCount {
    const CofiDeviceImage *image; /* whose labels are counted; NULL: those that follow */
    const uint8_t *labels;        /* of the first pixel */
    const uint8_t *members;       /* NULL: all pixels are members */
    ptrdiff_t stride;             /* of both */
    int width, height;
    int x, y; /* place in the full image */
    int k, radius, distances;
    const int *distance_of;  /* [|dy|][|dx|]: which distance */
    int across, down, turns; /* as in CofiBlocks */
} CofiDeviceCount;

/* The functions of a module. COF_ERR_MEMORY means that the memory of the device, or of the host, is
 * not sufficient; COF_ERR_UNSUPPORTED, that the device failed. A device belongs to one thread at a
 * time. */
typedef struct CofiDeviceModule {
    uint32_t version;

    int (*count)(void);
    const char *(*none)(void);                    /* why there are no devices: a constant */
    bool (*info)(int index, CofDeviceInfo *info); /* false: there is no such device */

    /* Opens the device of that name (see cof_context_new_device()). *problem becomes a constant. */
    CofStatus (*open)(CofiDevice **device, const char *name, const char **problem);
    /* The same with a cl_device_id and a cl_context of the caller. */
    CofStatus (*open_in)(CofiDevice **device, void *context, void *id, const char **problem);
    void (*close)(CofiDevice *device);
    const CofDeviceInfo *(*opened)(const CofiDevice *device);

    /* The largest image that fits in the memory of the device. Width, height and tables of the view
     * do not matter. */
    int64_t (*max_pixels)(CofiDevice *device, const CofiDeviceView *view);

    CofStatus (*image_new)(CofiDevice *device, const CofiDeviceView *view, CofiDeviceImage **image);
    void (*image_free)(CofiDeviceImage *image);

    /* Memory of the host for the packed pixels of the image, valid until it is asked for again for
     * any image of the device; starts to copy rows first..last-1 from there to the device; and
     * copies them back. */
    CofStatus (*stage)(CofiDeviceImage *image, uint8_t **bytes);
    CofStatus (*send_rows)(CofiDeviceImage *image, int first, int last);
    CofStatus (*fetch_rows)(CofiDeviceImage *image, int first, int last);

    /* Copies a rectangle of a buffer of the caller to the packed pixels of the image, or back. */
    CofStatus (*copy_in)(CofiDeviceImage *image, const CofiDeviceBuffer *from);
    CofStatus (*copy_out)(CofiDeviceImage *image, const CofiDeviceBuffer *to, int x, int y);

    /* Memory of the host for an image of a buffer, valid until it is asked for again; and copies
     * between both. Rows that are read come to lie `stride` apart; those that are written are
     * packed. */
    CofStatus (*shadow)(CofiDevice *device, size_t size, uint8_t **bytes);
    CofStatus (*read_buffer)(CofiDevice *device, const CofiDeviceBuffer *from, uint8_t *bytes,
                             size_t stride);
    CofStatus (*write_buffer)(CofiDevice *device, const CofiDeviceBuffer *to, const uint8_t *bytes);

    /* Finds the alphas of the samples, which are the last channel if has_alpha, and otherwise 1.
     * `valid` is 0 where there is no data; NULL: there is, unless floats are not finite. Counts the
     * pixels of a rectangle that have data. */
    CofStatus (*find_alphas)(CofiDeviceImage *image, const uint8_t *valid, bool has_alpha);
    CofStatus (*count_valid)(CofiDeviceImage *image, CofRect rect, double *pixels);

    /* Makes working values of the samples; and samples of the working values that have changed, to
     * which a share of what the samples were is added. */
    CofStatus (*load)(CofiDeviceImage *image);
    CofStatus (*store)(CofiDeviceImage *image, double detail);

    /* Chooses the palette whose labels all functions read or write; at first, it is 0. */
    void (*choose)(CofiDeviceImage *image, int member);

    /* Both working values and labels, of Lab images. */
    CofStatus (*load_and_label)(CofiDeviceImage *image, const float *centres, int k);

    /* Labels by the nearest of k centres in Lab, of the samples or of the working values; labels of
     * grey bytes by a table, and of other grey samples by k equal bins; and labels from and to
     * packed memory. Samples of more than a byte need double precision. */
    CofStatus (*label)(CofiDeviceImage *image, const float *centres, int k, bool of_values);
    CofStatus (*label_grey)(CofiDeviceImage *image, const uint8_t table[256]);
    CofStatus (*label_bins)(CofiDeviceImage *image, double low, double high, int k);

    /* Labels of working values that are not Lab: of grey by bins, or by rounding to 0..255; and of
     * RGB by the nearest of k centres in Lab. Both need double precision. */
    CofStatus (*relabel_grey)(CofiDeviceImage *image, bool is_exact, double low, double high,
                              int k);
    CofStatus (*relabel_rgb)(CofiDeviceImage *image, const float *centres, int k);

    CofStatus (*write_labels)(CofiDeviceImage *image, const uint8_t *labels);
    CofStatus (*read_labels)(CofiDeviceImage *image, uint8_t *labels);

    /* Residual correction: keeps a copy of the working values; replaces them by those of the
     * samples less what they are; and adds those that were kept. */
    CofStatus (*keep)(CofiDeviceImage *image);
    CofStatus (*subtract)(CofiDeviceImage *image);
    CofStatus (*add_kept)(CofiDeviceImage *image);

    /* Adds the working values of the chosen palette to the mean of all. Palettes follow each other,
     * and after the last one, working values are the mean. */
    CofStatus (*add_to_mean)(CofiDeviceImage *image);

    /* After the passes: marks pixels whose labels of the chosen palette weigh anything, besides
     * those that are marked, unless it is the first palette; and stores what refinement makes of
     * the samples and the working values. */
    CofStatus (*mark)(CofiDeviceImage *image, const uint8_t weighs[256], bool is_first);
    CofStatus (*refine)(CofiDeviceImage *image, const CofiDeviceRefine *refine);

    /* Is the device large enough for the fast filter with such a grid? */
    bool (*can_be_fast)(const CofiDevice *device, int step, int radius);

    /* A pass: rows first..last-1 of its rectangle, strip by strip; each waits for the one before.
     * *change becomes the sum of the squared changes. Rows of a strip are a multiple of strip_rows,
     * but for the last one. */
    int strip_rows;
    CofStatus (*pass_start)(CofiDeviceImage *image, const CofiDevicePass *pass);
    CofStatus (*pass_rows)(CofiDeviceImage *image, int first, int last);
    CofStatus (*pass_end)(CofiDeviceImage *image, double *change);

    /* Counting: adds the pairs of the reference pixels in a rectangle of the map, then reads all
     * sums: k x k for each distance, and k for the histogram. count_end() may be called at any time
     * after count_start(). */
    CofStatus (*count_start)(CofiDevice *device, const CofiDeviceCount *count);
    CofStatus (*count_add)(CofiDevice *device, CofRect references);
    CofStatus (*count_read)(CofiDevice *device, uint32_t *pairs, uint32_t *histogram);
    void (*count_end)(CofiDevice *device);
} CofiDeviceModule;

/* The symbol of a module that has its functions. */
#define COFI_DEVICE_SYMBOL "cofi_device_module"

#endif
