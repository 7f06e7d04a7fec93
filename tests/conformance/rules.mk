# SPDX-License-Identifier: ISC
# tests/conformance: the program knows the disciplines of tests/disciplines, and the simulator `ideal` of tests/sim. The sets that
# `make test` needs, and the images, are there before it runs; those of tests/disciplines, and of LONG=1, are built on demand.

TESTS_CONFORMANCE = $(BUILD)/tests/conformance/test_conformance
CONFORMANCE_SETS  = $(filter-out \
    $(foreach row,$(wildcard tests/disciplines/*/discipline.ini),fabric-$(notdir $(patsubst %/,%,$(dir $(row))))-%), \
    $(shell sed -n 's/^set \([^ ]*\) *| test$$/\1/p' tests/conformance/rows))
$(TESTS_CONFORMANCE): $(call objects,$(TESTS_DISCIPLINES) tests/sim/ideal_engine/ideal_engine.c) \
    | $(CONFORMANCE_SETS:%=$(BUILD)/sim/%/site.so) \
    $(addprefix $(FIRMWARE_DIR)/,node.hex node.elf small-raw.hex small-receiver.hex)

# All scripts find these sites verilated.
.PHONY: test-sets
test-sets: $(CONFORMANCE_SETS:%=$(BUILD)/sim/%/site.so)
