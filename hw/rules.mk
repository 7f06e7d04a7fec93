# hw: source lists for whoever simulates or synthesises, constants from data files, lint.

HW_PROTOCOL        = hw/protocol/protocol.vh
HW_PROTOCOL_DATA   = $(wildcard hw/protocol/*.ini)
HW_INCLUDE         = -Ihw/protocol
HW_FABRIC_SOURCES  = hw/mesh/fabric_site.v $(wildcard hw/common/*.v hw/cutthrough/*.v)
HW_SITE_SOURCES    = hw/mesh/site.v $(wildcard hw/common/*.v hw/cutthrough/*.v hw/soc/*.v)
HW_LINT_WAIVERS    = hw/dependencies.vlt
HW_SERV_MODULES    = rf_ram_if rf_ram top state decode immdec bufreg bufreg2 ctrl alu rf_if mem_if csr compdec \
                     aligner
HW_CPU_SOURCES     = $(CPU_VEXRISCV) $(HW_SERV_MODULES:%=$(CPU_SERV)/serv_%.v)
HW_REGISTER_WALK   = $(BUILD)/register_walk.vh
HW_LINT_WIDTHS     = 16 32

# The generator and its outputs. The three files under hw/protocol are committed; this rule only renews them.
GENERATOR_SOURCES = $(wildcard host-tools/generator/*.c) sim/common/mesh.c sim/common/mesh_parse.c

$(BUILD)/generate: $(GENERATOR_SOURCES) $(wildcard host-tools/generator/*.h) sim/common/mesh.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -D_GNU_SOURCE $(CPPFLAGS) $(GENERATOR_SOURCES) -linih -o $@

$(HW_REGISTER_WALK): $(BUILD)/generate $(HW_PROTOCOL_DATA)
	$(BUILD)/generate protocol --walk $@

## protocol: renews hw/protocol/protocol.vh, protocol.h and registers.md from their data files
.PHONY: protocol
protocol: $(BUILD)/generate
	$(BUILD)/generate protocol

# Lint: every parameter set that changes what is elaborated, in Verilator and Icarus. The cores are exempt.
.PHONY: lint lint-hw
lint: lint-hw
lint-hw: $(CPU_VEXRISCV)
	@for width in $(HW_LINT_WIDTHS); do for cpu in vexriscv serv; do \
	    echo "lint: site, $$cpu, $$width-bit words"; \
	    $(VERILATOR) -Wall --lint-only $(HW_INCLUDE) $(HW_LINT_WAIVERS) $(HW_SITE_SOURCES) $(HW_CPU_SOURCES) \
	        --top site -GWORD_WIDTH=$$width -GCPU="\"$$cpu\"" || exit 1; done; done
	@echo "lint: fabric_site, 14 links"
	@$(VERILATOR) -Wall --lint-only $(HW_INCLUDE) $(HW_FABRIC_SOURCES) --top fabric_site -GLINKS=14
	@echo "lint: Icarus"
	@mkdir -p $(BUILD)
	@$(IVERILOG) -Wall -g2005 $(HW_INCLUDE) -s site -o /dev/null $(HW_SITE_SOURCES) $(HW_CPU_SOURCES) 2>&1 | \
	    { ! grep -v -e '/vexriscv/' -e '/serv/' -e 'VexRiscv_Min' ; }

# The register walk's bench includes the table made from the map.
$(BUILD)/tests/rtl/register_walk_tb.vvp: $(HW_REGISTER_WALK)
$(BUILD)/tests/rtl/register_walk_tb.vvp: IVERILOG += -I$(BUILD)
