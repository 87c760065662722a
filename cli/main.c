/* SPDX-License-Identifier: BSD-2-Clause */
/* The command cof: its subcommands, and what is common to them. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <vips/vips.h>

#include "io/atomic_file.h"
#include "io/image_file.h"
#include "options/arguments.h"
#include "ui/error_line.h"
#include "ui/progress.h"
#include "subcommands.h"
#include "vips_operations.h"

enum { EXIT_DONE = 0, EXIT_FILE = 1, EXIT_USAGE = 2 };

static void stop(int signal_number)
{
    unfinished_abandon();
    _exit(128 + signal_number);
}

/* What the caller has chosen to ignore (nohup) stays ignored. */
static void catch_signal(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler}, before;
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

static void catch_signals(void)
{
    catch_signal(SIGINT, stop);
    catch_signal(SIGTERM, stop);
    catch_signal(SIGHUP, stop);
    catch_signal(SIGXFSZ,
                 SIG_IGN); /* a file that grows too large is then an error like any other */
}

static void keep_quiet(const char *domain, GLogLevelFlags level, const char *message, void *user)
{
    (void)domain, (void)level, (void)message, (void)user;
}

static bool needs_vips(Verb verb)
{
    return verb != VERB_MERGE && verb != VERB_INFO;
}

/* Our operations come before a module that may be installed. */
static bool start_vips(const Arguments *a, const char *name)
{
    cof_smooth_get_type();
    cof_learn_get_type();
    cof_label_get_type();
    if (VIPS_INIT(name) != 0) {
        fputs("cof: libvips does not start\n", stderr);
        return false;
    }
    /* What matters of libvips' warnings comes back as an error. */
    g_log_set_handler("VIPS", G_LOG_LEVEL_WARNING, keep_quiet, NULL);
    picture_begin();
    if (a->options.threads > 0)
        vips_concurrency_set(a->options.threads);
    progress_begin(is_given(a, OPT_QUIET));
    return true;
}

static bool run(const Arguments *a)
{
    switch (a->verb) {
    case VERB_FILTER:
        return command_filter(a);
    case VERB_LEARN:
        return command_learn(a);
    case VERB_APPLY:
        return command_apply(a);
    case VERB_MERGE:
        return command_merge(a);
    case VERB_SHOW:
        return command_show(a);
    case VERB_SELECT:
        return command_select(a);
    case VERB_FOCUS:
        return command_focus(a);
    case VERB_RECOLOUR:
        return command_recolour(a);
    case VERB_VIDEO:
        return command_video(a);
    case VERB_INFO:
        return command_info(a);
    }
    return false;
}

int main(int argc, char **argv)
{
    Arguments arguments;
    int status = EXIT_FILE;
    switch (arguments_read(&arguments, argc, argv)) {
    case WISH_NOTHING:
        status = fflush(stdout) == 0 ? EXIT_DONE : EXIT_FILE;
        if (status != EXIT_DONE)
            complain("standard output", strerror(errno));
        break;
    case WISH_WRONG:
        status = EXIT_USAGE;
        break;
    case WISH_GO:
        if (needs_vips(arguments.verb) && !start_vips(&arguments, argv[0]))
            break;
        catch_signals();
        status = run(&arguments) ? EXIT_DONE : EXIT_FILE;
        if (needs_vips(arguments.verb))
            vips_shutdown();
        break;
    }
    arguments_free(&arguments);
    return status;
}
