#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Palette, labels and counts are the ones in the repository.
# Usage: check_checksums.sh PROGRAM... DATA-FOLDER
set -eu
for folder; do :; done
"$@" | diff "$folder/checksums.txt" -
