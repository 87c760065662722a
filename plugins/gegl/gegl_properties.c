/* SPDX-License-Identifier: BSD-2-Clause */
/* The properties of cof:filter, made from the option table.
 *
 * GIMP sets every property of an operation, so it is the value that tells whether a property was
 * set: not if it is the default or, once a dialog shows the values of a preset for an image, if it
 * is that value. The property "shown" names this preset and image size; it is stored with the
 * others, so that they mean the same in any order, in another image and in a file.
 *
 * A choice has the additional value 0, "default" ("none" for the preset), so that each of its words
 * can be set; the word of index i is i + 1. */
#include "gegl_properties.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "option_fields.h"

/* Sliders end here if an option allows more than LARGE_RANGE. */
#define SLIDER_END 100
#define LARGE_RANGE 256

/* Larger sliders are finer near 0, and so is that of a ratio. */
#define SLIDER_GAMMA 2.0

/* GIMP stores numbers in single precision. */
#define PRECISION 1e-6

#define FLAGS (G_PARAM_READWRITE | G_PARAM_CONSTRUCT | GEGL_PARAM_PAD_INPUT)

/* Hosts show properties in the order of their ids: first what most images need, then the options
 * that presets set, those that they do not set, the model and what is shown. */
enum { ID_PRESET = 1, ID_STRENGTH, ID_SIZE, ID_DETAIL, ID_ALL_OPTIONS, ID_OPTIONS };

static guint id_of(int index)
{
    const CofOptionInfo *info = cof_option_info(index);
    int rank = info->flags & COF_OPTION_FLAG_PRESET ? index : index + cof_option_count();
    return strcmp(info->name, "preset") == 0     ? ID_PRESET
           : strcmp(info->name, "size") == 0     ? ID_SIZE
           : strcmp(info->name, "strength") == 0 ? ID_STRENGTH
           : strcmp(info->name, "detail") == 0   ? ID_DETAIL
                                                 : ID_OPTIONS + (guint)rank;
}

static guint id_of_model(void)
{
    return ID_OPTIONS + 2 * (guint)cof_option_count();
}

static guint id_of_shown(void)
{
    return id_of_model() + 1;
}

/* A word of an option as a label. */
static char *label_of(const char *word)
{
    char *label = g_strdup(word);
    label[0] = g_ascii_toupper(label[0]);
    return label;
}

/* Types live as long as the process, and so do their values. */
static GType enum_type(const CofOptionInfo *info)
{
    char *name = g_strdup_printf("GeglCofFilter-%s", info->name);
    GType type = g_type_from_name(name);
    if (!type) {
        int n = (int)info->maximum + 1;
        GEnumValue *values = g_new0(GEnumValue, n + 2);
        values[0] = info->flags & COF_OPTION_FLAG_NO_FIELD ? (GEnumValue){0, "None", "none"}
                    : info->flags & COF_OPTION_FLAG_PRESET ? (GEnumValue){0, "By preset", "default"}
                                                           : (GEnumValue){0, "Default", "default"};
        for (int i = 0; i < n; i++)
            values[i + 1] = (GEnumValue){i + 1, label_of(info->choices[i]), info->choices[i]};
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
    bool is_ratio = info->offset == offsetof(CofOptions, size);
    bool finer = (low >= 0 && high > LARGE_RANGE) || is_ratio;
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
    /* What GIMP calls presets are settings that were saved. A dialog opens with one that suits
     * all images. */
    bool is_preset = info->flags & COF_OPTION_FLAG_NO_FIELD;
    return gegl_param_spec_enum(name, is_preset ? "Filter preset" : info->label, text,
                                enum_type(info), is_preset ? COF_PRESET_SUBTLE + 1 : 0, FLAGS);
}

static void install(GObjectClass *class, guint id, GParamSpec *property)
{
    if (id > ID_ALL_OPTIONS)
        gegl_param_spec_set_property_key(property, "visible",
                                         id == id_of_shown() ? "0" : "all-options");
    g_object_class_install_property(class, id, property);
}

static void install_option(GObjectClass *class, int index)
{
    const CofOptionInfo *info = cof_option_info(index);
    char *name = g_strdelimit(g_strdup(info->name), "_", '-');
    char *text = info->automatic ? g_strdup_printf("%s; 0 = %s", info->help, info->automatic)
                                 : g_strdup(info->help);
    GParamSpec *property = property_of(info, name, text);
    if (id_of(index) == ID_SIZE)
        gegl_param_spec_set_property_key(property, "sensitive", "! preset {none}");
    install(class, id_of(index), property);
    g_free(name);
    g_free(text);
}

void filter_properties_install(GObjectClass *class)
{
    for (int i = 0; i < cof_option_count(); i++)
        if (option_is_for_smoothing(cof_option_info(i)))
            install_option(class, i);
    install(class, ID_ALL_OPTIONS,
            g_param_spec_boolean("all-options", "All options",
                                 "show all options, with the values of the preset", FALSE, FLAGS));
    install(class, id_of_model(),
            gegl_param_spec_string("model", "Model",
                                   "a .cof file written by cof learn; empty = learn from the image",
                                   TRUE, TRUE, "", FLAGS));
    install(class, id_of_shown(),
            gegl_param_spec_string("shown", "Shown",
                                   "the preset and image size whose values the options show, which "
                                   "the operation sets; empty = none",
                                   TRUE, TRUE, "", FLAGS));
}

void filter_properties_init(FilterProperties *properties)
{
    *properties = (FilterProperties){.numbers = g_new0(double, id_of_shown() + 1)};
}

void filter_properties_clear(FilterProperties *properties)
{
    g_clear_pointer(&properties->numbers, g_free);
    g_clear_pointer(&properties->model, g_free);
    g_clear_pointer(&properties->shown, g_free);
}

void filter_properties_set(FilterProperties *properties, guint id, const GValue *value)
{
    double *number = &properties->numbers[id];
    if (G_VALUE_HOLDS_STRING(value)) {
        char **text = id == id_of_model() ? &properties->model : &properties->shown;
        g_free(*text);
        *text = g_value_dup_string(value);
    } else if (G_VALUE_HOLDS_DOUBLE(value)) {
        *number = g_value_get_double(value);
    } else {
        GValue whole = G_VALUE_INIT;
        g_value_init(&whole, G_TYPE_INT64);
        g_value_transform(value, &whole);
        *number = (double)g_value_get_int64(&whole);
    }
}

void filter_properties_get(const FilterProperties *properties, guint id, GValue *value)
{
    double number = properties->numbers[id];
    if (G_VALUE_HOLDS_STRING(value)) {
        g_value_set_string(value, id == id_of_model() ? properties->model : properties->shown);
    } else if (G_VALUE_HOLDS_DOUBLE(value)) {
        g_value_set_double(value, number);
    } else {
        GValue whole = G_VALUE_INIT;
        g_value_init(&whole, G_TYPE_INT64);
        g_value_set_int64(&whole, (gint64)number);
        g_value_transform(&whole, value);
    }
}

/* The options with the values that properties have that were not set: those that are shown, or the
 * defaults. */
static CofOptions shown_options(const FilterProperties *properties)
{
    CofOptions options;
    int preset, width, height, length = 0;
    cof_options_init(&options);
    if (properties->shown)
        sscanf(properties->shown, "%d %d %d %n", &preset, &width, &height, &length);
    if (length > 0 && properties->shown[length] != '\0')
        options.size = g_ascii_strtod(properties->shown + length, NULL);
    if (length == 0 ||
        cof_options_set_preset(&options, (CofPreset)preset, width, height, NULL) != COF_OK)
        cof_options_init(&options);
    return options;
}

static bool is_set(const CofOptionInfo *info, double number, const CofOptions *shown)
{
    double value;
    if (info->type == COF_OPTION_TYPE_CHOICE)
        return number != 0;
    return cof_option_get(shown, info, &value) == COF_OK &&
           fabs(number - value) > PRECISION * fabs(value);
}

/* Even sides, which sliders produce, mean the next odd one. */
static double option_value(const CofOptionInfo *info, double number)
{
    if (info->type == COF_OPTION_TYPE_CHOICE)
        return number - 1;
    return info->flags & COF_OPTION_FLAG_ODD && number > 0 ? (int)number | 1 : number;
}

static bool is_field_set(const FilterProperties *properties, const CofOptions *shown, size_t offset)
{
    const CofOptionInfo *info;
    for (int i = 0; (info = cof_option_info(i)); i++)
        if (!(info->flags & COF_OPTION_FLAG_NO_FIELD) && info->offset == offset)
            return is_set(info, properties->numbers[id_of(i)], shown);
    return false;
}

/* The table begins with preset and variant, which the options behind them override. */
CofStatus filter_properties_options(const FilterProperties *properties, int width, int height,
                                    CofOptions *options, CofProblem *problem)
{
    CofOptions shown = shown_options(properties);
    CofStatus status = COF_OK;
    bool has_preset = properties->numbers[ID_PRESET] != 0;
    cof_options_init(options);
    options->size = properties->numbers[ID_SIZE]; /* which the preset needs */
    for (int i = 0; i < cof_option_count() && status == COF_OK; i++) {
        const CofOptionInfo *info = cof_option_info(i);
        double number = properties->numbers[id_of(i)], value = option_value(info, number);
        if (!option_is_for_smoothing(info) || !is_set(info, number, &shown))
            continue;
        if (info->flags & COF_OPTION_FLAG_NO_FIELD)
            status = cof_options_set_preset(options, (CofPreset)value, width, height, problem);
        else if (info->offset == offsetof(CofOptions, variant))
            status = cof_options_set_variant(options, (CofVariant)value, problem);
        else
            option_put(options, info, value);
    }
    if (has_preset && is_field_set(properties, &shown, offsetof(CofOptions, downscale)) &&
        !is_field_set(properties, &shown, offsetof(CofOptions, filter_downscale)))
        options->filter_downscale = options->downscale;
    return status == COF_OK ? cof_options_check(options, problem) : status;
}

/* Moves a property that was not set, and is no choice, to another value. */
static void move(double *number, const CofOptionInfo *info, const CofOptions *from,
                 const CofOptions *to, GObject *object)
{
    double value;
    if (!(info->flags & COF_OPTION_FLAG_PRESET) || info->type == COF_OPTION_TYPE_CHOICE ||
        is_set(info, *number, from) || cof_option_get(to, info, &value) != COF_OK ||
        value == *number)
        return;
    char *name = g_strdelimit(g_strdup(info->name), "_", '-');
    *number = value;
    g_object_notify(object, name);
    g_free(name);
}

bool filter_properties_are_shown(const FilterProperties *properties)
{
    return properties->numbers[ID_ALL_OPTIONS] != 0;
}

void filter_properties_show(FilterProperties *properties, int width, int height, GObject *object)
{
    int preset = (int)properties->numbers[ID_PRESET] - 1;
    char size[G_ASCII_DTOSTR_BUF_SIZE];
    CofOptions from = shown_options(properties);
    char *before = properties->shown;
    g_ascii_dtostr(size, sizeof size, properties->numbers[ID_SIZE]);
    properties->shown =
        preset < 0 ? g_strdup("") : g_strdup_printf("%d %d %d %s", preset, width, height, size);
    if (g_strcmp0(before, properties->shown) != 0) {
        CofOptions to = shown_options(properties);
        g_object_freeze_notify(object);
        for (int i = 0; i < cof_option_count(); i++)
            move(&properties->numbers[id_of(i)], cof_option_info(i), &from, &to, object);
        g_object_notify(object, "shown");
        g_object_thaw_notify(object);
    }
    g_free(before);
}
