/* SPDX-License-Identifier: BSD-2-Clause */
/* What the calls of one WebAssembly instance share. */
#include "web_session.h"

#include <stdlib.h>

WebSession web_session;

/* Imported from JavaScript: receives the finished share; a result other than 0 cancels the call. */
int web_progress(double done) __attribute__((import_module("cof"), import_name("progress")));

static int tell_progress(void *user, double done)
{
    (void)user;
    return web_progress(done);
}

const CofOptions *web_call_options(void)
{
    CofOptions *options = &web_session.options;
    if (!web_session.context &&
        cof_context_new(&web_session.context, 1, &web_session.problem) != COF_OK)
        return NULL;
    web_session.report = (CofReport){.struct_size = sizeof web_session.report};
    options->threads = 1;
    options->context = web_session.context;
    options->problem = &web_session.problem;
    options->report = web_session.reports ? &web_session.report : NULL;
    options->progress = tell_progress;
    options->user = NULL;
    return options;
}

CofStatus web_refuse(CofStatus status, const char *argument, const char *text)
{
    web_session.problem = (CofProblem){.status = status, .argument = argument, .text = text};
    return status;
}

void web_bytes_clear(void)
{
    cof_free(web_session.bytes);
    web_session.bytes = NULL;
    web_session.size = 0;
}

void *web_alloc(size_t size)
{
    return malloc(size ? size : 1);
}

void web_free(void *memory)
{
    free(memory);
}

uint32_t web_version(void)
{
    return cof_version();
}

int web_problem_status(void)
{
    return web_session.problem.status;
}

int web_problem_index(void)
{
    return web_session.problem.index;
}

const char *web_problem_option(void)
{
    return web_session.problem.option;
}

const char *web_problem_argument(void)
{
    return web_session.problem.argument;
}

const char *web_problem_text(void)
{
    const char *text = web_session.problem.text;
    return text ? text : cof_status_string(web_session.problem.status);
}

void web_report_want(int wanted)
{
    web_session.reports = wanted;
}

int web_report_passes(void)
{
    return web_session.report.passes;
}

double web_report_change(int pass)
{
    return pass >= 0 && pass < COF_REPORT_PASSES ? web_session.report.change[pass] : 0;
}

double web_report_seconds(int stage)
{
    return stage >= 0 && stage < COF_REPORT_STAGES ? web_session.report.seconds[stage] : 0;
}

const char *web_stage_name(int stage)
{
    return cof_stage_name((CofStage)stage);
}

int web_report_fast_terms(void)
{
    return web_session.report.fast_terms;
}

int web_report_fast_cell(void)
{
    return web_session.report.fast_cell;
}

void *web_bytes(void)
{
    return web_session.bytes;
}

size_t web_bytes_size(void)
{
    return web_session.size;
}

void web_session_clear(void)
{
    web_bytes_clear();
    cof_context_free(&web_session.context);
}
