# SPDX-License-Identifier: ISC
# sim: the verilated site as shared objects, one a parameter set, and the engine's sources.
#
# build/sim/SET/site.so, where SET is what the object is built for:
#   fabric-DISCIPLINE-WORD_WIDTH-LINKS-DOWNSTREAM-UPSTREAM[-OPTION...][-waves or -observed]
#   site-DISCIPLINE-WORD_WIDTH-LINKS-DOWNSTREAM-UPSTREAM-RAM_BYTES-CPU[-OPTION...][-waves]
#   OPTION: hypercube, torus (lines of a torus), ownN (OWN, the keys of the discipline), clocked (its sites never rest),
#           through (bits cross sites within a clock), boardlinks, eagerlinks
#   flat-NAME: the flat mesh that the generator makes from hw/mesh/NAME.mesh, for a test
# The engine loads a set by name (sim/engine/verilated_site.c); any set is built on demand.

INCLUDES_sim = $(INCLUDES_firmware) -Isim
# Below the simulators: what a mesh is, what traffic is, what boards are, and what these need.
SIM_MODEL   = $(wildcard $(addsuffix /*.c,sim/support sim/mesh sim/workload sim/board))
SIM_SOURCES = $(SIM_MODEL) $(wildcard sim/network_interface/*.c sim/qemu/*.c sim/simulation/*.c sim/analyser/*.c sim/engine/*.c \
    sim/functional/*.c sim/experiment/*.c) $(addprefix sim/ranks/,process_transport.c ranks.c)
SIM_LIBRARY = $(BUILD)/libsim.a

# The table of disciplines: a row for each that has a folder in one of DISCIPLINES.
$(BUILD)/disciplines.c: $(BUILD)/generate_protocol $(HW_DISCIPLINE_ROWS)
	$(BUILD)/generate_protocol --disciplines $@ $(HW_DISCIPLINE_ROWS)

# What the rows cannot say: discipline.c beside some of them.
DISCIPLINE_CODE = $(wildcard $(HW_DISCIPLINE_ROWS:%.ini=%.c))
%/discipline.o: private CPPFLAGS = $(INCLUDES_sim)

$(BUILD)/objects/disciplines.o: $(BUILD)/disciplines.c
	@mkdir -p $(@D)
	$(CC) $(INCLUDES_sim) $(CFLAGS) -c -o $@ $<

# In `postroad` the functional simulator and the ends of its packets become one unit: a fourth fewer instructions, for five
# seconds of linking. Programs of tests have it from the archive.
SIM_FUNCTIONAL_UNIT = $(patsubst %.c,$(BUILD)/unit/%.o,$(wildcard sim/functional/*.c sim/network_interface/*.c \
    firmware/operator/*.c) sim/experiment/injector_native.c sim/workload/scoreboard.c)
$(BUILD)/unit/%.o: %.c | $(FIRMWARE_CONFIG)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -O3 -flto -MMD -MP -c -o $@ $<
-include $(SIM_FUNCTIONAL_UNIT:.o=.d)

# What `postroad sim` loads when mpirun has started it. It is not linked: MPI would add to the start of every program.
SIM_RANKS = $(BUILD)/sim/ranks-mpi.so
$(SIM_RANKS): sim/ranks/mpi_transport.c sim/ranks/transport.h
	@mkdir -p $(@D)
	mpicc $(CPPFLAGS) $(INCLUDES_sim) $(CFLAGS) -fPIC -shared -o $@.new $<
	@mv $@.new $@

$(BUILD)/objects/sim/ranks/mpi_transport.o: private CC = mpicc

$(SIM_LIBRARY): $(call objects,$(SIM_SOURCES) $(DISCIPLINE_CODE)) $(BUILD)/objects/disciplines.o

# Writes flat mesh tops, and the table of .mesh keys.
$(eval $(call program,generate_mesh,$(call objects,$(wildcard sim/flat_mesh/*.c)) $(SIM_LIBRARY) $(NATIVE_LIBRARY),\
    -linih -lbz2 -lm -ldl))

# Its links are those of sim and hw.
$(BUILD)/doc/mesh_keys.md: $(BUILD)/generate_mesh
	@mkdir -p $(@D)
	$< --keys | sed 's,](\.\./,](../../,g' >$@.new
	@mv $@.new $@

SIM_LINKS = sim/engine/slot_links.v $(wildcard hw/board_link/*.v)

# The sets that the meshes of hw/mesh and `make demo` use.
SIM_DEFAULT_SETS = fabric-cutthrough-16-4-32-64 site-cutthrough-16-4-32-64-65536-vexriscv
SIM_DEFAULT_SITES = $(SIM_DEFAULT_SETS:%=$(BUILD)/sim/%/site.so)

# Asked for by the first recipe that needs it: it takes longer than all that make does for a simulation that is up to date.
SIM_VERILATOR_ROOT = $(eval SIM_VERILATOR_ROOT := $(shell $(VERILATOR) --getenv VERILATOR_ROOT))$(SIM_VERILATOR_ROOT)
SIM_VERILATOR_FLAGS = --cc --prefix Vsite -O3 --x-assign fast --x-initial fast --noassert --MP -Wno-lint -Wno-style \
    -Ihw/protocol
# The folder of the discipline ROW is searched first, so that it may have its own form of a module of hw/common.
sim_folders = $(addprefix -y ,$(dir $(1)) hw/common hw/soc hw/mesh hw/board_link sim/engine)
# -w: warnings about Verilator's own sources and its generated code are of no use here. -O1 takes less than half of the time of
# -O3, and what it makes runs no slower. A flat mesh is compiled with -O0: it runs for a second.
# -fmacro-prefix-map: no simulated site has the name of the tree's folder in it. -fno-ipa-modref: a tenth of the time of
# compilation goes into an analysis that finds nothing in one large class.
SIM_CXXFLAGS = -std=c++17 -fPIC -fvisibility=hidden -fno-gnu-unique -fno-ipa-modref -pthread -w -fmacro-prefix-map=$(CURDIR)/= \
    -isystem $(SIM_VERILATOR_ROOT)/include -isystem $(SIM_VERILATOR_ROOT)/include/vltstd -Isim -Isim/engine
# sim_unit SOURCES: prints one unit of them. What Verilator calls slow runs once for each model, and is not optimised: that takes
# a tenth to a fifth of the time.
sim_unit = printf '%s\n' $(1) | awk -v q='"' -v top="$$PWD/" '{ line = "\#include " q top $$0 q } \
    /__Slow\.cpp$$/ { slow = slow line "\n"; next } { print line } \
    END { print "\#pragma GCC push_options\n\#pragma GCC optimize (" q "O0" q ")\n" slow "\#pragma GCC pop_options" }'
# Verilator's header is compiled once for all models: it takes longer than many a model. GCC wants the same options there.
SIM_CXXFLAGS_O1 = $(SIM_CXXFLAGS) -O1 -include $(BUILD)/sim/verilator/first.h

# The objects of Verilator's library are as new as its program.
SIM_VERILATOR_PROGRAM := $(shell command -v $(VERILATOR))
SIM_VERILATOR_OBJECTS = $(BUILD)/sim/verilator/verilated.o $(BUILD)/sim/verilator/verilated_threads.o
SIM_VERILATOR_HEADER  = $(BUILD)/sim/verilator/first.h.gch

# The set's name and its words.
sim_set = $(notdir $(patsubst %/verilated,%,$(@D)))
sim_words = $(subst -, ,$(sim_set))
sim_word = $(word $(1),$(sim_words))
sim_level = $(if $(filter site-%,$(sim_set)),1,$(if $(filter flat-%,$(sim_set)),2,0))
# A whole site takes 4 % fewer instructions in one C++ class and without tables for cases; a fabric 5 % more without tables.
sim_level_flags = $(if $(filter 1,$(sim_level)),--flatten -fno-table)
sim_waves = $(if $(filter %-waves,$(sim_set)),1,0)
sim_option = $(if $(filter $(1),$(sim_words)),-G$(2)=1)
sim_options = $(call sim_option,hypercube,HYPERCUBE) $(call sim_option,through,THROUGH) \
    $(call sim_option,clocked,CLOCKED) $(call sim_option,observed,OBSERVED) \
    $(call sim_option,boardlinks,BOARD_LINKS) $(if $(filter eagerlinks,$(sim_words)),-GBOARD_LINKS=2)
sim_row = $(call hw_discipline_row,$(call sim_word,2))
# OWN of a mesh that gives no key, unless the set's name has another.
sim_row_parameters = $(filter LINK_WIDTH=% OWN=% $(if $(filter 1,$(sim_level)),DISCIPLINE=% CAPABILITIES=%),\
    $(shell $(BUILD)/generate_protocol --parameters $(call sim_word,3) $(sim_row) $(filter torus,$(sim_words)) \
    $(patsubst own%,own=%,$(filter own%,$(sim_words)))))
sim_parameters = -GWORD_WIDTH=$(call sim_word,3) -GLINKS=$(call sim_word,4) -GDOWNSTREAM_DEPTH=$(call sim_word,5) \
    -GUPSTREAM_DEPTH=$(call sim_word,6) $(sim_row_parameters:%=-G%) $(sim_options) \
    $(if $(filter 1,$(sim_level)),-GRAM_BYTES=$(call sim_word,7) -GCPU='"$(call sim_word,8)"')

define sim_verilate
rm -rf $(@D)
mkdir -p $(@D)
$(VERILATOR) $(SIM_VERILATOR_FLAGS) $(sim_level_flags) $(if $(filter 1,$(sim_waves)),--trace-fst) $(sim_parameters) \
    $(call sim_folders,$(sim_row)) --Mdir $(@D) --top-module $(call sim_word,1)_top sim/engine/$(call sim_word,1)_top.v \
    $(if $(filter 1,$(sim_level)),$(HW_CPU_SOURCES))
touch $@
endef

$(BUILD)/sim/fabric-%/verilated/Vsite.h: sim/rules.mk $(BUILD)/generate_protocol
	$(sim_verilate)

$(BUILD)/sim/site-%/verilated/Vsite.h: sim/rules.mk $(CPU_VEXRISCV) $(BUILD)/generate_protocol
	$(sim_verilate)

# The .mesh file names the discipline of a flat mesh. The other parameters are read from the generated module. UNOPTFLAT: lines
# east and west that cross sites within a clock are bits of the same vectors, which Verilator takes for a loop.
sim_flat_discipline = $(shell sed -n 's/^fabric *= *//p' $<)
sim_flat_parameter = $$(sed -n 's/.*\.$(1)(\([0-9]*\)).*/\1/p' $(@D)/flat_mesh.v | head -n 1)

define sim_verilate_flat
rm -rf $(@D)
mkdir -p $(@D)
$(filter %/generate_mesh,$^) $< -o $(@D)/flat_mesh.v --level fabric --module flat_mesh
$(VERILATOR) $(SIM_VERILATOR_FLAGS) -Wno-UNOPTFLAT $(call sim_folders,$(call hw_discipline_row,$(sim_flat_discipline))) \
    --Mdir $(@D) -GWORD_WIDTH=$(call sim_flat_parameter,WORD_WIDTH) \
    -GLINKS=$(call sim_flat_parameter,LINKS) -GLINK_WIDTH=$(call sim_flat_parameter,LINK_WIDTH) \
    -GSITES=$$(grep -c 'fabric_site #' $(@D)/flat_mesh.v) \
    --top-module flat_top sim/engine/flat_top.v $(@D)/flat_mesh.v
touch $@
endef

$(BUILD)/sim/flat-%/verilated/Vsite.h: hw/mesh/%.mesh sim/rules.mk $(BUILD)/generate_mesh
	$(sim_verilate_flat)

-include $(wildcard $(BUILD)/sim/*/verilated/Vsite__ver.d)

# Verilator's FST writer opens its files through sim/engine/waves_file.h.
$(BUILD)/sim/verilator/verilated_fst_c.o: SIM_CXXFLAGS += -include sim/engine/waves_file.h
$(BUILD)/sim/verilator/verilated_fst_c.o: sim/engine/waves_file.h

$(BUILD)/sim/verilator/%.o: $(SIM_VERILATOR_PROGRAM)
	@mkdir -p $(@D)
	$(CXX) $(SIM_CXXFLAGS) -O1 -c $(SIM_VERILATOR_ROOT)/include/$*.cpp -o $@.new
	@mv $@.new $@

$(SIM_VERILATOR_HEADER): $(SIM_VERILATOR_PROGRAM)
	@mkdir -p $(@D)
	@echo '#include <verilated.h>' >$(@D)/first.h
	$(CXX) $(SIM_CXXFLAGS) -O1 -x c++-header $(@D)/first.h -o $@.new
	@mv $@.new $@

# All that is compiled with SIM_CXXFLAGS_O1 links these, or names the header.
$(SIM_VERILATOR_OBJECTS): $(SIM_VERILATOR_HEADER)

# All sources form one unit, so that the compiler can inline across them. The object is renamed into place, so a running
# simulation keeps its own.
$(BUILD)/sim/%/site.so: $(BUILD)/sim/%/verilated/Vsite.h \
    sim/engine/site_model.cpp sim/engine/site_model.h sim/simulation/link_slot.h sim/engine/waves_file.h \
    $(SIM_VERILATOR_OBJECTS) $(BUILD)/sim/verilator/verilated_fst_c.o
	@$(call sim_unit,sim/engine/site_model.cpp $(<D)/*.cpp) >$(@D)/unit.cpp
	$(CXX) $(if $(filter 2,$(sim_level)),$(SIM_CXXFLAGS) -O0,$(SIM_CXXFLAGS_O1)) -I$(<D) -DSITE_HEADER='"Vsite.h"' \
	    -DSITE_CLASS=Vsite -DSITE_LEVEL=$(sim_level) -DSITE_WAVES=$(sim_waves) -DSITE_PARAMETERS='"$*"' \
	    -shared -Wl,-Bsymbolic -Wl,-z,defs -o $@.new $(@D)/unit.cpp $(SIM_VERILATOR_OBJECTS) \
	    $(if $(filter 1,$(sim_waves)),$(BUILD)/sim/verilator/verilated_fst_c.o -lz)
	@mv $@.new $@

.PHONY: lint-sim
lint: lint-sim
lint-sim: $(CPU_VEXRISCV) $(BUILD)/generate_mesh
	@echo "lint: fabric_top, 14 links"
	@$(VERILATOR) -Wall --lint-only $(HW_INCLUDE) $(HW_FABRIC_SOURCES) $(SIM_LINKS) sim/engine/fabric_top.v \
	    --top fabric_top -GLINKS=14 -GHYPERCUBE=1 -GOBSERVED=1
	@for width in $(HW_LINT_WIDTHS); do echo "lint: fabric_top and site_top, $$width-bit words"; \
	    $(VERILATOR) -Wall --lint-only $(HW_INCLUDE) $(HW_FABRIC_SOURCES) $(SIM_LINKS) sim/engine/fabric_top.v --top fabric_top \
	        -GWORD_WIDTH=$$width || exit 1; \
	    $(VERILATOR) -Wall --lint-only $(HW_INCLUDE) $(HW_LINT_WAIVERS) $(HW_SITE_SOURCES) $(HW_CPU_SOURCES) \
	        $(SIM_LINKS) sim/engine/site_top.v --top site_top -GWORD_WIDTH=$$width || exit 1; done
	@for top in fabric site; do for kind in 1 2; do echo "lint: $${top}_top, board links of kind $$kind"; \
	    $(VERILATOR) -Wall --lint-only $(HW_INCLUDE) $(HW_LINT_WAIVERS) $(HW_SITE_SOURCES) $(HW_CPU_SOURCES) $(SIM_LINKS) \
	        sim/engine/$${top}_top.v --top $${top}_top -GBOARD_LINKS=$$kind || exit 1; done; done
	@echo "lint: flat_top"
	@$(BUILD)/generate_mesh hw/mesh/deadlock-figure-4.mesh -o $(BUILD)/flat_mesh.v --level fabric --module flat_mesh
	@$(VERILATOR) -Wall --lint-only $(HW_INCLUDE) $(HW_FABRIC_SOURCES) $(BUILD)/flat_mesh.v \
	    sim/engine/flat_top.v --top flat_top -GSITES=2
	@echo "lint: Icarus"
	@for top in fabric site; do $(IVERILOG) -Wall -g2005 $(HW_INCLUDE) -s $${top}_top -o $(BUILD)/lint_$${top}_top.vvp \
	    sim/engine/$${top}_top.v $(SIM_LINKS) $(HW_SITE_SOURCES) $(HW_CPU_SOURCES) 2>&1 | \
	    { ! grep -v -e '/vexriscv/' -e '/serv/' -e 'VexRiscv_Min' ; } || exit 1; done

-include $(wildcard sim/*/rules.mk)
