/* SPDX-License-Identifier: BSD-2-Clause */
/* The base class of operations that learn: options and learning. */
#ifndef COF_VIPS_LEARNING_H
#define COF_VIPS_LEARNING_H

#include "vips_options.h"
#include "vips_streams.h"

typedef struct _VipsCofLearning {
    VipsOperation parent_instance;

    OptionValues values; /* of all options, also those of derived classes */
    int kind;            /* BandsKind */
    gboolean exact_soft;
    VipsImage *mask;
    VipsArrayInt *region;
    char *palette_from;
    char *device; /* NULL: none */

    SmallImage small;
    RunReport *run; /* collects the reports of all calls */
} VipsCofLearning;

typedef struct _VipsCofLearningClass {
    VipsOperationClass parent_class;
} VipsCofLearningClass;

GType vips_cof_learning_get_type(void);

/* Images to learn from. */
typedef struct LearningImages {
    VipsImage **images;
    int n;
    const char *argument; /* which argument of the operation they are */
    BandsKind kind;
    int k; /* above 0: the images hold labels below k */
} LearningImages;

/* The options, checked. A preset depends on the size of `image`, the first one that is learned from
 * or, with a model, the one that is filtered. */
int vips_cof_learning_options(VipsCofLearning *learning, const VipsImage *image,
                              CofOptions *options);

/* The region argument as a rectangle; all 0: the whole image. */
CofRect vips_cof_learning_region(const VipsCofLearning *learning);

/* Describes an argument of this operation, for errors. */
Argument vips_cof_argument(VipsCofLearning *learning, const char *name);

/* Opens image i; a mask applies to a single image of its size. */
int learning_source_open(VipsCofLearning *learning, const LearningImages *images, int i,
                         LearningSource *source);
void learning_source_close(LearningSource *source);

/* Learns statistics. */
int vips_cof_learning_stats(VipsCofLearning *learning, const LearningImages *images,
                            const CofOptions *options, CofStats **stats);

/* Fits a palette, or takes that of palette_from, without counting pairs. */
int vips_cof_learning_palette(VipsCofLearning *learning, const LearningImages *images,
                              const CofOptions *options, CofStats **stats);

/* Learns a model with exact soft assignment of each pixel. Needs all images in memory. */
int vips_cof_learning_soft_model(VipsCofLearning *learning, const LearningImages *images,
                                 const CofOptions *options, CofModel **model);

#endif
