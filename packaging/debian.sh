#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Builds the Debian packages twice, compares them and runs lintian: packaging/debian.sh OUT [SOURCE]
# SOURCE is a tar.xz of a release, or a git repository (default: this one, its last commit).
# OUT gets the packages, the tarballs of the source, the .dsc, .changes and .buildinfo files, and
# lintian.txt. COF_DEBIAN_ONCE=1 builds once. Needs `apt build-dep ./packaging`, lintian and
# diffoscope-minimal. Nothing is downloaded.
set -eu
# Programs that a package has not installed must not change what is built.
PATH=/usr/sbin:/usr/bin:/sbin:/bin
export PATH
root=$(cd "$(dirname "$0")/.." && pwd)
[ $# = 1 ] || [ $# = 2 ] || { sed -n '3,7s/^# //p' "$0" >&2; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
source=${2:-$root}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

say() {
    printf '\n== %s\n' "$*"
}

# Only what git has is packed, not the build folders that a tree may contain.
export_source() {
    if [ -f "$source" ]; then
        cp "$source" "$1"
    else
        git -C "$source" archive --prefix=libcof/ HEAD | xz -6 -T1 >"$1"
    fi
}

# The time of the last commit, which is also that of the files in a tarball.
source_time() {
    if [ -f "$source" ]; then
        tar -tvf "$source" --full-time --utc | awk '{print $4, $5}' | sort | tail -n 1 |
            TZ=UTC0 date -f - +%s
    else
        git -C "$source" log -1 --format=%ct
    fi
}

# The version of the source is stated once, and Debian's changelog follows it.
check_version() {
    stated=$(meson introspect --projectinfo "$1/meson.build" |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["version"])')
    packaged=$(dpkg-parsechangelog -l "$1/debian/changelog" -S Version)
    [ "${packaged%-*}" = "$stated" ] || {
        echo "packaging/debian/changelog has version $packaged, meson.build $stated" >&2
        exit 1
    }
}

# Packages of a release have its name in their version, so that a newer release replaces them.
add_release() {
    # shellcheck source=/dev/null
    release=$(. /etc/os-release && echo "${VERSION_ID:+~$ID$VERSION_ID}")
    sed -i "1s/)/$release)/" "$1/debian/changelog"
}

# Makes the tree ready: prepare FOLDER
prepare() {
    mkdir -p "$1/tree"
    export_source "$1/source.tar.xz"
    tar -xf "$1/source.tar.xz" -C "$1/tree" --strip-components=1
    cp -r "$1/tree/packaging/debian" "$1/tree/debian"
    check_version "$1/tree"
    add_release "$1/tree"
    mv "$1/source.tar.xz" "$1/libcof_$stated.orig.tar.xz"
}

# Builds a tree: build FOLDER DEB_BUILD_OPTIONS
build() {
    (
        cd "$1/tree"
        DEB_BUILD_OPTIONS="parallel=$(nproc) ${DEB_BUILD_OPTIONS:-} $2" dpkg-buildpackage -us -uc
    ) >"$1/build.log" 2>&1 || { cat "$1/build.log"; exit 1; }
}

# The second build has another path, language and time zone, and compiles no tests.
compare_builds() {
    prepare "$work/another-folder"
    LC_ALL=C.UTF-8 LANG=C.UTF-8 TZ=Asia/Kathmandu build "$work/another-folder" nocheck
    equal=0
    for file in "$work"/first/*.deb "$work"/first/*.dsc "$work"/first/*.tar.xz; do
        if cmp "$file" "$work/another-folder/$(basename "$file")"; then
            equal=$((equal + 1))
        else
            diffoscope "$file" "$work/another-folder/$(basename "$file")" || true
            exit 1
        fi
    done
    echo "$equal files are the same bytes in both builds"
}

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(source_time)}
export SOURCE_DATE_EPOCH
say "building the Debian packages"
prepare "$work/first"
build "$work/first" ''
if [ "${COF_DEBIAN_ONCE:-0}" != 1 ]; then
    say "building them again"
    compare_builds
fi
rm -f "$out"/*.deb "$out"/*.dsc "$out"/*.changes "$out"/*.buildinfo "$out"/libcof_*.tar.xz
cp "$work"/first/*.deb "$work"/first/*.dsc "$work"/first/*.changes "$work"/first/*.buildinfo \
    "$work"/first/*.tar.xz "$work/first/build.log" "$out"
say "lintian"
status=0
lintian -EviI --fail-on error,warning "$out"/*.changes >"$out/lintian.txt" 2>&1 || status=$?
grep -E '^[EWIXPO]: ' "$out/lintian.txt" || true
[ "$status" = 0 ] || { echo "lintian: see $out/lintian.txt" >&2; exit 1; }
say "packages"
for file in "$out"/*.deb; do
    printf '%-52s %8d bytes\n' "$(basename "$file")" "$(wc -c <"$file")"
done
