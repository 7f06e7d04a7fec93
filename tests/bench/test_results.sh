#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The pages of tests/bench/results are those of their experiments, and of today's tree: of a third of the pages, drawn by SEED,
# one row of one table, on the page or in its CSV (LONG: of all pages one of each table), is measured again and must be equal.
# Every page says with which sources it was measured; what is checked in beside is named here, or by a page.
# needs: build/postroad build/tests/bench/store_and_forward/store_and_forward build/tests/bench/resend_delay/postroad
# needs: build/tests/bench/paper_operators/postroad build/tests/bench/operator_clocks/operator_clocks build/firmware/node.hex
# needs: build/csr_model build/wormlan_model build/tests/bench/applications/applications
# needs: build/firmware/allreduce.hex build/firmware/heat.hex build/firmware/keyvalue.hex
# needs: eager-line build/tests/bench/transposition/transposition build/tests/bench/loads/loads postman-bench postman-traces
# time limit: 1800 s
set -uo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.." || exit 1
source tests/work.bash
results=tests/bench/results

declare -A known=([figures.csv]=test_figures [sweep.md]=test_demo [sweep-latency.svg]=test_demo
    [load.csv]=test_load_lines)
for file in tests/bench/experiments/*.ini; do
    stem=$(basename "$file" .ini)
    case $stem in # figures of a machine; the second has programs in it that are no part of this tree
        speed) continue ;;
        functional_peers) known[$stem.md]=$stem; continue ;;
    esac
    tests/bench/measure --again $results "$file" jobs=2 || fail "$file: make the page anew (tests/bench/README.md has the goal)"
    for beside in "$results/$stem".md "$results/$stem"-*.{csv,svg}; do known[$(basename "$beside")]=$stem; done
done
for file in "$results"/*; do
    name=$(basename "$file")
    [ -z "${known[$name]:-}" ] || continue
    [[ $name = *.@(md|csv) && $(tail -n 1 "${file%.*}.md") =~ ^'Sources '[0-9a-f]{12}\.$ ]] ||
        fail "$file: no experiment and no test has it, and it does not say of which sources it is"
done
verdict test_results
