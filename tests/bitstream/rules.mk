# SPDX-License-Identifier: ISC
# tests/bitstream: a board's text from its bitstream, and from its Verilog.

BITSTREAM_TESTED = $(BUILD)/bitstream/hx8k_b_evn/grid-2x2

$(eval $(call program,tests/bitstream/board_text,$(call objects,tests/bitstream/board_text/board_text.c) $(BITSTREAM_LIBRARY) \
    $(SIM_LIBRARY) $(NATIVE_LIBRARY),$(TESTS_LDLIBS)))

# The top with the parameters of the bitstream.
RTL_TEXT = $(BUILD)/tests/bitstream/rtl_text/rtl_text
$(RTL_TEXT): tests/bitstream/board_text/rtl_text.cpp $(BITSTREAM_TESTED)/report $(SIM_VERILATOR_OBJECTS)
	$(call verilated_bench,top,--prefix Vtop -I$(BITSTREAM_TESTED) boards/hx8k_b_evn/top.v boards/line_pins.v \
	    $(HW_BOARD_SOURCES) $(HW_CPU_SOURCES),$<)

$(eval $(call program,tests/bitstream/traffic,$(call objects,$(wildcard tests/bitstream/traffic/*.c)) $(BITSTREAM_LIBRARY) \
    $(SIM_LIBRARY) $(NATIVE_LIBRARY),$(TESTS_LDLIBS)))

## bitstream-nodes: full nodes on four simulated iCEBreakers: map, a cable that is pulled, ping, multicasts, console
.PHONY: bitstream-nodes
bitstream-nodes: $(addprefix $(BUILD)/,bitstream/icebreaker/grid-2x2/report simulate_boards postroad make_boot_image \
    firmware/node.elf)
	@tests/bitstream/nodes/nodes

## bitstream-ecp5: the same on four simulated ULX3S: half an hour on a busy machine, most of it place and route and the boot
.PHONY: bitstream-ecp5
bitstream-ecp5: $(addprefix $(BUILD)/,bitstream/ulx3s_25f/grid-2x2/report simulate_boards postroad make_boot_image \
    firmware/node.elf)
	@HELD=2000000 tests/bitstream/nodes/nodes ulx3s_25f

## bitstream-apps: the applications of firmware/apps/README.md on two simulated ULX3S: half an hour, most of it place and route
.PHONY: bitstream-apps
bitstream-apps: $(addprefix $(BUILD)/,bitstream/ulx3s_25f/grid-2x1/report simulate_boards postroad make_boot_image) \
    firmware-library
	@EXPECT_SECONDS=2000 tests/host-tools/test_apps.sh ulx3s_25f

## bitstream-flow: enroll, flash, up, map, load, multicast, a board unplugged: four iCEBreakers, simulated from what was flashed
.PHONY: bitstream-flow
BITSTREAM_FLOW = $(addprefix $(BUILD)/,bitstream/icebreaker/grid-2x2/report simulate_boards postroad make_boot_image \
    firmware/node.elf) $(IMITATE)
bitstream-flow: $(BITSTREAM_FLOW)
	@tests/bitstream/flow/flow

## bitstream-soak: PACKETS=10000 packets through simulated 2x2 and 3x3 boards with faults of every kind: half an hour
.PHONY: bitstream-soak
bitstream-soak: $(addprefix $(BUILD)/bitstream/hx8k_b_evn/,grid-2x2/report grid-3x3/report) \
    $(addprefix $(BUILD)/,tests/bitstream/traffic make_boot_image firmware/small-traffic.elf)
	@tests/bitstream/traffic/soak grid-2x2 "$(PACKETS)"
	@tests/bitstream/traffic/soak grid-3x3 "$(PACKETS)"

## bitstream-probes: probe pins of two simulated iCEBreakers show the packets that pass, as `postroad probe` has chosen
.PHONY: bitstream-probes
bitstream-probes: $(addprefix $(BUILD)/,simulate_boards postroad make_boot_image firmware/node.elf)
	@$(MAKE) --no-print-directory bitstream BOARD=icebreaker MESH=boards/testbeds/grid-2x1-probe.mesh
	@tests/bitstream/probes/probes
