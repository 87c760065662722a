/* SPDX-License-Identifier: BSD-2-Clause */
/* The operation cof: what its parts share. */
#ifndef COF_VIPS_SMOOTH_H
#define COF_VIPS_SMOOTH_H

#include "vips_learning.h"

#define SMOOTH_NAME "cof"

typedef struct _VipsCofSmooth {
    VipsCofLearning parent_instance;

    VipsImage *in, *out;
    VipsArrayImage *learn_from;
    VipsImage *guide, *labels, *matrix;
    char *model;
    VipsBlob *model_blob;
    char *report;

    Pixels pixels, guide_pixels; /* of `in` and of guide or labels */
} VipsCofSmooth;

typedef struct _VipsCofSmoothClass {
    VipsCofLearningClass parent_class;
} VipsCofSmoothClass;

bool smooth_has_model(const VipsCofSmooth *smooth);
bool smooth_differs_in_size(const VipsCofSmooth *smooth, const VipsImage *other);

/* Sets the error for an argument of the operation. Returns -1. */
int smooth_refuse(const char *argument, CofStatus status, const char *text);

/* Refuses arguments that exclude each other. */
int smooth_check_arguments(VipsCofSmooth *smooth, const CofOptions *options);

/* Loads or learns the model. */
int smooth_make_model(VipsCofSmooth *smooth, const CofOptions *options, CofModel **model);

/* Filters the image in memory by one call. model NULL: learns from the input in the same call. */
int smooth_whole(VipsCofSmooth *smooth, const CofModel *model, const CofOptions *options,
                 VipsImage **out);

#endif
