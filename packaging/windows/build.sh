#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Cross-compiles libcof for Windows and writes a zip and a Python wheel:
#     build.sh BUILD-FOLDER OUTPUT-FOLDER
# With --test as a third argument it also compiles the tests, for test.sh.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1" "$2"
build=$(cd "$1" && pwd)
out=$(cd "$2" && pwd)
tests=disabled
[ "${3:-}" != --test ] || tests=enabled
version=$(sh "$root/packaging/version.sh")
: "${SOURCE_DATE_EPOCH:=0}"
export SOURCE_DATE_EPOCH

[ -f "$build/build.ninja" ] || meson setup "$build" "$root" --prefix=/ --buildtype=release --werror \
    --cross-file "$root/packaging/windows/mingw64.ini" -Dtests=$tests >"$build/setup.log"
ninja -C "$build" >"$build/ninja.log" || { cat "$build/ninja.log"; exit 1; }

dll=$(find "$build/src" -maxdepth 1 -name 'libcof-*.dll')
abi=$(basename "$dll" .dll | sed s/libcof-//)
name=cof-$version-win64
stage=$build/zip/$name
rm -rf "$build/zip"
mkdir -p "$stage/bin" "$stage/lib" "$stage/include/cof"
x86_64-w64-mingw32-strip -o "$stage/bin/$(basename "$dll")" "$dll"
# The import library of the build would hold names of temporary files. Its symbols contain the name
# of the file as it is given, so that a path would get into them.
{
    printf 'LIBRARY %s\nEXPORTS\n' "$(basename "$dll")"
    x86_64-w64-mingw32-objdump -p "$dll" |
        awk '/^\[Ordinal/ {in_table = 1; next} NF == 0 {in_table = 0} in_table {print "    " $NF}'
} >"$stage/lib/cof.def"
(
    cd "$stage/lib"
    x86_64-w64-mingw32-dlltool --deterministic-libraries --temp-prefix cof -d cof.def \
        -l libcof.dll.a
    llvm-dlltool -m i386:x86-64 -d cof.def -l cof.lib
)
cp "$root/include/cof/cof.h" "$stage/include/cof"
cp "$root/packaging/windows/example.c" "$stage"
mingw_licence=/usr/share/doc/mingw-w64-common/copyright
cp "$mingw_licence" "$stage/LICENSE-mingw-w64.txt"
cp "$root/LICENSE" "$stage/LICENSE.txt"
compiler=$(x86_64-w64-mingw32-gcc-posix --version | sed -n 1p | sed 's/ (.*) / /;s/.*gcc-posix/GCC (MinGW-w64)/')
sed -e "s/@VERSION@/$version/g" -e "s/@ABI@/$abi/g" -e "s/@COMPILER@/$compiler/" \
    -e "s/@WINE@/$(wine --version 2>/dev/null | sed 's/ .*//')/" -e 's/$/\r/' \
    "$root/packaging/windows/README.txt.in" >"$stage/README.txt"
(
    cd "$build/zip"
    rm -f "$out/$name.zip"
    find . -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
    find "$name" -type f | LC_ALL=C sort | TZ=UTC zip -q -X -9 -@ "$out/$name.zip"
)
/usr/bin/python3 -B "$root/packaging/python/make_wheel.py" "$out" --platform win_amd64 \
    --library "$stage/bin/$(basename "$dll")=libcof.dll" --licence "$mingw_licence=mingw-w64" \
    >/dev/null
sha256sum "$out/$name.zip" "$out/cof-$version-py3-none-win_amd64.whl"
