/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads libOpenCL. */
#ifndef COF_OPENCL_LIBRARY_H
#define COF_OPENCL_LIBRARY_H

#include "opencl_api.h"

/* The functions of libOpenCL, which is loaded once and stays; NULL if there is none. */
const OpenClApi *cofcl_library(void);

#endif
