# SPDX-License-Identifier: ISC
# The small operator natively, one shared object an image: tests/firmware/small_site.h loads as many copies as it needs.
SMALL_NATIVE         = $(filter-out $(patsubst %,firmware/small/%.c,port_core program),$(SMALL_SOURCES)) \
    tests/firmware/small/port_native.c
SMALL_NATIVE_OBJECTS = $(SMALL_IMAGES:%=$(BUILD)/tests/firmware/%.so)
SMALL_NATIVE_NEEDS   = $(SMALL_NATIVE) $(SMALL_HEADERS) tests/firmware/small_site.h $(wildcard firmware/operator/*.h) \
    $(FIRMWARE_DIR)/small-settings
SMALL_NATIVE_FLAGS   = -std=c11 -O1 -g -Wall -Wextra -Werror -shared -fPIC -fvisibility=hidden
# Beside the object lies the command without its output, for tests/planted/program.bash.
define SMALL_NATIVE_LINK
@echo '$(SMALL_NATIVE_FLAGS) $(INCLUDES_firmware) -Itests/firmware $(call SMALL_DEFINES,$*) $(filter %.c,$^)' >$@.link
$(CC) -o $@ @$@.link
endef

$(SMALL_NATIVE_OBJECTS): private SMALL_NATIVE_FLAGS += $(SANITIZE)
$(SMALL_NATIVE_OBJECTS): $(BUILD)/tests/firmware/%.so: $(SMALL_NATIVE_NEEDS)
	@mkdir -p $(@D)
	$(SMALL_NATIVE_LINK)

$(SMALL_IMAGES:%=$(MEMORY)/firmware/%.so): $(MEMORY)/firmware/%.so: $(SMALL_NATIVE_NEEDS)
	@mkdir -p $(@D)
	$(SMALL_NATIVE_LINK)

$(BUILD)/tests/firmware/test_small $(BUILD)/tests/firmware/test_small_soak: | $(SMALL_NATIVE_OBJECTS)

# The images with an application that measures their stacks.
SMALL_STACK_IMAGES = $(patsubst small-%,small-stack-%,$(SMALL_IMAGES))
$(foreach image,$(SMALL_IMAGES),$(eval $(image:small-%=small-stack-%) = $($(image))))
# Room for the application, where the stack does not notice: fewer sites, or less output that waits.
small-stack-receiver := $(small-stack-receiver) SITES_MAX=48
small-stack-raw := $(patsubst OUTPUT_BYTES=%,OUTPUT_BYTES=400,$(small-stack-raw))
$(foreach image,$(SMALL_STACK_IMAGES),$(eval $(image)_APPLICATION = tests/firmware/small_stack/main.c))
$(foreach image,$(SMALL_STACK_IMAGES),$(eval $(call small_link,$(image))))

# The reliable small operator with an application that sends what its serial line orders: for meshes of boards.
small-traffic             = RELIABLE=1 SENDS=1 CONSOLE=0 BUFFERS=3 OUTPUT_BYTES=1 INPUT_BYTES=1 SITES_MAX=16
small-traffic_APPLICATION = tests/firmware/small_traffic/main.c
$(FIRMWARE_DIR)/small-traffic.elf: tests/firmware/small_traffic/small_traffic.h
$(eval $(call small_link,small-traffic))

# The verifier's check, natively and for QEMU.
VERIFIER_NATIVE = $(patsubst %.c,$(BUILD)/sanitized/%.o,firmware/verifier/sha512.c firmware/verifier/signature.c) \
                  $(BUILD)/tests/firmware/monocypher.o
$(BUILD)/sanitized/firmware/verifier/% $(BUILD)/objects/firmware/verifier/%: private CPPFLAGS += -I$(MONOCYPHER)
$(BUILD)/sanitized/firmware/verifier/signature.o $(BUILD)/objects/firmware/verifier/signature.o: | $(MONOCYPHER)/monocypher.c
$(BUILD)/tests/firmware/monocypher.o: $(MONOCYPHER)/monocypher.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SANITIZE) -c -o $@ $<
$(BUILD)/tests/firmware/test_verifier: $(VERIFIER_NATIVE) | $(FIRMWARE_DIR)/verifier-cases.elf

VERIFIER_CASES_SOURCES = $(wildcard tests/firmware/verifier/*.[cS]) $(MONOCYPHER)/monocypher.c \
    $(addprefix firmware/verifier/,multiply.S sha512.c signature.c)
$(FIRMWARE_DIR)/verifier-cases.elf: $(VERIFIER_CASES_SOURCES) tests/firmware/verifier/cases.h firmware/verifier/verifier.ld \
    $(wildcard firmware/verifier/*.h) hw/protocol/protocol.h
	@mkdir -p $(@D)
	$(CROSS)gcc $(FIRMWARE_FLAGS) $(INCLUDES_firmware) -I$(MONOCYPHER) $(VERIFIER_CFLAGS) -T firmware/verifier/verifier.ld \
	    -Wl,--defsym=__origin=0x80000000 -Wl,--defsym=__end=0x80010000 -Wl,--defsym=__stack_size=$(VERIFIER_STACK_BYTES) \
	    -o $@ $(VERIFIER_CASES_SOURCES)

$(BUILD)/tests/firmware/test_replicated_log: $(BUILD)/sanitized/firmware/apps/replicated_log/replicated_log.o
$(MEMORY)/firmware/test_replicated_log: $(call objects,firmware/apps/replicated_log/replicated_log.c)
