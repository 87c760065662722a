#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Checks that the Debian package states the version and the symbols of the library:
# check_debian.sh VERSION
set -eu
cd "$(dirname "$0")/.."
version=$1
packaged=$(sed -n '1s/^libcof (\(.*\)-[^-]*) .*/\1/p' packaging/debian/changelog)
[ "$packaged" = "$version" ] || {
    echo "packaging/debian/changelog has version $packaged, meson.build $version"
    exit 1
}
symbols=packaging/debian/libcof1.symbols
grep -q "^libcof\.so\.${version%%.*} libcof${version%%.*} " $symbols || {
    echo "$symbols has another SONAME"
    exit 1
}

# Names, with the node of the version script that they belong to, that only one of the two has.
{
    awk '/^COF_[0-9.]+ *\{/ {node = $1; print node "@" node}
        /^ *cof_[a-z0-9_]+;/ {sub(";", ""); print $1 "@" node}' src/cof.map
    sed -n 's/^ \([^ ]*@[^ ]*\) .*/\1/p' $symbols
} | sort | uniq -u | {
    differing=0
    while read -r name; do
        echo "$name is not both in src/cof.map and in $symbols"
        differing=1
    done
    exit $differing
}
