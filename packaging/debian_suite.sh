#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs packaging/debian.sh in a minimal system of a release of Debian:
#     packaging/debian_suite.sh SUITE OUT [SOURCE]
# SUITE is bookworm, trixie or testing; OUT and SOURCE are those of debian.sh. Needs root, debootstrap
# and a Debian mirror (COF_DEBIAN_MIRROR, default http://deb.debian.org/debian). COF_DEBIAN_CHROOT
# names a folder in which the system is kept for the next time. DEB_BUILD_OPTIONS and
# DEB_BUILD_PROFILES, such as nocheck and nodoc, are respected.
set -eu
PATH=/usr/sbin:/usr/bin:/sbin:/bin
LC_ALL=C.UTF-8
export PATH LC_ALL
root=$(cd "$(dirname "$0")/.." && pwd)
[ $# = 2 ] || [ $# = 3 ] || { sed -n '3,9s/^# //p' "$0" >&2; exit 2; }
suite=$1
mkdir -p "$2"
out=$(cd "$2" && pwd)
source=$(realpath "${3:-$root}")
mirror=${COF_DEBIAN_MIRROR:-http://deb.debian.org/debian}
[ "$(id -u)" = 0 ] || { echo "debian_suite.sh: run this as root" >&2; exit 1; }
# Mounts are private to this process, and end with it.
if [ -z "${COF_DEBIAN_PRIVATE:-}" ]; then
    COF_DEBIAN_PRIVATE=1 exec unshare --mount sh "$0" "$suite" "$out" "$source"
fi

work=$(mktemp -d)
system=${COF_DEBIAN_CHROOT:-$work/system}

finish() {
    for mounted in dev/shm proc; do
        ! mountpoint -q "$system/$mounted" || umount -l "$system/$mounted"
    done
    rm -rf --one-file-system "$work"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

quietly() {
    "$@" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
}

inside() {
    chroot "$system" env -i PATH="$PATH" LC_ALL=C.UTF-8 HOME=/root DEBIAN_FRONTEND=noninteractive \
        COF_DEBIAN_ONCE="${COF_DEBIAN_ONCE:-0}" DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:-}" \
        DEB_BUILD_PROFILES="${DEB_BUILD_PROFILES:-}" \
        ${SOURCE_DATE_EPOCH:+SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH"} "$@"
}

[ -f "$system/etc/debian_version" ] ||
    quietly debootstrap --variant=minbase "$suite" "$system" "$mirror"
# Nobody needs the system after a power failure.
echo force-unsafe-io >"$system/etc/dpkg/dpkg.cfg.d/90cof"
mount -t proc proc "$system/proc"
mount -t tmpfs tmpfs "$system/dev/shm"
rm -rf "$system/build"
mkdir -p "$system/build/tree"
if [ -f "$source" ]; then
    cp "$source" "$system/build/source.tar.xz"
else
    git -C "$source" archive --prefix=libcof/ HEAD | xz -6 -T1 >"$system/build/source.tar.xz"
fi
tar -xf "$system/build/source.tar.xz" -C "$system/build/tree" --strip-components=1
quietly inside apt-get -q update
quietly inside apt-get -q -y --no-install-recommends install dpkg-dev lintian diffoscope-minimal xz-utils
quietly inside apt-get -q -y --no-install-recommends build-dep /build/tree/packaging
inside sh /build/tree/packaging/debian.sh /build/out /build/source.tar.xz
cp "$system"/build/out/* "$out"
