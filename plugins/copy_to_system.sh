#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Copies installed plug-ins to the folders that their programs search. Meson runs it after everything
# else is installed, and prints its messages only if it fails.
# Usage: copy_to_system.sh [PLUG-IN FOLDER]..., with each PLUG-IN relative to the prefix
set -u
umask 022
status=0

copy() {
    mkdir -p "$2" || return
    # Programs that have loaded an older plug-in keep it: the file is replaced, not overwritten.
    rm -f "$2/${1##*/}" && cp "$1" "$2/"
}

while [ $# -gt 1 ]; do
    if ! copy "$MESON_INSTALL_DESTDIR_PREFIX/$1" "${DESTDIR:-}$2"; then
        echo "not copied to $2: $1 (everything else is installed)" >&2
        status=1
    fi
    shift 2
done
exit $status
