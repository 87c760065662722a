/* SPDX-License-Identifier: BSD-2-Clause */
/* Folders among the inputs, which stand for their images. */
#include "options/arguments_folders.h"

#include <stdlib.h>
#include <string.h>

#include "io/folder_walk.h"
#include "io/paths.h"
#include "options/arguments_files.h"
#include "ui/error_line.h"

bool arguments_have_folder(const Arguments *a)
{
    int n = a->subcommand & (CMD_FILTER | CMD_LEARN) ? arguments_n_inputs(a) : 0;
    bool found = false;
    for (int i = 0; i < n && !found; i++)
        found = path_is_folder(a->operands[i]);
    return found;
}

/* Files that are left out are mentioned: one of them may be a misnamed image. */
static void print_skipped(const char *folder, int n)
{
    if (n == 0)
        return;
    char *text =
        g_strdup_printf("skipped %d file%s without the suffix of an image", n, n == 1 ? "" : "s");
    print_note(folder, text);
    g_free(text);
}

/* The images of the only input come to the output folder, those of one of several inputs to a
 * folder of the same name in it. */
static char *subfolder_of(const char *folder, bool only)
{
    char *name = g_path_get_basename(folder);
    if (!only && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && strcmp(name, "/") != 0)
        return name;
    g_free(name);
    return g_strdup("");
}

static void add_folder(FolderWalk *walk, const char *folder, bool only)
{
    int others = walk->n_others, folders = walk->n_folders;
    guint files = walk->files->len;
    bool failed = walk->failed;
    char *subfolder = subfolder_of(folder, only);
    folder_walk_add(walk, folder, subfolder);
    g_free(subfolder);
    if (walk->files->len > files) {
        print_skipped(folder, walk->n_others - others);
    } else if (!walk->failed || failed) {
        print_error(folder, walk->n_folders > folders
                                ? "has no images; use -r to search its folders"
                                : "has no images");
        walk->failed = true;
    }
}

static void find_inputs(FolderWalk *walk, const Arguments *a)
{
    for (int i = 0; i < a->n_operands; i++)
        if (!path_is_folder(a->operands[i]))
            folder_walk_add_file(walk, a->operands[i], "");
        else if (a->n_operands == 1 || !folder_walk_is_output(walk, a->operands[i]))
            add_folder(walk, a->operands[i], a->n_operands == 1);
        else
            print_note(a->operands[i], "is the output folder, and not an input");
}

bool arguments_expand_folders(Arguments *a, IsOtherImage *is_other_image)
{
    if (!arguments_have_folder(a))
        return true;
    a->found = g_new(FolderWalk, 1);
    folder_walk_init(a->found, option_set(a, OPT_RECURSIVE),
                     a->subcommand == CMD_FILTER ? a->output : NULL, is_other_image);
    find_inputs(a->found, a);
    int n = (int)a->found->files->len;
    char **operands = calloc((size_t)n + 1, sizeof *operands);
    if (!operands) {
        print_error(a->operands[0], "not enough memory");
        return false;
    }
    for (int i = 0; i < n; i++)
        operands[i] = ((FoundFile *)a->found->files->pdata[i])->path;
    if (n == 0 && !a->found->failed)
        print_error(a->output, "is the output folder; no input is left");
    free(a->operands);
    a->operands = operands;
    a->n_operands = n;
    return n > 0;
}

bool arguments_folders_failed(const Arguments *a)
{
    return a->found && a->found->failed;
}

void arguments_folders_free(Arguments *a)
{
    if (a->found)
        folder_walk_free(a->found);
    g_free(a->found);
    a->found = NULL;
}
