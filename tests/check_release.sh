#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Checks what packaging/checksums.sh writes: each file of a release is in one of two lists, which can
# be checked and, where minisign is installed, are signed.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "$*"
    exit 1
}

mkdir -p "$work/release/debian"
cd "$work/release"
for file in libcof-1.tar.xz cof-1.whl debian/cof_1.deb debian/libcof_1.dsc debian/libcof_1.changes \
    debian/libcof_1.buildinfo; do
    echo "$file" >$file
done
names() {
    sed 's/^[0-9a-f]* [ *]//' "$1" | tr '\n' ' '
}
sh "$root/packaging/checksums.sh" . 1.0 >"$work/log"
grep -q 'nothing is signed' "$work/log" || fail "does not say that nothing is signed"
[ "$(names SHA256SUMS)" = "cof-1.whl debian/cof_1.deb debian/libcof_1.dsc libcof-1.tar.xz " ] ||
    fail "SHA256SUMS lists $(names SHA256SUMS)"
[ "$(names SHA256SUMS.records)" = "debian/libcof_1.buildinfo debian/libcof_1.changes " ] ||
    fail "SHA256SUMS.records lists $(names SHA256SUMS.records)"
sha256sum --quiet --check SHA256SUMS SHA256SUMS.records

# The records of another build change nothing that others compare.
cp SHA256SUMS "$work/before"
echo later >debian/libcof_1.buildinfo
sh "$root/packaging/checksums.sh" . 1.0 >/dev/null
cmp SHA256SUMS "$work/before"
if command -v minisign >/dev/null; then
    minisign -G -W -p "$work/key.pub" -s "$work/key" >/dev/null
    (cd .. && COF_SIGNING_KEY=key sh "$root/packaging/checksums.sh" release 1.0) >"$work/log"
    COF_SIGNING_KEY=$(cat "$work/key") sh "$root/packaging/checksums.sh" . 1.0 >>"$work/log"
    for list in SHA256SUMS SHA256SUMS.records; do
        minisign -V -q -p "$work/key.pub" -m $list || fail "$list is not signed"
    done
    echo more >>SHA256SUMS
    ! minisign -V -q -p "$work/key.pub" -m SHA256SUMS 2>/dev/null || fail "a change is not seen"
fi

# Without Debian packages there are no records.
rm -r debian
sh "$root/packaging/checksums.sh" . 1.0 >/dev/null
[ "$(echo SHA256SUMS*)" = SHA256SUMS ] || fail "there are lists of nothing: $(echo SHA256SUMS*)"
