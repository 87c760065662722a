/* SPDX-License-Identifier: BSD-2-Clause */
/* What operations that learn have in common: their options, and how they learn. */
#ifndef COF_VIPS_LEARNING_H
#define COF_VIPS_LEARNING_H

#include "vips_streams.h"

typedef struct _CofLearning {
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
} CofLearning;

typedef struct _CofLearningClass {
    VipsOperationClass parent_class;
} CofLearningClass;

GType cof_learning_get_type(void);

/* Adds the argument `name`, which is a choice: an enumeration of `type`. */
#define COF_ARG_CHOICE(class, name, priority, label, text, type, field, otherwise) \
    VIPS_ARG_ENUM(class, name, priority, label, text, VIPS_ARGUMENT_OPTIONAL_INPUT, \
                  offsetof(COF_STRUCT, field), type, otherwise)
#define COF_ARG_WHOLE(class, name, priority, label, text, field, least, most, otherwise) \
    VIPS_ARG_INT(class, name, priority, label, text, VIPS_ARGUMENT_OPTIONAL_INPUT, \
                 offsetof(COF_STRUCT, field), least, most, otherwise)
#define COF_ARG_NUMBER(class, name, priority, label, text, field, least, most, otherwise) \
    VIPS_ARG_DOUBLE(class, name, priority, label, text, VIPS_ARGUMENT_OPTIONAL_INPUT, \
                    offsetof(COF_STRUCT, field), least, most, otherwise)

/* An enumeration of libvips; names[i] stands for i. Registered once. */
GType cof_choice_type(const char *type, const char *const *names, int n);

/* Was the argument given? */
bool cof_is_given(void *operation, const char *argument);

/* The options of libcof, by preset or look and arguments. A look follows the size of the picture,
 * which is that learned from, or that filtered. */
int cof_learning_options(CofLearning *learning, const VipsImage *picture, CofOptions *options);

/* May a picture be reduced first? By a look, that depends on its size. */
bool cof_learning_may_reduce(CofLearning *learning);

/* Statistics of n images, which are labels if `k` > 0: then k of them. With a look, each of them is
 * reduced as its own size asks for. */
int cof_learning_stats(CofLearning *learning, VipsImage **images, int n, int k,
                       const CofOptions *options, CofStats **stats);

/* M of n images, each pixel softly assigned; all in memory. */
int cof_learning_soft_model(CofLearning *learning, VipsImage **images, int n,
                            const CofOptions *options, CofModel **model);

/* The statistics with a palette, but without counts. */
int cof_learning_palette(CofLearning *learning, VipsImage **images, int n,
                         const CofOptions *options, CofStats **stats);

/* Where to learn, as the arguments say. */
CofRect cof_learning_region(const CofLearning *learning);

/* A model, or one of the statistics, of a file or of bytes: one of both is NULL. */
int cof_load_model(const char *filename, VipsBlob *blob, const CofOptions *options,
                   const char *operation, CofModel **model);

#endif
