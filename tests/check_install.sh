#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Installs into a temporary folder, which is the same as moving the prefix, and uses what is there:
# the library in the program of the README and in those of examples/, built in three ways, the
# command, and the plug-ins as docs/hosts.md says.
# Usage: check_install.sh SOURCE-FOLDER BUILD-FOLDER
set -eu
source=$1
build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset LD_LIBRARY_PATH

fail() {
    echo "$*" >&2
    exit 1
}

. "$source/tests/examples.sh"

DESTDIR="$work/root" meson install -C "$build" --no-rebuild --quiet
cd "$work"
pc=$(find root -name cof.pc)
prefix=$work/root$(sed -n 's/^prefix=//p' "$pc")
outside=$(find "$work/root" ! -type d ! -path "$prefix/*")
[ -z "$outside" ] || fail "outside the prefix: $outside"

library=$(find "$prefix" -name 'libcof.so.*.*.*')
# Meson chooses lib64 if dpkg-dev is missing, and Debian's loader does not search it.
[ ! -f /etc/debian_version ] || [ "${library#*/lib64/}" = "$library" ] || fail "installed as $library"
readelf -d "$library" | grep SONAME | grep -q 'libcof\.so\.[0-9]*\]'

# The first C program of the README.
export PKG_CONFIG_PATH="$work/${pc%/*}" PKG_CONFIG_SYSROOT_DIR="$work/root"
awk '/^```c$/ {on = 1; next} /^```$/ && on {exit} on' "$source/README.md" > program.c
for standard in c99 c17 c++17 c++20; do
    language=c
    [ "${standard#c+}" = "$standard" ] || language=c++
    # shellcheck disable=SC2046
    cc -x $language -std=$standard -Wall -Wextra -Wpedantic -Werror program.c \
        $(pkg-config --cflags --libs cof) -o program
done
export LD_LIBRARY_PATH="${library%/*}"
./program

cp -R "$source/examples" examples
rm -r examples/subprojects # what is installed must be found
make -s -C examples CFLAGS='-std=c99 -Wall -Wextra -Wpedantic -Werror' \
    CXXFLAGS='-std=c++11 -Wall -Wextra -Wpedantic -Werror'
run_examples examples "$source"
meson setup --werror --buildtype=plain by-meson examples > meson.log || fail "$(cat meson.log)"
meson compile -C by-meson > meson.log || fail "$(cat meson.log)"
run_examples by-meson "$source"
unset PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
if command -v cmake > cmake.path; then
    cmake -S examples -B by-cmake -DCMAKE_PREFIX_PATH="$prefix" > cmake.log || fail "$(cat cmake.log)"
    cmake --build by-cmake > cmake.log || fail "$(cat cmake.log)"
    run_examples by-cmake "$source"
    # Another major version, and one that is newer, are not what a program asked for.
    for version in 0.9 2.0 1.99 1.99...2; do
        sed "s/find_package(cof 1.0/find_package(cof $version/" "$source/examples/CMakeLists.txt" \
            > examples/CMakeLists.txt
        ! cmake -S examples -B by-cmake > cmake.log 2>&1 || fail "CMake takes this for $version"
        grep -q 'not accepted\|not compatible' cmake.log || fail "$(cat cmake.log)"
    done
    sed "s/find_package(cof 1.0/find_package(cof 1.0...<2/" "$source/examples/CMakeLists.txt" \
        > examples/CMakeLists.txt
    cmake -S examples -B by-cmake > cmake.log 2>&1 || fail "$(cat cmake.log)"
fi
unset LD_LIBRARY_PATH

if [ ! -e "$prefix/bin/cof" ]; then
    exit 0
fi
image=$source/tests/data/cat.ppm
# The loader searches below /usr, so there the command has no path of its own.
[ "$prefix" != "$work/root/usr" ] || export LD_LIBRARY_PATH="${library%/*}"
"$prefix/bin/cof" --version
"$prefix/bin/cof" --window 5 "$image" command.png

# The command gives the pixels of the program.
"$prefix/bin/cof" --preset subtle "$image" command.ppm
tail -c $((226 * 150 * 3)) command.ppm > command.raw
tail -c $((226 * 150 * 3)) expected/smooth.ppm | cmp - command.raw

# The module for OpenCL is found beside the library, wherever that is.
if [ -n "$(find "$prefix" -name libcof-opencl.so)" ]; then
    "$prefix/bin/cof" info --devices > devices.txt 2>&1 || grep -q OpenCL devices.txt ||
        fail "the module for OpenCL is not found: $(cat devices.txt)"
fi

module=$(find "$prefix" -name vips-cof.so)
if [ -n "$module" ] && command -v vips > vips.path; then
    vips --plugin="$module" cof "$image" plugin.png --window 5
    cmp command.png plugin.png
    line=$(sed -n 's/^ *\(ctypes.*g_module_open.*\)/\1/p' "$source/docs/hosts.md")
    /usr/bin/python3 - "$(echo "$line" | sed "s:DIR:${module%/*}:")" << 'PYTHON'
import ctypes, sys
vips = ctypes.CDLL("libvips.so.42")
vips.vips_type_find.restype = ctypes.c_size_t
vips.vips_init(b"test")
exec(sys.argv[1])
sys.exit(vips.vips_type_find(b"VipsOperation", b"cof") == 0)
PYTHON
    # Links make libvips find its own modules beside this one.
    vips --list | grep -v cof > operations.txt
    folder=${module%/*}
    own=$(pkg-config --variable=libdir vips)/${folder##*/}
    for file in "$own"/*; do
        [ ! -e "$file" ] || [ -e "$folder/${file##*/}" ] || ln -s "$file" "$folder/"
    done
    export VIPSHOME="${folder%/*/*}"
    vips cof "$image" home.png --window 5
    cmp command.png home.png
    vips --list | grep -v cof | cmp - operations.txt
    unset VIPSHOME
fi
operation=$(find "$prefix" -name cof-filter.so)
if [ -n "$operation" ] && command -v gegl > gegl.path; then
    GEGL_PATH=${operation%/*}:$(pkg-config --variable=pluginsdir gegl-0.4) gegl --info cof:filter \
        > gegl.info
    grep -q window gegl.info
fi
