# SPDX-License-Identifier: BSD-2-Clause
# Runs the programs of examples/, for check_install.sh and check_subproject.sh.

# The programs of a folder must work and give the results of the first folder that was given:
# run_examples FOLDER SOURCE-FOLDER
run_examples() {
    image=$2/tests/data/cat.ppm
    rm -rf results
    mkdir results
    "$1/smooth_image" subtle "$image" results/smooth.ppm 2> results/progress
    tail -c 6 results/progress | grep -q '100 %'
    "$1/learn_apply" learn results/cat.cof "$image" results/smooth.ppm
    "$1/learn_apply" apply results/cat.cof "$image" results/filtered.ppm
    ! cmp -s results/filtered.ppm "$image" || fail "nothing is filtered"
    # What went wrong is said, and nothing is written.
    if "$1/smooth_image" sharp "$image" results/none.ppm 2> results/message; then
        fail "a preset that does not exist"
    fi
    grep -q '^preset: ' results/message || fail "no reason: $(cat results/message)"
    if "$1/learn_apply" apply "$image" "$image" results/none.ppm 2> results/message; then
        fail "an image is no model"
    fi
    [ -s results/message ] && [ ! -e results/none.ppm ] || fail "no reason, or an output"
    [ -d expected ] || cp -R results expected
    for name in smooth.ppm cat.cof filtered.ppm; do
        cmp "results/$name" "expected/$name"
    done
}
