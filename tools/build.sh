# SPDX-License-Identifier: BSD-2-Clause
# How ./dev configures and compiles.
# shellcheck shell=sh disable=SC2086,SC2154

# Runs a command quietly and prints its output if it fails: quietly LOG COMMAND...
quietly() {
    log=$1
    shift
    "$@" >"$log" 2>&1 || { cat "$log"; exit 1; }
}

# Sets up a build folder: set_up FOLDER MESON-OPTION... A package that was installed since the last
# time makes Meson look for dependencies again. COF_MESON_OPTIONS: more options, such as --werror.
set_up() {
    folder=$1
    shift
    mkdir -p "$folder"
    if [ ! -f "$folder/build.ninja" ]; then
        quietly "$folder/setup.log" meson setup "$folder" ${COF_MESON_OPTIONS:-} "$@"
    elif [ /var/lib/dpkg/status -nt "$folder/build.ninja" ]; then
        quietly "$folder/setup.log" meson setup --reconfigure "$folder"
    fi
}

# Compiles targets, or all, and prints how far it is: compile FOLDER [TARGET]...
compile() {
    folder=$1
    shift
    if [ -t 1 ]; then
        ninja -C "$folder" "$@" || exit 1
        return
    fi
    { ninja -C "$folder" "$@" 2>&1 || echo '[failed]'; } | tee "$folder/ninja.log" |
        awk -F'[][/]' '/^\[failed\]$/ { bad = 1 }
            /^\[[0-9]+\/[0-9]+\]/ && $3 >= 20 && int($2 * 5 / $3) > shown {
                shown = int($2 * 5 / $3)
                printf "compiled %d of %d\n", $2, $3
                fflush()
            }
            END { exit bad }' || { cat "$folder/ninja.log"; exit 1; }
}

configure() {
    set_up "$@"
    compile "$1"
}

# The library, the command, its modules and its manual page.
build() {
    need $build_packages
    say "compiling libcof and the command cof in build/ (about a minute the first time)"
    set_up build --buildtype=release
    compile build command
}

# Sets up a build: set_up_web FOLDER-OF-BUILDS module|with-simd|without-simd
# The module with SIMD has no kernels in C, which its tests need; that without is the tested one.
set_up_web() {
    simd=true
    tests=enabled
    [ "$2" != without-simd ] || simd=false
    [ "$2" != module ] || tests=disabled
    set_up "$1/$2" --cross-file web/wasm32.ini --buildtype=release -Doptimization=s --werror \
        -Dtests=$tests -Dwasm-simd=$simd
}

# Compiles the module with and without SIMD: build_web FOLDER-OF-BUILDS
build_web() {
    need $build_packages $web_packages
    say "compiling libcof to WebAssembly in $1/"
    for kind in module without-simd; do
        set_up_web "$1" $kind
        compile "$1/$kind" web/core/cof-web.wasm
    done
    node web/core/build.mjs "$1/package" "$1/module/web/core/cof-web.wasm" \
        "$1/without-simd/web/core/cof-web.wasm"
}

# Puts the page together: build_studio FOLDER-OF-BUILDS
build_studio() {
    build_web "$1"
    need python3
    /usr/bin/python3 -B web/studio/build.py --core "$1/package" "$1/studio"
}
