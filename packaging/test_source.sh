#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Builds the source of a release in an empty folder, runs the tests of the library, installs it, and
# uses what is installed: test_source.sh TARBALL FOLDER
# The build stays in FOLDER/build.
set -eu
tarball=$(readlink -f "$1")
mkdir -p "$2"
cd "$2"
folder=$PWD
name=$(basename "$tarball" .tar.xz)
tar -xf "$tarball"
meson setup build "$name" --prefix="$folder/installed" --buildtype=release --werror \
    -Dvips=disabled -Dgegl=disabled -Dfrei0r=disabled -Dtests=enabled
ninja -C build
meson test -C build --no-rebuild --print-errorlogs --num-processes "$(nproc)" \
    --suite unit --suite oracle --suite kernels
meson install -C build --no-rebuild

# shellcheck disable=SC2016
sed -n '/^```c$/,/^```$/{/^```/!p}' "$name/README.md" >program.c
pc=$(dirname "$(find "$folder/installed" -name cof.pc)")
# shellcheck disable=SC2046
cc program.c -o program $(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs cof)
LD_LIBRARY_PATH=$(dirname "$pc") ./program
installed/bin/cof --version
installed/bin/cof --iterations 3 "$name/tests/data/photos/coffee.png" smooth.png
