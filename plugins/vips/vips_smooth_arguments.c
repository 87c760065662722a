/* SPDX-License-Identifier: BSD-2-Clause */
/* The operation cof: arguments that exclude each other. */
#include "vips_smooth.h"

bool smooth_has_model(const VipsCofSmooth *s)
{
    return s->model || s->model_blob;
}

bool smooth_differs_in_size(const VipsCofSmooth *s, const VipsImage *other)
{
    return other && (other->Xsize != s->in->Xsize || other->Ysize != s->in->Ysize);
}

int smooth_refuse(const char *argument, CofStatus status, const char *text)
{
    return problem_refuse(&(Argument){.operation = SMOOTH_NAME, .name = argument}, status, text);
}

static int exclude(const char *argument, const char *text)
{
    return smooth_refuse(argument, COF_ERR_OPTION, text);
}

static int check_sizes(const VipsCofSmooth *s)
{
    if (smooth_differs_in_size(s, s->guide))
        return smooth_refuse("guide", COF_ERR_MISMATCH, "the guide differs in size from the input");
    if (smooth_differs_in_size(s, s->labels))
        return smooth_refuse("labels", COF_ERR_MISMATCH,
                             "the labels differ in size from the input");
    return 0;
}

/* A model leaves nothing to learn. Options of the model apply to statistics; see
 * smooth_make_model(). */
static int check_model(VipsCofSmooth *s)
{
    static const char *const learning[] = {"learn_from", "mask", "region", "palette_from"};
    if (smooth_has_model(s) + (s->matrix != NULL) + (s->model && s->model_blob) > 1)
        return exclude("model", "give one model or matrix");
    if (!smooth_has_model(s))
        return 0;
    const char *text = "a model is learned already: learning options have no effect with it";
    for (size_t i = 0; i < G_N_ELEMENTS(learning); i++)
        if (vips_cof_is_set(s, learning[i]))
            return exclude(learning[i], text);
    const char *option = vips_cof_option_set(s, COF_OPTION_GROUP_LEARN);
    return option ? problem_refuse_option(SMOOTH_NAME, option, text) : 0;
}

static int check_exact_soft(const VipsCofSmooth *s, CofUpdate update)
{
    if (s->parent_instance.exact_soft &&
        (update == COF_UPDATE_MODEL || s->labels || s->matrix || smooth_has_model(s)))
        return exclude("exact_soft",
                       "exact_soft learns from pixels, once: not with update model, labels, "
                       "a matrix or a model");
    return 0;
}

/* The option that asks for downscaling; NULL: none. */
static const char *downscaling_option(const CofOptions *options)
{
    return options->downscale > 1          ? "downscale"
           : options->filter_downscale > 1 ? "filter_downscale"
                                           : NULL;
}

static int check_update(const VipsCofSmooth *s, const CofOptions *options)
{
    const char *text = NULL, *option = "update";
    if (options->update == COF_UPDATE_LABELS && (s->guide || s->labels))
        text = "update labels needs labels of the input: not with a guide or labels";
    if (options->update == COF_UPDATE_MODEL &&
        (smooth_has_model(s) || s->matrix || s->learn_from || s->guide || s->labels))
        text = "update model learns from the input itself, pass after pass";
    if (options->update != COF_UPDATE_NONE && s->pixels.linear &&
        options->space == COF_SPACE_NATIVE)
        text = "space native of linear light needs update none";
    if (options->update == COF_UPDATE_MODEL && downscaling_option(options)) {
        option = downscaling_option(options);
        text = options->downscale > 1 ? "update model cannot be combined with downscale"
                                      : "update model cannot be combined with filter_downscale";
    }
    return text ? problem_refuse_option(SMOOTH_NAME, option, text) : 0;
}

int smooth_check_arguments(VipsCofSmooth *s, const CofOptions *options)
{
    if (s->guide && s->labels)
        return exclude("guide", "give a guide or labels, not both");
    if (check_sizes(s) != 0 || check_model(s) != 0 || check_update(s, options) != 0 ||
        check_exact_soft(s, options->update) != 0)
        return -1;
    if (s->labels && (s->learn_from || s->matrix || s->parent_instance.palette_from))
        return exclude("labels", "labels need no palette, and no other image to learn from");
    if (s->labels && downscaling_option(options))
        return problem_refuse_option(SMOOTH_NAME, downscaling_option(options),
                                     "labels cannot be downscaled");
    return 0;
}
