# tests: what tests/run needs built. An archive an area of all that is not a main program; a test in C links those of
# its own area and of the areas below it, and the other sources of its own folder.

TESTS_ARCHIVE_firmware   = $(NATIVE_LIBRARY)
TESTS_ARCHIVE_formal     = $(NATIVE_LIBRARY)
TESTS_ARCHIVE_sim        = $(BUILD)/tests/sim.a $(TESTS_ARCHIVE_firmware)
TESTS_ARCHIVE_host-tools = $(BUILD)/tests/host-tools.a $(TESTS_ARCHIVE_sim)
TESTS_SOURCES_sim        = $(wildcard sim/common/*.c sim/rtl/*.c sim/qemu/*.c sim/batch/*.c)
TESTS_SOURCES_host-tools = $(filter-out %/main.c,$(wildcard host-tools/library/*.c host-tools/postroad/*.c))

TESTS_PROGRAMS = $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/*/test_*.c))
TESTS_BENCHES  = $(patsubst tests/%.v,$(BUILD)/tests/%.vvp,$(wildcard tests/rtl/*_tb.v))
TESTS_LDLIBS   = -lcjson -linih -lm -ldl -lpthread

tests_objects = $(patsubst %.c,$(BUILD)/tests/objects/%.o,$(1))
tests_archives = $(or $(TESTS_ARCHIVE_$(1)),$(TESTS_ARCHIVE_host-tools))

$(BUILD)/tests/objects/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(CPPFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/tests/sim.a: $(TESTS_SOURCES_sim:%.c=$(BUILD)/postroad.objects/%.o)
$(BUILD)/tests/host-tools.a: $(TESTS_SOURCES_host-tools:%.c=$(BUILD)/postroad.objects/%.o)
$(BUILD)/tests/sim.a $(BUILD)/tests/host-tools.a:
	@mkdir -p $(@D)
	@rm -f $@.new
	ar rcs $@.new $^
	@mv $@.new $@

# The sources beside a test that are no tests themselves.
tests_helpers = $(call tests_objects,$(filter-out tests/$(1)/test_%,$(wildcard tests/$(1)/*.c)))

.SECONDEXPANSION:
$(TESTS_PROGRAMS): $(BUILD)/tests/%: $(BUILD)/tests/objects/tests/%.o $$(call tests_helpers,$$(*D)) \
    $$(call tests_archives,$$(*D))
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(TESTS_LDLIBS)

# The demo's scene; not a test, but it links what the tests link.
FIGURE4 = $(BUILD)/sim/figure4
$(FIGURE4): $(call tests_objects,sim/demo/figure4.c) $(TESTS_ARCHIVE_host-tools)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(TESTS_LDLIBS)

# The search for deadlocks, sim/search.
DEADLOCK = $(BUILD)/sim/deadlock
$(DEADLOCK): $(call tests_objects,$(wildcard sim/search/*.c)) $(TESTS_ARCHIVE_host-tools)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(TESTS_LDLIBS)

# Warnings are the business of `make lint`.
TESTS_HARDWARE = $(wildcard hw/*/*.v hw/protocol/*.vh tests/rtl/*.v tests/rtl/*.vh)
$(TESTS_BENCHES): $(BUILD)/tests/%.vvp: tests/%.v $(TESTS_HARDWARE) $(HW_CPU_SOURCES)
	@mkdir -p $(@D)
	$(IVERILOG) -g2005 -s $(*F) -o $@ -Ihw/protocol -Itests/rtl -y hw/common -y hw/cutthrough -y hw/soc -y hw/mesh \
	    -y tests/rtl $< $(HW_CPU_SOURCES)

-include $(shell find $(BUILD)/tests/objects -name '*.d' 2>/dev/null)

# The kit's own scripts, and the rules of the house that a machine can check.
LINT_SCRIPTS = .ci/run tests/run tests/soak tests/bench/bench tests/bench/claims \
    tests/faults/run tests/faults/all tests/faults/mutate \
    tests/faults/mutation_table tests/faults/mutate_lines tests/system/check_text $(wildcard \
    host-tools/setup/build host-tools/setup/cpu_cores host-tools/setup/fpga_tools host-tools/setup/*.bash \
    host-tools/setup/install host-tools/setup/packages \
    hw/report/measure hw/report/collect hw/report/breakdown \
    sim/demo/demo tests/formal/prove tests/formal/planted_proofs \
    tests/formal/reliable/check \
    tests/*/*.sh tests/*/*.bash host-tools/*.bash)

## lint: verilator -Wall and iverilog -Wall on the RTL, shellcheck on the scripts, the rules of the house on all text
.PHONY: lint lint-scripts lint-text
lint: lint-scripts lint-text

lint-scripts:
	shellcheck --severity=warning --external-sources --source-path=SCRIPTDIR $(LINT_SCRIPTS)

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
faults: all setup-tools $(TESTS_ARCHIVE_host-tools) $(BUILD)/tests/host-tools/fake_node $(DEADLOCK)
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
