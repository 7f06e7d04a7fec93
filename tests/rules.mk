# SPDX-License-Identifier: ISC
# tests: what tests/run needs built. A test in C links the archives of the area that it tests and of those below, and the other
# sources of its own folder. What belongs to one folder of tests alone stands in its rules.mk.

INCLUDES_tests = $(INCLUDES_host-tools) -Itests

# For C of tests alone: memory on the stack that nobody set has a pattern, so that a test that reads it fails every time, and
# not only where the stack happens to hold something else than zeros.
# -O1: they are compiled in two thirds of the time, and what they call is of the product.
TESTS_CFLAGS = -O1 -ftrivial-auto-var-init=pattern
$(BUILD)/objects/tests/% $(BUILD)/sanitized/tests/%: private CFLAGS += $(TESTS_CFLAGS)

TESTS_ARCHIVES_firmware   = $(SIM_LIBRARY) $(NATIVE_LIBRARY)
TESTS_ARCHIVES_formal     = $(NATIVE_LIBRARY)
TESTS_ARCHIVES_sim        = $(SIM_LIBRARY) $(NATIVE_LIBRARY)
TESTS_ARCHIVES_bitstream  = $(BITSTREAM_LIBRARY) $(SIM_LIBRARY) $(NATIVE_LIBRARY)
TESTS_ARCHIVES_postman    = $(POSTMAN_LIBRARY) $(SIM_LIBRARY)
TESTS_ARCHIVES_csr        = $(CSR_LIBRARY) $(SIM_LIBRARY)
TESTS_ARCHIVES_wormlan    = $(WORMLAN_ARCHIVES)
TESTS_ARCHIVES_functional = $(SIM_LIBRARY) $(NATIVE_LIBRARY)

TESTS_PROGRAMS = $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/*/test_*.c))
TESTS_BENCHES  = $(patsubst tests/%.v,$(BUILD)/tests/%.vvp,$(wildcard tests/rtl/*_tb.v))
TESTS_LDLIBS   = $(POSTROAD_LDLIBS) -lpthread

# The same for tests that link programs by themselves: gcc ... @build/tests/libraries
$(BUILD)/tests/libraries: host-tools/rules.mk tests/rules.mk
	@mkdir -p $(@D)
	echo '$(TESTS_LDLIBS)' >$@

tests_archives = $(or $(TESTS_ARCHIVES_$(1)),$(POSTROAD_ARCHIVES))

# tests_program NAME, SOURCES: a program that tests use.
tests_program = $(eval $(call program,$(1),$(call objects,$(2)) $(POSTROAD_ARCHIVES),$(TESTS_LDLIBS)))

# The sources beside a test that are no tests themselves.
tests_helpers = $(call objects,tests/check.c tests/mutate_text.c $(filter-out tests/$(1)/test_%,$(wildcard tests/$(1)/*.c)))

.SECONDEXPANSION:
$(TESTS_PROGRAMS): $(BUILD)/tests/%: $(BUILD)/objects/tests/%.o $$(call tests_helpers,$$(*D)) \
    $$(call tests_archives,$$(*D))
	@mkdir -p $(@D)
	@echo '$(CFLAGS) $(filter %.o,$^) $(filter %.a,$^) $(TESTS_LDLIBS)' >$@.link
	$(CC) -o $@ @$@.link

# The tests of the operator and of the mesh model run with the address and undefined-behaviour sanitizers, on sources built with
# them; those objects are linked before the archives. -Og: they are compiled in less than half of the time, and run about as fast.
# It knows fewer ranges of numbers, and so takes what fits for cut off.
SANITIZE           = -Og -Wno-format-truncation -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
SANITIZED_FIRMWARE = $(patsubst %.c,$(BUILD)/sanitized/%.o,$(NATIVE_SOURCES) $(wildcard sim/network_interface/*.c))
SANITIZED_MODEL    = $(patsubst %.c,$(BUILD)/sanitized/%.o,$(SIM_MODEL))
FIRMWARE_TESTS     = $(patsubst %.c,$(BUILD)/%,$(wildcard tests/firmware/test_*.c))
MODEL_TESTS        = $(patsubst %,$(BUILD)/tests/sim/test_%,mesh_config mesh_config_fuzz testbed testbed_fuzz \
    fault_specs traffic traffic_matrix scoreboard packet_trace run_memory)

$(BUILD)/sanitized/%.o: %.c | $(FIRMWARE_CONFIG)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(SANITIZE) -MMD -MP -c -o $@ $<

$(FIRMWARE_TESTS): $(SANITIZED_FIRMWARE)
$(MODEL_TESTS): $(SANITIZED_MODEL)
$(FIRMWARE_TESTS) $(MODEL_TESTS) $(BUILD)/objects/tests/firmware/% \
    $(MODEL_TESTS:$(BUILD)/tests/%=$(BUILD)/objects/tests/%.o): private CFLAGS += $(SANITIZE)
# Images that only tests run, on verilated sites and under QEMU.
TESTS_IMAGES = trap sleep relay_plan crash profile stream hostile gather
# The operator's and its own.
$(FIRMWARE_DIR)/hostile.elf: private TEXT_BUDGET = 40096
$(FIRMWARE_DIR)/hostile.elf: private RAM_BUDGET = 23136
# Its stack ends where RAM does, as that of no image that links by the rules.
$(FIRMWARE_DIR)/gather.elf: private TEXT_BUDGET = 39936
$(FIRMWARE_DIR)/gather.elf: private RAM_BUDGET = 25600
$(FIRMWARE_DIR)/gather.elf: private LOAD_RESERVED = 0
$(foreach app,$(TESTS_IMAGES),$(eval $(call firmware_link,$(app),tests/firmware)))
$(BUILD)/tests/sim/test_busy_receiver: $(BUILD)/firmware/small-receiver.hex
$(BUILD)/tests/firmware/test_on_core: $(addprefix $(BUILD)/firmware/,node.hex hello.hex trap.hex sleep.hex relay_plan.hex)
$(BUILD)/tests/firmware/test_profile: $(addprefix $(BUILD)/firmware/,profile.elf profile.hex)
-include $(SANITIZED_FIRMWARE:.o=.d) $(SANITIZED_MODEL:.o=.d)

# The same tests for valgrind, which sees reads of memory that nobody set: plain objects of tests beside the plain archives.
MEMORY_TESTS = $(patsubst tests/%.c,$(MEMORY)/%,$(wildcard tests/*/test_*.c))
memory_objects = $(patsubst $(BUILD)/%,$(MEMORY)/%,$(1))

$(MEMORY)/objects/%.o: %.c | $(FIRMWARE_CONFIG)
	@mkdir -p $(@D)
	$(CC) $(INCLUDES_tests) $(CFLAGS) -MMD -MP -c -o $@ $<

$(MEMORY)/firmware/test_verifier: $(call objects,firmware/verifier/sha512.c firmware/verifier/signature.c) \
    $(BUILD)/tests/host-tools/monocypher.o
$(MEMORY)/postman/test_picture $(MEMORY)/postman/test_picture_fuzz: $$(call memory_objects,$$(call objects,$$(PICTURE_SOURCES)))
-include $(shell find $(MEMORY)/objects -name '*.d' 2>/dev/null)

$(MEMORY_TESTS): $(MEMORY)/%: $(MEMORY)/objects/tests/%.o $$(call memory_objects,$$(call tests_helpers,$$(*D))) \
    $$(call tests_archives,$$(*D))
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(TESTS_LDLIBS)

# A bug of the kind, which was there: targets whose `info` nobody sets.
$(MEMORY)/planted: $(MEMORY)/objects/tests/sim/test_zero_load.o $$(call memory_objects,$$(call tests_helpers,sim)) \
    $(call tests_archives,sim)
	sed 's/targets\[i\] = (struct pr_target){\(.site\) = \(.*\)};/targets[i]\1 = \2;/' tests/sim/test_zero_load.c >$@.c
	! cmp -s tests/sim/test_zero_load.c $@.c
	$(CC) $(INCLUDES_tests) -Itests/sim $(CFLAGS) -o $@ $@.c $(filter-out $<,$(filter %.o,$^)) $(filter %.a,$^) $(TESTS_LDLIBS)

.PHONY: memory
memory: $(MEMORY)/planted $(MEMORY_TESTS) $$(patsubst %,$(MEMORY)/firmware/%.so,$$(SMALL_IMAGES)) $(BUILD)/programs \
    $$(addprefix $(MEMORY)/,$$(filter tests/%,$$(PROGRAMS))) $$(addprefix $(BUILD)/,$$(filter-out tests/%,$$(PROGRAMS)))
$(BUILD)/programs: FORCE
	@printf '%s\n' $(PROGRAMS) >$@

# What tests talk to instead of boards (tests/host-tools/rules.mk).
IMITATE = $(addprefix $(BUILD)/tests/host-tools/,imitate real_ttys.so)

# Warnings are the business of `make lint`.
TESTS_HARDWARE = $(wildcard hw/*/*.v hw/protocol/*.vh tests/rtl/*.v tests/rtl/*.vh) tests/rtl/compile_bench
$(TESTS_BENCHES): $(BUILD)/tests/%.vvp: tests/%.v $(TESTS_HARDWARE) $(HW_CPU_SOURCES)
	@mkdir -p $(@D)
	tests/rtl/compile_bench $(*F) $@ $(HW_CPU_SOURCES)

# verilated_bench TOP, FLAGS AND SOURCES OF VERILATOR, BENCH, FLAGS OF THE COMPILER: the recipe of a verilated bench. Its C++
# forms one unit with the bench, and -O1 is enough for what runs for seconds: a fifth of the time of file by file with -O2. What
# runs for minutes is one module, too: a quarter faster.
define verilated_bench
@rm -rf $(@D)/verilated && mkdir -p $(@D)/verilated
$(VERILATOR) --cc -O3 --x-assign fast --x-initial fast --noassert -Wno-fatal -Wno-lint -Wno-style -Wno-MULTIDRIVEN \
    $(if $(filter -O2,$(4)),--flatten -fno-table) $(HW_INCLUDE) \
    --top-module $(1) --Mdir $(@D)/verilated $(2) >$(@D)/log 2>&1 || { cat $(@D)/log; exit 1; }
@$(call sim_unit,$(@D)/verilated/*.cpp $(3)) >$(@D)/unit
$(CXX) $(if $(filter -O2,$(4)),$(SIM_CXXFLAGS),$(SIM_CXXFLAGS_O1)) -I$(@D)/verilated -Ihw/protocol $(4) -o $@.new \
    -x c++ $(@D)/unit -x none $(SIM_VERILATOR_OBJECTS) \
    -lsodium -lpthread
@mv $@.new $@
endef

# The rows of tests/disciplines, and what is code of one.
TESTS_DISCIPLINES = tests/disciplines.c $(wildcard tests/disciplines/*/discipline.c)
# Sites of theirs are verilated on demand; whatever else is built knows the product's rows alone.
$(foreach row,$(wildcard tests/disciplines/*/discipline.ini),$(foreach level,fabric site flat,\
    $(eval $(BUILD)/sim/$(level)-$(notdir $(patsubst %/,%,$(dir $(row))))%: private DISCIPLINES = hw tests/disciplines)))

-include $(wildcard tests/*/rules.mk)

## soak: runs the tests with new seeds, round after round, of HEAD in a clone of its own; build/soak/failures
.PHONY: soak
soak: setup
	@tests/soak $(ROUNDS)

.PHONY: nothing
nothing: ;

# Runs a test within its limit and kills what it leaves behind.
$(BUILD)/tests/supervise: tests/supervise.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $<

## test-anywhere: the tests as on other machines: locale, umask, cores, load, order of tests ...; ROUNDS=10, T=, SEED=
.PHONY: test-anywhere
test-anywhere: setup
	@set -f; tests/anywhere $(or $(ROUNDS),10) $(T)

## test: sets up, builds and runs the tests, or those of T=name; SEED=n takes another seed than 1
## test-long: the same at full length, with the tests that take long: all planted bugs, all proofs; for the background
.PHONY: test test-long test-times
test: setup
	@set -f; tests/run $(T)

test-long: SETUP_PACKAGES = long
test-long: setup
	@set -f; tests/run --long $(T)

## test-times: renews tests/times, the processor time of each test, by a run of all of them
test-times: setup
	@tests/run && tests/run --times

# A postroad that knows the disciplines of tests/disciplines too: these rows are linked before those of libsim.a.
WIRE_ROWS = $(HW_DISCIPLINE_ROWS) $(wildcard tests/disciplines/*/discipline.ini)

$(BUILD)/tests/disciplines.c: $(BUILD)/generate_protocol $(WIRE_ROWS)
	@mkdir -p $(@D)
	$(BUILD)/generate_protocol --disciplines $@ $(WIRE_ROWS)

$(BUILD)/objects/tests/disciplines.o $(MEMORY)/objects/tests/disciplines.o: $(BUILD)/tests/disciplines.c
	@mkdir -p $(@D)
	$(CC) $(INCLUDES_sim) $(CFLAGS) -c -o $@ $<

$(eval $(call program,tests/postroad_wire,$(call objects,host-tools/postroad/main.c $(TESTS_DISCIPLINES)) $(POSTROAD_ARCHIVES),\
    $(POSTROAD_LDLIBS)))
