#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Makes the site with the studio in FOLDER/site: build_site.sh FOLDER BUILD
# BUILD is a build of the library and the command. ./dev site does the same, and installs packages.
set -eu
folder=$1
build=$2
# These flags are for the processor, not for WebAssembly.
unset CFLAGS CPPFLAGS CXXFLAGS LDFLAGS
for simd in true false; do
    meson setup "$folder/simd-$simd" --cross-file web/wasm32.ini --buildtype=release \
        -Doptimization=s -Dtests=disabled -Dwasm-simd=$simd
    ninja -C "$folder/simd-$simd" web/core/cof-web.wasm
done
node web/core/build.mjs "$folder/package" "$folder/simd-true/web/core/cof-web.wasm" \
    "$folder/simd-false/web/core/cof-web.wasm"
python3 -B web/studio/build.py --core "$folder/package" "$folder/studio"
COF_LIBRARY=$build/src/libcof.so python3 -B site/make.py "$folder/site" \
    --studio "$folder/studio" --manual "$build/cli/cof.1"
