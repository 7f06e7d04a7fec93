// SPDX-License-Identifier: ISC
// bench.vh: what every bench has, included inside its module: a seed, random numbers, named checks, and a verdict.
// A check is named by the rule it serves (hw/cutthrough/rules.md), so that a failure says what was broken.
// +errors=N ends it at that many.
integer seed;
integer errors = 0, enough;

initial if (!$value$plusargs("errors=%d", enough)) enough = 200;

task begin_bench;
    begin
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        $display("seed %0d", seed);
        seed = seed * 7919 + 17;
    end
endtask

// 0 to limit-1. The upper bits: the lower ones of $random repeat.
function integer below(input integer limit);
    below = ($unsigned($random(seed)) >> 8) % limit;
endfunction

function percent(input integer chance);
    percent = below(100) < chance;
endfunction

task check(input condition, input [8*100-1:0] name);
    if (condition !== 1'b1) begin
        $display("%0t: error: %0s", $time, name);
        errors = errors + 1;
        if (errors == enough) verdict;
    end
endtask

task verdict;
    begin
        $display("%0s", errors == 0 ? "PASS" : "FAIL");
        $finish;
    end
endtask
