# SPDX-License-Identifier: ISC
# tests/bench: what `make paper-...`, `make bench` and `make figures` measure with.

# An experiment, and in SET what to change in it: make paper-storage SET='runs=2 packets=100'
MEASURE = tests/bench/measure -o tests/bench/results tests/bench/experiments

# Arms of the papers' claims: packets that every site stores whole, and circuits.
STORE_AND_FORWARD = $(BUILD)/tests/bench/store_and_forward/store_and_forward
$(call tests_program,tests/bench/store_and_forward/store_and_forward,tests/bench/store_and_forward/main.c)

# Another arm: a `postroad` whose operators retransmit later.
RESEND_DELAY = $(BUILD)/tests/bench/resend_delay/postroad
$(call host_program,tests/bench/resend_delay/postroad,tests/bench/resend_delay/engines.c host-tools/postroad/main.c)

# And one with the paper's own operators, and what searches with these for deadlocks.
PAPER_OPERATORS = $(addprefix $(BUILD)/tests/bench/paper_operators/,postroad deadlock_search)
$(call host_program,tests/bench/paper_operators/postroad,tests/bench/paper_operators/groups.c host-tools/postroad/main.c)
$(call tests_program,tests/bench/paper_operators/deadlock_search,tests/bench/paper_operators/groups.c \
    $(wildcard tests/deadlock_search/*.c))

# What the estimate of operators that take time is worth.
OPERATOR_CLOCKS = $(BUILD)/tests/bench/operator_clocks/operator_clocks
$(call tests_program,tests/bench/operator_clocks/operator_clocks,tests/bench/operator_clocks/main.c)
$(OPERATOR_CLOCKS): | $(BUILD)/firmware/node.hex

# The 1989 paper's experiments on the fast model of `postman`.
TRANSPOSITION = $(BUILD)/tests/bench/transposition/transposition
$(eval $(call program,tests/bench/transposition/transposition,$(call objects,tests/check.c \
    tests/postman/option_letters.c tests/postman/workload_line.c $(wildcard tests/bench/transposition/*.c)) $(POSTMAN_LIBRARY),))

# What loading by plan changes.
LOADS = $(BUILD)/tests/bench/loads/loads
$(eval $(call program,tests/bench/loads/loads,$(call objects,tests/check.c tests/bench/transposition/readings.c \
    tests/postman/option_letters.c tests/postman/workload_line.c $(wildcard tests/bench/loads/*.c)) $(POSTMAN_LIBRARY),-lm))

# The applications of firmware/apps/README.md on cores, with the images that their own Makefiles make.
APPLICATIONS       = $(BUILD)/tests/bench/applications/applications
APPLICATION_IMAGES = $(patsubst %,$(FIRMWARE_DIR)/%.hex,allreduce heat keyvalue)
$(call tests_program,tests/bench/applications/applications,tests/bench/applications/main.c)
$(APPLICATION_IMAGES:.hex=.elf): $(FIRMWARE_DIR)/%.elf: firmware/apps/%/main.c firmware/apps/%/Makefile $(FIRMWARE_PACKAGE)
	$(MAKE) --no-print-directory --always-make -C $(@D) -f $(CURDIR)/firmware/apps/$*/Makefile VPATH=$(CURDIR)/firmware/apps/$* \
	    PKG_CONFIG_PATH=$(abspath $(BUILD))/pkgconfig $(@F)

# What each rank of a simulation does for all of them.
DRAW_TRAFFIC = $(BUILD)/tests/bench/draw_traffic/draw_traffic
$(call tests_program,tests/bench/draw_traffic/draw_traffic,tests/bench/draw_traffic/main.c)

## paper-storage: measures where storage runs out, pool size against load and multicast share (10 minutes)
.PHONY: paper-storage
paper-storage: $(BUILD)/postroad
	$(MEASURE)/storage.ini $(SET)

## paper-reliable: measures the reliable service: storage, faults, price, waits (5 minutes; SET=limit=1000000: a day)
.PHONY: paper-reliable
paper-reliable: $(BUILD)/postroad
	$(MEASURE)/reliable.ini $(SET)

## paper-faults: every fault at once, 100 runs on each fabric, topology and word width: nothing lost or twice (10 minutes)
.PHONY: paper-faults
paper-faults: $(BUILD)/tests/conformance/test_conformance
	$(MEASURE)/faults.ini $(SET)

## paper-byrd: the August 1987 paper's claims as experiments: tables and pictures in tests/bench/results (15 minutes)
.PHONY: paper-byrd
paper-byrd: $(BUILD)/postroad $(STORE_AND_FORWARD) $(RESEND_DELAY) $(PAPER_OPERATORS) $(OPERATOR_CLOCKS)
	$(MEASURE)/byrd.ini $(SET)

## paper-postman: the 1989 paper's figures beside those of the fast model of postman; tests/bench/results/postman.md (4 minutes)
.PHONY: paper-postman
paper-postman: $(TRANSPOSITION) $(LOADS) postman-bench postman-traces
	$(MEASURE)/postman_loads.ini $(SET)
	$(MEASURE)/postman.ini $(SET)

## paper-csr: the 1993 paper's table and figures beside those of the slot model; tests/bench/results/csr.md (3 minutes)
.PHONY: paper-csr
paper-csr: $(BUILD)/csr_model
	$(MEASURE)/csr.ini $(SET)

## paper-csr-load: conflict sense routing beside cutthrough on one hypercube: saturation, latency; results/csr_load.md (4 minutes)
.PHONY: paper-csr-load
paper-csr-load: $(BUILD)/postroad $(BUILD)/csr_model
	$(MEASURE)/csr_load.ini $(SET)

## paper-wormlan: the 1996 figures of multicast over a wormhole LAN, in a model and on the RTL; results/wormlan*.md (25 minutes)
.PHONY: paper-wormlan
paper-wormlan: $(BUILD)/wormlan_model $(BUILD)/postroad
	$(MEASURE)/wormlan_buffers.ini
	$(MEASURE)/wormlan_rtl.ini
	$(MEASURE)/wormlan.ini $(SET)

## paper-multicast: multicasts beside repeated unicasts, 192 meshes, services and traffics (20 minutes)
.PHONY: paper-multicast
paper-multicast: $(BUILD)/postroad
	$(MEASURE)/multicast_load.ini $(SET)

## paper-relays: what a mesh carries with relays, beside repeated unicasts and multicasts; results/relays.md (8 minutes)
.PHONY: paper-relays
paper-relays: $(BUILD)/postroad
	$(MEASURE)/relays.ini $(SET)

## paper-meshes: 10000 random small meshes of 40 builds, with every option: exactly once, and nothing hangs (30 minutes)
.PHONY: paper-meshes
paper-meshes: $(BUILD)/tests/sim/test_random_meshes
	seq 0 500 9500 | xargs -P $(JOBS) -I @ env SEED=1 BUILDS=40 MESHES=500 FIRST=@ $<

## paper-groups: groups beside unicasts and multicasts on four fabrics: latency to the last member; results/groups.md (30 minutes)
.PHONY: paper-groups
paper-groups: $(BUILD)/postroad
	$(MEASURE)/groups.ini $(SET)

## report-applications: applications on cores, multicasts beside unicasts; results/applications.md (2 minutes)
.PHONY: report-applications
report-applications: $(APPLICATIONS) $(APPLICATION_IMAGES)
	$(MEASURE)/applications.ini $(SET)

## report-functional: the simulator `functional` beside the RTL: agreement and speed; results/functional.md (3 minutes)
.PHONY: report-functional
report-functional: $(BUILD)/postroad
	$(MEASURE)/functional.ini $(SET)

## report-throughput: what meshes accept, every source backlogged; results/throughput.md (1 minute)
.PHONY: report-throughput
report-throughput: $(BUILD)/postroad
	$(MEASURE)/throughput.ini $(SET)

## report-verdicts: how often a load is called saturated, or not steady; results/verdicts.md (3 minutes)
.PHONY: report-verdicts
report-verdicts: $(BUILD)/postroad
	$(MEASURE)/verdicts.ini $(SET)

## report-cluster: `functional` on several ranks, and what a cluster would do; results/cluster.md (10 minutes, 10 GB)
.PHONY: report-cluster
report-cluster: $(BUILD)/postroad $(BUILD)/sim/ranks-mpi.so $(DRAW_TRAFFIC)
	$(MEASURE)/cluster.ini $(SET)

## bench-functional: the simulator `functional` at the loads of other simulators, beside them and the RTL (1 minute)
.PHONY: bench-functional
bench-functional: $(BUILD)/postroad
	$(MEASURE)/functional_peers.ini $(SET)

## report-protocols: the January 1987 protocol beside hw/cutthrough on the same traffic; results/protocols.md (2 minutes)
.PHONY: report-protocols
report-protocols: $(BUILD)/postroad
	$(MEASURE)/protocols.ini $(SET)

## report-topology: four protocols on grid, torus and hypercube: latency, saturation; results/topology.md (10 minutes)
.PHONY: report-topology
report-topology: $(BUILD)/postroad
	$(MEASURE)/topology.ini $(SET)

## report-board-groups: groups on links between boards; results/board_groups.md (2 minutes)
.PHONY: report-board-groups
report-board-groups: $(BUILD)/postroad
	$(MEASURE)/board_groups.ini $(SET)

## report-switching: cut-through beside message switching and circuit switching; results/switching.md (1 minute)
.PHONY: report-switching
report-switching: $(STORE_AND_FORWARD)
	$(MEASURE)/switching.ini $(SET)

## picture: README's picture and its figures, the sweep of the demo: tests/bench/results/sweep-latency.svg, sweep.md
.PHONY: picture
picture: $(BUILD)/postroad
	@mkdir -p $(BUILD)/picture
	@printf '# The sweep of the demo\n\nWritten by `make picture`, as its picture.\n\n```\n' >$(BUILD)/picture/sweep.md
	SEED=1 host-tools/demo/demo sweep $(BUILD)/picture/sweep >>$(BUILD)/picture/sweep.md
	@echo '```' >>$(BUILD)/picture/sweep.md
	cp $(BUILD)/picture/sweep.md $(BUILD)/picture/sweep-latency.svg tests/bench/results

# The exact figures of the kit.
FIGURES = $(BUILD)/tests/bench/figures
$(call tests_program,tests/bench/figures,$(wildcard tests/bench/*.c))

# The bench of sites under QEMU.
GUESTS = $(BUILD)/tests/bench/guests/guests
$(call tests_program,tests/bench/guests/guests,tests/bench/guests/main.c)
$(GUESTS): | $(BUILD)/firmware/node.elf $(BUILD)/firmware/stream.elf

## bench: measures clocks and words (exact), and the simulator's speed; writes build/bench.json (5 minutes)
.PHONY: bench
bench: $(FIGURES) $(GUESTS) $(BUILD)/postroad $(BUILD)/firmware/node.hex
	@tests/bench/bench

## figures: measures the exact figures again, writes tests/bench/results/figures.csv, and prints tables (2 minutes)
.PHONY: figures
figures: $(FIGURES) $(BUILD)/firmware/node.hex $(BUILD)/firmware/traffic.hex
	$(FIGURES) >$(BUILD)/figures.csv
	mv $(BUILD)/figures.csv tests/bench/results
	@tests/bench/figures_tables tests/bench/results/figures.csv

# Latency on the bench, with boards that are simulated.
DESK = $(BUILD)/tests/bench/latency/desk
$(eval $(call program,tests/bench/latency/desk,$(call objects,tests/bench/latency/desk.c) $(BITSTREAM_LIBRARY) $(SIM_LIBRARY) \
    $(NATIVE_LIBRARY),$(TESTS_LDLIBS)))

## bench-latency: 300 packets through nine simulated boards, captured and analysed; build/bench-latency (10 minutes)
.PHONY: bench-latency
bench-latency: $(DESK) $(BUILD)/bitstream/hx8k_b_evn/grid-3x3/report $(addprefix $(BUILD)/,postroad make_boot_image \
    firmware/small-traffic.elf)
	@tests/bench/latency/bench_latency $(BUILD)/bench-latency

# Sixteen verilated boards, each with the parameters of an iCEBreaker but for its core, for the time of a load.
LOAD_BENCH        = $(BUILD)/tests/bench/load
LOAD_BENCH_MESH   = boards/testbeds/grid-4x4.mesh
LOAD_BENCH_SITES  = 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
LOAD_BENCH_IMAGES = $(foreach site,$(LOAD_BENCH_SITES),$(LOAD_BENCH)/$(site).flash $(LOAD_BENCH)/$(site).serial)

$(LOAD_BENCH)/bench: tests/bench/load/bench.cpp tests/bench/load/board.v tests/rtl/board_site/board_models.h \
    $(HW_BOARD_SOURCES) $(HW_CPU_SOURCES) boards/icebreaker/board.conf $(LOAD_BENCH_MESH) $(BUILD)/generate_board \
    $(FIRMWARE_DIR)/boot.hex $(SIM_VERILATOR_OBJECTS)
	@mkdir -p $(@D)
	@$(BUILD)/generate_board icebreaker $(LOAD_BENCH_MESH) --boot-image $(FIRMWARE_DIR)/boot.hex -o $(@D)/icebreaker.vh
	@sed 's/"serv"/"vexriscv"/' $(@D)/icebreaker.vh >$(@D)/parameters.vh
	$(call verilated_bench,board,-I$(@D) tests/bench/load/board.v $(HW_BOARD_SOURCES) $(HW_CPU_SOURCES),\
	    tests/bench/load/bench.cpp,-Itests/rtl/board_site)

$(LOAD_BENCH_IMAGES): $(LOAD_BENCH)/%: $(FIRMWARE_DIR)/node.elf $(BUILD)/make_boot_image $(LOAD_BENCH_MESH)
	@mkdir -p $(@D)
	$(BUILD)/make_boot_image $(patsubst .%,%,$(suffix $@)) $< $(LOAD_BENCH_MESH) $(basename $(@F)) -o $@

# The same boards, loaded by one line, in grids of 4x4 and 8x8. The host's part of a load comes without ttys and libpostroad: the
# bench has their functions. LOCKED_PAIR: two such boards, locked.
LOAD_LINES      = $(patsubst %,$(BUILD)/tests/bench/load-%/one_line,4x4 8x8)
LOCKED_PAIR     = $(BUILD)/tests/bench/load-2x1/locked_pair
LOAD_LINES_HOST = $(call objects,$(addprefix host-tools/loader/load_,serial.c relay.c line.c exchange.c answers.c records.c) \
    host-tools/loader/mesh_loader.c $(addprefix firmware/wire/,\
    cobs.c crc16.c envelope.c console_frame.c console_messages.c payload.c \
    site_identity.c topology.c))

$(LOAD_LINES): tests/bench/load/one_line.cpp
$(LOCKED_PAIR): tests/bench/load/locked_pair.cpp tests/rtl/board_site/signed_images.h
$(LOAD_LINES) $(LOCKED_PAIR): $(BUILD)/tests/bench/load-%: tests/bench/load/host.h tests/bench/load/boards.h \
    tests/bench/load/board.v tests/rtl/board_site/board_models.h $(LOAD_LINES_HOST) $(HW_BOARD_SOURCES) $(HW_CPU_SOURCES) \
    boards/icebreaker/board.conf $(LOAD_BENCH_MESH) $(BUILD)/generate_board $(FIRMWARE_DIR)/boot.hex $(SIM_VERILATOR_OBJECTS)
	@mkdir -p $(@D)
	@sed 's/4x4/$(*D)/' $(LOAD_BENCH_MESH) >$(@D)/grid.mesh
	@$(BUILD)/generate_board icebreaker $(@D)/grid.mesh --boot-image $(FIRMWARE_DIR)/boot.hex -o $(@D)/icebreaker.vh
	@sed 's/"serv"/"vexriscv"/' $(@D)/icebreaker.vh >$(@D)/parameters.vh
	$(call verilated_bench,board,-I$(@D) tests/bench/load/board.v $(HW_BOARD_SOURCES) $(HW_CPU_SOURCES),\
	    tests/bench/load/$(@F).cpp,-O2 $(join -DSIZE_X= -DSIZE_Y=,$(subst x, ,$(*D))) $(INCLUDES_host-tools) -Itests/rtl/board_site \
	    $(LOAD_LINES_HOST))

$(LOAD_BENCH)/images: $(LOAD_BENCH_IMAGES)
	@touch $@

## bench-load: clocks of a load of fifteen boards over the mesh, beside sixteen serial lines (20 minutes)
.PHONY: bench-load
bench-load: $(LOAD_BENCH)/bench $(LOAD_BENCH)/images $(BUILD)/postroad
	@tests/bench/load/bench_load $(LOAD_BENCH)

## bench-load-lines: clocks of loads of 1, 4, 16 and 64 boards by one line; writes tests/bench/results/load.csv (an hour)
.PHONY: bench-load-lines
bench-load-lines: $(LOAD_LINES) $(BUILD)/make_boot_image $(BUILD)/firmware/node.hex
	{ echo sites,clocks,milliseconds; tests/bench/load/load_lines 1 4 16 64; } >$(BUILD)/load.csv
	mv $(BUILD)/load.csv tests/bench/results
