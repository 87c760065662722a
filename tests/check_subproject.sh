#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Builds and installs the Meson project of docs/embedding.md with libcof as a static subproject, and
# compiles the program of the README with the installed cof.pc.
# Usage: check_subproject.sh SOURCE-FOLDER
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "$*" >&2
    exit 1
}

# Prints the first block of a language: block LANGUAGE PAGE
block() {
    awk -v start="\`\`\`$1" '$0 == start {on = 1; next} /^```$/ && on {exit} on' "$source/$2"
}

project=$work/project
mkdir -p "$project/subprojects"
block meson docs/embedding.md > "$project/meson.build"
block ini docs/embedding.md > "$project/subprojects/cof.wrap"
block c README.md > "$project/program.c"
ln -s "$source" "$project/subprojects/cof"

# The compiler does not optimise: only what is built and installed is checked. A plug-in is built
# on request.
frei0r=disabled
! pkg-config --exists frei0r || frei0r=enabled
cd "$work"
meson setup --wrap-mode=forcefallback --buildtype=plain --prefix="$work/prefix" \
    -Dcof:system-plugins=true -Dcof:frei0r=$frei0r build project
ninja -C build
for name in cli/cof plugins/vips plugins/gegl plugins/gimp bench tests; do
    [ ! -e "build/subprojects/cof/$name" ] || fail "$name is part of a subproject"
done

echo "the program alone"
DESTDIR=$work/alone meson install -C build --no-rebuild --quiet --skip-subprojects
[ "$(cd alone && find . -type f)" = ".$work/prefix/bin/program" ] || fail "more is installed"
"$work/alone$work/prefix/bin/program"

echo "the program and libcof"
export DESTDIR="$work/all"
meson install -C build --no-rebuild --quiet
if [ $frei0r = enabled ]; then
    system=$DESTDIR$(pkg-config --variable=prefix frei0r)
    plugin=$(find "$DESTDIR$work/prefix" -name cof.so)
    [ -n "$plugin" ]
    [ -n "$(find "$system" -name cof.so)" ] || fail "the plug-in is not in the system's folder"
    rm -r "$DESTDIR"
    # The system's folders cannot be written, which does not stop the rest.
    mkdir -p "$DESTDIR"
    touch "$system"
    if meson install -C build --no-rebuild --quiet > install.log; then
        fail "no failure is reported"
    fi
    grep "not copied to /.*/frei0r-1: .*cof.so" install.log
    [ -e "$plugin" ] || fail "the plug-in is not installed"
fi

echo "static linking"
pc=$(find "$DESTDIR" -name cof.pc)
export PKG_CONFIG_PATH="${pc%/*}" PKG_CONFIG_SYSROOT_DIR="$DESTDIR"
# shellcheck disable=SC2046
cc -Wall -Wextra -Werror project/program.c $(pkg-config --cflags --libs --static cof) -static \
    -o static
./static
