#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Analyses the library, the command and what the plug-ins share with gcc, clang and cppcheck. What
# they report must be fixed, or listed in tests/analysis/TOOL.txt with the reason why it is no
# mistake. Usage: check_analysis.sh SOURCE-FOLDER SCRATCH-FOLDER
set -eu
cd "$1"
scratch=$2/analysis
rm -rf "$scratch"
mkdir -p "$scratch"
trap 'rm -rf "$scratch"' EXIT

# Other versions report other things.
versions="gcc 12 clang 14 cppcheck 2.10"

# The kernels are left out: they are loops over arrays, which these tools do not follow.
library=$(find src -name '*.c' ! -path 'src/kernels/*' | sort)
command=$(find cli plugins/common plugins/vips -name '*.c' | sort)
options="-std=c11 -D_DEFAULT_SOURCE -D_XOPEN_SOURCE=700 -D_FILE_OFFSET_BITS=64
    -DCOF_MODULES=\"lib\" -DCOF_MODULES_FROM_COMMAND=\"lib\"
    -Iinclude -Isrc -Icli -Iplugins -Iplugins/common -Iplugins/vips
    $(pkg-config --cflags vips gdal 2>/dev/null || true)"

# Each function below analyses files and prints `FILE:LINE:COLUMN: warning: TEXT [CHECK]`.
# shellcheck disable=SC2086
analyse_gcc() {
    printf '%s\n' "$@" | xargs -P 2 -n 1 gcc -O1 -fanalyzer $options -S -o /dev/null 2>&1
}

# The shallow mode takes half the time.
# shellcheck disable=SC2086
analyse_clang() {
    printf '%s\n' "$@" | xargs -P 2 -n 6 clang --analyze --analyzer-output text \
        -Xclang -analyzer-config -Xclang mode=shallow $options 2>&1
}

analyse_cppcheck() {
    cppcheck -q -j 2 --max-configs=2 --enable=warning,performance,portability --library=gtk \
        --template='{file}:{line}:{column}: warning: {message} [{id}]' --template-location='' \
        --std=c11 -Iinclude -Isrc -Icli -Iplugins "$@" 2>&1
}

version_of() {
    case $1 in
    gcc) gcc -dumpversion ;;
    clang) clang -dumpversion | cut -d. -f1 ;;
    cppcheck) cppcheck --version | sed 's/.* //' | cut -d. -f1,2 ;;
    esac
}

# Prints what is not in the list of exceptions: unexpected TOOL LOG
unexpected() {
    awk '
        NR == FNR { if ($0 !~ /^#/) allowed[$1 " " $2]; next }
        / (warning|error): / {
            split($0, place, ":")
            check = $NF
            gsub(/[][]/, "", check)
            if (!((place[1] " " check) in allowed))
                print
        }' "tests/analysis/$1.txt" "$2" | sort -u
}

failed=0
tools=0
# shellcheck disable=SC2086
set -- $versions
while [ $# -gt 0 ]; do
    tool=$1
    version=$2
    shift 2
    if [ "$(version_of "$tool" 2>/dev/null)" != "$version" ]; then
        echo "there is no $tool $version"
        continue
    fi
    tools=$((tools + 1))
    "analyse_$tool" tests/analysis/bad.c >"$scratch/bad.log" || true
    if [ -z "$(unexpected "$tool" "$scratch/bad.log")" ]; then
        echo "$tool does not report the mistake in tests/analysis/bad.c"
        failed=1
    fi
    # shellcheck disable=SC2086
    "analyse_$tool" $library $command >"$scratch/$tool.log" || true
    found=$(unexpected "$tool" "$scratch/$tool.log")
    if [ -n "$found" ]; then
        printf '%s reports:\n%s\n' "$tool" "$found"
        failed=1
    fi
done
[ $tools -gt 0 ] || exit 77
exit $failed
