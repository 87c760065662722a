# SPDX-License-Identifier: BSD-2-Clause
# Completion of cof(1) for bash. The command itself lists its options and their values.
_cof() {
    local cof=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local subcommand=filter subcommands words=
    COMPREPLY=()
    subcommands=$("$cof" --complete-subcommands 2>/dev/null | tr '\n' ' ')
    case " $subcommands " in
    *" ${COMP_WORDS[1]} "*) [ "$COMP_CWORD" -eq 1 ] || subcommand=${COMP_WORDS[1]} ;;
    esac
    case $word in
    -*) words=$("$cof" --complete-options "$subcommand" 2>/dev/null | cut -f 1) ;;
    *)
        case $before in
        --*) words=$("$cof" --complete-words "$before" 2>/dev/null) ;;
        *) [ "$COMP_CWORD" -eq 1 ] && words=$subcommands ;;
        esac
        [ -n "$words" ] || words=$("$cof" --complete-words "$subcommand" 2>/dev/null)
        ;;
    esac
    case $words in
    "*") ;;
    "*".*)
        # Files of one suffix, and folders.
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -X "!$words" -- "$word"; compgen -d -- "$word")
        ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word") ;;
    esac
    # All files, where nothing else fits.
    [ ${#COMPREPLY[@]} -gt 0 ] || compopt -o default
}
complete -F _cof cof
