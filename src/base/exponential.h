/* SPDX-License-Identifier: BSD-2-Clause */
/* The exponential function, with the same result on every machine. */
#ifndef COF_EXPONENTIAL_H
#define COF_EXPONENTIAL_H

/* e to the power of x. The error is below one unit in the last place; results too small for a
 * normal number become 0. */
double cofi_exp(double x);

#endif
