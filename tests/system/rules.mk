# SPDX-License-Identifier: ISC
# tests/system: what `make lint` checks besides the Verilog.

# What a shell runs: by its first line, or its name.
LINT_SCRIPTS = $(shell git grep -lE '^\#!.*\<(ba)?sh$$' -- . ':!*.md') $(shell git ls-files '*.bash')
# What the generator writes is left as it is.
LINT_FORMAT  = $(filter-out hw/protocol/protocol.h hw/protocol/console_protocol.h hw/protocol/straps.h,\
    $(shell git ls-files "*.[ch]" "*.cpp"))
# The layers are checked in the objects of all areas but the tests.
LINT_OBJECTS = $(call objects,$(NATIVE_SOURCES) $(wildcard hw/*/*/*.c sim/*/*.c host-tools/*/*.c))

## lint: warnings of the RTL, shellcheck, clang-format, the layers of the tree, the rules of the house on all text
.PHONY: lint lint-scripts lint-format lint-layers lint-text
lint: lint-scripts lint-format lint-layers lint-text

lint-scripts:
	shellcheck --severity=warning --external-sources --source-path=SCRIPTDIR $(LINT_SCRIPTS)

lint-format:
	@clang-format --dry-run -Werror $(LINT_FORMAT)

# What nested calls of make lint find already made when tests run.
.PHONY: lint-objects
lint-objects: $(LINT_OBJECTS) $(FIRMWARE_COMMON)

lint-layers: lint-objects
	tests/system/check_layers nm $(BUILD)/objects $(CROSS)nm $(FIRMWARE_DIR)/objects

lint-text:
	tests/system/check_text
