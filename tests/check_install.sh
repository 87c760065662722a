#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What is installed can be found, compiled against and run: the program of the README.
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

# The first C of the README, and something that calls it.
awk '/^```c$/ {on = 1; next} /^```$/ && on {exit} on' "$source/README.md" > "$work/program.c"
cat >> "$work/program.c" <<'TEXT'
int main(void)
{
    unsigned char pixels[16 * 16 * 3] = {255};
    return smooth(pixels, 16, 16);
}
TEXT
# shellcheck disable=SC2046
cc -Wall -Wextra -Werror "$work/program.c" $(pkg-config --cflags --libs cof) -o "$work/program"

library=$(find "$work" -name 'libcof.so.*.*.*')
export LD_LIBRARY_PATH="${library%/*}"
"$work/program"
readelf -d "$library" | grep SONAME | grep -q 'libcof\.so\.[0-9]*\]'
[ ! -e "$prefix/bin/cof" ] || "$prefix/bin/cof" --version
