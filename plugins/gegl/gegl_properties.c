/* SPDX-License-Identifier: BSD-2-Clause */
/* The properties of cof:filter, made from the option table. GIMP sets every property of an
 * operation, so a property that has its default value counts as not set: presets and variants may
 * change it. A choice has the additional value 0, "default" ("none" for the preset), so that each
 * of its words can be set; the word of index i is i + 1. */
#include "gegl_properties.h"

#include <stdbool.h>

#include "option_fields.h"

/* Sliders end here if an option allows more than LARGE_RANGE. */
#define SLIDER_END 100
#define LARGE_RANGE 256

/* Larger sliders are finer near 0. */
#define SLIDER_GAMMA 2.0

#define FLAGS (G_PARAM_READWRITE | G_PARAM_CONSTRUCT | GEGL_PARAM_PAD_INPUT)

/* Ids begin at 1; the model follows the options. */
static guint id_of(int index)
{
    return (guint)index + 1;
}

static const CofOptionInfo *option_of(guint id)
{
    return cof_option_info((int)id - 1);
}

/* Types live as long as the process, and so do their values. */
static GType enum_type(const CofOptionInfo *info)
{
    char *name = g_strdup_printf("GeglCofFilter-%s", info->name);
    GType type = g_type_from_name(name);
    if (!type) {
        int n = (int)info->maximum + 1;
        const char *unset = info->flags & COF_OPTION_FLAG_NO_FIELD ? "none" : "default";
        GEnumValue *values = g_new0(GEnumValue, n + 2);
        values[0] = (GEnumValue){0, unset, unset};
        for (int i = 0; i < n; i++)
            values[i + 1] = (GEnumValue){i + 1, info->choices[i], info->choices[i]};
        type = g_enum_register_static(name, values);
    }
    g_free(name);
    return type;
}

static double minimum_of(const CofOptionInfo *info)
{
    return info->flags & COF_OPTION_FLAG_AUTO ? 0 : info->minimum;
}

static double slider_end(double limit)
{
    return limit > LARGE_RANGE ? SLIDER_END : limit < -LARGE_RANGE ? -SLIDER_END : limit;
}

static GParamSpec *int_property(const CofOptionInfo *info, const char *name, const char *text)
{
    int low = (int)minimum_of(info), high = (int)info->maximum;
    GParamSpec *property =
        gegl_param_spec_int(name, info->label, text, low, high, (int)info->default_value, low,
                            (int)slider_end(high), high > LARGE_RANGE ? SLIDER_GAMMA : 1, FLAGS);
    if (info->flags & COF_OPTION_FLAG_ODD)
        gegl_param_spec_int_set_steps(GEGL_PARAM_SPEC_INT(property), 2, 6);
    return property;
}

static GParamSpec *double_property(const CofOptionInfo *info, const char *name, const char *text)
{
    double low = minimum_of(info), high = info->maximum;
    bool finer = low >= 0 && high > LARGE_RANGE;
    return gegl_param_spec_double(name, info->label, text, low, high, info->default_value,
                                  slider_end(low), slider_end(high), finer ? SLIDER_GAMMA : 1,
                                  FLAGS);
}

static GParamSpec *property_of(const CofOptionInfo *info, const char *name, const char *text)
{
    switch (info->type) {
    case COF_OPTION_TYPE_INT:
        return int_property(info, name, text);
    case COF_OPTION_TYPE_DOUBLE:
        return double_property(info, name, text);
    case COF_OPTION_TYPE_UINT64:
        return gegl_param_spec_seed(name, info->label, text, FLAGS);
    case COF_OPTION_TYPE_CHOICE:
        break;
    }
    return gegl_param_spec_enum(name, info->label, text, enum_type(info), 0, FLAGS);
}

static void install_option(GObjectClass *class, int index)
{
    const CofOptionInfo *info = cof_option_info(index);
    char *name = g_strdelimit(g_strdup(info->name), "_", '-');
    char *text = info->automatic ? g_strdup_printf("%s; 0 = %s", info->help, info->automatic)
                                 : g_strdup(info->help);
    g_object_class_install_property(class, id_of(index), property_of(info, name, text));
    g_free(name);
    g_free(text);
}

void filter_properties_install(GObjectClass *class)
{
    int n = cof_option_count();
    for (int i = 0; i < n; i++)
        if (option_is_for_smoothing(cof_option_info(i)))
            install_option(class, i);
    g_object_class_install_property(
        class, id_of(n),
        gegl_param_spec_string("model", "Model",
                               "a .cof file written by cof learn; empty = learn from the image",
                               TRUE, TRUE, "", FLAGS));
}

void filter_properties_init(FilterProperties *properties)
{
    int n = cof_option_count();
    *properties = (FilterProperties){.numbers = g_new0(double, n)};
    for (int i = 0; i < n; i++)
        if (cof_option_info(i)->type != COF_OPTION_TYPE_CHOICE)
            properties->numbers[i] = cof_option_info(i)->default_value;
}

void filter_properties_clear(FilterProperties *properties)
{
    g_clear_pointer(&properties->numbers, g_free);
    g_clear_pointer(&properties->model, g_free);
}

static double number_of(CofOptionType type, const GValue *value)
{
    switch (type) {
    case COF_OPTION_TYPE_INT:
        return g_value_get_int(value);
    case COF_OPTION_TYPE_UINT64:
        return g_value_get_uint(value);
    case COF_OPTION_TYPE_DOUBLE:
        return g_value_get_double(value);
    case COF_OPTION_TYPE_CHOICE:
        break;
    }
    return g_value_get_enum(value);
}

void filter_properties_set(FilterProperties *properties, guint id, const GValue *value)
{
    const CofOptionInfo *info = option_of(id);
    if (info) {
        properties->numbers[id - 1] = number_of(info->type, value);
        return;
    }
    g_free(properties->model);
    properties->model = g_value_dup_string(value);
}

void filter_properties_get(const FilterProperties *properties, guint id, GValue *value)
{
    const CofOptionInfo *info = option_of(id);
    double number = info ? properties->numbers[id - 1] : 0;
    if (!info)
        g_value_set_string(value, properties->model);
    else if (info->type == COF_OPTION_TYPE_INT)
        g_value_set_int(value, (int)number);
    else if (info->type == COF_OPTION_TYPE_UINT64)
        g_value_set_uint(value, (guint)number);
    else if (info->type == COF_OPTION_TYPE_DOUBLE)
        g_value_set_double(value, number);
    else
        g_value_set_enum(value, (int)number);
}

static bool is_set(const CofOptionInfo *info, double number)
{
    return number != (info->type == COF_OPTION_TYPE_CHOICE ? 0 : info->default_value);
}

/* Even sides, which sliders produce, mean the next odd one. */
static double option_value(const CofOptionInfo *info, double number)
{
    if (info->type == COF_OPTION_TYPE_CHOICE)
        return number - 1;
    return info->flags & COF_OPTION_FLAG_ODD && number > 0 ? (int)number | 1 : number;
}

static bool is_field_set(const FilterProperties *properties, size_t offset)
{
    const CofOptionInfo *info;
    for (int i = 0; (info = cof_option_info(i)); i++)
        if (!(info->flags & COF_OPTION_FLAG_NO_FIELD) && info->offset == offset)
            return is_set(info, properties->numbers[i]);
    return false;
}

/* The table begins with preset and variant, which the options behind them override. */
CofStatus filter_properties_options(const FilterProperties *properties, int width, int height,
                                    CofOptions *options, CofProblem *problem)
{
    CofStatus status = COF_OK;
    bool has_preset = false;
    cof_options_init(options);
    for (int i = 0; i < cof_option_count() && status == COF_OK; i++) {
        const CofOptionInfo *info = cof_option_info(i);
        double value = option_value(info, properties->numbers[i]);
        if (!option_is_for_smoothing(info) || !is_set(info, properties->numbers[i]))
            continue;
        has_preset |= (info->flags & COF_OPTION_FLAG_NO_FIELD) != 0;
        if (info->flags & COF_OPTION_FLAG_NO_FIELD)
            status = cof_options_set_preset(options, (CofPreset)value, width, height, problem);
        else if (info->offset == offsetof(CofOptions, variant))
            status = cof_options_set_variant(options, (CofVariant)value, problem);
        else
            option_put(options, info, value);
    }
    if (has_preset && is_field_set(properties, offsetof(CofOptions, downscale)) &&
        !is_field_set(properties, offsetof(CofOptions, filter_downscale)))
        options->filter_downscale = options->downscale;
    return status == COF_OK ? cof_options_check(options, problem) : status;
}
