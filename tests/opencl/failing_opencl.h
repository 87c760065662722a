/* SPDX-License-Identifier: BSD-2-Clause */
/* A libOpenCL that calls the real one, whose path is in COF_TEST_OPENCL, and fails on purpose. */
#ifndef COF_FAILING_OPENCL_H
#define COF_FAILING_OPENCL_H

#include "opencl_api.h"

/* What fails: the call of this number, from 1 on, of a function; 0: none. */
typedef struct FailingOpenCl {
    const char *function;
    int call;
    ClInt error;
    int has_failed;
    int no_double;        /* devices have no double precision */
    int small_work_group; /* work-groups have 32 kB of memory */
    uint64_t memory;      /* of devices, in bytes; 0: as it is */
} FailingOpenCl;

extern FailingOpenCl failing_opencl;

#endif
