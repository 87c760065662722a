/* SPDX-License-Identifier: BSD-2-Clause */
/* What the targets that read image files share. */
#include "image_input.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vips/vips.h>

#include "captured_streams.h"
#include "fuzz.h"
#include "io/formats.h"
#include "io/image_file.h"
#include "ui/error_line.h"

/* More take too long, and find nothing new. */
enum { MAX_PIXELS = 1 << 16 };

static void ignore_message(const char *domain, GLogLevelFlags level, const char *message,
                           void *user)
{
    (void)domain, (void)level, (void)message, (void)user;
}

static void *start(void *unused)
{
    setenv("VIPSHOME", "/nonexistent", 1); /* where libvips looks for modules */
    g_log_set_handler("VIPS", G_LOG_LEVEL_WARNING, ignore_message, NULL);
    CHECK(VIPS_INIT("cof") == 0);
    vips_concurrency_set(1);
    vips_cache_set_max(0);
    formats_init(NULL);
    capture_begin();
    formats_print();
    CHECK(capture_end().out_size > 0);
    image_file_init(MAX_PIXELS);
    return unused;
}

void image_input_start(void)
{
    static GOnce once = G_ONCE_INIT;
    g_once(&once, start, NULL);
}

static void *count_object(VipsObject *object, int *n, void *unused)
{
    (void)object, (void)unused;
    ++*n;
    return NULL;
}

Holdings image_input_holdings(void)
{
    Holdings holdings = {0};
    vips_object_map((VipsSListMap2Fn)count_object, &holdings.objects, NULL);
    holdings.descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close(holdings.descriptor);
    return holdings;
}

const char *lines_of(void (*code)(void *), void *data)
{
    static char *lines;
    capture_begin();
    error_lines_hold();
    code(data);
    capture_end();
    capture_begin();
    error_lines_end(true);
    Captured captured = capture_end();
    g_free(lines);
    lines = g_strndup(captured.err, captured.err_size);
    return lines;
}

void check_lines(const char *lines, bool failed, const char *name)
{
    static const char note[] = "cof: note: ", error[] = "cof: ";
    int errors = 0;
    while (*lines != '\0') {
        size_t length = strcspn(lines, "\n");
        CHECK(lines[length] == '\n');
        for (size_t i = 0; i < length; i++)
            CHECK((unsigned char)lines[i] >= ' ');
        if (strncmp(lines, note, strlen(note)) != 0) {
            CHECK(strncmp(lines, error, strlen(error)) == 0);
            CHECK(strncmp(lines + strlen(error), name, strlen(name)) == 0);
            CHECK(strncmp(lines + strlen(error) + strlen(name), ": ", 2) == 0);
            CHECK(length > strlen(error) + strlen(name) + 2);
            errors++;
        }
        lines += length + 1;
    }
    CHECK(errors == (failed ? 1 : 0));
}
