/* SPDX-License-Identifier: BSD-2-Clause */
/* The base class of operations that learn: options and learning. */
#ifndef COF_VIPS_LEARNING_H
#define COF_VIPS_LEARNING_H

#include "vips_streams.h"

typedef struct _VipsCofLearning {
    VipsOperation parent_instance;

    int preset, colours, levels, window, sampling, normalise;
    int look, coarse; /* look: 0 = none, else CofLook + 1 */
    double low, high, sigma, softness;
    guint64 seed;
    gboolean exact_soft;
    VipsImage *mask;
    VipsArrayInt *region;
    char *palette_from;

    RunReport *run; /* collects the reports of all calls */
} VipsCofLearning;

typedef struct _VipsCofLearningClass {
    VipsOperationClass parent_class;
} VipsCofLearningClass;

GType vips_cof_learning_get_type(void);

/* Add an optional argument to an operation class. */
#define VIPS_COF_ARG_ENUM(class, name, priority, label, text, type, field, default_value) \
    VIPS_ARG_ENUM(class, name, priority, label, text, VIPS_ARGUMENT_OPTIONAL_INPUT, \
                  offsetof(VIPS_COF_STRUCT, field), type, default_value)
#define VIPS_COF_ARG_INT(class, name, priority, label, text, field, min, max, default_value) \
    VIPS_ARG_INT(class, name, priority, label, text, VIPS_ARGUMENT_OPTIONAL_INPUT, \
                 offsetof(VIPS_COF_STRUCT, field), min, max, default_value)
#define VIPS_COF_ARG_DOUBLE(class, name, priority, label, text, field, min, max, default_value) \
    VIPS_ARG_DOUBLE(class, name, priority, label, text, VIPS_ARGUMENT_OPTIONAL_INPUT, \
                    offsetof(VIPS_COF_STRUCT, field), min, max, default_value)

/* Returns the enum type with these value names, 0 to n - 1; registers it on first use. */
GType vips_cof_enum_type(const char *type, const char *const *names, int n);

/* Did the caller set the argument? */
bool vips_cof_is_set(void *operation, const char *argument);

/* Builds the options from preset or look and arguments. A look depends on the size of `image`,
 * which is learned from or filtered. */
int vips_cof_learning_options(VipsCofLearning *learning, const VipsImage *image,
                              CofOptions *options);

/* May images be downscaled? With a look this depends on their size. */
bool vips_cof_learning_may_reduce(VipsCofLearning *learning);

/* Learns statistics from n images; k > 0: the images hold labels below k. With a look, each image
 * is downscaled by its own factor. */
int vips_cof_learning_stats(VipsCofLearning *learning, VipsImage **images, int n, int k,
                            const CofOptions *options, CofStats **stats);

/* Learns a model with exact soft assignment of each pixel. Needs all images in memory. */
int vips_cof_learning_soft_model(VipsCofLearning *learning, VipsImage **images, int n,
                                 const CofOptions *options, CofModel **model);

/* Fits a palette without counting pairs. */
int vips_cof_learning_palette(VipsCofLearning *learning, VipsImage **images, int n,
                              const CofOptions *options, CofStats **stats);

/* The region argument as a rectangle; all 0: the whole image. */
CofRect vips_cof_learning_region(const VipsCofLearning *learning);

/* Loads a model from a file or a blob (the other is NULL), or builds one from loaded statistics. */
int vips_cof_load_model(const char *filename, VipsBlob *blob, const CofOptions *options,
                        const char *operation, CofModel **model);

#endif
