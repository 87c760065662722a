/* SPDX-License-Identifier: BSD-2-Clause */
/* The entry point of the libvips module. */
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
