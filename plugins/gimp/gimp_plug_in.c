/* SPDX-License-Identifier: BSD-2-Clause */
/* The procedure plug-in-cof of GIMP 2.10, for scripts, which cannot call GEGL operations. For
 * interactive use GIMP has its own dialog (Tools > GEGL Operation), so there is no menu entry. */
#include "gimp_apply.h"

#define PROCEDURE "plug-in-cof"

static void query(void)
{
    gimp_install_procedure(
        PROCEDURE, "Smooth textures, keep the boundaries between them",
        "The Co-occurrence Filter: colours that often occur side by side in the drawable are "
        "averaged, others are kept apart. It learns from the whole drawable and filters what is "
        "selected. "
        "A preset sets the options that suit the size of the drawable; options that do not have "
        "their default value override it. The procedure calls the GEGL operation " OPERATION ", "
        "which has a dialog and a preview in Tools > GEGL Operation.",
        "The authors of libcof", "BSD-2-Clause", "2026", NULL, "RGB*, GRAY*", GIMP_PLUGIN,
        argument_count(), 0, arguments(), NULL);
}

/* Checks that need no GEGL, because starting GEGL takes longer than everything else. */
static char *check_call(int n, const GimpParam *values)
{
    if (n < FIRST_PROPERTY)
        return g_strdup("a run mode, an image and a drawable are needed");
    int mode = values[ARGUMENT_RUN_MODE].data.d_int32;
    if (mode != GIMP_RUN_NONINTERACTIVE && mode != GIMP_RUN_WITH_LAST_VALS)
        return g_strdup(
            "it has no dialog: use Tools > GEGL Operation, or another run mode with all arguments");
    if (mode == GIMP_RUN_NONINTERACTIVE && n != argument_count())
        return g_strdup_printf("%d arguments are needed, not %d", argument_count(), n);
    const char *reason = drawable_problem(values[ARGUMENT_DRAWABLE].data.d_drawable);
    return reason ? g_strdup(reason) : NULL;
}

static char *choose_values(const GimpParam *values, ArgumentValues *settings)
{
    if (values[ARGUMENT_RUN_MODE].data.d_int32 == GIMP_RUN_NONINTERACTIVE)
        return arguments_read(values, settings);
    arguments_default(settings);
    if (gimp_get_data_size(PROCEDURE) == sizeof *settings)
        gimp_get_data(PROCEDURE, settings);
    return NULL;
}

static Result run_with(int n, const GimpParam *values)
{
    ArgumentValues settings = {.model = ""};
    Result result = {GIMP_PDB_CALLING_ERROR, check_call(n, values)};
    if (result.problem)
        return result;
    gegl_init(NULL, NULL);
    if (!gegl_has_operation(OPERATION))
        return (Result){GIMP_PDB_EXECUTION_ERROR,
                        g_strdup("the operation " OPERATION " of GEGL is not installed")};
    result.problem = choose_values(values, &settings);
    if (!result.problem)
        result = apply_to_drawable(values[ARGUMENT_DRAWABLE].data.d_drawable, &settings);
    if (result.status == GIMP_PDB_SUCCESS)
        gimp_set_data(PROCEDURE, &settings, sizeof settings);
    return result;
}

static void run(const gchar *name, gint n, const GimpParam *values, gint *n_results,
                GimpParam **results)
{
    /* GIMP reads the values after the return. */
    static GimpParam answer[2];
    (void)name;
    Result result = run_with(n, values);
    answer[0].type = GIMP_PDB_STATUS;
    answer[0].data.d_status = result.status;
    answer[1].type = GIMP_PDB_STRING;
    answer[1].data.d_string = result.problem;
    *n_results = result.problem ? 2 : 1;
    *results = answer;
}

const GimpPlugInInfo PLUG_IN_INFO = {NULL, NULL, query, run};

MAIN()
