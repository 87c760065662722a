/* SPDX-License-Identifier: BSD-2-Clause */
/* The properties of cof:filter: a model file and, from the option table, every option of learning,
 * model and filter. */
#ifndef COF_GEGL_PROPERTIES_H
#define COF_GEGL_PROPERTIES_H

#include <gegl-plugin.h>

#include "cof/cof.h"

/* The values of one operation. */
typedef struct FilterProperties {
    double *numbers; /* of each option: a number, or a choice as in its property */
    char *model;     /* file name; NULL or empty: none */
} FilterProperties;

/* Installs the properties in a class. */
void filter_properties_install(GObjectClass *class);

void filter_properties_init(FilterProperties *properties);
void filter_properties_clear(FilterProperties *properties);

/* Writes or reads the property that filter_properties_install() gave this id. */
void filter_properties_set(FilterProperties *properties, guint id, const GValue *value);
void filter_properties_get(const FilterProperties *properties, guint id, GValue *value);

/* The options for an image of this size: those of the preset, then those of the variant, then all
 * properties that do not have their default value. */
CofStatus filter_properties_options(const FilterProperties *properties, int width, int height,
                                    CofOptions *options, CofProblem *problem);

#endif
