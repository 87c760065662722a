/* SPDX-License-Identifier: BSD-2-Clause */
/* The encoding of the file from which an image was read. */
#include "io/image_encoding.h"

#include "io/output_path.h"
#include "io/paths.h"

static const char key[] = "cof-encoding";

static Encoding read_and_close(FILE *file)
{
    Encoding encoding = file ? encoding_read(file) : (Encoding){0};
    if (file)
        fclose(file);
    return encoding;
}

/* A pipe can be read only once. */
Encoding image_encoding_of_file(const char *name)
{
    char *path = image_path_of_input(name);
    FILE *file = path_is_special(path) ? NULL : fopen(path, "rb");
    g_free(path);
    return read_and_close(file);
}

Encoding image_encoding_of_bytes(void *bytes, size_t size)
{
    return read_and_close(size > 0 ? fmemopen(bytes, size, "rb") : NULL);
}

void image_encoding_store(VipsImage *image, Encoding encoding)
{
    Encoding *copy = g_new(Encoding, 1);
    *copy = encoding;
    g_object_set_data_full(G_OBJECT(image), key, copy, g_free);
}

Encoding image_encoding(VipsImage *image)
{
    const Encoding *encoding = g_object_get_data(G_OBJECT(image), key);
    return encoding ? *encoding : (Encoding){0};
}
