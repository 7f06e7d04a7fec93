# SPDX-License-Identifier: ISC
# The decoder and the analysis are tested with the sanitizers; the coverage, which takes much arithmetic, without.
SANITIZED_LATENCY = $(patsubst %.c,$(BUILD)/sanitized/%.o,$(wildcard host-tools/latency/*.c))
LATENCY_TESTS     = $(addprefix $(BUILD)/tests/latency/,test_lines test_lines_fuzz test_packet_ways test_strobes)

$(LATENCY_TESTS): $(SANITIZED_LATENCY)
$(LATENCY_TESTS) $(LATENCY_TESTS:$(BUILD)/tests/%=$(BUILD)/objects/tests/%.o): private CFLAGS += $(SANITIZE)
-include $(SANITIZED_LATENCY:.o=.d)

## latency-coverage: how often intervals of `postroad latency` have the truth: tests/latency/coverage_*.csv (40 minutes)
.PHONY: latency-coverage
latency-coverage: $(BUILD)/tests/latency/test_coverage
	SEED=1 EXPERIMENTS=1000 $< >$(BUILD)/coverage
	sed -n '/^rate/,/^$$/ { /./ p; }' $(BUILD)/coverage >tests/latency/coverage_lines.csv
	sed -n '/^file/,/^latency coverage/ { /^latency coverage/! p; }' $(BUILD)/coverage >tests/latency/coverage_files.csv

$(call tests_program,tests/latency/make_capture,$(addprefix tests/,latency/make_capture/make_capture.c latency/line_capture.c \
    check.c))
