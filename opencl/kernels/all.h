/* SPDX-License-Identifier: BSD-2-Clause */
/* All kernels, for a program that compiles them as C. */
#ifndef COF_ALL_KERNELS_H
#define COF_ALL_KERNELS_H

#include "shapes.h"

#include "arithmetic.cl"
#include "colour.cl"
#include "labels.cl"
#include "wide.cl"
#include "values.cl"
#include "alphas.cl"
#include "count.cl"
#include "pass.cl"
#include "cells.cl"
#include "fast.cl"
#include "refine.cl"

#endif
