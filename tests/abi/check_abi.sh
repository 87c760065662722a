#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Compares the binary interface of libcof with the one that was released, tests/abi/cof-1.abi: the
# functions, their symbol versions, and the layout of every type that cof.h declares.
# Usage: check_abi.sh SCRATCH-FOLDER [--accept]
# COF_HEADERS names the folder of the header, if not include/.
set -eu
cd "$(dirname "$0")/../.."
scratch=$1/abi
baseline=tests/abi/cof-1.abi
headers=${COF_HEADERS:-include}

for tool in abidw abidiff; do
    command -v $tool >/dev/null || { echo "there is no $tool (Debian: abigail-tools)"; exit 77; }
done
# The baseline has 64-bit pointers; its types are those of all such systems.
[ "$(getconf LONG_BIT)" = 64 ] || { echo "the baseline is that of 64-bit systems"; exit 77; }
rm -rf "$scratch"
mkdir -p "$scratch"
trap 'rm -rf "$scratch"' EXIT

# Only the files that define public functions are compiled, with the same flags by whatever compiler
# there is, and without optimisation, so that the description does not depend on either. What they
# use inside of the library may stay undefined.
grep -lE '^[A-Za-z][A-Za-z0-9_ ]* \*?cof_[a-z0-9_]+\(' src/*/*.c | while read -r file; do
    echo "-g -O0 -std=c11 -fPIC -fvisibility=hidden -D_POSIX_C_SOURCE=200809L -DCOF_BUILD" \
        "-DCOF_MODULES=\\\"\\\" -I$headers -Isrc -c $file -o $scratch/$(basename "$file" .c).o"
done | xargs -P "$(nproc)" -L 1 "${CC:-cc}"
"${CC:-cc}" -shared -Wl,-soname,libcof.so.1 -Wl,--version-script=src/cof.map "$scratch"/*.o \
    -o "$scratch/libcof.so"
abidw --headers-dir "$headers/cof" --drop-private-types --no-architecture --no-corpus-path \
    --no-comp-dir-path --no-show-locs --no-elf-needed --drop-undefined-syms \
    --exported-interfaces-only --type-id-style hash --out-file "$scratch/cof.abi" \
    "$scratch/libcof.so"

if [ "${2:-}" = --accept ]; then
    cp "$scratch/cof.abi" $baseline
    echo "stored in $baseline"
    exit 0
fi
if abidiff --no-architecture --no-added-syms --suppressions tests/abi/compatible.ini $baseline \
    "$scratch/cof.abi"; then
    echo "compatible with $baseline"
    exit 0
fi
cat <<'TEXT'

The binary interface differs from that of the release, as abidiff says above. A program that was
built against an older cof.h would pass or read something else.

- Not intended: undo it. These changes are compatible (docs/api-stability.md): new functions, in a
  node of src/cof.map of their own; new values at the end of an enumeration; new fields at the end
  of CofOptions and CofReport; a field in the place of a reserved one of CofImage, CofRoi or
  CofProblem for which 0 means what the library did before.
- A field in the place of a reserved one: check that its offset is that of the reserved field and
  that no other offset and no size has changed, then store the new description with
  tests/abi/check_abi.sh build/tests --accept
- Incompatible on purpose: this is version 2.0.0. Raise the major version in meson.build and cof.h,
  replace the node of src/cof.map by COF_2, and say in CHANGELOG.md what programs must change.
TEXT
exit 1
