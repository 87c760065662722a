/* SPDX-License-Identifier: BSD-2-Clause */
/* The entry of the module cof-gdal.so. */
#ifndef COF_GDAL_MODULE_H
#define COF_GDAL_MODULE_H

#include "gdal/gdal_interface.h"

/* To be called once. */
__attribute__((visibility("default"))) const GdalInterface *cof_gdal_interface(void);

#endif
