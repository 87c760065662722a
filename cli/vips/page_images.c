/* SPDX-License-Identifier: BSD-2-Clause */
/* The pages of an image, which libvips loads below each other, as images of their own. */
#include "vips/page_images.h"

#include "io/image_file.h"
#include "io/pages.h"

/* Keeps the image alive whose memory another one has. */
static void release(void *image)
{
    g_object_unref(image);
}

static void *copy_field(VipsImage *image, const char *name, GValue *value, void *to)
{
    (void)image;
    if (vips_image_get_typeof(to, name) == 0)
        vips_image_set(to, name, value);
    return NULL;
}

/* Rows of an image in memory. libvips walks through all images that hang on one, so thousands of
 * crops of the same image would take quadratic time. */
static VipsImage *rows_of(VipsImage *image, int top, int height)
{
    VipsImage *typed = NULL;
    VipsImage *rows = vips_image_new_from_memory(
        VIPS_IMAGE_ADDR(image, 0, top), VIPS_IMAGE_SIZEOF_LINE(image) * (size_t)height,
        image->Xsize, height, image->Bands, image->BandFmt);
    if (!rows)
        return NULL;
    g_object_set_data_full(G_OBJECT(rows), "cof", g_object_ref(image), release);
    if (vips_copy(rows, &typed, "interpretation", image->Type, "coding", image->Coding, "xres",
                  image->Xres, "yres", image->Yres, NULL) == 0)
        vips_image_map(image, copy_field, typed);
    g_object_unref(rows);
    return typed;
}

/* Whether the pixels lie in memory. Small images that were copied are decoded again, once. */
static bool is_in_memory(VipsImage *image)
{
    return (image->dtype != VIPS_IMAGE_PARTIAL || !image_file_is_large(image)) &&
           vips_image_wio_input(image) == 0;
}

VipsImage *page_image(VipsImage *image, int i)
{
    int height = vips_image_get_page_height(image);
    VipsImage *page = NULL, *copy = NULL;
    if (page_count(image) == 1)
        return g_object_ref(image);
    if (is_in_memory(image))
        page = rows_of(image, i * height, height);
    else
        vips_crop(image, &page, 0, i * height, image->Xsize, height, NULL);
    if (page && vips_copy(page, &copy, NULL) == 0)
        remove_page_metadata(copy);
    VIPS_UNREF(page);
    return copy;
}

bool page_images_append(GPtrArray *list, VipsImage *image)
{
    for (int i = 0; i < page_count(image); i++) {
        VipsImage *page = page_image(image, i);
        if (!page)
            return false;
        g_ptr_array_add(list, page);
    }
    return true;
}

VipsArrayImage *page_images_array(const GPtrArray *list)
{
    return vips_array_image_new((VipsImage **)list->pdata, (int)list->len);
}
