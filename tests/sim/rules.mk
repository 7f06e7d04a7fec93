# SPDX-License-Identifier: ISC
# tests/sim: `postroad` with a second simulator, tests/sim/ideal_engine, in place of the product's list of them.

IDEAL_POSTROAD = $(BUILD)/tests/sim/ideal_postroad
$(call host_program,tests/sim/ideal_postroad,$(wildcard tests/sim/ideal_engine/*.c) host-tools/postroad/main.c)
