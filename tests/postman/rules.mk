# SPDX-License-Identifier: ISC
# tests/postman: what the fast model is compared with the RTL by.

POSTMAN_TRACE    = $(BUILD)/tests/postman/trace/trace
POSTMAN_WORKLOAD = $(BUILD)/tests/postman/workload/workload

$(foreach name,trace workload,$(eval $(call program,tests/postman/$(name)/$(name),$(call objects,tests/check.c \
    tests/postman/option_letters.c tests/postman/workload_line.c tests/postman/$(name)/main.c) $(POSTMAN_LIBRARY),)))

.PHONY: postman-traces
postman-traces: $(POSTMAN_TRACE) $(POSTMAN_WORKLOAD)

# A trace as a picture.
PICTURE         = $(BUILD)/tests/postman/picture/picture
PICTURE_LIBRARY = $(BUILD)/tests/postman/libpicture.a
PICTURE_CLOCKS  = 110
PICTURE_SOURCES = $(addprefix tests/postman/picture/,trace.c line.c picture.c)

$(PICTURE_LIBRARY): $(call objects,$(PICTURE_SOURCES))
$(eval $(call program,tests/postman/picture/picture,$(call objects,tests/postman/picture/main.c) $(PICTURE_LIBRARY) \
    $(SIM_LIBRARY),))

$(BUILD)/tests/postman/picture/trace.txt: tests/postman/picture/packets $(POSTMAN_TRACE)
	@mkdir -p $(@D)
	tests/postman/picture/packets >$(@D)/packets.txt
	$(POSTMAN_TRACE) 8 8 8 - $(@D)/packets.txt $(PICTURE_CLOCKS) >$@

## postman-picture: an animated picture of packets on a mesh of postman nodes, build/postman-picture.svg
.PHONY: postman-picture
postman-picture: $(BUILD)/postman-picture.svg ; @:
$(BUILD)/postman-picture.svg: $(PICTURE) $(BUILD)/tests/postman/picture/trace.txt
	$(PICTURE) 8 8 8 $(BUILD)/tests/postman/picture/trace.txt $@

# Its tests run with the sanitizers.
PICTURE_TESTS     = $(addprefix $(BUILD)/tests/postman/,test_picture test_picture_fuzz)
SANITIZED_PICTURE = $(patsubst %.c,$(BUILD)/sanitized/%.o,$(PICTURE_SOURCES))

$(PICTURE_TESTS): $(SANITIZED_PICTURE)
$(PICTURE_TESTS) $(PICTURE_TESTS:$(BUILD)/tests/%=$(BUILD)/objects/tests/%.o): private CFLAGS += $(SANITIZE)
-include $(SANITIZED_PICTURE:.o=.d)
