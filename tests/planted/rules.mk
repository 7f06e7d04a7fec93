# SPDX-License-Identifier: ISC
# tests/planted: what the planted bugs of C sources are judged with.

# The functional simulator as objects that are linked in no time.
PLANTED_FUNCTIONAL = $(patsubst %.c,$(BUILD)/plain/%.o,$(wildcard sim/functional/*.c))
$(BUILD)/plain/%.o: %.c | $(FIRMWARE_CONFIG)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<
-include $(PLANTED_FUNCTIONAL:.o=.d)

.PHONY: planted-needs
planted-needs: $(PLANTED_FUNCTIONAL)
