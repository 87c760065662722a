/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of the library's options, as text. */
#include "commands/option_values.h"

void append_option_value(GString *text, const CofOptionInfo *info, const CofOptions *options,
                         bool json)
{
    const void *field = (const char *)options + info->offset;
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    switch (info->type) {
    case COF_OPTION_TYPE_DOUBLE:
        g_string_append(text, g_ascii_formatd(number, sizeof number, json ? "%.17g" : "%g",
                                              *(const double *)field));
        break;
    case COF_OPTION_TYPE_UINT64:
        g_string_append_printf(text, "%" G_GUINT64_FORMAT, *(const uint64_t *)field);
        break;
    case COF_OPTION_TYPE_INT:
        g_string_append_printf(text, "%d", *(const int *)field);
        break;
    case COF_OPTION_TYPE_CHOICE:
        g_string_append_printf(text, json ? "\"%s\"" : "%s", info->choices[*(const int *)field]);
        break;
    }
}
