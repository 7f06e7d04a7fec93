# SPDX-License-Identifier: ISC
# sim/postman: the fast model of discipline `postman`, an archive that needs no other.

POSTMAN_LIBRARY = $(BUILD)/libpostman.a

$(POSTMAN_LIBRARY): $(call objects,$(wildcard sim/postman/*.c) sim/mesh/torus_cut.c)
