/* SPDX-License-Identifier: BSD-2-Clause */
/* The properties of cof:filter: from the option table, every option of learning, model and filter;
 * a model file; and what a dialog needs. */
#ifndef COF_GEGL_PROPERTIES_H
#define COF_GEGL_PROPERTIES_H

#include <stdbool.h>

#include <gegl-plugin.h>

#include "cof/cof.h"

/* The values of one operation. */
typedef struct FilterProperties {
    double *numbers; /* of each id: a number, or a choice as in its property */
    char *model;     /* file name; NULL or empty: none */
    char *shown; /* "PRESET WIDTH HEIGHT SIZE" whose values properties have that were not set; NULL
                  * or empty: they have their defaults */
} FilterProperties;

/* Installs the properties in a class. */
void filter_properties_install(GObjectClass *class);

void filter_properties_init(FilterProperties *properties);
void filter_properties_clear(FilterProperties *properties);

/* Writes or reads the property that filter_properties_install() gave this id. */
void filter_properties_set(FilterProperties *properties, guint id, const GValue *value);
void filter_properties_get(const FilterProperties *properties, guint id, GValue *value);

/* The options for an image of this size: those of the preset, then those of the variant, then all
 * properties that were set. */
CofStatus filter_properties_options(const FilterProperties *properties, int width, int height,
                                    CofOptions *options, CofProblem *problem);

/* Does a dialog show all options, and so their values? */
bool filter_properties_are_shown(const FilterProperties *properties);

/* Gives properties that were not set the values of the preset for an image of this size, and
 * notifies. The options for that image remain the same. */
void filter_properties_show(FilterProperties *properties, int width, int height, GObject *object);

#endif
