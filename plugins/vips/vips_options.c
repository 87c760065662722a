/* SPDX-License-Identifier: BSD-2-Clause */
/* The option table of libcof as properties of libvips operations. */
#include "vips_options.h"

#include <string.h>

#include "option_fields.h"
#include "vips_problem.h"

#define FIRST_PRIORITY 100 /* of the options in the help, behind the other properties */

GType vips_cof_enum_type(const char *type, const char *const *words)
{
    GType known = g_type_from_name(type);
    if (known != 0)
        return known;
    guint n = g_strv_length((char **)words);
    GEnumValue *values = g_new0(GEnumValue, n + 2);
    for (guint i = 0; i < n; i++)
        values[i] = (GEnumValue){(int)i, words[i], words[i]};
    /* libvips lists all values but the last. */
    values[n] = (GEnumValue){(int)n, "last", "last"};
    return g_enum_register_static(type, values); /* GLib keeps a pointer to the values */
}

/* A preset is not a field that has a value from the start: the words end with "none". */
static int no_preset(const CofOptionInfo *info)
{
    return (int)info->maximum + 1;
}

static GParamSpec *preset_spec(const CofOptionInfo *info, const char *type)
{
    guint n = g_strv_length((char **)info->choices);
    const char **words = g_new0(const char *, n + 2);
    memcpy(words, info->choices, n * sizeof *words);
    words[n] = "none";
    GParamSpec *spec =
        g_param_spec_enum(info->name, info->label, info->help, vips_cof_enum_type(type, words),
                          no_preset(info), G_PARAM_READWRITE);
    g_free(words);
    return spec;
}

static GParamSpec *choice_spec(const CofOptionInfo *info)
{
    char *type = g_strdup_printf("CofVips%c%s", g_ascii_toupper(*info->name), info->name + 1);
    GParamSpec *spec = info->flags & COF_OPTION_FLAG_NO_FIELD
                           ? preset_spec(info, type)
                           : g_param_spec_enum(info->name, info->label, info->help,
                                               vips_cof_enum_type(type, info->choices),
                                               (int)info->default_value, G_PARAM_READWRITE);
    g_free(type);
    return spec;
}

static GParamSpec *number_spec(const CofOptionInfo *info, const char *text)
{
    double low = info->flags & COF_OPTION_FLAG_AUTO ? MIN(info->minimum, 0) : info->minimum;
    if (info->type == COF_OPTION_TYPE_DOUBLE)
        return g_param_spec_double(info->name, info->label, text, low, info->maximum,
                                   info->default_value, G_PARAM_READWRITE);
    if (info->type == COF_OPTION_TYPE_UINT64)
        return g_param_spec_uint64(info->name, info->label, text, 0, G_MAXUINT64,
                                   (guint64)info->default_value, G_PARAM_READWRITE);
    return g_param_spec_int(info->name, info->label, text, (int)low, (int)info->maximum,
                            (int)info->default_value, G_PARAM_READWRITE);
}

/* GLib writes '-' for '_' in names. */
static GParamSpec *spec_of(const CofOptionInfo *info)
{
    if (info->type == COF_OPTION_TYPE_CHOICE)
        return choice_spec(info);
    char *text = info->automatic ? g_strdup_printf("%s; 0 = %s", info->help, info->automatic)
                                 : g_strdup(info->help);
    GParamSpec *spec = number_spec(info, text);
    g_free(text);
    return spec;
}

void vips_cof_install_options(VipsObjectClass *class, CofOptionGroup group, size_t offset)
{
    for (int i = 0; i < cof_option_count(); i++) {
        const CofOptionInfo *info = cof_option_info(i);
        if (info->group != group || !option_is_known(info))
            continue;
        GParamSpec *spec = spec_of(info);
        size_t member = info->flags & COF_OPTION_FLAG_NO_FIELD
                            ? offsetof(OptionValues, preset)
                            : offsetof(OptionValues, options) + info->offset;
        g_object_class_install_property(G_OBJECT_CLASS(class), vips_argument_get_id(), spec);
        vips_object_class_install_argument(class, spec, VIPS_ARGUMENT_OPTIONAL_INPUT,
                                           FIRST_PRIORITY + i, (guint)(offset + member));
    }
}

void option_values_init(OptionValues *values)
{
    cof_options_init(&values->options);
    values->preset = no_preset(cof_option_find("preset"));
}

bool vips_cof_is_set(void *operation, const char *name)
{
    VipsObject *object = VIPS_OBJECT(operation);
    return g_object_class_find_property(G_OBJECT_GET_CLASS(object), name) &&
           vips_object_argument_isset(object, name);
}

const char *vips_cof_option_set(void *operation, CofOptionGroup group)
{
    for (int i = 0; i < cof_option_count(); i++) {
        const CofOptionInfo *info = cof_option_info(i);
        if (info->group == group && option_is_known(info) && vips_cof_is_set(operation, info->name))
            return info->name;
    }
    return NULL;
}

/* The variant comes before the options that it sets, so that those set by the caller override it.
 */
static CofStatus apply_set(VipsObject *operation, const CofOptions *set, CofOptions *options,
                           CofProblem *problem)
{
    CofStatus status = COF_OK;
    for (int i = 0; i < cof_option_count() && status == COF_OK; i++) {
        const CofOptionInfo *info = cof_option_info(i);
        if (info->flags & COF_OPTION_FLAG_NO_FIELD || !option_is_known(info) ||
            !vips_cof_is_set(operation, info->name))
            continue;
        if (info->offset == offsetof(CofOptions, variant))
            status = cof_options_set_variant(options, set->variant, problem);
        else
            option_copy(options, set, info);
    }
    return status;
}

int vips_cof_options(VipsObject *operation, const OptionValues *values, const VipsImage *image,
                     CofOptions *options)
{
    CofProblem problem;
    CofStatus status = COF_OK;
    bool has_preset = values->preset != no_preset(cof_option_find("preset"));
    cof_options_init(options);
    options->size = values->options.size; /* which the preset needs */
    if (has_preset)
        status = cof_options_set_preset(options, (CofPreset)values->preset, image->Xsize,
                                        image->Ysize, &problem);
    if (status == COF_OK)
        status = apply_set(operation, &values->options, options, &problem);
    if (has_preset && vips_cof_is_set(operation, "downscale") &&
        !vips_cof_is_set(operation, "filter_downscale"))
        options->filter_downscale = options->downscale;
    options->threads = vips_concurrency_get();
    if (status == COF_OK)
        status = cof_options_check(options, &problem);
    Argument none = {.operation = VIPS_OBJECT_GET_CLASS(operation)->nickname};
    return status == COF_OK ? 0 : problem_fail(&none, &problem);
}
