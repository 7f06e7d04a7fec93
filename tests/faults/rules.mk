# SPDX-License-Identifier: ISC

## faults: plants every bug there is, in hardware, firmware, simulator, proofs; prints which check caught which
.PHONY: faults
faults: all setup-tools $(POSTROAD_ARCHIVES) $(IMITATE) $(DEADLOCK)
	tests/faults/all

## mutation: draws wrong gates and wrong lines of the hardware, and shows which check notices (tests/faults/mutation*.md)
.PHONY: mutation
mutation: setup-tools
	tests/faults/mutation_table
	tests/faults/mutate_lines -w
