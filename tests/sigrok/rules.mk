# SPDX-License-Identifier: ISC
# tests/sigrok: captures of two board links that talk to each other, for the protocol decoders. The seeds
# are chosen so that the planted bugs show in one of them, but for what rare frames show (test_decoders.sh).

SIGROK_BENCH    = $(BUILD)/tests/sigrok/line_capture.vvp
SIGROK_CAPTURES = $(patsubst %,$(BUILD)/tests/sigrok/%.vcd,clean fast slow few_errors many_errors glitches)

$(SIGROK_BENCH): tests/sigrok/line_capture.v hw/protocol/protocol.vh $(HW_BOARD_LINK_SOURCES)
	@mkdir -p $(@D)
	$(IVERILOG) -g2005 -s line_capture -o $@ -Ihw/protocol -y hw/board_link -y hw/common $<

$(BUILD)/tests/sigrok/fast.vcd: private RUN = +packets=20 +ppm=1000
$(BUILD)/tests/sigrok/slow.vcd: private RUN = +packets=20 +ppm=-1000
$(BUILD)/tests/sigrok/few_errors.vcd: private RUN = +packets=30 +errors=500 +seed=5
$(BUILD)/tests/sigrok/many_errors.vcd: private RUN = +packets=30 +errors=150 +seed=11
$(BUILD)/tests/sigrok/glitches.vcd: private RUN = +packets=10 +glitches=30

# Beside it its log: what the ends sent and took.
$(SIGROK_CAPTURES): $(SIGROK_BENCH) tests/sigrok/rules.mk
	vvp -n $< +out=$@.new $(RUN) >$(@:.vcd=.log)
	@mv $@.new $@

.PHONY: sigrok-captures
sigrok-captures: $(SIGROK_CAPTURES)

SANITIZED_SIGROK = $(patsubst %.c,$(BUILD)/sanitized/%.o,$(wildcard host-tools/sigrok/*.c host-tools/capture/*.c))
SIGROK_TESTS     = $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/sigrok/test_*.c))

$(SIGROK_TESTS): $(SANITIZED_SIGROK)
$(SIGROK_TESTS) $(SIGROK_TESTS:$(BUILD)/tests/%=$(BUILD)/objects/tests/%.o): private CFLAGS += $(SANITIZE)
-include $(SANITIZED_SIGROK:.o=.d)
