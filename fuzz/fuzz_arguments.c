/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzz target: the parser of the command's arguments. The input holds the arguments, each ended by
 * a 0. */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "captured_streams.h"
#include "fuzz.h"
#include "options/arguments.h"
#include "options/arguments_check.h"
#include "options/arguments_options.h"

enum { MAX_ARGUMENTS = 32, MAX_SIZE = 4096 };

/* getopt keeps its place between calls, which a command never notices. */
static void reset_getopt(void)
{
    char name[] = "cof", *argv[] = {name, NULL};
    optind = 0;
    getopt(1, argv, "");
}

static bool has_control_character(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)text[i] < ' ')
            return true;
    return false;
}

/* An error is one line. */
static void check_error(const Captured *captured)
{
    size_t length = captured->err_size;
    CHECK(length > 6 && memcmp(captured->err, "cof: ", 5) == 0);
    CHECK(captured->err[length - 1] == '\n');
    CHECK(!has_control_character(captured->err, length - 1));
}

/* What the commands derive from arguments that were accepted. */
static void use_arguments(const Arguments *a)
{
    static const int sides[] = {1, 500, 100000};
    for (int i = 0; i < 3; i++) {
        CofOptions options = arguments_options(a, sides[i], sides[2 - i]);
        CHECK(cof_options_check(&options, NULL) == COF_OK);
    }
    CHECK(cof_options_check(&a->options, NULL) == COF_OK);
    arguments_may_downscale(a);
    CHECK(arguments_downscale_option(a) != NULL);
    for (int i = 0; i < a->n_operands; i++)
        CHECK(a->operands[i] != NULL);
}

/* Each argument is a block of its own, so that sanitizers see reads beyond its end. */
static int split(const uint8_t *data, size_t size, char *argv[MAX_ARGUMENTS + 2])
{
    int argc = 0;
    argv[argc++] = strdup("cof");
    for (size_t at = 0; at < size && argc <= MAX_ARGUMENTS;) {
        size_t length = strnlen((const char *)data + at, size - at);
        argv[argc] = malloc(length + 1);
        CHECK(argv[argc] != NULL);
        memcpy(argv[argc], data + at, length);
        argv[argc++][length] = '\0';
        at += length + 1;
    }
    argv[argc] = NULL;
    return argc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *argv[MAX_ARGUMENTS + 2], *owned[MAX_ARGUMENTS + 2];
    Arguments arguments;
    if (size > MAX_SIZE)
        return 0;
    int argc = split(data, size, argv);
    memcpy(owned, argv, sizeof owned); /* getopt reorders argv */
    reset_getopt();
    capture_begin();
    ParseResult result = arguments_read(&arguments, argc, argv);
    if (result == PARSE_RUN && !arguments_check(&arguments))
        result = PARSE_ERROR;
    Captured captured = capture_end();
    CHECK(result == PARSE_RUN || result == PARSE_EXIT || result == PARSE_ERROR);
    if (result == PARSE_ERROR)
        check_error(&captured);
    else
        CHECK(captured.err_size == 0);
    CHECK((result == PARSE_EXIT) == (captured.out_size > 0) || result == PARSE_EXIT);
    if (result == PARSE_RUN)
        use_arguments(&arguments);
    arguments_free(&arguments);
    for (int i = 0; i < argc; i++)
        free(owned[i]);
    return 0;
}
