#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs a program on Oclgrind, a simulator that reports data races, accesses beyond buffers and wrong
# calls of OpenCL.
# Usage: check_oclgrind.sh PROGRAM
set -eu
driver=$(find /usr/lib/oclgrind /usr/local/lib/oclgrind -name liboclgrind-rt-icd.so 2>/dev/null | head -n 1)
[ -n "$driver" ] || exit 77 # skipped
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "$driver" > "$work/oclgrind.icd"
# As much local memory as a GPU has: the fast filter needs more than the 32 kB of Oclgrind's default.
OCL_ICD_VENDORS=$work OCLGRIND_LOG=$work/log OCLGRIND_DATA_RACES=1 OCLGRIND_CHECK_API=1 \
    OCLGRIND_LOCAL_MEM_SIZE=49152 XDG_CACHE_HOME=$work "$1"
if [ -s "$work/log" ]; then
    cat "$work/log"
    exit 1
fi
