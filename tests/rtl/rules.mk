# SPDX-License-Identifier: ISC
# tests/rtl: the verilated benches of board_link, a program for each ratio of its clock to the fabric's, and of eager_links.

BOARD_LINK_RATIOS  = 1 2 4
BOARD_LINK_BENCHES = $(BOARD_LINK_RATIOS:%=$(BUILD)/tests/rtl/board_link/ratio-%/bench)

$(BOARD_LINK_BENCHES): $(BUILD)/tests/rtl/board_link/ratio-%/bench: \
    $(wildcard tests/rtl/board_link/*.h tests/rtl/board_link/*.cpp tests/rtl/board_link/*.v) $(HW_BOARD_LINK_SOURCES) \
    hw/protocol/protocol.vh $(SIM_VERILATOR_OBJECTS)
	$(call verilated_bench,board_link_end,-y hw/common -y hw/board_link -GRATIO=$* tests/rtl/board_link/board_link_end.v,\
	    tests/rtl/board_link/bench.cpp,-DBENCH_RATIO=$* -DBENCH_POLYNOMIAL=0x0389)

.PHONY: link-benches
link-benches: $(BOARD_LINK_BENCHES)

## link-weak: undetected errors of a board link with CRCs of 3 and 4 bits, against theory; two minutes
.PHONY: link-weak
link-weak: $(BUILD)/tests/rtl/board_link/ratio-1/bench
	@tests/rtl/board_link/weak

## link-soak: 10 million words over board links at each rate of bit errors, and every fault with many seeds; about an hour
.PHONY: link-soak
link-soak: $(BOARD_LINK_BENCHES)
	@tests/rtl/board_link/soak

# The verilated bench of board_site, with the boot program and one mesh's straps, for each core: VexRiscv with eager
# links, to the shared engine at the far end, SERV with the shared engine.
BOARD_SITE_MESH    = hw/mesh/grid-4x4.mesh
BOARD_SITE_BENCHES = $(patsubst %,$(BUILD)/tests/rtl/board_site/%/bench,vexriscv serv)
BOARD_SITE_IMAGES  = $(patsubst %,$(BUILD)/tests/rtl/board_site/%,node.flash node.serial trap.serial gather.flash intruder.bin \
    noise.hex) $(VERIFIER)

$(BUILD)/tests/rtl/board_site/straps: $(BUILD)/generate_mesh $(BOARD_SITE_MESH)
	@mkdir -p $(@D)
	$(BUILD)/generate_mesh $(BOARD_SITE_MESH) -o $@.v
	grep -o "[0-9]*'h[0-9a-f]\{64,\}" $@.v | head -n 1 >$@

$(BOARD_SITE_BENCHES): $(BUILD)/tests/rtl/board_site/%/bench: tests/rtl/board_site/bench.cpp \
    tests/rtl/board_site/board_site_end.v $(wildcard tests/rtl/board_site/*.h) \
    $(HW_BOARD_SOURCES) $(HW_CPU_SOURCES) $(BUILD)/tests/rtl/board_site/straps $(FIRMWARE_DIR)/boot.hex $(SIM_VERILATOR_OBJECTS)
	$(call verilated_bench,board_site_end,-GCPU='"$*"' -GEAGER_LINKS=$(if $(filter serv,$*),0,1) \
	    -GBOOT_IMAGE='"$(FIRMWARE_DIR)/boot.hex"' -GMESH_STRAPS="$$(cat $(BUILD)/tests/rtl/board_site/straps)" \
	    tests/rtl/board_site/board_site_end.v $(HW_BOARD_SOURCES) $(HW_CPU_SOURCES),\
	    tests/rtl/board_site/bench.cpp,-Itests/rtl/board_site)

$(BUILD)/tests/rtl/board_site/%.flash: $(FIRMWARE_DIR)/%.elf $(BUILD)/make_boot_image
	@mkdir -p $(@D)
	$(BUILD)/make_boot_image flash $< $(BOARD_SITE_MESH) 5 -o $@
$(BUILD)/tests/rtl/board_site/%.serial: $(FIRMWARE_DIR)/%.elf $(BUILD)/make_boot_image
	@mkdir -p $(@D)
	$(BUILD)/make_boot_image serial $< $(BOARD_SITE_MESH) 5 -o $@

$(BUILD)/tests/rtl/board_site/intruder.bin: tests/rtl/board_site/intruder.c hw/protocol/protocol.h \
    $(wildcard firmware/drivers/*.h) firmware/verifier/verifier.ld
	@mkdir -p $(@D)
	$(CROSS)gcc $(FIRMWARE_FLAGS) $(INCLUDES_firmware) $(VERIFIER_CFLAGS) -T firmware/verifier/verifier.ld \
	    -Wl,--defsym=__origin=0x80000000 -Wl,--defsym=__end=0x80007600 -Wl,--defsym=__stack_size=256 -o $(@:bin=elf) $<
	$(CROSS)objcopy -O binary $(@:bin=elf) $@

# What RAM holds at power-on, as in the SPRAM of an UP5K.
$(BUILD)/tests/rtl/board_site/noise.hex:
	@mkdir -p $(@D)
	awk 'BEGIN { srand(1); for (k = 0; k < 16384; k++) printf "%04x%04x\n", rand() * 65536, rand() * 65536 }' >$@

.PHONY: board-site-benches
board-site-benches: $(BOARD_SITE_BENCHES) $(BOARD_SITE_IMAGES)

## signed: a locked board on the RTL checks Ed25519: wrong bits, another key, the right image; about an hour
.PHONY: signed
signed: board-site-benches
	tests/rtl/signed vexriscv

# The verilated top of the ULX3S 85F, which has four sites, and an image for each of them in one flash.
BOARD_GRID        = $(BUILD)/tests/rtl/board_grid
BOARD_GRID_MESH   = hw/mesh/grid-2x2.mesh
BOARD_GRID_IMAGES = $(foreach site,0 1 2 3,$(BOARD_GRID)/site$(site).flash)

$(BOARD_GRID)/bench: tests/rtl/board_grid/bench.cpp tests/rtl/board_grid/board_grid_end.v tests/rtl/ecp5_clocks.v \
    tests/rtl/board_site/board_models.h boards/line_pins.v \
    boards/ulx3s_85f/top.v boards/ulx3s_85f/board.conf $(HW_BOARD_SOURCES) $(HW_CPU_SOURCES) $(BOARD_GRID_MESH) \
    $(BUILD)/generate_board $(FIRMWARE_DIR)/boot.hex $(SIM_VERILATOR_OBJECTS)
	@mkdir -p $(@D)
	@$(BUILD)/generate_board ulx3s_85f $(BOARD_GRID_MESH) --boot-image $(FIRMWARE_DIR)/boot.hex -o $(@D)/parameters.vh
	$(call verilated_bench,board_grid_end,-I$(@D) tests/rtl/board_grid/board_grid_end.v tests/rtl/ecp5_clocks.v \
	    boards/line_pins.v boards/ulx3s_85f/top.v $(HW_BOARD_SOURCES) $(HW_CPU_SOURCES),\
	    tests/rtl/board_grid/bench.cpp,-Itests/rtl/board_site)

$(BOARD_GRID_IMAGES): $(BOARD_GRID)/site%.flash: $(FIRMWARE_DIR)/node.elf $(BUILD)/make_boot_image $(BOARD_GRID_MESH)
	@mkdir -p $(@D)
	$(BUILD)/make_boot_image flash $< $(BOARD_GRID_MESH) $* -o $@

.PHONY: board-grid-bench
board-grid-bench: $(BOARD_GRID)/bench $(BOARD_GRID_IMAGES)

# Boards with each kind of links, in one program: shared engine, separate links that wait for whole words, eager links; these
# also with a slower fabric, and in a hypercube.
EAGER_LINE         = $(BUILD)/tests/rtl/eager_line
EAGER_LINE_SOURCES = tests/rtl/eager_line/board.v hw/mesh/fabric_site.v \
    $(wildcard hw/common/*.v hw/cutthrough/*.v hw/board_link/*.v)
EAGER_LINE_BOARDS  = $(foreach kind,shared whole eager half quarter cube,$(EAGER_LINE)/$(kind)/board.o)
eager_line_shared  = -GKIND=0
eager_line_whole   = -GKIND=1
eager_line_half    = -GRATIO=2
eager_line_quarter = -GRATIO=4
eager_line_cube    = -GHYPERCUBE=1

$(EAGER_LINE_BOARDS): $(EAGER_LINE)/%/board.o: $(EAGER_LINE_SOURCES) hw/protocol/protocol.vh | $(SIM_VERILATOR_HEADER)
	@rm -rf $(@D) && mkdir -p $(@D)
	@$(VERILATOR) --cc -O3 --x-assign unique --noassert -Wno-lint -Wno-style $(HW_INCLUDE) --top-module board \
	    --prefix Vboard_$* $(eager_line_$*) --Mdir $(@D) $(EAGER_LINE_SOURCES) >$(@D)/log 2>&1 || \
	    { cat $(@D)/log; exit 1; }
	@$(call sim_unit,$(@D)/*.cpp) >$(@D)/unit
	$(CXX) $(SIM_CXXFLAGS_O1) -c -o $@.new -x c++ $(@D)/unit
	@mv $@.new $@

$(EAGER_LINE)/bench.o: tests/rtl/eager_line/bench.cpp $(EAGER_LINE_BOARDS)
	$(CXX) $(SIM_CXXFLAGS_O1) -Wall $(EAGER_LINE_BOARDS:%/board.o=-I%) -c -o $@ $<

$(EAGER_LINE)/bench: $(EAGER_LINE)/bench.o $(EAGER_LINE_BOARDS) $(SIM_VERILATOR_OBJECTS)
	$(CXX) -o $@.new $^ -lpthread
	@mv $@.new $@

.PHONY: eager-line
eager-line: $(EAGER_LINE)/bench

## eager-latency: latency over a line of 8 boards, with and without eager links, for hw/board_link/eager.md (a minute)
.PHONY: eager-latency
eager-latency: $(EAGER_LINE)/bench
	@tests/rtl/eager_line/latency $<

# A plane of postman nodes, in one program, of each of these kinds. A letter is an option of the bench; x is a node without any.
POSTMAN       = $(BUILD)/tests/rtl/postman
POSTMAN_KINDS = x p n pn h ph l pl nl pnl hl a pa na pna la pla nla pnla
POSTMAN_NODES = $(POSTMAN_KINDS:%=$(POSTMAN)/%/node.o)
postman_parameter = $(if $(findstring $(1),$*),$(2))
postman_parameters = $(call postman_parameter,p,-GPRIORITY=1) $(call postman_parameter,n,-GFLIT=5 -GDEPTH_LOG2=3) \
    $(call postman_parameter,h,-GTHROUGH=1) $(call postman_parameter,l,-GLATE_PASS=1) \
    $(call postman_parameter,a,-GARRIVALS_APART=1)

$(POSTMAN_NODES): $(POSTMAN)/%/node.o: $(wildcard hw/postman/*.v) | $(SIM_VERILATOR_HEADER)
	@rm -rf $(@D) && mkdir -p $(@D)
	@$(VERILATOR) --cc -O3 --x-assign unique --noassert -Wno-lint -Wno-style -y hw/postman --top-module postman_node \
	    --prefix Vnode_$* $(postman_parameters) --Mdir $(@D) hw/postman/postman_node.v >$(@D)/log 2>&1 || { cat $(@D)/log; exit 1; }
	@$(call sim_unit,$(@D)/*.cpp) >$(@D)/unit
	$(CXX) $(SIM_CXXFLAGS_O1) -c -o $@.new -x c++ $(@D)/unit
	@mv $@.new $@

$(POSTMAN)/bench.o: tests/rtl/postman/bench.cpp $(wildcard tests/rtl/postman/*.h) $(POSTMAN_NODES)
	$(CXX) $(SIM_CXXFLAGS_O1) -Wall $(POSTMAN_NODES:%/node.o=-I%) $(POSTMAN_KINDS:%=-include Vnode_%.h) \
	    '-DPOSTMAN_KINDS(KIND)=$(foreach kind,$(POSTMAN_KINDS),KIND($(kind)))' -c -o $@ $<

$(POSTMAN)/bench: $(POSTMAN)/bench.o $(POSTMAN_NODES) $(call objects,sim/mesh/torus_cut.c) $(SIM_VERILATOR_OBJECTS)
	$(CXX) -o $@.new $^ -lpthread
	@mv $@.new $@

.PHONY: postman-bench
postman-bench: $(POSTMAN)/bench

# Nodes of hw/csr of so many dimensions, s: with the serial schedule, m: with multicasts, x: with expresses, in one program with
# the slot model.
CSR       = $(BUILD)/tests/rtl/csr
CSR_KINDS = 2 3 4 5 6 7 2s 3s 4s 7s 2m 3m 4m 2x 3x 4x
CSR_NODES = $(CSR_KINDS:%=$(CSR)/%/node.o)

$(CSR_NODES): $(CSR)/%/node.o: $(wildcard hw/csr/*.v) | $(SIM_VERILATOR_HEADER)
	@rm -rf $(@D) && mkdir -p $(@D)
	@$(VERILATOR) --cc -O3 --x-assign unique --noassert -Wno-lint -Wno-style -y hw/csr --top-module csr_node \
	    --prefix Vcsr_$* -GDIMENSIONS=$(patsubst %x,%,$(patsubst %m,%,$(*:s=))) -GSERIAL=$(if $(findstring s,$*),1,0) \
	    -GMULTICAST=$(if $(findstring m,$*),1,0) -GEXPRESS=$(if $(findstring x,$*),1,0) -GSLOT_WORDS=16 --Mdir $(@D) \
	    hw/csr/csr_node.v >$(@D)/log 2>&1 || { cat $(@D)/log; exit 1; }
	@$(call sim_unit,$(@D)/*.cpp) >$(@D)/unit
	$(CXX) $(SIM_CXXFLAGS_O1) -c -o $@.new -x c++ $(@D)/unit
	@mv $@.new $@

$(CSR)/bench.o: tests/rtl/csr/bench.cpp sim/csr/csr_model.h $(CSR_NODES)
	$(CXX) $(SIM_CXXFLAGS_O1) -Wall -Isim $(CSR_NODES:%/node.o=-I%) $(CSR_KINDS:%=-include Vcsr_%.h) \
	    '-DCSR_KINDS(KIND)=$(foreach kind,$(CSR_KINDS),KIND($(kind)))' -c -o $@ $<

$(CSR)/bench: $(CSR)/bench.o $(CSR_NODES) $(CSR_LIBRARY) $(SIM_VERILATOR_OBJECTS)
	$(CXX) -o $@.new $^ -lpthread
	@mv $@.new $@

.PHONY: csr-bench
csr-bench: $(CSR)/bench
