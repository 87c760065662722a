/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzz target: options and strokes as text. The first byte of an input chooses what is done with
 * the rest: "name\0value" for cof_options_set(), a number for cof_option_put(), a variant or a
 * preset, or the text of a stroke. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "captured_streams.h"
#include "cof/cof.h"
#include "fuzz.h"
#include "input.h"
#include "options/strokes.h"

/* What is left of the input up to the next 0, as a string. Freed by the caller. */
static char *take_text(Input *input)
{
    size_t length = strnlen((const char *)input->at, input->left);
    char *text = malloc(length + 1);
    CHECK(text != NULL);
    memcpy(text, input->at, length);
    text[length] = '\0';
    size_t taken = length < input->left ? length + 1 : length;
    input->at += taken;
    input->left -= taken;
    return text;
}

/* Either all is well, or nothing was changed and the problem says why. */
static void check_result(CofStatus status, const CofProblem *problem, const CofOptions *before,
                         const CofOptions *after)
{
    CHECK(status == problem->status);
    if (status == COF_OK)
        return;
    CHECK(problem->text != NULL && problem->text[0] != '\0');
    CHECK(strpbrk(problem->text, "\n\r") == NULL);
    CHECK(!problem->option || cof_option_find(problem->option) != NULL);
    CHECK(memcmp(before, after, sizeof *before) == 0);
}

/* The value as text gives the same value again. */
static void check_text_of_value(const CofOptions *options, const CofOptionInfo *info)
{
    double value, again;
    char text[64];
    CofOptions other;
    cof_options_init(&other);
    CHECK(cof_option_get(options, info, &value) == COF_OK);
    if (info->type == COF_OPTION_TYPE_UINT64 && value > 0x1p53)
        return; /* rounded */
    if (info->choices)
        snprintf(text, sizeof text, "%s", info->choices[(int)value]);
    else
        snprintf(text, sizeof text, "%.17g", value);
    CHECK(cof_options_set(&other, info->name, text, NULL) == COF_OK);
    CHECK(cof_option_get(&other, info, &again) == COF_OK);
    CHECK(value == again);
}

/* Low and high are checked together, all other options alone. */
static void check_options(const CofOptions *options, const CofOptionInfo *info)
{
    CofProblem problem;
    CofStatus status = cof_options_check(options, &problem);
    CHECK(status == COF_OK || strcmp(info->name, "low") == 0 || strcmp(info->name, "high") == 0);
}

static void set_from_text(Input *input)
{
    CofOptions options, before;
    CofProblem problem;
    char *name = take_text(input), *value = take_text(input);
    cof_options_init(&options);
    memcpy(&before, &options, sizeof before);
    CofStatus status = cof_options_set(&options, name, value, &problem);
    check_result(status, &problem, &before, &options);
    if (status == COF_OK) {
        check_text_of_value(&options, cof_option_find(name));
        check_options(&options, cof_option_find(name));
    }
    free(name);
    free(value);
}

static void put_number(Input *input)
{
    CofOptions options, before;
    CofProblem problem;
    double found;
    const CofOptionInfo *info = cof_option_info(input_byte(input) - 1);
    double value = input_rarely(input, 2) ? input_byte(input) : input_double(input);
    cof_options_init(&options);
    memcpy(&before, &options, sizeof before);
    CofStatus status = cof_option_put(&options, info, value, &problem);
    check_result(status, &problem, &before, &options);
    if (status != COF_OK)
        return;
    CHECK(cof_option_get(&options, info, &found) == COF_OK);
    CHECK(found == value);
    check_text_of_value(&options, info);
    check_options(&options, info);
}

/* Options of a caller that was built with another header. */
static void use_other_size(Input *input)
{
    union {
        CofOptions options;
        unsigned char bytes[sizeof(CofOptions) + 64];
    } caller;
    CofProblem problem;
    uint32_t size = (uint32_t)input_int(input, 0, (int)sizeof caller.bytes);
    memset(caller.bytes, 0xa5, sizeof caller.bytes);
    cof_options_init_sized(&caller.options, size);
    if (size < sizeof caller.options.struct_size)
        return;
    char *name = take_text(input), *value = take_text(input);
    CofStatus status = cof_options_set(&caller.options, name, value, &problem);
    CHECK(status == problem.status);
    status = cof_options_check(&caller.options, &problem);
    CHECK(status == problem.status);
    for (size_t i = size; i < sizeof caller; i++)
        CHECK(caller.bytes[i] == 0xa5);
    free(name);
    free(value);
}

static void set_preset(Input *input)
{
    CofOptions options, before;
    CofProblem problem;
    cof_options_init(&options);
    memcpy(&before, &options, sizeof before);
    int which = input_byte(input) - 1;
    int width = (int)input_u32(input), height = (int)input_u32(input);
    CofStatus status = cof_options_set_variant(&options, (CofVariant)which, &problem);
    check_result(status, &problem, &before, &options);
    CHECK((status == COF_OK) == (which >= 0 && which <= COF_VARIANT_APP));
    options.size = 0.25 + input_byte(input) / 68.0; /* to 4 */
    memcpy(&before, &options, sizeof before);
    status = cof_options_set_preset(&options, (CofPreset)which, width, height, &problem);
    check_result(status, &problem, &before, &options);
    CHECK(cof_options_check(&options, NULL) == COF_OK);
    const char *text = cof_status_string((CofStatus)-which);
    CHECK(text != NULL && text[0] != '\0');
    const char *stage = cof_stage_name((CofStage)which);
    CHECK((stage != NULL) == (which >= 0 && which <= COF_STAGE_STORE));
}

/* A stroke that the check accepts can be drawn, or lies outside of the image. */
static void draw_stroke(Input *input)
{
    enum { SIDE = 24 };
    int width = input_int(input, 1, SIDE), height = input_int(input, 1, SIDE);
    uint8_t *marks = calloc((size_t)width, (size_t)height);
    CHECK(marks != NULL);
    char *text = take_text(input);
    capture_begin();
    bool ok = stroke_check("stroke", text);
    Captured captured = capture_end();
    CHECK(ok == (captured.err_size == 0) && captured.out_size == 0);
    CHECK(ok || captured.err[captured.err_size - 1] == '\n');
    CofImage mask = {.data = marks, .width = width, .height = height, .channels = 1};
    CofStatus status = ok ? stroke_draw(text, &mask, NULL) : COF_ERR_EMPTY;
    CHECK(status == COF_OK || status == COF_ERR_EMPTY || status == COF_ERR_ARGUMENT);
    int found = 0;
    for (int i = 0; i < width * height; i++)
        found += marks[i] != 0;
    CHECK((found > 0) == (status == COF_OK));
    free(text);
    free(marks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const actions[])(Input *) = {set_from_text, put_number, draw_stroke, set_preset,
                                               use_other_size};
    Input input = {data, size};
    actions[input_byte(&input) % 5](&input);
    return 0;
}
