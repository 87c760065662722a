/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans one image. */
#ifndef COF_SCAN_IMAGE_H
#define COF_SCAN_IMAGE_H

#include "cof/cof.h"
#include "call/call.h"
#include "image/roi.h"
#include "learn/scan.h"

/* Merges what a complete view holds into a scan. On failure the scan is unchanged. */
CofStatus cofi_scan_image(CofiScan *into, const CofiLearning *learning, CofiCall *call,
                          const CofImage *image, const CofiRoi *roi);

#endif
