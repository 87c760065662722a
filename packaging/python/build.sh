#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Writes the sdist, the wheel for this Linux and those that are named:
#     build.sh BUILD-FOLDER OUTPUT-FOLDER [arm64] [musl] [macos]
# arm64 is Linux on arm64, musl Linux with musl on this processor, macos macOS on arm64. They need the
# cross-compiler of Debian, musl-tools, and curl for packaging/macos/fetch.sh.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1" "$2"
build=$(cd "$1" && pwd)
out=$(cd "$2" && pwd)
shift 2
. "$root/packaging/machines/machines.sh"

# Compiles libcof and its module for devices: compile_wheel NAME MESON-OPTION...
compile_wheel() {
    folder=$build/$1
    shift
    mkdir -p "$folder"
    [ -f "$folder/build.ninja" ] || meson setup "$folder" "$root" --prefix=/usr --buildtype=release \
        --werror -Dpython=enabled -Dpython-libcof=inside -Dopencl=enabled "$@" >"$folder/setup.log" ||
        { cat "$folder/setup.log"; exit 1; }
    ninja -C "$folder" >"$folder/ninja.log" || { cat "$folder/ninja.log"; exit 1; }
}

# Strips them: strip_libraries PROGRAM
strip_libraries() {
    for name in libcof libcof-opencl; do
        "$1" -o "$folder/$name.so" "$folder/python/$name.so"
    done
}

# Writes the wheel: pack PLATFORM [FILE-OF-LIBRARY]
pack() {
    library=${2:-$folder/libcof.so}
    /usr/bin/python3 -B "$root/packaging/python/make_wheel.py" "$out" --platform "$1" \
        --library "$library=$(basename "$library")" \
        --library "$folder/libcof-opencl.so=libcof-opencl.so"
}

# Writes a wheel for glibc: pack_manylinux PROCESSOR. The tag names the oldest glibc on which it runs; a
# newer one than 2.34 would shut users out.
pack_manylinux() {
    glibc=$(sh "$root/packaging/python/check_glibc.sh" 2.34 "$folder/libcof.so" \
        "$folder/libcof-opencl.so")
    pack "manylinux_$(echo "$glibc" | tr . _)_$1"
}

make_arm64() (
    (machine_file arm64 aarch64-linux-gnu aarch64 aarch64 little) >"$build/arm64.ini"
    compile_wheel arm64 --cross-file "$build/arm64.ini"
    strip_libraries aarch64-linux-gnu-strip
    OBJDUMP=aarch64-linux-gnu-objdump
    export OBJDUMP
    pack_manylinux aarch64
)

# musl 1.2 loads what was linked with any musl 1.2, and is its own libm and libdl.
make_musl() {
    musl_file >"$build/musl.ini"
    compile_wheel musl --cross-file "$build/musl.ini" -Dc_link_args=-static-libgcc
    strip_libraries strip
    ! objdump -p "$folder"/*.so | grep NEEDED | grep -vx ' *NEEDED *libc.so' || exit 1
    pack "musllinux_1_2_$(uname -m)"
}

# The linker strips and signs them: zig puts paths into what it does not strip.
make_macos() {
    sh "$root/packaging/macos/fetch.sh" "$build/fetched"
    (
        export PATH="$build/fetched/zig-linux-x64:$root/packaging/macos:$PATH"
        compile_wheel macos --cross-file "$root/packaging/macos/arm64.ini" -Dc_args=-g0 \
            -Dc_link_args=-s
    )
    folder=$build/macos
    cp "$folder/python/libcof-opencl.so" "$folder"
    pack macosx_11_0_arm64 "$folder/python/libcof.dylib"
}

compile_wheel native
strip_libraries strip
pack_manylinux "$(uname -m)"
for kind; do
    "make_$kind"
done
/usr/bin/python3 -B "$root/packaging/python/make_sdist.py" "$out"
