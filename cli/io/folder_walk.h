/* SPDX-License-Identifier: BSD-2-Clause */
/* The images in folders, and the names of their outputs. */
#ifndef COF_FOLDER_WALK_H
#define COF_FOLDER_WALK_H

#include <glib.h>
#include <stdbool.h>

/* An image file. */
typedef struct FoundFile {
    char *path;
    char *subfolder; /* where its output belongs inside of the output folder; may be "" */
} FoundFile;

/* Whether a file is an image that libvips does not read. */
typedef bool IsOtherImage(const char *path);

typedef struct FolderWalk {
    GPtrArray *files; /* of FoundFile, in the order of the names */
    int n_others;     /* files that have no suffix of an image */
    int n_folders;    /* folders that were not entered, because the walk is not recursive */
    bool failed;      /* a folder could not be read; an error was printed */
    bool recursive;
    const char *output;           /* a folder that is not entered; may be NULL */
    IsOtherImage *is_other_image; /* may be NULL */
    GHashTable *visited;
} FolderWalk;

void folder_walk_init(FolderWalk *walk, bool recursive, const char *output,
                      IsOtherImage *is_other_image);

/* Whether a folder is the one for outputs. */
bool folder_walk_is_output(const FolderWalk *walk, const char *folder);

/* Adds the images of a folder, by their suffixes; `subfolder` is where their outputs belong. Hidden
 * files and folders are skipped. Links are followed, but no folder is entered twice. */
void folder_walk_add(FolderWalk *walk, const char *folder, const char *subfolder);

/* Adds a file. */
void folder_walk_add_file(FolderWalk *walk, const char *path, const char *subfolder);

/* Where the output of file `i` belongs; "" if `walk` is NULL. */
const char *folder_walk_subfolder(const FolderWalk *walk, int i);

void folder_walk_free(FolderWalk *walk);

/* The output for an input in a folder below a folder, which may be ""; for g_free(). `format` is a
 * suffix, with options of libvips or without, or NULL: then the suffix is that of the input, or
 * .png is appended if images of that suffix cannot be written. */
char *output_path_in_folder(const char *folder, const char *subfolder, const char *input,
                            const char *format);

#endif
