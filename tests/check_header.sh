#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Compiles cof.h alone, as C99 and C++11, and checks that the library exports what cof.h declares and
# nothing else, each function with a symbol version of src/cof.map.
# Usage: check_header.sh HEADER-FOLDER LIBRARY
set -eu
folder=$1
library=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo '#include "cof/cof.h"' > "$work/alone.c"
cp "$work/alone.c" "$work/alone.cpp"
for compiler in gcc clang; do
    "$compiler" -std=c99 -pedantic -Wall -Wextra -Werror -I"$folder" -fsyntax-only "$work/alone.c"
    "$compiler" -x c++ -std=c++11 -pedantic -Wall -Wextra -Werror -I"$folder" -fsyntax-only \
        "$work/alone.cpp"
done

grep -o '\bcof_[a-z_]*(' "$folder/cof/cof.h" | tr -d '(' | sort -u |
    grep -v '^cof_options_init$' > "$work/declared"
# The nodes of src/cof.map are absolute symbols.
nm -D --defined-only "$library" | awk '$2 != "A" {print $3}' | sort -u > "$work/symbols"
sed 's/@.*//' "$work/symbols" > "$work/exported"
if ! diff "$work/declared" "$work/exported"; then
    echo "cof.h and src/cof.map should name the same functions"
    exit 1
fi
if grep -v '@@COF_[0-9.]*$' "$work/symbols"; then
    echo "these functions have no symbol version"
    exit 1
fi
echo "$(wc -l < "$work/exported") functions"
