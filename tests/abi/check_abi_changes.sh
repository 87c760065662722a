#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Checks that check_abi.sh accepts compatible changes of cof.h and refuses others.
# Usage: check_abi_changes.sh SCRATCH-FOLDER
set -eu
cd "$(dirname "$0")/../.."
command -v abidiff >/dev/null || { echo "there is no abidiff (Debian: abigail-tools)"; exit 77; }
scratch=$1/abi-changes
rm -rf "$scratch"
mkdir -p "$scratch/include/cof"
trap 'rm -rf "$scratch"' EXIT
export COF_HEADERS="$scratch/include"

# change accepted|refused SED-SCRIPT
change() {
    sed "$2" include/cof/cof.h > "$COF_HEADERS/cof/cof.h"
    ! cmp -s include/cof/cof.h "$COF_HEADERS/cof/cof.h" || { echo "no change: $2"; exit 1; }
    result=accepted
    sh tests/abi/check_abi.sh "$scratch" > "$scratch/log" 2>&1 || result=refused
    if [ $result != "$1" ]; then
        cat "$scratch/log"
        echo "$result, but should be $1: $2"
        exit 1
    fi
    [ $result = accepted ] || grep -q 'this is version 2.0.0' "$scratch/log" ||
        { cat "$scratch/log"; exit 1; }
    echo "$1: $2"
}

change accepted 's|^} CofOptions;|    int later; } CofOptions;|'
change accepted 's|COF_STAGE_STORE = 6|COF_STAGE_STORE = 6, COF_STAGE_LATER = 7|'
change refused 's|^    uint32_t struct_size; /\* set by|    int earlier; uint32_t struct_size; /*|'
change refused 's|COF_KIND_RGB = 2|COF_KIND_RGB = 5|'
