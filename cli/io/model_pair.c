/* SPDX-License-Identifier: BSD-2-Clause */
/* Files with two models: magic bytes, the size of the first model in 8 little-endian bytes, and
 * both models. */
#include "io/model_pair.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "io/cof_file.h"
#include "ui/error_line.h"

static const char magic[8] = "COFPAIR1";
enum { HEADER_SIZE = sizeof magic + 8 };

static void append_model(GByteArray *bytes, const CofModel *model, CofStatus *status)
{
    void *saved = NULL;
    size_t size = 0;
    if (*status == COF_OK)
        *status = cof_model_save(model, &saved, &size);
    if (*status == COF_OK)
        g_byte_array_append(bytes, saved, (guint)size);
    cof_free(saved);
}

bool model_pair_save(const CofModel *foreground, const CofModel *background, const char *name)
{
    CofStatus status = COF_OK;
    GByteArray *bytes = g_byte_array_new();
    unsigned char header[HEADER_SIZE] = {0};
    g_byte_array_append(bytes, header, HEADER_SIZE);
    append_model(bytes, foreground, &status);
    guint size = bytes->len - HEADER_SIZE;
    append_model(bytes, background, &status);
    memcpy(bytes->data, magic, sizeof magic);
    for (int i = 0; i < 4; i++)
        bytes->data[sizeof magic + i] = (unsigned char)(size >> (8 * i));
    bool ok = status == COF_OK;
    if (ok)
        ok = cof_file_write(name, bytes->data, bytes->len);
    else
        print_error(name, cof_status_string(status));
    g_byte_array_free(bytes, TRUE);
    return ok;
}

bool model_pair_load(CofModel **foreground, CofModel **background, const char *name)
{
    size_t size;
    char *bytes = cof_file_read(name, &size);
    if (!bytes)
        return false;
    guint64 first = 0;
    bool ok = size > HEADER_SIZE && memcmp(bytes, magic, sizeof magic) == 0;
    for (int i = 7; i >= 0 && ok; i--)
        first = first << 8 | (unsigned char)bytes[sizeof magic + i];
    ok = ok && first < size - HEADER_SIZE &&
         cof_model_load(foreground, bytes + HEADER_SIZE, (size_t)first) == COF_OK &&
         cof_model_load(background, bytes + HEADER_SIZE + first,
                        size - HEADER_SIZE - (size_t)first) == COF_OK;
    g_free(bytes);
    if (ok)
        return true;
    cof_model_free(foreground);
    cof_model_free(background);
    print_error(name, "is no pair of models, or a damaged one");
    return false;
}

bool model_pair_is(const char *name)
{
    char start[sizeof magic];
    FILE *file = fopen(name, "rb");
    bool is = file && fread(start, 1, sizeof start, file) == sizeof start &&
              memcmp(start, magic, sizeof magic) == 0;
    if (file)
        fclose(file);
    return is;
}
