// SPDX-License-Identifier: ISC
// own_of.vh: the parameter OWN of a fabric of discipline `cutthrough`, from what benches say of it. Included in a module.
`include "cutthrough.vh"

function [31:0] own_of(input integer adaptive, input integer input_depth);
    begin
        own_of = `CUTTHROUGH_OWN;
        own_of[`CUTTHROUGH_OWN_UNICAST]   = adaptive;
        own_of[`CUTTHROUGH_OWN_NET_INPUT] = $clog2(input_depth);
    end
endfunction
