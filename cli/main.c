/* SPDX-License-Identifier: BSD-2-Clause */
/* The command: a picture in, a smoother one out. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "arguments.h"
#include "picture.h"

enum { EXIT_DONE = 0, EXIT_FILE = 1, EXIT_USAGE = 2 };

typedef struct Job {
    const Arguments *arguments;
    VipsImage *input, *output, *mask, *labels;
    CofImage mask_view;
    CofWhere where;
} Job;

static bool same_size(const Job *job, VipsImage *other, const char *name)
{
    if (other->Xsize == job->input->Xsize && other->Ysize == job->input->Ysize)
        return true;
    complain(name, "differs in size from the input");
    return false;
}

static bool load(Job *job)
{
    const Arguments *a = job->arguments;
    job->input = picture_load(a->input);
    if (!job->input)
        return false;
    if (a->mask &&
        (!(job->mask = picture_load_mask(a->mask)) || !same_size(job, job->mask, a->mask)))
        return false;
    if (a->labels && (!(job->labels = picture_load_labels(a->labels)) ||
                      !same_size(job, job->labels, a->labels)))
        return false;
    job->output = picture_new_like(job->input);
    if (!job->output)
        complain(a->input, "not enough memory");
    job->where.region = a->region;
    if (job->mask) {
        job->mask_view = picture_view(job->mask);
        job->where.mask = &job->mask_view;
    }
    return job->output != NULL;
}

static int largest_label(const CofImage *labels)
{
    int largest = 0;
    for (int y = 0; y < labels->height; y++) {
        const uint8_t *row = (const uint8_t *)labels->data + y * labels->stride;
        for (int x = 0; x < labels->width; x++)
            largest = row[x] > largest ? row[x] : largest;
    }
    return largest;
}

static CofStatus filter_by_labels(Job *job, const CofImage *in, const CofImage *out,
                                  const CofOptions *options)
{
    CofImage labels = picture_view(job->labels);
    labels.kind = COF_GREY;
    int k = job->arguments->colours_given ? options->colours : largest_label(&labels) + 1;
    CofStats *stats = NULL;
    CofModel *model = NULL;
    CofStatus status = cof_stats_new(&stats, options);
    if (status == COF_OK)
        status = cof_stats_scan(stats, &labels, &job->where, options); /* sets the rate */
    if (status == COF_OK)
        status = cof_stats_settle_labels(stats, k);
    if (status == COF_OK)
        status = cof_stats_add_labels(stats, &labels, &job->where, options);
    if (status == COF_OK)
        status = cof_model_new(&model, stats, options);
    if (status == COF_OK)
        status = cof_filter_labels(model, &labels, in, out, options);
    cof_model_free(&model);
    cof_stats_free(&stats);
    return status;
}

/* The file that is to blame. */
static const char *culprit(const Arguments *a, CofStatus status)
{
    if (status == COF_ERR_EMPTY && a->mask)
        return a->mask;
    if (status == COF_ERR_MISMATCH && a->labels) /* sizes were compared before */
        return a->labels;
    return a->input;
}

static bool filter(Job *job)
{
    CofImage in = picture_view(job->input), out = picture_view(job->output);
    CofReport report = {.struct_size = sizeof report};
    CofOptions options = job->arguments->options;
    options.report = &report;
    CofStatus status = job->labels ? filter_by_labels(job, &in, &out, &options)
                                   : cof_smooth_where(&in, &out, &job->where, &options);
    if (status == COF_OK)
        return true;
    complain(culprit(job->arguments, status),
             report.problem ? report.problem : cof_status_string(status));
    return false;
}

static void release(Job *job)
{
    VipsImage *images[] = {job->input, job->output, job->mask, job->labels};
    for (size_t i = 0; i < sizeof images / sizeof images[0]; i++)
        if (images[i])
            g_object_unref(images[i]);
}

static void stop(int signal_number)
{
    picture_abandon();
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

int main(int argc, char **argv)
{
    Arguments arguments;
    switch (arguments_read(&arguments, argc, argv)) {
    case WISH_NOTHING:
        return fflush(stdout) == 0 ? EXIT_DONE : EXIT_FILE;
    case WISH_WRONG:
        return EXIT_USAGE;
    case WISH_FILTER:
        break;
    }
    if (VIPS_INIT(argv[0]) != 0) {
        fputs("cof: libvips does not start\n", stderr);
        return EXIT_FILE;
    }
    /* What matters of libvips' warnings comes back as an error. */
    g_log_set_handler("VIPS", G_LOG_LEVEL_WARNING, keep_quiet, NULL);
    catch_signals();
    Job job = {.arguments = &arguments};
    bool ok = picture_can_save(arguments.output) && load(&job) && filter(&job) &&
              picture_save(job.output, arguments.output);
    release(&job);
    vips_shutdown();
    return ok ? EXIT_DONE : EXIT_FILE;
}
