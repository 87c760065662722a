/* SPDX-License-Identifier: BSD-2-Clause */
/* Errors of GDAL, as errors of libvips. */
#ifndef COF_GDAL_FAILURE_H
#define COF_GDAL_FAILURE_H

/* Makes GDAL silent. To be called once. */
void gdal_failure_init(void);

/* Forgets the failures of this thread. */
void gdal_failure_clear(void);

/* Whether GDAL has reported a failure in this thread since then. */
int gdal_has_failed(void);

/* Sets libvips' error: the first failure of this thread, or `fallback`. Returns -1. */
int gdal_failure(const char *fallback);

/* The same where GDAL only warns: the first warning, or `fallback`. */
int gdal_failure_by_warning(const char *fallback);

#endif
