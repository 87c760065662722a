#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Layout of the C files, and the line that each of them opens with.
set -eu
cd "$(dirname "$0")/.."

format=clang-format-14
command -v $format >/dev/null || { echo "$format is missing"; exit 1; }
files=$(find include src cli plugins bench tests -name '*.[ch]')
# shellcheck disable=SC2086
$format --dry-run -Werror $files

for file in $files; do
    # The header of frei0r is under the GPL, and so is what includes it.
    case $file in
    plugins/frei0r/*) licence=GPL-2.0-or-later ;;
    *) licence=BSD-2-Clause ;;
    esac
    head -n 1 "$file" | grep -q "^/\* SPDX-License-Identifier: $licence \*/$" ||
        { echo "$file does not open with its licence"; exit 1; }
done

names=$(for file in $files; do basename "$file"; done | sort | uniq -d)
[ -z "$names" ] || { echo "these names are taken twice: $names"; exit 1; }
echo "all in order"
