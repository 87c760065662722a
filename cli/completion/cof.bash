# SPDX-License-Identifier: BSD-2-Clause
# Completion of cof(1) for bash. Options are those that the command itself lists.
_cof() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb=filter
    local verbs="filter learn apply merge select focus recolour video show info"
    COMPREPLY=()
    case " $verbs " in
    *" ${COMP_WORDS[1]} "*) [ "$COMP_CWORD" -eq 1 ] || verb=${COMP_WORDS[1]} ;;
    esac
    case $before in
    --border) words="clip mirror reflect101" ;;
    --look) words="subtle texture cartoon" ;;
    --method) words="exact fast auto" ;;
    --normalise) words="counts marginals" ;;
    --preset) words="paper authors app" ;;
    --space) words="lab rgb" ;;
    *)
        case $word in
        -*) words=$("${COMP_WORDS[0]}" "$verb" --help 2>/dev/null | grep -o -- '^  --[a-z-]*') ;;
        *) [ "$COMP_CWORD" -eq 1 ] && words=$verbs || words= ;;
        esac
        ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    # Where no word of ours fits, files do.
    [ ${#COMPREPLY[@]} -gt 0 ] || compopt -o default
}
complete -F _cof cof
