# SPDX-License-Identifier: ISC
# Postroad: one Makefile, not recursive. Each area adds its part in AREA/rules.mk; everything built goes under build/.
# `make help` lists the goals.

VERSION   = 0.1.0
BUILD     = build
CC        = gcc
CXX       = g++
# -g1: backtraces with lines. All of -g takes a quarter of the time of compilation.
CFLAGS    = -std=c11 -O2 -g1 -Wall -Wextra -Werror
# A source includes from its own area and from those below it.
CPPFLAGS  = $(INCLUDES_$(firstword $(subst /, ,$*)))
VERILATOR = verilator
IVERILOG  = iverilog
CROSS     = riscv64-unknown-elf-
VENV      = $(BUILD)/venv
JOBS     ?= $(shell nproc)

CPU_VEXRISCV = $(VENV)/share/vexriscv/VexRiscv_Min.v
CPU_SERV     = $(VENV)/share/serv
FPGA_TOOLS   = $(VENV)/fpga_tools.done

# The sizes of the firmware, natively and on cores. firmware/rules.mk writes this file.
FIRMWARE_CONFIG = $(BUILD)/firmware/include/postroad_config.h

# What valgrind runs: tests' objects of another kind, tests/rules.mk.
MEMORY = $(BUILD)/memory

# With it, `cd` prints where it is, and goes elsewhere.
unexport CDPATH
export BUILD CC CXX CFLAGS VERILATOR IVERILOG CROSS VENV

.DEFAULT_GOAL = help
.DELETE_ON_ERROR:
.SECONDARY:
MAKEFLAGS += --no-builtin-rules
SHELL = /bin/bash
.SHELLFLAGS = -o pipefail -c

## help: this list
.PHONY: help
help:
	@echo "Postroad: goals of this Makefile (JOBS=$(JOBS) jobs at a time)"
	@LC_ALL=C sed -n 's/^## \([a-z][a-z0-9-]*\): /\1\t/p' $(MAKEFILE_LIST) | LC_ALL=C sort -u | \
	    awk -F '\t' '{ goal[NR] = $$1; text[NR] = $$2; if (length($$1) > width) width = length($$1) } \
	        END { for (n = 1; n <= NR; n++) printf "  make %-" width "s %s\n", goal[n], text[n] }'

# Every C object of the host. An archive holds one folder or several. A program links its own folder's archive and those below.
$(BUILD)/objects/%.o: %.c | $(FIRMWARE_CONFIG)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/%.a:
	@mkdir -p $(@D)
	@rm -f $@.new
	$(AR) rcs $@.new $^
	@echo '$^' >$@.objects
	@mv $@.new $@

# objects SOURCE...: the sources' objects.
# program NAME, OBJECTS ARCHIVES, LIBRARIES: the program build/NAME, linked in this order. tests/planted links it again, with
# planted bugs, by its .link and the archives' .objects.
objects = $(patsubst %.c,$(BUILD)/objects/%.o,$(1))
define program
PROGRAMS += $(1)
$(BUILD)/$(1): $(2)
$(MEMORY)/$(1): $(patsubst $(BUILD)/objects/tests/%,$(MEMORY)/objects/tests/%,$(2))
$(BUILD)/$(1) $(MEMORY)/$(1):
	@mkdir -p $$(@D)
	@echo '$$(CFLAGS) $$(filter %.o,$$^) $$(filter %.a,$$^) $(3)' >$$@.link
	$$(CC) -o $$@.new @$$@.link
	@mv $$@.new $$@
endef

-include hw/rules.mk
-include firmware/rules.mk
-include sim/rules.mk
-include boards/rules.mk
-include host-tools/rules.mk

# Each simulation asks whether its site is up to date: in a quarter of the time, without what no site of the product needs.
site_goals = $(foreach row,$(HW_DISCIPLINE_ROWS:%/discipline.ini=%),$(foreach level,fabric site,\
    $(BUILD)/sim/$(level)-$(notdir $(row))-%/site.so))
ifneq ($(if $(MAKECMDGOALS),$(filter-out $(site_goals),$(MAKECMDGOALS)),all),)
-include tests/rules.mk
-include $(shell find $(BUILD)/objects -name '*.d' 2>/dev/null)
else
-include $(wildcard $(BUILD)/objects/hw/protocol/generator/*.d)
endif

## all: every program: postroad, its manual and references, the generators, the firmware, the simulated sites of the usual meshes
.PHONY: all
all: $(BUILD)/postroad $(DOCUMENTS) doc $(DISSECTOR) $(BUILD)/generate_protocol $(BUILD)/generate_mesh $(FIRMWARE_IMAGES) \
    $(VERIFIER) $(SIM_DEFAULT_SITES) $(SIGROK_FILES)

## doc: references, in build/doc: options and JSON keys of postroad, keys of .mesh files, registers and packets, console frames
DOC = $(addprefix $(BUILD)/doc/,reference.md mesh_keys.md registers.md console.md)
.PHONY: doc
doc: $(DOC)

## demo: sets up, builds, shows a mesh; NODES=qemu, FABRIC=january|postman|csr|wormlan, BOARDS=simulated|cables
.PHONY: demo demo-sites demo-boards
demo: $(if $(BOARDS),demo-boards,demo-sites) ; @:

DEMO_NODES = (native|core|qemu)(:[0-9,-]+)?
demo-sites:
	@[[ -z "$(NODES)" || "$(NODES)" =~ ^$(DEMO_NODES)(,$(DEMO_NODES))*$$ ]] || \
	    { echo "demo: NODES=$(NODES): expected native, core, qemu, or a list like qemu:0-3,native" >&2; exit 1; }
	@host-tools/setup/packages $(if $(findstring qemu,$(NODES)),qemu,demo)
	@$(MAKE) --no-print-directory setup-cpu
	@MAKE="$(MAKE)" host-tools/setup/build $(BUILD)/build.log --no-print-directory \
	    $(if $(filter -j%,$(MAKEFLAGS)),,-j$(JOBS)) all $(FIGURE4)
	@host-tools/demo/demo

# Four boards, simulated from their bitstreams: from enrolling and flashing to a multicast, or their cables.
DEMO_BOARDS = $(if $(filter cables,$(BOARDS)),$(DEMO_CABLES),$(BITSTREAM_FLOW))
DEMO_CABLES = $(BUILD)/postroad $(BUILD)/simulate_boards $(BUILD)/make_boot_image $(FIRMWARE_DIR)/small-raw.elf \
              $(BUILD)/bitstream/hx8k_b_evn/grid-2x2-raw/report
demo-boards:
	@[[ "$(BOARDS)" =~ ^(simulated|cables)$$ ]] || \
	    { echo "demo: BOARDS=$(BOARDS): expected simulated or cables" >&2; exit 1; }
	@host-tools/setup/packages boards
	@$(MAKE) --no-print-directory setup-cpu setup-tools
	@MAKE="$(MAKE)" host-tools/setup/build $(BUILD)/build.log --no-print-directory \
	    $(if $(filter -j%,$(MAKEFLAGS)),,-j$(JOBS)) $(DEMO_BOARDS)
	@export DEMO_FOLDER="$${DEMO_FOLDER:-$(BUILD)/demo}"; mkdir -p "$$DEMO_FOLDER"; \
	    $(if $(filter cables,$(BOARDS)),host-tools/demo/boards,SHOW=yes LOADED= tests/bitstream/flow/flow)

## setup: fetches what the tests need, or one door of the README: DOOR=bench, boards, latency, firmware or research
# Door:packages.
DOORS = bench:demo research:demo firmware:qemu boards:boards latency:boards
SETUP_PACKAGES = $(if $(DOOR),$(patsubst $(DOOR):%,%,$(filter $(DOOR):%,$(DOORS))),test)
.PHONY: setup
setup:
	@[ -n "$(SETUP_PACKAGES)" ] || \
	    { echo "setup: DOOR=$(DOOR): expected bench, boards, latency, firmware or research" >&2; exit 1; }
	@host-tools/setup/packages $(SETUP_PACKAGES)
	@$(MAKE) --no-print-directory setup-cpu $(if $(filter boards test long,$(SETUP_PACKAGES)),setup-tools)

## setup-cpu: fetches the two CPU cores and Monocypher's source (PyPI, pinned by version and hash) into build/venv
.PHONY: setup-cpu
setup-cpu: $(CPU_VEXRISCV) $(MONOCYPHER)/monocypher.c ; @:

$(CPU_VEXRISCV): hw/soc/requirements.txt host-tools/setup/cpu_cores
	@mkdir -p $(@D)
	@host-tools/setup/cpu_cores $(VENV)
	@touch $@

$(CPU_SERV)/serv_top.v $(CPU_SERV): $(CPU_VEXRISCV)

$(MONOCYPHER)/monocypher.c: $(wildcard host-tools/setup/*_requirements.txt) host-tools/setup/monocypher | $(CPU_VEXRISCV)
	@host-tools/setup/monocypher $(VENV)
	@touch $@

## setup-tools: fetches Yosys, nextpnr and SymbiYosys (PyPI, pinned, 200 MB) into build/venv
.PHONY: setup-tools
setup-tools: $(FPGA_TOOLS) ; @:

$(FPGA_TOOLS): host-tools/setup/fpga_requirements.txt host-tools/setup/fpga_tools | $(CPU_VEXRISCV)
	@host-tools/setup/fpga_tools $(VENV)
	@touch $@

## install: postroad, and the libraries for firmware and for host programs, in PREFIX (/usr/local), below DESTDIR
PREFIX ?= /usr/local
.PHONY: install uninstall
install: all firmware-library host-library
	@host-tools/setup/install "$(DESTDIR)$(PREFIX)" $(SIM_DEFAULT_SETS)

## deb: build/postroad_VERSION_ARCHITECTURE.deb, a Debian package of what `install` installs, and of the bitstreams that are there
DEB = $(BUILD)/postroad_$(VERSION)_$(shell dpkg --print-architecture).deb
.PHONY: deb deb-file deb-sites
deb:
	@host-tools/setup/packages deb
	@$(MAKE) --no-print-directory setup-cpu
	@MAKE="$(MAKE)" host-tools/setup/build $(BUILD)/build.log --no-print-directory \
	    $(if $(filter -j%,$(MAKEFLAGS)),,-j$(JOBS)) $(BUILD)/generate_mesh
	@$(MAKE) --no-print-directory deb-file

# The simulated sites that the meshes of hw/mesh take: known once generate_mesh is built.
DEB_SETS  = $(sort $(shell $(BUILD)/generate_mesh --sets hw/mesh/*.mesh))
DEB_SITES = $(DEB_SETS:%=$(BUILD)/sim/%/site.so)
deb-file:
	@MAKE="$(MAKE)" host-tools/setup/build $(BUILD)/build.log --no-print-directory \
	    $(if $(filter -j%,$(MAKEFLAGS)),,-j$(JOBS)) all firmware-library host-library $(DEB_SITES)
	@host-tools/setup/deb $(DEB) $(VERSION) $(DEB_SETS)

deb-sites: $(BUILD)/generate_mesh
	@$(MAKE) --no-print-directory $(DEB_SITES)

## uninstall: removes what `make install` with the same PREFIX and DESTDIR has put there
uninstall:
	@host-tools/setup/install --remove "$(DESTDIR)$(PREFIX)"

## clean: removes everything built
.PHONY: clean
clean:
	rm -rf $(BUILD)
