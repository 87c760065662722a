/* SPDX-License-Identifier: BSD-2-Clause */
/* The module that reads and writes rasters with GDAL. It lies beside the command before it is
 * installed, and in a folder of libraries afterwards. */
#include "raster/raster_module.h"

#ifdef __APPLE__
#include <limits.h>
#include <mach-o/dyld.h>
#endif

#include <gmodule.h>

#define MODULE "cof-gdal.so"

typedef const GdalInterface *EntryFunction(void);

static const GdalInterface *load(const char *path)
{
    void *symbol = NULL;
    GModule *module = g_module_open(path, G_MODULE_BIND_LOCAL);
    if (!module)
        return NULL;
    const GdalInterface *interface = NULL;
    if (g_module_symbol(module, GDAL_INTERFACE_SYMBOL, &symbol)) {
        EntryFunction *entry;
        *(void **)&entry = symbol;
        interface = entry();
    }
    if (!interface || interface->version != GDAL_INTERFACE_VERSION) {
        g_module_close(module);
        return NULL;
    }
    g_module_make_resident(module);
    return interface;
}

/* The path of this command; NULL if the system does not tell it. */
static char *command_path(void)
{
#ifdef __APPLE__
    char path[PATH_MAX];
    uint32_t size = sizeof path;
    return _NSGetExecutablePath(path, &size) == 0 ? g_strdup(path) : NULL;
#else
    return g_file_read_link("/proc/self/exe", NULL);
#endif
}

static void *find_module(void *unused)
{
    (void)unused;
    char *command = command_path();
    char *folder = command ? g_path_get_dirname(command) : g_strdup(COF_MODULES);
    char *paths[] = {g_build_filename(folder, MODULE, NULL),
                     g_build_filename(folder, COF_MODULES_FROM_COMMAND, MODULE, NULL),
                     g_build_filename(COF_MODULES, MODULE, NULL)};
    const GdalInterface *interface = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(paths); i++) {
        if (!interface && g_file_test(paths[i], G_FILE_TEST_IS_REGULAR))
            interface = load(paths[i]);
        g_free(paths[i]);
    }
    g_free(folder);
    g_free(command);
    return (void *)interface;
}

const GdalInterface *raster_module(void)
{
    static GOnce once = G_ONCE_INIT;
    return g_once(&once, find_module, NULL);
}
