# SPDX-License-Identifier: ISC
# host-tools: the program postroad, and what it is made of.
#
# build/libpostroad.a   endpoints, client, broker, run directories: what other programs may link
# build/libcli.a        what is between it and main(): options, reports, the daemon, the verbs

INCLUDES_host-tools = $(INCLUDES_sim) -Ihost-tools

POSTROAD_LIBRARY = $(BUILD)/libpostroad.a
CLI_LIBRARY      = $(BUILD)/libcli.a
POSTROAD_MAIN    = $(BUILD)/objects/host-tools/postroad/main.o
POSTROAD_LDLIBS  = -ledit -lcjson -linih -lm -ldl
# What a program of the host tools links, in this order.
POSTROAD_ARCHIVES = $(CLI_LIBRARY) $(POSTROAD_LIBRARY) $(SIM_LIBRARY) $(NATIVE_LIBRARY)

$(POSTROAD_LIBRARY): $(patsubst %.c,$(BUILD)/objects/%.o,$(wildcard host-tools/libpostroad/*.c))
$(CLI_LIBRARY): $(patsubst %.c,$(BUILD)/objects/%.o,$(filter-out %/main.c,\
    $(wildcard host-tools/cli/*.c host-tools/daemon/*.c host-tools/postroad/*.c)))
$(BUILD)/objects/host-tools/cli/report.o: private CPPFLAGS += -DPOSTROAD_VERSION='"$(VERSION)"'
$(BUILD)/objects/host-tools/cli/report.o: Makefile

## postroad: the host tool, build/postroad
.PHONY: postroad
postroad: $(BUILD)/postroad

$(BUILD)/postroad: $(POSTROAD_MAIN) $(POSTROAD_ARCHIVES)
	$(CC) $(CFLAGS) -o $@.new $^ $(POSTROAD_LDLIBS)
	@mv $@.new $@

# The demo's scene.
FIGURE4 = $(BUILD)/figure4
$(FIGURE4): $(BUILD)/objects/host-tools/demo/figure4.o $(POSTROAD_ARCHIVES)
	$(CC) $(CFLAGS) -o $@ $^ $(POSTROAD_LDLIBS)

# What follows from the tables of the verbs: manual page, completion, reference.
WRITE_DOCUMENTS = $(BUILD)/write_documents
DOCUMENTS       = $(BUILD)/postroad.1 $(BUILD)/postroad.bash

$(WRITE_DOCUMENTS): $(BUILD)/objects/host-tools/documents/write_documents.o $(POSTROAD_ARCHIVES)
	$(CC) $(CFLAGS) -o $@ $^ $(POSTROAD_LDLIBS)

$(DOCUMENTS): $(BUILD)/postroad.%: host-tools/postroad.%.in $(WRITE_DOCUMENTS)
	$(WRITE_DOCUMENTS) fill $< >$@.new
	@mv $@.new $@

## reference: renews host-tools/REFERENCE.md from the tables of the verbs
.PHONY: reference
reference: $(WRITE_DOCUMENTS)
	$(WRITE_DOCUMENTS) reference >host-tools/REFERENCE.md
