# SPDX-License-Identifier: BSD-2-Clause
# Completion of cof(1) for fish. The command itself lists its options and their values.
function __cof_subcommand
    set -l words (commandline -opc)
    if contains -- "$words[2]" (cof --complete-subcommands 2>/dev/null)
        echo $words[2]
    else
        echo filter
    end
end

# Values of the option before the cursor, or operands: words, files of a suffix, or all files.
function __cof_values
    set -l words (commandline -opc)
    set -l values
    if string match -q -- '--*' "$words[-1]"
        set values (cof --complete-words $words[-1] 2>/dev/null)
    else if test (count $words) -eq 1
        cof --complete-subcommands 2>/dev/null
    end
    test -n "$values"; or set values (cof --complete-words (__cof_subcommand) 2>/dev/null)
    if string match -qr -- '^\*\.' "$values[1]"
        __fish_complete_suffix (string sub -s 2 -- $values[1])
    else if test "$values[1]" != '*'
        printf '%s\n' $values
    else
        __fish_complete_path (commandline -ct)
    end
end

complete -c cof -f
complete -c cof -n 'string match -q -- "-*" (commandline -ct)' -a '(cof --complete-options (__cof_subcommand) 2>/dev/null)'
complete -c cof -n 'not string match -q -- "-*" (commandline -ct)' -a '(__cof_values)'
