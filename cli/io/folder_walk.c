/* SPDX-License-Identifier: BSD-2-Clause */
/* The images in folders, and the names of their outputs. */
#include "io/folder_walk.h"

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/formats.h"
#include "io/paths.h"
#include "ui/error_line.h"

static void free_file(void *data)
{
    FoundFile *file = data;
    g_free(file->path);
    g_free(file->subfolder);
    g_free(file);
}

void folder_walk_init(FolderWalk *walk, bool recursive, const char *output,
                      IsOtherImage *is_other_image)
{
    *walk = (FolderWalk){.files = g_ptr_array_new_with_free_func(free_file),
                         .recursive = recursive,
                         .output = output,
                         .is_other_image = is_other_image,
                         .visited = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
}

void folder_walk_add_file(FolderWalk *walk, const char *path, const char *subfolder)
{
    FoundFile *file = g_new(FoundFile, 1);
    *file = (FoundFile){g_strdup(path), g_strdup(subfolder)};
    g_ptr_array_add(walk->files, file);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The sorted names of what is in a folder; NULL with errno set if it cannot be read. */
static GPtrArray *read_names(const char *folder)
{
    DIR *dir = opendir(folder);
    if (!dir)
        return NULL;
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    const struct dirent *entry;
    while (errno = 0, (entry = readdir(dir)))
        if (entry->d_name[0] != '.')
            g_ptr_array_add(names, g_strdup(entry->d_name));
    int cause = errno;
    closedir(dir);
    if (cause != 0) {
        g_ptr_array_free(names, TRUE);
        errno = cause;
        return NULL;
    }
    g_ptr_array_sort(names, compare_names);
    return names;
}

/* Identifies a folder, through links. */
static char *key_of(const struct stat *info)
{
    return g_strdup_printf("%ju:%ju", (uintmax_t)info->st_dev, (uintmax_t)info->st_ino);
}

/* Whether this is the folder for outputs, whose images are not inputs of the next run. */
static bool is_output(const FolderWalk *walk, const struct stat *info)
{
    struct stat output;
    return walk->output && stat(walk->output, &output) == 0 && output.st_dev == info->st_dev &&
           output.st_ino == info->st_ino;
}

/* What a name in a folder refers to. */
typedef enum EntryKind { ENTRY_IMAGE, ENTRY_FOLDER, ENTRY_LINKED_FOLDER, ENTRY_OTHER } EntryKind;

static EntryKind entry_kind(const FolderWalk *walk, const char *path)
{
    struct stat info, link;
    if (stat(path, &info) != 0) /* a link without a target; opening it gives the error */
        return format_is_image_name(path) ? ENTRY_IMAGE : ENTRY_OTHER;
    if (S_ISDIR(info.st_mode) && is_output(walk, &info))
        return ENTRY_OTHER;
    if (S_ISDIR(info.st_mode))
        return lstat(path, &link) == 0 && S_ISLNK(link.st_mode) ? ENTRY_LINKED_FOLDER
                                                                : ENTRY_FOLDER;
    return S_ISREG(info.st_mode) && (format_is_image_name(path) ||
                                     (walk->is_other_image && walk->is_other_image(path)))
               ? ENTRY_IMAGE
               : ENTRY_OTHER;
}

static void walk_folder(FolderWalk *walk, const char *folder, const char *subfolder);

/* Adds the entries of one kind. */
static void walk_entries(FolderWalk *walk, EntryKind kind, const GPtrArray *names,
                         const char *folder, const char *subfolder)
{
    for (guint i = 0; i < names->len; i++) {
        char *path = g_build_filename(folder, names->pdata[i], NULL);
        char *inner = g_build_filename(subfolder, names->pdata[i], NULL);
        if (entry_kind(walk, path) != kind)
            ;
        else if (kind == ENTRY_IMAGE)
            folder_walk_add_file(walk, path, subfolder);
        else if (kind == ENTRY_OTHER)
            walk->n_others += !g_file_test(path, G_FILE_TEST_IS_DIR);
        else if (walk->recursive)
            walk_folder(walk, path, inner);
        else
            walk->n_folders++;
        g_free(path);
        g_free(inner);
    }
}

/* Folders come before links to folders, so that images are found under their own names. */
static void walk_folder(FolderWalk *walk, const char *folder, const char *subfolder)
{
    struct stat info;
    GPtrArray *names = stat(folder, &info) == 0 ? read_names(folder) : NULL;
    if (!names) {
        print_error(folder, strerror(errno));
        walk->failed = true;
        return;
    }
    if (g_hash_table_add(walk->visited, key_of(&info)))
        for (EntryKind kind = ENTRY_IMAGE; kind <= ENTRY_OTHER; kind++)
            walk_entries(walk, kind, names, folder, subfolder);
    g_ptr_array_unref(names);
}

void folder_walk_add(FolderWalk *walk, const char *folder, const char *subfolder)
{
    g_hash_table_remove_all(walk->visited);
    walk_folder(walk, folder, subfolder);
}

bool folder_walk_is_output(const FolderWalk *walk, const char *folder)
{
    struct stat info;
    return stat(folder, &info) == 0 && is_output(walk, &info);
}

const char *folder_walk_subfolder(const FolderWalk *walk, int i)
{
    return walk ? ((const FoundFile *)walk->files->pdata[i])->subfolder : "";
}

void folder_walk_free(FolderWalk *walk)
{
    g_ptr_array_unref(walk->files);
    g_hash_table_destroy(walk->visited);
}

/* Replaces the suffix of a file name by another one, or by the first one of a raster format. */
static char *with_suffix(const char *base, const char *format)
{
    const char *dot = strrchr(base, '.');
    const Format *raster = written_format(format, NULL);
    int length = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
    const char *suffix = raster ? raster->suffixes : format;
    int end = (int)(raster ? strcspn(suffix, " ") : strlen(suffix));
    return g_strdup_printf("%.*s%.*s", length, base, end, suffix);
}

/* What to append to the name of a file so that it can be written: what only GDAL reads becomes
 * TIFF, and other images PNG. */
static const char *suffix_to_add(const char *path, const char *base)
{
    const char *operation;
    if (format_saver(base) || written_format(NULL, base))
        return "";
    return format_is_image_name(path) || path_is_special(path) ||
                   format_of_file(path, &operation) || access(path, F_OK) != 0
               ? ".png"
               : ".tif";
}

char *output_path_in_folder(const char *folder, const char *subfolder, const char *input,
                            const char *format)
{
    char *path = image_path_of_input(input), *base = g_path_get_basename(path);
    char *name =
        format ? with_suffix(base, format) : g_strconcat(base, suffix_to_add(path, base), NULL);
    char *output = g_build_filename(folder, subfolder, name, NULL);
    g_free(path);
    g_free(base);
    g_free(name);
    return output;
}
