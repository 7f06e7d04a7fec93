# SPDX-License-Identifier: ISC
# sim/wormlan: the model of a wormhole LAN, an archive above those of the mesh and of the firmware, and a program.

WORMLAN_LIBRARY = $(BUILD)/libwormlan.a
WORMLAN_ARCHIVES = $(WORMLAN_LIBRARY) $(SIM_LIBRARY) $(NATIVE_LIBRARY)

$(WORMLAN_LIBRARY): $(call objects,$(filter-out sim/wormlan/main.c,$(wildcard sim/wormlan/*.c)))

$(BUILD)/objects/sim/wormlan/main.o: private CPPFLAGS += -DPOSTROAD_VERSION='"$(VERSION)"'
$(eval $(call program,wormlan_model,$(call objects,sim/wormlan/main.c) $(WORMLAN_ARCHIVES),-linih -lbz2 -lm -ldl))
