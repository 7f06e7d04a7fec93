# SPDX-License-Identifier: ISC
# tests/bench: what `make paper-...`, `make bench` and `make figures` measure with.

## paper-storage: measures where storage runs out, pool size against load and multicast share (10 minutes)
.PHONY: paper-storage
paper-storage: $(BUILD)/postroad
	tests/bench/storage >$(BUILD)/storage.md.new
	mv $(BUILD)/storage.md.new tests/bench/results/storage.md

## paper-reliable: measures the reliable service: storage, faults, price, waits (5 minutes; PACKETS=1000000: a day)
.PHONY: paper-reliable
paper-reliable: $(BUILD)/postroad
	tests/bench/reliable >$(BUILD)/reliable.md.new
	mv $(BUILD)/reliable.md.new tests/bench/results/reliable.md

## paper-claims: tries the claims of the August 1987 paper: routing, cut-through, buffers, time-outs, multicast (a minute)
.PHONY: paper-claims
paper-claims: $(BUILD)/postroad
	tests/bench/claims >$(BUILD)/claims.md.new
	mv $(BUILD)/claims.md.new tests/bench/results/claims.md

# The exact figures of the kit.
FIGURES = $(BUILD)/tests/bench/figures
$(call tests_program,tests/bench/figures,$(wildcard tests/bench/*.c))

# The bench of sites under QEMU.
GUESTS = $(BUILD)/tests/bench/guests/guests
$(call tests_program,tests/bench/guests/guests,tests/bench/guests/main.c)
$(GUESTS): | $(BUILD)/firmware/node.elf $(BUILD)/firmware/stream.elf

## bench: measures clocks and words (exact), and the simulator's speed; writes build/bench.json (5 minutes)
.PHONY: bench
bench: $(FIGURES) $(GUESTS) $(BUILD)/postroad $(BUILD)/firmware/node.hex
	@tests/bench/bench

## figures: measures the exact figures again and writes tests/bench/results/figures.csv and figures.md (2 minutes)
.PHONY: figures
figures: $(FIGURES) $(BUILD)/firmware/node.hex
	$(FIGURES) --csv $(BUILD)/figures.csv >$(BUILD)/figures.md
	mv $(BUILD)/figures.csv $(BUILD)/figures.md tests/bench/results
