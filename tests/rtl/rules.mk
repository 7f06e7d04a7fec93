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

# The verilated bench of board_site, with the boot program and one mesh's straps, for each core.
BOARD_SITE_MESH    = hw/mesh/grid-4x4.mesh
BOARD_SITE_BENCHES = $(patsubst %,$(BUILD)/tests/rtl/board_site/%/bench,vexriscv serv)
BOARD_SITE_IMAGES  = $(patsubst %,$(BUILD)/tests/rtl/board_site/%,node.flash node.serial trap.serial noise.hex)

$(BUILD)/tests/rtl/board_site/straps: $(BUILD)/generate_mesh $(BOARD_SITE_MESH)
	@mkdir -p $(@D)
	$(BUILD)/generate_mesh $(BOARD_SITE_MESH) -o $@.v
	grep -o "[0-9]*'h[0-9a-f]\{64,\}" $@.v | head -n 1 >$@

$(BOARD_SITE_BENCHES): $(BUILD)/tests/rtl/board_site/%/bench: tests/rtl/board_site/bench.cpp tests/rtl/board_site/board_site_end.v \
    $(HW_BOARD_SOURCES) $(HW_CPU_SOURCES) $(BUILD)/tests/rtl/board_site/straps $(FIRMWARE_DIR)/boot.hex
	@rm -rf $(@D) && mkdir -p $(@D)
	$(VERILATOR) --cc --exe --build -O3 --x-assign fast --x-initial fast --noassert -Wno-lint -Wno-style $(HW_INCLUDE) \
	    -GCPU='"$*"' -GBOOT_IMAGE='"$(FIRMWARE_DIR)/boot.hex"' -GMESH_STRAPS="$$(cat $(BUILD)/tests/rtl/board_site/straps)" \
	    --top-module board_site_end --Mdir $(@D) -CFLAGS "-std=c++17 -O2 -I$(CURDIR)/hw/protocol" -o bench.new \
	    tests/rtl/board_site/board_site_end.v $(HW_BOARD_SOURCES) $(HW_CPU_SOURCES) $(CURDIR)/tests/rtl/board_site/bench.cpp \
	    >$(@D)/log 2>&1 || { cat $(@D)/log; exit 1; }
	@mv $@.new $@

$(BUILD)/tests/rtl/board_site/%.flash: $(FIRMWARE_DIR)/%.elf $(BUILD)/make_boot_image
	@mkdir -p $(@D)
	$(BUILD)/make_boot_image flash $< $(BOARD_SITE_MESH) 5 -o $@
$(BUILD)/tests/rtl/board_site/%.serial: $(FIRMWARE_DIR)/%.elf $(BUILD)/make_boot_image
	@mkdir -p $(@D)
	$(BUILD)/make_boot_image serial $< $(BOARD_SITE_MESH) 5 -o $@

# What RAM holds at power-on, as in the SPRAM of an UP5K.
$(BUILD)/tests/rtl/board_site/noise.hex:
	@mkdir -p $(@D)
	awk 'BEGIN { srand(1); for (k = 0; k < 16384; k++) printf "%04x%04x\n", rand() * 65536, rand() * 65536 }' >$@

.PHONY: board-site-benches
board-site-benches: $(BOARD_SITE_BENCHES) $(BOARD_SITE_IMAGES)
