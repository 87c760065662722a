#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Prints the substitution variable vips:Depends for the folder of a package: libvips loads modules
# from a folder of its own minor version only.
set -eu
folder=$(find "$1" -type d -name 'vips-modules-*')
version=${folder##*-}
library=$(grep -o 'libvips[0-9][0-9a-z]*' "$1.substvars" | head -n 1)
echo "vips:Depends=$library (>= $version), $library (<< ${version%.*}.$((${version#*.} + 1))~)"
