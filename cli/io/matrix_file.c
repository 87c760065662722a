/* SPDX-License-Identifier: BSD-2-Clause */
/* Text files with a matrix of numbers. */
#include "io/matrix_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/cof_file.h"
#include "ui/error_line.h"

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
