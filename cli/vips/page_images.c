/* SPDX-License-Identifier: BSD-2-Clause */
/* The pages of an image, which libvips loads below each other, as images of their own. */
#include "vips/page_images.h"

#include "io/page_layout.h"
#include "io/page_metadata.h"

VipsImage *page_image(VipsImage *image, int i)
{
    int height = vips_image_get_page_height(image);
    VipsImage *page = NULL, *copy = NULL;
    if (page_count(image) == 1)
        return g_object_ref(image);
    if (vips_crop(image, &page, 0, i * height, image->Xsize, height, NULL) == 0 &&
        vips_copy(page, &copy, NULL) == 0)
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
