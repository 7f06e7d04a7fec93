# SPDX-License-Identifier: ISC

## formal: proves the hardware (Yosys, ABC) and the protocol of the reliable service (spin)
.PHONY: formal
formal: setup-tools
	tests/formal/prove
	tests/formal/prove fabric_long fabric_grid_long router_adaptive_grid_long
	{ echo '# SPDX-License-Identifier: ISC'; tests/formal/proof_keys; } >tests/formal/proved
	tests/plant proofs reliable_model
	tests/formal/test_reliable_model.sh -l
