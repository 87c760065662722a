#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Compares the results of the exact method between instruction sets, on the photographs of the tests.
# Usage: check_levels.sh PROGRAM DATA-FOLDER
set -eu
program=$1
data=$2
# All levels would be C: there is nothing to compare.
[ "${COF_CPU:-}" != c ] || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for photo in astronaut.png camera.png chelsea.png coffee.png ihc.png rocket.jpg; do
    vips copy "$data/photos/$photo" "$work/${photo%.*}.ppm[strip]"
done
"$program" "$data/cat.ppm" "$data/cup16.ppm" "$data/man16.pgm" "$work"/*.ppm
