/* SPDX-License-Identifier: BSD-2-Clause */
/* What the calls of one WebAssembly instance share: options, the last problem, a report, scratch
 * memory, and the bytes of the last file that was saved. An instance runs one call at a time. */
#ifndef COF_WEB_SESSION_H
#define COF_WEB_SESSION_H

#include "cof/cof.h"

#define WEB_EXPORT(NAME) __attribute__((export_name(#NAME)))

typedef struct WebSession {
    CofOptions options;
    CofProblem problem;
    CofReport report;
    CofContext *context;
    void *bytes; /* from a _save function */
    size_t size;
    int reports; /* whether calls write the report */
} WebSession;

extern WebSession web_session;

/* The options of a call that computes: those of the session, one thread, and the fields of the
 * execution. NULL, and a problem, without memory for a context. */
const CofOptions *web_call_options(void);

/* Writes a problem of the glue itself. */
CofStatus web_refuse(CofStatus status, const char *argument, const char *text);

/* Frees the bytes of the last file, and makes room for those of another. */
void web_bytes_clear(void);

/* Exported functions. Texts end with 0; NULL where there is none. */
void *web_alloc(size_t size) WEB_EXPORT(alloc);
void web_free(void *memory) WEB_EXPORT(free);
uint32_t web_version(void) WEB_EXPORT(version);
int web_problem_status(void) WEB_EXPORT(problem_status);
int web_problem_index(void) WEB_EXPORT(problem_index);
const char *web_problem_option(void) WEB_EXPORT(problem_option);
const char *web_problem_argument(void) WEB_EXPORT(problem_argument);
const char *web_problem_text(void) WEB_EXPORT(problem_text);

/* Switches reports on or off. A report belongs to the last call. */
void web_report_want(int wanted) WEB_EXPORT(report_want);
int web_report_passes(void) WEB_EXPORT(report_passes);
double web_report_change(int pass) WEB_EXPORT(report_change);
double web_report_seconds(int stage) WEB_EXPORT(report_seconds);
const char *web_stage_name(int stage) WEB_EXPORT(stage_name);
int web_report_fast_terms(void) WEB_EXPORT(report_fast_terms);
int web_report_fast_cell(void) WEB_EXPORT(report_fast_cell);

void *web_bytes(void) WEB_EXPORT(bytes);
size_t web_bytes_size(void) WEB_EXPORT(bytes_size);

/* Frees the scratch memory and the bytes of the last file. */
void web_session_clear(void) WEB_EXPORT(session_clear);

#endif
