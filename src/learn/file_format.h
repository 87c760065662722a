/* SPDX-License-Identifier: BSD-2-Clause */
/* The frame of a .cof file; docs/format.md describes the format. */
#ifndef COF_FILE_FORMAT_H
#define COF_FILE_FORMAT_H

#define COFI_FILE_MAGIC "COF\x1a"
#define COFI_FILE_MAGIC_SIZE 4u
#define COFI_FILE_VERSION 2u      /* version 1: without other palettes and separation */
#define COFI_FILE_HEADER_SIZE 24u /* magic, version, kind, 0, size of the payload */
#define COFI_FILE_CHECKSUM_SIZE 4u

#endif
