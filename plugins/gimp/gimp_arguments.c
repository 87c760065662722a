/* SPDX-License-Identifier: BSD-2-Clause */
/* The arguments of the procedure, made from the option table. Values are those of the properties of
 * the GEGL operation, which also has ranges and defaults. */
#include "gimp_arguments.h"

#include <stdbool.h>
#include <string.h>

#include "cof/cof.h"
#include "gimp_apply.h"
#include "option_fields.h"

static GimpParamDef all[MAX_ARGUMENTS];
static int count;

static void add(GimpPDBArgType type, const char *name, const char *description)
{
    g_assert(count < MAX_ARGUMENTS);
    all[count++] = (GimpParamDef){type, g_strdup(name), g_strdup(description)};
}

/* "TEXT: default (0), WORD (1), WORD (2)", as the operation numbers the words. */
static char *describe_choice(const CofOptionInfo *info)
{
    bool is_preset = info->flags & COF_OPTION_FLAG_NO_FIELD;
    GString *text = g_string_new(info->help);
    g_string_append(text, is_preset ? ": none (0)" : ": default (0)");
    for (int i = 0; info->choices[i]; i++)
        g_string_append_printf(text, ", %s (%d)", info->choices[i], i + 1);
    return g_string_free(text, FALSE);
}

static char *describe_number(const CofOptionInfo *info)
{
    GString *text = g_string_new(info->help);
    if (info->automatic)
        g_string_append_printf(text, "; 0 = %s", info->automatic);
    g_string_append_printf(text, " (default %g)", info->default_value);
    return g_string_free(text, FALSE);
}

static void add_option(const CofOptionInfo *info)
{
    GimpPDBArgType type = info->type == COF_OPTION_TYPE_DOUBLE ? GIMP_PDB_FLOAT : GIMP_PDB_INT32;
    char *name = g_strdelimit(g_strdup(info->name), "_", '-');
    char *description =
        info->type == COF_OPTION_TYPE_CHOICE ? describe_choice(info) : describe_number(info);
    add(type, name, description);
    g_free(name);
    g_free(description);
}

static void add_all(void)
{
    const CofOptionInfo *info;
    add(GIMP_PDB_INT32, "run-mode", "RUN-NONINTERACTIVE (1) or RUN-WITH-LAST-VALS (2)");
    add(GIMP_PDB_IMAGE, "image", "not used");
    add(GIMP_PDB_DRAWABLE, "drawable", "what is filtered, where it is selected");
    for (int i = 0; (info = cof_option_info(i)); i++)
        if (option_is_for_smoothing(info))
            add_option(info);
    add(GIMP_PDB_STRING, "model",
        "a .cof file written by cof learn, or \"\" to learn from the drawable");
}

const GimpParamDef *arguments(void)
{
    if (count == 0)
        add_all();
    return all;
}

int argument_count(void)
{
    arguments();
    return count;
}

static char *read_name(const char *from, char *to)
{
    if (from && strlen(from) >= MAX_NAME)
        return g_strdup("the name of the model is too long");
    g_strlcpy(to, from ? from : "", MAX_NAME);
    return NULL;
}

char *arguments_read(const GimpParam *values, ArgumentValues *settings)
{
    char *problem = NULL;
    for (int i = FIRST_PROPERTY; i < argument_count() && !problem; i++) {
        double *number = &settings->numbers[i];
        if (all[i].type == GIMP_PDB_STRING)
            problem = read_name(values[i].data.d_string, settings->model);
        else if (all[i].type == GIMP_PDB_FLOAT)
            *number = values[i].data.d_float;
        else
            *number = values[i].data.d_int32;
    }
    return problem;
}

void arguments_default(ArgumentValues *settings)
{
    *settings = (ArgumentValues){.model = ""};
    for (int i = FIRST_PROPERTY; i < argument_count(); i++) {
        GParamSpec *property = gegl_operation_find_property(OPERATION, all[i].name);
        GValue value = G_VALUE_INIT, number = G_VALUE_INIT;
        if (!property || all[i].type == GIMP_PDB_STRING)
            continue;
        g_value_init(&value, G_PARAM_SPEC_VALUE_TYPE(property));
        g_value_init(&number, G_TYPE_DOUBLE);
        g_param_value_set_default(property, &value);
        if (G_VALUE_HOLDS_ENUM(&value))
            g_value_set_double(&number, g_value_get_enum(&value));
        else
            g_value_transform(&value, &number);
        settings->numbers[i] = g_value_get_double(&number);
    }
}

/* Converts a number to the type of the property. Integers need their own path for enums and seeds.
 * */
static bool convert(double number, GimpPDBArgType type, GValue *value)
{
    GValue from = G_VALUE_INIT;
    if (type == GIMP_PDB_FLOAT) {
        g_value_init(&from, G_TYPE_DOUBLE);
        g_value_set_double(&from, number);
        return g_value_transform(&from, value);
    }
    if (G_VALUE_HOLDS_UINT(value)) {
        g_value_set_uint(value, number < 0 ? 0 : (guint)number);
        return number >= 0;
    }
    g_value_init(&from, G_TYPE_INT);
    g_value_set_int(&from, (int)number);
    return g_value_transform(&from, value);
}

static char *apply_number(const GimpParamDef *argument, double number, GeglNode *node)
{
    GParamSpec *property = gegl_operation_find_property(OPERATION, argument->name);
    GValue value = G_VALUE_INIT;
    if (!property)
        return g_strdup_printf("%s is of another version: it has no %s", OPERATION, argument->name);
    g_value_init(&value, G_PARAM_SPEC_VALUE_TYPE(property));
    /* g_param_value_validate() returns TRUE if it had to clamp the value. */
    if (!convert(number, argument->type, &value) || g_param_value_validate(property, &value))
        return g_strdup_printf("%s is out of range: %g (%s)", argument->name, number,
                               argument->description);
    gegl_node_set_property(node, argument->name, &value);
    return NULL;
}

char *arguments_apply(const ArgumentValues *settings, GeglNode *node)
{
    char *problem = NULL;
    for (int i = FIRST_PROPERTY; i < argument_count() && !problem; i++)
        if (all[i].type == GIMP_PDB_STRING)
            gegl_node_set(node, all[i].name, settings->model, NULL);
        else
            problem = apply_number(&all[i], settings->numbers[i], node);
    return problem;
}
