/* SPDX-License-Identifier: BSD-2-Clause */
/* An image in the memory of a device: its samples, labels and working values. */
#ifndef COF_OPENCL_IMAGE_H
#define COF_OPENCL_IMAGE_H

#include "opencl_device.h"

/* Counts of all labels. */
#define COFCL_HISTOGRAM_SIZE 256

struct CofiDeviceImage {
    CofiDevice *device;
    CofiDeviceView view;
    int n;             /* pixels */
    CofclBuffer bytes; /* samples */
    CofclBuffer labels[COF_MAX_PALETTES];
    int member; /* whose labels are chosen */
    CofclBuffer linear, encoding, centres, table;
    CofclBuffer values, filtered, changed, matrix, gauss, sums; /* if passes follow */
    CofclBuffer kept, mean, counts; /* of residuals, and of several palettes */
    CofclBuffer original;           /* working values of the samples, for refinement */
    bool has_original;
    CofclBuffer alphas, histogram; /* where there is data, then alphas; and of a count */
    CofiDevicePass pass;
    int groups_wide;
    size_t groups;                                  /* room in `sums` */
    CofclBuffer cells, in, out, joint, trust, taps; /* of the fast filter */
    size_t used_sums;                               /* by the fast filter, so far */
};

CofStatus cofcl_image_new(CofiDevice *device, const CofiDeviceView *view, CofiDeviceImage **image);
void cofcl_image_free(CofiDeviceImage *image);

/* As in CofiDeviceModule. */
int64_t cofcl_max_pixels(CofiDevice *device, const CofiDeviceView *view);

/* The labels of the chosen palette. */
static inline ClMemory cofcl_labels(const CofiDeviceImage *image)
{
    return image->labels[image->member].memory;
}

/* As in CofiDeviceModule. */
CofStatus cofcl_stage(CofiDeviceImage *image, uint8_t **bytes);
CofStatus cofcl_send_rows(CofiDeviceImage *image, int first, int last);
CofStatus cofcl_fetch_rows(CofiDeviceImage *image, int first, int last);
CofStatus cofcl_copy_in(CofiDeviceImage *image, const CofiDeviceBuffer *from);
CofStatus cofcl_copy_out(CofiDeviceImage *image, const CofiDeviceBuffer *to, int x, int y);
CofStatus cofcl_load(CofiDeviceImage *image);
CofStatus cofcl_store(CofiDeviceImage *image, double detail);
void cofcl_choose(CofiDeviceImage *image, int member);
CofStatus cofcl_load_and_label(CofiDeviceImage *image, const float *centres, int k);
CofStatus cofcl_label(CofiDeviceImage *image, const float *centres, int k, bool of_values);
CofStatus cofcl_label_grey(CofiDeviceImage *image, const uint8_t table[256]);
CofStatus cofcl_label_bins(CofiDeviceImage *image, double low, double high, int k);
CofStatus cofcl_write_labels(CofiDeviceImage *image, const uint8_t *labels);
CofStatus cofcl_read_labels(CofiDeviceImage *image, uint8_t *labels);

#endif
