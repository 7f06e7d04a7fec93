# SPDX-License-Identifier: ISC
# hw: source lists for whoever simulates or synthesises, constants from data files, lint.

HW_PROTOCOL        = hw/protocol/protocol.vh
HW_PROTOCOL_DATA   = $(wildcard hw/protocol/*.ini)
# Folders in which the folders of disciplines stand: `make DISCIPLINES='hw ELSEWHERE'`, or in the environment.
DISCIPLINES       ?= hw
HW_DISCIPLINE_ROWS = $(wildcard $(DISCIPLINES:%=%/*/discipline.ini))
hw_discipline_row  = $(firstword $(wildcard $(DISCIPLINES:%=%/$(1)/discipline.ini)))
# Of the source lists below: a discipline's folder has an include with the fields of its keys.
HW_INCLUDE         = -Ihw/protocol -Ihw/cutthrough
INCLUDES_hw        = -Ihw/protocol
HW_FABRIC_SOURCES  = hw/mesh/fabric_site.v $(wildcard hw/common/*.v hw/cutthrough/*.v)
HW_SITE_SOURCES    = hw/mesh/site.v $(wildcard hw/common/*.v hw/cutthrough/*.v hw/soc/*.v)
HW_BOARD_SOURCES   = hw/mesh/board_site.v $(wildcard hw/board_link/*.v) $(HW_SITE_SOURCES)
HW_BOARD_LINK_SOURCES = $(wildcard hw/board_link/*.v) hw/common/line_crc.v
HW_LINT_WAIVERS    = hw/dependencies.vlt
HW_SERV_MODULES    = rf_ram_if rf_ram top state decode immdec bufreg bufreg2 ctrl alu rf_if mem_if csr compdec \
                     aligner
HW_CPU_SOURCES     = $(CPU_VEXRISCV) $(HW_SERV_MODULES:%=$(CPU_SERV)/serv_%.v)
HW_REGISTER_WALK   = $(BUILD)/register_walk.vh
HW_LINT_WIDTHS     = 16 32
HW_MEASURED        = $(filter-out measured_csr measured_csr_sites measured_wormlan,\
                         $(patsubst hw/utilisation/%.v,%,$(wildcard hw/utilisation/*.v)))

# The generator and its outputs. The generated files under hw/protocol are committed; this rule only renews them.
$(eval $(call program,generate_protocol,$(call objects,$(wildcard hw/protocol/generator/*.c)),-linih))

$(HW_REGISTER_WALK): $(BUILD)/generate_protocol $(HW_PROTOCOL_DATA)
	$(BUILD)/generate_protocol --walk $@

$(BUILD)/doc/registers.md $(BUILD)/doc/console.md: $(BUILD)/doc/%.md: $(BUILD)/generate_protocol $(HW_PROTOCOL_DATA)
	@mkdir -p $(@D)
	$(BUILD)/generate_protocol --print $* >$@.new
	@mv $@.new $@

## protocol: renews what hw/protocol has from its data files: headers for Verilog, C and Lua
.PHONY: protocol
protocol: $(BUILD)/generate_protocol
	$(BUILD)/generate_protocol

# The sets of a discipline's row, `lint`, with each width of words: parameters, and keys of the row, which decide OWN. Its own
# modules are found before those of hw/common.
define hw_lint_discipline
    folder=$${row%/discipline.ini}; sets="$$(sed -n 's/^lint *= *//p' $$row)"; \
    [ -n "$$sets" ] || { echo "$$row: no key lint, expected sets of parameters" >&2; exit 1; }; \
    for set in $$sets; do for width in $(HW_LINT_WIDTHS); do \
        echo "lint: fabric_site of $${folder##*/}, $$width-bit words, $$set"; \
        keys="$$(tr , '\n' <<<$$set | sed -n '/^torus$$\|\./p')"; \
        generated="$$($(BUILD)/generate_protocol --parameters $$width $$row $$keys)" || exit 1; \
        given="$$(tr , '\n' <<<$$set | sed '/^torus$$\|\./d')"; \
        parameters="$$(echo "" WORD_WIDTH=$$width $${generated%% DISCIPLINE=*} $$given)"; \
        $(VERILATOR) -Wall --lint-only -Ihw/protocol -y $$folder -y hw/common hw/mesh/fabric_site.v --top fabric_site \
            $${parameters// / -G} || exit 1; \
        $(IVERILOG) -Wall -g2005 -Ihw/protocol -I$$folder -y $$folder -y hw/common -s fabric_site \
            $${parameters// / -Pfabric_site.} -t null hw/mesh/fabric_site.v || exit 1; done; done
endef

# Lint: every parameter set that changes what is elaborated, in Verilator and Icarus. The cores are exempt.
.PHONY: lint lint-hw
lint: lint-hw
lint-hw: $(CPU_VEXRISCV) $(BUILD)/generate_protocol
	@for width in $(HW_LINT_WIDTHS); do for cpu in vexriscv serv; do \
	    echo "lint: site, $$cpu, $$width-bit words"; \
	    $(VERILATOR) -Wall --lint-only $(HW_INCLUDE) $(HW_LINT_WAIVERS) $(HW_SITE_SOURCES) $(HW_CPU_SOURCES) \
	        --top site -GWORD_WIDTH=$$width -GCPU="\"$$cpu\"" || exit 1; done; done
	@for set in CPU='"vexriscv"' CPU='"serv"',LINK_RATIO=2,BOOT_IMAGE='"boot.hex"' EAGER_LINKS=1,PROBES=5 \
	    LINKS=3,HYPERCUBE=1,LINK_RATIO=4,PROBES=8; do \
	    echo "lint: board_site, $$set"; \
	    $(VERILATOR) -Wall --lint-only $(HW_INCLUDE) $(HW_LINT_WAIVERS) $(HW_BOARD_SOURCES) $(HW_CPU_SOURCES) \
	        --top board_site $$(echo "$$set" | tr , '\n' | sed 's/^/-G/') || exit 1; done
	@for row in $(HW_DISCIPLINE_ROWS); do $(hw_lint_discipline); done
	@for design in $(HW_MEASURED); do echo "lint: $$design"; \
	    $(VERILATOR) -Wall --lint-only $(HW_INCLUDE) $(HW_LINT_WAIVERS) hw/utilisation/$$design.v $(HW_BOARD_SOURCES) \
	        $(HW_CPU_SOURCES) -y hw/postman --top $$design || exit 1; done
	@for discipline in csr wormlan; do echo "lint: measured_$$discipline"; \
	    $(VERILATOR) -Wall --lint-only -Ihw/protocol -y hw/$$discipline -y hw/common \
	        hw/utilisation/measured_$$discipline.v --top measured_$$discipline || exit 1; done
	@echo "lint: measured_csr_sites"
	@$(VERILATOR) -Wall --lint-only -Ihw/protocol -y hw/csr -y hw/common -y hw/soc -y hw/mesh $(HW_LINT_WAIVERS) \
	    $(HW_CPU_SOURCES) hw/utilisation/measured_csr_sites.v --top measured_csr_sites
	@for set in LINKS=4 LINKS=1,RATIO=4,PORT_FLIP=0 RATIO=2; do echo "lint: board_link, $$set"; \
	    $(VERILATOR) -Wall --lint-only $(HW_INCLUDE) $(HW_BOARD_LINK_SOURCES) --top board_link \
	        $$(echo $$set | tr , '\n' | sed 's/^/-G/') || exit 1; \
	    $(IVERILOG) -Wall -g2005 $(HW_INCLUDE) -s board_link $$(echo $$set | tr , '\n' | sed 's/^/-Pboard_link./') \
	        -t null $(HW_BOARD_LINK_SOURCES) || exit 1; done
	@for set in FORWARDS=1 RATIO=4,FORWARDS=0 PORT_FLIP=0,RATIO=2; do echo "lint: eager_links, $$set"; \
	    $(VERILATOR) -Wall --lint-only $(HW_INCLUDE) $(HW_BOARD_LINK_SOURCES) --top eager_links \
	        $$(echo $$set | tr , '\n' | sed 's/^/-G/') || exit 1; \
	    $(IVERILOG) -Wall -g2005 $(HW_INCLUDE) -s eager_links $$(echo $$set | tr , '\n' | sed 's/^/-Peager_links./') \
	        -t null $(HW_BOARD_LINK_SOURCES) || exit 1; done
	@for set in DELAY=1 DELAY=2,WORDS=0 DELAY=9; do echo "lint: cable_delay, $$set"; \
	    $(VERILATOR) -Wall --lint-only hw/mesh/cable_delay.v --top cable_delay \
	        $$(echo $$set | tr , '\n' | sed 's/^/-G/') || exit 1; done
	@echo "lint: golden_select"
	@$(VERILATOR) -Wall --lint-only $(HW_INCLUDE) -y hw/soc hw/mesh/golden_select.v --top golden_select
	@$(IVERILOG) -Wall -g2005 $(HW_INCLUDE) -s golden_select -y hw/soc -t null hw/mesh/golden_select.v
	@echo "lint: Icarus"
	@mkdir -p $(BUILD)
	@$(IVERILOG) -Wall -g2005 $(HW_INCLUDE) -s site -o $(BUILD)/lint_site.vvp $(HW_SITE_SOURCES) $(HW_CPU_SOURCES) 2>&1 | \
	    { ! grep -v -e '/vexriscv/' -e '/serv/' -e 'VexRiscv_Min' ; }
	@$(IVERILOG) -Wall -g2005 $(HW_INCLUDE) -s board_site -o $(BUILD)/lint_site.vvp $(HW_BOARD_SOURCES) $(HW_CPU_SOURCES) 2>&1 | \
	    { ! grep -v -e '/vexriscv/' -e '/serv/' -e 'VexRiscv_Min' ; }

# The register walk's bench includes the table made from the map.
$(BUILD)/tests/rtl/register_walk_tb.vvp: $(HW_REGISTER_WALK)

# Figures: hw/utilisation/README.md. One row of the table is one job; what was measured stays until its sources change.
REPORT_ROWS   = $(shell awk '$$1 == "row" { print $$2 "." $$3 "." $$4 "." $$5 }' hw/utilisation/rows)
REPORT_CHOSEN = $(if $(R),$(filter $(R)%,$(REPORT_ROWS)),$(shell hw/utilisation/collect --stale))

## report: measures cells and MHz of the designs with changed sources, or of the rows that begin with R=; report.csv, README
.PHONY: report
report: setup-tools $(BUILD)/generate_protocol
	@rows="$(REPORT_CHOSEN)"; \
	if [ -z "$$rows" ] && [ -n "$(R)" ]; then \
	    echo "report: no row begins with '$(R)'; hw/utilisation/rows has them" >&2; exit 1; \
	fi; \
	[ -z "$$rows" ] || $(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(JOBS)) \
	    $$(printf '$(BUILD)/report/%s/row ' $$rows) && hw/utilisation/collect $$rows

## report-cells: measures where a fabric's and a site's cells go, by module and by rule: hw/utilisation/cells.md
.PHONY: report-cells
report-cells: setup-tools $(BUILD)/generate_protocol
	@mkdir -p $(BUILD)/report
	@hw/utilisation/breakdown >$(BUILD)/report/cells.md
	@mv $(BUILD)/report/cells.md hw/utilisation/cells.md

$(BUILD)/report/%/row: FORCE
	@mkdir -p $(@D)
	@[ "$$(hw/utilisation/measure --sources $(subst ., ,$*))" = "$$(cut -d , -f 11 $@ 2>/dev/null)" ] || \
	    { echo "report: $*"; hw/utilisation/measure $(subst ., ,$*) >$@.new && mv $@.new $@; }

# Rows of 16 and more nodes have more memories than an HX8K. One of 32 is not placed on an ECP5-25K with every seed (phases.md).
POSTMAN_ROWS = $(addprefix $(BUILD)/phases/hx8k.,1 2 4 8) $(addprefix $(BUILD)/phases/ecp5-25k.,1 2 4 8 16)

## report-phases: measures rows of postman nodes that a bit crosses in one clock: hw/postman/phases.csv and phases.md (an hour)
.PHONY: report-phases
report-phases: setup-tools $(BUILD)/generate_protocol
	@$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(JOBS)) $(POSTMAN_ROWS)
	@hw/utilisation/phases table $(POSTMAN_ROWS)

$(BUILD)/phases/%: $(wildcard hw/postman/*.v) hw/utilisation/measured_postman_row.v hw/utilisation/measure hw/utilisation/phases
	@mkdir -p $(@D)
	@echo "report: $*"
	@hw/utilisation/phases measure $(subst ., ,$*) >$@.new
	@mv $@.new $@

-include $(wildcard hw/*/rules.mk)
