# host-tools: the program postroad, and what it is made of.

POSTROAD_SOURCES = $(wildcard host-tools/library/*.c host-tools/postroad/*.c \
    sim/common/*.c sim/rtl/*.c sim/qemu/*.c sim/batch/*.c)
POSTROAD_OBJECTS = $(POSTROAD_SOURCES:%.c=$(BUILD)/postroad.objects/%.o)
POSTROAD_LDLIBS  = -ledit -lcjson -linih -lm -ldl

## postroad: the host tool, build/postroad
.PHONY: postroad
postroad: $(BUILD)/postroad

$(BUILD)/postroad: $(POSTROAD_OBJECTS) $(NATIVE_LIBRARY)
	$(CC) $(CFLAGS) -o $@.new $^ $(POSTROAD_LDLIBS)
	@mv $@.new $@

$(BUILD)/postroad.objects/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

-include $(POSTROAD_OBJECTS:.o=.d)

# What the tests talk to instead of a mesh, where they need faults.
FAKE_NODE_OBJECTS = $(patsubst %.c,$(BUILD)/postroad.objects/%.o,tests/host-tools/fake_node/fake_node.c \
    host-tools/library/frames.c host-tools/library/messages.c)

$(BUILD)/tests/host-tools/fake_node: $(FAKE_NODE_OBJECTS) $(NATIVE_LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $^

-include $(BUILD)/postroad.objects/tests/host-tools/fake_node/fake_node.d
