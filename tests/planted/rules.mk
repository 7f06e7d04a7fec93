# SPDX-License-Identifier: ISC

## faults: plants every bug of tests/planted, and shows that a check catches each
.PHONY: faults
faults: all setup-tools
	tests/plant

## mutation: draws wrong gates and wrong lines, and shows which check notices (tests/bench/results/mutation*.md)
.PHONY: mutation
mutation: all setup-tools
	tests/planted/mutation_table
	tests/planted/mutate_lines -w
	tests/planted/mutate_c -w
