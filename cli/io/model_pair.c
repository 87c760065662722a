/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of two models: a word, the size of the first in 8 bytes, the smallest first, and both. */
#include "io/model_pair.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "io/cof_file.h"
#include "ui/error_line.h"

static const char word[8] = "COFPAIR1";
enum { HEAD = sizeof word + 8 };

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
    unsigned char head[HEAD] = {0};
    g_byte_array_append(bytes, head, HEAD);
    append_model(bytes, foreground, &status);
    guint size = bytes->len - HEAD;
    append_model(bytes, background, &status);
    memcpy(bytes->data, word, sizeof word);
    for (int i = 0; i < 4; i++)
        bytes->data[sizeof word + i] = (unsigned char)(size >> (8 * i));
    bool ok = status == COF_OK;
    if (ok)
        ok = cof_file_write(name, bytes->data, bytes->len);
    else
        complain(name, cof_status_string(status));
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
    bool ok = size > HEAD && memcmp(bytes, word, sizeof word) == 0;
    for (int i = 7; i >= 0 && ok; i--)
        first = first << 8 | (unsigned char)bytes[sizeof word + i];
    ok = ok && first < size - HEAD &&
         cof_model_load(foreground, bytes + HEAD, (size_t)first) == COF_OK &&
         cof_model_load(background, bytes + HEAD + first, size - HEAD - (size_t)first) == COF_OK;
    g_free(bytes);
    if (ok)
        return true;
    cof_model_free(foreground);
    cof_model_free(background);
    complain(name, "is no pair of models, or a damaged one");
    return false;
}

bool model_pair_is(const char *name)
{
    char begin[sizeof word];
    FILE *file = fopen(name, "rb");
    bool is = file && fread(begin, 1, sizeof begin, file) == sizeof begin &&
              memcmp(begin, word, sizeof word) == 0;
    if (file)
        fclose(file);
    return is;
}
