# SPDX-License-Identifier: ISC
# The small operator natively, one shared object an image: tests/firmware/small_site.h loads as many copies as it needs.
SMALL_NATIVE         = $(filter-out firmware/small/port_core.c,$(SMALL_SOURCES)) tests/firmware/small/port_native.c
SMALL_NATIVE_OBJECTS = $(SMALL_IMAGES:%=$(BUILD)/tests/firmware/%.so)
SMALL_NATIVE_FLAGS   = -std=c11 -O1 -g -Wall -Wextra -Werror $(SANITIZE) -shared -fPIC -fvisibility=hidden

$(SMALL_NATIVE_OBJECTS): $(BUILD)/tests/firmware/%.so: $(SMALL_NATIVE) $(SMALL_HEADERS) tests/firmware/small_site.h \
    $(wildcard firmware/operator/*.h) $(FIRMWARE_DIR)/small-settings
	@mkdir -p $(@D)
	$(CC) $(SMALL_NATIVE_FLAGS) $(INCLUDES_firmware) -Itests/firmware $(call SMALL_DEFINES,$*) -o $@ $(filter %.c,$^)

$(BUILD)/tests/firmware/test_small $(BUILD)/tests/firmware/test_small_soak: | $(SMALL_NATIVE_OBJECTS)

# The images with an application that measures their stacks.
SMALL_STACK_IMAGES = $(patsubst small-%,small-stack-%,$(SMALL_IMAGES))
$(foreach image,$(SMALL_IMAGES),$(eval $(image:small-%=small-stack-%) = $($(image))))
$(foreach image,$(SMALL_STACK_IMAGES),$(eval $(image)_APPLICATION = tests/firmware/small_stack/main.c))
$(foreach image,$(SMALL_STACK_IMAGES),$(eval $(call small_link,$(image))))

# The reliable small operator with an application that sends what its serial line orders: for meshes of boards.
small-traffic             = RELIABLE=1 SENDS=1 CONSOLE=0 BUFFERS=3 OUTPUT_BYTES=1 INPUT_BYTES=1 SITES_MAX=16
small-traffic_APPLICATION = tests/firmware/small_traffic/main.c
$(FIRMWARE_DIR)/small-traffic.elf: tests/firmware/small_traffic/small_traffic.h
$(eval $(call small_link,small-traffic))
