# SPDX-License-Identifier: ISC
# tests/bitstream: a board's text from its bitstream, and from its Verilog.

BITSTREAM_TESTED = $(BUILD)/bitstream/hx8k_b_evn/grid-2x2

$(eval $(call program,tests/bitstream/board_text,$(call objects,tests/bitstream/board_text/board_text.c) $(BITSTREAM_LIBRARY) \
    $(SIM_LIBRARY) $(NATIVE_LIBRARY),$(TESTS_LDLIBS)))

# The top with the parameters of the bitstream.
$(BUILD)/tests/bitstream/rtl_text: tests/bitstream/board_text/rtl_text.cpp $(BITSTREAM_TESTED)/report
	$(VERILATOR) --cc --exe --build -O3 --x-assign fast --x-initial fast --noassert -Wno-fatal -Wno-lint -Wno-style \
	    $(HW_INCLUDE) -I$(BITSTREAM_TESTED) --top-module top --prefix Vtop -CFLAGS -O1 --Mdir $@.verilated -o ../$(@F) \
	    $(CURDIR)/$< boards/hx8k_b_evn/top.v $(HW_BOARD_SOURCES) $(HW_CPU_SOURCES) >$@.log
