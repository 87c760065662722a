#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Installs into a temporary folder, then compiles the program of the README with pkg-config and runs
# it.
# Usage: check_install.sh SOURCE-FOLDER BUILD-FOLDER
set -eu
source=$1
build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

DESTDIR="$work" meson install -C "$build" --no-rebuild --quiet
pc=$(find "$work" -name cof.pc)
prefix=$work$(sed -n 's/^prefix=//p' "$pc")
export PKG_CONFIG_PATH="${pc%/*}" PKG_CONFIG_SYSROOT_DIR="$work"

# The first C program of the README.
awk '/^```c$/ {on = 1; next} /^```$/ && on {exit} on' "$source/README.md" > "$work/program.c"
# shellcheck disable=SC2046
cc -Wall -Wextra -Werror "$work/program.c" $(pkg-config --cflags --libs cof) -o "$work/program"

library=$(find "$work" -name 'libcof.so.*.*.*')
export LD_LIBRARY_PATH="${library%/*}"
"$work/program"
readelf -d "$library" | grep SONAME | grep -q 'libcof\.so\.[0-9]*\]'
[ ! -e "$prefix/bin/cof" ] || "$prefix/bin/cof" --version
