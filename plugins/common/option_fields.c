/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields of CofOptions, found through the option table. */
#include "option_fields.h"

#include <string.h>

static bool has_field(const CofOptionInfo *info)
{
    return !(info->flags & COF_OPTION_FLAG_NO_FIELD);
}

static size_t field_size(const CofOptionInfo *info)
{
    return info->type == COF_OPTION_TYPE_DOUBLE   ? sizeof(double)
           : info->type == COF_OPTION_TYPE_UINT64 ? sizeof(uint64_t)
                                                  : sizeof(int);
}

static bool is_known_type(CofOptionType type)
{
    return type == COF_OPTION_TYPE_INT || type == COF_OPTION_TYPE_UINT64 ||
           type == COF_OPTION_TYPE_DOUBLE || type == COF_OPTION_TYPE_CHOICE;
}

bool option_is_known(const CofOptionInfo *info)
{
    bool fits = !has_field(info) || info->offset + field_size(info) <= sizeof(CofOptions);
    return fits && is_known_type(info->type) && (unsigned)info->group <= COF_OPTION_GROUP_RUN;
}

bool option_is_for_smoothing(const CofOptionInfo *info)
{
    return option_is_known(info) &&
           (info->group == COF_OPTION_GROUP_GENERAL || info->group == COF_OPTION_GROUP_LEARN ||
            info->group == COF_OPTION_GROUP_MODEL || info->group == COF_OPTION_GROUP_FILTER);
}

void option_put(CofOptions *options, const CofOptionInfo *info, double value)
{
    void *field = (char *)options + info->offset;
    if (!has_field(info))
        return;
    if (info->type == COF_OPTION_TYPE_DOUBLE)
        *(double *)field = value;
    else if (info->type == COF_OPTION_TYPE_UINT64)
        *(uint64_t *)field = (uint64_t)value;
    else
        *(int *)field = (int)value;
}

void option_copy(CofOptions *to, const CofOptions *from, const CofOptionInfo *info)
{
    if (has_field(info))
        memcpy((char *)to + info->offset, (const char *)from + info->offset, field_size(info));
}

static bool field_equals(const CofOptions *a, const CofOptions *b, const CofOptionInfo *info)
{
    return memcmp((const char *)a + info->offset, (const char *)b + info->offset,
                  field_size(info)) == 0;
}

bool options_equal(const CofOptions *a, const CofOptions *b, CofOptionGroup group)
{
    const CofOptionInfo *info;
    for (int i = 0; (info = cof_option_info(i)); i++)
        if (info->group == group && has_field(info) && option_is_known(info) &&
            !field_equals(a, b, info))
            return false;
    return true;
}
