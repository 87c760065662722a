#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Writes the wheel for this Linux and the sdist: build.sh BUILD-FOLDER OUTPUT-FOLDER
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1" "$2"
build=$(cd "$1" && pwd)
out=$(cd "$2" && pwd)

[ -f "$build/build.ninja" ] || meson setup "$build" "$root" --prefix=/usr --buildtype=release \
    --werror -Dpython=enabled -Dpython-libcof=inside -Dopencl=enabled >"$build/setup.log"
ninja -C "$build" >"$build/ninja.log" || { cat "$build/ninja.log"; exit 1; }
for name in libcof libcof-opencl; do
    strip -o "$build/$name.so" "$build/python/$name.so"
done
# The oldest glibc on which the wheel runs; a newer one would shut users out.
glibc=$(sh "$root/packaging/python/check_glibc.sh" 2.34 "$build/libcof.so" "$build/libcof-opencl.so")
platform=manylinux_$(echo "$glibc" | tr . _)_$(uname -m)
/usr/bin/python3 -B "$root/packaging/python/make_wheel.py" "$out" --platform "$platform" \
    --library "$build/libcof.so=libcof.so" --library "$build/libcof-opencl.so=libcof-opencl.so"
/usr/bin/python3 -B "$root/packaging/python/make_sdist.py" "$out"
