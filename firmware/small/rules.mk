# SPDX-License-Identifier: ISC
# Images of the small operator, for sites with 8 KB of RAM: build/firmware/small-NAME.elf, .hex, .map. README.md has what each is.

# Words of a buffer (a mesh's max_packet must fit), sites of the largest reliable mesh.
SMALL_PACKET_WORDS ?= 56
SMALL_SITES_MAX    ?= 64
# Bytes: RAM of the site, the stack.
SMALL_RAM_BYTES    ?= 8192
SMALL_STACK_BYTES  ?= 256

# What each image is (config.h), its receive buffers, the application in it, and the bytes of the console's output and input.
SMALL_IMAGES   = small-reliable small-receiver small-raw
small-reliable = RELIABLE=1 SENDS=1 CONSOLE=0 BUFFERS=5 OUTPUT_BYTES=1 INPUT_BYTES=1
small-receiver = RELIABLE=1 SENDS=0 CONSOLE=1 BUFFERS=4 OUTPUT_BYTES=244 INPUT_BYTES=40
small-raw      = RELIABLE=0 SENDS=1 CONSOLE=1 BUFFERS=5 OUTPUT_BYTES=480 INPUT_BYTES=240
small-reliable_APPLICATION = firmware/small/applications/echo.c
small-receiver_APPLICATION = firmware/small/applications/none.c
small-raw_APPLICATION      = firmware/small/applications/none.c

SMALL_SIZES    = PACKET_WORDS=$(SMALL_PACKET_WORDS) SITES_MAX=$(SMALL_SITES_MAX) RAM_BYTES=$(SMALL_RAM_BYTES)
# An image may name its own number of sites.
SMALL_DEFINES  = $(patsubst %,-DPR_SMALL_%,$($(1)) $(filter-out $(if $(findstring SITES_MAX,$($(1))),SITES_MAX=%),$(SMALL_SIZES)))
SMALL_SOURCES  = $(wildcard firmware/small/*.c) $(patsubst %,firmware/wire/%.c,envelope cobs crc16 payload)
SMALL_HEADERS  = $(wildcard firmware/small/*.h firmware/wire/*.h firmware/drivers/*.h firmware/platform/*.h hw/protocol/*.h)
SMALL_SCRIPT   = firmware/small/small.ld

# All for size: -msave-restore saves 100 bytes, and leaving out these three optimisations 200.
# A ring of 8 has room for all packets of a small image.
SMALL_CFLAGS   = -march=rv32i -misa-spec=2.2 -mabi=ilp32 -mcmodel=medlow -mstrict-align -std=c11 -Os -flto -flto-partition=one \
                 -fno-tree-loop-optimize -fno-move-loop-invariants -fno-tree-fre -fno-tree-loop-distribute-patterns \
                 -fno-store-merging -fno-jump-tables -msave-restore -gdwarf-4 -Wall -Wextra -Werror -ffunction-sections \
                 -fdata-sections --specs=picolibc.specs -DPR_RINGS_SEND_LOG2=3
SMALL_LDFLAGS  = -nostartfiles -T $(SMALL_SCRIPT) -Wl,--gc-sections -Wl,--no-warn-rwx-segments \
                 -Wl,--defsym=__site_ram=$(SMALL_RAM_BYTES) -Wl,--defsym=__stack_size=$(SMALL_STACK_BYTES)

FIRMWARE_IMAGES += $(SMALL_IMAGES:%=$(FIRMWARE_DIR)/%.elf) $(SMALL_IMAGES:%=$(FIRMWARE_DIR)/%.hex)

# An image depends on the sizes that it was built with.
SMALL_SETTINGS = $(foreach image,$(SMALL_IMAGES),$(call SMALL_DEFINES,$(image))) $(SMALL_STACK_BYTES)
$(FIRMWARE_DIR)/small-settings: FORCE
	@mkdir -p $(@D)
	@echo '$(SMALL_SETTINGS)' | cmp -s - $@ || echo '$(SMALL_SETTINGS)' >$@

# One unit each: the compiler sees what an image leaves out.
define small_link
$(FIRMWARE_DIR)/$(1).elf: firmware/small/start.S $(SMALL_SOURCES) $($(1)_APPLICATION) \
    $(SMALL_HEADERS) $(SMALL_SCRIPT) $(FIRMWARE_DIR)/small-settings
	$(CROSS)gcc $(SMALL_CFLAGS) $(INCLUDES_hw) -Ifirmware $(call SMALL_DEFINES,$(1)) $(SMALL_LDFLAGS) \
	    -Wl,-Map=$(FIRMWARE_DIR)/$(1).map -o $$@ $$(filter %.S %.c,$$^)
endef
$(foreach image,$(SMALL_IMAGES),$(eval $(call small_link,$(image))))
