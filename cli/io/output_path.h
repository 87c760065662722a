/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of image files without the options of libvips, and of outputs in a folder. */
#ifndef COF_OUTPUT_PATH_H
#define COF_OUTPUT_PATH_H

/* libvips cuts off names of this length. */
#define MAX_IMAGE_PATH 4096

/* Free the results with g_free(). */

/* The file of an input such as "scan.tif[page=1]"; a file whose own name ends like that wins. */
char *image_path_of_input(const char *name);

/* The file of an output such as "small.jpg[Q=50]". */
char *image_path_of_output(const char *name);

/* The output for an input in a folder below a folder, which may be "". `format` is a suffix, with
 * options of libvips or without, or NULL: then the suffix is that of the input, or .png is appended
 * if images of that suffix cannot be written. */
char *output_path_in_folder(const char *folder, const char *subfolder, const char *input,
                            const char *format);

#endif
