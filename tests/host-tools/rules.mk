# SPDX-License-Identifier: ISC
# Imitated boards, and what is around them. Programs open the ptys through real_ttys.so, in place of what umockdev has of them.
$(call tests_program,tests/host-tools/imitate,$(filter-out %/real_ttys.c,$(wildcard tests/host-tools/imitate/*.c)) \
    sim/bitstream/spi_flash.c)

$(BUILD)/tests/host-tools/real_ttys.so: tests/host-tools/imitate/real_ttys.c
	@mkdir -p $(@D)
	$(CC) -std=c11 -Wall -Wextra -Werror -fPIC -shared -o $@ $< -ldl

# USB devices that are not there, for the real programmers.
USB_DEVICES := $(wildcard tests/host-tools/usb/*.c) $(addprefix tests/host-tools/imitate/,jtag_tap.c ecp5.c parts.c) \
    sim/bitstream/spi_flash.c
$(BUILD)/tests/host-tools/usb.so: $(USB_DEVICES) tests/host-tools/usb/usb.h $(wildcard tests/host-tools/imitate/*.h) \
    sim/bitstream/spi_flash.h
	@mkdir -p $(@D)
	$(CC) -std=c11 -O2 -Wall -Wextra -Werror -fPIC -shared -fvisibility=hidden -Isim -o $@ $(USB_DEVICES) -ldl

## soak-desk: 1000 steps of what people do with eight boards, two at a time, each verdict compared with the flashes; STEPS=, SEED=
.PHONY: soak-desk
soak-desk: $(BUILD)/postroad $(FIRMWARE_DIR)/node.elf $(IMITATE)
	STEPS=$(or $(STEPS),1000) SEED=$(or $(SEED),1) tests/host-tools/test_desk.sh

$(VENV)/newest.done: tests/host-tools/newest_requirements.txt | $(CPU_VEXRISCV)
	source host-tools/setup/venv.bash && pip_install $(VENV) $<
	@touch $@

## soak-flash: ends postroad flash at 100 random moments; ROUNDS=, SEED=
.PHONY: soak-flash
soak-flash: $(BUILD)/postroad $(FIRMWARE_DIR)/node.elf $(IMITATE)
	ROUNDS=$(or $(ROUNDS),100) SEED=$(or $(SEED),1) tests/host-tools/test_flash_kill.sh

# The imitated boot programs of locked boards check signatures as the verifier does.
$(BUILD)/tests/host-tools/imitate $(MEMORY)/tests/host-tools/imitate: \
    $(call objects,firmware/verifier/sha512.c firmware/verifier/signature.c) $(BUILD)/tests/host-tools/monocypher.o
$(BUILD)/tests/host-tools/monocypher.o: $(MONOCYPHER)/monocypher.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -c -o $@ $<
