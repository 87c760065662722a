/* SPDX-License-Identifier: BSD-2-Clause */
/* The entry points of the libvips module. */
#include <gmodule.h>

#include "vips_operations.h"

G_MODULE_EXPORT const gchar *g_module_check_init(GModule *module);

const gchar *g_module_check_init(GModule *module)
{
    (void)module;
    /* The command `cof` has registered its own copy already. */
    if (g_type_from_name("VipsCofSmooth") == 0) {
        vips_cof_smooth_get_type();
        vips_cof_learn_get_type();
        vips_cof_label_get_type();
    }
    return NULL;
}

/* `vips --plugin=FILE` of libvips 8.14 requires a table of functions for the interface of
 * libvips 7. This one lists none. */
typedef struct PackageTable {
    const char *name;
    int n_functions;
    void **functions;
} PackageTable;

extern G_MODULE_EXPORT const PackageTable package_table;
const PackageTable package_table = {"cof", 0, NULL};
