# SPDX-License-Identifier: ISC
# tests/capture: captures of logic analysers, written and read. Both are tested with the sanitizers.

CAPTURE_TOOL = $(BUILD)/tests/capture/capture_tool
$(call tests_program,tests/capture/capture_tool,tests/capture/capture_tool/capture_tool.c)

SANITIZED_CAPTURE = $(patsubst %.c,$(BUILD)/sanitized/%.o,$(wildcard sim/analyser/*.c host-tools/capture/*.c))
CAPTURE_TESTS     = $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/capture/test_*.c))

$(CAPTURE_TESTS): $(SANITIZED_CAPTURE) $(SANITIZED_MODEL)
$(CAPTURE_TESTS) $(CAPTURE_TESTS:$(BUILD)/tests/%=$(BUILD)/objects/tests/%.o): private CFLAGS += $(SANITIZE)
-include $(SANITIZED_CAPTURE:.o=.d)

## capture-large: captures of a thousand million samples and of a gigabyte of text are read in seconds and 64 MB
.PHONY: capture-large
capture-large: $(CAPTURE_TOOL)
	@LARGE=1 tests/capture/test_capture_memory.sh
