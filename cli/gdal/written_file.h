/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that GDAL writes, as a file system of its own. GDAL does not report all errors: its drivers
 * close a file that is not complete without a word, and libtiff reports to libvips. */
#ifndef COF_WRITTEN_FILE_H
#define COF_WRITTEN_FILE_H

/* Installs the file system. To be called once. */
void written_file_init(void);

/* The name by which GDAL writes a file, for g_free(). */
char *written_file_name(const char *path);

/* Watches what this thread writes from now on. `on_create` is called with the path of each file
 * before it is created; NULL: none. */
void written_file_begin(void (*on_create)(const char *path));

/* Ends it. Returns the error number of the first failure; 0: none. */
int written_file_end(void);

#endif
