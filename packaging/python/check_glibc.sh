#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Prints the version of glibc that libraries need, such as 2.34, from their symbols. Fails if it is
# newer than LIMIT, or if they need a library that PEP 600 does not promise on every Linux.
# Usage: check_glibc.sh LIMIT LIBRARY...
# OBJDUMP is that of another processor.
set -eu
limit=$1
shift
needed=$("${OBJDUMP:-objdump}" -T "$@" | grep -o 'GLIBC_[0-9.]*' | sed s/GLIBC_// | sort -uV | tail -n 1)
if [ "$(printf '%s\n%s\n' "$needed" "$limit" | sort -V | tail -n 1)" != "$limit" ]; then
    echo "glibc $needed is needed, because of:" >&2
    "${OBJDUMP:-objdump}" -T "$@" | grep "GLIBC_$needed" >&2
    exit 1
fi
others=$("${OBJDUMP:-objdump}" -p "$@" | sed -n 's/^ *NEEDED *//p' |
    grep -vxE 'libc\.so\.6|libm\.so\.6|libdl\.so\.2|libpthread\.so\.0|ld-linux-.*' || true)
[ -z "$others" ] || { echo "needs $others" >&2; exit 1; }
echo "$needed"
