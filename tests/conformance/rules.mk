# SPDX-License-Identifier: ISC
# tests/conformance: the program knows the disciplines of tests/disciplines, and the simulator `ideal` of tests/sim.

TESTS_CONFORMANCE = $(BUILD)/tests/conformance/test_conformance
$(TESTS_CONFORMANCE): $(call objects,tests/disciplines.c $(wildcard tests/sim/ideal_engine/ideal_engine.c))
