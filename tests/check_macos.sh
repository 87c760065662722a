#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Compiles and links the library, its module for devices, the command and the libvips module for macOS
# on arm64, and looks for functions that are in no library there. Nothing is run. What is needed is
# downloaded into FOLDER once. docs/systems.md says what is left.
# Usage: check_macos.sh SOURCE-FOLDER FOLDER
set -eu
source=$1
folder=$2/macos
if ! command -v llvm-objdump >/dev/null || ! sh "$source/packaging/macos/fetch.sh" "$folder" libvips; then
    echo "needs curl, llvm, a network, and Linux on x86-64"
    exit 77
fi
export PATH="$folder/zig-linux-x64:$source/packaging/macos:$PATH"
vips=$folder/sharp-libvips-darwin-arm64/lib
library=$(echo "$vips"/libvips-cpp.*.dylib)
version=${library#*libvips-cpp.}
# Three functions of libtiff and GIO that the command calls are not in this library.
cat >"$folder/absent.c" <<'TEXT'
void *g_zlib_compressor_new(int format, int level);
int TIFFGetTagListCount(void *tiff);
unsigned TIFFGetTagListEntry(void *tiff, int index);
int TIFFGetTagListCount(void *tiff)
{
    return tiff ? 1 : 0;
}
unsigned TIFFGetTagListEntry(void *tiff, int index)
{
    return tiff ? (unsigned)index : 0;
}
void *g_zlib_compressor_new(int format, int level)
{
    (void)format;
    (void)level;
    return 0;
}
TEXT
macos-cc -c "$folder/absent.c" -o "$folder/absent.o"
mkdir -p "$folder/pkgconfig"
for name in vips gio-2.0 gmodule-2.0 libtiff-4; do
    headers=$folder/sharp-libvips-dev/include
    cat >"$folder/pkgconfig/$name.pc" <<TEXT
libdir=/usr/lib
Name: $name
Description: $name of sharp
Version: ${version%.dylib}
Cflags: -I$headers -I$headers/glib-2.0 -I$vips/glib-2.0/include
Libs: $library $([ $name != libtiff-4 ] || echo "$folder/absent.o")
TEXT
done
export PKG_CONFIG=pkg-config PKG_CONFIG_LIBDIR="$folder/pkgconfig"
[ -f "$folder/build/build.ninja" ] ||
    meson setup "$folder/build" "$source" --cross-file "$source/packaging/macos/arm64.ini" --werror \
        --buildtype=plain -Dauto_features=disabled -Dcli=enabled -Dvips=enabled -Dopencl=enabled \
        >"$folder/setup.log" || { cat "$folder/setup.log"; exit 1; }
ninja -C "$folder/build" >"$folder/ninja.log" || { cat "$folder/ninja.log"; exit 1; }

cd "$folder/build"
for file in src/libcof.1.dylib opencl/libcof-opencl.so cli/cof plugins/vips/vips-cof.dylib; do
    llvm-nm -m -u "$file" >"$folder/needed"
    ! grep -v ' (from ' "$folder/needed" || { echo "$file: in no library"; exit 1; }
    echo "$file: $(wc -l <"$folder/needed") functions of other libraries"
done
llvm-objdump --macho --all-headers cli/cof | grep -q 'path @loader_path/'
