# sim/common: its tests run with the address and undefined-behaviour sanitizers, on sources built with them.

SIM_COMMON_OBJECTS = $(patsubst %.c,$(BUILD)/sanitized/%.o,$(wildcard sim/common/*.c))
SIM_COMMON_TESTS   = $(patsubst %,$(BUILD)/tests/sim/test_%,mesh_config mesh_config_fuzz traffic scoreboard)

$(SIM_COMMON_TESTS): $(SIM_COMMON_OBJECTS)
$(SIM_COMMON_TESTS) $(SIM_COMMON_TESTS:$(BUILD)/tests/%=$(BUILD)/tests/objects/tests/%.o): private CFLAGS += \
    $(FIRMWARE_SANITIZE)
-include $(SIM_COMMON_OBJECTS:.o=.d)
