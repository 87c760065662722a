/* SPDX-License-Identifier: BSD-2-Clause */
/* Applies the GEGL operation to a drawable. */
#include "gimp_apply.h"

static Result calling_error(char *problem)
{
    return (Result){GIMP_PDB_CALLING_ERROR, problem};
}

const char *drawable_problem(gint32 drawable)
{
    if (!gimp_item_is_valid(drawable) || !gimp_item_is_drawable(drawable))
        return "there is no such drawable";
    if (gimp_item_is_group(drawable))
        return "a group of layers has no pixels of its own: choose a layer";
    if (gimp_item_get_lock_content(drawable))
        return "its contents are locked";
    if (gimp_drawable_is_indexed(drawable))
        return "the image is indexed: convert it to RGB (Image > Mode)";
    return NULL;
}

static void show_progress(GeglNode *node, gdouble done, gpointer user)
{
    (void)node, (void)user;
    gimp_progress_update(done);
}

/* A GEGL operation cannot report errors: on failure it logs a warning and copies its input. */
static void on_warning(const gchar *domain, GLogLevelFlags level, const gchar *text, gpointer user)
{
    (void)domain, (void)level;
    char **problem = user;
    if (!*problem)
        *problem = g_strdup(text);
}

static char *run_graph(GeglNode *sink)
{
    char *problem = NULL;
    guint handler = g_log_set_handler("cof", G_LOG_LEVEL_WARNING, on_warning, &problem);
    gegl_node_process(sink);
    g_log_remove_handler("cof", handler);
    return problem;
}

static Result filter(GeglBuffer *from, GeglBuffer *to, const ArgumentValues *settings)
{
    GeglNode *graph = gegl_node_new();
    GeglNode *source =
        gegl_node_new_child(graph, "operation", "gegl:buffer-source", "buffer", from, NULL);
    GeglNode *node = gegl_node_new_child(graph, "operation", OPERATION, NULL);
    GeglNode *sink =
        gegl_node_new_child(graph, "operation", "gegl:write-buffer", "buffer", to, NULL);
    gegl_node_link_many(source, node, sink, NULL);
    Result result = calling_error(arguments_apply(settings, node));
    if (!result.problem) {
        g_signal_connect(node, "progress", G_CALLBACK(show_progress), NULL);
        result.problem = run_graph(sink);
        result.status = result.problem ? GIMP_PDB_EXECUTION_ERROR : GIMP_PDB_SUCCESS;
    }
    g_object_unref(graph);
    return result;
}

Result apply_to_drawable(gint32 drawable, const ArgumentValues *settings)
{
    int x, y, width, height;
    /* The selection does not intersect the drawable. */
    if (!gimp_drawable_mask_intersect(drawable, &x, &y, &width, &height))
        return (Result){GIMP_PDB_SUCCESS, NULL};
    gimp_progress_init("Co-occurrence Filter");
    GeglBuffer *from = gimp_drawable_get_buffer(drawable);
    GeglBuffer *to = gimp_drawable_get_shadow_buffer(drawable);
    Result result = filter(from, to, settings);
    /* Releasing the buffers flushes them to GIMP, which must precede the merge. */
    g_object_unref(from);
    g_object_unref(to);
    if (result.status == GIMP_PDB_SUCCESS && !gimp_drawable_merge_shadow(drawable, TRUE))
        result = (Result){GIMP_PDB_EXECUTION_ERROR, g_strdup(gimp_get_pdb_error())};
    if (result.status == GIMP_PDB_SUCCESS)
        gimp_drawable_update(drawable, x, y, width, height);
    else
        gimp_drawable_free_shadow(drawable);
    gimp_progress_end();
    return result;
}
