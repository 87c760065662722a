/* SPDX-License-Identifier: BSD-2-Clause */
/* What libvips calls when it has loaded the module. */
#include <gmodule.h>

#include "vips_operations.h"

G_MODULE_EXPORT const gchar *g_module_check_init(GModule *module);

const gchar *g_module_check_init(GModule *module)
{
    (void)module;
    /* The command brings its own. */
    if (g_type_from_name("CofSmooth") == 0) {
        cof_smooth_get_type();
        cof_learn_get_type();
        cof_label_get_type();
    }
    return NULL;
}
