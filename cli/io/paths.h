/* SPDX-License-Identifier: BSD-2-Clause */
/* File names: what they refer to, and whether they can be written. */
#ifndef COF_PATHS_H
#define COF_PATHS_H

#include <stdbool.h>
#include <stddef.h>

/* "-" stands for standard input or output. */
bool path_is_stream(const char *path);

/* The file that a path names through symbolic links, which need not exist; free with g_free().
 * Returns NULL with errno set if the links form a loop or the path is too long. */
char *path_target(const char *path);

/* A text that is equal for two paths if they name the same file, through links or otherwise; free
 * with g_free(). NULL for a stream, a device and a folder. */
char *path_identity(const char *path);
bool path_is_same(const char *one, const char *other);

/* Whether the path is a device or a pipe: it exists, and is neither a file nor a folder. */
bool path_is_special(const char *path);

/* Whether the path is a named pipe, or another name of a pipe such as /dev/stdin. */
bool path_is_pipe(const char *path);

/* Checks that an input is not something that has no end, such as /dev/zero. Prints an error if it
 * is. */
bool path_check_end(const char *path);

bool path_is_folder(const char *path);

/* Whether a file begins with some bytes, 16 at most. */
bool path_begins_with(const char *path, const char *start, size_t size);

/* Companions of an image are files that GDAL takes for parts of it: its name and .aux.xml, .ovr or
 * .msk. They hold a position, statistics, overviews or a mask. Free names with g_free(). */

/* A companion that exists; NULL: none. */
char *path_companion(const char *path);

/* The name of the image that a companion belongs to; NULL: `path` is no name of a companion. */
char *path_owner_of_companion(const char *path);

/* Removes the companions of an image that has been replaced. No input is among them:
 * arguments_check_files(). */
void path_remove_companions(const char *path);

/* Whether the suffix of a name is that of a video. */
bool path_is_video(const char *path);

/* Checks that a file can be created or replaced. Prints an error about `name` if not. */
bool path_can_create(const char *path, const char *name);

/* The same for an image. One that is new must not get the companions of another. */
bool path_can_create_image(const char *path, const char *name);

/* libvips cuts off names of this length. */
#define MAX_IMAGE_PATH 4096

/* Free the results with g_free(). */

/* The file of an input such as "scan.tif[page=1]"; a file whose own name ends like that wins. */
char *image_path_of_input(const char *name);

/* The file of an output such as "small.jpg[Q=50]". */
char *image_path_of_output(const char *name);

/* The options of such a name, in brackets, or "". */
char *image_path_options(const char *name);

#endif
