# SPDX-License-Identifier: ISC
# hw/csr: lint.

.PHONY: lint-csr
lint: lint-csr
lint-csr:
	@echo "lint: measured_csr"
	@$(VERILATOR) -Wall --lint-only -Ihw/protocol -y hw/csr hw/utilisation/measured_csr.v --top measured_csr
