/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of models, statistics and matrices, and whole files as bytes. */
#include "io/cof_file.h"

#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/atomic_file.h"
#include "io/paths.h"
#include "ui/error_line.h"
#include "ui/message_stream.h"

/* Appends a zero byte, which is not counted. Returns NULL with errno set on failure. */
static char *read_all(FILE *file, size_t *size)
{
    GString *bytes = g_string_new(NULL);
    char block[65536];
    size_t n;
    while ((n = fread(block, 1, sizeof block, file)) > 0)
        g_string_append_len(bytes, block, (gssize)n);
    int error = errno;
    if (size)
        *size = bytes->len;
    char *all = g_string_free(bytes, ferror(file) != 0);
    errno = error;
    return all;
}

char *cof_file_read(const char *name, size_t *size)
{
    if (!path_check_end(name))
        return NULL;
    FILE *file = path_is_stream(name) ? stdin : fopen(name, "rb");
    char *bytes = file ? read_all(file, size) : NULL;
    if (!bytes)
        print_error(name, strerror(errno));
    if (file && file != stdin)
        fclose(file);
    return bytes;
}

bool cof_file_is(const char *name)
{
    return path_begins_with(name, "COF\x1a", 4);
}

bool cof_file_load(const char *name, CofFile *file)
{
    size_t size;
    CofProblem problem;
    char *bytes = cof_file_read(name, &size);
    *file = (CofFile){0};
    if (!bytes)
        return false;
    CofStatus status = cof_file_kind(bytes, size, &file->kind, &problem);
    if (status == COF_OK && file->kind == COF_FILE_KIND_STATS)
        status = cof_stats_load(&file->stats, bytes, size, &problem);
    else if (status == COF_OK && file->kind == COF_FILE_KIND_MODEL)
        status = cof_model_load(&file->model, bytes, size, &problem);
    else if (status == COF_OK)
        status = cof_model_load_pair(&file->foreground, &file->model, bytes, size, &problem);
    g_free(bytes);
    return status == COF_OK || print_cof_problem(name, &problem);
}

void cof_file_free(CofFile *file)
{
    cof_stats_free(&file->stats);
    cof_model_free(&file->model);
    cof_model_free(&file->foreground);
}

bool cof_file_load_model(const char *name, const CofOptions *options, CofModel **model,
                         CofModel **foreground)
{
    size_t size;
    CofProblem problem;
    CofOptions own = *options;
    own.problem = &problem;
    char *bytes = cof_file_read(name, &size);
    if (!bytes)
        return false;
    CofStatus status = cof_load(foreground, model, bytes, size, &own);
    g_free(bytes);
    return status == COF_OK || print_cof_problem(name, &problem);
}

/* Writes to a pipe or device, which must not be replaced by a file, or to a temporary file. */
static bool write_directly(const char *path, const void *bytes, size_t size, const char *name)
{
    FILE *file = path_is_stream(path) ? message_output() : fopen(path, "wb");
    bool ok = file && fwrite(bytes, 1, size, file) == size && fflush(file) == 0;
    int error = errno;
    if (file && !path_is_stream(path) && fclose(file) != 0 && ok) {
        error = errno;
        ok = false;
    }
    if (!ok)
        print_error(path_is_stream(name) ? "standard output" : name, strerror(error));
    return ok;
}

bool cof_file_write(const char *name, const void *bytes, size_t size)
{
    if (path_is_stream(name) || path_is_special(name))
        return write_directly(name, bytes, size, name);
    char *target = path_target(name);
    char *temporary = target ? atomic_file_begin(target, name) : NULL;
    if (!target)
        print_error(name, strerror(errno));
    bool ok = temporary && write_directly(temporary, bytes, size, name);
    if (temporary)
        ok = atomic_file_end(temporary, ok ? target : NULL, name);
    g_free(target);
    return ok;
}

/* Writes and frees what a _save function of the library returned. */
static bool write_saved(CofStatus status, const CofProblem *problem, void *bytes, size_t size,
                        const char *name)
{
    if (status != COF_OK)
        return print_cof_problem(name, problem);
    bool ok = cof_file_write(name, bytes, size);
    cof_free(bytes);
    return ok;
}

bool cof_file_save_stats(const CofStats *stats, const char *name)
{
    void *bytes = NULL;
    size_t size = 0;
    CofProblem problem;
    CofStatus status = cof_stats_save(stats, &bytes, &size, &problem);
    return write_saved(status, &problem, bytes, size, name);
}

bool cof_file_save_model(const CofModel *model, const CofModel *foreground, const char *name)
{
    void *bytes = NULL;
    size_t size = 0;
    CofProblem problem;
    CofStatus status = foreground ? cof_model_save_pair(foreground, model, &bytes, &size, &problem)
                                  : cof_model_save(model, &bytes, &size, &problem);
    return write_saved(status, &problem, bytes, size, name);
}

/* Text files with a matrix of numbers. */

#define SEPARATORS ",; \t\r"

/* Appends the numbers of a line; returns how many there are, or -1 if one is malformed. */
static int read_line(const char *line, GArray *numbers)
{
    int n = 0;
    for (const char *next = line + strspn(line, SEPARATORS); *next != '\0'; n++) {
        char *end;
        double value = g_ascii_strtod(next, &end);
        if (end == next || (*end != '\0' && !strchr(SEPARATORS, *end)))
            return -1;
        g_array_append_val(numbers, value);
        next = end + strspn(end, SEPARATORS);
    }
    return n;
}

/* Returns the number of rows. Prints an error and returns 0 on failure. */
static int read_lines(char **lines, const char *name, GArray *numbers)
{
    int rows = 0, columns = 0;
    char problem[80];
    for (int i = 0; lines[i]; i++) {
        int n = read_line(lines[i], numbers);
        if (n == 0)
            continue;
        columns = rows++ == 0 ? n : columns;
        if (n == columns && n > 0)
            continue;
        snprintf(problem, sizeof problem,
                 n < 0 ? "line %d contains something other than numbers"
                       : "line %d differs in length",
                 i + 1);
        print_error(name, problem);
        return 0;
    }
    if (rows == columns && rows > 0)
        return rows;
    print_error(name, "is not a matrix with as many rows as columns");
    return 0;
}

VipsImage *matrix_file_open(const char *name)
{
    char *text = cof_file_read(name, NULL);
    if (!text)
        return NULL;
    char **lines = g_strsplit(text, "\n", -1);
    GArray *numbers = g_array_new(FALSE, FALSE, sizeof(double));
    int rows = read_lines(lines, name, numbers);
    VipsImage *matrix = NULL;
    if (rows > 0)
        matrix = vips_image_new_matrix_from_array(rows, rows, (double *)(void *)numbers->data,
                                                  (int)numbers->len);
    if (rows > 0 && !matrix)
        print_vips_error(name, "is not a matrix");
    g_array_free(numbers, TRUE);
    g_strfreev(lines);
    g_free(text);
    return matrix;
}
