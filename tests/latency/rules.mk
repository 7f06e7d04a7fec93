# SPDX-License-Identifier: ISC
# The decoder and the analysis are tested with the sanitizers; the coverage, which takes much arithmetic, without.
SANITIZED_LATENCY = $(patsubst %.c,$(BUILD)/sanitized/%.o,$(wildcard host-tools/latency/*.c))
LATENCY_TESTS     = $(addprefix $(BUILD)/tests/latency/,test_lines test_lines_fuzz test_packet_ways test_strobes)

$(LATENCY_TESTS): $(SANITIZED_LATENCY)
$(LATENCY_TESTS) $(LATENCY_TESTS:$(BUILD)/tests/%=$(BUILD)/objects/tests/%.o): private CFLAGS += $(SANITIZE)
-include $(SANITIZED_LATENCY:.o=.d)

## latency-coverage: how often the intervals of `postroad latency` contain the truth: 1000 random captures a scenario (10 minutes)
.PHONY: latency-coverage
latency-coverage: $(BUILD)/tests/latency/test_coverage
	EXPERIMENTS=1000 $<

$(call tests_program,tests/latency/make_capture,$(addprefix tests/,latency/make_capture/make_capture.c latency/line_capture.c \
    check.c))
