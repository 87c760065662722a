/* SPDX-License-Identifier: BSD-2-Clause */
/* Images in memory, in the layout that libcof reads. */
#include "select/loaded_image.h"

#include "io/image_file.h"
#include "ui/error_line.h"
#include "vips/input_image.h"

bool loaded_image_from(LoadedImage *image, VipsImage *original, BandsKind kind, const char *name)
{
    static const Argument argument = {.operation = "cof", .name = "in"};
    *image = (LoadedImage){.original = original};
    if (original && pixels_open(&image->pixels, original, kind, &argument) == 0 &&
        pixel_memory_load(&image->loaded, &image->pixels) == 0) {
        image->memory = image->loaded.pixels;
        image->view = image->loaded.view;
        return true;
    }
    print_vips_error(name, "cannot be read");
    return false;
}

bool loaded_image_open(LoadedImage *image, BandsKind kind, const char *name)
{
    VipsImage *original = image_file_open(name);
    *image = (LoadedImage){0};
    return original && loaded_image_from(image, original, kind, name);
}

bool loaded_image_open_input(LoadedImage *image, const Arguments *a, const char *name)
{
    VipsImage *original = input_image_open_single(a, name);
    *image = (LoadedImage){0};
    return original && loaded_image_from(image, original, (BandsKind)a->kind, name);
}

void loaded_image_close(LoadedImage *image)
{
    pixels_close(&image->pixels);
    pixel_memory_free(&image->loaded);
    VIPS_UNREF(image->original);
}

VipsImage *loaded_image_new_like(const LoadedImage *image, CofImage *view, const char *name)
{
    VipsImage *copy = vips_image_new_memory();
    if (vips_image_pipelinev(copy, VIPS_DEMAND_STYLE_ANY, image->memory, NULL) != 0 ||
        vips_image_write_prepare(copy) != 0) {
        g_object_unref(copy);
        print_error(name, "not enough memory");
        return NULL;
    }
    *view = pixels_whole(&image->pixels, copy);
    return copy;
}

VipsImage *loaded_image_restore(const LoadedImage *image, VipsImage *memory, const char *name)
{
    VipsImage *out = NULL;
    if (pixels_restore(&image->pixels, image->original, memory, &out) == 0)
        return out;
    print_vips_error(name, "cannot be converted");
    return NULL;
}

VipsImage *copy_image(VipsImage *image)
{
    VipsImage *copy = vips_image_new_memory();
    if (vips_image_write(image, copy) == 0)
        return copy;
    g_object_unref(copy);
    return NULL;
}

CofImage single_band_view(VipsImage *image)
{
    return (CofImage){.data = VIPS_IMAGE_ADDR(image, 0, 0),
                      .width = image->Xsize,
                      .height = image->Ysize,
                      .channels = 1,
                      .sample =
                          image->BandFmt == VIPS_FORMAT_FLOAT ? COF_SAMPLE_F32 : COF_SAMPLE_U8,
                      .row_stride = (ptrdiff_t)VIPS_IMAGE_SIZEOF_LINE(image)};
}
