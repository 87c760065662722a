/* SPDX-License-Identifier: BSD-2-Clause */
/* The arguments of the procedure. Ranges and defaults are read from the GEGL operation. */
#include "gimp_arguments.h"

#include <string.h>

#include "gimp_apply.h"

static const GimpParamDef all[ARGUMENTS] = {
    {GIMP_PDB_INT32, "run-mode", "RUN-NONINTERACTIVE (1) or RUN-WITH-LAST-VALS (2)"},
    {GIMP_PDB_IMAGE, "image", "Not used"},
    {GIMP_PDB_DRAWABLE, "drawable", "What is filtered, where it is selected"},
    {GIMP_PDB_INT32, "look", "None (0), subtle (1), texture (2), cartoon (3)"},
    {GIMP_PDB_INT32, "window", "Side of the window in pixels, odd: 1 to 63, usually 15"},
    {GIMP_PDB_INT32, "iterations", "1 to 1000, usually 1"},
    {GIMP_PDB_FLOAT, "softness", "0 to 16, usually 0.75; 0 learns hard clusters"},
    {GIMP_PDB_INT32, "colours", "Size of the palette: 1 to 256, usually 32"},
    {GIMP_PDB_INT32, "levels", "The same for grey: 2 to 256, usually 256"},
    {GIMP_PDB_INT32, "method", "Exact (0), fast (1), automatic (2)"},
    {GIMP_PDB_FLOAT, "accuracy", "Of the fast method in dB: 30 to 70, usually 45"},
    {GIMP_PDB_INT32, "filter-window", "Side for filtering: 1 to 255; 0 = as the window"},
    {GIMP_PDB_FLOAT, "filter-sigma", "Of the Gaussian in pixels; 0 = from the window"},
    {GIMP_PDB_FLOAT, "sigma", "The same for learning; 0 = from the window"},
    {GIMP_PDB_INT32, "preset", "The paper (0), the authors' code (1), their app (2)"},
    {GIMP_PDB_INT32, "border", "The preset's (0), nothing (1), mirror (2), reflect101 (3)"},
    {GIMP_PDB_STRING, "model", "A .cof file, or \"\" to learn from the drawable"},
    {GIMP_PDB_INT32, "seed", "0 or more; another one begins with another palette"},
};

const GimpParamDef *arguments(void)
{
    return all;
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
    for (int i = FIRST_PROPERTY; i < ARGUMENTS && !problem; i++) {
        double *number = &settings->numbers[i - FIRST_PROPERTY];
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
    for (int i = FIRST_PROPERTY; i < ARGUMENTS; i++) {
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
        settings->numbers[i - FIRST_PROPERTY] = g_value_get_double(&number);
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
    for (int i = FIRST_PROPERTY; i < ARGUMENTS && !problem; i++)
        if (all[i].type == GIMP_PDB_STRING)
            gegl_node_set(node, all[i].name, settings->model, NULL);
        else
            problem = apply_number(&all[i], settings->numbers[i - FIRST_PROPERTY], node);
    return problem;
}
