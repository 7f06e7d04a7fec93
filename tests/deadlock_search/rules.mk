# SPDX-License-Identifier: ISC
# tests/deadlock_search: the search for deadlocks.

DEADLOCK = $(BUILD)/deadlock_search
$(call tests_program,deadlock_search,$(wildcard tests/deadlock_search/*.c))

## paper-deadlock: searches for deadlocks, 100000 runs on small meshes (10 minutes of two cores)
.PHONY: paper-deadlock
paper-deadlock: $(BUILD)/deadlock_search
	tests/bench/deadlock tests/bench/results/deadlock.md

## search: searches for deadlocks and losses with the simulator `functional`, 100000 runs of each fabric (10 minutes of two cores)
.PHONY: search
search: $(BUILD)/deadlock_search
	ENGINE=functional tests/bench/deadlock tests/bench/results/deadlock_functional.md
	ENGINE=functional FABRIC=january tests/bench/deadlock tests/bench/results/deadlock_functional_january.md
