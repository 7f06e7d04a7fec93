# SPDX-License-Identifier: ISC
# sim/csr: the slot model of conflict sense routing and what it is compared with, an archive that needs no other, and a program.

CSR_LIBRARY = $(BUILD)/libcsr.a
CSR_OBJECTS = $(call objects,$(filter-out sim/csr/main.c,$(wildcard sim/csr/*.c)))

# Loops over the words of planes become vector instructions: a quarter of the time less.
$(CSR_OBJECTS): private CFLAGS += -O3

$(CSR_LIBRARY): $(CSR_OBJECTS)

$(BUILD)/objects/sim/csr/main.o: private CPPFLAGS += -DPOSTROAD_VERSION='"$(VERSION)"'
$(eval $(call program,csr_model,$(call objects,sim/csr/main.c) $(CSR_LIBRARY) $(SIM_LIBRARY),-lm))
