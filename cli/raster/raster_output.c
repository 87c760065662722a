/* SPDX-License-Identifier: BSD-2-Clause */
/* Output rasters that GDAL writes. */
#include "raster/raster_output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "io/atomic_file.h"
#include "io/paths.h"
#include "io/encoding.h"
#include "io/formats.h"
#include "io/watched_image.h"
#include "options/arguments_files.h"
#include "raster/raster_input.h"
#include "raster/raster_module.h"
#include "ui/error_line.h"

/* The driver of --format, or of the suffix; NULL: GDAL does not write it. */
static const char *driver_of(const Arguments *a, const char *output)
{
    if (path_is_stream(output))
        return NULL;
    const Format *format = a->format ? written_format(a->format, NULL) : NULL;
    if (!format)
        format = written_format(NULL, output);
    return format && raster_module()->writes(format->name) ? format->name : NULL;
}

static bool has_own_options(const Arguments *a)
{
    return option_set(a, OPT_CO) || option_set(a, OPT_OVERVIEWS) ||
           (a->format && written_format(a->format, NULL));
}

bool raster_is_written(const Arguments *a, const char *output)
{
    return raster_module() && (driver_of(a, output) || has_own_options(a));
}

static bool reject(const char *name, const char *cause)
{
    print_error(name, cause);
    return false;
}

/* Whether the suffix is that of another format than --format says. */
static bool has_other_suffix(const Arguments *a, const char *output)
{
    return a->format && written_format(a->format, NULL) && !written_format(a->format, output) &&
           (written_format(NULL, output) || format_saver(output));
}

bool raster_can_save(const Arguments *a, const char *output)
{
    const char *driver = driver_of(a, output);
    if (path_is_stream(output))
        return reject("standard output", "GDAL writes to files only");
    if (!driver)
        return reject(output, "GDAL does not write files of this format");
    if (has_other_suffix(a, output))
        return reject(output, "--format says another format than the suffix");
    if (option_set(a, OPT_OVERVIEWS) && strcmp(driver, "GTiff") != 0 && strcmp(driver, "COG") != 0)
        return reject(output, "--overviews needs a TIFF file");
    if (path_is_special(output))
        return reject(output, "is not a file; GDAL writes to files only");
    return path_can_create_image(output, output);
}

static void print_losses(const char *losses, const char *input, const char *output)
{
    if (!losses)
        return;
    char *text = g_strdup_printf("not kept in %s: %s", output, losses);
    print_note(input, text);
    g_free(text);
}

bool in_place_keeps(const Arguments *a, const char *losses, const char *input)
{
    if (!option_set(a, OPT_IN_PLACE) || !losses)
        return true;
    char *text = g_strconcat("--in-place would remove ", losses, NULL);
    print_error(input, text);
    g_free(text);
    return false;
}

/* The image is computed, and other bands are copied from the input, while the output is written. */
static void print_failure(VipsImage *image, Raster *raster, const char *input, const char *output,
                          const char *file)
{
    if (watched_image_print_failure(image))
        return;
    if (raster_module()->facts(raster).has_failed)
        print_vips_error(input, "cannot be read");
    else
        print_vips_write_error(output, file);
}

/* The names of a file while it is written. */
typedef struct Files {
    char *target, *temporary, *work; /* work NULL: not needed */
} Files;

/* The files that this thread writes. */
static _Thread_local const Files *writing;

/* GDAL makes temporary files of its own. */
static void register_other(const char *path)
{
    if (writing && strcmp(path, writing->temporary) != 0 &&
        !(writing->work && strcmp(path, writing->work) == 0))
        atomic_file_register(path);
}

static bool begin(Files *files, const char *output, bool copies)
{
    *files = (Files){.target = path_target(output)};
    if (!files->target) {
        print_error(output, strerror(errno));
        return false;
    }
    files->temporary = atomic_file_begin(files->target, output);
    if (files->temporary && copies) {
        char *name = g_strconcat(files->target, ".tif", NULL);
        files->work = atomic_file_begin(name, output);
        g_free(name);
    }
    return files->temporary && (files->work || !copies);
}

static bool end(Files *files, bool ok, const char *output)
{
    bool replaces = files->target && access(files->target, F_OK) == 0;
    if (files->work)
        atomic_file_end(files->work, NULL, output);
    if (files->temporary)
        ok = atomic_file_end(files->temporary, ok ? files->target : NULL, output);
    if (ok && replaces)
        path_remove_companions(files->target);
    g_free(files->target);
    return ok;
}

/* Overviews are a part of these formats. */
static bool driver_has_own_overviews(const char *driver)
{
    return g_strcmp0(driver, "COG") == 0 || g_strcmp0(driver, "JP2OpenJPEG") == 0;
}

/* Both texts, of which each may be NULL; frees the second one. */
static char *joined(const char *one, char *other)
{
    char *text = one && other ? g_strconcat(one, ", ", other, NULL) : g_strdup(one ? one : other);
    g_free(other);
    return text;
}

bool raster_save(const Arguments *a, VipsImage *image, const char *output, VipsImage *in,
                 const char *input, bool is_filtered)
{
    const GdalInterface *gdal = raster_module();
    Raster *raster = raster_of_image(in);
    const char *driver = driver_of(a, output);
    bool loses_overviews = is_filtered && gdal->facts(raster).has_overviews &&
                           !option_set(a, OPT_OVERVIEWS) && !driver_has_own_overviews(driver);
    if (loses_overviews && !in_place_keeps(a, "its overviews; --overviews builds them", input))
        return false;
    Files files;
    bool ok = begin(&files, output, gdal->copies(driver));
    char *losses = NULL;
    if (ok) {
        RasterOutput how = {.path = files.temporary,
                            .work_path = files.work,
                            .driver = driver,
                            .options = a->creation_options,
                            .is_filtered = is_filtered,
                            .overviews = option_set(a, OPT_OVERVIEWS),
                            .threads = vips_concurrency_get(),
                            .on_create = register_other};
        writing = &files;
        ok = gdal->write(raster, image, &how) == 0 && !watched_image_restore_failure(image);
        if (ok)
            losses = joined(encoding_of_image(in).not_read, gdal->losses(raster, files.temporary));
        else
            print_failure(image, raster, input, output, files.temporary);
        ok = ok && in_place_keeps(a, losses, input);
    }
    ok = end(&files, ok, output) && ok;
    writing = NULL;
    atomic_file_forget();
    if (ok) {
        print_losses(losses, input, output);
        if (loses_overviews)
            print_note(input, g_strcmp0(driver, "GTiff") == 0
                                  ? "its overviews are not kept; --overviews builds them"
                                  : "its overviews are not kept");
    }
    g_free(losses);
    return ok;
}
