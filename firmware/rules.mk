# Firmware: the operator library natively (build/native/liboperator.a), and images for the node's core.

POOL_SIZE    ?= 32
PACKET_WORDS ?= 128

OPERATOR_SOURCES = $(wildcard firmware/operator/*.c) firmware/apps/node/node.c
NATIVE_SOURCES   = $(OPERATOR_SOURCES) $(wildcard firmware/platform/native/*.c)
NATIVE_OBJECTS   = $(NATIVE_SOURCES:%.c=$(BUILD)/native/%.o)
NATIVE_LIBRARY   = $(BUILD)/native/liboperator.a

$(NATIVE_LIBRARY): $(NATIVE_OBJECTS)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/native/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -DPACKET_WORDS=$(PACKET_WORDS) -MMD -MP -c -o $@ $<

-include $(NATIVE_OBJECTS:.o=.d)
