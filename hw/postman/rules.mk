# SPDX-License-Identifier: ISC
# hw/postman: lint.

.PHONY: lint-postman
lint: lint-postman
lint-postman:
	@for module in postman_shared_wire postman_node; do echo "lint: $$module"; \
	    $(VERILATOR) -Wall --lint-only -y hw/postman --top $$module hw/postman/$$module.v || exit 1; \
	    $(IVERILOG) -Wall -g2005 -y hw/postman -t null -s $$module hw/postman/$$module.v || exit 1; done
	@for option in THROUGH PRIORITY LATE_PASS ARRIVALS_APART; do echo "lint: postman_node, $$option=1"; \
	    $(VERILATOR) -Wall --lint-only -y hw/postman -G$$option=1 hw/postman/postman_node.v || exit 1; \
	    $(IVERILOG) -Wall -g2005 -y hw/postman -t null -s postman_node -Ppostman_node.$$option=1 \
	        hw/postman/postman_node.v || exit 1; done
