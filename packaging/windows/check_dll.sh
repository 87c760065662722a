#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Checks a DLL of libcof: it needs only what every Windows has, exports what cof.h declares and
# nothing else, and has no vector move that insists on more alignment than the stack has.
# Usage: check_dll.sh DLL COF.H [OBJDUMP]
set -eu
dll=$1
header=$2
objdump=${3:-x86_64-w64-mingw32-objdump}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$objdump" -p "$dll" > "$work/headers"
sed -n 's/^.*DLL Name: //p' "$work/headers" | tr '[:upper:]' '[:lower:]' | sort > "$work/needed"
printf 'kernel32.dll\nmsvcrt.dll\n' | diff - "$work/needed" ||
    { echo "it needs a DLL that Windows does not have"; exit 1; }

grep -o '\bcof_[a-z_]*(' "$header" | tr -d '(' | sort -u | grep -v '^cof_options_init$' \
    > "$work/declared"
awk '/^\[Ordinal/ {in_table = 1; next} NF == 0 {in_table = 0} in_table {print $NF}' "$work/headers" |
    sort -u > "$work/exported"
diff "$work/declared" "$work/exported" || { echo "it exports something else"; exit 1; }

# Windows aligns the stack to 16 bytes: moves of xmm registers are safe.
"$objdump" -d --no-show-raw-insn "$dll" > "$work/code"
grep -q 'vmovdqu.*zmm' "$work/code" || { echo "there is no vector code"; exit 1; }
if grep -E 'vmov(aps|apd|dqa|dqa32|dqa64|ntps|ntpd|ntdq|ntdqa)[[:space:]].*%[yz]mm' "$work/code" |
    grep '(' > "$work/aligned"; then
    head "$work/aligned"
    echo "aligned vector moves"
    exit 1
fi
echo "$(wc -l < "$work/exported") functions, needs $(tr '\n' ' ' < "$work/needed")"
