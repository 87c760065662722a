#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Checks that tests/unit/small_stack.c calls every public function, then runs it with musl, whose
# threads have small stacks: check_small_stack.sh SOURCE-FOLDER SCRATCH-FOLDER
set -eu
cd "$1"
scratch=$2/small-stack
program=tests/unit/small_stack.c

missing=
for name in $(grep -oE '\bcof_[a-z_]+\(' include/cof/cof.h | sort -u | tr -d '('); do
    # The function behind cof_options_init().
    [ "$name" != cof_options_init_sized ] || continue
    grep -q "$name(" "$program" || missing="$missing $name"
done
if [ -n "$missing" ]; then
    echo "$program does not call:$missing"
    exit 1
fi

if ! command -v musl-gcc >/dev/null; then
    echo "there is no musl-gcc"
    exit 77
fi
rm -rf "$scratch"
mkdir -p "$scratch"
trap 'rm -rf "$scratch"' EXIT

# The suffix of a kernel selects its compiler flags.
compile() {
    flags=
    case $(uname -m)-$1 in
    x86_64-*_avx2.c) flags="-mavx2 -mfma" ;;
    x86_64-*_avx512.c) flags="-mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma" ;;
    x86_64-*_vbmi.c) flags="-mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vbmi -mfma" ;;
    esac
    # shellcheck disable=SC2086
    musl-gcc -O1 -std=c11 -D_POSIX_C_SOURCE=200809L -ffp-contract=off -pthread -Iinclude -Isrc \
        $flags -c "$1" -o "$scratch/$(basename "$1" .c).o"
}
for file in src/*/*.c src/kernels/*/*.c "$program"; do
    compile "$file"
done
musl-gcc -static "$scratch"/*.o -lm -o "$scratch/program"
"$scratch/program"
