# SPDX-License-Identifier: ISC
# Boards that `postroad flash` writes, imitated.

$(foreach name,fake_programmer fake_consoles,$(call tests_program,tests/host-tools/$(name),tests/host-tools/flash/$(name).c))

# A board behind an XVC server; its flash is that of simulated boards.
$(call tests_program,tests/host-tools/fake_jtag,$(wildcard tests/host-tools/fake_jtag/*.c) sim/bitstream/spi_flash.c)

$(BUILD)/tests/host-tools/real_ttys.so: tests/host-tools/flash/real_ttys.c
	@mkdir -p $(@D)
	$(CC) -std=c11 -Wall -Wextra -Werror -fPIC -shared -o $@ $< -ldl

## soak-flash: ends postroad flash at 100 random moments; ROUNDS=, SEED=
.PHONY: soak-flash
soak-flash: $(BUILD)/postroad $(FIRMWARE_DIR)/node.elf \
    $(patsubst %,$(BUILD)/tests/host-tools/%,fake_programmer fake_consoles real_ttys.so)
	ROUNDS=$(or $(ROUNDS),100) SEED=$(or $(SEED),1) tests/host-tools/test_flash_kill.sh

# The imitated boot programs of locked boards check signatures as the verifier does.
$(BUILD)/tests/host-tools/pty_nodes $(MEMORY)/tests/host-tools/pty_nodes: \
    $(call objects,firmware/verifier/sha512.c firmware/verifier/signature.c) $(BUILD)/tests/host-tools/monocypher.o
$(BUILD)/tests/host-tools/monocypher.o: $(MONOCYPHER)/monocypher.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -c -o $@ $<
