# SPDX-License-Identifier: ISC
# tests/sim: `postroad` with a second simulator, tests/sim/ideal_engine, in place of the product's list of them.

IDEAL_POSTROAD = $(BUILD)/tests/sim/ideal_postroad
$(call host_program,tests/sim/ideal_postroad,$(wildcard tests/sim/ideal_engine/*.c) host-tools/postroad/main.c)

# The readers of ECP5 bitstreams, with the sanitizers.
ECP5_FUZZ = $(BUILD)/tests/sim/ecp5_fuzz
ECP5_FUZZ_SOURCES = tests/sim/ecp5/fuzz.c tests/check.c $(wildcard sim/bitstream/ecp5_*.c sim/bitstream/trellis*.c) \
    $(patsubst %,sim/bitstream/%.c,failure name_map netlist pin_list text_file)
ECP5_FUZZ_OBJECTS = $(ECP5_FUZZ_SOURCES:%.c=$(BUILD)/sanitized/%.o)
$(ECP5_FUZZ): $(ECP5_FUZZ_OBJECTS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SANITIZE) -o $@ $^ -lcjson
-include $(ECP5_FUZZ_OBJECTS:.o=.d)

# The chip of a bitstream against a recording of its RTL.
$(eval $(call program,tests/sim/ecp5/replay,$(call objects,tests/sim/ecp5/replay.c) $(BITSTREAM_LIBRARY),-lcjson -ldl))

GOWIN_FUZZ_OBJECTS = $(patsubst %,$(BUILD)/sanitized/%.o,tests/sim/gowin/fuzz tests/check $(addprefix sim/bitstream/,\
    gowin_verilog gowin_build gowin_logic gowin_ram failure name_map))
$(BUILD)/tests/sim/gowin_fuzz: $(GOWIN_FUZZ_OBJECTS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SANITIZE) -o $@ $^ -lcjson
-include $(GOWIN_FUZZ_OBJECTS:.o=.d)

## ecp5-site: the bitstream of a whole ULX3S against its RTL, every pin in every clock (ten minutes, most of them place and route)
.PHONY: ecp5-site
ecp5-site: $(BITSTREAM_LIBRARY) $(SIM_LIBRARY) $(BUILD)/tests/libraries
	@$(MAKE) --no-print-directory bitstream BOARD=ulx3s_25f
	@tests/sim/ecp5/site

# They know the disciplines of tests/disciplines.
$(BUILD)/tests/sim/test_graph $(BUILD)/tests/sim/test_flat_mesh: $(call objects,$(TESTS_DISCIPLINES))
$(eval $(call program,tests/generate_mesh,$(call objects,$(wildcard sim/flat_mesh/*.c) $(TESTS_DISCIPLINES)) $(SIM_LIBRARY) \
    $(NATIVE_LIBRARY),-linih -lbz2 -lm -ldl))

$(BUILD)/sim/flat-star/verilated/Vsite.h: tests/disciplines/star/star.mesh sim/rules.mk $(BUILD)/tests/generate_mesh
	$(sim_verilate_flat)
