# SPDX-License-Identifier: ISC
# hw/postman: lint.

.PHONY: lint-postman
lint: lint-postman
lint-postman:
	@for module in postman_shared_wire postman_node; do echo "lint: $$module"; \
	    $(VERILATOR) -Wall --lint-only -y hw/postman --top $$module hw/postman/$$module.v || exit 1; \
	    $(IVERILOG) -Wall -g2005 -y hw/postman -t null -s $$module hw/postman/$$module.v || exit 1; done
	@for x in 0 1; do for y in 0 1; do echo "lint: postman_node, THROUGH_X=$$x, THROUGH_Y=$$y"; \
	    $(VERILATOR) -Wall --lint-only -y hw/postman -GTHROUGH_X=$$x -GTHROUGH_Y=$$y hw/postman/postman_node.v || exit 1; \
	    $(IVERILOG) -Wall -g2005 -y hw/postman -t null -s postman_node -Ppostman_node.THROUGH_X=$$x \
	        -Ppostman_node.THROUGH_Y=$$y hw/postman/postman_node.v || exit 1; done; done
