# hw: source lists for whoever simulates or synthesises, constants from data files, lint.

HW_PROTOCOL        = hw/protocol/protocol.vh
HW_PROTOCOL_DATA   = $(wildcard hw/protocol/*.ini)
HW_INCLUDE         = -Ihw/protocol
HW_FABRIC_SOURCES  = hw/mesh/fabric_site.v $(wildcard hw/common/*.v hw/cutthrough/*.v)
HW_SITE_SOURCES    = hw/mesh/site.v $(wildcard hw/common/*.v hw/cutthrough/*.v hw/soc/*.v)
HW_LINT_WAIVERS    = hw/dependencies.vlt
HW_SERV_MODULES    = rf_top rf_ram_if rf_ram top state decode immdec bufreg bufreg2 ctrl alu rf_if mem_if csr compdec aligner
HW_CPU_SOURCES     = $(CPU_VEXRISCV) $(HW_SERV_MODULES:%=$(CPU_SERV)/serv_%.v)
HW_REGISTER_WALK   = $(BUILD)/register_walk.vh
HW_LINT_WIDTHS     = 16 32
