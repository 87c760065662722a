/* SPDX-License-Identifier: BSD-2-Clause */
/* The JSON report of --report. */
#include "commands/report.h"

#include <string.h>

#include "commands/option_values.h"
#include "io/cof_file.h"
#include "options/arguments_options.h"
#include "vips/smooth_pages.h"

/* JSON is UTF-8, a file name any bytes: those that are not UTF-8 become U+FFFD. */
static void add_string(GString *text, const char *value)
{
    char *valid = g_utf8_make_valid(value, -1);
    g_string_append_c(text, '"');
    for (const char *c = valid; *c != '\0'; c++)
        if (*c == '"' || *c == '\\')
            g_string_append_printf(text, "\\%c", *c);
        else if ((unsigned char)*c < ' ')
            g_string_append_printf(text, "\\u%04x", (unsigned char)*c);
        else
            g_string_append_c(text, *c);
    g_string_append_c(text, '"');
    g_free(valid);
}

/* The options in effect. With a preset, those for learning follow the size of the image to learn
 * from, and the others that of the image to filter. */
static void add_options(GString *text, const Arguments *a, const OptionImages *images,
                        VipsImage *in)
{
    VipsImage *learned_from = learning_image(images, in);
    CofOptions learning =
        arguments_options(a, learned_from->Xsize, vips_image_get_page_height(learned_from));
    CofOptions filtering = arguments_options(a, in->Xsize, vips_image_get_page_height(in));
    const char *comma = "{";
    for (int i = 0; i < cof_option_count(); i++) {
        const CofOptionInfo *info = cof_option_info(i);
        bool learns =
            info->group == COF_OPTION_GROUP_LEARN || info->group == COF_OPTION_GROUP_MODEL;
        if (info->flags & COF_OPTION_FLAG_NO_FIELD || info->group == COF_OPTION_GROUP_SELECT)
            continue;
        g_string_append_printf(text, "%s\"%s\": ", comma, info->name);
        append_option_value(text, info, learns ? &learning : &filtering, true);
        comma = ", ";
    }
    g_string_append_c(text, '}');
}

bool report_save(const Arguments *a, const OptionImages *images, const char *input, VipsImage *in,
                 VipsImage *out)
{
    const char *preset = arguments_value(a, "preset");
    char *run_report = smooth_pages_report(out);
    int height = vips_image_get_page_height(in);
    uint32_t v = cof_version();
    GString *text = g_string_new(NULL);
    g_string_append_printf(
        text, "{\"cof\": \"%u.%u.%u\", \"libvips\": \"%d.%d.%d\", \"input\": ", v >> 16,
        v >> 8 & 255, v & 255, vips_version(0), vips_version(1), vips_version(2));
    add_string(text, input);
    g_string_append_printf(text,
                           ", \"width\": %d, \"height\": %d, \"pages\": %d, \"bands\": %d, "
                           "\"preset\": \"%s\", \"options\": ",
                           in->Xsize, height, in->Ysize / height, in->Bands,
                           preset ? preset : "none");
    add_options(text, a, images, in);
    g_string_append_printf(text, ", \"run\": %s}\n", run_report);
    bool ok = cof_file_write(a->report, text->str, text->len);
    g_string_free(text, TRUE);
    g_free(run_report);
    return ok;
}
