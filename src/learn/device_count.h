/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts pairs of labels on a device. */
#ifndef COF_DEVICE_COUNT_H
#define COF_DEVICE_COUNT_H

#include "cof/cof.h"
#include "learn/pair_sampling.h"

/* What is counted: how, and to what it is added. */
typedef struct CofiDeviceTables {
    int radius, distances;
    const int *distance_of; /* [|dy|][|dx|]: which distance */
    const uint8_t *members; /* of the map; NULL: all pixels are members */
    int rate;
    uint64_t *histogram;
    uint64_t *counts; /* `cells` for each distance; those of distance 0 are left alone */
    size_t cells;
} CofiDeviceTables;

/* Counts the pairs of all reference pixels, `batch` rows at a time. COF_ERR_MEMORY, with nothing
 * added, if the memory of the device is not sufficient. */
CofStatus cofi_device_count(const CofiReferences *references, const CofiDeviceTables *tables,
                            int batch, double units);

/* Copies the labels of the device to the map. */
CofStatus cofi_device_read_map(CofiCall *call, const CofiLabelMap *map);

#endif
