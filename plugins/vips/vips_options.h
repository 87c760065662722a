/* SPDX-License-Identifier: BSD-2-Clause */
/* The option table of libcof as properties of libvips operations. */
#ifndef COF_VIPS_OPTIONS_H
#define COF_VIPS_OPTIONS_H

#include <cof/cof.h>
#include <stdbool.h>
#include <vips/vips.h>

/* What the properties of an operation hold. Which ones the caller set is known to libvips: see
 * vips_cof_is_set(). */
typedef struct OptionValues {
    CofOptions options;
    int preset; /* a CofPreset, or the first value that is none */
} OptionValues;

void option_values_init(OptionValues *values);

/* Installs every option of a group as an optional property. `offset` is that of the OptionValues in
 * the object. */
void vips_cof_install_options(VipsObjectClass *class, CofOptionGroup group, size_t offset);

/* The options for an image of this size: preset and variant, which the options set by the caller
 * override. Returns 0, or -1 with the error set. */
int vips_cof_options(VipsObject *operation, const OptionValues *values, const VipsImage *image,
                     CofOptions *options);

/* Did the caller set the property? */
bool vips_cof_is_set(void *operation, const char *name);

/* The first option of a group that the caller set; NULL: none. */
const char *vips_cof_option_set(void *operation, CofOptionGroup group);

/* Returns the enum type with these words, which end with NULL; their values are 0, 1, ... Registers
 * it on first use. */
GType vips_cof_enum_type(const char *type, const char *const *words);

#endif
