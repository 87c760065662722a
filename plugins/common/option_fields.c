/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields of CofOptions, found through the option table. */
#include "option_fields.h"

#include <string.h>

bool option_is_for_smoothing(const CofOptionInfo *info)
{
    return info->group == COF_GROUP_GENERAL || info->group == COF_GROUP_LEARN ||
           info->group == COF_GROUP_MODEL || info->group == COF_GROUP_FILTER;
}

static bool has_field(const CofOptionInfo *info)
{
    return !(info->flags & COF_OPTION_NO_FIELD);
}

static size_t field_size(const CofOptionInfo *info)
{
    return info->type == COF_OPTION_DOUBLE   ? sizeof(double)
           : info->type == COF_OPTION_UINT64 ? sizeof(uint64_t)
                                             : sizeof(int);
}

void option_put(CofOptions *options, const CofOptionInfo *info, double value)
{
    void *field = (char *)options + info->offset;
    if (!has_field(info))
        return;
    if (info->type == COF_OPTION_DOUBLE)
        *(double *)field = value;
    else if (info->type == COF_OPTION_UINT64)
        *(uint64_t *)field = (uint64_t)value;
    else
        *(int *)field = (int)value;
}

bool options_equal(const CofOptions *a, const CofOptions *b, CofOptionGroup group)
{
    const CofOptionInfo *info;
    for (int i = 0; (info = cof_option_info(i)); i++) {
        const char *one = (const char *)a + info->offset, *other = (const char *)b + info->offset;
        if (info->group == group && has_field(info) && memcmp(one, other, field_size(info)) != 0)
            return false;
    }
    return true;
}
