# SPDX-License-Identifier: ISC
# sim/bitstream: from a packed bitstream to C, and boards of such chips.

BITSTREAM_PROGRAMS = ice40_to_c gowin_to_verilog simulate_boards
BITSTREAM_LIBRARY  = $(BUILD)/libbitstream.a

$(BITSTREAM_LIBRARY): $(call objects,$(filter-out $(BITSTREAM_PROGRAMS:%=sim/bitstream/%.c),$(wildcard sim/bitstream/*.c)))

$(foreach name,$(BITSTREAM_PROGRAMS),$(eval $(call program,$(name),\
    $(call objects,sim/bitstream/$(name).c) $(BITSTREAM_LIBRARY) $(SIM_LIBRARY) $(NATIVE_LIBRARY),\
    -linih -lcjson -lminizip -lbz2 -lz -lm -ldl)))

# `postroad up --nodes bitstream` starts it.
all: $(BUILD)/simulate_boards

# The models of the cells that are no logic.
lint: lint-bitstream
.PHONY: lint-bitstream
lint-bitstream:
	@for width in 1 4 9 18; do echo "lint: gowin_block_ram, $$width bits"; \
	    $(VERILATOR) -Wall --lint-only sim/bitstream/gowin_block_ram.v -GWIDTH_A=$$width -GWIDTH_B=$$width || exit 1; done
	@for width in 1 9 18 36; do echo "lint: gowin_wide_ram, $$width bits"; \
	    $(VERILATOR) -Wall --lint-only sim/bitstream/gowin_wide_ram.v -GREAD_WIDTH=$$width || exit 1; done
