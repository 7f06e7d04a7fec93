# SPDX-License-Identifier: ISC
# Boards that `postroad flash` writes, imitated.

$(foreach name,fake_programmer fake_consoles,$(call tests_program,tests/host-tools/$(name),tests/host-tools/flash/$(name).c))

$(BUILD)/tests/host-tools/real_ttys.so: tests/host-tools/flash/real_ttys.c
	@mkdir -p $(@D)
	$(CC) -std=c11 -Wall -Wextra -Werror -fPIC -shared -o $@ $< -ldl
