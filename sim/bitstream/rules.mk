# SPDX-License-Identifier: ISC
# sim/bitstream: from a packed bitstream to C, and boards of such chips.

BITSTREAM_PROGRAMS = ice40_to_c
BITSTREAM_LIBRARY  = $(BUILD)/libbitstream.a

$(BITSTREAM_LIBRARY): $(call objects,$(filter-out $(BITSTREAM_PROGRAMS:%=sim/bitstream/%.c),$(wildcard sim/bitstream/*.c)))

$(foreach name,$(BITSTREAM_PROGRAMS),$(eval $(call program,$(name),\
    $(call objects,sim/bitstream/$(name).c) $(BITSTREAM_LIBRARY) $(SIM_LIBRARY),-linih -lm -ldl)))
