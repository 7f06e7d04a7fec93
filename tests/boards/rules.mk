# SPDX-License-Identifier: ISC
# tests/boards: with this test_board_pairs.sh builds the bench of each of its boards, in a folder of its own.
ifdef PAIR_FOLDER
$(PAIR_FOLDER)/bench: FORCE
	$(call verilated_bench,pair_end,-GSIDE=$(SIDE) -DLINK_RATIO=$(LINK_RATIO) -I$(@D) tests/boards/pairs/pair_end.v \
	    tests/rtl/ecp5_clocks.v boards/line_pins.v $(TOP) $(HW_BOARD_SOURCES) $(HW_CPU_SOURCES),\
	    tests/boards/pairs/bench.cpp,-DSIDE=$(SIDE) -DLINK_RATIO=$(LINK_RATIO) -DCONSOLE_DIVIDER=$(DIVIDER) -Itests \
	    -Itests/rtl/board_site)
endif
