# SPDX-License-Identifier: ISC
# tests/system: what `make lint` checks besides the Verilog.

# What a shell runs: by its first line, or its name.
LINT_SCRIPTS = $(shell { git grep -lE '^\#!.*\<(ba)?sh$$' -- . ':!*.md'; git ls-files '*.bash'; })
# What the generator writes is left as it is.
LINT_FORMAT  = $(filter-out hw/protocol/protocol.h hw/protocol/console_protocol.h hw/protocol/straps.h,\
    $(shell git ls-files "*.[ch]" "*.cpp"))
# The layers are checked in objects of all C but that of tests for a core, natively where that can be. An image of the small
# operator is one unit, and so is the boot program: their sources are compiled for lint alone, with all that an image may have.
LINT_TESTS   = $(filter-out $(wildcard tests/firmware/*/*.c) tests/rtl/%,$(wildcard tests/*.c tests/*/*.c tests/*/*/*.c))
LINT_OBJECTS = $(call objects,$(NATIVE_SOURCES) $(LINT_TESTS) $(wildcard firmware/verifier/*.c) \
    $(wildcard hw/*/*/*.c sim/*/*.c boards/*/*.c host-tools/*/*.c host-tools/*/*/*.c)) \
    $(FIRMWARE_COMMON) $(patsubst %.c,$(FIRMWARE_DIR)/objects/%.o,$(wildcard firmware/apps/*/*.c))
LINT_UNITS   = $(patsubst %.c,$(FIRMWARE_DIR)/units/%.o,$(wildcard firmware/small/*.c firmware/small/*/*.c firmware/boot/*.c))
LINT_IMAGE   = RELIABLE=1 SENDS=1 CONSOLE=1 BUFFERS=4 OUTPUT_BYTES=240 INPUT_BYTES=40

$(LINT_UNITS): $(FIRMWARE_DIR)/units/%.o: %.c | $(FIRMWARE_CONFIG)
	@mkdir -p $(@D)
	$(CROSS)gcc $(filter-out -flto%,$(SMALL_CFLAGS)) $(CPPFLAGS) $(call SMALL_DEFINES,LINT_IMAGE) -MMD -MP -c -o $@ $<
-include $(LINT_UNITS:.o=.d)

## lint: warnings of the RTL, shellcheck, clang-format, the layers of the tree, the rules of the house on all text
.PHONY: lint lint-scripts lint-format lint-layers lint-text
lint: lint-scripts lint-format lint-layers lint-text

lint-scripts:
	shellcheck --severity=warning --external-sources --source-path=SCRIPTDIR $(LINT_SCRIPTS)

lint-format:
	@clang-format --dry-run -Werror $(LINT_FORMAT)

# What nested calls of make lint find already made when tests run.
.PHONY: lint-objects
lint-objects: $(LINT_OBJECTS) $(LINT_UNITS)

lint-layers: lint-objects
	tests/system/check_layers nm $(BUILD)/objects $(CROSS)nm $(FIRMWARE_DIR)/objects $(CROSS)nm $(FIRMWARE_DIR)/units
	tests/system/check_unused nm $(BUILD)/objects

lint-text:
	tests/system/check_text
	tests/system/check_rows
