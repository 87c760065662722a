#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Checks the layout of the C files, their licence lines, and that no two of them have the same name.
set -eu
cd "$(dirname "$0")/.."

files=$(find include src opencl cli plugins bench tests fuzz web examples packaging -name '*.[ch]')
if command -v clang-format-14 >/dev/null; then
    # shellcheck disable=SC2086
    clang-format-14 --dry-run -Werror $files
else # other versions format otherwise
    echo "no clang-format-14: the format is not checked"
fi

for file in $files; do
    # frei0r.h is under the GPL, and so are the files that include it.
    case $file in
    plugins/frei0r/*) licence=GPL-2.0-or-later ;;
    *) licence=BSD-2-Clause ;;
    esac
    # REUSE-IgnoreStart
    head -n 1 "$file" | grep -q "^/\* SPDX-License-Identifier: $licence \*/$" ||
        { echo "$file does not open with its licence"; exit 1; }
    # REUSE-IgnoreEnd
done

names=$(for file in $files; do basename "$file"; done | sort | uniq -d)
[ -z "$names" ] || { echo "these names occur twice: $names"; exit 1; }
echo "all in order"
