/* SPDX-License-Identifier: BSD-2-Clause */
/* Options from text. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/status.h"
#include "base/system.h"
#include "cof/cof.h"
#include "options/option_info.h"
#include "options/options.h"

static bool parse_seed(const char *text, uint64_t *value)
{
    uint64_t sum = 0;
    if (*text == '\0')
        return false;
    for (; *text >= '0' && *text <= '9'; text++) {
        uint64_t digit = (uint64_t)(*text - '0');
        if (sum > (UINT64_MAX - digit) / 10)
            return false;
        sum = 10 * sum + digit;
    }
    *value = sum;
    return *text == '\0';
}

/* Decimal numbers, with a point in every locale. strtod() also accepts other forms. */
static bool parse_real(const char *text, double *value)
{
    if (*text == '\0' || text[strspn(text, "0123456789.eE+-")] != '\0')
        return false;
    const char *end = text;
    return cofi_system_strtod(text, &end, value) && *end == '\0' && end > text;
}

static bool parse_choice(const CofOptionInfo *info, const char *text, double *value)
{
    for (int i = 0; info->choices[i]; i++)
        if (strcmp(info->choices[i], text) == 0) {
            *value = i;
            return true;
        }
    return false;
}

static bool parse(const CofOptionInfo *info, const char *text, double *value)
{
    if (info->type == COF_OPTION_TYPE_CHOICE)
        return parse_choice(info, text, value);
    if (!parse_real(text, value))
        return false;
    return info->type == COF_OPTION_TYPE_DOUBLE || *value == floor(*value);
}

static CofStatus set_seed(CofOptions *options, const CofOptionInfo *info, const char *text,
                          CofProblem *problem)
{
    uint64_t seed;
    if (!parse_seed(text, &seed))
        return cofi_option_problem(problem, info->name, cofi_option_range(info));
    memcpy((char *)options + info->offset, &seed, sizeof seed);
    return COF_OK;
}

/* Does the struct, which may be that of an older header, have the field of an option? */
static CofStatus check_field(const CofOptions *options, const CofOptionInfo *info,
                             CofProblem *problem)
{
    bool is_int = info->type == COF_OPTION_TYPE_INT || info->type == COF_OPTION_TYPE_CHOICE;
    size_t size = is_int ? sizeof(int) : sizeof(double);
    return cofi_options_check_size(options, info->offset + size, problem);
}

CofStatus cof_options_set(CofOptions *options, const char *name, const char *value,
                          CofProblem *problem)
{
    cofi_no_problem(problem);
    CofStatus status = cofi_check_pointers(
        problem, (const CofiPointer[]){
                     {options, "options"}, {name, "name"}, {value, "value"}, {NULL, NULL}});
    if (status != COF_OK)
        return status;
    const CofOptionInfo *info = cof_option_find(name);
    if (!info)
        return cofi_argument_problem(problem, COF_ERR_OPTION, "name",
                                     "there is no option of that name");
    if (info->flags & COF_OPTION_FLAG_NO_FIELD)
        return cofi_option_problem(problem, info->name,
                                   "a preset needs an image size: use cof_options_set_preset()");
    status = check_field(options, info, problem);
    if (status != COF_OK)
        return status;
    if (info->type == COF_OPTION_TYPE_UINT64)
        return set_seed(options, info, value, problem);
    double number;
    if (!parse(info, value, &number) || !cofi_option_allows(info, number))
        return cofi_option_problem(problem, info->name, cofi_option_range(info));
    if (strcmp(name, "variant") == 0)
        return cof_options_set_variant(options, (CofVariant)number, problem);
    cofi_option_put(options, info, number);
    return COF_OK;
}

CofStatus cof_option_get(const CofOptions *options, const CofOptionInfo *info, double *value)
{
    if (!options || !info || !value)
        return COF_ERR_ARGUMENT;
    if (info->flags & COF_OPTION_FLAG_NO_FIELD)
        return COF_ERR_OPTION;
    CofStatus status = check_field(options, info, NULL);
    if (status == COF_OK)
        *value = cofi_option_get(options, info);
    return status;
}

CofStatus cof_option_put(CofOptions *options, const CofOptionInfo *info, double value,
                         CofProblem *problem)
{
    cofi_no_problem(problem);
    if (!options || !info)
        return cofi_argument_problem(problem, COF_ERR_ARGUMENT, options ? "info" : "options",
                                     "a required argument is NULL");
    if (info->flags & COF_OPTION_FLAG_NO_FIELD)
        return cofi_option_problem(problem, info->name,
                                   "a preset needs an image size: use cof_options_set_preset()");
    CofStatus status = check_field(options, info, problem);
    if (status != COF_OK)
        return status;
    bool whole = info->type == COF_OPTION_TYPE_DOUBLE || value == floor(value);
    if (!whole || !cofi_option_allows(info, value))
        return cofi_option_problem(problem, info->name, cofi_option_range(info));
    cofi_option_put(options, info, value);
    return COF_OK;
}
