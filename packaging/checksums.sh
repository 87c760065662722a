#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Writes the checksums of a release and signs them: packaging/checksums.sh FOLDER VERSION
# SHA256SUMS lists the files that everybody gets who builds this version, byte for byte.
# SHA256SUMS.records lists what records this one build and differs from the next: Debian's .buildinfo
# (time and environment) and .changes (checksums of the .buildinfo), which an upload needs.
# COF_SIGNING_KEY is a secret key of minisign, or the file of one, COF_SIGNING_PASSWORD its password.
set -eu
[ $# = 2 ] || { sed -n '3,7s/^# //p' "$0" >&2; exit 2; }
key=${COF_SIGNING_KEY:-}
[ ! -f "$key" ] || key=$(realpath "$key")
cd "$1"
version=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

rm -f SHA256SUMS*
find . -type f | sed 's#^\./##' | LC_ALL=C sort >"$work/all"
grep -E '\.(buildinfo|changes)$' "$work/all" >"$work/SHA256SUMS.records" || true
grep -vE '\.(buildinfo|changes)$' "$work/all" >"$work/SHA256SUMS"
for list in SHA256SUMS SHA256SUMS.records; do
    [ ! -s "$work/$list" ] || xargs sha256sum <"$work/$list" >"$list"
done

if [ -z "$key" ]; then
    echo "nothing is signed: COF_SIGNING_KEY names no key"
    exit
fi
if [ ! -f "$key" ]; then
    key=$work/key
    (umask 077 && printf '%s\n' "$COF_SIGNING_KEY" >"$key")
fi
printf '%s\n' "${COF_SIGNING_PASSWORD:-}" | minisign -R -s "$key" -p "$work/key.pub" >/dev/null
for list in SHA256SUMS*; do
    printf '%s\n' "${COF_SIGNING_PASSWORD:-}" | minisign -S -s "$key" -m "$list" \
        -c "libcof $version" -t "libcof $version, $list" >/dev/null
    minisign -V -q -p "$work/key.pub" -m "$list"
    echo "signed: $list.minisig"
done
echo "public key: $(tail -n 1 "$work/key.pub")"
