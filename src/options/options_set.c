/* SPDX-License-Identifier: BSD-2-Clause */
/* Options from text. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/status.h"
#include "cof/cof.h"
#include "options/option_info.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool parse_seed(const char *text, uint64_t *value)
{
    uint64_t sum = 0;
    if (!is_digit(*text))
        return false;
    for (; is_digit(*text); text++) {
        uint64_t digit = (uint64_t)(*text - '0');
        if (sum > (UINT64_MAX - digit) / 10)
            return false;
        sum = 10 * sum + digit;
    }
    *value = sum;
    return *text == '\0';
}

/* Digits with an optional point; *exponent is where the point is. */
static const char *parse_digits(const char *text, double *mantissa, int *exponent, bool *any)
{
    bool fraction = false;
    for (; is_digit(*text) || (*text == '.' && !fraction); text++) {
        if (*text == '.') {
            fraction = true;
            continue;
        }
        *any = true;
        if (*mantissa < 1e17) {
            *mantissa = 10 * *mantissa + (*text - '0');
            *exponent -= fraction;
        } else {
            *exponent += !fraction;
        }
    }
    return text;
}

static const char *parse_exponent(const char *text, int *exponent, bool *any)
{
    if (*text != 'e' && *text != 'E')
        return text;
    text++;
    int sign = *text == '-' ? -1 : 1, value = 0;
    text += *text == '-' || *text == '+';
    *any = is_digit(*text);
    for (; is_digit(*text); text++)
        value = value < 1000 ? 10 * value + (*text - '0') : value;
    *exponent += sign * value;
    return text;
}

/* Decimal numbers with a point in every locale. Correctly rounded up to 15 digits and exponents of
 * up to 22, since both the mantissa and the power of ten are exact then. */
static bool parse_real(const char *text, double *value)
{
    bool negative = *text == '-', any = false;
    double mantissa = 0;
    int exponent = 0;
    text += *text == '-' || *text == '+';
    text = parse_digits(text, &mantissa, &exponent, &any);
    if (!any)
        return false;
    text = parse_exponent(text, &exponent, &any);
    double scaled = exponent < 0 ? mantissa / pow(10, -exponent) : mantissa * pow(10, exponent);
    *value = negative ? -scaled : scaled;
    return any && *text == '\0';
}

static bool parse_choice(const CofOptionInfo *info, const char *text, double *value)
{
    for (int i = 0; info->words[i]; i++)
        if (strcmp(info->words[i], text) == 0) {
            *value = i;
            return true;
        }
    return false;
}

static bool parse(const CofOptionInfo *info, const char *text, double *value)
{
    if (info->type == COF_OPTION_CHOICE)
        return parse_choice(info, text, value);
    if (!parse_real(text, value))
        return false;
    return info->type == COF_OPTION_DOUBLE || *value == floor(*value);
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
    if (info->flags & COF_OPTION_NO_FIELD)
        return cofi_option_problem(problem, info->name,
                                   "a preset needs an image size: use cof_options_set_preset()");
    if (options->struct_size < info->offset + sizeof(double))
        return cofi_problem(problem, COF_ERR_OPTION,
                            "options must be initialised with cof_options_init()");
    if (info->type == COF_OPTION_UINT64)
        return set_seed(options, info, value, problem);
    double number;
    if (!parse(info, value, &number) || !cofi_option_allows(info, number))
        return cofi_option_problem(problem, info->name, cofi_option_range(info));
    if (strcmp(name, "variant") == 0)
        return cof_options_set_variant(options, (CofVariant)number, problem);
    cofi_option_put(options, info, number);
    return COF_OK;
}
