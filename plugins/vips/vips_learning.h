/* SPDX-License-Identifier: BSD-2-Clause */
/* What operations that learn have in common: their options, and how they learn. */
#ifndef COF_VIPS_LEARNING_H
#define COF_VIPS_LEARNING_H

#include "vips_streams.h"

typedef struct _VipsCofLearning {
    VipsOperation parent_instance;

    int preset, colours, levels, window, sampling, normalise;
    int look, coarse; /* look: 0 = none, else that CofLook + 1 */
    double low, high, sigma, softness;
    guint64 seed;
    gboolean exact_soft;
    VipsImage *mask;
    VipsArrayInt *region;
    char *palette_from;

    RunReport *run; /* what libcof did */
} VipsCofLearning;

typedef struct _VipsCofLearningClass {
    VipsOperationClass parent_class;
} VipsCofLearningClass;

GType vips_cof_learning_get_type(void);

/* Adds the argument `name`, which is a choice: an enumeration of `type`. */
#define VIPS_COF_ARG_ENUM(class, name, priority, label, text, type, field, default_value) \
    VIPS_ARG_ENUM(class, name, priority, label, text, VIPS_ARGUMENT_OPTIONAL_INPUT, \
                  offsetof(VIPS_COF_STRUCT, field), type, default_value)
#define VIPS_COF_ARG_INT(class, name, priority, label, text, field, min, max, default_value) \
    VIPS_ARG_INT(class, name, priority, label, text, VIPS_ARGUMENT_OPTIONAL_INPUT, \
                 offsetof(VIPS_COF_STRUCT, field), min, max, default_value)
#define VIPS_COF_ARG_DOUBLE(class, name, priority, label, text, field, min, max, default_value) \
    VIPS_ARG_DOUBLE(class, name, priority, label, text, VIPS_ARGUMENT_OPTIONAL_INPUT, \
                    offsetof(VIPS_COF_STRUCT, field), min, max, default_value)

/* An enumeration of libvips; names[i] stands for i. Registered once. */
GType vips_cof_enum_type(const char *type, const char *const *names, int n);

/* Was the argument given? */
bool vips_cof_is_set(void *operation, const char *argument);

/* The options of libcof, by preset or look and arguments. A look follows the size of the image,
 * which is that learned from, or that filtered. */
int vips_cof_learning_options(VipsCofLearning *learning, const VipsImage *image,
                              CofOptions *options);

/* May a image be reduced first? By a look, that depends on its size. */
bool vips_cof_learning_may_reduce(VipsCofLearning *learning);

/* Statistics of n images, which are labels if `k` > 0: then k of them. With a look, each of them is
 * reduced as its own size asks for. */
int vips_cof_learning_stats(VipsCofLearning *learning, VipsImage **images, int n, int k,
                            const CofOptions *options, CofStats **stats);

/* M of n images, each pixel softly assigned; all in memory. */
int vips_cof_learning_soft_model(VipsCofLearning *learning, VipsImage **images, int n,
                                 const CofOptions *options, CofModel **model);

/* The statistics with a palette, but without counts. */
int vips_cof_learning_palette(VipsCofLearning *learning, VipsImage **images, int n,
                              const CofOptions *options, CofStats **stats);

/* Where to learn, as the arguments say. */
CofRect vips_cof_learning_region(const VipsCofLearning *learning);

/* A model, or one of the statistics, of a file or of bytes: one of both is NULL. */
int vips_cof_load_model(const char *filename, VipsBlob *blob, const CofOptions *options,
                        const char *operation, CofModel **model);

#endif
