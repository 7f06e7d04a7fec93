# SPDX-License-Identifier: ISC
# tests: what tests/run needs built. An archive an area of all that is not a main program; a test in C links those of
# its own area and of the areas below it, and the other sources of its own folder.

INCLUDES_tests = $(INCLUDES_host-tools) -Itests

TESTS_ARCHIVES_firmware   = $(SIM_LIBRARY) $(NATIVE_LIBRARY)
TESTS_ARCHIVES_formal     = $(NATIVE_LIBRARY)
TESTS_ARCHIVES_sim        = $(SIM_LIBRARY) $(NATIVE_LIBRARY)

TESTS_PROGRAMS = $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/*/test_*.c))
TESTS_BENCHES  = $(patsubst tests/%.v,$(BUILD)/tests/%.vvp,$(wildcard tests/rtl/*_tb.v))
TESTS_LDLIBS   = -lcjson -linih -lm -ldl -lpthread

tests_objects = $(patsubst %.c,$(BUILD)/objects/%.o,$(1))
tests_archives = $(or $(TESTS_ARCHIVES_$(1)),$(POSTROAD_ARCHIVES))

# The sources beside a test that are no tests themselves.
tests_helpers = $(call tests_objects,$(filter-out tests/$(1)/test_%,$(wildcard tests/$(1)/*.c)))

.SECONDEXPANSION:
$(TESTS_PROGRAMS): $(BUILD)/tests/%: $(BUILD)/objects/tests/%.o $$(call tests_helpers,$$(*D)) \
    $$(call tests_archives,$$(*D))
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(TESTS_LDLIBS)

# The tests of the operator and of the mesh model run with the address and undefined-behaviour sanitizers, on sources built with
# them; those objects are linked before the archives.
SANITIZE           = -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
SANITIZED_FIRMWARE = $(patsubst %.c,$(BUILD)/sanitized/%.o,$(NATIVE_SOURCES) $(wildcard sim/network_interface/*.c))
SANITIZED_MODEL    = $(patsubst %.c,$(BUILD)/sanitized/%.o,$(wildcard sim/model/*.c))
FIRMWARE_TESTS     = $(patsubst %.c,$(BUILD)/%,$(wildcard tests/firmware/test_*.c))
MODEL_TESTS        = $(patsubst %,$(BUILD)/tests/sim/test_%,mesh_config mesh_config_fuzz fault_specs traffic scoreboard)

$(BUILD)/sanitized/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(SANITIZE) -MMD -MP -c -o $@ $<

$(FIRMWARE_TESTS): $(SANITIZED_FIRMWARE)
$(MODEL_TESTS): $(SANITIZED_MODEL)
$(FIRMWARE_TESTS) $(MODEL_TESTS) $(BUILD)/objects/tests/firmware/% \
    $(MODEL_TESTS:$(BUILD)/tests/%=$(BUILD)/objects/tests/%.o): private CFLAGS += $(SANITIZE)
# Images that only tests run, on verilated sites and under QEMU.
TESTS_IMAGES = trap sleep crash profile stream hostile
$(foreach app,$(TESTS_IMAGES),$(eval $(call firmware_link,$(app),tests/firmware)))
$(BUILD)/tests/firmware/test_on_core: $(addprefix $(BUILD)/firmware/,node.hex hello.hex trap.hex sleep.hex)
$(BUILD)/tests/firmware/test_profile: $(addprefix $(BUILD)/firmware/,profile.elf profile.hex)
-include $(SANITIZED_FIRMWARE:.o=.d) $(SANITIZED_MODEL:.o=.d)

# The search for deadlocks, tests/deadlock_search.
DEADLOCK = $(BUILD)/deadlock_search
$(DEADLOCK): $(call tests_objects,$(wildcard tests/deadlock_search/*.c)) $(POSTROAD_ARCHIVES)
	$(CC) $(CFLAGS) -o $@ $^ $(TESTS_LDLIBS)

# What the tests talk to instead of a mesh, where they need faults.
HOST_TOOLS_HELPERS = $(patsubst %,$(BUILD)/tests/host-tools/%,fake_node pty_nodes)
$(HOST_TOOLS_HELPERS): $(BUILD)/tests/host-tools/%: $(BUILD)/objects/tests/host-tools/$$*/$$*.o $(POSTROAD_ARCHIVES)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $^ $(TESTS_LDLIBS)

-include tests/bench/rules.mk

# Warnings are the business of `make lint`.
TESTS_HARDWARE = $(wildcard hw/*/*.v hw/protocol/*.vh tests/rtl/*.v tests/rtl/*.vh)
$(TESTS_BENCHES): $(BUILD)/tests/%.vvp: tests/%.v $(TESTS_HARDWARE) $(HW_CPU_SOURCES)
	@mkdir -p $(@D)
	$(IVERILOG) -g2005 -s $(*F) -o $@ -Ihw/protocol -Itests/rtl -y hw/common -y hw/cutthrough -y hw/soc -y hw/mesh \
	    -y tests/rtl $< $(HW_CPU_SOURCES)

# What a shell runs: by its first line, or its name.
LINT_SCRIPTS = $(shell git grep -lE '^\#!.*\<(ba)?sh$$' -- . ':!*.md') $(shell git ls-files '*.bash')
LINT_FORMAT  = $(filter-out %/protocol.h,$(shell git ls-files '*.[ch]' '*.cpp'))
# The layers are checked in the objects of all areas but the tests.
LINT_OBJECTS = $(patsubst %.c,$(BUILD)/objects/%.o,$(NATIVE_SOURCES) $(wildcard hw/*/*/*.c sim/*/*.c host-tools/*/*.c))

## lint: warnings of the RTL, shellcheck, clang-format, the layers of the tree, the rules of the house on all text
.PHONY: lint lint-scripts lint-format lint-layers lint-text
lint: lint-scripts lint-format lint-layers lint-text

lint-scripts:
	shellcheck --severity=warning --external-sources --source-path=SCRIPTDIR $(LINT_SCRIPTS)

lint-format:
	@clang-format --dry-run -Werror $(LINT_FORMAT)

lint-layers: $(LINT_OBJECTS) $(FIRMWARE_COMMON)
	tests/system/check_layers nm $(BUILD)/objects $(CROSS)nm $(FIRMWARE_DIR)/objects

lint-text:
	tests/system/check_text

## formal: proves the hardware (Yosys, ABC) and the protocol of the reliable service (spin)
.PHONY: formal
formal: setup-tools
	tests/formal/prove
	tests/formal/prove fabric_long fabric_grid_long
	tests/formal/planted_proofs
	tests/formal/test_reliable_model.sh -l

## faults: plants every bug there is, in hardware, firmware, simulator, proofs; prints which check caught which
.PHONY: faults
faults: all setup-tools $(POSTROAD_ARCHIVES) $(BUILD)/tests/host-tools/fake_node $(DEADLOCK)
	tests/faults/all

## mutation: draws wrong gates and wrong lines of the hardware, and shows which check notices (tests/faults/mutation*.md)
.PHONY: mutation
mutation: setup-tools
	tests/faults/mutation_table
	tests/faults/mutate_lines -w

## soak: runs the tests with new seeds, round after round, of HEAD in a clone of its own; build/soak/failures
.PHONY: soak
soak: setup
	@tests/soak $(ROUNDS)

## test: sets up, builds and runs all tests, or those of T=name; SEED=n takes another seed than 1
.PHONY: test
test: setup
	@set -f; JOBS=2 tests/run $(T)
