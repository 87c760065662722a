#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Builds and installs the Meson project of examples/ with libcof as a subproject, which Meson unpacks
# from an archive as cof.wrap says, and uses the static library that is installed.
# Usage: check_subproject.sh SOURCE-FOLDER
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "$*" >&2
    exit 1
}

. "$source/tests/examples.sh"

# docs/embedding.md shows lines of these files: shown LANGUAGE FILE
shown() {
    awk -v start="\`\`\`$1" '$0 == start {on = 1; next} /^```$/ {on = 0} on' \
        "$source/docs/embedding.md" > "$work/shown"
    [ -s "$work/shown" ] || fail "docs/embedding.md shows nothing of $2"
    while read -r line; do
        sed 's/^ *//' "$source/$2" | grep -qxF -e "$line" ||
            fail "docs/embedding.md: $2 has no such line: $line"
    done < "$work/shown"
}
shown meson examples/meson.build
shown cmake examples/CMakeLists.txt
shown ini examples/subprojects/cof.wrap

# An archive of what a subproject needs, where Meson looks before it fetches one.
project=$work/project
cp -R "$source/examples" "$project"
wrap=$project/subprojects/cof.wrap
folder=$(sed -n 's/^directory = //p' "$wrap")
archive=$(sed -n 's/^source_filename = //p' "$wrap")
mkdir -p "$project/subprojects/packagecache"
(cd "$source" && tar -c --transform "s:^:$folder/:" --exclude __pycache__ LICENSE include \
    meson.build meson_options.txt opencl packaging/cmake plugins src) |
    xz -0 > "$project/subprojects/packagecache/$archive"
hash=$(sha256sum "$project/subprojects/packagecache/$archive" | cut -d ' ' -f 1)
sed -i "s/@SHA256@/$hash/" "$wrap"
# Both libraries are built, of which the programs ask for the static one.
sed -i "s/^cof = .*/cof = dependency('cof', static: true)/" "$project/meson.build"

# The compiler does not optimise: only what is built and installed is checked. A plug-in is built
# on request.
frei0r=disabled
! pkg-config --exists frei0r || frei0r=enabled
cd "$work"
meson setup --wrap-mode=forcefallback --buildtype=plain --prefix="$work/prefix" \
    -Dcof:default_library=both -Dcof:system-plugins=true -Dcof:frei0r=$frei0r build project
ninja -C build
for name in cli/cof plugins/vips plugins/gegl bench tests; do
    [ ! -e "build/subprojects/$folder/$name" ] || fail "$name is part of a subproject"
done

echo "the programs alone"
DESTDIR=$work/alone meson install -C build --no-rebuild --quiet --skip-subprojects
[ "$(cd alone && find . -type f | wc -l)" = 2 ] || fail "more is installed"
run_examples "$work/alone$work/prefix/bin" "$source"

echo "the programs and libcof"
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
libraries=${pc%/*/*}
for name in libcof.a libcof.so; do
    [ -e "$libraries/$name" ] || fail "$name is not installed"
done
make -s -C project PKG_CONFIG="env PKG_CONFIG_PATH=${pc%/*} PKG_CONFIG_SYSROOT_DIR=$DESTDIR \
    pkg-config --static" CFLAGS=-Wall LDFLAGS=-static
run_examples project "$source"
if command -v cmake > cmake.path; then
    sed -i 's/cof::cof/cof::cof_static/' project/CMakeLists.txt
    cmake -S project -B by-cmake -DCMAKE_PREFIX_PATH="$DESTDIR$work/prefix" > cmake.log ||
        fail "$(cat cmake.log)"
    cmake --build by-cmake > cmake.log || fail "$(cat cmake.log)"
    run_examples by-cmake "$source"
    ! readelf -d by-cmake/smooth_image | grep NEEDED | grep cof || fail "libcof is not linked statically"
fi
