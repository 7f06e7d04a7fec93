# SPDX-License-Identifier: ISC
# host-tools: the program postroad, and what it is made of.
#
# build/libpostroad.a   endpoints, client, broker, run directories, and firmware/wire: what other programs may link
# build/libcli.a        what is between it and main(): options, reports, the daemon, the verbs

INCLUDES_host-tools = $(INCLUDES_sim) -Ihost-tools

POSTROAD_LIBRARY = $(BUILD)/libpostroad.a
CLI_LIBRARY      = $(BUILD)/libcli.a
POSTROAD_LDLIBS  = -ledit -lncurses -ltinfo -ludev -luv -lsodium -lcjson -linih -lzip -lminizip -lbz2 -lz -lm -ldl
# What a program of the host tools links, in this order.
POSTROAD_ARCHIVES = $(CLI_LIBRARY) $(POSTROAD_LIBRARY) $(SIM_LIBRARY) $(NATIVE_LIBRARY)

$(POSTROAD_LIBRARY): $(call objects,$(wildcard host-tools/libpostroad/*.c firmware/wire/*.c))
$(CLI_LIBRARY): $(call objects,$(filter-out %/main.c %/make_boot_image.c,\
    $(wildcard $(addprefix host-tools/,loader/*.c capture/*.c cli/*.c daemon/*.c pcap/*.c tap/*.c testbed/*.c latency/*.c \
    sigrok/*.c postroad/*.c))))
$(BUILD)/objects/host-tools/cli/report.o: private CPPFLAGS += -DPOSTROAD_VERSION='"$(VERSION)"'
$(BUILD)/objects/host-tools/cli/report.o: Makefile
$(BUILD)/objects/host-tools/postroad/report.o: host-tools/postroad/report_page.html
# What waits for people, programmers and lines: compiled in two thirds of the time.
$(foreach folder,cli loader postroad testbed,$(BUILD)/objects/host-tools/$(folder)/%): private CFLAGS += -O1

## postroad: the host tool, build/postroad
.PHONY: postroad
postroad: $(BUILD)/postroad $(if $(shell command -v mpicc),$(SIM_RANKS))

# host_program NAME, SOURCES: a program of the host tools.
host_program = $(eval $(call program,$(1),$(call objects,$(2)) $(POSTROAD_ARCHIVES),$(POSTROAD_LDLIBS)))
$(eval $(call program,postroad,$(call objects,host-tools/postroad/main.c) $(SIM_FUNCTIONAL_UNIT) $(POSTROAD_ARCHIVES),\
    $(POSTROAD_LDLIBS)))
# A checkpoint of `postroad sim` has pointers into the program, which therefore lies at the same address in each process.
$(BUILD)/postroad: private CFLAGS += -no-pie -flto=auto

# Firmware and site record of a site as boards take them.
$(call host_program,make_boot_image,host-tools/loader/make_boot_image.c)

# The demo's scene.
FIGURE4 = $(BUILD)/figure4
$(call host_program,figure4,host-tools/demo/figure4.c)

# What follows from the tables of the verbs: manual page, completion, reference.
WRITE_DOCUMENTS = $(BUILD)/write_documents
DOCUMENTS       = $(BUILD)/postroad.1 $(BUILD)/postroad.bash

$(call host_program,write_documents,host-tools/documents/write_documents.c)

$(DOCUMENTS): $(BUILD)/postroad.%: host-tools/postroad.%.in $(WRITE_DOCUMENTS)
	$(WRITE_DOCUMENTS) fill $< >$@.new
	@mv $@.new $@

# Wireshark's dissector of what `postroad listen --pcap` writes.
DISSECTOR = $(BUILD)/postroad.lua
$(DISSECTOR): host-tools/wireshark/postroad.lua $(BUILD)/generate_protocol $(HW_PROTOCOL_DATA)
	@mkdir -p $(@D)
	{ $(BUILD)/generate_protocol --print lua && cat $<; } >$@.new
	@mv $@.new $@

$(BUILD)/doc/reference.md: $(WRITE_DOCUMENTS)
	@mkdir -p $(@D)
	$(WRITE_DOCUMENTS) reference >$@.new
	@mv $@.new $@

# The protocol decoders for sigrok, each a folder with the constants of links and packets: SIGROKDECODE_DIR=build/sigrok.
SIGROK_DECODERS = postroad_line postroad_packet
SIGROK_SOURCES  = $(wildcard $(SIGROK_DECODERS:%=host-tools/sigrok/%/*.py))
SIGROK_FILES    = $(SIGROK_SOURCES:host-tools/sigrok/%=$(BUILD)/sigrok/%) $(SIGROK_DECODERS:%=$(BUILD)/sigrok/%/protocol.py)

$(SIGROK_DECODERS:%=$(BUILD)/sigrok/%/protocol.py): $(BUILD)/generate_protocol $(HW_PROTOCOL_DATA)
	@mkdir -p $(@D)
	$< --print python >$@.new
	@mv $@.new $@

$(BUILD)/sigrok/%.py: host-tools/sigrok/%.py
	@mkdir -p $(@D)
	cp $< $@

# For programs outside of this tree: a .pc for pkg-config. It finds its files from where it lies, in the tree as where it is
# installed: two folders below the top of either place.
HOST_PC           = $(BUILD)/pkgconfig/postroad.pc
HOST_PC_INSTALLED = $(BUILD)/host/postroad.pc
$(HOST_PC): pc_headers = $(addprefix -I$(FIRMWARE_PC_TOP)/,host-tools firmware hw/protocol)
$(HOST_PC): pc_library = $(FIRMWARE_PC_TOP)/$(BUILD)
$(HOST_PC_INSTALLED): pc_headers = -I$(FIRMWARE_PC_TOP)/include/postroad
$(HOST_PC_INSTALLED): pc_library = $(FIRMWARE_PC_TOP)/lib

$(HOST_PC) $(HOST_PC_INSTALLED): Makefile host-tools/rules.mk
	@mkdir -p $(@D)
	@printf '%s\n' 'Name: postroad' 'Description: clients of Postroad sites: endpoints, console frames and messages' \
	    'Version: $(VERSION)' "Cflags: $(pc_headers)" "Libs: -L$(pc_library) -lpostroad" >$@

## host-library: what host programs outside of this tree build with: build/libpostroad.a, and a .pc in build/pkgconfig
.PHONY: host-library
host-library: $(POSTROAD_LIBRARY) $(HOST_PC) $(HOST_PC_INSTALLED)
