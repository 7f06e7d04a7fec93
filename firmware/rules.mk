# SPDX-License-Identifier: ISC
# Firmware: the operator library natively (build/libfirmware.a), and images for the node's core.

# Sizes of the images: buffers in a node's pool, words of one buffer (a mesh's max_packet must fit), a node's own packets that
# may wait for acknowledgements, and sites of the largest reliable mesh. Natively the caller gives all sizes at run time.
POOL_SIZE    ?= 23
PACKET_WORDS ?= 128
WINDOW       ?= 8
SITES_MAX    ?= 64
# Budgets in bytes: the link of an image that exceeds them fails. The rest of RAM_BYTES is free for an application.
RAM_BYTES    ?= 65536
TEXT_BUDGET  ?= 39648
RAM_BUDGET   ?= 23584
STACK_BYTES  ?= 2048
# What an application outside of this tree has more for text. Behind it, it gets all RAM up to that of the boot program.
APPLICATION_TEXT = 1344
# Bytes of RAM that are the boot program's, and place of the verifier.
load_limit = $(shell awk '/^\[/ { limits = $$0 == "[load limits]" } limits && $$1 == "$(1)" { print $$3 }' hw/protocol/packet.ini)
LOAD_RESERVED := $(call load_limit,reserved)
LOAD_VERIFIER := $(call load_limit,verifier)

INCLUDES_firmware = $(INCLUDES_hw) -Ifirmware -I$(dir $(FIRMWARE_CONFIG))
FIRMWARE_APPS    = node hello traffic $(LARGE_APPS)
LARGE_APPS       = group_node replicated_log
OPERATOR_SOURCES = $(wildcard firmware/operator/*.c firmware/console/*.c) \
    $(filter-out %/console_frame.c %/console_messages.c,$(wildcard firmware/wire/*.c))
NATIVE_SOURCES   = $(wildcard firmware/operator/*.c firmware/multicast/*.c firmware/traffic/*.c firmware/console/*.c \
    firmware/wire/*.c)
NATIVE_LIBRARY   = $(BUILD)/libfirmware.a

$(NATIVE_LIBRARY): $(call objects,$(NATIVE_SOURCES))

# -misa-spec=2.2: csr instructions belong to RV32I. With _zicsr in -march, Debian's gcc would link libraries for RV64.
# The budgets give the addresses of this layout: text (and the image of .data), then .data, .bss and the stack.
# -O2 saves a third of the operator's time. The console waits for its bytes anyway, so it is built for size.
# The cores take aligned accesses only. They stall on a result that is not ready: -mtune puts other instructions between.
FIRMWARE_FLAGS   = -march=rv32i -misa-spec=2.2 -mabi=ilp32 -mcmodel=medany -mstrict-align -mtune=sifive-7-series
# -fno-tree-loop-distribute-patterns: loops over words stay loops, since picolibc's memcpy moves single bytes.
# -flto: one unit is a tenth faster and smaller. -ffat-lto-objects: applications may be linked without LTO.
# -gdwarf-4: addr2line cannot resolve all files of an LTO unit with DWARF 5.
# -fno-store-merging: merging half-word stores needs shifts, which cost one clock per bit.
# Without these three, which copy code into both ways of a branch or join it again, text is 2 % smaller and a packet is sent
# on in 16 clocks less: -fno-tree-dominator-opts -fno-tree-tail-merge -fno-tree-ch.
# Debug information counts for the build id: the same sources in another folder have the same.
# -frandom-seed, in the rule of objects: names of LTO sections have a random part, and a library is the same at each build.
FIRMWARE_PREFIX_MAP = -fdebug-prefix-map=$(CURDIR)=.
FIRMWARE_CFLAGS  = -std=c11 -O2 -flto -flto-partition=one -ffat-lto-objects -fno-tree-loop-distribute-patterns \
                   -fno-tree-slp-vectorize -fno-store-merging -fno-tree-dominator-opts -fno-tree-tail-merge -fno-tree-ch \
                   -gdwarf-4 -Wall -Wextra -Werror \
                   -ffunction-sections -fdata-sections --specs=picolibc.specs $(FIRMWARE_PREFIX_MAP)
FIRMWARE_SCRIPT  = firmware/platform/postroad.ld
FIRMWARE_LINKING = -gdwarf-4 --crt0=minimal -Wl,--gc-sections -Wl,--no-warn-rwx-segments -Wl,--build-id=sha1 $(\
                   )-Wl,--defsym=__stack_size=$(STACK_BYTES) -Wl,--defsym=__site_ram=$(RAM_BYTES) $(\
                   )-Wl,--defsym=__load_reserved=$(LOAD_RESERVED)
FIRMWARE_LDFLAGS = --specs=picolibc.specs -T $(FIRMWARE_SCRIPT) $(FIRMWARE_LINKING) $(FIRMWARE_PREFIX_MAP) \
                   -Wl,--defsym=__text_budget=$(TEXT_BUDGET) -Wl,--defsym=__ram_budget=$(RAM_BUDGET)
FIRMWARE_DIR     = $(BUILD)/firmware
FIRMWARE_COMMON_SOURCES = $(OPERATOR_SOURCES) \
    $(wildcard firmware/multicast/*.c firmware/traffic/*.c firmware/platform/*.[cS] firmware/platform/soc/*.c \
    firmware/platform/qemu/*.c)
FIRMWARE_COMMON = $(patsubst %,$(FIRMWARE_DIR)/objects/%.o,$(basename $(FIRMWARE_COMMON_SOURCES)))
FIRMWARE_IMAGES = $(FIRMWARE_APPS:%=$(FIRMWARE_DIR)/%.elf) $(FIRMWARE_APPS:%=$(FIRMWARE_DIR)/%.hex)

include firmware/small/rules.mk

## firmware: the images of firmware/apps and firmware/small in build/firmware (.elf, .hex, .map), and their sizes
.PHONY: firmware
firmware: $(FIRMWARE_IMAGES)
	$(CROSS)size $(filter %.elf,$(FIRMWARE_IMAGES))

# The sizes, for every source that needs one, both in the tree and installed. A simulation that builds a set calls make too,
# beside another make perhaps: the file is replaced only if it differs, and in one step. That is found out here, so that
# `make -q` of what depends on it says that nothing is to be done. The Makefile sets FIRMWARE_CONFIG.
define FIRMWARE_CONFIG_TEXT
/* Sizes with which this firmware was built. Written by make (firmware/rules.mk); an application takes them as they are.
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CONFIG_H
#define POSTROAD_CONFIG_H

#define PR_POOL_SIZE    $(POOL_SIZE) /* packet buffers of a node */
#define PR_PACKET_WORDS $(PACKET_WORDS) /* words of one buffer: the longest packet */
#define PR_WINDOW       $(WINDOW) /* packets of a site's own that may wait for acknowledgements */
#define PR_SITES_MAX    $(SITES_MAX) /* sites of the largest mesh with the reliable service */
#define PR_RAM_BYTES    $(RAM_BYTES) /* RAM of a site */

#endif
endef
FIRMWARE_CONFIG_WANTED := $(FIRMWARE_CONFIG_TEXT)
# Both stripped: make 4.3 leaves the last newline of a file, or takes it, with the length of the file.
FIRMWARE_CONFIG_HAS    := $(strip $(FIRMWARE_CONFIG_WANTED))
FIRMWARE_CONFIG_THERE  := $(strip $(file <$(FIRMWARE_CONFIG)))
$(FIRMWARE_CONFIG): export FIRMWARE_CONFIG_TEXT := $(FIRMWARE_CONFIG_WANTED)
$(FIRMWARE_CONFIG): $(if $(subst $(FIRMWARE_CONFIG_HAS),,$(FIRMWARE_CONFIG_THERE))$(subst \
    $(FIRMWARE_CONFIG_THERE),,$(FIRMWARE_CONFIG_HAS)),FORCE)
	@mkdir -p $(@D)
	@printf '%s\n' "$$FIRMWARE_CONFIG_TEXT" | cmp -s - $@ || \
	    { printf '%s\n' "$$FIRMWARE_CONFIG_TEXT" >$@.$$$$ && mv $@.$$$$ $@; }

# Every image depends on the budgets that it was linked with.
FIRMWARE_SETTINGS = $(RAM_BYTES) $(TEXT_BUDGET) $(RAM_BUDGET) $(STACK_BYTES)
$(FIRMWARE_DIR)/settings: FORCE
	@mkdir -p $(@D)
	@echo '$(FIRMWARE_SETTINGS)' | cmp -s - $@ || echo '$(FIRMWARE_SETTINGS)' >$@
.PHONY: FORCE
FORCE:

$(FIRMWARE_DIR)/objects/%.o: %.c | $(FIRMWARE_CONFIG)
	@mkdir -p $(@D)
	$(CROSS)gcc $(FIRMWARE_FLAGS) $(CPPFLAGS) $(FIRMWARE_CFLAGS) -frandom-seed=$< -MMD -MP -c -o $@ $<

# These objects are built for size: code that waits for a UART's bytes, code that runs rarely, and code that no core runs.
$(FIRMWARE_DIR)/objects/firmware/console/%.o $(FIRMWARE_DIR)/objects/firmware/multicast/%.o \
$(FIRMWARE_DIR)/objects/firmware/platform/qemu/%.o \
$(patsubst %,$(FIRMWARE_DIR)/objects/firmware/operator/%.o,restart groups scout target_list ways relays \
    relay_acknowledge) \
$(FIRMWARE_DIR)/objects/firmware/wire/payload.o: private FIRMWARE_CFLAGS += -Os

$(FIRMWARE_DIR)/objects/%.o: %.S
	@mkdir -p $(@D)
	$(CROSS)gcc $(FIRMWARE_FLAGS) -c -o $@ $<

# All objects except the applications'. An image links the members that it uses.
FIRMWARE_LIBRARY = $(FIRMWARE_DIR)/libpostroad.a
$(FIRMWARE_LIBRARY): $(FIRMWARE_COMMON)
	@rm -f $@
	$(CROSS)ar rcs $@ $^

# firmware_link APP, FOLDER: the image APP of the sources in FOLDER/APP.
define firmware_link
$(FIRMWARE_DIR)/$(1).elf: $(patsubst %.c,$(FIRMWARE_DIR)/objects/%.o,$(wildcard $(2)/$(1)/*.c)) \
    $(FIRMWARE_LIBRARY) $(FIRMWARE_SCRIPT) $(FIRMWARE_DIR)/settings
	$(CROSS)gcc $(FIRMWARE_FLAGS) $$(FIRMWARE_LDFLAGS) -Wl,-Map=$(FIRMWARE_DIR)/$(1).map -o $$@ $$(filter %.o,$$^) $$(filter %.a,$$^)
endef
$(foreach app,$(FIRMWARE_APPS),$(eval $(call firmware_link,$(app),firmware/apps)))
LARGE_IMAGES = $(patsubst %,$(FIRMWARE_DIR)/%.elf,$(LARGE_APPS))
$(LARGE_IMAGES): private RAM_BYTES = 131072
$(LARGE_IMAGES): private TEXT_BUDGET = 64768
$(LARGE_IMAGES): private RAM_BUDGET = 57088
# As much together as the node's. The evaluator's text takes the place of three buffers.
$(FIRMWARE_DIR)/traffic.elf: private TEXT_BUDGET = 41920
$(FIRMWARE_DIR)/traffic.elf: private RAM_BUDGET = 21312

# For applications outside of this tree: the library, and flags for pkg-config. The .pc file locates the other files relative
# to itself, both in the tree and installed. The RAM that the node leaves free is for the application's text.
FIRMWARE_PC      = $(BUILD)/pkgconfig/postroad-firmware.pc
FIRMWARE_PC_INSTALLED = $(FIRMWARE_DIR)/postroad-firmware.pc
FIRMWARE_PACKAGE = $(FIRMWARE_LIBRARY) $(FIRMWARE_PC) $(FIRMWARE_PC_INSTALLED)

## firmware-library: what applications outside of this tree build with: the library, and a .pc in build/pkgconfig
.PHONY: firmware-library
firmware-library: $(FIRMWARE_PACKAGE)

# Folders relative to the .pc file, which lies two folders below the top, both in the tree and installed.
FIRMWARE_PC_TOP = \$${pcfiledir}/../..
$(FIRMWARE_PC): pc_headers = $(addprefix -I$(FIRMWARE_PC_TOP)/,firmware hw/protocol $(patsubst %/,%,$(dir $(FIRMWARE_CONFIG))))
$(FIRMWARE_PC): pc_library = $(FIRMWARE_PC_TOP)/$(FIRMWARE_DIR)
$(FIRMWARE_PC): pc_script = $(FIRMWARE_PC_TOP)/$(FIRMWARE_SCRIPT)
$(FIRMWARE_PC_INSTALLED): pc_headers = -I$(FIRMWARE_PC_TOP)/include/postroad
$(FIRMWARE_PC_INSTALLED): pc_library = $(FIRMWARE_PC_TOP)/lib/postroad/firmware
$(FIRMWARE_PC_INSTALLED): pc_script = $(FIRMWARE_PC_TOP)/lib/postroad/firmware/$(notdir $(FIRMWARE_SCRIPT))

$(FIRMWARE_PC) $(FIRMWARE_PC_INSTALLED): Makefile firmware/rules.mk $(FIRMWARE_DIR)/settings
	@mkdir -p $(@D)
	@printf '%s\n' 'Name: postroad-firmware' 'Description: firmware of Postroad sites: operator, drivers, platform' \
	    "Version: $(VERSION)" \
	    "Cflags: $(FIRMWARE_FLAGS) --specs=picolibc.specs -ffunction-sections -fdata-sections $(pc_headers)" \
	    "Libs: -L$(pc_library) -lpostroad -T$(pc_script) $(FIRMWARE_LINKING) $(\
	    )-Wl,--defsym=__text_budget=$$(($(TEXT_BUDGET) + $(APPLICATION_TEXT)))" >$@

# For $readmemh: one 32-bit word a line, from the start of RAM.
$(FIRMWARE_DIR)/%.hex: $(FIRMWARE_DIR)/%.elf
	$(CROSS)objcopy -O binary $< $(FIRMWARE_DIR)/$*.bin
	od -An -v -tx4 -w4 $(FIRMWARE_DIR)/$*.bin | tr -d ' ' >$@

# The boot program of boards, and the contents of its ROM. It is built by itself: it has no library and no start of its own.
# BOOT_SOURCE: tests build it with planted bugs.
BOOT_SOURCE   ?= firmware/boot/boot.c
BOOT_ROM_BYTES = 4096
BOOT_CFLAGS    = -std=c11 -Os -msave-restore -fno-jump-tables -fno-inline-functions-called-once -Wall -Wextra -Werror \
                 -ffreestanding --specs=picolibc.specs
# The boot program of boards.
$(FIRMWARE_DIR)/boot.elf: $(BOOT_SOURCE) firmware/boot/boot.ld hw/protocol/protocol.h \
    $(wildcard firmware/drivers/*.h)
	@mkdir -p $(@D)
	$(CROSS)gcc $(FIRMWARE_FLAGS) $(INCLUDES_firmware) $(BOOT_CFLAGS) -nostdlib -T firmware/boot/boot.ld \
	    -Wl,--defsym=__rom_size=$(BOOT_ROM_BYTES) -o $@ $< -lgcc

# As long as the ROM, so that tools find its place in a bitstream.
$(FIRMWARE_DIR)/boot.hex: $(FIRMWARE_DIR)/boot.elf
	$(CROSS)objcopy -O binary $< $(FIRMWARE_DIR)/boot.bin
	truncate -s $(BOOT_ROM_BYTES) $(FIRMWARE_DIR)/boot.bin
	od -An -v -tx4 -w4 $(FIRMWARE_DIR)/boot.bin | tr -d ' ' >$@

# The verifier of locked boards (hw/soc/boot.md), as its bytes in RAM. It takes the RAM from LOAD_VERIFIER up to LOAD_RESERVED
# before the end of a site's 64 KB.
MONOCYPHER             = $(VENV)/share/monocypher
VERIFIER               = $(FIRMWARE_DIR)/verifier.bin
VERIFIER_ORIGIN        = 0x80000000+$(LOAD_VERIFIER)
VERIFIER_END           = 0x80010000-$(LOAD_RESERVED)
VERIFIER_STACK_BYTES   = 2560
VERIFIER_SOURCES       = $(wildcard firmware/verifier/*.[cS]) $(MONOCYPHER)/monocypher.c
VERIFIER_CFLAGS        = -std=c11 -Os -msave-restore -Wall -Wextra -Werror -ffreestanding -ffunction-sections -fdata-sections \
                         --specs=picolibc.specs -nostartfiles -Wl,--gc-sections -Wl,--no-warn-rwx-segments
$(FIRMWARE_DIR)/verifier.elf: $(VERIFIER_SOURCES) firmware/verifier/verifier.ld \
    hw/protocol/protocol.h $(wildcard firmware/verifier/*.h firmware/drivers/*.h)
	@mkdir -p $(@D)
	$(CROSS)gcc $(FIRMWARE_FLAGS) $(INCLUDES_firmware) -I$(MONOCYPHER) $(VERIFIER_CFLAGS) -T firmware/verifier/verifier.ld \
	    -Wl,--defsym=__origin=$(VERIFIER_ORIGIN) -Wl,--defsym=__end=$(VERIFIER_END) \
	    -Wl,--defsym=__stack_size=$(VERIFIER_STACK_BYTES) -o $@ $(VERIFIER_SOURCES)

$(VERIFIER): $(FIRMWARE_DIR)/verifier.elf
	$(CROSS)objcopy -O binary $< $@

-include $(wildcard $(FIRMWARE_DIR)/objects/*.d $(FIRMWARE_DIR)/objects/*/*/*.d $(FIRMWARE_DIR)/objects/*/*/*/*.d)
