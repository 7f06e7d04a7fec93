# SPDX-License-Identifier: ISC

# The functional simulator for programs with planted bugs, as objects that are linked in no time.
PLANTED_FUNCTIONAL = $(patsubst %.c,$(BUILD)/plain/%.o,$(wildcard sim/functional/*.c))
$(BUILD)/plain/%.o: %.c | $(FIRMWARE_CONFIG)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<
-include $(PLANTED_FUNCTIONAL:.o=.d)

.PHONY: planted-needs
planted-needs: $(PLANTED_FUNCTIONAL)

## faults: plants every bug of tests/planted, and shows that a check catches each
.PHONY: faults
faults: all setup-tools
	tests/plant

## mutation: draws wrong gates and wrong lines of the hardware, and shows which check notices (tests/bench/results/mutation*.md)
.PHONY: mutation
mutation: setup-tools
	tests/planted/mutation_table
	tests/planted/mutate_lines -w
