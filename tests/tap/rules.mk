# SPDX-License-Identifier: ISC
# What reads frames and packets of others is tested with the sanitizers.
SANITIZED_TAP = $(patsubst %.c,$(BUILD)/sanitized/%.o,$(wildcard host-tools/tap/*.c))
TAP_TESTS     = $(addprefix $(BUILD)/tests/tap/,test_lan test_lan_fuzz)

$(TAP_TESTS): $(SANITIZED_TAP)
$(TAP_TESTS) $(TAP_TESTS:$(BUILD)/tests/%=$(BUILD)/objects/tests/%.o): private CFLAGS += $(SANITIZE)
-include $(SANITIZED_TAP:.o=.d)
