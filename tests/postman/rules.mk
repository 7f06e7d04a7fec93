# SPDX-License-Identifier: ISC
# tests/postman: what the fast model is compared with the RTL by.

POSTMAN_TRACE    = $(BUILD)/tests/postman/trace/trace
POSTMAN_WORKLOAD = $(BUILD)/tests/postman/workload/workload

$(foreach name,trace workload,$(eval $(call program,tests/postman/$(name)/$(name),$(call objects,tests/check.c \
    tests/postman/$(name)/main.c) $(POSTMAN_LIBRARY),)))

.PHONY: postman-traces
postman-traces: $(POSTMAN_TRACE) $(POSTMAN_WORKLOAD)
