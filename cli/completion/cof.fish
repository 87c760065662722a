# SPDX-License-Identifier: BSD-2-Clause
# Completion of cof(1) for fish. Options are those that the command itself lists.
set -l verbs filter learn apply merge select focus recolour video show info

function __cof_options
    set -l words (commandline -opc)
    set -l verb filter
    contains -- "$words[2]" filter learn apply merge select focus recolour video show info; and set verb $words[2]
    cof $verb --help 2>/dev/null | string replace -rf '^  (--[a-z-]+)(?: [A-Z][A-Z,]*)? +(.*)' '$1\t$2'
end

complete -c cof -n "not __fish_seen_subcommand_from $verbs" -a "$verbs"
complete -c cof -n 'string match -q -- "-*" (commandline -ct)' -f -a '(__cof_options)'
complete -c cof -l border -x -a 'clip mirror reflect101'
complete -c cof -l look -x -a 'subtle texture cartoon'
complete -c cof -l method -x -a 'exact fast auto'
complete -c cof -l normalise -x -a 'counts marginals'
complete -c cof -l preset -x -a 'paper authors app'
complete -c cof -l space -x -a 'lab rgb'
