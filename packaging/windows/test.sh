#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests what build.sh BUILD-FOLDER OUTPUT-FOLDER --test has made, under wine:
#     test.sh BUILD-FOLDER OUTPUT-FOLDER LIBCOF.SO [COMPARE-LEVELS]
# LIBCOF.SO and COMPARE-LEVELS are of this system: results are compared with theirs.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
out=$(cd "$2" && pwd)
COF_LIBRARY=$(readlink -f "$3")
export COF_LIBRARY
compare_here=${4:-}
version=$(sh "$root/packaging/version.sh")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export WINEDEBUG=-all WINEPREFIX="${WINEPREFIX:-$build/wine}"
wineboot -i >/dev/null 2>&1 || true

echo "the tests, under $(wine --version)"
meson test -C "$build" --no-rebuild --print-errorlogs --num-processes 2 >"$build/test.log" 2>&1 ||
    { cat "$build/test.log"; exit 1; }
grep -E '^ *[0-9]+/[0-9]+ ' "$build/test.log"

if [ -n "$compare_here" ]; then
    echo "results of the exact method on this system and on Windows"
    images="$root/tests/data/cat.ppm $root/tests/data/cup16.ppm $root/tests/data/man16.pgm"
    # shellcheck disable=SC2086
    "$compare_here" --write "$work/results" $images
    # shellcheck disable=SC2086
    WINEPATH="$build/src" wine "$build/tests/windows/compare_levels.exe" --compare "$work/results" \
        $images
fi

echo "the zip"
unzip -q "$out/cof-$version-win64.zip" -d "$work"
cd "$work/cof-$version-win64"
sh "$root/packaging/windows/check_dll.sh" bin/libcof-*.dll include/cof/cof.h
x86_64-w64-mingw32-gcc -Wall -Wextra -Werror example.c -Iinclude -Llib -lcof -o bin/example.exe
wine bin/example.exe
rm bin/example.exe
# As Visual Studio would link: objects of its kind, and its kind of import library.
clang --target=x86_64-pc-windows-msvc -ffreestanding -Iinclude \
    -Wall -Werror -c "$root/packaging/windows/msvc/start.c" -o start.obj
lld-link /nologo /subsystem:console /entry:start /nodefaultlib start.obj lib/cof.lib \
    /out:bin/start.exe
wine bin/start.exe
echo "linked as Visual Studio does: it runs"

echo "the wheel"
/usr/bin/python3 -B "$root/packaging/python/check_wheel.py" \
    "$out/cof-$version-py3-none-win_amd64.whl"
