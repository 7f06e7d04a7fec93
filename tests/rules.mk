# tests: what tests/run needs built. An archive an area of all that is not a main program; a test in C links those of
# its own area and of the areas below it, and the other sources of its own folder.

TESTS_SOURCES_firmware   = $(wildcard firmware/operator/*.c firmware/platform/native/*.c)
TESTS_SOURCES_sim        = $(wildcard sim/common/*.c sim/rtl/*.c sim/batch/*.c)
TESTS_SOURCES_host-tools = $(wildcard host-tools/library/*.c)
TESTS_AREAS              = host-tools sim firmware
# Which archives the tests of a folder link; those of any other folder link all.
TESTS_AREAS_firmware     = firmware
TESTS_AREAS_sim          = sim firmware

TESTS_PROGRAMS = $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/*/test_*.c))
TESTS_BENCHES  = $(patsubst tests/%.v,$(BUILD)/tests/%.vvp,$(wildcard tests/rtl/*_tb.v))
TESTS_LDLIBS   = -lcjson -linih -lm -ldl -lpthread

tests_objects = $(patsubst %.c,$(BUILD)/tests/objects/%.o,$(filter-out %/main.c,$(1)))
tests_archives = $(patsubst %,$(BUILD)/tests/%.a,$(or $(TESTS_AREAS_$(1)),$(TESTS_AREAS)))

$(BUILD)/tests/objects/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(CPPFLAGS) -MMD -MP -c $< -o $@

$(foreach area,$(TESTS_AREAS),$(eval $(BUILD)/tests/$(area).a: $(call tests_objects,$(TESTS_SOURCES_$(area)))))
$(TESTS_AREAS:%=$(BUILD)/tests/%.a):
	@rm -f $@.new
	ar rcs $@.new $^
	@mv $@.new $@

# The sources beside a test that are no tests themselves.
tests_helpers = $(call tests_objects,$(filter-out tests/$(1)/test_%,$(wildcard tests/$(1)/*.c)))

.SECONDEXPANSION:
$(TESTS_PROGRAMS): $(BUILD)/tests/%: $(BUILD)/tests/objects/tests/%.o $$(call tests_helpers,$$(*D)) \
    $$(call tests_archives,$$(*D))
	$(CC) $(CFLAGS) -o $@ $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(TESTS_LDLIBS)

# Warnings are the business of `make lint`.
TESTS_HARDWARE = $(wildcard hw/*/*.v hw/protocol/*.vh tests/rtl/*.v tests/rtl/*.vh)
$(TESTS_BENCHES): $(BUILD)/tests/%.vvp: tests/%.v $(TESTS_HARDWARE) $(HW_CPU_SOURCES)
	@mkdir -p $(@D)
	$(IVERILOG) -g2005 -s $(*F) -o $@ -Ihw/protocol -Itests/rtl -y hw/common -y hw/cutthrough -y hw/soc -y hw/mesh \
	    -y tests/rtl $< $(HW_CPU_SOURCES)

-include $(shell find $(BUILD)/tests/objects -name '*.d' 2>/dev/null)

## test: sets up, builds and runs all tests, or those of T=name; SEED=n replays a run
.PHONY: test
test: setup
	@JOBS=2 tests/run $(T)
