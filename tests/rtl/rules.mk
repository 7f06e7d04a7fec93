# SPDX-License-Identifier: ISC
# tests/rtl: the verilated bench of board_link, a program for each ratio of its clock to the fabric's.

BOARD_LINK_RATIOS  = 1 2 4
BOARD_LINK_BENCHES = $(BOARD_LINK_RATIOS:%=$(BUILD)/tests/rtl/board_link/ratio-%/bench)

$(BOARD_LINK_BENCHES): $(BUILD)/tests/rtl/board_link/ratio-%/bench: tests/rtl/board_link/bench.cpp \
    tests/rtl/board_link/board_link_end.v $(wildcard hw/board_link/*.v) hw/protocol/protocol.vh
	@rm -rf $(@D) && mkdir -p $(@D)
	$(VERILATOR) --cc --exe --build -O3 --x-assign fast --x-initial fast --noassert -Wno-lint -Wno-style \
	    -Ihw/protocol -y hw/cutthrough -y hw/board_link -GRATIO=$* --top-module board_link_end --Mdir $(@D) \
	    -CFLAGS "-std=c++17 -O2 -DBENCH_RATIO=$*" -o bench.new tests/rtl/board_link/board_link_end.v \
	    $(CURDIR)/tests/rtl/board_link/bench.cpp >$(@D)/log 2>&1 || { cat $(@D)/log; exit 1; }
	@mv $@.new $@

.PHONY: link-benches
link-benches: $(BOARD_LINK_BENCHES)

## link-soak: 10 million words over board links at each rate of bit errors, and every fault with many seeds; about an hour
.PHONY: link-soak
link-soak: $(BOARD_LINK_BENCHES)
	@tests/rtl/board_link/soak
