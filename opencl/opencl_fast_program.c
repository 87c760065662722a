/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of the fast filter, compiled for a grid. */
#include "opencl_fast_program.h"

#include <stdio.h>

#include "opencl_program.h"

void cofcl_fast_program_free(const CofiDevice *d, CofclFastProgram *p)
{
    if (p->splat)
        d->cl->clReleaseKernel(p->splat);
    if (p->slice)
        d->cl->clReleaseKernel(p->slice);
    if (p->program)
        d->cl->clReleaseProgram(p->program);
    *p = (CofclFastProgram){0};
}

static void compile(CofiDevice *d, CofclFastProgram *p, int step, int radius)
{
    char options[96];
    ClInt error;
    snprintf(options, sizeof options, COFCL_OPTIONS " -DPIXELS=%d -DSTEP=%d -DGRID_RADIUS=%d",
             d->pixels, step, radius);
    *p = (CofclFastProgram){.step = step, .radius = radius};
    p->program = cofcl_program_new(d->cl, d->context, &d->found, options);
    if (p->program)
        p->splat = d->cl->clCreateKernel(p->program, "splat", &error);
    if (p->splat)
        p->slice = d->cl->clCreateKernel(p->program, "slice", &error);
    if (!p->slice)
        cofcl_fast_program_free(d, p);
}

const CofclFastProgram *cofcl_fast_program(CofiDevice *d, int step, int radius)
{
    for (int i = 0; i < COFCL_FAST_PROGRAMS; i++)
        if (d->fast[i].program && d->fast[i].step == step && d->fast[i].radius == radius)
            return &d->fast[i];
    CofclFastProgram *program = &d->fast[d->next_fast];
    cofcl_fast_program_free(d, program);
    compile(d, program, step, radius);
    d->next_fast = (d->next_fast + 1) % COFCL_FAST_PROGRAMS;
    return program->program ? program : NULL;
}
