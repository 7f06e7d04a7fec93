# SPDX-License-Identifier: ISC
# tests/capture: captures of logic analysers, written and read.

CAPTURE_TOOL = $(BUILD)/tests/capture/capture_tool
$(call tests_program,tests/capture/capture_tool,tests/capture/capture_tool/capture_tool.c)
