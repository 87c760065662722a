#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Makes all that is published of a version, twice, compares the two, and tests each file in a clean
# place: release.sh [--without PART]...
# Parts: debian, npm, python, windows. The result is in release/; the tree must have no changes.
# COF_SIGNING_KEY is a secret key of minisign, or the file of one, COF_SIGNING_PASSWORD its password.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
left_out=
while [ $# -gt 0 ]; do
    case $1-${2:-} in
    --without-debian | --without-npm | --without-python | --without-windows) left_out="$left_out $2" ;;
    *)
        sed -n '3,6s/^# //p' "$0" >&2
        exit 2
        ;;
    esac
    shift 2
done

changes=$(git status --porcelain)
[ -z "$changes" ] || { printf 'the tree has changes that are not committed:\n%s\n' "$changes" >&2; exit 1; }
version=$(sh packaging/version.sh)
released=$(/usr/bin/python3 -B tests/check_version.py --released) || { echo "$released" >&2; exit 1; }
name=libcof-$version
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8 TZ=UTC
umask 022
work=$(mktemp -d "${TMPDIR:-/tmp}/cof-release-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
began=$(date +%s)
rm -rf release
mkdir release

# with PART: whether that part is made.
with() {
    case " $left_out " in
    *" $1 "*) return 1 ;;
    esac
}

# step WHAT COMMAND...: runs a step; its output goes to a file, and is shown if it fails. The shell
# does not end a function here when one of its commands fails: functions chain them with &&.
steps=0
step() {
    steps=$((steps + 1))
    what=$1
    log=$work/step-$steps.log
    shift
    started=$(date +%s)
    if ! "$@" >"$log" 2>&1 </dev/null; then
        tail -n 60 "$log"
        echo "FAILED: $what" >&2
        exit 1
    fi
    printf '%4d s  %s\n' $(($(date +%s) - started)) "$what"
}

# show PATTERN: lines of the last step that say what it has found.
show() {
    grep -E "$1" "$log" | sed 's/^/        /' || true
}

# The source: what the last commit has, with its time.
make_tarball() {
    git archive --format=tar --prefix="$name/" -o "$1/$name.tar" HEAD && xz -6 -T1 "$1/$name.tar"
}

make_npm() {
    (cd "$1" && ./dev web) &&
        /usr/bin/python3 -B "$1/packaging/npm/make_npm.py" "$1/build-web/package" "$2"
}

# The compilers of these run on x86-64 only.
other_wheels=musl
[ "$(uname -m)" != x86_64 ] || other_wheels="arm64 musl macos"

# Builds everything in a clone of its own: build NUMBER [ARGUMENT of the build for Windows]
build() {
    tree=$work/$1/$name
    out=$work/$1/out
    mkdir -p "$out"
    git clone -q --no-hardlinks "$root" "$tree"
    step "build $1: source" make_tarball "$out"
    # shellcheck disable=SC2086
    ! with python || step "build $1: wheels and sdist" sh "$tree/packaging/python/build.sh" \
        "$work/$1/python" "$out" $other_wheels
    ! with npm || step "build $1: npm package" make_npm "$tree" "$out"
    ! with windows || step "build $1: Windows" sh "$tree/packaging/windows/build.sh" \
        "$work/$1/windows" "$out" ${2:+"$2"}
}

# Prints how many files two builds have in common, byte for byte, and which differ.
compare() {
    different=
    equal=0
    for file in "$work"/first/out/*; do
        other=$work/second/out/$(basename "$file")
        if cmp -s "$file" "$other"; then
            equal=$((equal + 1))
        else
            different="$different $(basename "$file")"
            ! command -v diffoscope >/dev/null || diffoscope "$file" "$other" >&2 || true
        fi
    done
    echo "$equal files have the same bytes in both builds"
    [ -z "$different" ] || { echo "these differ:$different" >&2; return 1; }
}

check_other_wheels() {
    for wheel in release/cof-*-musllinux*.whl release/cof-*_aarch64.whl release/cof-*-macosx*.whl; do
        [ ! -f "$wheel" ] || COF_LIBRARY=$work/source/build/src/libcof.so /usr/bin/python3 -B \
            packaging/python/check_wheel.py "$wheel" || return 1
    done
}

echo "libcof $version of $released, commit $(git rev-parse --short HEAD)"
build first --test
build second
step "the two builds are compared" compare
show 'same bytes'
cp "$work"/first/out/* release

step "the source is built, tested, installed and used" sh packaging/test_source.sh \
    "release/$name.tar.xz" "$work/source"
show '^(Ok|Fail):'
if with python; then
    step "wheel and sdist in empty environments" sh packaging/python/test.sh \
        release/cof-"$version"-py3-none-manylinux*_"$(uname -m)".whl "release/cof-$version.tar.gz"
    show 'instruction set|needs glibc'
    step "wheels for other systems" check_other_wheels
    show ':'
fi
if with npm; then
    step "npm package in an empty folder" sh packaging/npm/test.sh "release/$name.tgz"
    show '^(node|bundle)|no Chromium'
fi
if with windows; then
    step "Windows under wine" sh packaging/windows/test.sh "$work/first/windows" release \
        "$work/source/build/src/libcof.so" "$work/source/build/tests/compare_levels"
    show 'OK  |differ|functions'
fi
if with debian; then
    for suite in bookworm trixie; do
        step "Debian packages of $suite, built twice" sh packaging/debian_suite.sh $suite \
            release/debian/$suite "release/$name.tar.xz"
        show 'same bytes|^[EW]: '
        step "Debian packages in a minimal $suite" env COF_DEBIAN_SUITE=$suite \
            sh packaging/test_debian.sh release/debian/$suite
        rm -f release/debian/$suite/build.log release/debian/$suite/lintian.txt
    done
fi

# The recipes, with the checksum of the source.
sum=$(sha256sum <"release/$name.tar.xz" | cut -d ' ' -f 1)
mkdir release/recipes
for file in packaging/recipes/*; do
    sed "s/0\{64\}/$sum/" "$file" >"release/recipes/$(basename "$file")"
done

/usr/bin/python3 -B packaging/make_sbom.py release >"release/$name.spdx.json"
sh packaging/checksums.sh release "$version"

printf '\n%10s  %s\n' bytes file
(cd release && find . -type f | sed 's#^\./##' | LC_ALL=C sort) | while read -r file; do
    printf '%10d  %s\n' "$(wc -c <"release/$file")" "$file"
done
[ -z "$left_out" ] || printf '\nnot made:%s\n' "$(echo "$left_out" | tr ' ' '\n' | sort -u | tr '\n' ' ')"
printf '\nin %d minutes, in %s\n' $((($(date +%s) - began + 59) / 60)) "$root/release"
