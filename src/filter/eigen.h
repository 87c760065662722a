/* SPDX-License-Identifier: BSD-2-Clause */
/* Eigenvectors of a symmetric matrix. */
#ifndef COF_EIGEN_H
#define COF_EIGEN_H

#include "kernels/kernels.h"

/* The size of the largest matrix. */
#define COFI_EIGEN_SIZE COFI_FEW_LABELS

typedef struct CofiEigen {
    int n;
    double (*vectors)[COFI_EIGEN_SIZE]; /* first the matrix, then an eigenvector in each row */
    double (*rest)[COFI_EIGEN_SIZE];    /* scratch, as large */
    double values[COFI_EIGEN_SIZE];     /* the largest comes first, by absolute value */
} CofiEigen;

void cofi_eigen_decompose(CofiEigen *e);

#endif
